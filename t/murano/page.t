#!/usr/bin/perl
# The page of `deploy serve` and texts of the program: none of them is read as HTML. And who may ask the server.
use strict;
use warnings;
use Digest::SHA qw(sha256_base64);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Browser;
use HTTP::Tiny;
use IO::Uncompress::Gunzip qw(gunzip);
use JSON::PP;
use Tap;
use Time::HiRes qw(sleep);

my $json = JSON::PP->new->utf8->allow_nonref;
my $evil = '<img src=x onerror="window.canary=1"><script>window.canary=2</script>&amp;"' . "'";
sub evil { my ($n) = @_; return $json->encode("$n $evil") }
mkdir "$W/$_" for 'p', 'p/Classes';
spew("$W/p/manifest.yaml", <<"Y");
Format: '1.4'
Type: Application
FullName: t.page
Name: @{[evil('name')]}
Description: @{[evil('package')]}
Version: 1.0.0
Classes: { t.page.App: App.yaml }
Y
spew("$W/p/Classes/App.yaml", <<"Y");
Namespaces: { =: t.page, std: io.murano, m: io.murano.metadata, mf: io.murano.metadata.forms }
Name: App
Extends: std:Application
Meta:
  - m:Title: { text: @{[evil('title')]} }
  - m:Description: { text: @{[evil('description')]} }
  - mf:Section: { name: s, title: @{[evil('section')]}, index: 1 }
Properties:
  plain:
    Contract: \$.string().notNull().check(len(\$) < 10)
    Default: @{[evil('value')]}
    Meta:
      - m:Title: { text: @{[evil('field')]} }
      - m:Description: { text: @{[evil('about')]} }
      - m:HelpText: { text: @{[evil('help')]} }
      - mf:Position: { index: 1, section: s }
  choice:
    Contract: \$.string().notNull().check(\$ in [@{[evil('one') =~ s/'/''/gr =~ s/^"|"\$//gr =~ s/\\\\"/"/gr =~ s/(.*)/'$1'/r =~ s/''/\\\\'/gr]}, two])
    Default: two
  list:
    Contract: [ \$.string() ]
    Default: [ @{[evil('item')]} ]
  map:
    Contract: { \$.string(): \$.string() }
    Default: { @{[evil('key')]}: @{[evil('entry')]} }
  flag:
    Contract: \$.bool().notNull()
    Default: false
    Meta: [ m:Title: { text: @{[evil('flag')]} } ]
Methods:
  builder:
    Usage: Static
    Scope: Public
    Meta: [ m:Title: { text: @{[evil('method')]} }, io.murano.metadata.ModelBuilder: ]
    Arguments: [ model: { Contract: {} }, n: { Contract: \$.string(), Meta: [ m:Title: { text: @{[evil('argument')]} } ] } ]
    Body: [ Return: { t.page.App: { plain: x } } ]
  fails:
    Usage: Static
    Scope: Public
    Body: [ { Throw: X, Message: @{[evil('raised')]} } ]
Y
my $binary = "$W/page.bin";
my ($rc, $out, $err) = vetro('build', '-O0', '-o', $binary, "$W/p");
ok($rc == 0, 'the package builds', $out . $err) or do { done(); exit };

# A server: its process and port, and what it says at first.
sub serve {
	my (@options) = @_;
	my $pid = open(my $from, '-|') // die "fork: $!";
	if (!$pid) {
		open(STDERR, '>&', \*STDOUT);
		exec($binary, 'serve', @options) or exit 127;
	}
	my $line = readline $from;
	my ($port) = $line =~ /:(\d+)\/$/ or die "no port: $line";
	return { pid => $pid, port => $port, from => $from, line => $line };
}

sub stop {
	my ($s) = @_;
	kill 'TERM', $s->{pid};
	waitpid $s->{pid}, 0;
}

my $http = HTTP::Tiny->new(timeout => 30);
sub info {
	my ($s, $host) = @_;
	# HTTP::Tiny makes Host from the URL
	my $socket = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $s->{port}) or return 'no connection';
	print $socket "GET /info HTTP/1.1\r\nHost: $host\r\n\r\n";
	$socket->flush;
	my $text = do { local $/; <$socket> } // '';
	return $text =~ /^HTTP\/1.1 200 .*?\r\n\r\n(.*)/s ? $json->decode($1) : ($text =~ /^HTTP\/1.1 (\d+)/)[0];
}

my $local = serve('--listen', '127.0.0.1:0');

# ---- the policy

