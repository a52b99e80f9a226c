#!/usr/bin/perl
# What operators do with the binary of a package: plan, run, status, logs, undeploy, drift, and whose a state is.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my $at = "$W/work";
mkdir $at;
sub package_of {
	my ($folder, $version, $code) = @_;
	spew("$W/$folder/manifest.yaml", <<"Y");
{Format: MuranoPL/1.4, Type: Application, FullName: t.op, Name: op, Version: $version, Classes: {t.op.App: App.yaml}}
Y
	spew("$W/$folder/Classes/App.yaml", <<"Y");
Namespaces: {=: t.op}
Name: App
Properties:
  title: {Contract: \$.string().notNull()}
  parts: {Contract: [\$.class(App)], Default: []}
  size: {Contract: \$.int(), Usage: InOut, Default: 0}
Methods:
  deploy:
    Scope: Public
    Body: $code
  .destroy:
    Body:
      - \$x: 1
Y
	my ($rc, $out, $err) = vetro('build', '-O0', '-o', "$W/$folder.bin", "$W/$folder");
	ok($rc == 0, "$folder is built", $out, $err);
	return "$W/$folder.bin";
}
sub deploy { my ($bin, @args) = @_; return run_program({ dir => $at, limit => 60 }, $bin, @args) }
sub model {
	my ($title, @parts) = @_;
	spew("$at/model.json", $json->encode({ Objects => { '?' => { id => 'app', type => 't.op.App' }, title => $title,
		parts => [map { { '?' => { id => $_, type => 't.op.App' }, title => $_ } } @parts] } }));
	return ('--model', 'model.json');
}

my $one = package_of('one', '0.1.0', '[{$.size: 3}, {Return: $.title}]');
my ($rc, $out, $err) = deploy($one, 'status');
is("$rc$err $out", "0 t.op 0.1.0: undeployed\n", 'nothing is there');
for my $verb ('undeploy', 'drift') {
	($rc, $out, $err) = deploy($one, $verb);
	like("$rc$out $err",
		qr/^1 .*nothing is deployed: there is no state in t\.op-0\.1\.0\.state\.mugl\n  hint: '\S+ run' deploys; --snapshot FILE names .*$/,
		"$verb of nothing");
}

# ---- where the state cannot be written, the run says so and its result is there
model('a');
mkdir "$W/gone";
($rc, $out, $err) = run_program({ dir => "$W/gone", limit => 60 }, 'sh', '-c', "rmdir '$W/gone' && exec '$one' run --model '$at/model.json' -f json");
is($rc, 0, 'a run in a folder that is gone');
like($out, qr/"result":"a"/, 'its result');
like($err, qr/t\.op-0\.1\.0\.state\.mugl.*plan, status and undeploy will not know of this run/s, 'and what is not kept');

