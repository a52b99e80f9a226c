#!/usr/bin/perl
# Items of an iterator that is edited, searched or counted are taken many at a time, and copies of dicts keep their index: counted
# in instructions, beside a walk that has long been quick. What they give is in t/data/yaql/edits.txt.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->utf8;
my @people = map { { id => $_, name => "n$_", skills => { map { ("s$_" => 1) } 0 .. $_ % 4 } } } 0 .. 11_999;
my @files = map { spew("$W/$_.json", $json->encode({ p => [@people[0 .. $_ - 1]], at => { map { ("k$_" => $_) } 0 .. $_ - 1 } })); "$W/$_.json" } 1000, 12_000;

# Instructions for 11,000 records.
sub for_each { my ($query) = @_; return instructions("$vetro query '$query' $files[1]") - instructions("$vetro query '$query' $files[0]") }

if (counts_instructions()) {
	my $reading = for_each('1');
	my $walk = for_each('$.p.id.where($ > 5).len()') - $reading;
	for (['$.p.id.insert(5, 1).len()', 2], ['$.p.id.delete(5).len()', 2], ['$.p.id.replace(70, 1).len()', 2], ['$.p.id.all($ >= 0)', 1.5],
		['$.p.id.any($ < 0)', 1.5], ['(-1 in $.p.id)', 2], ['$.p.id.indexOf(-1)', 2], ['$.p.append(1).len()', 0.7], ['$.p.concat($.p).len()', 0.7],
		['$.p.slice(10).select($.len()).sum()', 2.5], ['$.p.where(s3 in $.skills.keys()).len()', 3.5],
		['$.p.select($.skills.keys()).flatten().len()', 10]) {
		my ($query, $most) = @$_;
		my $took = for_each($query) - $reading;
		ok($took < $most * $walk, "$query is quick", "$took instructions for 11,000 records, $walk for a walk");
	}
	my $own = for_each('$.at.keys().toDict($, 1).len()') - $reading;
	my $copied = for_each('($.at + {zz => 1}).len()') - $reading;
	ok($copied < $own / 2, 'a copy of a dict keeps its index', "$copied instructions for 11,000 keys, $own for a new dict");
	# who finds something soon has asked for little
	my $file = spew("$W/long.json", $json->encode([(3000) x 200])) && "$W/long.json";
	my ($none, $first, $any) = map { instructions("$vetro query '$_' $file") } '1',
		map { "\$.select(generate(0, \$ < 3000, \$ + 1).len() + \$)$_" } '.first()', '.any($ > 0)';
	ok($first > $none && $any - $none < 2 * ($first - $none), 'any() makes no more items than it needs',
		"$any instructions, $first for the first item, $none for none");
} else {
	skip(1, 'nobody counts instructions here');
}

# Copies of dicts of all sizes: whole, with a key more, without one, and what they are made of stays as it is.
my @sizes = (0 .. 70, 96, 127, 128, 129, 500, 1000, 1023, 1024, 1025, 5000, 20_000);
my $expr = 'let(more => $ + {zz => 1}, less => $.delete(k3), made => $.keys().toDict($, 2) + {zz => 3}, all => $) -> '
	. '[$more.len(), $less.len(), $made.len(), $more.zz, $all.len(), $all.keys().all($ in $more.keys()), '
	. '$all.keys().where($ != k3).all($less.containsKey($)), '
	. '$all.keys().all($made.get($) = 2), $less.containsKey(k3), $all.containsKey(zz), $more.keys().last()]';
my $lines = join '', map { $json->encode({ expr => $expr, data => { map { ("k$_" => $_) } 0 .. $_ - 1 } }) . "\n" } @sizes;
my @got = map { $json->decode($_)->{value} } split /\n/, (vetro({ in => $lines, limit => 60 }, 'query', '--batch'))[1];
my $yes = JSON::PP::true;
my $no = JSON::PP::false;
for my $i (0 .. $#sizes) {
	my $n = $sizes[$i];
	is_json($got[$i], [$n + 1, $n - ($n > 3), $n + 1, 1, $n, $yes, $yes, $yes, $no, $no, 'zz'], "copies of $n keys");
}
done();
