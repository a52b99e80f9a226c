# A client of `vetro lsp` over pipes: frames, requests, and what comes without being asked for.
package Lsp;
use strict;
use warnings;
use Exporter 'import';
use IPC::Open2;
use JSON::PP;
use Tap;

our @EXPORT = qw(uri_of);
my $json = JSON::PP->new->canonical->utf8->allow_nonref;

sub uri_of { return "file://$_[0]" }

# Options: args of the command, what the client says at initialize.
sub start {
	my ($class, %o) = @_;
	my $self = bless {next => 1, notes => [], answers => {}, in => '', version => {}}, $class;
	$self->{pid} = open2($self->{from}, $self->{to}, $vetro, 'lsp', @{ $o{args} || [] });
	binmode $_ for $self->{from}, $self->{to};
	alarm($ENV{VETRO_LIMIT} || 600); # a server that says nothing ends the test
	return $self if $o{silent};
	my %options = $o{options} ? (initializationOptions => $o{options}) : ();
	$self->{initialized} = $self->ask('initialize',
		{processId => $$, capabilities => $o{capabilities} || {}, rootUri => $o{root} ? uri_of($o{root}) : undef, %options});
	$self->note('initialized', {});
	return $self;
}

sub raw { my ($self, $bytes) = @_; local $SIG{PIPE} = 'IGNORE'; syswrite $self->{to}, $bytes }
sub send_body { my ($self, $body) = @_; $self->raw('Content-Length: ' . length($body) . "\r\n\r\n$body") }
sub note { my ($self, $method, $params) = @_; $self->send_body($json->encode({jsonrpc => '2.0', method => $method, params => $params})) }

# Sends a request; its id.
sub request {
	my ($self, $method, $params) = @_;
	my $id = $self->{next}++;
	$self->send_body($json->encode({jsonrpc => '2.0', id => $id, method => $method, params => $params}));
	return $id;
}

# The next message of the server, or undef at its end.
sub message {
	my ($self) = @_;
	for (;;) {
		if ($self->{in} =~ /^(.*?\r\n)\r\n/s) {
			my ($head, $skip) = ($1, $+[0]);
			my ($n) = $head =~ /Content-Length: (\d+)/ or die "no length: $head";
			if (length $self->{in} >= $skip + $n) {
				my $body = substr $self->{in}, $skip, $n;
				substr($self->{in}, 0, $skip + $n) = '';
				return $json->decode($body);
			}
		}
		sysread($self->{from}, $self->{in}, 65536, length $self->{in}) or return undef;
	}
}

sub pump {
	my ($self) = @_;
	my $m = $self->message or return 0;
	if (exists $m->{method}) { push @{ $self->{notes} }, $m }
	else { $self->{answers}{ $m->{id} // 'null' } = $m }
	return 1;
}

# The whole response to the request of that id.
sub response {
	my ($self, $id) = @_;
	while (!exists $self->{answers}{$id}) { $self->pump or return undef }
	return delete $self->{answers}{$id};
}

sub ask { my ($self, @request) = @_; my $r = $self->response($self->request(@request)); return $r ? $r->{result} : undef }

sub open_text {
	my ($self, $path, $text) = @_;
	$self->{version}{$path} = 1;
	utf8::decode(my $t = $text);
	$self->note('textDocument/didOpen', {textDocument => {uri => uri_of($path), languageId => 'yaml', version => 1, text => $t}});
}
sub open_file { my ($self, $path) = @_; $self->open_text($path, Tap::slurp($path)) }
sub close_file { my ($self, $path) = @_; $self->note('textDocument/didClose', {textDocument => {uri => uri_of($path)}}) }

# Replaces [line, character] to [line, character] by a text; without a range all of it.
sub change {
	my ($self, $path, $text, $from, $to) = @_;
	utf8::decode($text);
	my %range = $from ? (range => {start => place(@$from), end => place(@{ $to || $from })}) : ();
	my $item = {uri => uri_of($path), version => ++$self->{version}{$path}};
	$self->note('textDocument/didChange', {textDocument => $item, contentChanges => [{text => $text, %range}]});
}
sub place { return {line => 0 + $_[0], character => 0 + $_[1]} }

# The diagnostics of the newest version of an open file.
sub diagnostics {
	my ($self, $path) = @_;
	for (;;) {
		for my $i (reverse 0 .. $#{ $self->{notes} }) {
			my $m = $self->{notes}[$i];
			next if $m->{method} ne 'textDocument/publishDiagnostics' || $m->{params}{uri} ne uri_of($path);
			last if ($m->{params}{version} // -1) != $self->{version}{$path};
			splice @{ $self->{notes} }, $i, 1;
			return $m->{params}{diagnostics};
		}
		$self->pump or die "the server ended";
	}
}

# "line:character CODE" of each, with lines and characters from 0 on.
sub codes { return map { "$_->{range}{start}{line}:$_->{range}{start}{character} $_->{code}" } @{ $_[0] } }

# A question about a place of a file; more: other members of params.
sub at {
	my ($self, $method, $path, $line, $character, %more) = @_;
	return $self->ask("textDocument/$method", {textDocument => {uri => uri_of($path)}, position => place($line, $character), %more});
}

# The exit status.
sub stop {
	my ($self) = @_;
	$self->ask('shutdown');
	$self->note('exit');
	return $self->wait;
}
sub wait { my ($self) = @_; close $self->{to}; while ($self->pump) { } waitpid $self->{pid}, 0; return $? >> 8 }

1;
