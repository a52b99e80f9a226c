"""What services do with yaql's interface: a line of text a question, the same from yaql 2.0.0 and from vetro.yaql.

usage: same.py yaql|vetro.yaql       python.t compares the two where python3-yaql is installed
"""

import collections
import datetime
import decimal
import importlib
import re
import sys

NAME = sys.argv[1]
yaql = importlib.import_module(NAME)
contexts, conventions, exceptions, expressions, factory, runner, specs, utils, yaqltypes = (
    importlib.import_module('%s.language.%s' % (NAME, part)) for part in (
        'contexts', 'conventions', 'exceptions', 'expressions', 'factory', 'runner', 'specs', 'utils', 'yaqltypes'))
yaqlization = importlib.import_module(NAME + '.yaqlization')
yaql_interface = importlib.import_module(NAME + '.yaql_interface')
legacy = importlib.import_module(NAME + '.legacy')

ADDRESS = re.compile(r' at 0x[0-9a-f]+')
RECEIVER = re.compile(' for receiver .* matches')  # a copy is shown in its own way
ENGINE = yaql.YaqlFactory().create()
DEFAULT = yaql.create_context()


def shown(value):
    if type(value).__name__ == 'FrozenDict':
        return 'FrozenDict(%s)' % ', '.join('%s: %s' % (shown(k), shown(v)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return '%s(%s)' % (type(value).__name__, ', '.join(shown(item) for item in value))
    if isinstance(value, dict):
        return '%s{%s}' % (type(value).__name__, ', '.join('%s: %s' % (shown(k), shown(v)) for k, v in value.items()))
    if isinstance(value, (set, frozenset)):
        return '%s(%s)' % (type(value).__name__, ', '.join(sorted(shown(item) for item in value)))
    if hasattr(value, '__next__'):
        return 'iterator(%s)' % ', '.join(shown(item) for item in value)
    return ADDRESS.sub('', repr(value)).replace('vetro.yaql', 'yaql')


def ask(title, call, *args, **kwargs):
    try:
        got = shown(call(*args, **kwargs))
    except Exception as e:
        fields = {k: ADDRESS.sub('', repr(v)) for k, v in sorted(vars(e).items()) if not k.startswith('_')}
        text = RECEIVER.sub('', ADDRESS.sub('', str(e)))
        got = 'raises %s: %s %s' % (type(e).__name__, text, fields if isinstance(e, exceptions.YaqlException) else '')
    print('%s\t%s' % (title.replace('\n', ' '), got.replace('\n', ' ')))


def ev(text, data=utils.NO_VALUE, context=None, options=None, engine=None):
    engine = engine or (yaql.YaqlFactory().create(options) if options else ENGINE)
    return engine(text).evaluate(data=data, context=context or DEFAULT.create_child_context())


def with_functions(*functions, **named):
    context = DEFAULT.create_child_context()
    for f in functions:
        context.register_function(f)
    for name, f in named.items():
        context.register_function(f, name=name)
    return context


# ---- data of all kinds

class Record(object):
    def __init__(self, n):
        self.n = n

    def __repr__(self):
        return 'Record(%d)' % self.n


class Rows(object):
    """Rows of a database: each loop reads them anew."""

    def __init__(self, items):
        self.items = items

    def __iter__(self):
        return iter(self.items)


class Row(collections.abc.Mapping):
    def __init__(self, **values):
        self.values_ = values

    def __getitem__(self, key):
        return self.values_[key]

    def __iter__(self):
        return iter(self.values_)

    def __len__(self):
        return len(self.values_)


class Version(object):
    """Iterable, and yet a value of its own."""

    def __iter__(self):
        return iter((1, 2))

    def __str__(self):
        return '1.2'


Point = collections.namedtuple('Point', 'x y')
VALUES = [
    None, True, 0, 1.5, 'text', b'ab', bytearray(b'ab'), range(3), (1, (2, [3])), [1, {'a': (2,)}], {1, 2}, frozenset([1]),
    {'a': {1, 2}}, collections.OrderedDict(b=1, a=2), collections.deque([1, 2]), collections.Counter('aab'), Point(1, 2),
    decimal.Decimal('1.5'), datetime.timedelta(1, 2), datetime.datetime(2020, 1, 2), datetime.date(2020, 1, 2), Record(1),
    [Record(1), Record(2)], Rows([1, 2]), Row(a=1), {'k': Row(a=[1])}, {1: 'a', None: 'b', (1, 2): 'c'}, 2 ** 70, float('inf'),
    {'a': 1}.keys(), {'a': 1}.values(), {'a': 1}.items(), re.compile('a+'), Version(), len, Record,
]
for value in VALUES:
    for text in ('$', 'str($)', '[$]', 'isList($)', 'isDict($)', '$ = $', '$.len()', '$.select($)', '$.toSet().len()', 'bool($)'):
        if text in ('str($)',) and isinstance(value, (set, frozenset, dict)) and len(value) > 1:
            continue
        ask('data %.30r %s' % (shown(value), text), ev, text, value)
    ask('raw %.30r' % (shown(value),), ev, '$', value, None, {'yaql.convertInputData': False})
    ask('out %.30r' % (shown(value),), ev, '$', value, None, {'yaql.convertOutputData': False})
for value in VALUES:
    context = DEFAULT.create_child_context()
    context['v'] = value
    for text in ('$v', '[$v.len(), $v.len()]', '$v.select($).len() + $v.select($).len()'):
        ask('variable %.30r %s' % (shown(value), text), ev, text, 1, context.create_child_context())
    context.register_function(lambda: value, name='give')
    for text in ('give()', 'give().len()', 'give().select($)', '[give()]', 'give() = give()', 'isList(give())'):
        ask('given %.30r %s' % (shown(value), text), ev, text, 1, context.create_child_context())
for text in ('$.distinct()', '$.toList()', '$.len()', '$.first()', '$.toSet().len()'):
    ask('iterator of lists ' + text, lambda t: ev(t, iter([[1], [1], [2]])), text)
    ask('generator of dicts ' + text, lambda t: ev(t, ({'a': [i]} for i in range(2))), text)

# ---- Mistral: its engine, its context, its functions

MISTRAL = {'yaql.limitIterators': -1, 'yaql.memoryQuota': -1, 'yaql.convertTuplesToLists': True, 'yaql.convertSetsToLists': False,
           'yaql.iterableDicts': False, 'yaql.convertOutputData': True}
WORKFLOW = {'vms': [{'name': 'a', 'ip': '10.0.0.1', 'up': True, 'tags': ['x']}, {'name': 'b', 'ip': None, 'up': False, 'tags': []}],
            '__env': {'region': 'one'}, 'n': 2, 'who': 'me', '__execution': {'id': 'e1', 'workflow_name': 'wf'}}


def task(context, task_name=None):
    return {'id': 't1', 'name': task_name or context['__task_execution'], 'result': {'content': [1, 2]}, 'state': 'SUCCESS'}


def tasks(context, workflow_execution_id=None, recursive=False, state=None, flat=False):
    return [{'id': 'a', 'state': 'ERROR' if state is None else state, 'r': recursive, 'f': flat}]


mistral_factory = yaql.YaqlFactory(keyword_operator='=>', allow_delegates=False)
mistral_engine = mistral_factory.create(options=MISTRAL)
root = yaql.create_context(data={}, convention=None)
for name, f in (('task', task), ('tasks', tasks), ('env', lambda context: context['__env']),
                ('execution', lambda context: context['__execution']), ('uuid', lambda context=None: 'u-1'),
                ('json_dump', lambda context, obj: repr(obj)), ('global', lambda context, name: context['$'].get(name)),
                ('json_parse', lambda context, s: __import__('json').loads(s))):
    root.register_function(f, name=name)
for text in ('$.vms.where($.up).name', '$.vms.select($.name + "-" + $.get(ip, none))', 'env().region', 'env().get(nope, 1)',
             'execution().id', 'task(build).result.content', 'task(build).result.content.sum() + $.n', 'tasks()', 'tasks(x, true)',
             'tasks(state => RUNNING)', 'tasks(recursive => true, flat => true).select($.r)', 'uuid()', 'json_dump($.vms[0].tags)',
             'json_parse("[1, {\\"a\\": 2}]")[1].a', 'global(who)', '$.vms.select(dict(name => $.name, on => $.up))',
             '$.vms.toDict($.name, $.tags)', 'dict($.vms.select([$.name, $.ip]))', '$.nope', '$.vms.nope', '$.who.upper()',
             '$.vms.where($.ip != null).len() = 1', 'switch($.n > 1 => many, true => few)', 'let(v => $.n) -> $v * 2', 'tasks(1, 2, 3, 4, 5)',
             'task(task_name => other).name', 'task()', 'env() + dict(a => 1)', '$.__env', '$.vms.flatten()', '$.vms.tags.flatten()',
             '$.vms.orderBy($.name).last().name', '$.vms.aggregate($1 + len($2.tags), 0)', 'range($.n).select($ * $)', 'nope()', '$.vms.nope()'):
    ask('mistral ' + text, ev, text, WORKFLOW, root.create_child_context(), None, mistral_engine)


def mistral_context(data):
    context = root.create_child_context()
    context['$'] = utils.convert_input_data(data)
    for key in ('__env', '__execution'):
        context[key] = data[key]
    context['__task_execution'] = 'current'
    return context


for text in ('env().region', 'execution().workflow_name', '$.vms.where($.up).len()', 'task().name', '$.vms[0]', '$'):
    ask('mistral context ' + text, lambda t: mistral_engine(t).evaluate(context=mistral_context(WORKFLOW)), text)
    raw = mistral_factory.create(options=dict(MISTRAL, **{'yaql.convertOutputData': False}))
    ask('mistral without conversion ' + text, lambda t: raw(t).evaluate(context=mistral_context(WORKFLOW)), text)

# ---- Orquesta and StackStorm

orquesta = yaql.create_context()


def ctx(context, key=None):
    values = context['__vars']
    return values if key is None else values[key]


def result(context, *args):
    return context['__current_task']['result']


for name, f in (('ctx', ctx), ('result', result), ('task_status', lambda context, task_id, route=None: 'succeeded' if task_id == 't' else None),
                ('failed', lambda context: False), ('succeeded', lambda context: True), ('completed', lambda context: True),
                ('item', lambda context, key=None: context['__current_item'] if key is None else context['__current_item'][key]),
                ('item', lambda context: context['__current_item'])):
    orquesta.register_function(f, name=name)
for text in ('ctx(a)', 'ctx().a', 'ctx().b.c', 'ctx(nope)', 'ctx().nope', 'result().stdout', 'succeeded() and result().code = 0', 'failed() or not completed()',
             'task_status(t)', 'task_status(t, route => 1)', 'task_status(u)', 'ctx(items).select($.id)', 'ctx(items).where($.id > 1)', 'item()', 'item(k)',
             'ctx(a) + len(ctx(items))', '(ctx(a) + 1) * 2', 'ctx(items).id.sum()', 'str(ctx(a))', 'int(ctx(s)) + 1', 'ctx(s) in [12, "12"]',
             "ctx().get('a', 2)", 'ctx(a, b)', 'zip(ctx(items), [1, 2])', 'ctx(items).toDict($.id => $)', 'dict(a => ctx(a)).a', 'ctx(s).split("") ', 'coalesce(null, ctx(s))'):
    context = orquesta.create_child_context()
    context['__vars'] = {'a': 1, 'b': {'c': [1, 2]}, 's': '12', 'items': [{'id': 1}, {'id': 2}]}
    context['__current_task'] = {'id': 't', 'result': {'stdout': 'out', 'code': 0}}
    context['__current_item'] = {'k': 'v'}
    ask('orquesta ' + text, lambda t: ENGINE(t).evaluate(context=context), text)

# ---- Heat

heat = yaql.YaqlFactory().create({'yaql.limitIterators': 200, 'yaql.memoryQuota': 10000})
heat_context = yaql.create_context()
HEAT = {'var1': [1, 2, 3], 'hosts': {'a': ['1.1.1.1'], 'b': ['2.2.2.2', '3.3.3.3']}, 'roles': [{'n': 'x', 'e': True}, {'n': 'y', 'e': False}], 'net': None}
for text in ('$.data.var1.sum()', '$.data.hosts.values().flatten()', '$.data.hosts.items().select([$[0], len($[1])]).toDict($[0], $[1])',
             '$.data.roles.where($.e).select($.n)', 'coalesce($.data.net, default)', '$.data.net.first()', 'range(300).len()', 'range(150).select(str($)).join(",").len()',
             '[$.data.var1, $.data.var1].flatten().distinct()', '$.data.hosts.keys().orderBy($)', '$.data.roles.toDict($.n, $.e)', '"x" * 20000',
             "let(root => $.data.hosts) -> $.data.roles.select($.n).where($root.containsKey($)).len()", '$.data.hosts.a[0].split(".").select(int($)).max()',
             'dict($.data.hosts.items().where(len($[1]) > 1))', "'a,b'.split(',').zip([1, 2]).select(dict(k => $[0], v => $[1]))", '$.data.nope.x', 'yaql()',
             '$.data.var1.selectMany(range($)).groupBy($).toDict($[0], len($[1]))', "regex('(\\\\d+)').replaceBy('a1b2', concat('<', $.value, '>'))"):
    ask('heat ' + text, lambda t: heat(t).evaluate({'data': HEAT}, heat_context.create_child_context()), text)

# ---- definitions: decorators, types, overloads


@specs.parameter('s', yaqltypes.AnyOf(yaqltypes.String(), yaqltypes.Integer()))
def either(s):
    return [type(s).__name__, s]


@specs.parameter('s', yaqltypes.AnyOf(yaqltypes.String(), yaqltypes.Integer(), nullable=True))
def either_or_null(s):
    return s


@specs.parameter('s', yaqltypes.Chain(yaqltypes.String(), yaqltypes.PythonType(str, validators=[lambda s: len(s) < 4])))
def short(s):
    return s


@specs.parameter('s', yaqltypes.NotOfType(str))
def no_text(s):
    return s


@specs.parameter('s', yaqltypes.PythonType((int, list)))
def int_or_list(s):
    return s


@specs.parameter('r', Record)
def record(r):
    return r.n


@specs.parameter('r', Record, nullable=True)
def record_or_null(r):
    return r and r.n


class Positive(yaqltypes.Integer):
    def check(self, value, context, engine, *args, **kwargs):
        value = value.value if isinstance(value, expressions.Constant) else value
        if not super(Positive, self).check(value, context, engine, *args, **kwargs):
            return False
        return isinstance(value, expressions.Expression) or value > 0

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        value = super(Positive, self).convert(value, receiver, context, function_spec, engine, *args, **kwargs)
        return value * 100


class Refuses(yaqltypes.Integer):
    def convert(self, *args, **kwargs):
        raise exceptions.ArgumentValueException()


@specs.parameter('n', Positive())
@specs.extension_method
def positive(n):
    return n


@specs.parameter('n', Refuses())
def refuses(n):
    return n


@specs.parameter('rest', Positive())
def all_positive(*rest):
    return list(rest)


@specs.parameter('kw', Positive())
def named_positive(**kw):
    return sorted(kw.items())


@specs.parameter('name', yaqltypes.Keyword())
def word(name):
    return name


@specs.parameter('name', yaqltypes.StringConstant())
def text_constant(name):
    return name


@specs.parameter('n', yaqltypes.NumericConstant())
def number_constant(n):
    return n


@specs.parameter('n', yaqltypes.BooleanConstant())
def bool_constant(n):
    return n


@specs.parameter('c', yaqltypes.Constant(True))
def any_constant(c):
    return c


@specs.parameter('c', yaqltypes.Keyword(expand=False))
def word_node(c):
    return [type(c).__name__, str(c)]


@specs.parameter('e', yaqltypes.YaqlExpression())
def tree(e):
    return [type(e).__name__, str(e)]


@specs.parameter('e', yaqltypes.YaqlExpression(expressions.Function))
def only_call(e):
    return e.name


@specs.parameter('f', yaqltypes.Lambda())
def twice(f):
    return [f(1), f(2)]


@specs.parameter('f', yaqltypes.Lambda())
def named_arguments(f):
    return f(1, 2, x=3)


@specs.parameter('f', yaqltypes.Lambda(with_context=True))
def in_context(context, f):
    child = context.create_child_context()
    child['x'] = 42
    return f(child)


@specs.parameter('f', yaqltypes.Lambda(method=True))
def on_text(f):
    return f('abc')


@specs.parameter('rules', yaqltypes.MappingRule())
@specs.no_kwargs
def rules(*rules):
    return [[r.source(), r.destination()] for r in rules]


@specs.inject('length', yaqltypes.Delegate('len'))
def size(o, length):
    return length(o)


@specs.inject('any_function', yaqltypes.Delegate())
def by_name(name, o, any_function):
    return any_function(name, o)


@specs.inject('upper', yaqltypes.Delegate('to_upper', method=True))
def shout(s, upper):
    return upper(s) + '!'


@specs.inject('outer', yaqltypes.Super())
@specs.parameter('sequence', yaqltypes.Iterable())
@specs.name('len')
@specs.extension_method
def longer(sequence, outer):
    return outer(sequence) + 100


@specs.inject('r', yaqltypes.Receiver())
@specs.extension_method
def who(o, r):
    return 'none' if r is utils.NO_VALUE else r


@specs.inject('d', yaqltypes.FunctionDefinition())
def own_name(d):
    return d.name


def through(yaql_interface, x):
    return [yaql_interface.len(x), yaql_interface('$1 + $y', 1, y=2), yaql_interface.on(x).select(lambda v: v + 1)]


def let_a(context, x):
    context['a'] = x
    return context


def defaults(a, b=[], c={'k': 1}, d=1.5, e='x', f=None, g=True):
    return [a, b, c, d, e, f, g]


def keyword_only(a, *, b=1, c):
    return [a, b, c]


@specs.parameter('n', int, alias='count')
def aliased(n=1):
    return n


@specs.yaql_property(yaqltypes.String())
def shouted(s):
    return s.upper()


@specs.yaql_property(Record)
def number_of(r):
    return r.n


@specs.method
@specs.parameter('s', yaqltypes.String())
def only_method(s):
    return s


@specs.no_kwargs
def pairs(*args):
    return [type(a).__name__ for a in args]


def stops():
    raise StopIteration()


def generator(n):
    for i in range(n):
        yield [i]


@specs.name('#operator_*')
@specs.parameter('left', yaqltypes.String())
@specs.parameter('right', yaqltypes.Integer())
def repeat(left, right):
    return [left] * right


@specs.name('#unary_operator_-')
@specs.parameter('value', yaqltypes.String())
def reversed_text(value):
    return value[::-1]


@specs.name('#indexer')
@specs.parameter('value', Record)
def item_of_record(value, index):
    return (value.n, index)


ALL = (either, either_or_null, short, no_text, int_or_list, record, record_or_null, positive, refuses, all_positive, named_positive, word, text_constant,
       number_constant, bool_constant, any_constant, word_node, tree, only_call, twice, named_arguments, in_context, on_text, rules, size, by_name, shout,
       longer, who, own_name, through, let_a, defaults, keyword_only, aliased, shouted, number_of, only_method, pairs, stops, generator, repeat, reversed_text,
       item_of_record)
QUESTIONS = '''
either(a)
either(1)
either(1.5)
either(true)
either(null)
either($.s + x)
eitherOrNull(null)
eitherOrNull([])
short(abc)
short(abcd)
short($.s)
short(1)
noText(1)
noText(a)
noText(null)
noText($.s)
intOrList(1)
intOrList([1])
intOrList($.l)
intOrList(a)
record($.r)
record($)
record(null)
recordOrNull(null)
recordOrNull($.r)
$.rs.select(record($))
positive(3)
positive(0)
positive($.n)
$.n.positive()
positive(n => 2)
positive(-$.n)
refuses(1)
allPositive(1, 2)
allPositive(1, -2)
allPositive()
namedPositive(a => 1, b => 2)
namedPositive(a => -1)
word(abc)
word('abc')
word($.s)
textConstant(abc)
textConstant('a b')
textConstant($.s)
numberConstant(1)
numberConstant(1.5)
numberConstant($.n)
numberConstant(true)
boolConstant(true)
boolConstant(1)
anyConstant(1)
anyConstant(null)
anyConstant($.n)
wordNode(abc)
tree(1 + $.a)
tree(abc)
tree('abc')
tree(null)
tree($.a.b(1, x => 2))
tree([1, {a => $}])
tree(not $.a and $b in $)
onlyCall(f(1))
onlyCall(1)
onlyCall($.f(1))
twice($ + 1)
twice(5)
twice($1 * $n)
$.l.select(twice($ + 1))
let(k => 3) -> twice($ + $k)
namedArguments($1 + $2 + $x)
inContext($x + 1)
inContext($.n + $x)
onText(toUpper())
onText(len())
onText(1)
rules(a => 1, $.n => $.s)
rules()
rules(1)
size($.l)
size($)
byName(len, $.l)
byName(str, 1)
byName(nope, 1)
shout(abc)
shout(1)
len($.l)
$.l.len()
len(abc)
$.rs.len()
who(1)
1.who()
$.l.select($.who())
$.s.who()
ownName()
through($.l)
letA(5) -> $a
letA($.n) -> [$a, $.s]
letA(5)
$.l.select(letA($) -> $a + 1)
defaults(1)
defaults(1, 2)
defaults(1, , 3)
defaults(1, g => false, d => null)
defaults(1, e => 5)
defaults(a => 1)
keywordOnly(1, c => 2)
keywordOnly(1, c => 2, b => 3)
keywordOnly(1)
aliased()
aliased(2)
aliased(count => 3)
aliased(n => 3)
aliased(a)
$.s.shouted
$.l.shouted
$.n.shouted
$.r.numberOf
$.rs.numberOf
$.s.onlyMethod()
onlyMethod(a)
pairs(1, a => 2)
pairs(a => 1)
pairs()
stops()
$.l.select(stops())
[1].where(stops())
generator(3)
generator(3).select($[0] + 1).sum()
generator(2).len() + generator(2).toList().len()
generator(10).take(2)
generator(3).first()
generator(3).orderByDescending($[0]).first()
ab * 2
3 * 4
-abc
-$.n
$.r[x]
$.l[0]
[$.r, $.l][1][0]
def(sq, $ * $) -> $.l.select(sq($))
def(sq, $ * $) -> size([sq(2)])
def(sq, $ * $) -> byName(sq, 3)
def(sq, $ * $) -> letA(sq(3)) -> $a
call(either, [1], {})
call(size, [[1, 2]], {})
call(defaults, [1], {b => 2})
$.l.select(either($)).select($[1])
$.l.where(either($)[1] > 1)
$.l.aggregate($1 + positive($2))
$.l.toDict($, either($))
switch(record($.r) = 7 => yes, true => no)
$.l.any(either($)[1] = 2)
dict($.l.select([$, size([$])]))
'''
context = with_functions(*ALL)
DATA = {'s': 'text', 'n': 3, 'l': [1, 2], 'r': Record(7), 'rs': [Record(1), Record(2)]}
for text in QUESTIONS.strip().split('\n'):
    ask('function ' + text, ev, text, DATA, context.create_child_context())

# ---- overloads that differ by types


@specs.name('kind')
@specs.parameter('v', yaqltypes.PythonType(object, nullable=True))
def kind_any(v):
    return 'any'


@specs.name('kind')
@specs.parameter('v', Record)
def kind_record(v):
    return 'record'


class Special(Record):
    pass


@specs.name('kind')
@specs.parameter('v', Special)
def kind_special(v):
    return 'special'


@specs.name('kind')
@specs.parameter('v', yaqltypes.String())
def kind_text(v):
    return 'text'


@specs.name('kind')
@specs.parameter('v', utils.MappingType)
def kind_mapping(v):
    return 'mapping'


@specs.name('kind')
@specs.parameter('v', yaqltypes.Sequence())
def kind_sequence(v):
    return 'sequence'


@specs.name('kind')
@specs.parameter('v', bool)
def kind_bool(v):
    return 'bool'


@specs.name('kind')
@specs.parameter('v', int)
def kind_int(v):
    return 'int'


@specs.name('kind')
@specs.parameter('v', yaqltypes.AnyOf(float, datetime.timedelta))
def kind_sum(v):
    return 'sum'


for several in ((kind_any, kind_record, kind_special), (kind_text, kind_mapping, kind_sequence, kind_record), (kind_any, kind_text, kind_sum),
                (kind_bool, kind_int, kind_any), (kind_sequence, kind_any), (kind_record, kind_sum, kind_bool)):
    context = with_functions(*several)
    for value in (1, 'a', 1.5, None, True, [1], {'a': 1}, Record(1), Special(1), datetime.timedelta(1)):
        ask('overloads %s %.20r' % ('-'.join(f.__name__ for f in several), value), ev, 'kind($)', value, context.create_child_context())

# ---- contexts


class Own(contexts.Context):
    """As Murano has them."""


class Logged(contexts.Context):
    def get_data(self, name, default=None, ask_parent=True):
        return super(Logged, self).get_data(name, default, ask_parent) or 'logged'


def base():
    context = DEFAULT.create_child_context()
    context['x'] = 1
    context.register_function(lambda: 'outer', name='f')
    context.register_function(lambda a: ['outer', a], name='f')
    return context


def side():
    context = contexts.Context()
    context['y'], context['x'] = 2, 3
    context.register_function(lambda: 'side', name='f')
    context.register_function(lambda: 'g', name='g')
    return context


def grown(cls):
    context = cls(base())
    context['z'] = 5
    context.register_function(lambda a, b: ['own', a, b], name='f')
    return context


def exclusive():
    context = base().create_child_context()
    context.register_function(lambda a, b: ['only', a, b], name='f', exclusive=True)
    return context


CONTEXTS = [('base', base), ('own', lambda: grown(Own)), ('logged', lambda: grown(Logged)), ('multi', lambda: contexts.MultiContext([side(), base()])),
            ('multi back', lambda: contexts.MultiContext([base(), side()])), ('linked', lambda: contexts.LinkedContext(base(), side())),
            ('linked own', lambda: contexts.LinkedContext(base(), grown(contexts.Context))), ('exclusive', exclusive),
            ('multi of three', lambda: contexts.MultiContext([side(), contexts.Context(), base()])),
            ('linked in multi', lambda: contexts.MultiContext([contexts.LinkedContext(base(), side()), side()])),
            ('multi below', lambda: contexts.Context(contexts.MultiContext([side(), base()]))),
            ('bare', contexts.Context), ('library twice', lambda: contexts.LinkedContext(base(), base()))]
for name, make in CONTEXTS:
    for text in ('$x', '[$x, $y, $z]', 'f()', 'f(1)', 'f(1, 2)', 'g()', '[1, 2].select($ + $x)', 'len([1])', '$', 'nope()', 'let(x => 9) -> $x', 'f(1, 2, 3)'):
        context = make()
        ask('context %s %s' % (name, text), lambda: ENGINE(text).evaluate(context=context))
        ask('context %s child %s' % (name, text), lambda: ENGINE(text).evaluate([7], context.create_child_context()))
    context = make()
    ask('keys of ' + name, lambda: sorted(context.keys()))
    ask('x in ' + name, lambda: ['x' in context, '$y' in context, 'q' in context])
    ask('get of ' + name, lambda: [context['x'], context.get_data('y', 5), context.get_data('q', 6), context.get_data('x', 7, False)])
    ask('levels of ' + name, lambda: [len(level) for level in context.collect_functions('f')])
    context['x'] = 'new'
    ask('set in ' + name, lambda: [context['x'], ENGINE('$x').evaluate(context=context)])
    ask('call in ' + name, lambda: context('f', ENGINE)(1))
    ask('del in ' + name, lambda: context.__delitem__('nope'))

# ---- create_context, conventions, finalizers

for name, options in (('no system', dict(system=False)), ('no common', dict(common=False)), ('no strings', dict(strings=False)),
                      ('no queries', dict(queries=False)), ('no collections', dict(collections=False)), ('no regex', dict(regex=False)),
                      ('no branching', dict(branching=False)), ('no math', dict(math=False)), ('no sets', dict(no_sets=True)),
                      ('no datetime', dict(datetime=False)), ('no yaqlized', dict(yaqlized=False)), ('delegates', dict(delegates=True)),
                      ('python', dict(convention=conventions.PythonConvention())), ('no boolean', dict(boolean=False)),
                      ('old groups', dict(group_by_agg_fallback=False))):
    made = yaql.create_context(**options)
    for text in ('1 + 2', '$.a', '$x', '[1, 2].len()', '[1, 2].select($)', 'len(abc)', 'true and false', 'set(1).len()', 'regex(a).matches(b)', 'switch(true => 1)',
                 'datetime(2020, 1, 1).year', '[2, 1].orderBy($)', '[2, 1].order_by($)', 'abc.toUpper()', 'abc.to_upper()', 'let(1) -> $1', 'max(1, 2)', '{a => 1}.a',
                 '[1, 2].toDict($, $ + 1)', '[1, 2].to_dict($, value_selector => $ + 1)', 'not true', '1 < 2', 'a = b', 'lambda($)', 'isString(a)', 'is_string(a)',
                 '[[a, 1], [b, 2], [c, 1]].groupBy($[1], $[0], [$[0], $[1].len()])', '[[a, 1], [b, 2]].group_by($[1], $[0], [$[0], $[1].len()])', 'dict(a => 1)',
                 '[3].select_many([$, $])', 'ab.replace_by({a => b})', '{a => 1}.delete_all([a])', '{a => 1}.deleteAll([a])', 'def(f, $) -> f(1)', 'coalesce(null, 1)'):
        ask('%s: %s' % (name, text), ev, text, {'a': [1]}, made.create_child_context())
        if name == 'python':
            context = made.create_child_context()
            context.register_function(lambda some_name: some_name, name='own_function')
            ask('python beside an own one: %s' % text, ev, text, {'a': [1]}, context)
context = yaql.create_context(convention=conventions.PythonConvention())


def take_two(some_list, how_many=2):
    return list(some_list)[:how_many]


context.register_function(take_two)
for text in ('take_two([1, 2, 3])', 'take_two([1, 2, 3], how_many => 1)', 'takeTwo([1])', '[3, 1].order_by($)'):
    ask('python own ' + text, ev, text, 1, context.create_child_context())


class Shouting(conventions.Convention):
    def convert_function_name(self, name):
        return name.upper()

    def convert_parameter_name(self, name):
        return name.upper()


context = yaql.create_context(convention=Shouting())
context.register_function(take_two)
for text in ('TAKE_TWO([1, 2, 3])', 'TAKE_TWO([1, 2, 3], HOW_MANY => 1)', '[3, 1].ORDER_BY($)', 'LEN([1])', 'len([1])', '1 + 1', '[1].SELECT($ + 1)'):
    ask('shouting ' + text, ev, text, 1, context.create_child_context())


@specs.name('#finalize')
def wraps(obj):
    return ['end', obj if not utils.is_iterator(obj) else list(obj)]


@specs.name('#finalize')
def fails(obj):
    raise KeyError('end')


def named(obj):
    return obj


for f in (wraps, fails, named):
    made = yaql.create_context(finalizer=f)
    for text in ('1', '[1, 2].select($ + 1)', '{a => [1]}', '$.a', 'named(1)', 'nope()', 'let(1)'):
        ask('finalizer %s %s' % (f.__name__, text), ev, text, {'a': 1}, made.create_child_context())
context = with_functions(wraps)
for text in ('1', '[1, 2].select($ + 1)', '[$]'):
    ask('own finalizer ' + text, ev, text, 3, context.create_child_context())


@specs.parameter('iterator', yaqltypes.Iterable())
@specs.name('#iter')
def at_most_two(iterator):
    return list(iterator)[:2]


context = with_functions(at_most_two)
for text in ('[1, 2, 3]', '[1, 2, 3].select($)', '{a => [1, 2, 3]}', 'range(5)'):
    ask('own #iter ' + text, ev, text, 3, context.create_child_context())
given = contexts.Context()
given['outer'] = 1
ask('create_context in a given one', lambda: [c is given for c in (yaql.create_context(context=given), given)])
ask('and it works', lambda: ev('$outer + len([1])', 1, yaql.create_context(context=contexts.Context(data=3))))

# ---- operators


def operators(*inserted):
    made = yaql.YaqlFactory()
    for one in inserted:
        made.insert_operator(*one)
    return made.create()


LEFT, RIGHT = factory.OperatorType.BINARY_LEFT_ASSOCIATIVE, factory.OperatorType.BINARY_RIGHT_ASSOCIATIVE
PREFIX, SUFFIX = factory.OperatorType.PREFIX_UNARY, factory.OperatorType.SUFFIX_UNARY
MURANO = (('>', True, 'is', LEFT, False), (None, True, ':', LEFT, True), (':', True, ':', PREFIX, False))
for name, inserted, texts in (
        ('power', [('*', True, '**', RIGHT, True)], ('2 ** 3 ** 2', '2 * 3 ** 2', '-2 ** 2', '$.a ** 2', '[1, 2].select($ ** 2)')),
        ('murano', MURANO, ('a is b', '$ is c', ':a', ':a.b', 'x:y', 'x:y.f(1)', '$:a', '$.b(:c)', 'not $ is :c', 'a > b is c', 'a.b:c')),
        ('pipe', [('or', True, '|', LEFT, True)], ('1 | 2 | 3', '1 or 2 | 3', '$ -> 1 | 2', 'f($ | 1, a => 2 | 3)')),
        ('alias', [('=', True, '==', LEFT, False, 'equal'), ('=', True, '<>', LEFT, False, 'not_equal')], ('1 == 1', '1 <> 1', '1 == 1 = true', '1 + 1 == 2 and true')),
        ('word', [('and', True, 'xor', LEFT, False), ('not', False, 'maybe', PREFIX, False)], ('a xor b and c', 'maybe a', 'not maybe a', 'xor', '$.xor')),
        ('suffix', [('+', False, '!', SUFFIX, True)], ('1!', '-1!', '$.a! + 1', '(1)!', '$a!'))):
    engine = operators(*inserted)
    context = DEFAULT.create_child_context()
    for symbol in ('**', 'is', ':', '|', 'xor'):
        context.register_function(lambda left, right, s=symbol: '(%s %s %s)' % (left, s, right), name='#operator_' + symbol)
    for symbol in (':', 'maybe', '!'):
        context.register_function(lambda value, s=symbol: '(%s %s)' % (s, value), name='#unary_operator_' + symbol)
    for text in texts:
        ask('operator tree %s %s' % (name, text), lambda: str(engine(text)))
        ask('operator %s %s' % (name, text), lambda: engine(text).evaluate(data={'a': 3}, context=context.create_child_context()))
ask('inserted twice', operators, ('or', True, '|', LEFT, True), ('or', True, '|', LEFT, True))
ask('no such operator', operators, ('nope', True, '|', LEFT, True))
for text in ('dict(a := 1)', 'dict(a => 1)', 'a => 1'):
    ask('keyword operator ' + text, ev, text, 1, None, None, yaql.YaqlFactory(keyword_operator=':=').create())
    ask('no keyword operator ' + text, ev, text, 1, None, None, yaql.YaqlFactory(keyword_operator=None).create())

# ---- delegates

delegates = yaql.YaqlFactory(allow_delegates=True).create()
context = yaql.create_context(delegates=True)
context['f'] = lambda x, y=1: x + y
context['n'] = 5
for text in ('$f(1)', '$f(1, y => 5)', '$f(1, 2)', '$f()', 'lambda($ + 1)(2)', 'let(g => lambda($1 * $2)) -> $g(3, 4)', '[1, 2].select($f($))', '$n(1)', '($f)(2)',
             'lambda(lambda($ + 1))()(4)', 'lambda($x)(x => 3)', '[lambda($), 1][0](8)', '$f', 'lambda($).len()'):
    ask('delegate ' + text, ev, text, 1, context.create_child_context(), None, delegates)

# ---- objects that are open


@yaqlization.yaqlize(blacklist=['secret', re.compile('^hidden'), lambda name: name.endswith('_x')],
                     attribute_remapping={'size': 'length', 'add': ('plus', {'by': 'n'})})
class Open(object):
    attr, secret, hidden_a, a_x, length, _private = 1, 2, 3, 4, 5, 6
    text = 'abc'

    def method(self, x, y=1):
        return x + y

    def plus(self, a, n=1):
        return a + n

    def __getitem__(self, key):
        return 'item ' + key

    @property
    def broken(self):
        raise ValueError('broken')

    def inner(self):
        return Plain()


class Plain(object):
    value = 7

    def get(self):
        return self

    def __repr__(self):
        return 'Plain()'


@yaqlization.yaqlize(auto_yaqlize_result=True, whitelist=['inner', 'rows'])
class Auto(object):
    other = 1

    def inner(self):
        return Plain()

    @property
    def rows(self):
        return [Plain()]


@yaqlization.yaqlize(yaqlize_methods=False)
class NoMethods(object):
    a = 1

    def m(self):
        return 2

    def __iter__(self):
        return iter([1, 2, 3])


@yaqlization.yaqlize(yaqlize_attributes=False, yaqlize_indexer=False)
class NoAttributes(object):
    a = 1

    def m(self):
        return 2

    def __getitem__(self, key):
        return key


for cls in (Open, Auto, NoMethods, NoAttributes, Plain):
    for text in ('$.attr', '$.a', '$.secret', '$.hidden_a', '$.a_x', '$._private', '$.length', '$.size', '$.method(2)', '$.method(2, y => 5)', '$.method()', '$.plus(1)',
                 '$.add(1, by => 4)', '$[key]', '$[secret]', '$[_x]', '$.broken', '$.nope', '$.nope()', '$.inner().value', '$.inner()', '$.rows.value', '$.rows[0].get().value',
                 '$.m()', '$.other', '$.len()', '$.select($ + 1)', 'len($)', 'str($).len() > 0', '$?.attr', '$.text.toUpper()', '[$].select($.attr)', '$.text.len()', '$.method($.attr)'):
        ask('open %s %s' % (cls.__name__, text), ev, text, cls())
    context = DEFAULT.create_child_context()
    context['o'] = cls()
    context.register_function(lambda: cls(), name='make')
    for text in ('$o.attr', '$o.method(3)', 'make().attr', 'make().a', 'make().m()', 'make()[k]', '[1].select(make().attr)', 'make().select($)', '$o.len()', '$o.select($).len() + $o.len()'):
        ask('open here %s %s' % (cls.__name__, text), ev, text, 1, context.create_child_context())
    ask('open without %s' % cls.__name__, ev, '$.attr', cls(), yaql.create_context(yaqlized=False))

# ---- calls from Python

context = base()
for name, call in (('len', lambda: context('len', ENGINE)([1, 2])), ('method', lambda: context('select', ENGINE, (1, 2))(lambda x: x + 1)),
                   ('camel', lambda: context('to_upper', ENGINE, 'a', use_convention=True)()), ('nope', lambda: context('nope', ENGINE)()),
                   ('runner', lambda: runner.call('f', context, (1,), {}, ENGINE)), ('filter', lambda: context('f', ENGINE, function_filter=lambda s, c: False)()),
                   ('interface', lambda: yaql_interface.YaqlInterface(context, ENGINE)('$1 + $x', 2)),
                   ('interface method', lambda: yaql_interface.YaqlInterface(context, ENGINE).on([1, 2]).len()),
                   ('interface name', lambda: yaql_interface.YaqlInterface(context, ENGINE)['x']),
                   ('definition', lambda: specs.get_function_definition(take_two, convention=conventions.CamelCaseConvention()).name),
                   ('parameters', lambda: sorted(p.alias for p in specs.get_function_definition(take_two, convention=conventions.CamelCaseConvention()).parameters.values())),
                   ('statement', lambda: ENGINE('1 + 2')(utils.NO_VALUE, context, ENGINE)), ('eval', lambda: yaql.eval('$.a + 1', {'a': 2})),
                   ('no context', lambda: ENGINE('$ + 1').evaluate(2)), ('str', lambda: str(ENGINE('$.a.where($ > 1)[0]'))),
                   ('options', lambda: dict(ENGINE.copy({'a': 1}).options)), ('set data', lambda: (ENGINE('$').evaluate([1, {'a': []}], context), context['$'])),
                   ('none', lambda: ENGINE(None))):
    ask('python ' + name, call)

# ---- errors

for text in ('1 +', '(1', '1)', "'abc", '$.a[', 'f(', 'a b', '1 ^ 2', '', '  ', '$$', '[1, 2', '{a => }', 'f(a => 1, 2)', '1.2.3', '$.1', 'not', '=> 1', '\u20ac', 'a\n+\n', '"\\q"'):
    ask('parse %r' % text, lambda: str(ENGINE(text)))
for text in ('1 / 0', '{a => 1}[b]', '[1][5]', 'int(a)', '$.a.b', '$.nope()', 'nope()', 'len(1)', '1 + a', 'null + 1', '[1].select()', 'regex("(").matches(a)', 'datetime("x")',
             'range(1, 2, 3, 4)', 'dict(1, 2)', '[1, a].sum()', 'max([])', '[].first()', '[1].single(1)', 'abc.foo', 'a < 1', '[].aggregate($1 + $2)', 'float(x)', 'format("{0} {1}", 1)',
             'assert(1, false)', '1.assert($ > 1, message)', '[1, 2].unpack(a)', '-a', 'not_there', '$x.y', 'call(nope, [], {})', 'let(1, a => 2) -> $1 + $a + $b'):
    ask('error ' + text, ev, text, 5)
old, old_context = legacy.YaqlFactory().create(), legacy.create_context()
no_tuples = legacy.create_context(tuples=False)
for text in ('a => b', '$.where($ > 1)[0]', '$[$ > 1]', 'dict(a => 1)', 'list(1, 2)', '[1, 2].sum()', 'switch(1, $ = 1 => one)', '$.as($.len() => n) -> $n', '$.len() => $', '{a}'):
    ask('legacy ' + text, ev, text, [1, 2, 3], old_context.create_child_context(), None, old)
    ask('legacy functions ' + text, ev, text, [1, 2, 3], old_context.create_child_context())
    ask('legacy no tuples ' + text, ev, text, [1, 2, 3], no_tuples.create_child_context(), None, old)
