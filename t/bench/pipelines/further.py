"""Counterparts in Python of the pipelines in further.jsonl: twins.py runs them."""
import re
from collections import Counter
from datetime import datetime
from itertools import accumulate

from common import counts, date, group

verb = re.compile('^([a-z]+): (.*)$')
no_digit = re.compile('[^0-9]')
marks = re.compile('[,.]')
scheme = re.compile('^(https?)://([^/?]+)')


def hst_role(d):
    return [{'role': k, 'hosts': sorted(m['host'] for m in v)[:3], 'cores': sum(m['cores'] for m in v)}
            for k, v in sorted(group(d['machines'], lambda m: m['role']).items())]


def newest(m):
    return '.'.join(map(str, max(([int(x) for x in v.split('.')] for v in m['pkg'].values()), key=lambda v: (v[0], v[1]))))


def hst_hot(d):
    rows = sorted((m for m in d['machines'] if m['load'] > 4.5), key=lambda m: (-m['load'] / m['cores'], m['host']))
    return [{'host': m['host'], 'per': round(m['load'] / m['cores'], 3)} for m in rows[:25]]


def hst_gap(d):
    at = sorted(m['seen'] for m in d['machines'])
    at = [date(t).timestamp() for t in at]
    return max(b - a for a, b in zip(at, at[1:]))


def hst_cross(d):
    roles = group(d['machines'], lambda m: m['role'], lambda m: m['os'])
    return [{'role': k, 'by': counts(v)} for k, v in sorted(roles.items())]


def hst_drift(d):
    pairs = ((k, v) for m in d['machines'] for k, v in m['pkg'].items())
    rows = group(pairs, lambda p: p[0], lambda p: p[1].split('.')[0])
    return sorted([k, sorted(set(v))] for k, v in rows.items())


