-- The function registry: runtime/lib/*.fn -> registry.c, registry.h, registry_calls.h, functions.md, registry_examples.jsonl.
--
--   lua5.4 lua/build/registry.lua OUTDIR FILE.fn...
--
-- docs/internals/runtime-lib.md describes the rows.  The output depends on nothing but the content of the files and
-- their order; a row that cannot be right stops the build with its file and line.

local out_dir = arg[1]
local here = arg[0]:match("^(.*)/[^/]*$") or "."

local LAYERS = {
	std = "VT_L_STD", legacy = "VT_L_LEGACY", dsl = "VT_L_DSL", dsl_old = "VT_L_DSL_OLD", dsl_new = "VT_L_DSL_NEW",
	dsl_legacy = "VT_L_DSL_LEGACY", engine = "VT_L_ENGINE", engine_legacy = "VT_L_ENGINE_LEGACY",
	delegates = "VT_L_DELEGATES", core = "VT_L_CORE", form = "VT_L_FORM",
	query = "VT_L_QUERY",
}
local LAZY = { lambda = true, lambda_ctx = true, lambda_method = true, lambda_ctx_method = true, expr = true, rule_lazy = true }
local KINDS = {
	fn = "VT_FN_FUNCTION", method = "VT_FN_METHOD", ext = "VT_FN_FUNCTION | VT_FN_METHOD",
}
local FLAGS = { nokw = "VT_FN_NO_KWARGS", pure = "VT_FN_PURE", exclusive = "VT_FN_EXCLUSIVE",
	context = "VT_FN_CONTEXT" }
-- Groups of functions that hosts may leave out, by the file that has them; of the collections, what is about sets is
-- one of its own: functions that make sets, and those that take one.
local GROUPS = {
	system = "SYSTEM", common = "COMMON", boolean = "BOOLEAN", strings = "STRINGS", math = "MATH", collections = "COLLECTIONS",
	queries = "QUERIES", regex = "REGEX", branching = "BRANCHING", date_time = "DATETIME",
}
local MAKES_SETS = { set = true, isSet = true, toSet = true }
local function group_of(row)
	local group = GROUPS[row.file:match("([%w_]+)%.fn$")]
	if group == nil or (row.layer ~= "std" and row.layer ~= "delegates") then
		return nil
	end
	for _, p in ipairs(row.params) do
		if group == "COLLECTIONS" and p.type_name == "set" then
			return "SETS"
		end
	end
	return group == "COLLECTIONS" and MAKES_SETS[row.name] and "SETS" or group
end
local IMMEDIATE = { ["true"] = "VT_TRUE", ["false"] = "VT_FALSE", ["null"] = "VT_NULL", novalue = "VT_NOVALUE" }
local SHOWN_KIND = { fn = "function", method = "method", ext = "function and method" }

local file, line = "registry", 0
local function fail(...)
	io.stderr:write(string.format("%s:%d: ", file, line), string.format(...), "\n")
	os.exit(1)
end

-- The types are a table of the runtime, so that there is one list of them.
local function read_types()
	local types = {}
	local f = io.open(here .. "/../../runtime/call/types.def") or fail("cannot read runtime/call/types.def")
	local text = f:read("a")
	f:close()
	for sym, name in text:gmatch('X%(([%w_]+), "([%w_]+)"%)') do
		types[name] = "VT_T_" .. sym
	end
	return types
end
local TYPES = read_types()

local function trim(s)
	return (s:gsub("^%s+", ""):gsub("%s+$", ""))
end

local function c_string(s)
	return '"' .. s:gsub('[\\"]', "\\%0"):gsub("[^\32-\126]", function(c)
		return string.format("\\%03o", c:byte())
	end) .. '"'
end

local function json_string(s)
	return '"' .. s:gsub('[%c\\"]', function(c)
		if c == '"' or c == "\\" then
			return "\\" .. c
		end
		return string.format("\\u%04x", c:byte())
	end) .. '"'
end

-- Position behind the JSON value that starts at i, or nil.  Only as strict as splitting examples needs.
local json_value
local function json_items(s, i, close, pair)
	i = s:match("^%s*()", i)
	if s:sub(i, i) == close then
		return i + 1
	end
	while true do
		i = json_value(s, i)
		if i and pair then
			i = s:match("^%s*:()", i)
			i = i and json_value(s, i)
		end
		if not i then
			return nil
		end
		local c, after = s:match("^%s*(.)()", i)
		if c == close then
			return after
		elseif c ~= "," then
			return nil
		end
		i = after
	end
end
function json_value(s, i)
	i = s:match("^%s*()", i)
	local c = s:sub(i, i)
	if c == "[" then
		return json_items(s, i + 1, "]", false)
	elseif c == "{" then
		return json_items(s, i + 1, "}", true)
	elseif c == '"' then
		i = i + 1
		while i <= #s and s:sub(i, i) ~= '"' do
			i = i + (s:sub(i, i) == "\\" and 2 or 1)
		end
		return i <= #s and i + 1 or nil
	end
	for _, word in ipairs { "true", "false", "null" } do
		if s:sub(i, i + #word - 1) == word then
			return i + #word
		end
	end
	return s:match("^%-?%d+%.?%d*[eE]?[-+]?%d*()", i)
end
local function is_json(s)
	local i = json_value(s, 1)
	return i ~= nil and s:match("^%s*$", i) ~= nil
end

-- EXPR => JSON or EXPR !! Type.  Both arrows may stand inside the expression, so the last one that
-- leaves a JSON text behind it is the separator.
local function parse_example(text)
	local expr, etype = text:match("^(.*%S)%s+!!%s+([%a_][%w_.]*)$")
	if expr then
		return { expr = expr, error = etype }
	end
	local places = {}
	local from = 1
	while true do
		local i = text:find(" => ", from, true)
		if not i then
			break
		end
		places[#places + 1] = i
		from = i + 1
	end
	for k = #places, 1, -1 do
		local right = trim(text:sub(places[k] + 4))
		if is_json(right) then
			return { expr = trim(text:sub(1, places[k] - 1)), expect = right }
		end
	end
	fail("example is neither EXPR => JSON nor EXPR !! Type: %s", text)
end

local function parse_default(text, p)
	if IMMEDIATE[text] then
		return IMMEDIATE[text]
	elseif text:match("^%-?%d+$") then
		return string.format("vt_mkint(%s)", text)
	elseif text:match('^".*"$') then
		p.dflt_str = text:sub(2, -2)
		return "VT_UNDEF"
	end
	fail("default of %s: %s is not an integer, true, false, null, novalue or a \"text\"", p.name, text)
end

local function parse_param(text)
	local stars, name, rest = text:match("^(%**)([%a_][%w_]*)%s*:%s*(.+)$")
	if not name then
		fail("parameter is not `name: type`: %s", text)
	end
	local p = { name = name, kind = #stars, dflt = "VT_UNDEF" }
	if p.kind > 2 then
		fail("parameter %s has too many stars", name)
	end
	local tname, mark, tail = rest:match("^([%w_]+)([?!]?)%s*(.*)$")
	if not tname or not TYPES[tname] then
		fail("parameter %s: unknown type %s", name, tname or rest)
	end
	p.type_name, p.lazy = tname, LAZY[tname] or false
	p.nullable = mark == "?" or tname == "null" or (tname == "any" and mark ~= "!") or (tname:match("^lambda") and true or false)
	if mark == "!" and tname ~= "any" then
		fail("parameter %s: only any! exists", name)
	end
	if tail ~= "" then
		local d = tail:match("^=%s*(.+)$") or fail("parameter %s: junk after the type: %s", name, tail)
		if p.kind ~= 0 then
			fail("parameter %s: a rest parameter has no default", name)
		end
		p.has_default = true
		p.dflt = parse_default(trim(d), p)
		p.dflt_text = trim(d)
		if d == "null" then
			p.nullable = true
		end
	end
	p.shown = stars .. name .. ": " .. tname .. (mark == "!" and "" or mark) .. (p.dflt_text and " = " .. p.dflt_text or "")
	return p
end

-- Commas inside a quoted default do not separate.
local function split_params(text)
	local parts, cur, quoted = {}, {}, false
	for c in text:gmatch(".") do
		if c == '"' then
			quoted = not quoted
		end
		if c == "," and not quoted then
			parts[#parts + 1] = trim(table.concat(cur))
			cur = {}
		else
			cur[#cur + 1] = c
		end
	end
	local last = trim(table.concat(cur))
	if last ~= "" or #parts > 0 then
		parts[#parts + 1] = last
	end
	return parts
end

local function check_params(row)
	local seen, stage = {}, 0
	for i, p in ipairs(row.params) do
		if seen[p.name] then
			fail("%s: two parameters %s", row.name, p.name)
		end
		seen[p.name] = true
		if p.kind < stage or (p.kind == stage and stage > 0) then
			fail("%s: parameters come in the order standard, *rest, **keywords", row.name)
		end
		stage = p.kind
		if i > 30 then
			fail("%s: more than 30 parameters", row.name)
		end
	end
	local first = row.params[1]
	if row.kind ~= "fn" and (not first or first.kind == 2 or first.lazy) then
		fail("%s: a method needs a receiver that is evaluated", row.name)
	end
end

local function parse_head(text, layer)
	local row = { file = file, line = line, layer = layer, flags = {}, params = {}, calls = {}, docs = {}, raises = {}, examples = {}, src = {} }
	local rest = text
	while true do
		local word, tail = rest:match("^(%a+)%s+(.+)$")
		if not word then
			fail("expected fn, method or ext: %s", text)
		end
		rest = tail
		if KINDS[word] then
			row.kind = word
			break
		elseif not FLAGS[word] then
			fail("unknown word %s; rows begin with nokw, pure, exclusive, context, fn, method or ext", word)
		end
		row.flags[#row.flags + 1] = word
	end
	row.name, rest = rest:match("^([^%s(]+)(%b())%s*$")
	if not row.name then
		fail("expected NAME(PARAMETERS): %s", text)
	end
	for _, part in ipairs(split_params(rest:sub(2, -2))) do
		row.params[#row.params + 1] = parse_param(part)
	end
	check_params(row)
	return row
end

local function finish(row)
	if row and not row.c then
		file, line = row.file, row.line
		fail("%s has no C function (attribute c)", row.name)
	end
end

local kinds_of_quick <const> = { INT = true, STR = true, DICT = true, LIST = true, ANY = true }

local ATTRIBUTES = {
	c = function(row, v)
		if not v:match("^vt_lib_[%w_]+$") then
			fail("%s: C functions are named vt_lib_...: %s", row.name, v)
		end
		row.c = v
	end,
	calls = function(row, v) row.calls[#row.calls + 1] = v end,
	place = function(row, v)
		if not v:match("^%u+$") then
			fail("%s: what methods have in place is a name of enum vt_in_place without VT_IN_: %s", row.name, v)
		end
		row.place = v
	end,
	quick = function(row, v)
		row.quick = {}
		for kind in v:gmatch("%S+") do
			if not kinds_of_quick[kind] then
				fail("%s: the kinds of a quick function are INT, STR, DICT, LIST and ANY: %s", row.name, kind)
			end
			row.quick[#row.quick + 1] = kind
		end
		if #row.quick ~= #row.params then
			fail("%s: a quick function takes what the row takes", row.name)
		end
	end,
	doc = function(row, v) row.docs[#row.docs + 1] = v end,
	raises = function(row, v) row.raises[#row.raises + 1] = v end,
	src = function(row, v) row.src[#row.src + 1] = v end,
	ex = function(row, v) row.examples[#row.examples + 1] = parse_example(v) end,
}

local rows, modules = {}, {}
local function read_file(path)
	local f, err = io.open(path)
	file, line = path, 0
	if not f then
		fail("%s", err)
	end
	local module = { name = path:match("([^/]+)%.fn$") or path, rows = {} }
	modules[#modules + 1] = module
	local layer, row
	for text in f:lines() do
		line = line + 1
		if text:match("^# ") or text == "#" or text:match("^%s*$") then
			goto continue
		end
		if text:sub(1, 1) == "\t" then
			local key, value = text:match("^\t(%a+)%s+(.-)%s*$")
			if not key or not ATTRIBUTES[key] then
				fail("unknown attribute: %s", trim(text))
			elseif not row then
				fail("attribute before the first row")
			end
			ATTRIBUTES[key](row, value)
		elseif text:match("^layer%s") then
			layer = trim(text:sub(7))
			if not LAYERS[layer] then
				fail("unknown layer %s", layer)
			end
		elseif text:match("^%s") then
			fail("rows start in the first column, attributes after one tab")
		else
			if not layer then
				fail("no layer before the first row")
			end
			finish(row)
			row = parse_head(text, layer)
			rows[#rows + 1] = row
			module.rows[#module.rows + 1] = row
			row.order = #rows
		end
		::continue::
	end
	finish(row)
	f:close()
end

-- The same signature twice in a layer could never be distinguished.
local function check_duplicates()
	local seen = {}
	for _, row in ipairs(rows) do
		local sig = { row.layer, row.name, row.kind }
		for _, p in ipairs(row.params) do
			sig[#sig + 1] = p.shown
		end
		local key = table.concat(sig, "|")
		if seen[key] then
			file, line = row.file, row.line
			fail("%s is already declared at %s:%d", row.name, seen[key].file, seen[key].line)
		end
		seen[key] = row
	end
end

local function write_file(name, text)
	local path = out_dir .. "/" .. name
	local f, err = io.open(path .. ".tmp", "w")
	if not f then
		file, line = path, 0
		fail("%s", err)
	end
	f:write(text)
	f:close()
	assert(os.rename(path .. ".tmp", path))
end

local function param_c(p)
	return string.format("\t{ %s, %s, %d, %d, %d, %s, %s, 0, 0, NULL },", c_string(p.name), TYPES[p.type_name], p.nullable and 1 or 0,
		p.has_default and 1 or 0, p.kind, p.dflt, p.dflt_str and c_string(p.dflt_str) or "NULL")
end

-- The function for values of certain kinds is vt_quick_NAME where the row's is vt_lib_NAME.
local function quick_name(row)
	return (row.c:gsub("^vt_lib_", "vt_quick_"))
end

local function quick_c(row)
	local takes = {}
	for k, kind in ipairs(row.quick or {}) do
		takes[k] = "VT_QUICK_" .. kind .. " << " .. 4 * (k - 1)
	end
	return row.quick and quick_name(row) .. ", " .. table.concat(takes, " | ") or "NULL, 0"
end

local function row_c(row, i)
	local flags, lazy = { KINDS[row.kind] }, 0
	for _, f in ipairs(row.flags) do
		flags[#flags + 1] = FLAGS[f]
	end
	if group_of(row) then
		flags[#flags + 1] = "VT_G_" .. group_of(row) .. " << VT_FN_GROUP"
	end
	if row.place then
		flags[#flags + 1] = "VT_IN_" .. row.place .. " << VT_FN_PLACE"
	end
	for k, p in ipairs(row.params) do
		if p.lazy then
			lazy = lazy | (p.kind == 0 and 1 << (k - 1) or 1 << 31)
		end
	end
	return string.format("\t{ %s, %s, %s, 0x%x, %s, %d, %s, %s, %s },", c_string(row.name), table.concat(flags, " | "), LAYERS[row.layer],
		lazy, #row.params > 0 and "params_" .. i or "NULL", #row.params, row.c, c_string(row.c), quick_c(row))
end

local NOTE = "/* Generated by lua/build/registry.lua from runtime/lib. */\n"
-- A call site gives all parameters of the longest one that its name has, whichever it finds.
local function check_quick(rows)
	local has = {}
	for _, row in ipairs(rows) do
		for _, other in ipairs(row.quick and has[row.name] or {}) do
			for k = 1, math.min(#row.params, #other.params) do
				local a, b = row.params[k].dflt, other.params[k].dflt
				if a and b and a ~= b then
					fail("%s: two quick functions of a name have other defaults", row.name)
				end
			end
		end
		if row.quick then
			has[row.name] = has[row.name] or {}
			table.insert(has[row.name], row)
		end
	end
end

local function write_tables(sorted)
	check_quick(sorted)
	local params, table_rows, seen, protos = {}, {}, {}, {}
	for i, row in ipairs(sorted) do
		if #row.params > 0 then
			params[#params + 1] = "static const vt_fnparam params_" .. i .. "[] = {"
			for _, p in ipairs(row.params) do
				params[#params + 1] = param_c(p)
			end
			params[#params + 1] = "};"
		end
		table_rows[#table_rows + 1] = row_c(row, i)
		if not seen[row.c] then
			seen[row.c] = true
			protos[#protos + 1] = "vt_status " .. row.c .. "(vt_args *, vt_value *);"
		end
		if row.quick and not seen[quick_name(row)] then
			seen[quick_name(row)] = true
			protos[#protos + 1] = "vt_value " .. quick_name(row) .. "(vt_rt *, const vt_value *);"
		end
	end
	table.sort(protos)
	write_file("registry.h", NOTE .. '#include "runtime/core/args.h"\n' .. "#ifndef VT_REGISTRY_H\n#define VT_REGISTRY_H\n\n" .. table.concat(protos, "\n") .. "\n\n#endif\n")
	-- A C array has at least one element; the count decides.
	if #table_rows == 0 then
		table_rows[1] = "\t{ \"\", 0, 0, 0, NULL, 0, NULL, NULL, NULL, 0 },"
	end
	write_file("registry.c", NOTE .. '#include "runtime/call/call.h"\n#include "registry.h"\n\n' .. table.concat(params, "\n") ..
		"\n\nstatic const vt_fnrow rows[] = {\n" .. table.concat(table_rows, "\n") ..
		"\n};\nconst vt_parts vt_linked = { rows, " .. #sorted .. ", NULL, 0, &vt_lua };\n")
end

-- What functions call by name, for the compiler: a program that has them needs those as well.
local function write_calls(sorted)
	local t, seen, names = {}, {}, {}
	for _, row in ipairs(sorted) do
		names[row.name] = true
	end
	for _, row in ipairs(sorted) do
		for _, name in ipairs(row.calls) do
			if not names[name] then
				file, line = row.file, row.line
				fail("%s calls %s, which there is not", row.name, name)
			end
			local text = string.format("\t{%s, %s},", c_string(row.c), c_string(name))
			t[#t + 1] = not seen[text] and text or nil
			seen[text] = true
		end
	end
	write_file("registry_calls.h", NOTE .. table.concat(t, "\n") .. "\n")
end

local wrap = dofile((arg[0]:gsub("[^/]*$", "wrap.lua")))

-- In short without types and defaults, for the heading of a long one.
local function signature(row, short)
	local shown = {}
	for _, p in ipairs(row.params) do
		shown[#shown + 1] = short and p.shown:match("^[^:=]+"):gsub("%s+$", "") or p.shown
	end
	return row.name .. "(" .. table.concat(shown, ", ") .. ")"
end

local function write_row_doc(t, row)
	local whole, short = signature(row), signature(row, true)
	if #whole <= 94 then
		t[#t + 1] = "### `" .. whole .. "`\n"
	else
		t[#t + 1] = "### `" .. (#short <= 94 and short or row.name .. "(...)") .. "`\n"
		-- a parameter stays in its line
		local kept = whole:gsub(" ", "\1"):gsub(",\1", ", ")
		t[#t + 1] = "```\n" .. wrap(kept):gsub("\1", " ") .. "\n```\n"
	end
	local facts = { SHOWN_KIND[row.kind] }
	if row.layer ~= "std" then
		facts[#facts + 1] = "layer " .. row.layer
	end
	for _, f in ipairs(row.flags) do
		facts[#facts + 1] = ({ nokw = "takes no keyword arguments", pure = "pure", exclusive = "hides outer overloads",
			context = "sees the variables of its call" })[f]
	end
	t[#t + 1] = wrap("*" .. table.concat(facts, "; ") .. "*") .. "\n"
	if #row.docs > 0 then
		t[#t + 1] = wrap(table.concat(row.docs, " ")) .. "\n"
	end
	if #row.raises > 0 then
		t[#t + 1] = wrap("Raises: " .. table.concat(row.raises, " ")) .. "\n"
	end
	if #row.examples > 0 then
		t[#t + 1] = "```"
		for _, ex in ipairs(row.examples) do
			t[#t + 1] = ex.expr .. (ex.error and "   raises " .. ex.error or "   gives " .. ex.expect)
		end
		t[#t + 1] = "```\n"
	end
end

local function write_docs()
	local t = { "# Functions of the registry\n", wrap("Generated from runtime/lib by lua/build/registry.lua. Types: see docs/internals/runtime-lib.md; `?` admits null.") .. "\n" }
	for _, m in ipairs(modules) do
		t[#t + 1] = "## " .. m.name .. "\n"
		for _, row in ipairs(m.rows) do
			write_row_doc(t, row)
		end
	end
	write_file("functions.md", table.concat(t, "\n"))
end

local function write_examples()
	local t = {}
	for _, row in ipairs(rows) do
		for _, ex in ipairs(row.examples) do
			local tail = ex.error and '"error":' .. json_string(ex.error) or '"expect":' .. ex.expect
			t[#t + 1] = string.format('{"name":%s,"layer":%s,"expr":%s,%s}\n', json_string(row.name), json_string(row.layer), json_string(ex.expr), tail)
		end
	end
	write_file("registry_examples.jsonl", table.concat(t))
end

if not out_dir then
	io.stderr:write("usage: lua5.4 lua/build/registry.lua OUTDIR FILE.fn...\n")
	os.exit(2)
end
for i = 2, #arg do
	read_file(arg[i])
end
check_duplicates()
local sorted = table.move(rows, 1, #rows, 1, {})
table.sort(sorted, function(a, b)
	if a.name ~= b.name then
		return a.name < b.name
	end
	return a.order < b.order
end)
write_tables(sorted)
write_calls(sorted)
write_docs()
write_examples()
