#!/usr/bin/env perl
# What binaries need of the machine they run on: every example runs in an empty root.  A static one gets nothing at all, one that
# may reach a cloud gets libc and its loader; what it loads then is named when it is not there.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

skip_all('a sanitized binary loads the libraries of its sanitizer') if ($ENV{CONFIG} // '') =~ /asan|torture/ || $vetro =~ m{/(asan|torture)/};
skip_all('readelf shows what a binary loads') if system('command -v readelf >/dev/null');
delete @ENV{grep { /^OS_|^AMQP_URL$|_proxy$|_PROXY$|^LD_/ } keys %ENV};
my $examples = "$FindBin::Bin/../../examples";
my $libc = qr/^(?:libc|libm|libdl|libpthread|librt)\.so\.\d+$|^ld-linux/;

my $root = "$W/root";
spew("$root/none", '');
unlink "$root/none";
my @into = $> == 0 ? ('/usr/sbin/chroot', $root) : ('unshare', '-r', 'chroot', $root);

# What the loader of a binary looks for: its own path first, then the names of libraries.
sub needed {
	my ($binary) = @_;
	my ($loader) = `readelf -l '$binary'` =~ /interpreter: (\S+?)\]/ or return;
	return ($loader, `readelf -d '$binary'` =~ /\(NEEDED\).*\[(.*)\]/g);
}

sub build {
	my ($name, @args) = @_;
	my ($rc, undef, $err) = vetro('build', '-O0', '-o', "$root/$name", @args);
	is($rc, 0, "$name is built") or print map { "# $_\n" } split /\n/, $err;
	return "$root/$name";
}

# The root gets what the binary needs, and only that.
sub furnish {
	my ($name) = @_;
	my ($loader, @libraries) = needed("$root/$name");
	system('rm', '-rf', map { "$root/$_" } qw(lib lib64 usr));
	return 'nothing' unless $loader;
	is_lines([grep { !/$libc/ } @libraries, 'none'], ['none'], "$name loads libc, and nothing else");
	my ($place) = `ldd '$root/$name'` =~ m{libc\.so\.6 => (\S+)/libc\.so\.6};
	for my $from ($loader, map { "$place/$_" } grep { !/^ld-/ } @libraries) {
		spew("$root$from", slurp($from));
		chmod 0755, "$root$from";
	}
	return 'libc';
}

sub enter {
	my ($env, $name, @args) = @_;
	return run_program({env => $env}, @into, "/$name", @args);
}

my $cloud = qr/^(?:webserver|farm)$/;
my %run = (
	(map { ($_ => ['run', '--model', '/model.json']) } qw(hello fleet inventory)),
	(map { ($_ => ['run', '--dry-run', '--model', '/model.json']) } qw(webserver farm)),
	'tosca-webshop' => ['topology', '--input', 'host=10.0.0.1'],
	yay => []);
# examples/embed is a program in C, which is linked as its Makefile says.
# Those below examples/services run scripts, which an empty root has no shell for; t/tosca/services.t deploys them.
my @names = grep { !/^(?:embed|services)$/ } map { m{([^/]+)$} } glob "$examples/*";
is_lines(\@names, [sort keys %run], 'the examples are known here');

build($names[0], "$examples/$names[0]");
my ($allowed) = enter({}, $names[0], '--version');
if ($allowed) {
	skip('in an empty root', 'nobody may change its root here');
	done();
	exit;
}
for my $name (@names) {
	build($name, $name eq 'yay' ? "$examples/yay/app.yay" : "$examples/$name") if $name ne $names[0];
	is(furnish($name), $name =~ $cloud ? 'libc' : 'nothing', "what $name needs");
	spew("$root/model.json", -e "$examples/$name/model.json" ? slurp("$examples/$name/model.json") : '{}');
	my ($rc, $out, $err) = enter({}, $name, @{ $run{$name} });
	ok($rc == 0 && length $out > 50, "$name runs in a root with that") or print "# $rc $err\n";
}

# ---- what is loaded when a cloud is reached -----------------------------------------------------------------
furnish('webserver');
spew("$root/model.json", slurp("$examples/webserver/model.json"));
my ($rc, $out, $err) = enter({OS_AUTH_URL => 'http://127.0.0.1:1/v3', OS_USERNAME => 'u', OS_PASSWORD => 'p', OS_PROJECT_NAME => 'p'},
	'webserver', 'run', '--model', '/model.json');
is($rc, 1, 'a cloud cannot be reached without libcurl');
like($err, qr/libcurl is not on this machine \(Debian package libcurl4\)/, 'which names the library and its package');

# ---- objects for programs in C ------------------------------------------------------------------------------
build('hello.so', '--shared', "$examples/hello");
is_lines([grep { !/$libc/ } `readelf -d '$root/hello.so'` =~ /\(NEEDED\).*\[(.*)\]/g, 'none'], ['none'], 'a shared object loads libc, and nothing else');
unlike(scalar `readelf -d '$root/hello.so'`, qr/TEXTREL/, 'and its code is not written to when it is loaded');

# ---- where the archives are not -----------------------------------------------------------------------------
# A compiler that knows none: the libraries are loaded, and -v says so.
spew("$W/cc", "#!/bin/sh\ncase \"\$*\" in -print-search-dirs) echo 'libraries: =/nowhere'; exit;; esac\nexec cc \"\$@\"\n");
chmod 0755, "$W/cc";
($rc, $out, $err) = run_program({env => {VETRO_CC => "$W/cc"}}, $vetro, 'build', '-v', '-O0', '-o', "$W/loads", "$examples/webserver");
is($rc, 0, 'it is built without archives');
like($err, qr/vetro: libpcre2-8\.a is not on this machine: the binary loads libpcre2-8\n/, 'what is missing is said');
like(join(' ', needed("$W/loads")), qr/libpcre2-8\.so/, 'and loaded');
# One whose archives are no archives for this.
spew("$W/cc", "#!/bin/sh\ncase \"\$*\" in -print-search-dirs) echo 'libraries: =$W/bad'; exit;; esac\nexec cc \"\$@\"\n");
spew("$W/bad/liblua5.4.a", "no archive\n");
($rc, $out, $err) = run_program({env => {VETRO_CC => "$W/cc"}}, $vetro, 'build', '-v', '-O0', '-o', "$W/loads", "$examples/webserver");
is($rc, 0, 'it is built with archives that cannot be linked');
like($err, qr/vetro: it cannot be linked with archives: the binary loads its libraries\n/, 'which is said');
done();
