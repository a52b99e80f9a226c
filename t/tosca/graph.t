#!/usr/bin/perl
# The representation graph of TOSCA: nodes, requirements, substitution, functions that walk it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my $file = 0;

# What most services here begin with.
my $types = <<'E';
tosca_definitions_version: tosca_2_0
capability_types:
  Slot: { properties: { size: { type: integer, default: 1 } } }
  BigSlot: { derived_from: Slot }
  Other: {}
relationship_types:
  Plug: { properties: { label: { type: string, required: false }, tag: { type: string, required: false } } }
  SlotPlug: { derived_from: Plug, valid_capability_types: [ BigSlot ] }
node_types:
  Box:
    properties:
      power: { type: integer, default: 1 }
      name: { type: string, required: false }
    attributes:
      state: { type: string }
      from: { type: string, default: start }
    capabilities:
      slot: Slot
  BigBox:
    derived_from: Box
    capabilities:
      big: BigSlot
  Lamp:
    properties:
      seen: { type: list, entry_schema: string, required: false }
      text: { type: string, required: false }
    requirements:
      - plug: { capability: Slot, relationship: Plug, count_range: [ 0, UNBOUNDED ] }
E

sub run {
	my ($text, @more) = @_;
	my $name = "$W/t" . ++$file . '.yaml';
	spew($name, $text);
	my ($status, $out, $err) = vetro('tosca', $name, '-f', 'topology', @more);
	return ($status == 0 ? $json->decode($out) : undef, $err);
}
sub service { return run("${types}service_template:\n  node_templates:\n" . join('', map { "    $_\n" } @_)); }
sub same { my ($got, $want, $title) = @_; return is($json->encode($got), $json->encode($want), $title); }
sub targets {
	my ($t, $node) = @_;
	return join ' ', map { "$_->{name}=$_->{target}.$_->{capability}" } @{$t->{nodes}{$node}{relationships}};
}

# What a requirement chooses among templates, in two orders of the file.
sub chooses {
	my ($title, $requirement, $want, @boxes) = @_;
	for my $order ([@boxes], [reverse @boxes]) {
		my ($t, $err) = service(@$order, "lamp: { type: Lamp, requirements: [ $requirement ] }");
		is($t && targets($t, 'lamp'), $want, $title) or print "# $err\n";
	}
}
sub fails {
	my ($title, $pattern, @lines) = @_;
	my ($t, $err) = service(@lines);
	like($t ? 'no problem' : $err, $pattern, $title);
}

# ---- the choice ----
my @boxes = ('b2: { type: Box }', 'b1: { type: Box, properties: { power: 5 } }', 'big: { type: BigBox, properties: { power: 9 } }');
my $power = '{ $get_property: [ SELF, power ] }';
chooses('the first by name', 'plug: {}', 'plug=b1.slot', @boxes);
chooses('by template', 'plug: b2', 'plug=b2.slot', @boxes);
chooses('by node type, its first capability', 'plug: BigBox', 'plug=big.slot', 'b: { type: Box }', 'big: { type: BigBox }');
chooses('derived node types too', 'plug: Box', 'plug=b1.slot', @boxes);
chooses('by the name of a capability', 'plug: { node: big, capability: big }', 'plug=big.big', @boxes);
chooses('by a capability type', 'plug: { capability: BigSlot }', 'plug=big.big', @boxes);
chooses('by what the relationship type takes', 'plug: { relationship: SlotPlug }', 'plug=big.big', @boxes);
chooses('by node filter', "plug: { node_filter: { \$greater_than: [ $power, 4 ] } }", 'plug=b1.slot', @boxes);
chooses('by a filter over a capability', 'plug: { node_filter: { $equal: [ { $get_property: [ SELF, CAPABILITY, slot, size ] }, 3 ] } }', 'plug=b3.slot',
	'b1: { type: Box }', 'b3: { type: Box, capabilities: { slot: { properties: { size: 3 } } } }');
