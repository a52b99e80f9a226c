#!/usr/bin/perl
# More rules of TOSCA, and what services come to: short files with the codes of all problems that `vetro tosca` tells, or
# with the outputs. A line `--- NAME` begins another file beside the first.
use strict;
use warnings;
use File::Path qw(make_path);
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;
use Tosca;

my $json = JSON::PP->new->canonical->allow_nonref;

# === VERSION NAME: CODES, or outputs as JSON, and the file.
my $n = 0;
for (cases(\*DATA, qr/[\w ]+|\{.*\}/)) {
	my ($v, $name, $want, $body) = @$_;
	my $dir = "$W/r" . ++$n;
	my $head = head_of($v);
	make_path($dir);
	my ($first, %file) = split /^--- (\S+)\n/m, $body;
	spew("$dir/main.yaml", "$head$first");
	spew("$dir/$_", "$head$file{$_}") for keys %file;
	my ($status, $out, $err) = vetro('tosca', "$dir/main.yaml", map { "$dir/$_" } grep { /^inner/ } sort keys %file);
	my $got = codes($err);
	$got = $json->encode(decode_json($out)->{outputs} // {}) if $want =~ /^\{/ && $status == 0;
	ok($got eq $want && $status == ($want =~ /^E/ ? 1 : 0), "$v: $name: $want", "got: $got, status $status", $err);
}
done();

__DATA__
# ---- functions of 2.0
=== 2.0 sum: {"o":6}
service_template: { node_templates: {}, outputs: { o: { value: { $sum: [ 1, 2, 3 ] } } } }
=== 2.0 sum of floats: {"o":3.5}
service_template: { node_templates: {}, outputs: { o: { value: { $sum: [ 1.5, 2 ] } } } }
=== 2.0 difference: {"o":-1}
service_template: { node_templates: {}, outputs: { o: { value: { $difference: [ 1, 2 ] } } } }
=== 2.0 product: {"o":24}
service_template: { node_templates: {}, outputs: { o: { value: { $product: [ 2, 3, 4 ] } } } }
=== 2.0 quotient: {"o":2.5}
service_template: { node_templates: {}, outputs: { o: { value: { $quotient: [ 5, 2 ] } } } }
=== 2.0 remainder: {"o":1}
service_template: { node_templates: {}, outputs: { o: { value: { $remainder: [ 5, 2 ] } } } }
=== 2.0 round floor ceil: {"a":3,"b":2,"c":3}
service_template:
  node_templates: {}
  outputs:
    a: { value: { $round: [ 2.6 ] } }
    b: { value: { $floor: [ 2.6 ] } }
    c: { value: { $ceil: [ 2.1 ] } }
=== 2.0 difference of three: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $difference: [ 1, 2, 3 ] } } } }
=== 2.0 remainder by zero: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $remainder: [ 5, 0 ] } } } }
=== 2.0 remainder of a float: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $remainder: [ 5.5, 2 ] } } } }
=== 2.0 union: {"o":[1,2,3]}
service_template: { node_templates: {}, outputs: { o: { value: { $union: [ [ 1, 2 ], [ 2, 3 ] ] } } } }
=== 2.0 union drops what comes twice in one: {"o":[1,2]}
service_template: { node_templates: {}, outputs: { o: { value: { $union: [ [ 1, 1 ], [ 2 ] ] } } } }
=== 2.0 intersection: {"o":[2]}
service_template: { node_templates: {}, outputs: { o: { value: { $intersection: [ [ 1, 2 ], [ 2, 3 ], [ 2 ] ] } } } }
=== 2.0 intersection of one list: {"o":[1,2]}
service_template: { node_templates: {}, outputs: { o: { value: { $intersection: [ [ 1, 2, 1 ] ] } } } }
=== 2.0 length of a string list map: {"a":2,"b":3,"c":1}
service_template:
  node_templates: {}
  outputs:
    a: { value: { $length: [ ab ] } }
    b: { value: { $length: [ [ 1, 2, 3 ] ] } }
    c: { value: { $length: [ { k: v } ] } }
