#!/usr/bin/perl
# The description of Yay sentence by sentence: each configuration is what a sentence says, with what it must come to.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use JSON::PP qw(decode_json encode_json);
use Tap;

# title, main text (or [texts by name]), value as JSON or /an error/, fields of the request
my @cases;
sub point { push @cases, [@_] }

# ---- the tour
point('keys and scalars', <<'Y', '{"site-domain":"www.yaybu.com","number-of-zopes":12,"in-production":"true"}');
site-domain: www.yaybu.com
number-of-zopes: 12
in-production: true
Y
point('nesting by indentation', <<'Y', '{"interfaces":{"eth0":{"interfaces":"192.168.0.1","dhcp":"yes"}}}');
interfaces:
    eth0:
       interfaces: 192.168.0.1
       dhcp: yes
Y
point('an intended bulleted list', "packages:\n    - python-yay\n    - python-yaybu\n", '{"packages":["python-yay","python-yaybu"]}');
point('an empty list', "packages: []\n", '{"packages":[]}');
point('placeholders', <<'Y',
projectcode: MyCustomer-145
resources:
    - Directory:
        name: /var/local/sites/{{projectcode}}

    - Checkout:
        name: /var/local/sites/{{projectcode}}/src
        repository: svn://mysvnserver/{{projectcode}}
Y
	'{"projectcode":"MyCustomer-145","resources":[{"Directory":{"name":"/var/local/sites/MyCustomer-145"}},' .
		'{"Checkout":{"name":"/var/local/sites/MyCustomer-145/src","repository":"svn://mysvnserver/MyCustomer-145"}}]}');
point('dots and subscripts', <<'Y',
projects:
  - name: www.foo.com
    checkout:
        repository: http://github.com/isotoma/foo
r:
    - Checkout:
        repository: /v/{{projects[0].checkout.repository}}
Y
	'[{"Checkout":{"repository":"/v/http://github.com/isotoma/foo"}}]', select => 'r');
point('else falls back', "project:\n    name: www.baz.com\nexample_key: {{project.id else project.name}}\n", '"www.baz.com"', select => 'example_key');
point('an include', { m => <<'Y', 'foo.yay' => "resources:\n    - n: {{projectcode}}\n", 'x.yay' => "x: 1\n" },
include "foo.yay"

include foo.bar.includes

projectcode: MyCustomer-145
foo:
  bar:
    includes: x.yay
Y
	'{"resources":[{"n":"MyCustomer-145"}],"x":1,"projectcode":"MyCustomer-145","foo":{"bar":{"includes":"x.yay"}}}');
point('search', { m => "search foo.bar.searchpath\ninclude 'i.yay'\nfoo:\n  bar:\n    searchpath: d\n", 'd/i.yay' => "i: 1\n" }, '1', select => 'i');
point('configure', "configure openers:\n    foo: bar\n    baz: quux\nconfigure basicauth:\n    zip: zop\na: 1\n", '{"a":1}');
point('set is ephemeral', <<'Y', '{"d":{"foo":[1]},"b":[7],"a":[8]}');
d:
  foo:
    - 1
b:
  - 7
a:
  for x in b:
    set c = d.foo
    set e = c[0] + x
    - {{e}}
Y
point('the most recent one wins', "resources:\n    - foo\n    - bar\n\nresources:\n    - baz\n", '{"resources":["baz"]}');
point('extend appends', "resources:\n    - foo\n    - bar\n\nextend resources:\n    - baz\n", '{"resources":["foo","bar","baz"]}');
point('a condition over two lines',
	"a: x\nb: x\nd: 1\ne: 1\nf: 1\nfoo:\n    if a == b and \\\n        d == e and e == f:\n      bar:\n        quux:\n            foo:\n" .
	"                bar: baz\n    elif a == d:\n        moo: mah\n    else:\n      - baz\n",
	'{"bar":{"quux":{"foo":{"bar":"baz"}}}}', select => 'foo');
point('its else may be a list', <<'Y', '["baz"]', select => 'foo');
a: x
foo:
    if a == 1:
      bar: 1
    elif a == 2:
        moo: mah
    else:
      - baz
Y
point('loops within an extend', <<'Y',
ps:
  - n: a
    q:
      - 1
      - 2
  - n: b
    q: []
extend r:
    for p in ps:
        - d: {{p.n}}
        for q in p.q:
            - c: {{p.n}}{{q}}
Y
	'[{"d":"a"},{"c":"a1"},{"c":"a2"},{"d":"b"}]', select => 'r');
