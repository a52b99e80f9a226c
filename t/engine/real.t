#!/usr/bin/env perl
# `vetro engine` with a real murano-api, Keystone and RabbitMQ on loopback: `make check-engine`.
#
# t/engine/up.sh starts the servers in a folder of their own.  Without the packages, which t/engine/install.sh installs, and
# without VETRO_ENGINE_REAL, which make check-engine sets, everything is skipped.  t/engine/accepted.json is what murano-engine
# 14 has made of t/engine/accept.py.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IO::Socket::INET;
use JSON::PP;
use Tap;

my $here = $FindBin::Bin;
skip_all('make check-engine runs it') unless $ENV{VETRO_ENGINE_REAL};
for my $need (qw(/usr/bin/keystone-manage /usr/bin/murano-api /usr/lib/rabbitmq/bin/rabbitmq-server)) {
	skip_all("$need is not installed: make check-engine installs it") unless -x $need;
}
skip_all('the servers run as root only') unless $> == 0;

# Ports that are free now.
my @port = map { my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1:0'); [$s->sockport, $s] } 1 .. 5;
my %up = (MURANO_HOME => "$W/servers", MURANO_ENGINES => 0, KS_PORT => $port[0][0], MURANO_PORT => $port[1][0],
	AMQP_PORT => $port[2][0], EPMD_PORT => $port[3][0], DIST_PORT => $port[4][0]);
undef $_->[1] for @port;
@ENV{keys %up} = values %up;
my $pid;
END {
	my $rc = $?;
	kill 'KILL', $pid if $pid;
	system("$here/down.sh >/dev/null 2>&1") if $ENV{VETRO_ENGINE_REAL} && $ENV{MURANO_HOME};
	$? = $rc;
}
my $exports = `$here/up.sh 2>"$W/up.log"`;
if ($?) {
	my $log = `tail -5 "$W/up.log"`;
	$log =~ s/\n/ /g;
	skip_all("the servers do not start: $log");
}
while ($exports =~ /(\w+)=(\S+)/g) { $ENV{$1} = $2 }
delete @ENV{qw(http_proxy https_proxy HTTP_PROXY HTTPS_PROXY)};
$ENV{no_proxy} = '*';

mkdir "$W/more.d";
spew("$W/more.d/vetro.conf", "[vetro]\nspool = $W/spool\n");
my @engine = ($vetro, 'engine', '--config-file', $ENV{MURANO_CONF}, '--config-dir', "$W/more.d");
my ($rc, $out, $err) = vetro(@engine[1 .. $#engine], '--check-config');
is $rc, 0, 'its murano.conf is one of ours' or print "# $err\n";
my $zip = zip_file("$W/probe.zip", map { [$_, slurp("$here/probe/$_")] } qw(manifest.yaml UI/ui.yaml Classes/App.yaml Classes/Helper.yaml));
my $json = JSON::PP->new->canonical->pretty;

# The same as from murano-engine, but for what stands in docs/engine.md.
$pid = fork // die "fork: $!";
if (!$pid) {
	open STDOUT, '>>', "$W/log" and open STDERR, '>&', \*STDOUT or exit 1;
	exec @engine or exit 1;
}
system("/usr/bin/python3 $here/accept.py $zip $W/accept.json >$W/accept.out 2>&1");
is $?, 0, 'the acceptance script ends' or print map { "# $_\n" } split /\n/, slurp("$W/accept.out");
my $got = -e "$W/accept.json" ? $json->encode($json->decode(slurp("$W/accept.json"))) : '';
is $got, $json->encode($json->decode(slurp("$here/accepted.json"))), 'with what murano-engine gives';
kill 'TERM', $pid;
waitpid $pid, 0;
is $?, 0, 'SIGTERM ends the engine';
undef $pid;

# Nothing is lost, stuck, doubled or wrong, whatever happens to two engines.
$ENV{CLIENTS} = 3;
my $moments = $ENV{MOMENTS} // 20;
my $found = `/usr/bin/python3 $here/faults.py $moments '@engine' '@engine' 2>&1`;
is $?, 0, "$moments ends of engines at random" or print map { "# $_\n" } split /\n/, $found;
my $counts = eval { $json->decode((split /\n/, $found)[0]) } // {};
is join(' ', map { $counts->{$_} // 'none' } qw(lost stuck doubled wrong)), '0 0 0 0', 'nothing is lost, stuck, doubled or wrong';
print "# $found";
done();
