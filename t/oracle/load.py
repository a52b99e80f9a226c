#!/usr/bin/python3
"""Random object models through murano's own loader and vetro's: what loads, and what is written back.

usage: load.py [--packages N] [--models N] [--seed N] [--show N] VETRO

A package is a few classes with random contracts, defaults and parents. A model has objects with and without ids,
references to what comes before, behind and nowhere, values that contracts convert and refuse. Both answer
`load` and `serialize_model`; ids that the loader made may differ. Errors are not compared: a model may have two.
Needs Debian's python3-murano. Exit status 1 when something differs.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


class Package:
    """What the classes are: for each its parents, and its own properties as (contract, text, usage, default)."""

    def __init__(self, r):
        self.r, self.classes = r, {}
        n = r.randint(2, 6)
        for i in range(n):
            self.classes[i] = (r.sample(range(i), min(i, r.choice([0, 0, 0, 1, 1, 2]))), {})
        for i in range(n):
            # murano leaves properties unset of an object that lies in a property which its own ancestor declares
            heirs = {k for k in self.classes if self.inherits(k, i)}
            self.fitting = [k for k in self.classes if not heirs & set(self.heirs(k))]
            own = self.classes[i][1]
            for k in range(r.randint(1, 5)):
                # few names, so that classes share some
                name = r.choice('abcdefgh') + ('x' if r.random() < .5 else str(i))
                own[name] = self.property(n)

    def property(self, n):
        r = self.r
        contract, text = self.contract(n, 0)
        usage = r.choice(['In'] * 6 + ['InOut', 'Out', 'Const', 'Runtime'])
        default = None
        if r.random() < .3:
            usual = {'scalar': [7, 'x', '12', True], 'list': [[]], 'map': [{}], 'dict': [{}], 'pair': [[]], 'object': [None, None, {}], 'template': [None]}
            wild = [None, 0, 7, '', 'x', '12', True, {}, [], {'a': 1}, [1], ['x', 2], 1.5]
            default = json.dumps(r.choice(usual[contract[0]] if r.random() < .9 else wild))
        return contract, text, usage, default

    def scalar(self):
        r = self.r
        base = r.choice(['$', '$.string()', '$.int()', '$.bool()', '$.string()', '$.int()'])
        if r.random() < .3:
            base += '.notNull()'
        if r.random() < .1:
            # texts of flow style: without commas, brackets and colons
            base += r.choice(['.check($ != x and $ != 3)', '.check(str($).len() < 5)', '.check($ = null or $ = z or $ = y or $ > 0)',
                              '.check(not str($).startsWith(l))', '.check(str($) =~ "^z|^y|1|2|true")', '.check(str($).toUpper() != Z)'])
        return base

    def object(self, n, depth):
        r, c = self.r, self.r.choice(self.fitting)
        if r.random() < .15:
            # murano raises KeyError for a name that the object has not
            names = sorted(self.properties(c))
            without = r.choice(['', '', ', excludeProperties => [%s]' % ', '.join(r.sample(names, r.randint(0, len(names))))])
            return 'template', c, '$.template(C%d%s)' % (c, '' if depth else without) + r.choice(['', '.notNull()'])
        text = '$.class(C%d%s)' % (c, r.choice(['', '', '', ', C%d' % r.choice(self.fitting)]))
        return 'object', c, text + r.choice(['', '', '.notNull()', '.owned()', '.owned()', '.notOwned()', '.owned().notNull()'])

    def contract(self, n, depth):
        r = self.r
        kind = r.random()
        if depth > 2 or kind < .35 or not self.fitting:
            text = self.scalar()
            return ('scalar', text), text
        if kind < .7:
            shape, c, text = self.object(n, depth)
            return (shape, c), text
        if kind < .85:
            item, text = self.contract(n, depth + 1)
            low, high, bounds = r.choice([(0, 3, ''), (0, 3, ''), (0, 3, ''), (1, 3, ', 1'), (0, 2, ', 0, 2')])
            return ('list', item, low, high), '[%s%s]' % (text, bounds)
        if r.random() < .5:
            item, text = self.contract(n, depth + 1)
            return ('map', item), '{$.string(): %s}' % text
        one, a = self.contract(n, depth + 1)
        two, b = self.contract(n, depth + 1)
        if r.random() < .2:
            return ('pair', one, two), '[%s, %s]' % (a, b)
        if r.random() < .3:
            return ('dict', {'a': one, 'k': two, 'm': two}), '{a: %s, $.string(): %s}' % (a, b)
        return ('dict', {'a': one, 'b': two}), '{a: %s, b: %s}' % (a, b)

    def properties(self, c):
        parents, own = self.classes[c]
        out = {}
        for p in parents:
            out.update(self.properties(p))
        out.update(own)
        return out

    def heirs(self, c):
        return [k for k in self.classes if k == c or self.inherits(k, c)]

    def inherits(self, k, c):
        return any(p == c or self.inherits(p, c) for p in self.classes[k][0])

    def write(self, folder):
        os.makedirs(folder + '/Classes', exist_ok=True)
        names = ', '.join('t.load.C%d: All.yaml' % i for i in self.classes)
        with open(folder + '/manifest.yaml', 'w') as f:
            f.write('Format: 1.4\nType: Library\nFullName: t.load\nClasses: {%s}\n' % names)
        with open(folder + '/Classes/All.yaml', 'w') as f:
            for i, (parents, own) in self.classes.items():
                f.write('---\nNamespaces: {=: t.load}\nName: C%d\n' % i)
                if parents:
                    f.write('Extends: [%s]\n' % ', '.join('C%d' % p for p in parents))
                f.write('Properties:\n')
                for name, (_, text, usage, default) in own.items():
                    f.write('  %s:\n    Usage: %s\n    Contract: %s\n' % (name, usage, text))
                    if default is not None:
                        f.write('    Default: %s\n' % default)


class Model:
    def __init__(self, package, r):
        self.p, self.r, self.n, self.budget = package, r, 0, 25
        self.given, self.made = [], []
        self.root = self.object(r.choice(list(package.classes)), 0)

    def json(self):
        out = {'Objects': self.root}
        if self.r.random() < .1 and self.given:
            out['Attributes'] = [[self.r.choice(self.given), 't.load.C0', 'k', 1]]
        return out

    def object(self, c, depth):
        r = self.r
        self.budget -= 1
        c = r.choice(self.p.heirs(c)) if r.random() < .99 else r.choice(list(self.p.classes))
        head = {'type': 't.load.C%d' % c}
        if r.random() < .7 or depth == 0:
            head['id'] = 'o%d' % self.n
            self.n += 1
            self.given.append(head['id'])
            self.made.append((head['id'], c))
        if r.random() < .1:
            head['name'] = 'N'
        if r.random() < .03:
            head['type'] += r.choice(['/0', '/1', '/0.0.0', '@t.load', '/0.0.0@t.load'])
        out = {'?': head}
        if r.random() < .02 and depth:
            out = {}
        for name, (shape, _, usage, default) in self.p.properties(c).items():
            if r.random() < (.04 if default is None else .5):
                continue
            out[name] = self.value(shape, depth + 1)
        if r.random() < .05:
            out['nobody'] = 1
        return out

    def value(self, shape, depth):
        r = self.r
        if r.random() < .01:
            return r.choice([None, 0, 3, 'x', '12', True, {}, [], [1, 2], {'a': 'b'}, 1.5, 'o1'])
        kind = shape[0]
        if kind == 'scalar':
            if 'int' in shape[1]:
                return r.choice([1, 2, 7, '4', 0, -1])
            if 'bool' in shape[1]:
                return r.choice([True, False, 1, 'yes', ''])
            return r.choice(['z', 'y', '', 'long text', 5, True])
        if kind == 'list':
            return [self.value(shape[1], depth) for _ in range(r.randint(shape[2], shape[3]))]
        if kind == 'map':
            return {r.choice('klm'): self.value(shape[1], depth) for _ in range(r.choice([0, 1, 2]))}
        if kind == 'pair':
            return [self.value(shape[1], depth)] + [self.value(shape[2], depth) for _ in range(r.randint(0, 2))]
        if kind == 'dict':
            return {k: self.value(v, depth) for k, v in shape[1].items() if r.random() < .9}
        fitting = [i for i, c in self.made if c in self.p.heirs(shape[1])]
        if r.random() < .03:
            return 'o%d' % r.randrange(self.n + 2)  # it comes later, or never
        if fitting and (r.random() < .3 or self.budget <= 0 or depth > 4):
            return r.choice(fitting)
        if self.budget <= 0 or depth > 6:
            return None
        return self.object(shape[1], depth)


class Reference:
    """murano's engine in this process; the classes of a package are read once."""

    def __init__(self, folder):
        import murano_session
        self.m, self.directories = murano_session, [folder]
        if not self.m.PARSED:
            self.m.configure()
        for key in [k for k in self.m.PARSED if k[0].startswith(tempfile.gettempdir())]:
            del self.m.PARSED[key]
        self.loader = self.m.Loader(self.directories, {})

    def ask(self, request):
        if request['op'] == 'load':
            self.session = self.m.Session(self.directories)
            Loader, self.m.Loader = self.m.Loader, lambda directories, configs: self.loader
            try:
                return self.session.answer(request)
            finally:
                self.m.Loader = Loader
        return json.loads(json.dumps(self.session.answer(request), default=str))

    def close(self):
        pass


