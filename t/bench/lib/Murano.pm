package Murano;
# One MuranoPL package on vetro and on the engine of murano; also how long a process takes to start, and a build.
use strict;
use warnings;
use Bench;
use File::Basename qw(dirname);
use IPC::Open2;
use Text;
use Time::HiRes qw(time);

my $here = dirname(dirname(__FILE__));
my $python = '/usr/bin/python3';
my @methods = ( # job, method, runs on vetro, runs on murano, what one run is
	['murano-call', 'testCall', 3_000_000, 300, 'method call in a loop'],
	['murano-while', 'testWhile', 20_000_000, 500, 'While iteration'],
	['murano-property', 'testProperty', 5_000_000, 400, 'property write (and two reads)'],
	['murano-for', 'testFor', 20_000_000, 500, 'item of For over range()'],
	['murano-list', 'testList', 3_000_000, 300, 'list of three in a variable, two of them read'],
	['murano-pipeline', 'testPipeline', 1_000_000, 100, 'where(), select() and sum() over a list of eight, with lambdas that read variables'],
	['murano-parallel', 'testParallel', 1_000_000, 2_000, 'branch of pselect() that does not wait'],
);

sub model {
	my ($n) = @_;
	my @items = map { { '?' => { type => 'bench.Item', id => "i$_" }, name => "n$_", size => $_ + 0, tags => ['a', 'b'] } } 0 .. $n - 1;
	return { Objects => { '?' => { type => 'bench.Bench', id => 'root' }, items => \@items } };
}

# Nanoseconds that a process had of a processor, which is exact while it waits for us; undef where the kernel does not count.
sub processor_ns {
	my ($pid) = @_;
	open my $f, '<', "/proc/$pid/schedstat" or return undef;
	return (split ' ', <$f>)[0];
}

sub peak_of {
	my ($pid) = @_;
	my ($kb) = slurp("/proc/$pid/status") =~ /^VmHWM:\s*(\d+) kB/m or die "no peak of process $pid\n";
	return $kb * 1024;
}

# One session: load, then each request timed. The answers, and the peak of the process.  The process has started and waits
# when the first of them is sent, and a request is written in one piece: print would cut it into pieces of 8 KiB, for each of
# which the two processes take turns, or not, as the machine likes.  The smaller of elapsed and processor time, as everywhere.
sub session {
	my ($objects, @requests) = @_;
	my $pid = open2(my $from, my $to, "$dir/bench", 'session');
	$to->autoflush(1);
	my @answers;
	print $to '{"op":"none"}', "\n";
	die "the session does not answer\n" unless defined <$from>;
	for my $r ({ op => 'load', model => model($objects) }, @requests) {
		my $text = $json->encode($r) . "\n";
		my ($sent, $t, $cpu) = (0, time, processor_ns($pid));
		while ($sent < length $text) {
			$sent += syswrite($to, $text, length($text) - $sent, $sent) // die "the session has ended\n";
		}
		my $line = <$from>;
		$t = time - $t;
		$cpu = defined $cpu ? (processor_ns($pid) - $cpu) / 1e9 : $t;
		push @answers, [$cpu < $t ? $cpu : $t, $json->decode($line)];
	}
	my $peak = peak_of($pid);
	close $to;
	waitpid $pid, 0;
	return ($peak, @answers);
}

# One call, timed by the binary itself, in a session of its own each time: the smaller of elapsed and processor time.
sub vetro_call {
	my ($method, $n) = @_;
	my $file = "$dir/none.model";
	if (!-e $file) {
		open my $f, '>', $file or die "$file: $!\n";
		print $f $json->encode(model(0));
		close $f;
	}
	my @call = ('--model', $file, '--call', $method, '--args', "[$n]");
	my $use = run({}, "$dir/bench", 'time', @call, '--seconds', '0.3') // die "$method: failed\n";
	my $t = $json->decode($use->{out});
	return { seconds => $t->{call}, peak_bytes => $t->{peak} };
}

sub vetro_result {
	my ($method, $n) = @_;
	my $use = run({}, "$dir/bench", 'run', '--model', "$dir/none.model", '--call', $method, '--args', "[$n]") // die "$method: failed\n";
	return $json->decode($use->{out})->{result};
}

# Seconds of n operations less a run of none; one round.
sub vetro_method {
	my ($method, $n) = @_;
	my ($none, $all) = map { vetro_call($method, $_) } 0, $n;
	return { %$all, seconds => $all->{seconds} - $none->{seconds} };
}