=== 2.0 length counts characters: {"a":2}
service_template: { node_templates: {}, outputs: { a: { value: { $length: [ "äö" ] } } } }
=== 2.0 length of an integer: E2070
service_template: { node_templates: {}, outputs: { a: { value: { $length: [ 12 ] } } } }
=== 2.0 concat strings: {"o":"abc"}
service_template: { node_templates: {}, outputs: { o: { value: { $concat: [ a, b, c ] } } } }
=== 2.0 concat lists: {"o":[1,2,3]}
service_template: { node_templates: {}, outputs: { o: { value: { $concat: [ [ 1, 2 ], [ 3 ] ] } } } }
=== 2.0 join: {"o":"a-b","p":"ab"}
service_template:
  node_templates: {}
  outputs:
    o: { value: { $join: [ [ a, b ], "-" ] } }
    p: { value: { $join: [ [ a, b ] ] } }
=== 2.0 token: {"o":"b"}
service_template: { node_templates: {}, outputs: { o: { value: { $token: [ "a:b:c", ":", 1 ] } } } }
=== 2.0 contains: {"a":true,"b":false,"c":true}
service_template:
  node_templates: {}
  outputs:
    a: { value: { $contains: [ abcd, bc ] } }
    b: { value: { $contains: [ abcd, x ] } }
    c: { value: { $contains: [ [ 1, 2, 3 ], [ 2, 3 ] ] } }
=== 2.0 contains keeps the order: {"c":false}
service_template: { node_templates: {}, outputs: { c: { value: { $contains: [ [ 1, 2, 3 ], [ 3, 2 ] ] } } } }
=== 2.0 has_entry has_key has_all has_any: {"a":true,"b":true,"c":false,"d":true,"e":true}
service_template:
  node_templates: {}
  outputs:
    a: { value: { $has_entry: [ [ 1, 2 ], 2 ] } }
    b: { value: { $has_key: [ { k: 1 }, k ] } }
    c: { value: { $has_all_entries: [ [ 1, 2 ], [ 2, 3 ] ] } }
    d: { value: { $has_any_entry: [ [ 1, 2 ], [ 2, 3 ] ] } }
    e: { value: { $has_all_keys: [ { a: 1, b: 2 }, [ b, a ] ] } }
=== 2.0 has_entry in a map: {"a":true,"b":false}
service_template:
  node_templates: {}
  outputs:
    a: { value: { $has_entry: [ { k: 1 }, 1 ] } }
    b: { value: { $has_entry: [ { k: 1 }, k ] } }
=== 2.0 has_suffix has_prefix: {"a":true,"b":true,"c":true,"d":false}
service_template:
  node_templates: {}
  outputs:
    a: { value: { $has_suffix: [ abcd, cd ] } }
    b: { value: { $has_prefix: [ abcd, ab ] } }
    c: { value: { $has_suffix: [ [ 1, 2, 3 ], [ 2, 3 ] ] } }
    d: { value: { $has_prefix: [ [ 1, 2, 3 ], [ 2 ] ] } }
=== 2.0 and or not xor: {"a":false,"b":true,"c":true,"d":true}
service_template:
  node_templates: {}
  outputs:
    a: { value: { $and: [ true, true, false ] } }
    b: { value: { $or: [ false, true ] } }
    c: { value: { $not: [ false ] } }
    d: { value: { $xor: [ true, false ] } }
=== 2.0 and of nothing: E2070
service_template: { node_templates: {}, outputs: { a: { value: { $and: [] } } } }
=== 2.0 and of a string: E2070
service_template: { node_templates: {}, outputs: { a: { value: { $and: [ "yes", true ] } } } }
=== 2.0 comparisons: {"a":true,"b":true,"c":false,"d":true,"e":true}
service_template:
  node_templates: {}
  outputs:
    a: { value: { $equal: [ [ 1, 2 ], [ 1, 2 ] ] } }
    b: { value: { $greater_than: [ 2, 1 ] } }
    c: { value: { $less_than: [ 2, 1 ] } }
    d: { value: { $greater_or_equal: [ 2, 2 ] } }
    e: { value: { $less_or_equal: [ 1.5, 2 ] } }
=== 2.0 greater_than of a string and a number: E2070
service_template: { node_templates: {}, outputs: { a: { value: { $greater_than: [ a, 1 ] } } } }
=== 2.0 valid_values: {"a":true,"b":false}
service_template:
  node_templates: {}
  outputs:
    a: { value: { $valid_values: [ 2, [ 1, 2 ] ] } }
    b: { value: { $valid_values: [ 3, [ 1, 2 ] ] } }
