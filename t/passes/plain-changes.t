#!/usr/bin/perl
# Changes of lists, dicts and sets that a variable or property has, one by one and in chains, give what they give without the passes
# that make them in place: at random, where others hold the value too, where the contract refuses, and where a call fails.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my @seeds = split / /, $ENV{CHANGES_SEEDS} // '1 2';
my %links = (
	list => ['append($i)', 'append($i, 7)', 'append([$i])', 'append($.o)', 'append({a => $i})', 'delete(0)', 'delete(1)', 'insert(0, $i)',
		'insert(2, [$i])', 'replace(0, $i)', 'replace(3, x)', 'skip(1)', 'take(4)', 'append($i).toList()', 'skip(1).toList()', 'take(3).toList()'],
	dict => ['set(a, $i)', 'set(str($i mod 3), $i)', 'set(b, [$i])', 'set(c, {x => $i})', 'set($i, 1)', 'set(o, $.o)', 'delete(a)', 'delete(zz)',
		'mergeWith({a => $i})', 'set(1.5, null)', 'set(t, x)'],
	set => ['add($i)', 'add(str($i))', 'remove($i - 1)', 'remove(zz)', 'union(set($i))', 'difference(set(0))', 'add([$i])', 'add($i, a)'],
);
my %sums = (list => ['[$i]', '[$i, [$i]]', '"a b".split(" ")'], dict => ['{x => $i}', '{x => [$i]}'], set => ['set($i)']);
my %begin = (list => '[3, 1, 2]', dict => '{a => 1, z => 2}', set => 'set(1, 5)');
# Of each property: its contract, what it may be given.
my %property = (l => ['[$.int()]', 'list'], m => ['$', 'list'], d => ['{$.string(): $.int()}', 'dict'], e => ['$', 'dict'], s => ['$', 'set'],
	k => ['{$.string(): $}', 'dict'], j => ['[$]', 'list']);

sub pick { return $_[int rand @_] }

sub value {
	my ($at, $kind) = @_;
	my $e = $at;
	for (1 .. 1 + int rand 3) {
		$e = rand() < .2 ? "($e + " . pick(@{ $sums{$kind} }) . ')' : "$e." . pick(@{ $links{$kind} });
	}
	return $e;
}

sub method {
	my $name = shift;
	my @steps;
	for (1 .. 4) {
		my $p = pick(sort keys %property);
		my $variable = rand() < .5;
		my $at = $variable ? "\$v$property{$p}[1]" : "\$.$p";
		my $kind = $property{$p}[1];
		push @steps, "- \$held: !yaql '$at'" if rand() < .15;
		push @steps, $kind eq 'dict' && rand() < .3 ? "- $at" . '[q]: !yaql \'' . "$at.get(q, []) + [\$i]'"
			: $kind eq 'dict' && rand() < .2 ? "- $at: !yaql '$at.set(w, $at.get(w, []).append(\$i))'"
			: "- $at: !yaql '" . value($at, $kind) . "'";
	}
	return "  $name:\n    Scope: Public\n    Body:\n" . join('', map { "      - \$v$_: !yaql '$begin{$_}'\n" } sort keys %begin) .
		join('', map { "      - \$.$_: !yaql '$begin{$property{$_}[1]}'\n" } sort keys %property) .
		"      - \$held: []\n      - \$err: ''\n      - Try:\n        - For: i\n          In: range(7)\n          Do:\n" .
		join('', map { "            $_\n" } @steps) .
		"        Catch:\n          As: x\n          Do:\n            - \$err: \$x.message\n" .
		"      - \$pairs: []\n      - For: k\n        In: \$vdict.items()\n        Do:\n          - \$pairs: \$pairs.append(\$k)\n" .
		"      - Return: !yaql '[\$err, str([\$vlist, \$vdict, \$vset.toList()]), " .
		join(', ', map { $property{$_}[1] eq 'set' ? "str(\$.$_.toList())" : "str(\$.$_)" } sort keys %property) . ", str(\$pairs), str(\$held)]'\n";
}

for my $seed (@seeds) {
	srand $seed;
	my $n = 60;
	my $methods = join '', map { method("m$_") } 1 .. $n;
	my $head = "Namespaces: {=: t.plain}\nName: Main\nProperties:\n";
	my $package = package_dir("plain$seed", { 'manifest.yaml' => <<'M', 'Classes/Main.yaml' => $head .
Format: 1.4
Type: Library
FullName: t.plain
Name: plain
Classes: {t.plain.Main: Main.yaml}
M
		"  o: {Contract: \$, Usage: Runtime}\n" .
		join('', map { "  $_: {Contract: $property{$_}[0], Usage: Runtime}\n" } sort keys %property) . "Methods:\n$methods" });
	my $calls = qq({"op":"load","model":{"Objects":{"?":{"type":"t.plain.Main","id":"r"}}}}\n) .
		join '', map { qq({"op":"call","target":null,"method":"m$_","args":[]}\n) x 2 } 1 .. $n;
	spew("$W/calls$seed", $calls);
	my @said;
	for my $flags ('-O0', '-O0 -fno-update -fno-inplace -fno-inline') {
		my ($rc, undef, $err) = vetro({}, 'build', split(/ /, $flags), '-o', "$W/plain.bin", $package);
		ok($rc == 0, "built $flags", $err) or done();
		push @said, scalar qx("$W/plain.bin" session < "$W/calls$seed");
	}
	my @lines = map { [split /\n/] } @said;
	my @other = grep { ($lines[0][$_] // '') ne ($lines[1][$_] // '') } 0 .. 2 * $n;
	ok(@{ $lines[0] } == 2 * $n + 1 && !@other, "seed $seed: the same in both ways",
		map { "$lines[0][$_]\n$lines[1][$_]" } grep { defined } @other[0 .. 1]);
	my $fine = () = $said[0] =~ /"value":\["",/g;
	ok($fine > 20, "seed $seed: many come to an end", "$fine of " . 2 * $n, $lines[0][1]);
}
done();
