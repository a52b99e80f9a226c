package Pipelines;
# Many YAQL pipelines over documents of several kinds: vetro beside python yaql, jq, gojq and Python's comprehensions.
# What counts is the spread over all of them: the median, the tenth percentile, the worst, and how they grow.
use strict;
use warnings;
use Bench;
use File::Basename qw(dirname);
use Yaql;

our $job = 'pipelines';
our @sizes = (1000, 250, 1250, 5000, 25000, 100000); # records; those in between show how the time grows
my @lines = (160_000, 640_000, 800_000, 3_200_000, 16_000_000, 64_000_000); # bytes that such documents have
my @brief = (1000, 1250, 5000, 100000);   # those of the jobs that are measured in brief
my ($few, $of_first) = (100, 10);         # records for python yaql; for first evaluations
my $here = dirname(dirname(__FILE__));
my $python = '/usr/bin/python3';
my $budget = 0.03;       # seconds for one contestant and size
my $longest = 20;        # seconds that one evaluation may take, or the size is left out
my $times = 40;          # first evaluations
my $jq_time = 0.2;       # seconds of work for a process of jq

sub jobs_of {
	my ($file) = @_;
	my @of = map { $json->decode($_) } grep { /\S/ } split /\n/, slurp("$here/pipelines/$file.jsonl");
	for my $p (@of) { # bytes, for commands: a copy would be downgraded in vain
		utf8::downgrade($p->{$_}) for grep { defined $p->{$_} } qw(expr jq);
	}
	return @of;
}

# The jobs: {name, expr, jq, data}; and more of them, in six files, which a whole run measures in brief.
sub jobs { return jobs_of('jobs') }
sub more { return map { { %$_, brief => !@Bench::patterns } } map { jobs_of($_) } qw(more wide further fields corners uses) }

# A document of a kind with n records, made once.
sub document {
	my ($kind, $n) = @_;
	my $path = "$dir/$kind-$n.json";
	run({ to => $path }, 'perl', "$here/pipelines/gen.pl", $kind, $n) // die "gen.pl: failed\n" unless -e $path;
	return $path;
}

sub records_in { my ($p, $n) = @_; return $p->{data} eq 'small' ? 1 : $n }

sub check {
	my ($p, $who, $mine, $theirs) = @_;
	# gojq sorts the keys of a dict, so what lists them has another order there.
	same_json($mine, $theirs, $who =~ /jq/ && $p->{expr} =~ /\.(?:items|values)\(\)/) or die "$p->{name}: the results of vetro and $who differ\n";
}

sub vetro_time {
	my ($p, $n, $out) = @_;
	return timed("$Bench::drivers/yaql", 'eval', document($p->{data}, $n), $p->{expr}, $budget, $out)->{least};
}

# Seconds at each size; a size that would take too long has none.
sub vetro_times {
	my ($p) = @_;
	my (%at, $before);
	for my $n ($p->{data} eq 'small' ? $sizes[0] : sort { $a <=> $b } $p->{brief} ? @brief : @sizes) {
		last if $before && $before->[1] * ($n / $before->[0])**2 > $longest && $before->[1] > $longest / 100;
		$at{$n} = vetro_time($p, $n, "$dir/vetro-$n.out");
		$before = [$n, $at{$n}];
	}
	return \%at;
}

# jq and gojq run the program many times in one process; less the process that runs another program as often.
sub jq_process {
	my ($tool, $program, $path, $k) = @_;
	my $use = run({}, $tool, "[range($k) as \$k | . | ($program)] | length", $path) // die "$tool: $program: failed\n";
	return smaller($use);
}

sub jq_time {
	my ($tool, $p, $path) = @_;
	my $none = jq_process($tool, '0', $path, 1);
	my ($k, $seconds) = (1, 0);
	for (1 .. 8) {
		$seconds = jq_process($tool, $p->{jq}, $path, $k) - $none;
		last if $seconds >= $jq_time;
		my $guess = $seconds > 0.005 ? $k * $jq_time / $seconds * 1.2 : $k * 20;
		$k = int($guess) + 1;
	}
	return $seconds > 0 ? $seconds / $k : undef;
}

