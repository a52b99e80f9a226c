#!/usr/bin/perl
# What answers become: expressions, parameters, templates, the functions of forms, ids, names.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Form;
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;

# ---- the dialect
my @values = (['switch(true => 1)', undef], ['5.switch($ < 3 => lo, $ => hi)', 'hi'], ['dict(a => 1).keys()', ['a']], ['tuple(1, 2)', [1, 2]],
	['0.range(3)', [0, 1, 2]], ['[1, 2].as(len($) => n) -> $n', 2], ['let(a => 2) -> $a * 2', 4], ['[1, 2, 3].where($ > 1)', [2, 3]], ['set(3, 3)', [3]],
	['$.get(nosuch, 5)', 5], ['$.nosuch', undef], ['coalesce(null, 5)', 5], ["'ab' =~ '^a'", JSON::PP::true], ['[7, 8][1]', 8], ['{a => 1}', { a => 1 }]);
model($_->[0], { x => $_->[1] }, definition('x: !yaql "' . $_->[0] . '"')) for @values;
my @wrong = (['[5, 6][$ > 5]', 'NoMatchingFunctionException'], ['$.a.b', 'NoFunctionRegisteredException'], ["1 + 'a'", 'NoMatchingFunctionException'],
	['nosuch(1)', 'NoFunctionRegisteredException'], ['range(0, 20000)', 'CollectionTooLargeException'], ['0.range()', 'CollectionTooLargeException'],
	["'a' * 2000000", 'MemoryQuotaExceededException'], ['assert($, true)', 'NoFunctionRegisteredException'], ['encryptData(a)', 'KeyManagerError']);
fails($_->[0], qr/^\Q$_->[1]\E:/, definition('x: !yaql "' . $_->[0] . '"')) for @wrong;
model('a hash of a field', { x => { a => 'b', n => 1 }, y => 'b' }, definition("x: \$.f\ny: \$forms.f.a",
	"Forms: [{f: {fields: [{name: a, type: string, initial: b}, {name: n, type: integer, initial: 1}]}}]\n"));

# ---- parameters
my $p = "Parameters:\n  a: 1\n  b: \$a + 1\n  _c: 3\n  d: [\$b, {e: \$b}]\n";
model('parameters, one after another', { x => [1, 2, undef, [2, { e => 2 }]] }, $p . definition('x: [$a, $b, $_c, $d]'));
model('a template hides a parameter', { x => 'T' }, $p . definition('x: $a', "Templates: {a: T}\n"));
fails('a parameter sees no form', qr/^NoFunctionRegisteredException/, "Parameters: {a: \$.f.x}\n" . definition('x: 1'));
my $source = "ParametersSource: t.App.params\n";
model('those of a method go over them', { x => [7, 2, 8] }, "Parameters: {a: 1, b: 2}\n$source" . definition('x: [$a, $b, $c]'),
	parameters => { a => 7, c => 8 });
model('without ParametersSource nobody asks for any', { x => 1 }, "Parameters: {a: 1}\n" . definition('x: $a'), parameters => { a => 7 });
model('a method that gives no mapping', { x => 1 }, "Parameters: {a: 1}\n$source" . definition('x: $a'), parameters => [1]);

# ---- templates
my $t = "Templates:\n  vm: {i: \$index, name: !yaql \"generateHostname('n#', \$index)\", disk: \$disk}\n"
	. "  disk: {size: 1 + 1, of: \$index}\n  list: [1, \$n]\n  n: 2 + 2\n";
model('a template is evaluated where it stands', { x => [1, 4], y => 2, z => [1, 4] }, definition("x: \$list\ny: \$disk.size\nz: \$list", $t));
model('repeat', { x => [map { { i => $_, name => "n$_", disk => { size => 2, of => $_ } } } 1, 2] }, definition('x: !yaql "repeat($vm, 2)"', $t));
model("repeat($_->[0])", { x => $_->[1] }, definition("x: !yaql 'repeat($_->[0])'")) for
	['1, 0', []], ['1, -3', []], ['1, true', [1]], ['$index, 2', [undef, undef]];
fails("repeat($_)", qr/^NoMatchingFunctionException/, definition("x: !yaql \"repeat($_)\"")) for "1, '2'", '1, 1.5', '1, null';
model('a nested repeat has an index of its own', { x => [map { { in => [1, 2], i => $_ } } 1, 2] },
	definition('x: !yaql "repeat($out, 2)"', "Templates: {out: {in: !yaql 'repeat(\$in, 2)', i: \$index}, in: \$index}\n"));
