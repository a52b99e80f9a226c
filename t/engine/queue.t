#!/usr/bin/env perl
# `vetro engine` behind a broker and an api of our own (t/lib/FakeBroker.pm): what it takes, runs and gives back; what it does when it
# is killed, when the connection breaks, and with messages and packages of the worst kind.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Engine;
use File::Find;
use Tap;
use Time::HiRes qw(time sleep);

$broker->{packages}{'com.example.probe.App'} = package_of('probe', map { $_ => slurp("$probe/$_") } qw(manifest.yaml Classes/App.yaml Classes/Helper.yaml));
$broker->{packages}{'t.Loop'} = class_of('Loop', "Methods:\n  deploy:\n    Body:\n      - While: (true)\n        Do:\n          - \$x: 1\n");
$broker->{packages}{'t.Huge'} = class_of('Huge',
	"Methods:\n  deploy:\n    Body:\n      - \$s: 'xxxxxxxx'\n      - While: (true)\n        Do:\n          - \$s: \$s + \$s\n");
$broker->{packages}{'t.Bad'} = class_of('Bad', "Methods: [\n");
$broker->{packages}{'t.Set'} = class_of('Set', <<'X');
Properties:
  rate: {Contract: $.int(), Usage: Config, Default: 1}
  unit: {Contract: $.string(), Usage: In, Default: none}
  zone: {Contract: $.string(), Usage: Config}
Methods:
  deploy:
    Body:
      - $.find(std:Environment).reporter.report($this, format('{0} {1} {2}', $.rate, $.unit, $.zone))
  told:
    Usage: Static
    Scope: Public
    Body:
      - Return: new(Set, name => x).rate
X
$broker->{packages}{'t.Stack'} = class_of('Stack', <<'X');
Methods:
  deploy:
    Body:
      - $stack: $.find(std:Environment).stack
      - $stack.updateTemplate(dict(resources => dict(it => dict(type => 'OS::Heat::None'))))
      - $stack.push()
X
$broker->{packages}{'t.Torn'} = { id => 'f' x 32, zip => "PK\x03\x04" . "\xff" x 200 };

configure();
start_engine();
ok $broker->pump(60, sub { $_[0]{consumer} }), 'it connects, declares and consumes';

# ---- a deployment
my $e1 = 'e' . '1' x 31;
$broker->deliver(deploy_task($e1, 'com.example.probe.App'));
my $r = result_of($e1);
ok !$r->{action}{isException}, 'a deployment ends well';
is scalar(@{ $r->{model}{Objects}{applications}[0]{helpers} }), 2, 'the model is what the methods made of it';
is $r->{model}{SystemData}{TrustId}, 'abcdef0123456789abcdef0123456789', 'with the trust that was made';
is $r->{model}{project_id} . $r->{model}{user_id}, 'p1u1', 'and what the api added';
ok $r->{model}{Objects}{applications}[0]{'?'}{_actions}{"a" . '1' x 31 . '_greet'}, 'actions are listed';
ok all_settled(), 'the task is settled when the result was answered';
is $broker->{settled}[0]{how}, 'ack', 'by an acknowledgement';
my @notes = messages('murano.info', $e1);
is join(' ', map { $_->{message}{event_type} } @notes),
	'murano.report_notification murano.track_instance murano.report_notification', 'reports and statistics in their order';
is $notes[2]{message}{payload}{text}, 'done', 'with their text';
ok $notes[2]{at} <= (messages('results', $e1))[0]{at}, 'all of them before the result';

