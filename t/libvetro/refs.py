"""References and blocks that calls of the module leave behind: TAP lines without numbers; python.t numbers them.

Run by a debug build of Python, which counts all references (sys.gettotalrefcount).  Each case runs so often that what one
call leaves is seen; caches are full by then.
"""

import gc
import sys

from vetro import yaql
from vetro.yaql.language import exceptions, specs, utils, yaqltypes

ROUNDS = 40
engine = yaql.YaqlFactory().create()
raw = yaql.YaqlFactory().create({'yaql.convertOutputData': False})
context = yaql.create_context()


class Own:
    def __init__(self):
        self.a = 1


class Failure(Exception):
    pass


def fail(x):
    raise Failure(x)


@specs.parameter('f', yaqltypes.Lambda())
def apply(f):
    return f(1) + f(2)


def endless():
    n = 0
    while True:
        yield n
        n += 1


context.register_function(lambda x: x, name='same')
context.register_function(lambda x, context: context['$'], name='of_context')
context.register_function(fail, name='fail')
context.register_function(apply, name='apply')
context.register_function(endless, name='endless')
context.register_function(lambda: Own(), name='own')
context.register_function(lambda **kw: kw, name='kw')
context.register_function(lambda *args: args, name='rest')
DATA = {'list': [1, 2.5, 'x', None, True, 10 ** 30], 'dict': {'a': {'b': [1, (2, 3)]}}, 'set': {1, 2}, 'bytes': b'x'}


def run(text, data=None, with_engine=engine):
    return with_engine(text).evaluate(data, context.create_child_context())


def failing(text, data=None):
    try:
        run(text, data)
    except Exception as e:
        return str(e)
    raise AssertionError(text)


CASES = {
    'numbers': lambda: run('$ + 1', 1),
    'large integers': lambda: run('$ * 10', 10 ** 40),
    'a document': lambda: run('$', DATA),
    'parts of a document': lambda: run('$.dict.a.b.select($)', DATA),
    'lists, dicts and sets that are made': lambda: run('[{a => [1, 2]}, set(1, 2), $.list]', DATA),
    'results that are lazy': lambda: list(run('range(5).select($ * 2)', with_engine=raw)),
    'results that are lazy and are not read': lambda: run('range(5).select($ * 2)', with_engine=raw),
    'dates': lambda: run('now() - timespan(hours => 1)'),
    'regular expressions': lambda: run("regex('a+').search('baab')"),
    'a function of Python': lambda: run('range(5).select(same($))'),
    'a function with a context': lambda: run('of_context(1)', 3),
    'keywords': lambda: run('kw(a => 1, b => [2])'),
    'the rest': lambda: run('rest(1, [2], {a => 3})'),
    'a lambda that Python calls': lambda: run('apply($ + 1)'),
    'an iterator of Python': lambda: run('endless().limit(3)'),
    'an iterator that ends early': lambda: run('endless().where($ > 2).first()'),
    'objects': lambda: run('[own(), same($)]', Own()),
    'a host exception': lambda: failing('fail(1)'),
    'a host exception inside of a pipeline': lambda: failing('range(5).select(fail($)).sum()'),
    'an unknown function': lambda: failing('nope()'),
    'a key that is not there': lambda: failing('$.nope', DATA),
    'a syntax error': lambda: failing('1 +'),
    'a tree': lambda: str(engine('$.a.where($ > 1).b[0]').expression),
    'a context': lambda: yaql.create_context(),
    'a context with a function': lambda: yaql.create_context().register_function(lambda: 1, name='f'),
    'an engine': lambda: yaql.YaqlFactory().create(),
    'another dialect': lambda: yaql.eval('[1, 2].len()'),
    'converting': lambda: utils.convert_input_data(DATA),
}


def left(case):
    """References more after ROUNDS further calls, the least of three times: caches grow once."""
    least = None
    for _ in range(3):
        for _ in range(ROUNDS):
            case()
        gc.collect()
        before = sys.gettotalrefcount()
        for _ in range(ROUNDS):
            case()
        gc.collect()
        now = sys.gettotalrefcount() - before
        least = now if least is None else min(least, now)
    return least


for name, case in CASES.items():
    case()
    n = left(case)
    print('%s - %s' % ('ok' if n < ROUNDS // 2 else 'not ok', name), flush=True)
    if n >= ROUNDS // 2:
        print('# %d references after %d calls' % (n, ROUNDS), flush=True)
