#!/usr/bin/perl
# `vetro build --target`: what it says where there is no runtime for a machine, and, after `make target`, binaries of it under qemu-user.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
$ENV{XDG_CACHE_HOME} = "$W/cache";
my ($rc, $out, $err);
for my $name ('../x', '/bin', 'a b', '', '-O2', 'X86', '.hidden', 'a;b') {
	($rc, $out, $err) = vetro('build', "--target=$name", "$top/examples/hello", '-o', "$W/x");
	ok($rc == 2 && $err =~ /--target is a machine as aarch64-linux-gnu, not \Q$name\E\n/ && !-e "$W/x", "no machine: '$name'", $rc, $err);
}
($rc, $out, $err) = vetro('build', '--target=sparc-unknown-none', "$top/examples/hello", '-o', "$W/x");
ok($rc == 4 && !-e "$W/x", 'a machine whose runtime is not here', $rc);
like($err, qr{the runtime library for sparc-unknown-none is not at \S+/sparc-unknown-none/libvt\.a\n.*make target TARGET=sparc-unknown}s,
	'which is said, with the next step');
is((vetro('run', '--target=aarch64-linux-gnu', "$top/examples/hello"))[0], 2, 'run is for this machine');

# A runtime for the machine that there is, under a name of its own: the compiler is NAME-gcc.
my $build = $ENV{BUILD} || "$top/build/debug";
mkdir "$W/$_" for qw(home home/here-linux-gnu bin);
symlink "$build/$_", "$W/home/here-linux-gnu/$_" for qw(libvt.a libvtyay.a include);
spew("$W/bin/here-linux-gnu-gcc", "#!/bin/sh\necho ran >> '$W/ran'\nexec gcc \"\$@\"\n");
chmod 0755, "$W/bin/here-linux-gnu-gcc";
my %env = (VETRO_HOME => "$W/home", PATH => "$W/bin:$ENV{PATH}");
($rc, $out, $err) = vetro({ env => \%env }, 'build', '-O0', '--target=here-linux-gnu', "$top/examples/hello", '-o', "$W/hello");
is("$rc $err", '0 ', 'the runtime and the compiler of the name are taken');
ok(-s "$W/ran", 'the compiler of that name');
like((run_program({}, "$W/hello", 'run', '--model', "$top/examples/hello/model.json"))[1], qr/Good morning, Ada!/, 'and the binary runs');
($rc, $out, $err) = vetro({ env => \%env }, 'build', '--target=other-linux-gnu', "$top/examples/hello", '-o', "$W/x");
like($err, qr/hint: there is one for here-linux-gnu; /, 'those that are here are named');

# Runtimes of other commits: one that says so, and one that is older than the question.
mkdir "$W/home/$_-linux-gnu" for 'new', 'old';
for my $name ('new', 'old') {
	symlink "$build/$_", "$W/home/$name-linux-gnu/$_" for qw(libvt.a libvtyay.a);
	mkdir "$W/home/$name-linux-gnu/include";
	spew("$W/home/$name-linux-gnu/include/$_", slurp("$build/include/$_")) for qw(vt.h vt_tosca.h vt_tosca_types.h vt_yay.h);
}
spew("$W/home/new-linux-gnu/include/runtime.id", "0123456789abcdef\n");
for my $name ('new', 'old') {
	($rc, $out, $err) = vetro({ env => \%env }, 'build', '-O0', "--target=$name-linux-gnu", "$top/examples/hello", '-o', "$W/x");
	ok($rc == 4 && !-e "$W/x", "$name: a runtime of another version", $rc);
	my $home = "$W/home/$name-linux-gnu";
	like($err, qr{for $name-linux-gnu at \Q$home\E is of another version than this vetro\n.*`make target TARGET=$name-linux-gnu` makes it anew},
		'which is said, with the next step');
}
symlink "$build/$_", "$W/home/$_" for qw(libvt.a libvtyay.a);
mkdir "$W/home/include";
symlink "$W/home/new-linux-gnu/include/$_", "$W/home/include/$_" for qw(vt.h vt_tosca.h vt_tosca_types.h vt_yay.h runtime.id);
($rc, $out, $err) = vetro({ env => \%env }, 'build', '-O0', "$top/examples/hello", '-o', "$W/x");
ok($rc == 4 && $err =~ /the runtime library at \S+ is of another version than this vetro\n\s+hint: run `make`/, 'one for this machine', $rc, $err);
unlink "$W/bin/here-linux-gnu-gcc";
($rc, $out, $err) = vetro({ env => \%env }, 'build', '--no-cache', '-O0', '--target=here-linux-gnu', "$top/examples/hello", '-o', "$W/x");
like($err, qr/cannot run the C compiler here-linux-gnu-gcc: .*\n.*install gcc for here-linux-gnu/, 'a compiler that is not there');

my $target = 'aarch64-linux-gnu';
my ($missing) = grep { my $p = $_; !grep { -x "$_/$p" } split /:/, $ENV{PATH} } "$target-gcc", 'qemu-aarch64-static';
if ($missing || !-e "$build/$target/libvt.a") {
	skip("binaries for $target", $missing ? "$missing is not installed" : "make target makes its runtime");
	done;
	exit;
}
($rc, $out, $err) = vetro('build', '-O0', "--target=$target", "$top/examples/hello", '-o', "$W/arm");
is("$rc $err", '0 ', "a binary for $target");
like((run_program({}, 'readelf', '-h', "$W/arm"))[1], qr/Machine: +AArch64/, 'is one');
my @run = ('run', '--model', "$top/examples/hello/model.json");
is((run_program({}, 'qemu-aarch64-static', "$W/arm", @run))[1], (run_program({}, "$W/hello", @run))[1], 'and gives the same');
done;
