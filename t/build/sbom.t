#!/usr/bin/perl
# `vetro build --sbom`: what a binary is made of, in CycloneDX 1.5. The fields that its schema requires, for all kinds of sources.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Digest::SHA;
use JSON::PP;
use Tap;

delete $ENV{SOURCE_DATE_EPOCH};
my $sanitized = ($ENV{CONFIG} // '') =~ /asan|torture/ || $vetro =~ m{/(asan|torture)/};
my $examples = "$FindBin::Bin/../../examples";

sub sha256 { return Digest::SHA->new(256)->addfile($_[0])->hexdigest }

sub sbom {
	my ($out, @args) = @_;
	my ($rc, undef, $err) = vetro({limit => 300}, 'build', '-O0', '-o', "$W/$out", '--sbom', "$W/$out.json", @args);
	is($rc, 0, "$out is built") or print map { "# $_\n" } split /\n/, $err;
	return eval { decode_json(slurp("$W/$out.json")) } // {};
}

# What bom-1.5.schema.json requires of the members that are written, and the patterns and names that it has for them.
my %types = map { $_ => 1 } qw(application framework library container platform operating-system device device-driver firmware file
	machine-learning-model data);
sub faults {
	my ($d) = @_;
	my (@bad, %ref);
	my $check = sub { push @bad, $_[1] unless $_[0] };
	my %known = map { $_ => 1 } qw($schema bomFormat specVersion serialNumber version metadata components dependencies);
	$check->($known{$_}, "unknown member $_") for keys %$d;
	$check->($d->{bomFormat} eq 'CycloneDX' && $d->{specVersion} eq '1.5' && $d->{version} =~ /^[1-9]\d*$/, 'head');
	$check->($d->{serialNumber} =~ /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'serial number');
	for my $c (@{ $d->{components} }, $d->{metadata}{component}, @{ $d->{metadata}{tools}{components} }) {
		my $name = $c->{name} // '(no name)';
		$check->($types{ $c->{type} // '' }, "$name: type");
		$check->(length $name && !ref $name, "$name: name");
		$check->(length($c->{'bom-ref'} // '') && !$ref{ $c->{'bom-ref'} }++, "$name: bom-ref");
		$check->(($c->{scope} // 'required') =~ /^(?:required|optional|excluded)$/, "$name: scope");
		$check->($_->{alg} eq 'SHA-256' && $_->{content} =~ /^[0-9a-f]{64}$/, "$name: hash") for @{ $c->{hashes} // [] };
		$check->((keys %$_ == 1) && ($_->{expression} || $_->{license}{id}), "$name: licence") for @{ $c->{licenses} // [] };
		$check->(!defined $c->{purl} || $c->{purl} =~ m{^pkg:generic/[\w.~%-]+(?:@[\w.~%-]+)?$}, "$name: purl");
		$check->(length($_->{name} // '') && defined $_->{value}, "$name: property") for @{ $c->{properties} // [] };
		my %may = map { $_ => 1 } qw(type bom-ref name version description scope hashes licenses purl properties);
		$check->($may{$_}, "$name: unknown member $_") for keys %$c;
	}
	my %told;
	for my $dep (@{ $d->{dependencies} }) {
		$check->($ref{ $dep->{ref} // '' } && !$told{ $dep->{ref} }++, 'dependency of nothing, or twice');
		$check->($ref{$_}, "dependency on nothing: $_") for @{ $dep->{dependsOn} };
	}
	$check->($told{application}, 'nothing is said of the application');
	return @bad;
}

sub named {
	my ($d, $name, $type) = @_;
	my ($c) = grep { $_->{name} eq $name && $_->{type} eq ($type // 'library') } @{ $d->{components} };
	return $c // {};
}

# ---- the three kinds ----------------------------------------------------------------------------------------
my $fleet = sbom('fleet', "$examples/fleet");
my $shop = sbom('shop', "$examples/tosca-webshop");
my $yay = sbom('yay', "$examples/yay/app.yay");
my $web = sbom('web', "$examples/webserver");
for my $d ([fleet => $fleet], [shop => $shop], [yay => $yay], [web => $web]) {
	my ($name, $sbom) = @$d;
	is(join('; ', faults($sbom)) || 'none', 'none', "$name: what the schema requires is there");
	is($sbom->{metadata}{component}{hashes}[0]{content}, sha256("$W/$name"), "$name: the hash of the binary");
	my @files = grep { $_->{type} eq 'file' } @{ $sbom->{components} };
	ok(@files >= 2, "$name: its files");
	my %sums = map { sha256($_) => 1 } grep { -f } glob("$examples/*/*.y*ml $examples/*/*.meta $examples/*/*.yay $examples/*/*/*");
	ok(!(grep { !$sums{ $_->{hashes}[0]{content} } } @files), "$name: with their hashes");
	is(named($sbom, 'vetro')->{version}, (vetro('--version'))[1] =~ /(\d+(?:\.\d+)+)/, "$name: the runtime and its version");
}
is($fleet->{metadata}{component}{name}, 'example.fleet', 'a package has its own name');
is($fleet->{metadata}{component}{version}, '0.1.0', 'and version');
is(named($fleet, 'example.fleet')->{purl}, 'pkg:generic/example.fleet@0.1.0', 'packages are components');
is(join(' ', sort map { $_->{name} =~ s{.*/}{}r } grep { $_->{type} eq 'file' } @{ $yay->{components} }), 'app.yay production.yay staging.yay',
	'files of a configuration');
for my $d ([shop => $shop], [yay => $yay]) {
	like($d->[1]{metadata}{component}{version}, qr/^sha256-[0-9a-f]{16}$/, "$d->[0]: without a version the contents are one");
	like($d->[1]{metadata}{component}{purl}, qr/\@sha256-[0-9a-f]{16}$/, 'in its purl too');
}
ok($shop->{metadata}{component}{version} ne $yay->{metadata}{component}{version}, 'other contents are another one');
my $versioned = "tosca_definitions_version: %s\n%s\n%s: { node_templates: {} }\n";
for (['tosca_2_0', "metadata: { template_version: '2.1-rc3' }", 'service_template', '2.1-rc3'], ['tosca_2_0', 'metadata: { template_version: 4.0 }',
	'service_template', '4.0'], ['tosca_simple_yaml_1_3', 'template_version: 1.2.3', 'topology_template', '1.2.3'],
	['tosca_simple_yaml_1_3', 'metadata: { template_version: 7 }', 'topology_template', '7']) {
	spew("$W/versioned.yaml", sprintf $versioned, @$_[0 .. 2]);
	is(sbom('versioned', "$W/versioned.yaml")->{metadata}{component}{version}, $_->[3], "$_->[0], $_->[1]");
}
{
	my $sum = sub { spew("$W/c.yay", "a: $_[0]\n"); return sbom('c', "$W/c.yay")->{metadata}{component}{version} };
	my @three = map { $sum->($_) } 1, 2, 1;
	ok($three[0] ne $three[1] && $three[0] eq $three[2], 'the version follows the contents', @three);
}
if ($sanitized) {
	skip('libraries', 'a sanitized binary has others');
} else {
	my $gmp = named($fleet, 'gmp');
	like($gmp->{version}, qr/^\d+\.\d+/, 'a library has its version');
	is($gmp->{licenses}[0]{expression}, 'LGPL-3.0-or-later OR GPL-2.0-or-later', 'its licence is known');
	is($gmp->{properties}[0]{value}, 'in the binary', 'how it is linked');
	is(named($web, 'curl')->{properties}[0]{value}, 'loaded when a cloud is reached', 'what is loaded later is marked');
	ok(!exists named($web, 'curl')->{version} && named($web, 'curl')->{scope} eq 'optional', 'and has no version yet');
	is(named($web, 'glibc')->{properties}[0]{value}, 'loaded when the binary starts', 'and what is loaded at once');
	is(named($fleet, 'glibc')->{properties}[0]{value}, 'in the binary', 'or not at all');
	ok(!%{ named($fleet, 'curl') }, 'a binary that reaches no cloud has no libcurl');
}
my $so = sbom('fleet.so', '--shared', "$examples/fleet");
is(join('; ', faults($so)) || 'none', 'none', 'a shared object');
is($so->{metadata}{component}{type}, 'library', 'is a library');

# A package that requires another one, from an archive too.
package_dir('lib', {'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.lib\nVersion: 1.2.3\nClasses: {t.L: L.yaml}\n",
	'Classes/L.yaml' => "Name: t.L\n"});
package_dir('app', {'manifest.yaml' => "Format: 1.4\nType: Application\nFullName: t.app\nVersion: 2.0.0\nRequire: {t.lib: '>=1'}\nClasses: {t.A: A.yaml}\n",
	'Classes/A.yaml' => "Name: t.A\nExtends: t.L\n"});
my $app = sbom('app.bin', '-I', "$W/lib", "$W/app");
is(named($app, 't.lib')->{version}, '1.2.3', 'the version of a package that is required');
my ($on) = grep { $_->{ref} eq 'package:t.app@2.0.0' } @{ $app->{dependencies} };
is_json($on->{dependsOn}, ['package:t.lib@1.2.3'], 'who requires it');
is($app->{metadata}{component}{version}, '2.0.0', 'the version of the application');
is(join('; ', faults($app)) || 'none', 'none', 'it is valid');

# ---- the same contents, the same text -----------------------------------------------------------------------
for my $place ('one', 'two') {
	mkdir "$W/$place";
	system('cp', '-r', "$examples/fleet", "$W/$place/fleet");
}
sbom('fleet', "$W/one/fleet");
my $first = slurp("$W/fleet.json");
sbom('fleet', "$W/two/fleet");
is(slurp("$W/fleet.json"), $first, 'it does not know where or when it was built');
{
	local $ENV{SOURCE_DATE_EPOCH} = 86400;
	my $dated = sbom('fleet', "$examples/fleet");
	is($dated->{metadata}{timestamp}, '1970-01-02T00:00:00Z', 'SOURCE_DATE_EPOCH gives the time');
	ok($dated->{serialNumber} ne decode_json($first)->{serialNumber}, 'and another serial number');
}
for my $epoch ('x', '-1', '1e9', '99999999999999999999') {
	my ($rc, undef, $err) = vetro({env => {SOURCE_DATE_EPOCH => $epoch}}, 'build', '-O0', '-o', "$W/no", '--sbom', "$W/no.json", "$examples/fleet");
	ok($rc && !-e "$W/no.json" && !-e "$W/no", "SOURCE_DATE_EPOCH=$epoch is refused");
	like($err, qr/error\[E0905\]: SOURCE_DATE_EPOCH is no number of seconds/, 'clearly');
}
my ($rc, undef, $err) = vetro('build', '-O0', '-o', "$W/no", '--sbom', "$W/nowhere/x.json", "$examples/fleet");
ok($rc && !-e "$W/no", 'without a place for it there is no binary');
like($err, qr{error\[E0905\]: \Q$W\E/nowhere/x\.json cannot be written: No such file}, 'and that is said');
for my $file ("$W/no", "$W/two/../no") {
	($rc, undef, $err) = vetro('build', '-O0', '-o', "$W/no", '--sbom', $file, "$examples/fleet");
	ok($rc && !-e "$W/no", 'it is not the binary');
	like($err, qr{error\[E0905\]: \Q$file\E cannot be written: it is the binary}, 'which is said');
}
my $manifest = slurp("$W/two/fleet/manifest.yaml");
($rc, undef, $err) = vetro('build', '-O0', '-o', "$W/no", '--sbom', "$W/two/fleet/manifest.yaml", "$W/two/fleet");
ok($rc && slurp("$W/two/fleet/manifest.yaml") eq $manifest, 'no source is replaced');
like($err, qr{cannot be written: it is what is built from}, 'and that is said');

# ---- vetro itself ---
if ($sanitized || !$ENV{BUILD} || $ENV{BUILD} !~ m{^(.*)/build/(\w+)/?$}) { skip('make sbom', 'it is for a build of vetro without a sanitizer') }
else {
	my ($top, $config) = ($1, $2);
	delete local @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES)};
	my ($rc, undef, $err) = run_program({ dir => $top, limit => 600 }, 'make', '-s', "CONFIG=$config", 'sbom');
	is($rc, 0, 'make sbom') or print "# $err\n";
	my $vetro = eval { decode_json(slurp("$top/build/$config/vetro.cdx.json")) } // {};
	is(join('; ', faults($vetro)) || 'none', 'none', 'what the schema requires is there');
	is($vetro->{metadata}{component}{hashes}[0]{content}, sha256("$top/build/$config/vetro"), 'the hash of vetro');
	is($vetro->{metadata}{component}{version}, (vetro('--version'))[1] =~ /(\d+(?:\.\d+)+)/, 'and its version');
	my ($tcc) = grep { $_->{name} eq 'tinycc' } @{ $vetro->{components} };
	ok(!$tcc || $tcc->{version} =~ /^0\.9\.\d+$/, 'libtcc tells its version', $tcc->{version});
	my @without = map { $_->{name} } grep { $_->{type} eq 'library' && !$_->{version} && $_->{scope} eq 'required' } @{ $vetro->{components} };
	is("@without", '', 'and so does every library that it needs');
	ok((grep { $_->{name} =~ m{runtime/core/base\.c$} } @{ $vetro->{components} }), 'its sources are named');
}

# ---- names of any bytes -------------------------------------------------------------------------------------
package_dir('odd', {'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: t.odd\nClasses: {t.O: O.yaml}\n",
	'Classes/O.yaml' => "Name: t.O\nMethods:\n  f:\n    Usage: Static\n    Scope: Public\n    Body:\n      - Return: 1\n", "Resources/a\xff\"<\n" => 'x'});
my $odd = sbom('odd.bin', "$W/odd");
is(join('; ', faults($odd)) || 'none', 'none', 'it is valid');
ok((grep { $_->{name} =~ m{/a%FF"<\n$} } @{ $odd->{components} }), 'a name that is no UTF-8 is written as text');
is((vetro('build', '--emit=c', '--sbom', "$W/no.json", "$examples/fleet"))[0], 2, 'what makes no binary has none');
done();
