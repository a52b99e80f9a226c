#!/usr/bin/perl
# Services of many nodes: memory, many problems, and what is printed piece by piece.
use strict;
use warnings;
use JSON::PP;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $json = JSON::PP->new->utf8->canonical->allow_nonref;
my $head = "tosca_definitions_version: tosca_simple_yaml_1_3\n";
my $file = "$W/service.yaml";
my $slow = ($ENV{CONFIG} || 'debug') eq 'release' ? 1 : 10;

# ---- a chain that fills several pieces of output ----

my $n = 3000;
my $types = "node_types:\n  Link:\n    derived_from: tosca.nodes.Root\n    properties: { label: { type: string }, hop: { type: integer } }\n"
	. "    capabilities: { link: { type: tosca.capabilities.Endpoint } }\n"
	. "    requirements: [ next: { capability: tosca.capabilities.Endpoint, occurrences: [ 0, 1 ] } ]\n";
my $inputs = "  inputs: { label: { type: string, default: end } }\n";
my $outputs = "  outputs: { label: { value: { get_property: [ n1, label ] } } }\n";

sub chain {
	my ($n) = @_;
	my $text = "$head${types}topology_template:\n$inputs  node_templates:\n";
	$text .= "    n$_: { type: Link, properties: { hop: $_, label: { "
		. ($_ < $n ? 'get_property: [ n' . ($_ + 1) . ', label ] } }, requirements: [ next: n' . ($_ + 1) . ' ] }' : 'get_input: label } } }') . "\n"
			for 1 .. $n;
	return $text . $outputs;
}

spew($file, chain($n));
my ($rc, $out, $err) = vetro('tosca', '-c', $file);
is("$rc $err", '0 ', 'a chain of nodes');
my $got = eval { $json->decode($out) } || {};
is(scalar keys %{$got->{nodes}}, $n, 'each node is there');
is($got->{nodes}{n7}{properties}{label}, 'end', 'the value went through the chain');
is(join(',', $out =~ /"(inputs|outputs|nodes|groups|policies)":/g), 'inputs,outputs,nodes,groups,policies', 'the parts have their order');
my ($prc, $pretty) = vetro('tosca', '-p', $file);
ok($json->encode($json->decode($pretty)) eq $json->encode($got), 'the same with indentation');
my $tail = qr/\n    \}\n  \},\n  "groups": \{\},\n  "policies": \{\}\n\}/;
like($pretty, qr/^\{\n  "inputs": \{\n    "label": "end"\n  \},\n.*?\n  "nodes": \{\n    "n1": \{\n      "types": \[\n.*$tail\n$/s,
	'which is that of a JSON text in one piece');
is((vetro('tosca', '-c', '-f', 'yaml', $file))[0], 0, 'and as YAML');

# What the files say is not kept, but inputs are still known.
($rc, $out, $err) = vetro('tosca', '--input', 'lable=x', $file);
like("$rc $err", qr/^1 .*no input 'lable'.*did you mean 'label'/s, 'an input that nobody declares');
is($json->decode((vetro('tosca', '-c', '--input', 'label=x', $file))[1])->{outputs}{label}, 'x', 'an input');
like((vetro('tosca', '--list', '-c', $file))[1], qr/"label"/, '--list');

# ---- names that several nodes might have ----

spew($file, "tosca_definitions_version: tosca_2_0\nnode_types: { N: {} }\nservice_template:\n  node_templates:\n"
	. "    a: { type: N, count: 2 }\n    b: { type: N }\n");
my @lines = map { my ($form) = $_; (vetro('tosca', $form, $file))[1] } '-c', '-p';
is(join(' ', sort keys %{$json->decode($lines[0])->{nodes}}), 'a_0 a_1 b', 'several nodes of a template')
	if $lines[0] =~ /a_0/;
ok($json->encode($json->decode($lines[0])) eq $json->encode($json->decode($lines[1])), 'and the same with indentation');

# ---- memory ----

sub peak {
	my (@args) = @_;
	my $kb = qx(sh -c '"\$0" tosca "\$@" > /dev/null & p=\$!; m=0; while k=\$(sed -n "s/^VmHWM:[^0-9]*\\([0-9]*\\).*/\\1/p" /proc/\$p/status \\
		2>/dev/null) && [ -n "\$k" ]; do m=\$k; sleep 0.005; done; echo \$m' $vetro @args);
	return $kb * 1024;
}
if ($slow == 1 && -e '/proc/self/status') {
	my @peak;
	for my $many (10_000, 30_000) {
		spew($file, chain($many));
		push @peak, [peak('-c', $file), -s $file];
	}
	my $more = ($peak[1][0] - $peak[0][0]) / ($peak[1][1] - $peak[0][1]);
	ok($more < 25, 'memory grows with the file, and not much faster', sprintf '%.1f bytes for each of the file', $more);
	my ($plain, $graph) = ($peak[1][0], peak('-f', 'mugl', $file));
	ok($graph < 1.3 * $plain, 'a graph is written piece by piece as well', "$plain and $graph bytes");
} else {
	skip($_, "a release build shows it") for 'memory', 'memory of a graph';
}

# ---- many problems ----

my $bad = 20_000;
spew($file, "${head}topology_template:\n  node_templates:\n" . join '', map { "    n$_:\n      type: tosca.nodes.SoftwareComponent\n" } 1 .. $bad);
my $start = time;
($rc, $out, $err) = vetro({ limit => 120 }, 'tosca', $file);
is($rc, 1, 'a service with a problem in every node');
like($err, qr/there is no node of type 'tosca\.nodes\.Compute'/, 'the first ones with a reason');
like($err, qr/^$bad errors; \d+ not shown$/m, 'all are counted');
ok(time - $start < 20 * $slow, 'in a time that is not their square', time - $start . ' s');

# The place of a problem that the engine found, behind characters of several bytes.
spew($file, "${head}topology_template:\n  inputs:\n    \xc3\xa4: { type: integer, default: x }\n");
like((vetro('tosca', $file))[2], qr/:4:34: error/, 'columns count characters');

# ---- YAML: arrays of every size, numbers and tags ----

my @seq = map { "[" . join(', ', 1 .. $_) . "]" } 0 .. 40;
spew($file, "tosca_definitions_version: tosca_2_0\nservice_template:\n  node_templates: {}\n  outputs:\n" .
	"    l: { type: list, entry_schema: { type: list, entry_schema: integer }, value: [ " . join(', ', @seq) . " ] }\n"
	. "    m: { type: map, entry_schema: integer, value: { " . join(', ', map { "k$_: $_" } 1 .. 300) . " } }\n"
	. "    n: { type: map, value: { <<: { a: 1, b: 2 }, c: !!int \"3\", b: -4, d: 0x10, e: 007, f: 1e3, g: +5, h: 123456789012345678 } }\n");
($rc, $out, $err) = vetro('tosca', '-c', $file);
is("$rc $err", '0 ', 'lists and maps of all sizes');
$got = $rc == 0 ? $json->decode($out)->{outputs} : {};
is($json->encode($got->{l}), '[' . join(',', map { s/ //gr } @seq) . ']', 'lists');
is(join(',', map { $got->{m}{"k$_"} // '-' } 1 .. 300), join(',', 1 .. 300), 'maps');
is($json->encode($got->{n}), '{"a":1,"b":-4,"c":3,"d":16,"e":7,"f":1000,"g":5,"h":123456789012345678}', 'numbers and merges');

done();
