#!/usr/bin/perl
# The options of `vetro query`: those that jq has, with jq's results, and those beside them.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

sub query { my ($in, @args) = @_; return vetro({ in => $in }, 'query', @args) }
sub file { my ($name, $text) = @_; spew("$W/$name", $text); return "$W/$name" }

sub gives {
	my ($title, $want, $in, @args) = @_;
	my ($st, $out, $err) = query($in, @args);
	ok($st == 0 && $out eq $want && $err eq '', $title, "status $st", "want $want", "got  $out", $err);
}

sub ends {
	my ($title, $status, $want, $pattern, $in, @args) = @_;
	my ($st, $out, $err) = query($in, @args);
	ok($st == $status && $out eq $want && $err =~ $pattern, $title, "status $st", "want $want", "got  $out", $err);
}

# ---- what is JSON
ends 'values before a broken one are answered', 1, "{\"a\":1}\n", qr/^<stdin>:1:9: error\[E4021\]: .*\n.*\n.*\n\z/, '{"a":1} garbage', '-c', '$';
ends 'broken JSON is no YAML', 1, '', qr/^<stdin>:1:7: error\[E4021\].*hint: .*--input yaml/s, '{"a": tru}', '$';
ends "a list: $_", 1, '', qr/^<stdin>:1:\d+: error\[E4021\]/, $_, '$' for '[1, b]', '["a", b]', '[true, x]',
	'[[1, x]]', '[{"a": b}]', '[-1, x]', '[', '{', '[1.5 2]';
ends "an object: $_", 1, '', qr/^<stdin>:1:\d+: error\[E4021\]/, $_, '$' for '{"a": 1, b: 2}', "{\"a\": 'x'}", '{"a": yes}', '{ "a" }';
ends 'text behind a string', 1, "\"a\"\n", qr/^<stdin>:1:5: error/, '"a" b', '$';
gives "YAML: $$_[0]", $$_[1], $$_[0], '-c', '$'
	for ['{a: 1}', "{\"a\":1}\n"], ['[a, b]', "[\"a\",\"b\"]\n"], ["{'a': 1}", "{\"a\":1}\n"], ['"a": 1', "{\"a\":1}\n"],
	['2024-01-02', "\"2024-01-02\"\n"],
	['[2024-01-02, 1]', "[\"2024-01-02\",1]\n"], ['1.2.3', "\"1.2.3\"\n"], ['truely', "\"truely\"\n"],
	['1: one', "{\"1\":\"one\"}\n"], ['[[a], b]', "[[\"a\"],\"b\"]\n"];
gives "JSON: $_", "$_\n", $_, '-c', '$' for '{}', '[]', '[[]]', '[{}]', '[[[1]]]', '"x"', '-0.5', 'true', '[null]';

# ---- --input
gives '--input=yaml', "{\"a\":true}\n", '{"a": yes}', '--input=yaml', '-c', '$';
ends '--input=json', 1, '', qr/E4021/, 'a: 1', '--input', 'json', '$';
gives '--input=json against the name', "1\n", '', '--input=json', '$', file('j.yaml', '1');
gives '--input=text', "\"a: 1\"\n", '', '--input=text', '$', file('t.yaml', "a: 1\n");
gives '-R', "\"a\"\n\"\"\n\"b \"\n", "a\n\nb ", '-R', '$';
gives '-Rs', "\"a\\nb\\n\"\n", "a\nb\n", '-Rs', '$';
gives '-Rs of two files', "\"xy\"\n", '', '-Rs', '$', file('x1', 'x'), file('y1', 'y');
gives '-R of nothing', "null\n", '', '-R', '$';
ends '-R of what is no UTF-8', 1, "\"a\"\n", qr/^<stdin>:2:2: error\[E4021\]: the text is not UTF-8/, "a\nb\xff", '-R', '$';
ends '-R and --input', 2, '', qr/exclude one another/, '', '-R', '--input=json', '$';

