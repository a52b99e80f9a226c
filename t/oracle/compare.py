"""Runs every test* method of a package in vetro's binary and in murano's engine and prints where they differ.

usage: compare.py [--vetro PATH] [--record] [-c CONFIG_JSON] [-I DIRECTORY]... PACKAGE_DIR [METHOD...]

The model is PACKAGE_DIR/model.json or else one object of the first class of the manifest. --record
writes PACKAGE_DIR/expected.jsonl for t/murano/oracle.t: what murano answered, where vetro answered the same.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
yaml.SafeLoader.add_constructor('!yaql', lambda l, n: l.construct_scalar(n))
yaml.SafeLoader.add_constructor('tag:yaml.org,2002:value', lambda l, n: l.construct_scalar(n))


def comparable(a):
    for part in (a.get('value') or {}).values() if isinstance(a.get('value'), dict) else ():
        if isinstance(part, dict) and isinstance(part.get('?'), dict):
            part['?'].pop('_actions', None)  # those of the root object: every test method is one
    text = json.dumps(a, sort_keys=True, ensure_ascii=False)
    text = re.sub(r'(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])', 'ID', text)
    return re.sub(r'\(\d{10,}\)', '(ADDR)', text)


# The reference initialises properties in the order of a set, so .init methods of siblings run in any order.
def answer(line, load):
    try:
        a = json.loads(line)
    except ValueError:
        return {'fault': line or 'the session has ended'}
    if 'error' in a:
        a['error'] = {k: a['error'].get(k) for k in ('type', 'message')}
    if load and 'traces' in a:
        a['traces'] = sorted(a['traces'], key=str)
    if not a.get('traces'):
        a.pop('traces', None)
    return json.loads(comparable(a))


def differences(x, y, path=''):
    if isinstance(x, dict) and isinstance(y, dict):
        for k in sorted(set(x) | set(y)):
            if k not in x or k not in y:
                yield '%s/%s: only %s has it: %s' % (path, k, 'vetro' if k in x else 'murano', json.dumps(x.get(k, y.get(k)))[:400])
            else:
                yield from differences(x[k], y[k], '%s/%s' % (path, k))
    elif isinstance(x, list) and isinstance(y, list) and len(x) == len(y):
        for i, (a, b) in enumerate(zip(x, y)):
            yield from differences(a, b, '%s[%d]' % (path, i))
    elif x != y or type(x) is not type(y):
        yield '%s:\n  vetro:  %s\n  murano: %s' % (path, json.dumps(x)[:800], json.dumps(y)[:800])


def run(command, requests):
    text = ''.join(json.dumps(r) + '\n' for r in requests)
    try:
        p = subprocess.run(command, input=text, capture_output=True, text=True, timeout=600)
    except subprocess.TimeoutExpired:
        return [{'fault': 'timeout'}]
    lines = p.stdout.splitlines()
    out = [answer(x, r['op'] == 'load') for x, r in zip(lines, requests)]
    if len(out) < len(requests):
        out.append({'fault': 'status %d: %s' % (p.returncode, p.stderr[-600:])})
    return out


# How the load went is told by the first line; the model where the first line's differs.
def shortened(method, answers, before):
    load, call, model, end = answers
    out = {'method': method, 'call': call}
    first = json.loads(before[0]) if before else None
    if first is None:
        out['load'] = load
    if first is None or model != first['model']:
        out['model'] = model
    if first is None or end != first['end']:
        out['end'] = end
    return out


def methods(package, classes):
    found = []
    path = os.path.join(package, 'Classes', list(classes.values())[0])
    for d in yaml.safe_load_all(open(path)):
        for m in (d or {}).get('Methods') or (d or {}).get('Workflow') or {}:
            if m.startswith('test') and m not in found:
                found.append(m)
    return found


def main():
    p = argparse.ArgumentParser()
    p.add_argument('--vetro', default=os.path.join(HERE, '../../build/debug/vetro'))
    p.add_argument('--record', action='store_true')
    p.add_argument('-c')
    p.add_argument('-I', action='append', default=[])
    p.add_argument('package')
    p.add_argument('methods', nargs='*')
    o = p.parse_args()
    manifest = yaml.safe_load(open(os.path.join(o.package, 'manifest.yaml')))
    classes = manifest['Classes']
    root = '%s/%s' % (list(classes)[0], manifest.get('Version', '0.0.0'))
    given = os.path.join(o.package, 'model.json')
    model = json.load(open(given)) if os.path.exists(given) else {'Objects': {'?': {'type': root, 'id': 'root'}}}
    load = {'op': 'load', 'model': model, 'config': json.loads(o.c or '{}')}
    work = tempfile.mkdtemp()
    binary = os.path.join(work, 'bin')
    include = [x for d in o.I for x in ('-I', d)]
    b = subprocess.run([o.vetro, 'build', '-O0', '-o', binary] + include + [o.package], capture_output=True, text=True)
    if b.returncode:
        sys.exit(b.stdout + b.stderr)
    print(b.stderr, end='')
    names = o.methods or methods(o.package, classes)
    sides = ([binary, 'session', '--expose', 'test*', '--virtual-time'],
             ['/usr/bin/python3', os.path.join(HERE, 'murano_session.py')] + include + [o.package])

    # The engine's session starts anew at each load; ours has one model a process.
    asked = [[load, {'op': 'call', 'target': None, 'method': m, 'args': []}, {'op': 'serialize_model'}, {'op': 'finalize'}] for m in names]
    theirs = run(sides[1], sum(asked, []))
    bad, record, seen = 0, [], {}
    with ThreadPoolExecutor(2) as pool:
        for i, (m, ours) in enumerate(zip(names, pool.map(lambda r: run(sides[0], r), asked))):
            answers = theirs[4 * i:4 * i + 4]
            if ours == answers:
                record.append(json.dumps(shortened(m, answers, record), sort_keys=True, ensure_ascii=False))
                continue
            bad += 1
            for what, x, y in zip(('load', 'call', 'model', 'end'), ours, answers):
                for d in differences(x, y):
                    seen[d] = seen.get(d, 0) + 1
                    if seen[d] == 1:
                        print('%s, %s %s' % (m, what, d))
    if o.record:
        with open(os.path.join(o.package, 'expected.jsonl'), 'w') as f:
            f.write('\n'.join(record) + '\n')
    print('%d methods, %d differ' % (len(names), bad))
    sys.exit(bad > 0)


main()
