#!/usr/bin/perl
# Floats are words, but for the very small and the very large: columns of them, with integers beside them and with values of
# other kinds among them, give what doubles give. Perl, whose numbers are doubles too, says what that is.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use POSIX qw(fmod);
use Tap;

my $seed = $ENV{SEED} // 20261129;
srand $seed;
print "# SEED=$seed\n";

# Perl multiplies whole doubles as integers.
sub differ { my ($x, $y) = @_; return $x != $y && abs($x - $y) > 2e-16 * abs $y }

sub is_wrong { my ($op, $got, $want) = @_; return $op =~ /[<>]/ ? !$got != !$want : differ($got, $want) }

sub shown { my $d = shift; my $s; for my $k (15 .. 17) { $s = sprintf "%.${k}g", $d; last if $s == $d } return $s =~ /[.en]/ ? $s : "$s.0" }

# A list of n numbers as JSON: floats of a range of exponents, integers, both.
sub numbers {
	my ($n, $how) = @_;
	my @l;
	for (1 .. $n) {
		my $x = (rand(2) - 1) * 2**($how eq 'far' ? int(rand 300) - 150 : int(rand 12));
		push @l, $how eq 'ints' || ($how eq 'mixed' && rand() < 0.4) ? int(rand 2001) - 1000
			: $how eq 'far' && rand() < 0.1 ? (0, '-0.0', '1e150', '0.0')[rand 4]
			: shown($x);
	}
	return @l;
}

my %of = (
	'+' => sub { $_[0] + $_[1] }, '-' => sub { $_[0] - $_[1] }, '*' => sub { $_[0] * $_[1] }, '/' => sub { $_[0] / $_[1] },
	'<' => sub { $_[0] < $_[1] }, '<=' => sub { $_[0] <= $_[1] }, '>' => sub { $_[0] > $_[1] }, '>=' => sub { $_[0] >= $_[1] });
my $int = qr/^-?\d+$/;

# What the language gives for a pair, as a double or a truth; undef: an error.
sub expected {
	my ($op, $x, $y) = @_;
	return undef if $op eq '/' && $y == 0;
	if ($op eq '/' && $x =~ $int && $y =~ $int) { my $q = $x / $y; my $i = int $q; return $q < 0 && $i != $q ? $i - 1 : $i }
	return $of{$op}->($x, $y);
}

