#!/usr/bin/perl
# `vetro fmt`: one layout for YAML, MuranoPL, YAQL and Yay; what a text means and its comments stay, and so does a file that cannot be read.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;
use File::Find;

$ENV{XDG_CACHE_HOME} = "$W/cache";
my $top = "$FindBin::Bin/../..";

# The layout of a text that is a file of that name; it is its own.
my $n = 0;
sub laid {
	my ($name, $text) = @_;
	my $dir = "$W/l" . $n++;
	mkdir $dir;
	spew("$dir/$name", $text);
	my ($rc, $out, $err) = vetro('fmt', "$dir/$name");
	return "status $rc: $err" if $rc;
	my $once = slurp("$dir/$name");
	my ($again) = vetro('fmt', '--check', "$dir/$name");
	return $again ? "the layout has another one:\n$once" : $once;
}
sub becomes { my ($name, $text, $want, $what) = @_; is(laid($name, $text), $want, $what) }

# ---- YAML ----

becomes('a.yaml', "a:   1\nb:\n    - x\n    -   y:  2\n        z: 3\n", "a: 1\nb:\n  - x\n  - y: 2\n    z: 3\n", 'two blanks a level');
becomes('a.yaml', "a:\n- x\n- - y\n  -   z\n", "a:\n  - x\n  - - y\n    - z\n", 'lists stand below their key');
becomes('a.yaml', "\n\na: 1\n\n\n\nb: 2\n\n", "a: 1\n\nb: 2\n", 'one empty line in a row, none at the ends');
becomes('a.yaml', "a:\n\n  b: 1\n", "a:\n  b: 1\n", 'none before a first item');
becomes('a.yaml', "\xef\xbb\xbfa: 1\r\nb: 'x\r\n  y'  \r\n", "a: 1\nb: 'x\n  y'\n", 'line ends, blanks at them and the mark of byte order');
becomes('a.yaml', 'a: 1', "a: 1\n", 'the last line is ended');
becomes('a.yaml', '', '', 'nothing is nothing');
becomes('a.yaml', "# a\n\n\n   # b\n", "# a\n\n# b\n", 'comments alone');
becomes('a.yaml', "a: {  b: 1 ,c: [ 1,2 ] ,}\n", "a: {b: 1, c: [1, 2]}\n", 'brackets on a line');
becomes('a.yaml', "a: { b: 1,\n     c: 2 }\n", "a: {\n  b: 1,\n  c: 2\n}\n", 'a map in brackets has one pair a line when it has several');
becomes('a.yaml', "a: [1, 2,\n    3, 4]\n", "a: [\n  1, 2,\n  3, 4\n]\n", 'a list keeps its lines');
becomes('a.yaml', "a: [{\n  b: 1}]\n", "a: [{\n  b: 1\n}]\n", 'brackets that open together');
becomes('a.yaml', "a: [ b: 1, ? c : 2, {d, e: } ]\n", "a: [b: 1, c: 2, {d, e}]\n", 'pairs without braces and keys without values');
becomes('a.yaml', "a: [ # one\n  x, # two\n  # three\n  y\n  # four\n  ] # five\n",
	"a: [ # one\n  x, # two\n  # three\n  y\n  # four\n] # five\n",
	'comments in brackets');
becomes('a.yaml', "a:\n    text\n", "a: text\n", 'a value goes up to its key');
my $long = 'word ' x 20;
becomes('a.yaml', "a:\n    ${long}x\n", "a:\n  ${long}x\n", 'but not beyond 100 columns');
becomes('a.yaml', "a:\n    two\n    lines\n", "a:\n  two\n  lines\n", 'nor when it has several lines');
becomes('a.yaml', "a: |\n      x  \n        y\n\n   \nb: >-\n z\n", "a: |\n  x  \n    y\n\nb: >-\n  z\n", 'block texts keep their bytes');
becomes('a.yaml', "a:\n    - |4-\n             x\n         y\n    - |+\n\n      z\n\n\n    - q\n",
	"a:\n  - |2-\n         x\n     y\n  - |+\n\n    z\n\n\n  - q\n",
	'an indentation that is told, and lines that are kept');
