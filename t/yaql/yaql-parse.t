#!/usr/bin/perl
# The YAQL lexer (1), grammar (2), precedence (P) and the dialects: legacy (L) and MuranoPL's (M).
# The numbers are those of the catalogue: rule 1.3 is numbers, 1.6 strings, and so on.
use strict;
use warnings;
use utf8;
use Encode qw(decode encode);
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap qw(ok done $vetro);

binmode STDOUT, ':encoding(UTF-8)';

# Status, standard output and error of vetro.
sub run {
	my @args = map { encode('UTF-8', $_) } @_;
	my $err = "/tmp/vetro-t20-$$";
	my $pid = open(my $out, '-|') // die "fork: $!";
	if (!$pid) {
		open(STDERR, '>', $err) or die;
		open(STDIN, '<', '/dev/null') or die;
		exec { $vetro } $vetro, @args or exit 127;
	}
	local $/;
	my $text = <$out> // '';
	close $out;
	open(my $f, '<', $err) or die;
	my $message = <$f> // '';
	close $f;
	unlink $err;
	return ($? >> 8, decode('UTF-8', $text), decode('UTF-8', $message));
}

sub tree {
	my ($title, $expr, $want, @flags) = @_;
	my ($st, $got, $err) = run('query', '--emit=ast', @flags, '--', $expr);
	chomp $got;
	ok($st == 0 && $got eq $want, $title, "expression $expr", "want $want", "got  $got", $err);
}

my %code = (Lexical => 'E4111', Grammar => 'E4110', Unicode => 'E4015');
my %type = (Lexical => 'YaqlLexicalException', Grammar => 'YaqlGrammarException', Unicode => 'UnicodeDecodeError');

# at is a code point of an expression in one line.
sub fails {
	my ($title, $expr, $kind, $message, $at, @flags) = @_;
	my ($st, $got, $err) = run('query', '--emit=ast', @flags, '--', $expr);
	# What a line of a terminal cannot hold is shown otherwise.
	$message =~ s/([\t\f\x0b\r])/sprintf '\\u{%x}', ord $1/ge;
	$message =~ s/\n/\n    /g;
	my $good = $st == 1 && $got eq '' && $err =~ /^<expression>:\d+:\d+: error\[$code{$kind}\]: \Q$type{$kind}: $message\E\n/;
	my ($caret) = $err =~ /\n      \| ( *)\^\n(?:  hint: .*\n)?\z/;
	ok($good && ($expr =~ /[\n\t]/ || defined $caret && length($caret) == $at), $title, "expression $expr", $err);
}

tree '1.1 blanks are ignored',
	" \t\r\n 1 \n",
	'1';
fails '1.1 other blanks are not',
	"1\f",
	Lexical => "Lexical error: illegal character '\f' at position 1", 1;
fails '1.1 there are no comments',
	'1 # one',
	Lexical => q{Lexical error: illegal character '#' at position 2}, 2;
tree '1.2 $',
	'$',
	'$';
tree '1.2 $1 and $name',
	'[$1, $name, $_x]',
	'(list $1 $name $_x)';
tree '1.2 letters of any script',
	'$é٣',
	'$é٣';
fails '1.2 $$ is two tokens',
	'$$',
	Grammar => q{Parse error: unexpected '$' at position 1 of expression '$$'}, 1;
tree '1.3 leading zeros',
	'007',
	'007';
tree '1.3 a fraction',
	'1.50',
	'1.50';
tree '1.3 digits of any script',
	'٣.٤',
	'3.4';
fails '1.3 no exponent',
	'1e5',
	Lexical => q{Lexical error: illegal character '1' at position 0}, 0;
fails '1.3 no hexadecimal',
	'0x1F',
	Lexical => q{Lexical error: illegal character '0' at position 0}, 0;
fails '1.3 no letter behind a number',
	'12abc',
	Lexical => q{Lexical error: illegal character '1' at position 0}, 0;
fails '1.3 no underscore',
	'1_0',
	Lexical => q{Lexical error: illegal character '1' at position 0}, 0;
fails '1.3 no leading dot',
	'.5',
	Grammar => q{Parse error: unexpected '.' at position 0 of expression '.5'}, 0;
fails '1.3 two dots',
	'1..a',
	Grammar => q{Parse error: unexpected '.' at position 2 of expression '1..a'}, 2;
fails '1.3 a letter behind the fraction',
	'1.5e3',
	Lexical => q{Lexical error: illegal character '5' at position 2}, 2;
