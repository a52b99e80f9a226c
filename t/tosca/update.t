#!/usr/bin/perl
# A deployed service run with other inputs: what comes, goes and changes, whatever interrupts it.
use strict;
use warnings;
use File::Path qw(make_path);
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Deploy;
use Tap;

my $json = JSON::PP->new->canonical;
my ($rc, $out, $err);
sub page { return slurp("$at/dc/front/web/www/index.html") }

# ---- the example: a change reaches those who are reported
{
	my $shop = build('service', "$FindBin::Bin/../../examples/tosca-webshop/service.yaml");
	my @host = ('--input', "host=$at/dc");
	my @items = ('--input', 'items=["salt"]');
	fresh();
	deploy($shop, 'run', @host);
	($rc, $out, $err) = deploy($shop, 'run', '--dry-run', @items);
	is($rc, 0, 'a dry run');
	like($out, qr/^web is notified\nshop is notified\ndatabase changes: properties\/items operations\/configure\/items\n/,
		'what changes and who is notified');
	is(join(',', $out =~ /^ +\d+  (\S+: \S+)/mg), join(',', 'database: Standard.stop', 'database: Standard.configure',
		'database: shop.database.Configure.post_configure_target', 'database: Standard.start', 'shop: database.Configure.target_changed',
		'web: application.Configure.target_changed'),
		'the steps');
	($rc, $out, $err) = deploy($shop, 'run', '--progress', @items);
	is($rc, 0, 'the update') or print map { "# $_\n" } split /\n/, $err;
	is(scalar(() = $err =~ / done$/mg), 6, 'these and no others');
	like(page(), qr{<ul><li>salt</li></ul>}, 'the page has the new items');
	like(page(), qr{Corner shop}, 'and the title it had: inputs that are not given stay');
	is(decode_json($out)->{status}, 'deployed', 'deployed');
	is($json->encode(decode_json($out)->{nodes}), '{"back":"started","database":"started","front":"started","shop":"started","web":"started"}',
		'nodes are what they were');
	($rc, $out, $err) = deploy($shop, 'run', '--progress');
	is("$rc$err", '0', 'again: nothing is left to do');
	my ($want, $state) = (tree("$at/dc"), slurp("$at/service.state.mugl"));
	like($state, qr/"salt"/, 'the state has the new inputs');
	unlike($state, 'update', 'and is done with the update');

	# Killed after each line of progress, and run again without inputs.
	my ($same, $kept, $killed) = (0, 0, 0);
	for my $k (1 .. 12) {
		fresh();
		deploy($shop, 'run', @host);
		my ($first) = deploy({ kill => $k }, $shop, 'run', '--progress', @items);
		$killed++ if $first == -9;
		my ($second) = deploy($shop, 'run');
		$same++ if $second == 0 && tree("$at/dc") eq $want;
		$kept++ if slurp("$at/service.state.mugl") eq $state;
	}
	ok($killed >= 10, 'killed at every step of an update', $killed);
	is("$same $kept", '12 12', 'and run again: the same files, the same state');

	# Killed, and then something else is wanted; and undeployed from the middle.
	fresh();
	deploy($shop, 'run', @host);
	deploy({ kill => 5 }, $shop, 'run', '--progress', @items);
	($rc) = deploy($shop, 'run', '--input', 'items=["rice"]', '--input', 'title=Other');
	ok($rc == 0 && page() =~ /Other.*<ul><li>rice/s, 'other inputs in the middle of an update', page());
	my $gone = 0;
	for my $k (1 .. 12) {
		fresh();
		deploy($shop, 'run', @host);
		deploy({ kill => $k }, $shop, 'run', '--progress', @items);
		($rc) = deploy($shop, 'undeploy');
		$gone++ if $rc == 0 && tree("$at/dc") eq '{"":"dir"}' && !-e "$at/service.state.mugl";
	}
	is($gone, 12, 'undeployed from the middle of an update');

	fresh();
	deploy($shop, 'run', @host);
	make_path("$at/dc2");
	($rc, $out, $err) = deploy($shop, 'run', '--recreate', '--input', "host=$at/dc2", '--progress');
	is($rc, 0, '--recreate') or print map { "# $_\n" } split /\n/, $err;
	ok(tree("$at/dc") eq '{"":"dir"}' && slurp("$at/dc2/front/web/www/index.html") =~ /Corner/,
		'takes down what was there and makes it anew', tree("$at/dc"));
	fresh();
	deploy($shop, 'run', @host);
	($rc, $out, $err) = deploy($shop, 'run', '--input', 'title=<>');
	is($rc, 1, 'an input that cannot be');
	ok((deploy($shop, 'run'))[0] == 0 && page() =~ /Corner/, 'leaves the service alone');
}

