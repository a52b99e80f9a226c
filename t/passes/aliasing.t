#!/usr/bin/perl
# Lists, dicts and sets that several variables and properties hold: random programs change one and read all of them. They give the same
# values and errors with updates in place and without. ALIASING_SEEDS='1 2 3' ALIASING=30 chooses others than the few that are run here.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Session;
use Tap;

my @seeds = split ' ', $ENV{ALIASING_SEEDS} // '1';
my $n = $ENV{ALIASING} // 16;
my $opt = $ENV{ALIASING_OPT} // '-O0';

# Properties by what their contracts do with elements; variables hold anything.
my %property = (
	any => '$', numbers => '[$.int()]', texts => '{$.string().notNull(): $.int()}', deep => '{$.string(): {$.string(): $}}', free => '{}',
	rows => '[{a: $.int(), b: $}]', objects => '[$.class(Item)]', named => '{$.string(): $.class(Item)}', pairs => '{$.string(): [$.int(), 0, 2]}',
	mixed => '[[$.int(), $.string()]]', short => '[$.int(), 0, 4]');
my @vars = qw($a $b $c $d);
my @holders = (@vars, map { "\$.$_" } sort keys %property);

sub any { return $_[int rand @_] }
sub key { return any('x', 'y', 'z', "'k' + str(\$i mod 20)", 'str($i)', '$i mod 3', 'null', 'true', '[1]', '$i') }
sub item { return any(0 .. 4, '$i', 'x', 'null', '[1, $i]', '{q => $i}', 'new(Item, v => $i)', '$.item', any(@holders),
	'$i * 1000000000000000000000', '[]', '{}', '1.5', 'set(1, $i)', 'switch($i = 1 => x, $i > 1 => [$i])', 'coalesce(null, $a, $i)', '$a and [$i] or $b',
	'dict(p => $i, q => [$a])', 'dict(str($i) => $i)', '$c?.x', 'coalesce($.texts.get(x), [1])') }
sub position { return any(0, 1, 2, '$i mod 3', '-1', 7, 'x') }

sub collection {
	return any('[1, 2, 3]', '{}', '{x => 1, y => 2}', '[[1], [2]]', '{x => {y => 1}}', 'range(20).toDict(str($), $)', 'list(range(20))', '[]', 'set(1, 2)',
		'[{a => 1, b => 2}, {a => 3, b => [4]}]', '{x => [1, 2], y => {z => 3}}', "'abc'", 'dict(x => 1)', '[1, x, null].where(true)', any(@holders));
}

sub changed {
	my ($of) = @_;
	my ($k, $v, $p) = (key(), item(), position());
	return any("$of.set($k, $v)", "$of.set($k, $of.get($k, 0))", "$of + {$k => $v}", "$of + [$v]", "$of + [$v, $v]", "$of.delete($k)", "$of.delete($p)",
		"$of.delete($p, 2)", "$of.insert($p, $v)", "$of.replace($p, $v)", "$of.replace($p, $v, 2)", "$of.skip($p)",
			"$of.skip(1).toList()", "$of.take($p)", "$of.take(2).toList()",
		"$of.set({$k => $v})", "$of.add($v)", "$of.remove(1)", "$of.set($k, $v).delete($k)", "$of.set($k, $of)", "$of.set($k, \$.show($of))",
		"$of.mergeWith({x => {w => $v}})", "$of.insert(0, $of)", "$of.set($k, $v).set(y, 2)", "$of.union(set($v))",
		"$of.difference(set($v))", "$of.difference($of)", "$of.set($k, $v).delete(y)", "$of.append($v).append($of)", "$of + [1] + [$v]",
		"$of.append($v, [$v])", "concat($of, [$v], [1])", "concat($of, $of)", "$of.mergeWith({$k => $v})", "$of.append($of)", "$of.union($of)",
			"$of.set($k, \$.touch())", "$of.delete($k, x)", "$of.skip($p).take(\$i).toList()", "$of.skip(1).limit($p)",
		"$of.skip($p).take(2).toList() + [$v]",
		"$of + [$of.last()]", "$of + [$of\[$p], $v]", "$of + [$of.len(), [$of.first()]]", "$of + [$of]", "$of + [[$of]]",
		"$of + [$of.where(true)]",
		"$of.get($k, {q => $v})", "$of.get(x, {}).set($k, $v)", "$of.get($k, [$v, \$i]) + [$v]", "{q => $v}.set(x, $of).set($k, $v)",
		"set(1, \$i).union(set($v)).add(2).union($of)", "$of.toSet().add(1, $v).remove(\$i)", "$of.get(y, {p => $of}).get($k, {q => $of})");
}

