#!/usr/bin/perl
# What a method keeps to itself: lists and pipelines on the stack, ranges that are counted, variables that lambdas read.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Session;
use Tap;

my @calls = ( # method, arguments
	[testWalk => '[1,"a"]'], [testWalk => '[{"k":[1,2]},null]'], [testWalked => '[3]'], [testAgain => '[0]'], [testAgain => '[5]'],
	[testAgain => '[70]'], [testBreak => '[4]'], [testIndex => '[0]'], [testIndex => '[-1]'], [testIndex => '[true]'], [testIndex => '[3]'],
	[testIndex => '["x"]'], [testIndex => '[123456789012345678901]'], [testKept => '[7]'], [testKept => '["s"]'], [testAdd => '[1]'],
	[testAdd => '[[1,2]]'], [testTry => '[1]'], [testTry => '[9]'], [testHeld => '[]'], [testOthers => '[]'],
	[testRange => '[0,5]'], [testRange => '[4,2]'], [testRange => '["a",2]'], [testRange => '[-2,true]'], [testRange => '[1,4611686018427387904]', 'skip'],
	[testSum => '[10]'], [testSum => '[0]'], [testSum => '[-3]'], [testSum => '[null]'], [testSum => '[3.5]'],
	[testCapture => '[[1,5,3,9],2]'], [testCapture => '[[],0]'], [testCapture => '[[1.5,7],1]'], [testCapture => '[null,1]'], [testCapture => '[["a"],1]'],
	[testNested => '[3]'], [testContext => '[10]'], [testChosen => '[5]'], [testChosen => '[0]'], [testParallel => '[4]'],
	[testPipe => '[[1,2,3,4],1]'], [testPipe => '[[],1]'], [testPipe => '[[2.5,true,9],0]'], [testPipe => '[null,0]'], [testPipe => '[["a",1],0]'],
	[testPipe => '[{"a":1},0]'], [testLong => '[10]'], [testLong => '[36]'], [testLong => '[37]'], [testLong => '[5000]'],
	[testPipeFails => '[[1,2,0,4]]'], [testPipeFails => '[[3,4]]'], [testEffects => '[[5,6,7,8,9]]'], [testMembers => '[]'],
);

sub said {
	my ($s) = @_;
	(my $raw = $s->{raw}) =~ s/[0-9a-f]{32}/ID/g;
	return $raw =~ s/0x[0-9a-f]+/ADDR/gr;
}

sub answers {
	my (@flags) = @_;
	my $binary = "$W/escape";
	my ($rc, $out, $err) = vetro('build', '-O1', @flags, '-o', $binary, "$FindBin::Bin/../data/murano/escape");
	ok($rc == 0, "t.escape builds with @flags", $out . $err) or return [];
	my $s = Session->run('{"Objects":{"?":{"type":"t.escape.Main","id":"root"}}}', $binary, 'session', '--expose', 'test*');
	my @answers;
	for my $round (1 .. 3) { # the caches know more the second time
		for my $c (@calls) {
			next if $c->[2];
			$s->call(@$c[0, 1]);
			push @answers, "$c->[0]$c->[1]: " . said($s);
		}
	}
	$s->send('{"op":"serialize_model"}');
	push @answers, said($s);
	ok($s->stop == 0, "the session with @flags ends well");
	return \@answers;
}

my $want = answers('-fno-passes');
my %want = map { /^(\w+\[.*?\]): (.*)/s ? ($1, $2) : () } @$want;
# These from the rules of the language, the others from the code that has no optimisations.
like($want{'testWalked[3]'}, qr/"value":\[3,31,4,41,5,51,50,51\]/, 'a loop walks the list that it began with');
like($want{'testHeld[]'}, qr/"value":\["0","gone","1","gone","2","gone"\]/, 'an object is held as long as a variable has its list');
like($want{'testCapture[[1,5,3,9],2]'}, qr/"value":\[\[2\.0,2\.0,true,1,7\.5,11\.5,false,1,21\.0,true,9\],5,3\.0\]/,
	'lambdas see the values of their statement');
like($want{'testContext[10]'}, qr/"value":\[15,1001,1000\]/, 'a context and a lambda that are kept see what is assigned later');
like($want{'testChosen[5]'}, qr/"value":25/, 'what switch() chooses sees the variables');
like($want{'testEffects[[5,6,7,8,9]]'}, qr/"value":\["5","6","7","8","9","do","do","do"\]/, 'For evaluates before it begins');
for my $flags ([], ['-fno-escape'], ['-fno-capture'], ['-fno-inplace'], ['-fno-local'], ['-fno-passes', '-fescape'],
	['-fno-passes', '-fescape', '-fcapture', '-fdirect', '-ffuse'],
	['-fno-passes', '-fcapture', '-ffuse', '-funbox'], ['-fno-passes', '-finplace', '-flocal', '-fflow', '-fborrow']) {
	my $got = answers(@$flags);
	my ($k) = grep { ($got->[$_] // '') ne $want->[$_] } 0 .. $#$want;
	ok(!defined $k, "the same with @$flags", defined $k ? "want $want->[$k]got  " . ($got->[$k] // "nothing\n") : '');
}

# ---- what passes say ----

sub ir { my ($rc, $out) = vetro('build', '--emit=ir', @_, "$FindBin::Bin/../data/murano/escape"); return $out }
my $plain = ir();
for my $pass (qw(inplace escape capture local)) {
	(my $after = ir("--after=$pass")) =~ s/ # [^"\n]*$//mg;
	is($after, $plain, "--after=$pass only adds comments");
}
like(ir('--after=escape'), qr/= list \[.* # on the stack$/m, 'escape marks lists');
like(ir('--after=escape'), qr/= pipe .* # the iterator over a list is on the stack$/m, 'and pipelines');
like(ir('--after=capture'), qr/= pipe .* # lambdas read \$m;/, 'capture marks what lambdas read');
like(ir('--after=capture'), qr/^func \@"t.escape.Main::testEffects" .* # variables are C locals$/m, 'and the methods');
ok(ir('--after=capture') !~ /^func \@"t.escape.Main::test(?:Context|Parallel)" .* # variables/m, 'but none where something keeps a scope');
like(ir('--after=capture'), qr/^func \@"t.escape.Main::testChosen" .* # variables are C locals$/m, 'switch() of this format keeps none');
like(ir('--after=local'), qr/= call .* function "range" .* # counts$/m, 'local marks ranges');
like(ir('--after=inplace'), qr/"#indexer" .* # in place for a list$/m, 'inplace marks indices');

# ---- the library's functions under names of the host ----

open my $f, '>', "$W/host.lua" or die;
print $f 'vetro.register {name = "range", params = "n: any", fn = function(n) return {7} end}';
close $f;
my ($rc, $out, $err) = vetro('build', '-O1', '--lua', "$W/host.lua", '-o', "$W/hosted", "$FindBin::Bin/../data/murano/escape");
ok($rc == 0, 'builds with host functions', $out . $err);
my $s = Session->run('{"Objects":{"?":{"type":"t.escape.Main","id":"root"}}}', "$W/hosted", 'session', '--expose', 'test*');
for my $round (1, 2) {
	$s->call('testSum', '[3]');
	like($s->{raw}, qr/"value":\[49,7\]/, "range() of the host, round $round");
}
$s->stop;
done();
