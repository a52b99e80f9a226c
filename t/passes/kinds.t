#!/usr/bin/perl
# The methods of the benchmark's kinds (t/bench/kinds) give what the same programs in Python give, at the smaller of their sizes.
# VETRO_PASSES has options of `build`, as -fno-calls; KINDS='models texts' takes those groups only.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib", "$FindBin::Bin/../bench/lib";
use IPC::Open2;
use JSON::PP;
use Kinds;
use Session;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;

# What Python answers to the jobs, in their order.
sub python_says {
	my ($group, @jobs) = @_;
	my $python = $ENV{PYTHON} // '/usr/bin/python3';
	return map { $_->{result_n} } @jobs unless -x $python;
	my $pid = open2(my $from, my $to, $python, "$FindBin::Bin/../bench/kinds/serve.py", $group);
	print $to map { "$_->{job} $_->{n}\n" } @jobs;
	close $to;
	my @said = map { /^\d+ (.*)$/ ? $1 : $_ } <$from>;
	waitpid $pid, 0;
	return @said;
}

sub try_group {
	my ($group) = @_;
	my @jobs = Kinds::jobs($group);
	my $binary = "$W/$group.bin";
	my ($rc, $out, $err) = vetro('build', '-O0', split(' ', $ENV{VETRO_PASSES} // ''), '-o', $binary, "$FindBin::Bin/../bench/kinds/$group/package");
	return ok(0, "$group builds", $out . $err) if $rc;
	is($err, '', "$group builds, and nothing is said");
	my $s = Session->run($json->encode(Kinds::root_of($group)), $binary, 'session');
	my @python = python_says($group, @jobs);
	my @wrong;
	for my $i (0 .. $#jobs) {
		my $j = $jobs[$i];
		my $answer = $s->call($j->{job}, "[$j->{n}]");
		my $value = $answer->{value} // $s->{raw};
		push @wrong, "$j->{job}: $value, not $j->{result_n}" unless Kinds::same_value($value, $j->{result_n});
		push @wrong, "$j->{job}: Python says $python[$i], not $j->{result_n}" unless Kinds::same_value($python[$i] // '', $j->{result_n});
	}
	$s->stop;
	ok(@jobs && !@wrong, "$group: " . @jobs . ' methods give what Python gives', @wrong);
}

my @groups = split ' ', $ENV{KINDS} // join ' ', Kinds::groups();
ok(@groups > 0, 'there are groups');
try_group($_) for @groups;
done();
