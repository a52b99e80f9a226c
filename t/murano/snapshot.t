#!/usr/bin/perl
# Object models as snapshots: `deploy run --snapshot`, `--model FILE.mugl`, `run --diff`, `deploy diff`, sessions.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IPC::Open2;
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8->allow_bignum;
my $binary = "$W/snapshot.bin";
spew("$W/host.lua", 'vetro.register { name = "trace", params = "data: any", fn = function(x) vetro.traces[#vetro.traces + 1] = x end }');
my ($rc, $out, $err) = vetro('build', '-O0', '--lua', "$W/host.lua", '-o', $binary, "$FindBin::Bin/../data/murano/snapshot");
ok($rc == 0, 'the package builds', $err);

# A command of the binary: status, standard output, standard error.
sub deploy {
	my @args = @_;
	local $Tap::vetro = $binary;
	return vetro(@args);
}

# A run: its answer, the status and standard error.
sub run {
	my ($model, @options) = @_;
	my ($st, $text, $errors) = deploy('run', '--model', $model, @options);
	return (scalar(eval { $json->decode($text) }), $st, $errors);
}

sub snapshot { return $json->decode(slurp($_[0])) }
sub valid { return (vetro('graph', 'check', '--snapshot', $_[0]))[0] }
# Rows of attributes have no order.
sub model {
	my %m = %{ $_[0]{model} };
	$m{Attributes} = [sort { $json->encode($a) cmp $json->encode($b) } @{ $m{Attributes} }];
	return $json->encode(\%m);
}

my $plain = "$W/model.json";
spew($plain, '{"Objects":{"?":{"id":"root","type":"t.snapshot.Main"},"vms":[
	{"?":{"id":"v1","type":"t.snapshot.Vm","name":"one","_x":{"p":1}},"name":"root"},
	{"?":{"id":"v2","type":"t.snapshot.Vm"},"name":"B"}],"first":"v1"}}');

# ---- what is written
my $s = "$W/s.mugl";
my ($answer, $st) = run($plain, '--call', 'link', '--snapshot', $s);
is($st, 0, 'a run with --snapshot');
is(valid($s), 0, 'is a snapshot as vetro graph checks it');
my $v = snapshot($s)->{vertices};
is(join(' ', sort keys %$v), 'Main Main/vms[0] Main/vms[0]/disks.a/b Main/vms[1]', 'monikers are the paths of owners');
is("$v->{Main}{id} $v->{Main}{type}", 'root t.snapshot.Main/0.2.0@t.snapshot', 'id and type');
is($json->encode($v->{Main}{properties}{vms}), '[{"#ref":"Main/vms[0]"},{"#ref":"Main/vms[1]"}]', 'what is owned is an edge');
is($json->encode($v->{Main}{properties}{first}), '{"#ref":"Main/vms[1]"}', 'a reference is one, too');
is($json->encode($v->{'Main/vms[0]'}{properties}{peer}), '"v2"', 'but on a cycle it is the id');
is($json->encode($v->{'Main/vms[0]/disks.a/b'}{properties}{vm}), '"v1"', 'and towards the owner');
is($v->{'Main/vms[0]'}{properties}{name}, 'root', 'a text that is some id by chance stays a text');
is($json->encode($v->{'Main/vms[0]'}{properties}{'?'}), '{"_actions":{},"_x":{"p":1},"attributes":{"t.snapshot.Main":{"seen":[1,{"x":null}]}},"name":"one"}',
	'"?" has name, designer keys and attributes');
like(snapshot($s)->{integrity}, qr/^sha256:/, 'there is a digest');
is(sprintf('%o', (stat $s)[2] & 07777), '600', 'a new file is the owner\'s alone');
my $mode = sub { sprintf('%o', (stat $_[0])[2] & 07777) };
run($plain, '--call', 'idle', '--output', "$W/answer.json");
is($mode->("$W/answer.json"), '600', 'so is a new file with the answer, which has the model');
chmod 0640, "$W/answer.json";
run($plain, '--call', 'idle', '--output', "$W/answer.json");
is($mode->("$W/answer.json"), '640', 'one that was there keeps its mode');
deploy('diff', $s, $plain, '--output', "$W/diff.txt");
is($mode->("$W/diff.txt"), '600', 'a difference shows properties, too');

