"""One YAQL expression on the interpreter: bench_yaql.py EXPR FILE SECONDS ANSWER [legacy]; EXPR alone starts and evaluates it.

The document is read, and converted as the engine converts input, beforehand, and so is the expression parsed. Timed is the evaluation with the
conversion of its output. ANSWER is what vetro gave: {"call", "runs", "peak", "same"}; {"error"} when the value is another or there is none.
"""
import json
import resource
import sys
import time

from yaql import create_context, YaqlFactory
from yaql.language import utils


def read(path):
    with open(path, encoding='utf-8') as f:
        text = f.read()
    try:
        return json.loads(text)
    except ValueError:
        import yaml
        return yaml.safe_load(text)


def peak():
    with open('/proc/self/status') as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith('VmHWM:'))


def main():
    expression = sys.argv[1]
    if len(sys.argv) == 2:
        print(YaqlFactory().create()(expression).evaluate(context=create_context()))
        return
    path, budget, answer = sys.argv[2:5]
    if sys.argv[5:] == ['legacy']:
        from yaql import legacy
        factory, root = legacy.YaqlFactory(), legacy.create_context()
    else:
        factory, root = YaqlFactory(), create_context()
    data = utils.convert_input_data(read(path))
    compiled = factory.create(options={'yaql.convertInputData': False})(expression)

    def evaluate():
        start = time.perf_counter(), time.process_time()
        value = compiled.evaluate(data=data, context=root.create_child_context())
        return min(time.perf_counter() - start[0], time.process_time() - start[1]), value

    seconds = [evaluate()]
    with open(answer, encoding='utf-8') as f:
        if json.loads(json.dumps(seconds[0][1], default=str)) != json.load(f):
            print(json.dumps({'error': 'its value is another'}, separators=(',', ':')))
            return
    # The first run warms up; where it took all the time, it has to do.
    times = [] if seconds[0][0] < float(budget) else [seconds[0][0]]
    while len(times) < 2000 and (not times or sum(times) < float(budget)):
        times.append(evaluate()[0])
    times.sort()
    print('{"runs":%d,"call":%.9g,"peak":%d}' % (len(times), times[len(times) // 2], peak()))


resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
sys.setrecursionlimit(5000)
try:
    main()
except Exception as e:
    print(json.dumps({'error': '%s: %s' % (type(e).__name__, e)}, separators=(',', ':')))