point('for with a condition', <<'Y', '[{"name":"apple","price":5}]', select => 'cheap');
fruit:
    - name: apple
      price: 5
    - name: lime
      price: 10
cheap:
    for f in fruit if f.price < 10:
        - {{f}}
Y
point('a loop within a loop makes one list', <<'Y',
staff:
  - name: Joe
    devices:
      - macbook
      - iphone
  - name: John
    devices:
      - air
      - iphone
stuff:
    for s in staff:
        for d in s.devices:
            {{d}}
Y
	'["macbook","iphone","air","iphone"]', select => 'stuff');
point('for over a mapping with a condition', <<'Y', '["apple","strawberry"]', select => 'cheap');
fruit:
  # recognised as decimal integers since they look a bit like them
  apple: 5
  lime: 10
  strawberry: 1
cheap:
    for f in fruit:
       if fruit[f] < 10:
         {{f}}
Y
point('select', <<'Y', '["python-distribute","python-zc.buildout"]', select => 'packages');
distro: lucid
packages:
    select distro:
        karmic:
            - python-setuptools
        lucid:
            - python-distribute
            - python-zc.buildout
Y
point('a function where an expression is', "a:\n  - 1\n  - 2\nset foo = sum(a)\nl:\n  for x in range(foo):\n    - {{x}}\n", '[0,1,2]', select => 'l');
point('a macro', <<'Y', '["foo","baz","foo","baz"]', select => 'foo'); # a mapping in a loop gives its keys: D-13
x:
  - 1
  - 2
macro mymacro:
    foo: bar
    baz: {{thing}}
foo:
    for q in x:
        call mymacro:
            thing: {{q}}
Y
point('in an item', <<'Y', '[{"r":{"foo":1}},{"r":{"foo":2}}]', select => 'foo');
macro M:
  foo: {{ t }}
foo:
  for q in [1, 2]:
    - r:
        call M:
          t: {{ q }}
Y
point('a prototype', <<'Y',
prototype DjangoSite:
    set self = here

    name: www.example.com

    sitedir: /var/local/sites/{{ self.name }}
    rundir: /var/run/{{ self.name }}

    resources:
        - Directory:
            name: {{ self.rundir }}

        - Checkout:
            name: {{ self.sitedir}}
            source: git://github.com/

some_key:
    new DjangoSite:
        name: www.mysite.com
Y
	'{"some_key":{"name":"www.mysite.com","sitedir":"/var/local/sites/www.mysite.com","rundir":"/var/run/www.mysite.com",' .
		'"resources":[{"Directory":{"name":"/var/run/www.mysite.com"}},{"Checkout":{"name":"/var/local/sites/www.mysite.com",' .
		'"source":"git://github.com/"}}]}}');
point('here refers to siblings', <<'Y', '"/var/www/www.example.com"', select => 'some_data.sitedir');
some_data:
    sitename: www.example.com
    sitedir: /var/www/{{ here.sitename }}
Y
point('set self = here', <<'Y',
some_data:
    set self = here

    nested:
       something: goodbye
       mapping: {{ self.something }}         # Should be 'hello'
       other_mapping: {{ here.something }}   # Should be 'goodbye'

    something: hello
Y
	'{"something":"goodbye","mapping":"hello","other_mapping":"goodbye"}', select => 'some_data.nested');
point('.includes', { m => <<'Y', 's.yay' => "sekrit:\n  username: admin\n  password: password55\n" }, '"The password is password55."',
.includes:
  - s.yay

myothervariable: The password is {{sekrit.password}}.
Y
	select => 'myothervariable');

# ---- the grammar
point('an empty mapping', "a: {}\n", '{"a":{}}');
point('a scalar is one value or more', "x: 1\na: p{{x}}q{{x + 1}}r\n", '"p1q2r"', select => 'a');
point('a key and a value in an item', "a:\n  - b: 1\n", '[{"b":1}]', select => 'a');
point('a key and stanzas in an item', "a:\n  - b:\n      - 1\n", '[{"b":[1]}]', select => 'a');
point('a key, a value and a mapping in an item', "a:\n  - b: 1\n    c: 2\n", '[{"b":1,"c":2}]', select => 'a');
point('new ... as', "prototype P:\n  a: 1\nnew P as q:\n  b: 2\n", '{"q":{"a":1,"b":2}}');
point('elif, more than one', "x: 3\nif x == 1:\n  a: 1\nelif x == 2:\n  a: 2\nelif x == 3:\n  a: 3\n", '{"x":3,"a":3}');
point('extend of a scalar key by a list in a line', "a:\n  - 1\nextend a: []\n", '[1]', select => 'a');

