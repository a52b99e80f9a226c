#!/usr/bin/perl
# Secrets: passwords and tokens that a server sends back, private inputs, what encrypted files and decryptData() give. None of them is
# in any message, log or report; the answers and the state that need the value have it, in files of their owner.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use FakeCloud;
use JSON::PP;
use MIME::Base64 qw(encode_base64);
use Tap;

delete @ENV{grep { /^OS_|^AMQP_URL$|_proxy$|_PROXY$/ } keys %ENV};
@ENV{qw(HOME XDG_CONFIG_HOME)} = ($W, "$W/config");
my $secret = 'p"a\\s s/w&rd<\'%+1';
my $json = encode_json([$secret]) =~ s/^\[|\]$//gr;
my $url = $secret =~ s/([^\w.~-])/sprintf '%%%02X', ord $1/ger;

# What tells it, in any way that a test knows; reasons.
sub told {
	my ($text, $what) = @_;
	$what //= $secret;
	my $escaped = encode_json([$what]) =~ s/^\["|"\]$//gr;
	my $percent = $what =~ s/([^\w.~-])/sprintf '%%%02X', ord $1/ger;
	return grep { index($text, $_) >= 0 } $what, $escaped, $percent, encode_base64($what, '') =~ s/.=*$//r;
}

# ---- what a server echoes

my ($rc, $out, $err) = vetro({ limit => 300 }, 'build', '-O0', '-o', "$W/deploy", "$FindBin::Bin/../data/heat-app");
is($rc, 0, 'the package builds') or do { print "# $err\n"; done(); exit };
my $curl = do {
	local @ENV{qw(OS_AUTH_URL OS_USERNAME OS_PASSWORD)} = ('http://127.0.0.1:1/v3', 'demo', 'x');
	`$W/deploy call org.example.heat.Fleet run --args '{"prefix": "x", "n": 1}' 2>&1` !~ /libcurl/;
};
my %model = (Attributes => [['reg1', 'io.murano.CloudRegion', 'generatedStackName', '-s']],
	Objects => { '?' => { type => 'io.murano.Environment', id => 'env1' }, name => 'real', defaultNetworks => { environment => undef, flat => undef },
		regions => { '' => { '?' => { type => 'io.murano.CloudRegion', id => 'reg1' }, name => '',
			defaultNetworks => { environment => undef, flat => undef } } },
		applications => [{ '?' => { type => 'org.example.heat.Probe', id => 'probe1' },
			template => { resources => { it => { type => 'OS::Heat::Value', properties => { value => 1 } } } } }] });
spew("$W/model.json", encode_json(\%model));

