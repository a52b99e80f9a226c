#!/usr/bin/perl
# What messages show of a value: 200 characters, with the count of the rest, no addresses, and nothing that a terminal would obey.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $long = 'long ' x 100_000;
my $name = 'n' x 5000;
my $esc = "\e]0;title\a\e[2J";
spew("$W/big.json", encode_json({ a => [ ('x' x 100) x 5000 ], s => $long, o => { $name => 1 } }));
mkdir "$W/$_" for 'p', 'p/Classes';
spew("$W/p/manifest.yaml", "Format: '1.4'\nType: Application\nFullName: t.p\nClasses: { t.p.C: C.yaml }\n");
spew("$W/p/Classes/C.yaml", <<'Y');
Namespaces: { =: t.p, std: io.murano }
Name: C
Extends: std:Object
Properties: { n: { Contract: $.int() }, s: { Contract: $.string().check(len($) < 10), Default: a } }
Methods:
  run: { Usage: Action, Body: [ Return: 1 ] }
Y
spew("$W/int.json", encode_json({ Objects => { '?' => { id => 'a', type => 't.p.C' }, n => $long } }));
spew("$W/check.json", encode_json({ Objects => { '?' => { id => 'a', type => 't.p.C' }, n => 1, s => $long } }));
spew("$W/type.json", encode_json({ Objects => { '?' => { id => 'a', type => "t.p.$name" }, n => 1 } }));
my $head = "tosca_definitions_version: tosca_2_0\n";
spew("$W/name.yaml", "${head}service_template: { node_templates: { a: { type: $name } } }\n");
spew("$W/key.yaml", "${head}service_template: { $name: 1 }\n");
spew("$W/value.yaml", "${head}service_template: { inputs: { i: { type: integer, default: '$long' } }, node_templates: {} }\n");
spew("$W/valid.yaml", "${head}service_template: { inputs: { i: { type: string, validation: { \$valid_values: [ \$value, [ a ] ] }, default: '$long' } }, "
	. "node_templates: {} }\n");
spew("$W/name.yay", "a: {{ $name }}\n");
spew("$W/item.yay", "a: '" . substr($long, 0, 50_000) . "'\nb: {{ a.foo }}\nc: {{ 1 + a }}\n");
spew("$W/bad.mugl", "mugl $name\n");
spew("$W/esc.yaml", "${head}service_template: { node_templates: { a: { type: \"" . ($esc =~ s/\e/\\e/gr =~ s/\a/\\a/gr) . "\" } } }\n");
my @cases = (
	[query => '$.size()', "$W/big.json"], [query => '$.foo()', "$W/big.json"], [query => '$.s.foo($)', "$W/big.json"], [query => 'int($.s)', "$W/big.json"],
	[query => '$.select($.x.y(5))', "$W/big.json"],
	 [query => '$.o.z', "$W/big.json"], [query => 'regex($.s + "(")', "$W/big.json"],
	[query => 'range(3).foo()'], [query => '$.a.groupBy($).foo()', "$W/big.json"], [query => 'let(x => [1].select($)) -> $x.foo()'],
	[query => 'datetime($.s)', "$W/big.json"], [query => "\$.$name()", "$W/big.json"],
	[query => '[1].orderBy($).foo()'], [query => "'" . substr $long, 0, 100_000],
	[run => "$W/p", '--model', "$W/int.json"], [run => "$W/p", '--model', "$W/check.json"], [run => "$W/p", '--model', "$W/type.json"],
	[check => "$W/name.yaml"], [check => "$W/key.yaml"], [check => "$W/value.yaml"], [check => "$W/valid.yaml"], [check => "$W/esc.yaml"],
	[yay => "$W/name.yay"], [yay => "$W/item.yay"], [graph => 'check', "$W/bad.mugl"], [$name], [check => "--$name"], 
	[check => "$W/$esc"], [build => "--emit=$name", "$W/p"], [query => '1', '--options', substr $long, 0, 100_000],
);
for my $case (@cases) {
	for my $format ('text', 'json') {
		my @more = $format eq 'json' && $case->[0] =~ /^(?:check)$/ && $case->[1] !~ /^--/ ? ('--format=json') : ();
		next if $format eq 'json' && !@more;
		my ($rc, $out, $err) = vetro(@$case, @more);
		my $title = join ' ', map { length > 60 ? substr($_, 0, 20) . '...' : $_ } map { s{^\Q$W/}{}r =~ s/[^ -~]/?/gr } @$case, @more;
		my $text = $out . $err;
		# The line of the source that is shown is no part of the message.
		my @lines = grep { !/^\s*\d*\s*\|/ } split /\n/, $text;
		my @wide = grep { length > 1200 } @lines;
		ok($rc > 0 && $rc < 10 && $text ne '', "$title: an error") or print "# $rc\n";
		ok(!@wide, "$title: no message is long", map { length($_) . ' characters: ' . substr($_, 0, 300) } @wide);
		unlike($text, qr/0x[0-9a-f]{6,}/, "$title: no address");
		unlike($text, qr/[\x00-\x08\x0b-\x1f\x7f]/, "$title: nothing for the terminal");
	}
}
my ($rc, $out, $err) = vetro('query', '$.s.foo()', "$W/big.json");
like($err, qr/receiver (?:long ){40}\.\.\. \(499800 characters more\)/, 'the count of what is left out');
($rc, $out, $err) = vetro('query', 'range(1000000).toList().foo()');
like($err, qr/receiver \(0, 1, 2, .*\.\.\. \(more than [34]\d\d\d characters more\)/, 'a long list is not written for that');
($rc, $out, $err) = vetro('query', '[range(50).select(str($)).toList(), {a => 1}].foo()');
like($err, qr/receiver \(\('0', '1', .*\.\.\. \(102 characters more\)/, 'of a short one the count is exact');
($rc, $out, $err) = vetro('query', '["x" * 9000].foo()');
like($err, qr/receiver \('x{198}\.\.\. \(8805 characters more\)/, 'and of a long one of which nothing is left out');
spew("$W/wide.json", '"' . "\xc3\xa4" x 300 . '"');
($rc, $out, $err) = vetro('query', '$.foo()', "$W/wide.json");
like($err, qr/receiver (?:\xc3\xa4){200}\.\.\. \(100 characters more\)/, 'it is cut between characters');
($rc, $out, $err) = vetro('query', 'str(range(2)) + str([1].orderBy($))');
unlike($out, qr/0x/, 'and none in a text of a value');
done();
