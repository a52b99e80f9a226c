-- What vetro.object(t, settings) shows of a table of the host: its fields, its methods, its items.
-- Runs when the first object is made. `objects` knows the marked tables; the function it returns calls a method.
local objects = ...

local function listed(list, name)
	for _, entry in ipairs(list) do
		if entry == name or type(entry) == "function" and entry(name) then
			return true
		end
	end
	return false
end

-- The name inside of a public name, and how its keywords are renamed.
local function renamed(s, name)
	local to = s.rename and s.rename[name] or name
	if type(to) == "table" then
		return to[1], to[2] or {}
	end
	return to, {}
end

-- What has got another name is not to be had under its own.
local function is_target(s, name)
	for _, to in pairs(s.rename or {}) do
		if (type(to) == "table" and to[1] or to) == name then
			return true
		end
	end
	return false
end

local function shown(s, name)
	if type(name) == "string" and name:sub(1, 1) == "_" then
		return false
	elseif s.white and #s.white > 0 then
		return listed(s.white, name)
	end
	return not (is_target(s, name) or s.black and listed(s.black, name))
end

local function check(s, name, what)
	if not shown(s, name) then
		vetro.raise(what, "Cannot access " .. tostring(name))
	end
end

-- Tables with a metatable of their own are objects; those without are data.
local function result(s, v)
	if s.auto and type(v) == "table" and not objects[v] and type(getmetatable(v)) == "table" then
		return vetro.object(v, { auto = true })
	end
	return v
end

local function field(object, name)
	local v = object[name]
	if v == nil then
		vetro.raise("AttributeError", "the object has no attribute '" .. name .. "'")
	end
	return v
end

vetro.register {
	name = "#operator_.", level = 255, params = "object: script_object, attribute: keyword",
	fn = function(object, name)
		local s = objects[object].settings
		if s.attributes == false then
			vetro.raise("NoFunctionRegisteredException", 'Unknown function "#property#' .. name .. '"')
		end
		check(s, name, "AttributeError")
		return result(s, field(object, (renamed(s, name))))
	end,
}

vetro.register {
	name = "#indexer", level = 255, params = "object: script_object, key: any",
	fn = function(object, key)
		local s = objects[object].settings
		if s.indexer == false then
			vetro.raise("NoMatchingFunctionException", 'No function "#indexer" matches supplied arguments')
		end
		check(s, key, "KeyError")
		local v
		if type(s.index) == "function" then
			v = s.index(object, key)
		else
			v = object[key]
		end
		if v == nil then
			vetro.raise("KeyError", tostring(key))
		end
		return result(s, v)
	end,
}

-- Puts keyword arguments at the places that settings.params names: "first, second".
local function place(s, name, inner, keywords, args)
	local at, n = {}, 0
	for word in (s.params and s.params[inner] or ""):gmatch("[%w_]+") do
		n = n + 1
		at[word] = n
	end
	local _, names = renamed(s, name)
	for k, v in pairs(keywords) do
		local i = at[names[k] or k]
		if i == nil then
			vetro.raise("TypeError", name .. "() got an unexpected keyword argument '" .. tostring(k) .. "'")
		elseif i <= args.n and args[i] ~= nil then
			vetro.raise("TypeError", name .. "() got multiple values for argument '" .. k .. "'")
		end
		args[i] = v
		args.n = math.max(args.n, i)
	end
	return args
end

return function(object, name, keywords, ...)
	local s = objects[object].settings
	check(s, name, "AttributeError")
	local inner = renamed(s, name)
	local f = field(object, inner)
	if type(f) ~= "function" then
		vetro.raise("TypeError", "'" .. name .. "' is not a method")
	end
	local args = place(s, name, inner, keywords, table.pack(...))
	return result(s, f(object, table.unpack(args, 1, args.n)))
end
