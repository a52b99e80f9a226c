#!/usr/bin/perl
# Scripts of nodes on machines with an address: what is sent by ssh, what comes back, what stays here.  A
# stand-in for ssh runs the command in another directory and with another environment.
use strict;
use warnings;
use File::Path qw(make_path);
use FindBin;
use JSON::PP;
use Time::HiRes qw(sleep time);
use lib "$FindBin::Bin/../lib";
use Deploy;
use Tap;

my ($rc, $out, $err);
make_path("$W/svc/lib", "$W/bin", "$W/there");
spew("$W/svc/svc.yaml", <<'Y');
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  Machine:
    derived_from: tosca.nodes.Compute
    interfaces:
      Standard:
        operations:
          create: { implementation: make.sh, outputs: { addr: [ SELF, public_address ] }, inputs: { addr: { type: string, default: { get_input: addr } } } }
          start: { implementation: app.sh }
          stop: { implementation: { primary: app.sh, operation_host: SELF } }
  App:
    derived_from: tosca.nodes.SoftwareComponent
    properties: { title: { type: string } }
    attributes: { where: { type: string } }
    interfaces:
      Standard:
        inputs: { title: { type: string, default: { get_property: [ SELF, title ] } } }
        operations:
          create: { implementation: { primary: app.sh, dependencies: [ lib/common.sh ] }, outputs: { where: [ SELF, where ] } }
          configure: { implementation: { primary: app.sh, dependencies: [ lib/common.sh ], operation_host: ORCHESTRATOR } }
          start: { implementation: { primary: prog.sh, timeout: 2 } }
topology_template:
  inputs:
    addr: { type: string }
    title: { type: string, default: "it's $HOME\n`two`" }
  node_templates:
    m: { type: Machine }
    app: { type: App, properties: { title: { get_input: title } }, requirements: [ host: m ] }
  outputs: { where: { value: { get_attribute: [ app, where ] } } }
Y
spew("$W/svc/lib/common.sh", "common=yes\n");
spew("$W/svc/make.sh", "echo addr=\$addr >\$VETRO_OUTPUTS\n");
spew("$W/svc/app.sh", <<'S');
[ ! -f ./lib/common.sh ] || . ./lib/common.sh
echo "$VETRO_NODE.$VETRO_OPERATION common=$common in $(pwd)"
printf '%s' "$title" >title
echo "[$title] $SECRET" >&2
grep -q '"operation":"'$VETRO_OPERATION'"' "$VETRO_CONTEXT" && echo context
grep -q two "$VETRO_INPUTS" && echo inputs
echo "where=${MARK:-here}" >"$VETRO_OUTPUTS"
[ "$title" != bad ] || exit 3
(sleep 20 &)
S
spew("$W/svc/prog.sh", "#!/bin/sh\n[ \"\$title\" != slow ] || { echo begun; sleep 30; echo never; }\n");
spew("$W/bin/ssh", <<"S");
#!/bin/sh
for last; do echo "\$last" >>$W/words; done
cd $W/there || exit 1
echo "Welcome to this machine"
exec env -i PATH="\$PATH" MARK=there TMPDIR=$W/there sh -c "\$last"
S
chmod 0755, "$W/bin/ssh";
my $svc = build('svc', "$W/svc/svc.yaml");
my %fake = (env => { PATH => "$W/bin:$ENV{PATH}", SECRET => 'ours', TMPDIR => $W });
my @to = ('--input', 'addr=10.1.2.3');
sub logged { return slurp("$at/svc.state.logs/$_[0].log") }
sub words { my $w = -e "$W/words" ? slurp("$W/words") : ''; unlink "$W/words"; return $w }
sub rest { return join ' ', glob("$W/there/*") }

# ---- what goes there
fresh();
my $t0 = time;
($rc, $out, $err) = deploy({ %fake, limit => 60 }, $svc, 'run', @to, '--ssh-user', 'joe', '--ssh-key', 'k.pem', '--ssh-port', '2222',
	'--ssh-known-hosts', '/k/h',
	'--ssh-accept-new');
