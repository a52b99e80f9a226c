#!/usr/bin/perl
# The command `vetro query`: documents, output forms, options, errors, hosts in Lua, and the batch interface.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;

# A file, and its path.
sub put {
	my ($name, $text) = @_;
	spew("$W/$name", $text);
	return "$W/$name";
}

# Status, output and error of vetro query with this standard input.
sub run {
	my ($input, @args) = @_;
	return vetro({ in => $input }, 'query', @args);
}

sub gives {
	my ($title, $want, $input, @args) = @_;
	my ($st, $out, $err) = run($input, @args);
	ok($st eq '0' && $out eq $want && $err eq '', $title, "want $want", "got  $out", $err, "status $st");
}

sub fails {
	my ($title, $status, $want, $input, @args) = @_;
	my ($st, $out, $err) = run($input, @args);
	ok($st eq $status && $out eq '' && $err =~ $want, $title, "want $want", "got  $err", $out, "status $st");
}

# ---- behind a dot stands a key or a call: all else is refused without a look at what stands in front
fails "(1/0)$_ is refused unseen", 1, qr/No function "#operator_\." matches/, '', '-n', "(1/0)$_"
	for qw(.0 .1.5 ."a" .true .null .$ .[1] .{a=>1} .(a) .$.a .(a).b);
fails "(1/0)$_ fails in front of the dot", 1, qr/ZeroDivisionError/, '', '-n', "(1/0)$_" for qw(.a .nope() ?.0 ?.a .a[0]);
gives 'null?.0 is null', "null\n", '', '-n', 'null?.0';

# ---- characters, integers as text, groups of a match
gives 'characters', '["a","é","~","€","\u0000","b"," ",""]' . "\n", '', '-n', '-c', '"aé~€\u0000b ".toCharArray() + [""]';
gives 'a character that was cut off is a key as any other', "1\n", '', '-n', '{a => 1}.get("cab".substring(1, 1))';
gives 'integers as text', '["-4611686018427387904","4611686018427387903","0","-7","4611686018427387904"]' . "\n", '', '-n', '-c',
	'[str(-4611686018427387904), str(4611686018427387903), str(0), str(-7), str(4611686018427387904)]';
gives 'all groups of a match, one of which took no part', '["aéc",{"value":"é","start":3,"end":4},{"value":null,"start":-1,"end":-1}]' . "\n", '',
	'-n', '-c', 'regex("(a)(é)(x)?c").search("xxaéc", [$.value, $3, $4])';
gives 'long integers in a loop', "64\n", '', '-n',
	'range(64).where($ + 123456789012345678901234567890 > 123456789012345678901234567889).len()';