model('an expression sees the parts of a template as they are', { x => 2 }, definition('x: $t.i', "Templates: {t: {i: 1 + 1}}\n"));
fails('and cannot work with them', qr/^NoMatchingFunctionException/, definition('x: $t.i + 1', "Templates: {t: {i: 1 + 1}}\n"));
fails('without an index', qr/^NoMatchingFunctionException/, definition('x: $vm', $t));
model('a name that stands for nothing', { x => undef }, definition('x: $nosuch'));

# ---- host names
model('patterns', { x => ['h3-3', 'abc', '-1'] }, definition(q{x: !yaql "[generateHostname('h#-#', 3), generateHostname(abc, 3), generateHostname('#', -1)]"}));
my ($hosts) = ask({ ui => definition(q{x: !yaql "[generateHostname('', 1), generateHostname('', 1)]"}) });
like($_, qr/^[a-z]{5}[0-9a-z]{1,10}$/, 'a made name') for @{$hosts->{value}{x}};
ok($hosts->{value}{x}[0] ne $hosts->{value}{x}[1], 'no two are alike');

# ---- ref, ids
my ($got) = ask({ seed => 7, ui => definition(
	"a: ref(vm)\nb: ref(vm)\nc: !yaql \"ref(vm, other)\"\nd: !yaql \"ref(vm, vm, false)\"\n"
	. "e: !yaql \"ref(vm, third, true)\"\nf: ref(number)\ng: ref(nosuch)\nh: ref(bare)",
	"Templates: {vm: {'?': {type: t.Vm, id: mine}, v: 1 + 1}, number: 4, bare: {v: 1}}\n") });
my $v = $got->{value};
is($v->{b}, $v->{a}{'?'}{id}, 'ref: whole, then its id');
is($json->encode($v->{d}), $json->encode($v->{a}), 'whole again when that is asked for');
ok($v->{c}{'?'}{id} ne $v->{b} && $v->{c}{v} == 2, 'another name is another object');
like($v->{e}, qr/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/, 'an id only');
is($json->encode([$v->{f}, $v->{g}]), '[null,null]', 'what is no object');
like($v->{h}{'?'}{id}, qr/^[0-9a-f-]{36}$/, 'an object without a head gets one');
my $ids = "Version: 2\nApplication:\n  ?: {type: t.App, id: mine, name: 1 + 1}\n"
	. "  a: &a {'?': {type: t.A, id: x}, l: [{'?': {type: t.B}}]}\n  b: *a\n  c: {d: 1}\n";
my ($one, $two, $three) = ask({ ui => $ids, seed => 1 }, { ui => $ids, seed => 1 }, { ui => $ids });
is($json->encode($one), $json->encode($two), 'a seed makes ids repeatable');
ok($one->{value}{'?'}{id} ne $three->{value}{'?'}{id}, 'without one they are not');
my %seen = map { $_ => 1 } map { $_->{'?'}{id} } $one->{value}, $one->{value}{a}, $one->{value}{b}, $one->{value}{a}{l}[0], $one->{value}{b}{l}[0];
is(scalar keys %seen, 5, 'each object has its own, an alias too');
is($json->encode([$one->{value}{'?'}{name}, $one->{value}{c}]), '[2,{"d":1}]', 'what else stands there stays');

# ---- the name
my $named = "Application:\n  ?: {type: t.deep.App, name: old}\n  n: name()\n";
is((ask({ ui => $named }))[0]{value}{'?'}{name}, 'App', 'a name');
is((ask({ ui => $named, package => 't.Other' }))[0]{value}{'?'}{name}, 'Other', 'the last part of that of the package');
is((ask({ ui => $named, answers => { workflowManagement => { application_name => 'my-app' } } }))[0]{value}{n}, 'my-app', 'name() is what was answered');
complaints('a name with a blank', 'workflowManagement.application_name invalid: Enter a valid value.', $named,
	answers => { workflowManagement => { application_name => 'a b' } });
is((ask({ ui => "Version: 2.1\n$named" }))[0]{value}{'?'}{name}, 'old', 'below 2.2 nobody asks');
done();
