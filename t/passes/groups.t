#!/usr/bin/perl
# Groups of many rows by keys of all kinds: keys that are equal though they look different, texts that differ at one end
# only, more groups than are kept at hand; keys that rows have, and keys that are made.  Perl's hash says what is right.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

srand 11;
my %kinds = ( # a key as JSON
	'integers' => sub { int(rand 300) - 150 },
	'integers of any size' => sub { (0, 1, -1, 4611686018427387904, '123456789012345678901', 4611686018427387903)[rand 6] },
	'what equals an integer' => sub { (0, 1, 2, '0.0', '1.0', '2.5', 'true', 'false', 'null', '-0.0')[rand 10] },
	'few texts' => sub { sprintf '"region-%02d"', rand 16 },
	'texts that end alike' => sub { sprintf '"%02d-of-the-regions"', rand 90 },
	'texts of any length' => sub { '"' . ('x' x rand 40) . ('', 'é', 'y')[rand 3] . '"' },
	'texts and integers' => sub { rand() < .5 ? int rand 9 : '"' . int(rand 9) . '"' },
	'lists' => sub { sprintf '[%d,"%s"]', rand 4, ('a', 'b')[rand 2] },
);

sub same { # what a dict takes for the same key
	my ($key) = @_;
	return $key eq 'true' ? 1 : $key eq 'false' ? 0 : $key =~ /^(-?\d+)\.0$/ ? $1 + 0 : $key;
}

# The groups as JSON, in the order in which their keys were first seen.
sub groups {
	my ($key_of, @rows) = @_;
	my (%sum, %n, @order);
	for (@rows) {
		my $key = $key_of->($_->[0]);
		my $same = same($key);
		push @order, [$key, $same] unless exists $n{$same};
		$sum{$same} += $_->[1];
		$n{$same}++;
	}
	return '[' . join(',', map { "[$_->[0],[$n{$_->[1]},$sum{$_->[1]}]]" } @order) . "]\n";
}

for my $n (5, 200, 4000) {
	for my $kind (sort keys %kinds) {
		my @rows = map { [$kinds{$kind}->(), int rand 100] } 1 .. $n;
		my $data = '[' . join(',', map { "[$_->[0],$_->[1]]" } @rows) . ']';
		my (undef, $got, $err) = vetro({ in => $data }, 'query', '-c', '$.groupBy($[0], $[1], [$.len(), $.sum()])');
		is($got, groups(sub { $_[0] }, @rows), "$n rows by $kind", $err);
		(undef, $got, $err) = vetro({ in => $data }, 'query', '-c',
			'$.where($[1] >= 0).groupBy([$[0], 0], $[1], [$.len(), $.sum()]).select([$[0][0], $[1]])');
		is($got, groups(sub { $_[0] }, @rows), "$n rows by a list of $kind", $err);
		next unless $kind =~ /^(?:few )?texts(?! and)/;
		(undef, $got, $err) = vetro({ in => $data }, 'query', '-c', '$.groupBy($[0] + "/", $[1], [$.len(), $.sum()])');
		is($got, groups(sub { $_[0] =~ s{"$}{/"}r }, @rows), "$n rows by a text made of $kind", $err);
		(undef, $got, $err) = vetro({ in => $data }, 'query', '-c', '$.select($).groupBy($[0].substring(0, 5), $[1], [$.len(), $.sum()])');
		is($got, groups(sub { my ($x) = $_[0] =~ /^"((?:[^\x80-\xbf"][\x80-\xbf]*){0,5})/; "\"$x\"" }, @rows), "$n rows by a part of $kind", $err);
	}
}
done();
