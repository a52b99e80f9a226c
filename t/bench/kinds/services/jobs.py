"""What services do: settings, checks, states, references, trees, texts that are taken apart.  What each method of package/ does."""
import datetime
import functools
import re


def config_text(n):
    s = 0
    for i in range(n):
        t = ''
        for name in ['host', 'port', 'user', 'path']: t = t + '  ' + name + ' = ' + str(i) + ';'
        s += len(t)
    return s


def merged(a, b):
    out = dict(a)
    for k, v in b.items():
        if isinstance(v, dict) and isinstance(out.get(k), dict): out[k] = merged(out[k], v)
        else: out[k] = v
    return out


def config_merged(n):
    defaults = {'web': {'port': 80, 'tls': {'open': False, 'ciphers': ['a', 'b']}}, 'log': 'info'}
    s = 0
    for i in range(n):
        c = merged(defaults, {'web': {'port': i, 'tls': {'open': True}}, 'extra': 1})
        s += c['web']['port'] + len(c.keys()) + len(c['web']['tls']['ciphers'])
    return s


def set_at(d, path, v):
    if len(path) == 1: return {**d, path[0]: v}
    return {**d, path[0]: set_at(d.get(path[0], {}), path[1:], v)}


def path_set(n):
    conf = {}
    for i in range(n): conf = set_at(conf, ['a.b.c', 'a.b.d', 'x.y.z', 'x.w'][i % 4].split('.'), i)
    return conf['a']['b']['c'] + conf['a']['b']['d'] + conf['x']['y']['z'] + conf['x']['w']


def light(n):
    state = 'red'
    s = 0
    for i in range(n):
        if state == 'red': state = 'green'
        elif state == 'green':
            state = 'yellow'
            s += 2
        elif state == 'yellow':
            state = 'red'
            s += 1
    return s


def transitions(n):
    following = {'idle': {'start': 'running', 'stop': 'idle'}, 'running': {'pause': 'paused', 'stop': 'idle'},
                 'paused': {'start': 'running', 'stop': 'idle'}}
    events = ['start', 'pause', 'start', 'stop', 'pause', 'start']
    state = 'idle'
    s = 0
    for i in range(n):
        to = following.get(state).get(events[i % 6])
        if to is None: s += 100
        else: state = to
        if state == 'running': s += 1
    return s


def mistakes(f):
    e = []
    if len(f['name']) == 0: e = e + ['a name is needed']
    if not re.search('^[a-z]+@[a-z]+[.][a-z]+$', f['mail']): e = e + ['the address is wrong: ' + f['mail']]
    if f['age'] < 18 or f['age'] > 120: e = e + ['the age is wrong']
    return e


def form_checked(n):
    forms = [{'name': 'anna', 'mail': 'a@b.org', 'age': 30}, {'name': '', 'mail': 'x', 'age': 17},
             {'name': 'bo', 'mail': 'b@c', 'age': 200}]
    s = 0
    for i in range(n): s += len(mistakes(forms[i % 3]))
    return s


class Busy(Exception): pass


def retry_backoff(n):
    s = 0
    for i in range(n):
        tries, delay, done = 0, 1, False
        while not done:
            try:
                tries += 1
                if tries <= i % 4: raise Busy('later')
                done = True
            except Busy as e:
                delay = delay * 2
        s += delay + tries
    return s


class NoAccount(Exception): pass
class Refused(Exception): pass
class Overdrawn(Refused): pass


class Bank:
    def __init__(self): self.accounts = {'a': 100, 'b': 100, 'c': 100}
    def move(self, origin, to, amount):
        if to not in self.accounts: raise NoAccount('there is no such account')
        if self.accounts[origin] < amount: raise Overdrawn('not enough')
        self.accounts[origin] -= amount
        self.accounts[to] += amount
        return amount


def transfers(n):
    b = Bank()
    s = 0
    for i in range(n):
        try: s += b.move(['a', 'b', 'c'][i % 3], ['b', 'c', 'd', 'a'][i % 4], 60 + i % 50)
        except NoAccount as e: s += len(str(e))
        except Refused: s -= 1
    return s + b.accounts['a'] * 3 + b.accounts['b']


class Region:
    def __init__(self, name, limits): self.name = name; self.limits = limits


class Network:
    def __init__(self, name, region): self.name = name; self.region = region; self.base = 10


