#!/usr/bin/perl
# The benchmark: the same package on vetro and, where Debian's python3-murano is installed, on murano.
# usage: bench.pl VETRO OUT.json     (run by `make bench`)
# Prints ratios first; every figure names its input; results are compared before a time counts.
use strict;
use warnings;
use File::Temp qw(tempdir);
use IPC::Open2;
use JSON::PP;
use Time::HiRes qw(time);
use File::Basename qw(dirname);

my ($vetro, $out) = @ARGV;
my $here = dirname(__FILE__);
my $dir = tempdir(CLEANUP => 1);
my $json = JSON::PP->new->canonical->allow_nonref;
my @records;

sub median { my @s = sort { $a <=> $b } @_; return $s[int(@s / 2)] }

sub model {
	my ($n) = @_;
	my @items = map { { '?' => { type => 'bench.Item', id => "i$_" }, name => "n$_", size => $_ + 0, tags => ['a', 'b'] } } 0 .. $n - 1;
	return { Objects => { '?' => { type => 'bench.Bench', id => 'root' }, items => \@items } };
}

# One session: load, then each request timed.
sub session {
	my ($objects, @requests) = @_;
	my $pid = open2(my $from, my $to, "$dir/bench", 'session');
	my $load = $json->encode({ op => 'load', model => model($objects) });
	my @answers;
	$to->autoflush(1);
	my $t = time;
	print $to "$load\n";
	my $line = <$from>;
	push @answers, [time - $t, $json->decode($line)];
	for my $r (@requests) {
		my $text = $json->encode($r);
		$t = time;
		print $to "$text\n";
		$line = <$from>;
		push @answers, [time - $t, $json->decode($line)];
	}
	close $to;
	waitpid $pid, 0;
	return @answers;
}

# Seconds an operation: the median over runs of n operations, less a run of none.
sub vetro_job {
	my ($method, $n) = @_;
	my @t;
	my $result;
	for (1 .. 5) {
		my @a = session(0, map { { op => 'call', target => undef, method => $method, args => [$_] } } 0, $n);
		die "$method: " . $json->encode($a[2][1]) . "\n" if exists $a[2][1]{error};
		$result = $a[2][1]{value};
		push @t, ($a[2][0] - $a[1][0]) / $n;
	}
	return (median(@t), $result);
}

sub vetro_load {
	my ($n) = @_;
	my @t;
	for (1 .. 5) {
		my @a = session($n, { op => 'call', target => undef, method => 'testLoad', args => [0] });
		die "load: " . $json->encode($a[0][1]) . "\n" if exists $a[0][1]{error};
		die "load: $n objects were given, not $a[1][1]{value} loaded\n" if $a[1][1]{value} != $n;
		push @t, $a[0][0];
	}
	return median(@t);
}

my $python = '/usr/bin/python3';
my $murano = system("$python -c 'import murano.dsl' >/dev/null 2>&1") == 0;
sub murano {
	my (@args) = @_;
	my $text = qx($python $here/murano_side.py $here/package @args 2>/dev/null);
	return $text ? $json->decode((split /\n/, $text)[0]) : undef;
}

sub record {
	my ($job, $input, $contestant, $seconds, $ops, $ratio, $checked) = @_;
	push @records, { job => $job, input => $input, contestant => $contestant, seconds => $seconds + 0, ops => $ops + 0,
		peak_bytes => undef, ratio => $ratio + 0, checked => $checked ? JSON::PP::true : JSON::PP::false };
}

sub show {
	my ($job, $mine, $theirs, $unit) = @_;
	printf "%-18s vetro %10.1f ns", $job, $mine * 1e9;
	printf "   murano %12.1f ns   ratio %9.0f", $theirs * 1e9, $theirs / $mine if defined $theirs;
	print "   (murano is not installed: apt-get install python3-murano)" unless defined $theirs;
	print "   per $unit\n";
}

my $t0 = time;
my $log = qx($vetro build -v -O2 -o $dir/bench $here/package 2>&1);
die "build failed:\n$log" unless -x "$dir/bench";
printf "build of the benchmark package at -O2: %.2f s\n%s", time - $t0, $log;

