"""The functions of the language as definitions: those of the engine in C, and those about contexts.

Definitions are made when a name is looked up, and are the same for all contexts.
"""

import collections.abc
import datetime
import re
import threading

from vetro import _vetro
from vetro.yaql import _groups
from vetro.yaql import native
from vetro.yaql.language import contexts
from vetro.yaql.language import conventions
from vetro.yaql.language import exceptions
from vetro.yaql.language import specs
from vetro.yaql.language import utils
from vetro.yaql.language import yaqltypes

STANDARD, LEGACY, DELEGATES = 1, 2, 4
GROUPS = ('system', 'common', 'boolean', 'strings', 'math', 'collections', 'queries', 'regex',
          'branching', 'datetime')
_BITS = dict(zip(GROUPS, (1, 2, 4, 8, 16, 32, 128, 256, 512, 1024)))
_SETS_BIT = 64


class _OrNothing(yaqltypes.SmartType):
    """A parameter whose default is no value at all."""

    __slots__ = ('kind',)

    def __init__(self, kind):
        super().__init__(kind.nullable)
        self.kind = kind

    def check(self, value, context, engine, *args, **kwargs):
        return value is utils.NO_VALUE or self.kind.check(value, context, engine)

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        if value is utils.NO_VALUE:
            return value
        return self.kind.convert(value, receiver, context, function_spec, engine)

    def is_specialization_of(self, other):
        return self.kind.is_specialization_of(getattr(other, 'kind', other))


def _of(python_type):
    return lambda nullable: yaqltypes.PythonType(python_type, nullable)


def _constant(cls):
    return lambda nullable: cls()


_TYPES = {
    'any': _of(object), 'str': yaqltypes.String, 'int': _of(int), 'integer': yaqltypes.Integer,
    'number': yaqltypes.Number, 'bool': _of(bool), 'null': lambda n: _Null(),
    'iterable': lambda n: yaqltypes.Iterable(nullable=n),
    'iterator': lambda n: yaqltypes.Iterator(nullable=n),
    'sequence': lambda n: yaqltypes.Sequence(nullable=n), 'mapping': _of(utils.MappingType),
    'set': _of(utils.SetType), 'datetime': yaqltypes.DateTime,
    'timespan': _of(datetime.timedelta), 'regex': _of(re.Pattern),
    'ordering': _of(_vetro.OrderingIterable), 'tuple': _of(tuple),
    'context': _of(contexts.ContextBase), 'callable': _of(collections.abc.Callable),
    'lambda': lambda n: yaqltypes.Lambda(),
    'lambda_ctx': lambda n: yaqltypes.Lambda(),  # variables come as keywords
    'lambda_method': lambda n: yaqltypes.Lambda(method=True),
    'lambda_ctx_method': lambda n: yaqltypes.Lambda(with_context=True, method=True),
    'expr': lambda n: yaqltypes.YaqlExpression(), 'rule': _of(utils.MappingRule),
    'rule_lazy': lambda n: yaqltypes.MappingRule(), 'keyword': lambda n: yaqltypes.Keyword(),
    'string_const': yaqltypes.StringConstant, 'const': yaqltypes.Constant,
    'bool_const': yaqltypes.BooleanConstant, 'number_const': yaqltypes.NumericConstant,
}


class _Null(yaqltypes.PythonType):
    __slots__ = ()

    def __init__(self):
        super().__init__(type(None), True)

    def check(self, value, context, engine, *args, **kwargs):
        from vetro.yaql.language import expressions
        if isinstance(value, expressions.Constant):
            value = value.value
        return value is None or isinstance(value, expressions.Expression)


# ---- calls of the engine in C ----

def _engine_of(engine, legacy):
    """The engine in C of this thread that calls single functions."""
    key = threading.get_ident(), legacy
    found = engine._library.get(key)
    if found is None:
        found = engine._library[key] = _vetro.Engine(
            dict(engine._native_options, legacy=int(legacy)), engine)
    return found


