#!/usr/bin/perl
# Fields: from what is sent, or what the page shows, to a value, or a complaint.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Form;
use JSON::PP;
use Tap;

binmode(STDOUT, ':encoding(UTF-8)');

my ($true, $false) = (JSON::PP::true, JSON::PP::false);

# What is answered for x, and the code of the complaint about it.
sub refused {
	my ($title, $want, $field, $answer) = @_;
	complaints($title, $want, one_field($field), defined $answer ? (answers => { f => { x => $answer } }) : ());
}

# ---- texts
field('blanks at both ends go', 'two words', '{name: x, type: string}', answer => "\x{a0} two words\t");
field('unless they are kept', ' a ', '{name: x, type: string, strip: false}', answer => ' a ');
field('a number is a text', '5', '{name: x, type: string}', answer => 5);
field('so is a boolean', 'True', '{name: x, type: text}', answer => $true);
field('an untouched text sends its initial value', 'a<b & c', "{name: x, type: string, initial: 'a<b & c'}");
field('a list is shown as Python has it', "['a', 1]", '{name: x, type: string, initial: [a, 1]}');
field('an empty one', '', '{name: x, type: string, required: false}');
field('what stands for nothing', 'none', '{name: x, type: string, emptyValue: none, required: false}');
refused('nothing', 'f.x required: This field is required.', '{name: x, type: string}');
refused('blanks only', 'f.x required: This field is required.', '{name: x, type: text}', '  ');
refused('too short', 'f.x min_length: Ensure this value has at least 3 characters (it has 2).', '{name: x, type: string, minLength: 3}', 'żó');
refused('too long', 'f.x max_length: Ensure this value has at most 1 characters (it has 2).', '{name: x, type: string, max_length: 1}', 'ab');
refused('a NUL', 'f.x null_characters_not_allowed: Null characters are not allowed.', '{name: x, type: string}', "a\0b");
field('bounds leave what is empty', '', '{name: x, type: string, minLength: 3, required: false}', answer => '');
field('nothing at all is sent', '', '{name: x, type: string, initial: a, required: false}', answer => undef);
field('of a hidden field the initial value', 'a', '{name: x, type: string, hidden: true, initial: a}');
field('of a disabled one too, whatever was answered', 'a', '{name: x, type: string, disabled: true, initial: a}', answer => 'b');
refused('hidden, required and empty', 'f.x required: This field is required.', '{name: x, type: string, hidden: true}');

# ---- integers
my $int = '{name: x, type: integer, initial: 1}';
my %good = (' 7 ' => 7, '+3' => 3, '-4' => -4, '5.0' => 5, '5.' => 5, '007' => 7, '1_000' => 1000, "\x{ff11}\x{ff12}" => 12);
field("the integer `$_`", $good{$_}, $int, answer => $_) for sort keys %good;
field('one of any size', Math::BigInt->new('9' x 30), $int, answer => '9' x 30) if eval { require Math::BigInt };
field('a number without a fraction', 1000, $int, answer => 1e3);
refused("no integer: `$_`", 'f.x invalid: Enter a whole number.', $int, $_) for '1.5', '1e3', '0x10', '--1', 'a', '1__0', '5 0';
refused('a boolean is none', 'f.x invalid: Enter a whole number.', $int, $true);
field('none is null', undef, '{name: x, type: integer, required: false}');
refused('below', 'f.x min_value: Ensure this value is greater than or equal to 5.', '{name: x, type: integer, minValue: 5}', 4);
refused('above', 'f.x max_value: at most 5, not 6',
	"{name: x, type: integer, maxValue: 5, errorMessages: {maxValue: 'at most %(limit_value)s, not %(value)s'}}", 6);

# ---- booleans
field("the boolean $_->[0] $_->[1]", $_->[2], "{name: x, type: $_->[0], initial: $_->[1], required: true}") for
	['boolean', 'true', $true], ['boolean', 'false', $false], ['boolean', "'false'", $true], ['floatingip', 'true', $true], ['boolean', 'null', $false];
field('hidden: the text 0 is false', $false, "{name: x, type: boolean, hidden: true, initial: '0'}");
field('hidden: any other text is true', $true, "{name: x, type: boolean, hidden: true, initial: 'no'}");
field('an answer', $false, '{name: x, type: boolean, initial: true}', answer => $false);

# ---- passwords
my $password = '{name: x, type: password, label: Pass}';
my $weak = 'The password must contain at least one letter, one number and one special character';
field('a password', 'Passw0rd!', $password, answer => 'Passw0rd!');
refused('a weak one', "f.x invalid: $weak", $password, 'password');
refused('weak and short', "f.x invalid: $weak\nf.x min_length: Ensure this value has at least 7 characters (it has 4).", $password, 'weak');
refused('a backslash is no special character', "f.x invalid: $weak", $password, 'Passw0rd\\');
refused('none', 'f.x required: This field is required.', $password);
field('its own validator stands in place of those', 'abc', "{name: x, type: password, label: P, regexpValidator: '^abc\$'}", answer => 'abc');
complaints('two that differ', "f. mismatch: Passs don't match", one_field($password), answers => { f => { x => 'Passw0rd!', 'x-clone' => 'Passw0rd?' } });
field('a disabled one is its initial value', 'Passw0rd!', "{name: x, type: password, label: P, disabled: true, initial: 'Passw0rd!'}", answer => 'a');
complaints('no second one', 'f.x-clone required: Please confirm your password',
	one_field($password), answers => { f => { x => 'Passw0rd!', 'x-clone' => '' } });
