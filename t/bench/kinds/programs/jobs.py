"""The methods of package/ in Python."""


class Elevator:
    def __init__(self):
        self.at, self.state, self.calls = 0, 'idle', []

    def call(self, floor):
        if floor not in self.calls:
            self.calls.append(floor)

    def idle(self):
        return self.state == 'idle' and not self.calls

    def step(self):
        if self.state == 'idle':
            if self.calls:
                if self.calls[0] > self.at:
                    self.state = 'up'
                elif self.calls[0] < self.at:
                    self.state = 'down'
                else:
                    self.state = 'open'
        elif self.state == 'up':
            self.at += 1
            if self.at in self.calls:
                self.state = 'open'
        elif self.state == 'down':
            self.at -= 1
            if self.at in self.calls:
                self.state = 'open'
        elif self.state == 'open':
            self.calls = [c for c in self.calls if c != self.at]
            self.state = 'idle'


def elevators_run(n):
    s = 0
    for i in range(n):
        e = Elevator()
        e.call(3 + i % 4)
        e.call(1)
        e.call(6)
        t = 0
        while not e.idle() and t < 50:
            e.step()
            t += 1
        s += t * 10 + e.at
    return s


def markdown_rendered(n):
    text = '# Title\n\nSome text\n* one\n* two\n\n## Part\nMore'
    s = 0
    for i in range(n):
        html = []
        in_list = False
        for line in text.split('\n'):
            if in_list and not line.startswith('* '):
                html.append('</ul>')
                in_list = False
            if line.startswith('## '):
                html.append('<h2>' + line[3:] + '</h2>')
            elif line.startswith('# '):
                html.append('<h1>' + line[2:] + '</h1>')
            elif line.startswith('* '):
                if not in_list:
                    html.append('<ul>')
                    in_list = True
                html.append('<li>' + line[2:] + '</li>')
            elif line:
                html.append('<p>' + line + '</p>')
        s += len('\n'.join(html))
    return s


class NoSuchItem(Exception):
    pass


class TooFew(Exception):
    pass


class Warehouse:
    def __init__(self):
        self.places = {}

    def add(self, place, item, count):
        if place not in self.places:
            self.places[place] = {}
        self.places[place][item] = self.places[place].get(item, 0) + count

    def move(self, source, to, item, count):
        if item not in self.places[source]:
            raise NoSuchItem(item)
        has = self.places[source][item]
        if has < count:
            raise TooFew('only ' + str(has) + ' of ' + item)
        self.places[source][item] = has - count
        self.add(to, item, count)

    def total(self):
        total = 0
        for place in self.places.values():
            total += sum(place.values())
        return total


def goods_moved(n):
    w = Warehouse()
    w.add('north', 'bolt', 50)
    w.add('south', 'nut', 20)
    s = 0
    for i in range(n):
        try:
            w.move('north', 'south', 'bolt', 7 + i % 5)
            s += 1
        except NoSuchItem:
            s += 100
        except TooFew as e:
            s += len(str(e))
            w.move('south', 'north', 'bolt', 30)
        if i % 7 == 0:
            try:
                w.move('south', 'north', 'gear', 1)
            except NoSuchItem:
                s += 1000
    return s + w.total()


class Vehicle:
    def __init__(self, plate):
        self.plate = plate

    def size(self):
        return 2

    def fee(self, hours):
        return self.size() * hours


class Car(Vehicle):
    pass


class Bike(Vehicle):
    def size(self):
        return 1

    def fee(self, hours):
        return 1


class Truck(Vehicle):
    def __init__(self, plate, load):
        self.plate, self.load = plate, load

    def size(self):
        return 3 + self.load // 4


class Parking:
    def __init__(self, room):
        self.room, self.inside = room, {}

    def used(self):
        total = 0
        for v in self.inside.values():
            total += v.size()
        return total

    def enter(self, v):
        if self.used() + v.size() > self.room:
            return False
        self.inside[v.plate] = v
        return True

    def fees(self, hours):
        total = 0
        for plate in self.inside:
            total += self.inside[plate].fee(hours)
        return total