class Vm:
    def __init__(self, name, size, network): self.name = name; self.size = size; self.network = network
    def limit(self, what): return self.network.region.limits.get(what, 1)
    def address(self, i): return self.network.base + i * self.size


def references(n):
    net = Network('lan', Region('north', {'cpus': 4, 'ram': 16}))
    vms = [Vm('vm' + str(k), k, net) for k in range(5)]
    s = 0
    for i in range(n):
        vm = vms[i % 5]
        s += vm.limit('cpus') + vm.limit('disk') + vm.address(i) + len(vm.network.region.name)
    return s


def vms_chosen(n):
    net = Network('lan', Region('south', {}))
    vms = [Vm('vm' + str(k), k % 4, net) for k in range(8)]
    s = 0
    for i in range(n): s += sum([len(v.name) + v.size for v in vms if v.size > i % 4])
    return s


def template_filled(n):
    t = 'server {name} listens on {port} as {user}'
    s = 0
    for i in range(n):
        x = t
        for k, v in {'{name}': 'host' + str(i), '{port}': str(i), '{user}': 'root'}.items(): x = x.replace(k, v)
        s += len(x)
    return s


def formatted(n):
    s = 0
    for i in range(n): s += len('{0}-{1:03d} {2} {0}'.format('node', i % 1000, i * 2))
    return s


def weekdays(n):
    s = 0
    start = datetime.datetime(2024, 1, 1)
    for i in range(n):
        d = start + datetime.timedelta(days=i)
        if d.weekday() < 5: s += d.day
        else: s -= d.month
    return s


class Registry:
    total = 0
    names = {}
    @staticmethod
    def register(name):
        if name not in Registry.names:
            Registry.total += 1
            Registry.names[name] = Registry.total
        return Registry.names.get(name)


def static_totals(n):
    s = 0
    for i in range(n): s += Registry.register('name' + str(i % 20)) % 7
    return s


class Util:
    @staticmethod
    def clamp(x, low, high):
        if x < low: return low
        if x > high: return high
        return x
    @staticmethod
    def half(x): return x // 2


def static_calls(n):
    s = 0
    for i in range(n): s += Util.clamp(i % 300 - 100, 0, 99) + Util.half(i)
    return s


class Base:
    def cost(self): return 1
    def sized(self, width=2, height=3, deep=False):
        if deep: return width * height * 2
        return width * height


class Web(Base):
    meta = [('front', 3)]
    def __init__(self, port=80): self.port = port
    def cost(self): return 5


def cast_dispatch(n):
    things = [Base(), Web(), Web(8080)]
    s = 0
    for i in range(n):
        x = things[i % 3]
        s += x.cost() + Base.cost(x)
    return s


def types_asked(n):
    things = [Base(), Web(), 7, 'text', [1], {'a': 1}, None, True]
    s = 0
    for i in range(n):
        x = things[i % 8]
        if x is None: s += 1
        elif isinstance(x, int) and not isinstance(x, bool): s += x
        elif isinstance(x, str): s += len(x)
        elif isinstance(x, list) or isinstance(x, dict): s += 10
        elif isinstance(x, bool): s += 20
        else: s += x.cost()
    return s


def type_names(n):
    things = [Base(), Web()]
    s = 0
    for i in range(n): s += len('kinds.services.' + type(things[i % 2]).__name__)
    return s


PROPERTIES = {Web: ['port', 'tags', 'count']}


def properties_listed(n):
    w = Web()
    s = 0
    for i in range(n): s += sum([len(p) for p in PROPERTIES[type(w)]]) + len(type(w).__mro__) - 1
    return s


def keywords(n):
    b = Base()
    s = 0
    for i in range(n): s += b.sized(height=i) + b.sized(1, deep=True) + b.sized()
    return s


def pairs_broken(n):
    s = 0
    for i in range(n):
        for a in range(6):
            if a == i % 6: continue
            for b in range(6):
                if b > a: break
                s += a * b
    return s


def branches(n):
    s = 0
    for i in range(n):
        a = b = c = 0
        a = i + 1
        b = i * 2
        c = i - 1
        s += a + b + c
    return s


def a_port(x):
    if not isinstance(x, int) or not 0 < x < 65536: raise ValueError(x)
    return x


