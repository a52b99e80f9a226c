#!/usr/bin/perl
# Methods at random in which variables have been given parts of others and of properties, change them, and put them back or not, give
# what they give without the pass that makes changes in place: in loops, behind conditions, where handlers look and lambdas read.
# GIVEN_SEEDS='3 4' chooses others.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my @seeds = split / /, $ENV{GIVEN_SEEDS} // '1 2';
my $n = 60;

sub pick { return $_[int rand @_] }

sub some {
	my ($least, $most, $make) = @_;
	return map { $make->() } 1 .. $least + int rand($most - $least + 1);
}

sub key { return pick('a', 'a', 'b', '$k', '$k', '$q.n', '$w[0]') }
sub root { return pick('$g', '$g', '$h', '$.p', '$.q') }
sub list { return pick('$l', '$m') }
sub value { return pick('$n', '$n', '$n', 1, 7, '$n + 1', '[$n]', '$k') }

sub part {
	my ($k, $r) = (key(), root());
	my @ways = ("$r.get($k, [])", "${r}[$k]", "$r.get($k)", "coalesce($r.get($k), [])");
	push @ways, ("$r.$k") x 2 if $k =~ /^[ab]$/;
	return pick(@ways);
}

sub changed {
	my $v = shift;
	my $x = value();
	return $v . pick(" + [$x]", ' + [$n]', '.append($n)', ".append($x).toList()", ' + [$n, 1]', '.insert(0, $n)', ".replace(0, $x)", '.delete(0)',
		'.skip(1)', '.take(3).toList()', ' + $m.take(2).toList()', '.append($n).append(2)') if rand() < .9;
	return "list($v.append(\$n))";
}

# One statement or a few that belong together.
sub step {
	my ($v, $r, $k, $at, $c) = (list(), root(), key(), pick(0, 1, 0, 1, -3, -2), rand); # -3 is 0 of $st
	return "$v: " . part() if $c < .22;
	return "$v: " . changed($v) if $c < .42;
	return "$v: " . changed(list()) if $c < .5;
	return "$r: $r.set($k, $v)" if $c < .6;
	return "${r}[$k]: $v" if $c < .66;
	return "$r: $r.set($k, " . changed($v) . ')' if $c < .72;
	return "${r}[$k]: " . changed($v) if $c < .75;
	return ('$o: ' . part(), '$l: $o') if $c < .78;
	return pick('$m: $l', '$k: a', '$k: b', '$n: $n + 1') if $c < .82;
	return '$st: [$l, $m, $n]' if $c < .84;
	return ("$v: \$st[$at]", "$v: " . changed($v), '$st: [$l, $m, $n]') if $c < .86;
	return pick('$st: [$st[0] + [$n], $st[1], $n]', '$h: dict(a => $h.a + [$n], b => $h.b)') if $c < .88;
	return '$out: $out + ' . pick('str($g.get(a))', 'str($l)', 'str($.p)', 'str($g.len())', 'str($.q.get(b))', 'str($h.b)',
		'str($st[0])', 'str($st[-3])', 'str($st[-2])') if $c < .91;
	return pick('$g: $g.set(n, $n)', '$g: $g.set($k, $g.get($k) + [$n])') if $c < .93;
	return '$h: ' . pick('$g', '{a => $l, b => $m}', '$h + {a => $l}') if $c < .945;
	return '$x: [1, 2].select($ + ' . pick('$g.get(a).len()', '$l.len()', '$n') . ')' if $c < .96;
	return pick('$l: $.same($l)', '$l: $.look($l)', '$st: $.pair($l, $m)', '$o: $.pair($m, 1)');
}

sub indented { return map {"  $_"} @_ }

