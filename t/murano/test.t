#!/usr/bin/perl
# vetro test: fixtures, phases, assertions, mocks, failures of all kinds, processes that hang or die.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use POSIX ();
use Time::HiRes qw(time sleep);
use Tap;

$ENV{XDG_CACHE_HOME} = "$W/cache";
mkdir "$W/cache";
my $package = "$FindBin::Bin/../data/testpkg";

# The YAML below a line of TAP, without its indentation.
sub about {
	my ($tap, $test) = @_;
	return $tap =~ /^not ok \d+ - \Q$test\E\n  ---\n(.*?)^  \.\.\.\n/ms ? $1 =~ s/^  //mgr : 'nothing';
}

# ---- what passes

my ($rc, $out, $err) = vetro('test', $package, 'PassTest');
is($rc, 0, 'tests that pass: status 0');
is(join(' ', grep { $_ ne 'W1083' } $err =~ /(?:error|warning)\[(\w+)\] ?.*/g), 'W1043',
	'standard error has what the checker finds, which is one call that has to fail');
my @names = map { "t.testpkg.PassTest.$_" } qw(test test_under test1 testFresh testFreshAgain testEqual testTruth testIn testCatch testLoad
	testEnvironment testConfig);
my $n = 0;
is($out, join('', map { "$_\n" } 'TAP version 13', '1..12', (map { 'ok ' . ++$n . " - $_" } @names), '# 12 of 12 tests passed'),
	'the tests are those with the name of one, in their order');
($rc, my $again) = vetro('test', $package, 'PassTest', '-j1');
is($again, $out, 'one at a time: the same output');
($rc, $again) = vetro('test', $package, 'PassTest', '-j', '7');
is($again, $out, 'seven at a time: the same output');

# ---- mocks

($rc, $out, $err) = vetro('test', $package, 'MockTest');
like($out, qr/^ok \d+ - t\.testpkg\.MockTest\.$_\n/m, "mocks: $_")
	for qw(testByName testArguments testExpression testOriginalMethod testWithOriginal testStatic testOfText testOwn testAfterCalls
	testParallel);
my %fails = (
	testAmbiguous => qr/message: "Ambiguous method \\"size\\" for receiver /,
	testContract => qr/message: "\[t\.testpkg\.Box::hi\(who\)\] Value \(\) violates string\(\) contract"/,
	testThrows => qr/message: "from the mock"\nseverity: error\nphase: test\ntype: "t\.testpkg\.Mocked"\n.*in method twice .*in method fails/s,
	testNoMethod => qr/type: "NoMethodFound"/,
	testNoMock => qr/message: "Method \\"nothing\\" is not found"/,
	testOriginalArguments => qr/message: "No function \\"originalMethod\\" matches supplied arguments"/,
);
like(about($out, "t.testpkg.MockTest.$_"), $fails{$_}, "mocks: $_ fails") for sort keys %fails;

($rc, $out, $err) = vetro('test', $package, 'ExtensionMockTest');
like($out, qr/^ok \d+ - t\.testpkg\.ExtensionMockTest\.$_\n/m, "mocks of extension methods: $_")
	for qw(testImported testOwn testOriginalMethod testWithOriginal testArguments testByName testOfObject);
like(about($out, "t.testpkg.ExtensionMockTest.$_->[0]"), $_->[1], "mocks of extension methods: $_->[0] fails") for
	[testContract => qr/message: "No method \\"twice\\" for receiver abc matches supplied arguments"/],
	[testAmbiguous => qr/message: "Ambiguous method \\"twice\\" for receiver 5"/], [testNotMine => qr/message: "Method \\"twice\\" is not found"/];

# ---- what fails, and how

