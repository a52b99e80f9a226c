#!/usr/bin/perl
# Models are loaded in one pass where a second could change nothing, and written without a tree where one walk says all:
# nobody may see which way it went.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Session;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;
sub leaf { my ($id, %with) = @_; return { '?' => { type => 't.load.Leaf', defined $id ? (id => $id) : () }, name => "n" . ($id // ''), %with } }
sub owner { my ($id, %with) = @_; return { '?' => { type => 't.load.Owner', id => $id }, %with } }
sub main { my (%with) = @_; return $json->encode({ Objects => { '?' => { type => 't.load.Main', id => 'root' }, %with } }) }
sub started { my ($config, %with) = @_; return Session->start('load', main(%with), $config) }
sub value { my ($s, $method, $args) = @_; return $json->encode($s->call($method, $args)->{value}) }

# ---- one pass or two ----

my $s = started(undef, leaves => [leaf('a', tags => []), leaf('b', size => 2, next => 'c'), leaf('c', next => leaf('d', tags => ['t']))]);
is(value($s, 'testNames'), '[["na",1,[],null],["nb",2,["x","1"],"nc"],["nc",1,["x","1"],"nd"]]', 'references forward, Defaults, objects in objects');
$s = started('{"t.load.Leaf":{"size":7}}', leaves => [leaf('a'), leaf('b', size => 2)]);
is(value($s, 'testNames'), '[["na",7,["x","1"],null],["nb",2,["x","1"],null]]', 'the configuration of a class comes before a Default that is a constant');
$s = started(undef, leaves => [leaf(undef), leaf(undef, next => leaf(undef)), leaf('z')]);
is(value($s, 'testNames'), '[["n",1,["x","1"],null],["n",1,["x","1"],"n"],["nz",1,["x","1"],null]]', 'objects without ids');
$s = started(undef, owners => [owner('o', given => leaf('g')), owner('p', given => 'g', made => leaf('m', next => 'g')),
	owner('q', checked => leaf('k', next => leaf('l')), mine => leaf('i'))], leaves => [leaf('v')]);
is(value($s, 'testOwners'), '[["made","ng",null,null,null],["nm","ng",null,null,null],["made",null,null,"nk","ni"]]',
	'Defaults that make objects, predicates, owners');
is(value($s, 'testMadeOnce'), '3', 'each Default has made one');
$s = started(undef, leaves => [map { { '?' => { type => 't.load.Seen', id => $_->[0] }, name => $_->[0], next => $_->[1] } } ['x', 'y'],
	['y', leaf('w')], ['z', undef]]);
is(value($s, 'testOrder'), '[["x",true,true],["y",true,true],["z",false,true]]', '.init runs when all are there');
is(value($s, 'testNew'), '[["c"],["x","1"],"inner",1]', 'new() with objects inside');
$s = Session->start('load');
is($json->encode($s->send('{"op":"load","model":' . main(leaves => [leaf('a', next => 'b'), leaf('a2', name => undef)]) . '}')->{error}{message}),
	'"[t.load.Main.leaves[1]] [t.load.Leaf.name] null value violates notNull() contract"', 'an error of the first pass');
$s = Session->start('load');
like($s->send('{"op":"load","model":' . main(leaves => [leaf('a', next => 'nobody')]) . '}')->{error}{message}, qr/Object "nobody" is not found/,
	'an error of the second');
for my $id (undef, 'h') {
	my $held = { '?' => { type => 't.load.Holder', defined $id ? (id => $id) : () }, plain => { '?' => { type => 't.load.Plain' } } };
	is(value(started(undef, holder => $held, pattern => $held), 'testHeld'), '[true,2]', 'an object that is made again owns what is below it');
}
my $copy = $json->decode(main(leaves => [leaf('a'), leaf('b')]));
$copy->{ObjectsCopy} = $json->decode(main(leaves => [leaf('b'), leaf('gone')]))->{Objects};
$s = Session->start('load', $json->encode($copy));
is($json->encode([map { $_->{'?'}{id} } @{ $s->model->{Objects}{leaves} }]), '["a","b"]', 'what the last run left is loaded besides');

# ---- what is written ----

# ObjectsCopy and dump() are the same tree where designers and subscriptions have no part; dump() is always made as a tree.
sub same_as_dump {
	my ($s, $what) = @_;
	my $copy = $s->model->{ObjectsCopy};
	is($json->encode($copy), $json->encode($s->ask({ op => 'dump', type => 'Serializable', target => undef })->{value}), $what);
	return $copy;
}

my @deep = (leaf('d0'));
push @deep, leaf('d' . @deep, next => $deep[-1]) for 1 .. 60;
$s = started(undef, leaves => [leaf('a', any => { k => [1, 2.5, 'x"\\' . "\x{e9}\n", undef, JSON::PP::true, {}], '' => [] }),
	leaf('b', next => 'a'), $deep[-1]],
	byName => { p => 'q' }, data => { '?' => 1 });
same_as_dump($s, 'a model of which one walk says all');
is($json->encode($s->model->{Objects}{leaves}[1]{'?'}),
	'{"_actions":{},"id":"b","metadata":null,"name":null,"type":"t.load.Leaf/0.1.0@t.load"}', 'the header, with actions');
for (['testOrphan', 'an object that nobody owns'], ['testKeys', 'keys that are no texts'], ['testSet', 'a set']) {
	$s->call($_->[0]);
	same_as_dump($s, $_->[1]);
}
my $nest = '1';
$nest = "[$nest]" for 1 .. 40;
$s->call('testData', "[$nest]");
same_as_dump($s, 'lists in lists');

# An id that is a number and one that is its text are two objects to the first pass.
$s = started(undef, leaves => [leaf(5), leaf('5'), leaf('6', next => '5')]);
same_as_dump($s, 'ids that are no texts');

my $seed = 7;
sub below { $seed = ($seed * 1103515245 + 12345) % 2147483648; return int($seed / 65536) % $_[0] }
for my $round (1 .. 20) {
	my $n = 1 + below(30);
	my $make;
	$make = sub {
		my ($i, $depth) = @_;
		my %with;
		$with{size} = below(100) if below(2);
		$with{tags} = [map { "t$_" } 1 .. below(4)] if below(2);
		$with{any} = [map { below(3) ? below(9) : { k => below(9) } } 0 .. below(3)] if below(3) == 0;
		my $kind = below(4);
		$with{next} = 'l' . below($n) if $kind == 1;
		$with{next} = $make->(below(2) ? ($i // 'u' . $seed) . "-$depth" : undef, $depth + 1) if $kind == 2 && $depth < 5;
		my $o = leaf(defined $i && !$depth ? "l$i" : $i, %with);
		$o->{'?'}{_x} = below(9) if below(12) == 0;
		return $o;
	};
	my $model = main(leaves => [map { $make->($_, 0) } 0 .. $n - 1]);
	my $s = Session->start('load', $model);
	my $first = $s->model;
	# loaded again, it is the same model
	my $again = Session->start('load', $json->encode({ Objects => $first->{Objects} }));
	is($json->encode($again->model->{Objects}), $json->encode($first->{Objects}), "random model $round is what it was when it is loaded again");
	same_as_dump($s, "and written both ways") unless $model =~ /_x/;
}

# ---- lines ----

my $binary = Session::build("$FindBin::Bin/../data/murano/load");
my $load = '{"op":"load","model":' . main(leaves => [map { leaf("l$_") } 1 .. 5000]) . '}';
my $ask = '{"op":"call","target":null,"method":"testGrow","args":[3]}';
sub answers {
	my ($how, $text) = @_;
	my $session = "$binary session --expose 'test*'";
	spew("$W/lines", $text);
	spew("$W/slow", 'open my $f, "<", shift or die; $| = 1; while (read $f, my $b, 50021) { print $b; select undef, undef, undef, 0.001 }');
	my $command = $how eq 'pipe' ? "cat $W/lines | $session" : $how eq 'slow' ? "$^X $W/slow $W/lines | $session" : "$session < $W/lines";
	return scalar qx($command);
}
my $want = qq({"ok":true,"traces":[]}\n{"value":3,"traces":[]}\n);
is(answers($_, "$load\n\n  \r\n$ask\n"), $want, "requests from a $_, blank lines between") for qw(file pipe slow);
is(answers('file', "$load\n$ask"), $want, 'the last line has no end');
is(answers('file', ''), '', 'no line at all');
is(answers('file', "\n\n"), '', 'only blank ones');

# ---- the output, in pieces ----

sub run { local $Tap::vetro = $binary; return vetro('run', '--model', "$W/m.json", '--call', 'testGrow', '--args', '[2]', @_) }
spew("$W/m.json", main(leaves => [map { leaf("l$_", any => 'x' x 50) } 1 .. 3000]));
my ($rc, $out) = run();
ok(length $out > 600_000, 'the answer has several pieces', length $out);
my $answer = eval { $json->decode($out) } // {};
is(scalar @{ $answer->{model}{Objects}{leaves} // [] }, 3000, 'which are JSON');
run('--output', "$W/out.json");
is(slurp("$W/out.json"), $out, 'the same in a file');
is((stat "$W/out.json")[2] & 07777, 0600, 'that is private');
is(join(' ', glob "$W/out.json*"), "$W/out.json", 'and nothing beside it');
($rc, my $none, my $err) = run('--output', "$W/no/such/out.json");
is($rc, 1, 'a folder that is not there');
like($err, qr{no/such/out\.json: No such file or directory}, 'is reported');
if (-c '/dev/full') {
	($rc, $none, $err) = run('--output', '/dev/full');
	is($rc, 1, 'a device that is full');
	like($err, qr{/dev/full: No space left on device}, 'is reported too');
}
done();