class Spec:
    def __init__(self, name, ports=(), env=(), mounts=()):
        self.name = str(name)
        self.ports = [a_port(p) for p in ports]
        self.env = {str(k): v if v is None else str(v) for k, v in dict(env).items()}
        self.replicas, self.ratio, self.running = 1, None, True
        self.mounts = [{'path': str(m['path']), 'size': m['size'] if m['size'] is None else int(m['size'])} for m in mounts]
    def change(self, i):
        self.name = str('web' + str(i % 10))
        r = int(i % 5)
        if r < 0: raise ValueError(r)
        self.replicas = r
        self.ports = [a_port(p) for p in [80, 443, 1000 + i % 1000]]
        self.env = {str(k): v if v is None else str(v) for k, v in {'MODE': 'prod', 'LEVEL': None}.items()}
        self.ratio = i
        self.running = bool(i % 2 == 0)
        self.mounts = [{'path': str(m['path']), 'size': m['size'] if m['size'] is None else int(m['size'])}
                       for m in [{'path': '/data', 'size': 3}, {'path': '/log', 'size': None}]]


def spec_changed(n):
    x = Spec('web', [80, 443], {'MODE': 'test'})
    s = 0
    for i in range(n):
        x.change(i)
        s += sum(x.ports) + x.replicas + len(x.env) + len(x.mounts)
    return s


def specs_made(n):
    s = 0
    for i in range(n):
        x = Spec('n' + str(i), [22, i % 100 + 1], {'A': 'b'}, [{'path': '/', 'size': i}])
        s += len(x.ports) + x.mounts[0]['size']
    return s


def letters_turned(n):
    words = ['Grüße', 'naïve', 'Ærø', 'пример', 'plain']
    s = 0
    for i in range(n):
        w = words[i % 5]
        t = ''.join(reversed(list(w)))
        s += len(t.upper())
        if t == w: s += 1
    return s


def accents_folded(n):
    table = {'ä': 'ae', 'ö': 'oe', 'ü': 'ue', 'ß': 'ss', 'é': 'e', 'ñ': 'n'}
    s = 0
    for i in range(n):
        t = ['Müller Straße', 'café señor', 'schön böse'][i % 3]
        s += len(''.join([table.get(c, c) for c in list(t)]))
    return s


def moves(k, a, b, c):
    if k == 0: return 0
    return moves(k - 1, a, c, b) + 1 + moves(k - 1, c, b, a)


def hanoi(n):
    s = 0
    for i in range(n): s += moves(i % 6, 'a', 'b', 'c')
    return s


def subsets_of(l):
    if len(l) == 0: return [[]]
    rest = subsets_of(l[1:])
    return rest + [[l[0]] + x for x in rest]


def subsets(n):
    s = 0
    for i in range(n): s += len(subsets_of(list(range(i % 4))))
    return s


def distance(a, b):
    x, y = list(a), list(b)
    row = list(range(len(y) + 1))
    for i in range(len(x)):
        new = [i + 1]
        for j in range(len(y)):
            cost = 1
            if x[i] == y[j]: cost = 0
            new.append(min(min(row[j + 1] + 1, new[j] + 1), row[j] + cost))
        row = new
    return row[-1]


def edit_distance(n):
    s = 0
    for i in range(n): s += distance('kitten', ['sitting', 'mitten', 'bitter'][i % 3])
    return s


def pascal(n):
    s = 0
    for i in range(n):
        row = [1]
        for k in range(i % 8): row = [1] + [row[j] + row[j + 1] for j in range(len(row) - 1)] + [1]
        s += sum(row)
    return s


def transposed(n):
    m = [[1, 2, 3], [4, 5, 6]]
    s = 0
    for i in range(n):
        t = [[row[c] for row in m] for c in range(3)]
        s += t[i % 3][1] * 10 + len(t)
    return s


def selection_sort(n):
    s = 0
    for i in range(n):
        l = [5, i % 7, 3, 9, i % 4, 1]
        for a in range(len(l)):
            least = a
            for b in range(a + 1, len(l)):
                if l[b] < l[least]: least = b
            x = l[a]
            l[a] = l[least]
            l[least] = x
        s += l[0] + l[2] * 3
    return s


