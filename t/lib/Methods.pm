# Random methods of MuranoPL over integers: loops in loops, handlers, calls, properties, and now and then a value that
# is no integer, so that optimised code meets what it does not expect.  Every loop and every recursion is bounded.
package Methods;
use strict;
use warnings;

my @edges = (0, 1, 2, 3, 7, -1, -2, -5, 10, 31, 1000003, 2147483647, -2147483648, 4294967296, 4611686018427387903, -4611686018427387904,
	4611686018427387904, 9223372036854775807, -9223372036854775808);
my @vars = qw(a b c d e);
our $inside = 0; # loops around the statement
my ($methods, $loops);

sub pick { return $_[int rand @_] }

sub number { return rand() < 0.7 ? int(rand 12) - 3 : pick(@edges) }

sub literal {
	my $n = number();
	return $n < 0 ? "($n)" : $n;
}

sub odd { return pick('null', 'true', 'false', '"x"', '1.5', '[1, 2]', '$this', '{a => 1}') }

sub leaf {
	my $r = rand;
	return literal() if $r < 0.3;
	return odd() if $r < 0.303;
	return pick('0.5', '2.0', '3.0') if $r < 0.32;
	return '$.p' if $r < 0.4;
	return '$.q' if $r < 0.42;
	return '$' . pick(@vars);
}

sub call {
	my ($deep) = @_;
	my $m = int rand $methods;
	return sprintf '$.test%d(%s, %s, $depth - %d)', $m, expr($deep), rand() < 0.5 ? 'null' : expr($deep), $inside ? 9 : 1;
}

sub expr {
	my ($deep) = @_;
	return leaf() if $deep <= 0 || rand() < 0.2;
	my $r = rand;
	return '(' . expr($deep - 1) . ' ' . pick(qw(+ + + - -)) . ' ' . expr($deep - 1) . ')' if $r < 0.65;
	return '((' . expr($deep - 1) . ' * ' . expr($deep - 1) . ') mod ' . pick(1000003, 4611686018427387847) . ')' if $r < 0.8;
	return '(' . expr($deep - 1) . ' ' . pick(qw(mod /)) . ' ' . expr($deep - 1) . ')' if $r < 0.82;
	return '(' . expr($deep - 1) . ' ' . pick(qw(mod / mod)) . ' ' . pick(2, 3, 7, 10, 1000003, '(-3)') . ')' if $r < 0.92;
	return '(' . cond($deep - 1) . ')' if $r < 0.922;
	return '(-' . leaf() . ')' if $r < 0.95;
	return leaf();
}

sub cond {
	my ($deep) = @_;
	return 'not (' . cond(0) . ')' if rand() < 0.1;
	return cond(0) . ' ' . pick(qw(and or)) . ' ' . cond(0) if $deep && rand() < 0.15;
	return expr($deep) . ' ' . pick(qw(< < <= > >= = !=)) . ' ' . expr($deep);
}

sub block {
	my ($pad, $deep, $in) = @_;
	return join '', map { statement($pad, $deep, $in) } 1 .. 1 + int rand 3;
}

sub counted {
	my ($pad, $deep) = @_;
	my $k = 'k' . $loops++;
	my $n = 1 + int rand 5;
	my $body = block("$pad    ", $deep - 1, 1);
	my $step = "$pad    - \$$k: \$$k + 1\n";
	return "$pad- \$$k: 0\n$pad- While: \$$k < $n" . (rand() < 0.3 ? ' and ' . cond(1) : '') . "\n$pad  Do:\n" . $step . $body;
}

sub loop {
	my ($pad, $deep) = @_;
	local $inside = $inside + 1;
	my $r = rand;
	return counted($pad, $deep) if $r < 0.6;
	my $body = block("$pad    ", $deep - 1, 1);
	return "$pad- Repeat: " . (1 + int rand 5) . "\n$pad  Do:\n$body" if $r < 0.75;
	my $v = pick(@vars);
	return "$pad- For: $v\n$pad  In: " . pick('range(5)', '[1, 2, 3]', '[4, "x", 5]', 'range(1, 4)') . "\n$pad  Do:\n$body";
}

