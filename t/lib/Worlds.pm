# Random class hierarchies of MuranoPL: objects that hold objects, methods that are overridden, properties with contracts that
# convert, lists that change while they are walked, lambdas, exceptions, branches of Parallel, statics and casts.  Everything
# ends: loops are short, calls count a depth down, no list or text holds itself.  What is said is the same in every run.
package Worlds;
use strict;
use warnings;

# Classes: parents, and which methods they declare (of the common ones).  Both has two ways to Base.
my @classes = (
	{ name => 'Base', parents => [] },
	{ name => 'Mix', parents => [] },
	{ name => 'Main', parents => ['Base'] },
	{ name => 'Heir', parents => ['Main'] },
	{ name => 'Side', parents => ['Base'] },
	{ name => 'Both', parents => ['Heir', 'Mix'] },
);
my @int = qw(a b c);
our ($methods, $loops, $inside, $lambda, $class, $static, $branch);
our $odd = 0.03; # how often a value is of another kind than what is expected

sub pick { return $_[int rand @_] }
sub maybe { return rand() < $_[0] }

# chance(w1 => sub, w2 => sub...): one of them, by weight.
sub chance {
	my ($sum, @w) = (0, @_);
	$sum += $w[2 * $_] for 0 .. $#w / 2;
	my $at = rand $sum;
	for (my $i = 0; $i < @w; $i += 2) {
		return $w[$i + 1]->() if ($at -= $w[$i]) < 0;
	}
	return $w[-1]->();
}

# ---- expressions of a kind ----

my @numbers = (0, 1, 2, 3, 5, 7, 10, 100, '(-1)', '(-2)', '(-7)', 1000003, 2147483647, '(-2147483648)', 4294967296, 9007199254740992, 9007199254740993,
	'(-9007199254740993)', 4611686018427387903, '(-4611686018427387904)', 4611686018427387904, '(-4611686018427387905)', 9223372036854775807,
		'(-9223372036854775808)',
	9223372036854775808);
my @floats = ('0.0', '(-0.0)', '0.5', '1.0', '2.0', '(-1.5)', '100.25', '9007199254740992.0', '4611686018427387904.0', 'float("nan")',
	'float("inf")', 'float("-inf")',
	'(1.0 / 3)');

sub any_kind { return chance(5 => sub { int_(0) }, 2 => sub { num(0) }, 2 => sub { bool(0) }, 2 => sub { str(0) }, 1 => sub { 'null' }, 1 => sub { list(0) },
	1 => sub { dict(0) }, 1 => sub { obj() }) }

# A variable of the method that holds such a thing, most of the time.
sub var { return '$' . pick(@_) }

sub small { return pick(0, 1, 2, 3, '(-1)', '(-2)', 5, 10) }

sub int_ {
	my ($deep) = @_;
	return any_kind() if maybe($odd) && $deep > 0;
	return chance(
		3 => sub { maybe(0.7) ? small() : pick(@numbers) },
		6 => sub { var(@int) },
		2 => sub { prop('p') },
		1 => sub { $static ? small() : '$.fixed' },
		1 => sub { maybe(0.5) && @$lambda ? '$' . pick(@$lambda) : var(@int) },
	) if $deep <= 0;
	my $d = $deep - 1;
	return chance(
		5 => sub { int_(0) },
		6 => sub { '(' . int_($d) . ' ' . pick(qw(+ + -)) . ' ' . int_($d) . ')' },
		2 => sub { '((' . int_($d) . ' * ' . int_($d) . ') mod ' . pick(97, 1000003, 4611686018427387847) . ')' },
		2 => sub { '(' . int_($d) . ' ' . pick('/', 'mod') . ' ' . pick(2, 3, '(-3)', 7, '(-1)', int_(0)) . ')' },
		1 => sub { '(-' . int_(0) . ')' },
		1 => sub { 'len(' . list($d) . ')' },
		2 => sub { pick('$q[0]', '$q[1]', '$q[-1]', 'len($q)', '$q.len()', '$q[' . small() . ']') },
		1 => sub { list($d) . '.where(' . in_lambda(sub { bool(1) }) . ').' . pick('len()', 'sum(0)', 'first(0)', 'count()', 'max(0)') },
		1 => sub { str($d) . '.len()' },
		1 => sub { list($d) . '.sum(0)' },
		1 => sub { 'min(' . int_($d) . ', ' . int_($d) . ')' },
		1 => sub { 'int(' . pick(bool($d), num(0), '"12"') . ')' },
		1 => sub { 'abs(' . int_($d) . ')' },
		1 => sub { 'switch(' . bool($d) . ' => ' . int_(0) . ', true => ' . int_($d) . ')' },
		1 => sub { 'coalesce(' . pick('null', '$o.p', int_(0)) . ', ' . int_($d) . ')' },
		1 => sub { dict($d) . '.get(' . key() . ', ' . int_(0) . ')' },
		1 => sub { list($d) . '[' . pick(0, 1, '(-1)') . ']' },
		1 => sub { lambda_int($d) },
		1 => sub { '(' . bool($d) . ' and ' . int_(0) . ')' },
		2 => sub { call($d) },
	);
}

