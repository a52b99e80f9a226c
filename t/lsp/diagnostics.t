#!/usr/bin/perl
# vetro lsp: diagnostics of each kind of source as it is typed, the same as `vetro check` says.
use strict;
use warnings;
use Cwd qw(realpath);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;
use Lsp;
use JSON::PP;

my $data = realpath("$FindBin::Bin/../data");
my $examples = realpath("$FindBin::Bin/../../examples");
my $root = realpath($W) . '/work';
my %points = (capabilities => {general => {positionEncodings => ['utf-32', 'utf-16']}});

# ---- a package as it is typed ----

sub make_package {
	my ($dir, $name, $class, $require) = @_;
	spew("$dir/manifest.yaml", <<"Y" . ($require // ''));
Format: 1.4
Type: Application
FullName: org.example.$name
Classes:
  org.example.$name: $name.yaml
Y
	spew("$dir/Classes/$name.yaml", $class);
	return "$dir/Classes/$name.yaml";
}
my $file = make_package("$root/app", 'App', <<'Y');
Namespaces:
  =: org.example
  std: io.murano
Name: App
Extends: std:Application
Properties:
  size:
    Contract: $.int()
    Default: 1
Methods:
  deploy:
    Body:
      - $n: $.size + 1
      - $text: concat("äö𝄞", $n)
      - Return: $n
Y
my $c = Lsp->start(root => $root, capabilities => {general => {positionEncodings => ['utf-8', 'utf-16']}});
is($c->{initialized}{capabilities}{positionEncoding}, 'utf-8', 'initialize takes the first encoding that it knows');
$c->stop;

$c = Lsp->start(root => $root);
is($c->{initialized}{capabilities}{positionEncoding}, 'utf-16', 'and UTF-16 without a list');
$c->open_file($file);
my $before = join ' ', Lsp::codes($c->diagnostics($file));
$c->change($file, '$.sise', [12, 12], [12, 18]);
my ($d) = grep { $_->{range}{start}{line} == 12 } @{ $c->diagnostics($file) };
is($d->{code}, 'W1040', 'a misspelt property is said as it is typed');
like($d->{message}, qr/did you mean "size"/, 'with its hint');
$c->change($file, 'size', [12, 14], [12, 18]);
is(join(' ', Lsp::codes($c->diagnostics($file))), $before, 'and no longer when it is mended');
$c->change($file, '$nn', [13, 30], [13, 32]);
($d) = grep { $_->{code} eq 'W1038' } @{ $c->diagnostics($file) };
is_json($d->{range}, {start => Lsp::place(13, 30), end => Lsp::place(13, 33)},
	'characters beyond the basic plane are two units of UTF-16');
$c->change($file, "Name: [\n");
like(join(' ', Lsp::codes($c->diagnostics($file))), qr/E02\d\d/, 'a text that is no YAML has the place of that');
$c->change($file, slurp($file));
is(join(' ', Lsp::codes($c->diagnostics($file))), $before, 'the whole text can be replaced');
$c->close_file($file);
is($c->stop, 0, 'shutdown and exit: status 0');

# ---- two packages: one that is edited is seen by the other before it is saved ----

my $lib = make_package("$root/lib", 'Base', <<'Y');
Namespaces: {=: org.example}
Name: Base
Methods:
  help:
    Scope: Public
    Body:
      - Return: 1
Y
my $user = make_package("$root/user", 'User', <<'Y', "Require: {org.example.Base: 0}\n");
Namespaces: {=: org.example}
Name: User
Extends: Base
Methods:
  run:
    Scope: Public
    Body:
      - Return: $this.help()
Y
$c = Lsp->start(root => $root);
$c->open_file($user);
is_lines([Lsp::codes($c->diagnostics($user)), 'end'], ['end'], 'a required package is found in the folder of the workspace');
$c->open_file($lib);
$c->change($lib, 'holp', [3, 2], [3, 6]);
my $seen;
for (1 .. 50) {
	my @told = grep { $_->{method} eq 'textDocument/publishDiagnostics' && $_->{params}{uri} eq uri_of($user) } @{ $c->{notes} };
	my @now = grep { @{ $_->{params}{diagnostics} } } @told;
	last if $seen = $now[0];
	$c->pump or last;
}
ok($seen, 'an edit of one package is seen in the other');
$c->stop;

# ---- every sample says what `vetro check` says, in the same places ----

# "file line:col code" of a source.
sub checked {
	my ($source) = @_;
	my ($rc, $out) = vetro('check', '--format', 'json', $source);
	my @all;
	for (split /\n/, $out) {
		my $d = decode_json($_);
		my $f = $d->{file} // $source;
		$f = "$f/manifest.yaml" if -d $f;
		$f = realpath($f) // $f;
		push @all, "$f " . ($d->{line} ? ($d->{line} - 1) . ':' . ($d->{col} - 1) : '0:0') . " $d->{code}";
	}
	return sort @all;
}
# The same of all that was published before an answer came.
sub published {
	my ($c, $file) = @_;
	$c->open_file($file);
	my %range = (range => {start => Lsp::place(0, 0), end => Lsp::place(0, 0)}, context => {diagnostics => []});
	$c->ask('textDocument/codeAction', {textDocument => {uri => uri_of($file)}, %range});
	my %last = map { $_->{params}{uri} => $_->{params} } @{ $c->{notes} };
	$c->{notes} = [];
	$c->close_file($file);
	my @all;
	for my $uri (keys %last) {
		(my $path = $uri) =~ s{^file://}{};
		$path =~ s/%(..)/chr hex $1/ge;
		push @all, map { "$path $_" } Lsp::codes($last{$uri}{diagnostics});
	}
	return sort @all;
}
sub is_text { my $t = slurp($_[0]); return utf8::decode($t) && $t !~ /\0/ }

$c = Lsp->start(%points);
my ($many, @parted) = (0);
sub compare {
	my ($source, $file) = @_;
	return if !-f $file || !is_text($file);
	my @want = checked($source);
	my @got = published($c, $file);
	$many++;
	push @parted, "$source\n  check: @want\n  lsp:   @got" if "@want" ne "@got";
}
compare($_, "$_/manifest.yaml") for grep { -f "$_/manifest.yaml" } files_like("$data/diag/*"), files_like("$data/check/*");
compare($_, $_) for grep { -f } files_like("$data/diag/E3*"), files_like("$data/diag/E2*/*.yaml"), files_like("$data/workflow/*/*"),
	files_like("$examples/tosca-webshop/*.yaml"), files_like("$examples/yay/*.yay");
ok($many > 150, "there are samples ($many)");
ok(!@parted, 'every sample has the diagnostics of `vetro check`', @parted);
is($c->stop, 0, 'and the server is still there');
done;
