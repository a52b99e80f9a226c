#!/usr/bin/python3
"""Random pipelines over records, through python yaql and `vetro query --batch`: what each gives or raises.

usage: pipelines.py [--count N] [--seed N] [--records N] [--pure] VETRO

Chains of stages whose lambdas are of the whole language: records with members that are missing, null or of another
type, nested lists and dicts, groups, joins, folds, windows, texts, switches, variables. --records chooses one size of
document in place of several; long ones go through columns, short ones do not. Only that there is an error is compared,
not which. Needs Debian's python3-yaql. Exit status 1 when something differs.
"""
import argparse
import json
import random
import re
import subprocess
import sys

import yaql

WORDS = ['web', 'db', 'Ünï', 'a', 'cache-01', 'x y', '', 'node7', '10', 'A,b', 'ok', 'WEB']
# What may stand for a value of a type: <int> is an expression of it, <rec to int> a lambda over a record. Stages of a
# sequence stand under `seq ELEMENT`; `-> TYPE` is what a stage makes of it where that is another.
TEMPLATES = {
    'int': """<int> + <int>| <int> - <int>| <int> * <int>| <int> mod 7| <int> / 3| -<int>| len(<text>)| <ints>.len()| <ints>.sum(0)
        | max(<int>, <int>)| min(<int>, 5)
        | abs(<int>)| switch(<bool> => <int>, <bool> => 1, true => <int>)| coalesce(<rec>.get(cpu), <int>)| <rec>.n| <rec>.net.get(mtu, 1)
        | <rec>.tags.len()| <seq rec>.count()
        | <ints>.max(0)| <ints>.where(<int to bool>).len()| <ints>.select(<int to int>).sum(0)| <ints>.first(0)
        | <ints>.aggregate($1 + $2, 0)| <text>.indexOf(a)| <rec>.get(<word>, <int>)
        | <rec>.disks.select($.gib).sum(0)| <rec>.disks.where($.used > <int>).len()| let(q => <int>) -> $q * $q + <int>| <seq int>.sum(0)
        | range(3).select($ * <int>).sum()
        | selectCase(<bool>, <bool>)| <ints>.orderBy(-$).first(0)| <rec>.disks.max({gib => 0})?.gib or 0| <ints>.indexOf(<int>)
        | int(<float>)| <int> * 2 + 1| [<int>, <int>].max()
        | <dict>.get(<word>, 0)| <ints>[0]| <rec>.load.len()| <ints>.accumulate($1 + $2).last(0)""",
    'float': """<float> + <float>| <float> * 0.5| <float> - <int>| <float> / 4.0| float(<int>)| <rec>.f| <rec>.load.sum(0.0)
        | <rec>.load.select($ * <int>).sum(0)| max(<float>, <float>)
        | <rec>.load.max(0.0)| round(<float>, 2)| <rec>.f * <rec>.f""",
    'bool': """<int> > <int>| <int> = <int>| <int> <= <int>| <int> mod 2 = 0| <text> = <text>| <int> in <ints>| <text> in <rec>.tags
        | <bool> and <bool>| <bool> or <bool>| not <bool>
        | <text>.startsWith(<word>)| <text>.endsWith(<word>)| <ints>.any()| <ints>.any(<int to bool>)| <rec>.tags.any($ = <text>)
        | <rec>.disks.all($.used < <int>)| <rec>.get(cpu) != null
        | a in <text>| <text> =~ '[a-c]+'| <text> < <text>| <float> >= <int>| <rec>.containsKey(<word>)| isInteger(<rec>.get(odd))
        | <rec>.odd = <int>| <rec>.up| not <rec>.up
        | <text>.toLower() = <word>| <rec>.os in [linux, bsd]| <int> > 2 and <int> < 50| <ints> = <ints>| <text>.matches('^[a-z]')
        | <rec>.net.dhcp| <rec>.disks.any($.mount = '/')
        | <rec>.tags.len() > 1| <rec>.odd > 3| isString(<rec>.odd)""",
    'text': """<text> + <text>| str(<int>)| <text>.toUpper()| <text>.toLower()| <text>.substring(<small>, 2)| <text>.trim()
        | <text>.replace('a', <word>)| <rec>.tags.join('-')| <rec>.name
        | <rec>.os| '{0}/{1}'.format(<text>, <int>)| <text>.split('-').first('')| switch(<bool> => <text>, true => <text>)
        | <ints>.select(str($)).join('|')| <rec>.net.ip
        | <rec>.tags.first(none)| <rec>.get(os, none)| <text>.toCharArray().join('.')| regex('[0-9]+').replace(<text>, n)
        | <rec>.tags.orderBy($).join(',')| str(<rec>.odd)| <text>.split(' ').last()
        | coalesce(<rec>.get(note), <text>)| <rec>.tags.select($.toUpper()).join('')| <text>.trimLeft('w')| concat(<text>, '#', <text>)
        | <rec>.disks.select($.mount).join(':')
        | <text> * 2| str(<float>)| <rec>.net.ip.split('.').skip(2).join('.')""",
    'ints': """[<int>, <int>]| <ints> + [<int>]| <ints>.select(<int to int>).toList()| <ints>.where(<int to bool>).toList()
        | range(<int> mod 5).toList()| [1, 2, 3]| <rec>.disks.select($.gib).toList()
        | <ints>.orderBy($).toList()| <ints>.reverse().toList()| <ints>.distinct().toList()| <ints>.take(<small>).toList()| <rec>.nums
        | <ints>.insert(<small>, <int>)| <ints>.replace(0, <int>)
        | <ints>.delete(<small>)| <ints>.zip(<ints>).select($[0] - $[1]).toList()| <rec>.tags.select(len($)).toList()
        | <ints>.enumerate().select($[0] * $[1]).toList()
        | <ints>.accumulate($1 + $2, 0).toList()| <ints>.skip(1).toList()| <rec>.disks.orderBy($.used).select($.gib).toList()
        | <ints>.takeWhile(<int to bool>).toList()""",
    'rec': """<rec>.set(n, <int>)| <rec> + {os => <text>}| <rec>.mergeWith({net => {mtu => <int>}})""",
    'dict': """{web => <int>, x => <int>}| <rec>.disks.toDict($.mount, $.gib)| <dict>.set(<word>, <int>)| <dict> + {<text> => <int>}
        | dict(<rec>.tags.select([$, len($)]))
        | <rec>.tags.aggregate($1.set($2, $1.get($2, 0) + 1), {})| <dict>.delete(a)""",
    'any': """<int>| <text>| <float>| <bool>| <ints>| {a => <int>, b => <text>}| [<text>, <int>]| <rec>.odd| <rec>.net| <rec>.disks
        | <rec>.get(note)| <dict>| null| <rec>.tags
        | {k => <any>, l => <ints>}""",
    'seq rec': """.where(<rec to bool>)| .orderBy(<rec to int>)| .orderByDescending(<rec to text>)
        | .orderBy(<rec to text>).thenBy(<rec to int>)| .skip(<small>)| .take(7)| .reverse()
        | .distinct(<rec to int>)| .select(<rec to rec>)| .takeWhile(<rec to bool>)| .skipWhile(<rec to bool>)
        | .where(<rec to bool>).where(<rec to bool>)| .memorize()| .limit(9)
        | .join($data.where($.n < 3).take(4), $1.n = $2.n, $1 + {cpu => $2.cpu})| .join($data.take(5), $1.os = $2.os and $1.n > $2.n, $2)
        | .distinct($.os)| .append(<rec>)
        | .groupBy($.os).select($[1].first())| .concat($data.take(2))| .where($.n in $data.take(3).select($.n))""",
    'seq rec -> int': """.select(<rec to int>)| .selectMany(<rec to ints>)| .selectMany($.disks.select($.gib))| .select($.disks.len())
        | .groupBy(<rec to int>).select($[1].len())
        | .groupBy($.os, $.n).select($[1].sum(0))| .enumerate().select($[0] + $[1].n)| .accumulate($1 + $2.n, 0)
        | .join($data.take(6), $1.n = $2.n, $1.n + $2.n)""",
    'seq rec -> text': """.select(<rec to text>)| .selectMany($.tags)| .groupBy(<rec to text>).select($[0])
        | .toDict($.name, $.n).keys().orderBy($)| .groupBy($.os, $.name, '|'.join($[1])).select($[1])
        | .select($.tags.where(len($) > 1).join(' '))""",
    'seq rec -> any': """.select(<rec to any>)| .groupBy(<rec to text>)| .groupBy(<rec to int>, <rec to int>)
        | .groupBy($.os, <rec to int>, [$[0], $[1].sum(0)]).orderBy($[0])| .zip($data.skip(1))
        | .select([$.name, $.n]).where($[1] > <int>)| .select({a => <rec to int>, b => <rec to text>}).where($.a > <int>).select($.b)
        | .groupBy([$.os, $.up]).select([$[0], $[1].len()])
        | .slice(3).select($.select($.n).toList())| .enumerate().where($[0] mod 2 = 0).select($[1].name)
        | .select({n => <rec to int>, t => <rec to any>}).orderBy($.n)
        | .groupBy($.os).select({os => $[0], n => $[1].select($.n).sum(0), most => $[1].max($.n)})
        | .selectMany($.disks).where($.gib > <int>).select($.mount)
        | .select($.disks.where($.used > <int>).select({m => $.mount, g => $.gib}))| .let(m => 5) -> $.len()
        | .splitWhere(<rec to bool>).select($.len())| .accumulate([$1[0] + 1, $2.name], [0, ''])
        | .groupBy($.n, $.name).select([$[0], $[1].orderBy($).toList()])| .sliceWhere(<rec to bool>).select($.select($.n).toList())
        | .select(let(v => <rec to int>) -> $v * 2 + <int>)
        | .select($.net + {n => <rec to int>})| .join($data, $1.n + 1 = $2.n, [$1.name, $2.name])
        | .join($data.take(9), $1.os.toLower() = $2.os.toLower(), [$1.n, $2.n])""",
    'seq int': """.where(<int to bool>)| .select(<int to int>)| .orderBy($)| .orderByDescending(<int to int>)| .distinct()| .skip(1)
        | .take(5)| .reverse()| .accumulate($1 + $2, 0)| .selectMany([$, $ + 1])
        | .takeWhile(<int to bool>)| .zip(range(9)).select($[0] * $[1])| .append(<int>, 4)| .enumerate().select($[0] - $[1])
        | .groupBy($ mod 3).select($[1].sum(0))| .defaultIfEmpty([7])""",
    'seq int -> text': """.select(str($))| .select(<int to text>)| .select('{0:>4}|'.format($))""",
    'seq text': """.where(<text to bool>)| .select(<text to text>)| .orderBy($)| .distinct()| .take(4)| .reverse()
        | .selectMany($.split('-'))| .orderByDescending(len($))| .where($ != '')| .toSet().orderBy($)""",
    'seq text -> int': """.select(len($))| .select(<text to int>)| .groupBy($).select($[1].len())| .groupBy($[0], $).select($[1].len())""",
    'end rec': """| .toList()| .len()| .count()| .first(null)| .last(null)| .any(<rec to bool>)| .all(<rec to bool>)
        | .toDict($.name, <rec to any>)| .toDict($.n)| .select($.name).join(',')| .max($.n)
        | .aggregate($1 + $2.n, 0)| .aggregate($1.set($2.os, $1.get($2.os, 0) + $2.n), {})| .aggregate($1 + {$2.name => $2.n}, {})
        | .aggregate($1.mergeWith({$2.os => [$2.n]}), {})
        | .indexWhere(<rec to bool>)| .groupBy($.os).toDict($[0], $[1].len())| .single()| .select(<rec to int>).sum(0)
        | .select(<rec to float>).sum(0)| .select(<rec to float>).max(0)
        | .aggregate($1.set($2.os, $1.get($2.os, []) + [<int>]), {})| .len() > 3""",
    'end int': """| .toList()| .sum(0)| .sum()| .max(0)| .min()| .first(0)| .len()| .any($ > 3)| .toSet().len()
        | .aggregate($1 * 2 + $2, 1)| .toDict($, str($))| .last(0)| .select(str($)).join('')
        | .indexOf(<int>)| .all($ > 0)""",
    'end text': """| .toList()| .join('-')| .first('')| .len()| .toDict($, len($))| .aggregate($1 + $2, '')| .max('')| .any($ = web)
        | .toDict($, $.toUpper())| .last('')| .aggregate($1.set($2, $1.get($2, 0) + 1), {})""",
    'end any': """| .toList()| .len()| .first(null)| .take(3)""",
}
TEMPLATES = {k: [x.strip() for x in re.split(r'\|(?=[ \n])', ' ' + v)] for k, v in TEMPLATES.items()}
FIELDS = {'int': ['n', 'cpu'], 'text': ['name', 'os'], 'float': ['f'], 'ints': ['nums'], 'bool': ['up']}