# Statements, of so many levels.
sub block {
	my ($deep, $least, $most) = @_;
	return some($least, $most, sub {
		my $c = $deep > 0 ? rand : 1;
		return ('- If: $n mod ' . pick(2, 3) . ' = 0', '  Then:', map({"    $_"} block($deep - 1, 1, 3)),
			rand() < .4 ? ('  Else:', map({"    $_"} block($deep - 1, 1, 2))) : ()) if $c < .08;
		return ('- For: e', '  In: ' . pick('range(3)', '$l', '$g.keys()', '$.p.get(a, [])'), '  Do:', '    - $n: $n + 1',
			map({"    $_"} block($deep - 1, 2, 5))) if $c < .14;
		return ('- Try:', map({"    $_"} block($deep - 1, 1, 4), pick('- $x: $l[$n mod 4]', '- $x: $l.foo', '- $x: 1 / ($n mod 2)')),
			'  Catch:', '    As: e', '    Do:', '      - $out: $out + c', map({"      $_"} block(0, 0, 2))) if $c < .19;
		return ('- If: $n > 40', '  Then:', '    - Return: $out') if $c < .2;
		return map {"- $_"} step();
	});
}

sub method {
	my $name = shift;
	my @body = ('- $.p: {a => [1, 2], b => [3]}', '- $.q: {a => [1, 2], b => [3]}', '- $g: {a => [1, 2], b => [5, 6]}', '- $g: $g.set(c, [3])',
		'- $h: {a => [4], b => []}', '- $l: [9, 8]', '- $m: []', '- $o: 1', '- $k: a', '- $q: {n => b}', '- $w: [a, 1]', '- $out: " "', '- $n: 0',
		'- $st: [[], [], 0]', '- $x: 0', '- For: i', '  In: range(5)', '  Do:', '    - $n: $n + 1', '    - $l: $l.take(7).toList()',
		'    - $m: $m.take(5).toList()', map({"    $_"} block(2, 4, 10)), '- Return: [$out, $g, $h, $l, $m, $o, $st, $x, $.p, $.q]');
	s/^(\s*(?:- )?(?:\$\S+|If|In|Return)): (.+)$/$1: !yaql '$2'/ for @body;
	return "  $name:\n    Scope: Public\n    Body:\n" . join '', map {"      $_\n"} @body;
}

for my $seed (@seeds) {
	srand $seed;
	my $methods = join '', map { method("m$_") } 1 .. $n;
	my $package = package_dir("given$seed", { 'manifest.yaml' => <<'M', 'Classes/Main.yaml' => <<"C" });
Format: 1.4
Type: Library
FullName: t.given
Name: given
Classes: {t.given.Main: Main.yaml}
M
Namespaces: {=: t.given}
Name: Main
Properties:
  p: {Contract: \$, Default: {}, Usage: Runtime}
  q: {Contract: {\$.string(): [\$]}, Default: {}, Usage: Runtime}
Methods:
  same:
    Arguments: [{l: {Contract: \$}}]
    Body:
      - Return: \$l
  look:
    Arguments: [{l: {Contract: \$}}]
    Body:
      - Return: !yaql 'list(\$.p.get(a, [])).append(\$l.len()).toList()'
  pair:
    Arguments: [{l: {Contract: \$}}, {m: {Contract: \$}}]
    Body:
      - Return: !yaql '[\$l + [x], \$m, \$l.len()]'
$methods
C
	my $asked = qq({"op":"load","model":{"Objects":{"?":{"type":"t.given.Main","id":"r"}}}}\n) . join '', map {
		# a site has found its function the second time
		(qq({"op":"call","target":null,"method":"m$_","args":[]}\n)) x 2
	} 1 .. $n;
	spew("$W/given$seed.calls", $asked);
	my @said;
	for my $without ([], ['-fno-update']) {
		my $binary = "$W/given$seed" . @said;
		my ($rc, $out, $err) = vetro({}, 'build', '-O0', @$without, '-o', $binary, $package);
		ok($rc == 0, "seed $seed is built", "$out$err") or last;
		push @said, [split /\n/, scalar qx(ulimit -t 60; "$binary" session < "$W/given$seed.calls")];
		ok($? == 0, "seed $seed runs to its end");
	}
	next if @said < 2;
	my @differ = grep { ($said[0][$_] // '') ne ($said[1][$_] // '') } 1 .. 2 * $n;
	ok(@{ $said[1] } == 2 * $n + 1 && !@differ, "seed $seed: $n methods", map { my $k = $_;
		'm' . int(($k + 1) / 2) . ": " . join ' | ', map { substr $_->[$k] // '', 0, 500 } @said } @differ[0 .. ($#differ > 2 ? 2 : $#differ)]);
}
done();
