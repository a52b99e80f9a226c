"""Drives murano-api over REST against whatever engine serves the queue, and writes one normalised JSON that two engines
can be compared by:  accept.py PACKAGE.zip OUT.json   (environment of up.sh).  Only the standard library."""
import json, os, re, sys, time, urllib.error, urllib.request

KS, API = os.environ['OS_AUTH_URL'], os.environ['MURANO_URL']
PKG, OUT = sys.argv[1:3]
LIMIT = float(os.environ.get('LIMIT', 120))


def http(method, url, body=None, headers=None, raw=None):
    req = urllib.request.Request(url, method=method, data=raw if raw is not None else None if body is None else json.dumps(body).encode())
    req.add_header('Content-Type', 'application/json')
    for k, v in (headers or {}).items():
        req.add_header(k, v)
    try:
        with urllib.request.urlopen(req, timeout=60) as r:
            d = r.read()
            try:
                return r.status, (json.loads(d) if d else None), r.headers
            except ValueError:
                return r.status, d.decode(), r.headers
    except urllib.error.HTTPError as e:
        d = e.read().decode()
        try:
            return e.code, json.loads(d), e.headers
        except ValueError:
            return e.code, d, e.headers


def login(user, pw, project):
    s, b, h = http('POST', KS + '/auth/tokens', {'auth': {
        'identity': {'methods': ['password'], 'password': {'user': {'name': user, 'domain': {'id': 'default'}, 'password': pw}}},
        'scope': {'project': {'name': project, 'domain': {'id': 'default'}}}}})
    assert s == 201, (s, b)
    return h['X-Subject-Token']


R, times = {}, {}
T = login(os.environ['OS_USERNAME'], os.environ['OS_PASSWORD'], os.environ['OS_PROJECT_NAME'])


def api(method, path, body=None, session=None, want=None, **kw):
    h = {'X-Auth-Token': T}
    if session:
        h['X-Configuration-Session'] = session
    s, b, _ = http(method, API + path, body, h, **kw)
    if want and s != want:
        raise SystemExit('%s %s: %s %s' % (method, path, s, b))
    return s, b


def upload(path):
    b = 'vetro-boundary'
    raw = b''.join([('--%s\r\nContent-Disposition: form-data; name="__metadata__"\r\n\r\n{"categories": []}\r\n' % b).encode(),
                    ('--%s\r\nContent-Disposition: form-data; name="file"; filename="p.zip"\r\nContent-Type: application/octet-stream\r\n\r\n' % b).encode(),
                    open(path, 'rb').read(), ('\r\n--%s--\r\n' % b).encode()])
    s, b_, _ = http('POST', API + '/v1/catalog/packages', None, {'X-Auth-Token': T, 'Content-Type': 'multipart/form-data; boundary=' + b}, raw)
    return s, b_


def wait(env):
    t = time.time()
    while time.time() - t < LIMIT:
        s, b = api('GET', '/v1/environments/' + env)
        if s == 404:
            return 'gone', time.time() - t
        if s != 200: # murano-api answers 500 once in a while when the row goes away under it
            times['odd answer %d' % s] = time.time() - t
            time.sleep(0.1)
            continue
        if b['status'] not in ('deploying', 'deleting'):
            return b['status'], time.time() - t
        time.sleep(0.1)
    return 'timeout in ' + b['status'], LIMIT


def deployments(env):
    s, b = api('GET', '/v1/environments/%s/deployments' % env)
    if s != 200:
        return s
    out = []
    for d in reversed(b['deployments']): # the api sorts by a time finer than it shows
        r = api('GET', '/v1/environments/%s/deployments/%s' % (env, d['id']))[1]['reports']
        out.append({'state': d['state'], 'action': d['action'], 'result': d['result'], 'finished': bool(d['finished']), 'description': d['description'],
                    'reports': [{k: x[k] for k in ('level', 'text', 'details', 'entity_id')} for x in r]})
    return out