tree '1.3 a second fraction',
	'1.5.6',
	'(binary . 1.5 6)';
tree '1.3 a minus is an operator',
	'-1',
	'(unary - 1)';
tree '1.4 a function',
	'f(1)',
	'(call f 1)';
tree '1.4 a function named as an operator',
	'not(true)',
	'(call not true)';
fails '1.4 a function where an operator belongs',
	'5 mod(3)',
	Grammar => q{Parse error: unexpected 'mod' at position 2 of expression '5 mod(3)'}, 2;
fails '1.4 no blank before the bracket',
	'f (1)',
	Grammar => q{Parse error: unexpected '(' at position 2 of expression 'f (1)'}, 2;
tree '1.4 two underscores are allowed here',
	'__name(1)',
	'(call __name 1)';
tree '1.5 a keyword',
	'abc',
	'(keyword abc)';
tree '1.5 constants',
	'[true, false, null]',
	'(list true false null)';
tree '1.5 constants have their case',
	'[True, NULL]',
	'(list (keyword True) (keyword NULL))';
tree '1.5 word operators',
	'1 mod 2 in 3 or not 4 and 5',
	'(binary or (binary in (binary mod 1 2) 3) (binary and (unary not 4) 5))';
fails '1.5 no two underscores',
	'__x',
	Lexical => q{Lexical error: illegal character '_' at position 0}, 0;
tree '1.5 one is fine',
	'_x',
	'(keyword _x)';
tree '1.5 a letter number starts a word',
	'²x',
	'(keyword ²x)';
tree '1.6 quotes',
	q{['a"', "b'"]},
	q{(list "a\"" "b'")};
tree '1.6 a newline in a string',
	"'a\nb'",
	q{"a\x0ab"};
fails '1.6 but not behind a backslash',
	"'a\\\nb'",
	Lexical => q{Lexical error: illegal character ''' at position 0}, 0;
tree '1.6 escapes',
	"\"\\x41\\u00e9\\U0001F600\\101\\7\\\\\\'\\\"\\a\\b\\f\\n\\r\\t\\v\"",
	"\"Aé😀A\\x07\\\\'\\\"\\x07\\x08\\x0c\\x0a\\x0d\\x09\\x0b\"";
tree '1.6 a name',
	q{"\N{GREEK SMALL LETTER ALPHA}\N{latin small letter e with acute}\N{CJK UNIFIED IDEOGRAPH-4E2D}"},
	'"αé中"';
tree '1.6 no escapes',
	q{"\q\d\N\u12"},
	"\"\\\\q\\\\d\\\\N\\\\u12\"";
tree '1.6 a pair of surrogates',
	q{"\ud83d\ude00"},
	'"😀"';
fails '1.6 a lone surrogate',
	q{"a\ud83d"},
	Unicode => q{'unicodeescape' codec can't decode bytes in position 0-5: a lone surrogate is no character}, 2;
fails q{1.6 a bad \x},
	q{"\xzz"},
	Unicode => q{'unicodeescape' codec can't decode bytes in position 0-1: truncated \xXX escape}, 1;
fails q{1.6 a bad \u},
	q{1 + "\u12zz"},
	Unicode => q{'unicodeescape' codec can't decode bytes in position 0-3: truncated \uXXXX escape}, 5;
fails '1.6 a character above the last',
	q{"\U00110000"},
	Unicode => q{'unicodeescape' codec can't decode bytes in position 0-9: illegal Unicode character}, 1;
fails '1.6 an unknown name',
	q{"\N{NO SUCH CHARACTER}"},
	Unicode => q{'unicodeescape' codec can't decode bytes in position 0-20: unknown Unicode character name}, 1;
tree '1.6 verbatim',
	"`a\\n\\`b\\\\`",
	"\"a\\\\n`b\\\\\\\\\"";
fails '1.6 an open quote',
	q{1 + 'abc},
	Lexical => q{Lexical error: illegal character ''' at position 4}, 4;
