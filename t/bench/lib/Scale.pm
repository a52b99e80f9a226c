package Scale;
# Sizes: a model of many objects that name each other, a dry run of many applications, builds of many classes; vetro alone.
use strict;
use warnings;
use Bench;
use Murano;
use File::Basename qw(dirname);

my $here = dirname(dirname(__FILE__));

sub built {
	my ($name) = @_;
	my $log = qx($Bench::vetro build -O2 -o $dir/$name $here/$name 2>&1);
	die "build of $name failed:\n$log" unless -x "$dir/$name";
	return "$dir/$name";
}

# Node i is followed by node i + 1; their sizes repeat 0 to 99.
sub write_chain {
	my ($file, $n) = @_;
	open my $f, '>', $file or die "$file: $!\n";
	print $f '{"Objects":{"?":{"type":"bench.chain.Root","id":"root"},"nodes":[';
	for my $i (0 .. $n - 1) {
		printf $f '%s{"?":{"type":"bench.chain.Node","id":"n%d"},"name":"node-%d","size":%d,"next":%s}', $i ? ',' : '', $i, $i, $i % 100,
			$i < $n - 1 ? '"n' . ($i + 1) . '"' : 'null';
	}
	print $f "]}}\n";
	close $f or die "$file: $!\n";
	return -s $file;
}

sub begins_with {
	my ($file, $want) = @_;
	open my $f, '<', $file or die "$file: $!\n";
	read $f, my $text, length $want;
	return $text eq $want;
}

sub model_chain {
	my $program = built('chain');
	for my $n (10_000, 100_000, 1_000_000) {
		my $bytes = write_chain("$dir/chain.json", $n);
		my @t = map { run({ to => "$dir/chain.out" }, $program, 'run', '--model', "$dir/chain.json", '--call', 'walk') // die "model-chain: failed\n" } 1 .. ($n > 100_000 ? 1 : 3);
		my $sum = $n / 100 * 4950;
		die "model-chain: the walk did not give $sum\n" unless begins_with("$dir/chain.out", "{\"result\":$sum,\"model\":{\"Objects\":");
		my $m = { seconds => median(map { smaller($_) } @t), peak_bytes => $t[0]{peak_bytes} };
		my $input = sprintf '%s objects in a chain, %.3g MB, read, walked and written', commas($n), $bytes / 1e6;
		show('object', record('model-chain', $input, 'vetro', $m, $n, $m->{seconds} / $n));
		printf "             %.0f bytes an object, %.1f MB written\n", $m->{peak_bytes} / $n, (-s "$dir/chain.out") / 1e6;
		unlink "$dir/chain.json", "$dir/chain.out";
	}
}

sub apps_model {
	my ($n) = @_;
	my @apps = map { { '?' => { id => "app$_", type => 'bench.apps.App' },
		instance => { '?' => { id => "vm$_", type => 'io.murano.resources.LinuxMuranoInstance' }, name => "vm$_", flavor => 'm1', image => 'i' } } } 1 .. $n;
	return { Objects => { '?' => { id => 'env', type => 'io.murano.Environment' }, name => 'e', applications => \@apps,
		defaultNetworks => { environment => { '?' => { id => 'net', type => 'io.murano.resources.NeutronNetwork' }, name => 'n' }, flat => undef } } };
}

# What one run said: how many effects of each kind, and in how many applications both plans succeeded.
sub effects_of {
	my ($file) = @_;
	my $answer = $json->decode(slurp($file));
	my ($effects, $apps) = @$answer{qw(effects model)};
	$apps = $apps->{Objects}{applications};
	return ({ map { $_ => scalar @{ $effects->{$_} } } keys %$effects }, scalar grep { @{ $_->{codes} } == 2 && !grep { $_ } @{ $_->{codes} } } @$apps);
}

# An application sends two plans and two reports; all share one stack, whose changes are pushed together as far as they come
# while another push is under way.
sub dry_run {
	my $program = built('apps');
	my $n = 1000;
	open my $f, '>', "$dir/apps.json" or die "$dir/apps.json: $!\n";
	print $f $json->encode(apps_model($n));
	close $f;
	my @t = map { run({}, $program, 'run', '--dry-run', '--model', "$dir/apps.json", '--call', 'deploy', '--output', "$dir/apps.out") // die "dry-run: failed\n" } 1 .. 5;
	my ($effects, $good) = effects_of("$dir/apps.out");
	die "dry-run: $good of $n applications have run their plans\n" if $good != $n;
	my ($agent, $reports, $heat) = @$effects{qw(agent reports heat)};
	die "dry-run: $agent plans, $reports reports, $heat pushes of $n applications\n" if $agent != 2 * $n || $reports != 2 * $n || $heat < 2 || $heat > $n + 1;
	my $m = { seconds => median(map { smaller($_) } @t), peak_bytes => $t[0]{peak_bytes} };
	my $input = commas($n) . ' applications with a machine and two plans each, ' . commas($agent + $reports + $heat) . ' effects';
	show('application', record('dry-run', $input, 'vetro', $m, $n, $m->{seconds} / $n));
	printf "             the whole run: %s\n", Bench::human($m->{seconds});
}

sub lines_of {
	my $n = 0;
	for my $file (@_) {
		open my $f, '<', $file or die "$file: $!\n";
		$n++ while <$f>;
	}
	return $n;
}

# Processor time of a build that finds nothing kept, with all processes that it starts.
sub build_time {
	my ($level) = @_;
	my $before = (times)[2];
	my $use = run({ quiet => 1 }, $Bench::vetro, 'build', '--no-cache', "-O$level", '-o', "$dir/ten.bin", '--emit-c', "$dir/ten.c", "$dir/ten") // die "build -O$level: failed\n";
	return { seconds => (times)[2] - $before, peak_bytes => $use->{peak_bytes} };
}

# Ten classes of ten methods to a binary, and the translation of 1,000 such classes.
sub build {
	Murano::make_package("$dir/ten", 10);
	Murano::make_package("$dir/thousand", 1000);
	for my $level (0, 1) {
		my $m = build_time($level);
		show('build', record('build', "10 classes of 10 methods, -O$level", 'vetro', $m, 1, $m->{seconds}));
	}
	my $yaml = lines_of(glob "$dir/ten/Classes/*.yaml");
	my $use = run({ to => '/dev/null' }, $Bench::vetro, 'build', '--emit=c', "$dir/thousand") // die "build: the translation failed\n";
	show('class', record('build', '1,000 classes, to C only', 'vetro', { seconds => smaller($use), peak_bytes => $use->{peak_bytes} }, 1000, smaller($use) / 1000));
	printf "             %.1f lines of C a line of YAML; 1,000 classes take %.0f MB\n", lines_of(glob "$dir/ten.c/*.c") / $yaml, $use->{peak_bytes} / 1e6;
}

sub all {
	attempt('build', \&build) if wanted('build');
	attempt('model-chain', \&model_chain) if wanted('model-chain');
	attempt('dry-run', \&dry_run) if wanted('dry-run');
}

1;
