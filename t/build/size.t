#!/usr/bin/env perl
# What a binary links: the functions of the library that its program can come to, and nothing that only others need. What it does
# is the same as with -fno-subset, messages included.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $sanitized = ($ENV{CONFIG} // '') =~ /asan|torture/ || $vetro =~ m{/(asan|torture)/};
$ENV{XDG_CACHE_HOME} = "$W/cache";
mkdir "$W/cache", 0700;

sub build {
	my ($out, @args) = @_;
	my ($rc, undef, $err) = vetro({limit => 300}, 'build', '-O0', '-v', '-o', "$W/$out", @args);
	is($rc, 0, "$out is built") or print map { "# $_\n" } split /\n/, $err;
	return $err;
}

# Standard output, error and status of a command in one text; the program's own name is not told.
sub answer {
	my ($binary, @args) = @_;
	my $pid = open(my $f, '-|') // die "fork: $!";
	if (!$pid) {
		chdir $W;
		open(STDERR, '>&', \*STDOUT);
		open(STDIN, '<', "$W/in") if -e "$W/in";
		exec { "$W/$binary" } 'deploy', @args or exit 127;
	}
	local $/;
	my $text = <$f> // '';
	close $f;
	return $text . 'status ' . ($? >> 8) . "\n";
}

# A program of static methods, one for each expression; the answers of both builds, which are to be the same.
my $programs = 0;
sub both {
	my ($title, $expressions, @args) = @_;
	my $name = 'p' . $programs++;
	my $i = 0;
	my $body = join '', map { "  m" . $i++ . <<'Y' .
:
    Usage: Static
    Scope: Public
    Arguments:
      - x:
          Contract: $
          Default: null
Y
		"    Body:\n      - Return: !yaql '" . s/'/''/gr . "'\n" } @$expressions;
	package_dir($name, {'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.$name\nClasses: {t.C: C.yaml}\n",
		'Classes/C.yaml' => "Namespaces:\n  =: t\n  sys: io.murano.system\n  std: io.murano\nName: C\nMethods:\n$body"});
	my $told = build("$name.small", @args, "$W/$name");
	build("$name.whole", '-fno-subset', @args, "$W/$name");
	my @got;
	for my $k (0 .. $#$expressions) {
		my @ask = ('call', 't.C', "m$k");
		push @got, answer("$name.small", @ask);
		is($got[-1], answer("$name.whole", @ask), "$title: $expressions->[$k]");
	}
	return ($name, $told, @got);
}
sub linked { my ($binary, $text) = @_; open(my $f, '<', "$W/$binary") or return 0; binmode $f; local $/; return index(<$f>, $text) >= 0 }
# A name that nothing defines may still stand in the table of symbols.
sub defined_in { my ($binary, $symbol) = @_; return `nm '$W/$binary'` =~ /^[0-9a-f]+ [TtWw] \Q$symbol\E$/m }

# ---- sizes ----
my $told = build('hello', "$FindBin::Bin/../../examples/hello");
my $whole = build('hello.whole', '-fno-subset', "$FindBin::Bin/../../examples/hello");
my ($small, $all) = (-s "$W/hello", -s "$W/hello.whole");
print "# hello: $small bytes, -fno-subset: $all\n";
if ($sanitized) {
	skip('the size of examples/hello', 'a sanitized binary is larger');
} else {
	ok($small <= 1750000, 'examples/hello has at most 1,750,000 bytes');
	ok($small < $all - 1000000, 'and a million less than with everything');
	# The names of functions are in the table of symbols.
	ok(!linked('hello', $_) && linked('hello.whole', $_), "without $_") for 'pcre2_compile', 'lua_newstate', 'vt_lib_group_by';
}

# ---- functions of all kinds work, and their errors are the same ----
my ($p, undef, @got) = both('functions', [
	'"ab12".replace("1", "x")', '"a-b".split("-")', '[3, 1, 2].orderBy($)', '[3, 1].max()', '[1, 2].sum()', 'dict(a => 1).set("b", 2)',
	'"abc".substring(1, 1)', '[1, null].join(",")', '$x', 'max("b", "a")', '[a, b].orderBy($).thenBy($)']);
like($got[2], qr/\[1,2,3\]/, 'sorting uses < and >');
like($got[0], qr/abx2/, 'replace() of strings');
ok($sanitized || !linked("$p.small", 'pcre2_compile'), 'the overload of replace() for regular expressions brings none along');

($p, undef, @got) = both('errors', [
	'nothing(1)', '$x.nothing()', '1.nothing()', 'len()', 'len(1, 2)', '"a".len(1, 2, 3)', 'len(1)', '[1].where(1, 2)', 'toUpper(1)', '"a".toUpper(1)',
		'len_("abc")', 'nothing__()',
	'"a".replace(1)', '"a".replace(1, 2)', '{a => 1}.b', '(1).b', '[1].b', '"a".year', '1 + "a"', '"a" < 1', '{} < []', '[] - 1', 'null + 1',
		'dict(1)', 'not_a_function',
	'format()', '[2, "a"].max()', '["a", 1].orderBy($)', 'let(1)', 'trace(1)', 'int("x")', 'random(1, 2, 3)',
		'call(len, ["abc"], {})', 'call("len", [1], {})',
	'call(nowhere, [], {})', 'call("len_", ["abc"], {})', 'call(toUpper, ["a"], {})', 'call(toUpper, [], {}, "a")']);
like($got[0], qr/Unknown function "nothing"/, 'an unknown function');
like($got[3], qr/No function "len" matches/, 'a known one with wrong arguments');
like($got[32], qr/"result":3/, 'a name that is a constant');
ok($sanitized || -s "$W/$p.small" < (-s "$W/$p.whole") - 500000, 'constant names for call() leave the library at home');

($p, undef, @got) = both('regular expressions', ['regex("a+").matches("caat")', '"ab" =~ "^a"', '"a1b2".replace(regex("[0-9]"), "-")',
	'regex("(.)b").search("ab", $2.value)', '"a,b".split(regex(","))']);
like($got[2], qr/a-b-/, 'and of replace()');

($p, undef, @got) = both('dates', ['datetime(2001, 2, 3).format("%d.%m.%Y")', 'datetime("2001-02-03T04:05:06Z").year', 'str(timespan(hours => 1) * 2)',
	'(datetime(2001, 1, 2) - datetime(2001, 1, 1)).days',
	'now() > datetime(2001, 1, 1)', 'datetime(2001, 2, 3).replace(day => 1).day']);
like($got[0], qr/03\.02\.2001/, 'and formats');

both('random numbers, big ones, floats', ['random(1, 1)', 'pow(2, 200) mod 1000007', '2 * 9223372036854775807', '0.1 + 0.2', 'float("1e23")',
	'float("2.2250738585072011e-308")', 'round(2.5)', '"\u00c4\u03a3".toLower()', '"stra\u00dfe".toUpper()', 'randomName() != null']);

# ---- names that are made at run time: everything is linked ----
my @dynamic = ('let(n => $x) -> call($n, ["a1"], {})', 'call(str("to") + "Upper", [], {}, "abc")', 'call(concat("le", "n"), ["abc"], {})',
	'call("match" + "es", ["a+", "caat"], {})', 'call("gone" + "", [], {})');
($p, undef, @got) = both('names at run time', \@dynamic);
like($got[1], qr/ABC/, 'are found');
is(-s "$W/$p.small", -s "$W/$p.whole", 'in a program that links everything');

# ---- members by name, objects, types ----
package_dir('o', {'manifest.yaml' => "Format: 1.4\nType: Application\nFullName: t.o\nClasses: {t.O: O.yaml}\n", 'Classes/O.yaml' => <<'YAML'});
Namespaces:
  =: t
  std: io.murano
  sys: io.murano.system
Name: O
Extends: std:Object
Properties:
  list:
    Contract: [$]
    Default: [{a: {b: 1}}, {a: {b: 2}}]
  n:
    Contract: $.int().check($ > 0)
    Default: 1
Methods:
  deploy:
    Scope: Public
    Body:
      - $log: logger('t.log')
      - $log.info('{0} of {n}', 1, n => 2)
      - Return:
          names: typeinfo($).methods.where($.name = deploy).select($.name)
          type: typeinfo($).name
          members: $.list.a.b
          me: name($)
          again: $.list.select($.a).select($.b).sum()
  log:
    Scope: Public
    Body:
      - logger('t.log').error('{0', 1)
  fail:
    Scope: Public
    Body:
      - Try:
          - $.list.nothing()
        Catch:
          - As: e
            Do:
              - Return: $e.message
YAML
build('o.small', "$W/o");
build('o.whole', '-fno-subset', "$W/o");
spew("$W/o.json", '{"Objects":{"?":{"type":"t.O","id":"r","name":"it"}}}');
for my $method ('deploy', 'log', 'fail', 'none') {
	my @ask = ('run', '--model', "$W/o.json", '--call', $method);
	is(answer('o.small', @ask), answer('o.whole', @ask), "an object: $method");
}
like(answer('o.small', 'run', '--model', "$W/o.json"), qr/"members":\[1,2\]/, 'members of members');
like(answer('o.small', 'run', '--model', "$W/o.json"), qr/1 of 2/, 'the logger formats');

# ---- sessions, the hooks that ship, values that JSON cannot hold ----
spew("$W/in", join '', map { "$_\n" } '{"op":"load","model":{"Objects":{"?":{"type":"t.S","id":"r"}}}}',
	'{"op":"call","target":null,"method":"testHook","args":[]}',
		'{"op":"call","target":null,"method":"testDate","args":[{"$datetime":"2001-02-03T04:05:06"}]}',
	'{"op":"call","target":null,"method":"testClass","args":[]}', '{"op":"call","target":null,"method":"gone","args":[]}');
package_dir('s', {'manifest.yaml' => "Format: 1.4\nType: Application\nFullName: t.s\nClasses: {t.S: S.yaml}\n", 'Classes/S.yaml' => <<'YAML'});
Namespaces: {=: t, std: io.murano, x: test}
Name: S
Extends: std:Object
Methods:
  testHook:
    Body:
      - trace(a)
      - Return: 1
  testDate:
    Arguments:
      - d:
          Contract: $
    Body:
      - Return: [$d.year, $d.format('%Y'), $d > $d, "format('{0}', $d)", $d - $d]
  testClass:
    Body:
      - Return: $.nothing
YAML
build('s.small', "$W/s");
build('s.whole', '-fno-subset', "$W/s");
my $session = answer('s.small', 'session', '--expose', 'test*');
is($session, answer('s.whole', 'session', '--expose', 'test*'), 'a session');
like($session, qr/"traces":\["a"\]/, 'has the hooks that it names');
like($session, qr/\[2001,"2001",false,/, 'and dates that come from outside');
# One that has nothing to do with dates has no time zones, and writes the dates that it gets.
my $method = sub { "  test$_[0]:\n    Arguments:\n      - d:\n          Contract: \$\n    Body:\n      - Return: $_[1]\n" };
package_dir('d', {'manifest.yaml' => "Format: 1.4\nType: Application\nFullName: t.d\nClasses: {t.S: S.yaml}\n", 'Classes/S.yaml' =>
	"Namespaces: {=: t, std: io.murano}\nName: S\nExtends: std:Object\nMethods:\n" . $method->('Date', q{$d.format('%A, %d %b %Y')}) .
	$method->('Field', q{format('{0:%Y-%j}', $d)}) . $method->('Zone', q{$d.format('%' + 's')})});
build('d.small', "$W/d");
ok($sanitized || !linked('d.small', "\0strftime\0"), 'a program without dates has no strftime()');
ok($sanitized || !linked('d.small', 'localtime'), 'and no time zones');
spew("$W/in", join '', map { "$_\n" } '{"op":"load","model":{"Objects":{"?":{"type":"t.S","id":"r"}}}}',
	map { qq({"op":"call","target":null,"method":"test$_","args":[{"\$datetime":"2001-02-03T04:05:06"}]}) } qw(Date Field Zone));
$session = answer('d.small', 'session', '--expose', 'test*');
like($session, qr/"Saturday, 03 Feb 2001"/, 'a date from outside is written all the same');
like($session, qr/"2001-034"/, 'in a field too');
like($session, qr/built without the local time zone, which %s shows: `vetro build -fno-subset`/, 'what needs the zone says so');
package_dir('z', {'manifest.yaml' => "Format: 1.4\nType: Application\nFullName: t.d\nClasses: {t.S: S.yaml}\n", 'Classes/S.yaml' =>
	"Namespaces: {=: t, std: io.murano}\nName: S\nExtends: std:Object\nMethods:\n" . $method->('Zone', q{$d.format('%-s')})});
build('z.small', "$W/z");
{
	local $ENV{TZ} = 'UTC';
	like(answer('z.small', 'session', '--expose', 'test*'), qr/"981173106"/, 'and is there where a format says that it needs it');
}
unlink "$W/in";

# ---- Lua ----
spew("$W/host.lua", 'vetro.register { name = "shout", params = "s: str", fn = function(s) return vetro.invoke("toUpper_", s) or s end }
vetro.register { name = "up", params = "s: str", fn = function(s) return s:upper() .. vetro.invoke("len", s) end }
');
($p, undef, @got) = both('functions in Lua', ['up("abc")', '"x".len()', 'shout("a")'], '--lua', "$W/host.lua");
like($got[0], qr/ABC3/, 'call the library');

# ---- XML: services whose values may be XML, and no others ----
my $service = <<'END';
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: {x: {type: TYPE, default: <a/>}}
  outputs: {y: {value: {get_input: x}}}
  node_templates: {n: {type: tosca.nodes.Root}}
END
spew("$W/plain.yaml", $service =~ s/TYPE/string/r);
spew("$W/xml.yaml", $service =~ s/TYPE/tosca.datatypes.xml/r);
build($_, "$W/$_.yaml") for 'plain', 'xml';
ok(!defined_in('plain', 'vt_xml_check') && !linked('plain', 'XML_Parse'), 'a service without values of XML is without expat');
ok(defined_in('xml', 'vt_xml_check'), 'one that has some has it');
like(answer('xml', 'topology', '--input', 'x=<a/>'), qr/status 0/, 'and takes XML');
like(answer('xml', 'topology', '--input', 'x=<a>'), qr/error\[E2040\]: .*an element that is not closed in line 1/, 'and nothing else');

# ---- the runtime calls nothing by name that compiler/emit/link_rows.c does not know of ----
sub text { open(my $f, '<', $_[0]) or return ''; local $/; return scalar <$f> }
my $top = "$FindBin::Bin/../..";
my %known = map { $_ => 1 } map { text($_) =~ /^\tcalls (\S+)$/mg } glob("$top/runtime/lib/*.fn");
my @unknown = grep { !$known{$_} } map { text($_) =~ /\bvt_call_(?:name|method_name)\([^;]*?"([^"]+)"/g } glob("$top/runtime/*/*.c");
is("@unknown", '', 'what functions call by name is reported in runtime/lib');

# ---- what is reported, and what goes together ----
my @line = grep { /bytes:/ } split /\n/, $told;
like($line[0] // '', qr/hello: \d+ bytes: program \d+, runtime \d+, libraries \d+/, '-v shows the parts');
unless ($sanitized) {
	like($told, qr/^vetro:   libc\S* +\d+/m, 'library by library');
	like($told, qr/\d+ of \d+ functions of the library/, 'and how much of the library there is');
	like($whole, qr/all functions of the library/, 'which -fno-subset has whole');
}
my ($rc) = vetro({limit => 300}, 'build', '--shared', '-O0', '-o', "$W/hello.so", "$FindBin::Bin/../../examples/hello");
is($rc, 0, 'a shared object of the same');
ok($sanitized || !linked('hello.so', 'pcre2_compile'), 'has no more');
done();
