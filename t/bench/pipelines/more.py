"""Counterparts in Python of more pipelines: twins.py runs them."""
import re
from collections import Counter
from datetime import datetime, timedelta
from functools import reduce
from itertools import accumulate, dropwhile, groupby, islice, takewhile, zip_longest

from common import counts, date, group

api_path = re.compile('/api/v([0-9])/([a-z]+)/')
address = re.compile(r'[0-9]+(\.[0-9]+){3}')
digits = re.compile('[0-9]+')
took = re.compile('took ([0-9]+)ms')
mail = re.compile('^[a-z0-9.]+@[a-z.]+[.](com|net)$')
four = re.compile('^[+]4')
vowel = re.compile('[aeiouöüé]', re.IGNORECASE)


def slices(items, n):
    return [items[i:i + n] for i in range(0, len(items), n)]


def log_slow(d):
    services = {s['name']: s for s in d['services']}
    return [{'s': s['name'], 'o': s['owner'], 'ms': e['ms'] - s['slo']}
            for e in d['entries'] for s in (services.get(e['service']),) if s and e['ms'] > s['slo']]


def log_owners(d):
    services = {s['name']: s for s in d['services']}
    most = {}
    for e in d['entries']:
        s = services[e['service']]
        if s['tier'] == 1:
            most[s['owner']] = max(most.get(s['owner'], 0), e['ms'])
    return sorted([k, v] for k, v in most.items())


def log_first(d):
    found = {}
    for e in d['entries']:
        if e['level'] == 'error':
            found.setdefault(e['service'], e['at'])
    return [[s['name'], found.get(s['name'])] for s in d['services']]


def mesh_far(d):
    zone = {m['name']: m['zone'] for m in d['nodes']}
    far = ({'n': m['name'], 'far': sum(zone[x] != m['zone'] for x in m['deps'])} for m in d['nodes'])
    return [r for r in far if r['far'] > 1]


def mesh_weight(d):
    return sum(m['replicas'] * d['zones'][m['zone']]['weight'] for m in d['nodes'] if m['zone'] in d['zones'])


def mesh_allowed(d):
    allowed = set(d['allowed'])
    return sum(p['port'] in allowed for m in d['nodes'] for p in m['ports'])


def mesh_reach(d):
    graph = {m['name']: m['deps'] for m in d['nodes']}

    def reach(name):
        seen = set()
        while name is not None and name not in seen:
            seen.add(name)
            name = next(iter(graph.get(name, ())), None)
        return len(seen)
    return [reach(m['name']) for m in d['nodes'][5:45]]


def mesh_chain(d):
    above = {m['name']: m['deps'][0] if m['deps'] else None for m in d['nodes']}

    def up(name):
        return 0 if name is None else 1 + up(above.get(name))
    return [up(m['name']) for m in d['nodes']]


def tick_watch(d):
    watch = set(d['watch'])
    return [t['id'] for t in d['tickets'] if watch.intersection(t['labels'])]


def conf_ports(d):
    out = set()
    for i in d['items']:
        if isinstance(i, dict) and i['kind'] == 'net':
            p = i['ports']
            out.update(p if isinstance(p, list) else () if p is None else (p,))
    return len(out)


def conf_nets(d):
    dicts = [i for i in d['items'] if isinstance(i, dict)]
    nets = {i['name']: i['cidr'] for i in dicts if i['kind'] == 'net'}
    return [[i['name'], [nets[n] for n in i['nets'] if n in nets]] for i in dicts if i['kind'] == 'vm']


def depth(v):
    if isinstance(v, dict):
        return 1 + max((depth(x) for x in v.values()), default=0)
    return 1 + max((depth(x) for x in v), default=0) if isinstance(v, list) else 0


def stock_moves(d):
    out = {}
    for m in d['moves']:
        out[m['sku']] = out.get(m['sku'], 0) + m['delta']
    return out


def stock_nested(d):
    out = {}
    for m in d['moves']:
        out.setdefault(m['wh'], {})[m['sku']] = m['delta']
    return out


def ser_mean(d):
    mean = sum(d['b']) / len(d['b'])
    return sum((x - mean) * (x - mean) for x in d['b']) / len(d['b'])


def collatz(x):
    n = 0
    while x > 1:
        n += 1
        x = x // 2 if x % 2 == 0 else 3 * x + 1
    return n


