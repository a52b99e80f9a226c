#!/usr/bin/perl
# Expressions of t/data/yaql/NAME.txt over t/data/yaql/NAME.json: what python yaql 2.0.0 gives stands below each, with `!!` the
# exception. pairs: pipelines over pairs of each row's lists and dicts, and flattened lists, written at random; sums: numbers of all kinds;
# attributes: names of each item of a list, in lambdas too, and folds that set keys of data; folds: what changes several parts of $1, written at random;
# edits: what is cut, put in and looked for in iterators, some of which are asked again.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Encode;
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
for my $name (qw(answers attributes edits folds pairs sums)) {
	my $data = slurp("$FindBin::Bin/../data/yaql/$name.json") =~ s/\n//gr; # whose keys keep their order
	my @lines = split /\n/, slurp("$FindBin::Bin/../data/yaql/$name.txt");
	my @want = map { s/^\t//r } grep { /^\t/ } @lines;
	my @asked = grep { !/^\t/ } @lines;
	is(scalar @want, scalar @asked, 'each expression has an answer');

	my $input = join '', map { '{"expr":' . $json->encode(Encode::decode('UTF-8', $_)) . ",\"data\":$data}\n" } @asked;
	my ($rc, $out, $err) = vetro({ in => $input }, 'query', '--batch');
	my @got = split /\n/, $out;
	is(scalar @got, scalar @asked, 'each expression is answered');
	for my $i (0 .. $#got) {
		my $got = $json->decode($got[$i]);
		if ($want[$i] =~ /^!! (.*)/) {
			is($got->{error}{type}, $1, "fails: $asked[$i]");
		} else {
			is_json($got->{value}, $json->decode($want[$i]), $asked[$i]);
		}
	}
}
done();
