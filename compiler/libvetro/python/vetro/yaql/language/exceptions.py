"""The exceptions of YAQL: yaql's classes, messages and attributes."""

import builtins


class YaqlException(Exception):
    pass


class ResolutionError(YaqlException):
    pass


class FunctionResolutionError(ResolutionError):
    pass


class MethodResolutionError(ResolutionError):
    pass


class NoFunctionRegisteredException(FunctionResolutionError):
    def __init__(self, name):
        super().__init__('Unknown function "%s"' % (name,))


class NoMethodRegisteredException(MethodResolutionError):
    def __init__(self, name, receiver):
        super().__init__('Unknown method "%s" for receiver %s' % (name, receiver))


class NoMatchingFunctionException(FunctionResolutionError):
    def __init__(self, name):
        super().__init__('No function "%s" matches supplied arguments' % (name,))


class NoMatchingMethodException(MethodResolutionError):
    def __init__(self, name, receiver):
        super().__init__('No method "%s" for receiver %s matches supplied arguments'
                         % (name, _shown(receiver)))


class AmbiguousFunctionException(FunctionResolutionError):
    def __init__(self, name):
        super().__init__('Ambiguous function "%s"' % (name,))


class AmbiguousMethodException(MethodResolutionError):
    def __init__(self, name, receiver):
        super().__init__('Ambiguous method "%s" for receiver %s' % (name, _shown(receiver)))


class ArgumentException(YaqlException):
    def __init__(self, argument_name):
        self.parameter_name = argument_name
        super().__init__('Invalid argument %s' % (argument_name,))


class MappingTranslationException(YaqlException):
    def __init__(self):
        super().__init__('Cannot convert mapping to keyword argument')


class ArgumentValueException(YaqlException):
    def __init__(self):
        super().__init__()


class DuplicateParameterDecoratorException(YaqlException):
    def __init__(self, function_name, param_name):
        super().__init__("Function '%s' has multiple decorators for parameter '%s'"
                         % (function_name, param_name))


class InvalidMethodException(YaqlException):
    def __init__(self, function_name):
        super().__init__("Function '%s' cannot be called as a method" % (function_name,))


class NoParameterFoundException(YaqlException):
    def __init__(self, function_name, param_name):
        super().__init__("Function '%s' has no parameter called '%s'"
                         % (function_name, param_name))


class YaqlParsingException(YaqlException):
    def __init__(self, value, position, message):
        self.value = value
        self.position = position
        self.message = message
        super().__init__(message)


class YaqlGrammarException(YaqlParsingException):
    def __init__(self, expr, value, position):
        if position is None:
            message = 'Parse error: unexpected end of statement'
        else:
            message = ("Parse error: unexpected '%s' at position %s of expression '%s'"
                       % (value, position, expr))
        super().__init__(value, position, message)


class YaqlLexicalException(YaqlParsingException):
    def __init__(self, value, position):
        super().__init__(value, position, "Lexical error: illegal character '%s' at position %s"
                         % (value, position))


class InvalidOperatorTableException(YaqlException):
    def __init__(self, op):
        super().__init__("Invalid records in operator table for operator '%s" % (op,))


class WrappedException(YaqlException):
    def __init__(self, exception):
        self.wrapped = exception
        super().__init__(str(exception))


class CollectionTooLargeException(YaqlException):
    def __init__(self, count):
        super().__init__('Collection length exceeds %s elements' % (count,))


class MemoryQuotaExceededException(YaqlException):
    def __init__(self):
        super().__init__('Expression consumed too much memory')


class HostError(YaqlException):
    """An error that has no class in Python."""


def _shown(receiver):
    return receiver


def _parse_error(kind, text, about):
    message, token, at = about
    at = len(text.encode('utf-8')[:at].decode('utf-8', 'replace'))
    if kind == 'YaqlLexicalException':
        return YaqlLexicalException(text[at:at + 1], at)
    if token is None:
        return YaqlGrammarException(None, None, None)
    return YaqlGrammarException(text, token, at)


def _class_of(kind):
    name = kind.rpartition('.')[2]
    found = globals().get(name)
    if isinstance(found, type) and issubclass(found, YaqlException):
        return found
    found = getattr(builtins, name, None)
    if isinstance(found, type) and issubclass(found, BaseException):
        return found
    if kind == 're.error':
        import re
        return re.error
    if name == 'ParserError':
        from dateutil import parser
        return getattr(parser, 'ParserError', ValueError)
    return HostError


def make_error(kind, message, value):
    """The exception for an error of the engine; value: what it carries, or NO_VALUE."""
    from vetro.yaql.language import utils
    if kind in ('YaqlGrammarException', 'YaqlLexicalException') and isinstance(value, tuple):
        return _parse_error(kind, message, value)
    cls = _class_of(kind)
    if cls is KeyError and value is not utils.NO_VALUE:
        return KeyError(value)
    if cls is UnicodeDecodeError:
        return ValueError(value[0] if isinstance(value, tuple) else message)
    error = cls.__new__(cls)
    Exception.__init__(error, message)
    return error
