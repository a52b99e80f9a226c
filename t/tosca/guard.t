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
done();
