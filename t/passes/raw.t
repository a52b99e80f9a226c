#!/usr/bin/perl
# Integers as machine words: random methods give the same values, errors, stack frames and models with and without.
# METHODS_SEEDS='1 2 3' METHODS=40 chooses others than the few that are run here.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Methods;
use Session;
use Tap;

my @seeds = split ' ', $ENV{METHODS_SEEDS} // '1 2';
my $n = $ENV{METHODS} // 24;
my $opt = $ENV{METHODS_OPT} // '-O0';
my @args = ([0, 0, 3], [5, 3, 4], [-7, 2, 2], [1000003, -31, 3], ['4611686018427387903', 1, 3], ['-4611686018427387904', -1, 3],
	['123456789012345678901', 2, 2], [9, 'null', 3]);

sub said {
	my ($s) = @_;
	my $raw = $s->{raw};
	$raw =~ s/[0-9a-f]{32}/ID/g;
	$raw =~ s/0x[0-9a-f]+/ADDR/g;
	return $raw;
}

# Every method with all arguments on an object and on one of a class that overrides some; the caches are cold once.
sub answers {
	my ($dir, $name, @flags) = @_;
	my $binary = "$W/random-$name";
	my ($rc, $out, $err) = vetro('build', $opt, @flags, '-o', $binary, $dir);
	ok($rc == 0, "the package builds with @flags", $out . $err) or return [];
	my @answers;
	for my $class ('Main', 'Heir') {
		my $s = Session->run(qq({"Objects":{"?":{"type":"random.$class","id":"root"}}}), $binary, 'session', '--expose', 'test*');
		for my $round (1, 2) {
			for my $m (0 .. $n - 1) {
				for my $a (@args) {
					$s->call("test$m", '[' . join(',', @$a) . ']');
					push @answers, "$class.test$m(@$a), $round: " . said($s);
				}
			}
		}
		$s->send('{"op":"serialize_model"}');
		push @answers, said($s);
		ok($s->stop == 0, "the session with @flags ends well");
	}
	return \@answers;
}

for my $seed (@seeds) {
	my $dir = "$W/package-$seed";
	Methods::write_package($dir, $seed, $n);
	my $want = answers($dir, 'plain', '-fno-passes');
	is_lines(answers($dir, 'all'), $want, "seed $seed: everything on");
	is_lines(answers($dir, 'rest', '-fno-unbox', '-fno-int-method'), $want, "seed $seed: neither");
	is_lines(answers($dir, 'loops', '-fno-passes', '-funbox'), $want, "seed $seed: loops alone");
	is_lines(answers($dir, 'int-methods', '-fno-passes', '-fcalls', '-fint-method'), $want, "seed $seed: integer methods alone");
}
# ---- by hand: t/data/murano/raw ----

my @calls = ( # method, arguments, what Main gives, and what Heir gives where that differs: it overrides two methods
	[testOverflow => '[4611686018427387903]', '[4611686018427387903,1]'],
	[testOverflow => '[7]', '[7,1]'],
	[testPlace => '[-9]', '2'],
	[testKinds => '[]', '[2,3,0.5,1.5,10,11,4611686018427387903,4611686018427387904,4611686018427387905]'],
	[testHandlers => '[]', '[5,101,[[2,121]]]'],
	[testNested => '[6]', '[120,6,6]'],
	[testProperty => '[]', '[11,3.5]'],
	[testReturn => '[50]', '8'],
	[testFloats => '[7]', '[2.6457513110645907,2.5928571428571425,[3.0,4.166666666666666,4.566666666666666,4.8999999999999995,5.185714285714285,"11.25",' .
		'1.25],5,22.25]'],
	[testFloatZero => '[2]', '[1.0,1.0]'],
	[testFloatTry => '[]', '[-2.5,[1.0,-2.0,-0.6666666666666666,-0.4]]'],
	[testIntMethods => '[7]', '[5040,false,1,8,32,14]', '[5040,"heir",1,8,7018,14]'],
	[testIntMethods => '[25]', '[15511210043330985984000000,false,1,26,86,50]', '[15511210043330985984000000,"heir",1,26,25036,50]'],
	[testIntMethods => '[0]', '[1,true,null,1,11,0]'],
	[testDeep => '[150]', 'true', '"heir"'],
	[testRemainders => '[-13, 11]', '[[3,1,0,-5,-1,0],[6,4,0,-2,-1,0],[1,0,0,-7,-1,0],[4,3,0,-4,-1,0],[7,6,0,-1,-1,0],[2,2,0,-6,-1,0],' .
		'[5,5,0,-3,-1,0],[0,1,0,0,-1,0]]'],
	[testCounted => '[2, 12]', '[181,1288,6]'],
	[testCounted => '[5, 5]', '[0,919,6]'],
	[testSelf => '[]', '[false,1,1,true,false,1,1,true,false,1,1,true]'],
);

