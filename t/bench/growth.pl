#!/usr/bin/perl
# How services grow: processor time and memory of `vetro tosca` over made services, each kind at three sizes.
# Prints the rows of the table in docs/performance.md.
# usage: growth.pl VETRO [KIND...]   a KIND is a part of a row's name
use strict;
use warnings;
use File::Temp qw(tempdir);

my ($vetro, @only) = @ARGV;
die "usage: growth.pl VETRO [KIND...]\n" unless $vetro;
my $dir = tempdir(CLEANUP => 1);
my $head = "tosca_definitions_version: tosca_2_0\n";
my $plain = $head . "capability_types: { C: {} }\nrelationship_types: { R: {} }\nnode_types:\n"
	. "  N: { properties: { v: { type: integer, default: 0 } }, capabilities: { c: C },"
	. " requirements: [ r: { capability: C, relationship: R, node: N, count_range: [ 0, UNBOUNDED ] } ] }\n";

sub spew { my ($name, $text) = @_; open my $f, '>', "$dir/$name" or die "$dir/$name: $!\n"; print $f $text; close $f or die $!; return "$dir/$name" }

sub star { my ($n) = @_;
	return spew('star.yaml', $plain . "service_template:\n  node_templates:\n    hub: { type: N }\n"
		. join('', map { "    n$_: { type: N, requirements: [ r: hub ] }\n" } 2 .. $n)) }

sub chain { my ($n) = @_;
	return spew('chain.yaml', $plain . "service_template:\n  node_templates:\n    n1: { type: N }\n"
		. join('', map { "    n$_: { type: N, requirements: [ r: n" . ($_ - 1) . " ] }\n" } 2 .. $n)) }

# $filter: of the service for node $_[0]
sub services { my ($n, $filter) = @_;
	spew('types.yaml', $head . "node_types: { A: { properties: { v: { type: integer } } }, I: {} }\n");
	my $text = $head . "imports: [ types.yaml ]\nservice_template:\n  node_templates:\n";
	my @files;
	for my $i (1 .. $n) {
		$text .= "    n$i: { type: " . ($filter ? 'A' : "A$i") . ", directives: [ substitute ], properties: { v: $i } }\n";
		push @files, spew("s$i.yaml", $head . "imports: [ types" . ($filter ? '' : $i) . ".yaml ]\nservice_template:\n"
			. "  inputs: { v: { type: integer } }\n  substitution_mappings: { node_type: " . ($filter ? "A, " . $filter->($i) : "A$i") . " }\n"
			. "  node_templates: { i: { type: I } }\n");
		next if $filter;
		spew("types$i.yaml", $head . "imports: [ types.yaml ]\nnode_types: { A$i: { derived_from: A } }\n");
	}
	$text =~ s/imports: \[ types.yaml \]/'imports: [ ' . join(', ', map { "types$_.yaml" } 1 .. $n) . ' ]'/e unless $filter;
	return (spew('main.yaml', $text), @files) }

sub one_for_many { my ($n) = @_;
	spew('types.yaml', $head . "node_types: { A: { properties: { v: { type: integer } } }, I: {} }\n");
	return (spew('main.yaml', $head . "imports: [ types.yaml ]\nservice_template:\n  node_templates:\n"
		. join('', map { "    n$_: { type: A, directives: [ substitute ], properties: { v: $_ } }\n" } 1 .. $n)),
		spew('s.yaml', $head . "imports: [ types.yaml ]\nservice_template:\n  inputs: { v: { type: integer } }\n"
			. "  substitution_mappings: { node_type: A }\n  node_templates: { i: { type: I } }\n")) }

sub calls { my ($n) = @_;
	return spew('calls.yaml', $head . "node_types: { N: {} }\nservice_template:\n  node_templates: { n: { type: N } }\n  inputs: { a: { type: string, default: x } }\n  outputs:\n    o:\n      value:\n"
		. "        \$concat:\n" . "        - { \$get_input: a }\n" x $n) }

