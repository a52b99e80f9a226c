#!/usr/bin/perl
# Parallel, pselect, psuper, sleep and locks: B15, M9, muranopl-engine.md 14. The clock is virtual.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Session;
use JSON::PP;
use Tap;
use Time::HiRes 'time';

@Session::options = ('--virtual-time');
my $began = time;
my $s = Session->start('parallel', '{"Objects":{"?":{"type":"t.parallel.Main","id":"root"}}}');
sub gives { $s->gives(@_) }
sub fails { $s->fails(@_) }

# In a torture build with VETRO_TORTURE_SEED tasks run in another order, with the same effects. gives_turns: what
# tasks did in turn; gives_pairs: nothing of another task came between "x" and "x2".
my $any_order = $ENV{VETRO_TORTURE_SEED};
my $json = JSON::PP->new->canonical->allow_nonref;
sub words { return join ' ', sort map { $json->encode($_) } @{ $_[0] } }

sub gives_turns {
	my ($title, $method, $args, $want, $pairs) = @_;
	return gives($title, $method, $args, $want) unless $any_order;
	my $got = $s->call($method, $args)->{value};
	my $good = ref $got eq 'ARRAY' && words($got) eq words($json->decode($want));
	$good &&= "$got->[$_]2" eq $got->[$_ + 1] for $pairs && $good ? grep { $_ % 2 == 0 } 0 .. $#$got : ();
	return ok($good, "$title, in any order", $s->{raw}, $want);
}
sub gives_pairs { gives_turns(@_[0 .. 3], 1) }

gives_turns('branches start in order and take turns', 'testOrder', '[]', '["a","b","c","a2","b2"]');
gives('Limit: 1', 'testLimit', '[1]', '["a","a2","b","b2","c","c2"]');
gives_turns('Limit: 2', 'testLimit', '[2]', '["a","b","a2","b2","c","c2"]');
gives_turns('Limit: 0', 'testLimit', '[0]', '["a","b","c","a2","b2","c2"]');
gives_turns('a Limit beyond all', 'testLimit', '[100]', '["a","b","c","a2","b2","c2"]');
fails('a Limit that is no number', 'testLimit', '["x"]', 'TypeError');
gives_turns("Limit: $_", 'testLimit', "[$_]", '["a","b","a2","b2","c","c2"]') for '"2"', '" 2 "', '2.9';
gives('Limit: true', 'testLimit', '[true]', '["a","a2","b","b2","c","c2"]');
fails("a Limit that is $_", 'testLimit', "[$_]", 'TypeError', qr/^Limit of Parallel is a number, not /) for 'null', '[1]', '{}';
fails('a negative Limit as text', 'testLimit', '["-1"]', 'ValueError');
gives_turns('no Limit', 'testNoLimit', '[]', '["a","b","c","a2","b2","c2"]');
fails('a negative Limit', 'testLimit', '[-1]', 'ValueError', 'Limit of Parallel must not be negative');
gives('who sleeps less is done first', 'testSleep', '[]', '[1,60,3600,7200]');
gives('now() goes on with the virtual clock', 'testNow', '[]', '[true,3600.0]');
$any_order or gives('branches share the variables of the method', 'testShared', '[]', '[36,null]');
$any_order or gives('For in branches: each has items of its own', 'testOwnItems', '[]', '[[1,10,2,20],null]');
$any_order or gives('Catch in branches: each has an exception of its own', 'testOwnErrors', '[]', '[["first","second"],"before"]');
gives('what a branch assigns is for all, what its For sets is not', 'testOwnAndShared', '[]', '[[100,1,2,[7],7,2,{"b":2}],52,2,{"b":2,"c":3}]');
$any_order or gives('Parallel in pselect', 'testNested', '[]', '[[0,2,4],[0,1,2,100,101,102]]');
gives('psuper', 'testPsuper', '[]', '["base","base2"]');
gives('10,000 branches that do not wait', 'testMany', '[100,null]', '990000');
gives('10,000 branches that all wait', 'testMany', '[100,0]', '990000');
gives('10,000 branches that sleep', 'testMany', '[100,1]', '990000');

