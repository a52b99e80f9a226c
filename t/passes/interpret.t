#!/usr/bin/perl
# Expressions interpreted, compiled, and compiled while they run: the same values, the same errors at the same places.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my $build = $ENV{BUILD} || "$FindBin::Bin/../../build/debug";

# Answers to requests, a line each, in one of the ways of --jit.
sub answers {
	my ($way, @requests) = @_;
	my $file = "$W/requests.jsonl";
	spew($file, join '', map { $json->encode($_) . "\n" } @requests);
	my @out = split /\n/, qx{"$vetro" query --batch --jit=$way < "$file"};
	is(scalar @out, scalar @requests, "--jit=$way: an answer a request");
	return @out;
}

# Clocks, random numbers and addresses differ between any two runs.
sub is_steady { return $_[0] !~ /\b(?:random|now|utctz|localtz)\b/ }

sub agree {
	my ($what, @requests) = @_;
	my %by = map { $_ => [answers($_, @requests)] } qw(off memory auto);
	my @differ = grep { my $i = $_; grep { $by{$_}[$i] ne $by{memory}[$i] } qw(off auto) } 0 .. $#requests;
	is(join("\n", map { my $i = $_; map { "$requests[$i]{expr}: $_: " . substr($by{$_}[$i], 0, 200) } sort keys %by } @differ), '', $what);
}

# Every example of every function of the library.
if (open my $f, '<', "$build/gen/registry_examples.jsonl") {
	my %mode = (std => {}, delegates => { context => { delegates => JSON::PP::true }, delegates => JSON::PP::true }, legacy => { mode => 'legacy' });
	my @examples = grep { $mode{ $_->{layer} } && is_steady($_->{expr}) } map { $json->decode($_) } <$f>;
	agree('the examples of the library', map { { expr => $_->{expr}, data => undef, %{ $mode{ $_->{layer} } } } } @examples);
	ok(@examples > 300, "and they are many");
}

my @items = map { { id => $_, cpu => $_ * 7 % 13, name => "n$_", tags => [map { "t$_" } 0 .. $_ % 4], sub => $_ % 5 ? { v => $_ } : undef } } 0 .. 40;
my $data = { items => \@items,
	text => "stra\x{df}e", n => undef, big => 4611686018427387904, deep => { a => { b => [1, { c => 2 }] } } };

# Each op of an expression, with values that it takes and values that it does not.
my @exprs = (
	'1', '1.5', '-3', 'true', 'null', '"x"', 'word', '123456789012345678901234567890', '[1, [2, a], {b => 3}]',
	'{a => 1, "b" => 2, 3 => 4}', '{$.text => 1}', '{a => 1, a => 2}', '[]', '{}', '$', '$.items.len()', '$.n', '$.missing',
	'$.text.missing', '$.deep.a.b[1].c', '$.deep?.a?.x?.y', '$.n?.a', '$missing', '1 + 2', '$.big + $.big', '$.big * $.big', '7 / 2',
	'-7 / 2', '7 mod -2', '1 / 0', '1.0 / 0', '5 mod 0', '"a" + "b"', '"a" + 1', '"ab" * 3', '[1] + [2]', '{a => 1} + {b => 2}',
	'1 < 2', '1 < 2.5', '"a" < "b"', '"a" < 1', 'null < 1', '1 = 1.0', '[1] = [1]', '1 != 2', 'not 1', 'not []', 'not null', '1 and 2',
	'0 and 1 / 0', '1 or 1 / 0', '0 or null', '1 in [1, 2]', '"a" in {a => 1}', 'x in "xyz"',
	'$.items.where($.cpu > 5).select($.name)', '$.items.where($.sub).select($.sub.v).sum()', '$.items.select($.sub.v)',
	'$.items.select($.sub?.v)', '$.items.select({n => $.name, t => $.tags.select($ + "!").join(",")})',
	'$.items.select([$.id, $.cpu]).where($[0] < 3)', '$.items.orderBy($.cpu).thenBy($.name).select($.id).limit(5)',
	'$.items.groupBy($.cpu, $.id, [$[0], $[1].sum()])', '$.items.selectMany($.tags).distinct()',
	'$.items.join($.items, $1.id = $2.cpu, [$1.name, $2.id]).len()', '$.items.aggregate($1 + $2.cpu, 0)', '$.items.any($.cpu > 100)',
	'$.items.all($.cpu >= 0)', '$.items.first($.cpu).name', '$.items.toDict($.name, $.id)', '$.items.where($.name =~ "n[12]$").len()',
	'let(a => 1, b => 2) -> $a + $b', 'let($.items.len()) -> $1 * 2', 'with(1, 2) -> $1 + $2',
	'let(x => $.items) -> $x.select($.id + $x.len()).sum()', 'def(f, $ * 2) -> f(21)',
	'def(fact, switch($ < 2 => 1, true => $ * fact($ - 1))) -> fact(20)', 'def(f, f($ + 1)) -> f(0)', 'switch(1 > 2 => a, true => b)',
	'selectCase(false, true)', 'coalesce(null, 1 / 0)', 'coalesce(null, 2)', 'isList($.items)', 'str($.n) + str(1)', 'int("x")',
	'$.items.foo()', 'foo(1)', '$.items.select($.foo())', '$.items.len(1)', 'dict(a => 1, b => 2)',
	'dict($.items.select([$.name, $.id])).len()', 'range(0, 5).select($ * $).sum()', 'range(0, 3).select(range(0, $).select($ + $))',
	'$.items.select($.cpu / ($.id - 20))', '$.items.where($.name > 5)', '$.items.select($ + 1)', '"{0}-{1}".format($.text, $.big)',
	'$.text.toUpper()', 'lambda($ + 1)', '$.items.select(let(m => $) -> $m.tags.select($ + $m.name)).sum([])',
	'$.items.accumulate($1 + $2.id, 0).last()', '$.items[0]', '$.items[100]', '$.deep[a]', '$.deep[x]', '$.items["x"]',
	'$.items.where($.id in [1, 2, 3]).name', '$.items.name', '$.items.tags', '[$.items, $.n].select($)',
	'$.items.select($.id).where($ mod 2 = 0).select($ * $).limit(3).toList()', '1 +', '$.items.where(', '(' x 300 . '1' . ')' x 300,
);
agree('expressions of all kinds', map { { expr => $_, data => $data } } @exprs);
agree('with limits', map { { expr => $_, data => $data, options => { 'yaql.limitIterators' => 20, 'yaql.memoryQuota' => 20000 } } } @exprs);
agree('in the older dialect', map { { expr => $_, data => $data, mode => 'legacy' } } @exprs, '$.items[$.cpu > 5].name', '$.items.where($.id = 1) => $');

