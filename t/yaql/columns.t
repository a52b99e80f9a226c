#!/usr/bin/perl
# What is done for the items of a batch together: texts compared, replaced, matched and taken apart, members of records of
# several shapes, short lists of any length, keys in tables with few and many. Perl says what is right.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use sort 'stable';
use List::Util qw(sum0 min max first any all uniq);
use Tap;

my $json = JSON::PP->new->utf8->canonical->allow_nonref;
srand 31;

sub one { return $_[int rand @_] }
sub word { my ($most, @of) = @_; return join '', map { one(@of) } 1 .. int rand $most + 1 }
sub bool { return $_[0] ? JSON::PP::true : JSON::PP::false }

my @few = qw(ab abc a abcdefgh abcdefghi abcdefg b abd abcdefgha x-ray xylophone);
sub row {
	my ($i) = @_;
	my @letters = rand() < .85 ? ('a', 'b', 'c', '.', ',', '-', '1') : ('a', 'b', ',', 'é', '日', "\n");
	my @l = map { int(rand 40) - 9 } 1 .. (rand() < .03 ? 40 + int rand 90 : int rand 12);
	my %r = (i => $i, t => word(rand() < .1 ? 200 : 45, @letters), k => one(@few), l => \@l, f => [map { ($_ + 100) / 8 } @l],
		key => 'key' . int rand 900, few => 'key' . int rand 70, rows => [map { { n => $_, s => one(@few) } } @l]);
	$r{o} = "opt$i" if rand() < .5;
	$r{aa} = 1 if rand() < .3;
	$r{z} = $i if rand() < .5;
	return \%r;
}
my @rows = map { row($_) } 1 .. 1500;
my @texts = map { $_->{t} } @rows;
# keys in another order in each: the same member stands in several places
my $document = '[' . join(",\n", map {
	my $r = $_;
	my @keys = sort keys %$r;
	push @keys, splice @keys, 0, int rand 3 if rand() < .3;
	'{' . join(',', map { $json->encode($_) . ':' . $json->encode($r->{$_}) } @keys) . '}'
} @rows) . ']';
spew("$W/rows.json", $document);

