#!/usr/bin/perl
# The fuzz targets are built only when somebody fuzzes: here the compiler reads them, so that none stays behind the code.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
(my $build = $vetro) =~ s{/[^/]*\z}{};
my $flags = "-std=gnu11 -fsyntax-only -Wall -Wextra -Werror -I. -Iruntime/abi -I$build/gen -I/usr/include/lua5.4";
for my $target (sort glob "$top/t/fuzz/*.c") {
	(my $name = $target) =~ s/.*\///;
	my $said = qx{cd "$top" && cc $flags t/fuzz/$name 2>&1};
	is($said, '', "$name compiles");
}
done();