def vehicles_parked(n):
    s = 0
    for i in range(n):
        park = Parking(9 + i % 3)
        cars = [Car('a1'), Truck('t1', 4), Bike('b1'), Car('a2'), Truck('t2', 1)]
        for v in cars:
            if not park.enter(v):
                s += 50
        s += park.fees(3)
    return s


class Parser:
    def __init__(self, text):
        self.text, self.at = text, 0

    def here(self):
        return self.text[self.at]

    def blanks(self):
        while self.here() == ' ':
            self.at += 1

    def value(self):
        self.blanks()
        c = self.here()
        if c == '{':
            return self.dict()
        if c == '[':
            return self.list()
        if c == '"':
            return self.string()
        return self.number()

    def dict(self):
        d = {}
        self.at += 1
        self.blanks()
        while self.here() != '}':
            key = self.string()
            self.blanks()
            self.at += 1
            d[key] = self.value()
            self.blanks()
            if self.here() == ',':
                self.at += 1
                self.blanks()
        self.at += 1
        return d

    def list(self):
        out = []
        self.at += 1
        self.blanks()
        while self.here() != ']':
            out.append(self.value())
            self.blanks()
            if self.here() == ',':
                self.at += 1
        self.at += 1
        return out

    def string(self):
        start = self.at + 1
        self.at = start
        while self.here() != '"':
            self.at += 1
        self.at += 1
        return self.text[start:self.at - 1]

    def number(self):
        start = self.at
        while self.here() in '-0123456789':
            self.at += 1
        return int(self.text[start:self.at])


def json_parsed(n):
    text = '{"a": [1, 22, {"b": "xy"}], "c": -7, "d": {}}'
    s = 0
    for i in range(n):
        v = Parser(text).value()
        s += v['a'][1] + len(v['a'][2]['b']) + v['c'] + len(v)
    return s


def determinant(m):
    size = len(m)
    if size == 1:
        return m[0][0]
    if size == 2:
        return m[0][0] * m[1][1] - m[0][1] * m[1][0]
    total = 0
    sign = 1
    for col in range(size):
        minor = []
        for row in m[1:]:
            minor.append(row[:col] + row[col + 1:])
        total += sign * m[0][col] * determinant(minor)
        sign = -sign
    return total


def determinants(n):
    m = [[2, 0, 1, 3], [1, 4, 2, 0], [3, 1, 0, 2], [0, 2, 5, 1]]
    s = 0
    for i in range(n):
        m[0][0] = i % 9
        s += determinant(m)
    return s


def codes_of(node, prefix):
    if 'c' in node:
        return {node['c']: prefix}
    return {**codes_of(node['l'], prefix + '0'), **codes_of(node['r'], prefix + '1')}


def huffman_coded(n):
    s = 0
    for i in range(n):
        counts = {}
        for c in 'abracadabra alakazam':
            counts[c] = counts.get(c, 0) + 1
        nodes = []
        for c in sorted(counts):
            nodes.append({'n': counts[c], 'c': c})
        while len(nodes) > 1:
            nodes.sort(key=lambda x: x['n'])
            both = {'n': nodes[0]['n'] + nodes[1]['n'], 'l': nodes[0], 'r': nodes[1]}
            nodes = nodes[2:] + [both]
        codes = codes_of(nodes[0], '')
        bits = 0
        for c in codes:
            bits += len(codes[c]) * counts[c]
        s += bits
    return s


class Net:
    @staticmethod
    def number(address):
        n = 0
        for part in address.split('.'):
            n = n * 256 + int(part)
        return n

    @staticmethod
    def power(base, times):
        r = 1
        while times > 0:
            r *= base
            times -= 1
        return r


def cidrs_matched(n):
    nets = ['10.0.0.0/8', '192.168.4.0/22', '172.16.0.0/12']
    s = 0
    for i in range(n):
        ip = Net.number('192.168.' + str(i % 10) + '.17')
        for net in nets:
            parts = net.split('/')
            size = Net.power(2, 32 - int(parts[1]))
            start = Net.number(parts[0])
            if start <= ip < start + size:
                s += int(parts[1])
    return s


class OverTotal:
    def __init__(self, over, percent):
        self.over, self.percent = over, percent

    def applies(self, order):
        return order['total'] > self.over


