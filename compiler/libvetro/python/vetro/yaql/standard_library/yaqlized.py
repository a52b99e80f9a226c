"""Members, methods and items of objects that a host has opened: vetro.yaql.yaqlization."""

from vetro.yaql import yaqlization
from vetro.yaql.language import expressions
from vetro.yaql.language import runner
from vetro.yaql.language import specs
from vetro.yaql.language import utils
from vetro.yaql.language import yaqltypes


class Yaqlized(yaqltypes.GenericType):
    def __init__(self, can_access_attributes=False, can_call_methods=False, can_index=False):
        wanted = [key for key, is_wanted in (
            ('yaqlizeAttributes', can_access_attributes), ('yaqlizeMethods', can_call_methods),
            ('yaqlizeIndexer', can_index)) if is_wanted]

        def check(value, context, *args, **kwargs):
            settings = yaqlization.get_yaqlization_settings(value)
            return settings is not None and all(settings[key] for key in wanted)

        super().__init__(checker=check, nullable=False)


@specs.parameter('receiver', Yaqlized(can_call_methods=True))
@specs.parameter('expr', yaqltypes.YaqlExpression(expressions.Function))
@specs.name('#operator_.')
def op_dot(receiver, expr, context, engine):
    args, kwargs = runner.translate_args(False, expr.args, {})

    def value(arg):
        if isinstance(arg, expressions.Expression):
            return arg(utils.NO_VALUE, context, engine)
        return arg

    return yaqlization.call_method(receiver, expr.name, [value(arg) for arg in args],
                                   {key: value(arg) for key, arg in kwargs.items()})


@specs.parameter('obj', Yaqlized(can_access_attributes=True))
@specs.parameter('attr', yaqltypes.Keyword())
@specs.name('#operator_.')
def attribution(obj, attr):
    return yaqlization.get_member(obj, attr)


@specs.parameter('obj', Yaqlized(can_index=True))
@specs.name('#indexer')
def indexation(obj, key):
    return yaqlization.get_item(obj, key)


FUNCTIONS = (op_dot, attribution, indexation)


def register(context):
    context = context.create_child_context()
    for func in FUNCTIONS:
        context.register_function(func)
    return context
