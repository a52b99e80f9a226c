package Murano;
# One MuranoPL package on vetro and on the engine of murano; also how long a process takes to start, and a build.
use strict;
use warnings;
use Bench;
use File::Basename qw(dirname);
use IPC::Open2;
use Time::HiRes qw(time);

my $here = dirname(dirname(__FILE__));
my $python = '/usr/bin/python3';
my @methods = ( # job, method, runs on vetro, runs on murano, what one run is
	['murano-call', 'testCall', 3_000_000, 300, 'method call in a loop'],
	['murano-while', 'testWhile', 20_000_000, 500, 'While iteration'],
	['murano-property', 'testProperty', 5_000_000, 400, 'property write (and two reads)'],
	['murano-parallel', 'testParallel', 1_000_000, 2_000, 'branch of pselect() that does not wait'],
);

sub model {
	my ($n) = @_;
	my @items = map { { '?' => { type => 'bench.Item', id => "i$_" }, name => "n$_", size => $_ + 0, tags => ['a', 'b'] } } 0 .. $n - 1;
	return { Objects => { '?' => { type => 'bench.Bench', id => 'root' }, items => \@items } };
}

# One session: load, then each request timed. The answers, and the peak of the process.
sub session {
	my ($objects, @requests) = @_;
	my $pid = open2(my $from, my $to, "$Bench::drivers/run", "$dir/use", "$dir/bench", 'session');
	$to->autoflush(1);
	my @answers;
	for my $r ({ op => 'load', model => model($objects) }, @requests) {
		my $text = $json->encode($r);
		my $t = time;
		print $to "$text\n";
		my $line = <$from>;
		push @answers, [time - $t, $json->decode($line)];
	}
	close $to;
	waitpid $pid, 0;
	return ($json->decode(slurp("$dir/use"))->{peak_bytes}, @answers);
}

# Seconds of n operations: the median over runs, less a run of none.
sub vetro_method {
	my ($method, $n) = @_;
	my (@t, $peak);
	for (1 .. 5) {
		($peak, my @a) = session(0, map { { op => 'call', target => undef, method => $method, args => [$_] } } 0, $n);
		die "$method: " . $json->encode($a[2][1]) . "\n" if exists $a[2][1]{error};
		die "$method: the results differ\n" if $a[2][1]{value} != $n;
		push @t, $a[2][0] - $a[1][0];
	}
	return { seconds => median(@t), peak_bytes => $peak };
}

sub vetro_load {
	my ($n) = @_;
	my (@t, $peak);
	for (1 .. 5) {
		($peak, my @a) = session($n, { op => 'call', target => undef, method => 'testLoad', args => [0] });
		die "load: " . $json->encode($a[0][1]) . "\n" if exists $a[0][1]{error};
		die "load: $n objects were given, not $a[1][1]{value} loaded\n" if $a[1][1]{value} != $n;
		push @t, $a[0][0];
	}
	return { seconds => median(@t), peak_bytes => $peak };
}

sub murano {
	my (@args) = @_;
	my $use = run({ quiet => 1 }, $python, "$here/murano_side.py", "$here/package", @args) // die "murano: @args: failed\n";
	return { %{ $json->decode((split /\n/, $use->{out})[0]) }, peak_bytes => $use->{peak_bytes} };
}

sub here { return available('murano', 'python3-murano', $python, '-c', 'import murano.dsl') }

sub murano_method {
	my ($method, $n) = @_;
	my (@t, $r);
	for (1 .. 3) {
		$r = murano($method, $n);
		die "$method: the results differ\n" if $r->{result} != $n;
		push @t, $r->{seconds} - murano($method, 0)->{seconds};
	}
	return { seconds => median(@t), peak_bytes => $r->{peak_bytes} };
}

sub method {
	my ($job, $method, $n, $few, $unit) = @_;
	my $m = vetro_method($method, $n);
	my $mine = $m->{seconds} / $n;
	my @of = record($job, "n=$n", 'vetro', $m, $n, $mine);
	push @of, record($job, "n=$few", 'murano', murano_method($method, $few), $few, $mine) if here();
	show($unit, @of);
}

sub load {
	my ($n) = @_;
	my $m = vetro_load($n);
	$m->{seconds} -= vetro_load(0)->{seconds};
	my $mine = $m->{seconds} / $n;
	my @of = record('murano-load', "$n objects", 'vetro', $m, $n, $mine);
	if (here()) {
		my $theirs = murano('testLoad', 0, $n);
		die "murano-load: the results differ\n" if $theirs->{result} != $n;
		$theirs->{seconds} = $theirs->{load} - murano('testLoad', 0, 0)->{load};
		push @of, record('murano-load', "$n objects", 'murano', $theirs, $n, $mine);
	}
	show('object', @of);
}

sub process_time {
	my @t = map { run({}, @_) // die "@_: failed\n" } 1 .. 200;
	return { seconds => median(map { $_->{seconds} } @t), peak_bytes => $t[0]{peak_bytes} };
}

# Tasks of the runtime itself, below MuranoPL: one that does one addition, and one that sleeps for no time.
sub tasks {
	my $n = 1_000_000;
	my $program = "$Bench::drivers/../t/unit_task";
	return print "tasks: $program is not built (make check-quick builds it)\n" unless -x $program;
	my (%best, $use);
	for (1 .. 3) {
		$use = run({}, $program, $n) // die "$program: failed\n";
		while ($use->{out} =~ /^(.+): ([0-9.]+) ns a task/mg) { $best{$1} = $2 if !defined $best{$1} || $2 < $best{$1} }
	}
	for (sort keys %best) {
		my $m = { seconds => $best{$_} * 1e-9 * $n, peak_bytes => $use->{peak_bytes} };
		show('task', record('tasks', "$_, n=$n", 'vetro', $m, $n, $best{$_} * 1e-9));
	}
}

sub start {
	my ($m, $floor) = (process_time("$dir/bench", 'info'), process_time('/bin/true'));
	show('process', record('start', 'deploy info', 'vetro', $m, 1, $m->{seconds}));
	printf "             /bin/true the same way: %s\n", Bench::human($floor->{seconds});
}

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

# Translation of a package of 10 classes with 10 methods each, apart from the C compiler.
sub translate {
	make_package("$dir/gen", 10);
	my $build = qx($Bench::vetro build -v -O0 -o $dir/gen.bin $dir/gen 2>&1);
	my ($translation) = $build =~ /translation ([0-9.]+) s/ or die "translate: build failed:\n$build";
	my ($cc) = $build =~ /C compiler ([0-9.]+) s/;
	show('method', record('translate', '10 classes, 100 methods', 'vetro', { seconds => $translation }, 100, $translation / 100));
	printf "             the C compiler at -O0 besides: %.2f s\n", $cc if defined $cc;
}

sub all {
	my @chosen = grep { wanted($_->[0]) } @methods;
	if (@chosen || wanted('murano-load') || wanted('start')) {
		my $t = time;
		my $log = qx($Bench::vetro build -v -O2 -o $dir/bench $here/package 2>&1);
		die "build failed:\n$log" unless -x "$dir/bench";
		printf "build of the benchmark package at -O2: %.2f s\n%s", time - $t, $log;
	}
	method(@$_) for @chosen;
	load(1000) if wanted('murano-load');
	tasks() if wanted('tasks');
	start() if wanted('start');
	translate() if wanted('translate');
}

1;
