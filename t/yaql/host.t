#!/usr/bin/perl
# Functions of the host in Lua: registration, types, laziness, keyword arguments, levels, calls back, objects, errors,
# the sandbox and its limits. The recorded cases of the suite yaql-host follow where they are at hand.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use IPC::Open2;
use JSON::PP;
use Tap;

my $json = JSON::PP->new->canonical->allow_nonref->utf8;

# A file, and its path.
sub put {
	my ($name, $text) = @_;
	spew("$W/$name", $text);
	return "$W/$name";
}

# Status, output and error of a query over `input` with this script.
sub query {
	my ($lua, $expr, $input) = @_;
	return vetro({ in => $input // 'null' }, 'query', '-c', '--delegates', '--lua', put('host.lua', $lua), $expr);
}

sub gives {
	my ($title, $lua, $expr, $want, $input) = @_;
	my ($st, $out, $err) = query($lua, $expr, $input);
	chomp $out;
	ok($st eq '0' && $out eq $want && $err eq '', "$title: $expr", "want $want", "got  $out", $err, "status $st");
}

sub fails {
	my ($title, $lua, $expr, $want, $input) = @_;
	my ($st, $out, $err) = query($lua, $expr, $input);
	ok($st eq '1' && $out eq '' && $err =~ $want, "$title: $expr", "want $want", "got  $err", $out, "status $st");
}

# A registration: name, parameters, body of the Lua function, other fields.
sub fn {
	my ($name, $params, $args, $body, $more) = @_;
	return "vetro.register { name = '$name', params = '$params', fn = function($args) $body end, " . ($more // '') . " }\n";
}

sub id {
	my ($params, $more) = @_;
	return fn('id', $params, 'x', 'return x', $more);
}

my $none = qr/No function "id" matches/;

# ---- registration ------------------------------------------------------------------------------------------------
gives('a function', fn('twice', 'x: number', 'x', 'return 2 * x'), 'twice(21)', '42');
fails('a function is no method', fn('twice', 'x: number', 'x', 'return 2 * x'), '21.twice()', qr/Unknown method "twice"/);
gives('a method', fn('twice', 'x: number', 'x', 'return 2 * x', 'kind = "method"'), '21.twice()', '42');
fails('a method is no function', fn('twice', 'x: any', 'x', 'return 1', 'kind = "method"'), 'twice(1)', qr/Unknown function "twice"/);
gives('an extension is both', fn('twice', 'x: number', 'x', 'return 2 * x', 'kind = "ext"'), '[twice(1), 2.twice()]', '[2,4]');
gives('a property', fn('#property#half', 'x: int', 'x', 'return x // 2'), '10.half', '5');
gives('overloads by type', id('x: str') . fn('id', 'x: int', 'x', 'return -x'), '[id(a), id(3)]', '["a",-3]');
gives('the more special overload', id('x: any') . fn('id', 'x: str', 'x', 'return "text"'), '[id(1), id(a)]', '[1,"text"]');
fails('equal overloads', id('x: any') x 2, 'id(1)', qr/AmbiguousFunctionException/);
fails('an unknown kind', id('x: any', 'kind = "macro"'), '1', qr/kind is one of/);
fails('an unknown type', id('x: text'), '1', qr/params of 'id': unknown type/);
fails('a mixed type of another form', id('x: lambda|str'), '1', qr/cannot be one of several/);
fails('a level out of range', id('x: any', 'level = 256'), '1', qr/level is a number from 0 to 255/);
fails('a missing function', 'vetro.register { name = "x" }', '1', qr/a table with a function 'fn'/);

# ---- types ---------------------------------------------------------------------------------------------------------
gives('bool is an int', id('x: int'), 'id(true)', 'true');
fails('bool is no integer', id('x: integer'), 'id(true)', $none);
fails('null', id('x: str'), 'id(null)', $none);
gives('null where it may', id('x: str?'), 'id(null)', 'null');
gives('one of two', id('x: str|integer'), '[id(a), id(1)]', '["a",1]');
fails('neither', id('x: str|integer'), 'id(1.5)', $none);
fails('null is not one of two', id('x: str|integer'), 'id(null)', $none);
gives('or null', id('x: str|integer?'), 'id(null)', 'null');
gives('all but', id('x: any-int'), '[id(a), id(null), id(1.5)]', '["a",null,1.5]');
fails('but not this', id('x: any-int'), 'id(1)', $none);
fails('nor its kin', id('x: any-int'), 'id(true)', $none);
gives('a literal', id('x: const'), '[id(1), id(a), id(true)]', '[1,"a",true]');
fails('no literal', id('x: const'), 'id($)', $none, '1');
fails('null is a literal of its own', id('x: const'), 'id(null)', $none);
gives('a literal or null', id('x: const?'), 'id(null)', 'null');
fails('a literal of text', id('x: string_const'), 'id(1)', $none);
gives('a literal bool', id('x: bool_const'), 'id(false)', 'false');
fails('a literal bool is no text', id('x: bool_const'), 'id("true")', $none);
fails('a bool is no literal number', id('x: number_const'), 'id(true)', $none);
gives('a bare word', id('x: keyword'), 'id(word)', '"word"');
fails('a quoted word', id('x: keyword'), 'id("word")', $none);
gives('an iterator arrives as a list', fn('n', 'x: iterable', 'x', 'return #x'), 'n([1,2,3].where($ > 1))', '2');
gives('a dict', fn('a', 'x: mapping', 'x', 'return x.a'), 'a({a => 7})', '7');

# ---- arguments --------------------------------------------------------------------------------------------------------
my $three = fn('f', 'a: int = 1, b: str = "x", c: int? = null', 'a, b, c', 'return vetro.list { a, b, c }');
gives('defaults', $three, 'f()', '[1,"x",null]');
gives('a place left free', $three, 'f(,y)', '[1,"y",null]');
gives('a keyword', $three, 'f(c => 3)', '[1,"x",3]');
gives('keyword after place', $three, 'f(5, c => 3)', '[5,"x",3]');
fails('a keyword twice', $three, 'f(5, a => 3)', qr/No function "f" matches/);
fails('a free place and its keyword', $three, 'f(1,, b => y)', qr/No function "f" matches/);
fails('an unknown keyword', $three, 'f(d => 3)', qr/No function "f" matches/);
fails('a keyword of a wrong type', $three, 'f(b => 3)', qr/No function "f" matches/);
gives('the rest', fn('f', 'a: int, *r: int', 'a, ...', 'return select("#", ...)'), 'f(1, 2, 3)', '2');
fails('a wrong one in the rest', fn('f', '*r: int', '...', 'return 1'), 'f(1, a)', qr/No function "f" matches/);
gives('all keywords', fn('f', '**k: any', 'k', 'return k'), 'f(a => 1, b => 2)', '{"a":1,"b":2}');
fails('keywords are refused', fn('f', 'a: any', 'a', 'return a', 'keywords = false'), 'f(a => 1) + 1', qr/No function "#operator_\+" matches|No function "f"/);

# ---- laziness and calls back ----------------------------------------------------------------------------------------------
gives('a lambda is not evaluated', fn('f', 'x: lambda', 'x', 'return 1'), 'f(1 / 0)', '1');
gives('and is when it is called', fn('f', 'x: lambda', 'x', 'return x(20) + x(22)'), 'f($ + 1)', '44');
fails('its error comes through', fn('f', 'x: lambda', 'x', 'return x()'), 'f(1 / 0)', qr/ZeroDivisionError/);
gives('pcall sees it', fn('f', 'x: lambda', 'x', 'return (pcall(x))'), 'f(1 / 0)', 'false');
gives('an argument is evaluated once', fn('f', 'x: int', 'x', 'return x') . fn('f', 'x: str', 'x', 'return x') .
	'local n = 0; ' . fn('count', '', '', 'n = n + 1; return n'), 'f(count())', '1');
gives('a function is handed out', fn('adder', 'a: int', 'a', 'return function(b) return a + b end'),
	'[1, 2].select(adder(10)($))', '[11,12]');
gives('a lambda with keywords', fn('f', 'x: lambda', 'x', 'return x(vetro.keywords { a = 4 })'), 'f($a + 1)', '5');
fails('overloads that disagree', id('x: any') . id('x: lambda', 'level = 2'), 'id(1 + 1)', qr/AmbiguousFunctionException/);

# ---- levels ------------------------------------------------------------------------------------------------------------------
gives('the inner level wins', id('x: any') . fn('id', 'x: any', 'x', 'return -x', 'level = 2'), 'id(5)', '-5');
gives('an outer one where it does not fit', id('x: any') . fn('id', 'x: str', 'x', 'return "inner"', 'level = 2'), 'id(5)', '5');
gives('before the library', fn('len', 'x: str', 'x', 'return 99'), '[len(abc), len([1])]', '[99,1]');
fails('beside the library', fn('len', 'x: str', 'x', 'return 99', 'level = 0, kind = "ext"'), 'len(abc)', qr/Ambiguous/);
fails('exclusive hides the library', fn('len', 'x: int', 'x', 'return 1', 'exclusive = true'), 'len([1])', qr/No function "len" matches/);
gives('super', fn('len', 'x: str', 'x', 'return 2 * vetro.super(x)'), 'len(abc)', '6');
gives('super of a method', fn('len', 'x: str', 'x', 'return 2 * vetro.super(x)', 'kind = "method"'), '"abc".len()', '6');
gives('super over two levels', fn('len', 'x: str', 'x', 'return 2 * vetro.super(x)') .
	fn('len', 'x: str', 'x', 'return 1 + vetro.super(x)', 'level = 7'), 'len(abc)', '7');
fails('super of nothing', fn('lonely', 'x: str', 'x', 'return vetro.super(x)'), 'lonely(a)', qr/Unknown function "lonely"/);

# ---- the caller's functions and variables ----------------------------------------------------------------------------------------
gives('invoke', fn('f', '', '', 'return vetro.invoke("len", vetro.list { 1, 2 })'), 'f()', '2');
gives('invoke with keywords', $three . fn('g', '', '', 'return vetro.invoke("f", 7, vetro.keywords { c = 9 })'), 'g()', '[7,"x",9]');
gives('invoke what def made', fn('f', 'n: str', 'n', 'return vetro.invoke(n, 3)'), 'def(sq, $ * $) -> f(sq)', '9');
gives('send', fn('f', '', '', 'return vetro.send(vetro.list { 1, 2, 3 }, "where", function(i) return i > 1 end)'), 'f()', '[2,3]');
fails('invoke of nothing', fn('f', '', '', 'return vetro.invoke("nosuch")'), 'f()', qr/Unknown function "nosuch"/);
gives('variables', fn('f', '', '', 'return vetro.list { vetro.var(), vetro.var("x"), vetro.var("none") }'), 'let(x => 5) -> f()', '[7,5,null]', '7');
gives('an expression', fn('f', '', '', 'return vetro.expr("$ * $x")(6)'), 'let(x => 7) -> f()', '42');
gives('many calls of one expression', fn('f', 'x: int', 'x', 'return vetro.expr("$ + 1")(x)'), 'range(1000).select(f($)).sum()', '500500');
gives('a lambda of an expression', fn('f', '', '', 'return vetro.expr("$1 + $2")'), '[1, 2].aggregate(f()($1, $2))', '3');
gives('in lambdas that outlive their call', fn('f', '', '', 'return vetro.expr("$")'), '[5, 6].select(f()).select($())', '[5,6]');
gives('with functions and paths', fn('f', '', '', 'return vetro.expr("$.a.where($ > 1).select(str($))")()'),
	'[{a => [1, 2]}, {a => [3]}].select(f())', '[["2"],["3"]]');
fails('an expression that is none', fn('f', '', '', 'return vetro.expr("1 +")'), 'f()', qr/YaqlGrammarException/);
fails('too many expressions', fn('f', '', '', 'for i = 1, 300 do vetro.expr(i .. "+ 1") end'), 'f()', qr/too many expressions|too large/);
fails('not while the script loads', 'vetro.invoke("len", "abc")', '1', qr/only while a function of the host is called/);

# ---- objects ------------------------------------------------------------------------------------------------------------------------
my $class = <<'LUA';
local class = { attr = 123, _secret = 1 }
class.__index = class
function class:m_foo(a, b) return a - b end
function class:bar(s) return s:upper() end
function class:child() return setmetatable({ d = 5 }, class) end
function thing(settings)
	return vetro.object(setmetatable({ 10, 20, own = "o" }, class), settings)
end
LUA
sub thing {
	my ($settings) = @_;
	return $class . "local t = thing { $settings }\n" . fn('t', '', '', 'return t');
}
gives('an attribute', thing(''), 't().attr', '123');
gives('a safe attribute', thing(''), 't()?.attr', '123');
gives('a method', thing(''), 't().m_foo(5, 2)', '3');
gives('an argument is evaluated', thing(''), 't().m_foo(5 + 1, $)', '4', '2');
gives('keywords of a method', thing('params = { m_foo = "a, b" }'), 't().m_foo(b => 2, a => 6)', '4');
gives('keyword after place', thing('params = { m_foo = "a, b" }'), 't().m_foo(6, b => 2)', '4');
fails('a keyword nobody named', thing(''), 't().m_foo(5, b => 2)', qr/TypeError: .*keyword argument 'b'/);
fails('an unknown attribute', thing(''), 't().nosuch', qr/AttributeError/);
fails('an unknown method', thing(''), 't().nosuch()', qr/AttributeError/);
fails('a name with an underscore', thing(''), 't()._secret', qr/AttributeError: Cannot access _secret/);
gives('an item', thing(''), 't()[own]', '"o"');
gives('an item by number', thing(''), 't()[2]', '20');
gives('an item by a function', thing('index = function(self, key) return key .. "!" end'), 't()[key]', '"key!"');
fails('an item that is not there', thing(''), 't()[99]', qr/KeyError/);
gives('a white list', thing('white = { "bar" }'), 't().bar(a)', '"A"');
fails('not on the white list', thing('white = { "bar" }'), 't().m_foo(5, 2)', qr/AttributeError: Cannot access m_foo/);
fails('a black list', thing('black = { "attr" }'), 't().attr', qr/AttributeError: Cannot access attr/);
fails('a list with a function', thing('black = { function(n) return n:find("^m_") end }'), 't().m_foo(5, 2)', qr/Cannot access m_foo/);
gives('the others stay', thing('black = { function(n) return n:find("^m_") end }'), 't().bar(a)', '"A"');
gives('another name', thing('rename = { minus = "m_foo" }'), 't().minus(5, 2)', '3');
fails('the old one is gone', thing('rename = { minus = "m_foo" }'), 't().m_foo(5, 2)', qr/Cannot access m_foo/);
gives('keywords renamed', thing('rename = { minus = { "m_foo", { less = "b" } } }, params = { m_foo = "a, b" }'), 't().minus(5, less => 2)', '3');
fails('no attributes', thing('attributes = false'), 't().attr', qr/NoFunctionRegisteredException/);
fails('no methods', thing('methods = false'), 't().bar(a)', qr/Unknown method "bar"/);
fails('no items', thing('indexer = false'), 't()[own]', qr/No function "#indexer" matches/);
gives('results become objects', thing('auto = true'), 't().child().d', '5');
gives('an object comes back as it was', thing('') . fn('same', 'x: host', 'x', 'return x == t'), 'same(t())', 'true');
gives('one table is one object', thing(''), '[t() = t(), [t(), t()].distinct().len()]', '[true,1]');
gives('through a list', thing(''), '[t(), t()].select($.attr)', '[123,123]');

# ---- errors -----------------------------------------------------------------------------------------------------------------------------
fails('the line of the script', "-- one\n-- two\n" . fn('f', '', '', 'error("oh no")'), 'f()', qr/LuaError: .*host\.lua:3: oh no/);
fails('a known type', fn('f', '', '', 'vetro.raise("ValueError", "bad")'), 'f()', qr/ValueError: bad/);
fails('a type of its own', fn('f', '', '', 'vetro.raise("com.example.Late", "too late")'), 'f()', qr/too late/);
fails('the place in the expression', fn('f', '', '', 'error("x")'), '1 + f()', qr/1 \+ f\(\)\n[ |]+\^/);
fails('a script that does not parse', "local x =\n=", '1', qr/host\.lua:2:/);
fails('a value without a form', fn('f', '', '', 'return coroutine.create(print)'), 'f()', qr/a Lua thread cannot be a value/);
fails('a list in itself', fn('f', '', '', 'local t = {}; t[1] = t; return t'), 'f()', qr/nested too deep/);
fails('text that is not UTF-8', fn('f', '', '', 'return "\255"'), 'f()', qr/not valid UTF-8/);

# ---- the sandbox ------------------------------------------------------------------------------------------------------------------------
for my $g (qw(io os package debug require dofile loadfile load collectgarbage)) {
	gives("there is no $g", fn('f', '', '', "return $g == nil"), 'f()', 'true');
}
fails('no finalizers', fn('f', '', '', 'setmetatable({}, { __gc = print })'), 'f()', qr/finalizers are not available/);
fails('an endless loop', fn('f', '', '', 'while true do end'), 'f()', qr/more than 200000000 instructions/);
fails('a pattern that tries too much', fn('f', 's: str', 's', 'return s:find(("a*"):rep(20) .. "b")'), 'f("a" * 300)', qr/more than 200000000 instructions/);
fails('a pattern of captures alone', fn('f', 's: str', 's', 'return s:find("(%w+)%1%s%1")'), 'f("a" * 60000)', qr/more than 200000000 instructions/);
fails('pcall does not save that', fn('f', 's: str', 's', 'while true do pcall(string.gsub, s, (".-"):rep(9) .. "b", "") end'),
	'f("a" * 300)', qr/instructions/);
fails('nor is a long search free', fn('f', 's: str', 's', 'for i = 1, 100 do s:match("^.*%d") end return 1'), 'f("a" * 3000000)', qr/instructions/);
gives('patterns', fn('f', 's: str', 's', 'return s:gsub("(%w+)=(%b())%s*", "%2%1,"):match("^(.-),?$") .. table.concat({s:find("=()")}, ":")'),
	'f("k=(1(2)) l=()")', '"(1(2))k,()l2:2:3"');
{
	my $theirs = qx(lua5.4 "$FindBin::Bin/../data/patterns.lua" 2>/dev/null);
	my (undef, undef, $ours) = vetro({}, 'query', '-n', '--lua', "$FindBin::Bin/../data/patterns.lua", '1');
	my $title = "40,000 random patterns as Lua's own library has them";
	if ($theirs eq '') { skip($title, 'lua5.4 is not here') } else { is($ours, $theirs, $title) }
}
fails('pcall does not save it', fn('f', '', '', 'while true do pcall(function() while true do end end) end'), 'f()', qr/instructions/);
fails('memory', fn('f', '', '', 'local t = {}; while true do t[#t + 1] = ("x"):rep(1 << 20) .. #t end'), 'f()', qr/not enough memory/);
fails('one large string', fn('f', '', '', 'return ("x"):rep(1 << 40)'), 'f()', qr/LuaError/);
fails('recursion', fn('f', '', '', 'return vetro.invoke("f")'), 'f()', qr/RecursionError|stack|C stack/i);
fails('an endless iterator', fn('f', 'x: iterable', 'x', 'return #x'), 'f(sequence())', qr/not enough memory|CollectionTooLarge/);

# ---- the recorded cases -------------------------------------------------------------------------------------------------------------------

# The answer to one request; every group has its own functions.
sub ask {
	my ($group, $request) = @_;
	my $choice = put('group.lua', "HOST = '$group'\n");
	my $pid = open2(my $out, my $in, $vetro, 'query', '--batch', '--lua', $choice, '--lua', "$FindBin::Bin/../data/hooks-yaql.lua");
	print $in $json->encode($request), "\n";
	close $in;
	my $line = <$out>;
	waitpid($pid, 0);
	return $json->decode($line // '{}');
}

sub recorded {
	my ($c) = @_;
	my ($name, $group) = $c->{id} =~ /\.(test_(\w+?)(?:_function)?#\d+)$/ or die $c->{id};
	$group = 'function_call' if $name =~ /^test_function_call#/;
	my %request = map { exists $c->{$_} ? ($_ => $c->{$_}) : () } qw(expr data vars options context mode delegates);
	my $got = ask($group, \%request);
	my ($want, $is) = exists $c->{error} ? ($c->{error}, $got->{error}{type}) : map { $json->encode($_) } $c->{expect}, $got->{value};
	ok(defined $is && $want eq $is, "recorded $name: $c->{expr}", "want $want", 'got  ' . ($is // $json->encode($got)));
}

my $cases = "$FindBin::Bin/../../../shared/conformance/yaql/hostfunc.jsonl";
if (open(my $f, '<', $cases)) {
	while (<$f>) {
		my $c = $json->decode($_);
		recorded($c) unless $c->{volatile} || $c->{unportable};
	}
}

done();
