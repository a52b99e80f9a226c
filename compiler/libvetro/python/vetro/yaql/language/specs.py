"""Definitions of functions, and the decorators that make them of Python functions."""

import inspect

from vetro.yaql.language import exceptions
from vetro.yaql.language import utils
from vetro.yaql.language import yaqltypes

NO_DEFAULT = utils.create_marker('<NoValue>')


class ParameterDefinition(object):
    __slots__ = ('value_type', 'name', 'position', 'default', 'alias')

    def __init__(self, name, value_type=None, position=None, alias=None, default=None):
        self.value_type = value_type
        self.name = name
        self.position = position
        self.default = default
        self.alias = alias

    def __repr__(self):
        return '%s => position=%s value_type=%s default=%s' % (
            self.name, self.position, self.value_type, self.default)

    def clone(self):
        return ParameterDefinition(
            self.name, self.value_type, self.position, self.alias, self.default)

    @property
    def _hidden(self):
        return isinstance(self.value_type, yaqltypes.HiddenParameterType)

    @property
    def _shown(self):
        """The name of the keyword."""
        return self.alias or self.name


def _default_of(spec, name):
    if spec.defaults and name in spec.args:
        i = spec.args.index(name) - len(spec.args)
        if i >= -len(spec.defaults):
            return spec.defaults[i]
    elif spec.kwonlydefaults:
        return spec.kwonlydefaults.get(name, NO_DEFAULT)
    return NO_DEFAULT