for my $how (qw(floats far ints mixed)) {
	for my $with (qw(floats far ints mixed)) {
		my @x = numbers(150, $how);
		my @y = numbers(150, $with);
		my $doc = '[' . join(',', map {"[$x[$_],$y[$_]]"} 0 .. $#x) . ']';
		for my $op (sort keys %of) {
			my @keep = grep { defined expected($op, $x[$_], $y[$_]) } 0 .. $#x;
			my $where = $op eq '/' ? '.where($[1] != 0)' : '';
			my ($rc, $out, $err) = vetro({in => $doc}, 'query', '-c', "\$${where}.select(\$[0] $op \$[1])");
			my $got = $rc == 0 ? decode_json($out) : [];
			my @bad = grep { is_wrong($op, $got->[$_], expected($op, $x[ $keep[$_] ], $y[ $keep[$_] ])) } 0 .. $#keep;
			is(@$got . ' ' . @bad, @keep . ' 0', "$how $op $with") or print map {"# $x[$keep[$_]] $op $y[$keep[$_]]: $got->[$_]\n"} @bad;

			my ($k) = $op eq '/' ? '2.5' : grep { !/e/ } @y; # YAQL has no exponents
			($rc, $out) = vetro({in => $doc}, 'query', '-c', "\$.select(\$[0] $op ($k))");
			$got = $rc == 0 ? decode_json($out) : [];
			@bad = grep { is_wrong($op, $got->[$_], expected($op, $x[$_], $k)) } 0 .. $#x;
			is(@$got . ' ' . @bad, @x . ' 0', "$how $op $k");
		}
	}
	my @x = numbers(200, $how);
	my $doc = '[' . join(',', @x) . ']';
	my ($sum, $least, $most, $whole) = (0, $x[0], $x[0], 0);
	for (@x) { $sum += $_; $least = $_ if $_ < $least; $most = $_ if $_ > $most }
	my ($rc, $out) = vetro({in => $doc}, 'query', '-c',
		'[$.sum(), $.min(), $.max(), $.aggregate($1 + $2), $.orderBy($).first(), $.select([$]).select($.sum()).sum()]');
	my $got = decode_json($out);
	my @want = ($sum, $least, $most, $sum, $least, $sum);
	is(join(' ', map { !differ($got->[$_], $want[$_]) ? 'same' : "$got->[$_] for $want[$_]" } 0 .. $#want),
		join(' ', ('same') x @want), "$how: sums, least and greatest");
	($rc, $out) = vetro({in => $doc}, 'query', '-c', '$.orderBy($)');
	my $sorted = decode_json($out);
	is(scalar(grep { $sorted->[ $_ - 1 ] > $sorted->[$_] } 1 .. $#$sorted), 0, "$how: in order");
}

# Beside what is no number, and as keys.
for (
	['[1.5, null, 2, true].where($ != null).select($ = true)',              '[false,false,true]'],
	['[1.5, 2, 2.0, 1.5, 0.0, -0.0, 0].distinct()',                         '[1.5,2,0.0]'],
	['[1, 1.0, true, 1.5].groupBy($)',                                      '[[1,[1,1.0,true]],[1.5,[1.5]]]'],
	['[1.5 in [1, 1.5], 2.0 in [1, 2], {1.5 => a}.get(1.5), {2 => b}[2.0]]', '[true,true,"a","b"]'],
	['[1.5, 2.5].select(str($) + "x" + str(7))',                            '["1.5x7","2.5x7"]'],
	['["1e-300", "1e300", "5e-324"].select(float($) * 1)',                  '[1e-300,1e+300,5e-324]'],
	['[isNumber(1.5), isInteger(1.5), isString(1.5), bool(0.5), bool(0.0)]', '[true,false,false,true,false]'],
	['[3.0, 1.0].select(int($))',                                           '[3,1]'],
	['[2.0, 0.0].select($ or null)',                                        '[2.0,null]'],
	['1.0 = true and 0.0 = false and not 0.0',                              'true'],
) {
	my ($expr, $want) = @$_;
	my ($rc, $out, $err) = vetro('query', '-n', '-c', $expr);
	is($out, "$want\n", $expr) or print "# $err\n";
}

# Remainders by whole numbers, close to where the quotient is whole, and by others: of the sign of the second.
my @pairs = map {
	my $b = (rand() < 0.8 ? 1 + int rand 2**int(rand 27) : 0.1 + rand 9) * (rand() < 0.5 ? -1 : 1);
	my $a = rand() < 0.5 ? $b * int(rand 1e5) * (1 + (int(rand 3) - 1) * 2**-52) : (rand(2) - 1) * 2**(int(rand 90) - 30);
	[shown($a), shown($b)]
} 1 .. 3000;
spew("$W/pairs.json", '[' . join(',', map { "[$_->[0],$_->[1]]" } @pairs) . ']');
my ($rc, $out) = vetro('query', '-c', '$.select($[0] mod $[1])', "$W/pairs.json");
my @got = @{ JSON::PP->new->decode($out) };
my @bad = grep {
	my ($x, $y) = @{ $pairs[$_] };
	my $r = fmod($x, $y);
	$r += $y if $r != 0 && ($r < 0) != ($y < 0);
	$got[$_] != $r;
} 0 .. $#pairs;
is(join(', ', map { "$pairs[$_][0] mod $pairs[$_][1] = $got[$_]" } @bad), '', 'remainders of floats');
done();
