#!/usr/bin/perl
# The constraint `schema` of TOSCA 1.2 and 1.3: JSON against JSON schemas of draft 4.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my $n = 0;

# Properties of type json, each with its schema; which of them are wrong, and what is said of them.
sub judge {
	my (@cases) = @_;
	my $text = "tosca_definitions_version: tosca_simple_yaml_1_3\nnode_types:\n  N:\n    derived_from: tosca.nodes.Root\n    properties:\n";
	my $name = "$W/s" . ++$n . '.yaml';
	my $i = 0;
	$text .= "      p@{[$i++]}: { type: json, constraints: [ schema: " . $json->encode($_->[0]) . " ] }\n" for @cases;
	$text .= "topology_template:\n  node_templates:\n    n:\n      type: N\n      properties:\n";
	$i = 0;
	$text .= "        p@{[$i++]}: " . $json->encode($_->[1]) . "\n" for @cases;
	spew($name, $text);
	my (undef, undef, $err) = vetro('tosca', '--max-errors', 1000, $name);
	my %said;
	for (split /^(?=\S+:\d+:\d+: )/m, $err) {
		$said{$1} = $_ if /error\[E2041\]: 'p(\d+)'/;
		$said{$1 - 11 - @cases} //= $_ if /:(\d+):\d+: error\[E20(?!41)/;
	}
	return \%said, $err;
}
my (@good, @bad, @why);
sub allows { my ($schema, @values) = @_; push @good, map { [$schema, $_] } @values; }
sub refuses { my ($schema, @values) = @_; push @bad, map { [$schema, $_] } @values; }

