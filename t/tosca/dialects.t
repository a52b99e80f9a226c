#!/usr/bin/perl
# Dialects of TOSCA 1.x: version lines, and what the standard does not allow and files in use have. It is taken with a warning of its
# own; --strict makes that an error. Version 2.0 takes none of it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $n = 0;
sub file { my ($text, $version) = @_; my $path = "$W/d" . $n++ . '.yaml';
	spew($path, 'tosca_definitions_version: ' . ($version // 'tosca_simple_yaml_1_3') . "\n$text"); return $path }
sub codes { my ($err) = @_; return join ' ', $err =~ /(?:error|warning)\[(\w+)\]/g }
sub says { my ($title, $want, $text, $version) = @_;
	my ($rc, $out, $err) = vetro('check', file($text, $version));
	is(codes($err), $want, $title) or print map { "# $_\n" } split /\n/, $err;
	is($rc, $want =~ /E/ ? 1 : 0, "$title: the status");
	return $err }
# Taken with a warning, refused with --strict, and by 2.0.
sub lenient { my ($title, $code, $text, $version) = @_;
	my $err = says($title, $code, $text, $version);
	like($err, qr/hint: /, "$title: there is a hint");
	my ($rc, undef, $strict) = vetro('check', '--strict', file($text, $version));
	ok($rc == 1 && $strict =~ /error\[\Q$code\E\]/, "$title: --strict", $strict);
	(my $new = $text) =~ s/topology_template/service_template/;
	($rc, undef, $err) = vetro('check', file($new, 'tosca_2_0'));
	is($rc, 1, "$title: 2.0 refuses it") or print map { "# $_\n" } split /\n/, $err }

# ---- version lines
my $head = "tosca_definitions_version: tosca_simple_yaml_1_3\n";
my $node = "topology_template: { node_templates: { a: { type: tosca.nodes.Compute } } }\n";
says("version $_", '', $node, $_) for map({ "tosca_simple_yaml_1_$_" } 0 .. 3), qw(tosca_simple_yaml_1_0_0 tosca_simple_yaml_1_0_0_wd03
	tosca_simple_profile_for_nfv_1_0 tosca_simple_profile_for_nfv_1_0_0 tosca_simple_openecomp_1_0 yorc_tosca_simple_yaml_1_0 alien_dsl_1_2_0
	alien_dsl_1_3_0 alien_dsl_1_4_0 alien_dsl_2_0_0 alien_dsl_3_0_0 http://docs.oasis-open.org/tosca/ns/simple/yaml/1.1);
says("version cloudify_dsl_$_", '', "node_templates: { a: { type: cloudify.nodes.Root } }\n", "cloudify_dsl_$_") for map { "1_$_" } 0 .. 5;
like(says('a version that is none', 'E2001', $node, 'alien_dsl_2_0_1'), qr/did you mean 'alien_dsl_2_0_0'\? there are tosca_2_0,/,
	'a hint names the nearest');
spew("$W/old.yaml", "tosca_definitions_version: tosca_simple_yaml_1_0\nnode_types: { Old: { derived_from: tosca.nodes.Root } }\n");
says('1.3 imports 1.0', '', "imports: [ old.yaml ]\ntopology_template: { node_templates: { a: { type: Old } } }\n");

# ---- Alien4Cloud: inputs of operations of types that are maps of their own
my $inputs = sub { "$_[1]: { N: { interfaces: { Standard: { create: { implementation: a.sh, inputs: { i: $_[0] } } } } } }\n" };
for my $types ('node_types', 'relationship_types') {
	says("A4C: $types, a literal map", 'W2005', $inputs->('{ key1: a, key2: [ b ] }', $types), 'alien_dsl_2_0_0');
	says("A4C: $types, a definition stays one", 'W2005', $inputs->('{ type: string, required: true }', $types), 'alien_dsl_2_0_0');
	says("A4C: $types, a misspelt keyname", 'W2005 E2002', $inputs->('{ tpye: string }', $types), 'alien_dsl_2_0_0');
	says("1.2: $types, no literal map", 'W2005 E2002 E2002', $inputs->('{ key1: a, key2: [ b ] }', $types), 'tosca_simple_yaml_1_2');
}

# ---- Cloudify: what a type of a plugin that is not there would bring is unknown, its interfaces too
like(says('an interface of a type whose base is unknown', 'E2015', <<'Y', 'cloudify_dsl_1_3'), qr/plugin:p/, 'the import alone is told');
imports: [ 'plugin:p' ]
node_types: { N: { derived_from: p.nodes.Server, interfaces: { own: {} } } }
node_templates: { a: { type: N, interfaces: { cloudify.interfaces.lifecycle: { create: { inputs: { a: 1 } } } } } }
Y

# ---- values
my $p = sub { "node_types: { N: { properties: { p: { type: $_[0] } } } }\n"
	. "topology_template: { node_templates: { a: { type: N, properties: { p: $_[1] } } } }\n" };
says("version: $_", '', $p->('version', $_)) for '6.5', '14.04', '1.10';
says("required: $_", '', "node_types: { N: { properties: { p: { type: string, required: $_ } } } }\ntopology_template: { node_templates: { a: { type: N"
	. (/no|off/i ? '' : ', properties: { p: x }') . " } } }\n") for qw(yes no on off No);
says('required: "yes" is a text', 'E2004', "node_types: { N: { properties: { p: { type: string, required: 'yes' } } } }\n");
like(says('required: yes of 2.0', 'E2004', "node_types: { N: { properties: { p: { type: string, required: yes } } } }\n", 'tosca_2_0'),
	qr/write true or false/,
	'2.0 wants true and false');
lenient("a $_->[0] for a string", 'W2023', $p->('string', $_->[1])) for ['number', 8080], ['float', '1.10'], ['boolean', 'true'];
says('a number in a data type', 'E2040', "data_types: { D: { properties: { x: { type: string } } } }\n" . $p->('D', '{ x: 1 }'));
lenient('default: null', 'W2021', "node_types: { N: { properties: { p: { type: string, default: null, required: false } } } }\n");
lenient('occurrences: 1', 'W2027', "node_types: { N: { requirements: [ r: { capability: tosca.capabilities.Node, occurrences: 1 } ] } }\n");
lenient('[ 0, unbounded ]', 'W2027', "node_types: { N: { requirements: [ r: { capability: tosca.capabilities.Node, occurrences: [ 0, unbounded ] } ] } }\n");
says('[ 0, many ]', 'E2005', "node_types: { N: { requirements: [ r: { capability: tosca.capabilities.Node, occurrences: [ 0, many ] } ] } }\n");
lenient('status: SUPPORTED', 'W2029', "node_types: { N: { properties: { p: { type: string, required: false, status: SUPPORTED } } } }\n");
says('status: FINE', 'E2005', "node_types: { N: { properties: { p: { type: string, status: FINE } } } }\n");

# ---- sections
lenient("$_->[0] with nothing", 'W2020', $_->[1]) for ['inputs', "topology_template:\n  inputs:\n"], ['node_types', "node_types:\n"],
	['requirements', "node_types:\n  N:\n    requirements:\n"], ['properties', "node_types:\n  N:\n    properties:\n"],
	['description', "description:\nnode_types: { N: {} }\n"], ['capabilities of a node',
		"node_types: { N: {} }\ntopology_template:\n  node_templates:\n    a:\n      type: N\n      capabilities:\n"];
says('a node template with nothing', 'E2004', "topology_template:\n  node_templates:\n    a:\n");
lenient('an operation as an empty list', 'W2022',
	"node_types: { N: { interfaces: { Standard: { type: tosca.interfaces.node.lifecycle.Standard, operations: { create: [] } } } } }\n");
says('an operation as a list', 'E2004',
	"node_types: { N: { interfaces: { Standard: { type: tosca.interfaces.node.lifecycle.Standard, operations: { create: [ a ] } } } } }\n");
spew("$W/$_.sh", '') for qw(a b);
lenient('operations below the interface', 'W2024',
	"node_types: { N: { interfaces: { Standard: { type: tosca.interfaces.node.lifecycle.Standard, create: a.sh, stop: b.sh } } } }\n");
says('a misspelt keyname there', 'E2002',
	"node_types: { N: { interfaces: { Standard: { type: tosca.interfaces.node.lifecycle.Standard, operation: {} } } } }\n");
lenient('an output without value', 'W2025', "topology_template: { outputs: { o: { concat: [ a, b ] } } }\n");
is(codes(says('keynames of vendors', 'W2028 W2028',
	"topology_template: { inputs: { a: { type: string, hidden: true, immutable: false }, b: { type: string, hidden: false } } }\n")),
	'W2028 W2028', 'each is told once in a file');
lenient('a mapping of nothing', 'W2030', "node_types: { N: { requirements: [ r: { capability: tosca.capabilities.Node } ] } }\ntopology_template: "
	. "{ substitution_mappings: { node_type: N, requirements: { r: [] } } }\n");

# ---- names and imports
spew("$W/compute.yaml",
	"${head}node_types:\n  tosca.nodes.Compute: { derived_from: tosca.nodes.Root, properties: { own: { type: string, required: false } } }\n"
	. "  tosca.nodes.Database: { derived_from: tosca.nodes.Root }\n");
says('types of the profile declared again', 'W2026',
	"imports: [ compute.yaml ]\ntopology_template: { node_templates: { a: { type: tosca.nodes.Compute, properties: { own: x } } } }\n");
spew("$W/l$_->[0].yaml",
	"${head}imports: [ l$_->[1].yaml ]\nnode_types: { N$_->[0]: { derived_from: N$_->[1] } }\n") for [1, 2], [2, 3];
spew("$W/l3.yaml",
	"${head}imports: [ l1.yaml, l3.yaml ]\nnode_types: { N3: { derived_from: tosca.nodes.Root }, M: { derived_from: N1 } }\n");
says('files that import each other', '', "imports: [ l1.yaml ]\ntopology_template: { node_templates: { a: { type: N1 }, b: { type: M } } }\n");
says('such files and a name that none has', 'E2020', "imports: [ l2.yaml ]\ntopology_template: { node_templates: { a: { type: N4 } } }\n");
my $unknown = "imports: [ gone.yaml ]\ntopology_template:\n  node_templates:\n    a: { type: tosca.nodes.Compute, properties: { odd: 1 }, "
	. "requirements: [ more: b ] }\n"
	. "    b: { type: Strange, capabilities: { c: { properties: { x: 1 } } } }\n";
says('what a missing file may declare', 'E2010', $unknown);
my $copy = "node_types:\n  tosca.nodes.Root: { properties: { n: { type: string, required: false } } }\n  Own: { derived_from: tosca.nodes.Root }\n";
says('a file with roots of its own', '', $copy . "topology_template: { node_templates: { a: { type: Own, "
	. "properties: { n: x } }, b: { type: tosca.nodes.Compute } } }\n");
says('a primitive declared again', '', "data_types: { string: { derived_from: tosca.datatypes.Root } }\n" . $p->('string', 'x'));
says('numbers among the values of a string', 'W2023', $p->('string, constraints: [ { valid_values: [ 4, 6 ] } ]', 4));
says('and one that is not', 'W2023 E2041', $p->('string, constraints: [ { valid_values: [ 4, 6 ] } ]', 5));

# ---- Alien4Cloud
my $alien = <<'Y';
template_name: t
imports: [ tosca-normative-types:1.0.0-ALIEN20 ]
node_types:
  N:
    abstract: true
    derived_from: tosca.nodes.SoftwareComponent
    tags: { icon: a.png }
    attributes: { url: { concat: [ "http://", get_property: [ SELF, x ] ] } }
    requirements:
    - base: tosca.nodes.Compute
      type: tosca.relationships.HostedOn
      lower_bound: 0
      upper_bound: 1
    interfaces: { Standard: { create: { implementation: { file: a.sh, type: tosca.artifacts.Implementation.Bash } } } }
    artifacts:
    - scripts: scripts
    - data: data
      type: tosca.artifacts.File
topology_template: { node_templates: { c: { type: tosca.nodes.Compute } } }
Y
mkdir "$W/$_" for qw(scripts data);
spew("$W/a.sh", "#!/bin/sh\n");
says('what Alien4Cloud writes', '', $alien, 'alien_dsl_2_0_0');
my $label = "topology_template:\n  node_templates:\n    c: { type: tosca.nodes.Compute }\n    s:\n      type: tosca.nodes.SoftwareComponent\n"
	. "      requirements:\n      - onCompute: { type_requirement: %s, node: c, capability: tosca.capabilities.Compute }\n";
says('a requirement with a label', '', sprintf($label, 'host'), 'alien_dsl_2_0_0');
says('a label of a requirement that is none', 'E2050', sprintf($label, 'hots'), 'alien_dsl_2_0_0');
says('steps of old workflows, the capability by type, a file that is given later', '', <<'Y', 'alien_dsl_2_0_0');
node_types:
  N:
    derived_from: tosca.nodes.Root
    requirements:
    - host: { type: tosca.capabilities.Node, relationship: tosca.relationships.DependsOn, occurrences: [ 0, 1 ] }
topology_template:
  node_templates:
    n: { type: N, artifacts: { data: { file: { get_input_artifact: data }, type: tosca.artifacts.File } } }
  workflows:
    install:
      steps:
        a: { node: n, activity: { set_state: initial }, on-success: [ b ] }
        b: { target: n, activities: { call_operation: tosca.interfaces.node.lifecycle.Standard.create } }
Y
like(says('a step of nothing', 'E2020', "topology_template: { workflows: { w: { steps: { a: { node: n, activity: { set_state: x } } } } } }\n",
	'alien_dsl_2_0_0'), qr/'n'/, 'and where it is written');

# ---- refinements, ranges, names of drafts
says('a type that is not derived', 'W2036', "capability_types: { my.Endpoint: { derived_from: tosca.capabilities.Endpoint, "
	. "properties: { port: { type: integer } } } }\n");
says("occurrences: $_", 'W2027', "node_types: { N: { requirements: [ r: { capability: tosca.capabilities.Node, occurrences: $_ } ] } }\n")
	for '[ -1, 2 ]', '[ "1", "2" ]', '[ 1.0, 2.0 ]', '[]', '[ 1, -2 ]';
says("a name of drafts: $_->[0]", '', "$_->[1]: { T: { derived_from: $_->[0] } }\n", 'tosca_simple_yaml_1_0_0')
	for ['tosca.nodes.Container', 'node_types'], ['tosca.policy.placement', 'policy_types'], ['tosca.relationships.AttachTo', 'relationship_types'];
says('numbers as texts among the values', '', "node_types: { N: { properties: { p: { type: integer, default: 4, constraints: "
	. "[ valid_values: [ '4', '6' ] ] } } } }\n");
my $indexed = "topology_template:\n  inputs:\n    all: { type: list, entry_schema: { type: string }, default: [ a, b ] }\n"
	. "    at: { type: integer, default: 1 }\n  outputs: { o: { value: { get_input: [ all, at ] } } }\n";
my (undef, $topology) = vetro('tosca', '-c', '-f', 'topology', file($indexed));
like($topology, qr/"o":"b"/, 'an index that is another input');

# ---- what is not there is unknown
sub errors { my ($title, $want, $text, $version) = @_;
	my (undef, $out, $err) = vetro('check', file($text, $version)); is(codes($err), $want, $title) or print map { "# $_\n" } split /\n/, $err }
errors('a type without its base has anything', 'E2020', "node_types: { N: { derived_from: my.Base } }\n"
	. "topology_template: { node_templates: { n: { type: N, properties: { any: 1 }, attributes: { thing: 2 } } } }\n");
errors('a requirement to a node whose type is unknown', 'E2020', "topology_template:\n  node_templates:\n"
	. "    a: { type: tosca.nodes.Root, requirements: [ strange: b ] }\n    b: { type: my.Unknown }\n");
errors('what nobody satisfies, where types are missing', 'E2020', "topology_template:\n  node_templates:\n"
	. "    a: { type: tosca.nodes.SoftwareComponent }\n    b: { type: my.Unknown }\n");

# ---- Alien4Cloud and Yorc: what a deployment brings, what plugins know, types of both
sub product { my ($title, $code, $version, $text) = @_;
	my $err = says($title, $code, $text, $version);
	my ($rc, undef, $strict) = vetro('check', '--strict', file($text, $version));
	ok($rc == 1 && $strict =~ /error\[\Q$code\E\]/, "$title: --strict", $strict);
	return $err }
sub nodes { return "topology_template: { node_templates: { $_[0] } }\n" }
my $app = nodes('app: { type: tosca.nodes.SoftwareComponent }');
product('no host', 'W2044', 'alien_dsl_2_0_0', $app);
says('the standard wants a host', 'E2060', $app, 'tosca_simple_yaml_1_2');
product('no required value', 'W2044', 'alien_dsl_3_0_0', "node_types: { N: { properties: { p: { type: string } } } }\n" . nodes('a: { type: N }'));
product('no required value in a data type', 'W2044', 'alien_dsl_3_0_0', "data_types: { D: { properties: { x: { type: string } } } }\n"
	. $p->('D', '{ }'));
says('a value of the wrong type stays one', 'E2040', $p->('integer', 'many'), 'alien_dsl_2_0_0');
says('a requirement that the type does not have', 'W2009', nodes('a: { type: tosca.nodes.Compute, requirements: [ other: { node: b } ] }, '
	. 'b: { type: tosca.nodes.Compute }'), 'yorc_tosca_simple_yaml_1_0');
product('an artifact type of a plugin', 'W2042', 'alien_dsl_2_0_0', "node_types: { N: { interfaces: { Standard: { start: { implementation: "
	. "{ type: my.Custom, file: /bin/true } } } } } }\n");
product('an operation of a relationship', 'W2044', 'alien_dsl_2_0_0', "node_types: { N: { attributes: { a: { get_operation_output: "
	. "[ SELF, Configure, add_target, X ] } } } }\n" . nodes('a: { type: N }'));
product('an entry_schema without a type', 'W2041', 'alien_dsl_2_0_0', "node_types: { N: { properties: { l: { type: list, required: false, "
	. "entry_schema: { constraints: [ min_length: 1 ] } } } } }\n");
says('a property of a capability', '', "node_types: { N: { capabilities: { c: { type: tosca.capabilities.Endpoint } } } }\ntopology_template: "
	. "{ node_templates: { n: { type: N } }, outputs: { o: { value: { get_property: [ n, secure ] } } } }\n", 'alien_dsl_2_0_0');
says('and one that nothing has', 'E2070', "topology_template: { node_templates: { n: { type: tosca.nodes.Compute } }, "
	. "outputs: { o: { value: { get_property: [ n, secura ] } } } }\n", 'alien_dsl_2_0_0');
says("Yorc's types as $_", '', "imports: [ $_ ]\n" . nodes('a: { type: yorc.nodes.Compute, capabilities: { endpoint: { properties: '
	. '{ bastion: { use: false } } } } }'), 'alien_dsl_2_0_0') for '<yorc-types.yml>', "'yorc-types:1.1.0'", "'yorc-types:2.0.0'";
says("which are no file of the standard's", 'E2010', "imports: [ <yorc-types.yml> ]\n$node", 'tosca_simple_yaml_1_2');
says('names of drafts', '', "relationship_types: { R: { derived_from: tosca.relationships.AttachTo } }\n" . nodes('a: { type: tosca.nodes.BlockStorage }, '
	. 'c: { type: tosca.nodes.Compute, requirements: [ local_storage: '
	. '{ node: a, relationship: { type: R, properties: { location: /mnt } } } ] }'), 'alien_dsl_1_4_0');
says('short names of data types, Yorc', 'E2020', $p->('PortDef', 1), 'yorc_tosca_simple_yaml_1_0');
says('short names of data types, Alien4Cloud', '', $p->('PortDef', 1), 'alien_dsl_1_4_0');

# ---- ONAP
my $data = "data_types: { D: { properties: { x: { type: string, required: false } } } }\n";
product('String', 'W2040', 'tosca_simple_yaml_1_0_0', "node_types: { N: { properties: { p: { type: String, default: x } } } }\n");
says('String of the standard', 'E2020', "node_types: { N: { properties: { p: { type: String, default: x } } } }\n", 'tosca_simple_yaml_1_0');
product('a property without a type', 'W2041', 'tosca_simple_yaml_1_0_0', "node_types: { N: { properties: { p: { description: x } } } }\n");
product('false where a map is wanted', 'W2021', 'tosca_simple_openecomp_1_0', $data
	. "node_types: { N: { properties: { p: { type: D, required: false, default: false } } } }\n");
says('true is no map either', 'E2040', $data . "node_types: { N: { properties: { p: { type: D, default: true } } } }\n", 'tosca_simple_openecomp_1_0');
product('json, which came later', 'W2040', $_, $p->('json', "'{}'")) for 'tosca_simple_yaml_1_0', 'tosca_simple_yaml_1_1';
says('json of 1.2', '', $p->('json', "'{}'"), 'tosca_simple_yaml_1_2');
my $none = "node_types: { N: { properties: { m: { type: map, default: { k: } } } } }\n";
says('an entry that is empty, of nothing in particular', '', $none, 'alien_dsl_2_0_0');
$none =~ s/map,/map, entry_schema: { type: string },/;
product('an entry that is empty, of texts', 'W2020', 'alien_dsl_2_0_0', $none);
$none =~ s/string/integer/;
says('an entry that is empty, of numbers', 'E2040', $none, 'alien_dsl_2_0_0');

# ---- files of a platform's own catalogue: they have the roots themselves, and no service
my $catalogue = "node_types:\n  tosca.nodes.Root: {}\n  my.A: { derived_from: my.B }\n";
product('a name that the file lacks', 'W2043', $_, $catalogue) for 'tosca_simple_yaml_1_2', 'tosca_simple_yaml_1_0_0';
says('names without a dot are the profile\'s', 'E2020', $catalogue =~ s/my\.B/Bee/r);
says('a service has to have them', 'E2020', $catalogue . nodes('a: { type: my.A }'));
says('no roots, no catalogue', 'E2020', $catalogue =~ s/tosca.nodes.Root/my.Root/r);
spew("$W/root.yaml", "${head}node_types: { tosca.nodes.Root: {} }\ndata_types: { tosca.datatypes.network.PortInfo: {} }\n");
spew("$W/again.yaml", "${head}data_types: { tosca.datatypes.network.PortInfo: {} }\n");
says('a type of the profile in two files', 'W2026', "imports: [ root.yaml, again.yaml ]\n$node");
spew("$W/mine1.yaml", "${head}data_types: { my.D: {} }\n");
spew("$W/mine2.yaml", "${head}data_types: { my.D: {} }\n");
says('one of nobody\'s profile', 'E2021', "imports: [ mine1.yaml, mine2.yaml ]\n$node");

# ---- maps that look like calls, lists that are none, files that are not there
my $o = sub { "topology_template: { node_templates: { n: { type: tosca.nodes.Root } }, outputs: { o: { value: $_[0] } } }\n" };
like(says($_->[0], 'W2033', $o->($_->[0])), qr/did you mean '$_->[1]'/, "$_->[0]: the hint")
	for ['{ get_atribute: [ n, state ] }', 'get_attribute'], ['{ $get_attribute: [ n, state ] }', 'get_attribute'];
says('a map of another kind', '', $o->('{ my_key: [ n, state ] }'));
says('concat of a text', 'E2070', $o->('{ concat: abc }'));
says('a script that is not there', 'W2005', "topology_template: { node_templates: { n: { type: tosca.nodes.Compute, interfaces: "
	. "{ Standard: { operations: { start: absent.sh } } } } } }\n");
errors('a section by a name that is nearly one: one message', 'E2002', "topology_template:\n  node_templats: { a: { type: tosca.nodes.Root } }\n"
	. "  groups: { g: { type: tosca.groups.Root, members: [ a ] } }\n  outputs: { o: { value: { get_attribute: [ a, state ] } } }\n");
errors('a template without a type: one message', 'E2003', "topology_template:\n  node_templates:\n    a: { properties: {} }\n"
	. "    b: { type: tosca.nodes.SoftwareComponent, requirements: [ host: a ] }\n");

# ---- Cloudify
spew("$W/part.yaml", "node_types: { my.Node: { derived_from: cloudify.nodes.Root } }\n");
says('an import without a version; its types by any URL', '', "imports: [ part.yaml, 'http://www.getcloudify.org/spec/cloudify/7.1.0.dev1/types.yaml', "
	. "cloudify/types/types.yaml ]\nnode_templates: { n: { type: my.Node } }\n", 'cloudify_dsl_1_4');
says("$_ is not known before", '', "node_types: { T: { properties: { p: { default: '' } } } }\n"
	. "node_templates: { n: { type: T, properties: { p: { $_: [ a, b ] } } } }\n", 'cloudify_dsl_1_5')
	for qw(get_secret get_capability get_environment_capability get_sys get_label);
my ($rc) = vetro('check', file($alien, 'tosca_simple_yaml_1_2'));
is($rc, 1, 'the standard has none of that');

says('scaling policies, which are of the language itself', '', "node_templates: { n: { type: cloudify.nodes.Root } }\ngroups: { g: { members: [ n ] } }\n"
	. "policies: { p: { type: cloudify.policies.scaling, targets: [ g ], properties: { default_instances: 2 } } }\n", 'cloudify_dsl_1_3');
like(says('a keyname of the topology at the top', 'E2002', "node_templates: {}\n"), qr/hint: it stands below topology_template/, 'where it stands');

# ---- Cloudify's PREFIX--FILE
my $with = sub { "imports: [ net--part.yaml ]\nnode_templates: { n: { type: $_[0] } }\n" };
says('prefix--file', '', $with->('net--my.Node'), 'cloudify_dsl_1_5');
says('its names are not known without', 'E2020', $with->('my.Node'), 'cloudify_dsl_1_5');
says('cloudify.* needs no prefix', '', $with->('cloudify.nodes.Root'), 'cloudify_dsl_1_5');
spew("$W/out.yaml", "imports: [ far--part.yaml ]\n");
says('prefixes compose', '', "imports: [ net--out.yaml ]\nnode_templates: { n: { type: net--far--my.Node } }\n", 'cloudify_dsl_1_5');
spew("$W/a--b.yaml", slurp("$W/old.yaml"));
says('dashes of a file name are no prefix before 2.0', '', "imports: [ a--b.yaml ]\n"
	. "topology_template: { node_templates: { a: { type: Old } } }\n");

# ---- archives of a catalogue, NAME:VERSION
mkdir "$W/cat";
mkdir "$W/cat/$_" for 'one', 'two';
my $type = sub { "node_types: { $_[0]: { derived_from: tosca.nodes.Root } }\n" };
spew("$W/cat/one/types.yml", $head . "template_name: org.one-types\ntemplate_version: 1.0.0-SNAPSHOT\n" . $type->('One'));
spew("$W/cat/two/types.yml", $head . "metadata:\n  # of a product\n  template_version: '2.0'\n  template_name: \"two\"\n" . $type->('Two'));
spew("$W/cat/old.yml", $head . "template_name: two\ntemplate_version: '1.0'\n" . $type->('Older'));
spew("$W/cat/near.yml", $head . "node_types:\n  X:\n    derived_from: tosca.nodes.Root\n    metadata:\n"
	. "      template_name: near\n      template_version: '1'\n");
system("cd '$W/cat/two' && zip -q ../packed.csar types.yml && mv types.yml types.txt") == 0 or die;
sub imports { my ($name, $type) = @_;
	return vetro('check', '-I', "$W/cat", file("imports: [ '$name' ]\ntopology_template: { node_templates: { a: { type: $type } } }\n",
		'alien_dsl_3_0_0')) }
for (['org.one-types:1.0.0-SNAPSHOT', 'One', 'a file'], ['two:2.0', 'Two', 'a packed archive'], ['two:1.0', 'Older', 'another version']) {
	my ($status, undef, $err) = imports(@$_[0, 1]);
	is("$status " . codes($err), '0 ', "catalogue: $_->[2]") or print map { "# $_\n" } split /\n/, $err }
my (undef, undef, $said) = imports('two:1.1', 'Two');
is(codes($said), 'E2015', 'a version that is not there: one message');
like($said, qr/no archive 'two:1\.1' below.*did you mean 'two:[12]\.0'\?/s, 'the nearest is named');
(undef, undef, $said) = imports('near:1', 'X');
is(codes($said), 'E2015', 'metadata of a type names no archive');
done();
