#!/usr/bin/perl
# The figures of a run as tables. usage: table.pl [-m] BENCH.json RUN.json     prints them; -m: the memory of the processes
#                                        table.pl --page PAGE BENCH.json RUN.json    puts them into docs/performance.md
use strict;
use warnings;
use Bench;
use Table;

my $memory = @ARGV && $ARGV[0] eq '-m' && shift;
my $page = @ARGV && $ARGV[0] eq '--page' && shift ? shift : undef;
die "usage: table.pl [-m | --page PAGE] BENCH.json RUN.json\n" unless @ARGV == 2;
my ($records, $run) = map { $json->decode(slurp($_)) } @ARGV;
my $text = figures($records, $run, $memory);
if (!defined $page) {
	print $text;
	exit 0;
}
my @missing = missing($records);
die "$page stays as it is: the run has no figures of @missing (make bench, without JOBS)\n" if @missing;
my @wrong = problems($text);
die map({ "$_\n" } @wrong), "$page stays as it is\n" if @wrong;
my $new = put_figures(slurp($page), $text);
open my $f, '>', "$page.tmp" or die "$page.tmp: $!\n";
print $f $new;
close $f or die "$page.tmp: $!\n";
rename "$page.tmp", $page or die "$page: $!\n";
