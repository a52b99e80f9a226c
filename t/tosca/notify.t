#!/usr/bin/perl
# What triggers of policies do when somebody tells of an event: `deploy notify`.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Deploy;
use Tap;

my $json = JSON::PP->new->canonical;
my ($rc, $out, $err);
spew("$W/n/do.sh", <<'S');
#!/bin/sh
echo "$VETRO_NODE $VETRO_OPERATION${by:+ by=$by}" >> "$LOG"
if [ -e "$LOG.fail.$VETRO_NODE.$VETRO_OPERATION" ]; then echo "no luck" >&2; exit 3; fi
[ $VETRO_OPERATION = up ] && echo "load=20" > "$VETRO_OUTPUTS"
exit 0
S
my $types = <<'Y';
interface_types:
  Scale: { derived_from: tosca.interfaces.Root, operations: { up: {}, down: {} } }
node_types:
  Node:
    derived_from: tosca.nodes.Root
    attributes: { load: { type: integer, default: 70 } }
    interfaces:
      Standard: { operations: { create: do.sh, start: do.sh } }
      Scale:
        type: Scale
        operations:
          up: { implementation: do.sh, inputs: { by: { type: integer, default: 1 } }, outputs: { load: [ SELF, load ] } }
          down: do.sh
Y
spew("$W/n/n.yaml", "tosca_definitions_version: tosca_simple_yaml_1_3\n$types" . <<'Y');
policy_types:
  Calm:
    derived_from: tosca.policies.Scaling
    triggers:
      inherited: { event: low_load, action: [ { call_operation: Scale.down } ] }
topology_template:
  node_templates:
    a: { type: Node }
    b: { type: Node, attributes: { load: 10 } }
    c: { type: Node, attributes: { load: 99 } }
  groups: { both: { type: tosca.groups.Root, members: [ a, b ] } }
  policies:
    - scaling:
        type: tosca.policies.Scaling
        targets: [ both ]
        triggers:
          busy:
            event: high_load
            condition: { constraint: [ { load: [ { greater_than: 50 } ] } ], period: 60, evaluations: 2, method: average }
            action: [ { call_operation: { operation: Scale.up, inputs: { by: 3 } } }, { set_state: scaled } ]
          tell: { event: told, action: [ { inline: tell } ] }
    - calm: { type: Calm, targets: [ c, a ] }
    - quiet:
        type: tosca.policies.Root
        targets: [ b ]
        triggers:
          never:
            event: quiet
            condition: [ { load: [ { greater_than: 50 } ] } ]
            action: [ { set_state: wrong }, { inline: tell }, { call_operation: Scale.up }, { delegate: undeploy } ]
          inlined: { event: quiet, condition: { not: [ { load: [ { less_than: 50 } ] } ] }, action: [ { inline: outer } ] }
    - all:
        type: tosca.policies.Root
        triggers:
          tell: { event: low_load, action: [ { inline: tell } ] }
          watch_c: { event: watch, target_filter: { node: c }, condition: [ { load: [ { greater_than: 90 } ] } ], action: [ { inline: tell } ] }
          watch_b: { event: watch_b, target_filter: { node: b }, condition: [ { load: [ { greater_than: 90 } ] } ], action: [ { inline: tell } ] }
          part:
            event: part
            target_filter: { node: c, capability: feature }
            condition: [ { load: [ { greater_than: 90 } ] } ]
            action: [ { inline: tell } ]
          odd: { event: odd, condition: [ { load: [ { greater_than: 50 } ] } ], action: [ { inline: tell } ] }
          wrong: { event: wrong, action: [ { call_operation: Scale.up } ] }
  workflows:
    outer: { steps: { o: { target: b, activities: [ { inline: tell }, { call_operation: Scale.up } ] } } }
    tell: { steps: { t: { target: b, activities: [ { set_state: told }, { call_operation: Scale.down } ] } } }
