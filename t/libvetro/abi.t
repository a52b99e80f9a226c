#!/usr/bin/perl
# What libvetro.so exports and what its headers declare are what compiler/libvetro/vetro.abi says: programs that were
# linked with an older library go on. `ABI=write` writes the file anew.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
my $room = "$top/compiler/libvetro";
my $build = $ENV{BUILD} || "$top/build/debug";

# The lines of a header: a prototype each, a value of an enumeration each, a member of a structure each.
sub lines_of {
	my ($name) = @_;
	my $text = slurp("$room/$name");
	$text =~ s{/\*.*?\*/}{ }gs;
	$text =~ s/^\s*#.*(?:\\\n.*)*//mg;
	my @out;
	while ($text =~ /\bVETRO_API\b\s*([^;]+);/g) {
		my $p = $1;
		$p =~ s/\bVETRO_PRINTF\([^)]*\)//;
		$p =~ s/\s+/ /g;
		push @out, "function $p" =~ s/ $//r;
	}
	while ($text =~ /\benum\s*(\w*)\s*\{([^}]*)\}/g) {
		my $next = 0;
		for my $member (grep { /\S/ } split /,/, $2) {
			my ($key, $value) = $member =~ /(\w+)\s*(?:=\s*(.*\S))?/s;
			$next = $value =~ /^-?\d+$/ ? $value : eval $value =~ s/[UL]+\b//gr if defined $value;
			push @out, "value $key = $next";
			$next++;
		}
	}
	while ($text =~ /\btypedef\s+struct\s+(\w+)\s*\{([^}]*)\}/g) {
		my ($struct, $members) = ($1, $2);
		push @out, map { "member $struct: " . s/\s+/ /gr =~ s/^ | $//gr } grep { /\S/ } split /;/, $members;
	}
	return @out;
}

my @headers = map { lines_of($_) } qw(vetro.h vetro_host.h);
my %declared = map { /^function .*?\b(vetro_\w+)\(/ ? ($1 => 1) : () } @headers;
my @exported = map { /^[0-9a-f]+ [TDBRVW] (\w+)/ ? $1 : () } split /\n/, `nm -D --defined-only $build/libvetro.so 2>/dev/null`;
my $now = join '', map { "$_\n" } @headers;
spew("$room/vetro.abi", $now) if ($ENV{ABI} || '') eq 'write';

ok(@headers > 100, 'the headers are read', scalar @headers);
is_lines([sort @exported], [sort keys %declared], 'libvetro.so exports what the headers declare, and nothing else');
my $before = slurp("$room/vetro.abi");
my %now = map { $_ => 1 } split /\n/, $now;
my @gone = grep { !$now{$_} } split /\n/, $before;
is("@gone", '', 'nothing is gone or changed: else the library needs another soname');
is_lines(\@headers, [split /\n/, $before], 'what is new stands in vetro.abi (ABI=write)');
done;
