#!/usr/bin/perl
# Dialects of TOSCA and releases of Heat's templates, case by case: t/data/tosca-dialects/*.cases, as ToscaCases.pm reads them.
# An argument runs those only whose name begins so.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;
use ToscaCases;

my ($only) = @ARGV;
my %seen;
for my $file (files_like("$FindBin::Bin/../data/tosca-dialects/*.cases")) {
	my ($title, @case) = cases_of($file);
	for my $case (@case) {
		die "$file: $case->{id} stands twice" if $seen{$case->{id}}++;
		run_case($case) if !defined $only || $case->{id} =~ /^\Q$only/;
	}
}
done();
