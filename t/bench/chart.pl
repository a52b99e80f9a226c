#!/usr/bin/perl
# Draws build/bench.json: chart.pl BENCH.json > docs/bench.svg
# A row a job, a dot a contestant at the time of one operation on a logarithmic axis; further left is faster. vetro's dot
# has its time, the others how many times vetro's time they take.
use strict;
use warnings;
use Bench;
use Jobs;

my @murano = (['murano-call', 'method call'], ['murano-while', 'While iteration'], ['murano-property', 'property write'], ['murano-parallel', 'branch of Parallel'],
	['murano-load', 'loading an object'], ['int-loop', 'integer loop'], ['call-loop', 'calls in a loop']);
my $many = qr/^100,000 records/;
my @groups = (
	{ title => 'MuranoPL', note => 'one operation', jobs => \@murano },
	{ title => 'YAQL in memory', note => 'one of 100,000 records; yaql of 5,000', jobs => [map { ["yaql-$_->{name}", $_->{title}] } @Jobs::yaql] },
	{ title => 'JSON text', note => 'one byte; one record, reading included', jobs => [['json-parse', 'parse'], ['query-json', 'vetro query: filter and project']] },
	{ title => 'Files', note => 'one node, key, item, file, vertex; the largest of each job', jobs => [['tosca-chain', 'TOSCA: chain of nodes'], ['yay-flat', 'Yay: plain keys'],
		['yay-for', 'Yay: loops'], ['yay-include', 'Yay: includes'], ['mugl-roundtrip', 'MuGL: read and write']] },
);
# Colours on white and on dark grey; contrast of at least 4.5 with either.
my %look = (vetro => ['#15803d', '#4ade80'], c => ['#111827', '#f3f4f6'], murano => ['#b45309', '#fbbf24'], yaql => ['#b45309', '#fbbf24'], python => ['#7c3aed', '#c4b5fd'],
	jq => ['#2563eb', '#93c5fd'], gojq => ['#0e7490', '#67e8f9'], libyaml => ['#be185d', '#f9a8d4'], 'tosca-parser' => ['#7c3aed', '#c4b5fd']);
my %shown = (c => 'C (simdjson for parse)', yaql => 'python yaql');
my ($left, $width, $row) = (200, 560, 36);
my ($low, $high) = (-10, -2); # 0.1 ns .. 10 ms

my @records = @{ $json->decode(slurp($ARGV[0])) };
my %of; # job => contestant => record: of several inputs the largest
my %last; # job => the input of vetro's last record
$_->{contestant} eq 'vetro' and $last{ $_->{job} } = $_->{input} for @records;
for my $r (@records) {
	my $is_large = $r->{input} =~ $many || $r->{contestant} eq 'yaql' && defined $r->{note};
	next if $r->{job} =~ /^yaql-|^json-parse/ && !$is_large;
	next if $r->{job} =~ /^(?:tosca|yay|mugl)-/ && $r->{input} ne $last{ $r->{job} };
	$of{ $r->{job} }{ $r->{contestant} } //= $r;
}

sub x {
	my ($s) = @_;
	my $at = (log($s) / log(10) - $low) / ($high - $low);
	return $left + $width * ($at < 0 ? 0 : $at > 1 ? 1 : $at);
}
sub times_of { my ($r) = @_; return $r >= 100 ? commas($r) : sprintf($r >= 10 ? '%.0f' : '%.2g', $r) }
sub text { my ($x, $y, $what, $more) = @_; return sprintf qq{<text x="%.1f" y="%.1f" %s>%s</text>\n}, $x, $y, $more // '', $what }

# The page has its own ground, so that the chart can be read wherever it is shown.
sub style {
	my ($dark) = @_;
	my ($page, $ink, $note, $line, $grid) = $dark ? ('#111827', '#f3f4f6', '#9ca3af', '#6b7280', '#374151') : ('#ffffff', '#111827', '#6b7280', '#9ca3af', '#e5e7eb');
	return ".page { fill: $page } text { fill: $ink } .note { fill: $note } .link { stroke: $line } .grid { stroke: $grid }\n",
		map { ".$_, text.$_ { fill: $look{$_}[$dark] }\n" } sort keys %look;
}

# Labels of neighbouring dots go above and below in turn, so that they do not cover each other.
sub draw_row {
	my ($y, $title, $with) = @_;
	my @dots = sort { $a->[0] <=> $b->[0] } map { [x($with->{$_}{seconds} / $with->{$_}{ops}), $_] } keys %$with;
	my ($svg, %end) = (text($left - 10, $y + 4, $title, 'text-anchor="end"'));
	$svg .= sprintf qq{<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" class="link"/>\n}, $dots[0][0], $dots[-1][0], $y, $y if @dots > 1;
	for my $dot (@dots) {
		my ($x, $who) = @$dot;
		my $r = $with->{$who};
		my $label = $who eq 'vetro' ? Bench::human($r->{seconds} / $r->{ops}) : times_of($r->{ratio}) . '&#215;';
		my $half = 2.9 * ($label =~ s/&#215;/x/r =~ tr///c);
		my ($side) = grep { ($end{$_} // 0) < $x - $half } -1, 1;
		$side //= -1;
		$end{$side} = $x + $half + 2;
		$svg .= sprintf qq{<circle cx="%.1f" cy="%d" r="%s" class="%s"/>\n}, $x, $y, $who eq 'vetro' ? 5.5 : 4, $who;
		$svg .= text($x, $y + ($side < 0 ? -7 : 14), $label, sprintf 'text-anchor="middle" font-size="10" class="%s"%s', $who, $who eq 'vetro' ? ' font-weight="bold"' : '');
	}
	return $svg;
}

my ($body, $y) = ('', 66);
my %present;
for my $g (@groups) {
	my @jobs = grep { $of{ $_->[0] } } @{ $g->{jobs} } or next;
	$body .= text(12, $y, $g->{title}, 'font-weight="bold"') . text($left, $y, $g->{note}, 'class="note" font-size="11"');
	$y += 26;
	for (@jobs) {
		$body .= draw_row($y, $_->[1], $of{ $_->[0] });
		$present{$_} = 1 for keys %{ $of{ $_->[0] } };
		$y += $row;
	}
	$y += 10;
}
my $height = $y + 16;
printf qq{<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 %d" width="800" height="%d" font-family="sans-serif" font-size="12">\n}, $height, $height;
print "<style>\n", style(0), "\@media (prefers-color-scheme: dark) {\n", style(1), "}\n</style>\n", qq{<rect width="100%" height="100%" class="page"/>\n};
print text(12, 20, 'Time of one operation, logarithmic: further left is faster', 'font-size="14" font-weight="bold"');
my $at = 18;
for my $who (grep { $present{$_} } qw(vetro c libyaml gojq jq python yaql murano)) {
	my $name = $shown{$who} // $who;
	printf qq{<circle cx="%d" cy="38" r="4" class="%s"/>}, $at, $who;
	print text($at + 8, 42, $name, 'font-size="11"');
	$at += 30 + 6.2 * length $name;
}
print text(790, 42, '2&#215;: twice the time of vetro', 'text-anchor="end" font-size="11" class="note"');
for my $e ($low .. $high) {
	my $x = x(10**$e);
	printf qq{<line x1="%.1f" x2="%.1f" y1="52" y2="%d" class="grid"/>\n}, $x, $x, $y - 8;
	print text($x, $y + 6, Bench::human(10**$e), 'text-anchor="middle" class="note" font-size="11"');
}
print $body, "</svg>\n";
