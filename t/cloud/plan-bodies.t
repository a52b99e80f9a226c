#!/usr/bin/perl
# The simulated agent: Bodies of plans as murano-agent's own runner answered them (t/oracle/agent.py), checks of plans,
# what is not simulated, limits, and scripts of a scenario in a dry run.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8->allow_bignum;

sub agent {
	my $in = join('', map { (ref $_ ? $json->encode($_) : $_) . "\n" } @_);
	my ($rc, $out, $err) = vetro({ in => $in, limit => 120 }, 'agent', '--batch');
	my @answers = map { $json->decode($_) } split(/\n/, $out);
	ok($rc == 0 && @answers == @_, scalar(@_) . ' requests are answered', $rc, substr($out, 0, 500), $err) if @_ != 1;
	return @_ == 1 ? $answers[0] : @answers;
}

# ---- what murano-agent answered
my $data = "$FindBin::Bin/../data/plan-bodies/answers.jsonl";
my ($first, @recorded) = map { $json->decode($_) } split(/\n/, slurp($data));
my @got = agent(map { { plan => { %{ $first->{plan} }, Body => $_->{body} }, scripts => $first->{scripts} } } @recorded);
ok(@recorded > 150, 'there are bodies');
for my $i (0 .. $#recorded) {
	my ($want, $answer) = ($recorded[$i]{answer}, $got[$i]);
	is($json->encode($answer), $json->encode($want), 'body: ' . substr($recorded[$i]{body} =~ s/\n/ | /gr, 0, 60));
}

# ---- what is not simulated is named, with its line
sub body {
	my ($body, %more) = @_;
	return agent({ plan => { %{ $first->{plan} }, Body => $body, %more }, scripts => $first->{scripts} });
}
for my $c (
	["import json\nreturn 1", "import (line 1)"], ["x = 1\ndef f():\n    return 1", 'def (line 2)'], ['return 2 ** 3', 'the operator ** (line 1)'],
	["x = 1\n\nwith open('f') as f:\n  pass", 'with (line 3)'], ['return [lambda: 1]', 'lambda (line 1)'], ['return f"{1}"', "f'' (line 1)"],
	['return b"x"', "bytes b'' (line 1)"], ['x: int = 1', 'an annotation (line 1)'], ['return 1 | 2', 'the operator | (line 1)'],
	['return run(*[1])', '* and ** in a call (line 1)'], ["y = 1\nreturn 'a,b'.split(sep=',')", 'keyword arguments of split() (line 2)'],
	['return (1).real', "'real' of a 'int' (line 1)"], ['return "a".title()', 'the method title() of a text (line 1)'],
	['return open("/etc/passwd")', "'open' (line 1)"],
	['return args.__class__', "'__class__' (line 1)"], ['del args["x"]', 'del (line 1)'],
	['return {x: 1 for x in args}', 'a comprehension in braces (line 1)'],
	['return sorted(args.l, key=len)', 'sorted() with a key (line 1)'], ['try: open("x")' . "\nexcept Exception: return 1", "'open' (line 1)"],
	['return str(set([1]))', "the text of a 'set' (line 1)"], ['return "%*d" % (1, 2)', '%* in a format (line 1)'],
) {
	is($json->encode(body($c->[0])->{Body}), $json->encode({ Message => "the simulated agent cannot run $c->[1]", AdditionalInfo => undef }),
	"named: $c->[1]");
}

