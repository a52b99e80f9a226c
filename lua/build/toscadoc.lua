-- docs/tosca-functions.md from the rows of runtime/tosca/fn.def: lua5.4 lua/build/toscadoc.lua runtime/tosca/fn.def
local versions = {
	V1 = "1.0-1.3", V12 = "1.2, 1.3", V2 = "2.0", V2OLD = "2.0 beside the Simple profile", CFY = "Cloudify", HOT = "Heat",
}
local order = { "V1", "V12", "V2", "V2OLD", "CFY", "HOT" }

local function names(set)
	local has, t = {}, {}
	for v in set:gmatch("%w+") do has[v] = true end
	for _, v in ipairs(order) do
		if has[v] then t[#t + 1] = versions[v] end
	end
	return table.concat(t, ", ")
end

-- Where it may be said, "constraint" behind the versions in which it is one.
local function places(functions, clause)
	local f, c = names(functions), names(clause)
	if c == "" then return f end
	return f == "" and "constraint: " .. c or f .. "; constraint: " .. c
end

local function code(s)
	return s == "" and "" or "`" .. s:gsub("|", "\\|") .. "`"
end

local file = assert(io.open(arg[1]))
local text = file:read("a")
file:close()
io.write([[
# Functions of TOSCA

Made from the rows of `runtime/tosca/fn.def` by `make docs`; `t/tosca/values.t` runs the examples.

Before 2.0 a call is a map with one key, the function's name. From 2.0 on the name has a `$` in
front. The arguments are a list, or one argument that is no list. A constraint is `name: operand`,
over the value that it constrains. From 2.0 on constraints are ordinary calls over `$value`.

Numbers are integers of any size and floats. Scalars count in their canonical units. A text beside
a scalar, a version or a timestamp is read as one. A value is unknown while an input was not given
or an operation has not run. What depends on it is unknown too, without a message.
]])
-- A row may span lines; texts side by side are one.
text = text:gsub("\n\t+", " "):gsub('([^\\,(])" "', "%1")
for line in text:gmatch("[^\n]+") do
	local title = line:match('^GROUP%("(.-)"%)')
	if title then
		io.write("\n## ", title, "\n\n| function | arguments | where | | example |\n|---|---|---|---|---|\n")
	end
	local name, where, clause, args, doc, example =
		line:match('^FN%("([^"]+)", ([^,]+), ([^,]+), %-?%d+, %-?%d+, [^,]+, [%w_]+, "([^"]*)", "([^"]*)", "(.*)"%)$')
	if name then
		io.write(("| `%s` | %s | %s | %s | %s |\n"):format(name, args, places(where, clause), doc, code(example:gsub('\\"', '"'))))
	elseif line:match("^FN") then
		error("row not understood: " .. line)
	end
end
