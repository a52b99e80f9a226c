#!/usr/bin/perl
# The functions that only `vetro query` has: paths, try(), documents that come later, JSON as text.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $doc = '{"a":{"b":[{"c":1},{"c":2}]},"n":[3,1]}';
sub query { my ($in, @args) = @_; return vetro({ in => $in }, 'query', '-c', @args) }

sub gives {
	my ($expr, $want, $in, @args) = @_;
	my ($st, $out, $err) = query($in // $doc, $expr, @args);
	ok($st == 0 && $out eq "$want\n", $expr, "want $want", "got  $out", $err);
}

sub fails {
	my ($expr, $pattern, $in, @args) = @_;
	my ($st, $out, $err) = query($in // $doc, $expr, @args);
	ok($st == 1 && $err =~ $pattern, "$expr fails", $st, $out, $err);
}

gives 'assign($.a.b[0].c, $.n)', '{"a":{"b":[{"c":[3,1]},{"c":2}]},"n":[3,1]}';
gives '$.update($.a.b.c, $ + 1).unset($.n[0])', '{"a":{"b":[{"c":2},{"c":3}]},"n":[1]}';
gives 'unset($.a.b[$.c > 1])', '{"a":{"b":[{"c":1}]},"n":[3,1]}';
gives 'unset($.n[-1])', '{"a":{"b":[{"c":1},{"c":2}]},"n":[3]}';
gives 'unset($.zzz.y)', $doc;
gives 'unset($)', 'null';
gives 'pathsOf($.a.b.where($.c = 2).c)', '[["a","b",1,"c"]]';
gives '$.a.assign($.b.select($.c), 7)', '{"b":[{"c":7},{"c":7}]}';
gives 'assign($.n[3], 0).n', '[3,1,null,0]';
gives 'let(i => 1) -> assign($.n[$i], 9).n', '[3,9]';
gives 'update($.a.b, $.select($.c)).a', '{"b":[1,2]}';
gives 'update($.a.values(), 1).a', '{"b":1}';
gives 'update($.n, $.orderBy($)).n', '[1,3]';
gives 'null.assign($.a[1].b, 1)', '{"a":[null,{"b":1}]}';
gives '$.paths().len()', '9';
gives '$.setPath([a, b], 1).getPath([a, b])', '1';
fails 'assign(1, 2)', qr/:1:8: error\[E4110\].*a path begins with \$/;
fails 'assign($.a)', qr/a path and a value are wanted/;
fails 'assign($.a.len(), 1)', qr/a path goes on with/;
fails '$.assign($x.a, 1)', qr/the path of a method begins with \$/;
fails 'assign($.n.x, 0)', qr/TypeError: the path wants a dict, and there is a number/;
fails 'assign($.n[99999999999], 0)', qr/beyond what a path makes/;
fails 'null.setPath(["a"] * 1000000, 1)', qr/RecursionError: maximum recursion depth/;
fails 'null.setPath([0] * 5000, 1)', qr/RecursionError: maximum recursion depth/;
fails 'null.setPath(["a"] * 999, 1).paths().len() + null.setPath(["a"] * 1001, 1).len()', qr/RecursionError/;
fails 'assign($.n[-5], 0)', qr/there is no item -5: the list has 2/;
gives 'try($.zz, 1)', '1';
gives 'try($.n.select(1 / 0), none)', '"none"';
fails 'try($.zz, 1 / 0)', qr/ZeroDivisionError/;
gives '[$, inputs().limit(1)]', "[1,[2]]\n[3,[4]]", '1 2 3 4';
gives 'inputs().sum()', '6', '1 2 3', '-n';
gives '[input(), try(input(), none)]', '[1,"none"]', '1', '-n';
fails 'inputs().sum()', qr/\A<stdin>:1:4: error\[E4021\].*\n.*\n.*\n\z/, '[] tru', '-n';
gives 'inputLine()', "1\n3", "1\n\n2";
spew("$W/f.json", '1');
gives 'inputName()', "\"$W/f.json\"", '', "$W/f.json";
gives '$.n.toJson().fromJson()', '[3,1]';
$ENV{VETRO_T_NAME} = 'x y';
gives 'env().VETRO_T_NAME', '"x y"', '', '-n';
# they are no functions of a batch
my ($st, $out) = vetro({ in => '{"expr":"env()"}' }, 'query', '--batch');
ok($out =~ /NoFunctionRegistered/, 'env() of a batch', $out);
done();
