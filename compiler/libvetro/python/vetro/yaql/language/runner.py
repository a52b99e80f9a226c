"""Calls with overload resolution, where the engine in C does not make them.

Candidates come in levels, innermost first.  What can be said without evaluation drops some;
then the arguments that nobody wants lazy are evaluated, once; then the first level with a
candidate that takes the values wins.
"""

from vetro.yaql.language import exceptions
from vetro.yaql.language import expressions
from vetro.yaql.language import utils
from vetro.yaql.language import yaqltypes


def call(name, context, args, kwargs, engine, receiver=utils.NO_VALUE,
         data_context=None, use_convention=False, function_filter=None):
    plain = receiver is utils.NO_VALUE

    def fits(spec, level):
        if not (spec.is_function if plain else spec.is_method):
            return False
        return function_filter is None or function_filter(spec, level)

    levels = context.collect_functions(name, fits, use_convention=use_convention)
    if not levels:
        if plain:
            raise exceptions.NoFunctionRegisteredException(name)
        raise exceptions.NoMethodRegisteredException(name, receiver)
    chosen = choose_overload(name, levels, engine, receiver,
                             context if data_context is None else data_context, args, kwargs)
    try:
        result = chosen()
    except StopIteration as e:
        # must not end a generator that evaluates
        raise exceptions.WrappedException(e).with_traceback(e.__traceback__)
    utils.limit_memory_usage(engine, (1, result))
    return result


def _ambiguous(name, receiver):
    if receiver is utils.NO_VALUE:
        return exceptions.AmbiguousFunctionException(name)
    return exceptions.AmbiguousMethodException(name, receiver)


def _no_match(name, receiver):
    if receiver is utils.NO_VALUE:
        return exceptions.NoMatchingFunctionException(name)
    return exceptions.NoMatchingMethodException(name, receiver)


def _is_lazy(parameter):
    return isinstance(parameter.value_type, yaqltypes.LazyParameterType)


def _bind(name, levels, engine, receiver, context, args, kwargs):
    """Candidates that may fit, with what their parameters take; which arguments stay lazy."""
    bound, lazy, no_kwargs = [], None, None
    for level in levels:
        fitting = []
        for spec in level:
            if no_kwargs is None:
                no_kwargs = spec.no_kwargs
                args, kwargs = translate_args(no_kwargs, args, kwargs)
            elif no_kwargs != spec.no_kwargs:
                raise _ambiguous(name, receiver)
            mapping = spec.map_args(args, kwargs, context, engine)
            if mapping is None:
                continue
            own = {i for i, p in enumerate(mapping[0]) if _is_lazy(p)}
            own.update(key for key, p in mapping[1].items() if _is_lazy(p))
            if lazy is None:
                lazy = own
            elif lazy != own:
                raise _ambiguous(name, receiver)
            fitting.append((spec, mapping))
        if fitting:
            bound.append(fitting)
    return bound, lazy, args, kwargs


def choose_overload(name, candidates, engine, receiver, context, args, kwargs):
    if receiver is not utils.NO_VALUE:
        args = (receiver,) + tuple(args)
    bound, lazy, args, kwargs = _bind(name, candidates, engine, receiver, context, args, kwargs)
    if not bound:
        raise _no_match(name, receiver)

    def value(place, arg):
        if (place in lazy or not isinstance(arg, expressions.Expression)
                or isinstance(arg, expressions.Constant)):
            return arg
        return arg(utils.NO_VALUE, context, engine)

    args = tuple(value(i, arg) for i, arg in enumerate(args))
    kwargs = {key: value(key, arg) for key, arg in kwargs.items()}
    for level in bound:
        best = None
        for spec, mapping in level:
            try:
                delegate = spec.get_delegate(receiver, engine, context, args, kwargs)
            except exceptions.ArgumentException:
                continue
            if best is not None:
                if _is_specialization_of(best[1], mapping):
                    continue
                if not _is_specialization_of(mapping, best[1]):
                    raise _ambiguous(name, receiver)
            best = (delegate, mapping)
        if best is not None:
            return best[0]
    raise _no_match(name, receiver)


def translate_args(without_kwargs, args, kwargs):
    """Mappings with a bare word on the left become keyword arguments."""
    if without_kwargs:
        if kwargs:
            raise exceptions.ArgumentException(next(iter(kwargs)))
        return args, {}
    positional, keywords = [], {}
    for arg in args:
        if not isinstance(arg, expressions.MappingRuleExpression):
            positional.append(arg)
            continue
        if not isinstance(arg.source, expressions.KeywordConstant):
            raise exceptions.MappingTranslationException()
        keywords[arg.source.value] = arg.destination
    for key, value in kwargs.items():
        if key in keywords:
            raise exceptions.MappingTranslationException()
        keywords[key] = value
    return tuple(positional), keywords


def _is_specialization_of(mapping1, mapping2):
    pairs = list(zip(mapping1[0], mapping2[0]))
    pairs += [(p, mapping2[1][key]) for key, p in mapping1[1].items()]
    more = False
    for a, b in pairs:
        if b.value_type.is_specialization_of(a.value_type):
            return False
        more = more or a.value_type.is_specialization_of(b.value_type)
    return more
