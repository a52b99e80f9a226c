#!/usr/bin/perl
# Elements of elements, `$v[$i][$k]`, lists with an item less or more in a list, and keys of dicts that grow and shrink: random
# methods give the same values and errors with all optimisations and with none. ELEMENTS_SEEDS='1 2 3' makes others, and
# ELEMENTS_ORACLE=1 asks murano too, where it is installed.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Session;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
my $methods = $ENV{ELEMENTS} // 24;
my @names = qw(a b c d e f g h i j k l m n o p q r s t);
my $state;

sub rnd { return ($state = ($state * 1103515245 + 12345) % 2147483648) >> 16 }
sub pick { return $_[rnd() % @_] }

# A value as YAQL, with so many levels below it.
sub value {
	my ($deep) = @_;
	return pick('1', '-2', 'null', 'true', '1.5', 'x', "'y z'", '30') if $deep == 0 || rnd() % 5 == 0;
	my $n = rnd() % 4 + (rnd() % 8 == 0 ? 8 : 0);
	return '[' . join(', ', map { value($deep - 1) } 1 .. $n) . ']' if rnd() % 2;
	return '{' . join(', ', map { "$names[$_ % @names] => " . value($deep - 1) } map { rnd() % @names } 1 .. $n) . '}';
}

sub key { return pick('0', '1', '2', '-1', '7', 'null', 'true', (map { pick(@names) } 1 .. 5), "'b'", "str(\$n) + 'a'", '$n', '$n mod 3', '1.0') }

sub caught {
	my ($what) = @_;
	return ('- Try:', map({ "    $_" } @$what), '  Catch:', '    As: e', '    Do:', '      - $r: $r + [$e.name]');
}

# What a method does in its loop over $n, with the variables $v, $i, $k, $l, $d and $r.
sub step {
	my $kind = rnd() % 11;
	return caught(["- \$i: !yaql \"@{[key()]}\"", "- \$k: !yaql \"@{[key()]}\"", '- $r: $r + [$v[$i][$k]]']) if $kind < 2;
	return caught(["- \$r: !yaql \"\$r + [\$v[@{[key()]}][@{[key()]}]]\""]) if $kind == 2;
	return caught(["- \$k: !yaql \"@{[key()]}\"", "- \$r: !yaql \"\$r + [\$v.@{[pick(@names)]}\[\$k], \$v[\$k]]\""]) if $kind == 3;
	my $text = pick('abcd', "'\xc3\xa4bcd'");
	my $edit = pick('delete($n)', 'delete(1)', 'insert(1, $n)', 'insert($n, x)', 'replace(0, $n)', 'replace(2, null)', 'delete(-1)');
	return caught(["- \$r: !yaql \"\$r + [\$l.$edit]\"", "- \$x: !yaql \"[\$n, \$l.$edit, \$l.skip(1)]\"", '- $r: $r + [$x]'])
		if $kind == 4;
	return caught(['- $m: $m.' . pick('insert', 'replace') . '(' . pick(0, 1, 2, 9, -1, '$n') . ', ' . pick('$n', 'x', 'null', '[1]') . ')',
		'- $m: $m.delete(' . pick(0, 1, '$n', 7, -1) . ')', '- $r: $r + [$m, $m.len()]']) if $kind == 5;
	return caught(['- $m[' . pick(0, 1, 3, '$n') . ']: ' . pick('$n', 'x', '[$n]', 'null'), '- $r: $r + [$m]', '- $m[' . pick(@names) . ']: 1'])
		if $kind == 6;
	return caught(["- \$d: \$d.set([\$n mod 2, @{[pick(0, 'x', 'null', 'true', '1.0')]}], \$n)",
		"- \$r: !yaql \"\$r + [\$d.get([0, @{[pick(0, 'x', 1, 'null')]}]), \$d.len()]\"",
		"- \$r: !yaql \"\$r + [$text.substring(@{[pick(0, 1, -1, 3, '$n')]}, @{[pick(1, 2, 0, -1)]})]\""]) if $kind == 7;
	return caught(['- $k: $' . pick('m', 'l', 'v', 'k') . ' + [' . pick('$n', '$m', '$l, 1', '[$n]', '$i') . ']',
		'- $r: $r + [$k, $.more($' . pick('m', 'l') . ', $n), $' . pick('m', 'k') . ' + [$k] + [$n]]']) if $kind == 9;
	return caught(['- $k: ' . pick(@names), '- $d[$k]: $n', '- $r: $r + [$d.len()]', "- \$d[\$n]: !yaql \"\$d.get(@{[pick(@names)]})\""]) if $kind == 8;
	return caught(["- \$d: !yaql \"\$d.delete(@{[pick(@names)]})\"", '- $d[str($n) + ' . pick(@names) . ']: $n',
		'- $r: $r + [$d.get(' . pick(@names) . ', $n)]']);
}

