"""Types of parameters: what a value must be, and what the function gets for it."""

import abc
import collections.abc
import datetime

from vetro.yaql import yaql_interface
from vetro.yaql.language import exceptions
from vetro.yaql.language import expressions
from vetro.yaql.language import utils


class HiddenParameterType(metaclass=abc.ABCMeta):
    """The argument is injected, and nobody gives it."""

    __slots__ = ()

    def check(self, value, context, engine, *args, **kwargs):
        return True


class LazyParameterType(metaclass=abc.ABCMeta):
    """The argument is not evaluated before the call."""

    __slots__ = ()


class SmartType(metaclass=abc.ABCMeta):
    __slots__ = ('nullable',)

    def __init__(self, nullable):
        self.nullable = nullable

    def check(self, value, context, engine, *args, **kwargs):
        return value is not None or bool(self.nullable)

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        if not self.check(value, context, engine, *args, **kwargs):
            raise exceptions.ArgumentValueException()
        utils.limit_memory_usage(engine, (1, value))
        return value

    def is_specialization_of(self, other):
        return False


def _plain(value):
    return value.value if isinstance(value, expressions.Constant) else value


class GenericType(SmartType):
    __slots__ = ('checker', 'converter')

    def __init__(self, nullable, checker=None, converter=None):
        super().__init__(nullable)
        self.checker = checker
        self.converter = converter

    def check(self, value, context, engine, *args, **kwargs):
        value = _plain(value)
        if not super().check(value, context, engine, *args, **kwargs):
            return False
        if value is None or isinstance(value, expressions.Expression) or not self.checker:
            return True
        return self.checker(value, context, *args, **kwargs)

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        value = _plain(value)
        super().convert(value, receiver, context, function_spec, engine, *args, **kwargs)
        if value is None or not self.converter:
            return value
        return self.converter(value, receiver, context, function_spec, engine, *args, **kwargs)


class PythonType(GenericType):
    __slots__ = ('python_type', 'validators')

    def __init__(self, python_type, nullable=True, validators=None):
        self.python_type = python_type
        if not isinstance(validators, (list, tuple)):
            validators = [validators] if validators else []
        self.validators = validators
        super().__init__(nullable, self._accepts)

    def _accepts(self, value, context, *args, **kwargs):
        return isinstance(value, self.python_type) and all(f(value) for f in self.validators)

    def is_specialization_of(self, other):
        if not isinstance(other, PythonType):
            return False
        if isinstance(self.python_type, tuple) or isinstance(other.python_type, tuple):
            if isinstance(self.python_type, tuple) and isinstance(other.python_type, tuple):
                return False
        try:
            return (issubclass(self.python_type, other.python_type)
                    and not issubclass(other.python_type, self.python_type))
        except TypeError:
            return False


class String(PythonType):
    __slots__ = ()

    def __init__(self, nullable=False):
        super().__init__(str, nullable=nullable)

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        value = super().convert(value, receiver, context, function_spec, engine, *args, **kwargs)
        return None if value is None else str(value)


def _is_no_bool(value):
    return not isinstance(value, bool)


class Integer(PythonType):
    __slots__ = ()

    def __init__(self, nullable=False):
        super().__init__(int, nullable=nullable, validators=[_is_no_bool])


class Number(PythonType):
    __slots__ = ()

    def __init__(self, nullable=False):
        super().__init__((int, float), nullable, validators=[_is_no_bool])


def _utc():
    try:
        from dateutil import tz
        return tz.tzutc()
    except ImportError:
        return datetime.timezone.utc


class DateTime(PythonType):
    __slots__ = ()

    utctz = _utc()

    def __init__(self, nullable=False):
        super().__init__(datetime.datetime, nullable=nullable)

    def convert(self, value, *args, **kwargs):
        if isinstance(value, datetime.datetime):
            return value if value.tzinfo is not None else value.replace(tzinfo=self.utctz)
        return super().convert(value, *args, **kwargs)


def _is_collection(value):
    return not isinstance(value, (str, utils.MappingType))


class Iterable(PythonType):
    __slots__ = ()

    def __init__(self, validators=None, nullable=False):
        super().__init__(collections.abc.Iterable, nullable,
                         [_is_collection] + (validators or []))

    def check(self, value, context, engine, *args, **kwargs):
        if isinstance(value, utils.MappingType) and engine.options.get(
                'yaql.iterableDicts', False):
            return True
        return super().check(value, context, engine, *args, **kwargs)

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        value = super().convert(value, receiver, context, function_spec, engine, *args, **kwargs)
        return None if value is None else utils.limit_iterable(value, engine)


