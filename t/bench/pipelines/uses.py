"""Counterparts in Python of the pipelines in uses.jsonl: twins.py runs them."""
import itertools
import operator
import re
from functools import reduce
from itertools import accumulate, chain, groupby

from common import date

twins = {
    'use-bits': lambda d: [(m['cores'] & 15) | (m['ram'] // 1024 << 4) for m in d['machines']],
    'use-pow': lambda d: [((a > 0) - (a < 0)) ** 2 * 9 + pow(abs(a), 2, 97) for a in d['a']],
    'use-hexid': lambda d: [hex(o['no']).replace('0x', '#') for o in d['orders']],
    'use-add': lambda d: [len((set(i['cat']) | {i['sku'][:1], 'all'}) - {'home'}) for i in d['items']],
    'use-rsplit': lambda d: [f['path'].rsplit('/', 1)[1].rsplit('.', 1)[0] for c in d['log'] for f in c['files']],
    'use-trimleft': lambda d: [s.lstrip('# ').rstrip('0123456789') for s in d['settings']],
    'use-lastindex': lambda d: [f['path'][f['path'].rfind('/') + 1:] for c in d['log'] for f in c['files']],
    'use-append': lambda d: [len(list(chain(r, (0, 1), [5, 6]))) for r in d['rows']],
    'use-concat': lambda d: [''.join((p['name'], ' <', p['email'], '>')) for p in d['people']],
    'use-second': lambda d: [x.hour * 3600 + x.minute * 60 + x.second for x in (date(r['t']) for r in d['readings'])],
    'use-lists': lambda d: [[r['name']] + [c['code'] for c in r['countries']] for r in d['regions']],
    'use-single': lambda d: [m['disks'][0]['gib'] for m in d['machines'] if len(m['disks']) == 1],
    'use-splitat': lambda d: [[sum(r[:2]), sum(r[2:])] for r in d['rows']],
    'use-allcases': lambda d: [[i for i, c in enumerate((e['ms'] > 1000, e['level'] == 'error', e['status'] is None)) if c] for e in d['entries']],
    'use-switchcase': lambda d: [('none', 'one', 'two', 'many')[min(n['replicas'], 3)] for n in d['nodes']],
    'use-cycle': lambda d: [p['name'] + ':' + c for p, c in zip(d['people'], itertools.cycle(['red', 'green', 'blue']))],
    'use-contains': lambda d: [p for p, o in d['paths'].items() if 'put' in o and 'tag3' in o['put']['tags']],
    'use-containsval': lambda d: [n['name'] for n in d['nodes'] if 'v7' in n['env'].values()],
    'use-deleteall': lambda d: [{k: v for k, v in i.items() if k not in ('name', 'cost', 'dims', 'stock', 'off')} for i in d['items']],
    'use-insertmany': lambda d: [(lambda p: p[:1] + [0, 7] + p[1:])([x['pop'] for x in c['cities']]) for r in d['regions'] for c in r['countries']],
    'use-replmany': lambda d: [r[:2] + [1, 2, 3] + r[6:] for r in d['matrix']],
    'use-takewhile': lambda d: [sum(itertools.takewhile(lambda v: v is not None, s['values'])) for s in d['series']],
    'use-slicewhere': lambda d: [[len(list(g)) for _, g in groupby(r, lambda x: x % 2 == 0)] for r in d['rows']],
    'use-searchall': lambda d: [sum(int(x) for x in re.findall('[0-9]+', e['msg'])) for e in d['entries']],
    'use-searchall2': lambda d: [dict(re.findall('([a-z]+)=([^&]*)', u)) for u in d['urls']],
    'use-icase': lambda d: [t['id'] for t in d['tickets'] if re.search('GRÖSSE|größe|CRASH', t['title'], re.I)],
    'use-accum': lambda d: [list(accumulate(l['qty'] for l in i['lines'])) for i in d['invoices']],
    'use-reduce': lambda d: [reduce(operator.xor, (p['port'] for p in n['ports'])) for n in d['nodes']],
    'use-defempty': lambda d: [max((c['votes'] for c in t['comments']), default=0) for t in d['tickets']],
    'use-hops': lambda d: [len({h[1].split(' ')[1] for h in m['headers'] if h[0] == 'Received'}) for m in d['mails']],
    'use-zip3': lambda d: [{'a': a, 'b': b, 'w': w} for a, b, w in zip(d['a'], d['b'], d['words']) if a > 5000],
    'use-ttl': lambda d: [min(r['ttl'] if 'ttl' in r else z['ttl'] for r in z['records']) for z in d['zones']],
    'use-mins': lambda d: [sum(int(x) for s in r['steps'] for x in re.findall('([0-9]+) min', s)) for r in d['recipes']],
    'use-pkgver': lambda d: [[k for k, v in m['pkg'].items() if int(v.split('.')[0]) >= 5] for m in d['machines']],
    'use-unpack': lambda d: [k + '=' + str(v) for k, v in d['pairs']],
    'use-cmpset': lambda d: [i['sku'] for i in d['items'] if set(i['cat']) >= {'home', 'sale'}],
    'use-ranked': lambda d: [[t[0], t[-1]] for t in (sorted(e['tags']) for e in d['entries']) if len(t) > 1],
    'use-once': lambda d: [n['name'] for n in d['nodes'] if len(set(n['deps'])) > 1],
    'use-sorted': lambda d: [w[0] + '-' + w[-1] for w in (sorted(p['bio'].split(' ')) for p in d['people'])],
    'use-masked': lambda d: [re.sub('([0-9])([0-9])', r'\2\1', p['phone']) for p in d['people']],
    'use-verb': lambda d: ['-'.join(re.split('[ /]+', e['msg'])[:2]) for e in d['entries']],
    'use-limits': lambda d: [[sum(sum(t > c['tax'] // 2 + 3 for t in x['temps']) for x in c['cities']) for c in r['countries']] for r in d['regions']],
}