my $brink;

sub by_hand {
	my (@flags) = @_;
	my $binary = "$W/raw";
	my ($rc, $out, $err) = vetro('build', '-O1', @flags, '-o', $binary, "$FindBin::Bin/../data/murano/raw");
	ok($rc == 0, "t.raw builds with @flags", $out . $err) or return;
	for my $class ('Main', 'Heir') {
		my $s = Session->run(qq({"Objects":{"?":{"type":"t.raw.$class","id":"root"}}}), $binary, 'session', '--expose', 'test*');
		for my $round (1, 2) { # the caches know more the second time
			for my $c (@calls) {
				my ($method, $args, $main, $heir) = @$c;
				$s->gives("$class.$method$args, $round, @flags", $method, $args, $class eq 'Heir' && $heir ? $heir : $main);
			}
			$s->fails("$class: a division by zero", 'testPlace', '[3]', 'ZeroDivisionError');
			like($s->{raw}, qr/"line":35,"col":17,"method":"testPlace"/, 'has the place of its statement');
			$s->fails("$class: a Throw behind an integer method", 'testIntMethods', '[-3]', 't.raw.Negative');
			like($s->{raw}, qr/"method":"testIntMethods".*"line":220,.*"method":"even"/, 'has both frames');
			$s->fails("$class: a float divided by zero", 'testFloatZero', '[5]', 'ZeroDivisionError');
			my @deep = map { $s->call('testBrink', "[$_]")->{value} // 'error' } 1985 .. 2002;
			$brink //= "@deep";
			is("@deep", $brink, "$class, $round: calls nest as deep with @flags as without");
			$s->fails("$class: recursion without an end", 'testIntMethods', '[12345678901234567890]', 'RecursionError');
		}
		$s->stop;
	}
	for my $method ('testEndless', 'testEndlessIntMethod') { # a loop that calls nothing can be stopped
		open my $f, '>', "$W/raw.json" or die;
		print $f '{"Objects":{"?":{"type":"t.raw.Main","id":"root"}}}';
		close $f;
		my $said = '';
		for my $seconds (1, 4, 16) { # it has begun by then
			$said ||= `timeout -s INT $seconds $binary run --model $W/raw.json --call $method 2>&1`;
		}
		like($said, qr/interrupt|SIGINT|stopped/i, "$method is stopped by a signal");
	}
}

by_hand();
by_hand('-fno-passes');

# ---- what passes say: --emit=ir --after=NAME ----

sub ir { my ($rc, $out) = vetro('build', '--emit=ir', @_, "$FindBin::Bin/../data/murano/raw"); return $out }
my $plain = ir();
for my $pass (qw(direct records calls borrow flow arith local bind unbox int-method)) {
	(my $after = ir("--after=$pass")) =~ s/ # [^"\n]*$//mg;
	is($after, $plain, "--after=$pass only adds comments");
}
like(ir('--after=unbox'), qr/= mul .* # raw$/m, 'unbox marks what is raw');
like(ir('--after=int-method'), qr/^func \@"t.raw.Main::fact" .* # has an integer method$/m, 'int-method marks methods');
like(ir('--after=bind'), qr/callm .* method "fact" .* # always t.raw.Main::fact$/m, 'bind marks calls');
ok(ir('--after=bind') !~ /method "hook" .* # always/, 'but not of what an heir overrides');
like(ir('--after=borrow'), qr/= var \$2 # is v2$/m, 'borrow marks names');
my ($rc, $out, $err) = vetro('build', '--emit=ir', '--after=int-method', "$FindBin::Bin/../data/murano/oracle-trees");
like($out, qr/^func \@"t.trees.Node::$_" .* # has an integer method$/m, "$_ calls what properties hold") for qw(sum depth far limit least);
ok($out !~ /func \@"t.trees.Odd::sum" .* # has/, 'what changes something has none');
($rc, $out, $err) = vetro('build', '--emit=ir', '--after=nothing', "$FindBin::Bin/../data/murano/raw");
ok($rc == 2 && $err =~ /fuse, direct, .*there is no nothing|no.*nothing/, 'an unknown pass is reported, with those there are', $err);
done();
