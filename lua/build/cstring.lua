-- Prints a file as a C string constant: lua5.4 lua/build/cstring.lua NAME FILE
local name, path = arg[1], arg[2]
local f = assert(io.open(path, "rb"))
local text = f:read("a")
f:close()
io.write("/* Generated from ", path:match("[^/]+$"), ". */\nstatic const char ", name, "[] =\n")
for line in text:gmatch("[^\n]*\n?") do
	local s = line:gsub('[\\"?]', "\\%0"):gsub("\n", "\\n"):gsub("[^\32-\126]", function(c)
		return string.format("\\%03o", c:byte())
	end)
	io.write('\t"', s, '"\n')
end
io.write("\t;\n")
