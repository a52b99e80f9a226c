#!/usr/bin/perl
# The benchmark: the same work on vetro and on what people would use instead, in one run.
# usage: bench.pl VETRO DRIVERS OUT.json     (run by `make bench`; JOBS in the environment chooses, as in 'yaql-* json-parse')
# Prints ratios first; every figure names its input; results are compared before a time counts. docs/performance.md
# describes the jobs, lib/*.pm has them.
use strict;
use warnings;
use Bench;
use Graph;
use Jobs;
use Kinds;
use Murano;
use Pipelines;
use Scale;
use Table;
use Text;
use Time::HiRes qw(time);
use Tosca;
use Yaql;
use Yay;

($Bench::vetro, $Bench::drivers, my $out) = @ARGV;
die "usage: bench.pl VETRO DRIVERS OUT.json\n" unless defined $out;
@Bench::patterns = split /[\s,]+/, $ENV{JOBS} // '';
$| = 1;
my $start = time;
my $machine = machine();
my @chosen = grep { wanted($_) } sort keys %Jobs::seconds;
die "no job is called $ENV{JOBS}; there are @{[sort keys %Jobs::seconds]}\n" unless @chosen;
my $estimate = 0;
$estimate += $Jobs::seconds{$_} for @chosen;
printf "%d jobs; about %d s on a quiet machine\n", scalar @chosen, $estimate;

$_->() for \&Pipelines::all, \&Kinds::all, \&Murano::all, \&Scale::all, \&Yaql::all, \&Text::all, \&Graph::all, \&Tosca::all, \&Yay::all;

# The figures, and beside them what they are of: bench.json, bench-run.json.
my %files = ($out => records(), $out =~ s/(\.json)?$/-run.json/r => $machine);
for my $path (sort keys %files) {
	open my $f, '>', "$path.tmp" or die "$path: $!\n";
	print $f $json->pretty->encode($files{$path});
	close $f or die "$path: $!\n";
	rename "$path.tmp", $path or die "$path: $!\n";
}
printf "wrote %s after %.0f s\n", $out, time - $start;
if (my @failed = Bench::failures()) {
	print "failed: @failed\n";
	exit 1;
}
