#!/usr/bin/env perl
# A deployed stack that is other than it should be: `drift` asks Heat. And what a run did is in its log.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use FakeCloud;
use JSON::PP;
use Tap;

delete @ENV{grep { /^OS_|^AMQP_URL$|_proxy$|_PROXY$/ } keys %ENV};
@ENV{qw(HOME XDG_CONFIG_HOME)} = ($W, "$W/config");
my ($rc, $out, $err) = vetro({limit => 300}, 'build', '-O0', '-o', "$W/deploy", "$FindBin::Bin/../data/heat-app");
is($rc, 0, 'the package builds') or do { print "# $err\n"; done() };
{
	local $ENV{OS_AUTH_URL} = 'http://127.0.0.1:1/v3';
	local @ENV{qw(OS_USERNAME OS_PASSWORD)} = qw(demo x);
	my $said = `$W/deploy call org.example.heat.Fleet run --args '{"prefix": "x", "n": 1}' 2>&1`;
	skip_all('there is no libcurl here') if $said =~ /libcurl/;
}
spew("$W/model.json", encode_json({Attributes => [['reg1', 'io.murano.CloudRegion', 'generatedStackName', '-s']],
	Objects => {'?' => {type => 'io.murano.Environment', id => 'env1'}, name => 'real', defaultNetworks => {environment => undef, flat => undef},
		regions => {'' => {
			'?' => {type => 'io.murano.CloudRegion', id => 'reg1'}, name => '', defaultNetworks => {environment => undef, flat => undef}}},
		applications => [{'?' => {type => 'org.example.heat.Probe', id => 'probe1'},
			template => {resources => {it => {type => 'OS::Heat::Value', properties => {value => 1}}}}}]}}));

# The case is a file's name: what the stack is then.
my %case = (
	gone => sub { $_[1]{stack} = undef },
	changed => sub { $_[1]{template}{resources}{it}{properties}{value} = 2 },
	added => sub { $_[1]{template}{resources}{more} = {type => 'OS::Heat::Value'} },
	failed => sub { $_[1]{stack}{stack_status} = 'CHECK_FAILED'; $_[1]{stack}{stack_status_reason} = "it \e[31m is ill" },
	ill => sub { $_[1]{resources} = [{resource_name => 'it', resource_status => 'CHECK_FAILED', resource_status_reason => 'no such thing'}] },
	lost => sub { $_[1]{resources} = [{resource_name => 'other', resource_status => 'CREATE_COMPLETE'}] },
);
sub deploy { return run_program({dir => $W, limit => 120, env => $_[0]}, "$W/deploy", @_[1 .. $#_]) }
sub cloud {
	my ($case) = @_;
	my %was;
	my $port = http_server(log => "$W/log", state => {}, hook => sub {
		my ($q, $s) = @_;
		return json_answer(200, {}) if $q->{method} eq 'POST' && $q->{path} =~ m{/actions$};
		$case{$case}->($q, $s) if $case && $s->{stack} && -e "$W/now";
		return undef;
	});
	return {OS_AUTH_URL => "http://127.0.0.1:$port/v3", OS_USERNAME => 'demo', OS_PASSWORD => 'pass-word-nobody-may-see', OS_PROJECT_NAME => 'demo'};
}

for (['', qr/^0 stack \S+: as it should be\ndrift: 0 drifted, 1 as they should be\n\z/],
	['gone', qr/^1 stack \S+: has drifted\n    the stack is gone\ndrift: 1 drifted, 0 as they should be\n/],
	['changed', qr/^1 .*\n    it: \{.*'value': 1\}.* => \{.*'value': 2\}.*\n/s],
	['added', qr/^1 .*\n    more was added to the template\n/s],
	['failed', qr/^1 .*\n    CHECK_FAILED: it \\u\{1b\}\[31m is ill\n/s],
	['ill', qr/^1 .*\n    it: CHECK_FAILED: no such thing\n/s],
	['lost', qr/^1 .*\n    it is not there\n/s]) {
	my ($case, $want) = @$_;
	my $env = cloud($case);
	unlink "$W/now", glob("$W/*.mugl");
	($rc, $out, $err) = deploy($env, 'run', '--model', 'model.json', '--output', 'answer.json');
	is($rc, 0, 'the run') or print map { "# $_\n" } split /\n/, $err;
	like($err, qr/^stack \S+: create, 1 resources$/m, 'a line an event') if !$case;
	spew("$W/now", '');
	($rc, $out, $err) = deploy($env, 'drift');
	like("$rc $out", $want, $case || 'nothing has drifted') or print map { "# $_\n" } split /\n/, $err;
	next if $case ne 'changed';
	($rc, $out) = deploy($env, 'drift', '-f', 'json');
	is(decode_json($out)->{status}, 'drifted', 'as JSON');
	like((deploy($env, 'status'))[1], qr/^org\.example\.heat 0\.0\.0: deployed\n/, 'the status is of the run');
	($rc, $out, $err) = deploy($env, 'logs');
	like("$rc $out", qr/^0 ==> run <==\n.*stack \S+: create, 1 resources\n/s, 'what the run did');
	unlike($out, qr/pass-word-nobody-may-see/, 'without secrets');
	like((deploy($env, 'logs', 'stack'))[1], qr/^stack /m, 'lines that speak of something');
	is((deploy($env, 'logs', 'nothing-like-it'))[0], 1, 'of nothing');
	is((deploy($env, 'logs', '--follow'))[0], 0, '--follow ends with the run');
	($rc, $out, $err) = deploy($env, 'drift', '--html', 'drift.html');
	like("$rc " . slurp("$W/drift.html"), qr/^1 .*"stacks":\[\{"name":"[^"]+",.*"why":\["it: /s, 'a page of what has drifted');
	($rc, $out, $err) = deploy($env, 'run', '--model', 'model.json', '--html', 'run.html', '--output', 'answer.json');
	like("$rc " . slurp("$W/run.html"), qr/"log":"==\\u003e run \\u003c==\\n.*"run":\{"status":/s, 'a page of a run has its log');
	unlike(slurp("$W/run.html"), qr/pass-word-nobody-may-see/, 'without secrets');
	($rc, $out, $err) = deploy($env, 'undeploy');
	is("$rc", '0', 'undeploy') or print map { "# $_\n" } split /\n/, $err;
	like(slurp("$W/log"), qr/DELETE/, 'deletes the stack');
	ok(!glob("$W/*.state.mugl"), 'and the state');
}
done();