fails '1.6 an open quote: a backslash at the end',
	q{'abc\'},
	Lexical => q{Lexical error: illegal character ''' at position 0}, 0;
tree '1.7 longest operators first',
	'a=~b',
	'(binary =~ (keyword a) (keyword b))';
tree '1.7 => before =',
	'f(a=>b)',
	'(call f (=> (keyword a) (keyword b)))';
tree '1.7 ?. and ->',
	'a?.b->c',
	'(binary -> (binary ?. (keyword a) (keyword b)) (keyword c))';
fails '1.7 >=~ is an error',
	'a>=~b',
	Lexical => q{Lexical error: illegal character '~' at position 3}, 3;
fails '1.7 # is none',
	'#',
	Lexical => q{Lexical error: illegal character '#' at position 0}, 0;
fails '1.7 ? alone',
	'a ? b',
	Lexical => q{Lexical error: illegal character '?' at position 2}, 2;
fails '1.7 ! alone',
	'!a',
	Lexical => q{Lexical error: illegal character '!' at position 0}, 0;
fails '1.7 ; is none',
	'a;b',
	Lexical => q{Lexical error: illegal character ';' at position 1}, 1;
fails '1.7 : is none',
	'a:b',
	Lexical => q{Lexical error: illegal character ':' at position 1}, 1;
fails '1.7 & is none',
	'a & b',
	Lexical => q{Lexical error: illegal character '&' at position 2}, 2;
fails '1.7 % is none',
	'5 % 2',
	Lexical => q{Lexical error: illegal character '%' at position 2}, 2;
fails '1.7 == is no operator',
	'a == b',
	Grammar => q{Parse error: unexpected '=' at position 3 of expression 'a == b'}, 3;
tree '2 parentheses are kept',
	'(1)',
	'(wrap 1)';
tree '2 an index',
	'$[0]',
	'(index $ 0)';
tree '2 many index arguments',
	'$.d[key, default]',
	'(index (binary . $ (keyword d)) (keyword key) (keyword default))';
tree '2 a list',
	'[1, [2], []]',
	'(list 1 (list 2) (list))';
tree '2 a map',
	q{{a => 1, 'b' => 2}},
	'(map (=> (keyword a) 1) (=> "b" 2))';
tree '2 an empty map',
	'{}',
	'(map)';
tree '2 a keyword argument',
	'f(1, a => 2, b => 3)',
	'(call f 1 (=> (keyword a) 2) (=> (keyword b) 3))';
fails '2 positional behind keyword arguments',
	'let(a=>1, 2)',
	Grammar => q{Parse error: unexpected ')' at position 11 of expression 'let(a=>1, 2)'}, 11;
fails '2 => is no operator',
	'a => b',
	Grammar => q{Parse error: unexpected '=>' at position 2 of expression 'a => b'}, 2;
fails '2 => in brackets is none either',
	'(a => b)',
	Grammar => q{Parse error: unexpected '=>' at position 3 of expression '(a => b)'}, 3;
tree '2 => takes whole expressions',
	'f(1 + 2 => 3 -> 4)',
	'(call f (=> (binary + 1 2) (binary -> 3 4)))';
fails '2 => once',
	'f(a => b => c)',
	Grammar => q{Parse error: unexpected '=>' at position 9 of expression 'f(a => b => c)'}, 9;
tree '2 an empty slot in front',
	'f(,1)',
	'(call f empty 1)';
tree '2 an empty slot between',
	'f(1,,2)',
	'(call f 1 empty 2)';
tree '2 empty slots',
	'f(,,1,,,2)',
	'(call f empty empty 1 empty empty 2)';
tree '2 an empty slot before keyword arguments',
	'f(1,,a=>2)',
	'(call f 1 empty (=> (keyword a) 2))';
fails '2 two of them',
	'f(1,,,a=>2)',
	Grammar => q{Parse error: unexpected '=>' at position 7 of expression 'f(1,,,a=>2)'}, 7;
fails '2 only empty ones before keyword arguments',
	'f(,a=>2)',
	Grammar => q{Parse error: unexpected '=>' at position 4 of expression 'f(,a=>2)'}, 4;
fails '2 an empty slot between keyword arguments',
	'f(a=>1,,b=>2)',
	Grammar => q{Parse error: unexpected ',' at position 7 of expression 'f(a=>1,,b=>2)'}, 7;
fails '2 a trailing comma',
	'f(1,)',
	Grammar => q{Parse error: unexpected ')' at position 4 of expression 'f(1,)'}, 4;
fails '2 only a comma',
	'f(,)',
	Grammar => q{Parse error: unexpected ')' at position 3 of expression 'f(,)'}, 3;
fails '2 a trailing comma in a list',
	'[1, 2,]',
	Grammar => q{Parse error: unexpected ']' at position 6 of expression '[1, 2,]'}, 6;
fails '2 the empty expression',
	'',
	Grammar => 'Parse error: unexpected end of statement', 0;
fails '2 an unexpected end',
	'1 +',
	Grammar => 'Parse error: unexpected end of statement', 3;
fails '2 an open bracket',
	'f(1',
	Grammar => 'Parse error: unexpected end of statement', 3;
fails '2 one value',
	'1 2',
	Grammar => q{Parse error: unexpected '2' at position 2 of expression '1 2'}, 2;
fails '2 a wrong bracket',
	'[1)',
	Grammar => q{Parse error: unexpected ')' at position 2 of expression '[1)'}, 2;
tree '2 calls of values',
	'$f(1)',
	'(invoke $f 1)', '--delegates';
fails '2 calls of values: not by default',
	'$f(1)',
	Grammar => q{Parse error: unexpected '(' at position 2 of expression '$f(1)'}, 2;
tree '2 calls of calls',
	'f(1)(2)[3](4)',
	'(invoke (index (invoke (call f 1) 2) 3) 4)', '--delegates';
tree '2 a call takes all on its left',
	'1 + $ (2)',
	'(invoke (binary + 1 $) 2)', '--delegates';
tree '2 a call inside an argument',
	'f(a => $(1))',
	'(call f (=> (keyword a) (invoke $ 1)))', '--delegates';
tree 'P . is left associative',
	'a.b.c',
	'(binary . (binary . (keyword a) (keyword b)) (keyword c))';
tree 'P . and ?. are one group',
	'a?.b.c?.d',
	'(binary ?. (binary . (binary ?. (keyword a) (keyword b)) (keyword c)) (keyword d))';
tree 'P . before index',
	'$.a[0].b',
	'(binary . (index (binary . $ (keyword a)) 0) (keyword b))';
tree 'P index before sign',
	'-$.a[0]',
	'(unary - (index (binary . $ (keyword a)) 0))';
tree 'P sign and .',
	'-2.abs()',
	'(unary - (binary . 2 (call abs)))';
tree 'P sign before =~',
	'-a =~ b',
	'(binary =~ (unary - (keyword a)) (keyword b))';
tree 'P signs',
	'- + -1',
	'(unary - (unary + (unary - 1)))';
tree 'P =~ before +',
	'"a" + "b" =~ "b"',
	'(binary + "a" (binary =~ "b" "b"))';
tree 'P =~ before *',
	'2 * 3 =~ x',
	'(binary * 2 (binary =~ 3 (keyword x)))';
tree 'P * / mod are left associative',
	'8 / 4 * 2 mod 3',
	'(binary mod (binary * (binary / 8 4) 2) 3)';
tree 'P * before +',
	'1 + 2 * 3 - 4',
	'(binary - (binary + 1 (binary * 2 3)) 4)';
tree 'P binary and unary minus',
	'1 - -1',
	'(binary - 1 (unary - 1))';
tree 'P + before comparison',
	'1 + 2 < 3 + 4',
	'(binary < (binary + 1 2) (binary + 3 4))';
tree 'P comparisons are left associative',
	'1 < 2 = true != false',
	'(binary != (binary = (binary < 1 2) true) false)';
tree 'P in is a comparison',
	'1 in [1] = true',
	'(binary = (binary in 1 (list 1)) true)';
tree 'P not after comparison',
	'not a = b',
	'(unary not (binary = (keyword a) (keyword b)))';
tree 'P not as a right operand',
	'1 + not 2 = 3',
	'(binary + 1 (unary not (binary = 2 3)))';
tree 'P not before and',
	'not a and not b',
	'(binary and (unary not (keyword a)) (unary not (keyword b)))';
tree 'P and before or',
	'a or b and c or d',
	'(binary or (binary or (keyword a) (binary and (keyword b) (keyword c))) (keyword d))';
tree 'P or before ->',
	'let(1) -> a or b',
	'(binary -> (call let 1) (binary or (keyword a) (keyword b)))';
tree 'P -> is right associative',
	'a -> b -> c',
	'(binary -> (keyword a) (binary -> (keyword b) (keyword c)))';
tree 'P -> takes all on its right',
	'a -> b + c.d(e)',
	'(binary -> (keyword a) (binary + (keyword b) (binary . (keyword c) (call d (keyword e)))))';
tree 'L => is an operator',
	'a => b',
	'(binary => (keyword a) (keyword b))', '--legacy';
tree 'L => in a map',
	'{a => 1, b => 2}',
	'(map (binary => (keyword a) 1) (binary => (keyword b) 2))', '--legacy';
tree 'L => is left associative',
	'a => b => c',
	'(binary => (binary => (keyword a) (keyword b)) (keyword c))', '--legacy';
tree 'L or before =>',
	'a => b or c',
	'(binary => (keyword a) (binary or (keyword b) (keyword c)))', '--legacy';
tree 'L => before ->',
	'a -> b => c -> d',
	'(binary -> (keyword a) (binary -> (binary => (keyword b) (keyword c)) (keyword d)))', '--legacy';
tree 'L no keyword arguments',
	'f(a => 1, 2)',
	'(call f (binary => (keyword a) 1) 2)', '--legacy';
tree q{L the other dialect's slots},
	'f(,a => 1,,2)',
	'(call f empty (binary => (keyword a) 1) empty 2)', '--legacy';
tree 'M is is a comparison',
	'$.a is b and c',
	'(binary and (binary is (binary . $ (keyword a)) (keyword b)) (keyword c))', '--murano';
tree 'M is and its neighbours',
	'1 + 2 is 3 = 4',
	'(binary = (binary is (binary + 1 2) 3) 4)', '--murano';
tree 'M : binds tightest',
	'io:Cls.method()',
	'(binary . (binary : (keyword io) (keyword Cls)) (call method))', '--murano';
tree 'M : before .',
	'a.b:c',
	'(binary . (keyword a) (binary : (keyword b) (keyword c)))', '--murano';
tree 'M : is left associative',
	'a:b:c',
	'(binary : (binary : (keyword a) (keyword b)) (keyword c))', '--murano';
tree 'M : as a prefix',
	':Cls.new()',
	'(binary . (unary : (keyword Cls)) (call new))', '--murano';
tree 'M : as a prefix and operator',
	':a:b',
	'(binary : (unary : (keyword a)) (keyword b))', '--murano';
tree 'M : and index',
	'$.a is :b[0]',
	'(binary is (binary . $ (keyword a)) (index (unary : (keyword b)) 0))', '--murano';
tree 'M : before sign',
	'-a:b',
	'(unary - (binary : (keyword a) (keyword b)))', '--murano';
tree 'M => is for keyword arguments',
	'new(ns:Cls, a => $)',
	'(call new (binary : (keyword ns) (keyword Cls)) (=> (keyword a) $))', '--murano';
tree 'M -> is loosest still',
	'a -> b or c -> d',
	'(binary -> (keyword a) (binary -> (binary or (keyword b) (keyword c)) (keyword d)))', '--murano';
fails 'M is: only there',
	'a is b',
	Grammar => q{Parse error: unexpected 'is' at position 2 of expression 'a is b'}, 2;

# Nesting is bounded; width is not.
tree 'D as deep as allowed', '[' x 199 . ']' x 199, '(list ' x 198 . '(list)' . ')' x 198;
for my $deep (['brackets', '(' x 5000], ['calls', 'f(' x 5000], ['lists', '[' x 5000], ['signs', '-' x 100000 . '1'],
	['not', 'not ' x 20000 . '1'], ['->', '1 -> ' x 20000 . '1'], ['a long sum', '1+' x 500 . '1'])
{
	my ($st, $got, $err) = run('query', '--emit=ast', '--', $deep->[1]);
	ok($st == 1 && $err =~ /^<expression>:1:\d+: error\[E4110\]: YaqlGrammarException: Parse error: expression is nested deeper than 200 levels/,
		"D too deep: $deep->[0]", $err);
}
tree 'D a wide list', '[' . '1,' x 20000 . '1]', '(list' . ' 1' x 20001 . ')';

# The other text form.
my ($st, $got) = run('query', '--emit=tokens', '--', '$.a[0] + f("x", k => 1.5) and null');
ok($st == 0 && $got eq join('', map { "$_\n" }
	"0-1\tvariable\t\"\"", "1-2\toperator\t\".\"", "2-3\tkeyword\t\"a\"", "3-4\tpunctuation\t\"[\"", "4-5\tinteger\t\"0\"",
	"5-6\tpunctuation\t\"]\"", "7-8\toperator\t\"+\"", "9-11\tfunction\t\"f\"", "11-14\tstring\t\"x\"", "14-15\tpunctuation\t\",\"",
	"16-17\tkeyword\t\"k\"", "18-20\tmapping\t\"=>\"", "21-24\tfloat\t\"1.5\"", "24-25\tpunctuation\t\")\"",
	"26-29\toperator\t\"and\"", "30-34\tconstant\t\"null\""), 'T tokens', $got);

done();
