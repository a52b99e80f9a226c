-- pow10.lua - writes the table of powers of ten that decimal.c multiplies with: for each k from FIRST to
-- LAST the first 128 bits of 10^k, rounded down.  Powers of five are enough, since a power of two only
-- shifts.  Large integers are arrays of LIMB-bit digits, the lowest first.

local FIRST, LAST = -342, 324
local LIMB <const> = 28
local MASK <const> = (1 << LIMB) - 1

local function times5(x)
	local carry = 0
	for i = 1, #x do
		local v = x[i] * 5 + carry
		x[i], carry = v & MASK, v >> LIMB
	end
	if carry > 0 then
		x[#x + 1] = carry
	end
end

-- Rounded down; so is what a row of these divisions gives: floor(floor(x / 5) / 5) is floor(x / 25).
local function over5(x)
	local rest = 0
	for i = #x, 1, -1 do
		local v = rest << LIMB | x[i]
		x[i], rest = v // 5, v % 5
	end
	while x[#x] == 0 do
		x[#x] = nil
	end
end

local function bit(x, i)
	return i < 0 and 0 or (x[i // LIMB + 1] or 0) >> (i % LIMB) & 1
end

local function row(x)
	local top = #x * LIMB - 1
	while bit(x, top) == 0 do
		top = top - 1
	end
	local function word(from)
		local w = 0
		for i = from, from - 63, -1 do
			w = w << 1 | bit(x, i)
		end
		return w
	end
	return string.format("{0x%016x, 0x%016x},", word(top), word(top - 64))
end

local rows = {}
local x = {1}
for k = 0, LAST do
	rows[k] = row(x)
	times5(x)
end
-- 5^342 has 795 bits: behind it 128 and more are left.
x = {}
for i = 1, 36 do
	x[i] = 0
end
x[36] = 1
for k = -1, FIRST, -1 do
	over5(x)
	rows[k] = row(x)
end

print("/* Made by lua/build/pow10.lua. */")
print(string.format("enum { POW10_FIRST = %d, POW10_LAST = %d };", FIRST, LAST))
print("static const struct { uint64_t hi, lo; } pow10_table[] = {")
for k = FIRST, LAST do
	print("\t" .. rows[k])
end
print("};")
