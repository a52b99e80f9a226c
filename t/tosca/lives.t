#!/usr/bin/perl
# What a run does beside its plan: retries, heal and scale, inputs without values, files beside the script, and ctx.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Deploy;
use File::Path qw(make_path);
use Tap;

my ($rc, $out, $err);
my $json = JSON::PP->new->canonical;
mkdir "$W/svc";
mkdir "$W/svc/$_" for 'scripts', 'files', 'far';
sub ran { my $r = -e "$at/log" ? slurp("$at/log") : ''; unlink "$at/log"; return $r =~ s/\n/ /gr }
sub go { my ($bin, @args) = @_; ($rc, $out, $err) = deploy({ limit => 120 }, $bin, @args); return $rc }
sub service {
	my ($name, $text) = @_;
	spew("$W/svc/$name.yaml", $text);
	return build($name, "$W/svc/$name.yaml");
}
spew("$W/svc/note.sh", "echo \$VETRO_NODE.\$VETRO_OPERATION >>$at/log\n");
spew("$W/svc/fail.sh", "exit 1\n");

# ---- heal and scale
my $scaled = service('scaled', <<'Y');
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  N:
    derived_from: tosca.nodes.Root
    interfaces: { Standard: { operations: { create: note.sh, delete: note.sh } } }
    requirements:
    - host: { capability: tosca.capabilities.Container, relationship: tosca.relationships.HostedOn, occurrences: [ 0, 1 ] }
    - dep: { capability: tosca.capabilities.Node, relationship: tosca.relationships.DependsOn, occurrences: [ 0, 1 ] }
    capabilities: { host: { type: tosca.capabilities.Container }, scalable: { type: tosca.capabilities.Scalable } }
topology_template:
  node_templates:
    m: { type: N, capabilities: { scalable: { properties: { max_instances: 3, min_instances: 1 } } } }
    app: { type: N, requirements: [ host: m ] }
    lb: { type: N, requirements: [ dep: app ] }
Y
fresh();
is(go($scaled, 'workflow', 'heal', '--input', 'node=app'), 1, 'nothing can be healed that is not there');
is(go($scaled, 'workflow', 'scale', '--input', 'node=app'), 1, 'nor scaled');
go($scaled, 'run');
ran();
is(go($scaled, 'workflow', 'scale', '--input', 'node=m'), 0, 'scale') or print "# $err\n";
is(ran(), 'm_1.create app_1.create ', 'one more of the machine, and of what stands on it');
go($scaled, 'run');
is(ran(), '', 'a run leaves that as it is');
is(go($scaled, 'workflow', 'scale', '--input', 'node=m', '--input', 'delta=5'), 1, 'not beyond max_instances');
like($err, qr/'m' may have 1 to 3 nodes, and not 7/, 'which is said');
is(go($scaled, 'workflow', 'scale', '--input', 'node=m', '--input', 'delta=-1'), 0, 'one less');
like(ran(), qr/m_1\.delete /, 'goes');
is(go($scaled, 'workflow', 'heal', '--input', 'node=app'), 0, 'heal');
is(ran(), 'lb.delete app.delete app.create lb.create ', 'the node and what needs it');
for ([ 'heal', '--input', 'node=nix' ], ['heal'], [ 'scale', '--input', 'nodes=2' ], [ 'scale', '--input', 'node=m', '--input', 'delta=x' ]) {
	ok(go($scaled, "workflow", @$_) > 0, "@$_: refused");
	is(ran(), '', 'and nothing is done');
}

# ---- the same, killed in the middle: `run` goes on
spew("$W/svc/dies.sh", <<"S");
echo \$VETRO_NODE.\$VETRO_OPERATION >>$at/log
[ "\$VETRO_NODE.\$VETRO_OPERATION" != "\$(cat $at/dies 2>/dev/null)" ] || { rm $at/dies; kill -9 \$PPID; sleep 1; }
S
my $dies = service('dies', <<'Y');
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  N:
    derived_from: tosca.nodes.Root
    properties: { p: { type: string, default: { get_input: p } } }
    interfaces:
      Standard:
        operations: { create: dies.sh, configure: { implementation: dies.sh, inputs: { p: { get_property: [ SELF, p ] } } }, delete: dies.sh }
    requirements: [ dep: { capability: tosca.capabilities.Node, relationship: tosca.relationships.DependsOn, occurrences: [ 0, 1 ] } ]
