#!/usr/bin/perl
# Packages that are no MuranoPL: Heat.HOT/1.0, Cloudify.TOSCA/1.0 and TOSCA.CSAR/1.0, as directories and archives.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;

sub manifest {
	my ($dir, $format, $more) = @_;
	spew("$W/$dir/manifest.yaml", "Format: $format\nType: Application\nFullName: t.kinds.$dir\nName: A\nVersion: 1.2.3\n" . ($more // ''));
}

sub zipped {
	my ($dir) = @_;
	system("cd '$W/$dir' && rm -f '$W/$dir.zip' && zip -qr '$W/$dir.zip' .") == 0 or die 'zip';
	return "$W/$dir.zip";
}

# ---- Heat.HOT/1.0
manifest('hot', 'Heat.HOT/1.0');
my $template = <<'Y';
heat_template_version: 2013-05-23
parameters:
  key_name: {type: string, label: The key, description: "a key - of yours", default: mine, constraints: [{length: {min: 2, max: 20}}, {length: {min: 3}},
    {allowed_pattern: "[a-z]+\\d*"}]}
  number: {type: number, default: 3, constraints: [{range: {min: 1, max: 9}, description: between 1 and 9}]}
  flag: {type: boolean, default: true}
  flavor: {type: string, constraints: [{allowed_values: [m1.small, "it's \\ big"]}]}
  "the-list": {type: comma_delimited_list, default: "$.not - an expression"}
  image_name: {type: string, default: cirros}
parameter_groups:
  - {label: Machine, parameters: [flavor, image_name]}
resources:
  srv:
    type: OS::Nova::Server
    properties:
      image: {get_param: image_name}
      flavor: {get_param: flavor}
      key_name: {get_param: key_name}
      user_data: {get_file: "sub/it's.sh"}
outputs:
  key: {value: {get_param: key_name}}
Y
spew("$W/hot/template.yaml", $template);
spew("$W/hot/Resources/HotFiles/sub/it's.sh", "#!/bin/sh\n");
for my $source ("$W/hot", zipped('hot')) {
	my ($rc, $out, $err) = vetro('check', $source);
	is($rc, 0, 'a package of Heat is checked', $err);
	like($err, qr/\A(?:(?!error|HotFiles).)*\z/s, 'and its files are found');
	($rc, $out, $err) = vetro('form', $source, '--set', 'group0.name=web', '--set', "group1.flavor=it's \\ big", '--set', 'group2.number=4', '--model');
	is($rc, 0, 'its form is made of its parameters', $err);
	my $app = $json->decode($out)->{Objects}{services}[0];
	is_json($json->encode($app->{templateParameters}), '{"flag":true,"flavor":"it\'s \\\\ big","image_name":"cirros",'
		. '"key_name":"mine","number":4,"the-list":"$.not - an expression"}', 'and gives them');
	is($app->{'?'}{type} . ' ' . $app->{'?'}{classVersion}, 't.kinds.hot 1.2.3', 'with the class of the package');
	spew("$W/model.json", $out);
	spew("$W/scenario.json", $json->encode({ state => "$W/state.json" }));
	unlink "$W/state.json";
	my @run = ('run', '--scenario', "$W/scenario.json");
	($rc, $out, $err) = vetro({ limit => 300 }, 'run', $source, '--', @run, '--model', "$W/model.json");
	is($rc, 0, 'it deploys inside of an environment', $err);
	my $answer = $json->decode($out);
	my ($stack) = @{$answer->{effects}{heat}};
	is_json($json->encode($stack->{files}), '{"sub/it\'s.sh":"#!/bin/sh\n"}', 'the stack gets the files');
	is($stack->{parameters}{number}, 4, 'and the parameters');
	my $object = $answer->{model}{Objects}{applications}[0];
	is_json($json->encode($object->{templateOutputs}), '{"key":"mine"}', 'outputs come back');
	is(scalar(@{$answer->{effects}{reports}}), 4, 'and reports');
	spew("$W/again.json", $json->encode({ %{$answer->{model}}, Objects => undef, ObjectsCopy => $answer->{model}{Objects} }));
	($rc, $out, $err) = vetro({ limit => 300 }, 'run', $source, '--', @run, '--model', "$W/again.json");
	is($rc, 0, 'it is taken down', $err);
	is(join(' ', map { $_->{op} } @{$json->decode($out)->{effects}{heat}}), 'delete', 'with its stack');
}
for (['group2.number=12', 'between 1 and 9'], ['group2.key_name=ab', 'group2.key_name'], ['group2.key_name=ABC', 'group2.key_name'],
	['group1.flavor=huge', 'group1.flavor']) {
	my ($rc, $out, $err) = vetro('form', "$W/hot", '--set', 'group0.name=web', '--set', 'group1.flavor=m1.small', '--set', $_->[0]);
	ok($rc == 1 && index($err, $_->[1]) >= 0, "the form refuses $_->[0]", $out . $err);
}
my %model = (Objects => { '?' => { id => 'e', type => 'io.murano.Environment' }, name => 'e', applications =>
	[{ '?' => { id => 'a', type => 't.kinds.hot/1.2.3' }, name => 'a',
	templateParameters => { flavor => 'm1.small', key_name => 'mine', number => 12 } }] });
spew("$W/model.json", $json->encode(\%model));
my ($rc, $out, $err) = vetro({ limit => 300 }, 'run', "$W/hot", '--', 'run', '--dry-run', '--model', "$W/model.json");
like($err, qr/ContractViolation.*number/, 'so does the contract of the class');
spew("$W/hot/Resources/HotEnvironments/prod.yaml", "parameters: {number: 7}\n");
$model{Objects}{applications}[0]{hotEnvironment} = 'prod.yaml';
spew("$W/model.json", $json->encode(\%model));
($rc, $out, $err) = vetro({ limit => 300 }, 'run', "$W/hot", '--', 'run', '--dry-run', '--model', "$W/model.json");
is($rc, 0, 'with environments the class leaves parameters to Heat', $err);
is($json->decode($out)->{effects}{heat}[0]{environment}, "parameters: {number: 7}\n", 'and hands the environment on');
unlink "$W/hot/Resources/HotEnvironments/prod.yaml";
for ([qr/image:/, 'imag:', qr/error\[E2050\].*imag/], [qr/type: boolean/, 'type: text', qr/E0418.*parameter flag/],
	[qr/resources:/, 'things:', qr/E0418.*no resources/], [qr/\Aheat.*/s, '[]', qr/E0402.*no template/]) {
	my ($from, $to, $want) = @$_;
	(my $text = $template) =~ s/$from/$to/;
	spew("$W/hot/template.yaml", $text);
	($rc, $out, $err) = vetro('check', "$W/hot");
	ok($rc == 1 && $err =~ $want, "told: $want", $err);
}
unlink "$W/hot/template.yaml";
like((vetro('check', "$W/hot"))[2], qr/E0408.*template\.yaml/, 'a package without its template');

# ---- Cloudify.TOSCA/1.0: the class is one of a library that the site has
spew("$W/lib/manifest.yaml", "Format: 1.4\nType: Library\nFullName: org.getcloudify.murano\nClasses: {org.getcloudify.murano.CloudifyApplication: A.yaml}\n");
spew("$W/lib/Classes/A.yaml", <<'Y');
Namespaces: {=: org.getcloudify.murano, std: io.murano}
Name: CloudifyApplication
Extends: std:Application
Methods:
  describe:
  updateOutputs:
  deploy:
    Usage: Action
    Body:
      - $plan: $.describe()
      - $.updateOutputs({address => 'http://{0}'.format($plan.inputs.host)})
      - Return: $plan
Y
manifest('cfy', 'Cloudify.TOSCA/1.0', "EntryPoint: sub/blue.yaml\n");
spew("$W/cfy/Resources/sub/blue.yaml", <<'Y');
tosca_definitions_version: cloudify_dsl_1_3
imports: ['http://www.getcloudify.org/spec/cloudify/4.5/types.yaml']
inputs: {host: {description: "where - it runs"}, user_name: {default: root}}
node_templates: {box: {type: cloudify.nodes.Compute, properties: {ip: {get_input: host}}}}
outputs: {address: {value: {get_attribute: [box, ip]}}}
Y
for my $source ("$W/cfy", zipped('cfy')) {
	($rc, $out, $err) = vetro('check', '-I', "$W/lib", $source);
	is($rc, 0, 'a package of Cloudify is checked', $out . $err);
	($rc, $out, $err) = vetro('form', $source, '-I', "$W/lib", '--set', 'appConfiguration.host=h', '--set', 'appConfiguration.user_name=u');
	is_json($json->encode({ map { $_ => $json->decode($out)->{$_} } 'host', 'user_name' }), '{"host":"h","user_name":"u"}',
		'its form has the inputs', $err);
	spew("$W/one.json", '{"Objects":{"?":{"id":"a","type":"t.kinds.cfy/1.2.3"},"host":"h"}}');
	($rc, $out, $err) = vetro({ limit => 300 }, 'run', '-I', "$W/lib", $source, '--', 'run', '--dry-run', '--model', "$W/one.json", '--call', 'deploy');
	my $answer = $json->decode($out);
	is_json($json->encode($answer->{result}), '{"entryPoint":"sub/blue.yaml","inputs":{"host":"h","user_name":"root"}}',
		'it describes its blueprint', $err);
	is($answer->{model}{Objects}{address}, 'http://h', 'outputs become properties');
}
for my $entry ('../../../etc/passwd', '/etc/passwd/..', '[1]', "''") {
	spew("$W/out/manifest.yaml", slurp("$W/cfy/manifest.yaml") =~ s/EntryPoint: .*/EntryPoint: $entry/r);
	spew("$W/out/Resources/main.yaml", slurp("$W/cfy/Resources/sub/blue.yaml"));
	like((vetro('check', '-I', "$W/lib", "$W/out"))[2], qr/manifest\.yaml:6:13: error\[E0414\]/, "no other file is taken for EntryPoint $entry");
}
like((vetro('check', "$W/cfy"))[2], qr/E0412.*org\.getcloudify\.murano/, 'the library is required');
spew("$W/cfy/Resources/sub/blue.yaml", slurp("$W/cfy/Resources/sub/blue.yaml") =~ s/get_input: host/get_input: hots/r =~ s/user_name/user-name/r);
like((vetro('check', '-I', "$W/lib", "$W/cfy"))[2], qr/E0418.*blue\.yaml|blue\.yaml.*E0418/s, 'an input that cannot be a property');
spew("$W/cfy/Resources/sub/blue.yaml", slurp("$W/cfy/Resources/sub/blue.yaml") =~ s/user-name/user_name/r);
like((vetro('check', '-I', "$W/lib", "$W/cfy"))[2], qr/sub\/blue\.yaml.*hots/s, 'the blueprint is checked by its own rules');

# ---- TOSCA.CSAR/1.0: the service stands for the package
manifest('csar', 'TOSCA.CSAR/1.0');
spew("$W/in/TOSCA-Metadata/TOSCA.meta", "TOSCA-Meta-File-Version: 1.0\nCSAR-Version: 1.1\nCreated-By: me\nEntry-Definitions: d/main.yaml\n");
spew("$W/in/d/main.yaml", "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n  inputs: {n: {type: integer, default: 3}}\n"
	. "  outputs: {n: {value: {get_input: n}}}\n");
system("cd '$W/in' && zip -qr '$W/csar/csar.zip' .") == 0 or die 'zip';
for my $source ("$W/csar", zipped('csar')) {
	($rc, $out, $err) = vetro('check', $source);
	is("$rc $err", '0 ', 'a package with a CSAR is checked');
	($rc, $out, $err) = vetro({ limit => 300 }, 'run', $source, '--', 'topology', '--input', 'n=5');
	like($out, qr/"n":\s*5/, 'and runs as its service does', $err);
}
rename "$W/csar/csar.zip", "$W/elsewhere.zip";
($rc, $out, $err) = vetro('check', "$W/csar");
is(join(' ', $err =~ /error\[(\w+)\]/g), 'E0408', 'without its archive it is none', $err);
($rc, $out, $err) = vetro('build', "$W/csar", '-o', "$W/x");
is(join(' ', $err =~ /error\[(\w+)\]/g), 'E0408', 'and nothing is built', $err);
symlink "$W/elsewhere.zip", "$W/csar/csar.zip";
like((vetro('check', "$W/csar"))[2], qr/E0106.*csar\.zip|csar\.zip.*E0106/, 'a link out of the package is not followed');
is(join(' ', glob(($ENV{TMPDIR} // '/tmp') . "/vetro-build-*/csar.zip")), '', 'nothing that was unpacked is left');
done();
