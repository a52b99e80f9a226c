#!/usr/bin/perl
# Draws where the time of a package goes, from a real run under perf: perf-picture.pl VETRO > docs/perf.svg
# A row a method, its bar the part of all samples, parted by lines: those of the YAML, and the operators of vt.h that stand in it.
use strict;
use warnings;
use File::Temp qw(tempdir);

my $vetro = shift or die "perf-picture.pl VETRO\n";
my $dir = tempdir(CLEANUP => 1);
mkdir "$dir/primes";
mkdir "$dir/primes/Classes";
sub spew { my ($name, $text) = @_; open(my $h, '>', "$dir/$name") or die "$name: $!\n"; print $h $text; close $h or die "$name: $!\n" }
spew('primes/manifest.yaml', "{Format: '1.4', Type: Library, FullName: org.example, Classes: {org.example.Primes: Primes.yaml}}\n");
spew('primes/Classes/Primes.yaml', <<'Y');
Namespaces: {=: org.example}
Name: Primes
Methods:
  count:
    Usage: Static
    Scope: Public
    Arguments: [upTo: {Contract: $.int().notNull()}]
    Body:
      - $found: []
      - For: n
        In: range(2, $upTo)
        Do:
          - If: $.isPrime($n)
            Then:
              - $found: $found + [$n]
      - Return: dict(many => $found.len(), digits => $.digits($found))
  isPrime:
    Usage: Static
    Arguments: [n: {Contract: $.int().notNull()}]
    Body:
      - $d: 2
      - While: $d * $d <= $n
        Do:
          - If: $n mod $d = 0
            Then:
              - Return: false
          - $d: $d + 1
      - Return: true
  digits:
    Usage: Static
    Arguments: [numbers: {Contract: [$.int()]}]
    Body:
      - Return: $numbers.select(str($).len()).sum()
Y
sub run { system(@_) == 0 or die "@_: failed\n" }
run($vetro, 'build', '-g', '-o', "$dir/bin", "$dir/primes");
run("perf record -N -q -F 5000 -e cpu-clock -o $dir/perf.data $dir/bin call org.example.Primes count --args '{\"upTo\": 400000}' >$dir/answer 2>$dir/said");

# Samples by method and line.
my (%part, %sum, $all);
for (split /\n/, `perf report -i $dir/perf.data --stdio --sort symbol,srcline 2>/dev/null`) {
	my ($percent, $symbol, $line) = /^\s+([\d.]+)%\s+\[.\]\s+(\S+)\s+(\S+)/ or next;
	my ($method) = $symbol =~ /_c_c(\w+)$/;
	$method = defined $method ? "Primes.$method" : 'the library';
	my $where = $method eq 'the library' ? 'functions' : $line =~ /^(\w+\.yaml:\d+)/ ? $1 : 'operators (vt.h)';
	$part{$method}{$where} += $percent;
	$sum{$method} += $percent;
	$all += $percent;
}
die "perf has no samples\n" if !$all;

my ($left, $width, $row) = (150, 620, 58);
my @rows = grep { $sum{$_} >= 0.5 } sort { $sum{$b} <=> $sum{$a} || $a cmp $b } keys %sum;
my $height = 70 + $row * @rows;
my @light = ('#15803d', '#1d4ed8', '#b45309', '#7c3aed', '#be185d', '#0e7490');
my @dark = ('#4ade80', '#93c5fd', '#fbbf24', '#c4b5fd', '#f9a8d4', '#67e8f9');
sub text { my ($x, $y, $what, $class) = @_; $what =~ s/&/&amp;/g; $what =~ s/</&lt;/g; return sprintf qq{<text x="%.1f" y="%.1f"%s>%s</text>\n}, $x, $y, $class ? qq{ class="$class"} : '', $what }
sub style {
	my ($page, $ink, $note, @colour) = @_;
	return ".page { fill: $page } text { fill: $ink } text.note { fill: $note }\n" . join '', map { ".c$_, tspan.c$_ { fill: $colour[$_] }\n" } 0 .. $#colour;
}
print qq{<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 $height" role="img" aria-label="Where the time of a package goes, by method and line" font-family="system-ui, sans-serif" font-size="13">\n<style>\n},
	style('#ffffff', '#111827', '#6b7280', @light), '@media (prefers-color-scheme: dark) {', "\n", style('#111827', '#f3f4f6', '#9ca3af', @dark),
	qq{\}\n</style>\n<rect class="page" width="800" height="$height"/>\n};
print text(16, 28, 'Samples by method, and by line of the YAML'), text(16, 48, 'perf record -e cpu-clock; vetro build -g; Primes.count up to 400,000', 'note');
my $y = 70;
for my $method (@rows) {
	print text(16, $y + 16, $method), text(16, $y + 34, sprintf('%.1f %%', 100 * $sum{$method} / $all), 'note');
	my ($x, $n, @legend) = ($left, 0);
	for my $where (sort { $part{$method}{$b} <=> $part{$method}{$a} || $a cmp $b } keys %{ $part{$method} }) {
		my $w = $width * $part{$method}{$where} / $all;
		my $c = $n++ % @light;
		printf qq{<rect class="c%d" x="%.1f" y="%d" width="%.1f" height="20"><title>%s: %.1f %%</title></rect>\n}, $c, $x, $y, $w < 1 ? 1 : $w, $where, 100 * $part{$method}{$where} / $all;
		push @legend, sprintf '<tspan class="c%d">%s %.0f %%</tspan>', $c, $where, 100 * $part{$method}{$where} / $all
			if $part{$method}{$where} / $all > 0.005;
		$x += $w;
	}
	printf qq{<text x="%d" y="%d" font-size="11">%s</text>\n}, $left, $y + 36, join ', ', @legend[0 .. ($#legend < 5 ? $#legend : 5)];
	$y += $row;
}
print "</svg>\n";
