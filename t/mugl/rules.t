#!/usr/bin/perl
# Texts of one line through `vetro graph`: what each of the rules M1 to M9 of docs/mugl.md makes of them, or the first error and its place.
use strict;
use warnings;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Encode qw(encode);
use JSON::PP;
use Tap;

my %commands = (fmt => ['fmt', '-c', '-'], lenient => ['fmt', '--lenient', '-c', '-'], check => ['check', '-'], resources => ['check', '--snapshot', '-'],
	snapshot => ['snapshot', '-', '-c']);
# Command, text, and the text that is written or "LINE:COL code"; '' is a text that is right.
my @rows = (
	# M1, M2: order and cycles
	[fmt => '{"vertices":{"a":{"n":{"#ref":"a"}}}}',
		'{"vertices":{"a":{"n":{"#ref":"a"}}}}'],
	[fmt => '{"vertices":{"a":{"n":{"#ref":"b"}},"b":{"n":{"#ref":"c"}},"c":{"n":{"#ref":"b"}}}}',
		'{"vertices":{"c":{"n":{"#ref":"b"}},"b":{"n":{"#ref":"c"}},"a":{"n":{"#ref":"b"}}}}'],
	[fmt => '{"vertices":{"r2":{"x":{"#ref":"s"}},"r1":{"x":{"#ref":"s"},"y":{"#ref":"t"}},"s":{},"t":{"z":{"#ref":"s"}}}}',
		'{"vertices":{"s":{},"r2":{"x":{"#ref":"s"}},"t":{"z":{"#ref":"s"}},"r1":{"x":{"#ref":"s"},"y":{"#ref":"t"}}}}'],
	[fmt => '{"vertices":{"a":{"deep":{"er":[{"x":[[{"#ref":"b"}]]}]}},"b":{}}}',
		'{"vertices":{"b":{},"a":{"deep":{"er":[{"x":[[{"#ref":"b"}]]}]}}}}'],
	[resources => '{"vertices":{"a":{"type":"t","properties":{"n":{"#ref":"b"}}},"b":{"type":"t"}}}',
		'1:56 out_of_order'],
	[resources => '{"vertices":{"b":{"type":"t","properties":{"n":{"#ref":"a"}}},"a":{"type":"t","properties":{"n":{"#ref":"b"}}}}}',
		'1:14 cycle'],
	[resources => '{"vertices":{"a":{"type":"t","properties":{"n":{"#ref":"a"}}}}}',
		'1:14 cycle'],
	# M3: values, and JSON that is none
	[fmt => '{"vertices":{"a":{"n":null,"e":[],"o":{},"f":1.50,"z":-0,"zz":-0.0,"big":123456789012345678901234567890,"x":1e400,"t":1E5,' .
		'"s":"\\u00e9\\ud83d\\ude00"}}}',
		'{"vertices":{"a":{"n":null,"e":[],"o":{},"f":1.5,"z":0,"zz":-0.0,"big":123456789012345678901234567890,"x":1e400,"t":100000.0,"s":"é😀"}}}'],
	[fmt => '{"vertices":{"a":{"n":0.1e-7,"m":1e21,"k":1.0,"q":100000000000000000000.0}}}',
		'{"vertices":{"a":{"n":1e-08,"m":1e+21,"k":1.0,"q":1e+20}}}'],
	[check => '{"vertices":{"a":{"n":01}}}',
		'1:23 bad_json'],
	[check => '{"vertices":{"a":{"n":1.}}}',
		'1:23 bad_json'],
	[check => '{"vertices":{"a":{"n":.5}}}',
		'1:23 bad_json'],
	[check => '{"vertices":{"a":{"n":+1}}}',
		'1:23 bad_json'],
	[check => '{"vertices":{"a":{"n":NaN}}}',
		'1:23 bad_json'],
	[check => '{"vertices":{"a":{"n":"\\ud800"}}}',
		'1:24 bad_json'],
	[check => '{"vertices":{"a":{"n":"a	b"}}}',
		'1:25 bad_json'],
	[check => '﻿{"vertices":{}}',
		'1:1 bad_json'],
	# M4: the tag
	[fmt => '{"ref":"@","vertices":{"a":{"x":{"#ref":"b"},"y":{"@":"b"}},"b":{}}}',
		'{"ref":"@","vertices":{"b":{},"a":{"x":{"#ref":"b"},"y":{"@":"b"}}}}'],
	[fmt => '{"ref":"@","vertices":{"a":{"x":{"@":5}},"b":{"y":{"@":"a","z":1}}}}',
		'{"ref":"@","vertices":{"a":{"x":{"@":5}},"b":{"y":{"@":"a","z":1}}}}'],
	[check => '{"ref":"","vertices":{}}',
		'1:8 bad_ref_tag'],
	[check => '{"ref":5,"vertices":{}}',
		'1:8 bad_ref_tag'],
	[check => '{"ref":null,"vertices":{}}',
		'1:8 bad_ref_tag'],
	[fmt => '{"vertices":{"a":{"x":{"#ref":1},"y":{"#ref":null},"z":{"#ref":{"#ref":"b"}}},"b":{}}}',
		'{"vertices":{"b":{},"a":{"x":{"#ref":1},"y":{"#ref":null},"z":{"#ref":{"#ref":"b"}}}}}'],
	[check => '{"vertices":{"a":{"x":{"#ref":""}}}}',
		'1:31 unknown_ref'],
	[check => '{"vertices":{"a":{"x":{"#ref":"b","#ref":"a"}},"b":{}}}',
		'1:35 duplicate_key'],
	# M5, M6, M7: names
	[snapshot => '{"vertices":{"app":{"vms":[{"#ref":"v1"},{"#ref":"v2"}],"main":{"net":{"#ref":"v1"}}},"v1":{"type":"t"},"v2":{"type":"t",' .
		'"peer":{"#ref":"v1"}}}}',
		'{"vertices":{"app/main.net":{"type":"t","aliases":["app/vms[0]","app/vms[1]/peer"],"properties":{}},"app/vms[1]":{"type":"t",' .
			'"properties":{"peer":{"#ref":"app/main.net"}}}}}'],
	[snapshot => '{"vertices":{"a":{"x":{"#ref":"r"},"y":{"#ref":"r"}},"r":{"type":"t"}}}',
		'{"vertices":{"a/x":{"type":"t","aliases":["a/y"],"properties":{}}}}'],
	[snapshot => '{"vertices":{"b":{"x":{"#ref":"r"}},"a":{"x":{"#ref":"r"}},"r":{"type":"t"}}}',
		'{"vertices":{"a/x":{"type":"t","aliases":["b/x"],"properties":{}}}}'],
	[snapshot => '{"vertices":{"a":{"type":"t","k":{"#ref":"b"}},"b":{"type":"t","k":{"#ref":"c"}},"c":{"type":"t"}}}',
		'{"vertices":{"a/k/k":{"type":"t","properties":{}},"a/k":{"type":"t","properties":{"k":{"#ref":"a/k/k"}}},"a":{"type":"t",' .
			'"properties":{"k":{"#ref":"a/k"}}}}}'],
	[snapshot => '{"vertices":{"a":{"d":{"#ref":"data"}},"data":{"v":1,"r":{"#ref":"r"}},"r":{"type":"t"}}}',
		'{"vertices":{"a/d/r":{"type":"t","properties":{}}}}'],
	[snapshot => '{"vertices":{"a":{"type":"t","d":{"#ref":"a"}}}}',
		'unreachable'],
	[snapshot => '{"vertices":{"a":{"x.y":{"#ref":"p"},"x":{"y":{"#ref":"q"}}},"p":{"type":"t"},"q":{"type":"t"}}}',
		'alias_conflict'],
	[snapshot => '{"vertices":{"x":{"n":{"#ref":"y"}},"y":{"n":{"#ref":"x"},"r":{"#ref":"z"}},"z":{"type":"t"}}}',
		'unreachable'],
	[snapshot => '{"vertices":{"a":{"type":5}}}',
		'{"vertices":{}}'],
	[snapshot => '{"vertices":{"a":{"type":""}}}',
		'missing_type'],
	[resources => '{"vertices":{"a":{"type":"t","aliases":["b"]},"b":{"type":"t"}}}',
		'1:41 alias_conflict'],
	[resources => '{"vertices":{"a":{"type":"t","aliases":["x"]},"b":{"type":"t","aliases":["x"]}}}',
		'1:74 alias_conflict'],
	[resources => '{"vertices":{"a":{"type":"t","aliases":["x","x"]}}}',
		'1:45 alias_conflict'],
	[resources => '{"vertices":{"a":{"type":"t","aliases":["a"]}}}',
		'1:41 alias_conflict'],
	[resources => '{"vertices":{"a":{"type":"t","aliases":[""]}}}',
		'1:30 bad_aliases'],
	[resources => '{"vertices":{"a":{"type":"t","aliases":[1]}}}',
		'1:30 bad_aliases'],
	[resources => '{"vertices":{"a":{"type":"t","aliases":"x"}}}',
		'1:30 bad_aliases'],
	[resources => '{"vertices":{"a":{"type":"t","aliases":[]}}}',
		''],
	[resources => '{"vertices":{"a":{"type":""}}}',
		'1:19 missing_type'],
	[resources => '{"vertices":{"a":{}}}',
		'1:14 missing_type'],
	[resources => '{"vertices":{"a":{"type":"t","id":5}}}',
		'1:30 bad_id'],
	[resources => '{"vertices":{"a":{"type":"t","id":""}}}',
		''],
	[resources => '{"vertices":{"a":{"type":"t","properties":[]}}}',
		'1:30 bad_properties'],
	[resources => '{"vertices":{"a":{"type":"t","protect":true}}}',
		'1:30 unknown_field'],
	[resources => '{"vertices":{"a":{"type":{"#ref":"a"}}}}',
		'1:19 missing_type'],
	# M8, M9, and the document
	[fmt => '{"vertices":{"a":{"x":{"@":"b"},"y":{"#ref":"zz"}},"b":{}},"ref":"@"}',
		'{"ref":"@","vertices":{"b":{},"a":{"x":{"@":"b"},"y":{"#ref":"zz"}}}}'],
	[check => '{"ref":"@","vertices":{},"ref":"@"}',
		'1:26 duplicate_key'],
	[check => '{"vertices":{},"vertices":{}}',
		'1:16 duplicate_key'],
	[check => '{"resources":{},"resources":{}}',
		'1:17 duplicate_key'],
	[fmt => '{"resources":{"a":{}},"x":1}',
		'{"x":1,"vertices":{"a":{}}}'],
	[check => '{"resources":[]}',
		'1:1 no_vertices'],
	[check => '{"a":1}',
		'1:1 no_vertices'],
	[check => '[]',
		'1:1 not_object'],
	[check => '',
		'1:1 bad_json'],
	[check => '{"vertices":[]}',
		'1:13 bad_vertices'],
	[check => '{"vertices":{"a":[]}}',
		'1:18 bad_vertex'],
	[check => '{"vertices":{"":{}}}',
		'1:14 empty_moniker'],
	[check => '{"vertices":{"a":{},"a":{}}}',
		'1:21 duplicate_key'],
	[check => '{"vertices":{"a":{"k":1,"k":2}}}',
		'1:25 duplicate_key'],
	[check => '{"vertices":{}}x',
		'1:16 bad_json'],
	[check => '{"vertices":{},}',
		'1:15 bad_json'],
	[lenient => '{"vertices":{"a":{"x":[1,],},},}',
		'{"vertices":{"a":{"x":[1]}}}'],
	[lenient => '{"vertices":{,}}',
		'1:14 bad_json'],
	[lenient => '{"vertices":{"a":{"x":[1,,2]}}}',
		'1:26 bad_json'],
	[check => '{"vertices":{"a":{"b":"c"} "d":{}}}',
		'1:28 bad_json'],
	[check => '{"vertices":{
  "a":{"x":{"#ref":"nope"}}}}',
		'2:20 unknown_ref'],
);
for (@rows) {
	my ($op, $text, $want) = map { encode('UTF-8', $_) } @$_;
	my ($st, $out, $err) = vetro({ in => $text }, 'graph', @{ $commands{$op} });
	chomp $out;
	$out = ($1 ? "$1 " : '') . $2 if $st && $err =~ /^<stdin>:(?:(\d+:\d+):)? error\[(\w+)\]: /m;
	$text =~ s/\n/\\n/g;
	is($out, $want, "$op $text");
	next if $st || $op eq 'check' || $op eq 'resources' || $op eq 'snapshot';
	my (undef, $again) = vetro({ in => $out }, 'graph', 'fmt', '-c', '-');
	is($again, "$out\n", 'and is written the same again');
}

