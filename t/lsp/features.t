#!/usr/bin/perl
# vetro lsp: quick fixes, hover, definition, completion, signatures, symbols and folding.
use strict;
use warnings;
use Cwd qw(realpath);
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;
use Lsp;

my $root = realpath($W);
my $dir = package_dir('app', {'manifest.yaml' => <<'Y', 'Classes/App.yaml' => <<'C', 'Classes/Base.yaml' => <<'B'});
Format: 1.4
Type: Application
FullName: org.example.App
Classes:
  org.example.App: App.yaml
  org.example.Base: Base.yaml
Y
Namespaces:
  =: org.example
  std: io.murano
Name: App
Extends:
  - Base
  - std:Application
Properties:
  # How many of them.
  size:
    Contract: $.int().notNull()
    Default: 1
  peer:
    Contract: $.class(Base)
Methods:
  run:
    Arguments:
      - name:
          Contract: $.string()
    Body:
      - $n: $.size + 1
      - $text: concat($name, str($n))
      - $this.help($text)
      - $.peer.help('a')
      - $list: $.items.where($.size > 1)
      - Return: $text.toUpper()
Y
C
Namespaces: {=: org.example}
Name: Base
Properties:
  items:
    Contract: [$.string()]
Methods:
  # Helps.
  help:
    Scope: Public
    Arguments:
      - what:
          Contract: $.string()
      - times:
          Contract: $.int()
          Default: 1
    Body:
      - Return: $what
