#!/usr/bin/perl
# The reference of forms: each example of templates/forms.txt does what it says, the page has all of it, `vetro explain` knows each name,
# and each type of field and each attribute of runtime/form/fields.def has an entry.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
my $json = JSON::PP->new->canonical->allow_nonref;
my @entries = reference_entries("$top/templates/forms.txt");
my %bare = map { $_ => 1 } qw(ParametersSource encryptData); # what a lone file cannot show

# A list of fields becomes a form `f`, and a property of each.
sub definition {
	my ($kind, $text) = @_;
	return $text if $kind eq 'form';
	my @names = $text =~ /\bname: (\w+)/g;
	return "Version: 2.0\nApplication:\n  ?:\n    type: com.example.App\n" . join('', map { "  $_: \$.f.$_\n" } @names)
		. "Forms:\n- f:\n    fields:\n" . $text =~ s/^(?=.)/    /mgr;
}
sub without_ids {
	my ($v) = @_;
	return [map { without_ids($_) } @$v] if ref $v eq 'ARRAY';
	return $v unless ref $v eq 'HASH';
	return {map { $_ => without_ids($v->{$_}) } grep { $_ ne '?' } keys %$v};
}

for my $e (@entries) {
	my %part = map { $_->[0] => $_ } @{ $e->{part} };
	my $source = $part{fields} || $part{form};
	my $want = $part{gives} || $part{refused};
	ok($source && $want || $bare{ $e->{name} }, "$e->{name}: has an example with a result");
	next unless $source && $want;
	spew("$W/ui.yaml", definition($source->[0], $source->[2]));
	my $answers = $json->decode($part{answers} ? $part{answers}[1] : '{}');
	spew("$W/answers.json", $json->encode($source->[0] eq 'fields' ? {f => $answers} : $answers));
	my @named = $part{named} ? ('--name', $part{named}[1]) : ();
	my ($rc, $out, $err) = vetro('form', "$W/ui.yaml", '-c', '--seed', 1, '--answers', "$W/answers.json", @named);
	if ($part{gives}) {
		my $got = $rc == 0 ? $json->encode(without_ids($json->decode($out))) : $err;
		is($got, $json->encode($json->decode($part{gives}[1])), "$e->{name}: what its example gives");
	} else {
		ok($rc == 1 && index($err, $part{refused}[1]) >= 0, "$e->{name}: how its example is refused", $rc, $err);
	}
}

# ---- the page, and what `vetro explain` says ----

my ($rc, $out) = run_program({}, 'lua5.4', "$top/lua/build/language.lua", "$top/templates/forms.txt");
is($rc, 0, 'the page can be made');
is($out, slurp("$top/docs/forms-reference.md"), 'and is the one in docs (make docs)');
my %is = map { $_ => 1 } map { split /, / } map { $_->{name} } @entries;
for my $name (sort keys %is) {
	($rc, $out) = vetro('explain', $name);
	ok($rc == 0 && $out =~ /^\Q$name\E: forms, /m, "explain $name");
}

# What the table of fields has.
my $def = slurp("$top/runtime/form/fields.def");
my @types = $def =~ /^FIELD\(\w+, "(\w+)"/mg;
my %attributes = map { $_ => 1 } map { split ' ' } map { /"([a-z_ ]* )"/g } $def, slurp("$top/compiler/form/field.c") =~ /^#define COMMON(.*?)^\s*$/ms;
sub camel { return $_[0] =~ s/_(\w)/uc $1/ger }
ok(@types > 10 && %attributes > 10, 'the table of fields is read');
is(join(' ', grep { !$is{$_} } @types), '', 'each type of field has an entry');
is(join(' ', sort grep { !$is{$_} && !$is{ camel($_) } } keys %attributes), '', 'each attribute has an entry');
done;