# ---- with a trust, a stack is made with the token of the user, for Heat makes a trust of its own
my $es = 'e' . '7' x 31;
$broker->deliver(deploy_task($es, 't.Stack'));
my $made = result_of($es);
ok !$made->{action}{isException}, 'a stack is made' or print "# ", $json->encode($made->{action}), "\n";
my @heat = @{ $broker->{heat_asked} // [] };
is join(' ', map { $_->[2] } grep { $_->[0] eq 'POST' } @heat), 'token-of-the-user', 'by the user';
is join(' ', grep { $_ ne 'secret-token-of-trust' } map { $_->[2] // 'none' } grep { $_->[0] ne 'POST' } @heat), '', 'and all else by the trust';
unlike slurp("$W/log"), qr/token-of-the-user/, 'the log shows no token';

# ---- calls
sub static {
	my ($method, $args, %more) = @_;
	return call('call_static_action', { task => {
		action => { method => $method, args => $args, class_name => 'com.example.probe.App', pkg_name => undef, class_version => '=0', %more },
		token => 't', project_id => 'p1', user_id => 'u1', id => 'x' } });
}
is static('twice', { x => 21 })->{result}, 42, 'a static action';
is class_of_failure(static('twice', { x => undef })), 'ContractViolationException', 'a contract';
is class_of_failure(static('failing', {})), 'MuranoPlException', 'an exception of the language';
is class_of_failure(static('hidden', {})), 'MethodNotExposed', 'a method that is no action';
is class_of_failure(static('nowhere', {})), 'NoMethodFound', 'no method';
is class_of_failure(static('x', {}, class_name => 'com.example.No')), 'NoPackageForClassFound', 'no class';
is class_of_failure(static('x', {}, pkg_name => 'com.example.No')), 'NoPackageFound', 'no package';
is class_of_failure(call('make_tea', {})), 'NoSuchMethod', 'a method that nobody has';
my $schema = call('generate_schema', { class_name => 'com.example.probe.App', method_names => [],
	class_version => undef, package_name => undef }, _context_token => 't', _context_project_id => 'p1');
is $schema->{result}{''}{type}, 'object', 'a schema';

# ---- a Keystone that is overloaded is asked again, by fewer at a time
my $asked = @{ $broker->{requests} };
$broker->{busy} = 6;
my @busy = map { substr "e8$_" . '0' x 32, 0, 32 } 1 .. 6;
$broker->deliver(deploy_task($_, 'com.example.probe.App')) for @busy;
is join(' ', map { my $r = result_of($_); $r && !$r->{action}{isException} ? 'deployed' : 'failed' } @busy), join(' ', ('deployed') x 6),
	'all that wait for a trust are deployed in the end';
sub trusts { scalar grep { /^POST .*OS-TRUST/ } @{ $broker->{requests} }[$_[0] .. $#{ $broker->{requests} }] }
is trusts($asked) - scalar(() = slurp("$W/log") =~ /makes no trust.*503/g), 6,
	'with a trust each';

# ---- packages of the worst kind fail their task only, with the model as it came
for my $case (['Loop', qr/processor time/], ['Huge', qr/memory|Memory|too large|TooLarge|Quota/i], ['Bad', qr/E0\d+/],
	['Torn', qr/\S/], ['None', qr/Package for class "t\.None" is not found/]) {
	my ($name, $want) = @$case;
	next if $name eq 'Huge' && ($ENV{CONFIG} // '') =~ /^(?:asan|torture)$/; # no limit of memory there
	my $env = sprintf 'e%s%025x', $name eq 'None' ? 'nono' : lc $name, ++$n;
	$env = substr $env . '0' x 32, 0, 32;
	$broker->deliver(deploy_task($env, "t.$name"));
	my $r = result_of($env);
	ok $r && $r->{action}{isException}, "$name: an error of the task";
	like $r->{action}{result}{message}, $want, "$name: that says why";
	is $r->{model}{Objects}{applications}[0]{'?'}{type} =~ s/\/.*//r, "t.$name", "$name: with the model";
	ok messages('murano.info', $env), "$name: reported too";
}
is static('twice', { x => 4 })->{result}, 8, 'others go on';

# ---- [engine] class_configs: the first name that is there counts
sub told_by_set {
	my $env = substr sprintf('e5%06x', ++$n) . '0' x 32, 0, 32;
	$broker->deliver(deploy_task($env, 't.Set'));
	my $r = result_of($env);
	return $r && $r->{action}{isException} ? $r->{action}{result}{message} : (map { $_->{message}{payload}{text} } messages('murano.info', $env))[0];
}
is told_by_set(), '1 none None', 'without a file properties have their defaults';
spew("$W/classes/t.Set.yaml", "rate: 7\nunit: km\nzone: z\n");
is told_by_set(), '7 km z', 'a file of a class sets them, and the defaults of others';
is static('told', {}, class_name => 't.Set')->{result}, 7, 'in a static action too';
spew("$W/classes/t.Set-0.json", '{"rate": 8}');
is told_by_set(), '8 none None', 'a file of the version comes before one without, and is alone';
spew("$W/classes/t.Set-0.0.yaml", '[1]');
is told_by_set(), '1 none None', 'one that holds no mapping says nothing';
spew("$W/classes/t.Set-0.0.0.json", '{"rate"');
like told_by_set(), qr/configuration of a class cannot be read: .*t\.Set-0\.0\.0\.json: /, 'one that cannot be read is an error of the task';
spew("$W/classes/t.Set-0.0.0.json", '{"rate": "much"}');
like told_by_set(), qr/t\.Set/, 'a value has to fit the contract';
unlink glob "$W/classes/*";

# ---- a core library of the catalogue with another content goes before vetro's own
sub core_of {
	my ($name, $change) = @_;
	my $top = "$FindBin::Bin/../../runtime/lib/io.murano";
	my %files;
	find({no_chdir => 1, wanted => sub { $files{ substr $_, length("$top/") } = slurp($_) if -f }}, $top);
	$change->(\%files);
	return package_of($name, %files);
}
sub deploy_with_core {
	$broker->{packages}{'io.murano'} = $_[0];
	my $env = substr sprintf('e6%06x', ++$n) . '0' x 32, 0, 32;
	$broker->deliver(deploy_task($env, 'com.example.probe.App'));
	my $r = result_of($env) or return 'none';
	my @error = $r->{action}{isException} ? $r->{action}{result}{message} : ();
	return join ' | ', @error, map { $_->{message}{payload}{text} // '' } messages('murano.info', $env);
}
my $deploy = 'deploying one |  | done';
is deploy_with_core(core_of('core-own', sub {
	$_[0]{'Classes/Environment.yaml'} =~ s/(  deploy:\n.*?    Body:\n)/$1      - \$.reporter.report(\$this, 'of the operator')\n/s })),
	"of the operator | $deploy", "its methods are the operator's";
my $said = slurp("$W/log");
like $said, qr/io\.murano of the catalogue \([0-9a-f]{32}\) is not murano 14's: it is used .* Classes\/.* and \d+ more/, 'the log says so';
is deploy_with_core(core_of('core-more', sub { my $f = $_[0];
	$f->{'Classes/Mine.yaml'} = "Name: io.murano.Mine\nMethods:\n  told:\n    Usage: Static\n    Scope: Public\n    Body:\n      - Return: mine\n";
	$f->{'manifest.yaml'} =~ s/^Classes:\n/Classes:\n  io.murano.Mine: Mine.yaml\n/m })), $deploy, 'one with another class works as well';
is static('told', {}, class_name => 'io.murano.Mine')->{result}, 'mine', 'and the class is there';
is deploy_with_core(core_of('core-bad', sub { $_[0]{'Classes/Environment.yaml'} = "Methods: [\n" })), $deploy, "one that does not compile is not used";
like slurp("$W/log"), qr/do not compile with the catalogue's core library \S+\.zip: vetro's own is used in its place.*error\[E\d+\]/, 'the log says why';
is deploy_with_core({ id => 'e' x 32, zip => "PK\x03\x04" . "\xff" x 200 }), $deploy, 'nor one that is no archive';
delete $broker->{packages}{'io.murano'};

# ---- so does an io.murano.applications, for whoever requires it
$broker->{packages}{'t.Farm'} = package_of('farm', 'manifest.yaml' => <<'M', 'Classes/Farm.yaml' => <<'C');
Format: 1.4
Type: Application
FullName: t.Farm
Require:
  io.murano.applications:
Classes:
  t.Farm: Farm.yaml
M
Namespaces:
  =: t
  std: io.murano
  apps: io.murano.applications
Name: Farm
Extends: std:Application
Methods:
  deploy:
    Body:
      - $event: new(apps:Event, name => e)
      - $.find(std:Environment).reporter.report($this, $event.name)
C
sub applications_of {
	my ($name, $change) = @_;
	my $top = "$FindBin::Bin/../../runtime/lib/io.murano.applications";
	my %files = map { ($_ => slurp("$top/$_")) } 'manifest.yaml', map { s/.*\///r =~ s/^/Classes\//r } glob "$top/Classes/*";
	$change->(\%files);
	return package_of($name, %files);
}
sub farm_says {
	my $env = substr sprintf('e7%06x', ++$n) . '0' x 32, 0, 32;
	$broker->deliver(deploy_task($env, 't.Farm'));
	my $r = result_of($env) or return 'none';
	my @error = $r->{action}{isException} ? $r->{action}{result}{message} : ();
	return join ' | ', @error, map { $_->{message}{payload}{text} // '' } messages('murano.info', $env);
}
is farm_says(), 'e', "without one in the catalogue it is vetro's own";
my $named = sub { $_[0]{'Classes/Event.yaml'} .= "\n  .init:\n    Body:\n      - \$.name: of the catalogue\n" };
$broker->{packages}{'io.murano.applications'} = applications_of('apps-own', $named);
is farm_says(), 'of the catalogue', "one of the catalogue is used";
like slurp("$W/log"), qr/io\.murano\.applications of the catalogue \([0-9a-f]{32}\) is used in place of vetro's own/, 'the log says so';
$broker->{packages}{'io.murano.applications'} = applications_of('apps-bad', sub { $_[0]{'Classes/Event.yaml'} = "Methods: [\n" });
is farm_says(), 'e', 'one that does not compile is not used';
$broker->{packages}{'io.murano'} = core_of('core-own-2', sub { $_[0]{'Classes/Application.yaml'} .= "\n" });
is farm_says(), 'e', 'nor beside a core library of the catalogue';
my @without = slurp("$W/log") =~ /core library (\S+)\.zip: vetro's own/g;
is $without[-1], $without[-2], 'which is used' or print "# @without\n";
delete $broker->{packages}{$_} for 'io.murano', 'io.murano.applications';

# ---- an engine that is killed: the next one goes on where it was
my $e2 = 'e' . '2' x 31;
my $model = $r->{model};
my $app = $model->{Objects}{applications}[0]{'?'}{id};
my $slow = $json->decode($json->encode($model) =~ s/$e1/$e2/gr);
$broker->deliver(task($e2, $slow, { object_id => $app, method => 'slow', args => { seconds => 2 } }));
ok $broker->pump(30, sub { messages('murano.info', $e2) }), 'an action is under way';
kill 'KILL', $pid;
waitpid $pid, 0;
$broker->pump(10, sub { !$_[0]{consumer} });
start_engine();
$r = result_of($e2);
is $r->{action}{result}, 2, 'the next engine ends it';
ok all_settled(), 'and acknowledges it';
# one that was sent, and not yet known to be there, may come twice
like join(' ', map { $_->{message}{payload}{text} } messages('murano.info', $e2)), qr/^(slow begins ){1,2}slow ends$/, 'no report is lost';
is scalar(messages('results', $e2)), 1, 'there is one result';

# ---- nor is a second trust made
$broker->{packages}{'t.Slow'} = class_of('Slow', <<'X');
Methods:
  deploy:
    Body:
      - $.find(std:Environment).reporter.report($this, slowly)
      - sleep(2)
X
my $e9 = 'e9' . '9' x 30;
$asked = @{ $broker->{requests} };
$broker->deliver(deploy_task($e9, 't.Slow'));
ok $broker->pump(30, sub { messages('murano.info', $e9) }), 'a first deployment is under way';
kill 'KILL', $pid;
waitpid $pid, 0;
$broker->pump(10, sub { !$_[0]{consumer} });
start_engine();
$r = result_of($e9);
is $r->{model}{SystemData}{TrustId}, 'abcdef0123456789abcdef0123456789', 'the next engine has its trust';
ok all_settled(), 'and ends it';
is trusts($asked), 1, 'which is the only one';

# ---- a result that nobody answers is kept, and is not repeated when the api had handled it
my $e3 = 'e' . '3' x 31;
$broker->{silent} = 1;
$broker->{deployments} = [{ started => '2001-01-01T00:00:00', finished => undef }];
$broker->deliver(task($e3, $json->decode($json->encode($model) =~ s/$e1/$e3/gr), { object_id => $app, method => 'greet', args => { who => 'x' } }));
ok result_of($e3), 'a result is sent';
kill 'KILL', $pid;
waitpid $pid, 0;
$broker->pump(10, sub { !$_[0]{consumer} });
start_engine();
ok !$broker->pump(4, sub { messages('results', $e3) > 1 }), 'the next engine does not send it at once';
$broker->{deployments} = [{ started => '2001-01-01T00:00:00', finished => '2001-01-01T00:00:05' }];
ok all_settled(), 'it asks, and hears that it was handled';
is scalar(messages('results', $e3)), 1, 'so there is one';
$broker->{silent} = 0;

# ---- what is no task is rejected, and hurts nobody
my $before = @{ $broker->{settled} };
my @junk = ('', '{', 'null', '[]', '{}', '{"oslo.version":"2.0"}', '{"oslo.message":1}', '{"oslo.message":"{"}', '{"oslo.message":"[]"}',
	'{"oslo.message":"{}"}', "\xff\xfe", '[' x 5000,
	'{"oslo.message":"' . '[' x 5000 . '"}', '"' . 'x' x 3_000_000 . '"', "\0" x 100);
$broker->deliver($_) for @junk;
ok all_settled(), 'junk is settled';
is scalar(grep { $_->{how} eq 'reject' } @{ $broker->{settled} }[$before .. $#{ $broker->{settled} }]), scalar @junk, 'all of it is rejected';

# ---- wrong types in every field of a task
my $good = deploy_task('e' . '4' x 31, 'com.example.probe.App');
sub places { my ($v, @at) = @_;
	return ([@at],
		ref $v eq 'HASH' ? map { places($v->{$_}, @at, $_) } sort keys %$v : ref $v eq 'ARRAY' ? map { places($v->[$_], @at, $_) } 0 .. $#$v : ()) }
my @places = grep { @$_ } places($good);
my $deep = {};
$deep = { x => $deep } for 1 .. 150;
my $sent = 0;
for my $at (@places) {
	for my $other (undef, 7, '', 'x', [], {}, JSON::PP::true, ($sent % 9 ? () : $deep)) {
		my $copy = $json->decode($json->encode($good));
		$copy->{_unique_id} = unique() if $at->[0] ne '_unique_id';
		my $to = \$copy;
		$to = ref $$to eq 'HASH' ? \$$to->{$_} : \$$to->[$_] for @$at;
		$$to = $other;
		$broker->deliver($copy);
		$broker->step($_) for $broker->{sel}->can_read(0);
		$sent++;
	}
}
ok all_settled(300), "$sent tasks with a wrong type somewhere are settled";
is waitpid($pid, 1), 0, 'the engine is the same';
is static('twice', { x => 5 })->{result}, 10, 'and works';

# ---- a connection that breaks
$broker->break_connection("\xde\xad\xbe\xef" x 20);
ok $broker->pump(30, sub { $_[0]{consumer} }), 'after bytes that are no AMQP it connects again';
is static('twice', { x => 6 })->{result}, 12, 'and works again';

# ---- a broker that is away: the pause that grows is for one that does not answer, not where nobody listens
$broker->leave;
my $refused = () = slurp("$W/log") =~ /no connection to the broker/g;
$broker->pump(60, sub { (() = slurp("$W/log") =~ /no connection to the broker/g) > $refused });
$broker->pump(3, sub { 0 });
$broker->come_back;
ok $broker->pump(60, sub { $_[0]{consumer} }), 'once somebody listens again it is there';
is static('twice', { x => 7 })->{result}, 14, 'and works again';

# ---- an api of the worst kind
for my $answer ([200, '{"packages": 1}'], [200, '{"packages": [1, {"id": 7}, {"id": "../../etc"}]}'], [200, 'no json'],
	[200, '[' x 3000], [403, ''], [404, 'x']) {
	$broker->{http_answer} = $answer;
	like class_of_failure(static('twice', { x => 1 }, class_name => 'com.example.Other')), qr/NoPackageForClassFound/,
		"an api that answers $answer->[0] " . substr($answer->[1], 0, 20);
}
delete $broker->{http_answer};

# ---- the end
my ($status, $out) = vetro('engine', '--config-file', "$W/murano.conf", '--status');
like $out, qr/^engine $pid: connected/, '--status names it';
kill 'TERM', $pid;
ok $broker->pump(30, sub { waitpid($pid, 1) == $pid }), 'SIGTERM ends it';
is $?, 0, 'with status 0';
undef $pid;
my $log = slurp("$W/log");
unlike $log, qr/token-of-the-user|engine-password|secret-token/, 'no secret is in the log';
is join(' ', grep { !/\.done$/ } map { s/.*\///r } grep { -f } glob "$W/spool/*"), '', 'nothing is left in the spool';
done();
