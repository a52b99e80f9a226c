#!/usr/bin/perl
# Services whose size lies in one place: long chains, long lists of names. What would grow with the square of a file has a limit.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $n = 0;
my $v2 = "tosca_definitions_version: tosca_2_0\n";
sub each_line { my ($count, $f) = @_; return join '', map { $f->($_) . "\n" } 0 .. $count - 1; }
sub ends {
	my ($title, $want, $text) = @_;
	my $name = "$W/h" . ++$n . '.yaml';
	spew($name, $text);
	my ($rc, $out, $err) = vetro({ limit => 60 }, 'tosca', '-c', '-f', 'topology', '--max-errors', 2, $name);
	return like("$rc $err", $want, $title);
}
my $fine = qr/^0 $/;
my $many = 20_000;

# ---- chains ----
ends("$many ancestors", $fine, "${v2}node_types:\n  T0: { properties: { p: { type: integer, required: false } } }\n" .
	each_line($many - 1, sub { "  T@{[$_[0] + 1]}: { derived_from: T$_[0] }" })
	. "service_template:\n  node_templates:\n    a: { type: T@{[$many - 1]}, properties: { p: 1 } }\n");
ends('with a property each', qr/^1 .*E2090\]: the types inherit more than \d+ declarations.*\b1 error/s,
	"${v2}node_types:\n  T0: {}\n" .
		each_line($many - 1, sub { "  T@{[$_[0] + 1]}: { derived_from: T$_[0], properties: { p$_[0]: { type: integer } } }" }));
ends('with a constraint each', qr/^1 .*E2090\]/s,
	"${v2}data_types:\n  D0: { derived_from: string, validation: { \$equal: [ \$value, x ] } }\n" .
		each_line($many - 1, sub { "  D@{[$_[0] + 1]}: { derived_from: D$_[0], validation: { \$equal: [ \$value, x ] } }" }));
my $copies = "${v2}node_types: { N: { properties: { p: { type: integer, required: false } } } }\nservice_template:\n  node_templates:\n";
# Each of them a copy of a copy, which is said once.
my $told = qr/^0 .*W2039\][^\n]*\n(?!.*W2039).*\n1 warning\n$/s;
ends("$many copies of copies", $told, "${copies}    n0: { type: N, properties: { p: 1 } }\n" .
	each_line($many - 1, sub { "    n@{[$_[0] + 1]}: { copy: n$_[0] }" }));
ends('in the other direction', $told, $copies . each_line($many - 1, sub { "    n$_[0]: { copy: n@{[$_[0] + 1]} }" }) . "    n@{[$many - 1]}: { type: N }\n");
ends('a circle of copies is reported once', qr/^1 .*E2055\].*copies itself.*\b1 error/s,
	$copies . each_line(100, sub { "    n$_[0]: { copy: n@{[($_[0] + 1) % 100]} }" }));
ends('a copy of nothing too', qr/^1 .*E2020\]: there is no template 'x' to copy.*\b1 error/s, <<"Y");
${copies}    a: { copy: x }
    b: { copy: a }
    c: { copy: b }
Y

# ---- lists of names ----
my $props = sub { "      p$_[0]: { type: integer }" };
ends("$many properties", $fine, "${v2}node_types:\n  N:\n    properties:\n" . each_line($many, $props) . <<'Y' .
service_template:
  node_templates:
    a:
      type: N
      properties:
Y
	each_line($many, sub { "        p$_[0]: $_[0]" }));
ends('one of them missing', qr/^1 .*E2051\].*'p7'.*\b1 error/s, "${v2}node_types:\n  N:\n    properties:\n" . each_line($many, $props) . <<'Y'
service_template:
  node_templates:
    a:
      type: N
      properties:
Y
	. each_line($many, sub { $_[0] == 7 ? '' : "        p$_[0]: $_[0]" }));
ends("$many properties of a data type", $fine, "${v2}data_types:\n  D:\n    properties:\n" . each_line($many, $props) . <<'Y' .
service_template:
  node_templates: {}
  inputs:
    a:
      type: D
      default:
Y
	each_line($many, sub { "        p$_[0]: $_[0]" }));
ends("$many capabilities", $fine, <<"Y" . each_line($many, sub { "      c$_[0]: C" })
${v2}capability_types: { C: { properties: { p: { type: integer } } } }
node_types:
  N:
    capabilities:
Y
	. <<'Y' . each_line($many, sub { "        c$_[0]: { properties: { p: 1 } }" }));
