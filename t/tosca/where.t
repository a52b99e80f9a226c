#!/usr/bin/perl
# Where an operation runs: an address that is none, or an operation_host that nobody knows, is refused for scripts and for playbooks.
# It never means this machine.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Deploy;
use Tap;

mkdir "$W/$_" for 'svc', 'bin';
# Stand-ins: whatever runs, and for whom, is noted.
spew("$W/bin/ansible-playbook", "#!/bin/sh\necho \"playbook \$*\" >>$W/ran\n");
spew("$W/bin/ssh", "#!/bin/sh\necho ssh >>$W/ran\nexit 1\n");
chmod 0755, "$W/bin/ansible-playbook", "$W/bin/ssh";
spew("$W/svc/play.yaml", "- hosts: all\n  tasks: []\n");
spew("$W/svc/run.sh", "echo script >>$W/ran\n");
sub service {
	my ($name, $file, $type, $host) = @_;
	spew("$W/svc/$name.yaml", <<"Y");
tosca_definitions_version: tosca_2_0
capability_types: { Host: {} }
relationship_types: { On: {} }
interface_types: { Life: { operations: { create: {} } } }
node_types:
  Machine:
    properties: { address: { type: $type, default: { \$get_input: [ address ] } } }
    attributes: { public_address: { type: $type, default: { \$get_property: [ SELF, address ] } } }
    capabilities: { host: { type: Host } }
  App:
    requirements: [ { host: { capability: Host, relationship: On } } ]
    interfaces: { Standard: { type: Life, operations: { create: { implementation: { primary: $file$host } } } } }
service_template:
  inputs: { address: { type: $type } }
  node_templates:
    m: { type: Machine }
    app: { type: App, requirements: [ { host: m } ] }
Y
	return build($name, "$W/svc/$name.yaml");
}

sub ran_with {
	my ($bin, $address, @more) = @_;
	fresh();
	unlink "$W/ran";
	spew("$W/in.json", encode_json({ address => $address }));
	my %how = (limit => 60, env => { PATH => "$W/bin:$ENV{PATH}", TMPDIR => $W });
	my ($rc, $out, $err) = deploy(\%how, $bin, 'run', '--inputs', "$W/in.json", @more);
	return ($rc, $err, -e "$W/ran" ? slurp("$W/ran") : '');
}

my @none = ('10.0.0.5 ', ' 10.0.0.5', "10.0.0.5\r", "10.0.0.5\n", '10.0.0.5,10.0.0.6', "10.0.0.5\x{430}", '', '-oProxyCommand=x', '[10.0.0.5]',
	"10.0.0.5\0", 'a;b',
	'localhost ', 'localhost,', "127.0.0.1\t", 'x' x 300, '10.0.0.5/24', '@hosts');
for my $file ('play.yaml', 'run.sh') {
	my $bin = service($file =~ s/\..*//r, $file, 'string', '');
	my @wrong;
	for my $address (@none) {
		my ($rc, $err, $ran) = ran_with($bin, $address);
		push @wrong, "'$address': $rc, ran: $ran, $err" if $rc != 1 || $ran ne '' || $err !~ /the public_address of the machine.* is none/s;
	}
	ok(!@wrong, "$file: what is no address is refused", @wrong);
	for my $address ('127.evil.example', '10.0.0.5') {
		my ($rc, $err, $ran) = ran_with($bin, $address);
		like($ran, $file eq 'run.sh' ? qr/^ssh$/m : qr/^playbook -i \Q$address\E, (?!-c local)/, "$file: $address is another machine");
	}
	my ($rc, $err, $ran) = ran_with($bin, '127.0.0.1');
	like($ran, $file eq 'run.sh' ? qr/^script$/m : qr/^playbook -i localhost, -c local/, "$file: 127.0.0.1 is this one");
	($rc, $err, $ran) = ran_with($bin, 'a b', '--local');
	is($rc, 0, "$file: --local asks for no address") or print "# $err\n";
	my $typo = service('typo', $file, 'string', ', operation_host: TRAGET');
	($rc, $err, $ran) = ran_with($typo, '10.0.0.5');
	like("$rc $ran$err", qr/^1 .*operation_host is 'TRAGET'; it can be SELF/s, "$file: an operation_host that nobody knows");
	my $unknown = service('unknown', $file, 'string', '');
	my $late = slurp("$W/svc/unknown.yaml");
	$late =~ s/\$get_property: \[ SELF, address \] \}/\$get_attribute: [ SELF, late ] } }, late: { type: string/;
	spew("$W/svc/unknown.yaml", $late);
	$unknown = build('unknown', "$W/svc/unknown.yaml");
	($rc, $err, $ran) = ran_with($unknown, 'x');
	like("$rc $ran$err", qr/^1 .*the public_address of the machine is not known/s, "$file: an address that is not known yet");
	my $number = service('number', $file, 'integer', '');
	($rc, $err, $ran) = ran_with($number, 5);
	like("$rc $ran$err", qr/^1 .*the public_address of the machine is no text/s, "$file: an address that is a number");
}
done();
