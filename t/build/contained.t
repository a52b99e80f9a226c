#!/usr/bin/perl
# Which files a source may bring along: those below its own folder, and below directories that --allow-dir and -I name. That holds for
# a single file, a directory, an archive, a package and a Yay configuration, and links count for what they lead to.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

mkdir "$W/$_" for 'out', 'out/sub', 'svc', 'svc/sub', 'svc/types';
spew("$W/out/$_", "#!/bin/sh\necho canary-of-$_\n") for 'x', 'secret', 'sub/deep';
spew("$W/out/inc.yay", "v: canary-of-inc\n");
spew("$W/out/types.yaml", "tosca_definitions_version: tosca_2_0\nartifact_types: { Out: {} }\n");
spew("$W/svc/own.sh", "#!/bin/sh\necho own\n");
spew("$W/svc/sub/own.sh", "#!/bin/sh\necho own\n");
symlink("$W/out/secret", "$W/svc/link");
symlink("../out", "$W/svc/folder");
symlink("own.sh", "$W/svc/inner");
symlink('/etc/shadow', "$W/svc/shadow");
my @outside = ('../out/x', "$W/out/x", 'link', 'folder/x',
	 'folder/sub/deep', './sub/../../out/x', 'sub/../link', '../svc/../out/secret', '/etc/passwd', 'shadow');
my @inside = ('own.sh', 'sub/own.sh', './sub/../own.sh', '../svc/own.sh', 'inner', "$W/svc/own.sh");

sub head { return "tosca_definitions_version: tosca_2_0\ninterface_types: { Life: { operations: { create: {} } } }\nartifact_types: { File: {} }\n" }
sub operation { my ($file) = @_; return head() . <<"Y" }
node_types:
  N: { interfaces: { Standard: { type: Life, operations: { create: { implementation: { primary: "$file" } } } } } }
service_template: { node_templates: { n: { type: N } } }
Y
sub dependency { my ($file) = @_; return operation('own.sh') =~ s/primary: "own.sh"/primary: own.sh, dependencies: [ "$file" ]/r }
sub artifact { my ($file) = @_; return head() . <<"Y" }
node_types: { N: {} }
service_template: { node_templates: { n: { type: N, artifacts: { a: { type: File, file: "$file" } } } } }
Y
sub import_of { my ($file) = @_; return head() . "imports: [ \"$file\" ]\nservice_template: { node_templates: {} }\n" }
sub get_file { my ($file) = @_; return <<"Y" }
heat_template_version: 2018-08-31
resources: { v: { type: OS::Heat::Value, properties: { value: { get_file: "$file" } } } }
Y
sub include { my ($file) = @_; return "include '$file'\n" }

# The C of the source, or its errors.
sub built {
	my ($name, $text, @options) = @_;
	spew("$W/svc/$name", $text);
	return vetro({ limit => 120 }, 'build', '--emit=c', @options, "$W/svc/$name");
}

my %kinds = (operation => [ \&operation, 'E2017' ], dependency => [ \&dependency, 'E2017' ], artifact => [ \&artifact, 'E2017' ],
	get_file => [ \&get_file, 'E2017' ]);
