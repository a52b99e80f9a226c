#!/usr/bin/perl
# vetro lsp: renaming over the packages of the workspace; what would be wrong then is refused, and the packages check afterwards.
use strict;
use warnings;
use Cwd qw(realpath);
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Tap;
use Lsp;

my $root = realpath($W);
my %files = ('lib/manifest.yaml' => <<'Y', 'lib/Classes/Disk.yaml' => <<'D', 'app/manifest.yaml' => <<'M', 'app/Classes/App.yaml' => <<'A');
Format: 1.4
Type: Library
FullName: org.example.lib
Classes:
  org.example.lib.Disk: Disk.yaml
Y
Namespaces: {=: org.example.lib, std: io.murano}
Name: Disk
Extends: std:Object
Properties:
  size:
    Contract: $.int()
    Default: 1
Methods:
  grow:
    Arguments:
      - by:
          Contract: $.int()
    Body:
      - $sum: $.size + $by
      - For: n
        In: range($sum)
        Do:
          - sleep($n)
      - Return: $sum
D
Format: 1.4
Type: Application
FullName: org.example.app
Classes:
  org.example.app.App: App.yaml
Require:
  org.example.lib:
M
Namespaces: {=: org.example.app, lib: org.example.lib, std: io.murano}
Name: App
Extends: std:Application
Properties:
  disk:
    Contract: $.class(lib:Disk).notNull()
Methods:
  deploy:
    Body:
      - $d: new(lib:Disk, size => 3)
      - Return: $.disk.size + $.disk.grow(2)
