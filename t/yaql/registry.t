#!/usr/bin/perl
# Every example of every row of the function registry: std and legacy rows as queries, the rows of
# MuranoPL's layers as methods of packages made here.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use File::Path qw(make_path);
use IPC::Open2;
use JSON::PP;
use Tap;

binmode(STDOUT, ":encoding(UTF-8)");

my $json = JSON::PP->new->canonical->allow_nonref->utf8->allow_bignum;
my $build = $ENV{BUILD} || "$FindBin::Bin/../../build/debug";
open my $f, '<', "$build/gen/registry_examples.jsonl" or skip_all("no examples in $build/gen");
my @examples = map { $json->decode($_) } <$f>;

# Numbers compare as numbers, sets and lists made of sets without order.
sub same {
	my ($a, $b) = @_;
	return !defined $a && !defined $b unless defined $a && defined $b;
	if (ref $a eq 'HASH' && ref $b eq 'HASH') {
		for my $tag ('$set', '$setlist') {
			return unordered($a->{$tag}, $b->{$tag}) if ref $a->{$tag} eq 'ARRAY' && ref $b->{$tag} eq 'ARRAY';
		}
		return 0 if join("\0", sort keys %$a) ne join("\0", sort keys %$b);
		return !grep { !same($a->{$_}, $b->{$_}) } keys %$a;
	}
	if (ref $a eq 'ARRAY' && ref $b eq 'ARRAY') {
		return @$a == @$b && !grep { !same($a->[$_], $b->[$_]) } 0 .. $#$a;
	}
	return $json->encode($a) eq $json->encode($b) || (!ref $a && !ref $b && "$a" eq "$b");
}

sub unordered {
	my ($a, $b) = @_;
	return join("\0", sort map { $json->encode($_) } @$a) eq join("\0", sort map { $json->encode($_) } @$b);
}

sub judge {
	my ($e, $got, $what) = @_;
	my $title = "$what $e->{name}: $e->{expr}";
	if (exists $e->{error}) {
		my $type = ref $got eq 'HASH' && ref $got->{error} eq 'HASH' ? $got->{error}{type} : undef;
		ok(defined $type && $type eq $e->{error}, "$title is $e->{error}", $json->encode($got));
	} else {
		ok(ref $got eq 'HASH' && exists $got->{value} && same($e->{expect}, $got->{value}), $title, "want " . $json->encode($e->{expect}),
			"got " . $json->encode($got));
	}
}

# Answers of a process to requests, one line each.
sub ask {
	my ($requests, @command) = @_;
	my $pid = open2(my $from, my $to, @command);
	if (!fork) {
		close $from;
		print $to $json->encode($_), "\n" for @$requests;
		close $to;
		require POSIX;
		POSIX::_exit(0);
	}
	close $to;
	my @answers = map { eval { $json->decode($_) } } <$from>;
	waitpid $pid, 0;
	wait;
	return @answers;
}

my %queries = (std => {}, delegates => { delegates => JSON::PP::true, context => { delegates => JSON::PP::true } }, legacy => { mode => 'legacy' });
for my $layer (sort keys %queries) {
	my @mine = grep { $_->{layer} eq $layer } @examples;
	my @requests = map { { expr => $_->{expr}, data => undef, %{$queries{$layer}} } } @mine;
	my @answers = @mine ? ask(\@requests, $vetro, 'query', '--batch') : ();
	judge($mine[$_], $answers[$_], $layer) for 0 .. $#mine;
}

# What only the command has: a process an example.
for my $e (grep { $_->{layer} eq 'query' } @examples) {
	my ($st, $out, $err) = vetro({ in => '' }, 'query', '-n', $e->{expr});
	my ($type) = $err =~ /error\[E\d+\]: (\w+)/;
	judge($e, $st ? { error => { type => $type } } : { value => $json->decode($out) }, 'query');
}

my %format = (dsl => '1.4', dsl_new => '1.4', engine => '1.4', dsl_old => '1.3', dsl_legacy => '1.0', engine_legacy => '1.0');
for my $format ('1.0', '1.3', '1.4') {
	my @mine = grep { ($format{$_->{layer}} // '') eq $format } @examples;
	next unless @mine;
	my $yaml = "Namespaces:\n  =: r\nName: R\nMethods:\n";
	for my $i (0 .. $#mine) {
		(my $quoted = $mine[$i]{expr}) =~ s/'/''/g;
		$yaml .= "  test$i:\n    Body:\n      - Return: !yaql '$quoted'\n";
	}
	my $dir = "$W/f$format";
	make_path("$dir/Classes");
	spew("$dir/manifest.yaml", "Format: $format\nType: Library\nFullName: r\nClasses:\n  r.R: R.yaml\n");
	spew("$dir/Classes/R.yaml", $yaml);
	my ($rc, undef, $err) = vetro('build', '-O0', '-o', "$dir/r", $dir);
	ok($rc == 0, "format $format: the package of examples builds", $err) or next;
	my @requests = ({ op => 'load', model => { Objects => { '?' => { type => 'r.R', id => 'root' } } } },
		map { { op => 'call', target => undef, method => "test$_", args => [], kwargs => {} } } 0 .. $#mine);
	my (undef, @answers) = ask(\@requests, "$dir/r", 'session', '--expose', 'test*');
	judge($mine[$_], $answers[$_], "format $format") for 0 .. $#mine;
}
done();
