"""The pipelines as a Python programmer would write them; one line of JSON with the time, the value into a file.

usage: twins.py DATA.json NAME SECONDS RESULT.json
       twins.py                   of each line `NAME DATA.json` that it reads: the result as a line of JSON

Comprehensions over plain dicts and lists, with an index where a join or a lookup has a key. The document is read
beforehand. The least of the runs counts.
"""
import json
import re
import sys
import time
from collections import Counter
from itertools import accumulate

import corners
import fields
import further
import more
import uses
import wide
from common import counts, date, group


def load_class(m):
    if m['load'] < 1:
        return 'idle'
    if m['load'] < 4 and m['cores'] > 8:
        return 'fine'
    return 'busy' if m['load'] < 6 else 'hot'


def summary(m):
    total = sum(d['gib'] for d in m['disks'])
    return {'name': m['host'], 'total': total, 'per': total // m['cores']}


def shop_totals(d):
    out = {}
    for o in d['orders']:
        out[o['country']] = out.get(o['country'], 0) + len(o['rows'])
    return out


def shop_flags(d):
    gone = ('rows', 'note')
    return [{**{k: v for k, v in o.items() if k not in gone}, 'big': len(o['rows']) > 3} for o in d['orders']]


def shop_weights(d):
    w = {p['sku']: p['weight'] for p in d['products']}
    return [sum(w.get(r['sku'], 0) * r['qty'] for r in o['rows']) for o in d['orders']]


def shop_tier(d):
    tiers = group(d['customers'], lambda c: c['id'], lambda c: c['tier'])
    return counts(t for o in d['orders'] for t in tiers.get(o['customer'].upper(), ()))


def shop_rates(d):
    rates = group(d['rates'], lambda r: (r['kind'], r['country']), lambda r: r['rate'])
    return [[p['sku'], r] for p in d['products'] for r in rates.get((p['kind'], 'de'), ())]


def fleet_racks(d):
    racks = group(d['racks'], lambda r: r['name'])
    return len([[m['host'], r['row']] for m in d['machines'] for r in racks.get(m['rack'], ()) if r['powered']])


def fleet_os_upper(d):
    names = group(d['os'], lambda o: o['name'])
    return len([[m['host'], o['eol']] for m in d['machines'] for o in names.get(m['os'].upper(), ())])


def sense_range(d):
    limits = group(d['limits'], lambda x: x['dev'])
    return len([[r['t'], r['v']] for r in d['readings'] for x in limits.get(r['dev'], ()) if r['v'] > x['hi']])


def regex(d):
    wanted = re.compile('^src/[ab]/f1[0-9]*[.](c|h)$')
    return sum(1 for c in d['log'] for f in c['files'] if wanted.search(f['path']))


def numbers(d):
    path = re.compile('([a-z]+)/f([0-9]+)')
    found = (path.search(f['path']) for c in d['log'] for f in c['files'])
    return [m and m.group(1) + m.group(2) for m in found]


def fleet_libs(d):
    out = {}
    for m in d['machines']:
        out.update(m['pkg'])
    return out


def quads(ip):
    a, _, _, d = ip.split('.')
    return d + '.' + a


def operations(d):
    return [op for p in d['paths'].values() for op in p.values()]


twins = {
    'fleet-big': lambda d: [{'h': m['host'], 'r': m['ram'] // 1024} for m in d['machines'] if m['cores'] >= 32 and m['ram'] > 65536],
    'fleet-os-mean': lambda d: sorted(
        [k, sum(v) / len(v)] for k, v in group(d['machines'], lambda m: m['os'], lambda m: m['load']).items()),
    'fleet-disk-free': lambda d: [r for r in (
        {'h': m['host'], 'free': sum(x['gib'] * (100 - x['used']) // 100 for x in m['disks'])} for m in d['machines']) if r['free'] < 1000],
    'fleet-racks': fleet_racks,
    'fleet-os-upper': fleet_os_upper,
    'fleet-net16': lambda d: sum(n > 1 for n in Counter('.'.join(m['ip'].split('.')[:2]) for m in d['machines']).values()),
    'fleet-owner': lambda d: sorted({o for o in (m.get('owner', 'nobody') for m in d['machines']) if o is not None}),
    'fleet-pkg': lambda d: sorted([k, len(set(v))] for k, v in group(
        (p for m in d['machines'] for p in m['pkg'].items()), lambda p: p[0], lambda p: p[1]).items()),
    'fleet-site': lambda d: [m['site'].split(' ')[0].upper() + ':' + str(m['cores']) for m in d['machines']],
    'fleet-seen': lambda d: len([m['host'] for m in d['machines'] if date(m['seen']).year == 2020]),
    'fleet-class': lambda d: counts(load_class(m) for m in d['machines']),
    'fleet-summary': lambda d: [summary(m) for m in d['machines']],
    'shop-turnover': lambda d: sum(r['qty'] * r['price'] for o in d['orders'] if o['paid'] for r in o['rows']),
    'shop-by-sku': lambda d: sorted(([k, sum(v)] for k, v in group(
        (r for o in d['orders'] for r in o['rows']), lambda r: r['sku'], lambda r: r['qty']).items()), key=lambda r: (-r[1], r[0]))[:10],
    'shop-tier': shop_tier,
    'shop-rates': shop_rates,
    'shop-weights': shop_weights,
    'shop-notes': lambda d: ['{0}/{1}'.format(o['no'], o['country']) for o in d['orders'] if 'late' in o['note'].split(' ')],
    'shop-running': lambda d: sum(t % 10 == 0 for t in accumulate((len(o['rows']) for o in d['orders']), initial=0)),
    'shop-totals': shop_totals,
    'shop-max': lambda d: len({max(o['rows'], key=lambda r: r['price'])['sku'] for o in d['orders']}),
    'shop-flags': shop_flags,
    'git-churn': lambda d: sorted(([k, sum(v)] for k, v in group(
        (f for c in d['log'] for f in c['files']), lambda f: f['path'], lambda f: f['add'] + f['del']).items()), key=lambda r: (-r[1], r[0]))[:15],
    'git-kind': lambda d: sorted([k, len(set(v))] for k, v in group(
        d['log'], lambda c: c['subject'].split(':')[0], lambda c: c['author']).items()),
    'git-c-files': lambda d: [c['id'] for c in d['log'] if all(f['path'].endswith('.c') for f in c['files'])],
    'git-regex': regex,
    'git-title': lambda d: [c['subject'].replace('fix:', 'Fix').strip() + ' <' + c['author'] + '>' for c in d['log']],
    'git-merges': lambda d: [list(x) for x in Counter(
        c['at'][:7] for c in sorted((c for c in d['log'] if len(c['parents']) > 1), key=lambda c: c['at'])).items()],
    'api-operations': lambda d: [op.upper() + ' ' + p for p, ops in d['paths'].items() for op in ops],
    'api-deprecated': lambda d: sorted({t for o in operations(d) if o['deprecated'] for t in o['tags']}),
    'api-required': lambda d: sum(p['required'] and p['in'] == 'query' for o in operations(d) for p in o['parameters']),
    'api-codes': lambda d: counts(c for o in operations(d) for c in o['responses']),
    'sense-range': sense_range,
    'sense-day': lambda d: sorted([k, min(v), max(v)] for k, v in group(
        (r for r in d['readings'] if r['ok']), lambda r: r['t'][:10], lambda r: r['v']).items()),
    'sense-latest': lambda d: [[r['dev'], r['unit']] for r in sorted(d['readings'], key=lambda r: date(r['t']), reverse=True)[:5]],
    'sense-matrix': lambda d: max(sum(x * x for x in row) for row in d['matrix']),
    'sense-columns': lambda d: sum(r[0] < r[5] < r[11] for r in d['matrix']),
    'fleet-quads': lambda d: [quads(m['ip']) for m in d['machines']],
    'fleet-by-host': lambda d: {m['host']: m['ram'] for m in d['machines']},
    'fleet-libs': fleet_libs,
    'fleet-size': lambda d: ['small' if m['cores'] < 8 else 'middle' if m['cores'] < 32 else 'large' for m in d['machines']],
    'fleet-places': lambda d: [m['site'].upper() for m in d['machines']],
    'fleet-area': lambda d: [a * b for a, b in zip([m['cores'] for m in d['machines']], [m['ram'] for m in d['machines']])],
    'shop-words': lambda d: [o['note'].replace('gift', 'present').replace('late', 'overdue').replace('box', 'crate') for o in d['orders']],
    'sense-order': lambda d: [r['dev'] for r in sorted(d['readings'], key=lambda r: r['v'])],
    'git-numbers': numbers,
    'small-cond': lambda d: d['exit'] == 0 and d['state'] in ('running', 'done'),
    'small-hosts': lambda d: ' '.join(h['n'] for h in d['hosts'] if h['up']),
    'small-report': lambda d: {'job': d['job'], 'tries': d['try'] + 1, 'up': len([h for h in d['hosts'] if h['up']]), 'code': d['out'].get('code') or 0},
}


twins.update(more.twins)
twins.update(wide.twins)
twins.update(further.twins)
twins.update(fields.twins)
twins.update(corners.twins)
twins.update(uses.twins)


def results():
    """The results of many programs, each document read once."""
    data = {}
    for line in sys.stdin:
        name, path = line.split()
        if path not in data:
            with open(path, encoding='utf-8') as f:
                data[path] = json.load(f)
        print(json.dumps(twins[name](data[path]), separators=(',', ':')))


def main():
    if len(sys.argv) == 1:
        results()
        return
    path, name, budget, result = sys.argv[1:]
    with open(path, encoding='utf-8') as f:
        data = json.load(f)
    twin = twins[name]
    seconds = []
    while len(seconds) < 3 or sum(seconds) < float(budget):
        start = time.process_time()
        value = twin(data)
        seconds.append(time.process_time() - start)
    with open(result, 'w', encoding='utf-8') as f:
        json.dump(value, f, separators=(',', ':'), ensure_ascii=False)
    print(json.dumps({'seconds': sorted(seconds)[len(seconds) // 2], 'least': min(seconds), 'runs': len(seconds)}))


if __name__ == '__main__':
    main()
