#!/usr/bin/perl
# What contracts and the collector note in lists and dicts (dict.h: vt_item_class) is seen by nobody: a list of integers that
# leaves is a list, and not one made of a set, whose mark stands at the same place.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Session;
use Tap;

my $dir = "$W/marked";
mkdir $dir;
mkdir "$dir/Classes";
spew("$dir/manifest.yaml", "Format: 1.4\nType: Application\nFullName: t\nVersion: 1.0.0\nName: t\nClasses: {t.Main: Main.yaml}\n");
spew("$dir/Classes/Main.yaml", <<'YAML');
Namespaces: {=: t, sys: io.murano.system}
Name: Main
Properties:
  ports: {Contract: [$.int()], Usage: InOut, Default: [1, 2]}
  flags: {Contract: {$.string(): $.int()}, Usage: InOut, Default: {a: 1}}
Methods:
  checked:
    Arguments:
      - l: {Contract: [$.int()]}
      - rest: {Contract: $.int(), Usage: VarArgs}
    Body:
      - Return: list($l, $rest, $rest.toList(), $l.toList())
  testChecked:
    Body:
      - $r: []
      - For: i
        In: range(3)
        Do:
          - $r: $r + [$.checked([$i, 2], 3, $i)]
      - Return: $r
  testProperty:
    Body:
      - Return: list($.ports, $.flags, $.ports.toList())
  testCollected:
    Body:
      - $.ports: [5, 6]
      - $.flags: dict(b => 2)
      - sys:GC.collect()
      - $.ports: $.ports + [text.len()]
      - $.flags: $.flags.set(c, 3)
      - sys:GC.collect()
      - Return: list($.ports, $.ports.toList(), $.flags, $.flags.keys().toList())
  testObjects:
    Body:
      - $l: [1, 2]
      - $.ports: $l
      - sys:GC.collect()
      - $held: [$l, new(Main)]
      - $l: $l + [new(Main, ports => [7])]
      - sys:GC.collect()
      - Return: list($l[2].ports, $held[1].ports, $.ports)
YAML

my ($rc, $out, $err) = vetro({ limit => 300 }, 'build', '-O0', '-o', "$W/marked.bin", $dir);
is($rc, 0, 'it builds') or print "# $out$err\n";
my $s = Session->run('{"Objects":{"?":{"type":"t.Main/1.0.0","id":"root"}}}', "$W/marked.bin", 'session', '--expose', 'test*');
for (['testChecked', '[[[0,2],[3,0],[3,0],[0,2]],[[1,2],[3,1],[3,1],[1,2]],[[2,2],[3,2],[3,2],[2,2]]]'],
	['testProperty', '[[1,2],{"a":1},[1,2]]'],
	['testCollected', '[[5,6,4],[5,6,4],{"b":2,"c":3},["b","c"]]'],
	['testObjects', '[[7],[1,2],[1,2]]']) {
	$s->call($_->[0], '[]');
	like($s->{raw}, qr/\Q$_->[1]\E/, "$_->[0] gives lists") or print "# $s->{raw}\n";
}
done();
