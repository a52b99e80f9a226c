#!/usr/bin/perl
# The rules of TOSCA one by one: what a file must not say, and what it may. Each case is a short file and the codes of
# all problems that `vetro check` tells about it, `ok` for none: each rule is reported once, and nothing besides.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

spew("$W/$_.sh", "") for qw(create a b); # what operations name
use Tosca;


# === VERSION NAME: CODES, and the file.
my $n = 0;
for (cases(\*DATA, qr/[\w ]+/)) {
	my ($v, $name, $want, $body) = @$_;
	my $file = "$W/r" . ++$n . '.yaml';
	spew($file, head_of($v) . $body);
	my ($status, $out, $err) = vetro('check', $file);
	ok(codes($err) eq $want && $status == ($want =~ /^E/ ? 1 : 0), "$v: $name: $want", 'got: ' . codes($err) . ", status $status", $err);
}

# A message has its place: the caret is under the word that is wrong.
sub place {
	my ($name, $place, $body) = @_;
	my $file = "$W/p" . ++$n . '.yaml';
	spew($file, $body);
	my ($status, $out, $err) = vetro('check', $file);
	my ($got) = $err =~ /^\S+?:(\d+:\d+): error/m;
	return is($got, $place, "place: $name");
}
place('an operand of a constraint', '2:68', <<'E2');
tosca_definitions_version: tosca_simple_yaml_1_3
data_types: { D: { derived_from: integer, constraints: [ in_range: [ 1 ] ] } }
E2
place('a status', '2:61', <<'E2');
tosca_definitions_version: tosca_2_0
node_types: { A: { properties: { p: { type: string, status: bad } } } }
E2
place('an entry schema', '2:53', <<'E2');
tosca_definitions_version: tosca_2_0
node_types: { A: { properties: { p: { type: string, entry_schema: string } } } }
E2
place('a named import', '2:12', <<'E2');
tosca_definitions_version: tosca_simple_yaml_1_3
imports: [ types: { namespace_prefix: t } ]
E2

# Named imports of 1.x, by file and by map.
spew("$W/lib/a.yaml", "tosca_definitions_version: tosca_simple_yaml_1_0\nnode_types: { A: { derived_from: tosca.nodes.Root } }\n");
spew("$W/lib/b.yaml", "tosca_definitions_version: tosca_simple_yaml_1_0\nnode_types: { B: { derived_from: tosca.nodes.Root } }\n");
spew("$W/lib/main.yaml", <<'E2');
tosca_definitions_version: http://docs.oasis-open.org/tosca/ns/simple/yaml/1.0
imports:
  - first: a.yaml
  - second: { file: b.yaml, namespace_prefix: s }
topology_template:
  node_templates:
    a: { type: A }
    b: { type: s:B }
E2
my ($status, $out, $err) = vetro('check', "$W/lib/main.yaml");
is($err, '', 'named imports, and the version by its URI');

# A profile whose folder does not say its version.
spew("$W/tree/org/example/base/profile.yaml", "tosca_definitions_version: tosca_2_0\nprofile: org.example.base:0.1\nnode_types: { N: {} }\n");
for my $v ('0.1', '0.2') {
	spew("$W/tree/apps/s$v.yaml", <<"Y");
tosca_definitions_version: tosca_2_0
imports: [ { profile: 'org.example.base:$v' } ]
service_template: { node_templates: { n: { type: N } } }
Y
	($status, $out, $err) = vetro('check', "$W/tree/apps/s$v.yaml");
	is(codes($err), $v eq '0.1' ? 'ok' : 'E2013', "profile org.example.base:$v in org/example/base");
}
done();
__DATA__
# ---- types, declarations, values
=== 2.0 node types as list: E2004
node_types: [ A ]
=== 2.0 node type as string: E2004
node_types: { A: text }
=== 2.0 empty node type: ok
node_types: { A: {} }
=== 2.0 unknown keyname of a node type: E2002
node_types: { A: { propertys: {} } }
=== 2.0 unknown section: E2002
node_typos: {}
=== 2.0 topology_template: E2002
topology_template: {}
=== 1.3 service_template: E2002
service_template: { node_templates: {} }
=== 1.3 null types: ok
node_types: { A: , B: { derived_from: A } }
capability_types: { C: }
=== 2.0 null type: E2004
node_types: { A: }
=== 2.0 derived_from itself: E2030
node_types: { A: { derived_from: A } }
=== 2.0 derivation loop: E2030
data_types: { A: { derived_from: B }, B: { derived_from: A } }
=== 2.0 derived_from list: E2004
node_types: { A: { derived_from: [ B ] } }
=== 2.0 type version malformed: E2005
node_types: { A: { version: 1.a } }
=== 2.0 type version good: ok
node_types: { A: { version: 1.2.3.beta-4 } }
=== 2.0 property without type: E2003
node_types: { A: { properties: { p: { description: d } } } }
=== 2.0 property required string: E2004
node_types: { A: { properties: { p: { type: string, required: "yes" } } } }
=== 2.0 property status bad: E2005
node_types: { A: { properties: { p: { type: string, status: bad } } } }
=== 2.0 property status good: ok
node_types: { A: { properties: { p: { type: string, status: deprecated } } } }
=== 1.3 property status bad: E2005
node_types: { A: { properties: { p: { type: string, status: bad } } } }
=== 2.0 property unknown type: E2020
node_types: { A: { properties: { p: { type: strin } } } }
=== 2.0 property default wrong: E2040
node_types: { A: { properties: { p: { type: integer, default: x } } } }
=== 2.0 property default violates: E2041
node_types: { A: { properties: { p: { type: integer, default: 0, validation: { $greater_than: [ $value, 0 ] } } } } }
=== 2.0 default and value: E2007
node_types: { A: { properties: { p: { type: integer, default: 0, value: 1 } } } }
=== 2.0 value wrong type: E2040
node_types: { A: { properties: { p: { type: integer, value: a } } } }
=== 2.0 refine narrower type: ok
data_types: { D: { derived_from: integer } }
node_types:
  A: { properties: { p: { type: integer } } }
  B: { derived_from: A, properties: { p: { type: D } } }
