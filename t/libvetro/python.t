#!/usr/bin/perl
# The Python module (make python): its own checks, yaql's tests where python3-yaql is installed, the wheel, the command line.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;
use Cwd;

my $top = Cwd::abs_path("$FindBin::Bin/../..");
my $build = Cwd::abs_path($ENV{BUILD} || "$top/build/debug");
my $config = $ENV{CONFIG} || 'debug';
my ($python) = grep { -x } '/usr/bin/python3';
skip_all('no /usr/bin/python3') if !$python;
skip_all('allocations that fail end Python') if $config eq 'torture';

# Python itself knows no sanitizer: what the module needs of it is loaded first. Blocks that Python keeps are no leaks.
my $sanitized = '';
if ($config eq 'asan') {
	my @libraries = map { `gcc -print-file-name=$_.so` } qw(libasan libubsan);
	chomp @libraries;
	skip_all('the libraries of the sanitizers are not installed') if grep { !m{^/} } @libraries;
	$sanitized = "ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc LD_PRELOAD='@libraries' ";
}

sub out {
	my ($st, $out) = (0, '');
	open(my $p, '-|', 'sh', '-c', "$_[0] 2>&1") or die;
	{ local $/; $out = <$p> // ''; }
	close $p;
	return ($? & 127 ? "signal " . ($? & 127) : $? >> 8, $out);
}

delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL PYTHONPATH PYTHONHOME)};
my $with = "PYTHON=$python B=$build CONFIG=$config";
my ($st, $out) = out("make -s -C $top $with python");
skip_all('Python.h is not installed (python3-dev)') if $out =~ /left out/;
ok($st eq '0' && -s "$build/python/vetro/_vetro.abi3.so", 'make python', $out);
my $path = "${sanitized}PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$build/python";