# ---- resolving
point('predecessors', "foo:\n  - 1\n  - 2\n\nextend foo:\n  - 3\n", '{"foo":[1,2,3]}');
point('the head', "foo:\n    a: {{ here.b }}\nfoo:\n    b: 1\n", '{"foo":{"a":1,"b":1}}');
point('what is resolved first', "baz:\n  - 5\n  - 6\n  - 7\n  - 8\nfoo: {{ 1 + 2 }}\nbar: {{ baz[foo] }}\n", '8', select => 'bar');
point('only what is needed', "foo:\n   bar: {{ some_other_section }}\n   baz:\n     qux: 1\n     quix: 2\n", '2', select => 'foo.baz.quix');
point('a guard is resolved, its block is not', <<'Y', '"really happy"', select => 'default');
cond: hello
default: happy

% if cond == "hello"
    default: really happy
    dont_resolve_me: {{ some.datastructure[0].somewhere.else }}
Y
point('guards that are false, one after another', "var: 1\n\n% if 0:\n    var: 2\n\n% if 0:\n    var: 3\n\nfoo: {{ var }}\n", '{"var":1,"foo":1}');
point('let is set', "somevar: 123\n\nfoo:\n    % let temp1 = 123\n    bar: {{ somevar }} {{ temp1 }}\n", '"123 123"', select => 'foo.bar');
point('a long access', <<'Y' x 0 . <<'Z', '[9,7]', expression => '[a, b]');
foo:
  bar:
    - 7
    - baz:
        k:
          - 9
        p: 4
v:
  - bar: k
{{ 1 }}
Y
foo:
  bar:
    - 7
    - baz:
        k: 9
v:
  - bar: k
a: {{ foo.bar[1].baz[v[0].bar] else foo.bar[0] }}
b: {{ foo.bar[1].nobaz[v[0].bar] else foo.bar[0] }}
Z
point('scope is lexical', <<'Y', '[{"i":1,"b":6},{"i":2,"b":6}]', select => 'foo');
baz:
  - 1
  - 2
i: 5
b: {{i+1}}
foo:
  for i in baz:
      - i: {{ i }}
        b: {{ b }}
Y
point('a loop', "baz:\n  - 1\n  - 2\nfoo:\n  % for i in baz\n      - {{ i }}\n", '[1,2]', select => 'foo');
point('a lazy include', { 'm' => "% import {{ language }}.yay\nlanguage: fr\n", 'fr.yay' => "hello_world: Bonjour!\n" },
	'{"hello_world":"Bonjour!","language":"fr"}');
point('which sees what comes later', { 'm' => "include language + '.yay'\nlanguage: fr\nlanguage: de\n", 'fr.yay' => "h: Bonjour\n", 'de.yay' => "h: Hallo\n" },
	'"Hallo"', select => 'h');

# ---- the catalogue: lexer
point('F1 a key with punctuation', "a:b: 1\n1: 4\n\$x!: 2\n", '{"a:b":1,"1":4,"$x!":2}');
point('F1 a tab is part of the key', "a:\n  b: 1\n", '{"a":{"b":1}}');
point('F2 reserved words are no keys', "$_: 1\n", '/ParseError|SyntaxError|Unexpected/')
	for qw(if new in include for set call and not lambda select macro search prototype as is or elif);
point('F2 words that begin with one are', "extended: 1\nsettings: 2\nforest: 3\nnotes: 4\niff: 5\n",
	'{"extended":1,"settings":2,"forest":3,"notes":4,"iff":5}');
