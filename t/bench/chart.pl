#!/usr/bin/perl
# Draws build/bench.json as a bar chart: chart.pl BENCH.json > docs/bench.svg
# One bar a contestant and job, time for one operation on a logarithmic axis; shorter is better.
use strict;
use warnings;
use JSON::PP;

my %title = ('murano-call' => 'method call', 'murano-while' => 'While iteration', 'murano-property' => 'property write', 'murano-load' => 'loading an object');
local $/;
open my $f, '<', $ARGV[0] or die "$ARGV[0]: $!\n";
my @r = grep { $title{$_->{job}} } @{ decode_json(<$f>) };
my (%time, %ratio);
for (@r) {
	$time{$_->{job}}{$_->{contestant}} = $_->{seconds} / $_->{ops};
	$ratio{$_->{job}} = $_->{ratio} if $_->{contestant} eq 'murano';
}
my @jobs = grep { $time{$_} } qw(murano-call murano-while murano-property murano-load);
my ($left, $width, $row) = (130, 430, 46);
my $height = 40 + $row * @jobs + 34;
sub x { my ($s) = @_; return (log($s / 1e-9) / log(10)) / 7 * $width } # 1 ns .. 10 ms
sub human { my ($s) = @_; return $s < 1e-6 ? sprintf('%.3g ns', $s * 1e9) : $s < 1e-3 ? sprintf('%.3g us', $s * 1e6) : sprintf('%.3g ms', $s * 1e3) }

printf qq{<svg xmlns="http://www.w3.org/2000/svg" width="720" height="%d" font-family="sans-serif" font-size="12">\n}, $height;
print qq{<rect width="100%" height="100%" fill="#ffffff"/>\n};
print qq{<text x="10" y="20" font-size="14" font-weight="bold">Time for one operation (logarithmic; shorter is better)</text>\n};
my $y = 36;
for my $job (@jobs) {
	printf qq{<text x="%d" y="%d" text-anchor="end">%s</text>\n}, $left - 8, $y + 20, $title{$job};
	my $dy = 0;
	for my $c (['vetro', '#2a7f62'], ['murano', '#b0b7bf']) {
		my $t = $time{$job}{$c->[0]} // next;
		printf qq{<rect x="%d" y="%d" width="%.1f" height="14" fill="%s"/>}, $left, $y + $dy, x($t), $c->[1];
		my $note = $c->[0] eq 'murano' ? sprintf('murano %s, %s times', human($t), scalar reverse join ',', unpack '(A3)*', reverse int($ratio{$job} + 0.5)) : 'vetro ' . human($t);
		printf qq{<text x="%.1f" y="%d" font-size="11">%s</text>\n}, $left + x($t) + 5, $y + $dy + 11, $note;
		$dy += 16;
	}
	$y += $row;
}
for my $e (0 .. 7) {
	my $x = $left + $e / 7 * $width;
	printf qq{<line x1="%.1f" y1="32" x2="%.1f" y2="%d" stroke="#00000018"/>}, $x, $x, $y;
	printf qq{<text x="%.1f" y="%d" text-anchor="middle" fill="#666">%s</text>\n}, $x, $y + 14, human(1e-9 * 10**$e);
}
print "</svg>\n";
