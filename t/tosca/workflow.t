#!/usr/bin/perl
# Workflows that a service declares: their steps, conditions and failures, whatever interrupts them.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Deploy;
use Tap;

my $json = JSON::PP->new->canonical;
my ($rc, $out, $err);

spew("$W/flow/do.sh", <<'S');
#!/bin/sh
echo "$VETRO_NODE $VETRO_INTERFACE.$VETRO_OPERATION${to:+ to=$to}${n:+ n=$n}${VETRO_TARGET:+ target=$VETRO_TARGET}" >> "$LOG"
if [ -e "$LOG.fail.$VETRO_NODE.$VETRO_OPERATION" ]; then echo "no luck" >&2; exit 3; fi
[ $VETRO_OPERATION = dump ] && echo "size=12" > "$VETRO_OUTPUTS"
exit 0
S
my $service = <<'Y';
tosca_definitions_version: tosca_simple_yaml_1_3
interface_types:
  Backup:
    derived_from: tosca.interfaces.Root
    operations: { dump: {}, restore: {}, check: {} }
node_types:
  Node:
    derived_from: tosca.nodes.Root
    attributes: { size: { type: integer }, mode: { type: string, default: idle } }
    requirements: [ { needs: { capability: tosca.capabilities.Node, relationship: Rel, occurrences: [ 0, 1 ] } } ]
    interfaces:
      Standard: { operations: { create: do.sh, configure: do.sh, start: do.sh, stop: do.sh, delete: do.sh } }
      Backup:
        type: Backup
        operations:
          dump:
            implementation: do.sh
            inputs: { to: { type: string, default: nowhere }, n: { type: integer, required: false } }
            outputs: { size: [ SELF, size ] }
          restore: do.sh
          check: do.sh
relationship_types:
  Rel:
    derived_from: tosca.relationships.DependsOn
    interfaces: { Configure: { operations: { target_changed: do.sh } } }
topology_template:
  inputs: { where: { type: string, default: /srv } }
  node_templates:
    db: { type: Node }
    app: { type: Node, requirements: [ { needs: db } ] }
    web: { type: Node, requirements: [ { needs: app } ] }
  groups: { front: { type: tosca.groups.Root, members: [ app, web ] } }
  workflows:
    backup:
      inputs: { to: { type: string, default: tape }, n: { type: integer } }
      steps:
        quiet: { target: front, activities: [ { call_operation: Standard.stop }, { set_state: quiet } ], on_success: [ dump ] }
        dump:
          target: db
          activities:
          - call_operation:
              operation: Backup.dump
              inputs: { to: { concat: [ { get_input: where }, /, { get_input: to } ] }, n: { get_input: n } }
          on_success: [ again ]
          on_failure: [ undo ]
        undo: { target: db, activities: [ { call_operation: Backup.restore } ], on_success: [ loud ] }
        again: { target: db, activities: [ { inline: wake } ] }
        loud: { target: front, activities: [ { inline: wake } ] }
    wake:
      steps:
        app: { target: app, activities: [ { call_operation: Standard.start }, { set_state: started } ], on_success: web }
        web: { target: web, activities: [ { call_operation: Standard.start }, { set_state: started } ] }
    guarded:
      preconditions: [ { target: db, condition: [ { state: [ { equal: started } ] }, { size: [ { greater_than: 10 } ] } ] } ]
      steps: { check: { target: db, activities: [ { call_operation: Backup.check } ] } }
    filtered:
      steps:
        one:
          target: front
          filter: [ { state: [ { equal: started } ] } ]
          activities: [ { set_state: seen }, { call_operation: Backup.check } ]
          on_success: [ two ]
        two: { target: db, filter: [ { mode: [ { equal: busy } ] } ], activities: [ { call_operation: Backup.check } ] }
    notify: { steps: { tell: { target: app, target_relationship: needs, activities: [ { call_operation: Configure.target_changed } ] } } }
    rebuild:
      steps:
        down: { target: web, activities: [ { delegate: undeploy } ], on_success: [ up ] }
        up: { target: web, activities: [ { delegate: deploy } ] }
    circle: { steps: { a: { target: db, activities: [ { inline: circle } ] } } }
    knot: { steps: { a: { target: db, activities: [], on_success: [ b ] }, b: { target: db, activities: [], on_success: [ a ] } } }
    install:
      steps:
        db:
          target: db
          activities: [ { call_operation: Standard.create }, { set_state: created }, { call_operation: Standard.start }, { set_state: started } ]
