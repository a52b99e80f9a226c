#!/usr/bin/perl
# Folds that give and take: set() and delete() of a dict by turns, lists that lose their first items, sums of sets. They change what
# they have made where it lies: four times the items take four times the instructions. accumulate() keeps every step, so its last one
# is made anew each time: both have to be the same.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my $items = sub { $json->encode([map { { id => $_, k => (qw(a b n))[$_ % 3], v => $_ % 5, t => [(1, 2, 'x', 'y')[0 .. $_ % 4]] } } 0 .. $_[0] - 1]) };
my $large = '(dict(range(6000).select(["x" + str($), $])))';
my @folds = ( # the lambda, what it begins with, and that with many
	['$1.set(str($2.id), 1).delete(str($2.id - 5))', '{}', $large],
	['$1.delete(str($2.id - 9)).set(str($2.id), $2.k)', '{a => 1}', $large],
	['switch($2.id mod 3 = 0 => $1.delete(str($2.id - 1), $2.k), true => $1.set(str($2.id), $2.v))', '{a => 1}', $large],
	['$1.delete($2.k) + {$2.k => $2.id, b => 1}', '{}', $large],
	['$1.set(m, $1.m.set(str($2.id), [$2.v]).delete(str($2.id - 3)))', '{m => {}}', "{m => $large}"],
	['$1.skip(1).toList() + [$2.id]', '[1, 2, 3]', 'list(range(6000))'],
	['$1.append($2.v, $2.k).skip(2).toList()', '[1]', 'list(range(6000))'],
	['$1.set(q, $1.q.skip(1).toList() + $2.t).set(n, $1.q.len())', '{q => [1, 2]}', '{q => list(range(9000))}'],
	['{q => ($1.q + [$2.v]).skip(1).toList(), n => $1.n + $1.q[0]}', '{q => [1, 2], n => 0}', '{q => list(range(6000)), n => 0}'],
	['$1 + set($2.id)', 'set(a)', 'range(6000).toSet()'],
	['$1 + $2.t.toSet() + set($2.v)', 'set()', 'range(6000).toSet()'],
);
my @same = ( # that others see
	['$1.set(old, $1.delete(old)).delete(a)', '{a => 1}'], ['$1.set($2.k, $1.len()).delete(a)', '{}'], ['$1.skip(0).toList() + [$1.len()]', '[]'],
	['$1.skip(50).toList() + $2.t', '[1]'], ['[$1.skip(1).toList(), $1].select($.len())', '[1, 2]'], ['$1 + $1', 'set(1)'],
	['{a => $1.a.skip(1).toList() + [$2.v], b => $1.a}', '{a => [1, 2], b => []}'],
);
for (@folds, @same) {
	my ($lambda, $start) = @$_;
	my ($rc, $got, $err) = vetro({ in => $items->(40) }, 'query', '-c',
		"let(s => $start) -> [\$.aggregate($lambda, \$s), \$.accumulate($lambda, \$s).last(), \$s]");
	my ($whole, $steps, $first) = $rc == 0 ? map { $json->encode($_) } @{ $json->decode($got) } : ();
	ok($rc == 0 && $whole eq $steps, "$lambda from $start", $whole, $steps, $err);
	is($first, $json->encode($json->decode((vetro({ in => '1' }, 'query', '-c', $start))[1])), 'what it begins with stays');
}
# delete() gives a dict that cannot be hashed, set() one that can.
for (['$1.set(b, 1).delete(b)', 0], ['$1.delete(a).set(b, 1)', 1], ['switch($2.id = 39 => $1.delete(a), true => $1.set(a, 1))', 0],
	['switch($2.id = 39 => $1.set(a, 1), true => $1.delete(a))', 1]) {
	my ($lambda, $hashed) = @$_;
	my ($rc) = vetro({ in => $items->(40) }, 'query', '-c', "set(\$.aggregate($lambda, {})).len()");
	is($rc == 0 ? 1 : 0, $hashed, "$lambda: may it be a member?");
}
for (@folds) {
	my ($lambda, undef, $start) = @$_;
	skip(1, 'nobody counts instructions here') && next if !counts_instructions();
	my ($least, $few, $all) = map {
		my $file = "$W/$_.json";
		spew($file, $items->($_)) if !-e $file;
		instructions("$vetro query -c '\$.aggregate($lambda, $start).len()' $file")
	} 500, 1500, 5500;
	ok($few > $least && $all - $few < 6.5 * ($few - $least), "$lambda: linear", "$least instructions for 500, $few for 1,500, $all for 5,500");
}
done();