for my $kind (sort keys %kinds) {
	my ($make, $code) = @{ $kinds{$kind} };
	my @bad;
	for my $file (@outside) {
		my ($rc, $out, $err) = built('s.yaml', $make->($file));
		my $told = $err =~ /error\[$code\]: '\Q$file\E' leads out of the folder of the template.*--allow-dir/s;
		push @bad, "$file: $rc $err" if !$rc || !$told || "$out$err" =~ /canary/;
	}
	ok(!@bad, "$kind: what leads out is refused", @bad);
	@bad = ();
	for my $file (@inside) {
		my ($rc, $out, $err) = built('s.yaml', $make->($file));
		push @bad, "$file: $rc $err" if $rc || $err =~ /W2005/;
	}
	ok(!@bad, "$kind: what is below is taken", @bad);
	my ($rc, $out, $err) = built('s.yaml', $make->('../out/x'), '--allow-dir', "$W/out");
	ok($rc == 0 && $out =~ /canary-of-x/, "$kind: --allow-dir", $err);
	($rc, $out, $err) = built('s.yaml', $make->('link'), '--allow-dir', "$W/out/sub");
	ok($rc != 0 && $err =~ /E2017/, "$kind: --allow-dir of another directory", $err);
	($rc, $out, $err) = built('s.yaml', $make->('link'), '--allow-dir', "$W/ou");
	ok($rc != 0, "$kind: the beginning of a name is no directory");
}
# Imports are read as TOSCA and not brought along; those that go up by .. are taken.
for my $file ("$W/out/types.yaml", 'tlink.yaml', 'folder/types.yaml') {
	symlink("$W/out/types.yaml", "$W/svc/tlink.yaml");
	my ($rc, $out, $err) = built('s.yaml', import_of($file));
	like("$rc $err", qr/^[1-9].*error\[E2017\]/s, 'import of ' . $file =~ s{\Q$W}{}r);
	($rc, $out, $err) = built('s.yaml', import_of($file), '--allow-dir', "$W/out");
	is($rc, 0, 'is taken with --allow-dir') or print "# $err\n";
}
for my $command ('check', 'tosca') {
	my ($rc, $out, $err) = vetro($command, "$W/svc/s.yaml");
	like("$rc $err", qr/^[1-9].*error\[E2017\]/s, "$command has the same rule");
	($rc, $out, $err) = vetro($command, '--allow-dir', "$W/out", "$W/svc/s.yaml");
	is($rc, 0, "and --allow-dir") or print "# $err\n";
}
my ($rc, $out, $err) = built('s.yaml', import_of('../out/types.yaml'));
is($rc, 0, 'an import that goes up') or print "# $err\n";