Y
spew("$W/flow/flow.yaml", $service);
my $flow = build('flow', "$W/flow/flow.yaml");
my %env = (env => { LOG => "$at/log" });
sub log_of { my $t = slurp("$at/log"); $t =~ s/\n/,/g; unlink "$at/log"; return $t =~ s/,$//r }
my @one = ('--workers', 1);
sub up { fresh(); deploy(\%env, $flow, 'run'); log_of() }
sub states { return $json->encode(decode_json($_[0])->{nodes}) }

up();
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'backup', '--dry-run', '--input', 'n=3');
is($rc, 0, 'a dry run') or print map { "# $_\n" } split /\n/, $err;
like($out, qr/^ +1  app: quiet\.1\[app\]: Standard\.stop  do\.sh\n +2  app: quiet\.2\[app\]: set_state  quiet  after 1\n/, 'steps');
like($out, qr/: dump\.1: Backup\.dump  do\.sh  after \d, \d\n/, 'and what each waits for');
is(log_of(), '', 'nothing ran');
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'backup', @one, '--input', 'n=3', '--progress');
is($rc, 0, 'a workflow') or print map { "# $_\n" } split /\n/, $err;
my $whole = 'app Standard.stop,web Standard.stop,db Backup.dump to=/srv/tape n=3,app Standard.start,web Standard.start';
is(log_of(), $whole, 'its operations, with its inputs and those of the service');
is(states($out), '{"app":"started","db":"started","web":"started"}', 'and the states that it sets');
unlike(slurp("$at/flow.state.mugl"), 'workflow', 'the state is done with it');
($rc, $out) = deploy(\%env, $flow, 'run');
is("$rc " . log_of(), '0 ', 'what it stopped and started is as a run wants it');
my $state = slurp("$at/flow.state.mugl");

($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'backup');
is($rc, 1, 'an input is missing');
like($err, qr/the input 'n' of the workflow 'backup' has no value/, 'which is reported');
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'backup', '--input', 'n=many');
is($rc, 1, 'an input that does not suit');
like($err, qr/flow\.yaml:\d+:\d+: error\[E2040\]: .*integer/, 'has its place');
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'backup', '--input', 'n=1', '--input', 'where=x');
is($rc, 1, 'an input of the service');
like($err, qr/only inputs of the workflow.*\n  hint: /, 'is refused');
is(log_of(), '', 'and nothing ran');

# Killed after each line of progress.
my ($same, $killed, @bad) = (0, 0);
for my $k (1 .. 20) {
	up();
	my ($first) = deploy({ %env, kill => $k }, $flow, 'workflow', 'backup', @one, '--input', 'n=3', '--progress');
	$killed++ if $first == -9;
	($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'backup', @one, $first == -9 ? () : ('--input', 'n=3'));
	my %seen;
	my $did = join ',', grep { !$seen{$_}++ } split /,/, log_of();
	$rc == 0 && $did eq $whole && slurp("$at/flow.state.mugl") eq $state ? $same++ : push @bad, $k, $rc, $did, $err;
}
ok($killed > 12, 'killed at every step', $killed);
is($same, 20, 'and run again: the same operations, the same state') or print map { "# $_\n" } @bad;

# A failure that the workflow handles, and one that it does not.
up();
spew("$at/log.fail.db.dump", '');
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'backup', @one, '--input', 'n=3');
is("$rc " . log_of(), '0 app Standard.stop,web Standard.stop,db Backup.dump to=/srv/tape n=3,db Backup.restore,app Standard.start,web Standard.start',
	'on_failure');
like($err, qr/db: dump\.1: Backup\.dump failed: exit status 3/, 'is reported');
is(states($out), '{"app":"started","db":"started","web":"started"}', 'and the states are those of the steps that ran');
my $after = slurp("$at/flow.state.mugl");
($same, @bad) = (0);
for my $k (1 .. 22) {
	up();
	spew("$at/log.fail.db.dump", '');
	my ($first) = deploy({ %env, kill => $k }, $flow, 'workflow', 'backup', @one, '--input', 'n=3', '--progress');
	($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'backup', @one, $first == -9 ? () : ('--input', 'n=3'));
	my %seen;
	my $did = join ',', grep { !$seen{$_}++ } split /,/, log_of();
	$rc == 0 && $did =~ /dump.*restore.*app Standard.start,web Standard.start$/ && slurp("$at/flow.state.mugl") eq $after ? $same++
		: push @bad, $k, $rc, $did, $err;
}
is($same, 22, 'killed at every step of that') or print map { "# $_\n" } @bad;
up();
spew("$at/log.fail.web.stop", '');
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'backup', @one, '--input', 'n=3');
is("$rc " . log_of(), '1 app Standard.stop,web Standard.stop', 'a failure that nothing handles ends it');
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'guarded');
is($rc, 1, 'another one does not begin meanwhile');
like($err, qr/the workflow 'backup' has not ended\n  hint: go on with 'flow workflow backup'/, 'with a way on');
unlink "$at/log.fail.web.stop";
($rc, $out) = deploy(\%env, $flow, 'workflow', 'backup', @one);
is("$rc " . log_of(), '0 web Standard.stop,db Backup.dump to=/srv/tape n=3,app Standard.start,web Standard.start', 'mended, it goes on');

