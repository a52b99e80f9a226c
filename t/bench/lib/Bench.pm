package Bench;
# What all jobs of the benchmark share: choosing jobs, running commands, comparing results, keeping records.
use strict;
use warnings;
use Exporter qw(import);
use File::Temp qw(tempdir);
use JSON::PP;

our @EXPORT = qw(attempt unmeasured $dir $json slurp median wanted available run timed smaller same_json record show skipped human records commas);
our $dir = tempdir(CLEANUP => 1);
our $json = JSON::PP->new->canonical->allow_nonref;
our ($vetro, $drivers, @patterns); # the command, the directory of the programs in C, what JOBS asked for
my (@records, %told, @failed);

sub records { return \@records }
sub failures { return @failed }

# A job that fails is reported, and does not lose the others.
sub attempt {
	my ($name, $job) = @_;
	my $before = @records;
	return 1 if eval { $job->(); 1 };
	splice @records, $before;
	if (ref $@) {
		print "$name: no measurable time on a machine this busy: ${$@}\n";
		return 0;
	}
	push @failed, $name;
	print "$name FAILED: $@";
	return 0;
}

# Ends a job whose time drowned in the noise of the machine: that is no failure.
sub unmeasured {
	my ($what) = @_;
	die \$what;
}
sub median { my @s = sort { $a <=> $b } @_; return $s[int(@s / 2)] }
sub commas { return scalar reverse join ',', unpack '(A3)*', reverse int($_[0] + 0.5) }

sub slurp {
	my ($path) = @_;
	open my $f, '<', $path or die "$path: $!\n";
	local $/;
	return scalar <$f>;
}

sub human {
	my ($s) = @_;
	return $s < 1e-6 ? sprintf('%.3g ns', $s * 1e9) : $s < 1e-3 ? sprintf('%.3g us', $s * 1e6) : $s < 1 ? sprintf('%.3g ms', $s * 1e3) : sprintf('%.3g s', $s);
}

# JOBS is a list of names, with * for any text; without it every job runs.
sub wanted {
	my ($job) = @_;
	return 1 unless @patterns;
	for (@patterns) {
		my $re = join '.*', map { quotemeta } split /\*/, $_, -1;
		return 1 if $job =~ /^$re$/;
	}
	return 0;
}

sub skipped {
	my ($who, $package) = @_;
	print "$who is not here and is left out (Debian package $package; make bench DEPS=1 installs it)\n" unless $told{$who}++;
	return 0;
}

# Whether a contestant is installed; says once when it is not.
my %is_here;
sub available {
	my ($who, $package, @test) = @_;
	$is_here{$who} //= run({ quiet => 1 }, @test) ? 1 : 0;
	return $is_here{$who} || skipped($who, $package);
}

# Runs a command without a shell; {seconds, peak_bytes, out} or undef when it failed. $o: to = a file for its output.
sub run {
	my ($o, @command) = @_;
	my $to = $o->{to} // "$dir/stdout";
	my $pid = fork // die "fork: $!\n";
	if (!$pid) {
		open STDIN, '<', '/dev/null' or exit 126;
		open STDOUT, '>', $to or exit 126;
		if ($o->{quiet}) { open STDERR, '>', '/dev/null' or exit 126 }
		exec "$drivers/run", "$dir/use", @command or exit 127;
	}
	waitpid $pid, 0;
	return undef if $? != 0;
	my $use = $json->decode(slurp("$dir/use"));
	$use->{out} = $o->{to} ? undef : slurp($to);
	return $use;
}

# Elapsed time grows with what others do on the machine; processor time with the threads of gojq's collector.
sub smaller {
	my ($use) = @_;
	return $use->{cpu} < $use->{seconds} ? $use->{cpu} : $use->{seconds};
}

# A driver that prints its own time: that time, with the memory of its process.
sub timed {
	my (@command) = @_;
	my $use = run({}, @command) // die "@command: failed\n";
	my $own = $json->decode($use->{out});
	die "@command: gave no time\n" unless $own->{seconds};
	return { %$own, peak_bytes => $use->{peak_bytes} };
}

# Whether two files of JSON say the same. Rows of a job without an order are compared as a set.
sub same_json {
	my ($x, $y, $unordered) = @_;
	($x, $y) = map { my $text = slurp($_); $text =~ s/\s+\z//; $text } $x, $y;
	return 1 if $x eq $y;
	my @both = map {
		my $v = $json->decode($_);
		$v = [sort map { $json->encode($_) } @$v] if $unordered && ref $v eq 'ARRAY';
		$json->encode($v);
	} $x, $y;
	return $both[0] eq $both[1];
}

# $vetro: seconds an operation of vetro in the same run; note says what a figure leaves out or stands for.
sub record {
	my ($job, $input, $contestant, $m, $ops, $vetro, $note) = @_;
	unmeasured("no time of $contestant") unless $m->{seconds} > 0 && $vetro > 0;
	my $r = { job => $job, input => $input, contestant => $contestant, seconds => $m->{seconds} + 0, ops => $ops + 0,
		peak_bytes => defined $m->{peak_bytes} ? $m->{peak_bytes} + 0 : undef,
		ratio => $contestant eq 'vetro' ? 1 : $m->{seconds} / $ops / $vetro, checked => JSON::PP::true };
	$r->{note} = $note if defined $note;
	push @records, $r;
	return $r;
}

# One line a job and input, ratios first.
sub show {
	my ($unit, @of) = @_;
	my ($mine) = grep { $_->{contestant} eq 'vetro' } @of;
	my @theirs = grep { $_->{contestant} ne 'vetro' } @of;
	printf "%-16s %s\n", $mine->{job}, $mine->{input};
	for my $r (sort { $b->{ratio} <=> $a->{ratio} } @theirs) {
		my $ratio = $r->{ratio} >= 100 ? commas($r->{ratio}) : sprintf '%.3g', $r->{ratio};
		printf "  %9s times  %-7s %10s a %s, %.1f MB%s\n", $ratio, $r->{contestant}, human($r->{seconds} / $r->{ops}), $unit,
			($r->{peak_bytes} // 0) / 1e6, defined $r->{note} ? "  ($r->{note})" : $r->{input} ne $mine->{input} ? "  ($r->{input})" : '';
	}
	printf "  %9s        %-7s %10s a %s, %.1f MB\n", '', 'vetro', human($mine->{seconds} / $mine->{ops}), $unit, ($mine->{peak_bytes} // 0) / 1e6;
}

1;
