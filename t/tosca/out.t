#!/usr/bin/perl
# What `vetro tosca -f` and `vetro graph dot` print: Clout, MuGL, YAML, DOT.
use strict;
use warnings;
use JSON::PP;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $data = "$FindBin::Bin/../data/tosca-out";
my @shop = ("$data/shop.yaml", "$data/store.yaml");
my $json = JSON::PP->new->utf8->canonical->allow_nonref;
my $drawer = grep { -x "$_/dot" } split /:/, $ENV{PATH};

sub tosca {
	my ($rc, $out, $err) = vetro('tosca', @_);
	ok($rc == 0 && $err eq '', 'vetro tosca ' . join(' ', map { s{.*/}{}r } grep { length() < 100 } @_), "status $rc", $err);
	return $out;
}

# ---- Clout: what every one must be ----

my %kinds = map { $_ => 1 } qw(NodeTemplate Group Policy Workflow WorkflowStep WorkflowActivity Operation Substitution);
my @wrong;

sub wrong {
	push @wrong, join(' ', @_) if @wrong < 5;
}

# One of the four notations, with nothing beside it but $meta and, in a map, $key.
sub notation {
	my ($v, $at, $in_map) = @_;
	return wrong($at, 'is no map') if ref $v ne 'HASH';
	my @form = grep { exists $v->{$_} } qw($primitive $list $map $functionCall);
	return wrong($at, 'has', scalar @form, 'forms') if @form != 1;
	my %more = map { $_ => 1 } keys %$v;
	delete @more{$form[0], '$meta', $in_map ? '$key' : ()};
	wrong($at, 'has also', keys %more) if %more;
	wrong($at, 'has no $key') if $in_map && !$v->{'$key'};
	notation($v->{'$key'}, "$at key") if $in_map;
	notation($_, "$at item") for @{ $v->{'$list'} // [] };
	notation($_, "$at entry", 1) for @{ $v->{'$map'} // [] };
	my $call = $v->{'$functionCall'} or return;
	wrong($at, 'calls', $call->{name}) if $call->{name} !~ /^tosca\.(function|validation)\.\w/;
	wrong($at, 'has no place') if !$call->{url} || !$call->{row} || !$call->{column};
	notation($_, "$at argument") for @{ $call->{arguments} };
}

sub notations {
	my ($map, $at) = @_;
	return wrong($at, 'is no map of values') if ref $map ne 'HASH';
	notation($map->{$_}, "$at.$_") for keys %$map;
}

sub interfaces {
	my ($all, $at) = @_;
	for my $name (keys %$all) {
		notations($all->{$name}{inputs}, "$at $name");
		notations($_->{inputs}, "$at $name") for values %{ $all->{$name}{operations} };
	}
}

sub entity {
	my ($p, $at) = @_;
	notations($p->{$_}, "$at $_") for grep { $p->{$_} && $at !~ /^Substitution/ } qw(properties attributes);
	interfaces($p->{interfaces} // {}, $at);
	for my $c (values %{ $p->{capabilities} // {} }) {
		notations($c->{$_}, "$at $_") for qw(properties attributes);
	}
	for my $name (keys %{ $p->{types} // {} }) {
		my $up = $p->{types}{$name}{parent};
		wrong($at, 'lacks the type', $up) if $up && !$p->{types}{$up};
	}
}

sub check_clout {
	my ($text, $title) = @_;
	my $c = $json->decode($text);
	my ($v, $count) = ($c->{vertexes}, 0);
	@wrong = ();
	wrong('version') if $c->{version} ne '1.0' || join(' ', sort keys %$c) ne 'metadata properties version vertexes';
	notations($c->{properties}{tosca}{$_}, $_) for qw(inputs outputs);
	for my $key (sort keys %$v) {
		my $kind = $v->{$key}{metadata}{puccini}{kind};
		wrong($key, 'is a', $kind) if !$kinds{$kind} || $key !~ /^\Q$kind\E:/;
		entity($v->{$key}{properties}, $key);
		for my $e (@{ $v->{$key}{edgesOut} }) {
			my $to = $v->{ $e->{targetID} };
			$count++;
			wrong($key, 'leads to', $e->{targetID}) if !$to;
			wrong($key, 'leads to no capability', $e->{properties}{capability})
				if $e->{metadata}{puccini}{kind} eq 'Relationship' && !$to->{properties}{capabilities}{ $e->{properties}{capability} };
			entity($e->{properties}, "edge of $key");
		}
	}
	ok(!@wrong, "$title: $count edges lead to vertexes, and values are well formed", @wrong);
	return $c;
}

my $clout = check_clout(tosca(@shop, '-f', 'clout'), 'clout of the shop');

# KIND target, of a vertex
sub edges {
	my ($key) = @_;
	return join("\n", map { "$_->{metadata}{puccini}{kind} $_->{targetID}" } @{ $clout->{vertexes}{$key}{edgesOut} });
}
sub props { return $clout->{vertexes}{ $_[0] }{properties} }

is(join("\n", sort keys %{ $clout->{vertexes} }), join("\n", sort split ' ', q{
	NodeTemplate:web[0] NodeTemplate:web[1] NodeTemplate:machine NodeTemplate:db NodeTemplate:db/a~1b
	Group:front Group:all Policy:grow Operation:grow/full/1 Substitution:db
	Workflow:up WorkflowStep:up/one WorkflowStep:up/two WorkflowStep:up/sorry
	WorkflowActivity:up/one/0 WorkflowActivity:up/one/1 WorkflowActivity:up/two/0 WorkflowActivity:up/two/1 WorkflowActivity:up/sorry/0
	Workflow:down WorkflowStep:down/all WorkflowActivity:down/all/0
	Workflow:db/begin WorkflowStep:db/begin/s WorkflowActivity:db/begin/s/0}), 'clout: keys are made of names');
is(edges('NodeTemplate:web[1]'), "Relationship NodeTemplate:machine\nRelationship NodeTemplate:db", 'clout: relationships');
is(edges('NodeTemplate:db'), 'Substituted Substitution:db', 'clout: a node that a service stands for');
is(edges('Substitution:db'), "CapabilityPointer NodeTemplate:db/a~1b\nAttributePointer NodeTemplate:db/a~1b\nInterfaceWorkflowPointer Workflow:db/begin",
	'clout: mappings of the service that stands for it');
is($json->encode(props('Substitution:db')->{inputs}), '{"size":"many"}', 'clout: a property that is an input');
is($json->encode(props('Substitution:db')->{serviceInputs}{many}), '{"$meta":{"type":"integer"},"$primitive":3}', 'clout: and its value');
is(edges('Group:front'), "Member NodeTemplate:web[0]\nMember NodeTemplate:web[1]\nMember NodeTemplate:machine", 'clout: members');
is(edges('Policy:grow'), "GroupTarget Group:front\nNodeTemplateTarget NodeTemplate:db\nPolicyTriggerWorkflow Workflow:up\n" .
	"PolicyTriggerOperation Operation:grow/full/1",
	'clout: targets and triggers');
is(edges('Workflow:up'), "WorkflowStep WorkflowStep:up/one\nWorkflowStep WorkflowStep:up/two\nWorkflowStep WorkflowStep:up/sorry", 'clout: steps');
is(edges('WorkflowStep:up/one'), <<'Y'
NodeTemplateTarget NodeTemplate:machine
WorkflowActivity WorkflowActivity:up/one/0
WorkflowActivity WorkflowActivity:up/one/1
Y
	. "OnSuccess WorkflowStep:up/two\nOnFailure WorkflowStep:up/sorry", 'clout: what a step does and what comes next');
is($json->encode(props('WorkflowActivity:up/one/0')), '{"setNodeState":"starting"}', 'clout: a state is set');
is($json->encode(props('WorkflowActivity:up/one/1')), '{"callOperation":{"inputs":{"how":{"$primitive":"fast"}},"interface":"Life","operation":"start"}}',
	'clout: an operation is called');
is($json->encode(props('WorkflowActivity:up/two/0')), '{"delegateWorkflow":"other"}', 'clout: a workflow of somebody else');
is(edges('WorkflowActivity:up/two/1'), 'InlineWorkflow Workflow:down', 'clout: a workflow within another');
my $web = props('NodeTemplate:web[1]');
is($web->{nodeIndex}, 1, 'clout: nodes of a template are numbered');
is($json->encode($web->{types}), '{"Base":{"description":"The base"},"Web":{"parent":"Base"}}', 'clout: types with their parents');
is($json->encode($web->{properties}{ports}), '{"$map":[{"$key":{"$primitive":"http"},"$list":[{"$primitive":80}]},'
	. '{"$key":{"$primitive":"443"},"$list":[{"$primitive":1},{"$primitive":2}]}],"$meta":{"type":"map","value":{"element":{"type":"integer"},' .
		'"type":"list"}}}',
	'clout: maps, lists and what they are');
my $how = $web->{interfaces}{Life}{operations}{start}{inputs}{how}{'$functionCall'};
is("$how->{name} $how->{path}", 'tosca.function.get_attribute service_template.node_templates["web"].interfaces["Life"].operations["start"].inputs["how"]',
	'clout: what an attribute decides stays a call, with its path');
like($how->{url} . ":$how->{row}:$how->{column}", qr{types\.yaml:35:43$}, 'clout: and its place');
is($web->{interfaces}{Life}{operations}{start}{implementation}, 'files/start.sh', 'clout: the file of an artifact that implements');
is($json->encode($web->{artifacts}{'start.sh'}{types}), '{"File":{}}', 'clout: artifacts');
is($web->{requirements}[1]{nodeTemplateName} . ' ' . $web->{requirements}[1]{relationship}{properties}{user}{'$primitive'}, "db a\nb", 'clout: requirements');
is($json->encode($clout->{properties}{tosca}{inputs}{size}{'$meta'}{validators}[0]{'$functionCall'}{arguments}), '[{"$primitive":0}]',
	'clout: a validation without its value');
is($json->encode($clout->{properties}{tosca}{outputs}{address}{'$functionCall'}{arguments}), '[{"$primitive":"machine"},{"$primitive":"address"}]',
	'clout: an output that is not known yet');

# ---- MuGL ----

my $mugl = tosca(@shop, '-f', 'mugl');
spew("$W/shop.mugl", $mugl);
is((vetro('graph', 'check', '--snapshot', "$W/shop.mugl"))[0], 0, 'mugl: without cycles it is a snapshot');
my $g = $json->decode($mugl);
is(join(' ', sort keys %{ $g->{vertices} }), 'db db/a/b groups/all groups/front machine policies/grow web_0 web_1', 'mugl: monikers');
is($json->encode($g->{tosca}), '{"description":"A shop","inputs":{"label":"yes","size":2},"outputs":{"address":null}}', 'mugl: front matter');
is($json->encode($g->{vertices}{web_0}{properties}{requirements}{store}),
	'[{"capability":"data","properties":{"user":"a\nb"},"to":{"#ref":"db"},"type":"Uses"}]', 'mugl: a relationship');
is($json->encode($g->{vertices}{db}{properties}{substitution}), '{"inputs":{"many":3},"nodes":[{"#ref":"db/a/b"}]}', 'mugl: what stands for a node');
is($json->encode($g->{vertices}{'groups/all'}{properties}), '{"members":[{"#ref":"db"},{"#ref":"web_0"},{"#ref":"web_1"}]}', 'mugl: a group');
spew("$W/more.mugl", tosca(@shop, '-f', 'mugl', '--input', 'size=3'));
my ($rc, $out) = vetro('graph', 'diff', "$W/shop.mugl", "$W/more.mugl");
like($out, qr/^\+ web_2 \(Web\): create\n(?s:.*)1 to create, 2 to update, 0 to replace, 0 to delete, \d+ unchanged/m, 'mugl: one more node is one step');

my $head = "tosca_definitions_version: tosca_2_0\ncapability_types: { C: {} }\n";
spew("$W/loop.yaml", $head . <<'END');
node_types: { T: { capabilities: { c: C }, requirements: [ r: { capability: C, count_range: [ 0, 1 ] } ] } }
service_template:
  node_templates:
    a: { type: T, requirements: [ r: b ] }
    b: { type: T, requirements: [ r: a ] }
    n: { type: T, count: 2 }
    n_1: { type: T }
  outputs: { o: { value: { 1: x } } }
END
$g = $json->decode(tosca("$W/loop.yaml", '-f', 'mugl'));
is(join(' ', sort keys %{ $g->{vertices} }), 'a b n_0 n_1 n_1~', 'mugl: names that read alike are told apart');
is($json->encode($g->{tosca}), '{"outputs":{"o":{"1":"x"}}}', 'mugl: keys are texts');
spew("$W/loop.mugl", $json->encode($g));
is((vetro('graph', 'check', "$W/loop.mugl"))[0], 0, 'mugl: a service with a cycle is a graph');
is((vetro('graph', 'check', '--snapshot', "$W/loop.mugl"))[0], 1, 'mugl: but no snapshot');
check_clout(tosca("$W/loop.yaml", '-f', 'clout'), 'clout with a cycle');

# ---- YAML ----

spew("$W/words.yaml", "tosca_definitions_version: tosca_2_0\n" . <<'END');
service_template:
  node_templates: {}
  inputs:
    words: { type: list, entry_schema: { type: string } }
    map: { type: map, entry_schema: { type: string } }
    f: { type: float, default: 2.5 }
END
my $words = $json->encode(['yes', 'no', 'null', '~', '', '1.0', '0x1F', '1e3', '2020-01-01', '- a', 'a: b', 'a #b', '#', "a\nb", "a\n",
	"\n", ' a', 'a ', '"', '\\',
	"\t", "\x{7f}\x{85}\x{2028}\x{1f600}", '*a', '&a', '!a', '%a', '@a', '`a', '{a', '[a', '|', '>', '?', ':', '-', '=', '<<', '.inf', 'NaN',
		'12:30', '---', '...']);
$words =~ s/\x7f\xc2\x85\xe2\x80\xa8/\\u007f\\u0085\\u2028/;
my @words = ('--input', "words=$words", '--input', 'map={"yes": "on", "1": "1", "a: b": "c", "": "", "null": "~"}');
my $yaml = tosca("$W/words.yaml", @words, '-f', 'yaml');
my $topology = $json->decode(tosca("$W/words.yaml", @words));
spew("$W/words.out", $yaml);
($rc, $out) = vetro('query', '$', "$W/words.out");
is($json->encode($json->decode($out)), $json->encode($topology), 'yaml: reads back as the topology');
is($json->encode($topology->{inputs}{words}), $json->encode($json->decode($words)), 'yaml: nothing was lost on the way in');
like($yaml, qr/^    - "yes"$/m, 'yaml: words that YAML takes for something else are quoted');
like($yaml, qr/^    - "1.0"$/m, 'yaml: so are numbers');
like(tosca(@shop, '-f', 'yaml'), qr/\Ainputs:\n  size: 2\n  label: "yes"\noutputs:\n  address: null\nnodes:\n  web_0:\n    types:\n      - Base\n      - Web\n/,
	'yaml: as people read it');

# ---- DOT ----

my $dot = tosca(@shop, '-f', 'dot');
is($dot, <<"END", 'dot: nodes, capabilities, relationships, groups, policies and insides');
digraph tosca {
	compound=true;
	node [shape=record, style=rounded];
	subgraph cluster_g0_1 {
		label="front\\nTier"; style=rounded;
		g0_1 [shape=point, style=invis];
		n0 [label="{web\\ \xc3\x97\\ 2\\nWeb}"];
		n1 [label="{machine\\nMachine|{<c0> host}}"];
	}
	subgraph cluster_g0_2 {
		label="all\\nTier"; style=rounded;
		g0_2 [shape=point, style=invis];
		n2 [label="{db\\nStore|{<c0> data}}"];
	}
	n0 -> n1:c0 [label="host \xc3\x97 2", tooltip="On"];
	n0 -> n2:c0 [label="store \xc3\x97 2", tooltip="Uses"];
	g0_2 -> n0 [ltail=cluster_g0_2, style=dashed, arrowhead=none];
	p0_1 [shape=note, style=solid, label="grow\\nGrow"];
	p0_1 -> g0_1 [lhead=cluster_g0_1, style=dashed];
	p0_1 -> n2 [style=dashed];
	subgraph cluster_s1 {
		label="inside of db"; style=dotted;
		s1 [shape=point, style=invis];
		n3 [label="{a/b\\nDisk|{<c0> data}}"];
	}
	n2 -> s1 [lhead=cluster_s1, style=dotted, arrowhead=none];
}
END

spew("$W/names.yaml", $head . <<'END');
node_types: { "T<x>|{y}": { capabilities: { "c c": C }, requirements: [ 'r"\': { capability: C, count_range: [ 0, 1 ] } ] } }
group_types: { G: {} }
service_template:
  inputs: { much: { type: integer } }
  node_templates:
    "a\"]; evil [label=\"": { type: "T<x>|{y}", requirements: [ 'r"\': "b\\" ] }
    "b\\": { type: "T<x>|{y}" }
    "&lt;\e\n\u202e": { type: "T<x>|{y}" }
    none: { type: "T<x>|{y}", count: 0 }
  groups:
    g: { type: G, members: [ h, none ] }
    h: { type: G, members: [ "b\\", "b\\" ] }
    i: { type: G, members: [ i ] }
END
my ($st, $drawn, $err) = vetro('graph', 'dot', "$W/names.yaml");
ok($st == 0, 'graph dot: a service is drawn without its inputs', "status $st", $err);
ok($drawn !~ /[\x00-\x08\x0b-\x1f]|\xe2\x80\xae/ && $drawn =~ /U\+001B/ && $drawn =~ /U\+202E/ && $drawn =~ /&amp;lt;/,
	'dot: names cannot do anything', $drawn);
like($drawn, qr/subgraph cluster_g0_1 \{\n.*\n.*\n\t\tsubgraph cluster_g0_2 \{/, 'dot: a group in a group');
like($drawn, qr/\[label="\{none\\ \xc3\x97\\ 0\\nT.*", style="rounded,dashed"\]/, 'dot: a template that makes no node');
is((vetro('tosca', "$W/names.yaml", '-f', 'dot'))[0], 1, 'dot: vetro tosca wants the inputs');
is((vetro('graph', 'dot', "$data/types.yaml"))[1], "digraph tosca {\n\tcompound=true;\n\tnode [shape=record, style=rounded];\n}\n",
	'graph dot: a profile has nothing to draw');
spew("$W/bad.yaml", $head . "service_template: { node_templates: { a: { type: Nope } } }\n");
my @bad = vetro('graph', 'dot', "$W/bad.yaml");
ok($bad[0] == 1 && $bad[1] eq '' && $bad[2] =~ /bad\.yaml:3:.*E2020/, 'graph dot: problems of a service', @bad);
like((vetro('graph', 'dot', "$W/shop.mugl"))[1], qr/^digraph mugl \{/, 'graph dot: a MuGL graph is one');

for my $text ($dot, $drawn) {
	spew("$W/in.dot", $text);
	skip('dot', 'Graphviz is not installed'), next if !$drawer;
	my $said = `dot -Tsvg -o '$W/out.svg' '$W/in.dot' 2>&1`;
	ok($? == 0 && $said eq '', 'dot: Graphviz draws it', $said);
}

# ---- the same for all ----

for my $f (qw(topology clout mugl yaml dot)) {
	my @two = map { (vetro('tosca', @shop, '-f', $f))[1] } 1, 2;
	ok($two[0] eq $two[1] && $two[0] =~ /\n\z/ && length $two[0] > 200, "$f: the same every time, whole lines");
	my ($rc, $out, $err) = vetro('tosca', "$data/types.yaml", '-f', $f);
	ok($rc == 0 && $err eq '', "$f: a profile is an empty service", $err);
}
my @usage = vetro('tosca', @shop, '-f', 'json');
ok($usage[0] == 2 && $usage[2] =~ /-f takes topology, clout, mugl, yaml, dot or html, not/, 'what -f knows', @usage);

# ---- deploy binaries ----

($rc, $out, $err) = vetro({limit => 300}, 'build', "$data/shop.yaml", '-o', "$W/deploy");
ok($rc == 0, 'vetro build', $err);
sub deploy {
	my $text = `'$W/deploy' topology @_ 2>&1`;
	return ($? >> 8, $text);
}
for my $f (qw(topology clout mugl yaml dot)) {
	my ($rc, $text) = deploy("-f $f --input size=1");
	my $want = tosca("$data/shop.yaml", '-f', $f, '--input', 'size=1');
	if ($f =~ /^[tcm]/ && $rc == 0) {
		s{"url": ?"[^"]*"}{"url":""}g for $text, $want;
		$_ = $json->encode($json->decode($_)) for $text, $want;
	}
	ok($rc == 0 && $text eq $want, "deploy topology -f $f", $text);
}
my @refused = deploy('-f json');
ok($refused[0] == 2 && $refused[1] =~ /-f takes topology, clout, mugl, yaml, dot or html, not json/, 'deploy topology: what -f knows', @refused);

# ---- size ----

sub chain {
	my ($n) = @_;
	my $text = "tosca_definitions_version: tosca_2_0\ncapability_types: { C: {} }\nnode_types:\n  T:\n    properties: { p: { type: integer } }\n"
		. <<'Y'
    capabilities: { c: C }
    requirements: [ next: { capability: C, count_range: [ 0, 1 ] } ]
group_types: { G: {} }
policy_types: { P: {} }
Y
		. "service_template:\n  groups: { all: { type: G, members: [ " . join(', ', map { "n$_" } 1 .. $n) . " ] } }\n"
		. "  policies: [ p: { type: P, targets: [ all ] } ]\n  node_templates:\n";
	$text .= "    n$_: { type: T, properties: { p: $_ }" . ($_ < $n ? ", requirements: [ next: n" . ($_ + 1) . " ]" : '') . " }\n" for 1 .. $n;
	spew("$W/chain$n.yaml", $text);
	return "$W/chain$n.yaml";
}

# Seconds of the processor, the least of three runs.
sub seconds {
	my (@args) = @_;
	my ($least, $out, $rc) = (1e9, '', 0);
	for (1 .. 3) {
		my $before = (times)[2] + (times)[3];
		($rc, $out) = vetro(@args);
		my $s = (times)[2] + (times)[3] - $before;
		$least = $s if $s < $least;
	}
	return ($least, $out, $rc);
}

my ($small, $large) = (chain(2500), chain(10000));
for my $f (qw(topology clout mugl yaml dot)) {
	my ($some, $less) = seconds('tosca', $small, '-f', $f);
	my ($all, $more, $rc) = seconds('tosca', $large, '-f', $f);
	my $times = $all / ($some > 0.02 ? $some : 0.02);
	ok($rc == 0 && $times < 10, "$f: four times the nodes, less than ten times the time", sprintf('%.2f s and %.2f s', $some, $all));
	ok(length $more < 4.2 * length $less, "$f: and about four times the text", length $less, length $more);
	check_clout($more, 'clout of 10,000 nodes') if $f eq 'clout';
	next if $f ne 'mugl';
	spew("$W/chain.mugl", $more);
	is((vetro('graph', 'check', '--snapshot', "$W/chain.mugl"))[0], 0, 'mugl: a chain of 10,000 nodes is a snapshot');
}
done();
