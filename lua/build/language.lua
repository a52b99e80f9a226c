-- A reference page from its text: lua5.4 lua/build/language.lua templates/language.txt
--
-- What stands before the first chapter is the head of the page.  Then "= CHAPTER", "== ENTRY" (names
-- with commas between), text, and the parts of an example, "@KIND WORDS":
--   code     body, class (of MuranoPL), service, yay, data, file NAME, form, fields (of a form)
--   given    model JSON, run ARGUMENTS, others FILE, answers JSON, named NAME
--   results  gives JSON, fails MESSAGE, shows EXPRESSION => JSON, prints TEXT, refused MESSAGE, accepted
-- t/murano/language.t, t/tosca/keynames.t, t/yay/language.t and t/form/reference.t run the examples.
local file = assert(io.open(arg[1]))
local out = {}

local function put(line) out[#out + 1] = line end
local function trim() while out[#out] == "" do out[#out] = nil end end

local classes, block = 0, nil

local function close()
	if block then
		trim()
		put("```")
		put("")
	end
	block = nil
end

local function open(kind, language)
	close()
	put("```" .. language)
	block = kind
end

-- A line of prose; a value that makes it too long stands below it.
local function say(before, value, behind)
	close()
	if #before + #value + #behind <= 97 then
		put(before .. " `" .. value .. "`" .. behind)
	else
		put(before .. ":")
		put("")
		put("```json")
		put(value)
		put("```")
	end
	put("")
end

local function line_of(before, behind)
	return function(s) say(before, s, behind) end
end

local language_of = { yaml = "yaml", yay = "yay", sh = "sh", json = "json", lua = "lua" }

local parts = {
	body = function() open("body", "yaml") end,
	class = function()
		if block == "class" then trim() put("---") else open("class", "yaml") end
		classes = classes + 1
	end,
	service = function() open("service", "yaml") end,
	form = function() open("form", "yaml") end,
	fields = function() open("fields", "yaml") end,
	yay = function() open("yay", "yay") end,
	data = function() open("data", "json") end,
	file = function(name)
		close()
		put("with `" .. name .. "`:")
		put("")
		open("file", language_of[name:match("%.(%w+)$")] or "text")
	end,
	accepted = close,
	others = line_of("Behind it on the command line stands", "."),
	model = line_of("With the model", ":"),
	answers = line_of("With the answers", ":"),
	named = line_of("With the name", ":"),
	run = line_of("With", ":"),
	gives = line_of("It gives", "."),
	fails = line_of("It raises", "."),
	prints = line_of("It prints", "."),
	refused = function(s)
		local code, text = s:match("^(%u%d+) ?(.*)")
		text = text or s
		close()
		put("This is refused" .. (code and #code == 5 and " (" .. code .. ")" or "") ..
			(text ~= "" and ": " .. text:gsub("%.$", "") or "") .. ".")
		put("")
	end,
	shows = function(s)
		local expr, value = s:match("^(.-) => (.*)")
		say("What comes out: `" .. expr .. "` is", value, ".")
	end,
}

local function heading(level, name)
	if level == "=" then return "## " .. name end
	return "### `" .. name:gsub(", ", "`, `") .. "`"
end

for line in file:lines() do
	local level, name = line:match("^(==?) (.*)")
	local part, more = line:match("^@(%w+) ?(.*)")
	if level then
		close()
		classes = 0
		trim()
		put("")
		put(heading(level, name))
		put("")
	elseif part then
		trim()
		if not (block and part == "class") and out[#out] ~= "" then
			if block then close() else put("") end
		end
		parts[part](more)
	elseif not (line == "" and out[#out] == "") then
		put(line)
	end
end
close()
trim()
io.write((table.concat(out, "\n"):gsub("\n\n\n+", "\n\n")), "\n")