class FunctionDefinition(object):
    __slots__ = ('is_method', 'is_function', 'name', 'parameters', 'payload', 'doc',
                 'no_kwargs', 'meta', '__weakref__')

    def __init__(self, name, payload, parameters=None, doc='', meta=None,
                 is_function=True, is_method=False, no_kwargs=False):
        self.is_method = is_method
        self.is_function = is_function
        self.name = name
        self.parameters = parameters or {}
        self.payload = payload
        self.doc = doc
        self.no_kwargs = no_kwargs
        self.meta = meta or {}

    def __call__(self, engine, context, receiver=utils.NO_VALUE):
        def func(*args, **kwargs):
            if receiver is not utils.NO_VALUE:
                args = (receiver,) + args
            return self.get_delegate(receiver, engine, context, args, kwargs)()
        return func

    def clone(self):
        return FunctionDefinition(
            self.name, self.payload, {key: p.clone() for key, p in self.parameters.items()},
            self.doc, self.meta, self.is_function, self.is_method, self.no_kwargs)

    def strip_hidden_parameters(self):
        spec = self.clone()
        hidden = [key for key, p in spec.parameters.items() if p._hidden]
        places = [spec.parameters[key].position for key in hidden]
        for key in hidden:
            del spec.parameters[key]
        for p in spec.parameters.values():
            if p.position is not None:
                p.position -= sum(1 for i in places if i is not None and i < p.position)
        return spec

    # ---- parameters ----

    def _place(self, spec, name):
        """(argument name, key, position) of what a decorator names."""
        if isinstance(name, int):
            if 0 <= name < len(spec.args):
                name = spec.args[name]
            elif name == len(spec.args) and spec.varargs is not None:
                name = spec.varargs
            else:
                raise IndexError('argument position is out of range')
        if name == spec.varkw:
            return name, '**', None
        if name == spec.varargs:
            return name, '*', len(spec.args)
        if name in spec.kwonlyargs:
            return name, name, None
        if name in spec.args:
            return name, name, spec.args.index(name)
        raise exceptions.NoParameterFoundException(
            function_name=self.name or self.payload.__name__, param_name=name)

    def _check_new(self, key, name, overwrite):
        if key in self.parameters and not overwrite:
            raise exceptions.DuplicateParameterDecoratorException(
                function_name=self.name or self.payload.__name__, param_name=name)

    def set_parameter(self, name, value_type=None, nullable=None, alias=None, overwrite=False):
        if isinstance(name, ParameterDefinition):
            self._check_new(name.name, name.name, overwrite)
            self.parameters[name.name] = name
            return name
        spec = inspect.getfullargspec(self.payload)
        name, key, position = self._place(spec, name)
        default = _default_of(spec, name)
        self._check_new(key, name, overwrite)
        if value_type is None:
            plain = default is None or default is NO_DEFAULT or default is utils.NO_VALUE
            value_type = yaqltypes.PythonType(
                object if plain else type(default), True if nullable is None else nullable)
        elif not isinstance(value_type, yaqltypes.SmartType):
            value_type = yaqltypes.PythonType(
                value_type, default is None if nullable is None else nullable)
        made = ParameterDefinition(name, value_type, position, alias, default)
        self.parameters[key] = made
        return made

    def insert_parameter(self, name, value_type=None, nullable=None, alias=None,
                         overwrite=False):
        made = self.set_parameter(name, value_type, nullable, alias, overwrite)
        for p in self.parameters.values():
            if p is not made and p.position is not None and p.position >= made.position:
                p.position += 1

    def _shifts(self):
        """How many hidden parameters stand before a position."""
        hidden = [p.position for p in self.parameters.values()
                  if p._hidden and p.position is not None]
        return lambda position: sum(1 for i in hidden if i < position)

    # ---- calls ----

    def map_args(self, args, kwargs, context, engine):
        """What takes each argument, ([parameter], {name: parameter}); None: they do not fit."""
        rest = self.parameters.get('*', utils.NO_VALUE)
        by_place, by_name, left = len(args) * [rest], {}, dict(kwargs)
        shift = self._shifts()
        for key, p in self.parameters.items():
            if p._hidden or key == '*' or key == '**':
                continue
            name = p._shown
            at = None if p.position is None else p.position - shift(p.position)
            if at is not None and at < len(args) and args[at] is not utils.NO_VALUE:
                if name in left:
                    return None
                by_place[at] = p
            elif name in left:
                by_name[name] = p
                del left[name]
            elif p.default is NO_DEFAULT:
                return None
            elif at is not None and at < len(args):
                by_place[at] = p
        if left:
            if '**' not in self.parameters:
                return None
            by_name.update(dict.fromkeys(left, self.parameters['**']))
        for p, value in zip(by_place, args):
            if p is utils.NO_VALUE:
                return None
            if value is utils.NO_VALUE:
                value = p.default
            if not p.value_type.check(value, context, engine):
                return None
        for name in left:
            if not by_name[name].value_type.check(left[name], context, engine):
                return None
        return tuple(by_place), by_name

    def get_delegate(self, receiver, engine, context, args, kwargs):
        """The call, ready to be made; ArgumentException where a value does not fit."""
        def checked(value, p):
            if not p.value_type.check(value, context, engine):
                raise exceptions.ArgumentException(p.name)
            return value, p

        kwargs = dict(kwargs)
        shift = self._shifts()
        standard = [p for key, p in self.parameters.items()
                    if p.position is not None and key != '*']
        places, names, shown = len(standard) * [None], {}, 0
        for key, p in self.parameters.items():
            if key == '*' or key == '**':
                continue
            if p._hidden:
                value = None
            else:
                at = None if p.position is None else p.position - shift(p.position)
                if at is not None:
                    shown += 1
                if at is not None and at < len(args) and args[at] is not utils.NO_VALUE:
                    if p._shown in kwargs:
                        raise exceptions.ArgumentException(p.name)
                    value = args[at]
                elif p._shown in kwargs:
                    value = kwargs.pop(p._shown)
                elif p.default is not NO_DEFAULT:
                    value = p.default
                else:
                    raise exceptions.ArgumentException(p.name)
            if p.position is None:
                names[key] = checked(value, p)
            else:
                places[p.position] = checked(value, p)
        for more, key in ((len(args) > shown, '*'), (kwargs, '**')):
            if more and key not in self.parameters:
                raise exceptions.ArgumentException(key)
        if len(args) > shown:
            places.extend(checked(value, self.parameters['*']) for value in args[shown:])
        for key, value in kwargs.items():
            names[key] = checked(value, self.parameters['**'])
        return self._delegate(receiver, engine, context, places, names)

    def _delegate(self, receiver, engine, context, places, names):
        def call():
            own = context.create_child_context()

            def converted(pair):
                try:
                    return pair[1].value_type.convert(pair[0], receiver, own, self, engine)
                except exceptions.ArgumentValueException:
                    raise exceptions.ArgumentException(pair[1].name)

            return self.payload(*[converted(pair) for pair in places],
                                **{key: converted(pair) for key, pair in names.items()})
        return call

    def is_valid_method(self):
        shown = [p for p in self.parameters.values() if p.position is not None and not p._hidden]
        if not shown:
            return None
        first = min(shown, key=lambda p: p.position)
        return not isinstance(first.value_type, yaqltypes.LazyParameterType)