sub filters { my ($n, $filter) = @_;
	return spew('filters.yaml', $head . "capability_types: { C: {} }\nrelationship_types: { R: {} }\nnode_types:\n"
		. "  S: { properties: { v: { type: integer } }, capabilities: { c: C } }\n"
		. "  N: { requirements: [ r: { capability: C, relationship: R, node: S } ] }\nservice_template:\n  node_templates:\n"
		. join('', map { "    s$_: { type: S, properties: { v: $_ } }\n    n$_: { type: N, requirements: [ r: { node_filter: "
			. $filter->($_) . " } ] }\n" } 1 .. $n)) }

sub equal { "{ \$equal: [ { \$get_property: [ SELF, v ] }, $_[0] ] }" }
sub range { "{ \$and: [ { \$greater_or_equal: [ { \$get_property: [ SELF, v ] }, $_[0] ] }, { \$less_than: [ { \$get_property: [ SELF, v ] }, "
	. ($_[0] + 1) . " ] } ] }" }

sub archive { my ($n) = @_;
	my $at = "archive$n";
	mkdir "$dir/$_" for $at, "$at/scripts", "$at/types";
	spew("$at/TOSCA.meta", "CSAR-Version: 2.0\nCreated-By: growth\nEntry-Definitions: main.yaml\n");
	my $text = $head . "imports: [ " . join(', ', map { "types/t$_.yaml" } 1 .. $n / 10) . " ]\nservice_template:\n  node_templates:\n";
	for my $i (1 .. $n) {
		my $k = int(($i - 1) / 10) + 1;
		spew("$at/types/t$k.yaml", $head . "interface_types: { F$k: { operations: { go: {} } } }\nnode_types: { T$k: { interfaces: { f: { type: F$k } } } }\n")
			if $i % 10 == 1;
		spew("$at/scripts/s$i.sh", "#!/bin/sh\necho $i\n");
		$text .= "    n$i: { type: T$k, interfaces: { f: { operations: { go: scripts/s$i.sh } } } }\n";
	}
	spew("$at/main.yaml", $text);
	system("cd $dir/$at && zip -qr ../$at.csar .") == 0 or die "zip failed\n";
	return "$dir/$at.csar" }

my @rows = (
	['star of %s nodes', \&star, 2500, 5000, 10000],
	['chain of %s nodes', \&chain, 2500, 5000, 10000],
	['%s services that each substitute one node, by its type', \&services, 100, 200, 400],
	['%s nodes that one service substitutes', \&one_for_many, 1000, 2000, 4000],
	['a value of %s calls', \&calls, 5000, 10000, 20000],
	['%s services that each substitute one node, by a filter', sub { services($_[0], sub { 'substitution_filter: ' . equal($_[0]) }) }, 800, 1600, 3200],
	['%s requirements, each with another `$equal` over as many nodes', sub { filters($_[0], \&equal) }, 800, 1600, 3200],
	['%s requirements, each with another range over as many nodes', sub { filters($_[0], \&range) }, 1600, 3200, 10000],
	['a CSAR with %s scripts, and a tenth as many files of types', \&archive, 250, 500, 1000],
);

# Processor time and the peak of memory: the median of three runs.
sub measure { my (@files) = @_;
	my @runs;
	for (1 .. 3) {
		my $line = qx{/usr/bin/time -f '%U %S %M' -o $dir/time '$vetro' tosca @files >$dir/out 2>$dir/err; echo \$?};
		die "growth: status $line", qx{head -5 $dir/err} unless $line == 0;
		open my $f, '<', "$dir/time" or die $!;
		my ($user, $system, $kb) = split ' ', <$f>;
		push @runs, [ $user + $system, $kb / 1000 ];
	}
	return @{ (sort { $a->[0] <=> $b->[0] } @runs)[1] } }

sub thousands { my $n = reverse $_[0]; $n =~ s/(\d{3})(?=\d)/$1,/g; return scalar reverse $n }

print "| service | small | middle | large |\n|---|---|---|---|\n";
for (@rows) {
	my ($name, $make, @sizes) = @$_;
	next if @only && !grep { index($name, $_) >= 0 } @only;
	my @cells = map { sprintf '%.2f s, %.0f MB', measure($make->($_)) } @sizes;
	printf "| %s | %s |\n", sprintf($name, join ', ', map { thousands($_) } @sizes), join ' | ', @cells;
}