class ForTag:
    def __init__(self, tag, percent):
        self.tag, self.percent = tag, percent

    def applies(self, order):
        return self.tag in order['tags']


class ManyItems:
    def __init__(self, count, percent):
        self.count, self.percent = count, percent

    def applies(self, order):
        return order['items'] >= self.count


def orders_discounted(n):
    rules = [OverTotal(100, 10), ForTag('vip', 5), ManyItems(3, 2)]
    orders = [{'total': 80, 'tags': ['vip'], 'items': 1}, {'total': 250, 'tags': [], 'items': 5},
              {'total': 120, 'tags': ['new', 'vip'], 'items': 3}]
    s = 0
    for i in range(n):
        for o in orders:
            percent = 0
            for r in rules:
                if r.applies(o):
                    percent += r.percent
            s += o['total'] * (100 - percent) // 100
    return s


def robots_moved(n):
    turns = {'N': {'L': 'W', 'R': 'E'}, 'E': {'L': 'N', 'R': 'S'}, 'S': {'L': 'E', 'R': 'W'}, 'W': {'L': 'S', 'R': 'N'}}
    steps = {'N': [0, 1], 'E': [1, 0], 'S': [0, -1], 'W': [-1, 0]}
    s = 0
    for i in range(n):
        robot = {'x': 0, 'y': 0, 'dir': 'N'}
        for c in 'FFRFFLFRRFLF':
            if c == 'F':
                d = steps[robot['dir']]
                robot['x'] += d[0]
                robot['y'] += d[1]
            else:
                robot['dir'] = turns[robot['dir']][c]
        s += robot['x'] * 10 + robot['y'] + len(robot['dir'])
    return s


def rank_of(hand):
    counts = {}
    flush = True
    for card in hand:
        counts[card[0]] = counts.get(card[0], 0) + 1
        if card[1] != hand[0][1]:
            flush = False
    sizes = sorted(counts.values(), reverse=True)
    if sizes[0] == 4:
        return 7
    if sizes[0] == 3 and sizes[1] == 2:
        return 6
    if flush:
        return 5
    if sizes[0] == 3:
        return 3
    if sizes[0] == 2:
        return 1
    return 0


def hands_ranked(n):
    hands = [[[5, 'h'], [5, 'd'], [9, 'c'], [9, 's'], [9, 'h']], [[2, 'h'], [4, 'h'], [6, 'h'], [8, 'h'], [11, 'h']],
             [[3, 'c'], [3, 'd'], [7, 's'], [10, 'h'], [12, 'c']]]
    s = 0
    for i in range(n):
        s += rank_of(hands[i % 3])
    return s


def boards_won(n):
    boards = ['xox.x.o.x', 'ooox.x..x', 'xoxoxooxo', '.........']
    lines = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]]
    s = 0
    for i in range(n):
        b = list(boards[i % 4])
        winner = 'none'
        for a in lines:
            first = b[a[0]]
            if first != '.' and first == b[a[1]] and first == b[a[2]]:
                winner = first
                break
        s += 1 if winner == 'x' else 2 if winner == 'o' else 0
    return s


def distances_all(n):
    roads = {'a': {'b': 4, 'c': 1}, 'b': {'d': 1}, 'c': {'b': 2, 'd': 5}, 'd': {'a': 7}}
    names = ['a', 'b', 'c', 'd']
    s = 0
    for i in range(n):
        dist = {}
        for x in names:
            row = {}
            for y in names:
                row[y] = 0 if x == y else roads[x].get(y, 999)
            dist[x] = row
        for k in names:
            for x in names:
                for y in names:
                    through = dist[x][k] + dist[k][y]
                    if through < dist[x][y]:
                        dist[x][y] = through
        s += dist['a']['d'] + dist['b']['a'] + dist['c']['b']
    return s


class Session:
    def __init__(self, user, last):
        self.user, self.last, self.hits = user, last, 1

    def seen(self, now):
        self.last = now
        self.hits += 1


class Sessions:
    def __init__(self):
        self.open_now = {}

    def open(self, user, now):
        self.open_now[user] = Session(user, now)

    def touch(self, user, now):
        found = self.open_now.get(user)
        if found is not None:
            found.seen(now)

    def expire(self, before):
        gone = 0
        for user in list(self.open_now):
            one = self.open_now[user]
            if one.last < before:
                gone += one.hits
                del self.open_now[user]
        return gone

    def count(self):
        return len(self.open_now)


