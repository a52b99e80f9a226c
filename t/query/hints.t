#!/usr/bin/perl
# What `vetro query` says to somebody who writes jq, misspells a key or a variable, or meets a name that no user wrote.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $doc = '{"a":[{"b":1}],"name":"x","x-y":{"deep":1}}';

sub hints {
	my ($expr, $hint, @args) = @_;
	my ($st, $out, $err) = vetro({ in => $doc }, 'query', '-c', @args, $expr);
	ok($st == 1 && $out eq '' && $err =~ /^  hint: .*\Q$hint\E/m, "$expr: $hint", $st, $out, $err);
}

sub warns {
	my ($expr, $want, $warning, @args) = @_;
	my ($st, $out, $err) = vetro({ in => $doc }, 'query', '-c', @args, $expr);
	my $said = $warning eq '' ? $err eq '' : $err =~ /^<expression>:1:\d+: warning: .*\Q$warning\E/s;
	ok($st == 0 && $out eq "$want\n" && $said, "$expr warns: $warning", $st, $out, $err);
}

# ---- jq's syntax
hints '.name', '$.name';
hints '.', 'is $: $';
hints '.a.b', '$.a';
hints '.[]', '--each';
hints '.[0]', '$[0]';
hints '[.[] | .a]', '--each';
hints '..', 'descend($)';
hints '$.a | $.b', 'there is no |';
hints '$.a|length', 'there is no |';
hints '$ | @csv', '--csv';
hints '$ | @tsv', '--tsv';
hints '@base64', 'base64encode()';
hints '$.a // 1', 'coalesce(X, Y)';
hints '$.a |= 1', 'update(PATH, NEW)';
hints '$.a += 1', 'update(PATH, $ + X)';
hints 'if $ then 1 else 2 end', 'switch(';
hints '1 as $x | $x', 'let(x => X)';
hints 'reduce $ as $x (0; $x)', 'aggregate(';
hints '{a: 1}', '{name => value}';
hints '$.a[1:2]', 'skip(from).limit(count)';
hints 'map(.x)', '$.x';
hints '$.a?', 'get(a)';
hints '$.a == 1', 'equality is =';
hints 'select($.a)', '$.where(';
hints $$_[0], $$_[1] for ['length($)', '$.len()'], ['$.length()', '$.len()'], ['has("a")', 'containsKey'], ['$.to_entries()', 'items()'],
	['test("a")', '=~'], ['ascii_downcase($)', 'toLower'], ['sort_by($.a)', 'orderBy'], ['tostring($)', 'str($)'],
	['with_entries(1)', 'toDict'], ['unique($)', 'distinct'], ['add($)', 'sum()'], ['startswith("a")', 'startsWith'];

# ---- names
hints '$.nmae', 'did you mean name?';
hints '$["x-y"].depe', 'did you mean deep?';
hints '$.qqq', 'x.get(KEY)';
hints '$.a.toLits()', 'did you mean toList?';

# ---- names that no user wrote
# ---- words without $, and what + and a dot stumble over
hints '$.a.where(b > 0)', 'a word without $ is a text; the key is $.b';
hints '$.a.where(0 < b)', 'the key is $.b';
hints '$.a.select(1 + b)', 'the key is $.b';
hints '$.a.where($.b > [1])', 'the operator > does not take values of these types';
hints '$.name + 1', 'the operator + does not take values of these types; str() makes a text of a value';
hints '$.a.count', 'it is a function: .count()';
hints '$.a.select($.keys)', 'it is a function: .keys()';
hints 'a.foo', 'a text with dots stands in quotes: "a.foo"; a path begins with $: $.a.foo';
hints 'null.a', '?. passes null';
hints '$ + 1', 'the operator + does';
hints '$.a[]', 'x[...] wants';
hints '$.[0]', 'behind the dot';
hints '$.items()', 'items().toList()';

# ---- what is no error
warns 'length', '"length"', "jq's length is: \$.len()";
warns 'keys', '"keys"', '$.keys()';
warns 'distinct', '"distinct"', 'a call has parentheses';
warns 'plain', '"plain"', '';
warns '"a\(.b)"', '"a\\\\(.b)"', 'format("a {0}"';
warns '$xyz', 'null', 'let(xyz => ...)';
warns '$naem', 'null', 'did you mean $name?', '--arg', 'name', '1';
warns '$name', '"1"', '', '--arg', 'name', '1';
warns 'let(foo => 1) -> $foo', '1', '';
warns 'let(foo => 1) -> $fo', 'null', 'did you mean $foo?';
warns '$.a.select($1)', '[{"b":1}]', '';
warns '[1, 2].unpack(p, q) -> $q', '2', '';
warns '$ARGS.positional', '[]', '';
# a batch says nothing on standard error
my ($st, $out, $err) = vetro({ in => '{"expr":"$xyz"}' }, 'query', '--batch');
ok($out eq "{\"value\":null}\n" && $err eq '', 'a batch warns of nothing', $out, $err);
# hostile documents: many keys, and deep ones
($st, $out, $err) = vetro({ in => '{' . join(',', map { "\"k$_\":{\"z\":1}" } 1 .. 20000) . '}' }, 'query', '$.k');
ok($st == 1 && $err =~ /KeyError/, 'many keys', $st, $err);
($st, $out, $err) = vetro({ in => '[' x 900 . '{"abc":1}' . ']' x 900 }, 'query', '$.toList()[0].where($).abd.toList().zz');
ok($st <= 1, 'a deep document', $st, $err);
done();
