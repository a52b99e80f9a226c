# Cases of TOSCA in files: rules with what vetro has to say of them.
#
#     === ID The rule in a line
#     => ok | CODE@LINE... | PATH = JSON
#     [!> where that is not what the standard says, and why]
#     [> further arguments]
#     the file
#
# CODE@LINE are all problems: of errors, or else of warnings; CODE@FILE:LINE those of another file. PATH = JSON is a value of
# the topology; where the rest is empty, several such lines may follow each other. `--- NAME` begins another file; a file
# inner*.yaml is one that may substitute nodes, and with a TOSCA.meta the folder is given as a whole. `<<NAME` is the text that
# stands below `+++ NAME` in the same file of cases.
package ToscaCases;
use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname basename);
use File::Path qw(make_path);
use JSON::PP;
use Tap;

our @EXPORT = qw(cases_of run_case);

my $json = JSON::PP->new->canonical->allow_nonref;

# The cases of a file: { id, rule, want => [...], args => [...], text }, and its title.
sub cases_of {
	my ($file) = @_;
	my (@case, %text, $name);
	my ($title, @lines) = split /^/m, slurp($file);
	for (@lines) {
		if (/^=== (\S+) (.*)$/) {
			push @case, { id => $1, rule => $2, want => [], args => [], text => '' };
			undef $name;
		} elsif (/^\+\+\+ (\S+)$/) {
			$name = $1;
			$text{$name} = '';
		} elsif (defined $name) {
			$text{$name} .= $_;
		} elsif (/^=> (.*)$/ && @case) {
			push @{$case[-1]{want}}, $1;
		} elsif (/^!> (.*)$/ && @case) {
			$case[-1]{but} = $1;
		} elsif (/^> (.*)$/ && @case) {
			push @{$case[-1]{args}}, split ' ', $1;
		} elsif (/^<<(\S+)$/ && @case) {
			$case[-1]{text} .= $text{$1} // die "$file: no text $1";
		} elsif (@case) {
			$case[-1]{text} .= $_;
		}
	}
	chomp $title;
	return ($title =~ s/^# //r, @case);
}

# The files of a case below a folder, those in YAML with `head` in front; what vetro is given of them.
sub write_case {
	my ($case, $dir, $head) = @_;
	my ($main, %file) = split /^--- (\S+)\n/m, $case->{text};
	$file{'main.yaml'} = $main if $main ne '' || !%file;
	for my $name (keys %file) {
		my $text = $file{$name};
		$text = $head . $text if $text !~ s/^%raw\n// && $name =~ /\.yaml$/;
		make_path(dirname("$dir/$name"));
		spew("$dir/$name", $text);
	}
	return ($dir) if grep { /TOSCA\.meta$/ } keys %file or !exists $file{'main.yaml'};
	return ("$dir/main.yaml", map { "$dir/$_" } grep { /^inner/ } sort keys %file);
}

# What vetro told, as `CODE@LINE ...` in the order of the text.
sub told {
	my ($err) = @_;
	for my $kind (qw(error warning)) {
		my @told;
		while ($err =~ /^(\S+|--input \S+):(\d+):\d+: $kind\[(\w+)\]/mg) {
			my ($file, $line, $code) = (basename($1), $2, $3);
			my $at = $file eq 'main.yaml' ? "$code\@$line" : $1 =~ /^--input/ ? "$code\@--input" : "$code\@$file:$line";
			push @told, $at unless grep { $_ eq $at } @told;
		}
		return join ' ', @told if @told;
	}
	return 'ok';
}

# The value at a path like nodes.a.properties.p; the last step may be `keys`.
sub value_at {
	my ($value, $path) = @_;
	for my $step (split /\./, $path) {
		return [sort keys %$value] if $step eq 'keys' && ref $value eq 'HASH';
		$value = ref $value eq 'HASH' ? $value->{$step} : ref $value eq 'ARRAY' ? $value->[$step] : undef;
	}
	return $value;
}

my $n = 0;
sub run_case {
	my ($case, $head) = @_;
	my $dir = "$W/c" . ++$n;
	my $values = grep { / = / } @{$case->{want}};
	make_path($dir);
	my ($status, $out, $err) = vetro($values || @{$case->{args}} ? 'tosca' : 'check', write_case($case, $dir, $head // ''), @{$case->{args}});
	my $name = "$case->{id}: $case->{rule}";
	if (!$values) {
		my $got = told($err);
		ok($got eq "@{$case->{want}}" && $status == ($got =~ /^E/ ? 1 : 0), "$name: @{$case->{want}}", "got: $got, status $status", $err);
		return;
	}
	my $topology = $status == 0 ? decode_json($out) : {};
	my @got = map { my ($path) = /^(\S+) = /; "$path = " . $json->encode(value_at($topology, $path)) } @{$case->{want}};
	ok($status == 0 && "@got" eq "@{$case->{want}}", "$name: @{$case->{want}}", "got: @got, status $status", $err);
}

1;
