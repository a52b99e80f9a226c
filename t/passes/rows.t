#!/usr/bin/perl
# Tuples and records that one stage makes and the next one only reads are handed on as columns: the same as by code, whatever
# they are made of and whoever reads them.  SEEDS='1 2 3' and CASES=500 make others.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;
use Programs;

my $json = JSON::PP->new->utf8->canonical->allow_nonref;
my @seeds = split ' ', $ENV{SEEDS} // '1 2';
my $count = $ENV{CASES} // 400;
my @cases;

sub pick { return $_[int rand @_] }

sub record_of {
	my ($i, $odd) = @_;
	my $r = { a => pick(1, 2, 5, -4, 2.5), b => int rand 6, s => pick('x', 'yy', "Z\x{fc}rich 4", 'a:b', '', ' p '), t => 'k' . int rand 5, i => $i,
		l => [map { int rand 9 } 1 .. rand 4], d => { map { ($_ => int rand 5) } grep { rand() < 0.5 } qw(p q r s) }, o => { x => int rand 3 },
		n => pick(undef, 1, 'w') };
	return $r if !$odd || rand() < 0.98;
	return pick(undef, 5, 'q', [1, 2], {}) if rand() < 0.2;
	my $k = pick(sort keys %$r);
	rand() < 0.5 ? delete $r->{$k} : ($r->{$k} = pick(undef, 'txt', [], {}, [1, [2]]));
	return $r;
}

sub member { # of a record
	return pick('$.b', '$.i', '$.t', '$.s', '$.b', '$.i', '$.i mod 3', '$.s.toUpper()', '$.s + "-" + $.t', '$.n', '$.o.x', '$.b + $.i') if rand() < 0.8;
	return pick('$.a', '$.l.len()', '$.l.sum(0)', '$.a * 2', '$.s.split(" ")[0]', '$.get(zz, 4)', '$.l', '$.d', '$.l.select($ + 1)', '$.d.keys()', '$',
		'switch($.b > 3 => hi, $.b > 1 => mid, true => lo)', 'str($.b)', '[$.b, $.t]', '$.a / $.b', '$.b > 2');
}
my $pairs; # lists, which are no keys
sub of { # what a stage reads of a row: a record with these keys, a tuple of so many, or another value
	my ($row) = @_;
	return '$' if !$row;
	my @m = ref $row ? map { "\$.$_" } @$row : map { "\$[$_]" } 0 .. $row - 1;
	return pick(@m) if rand() < 0.9;
	return pick($pairs ? '$[0]' : '$', '$.len()', ref $row ? ("\$.get($row->[0])", '$.zz') : ('$[9]', '$.last()'));
}
sub value {
	my ($row) = @_;
	my $m = of($row);
	return pick($m, $m, $m, "str($m)", "[$m, " . of($row) . ']', "let(q => $m) -> [\$q]", "coalesce($m, 3)", "isString($m)", "$m = " . of($row))
		if rand() < 0.93;
	return pick("$m + 1", "$m + " . of($row), "$m.len()", "$m.toUpper()", "$m mod 3", "$m.select(\$)");
}
sub truth {
	my ($row) = @_;
	my $m = of($row);
	return pick("$m != null", "$m != x", "$m in [1, 2, k1, x, null]", "not $m", $m, "isString($m) or isNumber($m)", "$m != " . of($row)) if rand() < 0.93;
	return pick("$m > 2", "$m.len() > 1");
}
sub record { my ($of) = @_; my @k = grep { rand() < 0.6 } qw(a b c); @k = 'a' if !@k; return (join(', ', map { "$_ => " . $of->() } @k), \@k) }
sub tuple { my ($of) = @_; my $n = 1 + int rand 3; return (join(', ', map { $of->() } 1 .. $n), $n) }

sub source {
	my ($of, $row) = rand() < 0.5 ? record(\&member) : tuple(\&member);
	return ref $row ? ("\$.select({$of})", $row) : ("\$.select([$of])", $row) if rand() < 0.55;
	return (pick('$.select($.s.split(" "))', '$.select(($.s + " " + $.t).split(" "))', '$.select([$.s + " \x{e9} q", $.b]).select($[0].split(" "))',
		'$.select(("a:b:" + $.t).split(":"))'), pick(1, 2, 3)) if rand() < 0.3;
	return (pick('$.selectMany($.d.items())', '$.select($.d).selectMany($.items())', '$.zip($.skip(1))',
		'$.select(' . member() . ').zip($.select(' . member() . '))', '$.zip($.skip(1).select(' . member() . '), $.where($.b > 1))', '$.enumerate()',
		'$.select(' . member() . ').enumerate(3)', '$.groupBy(' . pick('$.b', '$.t', '$.i mod 7') . pick('', ', ' . member()) . ')',
		'$.toDict(str($.i), $.b).items()'), 2);
}
sub chain {
	my ($s, $row) = source();
	$pairs = $s =~ /enumerate/;
	for (1 .. rand 4) {
		my ($of, $next) = rand() < 0.5 ? record(sub { value($row) }) : tuple(sub { value($row) });
		my $k = rand 10;
		if ($k < 3) { $s .= '.where(' . truth($row) . ')' }
		elsif ($k < 6) { $s .= ref $next ? ".select({$of})" : ".select([$of])"; $row = $next }
		elsif ($k < 7) { $s .= '.select(' . value($row) . ')'; $row = 0 }
		elsif ($k < 9) { $s .= '.groupBy(' . of($row) . pick('', ', ' . value($row), ', 1', ', ' . of($row) . ', [$[0], $[1].len()]') . ')'; $row = 2 }
		else { $s .= pick('.limit(70)', '.skip(3)', $pairs ? '.distinct($[0])' : '.distinct()',
			'.takeWhile(' . truth($row) . ')', '.orderBy(' . of($row) . ')', '.reverse()') }
	}
	return $s . pick('', '', '', '.len()', '.first(null)', '.any(' . truth($row) . ')', '.last(null)', '.limit(3)', '.skip(65).first(null)',
		'.toDict(str(' . of($row) . '))', '.select([$, $]).limit(2)');
}