point('F3 a blank before the colon', "key : v\n", '{"key":"v"}');
point('F3 none behind it', "key:v\n", '/Unexpected|ParseError|EOL|end/');
point('F3 a value with a colon', "a: b: c\n", '/Unexpected|ParseError/');
point('F3 URLs', "a: http://x:80/\nb: x:y\n", '{"a":"http://x:80/","b":"x:y"}');
point('F4 comments', "a: # c\nb: x # c\n", '{"a":"","b":"x # c"}');
point('F5 quotes go away at the start of a word', "a: \"x\" y\nb: say \"hi\" to\nc: 'x'\n", q({"a":"x y","b":"say \"hi\" to","c":"'x'"}));
point('F5 templates within quotes', "x: 1\na: \"b: {{x}} # d\"\n", '"b: 1 # d"', select => 'a');
point('F6 blanks at the end', "a: x  \t\nb: {{ 5 }}\n", '{"a":"x","b":5}');
point('F7 single braces', "a: {x}\nb: x}}\n", '{"a":"{x}","b":"x}}"}');
point('F8 hyphens', "a:\n  -1\n  -x\n", '{"a":[1,"x"]}');
point('F9 numbers', "a: {{ [0, 7, 0XfF, 0O17, 0B11, 1.5, 1e+3, 2.5E-1] }}\n", '[0,7,255,15,3,1.5,1000.0,0.25]', select => 'a');
point('F9 texts', q(a: {{ ['x', "y", '''z''', u'w', r'\n', 'a\tb', '\x41'] }}) . "\n", '["x","y","z","w","\\\\n","a\\tb","A"]', select => 'a');
point('F10 inconsistent indentation', "a:\n    b: 1\n  c: 2\n", '/WhitespaceError/');
point('F10 a document may start indented', "  a: 1\n  b: 2\n", '{"a":1,"b":2}');
point('F11 blocks', "a: |\n  x # y\n  - z\n  \"q\"\nb: 1\n", '"x # y\\n- z\\n\\"q\\"\\n"', select => 'a');
point('F12 carriage returns', "a: 1\rb: 2\r\nc: 3", '{"a":1,"b":2,"c":3}');

# ---- resolution
point('R3 a value that needs itself', "a: 1\na: {{ a + 1 }}\n", '/CycleError/');
point('R4 mappings merge', "a:\n  x: 1\n  y:\n    p: 1\na:\n  y:\n    q: 2\n  z: 3\n", '{"a":{"x":1,"y":{"p":1,"q":2},"z":3}}');
point('R4 a mapping over a scalar', "a: 1\na:\n  b: 1\n", '/TypeError/');
point('R4 a scalar over a mapping', "a:\n  b: 1\na: 1\n", '{"a":1}');
point('R5 keys in the order of their first definition', "b: 1\na: 1\nb: 2\n", '{"b":2,"a":1}');
point('R6 a macro sees the loop that calls it', "macro M:\n  - {{ i }}\na:\n  for i in [1, 2]:\n    call M:\n      x: 1\n", '[1,2]', select => 'a');
point('R7 here in a list item', "a:\n  - n: 1\n    m: {{ here.n }}\n", '[{"n":1,"m":1}]', select => 'a');
point('R7 here at the root', "n: 4\nm: {{ here.n }}\n", '{"n":4,"m":4}');
point('R7 here in an included text', { m => "a:\n  include 'i.yay'\n  n: 1\n", 'i.yay' => "m: {{ here.n }}\n" }, '{"a":{"m":1,"n":1}}');
point('R8 set before its line', "a: {{ x }}\nset x = 1\n", '{"a":1}');
point('R8 the last set wins', "set x = 1\na: {{ x }}\nset x = 2\n", '{"a":2}');
point('R8 set shadows a key', "x: key\nset x = 1\na: {{ x }}\n", '1', select => 'a');
point('R8 and does not leak', "b:\n  set x = 1\na: {{ x }}\n", '/NoMatching/');
point('R9 a guard that undoes itself', "a: 1\nif a == 1:\n  a: 2\n", '/ParadoxError/');
point('R10 neighbours', "a: 1\nb: 2\nif a == 1:\n  c: 1\nif b == 2:\n  d: 1\n", '{"a":1,"b":2,"c":1,"d":1}');
point('R11 keys that need each other', "a: {{ b }}\nb: {{ c }}\nc: {{ a }}\n", '/CycleError/');
point('R12 a document that includes itself', { m => "include 'm'\na: 1\n" }, '/CycleError/');
point('R12 two that include each other', { m => "include 'n'\na: 1\n", n => "include 'm'\nb: 1\n" }, '/CycleError/');