Y
my $n = build('n', "$W/n/n.yaml");
my %env = (env => { LOG => "$at/log" });
sub log_of { my $t = slurp("$at/log"); $t =~ s/\n/,/g; unlink "$at/log"; return $t =~ s/,$//r }
sub states { return $json->encode(decode_json($_[0])->{nodes}) }
sub notify { ($rc, $out, $err) = deploy(\%env, $n, 'notify', '--workers', 1, @_) }
sub up { fresh(); deploy(\%env, $n, 'run'); log_of() }

fresh();
notify('high_load');
is($rc, 1, 'nothing is deployed');
like($err, qr/nothing is deployed/, 'which is reported');

up();
notify('high_load', '--dry-run');
like($out, qr/^ +1  a: scaling\.busy\.1\[a\]: Scale\.up  do\.sh\n +2  a: scaling\.busy\.2\[a\]: set_state  scaled  after 1\n/, 'a dry run shows the steps');
is(log_of(), '', 'and does nothing');
notify('high_load');
is($rc, 0, 'an event') or print map { "# $_\n" } split /\n/, $err;
is(log_of(), 'a up by=3', 'an operation for those of the group whose attribute is above the limit, with its inputs');
is(states($out), '{"a":"scaled","b":"started","c":"started"}', 'and a state');
ok(slurp("$at/n.state.mugl") !~ /workflow/, 'the state is done with it');
notify('high_load');
is("$rc " . log_of(), '0 ', 'the operation has changed the attribute, so nothing is to be done at the next one');

notify('low_load');
is(join(',', sort split /,/, log_of()), 'a down,b down,c down', 'triggers of several policies, of a policy\'s type, and without a target');
notify('told');
is(states($out), '{"a":"scaled","b":"told","c":"started"}', 'a workflow, once for the group');
log_of();

up();
notify('watch');
is("$rc " . log_of(), '0 b down', 'target_filter: the condition is about another node');
notify('watch_b');
is("$rc " . log_of(), '0 ', 'where it does not hold');
notify('part');
is($rc, 1, 'a part of a node cannot be looked at');
like($err, qr/the triggers of 'part' cannot be run: the target_filter of 'all\.part' is not just about a node/, 'which is reported');
notify('odd');
is($rc, 1, 'a condition that is about no node');
like($err, qr/a precondition has a target and a condition/, 'is an error');
deploy(\%env, $n, 'notify', 'odd', '--force');
notify('wrong', '--force');
is($rc, 1, 'an operation without a target');
like($err, qr/the step 'all\.wrong' calls 'Scale\.up' and has no target/, 'is an error');

notify('nothing');
is($rc, 2, 'an event that nobody waits for');
like($err, qr/no trigger waits for nothing; the service has high_load, told, low_load, quiet, watch, watch_b, part, odd, wrong/, 'lists the others');
notify();
like($err, qr/notify wants an event; the service has high_load/, 'no event');
notify('told', '--input', 'x=1');
is($rc, 2, 'there are no inputs');
like($err, qr/an event has no inputs/, 'of an event');

# One that failed goes on.
up();
spew("$at/log.fail.a.up", '');
notify('high_load');
is("$rc " . log_of(), '1 a up by=3', 'a failure');
($rc, $out, $err) = deploy(\%env, $n, 'workflow', 'tell');
is($rc, 1, 'nothing else begins');
like($err, qr/'notify high_load' has not ended\n  hint: go on with 'n notify high_load', or forget it with --force/, 'before it has ended');
unlink "$at/log.fail.a.up";
notify('high_load');
is("$rc " . log_of() . ' ' . states($out), '0 a up by=3 {"a":"scaled","b":"started","c":"started"}', 'it goes on');
($rc) = deploy(\%env, $n, 'workflow', 'tell');
is("$rc " . log_of(), '0 b down', 'and then others may');

# Killed after each line of progress.
my ($same, $killed, @bad) = (0, 0);
for my $k (1 .. 4) {
	up();
	my ($first) = deploy({ %env, kill => $k }, $n, 'notify', 'low_load', '--workers', 1, '--progress');
	$killed++ if $first == -9;
	notify('low_load');
	my %seen;
	my $did = join ',', sort grep { !$seen{$_}++ } split /,/, log_of();
	$rc == 0 && $did eq 'a down,b down,c down' ? $same++ : push @bad, $k, $rc, $did, $err;
}
ok($killed > 2, 'killed on the way', $killed);
is($same, 4, 'and run again: the same operations') or print map { "# $_\n" } @bad;

# What a condition kept from running stays so, wherever the run was killed.
($same, $killed, @bad) = (0, 0);
for my $k (1 .. 9) {
	up();
	my ($first) = deploy({ %env, kill => $k }, $n, 'notify', 'quiet', '--workers', 1, '--progress');
	$killed++ if $first == -9;
	notify('quiet');
	my $did = log_of();
	"$rc $did" eq '0 ' && states($out) eq '{"a":"started","b":"started","c":"started"}' ? $same++ : push @bad, "$k $rc $did", $err;
}
ok($killed > 5, 'killed on the way', $killed);
is($same, 9, 'nothing is done, inlined steps included') or print map { "# $_\n" } @bad;

# From 2.0 on conditions are expressions.
spew("$W/n/two.yaml", <<'Y');
tosca_definitions_version: tosca_2_0
interface_types: { Scale: { operations: { up: {} } } }
capability_types: { Any: {} }
node_types:
  Node:
    attributes: { load: { type: integer, default: 70 } }
    interfaces: { Scale: { type: Scale, operations: { up: { implementation: do.sh } } } }
policy_types: { Policy: { targets: [ Node ] } }
service_template:
  node_templates: { a: { type: Node }, b: { type: Node, attributes: { load: 10 } } }
  policies:
    - p:
        type: Policy
        targets: [ a, b ]
        triggers:
          busy: { event: high_load, condition: { $greater_than: [ { $get_attribute: [ SELF, load ] }, 50 ] }, action: [ { call_operation: Scale.up } ] }
          odd: { event: unknown, condition: { $match: [ a, b ] }, action: [ { call_operation: Scale.up } ] }
Y
my $two = build('two', "$W/n/two.yaml");
fresh();
deploy(\%env, $two, 'run');
log_of();
($rc, undef, $err) = deploy(\%env, $two, 'notify', 'unknown');
is($rc, 1, 'a condition with a function that there is not');
like($err, qr/the condition of 'p\.odd\(a\)' calls a function that there is not/, 'is an error at its event');
($rc, $out, $err) = deploy(\%env, $two, 'notify', 'high_load');
is("$rc " . log_of(), '0 a up', 'TOSCA 2.0') or print map { "# $_\n" } split /\n/, $err;

# ---- notifications of interfaces: outputs that somebody reports go to attributes
spew("$W/n/watch.yaml", <<'Y');
tosca_definitions_version: tosca_simple_yaml_1_3
interface_types: { Watch: { derived_from: tosca.interfaces.Root, notifications: { moved: { description: it has moved } } } }
capability_types: { Door: { derived_from: tosca.capabilities.Node, attributes: { open: { type: boolean } } } }
node_types:
  N:
    derived_from: tosca.nodes.Root
    attributes: { place: { type: string }, size: { type: integer }, tags: { type: list, entry_schema: { type: string } } }
    capabilities: { door: { type: Door } }
    interfaces:
      Watch:
        type: Watch
        notifications: { moved: { outputs: { where: [ SELF, place ], n: [ SELF, size ], t: [ SELF, tags ], open: [ SELF, door, open ] } } }
topology_template:
  node_templates: { a: { type: N }, b: { type: N } }
  outputs:
    place: { value: { get_attribute: [ a, place ] } }
    size: { value: { get_attribute: [ a, size ] } }
    tags: { value: { get_attribute: [ a, tags ] } }
    open: { value: { get_attribute: [ a, door, open ] } }
    told: { value: { get_operation_output: [ a, Watch, moved, where ] } }
    other: { value: { get_attribute: [ b, size ] } }
Y
my $watch = build('watch', "$W/n/watch.yaml");
sub outputs { return $json->encode(decode_json((deploy($watch, 'outputs'))[1])) }
fresh();
($rc, $out, $err) = deploy($watch, 'notify', 'a.Watch.moved', '--input', 'where=x');
like("$rc $err", qr/^1 .*nothing is deployed/, 'a notification of what is not there');
deploy($watch, 'run');
($rc, $out, $err) = deploy($watch, 'notify', 'a.Watch.moved', '--input', 'where=7', '--input', 'n=5', '--input', 't=["p"]', '--input', 'open=true');
my $told = '{"open":true,"other":null,"place":"7","size":5,"tags":["p"],"told":"7"}';
is($rc, 0, 'a notification') or print "# $err\n";
is($json->encode(decode_json($out)->{outputs}), $told, 'its outputs are attributes, as their types want them');
is(outputs(), $told, 'and stay');
deploy($watch, 'run');
is(outputs(), $told, 'also over a run');
for ([ 'n=many', qr/output 'n': 'size' of 'a' must be an integer/ ], [ 'zz=1', qr/it has no output 'zz'/ ]) {
	($rc, $out, $err) = deploy($watch, 'notify', 'a.Watch.moved', '--input', 'where=elsewhere', '--input', $_->[0]);
	is($rc, 1, "$_->[0]: refused");
	like($err, $_->[1], "$_->[0]: why");
	is(outputs(), $told, "$_->[0]: nothing is kept");
}
($rc, $out, $err) = deploy($watch, 'notify', 'a.Watch.moved', '--input', 'n=9', '--dry-run');
is(decode_json($out)->{outputs}{size}, 9, 'a dry run shows what would be');
is(outputs(), $told, 'and keeps nothing');
($rc, $out, $err) = deploy($watch, 'notify', 'c.Watch.moved', '--input', 'n=9');
like("$rc $err", qr/^1 .*there is no notification 'c\.Watch\.moved'/, 'of no node');
done();
