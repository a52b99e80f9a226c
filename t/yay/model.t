#!/usr/bin/perl
# Yay as the object model of a MuranoPL program and as the inputs of a TOSCA service, in binaries built --with-yay and in `vetro tosca`.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8->allow_bignum;

# ---- MuranoPL
my $package = package_dir('model', {
	'manifest.yaml' => "Format: 1.4\nType: Application\nFullName: t.model\nClasses: {t.Site: Site.yaml, t.Server: Server.yaml}\n",
	'Classes/Server.yaml' => <<'E',
Namespaces: {=: t}
Name: Server
Properties:
  name: {Contract: $.string().notNull()}
  size: {Contract: $.int(), Default: 1}
  spare: {Contract: $.bool(), Default: false}
E
	'Classes/Site.yaml' => <<'E',
Namespaces: {=: t}
Name: Site
Properties:
  title: {Contract: $.string()}
  ratio: {Contract: $}
  servers: {Contract: [$.class(Server)], Default: []}
  first: {Contract: $.class(Server)}
Methods:
  deploy:
    Scope: Public
    Body:
      - Return:
          - $.title
          - $.ratio
          - $.servers.select([$.name, $.size, $.spare])
          - $.first != null and $.first = $.servers.first(null)
E
});
my $plain = "$W/plain.bin";
my $binary = "$W/yay.bin";
my ($st, $out, $err) = vetro('build', '-O0', '-o', $plain, $package);
is($st, 0, 'the package builds') or print "# $err\n";
($st, $out, $err) = vetro('build', '-O0', '--with-yay', '-o', $binary, $package);
is($st, 0, 'the package builds --with-yay') or print "# $err\n";

sub deploy {
	my @args = @_;
	local $Tap::vetro = $binary;
	return vetro(@args);
}
# The result of deploy() over a configuration, or what is said instead.
sub run {
	my ($yay, @options) = @_;
	spew("$W/env.yay", $yay);
	my ($status, $text, $errors) = deploy('run', '--model', "$W/env.yay", @options);
	my $answer = eval { $json->decode($text) };
	return $status == 0 ? $json->encode($answer->{result}) : $answer ? $json->encode($answer->{error}) : $errors;
}

is(run("?:\n    type: t.Site\ntitle: x\nratio: 1.50\n"), '["x",1.5,[],false]', 'the root object is the whole configuration');
is(run(<<'Y'), '["v1",null,[],false]', 'or its Objects, and the rest does not matter');
names: [a]
Objects:
    ?:
        type: t.Site
    title: {{ 'v' + '1' }}
Y
is(run("create \"t.Site\":\n    title: made\n"), '["made",null,[],false]', 'create makes an object of a class');
is(run(<<'E'), '["x",null,[["a",1,false],["b",4,true]],true]', 'objects that are used twice are references');
prototype Server:
    ?:
        type: t.Server
    name: none
a:
    create "t.Server":
        name: a
new Server as b:
    name: b
    size: {{ 2 * 2 }}
    spare: {{ 1 == 1 }}
Objects:
    create "t.Site":
        title: x
        servers:
          - {{ a }}
          - {{ b }}
        first: {{ a }}
E
is(run(<<'E'), '["x",null,[["a",7,false]],true]', 'and those with an id of their own');
a:
    ?:
        type: t.Server
        id: one
    name: a
    size: 7
Objects:
    ?:
        type: t.Site
    title: x
    servers:
      - {{ a }}
    first: {{ a }}
E
is(run(<<'E'), '["x",null,[["s0",1,false],["s1",1,false],["s2",1,false]],false]', 'objects from a loop');
prototype Server:
    ?:
        type: t.Server
?:
    type: t.Site
title: x
servers:
    for i in range(3):
      - name: s{{ i }}
        ?:
            type: t.Server
E
spew("$W/common.yay", "size: 9\n");
is(run(<<'Y'), '["9 of them",null,[],false]', 'includes beside the file');
include "common.yay"
Objects:
    create "t.Site":
        title: {{ size }} of them
Y
like(run(<<'Y'), qr{env\.yay:3:\d+: Could not find 'nowhere' \[NoMatching\]}, 'an error has its place');
Objects:
    create "t.Site":
        title: {{ nowhere }}
