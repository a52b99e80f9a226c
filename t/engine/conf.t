#!/usr/bin/env perl
# murano.conf as `vetro engine --check-config` reads it: docs/engine.md.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

sub asked {
	my ($status, $out, $err) = vetro('engine', @_);
	return { status => $status, out => $out, err => $err };
}

sub check {
	my ($text, @more) = @_;
	spew("$W/murano.conf", $text);
	return asked('--config-file', "$W/murano.conf", @more, '--check-config');
}

my $good = <<'X';
[DEFAULT]
transport_url = rabbit://me:se%40cret@one:5673,me:x@[::1]/murano
[murano_auth]
auth_url = http://keystone:5000/v3
username = murano
password = verysecret
[oslo_messaging_notifications]
driver = messagingv2
X
my $r = check($good);
is $r->{status}, 0, 'what an engine needs is enough';
like $r->{out}, qr/transport_url = \*\*\*: where the broker is/, 'a secret is not shown';
unlike $r->{out} . $r->{err}, qr/verysecret|se%40cret/, 'nor anywhere else';
is $r->{err}, '', 'nothing to complain about';

$r = check($good . "[engine]\nworkers = 3\nagent-timeout: 77\n[database]\nconnection = x\n[foo]\nbar = 1\n");
like $r->{out}, qr/\[engine\] engine_workers: has no effect: /, 'an old name is the new one; it has no effect';
like $r->{out}, qr/\[engine\] agent_timeout = 77/, 'a hyphen is an underscore, a colon an equals sign';
like $r->{out}, qr/\[database\] connection: is murano-api's/, 'options of the api are named so';
like $r->{out}, qr/\[foo\] bar: is no option of an engine/, 'what nobody knows is ignored';
is $r->{status}, 0, 'none of it is wrong';

$r = check($good . "[DEFAULT]\nhome_region = \$region_of_mine\n[networking]\ndefault_dns = 8.8.8.8,\n  9.9.9.9\n" .
	"external_network = \${murano_auth.username}-net\nrouter_name = a\nrouter_name = b\$\$\n");
like $r->{out}, qr/default_dns = 8\.8\.8\.8, 9\.9\.9\.9/, 'a line that begins with a blank goes on with the one before';
like $r->{out}, qr/external_network = murano-net/, 'another option by its name';
like $r->{out}, qr/router_name: a later line has it/, 'the last one counts';
like $r->{out}, qr/router_name = b\$/, 'two dollars are one';

for my $case (
	['[DEFAULT', qr/murano\.conf:1: a group is written \[NAME\]/, 'a group without its end'],
	["x = 1\n", qr/murano\.conf:1: there is no \[GROUP\] before it/, 'an option before any group'],
	["[DEFAULT]\nwhat\n", qr/murano\.conf:2: NAME = VALUE is expected/, 'no option'],
	["[DEFAULT]\n  more\n", qr/murano\.conf:2: a line that begins with a blank continues none/, 'nothing to continue'],
	[$good . "[engine]\nuse_trusts = perhaps\n", qr/use_trusts: true or false is expected/, 'no flag'],
	[$good . "[vetro]\nmemory = much\n", qr/memory: a whole number is expected/, 'no number'],
	[$good . "[DEFAULT]\ntransport_url = http://x\n", qr/transport_url: rabbit:\/\/USER/, 'another scheme'],
	[$good . "[DEFAULT]\ntransport_url = rabbit://a:b\@c:99999/\n", qr/transport_url: the port of host 1/, 'no port'],
	[$good . "[engine]\npackages_service = glare\n", qr/packages_service: packages come from murano-api/, 'another service'],
	["[DEFAULT]\n", qr/auth_url is not set.*username is not set.*password is not set/s, 'nobody to be'],
	["[DEFAULT]\n\xff = 1\n", qr/it is no text in UTF-8/, 'no text'],
	["[a]\nb = \$b\n" . $good, qr/^$/, 'a name that stands for itself'],
) {
	my ($text, $want, $title) = @$case;
	my $r = check($text);
	like $r->{err}, $want, "$title is said";
	is $r->{status}, $title =~ /itself/ ? 0 : 1, "$title: the status";
}

$r = asked('--config-file', "$W/none.conf", '--check-config');
is $r->{status}, 1, 'a file that is not there is an error';
like $r->{err}, qr/none\.conf: No such file/, 'and named';
mkdir "$W/more.d";
spew("$W/more.d/2.conf", "[vetro]\nhold = 2\n");
spew("$W/more.d/1.conf", "[vetro]\nhold = 1\n");
$r = check($good, '--config-dir', "$W/more.d");
like $r->{out}, qr/2\.conf:2: \[vetro\] hold = 2/, 'folders come after files, in the order of names';
like $r->{err} . check("[DEFAULT]\n")->{err}, qr/driver is not set: murano-api will see no report/, 'reports that nobody sends are said';

$r = asked('--config-file', "$W/murano.conf", '--status');
is $r->{status}, 1, '--status without an engine';
done();
