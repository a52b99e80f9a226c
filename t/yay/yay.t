#!/usr/bin/perl
# Yay as a user sees it: one configuration a construct, and what `vetro yay` prints.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $n = 0;
# The value as JSON in one line, or the first line of what is wrong.
sub yay {
	my ($text, @args) = @_;
	spew("$W/t.yay", $text);
	my ($status, $out, $err) = vetro('yay', '-c', "$W/t.yay", @args);
	$err =~ s{\Q$W/\E}{}g;
	chomp $out;
	return $status == 0 ? $out : (split /\n/, $err)[0];
}
sub gives { my ($title, $text, $want, @args) = @_; is(yay($text, @args), $want, $title) }

# ---- data
gives('scalars', "a: 1\nb: 1.50\nc: text\nd: true\ne:\nf: \"5\"\ng: 0x10\n", '{"a":1,"b":1.5,"c":"text","d":"true","e":"","f":5,"g":"0x10"}');
gives('a number keeps its spelling in a text', "a: 13.10\nb: v{{ a }}\n", '{"a":13.1,"b":"v13.10"}');
gives('mappings and lists', "a:\n  b:\n    - 1\n    - c: 2\n      d: 3\n", '{"a":{"b":[1,{"c":2,"d":3}]}}');
gives('a list at the column of its key', "a:\n- 1\n- 2\nb: 3\n", '{"a":[1,2],"b":3}');
gives('empty ones', "a: {}\nb: []\n", '{"a":{},"b":[]}');
gives('an empty document', "# nothing\n", '{}');
gives('quotes', "a: \"b: #c\" d\nb: say \"hi\"\nc: ''\n", q({"a":"b: #c d","b":"say \"hi\"","c":"''"}));
gives('comments', "a: # c\nb: x # y\nc: {{ 1 }} # z\n", '{"a":"","b":"x # y","c":1}');
gives('CRLF, a byte order mark, an indented document', "\xef\xbb\xbf  a: 1\r\n  b: 2\r\n", '{"a":1,"b":2}');
gives('blocks', "a: |\n  x: {y}\n    z\n\n  {{ 1 + 1 }}\n\nb: >\n  p\n  q\nc: |-\n  r\nd: |+\n  s\n\ne: |\n  t",
	'{"a":"x: {y}\n  z\n\n2\n","b":"p q","c":"r","d":"s\n\n","e":"t\n"}');
gives('a key with a colon', "a:b: http://x:80/\n", '{"a:b":"http://x:80/"}');

gives('range() has a step', "a: {{ range(0, 10, 3) }}\nb: {{ range(5, 0, -2) }}\nc: {{ range(2, 2, 1) }}\nd: {{ range(3) }}\n",
	'{"a":[0,3,6,9],"b":[5,3,1],"c":[],"d":[0,1,2]}');
like(yay("a: {{ range(0, 10, 0) }}\n"), qr/range\(\) takes no step of 0/, 'but not of 0');

# ---- late binding
gives('the last definition counts', "a: 1\nb: {{ a }}\na: 2\n", '{"a":2,"b":2}');
gives('mappings merge', "a:\n  x: 1\n  y: 1\na:\n  y: 2\n  z: {{ here.x }}\n", '{"a":{"x":1,"y":2,"z":1}}');
gives('lists do not', "a:\n  - 1\na:\n  - 2\n", '{"a":[2]}');
gives('extend', "a:\n  - 1\nextend a:\n  - 2\nextend b: []\n", '{"a":[1,2],"b":[]}');
gives('extend and a loop', "a:\n  - 0\nextend a:\n  for i in range(2):\n    - {{ i + 1 }}\n", '{"a":[0,1,2]}');
gives('here and self', "a:\n  set self = here\n  n: x\n  b:\n    n: y\n    p: {{ self.n }}{{ here.n }}\n", '{"a":{"n":"x","b":{"n":"y","p":"xy"}}}');
gives('set', "set t = 4\na: {{ t }}\nb:\n  c: {{ u }}\n  set u = t + 1\nset p, q = 1, 2\nd: {{ p }}{{ q }}\n", '{"a":4,"b":{"c":5},"d":"12"}');
gives('only what is asked for is evaluated', "a: {{ nosuch }}\nb:\n  c: 1\n", '1', '--select', 'b.c');