def hst_free(d):
    rows = ((x['gib'] * (100 - x['used']) // 100, m['host'], x['dev']) for m in d['machines'] for x in m['disks'])
    return [h + '/' + dev for free, h, dev in sorted((r for r in rows if r[0] < 20), key=lambda r: r[:2])]


def lgs_path(d):
    rows = (e['msg'].split(' ') for e in d['entries'])
    return counts(p[0] + ' ' + p[1].split('/')[3] for p in rows)


def sns_jumps(d):
    v = [r['v'] for r in d['readings']]
    return sum(abs(b - a) > 150 for a, b in zip(v, v[1:]))


def msh_env(d):
    pairs = ((k, v) for n in d['nodes'] for k, v in n['env'].items() if k != 'LOG')
    rows = group(pairs, lambda p: p[0], lambda p: p[1])
    return sorted([k, len(set(v))] for k, v in rows.items())


def nts_table(d):
    rows = (r.split(';') for r in d['rows'])
    years = group((r for r in rows if r[4] != ''), lambda r: r[4][:4], lambda r: int(r[2]))
    return sorted([k, sum(v)] for k, v in years.items())


def by_count(keys, most=None):
    return [[k, n] for k, n in sorted(Counter(keys).items(), key=lambda p: (-p[1], p[0]))[:most]]


def mean(numbers):
    return sum(numbers) // len(numbers) if numbers else 0


def shp_heavy(d):
    w = {p['sku']: p['weight'] for p in d['products']}
    rows = ([o['no'], max(w.get(r['sku'], 0) * r['qty'] for r in o['rows'])] for o in d['orders'])
    return sorted(rows, key=lambda r: (-r[1], r[0]))[:10]


def shp_kinds(d):
    kind = {p['sku']: p['kind'] for p in d['products']}
    rows = group((r for o in d['orders'] for r in o['rows']), lambda r: kind[r['sku']], lambda r: r['qty'] * r['price'])
    return sorted([k, [len(v), round(sum(v), 2)]] for k, v in rows.items())


def cart(o):
    return {**{k: v for k, v in o.items() if k != 'note'}, 'rows': len(o['rows']), 'total': sum(r['qty'] * r['price'] for r in o['rows'])}


def shp_enrich(d):
    p = {p['sku']: p for p in d['products']}
    return [{'no': o['no'], 'rows': [{**r, 'kind': p[r['sku']]['kind']} for r in o['rows']]} for o in d['orders']]


def runs(items, same):
    out, before = [], None
    for i in items:
        now = same(i)
        if out and now == before:
            out[-1].append(i)
        else:
            out.append([i])
        before = now
    return out


def split(items, at):
    out = [[]]
    for i in items:
        if at(i):
            out.append([])
        else:
            out[-1].append(i)
    return out


def last_index(items, is_so):
    return next((i for i in range(len(items) - 1, -1, -1) if is_so(items[i])), -1)


def vcs_biggest(d):
    rows = sorted(d['log'], key=lambda c: c['id'])
    rows.sort(key=lambda c: sum(f['add'] + f['del'] for f in c['files']), reverse=True)
    return [{'id': c['id'], 'n': len(c['files']), 'by': c['author']} for c in rows[:10]]


def vcs_known(d):
    ids = {c['id'] for c in d['log']}
    return sum(any(p in ids for p in c['parents']) for c in d['log'])


def oas_tags(d):
    verbs = group(((t, m) for p in d['paths'].values() for m, o in p.items() for t in dict.fromkeys(o['tags'])), lambda r: r[0], lambda r: r[1])
    return sorted([k, len(set(v)), len(v)] for k, v in verbs.items())


def sns_unit(d):
    rows = group((r for r in d['readings'] if r['ok']), lambda r: (r['dev'], r['unit']), lambda r: r['v'])
    return sorted([list(k), round(sum(v) / len(v), 3)] for k, v in rows.items())


def sns_bounds(d):
    by = {x['dev']: x for x in d['limits']}
    return counts('low' if r['v'] < x['lo'] else 'high' if r['v'] > x['hi'] else 'fine' for r in d['readings'] for x in (by[r['dev']],))


def edited(row):
    row = [-1] + row[1:5] + row[6:]
    row.insert(3, 99)
    return sum(row)


def lgs_p95(d):
    ms = group(d['entries'], lambda e: e['service'], lambda e: e['ms'])
    return sorted([k, sorted(v)[len(v) * 95 // 100]] for k, v in ms.items())


def lgs_verbs(d):
    verbs = group((e['msg'].split(' ', 2) for e in d['entries']), lambda m: m[0], lambda m: m[1].split('/')[3])
    return sorted([k, sorted(set(v))] for k, v in verbs.items())


def lgs_status(d):
    c = d['codes']
    rows = ({'at': e['at'], 'text': '-' if e['status'] is None else c.get(str(e['status'])) or '?'} for e in d['entries'])
    return [r for r in rows if r['text'] != 'OK']


def lgs_peaks(d):
    ms = [e['ms'] for e in d['entries']]
    return sum(a < b > c for a, b, c in zip(ms, ms[1:], ms[2:]))


def msh_two(d):
    g = {n['name']: n['deps'] for n in d['nodes']}
    return [[n['name'], len({x for y in n['deps'] for x in g[y]})] for n in d['nodes']]


def ports(n):
    return ' '.join('{0}/{1}'.format(p['port'], p['proto']) for p in sorted(n['ports'], key=lambda p: (p['proto'], -p['port'])))


def msh_deep(d):
    g = {n['name']: n['deps'] for n in d['nodes']}

    def deep(deps):
        return 1 + deep(g[deps[0]]) if deps else 0
    return max(deep(n['deps']) for n in d['nodes'])


def msh_links(d):
    zone = {n['name']: n['zone'] for n in d['nodes']}
    pairs = ((n['zone'], zone[n['deps'][0]]) for n in d['nodes'] if n['deps'] and n['deps'][0] in zone)
    return counts(a + b for a, b in pairs if a != b)


def tck_span(d):
    spans = ((date(t['comments'][-1]['at']) - date(t['comments'][0]['at'])).total_seconds() / 86400 for t in d['tickets'] if len(t['comments']) > 1)
    return max((s for s in spans if s > 0), default=0)


def label_pairs(t):
    labels = sorted(t['labels'])
    return (a + '-' + b for a, b in zip(labels, labels[1:]))


def updated(t):
    out = {**t, 'labels': t['labels'] + ['seen'], 'votes': sum(c['votes'] for c in t['comments'])}
    del out['comments'], out['title']
    return out


def dicts(d):
    return (i for i in d['items'] if isinstance(i, dict))


def pep_age(d):
    now = datetime(2024, 6, 1)
    return counts(int((now - datetime.fromisoformat(p['born'])).total_seconds() / 86400 / 365.25) // 10 for p in d['people'])


def repeated(p):
    return ','.join(sorted(k for k, n in Counter(w.rstrip('.,').lower() for w in p['bio'].split(' ')).items() if n > 1))


def biggest(r):
    return max((max(c['cities'], key=lambda c: c['pop']) for c in r['countries']), key=lambda c: c['pop'])['name']


def cities(d):
    return (c for r in d['regions'] for k in r['countries'] for c in k['cities'])


def stk_moves(d):
    moves = group(d['moves'], lambda m: m['wh'], lambda m: m['delta'])
    return sorted([k, [sum(x for x in v if x > 0), sum(x for x in v if x < 0)]] for k, v in moves.items())


def inv_band(d):
    return [[i['sku'], next((b['name'] for b in d['bands'] if b['min'] <= i['price'] < b['max']), 'none')] for i in d['items']]


def size(v):
    return len(v) if isinstance(v, (list, str)) else v['x'] if isinstance(v, dict) else 0


def var_cases(d):
    return sum(isinstance(r['v'], str) + (r['id'] % 2 == 0) + (True in r['flags'].values()) for r in d['rows'])


def walk(t):
    return [t['name']] + [n for k in t['kids'] if k['size'] > 200 for n in walk(k)]


def total(t):
    return t['size'] + sum(total(k) for k in t['kids'])


def nts_hosts(d):
    hosts = group((scheme.search(u).groups() for u in d['urls']), lambda u: u[0], lambda u: u[1])
    return sorted([k, sorted(set(v))] for k, v in hosts.items())


def param(url):
    if '?' not in url:
        return 0
    return next((int(v) for k, v in (p.split('=') for p in url.split('?')[1].split('&')) if k == 'id'), 0)


def sml_line(d):
    down = [h['n'] for h in d['hosts'] if not h['up']]
    return '{job}: {s}'.format(job=d['job'], s=','.join(down) if down else 'ok')


twins = {
    'hst-role': hst_role,
    'hst-full': lambda d: [s for s in (next(('{0}:{1}'.format(m['host'], x['dev']) for x in m['disks'] if x['used'] > 90), '') for m in d['machines']) if s],
    'hst-newest': lambda d: [newest(m) for m in d['machines']],
    'hst-hot': hst_hot,
    'hst-month': lambda d: counts(t.year * 100 + t.month for t in (date(m['seen']) for m in d['machines'])),
    'hst-gap': hst_gap,
    'hst-cross': hst_cross,
    'hst-owner': lambda d: [k for k, n in by_count(m['owner'] for m in d['machines'] if m.get('owner') is not None and m['owner'] != 'ops3')],
    'hst-combos': lambda d: sorted(map(list, {(m['os'], m['role']) for m in d['machines']})),
    'hst-def': lambda d: [[m['host'], mean([x['used'] for x in m['disks']])] for m in d['machines']],
    'shp-heavy': shp_heavy,
    'shp-kinds': shp_kinds,
    'shp-notes': lambda d: counts(w for o in d['orders'] for w in set(o['note'].split(' '))),
    'shp-cart': lambda d: [cart(o) for o in d['orders']],
    'shp-enrich': shp_enrich,
    'shp-runs': lambda d: counts(len(r) for r in runs((o['country'] for o in d['orders']), lambda c: c == 'de')),
    'shp-last': lambda d: counts(last_index(o['rows'], lambda r: r['qty'] > 5) for o in d['orders']),
    'vcs-dirs': lambda d: [' '.join(sorted({'/'.join(f['path'].split('/')[:2]) for f in c['files']})) for c in d['log']],
    'vcs-biggest': vcs_biggest,
    'vcs-verbs': lambda d: [verb.sub(r'[\1] \2', c['subject']) for c in d['log']],
    'vcs-shrink': lambda d: sum(sum(f['add'] for f in c['files']) < sum(f['del'] for f in c['files']) for c in d['log']),
    'vcs-known': vcs_known,
    'vcs-pairs': lambda d: [[a['id'], b['id']] for a, b in zip(d['log'], d['log'][1:]) if a['author'] == b['author']],
    'oas-ids': lambda d: [r for r in ([p, ','.join(sorted(o['operationId'] for o in v.values()))] for p, v in d['paths'].items()) if r[1].startswith('delete')],
    'oas-tags': oas_tags,
    'oas-params': lambda d: ['{0} {1} {2}'.format(m, p, x['name']) for p, v in d['paths'].items() for m, o in v.items() for x in o['parameters'] if x['required']],
    'oas-clean': lambda d: [{m: {k: x for k, x in o.items() if k not in ('parameters', 'responses')} for m, o in v.items() if not o['deprecated']} for v in d['paths'].values()],
    'oas-put': lambda d: [' '.join(x['name'] for x in v.get('put', {}).get('parameters', [])) for v in d['paths'].values()],
    'sns-unit': sns_unit,
    'sns-smooth': lambda d: [round(v, 2) for v in accumulate((r['v'] for r in d['readings']), lambda a, b: a * 0.9 + b * 0.1, initial=0.0)],
    'sns-bounds': sns_bounds,
    'sns-diag': lambda d: sum(r[i % 12] for i, r in enumerate(d['matrix'])),
    'sns-where-max': lambda d: [r.index(max(r)) for r in d['matrix']],
    'sns-edit': lambda d: [edited(r) for r in d['matrix']],
    'lgs-p95': lgs_p95,
    'lgs-cloud': lambda d: dict(Counter(t for e in d['entries'] for t in e['tags'])),
    'lgs-verbs': lgs_verbs,
    'lgs-status': lgs_status,
    'lgs-peaks': lgs_peaks,
    'lgs-sets': lambda d: by_count('/'.join(sorted(set(e['tags']))) for e in d['entries']),
    'lgs-merge': lambda d: [{**(e['ctx'] or {}), 'level': e['level'], 'tags': e['tags']} for e in d['entries']],
    'msh-graph': lambda d: dict(Counter(x for n in d['nodes'] for x in n['deps'])),
    'msh-two': msh_two,
    'msh-ports': lambda d: [{'name': n['name'], 'ports': ports(n)} for n in d['nodes']],
    'msh-deep': msh_deep,
    'msh-links': msh_links,
    'msh-sym': lambda d: sum(len(set(n['deps']) ^ {'n1', 'n2'}) for n in d['nodes']),
    'tck-span': tck_span,
    'tck-words': lambda d: sorted({w.lower() for t in d['tickets'] for w in t['title'].split(' ')}),
    'tck-labels': lambda d: by_count((p for t in d['tickets'] for p in label_pairs(t)), 10),
    'tck-update': lambda d: [updated(t) for t in d['tickets']],
    'tck-slug': lambda d: [t['title'].replace(' ', '-').lower()[:16].rstrip('-') for t in d['tickets']],
    'tck-default': lambda d: [t['labels'][0] if t['labels'] else 'none' for t in d['tickets']],
    'cfg-text': lambda d: [' '.join(k + '=' + v for k, v in i.items() if isinstance(v, str)) for i in dicts(d)],
    'pep-age': pep_age,
    'pep-phone': lambda d: [no_digit.sub('', p['phone']) for p in d['people']],
    'pep-bio': lambda d: [repeated(p) for p in d['people']],
    'gog-biggest': lambda d: [biggest(r) for r in d['regions']],
    'stk-moves': stk_moves,
    'num-union': lambda d: [len(set(r) | {1, 2, 3}) - len(r) for r in d['rows']],
    'num-evens': lambda d: [sum(x for i, x in enumerate(r) if i % 2 == 0) for r in d['rows']],
    'num-many': lambda d: [sum([7, 8] + r[1:]) for r in d['rows']],
    'inv-band': inv_band,
    'var-cases': var_cases,
    'wod-walk': lambda d: [len(walk(t)) for t in d['trees']],
    'wod-flat': lambda d: [total(t) for t in d['trees']],
    'nts-clean': lambda d: [' '.join(dict.fromkeys(marks.sub('', p).lower().split(' '))) for p in d['prose']],
    'nts-hosts': nts_hosts,
    'nts-params': lambda d: sum(map(param, d['urls'])),
    'sml-up': lambda d: dict(Counter(str(h['up']).lower() for h in d['hosts'])),
    'sml-merge': lambda d: {**d['out'], 'code': 500, 'seen': [h['n'] for h in d['hosts']]},
    'sml-line': sml_line,
    'hst-drift': hst_drift,
    'lgs-path': lgs_path,
    'msh-env': msh_env,
    'sns-jumps': sns_jumps,
    'nts-table': nts_table,
    'shp-bands': lambda d: [[k * 50, n] for k, n in counts(int(r['price'] / 50) for o in d['orders'] for r in o['rows'])],
    'hst-free': hst_free,
    'vcs-words': lambda d: by_count(w for c in d['log'] for w in c['subject'].split(': ')[1].split(' ')),
}
