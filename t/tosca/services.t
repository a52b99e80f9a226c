#!/usr/bin/perl
# The services of examples/services: each is deployed here, gives the outputs that docs/tosca-deploy.md says, and goes again.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Deploy;
use Tap;

my $services = "$FindBin::Bin/../../examples/services";
my $json = JSON::PP->new->canonical->allow_nonref;
sub there { my ($program) = @_; return grep { -x "$_/$program" } split /:/, $ENV{PATH} }
my %wants = (
	'hello' => '', 'attribute-mapping' => '', 'outputs' => '', 'intrinsic-functions' => '', 'server-client' => '', 'artifacts' => '',
	'relationship-outputs' => '', 'small-csar' => '', 'capability-attributes' => 'sh', 'concurrency' => 'sh', 'cloudify' => 'python3', 'aria' => 'python3',
);

# The table of the page is what is tried.
my $page = slurp("$FindBin::Bin/../../docs/tosca-deploy.md");
my %outputs = $page =~ /^\| `([\w-]+)` \|[^|\n]*\| `(\{[^|\n]*\})` \|$/mg;
is(join(' ', sort keys %outputs), join(' ', sort keys %wants), 'the page has all services');
is(join(' ', sort map { m{([^/]+)$} } glob "$services/*"), join(' ', sort keys %wants), 'and so has the test');

for my $name (sort keys %wants) {
	my $needs = $wants{$name} || 'ansible-playbook';
	if (!there($needs)) {
		skip($name, "there is no $needs");
		next;
	}
	fresh();
	my $main = $name eq 'small-csar' ? "$services/$name" : (glob "$services/$name/{service,blueprint}.yaml")[-1];
	($main) = grep { -e } "$services/$name/service.yaml", "$services/$name/blueprint.yaml" if $name ne 'small-csar';
	my $bin = build($name, $main);
	my @in = `$bin info` =~ /"dir"/ ? ('--input', "dir=$at/dc") : ();
	my ($rc, $out, $err) = deploy({ limit => 300 }, $bin, 'run', @in);
	is($rc, 0, "$name: run") or print "# $err\n";
	my $got = eval { $json->decode($out) } || {};
	is($got->{status}, 'deployed', "$name: deployed");
	is($json->encode($got->{outputs}), $json->encode($json->decode($outputs{$name})), "$name: its outputs");
	my @made = grep { !m{/order$} } glob "$at/dc/*";
	($rc, $out, $err) = deploy({ limit => 300 }, $bin, 'undeploy');
	is("$rc $out" =~ /^0 .*"undeployed"/s ? 1 : 0, 1, "$name: undeployed") or print "# $err\n";
	is(join(' ', grep { -e } @made), '', "$name: nothing is left");
}
done();
