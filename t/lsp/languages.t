#!/usr/bin/perl
# vetro lsp in TOSCA, HOT, Yay, forms and workflows: completion, hover, definition and references, and files that are broken.
use strict;
use warnings;
use Cwd qw(realpath);
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;
use Lsp;

my $root = realpath($W);
my ($c, $path, $text);

# The text of a file, with the place that "|" marks in a piece of it.
sub open_at {
	my ($name, $source) = @_;
	$c->stop if $c;
	($path, $text) = ("$root/$name", $source);
	spew($path, $source);
	$c = Lsp->start(root => $root);
	$c->open_text($path, $source);
}
sub place_in {
	my ($in, $piece) = @_;
	(my $plain = $piece) =~ s/\|//;
	my $at = index $in, $plain;
	die "no $plain" if $at < 0;
	my $before = substr $in, 0, $at + index $piece, '|';
	return (($before =~ tr/\n//), length($before =~ s/.*\n//sr));
}
sub about { my ($method, $piece, %more) = @_; return $c->at($method, $path, place_in($text, $piece), %more) }
# Labels of a completion, after what is typed at the place.
sub offered {
	my ($piece, $typed) = @_;
	my $marked = $piece =~ s/\|/($typed \/\/ '') . '|'/er;
	(my $before = $piece) =~ s/\|//;
	(my $plain = $marked) =~ s/\|//;
	my $new = $text;
	substr($new, index($new, $before), length $before) = $plain;
	$c->change($path, $new);
	my $r = $c->at('completion', $path, place_in($new, $marked));
	$c->change($path, $text);
	return join ' ', map { $_->{label} } @{ $r->{items} };
}
sub hover { my $h = about('hover', @_); return $h ? $h->{contents}{value} : '' }
sub definition { my $d = about('definition', @_); return $d ? ($d->{uri} =~ s{.*/}{}r) . ":$d->{range}{start}{line}" : 'none' }
sub uses {
	my $all = about('references', $_[0], context => {includeDeclaration => JSON::PP::true});
	return join ' ', map { ($_->{uri} =~ s{.*/}{}r) . ":$_->{range}{start}{line}" } @{ $all || [] };
}

# ---- TOSCA ----

spew("$root/types.yaml", <<'Y');
tosca_definitions_version: tosca_2_0
capability_types: {Room: {}, Plug: {}}
node_types:
  House:
    description: It has room.
    capabilities: {room: Room}
  Wall:
    capabilities: {plug: Plug}
Y
open_at('service.yaml', <<'Y');
tosca_definitions_version: tosca_2_0
imports:
- types.yaml
data_types:
  Address:
    properties:
      street: {type: string, description: Where it is.}
      floor: {type: integer, validation: {$valid_values: [$value, [1, 2]]}}
node_types:
  Tenant:
    properties:
      address: {type: Address}
    attributes:
      state_of_mind: {type: string}
    requirements:
    - home: {capability: Room}
service_template:
  inputs:
    where: {type: string, description: The street.}
  node_templates:
    wall: {type: Wall}
    house: {type: House}
    ann:
      type: Tenant
      properties:
        address:
          street: {$get_input: [where]}
          floor: 1
      requirements:
      - home: house
  outputs:
    mind: {value: {$get_attribute: [ann, state_of_mind]}}
Y
is_lines([sort split / /, offered('      type: |Tenant')], [qw(House Tenant Wall)], 'TOSCA: types of nodes, imported ones too');
is(offered('- home: |house'), 'house House', 'targets of a requirement are those that satisfy it');
is(offered('        |address:'), 'address', 'properties of the type');
is(offered('          |floor: 1') =~ s/ \$.*//r, 'street floor', 'fields of a data type');
is(offered('          floor: |1'), '1 2', 'values that a constraint lists');
like(offered('          street: {|$get'), qr/\$get_input.*\$concat/, 'functions of the version');
is(offered('[|where'), 'where', 'inputs');
is(offered('[ann, |state'), 'state_of_mind address home CAPABILITY RELATIONSHIP', 'what a node has');
is(offered('      - home: house|', "\n      - "), 'home', 'requirements by name');
is(offered('    ann:|', "\n      re"), offered('    ann:|', "\n      "), 'keynames, also of a file that is broken');
like(offered('    ann:|', "\n      re"), qr/\brequirements\b.*\bartifacts\b/, 'of a node template');
is(offered('    mind: {value: {|$get_attribute: [ann, state_of_mind]}}', '$get_attribute: [ann, '), 'state_of_mind address home CAPABILITY RELATIONSHIP',
	'in brackets that are open');
like(hover('type: Hou|se'), qr/House:.*It has room.*Capabilities: room/s, 'hover of a type');
like(hover('str|eet: {$get'), qr/`street`.*type: string.*Where it is/s, 'of a property');
like(hover('$get_in|put'), qr/name, path.*value of an input/s, 'of a function');
like(hover('re|quirements:
      -'), qr/keyname `requirements` of a node template/, 'of a keyname');
is(definition('type: Hou|se'), 'types.yaml:3', 'definition in another file');
is(definition('str|eet: {$get'), 'service.yaml:6', 'of a field');
is(definition('- home: hou|se'), 'service.yaml:21', 'of a node template');
is(uses('    wh|ere:'), 'service.yaml:18 service.yaml:26', 'references of an input');
is(uses('  Ten|ant:'), 'service.yaml:9 service.yaml:23', 'of a type');
is(uses('      stat|e_of'), 'service.yaml:13 service.yaml:31', 'of an attribute, through a function');

# What was known stays known when another line is broken.
$c->diagnostics($path);
my $broken = $text =~ s/^imports:/imports: [/mr;
$c->change($path, $broken);
my $r = $c->at('completion', $path, place_in($broken, '- home: |house'));
is(join(' ', map { $_->{label} } @{ $r->{items} }), 'house House', 'a broken file keeps what was known of it');
my $d = $c->at('definition', $path, place_in($broken, '- home: hou|se'));
is($d->{range}{start}{line}, 21, 'with its places');

open_at('old.yaml', <<'Y');
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  node_templates:
    server:
      type: tosca.nodes.Compute
      capabilities:
        host:
          properties:
            num_cpus: 2
    disk:
      type: tosca.nodes.Storage.BlockStorage
      properties: {size: 1 GB}
Y
like(offered('            |num_cpus'), qr/\bmem_size\b/, 'properties of a capability of the profile');
like(hover('num_|cpus'), qr/type: integer/, 'with what they are');
like(definition('tosca.nodes.Com|pute'), qr/^simple-1\.3\.yaml:\d+$/, 'a type of the profile has a file in the cache');
like(offered('type: |tosca.nodes.Compute'), qr/\btosca\.nodes\.DBMS\b/, 'types of the profile');

# ---- Heat ----

open_at('stack.yaml', <<'Y');
heat_template_version: rocky
parameters:
  image: {type: string, description: What it boots.}
resources:
  net: {type: OS::Neutron::Net}
  server:
    type: OS::Nova::Server
    properties:
      image: {get_param: image}
      flavor: small
      networks:
      - network: {get_resource: net}
      user_data_format: RAW
outputs:
  ip: {value: {get_attr: [server, first_address]}}
Y
like(offered('    type: |OS::Nova::Server'), qr/OS::Cinder::Volume/, 'Heat: types of resources');
like(offered('      |flavor'), qr/\bkey_name\b.*\bmetadata\b/, 'properties by type');
like(offered('      - |network: {'), qr/\bfixed_ip\b/, 'keys of a map in a list');
is(offered('user_data_format: |RAW'), 'HEAT_CFNTOOLS RAW SOFTWARE_CONFIG', 'values that are allowed');
like(offered('{get_param: |image'), qr/^image OS::stack_name/, 'parameters');
is(offered('{get_resource: |net'), 'net server', 'resources');
like(offered('[server, |first'), qr/\baccessIPv4\b/, 'attributes of the type');
like(offered('  server:|', "\n    "), qr/\bdepends_on\b.*\bexternal_id\b/, 'keys of a resource in this version');
like(hover('OS::Nova::Ser|ver'), qr/flavor \(required\)/, 'hover of a type');
like(hover('get_param: im|age'), qr/What it boots/, 'of a parameter');
is(definition('get_resource: n|et'), 'stack.yaml:4', 'definition of a resource');
is(uses('  ser|ver:'), 'stack.yaml:5 stack.yaml:14', 'references of one');

# ---- Yay ----

spew("$root/base.yay", "region: eu\nlimits:\n    cpu: 4\n");
open_at('app.yay', <<'Y');
include "base.yay"
set size = limits.cpu
sites:
    - a
macro box:
    width: {{ w }}
prototype Thing:
    name: x
all:
    for s in sites:
        call box:
            w: {{ s }}
one:
    new Thing:
        name: {{ region }}
two: {{ len(sites) + size }} {{ one.name }} {{ limits.cpu }}
Y
like(offered('{{ |region'), qr/\bsize\b.*\bsites\b.*\bregion\b.*\blimits\b.*\brange\b/, 'Yay: names, included ones too, and functions');
is(offered('{{ limits.|cpu'), 'cpu', 'keys of a mapping in another file');
is(offered('{{ one.|name'), 'name', 'those of a prototype');
like(offered('two|: {{', "\nin"), qr/^include search set/, 'directives');
is(definition('{{ reg|ion'), 'base.yay:0', 'definition of an included name');
is(definition('call b|ox'), 'app.yay:4', 'of a macro');
like(hover('limits.cp|u }}'), qr/cpu: 4/, 'hover of a key');
is(uses('set si|ze'), 'app.yay:1 app.yay:15', 'references');
my $symbols = $c->ask('textDocument/documentSymbol', {textDocument => {uri => uri_of($path)}});
is(join(' ', map { "$_->{name}($_->{kind})" } @$symbols), 'size(20) sites(7) box(6) Thing(5) all(7) one(7) two(7)', 'symbols');

# ---- workflows ----

open_at('flow.yaml', <<'Y');
version: '2.0'
greet:
  input: [who]
  vars: {times: 2}
  tasks:
    say:
      action: std.echo output=<% $.who.toUpper() %>
      publish: {said: <% task().result %>}
      on-success: [again]
    again:
      action: std.echo output=<% concat($.said, str($.times)) %>
Y
like(offered('<% $.|who'), qr/^who times said .*\btoUpper\b/, 'Mistral: variables and methods behind $.');
like(offered('<% |task()'), qr/\btask\b.*\bconcat\b/, 'functions of Mistral and of YAQL');
like(offered('[|again'), qr/^say again noop/, 'tasks and commands');
like(offered('    say:|', "\n      "), qr/\bwith-items\b.*\bretry\b/, 'keys of a task');
like(hover('$.sa|id'), qr/published by task say/, 'hover of a variable');
like(hover('<% ta|sk()'), qr/taskName.*function of Mistral/s, 'of a function of the host');
is(definition('[ag|ain'), 'flow.yaml:9', 'definition of a task');
is(uses('{ti|mes'), 'flow.yaml:3 flow.yaml:10', 'references of a variable');
my $s = about('signatureHelp', '<% task(|)');
is($s->{signatures}[0]{label}, 'task(taskName: task? = null)', 'the signature of a function of the host');
my $tokens = $c->ask('textDocument/semanticTokens/full', {textDocument => {uri => uri_of($path)}});
is(@{ $tokens->{data} } / 5 > 8, 1, 'tokens of expressions');

open_at('orquesta.yaml', <<'Y');
version: 1.0
input: [who]
tasks:
  one:
    action: core.echo message=<% ctx().who %>
    next:
    - when: <% succeeded() %>
      publish:
      - got: <% result() %>
      do: two
  two:
    action: core.echo message=<% ctx(got) %>
Y
like(offered('ctx().|who'), qr/^who got /, 'Orquesta: variables');
like(offered('do: |two'), qr/^one two continue/, 'tasks');
like(offered('      do: two|', "\n      "), qr/\bwhen publish do\b/, 'keys of a transition');
is(definition('ctx(go|t'), 'orquesta.yaml:8', 'definition of a variable');

# ---- forms ----

my $dir = realpath(package_dir('app', {'manifest.yaml' => <<'Y', 'Classes/App.yaml' => <<'C', 'Classes/Disk.yaml' => <<'D'}));
Format: 1.4
Type: Application
FullName: org.example.App
Classes: {org.example.App: App.yaml, org.example.Disk: Disk.yaml}
UI: ui.yaml
Y
Namespaces: {=: org.example, std: io.murano}
Name: App
Extends: std:Application
Properties:
  # How it is called.
  title: {Contract: $.string()}
  disk: {Contract: $.class(Disk)}
C
Namespaces: {=: org.example}
Name: Disk
Properties:
  size: {Contract: $.int()}
D
mkdir "$dir/UI";
$root = $dir;
open_at('UI/ui.yaml', <<'Y');
Version: 2.3
Templates:
  main:
    ?: {type: org.example.Disk}
    size: $.conf.size
Application:
  ?: {type: org.example.App}
  title: $.conf.title.toUpper()
  disk: $main
Forms:
- conf:
    fields:
    - name: title
      type: string
    - name: size
      type: integer
Y
is(offered('  |title: $'), 'title disk ?', 'forms: properties of the class');
is(offered('    |size: $'), 'size ?', 'of an object in a template');
like(offered('?: {type: |org.example.App'), qr/^org\.example\.App org\.example\.Disk /, 'classes');
like(offered('$.|conf.title'), qr/^conf /, 'forms in an expression');
like(offered('$.conf.|title'), qr/^title size .*\btoUpper\b/, 'fields of a form, and methods');
is(offered('disk: $|main'), 'main', 'templates');
like(offered('      type: string|', "\n      "), qr/\blabel\b.*\bmaxLength\b/, 'attributes by the type of a field');
like(offered('type: |integer'), qr/^string text integer/, 'types of fields');
like(hover('  tit|le: $'), qr/How it is called/, 'hover of a property');
is(definition('?: {type: org.example.Di|sk'), 'Disk.yaml:1', 'definition of a class');
is(uses('name: tit|le'), 'ui.yaml:7 ui.yaml:12', 'references of a field');
is($c->stop, 0, 'and the server is still there');
done;
