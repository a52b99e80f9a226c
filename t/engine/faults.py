"""Ends engines at random moments of deployments, and looks whether anything was lost, stuck, doubled or wrong.

    faults.py MOMENTS ENGINE...      each ENGINE is a shell command that becomes one engine

Environments are deployed, and actions called on them one after the other, by some clients at a time.  Meanwhile an engine gets
SIGKILL or SIGTERM by turns, and is started again.  BETWEEN=SECONDS from one end to the next, CLIENTS at a time, SEED.
DISTURB=COMMAND runs once in the middle: a minute without api or broker.  Without MOMENTS it runs after ten seconds, and the clients
begin nothing more SECONDS after it.  SLOW=SECONDS is what a slow action takes.  The result is one line of JSON."""
import json, os, random, signal, subprocess, sys, threading, time
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import api

MOMENTS, COMMANDS = int(sys.argv[1]), sys.argv[2:]
CLIENTS, BETWEEN = int(os.environ.get('CLIENTS', 6)), float(os.environ.get('BETWEEN', 1))
PATIENCE = float(os.environ.get('PATIENCE', 180))
PICK = random.Random(int(os.environ.get('SEED', 1)))
over = threading.Event()
found = {'environments': 0, 'deployments': 0, 'lost': 0, 'stuck': 0, 'doubled': 0, 'late': 0, 'reports_twice': 0, 'wrong': 0, 'refused': 0, 'kills': 0, 'terms': 0}
lock, notes, stuck = threading.Lock(), [], []
WANT = {'deploy': ('ready', ['deploying %s', 'done']), 'greet': ('ready', ['greeting you']), 'soft': ('deploy failure', ['soft error']),
        'slow': ('ready', ['slow begins', 'slow ends']), 'boom': ('deploy failure', ['[com.example.probe.PlannedFailure]: as planned'])}
ARGS = {'greet': {'who': 'you'}, 'slow': {'seconds': int(os.environ.get('SLOW', 2))}}


def count(what, note=None, n=1):
    with lock:
        found[what] += n
        if note:
            notes.append('%s: %s' % (what, note))


def start(i):
    return subprocess.Popen(['sh', '-c', 'exec ' + COMMANDS[i]], stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, start_new_session=True)


def act(env, method, plan):
    """One action after another; a plan is what the history has to show."""
    if method == 'deploy':
        return
    s, b = api.patient('GET', '/v1/environments/%s/services' % env)
    acts = {v['name']: k for k, v in (b[0]['?'].get('_actions') or {}).items()} if s == 200 and b else {}
    if method not in acts:
        return count('refused', '%s has no action %s' % (env, method))
    s, b = api.begin(env, '/v1/environments/%s/actions/%s' % (env, acts[method]), ARGS.get(method, {}), len(plan))
    if s != 200:
        return count('refused', '%s %s: %s %s' % (env, method, s, str(b)[:100]))
    plan.append(method)
    finish(env, method)


def finish(env, method):
    status = api.settle(env, PATIENCE)
    count('deployments')
    if status.startswith('stuck'):
        with lock:
            stuck.append((env, status))
        raise StopIteration
    if status != WANT[method][0]:
        count('wrong', '%s after %s is %s' % (env, method, status))


def look(env, name, plan):
    all_ = api.deployments(env)
    if len(all_) != len(plan):
        count('doubled' if len(all_) > len(plan) else 'lost', '%s: %d deployments for %d' % (env, len(all_), len(plan)))
    for d, method in zip(all_, plan):
        want = [w % name if '%s' in w else w for w in WANT[method][1]]
        if not d['finished']:
            count('lost', '%s %s is not finished' % (env, method))
        doubled = [t for t in set(d['reports']) if t in want and d['reports'].count(t) > want.count(t)]
        missing = [t for t in want if t not in d['reports']]
        if doubled:
            count('reports_twice', '%s %s: %s' % (env, method, d['reports']))
        if missing:
            count('wrong', '%s %s: %s' % (env, method, d['reports']))


def client(who):
    rounds = random.Random(who)
    while not over.is_set():
        name, plan = 'f%d-%d' % (who, time.time_ns()), ['deploy']
        try:
            env, ses, _ = api.environment(name)
            s, b = api.begin(env, '/v1/environments/%s/sessions/%s/deploy' % (env, ses), None, 0)
            count('environments')
            if s != 200:
                count('refused', '%s deploy: %s' % (env, s))
                continue
            finish(env, 'deploy')
            for _ in range(4):
                act(env, rounds.choice(['greet', 'soft', 'slow', 'boom', 'greet']), plan)
            look(env, name, plan)
        except StopIteration:
            pass
        except Exception as e: # a harness that stops shows nothing
            count('wrong', '%s: %r' % (name, e))


api.login()
if os.environ.get('PACKAGE'):
    api.upload(os.environ['PACKAGE'])
engines = [start(i) for i in range(len(COMMANDS))]
time.sleep(2)
clients = [threading.Thread(target=client, args=(i,)) for i in range(CLIENTS)]
for c in clients:
    c.start()
begin = time.time()
for moment in range(MOMENTS):
    time.sleep(PICK.uniform(0.2, 2 * BETWEEN))
    if moment == MOMENTS // 2 and os.environ.get('DISTURB'):
        subprocess.call(os.environ['DISTURB'], shell=True)
    i, how = PICK.randrange(len(engines)), PICK.choice([signal.SIGKILL, signal.SIGTERM])
    engines[i].send_signal(how)
    count('kills' if how == signal.SIGKILL else 'terms')
    if how == signal.SIGTERM:
        try:
            engines[i].wait(60)
        except subprocess.TimeoutExpired:
            count('wrong', 'an engine does not end after SIGTERM')
            engines[i].kill()
    engines[i].wait()
    engines[i] = start(i)
if not MOMENTS:
    if os.environ.get('DISTURB'):
        time.sleep(10)
        subprocess.call(os.environ['DISTURB'], shell=True)
    time.sleep(float(os.environ.get('SECONDS', 30)))
over.set()
for c in clients:
    c.join()
for env, status in stuck: # the patience of a client is not that of an operator
    now = api.settle(env, 5)
    if now.startswith('stuck'):
        count('stuck', '%s %s' % (env, status))
    else:
        count('late', '%s is %s after all' % (env, now))
for e in engines:
    e.terminate()
for e in engines:
    e.wait()
found['seconds'] = round(time.time() - begin, 1)
print(json.dumps(found))
for n in notes[:20]:
    print('#', n)
sys.exit(any(found[k] for k in ('lost', 'stuck', 'doubled', 'wrong')))