class Iterator(Iterable):
    __slots__ = ()

    def __init__(self, validators=None, nullable=False):
        super().__init__([utils.is_iterator] + (validators or []), nullable)


def _is_sequence(value):
    return not isinstance(value, (str, dict))


class Sequence(PythonType):
    __slots__ = ()

    def __init__(self, validators=None, nullable=False):
        super().__init__(collections.abc.Sequence, nullable, [_is_sequence] + (validators or []))


# ---- lazy ones ----

def _unwrapped(value):
    return getattr(value, '__unwrapped__', value) if callable(value) else value


class Lambda(LazyParameterType, SmartType):
    __slots__ = ('with_context', 'method')

    def __init__(self, with_context=False, method=False):
        super().__init__(True)
        self.with_context = with_context
        self.method = method

    def check(self, value, context, *args, **kwargs):
        if self.method and isinstance(value, expressions.Expression):
            return bool(value.uses_receiver)
        return super().check(value, context, *args, **kwargs)

    @staticmethod
    def _publish_params(context, args, kwargs):
        for i, value in enumerate(args, 1):
            context['$%d' % i] = value
        for name, value in kwargs.items():
            context['$' + name] = value

    def _call(self, value, receiver, context, engine, args, kwargs):
        self._publish_params(context, args, kwargs)
        if isinstance(value, expressions.Expression):
            return value(receiver, context, engine)
        return value(*args, **kwargs) if callable(value) else value

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        super().convert(value, receiver, context, function_spec, engine, *args, **kwargs)
        if value is None:
            return None
        value = _unwrapped(value)

        def func(*args, **kwargs):
            target, own = utils.NO_VALUE, None
            if self.method:
                target, args = args[0], args[1:]
            if self.with_context:
                own, args = args[0], args[1:]
            return self._call(value, target,
                              context.create_child_context() if own is None else own,
                              engine, args, kwargs)

        func.__unwrapped__ = value
        return func


class YaqlExpression(LazyParameterType, SmartType):
    __slots__ = ('_expression_types',)

    def __init__(self, expression_type=None):
        super().__init__(False)
        if expression_type and not utils.is_sequence(expression_type):
            expression_type = (expression_type,)
        self._expression_types = expression_type

    def check(self, value, context, *args, **kwargs):
        if self._expression_types:
            return type(value) in self._expression_types
        return isinstance(value, expressions.Expression)


class MappingRule(LazyParameterType, SmartType):
    __slots__ = ()

    def __init__(self):
        super().__init__(False)

    def check(self, value, context, *args, **kwargs):
        return isinstance(value, expressions.MappingRuleExpression)

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        super().convert(value, receiver, context, function_spec, engine, *args, **kwargs)
        return utils.MappingRule(lambda: value.source(receiver, context, engine),
                                 lambda: value.destination(receiver, context, engine))


# ---- literals ----

class Constant(SmartType):
    __slots__ = ('expand',)

    def __init__(self, nullable, expand=True):
        self.expand = expand
        super().__init__(nullable)

    def _takes(self, value):
        return True

    def check(self, value, context, *args, **kwargs):
        if not super().check(value, context, *args, **kwargs):
            return False
        if value is None:
            return True
        return isinstance(value, expressions.Constant) and self._takes(value.value)

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        super().convert(value, receiver, context, function_spec, engine, *args, **kwargs)
        return value.value if self.expand else value


class StringConstant(Constant):
    __slots__ = ()

    def __init__(self, nullable=False):
        super().__init__(nullable)

    def _takes(self, value):
        return isinstance(value, str)


class Keyword(Constant):
    __slots__ = ()

    def __init__(self, expand=True):
        super().__init__(False, expand)

    def check(self, value, context, *args, **kwargs):
        return isinstance(value, expressions.KeywordConstant)


class BooleanConstant(Constant):
    __slots__ = ()

    def __init__(self, nullable=False, expand=True):
        super().__init__(nullable, expand)

    def _takes(self, value):
        return isinstance(value, bool)


class NumericConstant(Constant):
    __slots__ = ()

    def __init__(self, nullable=False, expand=True):
        super().__init__(nullable, expand)

    def _takes(self, value):
        return isinstance(value, (int, float)) and not isinstance(value, bool)


# ---- injected ones ----

class _Injected(HiddenParameterType, SmartType):
    __slots__ = ()

    def __init__(self):
        super().__init__(False)