=== 2.0 refine wider type: E2031
data_types: { D: { derived_from: integer } }
node_types:
  A: { properties: { p: { type: D } } }
  B: { derived_from: A, properties: { p: { type: integer } } }
=== 2.0 refine other type: E2031
node_types:
  A: { properties: { p: { type: string } } }
  B: { derived_from: A, properties: { p: { type: integer } } }
=== 2.0 refine required to optional: E2031
node_types:
  A: { properties: { p: { type: string } } }
  B: { derived_from: A, properties: { p: { required: false } } }
=== 2.0 refine optional to required: ok
node_types:
  A: { properties: { p: { type: string, required: false } } }
  B: { derived_from: A, properties: { p: { required: true } } }
=== 2.0 refine fixed value: E2031
node_types:
  A: { properties: { p: { type: string, value: a } } }
  B: { derived_from: A, properties: { p: { value: b } } }
=== 2.0 refine fixed with default: E2031
node_types:
  A: { properties: { p: { type: string, value: a } } }
  B: { derived_from: A, properties: { p: { default: b } } }
=== 2.0 refined validation and old one hold: E2041
node_types:
  A: { properties: { p: { type: integer, validation: { $greater_than: [ $value, 0 ] } } } }
  B: { derived_from: A, properties: { p: { validation: { $less_than: [ $value, 9 ] } } } }
service_template:
  node_templates: { b: { type: B, properties: { p: 0 } } }
=== 2.0 refined default violates the parent's validation: E2041
node_types:
  A: { properties: { p: { type: integer, validation: { $greater_than: [ $value, 0 ] } } } }
  B: { derived_from: A, properties: { p: { default: 0 } } }
=== 2.0 refined entry schema other: E2031
node_types:
  A: { properties: { p: { type: list, entry_schema: string } } }
  B: { derived_from: A, properties: { p: { type: list, entry_schema: integer } } }
=== 2.0 attribute refine other: E2031
node_types:
  A: { attributes: { p: { type: string } } }
  B: { derived_from: A, attributes: { p: { type: integer } } }
=== 2.0 attribute default ok: ok
node_types: { A: { attributes: { p: { type: string, default: a } } } }
=== 2.0 attribute required: E2002
node_types: { A: { attributes: { p: { type: string, required: true } } } }
=== 2.0 entry schema of a string: E2032
node_types: { A: { properties: { p: { type: string, entry_schema: string } } } }
=== 2.0 key schema of list: E2032
node_types: { A: { properties: { p: { type: list, key_schema: string, entry_schema: string } } } }
=== 2.0 key schema integer: E2032
node_types: { A: { properties: { p: { type: map, key_schema: integer, entry_schema: string } } } }
=== 2.0 entry schema unknown type: E2020
node_types: { A: { properties: { p: { type: list, entry_schema: nope } } } }
=== 2.0 entry schema list: E2004
node_types: { A: { properties: { p: { type: list, entry_schema: [ string ] } } } }
=== 2.0 entry validation: E2041
node_types: { A: { properties: { p: { type: list, entry_schema: { type: integer, validation: { $less_than: [ $value, 5 ] } } } } } }
service_template: { node_templates: { a: { type: A, properties: { p: [ 1, 7 ] } } } }
=== 2.0 key validation: E2041
node_types: { A: { properties: { p: { type: map, key_schema: { type: string, validation: { $valid_values: [ $value, [ a, b ] ] } },
	entry_schema: integer } } } }
service_template: { node_templates: { a: { type: A, properties: { p: { c: 1 } } } } }
=== 2.0 map for list: E2040
node_types: { A: { properties: { p: { type: list, entry_schema: integer } } } }
service_template: { node_templates: { a: { type: A, properties: { p: { a: 1 } } } } }
=== 2.0 list for map: E2040
node_types: { A: { properties: { p: { type: map, entry_schema: integer } } } }
service_template: { node_templates: { a: { type: A, properties: { p: [ 1 ] } } } }
=== 2.0 empty list and map: ok
node_types: { A: { properties: { p: { type: map, entry_schema: integer }, q: { type: list, entry_schema: string } } } }
service_template: { node_templates: { a: { type: A, properties: { p: {}, q: [] } } } }
=== 2.0 null for integer: E2040
node_types: { A: { properties: { p: { type: integer } } } }
service_template: { node_templates: { a: { type: A, properties: { p: null } } } }
=== 2.0 missing required: E2051
node_types: { A: { properties: { p: { type: integer } } } }
service_template: { node_templates: { a: { type: A } } }
=== 2.0 undeclared property: E2050
node_types: { A: { properties: { p: { type: integer } } } }
service_template: { node_templates: { a: { type: A, properties: { p: 1, q: 1 } } } }
=== 2.0 properties as list: E2004
node_types: { A: { properties: { p: { type: integer } } } }
service_template: { node_templates: { a: { type: A, properties: [ p: 1 ] } } }
=== 2.0 node template without type: E2003
service_template: { node_templates: { a: { description: x } } }
=== 2.0 node template null: E2004
service_template: { node_templates: { a: } }
=== 2.0 node template unknown type: E2020
service_template: { node_templates: { a: { type: A } } }
=== 2.0 node template unknown keyname: E2002
node_types: { A: {} }
service_template: { node_templates: { a: { type: A, capabilites: {} } } }
=== 2.0 service template without node templates: E2003
service_template: { description: nothing }
=== 2.0 service template of no node templates: ok
service_template: { node_templates: {}, description: nothing }
=== 2.0 service template null: E2004
service_template:
=== 2.0 inputs list: E2004
service_template: { inputs: [ a ], node_templates: {} }
=== 2.0 input without type: E2003
service_template: { node_templates: {}, inputs: { a: { description: d } } }
=== 2.0 input default wrong: E2040
service_template: { node_templates: {}, inputs: { a: { type: integer, default: x } } }
=== 2.0 input refers itself: E2072
service_template: { node_templates: {}, inputs: { a: { type: integer, default: { $get_input: a } } } }
=== 2.0 output undeclared input: E2070
service_template: { node_templates: {}, outputs: { a: { value: { $get_input: nope } } } }
=== 2.0 output value wrong type: E2040
service_template: { node_templates: {}, outputs: { a: { type: integer, value: x } } }
=== 2.0 output list: E2004
service_template: { node_templates: {}, outputs: [ a ] }
=== 2.0 get_input with path: ok
data_types: { D: { properties: { x: { type: string } } } }
service_template:
  node_templates: {}
  inputs: { a: { type: D, default: { x: y } } }
  outputs: { o: { type: string, value: { $get_input: [ a, x ] } } }
