#!/usr/bin/perl
# `vetro query` day by day: streams of documents, what they cost, output forms, carets, the C compiler as a second way, long batches.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $asan = ($ENV{CONFIG} // '') eq 'asan';

sub query { my ($in, @args) = @_; return vetro({ in => $in }, 'query', @args) }

sub gives {
	my ($title, $want, $in, @args) = @_;
	my ($st, $out, $err) = query($in, @args);
	ok($st == 0 && $out eq $want && $err eq '', $title, "status $st", "want $want", "got  $out", $err);
}

# What was printed before the error counts as well.
sub breaks {
	my ($title, $want, $pattern, $in, @args) = @_;
	my ($st, $out, $err) = query($in, @args);
	ok($st == 1 && $out eq $want && $err =~ $pattern, $title, "status $st", "want $want", "got  $out", $err);
}

sub file { my ($name, $text) = @_; spew("$W/$name", $text); return "$W/$name" }

# ---- streams of JSON
gives 'JSON lines', "1\n2\n3\n", qq({"a":1}\n{"a":2}\n\n{"a":3}\n), '$.a';
gives 'values without newlines', qq({"a":1}\n[2]\n"x"\n3\ntrue\nnull\n-4\n"\xc3\xa9"\n), qq({"a":1}[2]"x" 3 true\tnull -4"\xc3\xa9"), '-c', '$';
gives 'values over several lines', "2\n2\n", qq({\n "a": [\n1,\n2]\n}\n{"a":\n[3,4]}), '$.a.len()';
gives 'brackets, quotes and backslashes in strings', "[\"}]\\\"\\\\\"]\n{\"{\":\"\\\\\"}\n", q(["}]\"\\\\"]{"{":"\\\\"}), '-c', '$';
{
	my ($in, $want) = ('', '');
	for my $n (0 .. 200) {
		my $text = ('x' x $n) . ('\\\\' x ($n % 5)) . '\\"}]' . ('{[' x ($n % 3));
		$in .= '{"k' . ('y' x ($n % 67)) . qq(":["$text"]});
		$want .= ($n + $n % 5 + 3 + 2 * ($n % 3)) . "\n";
	}
	gives 'ends are found at every offset of a block', $want, $in, '$.values().first()[0].len()';
}
gives 'CRLF', "1\n2\n", "1\r\n2\r\n", '$';
gives 'a long stream through a pipe', "100000\n", join("\n", 1 .. 100000), '-s', '$.len()';
gives 'several files', "1\n2\n3\n", "3", '$', file('a.jsonl', "1\n2\n"), '-';
gives 'files of both kinds', "1\n{\"a\":2}\n", '', '-c', '$', file('b.json', '1'), file('b.yaml', "a: 2\n");
gives '-s', "[1,[2],{\"a\":3}]\n", '1 [2] {"a":3}', '-sc', '$';
gives '-s of nothing', "[]\n", '', '-s', '$';
gives '-s over files', "6\n", '', '-s', '$.sum()', file('c.jsonl', "1\n2\n"), file('d.yaml', "--- 3\n");
gives 'lazy results do not mix', "[2]\n[3]\n", '[1] [2]', '-c', '$.select($ + 1)';
gives 'the session starts over', "[[1,2]]\n[[3,4]]\n", '[{"a":1,"b":2}] [{"b":4,"a":3}]', '-c', '$.orderBy($.a).select([$.a, $.b])';

breaks 'an error names its document', "1\n",
	qr/^<expression>:1:3: error\[E4007\]: ZeroDivisionError: .*\n    1 \| 1 \/ \$\n      \|   \^\n<stdin>:3:2: note: in document 2\n\z/,
	"1\n\n 0\n1\n", '1 / $';
breaks 'the only document needs no name', '', qr/\^\n\z/, '0', '1 / $';
breaks 'in a second file', "1\n", qr/\n\S+zero\.jsonl:1:1: note: in document 2\n\z/, '', '1 / $', file('one.jsonl', "1\n"), file('zero.jsonl', '0');
breaks '-k goes on', "1\n1\n", qr/<stdin>:2:1: note: in document 2\n\z/, "1\n0\n1\n", '-k', '1 / $';
breaks 'broken JSON says where, in code points', "1\n", qr/^<stdin>:3:11: error\[E4021\]: .*\n    3 \|  .*\n      \|           \^\n\z/,
	"1\n[2,\n \"\xc3\xa9\xc3\xa9\xc3\xa9\", 3 4]", '$';
breaks 'in a line, behind others', "1\n[]\n", qr/^<stdin>:1:11: error/, '1 [] {"a" 3}', '$';
breaks 'a value that is not closed', "1\n", qr/^<stdin>:2:6: error/, "1\n[1, 2", '$';
breaks 'a word that is none', "1\n", qr/^<stdin>:2:5: error\[E4021\]: text after the value\n    2 \| truefalse\n      \|     \^\n\z/, "1\ntruefalse\n", '$';
breaks 'a bracket too many', "1\n", qr/<stdin>:2:1: /, "1\n]\n", '$';
breaks 'NUL', "1\n", qr/<stdin>:2:1: /, "1\n\0\n", '$';
breaks 'no UTF-8', "1\n", qr/<stdin>:2:\d+: .*UTF-8/, "1\n\"\xff\"\n", '$';
breaks 'nested too deeply', "1\n", qr/^<stdin>:2:\d+: error\[E4021\]: nested too deeply\n/, "1\n" . '[' x 5000 . ']' x 5000, '$';
breaks 'a document that is too large', '', qr/^<stdin>:1:1: error\[E0102\]: the document is larger than --max-document allows/, '"' . 'x' x 3_000_000 . '"',
	'--max-document', 1, '$';
{
	my ($st, $out, $err) = query('', '$', file('a1.jsonl', '1'), "$W/nosuch", file('a2.jsonl', '2'));
	ok($st == 2 && $out eq "1\n2\n" && $err =~ /nosuch: error\[E0101\]: No such file/,
		'a file that is not there: the others are read, and the status is jq\'s', $st, $out, $err);
}
breaks 'a directory', '', qr/Is a directory/, '', '$', $W;

# ---- which of both it is
gives 'YAML documents', "[1,0,[],null,{\"a\":\"b\"}]\n", "1\n--- 0\n---\n[]\n---\n---\na: b\n", '-sc', '$';
gives 'directives and ends', "[\"a\",\"b\",\"c\"]\n", <<'Y', '-sc', '$';
%YAML 1.1
---
a
...
# x
%TAG ! tag:x,1:
---
b
--- c
...
Y
gives 'a marker inside of a block is text', "\"--- x\\n\"\n", "a: |\n  --- x\n", '$.a';
gives 'comments only', "null\n", "# nothing\n", '$';
gives 'a text in quotes as a key', "1\n", '"a": 1', '$.a';
gives 'a word with a number in front', "\"2 apples\"\n", '2 apples', '$';
gives 'blanks in front of YAML', "{\"a\":1,\"b\":2}\n", "\n  a: 1\n  b: 2\n", '-c', '$';
gives 'a list of YAML', "[-1,-2]\n", "- -1\n- -2\n", '-c', '$';
gives 'JSON, then a marker', "{\"a\":1}\n{\"b\":2}\n", "{\"a\": 1}\n---\nb: 2\n", '-c', '$';
gives 'numbers are JSON lines', "1\n2\n", "1\n2\n", '$';
breaks 'broken YAML says where, in the whole file', "1\n", qr/^<stdin>:5:\d+: error/, "--- 1\n---\na: 1\nb: 2\n c: 3\n", '$';
breaks 'what begins like JSON is blamed as JSON', '', qr/^<stdin>:1:6: error/, "{\"a\" x\n", '$';
breaks 'an error in a YAML document', "1\n", qr/\n<stdin>:4:1: note: in document 2\n\z/, "--- 1\n# zero\n---\n0\n", '1 / $';

# ---- variables, the expression's file
gives '--arg and --argjson', "[\"1\",{\"k\":[1]},\"1\"]\n", '', '-nc', '--arg', 'a', '1', '--argjson', 'b', '{"k":[1]}', '[$a, $b, $a]';
gives '--arg of every document', "3\n4\n", '1 2', '--argjson', 'x', '2', '$ + $x';
my ($st, $out, $err) = query('', '-n', '--argjson', 'x', '{', '1');
ok($st == 2 && $err =~ /--argjson x: .*line 1/, '--argjson that is none', "$st $err");
($st, $out, $err) = query('', '-n', '1', '--arg', 'x');
ok($st == 2 && $err =~ /a name and a value/, '--arg without a value', "$st $err");
gives '-f', "3\n", '[1,2]', '-f', file('sum.yaql', "\xef\xbb\xbf\$.sum(\n)\n"), '-';
breaks '-f: the place', '', qr/^\S+bad\.yaql:2:3: error\[E4101\]: NoFunctionRegisteredException: .*\n    2 \|   nosuch\(2\)\n      \|   \^\n\z/, '', '-n', '-f',
	file('bad.yaql', "1 +\n  nosuch(2)\n");
breaks '-f: a file that is not there', '', qr/nosuch\.yaql/, '', '-n', '-f', "$W/nosuch.yaql";

# ---- carets
breaks 'wide characters and tabs', '', qr/\n    2 \|     \xe6\x97\xa5\xe6\x9c\xac # 2\n      \|          \^\n\z/, '', '-n',
	"1 +\n\t\xe6\x97\xa5\xe6\x9c\xac # 2";
breaks 'an operator in a later line', '', qr/\n    2 \| "x" \/ 2\n      \|     \^\n  hint: .*\n\z/, '', '-n', "1 +\n\"x\" / 2";
breaks 'inside of a lambda', '', qr/\n    2 \| select\(1\/\$\)\n      \|         \^\n\z/, '', '-n', "[0].\nselect(1/\$)";
breaks 'a long line is cut', '', qr/\n    1 \| \.\.\..*1\/0.*\.\.\.\n      \| +\^\n\z/, '', '-n', ' ' x 300 . '1/0' . ' + 1' x 100;
breaks 'control characters are shown', '', qr/\\u\{1b\}/, '', '-n', "\"\e[31m";
breaks 'an argument of the wrong kind', '', qr/\n    1 \| int\("x"\)\n      \| \^\n\z/, '', '-n', 'int("x")';

# ---- YAML out
my $all_kinds = '{a => [1, {b => "yes", c => "x: y"}, [], {}, [[1, 2], [3]]], m => "l1\nl2\n", n => "l1\n\nl2", f => 1.5,
	g => 12.0 * 1000000000000000000000, e => null, "1" => true, t => "2020-01-01"}';
