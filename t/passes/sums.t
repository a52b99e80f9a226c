#!/usr/bin/perl
# Sums that are made at once, and what pipelines read of objects: the same answers without the passes, and the passes say what they do.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Session;
use Tap;

my $data = "$FindBin::Bin/../data/murano";
my ($package, $class, @methods);

sub answers {
	my ($name, @flags) = @_;
	my ($rc, undef, $err) = vetro('build', '-O0', @flags, '-o', "$W/$name", $package);
	is($rc, 0, "it builds with @flags: $err");
	my $s = Session->run('{"Objects":{"?":{"type":"' . $class . '/0.0.0","id":"root"}}}', "$W/$name", 'session', '--expose', 'test*');
	my @said;
	for (@methods) {
		$s->call($_, '[]');
		push @said, "$_: " . $s->{raw} =~ s/\(0x[0-9a-f]+\)|[0-9a-f]{32}/ID/gr;
	}
	ok($s->stop == 0, 'and the session ends well');
	return join '', @said;
}

sub ir { return (vetro('build', '--emit=ir', @_, $package))[1] }

sub compare {
	my ($name, $head, $best) = @_;
	my $want = answers("$name-plain", '-fno-passes');
	like($want, $head, 'it answers');
	is(answers("$name-$_->[0]", @{$_}[1 .. $#$_]), $want, "the same with @{$_}[1 .. $#$_]") for ['all', $best // '-O2'], ['no-update', '-fno-update'];
}

($package, $class) = ("$data/oracle-crowd", 't.crowd.Main');
@methods = qw(testRead testChangedInLoop testChangedInLambda testMissing testMixed testDropped testTexts testOrder);
compare('crowd', qr/testRead: .*"value":\[9,4950,/);
like(ir('--after=update'), qr/= add .* # one text of 5$/m, 'a sum of five texts is one');
unlike(ir('--after=update', '-fno-update'), qr/one text of/, '-fno-update leaves them all');

($package, $class) = ("$data/oracle-sums", 't.sums.Main');
@methods = qw(
	testLog testLimits testDigits testOther testGrow testSelf testKept testBad testArguments testCopies testConstants testRefused testTied testGroups
	testExtremes testSorted);
compare('sums', qr/testDigits: .*"value":\["x0","0x","00",/);
my @lines = split /\n/, ir('--after=update');
ok((grep { /= call .* function "str" .* # no text of its own for str\(\)$/ } @lines) > 20, 'str() in a sum makes no text');
ok(!(grep { /one text of 2/ && !/\{call\}/ } @lines), 'two texts without one are left as they are');
like(ir('--after=grow'), qr/= add .* # appends to what the property has$/m, 'a text of a property grows where it is');

($package, $class) = ("$data/oracle-loops", 't.loops.Main');
@methods = qw(testKinds testSources testOrder testChanges testNested testNames testDicts testLong testObjects testPlaces);
compare('loops', qr/testChanges: .*"value":\[\[4,5,6\],\[7,6,7,15,16,17\],74,/);
is(answers('loops-calls', '-fno-inline'), answers('loops-alone', '-fno-passes', '-finline', '-fcapture'), 'calls and loops say the same');
ok((() = ir('--after=inline') =~ /few .* # a loop$/mg) > 70, 'a pipeline over few items is a loop');
unlike(ir('-fno-inline'), qr/\tfew /, '-fno-inline makes calls of all');

($package, $class) = ("$data/oracle-chains", 't.chains.Main');
@methods = ((map { "testChains$_" } 0 .. 13), qw(testDicts testOrder testObjects));
compare('chains', qr/testDicts: .*"value":\[\[\["c","a","b"\],/, '-O1');
is(answers('chains-calls', '-fno-inline'), answers('chains-alone', '-fno-passes', '-finline', '-fcapture'), 'calls and loops of all steps say the same');
my $said = ir('--after=inline');
ok((() = $said =~ /few .* # a loop$/mg) > 180, 'limit(), orderBy(), groupBy() and the like are loops');
like($said, qr/^\t\S+ = $_ /m, "$_ is in use") for qw(turn sort pair room many more);
like($said, qr/^\t$_ /m, "$_ is in use") for qw(jseen jcount putgroup putpair);

($package, $class) = ("$data/oracle-steps", 't.steps.Main');
@methods = map { "testSteps$_" } 0 .. 10;
compare('steps', qr/testSteps0: .*"value":/, '-O1');
is(answers('steps-calls', '-fno-inline'), answers('steps-alone', '-fno-passes', '-finline', '-fcapture'), 'calls and loops of these say the same');
$said = ir('--after=inline');
ok((() = $said =~ /few .* # a loop$/mg) > 20, 'thenBy(), limits of expressions and the like are loops');
like($said, qr/^\tjlazy \[%\d+\] $_ /m, "values of let() are looked at: $_") for 0, 1;
like($said, qr/^\tforget/m, 'a loop that fails makes way for the calls');
like($said, qr/ sort \S+ \S+ 4$/m, 'an order has as many keys as thenBy() gives it');
done();