# ---- there and back
my $text = slurp($s);
my ($again) = run($s, '--call', 'idle', '--snapshot', "$W/again.mugl");
is(model($again), model($answer), 'a model goes through a snapshot unchanged: Objects, ObjectsCopy, Attributes');
is(slurp("$W/again.mugl"), $text, 'and gives the same snapshot, byte by byte');
spew("$W/full.json", $json->encode($answer->{model}));
run("$W/full.json", '--call', 'idle', '--snapshot', "$W/again.mugl");
is($json->encode(snapshot("$W/again.mugl")), $json->encode(snapshot($s)), 'so does the model as JSON');
spew("$W/other.name", $text);
($again) = run("$W/other.name", '--call', 'idle');
is(model($again), model($answer), 'a snapshot is known by its content');
is((deploy('diff', $s, "$W/again.mugl", '--exit-code'))[0], 0, 'equal snapshots do not differ');
is((deploy('diff', $s, "$W/full.json", '--exit-code'))[0], 0, 'nor do a snapshot and the model of the same run');

# Values that look like something else.
my $strange = '{"big":123456789012345678901234567890,"edge":{"#ref":"Main"},"list":[1.5,null,[]],"mine":{"?":{"id":"v2","metadata":null,"name":null,' .
	'"type":"t.snapshot.Vm"}},"part":{"?":{"type":"x"}}}';
($answer, $st) = run($s, '--call', 'keep', '--args', "[$strange]", '--snapshot', "$W/strange.mugl");
is($st, 0, 'strange values');
is(valid("$W/strange.mugl"), 0, 'are in a valid snapshot');
($again) = run("$W/strange.mugl", '--call', 'idle');
is($json->encode($again->{model}{Objects}{vms}[0]{data}), $json->encode($json->decode($strange)), 'and come back as they were');

# Paths that read alike.
my $alike = '{"Objects":{"?":{"id":"root","type":"t.snapshot.Main"},"vms":[{"?":{"id":"v1","type":"t.snapshot.Vm"},"name":"A","disks":{
	"x":{"?":{"id":"d1","type":"t.snapshot.Disk"},"mirrors":{"y":{"?":{"id":"d2","type":"t.snapshot.Disk"}}}},
	"x/mirrors.y":{"?":{"id":"d3","type":"t.snapshot.Disk"},"size":7}}}]}}';