sub num {
	my ($deep) = @_;
	return any_kind() if maybe($odd) && $deep > 0;
	return chance(4 => sub { '$n' }, 2 => sub { pick(@floats) }, 2 => sub { int_(0) }, 1 => sub { prop('q') }) if $deep <= 0;
	my $d = $deep - 1;
	return chance(
		2 => sub { num(0) },
		5 => sub { '(' . num($d) . ' ' . pick(qw(+ - * /)) . ' ' . num($d) . ')' },
		1 => sub { '(' . num($d) . ' mod ' . pick('2.5', 3, '(-0.5)') . ')' },
		1 => sub { 'round(' . num($d) . ', 3)' },
		1 => sub { 'max(' . num($d) . ', ' . num($d) . ')' },
		1 => sub { 'float(' . int_($d) . ')' },
		1 => sub { '(-' . num(0) . ')' },
	);
}

sub bool {
	my ($deep) = @_;
	return any_kind() if maybe($odd) && $deep > 0;
	return chance(1 => sub { pick('true', 'false') }, 2 => sub { prop('b') }, 2 => sub { '$t' }, 1 => sub { "isInteger(" . int_(0) . ')' }) if $deep <= 0;
	my $d = $deep - 1;
	my $order = pick(qw(< <= > >= = !=));
	return chance(
		6 => sub { '(' . int_($d) . " $order " . int_($d) . ')' },
		2 => sub { '(' . num($d) . " $order " . num($d) . ')' },
		1 => sub { '(' . str($d) . " $order " . str($d) . ')' },
		1 => sub { '(' . list($d) . ' ' . pick(qw(= !=)) . ' ' . list($d) . ')' },
		1 => sub { '(' . pick('null', 'true', 'false', int_(0), '1.0', '0') . ' ' . pick(qw(= != < >=)) . ' ' . pick('null', 'true', 'false',
			int_(0), '1', '0.0') . ')' },
		1 => sub { '(' . bool($d) . ' ' . pick(qw(and or)) . ' ' . bool($d) . ')' },
		1 => sub { '(not ' . bool($d) . ')' },
		1 => sub { '(' . int_(0) . ' in ' . pick('$q', list($d)) . ')' },
		1 => sub { list($d) . '.any($ > ' . int_(0) . ')' },
		1 => sub { '(' . obj() . ' ' . pick(qw(= !=)) . ' ' . pick('null', obj()) . ')' },
		2 => sub { bool(0) },
	);
}

sub key { return pick('"x"', '"y"', '"z"', '$s', '"name"') }

# Always short: what grows is cut.
sub str {
	my ($deep) = @_;
	return any_kind() if maybe($odd) && $deep > 0;
	return chance(3 => sub { '$s' }, 2 => sub { pick('"x"', '"y"', '""', '"Zo\xc3\xab"', '"12"') }, 1 => sub { prop('s') }) if $deep <= 0;
	my $d = $deep - 1;
	return chance(
		2 => sub { str(0) },
		3 => sub { '(' . str($d) . ' + ' . str($d) . ').substring(0, 12)' },
		2 => sub { 'str(' . pick(int_($d), bool($d), 'null') . ')' },
		1 => sub { str($d) . '.' . pick('toUpper()', 'trim()', 'substring(1)', 'replace("x", "yy").substring(0, 9)') },
		1 => sub { 'str(' . num($d) . ')' },
		1 => sub { 'name($o)' },
	);
}

sub item { return maybe(0.9) ? int_(1) : maybe(0.5) ? num(0) : str(0) }