model('both stand in the data', { x => { x => 'Passw0rd!', 'x-clone' => 'Passw0rd!' } },
	definition('x: $.f', "Forms: [{f: {fields: [$password]}}]\n"), answers => { f => { x => 'Passw0rd!' } });
model('unless it is not asked twice', { x => { x => 'Passw0rd!' } },
	definition('x: $.f', "Forms: [{f: {fields: [{name: x, type: password, label: P, confirmInput: false}]}}]\n"), answers => { f => { x => 'Passw0rd!' } });

# ---- addresses and lists of names
field("the address `$_`", s/\s//gr, '{name: x, type: clusterip}', answer => $_) for '10.0.0.1', ' 255.255.255.255 ', '0.0.0.0';
refused("no address: `$_`", 'f.x invalid: Enter a valid IPv4 address.', '{name: x, type: clusterip}', $_) for
	'10.0.0', '10.0.0.256', '10.0.0.01', '::1', 'a.b.c.d', '1.2.3.4.5', '1.2.3.4x';
field('databases', ['a', 'b_1', '^x'], '{name: x, type: databaselist}', answer => 'a, b_1 ,^x');
field('no database', [], '{name: x, type: databaselist, required: false}');
my $bad = 'f.x invalid: First symbol should be latin letter or underscore. Subsequent symbols can be latin letter, numeric, underscore, at sign, '
	. 'number sign or dollar sign';
refused("no name of a database: `$_`", $bad, '{name: x, type: databaselist}', $_) for '1a', 'a,', 'a-b', 'ż';
refused('bounds count names', 'f.x max_length: Ensure this value has at most 1 characters (it has 2).', '{name: x, type: databaselist, maxLength: 1}', 'a,b');

# ---- validators
refused('a regular expression is searched', 'f.x invalid: Enter a valid value.', "{name: x, type: string, regexpValidator: 'b'}", 'aca');
field('found', 'abc', "{name: x, type: string, regexpValidator: 'b'}", answer => 'abc');
field('flags', 'ABC', "{name: x, type: string, regexpValidator: '/^abc\$/i'}", answer => 'ABC');
field('of an integer as well', 12, "{name: x, type: integer, regexpValidator: '^1'}", answer => 12);
refused('its message', 'f.x invalid: no!', "{name: x, type: string, regexpValidator: '^a', errorMessages: {invalid: no!}}", 'b');
my $checks = "validators: [{expr: len(\$) > 2, message: short}, {expr: {regexpValidator: '^a'}, message: begin}, {expr: \$ != abc}]";
refused('all validators complain, in order', "f.x check: short\nf.x check: begin", "{name: x, type: string, $checks}", 'b');
refused('without a message', 'f.x check: ', "{name: x, type: string, $checks}", 'abc');
field('of what is empty none is asked', '', "{name: x, type: string, required: false, $checks}");
field('a quoted text is no check', 'z', "{name: x, type: string, validators: [{expr: '\$ = a', message: m}]}", answer => 'z');
field('the later of both kinds counts', 'b', "{name: x, type: string, regexpValidator: '^a', validators: [{expr: \$ = b}]}", answer => 'b');
refused('in this order too', 'f.x invalid: Enter a valid value.', "{name: x, type: string, validators: [{expr: \$ = b}], regexpValidator: '^a'}", 'b');
fails('functions of forms are not there', qr/^NoFunctionRegisteredException: .*"name"/,
	one_field('{name: x, type: string, initial: a, validators: [{expr: name()}]}'));

# ---- forms one after another
my $two = definition('x: $.two.y', <<'E');
Forms:
  - one:
      fields:
        - {name: x, type: integer, initial: 4}
        - {name: use, type: boolean}
  - two:
      fields:
        - {name: y, type: string, initial: $.one.x, enabled: $.one.use, maxLength: 1}
      validators:
        - {expr: $.two.y != '7', message: not seven}
        - {expr: $.one.x < 100}
E
model('an initial value of an earlier form', { x => '9' }, $two, answers => { one => { x => 9 } });
complaints('a form with complaints ends the run', 'one.x invalid: Enter a whole number.', $two, answers => { one => { x => 'a' }, two => { y => '7' } });
complaints('a validator of a form', 'two. check: not seven', $two, answers => { two => { y => 7 } });
complaints('all of them', "two. check: not seven\ntwo. check: Validation Error occurred", $two, answers => { one => { x => 100 }, two => { y => 7 } });
complaints('a field that is enabled is looked at', 'two.y max_length: Ensure this value has at most 1 characters (it has 2).', $two,
	answers => { one => { use => $true }, two => { y => 'ab' } });
model('one that is not, is not', { x => 'ab' }, $two, answers => { two => { y => 'ab' } });
model('enabled by a field before it', { x => '' }, one_field('{name: use, type: boolean, initial: false}', '{name: x, type: string, enabled: $.f.use}'));
my $late = "Parameters: {no: false, off: false, five: 5, words: [a]}\n";
model('required as an expression', { x => '' }, "Parameters: {optional: false}\n" . one_field('{name: x, type: string, required: $optional}'));
complaints('a bound as an expression', 'f.x min_value: Ensure this value is greater than or equal to 5.',
	$late . one_field('{name: x, type: integer, minValue: $five}'),
	answers => { f => { x => 4 } });
is(described($late . one_field("{name: x, type: string, label: \$words.join('-'), helpText: a-b}"))->{x}{help}, 'a-b',
	'words that are no expression are shown');
is(described(one_field('{name: my_keyName, type: string}'))->{my_keyName}{label}, 'My keyname', 'a label of a name');
done();
