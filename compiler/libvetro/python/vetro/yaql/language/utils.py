"""Values of YAQL in Python: the immutable dict, conversions, limits."""

import collections
import collections.abc
import re
import sys

from vetro.yaql.language import exceptions

SequenceType = collections.abc.Sequence
MutableSequenceType = collections.abc.MutableSequence
SetType = collections.abc.Set
MutableSetType = collections.abc.MutableSet
MappingType = collections.abc.Mapping
MutableMappingType = collections.abc.MutableMapping
IterableType = collections.abc.Iterable
IteratorType = collections.abc.Iterator
QueueType = collections.deque

KEYWORD_REGEX = re.compile(r'(?!__)\b[^\W\d]\w*\b')


def create_marker(msg):
    class MarkerClass(object):
        def __repr__(self):
            return msg
    return MarkerClass()


NO_VALUE = create_marker('<NoValue>')


class MappingRule(object):
    def __init__(self, source, destination):
        self.source = source
        self.destination = destination


class FrozenDict(collections.abc.Mapping):
    """A dict that nobody changes, and that can be hashed when its values can."""

    def __init__(self, *args, **kwargs):
        self._d = dict(*args, **kwargs)
        self._hash = None

    def __iter__(self):
        return iter(self._d)

    def __len__(self):
        return len(self._d)

    def __getitem__(self, key):
        return self._d[key]

    def __contains__(self, key):
        return key in self._d

    def get(self, key, default=None):
        return self._d.get(key, default)

    def __hash__(self):
        if self._hash is None:
            self._hash = 0
            for pair in self._d.items():
                self._hash ^= hash(pair)
        return self._hash

    def __repr__(self):
        return repr(self._d)


def is_iterator(obj):
    return isinstance(obj, IteratorType)


def is_iterable(obj):
    return isinstance(obj, IterableType) and not isinstance(obj, (str, MappingType))


def is_sequence(obj):
    return isinstance(obj, SequenceType) and not isinstance(obj, str)


def is_mutable(obj):
    return isinstance(obj, (MutableSequenceType, MutableSetType, MutableMappingType))


def is_keyword(text):
    return KEYWORD_REGEX.match(text) is not None


def convert_input_data(obj, rec=None):
    rec = rec or convert_input_data
    if isinstance(obj, str):
        return obj
    if isinstance(obj, SequenceType):
        return tuple(rec(item, rec) for item in obj)
    if isinstance(obj, MappingType):
        return FrozenDict((rec(key, rec), rec(value, rec)) for key, value in obj.items())
    if isinstance(obj, MutableSetType):
        return frozenset(rec(item, rec) for item in obj)
    if isinstance(obj, IterableType):
        return map(lambda item: rec(item, rec), obj)
    return obj


def convert_output_data(obj, limit_func, engine, rec=None):
    rec = rec or convert_output_data

    def each(items):
        return (rec(item, limit_func, engine, rec) for item in limit_func(items))

    if isinstance(obj, MappingType):
        return {rec(key, limit_func, engine, rec): rec(value, limit_func, engine, rec)
                for key, value in limit_func(obj.items())}
    if isinstance(obj, SetType):
        return (list if convert_sets_to_lists(engine) else set)(each(obj))
    if isinstance(obj, (tuple, list)):
        return (list if convert_tuples_to_lists(engine) else type(obj))(each(obj))
    if is_iterable(obj):
        return list(each(obj))
    return obj


def convert_sets_to_lists(engine):
    return engine.options.get('yaql.convertSetsToLists', False)


def convert_tuples_to_lists(engine):
    return engine.options.get('yaql.convertTuplesToLists', True)


def get_max_collection_size(engine):
    return engine.options.get('yaql.limitIterators', -1)


def get_memory_quota(engine):
    return engine.options.get('yaql.memoryQuota', -1)


def limit_iterable(iterable, limit_or_engine):
    limit = (limit_or_engine if isinstance(limit_or_engine, int)
             else get_max_collection_size(limit_or_engine))
    if isinstance(iterable, (SequenceType, MappingType, SetType)):
        if 0 <= limit < len(iterable):
            raise exceptions.CollectionTooLargeException(limit)
        return iterable
    return _counted(iterable, limit)


def _counted(iterable, limit):
    for i, item in enumerate(iterable):
        if 0 <= limit <= i:
            raise exceptions.CollectionTooLargeException(limit)
        yield item


def limit_memory_usage(quota_or_engine, *args):
    quota = (quota_or_engine if isinstance(quota_or_engine, int)
             else get_memory_quota(quota_or_engine))
    if quota <= 0:
        return
    total = 0
    for count, value in args:
        total += count * sys.getsizeof(value, 0)
        if total > quota:
            raise exceptions.MemoryQuotaExceededException()


class _Remembered(object):
    """An iterator over the items of another one that all such iterators share."""

    def __init__(self, source, seen, engine):
        self._source, self._seen, self._engine, self._at = source, seen, engine, 0

    def __iter__(self):
        return _Remembered(self._source, self._seen, self._engine)

    def __next__(self):
        if self._at >= len(self._seen):
            self._seen.append(next(self._source))
            limit_memory_usage(self._engine, (1, self._seen))
        self._at += 1
        return self._seen[self._at - 1]


def memorize(collection, engine):
    if not is_iterator(collection):
        return collection
    return _Remembered(iter(collection), [], engine)


def to_extension_method(name, context):
    levels = context.collect_functions(
        name, lambda spec, _: not (spec.is_function and spec.is_method), use_convention=True)
    if len(levels) > 1:
        raise ValueError('Multi layer functions are not supported by this helper method')
    for spec in (levels[0] if levels else ()):
        spec = spec.clone()
        spec.is_function = spec.is_method = True
        yield spec


def filter_parameters_dict(parameters):
    parameters = dict(parameters)
    for name in parameters.keys():
        if not is_keyword(name):
            del parameters[name]
    return parameters