=== 2.0 matches all of it: {"a":true,"b":true}
service_template:
  node_templates: {}
  outputs:
    a: { value: { $matches: [ abc, "^[a-c]+$" ] } }
    b: { value: { $matches: [ abc, "a.c" ] } }
=== 2.0 dollar escape: {"o":{"$concat":["a"]},"p":"$x"}
service_template:
  node_templates: {}
  outputs:
    o: { value: { $$concat: [ a ] } }
    p: { value: "$$x" }
=== 2.0 a call has no key beside it: E2005
service_template: { node_templates: {}, outputs: { o: { value: { $concat: [ a ], other: b } } } }
=== 2.0 nested functions: {"o":"n3"}
service_template: { node_templates: {}, outputs: { o: { value: { $concat: [ n, { $sum: [ 1, { $length: [ ab ] } ] } ] } } } }
=== 2.0 get_input index: {"o":2,"p":"v"}
service_template:
  node_templates: {}
  inputs:
    l: { type: list, entry_schema: integer, default: [ 1, 2 ] }
    m: { type: map, entry_schema: string, default: { k: v } }
  outputs:
    o: { value: { $get_input: [ l, 1 ] } }
    p: { value: { $get_input: [ m, k ] } }
=== 2.0 get_input behind the end: E2070
service_template:
  node_templates: {}
  inputs: { l: { type: list, entry_schema: integer, default: [ 1, 2 ] } }
  outputs: { o: { value: { $get_input: [ l, 2 ] } } }
=== 2.0 validation of an input by another one: E2041
service_template:
  node_templates: {}
  inputs:
    lo: { type: integer, default: 5 }
    hi: { type: integer, default: 3, validation: { $greater_than: [ $value, { $get_input: lo } ] } }
=== 2.0 available_allocation of a node: E2070
service_template: { node_templates: {}, outputs: { o: { value: { $available_allocation: [ a ] } } } }
# ---- functions of one's own
=== 2.0 custom function with a body that is missing: E2071
service_template: { node_templates: {}, outputs: { o: { value: { $mine: [ 1 ] } } } }
=== 2.0 custom function called with too many: E2070
functions: { mine: { signatures: [ { arguments: [ { type: integer } ], result: { type: integer }, implementation: f.sh } ] } }
service_template: { node_templates: {}, outputs: { o: { value: { $mine: [ 1, 2 ] } } } }
=== 2.0 custom function with the wrong argument: E2040
functions: { mine: { signatures: [ { arguments: [ { type: integer } ], result: { type: integer }, implementation: f.sh } ] } }
service_template: { node_templates: {}, outputs: { o: { value: { $mine: [ a ] } } } }
=== 2.0 custom function without signatures: E2003
functions: { mine: { description: d } }
=== 2.0 custom function variadic, run by a script: E2070
functions: { mine: { signatures: [ { arguments: [ { type: integer } ], variadic: true, result: { type: integer }, implementation: f.sh } ] } }
service_template: { node_templates: {}, outputs: { o: { value: { $mine: [ 1, 2, 3 ] } } } }
# ---- units
=== 2.0 scalar in canonical units: {"o":{"$number":1500,"$string":"1500 g","scalar":1.5,"unit":"kg"}}
data_types: { M: { derived_from: scalar, units: { g: 1, kg: 1000 }, canonical_unit: g } }
service_template:
  node_templates: {}
  inputs: { m: { type: M, default: 1.5 kg } }
  outputs: { o: { value: { $get_input: m } } }
=== 2.0 scalar without a canonical unit takes the one of factor 1: {"o":{"$number":2000,"$string":"2000 g","scalar":2,"unit":"kg"}}
data_types: { M: { derived_from: scalar, units: { kg: 1000, g: 1 } } }
service_template:
  node_templates: {}
  inputs: { m: { type: M, default: 2 kg } }
  outputs: { o: { value: { $get_input: m } } }
=== 2.0 scalar without any unit of factor 1: E2032
data_types: { M: { derived_from: scalar, units: { kg: 1000, t: 1000000 } } }
=== 2.0 prefixes without one of factor 1: E2032
data_types: { L: { derived_from: scalar, units: { m: 1 }, prefixes: { k: 1000, c: 0.01 } } }
=== 2.0 prefixes: {"o":{"$number":3000,"$string":"3000 m","scalar":3,"unit":"km"}}
data_types: { L: { derived_from: scalar, units: { m: 1 }, prefixes: { "": 1, k: 1000, c: 0.01 } } }
service_template:
  node_templates: {}
  inputs: { m: { type: L, default: 3 km } }
  outputs: { o: { value: { $get_input: m } } }
