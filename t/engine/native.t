#!/usr/bin/env perl
# Packages are compiled by libtcc at once and by cc in the background; engines of one machine share what cc made.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Engine;
use Tap;

# A cache of its own, and a cc that says when it is called. It knows no optimiser, so that the core library takes seconds.
$ENV{XDG_CACHE_HOME} = "$W/cache";
mkdir "$W/cache";
spew("$W/cc", <<'X' =~ s/FOLDER/$W/gr);
#!/bin/sh
echo "$$ $(ps -o ni= -p $$)" >> FOLDER/calls
if [ -e FOLDER/broken ]; then echo "no compiler here" >&2; exit 1; fi
for a; do case $a in -O1) set -- "$@" -O0;; esac; done
exec cc "$@"
X
chmod 0755, "$W/cc";
$ENV{VETRO_CC} = "$W/cc";
$broker->{packages}{'com.example.probe.App'} =
	package_of('probe', map { $_ => slurp("$probe/$_") } qw(manifest.yaml Classes/App.yaml Classes/Helper.yaml));
configure(native => 'true');

sub log_has { my ($re, $times) = @_; return $broker->pump(300, sub { my @all = slurp("$W/log") =~ /$re/g; @all >= $times }) }
sub twice {
	my ($x) = @_;
	return call('call_static_action', { task => {
		token => 't', project_id => 'p1', user_id => 'u1', id => 'x',
		action => { method => 'twice', args => { x => $x }, class_name => 'com.example.probe.App',
			pkg_name => undef, class_version => '=0' } } })->{result};
}
sub stop { kill 'TERM', $pid; $broker->pump(60, sub { waitpid($pid, 1) == $pid }) }

# ---- cc is not worth it for what tasks have taken so far
configure(native => 'true', after => 100);
start_engine();
is twice(1), 2, 'libtcc answers';
is twice(2), 4, 'again';
stop();
ok !-e "$W/calls", 'and cc is not called for two tasks';
configure(native => 'true');

# ---- without a compiler that works
spew("$W/broken", '');
start_engine();
is twice(3), 6, 'libtcc answers where cc does not work';
ok log_has(qr/packages stay as libtcc has compiled them: .*no compiler here/s, 1), 'the log says why';
is twice(4), 8, 'and answers on';
stop();
unlink "$W/broken", "$W/calls";

# ---- with one
start_engine();
is twice(5), 10, 'the first answer is there before cc is';
ok !(slurp("$W/log") =~ /is cc's from now on/), 'by libtcc';
ok log_has(qr/is cc's from now on/, 1), 'then the program is taken over';
is twice(6), 12, 'and gives the same';
my $env = 'e' . '1' x 31;
$broker->deliver(deploy_task($env, 'com.example.probe.App'));
my $r = result_of($env);
ok $r && !$r->{action}{isException}, 'it deploys';
is scalar(@{ $r->{model}{Objects}{applications}[0]{helpers} }), 2, 'and its methods have run';
like slurp("$W/calls"), qr/^\d+\s+19$/m, 'cc has the lowest priority';
stop();

# ---- the next engine finds it
unlink "$W/calls";
start_engine();
is twice(7), 14, 'another engine answers';
ok !-e "$W/calls", 'and calls no cc';
stop();
undef $pid;
done();