# Lists of plain values; those that grow in loops do so by one item at a time.
sub list {
	my ($deep) = @_;
	return any_kind() if maybe($odd) && $deep > 0;
	return chance(4 => sub { '$l' }, 3 => sub { prop(pick('l', 'm')) }, 1 => sub { pick('[]', '[1, 2, 3]', '[3, 1, 2]', '[0]') },
		1 => sub { 'range(' . pick(3, 5) . ')' }) if $deep <= 0;
	my $d = $deep - 1;
	return chance(
		3 => sub { list(0) },
		3 => sub { '[' . join(', ', map { int_($d) } 1 .. int rand 4) . ']' },
		2 => sub { '(' . list(0) . ' + [' . item() . ']).take(9)' },
		2 => sub { list($d) . '.where(' . in_lambda(sub { bool(1) }) . ').toList()' },
		2 => sub { list($d) . '.select(' . in_lambda(sub { int_(1) }) . ').toList()' },
		1 => sub { list($d) . '.where(' . in_lambda(sub { bool(1) }) . ').select(' . in_lambda(sub { int_(1) }) . ')' },
		1 => sub { list($d) . '.' . pick('skip(1)', 'take(2)', 'reverse()', 'distinct()', 'orderBy($)', 'orderByDescending($)') . '.toList()' },
		1 => sub { dict($d) . '.' . pick('keys()', 'values()') . '.toList()' },
	);
}

sub dict {
	my ($deep) = @_;
	return any_kind() if maybe($odd) && $deep > 0;
	return chance(4 => sub { '$d' }, 2 => sub { prop('d') }, 1 => sub { pick('dict()', 'dict(x => 1)', 'dict(x => 1, y => 2)') }) if $deep <= 0;
	my $d = $deep - 1;
	return chance(
		3 => sub { dict(0) },
		3 => sub { 'dict(' . join(', ', map { key() . ' => ' . item() } 1 .. int rand 3) . ')' },
		2 => sub { dict(0) . '.set(' . key() . ', ' . item() . ')' },
		1 => sub { dict($d) . '.delete(' . key() . ')' },
		1 => sub { '(' . dict(0) . ' + dict(' . key() . ' => ' . item() . '))' },
	);
}

sub obj { return pick('$o', '$o', $static ? '$o' : '$this', $static ? '$o' : '$.o', 'null') }

# A property of this object or of one that may not be there.
sub prop {
	my ($name) = @_;
	return pick('$o', '$o?') . ".$name" if $static || maybe(0.2);
	return maybe(0.03) ? "cast(\$this, Base).$name" : "\$.$name";
}

sub in_lambda {
	my ($body) = @_;
	return pick('$ > 1', '$ + 1', '$', '$ mod 2') if @$lambda > 1;
	local $lambda = [@$lambda, '', ''];
	return $body->();
}

sub lambda_int {
	my ($d) = @_;
	return chance(
		2 => sub { list($d) . '.select(' . in_lambda(sub { int_(1) }) . ').sum(0)' },
		1 => sub { list($d) . '.aggregate($1 + $2, ' . int_(0) . ')' },
		1 => sub { 'let(w => ' . int_($d) . ') -> ($w + ' . int_(0) . ')' },
		1 => sub { list($d) . '.first(' . int_(0) . ')' },
		1 => sub { list($d) . '.count()' },
	);
}

# One of the common methods, on an object.  In loops and lambdas the depth goes down at once.
sub call {
	my ($deep) = @_;
	my $step = $inside || @$lambda ? 9 : 1;
	my $args = join ', ', map { $_ eq 'null' ? '$nothing' : $_ } int_($deep), pick(int_($deep), 'null', num(0), bool(0)); # differences.md: a literal null
	my $m = int rand $methods;
	return ':' . pick('Base', 'Main', 'Heir') . '.static' . ($m % 3) . "($args, \$depth - $step)" if maybe(0.1);
	my $on = $static ? '$o' : chance(7 => sub { '$' }, 2 => sub { '$o' }, 1 => sub { '$.o' },
		1 => sub { 'cast($this, ' . pick('Base', 'Main') . ')' }, 1 => sub { '$o?' });
	return "$on." . pick('twice', 'hook', 'even', 'sum') . "($args, \$depth - $step)" if maybe(0.35);
	return "$on.act$m($args, \$depth - $step)";
}

# ---- statements: lines with their indentation ----