# ---- its own checks
($st, $out) = out("$path timeout 900 $python $FindBin::Bin/module.py");
my $lines = 0;
for (split /\n/, $out) {
	next if !/^(ok|not ok) - (.*)/;
	$lines++;
	ok($1 eq 'ok', $2, $out =~ /^not ok - \Q$2\E\n((?:#.*\n)*)/m ? $1 : ());
}
ok($st eq '0' && $lines > 150, 'module.py ends well', "status $st", $out =~ s/^(?:ok|not ok) .*\n//mgr);

# ---- the programs of docs/python.md and docs/from-yaql.md
my ($short) = slurp("$top/docs/python.md") =~ /^```python\n(.*?)^```/ms;
spew("$W/short.py", $short);
($st, $out) = out("$path $python $W/short.py");
is("$st $out", '0 ' . join('', map { "$_\n" } $short =~ /# (.*)$/mg), 'the program of the page prints what it says');
blocks_are_read('docs/python.md', $short);
my ($example) = slurp("$top/docs/from-yaql.md") =~ /^```python example\.py\n(.*?)^```/ms;
spew("$W/example.py", $example);
($st, $out) = out("$path $python $W/example.py");
is("$st $out", "0 20\n", 'a program for those who come from yaql');

# ---- the command line
for (['', q('$.a + 1' -d -), '{"a": 1}', "2\n", 'an expression over a document'],
	['', q(-s -a '$.len()' -d -), "x\ny\n", "2\n", 'lines'],
	['', q(-l 'a => b'), '', "[\n    \"a\",\n    \"b\"\n]\n", 'the older dialect'],
	['', q(-n '[1, {a => null}]'), '', "(1, {'a': None})\n", 'as Python shows it'],
	['', q('1 / 0'), '', "Execution exception: integer division or modulo by zero\n", 'an error']) {
	spew("$W/in", $_->[2]);
	($st, $out) = out("$path $python -m vetro.yaql $_->[1] < $W/in");
	is($out, $_->[3], "command line: $_->[4]");
}
spew("$W/in", "\$.x\n1 +\n\@load $W/doc\n\$.x\nexit\n");
spew("$W/doc", '{"x": 5}');
($st, $out) = out("$path $python -m vetro.yaql < $W/in");
like($out, qr/unexpected end of statement.*loaded into context.*5\n/s, 'the prompt');

# ---- the wheel and the source archive
mkdir "$W/dist";
($st, $out) = out("cd $top/compiler/libvetro/python && PYTHONDONTWRITEBYTECODE=1 VETRO_BUILD=$build $python build_backend.py $W/dist");
ok($st eq '0' && $out =~ /\.tar\.gz\n.*abi3.*\.whl\n$/, 'wheel and source archive are built', $out);
my ($wheel) = glob("$W/dist/*.whl");
($st, $out) = out("$python -m zipfile -e $wheel $W/installed");
($st, $out) = out("cd $W && ${sanitized}PYTHONPATH=$W/installed $python -c 'import yaql; print(yaql.eval(\"\$ + 1\", 2))'");
is($out, "3\n", 'the wheel runs alone');
my ($archive) = glob("$W/dist/*.tar.gz");
($st, $out) = out("tar -tzf $archive");
like($out, qr{/$_$}m, "the source archive has $_") for qw(pyproject.toml build_backend.py from.c vetro/yaql/_groups.py yaql/__init__.py PKG-INFO);

# ---- references, where a debug build of Python is installed; the module is built for it
my ($debug) = grep { -x } '/usr/bin/python3-dbg';
my $include = $debug ? (out("$debug -c 'import sysconfig; print(sysconfig.get_path(\"include\"))'"))[1] : '';
chomp $include;
if ($sanitized || !-e "$include/Python.h") {
	skip('references', $sanitized ? 'counted without the sanitizers' : 'python3-dbg is not installed');
} else {
	my $plain = $include =~ s/d$//r;
	($st, $out) = out("cp -rL $build/python $W/debug && cc -std=gnu11 -O1 -g -fPIC -DPy_DEBUG -fvisibility=hidden -shared -I$top/compiler/libvetro"
		. " -I$include -I$plain -o $W/debug/vetro/_vetro.abi3.so $top/compiler/libvetro/python/*.c -L$build -lvetro -Wl,-rpath,$build");
	is("$st$out", '0', 'the module for a debug build of Python');
	($st, $out) = out("PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$W/debug timeout 300 $debug $FindBin::Bin/refs.py");
	my @lines = $out =~ /^((?:not )?ok - .*)/mg;
	ok($st eq '0' && @lines > 20, 'refs.py ends well', $out);
	ok(/^ok/, s/^(?:not )?ok - /references: /r, $out =~ /^\Q$_\E\n((?:#.*\n)*)/m ? $1 : ()) for @lines;
}

# ---- the recorded suites through the module
my $runner = "$top/../shared/conformance/run";
if ($sanitized || !-e $runner) {
	skip('the recorded suites', $sanitized ? 'they run without the sanitizers' : 'there is no ../shared/conformance');
} else {
	spew("$W/batch", "#!/bin/sh\n$path exec $python $FindBin::Bin/batch.py\n");
	chmod 0755, "$W/batch";
	($st, $out) = out("$python $runner --vetro $W/batch --suite yaql --suite yaql-wild");
	my @failed = $out =~ /^not ok \d+ - (\S+)/mg;
	my ($cases) = $out =~ /^# (\d+) cases/m;
	ok(($cases || 0) > 5700, 'the recorded suites run', $out =~ s/.*(?=.{2000})//sr);
	is("@failed", 'yaql/generated/gen\\#1124', 'all cases but the one whose result is a context (docs/python.md)');
}

# ---- a workflow in Mistral's own engine
if ($sanitized || (out("$python -c 'import mistral.engine.engine_server'"))[0] ne '0') {
	skip('a workflow of Mistral', $sanitized ? 'it runs without the sanitizers' : 'python3-mistral is not installed');
} else {
	($st, $out) = out("cd $W && $path timeout 300 $python $FindBin::Bin/workflow.py $W/mistral.db");
	is(join("\n", $out =~ /^((?:shop\.|yaql from).*)/mg), <<"T" =~ s/\n\z//r, 'Mistral runs a workbook with the module in the place of yaql');
shop.order SUCCESS {"lines": ["10 x tea", "2 x pot"], "total": 120.0, "who": "me"}
shop.verdict SUCCESS {"verdict": "large"}
yaql from $build/python/vetro/yaql
T
}

# ---- what services do, beside yaql
if ($sanitized || (out("$python -c 'import yaql'"))[0] ne '0') {
	skip('the same as yaql', $sanitized ? 'compared without the sanitizers' : 'python3-yaql is not installed');
} else {
	my @side = map { [split /\n/, (out("$_->[1]timeout 300 $python $FindBin::Bin/same.py $_->[0]"))[1]] } ['yaql', ''], ['vetro.yaql', "$path "];
	ok(@{$side[0]} > 2000, 'same.py asks yaql', @{$side[0]}[-5 .. -1]);
	is(scalar @{$side[1]}, scalar @{$side[0]}, 'and vetro.yaql the same');
	my @differ = map { $side[0][$_] =~ /^([^\t]*)/ } grep { $side[0][$_] ne ($side[1][$_] // '') } 0 .. $#{$side[0]};
	is(join("\n", @differ), <<'T' =~ s/\n\z//r, 'the answers are the same but for those that docs/python.md names');
data '<built-in function len>' str($)
given '<built-in function len>' give() = give()
heat range(300).len()
no math: [2, 1].orderBy($)
delegates: lambda($)
finalizer wraps let(1)
finalizer named let(1)
open Open $.add(1, by => 4)
open Open $.select($ + 1)
open Auto $.select($ + 1)
open Auto $.method($.attr)
open NoAttributes $.select($ + 1)
open NoAttributes $.method($.attr)
legacy no tuples list(1, 2)
T
}

# ---- yaql's own tests
my ($tests) = grep { -d } '/usr/lib/python3/dist-packages/yaql/tests';
if (!$tests || (out("$python -c 'import testtools'"))[0] ne '0') {
	skip("yaql's own tests", 'python3-yaql or testtools is not installed');
} else {
	($st, $out) = out("cp -r $build/python $W/drop && cp -r $tests $W/drop/yaql/");
	($st, $out) = out("cd $W && ${sanitized}LD_LIBRARY_PATH=$build PYTHONPATH=$W/drop timeout 900 $python -m unittest discover -s drop/yaql/tests -t drop");
	my ($ran) = $out =~ /^Ran (\d+) tests/m;
	my @failed = $out =~ /^(?:ERROR|FAIL): (\w+)/mg;
	ok($ran >= 360, "yaql's own tests run", $out =~ s/.*(?=.{2000})//sr);
	is("@failed", 'test_parser_grammar', 'all pass but the one that docs/python.md names');
}
done();
