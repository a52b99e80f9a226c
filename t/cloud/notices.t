#!/usr/bin/perl
# What murano-api would be told of a run: rows of InstanceNotifier, reports; and what of a model is its own.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my $data = "$FindBin::Bin/../data/murano";
my ($rc, $out, $err) = vetro({ limit => 400 }, 'build', '-O0', '-o', "$W/cloud", "$data/cloud");
ok($rc == 0, 'the package builds', $out . $err);
my $objects = '{"?":{"id":"env","type":"io.murano.Environment"},"name":"e","applications":[{"?":{"id":"app","type":"t.cloud.App"},
	"instance":{"?":{"id":"vm","type":"io.murano.resources.LinuxMuranoInstance"},"name":"vm","flavor":"m1","image":"i"}}],
	"defaultNetworks":{"environment":{"?":{"id":"net","type":"io.murano.resources.NeutronNetwork"},"name":"n"},"flat":null}}';
my $system = '"SystemData":{"TrustId":"abc","Packages":{"io.murano":["0.0.0"]}},"project_id":"p1","user_id":"u1"';
spew("$W/model.json", "{\"Objects\":$objects}");
spew("$W/whole.json", "{\"Objects\":$objects,$system,\"other\":1}");

sub deploy {
	my (@args) = @_;
	local $Tap::vetro = "$W/cloud";
	my ($rc, $out, $err) = vetro(@args);
	return (eval { $json->decode($out) } // {}, $err, $rc);
}

# ---- rows and reports
my @counted = ('--object', 'app', '--call', 'counted');
my ($a) = deploy('run', '--dry-run', '--model', "$W/model.json", @counted);
is($a->{result}, "'str' object has no attribute 'id'", 'what is no object cannot be counted');
my @rows = (
	{ op => 'track', instance => 'app', environment => 'env', instance_type => 100, type_name => 't.cloud.App', type_title => 'My App', unit_count => 2 },
	{ op => 'track', instance => 'app', environment => 'env', instance_type => 100, type_name => 't.cloud.App', type_title => undef, unit_count => undef },
	{ op => 'track', instance => 'vm', environment => 'env', instance_type => 200, type_name => 'io.murano.resources.LinuxMuranoInstance',
		type_title => undef, unit_count => 1 },
	{ op => 'untrack', instance => 'vm', environment => 'env', instance_type => 200 },
	{ op => 'untrack', instance => 'app', environment => 'env', instance_type => 100 },
);
is_json($a->{effects}{instances}, \@rows, 'rows of the statistics are effects');
is_json($a->{effects}{reports}, [['info', 'app', 'half way'], ['error', 'env', 'no good']], 'reports with their levels');

# They are in the answer, too, as they would be sent.
my @sent = map { my %r = %$_; my $op = delete $r{op}; { event_type => "murano.${op}_instance", payload => \%r } } @rows;
my @reports = grep { $_->{event_type} eq 'murano.report_notification' } @{ $a->{notifications} };
is_json([grep { $_->{event_type} ne 'murano.report_notification' } @{ $a->{notifications} }], \@sent, 'rows are in the answer');
is(join(' ', map { $_->{event_type} =~ /\.(\w+?)_/ } @{ $a->{notifications} }), 'track track track report report untrack untrack', 'in order');
like($_->{payload}{timestamp}, qr/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{6})?$/, 'when a report was made') for @reports;
delete $_->{payload}{timestamp} for @reports;
is_json([map { $_->{payload} } @reports], [
	{ id => 'app', text => 'half way', details => undef, level => 'info', environment_id => 'env' },
	{ id => 'env', text => 'no good', details => undef, level => 'error', environment_id => 'env' } ], 'reports as murano-api gets them');

# A real run has them as well; nothing of this one needs a cloud.
spew("$W/main.json", '{"Objects":{"?":{"id":"m","type":"t.cloud.Main"}}}');
($a, $err) = deploy('run', '--model', "$W/main.json", '--call', 'counts');
is_json([map { "$_->{event_type} " . ($_->{payload}{environment} // '') . ($_->{payload}{environment_id} // '') } @{ $a->{notifications} }],
	['murano.track_instance m', 'murano.report_notification m'], 'of a real run');
is($err, "info m: here\n", 'which reports on standard error as well');
ok(!exists $a->{effects}, 'effects are of dry runs');
($a) = deploy('run', '--dry-run', '--model', "$W/model.json", '--object', 'app', '--call', 'plan', '--args', '[{"Body":"return"}]');
ok(!exists $a->{notifications}, 'nothing is said where nothing was told');

# A deployment counts its machine.
($a) = deploy('run', '--dry-run', '--model', "$W/model.json");
is_json([map { "$_->{op} $_->{instance}" } @{ $a->{effects}{instances} }], ['track vm'], 'a machine that was made');

# ---- what a model has besides objects
($a) = deploy('run', '--dry-run', '--model', "$W/whole.json", @counted);
my $own = sub { my ($m) = @_; return $json->encode({ map { $_ => $m->{$_} } grep { exists $m->{$_} } qw(SystemData project_id user_id other) }) };
my $kept = $json->encode($json->decode("{$system}"));
is($own->($a->{model}), $kept, 'SystemData, project and user survive a run');
($a) = deploy('run', '--dry-run', '--model', "$W/whole.json", '--call', 'nothingSuch');
is($own->($a->{model}), $kept, 'and one that fails');
($a) = deploy('run', '--dry-run', '--model', "$W/model.json", @counted);
is($own->($a->{model}), '{}', 'what was not there is not there');
spew("$W/gone.json", "{\"Objects\":null,$system}");
($a) = deploy('run', '--dry-run', '--model', "$W/gone.json");
is($own->($a->{model}), $kept, 'and where no object is left');
spew("$W/odd.json", "{\"Objects\":$objects,\"SystemData\":[1,{\"a\":null}],\"user_id\":null}");
($a) = deploy('run', '--dry-run', '--model', "$W/odd.json", @counted);
is($own->($a->{model}), '{"SystemData":[1,{"a":null}],"user_id":null}', 'whatever they are');

# ---- by way of a snapshot
($a) = deploy('run', '--dry-run', '--model', "$W/whole.json", '--snapshot', "$W/s.mugl", @counted);
($a) = deploy('run', '--dry-run', '--model', "$W/s.mugl", '--snapshot', "$W/s.mugl", @counted);
is($own->($a->{model}), $kept, 'a snapshot keeps them');
my $s = slurp("$W/s.mugl");
$s =~ s/"integrity": .*\n//;
ok($s =~ s/"system": \{/"system": {"Objects": "not these",/, 'the snapshot has them in its header');
spew("$W/t.mugl", $s);
($a, $err, $rc) = deploy('run', '--dry-run', '--model', "$W/t.mugl", @counted);
ok($rc == 0 && $own->($a->{model}) eq $kept, 'a snapshot replaces no other part', $err);
done();
