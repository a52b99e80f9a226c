#!/usr/bin/perl
# YAML as PyYAML reads it, rule C9, places of decoded text, and input that means no good.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

# One line a node, places cut off.
sub dump_of {
	my ($yaml) = @_;
	spew("$W/d.yaml", $yaml);
	my ($rc, $out, $err) = vetro('check', '--emit=yaml', "$W/d.yaml");
	my @lines = grep { !/^#/ } split /\n/, $out;
	s/ @[\d:-]+$// for @lines;
	return (join("\n", @lines), $rc, $err, $out);
}

# ---- scalars: [text as written, what it is]
my @scalars = (
	['yes', 'bool true'], ['No', 'bool false'], ['on', 'bool true'], ['OFF', 'bool false'], ['True', 'bool true'],
	['y', 'str "y"'], ['n', 'str "n"'], ['yEs', 'str "yEs"'], ['~', 'null'], ['null', 'null'], ['NULL', 'null'], ['nUll', 'str "nUll"'],
	['1', 'int 1'], ['-1', 'int -1'], ['+1', 'int 1'], ['0', 'int 0'], ['-0', 'int 0'], ['010', 'int 8'], ['08', 'str "08"'],
	['0o7', 'str "0o7"'], ['0x1F', 'int 31'], ['-0x10', 'int -16'], ['0b101', 'int 5'], ['0b', 'str "0b"'], ['1_000', 'int 1000'],
	['190:20:30', 'int 685230'], ['1:60', 'yaql "1:60"'], ['9223372036854775807', 'int 9223372036854775807'],
	['9223372036854775808', 'int 9223372036854775808'], ['-9223372036854775808', 'int -9223372036854775808'],
	['0xFFFFFFFFFFFFFFFFFF', 'int 4722366482869645213695'], ['123456789012345678901234567890', 'int 123456789012345678901234567890'],
	['1.5', 'float 1.5'], ['1.', 'float 1'], ['.5', 'float 0.5'], ['-.5', 'str "-.5"'], ['1e3', 'str "1e3"'], ['1.0e3', 'str "1.0e3"'],
	['1.5e+3', 'float 1500'], ['1.5E-1', 'float 0.14999999999999999'], ['1:30.5', 'float 90.5'], ['1_0.5', 'float 10.5'],
	['.inf', 'float inf'], ['-.INF', 'float -inf'], ['.nan', 'float nan'], ['-.nan', 'str "-.nan"'],
	['2001-01-01', 'date "2001-01-01"'], ['2001-12-14 21:59:43.10 -5', 'datetime "2001-12-14 21:59:43.10 -5"'],
	['2001-12-14t21:59:43Z', 'datetime "2001-12-14t21:59:43Z"'], ['2004-02-29', 'date "2004-02-29"'],
	['=', 'str "="'], ['abc', 'str "abc"'], ['a b c', 'str "a b c"'], ['1.2.3', 'str "1.2.3"'],
	["'1'", 'str "1"'], ['"yes"', 'str "yes"'], ['!!str 1', 'str "1"'], ['!!int "0x10"', 'int 16'], ['!!float 1', 'float 1'],
	['!!bool "off"', 'bool false'], ['!!null x', 'null'], ['!!timestamp "2001-01-01"', 'date "2001-01-01"'],
	['!!binary aGk=', 'binary "hi"'], ['! 12', 'int 12'], ['! "12"', 'int 12'],
	# rule C9
	['$', 'yaql "$"'], ['$.a', 'yaql "$.a"'], ['foo()', 'yaql "foo()"'], ['foo-bar', 'yaql "foo-bar"'], ['1 + 2', 'yaql "1 + 2"'],
	['not $x', 'yaql "not $x"'], ["'\$.a'", 'str "$.a"'], ['"$.a"', 'str "$.a"'], ['!yaql "$.a"', 'yaql "$.a"'], ['!yaql a', 'yaql "a"'],
	['!!str $.a', 'str "$.a"'], ['foo.bar', 'str "foo.bar"'], ['a, b c', 'str "a, b c"'], ['/usr/bin', 'str "/usr/bin"'],
	["Gr\xc3\xbc\xc3\x9fe", "str \"Gr\xc3\xbc\xc3\x9fe\""], ["\xc2\xa9", "str \"\xc2\xa9\""], ["\$.a = '\xc2\xa9'", "yaql \"\$.a = '\xc2\xa9'\""],
);
for my $s (@scalars) {
	my ($got) = dump_of("- $s->[0]\n");
	is($got, "seq\n- $s->[1]", "scalar $s->[0]");
}
is((dump_of("a:\n"))[0], "map\n? str \"a\"\n: null", 'no value is null');

# ---- structure
is((dump_of("\$x: 1\nfoo-bar: 2\n"))[0], "map\n? yaql \"\$x\"\n: int 1\n? yaql \"foo-bar\"\n: int 2", 'keys are expressions too');
is((dump_of("--- {}\n---\n--- 0\n--- ''\n--- []\n--- a\n"))[0], 'str "a"', 'what is false is no document');
is((dump_of("{a: &x [1], b: *x, c: &x 2, d: *x}"))[0],
	"flow map\n? str \"a\"\n: flow seq\n  - int 1\n? str \"b\"\n: flow seq\n  - int 1\n? str \"c\"\n: int 2\n? str \"d\"\n: int 2",
		'anchors may be given again');
is((dump_of("b: &b {x: 1, y: 2}\nc: &c {y: 3, z: 4}\nd:\n  w: 0\n  y: 5\n  <<: [*b, *c]\n"))[0] =~ s/.*\? str "d"\n//sr,
	": map\n  ? str \"y\"\n  : int 5\n  ? str \"z\"\n  : int 4\n  ? str \"x\"\n  : int 1\n  ? str \"w\"\n  : int 0",
		'<< of a list: what is merged comes first, earlier maps win');
my ($dup, $rc, $err) = dump_of("{1: a, x: b, true: c, 1.0: d, x: e}");
is($dup, "flow map\n? int 1\n: str \"d\"\n? str \"x\"\n: str \"e\"", 'equal keys: first place, last value');
like($err, qr/^(?:.*W1001.*\n(?:.*\n)*?){3}/m, 'equal keys are warned of');
is($rc, 0, 'which is no error');

# ---- places: a piece of decoded text stands where the caret says
my $tricky = <<'Y';
- >
  one
  two

    more
  three
- |2-
    indented
  not
- "tab\there \
   cont

   para \u00e9\x41\U0001F600 end"
- 'it''s
  folded'
- plain
  folded
- !!str   tagged
Y
my ($d, undef, undef, $full) = dump_of($tricky);
is($d, "seq\n- str \"one two\\n\\n  more\\nthree\\n\"\n- str \"  indented\\nnot\"\n- str \"tab\\there cont\\npara \xc3\xa9A\xf0\x9f\x98\x80 end\"\n" .
	"- str \"it's folded\"\n- str \"plain folded\"\n- str \"tagged\"",
	'folded, literal, escaped and quoted text');
is(join(' ', $full =~ / @([\d:-]+)$/mg), '1:1-18:17 1:3-6:8 7:3-9:6 10:3-13:34 14:3-15:10 16:3-17:9 18:3-18:17', 'spans of nodes')
	or print "# $full\n";

# the caret of a YAQL error inside of escaped and folded text
for my $case (
	["- !yaql \"\\t\$.a \\x2b + §\"\n", '1:23', 'behind escapes'],
	["- !yaql >\n    \$.a +\n    \$.b +\n    ) 1\n", '4:5', 'in a folded block'],
	["- !yaql |\n    \$.a\n    .b ) 1\n", '3:8', 'in a literal block'],
	["- !yaql 'f(''x'') )'\n", '1:19', 'behind doubled quotes'],
	["- !yaql \"\$.a\n\n    + )\"\n", '3:7', 'on a later line of a quoted scalar'],
	["- !yaql \"\\U0001F600\"\n", '1:10', 'an escape of ten bytes'],
) {
	my ($yaml, $want, $title) = @$case;
	my (undef, undef, $e) = dump_of($yaml);
	my ($at) = $e =~ /^.*d\.yaml:(\d+:\d+): error\[E030[12]\]/m;
	is($at, $want, "the caret is right $title") or print map { "# $_\n" } split /\n/, $e;
}

# ---- bad input: quick, exit 1, nothing printed, a message that says what
sub bad {
	my ($title, $yaml, $code, $place) = @_;
	spew("$W/bad.yaml", $yaml);
	my $start = time;
	my ($s, $out, $e) = vetro({ limit => 40 }, 'check', '--emit=yaml', "$W/bad.yaml");
	my ($at) = $e =~ /bad\.yaml(?::(\d+:\d+))?: error\[$code\]/;
	ok($s == 1 && $e =~ /error\[$code\]/ && (!$place || ($at // '') eq $place), "$title: $code" . ($place ? " at $place" : ''),
		"status $s", substr($e, 0, 2000));
	ok(length($e) < 20000, "$title: no flood of text", length $e);
}
bad('100 MB of brackets', '[' x (100 << 20), 'E0102');
bad('60 MB of brackets', '[' x (60 << 20), 'E0202', '1:201');
bad('nested block lists', '- ' x (1 << 20), 'E0202');
bad('nested flow maps', '{a: ' x (1 << 20), 'E0202');
bad('nested keys', '? ' x (1 << 20), 'E0202');
bad('20 million nodes', '[' . '[],' x (20 << 20) . ']', 'E0203');
bad('a bomb of aliases', "a0: &a0 [x,x]\n" . join('', map { "a$_: &a$_ [" . join(',', ('*a' . ($_ - 1)) x 10) . "]\n" } 1 .. 19), 'E0203', '7:30');
bad('a chain of aliases', "a0: &a0 [x]\n" . join('', map { "a$_: &a$_ [*a" . ($_ - 1) . "]\n" } 1 .. 1000), 'E0202');
bad('an alias in itself', "a: &a [1, *a]\n", 'E0205', '1:11');
bad('an open quote', 'a: "' . "x\n" x 1000000, 'E0201');
bad('broken UTF-8', "a: b\nc: \xff\n", 'E0109', '2:4');
bad('overlong UTF-8', "a: \xc0\xaf\n", 'E0109', '1:4');
bad('a surrogate', "a: \xed\xa0\x80\n", 'E0109', '1:4');
bad('a NUL byte', "a: b\0c\n", 'E0109', '1:5');
bad('UTF-16', "\xff\xfea\0:\0", 'E0109');
bad('a control character', "a: b\x07\n", 'E0201', '1:5');
bad('a tab as indentation', "a:\n\tb: 1\n", 'E0201', '2:1');
is((dump_of('a: x' . ' ' x (1 << 20) . "y\n"))[1], 0, 'a megabyte of spaces');
is((dump_of("\xef\xbb\xbfa: 1\n"))[0], "map\n? str \"a\"\n: int 1", 'a byte order mark is skipped');
is((dump_of("\xef\xbb\xbfa: 1\nb: 2\n"))[0], "map\n? str \"a\"\n: int 1\n? str \"b\"\n: int 2", 'and takes no column');
bad('an error behind a byte order mark', "\xef\xbb\xbfa: b\x07\n", 'E0201', '1:5');
is((dump_of("a: 1\r\nb:\r\n  - x\r\n"))[0], "map\n? str \"a\"\n: int 1\n? str \"b\"\n: seq\n  - str \"x\"", 'lines that end in CR LF');
is((dump_of(join("\n", map { "- &a$_ x" } 1 .. 20000) . "\n" . join("\n", map { "- *a$_" } 1 .. 20000)))[1], 0, 'many anchors');
done();
