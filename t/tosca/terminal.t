#!/usr/bin/perl
# A run on a terminal: a display of what runs and what waits for what, and a summary; elsewhere lines and JSON.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Deploy;
use Tap;

my ($rc, $out, $err);
spew("$W/svc/service.yaml", <<'Y');
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.Root
    requirements: [ dep: { capability: tosca.capabilities.Node, relationship: tosca.relationships.DependsOn, occurrences: [ 0, UNBOUNDED ] } ]
    interfaces: { Standard: { operations: { create: run.sh, delete: run.sh } } }
topology_template:
  node_templates:
    base: { type: App }
    "wi\e[31mld": { type: App, requirements: [ dep: base ] }
    top: { type: App, requirements: [ dep: base ] }
  outputs: { url: { value: "http://x/\e[1m" }, ports: { value: [ 80, 443 ] } }
Y
spew("$W/svc/run.sh", qq([ "\$VETRO_NODE" != "\$BAD" ] || { echo broken; exit 3; }\nsleep 0.3\n));
my $bin = build('svc', "$W/svc/service.yaml");

fresh();
($rc, $out, $err) = deploy($bin, 'run');
is($rc, 0, 'no terminal');
is(decode_json($out)->{status}, 'deployed', 'the result is JSON');
is(scalar(() = $err =~ /^svc: .*: Standard\.create (?:\.\.\.|done)$/mg), 6, 'a line an event') or print "# $err\n";
unlike($err, qr/[\e\r]/, 'and nothing but lines');
($rc, $out, $err) = deploy($bin, 'undeploy', '--quiet', '-f', 'text');
like("$rc$err$out", qr/^0service: undeployed, 3 steps in \d+\.\d s$/m, '--quiet reports none; -f text is the summary');
($rc, $out) = deploy($bin, 'run', '--dry-run', '-f', 'json');
is(scalar @{ decode_json($out)->{steps} }, 3, 'a dry run as JSON');

if (!grep { -x "$_/script" } split /:/, $ENV{PATH}) {
	skip('on a terminal', 'there is no script(1)');
	done();
	exit;
}
sub terminal {
	my ($env, @args) = @_;
	my $command = join ' ', map { "'$_'" } $bin, @args;
	my ($st, $o, $e) = run_program({ dir => $at, limit => 60, env => { TERM => 'xterm', %$env } }, 'script', '-qec', $command, '/dev/null');
	return ($st, $o);
}
fresh();
($rc, $out) = terminal({}, 'run');
is($rc, 0, 'on a terminal');
like($out, qr/\[0\/3\] 1 running, 0 s\r.*base: Standard\.create  0 s\r.*top: Standard\.create waits for base: Standard\.create/s,
	'counts, seconds, and what waits for what');
like($out, qr/\[1\/3\] base: Standard\.create done, \d s\r\n/, 'a line for each end');
like($out, qr/\e\[Kservice: deployed, 3 steps in \d+\.\d s\r\n(?:  .*: started\r\n){3}outputs:\r\n  url: http:.*\r\n  ports: \[80,443\]\r\n\z/,
	'a summary at the end');
(my $escapes = $out) =~ s/\e\[[KA]//g;
unlike($escapes, qr/\e/, 'what the template holds moves no cursor and has no colour');
my $screen = $out =~ s/.*\e\[K(?=[^\e]*\z)//sr;
like($screen, qr/^(?:\[3\/3\] .*\r\n)?service: deployed/, 'nothing of the display is left');
fresh();
($rc, $out) = terminal({ BAD => 'base' }, 'run');
like($out, qr/: base: Standard\.create failed: exit status 3.*\| broken/s, 'a failure is told above it');
like($out, qr/service: failed, 0 steps/, 'and in the summary');
($rc, $out) = terminal({ TERM => 'dumb' }, 'run');
like($out, qr/^svc: base: Standard\.create \.\.\.\r$/m, 'a terminal that cannot move its cursor gets lines');
unlike($out, qr/\e/, 'and no escapes');
fresh();
($rc, $out) = terminal({}, 'run', '-f', 'json', '--quiet');
is($rc ? $out : decode_json($out)->{status}, 'deployed', 'JSON for who asks for it');
done();