sub handled {
	my ($pad, $deep, $in) = @_;
	my $text = "$pad- Try:\n" . block("$pad    ", $deep - 1, $in) . "$pad  Catch:\n$pad    As: err\n$pad    Do:\n" . block("$pad      ", $deep - 1, $in);
	$text .= "$pad  Finally:\n" . block("$pad    ", 0, 0) if rand() < 0.4;
	return $text;
}

sub statement {
	my ($pad, $deep, $in) = @_;
	my $r = rand;
	my $v = pick(@vars);
	return "$pad- \$$v: " . expr(3) . "\n" if $r < 0.35 || $deep <= 0;
	return "$pad- \$$v: \$$v " . pick(qw(+ -)) . ' ' . expr(1) . "\n" if $r < 0.45;
	return "$pad- If: " . cond(2) . "\n$pad  Then:\n" . block("$pad    ", $deep - 1, $in) .
		(rand() < 0.5 ? "$pad  Else:\n" . block("$pad    ", $deep - 1, $in) : '') if $r < 0.6;
	return loop($pad, $deep) if $r < 0.78;
	return handled($pad, $deep, $in) if $r < 0.83;
	return "$pad- If: " . cond(1) . "\n$pad  Then:\n$pad    - Throw: Odd\n$pad      Message: odd\n" if $r < 0.85;
	return "$pad- If: " . cond(1) . "\n$pad  Then:\n$pad    - " . pick('Break:', 'Continue:') . "\n" if $r < 0.88 && $in;
	return "$pad- If: " . cond(1) . "\n$pad  Then:\n$pad    - Return: " . expr(1) . "\n" if $r < 0.91;
	return "$pad- \$$v: " . call(1) . "\n" if $r < 0.96;
	return "$pad- \$.p: " . expr(2) . "\n";
}

sub method {
	my ($m) = @_;
	($loops, $inside) = (0, 0);
	my $text = "  test$m:\n    Scope: Public\n    Arguments:\n      - a: {Contract: \$.int()" . (rand() < 0.5 ? '.notNull()' : '') .
		"}\n      - b: {Contract: \$.int()}\n      - depth: {Contract: \$.int().notNull()}\n    Body:\n" .
		"      - If: \$depth < 0\n        Then:\n          - Return: \$a\n";
	$text .= join '', map { "      - \$$_: " . (rand() < 0.2 ? pick('0.5', '2.0', '1.0', '100.25') : literal()) . "\n" } grep { rand() < 0.97 } qw(c d e);
	if (rand() < 0.4) {
		$text .= join '', map { sprintf "      - \$%s: %s\n", pick(@vars), expr(2) } 1 .. int rand 3;
		$text .= "      - Return: " . call(0) . ' ' . pick(qw(+ -)) . ' ' . leaf() . "\n";
	} else {
		$text .= block('      ', 3, 0) . "      - Return: [" . join(', ', map { "\$$_" } @vars) . ", \$.p]\n";
	}
	return $text;
}

# A package of N methods test0.. with arguments a, b, depth, in the directory; the same for the same seed.
sub write_package {
	my ($dir, $seed, $n) = @_;
	srand $seed;
	$methods = $n;
	mkdir $dir;
	mkdir "$dir/Classes";
	open my $f, '>', "$dir/manifest.yaml" or die;
	print $f <<'Y';
Format: 1.4
Type: Application
FullName: random
Name: Random
Description: Random methods
Author: vetro
Tags: []
Classes:
  random.Main: Main.yaml
  random.Heir: Heir.yaml
Y
	close $f;
	open $f, '>', "$dir/Classes/Main.yaml" or die;
	print $f <<'Y';
Namespaces:
  =: random
  std: io.murano
Name: Main
Properties:
  p: {Contract: $, Usage: InOut, Default: 1}
  q: {Contract: $, Usage: InOut, Default: 5}
Methods:
Y
	print $f method($_) for 0 .. $n - 1;
	close $f;
	open $f, '>', "$dir/Classes/Heir.yaml" or die;
	print $f "Namespaces:\n  =: random\nName: Heir\nExtends: Main\nMethods:\n";
	print $f method($_) for grep { $_ % 5 == 0 } 0 .. $n - 1;
	close $f;
}

1;
