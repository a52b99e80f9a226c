#!/usr/bin/python3
"""The reference's yaql as a batch: requests and answers as `vetro query --batch` has them, in JSON lines.

What cannot be told from the value alone is left out: sets that became lists, in whose place convertSetsToLists off gives sets.
"""
import datetime, json, math, re, resource, sys
import yaql
from yaql.language import contexts, utils
from yaql.language.factory import YaqlFactory


def dump(v):
    return json.dumps(v, separators=(',', ':'), ensure_ascii=False)


def encode(v):
    if v is None or isinstance(v, (bool, str)): return v
    if isinstance(v, int): return v if abs(v) < 2 ** 53 else {'$int': str(v)}
    if isinstance(v, float): return v if math.isfinite(v) else {'$float': repr(v)}
    if isinstance(v, datetime.datetime):
        try: off = v.utcoffset()
        except ValueError: off = v.tzinfo._offset  # a day and more: an error only for who uses it
        return {'$datetime': v.replace(tzinfo=None).isoformat(timespec='microseconds'), 'offset': None if off is None else off.total_seconds()}
    if isinstance(v, datetime.timedelta): return {'$timespan': v // datetime.timedelta(microseconds=1)}
    if isinstance(v, re.Pattern): return {'$regex': v.pattern, 'flags': v.flags}
    if isinstance(v, contexts.ContextBase): return {'$context': True}
    if v is utils.NO_VALUE: return {'$novalue': True}
    if isinstance(v, dict) or isinstance(v, utils.MappingType):
        if all(isinstance(k, str) and not k.startswith('$') for k in v): return {k: encode(x) for k, x in v.items()}
        return {'$dict': [[encode(k), encode(x)] for k, x in v.items()]}
    if isinstance(v, (set, frozenset, utils.SetType)): return {'$set': sorted((encode(x) for x in v), key=dump)}
    if isinstance(v, tuple): return {'$tuple': [encode(x) for x in v]}
    if isinstance(v, list): return [encode(x) for x in v]
    return {'$other': type(v).__name__}


def name_of(e):
    t = type(e)
    return t.__name__ if t.__module__ == 'builtins' or t.__module__.startswith('yaql.') else t.__module__ + '.' + t.__name__


def main():
    engines, context = {}, {}
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    sys.stdout.reconfigure(encoding='utf-8', errors='replace')
    sys.stdin.reconfigure(encoding='utf-8')
    for line in sys.stdin:
        q = json.loads(line)
        try:
            legacy = q.get('mode') == 'legacy'
            key = json.dumps([legacy, q.get('options')])
            if key not in engines:
                f = YaqlFactory()
                if legacy:
                    from yaql import legacy as old
                    f = old.YaqlFactory()
                engines[key] = f.create(options=q.get('options') or {})
            if legacy not in context:
                if legacy:
                    from yaql import legacy as old
                    context[legacy] = old.create_context()
                else:
                    context[legacy] = yaql.create_context()
            v = engines[key](q['expr']).evaluate(data=q.get('data'), context=context[legacy].create_child_context())
            answer = {'value': encode(v)}
            text = dump(answer)
        except RecursionError as e:
            text = dump({'error': {'type': 'RecursionError', 'message': str(e)}})
        except Exception as e:
            text = dump({'error': {'type': name_of(e), 'message': str(e)[:300]}})
        print(text, flush=True)


main()