# ---- values
point('numbers as they are written', "a: 1_000\nb: +5\nc: 007\nd: 0x10\ne: 13.10\nf: v{{ e }}\n", '{"a":1000,"b":5,"c":7,"d":"0x10","e":13.1,"f":"v13.10"}');
point('floats without a number', "a: {{ 1 / 4 }}\nb: {{ 8 / 2 }}\nc: x{{ 3 / 2 }}\n", '{"a":0.25,"b":4.0,"c":"x1.5"}');
point('plus', "a: {{ '1' + '2' }}\nb: {{ 'x' + 1 }}\n", '{"a":3,"b":"x1"}');
point('floor and rest', "a: {{ [-7 // 2, -7 % 3, 7 // -2, 7 % -3] }}\n", '[-4,2,-4,-2]', select => 'a');
point('big numbers', "a: {{ 2 ** 70 }}\n", '{"$int":"1180591620717411303424"}', select => 'a');
point('division by zero', "a: {{ 1 / 0 }}\n", '/ZeroDivisionError/');
point('the rest by zero', "a: {{ 1 % 0 }}\n", '/ZeroDivisionError/');
point('a number that is none', "a: {{ 'foo' * 2 }}\n", '/TypeError/');
point('equality', "a: {{ [5 == '5', 5 == 5.0, 'a' == 'a', [1] == [1], {} == {}] }}\n", '[false,true,true,true,true]', select => 'a');
point('order is of numbers', "a: {{ 'a' < 'b' }}\n", '/TypeError/');
point('truth', "l:\n  for x in ['', 'false', 0, 1, '0', 0.0]:\n    - {{ 'y' if x else 'n' }}\n", '["n","y","n","y","y","n"]', select => 'l');
point('a list is no guard', "l:\n  - 1\nif l:\n  a: 1\n", '/TypeError/');
point('but one of a ternary', "l:\n  - 1\na: {{ 1 if l else 2 }}\nb: {{ 1 if [] else 2 }}\n", '{"l":[1],"a":1,"b":2}');
point('else catches what is missing', "a: {{ x.y.z else 1 }}\nb: {{ x else y else 2 }}\n", '{"a":1,"b":2}');
point('and nothing else', "l:\n  - 1\na: {{ l[5] else 1 }}\n", '/TypeError/');
point('nor a division', "a: {{ 1 / 0 else 1 }}\n", '/ZeroDivisionError/');
point('its right side is lazy', "a: 1\nb: {{ a else nosuch }}\n", '{"a":1,"b":1}');
point('parentheses', "a: {{ () }}\nb: {{ (1, 2) }}\nc: {{ (1,) }}\nd: {{ (1) }}\n", '{"a":[],"b":[1,2],"c":[1],"d":1}');
point('a list of one', "a: {{ [1] }}\n", '[1]', select => 'a');
point('an index', "l:\n  - 1\na: {{ l[-1] }}\n", '/TypeError/');
point('an index of a text', "a: {{ 'abc'[1] }}\n", '/TypeError/');
point('a key is a text', "m:\n  1: x\na: {{ m['1'] }}\n", '"x"', select => 'a');
point('slices', "l: {{ range(6) }}\na: {{ [l[1:3], l[:2], l[4:], l[0:6:2], l[5:0:-2]] }}\n", '[[1,2],[0,1],[4,5],[0,2,4],[5,3,1]]', select => 'a');
point('functions', "a: {{ replace('aXb', 'X', '-') }}\nb: {{ sub('[0-9]+', '<\\\\g<0>>', 'a12b3') }}\nc: {{ range(3, 0, -1) }}\n",
	'{"a":"a-b","b":"a<12>b<3>","c":[3,2,1]}');
point('a function that is none', "a: {{ open('/etc/passwd') }}\n", '/NoMatching/');
point('one that is hidden by a key', "sum: 1\na: {{ sum([1]) }}\n", '/TypeError/');
point('for over a scalar', "a:\n  for x in 5:\n    - {{ x }}\n", '/TypeError/');
point('comprehensions', "a: {{ [x + y for x in [1, 2] for y in [10, 20] if x + y > 11] }}\n", '[21,12,22]', select => 'a');
point('select of a number and a truth', "a: 10\nb:\n  select a:\n    10: ten\nc:\n  select 1 == 1:\n    True: yes\n", '{"a":10,"b":"ten","c":"yes"}');
point('select without a case', "a: x\nb:\n  select a:\n    y: 1\n", '/NoMatching/');
point('include in a mapping', { m => "a:\n  x: 1\n  include 'i'\n  z: 3\n", i => "y: 2\nz: 0\n" }, '{"a":{"x":1,"y":2,"z":3}}');
point('include in a list', { m => "a:\n  - 1\n  include 'i'\n  - 3\n", i => "- 2\n" }, '[1,2,3]', select => 'a');
point('include twice', { m => "include 'i'\ninclude 'i'\n", i => "extend a:\n  - 1\n" }, '{"a":[1,1]}');
point('names of what is included', { m => <<'Y', i => "set s = 5\nmacro M:\n  m: {{ x }}\nprototype P:\n  p: 1\n" }, '{"a":5,"m":1,"b":{"p":1,"q":2}}');
include 'i'
a: {{ s }}
call M:
  x: 1