=== 2.0 get_input path into nothing: E2070
data_types: { D: { properties: { x: { type: string } } } }
service_template:
  node_templates: {}
  inputs: { a: { type: D } }
  outputs: { o: { type: string, value: { $get_input: [ a, z ] } } }
=== 2.0 get_input path into an integer: E2070
service_template:
  node_templates: {}
  inputs: { a: { type: integer } }
  outputs: { o: { value: { $get_input: [ a, a ] } } }
=== 1.3 get_attribute index into a string: E2070
topology_template:
  node_templates: { c: { type: tosca.nodes.Compute } }
  outputs: { o: { value: { get_attribute: [ c, private_address, 0 ] } } }
=== 1.3 get_attribute inside a map of complex: ok
topology_template:
  node_templates: { c: { type: tosca.nodes.Compute } }
  outputs: { o: { value: { get_attribute: [ c, networks, private, addresses, 0 ] } } }
=== 1.3 get_attribute of no property inside: E2070
topology_template:
  node_templates: { c: { type: tosca.nodes.Compute } }
  outputs: { o: { value: { get_attribute: [ c, networks, private, adresses, 0 ] } } }
=== 2.0 unknown function: E2071
service_template: { node_templates: {}, outputs: { o: { value: { $nope: [] } } } }
=== 2.0 escaped function: ok
service_template: { node_templates: {}, outputs: { o: { value: { $$nope: [] } } } }
=== 2.0 dollar in a multi-key map: E2005
service_template: { node_templates: {}, outputs: { o: { value: { $nope: [], b: 1 } } } }
# ---- requirements, capabilities, relationships, filters, constraints
=== 2.0 requirements as map: E2004
node_types: { A: { requirements: { r: { capability: C } } } }
capability_types: { C: {} }
=== 2.0 requirement without capability: E2003
node_types: { A: { requirements: [ r: { node: A } ] } }
=== 2.0 requirement definition twice: E2009
capability_types: { C: {} }
node_types: { A: { requirements: [ r: C, r: C ] } }
=== 2.0 requirement unknown capability type: E2020
node_types: { A: { requirements: [ r: C ] } }
=== 2.0 requirement unknown node type: E2020
capability_types: { C: {} }
node_types: { A: { requirements: [ r: { capability: C, node: X } ] } }
=== 2.0 requirement unknown relationship type: E2020
capability_types: { C: {} }
node_types: { A: { requirements: [ r: { capability: C, relationship: X } ] } }
=== 2.0 count_range of one: E2005
capability_types: { C: {} }
node_types: { A: { requirements: [ r: { capability: C, count_range: [ 1 ] } ] } }
=== 2.0 count_range backwards: E2005
capability_types: { C: {} }
node_types: { A: { requirements: [ r: { capability: C, count_range: [ 2, 1 ] } ] } }
=== 2.0 count_range negative: E2005
capability_types: { C: {} }
node_types: { A: { requirements: [ r: { capability: C, count_range: [ -1, 1 ] } ] } }
=== 2.0 count_range unbounded below: E2005
capability_types: { C: {} }
node_types: { A: { requirements: [ r: { capability: C, count_range: [ UNBOUNDED, UNBOUNDED ] } ] } }
=== 2.0 count_range number: E2005
capability_types: { C: {} }
node_types: { A: { requirements: [ r: { capability: C, count_range: 1 } ] } }
=== 2.0 occurrences: E2002
capability_types: { C: {} }
node_types: { A: { requirements: [ r: { capability: C, occurrences: [ 1, 1 ] } ] } }
=== 2.0 refine count_range wider: E2031
capability_types: { C: {} }
node_types:
  A: { requirements: [ r: { capability: C, count_range: [ 1, 2 ] } ] }
  B: { derived_from: A, requirements: [ r: { capability: C, count_range: [ 0, 2 ] } ] }
=== 2.0 refine count_range narrower: ok
capability_types: { C: {} }
node_types:
  A: { requirements: [ r: { capability: C, count_range: [ 1, 4 ] } ] }
  B: { derived_from: A, requirements: [ r: { count_range: [ 2, 2 ] } ] }
=== 2.0 refine capability of requirement other: E2031
capability_types: { C: {}, D: {} }
node_types:
  A: { requirements: [ r: C ] }
  B: { derived_from: A, requirements: [ r: D ] }
=== 2.0 refine node of requirement other: E2031
capability_types: { C: {} }
node_types:
  X: {}
  Y: {}
  A: { requirements: [ r: { capability: C, node: X } ] }
  B: { derived_from: A, requirements: [ r: { node: Y } ] }
=== 2.0 refine relationship of requirement other: E2031
capability_types: { C: {} }
relationship_types: { R: {}, S: {} }
node_types:
  A: { requirements: [ r: { capability: C, relationship: R } ] }
  B: { derived_from: A, requirements: [ r: { relationship: S } ] }
=== 2.0 refine capability other: E2031
capability_types: { C: {}, D: {} }
node_types:
  A: { capabilities: { c: C } }
  B: { derived_from: A, capabilities: { c: D } }
