"""Writes vetro/yaql/_groups.py: which group of create_context() each function of the library is in.

usage: groups.py FILE.fn... > _groups.py        (runtime/lib/*.fn, in order)
"""

import os
import re
import sys

GROUPS = {'date_time': 'datetime'}
ROW = re.compile(r'^(?:[a-z]+ )*(?:fn|ext|method) ([^(]+)\(')


def main(paths):
    found = {}
    for path in paths:
        module, layer = os.path.basename(path)[:-3], ''
        for line in open(path, encoding='utf-8'):
            if line.startswith('layer '):
                layer = line.split()[1]
            row = ROW.match(line)
            if row and layer in ('std', 'legacy', 'delegates'):
                found.setdefault(row.group(1), []).append(GROUPS.get(module, module))
    print('"""The groups of the overloads of each function: made of runtime/lib."""\n\nGROUPS = {')
    for name in sorted(found):
        print('    %r: %r,' % (name, tuple(found[name])))
    print('}')


main(sys.argv[1:])