b:
  new P:
    q: 2
Y
point('extend of nothing', "extend a:\n  - 1\n", '{"a":[1]}');
point('extend of a scalar', "a: 1\nextend a:\n  - 1\n", '/TypeError/');
point('extend of a mapping', "a:\n  x: 1\nextend a:\n  - 1\n", '["x",1]', select => 'a');
point('parameters override the prototype', "prototype P:\n  a: 1\n  b: {{ self.a }}\nx:\n  new P:\n    a: 2\n", '{"x":{"a":2,"b":2}}');
point('call merges with its neighbours', "macro M:\n  m: 1\na:\n  k: 1\n  call M:\n    x: 1\n", '{"a":{"k":1,"m":1}}');
point('a macro before its definition', "a:\n  call M:\n    x: 1\nmacro M:\n  m: {{ x }}\n", '{"a":{"m":1}}');
point('the last macro wins', "macro M:\n  m: 1\nmacro M:\n  m: 2\na:\n  call M:\n    x: 1\n", '{"a":{"m":2}}');
point('no predecessor', "a:\n  if 0:\n    b: 1\nif 0:\n  c: 1\n", '{"a":{}}');

# ---- blocks
point('a block keeps one end of line', "a: |\n  x\n  y\n\n\nb: 1\n", '"x\\ny\\n"', select => 'a');
point('all', "a: |+\n  x\n\n\nb: 1\n", '"x\\n\\n\\n"', select => 'a');
point('or none', "a: |-\n  x\n\n\nb: 1\n", '"x"', select => 'a');
point('a folded one', "a: >\n  x\n  y\n\n  z\nb: 1\n", '"x y  z"', select => 'a');
point('templates in one', "n: 3\na: |\n  x{{ n }}\nb: 1\n", '"x3\\n"', select => 'a');
point('a block of digits is text', "a: |\n  42\nb: 1\n", '"42\\n"', select => 'a');
point('the last one of a document', "a: |\n  x: {y}", '"x: {y}\\n"', select => 'a');

# ---- errors: where they are
sub at { my ($title, $text, $type, $place, %more) = @_; push @cases, [$title, $text, "\@$type $place", %more] }
at('a name', "a: 1\nb:\n  c: x{{ nosuch }}\n", 'NoMatching', 'm 3 7');
at('a key of a mapping', "a:\n  b: 1\nc: {{ a.x }}\n", 'NoMatching', 'm 3 4');
at('behind a block', "a: |\n  1\n  2\nb: {{ nosuch }}\n", 'NoMatching', 'm 4 4');
at('behind letters of two bytes', "a: \xc3\xa9\xc3\xa9{{ nosuch }}\n", 'NoMatching', 'm 1 6');
at('in what is included', { m => "include 'i'\n", i => "a: 1\n\nb: {{ x }}\n" }, 'NoMatching', 'i 3 4');
at('syntax in what is included', { m => "include 'i'\n", i => "a: 1\nb: {{ 1 + }}\n" }, 'UnexpectedSymbolError', 'i 2 11');
at('a template without its end', "a: {{ 1\n", 'EOLParseError', 'm 1 8');
at('an include', "a: 1\ninclude 'none'\n", 'NotFound', 'm 2 1');

spew("$W/asks", join '', map {
	my (undef, $text, undef, %more) = @$_;
	my $files = ref $text ? $text : { m => $text };
	utf8::decode(my $line = encode_json({ files => { map { my $t = $files->{$_}; utf8::decode($t); $_ => $t } keys %$files }, main => 'm', %more }));
	utf8::encode($line);
	"$line\n"
} @cases);
open(my $in, '<', "$W/asks");
my (undef, $out) = vetro({ in => do { local $/; <$in> } }, 'yay', '--batch');
my @answers = split /\n/, $out;
for my $i (0 .. $#cases) {
	my ($title, undef, $want) = @{ $cases[$i] };
	my $got = $answers[$i] // 'no answer';
	if ($want =~ m{^/(.*)/$}) {
		like($got, qr/^\{"error":\{"type":"[^"]*(?:$1)|"message":"[^"]*(?:$1)/, "$title: an error");
	} elsif ($want =~ /^\@(.*)/) {
		my $e = eval { decode_json($got)->{error} } // {};
		is(join(' ', map { $_ // '-' } @$e{qw(type file line col)}), $1, "where: $title");
	} else {
		is($got, "{\"value\":$want}", $title);
	}
}
done();