=== 2.0 capability without type: E2003
node_types: { A: { capabilities: { c: { description: d } } } }
=== 2.0 capability unknown type: E2020
node_types: { A: { capabilities: { c: C } } }
=== 2.0 capability list: E2004
node_types: { A: { capabilities: [ c: C ] } }
=== 2.0 refine valid_source_node_types wider: E2031
capability_types:
  C: { valid_source_node_types: [ A ] }
  D: { derived_from: C, valid_source_node_types: [ B ] }
node_types: { A: {}, B: {} }
=== 2.0 refine valid_capability_types wider: E2031
capability_types: { C: {}, D: {} }
relationship_types:
  R: { valid_capability_types: [ C ] }
  S: { derived_from: R, valid_capability_types: [ D ] }
=== 2.0 valid_target_types: E2002
relationship_types: { R: { valid_target_types: [] } }
=== 2.0 unknown valid_capability_types: E2020
relationship_types: { R: { valid_capability_types: [ C ] } }
=== 2.0 unknown valid_target_node_types: E2020
relationship_types: { R: { valid_target_node_types: [ C ] } }
=== 2.0 undeclared requirement: E2050
node_types: { A: {} }
service_template: { node_templates: { a: { type: A, requirements: [ r: a ] } } }
=== 2.0 requirements of a template as map: E2004
capability_types: { C: {} }
node_types: { A: { capabilities: { c: C }, requirements: [ r: C ] } }
service_template: { node_templates: { a: { type: A, requirements: { r: a } } } }
=== 2.0 item with two keys: E2006
capability_types: { C: {} }
node_types: { A: { capabilities: { c: C }, requirements: [ r: C, s: C ] } }
service_template: { node_templates: { a: { type: A, requirements: [ { r: a, s: a } ] } } }
=== 2.0 requirement unknown node template: E2020
capability_types: { C: {} }
node_types: { A: { capabilities: { c: C }, requirements: [ r: C ] } }
service_template: { node_templates: { a: { type: A, requirements: [ r: nope ] } } }
=== 2.0 requirement target without the capability: E2060
capability_types: { C: {} }
node_types: { A: { requirements: [ r: C ] }, B: {} }
service_template: { node_templates: { a: { type: A, requirements: [ r: b ] }, b: { type: B } } }
=== 2.0 too many requirements: E2053
capability_types: { C: {} }
node_types: { A: { capabilities: { c: C }, requirements: [ r: { capability: C, count_range: [ 0, 1 ] } ] } }
service_template: { node_templates: { a: { type: A, requirements: [ r: a, r: a ] } } }
=== 2.0 requirement count too many: E2053
capability_types: { C: {} }
node_types: { A: { capabilities: { c: C }, requirements: [ r: { capability: C, count_range: [ 0, 1 ] } ] } }
service_template: { node_templates: { a: { type: A, requirements: [ r: { node: a, count: 2 } ] } } }
=== 2.0 requirement count negative: E2040
capability_types: { C: {} }
node_types: { A: { capabilities: { c: C }, requirements: [ r: { capability: C } ] } }
service_template: { node_templates: { a: { type: A, requirements: [ r: { node: a, count: -1 } ] } } }
=== 2.0 requirement directive unknown: E2005
capability_types: { C: {} }
node_types: { A: { capabilities: { c: C }, requirements: [ r: { capability: C } ] } }
service_template: { node_templates: { a: { type: A, requirements: [ r: { node: a, directives: [ nope ] } ] } } }
=== 2.0 optional no boolean: E2040
capability_types: { C: {} }
node_types: { A: { capabilities: { c: C }, requirements: [ r: { capability: C } ] } }
service_template: { node_templates: { a: { type: A, requirements: [ r: { node: a, optional: maybe } ] } } }
=== 2.0 count negative: E2040
node_types: { A: {} }
service_template: { node_templates: { a: { type: A, count: -2 } } }
=== 2.0 count text: E2040
node_types: { A: {} }
service_template: { node_templates: { a: { type: A, count: two } } }
=== 2.0 count zero: ok
node_types: { A: {} }
service_template: { node_templates: { a: { type: A, count: 0 } } }
=== 2.0 count of an input: ok
node_types: { A: {} }
service_template:
  inputs: { n: { type: integer, default: 2 } }
  node_templates: { a: { type: A, count: { $get_input: n } } }
=== 2.0 relationship unknown: E2020
capability_types: { C: {} }
node_types: { A: { capabilities: { c: C }, requirements: [ r: { capability: C } ] } }
service_template: { node_templates: { a: { type: A, requirements: [ r: { node: a, relationship: nope } ] } } }
=== 2.0 relationship property undeclared: E2050
capability_types: { C: {} }
relationship_types: { R: {} }
node_types: { A: { capabilities: { c: C }, requirements: [ r: { capability: C, relationship: R } ] } }
service_template: { node_templates: { a: { type: A, requirements: [ r: { node: a, relationship: { properties: { p: 1 } } } ] } } }
=== 2.0 relationship property missing: E2051
capability_types: { C: {} }
relationship_types: { R: { properties: { p: { type: string } } } }
node_types: { A: { capabilities: { c: C }, requirements: [ r: { capability: C, relationship: R } ] } }
service_template: { node_templates: { a: { type: A, requirements: [ r: a ] } } }
=== 2.0 relationship of the wrong type: E2022
capability_types: { C: {} }
relationship_types: { R: {}, S: {} }
node_types: { A: { capabilities: { c: C }, requirements: [ r: { capability: C, relationship: R } ] } }
service_template: { node_templates: { a: { type: A, requirements: [ r: { node: a, relationship: { type: S } } ] } } }
=== 2.0 relationship template: ok
capability_types: { C: {} }
relationship_types: { R: { properties: { p: { type: string } } } }
node_types: { A: { capabilities: { c: C }, requirements: [ r: { capability: C, relationship: R } ] } }
service_template:
  node_templates: { a: { type: A, requirements: [ r: { node: a, relationship: t } ] } }
  relationship_templates: { t: { type: R, properties: { p: x } } }
