#!/usr/bin/perl
# Pipelines of methods, whose calls are made one by one where the pipeline is not for the receiver; and writes below $this.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $dir = package_dir('pipelines', { 'manifest.yaml' => <<'M', 'Classes/Main.yaml' => <<'Y' });
Format: 1.4
Type: Library
FullName: t.pipelines
Classes: {t.pipelines.Main: Main.yaml}
M
Namespaces: {=: t.pipelines}
Name: Main
Properties:
  n: {Contract: $.int(), Usage: InOut, Default: 0}
  rows: {Contract: [$.int()], Usage: InOut, Default: [3, 1, 2]}
Methods:
  of:
    Scope: Public
    Arguments: [{v: {Contract: $}}, {k: {Contract: $.int()}}]
    Body:
      - $what: [a, b]
      - Return:
          - $v.where($ > $k).select([$, $k, $what.first()])
          - $v.select($ + $k).where($ mod 2 = 0).len()
  kinds:
    Scope: Public
    Body:
      - $l: [5, 6, 7]
      - Return:
          - $.of($l, 5)
          - $.of($l.select($ + 1), 6)
          - $.of(set(8), 1)
          - $.of([5, 6, 7].orderByDescending($), 5)
          - $.of([], 0)
  bad:
    Scope: Public
    Arguments: [{v: {Contract: $}}]
    Body:
      - Try:
          - Return: $.of($v, 1)
        Catch: {As: e, Do: [{Return: $e.message}]}
  loop:
    Scope: Public
    Arguments: [{n: {Contract: $.int().notNull()}}]
    Body:
      - $i: 0
      - $sum: 0
      - While: $i < $n
        Do:
          - $i: $i + 1
          - $sum: $sum + list(1, 2, 3).where($ <= $i).select($ * $i).sum(0)
      - Return: $sum
  chosen:
    Scope: Public
    Arguments: [{first: {Contract: $.bool()}}]
    Body:
      - $l: switch($first => $.rows.where($ > 1), true => $.rows.select($ * 10))
      - Return:
          - $l.len()
          - $l.first(none)
  fails:
    Scope: Public
    Body:
      - $l: [1, 2, x]
      - Try:
          - $.n: 7
          - Return: $l.select($ * 2 - 1).where($ > 0).len()
        Catch: {As: e, Do: [{Return: $.n}]}
  written:
    Scope: Public
    Body:
      - $.n: 4
      - $.n: $.n + 1
      - $.rows: $.rows + [9]
      - $.rows: $.rows.append(10)
      - Try: [{$.n: $.rows.select('a').first()}]
        Catch: {As: e, Do: [{$.n: $.n + 1}]}
      - Return: [$.n, $.rows]
Y

my $call = join "\n", map { qq({"op":"call","target":"m","method":"$_->[0]","args":[$_->[1]]}) } ['kinds', ''],
	['bad', '"text"'], ['bad', '5'], ['bad', 'null'], ['bad', '{"a": 1}'], ['loop', '40'], ['chosen', 'true'], ['chosen', 'false'],
	['fails', ''], ['written', ''];
my $session = qq({"op":"load","model":{"Objects":{"?":{"type":"t.pipelines.Main","id":"m"}}}}\n$call\n);

sub answers {
	my ($rc, undef, $err) = vetro('build', @_, '-o', "$W/bin", $dir);
	return $rc ? "status $rc: $err" : (run_program({ in => $session }, "$W/bin", 'session'))[1];
}
my $want = answers('-O0', '-fno-fuse');
like($want, qr/\[\[\[6,5,"a"\],\[7,5,"a"\]\],2\]/, 'the calls one by one');
is(answers('-O0'), $want, 'the pipeline');
is(answers('-O0', "-fno-$_"), $want, "and without $_") for qw(escape capture borrow flow lambda-programs update grow);
is(answers('-O1'), $want, 'and with what a C compiler makes of it');
done();
