#!/usr/bin/env perl
# Clouds that misbehave (t/lib/FakeCloud.pm): each is a clear error with the address and what to do, exit 1, the model
# written, and no secret in any output; or it is overcome.  All cases run at once, for most of them wait.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use FakeCloud;
use JSON::PP;
use Tap;
use Time::HiRes qw(time);

delete @ENV{grep { /^OS_|^AMQP_URL$|_proxy$|_PROXY$/ } keys %ENV};
@ENV{qw(HOME XDG_CONFIG_HOME)} = ($W, "$W/config");

my ($rc, $out, $err) = vetro({limit => 300}, 'build', '-O0', '-o', "$W/deploy", "$FindBin::Bin/../data/heat-app");
if ($rc == 0) {
	local $ENV{OS_AUTH_URL} = 'http://127.0.0.1:1/v3';
	local @ENV{qw(OS_USERNAME OS_PASSWORD)} = qw(demo x);
	my $said = `$W/deploy call org.example.heat.Fleet run --args '{"prefix": "x", "n": 1}' 2>&1`;
	skip_all('there is no libcurl here') if $said =~ /libcurl/;
}
is($rc, 0, 'the package builds') or do { print "# $err\n"; done() };

# ---- one case: a server, a run, what must come of it -----------------------------------------------------
my ($SECRET, @case) = ('pass-word-nobody-may-see');
my %app = (template => {resources => {it => {type => 'OS::Heat::Value', properties => {value => 1}}}});
sub model {
	my ($o) = @_;
	return {Attributes => [['reg1', 'io.murano.CloudRegion', 'generatedStackName', '-s']],
		Objects => {'?' => {type => 'io.murano.Environment', id => 'env1'}, name => 'real',
			defaultNetworks => {environment => undef, flat => undef},
			regions => {'' => {'?' => {type => 'io.murano.CloudRegion', id => 'reg1'}, name => '',
				defaultNetworks => {environment => undef, flat => undef}}},
			applications => [{'?' => {type => 'org.example.heat.Probe', id => 'probe1'}, %{ $o->{app} || \%app }}]}};
}

# case NAME, {http options, env, settings, args, port => SUB giving the URL}, sub { my ($r) = @_; checks }
sub case {
	my ($name, $o, $check) = @_;
	my $dir = "$W/c" . @case;
	mkdir $dir;
	my $port = $o->{none} ? 0 : http_server(log => "$dir/log", hook => $o->{hook}, state => $o->{state});
	my %env = (OS_AUTH_URL => "http://127.0.0.1:$port/v3", OS_USERNAME => 'demo', OS_PASSWORD => $SECRET, OS_PROJECT_NAME => 'demo',
		%{ ref $o->{env} eq 'CODE' ? $o->{env}->($port, $dir) : $o->{env} || {} });
	my $model = model($o);
	$o->{change}->($model) if $o->{change};
	spew("$dir/model.json", encode_json($model));
	spew("$dir/settings.json", encode_json($o->{settings} || {}));
	my $pid = fork // die;
	if (!$pid) {
		$ENV{$_} = $env{$_} for grep { defined $env{$_} } keys %env;
		open(STDOUT, '>', "$dir/out"); open(STDERR, '>', "$dir/err");
		chdir $dir;
		alarm 120;
		exec "$W/deploy", @{ $o->{args} || ['run', '--model', 'model.json', '--settings', 'settings.json', '--output', 'answer.json'] };
	}
	push @case, {name => $name, dir => $dir, pid => $pid, port => $port, check => $check, began => time, good => $o->{good}, interrupt => $o->{interrupt}};
}

# It must fail with a message like that.
sub fails {
	my ($name, $o, $pattern, $more) = @_;
	case($name, $o, sub {
		my ($r) = @_;
		is($r->{status}, 1, "$name: status 1");
		my $p = ref $pattern eq 'CODE' ? $pattern->($r) : $pattern;
		like($r->{answer}{error}{message}, $p, "$name: reported");
		ok(ref $r->{answer}{model}{Objects}, "$name: the model is written");
		$more->($r) if $more;
	});
}
sub works {
	my ($name, $o, $more) = @_;
	case($name, $o, sub {
		my ($r) = @_;
		is($r->{status}, 0, $name) or print '# ', $r->{err} =~ s/\n/\n# /gr, "\n";
		$more->($r) if $more;
	});
}
sub asked { my ($r, $method, $path) = @_; return grep { $_->{method} eq $method && $_->{path} =~ $path } requests("$r->{dir}/log") }
sub at { my ($r) = @_; return "127\\.0\\.0\\.1:$r->{port}" }

