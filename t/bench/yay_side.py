"""What the jobs of Yay must come to, worked out without Yay.  usage: yay_side.py flat FILE | for N | include DIR N

flat reads the file with PyYAML's loader over libyaml, where that is here; the others are the loops themselves.
"""
import json
import sys


def flat(path):
    with open(path) as f:
        try:
            import yaml
            return yaml.load(f, getattr(yaml, 'CSafeLoader', yaml.SafeLoader))
        except ImportError:
            return dict(line.rstrip('\n').split(': ', 1) for line in f)


def nested(n):
    return {'n': n, 'out': [f'{x}-{y}-{z}: {x * 10000 + y * 100 + z}' for x in range(n) for y in range(n) for z in range(n)]}


def included(directory, n):
    merged, every = {}, []
    for i in range(n, 0, -1):
        with open(f'{directory}/f{i}.yay') as f:
            merged.update(line.rstrip('\n').split(': ') for line in f if line.startswith('key'))
        every.append(f'item {i}')
    out = {'every': every, 'last': 1, 'opts': {f'o{i}': i for i in range(n, 0, -1)}}
    return dict(out, **{key: f'{value} of 1' if '{' not in value else value.replace('{{ last }}', '1') for key, value in merged.items()})


def main():
    job, args = sys.argv[1], sys.argv[2:]
    if job == 'flat':
        value = flat(args[0])
    elif job == 'include':
        value = included(args[0], int(args[1]))
    else:
        value = nested(int(args[0]))
    json.dump(value, sys.stdout)


main()
