#!/usr/bin/perl
# The benchmark's own parts: the hand-written jobs agree with vetro, jobs are chosen by name, the chart and the table are drawn.
use strict;
use warnings;
use FindBin qw($Bin);
use lib "$Bin/bench/lib";
use Bench;
use Data;
use Jobs;
use Test::More;

my $vetro = $ENV{VETRO} // "$Bin/../build/release/vetro";
my $cc = $ENV{CC} // 'cc';

sub built {
	my ($name, @libs) = @_;
	return system($cc, '-O1', '-std=gnu11', '-DPCRE2_CODE_UNIT_WIDTH=8', '-o', "$dir/$name", "$Bin/bench/$name.c", @libs) == 0;
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
	my $svg = qx($^X -I$Bin/bench/lib $Bin/bench/chart.pl $dir/bench.json);
	like($svg, qr{<svg .*1,000&#215;.*</svg>}s, 'the chart shows the ratio');
	like(qx($^X -I$Bin/bench/lib $Bin/bench/table.pl $dir/bench.json), qr{^\| yaql-join \| 100,000 records \| 10 ns \| 10 us \(1,000\) \|$}m, 'so does the table');
};

done_testing;
