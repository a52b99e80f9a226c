#!/usr/bin/perl
# Pipelines of methods that nobody wrote: chains of random steps, lambdas and sinks say the same as loops and as calls, errors and the
# order of effects too.  CHAINS_SEEDS=1..50 tries more of them.
use strict;
use warnings;
use FindBin;
use JSON::PP;
use lib "$FindBin::Bin/../lib";
use Session;
use Tap;

my @conditions = ('$ != 4', '$ > 2', '$ = 1', '$[0] > 1', '$[1] = 2', '$[0] = $[1]', 'true', '$.len() = 2', 'isList($)', '$ in $o', '$ > $n',
	'$[0] in $o', 'not $', '$.a = 1', '$this.note($) != 2', '$o.any($ = 7)', 
	'let(x => $) -> $x = 1', 'let($) -> $ > 1', 'let(x => $) -> $o.any($ > $x)', '$[1].len() > 1', '$[0] != null and $[0] > 1');
my @values = ('$', '$ + 1', '[$, 1]', '[$[1], $[0]]', '[$, $]', '$[0]', '$[1]', '[$]', '$.len()', 'str($)', '{a => $}', '[$[0], $]', '$ * $n',
	'[1, [$, 2]]', '$o.where($ > 7).len()', 'switch($ = 1 => one, true => $)', '[$[0], $[1].len()]', '$this.note($)', '$this.note($[0])',
	'$ mod 2', '[$this.note($), 3]', '$[1].select($ + 1)', 'let(x => $) -> $x', 'coalesce($, 0)', '$[-1]', '$[2]', 'dict(k => $)',
	'$[0] + $[1]', '[$[1], $[0], 2]', '$[1].sum()', '[$, $].select($this.note($))', 
	'let(x => $, y => 2) -> [$x, $y, $]', 'let($[0]) -> $', 'let(x => $) -> $o.where($ > $x)', 'let(c => $) -> $o.select($ + $c).toList()',
	'let(x => $.select($)) -> [$x.len(), $x.len()]', 'with($, 2) -> $1 * 2', 'let(x => $) -> {a => $x, b => [$o.select($ + $x)]}',
	'dict($ => 1)', 'dict($[0] => $[1], k => $)', 'dict($[0] => 1, $[1] => $)', 'let(x => $) -> $this.note($x)',
	'[[$], [[$, 1]]]', '$dd', '{a => $, b => $o.select($ + 1)}', '[$o.where($ > 7), [$d.values().select($ * 2)]]');
my @keys = ('$', '$[0]', '$[1]', '-$', '$ mod 2', '1', '$.len()', '[$, 1]', 'str($)', '$[1].len()',
	'let(x => $) -> -$x', 'let(x => $) -> $o.select($ * $x).sum()');
my @folds = ('$1 + $2', '$2', '$1 + [$2]', '[$1, $2]', '$1.select($)', '[$1.where(true), $2]', '$2.select($ + 1)', '$1 * 2 - $2', '$1 + 2 / $2',
	'max($1, $2)', '$o.select($ + $1).sum()', 'switch($2 = 1 => $1, true => $2)', 'let(x => $2) -> $1 + $x', 'let($2) -> [$]');
my @totals = ('$.sum()', '$.len()', '[$[0], $[1].sum()]', '$.select($ * 2)', '$[0]', '$[1]', '$.toList()', 'let(x => $) -> [$x, $x.len()]',
	'$this.note($)');
my @limits = (
	'0', '1', '2', '3', '$n', '$n + 1', '$m', '$text', '$l.len() - 1', '$l[0]', '$o.where($ > 7).len()', '1.5', '$d.len() mod 2');
my @lists = ('[]', '[4]', '[3, 1, 4, 1, 5]', '[2, 4, a]', '[null, 2]', '[[1, 2], [3, 4]]', '[[1, 13], [2, 2]]', '[1, 13, 2]', '[{a: 1}, {a: 2}]',
	'[[[1], 2], [], [3, [4, [5, a]]]]',
	'abc', '[true, 1.5, 1]', '[a, b, a]', '[' . join(', ', 1 .. 40) . ']');
# What no seed may come to.
my @ours = ('$l.selectMany(sequence()).limit(3)', '$l.selectMany([$].select($this.note($))).where($ != 3).first(none)',
	'$l.selectMany([$, 1].select(2 / $)).select(3 / ($ - 1))', '$l.selectMany([$, 0].select($.len() + 2)).select($.a).first(none)',
	'$l.select([$, sequence()]).flatten().limit(3)', '$l.select([$, [$, 1].select($this.note($))]).flatten().first()');
my $json = JSON::PP->new->canonical->allow_nonref;
my $state;

sub number { # of ours, so that a seed is the same chain everywhere
	$state = ($state * 1103515245 + 12345) % 2**31;
	return ($state >> 8) % $_[0];
}
sub any { return $_[number(scalar @_)] }

sub then { return join '', map { '.thenBy' . any('', 'Descending') . '(' . any(@keys) . ')' } 1 .. any(0, 0, 1, 1, 2) }

sub step {
	my $name = any(qw(where select select limit skip takeWhile skipWhile distinct enumerate zip toList reverse orderBy orderByDescending
			groupBy selectMany flatten accumulate));
	return "$name(" . any(@conditions) . ')' if $name =~ /where|While/;
	return "$name(" . any(@values) . ')' if $name =~ /^select/;
	return "$name(" . any(@limits) . ')' if $name =~ /limit|skip/;
	return "$name(" . any(@folds) . any('', '', ', 0', ', []', ', $n', ', $o', ', $l[0]') . ')' if $name eq 'accumulate';
	return "$name(" . any('', any(@keys)) . ')' if $name eq 'distinct';
	return "$name(" . any('$o', '$l', '$d', '$none', 'range(5)', '$l.select([$])') . ')' if $name eq 'zip';
	return "$name(" . any(@keys) . ')' . then() if $name =~ /^order/;
	return "$name(" . any(@keys) . any('', '', ', ' . any(@values), ', ' . any(@values) . ', ' . any(@totals)) . ')' if $name eq 'groupBy';
	return "$name()";
}

