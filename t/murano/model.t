#!/usr/bin/perl
# Object models: O1 to O8, and how they are written: S1 to S4, S7.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Session;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my $model = $json->encode({
	Objects => {
		'?' => { type => 't.model.Main/0.1.0@t.model', id => 'root', name => 'the root', _designer => { x => 1 } },
		items => [
			{ '?' => { type => 't.model.Item', id => 'a', name => 'first', metadata => { m => 1 } }, name => 'A', next => 'b' },
			{ '?' => { type => 't.model.Special', id => 'b' }, name => 'B', extra => '6', ignored => 1 },
		],
		favourite => 'a',
		byName => { c => { '?' => { type => 't.model.Item', id => 'c' }, name => 'C' } },
	},
	Attributes => [[ 'root', 't.model.Main', 'kept', 42 ], [ 'nobody', 't.model.Main', 'kept', 43 ]],
});
my $s = Session->start('model', $model);
sub gives { $s->gives(@_) }
sub fails { $s->fails(@_) }
sub refuses { Session->start('model')->refuses(@_) }
sub item { return '{"Objects":{"?":{"type":"t.model.Item","id":"i"' . $_[0] . '}' . ($_[1] // ',"name":"n"') . '}}' }

gives('O1 the objects are there', 'testNames', '[]', '["A","B"]');
ok(Session->start('model')->send('{"op":"load","model":{"Objects":null}}')->{ok}, 'O1 a model may be empty');

gives('O2 id and name of the header', 'testIds', '[]', '["root","a","first",false]');
refuses('O2 a class that nobody has', '{"Objects":{"?":{"type":"t.model.None","id":"x"}}}', 'NoPackageForClassFound',
	'Package for class "t.model.None" is not found');
refuses('O2 a version that nobody has', '{"Objects":{"?":{"type":"t.model.Item/7","id":"x"},"name":"n"}}', 'NoPackageForClassFound',
	'Package for class "t.model.Item" is not found: t.model has it in version 0.1.0');

gives('O3 the inline form', 'testNewInline', '[]', '["inline",8]');

gives('O4 a reference forward', 'testForward', '[]', '"B"');
gives('O4 .init runs when its owner can be found', 'testRuntimeOfItems', '[]', '["born in a model","born in a model"]');
gives('O4 .init of the derived class comes after that of its base', 'testOutOfItems', '[]', '[null,["special",6]]');
refuses('O4 a reference to nobody', item('', ',"name":"n","next":"nobody"'), 'NoObjectFoundError', qr/Object "nobody" is not found/);

gives('O5 new() with cross references', 'testNewModel', '[]', '["outer","inner","outer",false]');
gives('O5 new() with a dict', 'testNewDict', '[]', '["d",3]');
fails('O5 new() of an unknown class', 'testNewUnknown', '[]', 'NoClassFound', 'Class "t.model.Nothing" is not found in io.murano/0.0.0, t.model/0.1.0');
gives('O5 new() ignores what is not declared', 'testNewIgnores', '[]', '"x"');
fails('O5 new() checks contracts', 'testNewMissing', '[]', 'ContractViolationException', '[t.model.Item.name] null value violates notNull() contract');

gives('O6 a reference is the object itself', 'testFavourite', '[]', '["A",true,true]');
gives('O7 owners: what a property holds, not what it refers to', 'testFind', '[]', '[true,true]');
gives('O7 owners of new objects', 'testNew', '[]', '["fresh",true,true]');

gives('O8 attributes belong to object, class and key', 'testAttributes', '[]', '["base",null,null,"dflt",[1,{"a":2}],"a","gone"]');
gives('O8 attributes of the model', 'testAttributeRead', '[]', '42');

gives('S8 objects and types as results', 'testResult', '[]',
	'[{"$object":"root","type":"t.model.Main"},{"$type":"t.model.Main"},{"k":{"$object":"a","type":"t.model.Item"}}]');

$s->call('testFavourSecond');
my $m = $s->model;
my $o = $m->{Objects};
sub shows { my ($title, $got, $want) = @_; is($json->encode($got), $json->encode($json->decode($want)), $title) }
shows('S1 three parts', [sort keys %$m], '["Attributes","Objects","ObjectsCopy"]');
ok(!exists $m->{ObjectsCopy}{'?'}{_actions} && !exists $m->{ObjectsCopy}{'?'}{_designer}, 'S1 the copy has no designer attributes');
shows('O2 designer attributes are kept', $o->{'?'}{_designer}, '{"x":1}') unless $ENV{SESSION};
shows('S2 an object stands where its owner holds it', [map { $_->{'?'}{id} } @{$o->{items}}], '["a","b"]');
shows('S2 elsewhere its id', [$o->{favourite}, $o->{items}[0]{next}], '["b","b"]');
shows('S2 a dict of objects', $o->{byName}{c}{name}, '"C"');
shows('S2 a new object', $o->{made}[0]{name}, '"fresh"');
shows('S3 properties of every kind but Runtime', [grep { $_ ne '?' } sort keys %$o], '["byName","const","favourite","items","made","numbers"]');
shows('S4 the header', [@{$o->{'?'}}{qw(type id name metadata)}], '["t.model.Main/0.1.0@t.model","root","the root",null]');
shows('S4 metadata', $o->{items}[0]{'?'}{metadata}, '{"m":1}');
shows('S4 actions', $o->{'?'}{_actions}{root_public}, '{"enabled":true,"name":"public","title":"public"}');
shows('S4 an object without actions', $o->{items}[0]{'?'}{_actions}, '{}');
shows('S7 lists and dicts', $o->{numbers}, '[1,"a",{"x":null}]');
shows('O8 attributes of live objects are written', [grep { $_->[0] eq 'root' || $_->[2] eq 'object' } @{$m->{Attributes}}],
	'[["root","t.model.Main","kept",42],["b","t.model.Main","object","a"]]');

my $again = Session->start('model', $json->encode($m));
$again->gives('S1 what was written can be loaded', 'testNames', '[]', '["A","B"]');
shows('S1 and is written the same', $again->model, $json->encode($m));
ok($s->stop == 0, 'the session ends well');
done();