# ---- more and fewer nodes: counts
spew("$W/scale/log.sh", <<'S');
#!/bin/sh
set -eu
echo "$VETRO_NODE $VETRO_OPERATION${VETRO_TARGET:+ $VETRO_TARGET}" >> "$LOG"
case $VETRO_OPERATION in
create) : > "$ROOM/$VETRO_NODE" ;;
delete) rm -f "$ROOM/$VETRO_NODE" ;;
configure) [ -z "${VETRO_CHANGED:-}" ] || echo "changed: $VETRO_CHANGED" >> "$LOG" ;;
esac
S
spew("$W/scale/scale.yaml", <<'Y');
tosca_definitions_version: tosca_2_0
imports: [ { profile: org.oasis-open.simple:2.0, namespace: tosca } ]
node_types:
  Worker:
    derived_from: tosca:Root
    properties: { size: { type: integer } }
    capabilities: { work: { type: tosca:Endpoint } }
    interfaces: { Standard: { operations: { create: log.sh, configure: log.sh, start: log.sh, stop: log.sh, delete: log.sh } } }
  Balancer:
    derived_from: tosca:Root
    requirements: [ { worker: { capability: tosca:Endpoint, node: Worker, relationship: Sends, count_range: [ 0, UNBOUNDED ] } } ]
    interfaces: { Standard: { operations: { create: log.sh, configure: log.sh, start: log.sh, stop: log.sh, delete: log.sh } } }
relationship_types:
  Sends:
    derived_from: tosca:ConnectsTo
    interfaces: { Configure: { operations: { add_target: log.sh, remove_target: log.sh } } }
service_template:
  inputs:
    n: { type: integer, default: 2 }
    size: { type: integer, default: 1 }
  node_templates:
    worker: { type: Worker, count: { $get_input: n }, properties: { size: { $get_input: size } } }
    balancer: { type: Balancer, requirements: [ { worker: { node: worker, count: { $get_input: n } } } ] }
