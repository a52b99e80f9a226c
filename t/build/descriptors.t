#!/usr/bin/perl
# `serve` with few descriptors: clients wait and are answered, it does not spin, and it says why it cannot start.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Socket::INET;
use Tap;

my ($rc, undef, $err) = vetro({ limit => 300 }, 'build', '-O0', '-o', "$W/hello", "$FindBin::Bin/../../examples/hello");
ok($rc == 0, 'the binary is built', $err);
my $pid = fork // die;
if (!$pid) {
	open(STDERR, '>', "$W/told") or exit 126;
	alarm 300;
	exec 'sh', '-c', 'ulimit -n 8; exec "$@"', 'sh', "$W/hello", 'serve', '--listen', '127.0.0.1:0' or exit 127;
}
my $port;
for (1 .. 600) { ($port) = slurp("$W/told") =~ m{http://127\.0\.0\.1:(\d+)/} and last; select undef, undef, undef, 0.1 }
ok($port, 'it starts with eight descriptors', slurp("$W/told"));
my @held = map { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) } 1 .. 8;
for (1 .. 600) { last if slurp("$W/told") =~ /clients wait/; select undef, undef, undef, 0.1 }
is(scalar(() = slurp("$W/told") =~ /clients wait, because no more can be taken: Too many open files/g), 1, 'it says once that clients wait');
my $last = pop @held;
close $_ for @held;
print $last "GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
like(scalar(<$last>), qr{^HTTP/1\.1 \d+ }, 'who has waited is answered');
kill 'TERM', $pid;
waitpid $pid, 0;
($rc, undef, $err) = run_program({ limit => 60 }, 'sh', '-c', 'ulimit -n 4; exec "$@"', 'sh', "$W/hello", 'serve', '--listen', '127.0.0.1:0');
like("$rc $err", qr/^1 .*Too many open files\nhint: ulimit -n/, 'too few to start');
my $taken = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 0, Listen => 1) or die;
($rc, undef, $err) = run_program({ limit => 60 }, "$W/hello", 'serve', '--listen', '127.0.0.1:' . $taken->sockport);
like("$rc $err", qr/^1 .*Address already in use\nhint: another program/, 'a port that is taken');
done();
