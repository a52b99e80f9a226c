#!/usr/bin/perl
# Draws build/bench.json: chart.pl BENCH.json > docs/bench.svg
# A row a job, a dot a contestant at the time of one operation on a logarithmic axis; further left is faster. vetro's dot
# has its time, the others how many times vetro's time they take. Above them stand all pipelines and methods: a dot a job at
# how many times faster than a contestant vetro is, with the median; left of the line at 1, vetro is the slower one.
use strict;
use warnings;
use Bench;
use Jobs;
use Spread;

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
my %look = (vetro => ['#15803d', '#4ade80'], c => ['#111827', '#f3f4f6'], murano => ['#b45309', '#fbbf24'], yaql => ['#b45309', '#fbbf24'], lua => ['#1d4ed8', '#93c5fd'], luajit => ['#be185d', '#f9a8d4'], python => ['#7c3aed', '#c4b5fd'],
	jq => ['#2563eb', '#93c5fd'], gojq => ['#0e7490', '#67e8f9'], libyaml => ['#be185d', '#f9a8d4'], 'tosca-parser' => ['#7c3aed', '#c4b5fd']);
my %shown = (c => 'C (simdjson for parse)', yaql => 'python yaql');
my ($left, $width, $row) = (200, 560, 36);
my ($low, $high) = (-10, -2); # 0.1 ns .. 10 ms

my ($least_ratio, $most_ratio, $strip) = (-3, 6, 24); # 0.001 .. 1,000,000

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
	return ".page { fill: $page } text { fill: $ink } .note { fill: $note } .link { stroke: $line } .median { stroke: $ink; stroke-width: 2 } .grid { stroke: $grid }\n",
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

sub ratio_x {
	my ($r) = @_;
	my $at = (log($r) / log(10) - $least_ratio) / ($most_ratio - $least_ratio);
	return $left + $width * ($at < 0 ? 0 : $at > 1 ? 1 : $at);
}

# All jobs of a kind beside one contestant, with a mark and a figure at the median.
sub draw_strip {
	my ($y, $title, $who, @ratios) = @_;
	my $s = spread(@ratios);
	my $svg = text($left - 10, $y + 4, $title, 'text-anchor="end" font-size="11"');
	$svg .= sprintf qq{<circle cx="%.1f" cy="%d" r="3" class="%s" fill-opacity="0.55"/>\n}, ratio_x($_), $y, $who for sort { $a <=> $b } @ratios;
	my $x = ratio_x($s->{median});
	$svg .= sprintf qq{<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" class="median"/>\n}, $x, $x, $y - 8, $y + 8;
	return $svg . text($left + $width + 8, $y + 4, ($shown{$who} // $who) . ' ' . times_of($s->{median}) . '&#215;', qq{font-size="10" class="$who"});
}

sub draw_strips {
	my ($y) = @_;
	my @sets = spread_sets(\@records) or return ('', $y);
	my $top = $y;
	my $svg = text(12, $y, 'How many times faster, all jobs', 'font-weight="bold"') . text($left + 30, $y, 'a dot a job; the mark is the median; left of 1 vetro is slower', 'class="note" font-size="11"');
	$y += 24;
	my $before = '';
	for (@sets) {
		my ($title, $who, @ratios) = @$_;
		$svg .= draw_strip($y, $title eq $before ? '' : $title, $who, @ratios);
		$before = $title;
		$y += $strip;
	}
	for my $e ($least_ratio .. $most_ratio) {
		my $x = ratio_x(10**$e);
		$svg = sprintf(qq{<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" class="%s"/>\n}, $x, $x, $top + 8, $y - 10, $e ? 'grid' : 'link') . $svg;
		$svg .= text($x, $y + 4, $e < 0 ? 10**$e : commas(10**$e), 'text-anchor="middle" class="note" font-size="11"');
	}
	return ($svg, $y + 34);
}

my ($strips, $y) = draw_strips(66);
my ($body, $start) = ('', $y);
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
printf qq{<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 870 %d" width="870" height="%d" font-family="sans-serif" font-size="12">\n}, $height, $height;
print "<style>\n", style(0), "\@media (prefers-color-scheme: dark) {\n", style(1), "}\n</style>\n", qq{<rect width="100%" height="100%" class="page"/>\n};
print text(12, 20, $strips ? 'vetro beside others, logarithmic' : 'Time of one operation, logarithmic: further left is faster', 'font-size="14" font-weight="bold"');
my $at = 18;
for my $who (grep { $present{$_} } qw(vetro c libyaml gojq jq python yaql murano)) {
	my $name = $shown{$who} // $who;
	printf qq{<circle cx="%d" cy="38" r="4" class="%s"/>}, $at, $who;
	print text($at + 8, 42, $name, 'font-size="11"');
	$at += 30 + 6.2 * length $name;
}
print text(860, 42, '2&#215;: twice the time of vetro', 'text-anchor="end" font-size="11" class="note"');
for my $e ($low .. $high) {
	my $x = x(10**$e);
	printf qq{<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" class="grid"/>\n}, $x, $x, $start - 14, $y - 8;
	print text($x, $y + 6, Bench::human(10**$e), 'text-anchor="middle" class="note" font-size="11"');
}
print $strips, $body, "</svg>\n";
