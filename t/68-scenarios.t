#!/usr/bin/perl
# Scenarios of dry runs: the examples of docs/dry-run.md, rules, latencies, and what is wrong in one.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8->allow_bignum;
my $cloud = "$W/cloud.bin";
my ($rc, $out, $err) = vetro({ limit => 400 }, 'build', '-O0', '-o', $cloud, "$FindBin::Bin/data/murano/cloud");
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
	my @model = $method eq 'deploy' ? ('app.json') : $method eq 'tried' ? ('app.json', '--object', 'app', '--call', 'tried') : ('main.json', '--call', $method);
	$model[0] = "$W/$model[0]";
	my ($st, $text, $errors) = deploy('run', '--scenario', "$W/scenario.json", '--model', @model, @args);
	return ($st, $text, $errors);
}

# ---- the examples
my $page = Tap::slurp("$FindBin::Bin/../docs/dry-run.md");
my $n = 0;
while ($page =~ /<!-- (\w+): (.*?) -->\n```json\n(.*?)```/sg) {
	my ($method, $want, $scenario) = ($1, $2, $3);
	(my $pattern = $want) =~ s/(["{}\[\]])/\\$1/g;
	my ($st, $text, $errors) = run($scenario, $method);
	ok("$text$errors" =~ /$pattern/ && $text =~ /"effects":\{/ && $text =~ /"model":\{"Objects"/, "docs: $want", $text, $errors);
	$n++;
}
ok($n >= 7, 'the page has examples');

# ---- rules
my @three = ('--args', '[[{"resources":{"a":{"type":"T"}}},{"resources":{"b":{"type":"T"}}},{"resources":{"c":{"type":"T"}}}]]');
sub outcome {
	my ($scenario) = @_;
	my ($st, $text) = run($scenario, 'again', @three);
	my $a = eval { $json->decode($text) } // {};
	return join(' ', map { $_->{op} } @{ $a->{effects}{heat} }) . ($a->{error} ? " $a->{error}{message}" : '');
}
is(outcome('{}'), 'create update update', 'nothing is scripted');
is(outcome('{"heat":[{"op":"update","n":2,"reason":"x"}]}'), 'create update update Unexpected stack state UPDATE_FAILED: Resource UPDATE failed: x', 'the second update');
is(outcome('{"heat":[{"from":2,"reason":"x"}]}'), 'create update Unexpected stack state UPDATE_FAILED: Resource UPDATE failed: x', 'from the second on');
is(outcome('{"heat":[{"stack":"w?b","op":"create","reason":"x"}]}'), 'create Unexpected stack state CREATE_FAILED: Resource CREATE failed: x', 'a name with ?');
is(outcome('{"heat":[{"stack":"other*","reason":"x"}]}'), 'create update update', 'another stack');
is(outcome('{"heat":[{"region":"R","reason":"x"}]}'), 'create update update', 'another region');
is(outcome('{"heat":[{"op":"update","n":1,"http":409},{"op":"update","n":2,"http":404}]}'), 'create update update', 'a conflict, and a stack that went away and is there again');
is(outcome('{"heat":[{"op":"create","n":1,"reason":"a"},{"reason":"b"}]}'), 'create Unexpected stack state CREATE_FAILED: Resource CREATE failed: a', 'the first rule decides');
like((run('{"heat":[{"seconds":100}]}', 'again', @three, '--progress'))[2], qr/\n +1\d\d\.\ds  stack web: update, 2 resources\n +2\d\d\.\ds  stack web: update, 3/, 'slow stacks');
like((run('{"latency":{"request":2}}', 'again', @three, '--progress'))[2], qr/stack web: create/, 'slow requests');
like((run('{"heat":[{"op":"delete","reason":"held"}]}', 'life'))[1], qr/Unexpected stack state DELETE_FAILED: Resource DELETE failed: held/, 'a stack that does not go');
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
like((deploy('run', '--scenario', "$W/scenario.yaml", '--model', "$W/main.json"))[2], qr/scenario\.yaml: heat\[0\]\.op: one of these/, 'in YAML the names tell where');
my $hello = "$W/hello.bin";
vetro('build', '-O0', '-o', $hello, "$FindBin::Bin/../examples/hello");
{
	local $Tap::vetro = $hello;
	($rc, $out) = vetro('run', '--dry-run', '--model', "$FindBin::Bin/../examples/hello/model.json");
}
ok($rc == 0 && $out =~ /"effects":\{"heat":\[\],"agent":\[\],"reports":\[\]\}/, 'a program that reaches for nothing', $out);
done();
