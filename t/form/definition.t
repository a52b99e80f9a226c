#!/usr/bin/perl
# UI/ui.yaml as a whole: versions, sections, scalars that are expressions, what makes it unusable.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Form;
use Tap;

binmode(STDOUT, ':encoding(UTF-8)');

# ---- versions
my $rest = "Application:\n  ?: {type: t.App}\n";
my %named = ('2' => 0, '2.0' => 0, "'2.1'" => 0, '2.2' => 1, '2.3' => 1, '2.4' => 1, '2.10' => 0, '2.2.1' => 1, "'2.04'" => 1);
for my $v (sort keys %named) {
	my ($got) = ask({ ui => "Version: $v\n$rest" });
	is(exists $got->{value}{'?'}{name} ? 1 : 0, $named{$v}, "version $v " . ($named{$v} ? 'asks' : 'does not ask') . ' for a name');
}
model('without a version it is the newest', { '?' => { type => 't.App', name => 'App' } }, $rest);
fails("version $_", 'DefinitionError 1:10', "Version: $_\n$rest") for '1.0', '3', "'2.5'", "'2.10'", '2.4.1', 'abc', 'null', 'true', '[2]';
fails('a version with a small letter', qr/^DefinitionError: `version` is not `Version`/, "version: 2\n$rest");

# ---- sections
fails($_->[0], $_->[1], $_->[2]) for
	['no mapping', 'DefinitionError 1:1', "- 1\n"],
	['nothing', 'DefinitionError 1:1', "\n"],
	['no YAML', qr/^DefinitionError: YAML:/, "Application: {\n"],
	['two documents', qr/second document/, "Application: {}\n---\n1\n"],
	['no Application', qr/no Application/, "Version: 2\n"],
	['an empty Application', qr/no Application/, "Application:\n"],
	['an Application that is a text', 'DefinitionError 1:14', "Application: text\n"],
	['an Application that becomes a text', qr/^DefinitionError: the Application is no mapping/, "Version: 2\nApplication: \$.x\n"],
	['Forms that are no list', qr/Forms is no list/, "Version: 2\n${rest}Forms: {f: {fields: []}}\n"],
	['a form that is no mapping', qr/a form is no mapping/, "Version: 2\n${rest}Forms: [f]\n"],
	['a form without fields', qr/the form `f` has no list of fields/, "Version: 2\n${rest}Forms: [{f: {validators: []}}]\n"],
	['Templates that are a list', qr/Templates is no mapping/, "Version: 2\n${rest}Templates: []\n"],
	['a ParametersSource that is no name', qr/ParametersSource is no name/, "Version: 2\n${rest}ParametersSource: [a]\n"],
	['a section whose name is no text', qr/the name of a section is no text/, "Version: 2\n${rest}5: x\n"];
fails('a name without a head to take it', qr/no `\?`/, "Version: 2.2\nApplication: {x: 1}\n", package => 't.App');
model('any spelling of a section', { x => 5 }, "Version: 2\napplication: {x: \$p}\nparameters: {p: 5}\n");
model('sections that nobody knows', { x => 1 }, "Version: 2\nApplication: {x: 1}\nNotes: {any: thing}\n");
model('of a form with two keys the first counts', { x => 'a' },
	"Version: 2\nApplication: {x: \$.f.x}\nForms: [{f: {fields: [{name: x, type: string, initial: a}]}, g: {fields: 5}}]\n");

# ---- scalars
my @scalars = (['m1.small', 'm1.small'], ['key:value', 'key:value'], ['two words', 'two words'], ['not true', 'not true'], ['1 + 2', 3],
	['Really (yes)', 'Really (yes)'], ['^a+$', '^a+$'], ['Enter a name!', 'Enter a name!'], ["'1 + 2'", '1 + 2'], ['"$.f"', '$.f'],
	['010', 8], ['0x1F', 31], ['1_000', 1000], ['12:30:45', 45045], ['1e3', '1e3'], ['~', undef], ['żółw', 'żółw'], ['!yaql "2 * 2"', 4],
	["'a\\b'", 'a\\b'], ['!!str 5', '5'], ['[1 + 1, {a: 2 + 2}]', [2, { a => 4 }]], ['io.test.App/1.0@pkg', 'io.test.App/1.0@pkg']);