class Session:
    def __init__(self, command):
        self.p = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, request):
        self.p.stdin.write(json.dumps(request) + '\n')
        self.p.stdin.flush()
        line = self.p.stdout.readline()
        return json.loads(line) if line else {'error': {'type': 'the session ended'}}

    def close(self):
        self.p.stdin.close()
        self.p.wait()


MADE = re.compile('^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$')


def same(a, b, ids):
    if isinstance(a, str) and isinstance(b, str):
        if MADE.match(a) and MADE.match(b):
            # murano makes objects without ids twice, and a template's data may have the id of the first one
            return ids.setdefault(b, a) == a
        return a == b
    if type(a) is not type(b):
        return False
    if isinstance(a, list):
        return len(a) == len(b) and all(same(x, y, ids) for x, y in zip(a, b))
    if isinstance(a, dict):
        return sorted(a) == sorted(b) and all(same(a[k], b[k], ids) for k in a)
    return a == b


def answers(session, model):
    got = session.ask({'op': 'load', 'model': model})
    if 'error' in got:
        return got['error'].get('type'), got['error'].get('message')
    return None, session.ask({'op': 'serialize_model'}).get('value')


def main():
    args = argparse.ArgumentParser()
    args.add_argument('--packages', type=int, default=10)
    args.add_argument('--models', type=int, default=100)
    args.add_argument('--seed', type=int, default=1)
    args.add_argument('--show', type=int, default=5)
    args.add_argument('vetro')
    a = args.parse_args()
    sys.unraisablehook = lambda _: None  # objects of a session that is gone
    total, loaded, differ, refused = 0, 0, 0, 0
    for n in range(a.packages):
        r = random.Random(a.seed * 1000003 + n)
        package = Package(r)
        with tempfile.TemporaryDirectory() as folder:
            package.write(folder)
            if subprocess.run([a.vetro, 'build', '-O0', '--no-cache', folder, '-o', folder + '/bin'], capture_output=True).returncode:
                refused += 1
                continue
            theirs = Reference(folder)
            for k in range(a.models):
                model = Model(package, r).json()
                ours = Session([folder + '/bin', 'session'])
                x, y = answers(ours, model), answers(theirs, model)
                ours.close()
                total += 1
                loaded += y[0] is None
                # with two mistakes in it, which one is told hangs on the order of a set in Python
                if x[0] is not None and y[0] is not None or x[0] is y[0] is None and same(x[1], y[1], {}):
                    continue
                differ += 1
                if differ <= a.show:
                    print('package %d, model %d: %s' % (n, k, json.dumps(model)))
                    print('  vetro:  %s %s' % (x[0], json.dumps(x[1])))
                    print('  murano: %s %s' % (y[0], json.dumps(y[1])))
                    with open(folder + '/Classes/All.yaml') as f:
                        print(''.join('    ' + line for line in f))
            theirs.close()
    print('%d models of %d packages, %d load: %d differ' % (total, a.packages - refused, loaded, differ))
    sys.exit(1 if differ else 0)


if __name__ == '__main__':
    main()
