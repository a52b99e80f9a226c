#!/usr/bin/perl
# The figures of build/bench.json as the table of docs/performance.md: table.pl BENCH.json; with -m their memory
use strict;
use warnings;
use Bench;

my $memory = @ARGV && $ARGV[0] eq '-m' && shift;
my (%of, @rows);
for my $r (@{ $json->decode(slurp($ARGV[0])) }) {
	my ($size) = $r->{input} =~ /^([^:]*)/;
	# What is timed on fewer records belongs to the row it is compared in.
	my $few = $r->{contestant} eq 'yaql' && defined $r->{note} ? ' [1]' : '';
	my $key = $few || $r->{contestant} eq 'murano' ? $rows[-1] : "$r->{job}|" . ($r->{job} eq 'query-json' ? $r->{input} : $size);
	push @rows, $key unless $of{$key};
	if ($memory) {
		$of{$key}{ $r->{contestant} } = defined $r->{peak_bytes} ? sprintf('%.1f MB', $r->{peak_bytes} / 1e6) . $few : '';
		next;
	}
	my $each = Bench::human($r->{seconds} / $r->{ops});
	my $times = $r->{ratio} >= 100 ? commas($r->{ratio}) : sprintf '%.2g', $r->{ratio};
	$of{$key}{ $r->{contestant} } = $r->{contestant} eq 'vetro' ? $each : "$each ($times)$few";
}
my @who = grep { my $w = $_; grep { $of{$_}{$w} } @rows } qw(vetro c gojq jq yaql murano python libyaml tosca-parser);
print '| job | input | ', join(' | ', @who), " |\n|", '---|' x (@who + 2), "\n";
for my $key (@rows) {
	my ($job, $input) = split /\|/, $key, 2;
	$input =~ s/\|/\\|/g;
	print "| $job | $input | ", join(' | ', map { $of{$key}{$_} // '' } @who), " |\n";
}
