"""The engine in C for contexts of Python.

An environment is what a chain of contexts can call: the library and the functions that a host
registered.  It has engines in C with these functions; each evaluation takes one for itself, so
evaluations may stand inside of one another, in other threads and in green threads.
"""

import datetime
import re

from vetro import _vetro
from vetro.yaql.language import contexts
from vetro.yaql.language import exceptions
from vetro.yaql.language import specs
from vetro.yaql.language import utils
from vetro.yaql.language import yaqltypes

METHOD, EXTENSION, EXCLUSIVE, NO_KEYWORDS = 1, 2, 4, 8
LEVEL = 1 << 8
_CONTEXT, _ENGINE = -1, -2
_CONVERT, _AS_IS = 1, 0

# ---- dates and patterns ----

_EPOCH = datetime.datetime(1, 1, 1)
_US = datetime.timedelta(microseconds=1)


def _zone(offset):
    try:
        from dateutil import tz
    except ImportError:
        return datetime.timezone(datetime.timedelta(seconds=offset))
    return tz.tzutc() if offset == 0 else tz.tzoffset(None, offset)


def split_datetime(value):
    if not isinstance(value, datetime.datetime):
        return (datetime.datetime(value.year, value.month, value.day) - _EPOCH) // _US, None
    offset = value.utcoffset()
    us = (value.replace(tzinfo=None) - _EPOCH) // _US
    return us, None if offset is None else int(offset.total_seconds())


def make_datetime(us, offset, date):
    value = _EPOCH + datetime.timedelta(microseconds=us)
    if date:
        return value.date()
    return value if offset is None else value.replace(tzinfo=_zone(offset))


def make_context(context, variables):
    """The context of a call: a child of the evaluation's, with what lambdas around it bring."""
    made = context.create_child_context()
    if variables:
        for name, value in variables.items():
            made[name] = value
    return made


_vetro.setup({
    'FrozenDict': utils.FrozenDict, 'NO_VALUE': utils.NO_VALUE,
    'MappingRule': utils.MappingRule, 'datetime': datetime.datetime, 'date': datetime.date,
    'timedelta': datetime.timedelta, 'Pattern': re.Pattern, 'split_datetime': split_datetime,
    'make_datetime': make_datetime,
    'make_pattern': lambda text, flags: re.compile(text, flags & ~re.UNICODE.value),
    'make_error': exceptions.make_error, 'make_context': make_context,
    'Mapping': utils.MappingType, 'Sequence': utils.SequenceType, 'Set': utils.SetType,
})

# ---- signatures ----

_WORD = re.compile(r'\A[A-Za-z0-9_]+\Z')
_PYTHON_TYPES = {object: 'any', str: 'str', int: 'int', bool: 'bool',
                 utils.MappingType: 'mapping', datetime.timedelta: 'timespan',
                 datetime.datetime: 'datetime', tuple: 'tuple'}
_SMART_TYPES = {yaqltypes.String: 'str', yaqltypes.Integer: 'integer', yaqltypes.Number: 'number',
                yaqltypes.DateTime: 'datetime'}


def _type_text(kind):
    """The type in a signature of the engine in C; None: it has no such type."""
    cls = type(kind)
    if cls is yaqltypes.PythonType:
        if kind.validators or isinstance(kind.python_type, tuple):
            return None
        text = _PYTHON_TYPES.get(kind.python_type)
    elif cls in (yaqltypes.Iterable, yaqltypes.Iterator, yaqltypes.Sequence):
        plain = len(kind.validators) == (2 if cls is yaqltypes.Iterator else 1)
        text = cls.__name__.lower() if plain else None
    elif cls is yaqltypes.Lambda:
        return None if kind.with_context or kind.method else 'lambda'
    else:
        text = _SMART_TYPES.get(cls)
    return text and text + ('?' if kind.nullable else '!')


def _default_text(value):
    if value is utils.NO_VALUE:
        return 'novalue'
    if value is None or isinstance(value, bool):
        return {None: 'null', True: 'true', False: 'false'}[value]
    if isinstance(value, int) and abs(value) < 10 ** 17:
        return str(value)
    if isinstance(value, str) and '"' not in value and '\0' not in value:
        return '"%s"' % value
    return None


def _parameter_text(p, stars=''):
    kind = _type_text(p.value_type)
    name = p.alias or p.name
    if kind is None or not _WORD.match(name):
        return None
    if stars or p.default is specs.NO_DEFAULT:
        return '%s%s: %s' % (stars, name, kind)
    default = _default_text(p.default)
    return default and '%s: %s = %s' % (name, kind, default)