# What stands below a variable or property, changed and put back; queues; methods that make something of what they are given.
sub moved {
	my $h = any(@holders);
	my ($k, $v) = (any('x', 'y', '$i', '0', "'k1'"), item());
	my $place = any("$h\[$k]", "$h.x", "$h.x.y", "$h\[$k].x", "$h\[0].b", "$h.x[1]", '$.item.bag.x', "$h\[\$b]", "$h\[\$a.x]",
		"$h\[\$b[0]]", "$h\[\$a[\$i]].x");
	my $of = int rand 4 ? $place : any($h, "$h.x");
	return "- $place: " . quoted(changed($of)) if int rand 3;
	my $down = any("$h.get($k)", "$h.get($k, [])", "$h.x", "$h.y");
	return "- $h: " . quoted(any("$h.set($k, $down + [$v])", "$h.set(x, $h.x + [$v])", "$h.set($k, $down.append($v))", "$h.set(x, $h.x.set(y, $v))"))
		if int rand 2;
	my $q = any(@vars);
	return "- $h: " . quoted(any("$h.skip(1) + [$v]", "$h.skip(2) + $q", "$h.skip(1) + $h", "$h.skip(" . position() . ") + list($v)")) if int rand 2;
	my $with = any('more', 'put', 'numbered', 'keyed', 'later', 'twice', 'less');
	return "- $q: " . quoted("\$.$with(" . any($q, $q, any(@holders)) . ', ' . any('$i', "$q", $v) . ')');
}

sub statement {
	my ($depth) = @_;
	my $h = any(@holders);
	my $kind = int rand 16;
	return moved() if $kind > 11;
	return qq(- $h: ) . quoted(any(@holders)) if $kind == 0;
	return qq(- $h: ) . quoted(collection()) if $kind == 1;
	return "- $h\[" . key() . ']: ' . quoted(item()) if $kind == 2;
	return "- $h\[" . key() . '][' . key() . ']: ' . quoted(item()) if $kind == 3;
	return "- $h." . any('x', 'y') . ': ' . quoted(item()) if $kind == 4;
	return "- $h." . any('x', 'y') . '.' . any('y', 'z') . '[' . any(0, 'x', '$i') . ']: ' . quoted(item()) if $kind == 5;
	return '- $.item.bag[' . key() . ']: ' . quoted(item()) if $kind == 6;
	return "- $h\[" . position() . ']: ' . quoted("$h\[" . position() . ']') if $kind == 7;
	return qq(- $h: ) . quoted(changed($h));
}