Y
like(run("Objects:\n    create \"t.Nope\":\n        title: x\n"), qr{env\.yay:2:\d+: .*t\.Nope}, 'a class that is not there');
like(run("a:1\n"), qr{env\.yay:1:\d+: }, 'no Yay');
like(run("- 1\n"), qr{a mapping is expected}, 'no mapping');
like(run("a: {{ b }}\nb: {{ a }}\n"), qr{CycleError.*through this}s, 'a circle');
like(run("?:\n    type: t.Site\ntitle: x\nfirst: {{ 1 }}\n"), qr{ContractViolation}, 'contracts hold');
like(run("Objects:\n    {{ 1 }}\n"), qr{Invalid object}, 'an object that is a number');
{
	my $deep = join '', map { ('  ' x $_) . "a:\n" } 1 .. 600;
	like(run("Objects:\n$deep" . ('  ' x 601) . "b: 1\n"), qr{too deep|depends on itself|RecursionError|no model|\?}, 'depth has a limit');
}
spew("$W/in.yay", "?:\n    type: t.Site\ntitle: piped\n");
($st, $out, $err) = deploy({ in => "?:\n    type: t.Site\ntitle: piped\n" }, 'run', '--model', '-');
is($json->encode(eval { $json->decode($out)->{result} }), '["piped",null,[],false]', 'standard input may be Yay');
($st, $out, $err) = deploy({ in => '{"Objects": {"?": {"type": "t.Site"}, "title": "json"}}' }, 'run', '--model', '-');
is($json->encode(eval { $json->decode($out)->{result} }), '["json",null,[],false]', 'or JSON');
is(run("?:\n    type: t.Site\ntitle: x\n", '--snapshot', "$W/s.mugl"), '["x",null,[],false]', 'with a snapshot');
like(slurp("$W/s.mugl"), qr/"title": "x"/, 'which is written');
spew("$W/env.yay", "?:\n    type: t.Site\ntitle: other\n");
($st, $out, $err) = deploy('diff', "$W/s.mugl", "$W/env.yay");
like($out, qr/~ title: "x" => "other"/, 'deploy diff of a snapshot and a configuration') or print "# $err\n";
# ids of objects that are used twice are their paths, so that a later run finds them again
my $twice = "a:\n    create \"t.Server\":\n        name: a\nObjects:\n    create \"t.Site\":\n        servers:\n          - {{ a }}\n        first: {{ a }}\n";
run($twice, '--snapshot', "$W/t1.mugl");
like(slurp("$W/t1.mugl"), qr/"id": "Objects\.servers\[0\]"/, 'an object that is used twice has its path for an id');
{
	local $Tap::vetro = $plain;
	my ($status, $text, $errors) = vetro('run', '--model', "$W/env.yay");
	is($status, 1, 'a binary without the reader');
	like($errors, qr/--with-yay/, 'says what to do');
	($status, $text, $errors) = vetro('run', '--model', "$W/s.mugl");
	is($status, 0, 'and reads the rest');
}
ok(-s $plain < -s $binary, 'the reader is in one of them only');
($st, $out, $err) = vetro('build', '--shared', '--with-yay', '-o', "$W/x.so", $package);
is($st, 2, '--with-yay is for binaries');

# secrets: gpg is a program of ours
spew("$W/gpg", "#!/bin/sh\ncat \"\$5\"\n");
chmod 0755, "$W/gpg";
{
	local $ENV{PATH} = "$W:$ENV{PATH}";
	spew("$W/secret.yay.gpg", "word: hunter2\n");
	is(run("include \"secret.yay.gpg\"\nObjects:\n    create \"t.Site\":\n        title: {{ word }}\n"), '["hunter2",null,[],false]',
		'the program gets what was decrypted');
	my $said = run("include \"secret.yay.gpg\"\nObjects:\n    create \"t.Site\":\n        title: {{ word + 1 - 'x' }}\n");
	ok($said !~ /hunter2/ && $said =~ /Error/, 'errors do not tell it', $said);
}

# ---- Lua in a binary
spew("$W/host.lua", 'vetro.register { name = "conf", kind = "ext", params = "p: any", fn = function() return vetro.yay("a: {{ 6 * 7 }}\n"):int("a") end }');
my $lua = package_dir('lua', {
	'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.lua\nClasses: {t.Main: Main.yaml}\n",
	'Classes/Main.yaml' => "Namespaces: {=: t}\nName: Main\nMethods:\n  deploy:\n    Scope: Public\n    Body:\n      - Return: conf(1)\n",
});
spew("$W/main.json", '{"Objects": {"?": {"type": "t.Main"}}}');
for my $with (0, 1) {
	($st, $out, $err) = vetro('build', '-O0', '--lua', "$W/host.lua", $with ? '--with-yay' : (), '-o', "$W/lua.bin", $lua);
	local $Tap::vetro = "$W/lua.bin";
	my ($status, $text, $errors) = vetro('run', '--model', "$W/main.json");
	like($text, $with ? qr/"result":42/ : qr/--with-yay/, $with ? 'vetro.yay in a binary' : 'or not, where it has no reader') or print "# $errors\n";
}

