#!/usr/bin/perl
# Values of TOSCA as `vetro tosca` shows them: data types, units, constraints, functions; t/unit/unit_tosca.c has more of each.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $top = "$FindBin::Bin/../..";
my $json = JSON::PP->new->canonical->allow_nonref->allow_bignum;

sub topology {
	my ($name, $text, @more) = @_;
	spew("$W/$name", $text);
	my ($status, $out, $err) = vetro('tosca', "$W/$name", '-f', 'topology', @more);
	return ($status, $status == 0 ? $json->decode($out) : undef, $err);
}

# The same number written in another way is the same.
sub same {
	my ($got, $want, $title) = @_;
	is($json->encode($got), $json->encode($json->decode($want)), $title);
}

# ---- examples of the table of functions ----
my @example;
# A row may span lines; texts side by side are one.
my $rows = slurp("$top/runtime/tosca/fn.def") =~ s/\n\t+/ /gr =~ s/([^\\,(])" "/$1/gr;
for (split /\n/, $rows) {
	my ($name, $example) = /^FN\("([^"]+)", .*, "((?:[^"\\]|\\.)*)"\)$/ or next;
	$example =~ s/\\"/"/g;
	next if $example eq '' || !ok($example =~ /^(\$\Q$name\E: .*) => (.*)$/, "the example of $name is one");
	push @example, [$1, $2];
}
my $text = "tosca_definitions_version: tosca_2_0\nservice_template:\n  node_templates: {}\n  outputs:\n";
$text .= "    x$_: { value: { $example[$_][0] } }\n" for 0 .. $#example;
my ($status, $got, $err) = topology('examples.yaml', $text);
ok($status == 0 && @example > 30, 'examples of all functions', $err);
same($got->{outputs}{"x$_"}, $example[$_][1], "$example[$_][0] => $example[$_][1]") for 0 .. $#example;

# ---- types: [type, value, JSON] or [type, value, pattern of the message] ----
sub template {
	my ($version, $types, $type, $value) = @_;
	my $new = $version eq 'tosca_2_0';
	return "tosca_definitions_version: $version\n" . ($new ? "imports: [ { profile: 'org.oasis-open.simple:2.0', namespace: tosca } ]\n" : '') .
		"$types\nnode_types:\n  N:\n    properties:\n      p: $type\n" . ($new ? "service_template:\n" : "topology_template:\n") .
		"  node_templates:\n    n:\n      type: N\n      properties:\n        p: $value\n";
}

sub check_values {
	my ($version, $types, @cases) = @_;
	for (@cases) {
		my ($type, $value, $want) = @$_;
		$type = "{ type: $type }" unless $type =~ /^\{/;
		my ($status, $got, $err) = topology('values.yaml', template($version, $types, $type, $value));
		my $title = "$version: $type: $value";
		if (ref $want) {
			ok($status == 1 && $err =~ $want, $title, "status $status", $err, "want: $want");
		} elsif (ok($status == 0, $title, $err)) {
			same($got->{nodes}{n}{properties}{p}, $want, "$title: the value");
		}
	}
}

my $types = <<'E';
data_types:
  Lower: { derived_from: string, constraints: [ { pattern: '[a-z]*' } ] }
  Short: { derived_from: Lower, constraints: [ { max_length: 3 } ] }
  Point:
    properties:
      x: { type: integer, constraints: [ { greater_or_equal: 0 } ] }
      y: { type: integer, default: 7 }
      name: { type: Short, required: false }
  Line: { properties: { from: { type: Point }, to: { type: Point, required: false } } }
  Deep: { derived_from: Point, properties: { z: { type: float, default: 1.5 } } }
  Tree: { properties: { leaf: { type: string, required: false }, kids: { type: list, entry_schema: Tree, required: false } } }
E
check_values('tosca_simple_yaml_1_3', $types,
	['string', 'abc', '"abc"'], ['string', '1', '"1"'],
	['string', '1.10', '"1.10"'], ['string', 'true', '"true"'],
	['string', '[ 1 ]', qr/values\.yaml:\d+:12: error\[E2040\]: 'p' of 'n' must be a string, not a list/],
	['{ type: map, entry_schema: string }', '{ a: 0x10 }', '{"a":"0x10"}'], ['boolean', 'yes', 'true'], ['boolean', 'Off', 'false'],
	['integer', '0x10', '16'], ['integer', "'1'", qr/must be an integer, not a string: "1"/],
	['float', '3', '3'], ['float', '-0.5', '-0.5'], ['boolean', 'true', 'true'], ['boolean', "'true'", qr/must be a boolean/],
	['version', '1.2.3.beta-4', '{"$string":"1.2.3.beta-4"}'], ['version', '1.0', '{"$string":"1.0"}'], ['version', '1.10', '{"$string":"1.10"}'],
	['version', '7', qr/must be a version, not an integer/],
	['timestamp', '2001-12-14t21:59:43.10-05:00', '{"$number":1008385183100000000,"$string":"2001-12-14T21:59:43.1-05:00"}'],
	['timestamp', '2001-12-14', '{"$number":1008288000000000000,"$string":"2001-12-14T00:00:00Z"}'], ['timestamp', 'now', qr/a timestamp is/],
	['range', '[ 1, UNBOUNDED ]', '{"lower":1,"upper":18446744073709551615}'], ['range', '[ 2, 1 ]', qr/E2040.*a range is/],
	['scalar-unit.size', '10 gib', '{"scalar":10,"unit":"GiB","$number":10737418240,"$string":"10737418240 B"}'],
	['scalar-unit.time', '1.23ms', '{"scalar":1.23,"unit":"ms","$number":0.00123,"$string":"0.00123 s"}'],
	['scalar-unit.frequency', '123e3 kHz', '{"scalar":123000,"unit":"kHz","$number":123000000,"$string":"1.23e+08 Hz"}'],
	['scalar-unit.bitrate', '1.23 KiBps', '{"scalar":1.23,"unit":"KiBps","$number":10076.16,"$string":"10076.16 bps"}'],
	['scalar-unit.bitrate', '1 kibps', qr/unknown unit 'kibps'; known are bps/],
		['scalar-unit.size', '5', qr/must be a scalar, not an integer.*a scalar has a unit/s],
	['tosca.datatypes.json', "'{ \"a\": 1 }'", '"{ \"a\": 1 }"'], ['tosca.datatypes.json', "'{ a: 1 }'", qr/which is not a string of JSON/],
	['tosca.datatypes.xml', "'<a/>'", '"<a/>"'], ['tosca.datatypes.xml', "'<a>'", qr/not closed in line 1/],
	['{ type: list, entry_schema: integer }', '[ 1, 2 ]', '[1,2]'],
	['{ type: list, entry_schema: integer }', "[ 1, two, 3.5 ]", qr/:17: error\[E2040\]: 'p' of 'n', \[1\] must be an integer.*\[2\] must be an integer/s],
	['{ type: map, entry_schema: { type: list, entry_schema: scalar-unit.time } }', '{ a: [ 1 s ] }',
		'{"a":[{"scalar":1,"unit":"s","$number":1,"$string":"1 s"}]}'],
	['{ type: map, entry_schema: { type: list, entry_schema: scalar-unit.time } }', '{ a: [ 1 s, x ] }', qr/'p' of 'n', a\[1\] is "x"/],
	['{ type: map, key_schema: Short, entry_schema: string }', '{ abcd: x }',
		qr/error\[E2041\]: 'p' of 'n', key abcd is "abcd", which violates the constraint max_length: 3/],
	['Lower', 'abc', '"abc"'], ['Lower', 'aBc', qr/:12: error\[E2041\]: 'p' of 'n' is "aBc", which violates the constraint pattern: \[a-z\]\*/],
	['Short', 'ABCD', qr/pattern.*max_length: 3/s],
	['Point', '{ x: 1 }', '{"x":1,"y":7}'], ['Point', '{ }', qr/error\[E2051\]: 'p' of 'n' lacks 'x', which data type 'Point' requires/],
	['Point', '{ x: 1, q: 2, Y: 3 }', qr/E2050.*key q is not declared.*it has: x, y, name.*key Y is not declared/s],
	['Point', '{ x: -1, name: abcd }', qr/'p' of 'n', x is -1, which violates the constraint greater_or_equal: 0.*'p' of 'n', name is "abcd"/s],
	['Line', '{ from: { x: 1 }, to: { x: 2, y: 3 } }', '{"from":{"x":1,"y":7},"to":{"x":2,"y":3}}'],
	['Line', '{ from: { x: a } }', qr/:25: error\[E2040\]: 'p' of 'n', from\.x must be an integer/],
		['Line', '[ 1 ]', qr/must be a map of type Line, not a list/],
	['Deep', '{ x: 1 }', '{"x":1,"y":7,"z":1.5}'], ['Tree', '{ kids: [ { leaf: a }, { kids: [] } ] }', '{"kids":[{"leaf":"a"},{"kids":[]}]}'],
	['Tree', '{ kids: [ { kids: [ { leaf: 1 } ] } ] }', qr/kids\[0\]\.kids\[0\]\.leaf must be a string/],
	['string', '{ concat: [ a, 1, true ] }', '"a1true"'], ['integer', '{ concat: [ a ] }', qr/must be an integer, not a string: "a"/],
	['string', '{ join: [ [ a, b ], "-" ] }', '"a-b"'], ['string', '{ token: [ "a:b", ":", 5 ] }', qr/must be a string, not null/],
	['string', '{ token: [ "a:b", ":" ] }', qr/error\[E2070\]: 'token' takes 3 arguments, not 2/],
	['string', '{ concat: [ { x: 1, y: 2 } ] }', qr/error\[E2070\]: concat: takes strings, not a map/],
);
for (['equal: 5', '5', '6'], ['greater_than: 5', '6', '5'], ['greater_or_equal: 5', '5', '4'], ['less_than: 5', '4', '5'], ['less_or_equal: 5', '5', '6'],
	['in_range: [ 1, 5 ]', '5', '0'], ['in_range: [ 1, UNBOUNDED ]', '500', '0'], ['valid_values: [ 1, 2 ]', '2', '3']) {
	my ($clause, $good, $bad) = @$_;
	my $type = "{ type: integer, constraints: [ { $clause } ] }";
	check_values('tosca_simple_yaml_1_3', '', [$type, $good, $good],
		[$type, $bad, qr/error\[E2041\]: 'p' of 'n' is $bad, which violates the constraint/]);
}
check_values('tosca_simple_yaml_1_3', '',
	['{ type: string, constraints: [ { length: 2 } ] }', 'äö', qq("\xc3\xa4\xc3\xb6")], ['{ type: string, constraints: [ { min_length: 2 } ] }',
		'a', qr/min_length: 2/],
	['{ type: scalar-unit.size, constraints: [ { in_range: [ 1 GB, 2 GB ] } ] }', '2001 MB',
		qr/is 2001 MB, which violates the constraint in_range: \[1 GB, 2 GB\]/],
	['{ type: scalar-unit.size, constraints: [ { valid_values: [ 1 GB, 2 GB ] } ] }', '2000 MB',
		'{"scalar":2000,"unit":"MB","$number":2000000000,"$string":"2000000000 B"}'],
	['{ type: version, constraints: [ { greater_than: 1.2.9 } ] }', '1.2.10', '{"$string":"1.2.10"}'],
	['{ type: timestamp, constraints: [ { less_than: 2020-01-01 } ] }', '2020-01-01T00:00:00Z', qr/violates the constraint less_than: 2020-01-01/],
	['{ type: string, constraints: [ { pattern: "(" } ] }', 'x', qr/error\[E2070\]: pattern: the pattern is no regular expression/],
	['{ type: string, constraints: [ { greater_than: 1 } ] }', 'x', qr/error\[E2070\]: greater_than: cannot compare a string with an integer/],
	['{ type: list, entry_schema: { type: integer, constraints: [ { less_than: 3 } ] } }', '[ 1, 3 ]', qr/'p' of 'n', \[1\] is 3, which/],
	['{ type: string, constraints: [ { longer: 1 } ] }', 'x', qr/error\[E2042\]: there is no constraint 'longer'/],
);

my $new = <<'E';
data_types:
  Even: { derived_from: integer, validation: { $equal: [ { $remainder: [ $value, 2 ] }, 0 ] } }
  Span:
    properties: { low: { type: float }, high: { type: float } }
    validation: { $greater_or_equal: [ { $value: [ high ] }, { $value: [ low ] } ] }
  Positive: { derived_from: integer, validation: { $greater_or_equal: [ $value, 1 ] } }
  Rate: { derived_from: scalar, data_type: Positive, units: { bits/s: 1, Mbits/s: 1000000 }, canonical_unit: bits/s }
  Mass: { derived_from: scalar, units: { g: 1 }, prefixes: { "": 1, k: 1000, m: 0.001 } }
E
check_values('tosca_2_0', $new,
	['float', '10', '10'], ['integer', '1.0', qr/must be an integer, not a float/], ['string', '', qr/must be a string, not null/], ['nil', 'null', 'null'],
	['bytes', 'SGVsbG8=', '{"$originalString":"SGVsbG8=","bytes":"SGVsbG8="}'], ['bytes', 'SGVsbG8', qr/base64/],
	['timestamp', '"1990-12-31T15:59:60-08:00"', '{"$number":662688000000000000,"$string":"1990-12-31T15:59:60-08:00"}'],
	['timestamp', '"2001-12-14 21:59:43.10"', qr/needs a time zone/],
	['Even', '4', '4'], ['Even', '5', qr/error\[E2041\]: 'p' of 'n' is 5, which violates the constraint \$equal: \[\$remainder: \[\$value, 2\], 0\]/],
	['Span', '{ low: 1, high: 2 }', '{"low":1,"high":2}'], ['Span', '{ low: 3, high: 2 }', qr/E2041/],
	['Rate', '2 Mbits/s', '{"scalar":2,"unit":"Mbits/s","$number":2000000,"$string":"2000000 bits/s"}'],
		['Rate', '1.5 Mbits/s', qr/the number must be an integer/],
	['Rate', '-1 Mbits/s', qr/E2041/], ['Mass', '1.5 kg', '{"scalar":1.5,"unit":"kg","$number":1500,"$string":"1500 g"}'],
		['Mass', '1kg', qr/a blank is needed/],
	['Mass', '1 KG', qr/unknown unit 'KG'/], ['Mass', '-2 mg', '{"scalar":-2,"unit":"mg","$number":-0.002,"$string":"-0.002 g"}'],
	['Mass', '{ $sum: [ { $product: [ 2, 3 ] }, 1 ] }', qr/must be a scalar, not an integer/],
	['tosca:Size', '1.23 GiB', '{"scalar":1.23,"unit":"GiB","$number":1320702444,"$string":"1320702444 B"}'],
	['{ type: integer, validation: { $in_range: [ $value, [ 1, 2 ] ] } }', '3', qr/violates the constraint \$in_range/],
	['{ type: boolean }', '{ $and: [ { $equal: [ 1, 1.0 ] }, { $not: [ { $has_key: [ { a: 1 }, b ] } ] } ] }', 'true'],
	['{ type: integer }', '{ $quotient: [ 1, 0 ] }', qr/error\[E2070\]: \$quotient: division by zero/],
);
my $endless = "data_types:\n  Endless: { properties: { a: { type: Endless, default: {} }, b: { type: Endless, default: {} } } }\n";
check_values('tosca_2_0', $endless, ['Endless', '{}', qr/E2073/]);
# T0 has two of T1, which has two of T2: 2^29 values by default.
my $bomb = join('', "data_types:\n",
	map({ "  T$_: { properties: { a: { type: T" . ($_ + 1) . ", default: {} }, b: { type: T" . ($_ + 1) . ", default: {} } } }\n" } 0 .. 27),
	"  T28: { properties: { a: { type: integer, default: 1 } } }\n");
check_values('tosca_2_0', $bomb, ['T0', '{}', qr/E2090.*default values/]);
my ($in_range, undef, $message) = topology('old.yaml', <<'Y');
tosca_definitions_version: tosca_2_0
data_types:
  T: { derived_from: integer, validation: { $in_range: [ $value, [ 0, 1 ] ] } }
Y
ok($in_range == 1 && $message =~ /E2071/, '2.0 alone has no $in_range', $message);

# ---- Heat ----
my %hot = (
	'{ list_join: [ "-", [ a, b ], [ "1" ] ] }' => '"a-b-1"', '{ str_split: [ ",", "a,b", 1 ] }' => '"b"', '{ list_concat: [ [ 1 ], [ 1 ] ] }' => '[1,1]',
	'{ list_concat_unique: [ [ 1 ], [ 1, 2 ] ] }' => '[1,2]', '{ map_merge: [ { a: 1 }, { a: 2 } ] }' => '{"a":2}',
	'{ map_replace: [ { a: 1 }, { keys: { a: b } } ] }' => '{"b":1}',
		'{ str_replace: { template: "h is $h", params: { $h: { get_param: host } } } }' => '"h is web"',
	'{ repeat: { template: "p%i%", for_each: { "%i%": [ "1", "2" ] } } }' => '["p1","p2"]',
		'{ if: [ { equals: [ { get_param: host }, web ] }, 1, 2 ] }' => '1',
	'{ digest: [ sha1, abc ] }' => '"a9993e364706816aba3e25717850c26c9cd0d89d"', '{ contains: [ a, [ a, b ] ] }' => 'true',
		'{ filter: [ [ a ], [ a, b ] ] }' => '["b"]',
	'{ make_url: { scheme: https, host: h, port: 443, path: /a } }' => '"https://h:443/a"', '{ if: [ { not: { or: [ false, true ] } }, 1, 2 ] }' => '2',
);
my @hot = sort keys %hot;
$text = "heat_template_version: wallaby\nparameters:\n  host: { type: string, default: web, constraints: [ { length: { min: 1, max: 9 } } ] }\noutputs:\n";
$text .= "  x$_: { value: $hot[$_] }\n" for 0 .. $#hot;
($status, $got, $err) = topology('hot.yaml', $text);
ok($status == 0, 'functions of Heat', $err);
same($got->{outputs}{"x$_"}, $hot{$hot[$_]}, "Heat: $hot[$_]") for 0 .. $#hot;
for (['{ get_file: a.txt }', qr/E2058.*there is no file 'a.txt' beside the template/], ['{ resource_facade: metadata }', qr/no resource around/]) {
	my ($status, undef, $err) = topology('hot.yaml', "heat_template_version: wallaby\noutputs:\n  x: { value: $_->[0] }\n");
	ok($status == 1 && $err =~ $_->[1], "Heat: $_->[0] says why not", $err);
}
($status, undef, $err) = topology('hot.yaml', $text, '--input', 'host=much-too-long');
ok($status == 1 && $err =~ /is "much-too-long", which violates the constraint length: \{min: 1, max: 9\}/, 'Heat: a constraint of a parameter', $err);
done;
