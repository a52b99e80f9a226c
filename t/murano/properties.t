#!/usr/bin/perl
# Properties at run time: PR1 to PR12.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Session;
use Tap;

my $model = '{"Objects":{"?":{"type":"t.properties.Main","id":"root"},"friend":{"?":{"type":"t.properties.Friend","id":"f"}},"config":50,"runtimeDefault":51,' .
	'"static":52,"nonsense":[1],"inOut":"20","last":17,"shadowed":18,"argument":"21","out":9}}';
my $s = Session->start('properties', $model);
sub gives { $s->gives(@_) }
sub fails { $s->fails(@_) }
sub unset { $s->fails($_[0], $_[1], '[]', 'UninitializedPropertyAccessError',
	"Access to uninitialized property \"$_[2]\" in class \"t.properties.Main\" is forbidden") }

gives('PR1 a declared property, read by another class', 'testFriendReads', '[]', '2');
gives('PR1 a property of another object', 'testReadFriend', '[]', '3');
gives('PR1 undeclared: each class has its own', 'testPrivate', '[]', '["mine","theirs"]');
fails('PR1 undeclared, read from outside', 'testFriendReadsUndeclared', '[]', 'PropertyReadError',
	'Property "nothing" in class "t.properties.Main" cannot be read');
fails('PR1 undeclared in another object', 'testReadFriendUndeclared', '[]', 'PropertyReadError',
	'Property "nothing" in class "t.properties.Friend" cannot be read');
fails('PR1 a property of null', 'testReadNull', '[]', 'NoFunctionRegisteredException', 'Unknown function "#property#size"');

unset('PR2 unset is an error, not null', 'testRuntime', 'runtime');
unset('PR2 undeclared and never written', 'testUndeclared', 'undeclared');

fails('PR3 In is read only', 'testWriteIn', '[]', 'NoWriteAccessError', 'Property "input" is immutable to the caller');
fails('PR3 Const is read only', 'testWriteConst', '[]', 'NoWriteAccessError', 'Property "const" is immutable to the caller');
gives('PR3 .init may write In', 'testInput', '[]', '101');
gives('PR3 Out', 'testWriteOut', '[]', '5');
gives('PR3 InOut', 'testWriteInOut', '[]', '6');
gives('PR3 Runtime', 'testWriteRuntime', '[]', '7');
gives('PR3 Const is read', 'testConst', '[]', '3');

fails('PR4 a write passes the contract', 'testWriteBad', '[]', 'ContractViolationException', "[t.properties.Main.inOut] Value 'many' violates int() contract");
gives('PR4 a write is converted', 'testSize', '["6"]', '6');
fails('PR4 by the most derived declaration', 'testSize', '[0]', 'ContractViolationException', "[t.properties.Strict.size] Value 0 doesn't match predicate");
gives('PR4 a refused write leaves the value', 'testFriendReads', '[]', '6');

fails('PR5 no write from outside', 'testFriendWrites', '[]', 'NoWriteAccessError', 'Property "size" is immutable to the caller');
fails('PR5 no write of what is not declared', 'testFriendWritesUndeclared', '[]', 'PropertyWriteError',
	'Property "nothing" in class "t.properties.Main" cannot be written');

gives('PR6 Runtime with a default', 'testRuntimeDefault', '[]', '4');
unset('PR6 Runtime whose default does not fit is unset', 'testRuntimeBad', 'runtimeBad');

gives('PR7 Config does not come from the model', 'testConfig', '[]', '5');
gives('PR7 Config can be written', 'testWriteConfig', '[]', '8');
my $configured = Session->start('properties', $model, '{"t.properties.Main":{"config":"60","derived":61}}');
$configured->gives('PR7 Config comes from the class configuration', 'testConfig', '[]', '60');
$configured->gives('PR7 which overrides the default of In', 'testDerived', '[]', '61');

gives('PR8 Static: the default passes the contract, the model is no source', 'testStatic', '[]', '6');
gives('PR8 Static by object, class and type', 'testWriteStatic', '[]', '[9,9,9]');
gives('PR8 Static written by class', 'testWriteStaticByClass', '[]', '10');
gives('PR8 Static written by type', 'testWriteStaticByType', '[]', '11');

gives('PR9 defaults may depend on each other in any order', 'testDerived', '[]', '35');
Session->start('properties')->refuses('PR9 but not in a circle', '{"Objects":{"?":{"type":"t.properties.Loop","id":"l"}}}',
	'CircularExpressionDependenciesError');
ok(Session->start('properties')->send('{"op":"load","model":{"Objects":{"?":{"type":"t.properties.Loop","id":"l"},"a":1}}}')->{ok},
	'PR9 the model breaks the circle');

gives('PR10 unknown keys of the model are ignored', 'testInOut', '[]', '6');
gives('PR11 a contract that looks at another property', 'testBelow', '[]', '9');
Session->start('properties')->refuses('PR11 and is violated', $model =~ s/"last":17/"last":3/r, 'ContractViolationException',
	"[t.properties.Main.below] Value 9 doesn't match predicate");

gives('PR12 arguments of .init come from the model', 'testGiven', '[]', '[21,18]');
unset('PR12 and shadow a property of the same name', 'testShadowed', 'shadowed');
Session->start('properties')->refuses('PR12 an argument that must be there', '{"Objects":{"?":{"type":"t.properties.Ahead","id":"a"}}}',
	'ContractViolationException',
	qr/null value violates notNull\(\) contract$/);

my $kept = $s->model->{Objects};
is(join(' ', grep { $_ ne '?' } sort keys %$kept), 'below const derived friend inOut input last late out size',
	'S3 Runtime, Config and Static stay out of the model');
ok($s->stop == 0, 'the session ends well');
done();
