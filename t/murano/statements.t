#!/usr/bin/perl
# Statements, assignments and blocks: B1 to B15, B22 to B24. Exceptions are in murano/exceptions.t.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Session;
use Tap;

my $s = Session->start('statements', '{"Objects":{"?":{"type":"t.statements.Main","id":"root"}}}');
sub gives { $s->gives(@_) }
sub fails { $s->fails(@_) }

# each(ID, METHOD, [ARGUMENT, RESULT]...): as JSON
sub each_gives {
	my ($id, $method, @pairs) = @_;
	gives("$id: $_->[0] gives $_->[1]", $method, "[$_->[0]]", $_->[1]) for @pairs;
}

gives('B1 a method without Return gives null', 'testNoReturn', '[]', 'null');
gives('B1 Return without a value gives null', 'testReturnNothing', '[]', 'null');
gives('B1 an empty body', 'testEmptyBody', '[]', 'null');
gives('B1 a body of one statement needs no list, its result is dropped', 'testOneStatement', '[]', 'null');
gives('B1 the statement ran', 'testLog', '[]', '["alone"]');

gives('B2 a variable belongs to the method, not to the block', 'testVariable', '[]', '[2,3]');
gives('B2 an unset variable is null', 'testUnsetVariable', '[]', 'null');
gives('B2 a method does not see the variables of its caller', 'testVariableOfCaller', '[]', 'null');
fails('B2 $this cannot be assigned', 'testAssignThis', '[]', 'ValueError', 'Cannot assign to $this');
fails('B2 $ cannot be assigned', 'testAssignDollar', '[]', 'ValueError', 'Cannot assign to $');

gives('B3 a property, its key by name and by index', 'testSetProperty', '[]', '{"a":1,"b":2,"c":3}');
fails('B3 a property of another object', 'testSetOther', '[]', 'NoWriteAccessError', 'Property "value" is immutable to the caller');
gives('B3 a property through a method of its object', 'testSetThroughMethod', '[]', '[1,2]');
gives('B3 missing levels of a dict are made', 'testSetDeep', '[]', '{"a":{"b":{"c":3},"x":1}}');
gives('B3 an unset property reads as {}', 'testSetDeepUnsetProperty', '[]', '{"a":{"b":1}}');
fails('B3 an unset variable does not', 'testSetDeepUnsetVariable', '[]', 'ValueError', 'attribution may only be applied to objects and dictionaries');
fails('B3 a number has no keys', 'testSetOnNumber', '[]', 'ValueError', 'attribution may only be applied to objects and dictionaries');
each_gives('B3 a key of any kind', 'testSetKey', ['"b"', '{"a":1,"b":2}'], ['"a"', '{"a":2}'], ['1', '{"$dict":[["a",1],[1,2]]}'],
	['null', '{"$dict":[["a",1],[null,2]]}'], ['true', '{"$dict":[["a",1],[true,2]]}']);
each_gives('B3 an index', 'testSetIndex', ['0', '["x",2,3]'], ['2', '[1,2,"x"]']);
each_gives('B3 an index beyond the end appends', 'testSetIndex', ['3', '[1,2,3,"x"]'], ['9', '[1,2,3,"x"]']);
each_gives('B3 index -1 keeps the odd result programs may count on', 'testSetIndex', ['-1', '[1,2,"x",1,2,3]'], ['-2', '[1,"x",3]']);
fails('B3 a list has no keys', 'testSetIndex', '["a"]', 'ValueError', 'attribution may only be applied to objects and dictionaries');
gives('B3 list, dict, list', 'testSetIndexDeep', '[]', '[{"a":[1,"z"]},5]');
gives('B3 an alias keeps the old value', 'testAlias', '[]', '[{"x":{"y":1}},{"x":{"y":2}}]');
gives('B3 a static property by class', 'testSetStatic', '[]', '4');
gives('B3 a static property by object and by class is one', 'testSetStaticPlain', '[]', '[4,5]');

fails('B4 a call is no target', 'testBadTarget', '[]', 'InvalidLhsTargetError', 'Invalid assignment target "foo(1)"');
fails('B4 a sum is no target', 'testBadTargetSum', '[]', 'InvalidLhsTargetError', 'Invalid assignment target "$a + $b"');

gives('B5 collections are evaluated, keys too', 'testCollections', '[]',
	'{"$dict":[["key",["key",2,{"x":"key"}]],["plain","text"],[1,"one"]]}');
gives('B5 a date of YAML', 'testDate', '[]', '{"$python":"datetime.date"}');
gives('B5 times of YAML', 'testTimes', '[]', '[{"$datetime":"2001-01-01T10:20:30.000000","offset":null},' .
	'{"$datetime":"2001-01-02T01:20:30.500000","offset":7200.0},{"$datetime":"2001-01-01T10:20:30.123456","offset":0.0}]') unless $ENV{SESSION};
gives('B5 a date is no time', 'testDates', '[]', '[false,true,"2001-01-01","2001-01-01 00:00:00",false,true,"2001-01-01",2001,1,true,false]');
fails('B5 dates have no order', 'testDateLess', '[]', 'NoMatchingFunctionException', 'No function "#operator_<" matches supplied arguments');
gives('B5 a date is no text', 'testDateMatch', '["2001-01-01"]', '"text"');
fails('B5 nor does string() take it for one', 'testDateIsNoString', '[]', 'ContractViolationException',
	'[t.statements.Main::testDateIsNoString(x)] Value 2001-01-01 violates string() contract');
