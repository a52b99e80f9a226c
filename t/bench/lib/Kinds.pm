package Kinds;
# Methods of many kinds in MuranoPL packages, and the same programs in Python, some of them in Lua as well. What counts is
# the spread over all of them: the median, the tenth percentile, the worst, and how they grow. Each folder of kinds/ is a
# group: package/ with the methods, jobs.py, jobs.tsv, and jobs.lua where it has such.
use strict;
use warnings;
use Bench;
use File::Basename qw(basename dirname);
use IPC::Open2;
use Spread;

our $job = 'kinds';
my $here = dirname(dirname(__FILE__)) . '/kinds';
my $python = '/usr/bin/python3';
my $rounds = 3;
my ($too_steep, $steeper) = (1.6, 0.25); # a growth above the first, and above Python's by the second, is superlinear

sub groups { return map { basename(dirname($_)) } sort glob "$here/*/jobs.tsv" }

# The jobs of a group: {job, kind, n, n4, work, lua, result_n, result_n4}.
sub jobs {
	my ($group) = @_;
	my ($names, @rows) = map { [split /\t/] } split /\n/, slurp("$here/$group/jobs.tsv");
	return map { my %j; @j{@$names} = @$_; \%j } @rows;
}

# The work of size n: n, 12*n or n*n.
sub work {
	my ($j, $n) = @_;
	my ($times, $square) = $j->{work} =~ /^(?:(\d+)\*)?n(\*n)?$/ or die "$j->{job}: what work is $j->{work}?\n";
	return ($times // 1) * $n * ($square ? $n : 1);
}

sub start {
	my ($name, @command) = @_;
	my $pid = open2(my $from, my $to, @command);
	$to->autoflush(1);
	return { name => $name, pid => $pid, from => $from, to => $to };
}

sub ask {
	my ($side, $line) = @_;
	print { $side->{to} } "$line\n";
	return scalar readline($side->{from}) // die "$side->{name} has ended\n";
}

# Nanoseconds that all threads of a process had of a processor.
sub processor_ns {
	my ($pid) = @_;
	my $ns = 0;
	$ns += (split ' ', slurp($_))[0] for glob "/proc/$pid/task/*/schedstat";
	return $ns;
}

# One call: nanoseconds, result.
sub call {
	my ($side, $job, $n) = @_;
	if ($side->{name} ne 'vetro') {
		my ($ns, $value) = ask($side, "$job $n") =~ /^(\d+) (.*)$/ or die "$side->{name}: no answer to $job\n";
		return ($ns, $value);
	}
	my $before = processor_ns($side->{pid});
	my $answer = $json->decode(ask($side, $json->encode({ op => 'call', target => undef, method => $job, args => [$n + 0] })));
	my $ns = processor_ns($side->{pid}) - $before;
	return ($ns, $answer->{value} // $json->encode($answer->{error}));
}

sub same_value {
	my ($x, $y) = @_;
	return 1 if $x eq $y;
	return "$x$y" =~ /\./ && !grep({ !/^-?[\d.]+(?:e[-+]?\d+)?$/ } $x, $y) && abs($x - $y) <= 1e-9 * abs($y);
}

# The model of a session: an object of the package's Main.
sub root_of {
	my ($group) = @_;
	my ($package) = slurp("$here/$group/package/manifest.yaml") =~ /^FullName: (\S+)/m;
	return { Objects => { '?' => { type => "$package.Main/1.0.0", id => 'r' } } };
}

sub sides {
	my ($group) = @_;
	my $binary = "$dir/kinds-$group";
	run({}, $Bench::vetro, 'build', "$here/$group/package", '-O2', '-o', $binary) // die "the package $group cannot be built\n";
	my @of = (start('vetro', $binary, 'session'), start('python', $python, "$here/serve.py", $group));
	ask($of[0], $json->encode({ op => 'load', model => root_of($group) }));
	return @of unless -e "$here/$group/jobs.lua";
	for (['lua', 'lua5.4'], ['luajit', 'luajit']) {
		push @of, start($_->[0], $_->[1], "$here/$group/jobs.lua") if available($_->[0], $_->[1], $_->[1], '-e', '');
	}
	return @of;
}

sub stop {
	for my $side (@_) {
		close $side->{to};
		kill 'TERM', $side->{pid};
		waitpid $side->{pid}, 0;
	}
}

# The least nanoseconds of each side at both sizes; results are compared before a time counts.
sub least_times {
	my ($j, @of) = @_;
	my %least;
	call($_, $j->{job}, $j->{n}) for @of; # warms the path up
	for (1 .. $rounds) {
		for my $side (@of) {
			for (['n', $j->{n}, $j->{result_n}], ['n4', $j->{n4}, $j->{result_n4}]) {
				my ($size, $n, $want) = @$_;
				my ($ns, $value) = call($side, $j->{job}, $n);
				die "$j->{job}: $side->{name} answers $value, not $want\n" unless same_value($value, $want);
				my $cell = \$least{ $side->{name} }{$size};
				$$cell = $ns unless defined $$cell && $$cell < $ns;
			}
		}
	}
	return \%least;
}

sub growth {
	my ($j, $t) = @_;
	return log($t->{n4} / $t->{n}) / log(work($j, $j->{n4}) / work($j, $j->{n}));
}

sub measure {
	my ($j, @of) = @_;
	my $t = least_times($j, grep { $j->{lua} eq 'yes' || $_->{name} !~ /^lua/ } @of);
	my $ops = work($j, $j->{n4});
	my $mine = $t->{vetro}{n4} / 1e9 / $ops;
	my @records = map { record($job, "$j->{job}: $j->{kind}", $_, { seconds => $t->{$_}{n4} / 1e9 }, $ops, $mine) } sort keys %$t;
	my ($own, $other) = map { growth($j, $t->{$_}) } qw(vetro python);
	my ($vetro) = grep { $_->{contestant} eq 'vetro' } @records;
	$vetro->{growth} = sprintf('%.2f', $own) + 0;
	$vetro->{steep} = $own > $too_steep && $own > $other + $steeper ? JSON::PP::true : JSON::PP::false;
	show('step', @records);
}

sub all {
	return unless wanted($job);
	for my $group (groups()) {
		attempt($job, sub {
			my @of = sides($group);
			attempt("$job ($_->{job})", sub { measure($_, @of) }) for jobs($group);
			stop(@of);
		});
	}
}

1;
