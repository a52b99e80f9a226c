-- natives.lua - native classes: runtime/native/classes.def, which explains its rows, -> C.
--
--   lua5.4 lua/build/natives.lua decls|list runtime/native/classes.def
--
-- decls: natives.h, which has a part for each class of a cloud between #ifdef VT_NATIVE_<NAME> and #endif, and one for the
-- others (VT_NATIVE_CORE). A C file defines that and includes it behind its functions. Names carry their hash, as emitted
-- ones do (vt_hash_bytes).
-- list: natives_list.h, the compiler's list of classes and their methods.

local how, path = arg[1], arg[2]
local line = 0

local function fail(...)
	io.stderr:write(string.format("%s:%d: ", path, line), string.format(...), "\n")
	os.exit(1)
end

local function hash_word(h, w)
	return string.unpack(">i8", string.pack("<i8", (h ~ w) * 0x9fb21c651e98df25))
end

local function short_word(s)
	local n = #s
	if n >= 4 then
		return string.unpack("<I4", s) | string.unpack("<I4", s, n - 3) << 32
	end
	return n == 0 and 0 or s:byte(1) | s:byte(n // 2 + 1) << 8 | s:byte(n) << 16
end

local function hash(s)
	local h = #s
	if #s < 8 then
		h = hash_word(h, short_word(s))
	else
		for i = 1, #s - 8, 8 do
			h = hash_word(h, string.unpack("<i8", s, i))
		end
		h = hash_word(h, string.unpack("<i8", s, #s - 7))
	end
	return h ~= 0 and h or 1
end

local constants <const> = { null = true, ["true"] = true, ["false"] = true }
local usages <const> = { ["*"] = "VT_PARAM_VARARGS", ["**"] = "VT_PARAM_KWARGS" }

local function read_params(text)
	local out = {}
	for part in text:gmatch("[^,]+") do
		local stars, name, default = part:match("^%s*(%**)([%w_]+)%s*=?%s*(%w*)%s*$")
		if not name or stars ~= "" and not usages[stars] then
			fail("no parameter: %s", part)
		elseif default ~= "" and not constants[default] and not default:match("^%d+$") then
			fail("no default: %s", default)
		end
		out[#out + 1] = { name = name, default = default ~= "" and default, usage = usages[stars] }
	end
	return out
end

-- ---- rows ----

local kinds <const> = { static = "VT_M_STATIC", action = "VT_M_ACTION", unlocked = "VT_M_RUNTIME", [""] = "VT_M_RUNTIME" }
local classes = {}

local function read_member(c, text)
	local property = text:match("^\tproperty (%w+)$")
	if property then
		c.props[#c.props + 1] = property
		return true
	end
	local kind, name, params, fn = text:match("^\t(%w*) ?([%w_]+)%((.-)%) ([%w_]+)$")
	if not kinds[kind] then -- what looks like a kind is the first part of the name
		kind, name, params, fn = "", text:match("^\t([%w_]+)%((.-)%) ([%w_]+)$")
	end
	if not name then
		return false
	end
	c.methods[#c.methods + 1] = { name = name, kind = kind, params = read_params(params), fn = fn }
	return true
end

for text in io.lines(path) do
	line = line + 1
	local fqn, new = text:match("^core (%S+) (%S+)$")
	local cloud, symbol, cloud_new = text:match("^cloud (%S+) (vt_native_%w+) (%S+)$")
	if fqn or cloud then
		classes[#classes + 1] = { fqn = fqn or cloud, symbol = symbol, new = new or cloud_new, methods = {}, props = {},
			name = (fqn or cloud):match("%w+$") }
	elseif not (text:match("^%s*#") or text:match("^%s*$")) and not (#classes > 0 and read_member(classes[#classes], text)) then
		fail("neither a class nor a member")
	end
end

local function put(...)
	io.write(string.format(...), "\n")
end

if how == "list" then
	put("/* Made from runtime/native/classes.def: {class, symbol, its methods}. */")
	for _, c in ipairs(classes) do
		local names = {}
		for _, m in ipairs(c.methods) do
			names[#names + 1] = '"' .. m.name .. '", '
		end
		put('{"%s", %s, (const char *const[]){%sNULL}},', c.fqn, c.symbol and '"' .. c.symbol .. '"' or "NULL", table.concat(names))
	end
	os.exit(0)
end

-- ---- declarations ----

local known -- of the part: strings and defaults that stand above

local function str(s)
	local name = "s_" .. s:gsub("%W", "_")
	if not known[name] then
		known[name] = true
		put("static const VT_STR_CONST(%d) %s = {{VT_IMMORTAL, VT_K_STR, VT_F_ASCII, 0}, %d, %d, 0x%016xu, \"%s\"};",
			#s, name, #s, #s, hash(s), s)
	end
	return "(const vt_str *)&" .. name
end

local function default(d)
	if not known["d_" .. d] then
		known["d_" .. d] = true
		put("static vt_status give_%s(vt_rt *rt, vt_scope *sc, vt_value *out) { (void)rt; (void)sc; *out = %s; return VT_OK; }",
			d, constants[d] and "VT_" .. d:upper() or "vt_mkint(" .. d .. ")")
		put("static const vt_code d_%s = {.fn = give_%s, .source = \"%s\"};", d, d, d)
	end
	return "&d_" .. d
end

local function put_method(c, m)
	local rows = {}
	for _, p in ipairs(m.params) do
		local same = constants[p.default] and ", .imm = VT_" .. p.default:upper() or ""
		rows[#rows + 1] = string.format("{.name = %s%s%s%s}", str(p.name), p.default and ", .dflt = " .. default(p.default) or "",
			same, p.usage and ", .usage = " .. p.usage or "")
	end
	local id = c.name .. "_" .. m.name
	put("static const vt_param_decl p_%s[] = {%s};", id, #rows > 0 and table.concat(rows, ", ") or "{.name = NULL}")
	put("static const vt_method_decl m_%s = {.name = %s, .usage = %s, .native = %s, .params = p_%s, .nparams = %d, .cls = &%s%s%s};",
		id, str(m.name), kinds[m.kind], m.fn, id, #m.params, c.id, m.kind == "action" and ", .is_public = 1" or "",
		m.kind == "unlocked" and ", .unlocked = 1" or "")
	return "&m_" .. id
end

local function put_property(c, name)
	put("static const vt_prop_decl v_%s_%s = {.name = %s, .usage = VT_P_RUNTIME, .cls = &%s};", c.name, name, str(name), c.id)
	return "&v_" .. c.name .. "_" .. name
end

-- One table of members; what it adds to the class.
local function put_members(c, what, type, members, put_one)
	local refs = {}
	for i, m in ipairs(members) do
		refs[i] = put_one(c, m)
	end
	if #refs == 0 then
		return ""
	end
	put("static const %s *const %s_%s[] = {%s};", type, what, c.name, table.concat(refs, ", "))
	return string.format(", .%s = %s_%s, .n%s = %d", what, what, c.name, what, #refs)
end

local function put_class(c)
	local members = put_members(c, "methods", "vt_method_decl", c.methods, put_method) ..
		put_members(c, "props", "vt_prop_decl", c.props, put_property)
	put("%sconst vt_class_decl %s = {.name = %s, .unit = &vt_core_unit, .listed = 1%s%s};", c.symbol and "" or "static ", c.id,
		str(c.fqn), members, c.new == "-" and "" or ", .native_new = " .. c.new)
end

put("/* Made from runtime/native/classes.def by lua/build/natives.lua. */")
-- The functions of classes without a part of their own; who defines them includes the header for these.
local declared = {}
put('#include "runtime/core/args.h"')
for _, c in ipairs(classes) do
	local fns = c.new == "-" and {} or { c.new }
	for _, m in ipairs(c.methods) do
		fns[#fns + 1] = m.fn
	end
	for _, fn in ipairs(c.symbol and {} or fns) do
		if not declared[fn] then
			declared[fn] = true
			put("vt_status %s(vt_args *, vt_value *out);", fn)
		end
	end
end
put("#ifdef VT_NATIVE_CORE")
known = {}
local ids = {}
for _, c in ipairs(classes) do
	if not c.symbol then
		c.id = "c_" .. c.name
		ids[#ids + 1] = "&" .. c.id
		put("static const vt_class_decl %s;", c.id)
	end
end
for _, c in ipairs(classes) do
	if not c.symbol then
		put_class(c)
	end
end
put("const vt_class_decl *const vt_native_classes[] = {%s};", table.concat(ids, ", "))
put("const uint32_t vt_nnative_classes = %d;", #ids)
put("#endif")
for _, c in ipairs(classes) do
	if c.symbol then
		known = {}
		c.id = c.symbol
		put("\n#ifdef %s", c.symbol:gsub("vt_native_", "VT_NATIVE_"), 1)
		put("extern const vt_class_decl %s;", c.id)
		put_class(c)
		put("#endif")
	end
end