# ---- decorators ----

def _definition_of(func):
    if not hasattr(func, '__yaql_function__'):
        func.__yaql_function__ = FunctionDefinition(None, func, {}, func.__doc__)
    return func.__yaql_function__


def _infer_parameter_type(name):
    if name in ('context', '__context'):
        return yaqltypes.Context()
    if name in ('engine', '__engine'):
        return yaqltypes.Engine()
    if name in ('yaql_interface', '__yaql_interface'):
        return yaqltypes.YaqlInterface()
    return None


def convert_function_name(function_name, convention):
    if not function_name:
        return function_name
    function_name = function_name.rstrip('_')
    if not convention:
        return function_name
    if function_name[0].isalpha():
        return convention.convert_function_name(function_name)
    end = function_name.find(function_name[0], 1)
    if end <= 1:
        return function_name
    return function_name[:end + 1] + convention.convert_function_name(function_name[end + 1:])


def convert_parameter_name(parameter_name, convention):
    if not parameter_name:
        return parameter_name
    parameter_name = parameter_name.rstrip('_')
    return convention.convert_parameter_name(parameter_name) if convention else parameter_name


def get_function_definition(func, name=None, function=None, method=None, convention=None,
                            parameter_type_func=None):
    infer = parameter_type_func or _infer_parameter_type
    definition = _definition_of(func).clone()  # AttributeError where func takes no attributes
    spec = inspect.getfullargspec(func)
    for arg in spec.args + spec.kwonlyargs:
        if arg not in definition.parameters:
            definition.set_parameter(arg, infer(arg))
    for arg, key in ((spec.varargs, '*'), (spec.varkw, '**')):
        if arg and key not in definition.parameters:
            definition.set_parameter(arg, infer(arg))
    if name is not None:
        definition.name = name
    elif definition.name is None:
        definition.name = convert_function_name(definition.payload.__name__, convention)
    elif convention is not None:
        definition.name = convert_function_name(definition.name, convention)
    if function is not None:
        definition.is_function = function
    if method is not None:
        definition.is_method = method
    if convention:
        for p in definition.parameters.values():
            if p.alias is None:
                p.alias = convert_parameter_name(p.name, convention)
    return definition


def _decorator(change):
    def decorate(func):
        change(_definition_of(func))
        return func
    return decorate


def parameter(name, value_type=None, nullable=None, alias=None):
    if isinstance(value_type, yaqltypes.HiddenParameterType):
        raise ValueError('Use inject() for hidden parameters')
    return _decorator(lambda d: d.set_parameter(name, value_type, nullable, alias))


def inject(name, value_type=None, nullable=None, alias=None):
    if value_type is not None and not isinstance(value_type, yaqltypes.HiddenParameterType):
        raise ValueError('Use parameter() for normal function parameters')
    return _decorator(lambda d: d.set_parameter(name, value_type, nullable, alias))


def name(function_name):
    return _decorator(lambda d: setattr(d, 'name', function_name))


def method(func):
    definition = _definition_of(func)
    definition.is_method, definition.is_function = True, False
    return func


def extension_method(func):
    definition = _definition_of(func)
    definition.is_method = definition.is_function = True
    return func


def no_kwargs(func):
    _definition_of(func).no_kwargs = True
    return func


def meta(name, value):
    return _decorator(lambda d: d.meta.__setitem__(name, value))


def yaql_property(source_type):
    def decorate(func):
        @name('#property#' + get_function_definition(func).name)
        @parameter('obj', source_type)
        def wrapper(obj):
            return func(obj)
        return wrapper
    return decorate