# What goes up has to be TOSCA: nothing of another file is shown, nor whether it is there.
spew("$W/out/words.yaml", "root:canary-of-words:1\n  - [ canary\n");
symlink("$W/out/types.yaml", "$W/svc/tlink.yaml");
for my $file ('../out/x', '../out/words.yaml', '../out/sub', '../../../../../../../../etc/passwd') {
	my ($rc, $out, $err) = built('s.yaml', import_of($file));
	ok($rc && $err =~ /error\[E2010\]: there is no file .*hint: outside of the folder of the template a file has to say its/s
		&& "$out$err" !~ /canary|root:x/, "import of $file, which is no TOSCA", "$rc $err");
}
my ($there, $none) = map { my $f = $_; (built('s.yaml', import_of("../out/$f")))[2] =~ s/\Q$f\E/FILE/gr =~ s/^ *\|[ ^~]*\n//mgr } 'secret', 'nobody';
is($there, $none, 'nobody learns whether a file is there that is no TOSCA');
is((built('s.yaml', import_of('../out/words.yaml'), '--allow-dir', "$W/out"))[2] =~ /canary/ ? 1 : 0, 1, 'with --allow-dir it is read');
for my $file ("..$W/out/types.yaml", "../$W/out/types.yaml", '../tlink.yaml', '../folder/types.yaml') {
	my ($rc, $out, $err) = built('s.yaml', import_of($file));
	ok($rc && $err =~ /error\[E20(?:17|10)\]/, 'import as seen from the file: ' . $file =~ s/\Q$W//gr, "$rc $err");
}
mkdir "$W/more";
symlink("$W/out/types.yaml", "$W/more/linked.yaml");
symlink("$W/out/secret", "$W/more/words.yaml");
for my $file ('linked.yaml', 'words.yaml') {
	my ($rc, $out, $err) = built('s.yaml', import_of($file), '-I', "$W/more");
	ok($rc && $err =~ /error\[E2017\]/ && "$out$err" !~ /canary/, "a link below -I that leads out: $file", "$rc $err");
}

# The URL of a repository is looked for above the file, and no farther than its checkout goes.
my $url = 'https://raw.githubusercontent.com/o/r/main/types/t.yaml';
sub checkout {
	my ($name, $make) = @_;
	mkdir "$W/$name";
	mkdir "$W/$name/$_" for 'types', 'r', 'r/a';
	$make->("$W/$name");
	spew("$W/$name/r/a/s.yaml", import_of($url));
	return vetro('check', "$W/$name/r/a/s.yaml");
}
sub types { spew($_[0], slurp("$W/out/types.yaml")) }
for (['a folder above', 'W2003', sub { types("$_[0]/types/t.yaml") }],
	['one beyond the checkout', 'E2015', sub { types("$_[0]/types/t.yaml"); mkdir "$_[0]/r/.git" }],
	['the top of the checkout', 'W2003', sub { mkdir "$_[0]/r/types"; types("$_[0]/r/types/t.yaml"); mkdir "$_[0]/r/.git" }],
	['one that everybody may write to', 'E2015', sub { types("$_[0]/types/t.yaml"); chmod 0777, $_[0] }],
	['a link', 'E2015', sub { symlink("$W/out/types.yaml", "$_[0]/types/t.yaml") }],
	['a folder by a link', 'E2015', sub { rmdir "$_[0]/types"; types("$W/out/t.yaml"); symlink("$W/out", "$_[0]/types") }],
	['no TOSCA', 'E2015', sub { spew("$_[0]/types/t.yaml", "canary: [\n") }]) {
	my ($name, $code, $make) = @$_;
	my ($rc, $out, $err) = checkout('c-' . $name =~ tr/ /-/r, $make);
	my @codes = $err =~ /\[(\w\d+)\]/g;
	ok("@codes" eq $code && $err !~ /canary/, "an import of the network: $name", $err);
}

# ---- a directory, an archive: nothing can be outside

for my $file (@outside[0 .. 4]) {
	spew("$W/svc/s.yaml", operation($file));
	unlink "$W/svc/tlink.yaml";
	my ($rc, $out, $err) = vetro('build', '--emit=c', "$W/svc");
	ok("$out$err" !~ /canary/, 'a directory: ' . $file =~ s/\Q$W//r, "$rc $err");
}
my $zip = "$W/s.csar";
zip_file($zip, ['s.yaml', operation('../out/x')], ['link', "$W/out/secret", { mode => 0120777 }]);
($rc, $out, $err) = vetro('build', '--emit=c', $zip);
ok("$out$err" !~ /canary/, 'an archive', "$rc $err");

# ---- a package

mkdir "$W/$_" for 'p', 'p/Classes', 'p/Resources';
spew("$W/p/manifest.yaml", "Format: '1.4'\nType: Application\nFullName: t.p\nClasses: { t.p.C: C.yaml }\n");
spew("$W/p/Classes/C.yaml", "Name: t.p.C\nMethods: { m: { Body: [ Return: 1 ] } }\n");
symlink("$W/out/secret", "$W/p/Resources/r");
($rc, $out, $err) = vetro('build', '--emit=c', "$W/p");
ok($rc && $err =~ /error\[E0106\]: the link leads out of the package/ && "$out$err" !~ /canary/, 'a package', "$rc $err");

# ---- Yay

symlink("$W/out/inc.yay", "$W/svc/linked.yay");
spew("$W/svc/below.yay", "w: 1\n");
for my $file ('../out/inc.yay', "$W/out/inc.yay", 'linked.yay', "file://$W/out/inc.yay") {
	my ($rc, $out, $err) = built('c.yay', include($file));
	ok($rc && $err =~ /error\[E3009\]: .*leads out of the folder of the configuration/ && "$out$err" !~ /canary/,
		'Yay: ' . $file =~ s/\Q$W//r, "$rc $err");
	($rc, $out, $err) = built('c.yay', include($file), '--allow-dir', "$W/out");
	ok($rc == 0 && $out =~ /canary-of-inc/, 'is taken with --allow-dir', "$rc $err");
}
($rc, $out, $err) = built('c.yay', include('below.yay'));
ok($rc == 0 && $out !~ /canary/, 'what is below is taken, and a link beside it is left out', $err);
done();
