#!/usr/bin/perl
# What is wrong with a Yay configuration: code, place, every place involved; limits; JSON lines.
use strict;
use warnings;
use JSON::PP;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

sub wrong {
	my ($text, @args) = @_;
	spew("$W/t.yay", $text);
	my ($status, $out, $err) = vetro({ limit => 300 }, 'yay', '-c', "$W/t.yay", @args);
	$err =~ s{\Q$W/\E}{}g;
	return ($status, $out, $err);
}
sub fails {
	my ($title, $text, $want, @args) = @_;
	my ($status, $out, $err) = wrong($text, @args);
	my $got = join ' ', map { /^(\S+?:\d+:\d+): (?:error\[(\w+)\]|note)/ ? $1 . ($2 ? " $2" : '') : () } split /\n/, $err;
	$got =~ s/t\.yay://g;
	ok($status == 1 && $out eq '' && $got eq $want, $title, "status $status", "got:  $got", "want: $want", $err);
}

# ---- syntax
fails('a value with a colon', "a: b: c\n", '1:5 E3002');
fails('a line that is neither key nor item', "a:\n  - x\n  y\n", '3:4 E3003');
fails('a template that is not closed', "a: {{ b\nc: 1\n", '1:8 E3003');
fails('a word of a directive as a key', "if: 1\n", '1:3 E3002');
fails('else without if', "a: 1\nelse:\n  b: 1\n", '2:1 E3002');
fails('indentation that fits nothing', "a:\n    b: 1\n  c: 2\n", '3:3 E3001');
fails('a directive without its colon', "for i in x\n  - 1\n", '1:11 E3003');
fails('a byte that is no UTF-8', "a: 1\nb: \xff\n", '2:4 E3001');
fails('columns count characters', "a: \xc3\xa9\xc3\xa9 {{ 1 + }}\n", '1:14 E3002');

# ---- names and types
fails('a name that is not there', "a: 1\nb: x{{ nosuch }}\n", '2:5 E3004');
fails('a member that is not there', "a:\n  b: 1\nc: {{ a.x }}\n", '3:4 E3004');
fails('a select without the case', "a: x\nb:\n  select a:\n    y: 1\n", '3:3 E3004');
fails('arithmetic with a text', "a: x\nb: {{ 1 * a }}\n", '1:4 E3005 2:11');
fails('a list in a text', "a:\n  - 1\nb: x{{ a }}\n", '2:3 E3005 3:5');
fails('a mapping onto a text', "a: 1\na:\n  b: 2\n", '1:4 E3005 3:3');
fails('what is no prototype', "a: 1\nb:\n  new a:\n    c: 1\n", '1:4 E3005 3:3');
fails('division by zero', "z: 0\na: {{ 4 % z }}\n", '2:11 E3010');
fails('an index', "a:\n  - 1\nb: {{ a[1] }}\n", '2:3 E3005 3:4');

# ---- circles and contradictions
fails('a circle lists its places', "a: {{ b }}\nb: {{ c + 1 }}\nc: {{ a }}\n", '1:4 E3006 2:4 3:4 2:7');
fails('set in a circle', "set a = b\nset b = a\nc: {{ a }}\n", '1:9 E3006 2:9 3:4');
fails('an if that prevents itself', "a: 1\nif a:\n  a: 0\n", '2:4 E3008');
fails('an include that prevents itself', "a: t2\ninclude a + '.yay'\n", '2:9 E3008') if spew("$W/t2.yay", "a: t3\n") || 1;
is((wrong("a: 1\nb: {{ a }}\nif b:\n  a: {{ b }}\n"))[1], qq({"a":1,"b":1}\n), 'one that comes out the same is fine');
spew("$W/loop.yay", "include \"loop.yay\"\n");
fails('a file that includes itself', "include \"loop.yay\"\n", 'loop.yay:1:1 E3006');
fails('a missing file', "a: 1\ninclude \"nowhere.yay\"\n", '2:1 E3009');
spew("$W/bad.yay", "a: b: c\n");
fails('a broken file', "include \"bad.yay\"\n", 'bad.yay:1:5 E3002 1:1');

