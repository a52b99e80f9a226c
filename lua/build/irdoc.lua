-- docs/IR.md with its table of ops made anew: lua5.4 lua/build/irdoc.lua compiler/ir/ops.def docs/IR.md
local function read(path)
	local f = assert(io.open(path))
	local text = f:read("a")
	f:close()
	return text
end
local head = read(arg[2]):match("^(.-\n## Ops\n)")
io.write(head, "\n| op | operands | |\n|---|---|---|\n")
-- A meaning may be several strings, one after the other.
local rows = read(arg[1]):gsub('"%s*\n%s*"', "")
for name, operands, flags, doc in rows:gmatch('OP%(%w+,%s*"([^"]+)",%s*"([^"]*)",%s*%w+,%s*[%w_]+,%s*([^,]+),%s*"(.-)"%)') do
	io.write(("| `%s` | %s | %s%s%s |\n"):format(name, operands ~= "" and operands:gsub("%*", "\\*") or "-", doc,
		flags:find("FAIL") and " *may fail*" or "", flags:find("TERM") and " *ends a block*" or ""))
end
