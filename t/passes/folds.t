#!/usr/bin/perl
# Folds whose $1 is changed in its place: the answers of python yaql (seen there over these items), and that they end over
# many items, where a copy for each of them would take hours.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IPC::Open2;
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my $start = '{s => [], t => [], n => 0, d => {}}';
my @items = map { { a => $_ * 7 % 31, k => 'k' . $_ * 5 % 4 } } 0 .. 9;

# [title, what the lambda makes, $1 in the end]
my @folds = (
	['a record by its function', 'dict(s => $1.s + [$2.a], n => $1.n + 1)', '{"n":10,"s":[0,7,14,21,28,4,11,18,25,1]}'],
	['a record where a condition holds', 'switch($2.a > 20 => {s => $1.s + [$2.a], n => $1.n + 1}, true => $1)',
		'{"n":3,"s":[21,28,25]}'],
	['two lists of a dict', '$1.set(s, $1.s + [$2.a]).set(t, $1.t + [$2.k])',
		'{"d":{},"n":0,"s":[0,7,14,21,28,4,11,18,25,1],"t":["k0","k1","k2","k3","k0","k1","k2","k3","k0","k1"]}'],
	['two lists that are exchanged', '$1.set(s, $1.t).set(t, $1.s + [$2.a])', '{"d":{},"n":0,"s":[0,14,28,11,25],"t":[7,21,4,18,1]}'],
	['a list that another key gets', '$1.set(s, $1.s + [$2.a]).set(t, $1.s)',
		'{"d":{},"n":0,"s":[0,7,14,21,28,4,11,18,25,1],"t":[0,7,14,21,28,4,11,18,25]}'],
	['the same key twice', '$1.set(s, $1.s + [$2.a]).set(s, $1.s + [1])', '{"d":{},"n":0,"s":[1,1,1,1,1,1,1,1,1,1],"t":[]}'],
	['a dict that is added', '$1 + {s => $1.s + [$2.a], n => $1.n + 1}', '{"d":{},"n":10,"s":[0,7,14,21,28,4,11,18,25,1],"t":[]}'],
	['lists by key, two levels down', '$1.set(n, $1.n + 1).set(d, $1.d + {$2.k => $1.d.get($2.k, []) + [$2.a]})',
		'{"d":{"k0":[0,28,25],"k1":[7,4,1],"k2":[14,11],"k3":[21,18]},"n":10,"s":[],"t":[]}'],
	['one of them under two keys', '$1.set(d, $1.d + {$2.k => $1.d.get($2.k, []) + [$2.a], x => $1.d.get($2.k, [])})',
		'{"d":{"k0":[0,28,25],"k1":[7,4,1],"k2":[14,11],"k3":[21,18],"x":[7,4]},"n":0,"s":[],"t":[]}'],
	['a member that a condition chose', '{s => switch($2.a > 20 => $1.s + [$2.a], true => $1.s), n => $1.n + $1.s.len()}',
		'{"n":12,"s":[21,28,25]}'],
	['the last item again', '$1.set(s, $1.s + [$1.s.last(0) + $2.a])', '{"d":{},"n":0,"s":[0,7,21,42,70,74,85,103,128,129],"t":[]}'],
	['lists of a list', 'switch($2.a > 20 => [$1[0] + [$2.a], $1[1]], true => [$1[0], $1[1] + [1]])', '[[21,28,25],[1,1,1,1,1,1,1]]', '[[], []]'],
	['keys that the items say', '$1 + {$2.k => $2.a}', '{"k0":25,"k1":1,"k2":11,"k3":18}', '{}'],
	['records that are merged', '$1.mergeWith($2)', '{"a":1,"k":"k1"}', '{}'],
	['onto what was there', '$1.mergeWith({$2.k => $2.a})', '{"k0":25,"k1":1,"k2":11,"k3":18,"k9":1}', '{k9 => 1}'],
	['twice', '$1.mergeWith($2).mergeWith({n => $1.get(n, 0) + 1})', '{"a":1,"k":"k1","n":10}', '{}'],
	['with lists', '$1.mergeWith({$2.k => [$2.a]})', '{"k0":[0,28,25],"k1":[7,4,1],"k2":[14,11],"k3":[21,18]}', '{}'],
	['with dicts', '$1.mergeWith({all => {$2.k => $2.a}})', '{"all":{"k0":25,"k1":1,"k2":11,"k3":18}}', '{}'],
	['and one key is set', '$1.mergeWith($2).set(a, $1.get(a, 0) + 1)', '{"a":10,"k":"k1"}', '{}'],
	['one list and one value', '$1.mergeWith(switch($2.a > 20 => {big => [$2.a]}, true => {small => $2.a}))', '{"big":[21,28,25],"small":1}', '{}'],
	['the other way round', '$2.mergeWith($1)', '{"a":0,"k":"k0"}', '{}'],
	['with itself', '$1.mergeWith($1)', '{"b":1}', '{b => 1}'],
	['a dict with new keys in front of known ones', '$1 + {x => 1}.set($2.k, $2.a).set(y, $1.get(y, 0) + $2.a)',
		'{"k0":25,"k1":1,"k2":11,"k3":18,"x":1,"y":129}', '{}'],
	['an item of a list', '$1.replace(0, $2.a).toList()', '[1,2]', '[1, 2]'],
	['a list that is not long enough', '$1.replace(9, 5).replace(0, $2.k).toList()', '["k1"]', '[3]'],
	['in front of a list', '$1.replace(-1, 5).toList() + [$2.a]', '[0,0,7,14,21,28,4,11,18,25,1]', '[0]'],
	['the last of pairs', 'switch($1.len() > 0 and $1.last([0, -1])[1] >= $2.a => '
		. '$1.replace($1.len() - 1, [$1.last()[0], max($1.last()[1], $2.a + 3)]).toList(), true => $1 + [[$2.a, $2.a + 9]])',
		'[[0,10],[14,24],[28,37]]', '[]'],
	['a list below a key', '{s => $1.s.replace(0, $1.s.first() + $2.a).toList(), n => $1.n + 0.25}', '{"n":2.5,"s":[129,1]}', '{s => [0, 1], n => 0}'],
	['where a condition holds, below a key', '$1.set(s, switch($2.a > 20 => $1.s + [$2.a], true => $1.s)).set(n, $1.s.len())',
		'{"d":{},"n":3,"s":[21,28,25],"t":[]}'],
	['one of two that are there, below a key', '$1.set(s, switch($2.a > 20 => $1.s + [$2.a], $2.a > 10 => $1.t, true => $1.s)).set(t, $1.t + [1])',
		'{"d":{},"n":0,"s":[1,1,1,1,1,1,1,25],"t":[1,1,1,1,1,1,1,1,1,1]}'],
	['one condition in another, below keys', '$1 + {s => switch($2.a > 20 => $1.s + [$2.a], $2.k in $1.t.limit(2) => $1.s, true => $1.s + [0]), '
		. 't => switch($2.k in $1.t => $1.t, true => $1.t + [$2.k])}', '{"d":{},"n":0,"s":[0,0,0,21,28,0,0,25],"t":["k0","k1","k2","k3"]}'],
	['a count where a condition holds', '$1.set(n, switch($2.a > 20 => $1.n + 1, true => $1.n))', '{"d":{},"n":3,"s":[],"t":[]}'],
	['lists that have the item already', '$1.mergeWith({$2.k => [$2.a mod 3]})', '{"k0":[0,1],"k1":[1],"k2":[2],"k3":[0]}', '{}'],
	['lists of texts, two levels down', '$1.mergeWith({all => {$2.k => [$2.k]}, n => [$2.a mod 2]})',
		'{"all":{"k0":["k0"],"k1":["k1"],"k2":["k2"],"k3":["k3"]},"n":[0,1]}', '{}'],
	['onto a list that has an item twice', '$1.mergeWith({$2.k => [$2.a]})',
		'{"k0":[5,0,28,25],"k1":[7,4,1],"k2":[14,11],"k3":[21,18]}', '{k0 => [5, 5]}'],
	['lists of two', '$1.mergeWith({$2.k => [$2.a, $2.a]})', '{"k0":[0,28,25],"k1":[7,4,1],"k2":[14,11],"k3":[21,18]}', '{}'],
	['lists of one and of two', '$1.mergeWith({k0 => [1, 1]}).mergeWith({$2.k => [$2.a mod 3]})', '{"k0":[1,0],"k1":[1],"k2":[2],"k3":[0]}', '{}'],
	['one list twice', '$1.mergeWith({$2.k => [$2.a mod 5]}).mergeWith({$2.k => [$2.a mod 3]})',
		'{"k0":[0,3,1],"k1":[2,1,4],"k2":[4,2,1],"k3":[1,0,3]}', '{}'],
	['lists of what has no order', '$1.mergeWith({$2.k => [switch($2.a > 20 => 1, $2.a > 10 => true, true => 1.0)]})',
		'{"k0":[1],"k1":[1],"k2":[true],"k3":[1]}', '{}'],
	['lists of lists', '$1.mergeWith({$2.k => [[$2.a mod 2]]})', '{"k0":[[0],[1]],"k1":[[1],[0]],"k2":[[0],[1]],"k3":[[1],[0]]}', '{}'],
	['a list and a number below one key', '$1.mergeWith({$2.k => switch($2.a > 20 => [$2.a], true => [0])})',
		'{"k0":[0,28,25],"k1":[0],"k2":[0],"k3":[21,0]}', '{}'],
	['two keys by what lay there', '$1.set(a, $1.get(b, 1)).set(b, $1.get(a, 0) + $2.a)', '{"a":78,"b":52}', '{}'],
	['a key by another that changes', '$1.set(n, $1.n + 1).set(m, $1.n)', '{"d":{},"m":9,"n":10,"s":[],"t":[]}'],
	['a key that the sum says', '$1.set(str($1.n), $2.a).set(n, $1.n + 1)',
		'{"0":0,"1":7,"2":14,"3":21,"4":28,"5":4,"6":11,"7":18,"8":25,"9":1,"d":{},"n":10,"s":[],"t":[]}'],
	['a list that is set as it is', '$1.set(s, $2).set(t, $1.s)', '{"d":{},"n":0,"s":{"a":1,"k":"k1"},"t":{"a":25,"k":"k0"}}'],
	['the greater of two', '$1.set($2.k, max($1.get($2.k, 0), $2.a))', '{"k0":28,"k1":7,"k2":14,"k3":21}', '{}'],
	['the lesser of what is no number', '$1.set($2.k, min($1.get($2.k, 9.5), $2.a))', '{"k0":0,"k1":1,"k2":9.5,"k3":9.5}', '{}'],
	['the greatest of texts', 'max($1, $2.k)', '"k3"', '""'],
	['a float and an integer that are equal', '[max($1[0], 7.0), min($1[1], 0.0), max(7.0, $1[2])]', '[7,0,7]', '[7, 0, 7]'],
	['first and last of a list', '[$1.first(0) + $2.a, $1.last(0), $1.len()]', '[129,3,3]', '[]'],
	['one condition in another', 'switch($1 = null => $2.a, $2.a > 20 => switch($1 > 5 => $1 + $2.a, true => 0), '
		. '$2.a > 10 and $1 < 40 => $1 - 1, true => $1)', '0', 'null'],
	['a dict that counts', 'switch($1.containsKey($2.k) => $1.set($2.k, $1[$2.k] + $2.a), true => $1.set($2.k, $2.a))',
		'{"k0":53,"k1":12,"k2":25,"k3":39}', '{}'],
	['and what lay there', '$1 + {$2.k => $1.get($2.k, 0) + $2.a, all => $1.get(all, 0) + 1}', '{"all":10,"k0":53,"k1":12,"k2":25,"k3":39}', '{}'],
);

