#!/usr/bin/perl
# Scenarios of dry runs: the examples of docs/dry-run.md, rules, latencies, and what is wrong in one.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8->allow_bignum;
my $cloud = "$W/cloud.bin";
my ($rc, $out, $err) = vetro({ limit => 400 }, 'build', '-O0', '-o', $cloud, "$FindBin::Bin/../data/murano/cloud");
ok($rc == 0, 'the package builds', $out . $err);
spew("$W/main.json", '{"Objects":{"?":{"id":"m","type":"t.cloud.Main"}}}');
spew("$W/app.json", '{"Objects":{"?":{"id":"env","type":"io.murano.Environment"},"name":"e","applications":[{"?":{"id":"app","type":"t.cloud.App"},
	"instance":{"?":{"id":"vm","type":"io.murano.resources.LinuxMuranoInstance"},"name":"vm","flavor":"m1","image":"i"}}],
	"defaultNetworks":{"environment":{"?":{"id":"net","type":"io.murano.resources.NeutronNetwork"},"name":"n"},"flat":null}}}');

sub deploy {
	local $Tap::vetro = $cloud;
	return vetro(@_);
}

# A run under a scenario; method "deploy" is the environment's, "tried" the application's, others Main's.
sub run {
	my ($scenario, $method, @args) = @_;
	spew("$W/scenario.json", $scenario);
	my @model = $method eq 'deploy' ? ('app.json') : $method eq 'tried' ? ('app.json', '--object', 'app', '--call', 'tried')
		: ('main.json', '--call', $method);
	$model[0] = "$W/$model[0]";
	my ($st, $text, $errors) = deploy('run', '--scenario', "$W/scenario.json", '--model', @model, @args);
	return ($st, $text, $errors);
}