gives('B5 the scalars of YAML 1.1, quoted text is no expression', 'testScalars', '[]',
	'[true,true,false,8,16,1.5,"1e3",null,null,"1","a b","$k","1+1"]');


gives('B6 Do', 'testDo', '[]', '[1,2]');
gives('B7 Return leaves loops', 'testReturnInLoops', '[]', '["out",2]');
gives('B7 Return leaves Try', 'testReturnInTry', '[]', '1');
gives('B7 and Finally ran, Else did not', 'testLog', '[]', '["finally"]');

gives('B8 Break', 'testBreak', '[]', '[[1,2],3]');
gives('B8 Continue', 'testContinue', '[]', '[1,3]');
gives('B8 Continue in Repeat', 'testContinueRepeat', '[]', '[4,2]');
gives('B8 Break leaves the inner loop', 'testBreakInner', '[]', '[[1,1],[2,1]]');
fails('B8 Break outside a loop', 'testBreakOutside', '[]', 'DslInvalidOperationError', 'Break cannot be used on method level');
fails('B8 Continue outside a loop', 'testContinueOutside', '[]', 'DslInvalidOperationError', 'Continue cannot be used on method level');

each_gives('B9 If', 'testIf', (map { [$_, 'false'] } 'null', '0', '0.0', '""', '[]', '{}', 'false'),
	map { [$_, '"yes it is"'] } '1', '-1', '"no"', '"false"', '[0]', '{"a":null}', 'true');
gives('B9 If without Else', 'testIfNoElse', '[]', '2');
gives('B10 While; its variables stay', 'testWhile', '[]', '[3,2]');

each_gives('B11 For: elements, and the variable afterwards', 'testFor', ['[1,2]', '[[1,2],2]'], ['[]', '[[],null]'],
	['{"a":1,"b":2}', '[["a","b"],"b"]'], ['"abc"', '[["a","b","c"],"c"]']);
gives('B11 For takes the collection up front', 'testForChanges', '[]', '[1,2,1,2]');
fails('B11 For over null', 'testForNull', '[]', 'TypeError', "'NoneType' object is not iterable");
fails('B11 For over a number', 'testForNumber', '[]', 'TypeError', "'int' object is not iterable");

each_gives('B12 Repeat', 'testRepeat', ['3', '3'], ['0', '0'], ['-1', '0'], ['true', '1']);
fails('B12 Repeat with text', 'testRepeat', '["3"]', 'TypeError', "'str' object cannot be interpreted as an integer");
fails('B12 Repeat with null', 'testRepeat', '[null]', 'TypeError', "'NoneType' object cannot be interpreted as an integer");
fails('B12 Repeat with a fraction', 'testRepeat', '[2.5]', 'TypeError', "'float' object cannot be interpreted as an integer");
gives('B12 Repeat with a constant', 'testRepeatConstant', '[]', '3');

each_gives('B13 Match', 'testMatch', ['1', '"one"'], ['1.0', '"one"'], ['true', '"one"'], ['"word"', '"a word"'], ['2.5', '"fraction"'], ['null', '"nothing"'],
	['"1"', '"other"'], ['[]', '"other"']);
gives('B13 Match without Default', 'testMatchNoDefault', '[]', '"after"');
each_gives('B14 Switch: every true branch', 'testSwitch', ['3', '["more","much"]'], ['2', '["more"]'], ['-1', '["negative"]'], ['1', '["none"]']);
fails('B14 a condition that fails', 'testSwitch', '["a"]', 'NoMatchingFunctionException', 'No function "#operator_>" matches supplied arguments');
gives('B14 Switch without Default', 'testSwitchNoDefault', '[]', '"after"');

gives('B15 Parallel: the variables are the method\'s', 'testParallel', '[]', '[2,3,4]');
gives('B15 Return in a branch', 'testParallelReturn', '[]', '1');
gives('B15 the other branch ran', 'testLog', '[]', '["second"]');
gives('B15 Parallel: every branch runs, the first error in order is raised', 'testParallelThrow', '[]', '["first error",["first","third"]]');
$s->call('testLog');
gives('B15 Break in a branch', 'testParallelBreak', '[]', '"done"');
gives('B15 the other branch ran once', 'testLog', '[]', '[1]');
gives('B15 Limit', 'testParallelLimit', '[]', '2');

for (['While: 1 < 2', 'Doo: []'], ['If: 1 < 2'], ['For: x', 'Do: []'], ['Return: 1', 'Break: '], ['Try: []', 'Do: []'], ['Throw: x', 'Messages: m']) {
	my @keys = @$_;
	my $dir = package_dir('b22', { 'manifest.yaml' => "FullName: t.b22\nType: Library\nFormat: 1.4\nClasses: {t.b22.C: C.yaml}\n",
		'Classes/C.yaml' => "Namespaces: {=: t.b22}\nName: C\nMethods:\n  m:\n    Body:\n      - " . join("\n        ", @keys) . "\n" });
	my ($rc, undef, $err) = vetro('check', $dir);
	ok($rc == 1 && $err =~ /C\.yaml:[67]:9: error\[E\d{4}\]/, "B22 no statement: @keys", $err);
}
fails('B23 assert() that does not hold', 'testAssert', '[1]', 'AssertionError', 'more than one');
gives('B23 assert() hands its receiver on', 'testAssert', '[2]', '2');
gives('B24 $ and $this are the object, arguments are variables', 'testThis', '[7]', '[true,7,{"$object":"root","type":"t.statements.Main"}]');
gives('B24 in a static method $this is the type', 'testStaticThis', '[]', '{"$type":"t.statements.Main"}');
ok($s->stop == 0, 'the session ends well');
done();