my $pid = open2(my $out, my $in, $vetro, 'query', '--batch');

sub answer {
	my ($expr, $data) = @_;
	print $in $json->encode({ expr => $expr, data => $data }), "\n";
	$in->flush;
	my $got = $json->decode(scalar readline($out));
	return exists $got->{value} ? $json->encode($got->{value}) : $json->encode($got->{error});
}

for (@folds) {
	my ($title, $lambda, $want, $from) = @$_;
	$from //= $start;
	my $got = answer("\$.aggregate($lambda, $from)", \@items);
	is($got, $want, $title);
	$got = answer("let(f => $from) -> [\$.aggregate($lambda, \$f), \$.accumulate($lambda, \$f).last(), \$.aggregate($lambda, \$f)]", \@items);
	is($got, "[$want,$want,$want]", "$title: what it began with is left alone");
}

# ---- over many items: what lies in the sum grows where it lies, so four times the items take four times the instructions

my $many = [map { { a => $_, k => 'k' . $_ % 7 } } 0 .. 199_999];
my $list = $json->encode($many);
# The query over 1,000, 3,000 and 12,000 items.
sub linear {
	my ($query, @of) = @_;
	return skip(1, 'nobody counts instructions here') if !counts_instructions();
	my ($least, $few, $all) = map { instructions("$vetro query '$query' $_") } @of;
	return ok($few > $least && $all - $few < 6.5 * ($few - $least), "linear: $query", "$least instructions for 1,000, $few for 3,000, $all for 12,000");
}

