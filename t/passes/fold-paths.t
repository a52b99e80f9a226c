#!/usr/bin/perl
# Folds that change what lies at a path in $1, that keep lists and records of several parts, or that merge: programs, which
# change it in its place, and code give the same.  SEEDS='1 2 3' and CASES=500 make others.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;
use Programs;

my $json = JSON::PP->new->canonical->allow_nonref;
my @seeds = split ' ', $ENV{SEEDS} // '1 2';
my $count = $ENV{CASES} // 300;

sub pick { return $_[int rand @_] }

sub item {
	my ($odd) = @_;
	my $r = { id => int rand 40, s => pick(qw(a b c dd)), w => pick('x', 'y', 'é', 'long enough for a word'),
		f => rand() < 0.3 ? 0.5 + int rand 4 : int rand 9 };
	$r->{l} = [map { int rand 6 } 1 .. rand 4];
	$r->{d} = { map { $_ => int rand 5 } grep { rand() < 0.5 } qw(x y z) };
	$r->{dl} = { map { $_ => [map { int rand 4 } 0 .. rand 3] } qw(x y) };
	$r->{pick(qw(id s w f l d))} = pick(undef, 5, 'text', [], {}, 2.5) if $odd && rand() < 0.1;
	delete $r->{w} if $odd && rand() < 0.05;
	return $r;
}

# A key of the item, a value of the item.
sub key { return pick('$2.s', '$2.s', '$2.w', '$2.id mod 3', '$2.s + "k"', '$2.w.substring(0, 1)', 'k', '"a"', 'str($2.id mod 4)') }
sub value { return pick('1', '$2.f', '$2.id', '$2.s', '$2.l', '[$2.id]', '$2.d', 'null', '0.5', '"t"') }

# What becomes of what lies at a path, `at` with its default, by $1 and $2 alone.
sub made_of {
	my ($get) = @_;
	return (pick('0', '0', '1.5', 'null'), pick("$get + 1", "$get + \$2.f", "$get + \$2.id", "max($get, \$2.f)", "min($get, \$2.id)",
		"$get * 2 - \$2.id", "switch($get = null => \$2.f, \$2.id > 20 => $get, true => $get + 1)",
		"coalesce($get, 1) + \$2.id", "[$get, \$2.id]")) if rand() < 0.4;
	return (pick('[]', '[]', '[1]', '[[2]]'), pick("$get + [\$2.id]", "$get + [\$2.id]", "$get + [\$2.s, \$2.l]",
		"$get + \$2.l",
		"$get.append(\$2.f).toList()", "switch(\$2.id in $get => $get, true => $get + [\$2.id])",
		"$get.where(\$ != 3).toList() + [\$2.id]", "$get.limit(2).toList()", "[\$2.id] + $get")) if rand() < 0.5;
	return ('set()', pick("$get.add(\$2.s)", "$get.add(\$2.id)", "$get.add(\$2.id, \$2.s)", "$get.union(set(\$2.s))", "$get.union(\$2.l.toSet())"))
		if rand() < 0.3;
	return ('""', pick("$get + \$2.s", "$get + \$2.s + \";\"", "max($get, \$2.s)", "min($get, \$2.s)", "$get.toUpper() + \$2.s")) if rand() < 0.5;
	return ('{}', pick("$get + {\$2.w => \$2.id}", "$get.set(\$2.w, \$2.f)", "$get + \$2.d", "$get.mergeWith(\$2.d)", "$get.mergeWith(\$2.dl)"));
}

# A change of what lies below as many keys.
sub path {
	my ($deep, $at) = @_;
	my ($k) = key();
	my $k2 = rand() < 0.9 ? $k : key();
	if ($deep == 1) {
		my ($none, $made) = made_of('@');
		my $get = $none eq 'null' && rand() < 0.5 ? "$at.get($k2)" : "$at.get($k2, $none)";
		$get = "coalesce($at.get($k2), $none)" if rand() < 0.1;
		$made =~ s/\@/$get/g;
		$made = value() if rand() < 0.1;
		return rand() < 0.7 ? "$at.set($k, $made)" : "$at + {$k => $made}";
	}
	my $none = rand() < 0.9 ? '{}' : pick('{b => {}}', '{x => 1}');
	my $inner = path($deep - 1, "$at.get($k2, $none)");
	return rand() < 0.7 ? "$at.set($k, $inner)" : "$at + {$k => $inner}";
}

