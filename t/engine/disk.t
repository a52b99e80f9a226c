#!/usr/bin/env perl
# A disk that is full: a task waits until there is room, and nothing of it is lost. The spool is a small file system in memory.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Engine;
use Tap;

# It belongs to a process that holds it open and ends with this one; /proc shows its files to all.
mkdir "$W/room";
my $holder = open(my $told, '-|') // die "fork: $!";
if ($holder == 0) {
	exec 'unshare', ($> ? ('-r') : ()), '-m', 'sh', '-c',
		"mount -t tmpfs -o size=512k,mode=0700 none $W/room && mkdir -m 700 $W/room/spool && echo there && exec sleep 3600";
}
(<$told> // '') eq "there\n" or skip_all('no file system can be mounted here');
my $room = "/proc/$holder/root$W/room";
if (!-w "$room/spool") {
	kill 'KILL', $holder;
	close $told;
	skip_all('the file system that was mounted is not seen here');
}

$broker->{packages}{'t.Tell'} = class_of('Tell', <<'X');
Methods:
  tell:
    Usage: Action
    Arguments:
      - seconds: {Contract: $.int()}
    Body:
      - $.find(std:Environment).reporter.report($this, begins)
      - sleep($seconds)
      - $.find(std:Environment).reporter.report($this, 'x' * 20000)
      - $.find(std:Environment).reporter.report($this, ends)
X
configure(spool => "$room/spool");
sub fill {
	open my $f, '>>', "$room/full" or return 0;
	binmode $f;
	1 while syswrite $f, 'x' x 4096;
	return close $f;
}
start_engine();
ok $broker->pump(60, sub { $_[0]{consumer} }), 'an engine runs';
my $e1 = 'e' . '1' x 31;
$broker->deliver(deploy_task($e1, 't.Tell'));
my $r = result_of($e1);
ok $r && !$r->{action}{isException}, 'it deploys while there is room';
my $app = $r->{model}{Objects}{applications}[0]{'?'}{id};
sub telling { my ($env) = @_;
	task($env, $json->decode($json->encode($r->{model}) =~ s/$e1/$env/gr), { object_id => $app, method => 'tell', args => { seconds => 2 } }) }

# ---- full while a method runs
my $e2 = 'e' . '2' x 31;
$broker->deliver(telling($e2));
ok $broker->pump(60, sub { messages('murano.info', $e2) }), 'an action is under way';
fill();
ok $broker->pump(60, sub { slurp("$W/log") =~ /waits for room: No space left/ }), 'the disk is full: it waits, and the log says so';
ok !messages('results', $e2), 'there is no result yet';
unlink "$room/full";
my $done = result_of($e2);
ok $done && !$done->{action}{isException}, 'with room again it ends well', $json->encode($done // 0);
is join(' ', map { $_->{message}{payload}{text} } messages('murano.info', $e2)), 'begins ' . 'x' x 20000 . ' ends', 'with all its reports';

# ---- full, and the engine is killed meanwhile
my $e3 = 'e' . '3' x 31;
$broker->deliver(telling($e3));
ok $broker->pump(60, sub { messages('murano.info', $e3) }), 'another one is under way';
fill();
ok $broker->pump(60, sub { my @all = slurp("$W/log") =~ /waits for room/g; @all > 1 }), 'it waits';
kill 'KILL', $pid;
waitpid $pid, 0;
$broker->pump(10, sub { !$_[0]{consumer} });
unlink "$room/full";
start_engine();
$done = result_of($e3, 120);
ok $done && !$done->{action}{isException}, 'the next engine ends it when there is room', $json->encode($done // 0);

# ---- full when the task comes: the broker has it, so it runs without the spool
fill();
my $e4 = 'e' . '4' x 31;
$broker->deliver(telling($e4));
$done = result_of($e4);
ok $done && !$done->{action}{isException}, 'a task that comes while it is full is done', $json->encode($done // 0);
unlink "$room/full";
ok all_settled(), 'all are settled';
kill 'TERM', $pid;
ok $broker->pump(60, sub { waitpid($pid, 1) == $pid }), 'the engine ends';
undef $pid;
is join(' ', grep { !/\.done$/ } map { s/.*\///r } grep { -f } glob "$room/spool/*"), '', 'and leaves nothing in the spool';
kill 'KILL', $holder;
close $told; # it waits for the process
undef $holder;
done();
