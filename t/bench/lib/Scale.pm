package Scale;
# Sizes: a model of many objects that name each other, and a dry run of many applications; vetro alone.
use strict;
use warnings;
use Bench;
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

sub all {
	attempt('model-chain', \&model_chain) if wanted('model-chain');
	attempt('dry-run', \&dry_run) if wanted('dry-run');
}

1;
