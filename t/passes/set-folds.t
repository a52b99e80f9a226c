#!/usr/bin/perl
# Sets in folds change where they lie: add(), remove(), union() and difference(). accumulate() keeps every step, so its last one is
# made anew each time: both have to be the same. What equal members of two kinds become is what python yaql gives.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my @items = map { { id => $_, k => (qw(a b n))[$_ % 3], v => $_ % 5, f => $_ / 2, t => [(1, 2, 'x', 'y')[0 .. $_ % 4]] } } 0 .. 59;
my $data = $json->encode(\@items);

# A set is shown in the order of its members' texts.
sub sorted {
	my ($v) = @_;
	return [sort map { $json->encode(sorted($_)) } @$v] if ref $v eq 'ARRAY';
	return ref $v eq 'HASH' ? { map { $_ => sorted($v->{$_}) } keys %$v } : $v;
}

for (
	['$1.add($2.v)', 'set()'], ['$1.add($2.k, $2.v)', 'set(a, z)'], ['$1.add($2.f)', 'set(1, 2)'], ['$1.add($2.t)', 'set()'],
	['$1.remove($2.v)', 'range(8).toSet()'], ['$1.remove($2.k, 3, $2.f)', 'set(a, z, 3, 4)'], ['$1.union(set($2.v, $2.k))', 'set()'],
	['$1.union($2.t.toSet())', 'set()'], ['$1.union($2.t.where($ != x).toSet())', 'set()'],
	['$1.difference(set($2.v))', 'range(99).toSet()'], ['$1.difference($2.t.toSet())', 'set(1, x, q)'], ['$1.union($1)', 'set(1)'],
	['$1.difference($1)', 'set(1)'], ['$1.add($2.v).remove($2.id)', 'set(a)'], ['$1.union(set($2.k)).difference(set(a))', 'set()'],
	['switch($2.v in $1 => $1.remove($2.v), true => $1.add($2.v))', 'set()'], ['switch($1.len() > 3 => set($2.v), true => $1.add($2.v))', 'set()'],
	['$1.set(q, $1.get(q, set()).union(set($2.v)))', '{q => set(9)}'], ['$1.set(q, $1.q.difference(set($2.v)))', '{q => range(9).toSet()}'],
	['$1.set(q, $1.q.remove($2.v)).set(n, $1.q.len())', '{q => range(9).toSet()}'],
	['dict(q => $1.q.add($2.v), n => $1.n + $1.q.len())', '{q => set(), n => 0}'], ['$1.intersect(set($2.v, $2.k, 4))', 'range(9).toSet()'],
	['$1.symmetricDifference(set($2.v))', 'set(2)'], ['$1.union(set($2.v > 1, $2.f))', 'set()'],
) {
	my ($lambda, $start) = @$_;
	# What it begins with stays as it is.
	my ($rc, $got, $err) = vetro({ in => $data }, 'query', '-c',
		"let(s => $start) -> [\$.aggregate($lambda, \$s), \$.accumulate($lambda, \$s).last(), \$s]");
	my ($whole, $steps, $first) = $rc == 0 ? map { $json->encode(sorted($_)) } @{ $json->decode($got) } : ();
	ok($rc == 0 && $whole eq $steps, "$lambda with $start", $whole, $steps, $err);
	is($first, $json->encode(sorted($json->decode((vetro({ in => '1' }, 'query', '-c', $start))[1]))), 'what it begins with stays');
}

# In a method, too: four times the items take four times the instructions.
my $package = package_dir('sets', { 'manifest.yaml' => <<'M', 'Classes/Main.yaml' => <<'C' });
Format: 1.4
Type: Library
FullName: t.sets
Name: sets
Classes: {t.sets.Main: Main.yaml}
M
Namespaces: {=: t.sets}
Name: Main
Methods:
  left:
    Scope: Public
    Arguments: [{n: {Contract: $.int()}}]
    Body:
      - $s: range($n).toSet()
      - For: i
        In: range($n)
        Do:
          - $s: $s.difference(set($i))
          - $s: $s.union(set(-$i - 1)).difference(set(2 - $i, a))
      - Return: $s.len()
C
my $model = spew("$W/m.json", '{"Objects":{"?":{"type":"t.sets.Main","id":"r"}}}') && "$W/m.json";
SKIP: {
	my ($rc, undef, $err) = vetro({}, 'build', '-O0', '-o', "$W/sets.bin", $package);
	ok($rc == 0, 'it is built', $err) or last SKIP;
	my $call = sub { "$W/sets.bin run --model $model --call left --args '{\"n\": $_[0]}'" };
	is($json->decode(scalar qx(@{[$call->(500)]}))->{result}, 3, 'difference() of a set in a variable');
	skip(1, 'nobody counts instructions here') && last SKIP if !counts_instructions();
	my ($least, $few, $all) = map { instructions($call->($_)) } 500, 2000, 8000;
	ok($few > $least && $all - $few < 6.5 * ($few - $least), 'changes it where it is', $least, $few, $all);
}

# Of two sets of one size, or where the other is smaller, its members are taken; else those of the set itself.
for (['set(1, 2)', 'set(1.0)', '[1.0]'], ['set(1)', 'set(1.0)', '[1.0]'], ['set(1)', 'set(1.0, 3)', '[1]'], ['set(1.0, 5, 0)', 'set(true)', '[true]'],
	['range(100).toSet()', 'set(7.0, 8.0)', '[7.0,8.0]']) {
	my ($x, $y, $want) = @$_;
	is((vetro({ in => '1' }, 'query', '-c', "$x.intersect($y)"))[1], "$want\n", "$x.intersect($y)");
}
done();
