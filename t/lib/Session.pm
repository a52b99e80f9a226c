# A package of t/data/murano as a running session: built once, asked in JSON lines. Expected values are JSON text.
# $VETRO_PASSES has options of `build`, as -fno-calls.
# $SESSION names another program that speaks the protocol of `deploy session` and takes the package's directory.
package Session;
use strict;
use warnings;
use IPC::Open2;
use JSON::PP;
use Tap;

our @options; # further ones of `session`
my $json = JSON::PP->new->canonical->allow_nonref->utf8;

# start(PACKAGE [, MODEL [, CONFIG]]): a session of t/data/murano/PACKAGE, or of a directory; the model is JSON text.
sub start {
	my ($class, $name, $model, $config) = @_;
	my $dir = $name =~ m{^/} ? $name : "$FindBin::Bin/../data/murano/$name";
	my @command = $ENV{SESSION} ? (split(' ', $ENV{SESSION}), $dir) : (build($dir), 'session', '--expose', 'test*', @options);
	return $class->open($model, $config, @command);
}

# The same with a command that speaks the protocol.
sub run {
	my ($class, $model, @command) = @_;
	return $class->open($model, undef, @command);
}

sub open {
	my ($class, $model, $config, @command) = @_;
	my $self = bless { last => {} }, $class;
	$self->{pid} = open2($self->{from}, $self->{to}, @command);
	$self->{to}->autoflush(1);
	return $self unless defined $model;
	my $load = '{"op":"load","model":' . $model . ($config ? ",\"config\":$config" : '') . '}';
	my $answer = $self->send($load);
	$answer->{ok} or print "# load: $self->{raw}\n";
	return $self;
}

sub build {
	my ($dir) = @_;
	(my $name = $dir) =~ s{.*/}{};
	my $binary = "$W/$name.bin";
	return $binary if -x $binary;
	my ($rc, $out, $err) = vetro('build', '-O0', split(' ', $ENV{VETRO_PASSES} // ''), '-o', $binary, $dir);
	Tap::ok($rc == 0, "$name builds", $out . $err) or do { print "Bail out! $name does not build\n"; exit 1 };
	return $binary;
}

# One line there, one line back, decoded; what is no JSON comes back as undef.
sub send {
	my ($self, $line) = @_;
	local $SIG{PIPE} = 'IGNORE';
	print { $self->{to} } $line, "\n";
	my $answer = readline $self->{from};
	$self->{raw} = $answer // '(the session has ended)';
	return $self->{last} = defined $answer ? eval { $json->decode($answer) } // {} : {};
}

sub ask {
	my ($self, $request) = @_;
	return $self->send($json->encode($request));
}

# ARGS is JSON text: an array of positional arguments or an object of keywords.
sub call {
	my ($self, $method, $args, $target) = @_;
	my $a = $json->decode($args // '[]');
	my %named = ref $a eq 'HASH' ? (args => [], kwargs => $a) : (args => $a, kwargs => {});
	return $self->ask({ op => 'call', target => $target, method => $method, %named });
}

# In a torture build with a seed tasks run in any order, and so lists of what they did are in any order.
sub canonical {
	my ($v) = @_;
	return $json->encode($v) unless $ENV{VETRO_TORTURE_SEED};
	return '[' . join(',', sort map { canonical($_) } @$v) . ']' if ref $v eq 'ARRAY';
	return '{' . join(',', map { "$_:" . canonical($v->{$_}) } sort keys %$v) . '}' if ref $v eq 'HASH';
	return $json->encode($v);
}

# The answer to a call is this value, given as JSON text.
sub gives {
	my ($self, $title, $method, $args, $want, $target) = @_;
	my $answer = $self->call($method, $args, $target);
	my $canonical = canonical($json->decode($want));
	return Tap::ok(exists $answer->{value} && canonical($answer->{value}) eq $canonical, $title, "$method(" . ($args // '') . ')',
		"got:  $self->{raw}", "want: $canonical");
}

# The call fails with this type and, when given, this message (a text or a pattern).
sub fails {
	my ($self, $title, $method, $args, $type, $message, $target) = @_;
	$self->call($method, $args, $target);
	return $self->failed($title, $type, $message);
}

sub failed {
	my ($self, $title, $type, $message) = @_;
	my $e = $self->{last}{error} || {};
	my $good = ($e->{type} // '') eq $type;
	$good &&= ref $message ? ($e->{message} // '') =~ $message : ($e->{message} // '') eq $message if defined $message;
	return Tap::ok($good, $title, "got:  $self->{raw}", "want: $type: " . ($message // 'any message'));
}

# A model that does not load.
sub refuses {
	my ($self, $title, $model, $type, $message) = @_;
	$self->send('{"op":"load","model":' . $model . '}');
	return $self->failed($title, $type, $message);
}

sub model {
	my ($self) = @_;
	return $self->ask({ op => 'serialize_model' })->{value};
}

# Ends the session: the exit status.
sub stop {
	my ($self) = @_;
	close $self->{to};
	my $rest = join '', readline $self->{from};
	waitpid $self->{pid}, 0;
	return $? & 127 ? -1 : $? >> 8;
}

1;
