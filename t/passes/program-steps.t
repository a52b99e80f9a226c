#!/usr/bin/perl
# Random pipelines over random records: lambda programs and code give the same, for all kinds of steps.  SEEDS='1 2 3' and
# CASES=500 make others.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;
use Programs;

my $json = JSON::PP->new->canonical->allow_nonref;
my @seeds = split ' ', $ENV{SEEDS} // '1 2';
my $count = $ENV{CASES} // 350;
my @cases;

sub pick { return $_[int rand @_] }

# ---- records: mostly of one shape, some odd ----

sub word { return pick(qw(disk fan lamp Rack cable x), 'two words', 'a:b:c', ' pad ', '', "stra\x{df}e", "\x{e9}t\x{e9}") }
sub number { return pick(0, 1, 2, 3, 7, 10, 64, -5, 2.5, 0.25, 1e3) }
sub inner { my ($odd) = @_; return { k => word(), n => $odd && rand() < 0.1 ? undef : number(), f => rand() < 0.5 ? JSON::PP::true : JSON::PP::false } }

sub record_of {
	my ($odd) = @_;
	my $r = { id => int rand 1000, a => number(), b => int rand 9, t => word(), u => 'r' . int rand 4,
		d => sprintf('20%02d-0%d-1%dT0%d:00:00Z', rand 30, 1 + rand 9, rand 10, rand 10), l => [map { inner($odd) } 1 .. rand 4],
		w => [map { int rand 9 } 0 .. rand 3], o => { x => number(), y => word() } };
	$r->{q} = word() if rand() < 0.5;
	return $r if !$odd || rand() < 0.8;
	return pick(undef, 5, 'text', [1, 2], {}) if rand() < 0.2;
	$r->{pick(sort keys %$r)} = pick(undef, 'text', 7, [], {}, JSON::PP::true, [1, [2]]);
	delete $r->{pick(sort keys %$r)} if rand() < 0.3;
	return $r;
}

# ---- expressions over `$` of a kind ----

my $depth = 0;
my %make;