# ---- plan
($rc, $out, $err) = deploy($one, 'plan', model('a', 'b'));
is("$rc$err", '0', 'a plan');
like($out, qr/^\+ App \(t\.op\.App.*: create\n/m, 'what is new');
like($out, qr/^    \+ size: 3$/m, 'as the run would leave it');
like($out, qr/^plan: 2 to create, 0 to change, 0 to replace, 0 to delete\n\z/m, 'a summary');
ok(!glob("$at/*.mugl"), 'nothing is written');

# ---- run
($rc, $out, $err) = deploy($one, 'run', model('a', 'b'));
is(decode_json($out)->{result}, 'a', 'the result is JSON where nobody reads it');
is(sprintf('%o', (stat "$at/t.op-0.1.0.state.mugl")[2] & 0777), '600', 'the state is private, and called what the package is called');
like((deploy($one, 'status'))[1], qr/^t\.op 0\.1\.0: deployed\n  App\/parts\[0\]: t\.op\.App.*\n  App: t\.op\.App/, 'a status');
is(decode_json((deploy($one, 'status', '-f', 'json'))[1])->{objects}[0]{id}, 'b', 'as JSON');
like((deploy($one, 'plan', '--model', 'model.json'))[1], qr/^nothing is left to do\nplan: 0 to create/, 'a plan without work');
($rc, $out) = deploy($one, 'plan', model('c'));
like($out, qr/^~ .*\n.*title: "a" => "c"/m, 'old => new') or print "# $out\n";
like($out, qr/^plan: 0 to create, 1 to change, 0 to replace, 1 to delete$/m, 'counted');
($rc, $out) = deploy($one, 'plan', '--model', 'model.json', '-f', 'json', '--html', 'plan.html');
my $plan = decode_json($out);
is($json->encode($plan->{summary}), '{"change":1,"create":0,"delete":1,"replace":0}', 'the summary as JSON');
is($json->encode($plan->{diff}{updates}{App}{updates}{title}), '{"new":"c","old":"a"}', 'values as JSON');
is($json->encode($plan->{changes}), '{"App":"changes","App/parts[0]":"goes"}', 'objects');
my $page = slurp("$at/plan.html");
like($page, qr/default-src 'none'.*"plan":\{"summary":/s, 'a page');
is(join(' ', $page =~ m{(?:https?:)?//[\w.]+\.\w+}g), '', 'that names nothing to fetch');
is((deploy($one, 'status', '--html', 'status.html'))[0], 0, 'a page of the status');
like(slurp("$at/status.html"), qr/"summary":"0\.1\.0: deployed"/, 'which says how the run ended');
($rc, $out, $err) = deploy($one, 'run', model('a', 'b'), '--html', 'run.html');
is($rc, 0, 'a run with a page') or print "# $err\n";
like(slurp("$at/run.html"), qr/"graph":\{.*"size":\s*3.*"run":\{"status":"deployed","seconds":[\d.]+,"result":"a"\}\}/s,
	'the page has the objects and how the run ended');
deploy($one, 'run', model('a'), '--dry-run', '--html', 'dry.html');
like(slurp("$at/dry.html"), qr/"run":\{"status":"deployed",.*"effects":\{/, 'that of a dry run has what would be done');
($rc, $out, $err) = deploy($one, 'drift', '--html', 'drift.html');
like("$rc " . slurp("$at/drift.html"), qr/^0 .*"stacks":\[\]/s, 'a page of the drift');
($rc, $out, $err) = deploy($one, 'plan', '--model', 'none.json');
is("$rc$out", '1', 'a model that is not there');

# ---- another build, another version
my $again = package_of('again', '0.1.0', '[{$.size: 4}, {Return: $.title}]');
like((deploy($again, 'plan', model('a', 'b')))[1], qr/^    .*size: 3 => 4$/m, 'another build of the package goes on with its state');
my $newer = package_of('newer', '0.2.0', '[{$.size: 4}]');
is((deploy($newer, 'status'))[1], "t.op 0.2.0: undeployed\n", 'another version has a state of its own');

# ---- a failure
my $bad = package_of('bad', '0.3.0', '[{Throw: broken, Message: "it \e[31m broke"}]' =~ s/\\e/\\x1b/r);
($rc, $out, $err) = deploy($bad, 'plan', model('a'));
like("$rc $err", qr/^1 .*the run would fail.*broke/s, 'a plan of a run that would fail');
($rc, $out, $err) = deploy($bad, 'run', model('a'));
is($rc, 1, 'it does');
deploy($bad, 'run', model('a'), '--html', 'bad.html');
like(slurp("$at/bad.html"), qr/"run":\{"status":"failed",.*"why":"[^"]*broke/, 'the page says why');
($rc, $out) = deploy($bad, 'status');
like($out, qr/^t\.op 0\.3\.0: failed: .*broke/, 'and the status says why');
unlike($out, qr/\e/, 'in a line');

# ---- drift, logs, undeploy
($rc, $out) = deploy($one, 'drift');
is("$rc $out", "0 drift: 0 drifted, 0 as they should be; 2 objects have no stack to compare with\n", 'nothing outside');
like((deploy($one, 'logs'))[2], qr/there are no logs/, 'nothing was reported');
($rc, $out) = deploy($one, 'undeploy', '-f', 'text', '--html', 'gone.html');
like(slurp("$at/gone.html"), qr/"graph":\{\}.*"run":\{"status":"undeployed"/s, 'a page of what is no more');
like("$rc $out", qr/^0 t\.op 0\.1\.0: undeployed in \d+\.\d s$/m, 'taken down');
ok(!-e "$at/t.op-0.1.0.state.mugl", 'the state goes');
is((deploy($one, 'status'))[1], "t.op 0.1.0: undeployed\n", 'nothing is there');

# ---- what is no deployment leaves no state
deploy($one, 'run', model('a'), '--dry-run');
deploy($one, 'run', model('a'), '--call', 'deploy');
ok(!-e "$at/t.op-0.1.0.state.mugl", 'neither a dry run nor the call of a method');
unlink "$at/t.op-0.1.0.state.mugl";
($rc, $out, $err) = deploy($one, 'run', model('a'));
like($err, qr/^\S+: the state of this deployment is in t\.op-0\.1\.0\.state\.mugl: .*\n  --snapshot FILE keeps it elsewhere\n$/,
	'the first run says where the state is');
($rc, $out, $err) = deploy($one, 'run', model('a'));
is($err, '', 'the next one does not');
unlink "$at/t.op-0.1.0.state.mugl";
($rc, $out, $err) = deploy($one, 'run', model('a'), '--quiet');
is($err, '', 'nor does --quiet');
($rc, $out, $err) = deploy($one, 'run', model('a'), '-f', 'text');
like($out, qr/^  state: t\.op-0\.1\.0\.state\.mugl$/m, 'a summary says it each time');
deploy($one, 'run', model('a'), '--snapshot', 'own.mugl');
like((deploy($one, 'status', '--snapshot', 'own.mugl'))[1], qr/^t\.op 0\.1\.0: deployed\n  App/, '--snapshot is a state too');
if (grep { -x "$_/script" } split /:/, $ENV{PATH}) {
	(undef, $out) = run_program({ dir => $at, limit => 60, env => { TERM => 'xterm' } }, 'script', '-qec', "$one run --model model.json", '/dev/null');
	like($out, qr/^t\.op 0\.1\.0: deployed in \d+\.\d s\r\n  result: "a"\r\n  objects: 1\r\n/, 'a terminal gets a summary');
	my $locks = package_dir('locks', {'manifest.yaml' => <<'Y', 'Classes/Main.yaml' => <<'C', 'Classes/Db.yaml' => <<'D'});
Format: 1.4
Type: Library
FullName: org.lk
Classes: {org.lk.Main: Main.yaml, org.lk.Db: Db.yaml}
Y
Namespaces: {=: org.lk}
Name: Main
Properties:
  db: {Contract: $.class(Db).notNull()}
Methods:
  deploy:
    Scope: Public
    Body:
      - Parallel:
          - $.first()
          - $.second()
  first: {Body: [$.db.prepare()]}
  second: {Body: [$.db.prepare()]}
C
Namespaces: {=: org.lk}
Name: Db
Methods:
  prepare: {Body: [sleep(0.05)]}
D
	spew("$locks/model.json", '{"?": {"id": "m", "type": "org.lk.Main"}, "db": {"?": {"id": "d", "name": "store", "type": "org.lk.Db"}}}');
	is((vetro('build', '-o', "$locks/lk", $locks))[0], 0, 'a package whose tasks wait for each other');
	(undef, $out) = run_program({dir => $locks, limit => 60, env => {TERM => 'xterm'}}, 'script', '-qec', './lk run --model model.json', '/dev/null');
	like($out, qr/^\[1, 0 s\] Main\.second of m waits for Db\.prepare of store, which another task runs\r$/m, 'a terminal is told what waits for what');
} else {
	skip('on a terminal', 'there is no script(1)');
}
done();
