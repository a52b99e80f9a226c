#!/usr/bin/perl
# Calls and property writes that go straight to what their site has found, and variables used in place: the same
# values, errors and stack frames as without, three times over, for the first time goes the long way.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Session;
use Tap;

my $dir = "$FindBin::Bin/../data/murano/straight";
my $model = '{"Objects":{"?":{"type":"t.straight.Main","id":"root"}}}';
my @calls = (
	[testConstants => '[]', '[1,null,true,"text",1.5,123456789012345678901234567890,[1,[2]],{"a":1},[0,1,2],[1,"a",true],[2,"3",null],[null,null,false],' .
		'null]'],
	[testDefaults => '[]', '[[1,null,"text",5,[1,2],null],[1,null,"text!",true,1.5,null],[null,null,"text!",true,1.5,null],[1,2,"x!",false,1.5,null],[1,' .
		'null,"y!",true,1.5,null]]'],
	[testNeeded => '[]', 'ContractViolationException'],
	[testInts => '[]', '[4611686018427387903,4611686018427387904,0,42,2]'],
	[testArith => '[7, 3]', '[21,2,1,-3,2,-3,-2,2,-1]'],
	[testArith => '[4611686018427387903, 2]',
		'[9223372036854775806,2305843009213693951,1,-2305843009213693952,1,-2305843009213693952,-1,2305843009213693951,-1]'],
	[testArith => '[-4611686018427387904, -1]',
		'[4611686018427387904,4611686018427387904,0,-4611686018427387904,0,-4611686018427387904,0,4611686018427387904,0]'],
	[testArith => '[4611686018427387904, 4611686018427387904]', '[21267647932558653966460912964485513216,1,0,-1,0,-1,0,1,0]'],
	[testArith => '[5, 0]', 'ZeroDivisionError'],
	[testSums => '[10]', '[45,4611686018427387949,-4611686018427387949,9223372036854775807]'],
	[testItems => '[]', '[[0,1,3,7,15,31],[0,1,3,7,4,5],[0,1,2,3,4,5,6],[1,"x",2.5,null,true],[],[false,true,3],3257,[1,5,5,1,5,3]]'],
	[testItemsPast => '[]', 'IndexError'],
	[testGrow => '[]', '[[[0],[0,1],[0,1,2],[0,1,2,3]],[0,1,2,3],[0,1,2,3,4,0,1,2,3,4,7,8,0,1,2,3,4,0,1,2,3,4,7,8]]'],
	[testGrowLoose => '[]', '[[1,[2],2,"x",4,{"a":1},6,null,8,[0,1],10,[[0,1]],12],["a","b",null,"5","True"]]'],
	[testGrowNested => '[]', '[[1,2],[1,2,3,4],[1,2,3,4,9],[7,1,2],["a","b",null],["y","z"]]'],
	[testGrowThings => '[]', '["base","heir","heir","base","base","base"]'],
	[testGrowRefused => '[0]', '[[1,2],[1],2]'],
	[testGrowRefused => '[1]', 'ContractViolationException'],
	[testGrowRefused => '[2]', 'ContractViolationException'],
	[testGrowRefused => '[3]', 'ContractViolationException'],
	[testDead => '[]', '["a",["x",1],null,"late"]'],
	[testVirtual => '[]', '[["base","heir","base","heir","other","base","base"],"base","heir","heir","base"]'],
	[testObjects => '[]', '["base","heir","base",null,"heir","base","heir","base"]'],
	[testWrites => '[]', '[[1,null,7,1,12345678901234567890,2],5,500,6,[1],{"a":1},6,[0,1],null]'],
	[testVariables => '[]', '[[1],[1,2],[1,2,1,2],{"k":{"k":[1,2]}},[1,2,1,2],4,null,[[[[1],[1]],[1]],[[1],[1]]],[[1,2,1,2,4],[1,2,1,2]],[[1,1,2],[1,1]]]'],
	[testTry => '[]', '[[2,"with 2"],[2,"with 2"],[2,"with 2"]]'],
	[testDepth => '[300]', '300'],
	[testLambda => '[]', '[[1,2,3],[10,11,12]]'],
	[testWrongObject => '[]', 'ContractViolationException'],
	[testNullObject => '[]', 'ContractViolationException'],
	[testWrongText => '[]', 'ContractViolationException'],
	[testFail => '[]', 't.straight.Trouble'],
	[testSmall => '[]', 'ContractViolationException'],
	[testReadOnly => '[]', 'NoWriteAccessError'],
	[testDestroyed => '[]', 'ObjectDestroyedError'],
	[testDepth => '[100000]', 'RecursionError'],
	[testDepth => '[3]', '3'],
	[testTasks => '[]', '["a","a","b","b","c","c"]'],
);

# What a session said to a call, without names that differ from run to run.
sub said {
	my ($s) = @_;
	my $raw = $s->{raw};
	$raw =~ s/[0-9a-f]{32}/ID/g;
	$raw =~ s/0x[0-9a-f]+/ADDR/g;
	$raw =~ s/\(ADDR\)|\(\w+\)>/(ADDR)>/g;
	return $raw;
}

# All answers of a build, checked on the way when it is the first.
sub answers {
	my ($flag, $check) = @_;
	my ($binary, @answers) = ("$W/straight$flag");
	my @flags = $flag =~ /^-f(?!no-)/ ? ('-fno-passes', $flag, $flag eq '-fgrow' ? '-fborrow' : ()) : $flag;
	my ($rc, $out, $err) = vetro('build', $flag eq '-O2' ? '-O2' : ('-O0', @flags), '-o', $binary, $dir);
	ok($rc == 0, "the package builds with $flag", $out . $err) or return '';
	if ($flag eq '-fgrow') { # which does nothing without the other
		my (undef, $c) = vetro('build', '--emit=c', @flags, $dir);
		like($c, qr/vt_grow_prop/, 'and lists grow in place there');
	}
	my $s = Session->run($model, $binary, 'session', '--expose', 'test*');
	for my $round (1 .. 3) {
		for my $c (@calls) {
			my ($method, $args, $want) = @$c;
			next if $method eq 'testTasks' && $ENV{VETRO_TORTURE_SEED};
			if (!$check) {
				$s->call($method, $args);
			} elsif ($want =~ /^\w/ && $want !~ /^\d/) {
				$s->fails("$method, $round", $method, $args, $want);
			} else {
				$s->gives("$method, $round", $method, $args, $want);
			}
			push @answers, "$method: " . said($s);
		}
	}
	ok($s->stop == 0, "the session with $flag ends well");
	return join '', @answers;
}

my $want = answers('-fno-passes', 1);
is(answers($_, 0), $want, "all answers with $_") for '-fcalls', '-O2', '-fno-calls', '-fno-borrow', '-fno-direct', '-fno-records', '-fflow', '-fno-flow',
	'-farith', '-fno-arith', '-fgrow', '-fno-grow';
done();
