#!/usr/bin/perl
# The type stubs of the Python module: mypy takes them and programs over them, finds what is wrong in such programs, and
# its stubtest finds no difference from the module. Debian's package mypy.
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
skip_all('mypy is not installed') if system("$python -c 'import mypy' 2>/dev/null") != 0;

sub out {
	my $out = `($_[0]) 2>&1`;
	return ($? >> 8, $out);
}

delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL PYTHONPATH PYTHONHOME)};
my ($st, $out) = out("make -s -C $top PYTHON=$python B=$build CONFIG=$config python");
skip_all('Python.h is not installed (python3-dev)') if $out =~ /left out/;
my $mypy = "cd $W && MYPYPATH=$build/python timeout 600 $python -m mypy --cache-dir=$W/cache --strict --follow-imports=silent";
my @stubs = map { s{^\Q$build\E/python/}{}r =~ s{/__init__\.pyi$|\.pyi$}{}r =~ tr{/}{.}r } split /\n/, `find $build/python/vetro -name '*.pyi'`;
ok(@stubs >= 4, 'there are stubs', "@stubs");
($st, $out) = out("$mypy " . join(' ', map { "-m $_" } @stubs));
is($st, 0, 'the strict checker takes the stubs', $out);

spew("$W/good.py", <<'P');
from typing import Any, List
from vetro import yaql
from vetro.yaql.language import expressions

engine = yaql.YaqlFactory(keyword_operator=':=', allow_delegates=True).create({'yaql.limitIterators': 100})
statement: expressions.Statement = engine('$.x')
result: Any = statement.evaluate(data={'x': 1}, context=yaql.create_context(no_sets=True))
version: str = yaql.__version__
found: List[int] = [yaql.eval('$ + 1', 1)]
P
($st, $out) = out("$mypy good.py");
is($st, 0, 'and a program over them', $out);
spew("$W/bad.py", <<'P');
from vetro import yaql

yaql.YaqlFactory(keyword=':=')
yaql.YaqlFactory().create()(5)
yaql.create_context(no_set=True)
yaql.YaqlFactory().allow_delegates = True
yaql.evaluate('1')
P
($st, $out) = out("$mypy bad.py");
is(join(' ', $out =~ /^bad\.py:(\d+): error/mg), '3 4 5 6 7', 'it finds what is wrong', $out);

# ---- the stubs and the module
if ($config eq 'asan' || $config eq 'torture') {
	skip('stubtest', 'it loads the module without the sanitizers');
} else {
	($st, $out) = out("cd $W && MYPYPATH=$build/python PYTHONPATH=$build/python timeout 600 $python -m mypy.stubtest --concise --ignore-missing-stub "
		. join(' ', grep { $_ ne 'vetro.yaql' } @stubs)); # which has the module eval
	is($st, 0, 'what the stubs say is what the module has', $out);
}
done();
