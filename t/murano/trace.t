#!/usr/bin/perl
# --trace: statements and their values, of programs that run at once, of binaries and of tests.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

$ENV{XDG_CACHE_HOME} = "$W/cache";
mkdir "$W/cache";
my ($rc, $out, $err);

package_dir('p', { 'manifest.yaml' => <<'M', 'Classes/App.yaml' => <<'Y' });
Format: 1.4
Type: Application
FullName: t.traced
Classes:
  t.traced.App: App.yaml
M
Name: t.traced.App
Extends: io.murano.Object
Properties:
  name:
    Contract: $.string()
    Usage: InOut
Methods:
  deploy:
    Scope: Public
    Body:
      - $.name: $.twice(n => 4)
      - If: $.name = '8'
        Then:
          - $esc: "a\e[31mb\nc\u202E"
      - $long: range(1000).toList()
      - $list: [1, 2.5, null, {a: true}]
      - For: i
        In: [x]
        Do:
          - $.twice(2)
      - Parallel:
          - $a: 1
          - $b: 2
      - Try:
          - Throw: Bad
            Message: went wrong
        Catch:
          As: e
          Do:
            - $.noop()
      - Return: $this
  twice:
    Arguments:
      - n:
          Contract: $.int()
    Body:
      - Return: str($n * 2)
  noop:
    Body:
      - $: $
Y
spew("$W/p/Classes/App.yaml", slurp("$W/p/Classes/App.yaml") =~ s/ {6}- \$: \$\n/      - \$nothing: null\n/r);
spew("$W/m.json", '{"Objects": {"?": {"type": "t.traced.App", "id": "one"}}}');
my $file = 'p/Classes/App.yaml';
my $want = <<'E2';
8: t.traced.App::deploy
11: $.name: $.twice(n => 4)
32: t.traced.App::twice
32:   $n = 4
37: Return: str($n * 2)
37:   Return = "8"
11:   $.name = "8"
12: If: $.name = '8'
12:   If = true
14: $esc: a\u{1b}[31mb...
14:   $esc = "a\u001b[31mb\nc\u{202e}"
15: $long: range(1000).toList()
15:   $long = LONG
16: $list: ...
16:   $list = [1,2.5,null,{"a":true}]
17: For: i, In: ...
17:   $i = "x"
20: $.twice(2)
32: t.traced.App::twice
32:   $n = 2
37: Return: str($n * 2)
37:   Return = "4"
20:   value = "4"
21: Parallel
[1] 22: $a: 1
[1] 22:   $a = 1
[2] 23: $b: 2
[2] 23:   $b = 2
24: Try
25: Throw: Bad
25:   Throw = "went wrong"
30: $.noop()
38: t.traced.App::noop
40: $nothing: null
40:   $nothing = null
31: Return: $this
31:   Return = {"$object":"one","type":"t.traced.App"}
E2

sub lines_of {
	my ($text) = @_;
	return join '', map { s/^trace(\[\d+\])?: \S*\Q$file\E:/$1 ? "$1 " : ''/e ? s/= \[0,1,2,.*/= LONG/r : () } split /^/m, $text;
}
($rc, $out, $err) = vetro('run', '--trace', "$W/p", '--', 'run', '--model', "$W/m.json", '-c');
is($rc, 0, 'vetro run --trace: status') or print "# $err\n";
my $plain = (vetro('run', "$W/p", '--', 'run', '--model', "$W/m.json", '-c'))[1];
is($out, $plain, 'the answer is the same');
is(lines_of($err), $want, 'statements in their order, with values, tasks and all');
my ($long) = $err =~ /^(.*\$long = .*)$/m;
ok(length $long < 400, 'a value has a length that can be read');
like($long, qr/\(\d+ characters more\)$/, 'and says what is left out');
unlike($err, qr/[^\n[:print:]]/, 'nothing moves the cursor of a terminal');

($rc, $out, $err) = vetro('build', '--trace', '-o', "$W/app", "$W/p");
is($rc, 0, 'vetro build --trace');
my @run = ("$W/app", 'run', '--model', "$W/m.json", '-c');
($rc, $out, $err) = run_program({}, @run, '--trace');
is(lines_of($err), $want, 'the binary shows the same');
($rc, $out, $err) = run_program({}, @run);
is($err, '', 'and nothing when it is not asked');
is($out, $plain, 'its answer is the same');
($rc, $out, $err) = vetro('build', '-o', "$W/app", "$W/p");
($rc, $out, $err) = run_program({}, @run, '--trace');
is($rc, 1, 'a binary that was built without');
is($err, <<'E2', 'says how it is built');
app: this program was not built to show its statements
hint: vetro build --trace makes one that is
E2

# ---- tests

spew("$W/p/manifest.yaml", slurp("$W/p/manifest.yaml") . "  t.traced.AppTest: AppTest.yaml\n");
spew("$W/p/Classes/AppTest.yaml", <<'Y');
Name: t.traced.AppTest
Extends: io.murano.test.TestFixture
Methods:
  testTwice:
    Body:
      - $.assertEqual('2', new('t.traced.App').twice(1))
Y
($rc, $out, $err) = vetro('test', '--trace', "$W/p");
is($rc, 0, 'vetro test --trace');
my $line = qr/    trace: .*\n/;
like($out, qr{^ok 1 - t\.traced\.AppTest\.testTwice\n  ---\n  output: \|\n$line*    trace: .*App\.yaml:37:   Return = "2"\n$line*  \.\.\.\n}m,
	'a test that passes has its statements in its result');
($rc, $out, $err) = vetro('test', '--trace', '--format=junit', "$W/p");
like($out, qr{<testcase [^>]*name="testTwice"[^>]*>\n      <system-out>trace: [^<]*Return = &quot;2&quot;[^<]*</system-out>\n    </testcase>\n},
	'in JUnit too');

# ---- the example of docs/debugging.md

my $top = "$FindBin::Bin/../..";
my ($example) = slurp("$top/docs/debugging.md") =~ /^((?:trace: examples\/hello.*\n)+)/m;
($rc, $out, $err) = run_program({}, 'sh', '-c', "cd '$top' && exec '$vetro' run --trace examples/hello -- run --model " .
	'examples/hello/model.json');
is(substr($err, 0, length $example), $example, 'the lines are those of the page');

# ---- what has no statements

spew("$W/a.yay", "a: 1\n");
($rc, $out, $err) = vetro('run', '--trace', "$W/a.yay", '--', '-c');
is($rc, 2, 'a configuration has no statements');
like($err, qr/--trace is for MuranoPL packages/, 'which is said');
($rc, $out, $err) = vetro('build', '--trace', "$W/a.yay");
is($rc, 2, 'of vetro build too');
done();
