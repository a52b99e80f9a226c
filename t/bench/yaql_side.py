"""Times one YAQL expression on the reference interpreter; one line of JSON, the value into a file.

usage: yaql_side.py DATA.json EXPR SECONDS RESULT.json      under Debian's python3 with python3-yaql

The data is read, and converted as the engine converts input, beforehand; the expression is parsed beforehand.
Timed is the evaluation with the conversion of its output. It warms up on a few records. `parse` is the time that
parsing the expression takes.
"""
import itertools
import json
import sys
import time

from yaql import create_context, YaqlFactory
from yaql.language import utils

MOST, WARM, PARSES = 200, 20, 5


def some_of(value):
    if isinstance(value, list):
        return value[:WARM]
    return dict(itertools.islice(value.items(), WARM)) if isinstance(value, dict) else value


def parse_time(engine, expression):
    seconds = []
    for _ in range(PARSES):
        start = time.process_time()
        engine(expression)
        seconds.append(time.process_time() - start)
    return sorted(seconds)[PARSES // 2]


def main():
    path, expression, budget, result = sys.argv[1:]
    with open(path, encoding='utf-8') as f:
        raw = json.load(f)
    data = utils.convert_input_data(raw)
    few = utils.convert_input_data({k: some_of(v) for k, v in raw.items()})
    engine = YaqlFactory().create(options={'yaql.convertInputData': False})
    compiled = engine(expression)
    root = create_context()

    def evaluate(given):
        return compiled.evaluate(data=given, context=root.create_child_context())

    try:
        evaluate(few)
    except Exception:  # records may name others that the few have not
        pass
    seconds = []
    while not seconds or (sum(seconds) < float(budget) and len(seconds) < MOST):
        start = time.process_time()
        value = evaluate(data)
        seconds.append(time.process_time() - start)
    with open(result, 'w', encoding='utf-8') as f:
        json.dump(value, f, separators=(',', ':'), ensure_ascii=False)
    seconds.sort()
    print(json.dumps({'seconds': seconds[len(seconds) // 2], 'least': seconds[0], 'runs': len(seconds), 'parse': parse_time(engine, expression)}))


main()
