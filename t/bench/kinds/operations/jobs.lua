-- Some of the jobs in Lua (5.4 and LuaJIT): what the MuranoPL method of package/ does.
local floor = math.floor
local J = {}

local function class(base)
  local c = setmetatable({}, {__index = base})
  c.__index = c
  return c
end

local Door = class()
Door.table = {closed = {open = 'opened', lock = 'locked'}, opened = {close = 'closed'}, locked = {unlock = 'closed'}}
function Door:send(event)
  local to = self.table[self.state] or {}
  if to[event] then
    self.state = to[event]
    self.moves = self.moves + 1
    return true
  end
  return false
end

function J.door_states(n)
  local door = setmetatable({state = 'closed', moves = 0}, Door)
  local events = {'open', 'close', 'lock', 'open', 'unlock', 'lock', 'unlock', 'open', 'lock', 'close'}
  local refused = 0
  for i = 0, n - 1 do
    if not door:send(events[i % 10 + 1]) then refused = refused + 1 end
  end
  return refused + door.moves * 3
end

local Flaky = class()
function Flaky:reset(times) self.fails = times end
function Flaky:ask(what)
  if self.fails > 0 then
    self.fails = self.fails - 1
    error({kind = 'Unavailable', message = 'no answer to ' .. what})
  end
  return #what
end

function J.backed_off(n)
  local service = setmetatable({fails = 0}, Flaky)
  local waited, lost = 0, 0
  for i = 0, n - 1 do
    service:reset(i % 5)
    local delay, done, tries = 1, false, 0
    while not done and tries < 4 do
      local ok, value = pcall(service.ask, service, 'state')
      if ok then
        waited = waited + value
        done = true
      elseif value.kind == 'Unavailable' then
        waited = waited + delay
        delay = math.min(delay * 2, 4)
        tries = tries + 1
      else
        error(value)
      end
    end
    if not done then lost = lost + 1 end
  end
  return waited + lost
end

local function index_of(l, x)
  for i = 1, #l do
    if l[i] == x then return i - 1 end
  end
  return -1
end

function J.services_ordered(n)
  local names = {'web', 'app', 'cache', 'db', 'queue', 'disk', 'mail'}
  local needs = {web = {'app', 'cache'}, app = {'db', 'queue'}, cache = {}, db = {'disk'}, queue = {'disk'}, disk = {}, mail = {'queue'}}
  local s = 0
  for _ = 1, n do
    local waiting, users, ready, order = {}, {}, {}, {}
    for _, name in ipairs(names) do
      waiting[name] = #needs[name]
      for _, other in ipairs(needs[name]) do
        users[other] = users[other] or {}
        table.insert(users[other], name)
      end
    end
    for _, name in ipairs(names) do
      if waiting[name] == 0 then table.insert(ready, name) end
    end
    while #ready > 0 do
      local next = table.remove(ready, 1)
      table.insert(order, next)
      for _, user in ipairs(users[next] or {}) do
        waiting[user] = waiting[user] - 1
        if waiting[user] == 0 then table.insert(ready, user) end
      end
    end
    s = s + #order + index_of(order, 'web') * 10
  end
  return s
end

local Pool = class()
function Pool:address(i) return '10.0.' .. tostring(floor(i / 8)) .. '.' .. tostring(i % 8 * 2 + 1) end
function Pool:take(who)
  for i = 0, self.size - 1 do
    local a = self:address(i)
    if self.used[a] == nil then
      self.used[a] = who
      return a
    end
  end
  return nil
