"""Times one YAQL expression on the reference interpreter; one line of JSON, the value into a file.

usage: yaql_side.py DATA.json EXPR SECONDS RESULT.json      under Debian's python3 with python3-yaql

The data is read, and converted as the engine converts input, beforehand; the expression is parsed beforehand.
Timed is the evaluation with the conversion of its output. It warms up on a few records.
"""
import json
import sys
import time

from yaql import create_context, YaqlFactory
from yaql.language import utils

MOST, WARM = 200, 20


def main():
    path, expression, budget, result = sys.argv[1:]
    with open(path) as f:
        raw = json.load(f)
    data = utils.convert_input_data(raw)
    few = utils.convert_input_data({k: v[:WARM] for k, v in raw.items()})
    engine = YaqlFactory().create(options={'yaql.convertInputData': False})
    compiled = engine(expression)
    root = create_context()

    def evaluate(given):
        return compiled.evaluate(data=given, context=root.create_child_context())

    evaluate(few)
    seconds = []
    while not seconds or (sum(seconds) < float(budget) and len(seconds) < MOST):
        start = time.process_time()
        value = evaluate(data)
        seconds.append(time.process_time() - start)
    with open(result, 'w') as f:
        json.dump(value, f, separators=(',', ':'))
    seconds.sort()
    print(json.dumps({'seconds': seconds[len(seconds) // 2], 'least': seconds[0], 'runs': len(seconds)}))


main()
