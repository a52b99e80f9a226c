#!/usr/bin/perl
# --watch: check, test and run go again when a file changes that they are about, until a signal comes.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use POSIX ();
use Time::HiRes qw(sleep time);
use Tap;

$ENV{XDG_CACHE_HOME} = "$W/cache";
mkdir "$W/cache";
my %log;

# Starts vetro in a session of its own; what it says goes to one file.
sub begin {
	my ($name, @args) = @_;
	my $log = $log{$name} = "$W/$name.log";
	my $pid = fork // die;
	return $pid if $pid;
	POSIX::setsid();
	open(STDIN, '<', '/dev/null') && open(STDOUT, '>>', $log) && open(STDERR, '>>', $log) or POSIX::_exit(126);
	alarm 300;
	exec $vetro, @args or POSIX::_exit(127);
}

sub said { return -e $log{ $_[0] } ? slurp($log{ $_[0] }) : '' }

# Waits until a pattern is there so many times; what was said by then.
sub wait_for {
	my ($name, $pattern, $times) = @_;
	for (1 .. 600) {
		my @found = said($name) =~ /$pattern/g;
		return said($name) if @found >= $times;
		sleep 0.05;
	}
	return said($name);
}

sub ends {
	my ($pid, $signal, $title) = @_;
	kill $signal, $pid;
	for (1 .. 1200) {
		next if !waitpid($pid, POSIX::WNOHANG()) and sleep 0.05;
		return is($? & 127, { INT => 2, TERM => 15 }->{$signal}, $title);
	}
	kill 'KILL', $pid;
	return ok(0, $title);
}
my $rest = qr/^vetro: waiting for changes, \^C ends$/m;

# ---- check

package_dir('p', { 'manifest.yaml' => <<'M', 'Classes/App.yaml' => <<'Y' });
Format: 1.4
Type: Application
FullName: t.watched
Classes:
  t.watched.App: App.yaml
M
Name: t.watched.App
Extends: io.murano.Object
Methods:
  deploy:
    Scope: Public
    Body:
      - Return: first
