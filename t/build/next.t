#!/usr/bin/perl
# `next` of vetro gdb: the statements that a method takes, one after the other, the same with -O0 and with -O2.
use strict;
use warnings;
use Cwd qw(realpath);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my ($found) = run_program({merge => 1}, 'sh', '-c', 'command -v gdb');
skip_all('gdb is not installed (apt-get install gdb)') if $found != 0;
# Each statement is named by what stands behind its #.
my $oops = "Name: Oops\nNamespaces: {=: my.next}\n";
my $dir = realpath(package_dir('next', {'manifest.yaml' => <<'Y', 'Classes/App.yaml' => <<'C', 'Classes/Oops.yaml' => $oops}));
{Format: '1.4', Type: Library, FullName: my.next, Classes: {my.next.App: App.yaml, my.next.Oops: Oops.yaml}}
Y
Name: App
Namespaces: {=: my.next}
Properties:
  items: {Contract: [$.int()], Default: [5, 3, 8]}
  seen: {Contract: $.int(), Usage: Runtime, Default: 0}
Methods:
  branches:
    Scope: Public
    Body:
      - $total: 0 # a
      - $words: [] # b
      - For: i # for
        In: $.items # in
        Do:
          - $square: $this.square($i) # c
          - If: $square > 10 # if
            Then:
              - $total: $total + $square # then
            Else:
              - $words: $words + [str($square)] # else
      - $n: 0 # n
      - While: $n < 2 # while
        Do:
          - $n: $n + 1 # up
      - Return: [$total, $words] # end
  square:
    Arguments: [n: {Contract: $.int()}]
    Body:
      - $r: $n * $n # sq
      - Return: $r # sqend
  queries:
    Scope: Public
    Body:
      - $big: $.items.where($ > 4).select($this.square($)).orderBy(-$) # q1
      - $sum: $big.sum() # q2
      - $.seen: $sum # q3
      - $.items.select($this.square($)) # q4
      - Match: # m
          1: [$y: one]
          89: [$y: many] # m89
        Value: $sum
      - Return: $y # qend
  failures:
    Scope: Public
    Body:
      - Try: # try
          - $x: $this.risky(20) # t1
          - $never: true # never
        Catch:
          - With: my.next.Oops
            As: e
            Do:
              - $x: -1 # caught
        Finally:
          - $z: 1 # finally
      - $x: $this.risky(3) # t2
      - Return: $x # fend
  risky:
    Arguments: [n: {Contract: $.int()}]
    Body:
      - If: $n > 10 # r1
        Then:
          - Throw: my.next.Oops # r2
            Message: too much
      - Return: $n # r3
  tasks:
    Scope: Public
    Body:
      - $before: 1 # p0
      - Parallel: # p
          - $a: $this.square(2) # p1
          - $b: $this.square(3) # p2
      - $after: $before + 1 # p3
      - Return: $after # pend
  deep:
    Arguments: [n: {Contract: $.int()}]
    Scope: Public
    Body:
      - If: $n < 2 # d1
        Then:
          - Return: 1 # d2
      - $less: $this.deep($n - 1) # d3
      - Return: $less * $n # d4
  numbers:
    Scope: Public
    Body:
      - $k: 0 # k0
      - $odd: 0 # k1
      - Repeat: 3 # k2
        Do:
          - $k: $k + 1 # k3
          - If: $k mod 2 = 0 # k4
            Then:
              - Continue: # k5
          - $odd: $odd + $k # k6
      - Do: # k7
          - $odd: $odd * 2 # k8
      - Return: $odd # kend
C
my @lines = split /\n/, slurp("$dir/Classes/App.yaml");
my (%line, %name);
for my $i (0 .. $#lines) { @name{$i + 1} = ($1), $line{$1} = $i + 1 if $lines[$i] =~ / # (\w+)$/ }
# Names of the statements that `next` shows after a stop at one of them.
sub steps {
	my ($bin, $method, $from, $n, @more) = @_;
	my @args = $method eq 'deep' ? ('--args', '{"n": 3}') : ();
	spew("$W/model.json", '{"Objects": {"?": {"id": "m", "type": "my.next.App"}}}');
	my ($rc, $out, $err) = vetro({ dir => $W }, 'gdb', '--batch', '--ex', "tbreak App.yaml:$line{$from}", '--ex', 'run', @more,
		map({ ('--ex', 'next') } 1 .. $n),
		$bin, '--', 'run', '--model', "$W/model.json", '--call', $method, @args);
	return join ' ', map { /^(\d+)\t/ ? $name{$1} // "line $1" : /^The program has ended/ ? '.' : () } split /\n/, $out;
}

my %want = (
	branches => 'a b for in c if then c if else c if then n while up while up while end .',
	queries => 'q1 q2 q3 q4 m m89 qend .',
	failures => 'try t1 caught finally t2 fend .',
	tasks => 'p0 p p3 pend .',
	numbers => 'k0 k1 k2 k3 k4 k6 k3 k4 k5 k3 k4 k6 k8 kend .',
);
my %first = (branches => 'a', queries => 'q1', failures => 'try', tasks => 'p0', numbers => 'k0');
for my $how ('-O0', '-O2') {
	my ($rc, undef, $err) = vetro('build', '-g', $how, '-o', "$W/bin$how", $dir);
	is($rc, 0, "built with -g $how", $err);
	for my $method (sort keys %want) {
		my $n = () = $want{$method} =~ / /g;
		is(steps("$W/bin$how", $method, $first{$method}, $n), $want{$method}, "$how: $method");
	}
	# from the innermost call back through its callers
	is(steps("$W/bin$how", 'deep', 'd2', 6), 'd2 d4 d4 .', "$how: from a method to who called it");
	is(steps("$W/bin$how", 'deep', 'd1', 2, '--ex', 'delete'), 'd1 d3 d4', "$how: a deeper call of the same method goes by");
	is(steps("$W/bin$how", 'branches', 'a', 0, '--ex', 'next 5', '--ex', 'vetro next 2'), 'a if c', "$how: several at once");
}
done;
