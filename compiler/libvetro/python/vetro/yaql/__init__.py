"""YAQL with yaql's own interface, evaluated by vetro.

    engine = vetro.yaql.YaqlFactory().create()
    engine('$.where($ > 2).sum()').evaluate(data=[1, 2, 3, 4])
"""

import vetro
from vetro.yaql.language import contexts
from vetro.yaql.language import conventions
from vetro.yaql.language import exceptions  # noqa: F401
from vetro.yaql.language import expressions  # noqa: F401
from vetro.yaql.language import factory
from vetro.yaql.language import runner  # noqa: F401
from vetro.yaql.language import specs  # noqa: F401
from vetro.yaql.language import utils
from vetro.yaql.language import yaqltypes  # noqa: F401
from vetro.yaql import library
from vetro.yaql import native  # noqa: F401

YaqlFactory = factory.YaqlFactory


def detect_version():
    return '2.0.0+vetro' + vetro.__version__


__version__ = detect_version()


def create_context(data=utils.NO_VALUE, context=None, system=True, common=True, boolean=True,
                   strings=True, math=True, collections=True, queries=True, regex=True,
                   branching=True, no_sets=False, finalizer=None, delegates=False,
                   convention=None, datetime=True, yaqlized=True, group_by_agg_fallback=True):
    if context is None:
        context = contexts.Context(convention=convention or conventions.CamelCaseConvention())
    convention = context.convention
    wanted = dict(system=system, common=common, boolean=boolean, strings=strings, math=math,
                  collections=collections, queries=queries, regex=regex, branching=branching,
                  datetime=datetime)
    groups = tuple(name for name, is_wanted in wanted.items() if is_wanted)
    empty = type(context) is contexts.Context and not (context._functions or context._library)
    if not empty:
        return _register_in(context, data, groups, no_sets, finalizer, delegates, yaqlized,
                            group_by_agg_fallback)
    context._library = library.fallback_level(bool(system), finalizer, convention)
    if data is not utils.NO_VALUE:
        context['$'] = utils.convert_input_data(data)
    if system or groups:
        context = context.create_child_context()
    context._library = library.groups_level(
        groups, bool(no_sets), delegates, convention, bool(group_by_agg_fallback))
    if yaqlized:
        context = context.create_child_context()
        context._library = library.yaqlized_level(convention)
    return context


def _register_in(context, data, groups, no_sets, finalizer, delegates, yaqlized, fallback):
    """The library in contexts of the caller, as definitions of their own."""
    levels = [library.fallback_level('system' in groups, finalizer, context.convention),
              library.groups_level(groups, bool(no_sets), delegates, context.convention,
                                   bool(fallback))]
    if yaqlized:
        levels.append(library.yaqlized_level(context.convention))
    for i, level in enumerate(levels):
        if i > 0 and (i == 2 or 'system' in groups):
            context = context.create_child_context()
        for name in level.names():
            for spec in level.get(name):
                context.register_function(spec)
        if i == 0 and data is not utils.NO_VALUE:
            context['$'] = utils.convert_input_data(data)
    return context


_engine = None
_context = None
_statements = {}


def eval(expression, data=None):
    global _engine, _context
    if _engine is None:
        _engine, _context = YaqlFactory().create(), create_context()
    statement = _statements.get(expression)
    if statement is None:
        statement = _statements[expression] = _engine(expression)
    return statement.evaluate(data=data, context=_context.create_child_context())
