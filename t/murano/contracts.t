#!/usr/bin/perl
# Contracts: T1 to T15. What each makes of a value, and the words of a violation.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Session;
use Tap;

my $violation = 'ContractViolationException';
my $part = '{"?":{"type":"t.contracts.Part","id":"p1"},"label":"one"}';
sub objects { return '{"Objects":{"?":{"type":"t.contracts.Main","id":"root"}' . join('', map { ",$_" } @_) . '}}' }
my $s = Session->start('contracts', objects("\"part\":$part", "\"owned\":{\"?\":{\"type\":\"t.contracts.Wheel\",\"id\":\"w1\"},\"label\":\"round\"}"));

# gives(ID, METHOD, [ARGUMENT, RESULT]...), ARGUMENT and RESULT as JSON
sub gives {
	my ($id, $method, @pairs) = @_;
	$s->gives("$id $method: $_->[0] gives $_->[1]", $method, "[$_->[0]]", $_->[1]) for @pairs;
}

# violates(ID, METHOD, [ARGUMENT, MESSAGE]...): the message comes after the name of the argument, as WHERE says
sub violates {
	my ($id, $method, @pairs) = @_;
	for (@pairs) {
		my ($argument, $message, $where) = @$_;
		$s->fails("$id $method: $argument is a violation", $method, "[$argument]", $violation,
			"[t.contracts.Main::$method(" . ($where // 'x') . ")] $message");
	}
}

gives('T1', 'testAny', map { [$_, $_] } 'null', '1', '1.5', 'true', '"a"', '[1,[2]]', '{"a":{"b":null}}');

gives('T2', 'testString', ['null', 'null'], ['"a"', '"a"'], ['""', '""'], ['12', '"12"'], ['-3', '"-3"'], ['true', '"True"'], ['false', '"False"'],
	['123456789012345678901234567890', '"123456789012345678901234567890"']);
violates('T2', 'testString', ['1.9', 'Value 1.9 violates string() contract'], ['[1,"x"]', "Value [1, 'x'] violates string() contract"],
	['{"a":null}', "Value {'a': None} violates string() contract"]);

gives('T3', 'testInt', ['null', 'null'], ['7', '7'], ['"12"', '12'], ['" 12 "', '12'], ['"1_0"', '10'], ['"-4"', '-4'], ['1.9', '1'],
	['-1.9', '-1'], ['true', '1'],
	['false', '0']);
$s->call('testInt', '["99999999999999999999"]');
like($s->{raw}, qr/"value":\s*(99999999999999999999|\{"\$int":\s*"99999999999999999999"\})/, 'T3 integers have no largest one');
violates('T3', 'testInt', map { [$_->[0], "Value $_->[1] violates int() contract"] } ['""', "''"], ['"0x10"', "'0x10'"], ['"ten"', "'ten'"],
	['"1.5"', "'1.5'"], ['"_1"', "'_1'"], ['[1]', '[1]'], ['{}', '{}']);

gives('T4', 'testBool', ['null', 'null'], ['true', 'true'], ['false', 'false'], ['0', 'false'], ['0.0', 'false'], ['-1', 'true'],
	['""', 'false'], ['"false"', 'true'],
	['[]', 'false'], ['[0]', 'true'], ['{}', 'false'], ['{"a":0}', 'true']);

gives('T5', 'testNotNull', ['0', '0'], ['""', '""'], ['[]', '[]'], ['false', 'false']);
violates('T5', 'testNotNull', ['null', 'null value violates notNull() contract']);

gives('T6', 'testCheck', ['4', '4'], ['"6"', '6']);
violates('T6', 'testCheck', ['3', "Value 3 doesn't match predicate"], ['"x"', "Value 'x' violates int() contract"]);
gives('T6', 'testCheckText', ['"v1"', '"v1"']);
violates('T6', 'testCheckText', ['"1"', 'a version starts with v']);
gives('T6', 'testCheckThis', ['9', '9']);
violates('T6', 'testCheckThis', ['10', 'over the limit']);

# The same where a method calls: what a site has learnt by the first call changes nothing in the second.
sub inside {
	my ($case, $argument, $want) = @_;
	$s->gives("from inside: $case $argument", 'testInside', "[\"$case\",$argument]", "[$want,$want]");
}
my $refused = sub { my ($method, $message) = @_; return "\"[t.contracts.Main::$method(x)] $message\"" };
inside('even', '4', '4');
inside('even', '"6"', '6');
inside('even', '3', $refused->('testCheck', "Value 3 doesn't match predicate"));
inside('text', '"v1"', '"v1"');
inside('text', '"1"', $refused->('testCheckText', 'a version starts with v'));
inside('own', '9', '9');
inside('own', '10', $refused->('testCheckThis', 'over the limit'));
inside('two', '9', '9');
inside('two', '0', $refused->('checkTwo', "Value 0 doesn't match predicate"));
inside('two', '10', $refused->('checkTwo', 'too many'));
inside('two', 'null', $refused->('checkTwo', "Value None doesn't match predicate"));
inside('less', '4.5', '4.5');
inside('less', 'null', 'null');
inside('less', '"a"', '"No function \\"#operator_<\\" matches supplied arguments"');
inside('truth', '2', '2');
inside('truth', '[0]', '[0]');
inside('truth', '{}', $refused->('checkTruth', "Value {} doesn't match predicate"));
inside('part', '"p1"', '"one"');
inside('part', 'null', $refused->('checkPart', 'null value violates notNull() contract'));
$s->gives('a check is asked once a call', 'testLuck', '[]', 'true');
my $not_one = "Object of type MuranoClass(t.contracts.Main/0.1.0) is not compatible with requested type MuranoClass(t.contracts.Part/0.1.0)";
my $held = '"a","b","c",null,"d"';
$s->gives('a property of a class, written by objects of several', 'testSetPart', '[]', "[$held,\"[t.contracts.Main.held] $not_one\",$held]");

gives('T7', 'testClass', ['null', 'null'], ['"p1"', '["one",1,"t.contracts.Part"]'], ['"w1"', '["round",1,"t.contracts.Wheel"]'],
	['{"?":{"type":"t.contracts.Wheel"},"label":"w"}', '["w",1,"t.contracts.Wheel"]'], ['{"label":5,"weight":"2"}', '["5",2,"t.contracts.Part"]']);
gives('T7', 'testClassDefault', ['{"label":"w"}', '["w",8]']);
gives('T7', 'testClassRequired', ['"p1"', '"one"']);
violates('T7', 'testClass', ['5', 'Value 5 cannot be represented as class MuranoClass(t.contracts.Part/0.1.0)'],
	['{"?":{"type":"t.contracts.Part"}}', '[t.contracts.Part.label] null value violates notNull() contract']);
violates('T7', 'testWheelClass', ['"p1"',
	'Object of type MuranoClass(t.contracts.Part/0.1.0) is not compatible with requested type MuranoClass(t.contracts.Wheel/0.1.0)']);
violates('T7', 'testClassRequired', ['null', 'null value violates notNull() contract']);
$s->fails('T7 an id that no object has', 'testClass', '["nobody"]', 'NoObjectFoundError', 'Object "nobody" is not found in object store');
$s->fails('T7 a class that no package has', 'testClass', '[{"?":{"type":"t.contracts.None"}}]', 'NoPackageForClassFound',
	'Package for class "t.contracts.None" is not found');
$s->fails('T7 an object handed on by a method', 'testSelfAsWheel', '[]', $violation,
	qr/^\[t\.contracts\.Main::testWheelClass\(x\)\] Object of type .*not compatible/);
$s->gives('T7 the object that holds the property is the owner', 'testClassOwner', '[]', '[10,true]');

gives('T8', 'testTemplateLabel', ['{"?":{"type":"t.contracts.Part"},"label":5}', '"5"'], ['{"label":5}', '"5"']);
violates('T8', 'testTemplate', ['"p1"', "Value 'p1' cannot be represented as class MuranoClass(t.contracts.Part/0.1.0)"],
	['{"?":{"type":"t.contracts.Part"}}', '[t.contracts.Part.label] null value violates notNull() contract'],
	['5', 'Value 5 cannot be represented as class MuranoClass(t.contracts.Part/0.1.0)']);
gives('T8', 'testTemplateExcluded', ['{"?":{"type":"t.contracts.Part"}}', '1']);
my $made = $s->call('testTemplate', '[{"label":"a"}]')->{value};
ok(ref $made eq 'HASH' && $made->{weight} == 1 && ref $made->{'?'} eq 'HASH' && $made->{'?'}{id}, 'T8 a template stays a dict with its header', $s->{raw});

# The contract of an ancestor's declaration only looks: what has to be made into an object first is not of its class.
sub derived { return "{\"Objects\":{\"?\":{\"type\":\"t.contracts.Derived\",\"id\":\"d\"},\"shape\":$_[0]}}" }
Session->start('contracts')->refuses('T8 a template() that may not transform', derived('{"label":"l"}'), $violation, 'Value is not an object');
ok(Session->start('contracts')->send('{"op":"load","model":' . derived('null') . '}')->{ok}, 'T8 but null is a template');

Session->start('contracts')->refuses('T9 owned() wants an object of its own', objects("\"part\":$part", '"owned":"x"',
	'"parts":[{"?":{"type":"t.contracts.Part","id":"x"},"label":"l"}]') =~ s/"owned":"x"/"owned":"outside"/r, 'NoObjectFoundError');
ok(Session->start('contracts')->send('{"op":"load","model":' . objects("\"parts\":[$part]", '"owned":"p1"') . '}')->{ok},
	'T9 owned() takes a reference to an owned object');
Session->start('contracts')->refuses('T9 notOwned() refuses an object made in place', objects("\"shared\":$part"), $violation,
	qr/^\[t\.contracts\.Main\.shared\] Object <t\.contracts\.Part\/0\.1\.0 p1 \(ADDR\)> violates notOwned\(\) contract$/);
Session->start('contracts')->refuses('T9 notOwned() refuses a reference to an owned object', objects("\"part\":$part", '"shared":"p1"'), $violation,
	qr/violates notOwned\(\) contract$/);

gives('T10', 'testList', ['null', '[]'], ['1', '[1]'], ['"2"', '[2]'], ['[]', '[]'], ['["1",2,true]', '[1,2,1]'], ['[null]', '[null]']);
violates('T10', 'testList', ['[1,"x"]', "Value 'x' violates int() contract", 'x[1]'], ['{"a":1}', "Value {'a': 1} violates int() contract", 'x[0]']);
gives('T10', 'testListAny', ['null', '[]'], ['"a"', '["a"]'], ['{}', '[{}]'], ['[1,[2]]', '[1,[2]]']);
gives('T10', 'testListMin', ['["1",2]', '[1,2]'], ['[1,2,3]', '[1,2,3]']);
violates('T10', 'testListMin', ['null', 'Array length 0 must not be less than 2'], ['1', 'Array length 1 must not be less than 2'],
	['[1,"x"]', "Value 'x' violates int() contract", 'x[1]']);
gives('T10', 'testListRange', ['[1]', '[1]'], ['[1,2,3]', '[1,2,3]']);
violates('T10', 'testListRange', ['[]', 'Array length 0 is not within [1..3] range'], ['[1,2,3,4]', 'Array length 4 is not within [1..3] range']);
gives('T10', 'testListTail', ['[1]', '[1]'], ['["1",2,3]', '[1,"2","3"]']);
gives('T10', 'testListOfLists', ['[1,[2,"3"],null]', '[[1],[2,3],[]]']);

gives('T11', 'testDict', ['{"a":"1","b":2}', '{"a":1,"b":"2"}'], ['{"b":"x","c":1}', '{"a":null,"b":"x"}']);
violates('T11', 'testDict', ['null', 'null value violates notNull() contract', "x['b']"], ['{"a":"x"}', "Value 'x' violates int() contract", "x['a']"],
	['1', 'Value 1 is not of a dictionary type'], ['[1]', 'Value [1] is not of a dictionary type'], ['true', 'Value True is not of a dictionary type']);
gives('T11', 'testDictAny', ['null', '{}'], ['{"a":[1]}', '{"a":[1]}']);
violates('T11', 'testDictAny', ['"a"', "Value 'a' is not of a dictionary type"]);
gives('T11', 'testDictKeys', ['{"a":"1","b":2}', '{"a":1,"b":2}'], ['{}', '{}']);
violates('T11', 'testDictKeys', ['{"a":"q"}', "Value 'q' violates int() contract", "x['a']"]);
gives('T11', 'testDictMixed', ['{"name":"n","ab":1}', '{"name":"n","ab":1}'], ['{}', '{"name":null}']);
violates('T11', 'testDictMixed', ['{"abc":1}', "Value 'abc' doesn't match predicate"]);
violates('T11', 'testDictDeep', ['{"k":[{"v":"1"},{"v":"x"}]}', "Value 'x' violates int() contract", "x['k'][1]['v']"]);

gives('T12', 'testConstant', ['5', '5'], ['5.0', '5.0']);
violates('T12', 'testConstant', ['"5"', "Value '5' is not equal to 5"], ['6', 'Value 6 is not equal to 5'], ['null', 'Value None is not equal to 5'],
	['true', 'Value True is not equal to 5']);
gives('T12', 'testConstantText', ['{"kind":"disk","size":"3"}', '{"kind":"disk","size":3}']);
$s->fails('T12 another text than the constant', 'testConstantText', '[{"kind":"tape"}]', $violation, qr/Value 'tape' is not equal to disk$/);

gives('T13', 'testOr', ['null', '"none"'], ['""', '"none"'], ['"x"', '"x"'], ['5', '"5"']);
gives('T13', 'testSum', ['3', '4'], ['"3"', '4']);
$s->fails('T13 an error inside a contract keeps its type', 'testSum', '[null]', 'NoMatchingFunctionException',
	'No function "#operator_+" matches supplied arguments');

$s->gives('T14 a default is evaluated in the object', 'testDefault', '[]', '20');
$s->fails('T14 a default passes the contract', 'testBadDefault', '[]', $violation,
	"[t.contracts.Main::testBadDefault(x)] Value 'many' violates int() contract");
$s->fails('T14 the place inside a property', 'testSetDeep', '[{"p":[{"k":"1"},{"k":"x"}]}]', $violation,
	"[t.contracts.Main.deep['p'][1]['k']] Value 'x' violates int() contract");
$s->gives('T14 a property keeps what its contract made', 'testSetDeep', '[{"p":{"k":"1"}}]', '{"p":[{"k":1}]}');
Session->start('contracts')->refuses('T14 the place inside a model', objects('"part":{"?":{"type":"t.contracts.Part"}}'), $violation,
	'[t.contracts.Main.part] [t.contracts.Part.label] null value violates notNull() contract');
ok($s->stop == 0, 'the session ends well');
done();
