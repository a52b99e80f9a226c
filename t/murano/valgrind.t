#!/usr/bin/perl
# A batch under valgrind: no error and no leak, in the process that reads and in the one that evaluates. The examples of the
# registry and recorded cases, a few of them; VALGRIND_CASES says how many (0: all), VALGRIND_SEED which.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin;
use JSON::PP;

my $vetro = $ENV{VETRO} || 'build/debug/vetro';
my $most = $ENV{VALGRIND_CASES} // 60;
my $dir = tempdir(CLEANUP => 1);

sub skip {
	print "1..0 # SKIP $_[0]\n";
	exit 0;
}
skip('valgrind is not installed') if system('command -v valgrind >/dev/null 2>&1');
skip('valgrind and the sanitizers exclude each other') if !system('grep', '-q', '__asan_init', $vetro);

sub lines_of {
	open(my $f, '<', $_[0]) or return;
	return <$f>;
}

# What the corpus lacks: a line that is no request, one that is no expression, errors that come from deep within.
my @cases = ("{\n", "{\"expr\":\"(\"}\n", "{\"expr\":\"1 / 0\"}\n", "{\"expr\":\"[1, 2].select(\$.nothing)\"}\n",
	"{\"expr\":\"def(f, f(\$)) -> f(1)\"}\n");
my ($built) = $vetro =~ m{^(.*)/};
my @all = map { lines_of($_) } "$built/gen/registry_examples.jsonl",
	map { "$FindBin::Bin/../../../shared/conformance/yaql/$_.jsonl" } qw(reference generated);
srand($ENV{VALGRIND_SEED} || 1);
if ($most) {
	push @cases, splice(@all, rand @all, 1) while @all && @cases < $most;
} else {
	push @cases, @all;
}

open(my $f, '>', "$dir/cases") or die "$dir/cases: $!";
print $f @cases;
close $f;
my $pid = fork() // die "fork: $!";
if (!$pid) {
	open(STDIN, '<', "$dir/cases") or die;
	open(STDOUT, '>', "$dir/out") or die;
	open(STDERR, '>', "$dir/err") or die;
	exec 'valgrind', '-q', '--error-exitcode=9', '--leak-check=full', $vetro, 'query', '--batch' or exit 127;
}
waitpid($pid, 0);
my @answers = lines_of("$dir/out");
my $died = grep { /the process of the expression ended/ } @answers;
my $n = 0;
sub ok { printf "%sok %d - %s\n", $_[0] ? '' : 'not ', ++$n, $_[1] }

ok($? == 0, sprintf('no error and no leak in %d requests', scalar @cases));
print map { chomp; "# $_\n" } grep { defined } (lines_of("$dir/err"))[0 .. 40] if $?;
ok(@answers == @cases, 'every request has its answer');
ok($died == 0, 'no answer says that a process ended');
print "1..$n\n";
exit($? != 0 || $died != 0 || @answers != @cases);
