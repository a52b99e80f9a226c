#!/usr/bin/perl
# Journals of `session` and `serve`: what requests have done outside survives a kill. t/lib/Kills.pm kills them between any two
# system calls; here is what is said, kept and refused.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use HTTP::Tiny;
use IO::Handle;
use JSON::PP;
use Tap;
use Time::HiRes 'sleep';

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my $bin = "$W/cloud";
my ($rc, undef, $err) = vetro({ limit => 400 }, 'build', '-O0', '-o', $bin, "$FindBin::Bin/../data/murano/cloud");
is($rc, 0, 'the program is built', $err);
my $scenario = '{"state":"state.json","workflows":{"w":{"seconds":40,"output":{"y":2}}}}';
my $model = '{"Objects":{"?":{"id":"env","type":"io.murano.Environment"},"name":"e","applications":[{"?":{"id":"app-vm","type":"t.cloud.App"},'
	. '"instance":{"?":{"id":"vm","type":"io.murano.resources.LinuxMuranoInstance"},"name":"vm","flavor":"m1","image":"i"}}],'
	. '"defaultNetworks":{"environment":{"?":{"id":"net","type":"io.murano.resources.NeutronNetwork"},"name":"n"},"flat":null}}}';
my @requests = (qq({"op":"load","model":$model}), '{"op":"call","target":null,"method":"deploy","args":[]}',
	'{"op":"call","target":"app-vm","method":"lucky","args":[2]}', '{"op":"serialize_model"}', '{"op":"finalize"}');