sub against {
	my ($title, $hook, $what) = @_;
	return skip($title, 'there is no libcurl here') if !$curl;
	my $port = http_server(log => "$W/log", hook => $hook);
	my %env = (OS_AUTH_URL => "http://127.0.0.1:$port/v3", OS_USERNAME => 'demo', OS_PASSWORD => $secret, OS_PROJECT_NAME => 'demo');
	my ($rc, $out, $err) = run_program({ env => \%env, limit => 120, dir => $W }, "$W/deploy", 'run', '--model', 'model.json', '--progress');
	is($rc, 1, "$title: it fails");
	my @told = map { told($out . $err, $_) } $what ? $what->() : $secret;
	ok(!@told, "$title: no secret is shown", @told, $out, $err);
	like($out . $err, qr/\*\*\*\*\*/, "$title: one can see that it stood there");
	return;
}
my %echo = (
	'as it came' => sub { my ($q) = @_; json_answer(400, { error => { code => 400, message => "Expecting to find: $q->{body}" } }) },
	'as JSON in JSON' => sub { my ($q) = @_; json_answer(400, { error => { code => 400, message => encode_json([$q->{body}]) } }) },
	'as a text' => sub { json_answer(400, { error => { code => 400, message => "The password '$secret' is too short" } }) },
	'in a URL' => sub { json_answer(400, { error => { code => 400, message => "bad form: user=demo&password=$url&x=1" } }) },
	'in base64' => sub { json_answer(400, { error => { code => 400, message => 'Basic ' . encode_base64("demo:$secret", '') } }) },
	'behind much else' => sub { json_answer(400, { error => { code => 400, message => ('x' x 190) . $secret . ('y' x 500) } }) },
	'as HTML' => sub { answer(400, '<p>' . $secret =~ s/&/&amp;/gr =~ s/</&lt;/gr =~ s/"/&quot;/gr . '</p>', 'Content-Type' => 'text/html') },
);
for my $way (sort keys %echo) {
	next if $way eq 'as HTML';
	against("Keystone echoes the password $way", sub { $_[0]{path} =~ /tokens/ ? $echo{$way}->($_[0]) : undef });
}
my $token = "$W/token";
against('Heat echoes the token', sub {
	my ($q) = @_;
	return undef if $q->{path} =~ /tokens/ || !$q->{head}{'x-auth-token'};
	spew($token, $q->{head}{'x-auth-token'});
	return json_answer(400, { error => { message => "unknown token $q->{head}{'x-auth-token'} in X-Auth-Token" }, code => 400 });
}, sub { slurp($token) });

# ---- private inputs

sub service {
	my ($name, $text) = @_;
	spew("$W/$name.yaml", $text);
	my ($rc, $out, $err) = vetro({ limit => 300 }, 'build', '-O0', '-o', "$W/$name", "$W/$name.yaml");
	is($rc, 0, "$name builds") or print "# $err\n";
	return "$W/$name";
}
spew("$W/fails.sh", 'echo "the password is $secret and $port"; exit 3' . "\n");
my $tosca = service('service', <<'T');
tosca_definitions_version: tosca_2_0
interface_types: { Life: { operations: { create: {} } } }
node_types:
  N:
    properties:
      secret: { type: string, validation: { $less_or_equal: [ { $length: [ $value ] }, 30 ] } }
      port: { type: integer, metadata: { private: true } }
    interfaces:
      Standard:
        type: Life
        inputs: { secret: { type: string, default: { $get_property: [ SELF, secret ] } }, port: { type: integer, default: { $get_property: [ SELF, port ] } } }
        operations: { create: { implementation: { primary: fails.sh } } }
service_template:
  inputs:
    secret: { type: string, metadata: { private: true } }
    port: { type: integer, metadata: { private: true }, default: 987654 }
    many: { type: list, entry_schema: string, metadata: { private: true }, default: [ first-secret, second-secret ] }
  node_templates: { n: { type: N, properties: { secret: { $get_input: [ secret ] }, port: { $get_input: [ port ] } } } }
  outputs: { s: { value: { $get_input: [ secret ] } } }
T
my @wrong = (
	['a value that is too long', '--input', "secret=$secret, which is longer than it may be"],
	['a number that is none', '--input', 'secret=x', '--input', "port=$secret"],
	['a list that is none', '--input', 'secret=x', '--input', "many=$secret"],
);
for my $w (@wrong) {
	my ($title, @args) = @$w;
	my ($rc, $out, $err) = run_program({ dir => $W }, $tosca, 'run', @args);
	is($rc, 1, "$title: it fails") or print "# $out$err\n";
	my @told = told($out . $err);
	ok(!@told, "$title: its value is not shown", @told, $err);
}
($rc, $out, $err) = run_program({ dir => $W, limit => 60 }, $tosca, 'run', '--input', "secret=$secret");
like("$rc $err", qr/^1 .*the password is \*\*\*\*\* and \*\*\*\*\*/s, 'the end of a log that is shown');
ok(!told($err) && $err !~ /987654/, 'has none of them', $err);
my $state = "$W/service.state.mugl";
ok(told(slurp($state)) > 0, 'the state needs the value') or print "# $state\n";
is(sprintf('%o', (stat $state)[2] & 0777), '600', 'and is its owner\'s alone');
is(sprintf('%o', (stat $_)[2] & 077), '0', s{^\Q$W/}{}r . ' is too') for grep { -e } "$W/service.state.logs", glob("$W/service.state.*journal*");
($rc, $out, $err) = run_program({ dir => $W }, $tosca, 'topology', '--input', "secret=$secret", '--output', "$W/topology.json");
ok($rc == 0 && told(slurp("$W/topology.json")) > 0, 'an output has the value', $err);
is(sprintf('%o', (stat "$W/topology.json")[2] & 0777), '600', 'in a file of its owner');

my $hot = service('stack', <<'T');
heat_template_version: 2021-04-16
parameters:
  secret: { type: string, hidden: true, constraints: [ { length: { max: 20 } } ] }
  shown: { type: string, default: x, constraints: [ { length: { max: 20 } } ] }
resources:
  v: { type: OS::Heat::Value, properties: { value: { get_param: secret } } }
T
($rc, $out, $err) = run_program({ dir => $W }, $hot, 'topology', '--input', "secret=$secret, which is too long");
ok($rc == 1 && !told($out . $err), 'hidden: true of Heat', $out . $err);
($rc, $out, $err) = run_program({ dir => $W }, $hot, 'topology', '--input', 'secret=x', '--input', 'shown=visible, which is too long');
like($err, qr/visible, which is too long/, 'others are reported');

# ---- encrypted Yay, decryptData

spew("$W/gpg", "#!/bin/sh\nprintf 'password: s3cret-of-yay\\nport: 7654321\\n'\n");
chmod 0755, "$W/gpg";
spew("$W/s.yay.gpg", "x");
spew("$W/use.yay", "include 's.yay.gpg'\na: {{ password + 1 / 0 }}\nb: {{ port.foo }}\n");
($rc, $out, $err) = vetro('yay', '--gpg', "$W/gpg", "$W/use.yay");
ok($rc && "$out$err" !~ /s3cret|7654321/, 'encrypted Yay', $out . $err);
spew("$W/host.lua", <<'L');
vetro.register { name = "decryptData", kind = "ext", params = "value: str", fn = function(v) return "plain-" .. v .. "-text" end }
vetro.register { name = "fails", params = "s: str", fn = function(s) error("refused: " .. s) end }
L
($rc, $out, $err) = vetro('query', '--lua', "$W/host.lua", 'fails(decryptData("id1"))');
like("$rc $err", qr/^1 .*refused: \*\*\*\*\*/s, 'what decryptData() gives, in an error of the host');
($rc, $out, $err) = vetro('query', '--lua', "$W/host.lua", 'int(decryptData("id1"))');
ok($rc && $err !~ /plain-id1/, 'and of the library', $err);
is((vetro('query', '--lua', "$W/host.lua", 'decryptData("id1")'))[1], "\"plain-id1-text\"\n", 'a result is a result');
done();