my @files = map { spew("$W/$_.json", $json->encode([@$many[0 .. $_ - 1]])); "$W/$_.json" } 1000, 3000, 12_000;
for (
	['dict(s => $1.s + [$2.a], n => $1.n + 1)', '.s.len()'],
	['switch($2.a > 100 => dict(s => $1.s + [$2.a], t => [], n => $1.n + 1, d => {}), true => $1)', '.n'],
	['$1.set(s, $1.s + [$2.a]).set(t, $1.t + [$2.k])', '.t.len()'],
	['$1 + {$2.k => $1.get($2.k, []) + [$2.a]}', '.k3.len()'],
	['$1 + {str($2.a) => $2.a}', '.len()'], ['$1.mergeWith({str($2.a) => $2.a})', '.len()'],
	['$1.set(d, $1.d.set($2.k, $1.d.get($2.k, []) + [$2.a])).set(n, $1.n + 1)', '.d.k1.len()'],
	['$1.set(s, switch($2.a in $1.s.limit(2) => $1.s, true => $1.s + [$2.a]))', '.s.len()'],
	['$1 + {s => switch($1.s.last(0) > $2.a => $1.s, true => $1.s + [$2.a])}', '.s.len()'],
	['$1.set(s, $1.s.replace(0, $2.a).toList()).set(n, $1.n + 1)', '.n'],
	['$1.set(s, $1.s + [$1.s.last(0) + 1])', '.s.last()'], ['$1.set(s, $1.get(s) + [$1.s.len()])', '.s.last()'],
	['$1.set(d, $1.d.set(str($2.a), $1.d.len()))', '.d.len()'], ['$1.set(t, $1.get(t, []) + [$1.t.len(), $2.k])', '.t.len()'],
	['$1.set(d, $1.get(d, {}).set(l, $1.get(d, {}).get(l, []) + [$1.get(d, {}).get(l, []).len()]))', '.d.l.len()'],
	['$1.set(k, $1.get(k, "") + $2.k)', '.k.len()'],
	['$1.mergeWith({s => [$2.a]}, $1 + $2)', '.s.len()'], ['$1.mergeWith({d => {str($2.a) => 1}}, null, $1 + $2)', '.d.len()'],
	['$1.mergeWith({str($2.a) => $2.a}, null, max($1, $2))', '.len()'],
	['$1.set(u, $1.get(u, set()).difference(set($2.a - 9000)).union(set(-$2.a, $2.a)).remove($2.k))', '.u.len()'],
	['$1.set(s, $1.s.append($2.a).toList())', '.s.len()'], ['$1.set(s, $1.s.concat([$2.a], [1]).toList())', '.s.len()'],
	['$1.set(u, $1.get(u, set()).union(set($2.a)))', '.u.len()'], ['$1.set(u, $1.get(u, set()).union([$2.a, $2.k].toSet()))', '.u.len()'],
	['$1 + dict(str($2.a) => $2.a)', '.len()'], ['$1.set({str($2.a) => $2.a})', '.len()'], ['$1.set(str($2.a) => $2.a)', '.len()'],
	['$1.set($2.k => $1.get($2.k, []) + [$2.a])', '.k3.len()'], ['$1.set(k, $1.get(k, {}).set(str($2.a) => 1))', '.k.len()'],
	['$1.mergeWith(dict(str($2.a) => $2.a))', '.len()'], ['$1.set(s, $1[s] + [$2.a])', '.s.len()'],
	['$1.set(r, {n => $1.get(r, {n => 0}).n + 1, l => $1.get(r, {l => []}).l + [$2.a]})', '.r.l.len()'],
	['let(e => $1.get(r, {n => 0, l => []})) -> $1.set(r, {n => $e.n + 1, l => $e.l + [$2.a]})', '.r.l.len()'],
	['$1.set(r, [$1.get(r, [0, []])[0] + 1, $1.get(r, [0, []])[1] + [$2.a]])', '.r[1].len()'],
	['$1.set(q, $1.get(q, [[], []]).replace(1, $1.get(q, [[], []])[1] + [$2.a]).toList())', '.q[1].len()'],
	['$1.set(t, $1.get(t, []) + [$2].select([$.a, $.k]).toList())', '.t.len()'], ['$1 + [$2].toDict(str($.a), 1)', '.len()'],
	['$1.set(k, $1.get(k, {}).set(str($2.a), $1.get(k, {}).len()))', '.k.len()'], ['$1.set(k, $1.get(k, set()).add($2.a))', '.k.len()'],
) {
	my ($lambda, $then) = @$_;
	my ($rc, $got, $err) = vetro({ in => $list, limit => 100 }, 'query', "\$.aggregate($lambda, $start)$then");
	ok($rc == 0 && $got =~ /^\d+$/ && $got > 28_000, "many: $lambda", $rc, $got, $err);
	linear("\$.aggregate($lambda, $start)$then", @files);
}
# a dict whose keys go one by one
{
	my $gone = '$.aggregate($1.delete(str($2.a)), $.toDict(str($.a), $.k)).len()';
	is((vetro({ in => $list, limit => 100 }, 'query', $gone))[1], "0\n", 'delete() of each key');
	linear($gone, @files);
}
# keys that are data, one a dict, leave room for the shapes of records
{
	my @crowds = map { spew("$W/crowd$_.json", $json->encode([map { { "id$_" => $_ } } 1 .. $_])); "$W/crowd$_.json" } 1000, 3000, 12_000;
	for my $all ('$.aggregate({s => $1.s + [1], n => $1.n + 1}, {s => [], n => 0}).n', '$.aggregate($1 + $2).len()', '$.aggregate($1 + $2, {}).len()') {
		is((vetro('query', $all, $crowds[2]))[1], "12000\n", "many dicts of their own keys: $all");
		linear($all, @crowds);
	}
}
# `.name` of a list gives its items at once, as select() does
for my $walk ('.aggregate($1 + $2)', '.sum()', '.where($ > 3).len()') {
	skip(1, 'nobody counts instructions here') && next if !counts_instructions();
	my @of = map { my $e = $_; map { instructions("$vetro query '$e$walk' $_") } @files[0, 2] } '$.a', '$.select($.a)';
	my ($name, $selected) = ($of[1] - $of[0], $of[3] - $of[2]);
	ok($name < 1.2 * $selected, "\$.a$walk is as quick as \$.select(\$.a)$walk", "$name instructions for 11,000 records, $selected");
}
# few pairs of a join, a few in each of the first pieces: the rest goes on as quickly
my ($rc, $got) = vetro({ in => $list, limit => 100 }, 'query', '$.join(range(7), $1.k = "k" + str($2) and $1.a mod 50 = 0, $1.a).len()');
is($got, "4000\n", 'a join that lets little through');

