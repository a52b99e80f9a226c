#!/usr/bin/perl
# Packages: manifests, directories and archives, requirements and versions, the search path.
use strict;
use warnings;
use JSON::PP;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $head = "Format: 1.4\nType: Library\nFullName: t.pkg\nVersion: 1.0.0\n";
my $class = "Name: Thing\nNamespaces: {=: t}\n";

# The diagnostics of `vetro check`, each as "CODE FILE:LINE:COL"; what the checker warns of is not looked at.
sub check {
	my @args = @_;
	my ($rc, $out) = vetro({ limit => 30 }, 'check', '--format=json', @args);
	my @d = grep { $_->{code} !~ /^W10[2-4]/ } map { decode_json($_) } split /\n/, $out;
	return ($rc, join(' ', map { my $f = $_->{file} // ''; $f =~ s{^\Q$W\E/}{}; "$_->{code} $f:" . ($_->{line} // 0) . ":" . ($_->{col} // 0) } @d), \@d);
}

sub fits {
	my ($title, $want, @args) = @_;
	my ($rc, $got) = check(@args);
	is($got, $want, $title);
	is($rc, $want =~ /\bE\d/ ? 1 : 0, "$title: status");
}

# ---- manifests
sub manifest {
	my ($title, $text, $want) = @_;
	my $dir = package_dir('m', { 'manifest.yaml' => $text, 'Classes/Thing.yaml' => $class,
		'UI/ui.yaml' => "Version: 2\nApplication: {'?': {id: thing}}\n" });
	my ($rc, $got) = check($dir);
	$got =~ s{m/manifest\.yaml:}{}g;
	is($got, $want, $title);
}
manifest('the least manifest', "Type: Library\nFullName: a\nClasses: {}\n", '');
manifest('all keys', $head . <<'Y', '');
Name: N
Description: D
Author: A
Supplier: {Name: S}
Logo: l.png
Tags: [a]
UI: ui.yaml
Meta:
Other: 1
Classes:
  t.Thing: Thing.yaml
Y
manifest('every error in one run', "Format: 2\nType: Thing\nFullName: .a\nVersion: x\nTags: 1\nRequire: a\nClasses: 1\n",
	'E0406 1:9 E0404 2:7 E0403 3:11 E0405 4:10 E0417 5:7 E0410 6:10 E0407 7:10');
manifest('nothing in it', "# empty\n", 'E0402 1:1');
manifest('two documents', $head . "Classes: {}\n---\na: 1\n", 'E0402 7:1');
manifest('keys that are missing', "Format: 1.4\n", 'E0403 1:1 E0404 1:1 E0407 1:1');
for my $name ('a', 'a.b_c.D1', "\xc3\xa4.b") {
	manifest("FullName $name", "Type: Library\nFullName: $name\nClasses: {}\n", '');
}
for my $name ('.a', 'a.', 'a..b', 'a-b', 'a b', '1.5', "''", 'true') {
	manifest("FullName $name", "Type: Library\nFullName: $name\nClasses: {}\n", 'E0403 2:11');
}
for my $format ('1.0', '1.1', '1.2', '1.3', '1.4', "'1.4'", 'MuranoPL/1.0', 'MuranoPL/1.4', '0', "''", '~', '1.40') {
	manifest("Format $format", "Format: $format\nType: Library\nFullName: a\nClasses: {}\n", '');
}
for my $format ('1.5', 'MuranoPL/1.5', '1', 'Heat.HOT/2.0', 'muranopl/1.0', '[1]') {
	manifest("Format $format", "Format: $format\nType: Library\nFullName: a\nClasses: {}\n", 'E0406 1:9');
}
for my $version ('1', '1.2', '1.2.3', '1.2.3.4', '1.2.3-rc1+b', '1.2rc1', '01.2') {
	manifest("Version $version", "Type: Library\nFullName: a\nClasses: {}\nVersion: $version\n", '');
}
for my $version ('v1', "''", '~', '[]', 'none') {
	manifest("Version $version", "Type: Library\nFullName: a\nClasses: {}\nVersion: $version\n", 'E0405 4:10');
}
for my $spec ('', '0', '1', '1.2', "'=1.2'", "'>=1, <2.5'", "'*'", "'~1'", "'^1.2'", "'==1.2.3'", "'!=1'", "'1.*'", "'>=1.2.3-rc1'") {
	my ($rc, $got) = check(package_dir('spec', { 'manifest.yaml' => $head . "Classes: {}\nRequire:\n  io.murano: $spec\n" }));
	ok($got !~ /E0411/, "requirement $spec", $got);
}
for my $spec ('x', 'latest', "'>'", "'=> 1'", "'1.x'", "'1,,2'", '[1]', "'1.2.3.4'", "'>=1 or <2'") {
	manifest("requirement $spec", $head . "Classes: {}\nRequire:\n  io.murano: $spec\n", 'E0411 7:14');
}

# ---- class files
my $two = $head . "Classes:\n  t.Thing: Thing.yaml\n  t.Other: sub/Other.yaml\n";
my $dir = package_dir('two', { 'manifest.yaml' => $two, 'Classes/Thing.yaml' => $class, 'Classes/sub/Other.yaml' => "Name: t.Other\nExtends: t.Thing\n" });
fits('classes in two files', '', $dir);
$dir = package_dir('half', { 'manifest.yaml' => $two, 'Classes/Thing.yaml' => "Name: [\n" });
fits('a broken file and a missing one', 'E0201 half/Classes/Thing.yaml:2:1 E0408 half/manifest.yaml:7:12', $dir);
for my $path ('../Thing.yaml', '/etc/passwd', 'a/../../manifest.yaml', '.') {
	manifest("the class file $path", $head . "Classes:\n  t.Thing: $path\n", 'E0414 6:12');
}
manifest('a class file with dots that stay inside', $head . "Classes:\n  t.Thing: ./a/../Thing.yaml\n", '');
manifest('classes of odd kinds', $head . "Classes:\n  t.A: [x]\n  1: y\n  a-b: z\n", 'E0407 6:8 E0407 7:3 E0407 8:3');
$dir = package_dir('link', { 'manifest.yaml' => $head . "Classes:\n  t.Thing: Thing.yaml\n  t.In: In.yaml\n", 'Classes/Real.yaml' => "Name: t.In\n" });
symlink '/etc/hostname', "$dir/Classes/Thing.yaml";
symlink 'Real.yaml', "$dir/Classes/In.yaml";
fits('a link out of the package', 'E0106 link/Classes/Thing.yaml:1:1', $dir);
fits('no such directory', 'E0101 nowhere:1:1', "$W/nowhere");
spew("$W/file.txt", 'text');
fits('a file that is no archive', 'E0103 file.txt:1:1', "$W/file.txt");
package_dir('outer/package', { 'manifest.yaml' => $head . "Classes: {}\n" });
spew("$W/outer/README", 'text');
unlink "$W/outer/manifest.yaml";
my (undef, undef, $d) = check("$W/outer");
like($d->[0]{hint}, qr{outer/package\?}, 'a package one level down is suggested');

# ---- archives
my @good = (['manifest.yaml', $head . "Classes:\n  t.Thing: Thing.yaml\n"], ['Classes/', ''], ['Classes/Thing.yaml', $class]);
sub archive {
	my ($title, $want, @entries) = @_;
	fits("archive: $title", $want, zip_file("$W/a.zip", @entries));
}
archive('good', '', @good);
archive('in a single folder', '', map { ["App/$_->[0]", $_->[1]] } @good);
archive('names with dots and empty parts', '', map { ["./App//$_->[0]", $_->[1]] } @good);
archive('without a manifest', 'E0401 a.zip:1:1', $good[2]);
archive('in two folders', 'E0401 a.zip:1:1', map { my $f = $_; map { ["$f/$_->[0]", $_->[1]] } @good } qw(a b));
archive('an error in a class', 'E0201 a.zip/Classes/Thing.yaml:2:1', @good[0, 1], ['Classes/Thing.yaml', "a: [\n"]);
for my $name ('../x', '/etc/x', 'a/../../x', 'a/..', '..', '..\\x', 'C:/x', 'a\\b') {
	archive("the entry $name", 'E0105 a.zip:1:1', @good, [$name, 'x']);
}
archive('a link out', 'E0106 a.zip/l:1:1', @good, ['l', '../../etc/passwd', { mode => 0120777 }]);
archive('an absolute link', 'E0106 a.zip/l:1:1', @good, ['l', '/etc/passwd', { mode => 0120777 }]);
archive('a link inside', '', $good[0], ['Classes/Real.yaml', $class], ['Classes/Thing.yaml', 'Real.yaml', { mode => 0120777 }]);
archive('links in a circle', 'E0408 a.zip/manifest.yaml:6:12', $good[0], ['Classes/Thing.yaml', 'b', { mode => 0120777 }],
	['Classes/b', 'Thing.yaml', { mode => 0120777 }]);
archive('two entries of one name', 'E0110 a.zip:1:1', @good, ['manifest.yaml', '']);
archive('an encrypted entry', 'E0111 a.zip/Classes/Thing.yaml:1:1', $good[0], ['Classes/Thing.yaml', $class, { flag => 1 }]);
archive('an unknown method', 'E0111 a.zip/Classes/Thing.yaml:1:1', $good[0], ['Classes/Thing.yaml', $class, { method => 99 }]);
archive('a wrong checksum', 'E0108 a.zip/Classes/Thing.yaml:1:1', $good[0], ['Classes/Thing.yaml', $class, { crc => 1 }]);
archive('a size that is too small', 'E0108 a.zip/Classes/Thing.yaml:1:1', $good[0], ['Classes/Thing.yaml', $class, { size => 5 }]);
archive('a size that is too large', 'E0104 a.zip/Classes/Thing.yaml:1:1', $good[0], ['Classes/Thing.yaml', $class, { size => 5000 }]);
archive('a size of gigabytes', 'E0102 a.zip/Classes/Thing.yaml:1:1', $good[0], ['Classes/Thing.yaml', $class, { size => 3 << 30 }]);
archive('a name that is no UTF-8', '', @good, ["caf\xe9", 'x']);
archive('a name with a NUL', 'E0104 a.zip/ab:1:1', @good, ["ab\0c", 'x']);
archive('headers that differ', 'E0111 a.zip/Classes/Thing.yaml:1:1', $good[0], ['Classes/Thing.yaml', $class, { local_name => 'Classes/Thong.yaml.txt' }]);
archive('too many entries', 'E0107 a.zip:1:1', map { ["f$_", ''] } 1 .. 20001);
my $whole = do { open(my $f, '<', zip_file("$W/w.zip", @good)) or die; binmode $f; local $/; <$f> };
my ($died, $passed, $length) = ('', '', length $whole);
for (my $cut = 0; $cut < $length; $cut += 1 + int($length / 40)) {
	spew("$W/cut.zip", substr($whole, 0, $cut));
	my ($rc, $got) = check("$W/cut.zip");
	$died .= " $cut" if $rc != 1 && $rc != 0;
	$passed .= " $cut" if $got !~ /E01/;
}
is($died . $passed, '', 'an archive cut short anywhere is an error');
my $crashed = '';
srand(7);
for (1 .. 60) {
	my $t = $whole;
	substr($t, int(rand $length), 1) = chr(int(rand 256)) for 1 .. 3;
	spew("$W/noise.zip", $t);
	my ($rc) = check("$W/noise.zip");
	$crashed .= " $_:$rc" if $rc != 0 && $rc != 1;
}
is($crashed, '', 'noise in an archive is survived');

# ---- requirements
sub lib {
	my ($path, $name, $version, $require) = @_;
	package_dir($path, { 'manifest.yaml' => <<"Y" . join('', map { "  $_\n" } @{ $require || [] }),
Type: Library
FullName: $name
Version: $version
Classes:
  $name.C: C.yaml
Require:
Y
		'Classes/C.yaml' => "Name: $name.C\n" });
}
lib('repo/one/package', 'r.one', '0.1.0');
lib('repo/deep/v1/package', 'r.one', '1.2.0');
lib('repo/deep/v2', 'r.one', '1.9.0');
lib('repo/chain', 'r.chain', '1.0.0', ['r.one: 1']);
lib('repo/circle', 'r.circle', '1.0.0', ['r.chain: 1', 'r.circle: 1']);
spew("$W/repo/bad/manifest.yaml", "a: [\n");
sub app {
	my ($base, @require) = @_;
	return package_dir('app', { 'manifest.yaml' => $head . "Classes:\n  t.App: App.yaml\nRequire:\n" . join('', map { "  $_\n" } @require),
		'Classes/App.yaml' => "Name: t.App\nExtends: [" . join(', ', @$base) . "]\n" });
}
my @repo = ('-I', "$W/repo");
fits('found below -I', '', app(['r.one.C'], 'r.one:'), @repo);
fits('-I of the package itself', '', app(['r.one.C'], 'r.one:'), '-I', "$W/repo/one/package");
zip_file("$W/r.zip", ['manifest.yaml', "Type: Library\nFullName: r.zip\nClasses: {r.zip.C: C.yaml}\n"], ['Classes/C.yaml', "Name: r.zip.C\n"]);
fits('-I of an archive', '', app(['r.zip.C'], 'r.zip:'), '-I', "$W/r.zip");
fits('without -I', 'E0412 app/manifest.yaml:8:3', app([], 'r.one:'));
fits('named on the command line as well', '', app(['r.one.C'], 'r.one:'), "$W/repo/one/package");
fits('a version that is not there', 'E0413 app/manifest.yaml:8:3', app([], "r.one: '>=2'"), @repo);
fits('a name that is not there', 'E0412 app/manifest.yaml:8:3', app([], 'r.two:'), @repo);
fits('what is required requires more', '', app(['r.chain.C'], 'r.chain: 1'), @repo);
fits('a circle of requirements', '', app(['r.circle.C'], 'r.circle: 1'), @repo);
fits('-I that does not exist', 'E0101 nowhere:1:1', app([]), '-I', "$W/nowhere");
fits('the same package twice', 'E0415 repo/one/package/manifest.yaml:2:11', "$W/repo/one/package", "$W/repo/one/package");
like((check(app(['r.one.C']), @repo))[2][0]{hint}, qr/write "r\.one:" below Require/, 'a class of a package that Require lacks names it');
mkdir "$W/links";
symlink "$W/repo/one", "$W/links/one";
symlink '..', "$W/links/up";
symlink '/', "$W/links/root";
symlink 'nowhere', "$W/links/dead";
symlink "$W/r.zip", "$W/links/linked.zip";
fits('behind a link', '', app(['r.one.C'], 'r.one:'), '-I', "$W/links");
fits('an archive behind a link', '', app(['r.zip.C'], 'r.zip:'), '-I', "$W/links");
my ($rc, $got, $all) = check(app([], 'r.nope:'), '-I', "$W/links");
ok(scalar(grep { m{links/dead} } @{ $all->[0]{notes} }), 'a link to nothing is named', encode_json($all->[0]{notes}));
($rc, $got, $all) = check(app([], 'r.oen: 1'), @repo);
like($all->[0]{hint}, qr/did you mean r\.one\?/, 'a slip in the name is recognised');
ok(scalar(grep { /bad/ } @{ $all->[0]{notes} }), 'what was passed over is said', encode_json($all->[0]{notes}));

# ---- the core library
fits('classes of io.murano', '', app(['io.murano.Application', 'io.murano.resources.LinuxMuranoInstance', 'io.murano.test.TestFixture',
	'io.murano.system.HeatStack']));
fits('classes of io.murano.applications', '', app(['io.murano.applications.MultiServerApplicationWithScaling'], 'io.murano.applications:'));
my $apps = "$FindBin::Bin/../../../shared/conformance/muranopl/apps";
for my $m (-d $apps ? files_like("$apps/{*/package,*/package/*,*/*/package}/manifest.yaml") : ()) {
	(my $p = $m) =~ s{/manifest\.yaml$}{};
	(my $short = $p) =~ s{.*/apps/}{};
	my ($s, undef, $text) = vetro('check', $p, '-I', $apps);
	# two read a variable that no statement assigns, which is so
	my $found = $short =~ /^(?:CloudFoundryDiego|Rally)\// ? 'W1038' : '';
	is(join(' ', $text =~ /error\[(\w+)\]/g), $found, "a real application: $short");
	is($s, $found ? 1 : 0, "a real application: $short: the status");
}
done();