becomes('a.yaml', qq(a: "x\n     y \\\n   z"\n), qq(a: "x\n  y \\\n  z"\n), 'quotes over lines');
becomes('a.yaml', "a: 'x'\nb: \"x\"\nc: 'it''s'\n\"d\": yes\n", "a: 'x'\nb: \"x\"\nc: 'it''s'\n\"d\": yes\n", 'quotes stay as they are');
becomes('a.yaml', "a:   &x   !t   v\nb: &y\n      c: *x\n*x : !!null\n", "a: &x !t v\nb: &y\n  c: *x\n*x : !!null\n", 'anchors, tags and aliases');
becomes('a.yaml', "? [ a ]\n: b\n? e\n", "[a]: b\ne:\n", 'a question mark where none is needed');
becomes('a.yaml', "?   - a\n:   - v\n", "? - a\n: - v\n", 'keys that are lists');
becomes('a.yaml', "%YAML 1.1\n---   # c\na: 1\n...\n---\n- b\n--- text\n", "%YAML 1.1\n--- # c\na: 1\n...\n---\n- b\n--- text\n", 'documents and their marks');
becomes('a.yaml', "# top\na: # one\n   # two\n   b: 1   # three\n   # below b\n  # below a\n# about c\nc: 2\n",
	"# top\na: # one\n  # two\n  b: 1 # three\n  # below b\n# below a\n# about c\nc: 2\n",
	'comments stand where what they are about stands');
becomes('a.yaml', "a:\n- x\n# about b\nb: 1\n", "a:\n  - x\n# about b\nb: 1\n", 'a comment below a list at its key column is about what follows');
becomes('a.yaml', "-   # c\n    a: 1\n-\n    b: 2\n", "- # c\n  a: 1\n- b: 2\n", 'comments behind a -');
becomes('a.yaml', "descripción:   ñ   # é\n", "descripción: ñ # é\n", 'characters of several bytes');
becomes('a.yaml', "a: \$x+1\n", "a: \$x+1\n", 'what looks like an expression is text outside of MuranoPL');

# ---- MuranoPL ----

my $class = <<'E';
Name: A
Properties:
  p:
    Contract: $.int( ).check($>1)
    Default:  2+(1 )
  q:
    Contract: $.string()
    Default: m1-small
    Meta: {x: $a+1}
Methods:
  m:
    Body:
      - $x:  $a+1*( 2-$b )-  -1
      - If: $x>1 and   not ($y)
        Then:
          - $.f( 1,a=>[ 2,3 ] ).g( )[ 0 ]
          - 'text'
          - '$x+ 1'
          - "$x+ 1"
      - $.x:  $?.y  ?.z
E
my $laid = $class;
s/int\( \).check\(\$>1\)/int().check(\$ > 1)/, s/Default:  2\+\(1 \)/Default: 2 + (1)/, 
	s/\$x:  \$a\+1\*\( 2-\$b \)-  -1/\$x: \$a + 1 * (2 - \$b) - -1/, s/\$x>1 and   not/\$x > 1 and not/,
	s/f\( 1,a=>\[ 2,3 \] \)\.g\( \)\[ 0 \]/f(1, a => [2, 3]).g()[0]/,  s/\$\.x:  \$\?\.y  \?\.z/\$.x: \$?.y?.z/ for $laid;