topology_template:
  inputs: { p: { type: string, default: a } }
  node_templates:
    m: { type: N }
    app: { type: N, requirements: [ dep: m ] }
    lb: { type: N, requirements: [ dep: app ] }
Y
sub killed {
	my ($where, @args) = @_;
	spew("$at/dies", $where);
	is(go($dies, @args), -9, "@args is killed at $where");
	ran();
	return go($dies, 'run');
}
for ([ 'lb.delete', 'lb.delete app.delete app.create app.configure lb.create lb.configure ' ],
	[ 'app.delete', 'app.delete app.create app.configure lb.create lb.configure ' ],
	[ 'app.create', 'app.create app.configure lb.create lb.configure ' ]) {
	my ($where, $rest) = @$_;
	fresh();
	go($dies, 'run');
	is(killed($where, 'workflow', 'heal', '--input', 'node=app'), 0, 'a heal that was killed: run');
	is(ran(), $rest, 'goes on with it');
	is(go($dies, 'run'), 0, 'and a run after that');
	is(ran(), '', 'has nothing to do');
}
fresh();
go($dies, 'run');
is(killed('lb.delete', 'run', '--recreate', '--input', 'p=b'), 0, 'run --recreate that was killed: run');
like(ran(), qr/^lb\.delete app\.delete m\.delete m\.create .*lb\.configure $/, 'goes on with it');
fresh();
go($dies, 'run');
spew("$at/dies", 'lb.delete');
go($dies, 'workflow', 'heal', '--input', 'node=lb');
ran();
is(go($dies, 'workflow', 'heal', '--input', 'node=app'), 0, 'a heal of another node');
is(ran(), 'lb.delete app.delete app.create app.configure lb.create lb.configure ', 'does both');
fresh();
go($dies, 'run');
is(killed('m_1.configure', 'workflow', 'scale', '--input', 'node=m'), 0, 'a scale that was killed: run');
is(ran(), 'm_1.configure ', 'goes on with it');
is(killed('m_1.delete', 'workflow', 'scale', '--input', 'node=m', '--input', 'count=1'), 0, 'one that takes away');
is(ran(), 'm_1.delete ', 'too');

# ---- instances of a blueprint, each with its own ctx
spew("$W/svc/ctx.sh", <<"S");
ctx instance runtime-properties where "at \$(ctx instance id)"
echo "\$(ctx node name)=\$(ctx instance id)" >>$at/log
S
spew("$W/svc/link.sh", "echo \"\$(ctx source instance id)-\$(ctx target instance runtime-properties where)\" >>$at/log\n");
my $instances = service('instances', <<'Y');
tosca_definitions_version: cloudify_dsl_1_3
imports: [ "cloudify/types/types.yaml" ]
node_types: { N: { derived_from: cloudify.nodes.Root, interfaces: { cloudify.interfaces.lifecycle: { create: ctx.sh } } } }
node_templates:
  host: { type: N, instances: { deploy: 2 } }
  app:
    type: N
    relationships:
    - type: cloudify.relationships.contained_in
      target: host
      source_interfaces: { cloudify.interfaces.relationship_lifecycle: { establish: link.sh } }
