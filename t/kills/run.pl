#!/usr/bin/perl
# make check-kills: run.pl POINTS SCENARIO... kills so many runs in all, spread over the scenarios whose names match, and prints
# a table. What went wrong is told; the exit status is 1 then.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
BEGIN { $ENV{TMPDIR} //= '/dev/shm' if -d '/dev/shm' && -w _ } # nothing has to outlive this machine
use Kills;
use Time::HiRes 'time';

my ($points, @names) = @ARGV;
die "usage: run.pl POINTS SCENARIO...\n" if !@names;
tracer() or die "the tracer is not built: make check-kills builds it\n";
my $with_agents = grep { /agent/ || 'agent-new' =~ /^(?:$_)$/ } @names;
my @all = (scenarios(), $with_agents ? agent_scenarios() : ());
@all = grep { my $s = $_; grep { $s->{name} =~ /^(?:$_)$/ } @names } @all;
die "no scenario has such a name\n" if !@all;
my $begun = time;
for my $s (@all) {
	my $from = time;
	measure($s);
	kill_evenly($s, int($points / @all + 0.999));
	printf STDERR "%-24s %d calls, %d kill points, %.0f s\n", @$s{qw(name calls points)}, time - $from;
	print STDERR map { "  $_\n" } @{ $s->{notes} }[0 .. ($#{ $s->{notes} } > 9 ? 9 : $#{ $s->{notes} })];
}
print table(@all);
printf STDERR "%.0f s\n", time - $begun;
exit(grep { $_->{lost} || $_->{doubled} || $_->{stuck} } @all) ? 1 : 0;
