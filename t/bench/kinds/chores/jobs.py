"""The methods of package/ in Python."""
import datetime
import re


def firewall_written(n):
    rules = [
        {'proto': 'tcp', 'from': '10.0.0.0/8', 'port': 22, 'allow': True},
        {'proto': 'udp', 'from': 'any', 'port': 53, 'allow': True},
        {'proto': 'tcp', 'from': 'any', 'port': 23, 'allow': False},
    ]
    s = 0
    for i in range(n):
        lines = []
        for r in rules:
            verb = 'ACCEPT' if r['allow'] else 'DROP'
            source = ''
            if r['from'] != 'any':
                source = ' -s {0}'.format(r['from'])
            lines.append('-A INPUT{0} -p {1} --dport {2} -j {3}'.format(source, r['proto'], r['port'] + i % 3, verb))
        s += len('\n'.join(sorted(lines)))
    return s


class NoLease(Exception):
    pass


class LeasePool:
    def __init__(self, first, last):
        self.first, self.last, self.leases, self.taken = first, last, {}, {}

    def grant(self, mac, now):
        old = self.leases.get(mac)
        if old is not None:
            self.leases[mac]['since'] = now
            return old['ip']
        for ip in range(self.first, self.last + 1):
            if not self.taken.get(ip, False):
                self.taken[ip] = True
                self.leases[mac] = {'ip': ip, 'since': now}
                return ip
        raise NoLease('none for ' + mac)

    def expire(self, before):
        for mac in list(self.leases):
            lease = self.leases[mac]
            if lease['since'] < before:
                self.taken[lease['ip']] = False
                del self.leases[mac]


def leases_granted(n):
    pool = LeasePool(100, 109)
    s = 0
    for i in range(n):
        mac = 'aa:bb:' + str(i * 7 % 13)
        try:
            s += pool.grant(mac, i)
        except NoLease as e:
            s += len(str(e))
            pool.expire(i - 8)
    return s


def tasks_levelled(n):
    needs = {'db': [], 'net': [], 'app': ['db', 'net'], 'web': ['app'], 'cdn': ['web', 'net'], 'mon': ['db', 'app']}
    s = 0
    for i in range(n):
        done = []
        level = 0
        while len(done) < len(needs):
            ready = []
            for t in needs:
                if t not in done and all(x in done for x in needs[t]):
                    ready.append(t)
            done = done + ready
            level += 1
            s += level * len(ready)
        s += len(done[-1])
    return s


def expanded(text, variables, depth):
    out = ''
    at = 0
    while True:
        begin = text.find('${', at)
        if begin < 0 or depth > 5:
            return out + text[at:]
        end = text.find('}', begin)
        name = text[begin + 2:end]
        out = out + text[at:begin] + expanded(variables.get(name, ''), variables, depth + 1)
        at = end + 1


def variables_expanded(n):
    variables = {'home': '/srv/app', 'user': 'deploy', 'log': '${home}/log', 'name': 'web'}
    s = 0
    for i in range(n):
        s += len(expanded('${log}/${name}-${user}.log in ${home}/${none}', variables, 0))
    return s


class BadPart(Exception):
    pass


class Version:
    @staticmethod
    def bump(version, part):
        p = [int(x) for x in version.split('.')]
        if part == 'major':
            p = [p[0] + 1, 0, 0]
        elif part == 'minor':
            p = [p[0], p[1] + 1, 0]
        elif part == 'patch':
            p = [p[0], p[1], p[2] + 1]
        else:
            raise BadPart('no part ' + part)
        return '.'.join(str(x) for x in p)


def versions_bumped(n):
    v = '1.0.0'
    s = 0
    for i in range(n):
        try:
            v = Version.bump(v, ['patch', 'minor', 'patch', 'patch', 'major', 'wrong'][i % 6])
        except BadPart:
            s += 1000
        s += len(v)
    return s


class Open(Exception):
    pass


class Failed(Exception):
    pass


