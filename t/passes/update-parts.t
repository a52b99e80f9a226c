#!/usr/bin/perl
# A part that a variable has been given before changes where it is, and so does what a variable has that nobody reads again: four times
# the items take four times the instructions. t/data/murano/oracle-given has what such methods give, with others that look at the parts,
# as murano answered them.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Growing;
use Tap;

# Statements in a row.
sub steps { return join "\n          ", map {"- $_"} @_ }

my @grow = ( # what $d begins with, the statements
	['{}', steps('$l: $d.get(k, [])', '$l: $l + [$i]', '$d: $d.set(k, $l)')],
	['{}', steps('$k: str($i mod 2)', '$l: $d.get($k, [])', '$l: $l.append($i)', '$d[$k]: $l')],
	['{}', steps('$k: [a, $i]', '$l: $d.get($k[0], [])', '$d: $d.set($k[0], $l + [$i, 1])')],
	['{}', steps('$l: $d.get(k, [])', '$m: $l.append($i).toList()', '$d: $d.set(k, $m)')],
	['[{}]', steps('$o: $d[0]', '$o: $o.set(str($i), 1)', '$d: $d.replace(0, $o)')],
	['[{}]', steps('$o: $d[0]', '$o[str($i)]: 1', '$d[0]: $o')],
	['{a => {l => [], n => 0}}', steps('$o: $d.get(a)', '$o: $o.set(l, $o.l + [$i]).set(n, $o.n + 1)', '$d: $d.set(a, $o)')],
	['{a => {l => [], n => 0}}', steps('$o: $d.get(a)', '$d: $d.set(a, $o.set(l, $o.l + [$i]))')],
	['{a => {l => [], n => 0}}', steps('$o: $d.get(a)', '$d[a]: $o + {l => $o.l + [$i], n => $o.n + 1}')],
	['{a => {b => []}}', steps('$o: $d.a', '$l: $o.b', '$l: $l + [$i]', '$o: $o.set(b, $l)', '$d: $d.set(a, $o)')],
	['[[], 0]', steps('$l: $d[0]', '$n: $d[1]', '$l: $l + [$i]', '$d: [$l, $n + 1]')],
	['[[], 0]', steps('$l: $d[0]', '$d: [$l + [$i], $d[1] + 1]')],
	['[[], 0]', '$d: [$d[0] + [$i], $d[1] + 1]'],
	['[[], 0]', '$d: [$d[0].append($i).toList(), $d[1] + 1]'],
	['{l => [], n => 0}', '$d: dict(l => $d.l + [$i], n => $d.n + 1)'],
	['[]', steps('$e: $d + [$i]', '$d: $e')],
	['{}', steps('$e: $d.set(str($i), 1)', '$d: $e')],
	['[]', steps('$r: $.pushed($d, $i)', '$d: $r[0]')],
	['{l => []}', '$d: $.put($d, $i)'],
	['1', steps('$l: $.any.get(k, [])', '$l: $l + [$i]', '$.any: $.any.set(k, $l)')],
	['1', steps('$l: $.any.get(k, [])', '$.any[k]: $l + [$i]')],
	['1', steps('$l: $.any.get(k, [])', '$.any: $.any.set(k, $l + [$i])')],
	['1', steps('$l: $.lists.get(k, [])', '$l: $l.append($i)', '$.lists: $.lists.set(k, $l)')],
	['1', steps('$l: $.list', '$l: $l + [$i, $i]', '$.list: $l')],
	['1', steps('$l: $.any', '$l: $l.set(str($i), 1)', '$.any: $l')],
);
grow_evenly('parts', <<'C', @grow);
Properties:
  list: {Contract: [$.int()], Default: [], Usage: Runtime}
  lists: {Contract: {$.string(): [$.int()]}, Default: {}, Usage: Runtime}
  any: {Contract: $, Default: {}, Usage: Runtime}
Methods:
  pushed:
    Arguments: [{l: {Contract: $}}, {i: {Contract: $}}]
    Body:
      - Return: !yaql '[$l + [$i], $i]'
  put:
    Arguments: [{d: {Contract: $}}, {i: {Contract: $}}]
    Body:
      - $l: $d.l
      - Return: $d.set(l, $l + [$i])
C
done();
