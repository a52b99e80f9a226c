#!/usr/bin/perl
# What ../shared/spec counts up of each language is what `vetro explain` knows and a page of docs has; without ../shared it is skipped.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
my $spec = "$top/../shared/spec";
skip_all('there is no ../shared/spec') unless -d $spec;
my $known = join '', map { slurp($_) } files_like("$top/docs/*.md");

# Each is explained, and stands as code on some page.
sub counted {
	my ($what, $least, @names) = @_;
	my %once = map { $_ => 1 } @names;
	ok(keys %once >= $least, "$what: " . keys(%once) . ' names', sort keys %once);
	my @absent = grep { (vetro('explain', $_))[0] != 0 } sort keys %once;
	ok(!@absent, "$what: `vetro explain` knows each", @absent);
	my @nowhere = grep { $known !~ /(?:`|^\s*(?:- )?)\Q$_\E(?:`|:)/m } sort keys %once;
	ok(!@nowhere, "$what: a page has each", @nowhere);
}

my @rows = map { [split /\t/] } grep { /\t/ } split /\n/, slurp("$spec/tosca-keynames.tsv");
my %versions = map { $_->[0] =~ /^(tosca_v\d_\d)/ ? ($1 => 1) : () } @rows;
is(join(' ', sort keys %versions), 'tosca_v1_0 tosca_v1_1 tosca_v1_2 tosca_v1_3 tosca_v2_0', 'all versions of TOSCA are counted');
counted('keynames of TOSCA', 100, grep { /^[a-z_]+$/ } map { $_->[3] // '' } grep { $_->[0] =~ /^tosca_v/ } @rows);

# Names between backquotes in the first column of a section's tables.
sub first_column {
	my ($file, $section) = @_;
	my ($text) = slurp("$spec/$file") =~ /^## \d+\. \Q$section\E\n(.*?)(?=^## |\z)/ms;
	return map { /(\w+)/g }
		map { my ($cell) = /^\| ([^|]+) \|/; defined $cell ? $cell =~ s/`\{[^`]*\}`//r : () }
		grep { !/^\|(?:---| (?:attribute|type|call|id) )/ } split /\n/, defined $text ? $text : '';
}
counted('attributes of fields', 30, grep { !/^(?:js|css|class|names)$/ } first_column('ui-definitions.md', 'Attributes'));
my ($fields) = slurp("$spec/ui-definitions.md") =~ /^## 5\. Fields\n(.*?)^## /ms;
counted('types of fields', 16, $fields =~ /^\| `(\w+)` \|/mg);
my ($functions) = slurp("$spec/ui-definitions.md") =~ /^## 7\. Functions\n(.*?)^## /ms;
counted('functions of forms', 5, $functions =~ /^\| `(\w+)\(/mg);

my $engine = slurp("$spec/muranopl-engine.md");
counted('keys of manifests', 14, ($engine =~ /^\| K1 \| ([^|]*)/m ? $1 : '') =~ /`(\w+)`/g);
counted('keys of classes', 11, grep { /^[A-Z]/ && $_ ne 'P' } map { /`(\w+)`/g } ($engine =~ /^\| C1 \| ([^|]*)/m ? $1 : ''));
counted('keys of members', 5, map { /`([A-Z]\w+)`/g } map { $engine =~ /^\| C$_ \| ([^|]*)/m ? $1 : '' } 12, 13, 14);
my ($statements) = $engine =~ /^## 4\. Statements[^\n]*\n(.*?)^## /ms;
my $words = qr/^(?:If|While|For|Repeat|Match|Switch|Parallel|Try|Throw|Rethrow|Break|Continue|Return|Do)$/;
counted('statements', 12, grep { /$words/ } (defined $statements ? $statements : '') =~ /`([A-Z][a-z]+)(?::[^`]*)?`/g);
done;
