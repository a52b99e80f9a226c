#!/usr/bin/perl
# What is assigned is made of what stands there, by a choice, by mergeWith() with functions, through set() and replace() of what holds
# it, by chains in a property or inside of Try: it changes where it is, so four times the items take four times the instructions.
# t/data/murano/oracle-places has what such methods give, with other holders too, as murano answered them.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $try = sub { "- Try:\n              - $_[0]\n            Catch:\n              As: e\n              Do: []" };
my @grow = ( # what $d begins with, the statement
	['{}', '$d: switch($i mod 5 = 0 => $d, $i mod 5 = 1 => $d.delete(x), true => $d.set(str($i), 1))'],
	['set()', '$d: switch($i mod 5 = 0 => switch($i < 7 => $d, true => $d.remove(-$i)), true => $d.add($i).add(-$i))'],
	['[]', '$d: selectCase($i mod 3 = 0, $i mod 3 = 1).switchCase($d, $d.append($i), $d + [$i, 1])'],
	['[]', '$.list: switch($i mod 3 = 0 => $.list, true => $.list.append($i))'],
	['{a => []}', '$d[a]: switch($i mod 3 = 0 => $d[a], true => $d.a.append($i))'],
	['{}', '$d: $.put($d, $i)'],
	['null', '$d: coalesce($d, {}).set(str($i), 1).set(x, $i)'],
	['[]', '$d: coalesce($d, []).append($i)'],
	['{}', '$d: $d.mergeWith({str($i) => 1, a => 1}, null, $1 + $2)'],
	['{}', '$d: $d.mergeWith({x => {str($i) => 1, l => [$i]}}, $1 + $2, $1 + $2)'],
	['{}', '$.dict: $.dict.mergeWith({str($i) => 1, a => 1}, itemMerger => $1 + $2)'],
	['{}', '$d: $d.set(k, $d.get(k, {}).set(str($i), 1))'],
	['{}', '$d: $d.set(k, $d.get(k, []).append($i))'],
	['{}', '$d: $d.set(k, coalesce($d.get(k), []) + [$i])'],
	['{}', '$d: $d.set(k, switch($i mod 2 = 0 => $d.get(k, []), true => $d.get(k, []).append($i)))'],
	['{}', '$d: $d.set(k, $d.get(k, {}).set(j, $d.get(k, {}).get(j, []) + [$i]))'],
	['{k => {j => {}}}', '$d[k]: $d[k].set(j, $d.k.j.set(str($i), 1))'],
	['[{n => []}, 1]', '$d: $d.replace(0, $d[0].set(n, $d[0].n.append($i)))'],
	['{}', '$.dicts: $.dicts.set(k, $.dicts.get(k, {}).set(str($i), 1))'],
	['[]', '$.list: $.list.append($i).append($i + 1)'],
	['{}', '$.dict: $.dict.set(str($i), 1).set(b, $.dict.len()).delete(str($i - 1))'],
	['{k => []}', '$d[k]: $d[k].append($i, 1).append(str($i))'],
	['{}', $try->('$d: $d.set(str($i), 1).set(b, $d.len())')],
	['[]', $try->('$d: $d.append($i).append($i * 2)')],
	['{}', "\$d: \$d.mergeWith({str(\$i) => 1}, null, \$1 + \$2)\n          - \$e: switch(\$i = 3 => \$d.len(), true => 1)"],
);
my $quoted = sub { $_[0] =~ s/(\$[\w.\[\]]+): ((?!null).+)$/$1: !yaql "$2"/gmr };
my $methods = '';
for my $k (0 .. $#grow) {
	my ($start, $value) = @{ $grow[$k] };
	$value = "- $value" if $value !~ /^- /;
	$methods .= "  grow$k:\n    Scope: Public\n    Arguments: [{n: {Contract: \$.int()}}]\n    Body:\n      - \$d: !yaql '$start'\n" .
		"      - For: i\n        In: range(\$n)\n        Do:\n          " . $quoted->($value) . "\n      - Return: 1\n";
}
my $package = package_dir('places', { 'manifest.yaml' => <<'M', 'Classes/Main.yaml' => <<'C' . $methods });
Format: 1.4
Type: Library
FullName: t.places
Name: places
Classes: {t.places.Main: Main.yaml}
M
Namespaces: {=: t.places}
Name: Main
Properties:
  list: {Contract: [$.int()], Default: [], Usage: Runtime}
  dict: {Contract: {$.string(): $.int()}, Default: {}, Usage: Runtime}
  dicts: {Contract: {$.string(): {$.string(): $.int()}}, Default: {}, Usage: Runtime}
Methods:
  put:
    Arguments: [{d: {Contract: $}}, {i: {Contract: $.int()}}]
    Body:
      - Return: !yaql "switch($i mod 5 = 0 => $d, true => $d.set(str($i), 1))"
C
spew("$W/m.json", '{"Objects":{"?":{"type":"t.places.Main","id":"r"}}}');
my ($rc, undef, $err) = vetro({}, 'build', '-O0', '-o', "$W/places.bin", $package);
ok($rc == 0, 'it is built', $err) or done();
for my $k (0 .. $#grow) {
	my $call = sub { "$W/places.bin run --model $W/m.json --call grow$k --args '{\"n\":$_[0]}'" };
	my $name = join ' from ', reverse @{ $grow[$k] };
	is(JSON::PP->new->decode(scalar qx(@{[$call->(40)]}))->{result}, 1, $name =~ s/\s+/ /gr);
	skip(1, 'nobody counts instructions here') && next if !counts_instructions();
	my ($least, $few, $all) = map { instructions($call->($_)) } 500, 1500, 6000;
	ok($few > $least && $all - $few < 6.5 * ($few - $least), 'linear', "$least instructions for 500, $few for 1,500, $all for 6,000");
}
done();
