#!/usr/bin/perl
# Scripts with Cloudify's and ARIA's ctx on another machine, over ssh to a real sshd.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Deploy;
use Machine;
use Tap;

my $far = machine('python3');
mkdir "$W/$_", 0700 for 'svc', 'svc/scripts', 'svc/templates', 'there';
spew("$W/svc/blueprint.yaml", <<"Y");
tosca_definitions_version: cloudify_dsl_1_3
imports: [ "cloudify/types/types.yaml" ]
inputs: { address: {} }
node_types:
  App:
    derived_from: cloudify.nodes.ApplicationModule
    properties: { port: { type: integer, default: 80 } }
    interfaces:
      cloudify.interfaces.lifecycle:
        create: scripts/create.sh
        configure: { implementation: scripts/configure.py, inputs: { greeting: { default: hello } } }
        start: scripts/start.sh
        delete: scripts/delete.sh
node_templates:
  vm: { type: cloudify.nodes.Compute, properties: { ip: { get_input: address } } }
  app:
    type: App
    relationships: [ { type: cloudify.relationships.contained_in, target: vm } ]
  client:
    type: App
    properties: { port: 81 }
    relationships:
    - { type: cloudify.relationships.contained_in, target: vm }
    - type: cloudify.relationships.connected_to
      target: app
      source_interfaces: { cloudify.interfaces.relationship_lifecycle: { establish: scripts/link.sh } }
outputs:
  links: { value: { get_attribute: [ app, links ] } }
  said: { value: { get_attribute: [ app, said ] } }
  peer: { value: { get_attribute: [ client, peer ] } }
Y
spew("$W/svc/scripts/create.sh", <<"S");
#!/bin/bash -e
ctx logger info "creating \$(ctx instance id)"
ctx instance runtime-properties links "\$(echo \$(sed -n 's/^ *\\([^:]*\\):.*/\\1/p' /proc/net/dev))"
ctx instance runtime-properties deep.er '\@{"a": [1, 2]}'
ctx download-resource templates/page.txt "$W/there/\$(ctx node name).txt"
S
spew("$W/svc/scripts/configure.py", <<'S');
from cloudify import ctx
from cloudify.state import ctx_parameters as inputs
assert ctx.instance.runtime_properties['deep']['er'] == {'a': [1, 2]}, ctx.instance.runtime_properties
ctx.instance.runtime_properties['said'] = '%s on %s' % (inputs['greeting'], ctx.node.properties['port'])
S
spew("$W/svc/scripts/start.sh", <<"S");
#!/bin/sh -e
[ "\$(ctx operation retry-number)" -gt 0 ] || { ctx operation retry 'not yet'; exit 0; }
echo started >>"$W/there/log"
S
spew("$W/svc/scripts/link.sh", <<"S");
#!/bin/sh -e
ctx source instance runtime-properties peer "\$(ctx target node name):\$(ctx target node properties port) \$(ctx target instance runtime-properties said)"
S
spew("$W/svc/scripts/delete.sh", "#!/bin/sh\nrm -f \"$W/there/\$(ctx node name).txt\"\n");
spew("$W/svc/templates/page.txt", "a page\n");
my $bin = build('far', "$W/svc/blueprint.yaml");
fresh();
my ($rc, $out, $err) = deploy({ limit => 300 }, $bin, 'run', '--input', "address=$there", '--retries', 1, '--retry-interval', 0, @ssh);
is($rc, 0, 'run') or print "# $err\n";
my $got = eval { decode_json($out)->{outputs} } || {};
like($got->{links} // '', qr/\b\Q$far\E\b/, 'runtime properties that a script sets there come back');
is($got->{said} // '', 'hello on 80', 'so do those of a Python script');
is($got->{peer} // '', 'app:80 hello on 80', 'the script of a relationship has both sides');
is(-e "$W/there/app.txt" ? slurp("$W/there/app.txt") : '', "a page\n", 'a resource of the blueprint went there');
is(-e "$W/there/log" ? slurp("$W/there/log") : '', "started\nstarted\n", 'what asked to be tried again was');
($rc, $out, $err) = deploy({ limit => 300 }, $bin, 'undeploy', @ssh);
is($rc, 0, 'undeploy') or print "# $err\n";
ok(!-e "$W/there/app.txt", 'and the resource is gone');
machine_end();
done();
