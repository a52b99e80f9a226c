"""Times json.loads; one line of JSON.  usage: json_side.py DATA.json SECONDS"""
import json
import sys
import time


def main():
    with open(sys.argv[1]) as f:
        text = f.read()
    seconds = []
    while len(seconds) < 5 or sum(seconds) < float(sys.argv[2]):
        start = time.process_time()
        value = json.loads(text)
        del value
        seconds.append(time.process_time() - start)
    seconds.sort()
    print(json.dumps({'seconds': seconds[len(seconds) // 2], 'least': seconds[0], 'runs': len(seconds)}))


main()
