#!/usr/bin/perl
# vetro lsp: declarations, types, implementations, links, selections, formatting of some lines, symbols of other languages, deltas of tokens.
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
sub begin {
	my ($main, %files) = @_;
	$c->stop if $c;
	for my $name (sort keys %files) {
		(my $folder = "$root/$name") =~ s{/[^/]*$}{};
		system 'mkdir', '-p', $folder;
		spew("$root/$name", $files{$name});
	}
	($path, $text) = ("$root/$main", $files{$main});
	$c = Lsp->start(root => $root);
	$c->open_text($path, $text);
}
sub place_in {
	my ($piece) = @_;
	(my $plain = $piece) =~ s/\|//;
	my $at = index $text, $plain;
	die "no $plain" if $at < 0;
	my $before = substr $text, 0, $at + index $piece, '|';
	return (($before =~ tr/\n//), length($before =~ s/.*\n//sr));
}
sub about { my ($method, $piece, %more) = @_; return $c->at($method, $path, place_in($piece), %more) }
sub whole { my ($method, %more) = @_; return $c->ask("textDocument/$method", {textDocument => {uri => uri_of($path)}, %more}) }
sub short {
	my @all = map { ref eq 'ARRAY' ? @$_ : $_ || () } @_;
	return join ' ', map { ($_->{uri} =~ s{.*/}{}r) . ":$_->{range}{start}{line}:$_->{range}{start}{character}" } @all;
}

# ---- MuranoPL ----

my %app = ('app/manifest.yaml' => <<'Y', 'app/Classes/Base.yaml' => <<'B', 'app/Classes/Mid.yaml' => <<'M', 'app/Classes/App.yaml' => <<'C');
Format: 1.4
Type: Library
FullName: org.example
Classes:
  org.example.Base: Base.yaml
  org.example.Mid: Mid.yaml
  org.example.App: App.yaml
Y
Namespaces: {=: org.example}
Name: Base
Properties:
  peers: {Contract: [$.class(Mid)]}
Methods:
  help:
    Arguments: [who: {Contract: $.class(Mid)}]
  make:
    Body: [Return: new(Mid)]
B
Namespaces: {=: org.example}
Name: Mid
Extends: Base
Methods:
  help:
    Body: [Return: 1]
M
Namespaces: {=: org.example}
Name: App
Extends: Mid
Methods:
  help:
    Body:
      - $m: $.make()
      - $one: $.peers.first()
      - $m.help($one)
      - Return: $m
C
begin('app/Classes/App.yaml', %app);
is(short(about('declaration', '  he|lp:')), 'Base.yaml:5:2', 'declaration: the class that has the method first');
is(short(about('declaration', '$m.he|lp(')), 'Base.yaml:5:2', 'also where it is called');
is(short(about('definition', '$m.he|lp(')), 'Mid.yaml:4:2', 'definition: the class of the object');
is(short(about('declaration', '$|one: ')), 'App.yaml:7:8', 'of a variable it is the definition');
is(short(about('typeDefinition', '$|m.help')), 'Mid.yaml:1:6', 'typeDefinition: of a variable');
is(short(about('typeDefinition', '$.pee|rs')), 'Mid.yaml:1:6', 'of a property it is the class of its items');
is(short(about('typeDefinition', '$.ma|ke()')), 'Mid.yaml:1:6', 'of a method it is what it gives');
is(short(about('typeDefinition', 'Extends: M|id')), 'Mid.yaml:1:6', 'of a class it is itself');
is(short(about('typeDefinition', 'Retu|rn')), '', 'of a statement there is none');
is(short(about('implementation', '$m.he|lp(')), 'Mid.yaml:4:2 App.yaml:4:2', 'implementation: what overrides it, and itself with a body');
is(short(about('implementation', 'Extends: M|id')), 'App.yaml:1:6', 'of a class what extends it');
($path, $text) = ("$root/app/Classes/Base.yaml", $app{'app/Classes/Base.yaml'});
$c->open_text($path, $text);
is(short(about('implementation', '  he|lp:')), 'Mid.yaml:4:2 App.yaml:4:2', 'of an abstract method without itself');
my $before = $c->at('signatureHelp', "$root/app/Classes/App.yaml", 8, 16);
ok($before, 'there is signature help');
ok($c->at('rename', $path, place_in('  he|lp:'), newName => 'aid'), 'a rename that nobody takes');
is_json(JSON::PP->new->canonical->encode($c->at('signatureHelp', "$root/app/Classes/App.yaml", 8, 16)), JSON::PP->new->canonical->encode($before),
	'leaves what is known as it is');

# ---- TOSCA ----

my %tosca = ('tosca/types.yaml' => <<'Y', 'tosca/scripts/a b.sh' => "true\n", 'tosca/go.sh' => "true\n", 'tosca/service.yaml' => <<'S');
tosca_definitions_version: tosca_2_0
data_types:
  Address: {properties: {street: {type: string}}}
capability_types: {Room: {}}
node_types:
  Place:
    properties: {address: {type: Address}}
    capabilities: {room: {type: Room}}
  House:
    derived_from: Place
    properties: {address: {type: Address, default: {street: x}}}
  Villa: {derived_from: House}
Y
tosca_definitions_version: tosca_2_0
imports:
- types.yaml
interface_types: {Life: {operations: {begin: {}, end: {}}}}
node_types:
  Tent:
    derived_from: House
    interfaces:
      life:
        type: Life
        operations: {begin: scripts/a b.sh, end: "go.sh"}   # go.sh
service_template:
  inputs:
    where: {type: Address}
  node_templates:
    home:
      type: House
      properties:
        address: {$get_input: where}
S
begin('tosca/service.yaml', %tosca);
is(short(about('declaration', '        addr|ess:')), 'types.yaml:6:17', 'TOSCA: declaration of a property that was refined');
is(short(about('definition', '        addr|ess:')), 'types.yaml:10:17', 'definition: where it was refined');
is(short(about('typeDefinition', '        addr|ess:')), 'types.yaml:2:2', 'typeDefinition: its data type');
is(short(about('typeDefinition', '$get_input: whe|re')), 'types.yaml:2:2', 'of an input');
is(short(about('typeDefinition', '    ho|me:')), 'types.yaml:8:2', 'of a template');
is(short(about('implementation', 'derived_from: Hou|se')), 'types.yaml:11:2 service.yaml:5:2', 'implementation: all that is derived from it');
is(join(' ', map { ($_->{target} =~ s{.*/tosca/}{}r) . ":$_->{range}{start}{line}:$_->{range}{start}{character}" } @{ whole('documentLink') }),
	'types.yaml:2:2 scripts/a%20b.sh:10:28 go.sh:10:50', 'links: imports and scripts, not comments');
my $symbols = $c->ask('workspace/symbol', {query => 'ho'});
is(join(' ', sort map { "$_->{name}:$_->{kind}" } @$symbols), 'House:5 home:19', 'symbols of the workspace');

# ---- Yay ----

begin('yay/app.yay', 'yay/port.yay' => "port: 80\n", 'yay/app.yay' => <<'S');
include "port.yay"   # app.yay
prototype Site:
  host: here
new Site as shop:
  host: there
blog:
  new Site:
    host: everywhere
url: {{ shop.host }}:{{ port }}
S
is(short(about('typeDefinition', '{{ sh|op')), 'app.yay:1:10', 'Yay: the prototype that something is made of');
is(short(about('typeDefinition', 'bl|og:')), 'app.yay:1:10', 'also where it stands below');
is(short(about('implementation', 'prototype Si|te')), 'app.yay:3:4 app.yay:6:6', 'what is made of a prototype');
is(join(' ', map { ($_->{target} =~ s{.*/}{}r) . ":$_->{range}{start}{character}" } @{ whole('documentLink') }), 'port.yay:9', 'links: includes');
like(join(' ', map { $_->{name} } @{ $c->ask('workspace/symbol', {query => ''}) }), qr/\bSite\b.*\bblog\b/, 'symbols of the workspace');

# ---- selections ----

begin('tosca/service.yaml', %tosca);
sub selections {
	my ($piece) = @_;
	my ($l, $ch) = place_in($piece);
	my ($s) = @{ whole('selectionRange', positions => [Lsp::place($l, $ch)]) };
	my @lines = split /^/, $text;
	my @got;
	for (; $s; $s = $s->{parent}) {
		my ($a, $z) = @{ $s->{range} }{qw(start end)};
		push @got, $a->{line} == $z->{line}
			? substr($lines[ $a->{line} ], $a->{character}, $z->{character} - $a->{character})
			: "$a->{line}-$z->{line}";
	}
	return join ' / ', @got;
}
is(selections('{$get_input: wh|ere}'), 'where / $get_input: where / {$get_input: where} / address: {$get_input: where} / 17-18 / 15-18 / 14-18 / 11-18 / 0-19',
	'a selection grows from the word to the text');
is(selections('types.y|aml'), 'yaml / types.yaml / - types.yaml / 1-2 / 0-19', 'an item in the column of its key');
is(selections('begin: scri|pts/a'), 'scripts / scripts/a / begin: scripts/a b.sh, end: "go.sh" / '
	. '{begin: scripts/a b.sh, end: "go.sh"} / operations: {begin: scripts/a b.sh, end: "go.sh"} / 8-10 / 7-10 / 5-10 / 4-10 / 0-19',
	'in brackets');
$c->change($path, "a: [b\n\tc: 'd\n");
ok(ref whole('selectionRange', positions => [map { Lsp::place($_, 3) } 0 .. 9]) eq 'ARRAY', 'a broken text has selections too');
$c->change($path, '');
is(scalar @{ whole('selectionRange', positions => [Lsp::place(0, 0)]) }, 1, 'and an empty one');

# ---- some lines ----

my %options = (options => {tabSize => 2, insertSpaces => JSON::PP::true});
sub patched {
	my ($edits) = @_;
	my @lines = split /^/, $text, -1;
	my $offset = sub { my ($p) = @_; my $n = 0; $n += length($lines[$_] // '') for 0 .. $p->{line} - 1; return $n + $p->{character} };
	my $new = $text;
	for my $e (sort { $offset->($b->{range}{start}) <=> $offset->($a->{range}{start}) } @{ $edits || [] }) {
		my ($a, $z) = map { $offset->($e->{range}{$_}) } qw(start end);
		substr($new, $a, $z - $a) = $e->{newText};
	}
	return $new;
}
sub laid {
	my ($from, $to) = @_;
	return patched(whole('rangeFormatting', range => {start => Lsp::place($from, 0), end => Lsp::place($to, 0)}, %options));
}
begin('plain.yaml', 'plain.yaml' => <<'S');
tosca_definitions_version:   tosca_2_0
service_template:
  inputs:
      a:    {type: string}
      b: {type:    string}
  outputs:
   c:   {value: 1}
S
is(laid(0, 1), $text =~ s/version:   /version: /r, 'one line');
is(laid(6, 7), $text =~ s/   c:   \{/    c: {/r, 'a line that may move by itself');
is(laid(4, 5), $text =~ s/      a:    /    a: /r =~ s/      b: \{type:    /    b: {type: /r, 'with its neighbours where it could not move alone');
is(laid(0, 100), patched(whole('formatting', %options)), 'all lines are the whole');
sub typed { my ($l) = @_; return patched(whole('onTypeFormatting', position => Lsp::place($l, 0), ch => "\n", %options)) }
is(typed(1), $text =~ s/version:   /version: /r, 'the end of a line lays it out');
is(typed(5), $text =~ s/type:    string/type: string/r =~ s/^      b: \{type: /      b: {type:    /mr, 'but moves no line that others would have to follow');
for (["a:\n\n", "a:\n  \n", 'behind a key without a value'],
	["- - a:   # why\n\nb: 1\n", "- - a:   # why\n      \nb: 1\n", 'behind dashes and with a comment'],
	["a:\n    \n", "a:\n    \n", 'not where it stands deep enough'],
	["a: |\n\n", "a: |\n  \n", 'in a text of several lines'],
	["a: b\n\n", "a: b\n\n", 'not behind a value'],
	["# a:\n\n", "# a:\n\n", 'not behind a comment']) {
	my ($source, $want, $title) = @$_;
	$text = $source;
	$c->change($path, $text);
	my ($indent) = grep { $_->{range}{start}{line} == 1 } @{ whole('onTypeFormatting', position => Lsp::place(1, 0), ch => "\n", %options) };
	is(patched($indent ? [$indent] : []), $want, "indentation: $title");
}
$text = "a: [\n";
$c->change($path, $text);
is(laid(0, 1), $text, 'a broken text stays');

# ---- tokens ----

begin('app/Classes/App.yaml', %app);
my $full = whole('semanticTokens/full');
$c->change($path, '$longer', [7, 8], [7, 12]);
my $delta = whole('semanticTokens/full/delta', previousResultId => $full->{resultId});
my @data = @{ $full->{data} };
splice @data, $_->{start}, $_->{deleteCount}, @{ $_->{data} } for @{ $delta->{edits} };
my $now = whole('semanticTokens/full');
is(join(' ', @data), join(' ', @{ $now->{data} }), 'the delta makes the tokens of now');
ok(@{ $delta->{edits} } == 1 && @{ $delta->{edits}[0]{data} } < @data / 4, 'and is short');
is($delta->{resultId}, $now->{resultId}, 'its name is that of the whole');
is(scalar @{ whole('semanticTokens/full/delta', previousResultId => $now->{resultId})->{edits} }, 0, 'nothing changed: no edit');
ok(whole('semanticTokens/full/delta', previousResultId => 'another')->{data}, 'of another result it is the whole');
my $part = whole('semanticTokens/range', range => {start => Lsp::place(8, 0), end => Lsp::place(9, 0)})->{data};
is($part->[0], 8, 'tokens of one line');
is(scalar @$part, 5 * 3, 'and no others');
begin('yay/t.yay', 'yay/t.yay' => "set n = 2\nfor x in range(n):\n  - {{ x.y + 'a' }}\n");
is(join(' ', @{ whole('semanticTokens/full')->{data} }),
	'0 0 3 2 0 0 4 1 3 0 0 4 1 1 0 1 0 3 2 0 0 4 1 3 0 0 2 2 2 0 0 3 5 4 0 0 6 1 3 0 1 7 1 3 0 0 2 1 6 0 0 4 3 0 0', 'tokens of Yay');
begin('heat.yaml', 'heat.yaml' => <<'S');
heat_template_version: 2018-08-31
parameters: {n: {type: string}}
outputs:
  o: {value: {list_join: [',', [{get_param: n}]]}}
S
is(join(' ', @{ whole('semanticTokens/full')->{data} }), '3 14 9 4 0 0 19 9 4 0 0 11 1 3 0', 'of Heat: functions and what they read');

# ---- tags of diagnostics ----

begin('yay/old.yay', 'yay/old.yay' => "% set n = 2\na: {{ n }}\n");
is_json(JSON::PP->new->encode([map { $_->{tags} } @{ $c->diagnostics($path) }]), '[[2]]', 'an old spelling is deprecated');
is($c->stop, 0, 'the server ends well');
$c = undef;
done;