gives('all branches run; the first error by position is raised', 'testThrow', '[]', '["ran","first"]');
gives('the first Return by position', 'testReturn', '[]', '"slow"');
gives('Break leaves the loop after all branches', 'testBreak', '[]', '[1,2]');
gives('Continue goes on with it', 'testContinue', '[]', '["branch","branch"]');
$s->call('testFinally');
is($s->{last}{error}{message} // '', 'm', 'an exception waits for Finally');
gives('which ran', 'testTake', '[]', '["other","finally"]');

$s->call('testPlace');
my @stack = @{ $s->{last}{error}{stack} // [] };
is(join(' ', map { "$_->{method}:" . ($_->{instruction} // '') } @stack[-2, -1]), 'testPlace:$.fail() fail:Throw here: m',
	'frames show the statement of the branch that failed');

gives_pairs('one task at a time in a method of an object', 'testLock', '[]', '["a","a2","b","b2","c","c2"]');
gives_turns('another object is free', 'testLockObjects', '[]', '["a","b","a2","b2"]');
gives_pairs('Synchronize by argument: equal values', 'testLockArgs', '[["k","k"]]', '["a","a2","b","b2"]');
gives_pairs('equal lists', 'testLockArgs', '[[[1],[1]]]', '["a","a2","b","b2"]');
gives_turns('other values', 'testLockArgs', '[["k","l"]]', '["a","b","a2","b2"]');
gives_turns('null is no value', 'testLockArgs', '[[null,null]]', '["a","b","a2","b2"]');
gives('static methods are locked by their type', 'testLockStatic', '[]', '["enter","leave","enter","leave"]');
gives_turns('a task may call again what it is in', 'testReentrant', '[]', '[0,1,2,0,1]');

fails('a deadlock', 'testDeadlock', '[]', 'DeadlockError',
	qr/^tasks wait for each other:.*task \d+ waits for t\.parallel\.Main\.cross of object \w+, which task \d+ runs.*Main\.yaml line \d+ in method cross/s);
fails('a branch that needs a lock of its parent', 'testOwnLock', '[]', 'DeadlockError', qr/task \d+ waits for the branches that it started/);
gives('some of the tasks', 'testSomeDeadlock', '[]', '["told","quick","slow"]');
gives('can be caught', 'testCaughtDeadlock', '[]', 'true');
gives_turns('and the session goes on', 'testOrder', '[]', '["a","b","c","a2","b2"]');

gives('calls nest in a task as deep as elsewhere', 'testDeep', '[200]', '[201,202,203]');
fails('and end with an exception', 'testDeep', '[100000]', 'RecursionError', 'maximum recursion depth exceeded');
gives_turns('a function of the host may wait', 'testYield', '[]', '["a","b","a2","b2"]');

# Many branches in one statement; and a coroutine of Lua that waits on behalf of a function of the host.
sub package_of {
	my ($name, $lua, $methods, @options) = @_;
	my $dir = package_dir($name, { 'manifest.yaml' => "Format: 1.4\nType: Application\nFullName: t.$name\nClasses:\n  t.$name.Main: Main.yaml\n",
		'Classes/Main.yaml' => "Namespaces: {=: t.$name}\nName: Main\nProperties:\n  log: {Contract: [\$], Usage: InOut, Default: []}\n" .
			"  n: {Contract: \$.int(), Usage: InOut, Default: 0}\nMethods:\n$methods" });
	spew("$W/$name.lua", $lua);
	my ($rc, $out, $err) = vetro({ limit => 300 }, 'build', '-O0', '--lua', "$W/$name.lua", '-o', "$W/$name.bin", $dir);
	is($rc, 0, "$name builds") or print "# $err\n";
	my $other = Session->start($dir, '{"Objects":{"?":{"type":"t.' . $name . '.Main","id":"root"}}}');
	return $other;
}

my $branches = join '', map { "          - Do: [{\$.n: \$.n + $_}, sleep(1)]\n" } 1 .. 2000;
my $many = package_of('many', '', "  testAll:\n    Arguments: [{limit: {Contract: \$}}]\n    Body:\n      - Parallel:\n$branches" .
	"        Limit: \$limit\n      - Return: \$.n\n");
$many->gives('2,000 branches of one Parallel', 'testAll', '[0]', '2001000');
$many->gives('ten at a time', 'testAll', '[10]', '4002000');
ok($many->stop == 0, 'the session ends well');

my $co = package_of('coroutine', <<'LUA', <<'YAML');
vetro.register { name = "steps", params = "name: str", fn = function(name)
	local made = {}
	local co = coroutine.wrap(function()
		for i = 1, 3 do
			vetro.sleep(name == "a" and 2 or 3)
			coroutine.yield(name .. i)
		end
		vetro.sleep(1)
		return name .. " end"
	end)
	for i = 1, 4 do made[i] = co() end
	return vetro.list(made)
end }
LUA
  note:
    Arguments: [{what: {Contract: $}}]
    Body:
      - $.log: $.log + $what
  testSteps:
    Body:
      - Parallel:
          - $.note(steps(b))
          - $.note(steps(a))
          - $.note([main])
      - Return: $.log
YAML
$co->gives('coroutines that sleep', 'testSteps', '[]', '["main","a1","a2","a3","a end","b1","b2","b3","b end"]');
ok($co->stop == 0, 'the session ends well');

ok(time - $began < 300, 'and all these hours took moments');
ok($s->stop == 0, 'the session ends well');
done();
