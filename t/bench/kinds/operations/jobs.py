"""The methods of package/ in Python."""


class Refused(Exception):
    pass


class Door:
    table = {'closed': {'open': 'opened', 'lock': 'locked'}, 'opened': {'close': 'closed'}, 'locked': {'unlock': 'closed'}}

    def __init__(self):
        self.state, self.moves = 'closed', 0

    def send(self, event):
        to = self.table.get(self.state, {})
        if event in to:
            self.state = to[event]
            self.moves += 1
            return True
        return False


def door_states(n):
    door = Door()
    events = ['open', 'close', 'lock', 'open', 'unlock', 'lock', 'unlock', 'open', 'lock', 'close']
    refused = 0
    for i in range(n):
        if not door.send(events[i % 10]):
            refused += 1
    return refused + door.moves * 3


class Unavailable(Exception):
    pass


class Flaky:
    def __init__(self):
        self.fails = 0

    def reset(self, times):
        self.fails = times

    def ask(self, what):
        if self.fails > 0:
            self.fails -= 1
            raise Unavailable('no answer to ' + what)
        return len(what)


def backed_off(n):
    service = Flaky()
    waited = lost = 0
    for i in range(n):
        service.reset(i % 5)
        delay, done, tries = 1, False, 0
        while not done and tries < 4:
            try:
                waited += service.ask('state')
                done = True
            except Unavailable:
                waited += delay
                delay = min(delay * 2, 4)
                tries += 1
        if not done:
            lost += 1
    return waited + lost


def query_strings(n):
    texts = ['a=1&b=22&flag', 'page=3&size=50&sort=name', 'x=&y=7', 'debug']
    s = 0
    for i in range(n):
        found = {}
        for part in texts[i % 4].split('&'):
            at = part.find('=')
            if at < 0:
                found[part] = True
            else:
                found[part[:at]] = part[at + 1:]
        s += len(found)
        if 'size' in found:
            s += int(found['size'])
        if found.get('flag', False):
            s += 1
    return s


def services_ordered(n):
    needs = {'web': ['app', 'cache'], 'app': ['db', 'queue'], 'cache': [], 'db': ['disk'], 'queue': ['disk'], 'disk': [],
             'mail': ['queue']}
    s = 0
    for k in range(n):
        waiting, users = {}, {}
        for name in needs:
            waiting[name] = len(needs[name])
            for other in needs[name]:
                users.setdefault(other, []).append(name)
        ready = [name for name in needs if waiting[name] == 0]
        order = []
        while ready:
            nxt = ready.pop(0)
            order.append(nxt)
            for user in users.get(nxt, []):
                waiting[user] -= 1
                if waiting[user] == 0:
                    ready.append(user)
        s += len(order) + order.index('web') * 10
    return s


