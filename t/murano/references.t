#!/usr/bin/perl
# References by id are resolved behind the first pass, templates are made in it: nobody may see which pass it was.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Session;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
sub leaf { my ($id, %with) = @_; return { '?' => { type => 't.load.Leaf', defined $id ? (id => $id) : () }, name => 'n' . ($id // ''), tags => [], %with } }
sub links { my ($id, %with) = @_; return { '?' => { type => 't.load.Links', defined $id ? (id => $id) : () }, %with } }
sub box { my (%with) = @_; return { '?' => { type => 't.load.Box', id => 'box' }, %with } }
sub asked { my (%with) = @_; return Session->start('load')->ask({ op => 'load', model => { Objects => box(%with) } }) }
sub written {
	my (%with) = @_;
	my $s = Session->start('load');
	my $answer = $s->ask({ op => 'load', model => { Objects => box(%with) } });
	return $answer->{error}{message} if $answer->{error};
	my $m = $s->ask({ op => 'serialize_model' })->{value}{Objects};
	return $m;
}
# Without what only the header has; ids that were made are all alike.
sub bare {
	my ($v) = @_;
	return [map { bare($_) } @$v] if ref $v eq 'ARRAY';
	return { map { ($_ => $_ eq '?' ? ($v->{$_}{id} =~ /^[0-9a-f]{32}$/ ? 'made' : $v->{$_}{id}) : bare($v->{$_})) } keys %$v } if ref $v eq 'HASH';
	return $v;
}
sub shown { my ($v) = @_; return $json->encode(bare($v)) }

# ---- the same before and behind what is meant ----

my @leaves = (leaf('a', size => 3), leaf('b', size => 2, next => 'c'), leaf('c', next => 'a'));
my %refs = (one => 'c', many => ['a', 'b', undef, 'a'], named => { k => 'b', l => undef }, far => 'a', big => 'b', near => leaf('own', next => 'c'),
	record => {}, records => [], words => [], pair => []);
my $forward = written(links => [links('l', %refs)], leaves => \@leaves, later => []);
my $behind = written(links => [], leaves => \@leaves, later => [links('l', %refs)]);
is(shown($forward->{links}), shown($behind->{later}), 'references to what comes later, and to what was before');
is(shown($forward->{links}[0]{many}), '["a","b",null,"a"]', 'a list of them');
is(shown($forward->{links}[0]{near}{next}), '"c"', 'below an object that is owned');
is(shown($forward->{leaves}), shown($behind->{leaves}), 'and what they refer to');

# ---- what is wrong with them ----

for (['far', 'own', near => leaf('own')], ['near', 'a'], ['big', 'c'], ['one', 'nobody'], ['many', ['a', 'nobody']], ['one', 'l']) {
	my ($property, $id, %more) = @$_;
	my %with = (record => {}, records => [], words => [], pair => [], %more, $property => $id);
	my @said = map { $_->{error}{message} // 'loaded' } asked(links => [links('l', %with)], leaves => \@leaves),
		asked(leaves => \@leaves, later => [links('l', %with)]);
	s/later|links/L/g, s/\(\d+\)//g for @said;
	is($said[0], $said[1], "$property: " . $json->encode($id));
	like($said[0], qr/viol|not found|doesn't match|not compatible/, 'is refused');
}

# What has no id is made again by a second pass, and what it owns is another's then.
my $loose = written(links => [], leaves => [leaf(undef, next => leaf('n', next => 'n')), leaf('z', next => 'n')], later => []);
is(shown($loose->{leaves}),
	'[{"?":"made","any":null,"name":"n","next":{"?":"n","any":null,"name":"nn","next":"n","size":1,"tags":[]},"size":1,"tags":[]},'
	. '{"?":"z","any":null,"name":"nz","next":"n","size":1,"tags":[]}]',
	'an object below one without an id, which others refer to');
like($json->encode(asked(links => [links(undef, near => leaf('own'))], leaves => [], later => [])), qr/violates owned\(\) contract/,
	'an object with an id that one without owns');

# ---- templates ----

my %none = (record => {}, records => [], words => [], pair => []);
my $inner = leaf('t2', size => '7', any => { k => [1, { l => undef }] });
my $t = leaf('t1', any => [1, 'x'], next => $inner);
my $both = written(links => [links('l', %none, shown => $t), links('m', %none, shorter => leaf('t3', any => 5,
		next => leaf('t4')))], leaves => [], later => []);
is(shown($both->{links}[0]{shown}),
	'{"?":"t1","any":[1,"x"],"name":"nt1","next":{"?":"t2","any":{"k":[1,{"l":null}]},"name":"nt2","next":null,"size":7,"tags":[]},"size":1,"tags":[]}',
	'a template with an object in it');
is(shown($both->{links}[1]{shorter}), '{"?":"t3","name":"nt3","size":1,"tags":[]}', 'one without two of its properties');
is($json->encode($both->{links}[0]{shown}{'?'}), '{"id":"t1","metadata":null,"name":null,"type":"t.load.Leaf/0.1.0@t.load"}', 'its header');
my $to = written(links => [links('l', %none, shown => leaf('t1', next => 'a'))], leaves => \@leaves, later => []);
my $from = written(links => [], leaves => \@leaves, later => [links('l', %none, shown => leaf('t1', next => 'a'))]);
is(shown($to->{links}), shown($from->{later}), 'one that refers to what comes later');
is(shown(written(links => [links('l', %none, shown => leaf(undef))], leaves => [], later => [])->{links}[0]{shown}),
	'{"?":"made","any":null,"name":"n","next":null,"size":1,"tags":[]}', 'one without an id');

# ---- records and lists ----

my $r = written(links => [links('l', record => { size => '5', other => 1, name => 6 }, records => [{ name => 'x' },
		{ size => 2, name => 'y' }, { name => 'z', size => 3 }],
	words => ['a', 'b'], pair => ['p', '1', 2])], leaves => [], later => []);
is(shown($r->{links}[0]{record}), '{"more":null,"name":"6","size":5}', 'a dict without a key, and with one too many');
is(shown($r->{links}[0]{records}), '[{"name":"x","size":null},{"name":"y","size":2},{"name":"z","size":3}]', 'a list of them');
is(shown([@{ $r->{links}[0] }{qw(words pair)}]), '[["a","b"],["p",1,2]]', 'lists with a predicate, and with two contracts');
for (['words', ['a', 'xb']], ['words', [undef]], ['records', [{ name => 'x' }, {}]], ['record', { size => 'five' }], ['record', [1]]) {
	my ($property, $value) = @$_;
	like($json->encode(asked(links => [links('l', %none, $property => $value)], leaves => [], later => [])),
		qr/ContractViolation/, "$property: " . $json->encode($value));
}
# ---- models that look like one before them are loaded without the contract ----

# What is said of the bad one does not hang on whether good ones came before it.
sub said_of {
	my $answer = asked(leaves => [@_]);
	my $said = $answer->{error}{message} // 'loaded';
	return $said =~ s/\(\d+\)//gr =~ s/leaves\[\d+\]/leaves[N]/r;
}
for (leaf('x', size => 'five'), leaf('x', next => leaf('y', size => 'five')), leaf('x', next => leaf('y', next => leaf('z', tags => [[]]))),
	leaf('x', next => { '?' => { type => 't.load.Box', id => 'y' } }), leaf('x', next => { '?' => { type => 't.load.Nosuch', id => 'y' } }),
	leaf('x', next => 'nobody'), leaf('x', next => 7)) {
	my $alone = said_of($_);
	for my $before (1, 2, 70) {
		my @good = map { leaf("g$_", next => leaf("h$_", next => leaf("i$_"))) } 1 .. $before;
		is(said_of(@good, $_), $alone, "$before before: " . substr($alone, 0, 90));
	}
}
my @chain = map { leaf("g$_", next => leaf("h$_")) } 1 .. 3;
my $twice = written(links => [], leaves => [@chain, leaf('x', next => leaf('h2'))], later => []);
is(shown($twice->{leaves}[3]{next}), '"h2"', 'an id that was there is that object');
my $other = leaf('d', next => { '?' => { type => 't.load.Leaf', id => 'box' } });
is(said_of(leaf('a'), leaf('b', next => leaf('c')), $other), said_of($other), 'an id of an object of another class');
done();
