#!/usr/bin/perl
# libvetro: what is built is installed into a scratch directory, programs built through its vetro.pc, what the library shows to the world,
# its manual pages, the program in examples/embed; under valgrind where it is at hand and the build has no sanitizer.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
my $build = $ENV{BUILD} || "$top/build/debug";
my $config = $ENV{CONFIG} || 'debug';
my $prefix = '/opt/vetro-test';
my $root = "$W/root";
my @cc = (split(' ', $ENV{CC} || 'cc'), qw(-std=c11 -D_POSIX_C_SOURCE=200809L -g -Wall -Wextra -Werror), "-I$FindBin::Bin/../unit");
push @cc, '-fsanitize=address,undefined' if $config eq 'asan';

sub run {
	my ($out) = ("$W/.run");
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		chdir $W;
		open(STDOUT, '>', $out) && open(STDERR, '>&', \*STDOUT) or exit 126;
		alarm 300;
		exec { $_[0] } @_ or exit 127;
	}
	waitpid($pid, 0);
	my $st = $?;
	open(my $f, '<', $out) or die;
	local $/;
	return ($st & 127 ? "signal " . ($st & 127) : $st >> 8, scalar(<$f>) // '');
}

sub have {
	my ($st) = run('sh', '-c', "command -v $_[0]");
	return $st eq '0';
}

