"""Pipelines that nobody wrote: parts put together in all ways, beside the comprehension that a Python programmer writes.

usage: grid.py YAQL DIR [--every N] [--only NAME] [--records N] [--worst RATIO]     how fast, beside Python
       grid.py YAQL DIR --growth [..]                                              the time for four times the records
       grid.py --right VETRO DIR [..]                                              only whether the results are right

YAQL is the benchmark's driver, DIR has the documents. A pipeline's name is its parts: `words.where.join`. --every 20 takes each
twentieth, --only those that have the text in their name. The least of the runs counts. The exit status is 1 where a result is
wrong. Two in three of these parts were never measured alone, so a cliff that the other benchmarks step over is found here.
"""
import argparse
import collections
import functools
import itertools
import json
import os
import random
import re
import subprocess
import sys
import timeit

DEPTS = ['eng', 'ops', 'sales', 'hr', 'legal', 'it support']
CITIES = ['Berlin', 'Lyon', 'Zürich', 'Oslo', 'São Paulo', 'Kyoto']
WORDS = 'the quick brown fox jumps over lazy dog while seven wizards quietly vex jovial knights'.split()


def person(i, r):
    scores = [r.randint(0, 100) for _ in range(r.randint(0, 6))]
    one = {
        'id': i, 'name': '%s %s%d' % (r.choice(['Ann', 'Bob', 'Cid', 'Dora', 'Emil', 'Fay']), r.choice(['Stone', 'Müller', 'Okafor', 'Li']), i % 50),
        'mail': 'u%d@%s.example.%s' % (i, r.choice(['a', 'bb', 'ccc']), r.choice(['com', 'org'])), 'dept': r.choice(DEPTS),
        'pay': round(r.uniform(1000, 9000), 2), 'age': r.randint(18, 70), 'tags': r.sample(['remote', 'lead', 'new', 'temp', 'vip', 'night'], r.randint(0, 3)),
        'skills': {s: r.randint(1, 5) for s in r.sample(['c', 'go', 'sql', 'perl', 'lua', 'rust'], r.randint(1, 4))},
        'joined': '20%02d-%02d-%02dT%02d:00:00Z' % (r.randint(10, 25), r.randint(1, 12), r.randint(1, 28), r.randint(0, 23)),
        'addr': {'city': r.choice(CITIES), 'zip': str(r.randint(10000, 99999))}, 'mgr': r.choice([None, r.randint(0, max(1, i - 1))]),
        'notes': ' '.join(r.choice(WORDS) for _ in range(r.randint(2, 9))), 'scores': scores, 'parts': [x / 8 for x in scores] + [0.5]}
    if r.random() < .6:
        one['phone'] = '+%d-%03d' % (r.randint(1, 99), r.randint(0, 999))
    return one


def document(n):
    r = random.Random(11)
    people = [person(i, r) for i in range(n)]
    return {'people': people, 'depts': [{'key': d, 'floor': i} for i, d in enumerate(DEPTS)], 'at': {'%d/%s' % (p['id'], p['mail']): p for p in people}}


# ---- lists of a record: a source, what is between, the end.  Each part is YAQL and Python; %s is what stands in front. ----

# The kind of the items: texts, integers, floats, pairs.
LISTS = {
    'tags': ('$.tags', "r['tags']", 's'), 'scores': ('$.scores', "r['scores']", 'i'), 'keys': ('$.skills.keys()', "list(r['skills'])", 's'),
    'values': ('$.skills.values()', "list(r['skills'].values())", 'i'), 'items': ('$.skills.items()', "list(r['skills'].items())", 'p'),
    'words': ('$.notes.split(" ")', "r['notes'].split(' ')", 's'), 'chars': ('$.dept.toCharArray()', "list(r['dept'])", 's'),
    'range': ('range($.age mod 9)', "list(range(r['age'] % 9))", 'i'), 'floats': ('$.parts', "r['parts']", 'f')}
ASKED = {'s': ('$ > k', "x > 'k'"), 'i': ('$ > 2', 'x > 2'), 'f': ('$ > 2.5', 'x > 2.5'), 'p': ('$[1] > 2', 'x[1] > 2')}
MADE = {'s': ('$ + "!"', "x + '!'"), 'i': ('$ * 3', 'x * 3'), 'f': ('$ / 2', 'x / 2'), 'p': ('$[0]', 'x[0]')}


def between(kind):
    (asked, py_asked), (made, py_made) = ASKED[kind], MADE[kind]
    after = 's' if kind == 'p' else kind
    yield 'none', '%s', '%s', kind
    yield 'where', '%%s.where(%s)' % asked, '[x for x in %%s if %s]' % py_asked, kind
    yield 'select', '%%s.select(%s)' % made, '[%s for x in %%s]' % py_made, after
    yield 'both', '%%s.where(%s).select(%s)' % (asked, made), '[%s for x in %%s if %s]' % (py_made, py_asked), after
    yield 'distinct', '%s.distinct()', 'list(dict.fromkeys(%s))', kind
    yield 'reverse', '%s.reverse()', '%s[::-1]', kind
    yield 'order', '%s.orderBy($[1])' if kind == 'p' else '%s.orderBy($)', 'sorted(%s, key=second)' if kind == 'p' else 'sorted(%s)', kind
    if kind != 'p':
        yield 'falling', '%s.orderByDescending($)', 'sorted(%s, reverse=True)', kind
        yield 'append', '%s.append(zz)' if kind == 's' else '%s.append(7)', "%s + ['zz']" if kind == 's' else '%s + [7]', kind
        yield 'twice', '%s.concat(%s)', '(lambda q: q + q)(%s)', kind
    yield 'limit', '%s.limit(2)', '%s[:2]', kind
    yield 'skip', '%s.skip(1)', '%s[1:]', kind
    yield 'list', '%s.toList()', 'list(%s)', kind
    yield 'even', '%s.enumerate().where($[0] mod 2 = 0).select($[1])', '[x for i, x in enumerate(%s) if i %% 2 == 0]', kind
    yield 'while', '%%s.takeWhile(%s)' % asked, 'list(itertools.takewhile(lambda x: %s, %%s))' % py_asked, kind
    yield 'behind', '%%s.skipWhile(%s)' % asked, 'list(itertools.dropwhile(lambda x: %s, %%s))' % py_asked, kind