# A loop beside the same in C and, of a small size, murano; calls: how many operations n makes.
sub loop {
	my ($job, $name, $method, $n, $few, $calls, $unit) = @_;
	my ($did, $little) = map { $calls->($_) } $n, $few;
	my %with = (vetro => sub { vetro_call($method, $n) }, c => sub { timed("$Bench::drivers/loops", $name, $n, 0.3) });
	$with{murano} = sub {
		my ($none, $some) = map { murano($method, $_) } 0, $few;
		return { seconds => $some->{seconds} - $none->{seconds}, peak_bytes => $some->{peak_bytes}, result => $some->{result} };
	} if here();
	$with{vetro}->();
	my $m = Text::rounds_of(\%with, 3);
	die "$job: the results of vetro and C differ\n" if $m->{c}{result} != vetro_result($method, $n);
	die "$job: the results of vetro and murano differ\n" if $m->{murano} && $m->{murano}{result} != vetro_result($method, $few);
	my $each = $m->{vetro}{seconds} / $did;
	my @of = (record($job, "n=$n", 'vetro', $m->{vetro}, $did, $each),
		record($job, "n=$n", 'c', $m->{c}, $did, $each, $m->{c}{inlined} ? sprintf('not inlined into itself; else %.3g ns', $m->{c}{inlined} / $did * 1e9) : undef));
	push @of, record($job, "n=$few", 'murano', $m->{murano}, $little, $each) if $m->{murano};
	show($unit, @of);
}