# ---- documents
my $doc = '{"name": "é", "list": [1, 2.50, null, true], "big": 123456789012345678901234567890}';
gives 'JSON on standard input', "2\n", $doc, '$.list[0] + 1';
gives 'JSON from a file', "2\n", '', '$.list[0] + 1', put('a.json', $doc);
gives '- is standard input', "\"\xc3\xa9\"\n", $doc, '$.name', '-';
gives 'no input: $ is null', "null\n", '', '$';
gives '-n reads nothing', "null\n", '{broken', '-n', '$';
gives 'a byte order mark', "1\n", "\xef\xbb\xbf[1]", '$[0]';
gives 'big integers stay exact', "123456789012345678901234567891\n", $doc, '$.big + 1';
gives 'YAML by its name', "3\n", '', '$.a.b.len()', put('a.yaml', "a:\n  b: [x, y, z]\n");
gives 'YAML by its text', "\"y\"\n", "a:\n- x\n- y\n", '$.a[1]';
gives 'YAML that begins like JSON', "1\n", "{a: 1}", '$.a';
gives 'YAML 1.1 scalars', "[8,true,null,\"1e3\",1.5,255]\n", "[010, on, ~, 1e3, 1.5, 0xff]", '-c', '$';
gives 'each document of several', "1\n{\"a\":2}\n", "1\n---\na: 2\n", '-c', '$';
gives 'several documents as a list', "[1,{\"a\":2}]\n", "1\n---\na: 2\n", '-c', '-s', '$';
gives 'keys that are no strings', "[\"1\",\"null\"]\n", "1: one\nnull: none\n", '-c', '$.keys().select(str($)).orderBy($)';
fails 'a file that is not there', 2, qr/nosuch\.json/, '', '$', "$W/nosuch.json";
fails 'broken JSON says where', 1, qr/^\S*b\.json:1:7: error\[E4021\]: .*\n    1 \| \{\"a\": \}\n      \|       \^\n\z/, '{"a": }', '$',
	put('b.json', '{"a": }');
fails 'broken YAML says where', 1, qr/c\.yaml:2/, '', '$', put('c.yaml', "a: 1\n b: [\n");
fails 'nested too deeply', 1, qr/./, '[' x 100000, '$';

# ---- output
gives 'pretty by default', "{\n  \"a\": [\n    1\n  ]\n}\n", '{"a":[1]}', '$';
gives '-c in one line', "{\"a\":[1]}\n", '{"a":[1]}', '-c', '$';
gives '-r prints a string bare', "x\"y\n", '["x\"y"]', '-r', '$[0]';
gives '-r leaves other values', "[\"x\"]\n", '["x"]', '-r', '-c', '$';
gives 'lazy results are lists', "[2,4]\n", '[1,2]', '-c', '$.select($ * 2)';

# ---- options
gives '--legacy', "[[\"a\",1]]\n", '', '-n', '-c', '--legacy', '[a => 1]';
gives '--delegates', "3\n", '', '-n', '--delegates', 'lambda($ + 1)(2)';
gives 'a regular expression replaced by nothing', "\"ac\"\n", '', '-n', 'abc.replace(regex(b), "")';
gives 'an expression that starts with -', "-1\n", '', '-n', '--', '-1';
gives '--options', "[1,2]\n", '', '-n', '-c', '--options', '{"yaql.limitIterators": 2}', 'range(1, 3)';
fails '--options limits', 1, qr/^vetro query: error\[E4112\]: CollectionTooLargeException: /, '', '-n', '--options={"limitIterators": 2}', 'range(5)';
fails '--options unknown', 2, qr/unknown option limitIterator\b/, '', '-n', '--options', '{"limitIterator": 2}', '1';
fails '--options of the wrong kind', 2, qr/wants an integer/, '', '-n', '--options', '{"limitIterators": "2"}', '1';
fails '--options no JSON', 2, qr/options/, '', '-n', '--options', '{', '1';
fails 'no expression', 2, qr/no EXPR given/, '';
gives 'a file and -n: only inputs() reads it', "1\n", '', '-n', '1', 'a';
fails 'unknown option', 2, qr/unknown option.*--nosuch/, '', '--nosuch', '1';
fails 'no value', 2, qr/value is missing.*--lua/, '', '1', '--lua';
fails '--batch with an expression', 2, qr/unexpected argument: 1\n/, '', '--batch', '1';
fails '--timeout', 6, qr/longer than --timeout/, '', '-n', '--timeout', '0.3', 'sequence().where($ < 0).first()';
fails '--timeout wants seconds', 2, qr/--timeout takes a number from/, '', '-n', '--timeout', 'x', '1';

# ---- errors
fails 'grammar', 1,
	qr/^<expression>:1:3: error\[E4110\]: YaqlGrammarException: Parse error: unexpected '2' at position 2 of .*\n    1 \| 1 2\n      \|   \^\n\z/,
	'', '-n', '1 2';
fails 'lexical', 1, qr/^<expression>:1:3: error\[E4111\]: YaqlLexicalException: .*\n    1 \| 1 # 2\n      \|   \^\n\z/, '', '-n', '1 # 2';
fails 'the caret in a later line', 1, qr/\n    2 \|  \+ \)\n      \|    \^\n  hint: something is missing before this place\n\z/, '', '-n', "1\n + )";
fails 'at the end', 1, qr/unexpected end of statement\n    1 \| 1 \+\n      \|    \^\n  hint: something is missing before this place\n\z/, '', '-n', '1 +';
fails 'evaluation', 1, qr/^<expression>:1:3: error\[E4007\]: ZeroDivisionError: /, '', '-n', '1 / 0';
fails 'unknown function', 1, qr/^<expression>:1:1: error\[E4101\]: NoFunctionRegisteredException: Unknown function "nosuch"/, '', '-n', 'nosuch(1)';
fails 'an error in a lazy value', 1, qr/^<expression>:1:12: error\[E4007\]: ZeroDivisionError: /, '[0]', '$.select(1 / $)';

