#!/usr/bin/perl
# What gives an iterator is read once, also where a program of steps would make lists: the answers of python yaql, over a few
# items and over many.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IPC::Open2;
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my $few = { e => [map { { ms => $_ } } 1, 5, 3, 9, 2, 7] };
my $many = { e => [map { { ms => $_ * 7919 % 501 } } 0 .. 299] };

# [expression, what it gives over the few]
my @jobs = (
	['let(m => $.e.select($.ms)) -> $m.zip($m.skip(1))', '[[1,3],[9,2]]'],
	['let(m => $.e.select($.ms).distinct()) -> $m.zip($m.skip(1))', '[[1,3],[9,2]]'],
	['let(m => $.e.select($.ms).distinct()) -> $m.zip($m.limit(2))', '[[1,5],[3,9]]'],
	['let(m => $.e.select($.ms).distinct()) -> $m.zip($m.where($>0))', '[[1,5],[3,9],[2,7]]'],
	['let(m => $.e.select($.ms).distinct()) -> $m.zip($m.enumerate())', '[[1,[0,5]],[3,[1,9]],[2,[2,7]]]'],
	['let(m => $.e.select($.ms).distinct()) -> $m.enumerate().zip($m)', '[[[0,1],5],[[1,3],9],[[2,2],7]]'],
	['let(m => $.e.selectMany([$.ms])) -> $m.zip($m.skip(1))', '[[1,3],[9,2]]'],
	['let(m => $.e.select($.ms).skip(1)) -> $m.zip($m.skip(1))', '[[5,9],[2,7]]'],
	['let(m => $.e.select($.ms).append(1)) -> $m.zip($m.skip(1))', '[[1,3],[9,2],[7,1]]'],
	['let(m => $.e.select($.ms).slice(1)) -> $m.zip($m.skip(1))', '[[[1],[3]],[[9],[2]]]'],
	['let(m => $.e.select($.ms).distinct()) -> $m.skip(1).zip($m)', '[[5,3],[9,2]]'],
	['let(m => $.e.select($.ms).distinct()) -> $m.zip($m.distinct())', '[[1,5],[3,9],[2,7]]'],
	['let(m => $.e.select($.ms).distinct()) -> $m.distinct().zip($m)', '[[1,5],[3,9],[2,7]]'],
	['let(m => $.e.select($.ms).distinct()) -> $m.zip([1,2,3]).zip($m)', '[[[1,1],5],[[3,2],9],[[2,3],7]]'],
	['let(m => $.e.select($.ms).distinct()) -> $m.zip($m.concat([1]).distinct())', '[[1,5],[3,9],[2,7]]'],
	['let(m => $.e.select($.ms).where($ > 3)) -> $m.zip($m.zip($m))', '[[5,[9,7]]]'],
	['let(m => $.e.select($.ms).where($ > 3)) -> $m.zipLongest($m.skip(3))', '[[5,null]]'],
	['let(m => $.e.select($.ms).where($ > 3)) -> $m.concat($m.skip(3))', '[5,9,7]'],
	['let(m => $.e.select($.ms).distinct()) -> $m.concat($m.limit(3), $m)', '[1,5,3,9,2,7]'],
	['let(m => $.e.select($.ms).distinct()) -> $m.limit(2).concat($m.limit(3), $m)', '[1,5,3,9,2,7]'],
	['let(m => $.e.select($.ms).distinct()) -> $m.select([$, $m.first(0)])', '[[1,5],[3,9],[2,7]]'],
	['let(m => $.e.select($.ms).distinct()) -> $m.limit(5).selectMany([$, $m.first(0)])', '[1,5,3,9,2,7]'],
	['let(m => $.e.select($.ms).distinct()) -> $m.join($m, true, [$1,$2])', '[[1,5],[1,3],[1,9],[1,2],[1,7]]'],
	['let(m => $.e.select($.ms).distinct()) -> [$m.takeWhile($ < 400).toList(), $m.toList()]', '[[1,5,3,9,2,7],[]]'],
	['let(m => $.e.select($.ms).distinct()) -> [$m.any($ > 100), $m.toList()]', '[false,[]]'],
	['let(m => $.e.select($.ms).distinct()) -> [$m.skip(2).limit(2).toList(), $m.toList()]', '[[3,9],[2,7]]'],
	['let(m => $.e.select($.ms).distinct()) -> [$m, $m]', '[[1,5,3,9,2,7],[]]'],
	['let(m => $.e.select($.ms)) -> [$m, $m]', '[[1,5,3,9,2,7],[]]'],
	['let(m => $.e.select($.ms)) -> [$m.first(), $m]', '[1,[5,3,9,2,7]]'],
	['$.e.limit(2).select(let(s => [1,2,3].select($).distinct()) -> $s.zip($s.skip(1)).select([$[0], $[1]]))', '[[[1,3]],[[1,3]]]'],
	['$.e.limit(2).select(let(s => [1,2,3].select($)) -> $s.zip($s.skip(1)).select([$[0], $[1]]))', '[[[1,3]],[[1,3]]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].select($)) -> [$s.first(), $s.first(), $s])', '[[1,1,[3]],[1,5,[3]]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].distinct()) -> [$s.first(), $s.first(), $s])', '[[1,3,[]],[1,5,[3]]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].orderBy($)) -> [$s.first(), $s.first(), $s])', '[[1,1,[1,1,3]],[1,1,[1,3,5]]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].where($>0)) -> [$s.len(), $s.toList()])', '[[3,[]],[3,[]]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].where($>0).toList()) -> [$s.len(), $s.toList(), $s.zip($s.skip(1))])',
		'[[3,[1,1,3],[[1,1],[1,3]]],[3,[1,5,3],[[1,5],[5,3]]]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].where($>0).limit(2)) -> [$s.sum(), $s.sum(0)])', '[[2,0],[6,0]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].groupBy($ mod 2)) -> [$s.first(), $s.first(0)])', '[[[1,[1,1,3]],0],[[1,[1,5,3]],0]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].zip([1,2,3])) -> [$s.first(), $s.first(0)])', '[[[1,1],[1,2]],[[1,1],[5,2]]]'],
	['$.e.limit(2).select(let(s => {a => $.ms, b => 2}.items()) -> [$s.first(), $s.first(0)])', '[[["a",1],["a",1]],[["a",5],["a",5]]]'],
	['$.e.limit(2).select(let(s => {a => $.ms, b => 2}.keys()) -> [$s.first(), $s.first(0), $s.skip(1)])', '[["a","a",["b"]],["a","a",["b"]]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].reverse()) -> [$s.first(), $s.first(0)])', '[[3,1],[3,5]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].flatten()) -> [$s.first(), $s.first(0)])', '[[1,1],[1,5]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].memorize()) -> [$s.first(), $s.first(0)])', '[[1,1],[1,1]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].insert(0,9)) -> [$s.first(), $s.first(0)])', '[[9,9],[9,9]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].select($).insert(0,9)) -> [$s.first(), $s.first(0)])', '[[9,1],[9,1]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].replace(0,9)) -> [$s.first(), $s.first(0)])', '[[9,1],[9,5]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].concat([9])) -> [$s.first(), $s.first(0), $s])', '[[1,1,[3,9]],[1,5,[3,9]]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3] + [9]) -> [$s.first(), $s.first(0), $s])', '[[1,1,[1,1,3,9]],[1,1,[1,5,3,9]]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].select($) + [9]) -> [$s.first(), $s.first(0), $s])', '[[1,1,[3,9]],[1,5,[3,9]]]'],
	['$.e.limit(2).select(let(s => range(5)) -> [$s.first(), $s.first(0), $s])', '[[0,1,[2,3,4]],[0,1,[2,3,4]]]'],
	['$.e.limit(2).select(let(s => range(5).select($)) -> [$s.first(), $s.first(0), $s])', '[[0,1,[2,3,4]],[0,1,[2,3,4]]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].enumerate()) -> [$s.first(), $s.first(0), $s])', '[[[0,1],[1,1],[[2,3]]],[[0,1],[1,5],[[2,3]]]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].accumulate($1+$2)) -> [$s.first(), $s.first(0), $s])', '[[1,2,[5]],[1,6,[9]]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].takeWhile($<9)) -> [$s.first(), $s.first(0), $s])', '[[1,1,[3]],[1,5,[3]]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].splitWhere($=9)) -> [$s.first(), $s.first(0), $s])', '[[[1,1,3],0,[]],[[1,5,3],0,[]]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].slice(2)) -> [$s.first(), $s.first(0), $s])', '[[[1,1],[3],[]],[[1,5],[3],[]]]'],
	['$.e.limit(2).select(let(s => generate(1, $ < 9, $ + 2)) -> [$s.first(), $s.first(0), $s])', '[[1,3,[5,7]],[1,3,[5,7]]]'],
	['$.e.limit(2).select(let(s => [1,$.ms,3].join([1,3], $1 = $2, $1)) -> [$s.first(), $s.first(0), $s])', '[[1,1,[3]],[1,3,[]]]'],
	['$.e.limit(2).select(let(s => str($.ms).split(",")) -> [$s.first(), $s.first(0), $s])', '[["1","1",["1"]],["5","5",["5"]]]'],
);

