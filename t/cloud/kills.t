#!/usr/bin/perl
# A sample of make check-kills: deployments that are killed between two of their system calls and begun again.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
BEGIN { $ENV{TMPDIR} //= '/dev/shm' if -d '/dev/shm' && -w _ } # nothing has to outlive this machine
use Kills;
use Tap;
use Time::HiRes 'time';

skip_all('the tracer is not built: make check-quick builds it') unless tracer();
my $points = 100;
my $from = time;
my @all = scenarios();
my ($begun, $each) = (0, int($points / @all + 0.999));
for my $s (@all) {
	eval { measure($s); 1 } or do {
		skip_all('processes may not be traced here') if !$begun && $@ =~ /ptrace/;
		ok(0, "$s->{name}: a run that nobody kills", $@);
		next;
	};
	kill_evenly($s, $each);
	$begun += $s->{points};
	is("lost $s->{lost}, doubled $s->{doubled}, stuck $s->{stuck}", 'lost 0, doubled 0, stuck 0',
		"$s->{name}: $s->{points} kills among $s->{calls} system calls") or print map { s/^/# /mgr . "\n" } @{ $s->{notes} };
}
ok($begun >= 0.9 * $points, "$begun kill points");
# A run that is asked to end when it is nearly through says by its status whether it is.
for my $s (grep { $_->{calls} && $_->{name} =~ /^(?:cloud-new|session-journal)$/ } @all) {
	my %asked = (%$s, name => $s->{name}, map { $_ => 0 } qw(points lost doubled stuck));
	$asked{notes} = [];
	end_at(\%asked, $_) for $s->{calls} - 24 .. $s->{calls};
	is("lost $asked{lost}, doubled $asked{doubled}, stuck $asked{stuck}", 'lost 0, doubled 0, stuck 0', "$s->{name}: SIGTERM before each of the last calls")
		or print map { s/^/# /mgr . "\n" } @{ $asked{notes} };
}
my ($user, $system, $their_user, $their_system) = times;
printf "# a kill point: %.2f s, %.2f s of a processor\n", (time - $from) / ($begun || 1), ($user + $system + $their_user + $their_system) / ($begun || 1);
print map { "# $_\n" } split /\n/, table(grep { $_->{notes} } @all);
done();
