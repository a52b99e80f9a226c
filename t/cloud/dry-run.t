#!/usr/bin/perl
# `deploy run --dry-run`: native classes against the simulated cloud; the applications of ../shared with their recorded effects.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use FakeCloud;
use IPC::Open2;
use JSON::PP;
use MIME::Base64;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8->allow_bignum;
my $data = "$FindBin::Bin/../data/murano";

sub build {
	my ($name, @args) = @_;
	my ($rc, $out, $err) = vetro({ limit => 400 }, 'build', '-O0', '-o', "$W/$name.bin", @args);
	ok($rc == 0, "$name builds", $out . $err);
	return "$W/$name.bin";
}

sub deploy {
	my ($binary, @args) = @_;
	local $Tap::vetro = $binary;
	return vetro(@args);
}

my $cloud = build('cloud', "$data/cloud");
spew("$W/main.json", '{"Objects":{"?":{"id":"m","type":"t.cloud.Main"}}}');
spew("$W/app.json", '{"Objects":{"?":{"id":"env","type":"io.murano.Environment"},"name":"e","applications":[{"?":{"id":"app","type":"t.cloud.App"},
	"instance":{"?":{"id":"vm","type":"io.murano.resources.LinuxMuranoInstance"},"name":"vm","flavor":"m1","image":"i"}}],
	"defaultNetworks":{"environment":{"?":{"id":"net","type":"io.murano.resources.NeutronNetwork"},"name":"n"},"flat":null}}}');