LEAVES = {
    'int': ['0', '1', '2', '3', '7', '20', '64'], 'text': ["'%s'" % w for w in WORDS], 'float': ['0.5', '2.0', '1.25'], 'bool': ['true', '3 > 2'],
    'ints': ['[3, 1, 2]'],
    'rec': ['$data.first()'], 'dict': ['{web => 1, a => 2}'], 'any': ['0', '1', '64'],
}


class Expression:
    def __init__(self, r):
        self.r, self.of = r, []     # of: what `$` is, innermost last

    def chance(self, p):
        return self.r.random() < p

    def pipeline(self, deep=2):
        of, text = 'rec', '$data' if self.of else self.r.choice(['$', '$', '$data'])
        for _ in range(self.r.randint(1, 4 if deep > 1 else 2)):
            to = self.r.choice([k for k in TEMPLATES if k == 'seq ' + of or k.startswith('seq %s -> ' % of)] * 2 + ['seq ' + of] * 3)
            text += self.filled(self.r.choice(TEMPLATES[to]), deep)
            of = to.split(' -> ')[-1].split()[-1]
            if of == 'any':
                break
        return text, of

    def whole(self):
        text, of = self.pipeline()
        end = self.filled(self.r.choice(TEMPLATES['end ' + of]), 1)
        return self.r.choice(['%s', '%s', '%s', 'let(data => $) -> (%s)', '{r => %s, n => 1}', '[%s, $.len()]']).replace('%s', text + end)

    def expr(self, type, deep):
        if deep <= 0 or self.chance(.3):
            return self.leaf(type)
        return self.filled(self.r.choice(TEMPLATES[type]), deep - 1)

    def leaf(self, type):
        inner = self.of[-1] if self.of else None
        if inner == type and self.chance(.7):
            return '$'
        if inner == 'rec' and type in FIELDS and self.chance(.8):
            return '$.' + self.r.choice(FIELDS[type])
        return self.r.choice(LEAVES[type])

    def filled(self, template, deep):
        return re.sub('<([^<>=]+)>', lambda m: self.slot(m.group(1), deep), template)

    def slot(self, what, deep):
        if what == 'word':
            return "'%s'" % self.r.choice(WORDS)
        if what == 'small':
            return self.r.choice(['0', '1', '2'])
        of, _, to = what.rpartition(' to ')
        if of:
            self.of.append(of)
            x = self.expr(to, min(deep, 2))
            self.of.pop()
            return x
        if what.startswith('seq '):
            return '$data.take(3)' if what == 'seq rec' else '$data.select($.n)'
        x = self.expr(to, deep - 1)
        return x if re.fullmatch(r"[$\w.]+|'[^']*'|\[[^\[\]]*\]", x) else '(%s)' % x


