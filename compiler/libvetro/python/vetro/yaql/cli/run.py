"""The command line: python3 -m vetro.yaql."""

import argparse
import json
import sys

from vetro import yaql
from vetro.yaql import legacy
from vetro.yaql.cli import cli_functions


def _options():
    p = argparse.ArgumentParser(prog='yaql', description='Evaluates YAQL expressions.')
    p.add_argument('expressions', nargs='*', help='without one, a prompt')
    p.add_argument('-d', '--data', help='input file; - is standard input')
    p.add_argument('-s', '--string', action='store_true', help='input is a text')
    p.add_argument('-a', '--array', action='store_true', help='each line of input is an item')
    p.add_argument('-n', '--native', action='store_true', help="print Python's repr")
    p.add_argument('-t', '--tokens', action='store_true', help='print tokens and trees')
    p.add_argument('-l', '--legacy', action='store_true', help='the dialect of 0.2')
    p.add_argument('-L', '--limit', '--limit-iterators', dest='limit', type=int, default=1000,
                   help='items a collection may give; -1: no limit')
    p.add_argument('-S', '--sets-to-lists', action='store_true', default=True)
    p.add_argument('-T', '--tuples-to-lists', action='store_true')
    p.add_argument('-D', '--iterable-dicts', action='store_true')
    p.add_argument('-m', '--mem', '--memory-quota', dest='memory', type=int, default=100000,
                   help='bytes that values may take; -1: no limit')
    p.add_argument('-k', '--keyword-operator', default='=>', help='empty: none')
    p.add_argument('-A', '--allow-delegates', action='store_true')
    return p.parse_args()


def read_data(f, options):
    if options.array:
        lines = [line.rstrip('\n') for line in f]
        return lines if options.string else [json.loads(line) for line in lines]
    return f.read() if options.string else json.load(f)


def _data(options):
    if not options.data:
        return None
    try:
        if options.data == '-':
            return read_data(sys.stdin, options)
        with open(options.data, encoding='utf-8') as f:
            return read_data(f, options)
    except (OSError, ValueError):
        print('Unable to load data from ' + options.data, file=sys.stderr)
        sys.exit(1)


def main():
    options = _options()
    data = _data(options)
    if options.legacy:
        factory = legacy.YaqlFactory(allow_delegates=options.allow_delegates)
        context = legacy.create_context()
        context['legacy'] = True
    else:
        factory = yaql.YaqlFactory(options.keyword_operator, options.allow_delegates)
        context = yaql.create_context(delegates=options.allow_delegates)
    engine = factory.create({
        'yaql.limitIterators': options.limit,
        'yaql.convertSetsToLists': options.sets_to_lists,
        'yaql.convertTuplesToLists': options.tuples_to_lists,
        'yaql.iterableDicts': options.iterable_dicts,
        'yaql.memoryQuota': options.memory,
    })
    if options.native:
        context['#nativeOutput'] = True
    if options.expressions:
        for text in options.expressions:
            cli_functions.evaluate(text, engine, data, context)
        return
    if data is not None:
        context['$'] = yaql.utils.convert_input_data(data)
    cli_functions.main(context, options.tokens, engine)


if __name__ == '__main__':
    main()
