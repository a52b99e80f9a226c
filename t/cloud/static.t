#!/usr/bin/env perl
# `vetro build --static`: one file that reaches a cloud (t/lib/FakeCloud.pm) from an empty root with nothing but itself and
# certificates, and of which the parts that a program has no use for are left out.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use FakeCloud;
use JSON::PP;
use Tap;

my ($home) = $vetro =~ m{^(.*)/};
skip_all('there is no libcurl.a beside vetro: make static-deps makes it') unless -e "$home/libcurl.a" || -e "$home/../lib/vetro/libcurl.a";
skip_all('a sanitized vetro links nothing statically') if ($ENV{CONFIG} // '') =~ /asan|torture/;
delete @ENV{grep { /^OS_|^AMQP_URL$|_proxy$|_PROXY$/ } keys %ENV};

my ($rc, $out, $err) = vetro({limit => 300}, 'build', '--static', '-o', "$W/deploy", "$FindBin::Bin/../data/heat-app");
is($rc, 0, 'a package that reaches a cloud is built --static') or do { print "# $err\n"; done() };
my $size = -s "$W/deploy";
ok($size <= 8 << 20, 'of at most 8 MB');
print "# $size bytes\n";
ok(`readelf -l $W/deploy` !~ /INTERP/, 'nothing is loaded') if system('command -v readelf >/dev/null') == 0;

package_dir('plain', {'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.plain\nClasses: {t.C: C.yaml}\n",
	'Classes/C.yaml' => "Name: t.C\nMethods:\n  f:\n    Usage: Static\n    Scope: Public\n    Body:\n      - Return: 1\n"});
($rc) = vetro({limit => 300}, 'build', '--static', '-o', "$W/plain", "$W/plain");
($rc) = vetro({limit => 300}, 'build', '--static', '-o', "$W/plain.bin", "$W/plain") if $rc;
my $plain = -f "$W/plain.bin" ? "$W/plain.bin" : "$W/plain";
is($rc, 0, 'one that does not is built as well');
ok(-s $plain < $size / 2, 'without what it has no use for');

# ---- in an empty root ---------------------------------------------------------------------------------------
my $root = "$W/root";
spew("$root/tmp/none", '');
spew("$root/etc/resolv.conf", "nameserver 127.0.0.1\noptions timeout:1 attempts:1\n");
spew("$root/etc/hosts", "127.0.0.1 cloud.test\n");
spew("$root/etc/ssl/certs/ca-certificates.crt", slurp('/etc/ssl/certs/ca-certificates.crt'));
rename "$W/deploy", "$root/deploy";
my @into = $> == 0 ? ('/usr/sbin/chroot', $root) : ('unshare', '-r', 'chroot', $root);
if (system("@into /deploy info >/dev/null 2>&1")) {
	skip('in an empty root', 'nobody may change its root here');
	done();
}
my $port = http_server(log => "$W/log");
my %app = (template => {resources => {it => {type => 'OS::Heat::Value'}}});
sub model { return encode_json({Attributes => [['reg1', 'io.murano.CloudRegion', 'generatedStackName', '-s']],
	Objects => {'?' => {type => 'io.murano.Environment', id => 'env1'}, name => 'real', defaultNetworks => {environment => undef, flat => undef},
		regions => {'' => {'?' => {type => 'io.murano.CloudRegion', id => 'reg1'}, name => '',
			defaultNetworks => {environment => undef, flat => undef}}},
		applications => [{'?' => {type => 'org.example.heat.Probe', id => 'probe1'}, @_}]}}) }
sub run {
	my ($env, $model) = @_;
	spew("$root/model.json", $model);
	my $e = join ' ', map { "$_='$env->{$_}'" } sort keys %$env;
	my $text = `env -i OS_USERNAME=demo OS_PASSWORD=p OS_PROJECT_NAME=demo $e @into /deploy run --model /model.json 2>$W/err`;
	return ($? >> 8, eval { decode_json($text) } // {});
}
my ($st, $a) = run({OS_AUTH_URL => "http://cloud.test:$port/v3"}, model(%app));
is($st, 0, 'it deploys from an empty root, names are resolved') or print '# ', slurp("$W/err");
is($a->{model}{Objects}{applications}[0]{outputs}{o}, 42, 'and reads outputs');
($st, $a) = run({OS_AUTH_URL => 'http://no-such-host.invalid/v3'}, model(%app));
like($a->{error}{message}, qr/no such host/, 'a name that is none');

my $broker = broker(log => "$W/amqp.log", answer => sub { my ($plan, $c) = @_;
	FakeCloud::deliver($c, 'x', encode_json({FormatVersion => '2.0.0', SourceID => $plan->{ID}, Action => 'Execution:Result',
		ErrorCode => 0, Body => 'well'})) });
($st, $a) = run({AMQP_URL => "amqp://guest:guest\@cloud.test:$broker/"},
	model(template => undef, host => {'?' => {type => 'org.example.heat.Host', id => 'host1'}, seconds => 20},
	plans => [{FormatVersion => '2.0.0', Body => 'return 1', Files => {}, Scripts => {}}]));
is($a->{model}{Objects}{applications}[0]{results}[0], 'well', 'agents are reached as well') or print '# ', slurp("$W/err");

# TLS: certificates are those of the root.
if (system("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=cloud.test -addext subjectAltName=DNS:cloud.test -keyout $W/key -out $W/cert " .
	"2>/dev/null") == 0) {
	my $s = IO::Socket::INET->new(Listen => 1, LocalAddr => '127.0.0.1:0');
	my $tls_port = $s->sockport;
	close $s;
	my $tls = fork // die;
	if (!$tls) { open(STDIN, '<', '/dev/null'); open($_, '>', '/dev/null') for *STDOUT, *STDERR; exec 'openssl', 's_server', '-accept', $tls_port, '-cert',
		"$W/cert", '-key', "$W/key", '-www', '-quiet' }
	select undef, undef, undef, 0.7;
	my $url = "https://cloud.test:$tls_port/v3";
	($st, $a) = run({OS_AUTH_URL => $url}, model(%app));
	like($a->{error}{message}, qr/certificate/, 'a certificate that nobody knows');
	spew("$root/etc/ssl/certs/ca-certificates.crt", slurp('/etc/ssl/certs/ca-certificates.crt') . slurp("$W/cert"));
	my $pid = fork // die;
	if (!$pid) { ($st, $a) = run({OS_AUTH_URL => $url}, model(%app)); spew("$W/tls", $a->{error}{message} // ''); require POSIX; POSIX::_exit(0) }
	select undef, undef, undef, 2;
	ok(!-e "$W/tls", 'one that is in the file of certificates is taken: that server answers no POST');
	kill 'KILL', $tls;
	waitpid $_, 0 for $tls, $pid;
}
stop_servers();
done();
