#!/usr/bin/perl
# Ansible, and a script, over ssh to a real sshd that has a network of its own. It wants root.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Deploy;
use POSIX ();
use Tap;
use Time::HiRes qw(sleep);

sub there { my ($program) = @_; my @all = grep { -x } map { "$_/$program" } split(/:/, $ENV{PATH}), '/usr/sbin', '/sbin'; return $all[0] }
for my $program (qw(ansible-playbook sshd ssh ssh-keygen ip)) { skip_all("there is no $program") if !there($program) }
skip_all('it wants root') if $>;
my ($ip, $sshd) = (there('ip'), there('sshd'));
my ($ns, $near, $far) = ("vetro$$", "va$$", "vb$$");
my $net = sprintf '10.%d.%d', 100 + $$ % 100, ($$ >> 7) % 250;
sub quiet { return system("@_ >/dev/null 2>&1") == 0 }
my $sshd_pid;
# Connections that are still open have an sshd of their own.
sub end { kill TERM => grep { /^\d+$/ } split ' ', `$ip netns pids $ns 2>/dev/null`; quiet($ip, 'link', 'del', $near); quiet($ip, 'netns', 'del', $ns) }
skip_all('there can be no network namespace') if !quiet($ip, 'netns', 'add', $ns);
my $up = quiet($ip, 'link', 'add', $near, 'type', 'veth', 'peer', 'name', $far, 'netns', $ns)
	&& quiet($ip, 'addr', 'add', "$net.1/24", 'dev', $near) && quiet($ip, 'link', 'set', $near, 'up')
	&& quiet($ip, '-n', $ns, 'addr', 'add', "$net.2/24", 'dev', $far) && quiet($ip, '-n', $ns, 'link', 'set', $far, 'up')
	&& quiet($ip, '-n', $ns, 'link', 'set', 'lo', 'up');
if (!$up) { end(); skip_all('there can be no pair of network devices') }

# ---- the machine
mkdir "$W/$_", 0700 for 'ssh', 'svc', 'there';
mkdir '/run/sshd', 0755;
quiet('ssh-keygen', '-q', '-t', 'ed25519', '-N', "''", '-f', "$W/ssh/$_") for 'host', 'user';
spew("$W/ssh/config", <<"C");
Port 22
ListenAddress $net.2
HostKey $W/ssh/host
AuthorizedKeysFile $W/ssh/user.pub
StrictModes no
UsePAM no
PidFile none
PermitRootLogin yes
Subsystem sftp internal-sftp
C
$sshd_pid = fork // die "fork: $!";
if (!$sshd_pid) {
	open STDIN, '<', '/dev/null';
	open STDOUT, '>', "$W/ssh/log";
	open STDERR, '>&', \*STDOUT;
	exec $ip, 'netns', 'exec', $ns, $sshd, '-D', '-e', '-f', "$W/ssh/config" or POSIX::_exit(127);
}
sub answers { return quiet('ssh', '-F', 'none', '-o', 'BatchMode=yes', '-o', "UserKnownHostsFile=$W/ssh/known", '-o', 'StrictHostKeyChecking=accept-new',
	'-i', "$W/ssh/user", "root\@$net.2", 'true') }
my $ready = 0;
for (1 .. 200) { last if $ready = answers(); sleep 0.1 }
if (!$ready) { end(); skip_all('sshd does not answer') }

$ENV{ANSIBLE_SSH_ARGS} = '-o ControlMaster=no'; # no connection stays for the next playbook

# ---- a playbook and a script there
spew("$W/svc/service.yaml", <<"Y");
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.SoftwareComponent
    attributes: { address: { type: string }, host: { type: string }, links: { type: string } }
    interfaces:
      Standard:
        operations:
          create: { implementation: { primary: play/create.yaml, dependencies: [ files/page.txt ] } }
          start: { implementation: start.sh, outputs: { links: [ SELF, links ] } }
          delete: play/delete.yaml
topology_template:
  inputs: { address: { type: string } }
  node_templates:
    m: { type: tosca.nodes.Compute, attributes: { public_address: { get_input: address } } }
    app: { type: App, requirements: [ host: m ] }
  outputs:
    address: { value: { get_attribute: [ app, address ] } }
    links: { value: { get_attribute: [ app, links ] } }
Y
mkdir "$W/svc/$_" for 'play', 'files';
spew("$W/svc/files/page.txt", "a page\n");
spew("$W/svc/play/create.yaml", <<"Y");
- hosts: all
  gather_facts: false
  tasks:
  - copy: { src: page.txt, dest: $W/there/page.txt }
  - shell: cut -d' ' -f3 <<<"\$SSH_CONNECTION"
    args: { executable: /bin/bash }
    register: seen
  - set_stats: { data: { address: "{{ seen.stdout }}" } }
Y
spew("$W/svc/play/delete.yaml", "- hosts: all\n  gather_facts: false\n  tasks:\n  - file: { path: $W/there/page.txt, state: absent }\n");
spew("$W/svc/start.sh", "#!/bin/sh\necho \"links=\$(echo \$(sed -n 's/^ *\\([^:]*\\):.*/\\1/p' /proc/net/dev))\" >>\"\$VETRO_OUTPUTS\"\n");
my $bin = build('service', "$W/svc/service.yaml");
my @ssh = ('--ssh-user', 'root', '--ssh-key', "$W/ssh/user", '--ssh-known-hosts', "$W/ssh/known");
fresh();
my ($rc, $out, $err) = deploy({ limit => 300 }, $bin, 'run', '--input', "address=$net.2", @ssh);
is($rc, 0, 'run') or print "# $err\n";
my $got = eval { decode_json($out)->{outputs} } || {};
is($got->{address}, "$net.2", 'the playbook ran on the other machine, and its set_stats came back');
like($got->{links} // '', qr/\b\Q$far\E\b/, 'so did the script');
is(-e "$W/there/page.txt" ? slurp("$W/there/page.txt") : '', "a page\n", 'a file went there');
($rc, $out, $err) = deploy({ limit => 300 }, $bin, 'undeploy', @ssh);
is($rc, 0, 'undeploy') or print "# $err\n";
ok(!-e "$W/there/page.txt", 'and the file is gone');

# ---- a machine whose key is another one
fresh();
spew("$W/ssh/wrong", slurp("$W/ssh/known") =~ s/ ssh-ed25519 .*/ ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f/rg);
($rc, $out, $err) = deploy({ limit => 300 }, $bin, 'run', '--input', "address=$net.2", @ssh[0 .. 3], '--ssh-known-hosts', "$W/ssh/wrong");
is($rc, 1, 'a machine whose key is not the known one is refused');
ok(!-e "$W/there/page.txt", 'and nothing is done there');
end();
waitpid $sshd_pid, 0;
done();