# ---- directives
my $if = "x: %s\na: 0\nif x == 1:\n  a: 1\nelif x == 2:\n  a: 2\nelse:\n  b: 3\n";
gives('if', sprintf($if, 1), '{"x":1,"a":1}');
gives('elif', sprintf($if, 2), '{"x":2,"a":2}');
gives('else keeps what is above', sprintf($if, 3), '{"x":3,"a":0,"b":3}');
gives('conditions that build on each other', "a: 1\nif a:\n  b: 2\nif b == 2:\n  c: 3\n", '{"a":1,"b":2,"c":3}');
gives('a condition that nothing fulfils', "a:\n  if 0:\n    - 1\nb:\n  if 0:\n    c: 1\n", '{"a":[],"b":{}}');
gives('for with a filter', "a:\n  for i in range(5) if i > 2:\n    - {{ i }}\n", '{"a":[3,4]}');
gives('for over a mapping', "m:\n  y: 1\n  x: 2\na:\n  for k in m:\n    - {{ k }}{{ m[k] }}\n", '{"m":{"y":1,"x":2},"a":["y1","x2"]}');
gives('for with two names', "a:\n  for i, c in enumerate(['p', 'q']):\n    - {{ i }}{{ c }}\n", '{"a":["0p","1q"]}');
gives('a list made of parts', "a:\n  - 0\n  for i in [1]:\n    - {{ i }}\n    if i:\n      - x\n  - 2\n", '{"a":[0,1,"x",2]}');
gives('select', "d: b\na:\n  select d:\n    a: 1\n    b:\n      - 2\n", '{"d":"b","a":[2]}');
gives('macro and call', "macro M:\n  - {{ n }}\na:\n  for i in [1, 2]:\n    call M:\n      n: {{ i }}\nb: {{ M(n=3) }}\n", '{"a":[1,2],"b":[3]}');
gives('call beside keys', "macro M:\n  y: {{ n }}\na:\n  x: 1\n  call M:\n    n: 2\n  z: 3\n", '{"a":{"x":1,"y":2,"z":3}}');
gives('prototype', <<'Y', '{"a":{"name":"q","dir":"/srv/q"},"b":{"name":"p","dir":"/srv/p","x":1}}');
prototype P:
  name: p
  dir: /srv/{{ self.name }}
a:
  new P:
    name: q
new P as b:
  x: 1
Y
gives('a prototype of a prototype', <<'Y', '{"a":{"name":"z","dir":"/srv/z","kind":"q"}}');
prototype P:
  name: p
  dir: /srv/{{ self.name }}
prototype Q:
  new P:
    kind: q
new Q as a:
  name: z
Y
gives('configure is not in the output', "configure openers:\n  foo: bar\na: 1\n", '{"a":1}');
gives('a template as an item', "a:\n  for i in [1, 2]:\n    {{ i }}\n", '{"a":[1,2]}');
gives('the old spellings', "% let x = 2\n% if x\n  a: {{ x }}\n", '{"a":2}');

# ---- expressions
sub expr { my ($e, $want) = @_; gives($e, "l:\n  - 1\n  - 2\n  - 3\nm:\n  k: v\nz: 0\n", $want, '--expression', $e) }
expr(@$_) for ['1 + 2 * 3 - 4', '3'], ['7 / 2', '3.5'], ['-7 // 2', '-4'], ['-7 % 3', '2'], ['2 ** 100', '1267650600228229401496703205376'],
	['1 << 4 | 3 & 6 ^ 1', '19'], ['~5', '-6'], ["'1' + '2'", '3'], ["'x' + 1", '"x1"'], ['1 < 2 < 3', 'true'], ['3 > 2 > 2', 'false'],
	['2 in l', 'true'], ["'k' in m", 'true'], ['4 not in l', 'true'], ["'b' in 'abc'", 'true'], ['1 == 1.0', 'true'], ["5 == '5'", 'false'],
	['0 or 5', '5'], ['0 and nosuch', '0'], ['not 0', 'true'], ["'a' if l else 'b'", '"a"'], ['nosuch else m.k', '"v"'], ['m.x else m.y else 9', '9'],
	['l[1]', '2'], ["m['k']", '"v"'], ['l[1:]', '[2,3]'], ['l[:2]', '[1,2]'], ['l[2:0:-1]', '[3,2]'], ['[x * x for x in l if x > 1]', '[4,9]'],
	['[[x] for x in l]', '[[1],[2],[3]]'], ['[a + b for a in l for b in l if a < b]', '[3,4,5]'], ["{'a': 1, 'b': [2]}", '{"a":1,"b":[2]}'],
	['{k: 1 for k in m}', '{"k":1}'], ['{1, 2, 1}', '[1,2]'], ['()', '[]'], ['(1, 2)', '[1,2]'], ['(lambda x, y=2: x + y)(1)', '3'],
	['`[1]`', '"[1]"'], ['range(1, 6, 2)', '[1,3,5]'], ["replace('a-b', '-', '+')", '"a+b"'], ["sub('(.)b', '\\\\1\\\\1', 'xbyb')", '"xxyy"'],
	['sum(l)', '6'], ['len(m) + len(l)', '4'], ['max(l) - min(l)', '2'], ['sorted([3, 1, 2])', '[1,2,3]'], ["int('42') + float('0.5')", '42.5'],
	['0x1F + 0b11', '34'], ['1 is 1', 'true'], ['1 is not 1.0', 'true'], ["'\\x41\\u00e9\\n'", '"Aé\n"'];

