#!/usr/bin/perl
# vetro lsp while somebody types: edits at random, which break the file, with questions between them. The server stays, and when
# the file is whole again its diagnostics are those of `vetro check`. EDITS_SEEDS='1 2 3' and EDITS_COUNT take others,
# EDITS_FILES='LANGUAGE FILE ...' other files.
use strict;
use warnings;
use Cwd qw(realpath);
use File::Path qw(make_path);
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;
use Lsp;

my $top = realpath("$FindBin::Bin/../..");
my $root = realpath($W);
my @seeds = split / /, $ENV{EDITS_SEEDS} || '23 71';
my $count = $ENV{EDITS_COUNT} || 50;
my @pieces = (
	"\n", "\t", ' ', '  ', ':', ': ', '- ', '"', "'", '{', '}', '[', ']', '$', '$.', '#', '&a ', '*a', '|', '>', '%', '<%', '%>', '{{', '}}', '!t ',
	'---', "\xc3\xa9", "\xf0\x9f\x98\x80", "\r\n", ',', '(', ')', 'type', 'get_input', 'new',
	'?', '@', '`', "\x01", 'x' x 300, '0', '1e999', '<<: ', "\n\n\n", "- - - ");

# ---- files: what the repository has of each language, and mistakes of each ----

my %files = (
	MuranoPL => [map { "examples/$_" } 'fleet/Classes/Fleet.yaml', 'webserver/Classes/WebServer.yaml'],
	Forms => ['t/engine/probe/UI/ui.yaml'],
	TOSCA => ['examples/tosca-webshop/service.yaml', 't/data/lsp/one/svc.yaml', 'templates/new/tosca/service.yaml'],
	Heat => ['t/data/lsp/nested/h.yaml', 'templates/new/hot/template.yaml'], Yay => ['examples/yay/app.yay', 't/data/lsp/yay/app.yay'],
	Workflows => ['templates/new/mistral/workflow.yaml', (files_like("$top/t/data/workflow/*/*.yaml"))[0]],
);
if ($ENV{EDITS_FILES}) {
	my ($language, @own) = split / /, $ENV{EDITS_FILES};
	%files = ($language => \@own);
}

# Packages and services are copied whole: the server may look at what lies beside.
my $number = 0;
sub copied {
	my ($file) = @_;
	my $full = $file =~ m{^/} ? $file : "$top/$file";
	my $folder = $full =~ s{/[^/]*$}{}r;
	my $package = -e "$folder/../manifest.yaml" ? realpath("$folder/..") : $folder;
	my $dir = "$root/p" . $number++;
	make_path($dir);
	system 'cp', '-r', "$package/.", $dir;
	return ($dir, "$dir/" . substr realpath($full), length(realpath($package)) + 1);
}

# ---- what is wrong: "LINE CODE" of the file ----

sub of_server { my ($all) = @_; return join ' ', sort map { ($_->{range}{start}{line} + 1) . " $_->{code}" } @$all }
sub of_check {
	my ($source, $file) = @_;
	my (undef, $out) = vetro('check', '--format=json', $source);
	my @all = grep { ($_->{file} // '') ne '' && (realpath($_->{file}) // '') eq $file } map { decode_json($_) } grep { /^\{/ } split /\n/, $out;
	return join ' ', sort map { "$_->{line} $_->{code}" } @all;
}

# ---- edits ----

sub random_edit {
	my ($c, $path, $text) = @_;
	my @lines = split /\n/, $text, -1;
	my $line = int rand @lines;
	my $at = int rand(1 + length $lines[$line]);
	my $kind = int rand 4;
	my ($to_line, $to) = ($line, $at);
	if ($kind == 0) { # some bytes go
		$to = $at + int rand(1 + length($lines[$line]) - $at);
	} elsif ($kind == 1 && $line + 1 < @lines) { # some lines go
		$to_line = $line + int rand(@lines - $line > 4 ? 4 : @lines - $line);
		$to = $to_line == $line ? length $lines[$line] : int rand(1 + length $lines[$to_line]);
	}
	my $new = $kind < 2 ? '' : $kind == 2 ? $pieces[rand @pieces] : join '', map { $pieces[rand @pieces] } 1 .. 3;
	my $offset = sub { my ($l, $ch) = @_; my $n = $ch; $n += 1 + length $lines[$_] for 0 .. $l - 1; return $n };
	my ($a, $z) = ($offset->($line, $at), $offset->($to_line, $to));
	my $result = $text;
	substr($result, $a, $z - $a) = $new;
	$c->change($path, $new, [$line, $at], [$to_line, $to]);
	return ($result, $line, $at);
}

my @asked = qw(completion hover definition declaration typeDefinition implementation references documentHighlight signatureHelp prepareRename rename
	prepareCallHierarchy prepareTypeHierarchy onTypeFormatting documentSymbol foldingRange documentLink formatting rangeFormatting inlayHint codeAction
	semanticTokens/full semanticTokens/full/delta semanticTokens/range selectionRange);
sub question {
	my ($c, $path, $line, $at) = @_;
	my $method = $asked[rand @asked];
	my $place = Lsp::place($line, $at);
	return $c->request("textDocument/$method", {
		textDocument => {uri => uri_of($path)}, position => $place, positions => [$place], newName => 'fresh', ch => "\n",
		options => {tabSize => 2, insertSpaces => JSON::PP::true}, previousResultId => '0', range => {start => $place, end => Lsp::place($line + 3, 0)},
		context => {diagnostics => [], includeDeclaration => JSON::PP::true}});
}

sub typed {
	my ($language, $file, $seed) = @_;
	my ($dir, $path) = copied($file);
	my $whole = slurp($path);
	my $source = -e "$dir/manifest.yaml" ? $dir : $path;
	my $c = Lsp->start(root => $dir, capabilities => {general => {positionEncodings => ['utf-8']}});
	my $title = "$language: " . ($file =~ s{^\Q$top\E/}{}r) . ", seed $seed";
	srand $seed;
	$c->open_text($path, $whole);
	my $first = of_server($c->diagnostics($path));
	my ($text, $open, $l, $at) = ($whole, 0);
	for (1 .. $count) {
		($text, $l, $at) = random_edit($c, $path, $text);
		for (1 .. int rand 3) {
			my $r = $c->response(question($c, $path, $l, $at));
			$open++ unless $r && (exists $r->{result} || $r->{error}{code} == -32602);
		}
		$c->change($path, $text = $whole) if rand() < 0.1;
	}
	$c->change($path, $whole);
	is(of_server($c->diagnostics($path)), $first, "$title: whole again, the same is wrong as before");
	is($first, of_check($source, $path), "$title: and what check says");
	my @lost = map { $_->{params}{message} } grep { $_->{method} eq 'window/logMessage' } @{ $c->{notes} };
	ok(!@lost && !$open, "$title: no worker was lost, each question had its answer", @lost, "$open");
	is($c->stop, 0, "$title: the server ends well");
}

for my $language (sort keys %files) {
	for my $file (@{ $files{$language} }) {
		typed($language, $file, $_) for @seeds;
	}
}
done;