my $pid = open2(my $out, my $in, $vetro, 'query', '--batch');

sub answer {
	my ($expr, $data) = @_;
	print $in $json->encode({ expr => $expr, data => $data }), "\n";
	$in->flush;
	my $got = $json->decode(scalar readline($out));
	return exists $got->{value} ? $json->encode($got->{value}) : $json->encode($got->{error});
}

is(answer($_->[0], $few), $_->[1], $_->[0]) for @jobs;

# Over many: what is read in turn, [expression, the same written without an iterator that is shared].
for (
	['let(m => $.e.select($.ms).distinct()) -> $m.zip($m.skip(1))', 'let(l => $.e.ms.distinct().toList()) -> '
		. '[[$l[0], $l[2]]] + range(1, 149).select([$l[$ * 2 + 1], $l[$ * 2 + 2]]).toList()'],
	['let(m => $.e.select($.ms).distinct()) -> $m.zip($m.distinct())', 'let(l => $.e.ms.distinct().toList()) -> '
		. 'range(0, 150).select([$l[$ * 2], $l[$ * 2 + 1]])'],
	['let(m => $.e.selectMany([$.ms])) -> $m.zip($m.select($ + 0))', 'let(l => $.e.ms) -> range(0, 150).select([$l[$ * 2], $l[$ * 2 + 1]])'],
	['let(m => $.e.select($.ms).distinct()) -> [$m.first(), $m.skip(2).limit(2).toList(), $m.len()]',
		'let(l => $.e.ms) -> [$l[0], $l.skip(3).limit(2).toList(), 295]'],
) {
	is(answer($_->[0], $many), answer($_->[1] =~ s/\$\.e\.ms/\$.e.select(\$.ms).toList()/r, $many), "over many: $_->[0]");
}
close $in;
waitpid($pid, 0);
done();
