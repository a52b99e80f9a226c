"""Counterparts in Python of the pipelines in fields.jsonl: twins.py runs them."""
import re
from collections import Counter

from common import date, group

depend = re.compile(r'^([a-z0-9.+-]+)(?: \(>= ([0-9.]+)\))?$')
hop = re.compile('from ([a-z0-9.]+) by ([a-z0-9.]+)')
minutes = re.compile('([0-9]+) min')


def fac_open(d):
    rows = ({'no': i['no'], 'open': round(sum(r['qty'] * r['net'] * (100 + r['vat']) / 100 for r in i['lines']) - sum(p['amount'] for p in i['paid']), 2),
             'due': i['due'][:10]} for i in d['invoices'])
    return sorted((r for r in rows if r['open'] > 0.5 and r['due'] < '2024-06-01'), key=lambda r: (-r['open'], r['no']))[:50]


def fac_vat(d):
    rate = {k: float(v) for k, v in d['rates'].items()}
    rows = group(((i['currency'], r) for i in d['invoices'] for r in i['lines']), lambda p: (p[0], p[1]['vat']), lambda p: p[1]['qty'] * p[1]['net'] / rate[p[0]])
    return [{'c': c, 'vat': vat, 'net': round(sum(v), 2), 'n': len(v)} for (c, vat), v in sorted(rows.items())]


def fac_aging(d):
    now = date('2025-12-31T00:00:00Z')
    days = ((now - date(i['due'])).total_seconds() / 86400 for i in d['invoices'] if len(i['paid']) < 2)
    rows = group(days, lambda t: 0 if t < 180 else 1 if t < 365 else 2 if t < 1000 else 3)
    return [[k, len(v), round(max(v), 1)] for k, v in sorted(rows.items())]


def dns_chain(d):
    names = {r['name'] + '.' + z['name']: r for z in d['zones'] for r in z['records']}

    def resolve(name):
        r = names.get(name)
        if r is None:
            return None
        if r['type'] == 'CNAME':
            return resolve(r['value'])
        return r['value'] if r['type'] == 'A' else None
    return [[z['name'], resolve(z['records'][-1]['name'] + '.' + z['name'])] for z in d['zones']]


def dns_ttl(d):
    rows = ((r, z, r.get('ttl') or z['ttl']) for z in d['zones'] for r in z['records'])
    return ['{0}.{1} {2} {3}'.format(r['name'], z['name'], ttl, r['type']) for r, z, ttl in rows if ttl < 600]


def dns_reverse(d):
    rows = ((r['value'], r['name'] + '.' + z['name']) for z in d['zones'] for r in z['records'] if r['type'] == 'A')
    nets = group(rows, lambda r: '.'.join(reversed(r[0].split('.')[:3])) + '.in-addr.arpa', lambda r: r[1])
    return [[k, ','.join(sorted(v)[:5])] for k, v in sorted(nets.items())]


def critical(run):
    jobs = {j['name']: j for j in run['jobs']}

    def took(j):
        return j['seconds'] + max((took(jobs[n]) for n in j['needs'] if n in jobs), default=0)
    return max((took(j) for j in run['jobs']), default=0)


def ci_streak(d):
    best = now = 0
    for r in d['runs']:
        if r['branch'] == 'main':
            now = 0 if all(j['status'] == 'ok' for j in r['jobs']) else now + 1
            best = max(best, now)
    return best


def stages(run):
    rows = sorted(run['jobs'], key=lambda j: (j['stage'], -j['seconds']))
    return '{0}/{1}..{2}/{3}'.format(rows[0]['stage'], rows[0]['name'], rows[-1]['stage'], rows[-1]['name'])


def acl_groups(d):
    up = {g['name']: g['parent'] for g in d['groups']}

    def line(g):
        while g is not None:
            yield g
            g = up.get(g)
    return [[u['id'], len({x for g in u['groups'] for x in line(g)})] for u in d['users']]


