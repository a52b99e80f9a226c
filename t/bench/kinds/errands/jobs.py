"""The methods of package/ in Python."""


class Firewall:
    def __init__(self):
        self.rules = []

    def open(self, port, proto='tcp'):
        for r in self.rules:
            if r['FromPort'] == port:
                return None
        self.rules.append({'FromPort': port, 'ToPort': port, 'IpProtocol': proto, 'External': True})

    def last(self):
        return self.rules[-1]['ToPort']


class Flattener:
    def __init__(self):
        self.found = {}

    def walk(self, prefix, value):
        for k in value:
            name = k
            if prefix != '':
                name = prefix + '.' + k
            if isinstance(value[k], dict):
                self.walk(name, value[k])
            else:
                self.found[name] = value[k]


def tickets_by_status(n):
    tickets = [{'id': 1, 'status': 'open'}, {'id': 2, 'status': 'closed'}, {'id': 3, 'status': 'open'}, {'id': 4, 'status': 'held'},
               {'id': 5, 'status': 'open'}, {'id': 6, 'status': 'closed'}]
    s = 0
    for i in range(n):
        by = {}
        for t in tickets:
            by.setdefault(t['status'], []).append(t['id'])
        lines = []
        for pair in by.items():
            lines.append('{0}- {1}'.format(pair[0], len(pair[1])))
        s += len(', '.join(lines)) + len(by['open'])
    return s


def degrees_counted(n):
    edges = [[1, 2], [2, 3], [3, 1], [3, 4], [4, 5], [5, 3], [6, 1], [2, 6]]
    s = 0
    for i in range(n):
        degree = {}
        for e in edges:
            degree[e[0]] = degree.get(e[0], 0) + 1
            degree[e[1]] = degree.get(e[1], 0) + 1
        best = 0
        for d in degree.values():
            if d > best:
                best = d
        s += best * 10 + len(degree)
    return s


def hits_by_hour(n):
    times = [120, 4000, 3700, 9000, 7300, 150, 3601, 86000, 40000, 40100]
    s = 0
    for i in range(n):
        hours = {}
        for t in times:
            h = t // 3600
            hours.setdefault(h, []).append(t % 3600)
        for h in hours:
            s += len(hours[h]) * h + hours[h][-1] % 7
    return s


def ingress_opened(n):
    s = 0
    for i in range(n):
        g = Firewall()
        for p in [22, 80, 443, 80, 8080]:
            g.open(p, 'tcp')
        s += len(g.rules) + g.last()
    return s


def resources_merged(n):
    s = 0
    for i in range(n):
        t = {'resources': {}}
        for name in ['web', 'db', 'cache']:
            t['resources'][name] = {'type': 'OS::Nova::Server', 'properties': {'name': name, 'flavor': 'm1', 'index': i}}
        for name in t['resources']:
            r = t['resources'][name]
            s += len(r['properties']['name']) + len(r['type'])
    return s


def lines_numbered(n):
    lines = ['first line', 'second', 'third one', 'the last']
    s = 0
    for i in range(n):
        out = ''
        for p in enumerate(lines, 1):
            out += '{0}. {1}; '.format(p[0], p[1])
        s += len(out)
    return s


def transfers_made(n):
    moves = [[0, 1, 30], [1, 2, 70], [0, 2, 80], [2, 0, 5], [0, 1, 75]]
    s = 0
    for i in range(n):
        accounts = [{'id': 1, 'balance': 100}, {'id': 2, 'balance': 50}, {'id': 3, 'balance': 0}]
        for t in moves:
            if accounts[t[0]]['balance'] >= t[2]:
                accounts[t[0]]['balance'] -= t[2]
                accounts[t[1]]['balance'] += t[2]
            else:
                s += 1
        s += accounts[2]['balance']
    return s


def words_unscrambled(n):
    known = {'act': ['cat', 'act'], 'dgo': ['dog'], 'abc': []}
    s = 0
    for i in range(n):
        found = 0
        for w in ['tca', 'god', 'tac', 'xyz', 'dog']:
            key = ''.join(sorted(w))
            if key in known:
                found += len(known[key])
        s += found
    return s


def keys_flattened(n):
    doc = {'a': {'b': {'c': 5, 'd': 6}, 'e': 7}, 'f': 8, 'g': {'h': 9}}
    s = 0
    for i in range(n):
        f = Flattener()
        f.walk('', doc)
        s += len(f.found) + f.found.get('a.b.c', 0)
    return s


def averages_kept(n):
    readings = [['a', 1.5], ['b', 2.25], ['a', 3.5], ['a', 4.0], ['b', 0.5], ['c', 9.75]]
    s = 0
    for i in range(n):
        means = {}
        for r in readings:
            m = means.get(r[0], {'n': 0, 'mean': 0.0})
            n1 = m['n'] + 1
            means[r[0]] = {'n': n1, 'mean': m['mean'] + (r[1] - m['mean']) / n1}
        s += means['b']['n']
        if means['a']['mean'] > 2.0:
            s += 1
    return s
