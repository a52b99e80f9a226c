-- Native classes that need a cloud: runtime/cloud/classes.def -> hosts.h (declarations) or the compiler's list of them.
--
--   lua5.4 lua/build/hosts.lua decls|list runtime/cloud/classes.def
--
-- hosts.h holds a part for each class between #ifdef VT_HOST_<NAME> and #endif: a C file that implements the class
-- defines that and includes it, behind its functions.  Names carry their hash, as emitted ones do (vt_hash_bytes).

local how, path = arg[1], arg[2]
local line = 0

local function fail(...)
	io.stderr:write(string.format("%s:%d: ", path, line), string.format(...), "\n")
	os.exit(1)
end

local function hash(s)
	local h = 0xcbf29ce484222325
	for i = 1, #s do
		h = (h ~ s:byte(i)) * 0x100000001b3
	end
	h = h ~ (h >> 32)
	return h ~= 0 and h or 1
end

local function read_params(text)
	local out = {}
	for part in text:gmatch("[^,]+") do
		local name, default = part:match("^%s*(%w+)%s*=%s*(%w+)%s*$")
		name = name or part:match("^%s*(%w+)%s*$") or fail("no parameter: %s", part)
		if default and not (default == "null" or default == "true" or default == "false" or default:match("^%d+$")) then
			fail("no default: %s", default)
		end
		out[#out + 1] = { name = name, default = default }
	end
	return out
end

local classes = {}
for text in io.lines(path) do
	line = line + 1
	local fqn, name, new = text:match("^class (%S+) (%w+) (%S+)$")
	local static = text:match("^\tstatic ") or text:match("^\tunlocked ") or "\t"
	local method, params, fn = text:match("^" .. static .. "([%w_]+)%((.-)%) ([%w_]+)$")
	if fqn then
		classes[#classes + 1] = { fqn = fqn, name = name, new = new, methods = {} }
	elseif method and #classes > 0 then
		local m = classes[#classes].methods
		m[#m + 1] = { name = method, static = static == "\tstatic ", unlocked = static == "\tunlocked ", params = read_params(params), fn = fn }
	elseif not text:match("^%s*#") and not text:match("^%s*$") then
		fail("neither a class nor a method")
	end
end

local function put(...)
	io.write(string.format(...), "\n")
end

if how == "list" then
	put("/* Made from runtime/cloud/classes.def: {class, symbol, its methods}. */")
	for _, c in ipairs(classes) do
		local names = {}
		for _, m in ipairs(c.methods) do
			names[#names + 1] = '"' .. m.name .. '"'
		end
		put('{"%s", "vt_host_%s", (const char *const[]){%s, NULL}},', c.fqn, c.name, table.concat(names, ", "))
	end
	os.exit(0)
end

local function put_class(c)
	local known, defaults = {}, {}
	local function str(s)
		if not known[s] then
			known[s] = true
			put("static const VT_STR_CONST(%d) s_%s = {{VT_IMMORTAL, VT_K_STR, VT_F_ASCII, 0}, %d, %d, 0x%016xu, \"%s\"};",
				#s, s:gsub("%W", "_"), #s, #s, hash(s), s)
		end
		return "(const vt_str *)&s_" .. s:gsub("%W", "_")
	end
	local function default(d)
		local value = d:match("^%d+$") and "vt_mkint(" .. d .. ")" or "VT_" .. d:upper()
		if not defaults[d] then
			defaults[d] = true
			put("static vt_status give_%s(vt_rt *rt, vt_scope *sc, vt_value *out) { (void)rt; (void)sc; *out = %s; return VT_OK; }",
				d, value)
			put("static const vt_code d_%s = {.fn = give_%s, .source = \"%s\"};", d, d, d)
		end
		return "&d_" .. d
	end
	put("\n#ifdef VT_HOST_%s", c.name)
	put("extern const vt_class_decl vt_host_%s;", c.name)
	str(c.fqn)
	for i, m in ipairs(c.methods) do
		str(m.name)
		local rows = {}
		for _, p in ipairs(m.params) do
			rows[#rows + 1] = string.format("{.name = %s%s}", str(p.name), p.default and ", .dflt = " .. default(p.default) or "")
		end
		put("static const vt_param_decl p%d[] = {%s};", i, #rows > 0 and table.concat(rows, ", ") or "{.name = NULL}")
		put("static const vt_method_decl m%d = {.name = %s, .usage = %s, .native = %s, .params = p%d, .nparams = %d, .cls = &vt_host_%s%s};",
			i, str(m.name), m.static and "VT_M_STATIC" or "VT_M_RUNTIME", m.fn, i, #m.params, c.name,
			m.unlocked and ", .unlocked = 1" or "")
	end
	local refs = {}
	for i in ipairs(c.methods) do
		refs[i] = "&m" .. i
	end
	put("static const vt_method_decl *const methods[] = {%s};", table.concat(refs, ", "))
	put("const vt_class_decl vt_host_%s = {.name = %s, .unit = &vt_core_unit, .listed = 1, .methods = methods, .nmethods = %d, .native_new = %s};",
		c.name, str(c.fqn), #c.methods, c.new == "-" and "NULL" or c.new)
	put("#endif")
end

put("/* Made from runtime/cloud/classes.def by lua/build/hosts.lua. */")
for _, c in ipairs(classes) do
	put_class(c)
end