sub default { my ($of) = @_; return $property{$of} =~ /^\{/ ? '{}' : $property{$of} eq '$' ? 'null' : '[]' }
sub quoted { my ($e) = @_; $e =~ s/'/''/g; return "!yaql '$e'" }
sub indented { my ($by, @lines) = @_; return map { ' ' x $by . $_ } map { split /\n/ } @lines }

# Each statement by itself may fail; then everything is shown, what a loop walks and what lambdas have seen included.
sub body {
	my @out = ('- $log: []', (map { "- $_: null" } @vars), map { "- \$.$_: " . default($_) } sort keys %property);
	for (1 .. 6 + int rand 8) {
		my @try = ('- Try:', indented(4, map { statement() } 1 .. 1 + int rand 2), '  Catch:', '    As: e', '    Do:',
			'      - $log: $log + [$e.name]');
		push @out, int rand 5 ? @try : ('- For: w', "  In: " . quoted('$.walked(' . any(@holders) . ')'), '  Do:', indented(4, @try,
			'- $log: $log + [$.show($w)]'));
		my $dict = any(@holders); # its keys are walked while it changes
		push @out, "- \$f: \$.dicted($dict)", '- For: k', '  In: $f.keys()', '  Do:', indented(4, @try,
			'- $f[$k]: ' . quoted(item()), '- $log: $log + [$k, $f.len()]'), "- \$a: \$f" if !int rand 4;
		push @out, '- $log: ' . quoted('$log + [1, 2].select(str([$, $a, $b]))') if !int rand 6;
	}
	push @out, '- $log: ' . quoted('$log + [' . join(', ', map { "\$.show($_)" } @holders) . ']');
	return @out;
}

sub write_package {
	my ($dir, $seed) = @_;
	srand $seed;
	my @main = ('Namespaces: {=: t}', 'Name: Main', 'Properties:',
		map { "  $_: {Contract: $property{$_}, Usage: Runtime, Default: " . default($_) . '}' } sort keys %property);
	push @main, '  item: {Contract: $.class(Item), Usage: Runtime}', 'Methods:',
		'  show: {Arguments: [{x: {Contract: $}}], Body: [{Return: !yaql "str($x).substring(0, 400)"}]}',
		'  walked: {Arguments: [{x: {Contract: $}}], Body: [{If: !yaql "isList($x)", Then: [{Return: !yaql "list($x.take(3))"}]}, {Return: [1, 2]}]}',
		'  more: {Arguments: [{l: {Contract: $}}, {v: {Contract: $}}], Body: [{Return: !yaql "$l + [$v]"}]}',
		'  put: {Arguments: [{d: {Contract: $}}, {v: {Contract: $}}], Body: [{$d: !yaql "$d.set(x, $v)"}, {$.any: $d}, ' .
			'{Return: !yaql "$d.set(y, $v)"}]}',
		'  numbered: {Arguments: [{l: {Contract: [$.int()]}}, {v: {Contract: $.int()}}], Body: [{Return: !yaql "$l + [$v]"}]}',
		'  keyed: {Arguments: [{d: {Contract: {$.string(): $.int()}}}, {v: {Contract: $}}], Body: [{Return: !yaql "$d.set(z, $v)"}]}',
		'  later: {Arguments: [{l: {Contract: $}}, {v: {Contract: $}}], Body: [{$l: !yaql "$l + [$v]"}, {$l: !yaql "$l.set(x, 1)"}, {Return: $l}]}',
		'  twice: {Arguments: [{l: {Contract: $}}, {v: {Contract: $}}], Body: [{$m: $l}, {$l: !yaql "$l + [$v]"}, {Return: !yaql "[$l, $m]"}]}',
		'  less: {Arguments: [{l: {Contract: $}}, {v: {Contract: $}}], Body: [{Return: !yaql "$l.skip(1).toList()"}]}',
		'  dicted: {Arguments: [{x: {Contract: $}}], Body: [{If: !yaql "isDict($x)", Then: [{Return: $x}]}, {Return: {x: 1, y: 2}}]}',
		'  touch: {Body: [{$.any: [9]}, {$.texts: {x: 5}}, {$.numbers: [7]}, {Return: 3}]}';
	for my $m (0 .. $n - 1) {
		push @main, "  test$m:", '    Arguments: [{n: {Contract: $.int()}}]', '    Body:',
			'      - $.item: !yaql "new(Item, v => 0)"', '      - $all: []', '      - For: i', '        In: range($n)',
			'        Do:',
			indented(10, body(), '- $all: $all + [$log]'), '      - Return: $all';
	}
	mkdir $dir;
	mkdir "$dir/Classes";
	spew("$dir/manifest.yaml", "Format: 1.4\nType: Application\nFullName: t\nVersion: 1.0.0\nName: t\nClasses: {t.Main: Main.yaml, t.Item: Item.yaml}\n");
	spew("$dir/Classes/Main.yaml", join("\n", @main) . "\n");
	spew("$dir/Classes/Item.yaml",
		"Namespaces: {=: t}\nName: Item\nProperties:\n  v: {Contract: \$}\n  bag: {Contract: {\$.string(): \$.int()}, Default: {}, Usage: InOut}\n");
}

sub answers {
	my ($dir, @flags) = @_;
	my $binary = "$W/aliasing";
	my ($rc, $out, $err) = vetro({ limit => 300 }, 'build', $opt, '--no-cache', @flags, '-o', $binary, $dir);
	ok($rc == 0, "the package builds with @flags", $out . $err) or return [];
	my $s = Session->run('{"Objects":{"?":{"type":"t.Main/1.0.0","id":"root"}}}', $binary, 'session', '--expose', 'test*');
	my @lines;
	for my $m (0 .. $n - 1) {
		$s->call("test$m", '[' . (2 + $m % 3) . ']');
		push @lines, "test$m: $s->{raw}";
	}
	$s->send('{"op":"serialize_model"}');
	push @lines, "model: $s->{raw}";
	ok($s->stop == 0, "the session with @flags ends well");
	my @failed = grep { !/"value"/ } @lines[0 .. $n - 1];
	ok(!@failed, "every method answers with @flags", @failed);
	s/\b[0-9a-f]{32}\b/ID/g, s/0x[0-9a-f]+/ADDR/g for @lines;
	return \@lines;
}

for my $seed (@seeds) {
	my $dir = "$W/package-$seed";
	write_package($dir, $seed);
	my $want = answers($dir, '-fno-passes');
	is_lines(answers($dir, @$_), $want, "seed $seed: " . (@$_ ? "@$_" : 'everything on'))
		for [], ['-fno-update'], ['-fno-passes', '-fupdate'], ['-fno-passes', '-fupdate', '-fborrow', '-fflow', '-fgrow', '-fcalls',
			'-finplace'], ['-fno-borrow'];
}

# Each update of a dict in a property is in place: half a million of them, in dicts of 100,000 keys, would take hours as copies.
mkdir "$W/counting";
spew("$W/counting/manifest.yaml", "Format: 1.4\nType: Library\nFullName: t.counting\nName: C\nDescription: c\nAuthor: a\nTags: []\nClasses: {t.C: C.yaml}\n");
mkdir "$W/counting/Classes";
spew("$W/counting/Classes/C.yaml", <<'Y');
Namespaces: {=: t}
Name: C
Properties:
  counts: {Contract: {$.string().notNull(): $.int().notNull()}, Usage: Runtime, Default: {}}
  shared: {Contract: {$.string().notNull(): $.int().notNull()}, Usage: Static, Default: {}}
  free: {Contract: $, Usage: Runtime, Default: {}}
Methods:
  count:
    Arguments: [{k: {Contract: $.string().notNull()}}, {i: {Contract: $.int().notNull()}}]
    Body:
      - $.counts[$k]: $.counts.get($k, 0) + 1
      - $.shared[$k]: $.shared.get($k, 0) + $.counts[$k] * 2
      - $.free[$k]: $.free.get($k, 0) - $i
      - $.free: $.free.set($k, $.free[$k] + 1)
      - Return: $.counts[$k]
  many:
    Scope: Public
    Arguments: [{n: {Contract: $.int().notNull()}}]
    Body:
      - $s: 0
      - $d: {}
      - For: i
        In: range($n)
        Do:
          - $k: ('key' + str($i mod 100000))
          - $s: $s + $.count($k, $i)
          - $d[$k]: $d.get($k, 0) + $i
          - $d: $d.set($k, $d[$k] + 1)
      - Return: $s
Y
spew("$W/counting.json", '{"Objects":{"?":{"id":"c","type":"t.C"}}}');
my ($st, $built, $why) = vetro({ limit => 300 }, 'build', '-O0', '--no-cache', '-o', "$W/many", "$W/counting");
ok($st == 0, 'a package that counts', $built . $why);
my $n_updates = $vetro =~ m{/(?:asan|torture)/} ? 110_000 : 500_000;
my ($rc, $out, $err) = run_program({ limit => 200 }, "$W/many", 'run', '--model', "$W/counting.json", '--call', 'many', '--args', "[$n_updates]");
is("$rc " . ($out =~ /"result":(\d+)/ ? $1 : $err), '0 ' . ($n_updates == 500_000 ? 1_500_000 : 120_000), 'updates of large dicts');
done();
