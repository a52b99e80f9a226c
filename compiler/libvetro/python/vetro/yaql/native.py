"""The engine in C for contexts of Python.

An environment is what a chain of contexts can call: the library and the functions that a host
registered.  It has engines in C with these functions; each evaluation takes one for itself, so
evaluations may stand inside of one another, in other threads and in green threads.
"""

import datetime
import itertools
import re

from vetro import _vetro
from vetro.yaql import yaqlization
from vetro.yaql.language import contexts
from vetro.yaql.language import conventions
from vetro.yaql.language import exceptions
from vetro.yaql.language import expressions
from vetro.yaql.language import specs
from vetro.yaql.language import utils
from vetro.yaql.language import yaqltypes

METHOD, EXTENSION, EXCLUSIVE, NO_KEYWORDS = 1, 2, 4, 8
LEVEL = 1 << 8
_CONTEXT, _ENGINE, _NOTHING = -1, -2, -3
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


def context_variables(context):
    """What the context and those around it have; None: functions, too, which only Python has."""
    found = {}
    while context is not None:
        if type(context) is not contexts.Context:
            return None
        if context._library is not None:
            break
        if context._functions:
            return None
        for name in context.keys():
            if name not in found:
                found[name] = context.get_data(name)
        context = context._parent_context
    return found


# ---- objects that are open ----

_NO_ATTRIBUTES, _NO_METHODS, _NO_ITEMS = 1, 2, 4


def is_open(value):
    settings = yaqlization.get_yaqlization_settings(value)
    if settings is None:
        return -1
    return ((0 if settings['yaqlizeAttributes'] else _NO_ATTRIBUTES)
            | (0 if settings['yaqlizeMethods'] else _NO_METHODS)
            | (0 if settings['yaqlizeIndexer'] else _NO_ITEMS))


_vetro.setup({
    'FrozenDict': utils.FrozenDict, 'NO_VALUE': utils.NO_VALUE,
    'MappingRule': utils.MappingRule, 'datetime': datetime.datetime, 'date': datetime.date,
    'timedelta': datetime.timedelta, 'Pattern': re.Pattern, 'split_datetime': split_datetime,
    'make_datetime': make_datetime,
    'make_pattern': lambda text, flags: re.compile(text, flags & ~re.UNICODE.value),
    'make_error': exceptions.make_error, 'make_context': make_context,
    'convert': utils.convert_input_data, 'context_variables': context_variables,
    'Context': contexts.ContextBase, 'is_open': is_open, 'member': yaqlization.get_member,
    'method': yaqlization.call_method, 'item': yaqlization.get_item,
    'Mapping': utils.MappingType, 'Sequence': utils.SequenceType, 'Set': utils.SetType,
    'MutableSet': utils.MutableSetType, 'Iterable': utils.IterableType,
})

# ---- signatures ----

_WORD = re.compile(r'\A[A-Za-z0-9_]+\Z')
_PYTHON_TYPES = {object: 'any', str: 'str', int: 'int', bool: 'bool',
                 utils.MappingType: 'mapping', datetime.timedelta: 'timespan',
                 datetime.datetime: 'datetime', tuple: 'tuple', re.Pattern: 'regex'}
_SMART_TYPES = {yaqltypes.String: 'str', yaqltypes.Integer: 'integer', yaqltypes.Number: 'number',
                yaqltypes.DateTime: 'datetime'}
# Values that are the same whether the parameter is converted or not.
_SUMMABLE = frozenset(('any', 'str', 'int', 'integer', 'number', 'bool', 'mapping', 'timespan',
                       'tuple'))
_LITERALS = {yaqltypes.Constant: 'const', yaqltypes.StringConstant: 'string_const',
             yaqltypes.Keyword: 'keyword', yaqltypes.BooleanConstant: 'bool_const',
             yaqltypes.NumericConstant: 'number_const'}


def _word_for(kind):
    """The type of the engine in C that takes the same values, null aside, or None."""
    cls = type(kind)
    if cls is yaqltypes.PythonType:
        if kind.validators:
            return None
        if isinstance(kind.python_type, tuple):
            return _sum_of([_PYTHON_TYPES.get(t) for t in kind.python_type])
        return _PYTHON_TYPES.get(kind.python_type)
    if cls in (yaqltypes.Iterable, yaqltypes.Iterator, yaqltypes.Sequence):
        plain = len(kind.validators) == (2 if cls is yaqltypes.Iterator else 1)
        return cls.__name__.lower() if plain else None
    if cls is yaqltypes.AnyOf:
        return _sum_of([_word_for(t) for t in kind.types])
    if cls is yaqltypes.NotOfType:
        word = _word_for(kind.smart_type)
        return 'any-' + word if word in _SUMMABLE else None
    return _SMART_TYPES.get(cls)


