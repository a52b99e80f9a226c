#!/usr/bin/perl
# Fields that are chosen from a list: what it has, what is shown first, which answers are taken.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Form;
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my ($true, $false) = (JSON::PP::true, JSON::PP::false);
my %cloud = (
	flavors => [map { { id => $_->[0], name => $_->[1], vcpus => $_->[2], disk => $_->[3], ram => $_->[4] } }
		['1', 'm1.tiny', 1, 1, 512], ['2', 'm1.medium', 2, 40, 4096], ['9', 'a1.large', 4, 80, 8192]],
	images => [{ id => 'u', name => 'ubuntu', murano => { title => 'Ubuntu', type => 'linux' } },
		{ id => 'd', name => 'debian', murano => { title => 'Debian', type => 'linux.debian' } },
		{ id => 'q', name => 'queued', status => 'queued', murano => { title => 'Alpine', type => 'linux' } },
		{ id => 'w', name => 'win', murano => { type => 'windows' } }, { id => 'l', name => 'l', murano => { type => 'linuxes', title => 'Z' } },
		{ id => 'p', name => 'plain' },
		{ id => 's', name => 's', murano => { title => 'S', type => 'linux' }, properties => { image_type => 'snapshot' } }],
	keypairs => ['zeta', 'alpha'], securityGroups => ['web', 'murano--x', 'default'],
	availabilityZones => [{ name => 'b' }, { name => 'a', available => $true }, { name => 'down', available => $false }],
	environments => ['mine', 'other'],
	networks => [{ id => 'n', name => 'private', subnets => [{ id => 's1', name => 'one', cidr => '10.0.0.0/24' },
		{ id => 's2', name => 'two', cidr => '10.0.1.0/24' }] },
		{ id => 'm', name => 'mine-network-1', subnets => [{ id => 's3', name => 'three', cidr => '10.0.2.0/24' }] },
		{ id => 'x', name => 'public', external => $true, subnets => [{ id => 's4', name => 'four', cidr => '10.0.3.0/24' }] }],
	volumes => [{ id => 'v2', name => 'data' }, { id => 'v1', name => 'backup' }], snapshots => [{ id => 'sn', name => 'cold' }],
	applications => [{ '?' => { id => 'db-1', type => 't.Db', name => 'first' } },
		{ '?' => { id => 'db-2', type => 't.Db/1.2.0@t.Db' }, name => 'second' },
		{ '?' => { id => 'web', type => 't.Web' } }, { '?' => { id => 'ad', type => 'io.murano.windows.ActiveDirectory' } }]);

# Keys in their order and what is shown: of fields in one form that has them all.
my @rows = (
	['flavor', 'a1.large m1.medium m1.tiny', '2', '9 2 1'],
	["flavor, initial: '9'", undef, '2', '9 2 1'],
	['flavor, requirements: {min_vcpus: 2, max_disk: 40}', undef, '2', '2'],
	['flavor, requirements: {minMemoryMb: 8000}', undef, '9', '9'],
	['flavor, requirements: {min_disk: 1000}', undef, undef, ''],
	['image', 'Select Image Alpine (queued) Debian Ubuntu Z win', '', ' q d u l w'],
	['image, imageType: linux', undef, '', ' q d u'],
	['image, imageType: windows', undef, 'w', 'w'],
	['image, imageType: mac', 'No images available', '', ''],
	['keypair', undef, '', ' alpha zeta'],
	['keypair, initial: zeta', undef, 'zeta', ' alpha zeta'],
	['securitygroup', undef, '', ' default web'],
	['azone', undef, 'a', 'a b'],
	['volume', 'Select volume backup cold data', '', ' v1 sn v2'],
	['volume, includeSnapshots: false', undef, '', ' v1 v2'],
	['volume, includeVolumes: false', undef, '', ' sn'],
	['t.Db', 'Select Application first second', '', ' db-1 db-2'],
	['t.Web', undef, 'web', ' web'],
	['t.None, emptyValueMessage: None there', 'None there', '', ''],
	['[t.Db, t.Web]', undef, '', ' db-1 db-2 web'],
	['domain', undef, 'ad', ' ad'],
	['choice, choices: [[a, A], [2, B]], initial: 2', 'A B', '2', 'a 2'],
	['choice, choices: {b: B, a: A}', 'B A', 'b', 'b a'],
	['choice, choices: [[g, [[a, A], [b, B]]], [c, C]], initial: b', 'A B C', 'b', 'a b c'],
	['choice, choices: []', undef, undef, ''],
	['choice, choices: [[a, A]], hidden: true, initial: z', undef, 'z', 'a']);
