"""Contexts: variables and functions, level by level."""

import abc

from vetro.yaql.language import exceptions
from vetro.yaql.language import runner
from vetro.yaql.language import specs
from vetro.yaql.language import utils


class ContextBase(metaclass=abc.ABCMeta):
    _environment = None  # what the engine in C makes of the context
    _seen = ()           # the contexts that it was made for, with their versions

    def __init__(self, parent_context=None, convention=None):
        self._parent_context = parent_context
        if convention is None and parent_context is not None:
            convention = parent_context.convention
        self._convention = convention

    @property
    def parent(self):
        return self._parent_context

    @property
    def convention(self):
        return self._convention

    @abc.abstractmethod
    def register_function(self, spec, *args, **kwargs):
        pass

    @abc.abstractmethod
    def get_data(self, name, default=None, ask_parent=True):
        return default

    @abc.abstractmethod
    def __setitem__(self, name, value):
        pass

    @abc.abstractmethod
    def __delitem__(self, name):
        pass

    @abc.abstractmethod
    def __contains__(self, item):
        return False

    @abc.abstractmethod
    def get_functions(self, name, predicate=None, use_convention=False):
        return [], False

    @abc.abstractmethod
    def delete_function(self, spec):
        pass

    @abc.abstractmethod
    def keys(self):
        return {}.keys()

    def __getitem__(self, name):
        return self.get_data(name)

    def __call__(self, name, engine, receiver=utils.NO_VALUE, data_context=None,
                 use_convention=False, function_filter=None):
        def caller(*args, **kwargs):
            return runner.call(name, self, args, kwargs, engine, receiver, data_context,
                               use_convention, function_filter)
        return caller

    def collect_functions(self, name, predicate=None, use_convention=False):
        levels, context = [], self
        while context is not None:
            own = None
            if predicate:
                own = (lambda level: lambda spec: predicate(spec, level))(context)
            found, exclusive = context.get_functions(name, own, use_convention)
            if found:
                levels.append(found)
            context = None if exclusive else context.parent
        return levels

    def create_child_context(self):
        return type(self)(self)

    def _native(self, statement):
        """What evaluates the statement with this context, or None: Python code has to."""
        context = self
        while is_plain(type(context)) and not context._functions and context._library is None:
            context = context._parent_context
            if context is None:
                return None
        environment, seen = context._environment, context._seen
        if environment is None or not is_current(seen):
            from vetro.yaql import native
            environment, seen = native.environment(context)
            context._environment, context._seen = environment, seen
        if statement._fits is environment:
            return environment
        if environment.fits(statement):
            statement._fits = environment
            return environment
        return None


def is_current(seen):
    for context, version in seen:
        if context._version != version:
            return False
    return True


class _Raw(object):
    """Data of the caller that is converted when somebody reads it."""

    __slots__ = ('data',)

    def __init__(self, data):
        self.data = data


def _variable(name):
    if not name.startswith('$'):
        name = '$' + name
    return '$1' if name == '$' else name


class Context(ContextBase):
    def __init__(self, parent_context=None, data=utils.NO_VALUE, convention=None):
        super().__init__(parent_context, convention)
        self._functions = {}
        self._data = {}
        self._exclusive_funcs = set()
        self._library = None     # the functions of the library that are here: library.Level
        self._version = 0        # of its functions
        self._environments = {}  # of contexts whose first functions are here
        if data is not utils.NO_VALUE:
            self['$'] = data

    @staticmethod
    def _import_function_definition(fd):
        return fd

    # ---- functions ----

    def register_function(self, spec, *args, **kwargs):
        exclusive = kwargs.pop('exclusive', False)
        if not isinstance(spec, specs.FunctionDefinition) and callable(spec):
            spec = specs.get_function_definition(
                spec, *args, convention=self._convention, **kwargs)
        spec = self._import_function_definition(spec)
        if spec.is_method and not spec.is_valid_method():
            raise exceptions.InvalidMethodException(spec.name)
        self._functions.setdefault(spec.name, set()).add(spec)
        if exclusive:
            self._exclusive_funcs.add(spec.name)
        self._version += 1

    def delete_function(self, spec):
        if self._library is not None:
            self._library = self._library.without(spec)
        self._functions.get(spec.name, set()).discard(spec)
        self._exclusive_funcs.discard(spec.name)
        self._version += 1

    def _own(self, name):
        """The definitions of a name; those of the library are made when they are asked for."""
        own = self._functions.get(name, ())
        if self._library is None:
            return own
        return self._library.get(name).union(own)

    def get_functions(self, name, predicate=None, use_convention=False):
        name = name.rstrip('_')
        if use_convention and self._convention is not None:
            name = self._convention.convert_function_name(name)
        found = self._own(name)
        return (set(filter(predicate, found)) if predicate else set(found),
                name in self._exclusive_funcs
                or (self._library is not None and name in self._library.exclusive))

    # ---- variables ----

    def __setitem__(self, name, value):
        self._data[_variable(name)] = value

    def _set_raw(self, data):
        self._data['$1'] = _Raw(data)

    def get_data(self, name, default=None, ask_parent=True):
        name = _variable(name)
        if name in self._data:
            value = self._data[name]
            if type(value) is _Raw:
                value = self._data[name] = utils.convert_input_data(value.data)
            return value
        context = self._parent_context if ask_parent else None
        while context is not None:
            value = context.get_data(name, utils.NO_VALUE, False)
            if value is not utils.NO_VALUE:
                return value
            context = context.parent
        return default

    def __delitem__(self, name):
        self._data.pop(_variable(name))

    def __contains__(self, item):
        if isinstance(item, specs.FunctionDefinition):
            return item in self._own(item.name)
        return isinstance(item, str) and _variable(item) in self._data

    def keys(self):
        return self._data.keys()


