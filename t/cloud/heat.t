#!/usr/bin/env perl
# A binary against a real Keystone, Heat and RabbitMQ on loopback, and a real murano-agent: `make check-heat`.
#
# t/heat/up.sh starts the servers in a directory of their own; nothing needs a hypervisor.  It takes two minutes, so without
# VETRO_HEAT_REAL, which make check-heat sets, everything is skipped; so it is without the packages, which t/heat/install.sh installs.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Socket::INET;
use JSON::PP;
use Tap;
use Time::HiRes qw(time);

my $heat = "$FindBin::Bin/../heat";
my $app = "$FindBin::Bin/../data/heat-app";


skip_all('make check-heat runs it') unless $ENV{VETRO_HEAT_REAL};
for my $need (qw(/usr/bin/keystone-manage /usr/bin/heat-api /usr/bin/heat-engine /usr/lib/rabbitmq/bin/rabbitmq-server)) {
	skip_all("$need is not installed: make check-heat installs it") unless -x $need;
}
skip_all('the servers run as root only') unless $> == 0;

# Ports that are free now.
my @port = map { my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1:0'); [$s->sockport, $s] } 1 .. 5;
my %up = (HEAT_HOME => "$W/servers", KS_PORT => $port[0][0], HEAT_PORT => $port[1][0], AMQP_PORT => $port[2][0],
	EPMD_PORT => $port[3][0], DIST_PORT => $port[4][0]);
undef $_->[1] for @port;
@ENV{keys %up} = values %up;
END { my $rc = $?; system("$heat/down.sh >/dev/null 2>&1") if $ENV{HEAT_HOME}; $? = $rc }

my $t0 = time;
my $exports = `$heat/up.sh 2>"$W/up.log"`;
if ($?) {
	my $log = `tail -5 "$W/up.log"`;
	$log =~ s/\n/ /g;
	skip_all("the servers do not start: $log");
}
my $started = time - $t0;
while ($exports =~ /(\w+)=(\S+)/g) { $ENV{$1} = $2 }
my $admin = $ENV{OS_PASSWORD};
# An ordinary user: no deployment needs the role of an administrator.
@ENV{qw(OS_USERNAME OS_PASSWORD OS_PROJECT_NAME)} = qw(demo vetro-demo demo);
delete @ENV{qw(OS_PROJECT_ID HEAT_URL OS_CLOUD)};

my ($rc, $out, $err) = vetro({limit => 300}, 'build', '-O1', '-o', "$W/deploy", $app);
is($rc, 0, 'the package builds') or print "# $err\n";

# What a process took is known to wait4 only, which perl has not.
my $peak = 0; # KiB
my $wait4 = {x86_64 => 61, aarch64 => 260}->{ (split ' ', `uname -m`)[0] };
# Headers of the answer to a user who comes with a password, in the project of the same name.
sub login {
	my ($user, $password) = @_;
	my $who = qq({"name":"$user","domain":{"id":"default"},"password":"$password"});
	my $body = qq({"auth":{"identity":{"methods":["password"],"password":{"user":$who}},) .
		qq("scope":{"project":{"name":"$user","domain":{"id":"default"}}}}});
	return scalar `curl -s -D- -o /dev/null -H 'Content-Type: application/json' -d '$body' $ENV{OS_AUTH_URL}/auth/tokens`;
}

sub wait_for {
	my ($pid) = @_;
	if (!$wait4) { waitpid($pid, 0); return $? }
	my ($status, $usage) = (pack('i', 0), "\0" x 256);
	syscall($wait4, $pid, $status, 0, $usage);
	$peak = (unpack 'x32q', $usage)[0];
	return unpack 'i', $status;
}

# Status, answer (a hash), standard error, seconds.
sub deploy {
	my @args = @_;
	my $from = time;
	my $pid = fork // die;
	if (!$pid) {
		open(STDOUT, '>', "$W/out"); open(STDERR, '>', "$W/err");
		alarm 900;
		exec "$W/deploy", @args or exit 127;
	}
	my $how = wait_for($pid);
	my $status = $how & 127 ? -1 : $how >> 8;
	my $text = slurp("$W/out");
	my $answer = eval { decode_json($text) };
	return ($status, ref $answer ? $answer : {}, slurp("$W/err"), time - $from);
}
sub model { my ($name, $data) = @_; spew("$W/$name", encode_json($data)); return "$W/$name" }

sub environment {
	my ($template, %more) = @_;
	return {Objects => {'?' => {type => 'io.murano.Environment', id => $more{id} // 'env1'}, name => 'real',
		defaultNetworks => {environment => undef, flat => undef},
		applications => [{'?' => {type => 'org.example.heat.Probe', id => 'probe1'}, template => $template,
			$more{host} ? (host => {'?' => {type => 'org.example.heat.Host', id => 'host1'}, seconds => $more{host}},
				plans => $more{plans}) : ()}]}};
}
sub stacks {
	my $token = login('demo', 'vetro-demo');
	my ($t) = $token =~ /X-Subject-Token: (\S+)/i;
	my $id = `curl -s -H 'X-Auth-Token: $t' $ENV{OS_AUTH_URL}/auth/projects`;
	my ($project) = grep { $_->{name} eq 'demo' } @{ decode_json($id)->{projects} };
	return decode_json(`curl -s -H 'X-Auth-Token: $t' http://127.0.0.1:$ENV{HEAT_PORT}/v1/$project->{id}/stacks`)->{stacks};
}

# ---- a stack's life ---------------------------------------------------------------------------------
my %random = (type => 'OS::Heat::RandomString', properties => {length => 8});
my ($st, $a, $e, $s) = deploy('run', '--model', model('one.json', environment({
	resources => {rnd => \%random, val => {type => 'OS::Heat::Value', properties => {value => 'first'}}},
	outputs => {r => {value => {get_attr => ['rnd', 'value']}}, v => {value => {get_attr => ['val', 'value']}}}})));
is($st, 0, 'a stack is created') or print "# $e\n";
my $probe = $a->{model}{Objects}{applications}[0];
is($probe->{outputs}{v}, 'first', 'its outputs are read');
like($probe->{outputs}{r}, qr/^\w{8}$/, 'those that Heat made too');
is(scalar @{ stacks() }, 1, 'Heat has one stack');
is(stacks()->[0]{stack_status}, 'CREATE_COMPLETE', 'that is complete');
printf "# servers up in %.1f s, first deployment %.2f s\n", $started, $s;

my $again = $a->{model};
my $random = $probe->{outputs}{r};
$again->{Objects}{applications}[0]{template}{resources}{val}{properties}{value} = 'second';
($st, $a, $e) = deploy('run', '--model', model('two.json', $again));
is($st, 0, 'it is updated') or print "# $e\n";
is($a->{model}{Objects}{applications}[0]{outputs}{v}, 'second', 'with the new value');
is($a->{model}{Objects}{applications}[0]{outputs}{r}, $random, 'and what did not change stays');
is(scalar @{ stacks() }, 1, 'it is the same stack');

$again = $a->{model};
$again->{Objects}{applications}[0]{template} = {resources => {bad => {type => 'OS::Heat::TestResource', properties => {fail => JSON::PP::true}}}};
($st, $a, $e) = deploy('run', '--progress', '--model', model('bad.json', $again));
is($st, 1, 'a resource that fails fails the run');
like($e, qr/^  \S+: bad CREATE_FAILED: .*Test Resource failed/m, '--progress shows what its resources do');
like($e, qr/: bad \(OS::Heat::TestResource\) CREATE_FAILED: .*Test Resource failed/, 'the resource is reported');
like($a->{error}{message}, qr/Unexpected stack state UPDATE_FAILED: .*[Rr]esource/, 'with the reason');
ok(ref $a->{model}{Objects}, 'and the model is there');

$again = $a->{model};
($st, $a, $e) = deploy('run', '--model', model('gone.json', {Objects => undef, ObjectsCopy => $again->{Objects}, Attributes => $again->{Attributes}}));
is($st, 0, 'an environment that is gone is cleaned up') or print "# $e ", encode_json($a->{error} // {}), "\n";
is(scalar(grep { $_->{stack_status} !~ /DELETE/ } @{ stacks() }), 0, 'its stack is deleted');

($st, $a, $e) = deploy('run', '--model', model('type.json', environment({resources => {x => {type => 'OS::No::Such'}}}, id => 'env2')));
is($st, 1, 'a template that Heat refuses');
like($a->{error}{message}, qr/OS::No::Such/, 'is reported with what Heat says');

# ---- an agent ---------------------------------------------------------------------------------------
SKIP: {
	if (!-x '/usr/bin/muranoagent') { skip('plans', 'murano-agent is not installed'); last SKIP }
	$ENV{IN_QUEUE} = 'eenv3-hhost1';
	$ENV{OUT_QUEUE} = '-execution-results--agents';
	my $m = environment(undef, id => 'env3', host => 60, plans => [
		{FormatVersion => '2.0.0', Version => '1.0.0', Name => 'hello', Parameters => {who => 'vetro'},
			Body => "r = run(args.who)\nreturn {'out': r.stdout, 'code': r.exitCode}\n",
			Files => {f => {Name => 'f.sh', BodyType => 'Text', Body => "#!/bin/sh\necho hello \$1\n"}},
			Scripts => {run => {Type => 'Application', Version => '1.0.0', EntryPoint => 'f.sh',
				Options => {captureStdout => JSON::PP::true, captureStderr => JSON::PP::true}}}},
		{FormatVersion => '2.0.0', Version => '1.0.0', Name => 'fails', Body => 'return bad()',
			Files => {f => {Name => 'f.sh', BodyType => 'Text', Body => "#!/bin/sh\necho partial; echo err >&2; exit 3\n"}},
			Scripts => {bad => {Type => 'Application', Version => '1.0.0', EntryPoint => 'f.sh', Options => {}}}}]);
	$m->{Attributes} = [['reg1', 'io.murano.CloudRegion', 'generatedStackName', '-agents']];
	$m->{Objects}{regions} = {'' => {'?' => {type => 'io.murano.CloudRegion', id => 'reg1'}, name => '',
		defaultNetworks => {environment => undef, flat => undef}}};
	system("$heat/agent.sh >/dev/null 2>&1");
	($st, $a, $e, $s) = deploy('run', '--model', model('agent.json', $m));
	is($st, 0, 'plans are sent to an agent') or print "# $e ", encode_json($a->{error} // {}), "\n";
	my $r = $a->{model}{Objects}{applications}[0]{results};
	is($r->[0]{out}, 'hello vetro', 'which runs them');
	is($r->[0]{code}, 0, 'and answers');
	like($r->[1]{failed}, qr/'errorCode': 100\b/, 'one that fails is an AgentException');
	like($r->[1]{failed}, qr/'exitCode': 3\b/, 'with the exit code');
	printf "# two plans %.2f s\n", $s;

	# An agent that knows the engine's key takes signed plans and drops others without a word.
	my $agent = slurp("$up{HEAT_HOME}/pid/murano-agent");
	kill 'KILL', $agent if $agent;
	unlink "$up{HEAT_HOME}/pid/murano-agent";
	system("openssl genrsa -out $W/engine.pem 2048 2>/dev/null && openssl rsa -in $W/engine.pem -RSAPublicKey_out -out $W/engine.pub 2>/dev/null") == 0
		or do { skip('signed plans', 'there is no openssl'); last SKIP };
	local $ENV{AGENT_KEY} = "$W/engine.pub";
	$ENV{IN_QUEUE} = 'eenv4-hhost1';
	$ENV{OUT_QUEUE} = '-execution-results--signed';
	$m->{Objects}{'?'}{id} = 'env4';
	$m->{Attributes}[0][3] = '-signed';
	$#{ $m->{Objects}{applications}[0]{plans} } = 0;
	system("$heat/agent.sh >/dev/null 2>&1");
	my $settings = model('settings.json', {engine => {signing_key => "$W/engine.pem"}});
	($st, $a, $e) = deploy('run', '--settings', $settings, '--model', model('signed.json', $m));
	is($st, 0, 'signed plans are taken') or print "# $e\n";
	is($a->{model}{Objects}{applications}[0]{results}[0]{out}, 'hello vetro', 'and run');
	$m->{Objects}{applications}[0]{host}{seconds} = 5;
	($st, $a, $e) = deploy('run', '--model', model('unsigned.json', $m));
	is($st, 1, 'one that is not signed is dropped');
	like($a->{error}{message}, qr/did not respond within 5 seconds/, 'which is a time-out');
	like($a->{error}{type}, qr/TimeoutException/, 'of that type');
}

# ---- who one may be -----------------------------------------------------------------------------------
{
	my ($t) = login('demo', 'vetro-demo') =~ /X-Subject-Token: (\S+)/i;
	my @one = ('call', 'org.example.heat.Fleet', 'run', '--args', '{"prefix": "who", "n": 1}');
	{
		local @ENV{qw(OS_TOKEN OS_AUTH_TYPE)} = ($t, 'token');
		local @ENV{qw(OS_USERNAME OS_PASSWORD)} = ('', '');
		($st, $a, $e) = deploy(@one);
		is($st, 0, 'a token') or print "# $e\n";
	}
	my $user = decode_json(`curl -s -H 'X-Auth-Token: $t' -H 'X-Subject-Token: $t' $ENV{OS_AUTH_URL}/auth/tokens`)->{token}{user}{id};
	{ # a user without any role acts for another, as murano's engine does with use_trusts
		my $json = "-H 'Content-Type: application/json'";
		my ($root) = login('admin', $admin) =~ /X-Subject-Token: (\S+)/i;
		my $wanted = '{"user":{"name":"engine","domain_id":"default","password":"vetro-engine"}}';
		my $engine = decode_json(`curl -s -H 'X-Auth-Token: $root' $json -d '$wanted' $ENV{OS_AUTH_URL}/users`)->{user}{id};
		my $me = decode_json(`curl -s -H 'X-Auth-Token: $t' -H 'X-Subject-Token: $t' $ENV{OS_AUTH_URL}/auth/tokens`)->{token};
		my $terms = encode_json({trust => {trustor_user_id => $user, trustee_user_id => $engine, project_id => $me->{project}{id},
			impersonation => JSON::PP::true,
			allow_redelegation => JSON::PP::true, redelegation_count => 2, roles => [map { {id => $_->{id}} } @{ $me->{roles} }]}});
		my $answer = `curl -s -H 'X-Auth-Token: $t' $json -d '$terms' $ENV{OS_AUTH_URL}/OS-TRUST/trusts`;
		my $trust = decode_json($answer)->{trust}{id};
		ok(length($trust // ''), 'Keystone makes a trust') or print "# $answer\n";
		local @ENV{qw(OS_USERNAME OS_PASSWORD OS_PROJECT_NAME OS_TRUST_ID)} = ('engine', 'vetro-engine', '', $trust // 'none');
		($st, $a, $e) = deploy(@one);
		is($st, 0, 'a trust') or print "# $e\n";
		is($a->{distinct} // $a->{result}{distinct}, 1, 'with which a stack is made, read and deleted');
		local $ENV{OS_TRUST_ID} = 'nobody-gave-this';
		($st, $a, $e) = deploy(@one);
		is($st, 1, 'a trust that is none');
		like($e . encode_json($a), qr/401|403|404/, 'is refused');
	}
	my $wanted = '{"application_credential":{"name":"vetro","unrestricted":true}}';
	my $at = "$ENV{OS_AUTH_URL}/users/$user/application_credentials";
	my $made = decode_json(`curl -s -H 'X-Auth-Token: $t' -H 'Content-Type: application/json' -d '$wanted' $at`);
	my $ac = $made->{application_credential};
	local @ENV{qw(OS_USERNAME OS_PASSWORD OS_PROJECT_NAME OS_AUTH_TYPE)} = ('', '', '', 'v3applicationcredential');
	local @ENV{qw(OS_APPLICATION_CREDENTIAL_ID OS_APPLICATION_CREDENTIAL_SECRET)} = ($ac->{id} // 'none', $ac->{secret} // 'none');
	# Keystone lets no application credential make the trust that Heat wants for a new stack: Heat is only asked.
	($st, $a, $e) = deploy('run', '--model', model('ac.json', environment({description => 'no resources'}, id => 'env5')));
	is($st, 0, 'an application credential') or print "# $e\n";
	spew("$W/clouds.yaml", "clouds:\n  here:\n    auth_type: password\n    region_name: RegionOne\n    auth: {auth_url: '$ENV{OS_AUTH_URL}'," .
		" username: demo, project_name: demo,"
		. " user_domain_id: default, project_domain_id: default}\n");
	spew("$W/secure.yaml", "clouds:\n  here:\n    auth: {password: vetro-demo}\n");
	local @ENV{qw(OS_CLOUD OS_CLIENT_CONFIG_FILE OS_CLIENT_SECURE_FILE)} = ('here', "$W/clouds.yaml", "$W/secure.yaml");
	($st, $a, $e) = deploy(@one);
	is($st, 0, 'clouds.yaml') or print "# $e\n";
}

# ---- many at once -----------------------------------------------------------------------------------
my $n = $ENV{VETRO_HEAT_STACKS} || 10;
($st, $a, $e, $s) = deploy('call', 'org.example.heat.Fleet', 'run', '--args', encode_json({prefix => 'fleet', n => $n + 0}));
is($st, 0, "$n stacks at once") or print "# $e ", encode_json($a), "\n";
is($a->{distinct} // $a->{result}{distinct}, $n, 'each with its own answer');
is(scalar(grep { $_->{stack_status} !~ /DELETE/ } @{ stacks() }), 0, 'and all are gone');
printf "# %d stacks created, read and deleted in %.1f s, at most %.1f MB\n", $n, $s, $peak / 1024;

# ---- what is refused --------------------------------------------------------------------------------
{
	local $ENV{OS_PASSWORD} = 'wrong-and-secret';
	($st, $a, $e) = deploy('run', '--model', model('one.json', environment({resources => {rnd => \%random}})));
	is($st, 1, 'a wrong password');
	like($a->{error}{message}, qr/401/, 'says so');
	ok("$e" . encode_json($a) !~ /wrong-and-secret/, 'and nowhere the password');
	ok(ref $a->{model}{Objects}, 'the model is written');
}
done();
