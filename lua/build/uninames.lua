-- uninames.lua - names of Unicode characters for \N{NAME}: Debian's unicode-data -> uninames.h, which compiler/yaql/uniname.c reads.
--
--   lua5.4 lua/build/uninames.lua UnicodeData.txt NameAliases.txt
--
-- A name is a row of words. A word ends at a space, and behind a hyphen; so BKA- SHOG is "BKA-", "", "SHOG" and BKA-SHOG
-- is "BKA-", "SHOG", and no two names have the same words. The table is written in three parts:
--
--   words    every word once, those of equal length together, in order; a word's number is its place.
--   names    in the order of their numbers. A name is a byte (words shared with the name before it: upper four bits;
--            words that follow: lower four), two bytes for each that follows, highest first, and the character as the
--            difference to that of the name before it, in sevens of bits, lowest first, its sign in the lowest bit.
--   blocks   where every 32nd name begins. It shares nothing and its difference is to 0.
local BLOCK, MOST = 32, 15
local data, aliases = arg[1], arg[2]
if not aliases then
	io.stderr:write("usage: uninames.lua UnicodeData.txt NameAliases.txt\n")
	os.exit(2)
end

local names, ranges = {}, {}
local longest = 0

local function add(name, cp)
	assert(name:match("^[A-Z0-9 -]+$"), "a name with other characters: " .. name)
	names[#names + 1] = {cp = cp, text = name}
	longest = math.max(longest, #name)
end

-- Ranges are named by their first and last character; the names of some are made of the number.
local prefixes = {["CJK Ideograph"] = "CJK UNIFIED IDEOGRAPH-", ["Tangut Ideograph"] = "TANGUT IDEOGRAPH-"}
local function range(what, from, to)
	local prefix = prefixes[what:match("^%u%w+ Ideograph") or ""]
	if prefix then
		ranges[#ranges + 1] = string.format('\t{"%s", %d, 0x%x, 0x%x},', prefix, #prefix, from, to)
	end
end

local first
for line in io.lines(data) do
	local hex, name = line:match("^(%x+);([^;]*);")
	local cp = tonumber(hex, 16)
	if name:match("^<.*, First>$") then
		first = cp
	elseif name:match("^<.*, Last>$") then
		range(name:match("^<(.*), Last>$"), first, cp)
	elseif name:sub(1, 1) ~= "<" then
		add(name, cp)
	end
end
for line in io.lines(aliases) do
	local hex, name = line:match("^(%x+);([^;]*);")
	if hex then
		add(name, tonumber(hex, 16))
	end
end

local function split(text)
	local words = {}
	for part in (text .. " "):gmatch("([^ ]*) ") do
		for word in part:gmatch("[^-]*%-") do
			words[#words + 1] = word
		end
		words[#words + 1] = part:match("[^-]*$")
	end
	return words
end

-- ---- words ----

local seen, words = {}, {}
for _, n in ipairs(names) do
	n.words = split(n.text)
	assert(#n.words <= MOST, "a name of many words: " .. n.text)
	for _, w in ipairs(n.words) do
		if not seen[w] then
			seen[w] = true
			words[#words + 1] = w
		end
	end
end
table.sort(words, function(a, b)
	if #a ~= #b then
		return #a < #b
	end
	return a < b
end)
assert(#words < 0x10000)
local number, starts, bytes = {}, {}, 0
for i, w in ipairs(words) do
	number[w] = i - 1
	while #starts <= #w do
		starts[#starts + 1] = string.format("{%d, %d}", i - 1, bytes)
	end
	bytes = bytes + #w
end
starts[#starts + 1] = string.format("{%d, %d}", #words, bytes)

-- ---- names ----

for _, n in ipairs(names) do
	for i, w in ipairs(n.words) do
		n[i] = number[w]
	end
end
table.sort(names, function(a, b)
	for i = 1, math.min(#a, #b) do
		if a[i] ~= b[i] then
			return a[i] < b[i]
		end
	end
	return #a < #b
end)

local out, blocks = {}, {}
local before = {cp = 0}

local function put(byte)
	out[#out + 1] = byte
end

local function put_difference(d)
	local u = d < 0 and (-d << 1 | 1) or d << 1
	while u >= 0x80 do
		put(u & 0x7f | 0x80)
		u = u >> 7
	end
	put(u)
end

for i, n in ipairs(names) do
	local shared = 0
	if (i - 1) % BLOCK == 0 then
		blocks[#blocks + 1] = #out
		before = {cp = 0}
	end
	while shared < #n and n[shared + 1] == before[shared + 1] do
		shared = shared + 1
	end
	assert(shared < #n, "a name that two characters have: " .. n.text)
	put(shared << 4 | #n - shared)
	for k = shared + 1, #n do
		put(n[k] >> 8)
		put(n[k] & 0xff)
	end
	put_difference(n.cp - before.cp)
	before = n
end

-- ---- the header ----

local function lines(v, per)
	for i = 1, #v, per do
		print("\t" .. table.concat(v, ", ", i, math.min(i + per - 1, #v)) .. ",")
	end
end

print("/* Made by lua/build/uninames.lua, which says how it is to be read. */")
print(string.format("enum { BLOCK = %d, MOST_WORDS = %d, LONGEST_WORD = %d, LONGEST = %d, NAMES = %d, NBLOCKS = %d };",
	BLOCK, MOST, #words[#words], longest, #names, #blocks))
print("static const char words[] =")
for i = 1, #words, 12 do
	print('\t"' .. table.concat(words, "", i, math.min(i + 11, #words)) .. '"')
end
print("\t;\n/* By length: the number of the first word, and where its text begins. */")
print("static const struct { uint16_t number; uint32_t at; } lengths[] = {")
lines(starts, 8)
print("};\nstatic const unsigned char names[] = {")
lines(out, 32)
print("};\nstatic const uint32_t blocks[] = {")
lines(blocks, 16)
print("};\nstatic const struct { const char *prefix; uint32_t n, from, to; } ranges[] = {")
print(table.concat(ranges, "\n"))
print("};")
