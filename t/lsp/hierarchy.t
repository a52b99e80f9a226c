#!/usr/bin/perl
# vetro lsp: hints inside of the text, who calls what, and what extends what; and MuranoPL that is broken.
use strict;
use warnings;
use Cwd qw(realpath);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;
use Lsp;

my $root = realpath($W);
my $dir = realpath(package_dir('app', {'manifest.yaml' => <<'Y', 'Classes/App.yaml' => <<'C', 'Classes/Base.yaml' => <<'B'}));
Format: 1.4
Type: Application
FullName: org.example.App
Classes:
  org.example.App: App.yaml
  org.example.Base: Base.yaml
Y
Namespaces: {=: org.example}
Name: App
Extends: Base
Methods:
  run:
    Body:
      - $n: 1
      - $text: str($n)
      - $all: [$text]
      - $same: $this
      - $this.place($text, 3)
      - $this.place(name => $text, size => 4)
      - Return: $this.twice($n)
  twice:
    Arguments:
      - n: {Contract: $.int()}
    Body:
      - $name: 'x'
      - $this.place($name, $n)
      - Return: $n * 2
C
Namespaces: {=: org.example, std: io.murano}
Name: Base
Extends: std:Object
Methods:
  place:
    Arguments:
      - name: {Contract: $.string()}
      - size: {Contract: $.int()}
    Body:
      - $.note(size)
B
my ($app, $base) = map { "$dir/Classes/$_.yaml" } 'App', 'Base';
my $text = slurp($app);
my $c = Lsp->start(root => $root);
$c->open_file($app);
$c->diagnostics($app);

# ---- hints ----

sub hints {
	my ($from, $to) = @_;
	my $range = {start => Lsp::place($from, 0), end => Lsp::place($to, 0)};
	my $r = $c->ask('textDocument/inlayHint', {textDocument => {uri => uri_of($app)}, range => $range});
	my @all = sort { $a->{position}{line} <=> $b->{position}{line} } @{ $r || [] };
	return join ' | ', map { "$_->{position}{line}:$_->{position}{character}$_->{label}" } @all;
}
my $types = '4:5 gives an integer | 6:10: an integer | 7:13: a string | 8:12: a list | 9:13: an object of class "org.example.App"';
is(hints(4, 10), $types, 'types of variables and of results');
is(hints(10, 13), '10:20name: | 10:27size:', 'names of parameters before arguments, but for those that are named');
is(hints(18, 19), '18:27size:', 'or are variables of that name');
is(hints(0, 2), '', 'nothing elsewhere');

# ---- calls ----

sub asked {
	my ($method, $item) = @_;
	return join ' ', map {
		my $i = $_->{from} || $_->{to} || $_;
		"$i->{detail}.$i->{name}" . join(',', map { ":$_->{start}{line}" } @{ $_->{fromRanges} || [] })
	} @{ $c->ask($method, {item => $item}) || [] };
}
my ($item) = @{ $c->at('prepareCallHierarchy', $app, 10, 17) };
is("$item->{name} $item->{detail} $item->{selectionRange}{start}{line}", 'place org.example.Base 4', 'the method that is called is the item');
is($item->{uri}, uri_of($base), 'in a file that is not open');
is(asked('callHierarchy/incomingCalls', $item), 'org.example.App.run:10,:11 org.example.App.twice:18', 'who calls it');
($item) = @{ $c->at('prepareCallHierarchy', $app, 4, 3) };
is(asked('callHierarchy/outgoingCalls', $item), 'org.example.Base.place:10,:11 org.example.App.twice:12',
	'what a method calls');
is(asked('callHierarchy/incomingCalls', $item), '', 'nobody calls it');

# ---- types ----

($item) = @{ $c->at('prepareTypeHierarchy', $app, 2, 10) };
is("$item->{name} $item->{kind}", 'org.example.Base 5', 'the class below Extends is the item');
is(asked('typeHierarchy/subtypes', $item), 'org.example.App.org.example.App', 'what extends it');
is(asked('typeHierarchy/supertypes', $item), 'io.murano.io.murano.Object', 'what it extends, of the core library too');
my ($core) = @{ $c->ask('typeHierarchy/supertypes', {item => $item}) };
ok(-f $core->{uri} =~ s{^file://}{}r, 'which has a file in the cache');
($item) = @{ $c->at('prepareTypeHierarchy', $app, 6, 8) || [] };
is($item->{name}, 'org.example.App', 'elsewhere it is the class around');

# ---- what was known ----

$c->change($app, "Broken: [\n" . $text =~ s/\$this\.place\(\$text, 3\)/\$this./r);
my $r = $c->at('completion', $app, 11, 14);
ok(scalar(grep { $_->{label} eq 'place' } @{ $r->{items} }), 'members are known in a file that is broken elsewhere');
my $d = $c->at('definition', $app, 13, 24);
is($d->{range}{start}{line}, 14, 'and a place is where it stands now');
is($c->stop, 0, 'and the server is still there');

# ---- TOSCA ----

spew("$root/types.yaml", "tosca_definitions_version: tosca_2_0\nnode_types:\n  A: {}\n  B: {derived_from: A}\n");
my $service = "$root/service.yaml";
spew($service, <<'Y');
tosca_definitions_version: tosca_2_0
imports: [types.yaml]
node_types:
  C: {derived_from: B}
service_template:
  node_templates: {c: {type: C}}
Y
$c = Lsp->start(root => $root);
$c->open_file($service);
($item) = @{ $c->at('prepareTypeHierarchy', $service, 3, 20) };
is("$item->{name} $item->{detail}", 'B node type', 'a type of TOSCA in another file');
is(asked('typeHierarchy/supertypes', $item), 'node type.A', 'what it is derived from');
is(asked('typeHierarchy/subtypes', $item), 'node type.C', 'what is derived from it');
is($c->stop, 0, 'and the server is still there');
done;
