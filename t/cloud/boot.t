#!/usr/bin/perl
# What a Linux machine does at its first boot: the script of io.murano.resources.LinuxMuranoInstance, run with the folders and
# the programs of a test. Where murano-agent is installed its own code reads the settings, and the service starts it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use MIME::Base64;
use Tap;

my $json = JSON::PP->new->utf8;
my $example = "$FindBin::Bin/../../examples/webserver";
my $password = q{a$b$$c %d'e"};
spew("$W/ca.pem", "AUTHORITY\n");
spew("$W/settings.json", $json->encode({ engine => { agent_source => q{it's & an agent} }, rabbitmq => { host => 'broker.example',
	port => 5671, login => 'mu', password => $password, virtual_host => '/v', ssl => JSON::PP::true, ca_certs => "$W/ca.pem" } }));
my ($rc, $out, $err) = vetro('build', '-O0', '-o', "$W/web", $example);
ok($rc == 0, 'the example builds', $err) or do { done(); exit };

sub script_of {
	my @settings = @_;
	my ($status, $answer) = run_program({}, "$W/web", 'run', '--dry-run', @settings, '--model', "$example/model.json");
	return $json->decode($answer)->{effects}{heat}[-1]{template}{resources}{boot_script_vm}{properties}{config};
}
my $script = script_of('--settings', "$W/settings.json");
my $plain = script_of();

# ---- shells
spew("$W/boot.sh", $script);
for my $shell (qw(sh bash dash busybox)) {
	my @shell = $shell eq 'busybox' ? ('busybox', 'sh') : ($shell);
	if (system("command -v $shell >/dev/null 2>&1") != 0) { skip("$shell -n", 'it is not here'); next }
	($rc, $out, $err) = run_program({}, @shell, '-n', "$W/boot.sh");
	ok($rc == 0 && "$out$err" eq '', "$shell -n takes the script", "$out$err");
}
unlike($script, qr/%[A-Z_]+%/, 'no place is left open');
unlike($script, qr/it's|\Q$password\E/, 'no setting stands in the script as it is');

# ---- a machine: its folders below $root, its programs in $root/bin; each program says how it was called
my $machines = 0;
sub machine {
	my (%m) = @_;
	my $root = "$W/root" . ++$machines;
	system('mkdir', '-p', map { "$root/$_" } 'bin', 'usr/local/bin', 'etc', 'var/log', 'var/run', @{ $m{folders} || [] });
	for my $name (sort keys %{ $m{programs} }) {
		my ($folder) = "$root/$name" =~ m{(.*)/};
		system('mkdir', '-p', $folder);
		spew("$root/$name", "#!/bin/sh\necho \"\${0##*/} \$*\" >>$root/calls\n" . $m{programs}{$name});
		chmod 0755, "$root/$name";
	}
	(my $text = $m{script} || $script) =~ s#(?<![\w.])/(etc|var|opt|run|usr/local/bin)/#$root/$1/#g;
	$text =~ s{^PATH=.*}{PATH=$root/bin:$root/usr/local/bin:$root/tools}mg;
	# sed, cat and the like, but no real agent, pip or init system
	system('mkdir', '-p', "$root/tools");
	for my $tool (qw(sh mkdir base64 chmod mv ln cat tr grep kill nohup sleep rm git)) {
		my ($path) = grep { -x } map { "$_/$tool" } '/usr/bin', '/bin';
		symlink $path, "$root/tools/$tool" if $path;
	}
	spew("$root/boot.sh", $text);
	my ($status, $said, $complained) = run_program({}, 'sh', "$root/boot.sh");
	return { root => $root, status => $status, text => $said . $complained, calls => slurp("$root/calls") };
}
my %sysv = ('bin/service' => '', 'bin/update-rc.d' => '');
my $m = machine(programs => { %sysv, 'bin/muranoagent' => '' }, folders => ['etc/init']);
is($m->{calls}, "update-rc.d murano-agent defaults\nservice murano-agent stop\nservice murano-agent start\n", 'sysvinit: the agent that is there is started');
ok(-x "$m->{root}/etc/init.d/murano-agent", 'sysvinit has the script');
ok(-e "$m->{root}/etc/init/murano-agent.conf", 'upstart has the job');
ok(!-e "$m->{root}/etc/systemd", 'and nothing is made for systemd');
is(slurp("$m->{root}/etc/murano/certs/ca_certs"), "AUTHORITY\n", 'the authority is kept');
is(sprintf('%03o', (stat "$m->{root}/etc/murano/agent.conf")[2] & 0777), '600', 'the settings are for root alone');
ok(-d "$m->{root}/var/murano/plans", 'there is a folder for plans');

my $systemd = machine(programs => { 'bin/systemctl' => '', 'bin/muranoagent' => '' }, folders => ['etc/systemd', 'run/systemd/system']);
is($systemd->{calls}, "systemctl daemon-reload\nsystemctl enable murano-agent\nsystemctl restart murano-agent\n", 'systemd: enabled and started');
my $unit = slurp("$systemd->{root}/etc/systemd/system/murano-agent.service");
like($unit, qr{^ExecStart=.*muranoagent --config-dir .*/etc/murano}m, 'the unit starts the agent with the settings');

my $old = machine(programs => { %sysv, 'opt/stack/venvs/murano-agent/bin/muranoagent' => '' });
is(readlink("$old->{root}/usr/local/bin/muranoagent") // '', "$old->{root}/opt/stack/venvs/murano-agent/bin/muranoagent", 'an agent of an old image is found');
unlike($old->{calls}, qr/pip/, 'and none is installed');

my $pip = machine(programs => { %sysv, 'bin/pip3' => '' });
like($pip->{calls}, qr/^pip3 install it's & an agent$/m, 'pip installs it');
my $second = machine(programs => { %sysv, 'bin/pip3' => "exit 1\n", 'bin/pip' => '' });
like($second->{calls}, qr/^pip3 .*\npip install it's & an agent$/m, 'or the other pip');
my $own = machine(programs => { %sysv, 'bin/pip3' => "exit 1\n", 'bin/python3' => '', 'opt/murano-agent/bin/pip' => '' });
like($own->{calls}, qr/^pip3 .*\npython3 -m venv .*\npip install it's & an agent$/m, 'or an environment of its own');
is(readlink("$own->{root}/usr/local/bin/muranoagent") // '', "$own->{root}/opt/murano-agent/bin/muranoagent", 'which is on the path then');
my $none = machine(programs => {%sysv});
like($none->{text}, qr/no agent could be installed/, 'that nothing worked is said');
ok(-s "$none->{root}/etc/murano/agent.conf", 'and the settings are there all the same');
my $bare = machine(programs => { %sysv, 'bin/muranoagent' => '' }, script => $plain);
ok(!-e "$bare->{root}/etc/murano/certs", 'without an authority there is no file of it');
like(slurp("$bare->{root}/etc/murano/agent.conf"), qr/^ca_certs = $/m, 'and none is named');

# Twice is as good as once, for instance after an image was made of the machine.
my $before = slurp("$m->{root}/etc/murano/agent.conf");
($rc) = run_program({}, 'sh', "$m->{root}/boot.sh");
is($rc, 0, 'the script runs again');
is(slurp("$m->{root}/etc/murano/agent.conf"), $before, 'and leaves the same');
is(join(' ', map { s{.*/}{}r } sort glob "$m->{root}/etc/murano/*"), 'agent.conf certs', 'and nothing else');

# ---- the settings, as the agent reads them
my $read = <<'P';
import json, sys
from muranoagent.common import config
config.parse_args(['--config-dir', sys.argv[1]])
c = config.CONF
print(json.dumps({k: getattr(c.rabbitmq, k) for k in ('host', 'port', 'login', 'password', 'virtual_host', 'ssl', 'insecure', 'ca_certs',
    'input_queue', 'result_routing_key')} | {'storage': c.storage, 'engine_key': c.engine_key}))
P
my $agent = system('/usr/bin/python3 -c "import muranoagent.common.config" 2>/dev/null') == 0;
if ($agent) {
	($rc, $out, $err) = run_program({}, '/usr/bin/python3', '-c', $read, "$m->{root}/etc/murano");
	my $got = $rc ? {} : $json->decode($out);
	is($got->{password}, $password, 'the agent reads the password', $err);
	is(join(' ', map { $got->{$_} // 'null' } qw(host port login virtual_host)), 'broker.example 5671 mu /v', 'and where the broker is');
	ok($got->{ssl} && !$got->{insecure}, 'and that it is to look whom it speaks to');
	is($got->{ca_certs}, '/etc/murano/certs/ca_certs', 'and the authority');
	like($got->{input_queue}, qr/^eweb-hvm$/, 'and its queue');
	is("$got->{storage} $got->{engine_key}", '/var/murano/plans ', 'and where plans go; there is no key');
} else { skip('the agent reads its settings', 'murano-agent is not installed') }

# ---- the service
sub service {
	my ($root, $verb) = @_;
	(my $text = slurp("$root/etc/init.d/murano-agent")) =~ s#(?<![\w.])/(etc|var)/#$root/$1/#g;
	$text =~ s{^PATH=.*}{PATH=$root/bin:$root/tools}m;
	spew("$root/service", $text);
	my ($status, $said, $complained) = run_program({}, 'sh', "$root/service", $verb);
	return $status;
}
my $live = machine(programs => { %sysv, 'bin/muranoagent' => "sleep 600 & child=\$!\ntrap 'kill \$child; exit 0' TERM\nwait\n" });
is(service($live->{root}, 'status'), 3, 'the service does not run yet');
is(service($live->{root}, 'start'), 0, 'it starts');
is(service($live->{root}, 'status'), 0, 'and runs');
my $pid = slurp("$live->{root}/var/run/murano-agent.pid");
is(service($live->{root}, 'start'), 0, 'once it runs, start does nothing');
is(slurp("$live->{root}/var/run/murano-agent.pid"), $pid, 'the same process');
is(service($live->{root}, 'restart'), 0, 'it starts anew');
ok(slurp("$live->{root}/var/run/murano-agent.pid") != $pid, 'as another process');
$pid = slurp("$live->{root}/var/run/murano-agent.pid");
is(service($live->{root}, 'stop'), 0, 'it stops');
chomp $pid;
ok(!kill(0, $pid), 'and has gone');
is(service($live->{root}, 'stop'), 0, 'what does not run stops well');
spew("$live->{root}/var/run/murano-agent.pid", "$$\n");
is(service($live->{root}, 'status'), 3, 'another process of that number is not it');
is(service($live->{root}, 'nonsense'), 2, 'a verb that is none');
is(service($none->{root}, 'start'), 5, 'without an agent there is nothing to start');

if ($agent && -x '/usr/bin/muranoagent') {
	my $port = free_port();
	my $real = machine(programs => {%sysv}, script => $plain);
	symlink '/usr/bin/muranoagent', "$real->{root}/bin/muranoagent";
	my $conf = slurp("$real->{root}/etc/murano/agent.conf");
	$conf =~ s{^port = .*}{port = $port}m;
	$conf =~ s{= /var/}{= $real->{root}/var/}g;
	spew("$real->{root}/etc/murano/agent.conf", $conf);
	is(service($real->{root}, 'start'), 0, 'murano-agent starts as a service');
	my $log = '';
	for (1 .. 600) {
		$log = slurp("$real->{root}/var/log/murano-agent.log");
		last if $log =~ /ECONNREFUSED|refused/ || service($real->{root}, 'status') != 0;
		select undef, undef, undef, 0.1;
	}
	like($log, qr/ECONNREFUSED|refused/, 'and looks for the broker', $log . slurp("$real->{root}/var/log/murano-agent.out"));
	is(service($real->{root}, 'stop'), 0, 'and stops');
} else { skip('murano-agent starts', 'it is not installed') }
if (system('command -v systemd-analyze >/dev/null 2>&1') == 0) {
	spew("$W/murano-agent.service", $unit =~ s{\Q$systemd->{root}\E}{}gr);
	($rc, $out, $err) = run_program({}, 'systemd-analyze', 'verify', '--man=no', "$W/murano-agent.service");
	unlike("$out$err", qr/murano-agent\.service/, 'systemd takes the unit');
} else { skip('systemd takes the unit', 'systemd-analyze is not here') }
done();