for my $seed (@seeds) {
	srand $seed;
	my @lists = map { my $odd = $_ % 2; [map { record_of($_, $odd) } 1 .. pick(3, 17, 64, 65, 130, 200)] } 0 .. 7;
	push @cases, { expr => chain(), data => pick(@lists) } for 1 .. $count;
}

my @programs = batch_answers(\@cases, '--jit=memory');
is(scalar @programs, scalar @cases, 'all are answered');
agree_on('rows that are handed on, and rows that are made', \@cases, \@programs, [batch_answers(\@cases, qw(--jit=memory -fno-lambda-programs))]);
my $errors = grep { /"error"/ } @programs;
ok($errors < @cases * 0.7, "most have a value: $errors of " . @cases . ' have none');

# What is in them, in their order.
my $many = [map { { h => "h$_", n => $_ % 7, d => { x => $_, y => 2 * $_ } } } 1 .. 130];
sub gives {
	my ($expr, $expected, $name) = @_;
	spew("$W/many.json", $json->encode($many));
	is_json($json->decode((run_program({}, $vetro, 'query', $expr, "$W/many.json"))[1]), $expected, $name);
}
gives('$.select({k => $.h, n => $.n}).where($.n = 3).skip(17)', [{ k => 'h122', n => 3 }, { k => 'h129', n => 3 }], 'records that a where() behind them reads');
gives('$.select([$.h, $.n]).where($[1] = 0).where($[0] > h7).select($[0])', [qw(h70 h77 h84 h91 h98)], 'two of them, and a tuple');
gives('$.select([$.n, $.h]).groupBy($[0], $[1]).select([$[0], $[1].len(), $[1].last()]).limit(2)', [[1, 19, 'h127'], [2, 19, 'h128']], 'groupBy()');
gives('$.selectMany($.d.items()).groupBy($[0], $[1]).select([$[0], $[1].sum()])', [['x', 8515], ['y', 17030]], 'pairs of items()');
gives('$.zip($.skip(1)).where($[0].n > $[1].n).select($[1].h).limit(2)', [qw(h7 h14)], 'zip()');
gives('$.select($.n).enumerate(5).where($[1] = 6).select($[0]).limit(3)', [10, 17, 24], 'enumerate()');
gives('$.toDict($.h, $.n).items().where($[1] = 2).select($[0]).skip(17)', [qw(h121 h128)], 'items() of a large dict');
gives('$.select(($.h + "-x-" + str($.n)).split("-")).where($[2] = "6").select([$[0], $.len()]).limit(2)', [['h6', 3], ['h13', 3]], 'pieces of a text');
gives('$.select(($.h + "-" + str($.n)).split("-")).where($[1] = "6").limit(1)', [['h6', '6']], 'and all of them');
gives('$.groupBy(str($.n), str($.n)).select({c => $[0], n => str($[1].len())}).groupBy($.c, $.n).limit(2)', [['1', ['19']], ['2', ['19']]],
	'members of rows that are gone');
gives('$.selectMany($.d.items()).where($[1] > 128 and $[0] != y).groupBy($[0], $[1])', [['x', [129, 130]]], 'those of items() that a where() leaves');
gives('$.select([1].select($ + 1)).selectMany($).len()', 130, 'iterators in an iterator');
gives('$.select(range($.n)).selectMany($).groupBy($, 1).select($[1].len())', [112, 93, 74, 55, 36, 18], 'ranges in an iterator');
gives('$.select([$.h, [$.n].select($)]).select($[1].select($)).limit(2)', [[1], [2]], 'what a row has that is an iterator');
gives('$.select($.n).zip($.skip(1).select($.n), $.skip(2).select($.n)).where($[0] < $[1] and $[1] > $[2]).len()', 18, 'iterators of the same list');
gives('let(a => $.limit(60).select($.h), d => $) -> [$a.zip($d.skip(100)).toList().len(), $a.toList().len()]', [30, 29],
	'one that is read by others too stands where the zip left it');
gives('[$].select([$.select($.n).distinct(), $.select($.h.substring(0, 2)).distinct(), $.select([$.n]).distinct().len()])',
	[[[1 .. 6, 0], [map { "h$_" } 1 .. 9], 7]], 'each once, in a list of many');
done();
