-- The hooks that ship with vetro: what a session started with --expose offers to the programs it tests.
-- A program's own function or class of the same name wins over the one here.
-- Each name stands in double quotes: the runtime looks for it in this text before it starts Lua.

local function trace(x)
	local t = vetro.traces
	t[#t + 1] = x
end

vetro.register { name = "trace", params = "data: any", fn = trace }

-- The other tasks run before it returns.
vetro.register { name = "yield", fn = function() trace("yield") vetro.sleep(0) end }

vetro.register {
	name = "raisePythonException",
	fn = function() vetro.raise("LookupError", "just random Python exception") end,
}

vetro.register {
	name = "raiseException",
	fn = function() vetro.raise("host.CustomException", "") end,
}

-- Static methods of a native class see on what they were called: an object or a type.
local function on_object(receiver)
	return vetro.type(receiver) == "object"
end

vetro.class {
	name = "test.TestStatics",
	statics = {
		staticPythonMethod = {
			params = "arg: integer",
			fn = function(receiver, arg) return (on_object(receiver) and 3 or 7) * arg end,
		},
		classmethodPythonMethod = {
			params = "arg: any",
			fn = function(receiver, arg)
				local class = "PythonClass"
				return (on_object(receiver) and class:upper() or class) .. tostring(arg)
			end,
		},
	},
}

vetro.class {
	name = "extcls.Extender",
	extensions = {
		pythonExtension = { params = "arg: integer", fn = function(_, arg) return arg * arg end },
		pythonExtension2 = { params = "arg: integer", fn = function(_, arg) return 2 * arg end },
	},
}
