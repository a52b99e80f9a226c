#!/usr/bin/perl
# --config FILE: values of Config properties, class by class, for the commands of a binary and for `vetro run`.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my $dir = package_dir('config', { 'manifest.yaml' => <<'M', 'Classes/App.yaml' => <<'A' });
Format: 1.4
FullName: t.config
Name: config
Type: Library
Classes: {t.config.App: App.yaml, t.config.Base: App.yaml}
M
Namespaces: {=: t.config}
Name: Base
Properties:
  level: {Contract: $.int().notNull(), Default: 1, Usage: Config}
---
Name: App
Extends: Base
Properties:
  host: {Contract: $.string(), Default: none, Usage: Config}
  name: {Contract: $.string()}
Methods:
  show: {Scope: Public, Body: {Return: !yaql "list($.host, $.level, $.name)"}}
  made: {Scope: Public, Usage: Static, Body: {Return: !yaql "new(App, name => x).show()"}}
A
spew("$W/m.json", '{"Objects":{"?":{"id":"a","type":"t.config.App"},"name":"n","host":"model"}}');
spew("$W/c.json", '{"t.config.App":{"host":"db"},"t.config.Base":{"level":"7"}}');
my ($rc, $out, $err) = vetro('build', '-O0', '-o', "$W/app", $dir);
ok($rc == 0, 'the package builds', $out . $err);

sub deploy {
	local $Tap::vetro = "$W/app";
	return vetro(@_);
}
sub result { my (undef, $out) = @_; return $json->encode((eval { $json->decode($out) } // {})->{result}) }

my @run = ('run', '--model', "$W/m.json", '--call', 'show');
is(result(deploy(@run)), '["none",1,"n"]', 'defaults without a file; the model has no say');
is(result(deploy(@run, '--config', "$W/c.json")), '["db",7,"n"]', 'run');
is(result(deploy('call', 't.config.App', 'made', '--config', "$W/c.json")), '["db",7,"x"]', 'call');
is(result(vetro('run', $dir, '--', @run, '--config', "$W/c.json")), '["db",7,"n"]', 'vetro run');
(undef, $out) = deploy({ in => "{\"op\":\"load\",\"model\":" . slurp("$W/m.json") . "}\n{\"op\":\"call\",\"target\":\"a\",\"method\":\"show\"}\n" },
	'session', '--config', "$W/c.json");
like($out, qr/"value":\["db",7,"n"\]/, 'session');

# ---- what is wrong with the file
spew("$W/bad.json", '{"t.config.App":{"host":[1]},"t.config.Base":{"level":"many"}}');
($rc, $out) = deploy(@run, '--config', "$W/bad.json");
ok($rc == 1 && $out =~ /ContractViolation/, 'a value that the contract refuses', $out);
for (['[1]', qr/an object is expected/], ['{"t.config.App": 5}', qr/\{property: value\}\} is expected/], ['{', qr/line 1/]) {
	spew("$W/bad.json", $_->[0]);
	($rc, $out, $err) = deploy(@run, '--config', "$W/bad.json");
	ok($rc == 1 && $out eq '' && $err =~ $_->[1], "a file of $_->[0]", $out . $err);
}
($rc, $out, $err) = deploy(@run, '--config', "$W/nothing.json");
like($err, qr/nothing\.json: No such file/, 'a file that is not there');
spew("$W/other.json", '{"t.other.App":{"host":"x"},"t.config.App":{"host":"db"}}');
($rc, $out, $err) = deploy(@run, '--config', "$W/other.json");
ok($rc == 0 && $out =~ /"result":\["db",1,"n"\]/ && $err =~ /the program has no class t\.other\.App/, 'a class of another program is said', $err);
done();
