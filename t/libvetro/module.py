"""The Python module: TAP lines without numbers; python.t numbers them.  Run with the module in PYTHONPATH."""

import datetime
import gc
import os
import re
import threading

from vetro import _vetro, yaql
from vetro.yaql import legacy, yaqlization
from vetro.yaql.language import contexts, exceptions, expressions, factory, specs, utils, yaqltypes


def ok(good, title, *notes):
    print('%s - %s' % ('ok' if good else 'not ok', title), flush=True)
    if not good:
        for note in notes:
            print('# %r' % (note,), flush=True)


def same(got, want, title):
    ok(got == want and type(got) is type(want), title, got, want)


def fails(cls, call, title):
    try:
        got = call()
    except Exception as e:
        ok(type(e) is cls, title, type(e), e)
        return e
    ok(False, title, 'gave', got)
    return None


ENGINE = yaql.YaqlFactory().create()
DELEGATES = yaql.YaqlFactory(allow_delegates=True).create()


def ev(text, data=None, context=None, engine=ENGINE):
    return engine(text).evaluate(data=data, context=context)


class Slow(contexts.Context):
    """A context of which the engine in C knows nothing."""


def slow(text, data=None, context=None, engine=ENGINE):
    return ev(text, data, Slow(context or yaql.create_context()), engine)


# Both ways of evaluation give the same; data is the document below.
DATA = {'a': 1, 'b': [1, 2, 3], 'c': {'x': [True, None], 'y': 'text'}, 'd': 2.5, 'e': 'ä€😀',
        'vms': [{'n': 'p', 'ram': 512, 'up': True}, {'n': 'q', 'ram': 2048, 'up': False}]}
BOTH = '''
$.a + 1
$.b.sum()
$.b.select($ * 2)
$.c.x
$.c.y.toUpper() + $.e
$.vms.where($.up).n
$.vms.toDict($.n, $.ram)
$.vms.orderBy(-$.ram).select($.n)
$.vms.groupBy($.up, $.n)
$.vms.ram.sum() / 2
$.b.where($ > 1).len()
len($.b) + len($.e) + len($)
$.keys().orderBy($)
$.b.contains(2) and not $.b.contains(7)
dict(a => 1, b => [2])
{a => 1}.set(b, 2)
set(1, 2, 2).len()
list(1, [2, [3]]).flatten()
range(3).select($ + 1)
range(10).where($ mod 2 = 0).skip(1).first()
let(x => 3) -> $x + $.a
let(1, 2) -> $1 + $2
def(sq, $ * $) -> $.b.select(sq($))
[1, 2].unpack(a, b) -> $a + $b
switch($.a = 1 => one, true => other)
coalesce(null, $.get(nope), 7)
$.get(nope)?.foo
$.b[0] + $.b[-1]
'%d-%s'.len()
"a,b".split(",").join("-")
"abc".replace(b, x)
"a1b22".matches("[0-9]+")
regex("(a)(b)").search("xab", [$.value, $2.value])
regex("[0-9]+").split("a1b2")
"x{0}y".format(5)
datetime(2020, 1, 2).year
(datetime(2020, 1, 2) - datetime(2020, 1, 1)).hours
timespan(hours => 25).days
isDict($.c) and isList($.b) and isString($.c.y)
int("12") + float("1.5") + int(2.9)
str(null) + str(true) + str(1.0)
$.b.aggregate($1 + $2)
$.b.zip([4, 5])
$.b.enumerate()
$.vms.join($.b, $1.ram > $2 * 500, [$1.n, $2])
$.b.assert(len($) = 3)
call(len, [[1, 2]], {})
$.vms.selectMany([$.n, $.ram])
$.b.any($ > 2) and $.b.all($ > 0)
$.b.indexOf(2)
min(1, 2) + [3, 4].max()
bool($.b) or null
1 < 2 and "a" < "b"
$.a in $.b
[1] + [2] = [1, 2]
{a => 1} + {b => 2}
123456789012345678901234567890 + 1
$.b.memorize().len()
generate(1, $ < 20, $ * 3)
$.c.mergeWith({z => 1})
'''.strip().split('\n')


def shown(call, *args):
    try:
        return call(*args)
    except Exception as e:
        return type(e).__name__, str(e)


for text in BOTH:
    fast, other = shown(ev, text, DATA), shown(slow, text, DATA)
    ok(fast == other and not isinstance(fast, tuple), 'both ways: ' + text, fast, other)
