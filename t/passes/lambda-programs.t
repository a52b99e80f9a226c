#!/usr/bin/perl
# Lambdas as programs, worked out for many items at a time: the same answers as the code of the lambdas, whatever the items
# are and wherever the odd one among them stands; orders, groups, pairs and expressions as well.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Math::BigInt;
use Tap;
use Programs;

my $json = JSON::PP->new->canonical->allow_nonref->allow_bignum;
my @cases;

sub record_of {
	my ($i) = @_;
	my @words = qw(disk fan lamp rack cable switch Tray BOARD);
	return { id => $i, cpu => 1 + $i * 7 % 13, mem => 256 * ($i * 11 % 17), name => sprintf('srv-%03d', $i * 37 % 101),
		region => 'r' . $i % 5, text => join(' ', map { $words[($i * $_ + 3) % 8] } 1 .. 1 + $i % 7),
		sub => { v => $i % 3, w => [$i, $i + 1] }, tags => [map { "t$_" } 0 .. $i % 4] };
}

# What may stand among records: each is put in front, at the end, and where pieces of 64 meet.
my %odd = (
	number => sub { 5 },
	null => sub { undef },
	text => sub { 'text' },
	keys => sub { my $r = record_of(4); delete $r->{$_} for qw(text mem); $r->{other} = 1; $r },
	order => sub { my $r = record_of(9); return { zz => 1, %$r } },
	float => sub { return { %{ record_of(3) }, cpu => 1.5, mem => 0.25 } },
	big => sub { return { %{ record_of(3) }, cpu => Math::BigInt->new('4611686018427387903'), mem => Math::BigInt->new('9223372036854775808') } },
	strings => sub { return { %{ record_of(3) }, cpu => '7', mem => 'm', id => 'x' } },
	nulls => sub { return { %{ record_of(3) }, cpu => undef, text => undef, sub => undef, name => undef } },
	unicode => sub { return { %{ record_of(3) }, text => "stra\x{df}e \x{e9}t\x{e9} \x{1f600}", name => "\x{fc}ber", region => "\x{3c3}" } },
	empty => sub { return { %{ record_of(3) }, text => '', name => '', region => '', tags => [], sub => {} } },
	long => sub { return { %{ record_of(3) }, text => 'long word ' x 2500, name => 'n' x 5000 } },
	lists => sub { return { %{ record_of(3) }, cpu => [1], text => ['a', 'b'], region => [1, 2], tags => 'abc' } },
);