# ---- --stream, as jq has it
my $events = q([["a",0],1] [["a",1,"b"],2] [["a",1,"b"]] [["a",1]] [["c"],{}] [["c"]] [[],3] [[],[]] [[0],"x"] [[0]]);
gives '--stream', join('', map { "$_\n" } split / /, $events), '{"a":[1,{"b":2}],"c":{}} 3 [] ["x"]', '--stream', '-c', '$';
gives '--stream of nothing', "null\n", '', '--stream', '$';
ends "--stream: $$_[0]", 1, $$_[2], qr/^<stdin>:1:$$_[1]: error\[E4021\]/, $$_[0], '--stream', '-c', '$'
	for ['[1, tru]', 5, "[[0],1]\n"], ['{"a" 1}', 6, ''], ['{a: 1}', 2, ''], ['[1 2]', 4, "[[0],1]\n"], ['{"a":1', 7, "[[\"a\"],1]\n"],
	['[,]', 2, ''], ['[1,]', 4, "[[0],1]\n"], [']', 1, ''], ['{"a":1,}', 8, "[[\"a\"],1]\n"], ['{"\\x":1}', 5, ''];
ends '--stream nested too deeply', 1, '', qr/nested too deeply/, '[' x 2000, '--stream', '$';
ends '--stream of YAML', 1, '', qr/reads JSON only/, '', '--stream', '$', file('s.yaml', 'a: 1');

# ---- --seq
gives '--seq', "\x1e1\n\x1e[2]\n", "\x1e1\n\x1e[2]\n", '--seq', '-c', '$';

# ---- variables
gives '--args and --jsonargs', "{\"positional\":[\"a\",\"b\",3,{\"c\":4},\"-\"],\"named\":{\"x\":\"1\"}}\n", '',
	'-n', '$ARGS', '-c', '--arg', 'x', '1', '--args', 'a', 'b', '--jsonargs', '3', '{"c":4}', '--args', '-';
gives '--args before the expression', "[\"a\"]\n", '', '-nc', '--args', '$ARGS.positional', 'a';
gives '--args behind files', "[1,[\"a\"]]\n", '', '-c', '[$, $ARGS.positional]', file('one.json', '1'), '--args', 'a';
gives '--args with -f', "[\"a\"]\n", '', '-nc', '-f', file('p.yaql', '$ARGS.positional'), '--args', 'a';
ends '--jsonargs that is none', 2, '', qr/^vetro: --jsonargs x: line 1 column 1: /, '', '-n', '1', '--jsonargs', 'x';
ends '--argjson says its name once', 2, '', qr/^vetro: --argjson a: line 1 column 2: [^-]*\n/, '', '-n', '--argjson', 'a', '{', '1';
gives '--slurpfile', "[[1,2],[]]\n", '', '-nc', '--slurpfile', 'a', file('s.json', '1 2'), '--slurpfile', 'b', file('e.json', ''), '[$a, $b]';
gives '--slurpfile of YAML', "[{\"a\":1},2]\n", '', '-nc', '--slurpfile', 'a', file('s2.yaml', "a: 1\n---\n2"), '$a';
ends '--slurpfile that is broken', 1, '', qr/s3\.json:1:4: error/, '', '-n', '--slurpfile', 'a', file('s3.json', '[1,'), '$a';
ends '--slurpfile that is not there', 2, '', qr/nosuch: error\[E0101\]/, '', '-n', '--slurpfile', 'a', "$W/nosuch", '$a';
gives '--rawfile', "\"a\\nb\"\n", '', '-n', '--rawfile', 'a', file('r.txt', "a\nb"), '$a';
ends '--rawfile that is not there', 2, '', qr/--rawfile a: .*nosuch: No such file/, '', '-n', '--rawfile', 'a', "$W/nosuch", '$a';
ends '--rawfile that is no UTF-8', 2, '', qr/not UTF-8/, '', '-n', '--rawfile', 'a', file('bad', "\xff"), '$a';

