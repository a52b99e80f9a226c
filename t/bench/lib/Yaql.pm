package Yaql;
# YAQL over data in memory: vetro, hand-written C, python yaql, jq and gojq, turn by turn.
use strict;
use warnings;
use Bench;
use Data;
use File::Basename qw(dirname);
use Jobs;

my $here = dirname(dirname(__FILE__));
my $python = '/usr/bin/python3';
my $rounds = 3;
my $budget = 0.2;     # seconds for one contestant in one round
my $yaql_most = 5000; # the interpreter takes minutes for more
my $most_repeats = 2000;

my %made;
sub records_of { return $made{$_[0]} //= Data::write_records("$dir/r$_[0]", $_[0]) }

# jq and gojq can neither time themselves nor keep data between programs. The program runs k times in one process, its
# result reduced to its length; less the process that runs it 0 times (start, reading, compiling), over k.
sub jq_process {
	my ($tool, $program, $data, $k) = @_;
	return run({}, $tool, '--argjson', 'k', $k, "[range(\$k) as \$round | ($program) | length] | length", "$data.json") // die "$tool: $program: failed\n";
}

# undef: the difference drowned in the noise.
sub jq_once {
	my ($tool, $program, $data, $k) = @_;
	my ($none, $some) = map { jq_process($tool, $program, $data, $_) } 0, $k;
	my $seconds = (smaller($some) - smaller($none)) / $k;
	return $seconds > 0 ? { seconds => $seconds, peak_bytes => $some->{peak_bytes} } : undef;
}

# The fastest of the programs, chosen over few records, and how often it has to run to take the time of a round.
my %chosen;
sub jq_choose {
	my ($tool, $job, $n) = @_;
	my $few = 1000;
	my $best = $chosen{"$tool $job->{name}"} //= do {
		my %least;
		for my $program (@{ $job->{jq} }) {
			my $m = jq_once($tool, $program, records_of($few), 20) // next;
			$least{$program} = $m->{seconds} / $few;
		}
		my ($program) = sort { $least{$a} <=> $least{$b} } keys %least;
		defined $program ? [$program, $least{$program}] : [$job->{jq}[0], 1e-6];
	};
	my $k = int($budget / ($best->[1] * $n)) + 1;
	return [$best->[0], $k > $most_repeats ? $most_repeats : $k];
}

sub check {
	my ($job, $who, $mine, $theirs) = @_;
	same_json($mine, $theirs, $job->{unordered}) or die "yaql-$job->{name}: the results of vetro and $who differ\n";
}

# Who takes part: name => a function that gives one measurement.
sub contestants {
	my ($job, $data, $n) = @_;
	my %with = (vetro => sub { timed("$Bench::drivers/yaql", 'eval', "$data.json", $job->{yaql}, $budget, "$dir/vetro.out") });
	$with{c} = sub { timed("$Bench::drivers/hand", $job->{name}, "$data.tsv", $budget, "$dir/c.out") };
	for my $tool (qw(jq gojq)) {
		next unless available($tool, $tool, $tool, '-n', '1');
		my $chosen;
		$with{$tool} = sub {
			if (!$chosen) {
				$chosen = jq_choose($tool, $job, $n);
				run({ to => "$dir/$tool.out" }, $tool, '-c', $chosen->[0], "$data.json") // die "$tool: failed\n";
			}
			return jq_once($tool, $chosen->[0], $data, $chosen->[1]) // unmeasured($tool);
		};
	}
	if ($n <= $yaql_most && available('yaql', 'python3-yaql', $python, '-c', 'import yaql')) {
		$with{yaql} = sub { timed($python, "$here/yaql_side.py", "$data.json", $job->{yaql}, $budget, "$dir/yaql.out") };
	}
	return \%with;
}

# Medians over the rounds; in each round everybody has a turn. Results are compared before a time counts.
sub measure {
	my ($job, $with, $times) = @_;
	my (%all, %out);
	for my $round (1 .. $times) {
		for my $who (sort keys %$with) {
			push @{ $all{$who} }, $with->{$who}->();
		}
		next if $round > 1;
		check($job, $_, "$dir/vetro.out", "$dir/$_.out") for grep { $_ ne 'vetro' } keys %$with;
	}
	for my $who (keys %all) {
		my ($peak) = sort { $b <=> $a } map { $_->{peak_bytes} } @{ $all{$who} };
		$out{$who} = { seconds => median(map { $_->{seconds} } @{ $all{$who} }), peak_bytes => $peak };
	}
	return \%out;
}

sub job {
	my ($job, $n) = @_;
	my $data = records_of($n);
	my ($name, $input) = ("yaql-$job->{name}", commas($n) . " records: $job->{yaql}");
	my $m = measure($job, contestants($job, $data, $n), $rounds);
	my $mine = $m->{vetro}{seconds} / $n;
	my @of = map { record($name, $input, $_, $m->{$_}, $n, $mine) } grep { $m->{$_} } qw(vetro c yaql jq gojq);
	if ($n > $yaql_most && available('yaql', 'python3-yaql', $python, '-c', 'import yaql')) {
		my $with = contestants($job, records_of($yaql_most), $yaql_most);
		my $s = measure($job, { map { $_ => $with->{$_} } qw(vetro yaql) }, 1);
		my $note = 'time of ' . commas($yaql_most) . ' records, compared a record with vetro on ' . commas($n);
		push @of, record($name, commas($yaql_most) . " records: $job->{yaql}", 'yaql', $s->{yaql}, $yaql_most, $mine, $note);
	}
	show('record', @of);
}

sub start {
	my %command = (vetro => [$Bench::vetro, 'query', '-n', '1'], jq => ['jq', '-n', '1'], gojq => ['gojq', '-n', '1'],
		yaql => [$python, '-c', 'import yaql; yaql.create_context(); print(yaql.YaqlFactory().create()("1").evaluate())']);
	my (%all, @of);
	for (1 .. 11) {
		for my $who (sort keys %command) {
			next unless $who eq 'vetro' || available($who, $who eq 'yaql' ? 'python3-yaql' : $who, @{ $command{$who} });
			my $use = run({}, @{ $command{$who} }) // die "$who: failed\n";
			die "$who: 1 is not 1\n" if $use->{out} ne "1\n";
			push @{ $all{$who} }, $use;
		}
	}
	my $m = sub { return { seconds => median(map { $_->{seconds} } @{ $_[0] }), peak_bytes => $_[0][0]{peak_bytes} } };
	my $mine = $m->($all{vetro});
	push @of, record('query-start', 'the expression 1, no document', $_, $m->($all{$_}), 1, $mine->{seconds}) for grep { $all{$_} } qw(vetro yaql jq gojq);
	show('process', @of);
}

sub all {
	for my $n (1000, 100000) {
		for my $job (grep { wanted("yaql-$_->{name}") } @Jobs::yaql) {
			attempt("yaql-$job->{name}", sub { job($job, $n) });
		}
	}
	attempt('query-start', \&start) if wanted('query-start');
}

1;