# What the program says becomes our lines.
sub take {
	my ($name, @command) = @_;
	my ($st, $out) = run(@command);
	my $lines = 0;
	for (split /\n/, $out) {
		next if /^#/ || !/^(ok|not ok) - (.*)/;
		$lines++;
		ok($1 eq 'ok', "$name: $2", $out =~ /^not ok - \Q$2\E\n((?:#.*\n)*)/m ? $1 : ());
	}
	ok($st eq '0' && $lines > 0, "$name: ends well", "status $st", $out =~ s/^(?:ok|not ok) .*\n//mgr);
}

# ---- installation
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL)};
my ($st, $out) = run('make', '-s', '-C', $top, "B=$build", "CONFIG=$config", "DESTDIR=$root", "prefix=$prefix", 'install-files');
ok($st eq '0', 'make install', $out);
for (qw(lib/libvetro.so lib/libvetro.so.0 include/vetro.h include/vetro_host.h),
	qw(lib/pkgconfig/vetro.pc share/man/man3/libvetro.3 share/man/man1/vetro.1 bin/vetro)) {
	ok(-s "$root$prefix/$_", "installed: $_");
}
ok(readlink("$root$prefix/lib/libvetro.so") eq 'libvetro.so.0', 'the name for the linker leads to that of the loader');

sub pkg_config {
	local $ENV{PKG_CONFIG_PATH} = "$root$prefix/lib/pkgconfig";
	local $ENV{PKG_CONFIG_SYSROOT_DIR} = $root;
	my ($s, $o) = run('pkg-config', @_);
	chomp $o;
	return $s eq '0' ? $o : undef;
}
my ($cflags, $libs);
if (have('pkg-config')) {
	$cflags = pkg_config('--cflags', 'vetro');
	$libs = pkg_config('--libs', 'vetro');
	like($cflags, qr{-I\S*$prefix/include}, 'pkg-config --cflags');
	like($libs, qr{-L\S*$prefix/lib -lvetro}, 'pkg-config --libs');
	my ($header) = `grep -h VERSION $top/GNUmakefile` =~ /VERSION := (\S+)/;
	is(pkg_config('--modversion', 'vetro'), $header, 'pkg-config --modversion');
}
$cflags //= "-I$root$prefix/include";
$libs //= "-L$root$prefix/lib -lvetro";
$ENV{LD_LIBRARY_PATH} = "$root$prefix/lib";
$ENV{ASAN_OPTIONS} = 'detect_leaks=1' if $config eq 'asan';

# ---- what it shows
my $so = "$root$prefix/lib/libvetro.so.0";
($st, $out) = run('nm', '-D', '--defined-only', $so);
my @shown = map { (split)[2] =~ s/@.*//r } grep { !/ A / } split /\n/, $out;
my @strange = grep { !/^vetro_[a-z]/ } @shown;
ok(@shown > 40 && !@strange, 'no symbol but vetro_*', "@strange");
my $headers = join('', map { slurp("$top/compiler/libvetro/$_") } qw(vetro.h vetro_host.h));
my %declared = map { $_ => 1 } $headers =~ /^VETRO_API\b[^;]*?\b(vetro_\w+)\(/mg;
is(join(' ', sort keys %declared), join(' ', sort @shown), 'all that the headers declare, and nothing else');
($st, $out) = run('readelf', '-d', $so);
like($out, qr/SONAME.*\[libvetro\.so\.0\]/, 'the name carries the version');
ok($out !~ /TEXTREL/, 'no text relocations');
ok($out !~ /RPATH|RUNPATH/, 'no path inside');

# ---- programs
for my $name (qw(api rows texts host object context names operators threads), $config eq 'asan' ? () : 'noexec') {
	($st, $out) = run(@cc, split(' ', $cflags), '-o', "$W/$name", "$FindBin::Bin/../unit/libvetro_$name.c", split(' ', $libs), qw(-lm -pthread));
	ok($st eq '0', "$name: builds", $out) or next;
	take($name, "$W/$name");
}
spew("$W/strict.cc", "#include <vetro_host.h>\nint main() { return vetro_version()[0] == 0; }\n");
if (have('c++')) {
	($st, $out) = run('c++', '-std=c++11', '-Wall', '-Wextra', '-Werror', '-pedantic', split(' ', $cflags), '-fsyntax-only', "$W/strict.cc");
	ok($st eq '0', 'C++ takes the header', $out);
}
# Valgrind and the sanitizers do not go together.
if ($config ne 'asan' && have('valgrind')) {
	take('valgrind', 'valgrind', '-q', '--error-exitcode=9', '--leak-check=full', '--errors-for-leak-kinds=definite', "$W/host");
} else {
	skip('valgrind', 'not at hand, or a build with sanitizers');
}

# ---- the example
($st, $out) = run(@cc, split(' ', $cflags), '-o', "$W/embed", "$top/examples/embed/embed.c", split(' ', $libs));
ok($st eq '0', 'examples/embed builds', $out);
my $stock = "$top/examples/embed/stock.json";
($st, $out) = run("$W/embed", $stock, '$.servers.where($.cpu > 4).select($.name)',
	'$.servers.where($.name != delta and $.memory.bytes() >= $least).select($.memory.bytes()).sum()');
is($out, "[\"alpha\",\"gamma\"]\n103079215104\n", 'examples/embed: filters with its own function and variable');
is($st, 0, 'examples/embed: status');
($st, $out) = run("$W/embed", $stock, '$.servers.select(bytes($.memory))', '$.servers.select($');
like($out, qr/ValueError: 'lots' is no amount of memory/, 'examples/embed: an error of its function');
like($out, qr/YaqlGrammarException: .*\(line 1, column 19\)/, 'examples/embed: an error of the grammar');
is($st, 1, 'examples/embed: status of errors');

# ---- manual pages
if (have('man')) {
	for (qw(man3/libvetro.3 man1/vetro.1)) {
		local $ENV{LC_ALL} = 'C.UTF-8';
		($st, $out) = run('sh', '-c', "man --warnings -l $root$prefix/share/man/$_ 2>&1 >/dev/null");
		ok($st eq '0' && $out eq '', "manual page $_ is without warnings", $out);
	}
	($st, $out) = run('sh', '-c', "MANWIDTH=200 man -l $root$prefix/share/man/man3/libvetro.3 2>/dev/null | cat");
	my @absent = $out =~ /vetro/ ? grep { $out !~ /\b$_\b/ } sort keys %declared : ();
	ok(!@absent, 'libvetro(3) names every function', "@absent");
}
done();