sub method {
	my ($number) = @_;
	my @loop = map { step() } 1 .. 4;
	my ($v, $l) = (value(3), value(2));
	$l = '[1, 2, [3]]' if rnd() % 2;
	my @body = ('- $r: []', '- $i: 0', '- $k: 0', "- \$v: !yaql \"$v\"", "- \$l: !yaql \"$l\"", '- $d: {}', '- $m: [1, x]',
		'- For: n', '  In: range(4)', '  Do:', map({ "    $_" } @loop),
		'- Return: !yaql "[$r, $m, $d.len(), [a, b, c, d, e, f].select($d.get($, $d.get([0, $], null)))]"');
	return ("  test$number:", '    Body:', map { "      $_" } @body);
}

sub package_of {
	my ($seed) = @_;
	my $dir = "$W/elements$seed";
	$state = $seed * 7919 + 17;
	mkdir $_ for $dir, "$dir/Classes";
	spew("$dir/manifest.yaml", "Format: 1.4\nType: Application\nFullName: t.elements\nVersion: 1.0.0\nName: t.elements\n"
		. "Classes:\n  t.elements.Main: Main.yaml\n");
	spew("$dir/Classes/Main.yaml", join "\n", 'Namespaces: {=: t.elements, std: io.murano}', 'Name: Main', 'Methods:',
		'  more: {Arguments: [{l: {Contract: $}}, {n: {Contract: $}}], Body: [{Return: !yaql "$l + [$n, $l]"}]}',
		map({ method($_) } 1 .. $methods), '');
	return $dir;
}

sub answers {
	my ($dir, @flags) = @_;
	my $binary = "$dir/bin";
	my ($rc, $out, $err) = vetro('build', @flags, '-o', $binary, $dir);
	ok($rc == 0, "$dir builds with @flags", $out . $err) or return [];
	my $s = Session->run('{"Objects":{"?":{"type":"t.elements.Main/1.0.0","id":"root"}}}', $binary, 'session', '--expose', 'test*');
	my @answers;
	for my $round (1 .. 2) {
		for my $m (1 .. $methods) {
			$s->call("test$m", '[]');
			push @answers, "test$m: $s->{raw}";
		}
	}
	ok($s->stop == 0, 'the session ends well');
	return \@answers;
}

for my $seed (split ' ', $ENV{ELEMENTS_SEEDS} // '1') {
	my $dir = package_of($seed);
	my $want = answers($dir, '-O0', '-fno-passes');
	my $all = join '', @$want;
	ok($all !~ /"error"/ && $all =~ /\[\[/, "seed $seed: methods end", grep { /"error"/ } @$want);
	is_lines(answers($dir, @$_), $want, "seed $seed: with @$_") for ['-O0'], ['-O1'], ['-O0', '-fno-inplace'], ['-O0', '-fno-unbox'];
	next unless $ENV{ELEMENTS_ORACLE};
	my $said = `/usr/bin/python3 $FindBin::Bin/../oracle/compare.py --vetro $vetro $dir 2>&1`;
	ok($? == 0, "seed $seed: as murano says", $said);
}
done();