class Pool:
    def __init__(self, size=16):
        self.size, self.used = size, {}

    def address(self, i):
        return '10.0.' + str(i // 8) + '.' + str(i % 8 * 2 + 1)

    def take(self, who):
        i = 0
        while i < self.size:
            a = self.address(i)
            if a not in self.used:
                self.used[a] = who
                return a
            i += 1
        return None

    def give(self, who):
        gone = [k for k, v in self.used.items() if v == who]
        for k in gone:
            del self.used[k]
        return len(gone)


def addresses_given(n):
    pool = Pool()
    s = 0
    for i in range(n):
        a = pool.take('vm' + str(i % 7))
        if a is None:
            s += pool.give('vm' + str(i % 7)) * 100
        else:
            s += len(a)
        if i % 5 == 4:
            s += pool.give('vm' + str(i % 3))
    return s


class QuotaExceeded(Exception):
    def __init__(self, message, extra):
        super().__init__(message)
        self.extra = extra


class Quotas:
    def __init__(self):
        self.limits = {'cores': 20, 'ram': 64, 'ips': 3}
        self.usage = {}

    def charge(self, tenant, what):
        now = self.usage.get(tenant, {'cores': 0, 'ram': 0, 'ips': 0})
        for k in what:
            if now[k] + what[k] > self.limits[k]:
                raise QuotaExceeded(tenant + ' has no ' + k + ' left', {'resource': k})
        for k in what:
            now = {**now, k: now[k] + what[k]}
        self.usage[tenant] = now

    def clear(self, tenant):
        self.usage.pop(tenant, None)


def tenants_charged(n):
    quotas = Quotas()
    tenants = ['blue', 'red', 'green']
    refused = {}
    for i in range(n):
        tenant = tenants[i % 3]
        try:
            quotas.charge(tenant, {'cores': i % 4 + 1, 'ram': i % 9, 'ips': i % 2})
        except QuotaExceeded as e:
            what = e.extra['resource']
            refused[what] = refused.get(what, 0) + 1
            quotas.clear(tenant)
    return sum(refused.values()) * 10 + len(refused)


def config_rendered(n):
    sections = {'server': {'host': '0.0.0.0', 'port': 8080, 'debug': False}, 'db': {'url': 'mysql://db', 'pool': 5},
                'log': {'level': 'INFO'}}
    s = 0
    for i in range(n):
        lines = []
        for name in sorted(sections):
            lines.append('[' + name + ']')
            section = sections[name]
            for key in section:
                value = section[key]
                if isinstance(value, bool):
                    value = 'yes' if value else 'no'
                lines.append(key + ' = ' + str(value))
            lines.append('')
        text = '\n'.join(lines).replace('8080', str(8000 + i % 1000))
        s += len(text)
    return s


def difference(a, b, path):
    out = []
    for k in a:
        if k not in b:
            out.append('- ' + path + k)
        else:
            x, y = a[k], b[k]
            if isinstance(x, dict) and isinstance(y, dict):
                out += difference(x, y, path + k + '.')
            elif x != y:
                out.append('~ ' + path + k)
    for k in b:
        if k not in a:
            out.append('+ ' + path + k)
    return out


def models_diffed(n):
    old = {'name': 'web', 'env': {'A': '1', 'B': '2', 'C': '3'}, 'ports': [80, 443],
           'net': {'cidr': 'ten8', 'dns': ['eight']}}
    new = {'name': 'web', 'env': {'A': '1', 'B': '3', 'D': '4'}, 'ports': [80],
           'net': {'cidr': 'ten8', 'dns': ['eight']}, 'tier': 'gold'}
    s = 0
    for i in range(n):
        changes = difference(old, {**new, 'tier': str(i)}, '')
        s += len(changes) + len(changes[-1])
    return s


def matches(alert, rule):
    v = alert.get(rule['field'])
    op = rule['op']
    if op == 'above':
        return v > rule['value']
    if op == 'starts':
        return v.startswith(rule['value'])
    if op == 'equals':
        return v == rule['value']
    return False


def alerts_matched(n):
    rules = [{'field': 'severity', 'op': 'above', 'value': 7, 'action': 'page'},
             {'field': 'host', 'op': 'starts', 'value': 'db', 'action': 'mail'},
             {'field': 'metric', 'op': 'equals', 'value': 'disk', 'action': 'ticket'}]
    hosts = ['web1', 'db1', 'db2', 'cache']
    metrics = ['cpu', 'disk', 'net']
    done = {}
    for i in range(n):
        alert = {'host': hosts[i % 4], 'metric': metrics[i % 3], 'severity': i % 10}
        action = 'ignore'
        for r in rules:
            if matches(alert, r):
                action = r['action']
                break
        done[action] = done.get(action, 0) + 1
    return done['page'] * 3 + done['mail'] * 5 + done['ticket'] * 7 + done['ignore']


class DiskFull(Exception):
    pass


class Handle:
    def __init__(self, name):
        self.name, self.open, self.log = name, False, []

    def start(self):
        self.open = True
        self.log.append('+' + self.name)

    def stop(self):
        if self.open:
            self.open = False
            self.log.append('-' + self.name)

    def write(self, what):
        if what % 3 == 0:
            raise DiskFull('disk is full')
        return what * 2


def handles_closed(n):
    s = 0
    for i in range(n):
        h = Handle('f' + str(i % 10))
        try:
            h.start()
            s += h.write(i)
            s += h.write(i + 1)
        except DiskFull:
            s += 100
        finally:
            h.stop()
        s += len(h.log)
    return s


class Sizes:
    def __init__(self):
        self.kept, self.order, self.hits = {}, [], 0

    def of(self, name):
        if name in self.kept:
            self.hits += 1
            return self.kept[name]
        size = self.measure(name)
        if len(self.order) >= 6:
            old = self.order.pop(0)
            del self.kept[old]
        self.kept[name] = size
        self.order.append(name)
        return size

    def measure(self, name):
        return len(name) * 3


def sizes_cached(n):
    sizes = Sizes()
    names = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta', 'eta', 'theta']
    s = 0
    for i in range(n):
        s += sizes.of(names[i * i % 8])
        s += sizes.of(names[i % 8])
    return s + sizes.hits


class Flavor:
    def __init__(self, cores, ram):
        self.cores, self.ram = cores, ram


class Disk:
    def __init__(self, size, fast=False):
        self.size, self.fast = size, fast

    def price(self):
        return self.size * 3 if self.fast else self.size


class Item:
    def __init__(self, name):
        self.name = name

    def price(self):
        return 0

    def label(self):
        return self.name + ' at ' + str(self.price())


class Server(Item):
    def __init__(self, name, flavor, disks):
        super().__init__(name)
        self.flavor, self.disks = flavor, disks

    def price(self):
        total = self.flavor.cores * 10 + self.flavor.ram * 2
        for d in self.disks:
            total += d.price()
        return total


class SpotServer(Server):
    def price(self):
        return super().price() // 3


class Balancer(Item):
    def __init__(self, name, behind):
        super().__init__(name)
        self.behind = behind

    def price(self):
        return 5 + len(self.behind) * 2


def fleet_priced(n):
    small, large = Flavor(1, 2), Flavor(8, 32)
    disk, fast = Disk(10), Disk(20, True)
    web = Server('web', small, [disk])
    db = SpotServer('db', large, [disk, fast])
    items = [web, db, Balancer('lb', [web, db])]
    s = 0
    for i in range(n):
        item = items[i % 3]
        s += item.price() + len(item.label())
    return s


class Text:
    @staticmethod
    def slug(title):
        out = ''
        for c in title.lower():
            if 'a' <= c <= 'z' or '0' <= c <= '9':
                out += c
            elif out != '' and not out.endswith('-'):
                out += '-'
        return out

    @staticmethod
    def pad(number, width=4):
        t = str(number)
        while len(t) < width:
            t = '0' + t
        return t


def titles_slugged(n):
    titles = ['Hello, World', 'Release 2.0 -- notes', 'The QUICK brown fox!']
    s = 0
    for i in range(n):
        slug = Text.slug(titles[i % 3])
        s += len(slug) + len(Text.pad(i)) + len(Text.pad(i % 10, 6))
    return s


def arguments_read(n):
    lines = ['deploy --env=prod -v -v app.yaml', 'scale web --count=3', 'logs -f --since=1h web db']
    s = 0
    for i in range(n):
        options, flags, rest = {}, 0, []
        for word in lines[i % 3].split(' '):
            if word.startswith('--'):
                pair = word[2:].split('=')
                options[pair[0]] = pair[1]
            elif word.startswith('-'):
                flags += 1
            else:
                rest.append(word)
        s += len(options) * 100 + flags * 10 + len(rest)
        if 'count' in options:
            s += int(options['count'])
    return s


def pointers_followed(n):
    doc = {'spec': {'nodes': [{'name': 'a', 'disks': [1, 2]}, {'name': 'b', 'disks': [3]}], 'size': 4}, 'kind': 'Cluster'}
    paths = ['/kind', '/spec/size', '/spec/nodes/1/name', '/spec/nodes/0/disks/1', '/spec/none/x']
    s = 0
    for i in range(n):
        at = doc
        for step in paths[i % 5].split('/')[1:]:
            if isinstance(at, list):
                at = at[int(step)]
            else:
                at = at.get(step)
            if at is None:
                break
        if isinstance(at, int):
            s += at
        elif isinstance(at, str):
            s += len(at)
    return s


def shifts_planned(n):
    people = ['ann', 'bob', 'cid', 'dee']
    away = {'ann': [3, 4], 'cid': [0, 1, 2], 'dee': [9]}
    load = {}
    turn = 0
    for week in range(n):
        who = None
        while who is None:
            p = people[turn % 4]
            turn += 1
            if week % 10 not in away.get(p, []):
                who = p
        load[who] = load.get(who, 0) + 1
    return load['ann'] * 3 + load['bob'] * 5 + load['cid'] * 7 + load['dee']


def granted(roles, name):
    role = roles[name]
    may = set(role['may'])
    for other in role['like']:
        may = may | granted(roles, other)
    return may


def roles_resolved(n):
    roles = {'reader': {'may': ['read', 'list'], 'like': []}, 'writer': {'may': ['write'], 'like': ['reader']},
             'owner': {'may': ['delete', 'share'], 'like': ['writer']}, 'auditor': {'may': ['history'], 'like': ['reader']}}
    names = ['reader', 'writer', 'owner', 'auditor']
    s = 0
    for i in range(n):
        may = granted(roles, names[i % 4])
        s += len(may)
        if 'write' in may:
            s += 10
    return s


def span(a, b):
    return str(a) if a == b else str(a) + '-' + str(b)


def ranges_compacted(n):
    texts = ['1-3,5,7-9', '10,11,12,20', '4', '1-2,4-5,6']
    s = 0
    for i in range(n):
        numbers = []
        for part in texts[i % 4].split(','):
            ends = [int(x) for x in part.split('-')]
            numbers += range(ends[0], ends[-1] + 1)
        out = []
        start = last = None
        for x in numbers:
            if last is not None and x == last + 1:
                last = x
            else:
                if last is not None:
                    out.append(span(start, last))
                start = last = x
        out.append(span(start, last))
        s += len(numbers) + len(','.join(out))
    return s


def calls_limited(n):
    window, denied, now = [], 0, 0
    for i in range(n):
        now += i % 4
        window = [t for t in window if t > now - 10]
        if len(window) >= 5:
            denied += 1
        else:
            window.append(now)
    return denied * 10 + len(window)


def compare(a, b):
    x = [int(p) for p in a.split('.')]
    y = [int(p) for p in b.split('.')]
    for i in range(max(len(x), len(y))):
        p = x[i] if i < len(x) else 0
        q = y[i] if i < len(y) else 0
        if p < q:
            return -1
        if p > q:
            return 1
    return 0


def versions_ranked(n):
    versions = ['1.9', '1.10.2', '2.0', '1.10', '0.9.9', '2.0.1']
    s = 0
    for i in range(n):
        s += compare(versions[i % 6], versions[i * 5 % 6]) * (i % 4) + 3
    return s


def racks_joined(n):
    racks = [{'id': 'r1', 'zone': 'east', 'power': 10}, {'id': 'r2', 'zone': 'west', 'power': 20},
             {'id': 'r3', 'zone': 'east', 'power': 5}]
    hosts = [{'name': 'a', 'rack': 'r1'}, {'name': 'b', 'rack': 'r2'}, {'name': 'c', 'rack': 'r3'}, {'name': 'd', 'rack': 'r1'},
             {'name': 'e', 'rack': 'r9'}]
    s = 0
    for i in range(n):
        by_id = {r['id']: r for r in racks}
        zones, lost = {}, []
        for h in hosts:
            rack = by_id.get(h['rack'])
            if rack is None:
                lost.append(h['name'])
            else:
                zone = zones.get(rack['zone'], {'hosts': [], 'power': 0})
                zones[rack['zone']] = {'hosts': zone['hosts'] + [h['name']], 'power': zone['power'] + rack['power']}
        s += len(zones['east']['hosts']) * 10 + zones['east']['power'] + zones['west']['power'] + len(lost) + i % 2
    return s


def formulas_worked(n):
    formulas = ['3 4 + 2 *', '5 1 2 + 4 * + 3 -', '9 3 / 2 -']
    s = 0
    for i in range(n):
        stack = []
        for word in formulas[i % 3].split(' '):
            if word in ('+', '-', '*', '/'):
                b = stack.pop()
                a = stack.pop()
                stack.append(a + b if word == '+' else a - b if word == '-' else a * b if word == '*' else a // b)
            else:
                stack.append(int(word))
        s += stack[0] + i % 2
    return s


class Handler:
    def wants(self, topic):
        return True

    def handle(self, event):
        return None


class Counter(Handler):
    def __init__(self):
        self.counts = {}

    def handle(self, event):
        self.counts[event['topic']] = self.counts.get(event['topic'], 0) + event['value']


class Last(Handler):
    def __init__(self, topic):
        self.topic, self.value = topic, None

    def wants(self, topic):
        return topic == self.topic

    def handle(self, event):
        self.value = event['value']


class Bus:
    def __init__(self, handlers):
        self.handlers = handlers

    def publish(self, topic, value):
        event = {'topic': topic, 'value': value}
        for h in self.handlers:
            if h.wants(topic):
                h.handle(event)


def events_published(n):
    counter, last = Counter(), Last('scale')
    bus = Bus([counter, last, Handler()])
    topics = ['start', 'stop', 'scale']
    for i in range(n):
        bus.publish(topics[i % 3], i % 100)
    return sum(counter.counts.values()) + last.value


def outlines_read(n):
    text = 'services:\n  web:\n    port 80\n    host a\n  db:\n    port 5432\nvolumes:\n  data:\n'
    s = 0
    for i in range(n):
        path, found = [], {}
        for line in text.split('\n'):
            key = line.strip()
            if key != '':
                depth = (len(line) - len(line.lstrip())) // 2
                path = path[:depth] + [key]
                if not key.endswith(':'):
                    found[''.join(path)] = key.split(' ')[1]
        s += len(found) + len(path) + len(list(found.values())[-1])
    return s
