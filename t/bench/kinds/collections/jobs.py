"""Lists, dicts and sets: updated, merged, grouped, sorted; few items and many. What each method of package/ does."""
import functools
import itertools


class Inventory:
    def __init__(self): self.stock = {}; self.prices = {}; self.orders = []; self.seen = set()
    def put(self, item, amount):
        v = self.stock.get(item, 0) + amount
        if not isinstance(v, int) or v < 0: raise ValueError(v)
        self.stock[item] = v
    def price(self, item, net): self.prices[item] = {'net': net, 'tax': net // 5}
    def order(self, item, amount): self.orders.append({'item': item, 'amount': amount})
    def remember(self, x): self.seen.add(x)


def checked_stock(n):
    inv = Inventory()
    for i in range(n): inv.put('item' + str(i % 30), i % 5)
    return sum(inv.stock.values()) + len(inv.stock)


def price_list(n):
    inv = Inventory()
    for i in range(n): inv.price('item' + str(i % 100), i)
    return sum([p['net'] + p['tax'] for p in inv.prices.values()])


def order_rows(n):
    inv = Inventory()
    for i in range(n): inv.order('item' + str(i % 9), i % 4)
    return sum([o['amount'] for o in inv.orders if o['amount'] > 1]) + len(inv.orders)


def set_in_property(n):
    inv = Inventory()
    for i in range(n): inv.remember(i * 7 % 500)
    return len(inv.seen)


def sets_of_few(n):
    s = 0
    a = {1, 2, 3, 4}
    for i in range(n):
        b = {i % 5, i % 7, 3}
        s += len(a & b) + len(a | b) + len(a - b)
    return s


def set_of_names(n):
    known = set()
    twice = 0
    for i in range(n):
        name = 'host' + str(i * 13 % 400)
        if name in known: twice += 1
        else: known.add(name)
    return twice + len(known)


def subset_checks(n):
    s = 0
    roles = [{'web'}, {'web', 'db'}, {'web', 'db', 'cache'}]
    for i in range(n):
        if roles[i % 3] <= roles[(i + 1) % 3]: s += 1
        if roles[i % 3] == {'db', 'web'}: s += 2
    return s


def queue(n):
    q = list(range(10))
    s = 0
    for i in range(n):
        x = q.pop(0)
        q.append(x + i % 3)
        s += x
    return s + len(q)


def prepended(n):
    s = 0
    l = []
    for i in range(n):
        l = [i] + l
        if len(l) > 12: l = l[:6]
        s += l[0]
    return s + len(l)


def insert_and_delete(n):
    l = list(range(20))
    for i in range(n):
        l.insert(i % 20, i)
        del l[i * 3 % 20]
    return sum(l) + len(l)


def list_rotated(n):
    l = list(range(16))
    for i in range(n): l = l[3:] + l[:3]
    return l[0] * 100 + l[5]


def reversed_copies(n):
    s = 0
    l = list(range(10))
    for i in range(n):
        r = l[::-1]
        s += r[i % 10]
    return s


def dict_of_counts(n):
    counts = {}
    for w in (['the', 'a', 'web', 'db'][i % 4] for i in range(n)): counts[w] = counts.get(w, 0) + 1
    return counts['web'] * 10 + len(counts)


def to_dict_of_few(n):
    s = 0
    rows = [{'k': 'a', 'v': 1}, {'k': 'b', 'v': 2}, {'k': 'c', 'v': 3}]
    for i in range(n):
        d = {r['k']: r['v'] + i for r in rows}
        s += d['b'] + len(d)
    return s


def group_of_few(n):
    s = 0
    rows = [{'k': 'a', 'v': 1}, {'k': 'b', 'v': 2}, {'k': 'a', 'v': 3}, {'k': 'c', 'v': 4}, {'k': 'b', 'v': 5}]
    for i in range(n):
        g = {}
        for r in rows: g.setdefault(r['k'], []).append(r['v'])
        s += max([sum(v) for v in g.values()]) + i
    return s


def group_with_sums(n):
    rows = [{'k': i % 17, 'v': i} for i in range(n)]
    g = {}
    for r in rows: g.setdefault(r['k'], []).append(r['v'])
    return sum([k * sum(v) for k, v in g.items()])


def distinct_of_few(n):
    s = 0
    for i in range(n): s += len(list(dict.fromkeys([i % 3, 1, 2, i % 4, 1])))
    return s


def dicts_merged(n):
    s = 0
    base = {'host': 'localhost', 'port': 80}
    for i in range(n):
        d = {**base, 'port': i}
        e = {**d, 'name': 'web', 'tls': True}
        s += e['port'] + len(e)
    return s


def dict_inverted(n):
    s = 0
    d = {'a': 1, 'b': 2, 'c': 3, 'd': 4, 'e': 5}
    for i in range(n):
        r = {v: k for k, v in d.items()}
        s += len(r.get(i % 6, '??'))
    return s


def dict_filtered(n):
    s = 0
    d = {'cpu': 4, 'ram': 16, 'disk': 100, 'net': 1}
    for i in range(n):
        big = {k: v * 2 for k, v in d.items() if v > i % 20}
        s += len(big) + sum(big.values())
    return s


def keys_looked_for(n):
    s = 0
    d = {'cpu': 4, 'ram': 16, 'disk': 100}
    names = ['cpu', 'gpu', 'ram']
    for i in range(n):
        if names[i % 3] in d: s += 1
        if i % 20 in d.values(): s += 2
        if 'disk' in d.keys(): s += 3
    return s


def switch_in_fold(n):
    s = 0
    for i in range(n):
        s += functools.reduce(lambda a, x: a + 10 if x > 10 else a + x if x > 3 else a, [1, 5, 12, i % 20], 0)
    return s


def running_sums(n):
    s = 0
    for i in range(n): s += list(itertools.accumulate([3, 1, 4, 1, 5, i]))[3]
    return s


def matrix_rows(n):
    m = [[i, i + 1, i + 2] for i in range(20)]
    s = 0
    for i in range(n):
        row = m[i % 20]
        m[i % 20] = [row[1], row[2], row[0] + 1]
        s += m[i * 7 % 20][1]
    return s


def compare_lists(n):
    s = 0
    want = [1, 2, 3]
    for i in range(n):
        l = [i % 2 + 0, 2, 3]
        if l == want: s += 1
        if ['web', i % 4] in [['web', 1], ['db', 2]]: s += 10
    return s


def zipped(n):
    s = 0
    names = ['a', 'b', 'c', 'd']
    for i in range(n): s += dict(zip(names, range(i, i + 4)))['c']
    return s


def records_sorted(n):
    s = 0
    rows = [{'n': 'c', 'v': 3}, {'n': 'a', 'v': 9}, {'n': 'b', 'v': 3}, {'n': 'd', 'v': 1}]
    for i in range(n):
        o = sorted(rows, key=lambda r: (r['v'], r['n']))
        s += o[1]['v'] + len(o[i % 4]['n'])
    return s


def deep_update(n):
    conf = {'hosts': {'web': {'ports': [80]}, 'db': {'ports': [5432]}}}
    for i in range(n):
        conf['hosts']['web']['ports'] = conf['hosts']['web']['ports'][:3] + [i]
        conf['hosts']['db']['last'] = i
    return len(conf['hosts']['web']['ports']) + conf['hosts']['db']['last']


def flattened(n):
    s = 0
    groups = [[1, 2], [3], [], [4, 5, 6]]
    for i in range(n): s += sum([x for g in groups for x in g]) + len([x for g in groups for x in g]) + i
    return s