for (['object', '{}'], ['array', '[]'], ['string', '"x"'], ['number', '1.5'], ['integer', '3'], ['boolean', 'true'], ['null', 'null']) {
	my ($type, $value) = @$_;
	allows("{\"type\": \"$type\"}", $value);
	refuses("{\"type\": \"$type\"}", grep { $_ ne $value && !($type eq 'number' && $_ eq '3') } '{}', '[]', '"x"', '1.5', '3', 'true', 'null');
}
allows('{"type": ["string", "null"]}', '"a"', 'null');
refuses('{"type": ["string", "null"]}', '1');
allows('{}', '1', '{"a": []}');
allows('{"type": "integer"}', '1.0', '123456789012345678901234567890');
allows('{"enum": [1, "a", [2], {"b": null}]}', '1', '1.0', '"a"', '[2]', '{"b":null}');
refuses('{"enum": [1, "a", [2], {"b": null}]}', 'true', '"b"', '[2,2]', '{}', 'null');
allows('{"const": {"a": 1}}', '{"a": 1}');
refuses('{"const": {"a": 1}}', '{"a": 2}');
allows('{"minimum": 2, "maximum": 4}', '2', '3.5', '4', '"x"');
refuses('{"minimum": 2, "maximum": 4}', '1', '4.1');
refuses('{"minimum": 2, "exclusiveMinimum": true}', '2');
allows('{"minimum": 2, "exclusiveMinimum": false}', '2');
refuses('{"maximum": 2, "exclusiveMaximum": true}', '2', '3');
refuses('{"exclusiveMinimum": 2}', '2', '1');
allows('{"exclusiveMinimum": 2}', '2.1');
allows('{"multipleOf": 3}', '0', '9', '-3', '9.0');
refuses('{"multipleOf": 3}', '10', '1.5');
allows('{"multipleOf": 0.01}', '4.35', '0.07', '19.99');
refuses('{"multipleOf": 0.01}', '4.355');
allows('{"minLength": 2, "maxLength": 3}', '"ab"', '"äöü"', '12345');
refuses('{"minLength": 2, "maxLength": 3}', '"a"', '"abcd"');
allows('{"pattern": "b+"}', '"abc"', '1');
refuses('{"pattern": "^b+$"}', '"abc"');
allows('{"items": {"type": "integer"}}', '[]', '[1, 2]', '{}');
refuses('{"items": {"type": "integer"}}', '[1, "a"]');
allows('{"items": [{"type": "integer"}, {"type": "string"}]}', '[1]', '[1, "a", null]');
refuses('{"items": [{"type": "integer"}, {"type": "string"}]}', '["a"]', '[1, 2]');
refuses('{"items": [{}], "additionalItems": false}', '[1, 2]');
allows('{"items": [{}], "additionalItems": false}', '[1]', '[]');
refuses('{"items": [{}], "additionalItems": {"type": "string"}}', '[1, 2]');
allows('{"items": {}, "additionalItems": false}', '[1, 2]');
allows('{"minItems": 1, "maxItems": 2}', '[1]', '[1, 2]', '"x"');
refuses('{"minItems": 1, "maxItems": 2}', '[]', '[1, 2, 3]');
allows('{"uniqueItems": true}', '[1, true, "1", null, [1], {"a": 1}, {"a": 2}]', '[]');
refuses('{"uniqueItems": true}', '[1, 2, 1]', '[1, 1.0]', '[{"a": 1, "b": 2}, {"b": 2, "a": 1}]', '[[1], [1]]');
allows('{"properties": {"a": {"type": "integer"}}}', '{}', '{"a": 1, "b": "x"}', '[]');
refuses('{"properties": {"a": {"type": "integer"}}}', '{"a": "x"}');
allows('{"required": ["a", "b"]}', '{"a": null, "b": 1}', '[]');
refuses('{"required": ["a", "b"]}', '{"a": 1}', '{}');
refuses('{"properties": {"a": {}}, "additionalProperties": false}', '{"b": 1}');
allows('{"properties": {"a": {}}, "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": false}', '{"a": 1, "x1": 2}');
refuses('{"properties": {"a": {}}, "patternProperties": {"^x": {"type": "integer"}}, "additionalProperties": false}', '{"x1": "a"}', '{"y": 1}');
refuses('{"additionalProperties": {"type": "integer"}}', '{"a": "x"}');
refuses('{"properties": {"x1": {"minimum": 5}}, "patternProperties": {"^x": {"maximum": 3}}}', '{"x1": 6}', '{"x1": 2}', '{"x1": 4}');
allows('{"minProperties": 1, "maxProperties": 2}', '{"a": 1}');
refuses('{"minProperties": 1, "maxProperties": 2}', '{}', '{"a": 1, "b": 2, "c": 3}');
allows('{"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}', '{"b": 1}', '{"a": 1, "b": 1}', '{"c": 1, "d": 1}');
refuses('{"dependencies": {"a": ["b"], "c": {"required": ["d"]}}}', '{"a": 1}', '{"c": 1}');
allows('{"allOf": [{"type": "integer"}, {"minimum": 2}]}', '2');
refuses('{"allOf": [{"type": "integer"}, {"minimum": 2}]}', '1', '2.5');
allows('{"anyOf": [{"type": "integer"}, {"minLength": 2}]}', '1', '"ab"', '[]');
refuses('{"anyOf": [{"type": "integer"}, {"type": "string", "minLength": 2}]}', '"a"', '[]');
allows('{"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}', '2', '3', '4');
refuses('{"oneOf": [{"multipleOf": 2}, {"multipleOf": 3}]}', '6', '7');
allows('{"not": {"type": "integer"}}', '"a"');
refuses('{"not": {"type": "integer"}}', '1');
allows('{"definitions": {"p": {"type": "integer"}}, "properties": {"a": {"$ref": "#/definitions/p"}}}', '{"a": 1}');
refuses('{"definitions": {"p": {"type": "integer"}}, "properties": {"a": {"$ref": "#/definitions/p"}}}', '{"a": "x"}');
my $tree = '{"properties": {"next": {"$ref": "#"}, "v": {"type": "integer"}}, "additionalProperties": false}';
allows($tree, '{"v": 1, "next": {"v": 2, "next": {}}}');
refuses($tree, '{"v": 1, "next": {"v": 2, "next": {"w": 1}}}');
allows('{"definitions": {"a/b~c%": {"type": "integer"}}, "items": {"$ref": "#/definitions/a~1b~0c%25"}}', '[1]');
refuses('{"definitions": {"a/b~c%": {"type": "integer"}}, "items": {"$ref": "#/definitions/a~1b~0c%25"}}', '["x"]');
allows('{"items": [{"type": "integer"}, {"$ref": "#/items/0"}]}', '[1, 2]');
refuses('{"items": [{"type": "integer"}, {"$ref": "#/items/0"}]}', '[1, "x"]');
allows('{"properties": {"$ref": {"type": "integer"}}}', '{"$ref": 1}');
refuses('{"properties": {"$ref": {"type": "integer"}}}', '{"$ref": "x"}');
allows('{"format": "date-time", "default": 3, "title": "x", "unknown": 1}', '"no date"');
refuses('{"type": "object"}', '{', 'x', '');

