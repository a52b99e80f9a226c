#!/usr/bin/perl
# vetro gdb: values, variables, objects and tasks of a binary in gdb, in batch mode.
use strict;
use warnings;
use Cwd qw(realpath);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my ($found) = run_program({merge => 1}, 'sh', '-c', 'command -v gdb');
if ($found != 0) {
	skip('gdb shows YAML', 'gdb is not installed (apt-get install gdb)');
	done;
	exit;
}
my $dir = realpath(package_dir('dbg', {'manifest.yaml' => <<'Y', 'Classes/Main.yaml' => <<'C', 'Classes/Item.yaml' => <<'D'}));
Format: 1.4
Type: Library
FullName: org.dbg
Classes: {org.dbg.Main: Main.yaml, org.dbg.Item: Item.yaml}
Y
Namespaces: {=: org.dbg}
Name: Main
Properties:
  items: {Contract: [$.class(Item)]}
  extra: {Contract: {$.string(): $}, Default: {}}
Methods:
  deploy:
    Scope: Public
    Body:
      - $big: 1000000000000000000000000
      - $text: "line\none ä€"
      - $list: [1, [2, {a: true, b: null}], -3.5, 0.0]
      - $dict: {one: 1, two: [2]}
      - $wide: dict(range(40).select([str($), $]))
      - $set: set(1, 2)
      - $many: range(100).toList()
      - $sum: $.items.select($.n * 2).sum() - 11
      - Parallel:
          - $.wait('a', $sum)
          - $.wait('b', 2)
      - Return: $dict
  wait:
    Arguments:
      - name: {Contract: $.string()}
      - seconds: {Contract: $.int()}
    Body:
      - sleep(1)
      - Return: $name
C
Namespaces: {=: org.dbg}
Name: Item
Properties:
  n: {Contract: $.int()}
  tag: {Contract: $.string(), Default: thing}
D
spew("$dir/model.json", <<'J');
{"Objects": {"?": {"id": "m", "type": "org.dbg.Main"}, "extra": {"k": [1]}, "items": [
  {"?": {"id": "i1", "type": "org.dbg.Item"}, "n": 1}, {"?": {"id": "i2", "name": "second", "type": "org.dbg.Item"}, "n": 2}]}}
J
sub line_of {
	my ($text) = @_;
	my @lines = split /\n/, slurp("$dir/Classes/Main.yaml");
	my ($n) = grep { index($lines[$_], $text) >= 0 } 0 .. $#lines;
	return $n + 1;
}
sub gdb {
	my ($bin, @commands) = @_;
	my ($rc, $out, $err) = vetro('gdb', '--batch', (map { ('--ex', $_) } @commands), $bin, '--', 'run', '--model', "$dir/model.json");
	return "$out$err";
}

