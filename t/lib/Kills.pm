# Kills a program between any two of its system calls, begins it again, and compares with a run that nobody killed.
#
# A scenario is a hash: name; base, sub that makes directory $W/base, what a run begins with; command, a list that runs in a copy of it;
# main, whether only the program itself is killed, and not what it has started; observe, sub that gives what the world and the
# output have come to as {facts, counts, bad}: facts have to be those of a run that nobody killed, no count may be higher.
# with, sub that starts the client of a server: it gets the command that starts it, and gives its status, output and errors.
package Kills;
use strict;
use warnings;
use Exporter 'import';
use File::Path qw(remove_tree make_path);
use IO::Handle;
use IO::Socket::INET;
use JSON::PP;
use POSIX ':sys_wait_h';
use Tap;

our @EXPORT = qw(plain tracer measure kill_at end_at kill_evenly table scenarios agent_scenarios $place);
our $place = "$W/place";
our $limit = $ENV{KILL_LIMIT} || 60;
my $json = JSON::PP->new->canonical->allow_nonref->utf8->allow_bignum;
my $build = $ENV{BUILD} || "$FindBin::Bin/../../build/release";
my $tracer = "$build/t/tracer";
# It cannot look at a process that somebody traces.
$ENV{ASAN_OPTIONS} = join ':', $ENV{ASAN_OPTIONS} // (), 'detect_leaks=0';

sub tracer { return -x $tracer ? $tracer : undef }

sub copy { my ($from, $to) = @_; remove_tree($to); system('cp', '-a', $from, $to) == 0 or die "cp: $?" }

sub run {
	my ($s, $limit, @command) = @_;
	return $s->{with}->($limit, @command) if $s->{with};
	return run_program({ dir => $place, limit => $limit, env => { WORLD => $place, %{ $s->{env} || {} } } }, @command);
}

# Calls counted, what came of it, status.
sub traced {
	my ($s, $at, @how) = @_;
	my ($st, $out, $err) = run($s, 2 * $limit, $tracer, ($s->{main} ? '-m' : ()), @how, '-t', $limit, "$W/report", $at, @{ $s->{command} });
	my ($count, $how, $status) = split ' ', slurp("$W/report");
	return ($count, $how, $status, $err);
}

sub again {
	my ($s) = @_;
	return run($s, $limit, @{ $s->{command} });
}

# How many system calls it makes, and what it comes to when nobody kills it.
sub measure {
	my ($s) = @_;
	$s->{base}->();
	copy("$W/base", "$W/base-$s->{name}");
	copy("$W/base-$s->{name}", $place);
	$s->{before}->() if $s->{before};
	my ($count, $how, $status, $err) = traced($s, 0);
	die "$s->{name}: $how $status\n$err" if $how ne 'exit' || $status != 0;
	$s->{calls} = $count;
	$s->{want} = $s->{observe}->();
	die "$s->{name}: a run that nobody killed: @{ $s->{want}{bad} }" if @{ $s->{want}{bad} };
	$s->{$_} = 0 for qw(points lost doubled stuck);
	$s->{notes} = [];
	return $count;
}

sub note { my ($s, $what, $at, $why) = @_; $s->{$what}++; push @{ $s->{notes} }, "$s->{name}, call $at: $what: $why" }

sub kill_at {
	my ($s, $at) = @_;
	copy("$W/base-$s->{name}", $place);
	$s->{before}->() if $s->{before};
	my ($count, $how, $status) = traced($s, $at);
	return note($s, 'stuck', $at, 'before it was killed') if $how eq 'late';
	return 0 if $how ne 'killed'; # it was over before
	$s->{points}++;
	if (!$s->{told}->()) {
		my ($st, $out, $err) = again($s);
		return note($s, 'stuck', $at, "status $st: $err") if $st != 0;
	}
	compare($s, $at);
}