=== 2.0 unknown unit: E2040
data_types: { L: { derived_from: scalar, units: { m: 1 } } }
service_template: { node_templates: {}, inputs: { m: { type: L, default: 3 km } } }
=== 2.0 no blank before the unit: E2040
data_types: { L: { derived_from: scalar, units: { m: 1 } } }
service_template: { node_templates: {}, inputs: { m: { type: L, default: 3m } } }
=== 2.0 units compare with case: E2040
data_types: { L: { derived_from: scalar, units: { m: 1 } } }
service_template: { node_templates: {}, inputs: { m: { type: L, default: 3 M } } }
=== 2.0 negative scalar: {"o":{"$number":-3,"$string":"-3 m","scalar":-3,"unit":"m"}}
data_types: { L: { derived_from: scalar, units: { m: 1 } } }
service_template:
  node_templates: {}
  inputs: { m: { type: L, default: -3 m } }
  outputs: { o: { value: { $get_input: m } } }
=== 2.0 comparison of units: {"o":true}
data_types: { L: { derived_from: scalar, units: { m: 1, km: 1000 } } }
service_template:
  node_templates: {}
  inputs: { a: { type: L, default: 1 km }, b: { type: L, default: 900 m } }
  outputs: { o: { value: { $greater_than: [ { $get_input: a }, { $get_input: b } ] } } }
=== 2.0 validation with a unit: E2041
data_types: { L: { derived_from: scalar, units: { m: 1, km: 1000 }, validation: { $less_than: [ $value, 1 km ] } } }
service_template: { node_templates: {}, inputs: { a: { type: L, default: 1001 m } } }
=== 1.3 scalar-unit.size without a blank: {"o":{"$number":4000000000,"$string":"4000000000 B","scalar":4,"unit":"GB"}}
topology_template:
  inputs: { a: { type: scalar-unit.size, default: 4GB } }
  outputs: { o: { value: { get_input: a } } }
=== 1.3 scalar-unit.time in lower case: {"o":{"$number":60,"$string":"60 s","scalar":1,"unit":"m"}}
topology_template:
  inputs: { a: { type: scalar-unit.time, default: 1 m } }
  outputs: { o: { value: { get_input: a } } }
=== 1.2 scalar-unit.bitrate is of 1.3: E2020
topology_template: { inputs: { a: { type: scalar-unit.bitrate, default: 1 Kbps } } }
# ---- counts, requirements, substitution
=== 2.0 count and index: {"n":2,"o":1}
node_types: { A: { properties: { p: { type: integer } } } }
service_template:
  node_templates: { a: { type: A, count: 2, properties: { p: { $node_index: [] } } } }
  outputs:
    o: { value: { $get_property: [ a, 1, p ] } }
    n: { value: { $length: [ { $get_property: [ a, ALL, p ] } ] } }
=== 2.0 all representations and what they lead to: {"o":[1,2],"p":[7,7]}
capability_types: { C: { properties: { z: { type: integer, default: 7 } } } }
relationship_types: { R: {} }
node_types:
  A: { properties: { p: { type: integer } }, requirements: [ r: { capability: C, relationship: R } ] }
  B: { capabilities: { c: C } }
service_template:
  node_templates:
    a: { type: A, count: 2, properties: { p: { $sum: [ 1, $node_index ] } }, requirements: [ r: b ] }
    b: { type: B }
  outputs:
    o: { value: { $get_property: [ a, ALL, p ] } }
    p: { value: { $get_property: [ a, ALL, RELATIONSHIP, r, CAPABILITY, z ] } }
=== 2.0 validation of a default by another property: E2041
node_types: { T: { properties: { a: { type: integer, default: 1, validation: { $less_than: [ $value, { $get_property: [ SELF, b ] } ] } },
	b: { type: integer } } } }
service_template: { node_templates: { n: { type: T, properties: { b: 2 } }, m: { type: T, properties: { b: 1 } } } }
=== 2.0 index behind the count: E2070
node_types: { A: { properties: { p: { type: integer } } } }
service_template:
  node_templates: { a: { type: A, count: 2, properties: { p: 1 } } }
  outputs: { o: { value: { $get_property: [ a, 2, p ] } } }