is($rc, 0, 'run') or print map { "# $_\n" } split /\n/, $err;
ok(time - $t0 < 15, 'a daemon that a script leaves there does not hold it up');
is(decode_json($out)->{outputs}{where}, 'there', 'its outputs come back, and a greeting is none of them');
my $words = words();
is(scalar(() = $words =~ /^10\.1\.2\.3$/mg), 2, 'two operations went there');
like($words, qr/^BatchMode=yes$/m, 'nobody is asked');
my $given = join '', map { "$_\n" } 'UserKnownHostsFile=/k/h', '-o', 'StrictHostKeyChecking=accept-new', '-o', 'Port=2222', '-l', 'joe',
	'-i', "$at/k.pem", '-o', 'IdentitiesOnly=yes', '--', '10.1.2.3';
like($words, qr/^\Q$given\E/m, 'options');
like(logged('app.Standard.create'), qr{^app.create common=yes in \Q$W\E/there/vetro\.\w+/files$}m, 'the script runs there, with its dependencies');
like(logged('app.Standard.create'), qr/^\[it's \$HOME\n`two`\] \ncontext\ninputs$/m, 'with its inputs and context, and not with our environment');
like(logged('app.Standard.configure'), qr{^app.configure common=yes in \Q$at\E/}m, 'ORCHESTRATOR is here');
like(logged('m.Standard.start'), qr{^m.start common= in \Q$at\E/}m, 'operations of the machine itself are here');
is(rest(), '', 'nothing is left there');

($rc, $out, $err) = deploy({ %fake, limit => 60 }, $svc, 'undeploy');
is($rc, 0, 'undeploy');
is(scalar(() = words() =~ /^10\.1\.2\.3$/mg), 1, 'SELF is the machine');

# ---- what goes wrong
fresh();
($rc, $out, $err) = deploy({ %fake, limit => 60 }, $svc, 'run', @to, '--input', 'title=bad');
like("$rc $err", qr/^1 .*app: Standard.create failed: on 10\.1\.2\.3: exit status 3; its log is .*\n  \| .*\[bad\]/s, 'a script that fails there');
fresh();
$t0 = time;
($rc, $out, $err) = deploy({ %fake, limit => 60 }, $svc, 'run', @to, '--input', 'title=slow');
like("$rc $err", qr/^1 .*it took more than 2 seconds/s, 'one that takes too long');
ok(time - $t0 < 15, 'is given up');
for (1 .. 50) { last if rest() eq ''; sleep 0.1 }
is(rest(), '', 'and is ended there');
fresh();
($rc, $out, $err) = deploy({ env => { PATH => "$W/nowhere" }, limit => 60 }, $svc, 'run', @to);
like("$rc $err", qr/^1 .*(there is no ssh in PATH|cannot be started|exit status)/s, 'no ssh');
fresh();
words();
($rc, $out, $err) = deploy({ %fake, limit => 60 }, $svc, 'run', '--input', 'addr=-oProxyCommand=touch /tmp/x');
like("$rc $err", qr/^1 .*the public_address of the machine, '-oProxyCommand=touch/s, 'an address that is an option');
is(words(), '', 'is not given to ssh');
for my $here ([@to, '--local'], ['--input', 'addr=127.0.0.1'], ['--input', 'addr=localhost']) {
	fresh();
	($rc, $out, $err) = deploy({ %fake, limit => 60 }, $svc, 'run', @$here);
	is("$rc " . decode_json($out)->{outputs}{where} . words(), '0 here', "here: @$here");
}
spew("$W/bin/ssh", "#!/bin/sh\necho 'No route to host' >&2\nexit 255\n");
fresh();
($rc, $out, $err) = deploy({ %fake, limit => 60 }, $svc, 'run', @to);
like("$rc $err", qr/^1 .*on 10\.1\.2\.3: ssh could not get there, or lost it.*\| No route to host/s, 'a machine that cannot be reached');

# ---- a log that grows
spew("$W/svc/prog.sh", "#!/bin/sh\n" .
	"i=0; while [ \$i -lt 4000 ]; do echo 'line \$i of many, to make it somewhat longer than just a few bytes each'; i=\$((i+1)); done; echo last; sleep " .
	"1.5\n");
my $long = build('svc', "$W/svc/svc.yaml");
fresh();
($rc, $out, $err) = deploy({ limit => 60 }, $long, 'run', @to, '--local', '--max-log', '0.1');
is($rc, 0, 'a long log');
ok(-s "$at/svc.state.logs/app.Standard.start.log" <= 70_000, 'is cut');
like(logged('app.Standard.start'), qr/^\[what was here.*last\n\z/s, 'and has its end');
done();
