#!/usr/bin/perl
# What Debian's packages are made of fits the tree: versions, scripts, what builds link with, and pages. `make check-deb` builds them.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
my $debian = "$top/templates/debian";
my ($version) = slurp("$top/GNUmakefile") =~ /^VERSION := (\S+)/m;
like(slurp("$debian/changelog"), qr/\Avetro \(\Q$version\E-/, 'the changelog has the version of the makefile');
like(slurp("$top/docs/NEWS.md"), qr/^## \Q$version\E$/m, 'and so has the news');
for my $script ("$debian/tests/command", "$debian/vetro-engine.postinst", "$top/templates/deb.sh", glob "$top/t/distros/*.sh") {
	my ($rc, undef, $err) = run_program({}, 'sh', '-n', $script);
	is("$rc$err", '0', ($script =~ s/^\Q$top\E\///r) . ' is a script');
}
my $control = slurp("$debian/control");
my ($needs) = $control =~ /^Package: vetro\n.*?^Depends: (.*?)^Recommends/ms;
my %library = (yaml => 'libyaml-dev', gmp => 'libgmp-dev', 'pcre2-8' => 'libpcre2-dev', expat => 'libexpat1-dev', 'lua5.4' => 'liblua5.4-dev');
my $linked = slurp("$top/compiler/build/toolchain.c");
my @lacking = grep { $linked =~ /"(?:-l)?\Q$_\E"/ && $needs !~ /\b\Q$library{$_}\E\b/ } sort keys %library;
ok(!@lacking, 'the package depends on what binaries are linked with', @lacking);
ok((grep { $linked =~ /"(?:-l)?\Q$_\E"/ } keys %library) > 2, 'which was found');
my ($built) = $control =~ /^Build-Depends: (.*?)^Standards/ms;
my @missing = grep { $built !~ /\b\Q$_\E\b/ } grep { !/^(?:gcc|libc6-dev)$/ } slurp("$top/templates/deps.sh") =~ /^[cho]:\S+ (\S+)$/mg;
ok(!@missing, 'and is built with what make deps installs', @missing);
my @packages = $control =~ /^Package: (\S+)/mg;
my $page = slurp("$top/docs/packages.md");
ok(!(grep { $page !~ /^\| \Q$_\E \|/m } @packages), 'docs/packages.md has each package');
# lintian takes a page with such a line for one that a program has made of its source.
my @long = grep { slurp($_) =~ /^.{512}/m } map { glob "$top/templates/$_" } qw(*.html */*.html);
ok(!@long, 'no line of a page has 512 characters', @long);
done;