# ---- the command
gives('--as', "a: 5.9\n", '5', '--select', 'a', '--as', 'int');
gives('--default', "a: 1\n", '"x"', '--select', 'b', '--default', 'x');
gives('--set', "a:\n  b: 1\n  c: {{ here.b }}\n", '{"a":{"b":7,"c":7}}', '--set', 'a.b=7');
spew("$W/layer.yay", "a: 2\nextend l:\n  - 2\n");
gives('layers', "a: 1\nl:\n  - 1\nb: {{ a }}\n", '{"a":2,"l":[1,2],"b":2}', "$W/layer.yay");
is((vetro('yay', "$W/layer.yay", '-f', 'yaml'))[1], "a: 2\nl:\n  - 2\n", '-f yaml');
like((vetro('yay', "$W/layer.yay", '-f', 'dot'))[1], qr/^digraph yay \{\n.*label="extend l"/s, '-f dot');
spew("$W/odd.yay", "a: 'x\xe2\x80\xae\e&lt;\\\"]; evil'\nb: '" . 'x' x 58 . "\xe2\x82\xac\xe2\x82\xac'\n");
my ($odd_rc, $drawn) = vetro('yay', '-f', 'dot', "$W/odd.yay");
ok($drawn =~ /U\+202E/ && $drawn !~ /\xe2\x80\xae|\e/ && utf8::decode(my $copy = $drawn), 'dot: nothing that is not seen, and whole characters', $drawn);
is((vetro('yay', 'dot', "$W/layer.yay"))[1], (vetro('yay', "$W/layer.yay", '-f', 'dot'))[1], 'yay dot FILE');
is((vetro({ in => "a: x\n" }, 'yay', '-', '-r', '--select', 'a'))[1], "x\n", 'standard input, and a text as it is');

# ---- files
spew("$W/inc/one.yay", "one: {{ two }}\nset hidden = 5\nmacro M:\n  m: {{ v }}\n");
spew("$W/inc/sub/two.yay", "two: 2\ninclude \"three.yay\"\n");
spew("$W/inc/sub/three.yay", "three: 3\n");
gives('include', "include \"inc/one.yay\"\ninclude where + \"/two.yay\"\nwhere: inc/sub\nx: {{ hidden }}\ny:\n  call M:\n    v: 6\n",
	'{"one":2,"two":2,"three":3,"where":"inc/sub","x":5,"y":{"m":6}}') for 1;
gives('include in a mapping', "a:\n  x: 1\n  include \"inc/sub/three.yay\"\n", '{"a":{"x":1,"three":3}}');
gives('a list of files', "include files\nfiles:\n  - inc/sub/three.yay\n", '{"three":3,"files":["inc/sub/three.yay"]}');
gives('search', "search \"$W/inc/sub\"\ninclude \"three.yay\"\n", '{"three":3}');
gives('yay.searchpath', "include \"three.yay\"\nyay:\n  searchpath:\n    - $W/inc/sub\n", qq({"three":3,"yay":{"searchpath":["$W/inc/sub"]}}));
gives('--search', "include \"three.yay\"\n", '{"three":3}', '--search', "$W/inc/sub");
gives('old includes', ".includes:\n  - inc/sub/three.yay\n", '{"three":3}');

# ---- secrets: a stand-in for gpg decrypts
spew("$W/gpg", "#!/bin/sh\nfor f; do :; done\ntr a-z n-za-m < \"\$f\"\n");
chmod 0755, "$W/gpg";
spew("$W/s.yay.gpg", "frxevg: nqzva\n"); # sekrit: admin
my $secret = "include \"s.yay.gpg\"\nx: is {{ sekrit }}\nn: 1\n";
gives('secrets are masked', $secret, '{"sekrit":"*****","x":"is *****","n":1}', '--gpg', "$W/gpg");
gives('unless asked for', $secret, '{"sekrit":"admin","x":"is admin","n":1}', '--gpg', "$W/gpg", '--show-secrets');
like(yay($secret . "y: {{ sekrit / 2 }}{{ nosuch[sekrit] }}\n", '--gpg', "$W/gpg"), qr/^(?!.*admin)/, 'and no error shows them');
gives('masked whatever the type', $secret . "l:\n  - {{ sekrit }}\n", '["*****"]', '--gpg', "$W/gpg", '--select', 'l', '--as', $_) for qw(list iterable);
gives('keys are no secrets', $secret, '["sekrit","x","n"]', '--gpg', "$W/gpg", '--as', 'iterable');
for my $slip ("y: {{ n[sekrit] }}\n", "n: {{ m[sekrit] }}\nm:\n  a: 1\n", "y: {{ sekrit.a }}\n", "y: {{ int(sekrit, 36) / 0 }}\n", "y: {{ sekrit * 2 }}\n",
	"select sekrit:\n  a: 1\n") {
	spew("$W/t.yay", $secret . $slip);
	my ($status, $out, $err) = vetro('yay', "$W/t.yay", '--gpg', "$W/gpg");
	ok($status == 1 && "$out$err" !~ /admin|frxevg/, "no error shows a secret: $slip", $out, $err);
}
like(yay("include \"s.yay.gpg\"\n", '--gpg', '/bin/false'), qr/E3009.*could not be decrypted/, 'gpg that fails');

# ---- class bindings
spew("$W/b.lua", <<'L');
vetro.register { name = "Compute", params = "p: any", fn = function(p) made = (made or 0) + 1; return { ip = "10.0.0." .. p.id, made = made } end }
vetro.register { name = "weather:Weather", params = "p: any", fn = function(p) return { [p.place] = { t = -3 } } end }
L
gives('new of a class', "new Compute as a:\n  id: 4\nb: {{ a.ip }} {{ a.id }}\n", '{"a":{"id":4,"ip":"10.0.0.4","made":1},"b":"10.0.0.4 4"}', '--lua',
	"$W/b.lua");
gives('create', <<'Y', '{"w":{"place":"york","york":{"t":-3}},"cold":"yes"}', '--lua', "$W/b.lua");
w:
  create "weather:Weather":
    place: york
if w.york.t < 0:
  cold: yes
Y
gives('parameters alone make nothing', "new Compute as a:\n  id: 4\n", '4', '--lua', "$W/b.lua", '--select', 'a.id');

# ---- what is long
gives('a sum of 100,000 terms', "k: 1\na: {{ k" . ' + 1' x 99999 . " }}\n", '100000', '--select', 'a');
gives('of constants', "a: {{ 0" . ' + 1' x 100000 . " }}\n", '{"a":100000}');
gives('of texts in a loop', "l:\n  for i in range(3):\n    - {{ i" . ' + "x"' x 20 . " }}\n",
	'{"l":[' . join(',', map { '"' . $_ . 'x' x 20 . '"' } 0 .. 2) . ']}');
gives('30,000 names', join('', map { "set s$_ = $_\n" } 0 .. 29999) . "a: {{ " . join(' + ', map { "s$_" } 0 .. 29999) . " }}\n", '{"a":449985000}');
gives('the last of many definitions', join('', map { "set s$_ = $_\n" } 0 .. 20) . <<'Y',
set s3, t = (1, 2)
set s4 = 'x'
macro s5:
  m: {{ s3 }}
a: {{ s3 }} {{ t }} {{ s4 }} {{ s20 }}
b:
  call s5:
    y: 1
Y
	'{"a":"1 2 x 20","b":{"m":1}}');
gives('replace near and far', "set t = '" . 'x' x 70 . 'ab' . 'y' x 300 . "abab'\na: {{ replace(t, 'ab', '-') }}\n", '{"a":"' . 'x' x 70 .
	'-' . 'y' x 300 . '--"}');
done();
