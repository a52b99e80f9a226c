#!/usr/bin/perl
# Random classes through vetro and through murano's engine: gen-murano.pl VETRO SECONDS
#
# Each seed is a package of t/lib/Worlds.pm; values, errors and models of all its methods must be equal (t/passes/worlds.t).
# Environment: GEN_SEED the first seed; WORLDS how many methods a class has.
use strict;
use warnings;
use Cwd qw(abs_path);
use FindBin;

my ($vetro, $seconds) = @ARGV;
my $seed = $ENV{GEN_SEED} || 1;
my $end = time + ($seconds // 60);
my ($calls, $worlds, $differ) = (0, 0, 0);

if (system("/usr/bin/python3 -c 'import murano' 2>/dev/null")) {
	print "skipped: python3-murano is not installed\n";
	exit 0;
}
@ENV{qw(VETRO WORLDS_ORACLE WORLDS_PASSES)} = (abs_path($vetro), 1, '');
$ENV{WORLDS} //= 8;
while (time < $end) {
	$ENV{WORLDS_SEEDS} = $seed++;
	my $tap = `perl '$FindBin::Bin/../passes/worlds.t' 2>&1`;
	$worlds++;
	$calls += 4 * 4 * ($ENV{WORLDS} + 4);
	next if $? == 0;
	$differ++;
	print $tap;
}
printf "%d questions to %d packages, %d differ\n", $calls, $worlds, $differ;
exit($differ ? 1 : 0);
