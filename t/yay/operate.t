#!/usr/bin/perl
# What operators do with the binary of a configuration: plan, run, status, logs, drift, undeploy.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my $at = "$W/work";
mkdir $at;
sub build {
	my ($name, $text) = @_;
	spew("$W/$name/app.yay", $text);
	my ($rc, $out, $err) = vetro('build', '-O0', '-o', "$W/$name.bin", "$W/$name/app.yay");
	ok($rc == 0, "$name is built", $err);
	return "$W/$name.bin";
}
sub config { my ($bin, @args) = @_; return run_program({ dir => $at, limit => 60 }, $bin, @args) }

my $text = "name: shop\nversion: 1.0\nworkers: 2\nports:\n  - 80\n  - 443\ndb:\n  host: localhost\n";
my $shop = build('shop', $text);
my ($rc, $out, $err) = config($shop, 'status');
is("$rc$err $out", "0 shop 1.0: undeployed\n", 'nothing is in force');
for my $verb ('undeploy', 'drift') {
	like(join(' ', config($shop, $verb)),
		qr/^1 .*nothing is deployed: there is no state in shop-1\.0\.state\.json\n  hint: '\S+ run' deploys; --snapshot FILE/, "$verb of nothing");
}
($rc, $out) = config($shop, 'plan');
is("$rc $out", qq(0 + name: "shop"\n+ version: 1.0\n+ workers: 2\n+ ports: [80,443]\n+ db: {"host":"localhost"}\n) .
	"plan: 5 to create, 0 to change, 0 to delete\n", 'a plan');
ok(!glob("$at/*"), 'writes nothing');
($rc, $out) = config($shop, 'run');
is($json->encode(decode_json($out)->{db}), '{"host":"localhost"}', 'run prints the configuration where nobody reads it');
is(sprintf('%o', (stat "$at/shop-1.0.state.json")[2] & 0777), '600', 'the state is private, and called what the configuration is called');
is((config($shop, 'status'))[1], "shop 1.0: deployed\n", 'it is in force');
is((config($shop, 'plan'))[1], "nothing is left to do\nplan: 0 to create, 0 to change, 0 to delete\n", 'a plan without changes');

# ---- old => new
($rc, $out) = config($shop, 'plan', '--input', 'workers=5', '--input', 'ports=[80]', '--input', 'db.host=a b', '--set', 'extra=true');
is("$rc $out", "0 ~ workers: 2 => 5\n- ports[1]: 443\n~ db.host: \"localhost\" => \"a b\"\n+ extra: true\nplan: 1 to create, 2 to change, 1 to delete\n",
	'old => new; --input is YAML, --set JSON') or print "# $out\n";
($rc, $out) = config($shop, 'plan', '--input', 'workers=5', '-f', 'json', '--html', 'plan.html');
is($json->encode(decode_json($out)->{objects}), '[{"action":"change","name":"workers","new":5,"old":2}]', 'as JSON');
is($json->encode(decode_json($out)->{summary}), '{"change":1,"create":0,"delete":0}', 'with a summary');
my $page = slurp("$at/plan.html");
like($page, qr/default-src 'none'.*"plan":\{"summary":/s, 'a page');
is(join(' ', $page =~ m{(?:https?:)?//[\w.]+\.\w+}g), '', 'that names nothing to fetch');
my $hostile = build('hostile', qq(name: "a\\e[31m</script>"\nx: "\\e[1m"\n));
($rc, $out) = config($hostile, 'plan', '--html', 'hostile.html');
unlike($out, qr/\e/, 'values do not reach the terminal as they are');
is(scalar(() = slurp("$at/hostile.html") =~ m{</script>}g), 2, 'nor are they markup');

# ---- a file, and what becomes of it
my $other = build('again', $text =~ s/workers: 2/workers: 3/r);
($rc, $out) = config($other, 'run', '--output', 'out.yaml', '-f', 'text');
like($out, qr/^shop 1\.0: deployed, 0 new, 1 changed, 0 gone\n~ workers: 2 => 3\n  written to .*out\.yaml\n/, 'another build goes on with the state');
like(slurp("$at/out.yaml"), qr/^workers: 3$/m, 'the file');
is((config($other, 'drift'))[0], 0, 'nothing has drifted');
spew("$at/out.yaml", slurp("$at/out.yaml") =~ s/workers: 3/workers: 9/r);
($rc, $out) = config($other, 'drift');
like("$rc $out", qr/^1 .*out\.yaml: has drifted\n~ workers: 3 => 9\n$/, 'somebody else has changed it');
is(decode_json((config($other, 'drift', '-f', 'json'))[1])->{status}, 'drifted', 'as JSON');
($rc, $out, $err) = config($other, 'undeploy');
like("$rc$out $err", qr/^1 .*is not what was written there\n  hint: --force removes it/, 'which is not lost');
($rc, $out) = config($other, 'logs');
like($out, qr/^\S+Z run: 5 new, 0 changed, 0 gone\n\+ name: .*Z run: 0 new, 1 changed, 0 gone\n~ workers: 2 => 3\n\z/s, 'logs');
is((config($other, 'logs', 'workers', '--follow'))[1], "+ workers: 2\n~ workers: 2 => 3\n", 'of something');
config($other, 'run');
is((config($other, 'drift'))[0], 0, 'run mends it');
unlink "$at/out.yaml";
like(join(' ', config($other, 'drift')), qr/^1 .*out\.yaml: is gone\n/, 'a file that is gone');
like(join(' ', config($other, 'drift', '--html', 'drift.html')), qr/^1 /, 'a page does not change the status');
like(slurp("$at/drift.html"), qr/"summary":"1\.0: drifted: is gone, /, 'a page of what is gone');
config($other, 'run', '--html', 'run.html', '--input', 'workers=8');
like(slurp("$at/run.html"), qr/"summary":"1\.0: deployed, [^"]*out\.yaml".*"values":\[\{"name":"workers","action":"change","old":3,"new":8\}\]/,
	'a page of a run');
config($other, 'logs', 'workers', '--html', 'logs.html');
like(slurp("$at/logs.html"), qr/"view":"logs","log":"\+ workers: 2\\n.*~ workers: 3 =\\u003e 8\\n"/, 'a page of the log');
($rc, $out) = config($other, 'undeploy', '-f', 'text', '--html', 'gone.html');
like(slurp("$at/gone.html"), qr/"summary":"1\.0: undeployed"/, 'a page of what is no more');
is("$rc $out", "0 shop 1.0: undeployed\n", 'undeploy');
ok(!-e "$at/shop-1.0.state.json", 'the state goes');

# ---- parts that are called as commands
my $part = build('part', "plan: gold\nrun:\n  x: 1\n");
is((config($part, 'plan'))[1], "\"gold\"\n", 'a part that is called as a command is the part');
is((config($part, 'run', '-c'))[1], "{\"x\":1}\n", 'with its options');
is((config($part, 'status'))[1], "app: undeployed\n", 'other commands are there; without a name the file has one');
like((config($part, 'help'))[1], qr/^usage: .*^  --set PATH=VALUE .*^  undeploy  +removes/ms, 'help has both');
like((config($part, 'help', 'plan'))[1], qr/^usage: \S+ plan \[option\]\.\.\.\n.*--html FILE/s, 'and of a command its own');
done();
