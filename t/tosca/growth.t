#!/usr/bin/perl
# Services that stand for many others need memory as they are many, and large files need an option.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

# ---- 800 services, each for one node: what the files need once is not needed for each of them
my $head = "tosca_definitions_version: tosca_2_0\n";
mkdir "$W/many";
spew("$W/many/types.yaml", $head . "node_types: { A: { properties: { v: { type: integer } } }, I: {} }\n");
my $main = $head . "imports: [ types.yaml ]\nservice_template:\n  node_templates:\n";
my @others;
for my $i (0 .. 799) {
	$main .= "    n$i: { type: A, directives: [ substitute ], properties: { v: $i } }\n";
	push @others, "$W/many/s$i.yaml";
	spew($others[-1], $head . <<"Y");
imports: [ types.yaml ]
service_template:
  inputs: { v: { type: integer } }
  substitution_mappings: { node_type: A, substitution_filter: { \$equal: [ { \$get_property: [ SELF, v ] }, $i ] } }
  node_templates: { i: { type: I } }
Y
}
spew("$W/many/main.yaml", $main);
my ($rc, $out, $err) = vetro('tosca', '--memory', 128, "$W/many/main.yaml", @others);
is("$rc$err", '0', '800 services in 128 MiB');
is(scalar(() = $out =~ /"substitution"/g), 800, 'each node has its service');

# ---- files that import each other, however many come after them
spew("$W/many/x.yaml", "tosca_definitions_version: tosca_simple_yaml_1_3\nimports: [ y.yaml ]\nnode_types: { X: { derived_from: Y } }\n");
spew("$W/many/y.yaml", "tosca_definitions_version: tosca_simple_yaml_1_3\nimports: [ x.yaml ]\nnode_types: { Y: { derived_from: tosca.nodes.Root } }\n");
spew("$W/many/z.yaml", "tosca_definitions_version: tosca_simple_yaml_1_3\nimports: [ x.yaml ]\ntopology_template: { node_templates: { n: { type: Y } } }\n");
($rc, $out, $err) = vetro('tosca', "$W/many/z.yaml", "$W/many/x.yaml", "$W/many/y.yaml");
is("$rc$err", '0', 'a loop before 2.0 is taken') or print "# $err\n";
spew("$W/many/$_->[0].yaml", $head . "imports: [ $_->[1].yaml ]\nservice_template: { node_templates: {} }\n") for [ 'p', 'q' ], [ 'q', 'p' ];
for my $files ([ 'p', 'q' ], [ 'q', 'p' ]) {
	($rc, $out, $err) = vetro('tosca', map { "$W/many/$_.yaml" } @$files);
	is("$rc " . (() = $err =~ /error\[E2011\]/g), '1 1', "a loop of 2.0 is told once: @$files");
}

# ---- large files
spew("$W/large.yaml", "tosca_definitions_version: tosca_simple_yaml_1_3\ndescription: " . 'x' x (2 << 20) . "\n");
for my $command ('check', 'tosca', 'build') {
	my @args = ($command, '--max-file', 1, $command eq 'build' ? ('-o', "$W/large") : (), "$W/large.yaml");
	($rc, $out, $err) = vetro(@args);
	like("$rc $err", qr/^1 .*E0102.*larger than 1 MiB.*--max-file sets the limit/s, "$command: the message names the option");
}
is((vetro('tosca', '--max-file', 3, "$W/large.yaml"))[0], 0, 'with it the file is read');
done();