B
my ($app, $base) = map { realpath($dir) . "/Classes/$_.yaml" } 'App', 'Base';
spew($app, slurp($app) =~ s/^Y\n//mr);
my $c = Lsp->start(root => $root);
$c->open_file($app);
$c->diagnostics($app);
my @lines = split /\n/, slurp($app);

# The place of a text in the file: [line, character], in the middle of the n-th word of the pattern.
sub find {
	my ($text, $word) = @_;
	for my $i (0 .. $#lines) {
		my $at = index $lines[$i], $text;
		return ($i, $at + index($text, $word) + 1) if $at >= 0;
	}
	die "no $text";
}
sub hover { my $h = $c->at('hover', $app, find(@_)); return $h ? $h->{contents}{value} : '' }
sub definition { my $d = $c->at('definition', $app, find(@_)); return $d ? ($d->{uri} =~ s{.*/}{}r) . ":$d->{range}{start}{line}" : 'none' }

# ---- hover ----

like(hover('$.size + 1', 'size'), qr/Contract: \$\.int\(\)\.notNull\(\).*Property of org\.example\.App.*How many of them/s, 'hover of a property');
like(hover('$this.help', 'help'), qr/help\(what: \$\.string\(\), times: \$\.int\(\)\).*public, of org\.example\.Base.*Helps/s, 'of an inherited method');
like(hover('$.peer.help', 'help'), qr/org\.example\.Base/, 'of a method of what a property holds');
like(hover('concat(', 'concat'), qr/concat\(.*Example/s, 'of a function of the library, with its example');
like(hover('toUpper()', 'toUpper'), qr/toUpper\(/, 'of a method of the library');
like(hover('std:Application', 'Application'), qr/Name: io\.murano\.Application/, 'of a class of the core library');
like(hover('concat($name, str($n))', 'n))'), qr/an integer|integer/, 'of a variable: what it holds');

# ---- definition ----

is(definition('$.size + 1', 'size'), 'App.yaml:9', 'definition of a property');
is(definition('$this.help', 'help'), 'Base.yaml:7', 'of a method in another file');
is(definition('$.class(Base)', 'Base'), 'Base.yaml:1', 'of a class in a contract');
is(definition('- Base', 'Base'), 'Base.yaml:1', 'of a class below Extends');
is(definition('help($text)', 'text'), 'App.yaml:21', 'of a variable');
is(definition('concat($name', 'name'), 'App.yaml:17', 'of an argument');
is(definition('concat(', 'concat'), 'none', 'a function of the library has no file');

# ---- references ----

# "FILE:line" of each use of a word.
sub uses {
	my ($text, $word, $declared) = @_;
	my $all = $c->at('references', $app, find($text, $word), context => {includeDeclaration => $declared ? JSON::PP::true : JSON::PP::false});
	return join ' ', sort map { ($_->{uri} =~ s{.*/}{}r) . ":$_->{range}{start}{line}" } @{ $all || [] };
}
is(uses('$.size + 1', 'size'), 'App.yaml:20', 'references of a property; that of a lambda\'s $ is not known');
is(uses('$.size + 1', 'size', 1), 'App.yaml:20 App.yaml:9', 'with its declaration');
is(uses('$this.help', 'help', 1), 'App.yaml:22 App.yaml:23 Base.yaml:7', 'of a method in two files');
is(uses('help($text)', 'text', 1), 'App.yaml:21 App.yaml:22 App.yaml:25', 'of a variable');
is(uses('- Base', 'Base'), 'App.yaml:13 App.yaml:5', 'of a class');
is(scalar @{ $c->at('documentHighlight', $app, find('$.size + 1', 'size')) }, 2, 'highlights in the document');

# ---- completion, as one types ----

# Types a line below the body and asks at its end.
sub typed {
	my ($line, $after) = @_;
	my $n = @lines;
	$c->change($app, "$line\n", [$n, 0]);
	my $r = $c->at('completion', $app, $n, length $line);
	$c->change($app, '', [$n, 0], [$n + 1, 0]);
	return $r ? { map { $_->{label} => $_ } @{ $r->{items} } } : {};
}
my $body = '      - ';
my $got = typed("$body\$.");
ok($got->{size} && $got->{help} && $got->{run} && $got->{items}, 'behind $. properties and methods, inherited ones too', join ' ', sort keys %$got);
like($got->{help}{documentation}{value}, qr/Helps/, 'with what their comments say');
$got = typed("$body\$.peer.");
ok($got->{help} && !$got->{run}, 'behind a property those of its class');
ok($got->{cast}, 'and the methods of the library');
$got = typed("$body\$x: \$");
ok($got->{n} && $got->{name} && $got->{this}, 'behind $ the variables of the method', join ' ', keys %$got);
$got = typed("$body\$x: new(std:");
ok($got->{Application} && !$got->{App}, 'behind a prefix the classes of its name space');
$got = typed("$body\$x: con");
ok($got->{concat} && $got->{'std:Application'} && $got->{Base}, 'functions and classes in an expression');
$got = typed($body);
ok($got->{If} && $got->{Parallel}, 'statements in a body');
$got = typed('    Sc');
ok($got->{Scope} && $got->{Body} && !$got->{Contract}, 'keys of a method');
$got = typed('    Scope: ');
is_lines([sort keys %$got], ['Public', 'Session'], 'values of a key');
$got = typed('Me');
ok($got->{Methods} && $got->{Extends} && !$got->{Body}, 'keys of a class');

# ---- signature help ----

my $n = @lines;
my $call = "$body\$this.help(concat('a', 'b'), ";
$c->change($app, "$call\n", [$n, 0]);
my $s = $c->at('signatureHelp', $app, $n, length $call);
is($s->{signatures}[0]{label}, 'help(what: $.string(), times: $.int())', 'the signature of a method');
is($s->{activeParameter}, 1, 'and the argument that is next');
$s = $c->at('signatureHelp', $app, $n, index($call, "'b'"));
like($s->{signatures}[0]{label}, qr/^concat\(/, 'the signature of a function, in a call');
$c->change($app, '', [$n, 0], [$n + 1, 0]);

# ---- quick fixes ----

my ($l, $at) = find('$.size + 1', 'size');
$at--;
$c->change($app, 'sise', [$l, $at], [$l, $at + 4]);
my ($d) = grep { $_->{range}{start}{line} == $l } @{ $c->diagnostics($app) };
my %asked = (range => $d->{range}, context => {diagnostics => [$d]});
my $fixes = $c->ask('textDocument/codeAction', {textDocument => {uri => uri_of($app)}, %asked});
is($fixes->[0]{title}, 'Replace "sise" by "size"', 'a quick fix of a hint');
is_json($fixes->[0]{edit}{changes}{ uri_of($app) },
	[{newText => 'size', range => {start => Lsp::place($l, $at), end => Lsp::place($l, $at + 4)}}],
	'replaces the word alone');
is($fixes->[0]{kind}, 'quickfix', 'and is of that kind');
$c->change($app, 'size', [$l, $at], [$l, $at + 4]);

# ---- symbols and folding ----

my $symbols = $c->ask('textDocument/documentSymbol', {textDocument => {uri => uri_of($app)}});
is_lines([map { $_->{name} } @$symbols], [qw(Namespaces Name Extends Properties Methods)], 'symbols of a class file');
is_lines([map { "$_->{name} $_->{kind}" } @{ $symbols->[3]{children} }], ['size 7', 'peer 7'], 'properties below it');
my $folds = $c->ask('textDocument/foldingRange', {textDocument => {uri => uri_of($app)}});
ok(scalar(grep { $_->{startLine} == 7 && $_->{endLine} == 13 } @$folds), 'a section can be folded');

# ---- semantic tokens ----

my @types = qw(string number keyword variable function method property operator);
sub tokens {
	my @data = @{ $c->ask('textDocument/semanticTokens/full', {textDocument => {uri => uri_of($app)}})->{data} };
	my ($line, $char, @all) = (0, 0);
	while (my ($dl, $dc, $n, $type) = splice @data, 0, 5) {
		$char = $dl ? $dc : $char + $dc;
		$line += $dl;
		push @all, [$line, $char, $n, $types[$type]];
	}
	return @all;
}
my @of = map { "$_->[3] $_->[1]+$_->[2]" } grep { $_->[0] == (find('- $n: $.size + 1', '-'))[0] } tokens();
is_lines(\@of, ['variable 8+2', 'variable 12+1', 'property 14+4', 'operator 19+1', 'number 21+1'], 'tokens of an assignment');
@of = map { "$_->[3] $_->[2]" } grep { $_->[0] == (find('concat($name, str($n))', '-'))[0] } tokens();
is_lines(\@of, ['variable 5', 'function 6', 'variable 5', 'function 3', 'variable 2'], 'of calls');
@of = map { $_->[3] } grep { $_->[0] == (find('- Return: $text.toUpper()', '-'))[0] } tokens();
is_lines(\@of, ['variable', 'method'], 'of a method');

# ---- formatting ----

sub layout {
	return $c->ask('textDocument/formatting', {textDocument => {uri => uri_of($app)}, options => {tabSize => 8, insertSpaces => JSON::PP::true}});
}
is_json(layout(), [], 'nothing changes in the layout');
$c->change($app, 'Name:   App', [3, 0], [3, 9]);
is_json(layout(), [{newText => "Name: App\n",
	range => {start => {line => 3, character => 0}, end => {line => 4, character => 0}}}], 'a line that differs is the change');
$c->change($app, 'Name: [', [3, 0], [3, 11]);
ok(!defined layout(), 'a broken text has no layout');
$c->change($app, 'Name: App', [3, 0], [3, 7]);

# ---- symbols of all ----

my $all = $c->ask('workspace/symbol', {query => 'hlp'});
is_lines([map { "$_->{name} $_->{kind} $_->{containerName}" } @$all], ['help 6 org.example.Base'], 'symbols of the workspace, by some of their letters');
is($c->stop, 0, 'and the server is still there');

# ---- other languages ----

sub ask_in {
	my ($name, $text, $method, $line, $character) = @_;
	spew("$root/$name", $text);
	$c = Lsp->start(root => $root);
	$c->open_file("$root/$name");
	my $r = $c->at($method, "$root/$name", $line, $character);
	$c->stop;
	return $r;
}
sub labels { my ($r) = @_; return { map { $_->{label} => 1 } @{ $r ? $r->{items} : [] } } }
my $tosca = "tosca_definitions_version: tosca_2_0\nservice_template:\n  node_templates:\n    web:\n      \n  \n";
$got = labels(ask_in('service.yaml', $tosca, 'completion', 4, 6));
ok($got->{type} && $got->{requirements} && !$got->{node_templates}, 'keynames of a node template', join ' ', sort keys %$got);
$got = labels(ask_in('service.yaml', $tosca, 'completion', 5, 2));
ok($got->{inputs} && $got->{substitution_mappings} && !$got->{type}, 'keynames of a service template');
my $old = "tosca_definitions_version: tosca_simple_yaml_1_3\ntopology_template:\n  inputs:\n    a:\n      \n";
$got = labels(ask_in('old.yaml', $old, 'completion', 4, 6));
ok($got->{type} && $got->{constraints}, 'keynames of an input in 1.3');
my $flow = "version: '2.0'\nflow:\n  tasks:\n    a:\n      action: std.echo output=<% \$.x.to %>\n";
$got = labels(ask_in('flow.yaml', $flow, 'completion', 4, 38));
ok($got->{toUpper} && $got->{toList}, 'methods of YAQL in a workflow');
done;
