#!/usr/bin/perl
# The order of rows by columns (runtime/seq/sort.c) is that of comparing: numbers and texts of all lengths, up and down, keys behind
# keys, and equal rows as they stood.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my @columns = (
	['few', sub { int rand 3 }],
	['small', sub { int(rand 2000) - 1000 }],
	['wide', sub { (int(rand 2) ? 1 : -1) * (int(rand 2 ** 30) << 32 | int(rand 2 ** 32)) }],
	['far', sub { (-4_000_000_000_000_000_000, -1, 0, 1, 4_000_000_000_000_000_000)[rand 5] }],
	['letter', sub { ('', 'a', 'b', 'aa')[rand 4] }],
	['name', sub { sprintf 'node-%03d', rand 400 }],
	['long', sub { 'the same beginning of it ' . join '', map { chr(97 + rand 3) } 1 .. rand 12 }],
	['part', sub { 'begin ' . 'abcdefgh' x rand(3) . pick('', 'a', 'b', 'ba') }],
	['float', sub { (int(rand 4000) - 2000) / 8 }],
	['half', sub { pick(-0.5, 0, 0.5, 1, 1.5, 2, -3, 1e300, -1e300, 2**40 + 0.25) }],
	['zero', sub { 'x' . "\0" x rand 4 }],
	['gap', sub { pick(undef, int rand 9) }],
	['rgap', sub { pick(undef, rand(9) - 4, 2) }],
	['notext', sub { pick(undef, '', 'a', 'abcdefghijkl', 'abcdefghijk') }],
	['void', sub { undef }],
	['levels', sub { join '/', map { 'level' . 'abcdefgh' x int rand 2 } 0 .. rand 5 }],
	['bytes', sub { join '', map { pick("\x01", 'a', "\x7f", "\x{e9}", "\x{20ac}", "\x{10ffff}") } 1 .. 3 }],
);
sub pick { return $_[rand @_] }

# Code points are in the order of the bytes of UTF-8.
sub ordered {
	my ($rows, @keys) = @_;
	my $compare = sub {
		my ($x, $y) = @_;
		for my $k (@keys) {
			my ($name, $down, $is_text) = @$k;
			my $c = 0;
			$c = defined $x->{$name} <=> defined $y->{$name} if !defined $x->{$name} || !defined $y->{$name};
			$c = $is_text ? $x->{$name} cmp $y->{$name} : $x->{$name} <=> $y->{$name} if defined $x->{$name} && defined $y->{$name};
			return $down ? -$c : $c if $c;
		}
		return $x->{id} <=> $y->{id};
	};
	return [map { $_->{id} } sort { $compare->($a, $b) } @$rows];
}

srand($ENV{SORT_SEED} || 1);
my (@asked, @want);
for my $n (0, 1, 2, 3, 31, 32, 33, 64, 65, 700) {
	my @rows = map { my $id = $_; +{ id => $id, map { $_->[0] => $_->[1]->() } @columns } } 1 .. $n;
	for my $case (1 .. 20) {
		my @keys = map { my $c = $columns[rand @columns]; [$c->[0], int rand 2, $c->[0] =~ /^[lnbpz]/ ? 1 : 0] } 1 .. 1 + rand 4;
		@keys = [$columns[$case - 1][0], $n % 2, $columns[$case - 1][0] =~ /^[lnbpz]/ ? 1 : 0] if $case <= @columns;
		my $expr = '$';
		for my $k (@keys) {
			$expr .= ($expr eq '$' ? '.orderBy' : '.thenBy') . ($k->[1] ? 'Descending' : '') . "(\$.$k->[0])";
		}
		push @asked, [$expr . '.select($.id)', \@rows];
		push @want, ordered(\@rows, @keys);
	}
}
# A text that ends, and one that goes on with a zero; texts that differ behind the eight bytes of a word.
for my $texts (["x", "x\0"], ["x\0", "x"], ["xabcdefghb", "xabcdefgha", "y"], ["xabcdefgh", "xabcdefgha", "x"]) {
	my @rows = map { +{ id => $_, text => $texts->[$_] } } 0 .. $#$texts;
	for my $down (0, 1) {
		push @asked, ['$.orderBy' . ($down ? 'Descending' : '') . '($.text).select($.id)', \@rows];
		push @want, ordered(\@rows, ['text', $down, 1]);
	}
}
my $input = join '', map { $json->encode({ expr => $_->[0], data => $_->[1] }) . "\n" } @asked;
my ($rc, $out, $err) = vetro({ in => $input }, 'query', '--batch');
my @got = map { $json->decode($_)->{value} } split /\n/, $out;
is(scalar @got, scalar @want, 'every question is answered');
is_json($got[$_], $want[$_], scalar(@{ $asked[$_][1] }) . " rows: $asked[$_][0]") for 0 .. $#want;
done();