sub e {
	my ($kind) = @_;
	$depth++;
	my @of = @{ $make{$kind} };
	@of = @of[0 .. ($#of < 3 ? $#of : 3)] if $depth > 4;
	my $made = pick(@of)->();
	$depth--;
	return $made;
}

%make = (
	int => [sub { '$.b' }, sub { '$.id' }, sub { int rand 20 }, sub { '$.w.len()' }, sub { '$.l.len()' }, sub { e('text') . '.len()' },
		sub { '(' . e('int') . pick(' + ', ' - ', ' * ', ' / ', ' mod ') . e('int') . ')' }, sub { '$.w.sum()' }, sub { '$.w.sum(' . e('int') . ')' },
		sub { '$.w.' . pick('min', 'max') . '(' . pick('', '0') . ')' }, sub { '$.w[0]' }, sub { '$.l.where(' . e('inner') . ').len()' },
		sub { '$.l.where(' . e('inner') . ').select($.k.len()).sum(0)' }, sub { '$.get(b, 3)' }, sub { '$.get(zz, ' . e('int') . ')' },
		sub { 'let(m => ' . e('int') . ') -> $m + $.b' }, sub { 'let(m => $) -> $.w.select($ + $m.b).sum(1)' },
			sub { 'with(' . e('int') . ') -> $ * 2' },
		sub { 'switch(' . e('bool') . ' => ' . e('int') . ', ' . e('bool') . ' => 2, true => ' . e('int') . ')' }, sub { 'coalesce($.get(zz), '
		. e('int') . ', 4)' },
		sub { '$.l.orderBy($.k).first().k.len()' }, sub { 'int(str(' . e('int') . '))' }, sub { 'datetime($.d).' . pick('year', 'day', 'hour') },
		sub { '$.l.select($.k.len()).first(9)' }, sub { '$.l.select($.f).distinct().len()' }, sub { '-$.b' }, sub { '$.o.keys().len()' },
		sub { '$.t.split(" ").' . pick('len', 'count') . '()' }, sub { e('text') . '.split("i").len()' },
		sub { '$.o.items().select($[0].len()).sum(0)' }, sub { '$.o.keys().select($.len()).max(0)' },
		sub { pick('regex("[aeiou]")', 'regex("(l|d)i?")', 'regex("x*")', 'regex("[a-c]+")', '$.t', '" "') . '.split(' . pick('$.t',
			'$.o.y', '$.u') . ').len()' },
		sub { '$.t.split(' . pick('regex("[^a-z]")', '$.u', 'regex("")', 'regex("i(s)")') . ').len()' },
		sub { e('list') . '.' . pick('len()', 'select(str($).len()).sum(0)', 'count()', 'where($ != null).len()',
			'select(isList($)).distinct().len()') },
		sub { e('groups') . '.' . pick('len()', 'where($[0] != fan).select($[1].len()).sum(0)') },
		sub { '$.t.split(":").len()' }, sub { '[' . e('int') . ', 2].sum()' }, sub { 'max($.b, ' . e('int') . ')' }],
	num => [sub { '$.a' }, sub { '$.o.x' }, sub { e('int') }, sub { '1.5' }, sub { '(' . e('num') . pick(' + ', ' - ', ' * ', ' / ') . e('num') . ')' },
		sub { '$.l.select($.n).sum()' }, sub { '$.l.n.sum()' }, sub { '$.l.orderByDescending($.n).first().n' }, sub { '$.l.select($.n * 2).'
		. pick('min', 'max', 'last') . '()' }],
	text => [sub { '$.t' }, sub { '$.u' }, sub { '"lit"' }, sub { '$.o.y' }, sub { '$.get(q, none)' }, sub { '$.t.toUpper()' }, sub { e('text')
		. '.toLower()' },
		sub { '(' . e('text') . ' + ' . e('text') . ')' }, sub { '$.t.split(":")[0]' },
		sub { '$.t.split(' . pick('" "', '"i"', '"is"') . ').' . pick('first', 'last') . '()' },
		sub { e('text') . '.split(' . pick('" "', '"i"', '"an"') . ').' . pick('limit(2)', 'skip(1)', 'take(3).skip(1)',
			'skip(2).limit(1)', 'limit(0)')
			. '.join(' . pick('" "', '"i"', '"-"') . ')' },
		sub { e('text') . '.trim()' }, sub { e('text') . '.substring('
		. int(rand 4) . pick('', ', 2') . ')' },
		sub { '$.t.replace(' . pick('"a", "b"', '"is", "-"') . ')' }, sub { '$.t.split(" ").join("_")' }, sub { '"{0}/{1}".format(' . e('text') . ', '
		. e('int') . ')' },
		sub { 'str(' . e('num') . ')' }, sub { '$.l.select($.k).join(",")' }, sub { '$.l.where($.f).select($.k.toUpper()).first("-")' },
		sub { '$.d.substring(0, 7)' },
		sub { 'switch(' . e('bool') . ' => ' . e('text') . ', true => ' . e('text') . ')' }, sub { '$.q?.toUpper()' }, sub { '$.get(q)?.len()' }],
	bool => [sub { '$.b > 4' }, sub { '$.t = ' . e('text') }, sub { 'true' }, sub { e('int') . pick(' < ', ' <= ', ' > ', ' >= ', ' = ',
		' != ') . e('int') },
		sub { '(' . e('bool') . pick(' and ', ' or ') . e('bool') . ')' }, sub { 'not ' . e('bool') }, sub { '$.get(q) != null and $.q.len() > 2' },
		sub { '$.l.any(' . e('inner') . ')' }, sub { '$.l.all(' . e('inner') . ')' }, sub { '$.b in [1, 2, 3]' }, sub { '$.t in $.l.select($.k)' },
		sub { '$.u in [r1, r2]' },
		sub { '"words" in $.t.split(" ")' }, sub { '$.t =~ "^[a-r]"' }, sub { '$.t.startsWith("l")' }, sub { e('text') . '.endsWith("k")' },
		sub { e('num') . ' > ' . e('num') },
		sub { '$.l.where(' . e('inner') . ').any()' }, sub { '$.o.x > 2 and $.o.y != x' }, sub { '$.w.contains(3)' }, sub { 'isNumber($.a)' }],
	inner => [sub { '$.f' }, sub { '$.n > 2' }, sub { '$.k.len() > 3' }, sub { '$.k.toUpper() = FAN' },
		sub { '$.n != null and $.n < 9' }, sub { 'not $.f' }],
	edit => [sub { 'replace(' . pick(0, 1, 2, 9) . ', ' . pick('$.b', '$.t', 'null', '[1]') . pick('', ', 2', ', 0', ', -1') . ')' },
		sub { 'delete(' . pick(0, 1, 5) . pick('', ', 2', ', 0', ', -1') . ')' },
		sub { 'insert(' . pick(0, 1, 2, 30, -1) . ', ' . pick('$.b', 'x') . ')' },
		sub { 'insertMany(' . pick(0, 1, 9, -2) . ', ' . pick('$.w', '[$.t, 1]', '$.l.select($.k)', '$.w.where($ > 3)', '[]') . ')' },
		sub { 'replaceMany(' . pick(0, 1, 4) . ', ' . pick('$.w', '$.l.select($.n)', '[7, 8]') . pick('', ', 2', ', -1') . ')' },
		sub { 'append(' . pick('1', '$.t, $.b', 'null', '$.o') . ')' },
		sub { 'concat(' . pick('$.w', '$.l, $.w', '$.w.select($ + 1)', '$.o.keys()') . ')' },
		sub { 'defaultIfEmpty(' . pick('[0]', '$.w', '$.l.select($.k)') . ')' }, sub { 'slice(' . pick(1, 2, 3, '$.b', 0) . ')' },
		sub { 'enumerate(' . pick('', 1, -3, '$.b') . ')' },
		sub { 'zip(' . pick('$.w', '$.l', '$.l.skip(1)', '$.w.select($), $.l', '$.o.values()') . ')' },
		sub { pick('distinct()', 'reverse()', 'skip(1)', 'limit(2)', 'toList()', 'where($ != null)') }],
	set => [sub { pick('$.w', '$.l.select($.k)', '$.l.select($.n)', '$.l', '$.o.keys()', '$.t.split(" ")', '[$.b, 1]') . '.toSet()' }],
	setuse => [sub { '.' . pick('len()', 'orderBy($)', 'orderBy($).join(",")', 'toList()', 'where($ != null)', 'select(str($).len()).sum(0)',
		'first(null)', 'union(set(1, 2)).len()',
			'contains($.b)', 'any($ = 3)', 'insert(0, 1)', 'append(1)', 'reverse()', 'distinct().len()', 'add(7).len()',
				'intersect($.w.toSet()).len()', 'keys()', 'max(0)',
			'skip(1)', 'replace(0, 5)', 'toSet().len()', 'sum(0)', 'unpack(x, y) -> [$x, $y]', 'groupBy($)', 'enumerate()') }],
	sets => [sub { e('set') . e('setuse') }, sub { e('set') . e('setuse') }, sub { '[' . e('set') . '.len(), isSet(' . e('set') . ')]' },
	sub { '$.b in ' . e('set') },
		sub { e('set') . ' ' . pick('=', '>', '<=', '-',
			'!=') . ' ' . e('set') }, sub { '{s => ' . e('set') . '}.s.len()' }, sub { 'let(s => ' . e('set') . ') -> [$s.len(), $s.orderBy($)]' },
		sub { e('set') . pick('', '', ' + [1]') . '.len()' }, sub { 'isList(' . e('set') . ')' }],
	list => [sub { '$.w.' . e('edit') }, sub { '$.l.' . e('edit') }, sub { '$.l.select($.k).' . e('edit') }, sub { e('list') . '.' . e('edit') },
		sub { '(' . pick('$.w', '$.l', '[$.b]', '$.w.select($ + 1)') . ' + ' . pick('$.l.select($.n)', '$.w.skip(1)', e('list')) . ')' },
		sub { '$.l.orderBy(' . pick('$.k', '$.n', '$.f') . ').thenBy' . pick('', 'Descending') . '(' . pick('$.k', '$.n', 'str($)', '$.k.len()') . ')'
			. pick('', '.thenBy($.n)', '.select($.k)', '.limit(2)', '.first(null)', '.toList()') }, sub { e('groups') }],
	groups => [sub { '$.l.groupBy(' . pick('$.k', '$.n', '$.f', '[$.f, $.k]', '$.k.len()', '$') . pick('', ', $.n', ', $.k', ', 1', ', [$.k]') . ')' },
		sub { '$.w.groupBy($ mod 3' . pick('', ', $', ', str($)') . ')' },
		sub { '$.l.groupBy(' . pick('$.k', '$.f') . ', ' . pick('$.n', '1', '$.k', '$') . ', '
			. pick('[$[0], $[1].len()]', '[$[0], $[1].sum()]', '$.len()', '[$.len(), $.first(null)]', '$.distinct().len()',
				'[$[0], $[1].distinct().len()]', '$[1]') . ')' },
		sub { '$.w.groupBy($ > 4, $, ' . pick('$.sum()', '[$[0], $[1].max()]', '$.where($ > 2).len()', '[$[0], $[1]]') . ')' }],
	any => [sub { e('list') }, sub { e('list') }, sub { e('sets') }, sub { e('int') }, sub { e('text') }, sub { e('bool') }, sub { e('num') },
	sub { '[' . e('any') . ', ' . e('any') . ']' },
		sub { '{p => ' . e('any') . ', q => ' . e('any') . '}' },
		sub { '$' }, sub { '$.l' }, sub { '$.set(z, ' . e('int') . ')' }, sub { '$.delete(l, w, ' . pick('t', 'zz') . ')' }, sub { '$.l.select('
		. pick('$.k', '[$.n, $.k]', '$.n') . ')' },
		sub { '$.l.where(' . e('inner') . ').select($.k)' }, sub { '$.o.items().select($[0])' }, sub { 'dict(g => ' . e('any') . ')' },
		sub { '$.missing' }, sub { '$.t / 2' }, sub { e('dict') }, sub { e('dict') },
		sub { '$.o.items().where($[1] != null and $[0] != ' . pick('x', '$[1]') . ').select('
			. pick('$[1]', '{k => $[0], v => $[1]}', '$', '[$[1], $]') . ')' },
		sub { '$.o.items().' . pick('where($[0] = y).len()', 'select($[1]).first()', 'skip(1).select($[0]).toList()', 'any($[1] = 2)') },
		sub { '$.w.toSet() ' . pick('>', '>=', '<', '<=') . ' set(' . pick('3', '1, $.b', '') . ')' }],
	dict => [sub { 'dict($.l.select([$.k, ' . pick('$.n', '$.f', '$') . ']))' }, sub { '$.l.toDict($.k)' }, sub { '$.l.toDict($.n, $.k)' },
		sub { '$.o.items().where($[1] != null).toDict($[0], ' . pick('$[1]', '$') . ')' }, sub { 'dict($.o.items().where($[0] != x))' },
		sub { 'let(m => $) -> dict($.l.where(' . e('inner') . ').select([$.k, $m.b]))' }, sub { 'dict($.l.select($.k.split(":")))' },
		sub { 'dict($.o.items().select([$[0].toUpper(), $[1]]))' }, sub { 'dict($.w.select([$, ' . pick('$, 1', '1') . ']))' },
		sub { '$.w.toDict(' . pick('$', '$ mod 2', '[$]', '$.missing') . ', str($))' }, sub { 'dict($.w)' }],
);

sub stages {
	my $s = '';
	$s .= pick(sub { '.where(' . e('bool') . ')' }, sub { '.where(' . e('bool') . ')' },
	sub { '.select($.set(b, ' . e('int') . '))' })->() for 1 .. rand 3;
	return $s;
}
sub ending {
	return pick(sub { '.select(' . e('any') . ')' }, sub { '.select(' . e('any') . ')' }, sub { '.select(' . e('int') . ').sum(0)' },
		sub { '.select(' . e('num') . ').' . pick('min', 'max') . '(0)' },
		sub { '.groupBy(' . e('any') . ', ' . e('any') . ')' }, sub { '.groupBy(' . e('text') . ', 1).select([$[0], $[1].len()])' },
			sub { '.groupBy(' . e('text') . ', ' . e('int') . ', [$[0], $[1].' . pick('sum', 'len',
		'max', 'distinct().len') . '()])' },
		sub { '.groupBy(' . e('text') . ', ' . e(pick('int', 'num', 'text')) . ', '
			. pick('[$[0], $[1].len()]', '$.len()', '$.sum()', '[$.min(), $.max()]',
			'$.first()', '$[0]', '[$[1], $[0]]', '{n => $.len()}', '$[1].distinct()') . ')' . pick('', '.len()', '.limit(3)', '.orderBy($[0])') },
		sub { '.enumerate().select($[0]).' . pick('limit(9)', 'skip(1)', 'skip(1).limit(5)', 'limit(3).len()', 'distinct()', 'reverse().limit(4)') },
		sub { '.enumerate().select([$[0], $[1].' . pick('b', 't', 'id') . '])' . pick('', '.limit(70)', '.first(null)', '.len()') },
		sub { '.limit(' . pick(3, 70, 64, 500) . ').select(' . e('any') . ')' },
		sub { '.skip(' . pick(0, 3, 70) . ').select(' . e('int') . ').sum(0)' },
		sub { '.select($.w.select($)).sum([])' . pick('', '.len()', '.limit(9)') },
		sub { '.select({a => ' . e('int') . '}[' . pick('a', 'b', '$.t') . '])' },
		sub { '.select({fan => 1, lamp => 2, "3" => 4, 5 => 6}[' . pick('$.b', '$.l.select($.k).first(fan)', '$.t', '$.l[0].k') . '])' },
		sub { '.distinct(' . e(pick('int', 'text')) . ').' . pick('len()', 'first(null)', 'limit(2)') },
		sub { '.select("{0}-{1}".format(' . e('text') . ', ' . e('int') . '))' },
		sub { pick('.where(' . e('bool') . ')', '', '.selectMany($.l)') . '.select(' . pick(e('any'), '{a => ' . e('any') . '}',
			'[' . e('int') . ', 1]') . ').len()' },
		sub { '.where(' . e('bool') . ').limit(' . pick(3, 70) . ').len()' },
		sub { '.orderBy(' . e(pick('int', 'text', 'num')) . ').select($.id)' }, sub { '.orderByDescending(datetime($.d)).thenBy(' . e('int')
		. ').select($.id).limit(9)' },
		sub { '.selectMany($.l).select(' . pick('$.k', '$.n', '[$.k, $.f]') . ')' }, sub { '.selectMany(let(m => $) -> $.l.where(' . e('inner')
		. ').select([$m.b, $.k]))' },
		sub { '.selectMany($.o.' . pick('keys', 'values', 'items') . '()).len()' }, sub { '.select(' . e('any') . ').distinct()' }, sub { '.distinct('
		. e('text') . ').select($.id)' },
		sub { '.selectMany($.w).groupBy($, 1, [$[0], $[1].len()]).orderBy($[0])' }, sub { '.toDict($.id, ' . e('any') . ')' }, sub { '.any('
		. e('bool') . ')' }, sub { '.all(' . e('bool') . ')' },
		sub { '.aggregate($1 + ' . pick('$2.b', '$2.w.len()', '$2.get(b, 2)') . ', 0)' }, sub { '.takeWhile(' . e('bool') . ').len()' },
		sub { '.aggregate(switch(' . e('bool') =~ s/\$(?=\.)/\$2/gr . ' => $1 + ' . e('int') =~ s/\$(?=\.)/\$2/gr . ', true => $1), 0)' },
		sub { '.accumulate($1 + ' . e(pick('int', 'text', 'num')) =~ s/\$(?=\.)/\$2/gr . pick(')', ', 1)', ', "")')
			. pick('', '.limit(70)', '.len()') },
		sub { '.select({b => ' . e('int') . ', l => $.l' . pick('.select($.k)', '.where(' . e('inner') . ')', '.select($.k).where($ != x)') . '})'
			. pick('.orderBy($.b)', '.where($.b > 3)', '.orderByDescending($.b).limit(5)', '.toDict($.b, $.l)', '.slice(3)',
			'.select([$.l.len()])', '.select($.l.toList().len())', '.select([$.l, $.l])',
			'.orderBy($.b).select($.l.select($))', '.len()', '.selectMany($.l)') },
		sub { '.select($.set(l, $.l.select(' . pick('$.k', '$.n', '$') . '))' . pick('', '.delete(w)', '.set(w => $.w.where($ > 2))') . ')'
			. pick('', '.orderBy($.id)', '.where($.b > 2)', '.selectMany($.l)', '.select([$.l, $.l])') },
		sub { '.select($.set(w => $.w.select($ * 2), z => 1))' . pick('', '.orderBy($.id)', '.select($.w.len())', '.selectMany($.w)') },
		sub { '.aggregate($1.set($2.u, $1.get($2.u, 0) + $2.' . pick('a', 'b', 'o.x') . '), {})' },
		sub { '.select([$.id, $.w.select($ + 1), $.w.where($ > 2)])' . pick('', '.orderBy($[0])', '.where($[0] > 500)', '.last([])') },
		sub { '.select(' . e(pick('int', 'text', 'any')) . ').slice(' . pick(1, 3, 7, 64, 200) . ')'
			. pick('', '.select($.len())', '.limit(2)', '.last([])') },
		sub { '.where(' . e('bool') . ').select(' . e('any') . ').last(null)' },
		sub { '.orderBy(' . e('int') . ')'
			. pick('.aggregate($1 + $2.b, 0)', '.toDict($.id, $.t)', '.selectMany($.w)', '.distinct($.u)', '.slice(9).select($.len())',
			'.groupBy($.u, $.b)', '', '.select($.w.select($))', '.skip(2).limit(3)', '.first(null)', '.last(null)') },
		sub { '.first(null)' }, sub { '.select(' . e('any') . ').limit(70)' })->();
}
sub joined {
	my $on = pick('$1.u = $2.u', '$1.b = $2.w.len()', '$1.t.toUpper() = $2.t.toUpper()', '[$1.u, $1.b] = [$2.u, $2.b]', '$2.b = $1.b',
		'$1.o.y = $2.t', '$1.a = $2.a');
	$on = pick('$1.b > $2.b', '$1.b > $2.b and $1.b < $2.id', '$1.a < $2.a', '$1.t < $2.t and $2.b > 3') if rand() < 0.2;
	$on .= ' and ' . pick('$1.b > $2.b', '$2.id > 100', '$1.l.len() != $2.l.len()', '$1.t != $2.t and $2.b > 1', '$1.a < $2.a') if rand() < 0.6;
	my $right = pick('$', '$.limit(20)', '$.where($.b > 2)', '$.orderBy($.id)',
		'$.select({u => $.u, b => $.b, t => $.t, w => $.w, a => $.a, id => $.id, l => $.l})', '$.limit(0)', '$.toDict($.id).values()');
	return pick('$', '$', '$.where($.b < 7)') . ".join($right, $on, " . pick('[$1.id, $2.id]', '[$1.id, $2.b / 2]',
		'{i => $1.o.x + $2.w.len()}', '{i => $1.id, t => $2.t}', '$1.b + $2.b', '$2',
		'$1.l.select($.k)') . ')' . pick('', '', '.len()', '.limit(3)');
}

# Functions that call themselves, over trees that are made of the records; some branches end in what no program is for.
sub tree_of {
	my ($deep, $odd) = @_;
	my $t = { n => int rand 9, s => word(), kids => [map { tree_of($deep - 1, $odd) } 1 .. ($deep > 0 ? rand 4 : 0)] };
	$t->{n} = pick(undef, 'text', 2.5) if $odd && rand() < 0.05;
	$t->{kids} = pick(undef, 'x', {}) if $odd && rand() < 0.03;
	return $t;
}
sub recursive {
	my $step = pick('[$.s] + $.kids.selectMany(f($))', '$.kids.selectMany(f($)) + [$.n]', '[$.n] + $.kids.where($.n > 2).selectMany(f($))',
		'$.n + $.kids.select(f($)).sum(0)',
		'max($.n, $.kids.select(f($)).max(0))', 'switch($.kids.any() => $.kids.selectMany(f($)), true => [$.s])', '1 + $.kids.select(f($)).max(0)',
		'switch($.n = 3 => [$.n], true => [$.n] + $.kids.selectMany(f($)).distinct())',
			'switch($.kids.len() > 2 => $.kids.select(f($)), true => $.n)',
		'{n => $.n, k => $.kids.select(f($)).toList()}', 'switch($.n > 6 => $.s, true => $.kids.select(f($)).join("+"))',
			'$.kids.orderBy($.n).thenBy($.s).select(f($)).first($.s)');
	my $use = pick('f($)', 'f($).len()', '[$.n, f($)]', 'f($).toList()', 'f($).where($ != 3).len()', 'f($) + [1]', '{a => f($), b => $.n}',
		'let(x => f($)) -> [$x, $x]');
	return "def(f, $step) -> \$." . pick("select($use)", "where(\$.n > 3).select($use)", 'selectMany(f($))', "select($use).len()");
}
sub counted {
	my $step = pick('switch($1 < 1 => 0, true => 1 + f($1 - $2, $2))', 'switch($1 < 1 => [], true => [$1] + f($1 - $2, $2))',
		'switch($1 = null => 0, $1 > 20 => f($1 / 2, $2), true => $1 + $2)', 'switch($2 < 1 => $1, true => f($1 + $2, $2 - 1))');
	return "def(f, $step) -> \$.select(f(" . pick('$.b', '$.id', '$.a', '$.l.len()') . ', ' . pick('1', '2', '$.w[0] + 1', '3') . '))';
}

for my $seed (@seeds) {
	srand $seed;
	for my $odd (0, 0, 1) {
		my $trees = [map { tree_of(4, $odd) } 1 .. pick(2, 9, 80)];
		push @cases, { expr => recursive(), data => $trees } for 1 .. $count / 25;
	}
	my @lists = map { my $odd = $_ % 2; [map { record_of($odd) } 1 .. pick(3, 40, 130)] } 0 .. 5;
	for my $i (1 .. $count) {
		my $expr = rand() < 0.2 ? joined() : rand() < 0.03 ? counted() : '$' . stages() . ending();
		push @cases, { expr => $expr, data => $lists[rand @lists] };
	}
}

# Folds change in place what they have made so far, and nothing that somebody else has.
for my $fold ('$1.set($2.id, $2.b)', '$1.set($2.t.toUpper(), $1.len() + $2.w.len())', '$1.set($2.u, [$1.get($2.u), $2.t.split(" ")[0]])',
	'switch($1.len() > 4 => $1, $2.b > 2 => $1.set($2.b, $1.get($2.b, "") + $2.t), true => $1.set(n, $1.len()))', '{a => $1.get(a, 0) + $2.b, b => $2.t}',
	'$1.set($2.u, $1.get($2.u, 0) + $2.b)', '$1 + {$2.id => $2.b}', '$1.set($2.u, $1)',
	'$1.set(len($1), $2.b).set(a, len($1))',
	'switch($2.b > 3 => $1.set($2.id, 1), true => $1)', '{a => $1.set($2.id, 1), b => $1.len()}', '$1.set(n, [1, 2].aggregate($1 + $2, $2))',
		'dict($1.items()).set($2.id, 1)',
	'[$1.set($2.id, 1), $1][int($2.b > 4)]', 'let(x => $1) -> $x.set($2.id, 1)', '$1.set({$2.u => $2.id, z => $1.get(z, 0) + 1})') {
	push @cases, { expr => "let(s => {z => 0}) -> [\$.aggregate($fold, \$s), \$.aggregate($fold, {}), \$s, \$.limit(3).aggregate($fold, {})]", data => $_ }
		for [map { record_of(0) } 1 .. 30];
	push @cases, { expr => "\$.accumulate($fold, {})", data => [map { record_of(0) } 1 .. 9] };
}
for my $fold ('[$1.len(), $2.b]', '$1 + [$2.t.trim() + "!"]', '[$1, $2.b].flatten().limit(3).toList()',
	'$1.replace(0, $2.b).toList()', 'switch($1.len() > 3 => $1.replace($1.len() - 1, [$1.last(), $2.b]).toList(), true => $1 + [$2.w])',
	'$1.replace($2.b, $2.id).toList()', '$1.replace(1, $1).toList()', '$1.replace(0, $1.last()).toList() + [$2.b]', '[$1.replace(0, 7).toList(), $1]',
	'$1.replace(0, $2.t)', '$1.replace(0, [$1.first(), $2.a + 0.5]).toList()', '$1.toList() + [$2.b]',
	'$1 + [$2.id]', '$1 + $1', '$1 + [$1.len()]', '[$2.id] + $1', '$1 + $2.w', '$1 + [$1]', '[$1 + [1], $1.len()]', '$1.select($) + [$2.id]') {
	push @cases, { expr => "let(s => [1, 2]) -> [\$.aggregate($fold, \$s), \$.aggregate($fold, []), \$s]", data => [map { record_of(0) } 1 .. 12] };
}
# Changes of what lies in $1, of what lies in that, and reads of either before and behind them.
sub fold_key { return pick('$2.u', '$2.b', 'x', 'y', '$2.t', '0', '$1.len()', '$2.id mod 3') }
sub fold_read { return pick('$1.get(' . fold_key() . ')', '$1.len()', '$1.get(x, [])', '$1.values().last()', '$1', '$1.get(y, "-")', '$1.get(x, {}).get(y)') }
sub fold_item { return pick('$2.b', '$2.t', '$2.id', '[$2.b]', '[]', '$2.w', '1', '"text "', '"a long text " * 30', '{x => $2.b}', fold_read()) }
sub fold_list { return '[' . join(', ', map { fold_item() } 1 .. pick(0, 1, 1, 2)) . ']' }
sub changed { # of what stands at $at, which is a dict, a list, a text or a number
	my ($at, $kind, $deep) = @_;
	return "$at + " . pick('$2.t', '","', fold_item()) . pick('', '', ' + $2.t') if $kind eq 'text';
	return "$at + " . pick(fold_list(), fold_list(), '$2.w', fold_item()) . pick('', '', ' + ' . fold_list()) if $kind eq 'list';
	return "$at + " . pick('1', '$2.b', '$2.a', fold_item()) if $kind eq 'number';
	my $made = $at;
	for (1 .. pick(1, 1, 1, 2, 3)) {
		my $key = fold_key();
		my ($in, $start) = @{ pick(['dict', '{}'], ['list', '[]'], ['text', '""'], ['number', '0'],
			['list', '[7]'], ['dict', '{y => 1}']) };
		my $below = rand() < 0.8 ? "$at.get($key, $start)" : "$at.get(" . fold_key() . ", $start)";
		$made .= pick(".set($key, " . fold_item() . ')', $deep ? (".set($key, " . changed($below, $in, $deep - 1) . ')') x 3 : (),
			' + {' . pick('x', 'y') . ' => ' . fold_item() . '}');
	}
	return $made;
}
for my $seed (@seeds) {
	srand $seed + 1000;
	for (1 .. $count / 2) {
		my ($kind, $start) = @{ pick(['dict', '{}'], ['dict', '{}'], ['list', '[]'], ['text', '"t"'], ['text', '"a long text" * 40'],
			['pair', '[{}, []]'], ['record', '{n => [], m => {}}']) };
		my $of = $kind eq 'pair'
			? '[' . changed('$1[0]', 'dict', 1) . ', ' . pick(changed('$1[1]', 'list', 0), '$1[1]', '$1[0]') . ']'
			: $kind eq 'record' ? '{n => ' . changed('$1.n', 'list', 0)
				. ', m => ' . pick(changed('$1.m', 'dict', 1), '$1.m', '$1') . '}'
			: changed('$1', $kind, 2);
		$of = 'switch(' . pick('$2.b > 3', '$1.len() < 5', '$2.id mod 2 = 0') . " => $of, true => "
			. pick('$1', changed('$1', $kind, 1), $start) . ')'
			if $kind !~ /pair|record/ && rand() < 0.3;
		push @cases, { expr => "let(s => $start) -> [\$.aggregate($of, \$s), \$s, \$.accumulate($of, \$s).toList()]",
			data => [map { record_of(0) } 1 .. pick(4, 9, 12)] };
	}
}
# What is pulled again behind an error runs code that raises and catches.
push @cases, { expr => '$.select($.set(b, $.w.groupBy($ > 4, $, [$[0], $[1]]).select($[1].len()).sum(0))).groupBy($.t, 1)', data => [({ w => [7] }) x 2] };
# A member of a list is an iterator, made anew wherever it is written; what let() binds is one.
push @cases, { expr => "\$.select($_)", data => [map { my $n = $_; [map { { a => $_ * $n % 5, b => { c => $_ } } } 1 .. $n % 4] } 1 .. 90] }
	for '[$.a.len(), $.a.toList()]', 'let(x => $.a) -> [$x.len(), $x.toList()]', '[$.a, $.a]', 'let(y => $) -> [1, 2].select($ + $y.a.len())',
	'let(y => $) -> [1, 2].select([$, $y.a.toList()])', '{n => $.a.sum(0), m => $.a.max(0)}', '$.a.where($ > 1).len() + $.a.len()',
	'switch($.a.len() > 1 => $.a.first(), true => $.a.last(0))', 'let(y => $) -> $.where($.a = $y.a.max()).len()',
	'[$.b.c, $.b.c.toList()]', '[$?.a, $?.a]';
# Longer than anything may be nested.
push @cases, { expr => "range(20000).select([\$, 1].select(\$)).sum([]).$_", data => [] } for 'len()', 'limit(5)', 'sum()';
push @cases, { expr => 'let(c => [1].select($) + [2].select($)) -> [[[3].select($), [4]].sum($c), $c.toList()]', data => [] };
push @cases, { expr => $_, data => [map { record_of(0) } 1 .. 30] } for 'let(s => [9]) -> [$.select([$.id, $.b]).sum($s), $s, $.select([$.id]).sum([])]',
	'let(s => {a => 1}) -> [$.select({$.u => $.id}).sum($s), $s, $.select({$.u => $.id}).sum()]', 'let(l => $.select([$.id]).toList()) -> [$l.sum(), $l]',
	'let(l => $.select({$.u => $.b}).toList()) -> [$l.sum(), $l, $l.sum({})]', '$.w.sum()', '$.w.sum([])';

programs_agree(\@cases, 1 / 4);
done();