# ---- whole expressions over small documents

for (
	['dict(a => $.a, n => $.l.where($ > 1).len(), c => coalesce($.o.get(x), 7))', '{"a":1,"c":7,"n":2}'],
	['$.a = 1 and $.k in [x, y, k0]', 'true'], ['$.k in [1, null, x]', 'false'], ['$.a in [true]', 'true'], ['1.0 in [$.a, 2]', 'true'],
	['$.l in [[1], [1, 2, 3]]', 'true'], ['dict(a => 1, a => 2)', '{"a":2}'], ['let(x => $.a) -> {$.k => $x}', '{"k0":1}'],
	['[$.l.last(), $.l.select($ * 2).last(), $.o.values().last(5)]', '[3,6,5]'],
) {
	my ($expr, $want) = @$_;
	my $got = answer($expr, { a => 1, k => 'k0', l => [1, 2, 3], o => {} });
	is($got, $want, $expr);
}
# A dict() of the expression's own is not the library's: the reference cannot choose between them.
like(answer($_, undef), qr/Ambiguous function \\"dict\\"/, $_) for 'def(dict, 5) -> dict(a => 1)', 'def(dict, 5) -> [1].select(dict(a => $))';
like(answer('[1].select({a => 1}.values().len())', undef), qr/No method \\"len\\" for receiver/, 'values() has no length in a lambda either');
# What get() would give if there were nothing is worked out in any case.
for (
	'$.select(switch($.a > 90 => 1, true => $.o.get(k, $.a.len())))', '$.select($.o.get(k, $.a.len()))', '$.select(coalesce(null, $.o.get(k, $.a.len())))',
	'$.aggregate($1 + switch($2.a > 90 => 1, true => $2.o.get(k, $2.a.len())), 0)',
	'$.aggregate($1.set(k, switch($2.a > 90 => 1, true => $1.get(k, $2.a.len()) + 1)), {k => 0})',
	'$.takeWhile(switch($.a > 90 => false, true => $.o.get(k, $.a.len()) = 1))',
) {
	like(answer($_, [map { { a => $_, o => { k => 1 } } } 1 .. 12]), qr/No method \\"len\\" for receiver/, "as it is in $_");
}
close $in;
waitpid($pid, 0);
done();