def ends(kind):
    asked, py_asked = ASKED[kind]
    yield 'len', '%s.toList().len()', 'len(%s)'
    yield 'all', '%s.toList()', '%s'
    yield 'first', '%s.first(null)', 'next(iter(%s), None)'
    yield 'last', '%s.last(null)', '(lambda q: q[-1] if q else None)(%s)'
    yield 'any', '%%s.any(%s)' % asked, 'any(%s for x in %%s)' % py_asked
    yield 'every', '%%s.all(%s)' % asked, 'all(%s for x in %%s)' % py_asked
    if kind in 'if':
        yield 'sum', '%s.sum(0)', 'sum(%s)'
        yield 'max', '%s.max(0)', 'max(%s, default=0)'
        yield 'fold', '%s.aggregate($1 * 2 + $2, 0)', 'functools.reduce(lambda a, b: a * 2 + b, %s, 0)'
        yield 'in', '(3 in %s)', '3 in %s'
    elif kind == 's':
        yield 'join', '%s.join(",")', "','.join(%s)"
        yield 'in', '(go in %s)', "'go' in %s"
        yield 'lengths', '%s.select($.len()).sum(0)', 'sum(len(x) for x in %s)'
    if kind == 'p':
        yield 'dict', '%s.toDict($[0], $[1])', '{x[0]: x[1] for x in %s}'
        return
    yield 'dict', '%s.toDict($, 1)', '{x: 1 for x in %s}'
    yield 'set', '%s.toSet().len()', 'len(set(%s))'
    yield 'groups', '%s.groupBy($).select([$[0], $[1].len()])', 'list(collections.Counter(%s).items())'


def lists():
    for name, (source, py_source, kind) in LISTS.items():
        for mid, made, py_made, after in between(kind):
            for end, asked, py_asked in ends(after):
                yield ('%s.%s.%s' % (name, mid, end), '$.people.select(%s)' % asked.replace('%s', made.replace('%s', source)),
                       '[%s for r in P]' % put(py_asked, '(%s)' % put(py_made, py_source)))


def put(part, what):
    return part.replace('%%', '\0').replace('%s', what).replace('\0', '%')


# ---- texts and numbers of a record ----

TEXTS = {'name': ('$.name', "r['name']"), 'notes': ('$.notes', "r['notes']"), 'mail': ('$.mail', "r['mail']"), 'str': ('str($.id)', "str(r['id'])"),
         'city': ('$.addr.city', "r['addr']['city']")}
EDITS = {
    'none': ('%s', '%s'), 'upper': ('%s.toUpper()', '%s.upper()'), 'lower': ('%s.toLower()', '%s.lower()'), 'part': ('%s.substring(1, 3)', '%s[1:4]'),
    'rest': ('%s.substring(2)', '%s[2:]'), 'replace': ('%s.replace("o", "0")', "%s.replace('o', '0')"), 'without': ('%s.replace("er", "")', "%s.replace('er', '')"),
    'trim': ('%s.trim("uAB")', "%s.strip('uAB')"), 'cat': ('(%s + "-x")', "(%s + '-x')"), 'pre': ('("<" + %s)', "('<' + %s)"),
    'first': ('%s.split(" ").first()', "%s.split(' ')[0]"), 'last': ('%s.split("@").last()', "%s.split('@')[-1]"),
    'turned': ('%s.toCharArray().reverse().join("")', '%s[::-1]'), 'joined': ('%s.split(" ").join("_")', "'_'.join(%s.split(' '))"),
    'format': ('"[{0}]".format(%s)', "'[{0}]'.format(%s)"), 'right': ('%s.rightSplit(".", 1).first()', "%s.rsplit('.', 1)[0]"), 'twice': ('(%s * 2)', '(%s * 2)')}
OF_TEXTS = {
    'itself': ('%s', '%s'), 'len': ('%s.len()', 'len(%s)'), 'starts': ('%s.startsWith("a", "u", "1")', "%s.startswith(('a', 'u', '1'))"), 'has': ('("an" in %s)', "'an' in %s"),
    'place': ('%s.indexOf("e")', "%s.find('e')"), 'behind': ('%s.lastIndexOf("e")', "%s.rfind('e')"), 'same': ('(%s = "Ann")', "%s == 'Ann'"), 'less': ('(%s < "d")', "%s < 'd'"),
    'words': ('%s.split(" ").len()', "len(%s.split(' '))"), 'digit': ('(%s =~ "[0-9]$")', 'bool(DIGIT.search(%s))'), 'empty': ('%s.isEmpty()', 'len(%s) == 0'),
    'ends': ('%s.endsWith("n", "m")', "%s.endswith(('n', 'm'))"), 'letters': ('%s.toCharArray().distinct().len()', 'len(set(%s))'),
    'switch': ('switch(%s.startsWith("a") => 1, true => 2)', "1 if %s.startswith('a') else 2")}
NUMBERS = {'age': ('$.age', "r['age']"), 'pay': ('$.pay', "r['pay']"), 'whole': ('int($.pay)', "int(r['pay'])"), 'mixed': ('($.age * $.pay)', "(r['age'] * r['pay'])"),
           'count': ('$.scores.len()', "len(r['scores'])"), 'get': ('$.skills.get(c, 0)', "r['skills'].get('c', 0)")}