my ($said, $err) = judge(@good);
is($err, '', 'what schemas allow');
($said, $err) = judge(@bad);
is($said->{$_} ? "wrong" : "right", "wrong", "$bad[$_][0] of $bad[$_][1]") for 0 .. $#bad;

for (
	['{"properties": {"a": {"items": {"type": "integer"}}}}', '{"a": [1, "x"]}', "'/a/1' is a string and not of type integer"],
	['{"required": ["uuid"]}', '{}', "the value has no 'uuid'"],
	['{"additionalProperties": false}', '{"a/b": 1}', "'/a~1b' is not among the properties of the schema"],
	['{"maximum": 3}', '4', 'the value is more than maximum allows'],
	['{"oneOf": [{}, {}]}', '4', 'the value suits 2 of the schemas of oneOf, and not one'],
) {
	my ($said) = judge([$_->[0], $_->[1]]);
	ok(index($said->{0} // '', "hint: $_->[2]") > 0, "says: $_->[2]") or print "# ", $said->{0} // 'nothing', "\n";
}

# ---- schemas that are wrong, or too much ----
my $deep = '{"items": ' x 300 . '{}' . '}' x 300;
for (
	['{', qr/E2070\]: schema: the schema is no JSON/], ['1', qr/no schema: that is a map/], ['{"type": "text"}', qr/'text' is no type/],
		['{"enum": 1}', qr/'enum' must be a list/],
	['{"minLength": -1}', qr/'minLength' must be an integer from 0 on/], ['{"maximum": "x"}', qr/'maximum' must be a number/],
		['{"pattern": "("}', qr/E2070\]/], ['{"anyOf": []}', qr/'anyOf' must be a list of schemas/],
	['{"properties": []}', qr/'properties' must be a map/], ['{"required": [1]}', qr/'required' must be a list of names/],
		['{"multipleOf": 0}', qr/above 0/],
	['{"$ref": "http://x/y"}', qr/only what is in the schema itself is read/], ['{"$ref": "#/nope"}', qr/the schema has nothing at '#\/nope'/],
		['{"$ref": "#"}', qr/without an end/],
	['{"allOf": [{"$ref": "#"}]}', qr/nested too deep/], ['{"allOf": [{"$ref": "#"}, {"$ref": "#"}]}', qr/nested too deep/],
) {
	my $value = $_->[0] =~ /properties|required/ ? '{"a": 1}' : $_->[0] =~ /Length|pattern/ ? '"a"' : '5';
	my (undef, $err) = judge([$_->[0], $value]);
	like($err, $_->[1], "the schema $_->[0]");
}
my (undef, $deep_err) = judge([$deep, '[' x 250 . ']' x 250]);
like($deep_err, qr/nested too deep/, 'a deep schema of a deep value');
my $wide = '{"anyOf": [' . join(',', map { "{\"type\": \"string\", \"minLength\": $_}" } 1 .. 2000) . ', {"type": "integer"}]}';
(undef, $err) = judge(["{\"items\": $wide}", '[' . join(',', (1) x 2000) . ']']);
like($err, qr/too large for each other/, 'a large schema for a large value');

# XML: only whether it is XML.
my $xsd = '<xs:schema xmlns:xs="x"/>';
sub xml {
	my ($value) = @_;
	my $name = "$W/x.yaml";
	spew($name, <<"Y");
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  inputs:
    p: { type: string, default: '$value', constraints: [ schema: '$xsd' ] }
Y
	return (vetro('tosca', $name))[2];
}
is(xml('<a/>'), '', 'XML');
like(xml('<a>'), qr/E2041\].*hint: it is no XML/s, 'what is none');

done();
