-- docs/IR.md with its table of ops made anew from IR_OPS: lua5.4 lua/build/irdoc.lua compiler/base/vc.h docs/IR.md
local function read(path)
	local f = assert(io.open(path))
	local text = f:read("a")
	f:close()
	return text
end
local head = read(arg[2]):match("^(.-\n## Ops\n)")
io.write(head, "\n| op | operands | |\n|---|---|---|\n")
for name, sig, flags, doc in read(arg[1]):gmatch('X%(%w+,%s*"([^"]+)",%s*"([^"]*)",%s*([^,]+),%s*"(.-)"%)') do
	io.write(("| `%s` | %s | %s%s%s |\n"):format(name, sig ~= "" and sig:gsub("%*", "\\*") or "-", doc,
		flags:find("FAIL") and " *may fail*" or "", flags:find("TERM") and " *ends a block*" or ""))
end
