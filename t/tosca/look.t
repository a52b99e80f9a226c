#!/usr/bin/perl
# What operators ask of a service that is there: `status`, `logs`, `drift`, also while a run is under way, and as pages.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use POSIX ();
use Time::HiRes qw(sleep);
use lib "$FindBin::Bin/../lib";
use Deploy;
use Tap;

my ($rc, $out, $err);
my $json = JSON::PP->new->canonical;
my %env = (env => { ROOM => "$at/dc" });
sub service {
	my ($name, %script) = @_;
	spew("$W/$name/$name.yaml", <<'Y');
tosca_definitions_version: tosca_simple_yaml_1_3
interface_types: { Look: { derived_from: tosca.interfaces.Root, operations: { check: {} } } }
node_types:
  App:
    derived_from: tosca.nodes.Root
    attributes: { size: { type: string } }
    properties: { password: { type: string, default: s3cr3tpw, metadata: { private: true } } }
    interfaces:
      Standard: { operations: { create: { implementation: create.sh, outputs: { size: [ SELF, size ] } } } }
      Health: { type: Look, operations: { check: { implementation: check.sh, outputs: { size: [ SELF, size ] } } } }
  Plain: { derived_from: tosca.nodes.Root }
topology_template:
  node_templates: { a: { type: App }, b: { type: App }, c: { type: Plain } }
  outputs: { size: { value: { get_attribute: [ b, size ] } } }
Y
	spew("$W/$name/create.sh", $script{create} // qq(printf 'made \\033[31m%s s3cr3tpw\\n' "\$VETRO_NODE"
echo hello > "\$ROOM/\$VETRO_NODE"; echo size=6 > "\$VETRO_OUTPUTS"\n));
	spew("$W/$name/check.sh", $script{check} // qq([ -e "\$ROOM/\$VETRO_NODE" ] || { echo "no \$VETRO_NODE s3cr3tpw"; exit 1; }
echo "size=\$((\$(wc -c < "\$ROOM/\$VETRO_NODE")))" > "\$VETRO_OUTPUTS"\n));
	return build($name, "$W/$name/$name.yaml");
}

my $svc = service('svc');
fresh();
for my $verb ('drift', 'logs') {
	($rc, $out, $err) = deploy(\%env, $svc, $verb);
	like("$rc$out $err", $verb eq 'logs'
		? qr/^1 svc: there are no logs in svc\.state\.logs: nothing has been printed yet$/ : qr/^1 svc: nothing is deployed/,
		"$verb of nothing");
}
deploy(\%env, $svc, 'run', '--workers', 1);

# ---- drift
($rc, $out, $err) = deploy(\%env, $svc, 'drift');
is("$rc$err\n$out", "0\na: as it should be\nb: as it should be\nc: has no check\ndrift: 0 drifted, 2 as they should be, 1 without a check\n",
	'nothing has drifted');
