"""Counterparts in Python of the pipelines in corners.jsonl: twins.py runs them."""
import re
from collections import Counter
from datetime import timedelta

from common import date, group

request = re.compile(r'^([A-Z]+) /api/(v[0-9]+)/([a-z]+)/([0-9]+) from ([0-9.]+)\s+took ([0-9]+)ms')
address = re.compile('^ *([^ ]+) <([^@]+)@([^>]+)>')
link = re.compile('^(https?)://([^/?]+)([^?]*)(?:[?](.*))?$')
needs = re.compile('^([^ ]+) .>= ([0-9]+)[.]([0-9]+)')
net = re.compile('^([0-9]+)[.]([0-9]+)[.]')
host = re.compile('[0-9]+[.][0-9]+[.]([0-9]+)[.][0-9]+')
took = re.compile('([0-9]+)ms')
digits = re.compile('[0-9]+')
mail_address = re.compile('<([^>]+)>')
gaps = re.compile('[ /]+')


def errors(d):
    n = ms = bad = 0
    for e in d['entries']:
        n += 1
        ms += e['ms']
        bad += e['level'] == 'error'
    return {'n': n, 'ms': ms, 'bad': bad}


def totals(d):
    n = ms = most = 0
    for e in d['entries']:
        n += 1
        ms += e['ms']
        most = max(most, e['ms'])
    return [n, ms, most]


def index(d):
    ids = {}
    for r in d['rows']:
        if isinstance(r.get('tags'), list):
            for t in r['tags']:
                ids.setdefault(t, []).append(r['id'])
    return sorted([k, len(v)] for k, v in ids.items())


def intervals(d):
    out = []
    for a, b in sorted(d['intervals']):
        if out and out[-1][1] >= a:
            out[-1][1] = max(out[-1][1], b)
        else:
            out.append([a, b])
    return len(out)


def luhn(phone):
    digits = (int(c) for c in phone if '0' <= c <= '9')
    return sum(v if i % 2 == 0 else v * 2 - 9 if v * 2 > 9 else v * 2 for i, v in enumerate(digits)) % 10