def _payload(index, legacy):
    def call(__engine, *args, **kwargs):
        return _engine_of(__engine, legacy).call(index, args, kwargs)
    return call


_rows = None


def rows():
    """{name: [(index, flags, layer, parameters, group)]}"""
    global _rows
    if _rows is None:
        made = {}
        for i, (name, flags, layer, params) in enumerate(
                _vetro.Engine({}, None).builtins()):
            group = _groups.GROUPS[name][len(made.get(name, ()))]
            made.setdefault(name, []).append((i, flags, layer, params, group))
        _rows = made
    return _rows


def _parameter(at, name, kind, nullable, stars, default, has_default):
    value_type = _TYPES[kind](bool(nullable))
    if has_default and default is utils.NO_VALUE:
        value_type = _OrNothing(value_type)
    elif has_default and default is None and not nullable and not isinstance(
            value_type, yaqltypes.LazyParameterType):
        value_type.nullable = True
    return specs.ParameterDefinition(
        name, value_type, None if stars == 2 else at, None,
        default if has_default else specs.NO_DEFAULT)


def _definition(name, row):
    index, flags, layer, params, group = row
    parameters = {'__engine': specs.ParameterDefinition(
        '__engine', yaqltypes.Engine(), 0, None, specs.NO_DEFAULT)}
    for at, p in enumerate(params, 1):
        key = ('', '*', '**')[p[3]] or p[0]
        parameters[key] = _parameter(at, *p)
    kind = flags & 3
    return specs.FunctionDefinition(
        name, _payload(index, layer == LEGACY), parameters, '', None,
        is_function=kind != native.METHOD, is_method=kind != 0,
        no_kwargs=bool(flags & native.NO_KEYWORDS))


# ---- levels ----

_SETS = ('set', 'isSet', 'toSet')


def _is_about_sets(name, row):
    own = name in _SETS and not row[1] & native.METHOD or name == 'toSet'
    return row[4] == 'collections' and (own or any(p[1] == 'set' for p in row[3]))


class Level(object):
    """The functions of the library that a context has."""

    fallback = True  # groupBy() takes aggregators of YAQL 1.1.1
    finishes = False  # its #finalize is a function of the host

    def __init__(self, role, groups=(), no_sets=False, delegates=False, convention=None,
                 own=(), left_out=0, exclusive=()):
        self.role = role
        self.groups = frozenset(groups)
        self.no_sets = no_sets
        self.delegates = bool(delegates)
        self.left_out = left_out  # of the groups in C; None: there is no such set of functions
        self.exclusive = frozenset(exclusive)
        self._camel = convention is None or type(convention) is conventions.CamelCaseConvention
        self._convention = convention
        self.convention = convention or conventions.CamelCaseConvention()
        self._python = collections.defaultdict(set)  # name -> definitions made in Python
        self._found = {}
        self._gone = frozenset()
        for func in own:
            spec = specs.get_function_definition(
                func, convention=convention or conventions.CamelCaseConvention())
            self._python[spec.name].add(spec)

    def add(self, func, name):
        spec = specs.get_function_definition(
            func, name=name, convention=self._convention or conventions.CamelCaseConvention())
        self._python[spec.name].add(spec)

    def without(self, spec):
        if spec not in self.get(spec.name):
            return self
        made = Level.__new__(Level)
        made.__dict__.update(self.__dict__)
        made._gone = self._gone | {spec}
        made._found = {name: specs - {spec} for name, specs in self._found.items()}
        made.left_out = None
        return made

    def _shown(self, name):
        """The library's name for what the convention of the context calls so."""
        if self._camel:
            return name
        for known in rows():
            snake = re.sub('([A-Z])', lambda m: '_' + m.group(1).lower(), known)
            if specs.convert_function_name(snake, self._convention) == name:
                return known
        return None

    def _has(self, name, row):
        if row[4] not in self.groups or row[4] == 'system':  # contexts are of Python
            return False
        if row[4] == 'queries' and name == '#operator_.':  # so are properties
            return False
        if self.no_sets and _is_about_sets(name, row):
            return False
        return row[2] == (LEGACY if self.role == 'legacy' else STANDARD)

    def named_by_host(self):
        """The names of functions of the host, but for what is applied to results."""
        return [name for name in self._python if self.finishes and name not in (
            '#iter', '#finalize', '#operator_.')]

    def names(self):
        """The names of all functions, as the convention has them."""
        made = set(self._python)
        for name, found in rows().items():
            if any(self._has(name, row) for row in found):
                made.add(name if self._camel else specs.convert_function_name(
                    re.sub('([A-Z])', lambda m: '_' + m.group(1).lower(), name),
                    self._convention))
        return made

    def get(self, name):
        found = self._found.get(name)
        if found is None:
            found = set(self._python.get(name, ()))
            shown = self._shown(name)
            if shown is not None:
                found.update(_definition(name, row) for row in rows().get(shown, ())
                             if self._has(shown, row))
            found = self._found[name] = found - self._gone
        return found


