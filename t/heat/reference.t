#!/usr/bin/perl
# The reference of Heat: each example of templates/heat.txt does what it says, the page has all of it, `vetro explain` knows each name,
# and each key and function of vetro's tables has an entry.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
my $json = JSON::PP->new->canonical->allow_nonref;
my @entries = reference_entries("$top/templates/heat.txt");
my $k = 0;
for my $e (@entries) {
	my $dir = "$W/e" . $k++;
	mkdir $dir;
	for (@{ $e->{part} }) {
		my ($kind, $more, $text) = @$_;
		$text = "heat_template_version: wallaby\n$text" if $kind eq 'service' && $text !~ /^heat_template_version:/m;
		spew($kind eq 'service' ? "$dir/template.yaml" : "$dir/$more", $text) if $kind =~ /^(?:service|file)$/;
	}
	my ($want) = grep { $_->[0] =~ /^(?:shows|refused|accepted)$/ } @{ $e->{part} };
	ok($want && -s "$dir/template.yaml", "$e->{name}: has an example with a result") or next;
	my ($rc, $out, $err) = vetro('check', "$dir/template.yaml");
	if ($want->[0] eq 'refused') {
		ok($err =~ /(?:error|warning)\[\Q$want->[1]\E\d*\]/, "$e->{name}: how its example is refused", $err);
		next;
	}
	is("$rc $err", '0 ', "$e->{name}: its example is right");
	next if $want->[0] eq 'accepted';
	my ($expr, $value) = split / => /, $want->[1];
	($rc, $out, $err) = vetro('tosca', "$dir/template.yaml");
	my ($st, $got) = vetro({in => $out}, 'query', '-c', $expr);
	is($rc == 0 && $st == 0 ? $json->encode($json->decode($got)) : $err, $json->encode($json->decode($value)), "$e->{name}: what comes out");
}

# ---- the page, and what `vetro explain` says ----

my ($rc, $out) = run_program({}, 'lua5.4', "$top/lua/build/language.lua", "$top/templates/heat.txt");
is($rc, 0, 'the page can be made');
is($out, slurp("$top/docs/heat-reference.md"), 'and is the one in docs (make docs)');
my %is = map { $_ => 1 } map { split /, / } map { $_->{name} } @entries;
for my $name (sort keys %is) {
	($rc, $out) = vetro('explain', $name);
	ok($rc == 0 && $out =~ /^\Q$name\E: Heat, /m, "explain $name");
}

# ---- what the tables have ----

my ($keys) = slurp("$top/compiler/heat/version.c") =~ /ht_known_keys\[.*?\] = \{(.*?)^\};/ms;
my %keys = map { $_ => 1 } ($keys // '') =~ /\{"(\w+)", \w+\}/g;
ok(%keys > 20, 'the keys are read');
is(join(' ', sort grep { !$is{$_} } keys %keys), '', 'each key has an entry');
my %functions = map { $_ => 1 } map { slurp($_) =~ /^FN\("([\w:]+)", HOT/mg } glob "$top/runtime/tosca/*.def";
ok(%functions > 15, 'the functions are read');
is(join(' ', sort grep { !$is{$_} } keys %functions), '', 'each function has an entry');
my %checks = map { $_ => 1 } map { slurp($_) =~ /^FN\("(\w+)", 0, HOT/mg } glob "$top/runtime/tosca/*.def";
is(join(' ', sort grep { !$is{$_} } keys %checks), '', 'each constraint has an entry');
done;