gives 'YAML', <<'Y', '', '-ny', $all_kinds;
a:
  - 1
  - b: "yes"
    c: "x: y"
  - []
  - {}
  - - - 1
      - 2
    - - 3
m: |
  l1
  l2
"n": |-
  l1

  l2
f: 1.5
g: 1.2e+22
e: null
"1": true
t: "2020-01-01"
Y
gives 'YAML documents out', "1\n---\n- a\n---\nb c\n", '1 ["a"] "b c"', '-y', '$';
{
	my @texts = ('', ' ', 'a', 'no', 'NULL', '~', '1', '1.5', '.5', '0x1f', '1:30', 'a: b', 'a #b', '#', '- a', '-', '?', 'a:',
		"a\nb", "\na", " a\nb", "a\n", "a\n\n", "\n", "a\n b\n", "\t", "a\tb", 'x' x 2000,
		'"', "'", '\\', '{', '[', '&a', '*a', '!a', '%a', '@a', '`a', 'a,b',
		"\x{1}", "\x{7f}", "\x{85}", "\x{2028}", "\x{feff}", "\x{1f600}", "\x{e9}t\x{e9}", '---', '...', '=', '<<', 'a ', 'inf', '.inf', '1e3',
		'2020-01-01', 'true', 'Y', 'off', "a\r\nb", '$x', 'a(b) = c/d');
	require JSON::PP;
	my $j = JSON::PP->new->utf8->allow_nonref->canonical;
	my $in = $j->encode({ list => [map { [$_, { "k$_" => [$_] }] } @texts], big => 12345678901234567890, f => 0.1 });
	my ($s1, $yaml) = query($in, '-y', '$');
	my ($s2, $back, $e) = query($yaml, '-c', '$');
	my $same = $s1 == 0 && $s2 == 0 && $j->encode($j->decode($back)->{list}) eq $j->encode($j->decode($in)->{list});
	ok($same, 'YAML reads back as the same', $e, $yaml);
}

