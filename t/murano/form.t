#!/usr/bin/perl
# deploy serve: HTTP as the description of forms has it, hostile clients, and the page in a browser.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Browser;
use HTTP::Tiny;
use IO::Select;
use IO::Socket::INET;
use JSON::PP;
use Tap;
use Time::HiRes qw(time sleep);

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my $data = "$FindBin::Bin/../data/murano";
my $binary = "$W/forms.bin";
my ($rc, $out, $err) = vetro('build', '-O0', '-o', $binary, "$data/forms", '-I', "$data/forms-parts");
ok($rc == 0, 'the package builds', $out . $err) or do { print "1..1\n"; exit 1 };

my $pid = open(my $from, '-|') // die "fork: $!";
if (!$pid) {
	open(STDERR, '>&', \*STDOUT);
	exec($binary, 'serve', '--listen', '127.0.0.1:0') or exit 127;
}
my $line = readline $from;
like($line, qr{^forms\.bin: http://127\.0\.0\.1:\d+/$}, 'it says where it listens');
my ($port) = $line =~ /:(\d+)/ or do { print "Bail out! no port\n"; exit 1 };
my $base = "http://127.0.0.1:$port";
my $http = HTTP::Tiny->new(timeout => 30);

sub get { return $http->get($base . $_[0]) }
sub post { my ($body, $type) = @_;
	return $http->post("$base/actions", { content => ref $body ? $json->encode($body) : $body,
	headers => { 'Content-Type' => $type || 'application/json' } }) }
sub body { my ($r) = @_; return eval { $json->decode($r->{content}) } // {} }

# ---- schemas

my $all = body(get('/schemas/t.forms.App'));
is(join(' ', sort keys %$all), ' scratch sized', 'GET /schemas/CLASS');
is(join('|', sort keys %{body(get('/schemas/t.forms.App/'))}), '', 'GET /schemas/CLASS/ is the class alone');
is(join(' ', sort keys %{body(get('/schemas/t.forms.App/sized,scratch'))}), 'scratch sized', 'several methods');
is(join(' ', sort keys %{body(get('/schemas/t%2eforms%2eApp/sized,?classVersion=%3E%3D0&packageName=t.forms'))}), ' sized', 'escapes, a version, a package');
for (
	[200, '/schemas/t.forms.parts.Disk?classVersion=1.2'], [404, '/schemas/t.forms.parts.Disk'], [404, '/schemas/t.forms.None'],
		[404, '/schemas/t.forms.App/nothing'],
	[404, '/schemas/t.forms.App/hidden'], [404, '/schemas/t.forms.App?classVersion=7'], [404, '/schemas/t.forms.App?packageName=t.none'],
	[404, '/schemas/t.forms.App?packageName=t.forms.parts&classVersion=1'], [400, '/schemas/t.forms.App?classVersion=x'],
		[400, '/schemas/t.forms.App?classVersion=%zz'],
	[400, '/schemas/t.forms.%00App'], [400, '/schemas/%ff'], [404, '/schemas/'], [404, '/schemas'], [404, '/schemas/a/b/c'], [404, '/schemas/a/b/c/d/e'],
	[404, '/../../etc/passwd'], [404, '/%2e%2e/etc/passwd'], [200, '/info'], [500, '/schemas/t.forms.Odd'])
{
	my $r = get($_->[1]);
	is($r->{status}, $_->[0], "GET $_->[1]: $_->[0]");
}
is(body(get('/schemas/t.forms.Odd'))->{error}{message}, 'no choices today', 'an error is the answer of `call`');
is($http->request('DELETE', "$base/schemas/t.forms.App")->{headers}{allow}, 'GET, HEAD', 'another method is refused');
my $head = $http->head("$base/info");
ok($head->{status} == 200 && ($head->{content} // '') eq '' && $head->{headers}{'content-length'} > 100, 'HEAD has no body');

# ---- public statics

my %double = (className => 't.forms.App', methodName => 'double');
for (
	[200, { %double, parameters => { x => 21 } }], [200, { %double, parameters => { x => 1 }, classVersion => '0.3', packageName => 't.forms' }],
	[400, { %double, parameters => { x => 'a' } }], [400, { %double, parameters => { y => 1 } }], [400, { %double, parameters => [1] }],
		[400, { className => 't.forms.App' }],
	[400, '[]'], [400, '{"className":'], [400, { %double, parameters => { x => 1 }, classVersion => 'x' }], [404, { %double, classVersion => '7' }],
	[404, { className => 't.forms.None', methodName => 'x' }], [404, { className => 't.forms.App', methodName => 'none' }],
		[404, { className => 't.forms.App', methodName => 'hidden' }],
	[400, { className => 't.forms.App', methodName => 'deploy' }], [500, { className => 't.forms.App', methodName => 'fails' }])
{
	my ($status, $ask) = @$_;
	my $r = post($ask);
	is($r->{status}, $status, 'POST /actions ' . (ref $ask ? $json->encode($ask) : $ask) . ": $status");
}
is(post({ %double, parameters => { x => 21 } })->{content}, "42\n", 'the result is the answer');
is(post({ %double }, 'text/plain')->{status}, 415, 'a page of another site cannot send this');
is($http->get("$base/actions")->{status}, 405, 'GET /actions');

# ---- what is no proper request

sub raw {
	my ($text, $limit) = @_;
	my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port) or return 'no connection';
	local $SIG{PIPE} = 'IGNORE';
	print $s $text;
	$s->flush;
	my $answer = '';
	my $end = time + ($limit || 10);
	while (time < $end && IO::Select->new($s)->can_read($end - time)) {
		sysread($s, $answer, 65536, length $answer) or last;
	}
	return $answer =~ m{^HTTP/1\.1 (\d+) } ? $1 : "no answer: $answer";
}
my $h = "Host: localhost\r\n";
for (
	[200, "GET /info HTTP/1.1\r\n$h\r\n"], [200, "GET /info HTTP/1.0\r\n\r\n"], [200, "GET /info HTTP/1.1\r\n$h\r\nGET / HTTP/1.1\r\n\r\n"],
	[400, "GET /info HTTP/1.1\r\n\r\n"], [400, "GET /info HTTP/1.1\r\n$h$h\r\n"], [421, "GET /info HTTP/1.1\r\nHost: evil.example\r\n\r\n"],
		[400, "GET  /info HTTP/1.1\r\n$h\r\n"],
	[505, "GET /info HTTP/2.0\r\n$h\r\n"], [400, "GET /info\r\n\r\n"], [400, "GET http://localhost/info HTTP/1.1\r\n$h\r\n"],
		[400, "GET /i\x{e9} HTTP/1.1\r\n$h\r\n"],
	[400, "GET /info HTTP/1.1\r\nHost : x\r\n\r\n"], [400, "GET /info HTTP/1.1\r\n$h folded\r\n\r\n"], [400, "GET /info HTTP/1.1\r\nA: b\nHost: x\r\n\r\n"],
	[400, "\r\n\r\n"], [400, "GET /info HTTP/1.1\r\nHost: a\0b\r\n\r\n"], [431, "GET /info HTTP/1.1\r\n$h" . "A: b\r\n" x 100 . "\r\n"],
		[431, 'GET /' . 'x' x 20000],
	[411, "POST /actions HTTP/1.1\r\n$h\r\n"], [413, "POST /actions HTTP/1.1\r\n${h}Content-Length: 99999999\r\n\r\n"],
		[400, "POST /actions HTTP/1.1\r\n${h}Content-Length: 1\r\nContent-Length: 1\r\n\r\nx"],
	[400, "POST /actions HTTP/1.1\r\n${h}Content-Length: +1\r\n\r\nx"],
		[400, "POST /actions HTTP/1.1\r\n${h}Content-Length: 99999999999999999999999\r\n\r\n"],
	[501, "POST /actions HTTP/1.1\r\n${h}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
		[417, "POST /actions HTTP/1.1\r\n${h}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"],
	[200, "GET / HTTP/1.1\r\n$h\r\n"], [200, "GET / HTTP/1.1\r\n${h}Accept-Encoding: gzip;q=0\r\n\r\n"])
{
	my ($status, $text) = @$_;
	(my $title = substr $text, 0, 70) =~ s/[^ -~]/./g;
	is(raw($text), $status, "$status: $title");
}
# others are answered while slow clients dawdle, more of them than there are places
my @slow = map { my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port); print $s 'GET /inf' if $s; $s && $s->flush; $s } 1 .. 60;
my $t = time;
ok(get('/info')->{status} == 200 && time - $t < 5, 'slow clients hold nobody up');
close $_ for grep { $_ } @slow;
my $late = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port);
for my $c (split //, "GET /info HTTP/1.1\r\n$h\r\n") { print $late $c; $late->flush; sleep 0.002 }
like(scalar readline($late), qr/^HTTP\/1\.1 200 /, 'a request byte by byte');

# ---- the page

my $page = $http->get("$base/", { headers => { 'Accept-Encoding' => 'gzip' } });
ok($page->{status} == 200 && $page->{headers}{'content-encoding'} eq 'gzip' && $page->{headers}{'content-security-policy'} =~ /default-src 'none'/,
	'the page is there');
require IO::Uncompress::Gunzip;
IO::Uncompress::Gunzip::gunzip(\$page->{content}, \my $html);
unlike($html, qr{(?:src|href)="?https?:}, 'it needs nothing from elsewhere');
my ($own) = $html =~ /.*<script>\n('use strict'.*)<\/script>/s;
my %declared;
$declared{$_}++ for ($own // '') =~ /^(?:async )?(?:const|let|function) (\w+)/mg;
is(join(' ', grep { $declared{$_} > 1 } sort keys %declared), '', 'its script declares a name once') if ok(%declared > 10, 'it has a script');
my $why = Browser::missing() || ($html =~ /JSONEditor=|JSONEditor\b.*?prototype/s && length $html > 100000 ? undef
	: 'the form library is not in this build: make page');
if (!Browser::missing() && $why) {
	without_library();
	skip('the forms of the page', $why);
} elsif ($why) {
	skip('the page in a browser', $why);
} else {
	in_browser();
}


sub without_library {
	my $b = eval { Browser->start($W) } or return;
	$b->open_page("$base/");
	ok($b->wait_for('document.querySelector("#form a")'), 'without the library the page links to the schemas');
	is($b->script('return document.querySelector("#form a").getAttribute("href")'), '/schemas/t.forms.App', 'of its classes');
	is($b->script('return getComputedStyle(document.querySelector("aside")).display'), 'none', 'and shows nothing that does not work');
}

sub in_browser {
	my $b = eval { Browser->start($W) };
	return skip('the page in a browser', "chromium does not start here: $@" =~ s/\n.*//sr) if !$b;
	my $model = sub { return $json->decode($b->script('return unescape(encodeURIComponent(document.getElementById("model").textContent))')) };
	my $state = sub { return $b->script('return document.getElementById("state").textContent') };
	my $errors = sub { return $b->script('return document.getElementById("errors").innerText') };
	$b->open_page("$base/");
	ok($b->wait_for("document.body.dataset.ready === 't.forms.App '"), 'the form of the first class appears')
		or print map { "# $_->{message}\n" } @{$b->log};
	is($b->script('return document.title'), 't.forms', 'the program says its name');
	is($b->script('return [...document.querySelectorAll("#form h2.section")].map(h => h.textContent).join("|")'), 'Look|Where it is|Other',
		'sections in their order');
	is($b->script('return document.querySelector("[data-schemapath=\'root.flavor\'] select").options.length') . '', '3', 'choices that a method gave');
	is($state->(), 'not valid yet', 'an empty name does not do');
	like($errors->(), qr/name: .*at least 3/, 'and it says why');

	$b->type('[name="root[name]"]', 'alpha');
	$b->type('[name="root[count]"]', '12');
	$b->wait_for('/count/.test(document.getElementById("errors").innerText)');
	like($errors->(), qr/count: .*less than 10/, 'a number out of range');
	$b->type('[name="root[count]"]', '4');
	$b->choose('[data-schemapath="root.flavor"] select', 'large');
	$b->type('[name="root[disks][0][size]"]', '20');
	ok($b->wait_for('document.getElementById("state").textContent === "valid"'), 'a person fills it in, and it is valid', $errors->());
	my $m = $model->();
	is($json->encode([ @$m{qw(name count flavor public)}, $m->{disks}[0]{size}, $m->{'?'}{type}, $m->{disks}[0]{'?'}{type} ]),
		'["alpha",4,"large",false,20,"t.forms.App/0.3.0","t.forms.parts.Disk/1.2.0"]', 'the model that it shows');

	$b->script('document.getElementById("method").value = "sized"; document.getElementById("method").dispatchEvent(new Event("change"))');
	ok($b->wait_for("document.body.dataset.ready === 't.forms.App sized'"), 'the form of a model builder');
	$b->type('[name="root[size]"]', '30');
	$b->wait_for('document.getElementById("state").textContent === "valid" && !document.getElementById("build").disabled');
	$b->click('#build');
	ok($b->wait_for("document.body.dataset.ready === 't.forms.App '"), 'which runs, and the class\'s form is back', $errors->());
	$m = $model->();
	is($json->encode([ @$m{qw(name count)}, $m->{main}{size}, $m->{main}{'?'}{type} ]), '["alpha",4,30,"t.forms.parts.Disk/1.2.0"]',
		'with what was there and what it made');

	$b->type('[name="root[main][size]"]', '10');
	$b->wait_for('/main/.test(document.getElementById("errors").innerText)');
	like($errors->(), qr/main\.size: .*greater than 10/, 'what check() wants of another object holds for it');
	$b->type('[name="root[main][size]"]', '30');
	$b->wait_for('document.getElementById("state").textContent === "valid"');

	# main wants an object with a place: its owner here is the application, and the contract agrees
	$m->{main}{place} = { '?' => { type => 't.forms.parts.Place/1.2', id => 'p' }, name => 'xy' };
	$m->{main}{'?'}{id} ||= 'main';
	spew("$W/session.in", $json->encode({ op => 'load', model => { Objects => $m } }) . "\n");
	my $answer = `$binary session < $W/session.in`;
	like($answer, qr/^\{"ok":true/, 'the program takes the model');
	my @severe = grep { $_->{level} eq 'SEVERE' && $_->{message} !~ /favicon/ } @{$b->log};
	ok(!@severe, 'the browser has no complaints', map { $_->{message} } @severe);
	$b->screenshot($ENV{SCREENSHOT}) if $ENV{SCREENSHOT};
}

# ---- the end

kill 'TERM', $pid;
waitpid($pid, 0);
is($?, 0, 'SIGTERM ends it well');
my ($second, $at) = (0, free_port());
if (!($second = fork // die "fork: $!")) {
	open(STDERR, '>', '/dev/null');
	exec($binary, 'serve', '--listen', "127.0.0.1:$at") or exit 127;
}
my $s;
for (1 .. 50) { $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $at) and last; sleep 0.1 }
my $text = $json->encode({ className => 't.forms.App', methodName => 'forever' });
print $s "POST /actions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " . length($text) . "\r\n\r\n$text";
$s->flush;
sleep 0.5;
kill 'TERM', $second;
local $SIG{ALRM} = sub { kill 'KILL', $second };
alarm 20;
like(scalar(readline $s) // 'nothing', qr/^HTTP\/1\.1 500 /, 'SIGTERM unwinds a method that would not end, and its caller hears of it');
close $s;
waitpid($second, 0);
alarm 0;
is($? >> 8, 143, 'and then the server ends');


for (['127.0.0.1', 2], ['example.org:80', 2], ['127.0.0.1:99999', 2], ['256.0.0.1:80', 2], ['1.2.3.4:8080', 1]) {
	my ($where, $want) = @$_;
	my $text = `$binary serve --listen $where 2>&1`;
	ok($? >> 8 == $want && $text =~ /--listen/, "--listen $where", $text);
}
done();
