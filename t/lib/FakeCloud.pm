# A Keystone, a Heat and a RabbitMQ of a few lines each, as bad as a test wants them.  Each server is a process of its own on a
# loopback port; what it is asked is in a log of JSON lines.
package FakeCloud;
use strict;
use warnings;
use Exporter 'import';
use IO::Select;
use IO::Socket::INET;
use JSON::PP;
use Time::HiRes ();

our @EXPORT = qw(http_server broker requests stop_servers answer json_answer);
my @pids;
my $owner = $$;
END { stop_servers() }

sub stop_servers {
	return if $$ != $owner;
	my $rc = $?;
	kill 'KILL', @pids;
	waitpid $_, 0 for @pids;
	@pids = ();
	$? = $rc;
}

sub listener { return IO::Socket::INET->new(Listen => 128, LocalAddr => '127.0.0.1:0', ReuseAddr => 1) || die "listen: $!" }

# Runs serve($socket, $log) in a process of its own; the port.
sub start {
	my ($log, $serve) = @_;
	my $socket = listener();
	my $pid = fork // die "fork: $!";
	if ($pid) { push @pids, $pid; return $socket->sockport }
	$owner = 0;
	$SIG{PIPE} = 'IGNORE';
	open(my $f, '>', $log) or die "$log: $!";
	$f->autoflush(1);
	eval { $serve->($socket, $f); 1 } or print STDERR "# a fake server died: $@";
	require POSIX;
	POSIX::_exit(0);
}

# What a server was asked: a list of {method, path, head => {name}, body}.
sub requests {
	my ($log) = @_;
	open(my $f, '<', $log) or return ();
	return map { decode_json($_) } <$f>;
}

# ---- HTTP ---------------------------------------------------------------------------------------------
sub answer {
	my ($status, $body, %head) = @_;
	$head{'Content-Length'} //= length $body unless delete $head{open_end};
	return join("\r\n", "HTTP/1.1 $status X", (map { "$_: $head{$_}" } sort keys %head), 'Connection: close', '', '') . $body;
}
sub json_answer { my ($status, $data, %head) = @_; return answer($status, encode_json($data), 'Content-Type' => 'application/json', %head) }