sub gives {
	my ($ask, @what) = @_;
	$ask = "\$.$ask" unless $ask =~ /\Alet/;
	my $got = qx{"$vetro" query -c '$ask' < $W/rows.json};
	my ($x, $y) = map { [map { $json->encode($_) } @$_] } eval { $json->decode($got) } // ["no list: $got"], \@what;
	my $at = first { ($x->[$_] // '-') ne ($y->[$_] // '-') } 0 .. max($#$x, $#$y);
	is(defined $at ? "$at: " . ($x->[$at] // 'none') . ', not ' . ($y->[$at] // 'none') : 'all', 'all', $json->encode($ask));
}

# texts
for my $pair ([['ab', 'X']], [['a', 'bb'], ['b', 'a']], [['abc', ''], ['cab', 'long text for it'], ['.', 'é']], [['bca', 'bc'], ['c', 'c']],
	[['aaaaa', '<>'], ['b', '']], [['abcabcabcabcabcabcab', 'much'], ['é', 'e'], ["日", '']]) {
	my @made = @texts;
	for my $p (@$pair) { my ($old, $new) = @$p; s/\Q$old\E/$new/g for @made }
	gives('select($.t' . join('', map { ".replace(\"$_->[0]\", \"$_->[1]\")" } @$pair) . ')', @made);
	gives('select($.t' . join('', map { ".replace(\"$_->[0]\", \"$_->[1]\")" } @$pair) . ' + $.k + "!")', map { $made[$_] . "$rows[$_]{k}!" } 0 .. $#rows);
	gives('select("<" + ($.k + $.t)' . join('', map { ".replace(\"$_->[0]\", \"$_->[1]\")" } @$pair) . '.toUpper())', map {
		my $x = $rows[$_]{k} . $texts[$_];
		for my $p (@$pair) { my ($old, $new) = @$p; $x =~ s/\Q$old\E/$new/g }
		'<' . uc $x } 0 .. $#rows);
}
for my $x ('a', 'ab', ',', '-.', 'abcab', 'c1', 'é', 'ab-abc,ab', 'abcdefghijk') {
	gives("select(\$.t.startsWith(\"$x\"))", map { bool(index($_, $x) == 0) } @texts);
	gives("select(\$.t.endsWith(\"$x\"))", map { bool(/\Q$x\E\z/) } @texts);
	gives("select(\"$x\" in \$.t)", map { bool(index($_, $x) >= 0) } @texts);
	gives("select(\$.t.split(\"$x\")[0])", map { /\A(.*?)(?:\Q$x\E|\z)/s } @texts);
	gives("select(\$.t.split(\"$x\").len())", map { my $t = $_; 1 + (() = $t =~ /\Q$x\E/g) } @texts);
	gives("where(\$.k = \"$x\").select(\$.i)", map { $_->{i} } grep { $_->{k} eq $x } @rows);
}
for my $x (@few) {
	gives("select(\$.k = $x)", map { bool($_->{k} eq $x) } @rows) if $x !~ /-/;
	gives("where(\$.k >= \"$x\").select(\$.i)", map { $_->{i} } grep { $_->{k} ge $x } @rows);
	gives("select(\$.rows.where(\$.s = \"$x\").len())", map { scalar grep { $_->{s} eq $x } @{ $_->{rows} } } @rows);
}
for my $re ('^ab', '^abc?[.,]', 'ab*c', '^(a|b)+$', '[^a]b$', '^.{0,3}$', '1[a-c]1|,,', '^a.*b$', '^abca?b?', '-$', '^$',
	'c{2,3}', '^[abc]*[.]', '^abcabcabcab',
	'[.][.]|[,][,]|11', '^(ab|ba|c)*$') {
	gives("select(\$.t =~ \"$re\")", map { bool(scalar(/$re/)) } @texts);
	gives("select(\$.t !~ \"$re\")", map { bool(!scalar(/$re/)) } @texts);
	gives("select(\$.t.split(\",\")[0] =~ \"$re\")", map { my ($x) = /\A([^,]*)/; bool(scalar($x =~ /$re/)) } @texts);
	gives("select(\$.k =~ \"$re\")", map { bool(scalar($_->{k} =~ /$re/)) } @rows);
}

# members in several places, or nowhere
gives('select($.i)', map { $_->{i} } @rows);
gives('select([$.t, $.k, $.i + 1])', map { [$_->{t}, $_->{k}, $_->{i} + 1] } @rows);
gives('select($.get(o, none))', map { $_->{o} // 'none' } @rows);
gives('select($.get(aa))', map { $_->{aa} } @rows);
gives('where($.get(o) != null).select($.o + $.k)', map { $_->{o} . $_->{k} } grep { exists $_->{o} } @rows);

# short lists
my %of = (sum => sub { sum0(@_) }, len => sub { scalar @_ });
for my $list ('l', 'f') {
	gives("select(\$.$list.sum(0))", map { sum0(@{ $_->{$list} }) } @rows);
	gives("select(\$.$list.where(\$ > 3).sum(0))", map { sum0(grep { $_ > 3 } @{ $_->{$list} }) } @rows);
	gives("select(\$.$list.select(\$ * 2).sum(0))", map { sum0(map { $_ * 2 } @{ $_->{$list} }) } @rows);
	gives("select(\$.$list.where(\$ > 3).first(none))", map { (first { $_ > 3 } @{ $_->{$list} }) // 'none' } @rows);
	gives("select(\$.$list.where(\$ > 3).max(0 - 100))", map { max(-100, grep { $_ > 3 } @{ $_->{$list} }) } @rows);
	gives("select(\$.$list.min(1000))", map { min(1000, @{ $_->{$list} }) } @rows);
	gives("select(\$.$list.any(\$ > 20))", map { bool(any { $_ > 20 } @{ $_->{$list} }) } @rows);
	gives("select(\$.$list.all(\$ > -8))", map { bool(all { $_ > -8 } @{ $_->{$list} }) } @rows);
	gives("select(\$.$list.where(\$ > 3))", map { [grep { $_ > 3 } @{ $_->{$list} }] } @rows);
	gives("selectMany(\$.$list).where(\$ > 5)", map { grep { $_ > 5 } @{ $_->{$list} } } @rows);
}
my @full = grep { @{ $_->{l} } } @rows;
sub cut_at { my $n = shift; return map { substr $_, 0, $n } @texts }
sub of_best { my ($best, $r) = @_; my $n = $best->(@{ $r->{l} }); return (first { $_->{n} == $n } @{ $r->{rows} })->{s} }
gives('where($.l.len() > 0).select($.rows.orderBy($.n).first().s)', map { of_best(\&min, $_) } @full);
gives('where($.l.len() > 0).select($.rows.orderByDescending($.n).first().s)', map { of_best(\&max, $_) } @full);
gives('where($.l.len() > 0).select($.rows.select($.n * 1.5).max())', map { max map { $_ * 1.5 } @{ $_->{l} } } @full);
gives('select($.rows.select($.s).distinct())', map { [uniq map { $_->{s} } @{ $_->{rows} }] } @rows);
gives('select($.l.orderBy($))', map { [sort { $a <=> $b } @{ $_->{l} }] } @rows);
gives('select($.f.orderByDescending($))', map { [sort { $b <=> $a } @{ $_->{f} }] } @rows);
gives('select(($.l + $.f).orderBy($).select($ * 8))', map { my $r = $_; [map { 8 * $_ } sort { $a <=> $b } @{ $r->{l} }, @{ $r->{f} }] } @rows);
gives('select($.rows.orderBy($.s).select([$.s, $.n]))', map { [map { [$_->{s}, $_->{n}] } sort { $a->{s} cmp $b->{s} } @{ $_->{rows} }] } @rows);
gives('select($.rows.orderByDescending($.s).select($.n))', map { [map { $_->{n} } sort { $b->{s} cmp $a->{s} } @{ $_->{rows} }] } @rows);
gives('select($.rows.orderBy($.s).thenByDescending($.n).select($.n))',
	map { [map { $_->{n} } sort { $a->{s} cmp $b->{s} || $b->{n} <=> $a->{n} } @{ $_->{rows} }] } @rows);
gives('select($.t.toCharArray().orderBy($).join(""))', map { join '', sort { $a cmp $b } split //, $_ } @texts);
for my $end ('', 'ж', "b\x{1f600}", 'é日') {
	gives("select((\$.t.substring(0, $_) + \"$end\").toCharArray().reverse().join(\"\"))", map { scalar reverse $_ . $end } cut_at($_)) for 0 .. 18, 90;
}
gives('selectMany($.rows).select($.s)', map { map { $_->{s} } @{ $_->{rows} } } @rows);

# what stands in a pipeline over the row's list, or in its dict
for my $x (3, 17) {
	gives("select($x in \$.l.reverse())", map { my @l = @{ $_->{l} }; bool(any { $_ == $x } @l) } @rows);
	gives("select($x in \$.l.where(\$ > 4).select(\$ + 1))", map { my @l = @{ $_->{l} }; bool(any { $_ > 4 && $_ + 1 == $x } @l) } @rows);
	gives("select($x in \$.l.skip(2))", map { my @l = @{ $_->{l} }; splice @l, 0, 2; bool(any { $_ == $x } @l) } @rows);
	gives("where($x in \$.l.orderBy(\$).limit(3)).select(\$.i)", map { $_->{i} } grep {
		my @l = sort { $a <=> $b } @{ $_->{l} };
		splice @l, 3 if @l > 3;
		any { $_ == $x } @l
	} @rows);
}
gives('select($.k in $.rows.select($.s).skip(1))', map { my ($k, @s) = ($_->{k}, map { $_->{s} } @{ $_->{rows} }); bool(any { $_ eq $k } @s[1 .. $#s]) } @rows);
gives('select($.k + "c" in $.rows.where($.n > 0).select($.s))',
	map { my ($k, $l) = ($_->{k} . 'c', $_->{rows}); bool(any { $_->{n} > 0 && $_->{s} eq $k } @$l) } @rows);
gives('select($.rows.toDict($.s, 1).len())', map { scalar uniq map { $_->{s} } @{ $_->{rows} } } @rows);
gives('select($.f.toDict($, seen).len())', map { scalar uniq @{ $_->{f} } } @rows);
gives('select($.f.distinct().select($ * 8))', map { [uniq map { 8 * $_ } @{ $_->{f} }] } @rows);
gives('select([0.0, $.i * 0.0, $.i * (0 - 0.0), $.i * 1.0].distinct().len())', map { 2 } @rows);
gives('select((list($.l, $.f).flatten() + [null, true]).toSet().len())',
	map { scalar uniq(@{ $_->{l} }, @{ $_->{f} }, 'null', 1) } @rows); # true is 1
gives('select($.rows.toDict($.s, $.n).keys()).select($.orderBy($))', map { [sort(uniq(map { $_->{s} } @{ $_->{rows} }))] } @rows);
is(join('', sort split /\W+/, `echo '[{"a":1,"b":2}]' | $Tap::vetro query -c '\$.select(\$.keys())'`), 'ab', 'the keys of a record leave as a set');
is(join(' ', sort split /[^0-9.]+/, `echo '[[2,1.5,2.0]]' | $Tap::vetro query -c '\$.select(\$.toSet())'`), ' 1.5 2', 'a set of numbers leaves as one');

# keys in tables of several sizes
for my $key ('k', 'few', 'key') {
	my (%sum, @order);
	for my $r (@rows) { push @order, $r->{$key} unless exists $sum{ $r->{$key} }; $sum{ $r->{$key} } += $r->{i} }
	gives("groupBy(\$.$key, \$.i, [\$[0], \$[1].sum()])", map { [$_, $sum{$_}] } @order);
	gives("select(\$.$key).distinct()", @order);
	my %last = map { $_->{$key} => $_->{i} } @rows;
	gives("select(\$.$key) + [absent]", (map { $_->{$key} } @rows), 'absent');
	gives("let(d => \$.toDict(\$.$key, \$.i)) -> \$.select(\$d.get(\$.$key + \"\"))", map { $last{ $_->{$key} } } @rows);
	gives("let(d => \$.toDict(\$.$key, \$.i)) -> \$.select(\$d.get(\$.k + \$.$key, 0 - 1))", map { $last{ $_->{k} . $_->{$key} } // -1 } @rows);
	gives("join(\$, \$1.$key = \$2.$key and \$2.i < 40, [\$1.i, \$2.i])",
		map { my $r = $_; map { [$r->{i}, $_->{i}] } grep { $_->{$key} eq $r->{$key} && $_->{i} < 40 } @rows } @rows);
}
done();