# ---- results
gives '-a', "\"\\u00e9\\ud83d\\ude00\"\n", "\"\xc3\xa9\xf0\x9f\x98\x80\"", '-a', '$';
gives '-S', "{\"a\":{\"x\":1,\"y\":2},\"b\":0}\n", '{"b":0,"a":{"y":2,"x":1}}', '-Sc', '$';
gives '-j', 'ab[1]', '"a" "b" [1]', '-jc', '$';
gives '-C', "\e[1;39m[\e[0m\e[0;39m1\e[0m\e[1;39m,\e[0m\e[1;30mnull\e[0m\e[1;39m]\e[0m\n", '[1,null]', '-Cc', '$';
gives '-C: keys and texts', "\e[1;39m{\e[0m\e[34;1m\"a\\\"\"\e[0m\e[1;39m:\e[0m\e[0;32m\"b:\"\e[0m\e[1;39m}\e[0m\n", '{"a\\"":"b:"}', '-Cc', '$';
gives '-M', "[1]\n", '[1]', '-Mc', '$';
gives '--tab', "[\n\t1\n]\n", '[1]', '--tab', '$';
gives '--indent', "[\n   1\n]\n", '[1]', '--indent', '3', '$';
gives '--unbuffered', "1\n2\n", '1 2', '--unbuffered', '$';
ends '-e: null', 1, "1\nnull\n", qr/^\z/, '1 null', '-e', '$';
ends '-e: false', 1, "false\n", qr/^\z/, '', '-en', 'false';
gives '-e: the last counts', "null\n0\n", 'null 0', '-e', '$';
ends '-e: none', 4, '', qr/^\z/, '[]', '-e', '--each', '$';
gives '--each', "1\n[2]\n3\n", '[1,[2]] [] 3', '--each', '-c', '$';
gives '--each of a dict is one', "{\"a\":1}\n", '{"a":1}', '--each', '-c', '$';
gives '--each of a set, an iterator, an ordering', "1\n2\n2\n1\n0\n", '', '--each', '-nc', 'set(1).concat([2], [2, 1, 0].orderByDescending($))';
gives '--each filters a stream', "{\"a\":3}\n", '{"a":1} {"a":3}', '--each', '-c', '[$].where($.a > 2)';
ends '--each prints what was before an error', 1, "1\n", qr/ZeroDivisionError/, '', '-n', '--each', '[1, 0].select(1 / $)';
gives '--fold', "10\n", '1 2 3 4', '--fold', '0', '$acc + $';
gives '--fold of nothing', "[]\n", '', '--fold', '[]', '-nc', '$acc';
gives '--fold --each', "1\n2\n", '1 2', '--fold', '[]', '--each', '$acc + [$]';
ends '--fold wants JSON', 2, '', qr/^vetro: --fold: line 1/, '1', '--fold', 'x', '$';
ends 'infinity', 1, '', qr/JSON has no number for infinity/, '1e400', '$';
gives '--non-finite=null', "[null,null]\n", '[1e400,-1e400]', '--non-finite', 'null', '-c', '$';
gives '--csv', "\"a\",\"b\"\n1,\"x\"\"y\"\n2.5,\n", '[{"a":1,"b":"x\\"y"},{"b":null,"a":2.5}]', '--csv', '$';
gives '--csv of a row each', "1,true\n\"a,b\",\n", '[1,true] ["a,b",null]', '--csv', '$';
gives '--tsv', "a\\tb\\\\\t1\n\ttrue\n", '[["a\\tb\\\\",1],[null,true]]', '--tsv', '$';
gives '--csv of an object', "\"a\"\n1\n", '{"a":1}', '--csv', '$';
gives '--csv of nothing', "\n", '[]', '--csv', '$';
ends "--csv: $$_[0]", 1, '', $$_[1], $$_[0], '--csv', '$'
	for ['1', qr/made of a list/], ['[[1],2]', qr/all lists, or all objects/],
	['[1,[2]]', qr/a cell/], ['[{"a":[1]}]', qr/a cell/], ['[{"a":1},{"b":2}]', qr/has not/], ['[1e400]', qr/no number/];

# ---- a mapping of YAML that looks like a tag of our own is a mapping
# ---- dates of YAML: texts, which YAML shows as they were
my $dates = "d: 2024-01-02\nq: \"2024-01-02\"\nl: [2001-12-14t21:59:43.10-05:00, 2024-01-02 03:04:05 +02:00]\n2020-01-01: x\n\"2020-01-02\": w\n";
gives 'dates stay dates', "d: 2024-01-02\nq: \"2024-01-02\"\nl:\n  - 2001-12-14t21:59:43.10-05:00\n  - 2024-01-02 03:04:05 +02:00\n" .
	"2020-01-01: x\n\"2020-01-02\": w\n", $dates, qw(--input yaml -y $);