=== 2.0 count below zero: E2040
node_types: { A: {} }
service_template: { node_templates: { a: { type: A, count: -1 } } }
=== 2.0 requirement of none: E2060
capability_types: { C: {} }
relationship_types: { R: {} }
node_types:
  A: { requirements: [ r: { capability: C, relationship: R, node: B, count_range: [ 1, 1 ] } ] }
  B: { capabilities: { c: C } }
service_template: { node_templates: { a: { type: A, requirements: [ r: { directives: [ internal ] } ] } } }
=== 2.0 optional requirement of none: ok
capability_types: { C: {} }
relationship_types: { R: {} }
node_types:
  A: { requirements: [ r: { capability: C, relationship: R, node: B, count_range: [ 0, 1 ] } ] }
  B: { capabilities: { c: C } }
service_template: { node_templates: { a: { type: A, requirements: [ r: { directives: [ internal ], optional: true } ] } } }
=== 2.0 two optional requirements and a lower bound: E2053
capability_types: { C: {} }
relationship_types: { R: {} }
node_types:
  A: { requirements: [ r: { capability: C, relationship: R, node: B, count_range: [ 1, 2 ] } ] }
  B: { capabilities: { c: C } }
service_template:
  node_templates:
    a: { type: A, requirements: [ { r: { node: b, optional: true } }, { r: { node: b, optional: true } } ] }
    b: { type: B }
=== 2.0 two optional requirements of none and a lower bound: E2053
capability_types: { C: {} }
relationship_types: { R: {} }
node_types:
  A: { requirements: [ r: { capability: C, relationship: R, node: B, count_range: [ 1, 2 ] } ] }
  B: { capabilities: { c: C } }
service_template:
  node_templates:
    a: { type: A, requirements: [ { r: { directives: [ internal ], optional: true } }, { r: { directives: [ internal ], optional: true } } ] }
=== 2.0 a lower bound of two and two optional requirements: E2053
capability_types: { C: {} }
relationship_types: { R: {} }
node_types:
  A: { requirements: [ r: { capability: C, relationship: R, node: B, count_range: [ 2, 2 ] } ] }
  B: { capabilities: { c: C } }
  D: { derived_from: B }
service_template:
  node_templates:
    a: { type: A, requirements: [ { r: { node: b, optional: true } }, { r: { node: D, directives: [ internal ], optional: true } } ] }
    b: { type: B }
=== 2.0 path over relationships: {"o":"x","p":["x","y"]}
capability_types: { C: { properties: { z: { type: integer, default: 7 } } } }
relationship_types: { R: {} }
node_types:
  A: { requirements: [ r: { capability: C, relationship: R, count_range: [ 0, UNBOUNDED ] } ] }
  B: { capabilities: { c: C }, properties: { p: { type: string } } }
service_template:
  node_templates:
    a: { type: A, requirements: [ r: b, r: c ] }
    b: { type: B, properties: { p: x } }
    c: { type: B, properties: { p: y } }
  outputs:
    o: { value: { $get_property: [ a, RELATIONSHIP, r, TARGET, p ] } }
    p: { value: { $get_property: [ a, RELATIONSHIP, r, ALL, TARGET, p ] } }
=== 2.0 path to a capability and back: {"o":7,"p":["x"]}
capability_types: { C: { properties: { z: { type: integer, default: 7 } } } }
relationship_types: { R: {} }
node_types:
  A: { requirements: [ r: { capability: C, relationship: R } ], properties: { p: { type: string } } }
  B: { capabilities: { c: C } }
service_template:
  node_templates:
    a: { type: A, requirements: [ r: b ], properties: { p: x } }
    b: { type: B }
  outputs:
    o: { value: { $get_property: [ a, RELATIONSHIP, r, CAPABILITY, z ] } }
    p: { value: { $get_property: [ b, CAPABILITY, c, RELATIONSHIP, ALL, SOURCE, p ] } }
=== 2.0 substitution by the service whose filter holds: {"o":"large"}
imports: [ types.yaml ]
service_template:
  node_templates: { n: { type: N, directives: [ substitute ], properties: { size: 5 } } }
  outputs: { o: { value: { $get_attribute: [ n, kind ] } } }
