#!/usr/bin/perl
# A torture build (make CONFIG=torture, runtime/core/torture.c) whose n-th allocation fails: each run ends with status 3 and
# says so, or as it always does; never with a crash, and never with half an output.
# TORTURE_RUNS: how many n for each command (make check-torture: more).
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
my $runs = $ENV{TORTURE_RUNS} || 15;

# The build at hand, or build/torture while nothing of it is older than a source.
sub torture_build {
	my ($rc, undef, $err) = do { local $ENV{VETRO_FAIL_ALLOC} = 0; vetro('--version') };
	return $Tap::vetro if $rc == 0 && $err =~ /allocations/;
	my $there = "$top/build/torture/vetro";
	return undef unless -x $there;
	my @newer = grep { (stat $_)[9] > (stat $there)[9] } glob("$top/runtime/*/* $top/compiler/*/* $top/lua/*");
	return @newer ? undef : $there;
}

$Tap::vetro = torture_build();
if (!defined $Tap::vetro) {
	skip_all('no torture build: make check-torture makes one');
}
$ENV{ASAN_OPTIONS} = 'detect_leaks=0'; # of a process that gives up
delete $ENV{VETRO_TORTURE_SEED};

# { status, out, err, file } of a command whose n-th allocation fails.
sub go {
	my ($job, $fail) = @_;
	my ($in, $out, $err) = map { "$W/.$_" } qw(in out err);
	spew($in, $job->{in} // '');
	unlink $job->{file} if $job->{file};
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		$ENV{VETRO_FAIL_ALLOC} = $fail;
		open(STDIN, '<', $in) && open(STDOUT, '>', $out) && open(STDERR, '>', $err) or exit 126;
		alarm 60;
		exec { $job->{command}[0] } @{ $job->{command} } or exit 127;
	}
	waitpid $pid, 0;
	my %r = (status => $? & 127 ? -($? & 127) : $? >> 8, out => slurp($out), err => slurp($err));
	$r{file} = slurp($job->{file}) if $job->{file} && -e $job->{file};
	s/\b[0-9a-f]{32}\b/ID/g for grep { defined } @r{qw(out file)};
	return \%r;
}

sub wrong {
	my ($r, $good, $job) = @_;
	return 'a part of a file' if defined $r->{file} && (!defined $good->{file} || $r->{file} ne $good->{file});
	return undef if $r->{status} == 3 && $r->{err} =~ /out of memory/;
	return undef if $r->{status} == $good->{status} && $r->{out} eq $good->{out}; # what could not be had was not needed
	return undef if ($r->{status} > 0 || $job->{goes_on}) && "$r->{out}$r->{err}" =~ /memory/i && $r->{err} !~ /AddressSanitizer|runtime error/;
	return undef if $r->{err} =~ /^\s*#0 \S+ in tccpp_delete /m; # libtcc itself, taking back what it had begun
	return 'a wrong end';
}

sub sweep {
	my ($title, $job) = @_;
	my $good = go($job, 0);
	my ($total) = $good->{err} =~ /vetro: (\d+) allocations/;
	return ok(0, "$title: counts", $good->{status}, $good->{err}) unless $total;
	my $step = $total / $runs;
	$step = 1 if $step < 1;
	for my $more ('', '+') {
		my ($n, $ends) = (0, 0);
		for (my $i = 1; $i <= $total; $i += $step * ($more ? 3 : 1), $n++) {
			my $fail = int($i) . $more;
			my $r = go($job, $fail);
			my $what = wrong($r, $good, $job);
			return ok(0, "$title: VETRO_FAIL_ALLOC=$fail: $what", "status $r->{status}", $r->{out}, $r->{err}) if $what;
			$ends++ if $r->{status} == 3;
		}
		ok($ends > 0, "$title: $n of $total allocations fail" . ($more ? ', and all that follow' : ''));
	}
}

my ($rc, $out, $err) = vetro('build', '-O0', '-o', "$W/fleet", "$top/examples/fleet");
is($rc, 0, 'an example builds');
($rc, $out, $err) = vetro('build', '-O0', '-o', "$W/parallel", "$FindBin::Bin/../data/murano/parallel");
is($rc, 0, 'a package with tasks builds');

my $model = "$top/examples/fleet/model.json";
sweep('run', { command => ["$W/fleet", 'run', '--model', $model, '--output', "$W/model"], file => "$W/model" });
sweep('run to standard output', { command => ["$W/fleet", 'run', '--model', $model] });
my $session = '{"op":"load","model":{"Objects":{"?":{"type":"t.parallel.Main","id":"root"}}}}' . "\n";
for (['testLimit', '[2]'], ['testLockArgs', '[[[1],[1]]]'], ['testDeadlock', '[]'], ['testYield', '[]'], ['testThrow', '[]']) {
	$session .= qq({"op":"call","target":null,"method":"$_->[0]","args":$_->[1]}\n);
}
sweep('session with tasks', { goes_on => 1, command => ["$W/parallel", 'session', '--expose', 'test*', '--virtual-time'], in => $session });
sweep('info', { command => ["$W/fleet", 'info'] });
sweep('check', { command => [$Tap::vetro, 'check', "$top/examples/fleet"] });
sweep('check of what is wrong', { command => [$Tap::vetro, 'check', '--format=json', "$FindBin::Bin/../data/check/E0601"] });
sweep('build', { command => [$Tap::vetro, 'build', '--emit=c', "$top/examples/fleet"] });
sweep('query', { command => [$Tap::vetro, 'query', '-c',
	'[$.where($ > 1).select($ * 100000000000000000000000), regex("a.c").search("abc"), $.groupBy($ mod 2)]'], in => '[1,2,3]' });
sweep('batch, whose worker may be replaced', { goes_on => 1, command => [$Tap::vetro, 'query', '--batch'],
	in => join '', map { qq({"id":$_,"expr":"\$.select(\$ * 2).join(\\",\\")","data":[1,2,$_]}\n) } 1 .. 3 });
done();
