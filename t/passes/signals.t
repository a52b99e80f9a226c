#!/usr/bin/perl
# SIGINT and SIGTERM: the tasks are unwound, the model of the run is written, the status is 128 and the signal.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use POSIX ();
use Tap;
use Time::HiRes qw(time sleep);

my $json = JSON::PP->new->allow_nonref;
my $dir = package_dir('signals', { 'manifest.yaml' => <<'M', 'Classes/Main.yaml' => <<'Y' });
Format: 1.4
Type: Application
FullName: t.signals
Classes:
  t.signals.Main: Main.yaml
M
Namespaces:
  =: t.signals
Name: Main
Properties:
  log:
    Contract: [$.string()]
    Usage: InOut
    Default: []
Methods:
  say:
    Arguments: [{what: {Contract: $.string()}}]
    Body:
      - $.log: $.log + [$what]
  ready:
    Body: logger(test).info(ready)
  tick:
    Body:
      - Return: true
  deploy:
    Scope: Public
    Body:
      - Parallel:
          - Try: [sleep(1000), $.say(slept)]
            Catch: {As: e, Do: $.say(caught)}
            Finally: [$.tick(), $.say(first)]
          - Try:
              Parallel: [sleep(1000), {Do: [sleep(0.001), $.ready(), sleep(1000)]}]
            Finally: $.say(second)
      - $.say(after)
  busy:
    Scope: Public
    Body:
      - $.ready()
      - Try:
          - While: $.tick()
            Do:
              - $x: 1
        Finally: $.say(finally)
  spin:
    Scope: Public
    Body:
      - $i: 0
      - $.ready()
      - Try:
          - While: $i < 1
            Do:
              - $i: $i * 1
        Finally: $.say(finally)
  lazy:
    Scope: Public
    Body:
      - $.ready()
      - Return: range(1000000000).select($ * 2).where($ < 0).len()
  stubborn:
    Scope: Public
    Body:
      - Try:
          - While: $.tick()
            Do:
              - $x: 1
        Finally:
          - $.ready()
          - While: $.tick()
            Do:
              - $x: 2
  static:
    Usage: Static
    Scope: Public
    Body:
      - logger(test).info(ready)
      - sleep(1000)
Y
my ($rc, $out, $err) = vetro('build', '-O0', '-o', "$W/bin", $dir);
is($rc, 0, 'the package builds') or print "$out$err";
spew("$W/model", '{"Objects": {"?": {"type": "t.signals.Main", "id": "root"}}}');

# Starts a command, sends the signals, each when "ready" has been said again (or, for one after ~, when it is asleep; for
# one after +, when it is no longer taken for the one before; "INT&TERM" are both there when it goes on).
# The status as a shell tells it, the output and the seconds from the last signal to the end.
sub interrupted {
	my ($in, $signals, @command) = @_;
	pipe(my $told, my $tell) && pipe(my $input, my $feed) or die;
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		open(STDIN, '<&', $input) && open(STDOUT, '>', "$W/out") && open(STDERR, '>&', $tell) or exit 126;
		close $feed;
		@SIG{qw(INT TERM)} = ('DEFAULT') x 2; # a job in the background is reported to ignore the first
		alarm 600;
		exec "$W/bin", @command or exit 127;
	}
	close $tell;
	close $input;
	syswrite $feed, $in;
	my $at;
	for my $signal (@$signals) {
		if ($signal =~ s/^~//) {
			sleep 0.3;
		} else {
			while (defined(my $line = readline $told)) { last if $line =~ /ready/ }
		}
		sleep($signal =~ s/^\+// ? 0.6 : 0.05);
		$at = time;
		my @together = split /&/, $signal;
		kill $_, $pid for @together > 1 ? ('STOP', @together, 'CONT') : @together;
	}
	waitpid $pid, 0;
	my $status = $? & 127 ? 'killed by ' . ($? & 127) : $? >> 8;
	return ($status, slurp("$W/out"), time - $at, join '', readline $told);
}

my ($status, $text, $took) = interrupted('', ['TERM'], 'run', '--model', "$W/model", '--output', "$W/after");
is($status, 128 + POSIX::SIGTERM(), 'run: SIGTERM');
my $r = eval { $json->decode(slurp("$W/after")) } // {};
is($r->{error}{type}, 'TaskCancelled', 'says what happened');
like($r->{error}{message}, qr/^interrupted by signal 15 \(/, 'and why');
is(join(' ', sort @{ $r->{model}{Objects}{log} // [] }), 'first second', 'Finally has run, Catch has not, and the model is there');
ok($took < 10, 'at once');
is(scalar(() = glob("$W/after*")), 1, 'no other file is left');

($status, $text) = interrupted('', ['INT'], 'run', '--model', "$W/model", '--call', 'busy');
is($status, 128 + POSIX::SIGINT(), 'run: SIGINT while methods are called');
is($json->encode($json->decode($text)->{model}{Objects}{log}), '["finally"]', 'the model is there');
($status, $text) = interrupted('', ['INT'], 'run', '--model', "$W/model", '--call', 'spin');
is($status, 128 + POSIX::SIGINT(), 'SIGINT in a loop that calls nothing');
is($json->encode($json->decode($text)->{model}{Objects}{log}), '["finally"]', 'and Finally runs');
($status, $text) = interrupted('', ['INT'], 'run', '--model', "$W/model", '--call', 'lazy');
is($status, 128 + POSIX::SIGINT(), 'while a sequence is made');

($status, $text) = interrupted('', ['~TERM', '+TERM'], 'run', '--model', "$W/model", '--call', 'stubborn');
is($status, 'killed by 15', 'a second signal ends at once');
($status, $text) = interrupted('', ['INT&TERM'], 'run', '--model', "$W/model", '--call', 'busy');
ok($status eq 128 + POSIX::SIGINT() || $status eq 128 + POSIX::SIGTERM(), 'two signals at once are one', $status);
is($json->encode($json->decode($text)->{model}{Objects}{log}), '["finally"]', 'and the model is there');
($status, $text) = interrupted('', ['TERM'], 'call', 't.signals.Main', 'static');
is($status, 128 + POSIX::SIGTERM(), 'call');
is($json->decode($text)->{error}{type}, 'TaskCancelled', 'says what happened');

my $load = '{"op":"load","model":{"Objects":{"?":{"type":"t.signals.Main","id":"root"}}}}' . "\n";
($status, $text) = interrupted($load . '{"op":"call","target":null,"method":"deploy","args":[]}' . "\n", ['TERM'], 'session');
is($status, 128 + POSIX::SIGTERM(), 'session, within a request');
like((split /\n/, $text)[1], qr/^\{"error":\{"type":"TaskCancelled"/, 'which is answered');
($status, $text) = interrupted($load, ['~INT'], 'session');
is($status, 128 + POSIX::SIGINT(), 'session, between requests');
done();