my @lambdas = (
	'$.cpu', '$', '$.sub.v', '$.cpu + 1', '$.cpu - $.id', '$.cpu * $.mem', '3', '"k"', '$.cpu * 4611686018427387903',
		'$.text + $.name', '"<" + $.text + ">"',
	'$.cpu > 5', '$.cpu >= $.id', '$.cpu < 4.5', '$.mem <= 2048', '$.name > "srv-050"', '$.name < $.region', '$.region = "r2"',
	'$.region != $.name', '$.cpu = 3', '$.cpu != null', '$.sub = null', 'not $.cpu', 'not ($.cpu > 3)', '$.cpu > 3 and $.mem < 1000',
		'$.cpu > 3 or $.text.len() > 9 or $.id = 0',
	'$.cpu and $.mem', '($.cpu > 3) = ($.mem > 1000)', '$.text.len()', 'len($.text)', '$.tags.len()', 'len($.tags)', '$.sub.len()', '$.text.toUpper()',
		'$.text.toLower().len()',
	'$.text.toLower() = "fan"', '$.text.split(" ").join("-")', '$.text.split("a").join("")', '$.text.split(" ").join("<->")', '$.text.replace("a", "b")',
	'$.text.replace("an", "n").toUpper()', '$.text.split(" ").join("-").toUpper() + "/" + $.region', '$.text.split(" ")', '$.text.startsWith("fan")',
	'$.text.endsWith("k")', '$.text.toUpper().startsWith("F")', '$.region + $.text > $.name', '$.name =~ "^srv-0[0-4]"',
		'$.text =~ "fan|rack"', '$.text !~ "a.*b"',
	'$.text =~ "("', '$.tags[0]', '$.sub.w[1]', '$.tags[2]', '$.sub.w.sum()', '$.tags.sum()', '$.missing', '$.cpu.missing', '{a => $.cpu, b => $.name}',
		'{a => $.text.toUpper(), b => $.sub}',
	'{a => 1, a => $.cpu}', '{c => "k", d => true, e => null, f => 1.5}', '[$.cpu, $.name]', '[$.text + "!", $.sub.w]', '[$]', '$.text + 1',
		'$.cpu + "x"',
		'-1 * $.cpu', '$2', '$.cpu + $2',
	'[$.cpu, $.name].unpack(a, b) -> $b + str($a)', '$.sub.w.unpack(x, y) -> $y - $x', '$.tags.unpack(x, y) -> $x',
		'$.text.split(" ").unpack(x, y) -> $y',
	'[$.id, [$.cpu]].unpack(a, b) -> [$b, $a]', 'selectCase($.cpu < 4, $.mem < 900, $.sub.v)',
		'selectCase($.cpu < 4, $.mem < 900).switchCase(a, $.name, $.id)',
	# what is read or worked out twice
	'($.cpu - 2) * ($.cpu - 2)', '($.cpu - $.mem) * ($.mem - $.cpu) - ($.cpu - $.mem)',
	'$.cpu > 3 and $.cpu < 9', '$.cpu < 3 or $.cpu > 9 and $.cpu < 11', '[$.cpu / 2, $.cpu / 2 + 1, $.cpu / 2.0]',
	'$.text.len() - $.text.len() mod 4', '$.sub.v = 1 and $.sub.v + 1 = 2',
	'$.text + $.text', '{a => $.name, b => $.name}',
	'$.missing?.x = null or $.cpu - 1 > 3 and $.cpu - 1 < 8', 'switch($.cpu - 1 > 4 => $.cpu - 1, true => 1 - $.cpu)',
	'selectCase($.cpu > 9).switchCase($.missing, $.id)', '$.id.switchCase(a, b, c)', '$.name in $.text', '$.cpu in set(1, 2, 3)', '$.tags.contains(t1)',
	'str($.cpu)', 'str($.text)', 'isString($.cpu)', '$.containsKey(text)', 'norm($.text)', '$.text.replace({"a" => "b", "b" => "xyz", disk => ""})',
	'$.text.indexOf("k")', '"ab" * $.id', '"\u00e9" * 3 + $.name.toLower()', '$.tags.replace(0, x).toList()', '$.tags.delete(1, 2)',
		'$.sub.w.replace(-1, 5)',
	# parts of lists, choices without another side, calls by name, null among what is compared
	'$.sub.w.skip(1).first()', '$.tags.limit(2).skip(1).len()', '$.tags.skip(2)', '$.tags.where($ != t1).skip(1).concat($.tags.limit(1)).toList()',
	'$.cpu.assert($ > 4)', '$.assert($.name).id', 'examine($.cpu > 4, $.text).len()', 'selectAllCases($.cpu > 4, $.sub.v, $.text).join("")',
	'call(str, [$.cpu], {}) + call(len, [], {}, $.text)', '$.sub.get(v) > null', '$.containsKey(mem) and $.cpu in set(2, 5, 8)',
		'[range(2), set(1, $.cpu)]',
	'$.tags.replace(5, x)', '$.sub.mergeWith({v => 7})', '$.mergeWith({sub => {z => $.id}})', '$.sub + {v => $.id}', 'pow($.cpu, 2)',
		'min($.cpu, $.mem)',
	# lists in order, each once, turned, up to where something changes, folded, generated
	'$.tags.distinct().toList()', '$.tags.reverse().distinct().orderBy($).toList()', '$.sub.w.orderByDescending($).toList()',
		'$.tags.orderByDescending($).first()',
	'$.text.split(" ").orderBy($.len()).toList()', '$.text.split(" ").orderByDescending($.len()).select($.len()).distinct().join("+")',
		'$.sub.w.orderBy($).len()',
	'$.tags.orderBy($).thenBy($).toList()', '[$.cpu, $.mem, $.id, 2.5].orderBy($).toList()', '[$.cpu, null, $.mem].orderBy($).toList()',
		'[1, true, $.cpu, 1.0, $.id].distinct().toList()',
	'[$.sub, $.sub].distinct().len()', '$.text.split(" ").distinct().where($ != fan).len()', '$.text.split("").reverse().limit(2).toList()',
		'$.tags.reverse()',
	'range($.sub.v * 9 + 3).select($ * 7 mod 11).orderBy($).toList()', 'range($.sub.v * 9 + 3).select($ * 7 mod 11).distinct().toList()',
		'range(40).orderByDescending($ mod 7).toList()',
	'$.tags.takeWhile($ != t2).len()', '$.tags.skipWhile($ < t1).toList()', '$.sub.w.skipWhile($ < 9).takeWhile($ mod 10 != 5).sum(0)',
		'$.tags.takeWhile($.len() + 1 > 0).select($ + 1)',
	'$.sub.w.reduce($1 + $2 * 3)', '$.sub.w.aggregate($1 * 2 + $2, $.cpu)', '$.tags.reduce($2 + $1)', '$.tags.reduce($1 + $2, "-")',
		'$.sub.w.where($ > 20).aggregate([$1, $2], $.id)',
	'generate($.id, $ > 0, $ / 3).toList()', 'generate($.id, $ < 40, $ * 2 + 1, $ - 1).sum(0)', 'generate(1, true, $ + 2).limit($.sub.v).toList()',
		'generate(1, $ < 1500, $ + 9).len() + $.cpu',
	'generate($.cpu, true, $ * 3).limit(4).toList()', 'generate($.name, $.len() > 2, $.substring(1), $.len()).toList()',
		'generate($.id, $ > 1, 90 / ($ - 7)).limit(9).toList()',
	# dicts that are changed
	'$.set(cpu, $.id)', '$.set(new, $.cpu).set(id, 1).delete(cpu)', '$.set(a => $.cpu, b => $.name, a2 => 1)', '$.set({id => $.cpu, zz => [$.name]})',
		'$.delete(id, nothing, tags)',
	'$.deleteAll([id, text]).len()', '($.sub + {v => 1, u => $.id}).delete(w).set(v, 2)', '$.delete(cpu).set(cpu, $.cpu).keys().toList()',
		'$.sub.set(v, $.sub).set(v, 3)',
	'$.set(id, $.tags.select($ + x))', '$.set(id, 5).id + $.id', '$.sub.delete(v, w)', '$.delete(sub, id).set(sub, 1).items().len()',
		'$.set("", 1).set("a b", $.name)', '$.tags.delete(t1)',
	# texts of values, fields, groups of a match
	'$.name + str($.cpu) + "/" + str($.mem) + $.text', 'str($.cpu / 3.0) + str($.sub) + str(null)', '"{0}-{1}".format($.cpu, $.name)',
		'"{0}{0} {1}!".format($.name, $.mem)',
	'"{a}:{b}".format(a => $.name.toUpper(), b => $.cpu)', '"{0:>5}|{1}".format($.cpu, $.name)', '"{0} {1}".format($.cpu > 3, $.text)',
		'"x{0}y{1}".format($.sub.v / 2.0, null)',
	'regex("([a-z]+)-([0-9])").search($.name)', 'regex("([a-z]+)-0?([1-9]*)").search($.name, $2.value + "." + $3.value + $.value)',
		'regex("(a)?(n)").search($.text, $3.value + $2.value)',
	'regex("0([0-9]+)").search($.name, int($2.value) + $.start)', 'regex("0([0-9]+)").search($.name, int($2.value) * 2)',
		'regex("R(..)", ignoreCase => true).search($.text, {v => $2.value, w => $.value})',
	'regex("(.)").search($.text, $2)', 'regex("(.)").search($.text, $3.value)', 'regex("x(").search($.text)',
		'regex("k").search($.text, $.value + str($.end))', '"an" in $.text', '$.region in $.text',
	'$.text.replace({an => "A", " " => "", fan => "F"}).len()', '$.text.replace({"a" => "b"}) = $.text',
		'{t => $.text.replace({a => "1"}), u => $.name.replace({s => "", r => "rr"})}',
	'datetime(2020, 1, 1 + $.cpu) < datetime(2020, 1, 5)', 'timespan(hours => $.cpu) >= timespan(minutes => 300)', '$.sub.get($.missing?.x, $.id)',
		'{null => 1}.get(null) + $.cpu',
);

