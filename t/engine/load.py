"""Many deployments at once over REST:  load.py DEPLOYMENTS [PIDS...]

Prints one line of JSON: how many ended well, how long it took, and the processor time and memory of the processes PIDS with their
children (engines, murano-api, Keystone), named by their commands.  CLIENTS is how many at a time."""
import json, os, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import api

N, PIDS = int(sys.argv[1]), [int(p) for p in sys.argv[2:]]
CLIENTS = int(os.environ.get('CLIENTS', 16))
TICK = os.sysconf('SC_CLK_TCK')


def stat(pid):
    text = open('/proc/%d/stat' % pid).read()
    return text[text.rindex(')') + 2:].split()


def family(pid):
    """The process and those below it that live."""
    below = {}
    for name in os.listdir('/proc'):
        if name.isdigit():
            try:
                below.setdefault(int(stat(int(name))[1]), []).append(int(name))
            except OSError:
                pass
    out, todo = [], [pid]
    while todo:
        out.append(todo.pop())
        todo += below.get(out[-1], [])
    return out


def seconds(pid):
    """With the children that have ended and were waited for."""
    total = 0
    for p in family(pid):
        try:
            total += sum(int(x) for x in stat(p)[11:15])
        except OSError:
            pass
    return total / TICK


def memory(pid):
    total = 0
    for p in family(pid):
        try:
            total += next(int(line.split()[1]) for line in open('/proc/%d/smaps_rollup' % p) if line.startswith('Pss:'))
        except (OSError, StopIteration):
            pass
    return total


def named(pid):
    words = open('/proc/%d/cmdline' % pid).read().split('\0')
    return '%s:%d' % (os.path.basename(words[1] if 'python3' in words[0] else words[0]), pid)


states, peak, todo, lock, over = {}, {p: 0 for p in PIDS}, list(range(N)), threading.Lock(), threading.Event()


def client():
    while True:
        with lock:
            if not todo:
                return
            n = todo.pop()
        env, ses, _ = api.environment('load-%d-%d' % (n, time.time_ns()))
        s, b = api.patient('POST', '/v1/environments/%s/sessions/%s/deploy' % (env, ses))
        state = api.settle(env, 600) if s == 200 else 'refused %s' % s
        with lock:
            states[state] = states.get(state, 0) + 1


def watch():
    while not over.wait(0.5):
        for p in PIDS:
            peak[p] = max(peak[p], memory(p))


api.login()
if os.environ.get('PACKAGE'):
    api.upload(os.environ['PACKAGE'])
before, begin = {p: seconds(p) for p in PIDS}, time.time()
threads = [threading.Thread(target=client) for _ in range(CLIENTS)] + [threading.Thread(target=watch)]
for t in threads:
    t.start()
for t in threads[:-1]:
    t.join()
took = time.time() - begin
over.set()
print(json.dumps({'deployments': N, 'states': states, 'seconds': round(took, 1), 'a_minute': round(60 * N / took, 1),
                  'processes': {named(p): {'ms_a_deployment': round(1000 * (seconds(p) - before[p]) / N, 2), 'peak_kib': peak[p]} for p in PIDS}}))
