#!/usr/bin/perl
# vetro test --coverage: which statements of a package ran, as lcov's tracefile and as a page.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

$ENV{XDG_CACHE_HOME} = "$W/cache";
mkdir "$W/cache";
my ($rc, $out, $err);

sub record {
	my ($text, $file) = @_;
	return $text =~ /^SF:[^\n]*\Q$file\E\n(.*?)^end_of_record$/ms ? $1 : 'nothing';
}

spew("$W/p/manifest.yaml", <<'Y');
Format: 1.4
Type: Library
FullName: cov.demo
Classes:
  cov.demo.Shop: Shop.yaml
  cov.demo.Unused: Unused.yaml
  cov.demo.Second: Unused.yaml
  cov.demo.ShopTest: ShopTest.yaml
Y
spew("$W/p/Classes/Shop.yaml", <<'Y');
Name: cov.demo.Shop
Extends: io.murano.Object
Methods:
  price:
    Arguments:
      - n:
          Contract: $.int().notNull()
    Body:
      - $sum: 0
      - For: i
        In: range($n)
        Do:
          - $sum: $sum + 1
      - If: $sum > 2
        Then:
          - $sum: 2
      - Match:
          1:
            - Return: one
          2:
            - Return: two
        Value: $sum
        Default:
          - Return: none
  tries:
    Body:
      - Try:
          - Throw: cov.demo.Bad
            Message: '<b>&"bad"</b>'
        Catch:
          With: cov.demo.Bad
          As: e
          Do:
            - Return: $e.message
        Else:
          - Return: never
      - $unreached: 1
  both:
    Body:
      - Parallel:
          - $a: 1
          - Do:
              - $b: 2
              - $b: $b + 1
      - While: $a < 3
        Do:
          - $a: $a + 1
      - Repeat: 2
        Do:
          - $a: $a + 1
      - Switch:
          $a > 4:
            - Return: big
        Default:
          - Return: small
Y
spew("$W/p/Classes/Unused.yaml", <<'Y');
Name: cov.demo.Unused
Extends: io.murano.Object
Methods:
  nobody:
    Body:
      - Return: 1
---
Name: cov.demo.Second
Extends: io.murano.Object
Methods:
  calls:
    Body:
      - Return: 2
Y
spew("$W/p/Classes/ShopTest.yaml", <<'Y');
Namespaces: {=: cov.demo, t: io.murano.test}
Name: ShopTest
Extends: t:TestFixture
Methods:
  testOne:
    Body:
      - $.assertEqual(one, new(Shop).price(1))
  testTwo:
    Body:
      - $.assertEqual(two, new(Shop).price(2))
  testThrows:
    Body:
      - $.assertEqual('<b>&"bad"</b>', new(Shop).tries())
  testBoth:
    Body:
      - $.assertEqual(big, new(Shop).both())
  testSecond:
    Body:
      - $.assertEqual(2, new(Second).calls())
Y