sub lists {
	my @plain = map { record_of($_) } 0 .. 150;
	my @of = ([@plain], [@plain[0 .. 2]], []);
	for my $name (sort keys %odd) {
		for my $at (0, 63, 64, 100, 150) {
			my @l = @plain;
			splice @l, $at, 1, $odd{$name}->();
			push @of, \@l if $at == 0 || $at == 64 || $name =~ /keys|null|big|unicode/;
		}
	}
	return @of;
}

# Each lambda where it filters, makes, groups, sorts, is looked for: over one list it is the expression that changes.
sub case_of { push @cases, { expr => $_[0], data => $_[1] } }
my @lists = lists();
for my $k (0 .. $#lambdas) {
	my $l = $lambdas[$k];
	case_of("\$.select($l)", $_) for @lists[0, 1, 2];
	case_of("\$.select($l)", $lists[3 + ($k * 7 + $_) % ($#lists - 3)]) for 0 .. 7;
	case_of("\$.where($l).select(\$.id)", $lists[($k + $_ * 5) % @lists]) for 0 .. 5;
	case_of("[\$.any($l), \$.all($l)]", $lists[($k * 3 + $_) % @lists]) for 0 .. 2;
	case_of("\$.where(\$.cpu > 3).select($l).len()", $lists[0]);
	case_of("\$.select($l).sum()", $lists[($k * 5 + $_) % @lists]) for 0 .. 2;
	case_of("[\$.select($l).min(), \$.select($l).max()]", $lists[($k * 5 + $_) % @lists]) for 0 .. 2;
	case_of("\$.orderBy($l).select(\$.id)", $lists[($k * 11 + $_) % @lists]) for 0 .. 3;
	case_of("\$.orderByDescending($l).thenBy(\$.name).select(\$.id)", $lists[$k % @lists]);
	case_of("\$.groupBy($l, \$.id)", $lists[($k * 13 + $_) % @lists]) for 0 .. 2;
	case_of("\$.groupBy(\$.region, $l, [\$[0], \$[1].len()])", $lists[$k % @lists]);
	case_of("\$.takeWhile($l).len()", $lists[$k % @lists]);
	case_of("\$.distinct($l).len()", $lists[0]);
	case_of("\$.select($l).where(\$ != null).select([\$]).len()", $lists[$k % @lists]);
	case_of("\$.select({x => \$, y => \$.id}).where(\$.y > 40).select(\$.x).select($l)", $lists[($k * 3) % @lists]);
	case_of("\$.join(\$, \$1.id = \$2.cpu, [\$1.name, \$2.id]).select(\$[1]).sum()", $lists[$k % @lists]) if $k % 7 == 0;
}
# Iterators that somebody goes on with, and consumers that stop or fail half-way.
case_of($_, $lists[0]) for 'let(i => $.select($.id)) -> [$i.any($ = 70), $i.len()]',
	'let(i => $.where($.cpu > 2).select($.id)) -> [$i.first(), $i.limit(3).toList(), $i.sum(), $i.len()]',
	'let(i => $.select($.name)) -> [$i.indexOf("srv-037"), $i.len()]',
		'let(i => $.join($, $1.id = $2.id, $1.id)) -> [$i.any($ = 5), $i.first(), $i.len()]',
	'let(i => $.orderBy($.name).select($.id)) -> [$i.any($ > 3), $i.len()]', 'def(toUpper, "own") -> $.select($.text.toUpper()).limit(2)',
		'def(len, 7) -> $.select(len($.text)).sum()',
	'$.select($.cpu).select($ + 1).where($ > 4).len()', '$.orderBy($.region).orderByDescending($.cpu).thenBy($.id).select($.id)',
		'$.orderBy($.name).thenByDescending($.id).limit(5).select($.name)',
	'$.orderBy($.text).select($.id)', '$.orderBy($.text).thenBy($.mem).thenByDescending($.name).select($.id)',
		'$.orderByDescending($.name).thenBy($.id).select($.id)', '$.orderBy($.mem - 2000).select($.mem)',
	'$.select($.text).orderBy($).toList()', '$.select($.region).orderBy($).len()', '$.orderBy(1).select($.id)', '$.groupBy($.name).select($[1].len())',
		'$.groupBy($.cpu, $.mem, [$[0], $[1].sum()])',
	'$.groupBy($.region, $.cpu, $.sum())', '$.groupBy($.region, $, $[0])', '$.groupBy($.region, aggregator => [$[0], $[1].len()])';
# Functions that call themselves.
for my $f ('switch($ < 2 => 1, true => $ * f($ - 1))', 'switch($ < 3 => [$], true => f($ - 2) + [$])', 'switch($ < 2 => $.x, true => f($ - 1) + f($ - 2))',
	'$ > 9 or f($ + 1)', 'switch($ < 1 => "", true => f($ - 1) + "x")') {
	case_of("def(f, $f) -> \$.$_", $lists[0]) for 'select(f($.id mod 6))', 'where(f($.id mod 5)).len()', 'orderBy(f($.id mod 4)).select($.id)',
		'aggregate($1 + [f($2.id mod 3)], [])', 'select([f($.id mod 4), f($.cpu mod 3)]).len()', 'select(f($.cpu mod 4) + f($.name))';
	case_of("def(f, $f) -> \$.select(f(\$.cpu))", $lists[$_]) for 5, 12, 20;
}
# Joins: partners that are many, none, without a key; a left side that changes its shape.
for my $right ([map { { k => "r$_", n => $_ } } 0 .. 3], [map { { k => 'r' . $_ % 2, n => $_ } } 0 .. 9], [map { { k => 'r1', n => $_ } } 0 .. 99], [],
	[{ k => undef, n => 0 }, { k => 'r1', n => 1 }], [{ n => 1 }]) {
	case_of("\$.l.join(\$.r, \$1.region = \$2.k, $_)", { l => $lists[0], r => $right }) for '[$1.id, $2.n]', '{i => $1.id, n => $2.n}', '$1.id + $2.n',
		'$2', '$1.missing', '[$1.id, $2.n].sum()';
	case_of('$.l.join($.r, $1.region = $2.k, [$1.id, $2.n])', { l => $lists[$_], r => $right }) for 3 .. $#lists;
}
# A right side that is written down.
case_of('$.join([' . join(', ', map { "{k => \"r$_\", n => \"x$_\"}" } 0 .. $_) . '], $1.region = $2.k, [$1.name, $2.n])', $lists[0]) for 2, 80;
case_of('[' . join(', ', map { "{k => \"r$_\", n => \"x$_\"}" } 0 .. 80) . "].$_", $lists[0]) for 'select([$.k, $.n])', 'where($.n != x1).select({a => $.n})',
	'join($, $1.k = $2.region, [$1.n, $2.name])';
# A right side that is pulled: what it holds, where it fails, who else has it.
for my $of ('$.r.select($)', '$.r.where(true)', '$.r.select({k => $.k, n => $.n})', '$.r.where($.n != 3).select({k => $.k, n => $.n})', '$.r.select(1)',
	'$.r.select([$.k])', '$.r.select($.missing)', '$.r.toList().memorize()') {
	for my $right ([map { { k => 'r' . $_ % 4, n => $_ } } 0 .. 9], [], [{ k => undef, n => 0 }, { k => 'r1', n => 1 }], [{ n => 1 }],
		[{ k => 'r1', n => 2 }, 5], [map { { k => "r$_", n => [$_] } } 0 .. 99]) {
		case_of("\$.l.join($of, \$1.region = \$2.k, [\$1.id, \$2.n])", { l => $_, r => $right }) for $lists[0], $lists[2], $lists[20],
			[@{ $lists[0] }[0 .. 4], 7];
		case_of("\$.l.join($of, \$1.region = \$2.k, [\$1.id, \$2.n]).$_", { l => $lists[0], r => $right }) for 'first()', 'limit(3)',
			'len()', 'toList().len()';
		case_of("let(i => $of) -> [\$.l.join(\$i, \$1.region = \$2.k, \$1.id).first(null), \$i.len()]", { l => $lists[0], r => $right });
		case_of("let(i => $of) -> \$i.join(\$i, \$1.k = \$2.k, [\$1.n, \$2.n])", { l => [], r => $right });
	}
}
case_of($_, $lists[0]) for '$.join($.select(assert($, $.id < 3)), $1.id = $2.id, $1.id).limit(2)',
	'$.join($.select(assert($, $.id < 3)), $1.id = $2.id, $1.id)', '$.limit(0).join($.select(assert($, false)), $1.id = $2.id, $1.id)',
	'$.join($.orderBy($.name), $1.id = $2.cpu, [$1.name, $2.id])', '$.join($.select($).memorize(), $1.id = $2.cpu, [$1.name, $2.id])',
		'$.join($.toDict($.id).values(), $1.id = $2.cpu, [$1.name, $2.id])';
# Texts that are put together where they stay: of several parts, changed behind and in between, more than one in a row.
for my $l ('$.text.toUpper() + $.name.toLower()', '($.text + $.name).toUpper()', '($.text.toUpper() + " " + $.name).replace(" ", "_") + $.region',
	'$.text.replace("a", "b").replace("b", "c").replace("c", "d").toUpper()',
	'[$.text.toUpper() + "x", $.name + $.region, $.id]', '{a => $.text + $.name, b => $.text.split(" ").join("-"), c => $.region}',
		'"<" + $.text + "|" + $.name + ">"', '[$.text + $.text, $.text]', '$.text + "\u00e9"',
	'($.text + "\u00e9").toUpper()', '($.name + $.text).len()', '($.name + $.text).toUpper().startsWith("SRV")', '$.text.replace("ab", "x") + $.name',
		'{a => $.text.toUpper(), b => $.tags}', '[$.name.toUpper(), $.sub.w]') {
	case_of("\$.select($l)", $_) for @lists;
	case_of("\$.select($l).$_", $lists[0]) for 'len()', 'toList().len()', 'limit(70)', 'where($).len()', 'select([$]).toList()',
		'orderBy($).toList()', 'distinct().len()';
	case_of("\$.where(\$.id > 20).select($l)", $_) for @lists[0, 30, 31];
}
# Rows of all sizes, from one list and from several, whole and in pieces.
case_of("\$.select([" . join(', ', map { ('$.name', '$.id', '$.cpu * 2', '$.region')[$_ % 4] } 1 .. $_) . "])", $lists[0]) for 1 .. 16;
case_of("\$.where(\$.cpu > 2).select({" . join(', ', map { "k$_ => " . ('$.name', '$.id', '$.text', '$.sub.v')[$_ % 4] } 1 .. $_) . "})", $lists[$_ * 2])
	for 1 .. 16;
case_of($_, $lists[0]) for '[$.select([$.name]), $.select([$.name]).toList(), $.select({n => $.name})]',
	'let(x => $.where($.id > 9).toList()) -> [$x.select([$.name]), $x]', '$.select([$.name]).select([$[0], 1]).toList()',
	'let(r => $.select([$.name, $.id]).toList()) -> [$r, $r[3], $r.select($[0])]', '$.select([$.name, $.tags])',
		'$.select([$.name, $.sub.w[0], null, true, 1.5])', '$.toDict($.id, [$.name])', '$.select({n => $.name}).toDict($.n, $)',
	'$.select([$.name]).sum([])', '$.select({n => $.name}).aggregate($1.set(x, $2.n), {})', '$.select({n => $.name}).select($.set(m, 1).delete(n))',
		'$.select([$.name, $.region]).select($.insert(1, x))', '$.select(set($.name))';
# Collections of several: of one length and another, short and long, some of them read by others as well.
for my $of ('$.select($.id)', '$', '$.skip(3).select($.id)', '$.where($.id > 70).select([$.id, $.name])', '$.select($.id).memorize()', '$.limit(5)') {
	case_of($_, $lists[0]) for "$of.zip($of)", "$of.zip(\$.select(\$.name).limit(90))", "$of.zip($of).select(\$[0]).len()",
		"$of.zipLongest(\$.limit(80), default => 0)",
		"($of + $of).len()", "($of + \$.limit(3) + $of).select(\$).where(true).toList()", "$of.append(1, 2).select([\$])",
		"$of.concat($of, [1]).distinct().len()",
		"[$of, [$of, [1]]].flatten()", "$of.select([\$, [\$, 1]]).flatten().limit(150)",
		"let(i => $of) -> [\$i.zip(\$.limit(9)).len(), \$i.first(null), \$i.len()]",
		"let(i => $of) -> \$i.zip(\$i).limit(5)", "let(i => $of) -> \$i.zip(\$i, [1, 2, 3].select(\$)).toList() + \$i.limit(2).toList()",
		"let(m => $of.memorize()) -> [\$m.first(null), \$m.select([\$]).len(), \$m.zip(\$m).len(), \$m.last(null)]", "$of.takeWhile(\$ != null).len()";
}
case_of($_, $lists[0]) for '$.toDict($.name, $.id)', '$.toDict($.id)', '$.toDict($.tags)', '$.toDict($.id, $.missing)',
		'$.where($.id < 9).toDict([$.id, $.sub.w], $.sub)',
	'dict($.select([$.name, $.id, 3]))', 'dict($.select([$.id]))', '$.select($.sub).aggregate($1.mergeWith($2), {})',
		'$.aggregate($1 + {$2.name => $2}, {})',
	'$.aggregate($1.mergeWith({$2.region => [$2.id]}), {})', '$.aggregate($1.set($2.region, $1.get($2.region, []) + [$2.id]), {})',
	'$.aggregate($1.mergeWith({$2.region => {$2.name => $2.id}}), {})', '$.aggregate($1.mergeWith({$2.region => {$2.name => [$2.id]}}), {})',
	'$.aggregate($1.mergeWith({all => {$2.region => {n => $2.id, m => $2.sub}}, last => $2.name}), {first => 1})',
		'$.aggregate($1.mergeWith({$2.region => $2.id, r1 => {x => $2.id}}), {})',
	'$.aggregate($1.mergeWith({a => {b => $2.id}, $2.region => {b => $1.len()}}), {a => {c => 1}})',
		'$.aggregate($1.mergeWith({$2.region => {k => $1.get($2.region)}}), {}).len()',
	'$.aggregate(switch($1 = null or $2.mem > $1.mem => $2, true => $1), null).id', '$.aggregate([$1[0] + $2.id, max($1[1], $2.cpu)], [0, 0])',
		'$.aggregate($1 + $2.cpu / 2.0, 0)',
	# an earlier change puts another value where the fold reads
	'$.aggregate({m => $1.m.set($2.region, "abc").set($2.region, $1.m.get($2.region, [7]) + [$2.id])}, {m => {}})',
	'$.aggregate({m => ($1.m + {k => "abc"}).set(k, $1.m.get(k, [7]) + [$2.id])}, {m => {}})',
	'$.aggregate({m => $1.m.set(k, $1.m.get(k, []) + [$2.id]).set(j, $1.m.get(k, []))}, {m => {}})',
	'let(d => {a => 1}) -> [$.aggregate($1.mergeWith({b => $2.id}), $d), $d]', 'generate(0, $ < 50, $ + 3).select($ * 2)',
		'$.select($.mem / 8.0).orderBy($)',
	'$.orderByDescending($.cpu / 3.0).thenBy($.id).select($.id)', '$.select(switch($.id mod 2 = 0 => $.id, true => $.id / 4.0)).orderBy($)';
case_of($_, $lists[0]) for map { ("\$.toDict(\$.name, $_)", "\$.takeWhile(\$.id < 99).select($_)", "\$.indexWhere($_)") } '$.cpu > 5', '$.cpu / 2.0',
		'$.sub.v + $.id * 2',
	'$.text.len() = 4 or $.id > 120';
# Selectors get the groups that they read, and those of all positions.
case_of($_, $lists[0]) for 'regex("(s)(r)(x)?").search("usr", [$1.value, $3.start, $4.value])', 'regex("(a)").search("xa", $3)',
	'regex("(.)(.)(.)(.)(.)(.)(.)(.)(.)").search("abcdefghij", $10.value + $9.value + $2.value)',
	'let(1, 2, 3, 4, 5) -> regex("(.)").search("ab", [$2.value, $5])',
	'$.select(regex("[a-z0-9]").replaceBy($.name + "-a1b2", "<" + $.value + str($.start) + ">"))',
	'$.select(regex("[0-9a-c]").replaceBy($.name + "-a1b2c3", switch($.value > "1" => $.value.toUpper(), true => null), 2))',
	'$.groupBy([$.region, 1], 1, [$[0], $[1].sum()]).where($[1] > 1).select($[1])', '$.groupBy($.region, $.id, $.max()).where($[1] > 1)',
	'$.select(regex("(.)(.)(.)(.)").searchAll($.name + "-abcd", $5.value + $1.value))', 'regex("(.)(.)").replaceBy("abcd", $3.value + $2.value)',
	'$.select(regex("(.)(.)").search($.name, $))', '$.select(regex("([a-z]+)-([0-9]+)").search($.name, int($3.value)))';
# Texts that sort by what stands far behind, by their length, by zeros in them.
my @texts = ((map { 'a' x $_ } 0 .. 40), (map { "common prefix, then more than eight bytes $_" } 1 .. 40), (map { "z\0" . ("\0" x ($_ % 5)) . $_ % 3 } 0 .. 20),
	(map { chr(0x3b1 + $_) . 'x' } 0 .. 20), ("z\0", 'z', "z\0\0"));
for my $from (0, 1, 41, 81, 102) {
	my @t = @texts[$from .. $#texts];
	case_of($_, [map { { t => $t[($_ * 31) % @t], i => $_ } } 0 .. $#t]) for '$.orderBy($.t).select($.i)', '$.orderByDescending($.t).select($.i)',
		'$.orderBy($.t).thenByDescending($.i).select($.i)', '$.orderBy($.i - 50).thenBy($.t).select($.t)';
}
case_of('$.orderBy($.a).thenBy($.b).thenByDescending($.c).thenBy($.d).select($.i)',
	[map { { a => $_ % 3 ? -1e15 * ($_ % 5) : 4e18, b => 'x' x ($_ % 3), c => $_ % 2 ? -7 : 7, d => "d$_", i => $_ } } 0 .. 99]);

# Expressions: what the automaton answers and what a search finds.
my @patterns = ('^user[0-9]*7@', 'a*', '^a*$', '^(ab)?$', 'a|b', '^a|b', '(a|bc)+d', 'a{2,3}b', 'a{0,2}$', '(?:ab?){2,}', '[^a-c]', '[a\\-c]', '\\d+\\.\\d',
	'\\bx', '\\W', '\\s$', 'a.c', '.$', '^$', '', '$', 'x*y*z',
	'(a|b)*abb', '(a|b)*a(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)(a|b)', '[]a]', 'a\\n', '(?i)A', '(?P<n>a)b', 'a+?b', '(a*)*b', '[a-z]+@[a-z]+\\.(com|org)$',
		'(x?){4}y', 'é', '^[^@]+@');
my @subjects = ('', 'a', 'b', 'ab', 'abb', 'aab', 'aaab', 'bcd', 'abcd', 'user17@', 'user7', 'user7@x', "a\n", "\n", "aa\n", "x\n\n", 'a-c', '3.14', 'xyz', 'y',
	'é', 'aé', "a\x{2028}c", 'me@example.org', 'me@example.orgs', "me\@b.com\n", 'abab', 'babb' x 20, ('ab' x 7) . 'bbbabbbb', "\x1c", 'A',
	']', "a\0c", 'a' x 300);
case_of(sprintf('$.select([$ =~ %1$s, $ !~ %1$s, regex(%1$s).search($) != null, regex(%1$s).matches($)])',
	$json->encode($_) =~ s/\\u([0-9a-f]{4})/chr hex $1/ger), [@subjects, @subjects]) for @patterns;

my @with = batch_answers(\@cases, '--jit=memory');
is(scalar @with, scalar @cases, 'every case is answered');
is(scalar(grep { /InternalError/ } @with), 0, 'and none ends the process');
# Without a pass, and with the programs of the interpreter.
for my $flag (qw(-fno-lambda-programs -fno-passes -fno-fuse -fno-joins --jit=off)) {
	agree_on("the same answers with $flag", \@cases, \@with, [batch_answers(\@cases, $flag =~ /^--jit/ ? () : '--jit=memory', $flag)]);
}
my @wrong = grep { my $v = $cases[$_]{expr} =~ /matches/ && eval { $json->decode($with[$_])->{value} };
	$v && grep { ($_->[0] ? 1 : 0) != ($_->[2] ? 1 : 0) || ($_->[0] ? 1 : 0) == ($_->[1] ? 1 : 0) } @$v } 0 .. $#cases;
ok(!@wrong, 'an expression matches where a search finds something', map { $cases[$_]{expr} } @wrong);

# Which lambdas are programs.
sub emitted { return scalar qx{"$vetro" query --emit=c '$_[0]'} }
like(emitted("\$.select($_)"), qr/vt_lambda_program q\d/, "a program: $_")
	for '$.a.b', '$.a + $.b', '$.a > 1 and not $.b', '$.a.split("x").join("y").toUpper() + $.b',
	'$.a =~ "x"', '{a => $.b + 1}', '[$.a, $.b]', '$.a.len()', '$[0]', '$.a.split("")', '$.a / 2', 'let(x => $) -> $x', '$.a =~ $.b',
	'switch($.a => 1, true => $.b)', 'coalesce($.a, 2)', '$.a.where($.b).select($.c).sum()', '$.a?.b', '$.a in [1, 2]', 'with($.a) -> $ + 1',
	'$.a.unpack(x, y) -> $x + $y', 'selectCase($.a, $.b).switchCase(1, $.c)';
ok(emitted("\$.select($_)") !~ /c_query_h1 = \{[^\n]*, q\d/, "no program: $_") for 'random()', 'now()', '$.a + random()', 'def(f, $x) -> f($.a)',
	'assert($, $.a)', 'nobody($.a)';

# Texts that come again are matched once for many: few, more than are remembered at a time, and some that nobody shares.
srand 5;
for my $of (3, 40, 400) {
	my @rows = map { my $k = int rand $of; { i => $_, o => $k % 10 ? "user$k\@example.org" : "\x{fc}ser$k\@$_" } } 1 .. 3000;
	spew(my $rows = "$W/rows.json", $json->utf8->encode(\@rows));
	for my $way ('=~', '!~') {
		my @want = map { $_->{i} } grep { ($_->{o} =~ /^.ser[0-9]*[37]@/) == ($way eq '=~') } @rows;
		is(scalar qx{"$vetro" query -c '\$.where(\$.o $way "^.ser[0-9]*[37]@").select(\$.i)' < $rows}, $json->encode(\@want) . "\n", "$of texts, $way");
	}
}
done();