# ---- output
gives '-r of lines', "a\nb\n", '"a" "b"', '-r', '$';
{
	open(my $full, '>', '/dev/full') or die;
	my $pid = fork // die;
	if (!$pid) { open(STDOUT, '>&', $full); open(STDERR, '>', "$W/.err"); exec $vetro, 'query', '-n', '1' or exit 127 }
	waitpid $pid, 0;
	open(my $f, '<', "$W/.err"); my $e = join '', <$f>;
	ok($? >> 8 == 1 && $e =~ /standard output/, 'a full disk', $?, $e);
}
($st, $out, $err) = query("1 2 3", '--timeout', '0.5', 'switch($ = 2 => sequence().where($ < 0).first(), true => $)');
ok($st == 6 && $out eq "1\n" && $err =~ /error\[E4301\]: .* longer than --timeout.*\n<stdin>:1:3: note: in document 2\n\z/,
	'--timeout of a document keeps what was printed', $st, $out, $err);
($st, $out) = query('', '--emit-c', '1');
ok($st == 0 && $out =~ /vt_query_program/, '--emit-c');
($st, $out) = vetro('help', 'query');
ok($st == 0 && $out =~ /--slurp/ && $out =~ /--jit/ && $out !~ /.{129}/, 'vetro help query');
{
	# Each answer comes before the next question.
	require IPC::Open2;
	my $pid = IPC::Open2::open2(my $from, my $to, $vetro, 'query', '$ + 1');
	my $good = 1;
	for my $i (1 .. 3) {
		syswrite($to, "$i\n");
		local $SIG{ALRM} = sub { die };
		my $line = eval { alarm 20; my $l = <$from>; alarm 0; $l } // '';
		$good &&= $line eq $i + 1 . "\n";
		last unless $good;
	}
	close $to;
	waitpid $pid, 0;
	ok($good, 'a slow stream is answered at once');
}