sub sink {
	return any('', '', '', '.toList()', '.len()', '.count()', '.sum()', '.sum(1)', '.first()', '.first(none)', '.last()', '.last(none)',
		'.any()', '.any(' . any(@conditions) . ')', '.all()', '.all(' . any(@conditions) . ')', '.indexWhere(' . any(@conditions) . ')', 
		'.lastIndexWhere(' . any(@conditions) . ')', any('.indexOf(', '.lastIndexOf(') . any('1', '$n', '[4, 1]', '$l[0]', '$this.note(4)') . ')',
		'.single()', '.where(' . any(@conditions) . ').single()',
		'.aggregate($1 + $2)', '.aggregate($1 + [$2], [])', '.aggregate([$1, $2], 0)', '.join("-")', '.join($text)', '.min()', '.max()',
		'.max(3)', '.toSet().len()', '.contains(' . any('4', '$o', '[4, 1]', '$n') . ')', '.toDict(' . any(@keys) . ')',
		'.toDict(' . any(@keys) . ', ' . any(@values) . ')', ' + $o', ' + [1, 2]', ' + $none', ' + $l + [$n]', '.max($this.note(2))',
		'.join($this.note(x))', '.first($this.note(5))', '.contains($this.note(4))');
}

sub source { return any(('$l') x 8, '$d.items()', '$d.values()', '$d.keys()', 'range(5)', '$dd.items()', '$l.toList()') }

sub chain {
	my $e = source() . join('', map { '.' . step() } 0 .. number(4)) . sink();
	my $kind = number(20);
	return "dict($e)" if $kind == 0;
	return any('len', 'list') . "($e)" if $kind == 1;
	return any('4', '$o', '$n', '$this.note(1)') . " in $e" if $kind == 2;
	return "$e + " . source() . '.' . step() if $kind == 3;
	return "[1, $e, {x => $e, y => [" . source() . '.' . step() . ']}]' if $kind == 4;
	return $e;
}

sub package_of {
	my ($seed) = @_;
	my @chains = @ours;
	$state = $seed;
	push @chains, chain() for 1 .. 80;
	my $tries = join '', map { "      - \$.seen: []\n      - \$x: null\n      - Try:\n          - \$x: !yaql '$_'\n        Catch:\n"
				. "          As: e\n          Do:\n            - \$x: \$e.name\n      - \$r: \$r + [str(\$x), \$.seen]\n" } @chains;
	my $dir = package_dir("chains-$seed", { 'manifest.yaml' => "Format: 1.4\nType: Application\nFullName: t.random\nName: Random chains\n"
				. "Classes: {t.random.Main: Main.yaml}\n" });
	spew("$dir/Classes/Main.yaml", <<"HEAD" . join('', map { "          - $_\n" } @lists) . <<'TAIL');
Namespaces: {=: t.random, std: io.murano}
Name: Main
Properties:
  seen: {Contract: [\$], Usage: Runtime, Default: []}
Methods:
  note:
    Arguments: [{x: {Contract: \$}}]
    Body:
      - \$.seen: \$.seen + [\$x]
      - If: \$x = 13
        Then:
          - Throw: Thirteen
            Message: no
      - Return: \$x
  tries:
    Arguments: [{l: {Contract: \$}}]
    Body:
      - \$d: {c: 3, a: 1, b: 2}
      - \$dd: {x: [1, 2], y: [3], 4: []}
      - \$o: [7, 8, 9]
      - \$n: 2
      - \$m: -1
      - \$text: ab
      - \$none: null
      - \$r: []
$tries      - Return: \$r
  testAll:
    Body:
      - \$r: []
      - For: l
        In:
HEAD
        Do:
          - $r: $r + [$.tries($l)]
      - Return: $r
TAIL
	return ($dir, @chains);
}

sub answer {
	my ($dir, $name, @flags) = @_;
	my ($rc, undef, $err) = vetro('build', '-O0', @flags, '-o', "$W/$name", $dir);
	is($rc, 0, "$name builds") or print map { "# $_\n" } split /\n/, $err;
	my $s = Session->run('{"Objects":{"?":{"type":"t.random.Main/0.0.0","id":"root"}}}', "$W/$name", 'session', '--expose', 'test*');
	my $said = $s->call('testAll', '[]');
	ok($s->stop == 0, 'and the session ends well');
	return $said->{value};
}

for my $seed (eval($ENV{CHAINS_SEEDS} // '7, 18')) {
	my ($dir, @chains) = package_of($seed);
	my ($loops, $calls) = (answer($dir, "loops-$seed"), answer($dir, "calls-$seed", '-fno-inline'));
	my @differ;
	for my $l (0 .. $#lists) {
		for my $i (0 .. $#chains) {
			my ($mine, $theirs) = map { $json->encode([@{ $_->[$l] }[2 * $i, 2 * $i + 1]]) } $loops, $calls;
			push @differ, "$lists[$l]: $chains[$i]: $mine, as calls $theirs" if $mine =~ s/0x[0-9a-f]+//gr ne $theirs =~ s/0x[0-9a-f]+//gr;
		}
	}
	ok(!@differ, "seed $seed: " . @chains . ' chains over ' . @lists . ' lists say the same');
	print "# $_\n" for @differ;
	ok(scalar(@{ $loops // [] }) == @lists, 'and all were asked');
}
done();
