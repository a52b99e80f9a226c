#!/usr/bin/perl
# Ansible, and a script, over ssh to a real sshd that has a network of its own. It wants root.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Deploy;
use Machine;
use Tap;

my $far = machine('ansible-playbook');
mkdir "$W/$_", 0700 for 'svc', 'there';
$ENV{ANSIBLE_SSH_ARGS} = '-o ControlMaster=no'; # no connection stays for the next playbook

# ---- a playbook and a script there
spew("$W/svc/service.yaml", <<"Y");
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  App:
    derived_from: tosca.nodes.SoftwareComponent
    attributes: { address: { type: string }, host: { type: string }, links: { type: string } }
    interfaces:
      Standard:
        operations:
          create: { implementation: { primary: play/create.yaml, dependencies: [ files/page.txt ] } }
          start: { implementation: start.sh, outputs: { links: [ SELF, links ] } }
          delete: play/delete.yaml
topology_template:
  inputs: { address: { type: string } }
  node_templates:
    m: { type: tosca.nodes.Compute, attributes: { public_address: { get_input: address } } }
    app: { type: App, requirements: [ host: m ] }
  outputs:
    address: { value: { get_attribute: [ app, address ] } }
    links: { value: { get_attribute: [ app, links ] } }
Y
mkdir "$W/svc/$_" for 'play', 'files';
spew("$W/svc/files/page.txt", "a page\n");
spew("$W/svc/play/create.yaml", <<"Y");
- hosts: all
  gather_facts: false
  tasks:
  - copy: { src: page.txt, dest: $W/there/page.txt }
  - shell: cut -d' ' -f3 <<<"\$SSH_CONNECTION"
    args: { executable: /bin/bash }
    register: seen
  - set_stats: { data: { address: "{{ seen.stdout }}" } }
Y
spew("$W/svc/play/delete.yaml", "- hosts: all\n  gather_facts: false\n  tasks:\n  - file: { path: $W/there/page.txt, state: absent }\n");
spew("$W/svc/start.sh", "#!/bin/sh\necho \"links=\$(echo \$(sed -n 's/^ *\\([^:]*\\):.*/\\1/p' /proc/net/dev))\" >>\"\$VETRO_OUTPUTS\"\n");
my $bin = build('service', "$W/svc/service.yaml");
fresh();
my ($rc, $out, $err) = deploy({ limit => 300 }, $bin, 'run', '--input', "address=$there", @ssh);
is($rc, 0, 'run') or print "# $err\n";
my $got = eval { decode_json($out)->{outputs} } || {};
is($got->{address}, "$there", 'the playbook ran on the other machine, and its set_stats came back');
like($got->{links} // '', qr/\b\Q$far\E\b/, 'so did the script');
is(-e "$W/there/page.txt" ? slurp("$W/there/page.txt") : '', "a page\n", 'a file went there');
($rc, $out, $err) = deploy({ limit => 300 }, $bin, 'undeploy', @ssh);
is($rc, 0, 'undeploy') or print "# $err\n";
ok(!-e "$W/there/page.txt", 'and the file is gone');

# ---- a machine whose key is another one
fresh();
spew("$W/ssh/wrong", slurp("$W/ssh/known") =~ s/ ssh-ed25519 .*/ ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f/rg);
($rc, $out, $err) = deploy({ limit => 300 }, $bin, 'run', '--input', "address=$there", @ssh[0 .. 3], '--ssh-known-hosts', "$W/ssh/wrong");
is($rc, 1, 'a machine whose key is not the known one is refused');
ok(!-e "$W/there/page.txt", 'and nothing is done there');
machine_end();
done();