Y
my $app = slurp("$W/p/Classes/App.yaml");
my $pid = begin('check', 'check', '--watch', "$W/p");
wait_for('check', $rest, 1);
is(said('check'), "vetro: waiting for changes, ^C ends\n", 'a package without errors: nothing but that it waits');
spew("$W/p/Classes/App.yaml", $app =~ s/first/\$nobody/r);
my $text = wait_for('check', $rest, 2);
like($text, qr{^vetro: \Q$W\E/p/Classes/App\.yaml changed\n.*App\.yaml:7:17: error\[\w+\].*\$nobody}ms, 'a mistake is found');
spew("$W/p/Classes/new.tmp", $app);
rename "$W/p/Classes/new.tmp", "$W/p/Classes/App.yaml";
$text = wait_for('check', $rest, 3);
like($text, qr{.*^vetro: \S*App\.yaml changed\nvetro: waiting}ms, 'a file that another takes the place of');
spew("$W/p/Classes/.App.yaml.swp", 'x');
spew("$W/p/Classes/App.yaml~", 'x');
mkdir "$W/p/Resources";
spew("$W/p/Resources/data.txt", 'x');
$text = wait_for('check', $rest, 4);
like($text, qr{^vetro: \Q$W\E/p/Resources/data\.txt changed$}m, 'a file in a folder that was not there');
unlike($text, qr/swp|yaml~/, 'what an editor keeps for itself does not count');
unlink "$W/p/Resources/data.txt";
$text = wait_for('check', $rest, 5);
is(scalar(() = $text =~ /data\.txt changed/g), 2, 'a file that is removed');
unlink "$W/p/manifest.yaml";
$text = wait_for('check', $rest, 6);
like($text, qr/manifest\.yaml changed\n.*error\[/s, 'a package that is none any more is an error');
spew("$W/p/manifest.yaml", "Format: 1.4\nType: Application\nFullName: t.watched\nClasses:\n  t.watched.App: App.yaml\n");
$text = wait_for('check', $rest, 7);
like($text, qr/manifest\.yaml changed\nvetro: waiting[^\n]*\n\z/, 'and one again');
ends($pid, 'INT', '^C ends it');

# A template and what it imports, which lies in a folder below.
mkdir "$W/s";
mkdir "$W/s/types";
spew("$W/s/types/a.yaml", "tosca_definitions_version: tosca_2_0\nnode_types:\n  A: {}\n");
spew("$W/s/service.yaml", "tosca_definitions_version: tosca_2_0\nimports: [types/a.yaml]\nservice_template:\n  node_templates:\n    a: {type: A}\n");
$pid = begin('tosca', 'check', '--watch', "$W/s/service.yaml");
wait_for('tosca', $rest, 1);
spew("$W/s/types/a.yaml", "tosca_definitions_version: tosca_2_0\nnode_types:\n  B: {}\n");
$text = wait_for('tosca', $rest, 2);
like($text, qr{types/a\.yaml changed\n.*service\.yaml:5:\d+: error}s, 'a file that a template imports');
ends($pid, 'TERM', 'SIGTERM ends it');

# ---- test

spew("$W/p/manifest.yaml", slurp("$W/p/manifest.yaml") . "  t.watched.AppTest: AppTest.yaml\n");
spew("$W/p/Classes/AppTest.yaml", <<'Y');
Name: t.watched.AppTest
Extends: io.murano.test.TestFixture
Methods:
  testDeploy:
    Body:
      - $.assertEqual(first, new('t.watched.App').deploy())
Y
$pid = begin('test', 'test', '--watch', '--coverage', "$W/p/report", "$W/p");
wait_for('test', $rest, 1);
like(said('test'), qr/^ok 1 - t\.watched\.AppTest\.testDeploy$/m, 'a test passes');
spew("$W/p/Classes/App.yaml", $app =~ s/first/second/r);
$text = wait_for('test', $rest, 2);
like($text, qr/App\.yaml changed\n.*^not ok 1 - t\.watched\.AppTest\.testDeploy$/ms, 'and fails');
is(scalar(() = $text =~ /changed/g), 1, 'what the tests write is no change');
ok(-s "$W/p/report/index.html", 'they have written it');
spew("$W/p/Classes/App.yaml", $app =~ s/- Return: first/- While: (true)\n        Do:\n          - \$x: 1/r);
wait_for('test', qr/^# \d of 1 tests passed|^TAP version/m, 4);
sleep 0.2;
spew("$W/p/Classes/App.yaml", $app);
$text = wait_for('test', $rest, 3);
like($text, qr/.*App\.yaml changed\n.*^ok 1 - t\.watched\.AppTest\.testDeploy$/ms, 'a change ends tests that hang');
ends($pid, 'INT', '^C ends it');

# ---- run

spew("$W/m.json", '{"Objects": {"?": {"type": "t.watched.App", "id": "one"}}}');
$pid = begin('run', 'run', '--watch', "$W/p", '--', 'run', '--model', "$W/m.json", '-c', '--snapshot', "$W/p/state.mugl");
wait_for('run', $rest, 1);
spew("$W/m.json", '{"Objects": {"?": {"type": "t.watched.App", "id": "two"}}}');
$text = wait_for('run', $rest, 2);
like($text, qr/^\{"result":"first".*"id":"one".*^vetro: \S*m\.json changed\n\{"result":"first".*"id":"two"/ms, 'a model that a run loads');
spew("$W/p/Classes/App.yaml", $app =~ s/first/third/r);
$text = wait_for('run', $rest, 3);
like($text, qr/^vetro: \S*App\.yaml changed\n\{"result":"third"/m, 'a class of the program');
is(scalar(() = $text =~ /changed/g), 2, 'the snapshot that it writes is no change');
ends($pid, 'INT', '^C ends it');

# A run that writes what is looked at is not run for ever.
$pid = begin('own', 'run', '--watch', "$W/p", '--', 'run', '--model', "$W/m.json", '-c', '-o', "$W/p/out.json");
$text = wait_for('own', qr/out\.json changes in each run/, 1);
like($text, qr/out\.json changes in each run: its changes do not count any more/, 'it is told, and left alone');
my $runs = () = $text =~ /$rest/g;
spew("$W/p/Classes/App.yaml", $app =~ s/first/fifth/r);
$text = wait_for('own', $rest, $runs + 1);
like($text, qr/App\.yaml changed\n/, 'the source still counts');
ends($pid, 'INT', '^C ends it');

# ---- a server

my $port = free_port();
spew("$W/p/Classes/App.yaml", $app);
$pid = begin('serve', 'run', '--watch', "$W/p", '--', 'serve', '--listen', "127.0.0.1:$port");
wait_for('serve', qr/127\.0\.0\.1:$port/, 1);
spew("$W/p/Classes/App.yaml", $app =~ s/first/fourth/r);
$text = wait_for('serve', qr/127\.0\.0\.1:$port/, 2);
is(scalar(() = $text =~ /127\.0\.0\.1:$port/g), 2, 'a server ends, and another begins');
ends($pid, 'INT', '^C ends both');
ok(!IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port), 'nobody listens any more');

# ---- mistakes

my ($rc, $out, $err) = vetro('check', '--watch', '-');
is($rc, 2, 'standard input');
like($err, qr/--watch: standard input does not change/, 'which is said');
($rc, $out, $err) = vetro('check', '--watch', '--timeout', '1', "$W/p");
is($rc, 2, '--watch with --timeout');
done();
