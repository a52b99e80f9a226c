"""Functions of YAQL 0.2 that are about contexts and expressions."""

from vetro.yaql.language import contexts
from vetro.yaql.language import expressions
from vetro.yaql.language import specs
from vetro.yaql.language import utils
from vetro.yaql.language import yaqltypes


@specs.parameter('left', yaqltypes.YaqlExpression())
@specs.name('#operator_=>')
def build_tuple(left, right, context, engine):
    value = left(utils.NO_VALUE, context, engine)
    chain = isinstance(left, expressions.BinaryOperator) and left.operator == '=>'
    return (value if chain else (value,)) + (right,)


def _pair(value, message):
    if isinstance(value, tuple):
        if len(value) != 2:
            raise ValueError(message[0])
        return value
    if isinstance(value, utils.MappingRule):
        return value.source, value.destination
    raise ValueError(message[1])


@specs.parameter('conditions', yaqltypes.Lambda(with_context=True))
@specs.no_kwargs
@specs.extension_method
def switch(value, context, *conditions):
    context = context.create_child_context()
    context[''] = value
    for condition in conditions:
        case, result = _pair(condition(context), (
            'switch() tuples must be of size 2',
            'switch() must have tuple or mapping parameters'))
        if case:
            return result
    return None


@specs.parameter('mappings', yaqltypes.Lambda())
@specs.method
@specs.no_kwargs
def as_(context, receiver, *mappings):
    for mapping in mappings:
        value, name = _pair(mapping(receiver), (
            'as() tuples must be of size 2', 'as() must have tuple parameters'))
        context[name] = value
    context['$0'] = receiver
    return context


@specs.parameter('receiver', contexts.ContextBase)
@specs.parameter('expr', yaqltypes.Lambda(with_context=True, method=True))
@specs.name('#operator_.')
def op_dot_context(receiver, expr):
    return expr(receiver['$0'], receiver)


FUNCTIONS = (switch, as_, op_dot_context)


def register(context, tuples=True):
    from vetro.yaql import library
    context._library = library.legacy_level(tuples)