becomes('A.yaml', $class, $laid, 'expressions of bodies, contracts and defaults');
my ($rc, $out, $err);
for my $dir ('runtime/lib/io.murano', 'examples') {
	my $copy = "$W/copy" . $n++;
	run_program({}, 'cp', '-R', "$top/$dir", $copy);
	my @classes;
	find(sub { push @classes, $File::Find::name if /\.yaml\z/ && slurp($_) =~ /^(?:Methods|Properties):/m }, $copy);
	my %before = map { $_ => (vetro('check', '--emit=ast', $_))[1] } @classes;
	($rc, $out, $err) = vetro('fmt', $copy);
	is($rc, 0, "$dir has a layout") or print "# $err\n";
	is(scalar(grep { bare((vetro('check', '--emit=ast', $_))[1]) ne bare($before{$_}) } @classes), 0, "and each of its classes means the same");
	($rc) = vetro('fmt', '--check', $copy);
	is($rc, 0, 'which has no other');
}
# Trees without places, and without the blanks of expressions, whose trees are beside them.
sub bare { my $t = shift; $t =~ s/\d+:\d+|\@\S+|[ \t]+//g; return $t }

# ---- the page ----

my ($from, $to) = slurp("$top/docs/fmt.md") =~ /```yaml\n(.*?)```.*?```yaml\n(.*?)```/s;
becomes('A.yaml', $from, $to, 'what docs/fmt.md shows');
blocks_are_read('docs/fmt.md', $from, $to);

# ---- YAQL and Yay ----

becomes('q.yaql', "\$.where( \$.a>1 and not \$.b ).select( [ \$,-1 ] )\n", "\$.where(\$.a > 1 and not \$.b).select([\$, -1])\n", 'a query');
becomes('q.yaql', "\$.where(\$.a=1)\n   .select({a=>1,  'b  c' => 2})   \n",
	"\$.where(\$.a = 1)\n   .select({a => 1, 'b  c' => 2})\n",
	'keeps its lines and texts');
becomes('a.yay', "a :  1\n\n\nb:\n- x\n-   y:  2\n    z: {{ a }} \nif a:\n     c: |\n         t\n           u\n\n     d:   {}\n",
	"a: 1\n\nb:\n  - x\n  - y: 2\n    z: {{ a }} \nif a:\n  c: |\n    t\n      u\n\n  d: {}\n",
	'Yay, with the blank behind a template that counts');
becomes('a.yay', "a:\n    # c\n    b: \"x\"   \n# d\nset y = 1 + \\\n    2\n",
	"a:\n  # c\n  b: \"x\"\n# d\nset y = 1 + \\\n  2\n",
	'its comments, and lines that are joined');

# ---- the command ----

spew("$W/one.yaml", "a:  1\n");
chmod 0640, "$W/one.yaml";
($rc, $out) = vetro('fmt', '--check', "$W/one.yaml");
is($rc, 1, '--check says so by its status');
is($out, "$W/one.yaml\n", 'names the file');
is(slurp("$W/one.yaml"), "a:  1\n", 'and leaves it');
($rc, $out) = vetro('fmt', '--diff', "$W/one.yaml");
is($rc, 0, '--diff');
like($out, qr/^-a:  1\n\+a: 1\n/m, 'prints what would change');
is(slurp("$W/one.yaml"), "a:  1\n", 'and changes nothing');
($rc, $out) = vetro('fmt', '--check', '--diff', "$W/one.yaml");
is($rc, 1, 'both: the status says so too');
($rc, $out) = vetro('fmt', "$W/one.yaml");
is("$rc $out", "0 $W/one.yaml\n", 'a file that is rewritten is named');
is(slurp("$W/one.yaml"), "a: 1\n", 'and laid out');
is((stat "$W/one.yaml")[2] & 07777, 0640, 'with its permissions');
my $made = (stat "$W/one.yaml")[1];
($rc, $out) = vetro('fmt', "$W/one.yaml");
is("$rc $out", '0 ', 'what is right is neither named');
is((stat "$W/one.yaml")[1], $made, 'nor written');
($rc, $out) = run_program({in => "a:   [ 1 ]\n"}, $vetro, 'fmt', '-');
is("$rc $out", "0 a: [1]\n", 'standard input goes to standard output');

mkdir "$W/tree";
mkdir "$W/tree/$_" for qw(sub .hidden);
spew("$W/tree/$_", "a:  1\n") for qw(sub/b.yml .hidden/c.yaml d.txt);
spew("$W/tree/bad.yaml", "a: [\n");
spew("$W/elsewhere.yaml", "a:  1\n");
symlink "$W/elsewhere.yaml", "$W/tree/link.yaml";
($rc, $out, $err) = vetro('fmt', "$W/tree");
is($rc, 1, 'a folder with a file that is no YAML');
is($out, "$W/tree/sub/b.yml\n", 'the others are laid out');
like($err, qr/bad\.yaml:\d+:\d+: error\[E0201\]/, 'and what is wrong is told');
is(slurp("$W/tree/bad.yaml"), "a: [\n", 'the file stays as it is');
is(slurp("$W/tree/$_"), "a:  1\n", "$_ too") for qw(.hidden/c.yaml d.txt);
is(slurp("$W/elsewhere.yaml"), "a:  1\n", 'links are not followed');
($rc, $out, $err) = vetro('fmt', "$W/nothing.yaml");
is($rc, 1, 'a file that is not there');
like($err, qr/error\[E0101\]/, 'is told');
spew("$W/deep.yaml", ('[' x 300) . (']' x 300) . "\n");
($rc, $out, $err) = vetro('fmt', "$W/deep.yaml");
like($err, qr/error\[E0202\]/, 'nesting has a limit');
spew("$W/bad.yaql", "\$.where(\n");
($rc, $out, $err) = vetro('fmt', "$W/bad.yaql");
like($err, qr/bad\.yaql:\d+:\d+: error\[E0302\]/, 'a query that is none');
becomes('a.yay', "# top\nall:\n    for  a ,b   in [ 1,2 ]   :\n        -   k:   {{a}}\n            # about l\n            l:  {{  b [ 0 ]  }}  x\n"
	. "            # below l\n        # below the items\n    # below for\n"
	. "set  q  =  5+1 ,2\nif   1  :\n  c: \"x  #\"    # c\n  d: {{ \"a   b\" }}   # d\n# end\n",
	"# top\nall:\n  for a, b in [1, 2]:\n    - k: {{ a }}\n      # about l\n      l: {{ b [0] }}  x\n"
	. "      # below l\n    # below the items\n  # below for\n"
	. "set q = 5+1, 2\nif 1:\n  c: \"x  #\" # c\n  d: {{ \"a   b\" }} # d\n# end\n",
	'Yay: blanks of directives and templates, comments where they stand, texts as they are');
becomes('a.yay', "a:\n  b: |\n       x\n     # no text\n   # below b\n  c: >+\n    y\n    # a text\n\n  # c\nd: |+\n  z\n    ",
	"a:\n  b: |\n    x\n  # no text\n  # below b\n  c: >+\n    y\n    # a text\n\n  # c\nd: |+\n  z\n", 'Yay: comments behind block texts');
becomes('a.yaml', "a: |\n  x", "a: |\n  x", 'a block text that has no line end gets none');
becomes('a.yaml', "a: |\n   x\n     ", "a: |\n  x\n    ", 'nor does one that ends with blanks, which are text');
spew("$W/bad.yay", "a:\n  {{ 1 + }}\n");
($rc, $out, $err) = vetro('fmt', "$W/bad.yay");
like($err, qr/bad\.yay:\d+:\d+: error\[E3/, 'a configuration that is none');

# ---- expressions of several lines ----

becomes('B.yaml', <<'A', <<'B', 'blanks of an expression of several lines, whose line ends stay');
Name: B
Methods:
  run:
    Body:
      - $x: $.items.where( $.a>1
              and $.b<2 ).select(
              dict(a=>$.a,b=> $.b)  )
      - $z: $x -
          -1

          + 2
      - Return: concat( 'a
          b',  $x )
A
Name: B
Methods:
  run:
    Body:
      - $x: $.items.where($.a > 1
          and $.b < 2).select(
          dict(a => $.a, b => $.b))
      - $z: $x -
          -1
          + 2
      - Return: concat( 'a
          b',  $x )
B

becomes('B.yaml', <<'A', <<'B', 'and of one in quotes with its tag, whose own quotes stay escaped; text in quotes is text');
Name: B
Methods:
  run:
    Body:
      - $x: !yaql '$.items.where( $.a=''b  c''
               and $.b<2 )'
      - $y: !yaql   "concat( \"a\",
             'b' )"
      - $z: !yaql "concat( 'a
          b' )"
      - $u: !yaql "f( $x,\t1 )"
      - $v: !yaql "f( \
          $x,1 )"
      - $w: ['$x+ 1', "f( $x )"]
      - $s: '$x+
               1'
      - Return: "text with $ (words)  in it"
A
Name: B
Methods:
  run:
    Body:
      - $x: !yaql '$.items.where($.a = ''b  c''
          and $.b < 2)'
      - $y: !yaql "concat(\"a\",
          'b')"
      - $z: !yaql "concat( 'a
          b' )"
      - $u: !yaql "f( $x,\t1 )"
      - $v: !yaql "f( \
          $x,1 )"
      - $w: ['$x+ 1', "f( $x )"]
      - $s: '$x+
          1'
      - Return: "text with $ (words)  in it"
B

# ---- our own sources ----

($rc, $out, $err) = vetro('fmt', '--check', "$FindBin::Bin/../../examples");
is("$rc$out$err", '0', 'the examples are laid out');

done;
