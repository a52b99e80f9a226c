"""Counterparts in Python of the pipelines in wide.jsonl: twins.py runs them."""
import re
from collections import Counter
from datetime import datetime, timedelta
from functools import reduce
from itertools import cycle

from common import counts, group

conf_line = re.compile('^([a-z]+)[.]([a-z]+)[0-9]* ?= ?(.*)$')
shop_url = re.compile('^https://(www[.])?[a-z.]+/shop/')
number = re.compile('^[0-9]+$')


def slices(items, n):
    return [items[i:i + n] for i in range(0, len(items), n)]


def final_price(i):
    off = i.get('off')
    if off is None:
        return i['price']
    return i['price'] * (100 - off['by']) / 100 if off['kind'] == 'pct' else i['price'] - off['by']


def sto_bands(d):
    out = {}
    for i in d['items']:
        for b in d['bands']:
            if b['min'] <= i['price'] < b['max']:
                out.setdefault(b['name'], []).append(i['price'])
    return sorted([k, [len(v), max(v)]] for k, v in out.items())


def sto_supply(d):
    by = {s['id']: s for s in d['suppliers']}
    return [{'sku': i['sku'], 'from': s['country'], 'late': s['days'] > 20} for i in d['items'] if i['supplier'] is not None for s in (by[i['supplier']],)]


def sto_none(d):
    used = {i['supplier'] for i in d['items']}
    return [s['id'] for s in d['suppliers'] if s['id'] not in used]


def sto_newest(d):
    dated = ([datetime.strptime(i['updated'], '%d.%m.%Y %H:%M'), i['sku']] for i in d['items'])
    rows = sorted(sorted(dated, key=lambda r: r[1]), key=lambda r: r[0], reverse=True)
    return [[sku, at.strftime('%Y-%m-%d')] for at, sku in rows[:5]]


def volume(i):
    a, b, c = i['dims']
    return a * b * c