my $all = described(one_field(map { "{name: f$_, type: $rows[$_][0]}" } 0 .. $#rows), environment => \%cloud);
for my $i (0 .. $#rows) {
	my ($what, $titles, $value, $keys) = @{$rows[$i]};
	my $d = $all->{"f$i"};
	is(join(' ', @{$d->{choices}}), $keys, "keys of $what");
	is($json->encode($d->{value}), $json->encode($value), "what $what shows");
	is(join(' ', @{$d->{titles}}), $titles, "titles of $what") if defined $titles;
}
is($json->encode(described(one_field('{name: x, type: image}'), environment => \%cloud)->{x}{ready}), '[true,false,true,true,true,true]',
	'an image that is not ready');

# ---- networks
sub pairs { return $json->encode([map { [map { $_ eq '-' ? undef : $_ } split /\+/] } split / /, shift]) }
my %networks = ('' => '-+- n+s1 n+s2 n+- m+s3 m+-', ', allow_auto: false' => 'n+s1 n+s2 n+- m+s3 m+-', ', murano_networks: exclude' => '-+- n+s1 n+s2 n+-',
	", filter: '^mine', murano_networks: translate" => '-+- m+s3 m+-', ', filter: rivate' => '-+-');
for my $more (sort keys %networks) {
	my $d = described(one_field("{name: x, type: network$more}"), environment => \%cloud)->{x};
	is($json->encode($d->{choices}), pairs($networks{$more}), "networks$more");
	is($json->encode([$d->{value}]), pairs((split / /, $networks{$more})[0]), 'the first is shown');
}
is(described(one_field('{name: x, type: network, murano_networks: translate}'), environment => \%cloud)->{x}{titles}[4],
	"Network of 'mine': 10.0.2.0/24 three",
	'a network of an environment');
field('a pair', ['n', undef], '{name: x, type: network}', environment => \%cloud, answer => ['n', undef]);
field('nothing is automatic', [undef, undef], '{name: x, type: network}', environment => \%cloud, answer => undef);

# ---- what is taken
sub refused { my ($field, $answer, $want) = @_; complaints("$field: $answer",
	"f.x $want", one_field($field), environment => \%cloud, answers => { f => { x => $answer } }) }
my $none = sub { "invalid_choice: Select a valid choice. $_[0] is not one of the available choices." };
refused("{name: x, type: $_}", 'nosuch', $none->('nosuch')) for qw(image keypair securitygroup azone volume domain t.Db network);
refused('{name: x, type: choice, choices: [[1, One]]}', 5, $none->(5));
refused('{name: x, type: azone}', 'down', $none->('down'));
refused('{name: x, type: securitygroup}', 'murano--x', $none->('murano--x'));
refused('{name: x, type: image, imageType: linux}', 'w', $none->('w'));
refused('{name: x, type: t.Db}', '', 'required: This field is required.');
field('an image that is not ready may be named', 'q', '{name: x, type: image}', environment => \%cloud, answer => 'q');
field('a flavor by its id', 'a1.large', '{name: x, type: flavor}', environment => \%cloud, answer => 9);
field('by its name', 'a1.large', '{name: x, type: flavor}', environment => \%cloud, answer => 'a1.large');
field('any other', 'nosuch', '{name: x, type: flavor}', environment => \%cloud, answer => 'nosuch');
field('no application is null', undef, '{name: x, type: t.None, required: false}', environment => \%cloud);
field('a key is a text', '1', '{name: x, type: choice, choices: [[1, One]]}', answer => 1);
field("a list that nobody knows is not looked at: $_", 'any', "{name: x, type: $_}", answer => 'any', environment => { flavors => [] }) for
	qw(image keypair azone volume t.Db);
field('the only key pair is taken', 'k', '{name: x, type: keypair}', environment => { keypairs => ['k'] });
field('without zones there is one without a name', '', '{name: x, type: azone, required: false}', environment => { availabilityZones => [] });
done();