def sessions_expired(n):
    store = Sessions()
    s = 0
    for i in range(n):
        store.open('u' + str(i % 7), i)
        store.touch('u' + str(i % 3), i)
        s += store.expire(i - 5)
    return s + store.count()


class Desk:
    def __init__(self, level, next=None):
        self.level, self.next = level, next

    def handle(self, hard):
        if hard <= self.level:
            return 'desk ' + str(self.level) + ' solves ' + str(hard)
        if self.next is None:
            return None
        return self.next.handle(hard)


def tickets_escalated(n):
    chain = Desk(1, Desk(3, Desk(6)))
    s = 0
    for i in range(n):
        r = chain.handle(i % 8)
        if r is None:
            s += 100
        else:
            s += len(r)
    return s


def route_of(routes, method, path):
    parts = path.split('/')
    for r in routes:
        wanted = r[1].split('/')
        if r[0] == method and len(wanted) == len(parts):
            params = {}
            ok = True
            k = 0
            while ok and k < len(parts):
                if wanted[k].startswith(':'):
                    params[wanted[k][1:]] = parts[k]
                elif wanted[k] != parts[k]:
                    ok = False
                k += 1
            if ok:
                return {'name': r[2], 'params': params}
    return None


def requests_routed(n):
    routes = [['GET', '/users', 'list'], ['GET', '/users/:id', 'show'], ['POST', '/users/:id/tags/:tag', 'tag']]
    requests = [['GET', '/users/42'], ['POST', '/users/7/tags/blue'], ['GET', '/none'], ['GET', '/users']]
    s = 0
    for i in range(n):
        found = route_of(routes, requests[i % 4][0], requests[i % 4][1])
        if found is not None:
            s += len(found['name']) * 10
            for k in found['params']:
                s += len(found['params'][k])
    return s


def page_filled(page, values):
    out = ''
    at = 0
    while True:
        start = page.find('{{', at)
        if start < 0:
            return out + page[at:]
        out += page[at:start]
        to = page.find('}}', start)
        tag = page[start + 2:to]
        at = to + 2
        if tag.startswith('#'):
            if not values.get(tag[1:], False):
                end = '{{/' + tag[1:] + '}}'
                at = page.find(end, at) + len(end)
        elif not tag.startswith('/'):
            out += values.get(tag, '')


def pages_filled(n):
    page = 'Dear {{name}}, {{#vip}}thank you, {{/vip}}your {{what}} is {{state}}.'
    s = 0
    for i in range(n):
        s += len(page_filled(page, {'name': 'Ann', 'what': 'order', 'state': 'sent', 'vip': i % 2 == 0}))
    return s


class Units:
    factors = {'m': 1.0, 'km': 1000.0, 'cm': 0.01, 'inch': 0.0254}

    @staticmethod
    def convert(value, source, to):
        return value * Units.factors[source] / Units.factors[to]


def units_changed(n):
    s = 0.0
    for i in range(n):
        s += Units.convert(1.5 * (i % 10), 'km', 'm') + Units.convert(i % 5, 'inch', 'cm')
    return s


def taxes_tiered(n):
    tiers = [[10000, 0.1], [30000, 0.2], [80000, 0.35]]
    s = 0.0
    for i in range(n):
        income = 5000 + (i % 10) * 9000
        tax = 0.0
        below = 0
        for t in tiers:
            if income > below:
                part = min(income, t[0]) - below
                tax += part * t[1]
            below = t[0]
        s += tax
    return s


def patches_applied(n):
    ops = [['set', ['app', 'port'], 81], ['set', ['app', 'host'], 'web1'], ['append', ['tags'], 'blue'], ['remove', ['old'], 0],
           ['set', ['limits'], {'cpu': 2}], ['append', ['tags'], 'new']]
    s = 0
    for i in range(n):
        conf = {'app': {'port': 80}, 'tags': ['red'], 'old': 1}
        for op in ops:
            path = op[1]
            last = path[-1]
            if op[0] == 'set':
                if len(path) == 2:
                    conf[path[0]][last] = op[2]
                else:
                    conf[last] = op[2]
            elif op[0] == 'append':
                conf[last].append(op[2])
            elif op[0] == 'remove':
                del conf[last]
        s += conf['app']['port'] + len(conf['tags']) * 100 + len(conf) + conf['limits']['cpu']
    return s


