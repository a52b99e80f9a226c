package Yay;
# Yay: configurations that took the reference minutes; beside Python, which works out the same without Yay. Each job in
# sizes that tell whether time grows with the size.
use strict;
use warnings;
use Bench;
use File::Basename qw(dirname);
use Text;

my $here = dirname(dirname(__FILE__));
my $python = '/usr/bin/python3';

sub spew {
	my ($path, @lines) = @_;
	open my $f, '>', $path or die "$path: $!\n";
	print $f @lines;
	close $f or die "$path: $!\n";
	return $path;
}

# Every file has a key of its own, replaces one, merges into one and adds to a list: the first file is the newest.
sub write_includes {
	my ($to, $n) = @_;
	mkdir $to or die "$to: $!\n";
	for my $i (1 .. $n) {
		spew("$to/f$i.yay", $i < $n ? sprintf("include \"f%d.yay\"\n", $i + 1) : '',
			"key$i: value $i of {{ last }}\nlast: $i\nopts:\n  o$i: $i\n", $i < $n ? 'extend ' : '', "every:\n  - item $i\n");
	}
	return "$to/f1.yay";
}

sub write_for {
	my ($to, $n) = @_;
	return spew($to, "n: $n\nout:\n  for x in range(n):\n    for y in range(n):\n      for z in range(n):\n",
		"        - \"{{ x }}-{{ y }}-{{ z }}: {{ x * 10000 + y * 100 + z }}\"\n");
}

# Everybody in turn; what is printed must be the same as Python's.
sub job {
	my ($name, $input, $n, $unit, $file, @side) = @_;
	my $empty = spew("$dir/empty.yay", "a: 1\n");
	my %with = (vetro => Text::process('vetro', [$Bench::vetro, 'yay', '-c', $file], [$Bench::vetro, 'yay', '-c', $empty]));
	$with{python} = Text::process('python', [$python, "$here/yay_side.py", @side], [$python, '-c', 'import json, sys']) if available('python', 'python3', $python, '-c', 'import json');
	my $m = Text::rounds_of(\%with);
	die "$name: the results of vetro and Python differ\n" if $m->{python} && !same_json("$dir/vetro.out", "$dir/python.out");
	my $mine = $m->{vetro}{seconds} / $n;
	show($unit, map { record($name, $input, $_, $m->{$_}, $n, $mine, $_ eq 'python' ? 'the same without Yay' : undef) } grep { $m->{$_} } qw(vetro python));
}

sub flat {
	for my $n (1000, 10000, 100000) {
		my $file = spew("$dir/flat$n.yay", map { "key$_: value $_\n" } 1 .. $n);
		job('yay-flat', commas($n) . ' keys', $n, 'key', $file, 'flat', $file);
	}
}

sub loops {
	for my $n (10, 20, 30, 40) {
		job('yay-for', "three loops of $n in each other", $n ** 3, 'item', write_for("$dir/for$n.yay", $n), 'for', $n);
	}
}

sub include {
	for my $n (60, 120, 240) { # 15 take less than the start of a process varies
		job('yay-include', "$n files in a chain", $n, 'file', write_includes("$dir/include$n", $n), 'include', "$dir/include$n", $n);
	}
}

sub all {
	my @jobs = (['yay-flat', \&flat], ['yay-for', \&loops], ['yay-include', \&include]);
	attempt(@$_) for grep { wanted($_->[0]) } @jobs;
}

1;
