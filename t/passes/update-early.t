#!/usr/bin/perl
# A part of what is assigned changes before its statement has come to its end, and what `and` and `or` choose, or a contract of the
# property turns into something else, changes where it is: four times the items take four times the instructions.
# t/data/murano/oracle-early and oracle-made have what such methods give, with other holders too, as murano answered them.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Growing;
use Tap;

my @grow = ( # what $d begins with, the statement
	['{}', '$d: $d.set(k, $d.get(k, []).append($i).append($i + 1))'],
	['{}', '$d: $d.set(k, $d.get(k, {}).delete(x).set(str($i), $.twice($i)))'],
	['{}', '$d: $d.set(k, $d.get(k, set()).add($i).add(-$i))'],
	['{}', '$d: $d.set(k, $d.get(k, []) + [$i] + [$i + 1])'],
	['{}', '$d: $d.set(k, $d.get(k, []).append($i)).set(j, $d.get(j, []).append($i))'],
	['{}', '$d: $d + {k => $d.get(k, []) + [$i]}'],
	['{l => [], m => {}}', '$d: $d + {l => $d.l.append($i), m => $d.m.set(str($i), 1)}'],
	['{l => [], m => {}}', '$d: {l => $d.l.append($i), m => $d.m.set(str($i), 1)}'],
	['{n => {l => [], c => 0}}', '$d: $d.set(n, {l => $d.n.l + [$i], c => $d.n.c + 1})'],
	['{n => {l => [], c => 0}}', '$d: $d.set(n, $d.n.set(l, $d.n.l + [$i]).set(c, $d.n.c + 1))'],
	['1', '$.any: $.any.set(k, $.any.get(k, []).append($i).append(1))'],
	['1', '$.any: $.any + {k => $.any.get(k, []) + [$i]}'],
	['1', '$.dict: $.dict.set(str($i), 1).set(a, 1).set(b, 2).set(c, 3).set(e, 4)'],
	['[]', in_try('$d: $d.append($i).append(1).append(2).append(3).append(4)')],
	['{}', '$d: $i mod 2 = 0 and $d.set(str($i), 1) or $d'],
	['[]', '$d: $i mod 2 = 0 and $d + [$i] or $d'],
	['set(1)', '$d: $d.contains($i) and $d or $d.add($i)'],
	['1', '$.any: $i mod 2 = 0 and $.any.set(str($i), 1) or $.any'],
	['{}', in_try('$d: $i mod 2 = 0 and $d.set(str($i), 1) or $d')],
	['set(0)', '$d: $d + set($i)'],
	['[]', '$d: list($d.append($i))'],
	['[]', '$d: $d.append(switch($i mod 3 = 0 => [1], $i mod 3 = 1 => abc, true => {a => 1}))'],
	['{}', '$d: $d.set(str($i), switch($i mod 3 = 0 => [1], $i mod 3 = 1 => abc, true => 5))'],
	['1', q{$.dict: $.dict.set(str($i), '5')}],
	['1', q{$.dict[str($i)]: '5'}],
	['1', '$.list: $.list.append(str($i))'],
	['1', '$.list: $.list + [str($i)]'],
);
grow_evenly('early', <<'C', @grow);
Properties:
  list: {Contract: [$.int()], Default: [], Usage: Runtime}
  dict: {Contract: {$.string(): $.int()}, Default: {}, Usage: Runtime}
  any: {Contract: $, Default: {}, Usage: Runtime}
Methods:
  twice:
    Arguments: [{i: {Contract: $.int()}}]
    Body:
      - Return: $i * 2
C
done();