def to_roman(x):
    t = ''
    for p in [[100, 'C'], [90, 'XC'], [50, 'L'], [40, 'XL'], [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']]:
        while x >= p[0]:
            t = t + p[1]
            x = x - p[0]
    return t


def from_roman(t):
    v = {'C': 100, 'L': 50, 'X': 10, 'V': 5, 'I': 1}
    total = before = 0
    for c in reversed(t):
        x = v[c]
        if x < before: total -= x
        else: total += x
        before = x
    return total


def roman(n):
    s = 0
    for i in range(n):
        t = to_roman(i % 400 + 1)
        s += len(t) + from_roman(t)
    return s


def written(x):
    if isinstance(x, dict): return '{' + ','.join([k + '=' + written(v) for k, v in x.items()]) + '}'
    if isinstance(x, list): return '[' + ','.join([written(y) for y in x]) + ']'
    if x is None: return '-'
    return str(x)


def tree_written(n):
    tree = {'name': 'app', 'tiers': [{'name': 'web', 'count': 2}, {'name': 'db', 'count': 1, 'tags': ['a', 'b']}], 'live': True, 'note': None}
    s = 0
    for i in range(n): s += len(written(tree))
    return s


def depth(x):
    most = 0
    if isinstance(x, dict): of = list(x.values())
    elif isinstance(x, list): of = x
    else: return 0
    for y in of: most = max(most, depth(y))
    return most + 1


def tree_depth(n):
    tree = {'a': {'b': {'c': 1, 'd': [1, {'e': 2}]}}, 'f': [[[3]]]}
    s = 0
    for i in range(n): s += depth(tree)
    return s


class Reader:
    def read(self, text):
        self.text = text
        self.at = 0
        return self.sum()
    def peek(self):
        if self.at < len(self.text): return self.text[self.at]
        return ''
    def sum(self):
        v = self.product()
        while self.peek() == '+' or self.peek() == '-':
            op = self.peek()
            self.at += 1
            w = self.product()
            if op == '+': v = v + w
            else: v = v - w
        return v
    def product(self):
        v = self.atom()
        while self.peek() == '*':
            self.at += 1
            v = v * self.atom()
        return v
    def atom(self):
        if self.peek() == '(':
            self.at += 1
            v = self.sum()
            self.at += 1
            return v
        start = self.at
        while self.peek() in [str(d) for d in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]]: self.at += 1
        return int(self.text[start:self.at])


def sums_parsed(n):
    r = Reader()
    s = 0
    for i in range(n): s += r.read('12+3*(' + str(i) + '-4)')
    return s


def addresses_parsed(n):
    s = 0
    for i in range(n):
        p = [int(x) for x in ('10.' + str(i % 256) + '.7.1').split('.')]
        v = functools.reduce(lambda a, b: a * 256 + b, p)
        s += v % 1000
        s += len('.'.join([str(x) for x in [v // 16777216, v // 65536 % 256]]))
    return s


def shuffled(n):
    seed = 7
    s = 0
    for i in range(n):
        l = list(range(8))
        for k in range(7):
            seed = (seed * 1103 + 12345) % 65536
            j = k + seed % (8 - k)
            x = l[k]
            l[k] = l[j]
            l[j] = x
        s += l[0]
    return s


def priorities(n):
    q = []
    s = 0
    for i in range(n):
        p = i * 7 % 11
        at = next((k for k, x in enumerate(q) if x['p'] > p), -1)
        if at < 0: q.append({'p': p, 'id': i})
        else: q.insert(at, {'p': p, 'id': i})
        if len(q) > 6:
            s += q[0]['id']
            del q[0]
    return s


class Cache:
    def __init__(self, room): self.room = room; self.values = {}; self.order = []; self.hits = 0
    def get(self, key):
        if key in self.values:
            self.hits += 1
            self.order = [k for k in self.order if k != key] + [key]
            return self.values.get(key)
        value = len(key) * 7
        if len(self.order) >= self.room:
            del self.values[self.order[0]]
            self.order = self.order[1:]
        self.values[key] = value
        self.order.append(key)
        return value


def lru(n):
    c = Cache(4)
    s = 0
    for i in range(n): s += c.get('k' + str(i * i % 7))
    return s + c.hits


class Index:
    def __init__(self): self.words = {}
    def add(self, i, text):
        for w in text.split(' '): self.words.setdefault(w, []).append(i)


def words_indexed(n):
    x = Index()
    for i in range(n): x.add(i, 'alpha beta w' + str(i % 40))
    return len(x.words['alpha']) + len(x.words)


def pivot(n):
    rows = [{'city': 'rom', 'year': 1, 'v': 3}, {'city': 'oslo', 'year': 1, 'v': 4}, {'city': 'rom', 'year': 2, 'v': 5}, {'city': 'rom', 'year': 1, 'v': 6}]
    s = 0
    for i in range(n):
        p = {}
        for r in rows:
            line = p.setdefault(r['city'], {})
            line[str(r['year'])] = line.get(str(r['year']), 0) + r['v']
        s += p['rom']['1'] + len(p) + i
    return s


def dicts_compared(n):
    a = {'x': 1, 'y': 2, 'z': [1]}
    s = 0
    for i in range(n):
        b = {'y': 2, 'z': i % 2, 'w': i}
        added = [k for k in b.keys() if k not in a.keys()]
        gone = [k for k in a.keys() if k not in b.keys()]
        changed = [k for k in a.keys() if k in b.keys() and a.get(k) != b.get(k)]
        s += len(added) * 100 + len(gone) * 10 + len(changed)
    return s


def lines_wrapped(n):
    words = 'the quick brown fox jumps over the lazy dog again and again'.split(' ')
    s = 0
    for i in range(n):
        lines = []
        line = ''
        for w in words:
            if len(line) + len(w) + 1 > 12 + i % 8:
                lines.append(line)
                line = w
            else: line = line + ' ' + w
        s += len(lines)
    return s


def balanced(t):
    pairs = {')': '(', ']': '[', '}': '{'}
    stack = []
    for c in t:
        if c in pairs.values(): stack.append(c)
        if c in pairs:
            if len(stack) == 0: return False
            if stack[-1] != pairs[c]: return False
            stack.pop()
    return len(stack) == 0


def brackets(n):
    texts = ['([]{})', '([)]', '((((', '{[()()]}x']
    s = 0
    for i in range(n):
        if balanced(texts[i % 4]): s += 1
    return s


def ordered_start(n):
    needs = {'web': ['app', 'cache'], 'app': ['db'], 'cache': [], 'db': ['disk'], 'disk': []}
    s = 0
    for i in range(n):
        done = []
        while len(done) < len(needs):
            ready = [k for k in needs.keys() if k not in done and all(x in done for x in needs[k])]
            done = done + ready
        s += done.index('web') + i
    return s


def shortest(n):
    roads = {'a': {'b': 4, 'c': 1}, 'b': {'d': 1}, 'c': {'b': 2, 'd': 5}, 'd': {}}
    s = 0
    for i in range(n):
        far = {'a': 0}
        todo = ['a']
        while len(todo) > 0:
            x = todo[0]
            todo = todo[1:]
            for y in roads[x].keys():
                d = far[x] + roads[x][y]
                if y not in far or far[y] > d:
                    far[y] = d
                    todo.append(y)
        s += far['d'] + i % 2
    return s


def spans_merged(n):
    s = 0
    for i in range(n):
        spans = [[1, 3], [2, 5 + i % 5], [8, 9], [12, 14]]
        out = []
        for p in spans:
            if len(out) > 0 and out[-1][1] >= p[0]: out = out[:-1] + [[out[-1][0], max(out[-1][1], p[1])]]
            else: out.append(p)
        s += len(out)
    return s


def collatz(n):
    known = {1: 0}
    s = 0
    for i in range(1, n):
        x = i
        way = []
        while x not in known:
            way.append(x)
            x = x // 2 if x % 2 == 0 else 3 * x + 1
        steps = known[x]
        for y in reversed(way):
            steps += 1
            known[y] = steps
        s += known[i]
    return s


def luhn(n):
    s = 0
    for i in range(n):
        total = 0
        twice = False
        for c in reversed(str(4000000000 + i * 37)):
            d = int(c)
            if twice:
                d = d * 2
                if d > 9: d -= 9
            total += d
            twice = not twice
        if total % 10 == 0: s += 1
    return s


def first_of(*values):
    for v in values:
        if v is not None: return v
    return None


def defaults_chained(n):
    s = 0
    for i in range(n):
        c = {'a': None, 'b': i % 3}
        s += first_of(c['a'], c.get('x'), c['b']) + first_of(c.get('y'), 5)
    return s


def meta_read(n):
    w = Web()
    s = 0
    for i in range(n):
        text, rank = type(w).meta[0]
        s += rank + len(text)
    return s
