"""What packages do beside deploying: ports and names given out, values checked, scripts and reports written.  What each method of package/ does."""
import datetime
import re


class Ports:
    def __init__(self, first=8000):
        self.first = first
        self.used = []

    def take(self):
        port = self.first
        while port in self.used: port += 1
        self.used.append(port)
        return port

    def release(self, port): self.used = [x for x in self.used if x != port]
    def shorten(self, to): self.used = self.used[:to]


def ports_allocated(n):
    p = Ports()
    s = 0
    for i in range(n):
        s += p.take()
        if i % 8 == 7:
            p.release(8000 + i % 5)
            p.release(8003)
            p.shorten(6)
    return s


def subnets_carved(n):
    s = 0
    for i in range(n):
        base = 10 * 16777216 + i * 64
        text = str(base // 16777216) + '.' + str(base // 65536 % 256) + '.' + str(base // 256 % 256) + '.' + str(base % 256) + '/26'
        s += len(text)
    return s


def names_unique(n):
    seen = {}
    s = 0
    for i in range(n):
        name = ['web', 'db', 'cache'][i % 3]
        if name in seen:
            seen[name] += 1
            name = name + '-' + str(seen[name])
        else:
            seen[name] = 0
        s += len(name)
    return s


def config_validated(n):
    rules = {'port': 'number', 'name': 'text', 'hosts': 'list', 'extra': 'any'}
    conf = {'port': 80, 'name': 'web', 'hosts': ['a'], 'extra': None}
    s = 0
    for i in range(n):
        errors = []
        conf['port'] = '80' if i % 3 == 0 else i
        for key in rules.keys():
            value = conf.get(key)
            rule = rules.get(key)
            if rule == 'number':
                if not isinstance(value, int) or value < 0: errors.append(key + ' is no number')
            elif rule == 'text':
                if not isinstance(value, str): errors.append(key + ' is no text')
            elif rule == 'list':
                if not isinstance(value, list): errors.append(key + ' is no list')
            else:
                s += 1
        s += len(errors)
    return s


def defaults_layered(n):
    defaults = {'host': 'localhost', 'port': 80, 'path': '/', 'log': {'level': 'info', 'file': 'x'}}
    s = 0
    for i in range(n):
        c = {**defaults, 'port': i, 'log': {**defaults['log'], 'level': 'debug'}, 'user': 'u'}
        s += c['port'] + len(c['log']['level']) + len(c)
    return s


def sorted_by_hand(n):
    s = 0
    for i in range(n):
        rows = [{'n': 'b', 'v': 2}, {'n': 'a', 'v': i % 7}, {'n': 'c', 'v': 2}, {'n': 'a', 'v': 1}, {'n': 'b', 'v': 0}]
        j = 1
        while j < len(rows):
            k = j
            while k > 0 and (rows[k - 1]['v'] > rows[k]['v'] or rows[k - 1]['v'] == rows[k]['v'] and rows[k - 1]['n'] > rows[k]['n']):
                rows[k], rows[k - 1] = rows[k - 1], rows[k]
                k -= 1
            j += 1
        s += rows[0]['v'] + len(rows[1]['n']) + rows[4]['v']
    return s


def unsteady(i, tries):
    if tries < i % 4: raise TimeoutError('try ' + str(tries))
    return i


def retry_with_finally(n):
    s = 0
    waited = 0
    for i in range(n):
        tries = 0
        while True:
            try:
                s += unsteady(i, tries)
                break
            except TimeoutError as e:
                waited += len(e.args[0]) * (tries + 1)
            finally:
                tries += 1
    return s + waited


def polled(n):
    s = 0
    for i in range(n):
        state = i
        for _ in range(10):
            state = state * 5 + 3
            if state % 2 == 0: continue
            s += 1
            if state % 7 == 0: break
    return s


class BadEvent(Exception):
    pass


class Machine:
    table = {'new': {'start': 'building'}, 'building': {'done': 'active', 'fail': 'error'}, 'active': {'stop': 'new', 'fail': 'error'},
             'error': {'start': 'building'}}

    def __init__(self):
        self.state = 'new'
        self.history = []

    def fire(self, event):
        to = self.table.get(self.state).get(event)
        if to is None: raise BadEvent('no ' + event + ' in ' + self.state)
        self.history = [self.state] + self.history[:9]
        self.state = to


def machine_events(n):
    m = Machine()
    bad = 0
    events = ['start', 'done', 'stop', 'start', 'fail', 'start', 'done', 'fail', 'stop']
    for i in range(n):
        try: m.fire(events[i % 9])
        except BadEvent: bad += 1
    return bad * 100 + len(m.history) + len(m.state)


def ack(m, k):
    if m == 0: return k + 1
    if k == 0: return ack(m - 1, 1)
    return ack(m - 1, ack(m, k - 1))


def ackermann(n):
    s = 0
    for i in range(n): s += ack(2, i % 6)
    return s


class Cached:
    def __init__(self):
        self.known = {}
        self.asked = 0

    def ways(self, x, y):
        if x == 0 or y == 0: return 1
        key = x * 100 + y
        if key in self.known: return self.known[key]
        self.asked += 1
        r = self.ways(x - 1, y) + self.ways(x, y - 1)
        self.known[key] = r
        return r


def ways_cached(n):
    s = 0
    for i in range(n):
        c = Cached()
        s += c.ways(6, 7 - i % 2) % 1000 + c.asked
    return s


class Sequence:
    last = 0
    issued = {}

    @classmethod
    def next(cls, prefix):
        cls.last = (cls.last + 1) % 100000
        cls.issued[prefix] = cls.issued.get(prefix, 0) + 1
        return prefix + '-' + str(cls.last)


def ids_issued(n):
    Sequence.last = 0
    s = 0
    kinds = ['vm', 'net', 'vol']
    for i in range(n): s += len(Sequence.next(kinds[i % 3]))
    return s


class Device:
    def __init__(self, size=1):
        if not (isinstance(size, int) and size > 0): raise ValueError(size)
        self.size = size

    def price(self, months): return self.size * months
    def label(self): return 'device ' + str(self.size)


class Disk(Device):
    def price(self, months): return super().price(months) + 10
    def label(self): return 'disk, ' + super().label()


class FastDisk(Disk):
    def price(self, months):
        base = super().price(months)
        return base * 2

    def label(self): return 'fast ' + super().label()


def prices_inherited(n):
    everything = [Device(2), Disk(3), FastDisk(4)]
    s = 0
    for i in range(n):
        d = everything[i % 3]
        s += d.price(i % 12) + len(d.label())
    return s


class Priced:
    pass


class Named:
    pass


class Service(Priced, Named):
    def __init__(self, name, rate=3):
        self.name = name
        self.rate = rate

    def priceOf(self, units): return units * self.rate
    def title(self): return self.name + ' at ' + str(self.rate)


def interfaces(n):
    everything = [Service('web'), Device(2), Service('mail', 5)]
    s = 0
    for i in range(n):
        x = everything[i % 3]
        if isinstance(x, Priced): s += x.priceOf(i % 10)
        if isinstance(x, Named): s += len(x.title())
        else: s += len(x.label())
    return s


class Settings:
    def __init__(self):
        self.services = {}
        self.errors = []

    def put(self, name, port):
        hosts = ['a', 'b']
        if not isinstance(port, int) or not all(isinstance(x, str) for x in hosts): raise TypeError(port)
        self.services[name] = {'port': port, 'hosts': hosts, 'tls': True}

    def check(self):
        self.errors = []
        for name in self.services.keys():
            x = self.services[name]
            if x['port'] < 1024: self.errors.append(name + ': port ' + str(x['port']))
            if not x['tls'] or len(x['hosts']) == 0: self.errors.append(name)
        return len(self.errors)


def settings_checked(n):
    x = Settings()
    names = ['web', 'db', 'mail']
    s = 0
    for i in range(n):
        x.put(names[i % 3], 1000 + i % 60)
        s += x.check()
    return s


def table_report(n):
    rows = [['web', 80], ['database', 5432], ['x', 7]]
    s = 0
    for i in range(n):
        out = ''
        for r in rows:
            a = r[0]
            b = str(r[1] + i)
            out += a + ' ' * (10 - len(a)) + '|' + ' ' * (6 - len(b)) + b + '|'
        s += len(out)
    return s


def expressions(n):
    rank = {'+': 1, '-': 1, '*': 2}
    texts = ['1+2*3-4', '2*3*4', '9-8-7+6*5', '5']
    s = 0
    for i in range(n):
        nums = []
        ops = []
        for c in texts[i % 4]:
            if c in rank:
                while len(ops) > 0 and rank[ops[-1]] >= rank[c]:
                    b = nums.pop()
                    a = nums.pop()
                    op = ops.pop()
                    nums.append(a + b if op == '+' else a - b if op == '-' else a * b)
                ops.append(c)
            else:
                nums.append(int(c))
        while len(ops) > 0:
            b = nums.pop()
            a = nums.pop()
            op = ops.pop()
            nums.append(a + b if op == '+' else a - b if op == '-' else a * b)
        s += nums[0]
    return s


def gauss(n):
    s = 0.0
    for i in range(n):
        m = [[2.0, 1.0, -1.0, 8.0], [-3.0, -1.0, 2.0, -11.0 - i % 3], [-2.0, 1.0, 2.0, -3.0]]
        for c in range(3):
            for r in range(3):
                if r != c:
                    f = m[r][c] / m[c][c]
                    for k in range(4): m[r][k] = m[r][k] - f * m[c][k]
        s += m[0][3] / m[0][0] + m[1][3] / m[1][1] + m[2][3] / m[2][2]
    return round(s, 3)


class Heap:
    def __init__(self): self.items = []

    def push(self, x):
        self.items.append(x)
        i = len(self.items) - 1
        while i > 0 and self.items[(i - 1) // 2] > self.items[i]:
            up = (i - 1) // 2
            self.items[up], self.items[i] = self.items[i], self.items[up]
            i = up

    def pop(self):
        top = self.items[0]
        last = self.items.pop()
        n = len(self.items)
        if n > 0:
            self.items[0] = last
            i = 0
            while i * 2 + 1 < n:
                k = i * 2 + 1
                if k + 1 < n and self.items[k + 1] < self.items[k]: k += 1
                if self.items[i] <= self.items[k]: break
                self.items[k], self.items[i] = self.items[i], self.items[k]
                i = k
        return top

    def shorten(self, to): self.items = self.items[:to]


def heap_queue(n):
    h = Heap()
    s = 0
    for i in range(n):
        h.push(i * 37 % 101)
        h.push(i * 53 % 97)
        if i % 2 == 1: s = s * 3 % 1000003 + h.pop()
        if len(h.items) > 30: h.shorten(4)
    return s


def dijkstra(n):
    roads = {'a': [['b', 7], ['c', 9], ['f', 14]], 'b': [['c', 10], ['d', 15]], 'c': [['d', 11], ['f', 2]], 'd': [['e', 6]], 'f': [['e', 9]],
             'e': []}
    s = 0
    for i in range(n):
        far = {'a': 0}
        done = {}
        while True:
            best = None
            for x in far.keys():
                if x not in done and (best is None or far[x] < far[best]): best = x
            if best is None: break
            done[best] = True
            for road in roads[best]:
                d = far[best] + road[1]
                if far.get(road[0], 1000) > d: far[road[0]] = d
        s += far['e'] + i % 3
    return s


def histogram(n):
    values = [3, 14, 15, 92, 65, 35, 89, 79, 32, 38, 46, 26]
    s = 0
    for i in range(n):
        buckets = {}
        for v in values:
            b = (v + i) % 100 // 20
            buckets[b] = buckets.get(b, 0) + 1
        for b in buckets.keys(): s += len(str(b) + ' ' + '#' * buckets.get(b))
    return s


def roman_parsed(n):
    digits = {'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100, 'D': 500, 'M': 1000}
    texts = ['MCMXCIV', 'XLII', 'DCCC', 'IX']
    s = 0
    for i in range(n):
        last = 0
        total = 0
        for c in texts[i % 4]:
            v = digits[c]
            if v > last: total = total + v - 2 * last
            else: total = total + v
            last = v
        s += total
    return s


def base36(n):
    digits = '0123456789abcdefghijklmnopqrstuvwxyz'
    s = 0
    for i in range(n):
        x = 100000 + i * 7919
        t = ''
        while x > 0:
            t = digits[x % 36] + t
            x = x // 36
        y = 0
        for c in t: y = y * 36 + digits.find(c)
        s += y % 1000
    return s


def thousands(n):
    s = 0
    for i in range(n):
        t = str(i * 12345 + 7)
        out = ''
        while len(t) > 3:
            out = ',' + t[len(t) - 3:] + out
            t = t[:len(t) - 3]
        s += len(t + out)
    return s


def working_days(n):
    start = datetime.datetime(2024, 1, 31)
    s = 0
    for i in range(n):
        d = start + datetime.timedelta(days=i % 300)
        while d.weekday() >= 5: d = d + datetime.timedelta(days=1)
        s += d.day + (d - start).total_seconds() / 3600 % 7
    return s


class Mailer:
    def __init__(self, least=0):
        self.least = least
        self.told = 0

    def wants(self, level): return level >= self.least
    def tell(self, event): self.told += len(event)


class Pager(Mailer):
    last = None

    def tell(self, event):
        self.last = event
        self.told += 1


class Topic:
    def __init__(self): self.subscribers = []
    def subscribe(self, who): self.subscribers.append(who)

    def publish(self, event, level):
        told = 0
        for s in self.subscribers:
            if s.wants(level):
                s.tell(event)
                told += 1
        return told


def events_published(n):
    t = Topic()
    a = Mailer(2)
    b = Pager(1)
    t.subscribe(a)
    t.subscribe(b)
    t.subscribe(Mailer())
    s = 0
    for i in range(n): s += t.publish('down', i % 4)
    return s + a.told + b.told


class App:
    def __init__(self, name):
        self.name = name
        self.needs = []
        self.deployed = False
        self.order = 0

    def require(self, apps):
        self.needs = apps
        return self

    def reset(self): self.deployed = False

    def deploy(self, count):
        if self.deployed: return count
        for a in self.needs: count = a.deploy(count)
        self.deployed = True
        self.order = count
        return count + 1


def apps_deployed(n):
    net = App('net')
    db = App('db').require([net])
    queue = App('queue').require([net, db])
    web = App('web').require([db, queue])
    s = 0
    for i in range(n):
        s += web.deploy(i % 3) + web.order
        for a in [net, db, queue, web]: a.reset()
    return s


class Cluster:
    def __init__(self, name):
        self.name = name
        self.nodes = []

    def fill(self, count): self.nodes = [Node(self, i) for i in range(count)]


class Node:
    def __init__(self, owner, index):
        self.owner = owner
        self.index = index

    def find(self, cls):
        x = self.owner
        while x is not None and not isinstance(x, cls): x = getattr(x, 'owner', None)
        return x

    def fullName(self): return self.find(Cluster).name + '-' + str(self.index)


def owners_found(n):
    c = Cluster('c')
    c.fill(4)
    s = 0
    for i in range(n): s += len(c.nodes[i % 4].fullName())
    return s


def user_script(n):
    packages = ['nginx', 'redis', 'postgresql']
    s = 0
    for i in range(n):
        lines = ['#!/bin/sh', 'set -e']
        for p in packages: lines.append('apt-get install -y ' + p)
        lines = lines + ['hostname node-' + str(i), 'service nginx start']
        script = '\n'.join(lines)
        s += len(script) + len(script.split('\n'))
    return s


def heat_resources(n):
    s = 0
    for i in range(n):
        t = {'version': 1, 'resources': {}, 'outputs': {}}
        for name in ['web', 'db']:
            t['resources'][name] = {'type': 'OS::Nova::Server', 'properties': {'image': 'debian', 'index': i}}
            t['outputs'][name + '-ip'] = {'value': {'get_attr': [name, 'first_address']}}
        t['resources']['web']['properties']['key'] = 'k'
        s += len(t['resources']) + len(t['resources']['web']['properties']) + len(t['outputs']['db-ip']['value']['get_attr'][0])
    return s


def runs_decoded(n):
    s = 0
    for i in range(n):
        out = ''
        count = 0
        for c in 'a3b2c12d1':
            if c >= '0' and c <= '9':
                count = count * 10 + int(c)
            else:
                out += c * count
                count = i % 3
        s += len(out)
    return s


def primes_factored(n):
    s = 0
    for i in range(n):
        x = i + 360
        p = 2
        factors = []
        while p * p <= x:
            while x % p == 0:
                factors.append(p)
                x = x // p
            p += 1
        if x > 1: factors.append(x)
        s += len(factors) + factors[-1]
    return s


def csv_quoted(n):
    texts = ['a,"b,c",d', '1,2,3', '"x ""y""",z']
    s = 0
    for i in range(n):
        fields = []
        field = ''
        quoted = False
        for c in texts[i % 3]:
            if c == '"':
                quoted = not quoted
            elif c == ',' and not quoted:
                fields.append(field)
                field = ''
            else:
                field += c
        fields.append(field)
        s += len(fields) * 10 + len(''.join(fields))
    return s


def written(x):
    if isinstance(x, dict):
        parts = []
        for k in x.keys(): parts.append('"' + k + '": ' + written(x[k]))
        return '{' + ', '.join(parts) + '}'
    if isinstance(x, list):
        parts = []
        for y in x: parts.append(written(y))
        return '[' + ', '.join(parts) + ']'
    if isinstance(x, str): return '"' + x + '"'
    return 'null' if x is None else str(x).lower() if isinstance(x, bool) else str(x)


def json_written(n):
    x = {'name': 'web', 'ports': [80, 443], 'tls': True, 'limits': {'cpu': 2, 'ram': 4096}, 'none': None}
    s = 0
    for i in range(n): s += len(written(x)) + len(written(i))
    return s


def paths_normal(n):
    paths = ['/a/b/../c/./d', 'x//y/..', '/../a', 'one/two/three/../../four']
    s = 0
    for i in range(n):
        out = []
        for part in paths[i % 4].split('/'):
            if part == '' or part == '.': continue
            if part == '..': out = out[:max(len(out) - 1, 0)]
            else: out.append(part)
        s += len('/'.join(out))
    return s


def versions_newest(n):
    versions = ['1.2.10', '1.10.0', '1.9.99', '1.10.1']
    s = 0
    for i in range(n):
        best = '0.0.0'
        for v in versions:
            a = v.split('.')
            b = best.split('.')
            k = 0
            while k < 3 and int(a[k]) == int(b[k]): k += 1
            if k < 3 and int(a[k]) > int(b[k]): best = v
        s += len(best) + i % 2
    return s


class Refused(Exception):
    pass


class TooLittle(Refused):
    pass


class NoAccount(Exception):
    pass


class Accounts:
    def __init__(self):
        self.balance = {}
        self.refused = 0
        self.tries = 0

    def open(self, who, amount): self.balance[who] = amount

    def withdraw(self, who, amount):
        if who not in self.balance: raise NoAccount(who)
        if self.balance[who] < amount: raise TooLittle(who)
        self.balance[who] = self.balance[who] - amount

    def move(self, source, to, amount):
        try:
            self.withdraw(source, amount)
            self.balance[to] = self.balance.get(to, 0) + amount
        except Refused as e:
            self.refused += len(e.args[0])
        finally:
            self.tries += 1


def accounts_moved(n):
    a = Accounts()
    a.open('ann', 1000)
    a.open('bob', 500)
    s = 0
    for i in range(n):
        try: a.move(['ann', 'bob', 'eve'][i % 3], ['bob', 'ann', 'bob'][i % 3], i % 90)
        except NoAccount: s += 1
    return s + a.tries + a.refused + a.balance['ann']


def area_filled(n):
    s = 0
    for i in range(n):
        rows = ['..#..', '.##..', '....#', '#.#..']
        seen = set()
        todo = [[0, 0]]
        while len(todo) > 0:
            x, y = todo.pop()
            if x < 0 or y < 0 or x > 4 or y > 3: continue
            key = y * 5 + x
            if key in seen or rows[y][x] == '#': continue
            seen.add(key)
            todo += [[x + 1, y], [x - 1, y], [x, y + 1], [x, y - 1]]
        s += len(seen) + i % 2
    return s


def planted(tree, word):
    if len(word) == 0:
        tree['end'] = True
        return tree
    c = word[0]
    tree[c] = planted(tree.get(c, {}), word[1:])
    return tree


def trie(n):
    words = ['web', 'we', 'well', 'db', 'dbs']
    s = 0
    for i in range(n):
        tree = {}
        for w in words: tree = planted(tree, w)
        node = tree
        for c in 'wel': node = node.get(c, {})
        s += len(tree) + len(node) + i % 2
    return s


class Ring:
    def __init__(self, room=8):
        self.room = room
        self.items = []
        self.at = 0

    def add(self, x):
        if len(self.items) < self.room:
            self.items.append(x)
        else:
            self.items[self.at] = x
            self.at = (self.at + 1) % self.room

    def mean(self): return sum(self.items) // len(self.items)


def ring_means(n):
    r = Ring()
    s = 0
    for i in range(n):
        r.add(i % 100)
        s += r.mean()
    return s


class Limiter:
    def __init__(self, most=5):
        self.times = []
        self.most = most

    def allows(self, now):
        k = 0
        while k < len(self.times) and self.times[k] < now - 10: k += 1
        self.times = self.times[k:]
        if len(self.times) >= self.most: return False
        self.times.append(now)
        return True


def rate_limited(n):
    l = Limiter()
    s = 0
    for i in range(n):
        if l.allows(i + i % 3): s += 1
    return s


def next_permutation(n):
    l = list(range(6))
    s = 0
    for i in range(n):
        k = len(l) - 2
        while k >= 0 and l[k] >= l[k + 1]: k -= 1
        if k < 0:
            l = l[::-1]
            continue
        j = len(l) - 1
        while l[j] <= l[k]: j -= 1
        l[k], l[j] = l[j], l[k]
        l = l[:k + 1] + l[k + 1:][::-1]
        s += l[0] * 10 + l[3]
    return s


def crc(n):
    codes = dict(zip('abcdefghijklmnopqrstuvwxyz', range(97, 123)))
    s = 0
    for i in range(n):
        x = 4294967295
        for c in 'hello':
            x = x ^ codes[c]
            for _ in range(8):
                if x & 1 == 1: x = x >> 1 ^ 3988292384
                else: x = x >> 1
        s += x % 1000 + i % 2
    return s


def typed_values(n):
    texts = ['12', 'true', 'web', '-7', '', 'false', '3x']
    s = 0
    number = re.compile('^-?[0-9]+$')
    for i in range(n):
        t = texts[i % 7]
        if number.search(t): v = int(t)
        elif t in ['true', 'false']: v = t == 'true'
        else: v = t
        if isinstance(v, int) and not isinstance(v, bool): s += v
        elif isinstance(v, bool): s += 100
        else: s += len(v)
    return s


def urls_parsed(n):
    urls = ['http://host:8080/path/x?a=1', 'https://example.com/', 'ftp://h/y']
    s = 0
    for i in range(n):
        u = urls[i % 3]
        at = u.find('://')
        scheme = u[:at]
        rest = u[at + 3:]
        slash = rest.find('/')
        host = rest[:slash]
        path = rest[slash:]
        port = 80
        if host.find(':') >= 0:
            port = int(host.split(':')[1])
            host = host.split(':')[0]
        s += len(scheme) + len(host) * 10 + len(path) * 100 + port
    return s


class Writer:
    def __init__(self):
        self.text = ''
        self.level = 0

    def line(self, words):
        self.text = self.text + '  ' * self.level + words + ';'
        return self

    def open(self, name):
        self.line(name)
        self.level += 1
        return self

    def close(self):
        self.level -= 1
        return self


def config_written(n):
    s = 0
    for i in range(n):
        w = Writer()
        w.open('server').line('port ' + str(i)).open('location').line('root /srv').close().close().line('end')
        s += len(w.text)
    return s


class Gauge:
    least = None
    most = None

    def see(self, x):
        if self.least is None or x < self.least: self.least = x
        if self.most is None or x > self.most: self.most = x

    def span(self): return self.most - self.least


class Pool:
    def __init__(self): self.gauges = {}

    def gauge(self, name):
        if name not in self.gauges: self.gauges[name] = Gauge()
        return self.gauges[name]


def gauges_pooled(n):
    p = Pool()
    names = ['cpu', 'ram', 'disk']
    for i in range(n): p.gauge(names[i % 3]).see(i * 7919 % 1000)
    return sum([g.span() for g in p.gauges.values()])


def quota_of_tenants(n):
    quota = {}
    s = 0
    for i in range(n):
        tenant = 't' + str(i % 6)
        kind = ['cores', 'ram', 'ports'][i % 3]
        if tenant not in quota: quota[tenant] = {}
        used = quota[tenant].get(kind, 0)
        if used + i % 5 > 50:
            quota[tenant][kind] = 0
            s += 1
        else:
            quota[tenant][kind] = used + i % 5
    return s * 1000 + len(quota)


def groups_by_hand(n):
    hosts = [{'n': 'a', 'z': 'east'}, {'n': 'b', 'z': 'west'}, {'n': 'c', 'z': 'east'}, {'n': 'd', 'z': 'north'}]
    s = 0
    for i in range(n):
        zones = {}
        for h in hosts: zones.setdefault(h['z'], []).append(h['n'])
        text = ''
        for z in sorted(zones.keys()): text += z + '=' + ','.join(zones[z]) + ';'
        s += len(text) + i % 2
    return s


def matrix_spiral(n):
    m = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
    s = 0
    for i in range(n):
        top, bottom, left, right = 0, 2, 0, 3
        out = []
        while top <= bottom and left <= right:
            for c in range(left, right + 1): out.append(m[top][c])
            for r in range(top + 1, bottom + 1): out.append(m[r][right])
            if top < bottom:
                for c in range(right - 1, left - 1, -1): out.append(m[bottom][c])
            if left < right:
                for r in range(bottom - 1, top, -1): out.append(m[r][left])
            top += 1
            bottom -= 1
            left += 1
            right -= 1
        s += out[5] * 100 + out[-1] + i % 2
    return s


def words_capitalised(n):
    s = 0
    for i in range(n):
        out = []
        for w in 'a load balancer for many hosts'.split(' '):
            if len(w) > 3: out.append(w[:1].upper() + w[1:])
            else: out.append(w)
        s += len(' '.join(out)) + i % 2
    return s