# A SIGTERM before the N-th call. The program says by its status whether it is through: 0, or it has to be begun again.
sub end_at {
	my ($s, $at) = @_;
	copy("$W/base-$s->{name}", $place);
	$s->{before}->() if $s->{before};
	my ($count, $how, $status, $err) = traced($s, $at, '-s');
	return note($s, 'stuck', $at, "$how: $err") if $how eq 'late';
	$s->{points}++;
	my $through = $how eq 'exit' && $status == 0;
	return note($s, 'lost', $at, "status $status, and yet it is " . ($through ? 'not through' : 'through')) if $through != !!$s->{told}->();
	if (!$through) {
		my ($st, $out, $err) = again($s);
		return note($s, 'stuck', $at, "status $st: $err") if $st != 0;
	}
	compare($s, $at);
}

sub compare {
	my ($s, $at) = @_;
	my $got = $s->{observe}->();
	my ($g, $w) = map { $json->encode($_->{facts}) } $got, $s->{want};
	note($s, 'lost', $at, (difference($g, $w))) if $g ne $w;
	my @more = grep { ($got->{counts}{$_} // 0) > ($s->{want}{counts}{$_} // 0) } sort keys %{ $got->{counts} };
	note($s, 'doubled', $at, join(' ', @more, @{ $got->{bad} })) if @more || @{ $got->{bad} };
}

sub difference {
	my ($g, $w) = @_;
	my $at = 0;
	$at++ while $at < length $g && $at < length $w && substr($g, $at, 1) eq substr($w, $at, 1);
	my $from = $at < 80 ? 0 : $at - 80;
	return 'got ' . substr($g, $from, 200) . "\n  want " . substr($w, $from, 200);
}

# So many places, spread over the whole run.
sub kill_evenly {
	my ($s, $points) = @_;
	my $calls = $s->{calls} || measure($s);
	my %seen;
	for my $i (0 .. $points - 1) {
		my $at = 1 + int(($i + 0.5) * $calls / $points);
		my $points = $s->{points};
		# how many calls there are depends on how fast the machine is
		for (my $tries = 0; $tries < 4 && $at > 0 && $s->{points} == $points; $tries++, $at = int($at * 0.7)) {
			kill_at($s, $at) if !$seen{$at}++;
		}
	}
}

sub table {
	my @rows = (['scenario', 'system calls', 'kill points', 'lost', 'doubled', 'stuck'], ['---', ('---:') x 5],
		map { [@$_{qw(name calls points lost doubled stuck)}] } @_);
	my %sum;
	for my $s (@_) { $sum{$_} += $s->{$_} for qw(calls points lost doubled stuck) }
	push @rows, ['all', @sum{qw(calls points lost doubled stuck)}];
	return join '', map { '| ' . join(' | ', @$_) . " |\n" } @rows;
}

# All of them; what does not build is told.
sub scenarios {
	my $data = "$FindBin::Bin/../data";
	my @built = vetro({ limit => 400 }, 'build', '-O0', '-o', "$W/cloud", "$data/murano/cloud");
	die $built[2] if $built[0] != 0;
	@built = vetro({ limit => 400 }, 'build', '-O0', '-o', "$W/service", "$data/kills/service.yaml");
	die $built[2] if $built[0] != 0;
	return (cloud_scenarios("$W/cloud"), request_scenarios("$W/cloud"), service_scenarios("$W/service"));
}

# Against a real RabbitMQ and murano-agent on loopback, where they are installed; () else.  They run until the end.
sub agent_scenarios {
	my $heat = "$FindBin::Bin/../heat";
	return () if $> != 0 || !-x '/usr/lib/rabbitmq/bin/rabbitmq-server' || !-x '/usr/bin/muranoagent';
	my @built = vetro({ limit => 400 }, 'build', '-O0', '-o', "$W/agents", "$FindBin::Bin/../data/heat-app");
	die $built[2] if $built[0] != 0;
	my %up = (HEAT_HOME => "$W/servers", ONLY_RABBIT => 1, AMQP_PORT => free_port(), EPMD_PORT => free_port(), DIST_PORT => free_port(),
		IN_QUEUE => 'eenv3-hhost1', OUT_QUEUE => '-execution-results--agents');
	@ENV{keys %up} = values %up;
	my $exports = `$heat/up.sh 2>"$W/up.log"`;
	die "RabbitMQ does not start:\n" . slurp("$W/up.log") if $?;
	($ENV{AMQP_URL}) = $exports =~ /AMQP_URL=(\S+)/;
	system("$heat/agent.sh >/dev/null 2>&1");
	my @command = ("$W/agents", 'run', '--model', 'model.json', '--snapshot', 's.mugl', '--output', 'answer.json');
	my @common = (observe => \&agent_is, command => \@command, told => sub { -e "$place/answer.json" && !-e "$place/s.mugl.journal" });
	my $base = sub {
		remove_tree("$W/base");
		make_path("$W/base");
		spew("$W/base/model.json", $json->encode(agent_model(3)));
	};
	my $first = sub {
		copy("$W/base", $place);
		$_[0]->({ dir => $place });
		copy($place, "$W/base");
		unlink "$W/base/log";
	};
	return (
		{ name => 'agent-new', @common, base => $base },
		{ name => 'agent-existing', @common, base => sub {
			$base->();
			$first->(sub { run_program($_[0], @command) });
			answer_model();
		} },
		{ name => 'agent-resume', @common, base => $base, before => sub {
			# between the second plan and the third
			traced({ command => \@command }, 0 + ($ENV{AGENT_RESUME} || 330));
		} },
	);
}
END { my $rc = $?; system("$FindBin::Bin/../heat/down.sh >/dev/null 2>&1") if ($ENV{HEAT_HOME} // '') eq "$W/servers"; $? = $rc }

sub agent_model {
	my ($plans) = @_;
	my %none = (defaultNetworks => { environment => undef, flat => undef });
	my $region = { '?' => { type => 'io.murano.CloudRegion', id => 'reg1' }, name => '', %none };
	my $host = { '?' => { type => 'org.example.heat.Host', id => 'host1' }, seconds => 40 };
	my $probe = { '?' => { type => 'org.example.heat.Probe', id => 'probe1' }, template => undef, host => $host,
		plans => [map { agent_plan($_) } 1 .. $plans] };
	return { Attributes => [['reg1', 'io.murano.CloudRegion', 'generatedStackName', '-agents']],
		Objects => { '?' => { type => 'io.murano.Environment', id => 'env3' }, name => 'real', %none,
			regions => { '' => $region }, applications => [$probe] } };
}

sub agent_plan {
	my ($n) = @_;
	return { FormatVersion => '2.0.0', Version => '1.0.0', Name => "plan $n", Body => 'return run().stdout',
		Files => { f => { Name => 'f.sh', BodyType => 'Text', Body => "#!/bin/sh\necho plan-$n >>$place/log\necho done $n\n" } },
		Scripts => { run => { Type => 'Application', Version => '1.0.0', EntryPoint => 'f.sh', Options => { captureStdout => JSON::PP::true } } } };
}

sub agent_is {
	my %counts;
	$counts{$_}++ for split /\n/, file('log') // '';
	my $answer = eval { $json->decode(file('answer.json') // 'null') };
	return { facts => [[sort keys %counts], $answer ? $answer->{model}{Objects}{applications}[0]{results} : 'no answer',
		-e "$place/s.mugl.journal" ? 'a journal' : ''], counts => \%counts, bad => [] };
}

# ---- scenarios: the simulated cloud ----

# Ids are not the same in two runs.
sub plain {
	my ($v) = @_;
	return [map { plain($_) } @$v] if ref $v eq 'ARRAY';
	return [sort map { my $k = $_; (my $name = $k) =~ s/[0-9a-f]{32}/<id>/g; $json->encode([$name, plain($v->{$k})]) } grep {
		$_ ne 'dependencies' } keys %$v] if ref $v eq 'HASH';
	return $v if ref $v || !defined $v;
	(my $s = $v) =~ s/[0-9a-f]{32}/<id>/g;
	$s =~ s/[A-Za-z0-9+\/=]{200,}/<base64>/g;
	return $s;
}

sub file { my ($name) = @_; return -e "$place/$name" ? slurp("$place/$name") : undef }

sub cloud_is {
	my $state = file('state.json');
	my $s = defined $state ? $json->decode($state) : {};
	my $answer = eval { $json->decode(file('answer.json') // 'null') };
	my %stacks = map { my $r = $_; map { $_->{name} => [@$_{qw(action status template)}] } values %{ $s->{stacks}{$r} } } keys %{ $s->{stacks} };
	my @names = sort map { (my $n = $_) =~ s/[0-9a-z]{20,}/<id>/g; $n } keys %stacks;
	return {
		facts => plain([\@names, [map { $stacks{$_} } sort keys %stacks], $answer ? $answer->{model}{Objects} : 'no answer',
			-e "$place/s.mugl" ? 1 : 0, -e "$place/s.mugl.journal" ? 'a journal' : '', [map { s{.*/}{}r } glob("$place/*.vetro-*")]]),
		counts => { map { $_ => $s->{agents}{$_}{plans} } keys %{ $s->{agents} } },
		bad => [],
	};
}

my $instance = '"instance":{"?":{"id":"ID","type":"io.murano.resources.LinuxMuranoInstance"},"name":"ID","flavor":"m1","image":"i"}';
sub model {
	my (@vms) = @_;
	return '{"Objects":{"?":{"id":"env","type":"io.murano.Environment"},"name":"e","applications":[' . join(',', map {
		my $id = $_; qq({"?":{"id":"app-$id","type":"t.cloud.App"},) . ($instance =~ s/ID/$id/gr) . '}' } @vms) .
		'],"defaultNetworks":{"environment":{"?":{"id":"net","type":"io.murano.resources.NeutronNetwork"},"name":"n"},"flat":null}}}';
}

# One answer becomes the model of the next run.
sub answer_model {
	my ($change) = @_;
	my $m = $json->decode(slurp("$W/base/answer.json"))->{model};
	$change->($m) if $change;
	spew("$W/base/model.json", $json->encode($m));
	unlink "$W/base/answer.json", "$W/base/s.mugl";
}

sub cloud_base {
	my ($bin, @vms) = @_;
	remove_tree("$W/base");
	make_path("$W/base");
	spew("$W/base/scenario.json", '{"state":"state.json"}');
	spew("$W/base/model.json", model(@vms));
}

sub run_base {
	my (@command) = @_;
	my ($st, undef, $err) = run_program({ dir => "$W/base", env => { WORLD => "$W/base" } }, @command);
	die "base: $err" if $st != 0;
}

sub cloud_scenarios {
	my ($bin) = @_;
	my @command = ($bin, 'run', '--scenario', 'scenario.json', '--model', 'model.json', '--snapshot', 's.mugl', '--output', 'answer.json');
	my @common = (observe => \&cloud_is, told => sub { -e "$place/answer.json" && !-e "$place/s.mugl.journal" });
	my @new = (@common, command => \@command);
	return (
		{ name => 'cloud-new', @new, base => sub { cloud_base($bin, 'vm') } },
		{ name => 'cloud-parallel', @new, base => sub { cloud_base($bin, 'vm', 'vm2', 'vm3') } },
		{ name => 'cloud-existing', @new, base => sub {
			cloud_base($bin, 'vm');
			run_base(@command);
			answer_model(sub { push @{ $_[0]{Objects}{applications} }, $json->decode(model('vm2'))->{Objects}{applications}[0] });
		} },
		{ name => 'cloud-undeploy', @new, base => sub {
			cloud_base($bin, 'vm');
			run_base(@command);
			answer_model(sub { $_[0]{ObjectsCopy} = delete $_[0]{Objects}; $_[0]{Objects} = undef });
		} },
		{ name => 'cloud-resume', @new, base => sub {
			cloud_base($bin, 'vm');
			run_program({ dir => "$W/base" }, $tracer, "$W/report", 0, @command);
			my ($calls) = split ' ', slurp("$W/report");
			cloud_base($bin, 'vm');
			unlink "$W/base/state.json";
			run_program({ dir => "$W/base" }, $tracer, "$W/report", int($calls * 0.8), @command);
			die 'base: no journal' if !-s "$W/base/s.mugl.journal";
		} },
		{ name => 'cloud-services', @common, command => [@command, '--object', 'app-vm', '--call', 'services'], base => sub {
			cloud_base($bin, 'vm');
			spew("$W/base/scenario.json", '{"state":"state.json","workflows":{"w":{"seconds":40,"output":{"y":2}}},"network":{"routers":[],
				"networks":[{"id":"o","name":"ext-net","router:external":true}]}}');
		}, observe => sub {
			my $o = cloud_is();
			my $s = $json->decode(file('state.json') // '{}');
			my @routers = map { @$_ } values %{ $s->{routers} };
			$o->{counts} = { routers => scalar @routers, executions => scalar keys %{ $s->{executions} }, %{ $s->{counts} } };
			return $o;
		} },
		{ name => 'cloud-draws', @common, command => [@command, '--object', 'app-vm', '--call', 'lucky', '--args', '[5]'],
			base => sub { cloud_base($bin, 'vm') }, observe => sub {
				my $o = cloud_is();
				my $answer = eval { $json->decode(file('answer.json') // 'null') };
				my $numbers = $answer ? $answer->{model}{Objects}{applications}[0]{results} : [];
				$o->{facts} = [scalar @$numbers, $o->{counts}];
				return $o;
			} },
	);
}

# ---- scenarios: requests to a session and to a server ----

# Answers in place of the one of a run; how often each request was answered does not matter.
sub answers_are {
	my $o = cloud_is();
	my $s = $json->decode(file('state.json') // '{}');
	$o->{facts} = [plain([map { eval { $json->decode(s/^\d+ //r) } // $_ } split /\n/, file('answers') // 'no answers']), @{ $o->{facts} }[0, 1, 3 .. 5],
		[map { s{.*/}{}r } glob("$place/requests/request-*")]];
	$o->{counts} = { %{ $o->{counts} }, executions => scalar keys %{ $s->{executions} }, %{ $s->{counts} || {} } };
	return $o;
}

# The clock of the simulated cloud stands while nobody asks: an answer that is kept asks for nothing.
sub served_is {
	my $o = answers_are();
	$o->{facts} = $json->decode($json->encode($o->{facts}) =~ s/"IN_PROGRESS"/"COMPLETE"/gr);
	return $o;
}

# One client: it starts the server, asks until it has an answer or the server is gone, and ends it.
sub client {
	my ($limit, @command) = @_;
	open my $log, '>', "$W/served" or die;
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		chdir $place or POSIX::_exit(126);
		open(STDIN, '<', '/dev/null') && open(STDOUT, '>', '/dev/null') && open(STDERR, '>&', $log) or POSIX::_exit(126);
		$ENV{WORLD} = $place;
		exec { $command[0] } @command or POSIX::_exit(127);
	}
	my ($until, $answer, $st) = (time + $limit);
	while (!defined $st && !defined $answer && time < $until) {
		my ($port) = slurp("$W/served") =~ m{^\S+ http://127\.0\.0\.1:(\d+)/$}m;
		$answer = asked($port) if $port;
		$st = $? if waitpid($pid, WNOHANG) == $pid;
		select undef, undef, undef, 0.003;
	}
	spew("$place/answers", $answer) if defined $answer;
	# the server itself, also below a tracer
	kill 'TERM', map { /^(\d+)/ } grep { /^\d+$/ } split ' ', slurp("/proc/$pid/task/$pid/children") || $pid if !defined $st;
	while (!defined $st && time < $until) {
		$st = $? if waitpid($pid, WNOHANG) == $pid;
		select undef, undef, undef, 0.003;
	}
	if (!defined $st) { kill 'KILL', $pid; waitpid $pid, 0; $st = 9 }
	return (defined $answer ? 0 : 1, $answer // '', slurp("$W/served"));
}

sub asked {
	my ($port) = @_;
	my $body = '{"className":"t.cloud.Desk","methodName":"order","parameters":{"n":2}}';
	my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port, Timeout => 5) or return;
	print $s "POST /actions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nIdempotency-Key: \"one\"\r\nContent-Length: ",
		length $body, "\r\n\r\n$body";
	local $/;
	my $all = <$s> // '';
	return $all =~ /^HTTP\/1\.1 (\d+) .*?\r\nContent-Length: (\d+)\r\n.*?\r\n\r\n(.*)/s && length $3 == $2 ? "$1 $3" : undef;
}

sub request_scenarios {
	my ($bin) = @_;
	my @session = ('sh', '-c', 'exec "$@" <requests >answers', 'sh', $bin, 'session', '--scenario', 'scenario.json');
	my $base = sub {
		cloud_base($bin, 'vm');
		spew("$W/base/requests", join '', map { "$_\n" } qq({"op":"load","model":@{[model('vm')]}}),
			'{"op":"call","target":null,"method":"deploy","args":[]}',
			'{"op":"call","target":"app-vm","method":"many","args":[2]}', '{"op":"serialize_model"}', '{"op":"finalize"}');
	};
	my $told = sub { (() = (file('answers') // '') =~ /\n/g) == 5 && !(() = glob("$place/*.journal")) };
	my @server = ('--scenario', 'scenario.json', '--listen', '127.0.0.1:0', '--journal', 'requests');
	return (
		{ name => 'session-snapshot', observe => \&answers_are, told => $told, base => $base, command => [@session, '--snapshot', 's.mugl'] },
		{ name => 'session-journal', observe => \&answers_are, told => $told, base => $base, command => [@session, '--journal', 'j.journal'] },
		{ name => 'serve', observe => \&served_is, told => sub { -e "$place/answers" }, base => sub {
				cloud_base($bin, 'vm');
				spew("$W/base/scenario.json",
					'{"state":"state.json","workflows":{"w":{"seconds":40,"output":{"y":2}}}}');
			}, with => \&client,
			command => [$bin, 'serve', @server] },
	);
}

# ---- scenarios: TOSCA with scripts ----

sub service_is {
	my %counts;
	my (%begun, %ended, @bad);
	for (split /\n/, file('log') // '') {
		my ($op, $what, $attempt) = split ' ';
		push @bad, "$op: attempt $attempt began twice" if $what eq 'begin' && $begun{$op}{$attempt}++;
		push @bad, "$op: attempt $attempt ended while a later one was at work" if $what eq 'end' && grep { $_ > $attempt } keys %{ $begun{$op} };
		$ended{$op}++ if $what eq 'end';
	}
	my $answer = eval { $json->decode(file('answer.json') // 'null') };
	my $state = file('service.state.mugl') // '';
	return { facts => [[sort keys %ended], $answer, $state, [map { s{.*/}{}r } glob("$place/*.vetro-*"), glob("$place/*.work")]],
		counts => {}, bad => \@bad };
}

sub service_base { remove_tree("$W/base"); make_path("$W/base") }

sub service_scenarios {
	my ($bin) = @_;
	my @out = ('--output', 'answer.json', '--quiet');
	my %told = (run => sub { 0 }, undeploy => sub { -e "$place/answer.json" && !-e "$place/service.state.mugl" });
	my @common = (observe => \&service_is);
	my $deployed = sub { service_base(); run_base($bin, 'run', @out); unlink "$W/base/log", "$W/base/answer.json" };
	my @all = (
		{ name => 'scripts-new', command => [$bin, 'run', @out], base => \&service_base },
		{ name => 'scripts-update', command => [$bin, 'run', '--input', 'size=2', @out], base => $deployed },
		{ name => 'scripts-undeploy', command => [$bin, 'undeploy', @out], base => $deployed, told => $told{undeploy} },
		{ name => 'scripts-workflow', command => [$bin, 'workflow', 'again', @out], base => $deployed,
			told => sub { -e "$place/answer.json" && file('service.state.mugl') !~ /"workflow"/ } },
		{ name => 'scripts-resume', command => [$bin, 'run', @out], base => sub {
			my @traced = ({ dir => "$W/base", env => { WORLD => "$W/base" } }, $tracer, '-m', "$W/report");
			service_base();
			run_program(@traced, 0, $bin, 'run', @out);
			my ($calls) = split ' ', slurp("$W/report");
			service_base();
			run_program(@traced, int($calls * 0.6), $bin, 'run', @out);
			die 'base: no journal' if !-s "$W/base/service.state.mugl.journal";
		} },
	);
	my @both = map { my $s = $_; $s->{told} ||= $told{run};
		({ @common, %$s }, { @common, %$s, name => "$s->{name}-main", main => 1 }) } @all;
	return @both;
}

1;
