#!/usr/bin/perl
# Resources of packages (K10) and decryptData(): values and errors are those of murano 14.0.0 for the same files, but for the words
# of some YAML errors. Then where the files come from: directories, archives, IR text, several versions; links, sizes, `vetro test`.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Session;
use Tap;

$ENV{XDG_CACHE_HOME} = "$W/cache";
mkdir "$W/cache";
my $json = JSON::PP->new->canonical->allow_nonref->utf8;

my %files = (
	't.txt' => "h\xc3\xa9llo\r\nx\rz\n", 'bin' => "\xff\xfe\0ab", 'empty' => '', 'sub/f' => 'sub', 'bom.json' => "\xef\xbb\xbf{\"a\":1}",
	'x.json' => '{"a": [1, 2.5, null], "b": {"c": true}, "a": 7, "n": NaN, "i": -Infinity, "big": 123456789012345678901234567890}',
	'x.yaml' => "a: 1\nb: [x, 2013-05-23, 010, 1e3, on, 0x10, 1.5, ~, 2001-12-14t21:59:43.10-05:00]\nc: &z {k: v}\nd: *z\ne: {<<: *z, q: 1}\n",
	'keys.yaml' => "\$int: '5'\n1: one\nnull: nothing\nd: !!binary aGk=\n", 'tag.yaml' => "\$int: '5'\n", 'two.yaml' => "--- 1\n--- 2\n",
	'num.yaml' => "a: .inf\nb: 123456789012345678901234567890\nc: 1_000\nd: 1:30\n", 'date.yaml' => '2001-12-14',
	'j1' => '{"a":1,}', 'j2' => '[1 2]', 'j3' => '{"a" 1}', 'j4' => '["abc', 'j5' => "[\"a\tb\"]", 'j6' => '["\q"]', 'j7' => '1 2',
	'j8' => "{\n \"\xc3\xa9\": [1,\n  tru]}", 'j9' => '["\u12"]', 'j10' => '[' x 2000,
	'u1' => "ab\xe2\x82", 'u2' => "ab\xe2\x28\xa1", 'u3' => "\xf0\x9f\x98x", 'u4' => "x\xc3",
	'y1' => "a: b: c\n", 'y2' => "\"abc\n", 'y3' => "a: *x\n", 'y4' => "a: [1\n", 'y5' => "a: !foo x\n", 'y6' => "? [1,2]\n: x\n",
	'y7' => "a: \"\x01\"\n", 'y8' => '!yaql "$.x"', 'y9' => "a: !!int xx\n", 'zero' => "a\0b",
	'big' => join('', map { chr($_ % 251) } 1 .. 5000),
);
my $e = 'sys:Resources';
my $no = 'path P/Resources';
my @cases = (
	"$e.string('t.txt')" => '"h\u00e9llo\nx\nz\n"',
	"new($e).string('t.txt')" => '"h\u00e9llo\nx\nz\n"',
	"$e.string(name => 't.txt')" => '"h\u00e9llo\nx\nz\n"',
	"$e.string('t.txt', binary => true)" => '[104,195,169,108,108,111,13,10,120,13,122,10]',
	"$e.string('t.txt', binary => null)" => '"h\u00e9llo\nx\nz\n"',
	"$e.string('bin', null, true)" => '[255,254,0,97,98]',
	"len($e.string('big', binary => true))" => '5000',
	"$e.string('empty')" => '""', "$e.string('empty', binary => true)" => '[]', "$e.yaml('empty')" => 'null',
	"$e.string('zero')" => '"a\u0000b"',
	"$e.string('sub/f')" => '"sub"', "$e.string('sub/../sub//./f')" => '"sub"', "$e.string('../Resources/sub/f')" => '"sub"',
	"$e.string('bom.json')" => '"\ufeff{\"a\":1}"',
	"$e.string('t.txt', :D) = $e.string('t.txt', 't.res.D')" => 'true',
	"[1].select($e.string('sub/f'))" => '["sub"]',
	"str($e.json('x.json'))" => "\"{'a': 7, 'b': {'c': True}, 'n': nan, 'i': -inf, 'big': 123456789012345678901234567890}\"",
	"new($e).json('x.json', :D).b" => '{"c":true}',
	"str($e.yaml('x.yaml'))" => "\"{'a': 1, 'b': ('x', '2013-05-23', 8, '1e3', True, 16, 1.5, None, '2001-12-14t21:59:43.10-05:00'), "
		. "'c': {'k': 'v'}, 'd': {'k': 'v'}, 'e': {'k': 'v', 'q': 1}}\"",
	"str($e.yaml('keys.yaml'))" => "\"{'\$int': '5', 1: 'one', None: 'nothing', 'd': (104, 105)}\"",
	"$e.yaml('tag.yaml')" => '{"$int":"5"}',
	"str($e.yaml('num.yaml'))" => "\"{'a': inf, 'b': 123456789012345678901234567890, 'c': 1000, 'd': 90}\"",
	"$e.yaml('date.yaml')" => '"2001-12-14"', "$e.yaml('t.txt')" => '"h\u00e9llo x z"',
	"typeinfo($e).methods.select(\$.name).orderBy(\$)" => '["getAttr","json","setAttr","string","yaml"]',
	"$e.string('nope')" => ['FileNotFoundError', "[Errno 2] No such file or directory: 'P/Resources/nope'"],
	"$e.string('t.txt', std:Object)" => ['FileNotFoundError', qr/^\[Errno 2\] No such file or directory: /],
	"$e.string('sub')" => ['IsADirectoryError', "[Errno 21] Is a directory: 'P/Resources/sub'"],
	"$e.string('sub/')" => ['IsADirectoryError', "[Errno 21] Is a directory: 'P/Resources/sub'"],
	"$e.string('t.txt/x')" => ['NotADirectoryError', "[Errno 20] Not a directory: 'P/Resources/t.txt/x'"],
	"$e.string('../x')" => ['ValueError', "$no/../x is not allowed ('P/Resources', '../x')"],
	"$e.string('sub/../..')" => ['ValueError', "$no/sub/../.. is not allowed ('P/Resources', 'sub/../..')"],
	"$e.string('/etc/passwd')" => ['ValueError', "path /etc/passwd is not allowed ('P/Resources', '/etc/passwd')"],
	"$e.string('')" => ['ValueError', "$no/ is not allowed ('P/Resources', '')"],
	"$e.string(\"a\\x00\")" => ['ValueError', 'embedded null byte'],
	"$e.string(null)" => ['TypeError', "join() argument must be str, bytes, or os.PathLike object, not 'NoneType'"],
	"$e.string(5)" => ['TypeError', "join() argument must be str, bytes, or os.PathLike object, not 'int'"],
	"$e.string('t.txt', \$this)" => ['ArgumentException', 'Invalid argument owner'],
	"$e.string('t.txt', binary => 'yes')" => ['ArgumentException', 'Invalid argument binary'],
	"$e.string('t.txt', 'no.Such')" => ['NoClassFound', 'Class "no.Such" is not found in io.murano/0.0.0, t.res/0.1.0'],
	"$e.string('bin')" => ['UnicodeDecodeError', "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"],
	"$e.yaml('bin')" => ['UnicodeDecodeError', "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte"],
	"$e.string('u1')" => ['UnicodeDecodeError', "'utf-8' codec can't decode bytes in position 2-3: unexpected end of data"],
	"$e.string('u2')" => ['UnicodeDecodeError', "'utf-8' codec can't decode byte 0xe2 in position 2: invalid continuation byte"],
	"$e.json('u3')" => ['UnicodeDecodeError', "'utf-8' codec can't decode bytes in position 0-2: invalid continuation byte"],
	"$e.string('u4')" => ['UnicodeDecodeError', "'utf-8' codec can't decode byte 0xc3 in position 1: unexpected end of data"],
	(map { ("$e.json('$_->[0]')" => ['json.decoder.JSONDecodeError', $_->[1]]) }
		['bom.json', 'Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)'],
		['empty', 'Expecting value: line 1 column 1 (char 0)'],
		['j1', 'Expecting property name enclosed in double quotes: line 1 column 8 (char 7)'],
		['j2', "Expecting ',' delimiter: line 1 column 4 (char 3)"], ['j3', "Expecting ':' delimiter: line 1 column 6 (char 5)"],
		['j4', 'Unterminated string starting at: line 1 column 2 (char 1)'],
		['j5', 'Invalid control character at: line 1 column 4 (char 3)'], ['j6', 'Invalid \escape: line 1 column 3 (char 2)'],
		['j7', 'Extra data: line 1 column 3 (char 2)'], ['j8', 'Expecting value: line 3 column 3 (char 14)'],
		['j9', 'Invalid \uXXXX escape: line 1 column 4 (char 3)']),
	"$e.json('j10')" => ['RecursionError', qr/^maximum recursion depth exceeded/],
	"$e.yaml('y1')" => ['yaml.scanner.ScannerError', qr/^mapping values are not allowed in this context\n  in "<unicode string>", line 1, column 5$/],
	"$e.yaml('y2')" => ['yaml.scanner.ScannerError', qr/found unexpected end of stream\n/],
	"$e.yaml('y3')" => ['yaml.composer.ComposerError', qr/^found undefined alias\n/],
	"$e.yaml('y4')" => ['yaml.parser.ParserError', "while parsing a flow sequence\n  in \"<unicode string>\", line 1, column 4\n"
		. "did not find expected ',' or ']'\n  in \"<unicode string>\", line 2, column 1"],
	"$e.yaml('y5')" => ['yaml.constructor.ConstructorError',
		"could not determine a constructor for the tag '!foo'\n  in \"<unicode string>\", line 1, column 4"],
	"$e.yaml('y6')" => ['yaml.constructor.ConstructorError', qr/found unhashable key\n  in "<unicode string>", line 1, column 3$/],
	"$e.yaml('y7')" => ['yaml.reader.ReaderError', qr/control characters are not allowed/],
	"$e.yaml('y8')" => ['yaml.constructor.ConstructorError',
		"could not determine a constructor for the tag '!yaql'\n  in \"<unicode string>\", line 1, column 1"],
	"$e.yaml('y9')" => ['ValueError', qr/xx/], "$e.yaml('zero')" => ['yaml.reader.ReaderError', qr/control/],
	"$e.yaml('two.yaml')" => ['yaml.composer.ComposerError', qr/^expected a single document in the stream\n.*but found another document/s],
	"decryptData('9f3c')" => ['castellan.common.exception.AuthTypeInvalidError', 'Invalid auth_type was specified, auth_type: None'],
	"'9f3c'.decryptData()" => ['castellan.common.exception.AuthTypeInvalidError', 'Invalid auth_type was specified, auth_type: None'],
	'decryptData(5)' => ['NoMatchingFunctionException', 'No function "decryptData" matches supplied arguments'],
	'decryptData(null)' => ['NoMatchingFunctionException', 'No function "decryptData" matches supplied arguments'],
);

