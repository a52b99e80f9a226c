#!/usr/bin/perl
# What a Yay document may include from elsewhere: URLs and their copies on disk, packages, texts of the command line.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Socket::INET;
use Tap;

$ENV{XDG_CACHE_HOME} = "$W/cache";
delete @ENV{qw(http_proxy https_proxy all_proxy ALL_PROXY HTTPS_PROXY VETRO_PATH)};
$ENV{no_proxy} = '*';

# ---- a server: what it answers is in files below $W/www, what it was asked in $W/asked
my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 20, Proto => 'tcp') or skip_all('no sockets');
my $base = 'http://127.0.0.1:' . $listen->sockport;
sub page { my ($path, $text) = @_; spew("$W/www$path", $text) }
sub answer {
	my ($path, %h) = @_;
	return "302 Found\r\nLocation: /sub/moved.yay\r\n\r\n" if $path eq '/moved.yay';
	return "302 Found\r\nLocation: http://127.0.0.1:1/x\r\n\r\n" if $path eq '/lost.yay';
	return "302 Found\r\nLocation: /loop.yay\r\n\r\n" if $path eq '/loop.yay';
	return "500 Broken\r\n\r\n" if $path eq '/broken.yay';
	return "200 OK\r\nContent-Length: 1000\r\n\r\na: 1\n" if $path eq '/short.yay';
	return sleep(20) && '' if $path eq '/never.yay';
	return "401 Who\r\n\r\n" if $path eq '/private.yay' && ($h{authorization} // '') ne 'Basic am9lOnMzY3JldA==';
	return "200 OK\r\nCache-Control: no-store\r\n\r\nq: $1\n" if $path =~ m{^/q\.yay\?(\w+)};
	$path =~ s/\?.*//;
	open(my $f, '<:raw', "$W/www$path") or return "404 Not Found\r\n\r\n";
	my $text = do { local $/; <$f> };
	my $tag = sprintf '"%d-%d"', length $text, unpack('%32C*', $text);
	my $head = $path =~ /plain/ ? '' : $path =~ /dated/ ? "Last-Modified: Sat, 21 Nov 2026 10:00:00 GMT\r\n" : "ETag: $tag\r\n";
	$head .= "Cache-Control: private, no-store\r\n" if $path =~ /nostore/;
	return "304 Not Modified\r\n$head\r\n" if ($h{'if-none-match'} // '') eq $tag || $path =~ /dated/ && $h{'if-modified-since'};
	return "200 OK\r\n${head}Content-Length: " . length($text) . "\r\n\r\n$text";
}
sub serve {
	my ($c) = @_;
	my $line = <$c> // return;
	my ($path) = $line =~ /^GET (\S+)/ or return;
	my %h;
	while (my $l = <$c>) {
		last if $l !~ /^([\w-]+): (.*?)\r?\n/;
		$h{lc $1} = $2;
	}
	open(my $log, '>>', "$W/asked");
	print $log $path, (defined $h{'if-none-match'} || defined $h{'if-modified-since'} ? ' if' : ''), "\n";
	close $log;
	my $a = answer($path, %h);
	$a =~ s/\r\n/\r\nConnection: close\r\n/;
	print $c "HTTP/1.1 $a";
}
my $parent = $$;
my $server = fork // die "fork: $!";
if (!$server) {
	$SIG{CHLD} = 'IGNORE';
	$SIG{ALRM} = sub { exit if getppid != $parent; alarm 5 };
	alarm 5;
	while (1) {
		my $c = $listen->accept or next;
		if (!fork) { alarm 30; serve($c); close $c; exit }
		close $c;
	}
}
END { if ($server) { my $rc = $?; kill 'KILL', $server; waitpid $server, 0; $? = $rc } }

sub asked { open(my $f, '<', "$W/asked") or return ''; local $/; my $t = <$f>; close $f; unlink "$W/asked"; $t =~ tr/\n/;/; return $t }
sub yay {
	my ($text, @args) = @_;
	spew("$W/t.yay", $text);
	my ($status, $out, $err) = vetro('yay', '-c', "$W/t.yay", @args);
	$err =~ s{\Q$W/\E}{}g;
	$err =~ s{\Q$base\E}{BASE}g;
	chomp $out;
	return $status == 0 ? $out : "$status $err";
}
sub gives { my ($title, $text, $want, @args) = @_; is(yay($text, @args), $want, $title) }
sub fails { my ($title, $text, $want, @args) = @_; like(yay($text, @args), $want, $title) }

my ($status, undef, $none) = do { page('/a.yay', "a: 1\n"); spew("$W/t.yay", "include '$base/a.yay'\n"); vetro('yay', "$W/t.yay") };
if ($status && $none =~ /libcurl/) { skip_all('no libcurl here') }
asked();

# ---- URLs
gives('a document on the network', "include '$base/a.yay'\nb: {{ a + 1 }}\n", '{"a":1,"b":2}');
is(asked(), '/a.yay if;', 'the server is asked whether the copy still holds');
page('/a.yay', "a: 22\n");
gives('one that has changed', "include '$base/a.yay'\n", '{"a":22}');
gives('the copy without asking', "include '$base/a.yay'\n", '{"a":22}', '--offline');
is(asked(), '/a.yay if;', 'which asks nobody');
page('/dated.yay', "a: 3\n");
gives('by date', "include '$base/dated.yay'\n", '{"a":3}') for 1, 2;
is(asked(), '/dated.yay;/dated.yay if;', 'a date will do');
page('/plain.yay', "a: 4\n");
gives('one that says neither', "include '$base/plain.yay'\n", '{"a":4}') for 1, 2;
is(asked(), '/plain.yay;/plain.yay;', 'is fetched each time');
page('/nostore.yay', "a: 5\n");
gives('one not to be kept', "include '$base/nostore.yay'\n", '{"a":5}');
fails('is not', "include '$base/nostore.yay'\n", qr{no copy of it.*hint: ask for it once without --offline}s, '--offline');
gives('no copies on demand', "include '$base/a.yay'\n", '{"a":22}', '--no-cache');
asked();
gives('twice in a run', "include '$base/a.yay'\nb:\n  include '$base/a.yay'\n", '{"a":22,"b":{"a":22}}');
is(asked(), '/a.yay if;', 'is asked for once');
my @copies = glob("$W/cache/vetro/http/*");
ok(@copies >= 3 && !grep({ (stat)[2] & 077 } @copies), 'copies are their owner\'s only');
ok(!grep({ /\.tmp$/ } @copies), 'and whole');
for (@copies) { open(my $f, '+<', $_); seek($f, -2, 2); print $f 'x'; close $f }
gives('a copy that was damaged is fetched again', "include '$base/a.yay'\n", '{"a":22}');
is(asked(), '/a.yay;', 'as if it were not there');
mkdir "$W/cache2"; mkdir "$W/cache2/vetro"; mkdir "$W/cache2/vetro/http"; chmod 0777, "$W/cache2/vetro/http";
{
	local $ENV{XDG_CACHE_HOME} = "$W/cache2";
	gives('a folder that others may write to', "include '$base/a.yay'\n", '{"a":22}');
	ok(!glob("$W/cache2/vetro/http/*"), 'keeps no copies');
}

# ---- names in such documents
page('/dir/one.yay', "include 'two.yay'\ninclude '../a.yay'\ninclude '/plain.yay?q=1'\none: 1\n");
page('/dir/two.yay', "two: 2\n");
gives('names in it are relative to it', "include '$base/dir/one.yay'\n", '{"two":2,"a":4,"one":1}');
page('/sub/moved.yay', "include 'beside.yay'\n");
page('/sub/beside.yay', "b: 1\n");
gives('or to where it was moved', "include '$base/moved.yay'\n", '{"b":1}');
gives('offline too', "include '$base/moved.yay'\n", '{"b":1}', '--offline');
page('/dir/local.yay', "include 'file:///etc/passwd'\n");
fails('it may not name files', "include '$base/dir/local.yay'\n", qr{may not include});
page('/dir/mem.yay', "include 'mem://secret.yay'\n");
fails('nor see what --mem gives', "include '$base/dir/mem.yay'\n", qr{'mem://secret.yay' is of this machine}, '--mem', 'secret.yay=key: hunter2');
page('/dir/home.yay', "include 'home://.profile'\n");
fails('nor those of home', "include '$base/dir/home.yay'\n", qr{may not include});
page('/dir/root.yay', "include '$W/t.yay'\n");
fails('a path is one of its server', "include '$base/dir/root.yay'\n", qr{could not be found});
page('/lib/found.yay', "f: 1\n");
gives('a URL in the search path', <<"Y", qq({"yay":{"searchpath":["$base/nowhere","$base/lib"]},"f":1}));
yay:
  searchpath:
    - $base/nowhere
    - $base/lib
include 'found.yay'
Y
gives('and in --search', "include 'found.yay'\n", '{"f":1}', '--search', "$base/lib");
gives('the command may name one', "a: 0\n", '{"a":0,"f":1}', "$base/lib/found.yay");

# ---- what goes wrong
fails('not there', "x: 1\ninclude '$base/none.yay'\n", qr{^1 t.yay:2:1: error\[E3009\]: 'BASE/none.yay' could not be found});
fails('a server that fails', "include '$base/broken.yay'\n", qr{status 500});
fails('an answer that is cut off', "include '$base/short.yay'\n", qr{ended before});
fails('redirects without end', "include '$base/loop.yay'\n", qr{redirects});
fails('nobody listens', "include 'http://127.0.0.1:1/x.yay'\n", qr{http://127.0.0.1:1/x.yay: .*connect}i);
fails('nor where it was moved', "include '$base/lost.yay'\n", qr{http://127.0.0.1:1/x: .*connect}i);
fails('no answer in time', "include '$base/never.yay'\n", qr{no answer in time}, '--http-timeout', 1);
fails('no such scheme', "include 'gopher://x/y'\n", qr{scheme that nothing opens.*hint: file://}s);
page('/bad.yay', "a: 1\nb: {{ 1 + }}\n");
fails('a fault in one', "include '$base/bad.yay'\n", qr{BASE/bad.yay});
page('/zero.yay', "a: 1\nz: {{ 1 / 0 }}\n");
fails('a failure in one has its place', "include '$base/zero.yay'\n", qr{BASE/zero.yay:2:11});
page('/private.yay', "p: 1\n");
(my $joe = $base) =~ s{//}{//joe:s3cret@};
fails('one that is private', "include '$base/private.yay'\n", qr{status 401.*hint: a URL may hold}s);
gives('with a password', "include '$joe/private.yay'\n", '{"p":1}');
my $leak = yay("include '$joe/none.yay?token=t0ken'\n") . yay("include '$joe/bad.yay?token=t0ken'\n") . yay("include '$joe/zero.yay?token=t0ken'\n") .
	yay("include '$joe/broken.yay?token=t0ken'\n") . yay("include '$joe/broken.yay?token=t0ken'\n", '--format', 'json') .
		yay("include '$joe/x.yay?token=t0ken'\n", '--offline');
like($leak, qr{include 'http://\*+\@127}, 'an excerpt shows no password');
ok($leak !~ /s3cret|t0ken|joe/, 'no message shows user, password or query', $leak);
ok(`grep -rl 's3cret\\|t0ken' $W/cache` eq '', 'nor does a copy');

# ---- packages
spew("$W/lib/acme/web/site.yay", "site: acme\ninclude 'more.yay'\n");
spew("$W/lib/acme/web/more.yay", "more: 1\n");
spew("$W/lib/other.pkg/x.yay", "x: 2\n");
gives('a module is a folder', "include 'package://acme/web/more.yay'\n", '{"more":1}', '--search', "$W/lib");
gives('or some', "include 'package://acme.web/more.yay'\n", '{"more":1}', '--search', "$W/lib");
gives('or is called so', "include 'package://other.pkg/x.yay'\n", '{"x":2}', '--search', "$W/lib");
gives('names in it are beside it', "include 'package://acme.web/site.yay'\n", '{"site":"acme","more":1}', '--search', "$W/lib");
{
	local $ENV{VETRO_PATH} = "/nonexistent:$W/lib";
	gives('by VETRO_PATH', "include 'package://acme.web/more.yay'\n", '{"more":1}');
}
fails('it is not there', "include 'package://acme.web/none.yay'\n", qr{could not be found}, '--search', "$W/lib");
fails('it may not lead out', "include 'package://acme/../../t.yay'\n", qr{is not package://MODULE/PATH}, '--search', "$W/lib");
fails('it needs a path', "include 'package://acme'\n", qr{is not package://MODULE/PATH});

# ---- texts and files
gives('mem', "include 'mem://x.yay'\nb: {{ a }}\n", '{"a":1,"b":1}', '--mem', "x.yay=a: 1\n");
fails('another mem', "include 'mem://y.yay'\n", qr{could not be found}, '--mem', 'x.yay=a: 1');
fails('--mem needs a name', "a: 1\n", qr{--mem takes NAME=TEXT}, '--mem', 'x');
gives('file', "include 'file://$W/lib/acme/web/more.yay'\n", '{"more":1}');
{
	local $ENV{HOME} = "$W/lib";
	gives('home', "include 'home://acme/web/more.yay'\n", '{"more":1}');
}

# ---- binaries hold what they include
spew("$W/app.yay", "include '$base/dir/one.yay'\nc: {{ two }}\n");
($status) = vetro({ limit => 200 }, 'build', "$W/app.yay", '-o', "$W/app");
is($status, 0, 'a binary of a document on the network');
asked();
is(scalar `$W/app -c`, '{"two":2,"a":4,"one":1,"c":2}' . "\n", 'has it inside');
is(asked(), '', 'and asks nobody');
spew("$W/app.yay", "x:\n  include '$base/q.yay?one'\ny:\n  include '$base/q.yay?two'\nz:\n  include '$base/moved.yay'\n");
($status) = vetro({ limit => 200 }, 'build', "$W/app.yay", '-o', "$W/app");
asked();
is($status ? '' : scalar `$W/app -c`, '{"x":{"q":"one"},"y":{"q":"two"},"z":{"b":1}}' . "\n",
	'URLs that differ in their queries, and names relative to where one was moved');
is(asked(), '', 'it asks nobody');

# ---- worlds of a batch
sub batch { my (undef, $out) = vetro({ in => $_[0] . "\n" }, 'yay', '--batch'); chomp $out; return $out }
is(batch('{"files": {"main.yay": "include \"http://h/a/b.yay\"\n", "http://h/a/b.yay": "include \"../c.yay\"\n", "http://h/c.yay": "x: 1"}, "main": ' .
	'"main.yay", "opener": "none"}'),
	'{"value":{"x":1}}', 'names relative to a URL in a world');
is(batch('{"files": {"m": "somekey:\n  - a: - \"{{ 1 }}\"\n  for i in [] if i == \"True\":\n    - foo\n"}, "main": "m", "opener": "searchpath"}'),
	'{"value":{"yay":{"searchpath":[]},"somekey":[{"a":"- \"1\""}]}}', 'a host with openers defines the search path');
is(batch('{"files": {"m": "include \"http://127.0.0.1:1/x\""}, "main": "m"}'),
	q({"error":{"type":"NotFound","message":"'http://127.0.0.1:1/x' could not be found","file":"m","line":1,"col":1}}),
	'a world asks no network');
done();