# ---- memory
sub peak { # status and output
	my ($command) = @_;
	my $out = qx($command);
	return ($? >> 8, $out);
}
if ($asan) {
	skip("memory of a stream", "the sanitizers reserve more than any limit");
} else {
	my $line = '{"id": 1, "name": "x", "list": [1, 2, 3], "text": "' . 'y' x 100 . '"}';
	spew("$W/gen.pl", 'my $l = q(' . $line . '); print(("$l\n") x 100) for 1 .. 13000;');
	my ($s, $o) = peak("perl $W/gen.pl | (ulimit -v 200000; $vetro query -c '\$.id' | sort | uniq -c)");
	ok($o =~ /^\s*1300000 1$/, '200 MB of lines in little memory', $o);
	spew("$W/gen2.pl", 'print q({"id": [1, "}"]}) x 100 for 1 .. 100000;');
	($s, $o) = peak("perl $W/gen2.pl | (ulimit -v 200000; $vetro query -c '\$.id[0]' | sort | uniq -c)");
	ok($o =~ /^\s*10000000 1$/, '170 MB without a newline in little memory', $o);
	spew("$W/gen3.pl", 'print "a: [1, 2]\n---\n" x 100 for 1 .. 300; print "a: 1\n"');
	($s, $o) = peak("perl $W/gen3.pl | (ulimit -v 200000; $vetro query -c '\$.a' | wc -l)");
	ok($o == 30001, 'YAML documents in little memory', $o);
}

