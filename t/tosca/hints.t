#!/usr/bin/perl
# A name that is nearly one that is there: every place that names something else says which.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $file = "$W/s.yaml";
sub service {
	my (%with) = @_;
	return <<"Y";
tosca_definitions_version: tosca_simple_yaml_1_3
repositories: { images: { url: "https://example.org/" } }
node_types:
  Shop:
    derived_from: tosca.nodes.Root
    properties: { name: { type: string } }
    attributes: { place: { type: string } }
    capabilities: { endpoint: { type: tosca.capabilities.Endpoint } }
topology_template:
  inputs: { title: { type: string, default: x } }
  substitution_mappings:
    node_type: @{[$with{node_type} // 'Shop']}
    properties: { @{[$with{property} // 'name: [ title ]']} }
    attributes: { @{[$with{attribute} // 'place: [ app, state ]']} }
    capabilities: { @{[$with{capability} // 'endpoint: [ app, data_endpoint ]']} }
  node_templates:
    app:
      type: WebServer
      requirements: [ host: machine ]
      artifacts: { a: { file: x, type: tosca.artifacts.File, repository: @{[$with{repository} // 'images']} } }
    other: { @{[$with{copy} // 'copy: machine']} }
    machine: { type: Compute }
  policies: [ near: { type: tosca.policies.Placement, targets: [ @{[$with{target} // 'app']} ] } ]
  workflows:
    backup:
      steps:
        halt: { target: app, activities: [ { @{[$with{activity} // 'inline: restore']} } ] @{[$with{step} // '']} }
        again: { target: app, activities: [ { set_state: x } ] }
    restore: { steps: { go: { target: app, activities: [ { set_state: x } ] } } }
Y
}
spew($file, service());
my ($rc, $out, $err) = vetro('check', $file);
is("$rc$err$out", '0', 'nothing is wrong at first') or print "# $err";
my @mistakes = (
	[node_type => 'Shopp', 'Shop'], [property => 'nmae: [ title ]', 'name'], [attribute => 'plaec: [ app, state ]', 'place'],
	[capability => 'endpiont: [ app, data_endpoint ]', 'endpoint'], [capability => 'endpoint: [ app, data_endpiont ]', 'data_endpoint'],
	[capability => 'endpoint: [ apps, data_endpoint ]', 'app'], [repository => 'imagse', 'images'], [copy => 'copy: machin', 'machine'],
	[target => 'ap', 'app'], [activity => 'inline: restor', 'restore'], [activity => 'call_operation: Standard.craete', 'create'],
	[activity => 'call_operation: Standrad.create', 'Standard'], [step => ', on_success: [ agian ]', 'again']);
for (@mistakes) {
	my ($where, $text, $right) = @$_;
	spew($file, service($where => $text));
	($rc, $out, $err) = vetro('check', $file);
	my @errors = ($out . $err) =~ /error\[/g;
	is("$rc " . @errors, '1 1', "$where, $text: one error") or print "# $out$err";
	like($out . $err, qr/hint: did you mean '\Q$right\E'\?/, "$where, $text: $right is named");
}
done();
