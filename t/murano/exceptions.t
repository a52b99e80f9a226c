#!/usr/bin/perl
# Exceptions: B16 to B21, and the stack an error carries.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Session;
use Tap;

my $s = Session->start('exceptions', '{"Objects":{"?":{"type":"t.exceptions.Main","id":"root"}}}');
sub gives { $s->gives(@_) }
sub fails { $s->fails(@_) }
sub logged { $s->gives($_[0], 'testLog', '[]', $_[1]) }

gives('B16 Try with and without an error', 'testTryOrder', '[]', 'null');
logged('B16 Else runs without, Catch with, Finally always', '["try","else","finally","try","catch","finally"]');
fails('B16 an error in Else is not caught', 'testElseThrows', '[]', 't.exceptions.e', 'from else');
logged('B16 Finally runs after it', '["try","finally"]');
fails('B16 an error in Catch replaces the first', 'testCatchThrows', '[]', 't.exceptions.b', 'from catch');
logged('B16 Finally runs after that', '["finally"]');
gives('B16 Return in Finally swallows the error', 'testFinallyReturns', '[]', '"swallowed"');
gives('B16 Return in Finally wins over Return', 'testFinallyReplaces', '[]', '"second"');
fails('B16 an error in Finally replaces the first', 'testFinallyThrows', '[]', 't.exceptions.b', 'from finally');

gives('B17 handlers by name', 'testCatchByName', '[]', '["m","second handler"]');
gives('B17 the first handler that fits, whatever the order of the names', 'testCatchFirstName', '[]', '"by two"');
gives('B17 a name of another namespace', 'testCatchFar', '[]', '"caught"');
fails('B17 no handler fits', 'testCatchNoMatch', '[]', 't.exceptions.one', 'passes');
logged('B17 Finally runs then too', '["finally"]');
gives('B17 no Do swallows', 'testCatchSwallow', '[]', '"after"');
fails('B17 With takes the namespace: a built-in name is not found', 'testCatchBuiltinHere', '[]', 'ZeroDivisionError', 'integer division or modulo by zero');
gives('B17 but it is from a class without one', 'testCatchBuiltinPlain', '[]', '["ZeroDivisionError","integer division or modulo by zero"]');
gives('B17 no With catches all', 'testCatchAll', '[]', '["ZeroDivisionError","integer division or modulo by zero"]');
fails('B17 As belongs to the handler', 'testVariableStays', '[]', 'NoFunctionRegisteredException', 'Unknown function "#property#message"');

fails('B18 a name takes the namespace of its class', 'testThrow', '[]', 't.exceptions.mine', 'so it goes');
fails('B18 a prefix; the message is evaluated', 'testThrowFar', '[]', 'some.where.his', 'made');
fails('B18 the name is evaluated', 'testThrowComputed', '[]', 't.exceptions.computed', 'computed');
fails('B18 an unquoted prefix is a type', 'testThrowUnquoted', '[]', 'NoClassFound',
	qr/^Class "some\.where\.his" is not found in io\.murano\/0\.0\.0, t\.exceptions\/0\.1\.0$/);
fails('B18 no message', 'testThrowNoMessage', '[]', 't.exceptions.quiet');
fails('B18 a cause', 'testCause', '[]', 't.exceptions.outer', 'o');

fails('B19 Rethrow', 'testRethrow', '[]', 't.exceptions.e', 'again');
logged('B19 after the handler', '["seen"]');
fails('B19 outside a handler', 'testRethrowOutside', '[]', 'TypeError', 'Rethrow must be inside Catch');

gives('B20 name, message, extra of a list of names', 'testThrowExtra', '[]', '["t.exceptions.one","m",{"k":1}]');
my $trace = $s->call('testToString')->{value} // '';
my $frame = qr{File ".*/Classes/Main\.yaml", line \d+:\d+ in method testToString of type t\.exceptions\.Main};
like($trace, qr{^$frame\n    \$\.deeper\(\)\nFile .* in method deeper of type},
	'B20 stackTrace as text');

gives('B21 an unknown method, by its long name', 'testCatchUnknownMethod', '[]', '"yaql.language.exceptions.NoMethodRegisteredException"');
gives('B21 a contract', 'testCatchContract', '[]',
	'["murano.dsl.exceptions.ContractViolationException","[t.exceptions.Main::strict(x)] Value \'x\' violates int() contract"]');

fails('the stack: an error from a called method', 'testDeeper', '[]', 't.exceptions.deep', 'from below');
my @stack = @{ $s->{last}{error}{stack} || [] };
my $lines = line_of('- \$\.deeper\(\)\s*\z') . ' ' . line_of('- Throw: deep');
is(join(' ', map { $_->{line} } @stack), $lines, 'the stack: lines of the YAML, the caller first');
is(join(' ', map { $_->{method} } @stack), 'testDeeper deeper', 'the stack: methods');
ok(!grep({ $_->{file} !~ m{/Classes/Main\.yaml$} || $_->{type} ne 't.exceptions.Main' || $_->{col} != 9 } @stack),
	'the stack: files, types and columns', $s->{raw});
ok($s->stop == 0, 'the session ends well');
done();

# The last line of the class file that matches.
sub line_of {
	my ($pattern) = @_;
	open my $f, '<', "$FindBin::Bin/../data/murano/exceptions/Classes/Main.yaml" or die;
	my $found = 0;
	while (<$f>) { $found = $. if /$pattern/ }
	return $found;
}