# A class with a method a case: test0, test1, ...
my ($class, $n) = ("Namespaces: {=: t.res, sys: io.murano.system, std: io.murano}\nName: C\nMethods:\n", 0);
for (my $i = 0; $i < @cases; $i += 2) {
	(my $text = $cases[$i]) =~ s/'/''/g;
	$class .= "  test" . $n++ . ": {Scope: Public, Body: [{Return: !yaql '$text'}]}\n";
}
$class .= <<'E2';
  testCaught:
    Body:
      - Try:
          - sys:Resources.string('nope')
        Catch:
          - As: e
            Do: [{Return: $e.name}]
---
Name: D
E2
my %package = ('manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.res\nVersion: 0.1.0\nClasses: {t.res.C: C.yaml, t.res.D: C.yaml}\n",
	'Classes/C.yaml' => $class, map { ("Resources/$_" => $files{$_}) } keys %files);
my $dir = package_dir('res', \%package);
my $model = '{"Objects":{"?":{"type":"t.res.C","id":"root"}}}';

sub answers {
	my ($what, $s, $path) = @_;
	my @wrong;
	for my $i (0 .. $n - 1) {
		my ($title, $want) = @cases[2 * $i, 2 * $i + 1];
		my $answer = $s->call("test$i");
		my $good;
		if (ref $want) {
			my $error = $answer->{error} || {};
			(my $message = ref $want->[1] ? '' : $want->[1]) =~ s/\bP(?=\/Resources)/$path/g;
			$good = ($error->{type} // '') eq $want->[0]
				&& (ref $want->[1] ? $error->{message} =~ $want->[1] : $error->{message} eq $message);
		} else {
			$good = exists $answer->{value} && $json->encode($answer->{value}) eq $json->encode($json->decode($want));
		}
		push @wrong, "$title: $s->{raw}" if !$good;
	}
	ok(!@wrong, "$what: $n expressions", @wrong);
	$s->gives("$what: an error is caught by its name", 'testCaught', '[]', '"FileNotFoundError"');
	is($s->stop, 0, "$what: nothing is left at the end");
}

sub session_of {
	my ($name) = @_;
	Session::build("$W/$name");
	return Session->start("$W/$name", $model);
}

# What is built knows how the package is called, not where on the machine it lay.
answers('a directory', session_of('res'), 'res');
zip_file("$W/res.zip", map { [$_, $package{$_}] } sort keys %package);
answers('an archive', session_of('res.zip'), 'res.zip');

my ($rc, $ir, $err) = vetro('build', '--emit=ir', $dir);
is($rc, 0, 'the files are part of the IR');
spew("$W/res.ir", $ir);
my ($rc2, $again) = vetro('build', '--from=ir', '--emit=ir', "$W/res.ir");
ok($rc2 == 0 && $again eq $ir, 'IR text that is read prints the same');
is((vetro('build', '--from=ir', '-O0', '-o', "$W/fromir.bin", "$W/res.ir"))[0], 0, 'and builds');
answers('IR text', Session->start("$W/fromir", $model), 'res');
(my $unsorted = $ir) =~ s/(\tresource "t.txt".*\n)(\tresource "tag.yaml".*\n)/$2$1/;
like((vetro('build', '--from=ir', '--emit=c', do { spew("$W/bad.ir", $unsorted); "$W/bad.ir" }))[2], qr/E0904.*sorted/, 'IR text out of order is refused');

# ---- several packages and versions: each reads its own
my $main = "Namespaces: {=: t.many, l: t.lib, sys: io.murano.system}\nName: Main\nMethods:\n"
	. "  testAll: {Body: [{Return: [sys:Resources.string(f), !yaql 'sys:Resources.string(f, l:Lib)', l:Lib.own(), l:Lib.made().string(f)]}]}\n";
for my $v (1, 2) {
	package_dir("lib$v", {'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.lib\nVersion: $v.0.0\nClasses: {t.lib.Lib: L.yaml}\n",
		'Classes/L.yaml' => "Namespaces: {=: t.lib, sys: io.murano.system}\nName: Lib\nMethods:\n"
			. "  own: {Usage: Static, Body: [{Return: sys:Resources.string(f)}]}\n"
			. "  made: {Usage: Static, Body: [{Return: new(sys:Resources)}]}\n", 'Resources/f' => "lib $v"});
	package_dir("many$v", {'manifest.yaml' => "Format: 1.4\nType: Application\nFullName: t.many\nVersion: 0.$v.0\nRequire: {t.lib: $v}\n"
		. "Classes: {t.many.Main: M.yaml}\n", 'Classes/M.yaml' => $main, 'Resources/f' => "main $v"});
}
is((vetro('build', '-O0', '-I', "$W/lib1", '-I', "$W/lib2", '-o', "$W/many.bin", "$W/many1", "$W/many2"))[0], 0, 'two packages in two versions build');
for my $v (1, 2) {
	my $s = Session->start("$W/many", '{"Objects":{"?":{"type":"t.many.Main/0.' . $v . '.0","id":"root"}}}');
	$s->gives("version $v: the caller's, the owner's, the callee's, the maker's", 'testAll', '[]', "[\"main $v\",\"lib $v\",\"lib $v\",\"lib $v\"]");
	$s->stop;
}

# ---- vetro run and vetro test
my $fixture = package_dir('fix', {'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.fix\nClasses: {t.fix.T: T.yaml}\n",
	'Classes/T.yaml' => "Namespaces: {=: t.fix, sys: io.murano.system, test: io.murano.test}\nName: T\nExtends: test:TestFixture\nMethods:\n"
		. <<'Y',
  testIt:
    Body:
      - $.assertEqual({a => 1}, sys:Resources.yaml('m.yaml'))
      - $.assertEqual('x', sys:Resources.string(x))
Y
	'Resources/m.yaml' => 'a: 1', 'Resources/x' => 'x'});
my ($trc, $tap, $terr) = vetro('test', $fixture);
is($trc, 0, 'vetro test reads them') or print "# $tap$terr\n";
($rc, my $out, $err) = vetro({ in => "{\"op\":\"load\",\"model\":$model}\n" . '{"op":"call","target":null,"method":"test11","args":[],"kwargs":{}}' . "\n" },
	'run', "$W/res", '--', 'session');
like($out, qr/\{"value":"sub"/, 'vetro run reads them') or print "# $err\n";

# ---- links and sizes
my $link = package_dir('link', { 'Resources/real' => 'r' });
symlink 'real', "$link/Resources/good";
is((vetro('check', $link))[0], 0, 'a link to a file of the package is one');
symlink '/etc/passwd', "$link/Resources/out";
like((vetro('check', $link))[2], qr/E0106.*leads out of the package/, 'a link that leads out is refused');
is((vetro('build', '-o', "$W/link.bin", $link))[0], 1, 'and nothing is built');
unlink "$link/Resources/out";
symlink '.', "$link/Resources/loop";
like((vetro('check', $link))[2], qr/E0112.*leads to no file/, 'a link to a directory is refused');
unlink "$link/Resources/loop";
symlink 'nothing', "$link/Resources/dead";
like((vetro('check', $link))[2], qr/E0112.*leads to no file/, 'a link to nothing is refused');
my @entries = (['manifest.yaml', slurp("$link/manifest.yaml")], ['Resources/real', 'r'], ['Resources/good', 'real', { mode => 0120777 }]);
is((vetro('check', zip_file("$W/link.zip", @entries)))[0], 0, 'the same in an archive');
like((vetro('check', zip_file("$W/link.zip", @entries, ['Resources/dead', 'nothing', { mode => 0120777 }])))[2], qr/E0112/,
	'an archive with a link to nothing');
like((vetro('check', zip_file("$W/link.zip", @entries, ['Resources/../../x', ''])))[2], qr/E0105/, 'an archive that leaves its directory');
my $large = package_dir('large', { 'Resources/a' => 'x' x 700_000, 'Resources/b' => 'y' x 700_000 });
is((vetro('build', '--emit=ir', $large))[0], 0, 'a megabyte is little');
like((vetro('build', '--emit=ir', '--max-resources=1', $large))[2], qr/E0113.*more than 1 MiB/, '--max-resources is a limit');
is((vetro('test', '--max-resources=1', '--list', $large))[0], 1, 'of vetro test, too');
is((vetro('build', "--max-resources=$_", $large))[0], 2, "--max-resources=$_ is no limit") for 0, 'x', 1025, '';

# ---- decryptData() of a host
spew("$W/keys.lua", <<'E2');
local secrets = { ["9f3c"] = "hunter2" }
vetro.register {
  name = "decryptData", kind = "ext", params = "value: str",
  fn = function(id)
    if not secrets[id] then vetro.raise("castellan.common.exception.ManagedObjectNotFoundError", "no secret " .. id) end
    return secrets[id]
  end,
}
E2
my $secret = package_dir('secret', {'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.secret\nClasses: {t.secret.C: C.yaml}\n",
	'Classes/C.yaml' => "Name: t.secret.C\nMethods:\n  testA: {Body: [{Return: [decryptData('9f3c'), !yaql '\"9f3c\".decryptData()']}]}\n"
		. "  testB: {Body: [{Return: decryptData(nope)}]}\n"});
is((vetro('build', '-O0', '--lua', "$W/keys.lua", '-o', "$W/secret.bin", $secret))[0], 0, 'a host with keys');
my $s = Session->start("$W/secret", '{"Objects":{"?":{"type":"t.secret.C","id":"root"}}}');
$s->gives('decryptData() asks the host', 'testA', '[]', '["hunter2","hunter2"]');
$s->fails('and its errors come through', 'testB', '[]', 'ManagedObjectNotFoundError', 'no secret nope');
$s->stop;
done();
