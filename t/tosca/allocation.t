#!/usr/bin/perl
# What requirements allocate from properties of capabilities (TOSCA 2.0, 8.5), and in which turns they are resolved.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my $file = 0;
my $types = <<'E2';
tosca_definitions_version: tosca_2_0
data_types:
  Size: { derived_from: scalar, data_type: integer, units: { B: 1, KB: 1000, MB: 1000000 } }
  Blocks: { derived_from: scalar, data_type: integer, units: { block: 1 } }
capability_types:
  Host:
    properties:
      cpus: { type: integer, required: false }
      mem: { type: Size, required: false }
      load: { type: float, required: false }
      label: { type: string, required: false }
  Odd: { derived_from: Bare, properties: { mem: { type: Blocks } } }
  Even: { derived_from: Bare, properties: { mem: { type: Size } } }
  Bare: {}
node_types:
  App:
    properties: { need: { type: integer, default: 1 }, left: { type: integer, required: false } }
    requirements: [ host: { capability: Host, count_range: [ 0, UNBOUNDED ] } ]
  Any: { requirements: [ host: { capability: Bare, count_range: [ 0, UNBOUNDED ] } ] }
  Box: { properties: { free: { type: integer, required: false } }, capabilities: { host: Host } }
  Shell: { capabilities: { bare: Bare } }
  OddShell: { capabilities: { bare: Odd } }
  EvenShell: { capabilities: { bare: Even } }
E2