--- types.yaml
node_types: { N: { properties: { size: { type: integer } }, attributes: { kind: { type: string } } } }
--- inner1.yaml
imports: [ types.yaml ]
service_template:
  node_templates: {}
  inputs: { size: { type: integer } }
  outputs: { kind: { type: string, value: small } }
  substitution_mappings:
    node_type: N
    substitution_filter: { $less_than: [ { $get_property: [ SELF, size ] }, 3 ] }
    properties: { size: size }
    attributes: { kind: kind }
--- inner2.yaml
imports: [ types.yaml ]
service_template:
  node_templates: {}
  inputs: { size: { type: integer } }
  outputs: { kind: { type: string, value: large } }
  substitution_mappings: { node_type: N, properties: { size: size }, attributes: { kind: kind } }
=== 2.0 substitution by nobody: ok
imports: [ types.yaml ]
service_template: { node_templates: { n: { type: N, directives: [ substitute ] } } }
--- types.yaml
node_types: { N: {} , M: {} }
--- inner1.yaml
imports: [ types.yaml ]
service_template: { node_templates: {}, substitution_mappings: { node_type: M } }
=== 2.0 substitution by a service for a derived type: {"o":"d"}
imports: [ types.yaml ]
service_template:
  node_templates: { n: { type: N, directives: [ substitute ] } }
  outputs: { o: { value: { $get_attribute: [ n, kind ] } } }
--- types.yaml
node_types: { N: { attributes: { kind: { type: string } } }, M: { derived_from: N } }
--- inner1.yaml
imports: [ types.yaml ]
service_template:
  node_templates: {}
  outputs: { kind: { type: string, value: d } }
  substitution_mappings: { node_type: M, attributes: { kind: kind } }
=== 2.0 a function that a script implements, asked for: E2070
functions: { f: { signatures: [ { arguments: [ integer ], result: integer, implementation: f.py } ] } }
service_template: { node_templates: {}, outputs: { o: { value: { $f: [ 1 ] } } } }
=== 2.0 a function that a script implements, not asked for: ok
functions: { f: { signatures: [ { arguments: [ integer ], result: integer, implementation: f.py } ] } }
service_template: { node_templates: {} }
# ---- profiles and namespaces
=== 2.0 profile keyname twice imported: ok
imports: [ { url: a.yaml, namespace: x }, { url: a.yaml, namespace: y } ]
service_template: { node_templates: { a: { type: x:T }, b: { type: y:T } } }
--- a.yaml
node_types: { T: {} }
=== 2.0 one name from two files: E2021
imports: [ a.yaml, b.yaml ]
--- a.yaml
node_types: { T: {} }
--- b.yaml
node_types: { T: {} }
=== 2.0 a prefix that is none: E2020
service_template: { node_templates: { a: { type: x:T } } }
=== 2.0 names of an import of an import: {"o":1}
imports: [ { url: a.yaml, namespace: x } ]
service_template:
  node_templates: { n: { type: x:T } }
  outputs: { o: { value: { $get_property: [ n, p ] } } }
--- a.yaml
imports: [ b.yaml ]
--- b.yaml
node_types: { T: { properties: { p: { type: integer, default: 1 } } } }
=== 2.0 import with two origins: E2007
imports: [ { url: a.yaml, profile: b } ]
# ---- data
=== 2.0 map with key validation: E2041
data_types: { K: { derived_from: string, validation: { $matches: [ $value, "^[a-z]$" ] } } }
service_template: { node_templates: {}, inputs: { m: { type: map, key_schema: K, entry_schema: integer, default: { ab: 1 } } } }
=== 2.0 timestamp: {"o":{"$number":978307200000000000,"$string":"2001-01-01T00:00:00Z"}}
service_template:
  node_templates: {}
  inputs: { t: { type: timestamp, default: "2001-01-01T00:00:00Z" } }
  outputs: { o: { value: { $get_input: t } } }
=== 2.0 version compared: {"o":true}
service_template:
  node_templates: {}
  inputs: { a: { type: version, default: "1.10" }, b: { type: version, default: "1.9.5" } }
  outputs: { o: { value: { $greater_than: [ { $get_input: a }, { $get_input: b } ] } } }