def norm(x, ids={}):
    """ids, times and traces differ from run to run: their kind is kept, their value is not."""
    if isinstance(x, dict):
        return {norm(k): ('<traceback>' if k == 'details' and isinstance(v, str) else norm(v)) for k, v in sorted(x.items())}
    if isinstance(x, (list, tuple)):
        return [norm(v) for v in x]
    if isinstance(x, str):
        x = re.sub(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?', '<time>', x)
        x = re.sub(r'accept-\d+', 'accept-<n>', x)
        return re.sub(r'(?<![0-9a-f])(?:[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})(?![0-9a-f])',
                      lambda m: ids.setdefault(m.group(0), '<id%d>' % len(ids)), x)
    return x


def model(env):
    return api('GET', '/v1/environments/' + env)[1]


R['upload'] = upload(PKG)[0]
env = api('POST', '/v1/environments', {'name': 'accept-%d' % time.time()}, want=200)[1]['id']
ses = api('POST', '/v1/environments/%s/configure' % env, want=200)[1]['id']
app = api('POST', '/v1/environments/%s/services' % env, {'?': {'id': '%032x' % time.time_ns(), 'type': 'com.example.probe.App'}, 'name': 'one', 'count': 3}, ses, want=200)[1]
R['deploy.accepted'] = api('POST', '/v1/environments/%s/sessions/%s/deploy' % (env, ses))[0]
R['deploy.status'], times['deploy'] = wait(env)
R['deploy.model'] = model(env)
s, svc = api('GET', '/v1/environments/%s/services' % env)
acts = {v['name']: k for k, v in svc[0]['?'].get('_actions', {}).items()} if svc else {}
R['actions'] = sorted(acts)


def act(name, args, label=None):
    label = label or name
    if name not in acts:
        R['action.' + label] = 'no such action'
        return
    s, b = api('POST', '/v1/environments/%s/actions/%s' % (env, acts[name]), args)
    R['action.%s.accepted' % label] = s
    if s == 200:
        R['action.%s.status' % label], times['action.' + label] = wait(env)
        R['action.%s.result' % label] = api('GET', '/v1/environments/%s/actions/%s' % (env, b['task_id']))


act('greet', {'who': 'world'})
act('greet', {'who': None}, 'greet-bad')
act('soft', {})
act('boom', {})
act('greet', {'who': 'again'}, 'greet-after')


def static(label, **b):
    t = time.time()
    R['static.' + label] = api('POST', '/v1/actions', b)
    times['static.' + label] = time.time() - t


C = 'com.example.probe.App'
static('twice', className=C, methodName='twice', parameters={'x': 21})
static('twice.package', className=C, packageName='com.example.probe.App', classVersion='>=0', methodName='twice', parameters={'x': 21})
static('contract', className=C, methodName='twice', parameters={'x': None})
static('no-argument', className=C, methodName='twice', parameters={})
static('throws', className=C, methodName='failing', parameters={})
static('hidden', className=C, methodName='hidden', parameters={})
static('no-method', className=C, methodName='nowhere', parameters={})
static('no-class', className='com.example.Nowhere', methodName='x', parameters={})
static('no-package', className=C, packageName='com.example.Nowhere', methodName='x', parameters={})
for label, path in (('class', '/v1/schemas/' + C), ('method', '/v1/schemas/%s/greet' % C), ('methods', '/v1/schemas/%s/greet,twice' % C), ('none', '/v1/schemas/com.example.Nowhere'),
                    ('version', '/v1/schemas/%s?classVersion=%%3E5' % C), ('package', '/v1/schemas/%s?packageName=com.example.probe.App' % C)):
    t = time.time()
    R['schema.' + label] = api('GET', path)
    times['schema.' + label] = time.time() - t
R['statistics'] = [{k: v for k, v in x.items() if k != 'duration'} for x in api('GET', '/v1/environments/%s/instance-statistics/raw/%s' % (env, app['?']['id']))[1] or []]
R['deployments'] = deployments(env)
R['lastStatus'] = api('GET', '/v1/environments/%s/lastStatus' % env)
# an object that is removed is destroyed before the deployment
ses = api('POST', '/v1/environments/%s/configure' % env)[1]['id']
R['remove'] = api('DELETE', '/v1/environments/%s/services/%s' % (env, app['?']['id']), session=ses)[0]
R['remove.deploy'] = api('POST', '/v1/environments/%s/sessions/%s/deploy' % (env, ses))[0]
R['remove.status'], times['remove'] = wait(env)
R['remove.reports'] = [d['reports'] for d in deployments(env)][-1:]
R['remove.model'] = model(env)
R['delete.accepted'] = api('DELETE', '/v1/environments/' + env)[0]
R['delete.status'], times['delete'] = wait(env)
json.dump(norm(R), open(OUT, 'w'), indent=1, sort_keys=True)
json.dump(times, sys.stdout, indent=1)
print()
