-- What an expression needs of vt.h, without comments, for libtcc, which reads it each time: lua5.4 lua/build/prelude.lua runtime/abi/vt.h > prelude.h
-- Left out are the declarations of classes and the functions of statements, assignments and contracts.
local f = assert(io.open(arg[1]))
local text = f:read("a")
f:close()

local function drop(from, to)
	local a = assert(text:find(from, 1, true), "vt.h has no " .. from)
	local b = assert(text:find(to, a, true), "vt.h has no " .. to)
	text = text:sub(1, a - 1) .. text:sub(b)
end
drop("typedef struct vt_cx vt_cx;", "/* The whole compiled program. */")
drop("/* ---- assignment:", "\n#endif")

text = text:gsub("/%*.-%*/", ""):gsub("#include[^\n]*\n", ""):gsub("\\\n", " ")
text = text:gsub("[ \t]+", " "):gsub("\n ", "\n"):gsub(" \n", "\n"):gsub("\n\n+", "\n")
io.write(text)
