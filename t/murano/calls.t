#!/usr/bin/perl
# Method calls: M1 to M7, M10 to M13, and the choice of a method in a hierarchy (C6). M8 and M9 wait for destruction and green threads.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Session;
use Tap;

my $s = Session->start('calls', '{"Objects":{"?":{"type":"t.calls.Main","id":"root"}}}');
sub gives { $s->gives(@_) }
sub fails { $s->fails(@_) }
my $unfit = qr/^No method "two" for receiver <t\.calls\.Main\/0\.1\.0 root \(ADDR\)> matches supplied arguments$/;

gives('M1 positional and keyword arguments, defaults', 'testPositional', '[]', '[[1,"d"],[1,2],[4,3],[1,5],[null,"d"]]');
fails('M1 too many arguments', 'testTooMany', '[]', 'NoMatchingMethodException', $unfit);
fails('M1 an unknown keyword', 'testUnknownKeyword', '[]', 'NoMatchingMethodException', $unfit);
fails('M1 an argument given twice', 'testTwiceGiven', '[]', 'NoMatchingMethodException', $unfit);
fails('M1 a missing argument is null to its contract', 'testMissing', '[]', 'ContractViolationException',
	'[t.calls.Main::must(x)] null value violates notNull() contract');
fails('M1 null in a variable', 'testNullVariable', '[]', 'ContractViolationException', '[t.calls.Main::must(x)] null value violates notNull() contract');
fails('M1 a literal null', 'testNullLiteral', '[]', 'ContractViolationException', '[t.calls.Main::must(x)] null value violates notNull() contract')
	unless $ENV{SESSION};
fails('M1 an argument that does not fit', 'testWrong', '[]', 'ContractViolationException', "[t.calls.Main::number(x)] Value 'many' violates int() contract");
fails('M1 an unknown method', 'testUnknown', '[]', 'NoMethodRegisteredException',
	qr/^Unknown method "nothing" for receiver <t\.calls\.Main\/0\.1\.0 root \(ADDR\)>$/);
fails('M1 an unknown function', 'testUnknownFunction', '[]', 'NoFunctionRegisteredException', 'Unknown function "nothing"');
fails('M1 a method of null', 'testOfNull', '[]', 'NoMatchingMethodException', 'No method "two" for receiver None matches supplied arguments');
gives('M1 ?. on null', 'testOfNullSafe', '[]', 'null');

gives('M2 calls are virtual, an override may take other arguments', 'testVirtual', '[]', '[["of","top"],["of","left"],"dear left","left","only top"]');
fails('C6 two methods of one name and no nearer one', 'testClash', '[]', 'AmbiguousMethodName', 'Found more than one method "clash"') unless $ENV{SESSION};
gives('C6 the class settles it itself', 'testMerged', '[]', '["merged","left","right"]');

