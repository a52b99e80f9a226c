#!/usr/bin/perl
# Random classes: methods give the same values, errors, stack frames, traces and models with all optimisations, with none, and
# with each off or alone.  WORLDS_SEEDS='1 2 3' WORLDS=8 chooses others than the few that are run here, WORLDS_PASSES='a b|c' the
# sets of flags, WORLDS_OPT=-O1 builds binaries so instead of running in memory, and WORLDS_ORACLE=1 asks murano too.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Session;
use Tap;
use Worlds;

if ($ENV{VETRO_TORTURE_SEED}) {
	skip_all('branches in any order give other values');
}
my @seeds = split ' ', $ENV{WORLDS_SEEDS} // '1 2';
my $n = $ENV{WORLDS} // 6;
my $opt = $ENV{WORLDS_OPT};
my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my @args = ([0, 0, 2], [5, 'null', 2], [-7, 2, 1], ['4611686018427387903', 1, 1]);
my @classes = qw(Main Heir Both Side);
my @calls;

sub calls {
	my @all;
	for my $a (@args) {
		push @all, map { [$_, $a] } map({ "act$_" } 0 .. $n - 1), qw(twice hook even sum);
	}
	return @all;
}

# What a session says to all calls, one class of the root after the other.
sub said {
	my @command = @_;
	my @lines;
	for my $class (@classes) {
		my $s = Session->run(Worlds::model($class), @command);
		push @lines, "$class loads: $s->{raw}";
		$s->stop, next if $s->{last}{error};
		for my $c (@calls) {
			my ($m, $a) = @$c;
			$s->send(qq({"op":"call","target":null,"method":"$m","args":[) . join(',', @$a) . '],"kwargs":{}}');
			push @lines, "$class.$m(@$a): $s->{raw}";
		}
		$s->send('{"op":"serialize_model"}');
		push @lines, "$class model: $s->{raw}";
		my $rc = $s->stop;
		push @lines, "$class ends: $rc";
	}
	s/"_actions":\{(?:"[^"]*":\{[^{}]*\},?)*\}/"_actions":{}/g, s/\b[0-9a-f]{32}\b/ID/g, s/0x[0-9a-f]+/ADDR/g, s/\(\d{10,}\)/(ADDR)/g for @lines;
	return \@lines;
}

sub answers {
	my ($dir, @flags) = @_;
	my @session = ('session', '--expose', '*');
	return said('sh', '-c', '"$@" 2>/dev/null', 'sh', $Tap::vetro, 'run', '--no-cache', @flags, $dir, '--', @session) unless $opt;
	my $binary = "$W/world";
	my ($rc, $out, $err) = vetro({ limit => 300 }, 'build', $opt, '--no-cache', @flags, '-o', $binary, $dir);
	ok($rc == 0, "the package builds with @flags", $out . $err) or return [];
	return said($binary, @session);
}

# Murano's answers have neither our stacks nor all of our actions.  Numbers are compared as they are written.
sub bare {
	my ($line) = @_;
	my ($head, $text) = $line =~ /^(.*?: )(\{.*)/s or return $line;
	$text =~ s/\{"\$int":\s*"(-?\d+)"\}/$1/g;
	$text =~ s/("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)/$1 \/\/ "\"#$2\""/ge;
	my $a = eval { $json->decode($text) } or return $line;
	$a->{error} = { map { $_ => $a->{error}{$_} } qw(type message) } if exists $a->{error};
	delete $a->{traces} unless @{ $a->{traces} || [] };
	without_actions($a);
	return $head . $json->encode($a);
}

sub without_actions {
	my ($v) = @_;
	return map { without_actions($_) } @$v if ref $v eq 'ARRAY';
	return unless ref $v eq 'HASH';
	delete $v->{_actions};
	without_actions($_) for values %$v;
}

my @sets = map { [split] } split /\|/, $ENV{WORLDS_PASSES} //
	'|-fno-calls|-fno-borrow|-fno-unbox -fno-int-method|-fno-passes -fcalls -fbind -fint-method -fborrow';
for my $seed (@seeds) {
	my $dir = "$W/package-$seed";
	Worlds::write_package($dir, $seed, $n);
	@calls = calls();
	my $want = answers($dir, '-fno-passes');
	my @dead = grep { / ends: (?!0$)/ } @$want;
	ok(@$want > @classes * @calls && !@dead, "seed $seed: sessions without passes end well", @dead);
	is_lines(answers($dir, @$_), $want, "seed $seed: " . (@$_ ? "@$_" : 'everything on')) for @sets;
	next unless $ENV{WORLDS_ORACLE};
	my $theirs = said('/usr/bin/python3', "$FindBin::Bin/../oracle/murano_session.py", $dir);
	is_lines([map { bare($_) } @$want], [map { bare($_) } @$theirs], "seed $seed: as murano says");
}
done();