for my $how (['-O0'], []) {
	my $what = $how->[0] // 'as a rule';
	my ($rc, undef, $err) = vetro('build', '-g', @$how, '-o', "$W/bin", $dir);
	is($rc, 0, "built with -g $what", $err);
	my $out = gdb("$W/bin", 'break Main.yaml:' . line_of('$sum:'), 'run', 'vetro vars', 'print $dict', 'vetro print $list[1][1].a',
		'vetro print $.items[1].n', 'vetro print $wide', 'vetro print $nope');
	like($out, qr/^\$big = 1000000000000000000000000$/m, "$what: a large integer");
	like($out, qr/^\$text = "line\\none ä€"$/m, 'a text');
	like($out, qr/^\$list = \[1, \[2, \{"a": true, "b": null\}\], -3\.5, 0\.0\]$/m, 'lists, dicts, constants and floats');
	like($out, qr/^\$many = \[0, 1, .*, 19, and 80 more\]$/m, 'a long list is cut');
	like($out, qr/^\$set = set\(1, 2\)$/m, 'a set');
	like($out, qr/^\$wide = \{"0": 0, "1": 1, .*"19": 19, and 20 more\}$/m, 'a dict with a table');
	like($out, qr/^\$this = org\.dbg\.Main "m"$/m, 'the object');
	like($out, qr/^\$1 = \{"one": 1, "two": \[2\]\}$/m, 'print $name');
	like($out, qr/^true\n2$/m, 'a path, from a variable and from $');
	like($out, qr/vetro: there is no \$nope here; there are: .*\$big/, 'a name that is not there');
}
my ($rc) = vetro('build', '-g', '-O0', '-o', "$W/bin", $dir);
my $out = gdb("$W/bin", 'break Main.yaml:' . line_of(q{wait('b'}), 'run', 'info model', 'info model second', 'vetro vars',
	'info task', 'task 1 bt', 'vetro bt', 'task 9 bt', 'task x', 'task 1 vars', 'task 1 print $name', 'task 0 vars',
	'task 0 print $dict.two', 'task 1 print $nope', 'vetro vars', 'delete', 'continue');
like($out, qr/^org\.dbg\.Main "m"$/m, 'info model: the objects');
like($out, qr/^org\.dbg\.Item "second" "i2" \{n: 2, tag: "thing"\}$/m, 'one of them with its properties');
like($out, qr/^\$sum = -5$/m, 'variables in a branch of Parallel');
like($out, qr/^  0  waits for other tasks in org\.dbg\.Main::deploy at .*Main\.yaml:\d+$/m, 'info task: who waits for what');
my $sleep = line_of('sleep(1)');
like($out, qr/^  1  waits for a time in org\.dbg\.Main::wait at .*Main\.yaml:$sleep$/m, 'where a task waits');
like($out, qr/^\* 2  runs in org\.dbg\.Main::deploy/m, 'and which one runs');
like($out, qr/^#0  org\.dbg\.Main::wait at .*:$sleep\n    sleep\(1\)\n#1  org\.dbg\.Main::deploy at /m, 'task N bt: the methods that it is in');
like($out, qr/there is no task 9/, 'a task that is not there');
like($out, qr/write: task NUMBER bt/, 'what task wants');
like($out, qr/^\$name = "a"\n\$seconds = -5\n(?:\$ = .*\n)?\$this = org\.dbg\.Main "m"\n"a"\n/m, 'task N vars, task N print: variables of a task that waits');
like($out, qr/^\$big = 1000.*^\[2\]$/ms, 'of the one that waits for them too');
like($out, qr/there is no \$nope here; there are: .*\$name/, 'a name that is not there');
like($out, qr/^\$text = .*exited normally/ms, 'and then the program goes on as if nobody had looked');

# ---- a list that grows is not copied, and no other variable sees it grow ----

my $grow = realpath(package_dir('grow', {'manifest.yaml' => <<'Y', 'Classes/Main.yaml' => <<'C'}));
{Format: '1.4', Type: Library, FullName: org.grow, Classes: {org.grow.Main: Main.yaml}}
Y
Namespaces: {=: org.grow}
Name: Main
Methods:
  run:
    Usage: Static
    Scope: Public
    Arguments: [n: {Contract: $.int()}]
    Body:
      - $list: []
      - $dict: {}
      - $i: 0
      - While: $i < $n
        Do:
          - $list: $list + [$i]
          - $dict: $dict.set($i, $i)
          - $i: $i + 1
      - $before: $list
      - $list: $list + [$n]
      - Return: [$list.len(), $dict.len(), $before.len()]
C
is((vetro('build', '-g', '-O0', '-o', "$W/grow-bin", $grow))[0], 0, 'a package with a list that grows');
my ($rc2, $result) = run_program({limit => 60}, "$W/grow-bin", 'call', 'org.grow.Main', 'run', '--args', '{"n": 300000}');
is("$rc2 $result", qq(0 {"result":[300001,300000,300000]}\n), '-g -O0: 300,000 items are not copied each time');

# ---- perf, as docs/debugging.md has it ----

my ($perf, $report) = run_program({merge => 1, limit => 120}, 'sh', '-c',
	"command -v perf >/dev/null || exit 9; perf record -N -o $W/perf.data -F 2000 -e cpu-clock -q -- " .
		qq($W/grow-bin call org.grow.Main run --args '{"n": 1000000}' >$W/perf.out 2>&1 || exit 9; ) .
		"perf report -i $W/perf.data --stdio --sort symbol,srcline 2>/dev/null");
if ($perf == 9 || $report !~ /%/) { skip('perf names methods and lines of YAML', 'perf does not work here') }
else {
	like($report, qr/m_org_ogrow_oMain_c_crun/, 'perf names methods');
	like($report, qr/Main\.yaml:\d+/, 'and lines of YAML');
}

# ---- an application with the core library, whose files have variables of any name ----

my $app = realpath(package_dir('app', {'manifest.yaml' => <<'Y', 'Classes/Work.yaml' => <<'C', 'model.json' => <<'J'}));
{Format: 1.4, Type: Application, FullName: org.app, Classes: {org.app.Work: Work.yaml}}
Y
Namespaces: {=: org.app, std: io.murano}
Name: Work
Extends: std:Application
Methods:
  heavy:
    Arguments:
      - limit: {Contract: $.int().notNull()}
    Body:
      - $double: $limit * 2
      - If: $double > $limit
        Then:
          - Throw: TooHeavy
            Message: it is too heavy
  step:
    Arguments:
      - pause: {Contract: $.int().notNull()}
    Body:
      - $double: $pause * 2
      - sleep($pause)
      - Return: $double
  deploy:
    Scope: Public
    Body:
      - Try:
          - $.heavy(5)
        Catch:
          As: e
          Do:
            - $why: $e.message
      - Parallel:
          - $.step(2)
          - $.step(1)
C
{"Objects": {"?": {"type": "org.app.Work", "id": "w"}, "name": "work"}}
J
(my $built, my $printed) = run_program({merge => 1}, $vetro, 'build', '-g', '-O0', '-o', "$W/app0", $app);
is($built, 0, "it builds") or print "# $printed\n";
(undef, $printed) = run_program({merge => 1, limit => 120, dir => $W}, $vetro, 'gdb', '--batch', map({ ('--ex', $_) } 'break Work.yaml:12',
	'break Work.yaml:20', 'run', 'vetro vars', 'vetro bt', 'info task', 'delete 1', 'continue', 'info task', 'vetro vars', 'task 2 bt', 'task 0 vars'),
	"$W/app0", '--', 'run', '--model', "$app/model.json", '--snapshot', "$W/app.mugl");
like($printed, qr/^\$double = 10\n\$limit = 5\n\$this = org\.app\.Work "w"$/m, 'the variables of a method that throws');
like($printed, qr/^#0  org\.app\.Work::heavy at \S*Work\.yaml:12\n#1  org\.app\.Work::deploy at \S*Work\.yaml:25/m, 'the statement that is about to begin');
like($printed, qr/^  0  waits for other tasks.*\n\* 1  runs in org\.app\.Work::step at \S*Work\.yaml:20\n  2  waits for a lock/m, 'tasks that wait');
like($printed, qr/^\$double = 4\n\$pause = 2$/m, 'the variables of the one that runs');
like($printed, qr/^\$why = "it is too heavy"$/m, 'and of one that waits') or print $printed =~ s/^/# /mgr;

# ---- gcov, as docs/debugging.md has it ----

my $how = "cd $W && mkdir cov && VETRO_CC=$W/cc-cov $vetro build -g -O0 -o cov-bin $dir && ./cov-bin run --model $dir/model.json >$W/answer && " .
	'gcov -o cov cov/c_*Main.c.gcda';
spew("$W/cc-cov", "#!/bin/sh\nexec cc --coverage -dumpdir \"\$PWD/cov/\" \"\$@\"\n");
chmod 0755, "$W/cc-cov";
my ($gcov, $said) = run_program({merge => 1}, 'sh', '-c', 'command -v gcov >/dev/null || exit 9; ' . $how);
if ($gcov == 9) { skip('gcov counts lines of YAML', 'gcov is not installed') }
else {
	my $counts = -f "$W/Main.yaml.gcov" ? slurp("$W/Main.yaml.gcov") : $said;
	my $line = line_of('sleep(1)');
	like($counts, qr/^\s+2\*?:\s+$line:\s+- sleep\(1\)$/m, 'gcov counts lines of YAML');
}
my ($rc1, undef, $err) = vetro('gdb', "$dir/none");
ok($rc1 == 1 && $err =~ m{^vetro gdb: .*/none: No such file}, 'a file that is not there', $err);
($rc1, undef, $err) = vetro('gdb', "$dir/manifest.yaml");
ok($rc1 == 1 && $err =~ /manifest.yaml is no binary; `vetro build -g/, 'a file that is no binary', $err);
done;