SUMS = {
    'none': ('%s', '%s'), 'plus': ('(%s + 1)', '(%s + 1)'), 'times': ('(%s * 3)', '(%s * 3)'), 'quarter': ('(%s / 4)', '(%s // 4 if isinstance(%s, int) else %s / 4)'),
    'mod': ('(%s mod 7)', '(%s %% 7)'), 'minus': ('(-%s)', '(-%s)'), 'abs': ('abs(%s - 40)', 'abs(%s - 40)'), 'max': ('max(%s, 30)', 'max(%s, 30)'),
    'min': ('min(%s, $.id)', "min(%s, r['id'])"), 'pow': ('pow(%s, 2)', 'pow(%s, 2)'), 'float': ('float(%s)', 'float(%s)'), 'bits': ('bitwiseAnd(int(%s), 12)', '(int(%s) & 12)')}
OF_NUMBERS = {
    'itself': ('%s', '%s'), 'more': ('(%s > 20)', '%s > 20'), 'in': ('(%s in [1, 2, 30])', '%s in [1, 2, 30]'), 'list': ('[%s, $.id]', "[%s, r['id']]"), 'str': ('str(%s)', 'str(%s)'),
    'switch': ('switch(%s < 10 => a, %s < 50 => b, true => c)', "'a' if %s < 10 else 'b' if %s < 50 else 'c'"), 'record': ('{v => %s}', "{'v': %s}"),
    'and': ('(%s > 5 and $.age < 60)', "(%s > 5 and r['age'] < 60)"), 'case': ('selectCase(%s < 10, %s < 50)', '(0 if %s < 10 else 1 if %s < 50 else 2)')}


def values(kind, sources, made, asked):
    for (a, (source, py_source)), (b, (edit, py_edit)), (c, (end, py_end)) in itertools.product(sources.items(), made.items(), asked.items()):
        yield '%s.%s.%s.%s' % (kind, a, b, c), '$.people.select(%s)' % end.replace('%s', edit.replace('%s', source)), '[%s for r in P]' % put(py_end, put(py_edit, py_source))


# ---- all records: who, by what, what for.  %s is who, %k the key, %2 the key of $2 ----

WHO = {
    'all': ('$.people', 'P'), 'older': ('$.people.where($.age > 30)', "[r for r in P if r['age'] > 30]"), 'dept': ('$.people.where($.dept = eng)', "[r for r in P if r['dept'] == 'eng']"),
    'tagged': ('$.people.where(lead in $.tags)', "[r for r in P if 'lead' in r['tags']]"), 'led': ('$.people.where($.mgr != null)', "[r for r in P if r['mgr'] is not None]"),
    'mail': ('$.people.where($.mail =~ "[.]org$")', "[r for r in P if ORG.search(r['mail'])]"), 'any': ('$.people.where($.scores.any($ > 80))', "[r for r in P if any(x > 80 for x in r['scores'])]"),
    'or': ('$.people.where($.age < 25 or $.pay > 8000)', "[r for r in P if r['age'] < 25 or r['pay'] > 8000]")}
KEYS = {
    'dept': ('$.dept', "r['dept']"), 'city': ('$.addr.city', "r['addr']['city']"), 'age': ('$.age', "r['age']"), 'decade': ('$.age / 10', "r['age'] // 10"),
    'year': ('$.joined.substring(0, 4)', "r['joined'][:4]"), 'tags': ('$.tags.len()', "len(r['tags'])"), 'first': ('$.name.split(" ").first()', "r['name'].split(' ')[0]"),
    'pair': ('[$.dept, $.tags.len()]', "(r['dept'], len(r['tags']))")}
BY_KEY = {
    'count': ('%s.groupBy(%k).select([$[0], $[1].len()])', '[[k, len(v)] for k, v in groups(%s, lambda r: %k).items()]'),
    'sum': ('%s.groupBy(%k, $.pay).select([$[0], $[1].sum()])', "[[k, sum(v)] for k, v in groups(%s, lambda r: %k, lambda r: r['pay']).items()]"),
    'mean': ('%s.groupBy(%k, $.age).select({k => $[0], a => $[1].sum() / $[1].len()})', "[{'k': k, 'a': sum(v) // len(v)} for k, v in groups(%s, lambda r: %k, lambda r: r['age']).items()]"),
    'best': ('%s.groupBy(%k).select([$[0], $[1].orderByDescending($.pay).first().id])', "[[k, max(v, key=lambda r: r['pay'])['id']] for k, v in groups(%s, lambda r: %k).items()]"),
    'names': ('%s.groupBy(%k, $.name).select([$[0], $[1].distinct().orderBy($).limit(3).toList()])', "[[k, sorted(set(v))[:3]] for k, v in groups(%s, lambda r: %k, lambda r: r['name']).items()]"),
    'dict': ('%s.groupBy(%k, $.id).toDict(str($[0]), $[1].len())', "{str(k): len(v) for k, v in groups(%s, lambda r: %k, lambda r: r['id']).items()}"),
    'greatest': ('%s.groupBy(%k, $.age, [$[0], $[1].max()])', "[[k, max(v)] for k, v in groups(%s, lambda r: %k, lambda r: r['age']).items()]"),
    'distinct': ('%s.select(%k).distinct()', 'list(dict.fromkeys(%k for r in %s))'), 'set': ('%s.select(%k).toSet().len()', 'len({%k for r in %s})'),
    'order': ('%s.orderBy(%k).select($.id)', "[r['id'] for r in sorted(%s, key=lambda r: %k)]"),
    'falling': ('%s.orderByDescending(%k).thenBy($.id).select($.id).limit(10)', "[r['id'] for r in sorted(sorted(%s, key=lambda r: r['id']), key=lambda r: %k, reverse=True)[:10]]"),
    'fold': ('%s.aggregate($1.set(str(%2), $1.get(str(%2), 0) + 1), {})', 'dict(collections.Counter(str(%k) for r in %s))'),
    'index': ('%s.toDict(%k, $.id).len()', "len({%k: r['id'] for r in %s})"), 'record': ('%s.select({k => %k, id => $.id})', "[{'k': %k, 'id': r['id']} for r in %s]"),
    'row': ('%s.select([%k, $.id, $.age])', "[[%k, r['id'], r['age']] for r in %s]"),
    'lookup': ('let(d => %s.groupBy(%k, $.id).toDict($[0], $[1])) -> $.people.limit(100).select($d.get(%k, []).len())', "(lambda d: [len(d.get(%k, [])) for r in P[:100]])(groups(%s, lambda r: %k, lambda r: r['id']))")}
