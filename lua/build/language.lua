-- docs/muranopl-reference.md from templates/language.txt: lua5.4 lua/build/language.lua templates/language.txt
--
-- "= CHAPTER", "== ENTRY", text, and the parts of an example: @body (statements), @class (one or more), @model JSON,
-- @gives JSON, @fails TYPE: MESSAGE.  t/murano/language.t runs the examples.
local file = assert(io.open(arg[1]))
local out = {}

local function put(line) out[#out + 1] = line end

put([[
# MuranoPL, part by part

Made from `templates/language.txt` by `make docs`; `t/murano/language.t` runs the examples.
`vetro explain NAME` prints an entry, as `vetro explain For`. Functions are in
[functions.md](functions.md), classes of io.murano in [core-library.md](core-library.md), and what
vetro does with packages in [muranopl.md](muranopl.md).

An example that is a list of statements is the `Body` of a method. In one with classes the last is
asked for its method `run`. It is called `Example` where it has no name.]])

local classes, block = 0, nil

local function close()
	if block then
		while out[#out] == "" do out[#out] = nil end
		put("```")
		put("")
	end
	block = nil
end

local parts = {
	body = function() put("```yaml") block = "body" end,
	class = function()
		if classes > 0 then
			put("---")
		else
			put("```yaml")
		end
		classes, block = classes + 1, "class"
	end,
	model = function(s) close() put("With the model `" .. s .. "`:") put("") end,
	gives = function(s) close() put("It gives `" .. s .. "`.") put("") end,
	fails = function(s) close() put("It raises `" .. s .. "`.") put("") end,
}

for line in file:lines() do
	local level, name = line:match("^(==?) (.*)")
	local part, more = line:match("^@(%w+) ?(.*)")
	if level then
		close()
		classes = 0
		if level == "==" then name = "`" .. name .. "`" end
		while out[#out] == "" do out[#out] = nil end
		put("")
		put((level == "=" and "## " or "### ") .. name)
		put("")
	elseif part then
		if block and part ~= "class" then close() end
		while block and out[#out] == "" do out[#out] = nil end
		parts[part](more)
	elseif not (line == "" and out[#out] == "") then
		put(line)
	end
end
close()
while out[#out] == "" do out[#out] = nil end
io.write((table.concat(out, "\n"):gsub("\n\n\n+", "\n\n")), "\n")