end
function Pool:give(who)
  local gone = {}
  for k, v in pairs(self.used) do
    if v == who then gone[#gone + 1] = k end
  end
  for _, k in ipairs(gone) do self.used[k] = nil end
  return #gone
end

function J.addresses_given(n)
  local pool = setmetatable({size = 16, used = {}}, Pool)
  local s = 0
  for i = 0, n - 1 do
    local a = pool:take('vm' .. tostring(i % 7))
    if a == nil then
      s = s + pool:give('vm' .. tostring(i % 7)) * 100
    else
      s = s + #a
    end
    if i % 5 == 4 then s = s + pool:give('vm' .. tostring(i % 3)) end
  end
  return s
end

local function matches(alert, rule)
  local v = alert[rule.field]
  if rule.op == 'above' then return v > rule.value end
  if rule.op == 'starts' then return v:sub(1, #rule.value) == rule.value end
  if rule.op == 'equals' then return v == rule.value end
  return false
end

function J.alerts_matched(n)
  local rules = {{field = 'severity', op = 'above', value = 7, action = 'page'}, {field = 'host', op = 'starts', value = 'db', action = 'mail'},
    {field = 'metric', op = 'equals', value = 'disk', action = 'ticket'}}
  local hosts, metrics, done = {'web1', 'db1', 'db2', 'cache'}, {'cpu', 'disk', 'net'}, {}
  for i = 0, n - 1 do
    local alert = {host = hosts[i % 4 + 1], metric = metrics[i % 3 + 1], severity = i % 10}
    local action = 'ignore'
    for _, r in ipairs(rules) do
      if matches(alert, r) then
        action = r.action
        break
      end
    end
    done[action] = (done[action] or 0) + 1
  end
  return done.page * 3 + done.mail * 5 + done.ticket * 7 + done.ignore
end

local Sizes = class()
function Sizes:measure(name) return #name * 3 end
function Sizes:of(name)
  local kept = self.kept[name]
  if kept then
    self.hits = self.hits + 1
    return kept
  end
  local size = self:measure(name)
  if #self.order >= 6 then self.kept[table.remove(self.order, 1)] = nil end
  self.kept[name] = size
  table.insert(self.order, name)
  return size
end

function J.sizes_cached(n)
  local sizes = setmetatable({kept = {}, order = {}, hits = 0}, Sizes)
  local names = {'alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta'}
  local s = 0
  for i = 0, n - 1 do
    s = s + sizes:of(names[i * i % 8 + 1])
    s = s + sizes:of(names[i % 8 + 1])
  end
  return s + sizes.hits
end

local Disk = class()
function Disk:price() return self.fast and self.size * 3 or self.size end
local Item = class()
function Item:price() return 0 end
function Item:label() return self.name .. ' at ' .. tostring(self:price()) end
local Server = class(Item)
function Server:price()
  local sum = self.flavor.cores * 10 + self.flavor.ram * 2
  for _, d in ipairs(self.disks) do sum = sum + d:price() end
  return sum
end
local SpotServer = class(Server)
function SpotServer:price() return floor(Server.price(self) / 3) end
local Balancer = class(Item)
function Balancer:price() return 5 + #self.behind * 2 end

function J.fleet_priced(n)
  local small, large = {cores = 1, ram = 2}, {cores = 8, ram = 32}
  local disk, fast = setmetatable({size = 10}, Disk), setmetatable({size = 20, fast = true}, Disk)
  local web = setmetatable({name = 'web', flavor = small, disks = {disk}}, Server)
  local db = setmetatable({name = 'db', flavor = large, disks = {disk, fast}}, SpotServer)
  local items = {web, db, setmetatable({name = 'lb', behind = {web, db}}, Balancer)}
  local s = 0
  for i = 0, n - 1 do
    local item = items[i % 3 + 1]
    s = s + item:price() + #item:label()
  end
  return s
end

function J.shifts_planned(n)
  local people = {'ann', 'bob', 'cid', 'dee'}
  local away = {ann = {3, 4}, cid = {0, 1, 2}, dee = {9}}
  local load, turn = {}, 0
  for week = 0, n - 1 do
    local who = nil
    while who == nil do
      local p = people[turn % 4 + 1]
      turn = turn + 1
      if index_of(away[p] or {}, week % 10) < 0 then who = p end
    end
    load[who] = (load[who] or 0) + 1
  end
  return load.ann * 3 + load.bob * 5 + load.cid * 7 + load.dee
end

function J.calls_limited(n)
  local window, denied, now = {}, 0, 0
  for i = 0, n - 1 do
    now = now + i % 4
    local kept = {}
    for _, t in ipairs(window) do
      if t > now - 10 then kept[#kept + 1] = t end
    end
    window = kept
    if #window >= 5 then denied = denied + 1 else window[#window + 1] = now end
  end
  return denied * 10 + #window
end

function J.formulas_worked(n)
  local formulas = {'3 4 + 2 *', '5 1 2 + 4 * + 3 -', '9 3 / 2 -'}
  local s = 0
  for i = 0, n - 1 do
    local stack = {}
    for word in formulas[i % 3 + 1]:gmatch('%S+') do
      if word == '+' or word == '-' or word == '*' or word == '/' then
        local b, a = table.remove(stack), table.remove(stack)
        stack[#stack + 1] = word == '+' and a + b or word == '-' and a - b or word == '*' and a * b or floor(a / b)
      else
        stack[#stack + 1] = floor(tonumber(word))
      end
    end
    s = s + stack[1] + i % 2
  end
  return s
end

local Handler = class()
function Handler:wants() return true end
function Handler:handle() return nil end
local Counter = class(Handler)
function Counter:handle(event) self.counts[event.topic] = (self.counts[event.topic] or 0) + event.value end
local Last = class(Handler)
function Last:wants(topic) return topic == self.topic end
function Last:handle(event) self.value = event.value end
local Bus = class()
function Bus:publish(topic, value)
  local event = {topic = topic, value = value}
  for _, h in ipairs(self.handlers) do
    if h:wants(topic) then h:handle(event) end
  end
end

function J.events_published(n)
  local counter, last = setmetatable({counts = {}}, Counter), setmetatable({topic = 'scale'}, Last)
  local bus = setmetatable({handlers = {counter, last, setmetatable({}, Handler)}}, Bus)
  local topics, sum = {'start', 'stop', 'scale'}, 0
  for i = 0, n - 1 do bus:publish(topics[i % 3 + 1], i % 100) end
  for _, v in pairs(counter.counts) do sum = sum + v end
  return sum + last.value
end

-- Lines "JOB N" in; "NANOSECONDS RESULT" out, process CPU time.
for line in io.lines() do
  local name, n = line:match('(%S+) (%S+)')
  collectgarbage()
  local a = os.clock()
  local r = J[name](floor(tonumber(n)))
  local e = os.clock() - a
  io.write(string.format('%.0f', e * 1e9), ' ', string.format('%.0f', r), '\n')
  io.flush()
end