_levels = {}


def _cached(key, make):
    if key[-1] is None:
        return make()
    found = _levels.get(key)
    if found is None:
        found = _levels[key] = make()
    return found


def _key(convention):
    """None: it may have a state, so levels with it are not shared."""
    kind = type(convention) if convention is not None else conventions.CamelCaseConvention
    known = kind in (conventions.CamelCaseConvention, conventions.PythonConvention)
    return kind if known else None


def fallback_level(system, finalizer, convention):
    from vetro.yaql.standard_library import system as functions

    def make():
        own = () if finalizer else (functions.iterate, functions.finalize)
        own += (functions.get_property,) if system else ()
        level = Level('fallback', own=own, convention=convention)
        if finalizer is not None:
            level.add(finalizer, None)
            level.finishes = True
        return level

    if finalizer is not None:
        return make()
    return _cached(('fallback', system, _key(convention)), make)


def groups_level(groups, no_sets, delegates, convention, fallback):
    from vetro.yaql.standard_library import system as functions

    def make():
        own = ()
        if 'system' in groups:
            own = functions.FUNCTIONS + (functions.OF_DELEGATES if delegates else ())
        if 'queries' in groups:
            own += (functions.collection_attribution,)
        left_out = sum(bit for group, bit in _BITS.items() if group not in groups)
        if no_sets or 'collections' not in groups:
            left_out |= _SETS_BIT
        level = Level('groups', groups, no_sets, delegates, convention, own, left_out)
        level.fallback = fallback
        return level

    return _cached(('groups', frozenset(groups), no_sets, bool(delegates), fallback,
                    _key(convention)), make)


def yaqlized_level(convention):
    from vetro.yaql.standard_library import yaqlized
    return _cached(('yaqlized', _key(convention)),
                   lambda: Level('yaqlized', own=yaqlized.FUNCTIONS, convention=convention))


_OF_TUPLES = ('#operator_=>', 'tuple', 'toList')
_ABOUT_CONTEXTS = ('#operator_=>', 'switch', 'as')


class _LegacyLevel(Level):
    def __init__(self, tuples):
        from vetro.yaql.standard_library import legacy
        super().__init__('legacy', ('legacy',), left_out=0 if tuples else None, own=legacy.FUNCTIONS + (
            (legacy.build_tuple,) if tuples else ()), exclusive=('#indexer', 'switch'))
        self._tuples = tuples

    def _has(self, name, row):
        if name in _ABOUT_CONTEXTS or (not self._tuples and name in _OF_TUPLES):
            return False
        if name == '#operator_.' and row[3][0][1] == 'context':
            return False
        return super()._has(name, row)


def legacy_level(tuples):
    return _cached(('legacy', bool(tuples)), lambda: _LegacyLevel(tuples))


def register_group(context, group):
    """The functions of one group, as definitions of their own."""
    level = groups_level((group,), False, False, context.convention, True)
    for name in level.names():
        for spec in level.get(name):
            context.register_function(spec)
