# Files of TOSCA in the data of a test, and what vetro says of them.
package Tosca;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = qw(codes cases head_of);
my %version = ('2.0' => 'tosca_2_0', map { ("1.$_" => "tosca_simple_yaml_1_$_") } 0 .. 3);

# Codes of errors, each once; of warnings where there is no error.
sub codes {
	my ($err) = @_;
	for my $kind (qw(error warning)) {
		my %seen = map { $_ => 1 } $err =~ /^\S+:\d+:\d+: $kind\[(\w+)\]/mg;
		return join ' ', sort keys %seen if %seen;
	}
	return 'ok';
}

# [VERSION, NAME, what is wanted, FILE] of each `=== VERSION NAME: what is wanted`, which looks like $want.
sub cases {
	my ($in, $want) = @_;
	my @case;
	while (my $line = <$in>) {
		next if $line =~ /^# ----/;
		if ($line =~ /^=== (\S+) (.*?): ($want)$/) {
			push @case, [$1, $2, $3, ''];
		} else {
			$case[-1][3] .= $line;
		}
	}
	return @case;
}

# The line that a file of this version begins with.
sub head_of {
	my ($v) = @_;
	return "heat_template_version: 2018-08-31\n" if $v eq 'hot';
	return 'tosca_definitions_version: ' . ($version{$v} // $v) . "\n";
}

1;