for text in ('$.b.foo()', 'foo(1)', '$.nope.x.y', '1 / 0', '[1][5]', '{a => 1}[z]', 'int(abc)',
             '$.a.b', 'len(1)', '$.b.first(1, 2)', '"a" + 1'):
    ok(shown(ev, text, DATA) == shown(slow, text, DATA), 'both ways fail: ' + text,
       shown(ev, text, DATA), shown(slow, text, DATA))
ok(ev('$.b', DATA) == [1, 2, 3] and ENGINE('$.b')._tree is not None, 'the engine in C parses')

# ---- kinds of values

zone = datetime.timezone(datetime.timedelta(hours=2))
when = datetime.datetime(2021, 3, 4, 5, 6, 7, 8, zone)
for value in (None, True, 0, -1, 2 ** 62, 2 ** 63, -2 ** 200, 1.5, '', 'ä\0b', [], [1, [2]], {}, {'a': {1: 2}},
              when, datetime.datetime(2021, 3, 4), datetime.timedelta(days=-3, microseconds=5)):
    same(ev('$', value), value, 'comes back: %.40r' % (value,))
same(ev('$', (1, (2,))), [1, [2]], 'tuples become lists')
same(ev('$', {1, 2}), {1, 2}, 'sets')
same(ev('$', DATA), DATA, 'a document')
raw = yaql.YaqlFactory().create({'yaql.convertOutputData': False})
same(ev('$', [1, {'a': []}], engine=raw), (1, utils.FrozenDict(a=())), 'without conversion of results')
ok(utils.is_iterator(ev('$.select($)', [1], engine=raw)), 'an iterator comes out')
ok(list(ev('$.select($ + 1)', [1, 2], engine=raw)) == [2, 3], 'and gives its items')
ok(list(ev('$.orderBy($)', [2, 1], engine=raw)) == [1, 2], 'an ordering')
same(hash(ev('$', {'a': 1}, engine=raw)), hash(utils.FrozenDict(a=1)), 'a FrozenDict can be hashed')
ok(ev('regex("a+", ignoreCase => true)', engine=raw).pattern == 'a+', 'a regular expression')
ok(ev('$.matches("x")', 'axb'), 'is used')
ctx = yaql.create_context()
ctx['p'] = re.compile('A+', re.I)
ok(ev('$p.matches("xaa")', context=ctx), 'a regular expression of Python is used')
tuples = yaql.YaqlFactory().create({'yaql.convertTuplesToLists': False, 'yaql.convertSetsToLists': True})
same(ev('[1, $]', [2], engine=tuples), (1, (2,)), 'tuples stay')
same(ev('$.toSet()', [2], engine=tuples), [2], 'sets become lists')


class Record(dict):
    pass


class Name(str):
    pass


same(ev('$.a', Record(a=1)), 1, 'a subclass of dict')


class View(dict):
    def __getitem__(self, key):
        return 'seen'

    def keys(self):
        return ['k']

    def items(self):
        return [('k', 'seen')]

    def __iter__(self):
        return iter(['k'])


same(ev('$.k', View()), 'seen', 'a dict that looks elsewhere')
c = yaql.create_context()
c['v'] = View()
same(ev('$v.k', context=c), 'seen', 'also where it is not converted')
same(ev('$ + b', Name('a')), 'ab', 'a subclass of str')


def endless():
    n = 0
    while True:
        n += 1
        yield n


same(ev('$.skip(2).first()', endless()), 3, 'an endless iterator is pulled as far as needed')
ctx = yaql.create_context()
ctx['plain'] = {'l': [1]}
same(ev('$plain.l', context=ctx), [1], 'a variable is not converted, and can be used')
ok(ctx['plain'] == {'l': [1]} and type(ctx['plain']['l']) is list, 'it stays what it was')
ev('$', [1], ctx)
same(ctx['$'], (1,), 'the caller sees the converted document')


class Thing(object):
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return self.n == other.n

    def __hash__(self):
        return self.n

    def __str__(self):
        return 'thing'


t = Thing(5)
ok(ev('$', t) is t and ev('[$][0]', t) is t and ev('$.x', {'x': t}) is t, 'an object is the same')
same(ev('$.distinct().len()', [Thing(1), Thing(1), Thing(2)]), 2, 'objects are equal as Python says')
same(ev('str($)', t), 'thing', 'and shown so')
fails(exceptions.NoFunctionRegisteredException, lambda: ev('$.n', t), 'a member of an object that is not open')

