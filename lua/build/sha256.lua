-- SHA-256 in base64, as Content-Security-Policy names scripts: require("sha256")(TEXT)
local K = {}
do -- the fractional parts of the cube roots of the first 64 primes
	local n, candidate = 0, 2
	while n < 64 do
		local prime = true
		for d = 2, math.floor(candidate ^ 0.5) do
			if candidate % d == 0 then prime = false break end
		end
		if prime then
			n = n + 1
			K[n] = math.floor((candidate ^ (1 / 3) % 1) * 2 ^ 32)
		end
		candidate = candidate + 1
	end
end

local function rotate(x, n)
	return (x >> n | x << (32 - n)) & 0xffffffff
end

local function block(h, w)
	for i = 17, 64 do
		local a, b = w[i - 15], w[i - 2]
		local s0 = rotate(a, 7) ~ rotate(a, 18) ~ a >> 3
		local s1 = rotate(b, 17) ~ rotate(b, 19) ~ b >> 10
		w[i] = (w[i - 16] + s0 + w[i - 7] + s1) & 0xffffffff
	end
	local a, b, c, d, e, f, g, k = table.unpack(h)
	for i = 1, 64 do
		local s1 = rotate(e, 6) ~ rotate(e, 11) ~ rotate(e, 25)
		local t1 = k + s1 + (e & f ~ ~e & g) + K[i] + w[i]
		local s0 = rotate(a, 2) ~ rotate(a, 13) ~ rotate(a, 22)
		local t2 = s0 + (a & b ~ a & c ~ b & c)
		k, g, f, e, d, c, b, a = g, f, e, (d + t1) & 0xffffffff, c, b, a, (t1 + t2) & 0xffffffff
	end
	for i, x in ipairs({ a, b, c, d, e, f, g, k }) do
		h[i] = (h[i] + x) & 0xffffffff
	end
end

local letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local function base64(s)
	local out = {}
	for i = 1, #s, 3 do
		local a, b, c = s:byte(i, i + 2)
		local n = a << 16 | (b or 0) << 8 | (c or 0)
		for k = 3, 0, -1 do
			local at = (n >> (6 * k) & 63) + 1
			out[#out + 1] = letters:sub(at, at)
		end
		if not c then out[#out] = "=" end
		if not b then out[#out - 1] = "=" end
	end
	return table.concat(out)
end

return function(text)
	local h = {}
	for i, p in ipairs({ 2, 3, 5, 7, 11, 13, 17, 19 }) do
		h[i] = math.floor((p ^ 0.5 % 1) * 2 ^ 32)
	end
	local padded = text .. "\x80" .. ("\0"):rep((55 - #text) % 64) .. string.pack(">I8", #text * 8)
	for at = 1, #padded, 64 do
		block(h, { string.unpack(">" .. ("I4"):rep(16), padded, at) })
	end
	return base64(string.pack(">" .. ("I4"):rep(8), table.unpack(h)))
end
