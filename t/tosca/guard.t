#!/usr/bin/perl
# What an orchestrator must not let happen: descriptors that leak, two runs of one state, the state of another service,
# operations that leave surprises where their outputs are read.
use strict;
use warnings;
use Fcntl ();
use FindBin;
use JSON::PP;
use POSIX ();
use Time::HiRes qw(sleep time);
use lib "$FindBin::Bin/../lib";
use Deploy;
use Tap;

my ($rc, $out, $err);
my $head = <<'Y';
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  T:
    derived_from: tosca.nodes.Root
    attributes: { x: { type: string } }
    interfaces: { Standard: { operations: { create: { implementation: do.sh, outputs: { x: [ SELF, x ] } }, delete: do.sh } } }
topology_template:
  inputs: { n: { type: string, default: a } }
  node_templates:
Y
sub service {
	my ($name, $script, @nodes) = @_;
	spew("$W/$name/do.sh", $script);
	spew("$W/$name/$name.yaml", $head . join '', map { "    $_: { type: T }\n" } @nodes);
	return build($name, "$W/$name/$name.yaml");
}

# As what starts us may leave some open.
open(my $left, '<', '/dev/null') or die;
fcntl($left, Fcntl::F_SETFD(), 0);
my $fds = service('fds', "[ \$VETRO_OPERATION = create ] || exit 0\nsleep 0.3; exec ls /proc/self/fd > \"\$ROOM/\$VETRO_NODE\"\n", 'a' .. 'd');
fresh();
($rc) = deploy({ env => { ROOM => "$at/dc" } }, $fds, 'run');
my %open = map { $_ => 1 } map { split /\n/, slurp("$at/dc/$_") } 'a' .. 'd';
delete @open{0 .. 3}; # 3 is the directory that ls reads
is("$rc " . join(',', sort keys %open), '0 ', 'operations inherit no descriptors');

my $wait = service('wait', "[ \$VETRO_OPERATION = create ] || exit 0\n: > \"\$ROOM/begun\"; sleep 3\n", 'a');
fresh();
my $pid = fork // die;
if (!$pid) { deploy({ env => { ROOM => "$at/dc" } }, $wait, 'run'); POSIX::_exit(0) }
for (1 .. 100) { last if -e "$at/dc/begun"; sleep 0.1 }
my $t0 = time;
($rc, $out, $err) = deploy($wait, 'run');
ok($rc == 1 && time - $t0 < 2, 'a second run of one state is refused at once', $rc, $err);
like($err, qr/wait\.state\.mugl\.journal cannot be used.*another process/, 'and told why');
($rc, $out, $err) = deploy($wait, 'undeploy');
is($rc, 1, 'so is undeploy');
waitpid($pid, 0);

fresh();
my $other = service('other', "exit 0\n", 'a');
deploy($other, 'run');
my $before = slurp("$at/other.state.mugl");
for (['run'], ['undeploy'], ['run', '--force']) {
	($rc, $out, $err) = deploy($wait, @$_, '--snapshot', 'other.state.mugl');
	like("$rc $err", qr/^1 .*other\.state\.mugl is the state of another service, 'other'\n  hint: --snapshot/s, "the state of another service: @$_");
}
is(slurp("$at/other.state.mugl"), $before, 'is left alone');