# ---- functions

ctx = yaql.create_context()
ctx.register_function(lambda a, b=2: (a, b), name='two')
ctx.register_function(lambda context, name: context[name], name='var')
ctx.register_function(lambda engine: engine.options.get('own'), name='opt')
ctx.register_function(lambda *args, **kwargs: [list(args), kwargs], name='rest')


@specs.parameter('items', yaqltypes.Iterable())
@specs.parameter('f', yaqltypes.Lambda())
@specs.extension_method
def each_of(items, f):
    return [f(item) for item in items]


@specs.parameter('s', yaqltypes.String())
def kind(s):
    return 'str'


@specs.parameter('s', yaqltypes.Integer())
@specs.name('kind')
def kind_of_int(s):
    return 'int'


@specs.parameter('s', yaqltypes.AnyOf(yaqltypes.String(), yaqltypes.Integer()))
def either(s):
    return s


@specs.parameter('e', yaqltypes.YaqlExpression())
def tree(e):
    return str(e)


@specs.inject('outer', yaqltypes.Super())
@specs.name('len')
def longer(sequence, outer):
    return outer(sequence) + 100


for f in (each_of, kind, kind_of_int, either, tree):
    ctx.register_function(f)
own = ENGINE.copy({'own': 7})
same(ev('[two(1), two(1, b => 3)]', context=ctx), [[1, 2], [1, 3]], 'defaults and keywords')
same(ev('[1, 2].select(var("$"))', 9, ctx), [1, 2], 'a context has the variables of the lambda around the call')
same(ev('let(q => 5) -> var(q)', 9, ctx), 5, 'and those of let')
same(ev('var(q)', 9, ctx), None, 'and not more')
same(ev('opt()', 9, ctx, own), 7, 'the engine is injected')
same(ev('rest(1, a, x => [2])', 9, ctx), [[1, 'a'], {'x': [2]}], 'the rest and keywords')
same(ev('[$.eachOf($ * 2), eachOf($, $ + 1)]', [1, 2], ctx), [[2, 4], [2, 3]], 'a lambda is called')
same(ev('[kind(a), kind(1)]', 9, ctx), ['str', 'int'], 'overloads by type')
fails(exceptions.NoMatchingFunctionException, lambda: ev('kind(1.5)', 9, ctx), 'and none for others')
same(ev('[either(a), either(1)]', 9, ctx), ['a', 1], 'a sum of types')
same(ev('tree(1 + $.a)', 9, ctx), "#operator_+(1, #operator_.($, 'a'))", 'an expression as it is')
child = ctx.create_child_context()
child.register_function(longer)
same([ev('len([1])', context=child), ev('len([1])', context=ctx)], [101, 1], 'super, and only in that context')
child = ctx.create_child_context()
child.register_function(lambda a: 'mine', name='two')
same([ev('two(1)', context=child), ev('two(1)', context=ctx)], ['mine', [1, 2]], 'an inner level wins')
child.register_function(lambda a, b, c: 'three', name='two')
same(ev('two(1, 2, 3)', context=child), 'three', 'a function that comes later is known')
for spec in list(child.get_functions('two')[0]):
    child.delete_function(spec)
same(ev('two(1)', context=child), [1, 2], 'and one that goes is not')
ctx2 = yaql.create_context()
ctx2.register_function(lambda left, right: 'added', name='#operator_+')
same(ev('1 + 2', context=ctx2), 'added', 'an operator of the host')
ctx2.register_function(lambda: endless(), name='endless')
same(ev('endless().take(3)', context=ctx2), [1, 2, 3], 'a function gives an endless iterator')

# ---- errors


class Own(Exception):
    pass


error = Own('mine')


def raises(*args):
    raise error


ctx.register_function(raises, name='raises')
for text in ('raises()', '[1].select(raises())', 'let(raises()) -> 1', '[1].eachOf(raises($))'):
    ok(fails(Own, lambda: ev(text, context=ctx), 'an exception goes through: ' + text) is error, 'and is the same')