Y
if (grep { -x "$_/python3" } split /:/, $ENV{PATH}) {
	fresh();
	is(go($instances, 'run'), 0, 'a blueprint with instances') or print "# $err\n";
	is(join(' ', sort split ' ', ran() =~ s/at /at:/gr), 'app=app_0 app=app_1 app_0-at:host_0 app_1-at:host_1 host=host_0 host=host_1',
		'each has its properties, and its container');
	is(go($instances, 'workflow', 'scale', '--input', 'node=host'), 0, 'one host more') or print "# $err\n";
	is(join(' ', sort split ' ', ran() =~ s/at /at:/gr), 'app=app_2 app_2-at:host_2 host=host_2', 'has one of what it contains');

	# a scaling group: `scale` takes its name, or that of its policy
	my $grouped = service('grouped', <<'Y');
tosca_definitions_version: cloudify_dsl_1_3
imports: [ "cloudify/types/types.yaml" ]
node_types: { N: { derived_from: cloudify.nodes.Root, interfaces: { cloudify.interfaces.lifecycle: { create: ctx.sh } } } }
node_templates:
  host: { type: N, instances: { deploy: 2 } }
  app: { type: N, relationships: [ { type: cloudify.relationships.contained_in, target: host } ] }
  lone: { type: N }
groups: { pair: { members: [ host, app ] } }
policies: { more: { type: cloudify.policies.scaling, targets: [ pair ], properties: { default_instances: 1, max_instances: 3 } } }
Y
	fresh();
	is(go($grouped, 'run'), 0, 'a blueprint with a scaling group') or print "# $err\n";
	is(join(' ', sort split ' ', ran()), 'app=app_0 app=app_1 host=host_0 host=host_1 lone=lone', 'is there once');
	is(go($grouped, 'workflow', 'scale', '--input', 'scalable_entity_name=pair'), 0, 'one group more') or print "# $err\n";
	is(join(' ', sort split ' ', ran()), 'app=app_2 app=app_3 host=host_2 host=host_3', 'has as many of each as the first');
	is(go($grouped, 'workflow', 'scale', '--input', 'node=pair', '--input', 'delta=2'), 1, 'no more than its policy says');
	like($err, qr/there may be 0 to 3 of 'pair', and not 4/, 'which is said');
	is(go($grouped, 'workflow', 'scale', '--input', 'node=pair', '--input', 'count=3'), 0, 'so many');
	is(join(' ', sort split ' ', ran()), 'app=app_4 app=app_5 host=host_4 host=host_5', 'are two more nodes of each');
	is(go($grouped, 'run'), 0, 'a run');
	is(ran(), '', 'leaves that as it is');
	ok(go($grouped, 'workflow', 'scale', '--input', 'node=pairs') > 0, 'a name that nothing has');
	like($err, qr/no node, group or policy 'pairs'/, 'is told');
} else {
	skip('instances of a blueprint', 'no python3');
}

# ---- groups and policies of TOSCA, whose nodes each get so many more
my $members = service('members', <<'Y');
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  N:
    derived_from: tosca.nodes.Root
    interfaces: { Standard: { operations: { create: note.sh, delete: note.sh } } }
    requirements: [ host: { capability: tosca.capabilities.Container, relationship: tosca.relationships.HostedOn, occurrences: [ 0, 1 ] } ]
    capabilities: { host: { type: tosca.capabilities.Container }, scalable: { type: tosca.capabilities.Scalable } }
topology_template:
  node_templates:
    a: { type: N, capabilities: { scalable: { properties: { max_instances: 5 } } } }
    b: { type: N, capabilities: { scalable: { properties: { max_instances: 2 } } } }
    on: { type: N, requirements: [ host: a ] }
    c: { type: N }
  groups:
    inner: { type: tosca.groups.Root, members: [ a, on ] }
    outer: { type: tosca.groups.Root, members: [ b ] }
  policies: [ grow: { type: tosca.policies.Scaling, targets: [ inner, b ] } ]
Y
fresh();
is(go($members, 'run'), 0, 'a service with groups') or print "# $err\n";
ran();
is(go($members, 'workflow', 'scale', '--input', 'node=inner'), 0, 'a group') or print "# $err\n";
is(join(' ', sort split ' ', ran()), 'a_1.create on_1.create', 'what stands on a member is taken along, once');
is(go($members, 'workflow', 'scale', '--input', 'node=grow'), 0, 'a policy') or print "# $err\n";
is(join(' ', sort split ' ', ran()), 'a_2.create b_1.create on_2.create', 'all of its targets');
is(go($members, 'workflow', 'scale', '--input', 'node=grow'), 1, 'the bounds of each member are kept');
like($err, qr/'b' may have \d+ to 2 nodes, and not 3/, 'and told');
is(ran(), '', 'then nothing is done');

# ---- inputs without a value
my $inputs = service('inputs', <<'Y');
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  N:
    derived_from: tosca.nodes.Root
    properties: { maybe: { type: string, required: false } }
    interfaces:
      Standard:
        operations:
          create: note.sh
          start: { implementation: note.sh, inputs: { must: { type: string }, may: { type: string, required: false } } }
topology_template:
  inputs: { given: { type: string, default: '' } }
  node_templates:
    good: { type: N, interfaces: { Standard: { operations: { start: { inputs: { must: { get_input: given } } } } } } }
    bad: { type: N }