# Conditions.
up();
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'guarded');
is("$rc " . log_of(), '1 ', 'a precondition that does not hold');
like($err, qr/the precondition of the workflow 'guarded' does not hold/, 'is reported');
deploy(\%env, $flow, 'workflow', 'backup', '--input', 'n=1');
log_of();
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'guarded');
is("$rc " . log_of(), '0 db Backup.check', 'one that holds') or print map { "# $_\n" } split /\n/, $err;
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'filtered', @one);
is("$rc " . log_of(), '0 app Backup.check,web Backup.check', 'filters decide for a step as a whole') or print map { "# $_\n" } split /\n/, $err;

# Relationships, delegation.
up();
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'notify');
is("$rc " . log_of(), '0 app Configure.target_changed target=db', 'an operation of a relationship');
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'rebuild', @one);
is("$rc " . log_of(), '0 web Standard.stop,web Standard.delete,web Standard.create,web Standard.configure,web Standard.start', 'delegated to what a run does');
is(states($out), '{"app":"started","db":"started","web":"started"}', 'states too');
($rc) = deploy(\%env, $flow, 'undeploy');
ok($rc == 0 && !-e "$at/flow.state.mugl", 'and all goes');
fresh();
unlink "$at/log";
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'install', '--input', 'where=/x');
is("$rc " . log_of(), '0 db Standard.create,db Standard.start', 'a workflow that deploys');
is(states($out), '{"app":"initial","db":"started","web":"initial"}', 'what it names');
($rc, $out, $err) = deploy(\%env, $flow, 'undeploy', @one);
is("$rc " . log_of(), '0 db Standard.stop,db Standard.delete', 'and undeploy knows of it');
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'deploy', @one);
is($rc, 0, 'workflow deploy, which nobody declares, is a run');
log_of();
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'undeploy');
is($rc, 0, 'and workflow undeploy');

# What cannot be.
up();
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'circle');
like("$rc $err", qr/^1 .*the workflow 'circle' contains itself/s, 'a workflow in itself');
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'knot');
like("$rc $err", qr/^1 .*the steps of the workflow 'knot' wait for each other/s, 'steps in a circle');
($rc, $out, $err) = deploy(\%env, $flow, 'workflow', 'nothing');
like("$rc $err", qr/^2 .*there is no workflow nothing; the service has backup, wake, guarded/s, 'an unknown one');
($rc, $out, $err) = deploy(\%env, $flow, 'workflow');
is($rc, 2, 'none');

# ---- 2.0: conditions are expressions
spew("$W/two/do.sh", "echo \"\$VETRO_NODE \$VETRO_OPERATION\" >> \"\$LOG\"\n");
spew("$W/two/two.yaml", <<'Y');
tosca_definitions_version: tosca_2_0
imports: [ { profile: org.oasis-open.simple:2.0, namespace: tosca } ]
node_types:
  N:
    derived_from: tosca:Root
    properties: { size: { type: integer } }
    interfaces: { Standard: { operations: { create: do.sh, configure: do.sh } } }
service_template:
  node_templates:
    a: { type: N, properties: { size: 3 } }
    b: { type: N, properties: { size: 5 } }
  workflows:
    big:
      precondition: { $greater_than: [ { $get_property: [ b, size ] }, 4 ] }
      steps:
        a:
          target: a
          filter: { $greater_than: [ { $get_property: [ SELF, size ] }, 4 ] }
          activities: [ { call_operation: Standard.configure } ]
          on_success: [ b ]
        b: { target: b, filter: { $greater_than: [ { $get_property: [ SELF, size ] }, 4 ] }, activities: [ { call_operation: Standard.configure } ] }
    never: { precondition: { $greater_than: [ { $get_property: [ a, size ] }, 4 ] }, steps: {} }
Y
my $two = build('two', "$W/two/two.yaml");
fresh();
deploy(\%env, $two, 'run');
log_of();
($rc, $out, $err) = deploy(\%env, $two, 'workflow', 'big');
is("$rc " . log_of(), '0 b configure', 'conditions of 2.0') or print map { "# $_\n" } split /\n/, $err;
($rc) = deploy(\%env, $two, 'workflow', 'never');
is($rc, 1, 'one that does not hold');

done();