def shares(i):
    total = sum(i['stock'].values())
    return {k: n * 100 // total if total else 0 for k, n in i['stock'].items()}


def sto_best(d):
    best = {}
    for i in d['items']:
        s = i['supplier']
        if s is not None and (s not in best or i['price'] < best[s]['price']):
            best[s] = i
    return sorted([k, i['sku']] for k, i in best.items())


def sto_firsts(d):
    first = {}
    for i in d['items']:
        first.setdefault(i['name'], i['sku'])
    return sorted([k, v] for k, v in first.items())


def sto_pairs(d):
    by = group(d['suppliers'], lambda s: s['country'], lambda s: s['id'])
    return sum(a < b for ids in by.values() for a in ids for b in ids)


def kind_of(v):
    if v is None:
        return 'null'
    if isinstance(v, bool):
        return 'bool'
    return {int: 'int', float: 'float', str: 'text', list: 'list', dict: 'dict'}[type(v)]


def deep(r):
    for k in ('sub', 'a', 'b', 'c'):
        r = r.get(k) if r is not None else None
    return r


def tags_of(r):
    tags = r.get('tags')
    return [] if tags is None else tags if isinstance(tags, list) else tags.split(',')


def text_of(v):
    if isinstance(v, str):
        return v
    if isinstance(v, list):
        return '+'.join(map(str, v))
    return str(v) if isinstance(v, int) and not isinstance(v, bool) else '-'


def mix_count(d):
    out = {'null': 0, 'num': 0, 'other': 0}
    for r in d['rows']:
        v = r['v']
        out['null' if v is None else 'num' if isinstance(v, (int, float)) and not isinstance(v, bool) else 'other'] += 1
    return out


def tre_kids(d):
    kids = Counter(n['up'] for n in d['nodes'])
    return [[n['id'], kids[n['id']]] for n in d['nodes'] if kids[n['id']] > 2][:20]


def tre_leaves(d):
    ups = {n['up'] for n in d['nodes']}
    return sum(n['size'] for n in d['nodes'] if n['id'] not in ups)


def total(t):
    return t['size'] + sum(total(k) for k in t['kids'])


def names(t):
    return [t['name']] + [n for k in t['kids'] for n in names(k)]


def depth(t):
    return 1 + max((depth(k) for k in t['kids']), default=0)


def tre_path(d):
    by = {n['id']: n for n in d['nodes']}

    def path(n):
        out = []
        while n is not None:
            out.append(n['label'])
            n = by.get(n['up'])
        return '/'.join(out)
    return [path(n) for n in d['nodes'][10:110]]


def gra_out(d):
    return sorted([k, [len(v), sum(v)]] for k, v in group(d['edges'], lambda e: e[0], lambda e: e[2]).items() if len(v) > 5)


def gra_both(d):
    edges = {(e[0], e[1]) for e in d['edges']}
    return sum((e[1], e[0]) in edges for e in d['edges'])


def gra_next(d):
    to = group(d['edges'], lambda e: e[0], lambda e: e[1])
    return sum(len(to.get(e[1], ())) for e in d['edges'][:300])


def gra_weights(d):
    most = {}
    for a, _, w in d['edges']:
        most[a] = max(most.get(a, 0), w)
    return sum(most.values())


def product(g):
    return [[sum(r[k] * g[k][c] for k in range(8)) for c in range(8)] for r in g]


def ivl_merge(d):
    out = []
    for a, b in sorted(d['intervals'], key=lambda i: i[0]):
        if out and out[-1][1] >= a:
            out[-1] = [out[-1][0], max(out[-1][1], b)]
        else:
            out.append([a, b])
    return out


def ivl_gaps(d):
    s = sorted(d['intervals'], key=lambda i: i[0])
    return sum(max(0, b[0] - a[1]) for a, b in zip(s, s[1:]))


def txt_conf(d):
    pairs = (s.split('#')[0].split('=', 1) for s in d['settings'] if s != '' and not s.startswith('#'))
    return {k.strip(): v.strip() for k, v in pairs}


def txt_sections(d):
    keys = {}
    for s in d['settings']:
        if '=' in s:
            m = conf_line.search(s)
            keys.setdefault(m.group(1), set()).add(m.group(2))
    return sorted([k, sorted(v)] for k, v in keys.items())


def csv_row(s):
    a, word, n, x, on = s.split(';')
    return {'id': int(a), 'word': word, 'n': int(n), 'x': float(x), 'on': on or None}


def txt_dated(d):
    dates = (datetime.fromisoformat(s) for s in (r.split(';')[-1] for r in d['rows']) if s != '')
    return sum(t.month == 5 and t.day < 15 for t in dates)


def txt_words(d):
    stop = set(d['stop'])
    n = Counter(w for w in (w.strip('.,') for p in d['prose'] for w in p.split(' ')) if w not in stop)
    return sorted(([k, v] for k, v in n.items()), key=lambda r: (-r[1], r[0]))[:5]


def seconds(t):
    h, m, s = map(int, t.split(':'))
    return h * 3600 + m * 60 + s


def minutes(t):
    h, m, s = map(int, t.split(':'))
    return timedelta(hours=h, minutes=m, seconds=s).total_seconds() / 60


caesar = str.maketrans('abh', 'dek')


def slc_batches(d):
    return [{'first': s[0]['no'], 'n': len(s), 'rows': sum(len(o['rows']) for o in s)} for s in slices(d['orders'], 7)]


def slc_split(d):
    n, long = 0, 0
    for r in d['readings']:
        if r['ok']:
            n += 1
        else:
            long += n > 3
            n = 0
    return long + (n > 3)


def mem_twice(d):
    m = [x * 2 for x in d['a'] if x > 0]
    return [len(m), sum(m), max(m)]


def unit_sums(d):
    out = {}
    for r in d['readings']:
        out[r['unit']] = out.get(r['unit'], 0) + r['v']
    return out


def run_two(d):
    total, n = 0, 0
    for r in d['readings']:
        if r['ok']:
            total += r['v']
            n += 1
    return [total, n]


twins = {
    'sto-margin': lambda d: sorted(({'sku': i['sku'], 'm': round((i['price'] - i['cost']) / i['price'] * 100, 1)} for i in d['items'] if i['cost'] is not None), key=lambda r: (-r['m'], r['sku']))[:10],
    'sto-priced': lambda d: [{**{k: v for k, v in i.items() if k not in ('off', 'cost')}, 'final': round(final_price(i), 2)} for i in d['items']],
    'sto-value': lambda d: sum(sum(i['stock'].values()) * i['price'] for i in d['items']),
    'sto-where': lambda d: [r for r in ({'sku': i['sku'], 'at': '/'.join(sorted(k for k, n in i['stock'].items() if n > 30))} for i in d['items']) if r['at'] != ''],
    'sto-bands': sto_bands,
    'sto-taxed': lambda d: [[i['sku'], round(i['price'] * (100 + d['tax'].get(i['cat'][0], 0)) / 100, 2)] for i in d['items']],
    'sto-supply': sto_supply,
    'sto-none': sto_none,
    'sto-cats': lambda d: sorted(([k, [len(v), round(sum(v) / len(v), 2)]] for k, v in group(d['items'], lambda i: '/'.join(i['cat']), lambda i: i['price']).items()), key=lambda r: (-r[1][0], r[0])),
    'sto-newest': sto_newest,
    'sto-volume': lambda d: [r for r in ([i['sku'], volume(i)] for i in d['items']) if r[1] > 100000],
    'sto-longest': lambda d: sum(sorted(i['dims'], reverse=True)[0] > 80 for i in d['items']),
    'sto-rename': lambda d: [{'id': i['sku'], **{k: v for k, v in i.items() if k not in ('sku', 'stock', 'dims')}} for i in d['items']],
    'sto-compact': lambda d: [{k: v for k, v in i.items() if v is not None and not isinstance(v, dict)} for i in d['items']],
    'sto-shares': lambda d: [shares(i) for i in d['items']],
    'sto-missing': lambda d: [sorted(s) for s in ({'w0', 'w1', 'w2', 'w3', 'w4'} - set(i['stock']) for i in d['items']) if len(s) > 1],
    'sto-label': lambda d: [i['sku'] + ' ' + i['name'].upper() + ': ' + str(i['price']) + ('' if i['cost'] is None else ' (' + str(i['cost']) + ')') for i in d['items']],
    'sto-best': sto_best,
    'sto-firsts': sto_firsts,
    'sto-pairs': sto_pairs,
    'sto-move': lambda d: [{**i, 'stock': {**i['stock'], 'w9': 1}, 'dims': [0] + i['dims']} for i in d['items']],
    'sto-tags': lambda d: sum('sale' in i['cat'] and 'seat' not in i['cat'] for i in d['items']),
    'mix-types': lambda d: counts(kind_of(r['v']) for r in d['rows']),
    'mix-numbers': lambda d: sum(r['v'] for r in d['rows'] if isinstance(r['v'], (int, float)) and not isinstance(r['v'], bool)),
    'mix-deep': lambda d: sum(v for v in map(deep, d['rows']) if v is not None),
    'mix-tags': lambda d: sorted({t for r in d['rows'] for t in tags_of(r)}),
    'mix-tag-list': lambda d: [{'id': r['id'], 'tags': list(dict.fromkeys(r['tags']))} for r in d['rows'] if isinstance(r.get('tags'), list)],
    'mix-default': lambda d: [[r['id'], 'never' if r.get('at') is None else r['at']] for r in d['rows']],
    'mix-flags': lambda d: counts(','.join(k for k, v in r['flags'].items() if v) for r in d['rows']),
    'mix-set': lambda d: sorted([k, max(v)] for k, v in group((r for r in d['rows'] if r.get('at') is not None), lambda r: r['at'][:4], lambda r: r['id']).items()),
    'mix-merge': lambda d: sum(r['v'].get('x', 0) * 10 + r['v'].get('y', 0) for r in d['rows'] if isinstance(r['v'], dict)),
    'mix-text': lambda d: [text_of(r['v']) for r in d['rows']],
    'mix-size': lambda d: counts(len(r) for r in d['rows']),
    'mix-strings': lambda d: sum(int(r['v']) for r in d['rows'] if isinstance(r['v'], str) and number.search(r['v'])),
    'mix-heads': lambda d: sum(r['v'][0] for r in d['rows'] if isinstance(r['v'], list) and r['v']),
    'mix-count': mix_count,
    'mix-same': lambda d: len({repr(r['sub']) for r in d['rows'] if isinstance(r.get('sub'), dict)}),
    'mix-any': lambda d: [sum(s) for s in slices([r['id'] for r in d['rows'] if any(r['flags'].values())], 10)],
    'mix-patch': lambda d: [{**r, 'sub': {} if r.get('sub') is None else r['sub'], 'seen': 'at' in r} for r in d['rows']],
    'tre-kids': tre_kids,
    'tre-leaves': tre_leaves,
    'tre-sum': lambda d: [total(t) for t in d['trees']],
    'tre-names': lambda d: sum(len(names(t)) for t in d['trees']),
    'tre-depth': lambda d: max(depth(t) for t in d['trees']),
    'tre-two': lambda d: len([p['name'] + '>' + k['name'] for t in d['trees'] for p in t['kids'] for k in p['kids']]),
    'tre-path': tre_path,
    'gra-out': gra_out,
    'gra-both': gra_both,
    'gra-next': gra_next,
    'gra-weights': gra_weights,
    'mat-transpose': lambda d: [[[r[c] for r in g] for c in range(8)] for g in d['grids']],
    'mat-trace': lambda d: [sum(g[k][k] for k in range(8)) for g in d['grids']],
    'mat-rows': lambda d: [max(sum(r) for r in g) for g in d['grids']],
    'mat-product': lambda d: [product(g) for g in d['grids'][:10]],
    'mat-flat': lambda d: sum(x % 7 == 0 for g in d['grids'] for r in g for x in r),
    'ivl-merge': ivl_merge,
    'ivl-gaps': ivl_gaps,
    'ivl-hits': lambda d: counts(k for a, b in d['intervals'] for k in range(a // 1000, b // 1000 + 1)),
    'txt-conf': txt_conf,
    'txt-sections': txt_sections,
    'txt-csv': lambda d: [csv_row(s) for s in d['rows']],
    'txt-column': lambda d: sum(float(s.split(';')[3]) for s in d['rows']),
    'txt-dated': txt_dated,
    'txt-words': txt_words,
    'txt-title': lambda d: [' '.join(w[:1].upper() + w[1:].lower() for w in p.split(' ')) for p in d['prose']],
    'txt-longest': lambda d: max(max(map(len, p.split(' '))) for p in d['prose']),
    'txt-wrap': lambda d: [p[:20].strip() + ('...' if len(p) > 20 else '') for p in d['prose']],
    'txt-host': lambda d: counts(u.split('://')[1].split('/')[0].split('?')[0] for u in d['urls']),
    'txt-query': lambda d: [dict(a.split('=') for a in u.split('?')[1].split('&')) for u in d['urls'] if '?' in u],
    'txt-regex-url': lambda d: sum(shop_url.search(u) is not None for u in d['urls']),
    'txt-seconds': lambda d: max(map(seconds, d['times'])),
    'txt-span': lambda d: max(map(minutes, d['times'])),
    'txt-reverse': lambda d: [' '.join(p.split(' ')[::-1]) for p in d['prose']],
    'txt-acronym': lambda d: [''.join(w[0] for w in p.split(' ') if len(w) > 2).upper() for p in d['prose']],
    'txt-caesar': lambda d: sum(len(p.lower().translate(caesar)) for p in d['prose']),
    'txt-blank': lambda d: sum(not s.strip() for s in d['settings']),
    'txt-index': lambda d: sum(k for k in (p.find('дом') for p in d['prose']) if k >= 0),
    'txt-comment': lambda d: sorted({s[s.find('#') + 1:].strip() for s in d['settings'] if '#' in s}),
    'txt-pad': lambda d: ['{0:<8}|{1:>6}'.format(r[1], r[2]) for r in (s.split(';') for s in d['rows'])],
    'slc-batches': slc_batches,
    'slc-split': slc_split,
    'cyc-assign': lambda d: [[t['id'], w] for t, w in zip(d['tickets'], cycle(d['watch']))],
    'mem-twice': mem_twice,
    'zip-three': lambda d: [w + '=' + str(b) for a, b, w in zip(d['a'], d['b'], d['words']) if a > 6000],
    'ins-many': lambda d: [(r[:1] + [0, 0] + r[1:])[1:] for r in d['rows']],
    'lim-page': lambda d: [f"{p['name']} <{p['email']}>" for p in sorted(sorted(d['people'], key=lambda p: p['salary'], reverse=True), key=lambda p: p['name'])[40:60]],
    'all-any': lambda d: [t['id'] for t in d['tickets'] if any(c['votes'] > 10 for c in t['comments']) and all(c['votes'] >= 0 for c in t['comments'])],
    'cmp-fold': lambda d: reduce(lambda a, b: b if a is None or b['salary'] > a['salary'] else a, d['people'], None)['name'],
    'run-two': run_two,
    'dct-sorted': lambda d: dict(sorted(d['prices'].items(), key=lambda r: r[0])),
    'dct-filter': lambda d: {k: v.get('w0', 0) for k, v in d['stock'].items() if sum(v.values()) > 900},
    'dct-update': lambda d: [{**n['env'], 'MODE': 'test', 'DEBUG': '1'} for n in d['nodes']],
    'row-sorted': lambda d: sorted(({'h': m['host'], 'd': [x['dev'] for x in m['disks']]} for m in d['machines']), key=lambda r: r['h']),
    'row-where': lambda d: [r for r in ({'h': m['host'], 'big': [x['dev'] for x in m['disks'] if x['gib'] > 2000], 'n': m['cores']} for m in d['machines']) if r['n'] > 40],
    'row-pairs': lambda d: {t['id']: [c['by'] for c in t['comments']] for t in d['tickets']},
    'row-many': lambda d: [r['sku'] for o in d['orders'] for r in o['rows']],
    'row-set': lambda d: sorted(({**o, 'rows': [r['sku'] for r in o['rows']]} for o in d['orders']), key=lambda o: o['no']),
    'dic-filter': lambda d: [{'name': n['name'], 'env': {k: v for k, v in n['env'].items() if k != 'USER'}} for n in d['nodes']],
    'dic-lower': lambda d: [{k.lower(): v for k, v in n['env'].items()} for n in d['nodes']],
    'dic-disks': lambda d: [{x['dev']: x['gib'] for x in m['disks']} for m in d['machines']],
    'dic-unit': unit_sums,
    'dic-sorted': lambda d: {str(o['no']): o['country'] for o in sorted(d['orders'], key=lambda o: o['no'], reverse=True)},
    'set-more': lambda d: [e['service'] for e in d['entries'] if set(e['tags']) > {'db'}],
    'set-keys': lambda d: [n['name'] for n in d['nodes'] if {'MODE', 'PORT'} <= n['env'].keys()],
}