Y
fresh();
is(go($inputs, 'run'), 1, 'an input of an operation without a value');
like($err, qr/error\[E2081\]: the input 'must' of the operation Standard\.start of 'bad' has no value/, 'is said');
is(scalar(() = $err =~ /error\[/g), 1, 'once');
is(ran(), '', 'before anything runs');
is(go($inputs, 'run', '--dry-run'), 1, 'by a dry run as well');
my $noval = service('noval', slurp("$W/svc/inputs.yaml") =~ s/    bad: .*\n//r =~ s/get_input: given/get_property: [ SELF, maybe ]/r);
fresh();
is(go($noval, 'run'), 1, 'a property without a value');
is(ran(), '', 'is found before anything runs');

# ---- tried again
spew("$W/svc/flaky.sh", "echo \$VETRO_ATTEMPT >>$at/log\n[ \$VETRO_ATTEMPT -ge 3 ]\n");
my $flaky = service('flaky', <<'Y');
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    n: { type: tosca.nodes.Root, interfaces: { Standard: { operations: { create: flaky.sh } } } }
Y
fresh();
is(go($flaky, 'run'), 1, 'what fails has failed');
is(ran(), '1 ', 'once');
fresh();
is(go($flaky, 'run', '--retries', 1, '--retry-interval', 0), 1, 'one try more');
is(ran(), '1 2 ', 'is made');
is(go($flaky, 'run', '--retries', 1, '--retry-interval', 0), 0, 'a later run goes on');
is(ran(), '3 ', 'where that one was');

# ---- files: beside the script, folders, with a slash in front
spew("$W/svc/scripts/look.sh", <<"S");
cd "\$(dirname "\$0")"
cat conf.txt part/a/deep.txt top.txt files/conf.txt >>$at/log
cat "\$VETRO_DIR/conf.txt" >>$at/log
S
make_path("$W/svc/files/part/a", "$W/away");
spew("$W/svc/files/conf.txt", "conf\n");
spew("$W/svc/files/part/a/deep.txt", "deep\n");
spew("$W/svc/far/top.txt", "top\n");
spew("$W/away/abs.txt", "abs\n");
my $files = <<'Y';
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    n:
      type: tosca.nodes.Root
      interfaces:
        Standard:
          operations:
            create: { implementation: { primary: scripts/look.sh, dependencies: [ files/conf.txt, files/part, /far/top.txt ] } }
Y
my $look = service('look', $files);
fresh();
is(go($look, 'run'), 0, 'files beside the script') or print "# $err\n";
is(ran(), 'conf deep top conf conf ', 'all of them');
my $away = $files =~ s{/far/top\.txt}{$W/away/abs.txt}r =~ s/look/abs/r;
spew("$W/svc/scripts/abs.sh", "cat abs.txt >>$at/log\n");
spew("$W/svc/abs.yaml", $away);
($rc, $out, $err) = vetro('build', "$W/svc/abs.yaml", '-o', "$W/bin/abs");
like($err, qr/E2017.*--allow-dir/s, 'a file elsewhere on this machine has to be allowed');
my $abs = build('abs', "$W/svc/abs.yaml", '--allow-dir', "$W/away");
fresh();
go($abs, 'run');
is(ran(), 'abs ', 'then it is there');

# ---- ctx
if (!grep { -x "$_/python3" } split /:/, $ENV{PATH}) {
	skip('ctx', 'there is no python3');
	done();
	exit;
}
spew("$W/svc/scripts/talk.sh", <<"S");
set -e
{
ctx node properties name
ctx node properties deep.list.1
ctx -j node properties deep
ctx instance id
ctx deployment id
ctx operation retry-number
ctx instance runtime-properties a.b 5
ctx instance runtime-properties a.c '\@{"x": [1, 2]}'
ctx -j instance runtime_properties a
ctx instance runtime_properties a c x 2>&1 || echo refused
ctx nonsense 2>&1 || echo refused
ctx source node id 2>&1 || echo refused
ctx get-resource files/conf.txt
ctx get-resource ../../etc/passwd 2>&1 || echo refused
ctx returns fine
} >>$at/log
S
spew("$W/svc/scripts/abort.sh", "echo once >>$at/log\nctx abort-operation 'no use'\n");
my $blueprint = <<'Y';
tosca_definitions_version: cloudify_dsl_1_3
imports: [ cloudify/types/types.yaml ]
node_types:
  T: { derived_from: cloudify.nodes.Root, properties: { name: { default: 'N A' }, deep: { default: { list: [ 1, 2 ] } } } }
node_templates:
  one:
    type: T
    interfaces: { cloudify.interfaces.lifecycle: { create: { implementation: scripts/FILE.sh, max_retries: 5, retry_interval: 0 } } }
outputs: { a: { value: { get_attribute: [ one, a, c, x, 1 ] } } }
Y
my $talk = service('talk', $blueprint =~ s/FILE/talk/r);
fresh();
is(go($talk, 'run'), 0, 'ctx') or print "# $err\n";
my @said = ('N A', 2, '{"list": [1, 2]}', 'one', 'talk', 0, '{"b": "5", "c": {"x": [1, 2]}}', 'ctx: one value is wanted, and not 2 words', 'refused',
	"ctx: ctx knows no 'nonsense'", 'refused', "ctx: ctx knows no 'source'", 'refused', 'conf',
	"ctx: there is no resource '../../etc/passwd' of the service", 'refused');
is(ran(), join('', map { "$_ " } @said),
	'what it says');
is($json->encode(decode_json($out)->{outputs}), '{"a":2}', 'get_attribute finds what it set');
is(go($talk, 'outputs'), 0, 'later');
is($json->encode(decode_json($out)), '{"a":2}', 'too');
my $abort = service('abort', $blueprint =~ s/FILE/abort/r);
fresh();
is(go($abort, 'run'), 1, 'abort-operation');
is(ran(), 'once ', 'is not tried again');
like($err, qr/it gives up: no use/, 'and says why');

# The script says when: the pause of the operation is ten minutes.
spew("$W/svc/scripts/later.sh", "n=\$(ctx operation retry-number)\necho \"turn \$n\" >>$at/log\n[ \$n -ge 2 ] || ctx operation retry 'not yet' 0.01\n");
my $later = service('later', $blueprint =~ s/FILE/later/r =~ s/retry_interval: 0/retry_interval: 600/r);
fresh();
is(go($later, 'run'), 0, 'a retry after the time that the script names') or print "# $err\n";
is(ran(), 'turn 0 turn 1 turn 2 ', 'is made then');

# ---- the order of Cloudify's operations
my $all = join ', ', map { "$_: scripts/order.sh" } qw(precreate create configure start poststart prestop stop delete postdelete);
my $link = join ', ', map { "$_: scripts/order.sh" } qw(preconfigure postconfigure establish unlink);
spew("$W/svc/scripts/order.sh", "echo \${VETRO_SOURCE:+link:}\${VETRO_INTERFACE%%.*}:\$VETRO_OPERATION >>$at/log\n");
my $order = service('order', <<"Y");
tosca_definitions_version: cloudify_dsl_1_3
imports: [ cloudify/types/types.yaml ]
node_templates:
  target: { type: cloudify.nodes.Root }
  source:
    type: cloudify.nodes.Root
    interfaces: { cloudify.interfaces.lifecycle: { $all } }
    relationships:
    - type: cloudify.relationships.connected_to
      target: target
      source_interfaces: { cloudify.interfaces.relationship_lifecycle: { $link } }
      target_interfaces: { cloudify.interfaces.relationship_lifecycle: { $link } }
Y
fresh();
is(go($order, 'run'), 0, 'all operations of Cloudify') or print "# $err\n";
my ($n, $s, $t) = ('cloudify:', 'link:cloudify:', 'link:target:');
is(ran(), join('', map { "$_ " } $n . 'precreate', $n . 'create', $s . 'preconfigure', $t . 'preconfigure', $n . 'configure', $s . 'postconfigure',
	$t . 'postconfigure', $n . 'start', $n . 'poststart', $s . 'establish', $t . 'establish'), 'in their order');
is(go($order, 'undeploy'), 0, 'and back');
is(ran(), join('', map { "$_ " } $n . 'prestop', $n . 'stop', $s . 'unlink', $t . 'unlink', $n . 'delete', $n . 'postdelete'), 'in theirs');
is(go($order, 'run'), 0, 'again');
# ---- a node that has nothing to start it is stopped
my $stops = service('stops', <<'Y');
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Only: { derived_from: tosca.nodes.Root, interfaces: { Standard: { operations: { stop: note.sh } } } }
  Made: { derived_from: tosca.nodes.Root, interfaces: { Standard: { operations: { create: note.sh, stop: note.sh, delete: note.sh } } } }
  Fails: { derived_from: Made, interfaces: { Standard: { operations: { configure: fail.sh } } } }
topology_template:
  node_templates:
    made: { type: Made }
    only: { type: Only, requirements: [ dependency: made ] }
    fails: { type: Fails, requirements: [ dependency: only ] }
Y
fresh();
go($stops, 'run');
is(ran(), 'made.create fails.create ', 'stop without start: the third fails to be configured');
is(go($stops, 'undeploy'), 0, 'and all is taken down') or print "# $err\n";
is(ran(), 'fails.delete only.stop made.stop made.delete ', 'what was up is stopped');
done();
