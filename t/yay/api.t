#!/usr/bin/perl
# The C API for Yay: a program over libvetro. The Lua API: vetro.yay in the sandbox and out of it.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

my $top = "$FindBin::Bin/../..";
my $build = $ENV{BUILD} || "$top/build/debug";
$vetro = "$top/$vetro" if $vetro !~ m{^/};
my $config = $ENV{CONFIG} || 'debug';

# Status and output together; status, output and errors.
sub run_three {
	my ($dir, @command) = @_;
	my $pid = fork // die "fork: $!";
	if (!$pid) {
		chdir $dir;
		open(STDIN, '<', '/dev/null') && open(STDOUT, '>', "$W/.o") && open(STDERR, '>', "$W/.e") or exit 126;
		alarm 300;
		exec { $command[0] } @command or exit 127;
	}
	waitpid($pid, 0);
	my $status = $?;
	return ($status & 127 ? -1 : $status >> 8, map { local (@ARGV, $/) = $_; <> // '' } "$W/.o", "$W/.e");
}
sub run_in {
	my ($status, $text, $errors) = run_three(@_);
	return ($status, $text . $errors);
}

# ---- C
mkdir "$W/lib";
my @cc = (split(' ', $ENV{CC} || 'cc'), qw(-std=c11 -g -Wall -Wextra -Werror), "-I$top/compiler/libvetro", "-I$FindBin::Bin/../unit");
push @cc, '-fsanitize=address,undefined' if $config =~ /asan|torture/;
my ($st, $out) = run_in($W, @cc, '-o', "$W/yay", "$FindBin::Bin/../unit/libvetro_yay.c", "-L$build", '-lvetro', "-Wl,-rpath,$build");
is($st, 0, 'a program over the C API builds') or print "# $out\n";
my @runs = (["$W/yay", $W]);
push @runs, ['valgrind', '-q', '--error-exitcode=9', '--leak-check=full', '--errors-for-leak-kinds=definite', "$W/yay", $W]
	if $config !~ /asan|torture/ && !system('command -v valgrind >/dev/null');
for my $run (@runs) {
	($st, $out) = run_in($W, @$run);
	my $n = 0;
	while ($out =~ /^(ok|not ok) - (.*)\n((?:#.*\n)*)/mg) {
		$n++;
		ok($1 eq 'ok', @runs > 1 && $run != $runs[0] ? "valgrind: $2" : $2, $3);
	}
	ok($st == 0 && $n > 60, "$run->[0] ends well", "status $st", $out =~ s/^ok .*\n//mgr);
}

# ---- the example of the guide
my ($guide) = do { local (@ARGV, $/) = "$top/docs/libvetro.md"; <> } =~ /## A configuration\n.*?```c\n(.*?)```/s;
ok($guide, 'docs/libvetro.md has a program');
spew("$W/guide.c", $guide // '');
spew("$W/app.yay", "sites:\n    - url: http://a/\n      port: 81\n    - url: http://b/\n");
($st, $out) = run_in($W, @cc, '-o', "$W/guide", "$W/guide.c", "-L$build", '-lvetro', "-Wl,-rpath,$build");
is($st, 0, 'it builds') or print "# $out\n";
($st, $out) = run_in($W, "$W/guide");
is($out, "http://a/ 81 (app.yay:2)\nhttp://b/ 80 (app.yay:4)\n", 'and prints what it says');

# ---- Lua
my $conf = <<'E';
local conf = [[
name: front
port: 80
ratio: "2.5"
empty:
sites:
  - url: http://{{ name }}:{{ port }}/
    size: 1
  - url: b
    size: {{ nowhere }}
loop: {{ pool }}
pool: {{ loop }}
]]
E

# The body of a function f() in a file of its own: what f() is to a query, or its error.
sub lua {
	my ($body, @options) = @_;
	spew("$W/f.lua", "$conf\nvetro.register { name = 'f', fn = function()\n$body\nend }\n");
	my ($status, $text, $errors) = run_three($W, $vetro, 'query', 'f()', '-c', '--lua', 'f.lua', @options);
	chomp $text;
	return $status == 0 ? $text : $errors;
}
is(lua('local c = vetro.yay(conf); return { c:int("port"), c:number("ratio"), c:text("sites[0].url"), c:bool("empty"), c:get("sites[0]") }'),
	'[80,2.5,"http://front:80/",false,{"size":1,"url":"http://front:80/"}]', 'Lua: typed accessors');
is(lua('local c = vetro.yay(conf); return { c:int("nope", 7), c:text("nope", "x"), c:bool("nope", false), c:get("nope", vetro.null), c:list("nope", {1}) }'),
	'[7,"x",false,null,[1]]', 'Lua: defaults');
is(lua('local c = vetro.yay(conf); return { c:keys(""), c:size("sites"), c:kind("sites"), c:kind(""), c:kind("port") }'),
	'[["name","port","ratio","empty","sites","loop","pool"],2,"list","mapping","scalar"]', 'Lua: parts');
is(lua('local c = vetro.yay(conf); local t = {}; for i, site in c:each("sites") do t[#t + 1] = { i, site:text("url") } end; return t'),
	'[[1,"http://front:80/"],[2,"b"]]', 'Lua: going through a list, without what fails');
is(lua('local c = vetro.yay(conf); local t = {}; for k in c:each("sites[1]") do t[#t + 1] = k end; return t'), '["url","size"]', 'Lua: through a mapping');
is(lua('local c = vetro.yay(conf); local f, l, k = c:at("sites[1].url"):anchor(); return { f, l, k }'), '["yay",8,10]', 'Lua: the anchor');
is(lua('return vetro.yay(conf):eval("[s.url for s in sites][1]"):get()'), '"b"', 'Lua: an expression');
is(lua('return vetro.yay { text = "include \"b.yay\"\na: 1\n", files = { ["b.yay"] = "b: {{ a }}\n" } }:get("b")'), '1', 'Lua: documents in memory');
is(lua('return vetro.yay { layers = { "a: 1\nb: {{ a }}\n", { a = 3 } }, set = { "c=4" } }:get()'), '{"a":3,"b":3,"c":4}', 'Lua: layers and overrides');
like(lua('return vetro.yay(conf):get("sites")'), qr/NoMatching.*Could not find 'nowhere'.*yay:9:11/s, 'Lua: an error with its type and place');
like(lua('return vetro.yay(conf):int("name")'), qr/TypeError.*Expected integer.*yay:1:7/s, 'Lua: a wrong type');
like(lua('return vetro.yay(conf):get("loop")'), qr/CycleError/, 'Lua: a circle');
like(lua('return vetro.yay("a:1\n")'), qr/EOLParseError.*yay:1:4/, 'Lua: a text that is no Yay');
is(lua('local ok, e = pcall(vetro.yay, "a:1\n"); return { ok, (tostring(e):gsub(":.*", "")) }') =~ /^\[false,/ ? 1 : 0, 1, 'Lua: errors can be caught');
like(lua('return vetro.yay { file = "app.yay" }:get()'), qr/sandbox/, 'Lua: no files in the sandbox');
like(lua('return vetro.yay("include \"app.yay\"\n"):get()'), qr/NotFound|could not be found/, 'Lua: nor includes of files');
is(lua('return vetro.yay { file = "app.yay" }:get("sites[1].url")', '--lua-unsafe'), '"http://b/"', 'Lua: a file with --lua-unsafe');
is(lua('return vetro.yay { text = "include \"app.yay\"\n", files = true }:get("sites[0].port")', '--lua-unsafe'), '81', 'Lua: includes with --lua-unsafe');
is(lua('vetro.register { name = "Box", params = "p: any", fn = function(p) return { area = p.w * p.h } end }
	return vetro.yay("new Box as b:\n    w: 3\n    h: 4\nx: {{ b.area }}\n"):int("x")'), '12', 'Lua: class bindings');
like(lua('return vetro.yay("a: {{ [i * j for i in range(100000) for j in range(100000)] }}\n"):get()'), qr/LimitError|steps/, 'Lua: limits');
like(lua('return vetro.yay(conf):get("[")'), qr/path/, 'Lua: a path that is none');
like(lua('local c = vetro.yay(conf); return getmetatable(c).__gc'), qr/attempt to index a string|nil|null/, 'Lua: the metatable is hidden');
like(lua('return vetro.yay(7)'), qr/text or a table/, 'Lua: bad arguments');
is(lua('local t = {}; for i = 1, 300 do t[i] = vetro.yay(conf):int("port") end; return #t'), '300', 'Lua: many of them');
is(lua('local p; do local c = vetro.yay(conf); p = c:at("port"); c = nil end; for i = 1, 200 do local s = ("x"):rep(100000) .. i end; return p:get()'), '80',
	'Lua: a place keeps its configuration');
done();
