-- The functions that vt.h declares, as a C table for libtcc: lua5.4 lua/build/abi.lua runtime/abi/vt.h > abi.h
local f = assert(io.open(arg[1]))
local text = f:read("a"):gsub("/%*.-%*/", ""):gsub("static inline.-\n}\n", ""):gsub("\ntypedef [^;{]*;", "")
f:close()
io.write("/* Generated from vt.h: what emitted C may call. */\n")
local seen, names = {}, {}
for name in text:gmatch("[%s*](vt_[%w_]+)%s?%(") do
	-- Prototypes only: a macro has no return type in front of it.
	if not seen[name] and text:find("\n[%w_ ]+[ *]" .. name .. "%([^\n]*") and not text:find("#define " .. name .. "%(") then
		seen[name] = true
		names[#names + 1] = name
	end
end
table.sort(names)
for _, n in ipairs(names) do
	if n ~= "vt_deploy_main" then
		io.write(('\t{"%s", (const void *)%s},\n'):format(n, n))
	end
end