# A method of Main: the answer.
my $last;
sub main {
	my ($method, $args, @options) = @_;
	my ($rc, $out, $err) = deploy($cloud, 'run', '--dry-run', '--model', "$W/main.json", '--call', $method,
		($args ? ('--args', $args) : ()), @options);
	$last = $err;
	return eval { $json->decode($out) } // {};
}
sub result { return $json->encode(main(@_)->{result}) }
sub ops { return join(' ', map { $_->{op} . ':' . join(',', sort keys %{ $_->{template}{resources} // {} }) } @{ $_[0]{effects}{heat} }) }

# ---- stacks
my $a = main('life');
is(ops($a), 'create:a update:a,b delete:', 'a push of nothing is no push, and no resources delete the stack');
like($json->encode($a->{result}), qr/^\[\{"id":"a-id","v":"\w{8}"\},\["a","b"\],\{\}\]$/, 'outputs, current() and reload()');
my $create = $a->{effects}{heat}[0];
is(join(' ', sort keys %$create), 'environment files op parameters region stack tags template', 'what is recorded of a stack');
is("$create->{tags} $create->{template}{heat_template_version} $create->{template}{description}", 'murano 2013-05-23 made',
	'version, description and tags are added');
is(ops(main('later')), 'create:a,b', 'a push that is replaced before it began never begins; the end of the run waits for the other');
is(result('tried', '[{"heat_template_version":"2015-04-30"}]'),
	'{"message":"Currently only heat_template_version 2013-05-23 is supported.","name":"murano.engine.system.heat_stack.HeatStackError"}',
		'other versions are refused');
like(result('tried', '[{"resources":{"bad":{"type":"OS::Heat::TestResource","properties":{"fail":true}}}}]'),
	qr/"message":"Unexpected stack state CREATE_FAILED: Resource CREATE failed: ValueError: resources.bad: Test Resource failed bad","name":"OSError"/,
		'a resource that fails');
like(result('tried', '[{"resources":{"x":{"type":"OS::Heat::Value","properties":{"value":{"get_resource":"y"}}}}}]'),
	qr/answered 400: The specified reference \\"y\\" is incorrect/, 'a reference that leads nowhere');
like(result('tried', '[{"resources":{"x":{"type":"OS::Heat::Value","properties":{"value":{"get_attr":["x","value"]}}}}}]'),
	qr/Circular Dependency Found: x/, 'a circle');
like(result('tried', '[{"resources":{"x":{}}}]'), qr/answered 400: The Resource \(x\) has no type/, 'a resource without a type');
like(result('tried', '["text"]'), qr/'str' object has no attribute 'get'/, 'a template that is none');
is($json->encode(main('again', '[[{"resources":{"n":{"type":"OS::Heat::None"}},"outputs":{"l":{"value":[1,2]}}},
	{"outputs":{"l":{"value":[2,3]}}}]]')->{result}),
	'{"l":[1,2,3]}', 'lists of templates are united');
like(main('again', '[[{"resources":{"n":{"type":"OS::Heat::None"}}},{"resources":{"n":"text"}}]]')->{error}{type}, qr/TypeError/, 'what cannot be merged');

# functions of templates
my %functions = (
	'{"get_param":"p"}' => '"one"',
	'{"get_param":"OS::stack_name"}' => '"web"',
	'{"str_replace":{"template":"a $x $xy","params":{"$x":1,"$xy":{"get_param":"p"}}}}' => '"a 1 one"',
	'{"list_join":["-",["a",{"get_param":"p"}],["c"]]}' => '"a-one-c"',
	'{"Fn::Join":["",["a","b"]]}' => '"ab"',
	'{"str_split":[",","a,b,c"]}' => '["a","b","c"]',
	'{"str_split":[",","a,b,c",1]}' => '"b"',
	'{"map_merge":[{"a":1},{"b":2}]}' => '{"a":1,"b":2}',
	'{"Fn::Select":[1,["a","b"]]}' => '"b"',
	'{"get_file":"f.sh"}' => '"#!"',
	'{"get_attr":["s","networks","net-1",0]}' => '"10.0.1.19"',
	'{"get_attr":["s","first_address"]}' => '"10.0.1.19"',
	'{"get_attr":["port","fixed_ips",0,"ip_address"]}' => '"10.0.1.19"',
	'{"get_attr":["fip","floating_ip_address"]}' => '"172.24.4.12"',
	'{"get_attr":["sub","cidr"]}' => '"10.7.0.0/24"',
	'{"get_attr":["s","nothing"]}' => 'null',
	'{"get_resource":"s"}' => '"s-id"',
);
my $resources = '"net":{"type":"OS::Neutron::Net","properties":{"name":"net-1"}},
	"sub":{"type":"OS::Neutron::Subnet","properties":{"network":{"get_resource":"net"},"cidr":"10.7.0.0/24"}},
	"port":{"type":"OS::Neutron::Port","properties":{"network":{"get_resource":"net"},"fixed_ips":[{"subnet":{"get_resource":"sub"}}]}},
	"fip":{"type":"OS::Neutron::FloatingIP","properties":{"floating_network":"ext","port_id":{"get_resource":"port"}}},
	"s":{"type":"OS::Nova::Server","properties":{"networks":[{"port":{"get_resource":"port"}}]}}';
for my $f (sort keys %functions) {
	my $template = '{"parameters":{"p":{"type":"string","default":"none"}},"resources":{' . $resources . '},"outputs":{"o":{"value":' . $f . '}}}';
	my $r = main('push', "[$template,{\"p\":\"one\"},{\"f.sh\":\"#!\"}]");
	is($json->encode($r->{result}{outputs}{o}), $functions{$f}, "the output $f");
}
like(main('push', '[{"resources":{},"parameters":{"p":{}}}]')->{error}{message}, qr/answered 400: The Parameter \(p\) was not provided/,
	'a parameter that is missing');
like(main('push', '[{"resources":{}},{"q":1}]')->{error}{message}, qr/The Parameter \(q\) was not defined in template/, 'one that is not declared');
is($json->encode(main('push', '[{"resources":{},"parameters":{"p":{"type":"number"}}},{"p":5}]')->{result}{parameters}), '{"p":5}',
	'parameters as they were set');
my $deep = '1'; $deep = "{\"a\":$deep}" for 1 .. 900;
my ($rc, $out, $err) = deploy($cloud, 'run', '--dry-run', '--model', "$W/main.json", '--call', 'push', '--args',
	"[{\"resources\":{\"x\":{\"type\":\"T\",\"properties\":{\"p\":$deep}}}}]");
ok($rc == 0 || $rc == 1, 'a template that is nested deeply ends the run one way or the other', $rc, $err);

# ---- the other services
is(result('networks'), '{"cidrs":["10.0.43.0/24","10.0.44.0/24","10.0.43.0/24","::ffff:10.0.43.0/120"],"dns":[],"dns6":[],"extensions":["router",' .
	'"security-group"],' .
	'"networks":["ext-net-1"],"outside":"ext-net-1","ports":[],"router":"router-1","subnets":[]}', 'the usual network');
is(result('metadata'), '{"namespaces":[],"objects":[]}', 'no metadata');
is(result('who'), '["user-1","demo","default",null,{},"demo",null]', 'who one is');
is(result('workflow', '["w"]'), '{}', 'a workflow');
is(result('workflow', '["w",0]'), '"execution-1"', 'one that nobody waits for');
spew("$W/more.json", '{"network":{"routers":[],"networks":[{"id":"o","name":"ext-net","router:external":true}],"subnets":[{"id":"s","cidr":"10.0.43.0/25"}],
	"ports":[{"id":"p","device_id":"murano-default-router-id","fixed_ips":[{"subnet_id":"s"}]}]},
	"metadefs":{"namespaces":[{"namespace":"A","resource_type_associations":[{"name":"OS::Nova::Server"}]},
	{"namespace":"B","resource_type_associations":[{"name":"X"}]}],
	"objects":{"OS::Compute":[{"name":"cpu"}]}},"identity":{"user":{"name":"ada","email":"a@b","shoe":44}},
	"workflows":{"w":{"output":{"y":1,"task":2},"seconds":5},"bad":{"state":"ERROR","output":{"why":"no"}}}}');
my @more = ('--scenario', "$W/more.json");
like(result('networks', undef, @more), qr/"cidrs":\["10.0.44.0\/24","10.0.45.0\/24","10.0.44.0\/24",.*"router":"murano-default-router-id"/,
	'a router that had to be made, and CIDRs that are taken');
is(result('metadata', undef, @more), '{"namespaces":["A"],"objects":["cpu"]}', 'metadata of a scenario');
is(result('who', undef, @more), '["user-1","ada","default","a@b",{"shoe":44},"demo",null]', 'a user of a scenario');
is(result('workflow', '["w"]', @more), '{"y":1}', 'the output of a workflow');
like(main('workflow', '["w",3]', @more)->{error}{message}, qr/^Mistral run timed out. Execution id: execution-1\.$/, 'one that takes too long');
like(main('workflow', '["bad"]', @more)->{error}{message}, qr/^Mistral execution completed with ERROR\. Execution id: execution-1\. Output: \{"why":"no"\}$/,
	'one that fails');

# ---- settings
spew("$W/s.json", '{"heat":{"stack_tags":["x","y"]},"networking":{"default_dns":["10.1.1.1","fe80::1"],"first_cidr":7,"max_hosts":16}}');
is(main('life', undef, '--settings', "$W/s.json")->{effects}{heat}[0]{tags}, 'x,y', 'tags of the settings');
like(result('networks', undef, '--settings', "$W/s.json"), qr/"cidrs":\["10.0.0.112\/28",.*"dns":\["10.1.1.1"\],"dns6":\["fe80::1"\]/,
	'networks of the settings');
spew("$W/s.yaml", "heat:\n  stack_tags: [z]\n");
is(main('life', undef, '--settings', "$W/s.yaml")->{effects}{heat}[0]{tags}, 'z', 'settings in YAML');
spew("$W/bad.json", '{"heat": 5}');
($rc, $out, $err) = deploy($cloud, 'run', '--dry-run', '--model', "$W/main.json", '--settings', "$W/bad.json");
ok($rc == 1 && $err =~ /heat is no group of settings/, 'settings that are none', $err);

# ---- agents
sub app {
	my ($method, $args, @options) = @_;
	my ($st, $text, $errors) = deploy($cloud, 'run', '--dry-run', '--model', "$W/app.json", '--object', 'app', '--call', $method,
		($args ? ('--args', $args) : ()), @options);
	$last = $errors;
	return eval { $json->decode($text) } // {};
}
my $plan = app('plan', '[{"FormatVersion":"2.1.0","Files":{"f":{"Name":"there.sh","Body":"x"}},"Scripts":{"a":{"Type":"Application","EntryPoint":"run.sh",
	"Files":["lib.sh","<data.bin>","http://h/x/tool.tgz",{"other.txt":"lib.sh"},"there.sh"]},"b":{"Type":"Puppet","EntryPoint":"as it is"}}}]')->{result};
my %file = %{ $plan->{Files} };
my $script = $plan->{Scripts}{a};
is($file{ $script->{EntryPoint} }{Body}, "#!/bin/sh\necho \"\$1\"\n", 'the entry point is a file of the plan');
is($json->encode($file{ $script->{Files}[0] }), '{"Body":"x=1\n","BodyType":"Text","Name":"lib.sh"}', 'a text');
is($json->encode($file{ $script->{Files}[1] }), '{"Body":"AAH/Ynl0ZXM=\n","BodyType":"Base64","Name":"data.bin"}', 'bytes');
is($json->encode($file{ $script->{Files}[2] }), '{"Name":"tool.tgz","Type":"Downloadable","URL":"http://h/x/tool.tgz"}', 'something to download');
is($json->encode($file{ $script->{Files}[3] }), '{"Body":"x=1\n","BodyType":"Text","Name":"other.txt"}', 'a file by another name');
is($script->{Files}[4], 'f', 'a file that the plan has');
is($plan->{Scripts}{b}{EntryPoint}, 'as it is', 'only applications have files as entry points');
like("$plan->{ID} $plan->{Stamp} $plan->{Action}", qr/^[0-9a-f]{32} \d{14} Execute$/, 'id, stamp and action');
my $v1 = app('plan', '[{"Scripts":["lib.sh"]}]')->{result};
is("$v1->{Scripts}[0] " . join(',', sort keys %$v1), 'eD0xCg== Scripts,Stamp', 'format 1');
like(app('plan', '[{"FormatVersion":"2.0.0","Scripts":{"a":{"Type":"Application"}}}]')->{error}{message}, qr/^No entry point in script a$/,
	'a script without an entry point');
like(app('plan', '[{"FormatVersion":"2.0.0","Scripts":{"a":{"Type":"Application","EntryPoint":"../x"}}}]')->{error}{message}, qr/./,
	'a file that is not there');
like(app('plan', '["x"]')->{error}{message}, qr/^Incorrect execution plan/, 'a plan that is none');
my $ready = app('ready');
is($json->encode($ready->{result}), '[true,null]', 'isReady() and callRaw()');
is($json->encode($ready->{effects}{agent}[0]{plan}), '{"Body":"return","Files":{},"FormatVersion":"2.0.0","Scripts":{}}', 'the plan that asks has Files');
spew("$W/off.json", '{"engine":{"disable_murano_agent":true}}');
like(app('tried', undef, '--settings', "$W/off.json")->{result}{name}, qr/PolicyViolationException/, 'agents that are switched off');
sub whole {
	my ($st, $text, $errors) = deploy($cloud, 'run', '--dry-run', '--model', "$W/app.json", @_);
	$last = $errors;
	return eval { $json->decode($text) } // {};
}
my $run = whole('--progress');
like($last, qr/stack murano--rnd0001: create, 4 resources\n.*stack murano--rnd0001: update, \d+ resources\n.*agent eenv-hvm: Execute echo one\n/s,
	'--progress');
is(scalar(@{ $run->{effects}{agent} }), 3, 'plans are recorded');

# signing
SKIP: {
	if ($ENV{TARGET} && !$ENV{TARGET_ROOT}) {
		skip('plans are signed', 'the libcrypto of that machine is not here');
		last SKIP;
	}
	if (system("openssl version >$W/v 2>&1") != 0) {
		skip('plans are signed', 'there is no openssl');
		last SKIP;
	}
	system("openssl genrsa -traditional -out $W/key.pem 2048 >/dev/null 2>&1 && openssl rsa -in $W/key.pem -RSAPublicKey_out -out $W/pub.pem >/dev/null " .
		"2>&1");
	spew("$W/key.json", "{\"engine\":{\"signing_key\":\"$W/key.pem\"}}");
	my $signed = app('tried', undef, '--settings', "$W/key.json");
	is($signed->{result}{exitCode}, 0, 'plans are signed');
	my $body = $json->encode($signed->{effects}{heat}[-1]);
	my ($conf) = $body =~ m{keep '([A-Za-z0-9+/=]+)' /etc/murano/agent.conf};
	my $text = decode_base64($conf // '');
	(my $pub = slurp("$W/pub.pem")) =~ s/^/\t/mg;
	ok(index($text, $pub) >= 0, 'the machine gets the public key', $text);
	spew("$W/key.json", "{\"engine\":{\"signing_key\":\"$W/none.pem\"}}");
	like(app('tried', undef, '--settings', "$W/key.json")->{error}{message}, qr/engine\.signing_key: .*none\.pem: No such file/, 'a key that is not there');
}

# ---- failures leave the model
spew("$W/fails.json", '{"heat":[{"op":"update","reason":"no"}]}');
my $failed = whole('--scenario', "$W/fails.json");
ok($failed->{error} && $failed->{model}{Objects} && @{ $failed->{effects}{heat} } == 2, 'a run that fails has its model and effects');

# ---- many: the pool of pselect takes a thousand, and what one push took along nobody pushes again
{
	my $n = 1030;
	spew("$W/many.json", $json->encode({Objects => {'?' => {id => 'env', type => 'io.murano.Environment'}, name => 'e',
		defaultNetworks => {environment => {'?' => {id => 'net', type => 'io.murano.resources.NeutronNetwork'}, name => 'n'}, flat => undef},
		applications => [map { {'?' => {id => "app$_", type => 't.cloud.App'},
			instance => {'?' => {id => "vm$_", type => 'io.murano.resources.LinuxMuranoInstance'}, name => "vm$_", flavor => 'm1',
				image => 'i'}} } 1 .. $n]}}));
	my ($st, $text, $errors) = deploy($cloud, 'run', '--dry-run', '--model', "$W/many.json");
	my $e = eval { $json->decode($text)->{effects} };
	is($st, 0, "$n applications");
	is(scalar(@{ $e->{agent} }), 3 * $n, 'each with its plans');
	cmp_ok_(scalar(@{ $e->{heat} }), 6, 'with a handful of changes of the stack');
	my $last = $e->{heat}[-1]{template}{resources};
	is(scalar(grep { $_->{type} eq 'OS::Nova::Server' } values %$last), $n, 'and all machines in the end');
}
sub cmp_ok_ { my ($got, $most, $name) = @_; ok($got <= $most, $name, "got $got, at most $most") }

# ---- session, call, tests
my $pid = open2(my $from, my $to, $cloud, 'session', '--dry-run');
sub ask { print $to "$_[0]\n"; $to->flush; return scalar readline $from }
ask('{"op":"load","model":{"Objects":{"?":{"id":"m","type":"t.cloud.Main"}}}}');
like(ask('{"op":"call","target":null,"method":"life","args":[]}'), qr/"value":\[\{"v":"\w{8}","id":"a-id"\}/, 'a session with --dry-run');
like(ask('{"op":"call","target":null,"method":"later","args":[]}'), qr/"value":null/, 'a push is under way');
like(ask('{"op":"finalize"}'), qr/"ok":true/, 'the end of a session waits for it');
close $to; waitpid($pid, 0);
is($? >> 8, 0, 'and it ends well');
# One that is closed before waits too, as the engine does; what fails then is reported.
for my $c (['{}', 0, qr/^$/, 'a push is ended where nobody finalizes'],
	['{"heat":[{"reason":"no room"}]}', 1, qr/closed without finalize, and what was under way failed: .*no room/, 'one that fails then is reported']) {
	spew("$W/close.json", $c->[0]);
	spew("$W/close.in", <<'J');
{"op":"load","model":{"Objects":{"?":{"id":"m","type":"t.cloud.Main"}}}}
{"op":"call","target":null,"method":"later","args":[]}
J
	my $how = system("$cloud session --scenario $W/close.json --progress <$W/close.in >$W/close.out 2>$W/close.err");
	my $told = slurp("$W/close.err");
	ok($told =~ /stack web: create/, "$c->[3]: Heat was asked", $told);
	$told =~ s/^ *[\d.]+s  .*\n//mg;
	$told =~ s/^  [A-Z_]+FAILED:.*\n//mg;
	ok($how >> 8 == $c->[1] && $told =~ $c->[2], $c->[3], $how, $told);
}
($rc, $out) = deploy($cloud, 'session', '--dry-run', '--scenario', "$W/none");
is($rc, 1, 'a scenario that is not there');
($rc, $out, $err) = vetro('test', "$data/cloud-test");
is($rc, 0, 'vetro test simulates', $out . $err);
like($out, qr/testDeploys/, 'the test ran');

# ---- a Glance whose pages lead elsewhere gets the token nowhere else
{
	my $log = "$W/glance.log";
	my $port = http_server(log => $log, hook => sub {
		my ($q, $s) = @_;
		return undef if $q->{path} =~ /tokens/;
		return json_answer(200, {namespaces => [{namespace => 'A'}], next => "\@127.0.0.1:$s->{port}/stolen"});
	});
	local @ENV{qw(OS_AUTH_URL OS_USERNAME OS_PASSWORD)} = ("http://127.0.0.1:$port/v3", 'demo', 'x');
	spew("$W/glance.json", $json->encode({ glance => { url => "http://127.0.0.1:$port" } }));
	my ($rc, $out, $err) = deploy($cloud, 'run', '--model', "$W/main.json", '--call', 'metadata', '--settings', "$W/glance.json");
	if ("$out$err" =~ /libcurl/) { skip('pages of Glance', 'there is no libcurl here') }
	else {
		like($out, qr/the next page is no path below the service/, 'a next page that is no path');
		ok(!(grep { $_->{path} =~ /stolen/ } requests($log)), 'is not asked for');
	}
	stop_servers();
}

# ---- the recorded applications
my $shared = "$FindBin::Bin/../../../shared/conformance/muranopl";
if (!-d "$shared/apps") {
	skip('recorded applications', '../shared is not there');
	done();
	exit;
}
# What differs from run to run is left out: ids that were made, times of day. Start-up scripts stand in base64.
sub plain {
	my ($v) = @_;
	return [map { plain($_) } @$v] if ref $v eq 'ARRAY';
	if (ref $v eq 'HASH') {
		my (%out, @made);
		for my $k (grep { $_ ne 'Stamp' } keys %$v) {
			my ($name, $x) = (plain($k), plain($v->{$k}));
			if ($name eq '<id>') { push @made, $x } else { $out{$name} = $x }
		}
		$out{'<id>'} = [sort { $json->encode($a) cmp $json->encode($b) } @made] if @made;
		return \%out;
	}
	return $v if ref $v || !defined $v || $v =~ /^-?\d+\z/;
	(my $s = $v) =~ s/([A-Za-z0-9+\/]{80,}=*)/decoded($1)/ge;
	return $v unless $s =~ s/gen[0-9]{20,}|-rnd[0-9]+|\b[0-9a-f]{32}\b/<id>/g || $s ne $v;
	return $s;
}

sub decoded {
	my ($text) = @_;
	my $bytes = decode_base64($text);
	return utf8::decode($bytes) ? $bytes : $text;
}

# A start-up script is recorded as the settings that it makes, in whatever words: where all of them are there, it is as recorded.
sub booted {
	my ($got, $want) = @_;
	if (ref $want eq 'HASH' && $want->{'$boot'}) {
		return $got if ref $got || !defined $got;
		(my $t = $got) =~ s/[ \t]*=[ \t]*/=/g;
		my @missing = grep { index($t, $_) < 0 } @{ $want->{'$boot'} };
		return @missing ? { 'without' => \@missing } : $want;
	}
	if (ref $want eq 'HASH' && ref $got eq 'HASH') {
		return { map { $_ => exists $want->{$_} ? booted($got->{$_}, $want->{$_}) : $got->{$_} } keys %$got };
	}
	return $got unless ref $want eq 'ARRAY' && ref $got eq 'ARRAY';
	return [map { $_ < @$want ? booted($got->[$_], $want->[$_]) : $got->[$_] } 0 .. $#$got];
}

sub recorded {
	my ($got, $want, $title) = map { ref $_ ? plain($_) : $_ } @_;
	return is_json(booted($got, $want), $want, $title);
}

my $where = $json->decode(slurp("$shared/apps.json"));
for my $m (qw(apache mysql postgresql tomcat zabbix)) {
	my $binary = build($m, "$shared/apps/$where->{$m}{package}", '-I', "$shared/apps");
	my ($st, $text, $errors) = deploy($binary, 'run', '--dry-run', '--model', "$shared/models/$m.json");
	is($st, 0, "$m is deployed");
	my ($got, $want) = (eval { $json->decode($text) } // {}, $json->decode(slurp("$shared/expected/$m.json")));
	recorded($got->{effects}{$_}, $want->{$_}, "$m: $_") for qw(heat agent reports);
	recorded($got->{model}{Objects}, $want->{model}{Objects}, "$m: the model");
}
done();