def bars(d):
    n = Counter(e['ms'] // 500 for e in d['entries'])
    return ['%d: %s' % (i, '#' * (n[i] // 20)) for i in range(6)]


def parse(d):
    found = (m for m in (request.search(e['msg']) for e in d['entries']) if m and int(m[6]) > 400)
    rows = group(found, lambda m: (m[1], m[3]), lambda m: int(m[6]))
    return [[list(k), len(v), max(v)] for k, v in sorted(rows.items())]


def url(u):
    m = link.search(u)
    return {'host': m[2].replace('www.', ''), 'path': m[3], 'q': dict(x.split('=') for x in (m[4] or '').split('&') if '=' in x)}


def addresses(to):
    return ' '.join(dict.fromkeys(m[1] + ':' + m[3].lower() for m in map(address.search, to.split(','))))


def versions(d):
    has = {p['name']: list(map(int, p['version'].split('.'))) for p in d['packages']}
    found = ((p['name'], needs.search(x)) for p in d['packages'] for x in p['depends'] if '(' in x)
    return [n + ' ' + m[1] for n, m in found if has[m[1]][0] * 1000 + has[m[1]][1] < int(m[2]) * 1000 + int(m[3])]


def subnets(d):
    nets = group(((net.search(m['ip']).expand(r'\1.\2'), m['host']) for m in d['machines']), lambda r: r[0], lambda r: r[1])
    return [{'net': k, 'hosts': ' '.join(sorted(v))} for k, v in sorted(nets.items()) if len(v) > 1]


def racks(d):
    of = group(d['machines'], lambda m: m['rack'])
    rows = ({'rack': r['name'], 'row': r['row'], 'ram': sum(m['ram'] for m in of.get(r['name'], ())),
             'hot': sorted(m['host'] for m in of.get(r['name'], ()) if m['load'] > 8)[:3]} for r in d['racks'])
    return [r for r in rows if r['ram'] > 0]


def peaks(g):
    return [[y, x] for y in range(1, 7) for x in range(1, 7)
            if g[y][x] > g[y - 1][x] and g[y][x] > g[y + 1][x] and g[y][x] > g[y][x - 1] and g[y][x] > g[y][x + 1]]


def missing(r, have, cost):
    rows = ((i, have.get(i['name'], 0)) for i in r['ingredients'] if i['unit'] == 'g')
    return sum(cost.get(i['name'], 0.5) * (i['amount'] - n) for i, n in rows if i['amount'] > n)


def shopping(d):
    rows = ({'t': r['title'], 'buy': missing(r, d['pantry'], d['prices'])} for r in d['recipes'])
    return sorted((r for r in rows if r['buy'] > 0), key=lambda r: (r['buy'], r['t']))[:15]


def pantry(d):
    have = set(d['pantry'])
    return [r['title'] for r in d['recipes'] if {i['name'] for i in r['ingredients']} <= have]


def denied(d):
    deny = {(r['subject'], r['action']) for r in d['rules'] if r['effect'] == 'deny'}
    rows = ({'id': u['id'], 'no': [a for a in ('read', 'write', 'own', 'list') if ('user:' + u['id'], a) in deny
                                   or any(('group:' + g, 'write') in deny for g in u['groups'])]} for u in d['users'] if u['active'])
    return [r for r in rows if r['no']]


def merge(d):
    sums = {}
    for s in d['stock'].values():
        for k, n in s.items():
            sums[k] = sums.get(k, 0) + n
    return sums


def flat(at, v):
    for k, x in v.items():
        if isinstance(x, dict):
            yield from flat(at + k + '.', x)
        else:
            yield at + k, x


def env(d):
    return [x for n in d['nodes'] for x in sorted('{0}_{1}={2}'.format(n['name'].upper(), k, v) for k, v in n['env'].items())]


def nested(d):
    return {**d, 'out': {**d['out'], 'code': 0, 'warn': []}}


def label_pairs(d):
    n = Counter()
    for e in d['entries']:
        tags = sorted(set(e['tags']))
        n.update((a, b) for i, a in enumerate(tags) for b in tags[i + 1:])
    return [[list(k), v] for k, v in sorted(n.items())]


def fields_of(msg):
    s = msg.strip().split(' ')
    return {'verb': s[0], 'path': (s[1].split('/')[3:] or [''])[0], 'took': s[-1].replace('ms', '')}


def in_turn(items):
    """An iterator zipped with what is left of it behind its next item."""
    items = iter(items)
    for k, a in enumerate(items):
        if k == 0:
            next(items, None)
        for b in items:
            yield a, b
            break


def levels(d):
    out = {}
    for e in d['entries']:
        seen = out.setdefault(e['service'], {}).setdefault(e['level'], [])
        if e['status'] not in seen:
            seen.append(e['status'])
    return out


def env_all(d):
    out = {}
    for n in d['nodes']:
        out.update(n['env'])
    return out


def balance(d):
    out = {}
    for m in d['moves']:
        of = out.setdefault(m['sku'], {})
        of[m['wh']] = of.get(m['wh'], 0) + m['delta']
    return out


def scaled(d):
    most, least = max(d['b']), min(d['b'])
    return [(x - least) / (most - least) for x in d['b']]


def prose(d):
    stop = set(d['stop'])
    n = Counter(w for p in d['prose'] for w in p.lower().replace(',', '').replace('.', '').split(' ') if w and w not in stop)
    return sorted(([k, v] for k, v in n.items()), key=lambda x: (-x[1], x[0]))


def points(d):
    goals = {}
    for m in d['matches']:
        a, b = map(int, m['score'].split(':'))
        goals.setdefault(m['home'], []).append(a - b)
        goals.setdefault(m['away'], []).append(b - a)
    rows = [{'t': t, 'p': sum(3 if x > 0 else 1 if x == 0 else 0 for x in v), 'd': sum(v)} for t, v in goals.items()]
    return sorted(rows, key=lambda x: (-x['p'], -x['d'], x['t']))


def times(d):
    out = {}
    for e in d['entries']:
        out.setdefault(e['service'], {})[e['ms']] = None
    return {k: list(v) for k, v in out.items()}


twins = {
    'cor-sums': errors,
    'cor-record': errors,
    'cor-list': totals,
    'cor-index': index,
    'cor-intervals': intervals,
    'cor-labels': lambda d: [','.join(sorted(t['labels'])) for t in d['tickets']],
    'cor-luhn': lambda d: [luhn(p['phone']) for p in d['people']],
    'cor-bars': bars,
    'cor-parse': parse,
    'cor-mask': lambda d: [host.sub(r'x.x.\1.x', e['msg']).strip() for e in d['entries']],
    'cor-mask-by': lambda d: [took.sub(lambda m: str(int(m[1]) // 100) + '00ms', e['msg']) for e in d['entries']],
    'cor-words': lambda d: ['|'.join(gaps.split(e['msg'])[1:4]) for e in d['entries']],
    'cor-urls': lambda d: [url(u) for u in d['urls']],
    'cor-addresses': lambda d: [addresses(m['to']) for m in d['mails']],
    'cor-versions': versions,
    'cor-subnets': subnets,
    'cor-racks': racks,
    'cor-peaks': lambda d: [peaks(g) for g in d['grids']],
    'cor-window': lambda d: [max((r[i] + r[i + 1] + r[i + 2]) // 3 for i in range(10)) for r in d['matrix']],
    'cor-columns': lambda d: [sum(r[c] for r in d['matrix']) for c in range(12)],
    'cor-shopping': shopping,
    'cor-pantry': pantry,
    'cor-denied': denied,
    'cor-merge': merge,
    'cor-flat': lambda d: [dict(flat('', i)) for i in d['items'] if isinstance(i, dict)],
    'cor-env': env,
    'cor-nested': nested,
    'cor-letters': lambda d: sorted({w for x in d['out']['lines'] for w in x.upper().split(' ')}),
    'cor-date': lambda d: (date(d['since']) + timedelta(hours=36)).strftime('%d.%m. %H:%M'),
    'cor-dict': lambda d: {h['n']: h['z'] for h in d['hosts']},
    'cor-signs': lambda d: sum(
        ((e['status'] or 0) >= 500) + (e['ms'] > 1000) + (e['ctx'] is not None) > 1 for e in d['entries']),
    'cor-digits': lambda d: [digits.sub(lambda m: '<' + str(int(m[0]) % 7) + '>', e['msg']) for e in d['entries']][:500],
    'cor-spaced': lambda d: [took.sub(r'\1 ms', e['msg']) for e in d['entries']],
    'cor-third': lambda d: [gaps.split(e['msg'])[2] for e in d['entries']],
    'cor-pairs': label_pairs,
    'cor-fields': lambda d: [fields_of(e['msg']) for e in d['entries']],
    'cor-rises': lambda d: sum(b - a for a, b in in_turn(e['ms'] for e in d['entries']) if b > a),
    'cor-levels': levels,
    'cor-next': lambda d: {
        a: b for o in d['orders'] if len(o['rows']) > 1 for a, b in in_turn(dict.fromkeys(r['sku'] for r in o['rows']))},
    'cor-env-all': env_all,
    'cor-env-diff': lambda d: [[a['name'], len(a['env'].keys() ^ b['env'].keys())] for a, b in zip(d['nodes'], d['nodes'][1:])],
    'cor-watched': lambda d: [t['id'] for w in [set(d['watch'])] for t in d['tickets'] if w & set(t['labels'])],
    'cor-camel': lambda d: [''.join(w[:1].upper() + w[1:] for w in p['bio'].split(' ')) for p in d['people']],
    'cor-balance': balance,
    'cor-spread': lambda d: [[min(r, default=0), max(r, default=0), sum(r)] for r in d['rows']],
    'cor-scaled': scaled,
    'cor-prose': prose,
    'cor-twice': lambda d: [
        list(k) for k, n in Counter((r['name'] + '.' + z['name'], r['type']) for z in d['zones'] for r in z['records']).items() if n > 1],
    'cor-points': points,
    'cor-people': lambda d: len({mail_address.search(t)[1].lower() for m in d['mails'] for t in m['to'].split(', ')}),
    'cor-times': times,
}