def _sum_of(words):
    return '|'.join(words) if words and _SUMMABLE.issuperset(words) else None


class _Converter(object):
    """What a parameter's own type, or its default, makes of a value that the engine in C gives."""

    __slots__ = ('_convert', '_spec', '_name', '_default')

    def __init__(self, convert, spec, name, default=specs.NO_DEFAULT):
        self._convert, self._spec, self._name, self._default = convert, spec, name, default

    def __call__(self, value, receiver, context, engine):
        if value is utils.NO_VALUE and self._default is not specs.NO_DEFAULT:
            value = self._default
        if self._convert is None:
            return value
        try:
            return self._convert(value, receiver, context, self._spec, engine)
        except exceptions.ArgumentValueException:
            raise exceptions.ArgumentException(self._name)


def _method(value, receiver, context, spec, engine):
    return value.on if type(value) is _vetro.Lambda else value


class _Signature(object):
    """What the engine in C must know of a definition; `good` is false where it cannot call it."""

    def __init__(self, spec, own=False):
        """own: all types by callbacks, which compare themselves with one another."""
        self.good = bool(spec.name) and (spec.is_method or spec.is_function)
        self.spec, self.own, self.types = spec, own, []
        self.needs_python = False  # it may ask for functions that only the expression has
        self._texts, plan = [], []
        standard = [p for key, p in spec.parameters.items() if key not in ('*', '**')]
        if any(p.position is None for p in standard):
            self.good = False
            return
        for p in sorted(standard, key=lambda p: p.position):
            plan.append(self._place(p))
        self.fixed = len(self._texts)
        for stars in ('*', '**'):
            p = spec.parameters.get(stars)
            plan.append(None if p is None else self._parameter(p, stars))
        self.good = self.good and len(plan) <= 30
        self.plan = tuple(plan)
        self.text = ', '.join(self._texts)
        kind = (EXTENSION if spec.is_function else METHOD) if spec.is_method else 0
        self.flags = kind | (NO_KEYWORDS if spec.no_kwargs else 0)

    def _place(self, p):
        """What stands for the parameter in the plan."""
        kind = p.value_type
        if isinstance(kind, yaqltypes.HiddenParameterType):
            hidden = type(kind)
            if hidden is yaqltypes.Engine:
                return _ENGINE
            self.needs_python = self.needs_python or hidden is not yaqltypes.Receiver
            if hidden is yaqltypes.Context:
                return _CONTEXT
            return _NOTHING, _Converter(kind.convert, self.spec, p.name)
        convert = self._parameter(p)
        at = len(self._texts) - 1
        return at if convert is None else (at, convert)

    def _parameter(self, p, stars=''):
        """Adds its text; what converts the value, or None."""
        text, convert = self._type_of(p)
        name = p.alias or p.name
        if text is None or not _WORD.match(name):
            self.good = False
            return None
        text = '%s%s: %s%s' % (stars, name, text, '?' if p.value_type.nullable else '!')
        default = specs.NO_DEFAULT
        if not stars and p.default is not specs.NO_DEFAULT:
            words = _default_text(p.default)
            default = p.default if words is None else default
            text += ' = ' + (words or 'novalue')
        self._texts.append(text)
        if convert is None and default is specs.NO_DEFAULT:
            return None
        return _Converter(convert, self.spec, p.name, default)

    def _type_of(self, p):
        """(type in the signature, function of conversion or None); (None, None): there is none."""
        kind = p.value_type
        cls = type(kind)
        if cls is yaqltypes.Lambda:
            if kind.with_context:
                return None, None
            return ('lambda_method', _method) if kind.method else ('lambda', None)
        if cls in _LITERALS:
            if kind.expand:
                return _LITERALS[cls], None
            made = expressions.Constant
            if cls is yaqltypes.Keyword:
                made = expressions.KeywordConstant
            elif cls is yaqltypes.Constant:  # of either kind
                return None, None
            return _LITERALS[cls], lambda value, *rest: made(value)
        if isinstance(kind, yaqltypes.LazyParameterType):
            return None, None
        word = None if self.own else _word_for(kind)
        if word is not None:
            return word, None
        if isinstance(kind, yaqltypes.PythonType) and _is_about_contexts(kind.python_type):
            return None, None
        name = 'own_%d' % next(_numbers)
        self.types.append((name, kind))
        return name, kind.convert


