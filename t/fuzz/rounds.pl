#!/usr/bin/perl
# Goes round all fuzz targets with libFuzzer, for hours: rounds.pl BUILD_DIR HOURS [TARGET...]
#
# What one round found is where the next begins (BUILD_DIR/corpus-NAME). A crash keeps its input and the target goes on in
# the next round. The end is a table: inputs that were run, edges of the code that were reached, crashes. Then come the
# generators that ask the reference, where that is installed.
# Environment: JOBS targets at a time (1), ROUNDS (3), TABLE a file for the table in Markdown.
# With --keep instead of HOURS the found inputs that reach most are put into t/fuzz/corpus, few and small.
use strict;
use warnings;
use Digest::SHA qw(sha1_hex);
use File::Basename qw(dirname);
use File::Copy qw(copy);
use File::Path qw(make_path remove_tree);
use POSIX ();
use Time::HiRes qw(time);

my ($build, $hours, @targets) = @ARGV;
my $here = dirname($0);
die "usage: rounds.pl BUILD_DIR HOURS|--keep TARGET...\n" if !defined $hours || !@targets;
my $jobs = $ENV{JOBS} || 1;
my $rounds = $ENV{ROUNDS} || 3;
my ($most_files, $most_bytes) = (40, 2000); # of a target in t/fuzz/corpus
$ENV{ENGINE} = 'libfuzzer';
$ENV{CC} ||= 'clang';
$| = 1;

sub is_generator { return $_[0] =~ /^(?:differential|gen-\w+)$/ }

# The last numbers of a log.
sub figures {
	my ($name) = @_;
	open(my $f, '<:raw', "$build/fuzz-$name.log") or return (0, 0);
	my ($inputs, $edges) = (0, 0);
	while (<$f>) {
		$edges = $1 if /\bcov: (\d+)/;
		$inputs = $1 if /^stat::number_of_executed_units: *(\d+)/ || /^#(\d+)\s/;
	}
	return ($inputs, $edges);
}

# One slice of one target, in a process of its own.
sub start {
	my ($name, $seconds) = @_;
	my $pid = fork // die "fork: $!\n";
	return $pid if $pid;
	open(STDOUT, '>', "$build/fuzz-$name.out") or POSIX::_exit(2);
	open(STDERR, '>&', \*STDOUT) or POSIX::_exit(2);
	$ENV{FUZZ_SEED} = $ENV{GEN_SEED} = int(time);
	my @command = is_generator($name) ? ('perl', "$here/$name.pl", "$build/vetro", $seconds)
		: ('sh', "$here/smoke.sh", $build, "$here/$name.c", $seconds);
	exec @command or POSIX::_exit(2);
}

my %sum; # target => [inputs, edges, crashes]
sub finish {
	my ($name, $status) = @_;
	my $s = $sum{$name} //= [0, 0, 0];
	if (is_generator($name)) {
		open(my $f, '<', "$build/fuzz-$name.out") or return;
		my $text = join '', <$f>;
		$s->[0] += $1 if $text =~ /(\d+) (?:questions|expressions)/;
	} else {
		my ($inputs, $edges) = figures($name);
		$s->[0] += $inputs;
		$s->[1] = $edges if $edges > $s->[1];
	}
	return if $status == 0;
	my $n = ++$s->[2];
	rename "$build/fuzz-$name.out", "$build/fuzz-$name.failed-$n";
	rename "$build/crash-$name", "$build/crash-$name-$n";
	rename "$build/crash-$name.min", "$build/crash-$name-$n.min";
	print "$name: failed; see $build/fuzz-$name.failed-$n and $build/crash-$name-$n\n";
}

sub run_all {
	my ($seconds) = @_;
	my (%running, @waiting);
	@waiting = @targets;
	while (@waiting || %running) {
		while (@waiting && keys %running < $jobs) {
			my $name = shift @waiting;
			$running{ start($name, $seconds) } = $name;
		}
		my $pid = wait;
		finish(delete $running{$pid}, $?) if $running{$pid};
	}
}

sub table {
	my ($took) = @_;
	my $t = sprintf "%d targets, %.1f hours, %d at a time.\n\n| target | inputs | edges | crashes |\n|---|---|---|---|\n",
		scalar @targets, $took / 3600, $jobs;
	for my $name (@targets) {
		my ($inputs, $edges, $crashes) = @{ $sum{$name} };
		1 while $inputs =~ s/(\d)(\d{3})(?!\d)/$1,$2/;
		$t .= "| $name | $inputs | " . ($edges || '-') . " | $crashes |\n";
	}
	return $t;
}

# libFuzzer's merge takes the smallest inputs first; what is left over is what reaches something of its own.
sub keep {
	my ($name) = @_;
	my ($from, $to, $kept) = ("$build/corpus-$name", "$build/merged-$name", "$here/corpus/$name");
	return if is_generator($name) || !-d $from;
	remove_tree($to);
	make_path($to);
	system("'$build/fuzz-$name' -merge=1 -max_len=$most_bytes '$to' '$from' >'$build/merge-$name.log' 2>&1");
	my @files = sort { -s $a <=> -s $b } grep { -s $_ && -s $_ <= $most_bytes } glob "$to/*";
	# Evenly over the sizes: the small ones reach the first lines, the others what lies behind.
	my $step = @files > $most_files ? @files / $most_files : 1;
	my @chosen = map { $files[$_ * $step] } 0 .. (@files < $most_files ? $#files : $most_files - 1);
	remove_tree($kept);
	make_path($kept) if @chosen;
	for my $f (@chosen) {
		open(my $in, '<:raw', $f) or die "$f: $!\n";
		my $text = do { local $/; <$in> };
		copy($f, "$kept/" . substr(sha1_hex($text), 0, 12)) or die "$kept: $!\n";
	}
	printf "%s: %d of %d inputs kept\n", $name, scalar @chosen, scalar @files;
}

if ($hours eq '--keep') {
	keep($_) for @targets;
	exit 0;
}
my $began = time;
my $slice = $hours * 3600 * $jobs / ($rounds * @targets);
for my $round (1 .. $rounds) {
	run_all($slice < 1 ? 1 : int $slice);
	printf "round %d of %d: %.0f s\n", $round, $rounds, time - $began;
}
my $text = table(time - $began);
print $text;
if ($ENV{TABLE}) {
	open(my $f, '>', "$ENV{TABLE}.tmp") or die "$ENV{TABLE}: $!\n";
	print $f $text;
	close $f or die "$ENV{TABLE}: $!\n";
	rename "$ENV{TABLE}.tmp", $ENV{TABLE} or die "$ENV{TABLE}: $!\n";
}
exit((grep { $_->[2] } values %sum) ? 1 : 0);