# ---- TOSCA
spew("$W/service.yaml", <<'E');
tosca_definitions_version: tosca_2_0
service_template:
  node_templates: {}
  inputs:
    name: {type: string}
    version: {type: string, default: "0"}
    count: {type: integer, default: 1}
    ratio: {type: float, default: 0.5}
    fast: {type: boolean, default: false}
    tags: {type: list, entry_schema: string, default: []}
    size: {type: scalar-unit.size, default: 1 MB}
  outputs:
    name: {value: {$get_input: name}}
    version: {value: {$get_input: version}}
    count: {value: {$get_input: count}}
    ratio: {value: {$get_input: ratio}}
    fast: {value: {$get_input: fast}}
    tags: {value: {$get_input: tags}}
E
my $inputs = "base: web\nname: {{ base }}-1\nversion: 13.10\ncount: {{ 1 + 2 }}\nratio: 2\nfast: true\ntags:\n  - a\n  - {{ base }}\n";
my $clean = $inputs =~ s/^base: web\n/set base = "web"\n/r;
spew("$W/in.yay", $clean);
my $want = '{"count":3,"fast":true,"name":"web-1","ratio":2,"tags":["a","web"],"version":"13.10"}';
sub outputs {
	my $t = eval { $json->decode($_[0]) };
	my $o = $t->{outputs} // return $_[0];
	return $json->encode({ map { $_ => ref $o->{$_} eq 'HASH' && exists $o->{$_}{value} ? $o->{$_}{value} : $o->{$_} } keys %$o });
}
($st, $out, $err) = vetro('tosca', "$W/service.yaml", '--inputs', "$W/in.yay");
is($st, 0, 'vetro tosca --inputs in.yay') or print "# $err\n";
is(outputs($out), $want, 'inputs have the types that the service declares');
($st, $out, $err) = vetro('tosca', "$W/service.yaml", '--inputs', "$W/in.yay", '--input', 'count=8');
like($out, qr/"count": *8|"value": *8/, 'a word wins over the file');
spew("$W/bad.yay", $inputs);
($st, $out, $err) = vetro('tosca', "$W/service.yaml", '--inputs', "$W/bad.yay");
is($st, 1, 'a key that is no input');
like($err, qr/E2080.*'base'/s, 'is reported');
spew("$W/bad.yay", "name: {{ nowhere }}\n");
($st, $out, $err) = vetro('tosca', "$W/service.yaml", '--inputs', "$W/bad.yay");
like($err, qr/E3012.*bad\.yay:1:\d+.*nowhere/s, 'an error of the configuration, with its place');
spew("$W/bad.yay", "name: x\ncount: many\n");
($st, $out, $err) = vetro('tosca', "$W/service.yaml", '--inputs', "$W/bad.yay");
is($st, 1, 'a value of another type is an error of the service');
($st, $out, $err) = vetro('tosca', "$W/service.yaml", '--inputs', "$W/nope.yay");
is($st, 1, 'a file that is not there');
($st, $out, $err) = vetro('build', '-O0', '-o', "$W/service.bin", '--with-yay', "$W/service.yaml");
is($st, 0, 'a service builds --with-yay') or print "# $err\n";
{
	local $Tap::vetro = "$W/service.bin";
	($st, $out, $err) = vetro('topology', '--inputs', "$W/in.yay");
	is(outputs($out), $want, 'its binary takes the same inputs') or print "# $err\n";
	($st, $out, $err) = vetro({ in => $clean }, 'topology', '--inputs', '-');
	is(outputs($out), $want, 'also as standard input') or print "# $err\n";
	($st, $out, $err) = vetro('topology', '--inputs', "$W/bad.yay");
	is($st, 1, 'and errors');
	spew("$W/bad.yay", "name: {{ nowhere }}\n");
	($st, $out, $err) = vetro('topology', '--inputs', "$W/bad.yay");
	like($err, qr/bad\.yay:1:\d+: Could not find 'nowhere'/, 'with their places');
}
($st, $out, $err) = vetro('build', '-O0', '-o', "$W/service.bin", "$W/service.yaml");
{
	local $Tap::vetro = "$W/service.bin";
	($st, $out, $err) = vetro('topology', '--inputs', "$W/in.yay");
	like($err, qr/--with-yay/, 'a binary without the reader says so');
}
done();