class Context(_Injected):
    __slots__ = ()

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        return context


class Engine(_Injected):
    __slots__ = ()

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        return engine


class Receiver(_Injected):
    __slots__ = ()

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        return receiver


class FunctionDefinition(_Injected):
    __slots__ = ()

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        return function_spec


class YaqlInterface(_Injected):
    __slots__ = ()

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        return yaql_interface.YaqlInterface(context, engine, receiver)


class Delegate(_Injected):
    __slots__ = ('name', 'with_context', 'method', 'use_convention')

    def __init__(self, name=None, with_context=False, method=False, use_convention=True):
        super().__init__()
        self.name = name
        self.with_context = with_context
        self.method = method
        self.use_convention = use_convention

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        def func(*args, **kwargs):
            given = list(args)
            name = self.name or given.pop(0)
            target = given.pop(0) if self.method else utils.NO_VALUE
            own = given.pop(0) if self.with_context else context.create_child_context()
            return own(name, engine, target,
                       use_convention=self.use_convention)(*given, **kwargs)

        func.__unwrapped__ = _unwrapped(value)
        return func


class Super(_Injected):
    __slots__ = ('with_context', 'method', 'with_name')

    def __init__(self, with_context=False, method=None, with_name=False):
        self.with_context = with_context
        self.method = method
        self.with_name = with_name
        super().__init__()

    @staticmethod
    def _find_function_context(spec, context):
        while context is not None:
            if spec in context:
                return context
            context = context.parent
        raise exceptions.NoFunctionRegisteredException(spec.name)

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        def func(*args, **kwargs):
            outer = self._find_function_context(function_spec, context).parent
            if outer is None:
                raise exceptions.NoFunctionRegisteredException(function_spec.name)
            given = list(args)
            name = given.pop(0) if self.with_name else function_spec.name
            target = receiver
            if self.method is not None:
                target = given.pop(0) if self.method else utils.NO_VALUE
            own = given.pop(0) if self.with_context else context.create_child_context()
            return outer(name, engine, target, own)(*given, **kwargs)

        func.__unwrapped__ = _unwrapped(value)
        return func


# ---- sums ----

class SmartTypeAggregation(SmartType, metaclass=abc.ABCMeta):
    __slots__ = ('types',)

    def __init__(self, *args, **kwargs):
        super().__init__(kwargs.pop('nullable', False))
        self.types = []
        for item in args:
            if isinstance(item, (type, tuple)):
                item = PythonType(item)
            if isinstance(item, (HiddenParameterType, LazyParameterType)):
                raise ValueError('Special smart types are not supported')
            self.types.append(item)


class AnyOf(SmartTypeAggregation):
    __slots__ = ()

    def _match(self, value, context, engine, *args, **kwargs):
        for item in self.types:
            if item.check(value, context, engine, *args, **kwargs):
                return item
        return None

    def check(self, value, context, engine, *args, **kwargs):
        value = _plain(value)
        if value is None:
            return self.nullable
        return self._match(value, context, engine, *args, **kwargs) is not None

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        value = _plain(value)
        if value is None and self.nullable:
            return None
        found = None
        if value is not None:
            found = self._match(value, context, engine, *args, **kwargs)
        if found is None:
            raise exceptions.ArgumentValueException()
        return found.convert(value, receiver, context, function_spec, engine, *args, **kwargs)


class Chain(SmartTypeAggregation):
    __slots__ = ()

    def check(self, value, context, engine, *args, **kwargs):
        value = _plain(value)
        if value is None:
            return self.nullable
        return all(item.check(value, context, engine, *args, **kwargs) for item in self.types)

    def convert(self, value, receiver, context, function_spec, engine, *args, **kwargs):
        value = _plain(value)
        if value is None:
            if self.nullable:
                return None
            raise exceptions.ArgumentValueException()
        for item in self.types:
            value = item.convert(
                value, receiver, context, function_spec, engine, *args, **kwargs)
        return value


class NotOfType(SmartType):
    __slots__ = ('smart_type',)

    def __init__(self, smart_type, nullable=True):
        if isinstance(smart_type, (type, tuple)):
            smart_type = PythonType(smart_type, nullable=nullable)
        self.smart_type = smart_type
        super().__init__(nullable)

    def check(self, value, context, engine, *args, **kwargs):
        value = _plain(value)
        if not super().check(value, context, engine, *args, **kwargs):
            return False
        if value is None or isinstance(value, expressions.Expression):
            return True
        return not self.smart_type.check(value, context, engine, *args, **kwargs)
