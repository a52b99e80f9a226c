#!/usr/bin/perl
# aggregate() and accumulate() whose $1 is a number: the answers of python yaql to 123 lambdas, over integers, floats, items that
# change their kind on the way, and integers that outgrow a word.  An error of its is an error here.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;

for my $line (split /\n/, slurp("$FindBin::Bin/../data/yaql/number-folds.jsonl")) {
	my $case = $json->decode($line);
	my ($rc, $out, $err) = vetro('query', '-n', '-c', $case->{expr});
	if ($case->{error}) {
		ok($rc != 0 && $err ne '', "an error: $case->{expr}") or print "# $out\n";
		next;
	}
	my ($want) = $line =~ /"want": (.*)\}$/;
	$want =~ s/([,:]) /$1/g;
	is($out, "$want\n", $case->{expr});
}
done();
