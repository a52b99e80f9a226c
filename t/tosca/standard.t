#!/usr/bin/perl
# TOSCA 2.0 rule by rule. t/data/tosca20/*.cases has a case for each rule, and docs/tosca-2.0.md a row for each case.
# t/lib/ToscaCases.pm says how they are written; their files stand without a version line, but behind `%raw`.
#
# --write makes the tables of docs/tosca-2.0.md anew.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;
use ToscaCases;

my $page = "$FindBin::Bin/../../docs/tosca-2.0.md";
my $MARK = "<!-- What follows is made of t/data/tosca20 by `make docs`. -->\n";

# What stands in the last column of a row.
sub answer {
	my ($case) = @_;
	return 'accepted' if "@{$case->{want}}" eq 'ok';
	return join ', ', map { '`' . s/\|/\\|/gr . '`' } @{$case->{want}} if $case->{want}[0] =~ / = /;
	my %seen;
	return join ' ', grep { !$seen{$_}++ } map { s/@.*//r } map { split ' ' } @{$case->{want}};
}

my (%seen, $tables, @all);
for my $file (files_like("$FindBin::Bin/../data/tosca20/*.cases")) {
	my ($title, @case) = cases_of($file);
	$tables .= "\n## $title\n\n| case | rule | vetro |\n|---|---|---|\n";
	for my $case (@case) {
		die "$file: $case->{id} stands twice" if $seen{$case->{id}}++;
		$tables .= "| $case->{id} | $case->{rule} | " . answer($case) . ($case->{but} ? "; $case->{but}" : '') . " |\n";
		push @all, $case;
	}
}
if (@ARGV && $ARGV[0] eq '--write') {
	my ($text) = split /^\Q$MARK\E/m, slurp($page);
	spew($page, "$text$MARK$tables");
	exit 0;
}
my ($only) = @ARGV;
run_case($_, "tosca_definitions_version: tosca_2_0\n") for grep { !defined $only || $_->{id} =~ /^$only/ } @all;
if (!defined $only) {
	my (undef, $there) = split /^\Q$MARK\E/m, slurp($page);
	is_lines([split /^/m, $there], [split /^/m, $tables], 'docs/tosca-2.0.md has a row for each case (make docs)');
	ok(@all >= 560, 'a case for each rule', 'only ' . @all);
}
done();
