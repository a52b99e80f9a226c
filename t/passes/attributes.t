#!/usr/bin/perl
# `.name` of a collection: each item's, many at once where nothing can change meanwhile, in the order and with the errors that one
# after the other has.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Session;
use Tap;

my $dir = package_dir('attributes', { 'manifest.yaml' => <<'M', 'Classes/Item.yaml' => <<'I', 'Classes/Other.yaml' => <<'O', 'Classes/Main.yaml' => <<'Y' });
Format: 1.4
Type: Application
FullName: t.names
Classes: {t.names.Main: Main.yaml, t.names.Item: Item.yaml, t.names.Other: Other.yaml}
M
Namespaces: {=: t.names}
Name: Item
Properties:
  price: {Contract: $.int().notNull(), Usage: InOut}
  name: {Contract: $.string().notNull()}
  tags: {Contract: [$.string()]}
Methods:
  reprice:
    Arguments: [p: {Contract: $.int().notNull()}]
    Body:
      - $.price: $p
I
Namespaces: {=: t.names}
Name: Other
Extends: Item
Properties:
  more: {Contract: $.int(), Default: 1}
O
Namespaces: {=: t.names}
Name: Main
Properties:
  items: {Contract: [$.class(Item).notNull()], Usage: InOut, Default: []}
  rows: {Contract: [{price: $.int(), name: $.string()}], Usage: InOut, Default: []}
Methods:
  fill:
    Arguments: [n: {Contract: $.int().notNull()}]
    Body:
      - $.items: range($n).select($this.one($)).toList()
      - $.rows: range($n).select(dict(price => $, name => 'n' + str($))).toList()
  one:
    Arguments: [i: {Contract: $.int().notNull()}]
    Body:
      - If: $i mod 3 = 1
        Then:
          - Return: new(Other, price => $i, name => 'n' + str($i), tags => [a, b])
      - Return: new(Item, price => $i, name => 'n' + str($i), tags => [a, b])
  sums:
    Scope: Public
    Body:
      Return: [$.items.price.sum(), $.rows.price.sum(), $.items.where($.price > 3).price.max(), $.rows.where($.price > 3).name.join(''),
        5 in $.items.price, $.items.tags.flatten().len(), ($.rows + $.items).price.sum(), $.items.price.where($ mod 2 = 0).len()]
  walked:
    Scope: Public
    Body:
      - $r: []
      - For: p
        In: $.items.price
        Do:
          - $r: $r + [$p]
          - $l: $.items.last()
          - $l.reprice(99)
      - Return: $r
  touch:
    Arguments: [p: {Contract: $.int().notNull()}]
    Body:
      - $l: $.items.last()
      - $l.reprice(77)
      - Return: $p > 1
  filtered:
    Scope: Public
    Body:
      Return: $.items.price.where($this.touch($)).toList()
  mapped:
    Scope: Public
    Body:
      Return: $.items.price.select([$, $this.touch($)]).last()
  missing:
    Scope: Public
    Body:
      - Try:
          - Return: $.items.more.sum()
        Catch:
          As: e
          Do:
            Return: $e.message
  part:
    Scope: Public
    Body:
      Return: $.items.skip(1).take(1).more.sum() + $.items.take(2).more.last()
Y
my %want = (
	sums => '[66,66,11,"n4n5n6n7n8n9n10n11",true,24,132,6]',
	walked => '[0,1,2,3,4,5,6,7,8,9,10,11]',
	filtered => '[2,3,4,5,6,7,8,9,10,77]', mapped => '[77,true]',
);
for my $flags (['-O1'], ['-O0', '-fno-passes']) {
	my ($rc, $out, $err) = vetro('build', @$flags, '-o', "$W/names", $dir);
	ok($rc == 0, "the package builds with @$flags: a contract and a dict have the same keys", $err) or next;
	my $s = Session->run('{"Objects":{"?":{"type":"t.names.Main","id":"root"}}}', "$W/names", 'session', '--expose', '*');
	for my $round (1 .. 3) { # the caches know more then
		for my $m (sort keys %want) {
			$s->call('fill', '[12]');
			$s->gives("$m, $round, @$flags", $m, '[]', $want{$m});
		}
		$s->call('missing', '[]');
		like($s->{raw}, qr/more/, "an item that has no such property, @$flags");
		$s->fails("one among those that are read, $round, @$flags", 'part', '[]', 'PropertyReadError');
	}
	$s->stop;
}
done();