($rc, $out, $err) = vetro('test', $package, 'FailTest');
is($rc, 1, 'tests that fail: status 1');
like($out, qr/^# 0 of 8 tests passed\n\z/m, 'all of them are counted');
is(about($out, 't.testpkg.FailTest.testEqual') =~ s/"[^"]*FailTest.yaml"/FILE/r, <<'E2', 'message, values, stack and output of a failure');
message: "[1, {'a': 'b'}] != [1, {'a': 'c'}]: with a note"
severity: fail
phase: test
type: "MismatchError"
expected: [1,{"a":"b"}]
got: [1,{"a":"c"}]
stack: |
  testtools.matchers._impl.MismatchError: [1, {'a': 'b'}] != [1, {'a': 'c'}]: with a note
  Traceback (most recent call last):
    File FILE, line 14:9 in method testEqual of type t.testpkg.FailTest
        $.assertEqual([1, {a => 'b'}], [1, {a => 'c'}], 'with a note')
output: |
  info applications.t: before 1
  info applications.t: tearDown was here
E2
my %messages = (
	testLong => q{"!=:\nreference = '} . 'a' x 50 . q{'\nactual    = '} . 'b' x 50 . q{'\n"},
	testTrue => '"0 is not true : a note"',
	testIn => '"5 not in [1, 2]"',
	testNotIn => '"[1, 2] matches Contains(1)"',
	testThrow => '"two \"lines\"\nof it"',
	testType => '"a model is a dictionary, not int"',
	testArgument => '"[t.testpkg.FailTest::testArgument(needed)] null value violates notNull() contract"',
);
for my $test (sort keys %messages) {
	my ($message) = about($out, "t.testpkg.FailTest.$test") =~ /^message: (.*)/;
	is($message, $messages{$test}, "message of $test");
}
like(about($out, 't.testpkg.FailTest.testThrow'), qr/severity: error\n.*type: "t\.testpkg\.Problem"\n.*in method testThrow.*in method deeper/s,
	'what is thrown is an error, with its stack');

# ---- phases

($rc, $out) = vetro('test', $package, 'SetUpTest', 'TearDownTest', 'BrokenTest');
is($rc, 1, 'phases: status 1');
like(about($out, 't.testpkg.SetUpTest.testNever'), qr/message: "cannot set up"\nseverity: error\nphase: setUp\n/, 'setUp fails: that is reported');
ok(about($out, 't.testpkg.SetUpTest.testNever') !~ /output/, 'and neither the test nor tearDown run');
like(about($out, 't.testpkg.TearDownTest.testFine'), qr/message: "cannot tear down"\nseverity: error\nphase: tearDown\n/, 'tearDown alone fails');
like(about($out, 't.testpkg.TearDownTest.testBoth'), qr/\Amessage: "1 != 2"\nseverity: fail\nphase: test\n/, 'tearDown after a failure: the test first');
like(about($out, 't.testpkg.TearDownTest.testBoth'), qr/^tearDown: "t\.testpkg\.NoTearDown: cannot tear down"\n/m, 'and then tearDown');
like(about($out, 't.testpkg.BrokenTest.testNever'), qr/severity: error\nphase: fixture\n/, 'a fixture that cannot be made');

($rc, $out) = vetro({ limit => 120 }, 'test', $package, 'CloudTest');
is($rc, 0, 'TestFixtureWithEnvironment makes an environment');
like($out, qr/^ok 1 - t\.testpkg\.CloudTest\.testEnvironment$/m, 'which the test finds');

# ---- time

my $t0 = time;
($rc, $out) = vetro({ limit => 30 }, 'test', $package, 'SlowTest', '--timeout', '0.5');
is($rc, 1, 'tests that hang: status 1');
ok(time - $t0 < 20, 'they are ended');
is(join(' ', $out =~ /^((?:not )?ok) /mg), 'ok not ok not ok ok', 'those around them pass');
is(about($out, 't.testpkg.SlowTest.testSleep'), <<'E2', 'what it wrote is there');
message: "no result after 0.5 s (--timeout); --trace shows how far it comes"
severity: error
output: |
  info applications.t: it begins
E2
($rc, $out) = vetro({ limit => 30 }, 'test', $package, 'testSleep', '--virtual-time');
is($rc, 0, 'virtual time: sleep() takes none');

# ---- processes

sub children {
	my ($pid) = @_;
	my @all;
	for my $dir (glob '/proc/[0-9]*') {
		open(my $f, '<', "$dir/stat") or next;
		my $line = readline($f) // '';
		push @all, $dir =~ s{.*/}{}r if $line =~ /^\d+ \(.*\) [^ZX] (\d+) / && $1 == $pid;
	}
	return @all;
}

sub slow { open(my $f, '<', "$W/slow.out") or return ''; local $/; return <$f> // '' }

sub begin {
	my (@args) = @_;
	my $pid = fork // die;
	if (!$pid) {
		POSIX::setsid();
		open(STDOUT, '>', "$W/slow.out") && open(STDERR, '>', "$W/slow.err") or exit 126;
		alarm 60;
		exec $vetro, 'test', $package, @args;
	}
	my (@tests, $before);
	for (1 .. 300) { # a test that passes ends beside its report: the two that hang are there twice
		sleep 0.1;
		$before = "@tests";
		@tests = children($pid);
		last if @tests == 2 && $before eq "@tests" && slow() =~ /^ok 1 /m;
	}
	return ($pid, @tests);
}

# Not one that only waits for somebody to ask how it ended.
sub alive {
	my ($pid) = @_;
	open(my $f, "<", "/proc/$pid/stat") or return 0;
	return (readline($f) // "") !~ /\) [ZX] /;
}

my ($pid, @tests) = begin('SlowTest', '-j2', '--timeout=0');
is(scalar @tests, 2, 'two tests hang');
kill 'ABRT', $tests[0];
sleep 0.3;
kill 'TERM', $tests[1];
waitpid($pid, 0);
is($? >> 8, 1, 'tests that die: status 1');
is(join(' ', slow() =~ /^((?:not )?ok) /mg), 'ok not ok not ok ok', 'one that dies does not stop the others');
like(slow(), qr/message: "the process was killed by signal 6 \(Aborted\)"\nseverity: error\n/ =~ s/\\n/\\n  /gr, 'the signal is reported');

($pid, @tests) = begin('SlowTest', '-j2', '--timeout=0');
kill 'INT', $pid;
waitpid($pid, 0);
is($? & 127, 2, 'an interrupt ends it as it would any program');
sleep 0.1;
is(join(' ', grep { alive($_) } @tests), '', 'and leaves no test behind');

($pid, @tests) = begin('SlowTest', '-j2', '--timeout=0');
kill 'KILL', $pid;
waitpid($pid, 0);
sleep 0.2;
is(join(' ', grep { alive($_) } @tests), '', 'killed, it leaves none either');

# ---- which tests

my $list = sub { my ($rc, $out) = vetro('test', $package, '--list', @_); return join ' ', map { s/^t\.testpkg\.//r } split /\n/, $out };
is($list->('testBefore'), 'SlowTest.testBefore', 'a method');
is($list->('test[I]n'), '', 'brackets mean themselves');
is($list->('*.testIn'), 'PassTest.testIn FailTest.testIn', 'a pattern');
is($list->('t.testpkg.TearDownTest'), 'TearDownTest.testFine TearDownTest.testBoth', 'a class by its whole name');
is($list->('TearDownTest.test?oth', 'BrokenTest'), 'TearDownTest.testBoth BrokenTest.testNever', 'a class and a method, two patterns');
is($list->('--only', 'testBefore'), 'SlowTest.testBefore', '--only');
($rc, $out, $err) = vetro('test', $package, 'testNothing');
is($rc, 1, 'no such test: status 1');
is($out, "TAP version 13\n1..0 # SKIP no test has such a name\n", 'TAP says so');
like($err, qr/no test has such a name\nhint: --list shows/, 'and so does standard error');

my $none = package_dir('none', {
	'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.none\nClasses: {t.none.A: A.yaml}\n",
	'Classes/A.yaml' => "Namespaces: {=: t.none}\nName: A\nMethods:\n  testA:\n    Body: []\n",
});
($rc, $out, $err) = vetro('test', $none);
is($rc, 1, 'a package without tests: status 1');
is($out, "TAP version 13\n1..0 # SKIP there are no tests in this package\n", 'TAP says so');
like($err, qr/there are no tests in this package\nhint: a test is a method test\.\.\./, 'and so does standard error');

# ---- several packages, -I and --lua

my $uses = package_dir('uses', {
	'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.uses\nRequire: {t.testpkg: 0}\nClasses: {t.uses.LuaTest: T.yaml}\n",
	'Classes/T.yaml' => <<'E2' });
Namespaces: {=: t.uses, test: io.murano.test, p: t.testpkg}
Name: LuaTest
Extends: test:TestFixture
Methods:
  testLua:
    Body:
      - $.assertEqual(7, addUp(3, 4))
  testRequired:
    Body:
      - inject(p:Box, size, 3)
      - $.assertEqual(6, new(p:Box).twice())
E2
spew("$W/f.lua", 'vetro.register { name = "addUp", params = "a: int, b: int", fn = function(a, b) return a + b end }');
($rc, $out) = vetro('test', $uses, '-I', $package, '--lua', "$W/f.lua");
is($rc, 0, '-I and --lua');
is($out, "TAP version 13\n1..2\nok 1 - t.uses.LuaTest.testLua\nok 2 - t.uses.LuaTest.testRequired\n# 2 of 2 tests passed\n",
	'packages that are only required are not tested');
is($list->($uses, 'test', '--lua', "$W/f.lua"), 'PassTest.test', 'several packages');

# ---- output for other programs

{
	my $odd = package_dir('odd', { 'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.odd\nClasses: {t.odd.Odd: T.yaml}\n",
		'Classes/T.yaml' => <<'E2' });
Namespaces: {=: t.odd, test: io.murano.test}
Name: Odd
Extends: test:TestFixture
Methods:
  testOdd:
    Body:
      - $.assertEqual("a\ufffe\uffff\e\u202e]]>&<\"'", b)
E2
	my ($rc, $out) = vetro('test', $odd, '--format=junit');
	is($rc, 1, 'junit: odd characters');
	ok($out !~ /\xef\xbf[\xbe\xbf]|\e|\xe2\x80\xae|<"|&[^a-z]/ && $out =~ /\\u\{fffe\}|\\ufffe/, 'are none that XML has not', $out);
}

($rc, $out) = vetro('test', $package, 'testIn', 'testThrow', '--format=junit');
is($rc, 1, 'junit: status 1');
$out =~ s/time="\d+\.\d+"/time="T"/g;
$out =~ s/&quot;[^"&\n]*FailTest\.yaml/&quot;FailTest.yaml/g;
is($out, <<'E2', 'junit: the whole of it');
<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="1" errors="1" time="T">
  <testsuite name="t.testpkg.PassTest" tests="1" failures="0" errors="0" time="T">
    <testcase classname="t.testpkg.PassTest" name="testIn" time="T"/>
  </testsuite>
  <testsuite name="t.testpkg.FailTest" tests="2" failures="1" errors="1" time="T">
    <testcase classname="t.testpkg.FailTest" name="testIn" time="T">
      <failure message="5 not in [1, 2]">message: &quot;5 not in [1, 2]&quot;
severity: fail
phase: test
type: &quot;MismatchError&quot;
expected: 5
got: [1,2]
stack: |
  testtools.matchers._impl.MismatchError: 5 not in [1, 2]
  Traceback (most recent call last):
    File &quot;FailTest.yaml&quot;, line 23:9 in method testIn of type t.testpkg.FailTest
        $.assertIn(5, [1, 2])
</failure>
      <system-out>info applications.t: tearDown was here
</system-out>
    </testcase>
    <testcase classname="t.testpkg.FailTest" name="testThrow" time="T">
      <error message="two \&quot;lines\&quot;\nof it">message: &quot;two \&quot;lines\&quot;\nof it&quot;
severity: error
phase: test
type: &quot;t.testpkg.Problem&quot;
stack: |
  t.testpkg.Problem: two &quot;lines&quot;
  of it
  Traceback (most recent call last):
    File &quot;FailTest.yaml&quot;, line 29:9 in method testThrow of type t.testpkg.FailTest
        $.deeper('two &quot;lines&quot;\nof it')
    File &quot;FailTest.yaml&quot;, line 41:9 in method deeper of type t.testpkg.FailTest
        Throw Problem
</error>
      <system-out>info applications.t: tearDown was here
</system-out>
    </testcase>
  </testsuite>
</testsuites>
E2

(undef, $out) = vetro('test', $package, 'FailTest', 'TearDownTest', 'PassTest');
spew("$W/all.tap", $out);
like(scalar `prove --exec cat $W/all.tap 2>&1`, qr/Tests: 22 Failed: 10\)\n  Failed tests:  13-22\nFiles/, 'prove reads it');

# ---- configuration, usage

spew("$W/config.json", '{"t.testpkg.Box":{"limit":9}}');
spew("$W/bad.json", '[1]');
($rc, $out) = vetro('test', $package, 'testConfig', '--config', "$W/config.json");
is($rc, 0, '--config');
for ([[], 'no SOURCE'], [[$package, '-j0'], '-j takes'], [[$package, '-j', 'x'], '-j takes'], [[$package, '--timeout', '-1'], '--timeout takes'],
	[[$package, '--format=xml'], '--format takes tap or junit, not xml'],
	[[$package, '--nothing'], 'unknown option'], [[$package, '--only'], 'a value is missing']) {
	my ($rc, $out, $err) = vetro('test', @{ $_->[0] });
	ok($rc == 2 && $err =~ /^vetro: \Q$_->[1]\E.*\nhint: /, "usage: $_->[1]", $rc, $err);
}
($rc, $out, $err) = vetro('test', "$W/nowhere");
is($rc, 1, 'a package that is not there: status 1');
my $broken = package_dir('broken', {
	'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.broken\nClasses: {t.broken.A: A.yaml}\n",
	'Classes/A.yaml' => "Namespaces: {=: t.broken, test: io.murano.test}\nName: A\nExtends: test:Nothing\n",
});
($rc, $out, $err) = vetro('test', $broken);
ok($rc == 1 && $out eq '' && $err =~ /error\[E/, 'a package with errors: status 1 and what is wrong', $rc, $out, $err);

# Outside of tests there are no mocks.
my $mocks = package_dir('mocks', {
	'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.mocks\nClasses: {t.mocks.A: A.yaml}\n",
	'Classes/A.yaml' => "Namespaces: {=: t.mocks, test: io.murano.test}\nName: A\nExtends: test:TestFixture\nMethods:\n"
		. "  deploy:\n    Scope: Public\n    Body:\n      - inject(:A, deploy, 1)\n",
});
spew("$W/model.json", '{"Objects":{"?":{"type":"t.mocks.A","id":"a"}}}');
($rc, $out, $err) = vetro('run', $mocks, '--', 'run', '--model', "$W/model.json");
ok($rc == 1 && $out =~ /Unknown function \\"inject\\"/ && $err !~ /warning\[W10[0-7]/, 'mocks are there in tests only', $rc, $out, $err);
done();