Y
my $scale = build('scale', "$W/scale/scale.yaml");
my %env = (env => { LOG => "$at/log", ROOM => "$at/dc" });
sub log_of { my $t = slurp("$at/log"); $t =~ s/\n/,/g; unlink "$at/log"; return $t =~ s/,$//r }
sub room { opendir(my $d, "$at/dc"); return join ' ', sort grep { !/^\./ } readdir $d }
my @one = ('--workers', 1);
fresh();
deploy(\%env, $scale, 'run', @one);
is(room(), 'balancer worker_0 worker_1', 'two workers');
log_of();
($rc, $out, $err) = deploy(\%env, $scale, 'run', @one, '--input', 'n=3');
is("$rc " . room(), '0 balancer worker_0 worker_1 worker_2', 'three of them') or print map { "# $_\n" } split /\n/, $err;
is(log_of(), 'worker_2 create,worker_2 configure,worker_2 start,balancer stop,balancer configure,changed: requirements/worker[2],balancer start,balancer ' .
	'add_target worker_2',
	'the new one, and who needs it');
($rc, $out, $err) = deploy(\%env, $scale, 'run', @one, '--input', 'n=1', '--dry-run');
like($out, qr/^worker_1 goes\nworker_2 goes\n.*balancer changes: /s, 'fewer: a dry run');
is(room(), 'balancer worker_0 worker_1 worker_2', 'does nothing');
($rc, $out, $err) = deploy(\%env, $scale, 'run', @one, '--input', 'n=1', '--progress');
is("$rc " . room(), '0 balancer worker_0', 'one of them') or print map { "# $_\n" } split /\n/, $err;
my $fewer = log_of();
my $gone = join ',', 'balancer remove_target worker_1', 'balancer remove_target worker_2', 'worker_1 stop', 'worker_1 delete',
	'worker_2 stop', 'worker_2 delete', 'balancer stop', 'balancer configure', '';
like($fewer, qr/^$gone/,
	'the balancer is notified before they go');
unlike($fewer, 'worker_0 (create|stop|delete)|worker create', 'the one that stays is left alone, though it has another name now');
like($out, qr/"worker": "started"/, 'its name');
($rc) = deploy(\%env, $scale, 'run', @one, '--input', 'n=2');
is("$rc " . room(), '0 balancer worker_0 worker_1', 'two again');
my $again = log_of();
like($again, qr/^worker_1 create,/, 'the first one is there');
unlike($again, 'worker_0', 'and left alone');
($rc) = deploy(\%env, $scale, 'run', @one, '--input', 'size=5');
is(log_of(), join(',', map { ("worker_$_ stop", "worker_$_ configure", "changed: properties/size", "worker_$_ start") } 0, 1),
	'a property of all: nobody else is concerned');

fresh();
deploy(\%env, $scale, 'run', @one, '--input', 'n=3');
deploy(\%env, $scale, 'run', @one, '--input', 'n=1', '--input', 'size=4');
my ($want, $state, $same) = (room(), slurp("$at/scale.state.mugl"), 0);
my @bad;
for my $k (1 .. 26) {
	fresh();
	deploy(\%env, $scale, 'run', @one, '--input', 'n=3');
	deploy({ %env, kill => $k }, $scale, 'run', @one, '--input', 'n=1', '--input', 'size=4', '--progress');
	($rc) = deploy(\%env, $scale, 'run', @one);
	$rc == 0 && room() eq $want && slurp("$at/scale.state.mugl") eq $state ? $same++ : push @bad, $k;
}
is($same, 26, 'killed at every step of an update that takes away, and run again') or print "# @bad\n";

# ---- another build: its changes are made, what it has not got is left alone
spew("$W/scale/other/log.sh", slurp("$W/scale/log.sh"));
my $text = slurp("$W/scale/scale.yaml");
$text =~ s/default: 1 /default: 7 /;
spew("$W/scale/other/scale.yaml", $text);
my $other = build('other', "$W/scale/other/scale.yaml");
fresh();
deploy(\%env, $scale, 'run', @one);
log_of();
($rc, $out, $err) = deploy(\%env, $other, 'run', @one);
is("$rc " . log_of(), '0 ' . join(',', map { ("worker_$_ stop", "worker_$_ configure", "changed: properties/size", "worker_$_ start") } 0, 1),
	'another build of the service goes on: it is updated') or print "# $err\n";
$text =~ s/\bbalancer:.*\n//;
spew("$W/scale/other/scale.yaml", $text);
$other = build('other', "$W/scale/other/scale.yaml");
for my $verb ('run', 'undeploy') {
	($rc, $out, $err) = deploy(\%env, $other, $verb, @one);
	like("$rc $err", qr/^1 .*was made by another build, and this one has no 'balancer'\n  hint: .*--force/, "$verb: what a build has not got is not lost");
}
($rc, $out, $err) = deploy(\%env, $other, 'run', '--force', @one);
like("$rc $err", qr/^0 .*'balancer' is not in the service any more; nothing is done about it/s, 'but with --force');

done();
