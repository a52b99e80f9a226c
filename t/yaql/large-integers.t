#!/usr/bin/perl
# Arithmetic and comparison of integers of all sizes, above all around the ends of words of the machine and of the numbers that
# are computed on the stack; Perl's Math::BigInt says what is right. Quotients go to minus infinity, as Python's do.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Math::BigInt;
use Tap;

my $seed = $ENV{INTEGERS_SEED} // 7;
srand $seed;
my @sizes = (0, 1, 5, 61 .. 65, 100, 126 .. 129, 190 .. 193, 256, 500, 1000, 1023 .. 1025, 1090, 2000);

sub number {
	my $bits = $sizes[rand @sizes];
	my $n = Math::BigInt->new(2)->bpow($bits);
	my $how = rand;
	if ($how > 0.4) {
		$n = Math::BigInt->from_hex(join '', map { sprintf '%x', rand 16 } 0 .. $bits / 4);
	} elsif ($how > 0.2) {
		$n -= 1;
	}
	return rand() < 0.4 ? -$n : $n;
}

my %do = (
	'+' => sub { $_[0] + $_[1] },
	'-' => sub { $_[0] - $_[1] },
	'*' => sub { $_[0] * $_[1] },
	'/' => sub { $_[0]->copy->bdiv($_[1]) },
	'mod' => sub { $_[0]->copy->bmod($_[1]) },
	'<' => sub { $_[0] < $_[1] },
	'<=' => sub { $_[0] <= $_[1] },
	'>' => sub { $_[0] > $_[1] },
	'=' => sub { $_[0] == $_[1] },
);
my @ops = sort keys %do;

# Three and four words by two have a way of their own: the divisor's highest bit anywhere, quotients of which words are full or empty.
sub by_two {
	my $ones = Math::BigInt->new(2)->bpow(64) - 1;
	my $y = Math::BigInt->from_hex(join '', map { sprintf '%x', rand 16 } 0 .. 31)->brsft(int rand 64);
	$y = rand() < 0.5 ? $y->blsft(64)->bmod(Math::BigInt->new(2)->bpow(128)) : $y | $ones if rand() < 0.3;
	$y = Math::BigInt->new(2)->bpow(64 + int rand 64) - int(rand 2) if rand() < 0.2 || $y <= $ones;
	my $q = rand() < 0.5 ? $ones * (1 + int rand 3) : Math::BigInt->from_hex(join '', map { sprintf '%x', rand 16 } 0 .. 15 + int rand 16);
	my $x = $y * $q + (rand() < 0.5 ? $y - 1 - int(rand 2) : int rand 2);
	my $sign = rand() < 0.7 ? 1 : -1;
	return ($x * $sign, $y * (rand() < 0.8 ? $sign : -$sign));
}
my $json = JSON::PP->new->canonical->allow_nonref->allow_bignum;
my (@asked, @want);
while (@asked < 4000) {
	my ($x, $y) = (number(), number());
	$y = $x->copy->bmul(rand() < 0.5 ? 1 : -1)->badd(int(rand 3) - 1) if rand() < 0.15;
	my $op = $ops[rand @ops];
	(($x, $y), $op) = (by_two(), 'mod') if @asked % 3 == 0;
	next if $op =~ /^(?:\/|mod)$/ && $y->is_zero;
	push @asked, "($x) $op ($y)";
	my $r = scalar $do{$op}->($x, $y);
	push @want, ref $r ? $r->bstr : $r ? 'true' : 'false';
}
my (undef, $out) = vetro({ in => join '', map { $json->encode({ expr => $_ }) . "\n" } @asked }, 'query', '--batch');
my @got = split /\n/, $out;
is(scalar @got, scalar @asked, 'each is answered');
my @wrong;
for my $i (0 .. $#got) {
	my $v = $json->decode($got[$i])->{value};
	my $text = ref $v eq 'HASH' ? $v->{'$int'} : JSON::PP::is_bool($v) ? ($v ? 'true' : 'false') : "$v";
	push @wrong, "$asked[$i]: $text, not $want[$i]" if $text ne $want[$i];
}
is(join("\n", splice @wrong, 0, 5), '', "all are right (INTEGERS_SEED=$seed)");
done();
