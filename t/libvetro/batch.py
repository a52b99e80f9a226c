"""`vetro query --batch` with the module of Python: JSON lines in, JSON lines out, for the recorded suites.

Values that JSON cannot hold are tagged as docs/yaql.md says.
"""

import datetime
import json
import math
import re
import sys

from vetro import yaql
from vetro.yaql import legacy
from vetro.yaql.language import contexts, exceptions, utils

UTC = datetime.timezone.utc


def zone(seconds):
    return None if seconds is None else UTC if seconds == 0 else datetime.timezone(datetime.timedelta(seconds=seconds))


def date(text, seconds):
    return datetime.datetime.strptime(text, '%Y-%m-%dT%H:%M:%S.%f').replace(tzinfo=zone(seconds))


READ = {
    '$int': lambda v: int(v),
    '$float': lambda v: float(v),
    '$tuple': lambda v: tuple(read(x) for x in v),
    '$set': lambda v: {read(x) for x in v},
    '$setlist': lambda v: [read(x) for x in v],
    '$dict': lambda v: {read(k): read(x) for k, x in v},
    '$gen': lambda v: (x for x in [read(x) for x in v]),
    '$timespan': lambda v: datetime.timedelta(microseconds=v),
    '$novalue': lambda v: utils.NO_VALUE,
}


def read(v):
    if isinstance(v, list):
        return [read(x) for x in v]
    if not isinstance(v, dict):
        return v
    if '$datetime' in v:
        return date(v['$datetime'], v.get('offset'))
    if '$regex' in v:
        return re.compile(v['$regex'], v.get('flags', 0))
    for tag, make in READ.items():
        if list(v) == [tag]:
            return make(v[tag])
    return {k: read(x) for k, x in v.items()}


def show_date(v):
    offset = v.utcoffset()
    return {'$datetime': v.strftime('%Y-%m-%dT%H:%M:%S.%f').rjust(26, '0'),
            'offset': None if offset is None else offset.total_seconds()}


def show_dict(v):
    if all(isinstance(k, str) for k in v):
        return {k: show(x) for k, x in v.items()}
    return {'$dict': [[show(k), show(x)] for k, x in v.items()]}


def show_number(v):
    if isinstance(v, float):
        return v if math.isfinite(v) else {'$float': str(v)}
    return v if abs(v) < 2 ** 53 else {'$int': str(v)}


def show(v):
    if v is None or isinstance(v, (bool, str)):
        return v
    if v is utils.NO_VALUE:
        return {'$novalue': True}
    if isinstance(v, (int, float)):
        return show_number(v)
    if isinstance(v, tuple):
        return {'$tuple': [show(x) for x in v]}
    if isinstance(v, (set, frozenset)):
        return {'$set': sorted((show(x) for x in v), key=lambda x: json.dumps(x, sort_keys=True))}
    if isinstance(v, (dict, utils.FrozenDict)):
        return show_dict(v)
    if isinstance(v, datetime.datetime):
        return show_date(v)
    if isinstance(v, datetime.timedelta):
        return {'$timespan': v // datetime.timedelta(microseconds=1)}
    if isinstance(v, re.Pattern):
        return {'$regex': v.pattern, 'flags': v.flags}
    if isinstance(v, contexts.ContextBase):
        return {'$context': True}
    return [show(x) for x in v]


def type_name(e):
    module = type(e).__module__
    return type(e).__name__ if module == 'builtins' or '.yaql' in module else '%s.%s' % (module, type(e).__name__)


def answer(ask):
    how = ask.get('context') or {}
    old = ask.get('mode') == 'legacy'
    module = legacy if old or how.get('legacy') else yaql
    grammar = legacy if old else yaql
    delegates = bool(ask.get('delegates'))
    engine = grammar.YaqlFactory(allow_delegates=delegates).create(ask.get('options') or {})
    rest = {k: v for k, v in how.items() if k != 'legacy'}
    context = module.create_context(**rest)
    for name, value in (ask.get('vars') or {}).items():
        context[name] = read(value)
    statement = engine(ask['expr'])
    data = read(ask['data']) if 'data' in ask else utils.NO_VALUE
    return show(statement.evaluate(data, context))


def main():
    for line in sys.stdin:
        try:
            out = {'value': answer(json.loads(line))}
        except Exception as e:
            out = {'error': {'type': type_name(e), 'message': str(e)}}
        print(json.dumps(out), flush=True)


main()