gives 'in JSON they are texts', "[\"2024-01-02\",\"2020-01-01\"]\n", $dates, qw(--input yaml -c),
	'[$.d, $.keys().last(1)].select(str($)).take(1) + ["2020-01-01"]';
gives 'they are compared as texts, and moved', "- true\n- 2024-01-02\n- 2024-01-02\n", $dates, qw(--input yaml -y),
	'[$.d = $.q, [$.d].first(), {z => $.d}.z]';
gives 'what is made of one is a text', "- \"2024-01-02T\"\n- \"2024\"\n", $dates, qw(--input yaml -y), '[$.d + T, $.d.substring(0, 4)]';
gives 'a document does not give its marks to others', "2024-01-02: 2024-01-02\n---\n\"2024-01-02\": \"2024-01-02\"\n",
	"2024-01-02: 2024-01-02\n---\n\"2024-01-02\": \"2024-01-02\"\n", qw(--input yaml -y $);
{
	my $y = file('dates.yaml', $dates);
	my ($st) = query('', '-i', $y, '$.assign($.extra, 1)');
	ok($st == 0 && slurp($y) =~ /\Ad: 2024-01-02\n.*^2020-01-01: x\n.*^extra: 1\n\z/ms, 'a file in place keeps its dates', slurp($y));
}

# ---- what stands in front of a number behind a dot is not evaluated
ends "$$_[0]: a position is no member", 1, '', qr/No function "#operator_\." matches/, '', '-n', @$_[1 .. $#$_], 'nothing().0'
	for ['today', ()], ['the older dialect', '--legacy'];

gives 'beside infinity', "{\"\$set\":[1,1]}\n", "a: .inf\nb: {'\$set': [1, 1]}\n", '-c', '--input', 'yaml', '$.b';
gives "beside a key that is a number", "[{\"\$float\":\"nan\"}]\n", "1: {\$float: nan}\n", "-c", "--input", "yaml", "\$.values()";

# ---- -i
{
	my $f = file('in.json', "{\"a\":1}\n");
	gives '-i', '', '', '-c', '-i', $f, '{b => $.a + 1}';
	ok(slurp($f) eq "{\"b\":2}\n", '-i replaces the file', slurp($f));
	my $y = file('in.yaml', "a: 1\n---\nb: [x]\n");
	gives '-i of YAML', '', '', '$', '-i', $y;
	ok(slurp($y) eq "a: 1\n---\nb:\n  - x\n", '-i keeps YAML', slurp($y));
	ends '-i that fails', 1, '', qr/KeyError/, '', '-i', $f, '$.nosuch';
	ok(slurp($f) eq "{\"b\":2}\n", 'and leaves the file', slurp($f));
	ends '-i with another file', 2, '', qr/-i replaces what it reads/, '', '-i', $f, '$', $y;
	ends '-i of a file that is not there', 2, '', qr/nosuch: error/, '', '-i', "$W/nosuch", '$';
	ok(!-e "$W/nosuch", 'and makes none');
}

my ($st, $version) = vetro('query', '--version');
ok($st == 0 && $version =~ /^vetro \d/, 'query --version', $version);

# A long text whose objects have a key twice: the last value counts, and strings that are remembered are not those that went.
my @keys = (0 .. 44, 3);
sub with_twice { my ($i) = @_; return '{' . join(',', map { qq{"k$keys[$_]": "v} . ($i * 7 + $_) % 300 . '"' } 0 .. $#keys) . '}' }
my $twice = '[' . join(',', map { with_twice($_) } 0 .. 399) . ']';
gives('a key twice in each object of a long text', "[400,300,\"v0\",\"v45\",\"v137\"]\n", $twice, '-c',
	'[$.len(), $.select($.k3).distinct().len(), $[0].k0, $[0].k3, $.last().k44]');
done();