=== 2.0 bytes: {"o":{"$originalString":"AQID","bytes":"AQID"}}
service_template:
  node_templates: {}
  inputs: { a: { type: bytes, default: AQID } }
  outputs: { o: { value: { $get_input: a } } }
=== 2.0 complex with an unknown field: E2050
data_types: { D: { properties: { a: { type: integer } } } }
service_template: { node_templates: {}, inputs: { d: { type: D, default: { a: 1, b: 2 } } } }
=== 2.0 complex without a field: E2051
data_types: { D: { properties: { a: { type: integer } } } }
service_template: { node_templates: {}, inputs: { d: { type: D, default: {} } } }
=== 1.3 range of version: E2040
topology_template: { inputs: { r: { type: range, default: [ 3, 1 ] } } }
=== 1.3 in_range of a float: E2041
topology_template: { inputs: { r: { type: float, default: 3.5, constraints: [ in_range: [ 1.0, 3.0 ] ] } } }
=== 1.3 pattern must match all: E2041
topology_template: { inputs: { r: { type: string, default: xabc, constraints: [ pattern: "[a-c]*" ] } } }
=== 1.3 token and join are functions: {"a":"c","b":"x.y"}
topology_template:
  outputs:
    a: { value: { token: [ "a:b:c", ":", 2 ] } }
    b: { value: { join: [ [ x, y ], "." ] } }
=== 1.0 join is of 1.2: {"b":{"join":[["x","y"],"."]}}
topology_template: { outputs: { b: { value: { join: [ [ x, y ], "." ] } } } }
# ---- Heat
=== hot str_replace list_join str_split: {"a":"x-1","b":"a,b","c":["a","b"]}
outputs:
  a: { value: { str_replace: { template: x-N, params: { N: 1 } } } }
  b: { value: { list_join: [ ",", [ a ], [ b ] ] } }
  c: { value: { str_split: [ ",", "a,b" ] } }
=== hot digest repeat if: {"a":"900150983cd24fb0d6963f7d28e17f72","b":["p1","p2"],"c":"yes"}
conditions: { same: { equals: [ 1, 1 ] } }
outputs:
  a: { value: { digest: [ md5, abc ] } }
  b: { value: { repeat: { for_each: { "%n%": [ "1", "2" ] }, template: p%n% } } }
  c: { value: { if: [ same, "yes", "no" ] } }
=== hot filter map_merge make_url: {"a":["b"],"b":{"k":1,"l":2},"c":"http://h:80/p"}
outputs:
  a: { value: { filter: [ [ a ], [ a, b ] ] } }
  b: { value: { map_merge: [ { k: 1 }, { l: 2 } ] } }
  c: { value: { make_url: { scheme: http, host: h, port: 80, path: /p } } }
=== hot contains not and or: {"a":true,"b":false}
conditions: { a: { or: [ { equals: [ 1, 2 ] }, { contains: [ x, [ x, y ] ] } ] }, b: { and: [ { not: a }, a ] } }
outputs:
  a: { value: { if: [ a, true, false ] } }
  b: { value: { if: [ b, true, false ] } }
=== hot list_concat_unique yaql: {"a":[1,2,3],"b":6}
outputs:
  a: { value: { list_concat_unique: [ [ 1, 2 ], [ 2, 3 ] ] } }
  b: { value: { yaql: { expression: "$.data.l.sum()", data: { l: [ 1, 2, 3 ] } } } }
=== hot unknown function is a value: {"a":{"get_rsrc":"x"}}
outputs: { a: { value: { get_rsrc: x } } }
=== hot parameter constraint: E2041
parameters: { n: { type: number, default: 9, constraints: [ { range: { max: 8 } } ] } }
# ---- Cloudify
=== cloudify_dsl_1_3 concat and get_property: {"o":"x1"}
node_types: { T: { properties: { p: { type: integer, default: 1 } } } }
node_templates: { n: { type: T } }
outputs: { o: { value: { concat: [ x, { get_property: [ n, p ] } ] } } }
=== cloudify_dsl_1_3 input default of the wrong type: E2040
inputs: { i: { type: integer, default: x } }
=== cloudify_dsl_1_3 relationship to nobody: E2020
node_types: { T: {} }
relationships: { R: {} }
node_templates: { n: { type: T, relationships: [ { type: R, target: x } ] } }
=== cloudify_dsl_1_3 get_secret: E2070
outputs: { o: { value: { get_secret: x } } }
