#!/usr/bin/perl
# Input of the worst kind for a built binary: every request is answered, every run ends with its status, nothing is half written.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Session;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my $binary = Session::build("$FindBin::Bin/../data/murano/hostile");
my $header = '"?":{"type":"t.hostile.Main","id":"root"}';
sub objects { return "{\"Objects\":{$header" . ($_[0] ? ",$_[0]" : '') . '}}' }

# Status, standard output and error of `run --model` with this text and more arguments.
sub run {
	my ($model, @more) = @_;
	spew("$W/model.json", $model);
	local $Tap::vetro = $binary;
	return vetro({ limit => 30 }, 'run', '--model', "$W/model.json", @more);
}

# A file that is no model: one line with the place, no result.
sub unreadable {
	my ($title, $model, $message) = @_;
	my ($rc, $out, $err) = run($model);
	ok($rc == 1 && $out eq '' && $err =~ /model\.json: line \d+ column \d+: .*$message/, "no JSON: $title", "status $rc", $out, substr($err, 0, 400));
}
unreadable('nothing', '', 'the text ends');
unreadable('cut off', '{"Objects":', 'the text ends');
unreadable('two values', '{} {}', '');
unreadable('100,000 nested arrays', objects('"any":' . '[' x 100000 . ']' x 100000), 'nested too deeply');
unreadable('100,000 open arrays', '[' x 100000, 'nested too deeply');
unreadable('100,000 nested objects', '{"a":' x 100000, 'nested too deeply');
unreadable('bytes that are not UTF-8', objects("\"any\":\"\xff\xfe\""), 'UTF-8');
unreadable('overlong UTF-8', objects("\"any\":\"\xc0\x80\""), 'UTF-8');
unreadable('half of a surrogate pair', objects('"any":"\\ud800"'), 'surrogate');
unreadable('5,000,000 digits', objects('"any":' . '9' x 5000000), 'digits');
unreadable('NUL bytes', "\0\0\0\0", '');

# A model that cannot be loaded: the error as JSON, status 1.
sub refused {
	my ($title, $model, $type, $message) = @_;
	my ($rc, $out) = run($model);
	my $e = (eval { $json->decode($out) } || {})->{error} || {};
	ok($rc == 1 && ($e->{type} // '') eq $type && $e->{message} =~ ($message // qr/./), "no model: $title", "status $rc", substr($out, 0, 400));
}
refused('a list', '[1]', 'TypeError', qr/a model is a dictionary/);
refused('a text', '"x"', 'TypeError');
refused('Objects is a text', '{"Objects":"x"}', 'ValueError');
refused('Objects is a list', '{"Objects":[1]}', 'ValueError');
refused('no header', '{"Objects":{"a":1}}', 'ValueError', qr/no type information/);
refused('the header is a number', '{"Objects":{"?":5}}', 'ValueError');
refused('the type is a number', '{"Objects":{"?":{"type":5}}}', 'TypeError');
refused('the type is no name', '{"Objects":{"?":{"type":"@/"}}}', 'TypeError');
refused('an unknown type', '{"Objects":{"?":{"type":"no.such"}}}', 'NoPackageForClassFound', qr/"no\.such"/);
refused('Attributes is a number', objects() =~ s/\}$/,"Attributes":5}/r, 'ValueError', qr/Attributes is a list/);
refused('Attributes with a bad row', objects() =~ s/\}$/,"Attributes":[[1]]}/r, 'ValueError', qr/Attributes\[0\]/);
refused('a list for a number', objects('"number":[]'), 'ContractViolationException', qr/^\[t\.hostile\.Main\.number\] Value \[\] violates int\(\) contract$/);
refused('infinity for an integer', objects('"number":1e999'), 'ContractViolationException');
refused('a dict for a list of numbers', objects('"list":{"a":1}'), 'ContractViolationException', qr/^\[t\.hostile\.Main\.list\[0\]\]/);
refused('a missing key', objects('"dict":{}'), 'ContractViolationException', qr/^\[t\.hostile\.Main\.dict\['k'\]\]/);
refused('a number for an object', objects('"other":5'), 'ContractViolationException', qr/cannot be represented as class/);
refused('an unknown reference', objects('"other":"nobody"'), 'NoObjectFoundError');

my ($rc, $out, $err) = run(objects('"other":"root"'));
ok($rc == 0 && $json->decode($out)->{result} eq 'done', 'an object may refer to itself', $out . $err);
($rc, $out) = run(objects('"any":' . '9' x 4000));
ok($rc == 0 && $out =~ /9{4000}/, 'a number of 4,000 digits stays whole', substr($out, 0, 200));
($rc, $out) = run(objects('"any":"\u0000\ud83d\ude00"'));
ok($rc == 0 && $json->decode($out)->{model}{Objects}{any} eq "\0\x{1f600}", 'NUL and a surrogate pair in a text stay', $out);

# exit statuses
sub status { my ($title, $want, @args) = @_; local $Tap::vetro = $binary; my ($rc, undef, $err) = vetro(@args);
	ok($rc == $want && $err ne '', $title, "status $rc", $err) }
