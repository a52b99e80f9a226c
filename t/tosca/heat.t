#!/usr/bin/perl
# Heat's templates: parameters of their types, get_file, yaql; and the same in a binary.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref;
my $head = "heat_template_version: 2018-08-31\n";
my $n = 0;

sub template {
	my ($text, @more) = @_;
	my $name = "$W/h" . ++$n . '.yaml';
	spew($name, "$head$text");
	my ($rc, $out, $err) = vetro('tosca', '-c', '-f', 'topology', @more, $name);
	return ($rc == 0 ? $json->decode($out) : undef, $err, $name);
}
sub value { my ($e) = @_; my ($t, $err) = template("resources: {}\noutputs: { o: { value: $e } }\n"); return $t ? $json->encode($t->{outputs}{o}) : $err; }
sub fails { my ($e, $pattern, $title) = @_; return like(value($e), $pattern, $title); }

# ---- parameters turn what is given into their type ----
for (
	['string', '5', '"5"'], ['string', 'x', '"x"'], ['string', 'true', '"True"'],
	['number', '"5"', '5'], ['number', '"-2.5"', '-2.5'], ['number', '7', '7'], ['number', '"+3"', '3'],
		['number', '"123456789012345678901"', '123456789012345678901'],
	['comma_delimited_list', '"a,b , c"', '["a","b "," c"]'], ['comma_delimited_list', '""', '[]'], ['comma_delimited_list', '[1, x]', '["1","x"]'],
	['comma_delimited_list', '"a,"', '["a",""]'], ['comma_delimited_list', '","', '["",""]'],
	['json', '\'{"a": [1]}\'', '{"a":[1]}'], ['json', '{a: 1}', '{"a":1}'], ['json', '"[1, 2]"', '[1,2]'],
	['boolean', '"yes"', 'true'], ['boolean', 'false', 'false'], ['boolean', '"Off"', 'false'], ['boolean', '1', 'true'],
) {
	my ($type, $given, $want) = @$_;
	my ($t, $err) = template("parameters: { p: { type: $type, default: $given } }\nresources: {}\n");
	my $got = $t ? $json->encode($t->{inputs}{p}) : $err;
	is($got =~ s/^"(123456789012345678901)"$/$1/r, $want, "$type of $given");
}
for (['number', 'x'], ['number', '"1 2"'], ['number', '""'], ['number', '"0x10"'], ['json', '"5"'], ['json', '"{"'], ['boolean', '"maybe"'], ['boolean', '[]'],
	['string', '[]'], ['comma_delimited_list', '{a: 1}']) {
	my ($type, $given) = @$_;
	like((template("parameters: { p: { type: $type, default: $given } }\nresources: {}\n"))[1], qr/E2040\]/, "$given is no $type");
}
my ($t, $err) = template(<<'Y', '--input', 'p=a,b');
parameters:
  p: { type: comma_delimited_list, constraints: [ length: { max: 2 } ] }
resources: {}
outputs: { o: { value: { get_param: [ p, 1 ] } } }
Y
is($t && $t->{outputs}{o}, 'b', 'what is inside of a list that was a text') or print "# $err\n";
like((template(<<'Y', '--input', 'p="a,b,c"'))[1], qr/E2041\]/, 'constraints see what it became');
parameters:
  p: { type: comma_delimited_list, constraints: [ length: { max: 2 } ] }
resources: {}
Y