chooses('count takes one after the other', 'plug: { count: 2 }', 'plug=b1.slot plug=b2.slot', 'b2: { type: Box }', 'b1: { type: Box }');
chooses('and starts again', 'plug: { count: 3 }', 'plug=b1.slot plug=b2.slot plug=b1.slot', 'b2: { type: Box }', 'b1: { type: Box }');
chooses('what the service does not have may come from outside', 'plug: { capability: BigSlot }', '', @boxes[0, 1]);
chooses('also where a filter rejects all', "plug: { node_filter: { \$greater_than: [ $power, 99 ] } }", '', @boxes);
chooses('directive external', 'plug: { directives: [ external ] }', '', @boxes);

# ---- problems ----
my $lamp = 'lamp: { type: Lamp, requirements: [ plug: { directives: [ internal ], %s } ] }';
fails('internal: nothing of the type', qr/E2060.*no node of type 'BigBox'/, sprintf($lamp, 'node: BigBox'), 'b: { type: Box }');
fails('internal: no capability', qr/E2060.*no node has a capability of type 'BigSlot'(?:.*\n)*.*looked at: 'b'/, sprintf($lamp, 'capability: BigSlot'),
	'b: { type: Box }');
fails('internal: the filter', qr/E2060.*node filter rejects every candidate(?:.*\n)*.*rejected: 'b'/,
	sprintf($lamp, "node_filter: { \$equal: [ $power, 7 ] }"), 'b: { type: Box }');
fails('a named node without the capability', qr/E2060.*'l2' has no capability/, 'lamp: { type: Lamp, requirements: [ plug: l2 ] }', 'l2: { type: Lamp }');
my ($t, $err) = service(sprintf($lamp, 'capability: BigSlot, optional: true'), 'b: { type: Box }');
ok(defined $t, 'an optional requirement', $err);

# ---- occurrences of 1.x ----
sub old {
	my ($bounds, @nodes) = @_;
	my $n = 0;
	my $all = join '', map { "  S" . $n++ . ": { capabilities: { c: { type: C, occurrences: [ $_ ] } } }\n" } @$bounds;
	return run("tosca_definitions_version: tosca_simple_yaml_1_3\ncapability_types: { C: {} }\nnode_types:\n$all" .
		"  U: { requirements: [ r: { capability: C } ] }\ntopology_template:\n  node_templates:\n" . join('', map { "    $_\n" } @nodes));
}
my @users = map { "u$_: { type: U }" } 1 .. 3;
for my $turned (0, 1) {
	my @all = ('a: { type: S0 }', 'b: { type: S1 }', @users);
	@all = reverse @all if $turned;
	for (['the greatest maximum first', 'b b b', '0, 2', '0, UNBOUNDED'], ['until it is full', 'a a b', '0, 2', '0, 1'],
		['a minimum that is missing before all', 'b b a', '0, UNBOUNDED', '2, 3']) {
		my ($title, $want, @bounds) = @$_;
		my ($g, $e) = old(\@bounds, @all);
		is(join(' ', map { $g ? $g->{nodes}{"u$_"}{relationships}[0]{target} : '' } 1 .. 3), $want, $title) or print "# $e\n";
	}
}
like((old(['0, 2'], 'a: { type: S0 }', @users))[1], qr/E2060.*'r' of 'u3'.*has all relationships that it takes(?:.*\n)*.*full: 'a'/, 'all are full');
ok(defined((old(['4, 9'], 'a: { type: S0 }', @users))[0]), 'a minimum that stays missing is no error: nobody enforces the default, which is 1');

# ---- representations ----
($t, $err) = service('b: { type: Box, count: 2, properties: { name: { $concat: [ n, { $token: [ "0 1", " ", $node_index ] } ] } } }',
	'lamp: { type: Lamp, count: 2, requirements: [ plug: { node: [ b, $node_index ] } ], properties: { text: { $get_property: [ SELF, plug, name ] } } }',
	'one: { type: Lamp, count: 1, requirements: [ plug: { node: b, count: 2 } ], properties: { seen: { $get_property: [ SELF, RELATIONSHIP, plug, ALL, ' .
		'TARGET, name ] } } }',
	'none: { type: Box, count: 0 }');
