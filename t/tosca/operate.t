#!/usr/bin/perl
# What operators see of a service: plans of old and new values, and whose a state is.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Deploy;
use Tap;

my ($rc, $out, $err);
my $json = JSON::PP->new->canonical;
sub service {
	my (%o) = @_;
	my $metadata = $o{metadata} ? "metadata: $o{metadata}\n" : '';
	my $nodes = join '', map { "    $_\n" } @{ $o{nodes} };
	return <<"Y";
tosca_definitions_version: tosca_simple_yaml_1_3
${metadata}node_types:
  App:
    derived_from: tosca.nodes.Root
    properties:
      title: { type: string, default: one }
      key: { type: string, default: hidden, metadata: { private: true } }
      tags: { type: list, entry_schema: { type: string }, default: [] }
    interfaces: { Standard: { operations: { create: create.sh, configure: configure.sh, delete: delete.sh } } }
topology_template:
  inputs: { title: { type: string, default: one }, key: { type: string, default: hidden } }
  node_templates:
$nodes
Y
}
my $web = 'web: { type: App, properties: { title: { get_input: title }, key: { get_input: key } } }';
my $other = 'other: { type: App }';
sub make {
	my ($folder, $file, $text, %scripts) = @_;
	spew("$W/$folder/$file.yaml", $text);
	spew("$W/$folder/$_.sh", $scripts{$_} // "true\n") for 'create', 'configure', 'delete';
	return build($folder, "$W/$folder/$file.yaml");
}

# ---- plan: old => new
my $one = make('one', 'service', service(nodes => [$web, $other]));
fresh();
($rc, $out, $err) = deploy($one, 'plan');
like("$rc $out", qr/^0 web is new\n    properties\/title: "one"\n/, 'what is new, with its values');
like($out, qr/^plan: 2 to create, 0 to change, 0 to notify, 0 to delete; 4 steps\n\z/m, 'a summary');
unlike($out, 'hidden', 'nobody is told a secret');
deploy($one, 'run');
($rc, $out) = deploy($one, 'plan');
is($out, "nothing is left to do\n", 'nothing');
($rc, $out) = deploy($one, 'plan', '--input', 'title=two', '--input', 'key=secret');
like($out, qr/^web changes: properties\/title properties\/key\n    properties\/title: "one" => "two"\n    properties\/key: \*{5} => \*{5}\n/m,
	'old => new, and secrets are covered');
unlike($out, 'secret', 'also new ones');
like($out, qr/^plan: 0 to create, 1 to change, 0 to notify, 0 to delete; 1 step$/m, 'one step');
($rc, $out) = deploy($one, 'plan', '--input', 'title=two', '-f', 'json');
my $plan = decode_json($out);
is($json->encode($plan->{summary}), '{"change":1,"create":0,"delete":0,"notify":0,"steps":1}', 'the summary as JSON');
is($json->encode($plan->{objects}[0]{parts}), '[{"new":"two","old":"one","part":"properties/title","runs":true}]', 'values as JSON');
is($plan->{objects}[0]{action} . $plan->{objects}[0]{type}, 'changeApp', 'the object');
($rc, $out) = deploy($one, 'plan', '--input', qq(title=a\e[31m\n"b"));
unlike($out, qr/\e/, 'values do not reach the terminal as they are');

# ---- another build of the same service goes on
my $mended = make('mended', 'service', service(nodes => [$web, $other]), create => "echo mended\n", configure => "echo mended\n");
($rc, $out) = deploy($mended, 'plan');
like($out, qr/^web changes: operations\/configure\n    operations\/configure: "configure\.sh (\w{8})" => "configure\.sh (?!\1)\w{8}"\n/m,
	'a script that was mended');
like($out, qr/^    operations\/create: .* => .*  \(changes nothing that is there\)$/m, 'one that has run');
($rc, $out, $err) = deploy($mended, 'run', '--quiet');
is("$rc$err", '0', 'is run without --force');
is((deploy($mended, 'plan'))[1], "nothing is left to do\n", 'once');
my @mended = (create => "echo mended\n", configure => "echo mended\n");
my $typed = make('typed', 'service', service(nodes => [$web, $other]) =~ s/\bApp\b/Application/gr, @mended);
($rc, $out) = deploy($typed, 'plan', '--snapshot', 'service.state.mugl');
like($out, qr/^web stays as it was made\n    type: "App" => "Application"  \(changes nothing that is there\)$/m, 'a type that has another name');

# ---- two services in one folder
my $two = make('two', 'service', service(nodes => ['db: { type: App }']));
($rc, $out) = deploy($two, 'status');
is("$rc $out", "0 service: undeployed\n", 'a service of the same file name has a state of its own');
is((deploy($two, 'run'))[0], 0, 'it is deployed beside the other');
ok(-e "$at/service-2.state.mugl", 'with a number');
like((deploy($two, 'status'))[1], qr/^  db: started$/m, 'its status');
like((deploy($mended, 'status'))[1], qr/^  web: started$/m, 'that of the other');
is((deploy($mended, 'undeploy'))[0], 0, 'the first one goes');
like((deploy($two, 'status'))[1], qr/^  db: started$/m, 'the second one is found where it was');
is((deploy($two, 'undeploy'))[0], 0, 'and goes') and ok(!-e "$at/service-2.state.mugl", 'with its state');

# ---- nodes without operations have values too
spew("$W/bare/bare.yaml", <<'Y');
tosca_definitions_version: tosca_simple_yaml_1_3
node_types: { A: { derived_from: tosca.nodes.Root, properties: { n: { type: integer }, m: { type: map, entry_schema: { type: string } } } } }
topology_template:
  inputs: { n: { type: integer, default: 1 }, m: { type: map, entry_schema: { type: string }, default: {} } }
  node_templates: { a: { type: A, properties: { n: { get_input: n }, m: { get_input: m } } } }
Y
my $bare = build('bare', "$W/bare/bare.yaml");
fresh();
deploy($bare, 'run', '--input', 'm={a: b}');
($rc, $out) = deploy($bare, 'plan', '--input', 'n=3', '--input', 'm={a: c}');
is("$rc $out", qq(0 a changes: properties/n properties/m\n    properties/n: 1 => 3\n    properties/m: {"a":"b"} => {"a":"c"}\n) .
	"plan: 0 to create, 1 to change, 0 to notify, 0 to delete; 0 steps\n", 'a change that runs nothing');
deploy($bare, 'run', '--input', 'n=3');
is((deploy($bare, 'plan'))[1], "nothing is left to do\n", 'is made by a run');

# ---- names and versions
sub named {
	my ($folder, $file, $name, $version) = @_;
	return make($folder, $file, service(metadata => "{ template_name: $name, template_version: '$version' }", nodes => [$web]));
}
my $shop = named('shop', 'service', 'shop', '1.0');
my $moved = named('moved', 'other-name', 'shop', '1.0');
my $newer = named('newer', 'service', 'shop', '2.0');
fresh();
deploy($shop, 'run');
is(join(' ', sort map { s{.*/}{}r } glob "$at/*.mugl"), 'shop-1.0.state.mugl', 'a state is called what the service is called');
is((deploy($moved, 'plan'))[1], "nothing is left to do\n", 'whatever its file is called');
is((deploy($newer, 'status'))[1], "shop: undeployed\n", 'another version is another service');
($rc, $out) = deploy($newer, 'plan', '--snapshot', 'shop-1.0.state.mugl');
is("$rc $out", "0 nothing is left to do\n", 'unless it is told to go on with that');
fresh();
my $plain = make('plain', 'service', service(nodes => [$web]));
deploy($plain, 'run');
is((deploy($shop, 'plan'))[1], "nothing is left to do\n", 'a service that gets a name goes on');
my $odd = named('odd', 'service', qq("../../\\e[31m\\nx"), '1/2');
fresh();
is((deploy($odd, 'run'))[0], 0, 'a name that is none of a file');
is(join(' ', sort map { s{.*/}{}r } glob "$at/*.mugl"), '_._..___31m_x-1_2.state.mugl', 'stays in the folder');
($rc, $out, $err) = deploy($odd, 'status');
unlike("$out$err", qr/\e/, 'and its escapes are not sent to the terminal');
done();