sub run {
	my ($text, @more) = @_;
	my $name = "$W/a" . ++$file . '.yaml';
	spew($name, $text);
	my ($status, $out, $err) = vetro('tosca', $name, '-f', 'topology', @more);
	return ($status == 0 ? $json->decode($out) : undef, $err);
}
sub service {
	my ($lines, @more) = @_;
	return run("${types}service_template:\n" .
		"  inputs: { n: { type: integer, default: 2 }, sizes: { type: list, entry_schema: integer, default: [ 3, 1 ] } }\n"
		. "  node_templates:\n" . join('', map { "    $_\n" } @$lines), @more);
}
sub shown {
	my ($t) = @_;
	return join ' ', map { my $n = $_; "$n:" . join ',', map { $_->{target} } @{$t->{nodes}{$n}{relationships}} }
		grep { /^[a-z]/ && @{$t->{nodes}{$_}{relationships}} } sort keys %{$t->{nodes}};
}
# The same whatever the order of the file.
sub related {
	my ($title, $want, @lines) = @_;
	for my $order ([@lines], [reverse @lines]) {
		my ($t, $err) = service($order);
		is($t ? shown($t) : $err, $want, $title);
	}
}
sub fails {
	my ($title, $pattern, @lines) = @_;
	my ($t, $err) = service(\@lines);
	like($t ? 'no problem' : $err, $pattern, $title);
}
sub box { my ($name, $props) = @_; return "$name: { type: Box, capabilities: { host: { properties: { $props } } } }"; }
sub app { my ($name, $allocation, $more) = @_; return "$name: { type: App, requirements: [ host: { " . ($more // 'node: Box') .
	", allocation: { $allocation } } ] }"; }

my @boxes = (box('H1', 'cpus: 4, mem: 10 MB'), box('H2', 'cpus: 2, mem: 100 MB'));
related('the first that has enough', 'a:H1 b:H2 c:H2', @boxes, app('a', 'cpus: 3, mem: 1 MB'), app('b', 'mem: 20 MB'), app('c', 'cpus: 2'));
related('to the last one', 'a:H1 b:H1 c:H2', @boxes, map { app($_, 'cpus: 2') } qw(a b c));
related('who finds none is left to the outside', 'a:H1 b:H1 c:H2', @boxes, map { app($_, 'cpus: 2') } qw(a b c d));
related('exactly enough', 'a:H1', box('H1', 'cpus: 4, mem: 1 MB'), app('a', 'cpus: 4, mem: 1000 KB'));
related('one byte more', '', box('H1', 'cpus: 4, mem: 1 MB'), app('a', 'mem: 1000001 B'));
related('nothing is taken', 'a:H1 b:H1', box('H1', 'cpus: 0'), map { app($_, 'cpus: 0') } qw(a b));
related('all properties at once', 'a:H2', box('H1', 'cpus: 9, mem: 1 MB'), box('H2', 'cpus: 9, mem: 9 MB'), app('a', 'cpus: 9, mem: 9 MB'));
related('a property without a value limits nothing', 'a:H1 b:H1', box('H1', 'cpus: 1'), map { app($_, 'mem: 9 MB') } qw(a b));
related('a capability without the property has nothing to take', '', 'S: { type: Shell }',
	'a: { type: Any, requirements: [ host: { node: Shell, allocation: { cpus: 1 } } ] }');
related('types that count in other units', 'a:Z b:Z', 'A: { type: Shell }', 'Y: { type: EvenShell, capabilities: { bare: { properties: { mem: 1 B } } } }',
	'Z: { type: EvenShell, capabilities: { bare: { properties: { mem: 4 B } } } }',
		map { "$_: { type: Any, requirements: [ host: { capability: Bare, allocation: { mem: 2 B } } ] }" } qw(a b c));
related('floats', 'a:H1 b:H1', box('H1', 'load: 1.0'), map { app($_, 'load: 0.5') } qw(a b c));
related('an integer of a float', 'a:H1', box('H1', 'load: 1.5'), map { app($_, 'load: 1') } qw(a b));
related('several relationships of one requirement', 'a:H1,H2,H1', @boxes, app('a', 'cpus: 2', 'node: Box, count: 4'));
related('two that need two of six each', 'L_0:R_0,R_1 L_1:R_2,R_3' =~ s/[LR]/lc $&/gre,
	'r: { type: Box, count: 4, capabilities: { host: { properties: { cpus: 1 } } } }',
	'l: { type: App, count: 3, requirements: [ host: { node: Box, count: 2, allocation: { cpus: 1 } } ] }');
related('the same by template', 'l_0:r_0 l_1:r_1', 'r: { type: Box, count: 2, capabilities: { host: { properties: { cpus: 1 } } } }',
	'l: { type: App, count: 2, requirements: [ host: { node: r, allocation: { cpus: 1 } } ] }');
related('one index', 'l_0:r_0 l_1:r_1', 'r: { type: Box, count: 2, capabilities: { host: { properties: { cpus: 1 } } } }',
	'l: { type: App, count: 2, requirements: [ host: { node: [ r, $node_index ], allocation: { cpus: 1 } } ] }');

# ---- amounts that are computed ----
related('an input', 'a:H1 b:H1', box('H1', 'cpus: 4'), map { app($_, 'cpus: { $get_input: n }') } qw(a b c));
related('a property of who asks', 'a:H1', box('H1', 'cpus: 4'),
	'a: { type: App, properties: { need: 3 }, requirements: [ host: { node: Box, allocation: { cpus: { $get_property: [ SELF, SOURCE, need ] } } } ] }',
	'b: { type: App, properties: { need: 2 }, requirements: [ host: { node: Box, allocation: { cpus: { $get_property: [ SELF, SOURCE, need ] } } } ] }');
related('all of a candidate', 'a:H1 b:H2', @boxes, map { app($_, 'cpus: { $get_property: [ SELF, TARGET, CAPABILITY, host, cpus ] }') } qw(a b c));
related('by the number of the relationship', 'a:H1,H2', box('H1', 'cpus: 3'), box('H2', 'cpus: 1'),
	app('a', 'cpus: { $get_input: [ sizes, $relationship_index ] }', 'node: Box, count: 2'));
related('a whole map', 'a:H1', box('H1', 'cpus: 3'), 'a: { type: App, requirements: [ host: { node: Box, allocation: { cpus: { $sum: [ 1, 2 ] } } } ] }',
	app('b', 'cpus: 1'));

# ---- turns ----
related('who names its target comes first', 'a:H2 b:H1', box('H1', 'cpus: 1'), box('H2', 'cpus: 1'), app('a', 'cpus: 1'), app('b', 'cpus: 1', 'node: H1'));
related('optional ones come last', 'b:H1', box('H1', 'cpus: 1'), app('a', 'cpus: 1', 'node: H1, optional: true'), app('b', 'cpus: 1'));
my ($t) = service([box('H1', 'cpus: 1'), box('H2', 'cpus: 9'),
	'a: { type: App, requirements: [ host: { node: Box, optional: true, allocation: { cpus: 1 } }, host: { node: H2, allocation: { cpus: 1 } }, host: { ' .
		'node: Box, allocation: { cpus: 1 } } ] }']);
is(shown($t), 'a:H2,H2,H1', 'relationships stand in the order of the requirements');

# ---- what is left ----
my @asks = ('a: { type: App, requirements: [ host: { node: Box, node_filter: { $greater_or_equal: [ { $available_allocation: [ SELF, CAPABILITY, host, cpus ' .
	'] }, 2 ] }, allocation: { cpus: 1 } } ] }');
push @asks, $asks[0] =~ s/^a/$_/r for qw(b c d);
related('filters that ask what is left', 'a:H1 b:H1 c:H1 d:H2', @boxes, @asks);
my ($left) = run("${types}service_template:\n  node_templates:\n" . join('', map { "    $_\n" } @boxes, app('a', 'cpus: 1, mem: 1 MB'), app('b', 'cpus: 2'))
	. "    seen: { type: Box, properties: { free: { \$available_allocation: [ H1, CAPABILITY, host, cpus ] } } }\n"
	. "    asks: { type: App, requirements: [ host: { node: Box, node_filter: { \$less_than: [ { \$get_property: [ SELF, free ] }, 0 ] } } ] }\n"
	. <<'Y'
  outputs:
    cpus: { value: { $available_allocation: [ H1, CAPABILITY, host, cpus ] } }
    mem: { value: { $available_allocation: [ H1, CAPABILITY, host, mem ] } }
Y
	. "    other: { value: { \$available_allocation: [ H2, CAPABILITY, host, cpus ] } }\n" .
		"    far: { value: { \$available_allocation: [ a, RELATIONSHIP, host, 0, CAPABILITY, cpus ] } }\n");
is($json->encode([map { $left->{outputs}{$_} } qw(cpus other far)]), '[1,2,1]', '$available_allocation');
is($left->{outputs}{mem}{'$string'}, '9000000 B', 'of a number with a unit');
is($left->{nodes}{seen}{properties}{free}, 1, 'a property that was asked for while others still took is that of the end');

# ---- what cannot be ----
my $host = box('H1', 'cpus: 4, mem: 1 MB, label: x');
fails('too much of a node that is named',
	qr/E2060\]: nothing satisfies the requirement 'host' of 'a': no capability of type 'Host' has left what the requirement allocates/,
	$host, app('a', 'cpus: 5', 'node: H1'));