=== 2.0 relationship template missing property: E2051
relationship_types: { R: { properties: { p: { type: string } } } }
service_template: { node_templates: {}, relationship_templates: { t: { type: R } } }
=== 2.0 relationship template without type: E2003
service_template: { node_templates: {}, relationship_templates: { t: { properties: {} } } }
=== 2.0 relationship template unknown type: E2020
service_template: { node_templates: {}, relationship_templates: { t: { type: R } } }
=== 2.0 relationship templates list: E2004
service_template: { node_templates: {}, relationship_templates: [ t ] }
=== 2.0 node template copy: ok
node_types: { A: { properties: { p: { type: string } } } }
service_template: { node_templates: { a: { type: A, properties: { p: x } }, b: { copy: a } } }
=== 2.0 copy of nothing: E2020
node_types: { A: {} }
service_template: { node_templates: { b: { copy: a } } }
=== 2.0 copy loop: E2055
service_template: { node_templates: { a: { copy: b }, b: { copy: a } } }
=== 2.0 copy relationship loop: E2055
service_template: { node_templates: {}, relationship_templates: { a: { copy: b }, b: { copy: a } } }
=== 2.0 capability assignment undeclared: E2050
node_types: { A: {} }
service_template: { node_templates: { a: { type: A, capabilities: { c: {} } } } }
=== 2.0 capability property undeclared: E2050
capability_types: { C: {} }
node_types: { A: { capabilities: { c: C } } }
service_template: { node_templates: { a: { type: A, capabilities: { c: { properties: { p: 1 } } } } } }
=== 2.0 capability property missing: E2051
capability_types: { C: { properties: { p: { type: string } } } }
node_types: { A: { capabilities: { c: C } } }
service_template: { node_templates: { a: { type: A } } }
=== 2.0 attribute undeclared: E2050
node_types: { A: {} }
service_template: { node_templates: { a: { type: A, attributes: { p: 1 } } } }
=== 2.0 attribute wrong: E2040
node_types: { A: { attributes: { p: { type: integer } } } }
service_template: { node_templates: { a: { type: A, attributes: { p: x } } } }
=== 2.0 node_filter bad kind: E2004
capability_types: { C: {} }
node_types: { A: { capabilities: { c: C }, requirements: [ r: { capability: C, node_filter: true } ] } }
=== 2.0 node_filter unknown function: E2071
capability_types: { C: {} }
node_types: { A: { capabilities: { c: C }, requirements: [ r: { capability: C, node_filter: { $nope: [] } } ] } }
service_template: { node_templates: { a: { type: A } } }
=== 2.0 node_filter not boolean: E2060
capability_types: { C: {} }
node_types: { A: { properties: { n: { type: integer } }, capabilities: { c: C }, requirements: [ r: { capability: C, node_filter: { $sum: [ 1, 2 ] } } ] } }
service_template: { node_templates: { a: { type: A, properties: { n: 1 }, requirements: [ r: a ] } } }
=== 2.0 node_filter false: E2060
capability_types: { C: {} }
node_types: { A: { properties: { n: { type: integer } }, capabilities: { c: C }, requirements: [ r: { capability: C } ] } }
service_template: { node_templates: { a: { type: A, properties: { n: 1 },
	requirements: [ r: { node: a, node_filter: { $equal: [ { $get_property: [ SELF, n ] }, 2 ] } } ] } } }
=== 2.0 node_filter true: ok
capability_types: { C: {} }
node_types: { A: { properties: { n: { type: integer } }, capabilities: { c: C }, requirements: [ r: { capability: C } ] } }
service_template: { node_templates: { a: { type: A, properties: { n: 1 },
	requirements: [ r: { node: a, node_filter: { $equal: [ { $get_property: [ SELF, n ] }, 1 ] } } ] } } }
=== 1.3 node_filter operator: ok
topology_template:
  node_templates:
    s:
      type: tosca.nodes.SoftwareComponent
      requirements: [ host: { node: tosca.nodes.Compute, node_filter: { capabilities: [ host: { properties: [ num_cpus: { in_range: [ 1, 4 ] } ] } ] } } ]
    c: { type: tosca.nodes.Compute, capabilities: { host: { properties: { num_cpus: 2 } } } }
=== 1.3 node_filter unknown operator: E2042
topology_template:
  node_templates:
    s:
      type: tosca.nodes.SoftwareComponent
      requirements: [ host: { node: tosca.nodes.Compute, node_filter: { capabilities: [ host: { properties: [ num_cpus: { nope: [ 1, 4 ] } ] } ] } } ]
    c: { type: tosca.nodes.Compute, capabilities: { host: { properties: { num_cpus: 2 } } } }
