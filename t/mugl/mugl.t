#!/usr/bin/perl
# `vetro graph` as a user sees it: the rules M1 to M9 of docs/mugl.md, each command, errors at their line and column, hostile texts.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my $wire = JSON::PP->new->utf8;
my $files = 0;

sub file {
	my ($text, $name) = @_;
	$name //= 'f' . ++$files . '.mugl';
	spew("$W/$name", $text);
	return "$W/$name";
}

# Answers of one batch, decoded.
sub batch {
	my ($st, $out, $err) = vetro({ in => join('', map { (ref $_ ? $wire->encode($_) : $_) . "\n" } @_) }, 'graph', '--batch');
	ok($st == 0 && $err eq '', 'a batch ends well', $st, $err);
	return map { $wire->decode($_) } split /\n/, $out;
}

sub answer { my ($a) = batch(@_); return $a }

sub gives {
	my ($title, $request, $want) = @_;
	my $got = answer($request);
	return is($json->encode($got), $json->encode({ value => $want }), $title);
}

# The order of keys as the text has it.
sub order_of {
	my ($text) = @_;
	my ($st, $out) = vetro({ in => $text }, 'graph', 'fmt', '-');
	return join ' ', $out =~ /^ {8}"([^"]*)": \{/mg;
}

# The first error: "LINE:COL CODE".
sub fault {
	my ($text, @options) = @_;
	my ($st, $out, $err) = vetro({ in => $text }, 'graph', 'check', @options, '-');
	return 'status 0' if $st == 0;
	return ($1 ? "$1 " : ' ') . "[$2]" if $err =~ /^<stdin>:(?:(\d+:\d+):)? error\[(\w+)\]: /m;
	return $err;
}

my $seed = '{"vertices": {"e": {}, "d": {"children": [{"#ref": "e"}]}, "c": {"children": [{"#ref": "d"}]}, "b": {"children": [{"#ref": "d"}]},
	"a": {"children": [{"#ref": "b"}, {"#ref": "c"}]}}}';

# ---- M1: the canonical order
is(order_of($seed), 'e d b c a', 'M1: post-order, edges in property order');
is(order_of('{"vertices":{"z":{"x":{"#ref":"s"}},"y":{"x":{"#ref":"s"}},"s":{}}}'), 's z y', 'M1: roots in order of definition');
is(order_of('{"vertices":{"p":{"n":{"#ref":"q"}},"q":{"n":{"#ref":"p"}},"z":{}}}'), 'z q p', 'M1: what no root reaches is kept');
is(order_of('{"vertices":{"q":{"n":{"#ref":"p"}},"p":{"n":{"#ref":"q"}},"z":{}}}'), 'z q p', 'and its order does not depend on that of the text');
gives('M1: roots in the order given', { op => 'serialize', graph => { roots => ['b', 'a'], vertices => { a => {}, b => {} } } },
	{ vertices => { a => {}, b => {} } });
my ($raw) = (vetro({ in => $json->encode({ op => 'serialize', graph => { roots => ['b', 'a'], vertices => { a => {}, b => {} } } }) . "\n" },
	'graph', '--batch'))[1];
