#!/usr/bin/perl
# vetro lsp: renaming and references in TOSCA, HOT and Yay, over the files of a workspace; what a rename must not touch.
use strict;
use warnings;
use Cwd qw(realpath);
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;
use Lsp;

my $root = realpath($W);
my %files = ('types.yaml' => <<'A', 'service.yaml' => <<'B', 'other.yaml' => <<'C', 'note.yaml' => "House: House\n", 'old.yaml' => <<'D');
tosca_definitions_version: tosca_2_0
capability_types: {Room: {properties: {size: {type: integer, default: 1}}}}
node_types:
  House:
    properties:
      colour: {type: string, default: red}
    capabilities: {room: Room}
  Villa:
    derived_from: House
A
tosca_definitions_version: tosca_2_0
imports:
- types.yaml
node_types:
  Tenant:
    properties:
      name: {type: string}
    requirements:
    - home: {capability: Room, node: House}
service_template:
  inputs:
    who: {type: string, default: Ann}
  node_templates:
    house: {type: House, properties: {colour: blue}}
    villa: {type: Villa}
    ann:
      type: Tenant
      properties: {name: {$get_input: [who]}}
      requirements:
      - home: house
  outputs:
    colour: {value: {$get_property: [house, colour]}}
    who: {value: {$get_input: [who]}}
B
tosca_definitions_version: tosca_2_0
imports:
- url: types.yaml
  namespace: t
service_template:
  node_templates:
    castle: {type: "t:House", properties: {colour: grey}}
C
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs: {port: {type: integer, default: 80}}
  node_templates:
    web: {type: tosca.nodes.WebServer, requirements: [host: vm]}
    vm: {type: tosca.nodes.Compute}
  groups: {all: {type: tosca.groups.Root, members: [web, vm]}}
  workflows:
    check: {steps: {one: {target: web, activities: [set_state: started]}}}
  outputs: {x: {value: {get_attribute: [web, state]}}, p: {value: {get_input: port}}}
D
$files{'hot.yaml'} = <<'Y';
heat_template_version: 2018-08-31
parameters:
  flavor: {type: string}
resources:
  disk: {type: OS::Cinder::Volume, properties: {size: 1}}
  server: {type: OS::Nova::Server, depends_on: disk, properties: {flavor: {get_param: flavor}, image: {get_param: flavor}}}
outputs:
  ip: {value: {get_attr: [server, first_address]}}
Y
$files{'base.yay'} = <<'Y';
domain: example.org
server:
  port: 80
  host: "{{domain}}"
Y
$files{'app.yay'} = <<'Y';
include "base.yay"
url: "http://{{server.host}}:{{server.port}}/{{domain}}"
text: domain of ours {{domain}} # domain
server:
  port: 81
port: 5
Y
my ($c, %text);