e = fails(exceptions.YaqlGrammarException, lambda: ENGINE('1 + * 2'), 'a grammar error')
same((e.position, e.value, str(e)), (4, '*', "Parse error: unexpected '*' at position 4 of expression '1 + * 2'"), 'its place')
e = fails(exceptions.YaqlGrammarException, lambda: ENGINE('1 +'), 'an unexpected end')
same((e.position, str(e)), (None, 'Parse error: unexpected end of statement'), 'has no place')
e = fails(exceptions.YaqlLexicalException, lambda: ENGINE('ä ^'), 'a lexical error')
same((e.position, e.value), (2, '^'), 'counts characters')
ok(issubclass(type(e), exceptions.YaqlException), 'all are YaqlExceptions')
same(fails(KeyError, lambda: ev('{a => 1}[z]'), 'KeyError').args, ('z',), 'knows the key')
fails(ZeroDivisionError, lambda: ev('1 / 0'), 'ZeroDivisionError')
fails(exceptions.NoMethodRegisteredException, lambda: ev('$.foo()', 1), 'an unknown method')
limited = yaql.YaqlFactory().create({'yaql.limitIterators': 3, 'yaql.memoryQuota': 2000})
fails(exceptions.CollectionTooLargeException, lambda: ev('range(10)', engine=limited), 'the limit of iterators')
fails(exceptions.MemoryQuotaExceededException, lambda: ev('"abc" * 10000', engine=limited), 'the quota of memory')
fails(RecursionError, lambda: ev('def(f, f($)) -> f(1)'), 'recursion ends')

# ---- trees

s = ENGINE('$.a.b + f(1, x => $y)')
ok(isinstance(s.expression, expressions.BinaryOperator) and s.expression.operator == '+', 'a tree')


def variables(node):
    if isinstance(node, expressions.GetContextValue):
        yield str(node)
    for part in getattr(node, 'args', ()):
        yield from variables(part)
    for name in ('source', 'destination', 'expr'):
        if hasattr(node, name):
            yield from variables(getattr(node, name))


same(sorted(variables(s)), ['$', '$y'], 'is walked')
same(s.expression.args[0].position, (0, 5), 'knows its places')
same(str(ENGINE('f(, 1)').expression.args[0]), '<NoValue>', 'an argument that is left out')
same(ENGINE('a.b').expression(utils.NO_VALUE, yaql.create_context(), ENGINE) if 0 else 1, 1, 'and can be called')
same(ENGINE('[1, 2].len()').expression(utils.NO_VALUE, yaql.create_context(), ENGINE), 2, 'a tree evaluates')
same([(t.type, t.value) for t in ENGINE.lexer.clone()] or 'none', 'none', 'no tokens without text')
lexer = ENGINE.lexer.clone()
lexer.input('$.a >= 1.5')
same([t.value for t in lexer], ['$', '.', 'a', '>=', 1.5], 'tokens')

# ---- contexts

a, b = yaql.create_context(), contexts.Context()
a['x'], b['y'], b['x'] = 1, 2, 3
m = contexts.MultiContext([a, b])
same([m['x'], m['y'], sorted(m.keys())], [1, 2, ['$x', '$y']], 'several contexts as one')
same(ev('$x + $y', context=m), 3, 'are evaluated with')
linked = contexts.LinkedContext(a, b)
same([linked['x'], linked.parent['x']], [3, 1], 'a context below another parent')
same(ev('$x + len([1])', context=linked), 4, 'is evaluated with')
same([c.__class__.__name__ for c in (a, a.parent, a.parent.parent)] + [a.parent.parent.parent],
     ['Context'] * 3 + [None], 'three levels')
ok('x' in a and '$x' in a and 'x' not in a.create_child_context(), 'in looks at one level')
same(a.create_child_context()['x'], 1, 'a child asks its parent')
del a['x']
same(a['x'], None, 'a variable is gone')
same(a('len', ENGINE)([1, 2]), 2, 'a context calls functions')
same(a('toUpper', ENGINE, 'x')(), 'X', 'and methods')
same(len(a.collect_functions('len')), 1, 'definitions of the library are found')
no_math = yaql.create_context(math=False)
fails(exceptions.NoFunctionRegisteredException, lambda: ev('1 + 2', context=no_math) if 0 else ev('round(1.5)', context=no_math), 'a group is left out')
same(ev('[3]', context=yaql.create_context(finalizer=specs.name('#finalize')(lambda obj: 'end'))), 'end', 'a finalizer')
old_aggregator = "[[a, 1], [b, 2], [c, 1]].groupBy($[1], $[0], [$[0], $[1].len()])"
same(ev(old_aggregator, context=yaql.create_context()), [[1, ['a', 1]], [2, 1]], 'an aggregator of YAQL 1.1.1')
fails(IndexError, lambda: ev(old_aggregator, context=yaql.create_context(group_by_agg_fallback=False)), 'no such aggregator')
python = yaql.create_context(convention=yaql.conventions.PythonConvention())
same(ev('[1, 2].order_by_descending($)', context=python), [2, 1], "names as Python's convention has them")