# ---- get_file ----
mkdir "$W/sub";
spew("$W/sub/a.sh", "echo h\xc3\xa4\n");
spew("$W/bin", join '', map { chr } 0 .. 255);
symlink '/etc/passwd', "$W/out";
symlink 'sub/a.sh', "$W/in";
is(value('{ get_file: sub/a.sh }'), $json->encode("echo h\xc3\xa4\n"), 'a text');
is(value('{ get_file: ./sub/../sub/a.sh }'), $json->encode("echo h\xc3\xa4\n"), 'on a way round');
is(value('{ get_file: in }'), $json->encode("echo h\xc3\xa4\n"), 'by a link that stays inside');
is(value('{ str_replace: { template: { get_file: sub/a.sh }, params: { echo: print } } }'), $json->encode("print h\xc3\xa4\n"), 'in another function');
use MIME::Base64;
is(decode_base64($json->decode(value('{ get_file: bin }'))), join('', map { chr } 0 .. 255), 'what is no text comes as base64');
my $lines = $json->decode(value('{ get_file: bin }'));
is(join(' ', map { length } split /\n/, $lines), '76 76 76 76 40', 'in lines');
fails('{ get_file: ../x }', qr/:3:\d+: error\[E2017\]: '\.\.\/x' leads out of the folder of the template/, 'outside');
fails('{ get_file: /etc/passwd }', qr/E2017\]/, 'an absolute path');
fails('{ get_file: sub/../../x }', qr/E2017\]/, 'a way round that leads outside');
fails('{ get_file: out }', qr/E2017\].*leads out/, 'a link that leads outside');
fails('{ get_file: "http://x/y" }', qr/E2015\].*no URLs/, 'a URL');
fails('{ get_file: "file:///etc/passwd" }', qr/E2015\]/, 'a URL of a file');
fails('{ get_file: nope }', qr/E2058\]: there is no file 'nope'/, 'no such file');
fails('{ get_file: sub }', qr/E2058\]/, 'a folder');
fails('{ get_file: "" }', qr/E2058\]/, 'nothing');
fails('{ get_file: "a\\0b" }', qr/E20\d\d\]|E0\d+\]/, 'a name that C would cut');
spew("$W/suba", "x");
fails('{ get_file: { list_join: [ "", [ sub, a ] ] } }', qr/E2070\].*not one that is computed/, 'a name that is computed');
spew("$W/large", 'x' x (17 << 20));
fails('{ get_file: large }', qr/E2090\].*more than 16 MiB/, 'too large a file');
unlink "$W/large";
spew("$W/half", 'x' x (9 << 20));
fails('[ { get_file: half }, { get_file: half } ]', qr/E2090\]/, 'too large together');
unlink "$W/half";

# From a directory that is given as a whole.
mkdir "$W/dir";
mkdir "$W/dir/TOSCA-Metadata";
spew("$W/dir/TOSCA-Metadata/TOSCA.meta", "TOSCA-Meta-File-Version: 1.0\nCSAR-Version: 1.1\nCreated-By: t\nEntry-Definitions: d/t.yaml\n");
mkdir "$W/dir/d";
spew("$W/dir/d/t.yaml", "${head}resources: {}\noutputs: { o: { value: { get_file: ../f } }, p: { value: { get_file: g } } }\n");
spew("$W/dir/f", 'F');
spew("$W/dir/d/g", 'G');
my ($rc, $out, $dir_err) = vetro('tosca', '-c', "$W/dir");
is("$rc $dir_err", '0 ', 'a directory') or print "# $dir_err\n";
is($rc == 0 && $json->encode($json->decode($out)->{outputs}), '{"o":"F","p":"G"}', 'its files, also above the template');
spew("$W/dir/d/t.yaml", "${head}resources: {}\noutputs: { o: { value: { get_file: ../../bin } } }\n");
like((vetro('tosca', "$W/dir"))[2], qr/E2017\].*leads out of the archive/, 'and none outside');