_READING = ('parent', 'get_data', '__getitem__', 'get_functions', 'collect_functions', '__call__')
_plain = {}


def is_plain(cls):
    """Does the class read variables and functions as Context does?"""
    found = _plain.get(cls)
    if found is None:
        found = _plain[cls] = issubclass(cls, Context) and all(
            getattr(cls, name) is getattr(Context, name) for name in _READING)
    return found


class MultiContext(ContextBase):
    """Several contexts as one level; what is written goes to the first."""

    def __init__(self, context_list, convention=None):
        self._context_list = context_list
        parents = tuple(c.parent for c in context_list if c.parent is not None)
        parent = parents[0] if len(parents) == 1 else MultiContext(parents) if parents else None
        super().__init__(parent, convention or context_list[0].convention)

    def register_function(self, spec, *args, **kwargs):
        self._context_list[0].register_function(spec, *args, **kwargs)

    def delete_function(self, spec):
        for context in self._context_list:
            context.delete_function(spec)

    def get_functions(self, name, predicate=None, use_convention=False):
        found, exclusive = set(), False
        for context in self._context_list:
            own, last = context.get_functions(name, predicate, use_convention)
            found |= set(own)
            exclusive = exclusive or last
        return found, exclusive

    def get_data(self, name, default=None, ask_parent=True):
        for context in self._context_list:
            value = context.get_data(name, utils.NO_VALUE, False)
            if value is not utils.NO_VALUE:
                return value
        if ask_parent and self.parent is not None:
            return self.parent.get_data(name, default)
        return default

    def __setitem__(self, name, value):
        self._context_list[0][name] = value

    def __delitem__(self, name):
        for context in self._context_list:
            del context[name]

    def __contains__(self, item):
        return any(item in context for context in self._context_list)

    def keys(self):
        seen = {}
        for context in self._context_list:
            seen.update(dict.fromkeys(context.keys()))
        return seen.keys()

    def create_child_context(self):
        return Context(self)


class LinkedContext(ContextBase):
    """The contents of one context below another parent."""

    def __init__(self, parent_context, linked_context, convention=None):
        self.linked_context = linked_context
        if linked_context.parent:
            parent_context = LinkedContext(parent_context, linked_context.parent, convention)
        super().__init__(parent_context, convention)

    def register_function(self, spec, *args, **kwargs):
        return self.linked_context.register_function(spec, *args, **kwargs)

    def delete_function(self, spec):
        return self.linked_context.delete_function(spec)

    def get_functions(self, name, predicate=None, use_convention=False):
        return self.linked_context.get_functions(
            name, predicate=predicate, use_convention=use_convention)

    def get_data(self, name, default=None, ask_parent=True):
        value = self.linked_context.get_data(name, utils.NO_VALUE, False)
        if value is not utils.NO_VALUE:
            return value
        if ask_parent and self.parent:
            return self.parent.get_data(name, default)
        return default

    def __setitem__(self, name, value):
        self.linked_context[name] = value

    def __delitem__(self, name):
        del self.linked_context[name]

    def __contains__(self, item):
        return item in self.linked_context

    def keys(self):
        return self.linked_context.keys()

    def create_child_context(self):
        return type(self.linked_context)(self)