# ---- the examples
my $page = slurp("$FindBin::Bin/../../docs/dry-run.md");
my ($n, @read) = (0);
while ($page =~ /<!-- (\w+): (.*?) -->\n```json\n(.*?)```/sg) {
	my ($method, $want, $scenario) = ($1, $2, $3);
	push @read, $scenario;
	(my $pattern = $want) =~ s/(["{}\[\]])/\\$1/g;
	my ($st, $text, $errors) = run($scenario, $method);
	ok("$text$errors" =~ /$pattern/ && $text =~ /"effects":\{/ && $text =~ /"model":\{"Objects"/, "docs: $want", $text, $errors);
	$n++;
}
ok($n >= 7, 'the page has examples');
blocks_are_read('docs/dry-run.md', @read);

{
	my ($st, $text) = run('{"agents":[{"name":"Execute *","error":{"code":101,"message":"' . 'm' x 900
		. '","details":{"stdout":"' . 'o' x 9000 . '"}}}]}', 'tried');
	my ($message) = $text =~ /"message":"(.*?)(?<!\\)"/;
	like($message, qr/^\{'message': 'm{199}\.\.\. \(702 characters more\), 'details': \{'stdout': 'o+\.\.\. \(\d+ characters more\), 'errorCode': 101, /,
		'what an agent says is cut, each part by itself');
	ok(length $message < 900, 'so the message is short', length $message);
}

# ---- what servers may be made of
for (['{"images":["i"]}', ''], ['{"images":[{"id":"u","name":"j"}]}', 'image: Error validating value \'i\': The Image (i) could'],
	['{"images":[{"id":"i","name":"j"}],"flavors":[{"name":"m1"}],"keypairs":[]}', ''], ['{"flavors":[]}', 'The Flavor (m1) could not be found'],
	['{"images":"i"}', 'images']) {
	my ($scenario, $want) = @$_;
	my ($st, $text, $errors) = run($scenario, 'deploy');
	ok($want eq '' ? $st == 0 : $st && index("$text$errors", $want) >= 0, "servers: $scenario", $text . $errors);
}
my @pair = ('--args', $json->encode([[{ resources => { k => { type => 'OS::Nova::KeyPair', properties => { name => 'mine' } },
	s => { type => 'OS::Nova::Server', properties => { key_name => { get_resource => 'k' } } },
	t => { type => 'OS::Nova::Server', properties => { key_name => 'mine' } } } }]]));
is((run('{"keypairs":["ours"]}', 'again', @pair))[0], 0, 'a key pair of the same stack is there');
$pair[1] =~ s/"key_name":"mine"/"key_name":"yours"/;
like((run('{"keypairs":["ours"]}', 'again', @pair))[1], qr/resources\.t\.properties\.key_name: .*The Key \(yours\)/, 'any other has to be in the list');

# ---- rules
my @three = ('--args', '[[{"resources":{"a":{"type":"T"}}},{"resources":{"b":{"type":"T"}}},{"resources":{"c":{"type":"T"}}}]]');
sub outcome {
	my ($scenario) = @_;
	my ($st, $text) = run($scenario, 'again', @three);
	my $a = eval { $json->decode($text) } // {};
	return join(' ', map { $_->{op} } @{ $a->{effects}{heat} }) . ($a->{error} ? " $a->{error}{message}" : '');
}
is(outcome('{}'), 'create update update', 'nothing is scripted');
is(outcome('{"heat":[{"op":"update","n":2,"reason":"x"}]}'), 'create update update Unexpected stack state UPDATE_FAILED: Resource UPDATE failed: x',
	'the second update');
is(outcome('{"heat":[{"from":2,"reason":"x"}]}'), 'create update Unexpected stack state UPDATE_FAILED: Resource UPDATE failed: x', 'from the second on');
is(outcome('{"heat":[{"stack":"w?b","op":"create","reason":"x"}]}'), 'create Unexpected stack state CREATE_FAILED: Resource CREATE failed: x', 'a name with ?');
is(outcome('{"heat":[{"stack":"other*","reason":"x"}]}'), 'create update update', 'another stack');
is(outcome('{"heat":[{"region":"R","reason":"x"}]}'), 'create update update', 'another region');
is(outcome('{"heat":[{"op":"update","n":1,"http":409},{"op":"update","n":2,"http":404}]}'), 'create update update',
	'a conflict, and a stack that went away and is there again');
is(outcome('{"heat":[{"op":"create","n":1,"reason":"a"},{"reason":"b"}]}'), 'create Unexpected stack state CREATE_FAILED: Resource CREATE failed: a',
	'the first rule decides');
like((run('{"heat":[{"seconds":100}]}', 'again', @three, '--progress'))[2],
	qr/\n +1\d\d\.\ds  stack web: update, 2 resources\n +2\d\d\.\ds  stack web: update, 3/, 'slow stacks');
like((run('{"latency":{"request":2}}', 'again', @three, '--progress'))[2], qr/stack web: create/, 'slow requests');
like((run('{"heat":[{"op":"delete","reason":"held"}]}', 'life'))[1], qr/Unexpected stack state DELETE_FAILED: Resource DELETE failed: held/,
	'a stack that does not go');
like((run('{"regions":{"R":{"network":{"routers":[]}}}}', 'networks'))[1], qr/"router":"router-1"/, 'another region has another network');

# ---- the cloud is kept
unlink "$W/cloud.json";
my $kept = "{\"state\":\"$W/cloud.json\"}";
(undef, my $first) = run($kept, 'again', @three);
(undef, my $second) = run($kept, 'again', @three);
like($first, qr/"op":"create"/, 'a cloud that is kept');
like($second, qr/"effects":\{"heat":\[\],/, 'has the stack the next time: nothing to do');
like((run($kept, 'tried', ))[1], qr/"exitCode":0/, 'and takes more');
spew("$W/cloud.json", '[1');
like((run($kept, 'again', @three))[1], qr/no state of a simulated cloud: .*; remove the file to begin anew/, 'a state that is none');
spew("$W/cloud.json", '{"queues":{"-execution-results-x":"text","-execution-results-y":[5]},"ids":{"ports-id":7},"agents":5}');
like((run($kept, 'tried'))[1], qr/"exitCode":0/, 'a state of other types');
unlink "$W/cloud.json";

# ---- what is wrong
my @wrong = (
	['[1]', qr/scenario\.json: an object is expected/],
	['{"heat":[{"op":"creat"}]}', qr/scenario\.json:1:16: heat\[0\]\.op: one of these is expected: create update delete/],
	["{\n \"heat\": [\n  {\"op\": \"create\"},\n  {\"resaon\": \"x\"}]}", qr/scenario\.json:4:14: heat\[1\]\.resaon: nobody reads this; is it reason\?/],
	['{"agent":[]}', qr/:1:10: agent: nobody reads this; is it agents\?/],
	['{"heat":[{"op":"create update"}]}', qr/:1:16: heat\[0\]\.op: one of these/],
	['{"zzz":[]}', qr/zzz: nobody reads this; there are heat, agents, network/],
	['{"heat":{}}', qr/heat: a list is expected/],
	['{"heat":[5]}', qr/:1:10: heat\[0\]: an object is expected/],
	['{"heat":[{"n":0}]}', qr/heat\[0\]\.n: a number from 1 on is expected/],
	['{"heat":[{"n":1.5}]}', qr/heat\[0\]\.n: a number from 1 on/],
	['{"heat":[{"http":200}]}', qr/a status of HTTP is expected, 400 to 599/],
	['{"heat":[{"seconds":-1}]}', qr/a number of seconds/],
	['{"agents":[{"silent":1}]}', qr/true or false/],
	['{"agents":[{"error":5}]}', qr/agents\[0\]\.error: an object is expected/],
	['{"agents":[{"error":{"text":"x"}}]}', qr/agents\[0\]\.error\.text: nobody reads this/],
	['{"latency":{"create":"5"}}', qr/latency\.create: a number of seconds/],
	['{"stop":{"request":1,"when":"then"}}', qr/stop\.when: one of these is expected: before after/],
	['{"workflows":{"w":{"state":"DONE"}}}', qr/workflows\.w\.state: one of these/],
	['{"regions":{"R":{"router":1}}}', qr/regions\.R\.router: nobody reads this; there are network/],
	['{"heat":', qr/scenario\.json: line 1 column 9/],
);
for my $w (@wrong) {
	my ($scenario, $want) = @$w;
	my ($st, $text, $errors) = run($scenario, 'life');
	ok($st == 1 && $text eq '' && $errors =~ $want, "refused: " . $scenario =~ s/\n/ /gr, $st, $text, $errors);
}
spew("$W/scenario.yaml", "heat:\n- op: creat\n");
like((deploy('run', '--scenario', "$W/scenario.yaml", '--model', "$W/main.json"))[2], qr/scenario\.yaml: heat\[0\]\.op: one of these/,
	'in YAML the names tell where');
my $hello = "$W/hello.bin";
vetro('build', '-O0', '-o', $hello, "$FindBin::Bin/../../examples/hello");
{
	local $Tap::vetro = $hello;
	($rc, $out) = vetro('run', '--dry-run', '--model', "$FindBin::Bin/../../examples/hello/model.json");
}
ok($rc == 0 && $out =~ /"effects":\{"heat":\[\],"agent":\[\],"reports":\[\],"instances":\[\]\}/, 'a program that reaches for nothing', $out);
like(outcome('{"heat":[{"op":"create","http":409}]}'), qr/^ Heat answers 409 \(conflict\) to each request for the stack \S+, and has for 1200 tries/,
	'a conflict that never ends does');
like(outcome('{"heat":[{"op":"update","http":404}]}'), qr/^create Heat answers 404 \(not found\) to each request/, 'nor does a stack that is there and is not');

# ---- settings
sub settings {
	my ($text, $name) = @_;
	spew("$W/" . ($name // 's.json'), $text);
	return deploy('run', '--dry-run', '--settings', "$W/" . ($name // 's.json'), '--model', "$W/main.json", '--call', 'life');
}
for my $c (
	['{"heat":{"stack_tags":["a"]},"engine":{"agent_timeout":"5","disable_murano_agent":"no"},"rabbitmq":{"port":"5671","ssl":true}}', undef,
		'what is right, in the words of murano.conf too'],
	["{\n  \"engine\": {\"agent_timout\": 5}}", qr/s\.json:2:30: engine\.agent_timout: nobody reads this; is it agent_timeout\?/,
		'a name that is nearly one'],
	['{"http":{"retries":5}}', qr/http\.retries: nobody reads this; there are connect_timeout, timeout, stall_timeout/, 'a name that is none'],
	['{"networkin":{"max_hosts":5}}', qr/networkin: nobody reads this; is it networking\?/, 'a group that is nearly one'],
	['{"mine":{"x":5}}', undef, 'a group for config() of a package'],
	['{"engine":{"agent_timeout":"soon"}}', qr/engine\.agent_timeout: a number from 0 on is expected/, 'a text for a number'],
	['{"engine":{"agent_timeout":-1}}', qr/engine\.agent_timeout: a number from 0 on/, 'a time before now'],
	['{"engine":{"disable_murano_agent":"maybe"}}', qr/engine\.disable_murano_agent: true or false is expected/, 'a text for a truth value'],
	['{"heat":{"stack_tags":[1]}}', qr/heat\.stack_tags: a list of texts is expected/, 'numbers for texts'],
	['{"rabbitmq":{"port":70000}}', qr/rabbitmq\.port: a port is expected, 1 to 65535/, 'a port that is none'],
	['{"neutron":{"endpoint_type":"secret"}}', qr/neutron\.endpoint_type: one of these is expected: public internal admin/, 'an interface that is none'],
	['{"heat":{"url":null}}', qr/heat\.url: a text is expected/, 'null'],
) {
	my ($st, $text, $errors) = settings($c->[0]);
	ok($c->[1] ? $st == 1 && $errors =~ $c->[1] : $st == 0, "settings: $c->[2]", $st, $errors);
}
my ($yaml_st, undef, $yaml_errors) = settings("engine:\n  agent_timout: 5\n", 's.yaml');
ok($yaml_st == 1 && $yaml_errors =~ /s\.yaml: engine\.agent_timout: nobody reads this; is it agent_timeout\?/,
	'settings in YAML are reported by name', $yaml_errors);

# The table of the page has what the program knows.
my $known = slurp("$FindBin::Bin/../../runtime/net/settings.c");
my $guide = slurp("$FindBin::Bin/../../docs/openstack.md");
my %fields = $known =~ /static const vt_field (\w+)_fields\[\] = \{(.*?)END\};/sg;
my %rows;
while ($guide =~ /^\| ([\w, ]+) \| (`.*) \|$/mg) { $rows{$_} = $2 for split /, /, $1 }
$rows{DEFAULT} = $rows{murano};
for my $group ($known =~ /\{"(\w+)", T_OBJECT, \w+_fields/g) {
	my ($table) = $known =~ /\{"$group", T_OBJECT, (\w+)_fields/;
	my @names = ($fields{$table} =~ /SERVICE/ ? qw(url endpoint_type) : (), $fields{$table} =~ /\{"(\w+)"/g);
	my @missing = grep { ($rows{$group} // '') !~ /`\Q$_\E`/ } @names;
	ok(@names && !@missing, "docs/openstack.md has the settings of $group", "@missing");
}
done();