# ---- limits
for my $c (
	['while True: pass', qr/more than \d+ steps/], ["x = 'a'\nwhile True: x += x", qr/bytes of memory/],
	["x = 2\nwhile True: x *= x", qr/more than 308 digits/],
	['return ' . '(' x 3000 . '1' . ')' x 3000, qr/never closed|nested deeper|too many nested/], ['return ' . 'not ' x 5000 . '1', qr/nested deeper/],
	['return ' . '-' x 5000 . '1', qr/nested deeper/], ['return 1' . '+1' x 5000, qr/so many parts/], ['return args' . '.x' x 5000, qr/a chain/],
	["x = []\nfor i in range(500): x = [x]\nreturn str(x)", qr/the text of a 'list'/], ["x = 1\n" x 20000 . 'return 1', qr/of more than \d+ bytes/],
	['return "a" * 100000000000', qr/repeated/], ['return "{:99999999}".format(1)', qr/a format that wide/],
	['return "%099999999d" % 1', qr/a format that wide/],
	["if 1:\n" . join('', map { ' ' x $_ . "if 1:\n" } 1 .. 60) . ' ' x 61 . 'pass', qr/nested deeper/],
	["l = [1]\nfor x in l: l.append(x)", qr/more than \d+/], ["d = {}\nfor i in range(100000): d[i] = i\n", qr/more than \d+ steps/],
	['return [' . '[' x 30 . '1,' . ']' x 30 . ']', undef], ["x = 1\n" . "if x == 2: x = 3\n" . "elif x == 4: x = 5\n" x 3000 . "return x", undef],
) {
	my $a = body($c->[0]);
	my $name = substr($c->[0] =~ s/\n/ | /gr, 0, 40);
	$c->[1] ? like($a->{Body}{Message} // '', $c->[1], "bounded: $name") : is($a->{ErrorCode}, 0, "taken: $name");
}
ok(!defined body("x = []\nfor i in range(500): x = [x]\nreturn x")->{ErrorCode}, 'what JSON cannot hold is not sent');

# ---- what is no request, and no plan
for my $c ('', '[', '5', '{}', '{"scripts":{}}', '"plan"') {
	ok(($json->encode(agent($c)) =~ /"error":\{"message":.*"type":"bad_request"/), "no request: $c");
}
is(agent($_)->{ErrorCode}, 2, "no plan: $_") for '{"plan":5}', '{"plan":[]}', '{"plan":null}', '{"plan":{}}';
my %file = (f => { Name => 'f', BodyType => 'Text', Body => '' });
sub checked {
	my (%plan) = @_;
	my $a = agent({ plan => { FormatVersion => '2.1.0', Body => 'return 1', Files => \%file, Scripts => {}, %plan } });
	return ($a->{ErrorCode} // '-') . ' ' . (ref $a->{Body} ? $a->{Body}{Message} : $json->encode($a->{Body}));
}
sub script { return (Scripts => { s => { Type => 'Application', EntryPoint => 'f', Options => {}, @_ } }) }
is(checked(), '0 1', 'a plan');
is(checked(FormatVersion => '2.2'), "1 Invalid version string: '2.2'", 'a version of two parts');
is(checked(FormatVersion => '02.0.0'), "1 Invalid version string: '02.0.0'", 'a version with a zero');
is(checked(FormatVersion => '2.2.1'), '9 Unsupported format version 2.2.1 (I support versions <=2.2.0)', 'a version that is new');
is(checked(FormatVersion => '10.0.0'), '9 Unsupported format version 10.0.0 (I support versions <=2.2.0)', 'one that is newer');
is(checked(FormatVersion => '2.0.5', script(Type => 'Puppet')), '2 Type Puppet is not valid for format 2.0.5', 'Puppet in 2.0');
is(checked(FormatVersion => '2.3.0'), '9 Unsupported format version 2.3.0 (I support versions <=2.2.0)', 'the next version');
is(checked(FormatVersion => '1.9.0', script(Type => 'Bash')), '1 The application type in s is not a valid executor Bash', 'a type in format 1');
is(checked(FormatVersion => '1.9.0', script(EntryPoint => 'g'), Body => 's()'), "1 'g'", 'an entry point in format 1 is missed when it is called');
is(checked(Files => []), '2 Files is not a dictionary', 'files in a list');
is(checked(Options => 5), '2 Options is not a dictionary', 'options of a plan');
is(checked(script(Type => 5)), '2 Incorrect Type entry in script s', 'a type that is a number');
is(checked(script(Files => ['h'])), '2 Script s misses file h', 'a file that is missing');
is(checked(script(Files => 5)), "1 'int' object is not iterable", 'files that are a number');
is(checked(script(Files => [{ f => 'x' }])), '0 1', 'a file by a dictionary');
is(checked(script(Type => 'Chef', EntryPoint => 'a')), '2 Wrong EntryPoint a for Puppet/Chef executors. :: needed', 'a recipe without colons');
is(checked(script(Options => undef)), "1 'NoneType' object is not iterable", 'options that are null');
is(checked(Files => { f => { Name => 'f', Type => 'Downloadable' } }), '2 Incorrect URL entry in file f', 'a download from nowhere');
is(checked(Files => { f => { Name => 'f', Type => 'Downloadable', URL => 'http://files.example.com/f' } }), '0 1', 'a download');
is(checked(Files => { f => { Name => 'f', Body => '' } }), '2 Incorrect BodyType entry in file f', 'a file without a type');
is(checked(Files => { f => 5 }), '2 Invalid file f', 'a file that is a number');
is(checked(Body => undef), "1 'NoneType' object has no attribute 'expandtabs'", 'a Body that is null');
is(checked(Body => 5), "1 'int' object has no attribute 'expandtabs'", 'a Body that is a number');
my %chef = (FormatVersion => '2.2.0', script(Type => 'Chef', EntryPoint => 'web::go', Options => { useBerkshelf => JSON::PP::true }));
is(checked(%chef, Body => 'return s().stdout'), '100 Berskfile web/Berksfile not found', 'Berkshelf without its file');
is(checked(%chef, script(Type => 'Chef', EntryPoint => 'web::go', Options => {}), Body => "return s('x')"),
	"1 'AttributeError' object has no attribute 'strerror'", 'attributes that are a text');
is(checked(script(Type => 'Puppet', EntryPoint => 'm::'), Body => 'return s({1: 2})'), "1 'AttributeError' object has no attribute 'strerror'",
	'hiera data whose keys are numbers');
is(checked(script(Type => 'Puppet', EntryPoint => 'm::', Options => { captureStdout => JSON::PP::false }), Body => 's()'),
	"1 'NoneType' object has no attribute 'splitlines'", 'output of Puppet that nobody keeps');
is(checked(script(Options => { captureStdout => undef }), Body => 'return s().stdout'), '0 null', 'an option that is null is off');
is($json->encode(agent({ plan => { FormatVersion => '2.0.0', Body => 'return s("a\u0000b")', Files => \%file, script() } })->{Body}{Message}),
	'"embedded null byte"', 'a command line with a null byte');
is($json->encode(agent({ plan => { Body => 'return [s().stdout, s().stderr, s()]', Files => \%file, script() }, scripts => { s => [{}, { exitCode => 0 }] } })),
	'{"Body":["","",{"exitCode":0,"stderr":"","stdout":""}],"ErrorCode":0,"commandlines":{"s":["","",""]}}', 'stand-ins that say little');

# ---- a dry run
my $cloud = "$W/cloud.bin";
my ($rc, $out, $err) = vetro({ limit => 400 }, 'build', '-O0', '-o', $cloud, "$FindBin::Bin/../data/murano/cloud");
ok($rc == 0, 'the package builds', $out . $err);
spew("$W/app.json", '{"Objects":{"?":{"id":"env","type":"io.murano.Environment"},"name":"e","applications":[{"?":{"id":"app","type":"t.cloud.App"},
	"instance":{"?":{"id":"vm","type":"io.murano.resources.LinuxMuranoInstance"},"name":"vm","flavor":"m1","image":"i"}}],
	"defaultNetworks":{"environment":{"?":{"id":"net","type":"io.murano.resources.NeutronNetwork"},"name":"n"},"flat":null}}}');