# ---- hostile input is bounded
for my $t (['a number', "a: {{ 2 ** 2 ** 40 }}\n"], ['a shift', "a: {{ 1 << (1 << 60) }}\n"], ['a range', "a: {{ len(range(10 ** 12)) }}\n"],
	['a text', 'a0: ' . 'x' x 1000 . "\n" . join('', map { "a$_: {{ a@{[$_ - 1]} }}{{ a@{[$_ - 1]} }}\n" } 1 .. 40)],
	['loops in loops', "a:\n" . join('', map { '  ' x $_ . "for i$_ in range(1000):\n" } 1 .. 6) . '  ' x 7 . "- x\n"],
	['mappings that double', "a0: 1\n" . join('', map { "a$_:\n  x: {{ a@{[$_ - 1]} }}\n  y: {{ a@{[$_ - 1]} }}\n" } 1 .. 40)],
	['lists that double', "a0:\n  - 1\n" . join('', map { "extend a$_:\n  for i in a@{[$_ - 1]}:\n    - {{ i }}\n    - {{ i }}\n" } 1 .. 40)],
	['macros that double', "macro M0:\n  - 1\n" . join('', map { "macro M$_:\n" . "  call M@{[$_ - 1]}:\n    x: 1\n" x 2 } 1 .. 40) .
		"a:\n  call M40:\n    x: 1\n"],
	['a loop in a comprehension', "a: {{ [a + b + c for a in range(1000) for b in range(1000) for c in range(1000)] }}\n"],
	['itself a hundred thousand times', "include 't.yay'\n" x 100000], ['macros that call each other', <<'Y'],
macro A:
  call B:
    x: 1
macro B:
  call A:
    x: 1
c:
  call A:
    y: 1
Y
	['sets of each other', "set a = b\nset b = a\nc: {{ a }}\n"], ['a lambda of itself', "a: {{ (lambda f: f(f))(lambda f: f(f)) }}\n"],
		['a regular expression', "a: {{ sub('(a+)+\$', 'b', '" . 'a' x 5000 . "c') }}\n"],
	['comparisons', 'a: {{ 1' . ' < 2' x 50000 . " }}\n"], ['neighbours', "k0: 1\n" . join('', map { "if k@{[$_ - 1]} == 1:\n  k$_: 1\n" } 1 .. 300)],
		['templates', 'a: ' . '{{ ' x 50000 . "\n"],
	['quotes', 'a: ' . '"' x 100000 . "\n"],
		['a text times a text', "a0: xxxxxxxxxx\n" . join('', map { "a$_: {{ replace(a@{[$_ - 1]}, 'x', 'xxxxxxxxxx') }}\n" } 1 .. 12)],
	['a macro that calls itself', "macro M:\n  a: {{ M(x=x) }}\nb: {{ M(x=1) }}\n"],
	['a prototype that makes itself', "prototype P:\n  a:\n    new P:\n      b: 1\nc:\n  new P:\n    b: 1\n"],
	['brackets', 'a: {{ ' . '(' x 5000 . '1' . ')' x 5000 . " }}\n"], ['unary operators', 'a: {{ ' . '-' x 200000 . "1 }}\n"],
	['indentation', join('', map { ' ' x $_ . "a:\n" } 0 .. 3000)],
		['a long chain', join('', map { "a$_: {{ a@{[$_ + 1]} }}\n" } 0 .. 50000) . "a50001: 1\n"]) {
	my ($status, $out, $err) = wrong($t->[1], '--max-steps=3000000', '--max-places=1000000', '--max-text=4');
	ok($status == 0 || ($status == 1 && $err =~ /error\[E300[1-7]\]/), "$t->[0]: a result or an error", "status $status", substr($err, 0, 400));
}

# ---- JSON lines
sub batch {
	my @asks = @_;
	my (undef, $out) = vetro({ in => join('', map { (ref $_ ? encode_json($_) : $_) . "\n" } @asks) }, 'yay', '--batch');
	return map { decode_json($_) } split /\n/, $out;
}
my @a = batch({ files => { m => "a: {{ b }}\nb: 1\n" }, main => 'm' }, 'nonsense', {}, { files => { m => "a: {{ x }}\n" }, main => 'm' },
	{ files => { m => "a: 1\n" }, main => 'm', select => 'z', default => 7 }, { files => { m => "a:\n  b: 1\n" }, main => 'm',
		select => 'a', as => 'keys' },
	{ files => { m => "a: 2\n", n => "b: {{ a }}\n" }, load => ['m', 'n'], main => 'm' }, { files => { m => "l:\n  - 4\n" }, main => 'm',
		expression => 'l[0] + 1' },
	{ files => { m => "include \"/etc/passwd\"\n" }, main => 'm' }, { files => { m => "include \"x\"\n", 'd/x' => "x: 1\n" },
		main => 'm', search => ['d'] });
is(encode_json($a[0]{value} ? [@{ $a[0]{value} }{qw(a b)}] : $a[0]), '[1,1]', 'a request');
is($a[$_]{error}{type}, 'BadRequest', 'a line that is none') for 1, 2;
is(join(' ', @{ $a[3]{error} }{qw(type file line col)}), 'NoMatching m 1 4', 'an error has its place');
is($a[4]{value}, 7, 'default');
is("@{ $a[5]{value} }", 'b', 'as');
is($a[6]{value}{b}, 2, 'load');
is($a[7]{value}, 5, 'expression');
is($a[8]{error}{type}, 'NotFound', 'nothing is read from disk');
is($a[9]{value}{x}, 1, 'search');
done();
