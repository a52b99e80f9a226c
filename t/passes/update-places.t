#!/usr/bin/perl
# What is assigned is made of what stands there, by a choice, by mergeWith() with functions, through set() and replace() of what holds
# it, by chains in a property or inside of Try: it changes where it is, so four times the items take four times the instructions.
# t/data/murano/oracle-places has what such methods give, with other holders too, as murano answered them.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Growing;
use Tap;

my @grow = ( # what $d begins with, the statement
	['{}', '$d: switch($i mod 5 = 0 => $d, $i mod 5 = 1 => $d.delete(x), true => $d.set(str($i), 1))'],
	['set()', '$d: switch($i mod 5 = 0 => switch($i < 7 => $d, true => $d.remove(-$i)), true => $d.add($i).add(-$i))'],
	['[]', '$d: selectCase($i mod 3 = 0, $i mod 3 = 1).switchCase($d, $d.append($i), $d + [$i, 1])'],
	['[]', '$.list: switch($i mod 3 = 0 => $.list, true => $.list.append($i))'],
	['{a => []}', '$d[a]: switch($i mod 3 = 0 => $d[a], true => $d.a.append($i))'],
	['{}', '$d: $.put($d, $i)'],
	['null', '$d: coalesce($d, {}).set(str($i), 1).set(x, $i)'],
	['[]', '$d: coalesce($d, []).append($i)'],
	['{}', '$d: $d.mergeWith({str($i) => 1, a => 1}, null, $1 + $2)'],
	['{}', '$d: $d.mergeWith({x => {str($i) => 1, l => [$i]}}, $1 + $2, $1 + $2)'],
	['{}', '$.dict: $.dict.mergeWith({str($i) => 1, a => 1}, itemMerger => $1 + $2)'],
	['{}', '$d: $d.set(k, $d.get(k, {}).set(str($i), 1))'],
	['{}', '$d: $d.set(k, $d.get(k, []).append($i))'],
	['{}', '$d: $d.set(k, coalesce($d.get(k), []) + [$i])'],
	['{}', '$d: $d.set(k, switch($i mod 2 = 0 => $d.get(k, []), true => $d.get(k, []).append($i)))'],
	['{}', '$d: $d.set(k, $d.get(k, {}).set(j, $d.get(k, {}).get(j, []) + [$i]))'],
	['{k => {j => {}}}', '$d[k]: $d[k].set(j, $d.k.j.set(str($i), 1))'],
	['[{n => []}, 1]', '$d: $d.replace(0, $d[0].set(n, $d[0].n.append($i)))'],
	['{}', '$.dicts: $.dicts.set(k, $.dicts.get(k, {}).set(str($i), 1))'],
	['[]', '$.list: $.list.append($i).append($i + 1)'],
	['{}', '$.dict: $.dict.set(str($i), 1).set(b, $.dict.len()).delete(str($i - 1))'],
	['{k => []}', '$d[k]: $d[k].append($i, 1).append(str($i))'],
	['{}', in_try('$d: $d.set(str($i), 1).set(b, $d.len())')],
	['[]', in_try('$d: $d.append($i).append($i * 2)')],
	['{}', "\$d: \$d.mergeWith({str(\$i) => 1}, null, \$1 + \$2)\n          - \$e: switch(\$i = 3 => \$d.len(), true => 1)"],
);
grow_evenly('places', <<'C', @grow);
Properties:
  list: {Contract: [$.int()], Default: [], Usage: Runtime}
  dict: {Contract: {$.string(): $.int()}, Default: {}, Usage: Runtime}
  dicts: {Contract: {$.string(): {$.string(): $.int()}}, Default: {}, Usage: Runtime}
Methods:
  put:
    Arguments: [{d: {Contract: $}}, {i: {Contract: $.int()}}]
    Body:
      - Return: !yaql "switch($i mod 5 = 0 => $d, true => $d.set(str($i), 1))"
C
done();
