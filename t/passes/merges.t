#!/usr/bin/perl
# mergeWith() with mergers in folds changes what was made so far where it lies. accumulate() keeps every step, so its last one is
# made anew each time: both have to be the same, and as it is written here what python yaql gives.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my @items = map { { id => $_, k => (qw(a b n))[$_ % 3], v => $_ % 5, f => $_ / 2, t => [(1, 2, 'x', 'y')[0 .. $_ % 4]],
	d => { p => $_, (qw(q r))[$_ % 2] => 1 } } } 0 .. 59;
my $data = $json->encode(\@items);

# a lambda, what the fold begins with, the value or a part of the message
for (
	['$1.mergeWith({$2.k => 1}, null, $1 + $2)', '{}', '{"a":20,"b":20,"n":20}'],
	['$1.mergeWith({$2.k => [$2.v]}, $1 + $2)', '{}'],
	['$1.mergeWith({$2.k => $2.t}, ($1 + $2).distinct().toList())', '{a => [z]}', '{"a":["z",1,2,"x","y"],"b":[1,2,"x","y"],"n":[1,2,"x","y"]}'],
	['$1.mergeWith({$2.k => {n => 1, sum => $2.v, l => [$2.id]}}, $1 + $2, $1 + $2)', '{}'],
	['$1.mergeWith($2.d, null, $1 + $2)', '{}', '{"p":1770,"q":30,"r":30}'],
	['$1.mergeWith($2.d, itemMerger => max($1, $2))', '{p => 7}', '{"p":59,"q":1,"r":1}'],
	['$1.mergeWith({$2.k => $2.f}, itemMerger => min($1, $2), listMerger => $2)', '{n => 100}', '{"a":0,"b":0.5,"n":1}'],
	['$1.mergeWith({$2.k => $2.f}, null, $1 + $2)', '{}'],
	['$1.mergeWith({$2.k => str($2.v)}, null, $1 + $2)', '{}'],
	['$1.mergeWith({$2.k => $2.d}, null, $1 + $2, 1)', '{}'],
	['$1.mergeWith({x => $2.d}, null, $1 + $2, 2)', '{}'],
	['$1.mergeWith({x => {y => {z => $2.v}}}, null, $1 + $2)', '{x => {y => {}}}', '{"x":{"y":{"z":120}}}'],
	['$1.mergeWith({x => {y => {z => $2.v}}}, null, $1 + $2)', '{x => {y => 1}}', undef, 'Cannot merge'],
	['$1.mergeWith({x => {$2.k => [$2.v]}}, $2 + $1)', '{}'],
	['$1.mergeWith({x => $2.v}, null, null)', '{}', '{"x":null}'], # a null that is written is a lambda that gives it
	['$1.mergeWith({x => [$2.v]}, null)', '{}', undef, 'Cannot merge'],
	['$1.mergeWith({x => $2.v, y => $2.k}, null, $1 + $2)', '{y => 1}', undef, '+'],
	['$1.mergeWith({x => 1, y => [$2.v]}, $1 + $2, $1 + $2).set(z, $2.id)', '{}'],
	['$1.set(z, $2.id).mergeWith({z => 1}, null, $1 + $2)', '{}', '{"z":60}'],
	['$1.mergeWith({x => 1}, null, $1 + $2).mergeWith({x => 2}, null, $1 + $2)', '{}', '{"x":180}'],
	['switch($2.v > 2 => $1.mergeWith({$2.k => 1}, null, $1 + $2), true => $1)', '{}', '{"a":8,"b":8,"n":8}'],
	['$1.set(q, $1.get(q, {}).mergeWith({$2.k => 1}, null, $1 + $2))', '{}', '{"q":{"a":20,"b":20,"n":20}}'],
	['$1.mergeWith({x => $1.get(x, 0)}, null, $1 + $2)', '{x => 1}'],
	['$1.mergeWith({$2.k => 1, $2.v => 1}, null, $1 + $2)', '{}', '{"0":12,"1":12,"2":12,"3":12,"4":12,"a":20,"b":20,"n":20}'],
	['$1.mergeWith({$2.k => 1, a => 5}, null, $1 + $2)', '{}'],
) {
	my ($lambda, $start, $want, $fails) = @$_;
	# What it begins with stays as it is.
	my ($rc, $got, $err) = vetro({ in => $data }, 'query', '-c',
		"let(s => $start) -> [\$.aggregate($lambda, \$s), \$.accumulate($lambda, \$s).last(), \$s]");
	if (defined $fails) {
		ok($rc != 0 && index($err, $fails) >= 0, "$lambda raises", $got, $err);
		next;
	}
	my ($whole, $steps, $first) = $rc == 0 ? @{ $json->decode($got) } : ();
	is($json->encode($whole), $want // $json->encode($steps), "$lambda with $start");
	is($json->encode($steps), $json->encode($whole), 'as step by step');
	is($json->encode($first), (vetro({ in => '1' }, 'query', '-c', $start))[1] =~ s/\n//r, 'what it begins with stays');
}
done();
