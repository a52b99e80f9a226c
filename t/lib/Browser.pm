# Headless Chromium through chromedriver (Debian: chromium, chromium-driver): the few commands of WebDriver that tests need.
package Browser;
use strict;
use warnings;
use HTTP::Tiny;
use JSON::PP;
use Tap;

my $json = JSON::PP->new->utf8->allow_nonref;
my $key = 'element-6066-11e4-a52e-4f735466cecf';

# Why there is no browser here; undef when there is one.
sub missing {
	for my $name ('chromedriver', 'chromium') {
		return "$name is not installed" if !grep { -x "$_/$name" } split /:/, $ENV{PATH};
	}
	return undef;
}

# An element that the page has not made yet is waited for.
# start(DIR): a browser whose files are in DIR; dies with the reason when it does not come up.
sub start {
	my ($class, $dir) = @_;
	my $port = free_port();
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		open(STDIN, '<', '/dev/null') && open(STDOUT, '>', "$dir/driver.log") && open(STDERR, '>&', \*STDOUT) or exit 126;
		setpgrp(0, 0);
		exec('chromedriver', "--port=$port") or exit 127;
	}
	my $self = bless { pid => $pid, base => "http://127.0.0.1:$port", http => HTTP::Tiny->new(timeout => 60) }, $class;
	for (1 .. 100) {
		last if $self->{http}->get("$self->{base}/status")->{success};
		select(undef, undef, undef, 0.1);
	}
	my @args = ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--disable-quic',
		'--disable-background-networking', '--disable-component-update', '--disable-sync', '--window-size=1300,1600',
		"--user-data-dir=$dir/profile");
	my $s = $self->command(POST => '/session', { capabilities => { alwaysMatch => { browserName => 'chrome',
		timeouts => { implicit => 10000 }, 'goog:chromeOptions' => { args => \@args },
		'goog:loggingPrefs' => { browser => 'ALL', performance => 'ALL' } } } });
	$self->{base} .= "/session/$s->{sessionId}";
	return $self;
}

sub command {
	my ($self, $verb, $path, $body) = @_;
	my %options = defined $body ? (content => $json->encode($body), headers => { 'Content-Type' => 'application/json' }) : ();
	my $r = $self->{http}->request($verb, $self->{base} . $path, \%options);
	my $value = eval { $json->decode($r->{content})->{value} };
	die "$verb $path: " . ($value ? $value->{message} : $r->{content}) . "\n" if !$r->{success};
	return $value;
}

sub open_page { my ($self, $url) = @_; return $self->command(POST => '/url', { url => $url }) }
sub script { my ($self, $text, @args) = @_; return $self->command(POST => '/execute/sync', { script => $text, args => \@args }) }
sub log { my ($self) = @_; return $self->command(POST => '/se/log', { type => 'browser' }) }

# Addresses that were asked for since the last call, whatever became of the request.
sub requests {
	my ($self) = @_;
	my @events = map { $json->decode($_->{message})->{message} } @{ $self->command(POST => '/se/log', { type => 'performance' }) };
	return map { $_->{params}{request}{url} } grep { $_->{method} eq 'Network.requestWillBeSent' } @events;
}

# How wide the window is for the page, which may be narrower than a window can be, and which colours the reader likes.
sub as_seen {
	my ($self, $width, $scheme) = @_;
	$self->command(POST => '/goog/cdp/execute', { cmd => 'Emulation.setDeviceMetricsOverride',
		params => { width => $width, height => 900, deviceScaleFactor => 1, mobile => JSON::PP::false } });
	$self->command(POST => '/goog/cdp/execute', { cmd => 'Emulation.setEmulatedMedia',
		params => { features => [{ name => 'prefers-color-scheme', value => $scheme }] } });
}

# Waits until the expression is true.
sub wait_for {
	my ($self, $expression) = @_;
	for (1 .. 150) {
		return 1 if $self->script("return !!($expression)");
		select(undef, undef, undef, 0.1);
	}
	return 0;
}

sub find {
	my ($self, $css) = @_;
	my $e = $self->command(POST => '/element', { using => 'css selector', value => $css });
	return "/element/$e->{$key}";
}

# Types what a person would: the old text goes, the new one comes, and the field is left.
sub type {
	my ($self, $css, $text) = @_;
	my $e = $self->find($css);
	$self->command(POST => "$e/value", { text => "\x{e009}a\x{e009}\x{e003}$text\x{e004}" });
}

sub click { my ($self, $css) = @_; return $self->command(POST => $self->find($css) . '/click', {}) }

sub choose {
	my ($self, $css, $label) = @_;
	my $e = $self->find($css);
	$self->command(POST => "$e/value", { text => $label });
}

sub screenshot {
	my ($self, $file) = @_;
	require MIME::Base64;
	open(my $f, '>', $file) or die "$file: $!";
	binmode $f;
	print $f MIME::Base64::decode_base64($self->command(GET => '/screenshot'));
	close $f;
}

sub DESTROY {
	my ($self) = @_;
	local $?;
	eval { $self->command(DELETE => '') } if $self->{base} =~ /session/;
	kill 'TERM', -$self->{pid};
	waitpid($self->{pid}, 0);
}

1;