OF_ALL = {
    'flat': ('%s.selectMany($.scores).where($ > 50).len()', "sum(1 for r in %s for x in r['scores'] if x > 50)"),
    'join': ('%s.join($.depts, $1.dept = $2.key, [$1.id, $2.floor])', "(lambda at: [[r['id'], at[r['dept']]['floor']] for r in %s])({d['key']: d for d in D['depts']})"),
    'numbered': ('%s.enumerate().select([$[0], $[1].id])', "[[i, r['id']] for i, r in enumerate(%s)]"),
    'steps': ('%s.zip(%s.skip(1)).select($[1].age - $[0].age)', "(lambda q: [b['age'] - a['age'] for a, b in zip(q, q[1:])])(%s)"),
    'slices': ('%s.select($.age).slice(5).select($.max())', "(lambda q: [max(q[i:i + 5]) for i in range(0, len(q), 5)])([r['age'] for r in %s])"),
    'running': ('%s.select($.age).accumulate($1 + $2)', "list(itertools.accumulate(r['age'] for r in %s))"),
    'span': ('%s.select($.pay).max() - %s.select($.pay).min()', "(lambda q: max(q) - min(q))([r['pay'] for r in %s])"),
    'line': ('%s.select(str($.id) + "=" + $.name).join(";")', "';'.join(str(r['id']) + '=' + r['name'] for r in %s)")}


def whole():
    for (a, (who, py_who)), (b, (key, py_key)), (c, (what, py_what)) in itertools.product(WHO.items(), KEYS.items(), BY_KEY.items()):
        if b == 'pair' and c in ('order', 'falling'):
            continue  # lists have no order
        yield ('all.%s.%s.%s' % (a, b, c), what.replace('%s', who).replace('%k', key).replace('%2', key.replace('$.', '$2.')),
               py_what.replace('%s', py_who).replace('%k', py_key))
    for (a, (who, py_who)), (c, (what, py_what)) in itertools.product(WHO.items(), OF_ALL.items()):
        yield 'all.%s.%s' % (a, c), what.replace('%s', who), py_what.replace('%s', py_who)


# ---- every function of collections in a line that somebody would write.  @ is `$.people` and P ----

