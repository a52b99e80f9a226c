#!/usr/bin/perl
# Forms: what contracts and metadata become as JSON schema (muranopl-forms.txt), and that it holds for models.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->allow_bignum->utf8;
my $data = "$FindBin::Bin/../data/murano";
my $binary = "$W/forms.bin";
local $ENV{XDG_CACHE_HOME} = $W;
my ($rc, $out, $err) = vetro('build', '-O0', '-o', $binary, "$data/forms", '-I', "$data/forms-parts");
ok($rc == 0, 'the package builds', $out . $err) or do { print "1..1\n"; exit 1 };

sub deploy {
	my $saved = $Tap::vetro;
	$Tap::vetro = $binary;
	my @r = vetro(@_);
	$Tap::vetro = $saved;
	return @r;
}

sub schemas { my ($status, $text) = deploy('schema', @_); return eval { $json->decode($text) } // {} }
sub same { my ($got, $want, $title) = @_; return is($json->encode($got), $json->encode($json->decode($want)), $title) }

# ---- contracts

my $checks = schemas('t.forms.Checks')->{''}{properties};
my %want = (
	flipped => '{"type":["integer","null"],"maximum":5,"exclusiveMaximum":true}',
	three => '{"type":["integer","null"],"minimum":1,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":true,"enum":[2,3,4]}',
	grouped => '{"type":["integer","null"],"minimum":1,"exclusiveMinimum":true,"maximum":2.5,"exclusiveMaximum":false}',
	later => '{"type":"integer","minimum":1,"exclusiveMinimum":true}',
	either => '{"type":["integer","null"]}',
	self => '{"type":["integer","null"]}',
	itself => '{"type":["string","null"]}',
	where => '{"type":["integer","null"],"enum":[2,4]}',
	sum => '{"type":["integer","null"],"maximum":11,"exclusiveMaximum":true}',
	text => '{"type":["string","null"]}',
	wrong => '{"type":["integer","null"]}',
	length => '{"type":["string","null"],"minLength":3,"maxLength":7}',
	one => '{"type":["string","null"],"enum":["x"]}',
	empty => '{"type":["string","null"]}',
	version => '{"type":["muranoObject","null"],"muranoType":"t.forms.parts.Disk","version":">=1.0"}',
	template => '{"type":"muranoObject","muranoType":"t.forms.parts.Disk","version":"1.2","owned":true,"excludedProperties":["size","place"]}',
	prefixed => '{"type":["muranoObject","null"],"muranoType":"t.forms.Odd"}',
	foreign => '{"type":"muranoObject","muranoType":"t.forms.Odd","owned":false}',
	any => '{}',
	anyDict => '{"type":"object","properties":{},"additionalProperties":true}',
	anyList => '{"type":"array"}',
	keys => '{"type":"object","properties":{},"additionalProperties":{}}',
	constant => '{"type":"object","properties":{"kind":{"enum":["disk"]},"size":{"enum":[5]},"rest":{"type":["integer","null"]}},' .
		'"additionalProperties":false}',
	mixed => '{"type":"array","items":[{"type":["integer","null"]},{"type":"string"}],"additionalItems":{"type":"string"},"minItems":1}',
	nested => '{"type":"array","items":{"type":"object","properties":{"a":{"type":"array","items":{"type":["integer","null"],"enum":[1,2]}}},' .
		'"additionalProperties":false}}',
	big => '{"type":["integer","null"],"default":123456789012345678901234567890}',
	float => '{"default":0.1}',
	quoted => '{"type":["string","null"],"default":"a\"b\\\\\n\u00e9"}',
	object => '{"type":["muranoObject","null"],"muranoType":"t.forms.parts.Disk","version":"1.2",'
		. '"default":{"?":{"type":"t.forms.parts.Disk","classVersion":"1.2.0"},"size":1}}',
);
same($checks->{$_}, $want{$_}, "contract: $_") for sort keys %want;

# ---- defaults: expressions, and objects with the short names of the class file

my $defaults = package_dir('defaults', {'manifest.yaml' => <<'Y',
Format: 1.4
Type: Library
FullName: t.dfl
Version: 1.0.0
Classes: {t.dfl.A: A.yaml, t.dfl.B: A.yaml}
Y
	'Classes/A.yaml' => <<'E2'});
Namespaces: {=: t.dfl, m: io.murano}
Name: A
Properties:
  sum: {Contract: $.int(), Default: 1 + 2}
  static: {Contract: $.string(), Default: $this.stat() + '!'}
  other: {Contract: $.int(), Default: $.sum + 1}
  random: {Contract: $.string(), Default: randomName()}
  made: {Contract: $.class(B), Default: new(B)}
  throws: {Contract: $, Default: !yaql '$this.bad()'}
  set: {Contract: $, Default: !yaql 'set(1)'}
  inside: {Contract: $, Default: {a: !yaql '1 + 1', b: [1, !yaql '{x => 5}']}}
  object:
    Contract: $.class(B)
    Default:
      :B:
        x: 1
        in: {':B': {x: 2}}
        list: [{':B': {}}]
  list: {Contract: [$.class(B)], Default: [{':B': {x: 1}, name: hello}]}
  dict: {Contract: {k: $.class(B), $.string(): $}, Default: {k: {':B': {x: 3}}, l: {':B': {x: 3}}}}
  free: {Contract: $, Default: {':B': {x: 3}}}
  core: {Contract: $.class(m:Object), Default: {'m:Object': null}}
  unknown: {Contract: $.class(B), Default: {'zz:B': {}}}
Methods:
  stat: {Usage: Static, Body: [{Return: st}]}
  bad: {Usage: Static, Body: [{Throw: Foo, Message: bar}]}
  pub:
    Scope: Public
    Usage: Static
    Arguments:
      - x: {Contract: $.class(B), Default: {':B': {x: 9}}}
      - y: {Contract: $.int(), Default: 4 * 5}
---
Name: B
Properties:
  x: {Contract: $.int(), Default: 0}
  in: {Contract: $.class(B)}
  list: {Contract: [$.class(B)]}
E2
my (undef, $text) = vetro('schema', $defaults, 't.dfl.A', '', 'pub');
my $of = eval { $json->decode($text) } // {};
my $B = '"?":{"type":"t.dfl.B","classVersion":"1.0.0"}';
my %default = (
	sum => '3', static => '"st!"', inside => '{"a":2,"b":[1,{"x":5}]}',
	object => "{$B,\"x\":1,\"in\":{$B,\"x\":2},\"list\":[{$B}]}",
	list => '[{"?":{"type":"t.dfl.B","classVersion":"1.0.0","name":"hello"},"x":1}]',
	dict => "{\"k\":{$B,\"x\":3},\"l\":{\":B\":{\"x\":3}}}", free => '{":B":{"x":3}}', core => '{"?":{"type":"io.murano.Object"}}',
	unknown => '{"zz:B":{}}',
);
same($of->{''}{properties}{$_}{default}, $default{$_}, "default: $_") for sort keys %default;
ok(!exists $of->{''}{properties}{$_}{default}, "no default is shown: $_") for qw(other random made throws set);
same($of->{pub}{properties}{x}{default}, "{$B,\"x\":9}", 'an argument has one');
same($of->{pub}{properties}{y}{default}, '20', 'and an expression');
my $model = $json->encode({ Objects => { '?' => { type => 't.dfl.A', classVersion => '1', id => 'r' }, throws => 1, unknown => undef, set => undef,
	map { $_ => $of->{''}{properties}{$_}{default} } qw(object list dict core) } });
is((vetro('build', '-O0', '-o', "$W/defaults.bin", $defaults))[0], 0, 'the package of defaults builds');
is(do { local $Tap::vetro = "$W/defaults.bin"; (vetro({ in => "{\"op\":\"load\",\"model\":$model}\n" }, 'session'))[1] }, qq({"ok":true,"traces":[]}\n),
	'what is shown is a model');

# ---- properties, metadata, model builders

my $all = schemas('t.forms.App');
is(join(' ', sort keys %$all), ' scratch sized', 'a class and its model builders');
my $app = $all->{''}{properties};
is(join(' ', sort keys %$app), 'anything computed count disks flavor labels main name public secret written',
	'In and InOut properties, inherited ones too; no Runtime, no Config');
same($app->{name}, '{"type":"string","minLength":3,"maxLength":12,"pattern":"^[a-z]","title":"Name of the place","formSection":"where","formIndex":8}',
	'a contract of its own, an inherited title, another position');
same($app->{flavor}, '{"type":"string","enum":["small","medium","large"],"default":"small","title":"Flavor","helpText":"How large the machine is",' .
	'"formSection":"look","formIndex":4}',
	'choices that a method gives');
same($app->{secret}, '{"type":["string","null"],"default":null,"visible":false}', 'a hidden one');
same($app->{disks}, '{"type":"array","items":{"type":"muranoObject","muranoType":"t.forms.parts.Disk","version":"1.2","owned":true},"minItems":1,' .
	'"maxItems":4,"default":[]}',
	'a list with bounds, of objects with the version the manifest wants');
same($app->{main}{context}, '{"properties":{"size":{"minimum":10,"exclusiveMinimum":true},"place":{"properties":{"name":{"pattern":"^x"}}}}}',
	'what check() wants of an object is its context');
same($app->{anything}, '{"default":{"a":[1,2.5,null,true]}}', 'a compound default');
same($all->{''}{formSections}, '{"look":{"title":"Look","index":0},"where":{"title":"Where it is","index":1},"late":{"title":"Late","index":2},' .
	'"free":{"title":"free"}}',
	'sections: declared again, of one class twice, inherited, without title and index');
is("$all->{''}{title}: $all->{''}{description}", 'An application: All that forms can show', 'hints of the class');
same($all->{sized}, '{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"size":{"type":"integer","minimum":0,' .
	'"exclusiveMinimum":true,'
	. '"title":"Size of the disk","formSection":"size","formIndex":8}},"additionalProperties":false,"formSections":{"size":{"title":"Size","index":0}},' .
		'"title":"By size","modelParameter":"model"}',
	'a model builder: its first parameter is the model and not asked for');
is(join(' ', keys %{$all->{scratch}{properties}}), 'name', 'the same where that is a template()');
is(join(' ', sort keys %{schemas('t.forms.App', 'sized', '')}), ' sized', 'only those that are named');
is(join(' ', keys %{schemas('t.forms.App', 'double')->{double}{properties}}), 'x', 'other public methods have one when named');
is(join(' ', keys %{schemas('t.forms.App', 'deploy')->{deploy}{properties}}), 'force', 'actions too');

# ---- who asks, and errors

my $whole = (deploy('schema', 't.forms.App'))[1];
($rc, $out) = vetro('schema', "$data/forms", 't.forms.App', '-I', "$data/forms-parts");
ok($rc == 0 && $out eq $whole, 'vetro schema says the same', $out);
my $ask = '{"op":"get_schema","class":"t.forms.App"}' . "\n" .
	'{"op":"generate_schema","class":"t.forms.App","method_names":"sized","package_name":"t.forms"}' . "\n"
	. '{"op":"get_schema","class":"t.forms.App","class_version":"=7"}' . "\n" . '{"op":"get_schema"}' . "\n" .
		'{"op":"get_schema","class":"t.forms.App","method_names":7}' . "\n";
my @answers = map { $json->decode($_) } split /\n/, (deploy({ in => $ask }, 'session'))[1];
same($answers[0]{value}, $whole, 'a session says the same');
same($answers[1]{value}, $json->encode({ sized => $all->{sized} }), 'a session: one method, of a package');
is($answers[2]{error}{type}, 'NoPackageForClassFound', 'a session: a version that is not there');
is($answers[3]{error}{message}, 'class is missing', 'a session: no class');
is($answers[4]{error}{message}, 'method_names is a name or a list of names', 'a session: no names');
for (['t.forms.None', 'NoPackageForClassFound'], ['t.forms.App nothing', 'NoMethodFound'], ['t.forms.App hidden', 'MethodNotExposed'],
	['t.forms.Odd', 't.forms.Broken']) {
	my ($words, $type) = @$_;
	($rc, $out) = deploy('schema', split ' ', $words);
	ok($rc == 1 && ($json->decode($out)->{error}{type} // '') eq $type, "schema $words: $type", $out);
}
($rc, $out, $err) = deploy('schema');
ok($rc == 2 && $err =~ /CLASS \[METHOD\.\.\.\]/, 'schema needs a class', $err);
($rc, $out, $err) = vetro('schema', "$data/forms");
ok($rc == 2 && $err =~ /no CLASS given/, 'vetro schema needs a class', $err);

# ---- model builders run

($rc, $out) = deploy('call', 't.forms.App', 'sized', '--args', '{"model":{"name":"abc"},"size":7}');
same($json->decode($out)->{result}, '{"name":"abc","main":{":t.forms.parts.Disk":{"size":7}}}', 'call runs a model builder');
($rc, $out) = deploy('call', 't.forms.App', 'hidden');
ok($rc == 1 && $json->decode($out)->{error}{type} eq 'MethodNotExposed', 'and nothing that is not public', $out);

# ---- the IR keeps it

($rc, my $ir) = vetro('build', "$data/forms", '-I', "$data/forms-parts", '--emit=ir');
like($ir, qr/c\.check %\d+ \@"[^"]*" _ \["len\(\$\) >" "len\(\$\) <=" "\$ matches"\] \[/, 'patterns stand in the IR');
spew("$W/forms.ir", $ir);
($rc, $out, $err) = vetro('build', '--from=ir', '-O0', '-o', "$W/again.bin", "$W/forms.ir");
$binary = "$W/again.bin";
is((deploy('schema', 't.forms.App'))[1], $whole, 'and survive as text');
$binary = "$W/forms.bin";

# ---- a validator agrees

my $python = -x '/usr/bin/python3' ? '/usr/bin/python3' : 'python3';
if (system("$python -c 'import jsonschema' >/dev/null 2>&1") != 0) {
	skip('a JSON schema validator', 'python3-jsonschema is not installed');
	done();
	exit;
}
spew("$W/schema.json", $whole);
spew("$W/validate.py", <<'PY');
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))['']
is_object = lambda checker, x: isinstance(x, str) or isinstance(x, dict) and ('?' in x or len(x) == 1)
base = jsonschema.Draft4Validator
kind = jsonschema.validators.extend(base, type_checker=base.TYPE_CHECKER.redefine('muranoObject', is_object))
for line in sys.stdin:
    print(';'.join(sorted('/'.join(map(str, e.path)) or e.validator for e in kind(schema).iter_errors(json.loads(line)))))
PY
my $good = { name => 'abc', flavor => 'large', count => 1, public => JSON::PP::true, 
	disks => [{ '?' => { type => 't.forms.parts.Disk/1.2', id => 'd' }, size => 12,
		place => { '?' => { type => 't.forms.parts.Place/1.2', id => 'p' }, name => 'xy' } }],
	main => 'd', labels => { env => 'dev', team => 'x' }, anything => [1], computed => 4 };
my @cases = (
	['', {}],
	['', { secret => undef, computed => undef }],
	['name', { name => 'ab' }], ['name', { name => 'Abc' }], ['name', { name => undef }], ['name', { name => 'a' x 13 }],
	['flavor', { flavor => 'huge' }], ['count', { count => 10 }], ['count', { count => 0 }], ['count', { count => 'x' }], ['public', { public => 'yes' }],
	['disks', { disks => [] }], ['disks/0', { disks => [7] }], ['main', { main => 7 }],
	['labels/env', { labels => { env => 'test' } }], ['labels/n', { labels => { env => 'dev', n => 1 } }], ['additionalProperties', { unknown => 1 }],
);
my @lines = map { $json->encode({ %$good, %{$_->[1]} }) } @cases;
spew("$W/lines", join("\n", @lines) . "\n");
my @found = split /\n/, `$python $W/validate.py $W/schema.json < $W/lines`, -1;
for my $i (0 .. $#cases) {
	my ($want, $change) = @{$cases[$i]};
	is($found[$i], $want, ($want ? "a validator refuses " : 'a validator takes ') . $json->encode($change));
}
# what the validator takes the binary takes, and what it refuses too, but for what contracts convert
for my $i (0 .. $#cases) {
	my ($want, $change) = @{$cases[$i]};
	next if $want eq 'additionalProperties' || $want eq 'labels/n' || $want eq 'public' || $want eq 'name' && !defined $change->{name};
	my $model = { Objects => { '?' => { type => 't.forms.App/0.3.0', id => 'root' }, %{$json->decode($lines[$i])} } };
	my $answer = $json->decode((deploy({ in => $json->encode({ op => 'load', model => $model }) . "\n" }, 'session'))[1]);
	ok(($want eq '') == !!$answer->{ok}, "the program " . ($want eq '' ? 'takes ' : 'refuses ') . $json->encode($change), $json->encode($answer));
}
done();