my %calls; # of fib(n), itself included
sub calls_of { return $calls{$_[0]} //= $_[0] < 2 ? 1 : 1 + calls_of($_[0] - 1) + calls_of($_[0] - 2) }

# Loading n objects, less loading none; one round.
sub vetro_load {
	my ($n) = @_;
	my (@t, $peak);
	for my $objects (0, $n) {
		($peak, my @a) = session($objects, { op => 'call', target => undef, method => 'testLoad', args => [0] });
		die "load: " . $json->encode($a[0][1]) . "\n" if exists $a[0][1]{error};
		die "load: $objects objects were given, not $a[1][1]{value} loaded\n" if $a[1][1]{value} != $objects;
		push @t, $a[0][0];
	}
	return { seconds => $t[1] - $t[0], peak_bytes => $peak };
}

sub murano_load {
	my ($n) = @_;
	my ($none, $some) = map { murano('testLoad', 0, $_) } 0, $n;
	die "murano-load: the results differ\n" if $some->{result} != $n;
	return { seconds => $some->{load} - $none->{load}, peak_bytes => $some->{peak_bytes} };
}

sub murano {
	my (@args) = @_;
	my $use = run({ quiet => 1 }, $python, "$here/murano_side.py", "$here/package", @args) // die "murano: @args: failed\n";
	return { %{ $json->decode((split /\n/, $use->{out})[0]) }, peak_bytes => $use->{peak_bytes} };
}

sub here { return available('murano', 'python3-murano', $python, '-c', 'import murano.dsl') }

sub murano_method {
	my ($method, $n) = @_;
	my $r = murano($method, $n);
	die "$method: the results differ\n" if $r->{result} != $n;
	return { seconds => $r->{seconds} - murano($method, 0)->{seconds}, peak_bytes => $r->{peak_bytes} };
}

sub method {
	my ($job, $method, $n, $few, $unit) = @_;
	my %with = (vetro => sub { vetro_method($method, $n) });
	$with{murano} = sub { murano_method($method, $few) } if here();
	$with{vetro}->(); # warms up
	die "$method: the results differ\n" if vetro_result($method, $n) != $n;
	my $m = Text::rounds_of(\%with, 3);
	my $mine = $m->{vetro}{seconds} / $n;
	my @of = record($job, "n=$n", 'vetro', $m->{vetro}, $n, $mine);
	push @of, record($job, "n=$few", 'murano', $m->{murano}, $few, $mine) if $m->{murano};
	show($unit, @of);
}

sub load {
	my ($n) = @_;
	my %with = (vetro => sub { vetro_load($n) });
	$with{murano} = sub { murano_load($n) } if here();
	$with{vetro}->();
	my $m = Text::rounds_of(\%with, 5);
	my $mine = $m->{vetro}{seconds} / $n;
	show('object', map { record('murano-load', "$n objects", $_, $m->{$_}, $n, $mine) } grep { $m->{$_} } qw(vetro murano));
	printf "             %.0f MB of JSON a second\n", length($json->encode(model($n))) / $n / $mine / 1e6;
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

# One task after the other: two of them, and a ring.
sub switch {
	my ($n, $program) = (5_000_000, "$Bench::drivers/../t/unit_task");
	return print "switch: $program is not built (make check-quick builds it)\n" unless -x $program;
	my %best;
	my $use = run({}, $program, $n, 'switch') // die "$program: failed\n";
	while ($use->{out} =~ /^(\d+) tasks in turn: ([0-9.]+) ns a switch/mg) { $best{$1} = $2 if !defined $best{$1} || $2 < $best{$1} }
	for (sort { $a <=> $b } keys %best) {
		my $m = { seconds => $best{$_} * 1e-9 * $n, peak_bytes => $use->{peak_bytes} };
		show('switch', record('switch', commas($_) . ' tasks in turn', 'vetro', $m, $n, $best{$_} * 1e-9));
	}
}

sub start {
	my ($m, $floor) = (process_time("$dir/bench", 'info'), process_time('/bin/true'));
	my @of = record('start', 'deploy info', 'vetro', $m, 1, $m->{seconds});
	if (here()) {
		my @t = map { run({ quiet => 1 }, $python, "$here/murano_side.py", "$here/package", 'testCall', 0) // die "murano: failed\n" } 1 .. 3;
		push @of, record('start', 'its engine and the package, no call', 'murano', { seconds => median(map { $_->{seconds} } @t), peak_bytes => $t[0]{peak_bytes} }, 1, $m->{seconds});
	}
	show('process', @of);
	printf "             /bin/true the same way: %s\n", Bench::human($floor->{seconds});
}

# `vetro run` from the sources to the answer of a call: with nothing kept, and with objects of the run before. Beside it murano
# with its engine and the same package.
sub run_start {
	local $ENV{XDG_CACHE_HOME} = "$dir/cache";
	mkdir $ENV{XDG_CACHE_HOME};
	my $file = "$dir/none.model";
	open my $f, '>', $file or die "$file: $!\n";
	print $f $json->encode(model(0));
	close $f;
	my @call = ("$here/package", '--', 'run', '--model', $file, '--call', 'testCall', '--args', '[1]');
	my $once = run({}, $Bench::vetro, 'run', @call) // die "vetro run: failed\n";
	die "vetro run: the result is not 1\n" if $json->decode($once->{out})->{result} != 1;
	my %m = ('objects kept' => process_time($Bench::vetro, 'run', @call), 'nothing kept' => process_time($Bench::vetro, 'run', '--no-cache', @call));
	show('process', record('run-start', 'objects kept', 'vetro', $m{'objects kept'}, 1, $m{'objects kept'}{seconds}));
	my @of = record('run-start', 'nothing kept', 'vetro', $m{'nothing kept'}, 1, $m{'nothing kept'}{seconds});
	if (here()) {
		my @t = map { run({ quiet => 1 }, $python, "$here/murano_side.py", "$here/package", 'testCall', 1) // die "murano: failed\n" } 1 .. 3;
		push @of, record('run-start', 'nothing kept', 'murano', { seconds => median(map { $_->{seconds} } @t), peak_bytes => $t[0]{peak_bytes} }, 1,
			$m{'nothing kept'}{seconds});
	}
	show('process', @of);
	printf "             vetro --version: %s\n", Bench::human(process_time($Bench::vetro, '--version')->{seconds});
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
	my $use = run({ to => '/dev/null' }, $Bench::vetro, 'build', '--emit=c', "$dir/gen") // die "translate: --emit=c failed\n";
	show('method', record('translate', '10 classes, 100 methods', 'vetro', { seconds => $translation, peak_bytes => $use->{peak_bytes} }, 100, $translation / 100));
	printf "             the C compiler at -O0 besides: %.2f s\n", $cc if defined $cc;
}

sub all {
	my @chosen = grep { wanted($_->[0]) } @methods;
	if (@chosen || grep { wanted($_) } qw(murano-load start int-loop call-loop)) {
		my $t = time;
		my $log = qx($Bench::vetro build -v -O2 -o $dir/bench $here/package 2>&1);
		die "build failed:\n$log" unless -x "$dir/bench";
		printf "build of the benchmark package at -O2: %.2f s\n%s", time - $t, $log;
	}
	for my $job (@chosen) {
		attempt($job->[0], sub { method(@$job) });
	}
	attempt('int-loop', sub { loop('int-loop', 'int', 'testIntLoop', 30_000_000, 300, sub { $_[0] }, 'iteration') }) if wanted('int-loop');
	attempt('call-loop', sub { loop('call-loop', 'call', 'testCallLoop', 32, 9, \&calls_of, 'call') }) if wanted('call-loop');
	attempt('murano-load', sub { load(1000) }) if wanted('murano-load');
	attempt('tasks', \&tasks) if wanted('tasks');
	attempt('switch', \&switch) if wanted('switch');
	attempt('start', \&start) if wanted('start');
	attempt('run-start', \&run_start) if wanted('run-start');
	attempt('translate', \&translate) if wanted('translate');
}

1;