# ---- Keystone -------------------------------------------------------------------------------------------
works('a cloud that is well', {}, sub {
	my ($r) = @_;
	is($r->{answer}{model}{Objects}{applications}[0]{outputs}{o}, 42, 'outputs are read');
	is(scalar(asked($r, 'POST', qr/tokens/)), 1, 'with one token');
	my ($login) = asked($r, 'POST', qr/tokens/);
	my $auth = decode_json($login->{body})->{auth};
	is($auth->{identity}{password}{user}{domain}{id}, 'default', 'a domain that is not named is the default one');
	is($auth->{scope}{project}{name}, 'demo', 'the project is the scope');
});
fails('nobody listens', {none => 1, env => {OS_AUTH_URL => 'http://127.0.0.1:1/v3'}},
	qr{http://127\.0\.0\.1:1/v3/auth/tokens: .*; is the service running there});
fails('no such host', {none => 1, env => {OS_AUTH_URL => 'http://no-such-host.invalid:5000/v3'}},
	qr/no-such-host\.invalid:5000.*no such host; is the host's name right/);
fails('a wrong password', {hook => sub { $_[0]{path} =~ /tokens/
	? json_answer(401, {error => {code => 401, message => 'The request you have made requires authentication.'}}) : undef }},
	sub { my $at = at($_[0]); qr{POST http://$at/v3/auth/tokens: 401: .*check user, password} },
	sub { is(scalar(asked($_[0], 'POST', qr/tokens/)), 1, 'a wrong password: asked once, for accounts get locked') });
fails('no Keystone', {hook => sub { answer(200, '<html>hello</html>', 'Content-Type' => 'text/html') }},
	sub { my $at = at($_[0]); qr{http://$at/v3/auth/tokens answered 200, but not with a token} });
fails('Keystone elsewhere', {hook => sub { answer(302, '', Location => 'http://127.0.0.1:1/v3/auth/tokens') }}, qr/: 302/);
fails('Keystone is ill', {hook => sub { answer(500, 'oops') }}, sub { my $at = at($_[0]); qr{http://$at/v3/auth/tokens: 500} },
	sub { is(scalar(asked($_[0], 'POST', qr/tokens/)), 4, 'Keystone is ill: tried four times') });
fails('nothing is set', {none => 1, env => {OS_AUTH_URL => ''}}, qr/no OpenStack is named: set OS_AUTH_URL/);
fails('no password', {none => 1, env => {OS_PASSWORD => ''}}, qr/OS_PASSWORD \(password\) is not set/);
my @progress = (args => [qw(run --model model.json --settings settings.json --output answer.json --progress)]);
sub asked_once { my ($r, $name) = @_; unlike($r->{err}, qr/again in \d/, "$name: nothing is asked again") }
fails('no Heat in the catalogue',
	{@progress, hook => sub { $_[0]{path} =~ /tokens/
		? json_answer(201, {token => {catalog => [], expires_at => undef}}, 'X-Subject-Token' => 'secret-token-1')
	: undef }},
	sub { my $at = at($_[0]); qr{the catalogue of http://$at/v3 has no public endpoint of a service of type orchestration} },
	sub { asked_once($_[0], 'no Heat in the catalogue') });
fails('Heat in another region only', {@progress, env => {OS_REGION_NAME => 'Elsewhere'}},
	qr{no public endpoint of a service of type orchestration in region Elsewhere},
	sub { asked_once($_[0], 'Heat in another region only') });
fails('Heat without such an interface', {@progress, env => {OS_INTERFACE => 'admin'}},
	qr{no admin endpoint of a service of type orchestration},
	sub { asked_once($_[0], 'Heat without such an interface') });

# ---- tokens ---------------------------------------------------------------------------------------------
works('a token that expired', {hook => sub { my ($q, $s) = @_; ($q->{head}{'x-auth-token'} // '') eq 'secret-token-1'
	? json_answer(401, {error => {message => 'expired'}}) : undef }},
	sub { is(scalar(asked($_[0], 'POST', qr/tokens/)), 2, 'is replaced once') });
fails('no token is good', {hook => sub { $_[0]{path} =~ /tokens/ ? undef : json_answer(401, {error => {message => 'go away'}}) }},
	sub { my $at = at($_[0]); qr{GET http://$at/v1/p/stacks/murano--s \(orchestration\) answered 401: go away; } },
	sub { is(scalar(asked($_[0], 'POST', qr/tokens/)), 2, 'no token is good: two were tried') });

# ---- Heat -----------------------------------------------------------------------------------------------
my $get_stack = sub { $_[0]{method} eq 'GET' && $_[0]{path} =~ m{/stacks/} };
sub at_stack { my ($a) = @_; return sub { $get_stack->($_[0]) ? $a : undef } }
fails('500 for ever', {hook => at_stack(answer(500, 'oh no'))}, sub { my $at = at($_[0]); qr{http://$at/v1/p/stacks/murano--s .*answered 500: oh no; the log} },
	sub { is(scalar(asked($_[0], 'GET', qr/stacks/)), 4, '500 for ever: tried four times') });
works('500 and 503, then an answer', {hook => sub { my ($q, $s) = @_; $get_stack->($q) && ++$s->{n} < 3 ? answer($s->{n} == 1 ? 500 : 503, 'x') : undef }});
works('503 to the creation, then an answer',
	{hook => sub { my ($q, $s) = @_; $q->{method} eq 'POST' && $q->{path} =~ /stacks$/ && !$s->{n}++ ? answer(503, 'busy') : undef }},
	sub { is(scalar(asked($_[0], 'POST', qr/stacks$/)), 2, 'it was asked for twice') });
fails('500 to the creation', {hook => sub { my ($q, $s) = @_; $q->{method} eq 'POST' && $q->{path} =~ /stacks$/ ? answer(500, 'busy') : undef }},
	qr/POST .*answered 500: busy/,
	sub { is(scalar(asked($_[0], 'POST', qr/stacks$/)), 1, '500 to the creation: asked once') });
fails('forbidden', {hook => at_stack(json_answer(403, {error => {message => 'no'}}))}, qr/answered 403: no; the user may not/);
works('a conflict', {hook => sub { my ($q, $s) = @_; $q->{method} eq 'POST' && $q->{path} =~ /stacks$/ && !$s->{n}++
	? json_answer(409, {error => {message => 'busy'}}) : undef }});

my %old = (id => 'id-0', stack_name => 'murano--s', stack_status => 'CREATE_COMPLETE', creation_time => '2025-01-01T00:00:00Z',
	parameters => {}, outputs => []);
my %there = (stack => {%old}, template => {heat_template_version => '2013-05-23', resources => {old => {type => 'OS::Heat::Value'}}});
works('404 to a PUT', {state => {%there}, hook => sub { my ($q, $s) = @_; $q->{method} eq 'PUT' or return; $s->{stack} = undef;
	json_answer(404, {error => {message => 'gone'}}) }},
	sub { is(scalar(asked($_[0], 'POST', qr/stacks$/)), 1, 'creates the stack') });
works('a stack that is deleted already', {state => {stack => {%old, stack_status => 'DELETE_COMPLETE'}, template => {}}},
	sub { is(scalar(asked($_[0], 'POST', qr/stacks$/)), 1, 'is made anew'); is(scalar(asked($_[0], 'PUT', qr/./)), 0, 'and not changed') });
works('a redirect of a PUT', {state => {%there}, hook => sub { my ($q, $s) = @_; $q->{method} eq 'PUT' && $q->{path} !~ /again$/
	? answer(302, '', Location => "$s->{base}$q->{path}/again") : undef }}, sub {
	my @put = asked($_[0], 'PUT', qr/stacks/);
	is(scalar @put, 2, 'keeps the method');
	ok(length $put[0]{body} && $put[0]{body} eq ($put[1]{body} // ''), 'and the body');
	like($put[1]{head}{'x-auth-token'}, qr/^secret-token/, 'and the token, for it is the same server');
});
fails('a failing update whose reason names the resource', {state => {%there, fails => 'Resource CREATE failed: ResourceInError: resources.web: No valid host',
	resources => [{resource_name => 'web', resource_type => 'OS::Nova::Server', resource_status => 'CREATE_FAILED',
		resource_status_reason => 'ResourceInError: resources.web: No valid host'}]}},
	qr/^Unexpected stack state UPDATE_FAILED: Resource CREATE failed: ResourceInError: resources\.web: No valid host$/);
fails('a reason of many characters', {state => {%there, fails => 'x' x 150 . "\x{e9}" x 5000, resources => [{resource_name => 'web',
	resource_type => 'OS::Nova::Server', resource_status => 'CREATE_FAILED', resource_status_reason => "\x{20ac}" x 3000 . "\nforged: line"}]}},
	qr/^Unexpected stack state UPDATE_FAILED: x{150}\x{e9}{50}\.\.\. \(4950 characters more\); web .* \x{20ac}{200}\.\.\. \(2813 characters more\)$/,
	sub { unlike($_[0]{err}, qr/^forged/m, 'no line of it stands by itself') });
fails('a service that says much', {hook => sub { $_[0]{path} =~ /stacks/ ? json_answer(400, {error => {message => 'm' x 5000}}) : undef }},
	qr/answered 400: m{200}\.\.\. \(4800 characters more\)/);
works('events are followed', {args => ['run', '--model', 'model.json', '--settings', 'settings.json', '--output', 'answer.json', '--progress'],
	state => {%there, events => [map { {id => "e$_", resource_name => "r$_", resource_status => 'CREATE_COMPLETE',
		resource_status_reason => 'state changed'} } 1 .. 3]},
	hook => sub {
		my ($q, $s) = @_;
		push @{ $s->{events} }, {id => 'e4', resource_name => 'web', resource_status => 'CREATE_IN_PROGRESS',
			resource_status_reason => 'state changed'},
			{id => 'e5', resource_name => 'web', resource_status => 'CREATE_FAILED', resource_status_reason => "No valid host\e[2J"}
				if $q->{method} eq 'PUT';
		return undef;
	}}, sub {
	my ($r) = @_;
	like($r->{err}, qr/^  \S+: web CREATE_IN_PROGRESS\n  \S+: web CREATE_FAILED: No valid host\\u\{1b\}\[2J$/m,
		'events: what resources do is reported, and nothing that a terminal obeys');
	ok($r->{err} !~ m{r[123] CREATE}, 'events: not what was before');
});
works('events that nobody has', {args => ['run', '--model', 'model.json', '--settings', 'settings.json', '--output', 'answer.json', '--progress'],
	hook => sub { $_[0]{path} =~ /events/ ? json_answer(404, {}) : undef }});
works('no events without --progress', {state => {%there}},
	sub { is(scalar(asked($_[0], 'GET', qr/events/)), 0, 'no events without --progress: not asked for') });
fails('a failing update', {state => {%there, fails => 'Resource CREATE failed: it did not like it',
	resources => [{resource_name => 'web', resource_type => 'OS::Nova::Server', resource_status => 'CREATE_FAILED',
		resource_status_reason => "No valid host\e[2J"},
		{resource_name => 'net', resource_type => 'OS::Neutron::Net', resource_status => 'CREATE_COMPLETE', resource_status_reason => 'fine'}]}},
	qr/^Unexpected stack state UPDATE_FAILED: Resource CREATE failed: it did not like it; web \(OS::Nova::Server\) CREATE_FAILED: No valid host/, sub {
		like($_[0]{err}, qr/stack murano--s: web \(OS::Nova::Server\) CREATE_FAILED: No valid host/, 'the resource that failed is reported');
		ok($_[0]{err} !~ /\e/, 'and nothing that a terminal obeys');
		ok($_[0]{err} !~ /Neutron/, 'and no other');
	});

# What the model lost is taken down before anything else; where the cloud does not answer, nothing is forgotten.
my %lost = (app => {}, change => sub { my ($m) = @_; $m->{ObjectsCopy} = $m->{Objects}; $m->{Objects} = undef });
works('an environment that is gone', {%lost, state => {%there}}, sub {
	my ($r) = @_;
	is(scalar(asked($r, 'DELETE', qr{/stacks/murano--s/id-0$})), 1, 'its stack is deleted');
	ok(!defined $r->{answer}{model}{ObjectsCopy}, 'and forgotten');
});
case('a cloud that is gone as well', {%lost, none => 1, env => {OS_AUTH_URL => 'http://127.0.0.1:1/v3'}}, sub {
	my ($r) = @_;
	is($r->{status}, 1, 'a cloud that is gone as well: status 1');
	like($r->{err}, qr{\.destroy of io\.murano\.CloudRegion reg1 failed: .*http://127\.0\.0\.1:1/v3/auth/tokens}, 'a cloud that is gone as well: reported');
	is($r->{answer}{model}{ObjectsCopy}{'?'}{id}, 'env1', 'a cloud that is gone as well: nothing is forgotten');
	is($r->{answer}{model}{Attributes}[0][3], '-s', 'a cloud that is gone as well: nor the name of the stack');
});

# ---- answers --------------------------------------------------------------------------------------------
fails('a short answer', {hook => at_stack(answer(200, '{"stack"', 'Content-Type' => 'application/json', 'Content-Length' => 500))},
	sub { my $at = at($_[0]); qr/http:.*$at.*the connection ended before the answer did/ });
fails('a short chunk', {hook => at_stack("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nff\r\n{\"stack\"")},
	qr/the connection ended before the answer did/);
fails('half of a JSON', {hook => at_stack(answer(200, '{"stack": {"id"', 'Content-Type' => 'application/json'))},
	sub { my $at = at($_[0]); qr/$at.*answered 200, but what it says is no JSON/ });
fails('a page', {hook => at_stack(answer(200, '<html><body>Welcome</body></html>', 'Content-Type' => 'text/html'))},
	sub { my $at = at($_[0]); qr/$at.*is no JSON: it is a page for people; is that the service's address/ });
fails('other JSON', {hook => at_stack(json_answer(200, {hello => 1}))}, qr/answered 200 without a stack's status/);
fails('no HTTP', {hook => at_stack("SSH-2.0-OpenSSH_9.2\r\n")}, sub { my $at = at($_[0]); qr/GET http:.*$at/ });
fails('silence', {settings => {http => {timeout => 1}}, hook => sub { $get_stack->($_[0]) ? sub { select undef, undef, undef, 2 } : undef }},
	sub { my $at = at($_[0]); qr/$at.*no answer in time; the limit is in --settings, group http/ });
fails('a slow Keystone', {settings => {http => {stall_timeout => 1}}, hook => sub { sub { sleep 100 } }}, qr/tokens: no answer in time/);
fails('ten gigabytes', {hook => sub { $get_stack->($_[0]) ? sub {
	my ($c) = @_;
	my $piece = ' ' x (1 << 20);
	syswrite $c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n";
	for (1 .. 10240) { syswrite($c, $piece) // last }
} : undef }}, qr/the answer is too large/, sub { is(scalar(asked($_[0], 'GET', qr/stacks/)), 1, 'ten gigabytes: asked once') });
fails('a loop', {hook => sub { my ($q, $s) = @_; $get_stack->($q) ? answer(302, '', Location => "$s->{base}$q->{path}") : undef }}, qr/more than 5 redirects/);
works('answers that end with the connection', {hook => sub { my $a = FakeCloud::usual(@_); $a =~ s/Content-Length: \d+\r\n// unless $a =~ / 302 | 204 /; $a }});

# A redirect to another server takes no token along.
my $other = http_server(log => "$W/other.log", hook => sub { json_answer(401, {error => {message => 'who are you?'}}) });
fails('a redirect to a stranger', {hook => sub { $get_stack->($_[0]) ? answer(302, '', Location => "http://127.0.0.1:$other/v1/p/stacks/x") : undef }},
	qr/answered 401: who are you/, sub {
	my @got = requests("$W/other.log");
	ok(@got > 0, 'a redirect to a stranger: it was asked');
	ok(!grep({ encode_json($_) =~ /secret-token|x-auth-token/i } @got), 'a redirect to a stranger: without a token');
});
fails('a redirect to a file', {hook => at_stack(answer(302, '', Location => 'file:///etc/passwd'))}, qr/a redirect to where none may lead/);

# ---- proxies, TLS -----------------------------------------------------------------------------------------
works('a proxy', {state => {base => 'http://heat.invalid:8004'},
	env => sub { {OS_AUTH_URL => 'http://keystone.invalid:5000/v3', http_proxy => "http://127.0.0.1:$_[0]"} }}, sub {
	my @got = requests("$_[0]{dir}/log");
	like($got[0]{path}, qr{^http://keystone\.invalid:5000/v3}, 'asks for whole addresses');
});
works('no_proxy', {env => {http_proxy => 'http://127.0.0.1:1', no_proxy => '127.0.0.1'}});
fails('a proxy that is not there', {none => 1, env => {OS_AUTH_URL => 'http://keystone.invalid:5000/v3', http_proxy => 'http://127.0.0.1:1'}},
	qr{http://keystone\.invalid:5000/v3/auth/tokens: });
my $tls;
if (system("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost -keyout $W/key -out $W/cert " .
	"2>/dev/null") == 0) {
	my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1:0');
	my $port = $s->sockport;
	close $s;
	$tls = fork // die;
	if (!$tls) { open(STDIN, '<', '/dev/null'); open($_, '>', '/dev/null') for *STDOUT, *STDERR; exec 'openssl', 's_server', '-accept', $port, '-cert',
		"$W/cert", '-key', "$W/key", '-www', '-quiet' }
	select undef, undef, undef, 0.7;
	fails('an unknown certificate', {none => 1, env => {OS_AUTH_URL => "https://localhost:$port/v3"}},
		qr{https://localhost:$port/v3/auth/tokens: .*certificate.*; OS_CACERT names the file}i);
	fails('a certificate for another name', {none => 1, env => {OS_AUTH_URL => "https://127.0.0.1:$port/v3", OS_CACERT => "$W/cert"}},
		qr/; OS_CACERT names/);
	fails('no file of certificates', {none => 1, env => {OS_AUTH_URL => "https://localhost:$port/v3", OS_CACERT => "$W/nothing"}},
		qr/https:.*; OS_CACERT names/);
	# That server answers no POST: it is waited for, which is to say that the certificate was good.
	my %soon = (none => 1, settings => {http => {timeout => 1}});
	fails('a certificate that is trusted', {%soon, env => {OS_AUTH_URL => "https://localhost:$port/v3", OS_CACERT => "$W/cert"}}, qr/no answer in time/);
	fails('OS_INSECURE', {%soon, env => {OS_AUTH_URL => "https://localhost:$port/v3", OS_INSECURE => 'true'}}, qr/no answer in time/);
}

# ---- many at once -----------------------------------------------------------------------------------------
works('forty stacks at once', {args => ['call', 'org.example.heat.Fleet', 'run', '--args', '{"prefix": "f", "n": 40}'], hook => sub {
	my ($q, $s) = @_;
	my ($name, $rest) = $q->{path} =~ m{^/v1/p/stacks/([^/]+)(.*)};
	if ($q->{method} eq 'POST' && $q->{path} =~ /stacks$/) {
		my $d = decode_json($q->{body});
		$s->{all}{ $d->{stack_name} } = {%old, stack_name => $d->{stack_name},
			outputs => [{output_key => 'it', output_value => $d->{template}{resources}{it}{properties}{value}}]};
		return json_answer(201, {stack => {id => 'id-0'}});
	}
	return undef unless $name;
	my $stack = $s->{all}{$name} or return json_answer(404, {error => {message => 'none'}});
	return answer(302, '', Location => "$s->{base}/v1/p/stacks/$name/id-0") unless $rest;
	if ($q->{method} eq 'DELETE') { delete $s->{all}{$name}; return answer(204, '') }
	return json_answer(200, $rest =~ /template/ ? {} : {stack => $stack});
}}, sub {
	my ($r) = @_;
	is(decode_json($r->{out})->{result}{distinct}, 40, 'each has its answer');
	is(scalar(asked($r, 'POST', qr/tokens/)), 1, 'and one token serves them all');
});

# ---- a stack is made as the user, for Heat makes a trust of its own, which nobody can with a token of a trust
my %trusted = (OS_PROJECT_NAME => '', OS_TRUST_ID => 't', VETRO_USER_TOKEN => 'token-of-the-user');
sub heat_takes { my ($q) = @_; $q->{head}{'x-auth-token'} = 'secret-token-1' if ($q->{head}{'x-auth-token'} // '') eq 'token-of-the-user'; return undef }
sub heat_refuses { my ($q) = @_;
	return ($q->{head}{'x-auth-token'} // '') eq 'token-of-the-user' ? json_answer(401, {error => {message => 'expired'}}) : undef }
my @created = ({env => {%trusted}, hook => \&heat_takes}, {env => {%trusted}, hook => \&heat_refuses});
sub tokens_of { my ($r, $method, $path) = @_; join ' ', map { $_->{head}{'x-auth-token'} // 'none' } asked($r, $method, $path) }
works('a trust, and the token of the user', $created[0], sub { my ($r) = @_;
	is(tokens_of($r, 'POST', qr/stacks$/), 'token-of-the-user', 'the stack is made with the latter');
	unlike(tokens_of($r, 'GET', qr/stacks/), qr/of-the-user|none/, 'and all else by the trust');
	unlike(slurp("$r->{dir}/err") . $r->{out}, qr/token-of-the-user/, 'it is shown nowhere') });
works('a trust, and a token that expired', $created[1], sub { my ($r) = @_;
	like(tokens_of($r, 'POST', qr/stacks$/), qr/^token-of-the-user secret-token-\d+$/, 'then by the trust, as far as Heat can') });

# ---- who you are --------------------------------------------------------------------------------------------
# What is sent as {"auth"}; %keep: what must not be in the environment.
sub logs_in {
	my ($name, $env, $want) = @_;
	works($name, {env => sub { my ($port, $dir) = @_; my %e = ref $env eq 'CODE' ? %{ $env->($port, $dir) } : %$env;
		return {OS_USERNAME => '', OS_PASSWORD => '', OS_PROJECT_NAME => '', %e} }}, sub {
		my ($login) = asked($_[0], 'POST', qr/tokens/);
		my $json = JSON::PP->new->canonical;
		is($login ? $json->encode(decode_json($login->{body})->{auth}) : 'nothing', $json->encode($want), "$name: as Keystone has it");
	});
}
my %project = (scope => {project => {name => 'demo', domain => {id => 'default'}}});
my %me = (OS_USERNAME => 'demo', OS_PASSWORD => $SECRET, OS_PROJECT_NAME => 'demo');
my %by_password = (methods => ['password'], password => {user => {name => 'demo', domain => {id => 'default'}, password => $SECRET}});
logs_in('a token', {OS_TOKEN => 'secret-token-0', OS_PROJECT_ID => 'p'}, {identity => {methods => ['token'], token => {id => 'secret-token-0'}},
	scope => {project => {id => 'p'}}});
logs_in('an application credential', {OS_APPLICATION_CREDENTIAL_ID => 'ac', OS_APPLICATION_CREDENTIAL_SECRET => $SECRET},
	{identity => {methods => ['application_credential'], application_credential => {id => 'ac', secret => $SECRET}}});
logs_in('an application credential by name', {OS_APPLICATION_CREDENTIAL_NAME => 'mine', OS_USERNAME => 'demo', OS_USER_DOMAIN_NAME => 'D',
	OS_APPLICATION_CREDENTIAL_SECRET => $SECRET},
	{identity => {methods => ['application_credential'], application_credential => {name => 'mine', secret => $SECRET,
		user => {name => 'demo', domain => {name => 'D'}}}}});
logs_in('a trust', {%me, OS_TRUST_ID => 't'}, {identity => {%by_password}, scope => {'OS-TRUST:trust' => {id => 't'}}});
logs_in('OS_AUTH_TYPE decides', {%me, OS_TOKEN => 'secret-token-0', OS_AUTH_TYPE => 'v3password'}, {identity => {%by_password}, %project});
logs_in('domains', {%me, OS_USER_DOMAIN_NAME => 'A', OS_PROJECT_DOMAIN_ID => 'b'},
	{identity => {methods => ['password'], password => {user => {name => 'demo', domain => {name => 'A'}, password => $SECRET}}},
		scope => {project => {name => 'demo', domain => {id => 'b'}}}});
my $clouds = sub { my ($port, $dir) = @_; spew("$dir/clouds.yaml", <<'Y'
clouds:
  other:
    auth: {auth_url: http://127.0.0.1:1}
  mine:
    region_name: RegionOne
    auth:
Y
	. <<"Y"); spew("$dir/secure.yaml", "clouds:\n  mine:\n    auth: {password: $SECRET}\n") };
      auth_url: http://127.0.0.1:$port/v3
      username: demo
      project_name: demo
Y
logs_in('clouds.yaml and secure.yaml', sub { $clouds->(@_); return {OS_CLOUD => 'mine', OS_AUTH_URL => 'http://127.0.0.1:1', OS_USERNAME => 'nobody'} },
	{identity => {%by_password}, %project});
logs_in('OS_CLIENT_CONFIG_FILE', sub { $clouds->(@_); rename "$_[1]/clouds.yaml", "$_[1]/c.yaml";
	return {OS_CLOUD => 'mine', OS_CLIENT_CONFIG_FILE => "$_[1]/c.yaml"} }, {identity => {%by_password}, %project});
fails('no such cloud', {env => sub { $clouds->(@_); return {OS_CLOUD => 'nothing'} }}, qr/clouds\.yaml has no cloud named nothing, which OS_CLOUD asks for/);
fails('no clouds.yaml', {none => 1, env => {OS_CLOUD => 'mine'}}, qr/OS_CLOUD names the cloud mine, but there is no clouds\.yaml/);
fails('a broken clouds.yaml', {none => 1, env => sub { spew("$_[1]/clouds.yaml", "clouds: [a\n"); return {OS_CLOUD => 'mine'} }}, qr/clouds\.yaml: /);

# ---- RabbitMQ -----------------------------------------------------------------------------------------------
my @mq = glob '/usr/lib/*/librabbitmq.so.4'; # without it no agent is reached
my %hello = (FormatVersion => '2.0.0', Version => '1.0.0', Name => 'hello', Body => 'return 1', Files => {}, Scripts => {});
sub plans { my ($seconds) = @_; return {template => undef, plans => [\%hello], host => {'?' => {type => 'org.example.heat.Host', id => 'host1'},
	seconds => $seconds || 20}} }
sub result { my ($plan, $c) = @_;
	return FakeCloud::deliver($c, 'x', encode_json({FormatVersion => '2.0.0', ID => 'r', SourceID => $plan->{ID}, Action => 'Execution:Result',
	ErrorCode => 0, Body => 'well'})) }
sub amqp {
	my ($how, $name, $broker, @check) = @_;
	return unless $mq[0];
	my $port = ref $broker ? broker(log => "$W/amqp-$name.log", %$broker) : $broker;
	my $seconds = ref $broker ? delete $broker->{seconds} : undef;
	$how->($name, {none => 1, app => plans($seconds), env => {AMQP_URL => "amqp://guest:$SECRET\@127.0.0.1:$port/"}},
		map { my $c = $_; ref $c eq 'CODE' && $how == \&fails && $c == $check[0] ? sub { $c->($port) } : $c } @check);
}
sub results { return $_[0]{answer}{model}{Objects}{applications}[0]{results}[0] }
sub amqp_works { my ($name, $broker, $more) = @_; amqp(\&works, $name, $broker, sub { is(results($_[0]), 'well', "$name: the answer is there");
	$more->($_[0]) if $more }) }
amqp_works('a broker that is well', {answer => \&result}, sub {
	my @log = requests("$W/amqp-a broker that is well.log");
	is(join(' ', sort grep { $_ } map { $_->{declare} } grep { $_->{connection} == 1 } @log), '-execution-results--s eenv1-hhost1',
		'both queues are declared before the plan leaves');
});
amqp(\&fails, 'no broker', 1, qr{RabbitMQ at 127\.0\.0\.1:1/, connect: .*is the broker running there});
amqp(\&fails, 'a wrong login', {refuse => [403, 'ACCESS_REFUSED - Login was refused']},
	sub { my ($port) = @_; qr{RabbitMQ at 127\.0\.0\.1:$port/, log in: .*403 ACCESS_REFUSED.*has the address and the login} });
amqp(\&fails, 'a broker that hangs up', {refuse => 'hang up'}, sub { my ($port) = @_; qr{RabbitMQ at 127\.0\.0\.1:$port/, log in: } });
amqp(\&fails, 'a queue of another kind', {declare => [406, "PRECONDITION_FAILED - inequivalent arg 'x-expires'"]},
	qr/declare the queue \S+: the broker says 406 PRECONDITION_FAILED.*delete it/);
amqp(\&fails, 'no answer', {seconds => 2}, qr/The murano-agent did not respond within 2 seconds/);
amqp_works('a broker that dies meanwhile',
	{answer => sub { my ($plan, $c, $s) = @_; if (!$s->{died}++) { push @{ $s->{plans} }, $plan; return undef } return result($plan, $c) }}, sub {
	my @log = requests("$W/amqp-a broker that dies meanwhile.log");
	is(scalar(grep { $_->{consume} } @log), 2, 'by way of a second connection');
	is(scalar(grep { $_->{plan} } @log), 1, 'the plan was sent once');
});
amqp_works('a message that is no JSON',
	{answer => sub { my ($plan, $c) = @_; FakeCloud::deliver($c, 'x', '{"SourceID": ') . FakeCloud::deliver($c, 'x', '[]') . result($plan, $c) }},
	sub { like($_[0]{err}, qr/a message in -execution-results--s is no JSON and is passed over/, 'is reported') });
amqp_works('a message of 65 MiB', {answer => sub { my ($plan, $c) = @_; FakeCloud::deliver($c, 'x', ' ' x (65 << 20)) . result($plan, $c) }},
	sub { like($_[0]{err}, qr/a message in -execution-results--s is larger than 64 MiB and is passed over/, 'is reported') });
case('a bad AMQP_URL', {none => 1, app => plans(), env => {AMQP_URL => "http://guest:$SECRET\@x/"}}, sub {
	is($_[0]{status}, 1, 'a bad AMQP_URL: status 1');
	like($_[0]{err}, qr/AMQP_URL is not of the form amqp:/, 'a bad AMQP_URL: reported before anything is done');
});

if ($mq[0]) {
	my $port = broker(log => "$W/amqp-ssl.log");
	fails('ssl as a text', {none => 1, app => plans(),
		settings => {rabbitmq => {host => '127.0.0.1', port => $port, login => 'guest', password => $SECRET, ssl => 'true'}}},
		qr{RabbitMQ at 127\.0\.0\.1:$port/, connect: }, sub { ok(slurp("$W/amqp-ssl.log") !~ /declare/, 'ssl as a text: nothing goes in the clear') });
}

# ---- a run that is interrupted while it waits ------------------------------------------------------------------
sub is_interrupted {
	my ($name) = @_;
	return sub {
		my ($r) = @_;
		is($r->{status}, 130, "$name: status 130");
		ok(time - $r->{began} < 100 && ref $r->{answer}{model}{Objects}, "$name: the model is written", $r->{status}, $r->{err});
		ok($r->{err} !~ /Sanitizer|runtime error|leak/i, "$name: nothing is lost", $r->{err});
	};
}
case('interrupted in a request', {interrupt => 1, hook => sub { sleep 150 if $_[0]{path} =~ /stacks/; undef }}, is_interrupted('interrupted in a request'));
case('interrupted in a login', {interrupt => 1, hook => sub { sleep 150 }}, is_interrupted('interrupted in a login'));
case('an AMQP_URL without a host', {none => 1, app => plans(), env => {AMQP_URL => 'amqp:///'}}, sub {
	is($_[0]{status}, 1, 'an AMQP_URL without a host: status 1');
	like($_[0]{err}, qr/AMQP_URL is not of the form amqp:/, 'an AMQP_URL without a host: reported');
});
case('interrupted in a plan', {interrupt => 1, none => 1, app => plans(150),
	env => {AMQP_URL => "amqp://guest:$SECRET\@127.0.0.1:" . broker(log => "$W/amqp-int.log") . '/'}},
	is_interrupted('interrupted in a plan')) if $mq[0];
my $mute = IO::Socket::INET->new(Listen => 9, LocalAddr => '127.0.0.1:0') or die;
case('interrupted in a declaration', {interrupt => 1, none => 1, app => plans(150),
	env => {AMQP_URL => "amqp://guest:$SECRET\@127.0.0.1:" . $mute->sockport . '/'}},
	is_interrupted('interrupted in a declaration')) if $mq[0];
sleep 3;
kill 'INT', $_->{pid} for grep { $_->{interrupt} } @case;

# ---- what came of them ----------------------------------------------------------------------------------------
for my $r (@case) {
	waitpid($r->{pid}, 0);
	$r->{status} = $? & 127 ? -($? & 127) : $? >> 8;
}
for my $r (@case) {
	$r->{$_} = slurp("$r->{dir}/$_") for qw(out err);
	my $text = slurp("$r->{dir}/answer.json");
	$r->{answer} = eval { decode_json($text) } // {};
	$r->{check}->($r);
	ok("$r->{out}$r->{err}$text" !~ /\Q$SECRET\E|secret-token/, "$r->{name}: no secret is reported");
}
if ($tls) { kill 'KILL', $tls; waitpid $tls, 0 }
stop_servers();
done();
