#!/usr/bin/perl
# Services that stand for many others need memory as they are many, and large files need an option.
use strict;
use warnings;
use FindBin;
use JSON::PP;
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

# ---- filters that ask for one value: who has it is found without asking everybody, and it is who would be found by asking
sub chosen { my ($rc, $out, $err) = vetro('tosca', @_);
	my $nodes = $rc ? {} : decode_json($out)->{nodes};
	print "# $err" if $rc;
	return $nodes }
my ($n, $seed) = (60, 1);
my $next = sub { $seed = ($seed * 1103515245 + 12345) % 2**31; return int($seed / 65536) % $_[0] };
my @plain = (map({ [ 'integer', $_ ] } 1 .. 5), map({ [ 'string', "\"$_\"" ] } 'a' .. 'e'));
my (%has, %want);
my $text = $head . "capability_types: { C: {} }\nrelationship_types: { R: {} }\nnode_types:\n"
	. "  S: { properties: { i: { type: integer, required: false }, s: { type: string, required: false }, n: { type: integer } }, capabilities: { c: C } }\n"
	. "  N: { requirements: [ r: { capability: C, relationship: R, node: S } ] }\nservice_template:\n  node_templates:\n";
for my $k (0 .. $n - 1) {
	my ($type, $value) = @{$plain[$next->(scalar @plain)]};
	my $n = $next->(3);
	$has{sprintf 's%02d', $k} = [ $type, $value, $n ];
	$text .= sprintf "    s%02d: { type: S, properties: { %s: %s, n: %d } }\n", $k, substr($type, 0, 1), $value, $n;
}
for my $k (0 .. $n - 1) {
	my ($type, $value) = @{$plain[$next->(scalar @plain)]};
	my ($least, $both) = ($next->(3), $next->(2));
	my $equal = "{ \$equal: [ { \$get_property: [ SELF, " . ($next->(2) ? 'TARGET, ' : '') . substr($type, 0, 1) . " ] }, $value ] }";
	my $filter = $both ? "{ \$and: [ $equal, { \$greater_or_equal: [ { \$get_property: [ SELF, n ] }, $least ] } ] }" : $equal;
	$text .= "    n$k: { type: N, requirements: [ r: { node_filter: $filter } ] }\n";
	my ($first) = grep { $has{$_}[0] eq $type && $has{$_}[1] eq $value && (!$both || $has{$_}[2] >= $least) } sort keys %has;
	$want{"n$k"} = $first // 'nobody';
}
spew("$W/many/keyed.yaml", $text);
my $nodes = chosen("$W/many/keyed.yaml");
my %got = map { ($_ => ($nodes->{$_}{relationships}[0] // {})->{target} // 'nobody') } keys %want;
is(join(' ', map { "$_=$got{$_}" } sort keys %got), join(' ', map { "$_=$want{$_}" } sort keys %want), 'each requirement gets the first that has the value');

# ---- filters that ask for a range, in both versions and together with others: who is found is who would be found by asking all
my %unit = (k => 1000, M => 1000000);
for my $old (0, 1) {
	my ($n, %of, %expected) = (150);
	my $get = sub { "{ \$get_property: [ SELF, $_[0] ] }" };
	my $text = $old ? "tosca_definitions_version: tosca_simple_yaml_1_3\ncapability_types: { C: { derived_from: tosca.capabilities.Root } }\n"
		. "relationship_types: { R: { derived_from: tosca.relationships.Root } }\nnode_types:\n"
		. "  S: { derived_from: tosca.nodes.Root,"
		. " properties: { i: { type: integer, required: false }, z: { type: scalar-unit.size, required: false } },"
		. " capabilities: { c: { type: C, occurrences: [ 0, 2 ] } } }\n"
		. "  N: { derived_from: tosca.nodes.Root, requirements: [ r: { capability: C, node: S, relationship: R } ] }\n"
		. "topology_template:\n  node_templates:\n"
		: $head . "data_types: { Z: { derived_from: scalar, units: { B: 1, kB: 1000, MB: 1000000 }, canonical_unit: B } }\n"
		. "capability_types: { C: {} }\nrelationship_types: { R: {} }\nnode_types:\n"
		. "  S: { properties: { i: { type: integer, required: false }, z: { type: Z, required: false } }, capabilities: { c: C } }\n"
		. "  N: { requirements: [ r: { capability: C, relationship: R, node: S } ] }\nservice_template:\n  node_templates:\n";
	for my $k (0 .. $n - 1) {
		my ($i, $z, $u) = ($next->(20), 1 + $next->(20), (qw(k M))[$next->(2)]);
		my $has = $next->(10) ? [ $i, $z * $unit{$u}, 0 ] : [ undef, undef, 0 ];
		$of{sprintf 's%03d', $k} = $has;
		$text .= sprintf "    s%03d: { type: S%s }\n", $k, defined $has->[0] ? ", properties: { i: $i, z: $z ${u}B }" : '';
	}
	for my $k (0 .. $n - 1) {
		my ($a, $b, $z, $which) = ($next->(20), $next->(20), 1 + $next->(20), $next->(5));
		($a, $b) = ($b, $a) if $a > $b;
		my @clause = $which == 0 ? ([ 'i', 'greater_than', $a, sub { $_[0] > $a } ]) : $which == 1 ? ([ 'i', 'less_or_equal', $b, sub { $_[0] <= $b } ])
			: $which == 2 ? ([ 'z', 'less_than', "$z kB", sub { $_[1] < 1000 * $z } ])
			: $which == 3 ? ([ 'i', 'greater_or_equal', $a, sub { $_[0] >= $a } ],
				[ 'z', 'greater_or_equal', "$z MB", sub { $_[1] >= 1000000 * $z } ])
			: ([ 'i', $old ? 'in_range' : 'greater_or_equal', $old ? "[ $a, $b ]" : $a, sub { $_[0] >= $a } ],
				[ 'i', 'less_or_equal', $b, sub { $_[0] <= $b } ]);
		my $filter = $old ? '{ properties: [ ' . join(', ', map { "$_->[0]: { $_->[1]: $_->[2] }" } @clause) . ' ] }'
			: @clause > 1 ? '{ $and: [ ' . join(', ', map { "{ \$$_->[1]: [ " . $get->($_->[0]) . ", $_->[2] ] }" } @clause) . ' ] }'
			: "{ \$$clause[0][1]: [ " . $get->($clause[0][0]) . ", $clause[0][2] ] }";
		$text .= sprintf "    n%03d: { type: N, requirements: [ r: { node_filter: $filter } ] }\n", $k;
		# what is unknown does not speak against a candidate of 1.x; a capability of 1.x takes two
		my $suits = sub { my ($has) = @_; return !grep { !defined $has->[0] || !$_->[3]->(@$has) } @clause };
		my ($first) = grep { $of{$_}[2] < ($old ? 2 : 1e9) && $suits->($of{$_}) } sort keys %of;
		$expected{sprintf 'n%03d', $k} = $first // 'nobody';
		$of{$first}[2]++ if defined $first;
	}
	spew("$W/many/ranged.yaml", $text);
	my ($rc, $out, $err) = vetro('tosca', "$W/many/ranged.yaml");
	my %unmet = map { ($_ => 1) } $err =~ /requirement 'r' of '(n\d+)'/g;
	my $alone = join '', grep { !/^    (n\d+):/ || !$unmet{$1} } split /^/, $text;
	spew("$W/many/ranged.yaml", $alone);
	my $found = chosen("$W/many/ranged.yaml");
	my %is = map { ($_ => $unmet{$_} ? 'nobody' : ($found->{$_}{relationships}[0] // {})->{target} // 'nobody') } keys %expected;
	is(join(' ', map { "$_=$is{$_}" } sort keys %is), join(' ', map { "$_=$expected{$_}" } sort keys %expected),
		'a range: each requirement gets the first in it, ' . ($old ? '1.3' : '2.0'));
}

# Steps are counted, and not time: a few for each filter, however many nodes there are.
for my $k (1, 3) {
	my $m = 2000 * $k;
	my $v = '{ $get_property: [ SELF, v ] }';
	my $large = $head . "capability_types: { C: {} }\nrelationship_types: { R: {} }\nnode_types:\n"
		. "  S: { properties: { v: { type: integer } }, capabilities: { c: C } }\n"
		. "  N: { requirements: [ r: { capability: C, relationship: R, node: S } ] }\nservice_template:\n  node_templates:\n";
	for (0 .. $m - 1) {
		my ($low, $high) = ($_ * 7919 % $m, $_ * 7919 % $m + 3);
		$large .= "    s$_: { type: S, properties: { v: $_ } }\n    n$_: { type: N, requirements: [ r: { node_filter: "
			. "{ \$and: [ { \$greater_or_equal: [ $v, $low ] }, { \$less_than: [ $v, $high ] } ] } } ] }\n";
	}
	spew("$W/many/large.yaml", $large);
	my ($rc, $out, $err) = vetro('tosca', '--max-steps', 20 * $m, "$W/many/large.yaml");
	is("$rc$err", '0', "$m filters by a range over $m nodes take steps as they are many");
}

# A value that is computed, one that is unknown and one of another kind are asked as before.
spew("$W/many/odd.yaml", $head . <<'Y');
capability_types: { C: {} }
relationship_types: { R: {} }
node_types:
  S: { properties: { v: { type: integer } }, capabilities: { c: C } }
  F: { derived_from: S }
  N: { properties: { want: { type: integer } }, requirements: [ r: { capability: C, relationship: R, node: S } ] }
service_template:
  inputs: { two: { type: integer, default: 2 } }
  node_templates:
    a: { type: S, properties: { v: { $sum: [ 1, 0 ] } } }
    b: { type: F, properties: { v: { $get_input: two } } }
    x: { type: N, properties: { want: 9 }, requirements: [ r: { node_filter: { $equal: [ 2, { $get_property: [ SELF, v ] } ] } } ] }
    y:
      type: N
      properties: { want: 1 }
      requirements:
      - r: { node_filter: { $equal: [ { $get_property: [ SELF, TARGET, v ] }, { $get_property: [ SELF, SOURCE, want ] } ] } }
    z: { type: N, properties: { want: 2 }, requirements: [ r: { node_filter: { $equal: [ { $get_property: [ SELF, SOURCE, want ] }, 2 ] } } ] }
    zz: { type: N, properties: { want: 3 }, requirements: [ r: { node_filter: { $equal: [ { $get_property: [ SELF, SOURCE, want ] }, 2 ] } } ] }
Y
$nodes = chosen("$W/many/odd.yaml");
is(join(' ', map { "$_=" . (($nodes->{$_}{relationships}[0] // {})->{target} // 'nobody') } 'x', 'y', 'z', 'zz'),
	'x=b y=a z=a zz=nobody', 'the value at either side, and of either node');

# Of services the first that may comes, whatever its filter looks like.
spew("$W/many/f$_->[0].yaml", $head . "imports: [ types.yaml ]\nservice_template:\n  inputs: { v: { type: integer } }\n"
	. "  substitution_mappings: { node_type: A, substitution_filter: $_->[1] }\n  node_templates: { in$_->[0]: { type: I } }\n")
	for [ 1, '{ $equal: [ { $get_property: [ SELF, v ] }, 5 ] }' ], [ 2, '{ $greater_than: [ { $get_property: [ SELF, v ] }, 3 ] }' ],
	[ 3, '{ $equal: [ { $get_property: [ SELF, v ] }, 4 ] }' ], [ 4, '{ $equal: [ 3, { $get_property: [ SELF, v ] } ] }' ],
	[ 5, '{ $equal: [ { $get_property: [ SELF, v ] }, 3 ] }' ];
spew("$W/many/five.yaml", $head . "imports: [ types.yaml ]\nservice_template:\n  node_templates:\n"
	. join('', map { "    n$_: { type: A, directives: [ substitute ], properties: { v: $_ } }\n" } 2 .. 5));
$nodes = chosen("$W/many/five.yaml", map { "$W/many/f$_.yaml" } 1 .. 5);
is(join(' ', map { my $in = $nodes->{"n$_"}{substitution}; "n$_=" . (ref $in ? join(',', sort keys %{$in->{nodes}}) : 'none') } 2 .. 5),
	'n2=none n3=in4 n4=in2 n5=in1', 'the first service whose filter is true');

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