gives('M3 cast', 'testCast', '[]', '["top","top","left","right"]');
fails('M3 cast to a class that is none of its own', 'testCastWrong', '[]', 'NoClassFound', qr/^Class "t\.calls\.Right" is not found in /);
gives('M3 super with an expression', 'testSuper', '[]', '["merged",["left"]]');
fails('M3 super without one is a list', 'testSuperList', '[]', 'NoMatchingMethodException', qr/^No method "who" for receiver \[<t\.calls\.Both\/0\.1\.0 /);
gives('M3 a static method on $this has the type', 'testStaticOfThis', '[]',
	'[' . join(',', map { my $i = $_; map { "[\"t.calls.Main\",$i]" } 1 .. 3 } 0 .. 2) . ']');
fails('M3 and no property of the object', 'testStaticProperty', '[]', 'NoPropertyFound', qr/left/);
gives('M3 is', 'testIs', '[]', '[true,false,true,false]');

gives('M4 static methods by class, type and object', 'testStatic', '[]', '[8,10,12,14,"8cm"]');
fails('M4 their contracts', 'testStaticText', '[]', 'ContractViolationException', "[t.calls.Tools::double(x)] Value 'x' violates int() contract");
fails('M4 a missing argument', 'testStaticNone', '[]', 'ContractViolationException', '[t.calls.Tools::double(x)] null value violates notNull() contract');

gives('M5 extension methods', 'testExtension', '[]', '[10,15,14,["object","left"]]');
fails('M5 a receiver that does not fit', 'testExtensionWrong', '[]', 'NoMatchingMethodException',
	'No method "twice" for receiver text matches supplied arguments');

gives('M6 VarArgs and KwArgs', 'testRest', '[]', '[["a",[],{}],["a",[1,2],{}],["a",[],{"k":"1","l":"b"}],["a",[3],{"k":"v"}]]');
fails('M6 VarArgs that do not fit', 'testRestWrong', '[]', 'ContractViolationException', "[t.calls.Main::rest(others)] Value 'x' violates int() contract");

gives('M7 a public method', 'open', '[]', '"opened"');
fails('M7 one that is not', 'closed', '[]', 'MethodNotExposed', 'closed is not an action');
gives('M7 a public static method', 'double', '["4"]', '8', 't.calls.Tools');
fails('M7 a static method that is not public', 'measure', '[1]', 'MethodNotExposed', 'measure is not an action', 't.calls.Tools');
fails('M7 an unknown method', 'nothing', '[]', 'NoMethodFound', 'Method "nothing" is not found');

gives('M11 arguments are the callee\'s own', 'testFrozen', '[{"a":1}]', '[{"a":1},{"a":2}]');
gives('M12 call()', 'testCall', '[]', '[[1,2],3]');
gives('M12 a method as a value', 'testReflected', '[]', '[1,2]');
gives('M13 an iterator is handed over as a list', 'testIterator', '[]', '[2,3]');
gives('M1 recursion', 'testRecursion', '[20]', '20');
my $no_to_dict = sub { my $m = "\"No method \\\"toDict\\\" for receiver $_[0] matches supplied arguments\""; return "$m,$m" };
my $no_index = '"No function \\"#indexer\\" matches supplied arguments"';
gives('one call with lambdas, for receivers of many kinds', 'testLambdaSite', '[]', '[{"a":1,"b":2},{"a":1,"b":2},{"c":3},{"c":3},'
	. join(',', map { $no_to_dict->($_) } 7, 'ab', 'None') . ",{},{},{\"a\":2},{\"a\":2},$no_index,$no_index]");
gives('what an expression made is settled, and belongs to nobody else', 'testSettled', '[]',
	'[{"a":["a",["a"]],"b":["b",["b"]]},[["a",["a"]],["b",["b"]]],{"$dict":[[0,{"$dict":[[0,[]]]}],[1,{"$dict":[[1,[0]]]}],[2,{"$dict":[[2,[0,1]]]}]]},'
	. '{"a":0,"b":["b",["b"]]},2,["a","b"],["a","b","a","b"],["a","b","c"],2]');
fails('and before that a dict of toDict() has no hash', 'testUnsettled', '[]', 'TypeError', "unhashable type: 'dict'");
gives('lambdas that outlive their call', 'testLambdaKept', '[]', '[30,20,10,0,3,true,31,21,1,6,true,32,2,9,false]');
gives('lists that grow by what is evaluated', 'testGrown', '[]',
	'[0,[0,0],[[0],0],"x",1,2,12,1,[1,1],28,21,[0,7,14,21,"failed",28],[0,[0,0],0,[0,0],7,0,[0,0],0,[0,0],7]]');
gives('lists, sets and dicts that grow by functions', 'testGrownByCalls', '[]',
	'[0,[0],{"k":0},3,[1],1,20,0,0,"a",0,0,105,8,{"$dict":[[0,0],["a",4],["l",1],["m",{"n":3}],[1,1],[2,2],[3,3]]},'
	. '[0,0,0,0,5,7,2,4,10,21,4,5,15,49,6,6,7,7,7,7,105]]');
gives('and what a property refuses is not added', 'testGrownProperty', '[]',
	'[[0,["a","a","b","a"]],[4,["a","a","b","a","c","c","b","c"]],[8,["a","a","b","a","c","c","b","c","7","7","b","7"]],'
	. '"[t.calls.Given.tags[12]] null value violates notNull() contract",12,'
	. '"[t.calls.Given.tags[12]] Value (\'d\',) violates string() contract",12]');
gives('what new() is given is evaluated once', 'testGivenOnce', '[]', '[["a","b"],["1","b"],"[t.calls.Given.tags[0]] null value violates notNull() contract"]');
ok($s->stop == 0, 'the session ends well');
done();
