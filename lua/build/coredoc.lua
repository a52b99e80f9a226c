-- docs/core-library.md with its classes made anew from the library: lua5.4 lua/build/coredoc.lua docs/core-library.md runtime/lib/io.murano/Classes/...yaml
-- The files are our own and keep one form: comments in front of what they explain, two blanks a level.
local wrap = dofile((arg[0]:gsub("[^/]*$", "wrap.lua")))

local function read(path)
	local f = assert(io.open(path))
	local text = f:read("a")
	f:close()
	return text
end

local function class_of(text)
	local c = { doc = {}, props = {}, methods = {}, extends = {} }
	local section, item, part, note = nil, nil, nil, {}
	for line in (text .. "\n"):gmatch("(.-)\n") do
		local indent, rest = line:match("^( *)(.*)$")
		indent = #indent
		if rest:match("^#") then
			if not c.name and not section then c.doc[#c.doc + 1] = rest:sub(3) else note[#note + 1] = rest:sub(3) end
		elseif indent == 0 and rest ~= "" then
			local key, value = rest:match("^(%w+):%s*(.*)$")
			section, item, note = key, nil, {}
			if key == "Name" then c.name = value end
			if key == "Usage" then c.usage = value end
			if key == "Extends" then for p in value:gmatch("[%w:]+") do c.extends[#c.extends + 1] = p end end
		elseif section == "Namespaces" and rest:match("^=:") then
			c.space = rest:match("^=:%s*(.+)$")
		elseif section == "Extends" and rest:match("^%-") then
			c.extends[#c.extends + 1] = rest:sub(3)
		elseif indent == 2 and rest ~= "" and (section == "Properties" or section == "Methods") then
			item = { name = rest:match("^(.-):"), doc = table.concat(note, " "), args = {} }
			note, part = {}, nil
			table.insert(section == "Properties" and c.props or c.methods, item)
		elseif item and indent == 4 and rest ~= "" then
			part = rest:match("^(%w+):")
			local value = rest:match("^%w+:%s*(.+)$")
			if part then item[part] = value or "..." end
			note = {}
		elseif item and part == "Arguments" and indent == 6 and rest:match("^%- ") then
			item.args[#item.args + 1] = rest:match("^%- ([%w_]+)")
			note = {}
		elseif rest ~= "" then
			note = {}
		end
	end
	c.full = c.name:find("%.") and c.name or c.space .. "." .. c.name
	return c
end

local function code(s) return "`" .. s:gsub("|", "\\|") .. "`" end
local head = read(arg[1]):match("^(.-\n## Classes\n)")
io.write(head)
for i = 2, #arg do
	local c = class_of(read(arg[i]))
	io.write("\n### ", c.full, "\n\n", wrap(table.concat(c.doc, " ")), "\n")
	if #c.extends > 0 then
		local up = {}
		for _, p in ipairs(c.extends) do up[#up + 1] = code(p) end
		io.write("\n", wrap("Extends " .. table.concat(up, ", ") .. "."), "\n")
	end
	if #c.props > 0 then
		io.write("\n| property | usage | contract | default | |\n|---|---|---|---|---|\n")
		for _, p in ipairs(c.props) do
			io.write(("| `%s` | %s | %s | %s | %s |\n"):format(p.name, p.Usage or "In", p.Contract and p.Contract ~= "..." and code(p.Contract) or "a mapping or list",
				p.Default and (p.Default == "..." and "a mapping" or code(p.Default)) or "", p.doc))
		end
	end
	local shown = {}
	for _, m in ipairs(c.methods) do
		if not m.name:match("^[_.]") and m.name ~= "initialize" and m.name ~= "destroy" then shown[#shown + 1] = m end
	end
	if #shown > 0 then
		io.write("\n| method | |\n|---|---|\n")
		for _, m in ipairs(shown) do
			local tags = {}
			if m.Usage then tags[#tags + 1] = m.Usage:lower() end
			if m.Scope then tags[#tags + 1] = m.Scope:lower() end
			local tag = #tags > 0 and "*" .. table.concat(tags, ", ") .. "* " or ""
			io.write(("| `%s(%s)` | %s%s |\n"):format(m.name, table.concat(m.args, ", "), tag, m.doc))
		end
	end
end