for my $jit (qw(memory cc)) {
	($rc, $out, $err) = vetro('test', "--jit=$jit", '--coverage', "$W/cov-$jit", "$W/p");
	is($rc, 0, "--jit=$jit: the tests pass") or print "# $err\n";
	like($out, qr{^# 5 of 5 tests passed\n# coverage: [\d.]+% of statements \(\d+ of \d+\), .*\n# coverage: \Q$W\E/cov-$jit/index.html\n\z}m,
		'the summary is a comment of TAP');
}
my $lcov = slurp("$W/cov-memory/lcov.info");
is(slurp("$W/cov-cc/lcov.info"), $lcov, 'in memory and in a file the same is counted');
is(record($lcov, 'p/Classes/Shop.yaml'), <<'E2', 'methods, ways and lines of a class');
FN:4,cov.demo.Shop::price
FN:25,cov.demo.Shop::tries
FN:38,cov.demo.Shop::both
FNDA:2,cov.demo.Shop::price
FNDA:1,cov.demo.Shop::tries
FNDA:1,cov.demo.Shop::both
FNF:3
FNH:3
BRDA:14,5,0,0
BRDA:14,5,1,2
BRDA:17,9,0,1
BRDA:17,9,1,1
BRDA:17,9,2,0
BRDA:27,19,0,1
BRDA:51,32,0,1
BRDA:51,32,1,0
BRF:8
BRH:5
DA:9,2
DA:10,2
DA:13,3
DA:14,2
DA:16,0
DA:17,2
DA:19,1
DA:21,1
DA:24,0
DA:27,1
DA:28,1
DA:34,1
DA:36,0
DA:37,0
DA:40,1
DA:41,1
DA:43,1
DA:44,1
DA:45,3
DA:47,2
DA:48,1
DA:50,2
DA:51,1
DA:53,1
DA:55,0
LF:25
LH:20
E2
is(record($lcov, 'p/Classes/Unused.yaml'), <<'E2', 'two classes of one file are one record, and one of them never ran');
FN:4,cov.demo.Unused::nobody
FN:11,cov.demo.Second::calls
FNDA:0,cov.demo.Unused::nobody
FNDA:1,cov.demo.Second::calls
FNF:2
FNH:1
BRF:0
BRH:0
DA:6,0
DA:13,1
LF:2
LH:1
E2
unlike($lcov, qr/io\.murano|TestFixture/, 'classes of other packages are left out');

# ---- the page

my $page = slurp("$W/cov-memory/index.html");
like($page, qr{<tr class="no"><td class=l>16<td class=c>never<td class=t> +- \$sum: 2\n}, 'a line that never ran');
like($page, qr{<tr class="yes"><td class=l>45<td class=c>3<td class=t>      - While: \$a &lt; 3\n}, 'one that did, and how often');
like($page, qr{<tr class="part"><td class=l>14<td class=c>2<td class=t>.* <i>never: Then</i>\n}, 'a way that nobody went');
like($page, qr{<i>never: Default</i>}, 'the ways of Match');
like($page, qr{<tr class=""><td class=l>29<td class=c><td class=t>            Message: '&lt;b&gt;&amp;&quot;bad&quot;&lt;/b&gt;'\n},
	'text of the source is text');
unlike($page, qr/<script|https?:|src=|url\(/i, 'the page fetches and runs nothing');

# ---- a test that does not end by itself has counted

spew("$W/p/Classes/ShopTest.yaml", <<'Y');
Namespaces: {=: cov.demo, t: io.murano.test, sys: io.murano.system}
Name: ShopTest
Extends: t:TestFixture
Methods:
  testHangs:
    Body:
      - new(Second).calls()
      - While: (true)
        Do:
          - $x: 1
Y
($rc, $out, $err) = vetro('test', '--coverage', "$W/cov", '--timeout', '0.7', "$W/p");
is($rc, 1, 'a test is killed');
$lcov = slurp("$W/cov/lcov.info");
like($lcov, qr/^DA:13,1$/m, 'what it did before counts');
like($lcov, qr/^DA:10,\d\d+$/m, 'and what it did again and again');

# ---- other results, other ways

($rc, $out, $err) = vetro('test', '--format=junit', '--coverage', "$W/cov", '--timeout', '0.5', "$W/p");
like($out, qr{\A<\?xml.*</testsuites>\n\z}s, 'JUnit stays as it is');
like($err, qr/^# coverage: \d/m, 'and the summary goes to standard error');
($rc, $out, $err) = vetro('test', '--coverage', "$W/none", '--list', "$W/p");
is($out, "cov.demo.ShopTest.testHangs\n", '--list lists');
ok(!-e "$W/none", 'and writes nothing');
spew("$W/file", "kept\n");
($rc, $out, $err) = vetro('test', '--coverage', "$W/file/below", "$W/p");
isnt_zero($rc, $err, qr/^vetro: --coverage \Q$W\E\/file\/below: the folder cannot be made: Not a directory$/m, 'a folder that cannot be');
($rc, $out, $err) = vetro('test', '--coverage', "$W/file", "$W/p");
isnt_zero($rc, $err, qr/--coverage \Q$W\E\/file: .*Not a directory/, 'a file in the place of the folder');
is(slurp("$W/file"), "kept\n", 'which stays');

# ---- the example of docs/debugging.md

my $top = "$FindBin::Bin/../..";
my ($page_has) = slurp("$top/docs/debugging.md") =~ /^(# coverage: .*)$/m;
($rc, $out, $err) = vetro('test', '--coverage', "$W/report", "$top/examples/fleet");
like($out, qr/^\Q$page_has\E$/m, 'the summary is that of the page');

# ---- paths: those below the working directory begin there, however the package was named
sub sources { return join ' ', sort(slurp("$_[0]/lcov.info") =~ /^SF:(.*)$/mg) }
for my $named ('p', './p', "$W/p", "$W/../" . ($W =~ s{.*/}{}r) . '/p') {
	vetro({ dir => $W }, 'test', '--timeout', '0.5', '--coverage', "$W/paths", $named);
	is(sources("$W/paths"), 'p/Classes/Shop.yaml p/Classes/ShopTest.yaml p/Classes/Unused.yaml', "sources begin at the working directory: $named");
}
unlike(slurp("$W/paths/index.html"), qr/\Q$W\E/, 'the page too');
mkdir "$W/elsewhere";
vetro({ dir => "$W/elsewhere" }, 'test', '--timeout', '0.5', '--coverage', "$W/paths", "$W/p");
like(sources("$W/paths"), qr{^\Q$W\E/p/Classes/Shop\.yaml }, 'others are named as they were');

sub isnt_zero {
	my ($status, $text, $pattern, $title) = @_;
	ok($status != 0, "$title: status");
	like($text, $pattern, $title);
}
done();
