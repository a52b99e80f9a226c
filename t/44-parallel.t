#!/usr/bin/perl
# Parallel, pselect, psuper, sleep and locks: B15, M9, muranopl-engine.md 14. The clock is virtual.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Session;
use Tap;
use Time::HiRes 'time';

@Session::options = ('--virtual-time');
my $began = time;
my $s = Session->start('parallel', '{"Objects":{"?":{"type":"t.parallel.Main","id":"root"}}}');
sub gives { $s->gives(@_) }
sub fails { $s->fails(@_) }

gives('branches start in order and take turns', 'testOrder', '[]', '["a","b","c","a2","b2"]');
gives('Limit: 1', 'testLimit', '[1]', '["a","a2","b","b2","c","c2"]');
gives('Limit: 2', 'testLimit', '[2]', '["a","b","a2","b2","c","c2"]');
gives('no Limit', 'testLimit', '[null]', '["a","b","c","a2","b2","c2"]');
gives('a Limit beyond all', 'testLimit', '[100]', '["a","b","c","a2","b2","c2"]');
fails('a Limit that is no number', 'testLimit', '["x"]', 'TypeError');
fails('a negative Limit', 'testLimit', '[-1]', 'ValueError', 'Limit of Parallel must not be negative');
gives('who sleeps less is done first', 'testSleep', '[]', '[1,60,3600,7200]');
gives('branches share the variables of the method', 'testShared', '[]', '[36,null]');
gives('Parallel in pselect', 'testNested', '[]', '[[0,2,4],[0,1,2,100,101,102]]');
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

gives('one task at a time in a method of an object', 'testLock', '[]', '["a","a2","b","b2","c","c2"]');
gives('another object is free', 'testLockObjects', '[]', '["a","b","a2","b2"]');
gives('Synchronize by argument: equal values', 'testLockArgs', '[["k","k"]]', '["a","a2","b","b2"]');
gives('equal lists', 'testLockArgs', '[[[1],[1]]]', '["a","a2","b","b2"]');
gives('other values', 'testLockArgs', '[["k","l"]]', '["a","b","a2","b2"]');
gives('null is no value', 'testLockArgs', '[[null,null]]', '["a","b","a2","b2"]');
gives('static methods are locked by their type', 'testLockStatic', '[]', '["enter","leave","enter","leave"]');
gives('a task may call again what it is in', 'testReentrant', '[]', '[0,1,2,0,1]');

fails('a deadlock', 'testDeadlock', '[]', 'DeadlockError', qr/every task waits.*task \d+ waits for t\.parallel\.Main\.cross of object \w+, which task \d+ runs.*Main\.yaml line \d+ in method cross/s);
fails('a branch that needs a lock of its parent', 'testOwnLock', '[]', 'DeadlockError', qr/task \d+ waits for the branches that it started/);
gives('can be caught', 'testCaughtDeadlock', '[]', 'true');
gives('and the session goes on', 'testOrder', '[]', '["a","b","c","a2","b2"]');

gives('calls nest in a task as deep as elsewhere', 'testDeep', '[200]', '[201,202,203]');
fails('and end with an exception', 'testDeep', '[100000]', 'RecursionError', 'maximum recursion depth exceeded');
gives('a function of the host may wait', 'testYield', '[]', '["a","b","a2","b2"]');

ok(time - $began < 300, 'and all these hours took moments');
ok($s->stop == 0, 'the session ends well');
done();
