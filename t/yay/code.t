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
	['arithmetic', "a: 3\nb: {{ a + 2 * a - 7 // 2 + a % 2 - -a }}\nc: {{ 10000000000 * 10000000000 }}\nd: {{ a * 4000000000 * 4000000000 }}\ne: {{ 7 / 2 }}\nf: {{ a ** 40 }}\ng: {{ ~a | 8 & 12 ^ 1 }}\nh: {{ 1 << a >> 1 }}\n"],
	['floors', "n:\n  for x in [-7, -1, 0, 1, 7]:\n    for y in [-3, 3, 2.5]:\n      - {{ x // y }} {{ x % y }} {{ x / y }}\n"],
	['texts that are numbers', "a: 13.10\nb: 007\nc: {{ a + b }}\nd: x{{ a }}y{{ b }}\ne: {{ 'v' + a }}\nf: {{ a + 'v' }}\ng: {{ '1' + '2' }}\nh: {{ 1_000 + 1 else 3 }}\n"],
	['comparison', "a: 5\nb: 5.0\nc: x\nr:\n  - {{ a == b }}\n  - {{ a < 6 < 7 }}\n  - {{ 1 < a < 3 }}\n  - {{ c == 'x' }}\n  - {{ c != a }}\n  - {{ a >= b }}\n  - {{ 'x' in c }}\n  - {{ [1] == [1] }}\n"],
	['no order of texts', "c: x\nr: {{ c < 'y' }}\n"],
	['truth', "a: 0\nb: 2\nr:\n  - {{ a and nosuch }}\n  - {{ b and a }}\n  - {{ a or b }}\n  - {{ not a }}\n  - {{ 'y' if a == 0 and b > 1 else 'n' }}\n  - {{ 1 if [] else 2 }}\n"],
	['junctions of texts', "c: x\nr: {{ 1 and c }}\n"],
	['half known', "b: 4\nr:\n  - {{ 1 and b }}\n  - {{ 0 or b }}\n  - {{ 0 and nosuch }}\n  - {{ 3 or nosuch }}\n"],
	['missing', "a: {{ nosuch else here.b else c.d else 'none' }}\nc: {}\n"],
	['missing at last', "a: {{ nosuch else nosuch2 }}\n"],
	['wrong is not missing', "l: []\na: {{ l[0] else 1 }}\n"],
	['by zero', "z: 0\na: {{ 5 / z }}\n"], ['rest by zero', "z: 0\na: {{ 5 % z else 1 }}\n"], ['constants by zero', "a: {{ 1 // 0 }}\n"],
	['lists are no numbers', "l:\n  - 1\na: {{ l * 2 }}\n"], ['lists are no texts', "l:\n  - 1\na: x{{ l }}\n"],
	['loops with the same name', "r:\n  for x in range(3):\n    for x in [x, x + 10]:\n      - {{ x * 2 }}\n  for y in range(2) if y > 0:\n    set z = y + 5\n    - k: {{ y }}{{ z }}\n      l:\n        for y in [z]:\n          - {{ y + z }}\n"],
	['pairs', "r:\n  for a, b in [[1, 2], [3, 4]] if b > a:\n    - {{ b * 10 + a }}\n  for a, b in [[1, 2, 3]]:\n    - {{ a }}\n"],
	['a loop over nothing of the kind', "r:\n  for a in 5:\n    - {{ a }}\n"],
	['comprehensions and lambdas', "set f = lambda n, m=2: n * m if n > 1 else f(5) + 1\nr: {{ [f(x) + y for x in range(3) for y in [x] if x != 1] }}\ns: {{ {str(k): k * k for k in range(3)} }}\nt: {{ f(3, 4) }}\n"],
	['recursion', "set fib = lambda n: n if n < 2 else fib(n - 1) + fib(n - 2)\nr: {{ fib(12) }}\n"],
	['macros see their caller', "x: 1\nmacro M:\n  v: {{ x + y }}\nr:\n  for x in [5, 6]:\n    - m:\n        call M:\n          y: {{ x * 2 }}\n  for z in [1]:\n    - {{ M(y=z) }}\n"],
	['prototypes', "prototype P:\n  name: p\n  full: {{ self.name }}-{{ n * 2 }}\n  n: 1\na:\n  new P:\n    n: 4\nb:\n  for i in range(2):\n    - new P:\n        name: q{{ i }}\n"],
	['blocks that set', "set x = 3\nset y = x * 2\na: {{ x + y }} {{ z }}\nz: 1\nb:\n  set x = 'in'\n  c: {{ x }}{{ y }}\n  d:\n    e: {{ x + '!' }}\nif x == 3:\n  f: {{ y if x else z }}\n"],
	['decisions that are none', "a: 1\nif 0:\n  b: 1\nelif 1:\n  b: 2\nelse:\n  b: 3\nc: 3\nif 1 == 2:\n  c: 4\nl:\n  - 1\n  if 1:\n    - 2\n  - 3\n  if 0:\n    - 4\n  - 5\nk:\n  if 0:\n    - 1\nm:\n  if '':\n    a: 1\nk2:\n  - 7\nk2:\n  if 0:\n    - 1\n"],
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
push @cases, ['fuzz: ' . ($_ =~ s{.*/}{}r), { 'm.yay' => slurp($_) }, ['m.yay'], undef] for grep { -f && -s _ < 20000 } files_like("$FindBin::Bin/../fuzz/yay/*");

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
spew("$W/all.c", "#define VT_YAY\n#include \"vt.h\"\n#include <stdlib.h>\n$all\nint\nmain(int argc, char **argv)\n{\nswitch (atoi(argv[1])) {\n$table}\nreturn 99;\n}\n");
spew("$W/cc", "#!/bin/sh\nfor a; do shift; case \$a in */main.c) a=$W/all.c;; esac; set -- \"\$@\" \"\$a\"; done\nexec cc \"\$@\"\n");
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
	$first =~ s/error: //;
	return $first =~ s/ \[\w+\]$//r . "\n";
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
