#!/usr/bin/perl
# The pages that commands write, in Chromium: none asks for anything, complains, or is wider than the window, narrow or wide, light or dark.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Browser;
use Deploy;
use File::Copy;
use Tap;

my $top = "$FindBin::Bin/../..";
my $why = Browser::missing();
skip_all($why) if $why;
my (%wanted, $rc, $out, $err);
# page(NAME, WANTED, BINARY, ARGUMENT...): what the panel shows
sub page {
	my ($name, $wanted, @command) = @_;
	($rc, $out, $err) = deploy(@command, '--html', "$W/$name.html");
	ok(-s "$W/$name.html", "$name.html", $rc, $out, $err) and $wanted{$name} = $wanted;
}

# ---- a service: an output that only a run gives, a node that drifts, one that fails
my $hostile = "</script><img src=//outside.example/x onerror=alert(1)>";
spew("$W/svc/service.yaml", <<'Y');
tosca_definitions_version: tosca_simple_yaml_1_3
interface_types:
  Look: { derived_from: tosca.interfaces.Root, operations: { check: {} } }
node_types:
  App:
    derived_from: tosca.nodes.Root
    properties: { word: { type: string } }
    attributes: { size: { type: string } }
    interfaces:
      Standard: { operations: { create: { implementation: create.sh, outputs: { size: [ SELF, size ] } }, start: start.sh } }
      Health: { type: Look, operations: { check: { implementation: check.sh, outputs: { size: [ SELF, size ] } } } }
topology_template:
  inputs: { word: { type: string, default: one } }
  node_templates:
    a-node-with-a-name-that-is-longer-than-most: { type: App, properties: { word: { get_input: word } } }
    back: { type: App, properties: { word: b }, requirements: [ dependency: a-node-with-a-name-that-is-longer-than-most ] }
  outputs:
    size: { value: { get_attribute: [ back, size ] } }
    word: { value: { get_input: word } }
Y
spew("$W/svc/create.sh", "echo 'made $hostile'\necho size=6 >\"\$VETRO_OUTPUTS\"\n");
spew("$W/svc/start.sh", "test ! -e $W/broken || { echo 'no room' >&2; exit 3; }\n");
spew("$W/svc/check.sh", "echo size=10 >\"\$VETRO_OUTPUTS\"\n");
my $svc = build('svc', "$W/svc/service.yaml");
fresh();
page('svc-new', qr/PLAN\s+create\s+2.*size\s+known after the run\s+word\s+one/s, $svc, 'plan');
spew("$W/broken", '');
page('svc-failed', qr/failed in .*no room.*STEPS/s, $svc, 'run');
page('svc-status-failed', qr/: exit status 3;.*no room.*OUTPUTS/s, $svc, 'status');
unlink "$W/broken";
page('svc-run', qr/deployed in .*size\s+6/s, $svc, 'run');
page('svc-status', qr/2 of 2 started.*size\s+6/s, $svc, 'status');
page('svc-plan', qr/one \S+ two.*word\s+two/s, $svc, 'plan', '--input', "word=two");
page('svc-logs', qr/made \Q$hostile\E/, $svc, 'logs');
page('svc-drift', qr/2 of 2 started.*has drifted\s+2.*6 \S+ 10.*size\s+6\s+word\s+one/s, $svc, 'drift');
page('svc-undeploy', qr/undeployed in/, $svc, 'undeploy');

# ---- a package
my $hello = build('hello', '-O0', "$top/examples/hello");
my @model = ('--model', "$top/examples/hello/model.json");
fresh();
page('hello-plan', qr/PLAN\s+create\s+1/, $hello, 'plan', @model);
page('hello-run', qr/deployed in/, $hello, 'run', @model);
page('hello-status', qr/deployed/, $hello, 'status');
page('hello-drift', qr/no stack to compare with/, $hello, 'drift');
page('hello-undeploy', qr/undeployed in/, $hello, 'undeploy');

# ---- a graph, the coverage of tests
($rc, $out, $err) = vetro('graph', 'view', "$top/examples/tosca-webshop/service.yaml", '-o', "$W/graph.html");
is("$rc $err", '0 ', 'a graph') and $wanted{graph} = qr/NODES/;
($rc) = vetro('test', '--coverage', "$W/report", "$top/examples/fleet");
is($rc, 0, 'coverage') and copy("$W/report/index.html", "$W/coverage.html");
$wanted{coverage} = qr/^What the tests have run.*\nNode\.yaml\s.*\nAll\s/s;

my $b = Browser->start($W);
$b->open_page('about:blank'); # away from the page that the browser begins with
$b->requests;
for my $name (sort keys %wanted) {
	my (@asked, @wide);
	for ([360, 'dark'], [1600, 'light']) {
		my ($width, $scheme) = @$_;
		$b->as_seen($width, $scheme);
		$b->open_page("file://$W/$name.html");
		push @asked, grep { $_ ne "file://$W/$name.html" && !/^(?:data|chrome):/ } $b->requests;
		my ($over, $back) = @{ $b->script('return [[...document.querySelectorAll("body *")].filter(e =>
			e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName).join(" "), getComputedStyle(document.body).backgroundColor]') };
		push @wide, "$width $scheme: $over" if $over;
		my ($red) = $back =~ /(\d+)/;
		push @wide, "$width $scheme: $back" if ($red > 128) != ($scheme eq 'light');
	}
	is("@asked", '', "$name: nothing is asked for");
	is(join("\n", @wide), '', "$name: fits, light and dark");
	like($b->script('return document.body.innerText'), $wanted{$name}, "$name: what it shows");
}
is(join("\n", map { $_->{message} } @{ $b->log }), '', 'nothing was complained of');
# The test would notice: a picture of elsewhere is refused by the policy, and another page may ask.
spew("$W/bad.html", '<img src="http://127.0.0.1:9/x.png">');
$b->open_page("file://$W/bad.html");
like(join(' ', $b->requests), qr{127\.0\.0\.1:9/x\.png}, 'a request would be seen');
done;
