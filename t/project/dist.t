#!/usr/bin/perl
# `make dist`: the same commit gives the same bytes, wherever, whenever and by whom it is packed.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
skip_all('there is no git repository') if (run_program({}, 'git', '-C', $top, 'rev-parse', '--git-dir'))[0] != 0;

# What was built, in small: the archives are of names, contents and modes, whatever the files are.
sub build_in {
	my ($dir) = @_;
	for ('vetro', 'libvt.a', 'libvtyay.a', 'libvtcloud.a', (map { "include/$_.h" } qw(vt vt_tosca vt_tosca_types vt_yay)),
		'include/runtime.id', 'objects/a.o', 'libvetro.so.0.1.0', 'vetro.cdx.json') {
		my $at = $dir;
		for my $part (split m{/}, s{/?[^/]*\z}{}r) { $at .= "/$part"; mkdir $at }
		spew("$dir/$_", "content of $_\n");
	}
	return;
}

# The archives of a clone, made with another umask and time each.
sub dist {
	my ($name, $umask, $when) = @_;
	my ($clone, $build) = ("$W/$name/vetro", "$W/$name/build");
	mkdir "$W/$name";
	mkdir $build;
	run_program({}, 'git', 'clone', '-q', '--shared', $top, $clone);
	build_in($build);
	run_program({}, 'find', "$W/$name", '-exec', 'touch', '-d', $when, '{}', '+');
	my ($rc, $out, $err) = run_program({ dir => $clone, env => { MAKE => 'make', MAKEFLAGS => '', CONFIG => 'release' } }, 'sh', '-c',
		"umask $umask; exec sh templates/dist.sh '$build' 0.1.0 '$W/$name/out'");
	return ($rc, $out, $err);
}

my ($rc, $sums, $err) = dist('one', '022', '2001-01-01');
is($rc, 0, 'it packs') or print "# $err\n";
is(scalar(() = $sums =~ /^[0-9a-f]{64}  vetro-0\.1\.0(?:\.tar\.gz|-\S+-linux(?:\.tar\.gz|\.cdx\.json))$/mg), 3, 'a source, a binary and what it is made of');
is((dist('two', '077', '2020-02-02'))[1], $sums, 'the same bytes in another folder, with other times and another umask');
my $list = (run_program({}, 'sh', '-c', "tar -tvzf $W/one/out/vetro-0.1.0.tar.gz"))[1];
unlike($list, qr{ (?:build/|\S*/\.git/)}, 'nothing is in the source that was built');
like($list, qr{^-rw-r--r-- 0/0 .* vetro-0\.1\.0/README\.md$}m, 'files belong to nobody and all may read them');
spew("$W/one/out/vetro-0.1.0-x-static.tar.gz", "static\n");
spew("$W/one/out/vetro-0.0.9.tar.gz", "old\n");
run_program({ dir => "$W/one/vetro", env => { MAKE => 'make', MAKEFLAGS => '', CONFIG => 'release' } },
	'sh', 'templates/dist.sh', "$W/one/build", '0.1.0', "$W/one/out");
ok(-e "$W/one/out/vetro-0.1.0-x-static.tar.gz" && !-e "$W/one/out/vetro-0.0.9.tar.gz", 'an archive of make static stays, older ones go');
done;
