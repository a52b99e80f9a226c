package Data;
# The records that the YAQL jobs work on: the same as JSON, and as tab-separated fields for hand.c.
use strict;
use warnings;

our $OWNERS = 10;
my @words = qw(disk fan lamp rack cable switch tray board clock panel spare slot power cooling frame bolt);

# A generator of our own, so that every run and every machine has the same records.
my $state;
sub below {
	my ($n) = @_;
	$state = ($state * 1103515245 + 12345) % 2147483648;
	return int($state / 65536) % $n;
}

sub record_of {
	my ($i, $n) = @_;
	my $text = join ' ', map { $words[below(scalar @words)] } 0 .. 3 + below(4);
	return { id => $i, name => sprintf('srv-%06d', ($i * 7919 + 13) % $n), cpu => 1 + below(64), mem => 256 * (1 + below(256)),
		region => sprintf('region-%02d', below(16)), owner => sprintf('user%d@example.org', below($OWNERS)), text => $text };
}

# Writes $base.json and $base.tsv with n records; n and 7919 have no common divisor, so names are unique.
sub write_records {
	my ($base, $n) = @_;
	$state = 42;
	open my $j, '>', "$base.json" or die "$base.json: $!\n";
	open my $t, '>', "$base.tsv" or die "$base.tsv: $!\n";
	print $j '{"items":[';
	for my $i (0 .. $n - 1) {
		my $r = record_of($i, $n);
		print $j $i ? ",\n" : "\n";
		printf $j '{"id":%d,"name":"%s","cpu":%d,"mem":%d,"region":"%s","owner":"%s","text":"%s"}', @$r{qw(id name cpu mem region owner text)};
		print $t join("\t", 'i', @$r{qw(id name cpu mem region owner text)}), "\n";
	}
	print $j "],\n\"owners\":[";
	for my $i (0 .. $OWNERS - 1) {
		my ($name, $team) = ("user$i\@example.org", sprintf('team-%d', $i % 4));
		printf $j '%s{"name":"%s","team":"%s"}', $i ? ',' : '', $name, $team;
		print $t "o\t$name\t$team\n";
	}
	print $j "]}\n";
	close $_ or die "$base: $!\n" for $j, $t;
	return $base;
}

1;
