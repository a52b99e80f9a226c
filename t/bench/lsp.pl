#!/usr/bin/perl
# How long `vetro lsp` takes from an edit to its diagnostics, and for a completion: lsp.pl PACKAGE FILE [EDITS]
# FILE is one of the package. Prints milliseconds: the median and the 99th percentile, the processor time of the server and its
# workers, which does not depend on what else the machine does, and the memory of all processes.
use strict;
use warnings;
use Cwd qw(realpath);
use FindBin;
use POSIX ();
use lib "$FindBin::Bin/../lib";
use Lsp;
use Tap ();
use Time::HiRes qw(time);

my ($package, $file, $edits) = @ARGV;
die "lsp.pl PACKAGE FILE [EDITS]\n" if !$file;
my $path = realpath("$package/$file") // die "$package/$file: $!\n";
my $c = Lsp->start(root => realpath($package));
$c->open_file($path);
$c->diagnostics($path);

sub line {
	my ($what, @t) = @_;
	@t = sort { $a <=> $b } @t;
	printf "%-24s median %6.1f ms, 99th percentile %6.1f ms (%d)\n", $what, 1000 * $t[@t / 2], 1000 * $t[int(@t * 0.99)], scalar @t;
}

# Seconds of the server and of workers that have ended: each edit ends one.
sub spent {
	my @f = split / /, (Tap::slurp("/proc/$c->{pid}/stat") =~ /^.*\) (.*)/s)[0];
	return ($f[11] + $f[12] + $f[13] + $f[14]) / POSIX::sysconf(POSIX::_SC_CLK_TCK());
}

my (@edit, @ask);
my $before = spent();
for my $i (1 .. $edits || 200) {
	my $t = time;
	$c->change($path, $i % 2 ? "# x\n" : '', [0, 0], [$i % 2 ? 0 : 1, 0]);
	$c->diagnostics($path);
	push @edit, time - $t;
	$t = time;
	$c->at('completion', $path, 0, 0);
	push @ask, time - $t;
}
printf "%-24s %.1f ms an edit with its completion\n", 'processor time', 1000 * (spent() - $before) / @edit;
line('edit to diagnostics', @edit);
line('completion', @ask);
my $sum = 0;
for (glob '/proc/[0-9]*/stat') {
	my ($pid, $parent) = Tap::slurp($_) =~ /^(\d+) \(.*?\) \S (\d+)/ or next;
	next if $pid != $c->{pid} && $parent != $c->{pid};
	$sum += $1 if Tap::slurp("/proc/$pid/smaps_rollup") =~ /^Pss:\s+(\d+)/m;
}
printf "memory of the server and its workers: %.1f MiB\n", $sum / 1024;
$c->stop;