_numbers = itertools.count()


def _is_about_contexts(python_type):
    types = python_type if isinstance(python_type, tuple) else (python_type,)
    return any(isinstance(t, type) and issubclass(t, contexts.ContextBase) for t in types)


def _default_text(value):
    if value is utils.NO_VALUE:
        return 'novalue'
    if value is None or isinstance(value, bool):
        return {None: 'null', True: 'true', False: 'false'}[value]
    if type(value) is int and abs(value) < 10 ** 17:
        return str(value)
    if type(value) is str and '"' not in value and '\0' not in value:
        return '"%s"' % value
    return None


def signatures(found):
    """Of the overloads of a name; None: Python has to call them."""
    made = [_Signature(spec) for spec in found]
    if len(made) > 1 and any(s.types for s in made):
        made = [_Signature(spec, True) for spec in found]
    return made if all(s.good for s in made) else None


# ---- environments ----

# What is no function to expressions: the engine in C does not look for these.
_INNER = frozenset(('#get_context_data', '#call', '#operator_.', '#operator_?.', '#operator_->'))
_OF_RESULTS = frozenset(('#iter', '#finalize'))


_OPERATORS = ('PREFIX_UNARY', 'SUFFIX_UNARY', 'BINARY_LEFT_ASSOCIATIVE',
              'BINARY_RIGHT_ASSOCIATIVE')


def grammar_engine(options, grammar, engine):
    """An engine in C for expressions of a grammar: (legacy, delegates, keyword operator, what was
    inserted)."""
    legacy, delegates, keyword, inserted = grammar
    made = _vetro.Engine(dict(options, legacy=legacy, delegates=delegates), engine)
    if keyword != '=>' and not legacy:
        made.keyword_operator(keyword)
    for existing, binary, symbol, kind, level, alias in inserted:
        made.insert_operator(existing, binary, symbol, _OPERATORS.index(kind), level, alias)
    return made


MOST_FREE = 16
_CONVENTIONS = {conventions.CamelCaseConvention: 0, conventions.PythonConvention: 2}