my $state = slurp("$at/svc.state.mugl");
spew("$at/dc/b", "much more\n");
unlink "$at/dc/a";
($rc, $out, $err) = deploy(\%env, $svc, 'drift');
like("$rc $out", qr/^1 a: has drifted: exit status 1; its log is .*\n  \| no a \*{5}\n/, 'a check that fails');
like($out, qr/^b: has drifted\n    attributes\/size: "6" => "10"\n/m, 'an attribute that is another one');
like($out, qr/^drift: 2 drifted, 0 as they should be, 1 without a check\n\z/m, 'counted');
is($err, '', 'and nothing else');
is(slurp("$at/svc.state.mugl"), $state, 'looking changes no state');
($rc, $out) = deploy(\%env, $svc, 'drift', '-f', 'json', '--html', "$W/drift.html");
my $d = decode_json($out);
is("$d->{status} $d->{nodes}{a}{status} $d->{nodes}{c}{status}", 'drifted drifted unchecked', 'as JSON');
is($json->encode($d->{nodes}{b}{attributes}), '[{"name":"attributes/size","new":"10","old":"6"}]', 'old and new');
my $page = slurp("$W/drift.html");
like($page, qr/default-src 'none'.*"drift":\{"a":\{/s, 'as a page');
like($page, qr/"outputs":\{[^}]*"size":"6"/, 'with the outputs that the state has');
unlike($page, qr/s3cr3tpw/, 'without secrets');
my $quick = service('quick', check => "sleep 20\n");
fresh();
deploy(\%env, $quick, 'run');
($rc, $out) = deploy(\%env, $quick, 'drift', '--operation-timeout', '0.2');
like("$rc $out", qr/^1 .*it took more than 0\.2 seconds/, 'a check that hangs');

# ---- logs
fresh();
deploy(\%env, $svc, 'run', '--workers', 1);
($rc, $out) = deploy(\%env, $svc, 'logs');
is($out, "==> a.Standard.create <==\nmade \e[31ma *****\n\n==> b.Standard.create <==\nmade \e[31mb *****\n", 'all logs, in their order');
is((deploy(\%env, $svc, 'logs', 'b'))[1], "==> b.Standard.create <==\nmade \e[31mb *****\n", 'of a node');
is((deploy(\%env, $svc, 'logs', 'b.Standard.create'))[1], "==> b.Standard.create <==\nmade \e[31mb *****\n", 'of a step');
($rc, $out, $err) = deploy(\%env, $svc, 'logs', '../x');
like("$rc$out $err", qr/^1 .*there is no log of '.*x'\n  hint: there are a\.Standard\.create, b\.Standard\.create\n/, 'of nothing');
if (grep { -x "$_/script" } split /:/, $ENV{PATH}) {
	(undef, $out) = run_program({ dir => $at, limit => 60, env => { TERM => 'xterm' } }, 'script', '-qec', "$svc logs a", '/dev/null');
	is($out, "==> a.Standard.create <==\r\nmade \\u{1b}[31ma *****\r\n", 'a terminal gets no escapes');
} else {
	skip('on a terminal', 'there is no script(1)');
}
is((deploy(\%env, $svc, 'logs', '--follow'))[0], 0, '--follow ends where no run is under way');

# ---- while a run is under way
my $slow = service('slow', create => "echo first \$VETRO_NODE\n: > \"\$ROOM/begun\"\nwhile [ ! -e \"\$ROOM/go\" ]; do sleep 0.1; done\necho last\n");
fresh();
my $follower = fork // die;
if (!$follower) {
	$at =~ /(.*)/;
	my @r = deploy({ %env, limit => 60 }, '/bin/sh', '-c', "exec '$slow' logs --follow > '$W/followed'");
	POSIX::_exit($r[0]);
}
my $run = fork // die;
if (!$run) {
	my @r = deploy({ %env, limit => 60 }, '/bin/sh', '-c', "exec '$slow' run > '$W/ran' 2>&1");
	POSIX::_exit($r[0]);
}
for (1 .. 300) { last if -e "$at/dc/begun" && -s "$W/followed"; sleep 0.1 }
($rc, $out, $err) = deploy($slow, 'status');
like("$rc$err $out", qr/^0 slow: running\n  a: creating\n/, 'status of a run that is under way');
is((deploy($slow, 'plan'))[0], 0, 'and a plan');
like(slurp("$W/followed"), qr/^first \w$/m, 'logs are followed');
spew("$at/dc/go", '');
waitpid($run, 0);
is($?, 0, 'the run ends') or print map { "# $_\n" } split /\n/, slurp("$W/ran");
waitpid($follower, 0);
is($?, 0, 'and so does who follows it');
like(slurp("$W/followed"), qr/^last$/m, 'with the last lines');
like((deploy($slow, 'status'))[1], qr/^slow: deployed$/m, 'then it is deployed');

# ---- a failure
my $bad = service('bad', create => "[ \$VETRO_NODE = a ] || exit 4\n");
fresh();
deploy(\%env, $bad, 'run');
($rc, $out) = deploy($bad, 'status');
like($out, qr/^bad: failed\n.*^  b: error\n.*^b failed: exit status 4; its log is /ms, 'status says what failed');
($rc, $out) = deploy($bad, 'status', '-f', 'json', '--html', "$W/bad.html");
like(decode_json($out)->{failures}{b}, qr/^exit status 4/, 'as JSON too');
($rc, $out) = deploy($bad, 'drift');
like("$rc $out", qr/^1 .*^b: error: exit status 4/ms, 'what failed is not what should be');
done();