def signature(spec):
    """(signature, flags, plan, number of fixed arguments); None: Python has to call it."""
    texts, plan = [], []
    standard = [p for key, p in spec.parameters.items() if key not in ('*', '**')]
    if any(p.position is None for p in standard):
        return None
    for p in sorted(standard, key=lambda p: p.position):
        hidden = type(p.value_type)
        if hidden is yaqltypes.Context or hidden is yaqltypes.Engine:
            plan.append(_CONTEXT if hidden is yaqltypes.Context else _ENGINE)
            continue
        plan.append(len(texts))
        texts.append(_parameter_text(p))
    fixed = len(texts)
    texts += [_parameter_text(spec.parameters[stars], stars)
              for stars in ('*', '**') if stars in spec.parameters]
    if None in texts or len(plan) > 30 or not spec.name:
        return None
    kind = (EXTENSION if spec.is_function else METHOD) if spec.is_method else 0
    if not spec.is_method and not spec.is_function:
        return None
    return (', '.join(texts), kind | (NO_KEYWORDS if spec.no_kwargs else 0), tuple(plan), fixed)


# ---- environments ----

# What is no function to expressions: the engine in C does not look for these.
_INNER = frozenset(('#iter', '#finalize', '#get_context_data', '#call', '#operator_.',
                    '#operator_?.', '#operator_->'))


def grammar_engine(options, grammar, engine):
    """An engine in C for expressions of a grammar: (legacy, delegates, keyword operator)."""
    legacy, delegates, keyword = grammar
    made = _vetro.Engine(dict(options, legacy=legacy, delegates=delegates), engine)
    if keyword != '=>' and not legacy:
        made.keyword_operator(keyword)
    return made


MOST_FREE = 16


class Environment(object):
    """What the contexts from one on outward can call; `chain` has all of them."""

    def __init__(self, chain, roles):
        self._chain = [(context, context._version) for context in chain]
        self._functions = []    # what engines in C register
        self._foreign = set()   # names that only Python code can call
        library = [context._library for context in chain if context._library is not None]
        self._legacy = int(roles[:1] == ['legacy'])
        self._delegates = int(any(level.delegates for level in library))
        self._left_out = 0      # groups of functions
        rest = [role for role in roles[self._legacy:] if role != 'yaqlized']
        self._special = (rest != ['groups', 'fallback']
                         or any(level.left_out is None for level in library))
        self._fallback = int(all(level.fallback for level in library))
        for level in library:
            self._left_out |= level.left_out or 0
        self._free = {}
        inner = True
        for at, context in reversed(list(enumerate(reversed(chain), 1))):
            for name, found in context._functions.items():
                if found:
                    self._special = self._special or not inner
                    self._add(context, name, found, min(at, 255))
            inner = inner and context._library is None

    def _add(self, context, name, found, level):
        texts = [signature(spec) for spec in found]
        if None in texts or len(texts) > 8 or name in _INNER:
            self._special = self._special or name[:1] in '#*'
            self._foreign.add(name)
            return
        exclusive = EXCLUSIVE if name in context._exclusive_funcs else 0
        for spec, (text, flags, plan, fixed) in zip(found, texts):
            self._functions.append(
                (name, text, flags | exclusive | level * LEVEL, spec.payload, plan, fixed))

    def is_current(self):
        for context, version in self._chain:
            if context._version != version:
                return False
        return True

    def fits(self, statement):
        """Can the engine in C evaluate it with these functions?"""
        names = statement._tree.names
        legacy, delegates, _ = statement.engine._grammar
        if self._special or legacy > self._legacy or delegates > self._delegates:
            return False
        return not self._foreign or not (
            'call' in names or not self._foreign.isdisjoint(names))

    @staticmethod
    def _give_up(free, native):
        free.append(native)
        raise _vetro.Foreign

    def _new(self, engine):
        options = dict(engine._native_options)
        options.update(legacy_functions=self._legacy, delegate_functions=self._delegates,
                       left_out=self._left_out, group_by_fallback=self._fallback)
        made = grammar_engine(options, engine._grammar, engine)
        for function in self._functions:
            made.register(*function)
        return made

    def evaluate(self, statement, context):
        engine = statement.engine
        key = (engine._key, engine._grammar)
        free = self._free.get(key)
        if free is None:
            free = self._free[key] = []
        native = free.pop() if free else self._new(engine)
        data, how, variables = None, _AS_IS, None
        for name in statement._tree.variables:
            value = _lookup(context, '$' + name if name else '$1')
            if name == '' or name == '1':
                data = value
                if type(value) is contexts._Raw:
                    data, how = value.data, _CONVERT
                elif value is utils.NO_VALUE:
                    data = None
            elif value is not utils.NO_VALUE:
                if name.isdigit():
                    return self._give_up(free, native)  # $2 of a context is none of a lambda's
                if type(value) is contexts._Raw:
                    value = utils.convert_input_data(value.data)
                if variables is None:
                    variables = {}
                variables[name] = value
        try:
            return native.evaluate(statement._text, data, how, variables, context,
                                   engine._frozen_sets, engine)
        finally:
            if len(free) < MOST_FREE:
                free.append(native)


def _lookup(context, name):
    while context is not None:
        data = context._data
        if name in data:
            return data[name]
        context = context._parent_context
    return utils.NO_VALUE


def environment(context):
    chain, roles = [], []
    while context is not None:
        if type(context) is not contexts.Context:
            return Environment([], [])
        chain.append(context)
        if context._library is not None:
            roles.append(context._library.role)
        context = context.parent
    return Environment(chain, roles)
