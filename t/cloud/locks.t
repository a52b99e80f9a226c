#!/usr/bin/perl
# Two applications that use one published database, whose deploy() and createDatabase() take two monitors in both orders.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my $apps = "$FindBin::Bin/../../../shared/conformance/muranopl/apps";
skip_all('no published packages here') if !-d $apps;

my $dir = package_dir('users', { 'manifest.yaml' => <<'M', 'Classes/Site.yaml' => <<'A' });
Format: 1.4
FullName: t.users
Name: users
Type: Application
Require: {com.example.databases.MySql: }
Classes: {t.users.Site: Site.yaml}
M
Namespaces: {=: t.users, std: io.murano, res: io.murano.resources, db: com.example.databases}
Name: Site
Extends: std:Application
Properties:
  database:
    Contract: $.class(db:MySql).notNull()
  instance:
    Contract: $.class(res:Instance).notNull()
  schema:
    Contract: $.string().notNull()
Methods:
  deploy:
    Body:
      - $.instance.deploy()
      - $.database.createDatabase($.schema)
A
sub machine { return { '?' => { type => 'io.murano.resources.LinuxMuranoInstance', id => "vm-$_[0]" }, name => "vm$_[0]", flavor => 'm1', image => 'i' } }
my $model = { Objects => { '?' => { type => 'io.murano.Environment', id => 'env' }, name => 'e',
	applications => [{ '?' => { type => 'com.example.databases.MySql', id => 'db' }, instance => machine('db'), database => 'd',
			username => 'u', password => 'p' },
		map { +{ '?' => { type => 't.users.Site', id => "site-$_" }, database => 'db', instance => machine($_), schema => "s$_" } } 1, 2],
	defaultNetworks => { environment => { '?' => { type => 'io.murano.resources.NeutronNetwork', id => 'net' }, name => 'n' }, flat => undef } } };
spew("$W/m.json", $json->encode($model));
my ($rc, $out, $err) = vetro({ limit => 400 }, 'build', '-O0', '-o', "$W/users.bin", '-I', $apps, $dir);
ok($rc == 0, 'the packages build', $out . $err);

sub run {
	local $Tap::vetro = "$W/users.bin";
	my ($rc, $out) = vetro('run', '--dry-run', '--model', "$W/m.json", @_);
	return (eval { $json->decode($out) } // {}, $rc);
}
my ($a, $status) = run();
is($status, 0, 'with agents that answer at once it is deployed');
is(scalar(grep { $_->[2] =~ /^Database s[12] created/ } @{ $a->{effects}{reports} }), 2, 'both users have their database');

spew("$W/slow.json", '{"agents": [{"seconds": 30}]}');
($a, $status) = run('--scenario', "$W/slow.json");
my $why = $a->{error}{message} // '';
is($a->{error}{type} // '', 'DeadlockError', 'a slow agent brings the deadlock about');
like($why, qr/waits for com\.example\.databases\.MySql\.createDatabase of object db/, 'who waits for what');
like($why, qr/waits for com\.example\.databases\.MySql\.deploy of object db/, 'in the other order');
like($why, qr/in method deploy of type com\.example\.databases\.MySql/, 'the stack of one');
like($why, qr/in method deploy of type t\.users\.Site/, 'the stack of the other');

($rc, $out) = vetro('check', '--format', 'json', '-I', $apps, "$apps/MySQL/package");
my @locks = grep { $_->{code} eq 'W1072' } map { eval { $json->decode($_) } // () } split /\n/, $out;
like($locks[0]{message} // '', qr/"createDatabase" calls "deploy", and the other way round/, 'check warns of it');
ok(@locks && @{ $locks[0]{notes} }, 'and shows the other order');
is($rc, 0, 'as a warning');
done();