A
my (%text, $c);
sub write_all { for (keys %files) { mkdir "$root/" . s{/.*}{}r; mkdir "$root/" . s{/.*}{}r . '/Classes'; spew("$root/$_", $files{$_}) } %text = %files }
sub position {
	my ($file, $line, $word) = @_;
	my @lines = split /\n/, $text{$file};
	my ($n) = grep { index($lines[$_], $line) >= 0 } 0 .. $#lines;
	return ($n, index($lines[$n], $line) + index($line, $word));
}
# The whole response to a rename of the word in the line of the file.
sub renamed {
	my ($file, $line, $word, $name) = @_;
	my ($n, $at) = position($file, $line, $word);
	my %at = (textDocument => {uri => uri_of("$root/$file")}, position => Lsp::place($n, $at));
	return $c->response($c->request('textDocument/rename', {%at, newName => $name}));
}
# Makes the edits, and says how many there were by file.
sub apply {
	my ($answer) = @_;
	my %count;
	my $changes = $answer->{result}{changes} || {};
	for my $uri (sort keys %$changes) {
		my ($file) = $uri =~ m{^file://\Q$root\E/(.*)};
		my @lines = split /^/, $text{$file};
		for my $e (reverse @{ $changes->{$uri} }) {
			my ($from, $to) = @{ $e->{range} }{qw(start end)};
			substr($lines[ $from->{line} ], $from->{character}, $to->{character} - $from->{character}) = $e->{newText};
		}
		$count{$file} = @{ $changes->{$uri} };
		spew("$root/$file", $text{$file} = join '', @lines);
	}
	return join ' ', map { "$_:$count{$_}" } sort keys %count;
}
sub check_ok { my ($what) = @_; my ($rc, undef, $err) = vetro('check', '-I', $root, "$root/lib", "$root/app"); ok($rc == 0 && $err eq '', $what, $err) }
sub begin { my ($file) = @_; write_all(); $c = Lsp->start(root => $root); $c->open_file("$root/$file"); $c->diagnostics("$root/$file") }

begin('lib/Classes/Disk.yaml');
check_ok('the packages are right');
is(apply(renamed('lib/Classes/Disk.yaml', 'grow:', 'grow', 'extend')), 'app/Classes/App.yaml:1 lib/Classes/Disk.yaml:1',
	'a method, from its declaration, also in a package that requires this one');
check_ok('and the packages check');
$c->stop;

begin('app/Classes/App.yaml');
is(apply(renamed('app/Classes/App.yaml', '$.disk.grow', 'grow', 'extend')), 'app/Classes/App.yaml:1 lib/Classes/Disk.yaml:1', 'from a use of it');
check_ok('and the packages check');
$c->stop;

begin('app/Classes/App.yaml');
is(apply(renamed('app/Classes/App.yaml', 'lib:Disk).notNull', 'Disk', 'Volume')),
	'app/Classes/App.yaml:2 lib/Classes/Disk.yaml:1 lib/manifest.yaml:1', 'a class, with the manifest of its package');
check_ok('and the packages check');
$c->stop;

begin('lib/Classes/Disk.yaml');
is(apply(renamed('lib/Classes/Disk.yaml', '$.size + $by', 'by', 'more')), 'lib/Classes/Disk.yaml:2', 'an argument');
check_ok('and the packages check');
$c->stop;
begin('lib/Classes/Disk.yaml');
is(apply(renamed('lib/Classes/Disk.yaml', 'sleep($n)', 'n', '$step')), 'lib/Classes/Disk.yaml:2', 'the variable of a loop, which has no $ there');
check_ok('and the packages check');
like($text{'lib/Classes/Disk.yaml'}, qr/- For: step\n/, 'and still has none');
$c->stop;

begin('lib/Classes/Disk.yaml');
my $answer = renamed('lib/Classes/Disk.yaml', 'size:', 'size', 'bytes');
is(apply($answer), 'app/Classes/App.yaml:2 lib/Classes/Disk.yaml:2', 'a property, by its name in new() too');
check_ok('and the packages check');
$c->stop;

begin('app/Classes/App.yaml');
like(renamed('app/Classes/App.yaml', 'deploy:', 'deploy', 'start')->{error}{message},
	qr/deploy is declared in io\.murano\.Application/, 'what the core library calls');
like(renamed('app/Classes/App.yaml', 'disk:', 'disk', '9x')->{error}{message}, qr/a name is letters/, 'a name that is none');
like(renamed('app/Classes/App.yaml', 'new(', 'new', 'make')->{error}{message}, qr/function of the library/, 'a function');
my ($n, $at) = position('app/Classes/App.yaml', 'disk:', 'disk');
is_json($c->at('prepareRename', "$root/app/Classes/App.yaml", $n, $at), {start => {line => $n, character => $at}, end => {line => $n, character => $at + 4}},
	'what can be renamed is told before');
is($c->stop, 0, 'and the server is still there');
begin('lib/Classes/Disk.yaml');
like(renamed('lib/Classes/Disk.yaml', 'grow:', 'grow', 'size x')->{error}{message}, qr/a name is letters/, 'a name with a blank');
like(renamed('lib/Classes/Disk.yaml', 'range($sum)', 'sum', 'gone')->{result} ? 'done' : 'refused', qr/done/, 'a variable that is used below');
$c->stop;

# ---- arguments that are given by name ----

$files{'app/Classes/App.yaml'} =~ s/\$\.disk\.grow\(2\)/\$.disk.grow(by => 2)/;
begin('lib/Classes/Disk.yaml');
is(apply(renamed('lib/Classes/Disk.yaml', '$.size + $by', 'by', 'more')), 'app/Classes/App.yaml:1 lib/Classes/Disk.yaml:2',
	'an argument, where it is given by name in another package');
check_ok('and the packages check');
like($text{'app/Classes/App.yaml'}, qr/grow\(more => 2\)/, 'the call has the new name');
$c->stop;
begin('app/Classes/App.yaml');
is(apply(renamed('app/Classes/App.yaml', 'by => 2', 'by', 'more')), 'app/Classes/App.yaml:1 lib/Classes/Disk.yaml:2', 'from a call');
check_ok('and the packages check');
$c->stop;
begin('lib/Classes/Disk.yaml');
is(apply(renamed('lib/Classes/Disk.yaml', '- by:', 'by', 'more')), 'app/Classes/App.yaml:1 lib/Classes/Disk.yaml:2', 'from its declaration');
$c->stop;

$files{'lib/manifest.yaml'} .= "  org.example.lib.Fast: Fast.yaml\n  org.example.lib.Pool: Pool.yaml\n";
$files{'lib/Classes/Fast.yaml'} = <<'Y';
Namespaces: {=: org.example.lib}
Name: Fast
Extends: Disk
Methods:
  .init:
    Arguments:
      - speed: {Contract: $.int()}
    Body:
      - $.grow(by => $speed)
  grow:
    Arguments: [by: {Contract: $.int()}]
    Body:
      - Try:
          - Return: super($this, $.grow(by => $by * 2))
        Catch:
          As: by_error
          Do:
            - Return: $by_error.message
Y
$files{'lib/Classes/Pool.yaml'} = <<'Y';
Namespaces: {=: org.example.lib}
Name: Pool
Properties:
  disks:
    Contract: [$.class(Disk)]
Methods:
  large:
    Arguments:
      - size: {Contract: $.int()}
    Body:
      - $new: new(Fast, speed => 3)
      - $names: $.disks.select(dict(size => $.size)).where($.size > $size)
      - $all: $.disks.where($.size > $size and $.grow(by => 1) > 2).select(
          $.size)
      - $nested: $.disks.where($this.disks.any($.size > 1))
      - Return: $all
Y
begin('lib/Classes/Disk.yaml');
check_ok('the larger packages are right');
is(apply(renamed('lib/Classes/Disk.yaml', '- by:', 'by', 'more')),
	'app/Classes/App.yaml:1 lib/Classes/Disk.yaml:2 lib/Classes/Fast.yaml:4 lib/Classes/Pool.yaml:1',
	'an argument of a method that is overridden, there too, and in lambdas');
check_ok('and the packages check');
like($text{'lib/Classes/Fast.yaml'}, qr/Arguments: \[more: .*\$\.grow\(more => \$more \* 2\).*As: by_error/s, 'but nothing else of that beginning');
$c->stop;
begin('lib/Classes/Pool.yaml');
is(apply(renamed('lib/Classes/Pool.yaml', 'speed => 3', 'speed', 'rate')), 'lib/Classes/Fast.yaml:2 lib/Classes/Pool.yaml:1',
	'an argument of .init, which new() gives');
check_ok('and the packages check');
$c->stop;
begin('lib/Classes/Pool.yaml');
is(apply(renamed('lib/Classes/Pool.yaml', '- size: {', 'size', 'least')), 'lib/Classes/Pool.yaml:3',
	'an argument is no property of its name, nor a key of a dict');
check_ok('and the packages check');
$c->stop;
begin('lib/Classes/Fast.yaml');
is(apply(renamed('lib/Classes/Fast.yaml', 'As: by_error', 'by_error', 'why')), 'lib/Classes/Fast.yaml:2', 'the variable of a Catch, from where it is named');
check_ok('and the packages check');
$c->stop;

# ---- $ of a lambda ----

begin('lib/Classes/Disk.yaml');
is(apply(renamed('lib/Classes/Disk.yaml', 'size:', 'size', 'bytes')),
	'app/Classes/App.yaml:2 lib/Classes/Disk.yaml:2 lib/Classes/Pool.yaml:4', 'a property, by $ of a lambda too');
check_ok('and the packages check');
like($text{'lib/Classes/Pool.yaml'}, qr/dict\(size => \$\.bytes\)\)\.where\(\$\.size > \$size\)/, 'but no key of a dict that a lambda has made');
like($text{'lib/Classes/Pool.yaml'}, qr/where\(\$\.bytes > \$size.*\n\s+\$\.bytes\).*\n.*any\(\$\.bytes > 1\)/,
	'nor is a line end or another lambda in its way');
$c->stop;
begin('lib/Classes/Pool.yaml');
($n, $at) = position('lib/Classes/Pool.yaml', 'where($.size > $size and', 'size');
my $hover = $c->at('hover', "$root/lib/Classes/Pool.yaml", $n, $at);
like($hover->{contents}{value}, qr/Property of org\.example\.lib\.Disk/, 'hover knows it as well');
my $length = length((split /\n/, $text{'lib/Classes/Pool.yaml'})[$n]);
$c->change("$root/lib/Classes/Pool.yaml", '      - $x: $.disks.where($.', [$n, 0], [$n, $length]);
my $items = $c->at('completion', "$root/lib/Classes/Pool.yaml", $n, 28)->{items};
ok(scalar(grep { $_->{label} eq 'grow' } @$items), 'and completion knows the members of $', join ' ', map { $_->{label} } @$items);
is($c->stop, 0, 'and the server is still there');

# ---- a refusal quotes what is new, and not what was wrong before ----

$files{'lib/Classes/Disk.yaml'} =~ s/- Return: \$sum/- Return: \$sum + \$.missing/;
$files{'lib/manifest.yaml'} .= "  org.example.lib.Wide: Wide.yaml\n";
$files{'lib/Classes/Wide.yaml'} = <<'Y';
Namespaces: {=: org.example.lib}
Name: Wide
Extends: Disk
Methods:
  enlarge:
    Arguments:
      - a: {Contract: $.int().notNull()}
      - b: {Contract: $.int().notNull()}
    Body: [{Return: $a + $b}]
Y
begin('lib/Classes/Disk.yaml');
my $message = renamed('lib/Classes/Disk.yaml', 'grow:', 'grow', 'enlarge')->{error}{message} // '';
like($message, qr/would be wrong then: method "enlarge" needs 2 arguments/, 'what a refusal quotes');
unlike($message, qr/missing/, 'is not what was wrong before');
like(renamed('lib/Classes/Disk.yaml', 'grow:', 'grow', 'extend')->{result} ? 'done' : 'refused', qr/done/, 'which keeps back no rename');
$c->stop;

# ---- models in the code, and mocks: names of properties and methods that stand there as texts ----

$files{'lib/manifest.yaml'} .= "  org.example.lib.DiskTest: DiskTest.yaml\n";
$files{'lib/Classes/DiskTest.yaml'} = <<'Y';
Namespaces: {=: org.example.lib, test: io.murano.test}
Name: DiskTest
Extends: test:TestFixture
Methods:
  testOne:
    Body:
      - $model:
          Objects:
            ?:
              type: org.example.lib.Disk/0.0.0
            size: 1
            other: {size: 2}
          size: 3
      - $list:
          - size: 4
            ?: {type: Disk}
          - '?': {type: Wide}
            size: 5
          - ?: {type: io.murano.Object}
            size: 6
      - inject(:Disk, grow, 'size')
      - inject(:Disk, 'grow', grow)
      - inject($.grow, grow, 1)
Y
begin('lib/Classes/Disk.yaml');
sub in_test {
	my $r = renamed(@_);
	my $edits = $r->{result}{changes}{ uri_of("$root/lib/Classes/DiskTest.yaml") } || [];
	return $r->{error}{message} || join ' ', map { $_->{range}{start}{line} + 1 } @$edits;
}
is(in_test('lib/Classes/Disk.yaml', '  size:', 'size', 'bytes'), '11 15 18', 'a property in models of its class, and in no other map');
is(in_test('lib/Classes/Disk.yaml', 'grow:', 'grow', 'extend'), '21 22', 'a method that a mock names');
$c->stop;
done;