spew("$W/alike.json", $alike);
($answer) = run("$W/alike.json", '--call', 'idle', '--snapshot', "$W/alike.mugl");
is(join(' ', grep /#/, keys %{ snapshot("$W/alike.mugl")->{vertices} }), 'Main/vms[0]/disks.x/mirrors.y#d3', 'the id tells paths that read alike apart');
($again) = run("$W/alike.mugl", '--call', 'idle');
is(model($again), model($answer), 'and the model comes back');

# Random references, cycles among them.
sub disk { my ($n) = @_; return sprintf '{"?":{"id":"d%d","type":"t.snapshot.Disk"},"vm":"v%d"}', $n, rand 6 }
sub some { my $p = rand; return $p < 0.3 ? 'null' : '"' . $_[0] . int(rand 6) . '"' }
my ($whole, $broken) = (0, '');
for my $seed (1 .. 12) {
	srand $seed;
	my @vms = map { sprintf '{"?":{"id":"v%d","type":"t.snapshot.Vm"},"name":"n","peer":%s,"mount":%s,"disks":{"x":%s}}', $_, some('v'),
		some('d'), disk($_) } 0 .. 5;
	spew("$W/random.json", sprintf '{"Objects":{"?":{"id":"root","type":"t.snapshot.Main"},"vms":[%s],"first":%s}}', join(',', @vms), some('v'));
	my ($one) = run("$W/random.json", '--call', 'idle', '--snapshot', "$W/random.mugl");
	my ($two) = run("$W/random.mugl", '--call', 'idle');
	my $good = $one && $two && valid("$W/random.mugl") == 0 && model($one) eq model($two) && $json->encode($one->{model}) =~ /"id":"d5"/;
	$good ? $whole++ : ($broken .= " $seed");
}
is($whole, 12, 'random models: valid snapshots, and the same models again' . ($broken && " (not$broken)"));

# ---- failures
($answer, $st) = run($s, '--call', 'fail', '--snapshot', "$W/failed.mugl");
is($st, 1, 'a run that fails');
is(snapshot("$W/failed.mugl")->{vertices}{Main}{properties}{count}, 99, 'still writes what it did');
spew("$W/bad.json", '{"Objects":{"?":{"id":"root","type":"t.snapshot.Nope"}}}');
($answer, $st) = run("$W/bad.json", '--snapshot', "$W/failed.mugl");
is($st, 1, 'a model that does not load');
is(snapshot("$W/failed.mugl")->{vertices}{Main}{properties}{count}, 99, 'leaves the snapshot as it was');
for my $cut (1, 2, 40, int(length($text) / 2), length($text) - 4) {
	spew("$W/torn.mugl", substr $text, 0, length($text) - $cut);
	($answer, $st, $err) = run("$W/torn.mugl", '--snapshot', "$W/torn.mugl");
	if ($cut == 1) { ok($st == 0, 'without its last newline it is whole'); next }
	ok($st == 1 && !defined $answer && $err =~ /torn\.mugl:\d+:\d+: error\[bad_json\]: /, "torn by $cut bytes it is refused", $err);
	is(slurp("$W/torn.mugl"), substr($text, 0, length($text) - $cut), 'and stays');
}
(my $changed = $text) =~ s/"count": 0/"count": 5/;
spew("$W/changed.mugl", $changed);
like((run("$W/changed.mugl"))[2], qr/\[bad_integrity\]/, 'a changed snapshot is refused');
$changed =~ s/^\s*"integrity".*\n//m;
spew("$W/changed.mugl", $changed);
is((run("$W/changed.mugl"))[0]{result}, 6, 'without the digest it is an edited one');
for (
	['{"vertices":{"a":{"type":"t.snapshot.Vm"},"b":{"type":"t.snapshot.Vm"}}}', qr/more than one root, 'a' and 'b'/, 'two roots'],
	['{"vertices":{"a":{"type":"t.snapshot.Vm","properties":{"?":3}}}}', qr/'a': the member "\?" of the properties is an object/, '"?" that is none'],
	['{"vertices":{"a":{"type":"t.snapshot.Vm","properties":{"?":{"attributes":[]}}}}}', qr/attributes are \{class/, 'attributes that are none'],
	['{"vertices":{"a":{"type":"t.snapshot.Vm","properties":{"peer":{"#ref":"b"}}}}}', qr/\[unknown_ref\]/, 'an edge to nowhere'],
	['{"vertices":{"a":{"type":"t.snapshot.Vm","properties":{"peer":{"#ref":"a"}}}}}', qr/\[cycle\]/, 'a cycle'],
) {
	my ($wrong, $pattern, $title) = @$_;
	spew("$W/wrong.mugl", $wrong);
	($answer, $st, $err) = run("$W/wrong.mugl");
	ok($st == 1 && $err =~ $pattern, "refused: $title", $err);
}
my $old = slurp("$W/failed.mugl");
($answer, $st, $err) = run($s, '--call', 'stamp', '--snapshot', "$W/failed.mugl");
ok($st == 1 && $answer->{model_error} && $err =~ /no snapshot: ValueError/, 'a value that no model can hold: it is reported', $err);
is(slurp("$W/failed.mugl"), $old, 'and the snapshot stays');
my $napper = fork // die;
if (!$napper) {
	open STDERR, '>', '/dev/null';
	exec $binary, 'run', '--model', $s, '--call', 'nap', '--output', "$W/nap.json", '--snapshot', "$W/nap.mugl";
}
sleep 1;
kill TERM => $napper;
waitpid $napper, 0;
is($? >> 8, 143, 'a signal ends the run');
is(snapshot("$W/nap.mugl")->{vertices}{Main}{properties}{count}, 7, 'which writes what it did');
($answer, $st) = run("$W/model.json", '--call', 'idle', '--snapshot', "$W/no/such/place.mugl");
ok($st == 1 && exists $answer->{model}, 'a snapshot that cannot be written: status 1, and the answer with the model');
my $deep = '{"vertices":{';
$deep .= qq("d0":{"type":"t.snapshot.Vm"});
$deep .= sprintf ',"d%d":{"type":"t.snapshot.Vm","properties":{"name":"x","peer":{"#ref":"d%d"}}}', $_, $_ - 1 for 1 .. 20000;
spew("$W/deep.mugl", "$deep}}");
($answer, $st, $err) = run("$W/deep.mugl");
ok($st == 1 && $err =~ /RecursionError/, 'a chain of 20,000 objects is too deep', substr $err, 0, 300);

# By hand: a moniker of one's own, no ids, one object behind two edges.
spew("$W/hand.mugl", '{"vertices":{"a":{"type":"t.snapshot.Vm","properties":{"name":"A"}},"top":{"type":"t.snapshot.Main","properties":{"vms":[{"#ref":"a"}],' .
	'"first":{"#ref":"a"}}}}}');
($answer) = run("$W/hand.mugl");
is($answer->{model}{Objects}{first}, $answer->{model}{Objects}{vms}[0]{'?'}{id}, 'the first edge owns, the other refers');

# ---- what is gone is destroyed, as with models in JSON
($answer) = run($s, '--call', 'shrink', '--snapshot', "$W/shrunk.mugl");
is($json->encode($answer->{traces}), '["init root","init B"]', 'nothing is destroyed that something still refers to');

# ---- differences
($answer, $st, $err) = run($s, '--call', 'grow', '--args', '["C"]', '--diff', '--snapshot', "$W/grown.mugl");
like($err, qr/^\+ Main\/vms\[2\] \(t\.snapshot\.Vm\/0\.2\.0\@t\.snapshot\): create$/m, 'run --diff shows what it made');
like($err, qr/^~ Main .*: update\n    ~ vms:\n        \+ \[2\]: -> Main\/vms\[2\]\n1 to create, 1 to update, 0 to replace, 0 to delete, 3 unchanged$/m,
	'and changed');
($answer, $st, $err) = run($s, '--call', 'grow', '--args', '["C"]', '--diff', '-f', 'json');
is($json->encode($answer->{diff}{creates}), '["Main/vms[2]"]', '-f json: in the answer');
is($err, '', 'and nowhere else');
($st, $out) = deploy('diff', $s, "$W/grown.mugl", '-f', 'json', '--exit-code');
is($st, 1, 'deploy diff --exit-code');
is($json->encode($json->decode($out)->{steps}), '[["create","Main/vms[2]"],["update","Main"]]', 'deploy diff: steps');
($st, $out) = deploy('diff', $s, $s);
is($out, "0 to create, 0 to update, 0 to replace, 0 to delete, 4 unchanged\n", 'a snapshot and itself');
my $two = '{"Objects":{"?":{"id":"root","type":"t.snapshot.Main"},"vms":[%s],"count":%d}}';
sub vm { my ($id, $name) = @_; return sprintf '{"?":{%s"type":"t.snapshot.Vm"},"name":"%s"}', $id ? qq("id":"$id",) : '', $name }
spew("$W/a.json", sprintf $two, vm('a', 'A') . ',' . vm('b', 'B'), 0);
spew("$W/b.json", sprintf $two, vm('b', 'B'), 1);
($st, $out) = deploy('diff', "$W/a.json", "$W/b.json");
is($out, <<'END', 'objects are known by their ids, wherever they are');
= Main/vms[1] is now Main/vms[0]
~ Main (t.snapshot.Main/0.2.0@t.snapshot): update
    ~ vms:
        ~ [0]: -> Main/vms[0] => -> Main/vms[0]
        - [1]: -> Main/vms[1]
    ~ count: 0 => 1
- Main/vms[0] (t.snapshot.Vm/0.2.0@t.snapshot): delete
0 to create, 1 to update, 0 to replace, 1 to delete, 1 unchanged
END
spew("$W/b.json", sprintf $two, vm('c', 'A') . ',' . vm('b', 'B'), 0);
($st, $out) = deploy('diff', "$W/a.json", "$W/b.json", '-f', 'json');
is($json->encode($json->decode($out)->{replaces}), '["Main/vms[0]"]', 'another object in the same place is a replacement');
spew("$W/b.json", sprintf $two, vm('', 'A') . ',' . vm('', 'B'), 0);
is((deploy('diff', "$W/b.json", "$W/b.json", '--exit-code'))[0], 0, 'objects without an id are known by their places');
run("$W/a.json", '--call', 'idle', '--snapshot', "$W/a.mugl");
($st, $out) = deploy('diff', "$W/a.mugl", "$W/a.json", '-f', 'json');
is($json->encode($json->decode($out)->{updates}{'Main/vms[0]'}), '{"updates":{"born":{"new":null,"old":true}}}',
	'a model has its defaults; what .init sets is a difference, for nothing runs');
($st, $out, $err) = deploy('diff', "$W/a.json", "$W/bad.json");
ok($st == 1 && $err =~ /bad\.json: .*NoPackageForClassFound/, 'a model that does not fit', $err);
($st, $out, $err) = deploy('diff', "$W/torn.mugl", $s);
ok($st == 1 && $out eq '' && $err =~ /bad_json/, 'diff of a torn file');
is((deploy('diff', $s))[0], 2, 'diff takes two');
is((deploy('diff', $s, $s, '-f', 'yaml'))[0], 2, 'formats are text and json');
$changed = slurp("$W/a.mugl");
is((deploy({ in => $changed }, 'diff', '-', "$W/a.mugl", '--exit-code'))[0], 0, 'standard input');

# ---- sessions
my $kept = "$W/session.mugl";
my ($from, $to);
my $pid = open2($from, $to, $binary, 'session', '--snapshot', $kept);
sub ask { print {$to} $_[0], "\n"; $to->flush; return $json->decode(scalar readline $from) }
ask('{"op":"load","model":' . (slurp("$W/a.json") =~ s/\n//gr) . '}');
ok(!-e $kept, 'a session that has only loaded writes nothing');
ask('{"op":"call","method":"deploy"}');
is(snapshot($kept)->{vertices}{Main}{properties}{count}, 1, 'after a call');
ask('{"op":"call","method":"fail"}');
is(snapshot($kept)->{vertices}{Main}{properties}{count}, 99, 'after one that failed');
close $to;
waitpid $pid, 0;
is($? >> 8, 0, 'the end of the session');
is(valid($kept), 0, 'its snapshot is valid');
opendir(my $d, $W);
is(join(' ', grep /mugl\./, readdir $d), '', 'no other file is left');

# ---- taint and protect
my $flagged = "$W/flagged.mugl";
spew($flagged, slurp($s));
vetro('graph', 'taint', '-i', $flagged, 'Main/vms[1]');
vetro('graph', 'protect', '-i', $flagged, 'Main/vms[0]', 'Main/vms[0]/disks.a/b');
($answer, $st, $err) = run($flagged, '--call', 'grow', '--args', '["C"]', '--snapshot', "$W/next.mugl");
is($st, 0, 'a run from a snapshot with taint and protect') or print "# $err\n";
is($json->encode([map { snapshot("$W/next.mugl")->{$_} } qw(taint protect)]), '[["Main/vms[1]"],["Main/vms[0]","Main/vms[0]/disks.a/b"]]',
	'takes the lists along');
is(valid("$W/next.mugl"), 0, 'in a valid snapshot');
is(snapshot($s)->{taint} // 'none', 'none', 'which others do not have');
($st, $out, $err) = deploy('diff', $flagged, $s);
like($out, qr{^\+- Main/vms\[1\].*create-replacement$}m, 'deploy diff replaces what is tainted');
is("$st$err", '0', 'and allows it');
my $less = snapshot($s);
delete $less->{integrity};
delete $less->{vertices}{'Main/vms[0]/disks.a/b'};
$less->{vertices}{'Main/vms[0]'}{properties}{disks} = {};
spew("$W/less.mugl", $json->encode($less));
vetro('graph', 'repair', '--snapshot', '-i', "$W/less.mugl");
($st, $out, $err) = deploy('diff', $flagged, "$W/less.mugl");
ok($st == 1 && $err =~ m{error\[protected\]: 'Main/vms\[0\]/disks\.a/b' would be deleted} && $out =~ m{disks\.a/b},
	'but not that something protected goes', $st, $out, $err);

# ---- the answer in lines
my @idle = ('run', '--model', $plain, '--call', 'idle');
my (undef, $line) = deploy(@idle);
for (['--indent', '2'], ['--indent', '5'], ['--tab']) {
	($st, $out, $err) = deploy(@idle, @$_);
	is($out, (vetro({ in => $line }, 'query', '$', @$_))[1], "run @$_: laid out as everywhere");
}
for (['--indent', '0'], ['-c'], ['--indent', '3', '-c']) {
	is((deploy(@idle, @$_))[1], $line, "run @$_: one line, as without");
}
done();