=== 1.3 constraints map: E2004
data_types: { D: { derived_from: integer, constraints: { greater_than: 1 } } }
=== 1.3 constraint unknown: E2042
data_types: { D: { derived_from: integer, constraints: [ nope: 1 ] } }
=== 1.3 in_range of one: E2042
data_types: { D: { derived_from: integer, constraints: [ in_range: [ 1 ] ] } }
=== 1.3 in_range backwards: E2042
data_types: { D: { derived_from: integer, constraints: [ in_range: [ 9, 1 ] ] } }
=== 1.3 in_range unbounded: ok
data_types: { D: { derived_from: integer, constraints: [ in_range: [ 1, UNBOUNDED ] ] } }
=== 1.3 valid_values no list: E2042
data_types: { D: { derived_from: string, constraints: [ valid_values: a ] } }
=== 1.3 min_length text: E2042
data_types: { D: { derived_from: string, constraints: [ min_length: a ] } }
=== 1.3 min_length negative: E2042
data_types: { D: { derived_from: string, constraints: [ min_length: -1 ] } }
=== 1.3 two operators in one: E2042
data_types: { D: { derived_from: string, constraints: [ { min_length: 1, max_length: 2 } ] } }
# ---- imports, artifacts, interfaces, groups, policies, workflows, substitution, data types
=== 2.0 imports map: E2004
imports: { url: x.yaml }
=== 2.0 import empty map: E2003
imports: [ {} ]
=== 2.0 import url and profile: E2007
imports: [ { url: x.yaml, profile: p } ]
=== 2.0 import profile with repository: E2007
imports: [ { profile: p, repository: r } ]
=== 2.0 import unknown repository: E2014
imports: [ { url: x.yaml, repository: r } ]
=== 2.0 import unknown profile: E2013
imports: [ { profile: no.such.profile } ]
=== 2.0 import by file keyname: E2002
imports: [ { file: x.yaml } ]
=== 2.0 import namespace with colon: E2008
imports: [ { profile: "org.oasis-open.simple:2.0", namespace: "a:b" } ]
=== 2.0 simple profile with a namespace: ok
imports: [ { profile: "org.oasis-open.simple:2.0", namespace: s } ]
service_template: { node_templates: { c: { type: "s:Compute" } } }
=== 2.0 simple profile name without its namespace: E2020
imports: [ { profile: "org.oasis-open.simple:2.0", namespace: s } ]
service_template: { node_templates: { c: { type: Compute } } }
=== 2.0 colon in the name of a type: E2008
node_types: { "a:b": {} }
=== 2.0 repository without url: E2003
repositories: { r: { description: d } }
=== 2.0 repository short: ok
repositories: { r: "https://example.com/" }
=== 2.0 repository unknown keyname: E2002
repositories: { r: { url: "https://example.com/", uri: x } }
=== 2.0 profile number: E2004
profile: 1
=== 2.0 metadata list: E2004
metadata: [ a ]
=== 2.0 description list: E2004
description: [ a ]
=== 2.0 dsl_definitions string: E2004
dsl_definitions: x
=== 2.0 artifact type mime_type list: E2004
artifact_types: { A: { mime_type: [ a ] } }
=== 2.0 artifact type file_ext map: E2004
artifact_types: { A: { file_ext: { a: b } } }
=== 2.0 artifact without file: E2003
artifact_types: { A: {} }
node_types: { N: {} }
service_template: { node_templates: { n: { type: N, artifacts: { a: { type: A } } } } }
=== 2.0 artifact unknown type: E2020
node_types: { N: {} }
service_template: { node_templates: { n: { type: N, artifacts: { a: { type: A, file: f } } } } }
=== 2.0 artifact unknown repository: E2014
artifact_types: { A: {} }
node_types: { N: {} }
service_template: { node_templates: { n: { type: N, artifacts: { a: { type: A, file: f, repository: r } } } } }
=== 2.0 artifact undeclared property: W2009
artifact_types: { A: {} }
node_types: { N: {} }
service_template: { node_templates: { n: { type: N, artifacts: { a: { type: A, file: f, properties: { p: 1 } } } } } }
=== 2.0 artifacts list: E2004
node_types: { N: { artifacts: [ a ] } }
=== 2.0 interface unknown type: E2020
node_types: { N: { interfaces: { i: { type: I } } } }
=== 2.0 interface without type: E2003
node_types: { N: { interfaces: { i: { operations: { o: {} } } } } }
=== 2.0 operations directly below the interface: E2002
interface_types: { I: { create: {} } }
=== 2.0 operation implemented in a type: E2005
interface_types: { I: { operations: { o: { implementation: x.sh } } } }
=== 2.0 operations list: E2004
interface_types: { I: { operations: [ o ] } }
=== 2.0 undeclared interface: E2050
node_types: { N: {} }
service_template: { node_templates: { n: { type: N, interfaces: { i: { operations: { o: x.sh } } } } } }
=== 2.0 undeclared operation: E2050
interface_types: { I: { operations: { o: {} } } }
node_types: { N: { interfaces: { i: { type: I } } } }
service_template: { node_templates: { n: { type: N, interfaces: { i: { operations: { p: x.sh } } } } } }
=== 2.0 operation input wrong: E2040
interface_types: { I: { operations: { o: { inputs: { a: { type: integer } } } } } }
node_types: { N: { interfaces: { i: { type: I } } } }
service_template: { node_templates: { n: { type: N, interfaces: { i: { operations: { o: { inputs: { a: x } } } } } } } }
=== 2.0 operation input that is a call: ok
interface_types: { I: { operations: { o: { inputs: { a: { type: string } } } } } }
node_types: { N: { properties: { p: { type: string, default: x } },
	interfaces: { i: { type: I, operations: { o: { inputs: { a: { $get_property: [ SELF, p ] } } } } } } } }
service_template: { node_templates: { n: { type: N } } }
=== 2.0 operation input given anew: ok
interface_types: { I: { operations: { o: { inputs: { a: { type: string } } } } } }
node_types:
  N: { interfaces: { i: { type: I, operations: { o: { inputs: { a: x } } } } } }
  M: { derived_from: N, interfaces: { i: { operations: { o: { inputs: { a: y } } } } } }
service_template: { node_templates: { n: { type: M, interfaces: { i: { operations: { o: { inputs: { a: z } } } } } } } }
=== 2.0 operation input given anew, of another type: E2040
interface_types: { I: { operations: { o: { inputs: { a: { type: integer } } } } } }
node_types:
  N: { interfaces: { i: { type: I, operations: { o: { inputs: { a: 1 } } } } } }
  M: { derived_from: N, interfaces: { i: { operations: { o: { inputs: { a: y } } } } } }
=== 2.0 dependencies string: E2004
interface_types: { I: { operations: { o: {} } } }
node_types: { N: { interfaces: { i: { type: I, operations: { o: { implementation: { primary: a.sh, dependencies: b } } } } } } }
=== 1.2 operations directly below the interface: ok
node_types: { N: { derived_from: tosca.nodes.Root, interfaces: { Standard: { type: tosca.interfaces.node.lifecycle.Standard, create: create.sh } } } }
=== 1.3 operation string, primary and dependencies: ok
topology_template:
  node_templates:
    n:
      type: tosca.nodes.Compute
      interfaces: { Standard: { operations: { create: create.sh, start: { implementation: { primary: a.sh, dependencies: [ b.sh ] } } } } }
