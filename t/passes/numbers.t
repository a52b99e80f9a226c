#!/usr/bin/perl
# Numbers of two kinds in methods, and functions that have a quick way for floats, against Python; what loops walk and elements
# of elements of lists that a method keeps to itself, with all passes and without.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IPC::Open2;
use JSON::PP;
use Session;
use Tap;

my $python = '/usr/bin/python3';
my $json = JSON::PP->new->allow_nonref;
my @numbers = qw(0 1 -1 2 3 -7 10 255 9007199254740993 4611686018427387903 -4611686018427387904 1180591620717411303424
	0.0 -0.0 0.5 -2.5 3.0 1e-40 -1e40 1e300 7.25);
my @ops = (['$a - $b', 'a - b'], ['$a * $b', 'a * b'], ['$a / $b', 'div(a, b)'], ['$a + $b', 'a + b'], ['pow($a, $b)', 'power(a, b)'],
	['max($a, $b)', 'a if not b > a else b'], ['min($a, $b)', 'a if b > a else b'], ['bitwiseNot($a)', '~a']);

my $methods = '';
for my $i (0 .. $#ops) {
	$methods .= <<"M";
  testOp$i:
    Arguments: [{pairs: {Contract: [[\$]]}}]
    Body:
      - \$r: []
      - For: p
        In: \$pairs
        Do:
          - \$a: \$p[0]
          - \$b: \$p[1]
          - Try:
              - \$x: $ops[$i][0]
              - \$r: \$r + [str(\$x)]
            Catch:
              - Do:
                  - \$r: \$r + [error]
      - Return: \$r
M
}
$methods .= <<'M';
  testItems:
    Arguments: [{n: {Contract: $.int()}}]
    Body:
      - $code: [[push, 6], [add, [1, 2]], [x, 3.5], [last]]
      - $r: []
      - For: i
        In: range($n)
        Do:
          - Try:
              - $k: ($i mod 7) - 2
              - $what: $code[$k][0]
              - $r: $r + [str($what)]
              - $with: $code[$k][1]
              - $r: $r + [str($with)]
            Catch:
              - As: e
                Do:
                  - $r: $r + [$e.message]
      - Return: $r
  testWalks:
    Arguments: [{n: {Contract: $.int()}}]
    Body:
      - $r: []
      - $l: [[1, a], [2.5, b], null]
      - $d: {x: 1, y: [2]}
      - For: i
        In: range($n)
        Do:
          - For: x
            In: $l
            Do:
              - $l: $l.take(3).toList() + [$i]
              - $r: $r + [str($x)]
          - For: k
            In: $d.keys()
            Do:
              - $d[k]: $i
              - $r: $r + [str($d[$k])]
          - For: y
            In: $l.where($ != null).select([$, $i])
            Do:
              - If: $i mod 2 = 0
                Then: [Continue: ]
              - $r: $r + [str($y)]
      - Return: $r
M

my $program = <<'P';
import json, sys
def div(a, b):
    return a // b if isinstance(a, int) and isinstance(b, int) else a / b
def power(a, b):
    if isinstance(a, int) and isinstance(b, int) and abs(a) > 1 and b > 300:
        raise OverflowError
    r = a ** b
    if isinstance(r, complex):
        raise ValueError
    return r
ops, pairs = json.loads(sys.stdin.readline())
for op in ops:
    out = []
    for a, b in pairs:
        try:
            out.append(str(eval(op)))
        except (ArithmeticError, ValueError, TypeError):
            out.append('error')
    print(json.dumps(out))
P

# Powers of huge exponents are not asked for: both would compute for long.
sub asked { my ($op) = @_; return $op =~ /^pow/ ? grep { abs($_->[1]) <= 40 && abs($_->[0]) < 1e30 } @_[1 .. $#_] : @_[1 .. $#_] }

my @pairs = map { my $a = $_; map { [$a, $_] } @numbers } @numbers;
sub pairs_of { return '[' . join(',', map {"[$_->[0],$_->[1]]"} asked(@_, @pairs)) . ']' }

spew("$W/p/manifest.yaml", "Format: 1.4\nType: Application\nFullName: t.numbers\nName: t\nClasses: {t.Main: m.yaml}\n");
spew("$W/p/Classes/m.yaml", "Namespaces: {=: t}\nName: Main\nMethods:\n$methods");
my %said;
for my $how (['all'], ['none', '-fno-passes']) {
	my ($name, @flags) = @$how;
	my ($rc, $out, $err) = vetro('build', '-O1', @flags, '-o', "$W/$name", "$W/p");
	ok($rc == 0, "the package builds: $name", $out . $err) or next;
	my $s = Session->run('{"Objects":{"?":{"type":"t.Main","id":"r"}}}', "$W/$name", 'session', '--expose', 'test*');
	for my $i (0 .. $#ops) {
		my $args = '[' . pairs_of($ops[$i][0]) . ']'; # as it stands: Perl would make other numbers of them
		push @{ $said{$name} }, $s->send(qq({"op":"call","target":null,"method":"testOp$i","args":$args,"kwargs":{}}))->{value};
	}
	push @{ $said{"$name more"} }, $s->call($_, '[40]')->{value} // $s->{raw} for qw(testItems testWalks);
	ok($s->stop == 0, "the session ends well: $name");
}
is_lines([map { $json->encode($_) } @{ $said{'all more'} }], [map { $json->encode($_) } @{ $said{'none more'} }], 'walks and elements, with passes');
skip_all('no python3') unless -x $python;
for my $i (0 .. $#ops) {
	my $pid = open2(my $from, my $to, $python, '-c', $program);
	print $to '[[' . $json->encode($ops[$i][1]) . '],' . pairs_of($ops[$i][0]) . "]\n";
	close $to;
	my $want = decode_json(<$from>);
	waitpid $pid, 0;
	my @asked = asked($ops[$i][0], @pairs);
	for my $name (qw(all none)) {
		my @got = @{ $said{$name}[$i] };
		is_lines([map {"@{$asked[$_]}: $got[$_]"} 0 .. $#asked], [map {"@{$asked[$_]}: $want->[$_]"} 0 .. $#asked], "$ops[$i][0]: $name");
	}
}
done();