my $n = 0;
my $dir;
sub place { $dir = "$W/p" . $n++; mkdir $dir; spew("$dir/scenario.json", $scenario) }
sub state { return -e "$dir/state.json" ? $json->decode(slurp("$dir/state.json")) : {} }
sub plans { my $a = state()->{agents} // {}; return join ' ', map { $a->{$_}{plans} } sort keys %$a }
sub session { my ($in, @o) = @_; return run_program({ dir => $dir, limit => 300, in => $in }, $bin, 'session', '--scenario', 'scenario.json', @o) }
sub lines { return join '', map { "$_\n" } @_ }

# Asks so much, takes the answers, and kills it: SIGKILL, or what is named.
sub killed_after {
	my ($count, $signal, @o) = @_;
	pipe(my $in, my $to) && pipe(my $from, my $out) or die;
	my $pid = fork // die;
	if (!$pid) {
		close $_ for $to, $from;
		chdir $dir or exit 126;
		open(STDIN, '<&', $in) && open(STDOUT, '>&', $out) && open(STDERR, '>', "$dir/err") or exit 126;
		exec $bin, 'session', '--scenario', 'scenario.json', @o or exit 127;
	}
	close $_ for $in, $out;
	$to->autoflush(1);
	my @answers;
	for (@requests[0 .. $count - 1]) {
		print $to "$_\n";
		push @answers, scalar <$from>;
	}
	kill $signal, $pid;
	close $to;
	waitpid $pid, 0;
	return @answers;
}

# ---- sessions
place();
my ($st, $whole, $said) = session(lines(@requests), '--snapshot', 's.mugl');
is($st, 0, 'a session that nobody kills', $said);
my $plans = plans();
ok($plans =~ /^[1-9]/ && !-e "$dir/s.mugl.journal", 'has done something, and keeps no journal', $plans);

for (['--snapshot', 's.mugl'], ['--journal', 's.mugl.journal']) {
	place();
	my @before = killed_after(3, 'KILL', @$_);
	ok(-s "$dir/s.mugl.journal", "@$_: a session that is killed leaves its journal");
	is(sprintf('%o', (stat "$dir/s.mugl.journal")[2] & 07777), '600', 'which only its owner reads');
	my $once = plans();
	($st, my $out, $said) = session(lines(@requests), @$_);
	is($st, 0, 'it goes on', $said);
	like($said, qr/^cloud: goes on with the session that was interrupted, from s\.mugl\.journal$/m, 'and says so');
	is(join('', (split /^/, $out)[0 .. 2]), join('', @before), 'the same requests have the same answers, what they drew included');
	is(plans(), $plans, 'and no plan is sent twice');
	is($once, $plans, 'they were done before');
	ok(!-e "$dir/s.mugl.journal", 'then the journal goes');
}
place();
killed_after(2, 'KILL', '--snapshot', 's.mugl');
my $journal = slurp("$dir/s.mugl.journal");
($st, my $out, $said) = session(lines(@requests[0, 2]), '--snapshot', 's.mugl');
ok($st == 1 && (() = $out =~ /\n/g) == 1, 'a session that is asked something else ends there', $out);
like($said, qr/was asked something else here\n  hint: give its requests again, all of them and in their order; to forget it, remove the journal\n/,
	'with a hint');
($st, undef, $said) = session(lines($requests[0]), '--snapshot', 's.mugl');
ok($st == 1 && -s "$dir/s.mugl.journal", 'so does one that is asked less');
like($said, qr/was asked 1 request more: its journal is kept/, 'which it says');
($st, undef, $said) = run_program({ dir => $dir, limit => 300 }, $bin, 'run', '--scenario', 'scenario.json', '--snapshot', 's.mugl', '--model', '/dev/null');
ok($st != 0 && $said =~ /that was another one/, 'a run does not go on with the journal of a session', $said);
($st, undef, $said) = session(lines(@requests), '--snapshot', 's.mugl');
ok($st == 0 && !-e "$dir/s.mugl.journal", 'the right requests end it', $said);
is(plans(), $plans, 'and nothing was done twice');
place();
killed_after(2, 'TERM', '--snapshot', 's.mugl');
ok(-s "$dir/s.mugl.journal", 'SIGTERM keeps the journal');
($st, undef, $said) = session(lines(@requests), '--snapshot', 's.mugl');
is("$st " . plans(), "0 $plans", 'and the session goes on', $said);
place();
spew("$dir/s.mugl.journal", "no journal\n");
($st, $out, $said) = session(lines(@requests), '--snapshot', 's.mugl');
ok($st == 1 && $out eq '' && $said =~ /the file is no journal/, 'a file of somebody else is not touched', $said);
is(slurp("$dir/s.mugl.journal"), "no journal\n", 'really');
place();
($st, $out, $said) = run_program({ dir => $dir, limit => 300, in => lines(@requests) }, 'sh', '-c', 'exec "$@" >/dev/full', 'sh', $bin, 'session',
	'--scenario', 'scenario.json', '--snapshot', 's.mugl');
ok($st == 1 && -s "$dir/s.mugl.journal", 'an answer that cannot be given keeps the journal', $said);

# A journal that ends anywhere is one that was being written; one with another byte is damaged.
place();
killed_after(2, 'KILL', '--snapshot', 's.mugl');
my ($text, $cloud) = map { slurp("$dir/$_") } 's.mugl.journal', 'state.json';
my (@torn, @changed);
for (0 .. 19) {
	my $at = int(length($text) * ($_ + 0.5) / 20);
	for ([substr($text, 0, $at), \@torn], [substr($text, 0, $at) . chr(4 ^ ord substr $text, $at, 1) . substr($text, $at + 1), \@changed]) {
		spew("$dir/s.mugl.journal", $_->[0]);
		spew("$dir/state.json", $cloud);
		push @{ $_->[1] }, (session(lines(@requests[0, 1]), '--snapshot', 's.mugl'))[0];
	}
}
is("@torn", join(' ', (0) x 20), 'a journal that is cut anywhere is gone on with');
is("@changed", join(' ', (1) x 20), 'one with another byte is refused');

# ---- serve
my $order = '{"className":"t.cloud.Desk","methodName":"order","parameters":{"n":2}}';
sub executions { return scalar keys %{ state()->{executions} // {} } }
my $server;
sub serve {
	open my $log, '>', "$dir/served" or die;
	$server = fork // die;
	if (!$server) {
		chdir $dir or exit 126;
		open(STDERR, '>&', $log) or exit 126;
		exec $bin, 'serve', '--scenario', 'scenario.json', '--listen', '127.0.0.1:0', '--journal', 'requests' or exit 127;
	}
	for (1 .. 6000) {
		return $1 if slurp("$dir/served") =~ m{http://127\.0\.0\.1:(\d+)/};
		return undef if waitpid($server, 1) == $server;
		sleep 0.02;
	}
}
sub stop { kill $_[0] // 'TERM', $server; waitpid $server, 0 }
sub post {
	my ($port, $body, $key) = @_;
	my $r = HTTP::Tiny->new(timeout => 300)->post("http://127.0.0.1:$port/actions", { content => $body,
		headers => { 'Content-Type' => 'application/json', defined $key ? ('Idempotency-Key' => $key) : () } });
	return "$r->{status} " . $r->{content} =~ s/\n\z//r;
}
sub journals { return join ' ', map { s{.*/}{}r } glob "$dir/requests/*" }
place();
my $port = serve();
my $answer = post($port, $order);
like($answer, qr/^200 \[/, 'an action');
is(executions() . journals(), '2', 'leaves nothing when it has been answered');
my $first = post($port, $order, '"k1"');
is(executions(), 4, 'a second request does it again');
is(post($port, $order, '"k1"'), $first, 'one with the same Idempotency-Key gets the same answer');
is(executions(), 4, 'and does nothing');
like(post($port, $order =~ s/2/3/r, '"k1"'), qr/^409 .*that of another request/, 'a key goes with one body');
like(post($port, $order =~ s/2/-/r, '"k3"'), qr/^400 /, 'a body that is none');
my $failed = post($port, $order =~ s/order/other/r, '"k4"');
like($failed, qr/^404 /, 'an error is an answer');
stop('KILL');
$port = serve();
is(post($port, $order, '"k1"') . executions(), "${first}4", 'another server knows the answer');
is(post($port, $order =~ s/order/other/r, '"k4"'), $failed, 'also that of an error');
stop();
my ($kept) = grep { slurp($_) =~ /"told":200/ } glob "$dir/requests/key-*.journal";
is(sprintf('%o', (stat $kept)[2] & 07777), '600', 'journals are their owner\'s');

# What a kill leaves before the answer is known: all but the last record.
my $cut = join '', grep { !/"told"/ } split /^/, slurp($kept);
spew("$dir/requests/request-1-0.journal", $cut);
chmod 0600, "$dir/requests/request-1-0.journal";
my @lines = split /^/, $cut;
spew($kept, join '', @lines[0 .. $#lines - 1], substr($lines[-1], 0, 20));
my $before = executions();
$port = serve();
is(executions(), $before, 'what was done is not done again');
like(slurp("$dir/served"), qr{goes on with a request that was interrupted, from requests/request-1-0\.journal\n\S+ that request has ended with 200\n},
	'a request without a key is ended by the next server');
unlike(journals(), qr/request-/, 'and its journal goes');
like(post($port, $order, '"k1"'), qr/^200 \[/, 'one with a key has its answer');
is(executions(), $before, 'from what was done');
stop();

for (['garbage', "garbage\n", qr/the file is no journal/], ['a damaged journal', $cut =~ s/"begun"/"begin"/r, qr/the journal is damaged/],
	['that of another build', '', qr/that was another one/]) {
	my ($name, $text, $want) = @$_;
	my $file = "$dir/requests/request-2-0.journal";
	if ($text eq '') {
		my $other = "$W/other";
		vetro({ limit => 400 }, 'build', '-O1', '-o', $other, "$FindBin::Bin/../data/murano/cloud");
		(my $here, $bin) = ($bin, $other);
		my $p = serve();
		post($p, $order, '"k9"');
		stop();
		$bin = $here;
		my $theirs = "$dir/requests/key-" . unpack('H*', '"k9"') . '.journal';
		$text = join '', grep { !/"told"/ } split /^/, slurp($theirs);
		unlink $theirs;
	}
	spew($file, $text);
	my $count = executions();
	my $p = serve();
	ok(defined $p, "$name does not keep the server from its work");
	like(slurp("$dir/served"), $want, 'it is said');
	ok(-e $file && slurp($file) eq $text, 'and stays');
	is(executions(), $count, 'nothing is done for it');
	stop();
	unlink $file;
}
# Keys are any text, and no path; what stands in the folder and is no file of ours is left alone.
symlink('/etc/passwd', "$dir/requests/request-9-9.journal");
system('mkfifo', "$dir/requests/request-8-8.journal");
$port = serve();
like(slurp("$dir/served"), $_, 'a pipe, a link') for qr{request-8-8\.journal: it is no plain file\n}, qr{request-9-9\.journal: Too many levels};
like(post($port, $order, '../../evil'), qr/^200 /, 'a key like a path');
ok(!-e "$dir/evil" && !-e "$W/evil" && journals() =~ /^(?:key-[0-9a-f]+\.journal ?|request-\d-\d\.journal ?)+$/, 'is none', journals());
like(post($port, $order, 'k' x 100), qr/^200 /, 'a long key');
like(post($port, $order, ['a', 'b']), qr/^400 /, 'two keys');
like(post($port, $order, 'k' x 101), qr/^400 /, 'a key that is too long');
like(post($port, "{\"className\":\"\xff\"}", 'm'), qr/^400 .*no UTF-8/, 'a body that is no text');
like(post($port, '[' x 100_000, 'n'), qr/^400 .*nested too deeply/, 'a deep one');
# Answers are kept for a day; a server that goes on looks for old ones now and then.
post($port, $order, "day$_") for 1, 2;
my ($old, $young) = map { "$dir/requests/key-" . unpack('H*', "day$_") . '.journal' } 1, 2;
utime time - 25 * 3600, time - 25 * 3600, $old;
post($port, '{}') for 1 .. 100;
ok(!-e $old && -e $young, 'old answers go while the server runs', journals());
stop();
unlink "$dir/requests/request-9-9.journal", "$dir/requests/request-8-8.journal";
chmod 0777, "$dir/requests";
ok(!defined serve(), 'a folder that others may write to is refused');
like(slurp("$dir/served"), qr/--journal requests: it is not a directory that only you can write to/, 'which is said');
done();
