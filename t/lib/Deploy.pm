# Running the deploy binaries of TOSCA services in a directory, and killing them.
package Deploy;
use strict;
use warnings;
use Exporter 'import';
use File::Find;
use File::Path qw(remove_tree make_path);
use JSON::PP;
use Tap;
use Time::HiRes qw(sleep);

our @EXPORT = qw(deploy tree build fresh $at);
our $at = "$W/work";
my $json = JSON::PP->new->canonical;
make_path($at, "$W/bin");

# Status, output, errors. { kill => N, signal => NAME }: after so many lines of progress.
sub deploy {
	my $o = ref $_[0] ? shift : {};
	my ($binary, @args) = @_;
	my ($out, $err) = ("$W/.out", '');
	pipe(my $read, my $write) or die "pipe: $!";
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		close $read;
		chdir $at or exit 126;
		$ENV{$_} = $o->{env}{$_} for keys %{ $o->{env} || {} };
		open(STDIN, '<', '/dev/null') && open(STDOUT, '>', $out) && open(STDERR, '>&', $write) or exit 126;
		alarm($o->{limit} || 600);
		exec { $binary } $binary, @args or exit 127;
	}
	close $write;
	my $lines = 0;
	while (defined(my $line = <$read>)) {
		$err .= $line;
		next if !$o->{kill} || ++$lines != $o->{kill};
		sleep 0.5 if $o->{signal};
		kill($o->{signal} || 'KILL', $pid);
	}
	waitpid($pid, 0);
	return ($? & 127 ? -($? & 127) : $? >> 8, slurp($out), $err);
}

# Paths below a directory with what files hold.
sub tree {
	my ($dir) = @_;
	my %t;
	find({ no_chdir => 1, wanted => sub {
		my $name = $_;
		$name =~ s/^\Q$dir\E//;
		$t{$name} = -d $_ ? 'dir' : slurp($_);
	} }, $dir);
	return $json->encode(\%t);
}

sub build {
	my ($name, @args) = @_;
	my ($rc, $out, $err) = vetro('build', @args, '-o', "$W/bin/$name");
	ok($rc == 0, "$name is built", $out, $err) or return;
	return "$W/bin/$name";
}

sub fresh {
	remove_tree($at);
	make_path($at, "$at/dc");
}

1;
