-- Random patterns over random texts, and a checksum of what find, match, gsub and gmatch say: t/yaql/host.t compares Lua's own with ours.
local seed = 12345
local function rnd(n) seed = (seed * 1103515245 + 12345) % 2147483648; return (seed >> 8) % n + 1 end
local atoms = {"a","b","c",".","%a","%d","%s","%w","%l","%u","%p","%x","%A","%S","[abc]","[^a]","[a-c]","[%d_]","[]]","[^]]","[a-]","[%a%d]","[","%","(",")","()","(a)","(.-)","(%w+)","%b()","%bab","%f[%w]","%f[^a]","%1","%2","$","^","-","x","\0","%g","%c","%%","%.","[b-","[%","%b(","%f"}
local quant = {"","","","*","+","-","?"}
local chars = {"a","b","c"," ","(",")","1","_","]","A","\0","-","%","x","é","."}
local function pick(t) return t[rnd(#t)] end
local function gen(t, n, q) local s = {} for i = 1, rnd(n) do s[#s+1] = pick(t) .. (q and pick(quant) or "") end return table.concat(s) end
local function show(...) local r = {} for i = 1, select('#', ...) do r[#r+1] = string.format("%q", (select(i, ...))) end return table.concat(r, ",") end
local repls = {"x", "%0", "%1", "<%0>", "%2", "%%", "%", "", "%1%1"}
local sum = 0
local function out(ok, ...) local s = ok and show(...) or "E"; for i = 1, #s do sum = (sum * 31 + s:byte(i)) % 1000000007 end; return s end
for i = 1, 40000 do
  local s, p = gen(chars, 12), (rnd(4) == 1 and "^" or "") .. gen(atoms, 5, true)
  local init = rnd(6) == 1 and rnd(20) - 10 or nil
  local k = rnd(7)
  local r
  if k == 1 then r = out(pcall(string.find, s, p, init))
  elseif k == 2 then r = out(pcall(string.match, s, p, init))
  elseif k == 3 then r = out(pcall(string.gsub, s, p, pick(repls), rnd(5) == 1 and rnd(3) or nil))
  elseif k == 4 then r = out(pcall(string.gsub, s, p, function(...) local x = ... if x == "a" then return false end return select('#', ...) end))
  elseif k == 5 then r = out(pcall(string.gsub, s, p, {a = "A", [1] = "one", b = 7}))
  elseif k == 6 then r = out(pcall(function() local t = {} for a, b in string.gmatch(s, p, init) do t[#t+1] = tostring(a) .. ":" .. tostring(b) end return table.concat(t, ";") end))
  else r = out(pcall(string.find, s, p, init, rnd(2) == 1)) end
  if i % 1000 == 0 then print(i, sum) end
end