=== 2.0 group without type: E2003
service_template: { node_templates: {}, groups: { g: { members: [] } } }
=== 2.0 group unknown type: E2020
service_template: { node_templates: {}, groups: { g: { type: G } } }
=== 2.0 group unknown member: E2020
group_types: { G: {} }
service_template: { node_templates: {}, groups: { g: { type: G, members: [ a ] } } }
=== 2.0 group member of the wrong type: E2054
node_types: { A: {}, B: {} }
group_types: { G: { members: [ A ] } }
service_template: { node_templates: { b: { type: B } }, groups: { g: { type: G, members: [ b ] } } }
=== 2.0 group members map: E2004
group_types: { G: {} }
service_template: { node_templates: {}, groups: { g: { type: G, members: { a: b } } } }
=== 2.0 group type with capabilities: E2002
group_types: { G: { capabilities: {} } }
=== 2.0 group member types widened: E2031
node_types: { A: {}, B: {} }
group_types: { G: { members: [ A ] }, H: { derived_from: G, members: [ B ] } }
=== 2.0 group member types narrowed: ok
node_types: { A: {}, B: { derived_from: A } }
group_types: { G: { members: [ A ] }, H: { derived_from: G, members: [ B ] } }
=== 2.0 policies map: E2004
policy_types: { P: {} }
service_template: { node_templates: {}, policies: { p: { type: P } } }
=== 2.0 policy unknown target: E2020
policy_types: { P: {} }
service_template: { node_templates: {}, policies: [ p: { type: P, targets: [ x ] } ] }
=== 2.0 policy target of the wrong type: E2054
node_types: { A: {}, B: {} }
policy_types: { P: { targets: [ A ] } }
service_template: { node_templates: { b: { type: B } }, policies: [ p: { type: P, targets: [ b ] } ] }
=== 2.0 trigger without action: E2003
policy_types: { P: { triggers: { t: { event: e } } } }
=== 2.0 trigger without event: E2003
policy_types: { P: { triggers: { t: { action: [] } } } }
=== 2.0 workflow step without target: E2003
service_template: { node_templates: {}, workflows: { w: { steps: { s: { activities: [] } } } } }
=== 2.0 workflow step unknown target: E2020
service_template: { node_templates: {}, workflows: { w: { steps: { s: { target: x, activities: [ { set_state: a } ] } } } } }
=== 2.0 workflow unknown on_success: E2020
node_types: { A: {} }
service_template: { node_templates: { a: { type: A } }, workflows: { w: { steps: { s: { target: a, activities: [ { set_state: a } ], on_success: [ z ] } } } } }
=== 2.0 workflow unknown activity: E2057
node_types: { A: {} }
service_template: { node_templates: { a: { type: A } }, workflows: { w: { steps: { s: { target: a, activities: [ { nope: a } ] } } } } }
=== 2.0 substitution without node_type: E2003
service_template: { node_templates: {}, substitution_mappings: { properties: {} } }
=== 2.0 substitution unknown node_type: E2020
service_template: { node_templates: {}, substitution_mappings: { node_type: X } }
=== 2.0 substitution undeclared property: E2050
node_types: { A: {} }
service_template: { node_templates: {}, inputs: { i: { type: string, default: d } }, substitution_mappings: { node_type: A, properties: { p: i } } }
=== 2.0 substitution undeclared capability: E2050
capability_types: { C: {} }
node_types: { A: {}, B: { capabilities: { c: C } } }
service_template: { node_templates: { b: { type: B } }, substitution_mappings: { node_type: A, capabilities: { c: [ b, c ] } } }
=== 2.0 substitution capability of no node: E2020
capability_types: { C: {} }
node_types: { A: { capabilities: { c: C } } }
service_template: { node_templates: {}, substitution_mappings: { node_type: A, capabilities: { c: [ b, c ] } } }
=== 2.0 functions with two signatures: ok
functions:
  f:
    signatures:
      - { arguments: [ { type: string } ], result: { type: string }, implementation: x.sh }
      - { arguments: [ { type: integer } ], variadic: true, result: { type: string }, implementation: x.sh }
=== 2.0 function without signatures: E2003
functions: { f: { description: d } }
=== 2.0 function signatures map: E2004
functions: { f: { signatures: { a: b } } }
=== 2.0 function argument of unknown type: E2020
functions: { f: { signatures: [ { arguments: [ { type: nope } ], result: { type: string }, implementation: x.sh } ] } }
=== 2.0 scalar with blank: ok
data_types: { S: { derived_from: scalar, units: { B: 1 }, prefixes: { "": 1, k: 1000 }, canonical_unit: B } }
node_types: { A: { properties: { p: { type: S } } } }
service_template: { node_templates: { a: { type: A, properties: { p: 1 kB } } } }
=== 2.0 scalar without blank: E2040
data_types: { S: { derived_from: scalar, units: { B: 1 } } }
node_types: { A: { properties: { p: { type: S } } } }
service_template: { node_templates: { a: { type: A, properties: { p: 1B } } } }
=== 2.0 scalar unknown unit: E2040
data_types: { S: { derived_from: scalar, units: { B: 1 } } }
node_types: { A: { properties: { p: { type: S } } } }
service_template: { node_templates: { a: { type: A, properties: { p: 1 b } } } }
=== 2.0 units of a string: E2032
data_types: { S: { derived_from: string, units: { B: 1 } } }
=== 2.0 version with a leading zero part: ok
node_types: { A: { properties: { p: { type: version } } } }
service_template: { node_templates: { a: { type: A, properties: { p: "0.1" } } } }
=== 2.0 version of one number: E2040
node_types: { A: { properties: { p: { type: version } } } }
service_template: { node_templates: { a: { type: A, properties: { p: "1" } } } }
=== 2.0 timestamp month 13: E2040
node_types: { A: { properties: { p: { type: timestamp } } } }
service_template: { node_templates: { a: { type: A, properties: { p: "2025-13-01T00:00:00Z" } } } }
=== 2.0 bytes malformed: E2040
node_types: { A: { properties: { p: { type: bytes } } } }
service_template: { node_templates: { a: { type: A, properties: { p: "!!" } } } }
=== 1.3 range backwards: E2040
node_types: { A: { properties: { p: { type: range } } } }
topology_template: { node_templates: { a: { type: A, properties: { p: [ 2, 1 ] } } } }
=== 1.3 named import without a file: E2003
imports: [ types: { namespace_prefix: t } ]
=== 1.3 named import of null: E2004
imports: [ types: ]
=== 1.3 named import of a missing file: E2010
imports: [ types: no-such-file.yaml ]
=== http://docs.oasis-open.org/tosca/ns/simple/yaml/1.0 version by URI: ok
node_types: { A: { derived_from: tosca.nodes.Root } }
=== http://docs.oasis-open.org/tosca/ns/simple/yaml/1.9 unknown version by URI: E2001
node_types: {}
# ---- functions, and quiet where a parent is unknown
=== 2.0 interface without type of an unknown parent: E2020
node_types: { N: { derived_from: Missing, interfaces: { i: { operations: { o: {} } } } } }
=== 2.0 list of types with an unknown parent: E2020
node_types: { A: {}, B: { derived_from: Missing } }
group_types: { G: { members: [ A ] }, H: { derived_from: G, members: [ B ] } }
=== 2.0 refining a property with a type of an unknown parent: E2020
data_types: { D: { derived_from: Missing } }
node_types:
  A: { properties: { p: { type: string } } }
  B: { derived_from: A, properties: { p: { type: D } } }