class JobFailed(Exception):
    pass


class Job:
    def __init__(self, name, fails):
        self.name, self.fails, self.tries = name, fails, 0

    def run(self):
        self.tries += 1
        if self.tries <= self.fails:
            raise JobFailed(self.name)
        return self.name


def jobs_retried(n):
    s = 0
    for i in range(n):
        queue = [Job('a', 0), Job('bb', 2), Job('ccc', 5)]
        done = []
        dead = []
        while queue:
            job = queue.pop(0)
            try:
                done.append(job.run())
            except JobFailed:
                if job.tries < 3:
                    queue.append(job)
                else:
                    dead.append(job.name)
        s += len(done) * 10 + len(','.join(dead))
    return s


def rows_joined(n):
    users = [{'id': 1, 'name': 'Ann', 'team': 2}, {'id': 2, 'name': 'Bob', 'team': 1}, {'id': 3, 'name': 'Cy', 'team': 2},
             {'id': 4, 'name': 'Di', 'team': 9}]
    teams = [{'id': 1, 'name': 'red'}, {'id': 2, 'name': 'blue'}]
    s = 0
    for i in range(n):
        by_id = {}
        for t in teams:
            by_id[t['id']] = t
        rows = []
        for u in users:
            team = by_id.get(u['team'])
            if team is not None:
                rows.append({'user': u['name'], 'team': team['name'], 'key': u['id'] * 100 + team['id']})
        for r in rows:
            s += r['key'] + len(r['team'])
    return s


def bigrams_counted(n):
    s = 0
    for i in range(n):
        follow = {}
        last = ''
        for c in 'the theme of the hen':
            if last != '':
                if last not in follow:
                    follow[last] = {}
                follow[last][c] = follow[last].get(c, 0) + 1
            last = c
        s += follow['t']['h'] * 10 + len(follow) + len(follow['e'])
    return s


def vigenere(n):
    letters = 'abcdefghijklmnopqrstuvwxyz'
    s = 0
    for i in range(n):
        out = ''
        k = 0
        for c in 'attack at dawn':
            at = letters.find(c)
            if at < 0:
                out += c
            else:
                shift = letters.find('lemon'[k % 5])
                out += letters[(at + shift + i) % 26]
                k += 1
        s += letters.find(out[4]) + len(out)
    return s


class Twig:
    def __init__(self, left=None, right=None):
        self.left, self.right = left, right

    def count(self):
        if self.left is None:
            return 1
        return 1 + self.left.count() + self.right.count()


def tree_of(depth):
    if depth == 0:
        return Twig()
    return Twig(tree_of(depth - 1), tree_of(depth - 1))


def trees_counted(n):
    s = 0
    for i in range(n):
        s += tree_of(4).count()
    return s


class Body:
    def __init__(self, x, y, vx, vy, mass):
        self.x, self.y, self.vx, self.vy, self.mass = x, y, vx, vy, mass

    def pull(self, o, dt):
        dx = o.x - self.x
        dy = o.y - self.y
        d = dx * dx + dy * dy + 0.5
        f = o.mass * dt / d
        self.vx += dx * f
        self.vy += dy * f

    def move(self, dt):
        self.x += self.vx * dt
        self.y += self.vy * dt


def planets_moved(n):
    sun = Body(0.0, 0.0, 0.0, 0.0, 100.0)
    planet = Body(10.0, 0.0, 0.0, 3.0, 1.0)
    moon = Body(11.0, 0.0, 0.0, 4.0, 0.1)
    bodies = [sun, planet, moon]
    for i in range(n):
        for b in bodies:
            for o in bodies:
                if b is not o:
                    b.pull(o, 0.001)
        for b in bodies:
            b.move(0.001)
    return planet.x + planet.y * 2 + moon.x