IDIOMS = [
    ('@.age.sum()', "sum(r['age'] for r in P)"), ('@.where($.age > 40).pay', "[r['pay'] for r in P if r['age'] > 40]"),
    ('@.filter($.age > 40).len()', "sum(1 for r in P if r['age'] > 40)"), ('@.map($.age).max()', "max(r['age'] for r in P)"), ('@.age.where($ > 40)', "[r['age'] for r in P if r['age'] > 40]"),
    ('@.addr.city', "[r['addr']['city'] for r in P]"), ('@.addr.city.distinct()', "list(dict.fromkeys(r['addr']['city'] for r in P))"), ('@.tags.flatten().len()', "sum(1 for r in P for x in r['tags'])"),
    ('@.name.select($.toUpper())', "[r['name'].upper() for r in P]"), ('@.scores.select($.len()).sum()', "sum(len(r['scores']) for r in P)"),
    ('@.tags.select($.join("-"))', "['-'.join(r['tags']) for r in P]"), ('@.tags.where($.len() > 1).len()', "sum(1 for r in P if len(r['tags']) > 1)"),
    ('@.skills.select($.keys().toList())', "[list(r['skills']) for r in P]"), ('@.select($.skills.keys()).flatten()', "[x for r in P for x in r['skills']]"),
    ('@.select($.skills.values().sum())', "[sum(r['skills'].values()) for r in P]"), ('@.select($.skills.items().len())', "[len(r['skills']) for r in P]"),
    ('@.selectMany($.skills.keys()).distinct().len()', "len({x for r in P for x in r['skills']})"), ('@.selectMany($.skills.values()).sum()', "sum(x for r in P for x in r['skills'].values())"),
    ('@.selectMany($.skills.items()).where($[1] > 3).len()', "sum(1 for r in P for k, x in r['skills'].items() if x > 3)"), ('@.selectMany($.scores).max()', "max(x for r in P for x in r['scores'])"),
    ('@.enumerate().where($[0] mod 3 = 0).select($[1].id)', "[r['id'] for i, r in enumerate(P) if i % 3 == 0]"), ('@.enumerate(1).select([$[0], $[1].name])', "[[i, r['name']] for i, r in enumerate(P, 1)]"),
    ('@.zip(@.skip(1)).select($[1].id - $[0].id)', "[b['id'] - a['id'] for a, b in zip(P, P[1:])]"), ('@.age.zip(@.pay).select($[0] * $[1])', "[a * b for a, b in zip([r['age'] for r in P], [r['pay'] for r in P])]"),
    ('@.age.zipLongest(@.age.limit(9), default => 0).select($[0] + $[1])', "[a + b for a, b in itertools.zip_longest([r['age'] for r in P], [r['age'] for r in P[:9]], fillvalue=0)]"),
    ('@.join(@.limit(3), $1.age = $2.age, [$1.id, $2.id])', "[[a['id'], b['id']] for a in P for b in P[:3] if a['age'] == b['age']]"), ('@.name.indexOf(zzz)', "(lambda q: q.index('zzz') if 'zzz' in q else -1)([r['name'] for r in P])"),
    ('@.age.lastIndexOf(-1)', "next((i for i in range(len(P) - 1, -1, -1) if P[i]['age'] == -1), -1)"), ('@.indexWhere($.age > 200)', "next((i for i, r in enumerate(P) if r['age'] > 200), -1)"),
    ('@.lastIndexWhere($.age > 200)', "next((i for i in range(len(P) - 1, -1, -1) if P[i]['age'] > 200), -1)"), ('@.slice(10).select($.len())', '[len(P[i:i + 10]) for i in range(0, len(P), 10)]'),
    ('@.slice(10).select($.age.sum())', "[sum(r['age'] for r in P[i:i + 10]) for i in range(0, len(P), 10)]"), ('@.splitAt(100).select($.len())', '[len(P[:100]), len(P[100:])]'),
    ('@.age.splitWhere($ mod 10 = 0).select($.len())', "[len(x) for x in split_where([r['age'] for r in P], lambda x: x % 10 == 0)]"), ('@.skipWhile($.age > 0).len()', "len(list(itertools.dropwhile(lambda r: r['age'] > 0, P)))"),
    ('@.takeWhile($.age > 0).len()', "len(list(itertools.takewhile(lambda r: r['age'] > 0, P)))"), ('@.skip(10).age.sum()', "sum(r['age'] for r in P[10:])"), ('@.take(900).pay.max()', "max(r['pay'] for r in P[:900])"),
    ('@.reverse().id', "[r['id'] for r in P[::-1]]"), ('@.append(1).len()', 'len(P + [1])'), ('@.concat(@).age.sum()', "sum(r['age'] for r in P + P)"), ('(@ + @).age.sum()', "sum(r['age'] for r in P + P)"),
    ('@.id.insert(5, 1)', "(lambda q: q.insert(5, 1) or q)([r['id'] for r in P])"), ('@.id.delete(5).sum()', "(lambda q: sum(q[:5] + q[6:]))([r['id'] for r in P])"), ('@.id.replace(5, 1).sum()', "(lambda q: sum(q[:5] + [1] + q[6:]))([r['id'] for r in P])"),
    ('@.age.toSet().len()', "len({r['age'] for r in P})"), ('@.memorize().age.sum()', "sum(r['age'] for r in list(P))"), ('@.distinct($.dept).id', "(lambda seen: [r['id'] for r in P if r['dept'] not in seen and not seen.add(r['dept'])])(set())"),
    ('@.groupBy($.dept).select($[1].age.sum())', "[sum(r['age'] for r in v) for v in groups(P, lambda r: r['dept']).values()]"), ('@.groupBy($.dept).toDict($[0], $[1].id)', "{k: [r['id'] for r in v] for k, v in groups(P, lambda r: r['dept']).items()}"),
    ('@.groupBy($.dept).select($[1].name.join(","))', "[','.join(r['name'] for r in v) for v in groups(P, lambda r: r['dept']).values()]"),
    ('@.groupBy($.dept).select({d => $[0], of => $[1].id})', "[{'d': k, 'of': [r['id'] for r in v]} for k, v in groups(P, lambda r: r['dept']).items()]"),
    ('@.orderBy($.dept).id', "[r['id'] for r in sorted(P, key=lambda r: r['dept'])]"), ('@.orderBy($.dept).thenBy($.name).id', "[r['id'] for r in sorted(P, key=lambda r: (r['dept'], r['name']))]"),
    ('@.orderByDescending($.pay).id.take(3)', "[r['id'] for r in sorted(P, key=lambda r: r['pay'], reverse=True)[:3]]"), ('@.toDict($.id).keys().len()', "len({r['id']: r for r in P})"),
    ('@.toDict($.id).values().age.sum()', "sum(r['age'] for r in {r['id']: r for r in P}.values())"), ('@.toDict($.mail, $.age).items().where($[1] > 30).len()', "sum(1 for k, v in {r['mail']: r['age'] for r in P}.items() if v > 30)"),
    ('@.toDict($.id, $.age).values().where($ > 30).len()', "sum(1 for v in {r['id']: r['age'] for r in P}.values() if v > 30)"), ('@.toDict($.mail, 1).keys().where($ > u5).len()', "sum(1 for k in {r['mail']: 1 for r in P} if k > 'u5')"),
    ('@.all($.age > 0)', "all(r['age'] > 0 for r in P)"), ('@.any($.age < 0)', "any(r['age'] < 0 for r in P)"), ('@.age.all($ > 0)', "all(r['age'] > 0 for r in P)"), ('@.name.contains(zzz)', "'zzz' in [r['name'] for r in P]"),
    ('(zzz in @.name)', "'zzz' in [r['name'] for r in P]"), ('@.pay.min()', "min(r['pay'] for r in P)"), ('@.where($.age > 30).last().id', "[r for r in P if r['age'] > 30][-1]['id']"), ('@.where($.age > 30).id.last()', "[r['id'] for r in P if r['age'] > 30][-1]"),
    ('@.select($.tags).select($.len()).sum()', "sum(len(t) for t in [r['tags'] for r in P])"), ('@.select($?.age).sum()', "sum(r['age'] for r in P)"), ('@.select($.get(age)).sum()', "sum(r.get('age') for r in P)"),
    ('@.select($.get(phone, none))', "[r.get('phone', 'none') for r in P]"), ('@.select(coalesce($.mgr, $.id)).sum()', "sum(r['id'] if r['mgr'] is None else r['mgr'] for r in P)"), ('@.select(switch($.age > 40 => 1, true => 0)).sum()', "sum(1 if r['age'] > 40 else 0 for r in P)"),
    ('@.select(str($.age)).join(",")', "','.join(str(r['age']) for r in P)"), ('@.select(int(str($.age))).sum()', "sum(int(str(r['age'])) for r in P)"), ('@.select(format("{0}-{1}", $.name, $.age))', "['{0}-{1}'.format(r['name'], r['age']) for r in P]"),
    ('@.where($.mail.matches("u1.*")).len()', "sum(1 for r in P if r['mail'].startswith('u1'))"), ('@.select(let(a => $.age, b => 2) -> $a * $b).sum()', "sum((lambda a, b: a * b)(r['age'], 2) for r in P)"), ('@.select(with($.age, 2) -> $1 * $2).sum()', "sum((lambda a, b: a * b)(r['age'], 2) for r in P)"),
    ('@.select([$.name, $.age]).where($[1] > 30).select($[0])', "[q[0] for q in [[r['name'], r['age']] for r in P] if q[1] > 30]"), ('@.select({a => $.name, b => $.age}).where($.b > 30).a', "[q['a'] for q in [{'a': r['name'], 'b': r['age']} for r in P] if q['b'] > 30]"),
    ('@.select({a => $.name, b => $.age}).b.sum()', "sum(q['b'] for q in [{'a': r['name'], 'b': r['age']} for r in P])"), ('@.select(dict(a => $.age)).a.sum()', "sum(q['a'] for q in [dict(a=r['age']) for r in P])"),
    ('@.select($.skills.set(z, 1)).len()', "len([{**r['skills'], 'z': 1} for r in P])"), ('@.select($.skills.set(z, 1).z).sum()', "sum({**r['skills'], 'z': 1}['z'] for r in P)"), ('@.select($.addr.delete(zip)).city', "[{k: v for k, v in r['addr'].items() if k != 'zip'}['city'] for r in P]"),
    ('@.select($.addr.mergeWith({z => 1})).z.sum()', "sum({**r['addr'], 'z': 1}['z'] for r in P)"), ('@.select($.addr + {z => 1}).z.sum()', "sum({**r['addr'], 'z': 1}['z'] for r in P)"), ('@.where($.containsKey(phone)).phone', "[r['phone'] for r in P if 'phone' in r]"),
    ('@.where(phone in $.keys()).len()', "sum(1 for r in P if 'phone' in r)"), ('@.where(isDict($.addr)).len()', "sum(1 for r in P if isinstance(r['addr'], dict))"), ('@.where($.tags.contains(lead)).id', "[r['id'] for r in P if 'lead' in r['tags']]"),
    ('@.where(lead in $.tags).age.sum()', "sum(r['age'] for r in P if 'lead' in r['tags'])"), ('@.where($.tags.any($ = lead)).id', "[r['id'] for r in P if any(x == 'lead' for x in r['tags'])]"), ('@.where($.dept in [eng, ops]).id', "[r['id'] for r in P if r['dept'] in ['eng', 'ops']]"),
    ('@.where($.dept in set(eng, ops)).id', "[r['id'] for r in P if r['dept'] in {'eng', 'ops'}]"), ('@.accumulate($1 + $2.age, 0).last()', "list(itertools.accumulate(P, lambda a, r: a + r['age'], initial=0))[-1]"), ('@.age.accumulate($1 + $2)', "list(itertools.accumulate(r['age'] for r in P))"),
    ('@.reduce($1 + $2.age, 0)', "functools.reduce(lambda a, r: a + r['age'], P, 0)"), ('@.age.reduce($1 + $2)', "functools.reduce(lambda a, b: a + b, [r['age'] for r in P])"), ('@.age.sum() / @.len()', "sum(r['age'] for r in P) // len(P)"),
    ('@.age.select(float($)).sum()', "sum(float(r['age']) for r in P)"), ('@.select($.age / 2.0).sum()', "sum(r['age'] / 2.0 for r in P)"), ('@.age.select($ mod 7).toSet().len()', "len({r['age'] % 7 for r in P})"), ('range(0, @.len()).select($ * 2).sum()', 'sum(i * 2 for i in range(0, len(P)))'),
    ('@.select(generate($.age, $ > 9, $ / 2).len()).sum()', "sum(len(list(halved(r['age']))) for r in P)"), ('@.name.select($.substring(1)).join("")', "''.join(r['name'][1:] for r in P)"),
    ('@.name.orderBy($).first()', "sorted(r['name'] for r in P)[0]"), ('@.name.join(",").split(",").len()', "len(','.join(r['name'] for r in P).split(','))"), ('@.name.toSet().union(@.mail.toSet()).len()', "len({r['name'] for r in P} | {r['mail'] for r in P})"),
    ('@.name.toSet().intersect(@.mail.toSet()).len()', "len({r['name'] for r in P} & {r['mail'] for r in P})"), ('@.mail.toSet().difference(@.name.toSet()).len()', "len({r['mail'] for r in P} - {r['name'] for r in P})"),
    ('@.selectMany($.tags).groupBy($).toDict($[0], $[1].len())', "dict(collections.Counter(x for r in P for x in r['tags']))"), ('@.select($.notes.split(" ")).flatten().distinct().len()', "len({w for r in P for w in r['notes'].split(' ')})"), ('@.notes.join(" ").split(" ").groupBy($).select([$[0], $[1].len()])', "[[k, n] for k, n in collections.Counter(' '.join(r['notes'] for r in P).split(' ')).items()]"),
    ('@.select($.scores.orderByDescending($).first(0))', "[max(r['scores'], default=0) for r in P]"), ('@.select($.scores.where($ > 50).len())', "[sum(1 for x in r['scores'] if x > 50) for r in P]"), ('@.where($.scores.len() > 0).select($.scores.max() - $.scores.min())', "[max(r['scores']) - min(r['scores']) for r in P if r['scores']]"),
    ('@.toDict($.name, $.scores.sum(0)).len()', "len({r['name']: sum(r['scores']) for r in P})"), ('@.where($.joined > "2020").len()', "sum(1 for r in P if r['joined'] > '2020')"),
    ('@.select(int($.joined.substring(0, 4))).groupBy($).select([$[0], $[1].len()]).orderBy($[0])', "sorted([k, n] for k, n in collections.Counter(int(r['joined'][:4]) for r in P).items())"),
]

