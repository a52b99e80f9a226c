#!/usr/bin/perl
# Iterators and orderings that one stage of a pipeline hands to the next, that let() binds, or that a call flattens: programs,
# which have lists in their place, and code give the same.  SEEDS='1 2 3' and CASES=500 make others.
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

sub record_of {
	my ($odd) = @_;
	my $r = { id => int rand 50, w => [map { int rand 9 } 1 .. rand 6], t => [map { pick(qw(a b c dd x)) } 1 .. rand 5], s => pick('a b', 'x', ''),
		l => [map { { k => pick(qw(p q r)), n => int rand 20 } } 1 .. rand 5], d => { map { $_ => int rand 5 } grep { rand() < 0.5 } qw(x y z) } };
	$r->{pick(qw(w t l d s id))} = pick(undef, 5, 'text', [], {}) if $odd && rand() < 0.2;
	return $r;
}

# What gives an iterator or an ordering, of numbers or of texts.
sub gives {
	my $of = pick('$.w', '$.w', '$.t', '$.l.select($.n)', '$.l.where($.n > 5).select($.k)', '$.d.keys()', '$.d.items().select($[1])', '$.s.split(" ")');
	return pick("$of.orderBy(\$)", "$of.orderBy(\$)", "$of.orderByDescending(\$)", "$of.orderBy(\$).thenBy(\$)", "$of.distinct()", "$of.select(\$)",
		"$of.where(\$ != 3)", "$of.reverse()", "$of.skip(1)", "$of.limit(2)", "$of.orderBy(\$).select(\$)", "$of.zip($of.skip(1))", "$of.enumerate()",
		"$of.selectMany([\$, \$])", "$of.append(4)", "$of + [5]", "$of.takeWhile(\$ != 4)", "$of.slice(2)", "$of", "$of.toList()", "$of.toSet()",
		'examine($.id > 20, $.w.len() > 2, $.s)', 'selectAllCases($.id > 20, $.w.len() > 2)', 'switch($.id > 20 => $.w.distinct(), true => $.t)',
		"list(\$.id, $of)", "list($of, 1, [2, $of])", 'let(x => $.id) -> $.w.where($ != $x)', "$of.groupBy(\$)", "$of.accumulate([\$1, \$2])",
		"$of.defaultIfEmpty([3])", "$of.distinct().orderBy(\$)", "$of.memorize()", "$of.flatten()");
}

# What reads it, once or more often.
sub walk { return pick('.len()', '.first(0)', '.last(0)', '.count()', '.toList()', '.orderBy(str($)).toList()', '.select([$]).toList()', '.any()',
	'.where($ != 2).len()', '.join("+")', '.distinct().len()', '.max(0)', '.sum(0)', '.aggregate([$1, $2], 0)', '.groupBy($).len()', '.toDict($, 1)',
	'.reverse().toList()', '.limit(1).toList()', '.zip([1, 2]).toList()', '[0]', '.replace(0, 9).toList()', '.insert(0, 9).toList()', '.indexOf(3)',
	'.contains(3)', '.thenBy($).toList()', '.all($)', '.single()', '.slice(2).toList()', '.selectMany([$, 1]).toList()', '.toSet().len()', '') }
sub reads {
	my ($at) = @_;
	return pick($at . walk(), $at . walk(), "[$at" . walk() . ", $at" . walk() . ']', "switch($at" . walk() . " = 1 => 1, true => $at" . walk() . ')',
		"isList($at)", "3 in $at", "$at + [1]", "list($at)", "list(7, $at).len()", "$at = []", "{a => $at" . walk() . ', b => 1}',
		"str($at" . walk() . ')',
		"dict($at)", "let(y => $at) -> \$y" . walk(), "set($at).len()", "[3, 4].where(\$ in $at).len()", "[3, 4].select(\$ + $at.len())");
}
sub bool { return pick("$_[0]", "$_[0].len() > 1", "$_[0].any()", "$_[0].first(0) != 3", "$_[0].where(\$ != 2).any()") }

sub between {
	my ($made, @at) = @{ pick(['whole', '$'], ['whole', '$'], ['list', '$[0]', '$[1]'], ['record', '$.a', '$.b']) };
	my $row = $made eq 'whole' ? gives() : $made eq 'list' ? '[' . pick(gives(), '$.id') . ', ' . gives() . ']'
		: '{a => ' . gives() . ', b => ' . pick(gives(), '$.id') . '}';
	my $expr = "select($row)";
	$expr .= '.where(' . bool(pick(@at)) . ')' if rand() < 0.4;
	my $same = reads(pick(@at));
	return $expr . ".select([$same, $same])" . pick('', '.len()') if rand() < 0.2;
	$expr .= '.select(' . ($made ne 'whole' && rand() < 0.3 ? '[' . join(', ', map { reads($_) } @at) . ']' : reads(pick(@at))) . ')' if rand() < 0.85;
	$expr .= '.where($ != 1)' if rand() < 0.2;
	return $expr . pick('', '', '.len()', '.limit(4)', '.first(0)', '.toList()');
}
sub bound {
	my $with = pick('let(y => ' . gives() . ') -> ', 'let(y => ' . gives() . ', z => $.id) -> ');
	my $same = reads('$y');
	my $use = pick("[$same, $same]", "\$.w.select($same)",
		'$.l.toDict($.k, ' . $same . ')',
		reads('$y'), '[' . reads('$y') . ', ' . reads('$y') . ']', '$y.selectMany(let(a => $) -> $y.where($ != $a).select([$a, $]))',
		'$y.zip($y.skip(1)).toList()', '$.w.where($ in $y)', '$.w.select(let(q => $) -> $y.where($ = $q).len())');
	return "select($with$use)" . pick('', '', '.len()', '.where($ != 1)');
}

my @cases;
for my $seed (@seeds) {
	srand $seed;
	my @lists = map { my $odd = $_ % 3 == 2; [map { record_of($odd) } 1 .. pick(2, 30, 90)] } 0 .. 5;
	push @cases, { expr => '$.' . (rand() < 0.6 ? between() : bound()), data => $lists[rand @lists] } for 1 .. $count;
	push @cases, { expr => '[$, $.limit(3)].select($.' . (rand() < 0.7 ? between() : bound()) . ')', data => $lists[rand @lists] } for 1 .. $count / 3;
}

programs_agree(\@cases, 1 / 3);

# ---- what never ends is read no further than is asked for

my $records = $json->encode([map { { id => $_, w => [map { $_ % 5 } 1 .. $_ % 4] } } 1 .. 4000]);
for (
	['$.select($.w.cycle().limit(3).toList()).last()', '[]'], ['$.select($.w.cycle().limit(5).sum(0)).sum()', '21000'],
	['$.select($.w.zip(sequence(1)).select($[0] * $[1]).sum(0)).max()', '14'], ['$.select(sequence(3).select($ * 2).limit(2).toList()).first()', '[6,8]'],
	['$.select(coalesce(str($.id), "-")).last()', '"4000"'],
) {
	my ($expr, $want) = @$_;
	my ($rc, $got, $err) = vetro({ in => $records, limit => 20 }, 'query', $expr);
	$got =~ s/\s+//g;
	is($got, $want, $expr);
}
done();