class Breaker:
    def __init__(self, most):
        self.most, self.failures, self.state, self.until, self.trips = most, 0, 'closed', 0, 0

    def call(self, what, now):
        if self.state == 'open':
            if now < self.until:
                raise Open('circuit is open')
            self.state = 'half'
        try:
            r = self.service(what)
        except Failed:
            self.failures += 1
            if self.failures >= self.most or self.state == 'half':
                self.state = 'open'
                self.until = now + 5
                self.trips += 1
            raise
        self.failures = 0
        self.state = 'closed'
        return r

    def service(self, what):
        if what > 6:
            raise Failed('service said ' + str(what))
        return what


def breakers_tripped(n):
    b = Breaker(3)
    s = 0
    for i in range(n):
        try:
            s += b.call(i % 11, i)
        except Open:
            s += 1
        except Failed as e:
            s += len(str(e))
    return s + b.trips


def pages_replaced(n):
    wanted = [7, 0, 1, 2, 0, 3, 0, 4, 2, 3, 0, 3, 2, 1, 2, 0, 1, 7, 0, 1]
    s = 0
    for i in range(n):
        frames = []
        faults = 0
        for p in wanted:
            if p in frames:
                frames = [x for x in frames if x != p] + [p]
            else:
                faults += 1
                if len(frames) == 3:
                    frames = frames[1:]
                frames.append(p)
        s += faults * 10 + frames[0] + i % 2
    return s


def base64_written(n):
    table = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    s = 0
    for i in range(n):
        data = [77, 97, 110, i % 256, 32, 105, 115]
        out = ''
        at = 0
        while at < len(data):
            w = 0
            have = 0
            for k in range(3):
                w *= 256
                if at + k < len(data):
                    w += data[at + k]
                    have += 1
            for shift in [262144, 4096, 64, 1]:
                if have >= 0:
                    k = w // shift % 64
                    out += table[k]
                else:
                    out += '='
                have -= 1
            at += 3
        s += len(out) + table.find(out[5])
    return s


def soundex_coded(n):
    codes = {
        'b': '1', 'f': '1', 'p': '1', 'v': '1', 'c': '2', 'g': '2', 'j': '2', 'k': '2', 'q': '2', 's': '2', 'x': '2',
        'z': '2', 'd': '3', 't': '3', 'l': '4', 'm': '5', 'n': '5', 'r': '6',
    }
    names = ['Robert', 'Rupert', 'Tymczak', 'Honeyman', 'Lee', 'Gutierrez']
    s = 0
    for i in range(n):
        name = names[i % 6].lower()
        code = name[0].upper()
        last = codes.get(name[0], '')
        for c in name[1:]:
            k = codes.get(c, '')
            if k != '' and k != last:
                code += k
            if c != 'h':
                last = k
        s += int((code + '000')[1:4])
    return s


def multiplied(a, b):
    rows = []
    for row in a:
        new = []
        for j in range(len(b[0])):
            total = 0
            for k in range(len(b)):
                total += row[k] * b[k][j]
            new.append(total)
        rows.append(new)
    return rows


def powers_of_matrices(n):
    s = 0
    for i in range(n):
        r = [[1, 0], [0, 1]]
        b = [[1, 1], [1, 0]]
        k = 20 + i % 10
        while k > 0:
            if k % 2 == 1:
                r = multiplied(r, b)
            b = multiplied(b, b)
            k //= 2
        s += r[0][1] % 1000
    return s


def binomials_big(n):
    s = 0
    for i in range(n):
        c = 1
        for k in range(1, 41):
            c = c * (101 + i % 3 - k) // k
        s += c % 1000003
    return s


CACHE = {}