for (['a pipe', 'rm "$VETRO_OUTPUTS"; mkfifo "$VETRO_OUTPUTS"'], ['a link', 'rm "$VETRO_OUTPUTS"; ln -s /etc/passwd "$VETRO_OUTPUTS"'],
	['a directory', 'rm "$VETRO_OUTPUTS"; mkdir "$VETRO_OUTPUTS"'], ['a device', 'rm "$VETRO_OUTPUTS"; ln -s /dev/zero "$VETRO_OUTPUTS"']) {
	my $odd = service('odd' . $_->[0] =~ s/\W//gr, "$_->[1]\n", 'a');
	fresh();
	($rc) = deploy({ limit => 20 }, $odd, 'run');
	is($rc, 0, "$_->[0] in the place of the outputs is no output");
}
my $much = service('much', "head -c 17000000 /dev/zero | tr '\\0' x > \"\$VETRO_OUTPUTS\"\n", 'a');
fresh();
($rc, $out, $err) = deploy($much, 'run');
like("$rc $err", qr/^1 .*more than 16 MiB of outputs/s, 'too many outputs');

# Whoever is left when the orchestrator is killed.
my $long = service('long', "[ \$VETRO_OPERATION = create ] || exit 0\necho \$\$ > \"\$ROOM/pid\"; exec sleep 30\n", 'a');
fresh();
$pid = fork // die;
if (!$pid) { chdir $at; $ENV{ROOM} = "$at/dc"; open(STDERR, '>', '/dev/null'); open(STDOUT, '>', '/dev/null'); exec $long, 'run' or POSIX::_exit(1) }
for (1 .. 100) { last if -s "$at/dc/pid"; sleep 0.1 }
kill 'KILL', $pid;
waitpid($pid, 0);
my $child = slurp("$at/dc/pid") + 0;
for (1 .. 50) { last if !kill 0, $child; sleep 0.1 }
ok($child && !kill(0, $child), 'the operation of a killed run is ended');

# What that operation had started lives on, and is ended before the operation is begun again.
my $child_script = <<'S';
[ $VETRO_OPERATION = create ] || exit 0
echo "begin $VETRO_ATTEMPT" >>"$ROOM/log"
[ $VETRO_ATTEMPT = 1 ] || exit 0
(trap '' TERM; : >"$ROOM/at-work"; while :; do sleep 0.05; echo old >>"$ROOM/log"; done) &
wait
S
my $orphan = service('orphan', $child_script, 'a');
fresh();
$pid = fork // die;
if (!$pid) { chdir $at; $ENV{ROOM} = "$at/dc"; open(STDERR, '>', '/dev/null'); open(STDOUT, '>', '/dev/null'); exec $orphan, 'run' or POSIX::_exit(1) }
for (1 .. 200) { last if -e "$at/dc/at-work"; sleep 0.1 }
my ($group) = slurp("$at/orphan.state.mugl.journal") =~ /"process":\{"group":(\d+),"start":\d+,"boot":"[0-9a-f-]{36}","id":"[0-9a-f]{32}"\}/;
ok($group, 'the process group of an operation stands in the journal');
kill 'KILL', $pid;
waitpid($pid, 0);
for (1 .. 50) { last if !kill 0, $group; sleep 0.1 }
# Those that nobody has waited for yet are dead all the same.
sub living {
	my ($pgrp) = @_;
	my $n = 0;
	for my $path (glob '/proc/[0-9]*/stat') {
		open(my $f, '<', $path) or next;
		$n++ if (<$f> // '') =~ /\) ([A-Z]) \d+ (\d+) / && $2 == $pgrp && $1 ne 'Z';
	}
	return $n;
}
ok($group && living($group), 'a child of a killed operation lives on');
($rc, $out, $err) = deploy({ env => { ROOM => "$at/dc" } }, $orphan, 'run');
is($rc, 0, 'the run goes on') or print "# $err";
ok(!living($group), 'and has ended that child');
like(slurp("$at/dc/log"), qr/\Abegin 1\n(?:old\n)*begin 2\n\z/, 'before the operation began again, which was told that it is the second time');
unlike(slurp("$at/orphan.state.mugl"), qr/"tries"/, 'what ended well has no tries any more');

# A number that came again is another process's.
for my $case (['another start', sub { s/"start":\d+/"start":1/ }], ['another boot', sub { s/"boot":"[^"]*"/"boot":"x"/ }]) {
	my ($title, $change) = @$case;
	fresh();
	my $slow = service('slow', "[ \$VETRO_ATTEMPT = 1 ] || exit 0\n: >\"\$ROOM/at-work\"\nsleep 20\n", 'a');
	$pid = fork // die;
	if (!$pid) { chdir $at; $ENV{ROOM} = "$at/dc"; open(STDERR, '>', '/dev/null'); open(STDOUT, '>', '/dev/null'); exec $slow, 'run' or POSIX::_exit(1) }
	for (1 .. 200) { last if -e "$at/dc/at-work"; sleep 0.1 }
	kill 'KILL', $pid;
	waitpid($pid, 0);
	my $stranger = fork // die;
	if (!$stranger) { setpgrp; exec 'sleep', 30 or POSIX::_exit(1) }
	for (1 .. 50) { last if getpgrp($stranger) == $stranger; sleep 0.02 }
	my @lines = split /^/, slurp("$at/slow.state.mugl.journal");
	for (@lines) { s/"group":\d+/"group":$stranger/; $change->(); s/"crc":"[0-9a-f]{8}",(.*)\n/sprintf('"crc":"%08x",%s', crc32($1), "$1\n")/e }
	spew("$at/slow.state.mugl.journal", join '', @lines);
	($rc, $out, $err) = deploy({ env => { ROOM => "$at/dc" } }, $slow, 'run');
	ok($rc == 0 && kill(0, $stranger), "$title: a process that only has the number is left alone", $rc, $err);
	kill 'KILL', $stranger;
	waitpid($stranger, 0);
}

sub crc32 {
	my ($text) = @_;
	my $c = 0xffffffff;
	for my $byte (unpack 'C*', $text) {
		$c ^= $byte;
		$c = $c & 1 ? ($c >> 1) ^ 0xedb88320 : $c >> 1 for 1 .. 8;
	}
	return $c ^ 0xffffffff;
}

# Undeployed, but nobody could be reported.
fresh();
my $told = service('told', "exit 0\n", 'a');
deploy($told, 'run');
($rc, $out, $err) = deploy($told, 'undeploy', '--output', '/dev/full');
is($rc, 1, 'an end that cannot be reported');
ok(-e "$at/told.state.mugl", 'keeps the state');
($rc, $out, $err) = deploy($told, 'undeploy');
like("$rc $out", qr/^0 .*"status": ?"undeployed"/s, 'until it could');
ok(!-e "$at/told.state.mugl" && !-e "$at/told.state.mugl.journal", 'then it goes');

# A workflow that has ended, but nobody could be reported: the same command does nothing again.
my $step = '{ target: a, activities: [ call_operation: Standard.create ] }';
(my $flow_text = $head) =~ s/topology_template:\n/topology_template:\n  workflows: { w: { steps: { s: $step } } }\n/;
spew("$W/flow/do.sh", "echo again >>\"\$ROOM/log\"\n");
spew("$W/flow/flow.yaml", $flow_text . "    a: { type: T }\n");
my $flow = build('flow', "$W/flow/flow.yaml");
fresh();
my %room = (env => { ROOM => "$at/dc" });
deploy(\%room, $flow, 'run');
unlink "$at/dc/log";
($rc, $out, $err) = deploy(\%room, $flow, 'workflow', 'w', '--output', '/dev/full');
is("$rc " . slurp("$at/dc/log"), "1 again\n", 'a workflow whose end cannot be reported');
($rc, $out, $err) = deploy(\%room, $flow, 'workflow', 'w');
is("$rc " . slurp("$at/dc/log"), "0 again\n", 'is told by the same command, which runs nothing again');
($rc, $out, $err) = deploy(\%room, $flow, 'workflow', 'w');
is("$rc " . slurp("$at/dc/log"), "0 again\nagain\n", 'the next time it runs again');
done();