def acl_effective(d):
    rules = group(d['rules'], lambda r: r['subject'])
    return [{'id': u['id'], 'can': ' '.join(sorted({r['action'] for s in ['group:' + g for g in u['groups']] + ['user:' + u['id']] for r in rules.get(s, ()) if r['effect'] == 'allow'}))}
            for u in d['users']]


def acl_tree(d):
    paths = (r['resource'].split('/')[1:] for r in d['rules'])
    n = Counter('/' + '/'.join(p[:i]) for p in paths for i in range(1, len(p) + 1))
    return sorted(([k, v] for k, v in n.items() if v > 3), key=lambda r: (-r[1], r[0]))[:30]


def rec_shop(d):
    rows = ((i['name'] + '|' + i['unit'], i['amount'] * 4 / r['serves']) for r in d['recipes'] if 'quick' in r['tags'] for i in r['ingredients'])
    return sorted([*k.split('|'), round(sum(v), 1)] for k, v in group(rows, lambda p: p[0], lambda p: p[1]).items())


def rec_minutes(d):
    def known(r):
        return sum(int(m.group(1)) for m in map(minutes.search, r['steps']) if m)
    return [r['title'] for r in d['recipes'] if known(r) > r['minutes']]


def lig_table(d):
    rows = {}
    for m in d['matches']:
        a, b = map(int, m['score'].split(':'))
        rows.setdefault(m['home'], []).append((3 if a > b else 1 if a == b else 0, a - b))
        rows.setdefault(m['away'], []).append((3 if a < b else 1 if a == b else 0, b - a))
    table = ({'team': t, 'points': sum(p for p, _ in v), 'diff': sum(x for _, x in v), 'games': len(v)} for t, v in rows.items())
    return sorted(table, key=lambda r: (-r['points'], -r['diff'], r['team']))


def lig_form(d):
    rows = group(((t, m) for m in d['matches'] for t in (m['home'], m['away'])), lambda r: r[0], lambda r: r[1])

    def form(t, of):
        of = sorted(of, key=lambda m: (m['round'], m['score']))
        of.sort(key=lambda m: m['on'], reverse=True)
        return ' '.join(m['score'] if m['home'] == t else ':'.join(reversed(m['score'].split(':'))) for m in of[:5])
    return sorted([t, form(t, of)] for t, of in rows.items())


def lig_elo(d):
    r = {}
    for m in d['matches']:
        a, b, s = r.get(m['home'], 1000), r.get(m['away'], 1000), m['score'].split(':')
        w = 10 if s[0] > s[1] else (b - a) // 40 if s[0] == s[1] else -10
        r[m['home']] = a + w
        r[m['away']] = b - w
    return sorted(map(list, r.items()), key=lambda p: (-p[1], p[0]))[:10]


def needs(d):
    return {p['name']: list(dict.fromkeys(x.split(' ', 1)[0] for x in p['depends'])) for p in d['packages']}


def dep_closure(d):
    g = needs(d)

    def every(p, into):
        if p not in into:
            into.add(p)
            for x in g.get(p, ()):
                every(x, into)
        return into
    return [[p, len(every(p, set()))] for p in d['installed']]


def dep_levels(d):
    g, out = needs(d), []
    for p in d['installed']:
        level, sizes = [p], []
        while level:
            sizes.append(len(level))
            level = list(dict.fromkeys(x for y in level for x in g.get(y, ())))
        out.append(sizes)
    return out


def win_mean(d):
    def means(v):
        for i in range(0, len(v), 4):
            part = [x for x in v[i:i + 4] if x is not None]
            yield round(sum(part) / len(part), 2) if part else None
    return [{'s': s['sensor'], 'means': list(means(s['values']))} for s in d['series']]


def filled(values):
    out, last = [], None
    for v in values:
        last = last if v is None else v
        out.append(last)
    return out


def longest(values, limit):
    best = now = 0
    for v in values:
        if v is not None:
            now = 0 if v <= limit else now + 1
            best = max(best, now)
    return best


def win_over(d):
    rows = ([s['sensor'], longest(s['values'], d['thresholds'].get(s['sensor'][:2], 50))] for s in d['series'])
    return [r for r in rows if r[1] > 1]


