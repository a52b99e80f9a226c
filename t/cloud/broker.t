#!/usr/bin/perl
# The broker of a region: what is malformed is an error before anything is sent, and not the broker of this machine.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

mkdir "$W/$_" for 'p', 'p/Classes';
spew("$W/p/manifest.yaml", "Format: '1.4'\nType: Application\nFullName: t.b\nClasses: { t.b.P: P.yaml }\n");
spew("$W/p/Classes/P.yaml", <<'Y');
Namespaces: { =: t.b, std: io.murano, sys: io.murano.system }
Name: P
Extends: std:CloudRegion
Properties: { broker: { Contract: $ } }
Methods:
  getConfig: { Body: [ Return: { agentRabbitMq: $.broker } ] }
  listen:
    Usage: Action
    Body:
      - $listener: new(sys:AgentListener, $this, name => 'x')
      - $listener.start()
      - $listener.stop()
      - Return: done
Y
my ($rc, $out, $err) = vetro({ limit => 300 }, 'build', '-O0', '-o', "$W/p.bin", "$W/p");
is($rc, 0, 'the package builds') or do { print "# $err\n"; done(); exit };

sub listens {
	my ($broker) = @_;
	my %none = (environment => undef, flat => undef);
	spew("$W/m.json", encode_json({ Objects => { '?' => { type => 'io.murano.Environment', id => 'e' }, name => 'env', defaultNetworks => \%none,
		regions => { '' => { '?' => { type => 't.b.P', id => 'r' }, name => '', broker => $broker, defaultNetworks => \%none } } } }));
	my @how = ('--dry-run', '--model', "$W/m.json", '--object', 'r', '--call', 'listen');
	my ($rc, $out, $err) = run_program({ limit => 60 }, "$W/p.bin", 'run', @how);
	return ($rc, $out . $err);
}
my %good = (host => 'mq.example', port => 5671, login => 'me', password => 'pw-of-mine', virtual_host => '/', ssl => JSON::PP::true);
for my $broker (undef, {}, \%good, { %good, ssl => 'yes' }, { host => undef }) {
	my ($rc, $said) = listens($broker);
	ok($rc == 0 && $said =~ /done/, 'a broker: ' . encode_json([$broker]), $said);
}
my @bad = (['host', { %good, host => '' }], ['host', { %good, host => ['a'] }], ['port', { %good, port => '5672' }], ['port', { %good, port => 0 }],
	['port', { %good, port => 65536 }], ['login', { %good, login => 7 }], ['password', { %good, password => '' }], ['ssl', { %good, ssl => 'maybe' }],
	['insecure', { %good, insecure => 1 }], ['virtual_host', { %good, virtual_host => {} }]);
for my $b (@bad) {
	my ($rc, $said) = listens($b->[1]);
	ok($rc == 1 && $said =~ /agentRabbitMq of a region has a malformed $b->[0]/, "refused: $b->[0] " . encode_json([$b->[1]{ $b->[0] }]), $said);
}
($rc, $out) = listens('mq.example');
ok($rc == 1 && $out =~ /agentRabbitMq of a region is no mapping/, 'refused: a text', $out);
done();