spew("$W/good.json", objects());
status('status 1: no such model file', 1, 'run', '--model', "$W/none.json");
status('status 1: the method fails', 1, 'run', '--model', "$W/good.json", '--call', 'fails');
status('status 1: an unknown method', 1, 'run', '--model', "$W/good.json", '--call', 'nothing');
status('status 1: an unknown object', 1, 'run', '--model', "$W/good.json", '--object', 'nobody');
status('status 2: no model', 2, 'run');
status('status 2: no command', 2);
status('status 2: an unknown command', 2, 'dance');
status('status 2: an unknown option', 2, 'run', '--model', "$W/good.json", '--dance');
status('status 2: an option without its value', 2, 'session', '--expose');
status('status 2: arguments that are no JSON', 2, 'run', '--model', "$W/good.json", '--args', '{');
status('status 2: arguments of the wrong kind', 2, 'run', '--model', "$W/good.json", '--args', '5');
($rc, $out) = run(objects(), '--call', 'fails');
my $failed = eval { $json->decode($out) } || {};
ok($failed->{error}{type} eq 't.hostile.broken' && $failed->{error}{message} eq 'on purpose' && $failed->{model}{Objects}{dict}{k} == 1,
	'an error leaves the model in the answer', $out);

# --output: another name first, then renamed
($rc, $out) = run(objects(), '--output', "$W/dir/none/out.json");
ok($rc == 1 && !-e "$W/dir", '--output to a directory that is not there', "status $rc");
mkdir "$W/full";
($rc) = run(objects(), '--output', "$W/full");
ok($rc == 1 && -d "$W/full" && !leftovers("$W/full"), '--output to a directory', "status $rc", leftovers("$W/full"));
mkdir "$W/kept";
spew("$W/kept/out.json", 'old');
link "$W/kept/out.json", "$W/kept/link";
($rc) = run(objects(), '--output', "$W/kept/out.json");
ok($rc == 0 && $json->decode(slurp("$W/kept/out.json"))->{result} eq 'done', '--output holds the answer', "status $rc");
ok(slurp("$W/kept/link") eq 'old', '--output renames: the old file was never written to');
is(join(' ', leftovers("$W/kept")), 'link out.json', '--output leaves no other file');
run('{"Objects":', '--output', "$W/kept/out.json");
is(join(' ', leftovers("$W/kept")), 'link out.json', '--output: nothing half-written after an error');
ok(eval { $json->decode(slurp("$W/kept/out.json")) }, '--output: the file is whole after an error');

# a session
my $s = Session->start('hostile');
sub bad { my ($title, $line, $type) = @_; $s->send($line); $s->failed("session: $title", $type // 'BadRequest') }
bad('no JSON', 'hello');
bad('an empty object', '{}');
bad('a list', '[]');
bad('a number', '5');
bad('an unknown op', '{"op":"dance"}');
bad('op is a number', '{"op":5}');
bad('not UTF-8', "{\"op\":\"\xff\"}");
bad('nested', '[' x 100000);
bad('a call before the model', '{"op":"call","target":null,"method":"testEcho","args":[]}');
bad('load without a model', '{"op":"load"}', 'TypeError');
ok($s->send("{\"op\":\"load\",\"model\":" . objects() . '}')->{ok}, 'session: loads after all that', $s->{raw});
bad('a second model', "{\"op\":\"load\",\"model\":" . objects() . '}');
bad('a call without a method', '{"op":"call","target":null}');
bad('a method that is a number', '{"op":"call","method":5}');
bad('args that are text', '{"op":"call","method":"testEcho","args":"x"}');
bad('kwargs that are a list', '{"op":"call","method":"testEcho","args":[],"kwargs":[]}');
bad('a target that is a number', '{"op":"call","target":5,"method":"testEcho","args":[1]}');
bad('a target that nobody is', '{"op":"call","target":"nobody","method":"testEcho","args":[1]}', 'NoPackageForClassFound');
bad('a result that is not there', '{"op":"call","method":"testEcho","args":[{"$result":900}]}');

# without end
$s->fails("recursion without end: $_", $_, /Expression/ ? '[1]' : '[]', 'RecursionError', 'maximum recursion depth exceeded')
	for qw(testForever testForeverInExpression testForeverInBlocks testForeverNew testForeverLambda);
$s->fails("an endless iterator: $_", $_, '[]', 'CollectionTooLargeException', qr/^Collection length exceeds \d+ elements$/)
	for qw(testEndless testEndlessVariable testEndlessResult);
$s->gives('session: still there', 'testEcho', '["x"]', '"x"');
ok($s->stop == 0, 'session: ends well');
my $shell = "ulimit -s 1024; printf '%s\\n' '{\"op\":\"load\",\"model\":" . objects() . "}' '{\"op\":\"call\",\"method\":\"testForever\",\"args\":[]}'" .
	" | $binary session --expose 'test*'";
spew("$W/small.sh", "$shell\n");
like(scalar `sh $W/small.sh 2>&1`, qr/RecursionError.*\n\z/, 'recursion without end on a small stack');

# a package as a zip archive
my @entries = map { ["$_->[0]", slurp("$FindBin::Bin/../data/murano/hostile/$_->[1]")] } ['manifest.yaml', 'manifest.yaml'],
	['Classes/Main.yaml', 'Classes/Main.yaml'];
my $zip = zip_file("$W/packed.zip", @entries);
($rc, undef, $err) = vetro('build', '-O0', '-o', "$W/packed", $zip);
ok($rc == 0 && -x "$W/packed", 'a zip archive builds', $err);
{
	local $Tap::vetro = "$W/packed";
	($rc, $out, $err) = vetro('run', '--model', "$W/good.json");
	ok($rc == 0 && (eval { $json->decode($out) } || {})->{result} eq 'done', 'and runs', $out . $err);
}
spew("$W/cut.zip", substr(slurp($zip), 0, 300));
($rc, undef, $err) = vetro('build', '-o', "$W/cut", "$W/cut.zip");
ok($rc == 1 && !-e "$W/cut" && $err =~ /error/, 'a zip archive that is cut off does not', "status $rc", $err);
done();

sub leftovers {
	my ($dir) = @_;
	opendir my $d, $dir or return '(no directory)';
	return sort grep { !/^\.\.?$/ } readdir $d;
}