def mal_threads(d):
    up = {m['id']: m['reply'] for m in d['mails']}

    def root(i):
        while up.get(i) is not None:
            i = up[i]
        return i
    rows = group(d['mails'], lambda m: root(m['id']), lambda m: m['size'])
    return sorted([k, len(v), sum(v)] for k, v in rows.items() if len(v) > 2)


def of_kind(d, kind):
    return (i for i in d['items'] if i['kind'] == kind)


def cpu(c):
    text = c['limits'] and c['limits']['cpu']
    return 0 if text is None else int(text.rstrip('m')) if text.endswith('m') else 1000 * int(text)


def k8s_cpu(d):
    rows = ({'name': i['metadata']['namespace'] + '/' + i['metadata']['name'], 'cpu': i['spec']['replicas'] * sum(map(cpu, i['spec']['containers']))} for i in of_kind(d, 'Deployment'))
    return sorted(rows, key=lambda r: (-r['cpu'], r['name']))[:30]


def k8s_select(d):
    of = group(of_kind(d, 'Deployment'), lambda i: (i['metadata']['namespace'], i['metadata']['labels'].get('app')), lambda i: i['metadata']['name'])
    return [[s['metadata']['name'], n] for s in of_kind(d, 'Service') for n in of.get((s['metadata']['namespace'], s['spec']['selector']['app']), ())]


def merged(a, b):
    out = dict(a)
    for k, v in b.items():
        out[k] = merged(out[k], v) if isinstance(v, dict) and isinstance(out.get(k), dict) else v
    return out


def lint(i):
    spec = i.get('spec') or {}
    if 'app' not in i['metadata']['labels']:
        yield 'no app'
    if spec.get('replicas') == 1:
        yield 'one replica'
    if i['kind'] == 'Deployment' and any(c['limits'] is None for c in spec.get('containers', ())):
        yield 'no limits'


def k8s_lint(d):
    rows = ({'n': i['metadata']['name'], 'bad': list(lint(i))} for i in d['items'])
    return [r for r in rows if r['bad']]


def k8s_env(d):
    rows = ((i['metadata']['name'], {e['name']: e['value'] for c in i['spec']['containers'] for e in c['env']}) for i in of_kind(d, 'Deployment'))
    return [{'n': n, 'env': ' '.join(k + '=' + v for k, v in sorted(env.items()))} for n, env in rows if len(env) > 2]


twins = {
    'fac-open': fac_open,
    'fac-vat': fac_vat,
    'fac-aging': fac_aging,
    'dns-chain': dns_chain,
    'dns-ttl': dns_ttl,
    'dns-reverse': dns_reverse,
    'ci-critical': lambda d: [critical(r) for r in d['runs']],
    'ci-streak': ci_streak,
    'ci-stages': lambda d: [stages(r) for r in d['runs']],
    'acl-groups': acl_groups,
    'acl-effective': acl_effective,
    'acl-tree': acl_tree,
    'rec-shop': rec_shop,
    'rec-steps': lambda d: ['\n'.join('{0}. {1}'.format(i, s) for i, s in enumerate(r['steps'], 1)) for r in d['recipes']],
    'rec-minutes': rec_minutes,
    'lig-table': lig_table,
    'lig-form': lig_form,
    'lig-elo': lig_elo,
    'dep-names': lambda d: [{'n': p['name'], 'd': [list(depend.search(x).groups()) for x in p['depends']]} for p in d['packages']],
    'dep-closure': dep_closure,
    'dep-levels': dep_levels,
    'win-mean': win_mean,
    'win-fill': lambda d: [filled(s['values']) for s in d['series']],
    'win-over': win_over,
    'mal-received': lambda d: [' > '.join(reversed([hop.search(v).group(1) for k, v in m['headers'] if k == 'Received'])) for m in d['mails']],
    'mal-threads': mal_threads,
    'k8s-cpu': k8s_cpu,
    'k8s-select': k8s_select,
    'k8s-lint': k8s_lint,
    'k8s-env': k8s_env,
}
