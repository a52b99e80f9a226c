#!/usr/bin/perl
# The budget of host functions in Lua: whatever a script does to run for ever or to eat memory, it ends with an error.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Tap;

sub run_lua {
	my ($body, @more) = @_;
	spew("$W/f.lua", "vetro.register { name = 'f', params = '', fn = function()\n$body\nend }\n");
	return vetro({ limit => 500 }, 'query', '-n', '--lua', "$W/f.lua", '--lua-steps', 5_000_000, '--lua-memory', 64 << 20, @more, 'f()');
}
my $over = qr/^1 .*(?:more than 5000000 instructions|not enough memory|resulting string too large)/s;
sub ends {
	my ($title, $body, @more) = @_;
	my ($rc, undef, $err) = run_lua($body, @more);
	like("$rc $err", $over, $title);
}
my $spin = 'while true do end';
my $over_index = 'setmetatable({}, { __len = function() return 1 << 52 end })';

# ---- coroutines
ends('a loop in a coroutine', "coroutine.wrap(function() $spin end)()");
ends('many coroutines that do little', 'while true do coroutine.wrap(function() for i = 1, 9000 do end end)() end');
ends('the same with resume', 'while true do coroutine.resume(coroutine.create(function() for i = 1, 900 do end end)) end');
ends('coroutines that are never run', 'while true do coroutine.create(function() end) end');
ends('coroutines in coroutines', 'local function deep() coroutine.wrap(deep)() end while true do pcall(deep) end');
ends('one that ends, again and again', "while true do pcall(coroutine.wrap(function() $spin end)) end");
ends('yields for ever', 'local c = coroutine.wrap(function() while true do coroutine.yield() end end) while true do c() end');
ends('what a coroutine closes', "coroutine.wrap(function() local x <close> = setmetatable({}, { __close = function() $spin end }) $spin end)()");
ends('what a coroutine that ended closes later',
	"local c = coroutine.create(function() local x <close> = setmetatable({}, { __close = function() $spin end }) $spin end)\n"
	. "pcall(coroutine.resume, c) coroutine.close(c)");
ends('the same in a second call', "g = g or coroutine.create(function() local x <close> = setmetatable({}, { __close = function() $spin end }) $spin end)\n"
	. 'coroutine.resume(g) coroutine.close(g) return 1');

# ---- handlers and metamethods
ends('the handler of xpcall', "xpcall(function() $spin end, function() $spin end)");
ends('the handler for an error of its own', "xpcall(error, function() $spin end, 'x')");
ends('a handler that fails', 'while true do xpcall(error, error) end');
ends('a handler that calls itself', 'local function h() return xpcall(error, h) end while true do h() end');
ends('what a block closes', "local x <close> = setmetatable({}, { __close = function() $spin end }) $spin");
ends('what pcall closes', "while true do pcall(function() local x <close> = setmetatable({}, { __close = function() $spin end }) $spin end) end");
for my $m (qw(index newindex add concat eq lt le len call unm tostring pairs)) {
	my %use = (index => 'return t.x', newindex => 't.x = 1', add => 'return t + 1', concat => 'return t .. ""', eq => 'return t == u', lt => 'return t < u',
		le => 'return t <= u', len => 'return #t', call => 'return t()', unm => 'return -t', tostring => 'return tostring(t)',
		pairs => 'for k in pairs(t) do end');
	ends("__$m", "local m = { __$m = function() $spin end } local t, u = setmetatable({}, m), setmetatable({}, m) $use{$m}");
}

