#!/usr/bin/perl
# A text that is not ASCII grows where it is although its places are known: to look into it at each step takes a constant time, and who
# else has the text keeps what it was.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my @grow = ( # statements, what $t.len() + $.p.len() is after 40 of each
	['$t: $t + é', '$c: $t.substring($t.len() - 1)', 42], ['$.p: $.p + é', '$c: $.p.substring($.p.len() - 1)', 42],
	['$t: $t + é', '$c: $t.substring($t.len() / 2, 3)', 42], ["\$t: \$t + é + ' x'", '$c: $t.substring($t.len() - 3)', 122],
	['$t: $t + é', '$n: $t.lastIndexOf(é)', 42],
);
# What is seen of a text of some thousand characters, and of one that two have.
my $look = '[$t.len(), $t.substring($t.len() - 2), $t.substring($t.len() / 2, 2), $t.indexOf(q), $t.lastIndexOf(ö), $u.len(), $u.substring($u.len() - 2)]';
my @seen = map { "\$t: \$t + $_" } 'é', "'aé'", 'ö + x', 'str($i)', "'日本'", 'a', '$u.substring(0, 3)', '$t.substring(0, 2)';

sub body {
	my @lines = @_;
	s/^(\s*- (?:\$\S+|Return|In)): (.+)$/$1: !yaql "$2"/ for @lines;
	return join '', map {"      $_\n"} @lines;
}

my $methods = '';
for my $at (0 .. $#grow) {
	my @steps = @{ $grow[$at] };
	pop @steps;
	$methods .= "  grow$at:\n    Scope: Public\n    Arguments: [{n: {Contract: \$.int()}}]\n    Body:\n" .
		body('- $t: ü', '- $.p: ü', '- For: i', '  In: range($n)', '  Do:', (map {"    - $_"} @steps), '- Return: $t.len() + $.p.len()');
}
$methods .= "  look:\n    Scope: Public\n    Body:\n" . body('- $t: üq', '- $u: ö', '- $seen: []', '- For: i', '  In: range(120)', '  Do:',
	map({ ("    - $_", "    - \$seen: \$seen + [$look]") } @seen), '    - $u: $t',
	'    - $t: $t + z', '    - $t: $t + ö', "    - \$seen: \$seen + [$look]", '- Return: $seen');
my $package = package_dir('growth', { 'manifest.yaml' => <<'M', 'Classes/Main.yaml' => <<"C" });
Format: 1.4
Type: Library
FullName: t.growth
Name: growth
Classes: {t.growth.Main: Main.yaml}
M
Namespaces: {=: t.growth}
Name: Main
Properties:
  p: {Contract: \$.string(), Default: '', Usage: Runtime}
Methods:
$methods
C
spew("$W/m.json", '{"Objects":{"?":{"type":"t.growth.Main","id":"r"}}}');
my @binary = ("$W/growth.bin", "$W/plain.bin");
for my $k (0, 1) {
	my ($rc, $out, $err) = vetro({}, 'build', '-O0', $k ? '-fno-update' : (), '-o', $binary[$k], $package);
	ok($rc == 0, 'it is built', "$out$err") or done();
}
my $call = sub { my ($k, $method, $args) = @_; "$binary[$k] run --model $W/m.json --call $method --args '$args'" };
for my $at (0 .. $#grow) {
	my @steps = @{ $grow[$at] };
	my $want = pop @steps;
	is($json->decode(scalar qx(@{[$call->(0, "grow$at", '{"n":40}')]}))->{result}, $want, "@steps");
	skip(1, 'nobody counts instructions here') && next if !counts_instructions();
	my ($least, $few, $all) = map { instructions($call->(0, "grow$at", "{\"n\":$_}")) } 500, 2500, 10500;
	my $step = ($few - $least) / 2000; # to find all places anew would be thousands
	ok($step > 0 && $step < 4000 && $all - $few < 6 * ($few - $least), 'linear', "$least instructions for 500, $few for 2,500, $all for 10,500");
}
my @said = map { $json->decode(scalar qx(@{[$call->($_, 'look', '{}')]}))->{result} } 0, 1;
is($json->encode($said[0]), $json->encode($said[1]), 'what is seen of it');
# by hand: after a round $u has all but the last two characters
my ($last) = $said[0][-1];
is($last->[0] - $last->[5], 2, 'who had it before has it without what came') and is($last->[1], "z\x{f6}", 'the end');
done();