# ---- operators, delegates, the older dialect

own_factory = yaql.YaqlFactory()
own_factory.insert_operator('or', True, '!!', factory.OperatorType.BINARY_RIGHT_ASSOCIATIVE, True)
own_factory.insert_operator('not', False, '~', factory.OperatorType.PREFIX_UNARY, False)
engine = own_factory.create()
ctx = yaql.create_context()
ctx.register_function(lambda left, right: '%s!!%s' % (left, right), name='#operator_!!')
ctx.register_function(lambda x: 'not' + x, name='#unary_operator_~')
same(ev('a !! b or c !! ~d', context=ctx, engine=engine), 'a!!b!!notd', 'operators of the host')
same(ev('$.where($ > 1 and $ < 9).select($ * 2 + 1)', [1, 2], engine=engine), [5], 'beside those of the language')
own_factory.insert_operator('+', False, '%', factory.OperatorType.SUFFIX_UNARY, True)
own_factory.insert_operator('-', False, '::', factory.OperatorType.BINARY_LEFT_ASSOCIATIVE, False)
own_factory.insert_operator('and', True, 'xor', factory.OperatorType.BINARY_LEFT_ASSOCIATIVE, False, 'either')
engine = own_factory.create()
for text, want in (('-$a%', '#unary_operator_%(#unary_operator_-($a))'),
                   ('- $a :: $b', '#operator_::(#unary_operator_-($a), $b)'),
                   ('$a.b% + 1', "#operator_+(#unary_operator_%(#operator_.($a, 'b')), 1)"),
                   ('$a xor $b and not $c', '#operator_and(*either($a, $b), #unary_operator_not($c))'),
                   ('f(1, , a => b !! c)', "f(1, <NoValue>, 'a' => #operator_!!('b', 'c'))")):
    same(str(engine(text)), want, 'tree of ' + text)
for text in ('f(, a => 1)', 'f(1,)', '$a !!', '!! $a', 'f(a => 1, 2)'):
    fails(exceptions.YaqlGrammarException, lambda: engine(text), text)
fails(exceptions.YaqlLexicalException, lambda: engine('1 ` 2'), 'a character that means nothing')
own_factory = yaql.YaqlFactory(allow_delegates=True)
own_factory.insert_operator('or', True, '!!', factory.OperatorType.BINARY_RIGHT_ASSOCIATIVE, True)
same(str(own_factory.create()('$a !! $b(1)')), '#call(#operator_!!($a, $b), 1)', 'a call of a value is weaker than operators')
same(ev('dict(a := 1)', engine=yaql.YaqlFactory(':=').create()), {'a': 1}, 'another keyword operator')
fails(exceptions.InvalidOperatorTableException, lambda: (own_factory.operators.append(('!!', 'BINARY_LEFT_ASSOCIATIVE')),
                                                         own_factory.create()), 'an operator twice')
dctx = yaql.create_context(delegates=True)
same(ev('let(f => lambda($ + 1)) -> $f(2)', context=dctx, engine=DELEGATES), 3, 'a delegate')
dctx['g'] = lambda x: x * 10
same(ev('$g(4)', context=dctx, engine=DELEGATES), 40, 'a function of Python is called as a value')
old, old_context = legacy.YaqlFactory().create(), legacy.create_context()
same(ev('a => b', context=old_context, engine=old), ('a', 'b'), 'the older dialect')
same(ev('$.where($ > 1)[0]', [1, 2, 3], old_context, old), 2, 'indexes') if 0 else None
same(ev('dict(a => 1).get(a)', context=legacy.create_context()), 1, 'its functions with the modern grammar')

# ---- open objects


@yaqlization.yaqlize(blacklist=['secret'])
class Open(object):
    attr = 1
    secret = 2

    def method(self, x, y=1):
        return x + y

    def __getitem__(self, key):
        return key * 2