# ---- the other way to run: cc and dlopen
my $cc = system('cc --version >/dev/null 2>&1') == 0;
sub tmp_left { opendir(my $d, $W) or die; return grep { /^vetro-/ } readdir $d }
if (!$cc) {
	skip('cc', 'there is no cc');
} else {
	local $ENV{TMPDIR} = $W;
	gives '--jit=cc', "[2,4]\n", '[1,2]', '-c', '--jit=cc', '$.select($ * 2)';
	gives '--jit=memory', "[2,4]\n", '[1,2]', '-c', '--jit=memory', '$.select($ * 2)';
	breaks '--jit=cc: errors', '', qr/ZeroDivisionError.*\n    1 \| 1\/0\n      \|  \^\n\z/, '', '-n', '--jit=cc', '1/0';
	my $lua = file('expr.lua', 'vetro.register { name = "ev", params = "s: str", fn = function(s) return vetro.expr(s)() end }');
	gives '--jit=cc: an expression of the host', "3\n", '', '-n', '--jit=cc', '--lua', $lua, 'ev("1 + 2")';
	gives '--jit=cc: a batch', qq({"value":3}\n{"value":[1,4]}\n), qq({"expr":"1+2"}\n{"expr":"\$.select(\$*\$)","data":[1,2]}\n), '--batch', '--jit=cc';
	spew("$W/strict-cc", "#!/bin/sh\nexec cc -Werror=implicit-function-declaration \"\$@\"\n");
	chmod 0755, "$W/strict-cc";
	{
		local $ENV{VETRO_CC} = "$W/strict-cc";
		gives '--jit=cc: all functions are declared, as newer compilers want it', "3\n", '', '-n', '--jit=cc', '1 + 2';
	}
	ok(!tmp_left(), 'nothing is left behind', tmp_left());
	local $ENV{VETRO_CC} = "$W/nocc";
	($st, $out, $err) = query('', '-n', '--jit=cc', '1');
	ok($st == 4 && $err =~ /nocc/, 'no compiler: status 4', $st, $err);
	$ENV{VETRO_CC} = 'false';
	($st, $out, $err) = query('', '-n', '--jit=cc', '1');
	ok($st == 4, 'a compiler that fails: status 4', $st, $err);
	ok(!tmp_left(), 'nothing is left behind then either', tmp_left());
}
# The same answers both ways: a part of the registry's examples here, all recorded cases in `make check-conformance`.
if ($cc && $ENV{BUILD} && open(my $f, '<', "$ENV{BUILD}/gen/registry_examples.jsonl")) {
	my ($i, $in) = (0, '');
	while (<$f>) { $in .= $_ if /"layer":"std"/ && $i++ % 12 == 0 }
	my ($s1, $memory) = query($in, '--batch', '--jit=memory');
	my ($s2, $object) = vetro({ in => $in, limit => 300 }, 'query', '--batch', '--jit=cc');
	ok($s1 == 0 && $s2 == 0 && $memory eq $object && ($memory =~ tr/\n//) > 20, 'examples through memory and through cc', $memory, $object);
} else {
	skip('examples through memory and through cc', 'there is no cc or no list of examples');
}
# PR_SET_MDWE: from then on the kernel refuses to make memory executable.
if ($cc && !$asan && syscall(157, 66, 0, 0, 0, 0) >= 0) {
	my $hard = 'syscall(157, 65, 1, 0, 0, 0) == 0 or die; exec @ARGV';
	my $out = qx(perl -e '$hard' $vetro query -n '[1,2].select(\$ + 1).len()' 2>&1);
	ok($? == 0 && $out eq "2\n", 'where memory may not be executable cc takes over', $out);
	$out = qx(perl -e '$hard' $vetro query -n --jit=memory 1 2>&1);
	ok($? >> 8 == 4 && $out =~ /no memory for code/, 'unless it must not', $out);
} else {
	skip('memory that may not be executable', 'the kernel has no such mode');
}

# ---- Lua out of its sandbox
my $lua = file('unsafe.lua', <<'L');
vetro.register { name = "home", fn = function()
	return io.open and os.getenv("W") .. type(debug.traceback) .. load("return 1")()
end }
L
$ENV{W} = 'w';
breaks 'no io without --lua-unsafe', '', qr/LuaError/, '', '-n', '--lua', $lua, 'home()';
gives '--lua-unsafe', "\"wfunction1\"\n", '', '-n', '--lua-unsafe', '--lua', $lua, 'home()';
gives '--lua-unsafe in a batch', qq({"value":"wfunction1"}\n), qq({"expr":"home()"}\n), '--batch', '--lua-unsafe', '--lua', $lua;
my $loop = file('loop.lua', <<'L');
vetro.register { name = "loop", fn = function() while true do end end }
vetro.register { name = "eat", fn = function()
	local t = {}
	while true do t[#t + 1] = ("x"):rep(1000) .. #t end
end }
L
breaks '--lua-steps', '', qr/instruction/, '', '-n', '--lua-steps', 100000, '--lua', $loop, 'loop()';
breaks '--lua-memory', '', qr/memory/, '', '-n', '--lua-memory', 4000000, '--lua', $loop, 'eat()';

# ---- batches that are hard to bear
{
	my $deep = '[' x 100000;
	my @lines = ("\0", "\xff\xfe{}", '{"expr":"1","data":' . $deep . '}', '{"expr": "' . 'x' x 5_000_000 . '"}',
		' ' x 2_000_000, '{"expr":"' . '(' x 100000 . '"}',
		'{"expr":"\u0000"}', "{\"expr\":\"\xff\"}", '{"expr":"$","data":"' . 'y' x 3_000_000 . '"}', '"',
		'{"expr":"1","expr":"2"}', '{"expr":"[1,2].select(' . '$+' x 2000 . '1)"}');
	my $in = join('', map { "$_\n{\"expr\":\"" . (40 + 2) . "\"}\n" } @lines) . '{"expr":"43"}';
	my ($s, $o) = vetro({ in => $in, limit => 300 }, 'query', '--batch');
	my @got = split /\n/, $o;
	my @after = grep { $got[2 * $_ + 1] ne '{"value":42}' } 0 .. $#lines;
	ok($s == 0 && @got == 2 * @lines + 1 && !@after && $got[-1] eq '{"value":43}',
		'a line after an error is answered', $s, scalar(@got), "@after", map { substr $_, 0, 100 } @got);
	($s, $o) = vetro({ in => '{"expr":"' . 'x' x 3_000_000 . "\"}\n{\"expr\":\"1\"}\n" }, 'query', '--batch', '--max-document', '1');
	ok($s == 0 && $o eq qq({"error":{"type":"RequestError","message":"the line is too long","line":null,"col":null}}\n{"value":1}\n),
		'a line that is too long', $o);
}
unless ($asan) {
	my $long = "perl -e 'print qq(x) for 1..1; print qq(y) x 1000000 for 1 .. 400; print qq(\\n{\"expr\":\"1\"}\\n)'";
	my ($s, $o) = peak("$long | (ulimit -v 900000; $vetro query --batch --memory 200)");
	ok($o =~ /too long.*\n\{"value":1\}\n/, 'a line without an end in bounded memory', $o);
}

done();