def heap_permuted(n):
    s = 0
    for i in range(n):
        a = [1, 2, 3, 4]
        c = [0, 0, 0, 0]
        count = 1
        k = 0
        while k < 4:
            if c[k] < k:
                start = 0
                if k % 2 == 1:
                    start = c[k]
                a[start], a[k] = a[k], a[start]
                count += a[0] * a[1]
                c[k] += 1
                k = 0
            else:
                c[k] = 0
                k += 1
        s += count + a[2]
    return s


class Sheet:
    def __init__(self):
        self.cells = {}

    def put(self, at, what):
        self.cells[at] = what

    def value(self, of):
        if isinstance(of, int):
            return of
        if isinstance(of, str):
            return self.value(self.cells[of])
        a = self.value(of[1])
        b = self.value(of[2])
        if of[0] == '+':
            return a + b
        if of[0] == '-':
            return a - b
        if of[0] == '*':
            return a * b


def sheets_computed(n):
    s = 0
    for i in range(n):
        sheet = Sheet()
        sheet.put('A1', 4 + i % 3)
        sheet.put('A2', ['+', 'A1', 6])
        sheet.put('B1', ['*', 'A2', 'A1'])
        sheet.put('B2', ['+', 'B1', ['-', 'A2', 1]])
        s += sheet.value('B2') + sheet.value('B1')
    return s


def columns_justified(n):
    rows = [['apples', 12, 3.5], ['figs', 7, 10.25], ['pineapples', 104, 0.99]]
    s = 0
    for i in range(n):
        lines = []
        for r in rows:
            name = r[0]
            while len(name) < 12:
                name += ' '
            count = str(r[1] + i % 4)
            lines.append(name + ' ' * (5 - len(count)) + count + ' @' + str(r[2]))
        s += len('\n'.join(lines))
    return s


def bowling_scored(n):
    games = [[10, 7, 3, 9, 0, 10, 0, 8, 8, 2, 0, 6, 10, 10, 10, 8, 1], [3, 4, 5, 5, 10, 2, 2, 8, 1, 0, 0, 9, 1, 7, 2, 10, 4, 5]]
    s = 0
    for i in range(n):
        g = games[i % 2]
        score = at = 0
        for frame in range(10):
            if at + 1 < len(g):
                if g[at] == 10:
                    score += 10 + g[at + 1]
                    if at + 2 < len(g):
                        score += g[at + 2]
                    at += 1
                else:
                    two = g[at] + g[at + 1]
                    score += two
                    if two == 10 and at + 2 < len(g):
                        score += g[at + 2]
                    at += 2
        s += score
    return s


class Required:
    def problem(self, value):
        return 'missing' if value is None else None


class MaxLength:
    def __init__(self, most):
        self.most = most

    def problem(self, value):
        if value is not None and len(value) > self.most:
            return 'longer than ' + str(self.most)
        return None


class Between:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def problem(self, value):
        if value is not None and (value < self.low or value > self.high):
            return 'not between {0} and {1}'.format(self.low, self.high)
        return None


class HasMark:
    def __init__(self, mark):
        self.mark = mark

    def problem(self, value):
        if value is not None and self.mark not in value:
            return 'no ' + self.mark
        return None


def forms_validated(n):
    fields = {'name': [Required(), MaxLength(8)], 'age': [Required(), Between(18, 99)], 'mail': [Required(), HasMark('@')]}
    forms = [{'name': 'Ann', 'age': 33, 'mail': 'a@b'}, {'name': 'Bartholomew', 'age': 7, 'mail': 'ab'}, {'age': 50}]
    s = 0
    for i in range(n):
        form = forms[i % 3]
        errors = {}
        for field in fields:
            found = []
            for v in fields[field]:
                e = v.problem(form.get(field))
                if e is not None:
                    found.append(e)
            if found:
                errors[field] = found
        for field in errors:
            s += len(field) + len('; '.join(errors[field]))
    return s


def playlists_shuffled(n):
    s = 0
    for i in range(n):
        seed = i + 1
        songs = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
        k = 7
        while k > 0:
            seed = (seed * 1103 + 12345) % 65536
            j = seed % (k + 1)
            songs[k], songs[j] = songs[j], songs[k]
            k -= 1
        s += songs.index('a') * 10 + songs.index('h')
    return s