same(ev('[$.attr, $.method(2), $.method(2, y => 5), $[ab]]', Open()), [1, 3, 7, 'abab'], 'an object that is open')
fails(AttributeError, lambda: ev('$.secret', Open()), 'a member that is not')
ctx = yaql.create_context()
ctx.register_function(lambda: Open(), name='thing')
same(ev('thing().attr', context=ctx), 1, 'a function gives such an object')

# ---- evaluations inside of one another


class Nested(object):
    def __init__(self, context):
        self.context, self.depth = context, 0

    def __call__(self, n):
        return ev('nest($ - 1) + 1', n, self.context.create_child_context()) if n > 0 else 0


ctx = yaql.create_context()
nested = Nested(ctx)
ctx.register_function(lambda n: nested(n), name='nest')
same(ev('nest(20)', context=ctx), 20, 'evaluations inside of evaluations')
try:
    if 'asan' in os.environ.get('LD_PRELOAD', ''):
        raise ImportError  # greenlet copies pieces of stacks, which the sanitizer does not know
    import greenlet
except ImportError:
    print('ok - evaluations that take turns # SKIP no greenlet')
else:
    ctx = yaql.create_context()
    ctx.register_function(lambda x: greenlet.getcurrent().parent.switch(x), name='pause')
    tasks = [greenlet.greenlet(lambda i=i: ev('range(3).select(pause($ + %d)).sum()' % (10 * i), context=ctx.create_child_context()))
             for i in range(3)]
    got = [task.switch() for task in tasks]
    order = []
    live = list(tasks)
    while live:
        for task in list(live):
            value = task.switch(1)
            if task.dead:
                live.remove(task)
                order.append(value)
    same(got + order, [0, 10, 20, 3, 3, 3], 'evaluations that take turns')

results = []


def work(i):
    engine, c = yaql.YaqlFactory().create(), yaql.create_context()
    c.register_function(lambda x: x + i, name='plus')
    results.append(all(engine('$.select(plus($)).sum()').evaluate(list(range(50)), c.create_child_context()) == 1225 + 50 * i
                       and ENGINE('range(100).sum()').evaluate(context=CTX.create_child_context()) == 4950 for _ in range(40)))


CTX = yaql.create_context()
threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
[t.start() for t in threads]
[t.join() for t in threads]
same(results, [True] * 6, 'threads')

# ---- what the engine in C evaluates itself


def native(title, text, want, context, engine=ENGINE, data=None):
    statement = engine(text)
    child = context.create_child_context()
    same(statement.evaluate(data=data, context=child), want, title)
    ok(child._native(statement) is not None, title + ': in C')


OLD = legacy.create_context()
native('older functions below the grammar of today', '[1, 2, 3].skip(1).toList()', [2, 3], OLD)
native('and their index', '[1, 2, 3][$ > 1].toList()', [2, 3], OLD)
native('lambda() without its grammar', '[1].select(lambda($ + 1)) = 1', False, yaql.create_context(delegates=True))
native('no sets', '[1, 2].select($ * 2)', [2, 4], yaql.create_context(no_sets=True))
fails(exceptions.NoFunctionRegisteredException,
      lambda: ENGINE('set(1)').evaluate(context=yaql.create_context(no_sets=True)), 'so there is no set()')
native('without a group', '$.select($ + 1)', [2, 3], yaql.create_context(regex=False, datetime=False), data=[1, 2])
fails(exceptions.NoFunctionRegisteredException,
      lambda: ENGINE('now()').evaluate(context=yaql.create_context(datetime=False)), 'so there is no now()')
fails(exceptions.NoFunctionRegisteredException,
      lambda: ENGINE('true and false').evaluate(context=yaql.create_context(boolean=False)), 'nor an operator')
native('without objects that are opened', '$.a', 1, yaql.create_context(yaqlized=False), data={'a': 1})
COLON = yaql.YaqlFactory(keyword_operator=':=').create()
native('another operator of keywords', 'dict(a := 1, b := $)', {'a': 1, 'b': 5}, yaql.create_context(), COLON, 5)
fails(exceptions.YaqlGrammarException, lambda: COLON('dict(a => 1)'), 'which replaces the other one')
NONE = yaql.YaqlFactory(keyword_operator=None).create()
native('none', '[1, 2].len()', 2, yaql.create_context(), NONE)
OWN = yaql.create_context()


@specs.parameter('left', yaqltypes.String())
@specs.parameter('right', yaqltypes.Integer())
@specs.name('#operator_*')
def repeated(left, right):
    return left * right