same([sort keys %{$t->{nodes} || {}}], ['b_0', 'b_1', 'lamp_0', 'lamp_1', 'one'], 'names of representations') or print "# $err\n";
same([map { targets($t, $_) } 'lamp_0', 'lamp_1'], ['plug=b_0.slot', 'plug=b_1.slot'], 'one of them by index');
same([map { $t->{nodes}{$_}{properties}{text} } 'lamp_0', 'lamp_1'], ['n0', 'n1'], 'values by representation');
same($t->{nodes}{one}{properties}{seen}, ['n0', 'n1'], 'ALL makes a list');

# ---- paths ----
($t, $err) = service('b: { type: BigBox, properties: { name: box }, attributes: { state: on } }', 'lamp:', '  type: Lamp', '  requirements:',
	'  - plug: { node: b, relationship: { type: Plug, properties: { label: { $get_property: [ TARGET, name ] }, tag: { $get_property: [ SOURCE, text ] } ' .
		'} } }',
	'  properties:', '    text: lit', '    seen:',
	map { "    - { \$concat: [ $_ ] }" } '{ $get_attribute: [ SELF, RELATIONSHIP, plug, TARGET, state ] }', '{ $get_attribute: [ b, from ] }',
	'{ $get_attribute: [ SELF, plug, name ] }', '{ $get_property: [ SELF, RELATIONSHIP, plug, 0, label ] }', '{ $get_property: [ SELF, plug, 0, tag ] }');
same($t->{nodes}{lamp}{properties}{seen}, ['on', 'start', 'box', 'box', 'lit'], 'paths') or print "# $err\n";
same($t->{nodes}{lamp}{relationships}[0]{properties}, {label => 'box', tag => 'lit'}, 'SOURCE and TARGET');
my $path = 'lamp: { type: Lamp, requirements: [ plug: b ], properties: { text: { $get_property: [ %s ] } } }';
fails('an unknown property', qr/E2070.*'b' has no property 'nam'(?:.*\n)*.*did you mean 'name'/, sprintf($path, 'b, nam'), 'b: { type: Box }');
fails('an unknown node', qr/E2070.*no node template 'lamb'(?:.*\n)*.*did you mean 'lamp'/, sprintf($path, 'lamb, name'), 'b: { type: Box }');
fails('SOURCE of a node', qr/E2070.*SOURCE means nothing here/, sprintf($path, 'SOURCE, name'), 'b: { type: Box }');
fails('inside of a text', qr/E2070.*nothing inside of a string/, sprintf($path, 'b, name, x'), 'b: { type: Box, properties: { name: n } }');
($t, $err) = service(map { my ($x, $y) = @$_; "$x: { type: Lamp, properties: { text: { \$get_property: [ $y, text ] } } }" } ['a', 'c'],
	['c', 'a'], ['d', 'a']);
like($err, qr/E2072.*'text' of '[ac]' depends on itself(?:.*\n)*.*it is needed by/, 'a loop');
same([$err =~ /error\[(\w+)\]/g], ['E2072'], 'is one problem, and who depends on it is quiet');

# ---- HOST, nodes of a type ----
($t, $err) = run(<<'E');
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    machine: { type: tosca.nodes.Compute, attributes: { public_address: 10.0.0.1 } }
    engine: { type: tosca.nodes.SoftwareComponent, requirements: [ host: machine ] }
    web: { type: tosca.nodes.WebServer, requirements: [ host: machine ] }
    app: { type: tosca.nodes.WebApplication, requirements: [ host: web ], properties: { context_root: { get_attribute: [ HOST, public_address ] } } }
  outputs:
    soft: { value: { get_nodes_of_type: tosca.nodes.SoftwareComponent } }
    unknown: { value: { get_attribute: [ machine, private_address ] } }
