#!/usr/bin/perl
# GC.collect(): what it finds, what hears of it, and in which order things go: G1 to G7. Memory comes back.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Temp qw(tempdir);
use JSON::PP;
use Session;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my $root = '{"Objects":{"?":{"type":"t.gc.Main","id":"root"}}}';

# What a call leaves behind, each in a session of its own. In the reference the objects of one rank come in any order.
sub leaves {
	my ($title, $method, $want, %o) = @_;
	my $s = Session->start('gc', $o{model} // $root);
	my $answer = $s->call($method);
	my $got = $answer->{traces} // [];
	my $w = $json->decode($want);
	($got, $w) = map { [sort { $json->encode($a) cmp $json->encode($b) } @$_] } $got, $w if $ENV{SESSION} && $o{any} || $ENV{VETRO_TORTURE_SEED};
	is($json->encode($got), $json->encode($w), $title);
	return $s;
}

leaves('a value that is dropped', 'testDropped', '["~A",".","~C","."]');
leaves('a variable holds', 'testLocal', '[".","~A","."]');
leaves('lists and dicts hold', 'testContainers', '[".","~A","~B",".","~C","."]', any => 1);
leaves('a method that is over holds nothing', 'testEndOfMethod', '[".","back","~A","."]');
leaves('an argument holds', 'testArgument', '[".","back","~A","."]');
leaves('what the caller holds', 'testCallerHolds', '[".","back","~A","."]');
leaves('a receiver', 'testReceiver', '["inner","/inner","back","~A","."]');
leaves('a context', 'testLet', '[".",["c","A"],"~A","."]');
leaves('For', 'testLoop', '["A",".","B",".","after","~A",".","~B","."]');
leaves('properties: runtime, private, static', 'testProperty', '[".","~slot",".","~private",".","~static",".","~H2","~hidden","."]', any => 1);
leaves('an Out property', 'testInit', '[".","~x","."]');
leaves('an owner lives as long as what it owns', 'testOwner', '[".","owner","~part","~owner","."]');
leaves('a ring', 'testRing', '[".","b","~a","~b","."]', any => 1);
leaves('parts go before the whole, own .destroy before that of the base', 'testUnder', '["~special leaf","~leaf","~left","~top","."]');
leaves('an error in .destroy is reported and forgotten', 'testTree', '["~left","~bad right","~right","~top","."]', any => 1);
leaves('subscribers hear once, and of errors nobody does', 'testSubscriptions',
	'["s hears of p","q complains of p","~p",".","q hears of s","~s","."]');
leaves('two that go hear of each other', 'testBothGo', '["p hears of s","s hears of p","~p","~s","."]', any => 1);
leaves('who hears goes later', 'testChain', '["c hears of b","b hears of a","~a","~b","~c","."]');
leaves('a subscription holds nobody', 'testWeakSubscriber', '["~s",".","~p","."]');
leaves('a subscription without a handler', 'testNoHandler', '["~p","."]');
leaves('a handler that fails', 'testErrors', '["s complains of p","s hears of p","~bad p","~p","."]');
leaves('tasks hold what they wait with', 'testParallel', '[".","a","b","~a","~b",".","."]', any => 1);
leaves('a handler may bring an object back, once', 'testTwice', '["~p",".","p","."]');
leaves('a collection inside of one', 'testInner', '["inner","/inner","~p","~slot","."]') unless $ENV{SESSION};

my $s = leaves('doomed, then destroyed', 'testResurrected', '[[true,false],"~p",".",[true,true,"p"]]');
$s->failed('a call on a destroyed object', 'ObjectDestroyedError', qr/^Object <t.gc.Thing\/0.1.0 \w+ \(\w+\)> is already destroyed$/);
$s = Session->start('gc', $root);
$s->fails('a handler that the subscriber does not have', 'testBadHandler', '[]', 'NoMethodFound', 'Method "nosuch" is not found');

# An id finds an object as long as something holds it.
my $id = $s->call('testId')->{value};
$s->gives('an id is found', 'testById', "[\"$id\"]", '"p"');
$s->call('testForget');
$s->fails('and is not, after the object has gone', 'testById', "[\"$id\"]", 'NoObjectFoundError', qr/^Object "$id" is not found/);

# Attributes go with their object.
$s->call('testAttributes');
is($json->encode($s->model->{Attributes}), '[]', 'attributes of destroyed objects');

# Where nothing of a program would run, GC.collect() waits until an id is asked for.
unless ($ENV{SESSION}) {
	my $late = Session->start('oracle-dropped', '{"Objects":{"?":{"type":"t.oracle.dropped.Main","id":"root"}}}');
	$late->gives('what was dropped is not found', 'testDropped', '[]', '"gone"');
	$late->gives('nor is what a later collection takes', 'testDroppedTwice', '[]', '["gone","gone"]');
	$late->gives('nor is a ring', 'testRing', '[]', '["gone","gone"]');
}
unless ($ENV{SESSION} || $ENV{IN_MEMORY} || ($ENV{CONFIG} // '') =~ /asan|torture/ || !`valgrind --version 2>/dev/null`) {
	my $dir = tempdir(CLEANUP => 1);
	is((vetro('build', '-O0', "$FindBin::Bin/../data/murano/oracle-dropped", '-o', "$dir/program"))[0], 0, 'a program without .destroy');
	my $work = sub {
		my ($objects, $collections) = @_;
		my $one = sub { return { '?' => { type => 't.oracle.dropped.Plain', id => "o$_[0]" }, name => 'n', other => 'o' . ($_[0] - 1 || $objects) } };
		my @all = map { $one->($_) } 1 .. $objects;
		spew("$dir/model.json", $json->encode({ Objects => { '?' => { type => 't.oracle.dropped.Main', id => 'root' }, all => \@all } }));
		my $run = "$dir/program run --model $dir/model.json --call collects --args '[$collections]'";
		return instructions($run);
	};
	my $least = $work->(4000, 1);
	my $more = $work->(4000, 101) - $least;
	ok($least > 0 && $more < 4000 * 100, 'it collects in proportion to what was made, not to what is there', "$more instructions for 100 collections");
}

# G1, G5
my $thing = sub { my ($id, $name, %o) = @_; return { '?' => { type => 't.gc.Thing', id => $id, %{ $o{header} // {} } }, name => $name, %{ $o{with} // {} } } };
my $with = sub { return { '?' => { type => 't.gc.Main', id => 'root' }, things => [@_] } };
sub loads {
	my ($title, $want, $model) = @_;
	my $s = Session->start('gc');
	my $answer = $s->ask({ op => 'load', model => $model });
	is($json->encode($answer->{traces} // []), $want, $title) or print "# $s->{raw}\n";
	return $s;
}
loads('G1 what is in ObjectsCopy and no more in Objects is destroyed', '["~B"]',
	{ Objects => $with->($thing->('a', 'A')), ObjectsCopy => $with->($thing->('a', 'A'), $thing->('b', 'B')) });
loads('G1 nothing is left', '["~A","~Main"]', { Objects => undef, ObjectsCopy => $with->($thing->('a', 'A')) });
loads('G1 nothing was there', '[]', { Objects => $with->($thing->('a', 'A')), ObjectsCopy => undef });
my $deps = { header => { dependencies => { onDestruction => [{ subscriber => 'a', handler => 'heard' }] } } };
$s = loads('G1 a subscription of the model', '["A hears of B","~B"]',
	{ Objects => $with->($thing->('a', 'A')), ObjectsCopy => $with->($thing->('a', 'A'), $thing->('b', 'B', %$deps)) });
$s = loads('G6 a subscription is written again', '[]', { Objects => $with->($thing->('a', 'A'), $thing->('b', 'B', %$deps)) });
is($json->encode($s->model->{Objects}{things}[1]{'?'}{dependencies}), '{"onDestruction":[{"handler":"heard","subscriber":"a"}]}', 'G6 as it was');

$s = Session->start('gc', $root);
$s->call('testId');
my $end = $s->ask({ op => 'finalize' });
is($json->encode($end->{traces}), '["~p"]', 'G5 the end: what the model does not hold, not the model');

# Memory. The reference keeps what is dropped until its own collector runs, and what has a destructor until the end.
unless ($ENV{SESSION}) {
	my $peak = sub {
		my ($pid) = @_;
		open my $f, '<', "/proc/$pid/status" or return 0;
		my ($kb) = map { /^VmHWM:\s+(\d+)/ ? $1 : () } <$f>;
		return $kb;
	};
	my $config = $ENV{CONFIG} // '';
	my $n = $config eq 'torture' ? 2000 : $config eq 'asan' ? 100000 : 1000000; # torture looks for garbage at every new object
	$s = Session->start('gc', $root);
	$s->call('testMany', '[1000]');
	my $before = $peak->($s->{pid});
	$s->gives("$n objects made and dropped", 'testMany', "[$n]", $n);
	my $grown = $peak->($s->{pid}) - $before;
	ok($grown < 120000 || $config eq 'asan' || $config eq 'torture', 'their memory comes back', "$grown KiB more");
	$s->call('testManyRings', '[1000]');
	$before = $peak->($s->{pid});
	$s->gives('rings among them', 'testManyRings', '[' . $n / 4 . ']', '["y"]');
	$grown = $peak->($s->{pid}) - $before;
	ok($grown < 60000 || $config eq 'asan' || $config eq 'torture', 'their memory comes back', "$grown KiB more");
	$before = $peak->($s->{pid});
	$s->gives('the same with destructors and GC.collect()', 'testManyDestroyed', '[' . $n / 2 . ',1000]', 'null');
	$grown = $peak->($s->{pid}) - $before;
	ok($grown < 60000 || $config eq 'asan' || $config eq 'torture', 'their memory comes back', "$grown KiB more");
	$s->gives('a long chain of owners', 'testLong', '[' . $n / 10 . ']', $n / 10);
	is($s->stop, 0, 'and nothing is left at the end');
}
done();
