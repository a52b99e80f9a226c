#!/usr/bin/perl
# Nothing that a terminal obeys reaches it in messages, whatever files, options and scripts say: no escape sequence, no C1, no change of direction.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $esc = "\e[31m\x07\xc2\x9b1m\xe2\x80\xae";
my $json = '\u001b[31m\u0007\u009b1m\u202e';

# Something is said, of `what`, and nothing of this.
sub harmless {
	my ($title, $what, @args) = @_;
	my ($rc, $out, $err) = vetro(@args);
	ok($err =~ $what && $err !~ /[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]/, $title, "status $rc",
		map { s/[^\n -~]/sprintf '<%02x>', ord $&/ger } $err);
}
harmless('vetro: a command', qr/no\?|no\\/, "no$esc");
harmless('vetro query: a file', qr/no/, 'query', '$', "$W/no$esc");
harmless('vetro query: an option', qr/option/, 'query', "--no$esc", '$');
harmless('vetro query: an expression', qr/31m/, 'query', '-n', "no($esc)");
harmless('vetro query: a key that is not there', qr/31m/, { in => "{}" }, 'query', "\$.get('a').no$esc");
harmless('vetro query: what is no JSON', qr/stdin|input/, { in => "{\"a\": $esc}" }, 'query', '$');
harmless('vetro query: what is no YAML', qr/./, { in => "a: [$esc\n" }, 'query', '--yaml', '$');
spew("$W/print.lua", "print('said \\27[31m\\7\\xc2\\x9b')\n");
harmless('print() of Lua', qr/^said \\u\{1b\}\[31m\\u\{7\}\\u\{9b\}$/m, 'query', '-n', '--lua', "$W/print.lua", '1');
spew("$W/a.yay", "a: {{ b[\"$esc\"] }}\nc: {{ missing }}\n'x$esc': {{ nobody }}\n");
harmless('vetro yay', qr/error/, 'yay', "$W/a.yay");
harmless('vetro check: Yay', qr/error/, 'check', "$W/a.yay");
spew("$W/a.yaml", <<"Y");
tosca_definitions_version: tosca_2_0
service_template:
  inputs: { "n$json": { type: integer, default: "$json" } }
  node_templates: { "x$json": { type: "t$json" } }
Y
harmless('vetro tosca', qr/31m/, 'tosca', "$W/a.yaml");
harmless('vetro check: TOSCA', qr/31m/, 'check', "$W/a.yaml");
spew("$W/a.mugl", "{\"taint\":[\"x$json\"],\"vertices\":{\"v$json\":{\"a\":{\"#ref\":\"w$json\"}}}}");
harmless('vetro graph check', qr/31m/, 'graph', 'check', "$W/a.mugl");

# ---- binaries
spew("$W/service.yaml", "tosca_definitions_version: tosca_2_0\nservice_template: { node_templates: {}, inputs: { n: { type: integer } } }\n");
spew("$W/config.yay", "a: 1\nd: {{ missing }}\n");
my $package = package_dir('package', { 'manifest.yaml' => "Format: 1.4\nType: Application\nFullName: t.app\nClasses: {t.App: App.yaml}\n",
	'Classes/App.yaml' => "Namespaces: {=: t}\nName: App\nMethods:\n  deploy:\n    Body: []\n" });
for (['service', "$W/service.yaml"], ['config', "$W/config.yay"], ['app', $package]) {
	my ($rc, $out, $err) = vetro({ limit => 300 }, 'build', '-O0', '-o', "$W/$_->[0]", $_->[1]);
	ok($rc == 0, "$_->[0] is built", $err);
}
sub binary {
	my ($title, $name, $what, @args) = @_;
	local $Tap::vetro = "$W/$name";
	harmless("a binary of $title", $what, @args);
}
spew("$W/in.json", "{\"n$json\": 1, \"n\": \"$json\"}");
spew("$W/model.json", "{\"Objects\": {\"?\": {\"type\": \"t.No$json\"}}}");
spew("$W/broken.json", "{\"a$esc\": $esc");
binary('TOSCA: an input', 'service', qr/31m/, 'topology', '--input', "no$esc=1");
binary('TOSCA: inputs', 'service', qr/31m/, 'topology', '--inputs', "$W/in.json");
binary('TOSCA: a file', 'service', qr/31m/, 'topology', '--inputs', "$W/no$esc");
binary('TOSCA: a command', 'service', qr/31m/, "no$esc");
binary('Yay: an option', 'config', qr/31m/, "--no$esc");
binary('Yay: a path', 'config', qr/error/, "no$esc");
binary('Yay: a value', 'config', qr/31m/, '--set', "no$esc");
binary('MuranoPL: a file', 'app', qr/31m/, 'run', '--model', "$W/no$esc");
binary('MuranoPL: what is no JSON', 'app', qr/line 1/, 'run', '--model', "$W/broken.json");
binary('MuranoPL: settings', 'app', qr/line 1|settings/, 'run', '--settings', "$W/broken.json", '--model', "$W/model.json");
done();