E
is($t && $t->{nodes}{app}{properties}{context_root}, '10.0.0.1', 'HOST looks along the chain of hosts') or print "# $err\n";
same([sort @{$t->{outputs}{soft} || []}], ['engine', 'web'], 'nodes of a type and of derived types');
same($t->{outputs}{unknown}, undef, 'what is known only when it runs is null');

# ---- substitution is performed ----
my $facade = <<'E';
  Facade:
    properties: { port: { type: integer }, name: { type: string, default: shop } }
    attributes: { url: { type: string } }
    capabilities: { front: Slot }
    requirements: [ below: { capability: Slot, node: Box, count_range: [ 1, 1 ] } ]
E
spew("$W/inner.yaml", $types . $facade . <<'E');
  Inner:
    properties: { port: { type: integer }, label: { type: integer } }
    attributes: { address: { type: string, default: here } }
    capabilities: { in: Slot }
    requirements: [ out: { capability: Slot, count_range: [ 1, 1 ] } ]
service_template:
  inputs: { the_port: { type: integer }, name: { type: string } }
  node_templates:
    core: { type: Inner, properties: { port: { $get_input: the_port }, label: { $get_property: [ SELF, out, power ] } } }
  outputs: { url: { value: { $concat: [ { $get_input: name }, ":", { $get_attribute: [ core, address ] } ] } } }
  substitution_mappings:
    node_type: Facade
    substitution_filter: { $less_than: [ { $get_property: [ SELF, port ] }, 1000 ] }
    properties: { port: the_port }
    attributes: { url: url }
    capabilities: { front: [ core, in ] }
    requirements: { below: [ core, out ] }
E
sub outer {
	my ($port) = @_;
	return run($types . $facade . "service_template:\n  node_templates:\n    base: { type: Box, properties: { power: 4 } }\n" .
		"    shop: { type: Facade, directives: [ substitute ], properties: { port: $port }, requirements: [ below: base ] }\n" .
		"  outputs: { url: { value: { \$get_attribute: [ shop, url ] } } }\n", "$W/inner.yaml");
}
($t, $err) = outer(80);
my $sub = $t->{nodes}{shop}{substitution};
is($t && $t->{outputs}{url}, 'shop:here', 'an attribute comes from an output inside') or print "# $err\n";
same($sub && $sub->{inputs}, {the_port => 80, name => 'shop'}, 'properties are inputs inside, by mapping or by name');
same($sub && $sub->{nodes}{core}{properties}, {port => 80, label => 4}, 'the node inside sees what the outer one is related to');
same($sub && [map { "$_->{name}=$_->{target}" } @{$sub->{nodes}{core}{relationships}}], ['out=base'], 'its requirement leads there');
($t, $err) = outer(8080);
ok($t && !$t->{nodes}{shop}{substitution}, 'where the filter fails the node stays abstract', $err);

