"""The jobs of a group in Python: lines "JOB N" in; "NANOSECONDS RESULT" out, process CPU time."""
import importlib.util
import os
import sys
import time


def main():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), sys.argv[1], 'jobs.py')
    spec = importlib.util.spec_from_file_location('jobs', path)
    jobs = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(jobs)
    for line in sys.stdin:
        name, n = line.split()
        f = getattr(jobs, name)
        a = time.process_time_ns()
        r = f(int(n))
        print(time.process_time_ns() - a, r, flush=True)


if __name__ == '__main__':
    main()
