#!/usr/bin/perl
# The reference of Yay: each example of templates/yay-language.txt gives what it says, the page has all of it, and `vetro explain` knows its names.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
my $json = JSON::PP->new->canonical->allow_nonref->allow_bignum;
my @entries = reference_entries("$top/templates/yay-language.txt");
my $program = $vetro =~ m{^/} ? $vetro : "$top/$vetro";

my $k = 0;
for my $e (@entries) {
	my $dir = "$W/e" . $k++;
	my @args;
	mkdir $dir;
	for (@{ $e->{part} }) {
		my ($kind, $more, $text) = @$_;
		@args = split / /, $more if $kind eq 'run';
		next unless $kind =~ /^(?:yay|file)$/;
		my $path = $kind eq 'yay' ? 'app.yay' : $more;
		mkdir "$dir/$1" if $path =~ m{(.*)/};
		spew("$dir/$path", $text);
	}
	my ($want) = grep { $_->[0] =~ /^(?:gives|refused)$/ } @{ $e->{part} };
	ok($want && -e "$dir/app.yay", "$e->{name}: has an example with a result") or next;
	my ($rc, $out, $err) = run_program({ dir => $dir }, $program, 'yay', '-c', 'app.yay', @args);
	if ($want->[0] eq 'refused') {
		ok($rc == 1 && $err =~ /error\[\Q$want->[1]\E/, "$e->{name}: how its example is refused", $err);
	} else {
		is($rc == 0 ? $json->encode($json->decode($out)) : $err, $json->encode($json->decode($want->[1])), "$e->{name}: what its example gives");
	}
}

# ---- the page, and what `vetro explain` says ----

my ($rc, $out) = run_program({}, 'lua5.4', "$top/lua/build/language.lua", "$top/templates/yay-language.txt");
is($rc, 0, 'the page can be made');
is($out, slurp("$top/docs/yay-reference.md"), 'and is the one in docs (make docs)');

my %is = map { $_ => 1 } map { split /, / } map { $_->{name} } @entries;
for my $name (sort keys %is) {
	($rc, $out) = vetro('explain', $name);
	ok($rc == 0 && $out =~ /^\Q$name\E: Yay, .*^It gives |^\Q$name\E: Yay, .*^It is refused/ms, "explain $name", $out);
}
# The directives are words of the lexer, the functions a table of the evaluator.
my ($words) = slurp("$top/compiler/yay/yay.re") =~ /directives\[\] = \{(.*?)^\};/ms;
my @directives = $words =~ /\{"(\w+)", [A-Z]+\}/g;
my @functions = slurp("$top/runtime/yay/fn.c") =~ /^\t\{"(\w+)", /mg;
ok(@directives > 8 && @functions > 20, 'the front end has directives and functions', "@directives", "@functions");
my %within = map { $_ => 1 } qw(as in is lambda);
is(join(' ', grep { !$is{$_} && !$within{$_} } @directives, @functions), '', 'each has an entry');
done;