is($raw, qq({"value":{"vertices":{"b":{},"a":{}}}}\n), 'in the text as well');
my $deep = '{"vertices":{' . join(',', map { my $n = $_ + 1; qq("v$_":{"n":{"#ref":"v$n"}}) } 0 .. 49999) . ',"v50000":{}}}';
my ($st, $out, $err) = vetro({ in => $deep }, 'graph', 'fmt', '-c', '-');
ok($st == 0 && $out =~ /^\{"vertices":\{"v50000":\{\},"v49999"/, 'a chain of 50,000 is sorted', $err);

# ---- M2: cycles
my $cycle = '{"vertices":{"a":{"type":"t","properties":{"n":{"#ref":"b"}}},"b":{"type":"t","properties":{"n":{"#ref":"c"}}},"c":{"type":"t",' .
	'"properties":{"n":{"#ref":"b"}}}}}';
gives('M2: a general graph may have cycles', { op => 'load', text => $cycle },
	{ dag => JSON::PP::false, forward_refs => 2, edges => [['a', 'properties.n', 'b'], ['b', 'properties.n', 'c'], ['c', 'properties.n', 'b']] });
is($json->encode(answer({ op => 'load', kind => 'snapshot', text => $cycle })->{error}{path}), '["b","c","b"]', 'M2: a snapshot may not: the path');
is(fault($cycle, '--snapshot'), '1:63 [cycle]', 'and its place');
is(fault(qq({"vertices":{\n "S":{"type":"t","properties":{"v":{"#ref":"V"}}},\n "V":{"type":"t"}}}), '--snapshot'), '2:44 [out_of_order]',
	'M2: dependencies come first in a snapshot');
is(fault('{"vertices":{"a":{"type":"t","properties":{"me":{"#ref":"a"}}}}}', '--snapshot'), '1:14 [cycle]', 'a vertex that refers to itself');

# ---- M3: nothing is lost
my $values = '{"vertices":{"a":{"n":null,"l":[],"o":{},"m":[null,1,-0.0,1.5,1e20,123456789012345678901234567890,1e999,-9223372036854775808],' .
	'"s":"\u0001\"\\\\\n\ud83d\ude00\u00e9/"}}}';
($st, $out) = vetro({ in => $values }, 'graph', 'fmt', '-c', '-');
is($out, qq({"vertices":{"a":{"n":null,"l":[],"o":{},"m":[null,1,-0.0,1.5,1e+20,123456789012345678901234567890,1e999,-9223372036854775808],) .
	qq("s":"\\u0001\\"\\\\\\n\xf0\x9f\x98\x80\xc3\xa9/"}}}\n), 'M3: nulls, empty containers, numbers of any size, any character');

# ---- M4: data that look like edges
gives('M4: another tag is found', { op => 'serialize', graph => { vertices => { a => { doc => { '#ref' => 'x' }, e => { '$edge' => 'b' } }, b => {} } } },
	{ ref => '@@ref', vertices => { a => { doc => { '#ref' => 'x' }, e => { '@@ref' => 'b' } }, b => {} } });
gives('M4: and one behind that',
	{ op => 'serialize', graph => { vertices => { a => { doc => [{ '#ref' => 'x' }, { '@@ref' => 'y' }, { '@@ref1' => 'y' }], e => { '$edge' => 'b' } },
	b => {} } } },
	{ ref => '@@ref2', vertices => { a => { doc => [{ '#ref' => 'x' }, { '@@ref' => 'y' }, { '@@ref1' => 'y' }], e => { '@@ref2' => 'b' } }, b => {} } });
is(answer({ op => 'serialize', graph => { ref => '@', vertices => { a => { d => { '@' => 'x' } } } } })->{error}{type}, 'ref_conflict',
	'M4: not when the tag was chosen');
gives('an edge has one member, and a text', { op => 'load', text => '{"vertices":{"a":{"x":{"#ref":1},"y":{"#ref":"b","z":1},"b":[{"#ref":"a"}]}}}' },
	{ dag => JSON::PP::false, forward_refs => 0, edges => [['a', 'b[0]', 'a']] });

# ---- M5, M6, M7: monikers
my %app = (roots => ['app'], vertices => { app => { vms => [{ '$edge' => 'v1' }, { '$edge' => 'v2' }], main => { net => { '$edge' => 'v1' } } },
	v1 => { type => 't' }, v2 => { type => 't', peer => { '$edge' => 'v1' } } });
gives('M5, M6: paths and aliases', { op => 'monikers', graph => \%app },
	{ v1 => { moniker => 'app/main.net', aliases => ['app/vms[0]', 'app/vms[1]/peer'] }, v2 => { moniker => 'app/vms[1]', aliases => [] } });
gives('names compare as bytes',
	{ op => 'monikers', graph => { roots => ['r'], vertices => { r => { "\x{e9}" => { '$edge' => 'x' }, z => { '$edge' => 'x' } },
	x => { type => 't' } } } },
	{ x => { moniker => 'r/z', aliases => ["r/\x{e9}"] } });
is($json->encode([@{ answer({ op => 'monikers', graph => { roots => ['a'], vertices => { a => {}, b => { type => 't' } } } })->{error} }{qw(type at)}]),
	'["unreachable","b"]', 'a resource that no root reaches');
is(answer({ op => 'monikers', graph => { roots => ['a'], vertices => { a => { 'x/y' => { '$edge' => 'b' }, x => { '$edge' => 'c' } },
	c => { y => { '$edge' => 'd' } }, b => { type => 't' }, d => { type => 't' } } } })->{error}{type},
	'alias_conflict', 'M7: two paths that read the same');
for my $c (['a moniker', '{"S":{"type":"t"},"T":{"type":"t","aliases":["S"]}}'],
	['taken', '{"S":{"type":"t","aliases":["x"]},"T":{"type":"t","aliases":["x"]}}']) {
	my $e = answer({ op => 'load', kind => 'snapshot', text => qq({"vertices":$c->[1]}) })->{error};
	is("$e->{type} $e->{at}", 'alias_conflict T', "M7: an alias that is $c->[0]");
}
my $chain = { roots => ['v0'], vertices => { (map { ("v$_" => { type => 't', n => { '$edge' => 'v' . ($_ + 1) } }) } 0 .. 29999), v30000 => {} } };
is(answer({ op => 'monikers', graph => $chain })->{error}{type}, 'too_large', 'paths along a chain have an end');

# ---- M8, M9
gives('M8: ref may come last', { op => 'load', text => '{"vertices":{"b":{},"a":{"x":{"#ref":"data"},"y":{"@r":"b"},"z":{"#ref":"b"}}},"ref":"@r"}' },
	{ dag => JSON::PP::true, forward_refs => 0, edges => [['a', 'y', 'b']] });
($st, $out) = vetro({ in => '{"vertices":{"b":{},"a":{"x":{"#ref":"data"},"y":{"@r":"b"}}},"ref":"@r","n":1}' }, 'graph', 'fmt', '-c', '-');
is($out, qq({"ref":"\@r","n":1,"vertices":{"b":{},"a":{"x":{"#ref":"data"},"y":{"\@r":"b"}}}}\n), 'M8: the writer has it first');
($st, $out, $err) = vetro({ in => '{"resources":{"a":{"x":{"#ref":"b"}},"b":{}}}' }, 'graph', 'fmt', '-c', '-');
is($out, qq({"vertices":{"b":{},"a":{"x":{"#ref":"b"}}}}\n), 'M9: resources are vertices');
like($err, qr/^<stdin>:1:2: warning\[old_name\]: /, 'with a warning');
($st, $out, $err) = vetro({ in => '{"resources":{"a":1},"vertices":{}}' }, 'graph', 'fmt', '-c', '-');
is("$out$err", qq({"resources":{"a":1},"vertices":{}}\n), 'M9: beside vertices they are front matter');

# ---- errors and their places
my @faults = (
	['{"vertices":{"a":{}},}', '1:21 [bad_json]', 'a trailing comma'],
	["{\"vertices\":\n{\"a\":[1,2,]}}", '2:10 [bad_json]', 'one in a list'],
	['{"vertices":{"a":{"x":[{}]"y":1}}}', '1:27 [bad_json]', 'a missing comma'],
	["{\"vertices\":{\"\xc3\xa9\xc3\xa9\":{\"x\" 1}}}", '1:24 [bad_json]', 'columns are code points'],
	['{"vertices":{"a":{"x":01}}}', '1:23 [bad_json]', 'a leading zero'],
	['{"vertices":{"a":{"x":1.}}}', '1:23 [bad_json]', 'a point at the end'],
	['{"vertices":{"a":{"x":+1}}}', '1:23 [bad_json]', 'a plus'],
	['{"vertices":{"a":{"x":NaN}}}', '1:23 [bad_json]', 'NaN'],
	["{\"vertices\":{\"a\":{\"x\":\"\t\"}}}", '1:24 [bad_json]', 'a tab in a string'],
	['{"vertices":{"a":{"x":"\x"}}}', '1:24 [bad_json]', 'an unknown escape'],
	['{"vertices":{"a":{"x":"\ud800"}}}', '1:24 [bad_json]', 'half of a pair'],
	["{\"vertices\":{\"a\":{\"x\":\"\xff\"}}}", '1:24 [bad_json]', 'bytes that are no UTF-8'],
	['{"vertices":{"a":{"x":"abc', '1:23 [bad_json]', 'an open string'],
	['{"vertices":{"a":{', '1:19 [bad_json]', 'an open object'],
	['{"vertices":{}} x', '1:17 [bad_json]', 'something behind'],
	['', '1:1 [bad_json]', 'nothing'],
	['[1]', '1:1 [not_object]', 'a list'],
	['{"vertices":[]}', '1:13 [bad_vertices]', 'vertices that are none'],
	['{"package":"x"}', '1:1 [no_vertices]', 'no vertices'],
	['{"vertices":{"a":{},"a":{}}}', '1:21 [duplicate_key]', 'a vertex twice'],
	['{"vertices":{"a":{"x":{"k":1,"k":2}}}}', '1:30 [duplicate_key]', 'a key twice'],
	['{"x":1,"vertices":{},"x":2}', '1:22 [duplicate_key]', 'front matter twice'],
	['{"vertices":{"a":{' . join(',', map { qq("k$_":1) } 0 .. 40, 7) . '}}}', '1:337 [duplicate_key]', 'a key twice among many'],
	['{"vertices":{"":{}}}', '1:14 [empty_moniker]', 'an empty moniker'],
	['{"vertices":{"a": 5}}', '1:19 [bad_vertex]', 'a number for a vertex'],
	['{"vertices":{"b":{},"a":{"#ref":"b"}}}', '1:21 [bad_vertex]', 'an edge for a vertex'],
	['{"ref":7,"vertices":{}}', '1:8 [bad_ref_tag]', 'a ref that is no text'],
	['{"ref":"","vertices":{}}', '1:8 [bad_ref_tag]', 'an empty ref'],
	["{\"vertices\":{\"a\":{\"x\":[0,\n {\"#ref\":\"zz\"}]}}}", '2:10 [unknown_ref]', 'an edge that leads nowhere'],
	['{"vertices":{"a":' . '[' x 300 . ']' x 300 . '}}', '1:216 [too_deep]', 'too deep'],
);
my @snapshot_faults = (
	['{"S":{"id":"1"}}', '1:14 [missing_type]', 'no type'], ['{"S":{"type":""}}', '1:19 [missing_type]', 'an empty type'],
		['{"S":{"type":3}}', '1:19 [missing_type]', 'a type that is no text'],
	['{"S":{"type":"t","id":3}}', '1:30 [bad_id]', 'an id that is no text'], ['{"S":{"type":"t","properties":[]}}', '1:30 [bad_properties]',
		'properties that are a list'],
	['{"V":{"type":"t"},"S":{"type":"t","properties":{"#ref":"V"}}}', '1:47 [bad_properties]', 'properties that are an edge'],
	['{"S":{"type":"t","aliases":"x"}}', '1:30 [bad_aliases]', 'aliases that are a text'],
		['{"S":{"type":"t","aliases":[""]}}', '1:30 [bad_aliases]', 'an empty alias'],
	['{"S":{"type":"t","colour":"red"}}', '1:30 [unknown_field]', 'an unknown field'],
	['{"S":{"type":"t"},"T":{"type":"t","aliases":["S"]}}', '1:58 [alias_conflict]', 'an alias that is a moniker'],
);
is(fault($_->[0]), $_->[1], $_->[2]) for @faults;
is(fault(qq({"vertices":$_->[0]}), '--snapshot'), $_->[1], "snapshot: $_->[2]") for @snapshot_faults;
($st, $out, $err) = vetro({ in => $faults[2][0] }, 'graph', 'check', '-');
is($err, "<stdin>:1:27: error[bad_json]: a comma or } is missing here\n    1 | $faults[2][0]\n      | " . ' ' x 26 . "^\n", 'the line and a caret');
($st, $out, $err) = vetro({ in => '{"vertices":{"a":{"x":{"#ref":"\u001b[31m"}},"b":{"x":{"#ref":"y"}}}}' }, 'graph', 'check', '-');
ok($st == 1 && $err !~ /\033/ && (() = $err =~ /unknown_ref/g) == 2, 'every error in one run; nothing acts on the terminal', $err);
($st, $out, $err) = vetro({ in => $cycle }, 'graph', 'check', '--snapshot', '-f', 'json', '-');
my $line = $json->decode($out);
is("$line->{code} $line->{severity} $line->{line}:$line->{col} $err", 'cycle error 1:63 ', 'check -f json');
is($json->encode($line->{about}{path}), '["b","c","b"]', 'with what it is about');
is((vetro({ in => $seed }, 'graph', 'check', '-'))[0], 0, 'a good text: status 0');
is(fault('{"vertices":{"a":[[[[]]]]}}', '--max-depth', '5'), '1:21 [too_deep]', '--max-depth');
is(fault($seed, '--max-bytes=20'), ' [too_large]', '--max-bytes');
like(fault($seed, '--max-vertices=3'), qr/\[too_large\]/, '--max-vertices');

# ---- lenient
is((vetro({ in => '{"vertices":{"a":{"l":[1,],},},}' }, 'graph', 'check', '--lenient', '-'))[0], 0, '--lenient: commas at the end');
is(fault('{"vertices":{"a":{"l":[1,,]}}}', '--lenient'), '1:26 [bad_json]', 'but not two of them');
is(fault('{"vertices":{"a":{"l":[,]}}}', '--lenient'), '1:24 [bad_json]', 'and not alone');

# ---- fmt
my $f = file($seed);
($st, $out) = vetro('graph', 'fmt', $f);
my $begins = <<'M';
{
    "vertices": {
        "e": {},
        "d": {
            "children": [
                { "#ref": "e" }
            ]
        },
M
like($out, qr/\A\Q$begins\E/, 'the canonical form');
is((vetro({ in => $out }, 'graph', 'fmt', '-'))[1], $out, 'is kept');
is(join('|', (vetro('graph', 'fmt', '--check', $f))[0, 1]), '1|', 'fmt --check: not canonical');
chmod 0640, $f;
is(join('|', vetro('graph', 'fmt', '-i', $f)), '0||', 'fmt -i');
is(sprintf('%o', (stat $f)[2] & 07777), '640', 'the mode stays');
is((vetro('graph', 'fmt', '--check', $f))[0], 0, 'fmt --check: canonical');
is(slurp($f), $out, 'the file is the text');
my $inode = (stat $f)[1];
vetro('graph', 'fmt', '-i', $f);
is((stat $f)[1], $inode, 'what is right already is not replaced');
symlink $f, "$W/link";
spew($f, $seed);
vetro('graph', 'fmt', '-i', "$W/link");
ok(-l "$W/link" && slurp($f) eq $out, 'a link stays one');
($st, $out, $err) = vetro('graph', 'fmt', $f, "$W/none");
ok($st == 1 && $out ne '' && $err =~ /none: error\[io\]: cannot be read/, 'the other files are done all the same', $err);

# ---- the digest
($st, $out) = vetro('graph', 'fmt', '--digest', $f);
like($out, qr/^    "integrity": "sha256:[0-9a-f]{64}",$/m, '--digest');
is((vetro({ in => $out }, 'graph', 'check', '-'))[0], 0, 'is verified');
(my $sorted = $out) =~ s/("d": \{.*?\n        \},\n)(.*?\n        \},\n)/$2$1/s;
ok($sorted ne $out && (vetro({ in => $sorted }, 'graph', 'check', '-'))[0] == 0, 'whatever the order');
(my $forged = $out) =~ s/"children": \[\n +\{ "#ref": "b" \},/"children": [/;
like(fault($forged), qr/^2:18 \[bad_integrity\]/, 'what was changed is seen');
($st, $out) = vetro({ in => '{"integrity":"sha256:' . '0' x 64 . '","vertices":{}}' }, 'graph', 'repair', '-');
like($out, qr/sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855/, 'SHA-256 of nothing; repair writes it anew');
is((vetro({ in => '{"integrity":5,"vertices":{}}' }, 'graph', 'check', '-'))[0], 0, 'integrity of somebody else is data');

# ---- diff
sub resources { return $json->encode({ vertices => { @_ } }) }
my $old = '{"vertices":{"V":{"type":"t1","properties":{"a":1}},"S":{"type":"t","properties":{"v":{"#ref":"V"},"l":[1,2,{"x":"\u001b[31m"}],"o":{"p":true}}},' .
	'"K":{"type":"k"}}}';
my $new = '{"vertices":{"V":{"type":"t2","properties":{"a":2}},"N":{"type":"n","properties":{"s":"str"}},"S":{"type":"t","properties":{"v":{"#ref":"N"},' .
	'"l":[1,3],"o":{"p":false,"q":null}}}}}';
my ($o, $n) = (file($old), file($new));
($st, $out) = vetro('graph', 'diff', $o, $n);
is($out, <<'END', 'diff: a tree of properties');
+- V (t1 => t2): create-replacement
    ~ a: 1 => 2
+ N (n): create
    + s: "str"
~ S (t): update
    ~ v: -> V => -> N
    ~ l:
        ~ [1]: 2 => 3
        - [2]: {"x":"\u001b[31m"}
    ~ o:
        ~ p: true => false
        + q: null
- K (k): delete
-+ V (t1): delete-replaced
1 to create, 1 to update, 1 to replace, 1 to delete, 0 unchanged
END
($st, $out) = vetro('graph', 'diff', '-f', 'json', $o, $n);
is($json->encode($json->decode($out)->{updates}{S}),
	$json->encode($json->decode('{"updates":{"v":{"object":{"updates":{"#ref":{"old":"V","new":"N"}}}},"l":{"array":{"deletes":{"2":{"x":"\u001b[31m"}},' .
	'"updates":{"1":{"old":2,"new":3}}}},"o":{"object":{"adds":{"q":null},"updates":{"p":{"old":true,"new":false}}}}}}')), 'diff -f json');
like((vetro('graph', 'diff', '--delete-first', $o, $n))[1], qr/^-\+ V .*\n\+- V/m, '--delete-first');
is((vetro('graph', 'diff', '--exit-code', $o, $n))[0], 1, '--exit-code: a difference');
is(join('|', (vetro('graph', 'diff', '--exit-code', $o, $o))[0, 1]), "0|0 to create, 0 to update, 0 to replace, 0 to delete, 3 unchanged\n",
	'--exit-code: none');
like((vetro('graph', 'diff', '--color=always', $o, $n))[1], qr/^\033\[35m\+- V .*\033\[0m$/m, '--color=always');
ok((vetro('graph', 'diff', $o, $n))[1] !~ /\033/, 'no colour into a file');
SKIP: {
	my $colour = qx(script -qec '$vetro graph diff $o $n' /dev/null </dev/null 2>/dev/null);
	if ($? != 0 || $colour !~ /create/) { skip('a terminal', 'no script(1)'); last SKIP }
	like($colour, qr/\033\[32m\+ N/, 'colour on a terminal');
	ok(qx(NO_COLOR=1 script -qec '$vetro graph diff $o $n' /dev/null </dev/null) !~ /\033/, 'not with NO_COLOR');
}
my @diffs = (
	['numbers that are equal', '{"A":{"type":"t","properties":{"x":1}}}', '{"A":{"type":"t","properties":{"x":1.0}}}', []],
	['another order of members', '{"A":{"type":"t","properties":{"x":1,"y":2}}}', '{"A":{"properties":{"y":2,"x":1},"type":"t"}}', []],
	['an id that is not known yet', '{"A":{"type":"t","id":"i-1"}}', '{"A":{"type":"t"}}', []],
	['a graph without types', '{"A":{"x":1}}', '{"A":{"x":2}}', [['update', 'A']]],
	['fields that no snapshot has', '{"A":{"type":"t","colour":1}}', '{"A":{"type":"t","colour":2}}', [['update', 'A']]],
	['dependents of what is replaced stay', '{"V":{"type":"t"},"S":{"type":"t","properties":{"v":{"#ref":"V"}}}}',
		'{"V":{"type":"u"},"S":{"type":"t","properties":{"v":{"#ref":"V"}}}}', [['create-replacement', 'V'], ['delete-replaced', 'V']]],
	['a creation that refers to what stays', '{"V":{"type":"t"}}', '{"V":{"type":"t"},"S":{"type":"t","properties":{"v":{"#ref":"V"}}}}',
		[['create', 'S']]],
	['a name that the old one had as alias', '{"a":{"type":"t","aliases":["b"]}}', '{"b":{"type":"t"}}', []],
	['an alias does not steal', '{"a":{"type":"t"},"b":{"type":"t"}}', '{"b":{"type":"t"},"c":{"type":"t","aliases":["b","a"]}}', []],
);
for my $d (@diffs) {
	my ($a) = batch({ op => 'diff', old => qq({"vertices":$d->[1]}), new => qq({"vertices":$d->[2]}) });
	is($json->encode($a->{value}{steps}), $json->encode($d->[3]), "diff: $d->[0]");
}
gives('apply keeps the id', { op => 'apply', old => '{"vertices":{"A":{"type":"t","id":"i-1","properties":{"x":1}}}}',
	new => '{"vertices":{"A":{"type":"t","properties":{"x":2}}}}' },
	{ vertices => { A => { type => 't', id => 'i-1', properties => { x => 2 } } } });
gives('edges follow a rename', { op => 'apply', old => '{"vertices":{"o":{"type":"t"},"d":{"type":"t","properties":{"r":{"#ref":"o"}}}}}',
	new => '{"vertices":{"n":{"type":"t","aliases":["o"]},"d":{"type":"t","properties":{"r":{"#ref":"n"}}}}}' },
	{ vertices => { n => { type => 't', aliases => ['o'] }, d => { type => 't', properties => { r => { '#ref' => 'n' } } } } });

# ---- repair
my $broken = file('{"vertices":{"S":{"type":"t","zz":1,"properties":{"v":{"#ref":"V"},"w":[1,{"#ref":"gone"},2,],"x":{"y":{"#ref":"gone"}}}},"V":{"type":"t",' .
	'"aliases":["S","q"]},"V":{}}}');
my $before = slurp($broken);
($st, $out, $err) = vetro('graph', 'repair', '--snapshot', $broken);
is($st, 0, 'repair');
is($json->encode($json->decode($out)),
	$json->encode({ vertices => { V => { type => 't', aliases => ['q'] },
	S => { type => 't', properties => { v => { '#ref' => 'V' }, w => [1, 2], x => {} } } } }), 'what is left');
ok(index($out, '"V":') < index($out, '"S":'), 'in order');
is(join(' ', sort $err =~ /^\S+: warning\[([a-z_]+)\]: /mg), 'alias_conflict duplicate_key unknown_field unknown_ref unknown_ref', 'each removal is reported');
like($err, qr/:1:83: warning\[unknown_ref\]: 'S' loses its edge at properties\.w\[1\] to 'gone'/, 'with its place');
is(slurp($broken), $before, 'nothing is written without -i');
is((vetro('graph', 'repair', '--snapshot', '-i', $broken))[0], 0, 'repair -i');
is((vetro('graph', 'check', '--snapshot', $broken))[0], 0, 'is valid then');
my $own = file('{"vertices": {"b":{"type":"t"},"a":{"type":"t"}}}');
vetro('graph', 'repair', '--snapshot', '-i', $own);
is(slurp($own), '{"vertices": {"b":{"type":"t"},"a":{"type":"t"}}}', 'a valid text stays as it was');
my $hopeless = file($cycle);
is(join('|', (vetro('graph', 'repair', '--snapshot', '-i', $hopeless))[0, 1]), '1|', 'a cycle cannot be repaired');
is(slurp($hopeless), $cycle, 'and nothing is written');
is((vetro({ in => '{"vertices":{"a":' }, 'graph', 'repair', '-'))[0], 1, 'nor can half a text');
is((vetro({ in => '{"x":1}' }, 'graph', 'repair', '-'))[0], 1, 'nor one without vertices');

# ---- dot
($st, $out) = vetro({ in => '{"vertices":{"a\"\\\\":{"type":"t:T","properties":{"x":[{"#ref":"b"}]}},"b":{}}}' }, 'graph', 'dot', '-');
is($out, <<'END', 'dot');
digraph mugl {
	node [shape=box, style=rounded];
	"a\"\\" [label="a\"\\\nt:T"];
	"b" [label="b"];
	"a\"\\" -> "b" [label="x[0]"];
}
END

my $odd = "a\\u001b\\n\\u202e&lt;\\u2028";
($st, $out) = vetro({ in => qq({"vertices":{"$odd":{"type":"\\ufffe\\\"]; evil [label=\\\"","properties":{"$odd":[{"#ref":"$odd"}]}}}}) }, 'graph', 'dot', '-');
is($st, 0, 'dot of odd names');
ok($out !~ /[\x00-\x08\x0b-\x1f]|\xe2\x80[\xa8\xae]|[^\\]"\]; evil/ && $out =~ /aU\+001BU\+000AU\+202E&amp;lt;U\+2028/, 'they are as everywhere in DOT')
	or print "# $out\n";

# ---- snapshot
gives('the snapshot of objects', { op => 'snapshot', graph => { %app, header => { package => 'p' } } },
	{ package => 'p', vertices => { 'app/main.net' => { type => 't', aliases => ['app/vms[0]', 'app/vms[1]/peer'], properties => {} },
		'app/vms[1]' => { type => 't', properties => { peer => { '#ref' => 'app/main.net' } } } } });
($st, $out) = vetro({ in => '{"vertices":{"root":{"r":{"#ref":"x"}},"x":{"type":"t","id":"i","conf":{"#ref":"d"}},"d":{"size":1}}}' },
	'graph', 'snapshot', '-c', '-');
is($out, qq({"vertices":{"root/r":{"id":"i","type":"t","properties":{"conf":{"size":1}}}}}\n), 'data objects are written where they are used');
like((vetro({ in => '{"vertices":{"root":{"r":{"#ref":"x"}},"x":{"type":"t","conf":{"#ref":"d"}},"d":{"me":{"#ref":"d"}}}}' }, 'graph', 'snapshot', '-'))[2],
	qr/error\[cycle\]: a cycle: d -> d\n/, 'and must end');

# ---- replay
my $base = file('{"vertices":{"a":{"type":"t"}}}');
spew("$W/j", "{\"crc\":\"00000000\",\"seq\":0}\n");
is(join('|', vetro('graph', 'replay', '-c', $base, "$W/j")), qq(0|{"vertices":{"a":{"type":"t"}}}\n|), 'a first record that was not written whole');
like(slurp("$W/j"), qr/\A\{"crc":"[0-9a-f]{8}","seq":0,"op":"start","base":"[0-9a-f]{64}"\}\n\z/, 'a journal begins');
is((vetro('graph', 'replay', $base, "$W/j"))[0], 0, 'and is taken up');
my $other = file('{"vertices":{"b":{"type":"t"}}}');
like((vetro('graph', 'replay', $other, "$W/j"))[2], qr/belongs to another snapshot/, 'but not for another snapshot');
spew("$W/j2", slurp("$W/j") . "{\"crc\":\"00000000\",\"seq\":1}\n" . "x\n");
like((vetro('graph', 'replay', $base, "$W/j2"))[2], qr/the journal is damaged: record 2/, 'damage before the last record is an error');
spew("$W/notes", "my notes\n");
($st, $out, $err) = vetro('graph', 'replay', $base, "$W/notes");
ok($st == 1 && $err =~ /no journal/ && slurp("$W/notes") eq "my notes\n", 'another file is left alone', $err);
is((vetro('graph', 'replay', $base, "$W/nothing"))[0], 1, 'no journal');

# ---- the batch survives anything
my @odd = batch('', 'nonsense', '[]', '{}', '{"op":"load"}', '{"op":"load","text":5}', '{"op":"serialize","graph":[]}', '{"op":"serialize","graph":{}}',
	'{"op":"serialize","graph":{"vertices":5}}',
	'{"op":"serialize","graph":{"vertices":{},"roots":["x"]}}', '{"op":"serialize","graph":{"vertices":{},"ref":3}}', '{"op":"diff","old":"{","new":"{"}',
		'[' x 5000, '{"op":"load","text":"{\"vertices\":{}}"}');
is(join(' ', map { $_->{error} ? $_->{error}{type} : 'value' } @odd), join(' ', ('bad_request') x 8, 'bad_vertices', 'bad_request', 'bad_request', 'bad_json',
	'bad_request', 'value'), 'each line gets its answer');

# ---- time does not depend on keys, nor on their number
my %time;
for my $many (20000, 80000) {
	my $text = '{"vertices":{' . join(',', map { qq("k$_":{"x":{"#ref":"k0"},"aliases":[]}) } 0 .. $many) . '}}';
	my $big = '{"vertices":{"a":{' . join(',', map { qq("k$_":1) } 0 .. $many) . '}}}';
	my ($p, $q) = (file($text), file($big));
	my $t = times_of(sub { vetro('graph', 'diff', $p, $p); vetro('graph', 'diff', $q, $q); vetro('graph', 'fmt', $q) });
	$time{$many} = $t;
}
ok($time{80000} < 12 * ($time{20000} + 0.02), 'four times the keys take about four times as long', "$time{20000} $time{80000}");

sub times_of {
	my ($work) = @_;
	my @before = times;
	$work->();
	my @after = times;
	return $after[2] + $after[3] - $before[2] - $before[3];
}

# ---- usage
for my $bad (['graph'], ['graph', 'frob'], ['graph', 'check'], ['graph', 'diff', 'x'], ['graph', 'diff', 'x', 'y', 'z'], ['graph', 'fmt', '-f', 'json', 'x'],
	['graph', 'dot', '--digest', 'x'],
	['graph', 'check', '--max-depth', '0', 'x'], ['graph', 'check', '--max-depth=2000', 'x'], ['graph', 'check', '-f'], ['graph', 'fmt', '-i', '-'],
		['graph', '--batch', 'x'], ['graph', 'diff', '--color=red', 'x', 'y']) {
	my ($s, $so, $se) = vetro(@$bad);
	ok($s == 2 && $so eq '' && $se =~ /^vetro: .*\nhint: /, "bad usage: @$bad", $s, $se);
}
like((vetro('help', 'graph'))[1], qr/^usage: vetro graph check/, 'help graph');
done();
