# `vetro engine` behind a broker and an api of our own: its configuration, packages, tasks, and what comes back.
package Engine;
use strict;
use warnings;
use Exporter 'import';
use FakeBroker;
use FindBin;
use JSON::PP;
use Tap;

our @EXPORT = qw($broker $json $pid $n $probe package_of class_of configure start_engine unique env_model task deploy_task messages result_of
	settled all_settled call class_of_failure);
$| = 1;
our $json = JSON::PP->new->canonical->allow_nonref;
our ($broker, $pid, $n) = (FakeBroker->new, undef, 0);
our $probe = "$FindBin::Bin/probe";
my $id = 0;

sub package_of {
	my ($name, %files) = @_;
	my $zip = zip_file("$W/$name.zip", map { [$_, $files{$_}] } sort keys %files);
	return { id => sprintf('%032x', ++$id), zip => slurp($zip) };
}
sub class_of { my ($name, $body) = @_; package_of($name, 'manifest.yaml' => "Format: 1.4\nType: Application\nFullName: t.$name\nClasses:\n  t.$name: C.yaml\n",
	'Classes/C.yaml' => "Namespaces:\n  =: t\n  std: io.murano\nName: $name\nExtends: std:Application\n$body") }

# Into $W/murano.conf. spool: the folder; native: whether cc compiles packages too; after: how much later, in percent of its time
sub configure {
	my %o = (spool => "$W/spool", native => 'false', after => 0, @_);
	mkdir "$W/classes";
	spew("$W/murano.conf", <<"X");
[DEFAULT]
transport_url = rabbit://guest:guest\@127.0.0.1:@{[ $broker->amqp_port ]}/
home_region = R
rabbit_retry_interval = 1
rabbit_retry_backoff = 600
[oslo_messaging_notifications]
driver = messagingv2
[murano_auth]
auth_url = http://127.0.0.1:@{[ $broker->http_port ]}/v3
username = murano
password = engine-password
[murano]
url = http://127.0.0.1:@{[ $broker->http_port ]}
[engine]
class_configs = $W/classes
[vetro]
spool = $o{spool}
native = $o{native}
native_after = $o{after}
hold = 50
processor_seconds = 8
memory = 640
drain = 20
X
}
sub start_engine {
	$pid = fork // die "fork: $!";
	return if $pid;
	open STDOUT, '>>', "$W/log" and open STDERR, '>&', \*STDOUT or exit 1;
	exec $vetro, 'engine', '--config-file', "$W/murano.conf" or exit 1;
}
END { kill 'KILL', $pid if $pid }

# ---- tasks and answers
sub unique { sprintf '%032x', ++$n }
sub env_model {
	my ($env, $type, $app) = @_;
	return { Objects => { '?' => { id => $env, type => 'io.murano.Environment', metadata => {} }, name => 'e',
		defaultNetworks => { environment => undef, flat => undef },
		applications => [{ '?' => { id => $app, type => $type }, name => 'one', ($type =~ /probe/ ? (count => 2) : ()) }] },
		Attributes => [], project_id => 'p1', user_id => 'u1' };
}
sub task {
	my ($env, $model, $action, %more) = @_;
	return { method => 'handle_task', args => { task => { action => $action, model => $model,
		token => 'token-of-the-user', project_id => 'p1', user_id => 'u1', id => $env } },
		_unique_id => unique(), %more };
}
sub deploy_task { my ($env, $type) = @_; task($env, env_model($env, $type, 'a' . substr $env, 1), { object_id => $env, method => 'deploy', args => {} }) }
sub messages { my ($key, $env) = @_; grep { $_->{key} eq $key && $json->encode($_->{message}) =~ /\b$env\b/ } @{ $broker->{published} } }
sub result_of { my ($env, $seconds) = @_;
	$broker->pump($seconds // 60, sub { (messages('results', $env))[-1] });
	my ($m) = (messages('results', $env))[-1]; return $m ? $m->{message}{args}{result} : undef }
sub settled { my ($tag) = @_; grep { $_->{tag} == $tag } @{ $broker->{settled} } }
sub all_settled { $broker->pump($_[0] // 60, sub { !$_[0]->unsettled }) }

# ---- calls
sub call {
	my ($method, $args, %context) = @_;
	my $msg = unique();
	$broker->deliver({ method => $method, args => $args, _unique_id => unique(), _msg_id => $msg,
		_reply_q => 'reply_of_api', _timeout => undef, %context });
	my $m = $broker->pump(60, sub {
		(grep { $_->{key} eq 'reply_of_api' && $_->{message}{_msg_id} eq $msg } @{ $broker->{published} })[0] }) or return { failure => '{}' };
	return $m->{message};
}
sub class_of_failure { my $f = $_[0]{failure}; return $f ? $json->decode($f)->{class} : 'none' }
1;