OWN.register_function(repeated)
native('an operator of the host', '[ab * 2, 3 * 4]', ['abab', 12], OWN)
same(ev('timespan(999999999) - timespan(microseconds => 1)').days, 999999998, 'a long timespan goes to Python')
LONG = datetime.timedelta(days=-999999999, microseconds=5)
same(ev('$ + timespan(0)', LONG), LONG, 'and comes from there')

DELEGATING = yaql.create_context(delegates=True)
DELEGATING['f'] = lambda x, y=1: x + y
NAMED = yaql.create_context()


@specs.parameter('f', yaqltypes.Lambda())
def named(x, f):
    return [f(x, k=2)]


NAMED.register_function(named)
SIDE = contexts.Context()
SIDE['q'] = 5
SIDE.register_function(lambda: 'side', name='side')
native('several contexts', '[$q, side(), len([1])]', [5, 'side', 1], contexts.MultiContext([SIDE, yaql.create_context()]))
native('a linked context', '[$q, side(), len([1])]', [5, 'side', 1], contexts.LinkedContext(yaql.create_context(), SIDE))
native('a class of contexts', '$ + 1', 4, Slow(yaql.create_context()), data=3)
native('the convention of Python', '$.order_by(-$)', [2, 1], yaql.create_context(convention=yaql.conventions.PythonConvention()), data=[1, 2])
native('a finalizer', '[$]', 'end', yaql.create_context(finalizer=specs.name('#finalize')(lambda obj: 'end')), data=1)
TYPES = yaql.create_context()


@specs.parameter('s', yaqltypes.AnyOf(Thing, float))
@specs.inject('r', yaqltypes.Receiver())
@specs.extension_method
def own_types(s, r):
    return [type(s).__name__, r is utils.NO_VALUE]


@specs.inject('length', yaqltypes.Delegate('len'))
def size(o, length):
    return length(o)


for f in (own_types, size):
    TYPES.register_function(f)
TYPES.register_function(lambda context: context.__setitem__('a', 7) or context, name='let_a')
native('own types and the receiver', '[ownTypes($), ownTypes(1.5), 1.5.ownTypes()]', [['Thing', True], ['float', True], ['float', False]], TYPES, data=t)
fails(exceptions.NoMatchingFunctionException, lambda: ev('ownTypes(1)', context=TYPES), 'what they do not take')
native('a delegate that is injected', 'size([1, 2])', 2, TYPES)
native('a context that a function gives', 'let_a() -> $a', 7, TYPES)
native('an object that is open', '[$.attr, $.method(2), $.method(2, y => 5), $[ab]]', [1, 3, 7, 'abab'], yaql.create_context(), data=Open())
GROWN = yaql.YaqlFactory()
GROWN.insert_operator('*', True, '**', factory.OperatorType.BINARY_RIGHT_ASSOCIATIVE, True)
POWER = yaql.create_context()
POWER.register_function(lambda left, right: left ** right, name='#operator_**')
native('an operator that was inserted', '2 ** 3 ** 2', 512, POWER, GROWN.create())


class Rows(object):
    def __iter__(self):
        return iter([1, 2])


ROWS = yaql.create_context()
ROWS['r'] = Rows()
native('a collection of a class of its own', '[$r.select($).len(), $r.sum(), $r.first()]', [2, 3, 1], ROWS)
native('keywords of a function that is a value', '$f(1, y => 5)', 6, DELEGATING, DELEGATES)
same(ev('named(1, $ + $k)', context=NAMED), [3], 'a lambda with keywords')

# ---- nothing stays


def objects_after(n):
    for i in range(n):
        c = yaql.create_context()
        c.register_function(lambda x, context: (c, x), name='own')
        c.register_function(lambda: c, name='cyc')
        ENGINE('own($.a)[1]').evaluate({'a': object()}, c)
        shown(ENGINE('own($.a).nope').evaluate, {'a': i}, c)
    gc.collect()
    return len(gc.get_objects())


objects_after(50)
before = objects_after(50)
after = objects_after(200)
engines = sum(type(o) is _vetro.Engine for o in gc.get_objects())
ok(engines < 60, 'so are their engines', engines)
ok(after <= before + 50, 'contexts with functions of their own are freed', before, after)
same(yaql.eval('$.a + 1', {'a': 1}), 2, 'yaql.eval')