# The same of a dict, which is `$.at` and A.
IDIOMS += [
    ('$.at.keys().toList()', 'list(A)'), ('$.at.values().age.sum()', "sum(r['age'] for r in A.values())"), ('$.at.items().where($[1].age > 30).select($[0])', "[k for k, r in A.items() if r['age'] > 30]"),
    ('$.at.items().toDict($[0], $[1].age)', "{k: r['age'] for k, r in A.items()}"), ('dict($.at.items().where($[1].age > 30)).len()', "len(dict((k, r) for k, r in A.items() if r['age'] > 30))"),
    ('$.at.keys().where($ > u5).len()', "sum(1 for k in A if k > 'u5')"), ('$.at.keys().orderBy($).first()', 'sorted(A)[0]'), ('$.at.values().groupBy($.dept).select([$[0], $[1].len()])', "[[k, len(v)] for k, v in groups(A.values(), lambda r: r['dept']).items()]"),
    ('$.at.items().orderBy($[1].age).select($[0])', "[k for k, r in sorted(A.items(), key=lambda x: x[1]['age'])]"), ('$.at.items().select({k => $[0], a => $[1].age})', "[{'k': k, 'a': r['age']} for k, r in A.items()]"),
    ('$.at.delete("5/x").len()', "(lambda d: d.pop('5/x', None) or len(d))(dict(A))"), ('$.at.set(zz, 1).len()', "len({**A, 'zz': 1})"), ('$.at.mergeWith({zz => 1}).len()', "len({**A, 'zz': 1})"), ('($.at + {zz => 1}).len()', "len({**A, 'zz': 1})"),
    ('$.at.keys().toSet().difference(set(zz)).len()', "len(set(A) - {'zz'})"), ('$.at.values().tags.flatten().distinct()', "list(dict.fromkeys(x for r in A.values() for x in r['tags']))"), ('$.at.items().groupBy($[1].dept, $[0]).select([$[0], $[1].len()])', "[[k, len(v)] for k, v in groups(A.items(), lambda x: x[1]['dept'], lambda x: x[0]).items()]"),
    ('$.at.items().any($[1].age > 100)', "any(r['age'] > 100 for k, r in A.items())"), ('$.at.items().all($[1].age > 0)', "all(r['age'] > 0 for k, r in A.items())"), ('$.at.values().any($.age > 100)', "any(r['age'] > 100 for r in A.values())"), ('$.at.keys().any($ = zz)', "any(k == 'zz' for k in A)"),
    ('$.at.values().select($.age).max()', "max(r['age'] for r in A.values())"), ('$.at.keys().join(",")', "','.join(A)"), ('$.at.items().select($[0] + "=" + str($[1].age)).join(";")', "';'.join(k + '=' + str(r['age']) for k, r in A.items())"),
    ('$.at.items().selectMany($[1].tags).len()', "sum(1 for k, r in A.items() for x in r['tags'])"), ('$.at.keys().select($.split("@")[0]).distinct().len()', "len({k.split('@')[0] for k in A})"), ('$.at.values().select($.addr.set(z, 1)).len()', "len([{**r['addr'], 'z': 1} for r in A.values()])"),
    ('$.at.values().orderBy($.age).first().dept', "sorted(A.values(), key=lambda r: r['age'])[0]['dept']"), ('$.at.keys().zip($.at.values()).select([$[0], $[1].age])', "[[k, r['age']] for k, r in zip(A, A.values())]"), ('let(d => $.at) -> $.people.select($d.get("3/" + $.mail, null)).where($ != null).len()', "sum(1 for r in P if A.get('3/' + r['mail']) is not None)"),
    ('let(d => $.at) -> $.people.select($d[str($.id) + "/" + $.mail].age).sum()', "sum(A[str(r['id']) + '/' + r['mail']]['age'] for r in P)"), ('let(d => $.at) -> $.people.where($d.containsKey(str($.id) + "/" + $.mail)).len()', "sum(1 for r in P if str(r['id']) + '/' + r['mail'] in A)"),
    ('let(d => $.at) -> $.people.where($.mail in $d.keys()).len()', "sum(1 for r in P if r['mail'] in A)"), ('$.at.keys().select([$, 1]).toDict($[0], $[1]).len()', 'len({q[0]: q[1] for q in [[k, 1] for k in A]})'), ('$.at.deleteAll($.people.where($.age > 30).select(str($.id) + "/" + $.mail)).len()', "(lambda gone: len({k: r for k, r in A.items() if k not in gone}))({str(r['id']) + '/' + r['mail'] for r in P if r['age'] > 30})"),
    ('$.at.items().skip(3).first()[0]', "list(A.items())[3][0]"), ('$.at.keys().toList()[7]', 'list(A)[7]'), ('$.at.values().enumerate().select([$[0], $[1].id])', "[[i, r['id']] for i, r in enumerate(A.values())]"), ('$.at.items().select($[1].skills.get(c, 0)).sum()', "sum(r['skills'].get('c', 0) for k, r in A.items())"),
    ('$.at.items().aggregate($1 + $2[1].age, 0)', "functools.reduce(lambda a, x: a + x[1]['age'], A.items(), 0)"), ('$.at.keys().aggregate($1 + $2.len(), 0)', 'functools.reduce(lambda a, k: a + len(k), A, 0)'), ('$.at.values().toList().reverse().id', "[r['id'] for r in list(A.values())[::-1]]"),
]