# ---- taint and protect
spew("$W/old.mugl", '{"protect":["db"],"taint":["web","gone"],"vertices":{"db":{"type":"t"},"web":{"type":"t","properties":{"db":{"#ref":"db"}}},' .
	'"other":{"type":"t"}}}');
sub plan {
	my ($text) = @_;
	my ($st, $out, $err) = vetro({ in => $text }, 'graph', 'diff', "$W/old.mugl", '-');
	return ($st, $out =~ s/\n/;/gr, $err);
}
my ($st, $out, $err) = plan('{"vertices":{"db":{"type":"t"},"web":{"type":"t","properties":{"db":{"#ref":"db"}}},"other":{"type":"t"}}}');
like($out, qr/^\+- web \(t => t\): create-replacement;-\+ web \(t\): delete-replaced;0 to create, 0 to update, 1 to replace, 0 to delete, 2 unchanged;$/,
	'what is tainted is replaced') or print "# $err\n";
is($st, 0, 'and no error');
like($err, qr/old\.mugl:1:35: warning\[bad_flags\]: 'gone' on the list 'taint' is no vertex\n/, 'an entry that names nothing is reported, with its place');
is($err =~ tr/\n//, 3, 'and no other') or print "# $err\n";
like((vetro('graph', 'check', "$W/old.mugl"))[2], qr/warning\[bad_flags\]: 'gone' on the list 'taint'/, 'so does a check');
is((vetro('graph', 'check', "$W/old.mugl"))[0], 0, 'which finds no error');
($st, $out, $err) = plan('{"vertices":{"web":{"type":"t"},"other":{"type":"t"}}}');
is($st, 1, 'what is protected must not be deleted');
like($err, qr/error\[protected\]: 'db' would be deleted\n/, 'which is reported');
like($out, qr/- db \(t\): delete/, 'with the plan');
($st, $out, $err) = plan('{"vertices":{"db":{"type":"u"},"other":{"type":"t"}}}');
like($err, qr/'db' would be deleted and replaced/, 'nor replaced');
($st) = plan('{"vertices":{"db":{"type":"t","properties":{"x":1}}}}');
is($st, 0, 'but updated');
spew("$W/old.mugl", '{"protect":true,"taint":{"a":1},"vertices":{"a":{"type":"t"}}}');
($st, $out, $err) = plan('{"vertices":{}}');
is($st, 0, 'what is no list of monikers is front matter like any other');
is($err, '', 'of which there is nothing to tell');
($st, undef, $err) = vetro('graph', 'taint', "$W/old.mugl", 'a');
ok($st == 1 && $err =~ /error\[bad_flags\]: 'taint' of the front matter is no list of monikers/, 'but cannot be one', $err);

# ---- commands that change the lists
my $two = '{"package":"p","vertices":{"db":{"type":"t"},"web":{"type":"t","properties":{"db":{"#ref":"db"}}}}}';
sub listed {
	my ($text, @args) = @_;
	my ($st, $out, $err) = vetro({ in => $text }, 'graph', $args[0], '-', @args[1 .. $#args]);
	return "$st $err" if $st;
	my $d = JSON::PP->new->decode($out);
	return join ' ', map { "$_=" . join(',', @{ $d->{$_} }) } grep { $d->{$_} } qw(taint protect);
}
is(listed($two, 'taint', 'web', 'db', 'web'), 'taint=web,db', 'taint puts on the list, once');
is(listed($two, 'protect', 'db'), 'protect=db', 'protect too');
$two =~ s/"package":"p"/"taint":["web","old"],"protect":["db","web"]/;
is(listed($two, 'untaint', 'web', 'old'), 'protect=db,web', 'untaint takes off, also what is there no more; an empty list goes');
is(listed($two, 'unprotect', 'db'), 'taint=web,old protect=web', 'unprotect too');
is(listed($two, 'unprotect', 'db', 'db'), 'taint=web,old protect=web', 'what is not on the list stays off');
like(listed($two, 'protect', 'web', 'nope'), qr/^1 .*error\[bad_flags\]: .*'nope' is no vertex/, 'a vertex that is not there');
is((vetro('graph', 'taint', "$W/old.mugl"))[0], 2, 'a moniker is needed');
spew("$W/flags.mugl", '{"protect":["db"],"integrity":"sha256:0","vertices":{"db":{}}}');
is((vetro('graph', 'taint', "$W/flags.mugl", 'db'))[0], 1, 'a text with errors is not changed');
spew("$W/flags.mugl", $two);
is((vetro('graph', 'unprotect', '-i', "$W/flags.mugl", 'db', 'web'))[1], '', '-i writes the file');
is((vetro('graph', 'diff', "$W/flags.mugl", "$W/flags.mugl"))[1] =~ s/\n/;/gr,
	'+- web (t => t): create-replacement;-+ web (t): delete-replaced;0 to create, 0 to update, 1 to replace, 0 to delete, 1 unchanged;',
	'and the plan heeds it');

# ---- what is wrong inside of a value is told with the way to it
for ([ '{"vertices":{"a":{"p":[{"#ref":"x"}]}}}', 'at p[0]: ' ], [ '{"vertices":{"a":{"p":{"q":[1,{"r":{"#ref":"x"}}]}}}}', 'at p.q[1].r: ' ],
	[ '{"vertices":{"a":{"p":[[{"#ref":"a"},{"#ref":"x"}]]}}}', 'at p[0][1]: ' ], [ '{"ref":"@","vertices":{"a":{"s":[0,{"@":"u"}]}}}', 'at s[1]: ' ],
	[ '{"vertices":{"a":{"p":{"x y":{"#ref":"n"}}}}}', 'at p.x y: ' ], [ '{"vertices":{"a":{"p":[1,{"q":1,"q":2}]}}}', 'in one object, at p[1]' ],
	[ '{"vertices":{"a":{"p":{"l":[0,[{"k":{"q":1,"q":2}}]]}}}}', 'in one object, at p.l[1][0].k' ],
	[ '{"vertices":{"a":{"m":{"z":1,"z":2}}}}', 'in one object, at m' ], [ '{"vertices":{"a":{"m":1,"m":2}}}', "in one object\n" ],
	[ '{"vertices":{"a":{"type":"t","properties":{"x":[{"#ref":"b"}]}},"b":{"type":"t"}}}', 'at properties.x[0]: ', '--snapshot' ]) {
	my ($text, $where, @more) = @$_;
	my ($st, $out, $err) = vetro({ in => $text }, 'graph', 'check', @more, '-');
	ok($st == 1 && index($err, $where) > 0, "$text: $where", $err);
}
done();
