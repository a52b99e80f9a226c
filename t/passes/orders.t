#!/usr/bin/perl
# Orders of many rows by keys that do not fit the words that are sorted: floats that are alike or nearly so, texts that begin
# alike, two of them, up and down; and what is taken from the rows then.  Perl's stable sort says what is right.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use sort 'stable';
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
srand 7;
my %kinds = (
	'floats, many alike' => [sub { int(rand 40) / 8 + 0.0625 }, 0],
	'floats, nearly alike' => [sub { 1 + int(rand 300) / 2**38 }, 0],
	'floats and integers' => [sub { rand() < .5 ? int(rand 9) : int(rand 36) / 4 }, 0],
	'large and small floats' => [sub { (0.0, 1e300, -1e300, 5e-324, 1e-300, -2.5)[rand 6] }, 0],
	'texts that begin alike' => [sub { sprintf 'common-prefix-%03d-%03d', rand 4, rand 50 }, 1],
	'texts of several lengths' => [sub { ('', 'z' x rand 14, 'z' x 11 . 'y', "a\0", 'a', "a\0b")[rand 6] }, 1],
	'dates as texts' => [sub { sprintf '20%02d-%02d-01T%02d:00:00', rand 30, 1 + rand 12, rand 24 }, 1],
);

sub compare {
	my ($x, $y, $text) = @_;
	return $text ? $x cmp $y : $x <=> $y;
}

for my $n (3, 70, 3000) {
	for my $kind (sort keys %kinds) {
		my ($make, $text) = @{ $kinds{$kind} };
		my @rows = map { [$make->(), int rand 3, $_] } 0 .. $n - 1;
		my $data = $json->encode(\@rows);
		for (
			['orderBy($[0])', sub { compare($_[0][0], $_[1][0], $text) }],
			['orderByDescending($[0]).thenBy($[1])', sub { compare($_[1][0], $_[0][0], $text) || $_[0][1] <=> $_[1][1] }],
			['orderBy($[1]).thenByDescending($[0])', sub { $_[0][1] <=> $_[1][1] || compare($_[1][0], $_[0][0], $text) }],
		) {
			my ($by, $order) = @$_;
			my @want = map { $_->[2] } sort { $order->($a, $b) } @rows;
			my (undef, $got, $err) = vetro({ in => $data }, 'query', '-c', "\$.$by.select(\$[2])");
			is($got, $json->encode(\@want) . "\n", "$n $kind: $by");
			(undef, $got) = vetro({ in => $data }, 'query', '-c', "\$.$by.where(\$[2] mod 2 = 0).select(\$[2])");
			is($got, $json->encode([grep { $_ % 2 == 0 } @want]) . "\n", "$n $kind: $by, a part of them");
		}
	}
}
done();