def idioms():
    for yaql, py in IDIOMS:
        yield 'idiom.' + yaql.replace(' ', ''), yaql.replace('@', '$.people'), py


def pipelines():
    return itertools.chain(idioms(), lists(), values('text', TEXTS, EDITS, OF_TEXTS), values('number', NUMBERS, SUMS, OF_NUMBERS), whole())


# ---- running ----

def groups(rows, key, value=lambda r: r):
    made = {}
    for r in rows:
        made.setdefault(key(r), []).append(value(r))
    return made


def split_where(rows, is_end):
    parts = [[]]
    for x in rows:
        if is_end(x):
            parts.append([])
        else:
            parts[-1].append(x)
    return parts


def halved(x):
    while x > 9:
        yield x
        x //= 2


def comprehension(text, data):
    names = {'P': data['people'], 'A': data['at'], 'D': data, 'DIGIT': re.compile('[0-9]$'), 'ORG': re.compile('[.]org$'), 'groups': groups, 'split_where': split_where, 'halved': halved, 'second': lambda x: x[1],
             'collections': collections, 'functools': functools, 'itertools': itertools}
    return eval('lambda: ' + text, names)  # the text is ours


def is_same(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return isinstance(a, (int, float)) and isinstance(b, (int, float)) and abs(a - b) <= 1e-9 * max(1, abs(b))
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(is_same, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(is_same(a[k], b[k]) for k in a)
    return a == b


def written(directory, n):
    path = os.path.join(directory, 'grid-%d.json' % n)
    data = document(n)
    with open(path, 'w') as f:
        json.dump(data, f)
    return path, data


def seconds(driver, path, expr, result, least=0.012):
    out = subprocess.run([driver, 'eval', path, expr, str(least), result], capture_output=True, text=True)
    if out.returncode != 0:
        raise ValueError(out.stderr.strip())
    return json.loads(out.stdout)['least']


def quantiles(what, of, lowest):
    q = sorted(of)
    tenth, worst = (q[len(q) // 10], q[0]) if lowest else (q[-1 - len(q) // 10], q[-1])
    return '%-8s %5d   median %6.2f   tenth percentile %6.2f   worst %6.2f' % (what, len(q), q[len(q) // 2], tenth, worst)


def summary(rows, lowest):
    kinds = {}
    for value, name, _ in rows:
        kind = name.split('.')[0]
        kinds.setdefault(kind if kind in ('idiom', 'text', 'number', 'all') else 'list', []).append(value)
    for kind, of in kinds.items():
        print(quantiles(kind, of, lowest))
    print(quantiles('together', [r[0] for r in rows], lowest))


def measured(args, chosen):
    """Rows of (ratio, name, expression); how many were wrong."""
    rows, wrong = [], 0
    (path, data), result = written(args.dir, args.records), os.path.join(args.dir, 'grid-result.json')
    larger = written(args.dir, 4 * args.records)[0] if args.growth else None
    for name, expr, py in chosen:
        call = comprehension(py, data)
        try:
            if args.right:
                with open(result, 'w') as f:
                    subprocess.run([args.driver, 'query', '-c', expr, path], stdout=f, stderr=subprocess.PIPE, check=True)
            else:
                took = min(seconds(args.driver, path, expr, result) for _ in range(2))
            with open(result) as f:
                got = json.load(f)
        except (ValueError, subprocess.CalledProcessError) as e:
            print('%s: %s\n    %s' % (name, expr, e))
            wrong += 1
            continue
        if not is_same(got, json.loads(json.dumps(call()))):
            print('%s differs: %s' % (name, expr))
            wrong += 1
        if args.growth:
            rows.append((min(seconds(args.driver, larger, expr, result) for _ in range(2)) / took, name, expr))
        elif not args.right:
            rows.append((min(timeit.repeat(call, number=1, repeat=7)) / took, name, expr))
    return rows, wrong


def options():
    """Those of both grids."""
    p = argparse.ArgumentParser()
    p.add_argument('driver')
    p.add_argument('dir')
    p.add_argument('--every', type=int, default=1)
    p.add_argument('--only', default='')
    p.add_argument('--worst', type=float)
    p.add_argument('--right', action='store_true')
    return p


def main():
    p = options()
    p.add_argument('--records', type=int, default=1000)
    p.add_argument('--growth', action='store_true')
    args = p.parse_args()
    chosen = [j for j in pipelines() if args.only in j[0]][::args.every]
    rows, wrong = measured(args, chosen)
    print('%d pipelines, %d wrong' % (len(chosen), wrong))
    if rows:
        rows.sort(reverse=args.growth)
        limit = args.worst if args.worst is not None else 4.6 if args.growth else 1.0
        print('time for %d records over that for %d:' % (4 * args.records, args.records) if args.growth else 'times as fast as Python:')
        summary(rows, not args.growth)
        for row in rows:
            if (row[0] > limit) if args.growth else (row[0] < limit):
                print('%6.2f  %s  %s' % row)
    return wrong != 0


if __name__ == '__main__':
    sys.exit(main())
