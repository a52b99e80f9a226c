"""Functions about contexts, expressions and calls."""

import itertools

from vetro.yaql.language import contexts
from vetro.yaql.language import specs
from vetro.yaql.language import utils
from vetro.yaql.language import yaqltypes


@specs.parameter('name', yaqltypes.StringConstant())
@specs.name('#get_context_data')
def get_context_data(name, context):
    return context[name]


@specs.parameter('expr', yaqltypes.Lambda(method=True))
@specs.name('#operator_.')
def op_dot(receiver, expr):
    return expr(receiver)


@specs.parameter('expr', yaqltypes.YaqlExpression())
@specs.inject('operator', yaqltypes.Delegate('#operator_.'))
@specs.name('#operator_?.')
def elvis_operator(operator, receiver, expr):
    return None if receiver is None else operator(receiver, expr)


@specs.parameter('left', contexts.ContextBase)
@specs.parameter('right', yaqltypes.Lambda(with_context=True))
@specs.name('#operator_->')
def send_context(left, right):
    return right(left)


def _number(context, values):
    for i, value in enumerate(values, 1):
        context[str(i)] = value
    return context


@specs.parameter('sequence', yaqltypes.Iterable())
@specs.parameter('args', yaqltypes.String())
@specs.method
def unpack(sequence, context, *args):
    values = iter(sequence)
    if not args:
        return _number(context, values)
    first = tuple(itertools.islice(values, len(args) + 1))
    if len(first) != len(args):
        raise ValueError('Cannot unpack %d elements into %d' % (len(first), len(args)))
    for name, value in zip(args, first):
        context[name] = value
    return context


def with_(context, *args):
    return _number(context, args)


@specs.inject('__context__', yaqltypes.Context())
def let(__context__, *args, **kwargs):
    _number(__context__, args)
    for name, value in kwargs.items():
        __context__[name] = value
    return __context__


@specs.parameter('name', yaqltypes.String())
@specs.parameter('func', yaqltypes.Lambda())
def def_(name, func, context):
    @specs.name(name)
    def defined(*args, **kwargs):
        return func(*args, **kwargs)

    context.register_function(defined)
    return context


@specs.method
@specs.parameter('condition', yaqltypes.Lambda())
@specs.parameter('message', yaqltypes.String())
def assert__(engine, obj, condition, message='Assertion failed'):
    obj = utils.memorize(obj, engine)
    if not condition(obj):
        raise AssertionError(message)
    return obj


@specs.name('call')
@specs.parameter('name', yaqltypes.String())
@specs.parameter('args', yaqltypes.Sequence())
@specs.parameter('kwargs', utils.MappingType)
def call_func(context, engine, name, args, kwargs, receiver=utils.NO_VALUE):
    return context(name, engine, receiver)(*args, **utils.filter_parameters_dict(kwargs))


@specs.name('#call')
@specs.parameter('callable_', yaqltypes.PythonType(object, False, validators=(callable,)))
def call(callable_, *args, **kwargs):
    return callable_(*args, **kwargs)


@specs.parameter('func', yaqltypes.Lambda())
def lambda_(func):
    return func


@specs.name('#operator_.')
@specs.parameter('name', yaqltypes.Keyword())
@specs.inject('func', yaqltypes.Delegate(use_convention=False))
def get_property(func, obj, name):
    return func('#property#' + name, obj)


@specs.parameter('collection', yaqltypes.Iterable())
@specs.parameter('attribute', yaqltypes.Keyword(expand=False))
@specs.inject('operator', yaqltypes.Delegate('#operator_.'))
@specs.name('#operator_.')
def collection_attribution(collection, attribute, operator):
    return (operator(item, attribute) for item in collection)


@specs.parameter('iterator', yaqltypes.Iterable())
@specs.name('#iter')
def iterate(iterator):
    return iterator


@specs.inject('limiter', yaqltypes.Delegate('#iter'))
@specs.inject('engine', yaqltypes.Engine())
@specs.name('#finalize')
def finalize(obj, limiter, engine):
    if engine.options.get('yaql.convertOutputData', True):
        return utils.convert_output_data(obj, limiter, engine)
    return obj


FUNCTIONS = (get_context_data, op_dot, elvis_operator, send_context, unpack, with_, let, def_,
             assert__, call_func)
OF_DELEGATES = (call, lambda_)


def register(context, delegates=False):
    for func in FUNCTIONS + (OF_DELEGATES if delegates else ()):
        context.register_function(func)


def register_fallbacks(context):
    context.register_function(get_property)