sub read_request {
	my ($c) = @_;
	my $text = '';
	while ($text !~ /\r\n\r\n/) { sysread($c, $text, 65536, length $text) or return undef }
	my ($head, $body) = split /\r\n\r\n/, $text, 2;
	my ($first, @fields) = split /\r\n/, $head;
	my ($method, $path) = split / /, $first;
	my %head = map { /^([^:]+):\s*(.*)$/ ? (lc $1 => $2) : () } @fields;
	while (length $body < ($head{'content-length'} // 0)) { sysread($c, $body, 65536, length $body) or last }
	return {method => $method, path => $path, head => \%head, body => $body};
}

# {log, hook => sub { my ($request, $state) = @_; a whole answer, or undef for the usual one }, ...}; a hook may return a code
# reference, which gets the connection. %state: token (number of the last), stack (its document or undef), template, port, host.
sub http_server {
	my (%o) = @_;
	return start($o{log}, sub {
		my ($socket, $log) = @_;
		my $state = {port => $socket->sockport, token => 0, %{ $o{state} || {} }};
		$state->{base} //= "http://127.0.0.1:$state->{port}";
		while (my $c = $socket->accept) {
			my $q = read_request($c) or next;
			print $log encode_json($q), "\n";
			$q->{path} =~ s{^http://[^/]+}{};
			$state->{count}{"$q->{method} $q->{path}"}++;
			my $a = ($o{hook} && $o{hook}->($q, $state)) // usual($q, $state);
			if (ref $a) { $a->($c, $q, $state) } else { syswrite($c, $a) }
			close $c;
		}
	});
}

sub usual {
	my ($q, $s) = @_;
	my ($method, $path) = ($q->{method}, $q->{path});
	return login($q, $s) if $path eq '/v3/auth/tokens' && $method eq 'POST';
	$path =~ s{^/v1/p}{} or return json_answer(404, {error => {message => 'nothing is here'}});
	return json_answer(401, {error => {message => 'The request you have made requires authentication.'}})
		unless ($q->{head}{'x-auth-token'} // '') =~ /^secret-token-/;
	return create($q, $s) if $path eq '/stacks' && $method eq 'POST';
	my ($name, $id, $rest) = $path =~ m{^/stacks/([^/?]+)(?:/([^/?]+))?(.*)$};
	my $stack = $s->{stack};
	return json_answer(404, {error => {type => 'EntityNotFound', message => "The Stack ($name) could not be found."}})
		if !$name || !$stack || $stack->{stack_name} ne $name;
	return answer(302, '', Location => "$s->{base}/v1/p/stacks/$name/$stack->{id}$rest") unless $id;
	return json_answer(200, $s->{template}) if $rest eq '/template';
	return json_answer(200, {resources => $s->{resources} || []}) if $rest =~ m{^/resources};
	return events($rest, $s) if $rest =~ m{^/events};
	if ($method eq 'PUT') { change($q, $s); return json_answer(202, {}) }
	if ($method eq 'DELETE') { $s->{stack} = undef; return answer(204, '') }
	return json_answer(200, {stack => $stack});
}

# Those of $s->{events}, by marker, direction and limit, as Heat lists them.
sub events {
	my ($rest, $s) = @_;
	my @all = @{ $s->{events} || [] };
	my ($limit) = $rest =~ /limit=(\d+)/;
	@all = reverse @all if $rest =~ /sort_dir=desc/;
	if ($rest =~ /marker=([^&]+)/) {
		my $marker = $1;
		shift @all while @all && $all[0]{id} ne $marker;
		shift @all;
	}
	$#all = $limit - 1 if $limit && @all > $limit;
	return json_answer(200, {events => \@all});
}

sub login {
	my ($q, $s) = @_;
	$s->{token}++;
	return json_answer(201, {token => {methods => ['password'], expires_at => '2099-01-01T00:00:00.000000Z',
		user => {id => 'u', name => 'demo'}, project => {id => 'p', name => 'demo'},
		catalog => [{type => 'orchestration', name => 'heat', endpoints => [{interface => 'public', region => 'RegionOne',
			region_id => 'RegionOne', url => ($s->{heat} // $s->{base}) . '/v1/p'}]}]}}, 'X-Subject-Token' => "secret-token-$s->{token}");
}

sub create {
	my ($q, $s) = @_;
	my $data = decode_json($q->{body});
	$s->{stack} = {id => 'id-1', stack_name => $data->{stack_name}, stack_status => 'CREATE_COMPLETE', creation_time => '2026-01-01T00:00:00Z',
		updated_time => undef, parameters => {}, outputs => [{output_key => 'o', output_value => 42}], stack_status_reason => 'done'};
	$s->{template} = $data->{template};
	return json_answer(201, {stack => {id => 'id-1', links => []}});
}

sub change {
	my ($q, $s) = @_;
	my $n = ++$s->{changes};
	@{ $s->{stack} }{qw(stack_status updated_time)} = ($s->{fails} ? 'UPDATE_FAILED' : 'UPDATE_COMPLETE', "2026-01-01T00:00:0${n}Z");
	$s->{stack}{stack_status_reason} = $s->{fails} // 'done';
	$s->{template} = decode_json($q->{body})->{template};
}

# ---- AMQP 0-9-1 -----------------------------------------------------------------------------------------
sub shortstr { return pack('C/a*', $_[0]) }
sub longstr { return pack('N/a*', $_[0]) }
sub frame { my ($type, $channel, $payload) = @_; return pack('CnN', $type, $channel, length $payload) . $payload . "\xce" }
sub method { my ($channel, $class, $method, $args) = @_; return frame(1, $channel, pack('nn', $class, $method) . ($args // '')) }

# One message to a consumer, in frames.
sub deliver {
	my ($c, $id, $body) = @_;
	my $text = method(1, 60, 60, shortstr($c->{tag} // 'c') . pack('Q>C', ++$c->{delivered}, 0) . shortstr('') . shortstr($c->{queue} // ''));
	$text .= frame(2, 1, pack('nnQ>n', 60, 0, length $body, 0x0080) . shortstr($id));
	for (my $at = 0; $at < length $body; $at += 131064) { $text .= frame(3, 1, substr($body, $at, 131064)) }
	return $text;
}

# {log, refuse => [code, text] or 'hang up' at the login, declare => [code, text], answer => sub { my ($plan, $consumer, $state) = @_;
# bytes }, told when a plan has come and somebody consumes}.
sub broker {
	my (%o) = @_;
	return start($o{log}, sub {
		my ($socket, $log) = @_;
		my ($select, %c) = IO::Select->new($socket);
		my $state = {connections => 0};
		while (1) {
			for my $fd ($select->can_read) {
				if ($fd == $socket) {
					my $new = $socket->accept or next;
					$select->add($new);
					$c{$new} = {fd => $new, in => '', number => ++$state->{connections}};
					next;
				}
				my $c = $c{$fd};
				if (!sysread($fd, $c->{in}, 1 << 16, length $c->{in}) || !eval { talk($c, \%o, $state, $log); 1 }) {
					$select->remove($fd);
					delete $c{$fd};
					close $fd;
				}
				for my $x (values %c) {
					next unless $x->{consumes} && @{ $state->{plans} || [] } && $o{answer};
					my $bytes = $o{answer}->($state->{plans}[0], $x, $state);
					shift @{ $state->{plans} };
					if (!defined $bytes) { $select->remove($x->{fd}); close $x->{fd}; delete $c{$x->{fd}}; last }
					put($x, $bytes);
				}
			}
		}
	});
}

sub put {
	my ($c, $bytes) = @_;
	for (my $at = 0; $at < length $bytes;) { $at += syswrite($c->{fd}, $bytes, length($bytes) - $at, $at) // die "gone\n" }
}

sub talk {
	my ($c, $o, $state, $log) = @_;
	if (!$c->{begun}) {
		return if length $c->{in} < 8;
		substr($c->{in}, 0, 8) = '';
		$c->{begun} = 1;
		put($c, method(0, 10, 10, pack('CC', 0, 9) . longstr('') . longstr('PLAIN') . longstr('en_US')));
	}
	while (length $c->{in} >= 7) {
		my ($type, $channel, $size) = unpack 'CnN', $c->{in};
		return if length $c->{in} < $size + 8;
		my $payload = substr($c->{in}, 7, $size);
		substr($c->{in}, 0, $size + 8) = '';
		if ($type == 1) { on_method($c, $o, $state, $log, $channel, unpack('nn', $payload), substr($payload, 4)) }
		elsif ($type == 2) { (undef, undef, $c->{want}) = unpack 'nnQ>', $payload; $c->{body} = '' }
		elsif ($type == 3) { $c->{body} .= $payload }
		if ($type > 1 && $type < 4 && defined $c->{want} && length $c->{body} >= $c->{want}) {
			push @{ $state->{plans} }, decode_json($c->{body});
			print $log encode_json({plan => decode_json($c->{body}), connection => $c->{number}}), "\n";
			put($c, method(1, 60, 80, pack('Q>C', ++$c->{acks}, 0)));
			$c->{want} = undef;
		}
	}
}

sub on_method {
	my ($c, $o, $state, $log, $channel, $class, $method, $args) = @_;
	my $what = "$class.$method";
	if ($what eq '10.11' && $o->{refuse}) {
		die "hang up\n" unless ref $o->{refuse};
		return put($c, method(0, 10, 50, pack('n', $o->{refuse}[0]) . shortstr($o->{refuse}[1]) . pack('nn', 0, 0)));
	}
	return put($c, method(0, 10, 30, pack('nNn', 10, 131072, 0))) if $what eq '10.11';
	return put($c, method(0, 10, 41, shortstr(''))) if $what eq '10.40';
	return put($c, method(1, 20, 11, longstr(''))) if $what eq '20.10';
	if ($what eq '50.10') {
		my ($queue) = unpack 'x2C/a', $args;
		print $log encode_json({declare => $queue, connection => $c->{number}}), "\n";
		return put($c, method(1, 20, 40, pack('n', $o->{declare}[0]) . shortstr($o->{declare}[1]) . pack('nn', 50, 10))) if $o->{declare};
		return put($c, method(1, 50, 11, shortstr($queue) . pack('NN', 0, 0)));
	}
	return put($c, method(1, 85, 11)) if $what eq '85.10';
	return put($c, method(1, 60, 11)) if $what eq '60.10';
	if ($what eq '60.20') {
		($c->{queue}) = unpack 'x2C/a', $args;
		put($c, method(1, 60, 21, shortstr('c')));
		$c->{consumes} = 1;
		print $log encode_json({consume => $c->{queue}, connection => $c->{number}}), "\n";
	}
	put($c, method(0, 10, 51)) if $what eq '10.50';
}

1;
