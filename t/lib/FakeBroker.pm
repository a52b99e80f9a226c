# A broker that speaks enough AMQP 0-9-1 for `vetro engine`, with Keystone and murano-api beside it: all in the process of the test,
# which says what is delivered and sees what comes back.
package FakeBroker;
use strict;
use warnings;
use IO::Select;
use IO::Socket::INET;
use JSON::PP;
use POSIX qw(strftime);
use Time::HiRes qw(time);

my $json = JSON::PP->new->canonical->allow_nonref;

sub new {
	my ($class, %o) = @_;
	$SIG{PIPE} = 'IGNORE';
	my $s = bless { packages => {}, deployments => [], published => [], settled => [], requests => [], conns => {}, tag => 0, waiting => [], %o }, $class;
	$s->{$_} = IO::Socket::INET->new(Listen => 16, LocalAddr => '127.0.0.1', ReuseAddr => 1) // die "listen: $!" for qw(amqp http);
	$s->{sel} = IO::Select->new($s->{amqp}, $s->{http});
	return $s;
}
sub amqp_port { $_[0]{amqp_port} //= $_[0]{amqp}->sockport }
# Nobody listens; again, at the same port.
sub leave {
	my ($s) = @_;
	$s->amqp_port;
	$s->{sel}->remove($s->{amqp});
	close delete $s->{amqp};
	$s->break_connection('');
}
sub come_back {
	my ($s) = @_;
	$s->{amqp} = IO::Socket::INET->new(Listen => 16, LocalAddr => '127.0.0.1', LocalPort => $s->{amqp_port}, ReuseAddr => 1) // die "listen: $!";
	$s->{sel}->add($s->{amqp});
}
sub http_port { $_[0]{http}->sockport }

# Serves until the condition holds; what it gives, or nothing.
sub pump {
	my ($s, $seconds, $until) = @_;
	my $end = time + $seconds;
	while (time < $end) {
		my $got = $until->($s);
		return $got if $got;
		$s->step($_) for $s->{sel}->can_read(0.05);
	}
	return;
}

sub step {
	my ($s, $fh) = @_;
	if (grep { $_ && $fh == $_ } @$s{qw(amqp http)}) {
		my $c = $fh->accept or return;
		$s->{sel}->add($c);
		$s->{conns}{$c} = { fh => $c, kind => $fh != $s->{http} ? 'amqp' : 'http', in => '', unsettled => {} };
		return;
	}
	my $c = $s->{conns}{$fh};
	my $n = sysread($fh, my $more, 1 << 20);
	return $s->gone($c) if !$n;
	$c->{in} .= $more;
	$c->{kind} eq 'amqp' ? $s->frames($c) : $s->http($c);
}

# What was not settled comes again.
sub gone {
	my ($s, $c) = @_;
	$s->{sel}->remove($c->{fh});
	close $c->{fh};
	delete $s->{conns}{ $c->{fh} };
	unshift @{ $s->{waiting} }, map { [$c->{unsettled}{$_}, 1] } sort { $a <=> $b } keys %{ $c->{unsettled} };
	delete $s->{consumer} if $s->{consumer} && $s->{consumer} == $c;
}

# ---- AMQP
sub short { pack('C/a*', $_[0]) }
sub put {
	my ($s, $c, $type, $channel, $payload) = @_;
	my $data = pack('CnN', $type, $channel, length $payload) . $payload . "\xce";
	while (length $data) {
		my $n = syswrite($c->{fh}, $data) or return;
		substr($data, 0, $n) = '';
	}
}
sub method { my ($s, $c, $channel, $class, $id, $args) = @_; $s->put($c, 1, $channel, pack('nn', $class, $id) . ($args // '')) }

sub frames {
	my ($s, $c) = @_;
	if (!$c->{open}) {
		return if length $c->{in} < 8;
		substr($c->{in}, 0, 8) = '';
		$c->{open} = 1;
		$s->method($c, 0, 10, 10, "\0\x09" . pack('N', 0) . pack('N/a*', 'PLAIN AMQPLAIN') . pack('N/a*', 'en_US'));
	}
	while (length $c->{in} >= 8) {
		my ($type, $channel, $n) = unpack 'CnN', $c->{in};
		return if length $c->{in} < 8 + $n;
		my $payload = substr $c->{in}, 7, $n;
		substr($c->{in}, 0, 8 + $n) = '';
		if ($type == 1) { $s->asked($c, $channel, unpack('nn a*', $payload)) }
		elsif ($type == 2) { $c->{want} = unpack 'x4 Q>', $payload; $c->{body} = ''; $s->took($c, $channel) if !$c->{want} }
		elsif ($type == 3) { $c->{body} .= $payload; $s->took($c, $channel) if length $c->{body} >= $c->{want} }
		return if !$s->{conns}{ $c->{fh} };
	}
}

my %answers = ('10.31' => [], '10.40' => [10, 41, "\0"], '20.10' => [20, 11, pack('N', 0)],
	'40.10' => [40, 11], '50.20' => [50, 21], '85.10' => [85, 11], '60.10' => [60, 11],
	'10.50' => [10, 51]);
sub asked {
	my ($s, $c, $channel, $class, $id, $args) = @_;
	my $key = "$class.$id";
	if ($key eq '10.11') { $s->method($c, 0, 10, 30, pack('nNn', 2047, 131072, 60)) }
	elsif ($key eq '50.10') { my $q = unpack 'x2 C/a*', $args; $s->method($c, $channel, 50, 11, short($q) . pack('NN', 0, 0)) }
	elsif ($key eq '60.20') {
		my ($q, $tag) = unpack 'x2 C/a* C/a*', $args;
		$tag ||= 'replies';
		$s->{consumer} = $c, $c->{tasks} = $tag if $q eq 'tasks';
		$c->{replies} = $q, $c->{replies_tag} = $tag, $c->{replies_channel} = $channel if $q ne 'tasks';
		$s->method($c, $channel, 60, 21, short($tag));
		$s->deliver_waiting if $q eq 'tasks';
	}
	elsif ($key eq '60.40') { ($c->{exchange}, $c->{key}) = unpack 'x2 C/a* C/a*', $args }
	elsif ($key eq '60.80' || $key eq '60.90') {
		my $tag = unpack 'Q>', $args;
		push @{ $s->{settled} }, { tag => $tag, how => $key eq '60.80' ? 'ack' : 'reject', body => delete $c->{unsettled}{$tag} };
	}
	elsif ($key eq '60.30') { delete $s->{consumer} }
	elsif ($answers{$key}) { $s->method($c, $channel, @{ $answers{$key} }) if @{ $answers{$key} } }
}

# A message of the engine: kept, confirmed, and a result is answered.
sub took {
	my ($s, $c, $channel) = @_;
	my $text = eval { $json->decode($c->{body})->{'oslo.message'} };
	my $m = { exchange => $c->{exchange}, key => $c->{key}, at => time, message => eval { $json->decode($text // $c->{body}) } };
	push @{ $s->{published} }, $m;
	$s->method($c, $channel, 60, 80, pack('Q>C', ++$c->{confirmed}, 0));
	return if $c->{key} ne 'results' || $s->{silent};
	$s->send_reply($c, { result => undef, failure => $s->{failure}, ending => JSON::PP::true, _msg_id => $m->{message}{_msg_id}, _unique_id => unique() });
}

sub content {
	my ($s, $c, $channel, $body) = @_;
	$s->put($c, 2, $channel, pack('nnQ>n', 60, 0, length $body, 0));
	for (my $at = 0; $at < length $body; $at += 100000) { $s->put($c, 3, $channel, substr $body, $at, 100000) }
}

sub send_reply {
	my ($s, $c, $message) = @_;
	$s->method($c, $c->{replies_channel}, 60, 60, short($c->{replies_tag}) . pack('Q>C', ++$s->{tag}, 0) . short('') . short($c->{replies}));
	$s->content($c, $c->{replies_channel}, wrap($message));
}

sub wrap { $json->encode({ 'oslo.version' => '2.0', 'oslo.message' => $json->encode($_[0]) }) }
sub unique { join '', map { sprintf '%02x', int rand 256 } 1 .. 16 }

# A delivery: text as it is, or a message.
sub deliver {
	my ($s, $body, $again) = @_;
	push @{ $s->{waiting} }, [ref $body ? wrap($body) : $body, $again // 0];
	$s->deliver_waiting;
}
sub deliver_waiting {
	my ($s) = @_;
	my $c = $s->{consumer} or return;
	while (my $w = shift @{ $s->{waiting} }) {
		my $tag = ++$s->{tag};
		$c->{unsettled}{$tag} = $w->[0];
		$s->method($c, 1, 60, 60, short($c->{tasks}) . pack('Q>C', $tag, $w->[1]) . short('murano') . short('tasks'));
		$s->content($c, 1, $w->[0]);
	}
}
sub unsettled { my ($s) = @_; my $n = @{ $s->{waiting} }; $n += keys %{ $_->{unsettled} } for values %{ $s->{conns} }; return $n }
# Bytes that are no AMQP, and the end of the connection.
sub break_connection {
	my ($s, $bytes) = @_;
	my $c = $s->{consumer} or return;
	syswrite $c->{fh}, $bytes if length $bytes;
	$s->gone($c);
}

# ---- Keystone and murano-api
sub http {
	my ($s, $c) = @_;
	return if $c->{in} !~ /\r\n\r\n/;
	my ($head, $body) = split /\r\n\r\n/, $c->{in}, 2;
	my ($n) = $head =~ /^content-length: (\d+)/mi;
	return if ($n // 0) > length $body;
	my ($method, $path) = split ' ', $head;
	push @{ $s->{requests} }, "$method $path";
	my ($token) = $head =~ /^x-auth-token: (\S+)/mi;
	push @{ $s->{heat_asked} }, [$method, $path, $token] if $path =~ m{^/heat/};
	my ($status, $data, @fields) = $s->route($method, $path, $body);
	$data = $json->encode($data) if ref $data;
	my $out = "HTTP/1.1 $status X\r\n" . join('', map { "$_\r\n" } @fields,
		'Date: ' . strftime('%a, %d %b %Y %H:%M:%S GMT', gmtime), 'Content-Length: ' . length $data)
		. "Connection: close\r\n\r\n$data";
	syswrite $c->{fh}, $out;
	$s->gone($c);
}

# A Heat that has made every stack as soon as it was asked.
sub heat {
	my ($s, $method, $path) = @_;
	my ($name) = $path =~ m{/stacks/([^/?]+)};
	return (201, { stack => { id => 'id-0' } }) if $method eq 'POST' and $s->{stack} = 1;
	return (404, { error => { message => 'none' } }) if !$s->{stack};
	return (200, {}) if $path =~ /template/;
	return (200, { stack => { id => 'id-0', stack_name => $name // 's', stack_status => 'CREATE_COMPLETE', stack_status_reason => '',
		parameters => {}, outputs => [], description => '', tags => [] } });
}

sub route {
	my ($s, $method, $path, $body) = @_;
	return @{ $s->{http_answer} } if $s->{http_answer};
	return (503, '') if $path =~ m{^/v3/} && ($s->{busy} // 0) > 0 && $s->{busy}--;
	if ($path eq '/v3/auth/tokens') {
		my $heat = 'http://127.0.0.1:' . $s->http_port . '/heat/p1';
		my @heat = { interface => 'public', region => 'R', region_id => 'R', url => $heat };
		return (201, { token => { user => { id => 'u1' }, project => { id => 'p1' }, roles => [{ name => 'member' }],
			expires_at => '2099-01-01T00:00:00Z', catalog => [{ type => 'orchestration', name => 'heat', endpoints => \@heat }] } },
			'X-Subject-Token: secret-token-of-trust');
	}
	return $s->heat($method, $path) if $path =~ m{^/heat/};
	return (201, { trust => { id => 'abcdef0123456789abcdef0123456789' } }) if $method eq 'POST' && $path =~ /OS-TRUST/;
	return (204, '') if $method eq 'DELETE';
	return (200, { deployments => $s->{deployments} }) if $path =~ m{/deployments$};
	if ($path =~ m{/packages/([0-9a-f]+)/download}) {
		my ($p) = grep { $_->{id} eq $1 } values %{ $s->{packages} };
		return $p ? (200, $p->{zip}) : (404, '');
	}
	if ($path =~ m{/packages\?(?:class_name|fqn)=([^&]+)}) {
		my $p = $s->{packages}{$1};
		return (200, { packages => $p ? [{ id => $p->{id}, owner_id => 'p1', is_public => JSON::PP::false, fully_qualified_name => $1 }] : [] });
	}
	return (300, { versions => [] });
}

1;
