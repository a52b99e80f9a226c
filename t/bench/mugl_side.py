"""Reads a snapshot of resources, checks its edges, and writes it.  usage: mugl_side.py FILE"""
import json
import sys


def targets(value):
    if isinstance(value, dict):
        if len(value) == 1 and isinstance(value.get('#ref'), str):
            yield value['#ref']
        else:
            for item in value.values():
                yield from targets(item)
    elif isinstance(value, list):
        for item in value:
            yield from targets(item)


def main():
    with open(sys.argv[1]) as f:
        graph = json.load(f)
    known = set()
    for name, resource in graph['vertices'].items():
        if not isinstance(resource.get('type'), str) or not set(resource) <= {'id', 'type', 'aliases', 'properties'}:
            sys.exit('%s is no resource' % name)
        for to in targets(resource):
            if to not in known:
                sys.exit('%s refers to %s' % (name, to))
        known.add(name)
    json.dump(graph, sys.stdout, indent=4, ensure_ascii=False)


main()
