-- The classes of io.murano.system that need a cloud, as t/oracle/core.py has them in Python: the same answers to the
-- same calls.  What was done is told by vetro.traces, one list an effect, its first item the kind.
local clouds = { stacks = {} }
local cloud = {}

local function note(...)
	vetro.traces[#vetro.traces + 1] = vetro.list { ... }
end

local names = 0
vetro.register { name = "mockCloud", params = "cloud: any", fn = function(c)
	cloud = c
	clouds.stacks, names = c.stacks or clouds.stacks, c.names or names
end }
vetro.register { name = "mockState", params = "", fn = function()
	cloud.stacks, cloud.names = vetro.dict(clouds.stacks), names
	return vetro.dict(cloud)
end }
vetro.register { name = "randomName", fn = function() names = names + 1 return ("name%d"):format(names) end }

local function null(v) if v == nil then return vetro.null end return v end
local function is_dict(v) return type(v) == "table" and getmetatable(v) == "dict" end
local function is_list(v) return type(v) == "table" and getmetatable(v) == "list" end

local function equal(a, b)
	if type(a) ~= "table" or type(b) ~= "table" then return a == b end
	if is_dict(a) ~= is_dict(b) then return false end
	for k, v in pairs(a) do if b[k] == nil or not equal(v, b[k]) then return false end end
	for k in pairs(b) do if a[k] == nil then return false end end
	return true
end

local function copy(v)
	if is_dict(v) then
		local out = {}
		for k, x in pairs(v) do out[k] = copy(x) end
		return vetro.dict(out)
	elseif is_list(v) then
		local out = {}
		for i, x in ipairs(v) do out[i] = copy(x) end
		return vetro.list(out)
	end
	return v
end

-- As engines merge templates: mappings by key, lists as sets in order; a text is not replaced by null, nor null by one.
local function merge(a, b)
	local out = {}
	for k, v in pairs(a) do
		local w = b[k]
		if w == nil then
			out[k] = v
		elseif is_dict(v) and is_dict(w) then
			out[k] = merge(v, w)
		elseif is_list(v) and is_list(w) then
			local l = {}
			for _, from in ipairs { v, w } do
				for _, x in ipairs(from) do
					local seen = false
					for _, y in ipairs(l) do seen = seen or equal(x, y) end
					if not seen then l[#l + 1] = x end
				end
			end
			out[k] = vetro.list(l)
		elseif (v == vetro.null) ~= (w == vetro.null) and (type(v) == "string" or type(w) == "string") then
			out[k] = v
		elseif type(v) == type(w) and not is_dict(v) and not is_dict(w) then
			out[k] = w
		else
			vetro.raise("TypeError", "the template has another kind of value at " .. tostring(k))
		end
	end
	for k, w in pairs(b) do if a[k] == nil then out[k] = w end end
	return vetro.dict(out)
end

local function number_of(text)
	local n = 0
	for i = 1, #text do n = (n + text:byte(i)) % 200 end
	return n + 10
end

-- A made-up id stands for one that the model gives, so that addresses are the same on every run.
local function resolve(v, template)
	if not is_dict(v) then return v end
	if v.get_resource then return v.get_resource .. "-id" end
	if not v.get_attr then return v end
	local r, what = v.get_attr[1], v.get_attr[2]
	local n = number_of(r:gsub("%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x+", "ID"))
	if what == "addresses" then return vetro.list { vetro.dict { addr = "10.0.1." .. n } } end
	if what == "networks" then return vetro.dict { private = vetro.list { "10.1.0." .. n } } end
	if what == "fixed_ips" then return "10.0.9." .. n end
	if what == "floating_ip_address" or what == "ip" then return "172.24.4." .. n end
	if what == "cidr" then return template.resources[r].properties.cidr end
	if what == "attachments_list" then return vetro.list { vetro.dict { device = "/dev/vd" .. n } } end
	return r .. "-" .. what
end

-- Lua holds the objects that it was given until it collects, which large texts make it do.
local function forget()
	for _ = 1, 8 do local _ = ("x"):rep(1 << 20) end
end

local stacks = {}
local function key(s) return s.region .. "/" .. s.name end
local function current(s)
	if not s.template then
		s.template, s.applied = copy(clouds.stacks[key(s)] or vetro.dict {}), true
	end
	return s.template
end
local function delete(s)
	if next(current(s)) == nil then return end
	clouds.stacks[key(s)] = nil
	note("heat", vetro.dict { op = "delete", stack = s.name, region = s.region })
	s.template, s.applied = vetro.dict {}, true
end

vetro.class {
	name = "io.murano.system.HeatStack",
	methods = {
		[".init"] = { params = "name: str, description: str? = null, regionName: str? = null", fn = function(self, name, description, region)
			forget()
			stacks[vetro.id(self)] = { name = name, description = description, region = region == vetro.null and "" or region, applied = true }
		end },
		current = { params = "", fn = function(self) return copy(current(stacks[vetro.id(self)])) end },
		setTemplate = { params = "template: any", fn = function(self, t)
			local s = stacks[vetro.id(self)]
			s.template, s.applied = copy(t), false
		end },
		updateTemplate = { params = "template: any", fn = function(self, t)
			local s = stacks[vetro.id(self)]
			local before = current(s)
			s.template = merge(before, t)
			s.applied = equal(s.template, before) and s.applied
		end },
		push = { params = "isAsync: bool? = null", fn = function(self, async)
			local s = stacks[vetro.id(self)]
			if s.applied or not s.template then return end
			s.template.heat_template_version = s.template.heat_template_version or "2013-05-23"
			s.template.description = s.template.description or s.description
			s.applied = true
			if s.template.resources == nil then return delete(s) end
			note("heat", vetro.dict { op = clouds.stacks[key(s)] and "update" or "create", stack = s.name, region = s.region,
				template = copy(s.template), async = async == true })
			clouds.stacks[key(s)] = copy(s.template)
		end },
		output = { params = "", fn = function(self)
			local t, out = clouds.stacks[key(stacks[vetro.id(self)])] or {}, {}
			for k, v in pairs(t.outputs or {}) do out[k] = resolve(v.value, t) end
			return vetro.dict(out)
		end },
		delete = { params = "", fn = function(self) delete(stacks[vetro.id(self)]) end },
	},
}

local hosts = {}
vetro.class {
	name = "io.murano.system.Agent",
	methods = {
		[".init"] = { params = "host: any", fn = function(self, host) hosts[vetro.id(self)] = vetro.id(host) end },
		queueName = { params = "", fn = function(self) return "queue-of-" .. hosts[vetro.id(self)] end },
		signingKey = { params = "linePrefix: str? = null", fn = function(_, prefix) return prefix .. "KEY" end },
		call = { params = "template: any, resources: any, timeout: any = null", fn = function(self, plan, _, timeout)
			note("agent", hosts[vetro.id(self)], plan, null(timeout))
			return vetro.dict { exitCode = 0, stdout = "out", stderr = "" }
		end },
	},
}
-- An instance makes this object right after its agent.
vetro.class {
	name = "io.murano.system.Resources",
	methods = { [".init"] = { params = "", fn = forget } },
}
local listeners = {}
vetro.class {
	name = "io.murano.system.AgentListener",
	methods = {
		[".init"] = { params = "name: str", fn = function(self, name) listeners[vetro.id(self)] = name end },
		queueName = { params = "", fn = function(self) return "results-" .. listeners[vetro.id(self)] end },
	},
}

local function method(kind, params)
	return { params = params, fn = function(_, object, ...)
		note(kind, vetro.id(object), table.unpack { ... })
	end }
end
vetro.class {
	name = "io.murano.system.StatusReporter",
	methods = {
		[".init"] = { params = "environment: any", fn = function() end },
		report = method("report", "instance: any, msg: str"),
		reportError = method("error", "instance: any, msg: str"),
		report_error = method("error", "instance: any, msg: str"),
	},
}
vetro.class {
	name = "io.murano.system.InstanceNotifier",
	methods = {
		[".init"] = { params = "environment: any", fn = function() end },
		trackApplication = method("trackApplication", "instance: any, title: any = null, unitCount: any = null"),
		untrackApplication = method("untrackApplication", "instance: any"),
		trackCloudInstance = method("trackCloudInstance", "instance: any"),
		untrackCloudInstance = method("untrackCloudInstance", "instance: any"),
	},
}

vetro.class {
	name = "io.murano.system.NetworkExplorer",
	methods = {
		[".init"] = { params = "regionName: str? = null", fn = function() end },
		getDefaultRouter = { params = "", fn = function() return null(cloud.router or "router-1") end },
		getAvailableCidr = { params = "routerId: any, netId: str, ipVersion: any = null", fn = function(_, router, _, version)
			note("cidr", router, version)
			return version == 6 and "fd00:43::/64" or "10.0.43.0/24"
		end },
		getDefaultDns = { params = "ipVersion: any = null", fn = function() return copy(cloud.dns or vetro.list {}) end },
		getExternalNetworkIdForRouter = { params = "routerId: any", fn = function(_, router) return "external-of-" .. router end },
		listNetworks = { params = "", fn = function() return copy(cloud.networks or vetro.list {}) end },
		listSubnetworks = { params = "", fn = function() return copy(cloud.subnetworks or vetro.list {}) end },
		listPorts = { params = "", fn = function() return copy(cloud.ports or vetro.list {}) end },
		listNeutronExtensions = { params = "", fn = function()
			return copy(cloud.extensions or vetro.list { vetro.dict { alias = "router" }, vetro.dict { alias = "security-group" } })
		end },
	},
}
vetro.class {
	name = "io.murano.system.MetadefBrowser",
	methods = {
		[".init"] = { params = "regionName: str? = null, cache: bool? = null", fn = function() end },
		getNamespaces = { params = "resourceType: str", fn = function(_, kind)
			return vetro.list { vetro.dict { namespace = kind }, vetro.dict { namespace = "any" } }
		end },
		getObjects = { params = "namespace: str", fn = function(_, namespace)
			local tags = {}
			for _, tag in ipairs((cloud.metadef or {})[namespace] or {}) do tags[tag] = vetro.dict {} end
			return vetro.list { vetro.dict { properties = vetro.dict(tags) } }
		end },
	},
}
vetro.class {
	name = "io.murano.Project",
	statics = {
		getEnvironmentOwner = function() return vetro.object({ id = "project-1", name = "demo" }) end,
		getCurrent = function() return vetro.object({ id = "project-1", name = "demo" }) end,
	},
}