class Environment(object):
    """What the contexts from one on outward can call; a level is the contexts that share it."""

    def __init__(self, levels):
        self._chain = [(context, context._version) for level in levels for context in level]
        self._functions = []     # what engines in C register
        self._types = []
        self._kinds = {}
        self._foreign = set()    # names that only Python code can call
        self._asking = set()     # those that may call what an expression defines
        self.finishes = False    # the result is given to a function of Python
        self._special = False    # Python code evaluates all
        self._options = {}
        self._read_library(levels)
        self._free = {}
        inner = True
        for at, level in reversed(list(enumerate(reversed(levels), 1))):
            names = {}
            for context in level:
                for name, found in context._functions.items():
                    if found:
                        names.setdefault(name, []).extend(found)
            for name, found in names.items():
                self._special = self._special or not inner
                self._add(level, name, list(dict.fromkeys(found)), min(at, 255))
            inner = inner and all(context._library is None for context in level)

    def _read_library(self, levels):
        found = []
        for level in levels:
            own = list(dict.fromkeys(
                context._library for context in level if context._library is not None))
            self._special = self._special or len(own) > 1
            found += [library for library in own if library not in found]
        roles = [library.role for library in found if library.role != 'yaqlized']
        legacy = roles[:1] == ['legacy']
        named = {_CONVENTIONS.get(type(library.convention)) for library in found}
        self._special = (self._special or roles[legacy:] != ['groups', 'fallback']
                         or len(named) != 1 or None in named
                         or any(library.left_out is None for library in found))
        if self._special:
            return
        self._legacy, self._delegates = int(legacy), int(any(x.delegates for x in found))
        self.finishes = any(library.finishes for library in found)
        left_out = 0
        for library in found:
            left_out |= library.left_out
            self._foreign.update(library.named_by_host())
        self._options = {
            'legacy_functions': self._legacy, 'delegate_functions': self._delegates,
            'left_out': left_out, 'convention': named.pop(),
            'group_by_fallback': int(all(library.fallback for library in found)),
            'opens': int(any(library.role == 'yaqlized' for library in found))}

    def _add(self, level, name, found, at):
        if name in _OF_RESULTS:
            self.finishes = True
            return
        beside = any(context._library is not None and context._library.role != 'yaqlized'
                     and context._library.get(name) for context in level)
        made = None
        if not beside and len(found) <= 8 and name not in _INNER:
            made = signatures(found)
        if made is None:
            self._special = self._special or name[:1] in '#*'
            self._foreign.add(name)
            return
        exclusive = EXCLUSIVE if any(
            name in context._exclusive_funcs for context in level) else 0
        for s in made:
            self._types += [(word, kind) for word, kind in s.types]
            self._kinds.update(s.types)
            if s.needs_python:
                self._asking.add(name)
            self._functions.append((name, s.text, s.flags | exclusive | at * LEVEL,
                                    s.spec.payload, s.plan, s.fixed))

    def is_current(self):
        return contexts.is_current(self._chain)

    def fits(self, statement):
        """Can the engine in C evaluate it with these functions?"""
        names = statement._tree.names
        legacy, delegates = statement.engine._grammar[:2]
        if self._special or legacy > self._legacy or delegates > self._delegates:
            return False
        if self._asking and 'def' in names and not self._asking.isdisjoint(names):
            return False
        return not self._foreign or not (
            'call' in names or not self._foreign.isdisjoint(names))

    def _compares(self, kind):
        kinds = self._kinds
        return lambda other: other in kinds and kind.is_specialization_of(kinds[other])

    def _new(self, engine):
        options = dict(engine._native_options)
        options.update(self._options)
        if self.finishes:
            options['convert_output'] = 0
        made = grammar_engine(options, engine._grammar, engine)
        for name, kind in self._types:
            made.register_type(name, kind.check, self._compares(kind), False)
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
        try:
            data, how, variables = self._data_of(statement, context)
            value = native.evaluate(statement._text, data, how, variables, context,
                                    engine._frozen_sets or self.finishes, engine)
        finally:
            if len(free) < MOST_FREE:
                free.append(native)
        if not self.finishes or not context.collect_functions('#finalize'):
            return value
        try:
            return context('#finalize', engine, utils.NO_VALUE, context)(value)
        except exceptions.WrappedException as e:
            raise e.wrapped.with_traceback(e.__traceback__)

    @staticmethod
    def _data_of(statement, context):
        """(what $ is, how it is converted, the other variables)"""
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
                    raise _vetro.Foreign  # $2 of a context is none of a lambda's
                if type(value) is contexts._Raw:
                    value = utils.convert_input_data(value.data)
                if variables is None:
                    variables = {}
                variables[name] = value
        return data, how, variables


def _lookup(context, name):
    while context is not None:
        if not contexts.is_plain(type(context)):
            return context.get_data(name, utils.NO_VALUE)
        data = context._data
        if name in data:
            return data[name]
        context = context._parent_context
    return utils.NO_VALUE


def _parts(context):
    """The plain contexts that are one level; None: nobody knows what it is."""
    if contexts.is_plain(type(context)):
        return [context]
    if type(context) is contexts.LinkedContext:
        return _parts(context.linked_context)
    if type(context) is not contexts.MultiContext:
        return None
    parts = [_parts(part) for part in context._context_list]
    return None if None in parts else [context for part in parts for context in part]


_OTHER = Environment([])


def environment(context):
    """What the engine in C makes of a context, and the contexts that were looked at, with their
    versions.  It is the same for contexts whose levels have the same functions."""
    levels, seen = [], []
    while context is not None:
        parts = _parts(context)
        if parts is None:
            return _OTHER, ()
        seen += [(part, part._version) for part in parts]
        own = [part for part in parts if part._functions or part._library is not None]
        if own:
            levels.append(own)
        context = context._parent_context
    if not levels:
        return _OTHER, seen
    key = tuple(part for level in levels for part in level + [None])
    known = levels[0][0]._environments
    made = known.get(key)
    if made is None or not made.is_current():
        if len(known) > 64:
            known.clear()
        made = known[key] = Environment(levels)
    return made, seen