def digit_sum(x):
    n = 0
    while x > 0:
        n += x % 10
        x //= 10
    return n


def power(x, n, m):
    if n == 0:
        return 1
    return power(x * x % m, n // 2, m) if n % 2 == 0 else x * power(x, n - 1, m) % m


def gcd(a, b):
    return a if b == 0 else gcd(b, a % b)


twins = {
    'log-errors': lambda d: [[e['at'], e['service'], e['ms']] for e in d['entries'] if e['level'] in ('warn', 'error') and e['ms'] >= 1000],
    'log-by-service': lambda d: sorted(({'name': k, 'n': len(v), 'worst': max(e['ms'] for e in v)} for k, v in group(d['entries'], lambda e: e['service']).items()), key=lambda r: r['name']),
    'log-codes': lambda d: counts(d['codes'].get(str(e['status']), 'unknown') for e in d['entries'] if e['status'] is not None),
    'log-user': lambda d: sorted({e['ctx']['user'] for e in d['entries'] if e['ctx']}),
    'log-retries': lambda d: sum((e['ctx'] or {}).get('retry', 0) for e in d['entries']),
    'log-path': lambda d: counts(m.group(2) + m.group(1) for m in (api_path.search(e['msg']) for e in d['entries'])),
    'log-address': lambda d: [address.search(e['msg']).group() for e in d['entries']],
    'log-mask': lambda d: [digits.sub('N', e['msg']).strip() for e in d['entries']],
    'log-words': lambda d: sorted(([k, n] for k, n in Counter(w for e in d['entries'] for w in e['msg'].split()).items()), key=lambda r: (-r[1], r[0]))[:12],
    'log-hours': lambda d: sorted([k, sum(v) // len(v)] for k, v in group(d['entries'], lambda e: date(e['at']).hour, lambda e: e['ms']).items()),
    'log-months': lambda d: sorted({date(e['at']).strftime('%Y/%m') for e in d['entries']}),
    'log-slow': log_slow,
    'log-latest': lambda d: [[e['at'], e['ms'], e['level']] for e in sorted(sorted(d['entries'], key=lambda e: e['ms']), key=lambda e: e['at'], reverse=True)[:20]],
    'log-tagged': lambda d: [{'at': e['at'], 'tags': '+'.join(sorted(e['tags']))} for e in d['entries'] if 'slow' in e['tags'] or 'retry' in e['tags']],
    'log-tag-sets': lambda d: len([e['ms'] for e in d['entries'] if len(set(e['tags']) & {'db', 'cache'}) == 2]),
    'log-pairs': lambda d: sum(t[0] != t[-1] for t in (e['tags'] for e in d['entries'] if len(e['tags']) > 1)),
    'log-levels': lambda d: counts(e['level'] for e in d['entries']),
    'log-burst': lambda d: [[s[0], len(s), max(s)] for s in (list(g) for _, g in groupby((e['ms'] for e in d['entries']), lambda x: x > 2500)) if len(s) > 3],
    'log-windows': lambda d: [sum(s) // len(s) for s in slices([e['ms'] for e in d['entries']], 7)],
    'log-line': lambda d: ['{0:>8} {1:05d} {2}'.format(e['level'], e['ms'], e['service']) for e in d['entries']],
    'log-names': lambda d: ['{s}[{l}] {m}'.format(s=e['service'], l=e['level'].upper(), m=e['ms']) for e in d['entries']],
    'log-class': lambda d: dict(Counter('none' if s is None else 'ok' if s < 300 else 'client' if s < 500 else 'server' for s in (e['status'] for e in d['entries']))),
    'log-owners': log_owners,
    'log-numbers': lambda d: [sum(map(int, digits.findall(e['msg']))) for e in d['entries']],
    'log-double': lambda d: [took.sub(lambda m: str(int(m.group(1)) * 2), e['msg']) for e in d['entries']],
    'log-first': log_first,
    'mesh-in': lambda d: sorted(([k, n] for k, n in Counter(x for m in d['nodes'] for x in m['deps']).items()), key=lambda r: (-r[1], r[0]))[:10],
    'mesh-edges': lambda d: [[m['name'], x] for m in d['nodes'] for x in dict.fromkeys(m['deps'])],
    'mesh-far': mesh_far,
    'mesh-region': lambda d: sorted([k, sum(v)] for k, v in group(d['nodes'], lambda m: d['zones'][m['zone']]['region'], lambda m: m['replicas']).items()),
    'mesh-weight': mesh_weight,
    'mesh-version': lambda d: ['-'.join(map(str, v)) for v in ([int(x) for x in m['version'].split('.')] for m in d['nodes']) if v[0] > 1 or v[1] >= 10],
    'mesh-sorted': lambda d: [m['name'] for m in sorted(d['nodes'], key=lambda m: (int(m['version'].split('.')[0]), -int(m['version'].split('.')[1]), m['name']))],
    'mesh-public': lambda d: [r for r in ({'n': m['name'], 'p': [p['port'] for p in m['ports'] if p.get('public', False)]} for m in d['nodes']) if r['p']],
    'mesh-allowed': mesh_allowed,
    'mesh-env': lambda d: [';'.join(k + '=' + v for k, v in sorted(m['env'].items())) for m in d['nodes']],
    'mesh-merge': lambda d: [{'MODE': 'prod', 'LOG': 'info', 'TZ': 'UTC', **m['env']} for m in d['nodes']],
    'mesh-env-keys': lambda d: dict(Counter(k for m in d['nodes'] for k in m['env'])),
    'mesh-missing': lambda d: [m['name'] for m in d['nodes'] if len({'MODE', 'HOST', 'PORT'} - set(m['env'])) == 3],
    'mesh-first-port': lambda d: sum(min(p['port'] for p in m['ports']) < 2000 for m in d['nodes']),
    'mesh-udp': lambda d: [m['name'] for m in d['nodes'] if all(p['proto'] == 'udp' for p in m['ports'])],
    'mesh-index': lambda d: counts(next((i for i, p in enumerate(m['ports']) if p['proto'] == 'udp'), -1) for m in d['nodes']),
    'mesh-where-short': lambda d: [[p for p in m['ports'] if p['proto'] == 'tcp'] for m in d['nodes']],
    'mesh-reach': mesh_reach,
    'mesh-chain': mesh_chain,
    'mesh-patch': lambda d: [{**m, 'replicas': max(m['replicas'], 3), 'env': {k: v for k, v in m['env'].items() if k != 'USER'}} for m in d['nodes']],
    'mesh-with': lambda d: list(accumulate(m['replicas'] * len(m['ports']) for m in d['nodes']))[-1],
    'tick-open': lambda d: [{'id': t['id'], 'who': t['assignee']['name'] if t['assignee'] else 'nobody'} for t in d['tickets'] if t['state'] == 'open' and t['prio'] is not None and t['prio'] < 3],
    'tick-prio': lambda d: [t['id'] for t in sorted(d['tickets'], key=lambda t: (t['prio'] is not None, t['prio'], -t['est']))],
    'tick-team': lambda d: sorted([k, round(sum(v), 1), max(v)] for k, v in group((t for t in d['tickets'] if t['assignee']), lambda t: d['teams'][t['assignee']['team']]['lead'], lambda t: t['est']).items()),
    'tick-title': lambda d: ['_'.join(w for w in t['title'].upper().split(' ') if len(w) > 4) for t in d['tickets']],
    'tick-search': lambda d: [[t['id'], t['title'].lower().find('größe')] for t in d['tickets'] if 'größe' in t['title'].lower()],
    'tick-short': lambda d: [t['title'][:12] + '…' if len(t['title']) > 15 else t['title'] for t in d['tickets']],
    'tick-reverse': lambda d: [t['title'][::-1] for t in d['tickets']],
    'tick-votes': lambda d: sorted(([t['id'], sum(c['votes'] for c in t['comments'])] for t in d['tickets']), key=lambda r: (-r[1], r[0]))[:15],
    'tick-best': lambda d: counts(max(t['comments'], key=lambda c: c['votes'])['by'] for t in d['tickets'] if t['comments']),
    'tick-labels': lambda d: len({tuple(sorted(set(t['labels']))) for t in d['tickets']}),
    'tick-watch': tick_watch,
    'tick-watch-any': tick_watch,
    'tick-due': lambda d: sorted(t['due'] for t in d['tickets'] if t['due'] is not None and datetime.strptime(t['due'], '%Y-%m-%d') < datetime(2021, 6, 1))[:5],
    'tick-days': lambda d: counts(date(c['at']).weekday() for t in d['tickets'] for c in t['comments']),
    'tick-later': lambda d: [(date(c['at']) + timedelta(days=30)).strftime('%d.%m.%Y') for t in d['tickets'] for c in t['comments']],
    'tick-people': lambda d: sorted({c['by'] for t in d['tickets'] for c in t['comments']} | {m for t in d['teams'].values() for m in t['members']}),
    'tick-empty': lambda d: sum(next((c['votes'] for c in t['comments'] if c['votes'] > 10), 0) for t in d['tickets']),
    'tick-flat': lambda d: [{'t': t['id'], 'n': n, 'by': c['by']} for t in d['tickets'] for n, c in enumerate(t['comments'], 1)],
    'tick-case': lambda d: ['unknown' if p is None else 'urgent' if p < 2 else 'normal' if p < 4 else 'low' for p in (t['prio'] for t in d['tickets'])],
    'tick-replace': lambda d: [t['title'].replace('ошибка', 'bug').replace('Größe', 'size') for t in d['tickets']],
    'tick-state': lambda d: sorted(([s, p, n] for (s, p), n in Counter((t['state'], t['prio']) for t in d['tickets']).items()), key=lambda r: (r[0], r[1] is not None, r[1])),
    'conf-sizes': lambda d: sum(i['size'] for i in d['items'] if isinstance(i, dict) and i['kind'] == 'volume'),
    'conf-names': lambda d: [i.split(':')[0] if isinstance(i, str) else i['name'] for i in d['items']],
    'conf-ports': conf_ports,
    'conf-default': lambda d: [[i['name'], i.get('size', d['defaults']['size']), i.get('cpu', d['defaults']['cpu'])] for i in d['items'] if isinstance(i, dict)],
    'conf-legacy': lambda d: [dict(p.split('=') for p in i.split(':')[1].split(';')) for i in d['items'] if isinstance(i, str)],
    'conf-mem': lambda d: sum(int(i['mem'].rstrip('Gi')) * 1024 for i in d['items'] if isinstance(i, dict) and i.get('kind') == 'vm'),
    'conf-owner': lambda d: counts(i.get('meta', {}).get('owner') or 'none' for i in d['items'] if isinstance(i, dict)),
    'conf-nets': conf_nets,
    'conf-kinds': lambda d: counts('text' if isinstance(i, str) else i['kind'] for i in d['items']),
    'conf-keys': lambda d: sorted({k for i in d['items'] if isinstance(i, dict) for k in i}),
    'conf-mask': lambda d: sum(20 <= int(i['cidr'].split('/')[1]) <= 24 for i in d['items'] if isinstance(i, dict) and i['kind'] == 'net'),
    'conf-clean': lambda d: [{k: v for k, v in i.items() if k not in ('kind', 'meta', 'opts')} for i in d['items'] if isinstance(i, dict)],
    'conf-values': lambda d: [{k: v for k, v in i.items() if not isinstance(v, (dict, list))} for i in d['items'] if isinstance(i, dict)],
    'conf-walk': lambda d: [depth(i) for i in d['items']],
    'ppl-initials': lambda d: ['.'.join(w[:1] for w in p['name'].split(' ')) for p in d['people']],
    'ppl-domain': lambda d: counts(p['email'].split('@')[1].lower() for p in d['people']),
    'ppl-valid': lambda d: sum(bool(mail.search(p['email'])) and not four.search(p['phone']) for p in d['people']),
    'ppl-phone': lambda d: [p['phone'].replace(' ', '').replace('(', '').replace(')', '').replace('-', '') for p in d['people']],
    'ppl-chars': lambda d: [''.join(c for c in p['phone'] if c in '0123456789') for p in d['people']],
    'ppl-slug': lambda d: [p['name'].lower().replace(' ', '-').replace('ü', 'ue').replace('é', 'e').replace('ł', 'l') for p in d['people']],
    'ppl-bio': lambda d: [len({w for w in (x.strip('.,') for x in p['bio'].split(' ')) if len(w) > 3}) for p in d['people']],
    'ppl-caps': lambda d: [' '.join(w[:1].upper() + w[1:] for w in p['bio'].split(' ')) for p in d['people']],
    'ppl-year': lambda d: sorted([k, len(v), sum(v) // len(v)] for k, v in group(d['people'], lambda p: int(p['born'][:4]) // 10 * 10, lambda p: p['salary']).items()),
    'ppl-old': lambda d: [[p['born'], p['name']] for p in sorted((p for p in d['people'] if date(p['born']).year < 1980), key=lambda p: (p['born'], p['id']))[:10]],
    'ppl-langs': lambda d: ['/'.join(x for x in p['langs'] if x != 'en') for p in d['people'] if len(p['langs']) >= 2 and 'en' in p['langs']],
    'ppl-common': lambda d: sum(len(s | {'en'}) for s in (set(p['langs']) for p in d['people']) if s),
    'ppl-csv': lambda d: [sum(x for x in map(int, p['csv'].split(',')) if x % 2 == 0) for p in d['people']],
    'ppl-by-id': lambda d: [str(n) + ':' + p['name'] for n, p in enumerate(sorted(d['people'], key=lambda p: p['id']))],
    'ppl-pay': lambda d: ['{0}: {1:.2f} EUR'.format(p['id'], p['salary'] / 12.0) for p in d['people']],
    'ppl-dict': lambda d: {p['email'].split('@')[0]: {'n': p['name'], 's': p['salary']} for p in d['people']},
    'ppl-names': lambda d: sorted({'%s, %s' % tuple(reversed(p['name'].split(' '))) for p in d['people']}),
    'ppl-vowels': lambda d: [len(vowel.split(p['bio'])) for p in d['people']],
    'geo-cities': lambda d: [c['name'] for r in d['regions'] for k in r['countries'] for c in k['cities'] if c['pop'] > 5000000],
    'geo-pop': lambda d: sorted(({'r': r['name'], 'pop': sum(c['pop'] for k in r['countries'] for c in k['cities'])} for r in d['regions']), key=lambda r: r['pop'], reverse=True)[:5],
    'geo-hot': lambda d: [k['code'] for r in d['regions'] for k in r['countries'] if any(max(c['temps']) > 32 for c in k['cities'])],
    'geo-path': lambda d: [r['name'] + '/' + k['code'] + '/' + c['name'] for r in d['regions'] for k in r['countries'] for c in k['cities']],
    'geo-mean': lambda d: sum(float(sum(c['temps'])) / len(c['temps']) > 15 for r in d['regions'] for k in r['countries'] for c in k['cities']),
    'geo-tax': lambda d: sorted([k, sum(v)] for k, v in group((k for r in d['regions'] for k in r['countries']), lambda k: k['tax'] // 10, lambda k: len(k['cities'])).items()),
    'geo-swing': lambda d: max(max(c['temps']) - min(c['temps']) for r in d['regions'] for k in r['countries'] for c in k['cities']),
    'geo-rises': lambda d: sum(b > a for r in d['regions'] for k in r['countries'] for c in k['cities'] for a, b in zip(c['temps'], c['temps'][1:])),
    'geo-tail': lambda d: [sum(takewhile(lambda t: t >= 0, dropwhile(lambda t: t < 0, c['temps']))) for r in d['regions'] for k in r['countries'] for c in k['cities']],
    'geo-single': lambda d: [k['cities'][0]['name'] for r in d['regions'] for k in r['countries'] if len(k['cities']) == 1],
    'geo-rotate': lambda d: [c['temps'][2:] + c['temps'][:2] for r in d['regions'] for k in r['countries'] for c in k['cities']],
    'geo-halves': lambda d: sum(sum(c['temps'][:3]) < sum(c['temps'][3:]) for r in d['regions'] for k in r['countries'] for c in k['cities']),
    'geo-top': lambda d: [[c['name'] for c in sorted((c for k in r['countries'] for c in k['cities']), key=lambda c: -c['pop'])[:2]] for r in d['regions']],
    'stock-total': lambda d: {s: n for s, n in ((s, sum(w.values())) for s, w in d['stock'].items()) if n < 300},
    'stock-value': lambda d: sum(sum(w.values()) * d['prices'].get(s, 0) for s, w in d['stock'].items()),
    'stock-house': lambda d: sorted([k, sum(v)] for k, v in group((i for w in d['stock'].values() for i in w.items()), lambda i: i[0], lambda i: i[1]).items()),
    'stock-moves': stock_moves,
    'stock-nested': stock_nested,
    'stock-after': lambda d: sum(d['stock'].get(m['sku'], {}).get(m['wh'], 0) + m['delta'] < 0 for m in d['moves']),
    'stock-join': lambda d: [[m['sku'], len(d['stock'][m['sku']]), m['delta']] for m in d['moves'] if m['sku'] in d['stock']],
    'stock-empty': lambda d: [s for s, w in d['stock'].items() if len(w) < 3],
    'stock-invert': lambda d: sorted([k, len(v), v[0]] for k, v in group(((w, s) for s, ws in d['stock'].items() for w in ws), lambda r: r[0], lambda r: r[1]).items()),
    'stock-most': lambda d: [[s, max(w.items(), key=lambda i: i[1])[0]] for s, w in d['stock'].items() if w][:50],
    'stock-plus': lambda d: [{**w, 'w9': 0} for w in d['stock'].values()],
    'ser-page': lambda d: list(islice((x * 3 for x in d['a'] if x > 0), 20, 30)),
    'ser-first': lambda d: next(x + 1 for x in d['a'] if x % 7 == 3),
    'ser-until': lambda d: sum(1 for x in takewhile(lambda x: x < 6990, (abs(x) for x in d['a']))),
    'ser-from': lambda d: sum(1 for x in dropwhile(lambda x: x < 6900, d['a'])),
    'ser-where': lambda d: next((i for i, x in enumerate(d['a']) if x == 6999), -1),
    'ser-dot': lambda d: sum(x * y for x, y in zip(d['a'], d['b'])),
    'ser-longest': lambda d: [sum(x * y for x, y in zip_longest(r, [1, 2, 3, 4], fillvalue=0)) for r in d['rows']],
    'ser-round': lambda d: sorted(([k, n] for k, n in Counter(round(x, 1) for x in d['b']).items()), key=lambda r: (-r[1], r[0]))[:10],
    'ser-mean': ser_mean,
    'ser-running': lambda d: list(accumulate(d['a'], max)),
    'ser-diff': lambda d: [y - x for x, y in zip(d['a'], d['a'][1:]) if y - x > 7000],
    'ser-rows': lambda d: max(sum(sorted(r, reverse=True)[:3]) for r in d['rows']),
    'ser-unique': lambda d: sum(len(set(r)) == len(r) for r in d['rows']),
    'ser-flat': lambda d: sum(x > 95 for r in d['rows'] for x in r),
    'ser-collatz': lambda d: [collatz(x) for x in d['a'][:200] if x > 0],
    'ser-digits': lambda d: sum(digit_sum(abs(x)) for x in d['a']),
    'ser-power': lambda d: sum(power(abs(x), 13, 1009) for x in d['a']),
    'ser-gcd': lambda d: max(gcd(r[0], r[1]) for r in d['rows'] if len(r) > 1),
    'ser-palindrome': lambda d: sorted({w for w in d['words'] if w == w[::-1]}),
    'ser-words': lambda d: list(islice(dict.fromkeys(sorted(d['words'], key=lambda w: (len(w), w))), 30)),
    'ser-letters': lambda d: counts(c for w in d['words'] for c in w),
    'ser-pairs': lambda d: dict(d['pairs']),
    'ser-pair-sums': lambda d: {k: sum(v) for k, v in group(d['pairs'], lambda p: p[0], lambda p: p[1]).items()},
    'ser-insert': lambda d: [[7, -1] + r[1:] for r in d['rows']],
    'ser-bits': lambda d: sum((abs(x) & 255) ^ (abs(x) >> 4) for x in d['a']),
    'ser-ends': lambda d: sum(r[0] == r[-1] for r in d['rows']),
    'ser-reduce': lambda d: reduce(lambda a, x: (a * 31 + x) % 65521, d['a'], 7),
    'small-line': lambda d: '{0} {1} after {2}: {3}'.format(d['job'], d['state'], d['try'], ','.join(d['out']['lines'])),
    'small-next': lambda d: 'done' if d['exit'] == 0 and d['out']['code'] < 300 else 'retry' if d['try'] < 5 else 'failed',
    'small-down': lambda d: next((h['n'] for h in d['hosts'] if not h['up']), 'none'),
    'small-map': lambda d: '&'.join(k + '=' + str(v) for k, v in d['map'].items()),
    'small-since': lambda d: date(d['since']).strftime('%Y-%m-%d') + ' ' + str(len(d['hosts'])),
    'small-update': lambda d: {k: v for k, v in {**d, 'state': 'done', 'try': d['try'] + 1}.items() if k != 'hosts'},
    'small-sum': lambda d: sum(h['z'] * h['z'] for h in d['hosts']) + len(d['out']['lines']),
}
