package Text;
# JSON text: whole processes that read it and answer a query, and parsing alone.
use strict;
use warnings;
use Bench;
use Data;
use File::Basename qw(dirname);
use Jobs;
use Yaql;

my $here = dirname(dirname(__FILE__));
my $python = '/usr/bin/python3';
my $budget = 0.3;
my $rounds = 5;

# Seconds and memory: medians over the rounds, everybody in turn in each of them.
sub rounds_of {
	my ($with, $times) = @_;
	my (%all, %out);
	for (1 .. $times // $rounds) {
		push @{ $all{$_} }, $with->{$_}->() for sort keys %$with;
	}
	for my $who (keys %all) {
		my ($peak) = sort { $b <=> $a } map { $_->{peak_bytes} } @{ $all{$who} };
		$out{$who} = { %{ $all{$who}[0] }, seconds => median(map { $_->{seconds} } @{ $all{$who} }), peak_bytes => $peak };
	}
	return \%out;
}

# One process: start, reading the text, the query, writing the answer; less a process that does nothing.
sub process {
	my ($who, $query, $nothing) = @_;
	return sub {
		my $idle = run({}, @$nothing) // die "$who: failed\n";
		my $use = run({ to => "$dir/$who.out" }, @$query) // die "$who: failed\n";
		return { seconds => smaller($use) - smaller($idle), peak_bytes => $use->{peak_bytes} };
	};
}

sub query {
	my ($n, $data, $job) = @_;
	my $file = "$data.json";
	my %with = (vetro => process('vetro', [$Bench::vetro, 'query', '-c', $job->{yaql}, $file], [$Bench::vetro, 'query', '-n', '1']));
	for my $tool (grep { available($_, $_, $_, '-n', '1') } qw(jq gojq)) {
		$with{$tool} = process($tool, [$tool, '-c', Yaql::jq_choose($tool, $job, $n)->[0], $file], [$tool, '-n', '1']);
	}
	my $m = rounds_of(\%with);
	for (grep { $_ ne 'vetro' } keys %with) {
		same_json("$dir/vetro.out", "$dir/$_.out", $job->{unordered}) or die "query-json: the results of vetro and $_ differ\n";
	}
	my $mine = $m->{vetro}{seconds} / $n;
	my $input = sprintf '%s records, %.1f MB of JSON: %s', commas($n), (-s $file) / 1e6, $job->{yaql};
	show('record', map { record('query-json', $input, $_, $m->{$_}, $n, $mine, undef) } grep { $m->{$_} } qw(vetro jq gojq));
}

# jq and gojq cannot time parsing: a process that reads the text and counts the records, less one that reads nothing.
# vetro's values are compared with the text as Python reads it, simdjson's with vetro's; jq and gojq must count right.
sub parse {
	my ($n, $data) = @_;
	my $file = "$data.json";
	my %with = (vetro => sub { timed("$Bench::drivers/yaql", 'parse', $file, $budget, "$dir/vetro.out") });
	my %note = (python => 'json.loads');
	if (-x "$Bench::drivers/simd") {
		$with{c} = sub { timed("$Bench::drivers/simd", $file, $budget, "$dir/c.out") };
		$note{c} = 'simdjson, DOM, a new parser each time';
	} else {
		skipped('simdjson', 'libsimdjson-dev');
	}
	$with{python} = sub { timed($python, "$here/json_side.py", $file, $budget) } if available('python', 'python3', $python, '-c', 'import json');
	for my $tool ($n < 10000 ? () : grep { available($_, $_, $_, '-n', '1') } qw(jq gojq)) {
		$with{$tool} = process($tool, [$tool, '.items | length', $file], [$tool, '-n', '1']);
		$note{$tool} = 'a process that reads the text less one that does not';
	}
	$with{vetro}->();
	my $m = rounds_of(\%with);
	my $same = 'import json, sys; a, b = (json.load(open(p)) for p in sys.argv[1:]); sys.exit(a != b)';
	die "json-parse: the values of vetro are not those of Python\n" if $m->{python} && !run({}, $python, '-c', $same, $file, "$dir/vetro.out");
	die "json-parse: the values of vetro are not those of simdjson\n" if $m->{c} && !same_json("$dir/vetro.out", "$dir/c.out");
	for (grep { $m->{$_} } qw(jq gojq)) {
		die "json-parse: $_ counts other records\n" if slurp("$dir/$_.out") != $n;
	}
	my $bytes = -s $file;
	my $mine = $m->{vetro}{seconds} / $bytes;
	my $input = sprintf '%s records, %.3g MB of JSON', commas($n), $bytes / 1e6;
	show('byte', map { record('json-parse', $input, $_, $m->{$_}, $bytes, $mine, $note{$_}) } grep { $m->{$_} } qw(vetro c python jq gojq));
	printf "             simdjson with one parser that keeps its buffers: %.3g times\n", $m->{c}{again} / $bytes / $mine if $m->{c};
}

sub all {
	return unless wanted('json-parse') || wanted('query-json');
	for my $n (1000, 100000) {
		my $data = Data::write_records("$dir/text$n", $n);
		attempt('json-parse', sub { parse($n, $data) }) if wanted('json-parse');
		for my $job (grep { $n > 1000 && wanted('query-json') } @Jobs::yaql[0, 1]) {
			attempt('query-json', sub { query($n, $data, $job) });
		}
	}
}

1;