sub parts {
	my @names = qw(a b c);
	my $n = 1 + int rand 3;
	my $record = rand() < 0.6;
	my $of = sub { my ($at) = @_;
		pick($at, "$at + [\$2.id]", "$at + [\$2.id]", "$at + [\$2.s, \$2.l]", "$at + \$2.l", "$at.limit(3).toList() + [\$2.f]") };
	my @of = map { $of->($record ? "\$1.$names[$_]" : "\$1[$_]") } 0 .. $n - 1;
	my @seed = ('[]') x $n;
	if (rand() < 0.5) {
		my $at = $record ? "\$1.n" : "\$1[$n]";
		push @of, pick("$at + 1", "$at + \$2.f", "max($at, \$2.id)");
		push @seed, 0;
	}
	my @keys = (@names[0 .. $n - 1], 'n');
	my $made = sub { my @v = @_; return $record ? '{' . join(', ', map { "$keys[$_] => $v[$_]" } 0 .. $#v) . '}' : '[' . join(', ', @v) . ']' };
	my @as_they_are = map { $record ? "\$1.$keys[$_]" : "\$1[$_]" } 0 .. $#of;
	my $next = $made->(@of);
	$next = "switch(\$2.id > 20 => $next, true => " . pick('$1', $made->(reverse @of), $made->(@as_they_are)) . ')' if rand() < 0.4;
	return ($next, $made->(@seed));
}

sub merged {
	my $d = pick('{$2.s => [$2.id]}', '{$2.s => {$2.w => $2.id}}', '$2.d', '$2.dl', '{n => $2.f}', '{$2.s => [$2.s]}',
		'dict($2.d.items().select([$[0], [$[1]]]))', 'dict($2.l.select([str($), [$]]))', '{all => $2.dl}',
		'{all => $2.d, n => $2.id}', '{$2.s => $2.l}', '{$2.s => {$2.w => [$2.id]}}');
	my $how = pick('', '', ', $1 + $2', ', $1 + $2, $1 + $2', ', $1, max($1, $2)', ', null, min($1, $2)', ', $2 + $1');
	return "\$1.mergeWith($d$how)";
}

for my $seed (@seeds) {
	srand $seed;
	my @cases;
	for (1 .. $count) {
		my $odd = rand() < 0.3;
		my @items = map { item($odd) } 1 .. pick(3, 12, 70, 150);
		my ($next, $from) =
			rand() < 0.5 ? (path(pick(1, 1, 2, 2, 2, 3), '$1'), pick('{}', '{}', '{}', '{a => {}}', '{a => 1}', '{b => [1]}'))
			: rand() < 0.5 ? parts() : (merged(), pick('{}', '{}', '{a => [1]}', '{x => [3], n => 2}'));
		my $expr = pick("\$.aggregate($next, $from)", "\$.aggregate($next, $from)", "let(f => $from) -> [\$.aggregate($next, \$f), \$f]",
			"\$.accumulate($next, $from).last()", "\$.groupBy(\$.s).select([\$[0], \$[1].aggregate($next, $from)])");
		push @cases, { expr => $expr, data => \@items };
	}
	spew($ENV{KEEP_CASES}, join '', map { $json->encode($_) . "\n" } @cases) if $ENV{KEEP_CASES};
	programs_agree(\@cases, 0.4);
}

# ---- the answers of python yaql, seen there over these items

my @items = map { { a => $_ * 7 % 31, k => 'k' . $_ * 5 % 4, l => 'l' . $_ % 2 } } 0 .. 9;
my @cases = (
	['$1.set($2.k, $1.get($2.k, {}).set($2.l, $1.get($2.k, {}).get($2.l, 0) + $2.a))', '{"k0":{"l0":53},"k1":{"l1":12},"k2":{"l0":25},"k3":{"l1":39}}'],
	['$1.set($2.l, $1.get($2.l, {}) + {$2.k => $1.get($2.l, {}).get($2.k, []) + [$2.a]})',
		'{"l0":{"k0":[0,28,25],"k2":[14,11]},"l1":{"k1":[7,4,1],"k3":[21,18]}}'],
	['$1.set($2.k, $1.get($2.k, set()).add($2.l, $2.a mod 2))', '{"k0":3,"k1":3,"k2":3,"k3":3}', '.items().toDict($[0], $[1].len())'],
	['$1.set($2.k, max($1.get($2.k, ""), str($2.a)))', '{"k0":"28","k1":"7","k2":"14","k3":"21"}'],
	['$1.set($2.k, min($1.get($2.k, $2.l), $2.l))', '{"k0":"l0","k1":"l1","k2":"l0","k3":"l1"}'],
);
my @got = batch_answers([map { { expr => "\$.aggregate($_->[0], {})" . ($_->[2] // ''), data => \@items } } @cases]);
is($json->encode(decode_json($got[$_])->{value}), $cases[$_][1], $cases[$_][0]) for 0 .. $#cases;
done();