def steps_of(x):
    if x == 1:
        return 0
    known = CACHE.get(x)
    if known is not None:
        return known
    if x % 2 == 0:
        steps = 1 + steps_of(x // 2)
    else:
        steps = 1 + steps_of(x * 3 + 1)
    CACHE[x] = steps
    return steps


def steps_cached(n):
    CACHE.clear()
    best = 0
    s = 0
    for i in range(1, n + 1):
        k = steps_of(i % 5000 + 1)
        if k > best:
            best = k
            s += i
    return s * 1000 + best


def meetings_merged(n):
    spans = [[9, 10], [13, 15], [9, 12], [11, 12], [14, 16], [20, 21], [18, 19]]
    s = 0
    for i in range(n):
        merged = []
        for x in sorted(spans, key=lambda x: x[0]):
            if merged and merged[-1][1] >= x[0]:
                merged[-1] = [merged[-1][0], max(merged[-1][1], x[1])]
            else:
                merged.append(x)
        s += sum(x[1] - x[0] for x in merged) + len(merged) * 100
    return s


def masks_checked(n):
    s = 0
    for i in range(n):
        x = i * 2654435761 % 65536
        bits = 0
        while x > 0:
            bits += x & 1
            x >>= 1
        s += bits * 3 + (bits | 8) + (i ^ bits) % 7
    return s


class Fraction:
    def __init__(self, over, under):
        if not under > 0:
            raise ValueError(under)
        self.over, self.under = over, under

    @staticmethod
    def gcd(a, b):
        while b != 0:
            a, b = b, a % b
        return a

    def plus(self, o):
        a = self.over * o.under + o.over * self.under
        b = self.under * o.under
        g = Fraction.gcd(a, b)
        return Fraction(a // g, b // g)


def fractions_added(n):
    s = 0
    for i in range(n):
        total = Fraction(0, 1)
        for k in [2, 3, 4, 6]:
            total = total.plus(Fraction(1 + i % 3, k))
        s += total.over * 100 + total.under
    return s


def polygons_measured(n):
    points = [[0.0, 0.0], [4.0, 0.5], [5.5, 3.0], [2.0, 5.0], [-1.0, 2.5]]
    s = 0.0
    for i in range(n):
        area = 0.0
        around = 0.0
        for k in range(len(points)):
            a = points[k]
            b = points[(k + 1) % len(points)]
            area = area + a[0] * b[1] - b[0] * a[1]
            dx = b[0] - a[0]
            dy = b[1] - a[1]
            around += pow(dx * dx + dy * dy, 0.5)
        s = s + abs(area) / 2 + around * (i % 3)
    return s


def pods_selected(n):
    pods = [
        {'name': 'web-1', 'labels': {'app': 'web', 'tier': 'front'}},
        {'name': 'db-1', 'labels': {'app': 'db', 'tier': 'back', 'zone': 'a'}},
        {'name': 'web-2', 'labels': {'app': 'web', 'tier': 'front', 'zone': 'b'}},
        {'name': 'job-1', 'labels': {'app': 'job'}},
    ]
    selectors = [{'app': 'web'}, {'tier': 'back', 'zone': 'a'}, {'tier': 'front', 'app': 'web'}, {'zone': 'c'}]
    s = 0
    for i in range(n):
        want = selectors[i % 4]
        names = []
        for p in pods:
            fits = True
            for k in want:
                if p['labels'].get(k) != want[k]:
                    fits = False
                    break
            if fits:
                names.append(p['name'])
        s += len(names) * 10 + len(','.join(names))
    return s


def merged(a, b):
    r = dict(a)
    for k in b:
        if k in r and isinstance(r[k], dict) and isinstance(b[k], dict):
            r[k] = merged(r[k], b[k])
        else:
            r[k] = b[k]
    return r


def overlays_merged(n):
    base = {'image': 'nginx', 'ports': {'http': 80, 'https': 443}, 'env': {'LANG': 'C', 'TZ': 'UTC'}, 'size': 1}
    over = {'size': 3, 'env': {'TZ': 'CET', 'DEBUG': '1'}, 'ports': {'admin': 8080}, 'tags': {'team': 'red'}}
    s = 0
    for i in range(n):
        m = merged(base, over)
        m['size'] += i % 4
        s += m['size'] + len(m['env']) * 10 + sum(m['ports'].values()) + len(m)
    return s


def rotas_made(n):
    people = ['ann', 'bob', 'cy']
    day = datetime.datetime(2024, 2, 26)
    turns = {}
    s = 0
    for i in range(n):
        d = day + datetime.timedelta(days=i % 700)
        if d.weekday() < 5:
            who = people[(i + d.month) % 3]
            turns[who] = turns.get(who, 0) + 1
            s += d.day
    return s + turns['ann']


def events_replayed(n):
    events = [
        {'type': 'opened', 'sum': 100}, {'type': 'paid', 'sum': 30}, {'type': 'paid', 'sum': 80},
        {'type': 'refunded', 'sum': 20}, {'type': 'closed', 'sum': 0},
    ]
    s = 0
    for i in range(n):
        state = {'balance': 0, 'open': False, 'refused': 0}
        for e in events:
            kind = e['type']
            if kind == 'opened':
                state['open'] = True
                state['balance'] = e['sum'] + i % 10
            elif kind == 'paid':
                if state['balance'] >= e['sum']:
                    state['balance'] -= e['sum']
                else:
                    state['refused'] += 1
            elif kind == 'refunded':
                state['balance'] += e['sum']
            elif kind == 'closed':
                state['open'] = False
        s += state['balance'] + state['refused'] * 1000 + len(state)
    return s


class Process:
    def __init__(self, need):
        self.need = need

    def run(self, most):
        used = min(self.need, most)
        self.need -= used
        return used


def processes_turned(n):
    s = 0
    for i in range(n):
        queue = []
        for need in [5, 2, 8, 3]:
            queue.append(Process(need))
        clock = 0
        while queue:
            p = queue.pop(0)
            clock += p.run(3)
            if p.need > 0:
                queue.append(p)
            else:
                s += clock
    return s


def addresses_masked(n):
    r = re.compile('([a-z])[a-z.]*@([a-z]+)[.]([a-z]+)')
    s = 0
    for i in range(n):
        t = 'from ann.lee@example.org to bob@corp.com no ' + str(i % 100)
        masked = r.sub(lambda m: m.group(1) + '***@' + m.group(2), t)
        s += len(masked)
    return s


def logs_summed(n):
    lines = [
        '2024-01-02 ERROR disk full on sda', '2024-01-02 INFO started', '2024-01-03 WARN slow query 312 ms',
        '2024-01-03 ERROR disk full on sdb', 'garbage',
    ]
    r = re.compile('^([0-9-]+) (ERROR|WARN|INFO) (.*)$')
    s = 0
    for i in range(n):
        by = {}
        for line in lines:
            m = r.search(line)
            if m is not None:
                by.setdefault(m.group(2), []).append(m.group(3))
        for k in sorted(by):
            s += len(by[k]) * 10 + len(by[k][-1])
    return s


def codes_interpreted(n):
    code = [
        ['push', 6], ['store', 0], ['push', 1], ['store', 1], ['load', 1], ['load', 0], ['mul', 0], ['store', 1],
        ['load', 0], ['push', -1], ['add', 0], ['store', 0], ['load', 0], ['jnz', 4], ['load', 1],
    ]
    s = 0
    for i in range(n):
        stack = []
        mem = [0, 0]
        pc = 0
        while pc < len(code):
            op, arg = code[pc]
            pc += 1
            if op == 'push':
                stack.append(arg)
            elif op == 'load':
                stack.append(mem[arg])
            elif op == 'store':
                mem[arg] = stack.pop()
            elif op == 'add':
                x = stack.pop()
                stack[-1] += x
            elif op == 'mul':
                x = stack.pop()
                stack[-1] *= x
            elif op == 'jnz':
                if stack.pop() != 0:
                    pc = arg
        s += stack[0] + i % 2
    return s


def postfix_made(n):
    power = {'+': 1, '-': 1, '*': 2, '/': 2}
    s = 0
    for i in range(n):
        out = []
        ops = []
        for t in '3 + 4 * ( 2 - 1 ) - 6 / 2'.split(' '):
            if t in power:
                while ops and power.get(ops[-1], 0) >= power[t]:
                    out.append(ops.pop())
                ops.append(t)
                continue
            if t == '(':
                ops.append(t)
            elif t == ')':
                while ops[-1] != '(':
                    out.append(ops.pop())
                ops.pop()
            else:
                out.append(t)
        out += ops[::-1]
        s += len(' '.join(out)) + i % 3
    return s


class Account:
    def __init__(self, owner, opening=0):
        self.owner, self.opening = owner, opening

    def statement(self, lines):
        for l in lines:
            if not isinstance(l['text'], str) or not isinstance(l['cents'], int):
                raise TypeError(l)
        balance = self.opening
        out = ['Account of ' + self.owner]
        for l in lines:
            balance += l['cents']
            out.append(l['text'] + self.gap(10 - len(l['text'])) + self.money(l['cents']) + self.money(balance))
        return '\n'.join(out)

    def gap(self, width):
        return ' ' * width

    def money(self, cents):
        sign = ''
        if cents < 0:
            sign = '-'
            cents = -cents
        rest = str(cents % 100)
        if len(rest) < 2:
            rest = '0' + rest
        t = sign + str(cents // 100) + '.' + rest
        return self.gap(10 - len(t)) + t


def statements_printed(n):
    a = Account('Ann', 500)
    lines = [
        {'text': 'rent', 'cents': -45000}, {'text': 'salary', 'cents': 210050},
        {'text': 'food', 'cents': -12005}, {'text': 'gift', 'cents': 5},
    ]
    s = 0
    for i in range(n):
        s += len(a.statement(lines))
    return s


class Filter:
    def apply(self, text):
        return text

    def changes(self, text):
        return self.apply(text) != text


class Trim(Filter):
    def apply(self, text):
        return text.strip()


class Upper(Filter):
    def apply(self, text):
        return text.upper()


class Prefix(Filter):
    def __init__(self, prefix):
        self.prefix = prefix

    def apply(self, text):
        if text.startswith(self.prefix):
            return text
        return self.prefix + text


class Limit(Filter):
    def __init__(self, most):
        self.most = most

    def apply(self, text):
        if len(text) <= self.most:
            return text
        return text[:self.most] + '~'


def filters_chained(n):
    filters = [Trim(), Upper(), Prefix('> '), Limit(12)]
    texts = ['  hello world ', 'a', ' some longer text of it  ']
    s = 0
    for i in range(n):
        t = texts[i % 3]
        for f in filters:
            t = f.apply(t)
        s += len(t) + len([f for f in filters if f.changes(t)])
    return s


class Entry:
    def __init__(self, name):
        self.name = name

    def size(self):
        return 0

    def paths(self, prefix):
        return [prefix + self.name]


class File(Entry):
    def __init__(self, name, size):
        super().__init__(name)
        self.bytes = size

    def size(self):
        return self.bytes


class Folder(Entry):
    def __init__(self, name, items=()):
        super().__init__(name)
        self.items = list(items)

    def size(self):
        return sum(x.size() for x in self.items)

    def paths(self, prefix):
        found = [prefix + self.name]
        for e in self.items:
            found += e.paths(prefix + self.name + '/')
        return found


def folders_sized(n):
    root = Folder('root', [File('a', 10), Folder('sub', [File('b', 7), File('c', 5)]), Folder('none')])
    s = 0
    for i in range(n):
        s += root.size()
        s += len(':'.join(root.paths(''))) + i % 2
    return s


class CycleFinder:
    def __init__(self, graph):
        self.graph, self.state, self.visits = graph, {}, 0

    def cyclic(self):
        for node in sorted(self.graph):
            if self.visit(node):
                return True
        return False

    def visit(self, node):
        seen = self.state.get(node, 'new')
        if seen != 'new':
            return seen == 'open'
        self.visits += 1
        self.state[node] = 'open'
        for other in self.graph[node]:
            if self.visit(other):
                return True
        self.state[node] = 'done'
        return False


def cycles_found(n):
    graphs = [
        {'a': ['b'], 'b': ['c', 'd'], 'c': [], 'd': ['c']}, {'a': ['b'], 'b': ['c'], 'c': ['d'], 'd': ['b']},
        {'a': [], 'b': ['a'], 'c': ['a', 'b'], 'd': ['d']},
    ]
    s = 0
    for i in range(n):
        f = CycleFinder(graphs[i % 3])
        if f.cyclic():
            s += 10
        s += f.visits
    return s


def totients_summed(n):
    s = 0
    for i in range(1, n + 1):
        m = i % 2000 + 1
        phi = m
        p = 2
        while p * p <= m:
            if m % p == 0:
                while m % p == 0:
                    m //= p
                phi -= phi // p
            p += 1
        if m > 1:
            phi -= phi // m
        s += phi
    return s


def happy_numbers(n):
    count = 0
    for i in range(1, n + 1):
        seen = []
        x = i
        while x != 1 and x not in seen:
            seen.append(x)
            x = sum(int(c) * int(c) for c in str(x))
        if x == 1:
            count += 1
    return count


def looked_and_said(n):
    s = 0
    for i in range(n):
        t = str(i % 10 + 1)
        for _ in range(5):
            following = ''
            run = 0
            last = ''
            for c in t:
                if c == last:
                    run += 1
                else:
                    if run > 0:
                        following = following + str(run) + last
                    last = c
                    run = 1
            t = following + str(run) + last
        s += len(t)
    return s


def sales_by_month(n):
    sales = [
        {'day': '2024-01-03', 'sum': 10, 'shop': 'n'}, {'day': '2024-02-11', 'sum': 25, 'shop': 's'},
        {'day': '2024-01-30', 'sum': 7, 'shop': 's'}, {'day': '2024-03-01', 'sum': 12, 'shop': 'n'},
        {'day': '2024-02-28', 'sum': 40, 'shop': 'n'},
    ]
    s = 0
    for i in range(n):
        by = {}
        for x in sales:
            month = x['day'][:7]
            row = by.get(month, {'total': 0, 'shops': []})
            row['total'] = row['total'] + x['sum'] + i % 2
            if x['shop'] not in row['shops']:
                row['shops'].append(x['shop'])
            by[month] = row
        text = ''
        for m in sorted(by, key=lambda m: by[m]['total'], reverse=True):
            text += '{0}: {1} in {2}; '.format(m, by[m]['total'], len(by[m]['shops']))
        s += len(text) + next(iter(by.values()))['total']
    return s


def acronyms_made(n):
    phrases = ['portable network graphics', 'ruby on rails', 'first in, first out', 'complementary metal-oxide semiconductor']
    s = 0
    for i in range(n):
        words = phrases[i % 4].replace('-', ' ').replace(',', '').split(' ')
        a = ''.join(w[0].upper() for w in words if len(w) > 2)
        if a.endswith('S') or a in ['FF', 'PNG']:
            s += 10
        s += len(a)
    return s


class Counter:
    def __init__(self, weight):
        self.weight, self.total = weight, 0

    def handle(self, event):
        if not isinstance(event['id'], int) or not isinstance(event['size'], int):
            raise TypeError(event)
        self.total += self.weight * event['size']


class Bus:
    def __init__(self):
        self.handlers, self.lost = {}, 0

    def connect(self, name, who):
        self.handlers.setdefault(name, []).append(who)

    def send(self, name, event):
        if name not in self.handlers:
            self.lost += 1
            return
        for h in self.handlers[name]:
            h.handle(event)


def signals_sent(n):
    bus = Bus()
    c1 = Counter(1)
    c2 = Counter(5)
    bus.connect('created', c1)
    bus.connect('created', c2)
    bus.connect('deleted', c2)
    for i in range(n):
        bus.send('created', {'id': i, 'size': i % 3})
        if i % 4 == 0:
            bus.send('deleted', {'id': i, 'size': 1})
            bus.send('changed', {'id': i})
    return c1.total + c2.total * 2 + bus.lost


class QueryFailed(Exception):
    pass


class Connection:
    def __init__(self, ident):
        self.id, self.queries = ident, 0

    def query(self, what):
        self.queries += 1
        if what == 3:
            raise QueryFailed('query failed')
        return what + self.id


class Pool:
    def __init__(self, size):
        self.size, self.made, self.free = size, 0, []

    def take(self):
        if self.free:
            return self.free.pop()
        self.made += 1
        return Connection(self.made)

    def give(self, c):
        if len(self.free) < self.size and c.queries % 4 != 0:
            self.free.append(c)


def connections_pooled(n):
    pool = Pool(2)
    s = 0
    for i in range(n):
        try:
            c = pool.take()
            try:
                s += c.query(i % 5)
            finally:
                pool.give(c)
        except QueryFailed:
            s += 100
    return s + len(pool.free) * 7 + pool.made


def flattened(d, prefix):
    r = {}
    for k in d:
        path = prefix + k
        if isinstance(d[k], dict):
            r.update(flattened(d[k], path + '.'))
        else:
            r[path] = d[k]
    return r


def settings_flattened(n):
    conf = {'db': {'host': 'h1', 'port': 5432, 'opts': {'ssl': True, 'pool': 5}}, 'log': {'level': 'info'}, 'name': 'app'}
    s = 0
    for i in range(n):
        flat = flattened(conf, '')
        s += len(flat) + flat['db.opts.pool'] + len(' '.join(flat))
    return s


def lines_of(v, depth):
    pad = '  ' * depth
    lines = []
    if isinstance(v, dict):
        for k in v:
            x = v[k]
            if isinstance(x, (dict, list)):
                lines.append(pad + k + ':')
                lines += lines_of(x, depth + 1)
            else:
                lines.append(pad + k + ': ' + str(x))
    else:
        for x in v:
            if isinstance(x, (dict, list)):
                lines.append(pad + '-')
                lines += lines_of(x, depth + 1)
            else:
                lines.append(pad + '- ' + str(x))
    return lines


def documents_written(n):
    doc = {
        'kind': 'Service', 'meta': {'name': 'web', 'labels': {'app': 'web'}}, 'ports': [80, 443],
        'spec': [{'from': 'a'}, {'to': 'b'}],
    }
    s = 0
    for i in range(n):
        s += len('\n'.join(lines_of(doc, 0)))
    return s


def durations_worded(n):
    units = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]]
    s = 0
    for i in range(n):
        left = i * 7919 % 400000
        parts = []
        for u in units:
            k = left // u[1]
            left = left % u[1]
            if k > 0:
                plural = '' if k == 1 else 's'
                parts.append(str(k) + ' ' + u[0] + plural)
        if len(parts) > 1:
            s += len(', '.join(parts[:-1]) + ' and ' + parts[-1])
        else:
            s += len(''.join(parts))
    return s


class Curve:
    def __init__(self, a, b, c):
        self.a, self.b, self.c = a, b, c

    def at(self, x):
        return (self.a * x + self.b) * x + self.c


def integrals_found(n):
    curve = Curve(0.5, -2.0, 3.25)
    s = 0.0
    for i in range(n):
        begin = 0.0
        end = 4.0 + i % 3
        h = (end - begin) / 10
        total = curve.at(begin) + curve.at(end)
        for k in range(1, 10):
            if k % 2 == 1:
                total += 4 * curve.at(begin + k * h)
            else:
                total += 2 * curve.at(begin + k * h)
        s += total * h / 3
    return s


def combinations(items, size, begin):
    if size == 0:
        return [[]]
    found = []
    for k in range(begin, len(items)):
        for rest in combinations(items, size - 1, k + 1):
            found.append([items[k]] + rest)
    return found


def teams_chosen(n):
    people = [
        {'name': 'ann', 'skill': 7}, {'name': 'bob', 'skill': 4}, {'name': 'cy', 'skill': 9},
        {'name': 'di', 'skill': 5}, {'name': 'ed', 'skill': 6},
    ]
    s = 0
    for i in range(n):
        best = None
        best_gap = 1000
        for team in combinations(people, 2, 0):
            gap = sum(p['skill'] for p in team) - 12 - i % 3
            if gap < 0:
                gap = -gap
            if gap < best_gap:
                best_gap = gap
                best = team
        s += best_gap + len('+'.join(p['name'] for p in best))
    return s


def gates_simulated(n):
    gates = [
        {'out': 'p', 'kind': 'xor', 'a': 'x', 'b': 'y'}, {'out': 's', 'kind': 'xor', 'a': 'p', 'b': 'c'},
        {'out': 'q', 'kind': 'and', 'a': 'x', 'b': 'y'}, {'out': 'r', 'kind': 'and', 'a': 'p', 'b': 'c'},
        {'out': 't', 'kind': 'or', 'a': 'q', 'b': 'r'},
    ]
    s = 0
    for i in range(n):
        wires = {'x': i % 2, 'y': i // 2 % 2, 'c': i // 4 % 2}
        for g in gates:
            a = wires[g['a']]
            b = wires[g['b']]
            if g['kind'] == 'and':
                v = a * b
            elif g['kind'] == 'or':
                v = max(a, b)
            else:
                v = (a + b) % 2
            wires[g['out']] = v
        s += wires['s'] + wires['t'] * 2
    return s
