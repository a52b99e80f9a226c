#!/usr/bin/perl
# How much C a package becomes: what the C compiler costs follows from it. Counts, no times.
use strict;
use warnings;
use File::Temp qw(tempdir);
use FindBin qw($Bin);
use lib "$Bin/../bench/lib";
use Murano;
use Test::More;

my $vetro = $ENV{VETRO} // "$Bin/../../build/release/vetro";
my $dir = tempdir(CLEANUP => 1);

sub lines_of {
	my ($file) = @_;
	open my $f, '<', $file or die "$file: $!\n";
	my @lines = <$f>;
	return scalar @lines;
}

sub c_of {
	my ($package, @options) = @_;
	my $c = qx($vetro build --emit=c @options $package);
	is($?, 0, "@options $package is translated");
	return $c;
}

Murano::make_package("$dir/ten", 10);
my $yaml = 0;
$yaml += lines_of($_) for glob "$dir/ten/Classes/*.yaml";
my $c = c_of("$dir/ten");
my $lines = () = $c =~ /\n/g;
cmp_ok($lines / $yaml, '<', 8, sprintf 'ten classes of ten methods: %.1f lines of C a line of YAML', $lines / $yaml);

my ($one) = $c =~ /^(\/\* ---- c_gen_oC0.c ----.*?)^\/\* ---- /ms;
my $contracts = () = $one =~ /^k_\w+\([^;]*\{$/mg;
is($contracts, 2, 'equal contracts of a class are one function: that of a number, and the list of them');
my $arrays = () = $one =~ /^static const vt_arg a\d+\[\] = (.*)/mg;
my %different = map { $_ => 1 } $one =~ /^static const vt_arg a\d+\[\] = (.*)/mg;
is($arrays, scalar keys %different, 'equal arguments of call sites are one table');
unlike($one, qr/\b[wx]_gen/, 'frames of methods and scopes of lambdas are made by the runtime');

my ($g) = c_of("$dir/ten", '-g') =~ /^(\/\* ---- c_gen_oC0.c ----.*?)^\/\* ---- /ms;
$contracts = () = $g =~ /^k_\w+\([^;]*\{$/mg;
is($contracts, 12, 'a debugger has each of them at its line');

done_testing;