# ---- yaql ----
for (
	['$.data.sum()', '[1, 2, 3]', '6'], ['$.data.where($ > 1).select($ * 2)', '[1, 2, 3]', '[4,6]'], ['dict($.data.select([str($), $]))', '[1]', '{"1":1}'],
	['$.data.a.b', '{a: {b: c}}', '"c"'], ['set(1, 1)', 'null', '[1]'], ['$.data', '"x"', '"x"'],
		['list($.data, [2])', '1', '[1,[2]]'], ['null', '1', 'null'],
) {
	my ($e, $data, $want) = @$_;
	is(value("{ yaql: { expression: '$e', data: $data } }"), $want, $e);
}
for (
	['{ expression: "$.data +", data: 1 }', qr/E2070\]: yaql: the expression is not YAQL/, 'no expression'],
		['{ expression: $.data.nope(), data: 1 }', qr/yaql: Unknown method "nope"/, 'an unknown method'],
	['{ expression: 1 / 0, data: 1 }', qr/yaql: integer division or modulo by zero/, 'an error'],
		['{ expression: [ 1 ], data: 1 }', qr/the expression of yaql is a text/, 'not a text'],
	['x', qr/takes \{ expression, data \}/, 'no map'], ['{ expression: sequence().toList(), data: 1 }', qr/exceeds 100000 elements/,
		'a list without an end'],
	['{ expression: "\'x\' * 2000000000", data: 1 }', qr/too much memory/, 'too much memory'],
) {
	fails("{ yaql: $_->[0] }", $_->[1], "yaql: $_->[2]");
}
is(value('{ yaql: { expression: { list_join: [ "+", [ "1", "2" ] ] }, data: 1 } }'), '3', 'an expression that is computed');
is(value('[ ' . join(', ', map { "{ yaql: { expression: \"\$.data + $_\", data: 1 } }" } 1 .. 40) . ' ]'), '[' . join(',', 2 .. 41) . ']', 'many expressions');

# ---- in a binary ----
my $text = "parameters: { l: { type: comma_delimited_list, default: 'b,a' } }\n" .
	"resources: { r: { type: OS::Heat::SoftwareConfig, properties: { config: { get_file: sub/a.sh } } } }\n"
	. <<'Y'
outputs:
  a: { value: { yaql: { expression: '$.data.orderBy($)', data: { get_param: l } } } }
  b: { value: { yaql: { expression: '$.data.len()', data: { get_param: l } } } }
Y
	. "  c: { value: { yaql: { expression: { get_param: [ l, 0 ] }, data: 1 } } }\n";
my (undef, undef, $file) = template($text =~ s/^  c:.*\n//mr);
($rc, $out, $err) = vetro({ limit => 120 }, 'build', $file, '-o', "$W/deploy");
SKIP: {
	is("$rc $err", '0 ', 'a binary is built') or do { done(); exit };
	unlink "$W/sub/a.sh";
	my $got = $json->decode(scalar qx($W/deploy topology --input l=z,y,x));
	is($json->encode($got->{outputs}), '{"a":["x","y","z"],"b":3}', 'yaql in it');
	is($got->{nodes}{r}{properties}{config}, "echo h\xc3\xa4\n", 'files in it');
}
spew("$W/sub/a.sh", "x\n");
(undef, undef, $file) = template($text, '--input', 'l=1');
($rc, $out, $err) = vetro({ limit => 120 }, 'build', $file, '-o', "$W/computed");
like(scalar qx($W/computed topology 2>&1), qr/E2070|the expression is computed/, 'a binary has no code of an expression that is computed') if $rc == 0;

# ---- environments give parameters their values, and --input others ----
(undef, undef, $file) = template("parameters: { n: { type: number, default: 1 }, l: { type: json } }\nresources: {}\n"
	. "outputs: { n: { value: { get_param: n } }, l: { value: { get_param: [ l, a ] } } }\n", '--input', 'l={}');
spew("$W/env1.yaml", "parameters: { n: 2, l: { a: x } }\n");
spew("$W/env2.yaml", "parameters: { n: 3 }\nparameter_defaults: { l: { a: y } }\n");
my @env = map { ('--environment', "$W/env$_.yaml") } 1, 2;
for (['--input', 'n=9'], []) {
	($rc, $out, $err) = vetro('tosca', @env, @$_, $file);
	is("$rc $err", '0 ', 'an environment');
	is($json->encode($json->decode($out)->{outputs}), @$_ ? '{"l":"x","n":9}' : '{"l":"x","n":3}', 'the last one counts, and --input more');
}
($rc, $out, $err) = vetro({ limit => 120 }, 'build', @env, $file, '-o', "$W/given");
is("$rc $err", '0 ', 'built with an environment');
is($json->encode($json->decode(scalar qx($W/given topology))->{outputs}), '{"l":"x","n":3}', 'the binary has its values') if $rc == 0;

done();