model("the scalar $_->[0]", { x => $_->[1] }, definition("x: $_->[0]")) for @scalars;
model('a block scalar is a text', { x => "1 + 2\n" }, definition("x: |\n  1 + 2"));
model('keys are expressions too', { 3 => 1 }, definition('1 + 2: 1'));
fails('a name with a dash is an expression', 'NoMatchingFunctionException 4:8', definition('x: my-app'));
fails('a type with a version is one', qr/^NoFunctionRegisteredException: .*test/, definition('x: io.test.App/1.0'));
fails('what !yaql cannot read', 'YaqlGrammarException 4:16', definition('x: !yaql "1 +"'));
fails('nor take apart', 'YaqlLexicalException 4:15', definition('x: !yaql "1 ; 2"'));

# ---- fields
sub refused { my ($title, $why, $field) = @_; fails($title, $why, one_field($field)) }
refused($_->[0], $_->[1], $_->[2]) for
	['a field that is none', qr/a field is no mapping/, '5'],
	['no name', qr/the field has no name/, '{type: string}'],
	['a name that is no text', qr/the name of a field is no text/, '{name: on, type: string}'],
	['no type', qr/the field `x` has no type/, '{name: x}'],
	['a type with a dash', qr/the type of the field `x` is no text/, '{name: x, type: my-type}'],
	['a password without a label', qr/the password field `x` has no label/, '{name: x, type: password}'],
	['an unknown attribute', 'DefinitionError 8:35', '{name: x, type: string, minLenght: 1}'],
	['one of another type', qr/fields of type `integer` have no attribute `maxLength`/, '{name: x, type: integer, maxLength: 5}'],
	['one that is in the manual only', qr/include_subnets/, '{name: x, type: network, include_subnets: false}'],
	['of a class', qr/fields of a class have no attribute `minValue`/, '{name: x, type: t.C, minValue: 5}'],
	['enabled that is constant', qr/enabled is an expression/, '{name: x, type: string, enabled: true}'],
	['a regular expression that is none', qr/missing \), unterminated subpattern/, "{name: x, type: string, regexpValidator: '('}"],
	['one without its second slash', qr/does not end as/, "{name: x, type: string, regexpValidator: '/a'}"],
	['one that is a number', qr/the regular expression is no text/, '{name: x, type: string, regexpValidator: 5}'],
	['a bound that is a text', qr/a bound is a number/, '{name: x, type: integer, minValue: many}'],
	['choices that are words', qr/choices are pairs/, '{name: x, type: choice, choices: [a, b]}'],
	['choices with numbers as keys', qr/a key of an attribute is no text/, '{name: x, type: choice, choices: {1: One}}'],
	['networks that go nowhere', qr/murano_networks is/, '{name: x, type: network, murano_networks: hide}'],
	['messages that are a text', qr/a mapping/, '{name: x, type: string, errorMessages: no}'],
	['validators that are no list', qr/validators are no list/, '{name: x, type: string, validators: {expr: $}}'],
	['a validator that is a word', qr/a validator is no mapping/, '{name: x, type: string, validators: [abc]}'];
fails('validators of a form need expressions', qr/a validator of a form needs an expression/,
	definition('x: 1', "Forms: [{f: {fields: [], validators: [{expr: 'text', message: m}]}}]\n"));
fails('choices that an expression makes', qr/^DefinitionError: the choices of the field x are no pairs/,
	"Parameters: {p: [a]}\n" . one_field('{name: x, type: choice, choices: $p}'));
model('of two fields of one name the later one counts', { x => 2 }, one_field('{name: x, type: string, initial: a}', '{name: x, type: integer, initial: 2}'));

# ---- what nobody meant
is((ask({ ui => 5 }))[0]{error}{type}, 'RequestError', 'a definition that is no text');
is((ask({ ui => $rest, answers => [] }))[0]{error}{type}, 'RequestError', 'answers that are no object');
is((ask({ ui => "a\0b" }))[0]{error}{type}, 'DefinitionError', 'a definition that is no text to people');
fails('templates that insert one another', qr/^RecursionError:/, definition('x: $a', "Templates: {a: \$b, b: \$a}\n"));
fails('templates that grow without an end', qr/^MemoryQuotaExceededException:/,
	definition('x: $t0', "Templates:\n" . join('', map { "  t$_: [\$t" . ($_ + 1) . ', $t' . ($_ + 1) . "]\n" } 0 .. 40)));
done();