service_template:
  node_templates:
    a:
      type: N
      capabilities:
Y
ends("$many operations", $fine, "${v2}interface_types:\n  I:\n    operations:\n" . each_line($many, sub { "      o$_[0]: {}" })
	. <<'Y' . each_line($many, sub { "            o$_[0]: x.sh" }));
node_types: { N: { interfaces: { i: { type: I } } } }
service_template:
  node_templates:
    a:
      type: N
      interfaces:
        i:
          operations:
Y
ends("$many keys of a map", $fine, <<"Y" . each_line($many, sub { "        k$_[0]: 1" }));
${v2}service_template:
  node_templates: {}
  inputs:
    m:
      type: map
      entry_schema: integer
      default:
Y
my $needs = <<"Y";
${v2}capability_types: { C: {} }
relationship_types: { R: {} }
node_types:
  N: { capabilities: { c: C }, requirements: [ r: { capability: C, relationship: R, count_range: [ 0, UNBOUNDED ] } ] }
service_template:
  node_templates:
Y
ends("$many requirements of one name", $fine, <<"Y" . each_line($many, sub { '      - r: b' }));
$needs    b: { type: N }
    a:
      type: N
      requirements:
Y
ends("a circle of $many nodes", $fine, $needs . each_line($many, sub { "    n$_[0]: { type: N, requirements: [ r: n@{[($_[0] + 1) % $many]} ] }" }));

# The same filter in each of many templates is asked of each candidate once.
my $asks = 3_000;
ends("$asks filters over $asks nodes", $fine, <<"Y"
${v2}capability_types: { C: {} }
relationship_types: { R: {} }
node_types:
  N: { properties: { p: { type: integer, default: 1 } }, capabilities: { c: C } }
  M: { requirements: [ r: { capability: C, relationship: R, count_range: [ 0, UNBOUNDED ] } ] }
Y
	. "service_template:\n  node_templates:\n" . each_line($asks, sub { "    n$_[0]: { type: N }" }) . "    z: { type: N, properties: { p: 2 } }\n"
	. each_line($asks, sub { "    m$_[0]: { type: M, requirements: [ r: { node: N, node_filter: { \$equal: [ { \$get_property: [ SELF, p ] }, 2 ] } } " .
		"] }" }));

# ---- several files ----
sub chain {
	my ($count, $import) = @_;
	my $dir = "$W/chain" . ++$n;
	mkdir $dir or die;
	spew("$dir/f$_.yaml", $v2 . ($_ + 1 < $count ? sprintf("imports: [ $import ]\n", $_ + 1) : '') . "node_types: { T$_: {} }\n") for 0 .. $count - 1;
	return "$dir/f0.yaml";
}
my ($rc, $out, $err) = vetro({ limit => 60 }, 'check', chain(500, 'f%d.yaml'));
is("$rc$err", '0', '500 files that import each other in a row');
($rc, $out, $err) = vetro({ limit => 60 }, 'check', chain(2500, '{ url: f%d.yaml, namespace: a_long_name }'));
like("$rc $err", qr/^1 .*E2090\]: the files take over more than \d+ names.*\b1 error/s, 'names that would grow with the square of their number');

my $types = <<'Y';
capability_types: { C: {} }
relationship_types: { R: {} }
node_types: { N: { capabilities: { c: C }, requirements: [ r: { capability: C, relationship: R, count_range: [ 1, UNBOUNDED ] } ] } }
Y
spew("$W/types.yaml", "$v2$types");
spew("$W/inner.yaml", <<"Y" . each_line($many, sub { '    - r: [ x, r ]' })
${v2}imports: [ types.yaml ]
service_template:
  substitution_mappings:
    node_type: N
    requirements:
Y
	. "  node_templates: { x: { type: N } }\n");
spew("$W/outer.yaml", <<"Y"
${v2}imports: [ types.yaml ]
service_template:
  node_templates:
    t: { type: N, requirements: [ r: t ] }
    s:
      type: N
      directives: [ substitute ]
      requirements:
Y
	. each_line($many, sub { '      - r: t' }));
($rc, $out, $err) = vetro({ limit => 60 }, 'tosca', "$W/outer.yaml", "$W/inner.yaml");
is("$rc$err", '0', "$many mapped requirements");
is(scalar(() = $out =~ /"target"\s*:\s*"t"/g), 2 * $many + 1, 'are relationships of the node inside');
done();