def record(r, i, odd):
    d = {
        'name': r.choice(WORDS) + r.choice(['', str(i % 9)]), 'os': r.choice(['linux', 'bsd', 'Linux', 'win']),
        'n': r.choice([i, r.randint(-3, 9), r.randint(0, 5)]),
        'cpu': r.choice([1, 2, 4, 8, 64]), 'f': r.choice([0.5, 1.25, 3.0, r.random(), -2.5]), 'up': r.random() < .6,
        'tags': r.sample(['a', 'web', 'db', 'x y', 'prod', 'Ünï'], r.randint(0, 3)), 'nums': [r.randint(-5, 20) for _ in range(r.randint(0, 4))],
        'load': [r.choice([0.25, 1.5, r.random()]) for _ in range(r.randint(0, 3))], 'net': {'ip': '10.0.%d.%d' % (i % 4, i % 250), 'dhcp': r.random() < .5},
        'disks': [{'mount': r.choice(['/', '/var', '/home']), 'gib': r.choice([10, 50, 200]), 'used': r.randint(0, 100)} for _ in range(r.randint(0, 3))],
        'odd': r.choice([3, 7])}
    if r.random() < .3:
        d['note'] = r.choice(['hi', 'web', None])
    if r.random() < .4:
        d['net']['mtu'] = 1500
    if odd and r.random() < odd:
        what = r.choice(['n', 'cpu', 'name', 'os', 'f', 'odd', 'tags', 'nums', 'net', 'disks', 'up'])
        if r.random() < .4:
            del d[what]
        else:
            d[what] = r.choice([None, 'txt', 2.5, 12345678901234567890, True, [], {}, 0])
    return d