# ---- the host
my $lua = put('host.lua', <<'LUA');
vetro.register { name = "twice", params = "x: integer", fn = function(x) return 2 * x end }
vetro.register { name = "fail", fn = function() vetro.raise("ValueError", "no luck") end }
LUA
gives '--lua', "42\n", '[21]', '--lua', $lua, 'twice($[0])';
fails 'a host function that raises', 1, qr/no luck/, '', '-n', '--lua', $lua, 'fail()';
fails 'a host file that is not there', 1, qr/nosuch\.lua/, '', '-n', '--lua', "$W/nosuch.lua", '1';
fails 'a host file with an error', 1, qr/LuaError/, '', '-n', '--lua', put('bad.lua', 'vetro.register('), '1';

# ---- batches
sub batch {
	my ($title, $requests, $answers, @args) = @_;
	my $input = join('', map { (ref $_ ? $json->encode($_) : $_) . "\n" } @$requests);
	my ($st, $out, $err) = run($input, '--batch', @args);
	my @got = split /\n/, $out;
	my $good = $st eq '0' && @got == @$requests;
	my @notes = ("status $st", $err);
	for my $i (0 .. $#$requests) {
		my $got = eval { $json->decode($got[$i] // '') };
		my $want = $answers->[$i];
		my $same = ref $want eq 'CODE' ? $want->($got) : $json->encode($got) eq $json->encode($want);
		next if $same;
		$good = 0;
		push @notes, 'request ' . substr(ref $requests->[$i] ? $json->encode($requests->[$i]) : $requests->[$i], 0, 200),
			'got  ' . substr($got[$i] // 'nothing', 0, 300), 'want ' . (ref $want eq 'CODE' ? '...' : $json->encode($want));
	}
	ok($good, $title, @notes);
}

sub error { my ($type, $like) = @_; return sub { my $e = $_[0]{error}; $e && $e->{type} eq $type && $e->{message} =~ ($like // qr/./) } }

batch 'values in order', [ map { { expr => "$_ * 2" } } 1 .. 20 ], [ map { { value => $_ * 2 } } 1 .. 20 ];
batch 'data and variables', [
	{ expr => '$.a + $b', data => { a => 1 }, vars => { '$b' => 2 } },
	{ expr => '$b', vars => { b => [1] } },
	{ expr => '$', data => undef }, { expr => '$' }, { expr => '$nosuch' },
], [ { value => 3 }, { value => [1] }, { value => undef }, { value => undef }, { value => undef } ];
batch 'tagged values', [
	{ expr => '$', data => { '$set' => [1] } },
	{ expr => '$ + 1', data => { '$int' => '9223372036854775807' } },
	{ expr => '[1, 2]', options => { 'yaql.convertTuplesToLists' => JSON::PP::false } },
	{ expr => '{1 => 2}' }, { expr => '$.sum()', data => { '$gen' => [1, 2, 3] } }, { expr => 'float(inf)' },
], [
	{ value => { '$set' => [1] } }, { value => { '$int' => '9223372036854775808' } }, { value => { '$tuple' => [1, 2] } },
	{ value => { '$dict' => [[1, 2]] } }, { value => 6 }, { value => { '$float' => 'inf' } },
];
batch 'dialects', [
	{ expr => 'a => 1' }, { expr => '[a => 1]', mode => 'legacy' }, { expr => '$f(1)' },
	{ expr => 'lambda($)(5)', delegates => JSON::PP::true, context => { delegates => JSON::PP::true } },
	{ expr => '$.nosuch', mode => 'legacy', data => {} },
], [
	error('YaqlGrammarException'), { value => { '$tuple' => [{ '$tuple' => ['a', 1] }] } }, error('YaqlGrammarException'),
	{ value => 5 }, { value => undef },
];
batch 'options', [
	{ expr => 'range(5)', options => { 'yaql.limitIterators' => 2 } },
	{ expr => '{a => 1}.select($)', options => { 'yaql.iterableDicts' => JSON::PP::true } },
	{ expr => '1', options => { 'yaql.nosuch' => 1 } }, { expr => '1', options => 5 },
], [ error('CollectionTooLargeException'), { value => ['a'] }, { value => 1 }, error('RequestError') ];
batch 'errors have places', [ { expr => "1 +\n 2 3" }, { expr => '1 #' }, { expr => '"\xzz"' } ], [
	sub { my $e = $_[0]{error}; $e->{type} eq 'YaqlGrammarException' && $e->{line} == 2 && $e->{col} == 4
		&& $e->{message} eq "Parse error: unexpected '3' at position 7 of expression '1 +\n 2 3'" },
	sub { my $e = $_[0]{error}; $e->{type} eq 'YaqlLexicalException' && $e->{line} == 1 && $e->{col} == 3 },
	error('UnicodeDecodeError', qr/truncated \\xXX escape/),
];
batch 'any line gets an answer', [
	'', '{', 'null', '[]', '"x"', '{}', '{"expr": 1}', '{"expr": "1", "mode": 5}', '{"expr": "1", "vars": 5}', "\xff\xfe", '{"expr":"\ud800"}',
	'[' x 100000, { expr => '(' x 50000 }, { expr => '-' x 50000 . '1' }, { expr => '1' . '+1' x 5000 }, { expr => '[' . '1,' x 3000 . '1].len()' },
	{ expr => "\0" }, { expr => '' }, { expr => '1' },
], [
	(error('RequestError')) x 4, error('RequestError'), (error('RequestError')) x 4, sub { $_[0]{error} }, sub { $_[0]{error} },
	error('RequestError'), (error('YaqlGrammarException', qr/nested deeper/)) x 3, { value => 3001 },
	error('YaqlLexicalException'), error('YaqlGrammarException', qr/unexpected end/), { value => 1 },
];
batch 'a float with many digits', [ { expr => '1.' . '5' x 600 } ], [ { value => 1.5555555555555556 } ];
batch 'recursion ends', [ { expr => 'def(f, f($)) -> f(1)' }, { expr => '2' } ], [ error('RecursionError'), { value => 2 } ];
batch 'a limit of time', [ { expr => 'sequence().where($ < 0).first()' }, { expr => '3' }, '{' ],
	[ error('TimeoutError'), { value => 3 }, error('RequestError') ], '--timeout', '0.5';
batch 'a limit of memory', [ { expr => 'sequence().toList()' }, { expr => '3' } ], [ error('MemoryError'), { value => 3 } ], '--memory', '150'
	unless ($ENV{CONFIG} // '') eq 'asan';
batch 'a host in Lua', [ { expr => 'twice(4)' }, { expr => 'fail()' }, { expr => 'twice(x)' } ],
	[ { value => 8 }, error('ValueError', qr/no luck/), error('NoMatchingFunctionException') ], '--lua', $lua;

done();