# ---- requirements of a substituted node, as 15.5 of TOSCA 2.0 has them ----
# What `inner` service relates the nodes a, b and c to, where the outer one has $n relationships: by node "box box".
sub mapped {
	my ($n, $range, $mappings, $nodes) = @_;
	spew("$W/part.yaml", $types . "  Client: { requirements: [ service: { capability: Slot, count_range: [ 1, UNBOUNDED ] } ] }\n" .
		"  Part: { requirements: [ service: { capability: Slot, count_range: $range } ] }\nservice_template:\n" .
		"  substitution_mappings: { node_type: Client, requirements: [ $mappings ] }\n  node_templates: { $nodes }\n");
	my ($got, $e) = run($types . <<'Y' .
  Client: { requirements: [ service: { capability: Slot, count_range: [ 1, UNBOUNDED ] } ] }
service_template:
  node_templates:
Y
		join('', map { "    s$_: { type: Box }\n" } 1 .. $n) .
		'    c: { type: Client, directives: [ substitute ], requirements: [ ' . join(', ', map { "service: s$_" } 1 .. $n) . " ] }\n", "$W/part.yaml");
	my $in = $got && $got->{nodes}{c}{substitution}{nodes} or return $e;
	return join '; ', map { my $node = $_; "$node " . join(' ', map { $_->{target} } @{$in->{$node}{relationships} || []}) } sort keys %$in;
}
my $three = 'a: { type: Part }, b: { type: Part }, c: { type: Part }';
is(mapped(1, '[ 0, 1 ]', 'service: [ a, service ]', 'a: { type: Part }'), 'a s1', 'a requirement inside that need not be met and has no assignment');
is(mapped(3, '[ 0, UNBOUNDED ]', 'service: [ a, service ]', 'a: { type: Part }'), 'a s1 s2 s3', 'the only mapping is one of all');
is(mapped(3, '[ 1, 1 ]', 'service: [ a, service ]', 'a: { type: Part }'), 'a s1', 'as far as the requirement inside takes them');
is(mapped(3, '[ 1, 1 ]', 'service: [ a, service ], service: [ b, service ], service: [ c, service ]', $three), 'a s1; b s2; c s3', 'each to one node');
is(mapped(2, '[ 2, 2 ]', '[ service, 2 ]: [ a, service ]', 'a: { type: Part }'), 'a s1 s2', 'two at once');
is(mapped(1, '[ 1, 1 ]', 'service: [ [ a, service ], [ b, service ] ]', 'a: { type: Part }, b: { type: Part }'), 'a s1; b s1', 'one to two nodes');
is(mapped(4, '[ 0, UNBOUNDED ]', 'service: [ a, service ], service: [ b, service ], [ service, UNBOUNDED ]: [ a, service ]',
	'a: { type: Part }, b: { type: Part }'),
	'a s1 s3 s4; b s2', 'the rest to one that has one already');
is(mapped(1, '[ 0, 1 ]', 'service: [ a, service ], service: [ b, service ]',
	'a: { type: Part }, b: { type: Part, requirements: [ service: { optional: false } ] }'),
	'a ; b s1', 'what must be met comes first');
like(mapped(1, '[ 0, 1 ]', '[ service, 0 ]: [ a, service ]', 'a: { type: Part }'), qr/E2056\].*positive integer or UNBOUNDED/, 'none of them');