my $page = $http->get("http://127.0.0.1:$local->{port}/", { headers => { 'Accept-Encoding' => 'gzip' } });
gunzip(\$page->{content}, \my $html);
my $policy = $page->{headers}{'content-security-policy'} // '';
unlike($policy, qr/unsafe|\*|https?:/, 'the policy allows nothing by a word');
like($policy, qr/^default-src 'none'; script-src (?:'sha256-[\w+\/]{43}=' ?)+; style-src (?:'sha256-[\w+\/]{43}=' ?)+;/, 'scripts and styles by hashes');
my @inline = $html =~ /<(?:script|style)>(.*?)<\/(?:script|style)>/sg;
my @none = grep { index($policy, "'sha256-" . sha256_base64($_) . "='") < 0 } @inline;
ok(@inline >= 2 && !@none, 'those of ' . @inline . ' scripts and styles of the page are in it', map { substr $_, 0, 80 } @none);
unlike($html =~ s/<(script|style)>.*?<\/\1>//gsr, qr/<[^>]* (?:on\w+|style|href|src)=/i, 'no element brings a script, a style or an address');
unlike($html =~ s/<script>\n\/\* \@json-editor.*?<\/script>//sr, qr/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/,
	'the script of the page makes no HTML of texts');

# ---- who may ask

is(ref info($local, "127.0.0.1:$local->{port}"), 'HASH', 'the address');
is(ref info($local, 'localhost'), 'HASH', 'localhost');
is(ref info($local, 'LocalHost:80'), 'HASH', 'in any case, with any port');
is(info($local, $_), 421, "Host: $_") for 'evil.example', '127.0.0.1.evil.example', '10.0.0.1', 'localhost.', '[::1]', 'local';
ok(!exists info($local, 'localhost')->{open}, 'the loopback address needs no warning');

my $wide = serve('--listen', '0.0.0.0:0', '--host', 'forms.example', '--host', 'other.example');
like(scalar readline $wide->{from}, qr/^page\.bin: warning: 0\.0\.0\.0:\d+ is not only this machine's, and there is no password/, 'all addresses: a warning');
is(ref info($wide, '127.0.0.1'), 'HASH', 'there the address that was reached');
is(ref info($wide, $_), 'HASH', "--host $_") for 'forms.example', 'Other.Example:8080';
is(info($wide, $_), 421, "Host: $_") for 'evil.example', 'localhost', '10.0.0.1', 'forms.example.evil', '';
is(info($wide, 'forms.example')->{open}, "0.0.0.0:$wide->{port}", '/info says who can reach it');

# ---- in a browser

my $why = Browser::missing() || (length $html > 100000 ? undef : 'the form library is not in this build: make page');
my $b = $why ? undef : eval { Browser->start($W) };
$why //= "chromium does not start here: $@" =~ s/\n.*//sr if !$b;
if ($b) {
	my $all = sub { return $b->script('return document.body.innerText +
		[...document.querySelectorAll("input, textarea, option")].map(e => e.value).join("|")') };
	my $shown = sub {
		my ($title) = @_;
		ok(!$b->script('return window.canary !== undefined'), "$title: nothing of it runs");
		is($b->script('return document.querySelectorAll("#form img, #form script, aside img, header img").length') . '', '0',
			"$title: and nothing is an element");
	};
	$b->open_page("http://127.0.0.1:$local->{port}/");
	ok($b->wait_for('document.body.dataset.ready'), 'the form appears') or print map { "# $_->{message}\n" } @{ $b->log };
	sleep 0.5;
	$shown->('the form');
	my $text = $all->();
	my @missing = grep { index($text, "$_ <img src=x onerror=") < 0 } 'title', 'section', 'field', 'about', 'value', 'item';
	ok(!@missing, 'texts are shown as they are', @missing);
	$b->script('document.getElementById("method").value = "builder"; document.getElementById("method").dispatchEvent(new Event("change"))');
	ok($b->wait_for('/builder$/.test(document.body.dataset.ready)'), 'the form of a method');
	sleep 0.3;
	$shown->('a method');
	ok($b->script('return document.getElementById("open").hidden'), 'no warning here');
	my @severe = grep { $_->{level} eq 'SEVERE' && $_->{message} !~ /favicon/ } @{ $b->log };
	ok(!@severe, 'the page itself needs nothing that its policy refuses', map { $_->{message} } @severe);
	# what gets in by another way does not run either
	$b->script('const d = document.createElement("div"); d.innerHTML = "<img src=x onerror=\"window.canary=3\">"; document.body.append(d);'
		. ' const s = document.createElement("script"); s.textContent = "window.canary=4"; document.body.append(s)');
	sleep 0.5;
	ok(!$b->script('return window.canary !== undefined'), 'the policy holds back a handler and a script that were put into the page');
	$b->open_page("http://127.0.0.1:$wide->{port}/");
	ok($b->wait_for('!document.getElementById("open").hidden'), 'beyond loopback the page says so');
	like($b->script('return document.getElementById("open").textContent'), qr/listens on 0\.0\.0\.0:\d+ without a password/, 'that there is no password');
} else {
	skip('the page in a browser', $why);
}
stop($local);
stop($wide);
done();