# ---- loops of the library
ends('table.move over nothing', 'table.move({}, 1, 1 << 60, 1)');
ends('table.move backwards', 'table.move({}, 1, 1 << 60, 2)');
ends('table.concat of nothing', 'table.concat(setmetatable({}, { __index = table.concat }), "", 1, 1 << 52)');
ends('table.concat of a length', 'table.concat(setmetatable({}, { __index = table.concat, __len = function() return 1 << 52 end }))');
for my $f ('table.insert(T, 1, 0)', 'table.remove(T, 1)', 'table.sort(T)', 'table.unpack(T)', 'table.concat(T)') {
	my ($rc, undef, $err) = run_lua("local T = $over_index " . $f);
	like("$rc $err", qr/^1 .*(?:instructions|takes no table with __len|too many results|invalid value)/s, "$f with a length that is none");
}
ends('table.insert at the front', 'local t = {} while true do table.insert(t, 1, 0) end');
ends('table.remove at the front', 'local t = {} for i = 1, 1e6 do t[i] = i end while true do table.remove(t, 1) t[#t + 1] = 1 end');
ends('table.sort with a function', "table.sort({ 3, 2, 1 }, function() $spin end)");
ends('table.sort again and again', 'local t = {} for i = 1, 1e5 do t[i] = i end while true do table.sort(t) end');
ends('table.unpack', 'while true do table.unpack({}, 1, 100000) end');
ends('string.rep of nothing', 'while true do local _ = (""):rep(1 << 62) end');
ends('string.rep', 'while true do local _ = ("x"):rep(1 << 24) end');
ends('string.rep of too much', 'local _ = ("x"):rep(1 << 62, "y")');
ends('texts that double', 'local s = "x" while true do s = s .. s end');
ends('large texts, made again and again', 'local s = ("x"):rep(1 << 22) while true do local _ = s .. "y" end');
for my $f (qw(upper lower reverse)) { ends("string.$f", "local s = ('x'):rep(1 << 22) while true do local _ = s:$f() end") }
ends('string.format of large texts', 'local s = ("x"):rep(1 << 22) while true do local _ = ("%s%s"):format(s, s) end');
ends('string.pack', 'while true do local _ = string.pack("c10000000", "") end');
ends('string.pack of too much', 'local _ = string.pack("c1000000000", "")');
ends('a pattern', 'return (("a"):rep(300)):find(("a*"):rep(20) .. "b")');
ends('gsub with a function', "return ('x'):gsub('.', function() $spin end)");
ends('gsub of nothing', 'local s = ("x"):rep(1 << 20) while true do s:gsub("y*", "") end');
ends('gmatch', 'while true do for _ in ("x"):rep(1 << 20):gmatch("()") do end end');
ends('utf8.len', 'local s = ("x"):rep(1 << 22) while true do utf8.len(s) end');
ends('tonumber', 'local s = ("1"):rep(1 << 22) while true do tonumber(s, 10) end');
ends('tables', 'local t = {} while true do t[#t + 1] = {} end');
ends('closures', 'local t = {} while true do t[#t + 1] = function() return t end end');
ends('recursion', 'local function f() return 1 + f() end while true do pcall(f) end');

# ---- what is as it was
sub gives {
	my ($title, $body, $want) = @_;
	my ($rc, $out, $err) = run_lua($body);
	is("$rc $out$err", "0 $want\n", $title);
}
gives('xpcall', 'local a, b, c = xpcall(function(...) return ... end, error, 1, 2) return vetro.list { a, b, c }', '[true,1,2]' =~ s/,/,\n  /gr
	=~ s/\[/[\n  /r =~ s/\]/\n]/r);
gives('xpcall with an error', 'local a, b = xpcall(error, function(e) return "h" .. e end, "x") return tostring(a) .. b', '"falsehx"');
gives('an error in the handler', 'local a, b = xpcall(error, function(e) error("y", 0) end, "x") return tostring(a) .. b', '"falsey"');
gives('xpcall over a yield', 'local c = coroutine.wrap(function() return xpcall(function() return coroutine.yield(1) + 1 end, error) end) '
	. 'local a = c() local _, b = c(41) return a + b', 43);
gives('coroutine.wrap', 'local s = 0 for i in coroutine.wrap(function() for i = 1, 5 do coroutine.yield(i) end end) do s = s + i end return s', 15);
gives('errors of a coroutine', 'local ok, e = pcall(coroutine.wrap(function() error("x", 0) end)) return e:match("x$")', '"x"');
gives('what it closes', 'local n = 0 local c = coroutine.create(function() local x <close> = setmetatable({}, { __close = function() n = 1 end }) '
	. 'coroutine.yield() end) coroutine.resume(c) coroutine.close(c) return n', 1);
gives('dead coroutines', 'local c = coroutine.wrap(function() end) c() local _, e = pcall(c) return e:match("cannot resume dead coroutine")',
	'"cannot resume dead coroutine"');
gives('table functions', 'local t = { 3, 1, 2 } table.sort(t) table.insert(t, 4) table.insert(t, 1, 0) table.remove(t, 2) table.remove(t) '
	. 'table.move(t, 1, 2, 3) return table.concat(t, "-") .. table.concat(t, "+", 2, 3) .. select("#", table.unpack(t)) .. select("#", table.unpack(t, 2))',
	'"0-2-0-22+043"');
gives('string functions', 'return ("ab"):rep(2, "-") .. ("x"):rep(0) .. (""):rep(3) .. tonumber("z", 36) .. tostring(tonumber("q")) .. utf8.len("äö")',
	'"ab-ab35nil2"');
done();
