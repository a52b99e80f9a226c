# Another machine: a real sshd that has a network of its own. It wants root.
package Machine;
use strict;
use warnings;
use Exporter 'import';
use POSIX ();
use Tap;
use Time::HiRes qw(sleep);

our @EXPORT = qw(machine machine_end $there @ssh);
our ($there, @ssh); # its address; options of a deploy binary that get there
my ($ns, $near, $far, $ip, $sshd_pid) = ("vetro$$", "va$$", "vb$$");

sub where_is { my ($program) = @_; my @all = grep { -x } map { "$_/$program" } split(/:/, $ENV{PATH}), '/usr/sbin', '/sbin'; return $all[0] }
sub quiet { return system("@_ >/dev/null 2>&1") == 0 }

# Connections that are still open have an sshd of their own.
sub machine_end {
	kill TERM => grep { /^\d+$/ } split ' ', `$ip netns pids $ns 2>/dev/null`;
	quiet($ip, 'link', 'del', $near);
	quiet($ip, 'netns', 'del', $ns);
	waitpid $sshd_pid, 0 if $sshd_pid;
}

sub network {
	my ($net) = @_;
	return quiet($ip, 'link', 'add', $near, 'type', 'veth', 'peer', 'name', $far, 'netns', $ns)
		&& quiet($ip, 'addr', 'add', "$net.1/24", 'dev', $near) && quiet($ip, 'link', 'set', $near, 'up')
		&& quiet($ip, '-n', $ns, 'addr', 'add', "$net.2/24", 'dev', $far) && quiet($ip, '-n', $ns, 'link', 'set', $far, 'up')
		&& quiet($ip, '-n', $ns, 'link', 'set', 'lo', 'up');
}

sub answers {
	return quiet('ssh', '-F', 'none', '-o', 'BatchMode=yes', '-o', "UserKnownHostsFile=$W/ssh/known", '-o', 'StrictHostKeyChecking=accept-new',
		'-i', "$W/ssh/user", "root\@$there", 'true');
}

# Starts it, or skips all. Besides, these programs have to be there. Gives the name of its network device.
sub machine {
	for my $program (@_, qw(sshd ssh ssh-keygen ip)) { skip_all("there is no $program") if !where_is($program) }
	skip_all('it wants root') if $>;
	$ip = where_is('ip');
	my $net = sprintf '10.%d.%d', 100 + $$ % 100, ($$ >> 7) % 250;
	skip_all('there can be no network namespace') if !quiet($ip, 'netns', 'add', $ns);
	if (!network($net)) { machine_end(); skip_all('there can be no pair of network devices') }
	$there = "$net.2";
	mkdir "$W/ssh", 0700;
	mkdir '/run/sshd', 0755;
	quiet('ssh-keygen', '-q', '-t', 'ed25519', '-N', "''", '-f', "$W/ssh/$_") for 'host', 'user';
	spew("$W/ssh/config", <<"C");
Port 22
ListenAddress $there
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
		exec $ip, 'netns', 'exec', $ns, where_is('sshd'), '-D', '-e', '-f', "$W/ssh/config" or POSIX::_exit(127);
	}
	my $ready = 0;
	for (1 .. 200) { last if $ready = answers(); sleep 0.1 }
	if (!$ready) { machine_end(); skip_all('sshd does not answer') }
	@ssh = ('--ssh-user', 'root', '--ssh-key', "$W/ssh/user", '--ssh-known-hosts', "$W/ssh/known");
	return $far;
}

1;