# Opens a file of a workspace that is as above.
sub begin {
	my ($file) = @_;
	$c->stop if $c;
	spew("$root/$_", $files{$_}) for keys %files;
	%text = %files;
	$c = Lsp->start(root => $root);
	$c->open_text("$root/$file", $files{$file});
	return $file;
}
# The place that "|" marks in a piece of the file.
sub params {
	my ($file, $piece, %more) = @_;
	(my $plain = $piece) =~ s/\|//;
	my $at = index $text{$file}, $plain;
	die "no $plain" if $at < 0;
	my $before = substr $text{$file}, 0, $at + index $piece, '|';
	return {textDocument => {uri => uri_of("$root/$file")}, %more,
		position => Lsp::place(($before =~ tr/\n//), length($before =~ s/.*\n//sr))};
}
# What becomes of the files: lines that changed, or why nothing does.
sub renamed {
	my ($file, $piece, $name) = @_;
	my $r = $c->response($c->request('textDocument/rename', params($file, $piece, newName => $name)));
	return "refused: $r->{error}{message}" if $r->{error};
	my @changed;
	my $changes = $r->{result}{changes} || {};
	for my $uri (sort keys %$changes) {
		my $other = $uri =~ s{.*/}{}r;
		my @lines = split /\n/, $text{$other};
		for my $e (reverse @{ $changes->{$uri} }) {
			my ($from, $to) = @{ $e->{range} }{qw(start end)};
			substr($lines[$from->{line}], $from->{character}, $to->{character} - $from->{character}) = $e->{newText};
		}
		my @before = split /\n/, $text{$other};
		$text{$other} = join "\n", @lines, '';
		push @changed, map { "$other: $lines[$_]" } grep { $lines[$_] ne $before[$_] } 0 .. $#lines;
	}
	return join "\n", @changed;
}
sub uses {
	my $all = $c->ask('textDocument/references', params(@_, context => {includeDeclaration => JSON::PP::true}));
	return join ' ', sort map { ($_->{uri} =~ s{.*/}{}r) . ":$_->{range}{start}{line}" } @{ $all || [] };
}
sub check_ok {
	my ($what, @files) = @_;
	spew("$root/$_", $text{$_}) for keys %text;
	my ($rc, $out, $err) = vetro('check', map { "$root/$_" } @files);
	is($rc, 0, $what) or print "# $out$err\n";
}

# ---- TOSCA

my $f = begin('types.yaml');
is(uses($f, '  Hou|se:'), 'other.yaml:6 service.yaml:13 service.yaml:8 types.yaml:3 types.yaml:8', 'references of a type, in files that import it');
is(renamed($f, '  Hou|se:', 'Home'), <<'Y' =~ s/\n\z//r, 'a type, also behind a prefix');
other.yaml:     castle: {type: "t:Home", properties: {colour: grey}}
service.yaml:     - home: {capability: Room, node: Home}
service.yaml:     house: {type: Home, properties: {colour: blue}}
types.yaml:   Home:
types.yaml:     derived_from: Home
Y
check_ok('the files check then', 'service.yaml', 'other.yaml');
is(begin('types.yaml') && renamed($f, 'col|our', 'tint') =~ s/^.*?: +//gmr, <<'Y' =~ s/\n\z//r, 'a property');
castle: {type: "t:House", properties: {tint: grey}}
house: {type: House, properties: {tint: blue}}
colour: {value: {$get_property: [house, tint]}}
tint: {type: string, default: red}
Y
check_ok('the files check then', 'service.yaml', 'other.yaml');
$f = begin('service.yaml');
is(renamed($f, '    hous|e:', 'hut') =~ s/^.*?: +//gmr, <<'Y' =~ s/\n\z//r, 'a node template');
hut: {type: House, properties: {colour: blue}}
- home: hut
colour: {value: {$get_property: [hut, colour]}}
Y
$f = begin('other.yaml');
is(renamed($f, '"t:Hou|se"', 'Home') =~ tr/\n//, 4, 'a type, where it has a prefix');
check_ok('the files check then', 'service.yaml', 'other.yaml');
$f = begin('old.yaml');
is(renamed($f, '[we|b,', 'front') =~ s/^.*?: +//gmr, <<'Y' =~ s/\n\z//r, 'a node template that steps and groups name');
front: {type: tosca.nodes.WebServer, requirements: [host: vm]}
groups: {all: {type: tosca.groups.Root, members: [front, vm]}}
check: {steps: {one: {target: front, activities: [set_state: started]}}}
outputs: {x: {value: {get_attribute: [front, state]}}, p: {value: {get_input: port}}}
Y
check_ok('the file checks then', 'old.yaml');

# ---- HOT

$f = begin('hot.yaml');
is(renamed($f, '  fla|vor:', 'kind') =~ s/^.*?: +//gmr, <<'Y' =~ s/\n\z//r, 'a parameter, but no property of its name');
kind: {type: string}
server: {type: OS::Nova::Server, depends_on: disk, properties: {flavor: {get_param: kind}, image: {get_param: kind}}}
Y
is(renamed(begin('hot.yaml'), 'dis|k:', 'volume') =~ tr/\n//, 1, 'a resource');
check_ok('the template checks then', 'hot.yaml');

# ---- Yay

$f = begin('base.yay');
is(renamed($f, 'dom|ain:', 'zone'), <<'Y' =~ s/\n\z//r, 'a key, but no word of a text and no comment');
app.yay: url: "http://{{server.host}}:{{server.port}}/{{zone}}"
app.yay: text: domain of ours {{zone}} # domain
base.yay: zone: example.org
base.yay:   host: "{{zone}}"
Y
is(renamed(begin('base.yay'), '  po|rt:', 'door'), <<'Y' =~ s/\n\z//r, 'an inner key, wherever the mapping comes again; not a key of its name');
app.yay: url: "http://{{server.host}}:{{server.door}}/{{domain}}"
app.yay:   door: 81
base.yay:   door: 80
Y
is(renamed(begin('app.yay'), 'server.ho|st', 'name') =~ tr/\n//, 1, 'from where it is used');

# ---- what is refused

for (['types.yaml', '  Hou|se:', 'Villa', qr/there is a Villa already/], ['types.yaml', 'der|ived_from', 'x', qr/nothing here has a name/],
	['types.yaml', 'str|ing', 'x', qr/string is declared in line \d+ of implicit-2.0, which vetro brings/],
	['types.yaml', '  Hou|se:', '1x', qr/a name is letters/],
	['types.yaml', '  Hou|se:', 'no', qr/YAML takes 'no' for true or false/], ['types.yaml', '  Hou|se:', 'a: b', qr/a name is letters/],
	['hot.yaml', 'ser|ver:', 'disk', qr/there is a disk already/], ['base.yay', 'ser|ver:', 'domain', qr/there is a domain already/],
	['base.yay', 'ser|ver:', 'a-b', qr/a name is letters/],
	map { ['base.yay', 'ser|ver:', $_, qr/'$_' is a word of Yay: nothing can have that name/] } qw(new set else in here lambda)) {
	my ($file, $piece, $name, $why) = @$_;
	like(renamed(begin($file), $piece, $name), qr/^refused: $why/, "$file: $piece to $name");
}
is(renamed(begin('base.yay'), '  po|rt:', 'true') =~ tr/\n//, 2, 'what is a constant elsewhere is a name in Yay');
$f = begin('types.yaml');
my $range = $c->ask('textDocument/prepareRename', params($f, '  Hou|se:'));
is(join(' ', map { "$_->{line}:$_->{character}" } @{$range}{qw(start end)}), '3:2 3:7', 'the word that would be renamed');

# ---- an include whose name is computed may join any two files

$files{'sub.yay'} = "berth: 1\nmine: 2\n";
$files{'whole.yay'} = "set which = 'sub'\na:\n  include which + '.yay'\nb: '{{a.berth}}'\nown: 4\nc: '{{own}}'\n";
like(renamed(begin('sub.yay'), 'ber|th:', 'gate'), qr/^refused: whole\.yay includes a file whose name is computed/, 'a key of what is included');
is(renamed(begin('whole.yay'), 'ow|n:', 'fresh') =~ tr|\n||, 1, 'a name that no other file has');
delete @files{'sub.yay', 'whole.yay'};
unlink map { "$root/$_" } 'sub.yay', 'whole.yay';

# ---- what keynames mean, and what there is to call

$f = begin('types.yaml');
is($c->ask('textDocument/hover', params($f, 'deri|ved_from'))->{contents}{value} =~ /keyname `derived_from`.*The parent of a type/s, 1,
	'hover of a keyname says what it means');
$f = begin('app.yay');
like($c->ask('textDocument/hover', params($f, 'incl|ude "'))->{contents}{value}, qr/keys of another file/, 'and of a directive of Yay');
my $p = package_dir('pkg', {'manifest.yaml' => <<'Y', 'Classes/A.yaml' => <<'C'});
{Format: MuranoPL/1.4, Type: Library, FullName: t.a, Classes: {t.a.A: A.yaml}}
Y
Namespaces: {=: t.a}
Name: A
Methods:
  run:
    Body:
      - If: true
        Then:
          - Return: [1].to
C
$c->stop;
$c = Lsp->start(root => realpath($p));
my $class = realpath("$p/Classes/A.yaml");
$c->open_file($class);
my $h = $c->at('hover', $class, 5, 9);
like($h->{contents}{value}, qr/Does `Then` when the condition holds/, 'and of a statement of MuranoPL');
my %all = map { $_->{label} => 1 } @{ $c->at('completion', $class, 7, 25)->{items} };
is(join(' ', map { $all{$_} ? $_ : "-$_" } qw(toList set selectMany fromJson getPath)), 'toList set selectMany -fromJson -getPath',
	'completion has the functions of a class, not those of `vetro query`') or print join(' ', '#', sort keys %all), "\n";
is($c->stop, 0, 'the server is still there');
done();
