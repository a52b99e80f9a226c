-- The functions that the recorded cases of the suite yaql-host name in `port`, written for vetro.
--
-- Different cases give the same name to different functions, so they stand in groups. A script that is loaded before
-- this one chooses a group in the global HOST; without it there is the largest set of groups that can stand together.

local function identity(x) return x end
local function is_null(x) return x == vetro.null end
local function negative(x) return -x end
local function sum(a, b) return a + b end

local function foo(params, fn)
	return function() vetro.register { name = "foo", params = params, fn = fn or identity } end
end
local function yes() return true end

local groups = {}

groups.boolean_constant = foo "arg: bool_const"
groups.constant = foo "arg: const?"
groups.keyword_constant = foo "arg: keyword"
groups.numeric_constant = foo "arg: number_const"
groups.string_constant = foo "arg: string_const"
groups.bool_is_not_an_integer = foo "arg: integer"
groups.any_of = foo("arg: str|integer", function(x) return type(x) == "string" and 1 or 2 end)
groups.chain = foo("arg: int-bool", yes)
groups.not_of_type = foo("arg: any-int", yes)

function groups.delegate_factory()
	vetro.register {
		name = "callFunc", params = "name: str, *args: any, **kwargs: any",
		fn = function(name, keywords, ...)
			local args = table.pack(...)
			args[args.n + 1] = vetro.keywords(keywords)
			return vetro.invoke(name, table.unpack(args, 1, args.n + 1))
		end,
	}
end

function groups.skip_args()
	vetro.register {
		name = "func", params = "a: int? = 11, b: int? = 22, c: int? = 33",
		fn = function(a, b, c) return vetro.list { a, b, c } end,
	}
end

function groups.super()
	vetro.register { name = "len", params = "string: str", fn = function(s) return 2 * vetro.super(s) end }
end

function groups.nullable_collections()
	for name, type in pairs { foo = "sequence", bar = "iterable", baz = "iterator" } do
		vetro.register { name = name .. "1", params = "arg: " .. type, fn = is_null }
		vetro.register { name = name .. "2", params = "arg: " .. type .. "?", fn = is_null }
	end
end

function groups.ambiguous_method()
	vetro.register { name = "select", kind = "method", level = 0, params = "c: any, s: any", fn = function() return 1 end }
end

function groups.layer_override()
	vetro.register { name = "f", params = "a: any", level = 2, fn = negative }
	vetro.register { name = "f", params = "a: any", fn = identity }
end

function groups.multi_layer_laziness_ambiguity()
	local function lazy_first(sign)
		return function(a, b) return sign * a() + b end
	end
	vetro.register { name = "foo", params = "a: any, b: lambda?", level = 2, fn = function(a, b) return -a - b() end }
	vetro.register { name = "bar", params = "a: lambda?, b: any", level = 2, fn = lazy_first(-1) }
	vetro.register { name = "foo", params = "a: lambda?, b: any", fn = lazy_first(1) }
	vetro.register { name = "bar", params = "a: lambda?, b: any", fn = lazy_first(1) }
end

function groups.resolve_parameter_count_multi_layer()
	vetro.register { name = "f", params = "a: any, b: any", level = 2, fn = sum }
	vetro.register { name = "f", params = "a: any", fn = identity }
end

function groups.resolve_parameter_count_single_layer()
	vetro.register { name = "f", params = "a: any", fn = identity }
	vetro.register { name = "f", params = "a: any, b: any", fn = sum }
end

function groups.single_layer_laziness_ambiguity()
	vetro.register { name = "f", params = "a: lambda?", fn = function(a) return a() end }
	vetro.register { name = "f", params = "a: any", level = 2, fn = negative }
	vetro.register { name = "f", params = "a: any, b: any", fn = sum }
end

function groups.properties()
	vetro.register { name = "#property#negValue", params = "obj: int", fn = negative }
end

function groups.data_access()
	vetro.register { name = "foo", fn = function() return vetro.list { vetro.var(), vetro.var("key") } end }
end

function groups.function_call()
	vetro.register { name = "foo", fn = function() return vetro.invoke("len", vetro.list { 1, 2, 3 }) end }
end

function groups.call()
	vetro.register { name = "foo", fn = function() return vetro.expr("2+2")() end }
	vetro.register { name = "bar", fn = function() return vetro.expr("$a * $")(2, vetro.keywords { a = 3 }) end }
end

function groups.method_call()
	vetro.register {
		name = "foo",
		fn = function() return vetro.send(vetro.list { 1, 2, 3 }, "where", function(i) return i > 1 end) end,
	}
	vetro.register {
		name = "bar",
		fn = function() return vetro.send(vetro.list { 1, 2, 3 }, "select", vetro.expr "$ * $") end,
	}
end

local together = {
	"numeric_constant", "function_call", "multi_layer_laziness_ambiguity", "delegate_factory", "skip_args", "super",
	"nullable_collections", "ambiguous_method", "single_layer_laziness_ambiguity", "properties",
}

for _, name in ipairs(HOST and { HOST } or together) do
	(groups[name] or error("there is no group '" .. name .. "'"))()
end
