#!/usr/bin/env perl
# Pipelines of methods run by lambda programs, many items at a time.  Whatever the items are, the results are those of the code
# without programs: variables of the method, methods of objects, extension methods, errors, what is read ahead.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my %body = (
	variable => ['$k: 3', '$l: range(40).toList()', 'Return: $l.select($ * $k + $n).where($ mod 2 = 0).sum()'],
	floats => ['$l: range(40).select($ / 4.0).toList()', '$m: $l.sum() / 40', 'Return: $l.select(($ - $m) * ($ - $m)).sum()'],
	changed => ['$k: 1', '$l: range(30).toList()', '$it: $l.select($ * $k)', '$k: 100', 'Return: [$it.sum(), $l.select($ * $k).sum()]'],
	unset => ['$l: range(30).toList()', 'Return: $l.where($ != $nobody).len()'],
	records => ['$l: range(50).select({id => $, tag => str($ mod 3)}).toList()',
		'Return: $l.where($.id > $n and $.tag = "1").select({t => $.tag + "x", id => $.id})'],
	mixed => ['$l: list(range(20).select(dict(a => $))) + [new(Part, a => 7)] + list(range(20).select(dict(a => $)))',
		'Return: $l.select($.a).sum()'],
	objects => ['$l: range(30).select(new(Part, a => $)).toList()', 'Return: $l.where($.a mod 2 = 1).select($.twice() + $.a).sum()'],
	extension => ['$l: range(30).select(str($) + "ab").toList()', 'Return: $l.select($.len()).distinct().toList() + $l.select($.toUpper()).take(2)'],
	own_len => ['$l: range(30).select(str($)).toList()', 'Return: $l.select($.shout()).take(3)'],
	pieces => ['$l: range(30).select("a=" + str($) + ";b=" + str($ * 2)).toList()',
		'Return: $l.select($.split(";")[1].split("=")[1]).select(int($)).sum()'],
	nested => ['$l: range(20).select({n => $, of => range($).toList()}).toList()', 'Return: $l.select($.of.where($ > $n).sum(0)).sum()'],
	fails => ['$l: range(30).toList() + ["x"]', 'Return: $l.select($ - 1).sum()'],
	fails_late => ['$l: range(30).toList() + [null]', 'Return: $l.select($ - 1).take(5)'],
	divides => ['$l: range(-20, 20).toList()', 'Return: $l.select(10 / $).len()'],
	big => ['$l: range(62).select(pow(2, $)).toList()', 'Return: $l.select($ * $).last()'],
	walk => ['$s: 0', {For => 'x', In => '$this.items.where($ mod 3 = 0).select($ * 2)', Do => ['$s: $s + $x']}, 'Return: $s'],
	groups => ['$l: range(60).toList()', 'Return: $l.groupBy($ mod 7, $ * $n).select([$[0], $[1].sum()]).orderBy($[0])'],
	joined => ['$l: range(30).select({k => $ mod 5, v => $}).toList()', 'Return: $l.join($l, $1.k = $2.k and $1.v < $2.v, $1.v * $2.v).sum()'],
	member => ['$l: range(30).toList()', '$in: [3, 4, 5]', 'Return: $l.where($ in $in)'],
	endless => ['Return: sequence(0).select($ * $n).where($ mod 5 = 0).take(40).sum()'],
	cycle => ['Return: [1, 2, 3].cycle().select($ + $n).take(50).sum()'],
	again => ['$l: range(100).select($ + 1)', '$a: $l.sum()', 'Return: [$a, $l.sum()]'],
);

sub yaml {
	my ($x, $indent) = @_;
	return "$indent- $x\n" =~ s/: (.*)/": !yaql '" . ($1 =~ s,',\x27\x27,gr) . "'"/er if !ref $x;
	return "$indent- For: $x->{For}\n$indent  In: $x->{In}\n$indent  Do:\n" . join '', map { yaml($_, "$indent    ") } @{$x->{Do}};
}
my $methods = join '', map { "  $_:\n    Scope: Public\n    Arguments:\n      - n: {Contract: \$.int().notNull()}\n    Body:\n" .
		join '', map { yaml($_, '      ') } @{$body{$_}} } sort keys %body;
package_dir('p', {
	'manifest.yaml' => "Format: 1.4\nType: Library\nFullName: p\nClasses: {p.Main: Main.yaml, p.Part: Part.yaml, p.Texts: Texts.yaml}\n",
	'Classes/Main.yaml' => "Namespaces: {=: p}\nName: Main\nImport: p.Texts\nProperties:\n" .
		"  items: {Contract: [\$.int().notNull()], Default: []}\nMethods:\n$methods",
	'Classes/Part.yaml' => "Namespaces: {=: p}\nName: Part\nProperties:\n  a: {Contract: \$.int().notNull()}\n" .
		"Methods:\n  twice:\n    Body:\n      Return: \$.a * 2\n",
	# A method of the same name as the library's, and with the same parameters, is the class's.
	'Classes/Texts.yaml' => "Namespaces: {=: p}\nName: Texts\nMethods:\n  len:\n    Usage: Extension\n    Scope: Public\n    Arguments:\n" .
		"      - s: {Contract: \$.string().notNull()}\n    Body:\n      Return: 1000\n" .
		"  shout:\n    Usage: Extension\n    Scope: Public\n    Arguments:\n" .
		"      - s: {Contract: \$.string().notNull()}\n    Body:\n      Return: \$s + '!'\n",
});

my $model = encode_json({Objects => {'?' => {type => 'p.Main', id => 'm'}, items => [0 .. 49]}});
sub answers {
	my ($out, @options) = @_;
	my ($rc, undef, $err) = vetro({limit => 300}, 'build', '-O0', @options, '-o', "$W/$out", "$W/p");
	is($rc, 0, "$out is built") or print map { "# $_\n" } split /\n/, $err;
	my $in = join "\n", qq({"op":"load","model":$model}), map { qq({"op":"call","target":null,"method":"$_","args":[2]}) } sort keys %body;
	my (undef, $text) = run_program({in => "$in\n"}, "$W/$out", 'session');
	my (undef, @lines) = split /\n/, $text;
	return map { my $a = decode_json($_); delete @$a{qw(traces trace)}; JSON::PP->new->canonical->allow_nonref->encode($a) } @lines;
}
my @with = answers('with');
my @without = answers('without', '-fno-lambda-programs');
my @names = sort keys %body;
is(scalar @with, scalar @names, 'every method has an answer');
is($with[$_] =~ s/\bstack\b.*//sr, $without[$_] =~ s/\bstack\b.*//sr, $names[$_]) for 0 .. $#names;
my %value = map { $names[$_] => eval { decode_json($with[$_])->{value} } } 0 .. $#names;
is($value{variable}, 1180, 'a variable of the method');
is($value{objects}, 675, 'methods of objects');
is($value{endless}, 2 * 5 * 780, 'a source without an end');
like($with[(grep { $names[$_] eq 'fails' } 0 .. $#names)[0]], qr/error/, 'what fails, fails');
done();
