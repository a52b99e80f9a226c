#!/usr/bin/perl
# Folded constants and emitted code change nothing: the documents of other tests, of the fuzzer and of the shared suite give
# the same with both, with one and with neither, errors and their places included. All binaries are one program.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Cwd qw(getcwd);
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my @cases; # [name, {file => text}, [layers], path or undef]

# ---- what the compiler has an own way for
my @own = (
	['arithmetic', <<'Y'],
a: 3
b: {{ a + 2 * a - 7 // 2 + a % 2 - -a }}
c: {{ 10000000000 * 10000000000 }}
d: {{ a * 4000000000 * 4000000000 }}
e: {{ 7 / 2 }}
f: {{ a ** 40 }}
g: {{ ~a | 8 & 12 ^ 1 }}
h: {{ 1 << a >> 1 }}
Y
	['floors', "n:\n  for x in [-7, -1, 0, 1, 7]:\n    for y in [-3, 3, 2.5]:\n      - {{ x // y }} {{ x % y }} {{ x / y }}\n"],
	['texts that are numbers', <<'Y'],
a: 13.10
b: 007
c: {{ a + b }}
d: x{{ a }}y{{ b }}
e: {{ 'v' + a }}
f: {{ a + 'v' }}
g: {{ '1' + '2' }}
h: {{ 1_000 + 1 else 3 }}
Y
	['comparison', <<'Y'],
a: 5
b: 5.0
c: x
r:
  - {{ a == b }}
  - {{ a < 6 < 7 }}
  - {{ 1 < a < 3 }}
  - {{ c == 'x' }}
  - {{ c != a }}
  - {{ a >= b }}
  - {{ 'x' in c }}
  - {{ [1] == [1] }}
Y
	['no order of texts', "c: x\nr: {{ c < 'y' }}\n"],
	['truth', <<'Y'],
a: 0
b: 2
r:
  - {{ a and nosuch }}
  - {{ b and a }}
  - {{ a or b }}
  - {{ not a }}
  - {{ 'y' if a == 0 and b > 1 else 'n' }}
  - {{ 1 if [] else 2 }}
Y
	['junctions of texts', "c: x\nr: {{ 1 and c }}\n"],
	['half known', "b: 4\nr:\n  - {{ 1 and b }}\n  - {{ 0 or b }}\n  - {{ 0 and nosuch }}\n  - {{ 3 or nosuch }}\n"],
	['missing', "a: {{ nosuch else here.b else c.d else 'none' }}\nc: {}\n"],
	['missing at last', "a: {{ nosuch else nosuch2 }}\n"],
	['wrong is not missing', "l: []\na: {{ l[0] else 1 }}\n"],
	['by zero', "z: 0\na: {{ 5 / z }}\n"], ['rest by zero', "z: 0\na: {{ 5 % z else 1 }}\n"], ['constants by zero', "a: {{ 1 // 0 }}\n"],
	['lists are no numbers', "l:\n  - 1\na: {{ l * 2 }}\n"], ['lists are no texts', "l:\n  - 1\na: x{{ l }}\n"],
	['loops with the same name', <<'Y'],
r:
  for x in range(3):
    for x in [x, x + 10]:
      - {{ x * 2 }}
  for y in range(2) if y > 0:
    set z = y + 5
    - k: {{ y }}{{ z }}
      l:
        for y in [z]:
          - {{ y + z }}
Y
	['pairs', "r:\n  for a, b in [[1, 2], [3, 4]] if b > a:\n    - {{ b * 10 + a }}\n  for a, b in [[1, 2, 3]]:\n    - {{ a }}\n"],
	['a loop over nothing of the kind', "r:\n  for a in 5:\n    - {{ a }}\n"],
	['comprehensions and lambdas', <<'Y'],
set f = lambda n, m=2: n * m if n > 1 else f(5) + 1
r: {{ [f(x) + y for x in range(3) for y in [x] if x != 1] }}
s: {{ {str(k): k * k for k in range(3)} }}
t: {{ f(3, 4) }}
Y
	['recursion', "set fib = lambda n: n if n < 2 else fib(n - 1) + fib(n - 2)\nr: {{ fib(12) }}\n"],
	['macros see their caller', <<'Y'],
x: 1
macro M:
  v: {{ x + y }}
r:
  for x in [5, 6]:
    - m:
        call M:
          y: {{ x * 2 }}
  for z in [1]:
    - {{ M(y=z) }}
Y
	['prototypes', <<'Y'],
prototype P:
  name: p
  full: {{ self.name }}-{{ n * 2 }}
  n: 1
a:
  new P:
    n: 4
b:
  for i in range(2):
    - new P:
        name: q{{ i }}
Y
	['blocks that set', <<'Y'],
set x = 3
set y = x * 2
a: {{ x + y }} {{ z }}
z: 1
b:
  set x = 'in'
  c: {{ x }}{{ y }}
  d:
    e: {{ x + '!' }}
if x == 3:
  f: {{ y if x else z }}
Y
	['decisions that are none', <<'Y'],
a: 1
if 0:
  b: 1
elif 1:
  b: 2
else:
  b: 3
c: 3
if 1 == 2:
  c: 4
l:
  - 1
  if 1:
    - 2
  - 3
  if 0:
    - 4
  - 5
k:
  if 0:
    - 1
m:
  if '':
    a: 1
k2:
  - 7
k2:
  if 0:
    - 1
Y
	['decisions with names', "a: 1\nif 1:\n  set q = 5\n  b: {{ q }}\n  a: 2\nc: {{ q else 'none' }}\n"],
	['merging through decisions', "m:\n  a: 1\nif 1:\n  m:\n    b: 2\nm:\n  c: 3\nextend l:\n  - 1\nif 2 > 1:\n  extend l:\n    - 2\n"],
	['a decision of the wrong kind', "a: 1\nb: 2\nif 1:\n  - 3\n"],
	['circles', "a: {{ b + 1 }}\nb: {{ 1 if a else 2 }}\n"], ['a circle alone', "a: {{ a if 1 else 2 }}\n"],
	['paradox', "a: 1\nif a == 1:\n  a: 2\n"], ['guards', "a: 1\nif a == 1 and 1:\n  b: 2\nif b == 2:\n  c: 3\nselect a:\n  1:\n    d: 4\n"],
	['mixed kinds in one place', "r:\n  for x in [1, 'a', 2.5, 100000000000000000000, '7', [1], {'k': 1}]:\n    - {{ x + x else 'no' }}\n"],
	['many kinds, all well', "r:\n  for x in [1, 'a', 2.5, 100000000000000000000, '7']:\n    - {{ x + x }} {{ x == 1 }}{{ 'y' if x else 'n' }}\n"],
	['questions marks and quotes', "a: \"??/ \\\\ {{ 'q\"' + '\\n' }}\"\nb: {{ 'ä' + '\xc3\xa9' }}\n"],
	['blocks of text', "u: world\nset n = 2\nt: |\n  Hello {{ u }} {{ n + 1 }}{{ n }}\n    deeper {{ 1 + 1 }}\nf: >\n  {{ n }}\n  b\n"],
	['members', "m:\n  l:\n    - k: v\n  i: 0\na: {{ m.l[m.i].k }}\nb: {{ m['l'][0]['k'] + m.nosuch }}\n"],
	['poisoned, not asked for', "a: {{ 1 + 1 }}\nb: {{ nosuch }}\nc:\n  d: {{ 5 / 0 }}\n  e: {{ a * 2 }}\n", 'c.e'],
);
push @cases, ["own: $_->[0]", { 'm.yay' => $_->[1] }, ['m.yay'], $_->[2]] for @own;
push @cases, ['fuzz: ' . ($_ =~ s{.*/}{}r), { 'm.yay' => slurp($_) }, ['m.yay'], undef]
	for grep { -f && -s _ < 20000 } files_like("$FindBin::Bin/../fuzz/yay/*");

# ---- the shared suite: all of it in a release build, a part of it where everything takes longer
my $shared = "$FindBin::Bin/../../../shared/conformance/yay";
my $every = ($ENV{CONFIG} // '') =~ /asan|torture/ ? 8 : 1;
my $at = 0;
for my $part (qw(seed reference generated guards errors)) {
	open my $f, '<', "$shared/$part.jsonl" or next;
	while (<$f>) {
		my $c = $json->decode($_);
		next if $c->{host} || $c->{host_needed} || $c->{labels} || defined $c->{expression} || !$c->{files} || $at++ % $every;
		next if grep { m{://|^/|\.gpg$|\.\./} } keys %{ $c->{files} };
		next if ($c->{as} // '') eq 'parse';
		my %files = map { my $text = $c->{files}{$_}; utf8::encode($text); $_ => $text } keys %{ $c->{files} };
		push @cases, ["$part: $c->{id}", \%files, $c->{load} // [$c->{main}], $c->{select}];
	}
	close $f;
}

# ---- each in a directory of its own; the C of all of them in one
my ($all, $table, @built) = ('', '');
my $home = getcwd();
$ENV{XDG_CACHE_HOME} = "$W/cache";
sub translated {
	my ($dir, @args) = @_;
	chdir $dir or die "$dir: $!";
	my ($status, $c) = vetro('build', '--emit=c', '--kind=yay', @args);
	chdir $home;
	return $status ? undef : $c;
}
sub renamed {
	my ($c, $n) = @_;
	$c =~ s/("(?:[^"\\]|\\.)*")|\b([rscdy]\d+(?:_\w+)?|docs|search|key|base|program|main)\b/defined $1 ? $1 : "${2}_of$n"/ge;
	return $c =~ s/^#(define|include).*\n//mgr;
}
for my $i (0 .. $#cases) {
	my ($name, $files, $layers, $path) = @{ $cases[$i] };
	spew("$W/$i/$_", $files->{$_}) for keys %$files;
	my $n = 0;
	for my $options (['-fno-yay-fold'], []) {
		# names that are computed are in a binary only when they end in .yay or are given
		my @others = map { ('-I', $_) } sort grep { my $file = $_; !grep { $_ eq $file } @$layers } keys %$files;
		my $c = translated("$W/$i", @$options, @$layers, @others) // translated("$W/$i", @$options, @$layers) // next;
		my $id = 2 * $i + $n++;
		$all .= renamed($c, $id);
		$table .= "case $id: return main_of$id(argc - 1, argv + 1);\n";
		push @{ $built[$i] }, $id;
	}
}
spew("$W/all.c", <<"Y");
#define VT_YAY
#include "vt.h"
#include <stdlib.h>
$all
int
main(int argc, char **argv)
{
switch (atoi(argv[1])) {
$table}
return 99;
}
Y
spew("$W/cc", "#!/bin/sh\nfor a; do shift; case \$a in */main.c) a=$W/all.c;; esac; set -- \"\$@\" \"\$a\"; done\n" .
	'exec ' . ($ENV{TARGET} ? "$ENV{TARGET}-gcc" : 'cc') . " \"\$@\"\n");
chmod 0755, "$W/cc";
{
	local $ENV{VETRO_CC} = "$W/cc";
	spew("$W/seed.yay", "a: 1\n");
	my ($status, undef, $err) = vetro({ limit => 600 }, 'build', '-O0', '-o', "$W/all", "$W/seed.yay");
	ok($status == 0 && -x "$W/all", 'the C of ' . @cases . ' configurations compiles', $err) or done(), exit 1;
}

# What is printed, or the error with its place.
sub answer {
	my ($dir, @command) = @_;
	chdir $dir or die "$dir: $!";
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		open(STDIN, '<', '/dev/null') && open(STDOUT, '>', "$W/out") && open(STDERR, '>', "$W/err") or exit 126;
		alarm 60;
		exec @command or exit 127;
	}
	waitpid $pid, 0;
	my $status = $?;
	chdir $home;
	return slurp("$W/out") if $status == 0;
	my $err = slurp("$W/err");
	return "$status $err" unless $status == 256;
	if ($err =~ /^\{/) {
		my ($d) = grep { $_->{severity} eq 'error' } map { $json->decode($_) } grep { /^\{/ } split /\n/, $err;
		return $d->{line} ? "$d->{file}:$d->{line}:$d->{col}: $d->{message}\n" : "$d->{message}\n";
	}
	my ($first) = $err =~ /^(.*?)\n/;
	$first =~ s/^\d+: (?=error\[)//; # no place: the name of the program
	return $first =~ s/error(?:\[\w+\])?: //r . "\n";
}

for my $i (0 .. $#cases) {
	my ($name, $files, $layers, $path) = @{ $cases[$i] };
	my @path = defined $path ? ('--select', $path) : ();
	my $want = answer("$W/$i", $vetro, 'yay', '-c', '--format=json', '-fno-yay-fold', @path, @$layers);
	my %got = (folded => answer("$W/$i", $vetro, 'yay', '-c', '--format=json', @path, @$layers));
	for my $id (@{ $built[$i] // [] }) {
		$got{ $id % 2 ? 'folded code' : 'code' } = answer("$W/$i", "$W/all", $id, '-c', @path);
	}
	# what is about no place has the first one in JSON
	my @other = grep { $got{$_} ne $want && $want ne "$layers->[-1]:1:1: $got{$_}" && $want ne "$layers->[0]:1:1: $got{$_}" } sort keys %got;
	ok(!@other, $name, map {; "$_: $got{$_}", "plain: $want" } @other);
}
done();
