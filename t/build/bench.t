#!/usr/bin/perl
# The benchmark's own parts: the hand-written jobs agree with vetro, jobs are chosen by name, the chart and the table are drawn.
use strict;
use warnings;
use FindBin qw($Bin);
use lib "$Bin/../bench/lib";
use Bench;
use Data;
use Jobs;
use Kinds;
use Pipelines;
use Spread;
use Table;
use Test::More;

my $vetro = $ENV{VETRO} // "$Bin/../../build/release/vetro";
my $cc = $ENV{CC} // 'cc';

sub built {
	my ($name, @libs) = @_;
	return system($cc, '-O1', '-std=gnu11', '-DPCRE2_CODE_UNIT_WIDTH=8', '-o', "$dir/$name", "$Bin/../bench/$name.c", @libs) == 0;
}

subtest 'hand.c gives what vetro gives' => sub {
	plan skip_all => 'no C compiler' unless built('hand', '-lpcre2-8') && built('run');
	$Bench::drivers = $dir;
	my $data = Data::write_records("$dir/r50", 50);
	for my $job (@Jobs::yaql) {
		ok(run({ to => "$dir/v" }, $vetro, 'query', '-c', $job->{yaql}, "$data.json"), "$job->{name}: vetro") or next;
		my $m = timed("$dir/hand", $job->{name}, "$data.tsv", '0.001', "$dir/c");
		ok(same_json("$dir/v", "$dir/c", $job->{unordered}), "$job->{name}: the same result");
		cmp_ok($m->{peak_bytes}, '>', 100_000, "$job->{name}: memory is measured");
	}
	is(run({ quiet => 1 }, 'sh', '-c', 'exit 3'), undef, 'a command that fails has no time');
};

subtest 'results that differ are seen' => sub {
	my %text = (a => '[["x",1],["y",2]]', b => '[["y", 2], ["x", 1]]', c => '[["y",2],["x",3]]', d => '[{"a":1,"b":2}]', e => "[{\"b\":2,\"a\":1}]\n");
	for my $name (keys %text) {
		open my $f, '>', "$dir/$name.json" or die;
		print $f $text{$name};
		close $f;
	}
	my $same = sub { same_json("$dir/$_[0].json", "$dir/$_[1].json", $_[2]) };
	ok(!$same->('a', 'b'), 'the order of rows counts');
	ok($same->('a', 'b', 1), 'unless it is left open');
	ok(!$same->('a', 'c', 1), 'values count');
	ok($same->('d', 'e'), 'the order of keys does not');
};

subtest 'JOBS' => sub {
	ok(wanted('yaql-join'), 'all without it');
	@Bench::patterns = ('yaql-*', 'start');
	ok(wanted('yaql-join'), 'a star');
	ok(wanted('start'), 'a name');
	ok(!wanted('query-start'), 'the whole name');
	@Bench::patterns = ();
};

