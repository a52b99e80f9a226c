#!/usr/bin/perl
# The table of requests in docs/editors.md: what it says of each language is what the server answers, and what clangd announces is in it.
use strict;
use warnings;
use Cwd qw(realpath);
use FindBin;
use IPC::Open2;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;
use Lsp;

my $root = realpath($W);
my $page = slurp("$FindBin::Bin/../../docs/editors.md");

# ---- the table ----

my ($head, @rows) = grep { /^\|/ } split /\n/, $page =~ /## Requests, by language\n(.*?)\n## /s ? $1 : '';
my @languages = map { s/^\s+|\s+$//gr } (split /\|/, $head // '')[2 .. 7];
my (%said, %known);
for (@rows) {
	my ($request, @cells) = map { s/^\s+|\s+$//gr } (split /\|/)[1 .. 7];
	next if $request =~ /^-+$/;
	$request =~ s/`//g;
	$said{$request}{ $languages[$_] } = $cells[$_] for 0 .. 5;
}
is(join(' ', @languages), 'MuranoPL Forms TOSCA Heat Yay Workflows', 'the table has six languages');

# ---- one project of each; "@NAME" marks a place ----

my %files = (
	MuranoPL => ['app/Classes/App.yaml',
		{'app/manifest.yaml' => <<'Y', 'app/Classes/Base.yaml' => <<'B', 'app/Classes/App.yaml' => <<'C', 'app/UI/ui.yaml' => <<'U'}],
Format: 1.4
Type: Application
FullName: org.example.App
UI: ui.yaml
Classes: {org.example.App: App.yaml, org.example.Base: Base.yaml}
Y
Namespaces: {=: org.example}
Name: Base
Properties:
  peer: {Contract: $.class(Base)}
  count: {Contract: $.int(), Default: 1}
Methods:
  help:
    Arguments: [what: {Contract: $.string()}, more: {Contract: $.int()}]
    Body: [Return: 1]
B
Namespaces: {=: org.example, std: io.murano}
Name: App
Extends: [@implementedBase, std:Application]
# Resources are in @linkmanifest.yaml
Properties:
  path: {Contract: $.string(), Default: ../manifest.yaml}
Methods:
  @namehelp:
    Arguments: [what: {Contract: $.string()}, more: {Contract: $.int()}]
    Body:
      - Return: 2
  run:
    Body:
      - $n:   $.count + 1
      - $.@callhelp('a', @argument$n)
      - $.@typedpeer.help('b', 2)
      - $t: $.@completecount
      - $x: $.@mistakecont
      - Return: $n
C
Version: 2.2
Application:
  ?: {type: org.example.App}
  peer: $.appConfiguration.peer
Forms:
- appConfiguration:
    fields: [{name: peer, type: string}]
U
	Forms => ['app/UI/ui.yaml', {'app/manifest.yaml' => <<'Y', 'app/Classes/App.yaml' => <<'C', 'app/UI/ui.yaml' => <<'U'}],
Format: 1.4
Type: Application
FullName: org.example.App
UI: ui.yaml
Classes: {org.example.App: App.yaml}
Y
Namespaces: {=: org.example, std: io.murano}
Name: App
Extends: std:Application
Properties:
  peer: {Contract: $.class(App)}
  name: {Contract: $.string()}
C
Version: 2.2
Templates:
  one:
    ?: {type: org.example.App}
Application:
  ?: {type: org.example.App}
  @typedpeer:   $one
  @completename: $.appConfiguration.@namewho.substring(@argument1)
Forms:
- appConfiguration:
    fields:
    - name: who
      type: string
      description: app.yaml
      hiden@mistake: true
    - {name: file, type: string, description: ../manifest.yaml}
U
	TOSCA => ['service.yaml', {'types.yaml' => <<'T', 'service.yaml' => <<'S'}],
tosca_definitions_version: tosca_2_0
data_types:
  Address: {properties: {street: {type: string}}}
capability_types: {Room: {}}
node_types:
  Place:
    properties: {address: {type: Address}}
    capabilities: {room: Room}
  House: {derived_from: Place}
T
tosca_definitions_version: tosca_2_0
imports:
-   @linktypes.yaml
service_template:
  inputs:
    where: {type: string}
  node_templates:
    @namehouse:
      type: @implementedPlace
      properties:
        @typedaddress: {street: {$get_input: [where]}}
    other: {type: @mistakeHous}
  outputs:
    out: {value: {$get_property: [@completehouse, @argumentaddress]}}
S
	Heat => ['stack.yaml', {'nested.yaml' => <<'N', 'stack.yaml' => <<'S'}],
heat_template_version: 2018-08-31
parameters: {size: {type: number}}
N
heat_template_version: 2018-08-31
parameters:
  @namesize:   {type: number}
resources:
  one:
    type: nested.yaml
    properties: {size: {get_param: @completesize}}
  two:
    type: OS::Heat::@mistakeRandomStrin
outputs:
  out: {value: {get_attr: [two, @argumentvalue]}}
S
	Yay => ['app.yay', {'other.yay' => <<'O', 'app.yay' => <<'S'}],
port: 80
O
include "@linkother.yay"

prototype @implementedSite:
  host: here

new Site as @typedweb:
  host: there
size:   2
big: {{ @nameport * 2 }}
low: {{ range(1, @argument2) }}
text: {{ @mistakesiz }}
last: {{ @completeweb }}
S
	Workflows => ['flow.yaml', {'flow.yaml' => <<'S'}],
version: '2.0'
main:
  input: [who]
  tasks:
    first:
      publish: {file: './flow.yaml'}
      action:   std.echo output=<% $.who.toUpper() %>
      on-success: @namesecond
    second:
      action: std.echo output=<% $.@completewho.substring(@argument1) %>
      on-success: @mistakesecon
S
);

my ($c, $path, $text, %at);
sub begin {
	my ($language) = @_;
	my ($main, $files) = @{ $files{$language} };
	my $dir = "$root/$language";
	for my $name (sort keys %$files) {
		my $source = $files->{$name};
		if ($name eq $main) {
			%at = ();
			while ($source =~ s/@(link|name|call|argument|typed|complete|mistake|implemented)(?=[\w\$.':])//) {
				my ($place, $before) = ($1, substr $source, 0, $-[0]);
				$at{$place} = [($before =~ tr/\n//), length($before =~ s/.*\n//sr)];
			}
			$text = $source;
		}
		(my $folder = "$dir/$name") =~ s{/[^/]*$}{};
		system 'mkdir', '-p', $folder;
		spew("$dir/$name", $source =~ s/@(?:mistake)//gr);
	}
	$path = "$dir/$main";
	$c = Lsp->start(root => $dir);
	$c->open_text($path, $text);
}
sub about { my ($method, $place, %more) = @_; return $at{$place} ? $c->at($method, $path, @{ $at{$place} }, %more) : undef }
sub whole { my ($method, %more) = @_; return $c->ask("textDocument/$method", {textDocument => {uri => uri_of($path)}, %more}) }
my %all = (range => {start => Lsp::place(0, 0), end => Lsp::place(1000, 0)});
my %options = (options => {tabSize => 2, insertSpaces => JSON::PP::true});

# Behind the line with two blanks too many behind its colon.
sub wide_line { my $before = $text =~ /^(.*?:   [^\n]*|.*?-   [^\n]*)/s ? $1 : ''; return 1 + ($before =~ tr/\n//) }
sub first_of { return grep { ref } @{ $_[0] || [] } }

my %ask = (
	publishDiagnostics => sub { return $c->diagnostics($path) },
	codeAction => sub {
		my $p = Lsp::place(@{ $at{mistake} });
		return whole('codeAction', range => {start => $p, end => $p}, context => {diagnostics => []});
	},
	completion => sub { my $r = about('completion', 'complete'); return $r && $r->{items} },
	signatureHelp => sub { return about('signatureHelp', 'argument') },
	hover => sub { return about('hover', 'typed') || about('hover', 'name') },
	(map { my $method = $_; ($method => sub { return about($method, 'name') || about($method, 'typed') }) }
		qw(declaration definition documentHighlight prepareRename)),
	typeDefinition => sub { return about('typeDefinition', 'typed') },
	implementation => sub { my @l = (first_of(about('implementation', 'implemented')), first_of(about('implementation', 'name'))); return \@l },
	references => sub { return about('references', 'name', context => {includeDeclaration => JSON::PP::true}) },
	rename => sub { return about('rename', 'name', newName => 'another') },
	documentLink => sub { return whole('documentLink') },
	documentSymbol => sub { return whole('documentSymbol') },
	foldingRange => sub { return whole('foldingRange') },
	selectionRange => sub { return whole('selectionRange', positions => [Lsp::place(@{ $at{ 'name' } })]) },
	formatting => sub { return whole('formatting', %options) },
	rangeFormatting => sub {
		my $n = wide_line();
		return whole('rangeFormatting', range => {start => Lsp::place($n - 1, 0), end => Lsp::place($n, 0)}, %options);
	},
	onTypeFormatting => sub { return whole('onTypeFormatting', position => Lsp::place(wide_line(), 0), ch => "\n", %options) },
	'semanticTokens/full' => sub { my $r = whole('semanticTokens/full'); return $r && $r->{data} },
	'semanticTokens/full/delta' => sub {
		my $r = whole('semanticTokens/full');
		return undef unless $r && @{ $r->{data} };
		return whole('semanticTokens/full/delta', previousResultId => $r->{resultId});
	},
	'semanticTokens/range' => sub { my $r = whole('semanticTokens/range', %all); return $r && $r->{data} },
	inlayHint => sub { return whole('inlayHint', %all) },
	prepareCallHierarchy => sub { return about('prepareCallHierarchy', 'name') },
	prepareTypeHierarchy => sub { return about('prepareTypeHierarchy', $at{implemented} ? 'implemented' : 'name') },
	'workspace/symbol' => sub { return $c->ask('workspace/symbol', {query => ''}) },
);
is_lines([sort keys %said], [sort keys %ask], 'each request of the table is asked');

for my $language (@languages) {
	begin($language);
	for my $request (sort keys %ask) {
		my $r = $ask{$request}->();
		my $has = ref $r eq 'ARRAY' ? @$r > 0 : ref $r eq 'HASH' ? %$r > 0 : defined $r;
		is($has ? 'yes' : '-', $said{$request}{$language} // 'no row', "$language: $request");
	}
	$c->stop;
}

# ---- what the server announces, and what clangd does ----

my %provider = (
	completion => 'completionProvider', hover => 'hoverProvider', 'workspace/symbol' => 'workspaceSymbolProvider',
	rename => 'renameProvider', prepareRename => 'renameProvider', publishDiagnostics => 'textDocumentSync',
	formatting => 'documentFormattingProvider', rangeFormatting => 'documentRangeFormattingProvider',
	onTypeFormatting => 'documentOnTypeFormattingProvider', prepareCallHierarchy => 'callHierarchyProvider',
	prepareTypeHierarchy => 'typeHierarchyProvider', (map { ("semanticTokens/$_" => 'semanticTokensProvider') } qw(full full/delta range)));
my %provides = map { ($provider{$_} || "${_}Provider") => 1 } keys %ask;
$c = Lsp->start(root => $root);
my %announced = map { $_ => 1 } keys %{ $c->{initialized}{capabilities} };
$c->stop;
is_lines([sort grep { /Provider$|Sync$/ } keys %announced], [sort keys %provides], 'what is announced is in the table');

# Extensions of clangd's and commands that the page says are not there.
my %left = map { $_ => 1 } $page =~ /`(\w+Provider|compilationDatabase)`/g;
if (grep { -x "$_/clangd" } split /:/, $ENV{PATH}) {
	my ($from, $to);
	my $pid = open2($from, $to, 'sh', '-c', 'exec clangd 2>/dev/null');
	my $body = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}';
	print {$to} 'Content-Length: ' . length($body) . "\r\n\r\n$body";
	$to->flush;
	my $n = 0;
	while (defined(my $line = <$from>)) { $n = $1 if $line =~ /^Content-Length: (\d+)/; last if $line =~ /^\r?\n$/ }
	read $from, my ($answer), $n;
	kill 'KILL', $pid; # TERM between two reads leaves it waiting for the next message
	waitpid $pid, 0;
	my $theirs = eval { decode_json($answer)->{result}{capabilities} } || {};
	ok(%$theirs > 10, 'clangd says what it can');
	is(join(' ', sort grep { !$announced{$_} && !$left{$_} && $theirs->{$_} } keys %$theirs) || 'nothing', 'nothing',
		'what clangd announces and vetro does not stands on the page with its reason');
} else {
	skip('what clangd announces', 'there is no clangd');
}
done;