# What runs often is compiled on the way, and goes on as it began.
my $count = 30000;
agree('expressions that become hot', map { { expr => $_, data => $data } }
	"range($count).select(switch(\$ mod 3 = 0 => a, \$ mod 3 = 1 => [\$], true => null)).distinct()",
	"range($count).select(let(a => \$, b => 2) -> \$a * \$b).sum()",
	"range($count).where(\$ mod 7 = 3).select({a => \$, b => str(\$)}).skip(4000).first()",
	"range($count).select(1000 / (\$ - " . ($count - 5) . "))",
	"range($count).select([\$, \$ + 1]).select(\$[0] + \$[2]).len()",
	"range(300).select(let(x => \$) -> range(100).select(\$ + \$x).where(\$ mod 2 = 0).len()).sum()",
	"def(fib, switch(\$ < 2 => \$, true => fib(\$ - 1) + fib(\$ - 2))) -> fib(18)",
	"range($count).aggregate(\$1 + \$2, 0)", "range($count).orderBy(str(\$)).limit(3)", "range($count).join(range(5), \$1 mod 5 = \$2, \$1 * \$2).sum()",
	"range($count).select(f(\$))", "range($count).toDict(str(\$), \$ * 2).get('777')");

# An expression that a program has written is not compiled: that would take longer than to run it.
spew("$W/long.yaql", '[' . join(',', map { "\$.a + $_" } 1 .. 30000) . '].sum()');
spew("$W/one.json", '{"a": 1}');
my ($rc, $sum) = vetro({ limit => 60 }, 'query', '-f', "$W/long.yaql", "$W/one.json");
is("$rc $sum", "0 450045000\n", 'a long expression runs at once');
($rc, undef, my $where) = vetro({ limit => 60 }, 'query', '-n', join(' + ', ("\"\xc3\xa9\"") x 150) . ' + [1].foo');
like($where, qr/^<expression>:1:899: error/, 'a place far in a line that is not ASCII');

# One expression over many documents is compiled on the way as well.
spew("$W/many.json", join '', map { $json->encode({ a => $_, b => [1 .. $_ % 5] }) . "\n" } 1 .. 3000);
my %sum = map { my $way = $_; $way => scalar qx{"$vetro" query --jit=$way '\$.a * 2 + \$.b.select(\$ + 1).sum(0)' "$W/many.json"} } qw(off memory auto);
is($sum{$_}, $sum{memory}, "3,000 documents, --jit=$_") for qw(off auto);
is(join(' ', (split /\n/, $sum{auto})[0, 1, 2999]), '4 9 6000', 'a line each');

# A batch keeps the codes of its last texts: what comes again gives what it gave, whatever its options, data and errors were.
my @again = map { my $i = $_; { expr => $i % 7 ? '$.a + ' . $i % 300 : '$.a.foo(' . $i % 5 . ')', data => { a => $i },
	$i % 3 ? () : (options => { 'yaql.limitIterators' => $i % 4 }), $i % 11 ? () : (mode => 'legacy') } } 1 .. 1500;
my @batch = answers('auto', @again);
my @wrong = grep { my $r = $again[$_]; $r->{expr} =~ /\+ (\d+)/ && $batch[$_] ne '{"value":' . ($r->{data}{a} + $1) . '}' } 0 .. $#again;
is(join(' ', @wrong), '', '1,500 requests of 300 texts');
is(scalar(grep { /NoMethodRegistered/ } @batch), scalar(grep { $_->{expr} =~ /foo/ } @again), 'and their errors');
my @same = answers('auto', map { { expr => 'range(40).select($ * 3).where($ mod 2 = 0).sum()', data => undef } } 1 .. 2000);
is(scalar(grep { $_ ne '{"value":1140}' } @same), 0, 'one text 2,000 times, compiled on the way');

my ($st, $out) = vetro({ merge => 1 }, 'query', '-n', '--jit=never', '1');
ok($st ne '0' && $out =~ /--jit.*auto, memory, cc or off/, 'another way is bad usage', $out);

done();
