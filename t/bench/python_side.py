"""Times vetro.yaql and yaql from Python in one run; a line of TSV a job: name, yaql us, vetro us, ratio.

usage: PYTHONPATH=BUILD/python python_side.py [RECORDS]      under Debian's python3; yaql is left out where it is not installed

Small jobs are workflow expressions over a small context, first with texts that nobody has seen (parse and evaluate), then
with one text again and again (Mistral parses it each time). The last jobs are RECORDS that Python holds, and a function of
Python that is called for each item.
"""

import os
import statistics
import sys
import time

from vetro import yaql as vetro

# Beside vetro stands a package yaql that is vetro.yaql: the other one is wanted.
sys.path = [p for p in sys.path if not os.path.isdir(os.path.join(p, 'vetro'))]
try:
    import yaql
except ImportError:
    yaql = None

DATA = {'vms': [{'name': 'n%d' % i, 'ram': 512 * i, 'up': i % 2 == 0, 'tags': ['a', 'b']} for i in range(6)],
        'n': 3, 'name': 'wf', 'env': {'k': 'v', 'hosts': ['h1', 'h2']}}
SMALL = ('$.n + 1', '$.name', '$.env.k', '$.vms.name', '$.vms.where($.up).name', '$.vms.ram.sum()', '$.n > 2 and $.name = wf',
         '$.vms.toDict($.name, $.ram)', '$.vms.orderBy($.ram).select($.name)', "$.env.hosts.join(',')", '$.vms.len()',
         'switch($.n > 1 => many, true => one)', '{a => $.n, b => [$.name]}', '$.vms.groupBy($.up, $.name)',
         "$.name + '-' + str($.n)", '$.vms.select($.tags.len()).max()')
RECORDS = int(sys.argv[1]) if len(sys.argv) > 1 else 10000


def least(call, times, rounds=5):
    best = 1e9
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(times):
            call()
        best = min(best, (time.process_time() - start) / times)
    return best * 1e6


class Side(object):
    def __init__(self, module):
        self.engine = module.YaqlFactory().create()
        self.context = module.create_context()
        self.context.register_function(lambda x: x, name='same')

    def once(self, text, data):
        return self.engine(text).evaluate(data, self.context.create_child_context())

    def first(self, text):
        """Texts of the kind that are all different."""
        count = iter(range(10 ** 9))
        return least(lambda: self.once('%s != %d' % (text, next(count)) if '=>' not in text else
                                       '[%s, %d]' % (text, next(count)), DATA), 10)

    def again(self, text):
        return least(lambda: self.once(text, DATA), 20)

    def records(self, text, data):
        return least(lambda: self.once(text, data), 1, 2)


def main():
    mine, theirs = Side(vetro), Side(yaql) if yaql and yaql is not vetro else None
    rows = []

    def row(name, of):
        a, b = of(theirs) if theirs else None, of(mine)
        rows.append((name, a, b))
        print('%s\t%s\t%.1f\t%s' % (name, '%.1f' % a if a else '-', b, '%.1f' % (a / b) if a else '-'), flush=True)

    for text in SMALL:
        row('first ' + text, lambda side: side.first(text))
        row('again ' + text, lambda side: side.again(text))
    ratios = [a / b for _, a, b in rows if a]
    if ratios:
        print('small\tmedian %.1f\tleast %.1f' % (statistics.median(ratios), min(ratios)))
    data = [{'id': i, 'name': 'r%d' % i, 'ram': i % 97, 'up': i % 3 == 0} for i in range(RECORDS)]
    for text in ('$.where($.up).select($.ram).sum()', '$.where($.ram > 50).len()', '$.groupBy($.ram, $.id).len()'):
        row('records ' + text, lambda side: side.records(text, data))
    row('calls', lambda side: side.records('range(%d).select(same($)).len()' % RECORDS, None))
    f, items = (lambda x: x), range(RECORDS)
    print("a call beyond CPython's own: %.2f us" % (rows[-1][2] / RECORDS - least(lambda: [f(i) for i in items], 1) / RECORDS))


main()
