#!/usr/bin/env perl
# Programs of services and configurations in the hands of newcomers: what is wrong is told with the next step.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

$ENV{XDG_CACHE_HOME} = "$W/cache";

# ---- services
spew("$W/s.yaml", <<'Y');
tosca_definitions_version: tosca_simple_yaml_1_3
metadata: {template_name: shop, template_version: 1.0.0}
topology_template:
  node_templates:
    db:
      type: tosca.nodes.Root
      interfaces: { Standard: { operations: { create: { implementation: create.sh } } } }
Y
sub script { my ($text) = @_; spew("$W/create.sh", $text); chmod 0755, "$W/create.sh"; return; }
sub service { return vetro({ dir => $W }, 'run', 's.yaml', '--', @_) }

script("#!/bin/sh\nexit 0\n");
for my $verb (qw(outputs undeploy drift)) {
	my ($rc, $out, $err) = service($verb);
	is($rc, 1, "$verb of nothing: status");
	like($err, qr/nothing is deployed: there is no state in shop-1\.0\.0\.state\.mugl\n  hint: '.* run' deploys; --snapshot FILE names /,
		"$verb of nothing");
}
my ($rc, $out, $err) = service('status', '--snapshot', 'nothere.mugl');
is("$rc $out", "0 shop: undeployed\n", 'the status of a state that is not there');
like($err, qr/there is no file nothere\.mugl\n/, 'which is told');
($rc, $out, $err) = service('status');
is($err, '', 'the state by itself may be absent');

my $start = qr/db: Standard\.create failed: \S+create\.sh cannot be started: /;
for (["#!/bin/sh\r\necho hi\r\n", qr/its lines end as those of DOS do, .*`sed -i/, 'line ends of DOS'],
	["#!/usr/bin/nosuch -x\necho hi\n", qr{its first line names /usr/bin/nosuch, which is not there}, 'an interpreter that is not there'],
	["#! /usr/bin/env\x1b[31m\n", qr{its first line names /usr/bin/env\?\[31m, which is not there}, 'one whose name would paint']) {
	my ($text, $why, $title) = @$_;
	script($text);
	($rc, $out, $err) = service('run');
	is($rc, 1, "$title: status");
	like($err, qr/$start$why/, $title);
	unlink glob("$W/shop-1.0.0.state*");
}

# ---- packages and configurations
mkdir "$W/p";
mkdir "$W/p/Classes";
spew("$W/p/manifest.yaml", "Format: 1.4\nType: Application\nFullName: t.app\nName: App\nClasses: {t.App: App.yaml}\n");
spew("$W/p/Classes/App.yaml", "Name: t.App\nMethods:\n  deploy:\n    Scope: Public\n    Body:\n      - Return: 1\n");
($rc, $out, $err) = vetro({ dir => $W }, 'run', 'p', '--', 'status', '--snapshot', 'nothere.mugl');
like("$rc $out$err", qr/^0 .*undeployed\n.*there is no file nothere\.mugl\n/s, 'a state of a package');
spew("$W/app.yay", "name: shop\nversion: 1.0\nport: 80\ndb:\n  host: a\n");
($rc, $out, $err) = vetro({ dir => $W }, 'build', '-O0', 'app.yay', '-o', "$W/app");
is($rc, 0, 'a configuration is built');
($rc, $out, $err) = run_program({ dir => $W }, "$W/app", 'status', '--snapshot', 'nothere.json');
like("$rc $out$err", qr/^0 .*undeployed\n.*there is no file nothere\.json\n/s, 'a state of a configuration');
for (['prot', 'port'], ['statsu', 'status'], ['undploy', 'undeploy'], ['db.hots', 'db.host'], ['vrsion', 'version']) {
	($rc, $out, $err) = run_program({ dir => $W }, "$W/app", $_->[0]);
	is($rc, 1, "the path $_->[0] is not there");
	like($err, qr/error\[E3004\]: .*\n  hint: did you mean \Q$_->[1]\E\?\n\z/, 'what it was to be');
}
($rc, $out, $err) = run_program({ dir => $W }, "$W/app", 'elsewhere.at.all');
like($err, qr/error\[E3004\]: .*\n  hint: 'vetro explain E3004' says more\n\z/, 'nothing is like it');
done;