def plain(x):
    """With one form for dicts whose keys are no texts, and for large integers, which --batch marks. Dicts keep their order."""
    if isinstance(x, dict):
        if list(x) == ['$int']:
            return int(x['$int'])
        items = x['$dict'] if list(x) == ['$dict'] else x.items()
        return {k if isinstance(k, str) else json.dumps(plain(k), ensure_ascii=False): plain(v) for k, v in items}
    return [plain(v) for v in x] if isinstance(x, (list, tuple)) else x


def asked_of_yaql(engine, texts, data):
    for t in texts:
        try:
            context = yaql.create_context(convention=None)
            context['$data'] = yaql.language.utils.convert_input_data(data)
            yield json.dumps(plain(engine(t).evaluate(data=data, context=context)), ensure_ascii=False)
        except Exception as e:      # whatever yaql raises is its answer
            yield 'error: %s: %s' % (type(e).__name__, e)
        except RecursionError:
            yield 'error: recursion'


def asked_of_vetro(vetro, texts, data, options):
    lines = ''.join(json.dumps({'expr': 'let(data => $) -> (%s)' % t, 'data': data}) + '\n' for t in texts)
    p = subprocess.run([vetro, 'query', '--batch'] + options, input=lines, capture_output=True, text=True)
    out = [json.loads(x) for x in p.stdout.splitlines()]
    if len(out) < len(texts):
        sys.exit('vetro ended early: status %d %s\n%s' % (p.returncode, p.stderr[-500:], texts[len(out)]))
    for a in out:
        yield json.dumps(plain(a['value']), ensure_ascii=False) if 'value' in a else 'error: %s' % json.dumps(a.get('error'))


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--count', type=int, default=200)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--records', type=int)
    p.add_argument('--odd', type=float, help='how many records have a member that is missing or of another type')
    p.add_argument('--option', action='append', default=[], help='of vetro query, as in --option=-fno-fuse')
    p.add_argument('vetro')
    o = p.parse_args()
    engine = yaql.factory.YaqlFactory().create()
    total = bad = raised = 0
    for seed in range(o.seed, o.seed + (o.count + 49) // 50):
        r = random.Random(seed)
        n = o.records or r.choice([1, 5, 20, 60, 150])
        odd = o.odd if o.odd is not None else r.choice([0, 0, .02, .3])
        data = [record(r, i, odd) for i in range(n)]
        texts = [Expression(r).whole() for _ in range(50)]
        for t, x, y in zip(texts, asked_of_vetro(o.vetro, texts, data, o.option), asked_of_yaql(engine, ['let(data => $) -> (%s)' % t for t in texts], data)):
            total += 1
            raised += y.startswith('error')
            if x != y and not (x.startswith('error') and y.startswith('error')):
                bad += 1
                print('seed %d, %d records: %s\n  vetro: %s\n  yaql:  %s' % (seed, n, t, x[:300], y[:300]))
    print('%d pipelines, %d raised, %d differ' % (total, raised, bad))
    sys.exit(bad > 0)


main()