fails('or has to be inside', qr/E2060\].*has left what/, $host, app('a', 'cpus: 5', 'node: Box, directives: [ internal ]'));
fails('a negative amount', qr/E2040\]: what is allocated from 'cpus' must not be negative/, $host, app('a', 'cpus: -1'));
fails('a text', qr/E2040\]: the value must be an integer, not a string: "many"/, $host, app('a', 'cpus: many'));
fails('of a text', qr/E2040\]: 'label' is no number: nothing can be allocated from it/, $host, app('a', 'label: x'));
fails('another unit', qr/E2040\]/, $host, app('a', 'mem: 1 block'));
fails('no map', qr/E2040\]: an allocation is a map of amounts/, $host, 'a: { type: App, requirements: [ host: { node: Box, allocation: [ 1 ] } ] }');
fails('a path that leads elsewhere', qr/E2070\]: \$available_allocation: the path must lead to a property of a capability/, $host,
	'a: { type: App, properties: { left: { $available_allocation: [ SELF, left ] } } }');
fails('no such property', qr/E2070\]: \$available_allocation: the capability 'host' has no property 'cpu'.*did you mean 'cpus'/s, $host,
	'a: { type: App, properties: { left: { $available_allocation: [ H1, CAPABILITY, host, cpu ] } } }');

# ---- what filters ask for is reported, and is that of the end ----
fails('a wrong value that only a filter asked for first', qr/:\d+:\d+: error\[E2040\]/, "b: { type: Box, properties: { free: many } }",
	'a: { type: App, requirements: [ host: { node: Box, node_filter: { $equal: [ { $get_property: [ SELF, free ] }, 1 ] } } ] }');

# ---- many ----
my $many = 30_000;
for my $node ('Box', 'r') {
	my ($t, $err) = service(["r: { type: Box, count: $many, capabilities: { host: { properties: { cpus: 1, mem: 2 MB } } } }",
		"l: { type: App, count: $many, requirements: [ host: { node: $node, allocation: { cpus: 1, mem: 1 MB } } ] }"]);
	is($t && $t->{nodes}{'l_' . ($many - 1)}{relationships}[0]{target}, 'r_' . ($many - 1), "$many take $many, $node") or print "# $err\n";
}
my $apps = 5_000;
my ($mixed, $err) = service([(map { box("H$_", "cpus: 100, mem: @{[$_ % 7 + 1]} MB") } 1 .. $apps),
	map { app("a$_", "cpus: @{[$_ % 50 + 51]}, mem: @{[$_ * 7919 % 7000 + 1]} KB") } 1 .. $apps]);
ok($mixed && (grep { @{$mixed->{nodes}{"a$_"}{relationships}} } 1 .. $apps) > $apps / 2, 'amounts that all differ') or print "# $err\n";

done();