subtest 'records, chart and table' => sub {
	my $mine = { seconds => 1e-3, peak_bytes => 1000 };
	record('yaql-join', '100,000 records: $', 'vetro', $mine, 100000, 1e-8);
	my $r = record('yaql-join', '100,000 records: $', 'jq', { seconds => 1, peak_bytes => undef }, 100000, 1e-8);
	is($r->{ratio}, 1000, 'the ratio is theirs over ours');
	ok(!eval { record('x', 'y', 'jq', { seconds => 0 }, 1, 1); 1 }, 'no time is no record');
	open my $f, '>', "$dir/bench.json" or die;
	print $f $json->encode(records());
	close $f;
	my $svg = qx($^X -I$Bin/../bench/lib $Bin/../bench/chart.pl $dir/bench.json);
	like($svg, qr{prefers-color-scheme: dark}, 'the chart has colours for dark pages');
	like($svg, qr{<svg .*1,000&#215;.*</svg>}s, 'the chart shows the ratio');
	open $f, '>', "$dir/bench-run.json" or die;
	print $f $json->encode(machine());
	close $f;
	my @table = ($^X, "-I$Bin/../bench/lib", "$Bin/../bench/table.pl");
	like(qx(@table $dir/bench.json $dir/bench-run.json), qr{^\| yaql-join \| 100,000 records \| 10 ns \| 1,000 \|$}m, 'so does the table');
	like(qx(@table -m $dir/bench.json $dir/bench-run.json), qr{^\| yaql-join \| 100,000 records \| 0\.0 MB \|$}m, 'and that of memory');
	open $f, '>', "$dir/page.md" or die;
	print $f slurp("$Bin/../../docs/performance.md");
	close $f;
	my $said = qx(@table --page $dir/page.md $dir/bench.json $dir/bench-run.json 2>&1);
	ok($? != 0 && $said =~ /has no figures of build call-loop /, 'some jobs do not become the page');
};

subtest 'a job that fails loses no other' => sub {
	my $n = @{ records() };
	my $said = '';
	{
		open my $to, '>', \$said or die;
		my $before = select $to;
		ok(!attempt('x', sub { record('x', 'y', 'vetro', { seconds => 1 }, 1, 1); die "they differ\n" }), 'it is reported');
		select $before;
	}
	is(@{ records() }, $n, 'and leaves no figure');
	like($said, qr/x FAILED: they differ/, 'with its reason');
	is_deeply([Bench::failures()], ['x'], 'and counted');
	{
		open my $to, '>', \$said or die;
		my $before = select $to;
		ok(!attempt('y', sub { record('y', 'z', 'vetro', { seconds => -1e-4 }, 1, 1) }), 'a time below that of an empty process is none');
		select $before;
	}
	like($said, qr/y: no measurable time on a machine this busy: no time of vetro/, 'it is reported');
	is_deeply([Bench::failures()], ['x'], 'but is no failure');
};

# What many jobs come to: the middle and the worst, in the table and in the chart.
subtest 'the spread over all jobs' => sub {
	is_deeply(spread(5, 1, 4, 2, 3, 9, 7, 8, 6, 10), { n => 10, median => 6, p10 => 2, least => 1 }, 'median, tenth percentile, worst');
	is(spread(), undef, 'of nothing there is none');
	my @pipelines = map { my ($name, $n, $seconds) = @$_; (
		{ job => 'pipelines', input => "$name, $n records", contestant => 'vetro', seconds => $seconds, ops => 1, ratio => 1 },
		{ job => 'pipelines', input => "$name, $n records", contestant => 'yaql', seconds => 1, ops => 1, ratio => 1 / $seconds }) }
		['flat', '1,000', 1e-3], ['flat', '1,250', 5e-3], ['flat', '5,000', 20e-3], ['flat', '100,000', 0.1],
		['steep', '1,000', 1e-2], ['steep', '1,250', 0.25], ['steep', '5,000', 4];
	my %table = map { @$_ } spread_tables(\@pipelines);
	like($table{'All of them'}, qr/^\| YAQL pipelines, 1,000 records \| 2 \| yaql \| 1,000 \| 100 \| 100 \|$/m, 'a row a contestant');
	my $said = $table{'All of them'} =~ s/\n(?=\S)/ /gr;
	like($said, qr/4\.6 times as long for 5,000 records as for 1,250: steep \(16\.0\)\.\s/, 'what grows too fast is named');
	unlike($said, qr/100,000 records as for 25,000/, 'a size that was left out has no growth');
	like($table{'YAQL pipelines'}, qr/^\| flat \| 100,000 \| .*\| 4\.0 \|.*\n/m, 'a row a pipeline');
	is(join("\n", spread_problems('YAQL pipelines', (split /\n/, $table{'YAQL pipelines'}))), '', 'which have the form of the page');
	isnt(join("\n", spread_problems('YAQL pipelines', (split /\n/, $table{'YAQL pipelines'} =~ s/4\.0 \|//r))), '', 'a lost cell is seen');
};

# A small document of each kind: vetro's result is that of the comprehension, and of the other kinds of the package.
subtest 'pipelines and kinds' => sub {
	plan skip_all => 'no C compiler' unless built('run');
	$Bench::drivers = $dir;
	my $python = '/usr/bin/python3';
	plan skip_all => 'no python3' unless -x $python;
	for my $p (Pipelines::jobs()) {
		my $path = Pipelines::document($p->{data}, 30);
		ok(run({ to => "$dir/v" }, $vetro, 'query', '-c', $p->{expr}, $path), "$p->{name}: vetro") or next;
		ok(run({ to => "$dir/t" }, $python, "$Bin/../bench/pipelines/twins.py", $path, $p->{name}, 0, "$dir/p"), "$p->{name}: Python") or next;
		ok(same_json("$dir/v", "$dir/p"), "$p->{name}: the same result");
	}
	is(Kinds::work({ work => '3*n' }, 5), 15, 'work that is a multiple');
	is(Kinds::work({ work => 'n*n' }, 5), 25, 'work that is a square');
	ok(Kinds::same_value('1.0000000001', '1.0000000002'), 'floats to nine digits');
	ok(!Kinds::same_value('10', '11'), 'integers whole');
};

# Pipelines and methods put together from parts give what Python gives.
subtest 'the grid' => sub {
	my $python = '/usr/bin/python3';
	plan skip_all => 'no python3' unless -x $python;
	my $out = `$python "$Bin/../bench/grid.py" --right "$vetro" "$dir" --records 40 --every 9`;
	like($out, qr/\A5\d\d pipelines, 0 wrong\n\z/, 'each ninth');
	$out = `$python "$Bin/../bench/method_grid.py" --right "$vetro" "$dir" --every 7`;
	like($out, qr/\A6\d methods, 0 wrong\n\z/, 'each seventh method');
	$out = `$python "$Bin/../bench/method_grid.py" --pairs --right "$vetro" "$dir" --every 11`;
	like($out, qr/\A9\d methods, 0 wrong\n\z/, 'each eleventh of two steps');
};

# What the machine interface names, the benchmark has, and the guide describes; the chart that README shows has them.
subtest 'documents' => sub {
	my @named = map { "$_" } qw(murano-call murano-while murano-property murano-load murano-parallel yaql-filter yaql-group yaql-order
		yaql-any yaql-join yaql-regex yaql-string yaql-aggregate query-json json-parse int-loop call-loop tosca-chain yay-flat yay-for yay-include
		mugl-roundtrip tasks start translate build pipelines first kinds);
	my $guide = slurp("$Bin/../../docs/performance.md");
	my ($jobs) = $guide =~ /^## The jobs\n(.*?)^## /ms;
	my %described = map { $_ => 1 } map { split /, / } $jobs =~ /^\| ([a-z0-9, -]+) \|/mg;
	for my $job (@named) {
		ok($Jobs::seconds{$job}, "$job: is run");
		ok($described{$job}, "$job: is described");
	}
	ok($Jobs::seconds{$_}, "$_: what is described is run") for grep { !/^(?:job|-+)$/ } sort keys %described;
	ok($described{$_}, "$_: what is run is described") for sort keys %Jobs::seconds;
	my $figures = taken_figures($guide) // '';
	is(join("\n", problems($figures)), '', 'its figures have the form that make bench-docs gives them');
	like(join("\n", problems($figures =~ s/^(\| murano-call \|[^|]*)\|[^|]*/$1| fast /mr)), qr/no figure of vetro: fast/, 'a cell is a figure');
	like(join("\n", problems($figures =~ s/^\| yay-flat \|.*\n//mgr)), qr/yay-flat has no row/, 'a job has a row');
	like(join("\n", problems($figures =~ s/^Commit .*\n//mr)), qr/which commit/, 'the commit is named');
	# What a run of all jobs gives has that form, whatever its figures are.
	my @all = map { my $j = $_; map {
		{ job => $j, input => 'all, 1,000 records', contestant => $_, seconds => 12345e-9, ops => 1, ratio => $_ eq 'vetro' ? 1 : 1234.5 } }
		qw(vetro c jq) } grep { $_ ne 'kinds' } map { split / / } sort keys %Jobs::seconds;
	push @all, map { my $j = $_; map {
		{ job => 'kinds', input => "$j->{job}: $j->{kind}", growth => 1, contestant => $_, seconds => 1234e-9, ops => 1,
			ratio => $_ eq 'vetro' ? 1 : 123.4 } }
		qw(vetro python), $j->{lua} eq 'no' ? () : qw(lua luajit) } map { Kinds::jobs($_) } Kinds::groups();
	my $page = put_figures($guide, figures(\@all, machine()));
	is(join("\n", problems(taken_figures($page))), '', 'so have those of any run');
	is($page =~ s/\Q@{[taken_figures($page)]}\E//r, $guide =~ s/\Q$figures\E//r, 'and the rest of the page stays');
	ok(!eval { put_figures('no marks', 'x'); 1 }, 'a page without marks is refused');
	like(slurp("$Bin/../../README.md"), qr{!\[[^\]]+\]\(docs/bench\.svg\)}, 'README shows the chart');
	my $svg = slurp("$Bin/../../docs/bench.svg");
	like($svg, qr{<svg .*</svg>\s*\z}s, 'which is there');
};

subtest 'the programs compile' => sub {
	my $cc = $ENV{CC} // 'cc';
	plan(skip_all => "no C compiler $cc") if system("command -v $cc >/dev/null") != 0;
	for my $c (glob "$Bin/../bench/*.c") {
		my $said = qx($cc -std=gnu11 -fsyntax-only -Wall -Wextra -Werror -DPCRE2_CODE_UNIT_WIDTH=8 -I $Bin/../.. $c 2>&1);
		is($said, '', $c =~ s{.*/}{}r);
	}
};

done_testing;