# A node of the directive select is the one that the outer node is related to.
{
	my $more = <<'E';
  Machine:
    properties: { cores: { type: integer, required: false } }
    attributes: { ip: { type: string } }
    capabilities: { os: { type: Slot } }
  Big: { derived_from: Machine }
  App:
    properties: { where: { type: string, required: false } }
    requirements: [ on: { capability: Slot, count_range: [ 1, 1 ] } ]
  Shop: { requirements: [ on: { capability: Slot, node: Box, count_range: [ 0, 3 ] } ] }
  Farm: { requirements: [ on: { capability: Slot, node: Machine, count_range: [ 0, 3 ] } ] }
E
	my $farm = sub {
		my ($outer, $mappings, $inner, $type) = @_;
		$type ||= 'Farm';
		spew("$W/part.yaml", "$types$more" . <<"Y");
service_template:
  substitution_mappings: { node_type: $type, requirements: [ $mappings ] }
  node_templates: { $inner }
Y
		my ($got, $e) = run("$types$more" . "service_template:\n  node_templates:\n" .
			<<'Y' .
    box: { type: Box }
    m1: { type: Machine, properties: { cores: 4 }, attributes: { ip: 10.0.0.1 } }
    m2: { type: Big, properties: { cores: 16 }, attributes: { ip: 10.0.0.2 } }
Y
			"    c: { type: $type, directives: [ substitute ], requirements: [ $outer ] }\n", "$W/part.yaml");
		return ($got && $got->{nodes}{c}{substitution}{nodes}, $e);
	};
	my $app = sub { "app$_[0]: { type: App, properties: { where: { \$get_attribute: [ m$_[0], ip ] } }, requirements: [ on: m$_[0] ] }" };
	my ($in, $e) = $farm->('on: m1', 'on: m', 'm: { type: Machine, directives: [ select ] }, ' . $app->(''));
	same($in && [@{$in->{m}}{qw(properties attributes)}], [{cores => 4}, {ip => '10.0.0.1'}], 'values of a selected node are those of the target')
		or print "# $e\n";
	is($in && $in->{app}{properties}{where}, '10.0.0.1', 'which others inside see');
	($in, $e) = $farm->('on: m1, on: m2', 'on: ma, on: mb',
		'ma: { type: Machine, directives: [ select ] }, mb: { type: Machine, directives: [ select ] }, ' . join ', ', $app->('a'), $app->('b'));
	is($in && "$in->{appa}{properties}{where} $in->{appb}{properties}{where}", '10.0.0.1 10.0.0.2', 'two of them') or print "# $e\n";
	($in, $e) = $farm->('on: m1, on: m2', 'on: ma, on: [ app, on ]', 'ma: { type: Machine, directives: [ select ] }, app: { type: App }');
	is($in && "$in->{ma}{properties}{cores} $in->{app}{relationships}[0]{target}", '4 m2', 'one of them, and a requirement behind it') or print "# $e\n";
	($in, $e) = $farm->('on: m2', 'on: m',
		'm: { type: Machine, directives: [ select ] }, app: { type: App, requirements: [ on: { node: Machine, node_filter: { $greater_than: [ { ' .
		'$get_property: [ SELF, cores ] }, 8 ] } } ] }');
	is($in && $in->{app}{relationships}[0]{target}, 'm', 'filters inside see its values') or print "# $e\n";
	($in, $e) = $farm->('', 'on: m', 'm: { type: Machine, directives: [ select ] }');
	same($in && $in->{m}{properties}, {}, 'none, where the outer node is related to nothing') or print "# $e\n";
	($in, $e) = $farm->('on: box', 'on: m', 'm: { type: Machine, directives: [ select ] }', 'Shop');
	like($e, qr/E2054\].*'box' is of the type Box, and 'm', which it would be selected for, of Machine/, 'one of another type');
}

# ---- custom functions ----
($t, $err) = run(<<'E');
tosca_definitions_version: tosca_2_0
functions:
  twice:
    signatures:
    - { arguments: [ { type: integer } ], result: { type: integer }, implementation: { $sum: [ 1, 1 ] } }
    - { arguments: [ { type: string } ], result: { type: string }, implementation: { $concat: [ x, x ] } }
service_template:
  node_templates: {}
  outputs:
    a: { value: { $twice: [ 3 ] } }
    b: { value: { $twice: [ t ] } }
E
same($t && $t->{outputs}, {a => 2, b => 'xx'}, 'a function with two signatures') or print "# $err\n";

# ---- depth and size ----
for my $n (2000, 20000) {
	my $text = "tosca_definitions_version: tosca_2_0\nnode_types: { N: { properties: { v: { type: integer } } } }\nservice_template:\n  node_templates:\n";
	$text .= "    n$_: { type: N, properties: { v: { \$get_property: [ n" . ($_ + 1) . ", v ] } } }\n" for 1 .. $n - 1;
	my ($deep, $e) = run($text . "    n$n: { type: N, properties: { v: 7 } }\n");
	is($deep && $deep->{nodes}{n1}{properties}{v}, 7, "a value over $n nodes") or print '# ', substr($e, 0, 300), "\n";
}
($t, $err) = run("tosca_definitions_version: tosca_2_0\nnode_types: { N: {} }\nservice_template: { node_templates: { n: { type: N, count: 5000000 } } }\n");
like($err, qr/E2090.*more than 1000000 nodes/, 'too many nodes');
my $many = "${types}service_template: { node_templates: { b: { type: Box }, lamp: { type: Lamp, requirements: [ plug: { count: 4000000000 } ] } } }\n";
($t, $err) = run($many, '--max-nodes', '1000');
like($err, qr/E2090.*more than 4000 relationships/, 'too many relationships');
done;
