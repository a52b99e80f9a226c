#!/usr/bin/perl
# A batch under valgrind: no error and no leak, in the process that reads and in the one that evaluates. The examples of the
# registry and recorded cases, a few of them; VALGRIND_CASES says how many (0: all), VALGRIND_SEED which.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $most = $ENV{VALGRIND_CASES} // 60;

skip_all('valgrind is not installed') if system('command -v valgrind >/dev/null 2>&1');
skip_all('valgrind and the sanitizers exclude each other') if !system('grep', '-q', '__asan_init', $vetro);

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

my @command = ('valgrind', '-q', '--error-exitcode=9', '--leak-check=full', $vetro, 'query', '--batch');
my ($rc, $out, $err) = run_program({ in => join('', @cases), limit => 600 }, @command);
my @answers = split /^/, $out;
my $died = grep { /the process of the expression ended/ } @answers;

ok($rc == 0, sprintf('no error and no leak in %d requests', scalar @cases));
print map { chomp; "# $_\n" } grep { defined } (split /^/, $err)[0 .. 40] if $rc;
ok(@answers == @cases, 'every request has its answer');
ok($died == 0, 'no answer says that a process ended');
done();
