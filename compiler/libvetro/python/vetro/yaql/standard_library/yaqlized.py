"""Members, methods and items of objects that a host has opened: vetro.yaql.yaqlization."""

import re

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


def _names(entry, name):
    if name == entry:
        return True
    if isinstance(entry, re.Pattern):
        return entry.search(name) is not None
    return callable(entry) and entry(name)


def _validate_name(name, settings, exception_cls=AttributeError):
    allowed = settings['whitelist']
    if (name.startswith('_')
            or (allowed and not any(_names(entry, name) for entry in allowed))
            or (not allowed and any(_names(entry, name) for entry in settings['blacklist']))):
        raise exception_cls('Cannot access ' + name)


def _auto_yaqlize(value, settings):
    cls = value if isinstance(value, type) else type(value)
    if not settings['autoYaqlizeResult'] or cls.__module__ == 'builtins':
        return value
    try:
        yaqlization.yaqlize(value, auto_yaqlize_result=True)
    except Exception:
        pass  # an object that takes no attributes stays closed
    return value


@specs.parameter('receiver', Yaqlized(can_call_methods=True))
@specs.parameter('expr', yaqltypes.YaqlExpression(expressions.Function))
@specs.name('#operator_.')
def op_dot(receiver, expr, context, engine):
    settings = yaqlization.get_yaqlization_settings(receiver)
    _validate_name(expr.name, settings)
    name, renamed = settings['attributeRemapping'].get(expr.name, expr.name), {}
    if not isinstance(name, str):
        name, renamed = name[0], name[1] if len(name) > 1 else {}
    args, kwargs = runner.translate_args(False, expr.args, {})

    def value(arg):
        if isinstance(arg, expressions.Expression):
            return arg(utils.NO_VALUE, context, engine)
        return arg

    return _auto_yaqlize(getattr(receiver, name)(
        *[value(arg) for arg in args],
        **{renamed.get(key, key): value(arg) for key, arg in kwargs.items()}), settings)


@specs.parameter('obj', Yaqlized(can_access_attributes=True))
@specs.parameter('attr', yaqltypes.Keyword())
@specs.name('#operator_.')
def attribution(obj, attr):
    settings = yaqlization.get_yaqlization_settings(obj)
    _validate_name(attr, settings)
    return _auto_yaqlize(
        getattr(obj, settings['attributeRemapping'].get(attr, attr)), settings)


@specs.parameter('obj', Yaqlized(can_index=True))
@specs.name('#indexer')
def indexation(obj, key):
    settings = yaqlization.get_yaqlization_settings(obj)
    _validate_name(key, settings, KeyError)
    return _auto_yaqlize(obj[key], settings)


FUNCTIONS = (op_dot, attribution, indexation)


def register(context):
    context = context.create_child_context()
    for func in FUNCTIONS:
        context.register_function(func)
    return context
