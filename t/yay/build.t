#!/usr/bin/perl
# `vetro build` of a Yay configuration: a binary that resolves it, with overrides, or a part of it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $app = "$FindBin::Bin/../../examples/yay/app.yay";
my ($status, undef, $err) = vetro('build', '-O0', '-o', "$W/config", $app);
ok($status == 0 && -x "$W/config", 'it builds', $err);

sub run {
	my ($binary, @args) = @_;
	my $line = join ' ', map { "'$_'" } $binary, @args;
	my $out = `cd / && $line 2>$W/err`;
	my $told = `cat $W/err`;
	return $out ne '' ? $out : $told;
}
is(run("$W/config", '-c'), (vetro('yay', '-c', $app))[1], 'the same as `vetro yay`, from any directory');
is(run("$W/config", 'sites[0].url', '-r'), "https://www.staging.example.org/\n", 'a part');
is(run("$W/config", '--set', 'environment=production', '-f', 'yaml', 'database'), "package: postgresql\nurl: db.example.org:6432\nport: 6432\n",
	'an override that chooses another file');
is(run("$W/config", 'database.port', '--as', 'string', '-c'), "\"5432\"\n", '--as');
is(run("$W/config", 'nosuch', '--default', '5'), "5\n", '--default');
is(run("$W/config", 'nosuch'), "config: error[E3004]: Could not find 'nosuch'\n  hint: 'vetro explain E3004' says more\n", 'what is not there');
like(run("$W/config", '--set', 'environment=moon'), qr{app\.yay:\d+:1: error\[E3009\]: 'moon\.yay' could not be found\n}, 'a file that is not in it');
like(run("$W/config", '--nope'), qr/^config: unknown option --nope\nhint: /, 'a bad option');
like(run("$W/config", '--help'), qr/^usage: .*--set PATH=VALUE/s, '--help');

spew("$W/p/main.yay", "include 'lib.yay'\nnew Host as h:\n  n: 2\na: {{ broken else 1 }}\nq: \"\xc3\xa9??/\\\\\"\n");
spew("$W/lib/lib.yay", "b: {{ a }}\n");
spew("$W/p/broken.yay", "x: y: z\n");
spew("$W/h.lua", 'vetro.register { name = "Host", params = "p: any", fn = function(p) return { ip = "10.0.0." .. p.n } end }');
($status, undef, $err) = vetro('build', '-O0', '-o', "$W/two", '-I', "$W/lib", '--lua', "$W/h.lua", "$W/p/main.yay");
ok($status == 0, '-I, --lua, and a broken file that nobody includes', $err);
is(run("$W/two", '-c'), "{\"b\":1,\"h\":{\"n\":2,\"ip\":\"10.0.0.2\"},\"a\":1,\"q\":\"\xc3\xa9??/\\\\\\\\\"}\n", 'class bindings and folders are in it');
is((vetro('build', '-o', "$W/no", "$W/p/broken.yay"))[0], 1, 'a configuration with errors does not build');
like((vetro('build', '--emit=c', $app))[1], qr/^#define VT_YAY\n#include "vt\.h"\n/, '--emit=c');
like((vetro('build', '-o', "$W/no", $app, $app))[2], qr/it is a layer already/, 'a layer comes once');
# ---- an override of what is not there ----

{
	spew("$W/set.yay", "server:\n  port: 80\n  host: a\nlist:\n  - 1\nurl: '{{ server.host }}'\n");
	my ($rc0, $out0, $err0) = vetro('build', "$W/set.yay", '-o', "$W/set");
	is($rc0, 0, 'a configuration for overrides') or diag($err0);
	for (['server.prot=81', 'server.prot', 'server.port'], ['sevrer.port=81', 'sevrer.port', 'server.port'], ['ulr=x', 'ulr', 'url'],
		['list[0]=3', 'list[0]', undef]) {
		my ($arg, $path, $meant) = @$_;
		for my $how (['vetro', sub { vetro('yay', '--set', $arg, '-c', "$W/set.yay") }],
			['set', sub { run_program({}, "$W/set", '--set', $arg, '-c') }],
			['set', sub { run_program({}, "$W/set", '--input', $arg, '-c') }]) {
			my ($rc, $out, $err) = $how->[1]->();
			is($rc, 0, "$arg makes a key");
			like($err, qr/^$how->[0]: warning: --(?:set|input) \Q$path\E: the configuration has no such key, so it is a new one$/m, 'and says so');
			like($err, qr/hint: did you mean \Q$meant\E\?/, 'with what was meant') if $meant;
		}
	}
	for ('server.port=81', 'url=b', 'server={}', 'list=[]', 'server.new.deep=1', 'given=1') {
		my ($rc, $out, $err) = vetro('yay', '--set', $_, '-c', "$W/set.yay");
		is($err, '', "$_ is there, or like none: not a word");
	}
}

done();