for my $job (['murano-call', 'testCall', 3_000_000, 300, 'method call in a loop'], ['murano-while', 'testWhile', 20_000_000, 500, 'While iteration'],
	['murano-property', 'testProperty', 5_000_000, 400, 'property write (and two reads)']) {
	my ($name, $method, $n, $m, $unit) = @$job;
	my ($mine, $result) = vetro_job($method, $n);
	my $theirs;
	my $ok = $result == $n;
	if ($murano) {
		my @t;
		for (1 .. 3) {
			my $r = murano($method, $m);
			my $zero = murano($method, 0);
			$ok &&= $r->{result} == $m;
			push @t, ($r->{seconds} - $zero->{seconds}) / $m;
		}
		$theirs = median(@t);
	}
	die "$name: the results differ\n" unless $ok;
	show($name, $mine, $theirs, $unit);
	record($name, "n=$n", 'vetro', $mine * $n, $n, 1, $ok);
	record($name, "n=$m", 'murano', $theirs * $m, $m, $theirs / $mine, $ok) if defined $theirs;
}

my $load = vetro_load(1000) - vetro_load(0);
my $loaded = $murano ? murano('testLoad', 0, 1000) : undef;
die "murano-load: the results differ\n" if $loaded && $loaded->{result} != 1000;
my $theirs = $loaded ? $loaded->{load} - murano('testLoad', 0, 0)->{load} : undef;
show('murano-load', $load / 1000, defined $theirs ? $theirs / 1000 : undef, 'object, 1,000 objects');
record('murano-load', '1000 objects', 'vetro', $load, 1000, 1, 1);
record('murano-load', '1000 objects', 'murano', $theirs, 1000, $theirs / $load, 1) if defined $theirs;

# From fork to the end of the process, without a shell between; the median of 200.
sub process_time {
	my @t;
	for (1 .. 200) {
		my $t = time;
		my $pid = fork // die "fork: $!\n";
		if (!$pid) {
			open STDOUT, '>', '/dev/null';
			exec @_ or exit 127;
		}
		waitpid $pid, 0;
		push @t, time - $t;
	}
	return median(@t);
}
my $start = process_time("$dir/bench", 'info');
my $floor = process_time('/bin/true');
printf "start              vetro %.2f ms   (/bin/true the same way: %.2f ms)\n", 1e3 * $start, 1e3 * $floor;
record('start', 'deploy info', 'vetro', $start, 1, 1, 1);
# Translation of a package of 10 classes with 10 methods each, apart from the C compiler.
sub make_package {
	my ($to, $classes) = @_;
	mkdir $_ for $to, "$to/Classes";
	my $manifest = "Format: 1.4\nType: Library\nFullName: gen\nClasses:\n";
	for my $k (0 .. $classes - 1) {
		$manifest .= "  gen.C$k: C$k.yaml\n";
		my $y = "Namespaces:\n  =: gen\nName: C$k\nProperties:\n  items:\n    Contract: [\$.int().notNull()]\n    Usage: InOut\nMethods:\n";
		$y .= "  m$_:\n    Arguments:\n      - n: {Contract: \$.int().notNull()}\n    Body:\n      - \$i: 0\n      - While: \$i < \$n\n        Do:\n          - \$i: \$i + 1\n" .
			"      - If: \$i > 3\n        Then:\n          - \$.items: \$.items + [\$i]\n      - Return: \$.items.where(\$ > 2).select(\$ * 2).sum(0)\n" for 0 .. 9;
		open my $c, '>', "$to/Classes/C$k.yaml" or die;
		print $c $y;
	}
	open my $m, '>', "$to/manifest.yaml" or die;
	print $m $manifest;
}
make_package("$dir/gen", 10);
my $build = qx($vetro build -v -O0 -o $dir/gen.bin $dir/gen 2>&1);
my ($translation) = $build =~ /translation ([0-9.]+) s/;
my ($cc) = $build =~ /C compiler ([0-9.]+) s/;
if (defined $translation) {
	printf "translate          vetro %.0f ms for 10 classes with 10 methods each; the C compiler at -O0 besides: %.2f s\n", 1e3 * $translation, $cc;
	record('translate', '10 classes, 100 methods', 'vetro', $translation, 100, 1, 1);
}
open my $f, '>', "$out.tmp" or die "$out: $!\n";
print $f $json->pretty->encode(\@records);
close $f;
rename "$out.tmp", $out or die "$out: $!\n";
print "wrote $out\n";