# Seconds a record of everybody else, as {who => [seconds, records]}; results are compared first. Python has both sizes,
# or the small one in brief.
sub others {
	my ($p) = @_;
	my ($n, %of) = ($sizes[0]);
	my $path = document($p->{data}, $n);
	if (available('yaql', 'python3-yaql', $python, '-c', 'import yaql')) {
		my $t = timed($python, "$here/yaql_side.py", document($p->{data}, $few), $p->{expr}, $p->{brief} ? 0.05 : 0.2, "$dir/yaql.out");
		vetro_time($p, $few, "$dir/few.out");
		check($p, 'python yaql', "$dir/few.out", "$dir/yaql.out");
		$of{yaql} = [$t->{least}, records_in($p, $few)];
	}
	for my $size ($p->{data} eq 'small' || $p->{brief} ? $n : ($n, $sizes[-1])) {
		next unless -e "$dir/vetro-$size.out";
		my $t = timed($python, "$here/pipelines/twins.py", document($p->{data}, $size), $p->{name}, $budget, "$dir/python.out");
		check($p, 'Python', "$dir/vetro-$size.out", "$dir/python.out") if $size == $n;
		$of{"python $size"} = [$t->{least}, records_in($p, $size)];
	}
	for my $tool (grep { defined $p->{jq} && !$p->{brief} && available($_, $_, $_, '-n', '1') } qw(jq gojq)) {
		run({ to => "$dir/$tool.out" }, $tool, '-c', $p->{jq}, $path) // die "$tool: failed\n";
		check($p, $tool, "$dir/vetro-$n.out", "$dir/$tool.out");
		my $seconds = jq_time($tool, $p, $path) // next;
		$of{$tool} = [$seconds, records_in($p, $n)];
	}
	return \%of;
}

sub measure {
	my ($p) = @_;
	unlink glob("$dir/vetro-*.out");
	my $at = vetro_times($p);
	my $of = others($p);
	for my $n (sort { $a <=> $b } keys %$at) {
		my $ops = records_in($p, $n);
		my $mine = $at->{$n} / $ops;
		my %at_size = map { my ($who, $size) = split / /; !$size || $size == $n ? ($who => $of->{$_}) : () } keys %$of;
		my @of = record($job, "$p->{name}, " . commas($ops) . ' records', 'vetro', { seconds => $at->{$n} }, $ops, $mine);
		push @of, map { record($job, $of[0]{input}, $_, { seconds => $at_size{$_}[0] }, $at_size{$_}[1], $mine, 'of ' . commas($at_size{$_}[1]) . ' records') }
			sort keys %at_size
			if $n == $sizes[0] || $n == $sizes[-1];
		show('record', @of) if @of > 1;
	}
}

# A text that was never seen, to its result; the document is there.
sub first {
	my ($p) = @_;
	my $path = document($p->{data}, $of_first);
	my $mine = timed("$Bench::drivers/yaql", 'first', $path, $p->{expr}, $times, "$dir/first.out");
	my @of = record('first', "$p->{name}, first evaluation", 'vetro', $mine, 1, $mine->{seconds});
	if (available('yaql', 'python3-yaql', $python, '-c', 'import yaql')) {
		my $t = timed($python, "$here/yaql_side.py", $path, $p->{expr}, 0.1, "$dir/yaql.out");
		push @of, record('first', $of[0]{input}, 'yaql', { seconds => $t->{seconds} + $t->{parse} }, 1, $mine->{seconds});
	}
	show('text', @of);
}

# What reading memory costs, a line of 64 bytes at a time, in documents of those sizes: what a pipeline has to do at least.
sub memory {
	for my $bytes (@lines) {
		my $t = timed("$Bench::drivers/loops", 'lines', $bytes, 0.2);
		record('memory', commas($bytes) . ' bytes', 'c', { seconds => $t->{seconds} }, $bytes / 64, $t->{seconds} / ($bytes / 64));
	}
}

sub all {
	attempt('memory', \&memory) if wanted('memory') || wanted($job);
	for my $p (jobs(), more()) {
		attempt("$job ($p->{name})", sub { measure($p) }) if wanted($job) || @Bench::patterns && wanted("$job-$p->{name}");
		attempt("first ($p->{name})", sub { first($p) }) if wanted('first') && !$p->{brief};
	}
}

1;