sub app {
	my ($scenario, $method, @args) = @_;
	local $Tap::vetro = $cloud;
	spew("$W/scenario.json", $scenario);
	my ($st, $text, $errors) = vetro('run', '--scenario', "$W/scenario.json", '--model', "$W/app.json", '--object', 'app', '--call', $method, @args);
	return (eval { $json->decode($text) } // { raw => "$text$errors" }, $errors);
}
my $plan = '[{"FormatVersion":"2.0.0","Name":"P","Parameters":{"who":"me"},"Files":{"f":{"Name":"f","BodyType":"Text","Body":""}},"Scripts":{"go":{"Type":'
	. '"Application","EntryPoint":"f"}},"Body":"r = go(args.who)\nreturn [r.stdout, r.stderr, r.exitCode]"}]';
sub go { my ($scripts, @more) = @_; return (app("{\"scripts\":$scripts}", 'asked', '--args', $plan, @more))[0] }
is($json->encode(go('[]')->{result}), '["","",0]', 'a script that the scenario does not name');
is($json->encode(go('[{"name":"go","stdout":" v2 \n","stderr":""}]')->{result}), '["v2",null,0]', 'what it writes');
is($json->encode(go('[{"name":"g?","plan":"P","queue":"*-hvm","commandline":"m*","stdout":"x"}]')->{result}), '["x","",0]', 'rules by all names');
is($json->encode(go('[{"name":"go","plan":"Q","stdout":"x"},{"commandline":"you","stdout":"y"}]')->{result}), '["","",0]', 'rules that are for others');
like($json->encode(go('[{"name":"go","exitCode":3,"stderr":"disk full"}]')->{error}), qr/Script go returned error code.*disk full/, 'a script that fails');
is($json->encode(go('[{"name":"go","n":2,"stdout":"second"}]')->{result}), '["","",0]', 'the second call');
like($json->encode(go('[{"name":"go","seconds":61}]')->{error}), qr/did not respond within 60 seconds/, 'a script that takes too long');
like($json->encode(go('[{"name":"go","exitCode":256}]')->{raw} // ''), qr/scripts\[0\]\.exitCode: an exit code is expected, 0 to 255/, 'a code that is none');
like($json->encode(go('[{"exitcode":1}]')->{raw} // ''), qr/scripts\[0\]\.exitcode: nobody reads this; is it exitCode\?/, 'a member that is none');

# ---- secrets
is($json->encode((app('{"secrets":{"9f3c":"hush"}}', 'secret', '--args', '["9f3c"]'))[0]{result}), '"hush"', 'decryptData() of a scenario');
like($json->encode((app('{"secrets":{"9f3c":"hush"}}', 'secret', '--args', '["no"]'))[0]{error}), qr/the scenario has no secret with the id/,
	'one that is not there');
like($json->encode((app('{}', 'secret', '--args', '["no"]'))[0]{error}), qr/Invalid auth_type/, 'without a key manager');
like($json->encode((app('{"secrets":{"a":5}}', 'secret', '--args', '["a"]'))[0]{raw}), qr/secrets\.a: a text is expected/, 'a secret that is no text');

# ---- the example of the guide
my ($example) = slurp("$FindBin::Bin/../../docs/dry-run.md") =~ /<!-- agent -->\n```text\n(.*?)```/s;
my ($request, $answer) = $example =~ /^(.*)\n(.*)\n$/s;
is($json->encode(agent($request =~ s/\n/ /gr)), $json->encode($json->decode($answer)), 'the example of docs/dry-run.md');
done();
