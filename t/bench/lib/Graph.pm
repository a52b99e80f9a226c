package Graph;
# MuGL: a snapshot read, checked and written, by vetro and by Python's json, which has the checks of mugl_side.py.
use strict;
use warnings;
use Bench;
use File::Basename qw(dirname);
use Text;

my $here = dirname(dirname(__FILE__));
my $python = '/usr/bin/python3';

# Two edges a vertex, to vertices before it.
sub write_snapshot {
	my ($path, $n) = @_;
	my $seed = 12345;
	my $any = sub { $seed = ($seed * 1103515245 + 12345) % 2147483648; return int($seed / 65536) % $_[0] };
	open my $f, '>', $path or die "$path: $!\n";
	print $f '{"package":"bench","vertices":{';
	for my $i (0 .. $n - 1) {
		print $f $i ? ',' : '', qq("server-$i":{"id":"i-$i","type":"acme:Server","properties":{"name":"web-$i","size":), $any->(64), ',"load":', $any->(1000) / 8;
		print $f ',"net":{"#ref":"server-', $any->($i), '"},"after":[{"#ref":"server-', $any->($i), '"}]' if $i;
		print $f ',"tags":["a","b', $any->(9), '"]}}';
	}
	print $f '}}';
	close $f or die "$path: $!\n";
}

sub all {
	return unless wanted('mugl-roundtrip');
	attempt('mugl-roundtrip', \&roundtrip);
}

sub roundtrip {
	for my $n (10000, 100000) {
		my $file = "$dir/graph$n.json";
		write_snapshot($file, $n);
		write_snapshot("$dir/none.json", 0);
		my @command = ($Bench::vetro, 'graph', 'fmt', '--snapshot');
		my %with = (vetro => Text::process('vetro', [@command, $file], [@command, "$dir/none.json"]));
		$with{python} = Text::process('python', [$python, "$here/mugl_side.py", $file], [$python, "$here/mugl_side.py", "$dir/none.json"])
			if available('python', 'python3', $python, '-c', 'import json');
		my $m = Text::rounds_of(\%with);
		die "mugl-roundtrip: the graphs of vetro and Python differ\n" if $m->{python} && !same_json("$dir/vetro.out", "$dir/python.out");
		my $mine = $m->{vetro}{seconds} / $n;
		my $input = sprintf '%s vertices, %s edges, %.3g MB, read, checked and written', commas($n), commas(2 * $n - 2), (-s $file) / 1e6;
		show('vertex', map { record('mugl-roundtrip', $input, $_, $m->{$_}, $n, $mine, $_ eq 'python' ? 'json and a check of edges and order' : undef) }
			grep { $m->{$_} } qw(vetro python));
	}
}

1;