=== 2.0 policy target types widened: E2031
node_types: { A: {}, B: {} }
policy_types: { P: { targets: [ A ] }, Q: { derived_from: P, targets: [ B ] } }
=== 2.0 token: ok
service_template: { node_templates: {}, outputs: { o: { type: string, value: { $token: [ "a,b", ",", 1 ] } } } }
=== 2.0 token of two: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $token: [ "a,b", "," ] } } } }
=== 2.0 concat of nothing: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $concat: [] } } } }
=== 2.0 join of a string: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $join: [ a, b ] } } } }
=== 2.0 sum of strings: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $sum: [ a, b ] } } } }
=== 2.0 quotient by zero: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $quotient: [ 1, 0 ] } } } }
=== 2.0 remainder by zero: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $remainder: [ 1, 0 ] } } } }
=== 2.0 not of a number: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $not: [ 1 ] } } } }
=== 2.0 and of a string: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $and: [ true, x ] } } } }
=== 2.0 xor of one: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $xor: [ true ] } } } }
=== 2.0 length of an integer: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $length: [ 1 ] } } } }
=== 2.0 union of a string: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $union: [ [ a ], b ] } } } }
=== 2.0 has_key of a list: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $has_key: [ [ a ], a ] } } } }
=== 2.0 matches bad expression: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $matches: [ a, "(" ] } } } }
=== 2.0 greater_than of text and number: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $greater_than: [ a, 1 ] } } } }
=== 2.0 equal of one: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $equal: [ 1 ] } } } }
=== 2.0 round of text: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $round: [ a ] } } } }
=== 2.0 get_property SELF in an output: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $get_property: [ SELF, a ] } } } }
=== 2.0 get_property unknown node: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $get_property: [ n, a ] } } } }
=== 2.0 get_property undeclared: E2070
node_types: { A: {} }
service_template: { node_templates: { n: { type: A } }, outputs: { o: { value: { $get_property: [ n, a ] } } } }
=== 2.0 get_property of an attribute: E2070
node_types: { A: { attributes: { a: { type: string, default: x } } } }
service_template: { node_templates: { n: { type: A } }, outputs: { o: { value: { $get_property: [ n, a ] } } } }
=== 2.0 get_property with string: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $get_property: n } } } }
=== 2.0 get_property ALL: ok
capability_types: { C: { properties: { x: { type: integer, default: 1 } } } }
node_types: { A: { capabilities: { c: C }, requirements: [ r: { capability: C } ] } }
service_template:
  node_templates: { a: { type: A, requirements: [ r: a ] } }
  outputs: { o: { type: list, entry_schema: integer, value: { $get_property: [ a, RELATIONSHIP, r, ALL, CAPABILITY, x ] } } }
=== 2.0 get_property unknown requirement: E2070
node_types: { A: { properties: { p: { type: string } } } }
service_template:
  node_templates: { a: { type: A, properties: { p: x } } }
  outputs: { o: { value: { $get_property: [ a, RELATIONSHIP, r, 0, TARGET, p ] } } }
=== 2.0 get_property unknown capability: E2070
node_types: { A: {} }
service_template:
  node_templates: { a: { type: A } }
  outputs: { o: { value: { $get_property: [ a, CAPABILITY, c, p ] } } }
=== 2.0 get_artifact unknown: E2070
node_types: { A: {} }
service_template: { node_templates: { a: { type: A } }, outputs: { o: { value: { $get_artifact: [ a, x ] } } } }
=== 2.0 properties of each other: E2072
node_types: { A: { properties: { p: { type: string }, q: { type: string } } } }
service_template: { node_templates: { a: { type: A, properties: { p: { $get_property: [ SELF, q ] }, q: { $get_property: [ SELF, p ] } } } } }
=== 2.0 validation constant: E2042
data_types: { D: { derived_from: integer, validation: true } }
=== 2.0 validation list: E2042
data_types: { D: { derived_from: integer, validation: [ { $greater_than: [ $value, 1 ] } ] } }
=== 2.0 constraints keyname: E2002
data_types: { D: { derived_from: integer, constraints: [] } }
=== 2.0 validation not boolean: E2042
data_types: { D: { derived_from: integer, validation: { $sum: [ $value, 1 ] } } }
node_types: { A: { properties: { p: { type: D } } } }
service_template: { node_templates: { a: { type: A, properties: { p: 1 } } } }