# A plain scalar of YAML that is read as an expression.
sub quoted {
	my ($e) = @_;
	return $e if $e =~ /^\$[^"#:]*$/ || $e =~ /^\([^"#:]*\)$/;
	$e =~ s/\\/\\\\/g;
	$e =~ s/"/\\"/g;
	return "!yaql \"$e\"";
}

sub block {
	my ($pad, $deep, $in, $n) = @_;
	return join '', map { statement($pad, $deep, $in) } 1 .. $n // 1 + int rand 3;
}

sub assign {
	my ($deep) = @_;
	my $v = pick(@int);
	return chance(
		6 => sub { "\$$v: " . quoted(int_($deep)) },
		3 => sub { "\$$v: " . quoted("\$$v " . pick(qw(+ -)) . ' ' . int_(1)) },
		3 => sub { '$n: ' . quoted(num($deep)) },
		1 => sub { '$t: ' . quoted(bool($deep)) },
		2 => sub { '$s: ' . quoted('(' . str(1) . ' + ' . str(0) . ').substring(0, 12)') },
		2 => sub { '$l: ' . quoted('$l + [' . item() . ']') },
		1 => sub { '$l: ' . quoted(list($deep)) },
		3 => sub { '$q: ' . quoted('[' . join(', ', map { maybe(0.9) ? int_($deep) : any_kind() } 1 .. 2 + int rand 2) . ']') },
		1 => sub { '$d: ' . quoted(dict($deep)) },
		2 => sub { pick('$d.x', '$d.y', '$d[$s]') . ': ' . quoted(item()) },
		1 => sub { '$l[0]: ' . quoted(item()) },
		1 => sub { '$o: ' . quoted(pick(obj(), '$.next(' . int_(0) . ')')) },
	);
}

sub write_property {
	my ($deep) = @_;
	my $on = $static ? '$o' : chance(12 => sub { '$' }, ($class eq 'Base' ? 3 : 0.3) => sub { '$o' }, 2 => sub { '$this' },
		($class eq 'Base' ? 2 : 0.2) => sub { '$.o' });
	my $own = $on eq '$' || $on eq '$this';
	return chance(
		5 => sub { "$on.p: " . quoted(int_($deep)) },
		2 => sub { "$on.p: " . quoted("$on.p + " . int_(1)) },
		2 => sub { "$on.q: " . quoted(maybe(0.5) ? num($deep) : any_kind()) },
		3 => sub { "$on.l: " . quoted("$on.l + [" . item() . ']') },
		2 => sub { "$on.m: " . quoted("$on.m + [" . item() . ']') },
		1 => sub { "$on.l: " . quoted(list($deep)) },
		2 => sub { "$on.d" . pick('.x', '.y', '[$s]') . ': ' . quoted(item()) },
		1 => sub { "$on.s: " . quoted(str($deep)) },
		1 => sub { "$on.b: " . quoted(pick(bool($deep), int_(0), str(0))) },
		1 => sub { "$on.l[0]: " . quoted(item()) },
		1 => sub { $own ? '$.o: ' . quoted(pick(obj(), '$.next(1)')) : "$on.p: " . quoted(int_(0)) },
		1 => sub { "$on.r: " . quoted(any_kind()) },
		1 => sub { pick(':Base.count', $static ? ':Base.count' : '$.count') . ': ' . quoted(int_(1)) },
	);
}

sub loop {
	my ($pad, $deep) = @_;
	local $inside = $inside + 1;
	my $k = 'k' . $loops++;
	my $body = block("$pad    ", $deep - 1, 1);
	return chance(
		4 => sub { "$pad- \$$k: 0\n$pad- While: " . quoted("\$$k < " . (1 + int rand 5) . (maybe(0.2) ? ' and ' . bool(1) : '')) .
			"\n$pad  Do:\n$pad    - \$$k: \$$k + 1\n$body" },
		2 => sub { "$pad- Repeat: " . pick(0, 1, 3, 4, '(-1)', 'len($l)') . "\n$pad  Do:\n$body" },
		5 => sub {
			my $over = chance(3 => sub { list(0) }, 2 => sub { list(1) }, 2 => sub { '$q' }, 2 => sub { 'range(' . pick(2, 4, 'len($q)') . ')' },
				1 => sub { 'range(' . small() . ', ' . pick(3, 5) . ')' },
				1 => sub { '[4, "x", null, 5]' }, 1 => sub { dict(0) . '.keys()' });
			"$pad- For: " . pick(@int, 'n', 's') . "\n$pad  In: " . quoted($over) . "\n$pad  Do:\n$body";
		},
	);
}

sub handled {
	my ($pad, $deep, $in) = @_;
	my $text = "$pad- Try:\n" . block("$pad    ", $deep - 1, $in);
	$text .= "$pad  Catch:\n";
	$text .= "$pad    - With: " . pick('Odd', 'Even') . "\n$pad      As: err\n$pad      Do:\n" . block("$pad        ", $deep - 1, $in) if maybe(0.5);
	$text .= "$pad    - As: err\n$pad      Do:\n" . block("$pad        ", 0, $in, 1);
	$text .= "$pad        - Rethrow:\n" if maybe(0.15);
	$text .= "$pad  Else:\n" . block("$pad    ", 0, $in) if maybe(0.3);
	$text .= "$pad  Finally:\n" . block("$pad    ", 0, 0) if maybe(0.4);
	return $text;
}

sub matched {
	my ($pad, $deep, $in) = @_;
	return "$pad- Match:\n" . join('', map { "$pad    $_:\n" . block("$pad      ", $deep - 1, $in) } 0 .. int rand 3) . "$pad  Value: " .
		quoted(int_(1)) . "\n" .
		(maybe(0.6) ? "$pad  Default:\n" . block("$pad    ", $deep - 1, $in) : '') if maybe(0.5);
	my $text = "$pad- Switch:\n$pad    " . quoted_key(bool(1)) . ":\n" . block("$pad      ", $deep - 1, $in);
	$text .= "$pad    " . quoted_key('(' . int_(0) . ' = ' . int_(0) . ')') . ":\n" . block("$pad      ", 0, $in) if maybe(0.3);
	return $text . "$pad  Default:\n" . block("$pad    ", $deep - 1, $in);
}

sub quoted_key {
	my ($e) = @_;
	$e =~ s/\\/\\\\/g;
	$e =~ s/"/\\"/g;
	return "!yaql \"$e\"";
}

# Branches write variables of their own kind, and wait for nothing, so that their order is that of the text.
sub parallel {
	my ($pad, $deep) = @_;
	local $branch = 1;
	return "$pad- Parallel:\n" . join '', map { "$pad    - Do:\n" . block("$pad        ", $deep - 1, 0) } 1 .. 2;
}

sub leave {
	my ($pad, $in) = @_;
	my $if = "$pad- If: " . quoted(bool(1)) . "\n$pad  Then:\n";
	return "$if$pad    - Throw: " . pick('Odd', 'Even') . "\n$pad      Message: " . quoted('str(' . int_(0) . ')') . "\n" if maybe(0.4);
	return "$if$pad    - " . pick('Break:', 'Continue:') . "\n" if $in && maybe(0.6);
	return $branch ? '' : "$if$pad    - Return: " . quoted(pick(int_(1), list(0), num(0))) . "\n";
}

sub statement {
	my ($pad, $deep, $in) = @_;
	return "$pad- " . (maybe(0.6) ? assign(2) : write_property(2)) . "\n" if $deep <= 0;
	return chance(
		30 => sub { "$pad- " . assign(2) . "\n" },
		20 => sub { "$pad- " . write_property(2) . "\n" },
		15 => sub {
			"$pad- If: " . quoted(bool(2)) . "\n$pad  Then:\n" . block("$pad    ", $deep - 1, $in) .
				(maybe(0.5) ? "$pad  Else:\n" . block("$pad    ", $deep - 1, $in) : '');
		},
		18 => sub { loop($pad, $deep) },
		6 => sub { handled($pad, $deep, $in) },
		4 => sub { matched($pad, $deep, $in) },
		2 => sub { $branch || $inside ? "$pad- " . assign(1) . "\n" : parallel($pad, $deep) },
		8 => sub { leave($pad, $in) || "$pad- " . assign(1) . "\n" },
		8 => sub { "$pad- \$" . pick(@int, 'n') . ': ' . quoted(call(1)) . "\n" },
		2 => sub { "$pad- trace(" . int_(0) . ")\n" },
	);
}

# ---- methods and classes ----

sub arguments {
	my ($plain) = @_;
	my $a = $plain ? '$.int().notNull()' : pick('$.int()', '$.int().notNull()', '$', '$.int().notNull()');
	my $b = $plain ? '$' : pick('$', '$.int()', '$.notNull()', '$.string()', '$.bool()');
	return "    Arguments:\n      - a: {Contract: $a}\n      - b: {Contract: $b}\n      - depth: {Contract: \$.int().notNull()}\n";
}

sub bottom { return "      - If: \$depth < 0\n        Then:\n          - Return: " . pick('$a', '$a', 0, '1.5') . "\n" }

# Not every variable has a value at the beginning. The list in $q goes nowhere.
sub body {
	my %first = (c => small(), n => pick(@floats), t => pick('true', 'false'), s => '"s"', l => pick('[1, 2]', '[]', '$.l'), d => 'dict(x => 1)',
		o => pick('$this', '$.o', 'null'));
	%first = (%first, l => '[1]', o => 'new(Side, p => 2)') if $static;
	my $text = join '', map { maybe(0.95) ? "      - \$$_: " . quoted($first{$_}) . "\n" : '' } qw(c n t s l d o);
	$text .= "      - \$q: [1, 2]\n";
	$text .= block('      ', 3, 0, 2 + int rand 4);
	return $text . "      - Return: \n" . join '', map { "          - $_\n" } map { "\$$_" } qw(a b c n t s l d);
}

# Half of them do without what can keep a scope, so that their variables need none.
sub common {
	my ($m) = @_;
	my ($brief, $text) = (maybe(0.5));
	for my $try (1 .. 40) {
		($loops, $inside, $lambda, $static, $branch) = (0, 0, [], 0, 0);
		$text = body();
		last unless $brief && $text =~ /\b(?:switch|let|with|def|call|lambda|as|unpack)\(|->|Parallel/;
	}
	return "  act$m:\n    Scope: Public\n" . arguments(maybe(0.5)) . "    Body:\n" . bottom() . $text;
}

sub static_method {
	my ($m) = @_;
	($loops, $inside, $lambda, $static, $branch) = (0, 0, [], 1, 0);
	return "  static$m:\n    Usage: Static\n" . arguments(1) . "    Body:\n" . bottom() . body();
}

# Short ones that only compute, as integer methods do, or nearly.
sub computing {
	($loops, $inside, $lambda, $static, $branch) = (0, 0, [], 0, 0);
	my $head = "    Scope: Public\n" . arguments(maybe(0.7)) . "    Body:\n" . bottom();
	my $text = '';
	$text .= "  twice:\n${head}      - Return: " . quoted(pick('$a + $a', '$a * 2', '$a * 2.0', '($a * 2) mod 1000003', '$.p + $a')) . "\n" if maybe(0.8);
	$text .= "  hook:\n${head}      - Return: " . quoted(pick('$a - 1', '$.twice($a, $b, $depth - 1) - $.p', '$.p', 'null', '$a > 3', '$this', 'not $this',
		'$.even($a, $nothing, $depth - 1)')) . "\n" if maybe(0.8);
	$text .= "  even:\n${head}      - If: \$a < 1\n        Then:\n          - Return: true\n      - Return: " .
		quoted(pick('not $.even($a - 1, $nothing, $depth - 1)', '$a mod 2 = 0', '$a mod 2 = $.p', '$.hook($a, $b, $depth - 1) = 0')) . "\n"
			if maybe(0.8);
	$text .= "  sum:\n${head}      - \$r: 0\n      - \$i: 0\n      - While: \$i < 5\n        Do:\n          - \$i: \$i + 1\n          - \$r: " .
		quoted(pick('$r + $i * $a', '$r + $.twice($i, $nothing, $depth - 1)', '$r * 1000003 + $a', '$r + $i * 0.5')) . "\n" .
		(maybe(0.3) ? "          - If: \$r > 1000\n            Then:\n              - Break:\n" : '') . "      - Return: \$r\n" if maybe(0.8);
	return $text;
}

my %usual = (p => '$.int().notNull()', q => '$', l => '[$.int()]', m => '[$]', d => '{$.string() => $}', s => '$.string()', b => '$.bool()');

sub properties {
	my ($c) = @_;
	return '' if $c->{name} eq 'Mix';
	my %p = (
		p => pick('{Contract: $.int().notNull(), Usage: InOut, Default: 1}', '{Contract: $, Usage: InOut, Default: 1}',
			'{Contract: $.int(), Usage: InOut, Default: 1}'),
		q => '{Contract: $, Usage: InOut, Default: 5}',
		l => pick('{Contract: [$.int()], Usage: InOut, Default: [1, 2]}', '{Contract: [$.int().notNull()], Usage: InOut, Default: [3]}',
			'{Contract: $, Usage: InOut, Default: [1, 2]}'),
		m => pick('{Contract: [$], Usage: InOut, Default: []}', '{Contract: [$.string()], Usage: InOut, Default: []}',
			'{Contract: [], Usage: InOut, Default: [1]}'),
		d => pick('{Contract: {}, Usage: InOut, Default: {}}', '{Contract: {$.string(): $}, Usage: InOut, Default: {x: 1}}',
			'{Contract: {$.string(): $.int()}, Usage: InOut, Default: {x: 1}}'),
		s => '{Contract: $.string(), Usage: InOut, Default: s}',
		b => '{Contract: $.bool(), Usage: InOut, Default: false}',
	);
	my $text = join '', map { "  $_: $p{$_}\n" } grep { $c->{name} eq 'Base' || maybe(0.1) } sort keys %p;
	$text .= <<'Y' .
  o: {Contract: $.class(Base), Usage: InOut}
  r: {Contract: $, Usage: Runtime}
  fixed: {Contract: $.int(), Usage: Const, Default: 11}
Y
		"  count: {Contract: \$.int(), Usage: Static, Default: 0}\n" if $c->{name} eq 'Base';
	return $text;
}

sub class {
	my ($c) = @_;
	$class = $c->{name};
	my $text = "---\nName: $class\n" . (@{ $c->{parents} } ? 'Extends: [' . join(', ', @{ $c->{parents} }) . "]\n" : '');
	my $p = properties($c);
	$text .= "Properties:\n$p" if $p;
	my $all = $class eq 'Base' || $class eq 'Main';
	my $m = $class eq 'Base' ? base_methods() : '';
	$m .= common($_) for grep { $class eq 'Base' ? 1 : $class eq 'Mix' ? 0 : maybe($class eq 'Main' ? 0.6 : 0.2) } 0 .. $methods - 1;
	$m .= $class eq 'Base' || $class eq 'Both' ? computing_all() : maybe(0.6) ? computing() : ''; # or Both could not choose
	$m .= join '', map { static_method($_) } grep { $class eq 'Base' || maybe(0.3) } 0 .. 2 unless $class eq 'Mix';
	$text .= "Methods:\n$m" if $m;
	return $text;
}

# All four, whatever the dice say.
sub computing_all {
	my %have;
	while (keys %have < 4) {
		my $text = computing();
		$have{$1} //= $2 while $text =~ /^  (\w+):\n((?:    .*\n)+)/mg;
	}
	return join '', map { "  $_:\n$have{$_}" } sort keys %have;
}

sub base_methods {
	return "  next:\n    Arguments:\n      - x: {Contract: \$}\n    Body:\n      - Return: new(Side, p => 3)\n";
}

# A package in the directory: classes of random.*, N methods act0.. that all of them have but Mix.
sub write_package {
	my ($dir, $seed, $n) = @_;
	srand $seed;
	$methods = $n;
	my @names = map { "random.$_->{name}" } @classes;
	mkdir $dir;
	mkdir "$dir/Classes";
	open my $f, '>', "$dir/manifest.yaml" or die;
	print $f "Format: 1.4\nType: Application\nFullName: random\nName: Random\nDescription: Random classes\nAuthor: vetro\nTags: []\nClasses:\n",
		map { "  random.$_->{name}: $_->{name}.yaml\n" } @classes;
	close $f;
	for my $c (@classes) {
		open $f, '>', "$dir/Classes/$c->{name}.yaml" or die;
		(my $text = class($c)) =~ s/^---\n//;
		print $f "Namespaces:\n  =: random\n  std: io.murano\n$text";
		close $f;
	}
	return;
}

# A model whose root is of the class, with objects that it holds.
sub model {
	my ($class) = @_;
	return qq({"Objects":{"?":{"type":"random.$class","id":"root"},"p":4,"l":[5,6],) .
		qq("o":{"?":{"type":"random.Heir","id":"heir"},"p":7,"o":{"?":{"type":"random.Side","id":"side"},"p":9,"o":null}}}});
}

1;
