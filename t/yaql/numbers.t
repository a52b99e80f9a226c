#!/usr/bin/perl
# Numbers by the batch: aggregate() and accumulate() whose $1 is one, over integers, floats, items that change their kind on the
# way and integers that outgrow a word; and floats that nothing but other steps reads, beside those that somebody keeps.  Lists
# and records of such sums, folds whose lambda is a fold, and where() by several conditions.  The answers are python yaql's.  An
# error of its is an error here.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;

for my $line (map { split /\n/, slurp("$FindBin::Bin/../data/yaql/$_.jsonl") } 'number-folds', 'float-columns', 'fold-parts', 'fold-inside', 'conditions') {
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
