"""murano-api over REST, as the harnesses of t/engine use it: the variables are those that up.sh prints."""
import json, os, time, urllib.error, urllib.request

KS, API = os.environ['OS_AUTH_URL'], os.environ['MURANO_URL']
TOKEN = None


def http(method, url, body=None, headers=None, raw=None, timeout=60):
    req = urllib.request.Request(url, method=method, data=raw if raw is not None else None if body is None else json.dumps(body).encode())
    for k, v in dict({'Content-Type': 'application/json'}, **(headers or {})).items():
        req.add_header(k, v)
    try:
        with urllib.request.urlopen(req, timeout=timeout) as r:
            data, status, fields = r.read(), r.status, r.headers
    except urllib.error.HTTPError as e:
        data, status, fields = e.read(), e.code, e.headers
    except OSError as e:
        return 0, str(e), {}
    try:
        return status, json.loads(data) if data else None, fields
    except ValueError:
        return status, data.decode('utf-8', 'replace'), fields


def login():
    global TOKEN
    domain = {'id': 'default'}
    s, b, h = http('POST', KS + '/auth/tokens', {'auth': {
        'identity': {'methods': ['password'], 'password': {'user': {'name': os.environ['OS_USERNAME'], 'domain': domain, 'password': os.environ['OS_PASSWORD']}}},
        'scope': {'project': {'name': os.environ['OS_PROJECT_NAME'], 'domain': domain}}}})
    assert s == 201, (s, b)
    TOKEN = h['X-Subject-Token']
    return TOKEN


def api(method, path, body=None, session=None, **kw):
    headers = {'X-Auth-Token': TOKEN}
    if session:
        headers['X-Configuration-Session'] = session
    s, b, _ = http(method, API + path, body, headers, **kw)
    if s == 401: # expired: nothing was done with it
        headers['X-Auth-Token'] = login()
        s, b, _ = http(method, API + path, body, headers, **kw)
    return s, b


def patient(method, path, body=None, session=None, ok=(200,), seconds=120):
    """Until it is accepted: the api may be away, or its database locked."""
    end = time.time() + seconds
    while True:
        s, b = api(method, path, body, session)
        if s in ok or time.time() > end:
            return s, b
        time.sleep(0.3)


def begin(env, path, body, known, seconds=60):
    """A POST that begins a deployment.  Its answer gets lost with an api that ends: then the history, which
    had so many before, says whether it counts.  It is repeated only when it does not."""
    end = time.time() + seconds
    while True:
        s, b = api('POST', path, body)
        if s == 200:
            return s, b
        all_ = patient('GET', '/v1/environments/%s/deployments' % env)[1]
        if isinstance(all_, dict) and len(all_['deployments']) > known:
            return 200, None
        if time.time() > end:
            return s, b
        time.sleep(0.3)


def upload(path):
    mark = 'vetro-boundary'
    raw = b''.join([('--%s\r\nContent-Disposition: form-data; name="__metadata__"\r\n\r\n{"categories": []}\r\n' % mark).encode(),
                    ('--%s\r\nContent-Disposition: form-data; name="file"; filename="p.zip"\r\nContent-Type: application/octet-stream\r\n\r\n' % mark).encode(),
                    open(path, 'rb').read(), ('\r\n--%s--\r\n' % mark).encode()])
    return http('POST', API + '/v1/catalog/packages', None, {'X-Auth-Token': TOKEN, 'Content-Type': 'multipart/form-data; boundary=' + mark}, raw)[0]


def environment(name, count=3):
    """A new environment with the application of t/engine/probe, and a session that may be deployed."""
    env = patient('POST', '/v1/environments', {'name': name})[1]['id']
    ses = patient('POST', '/v1/environments/%s/configure' % env)[1]['id']
    app = os.urandom(16).hex()
    row = {'?': {'id': app, 'type': 'com.example.probe.App'}, 'name': name, 'count': count}
    for _ in range(60): # an api that goes away may have added it already: a second one of its id would be an error of ours
        s, b = patient('POST', '/v1/environments/%s/services' % env, row, ses, seconds=0)
        if s == 200 or app in str(patient('GET', '/v1/environments/%s/services' % env, None, ses)[1]):
            break
    return env, ses, app


def settle(env, seconds=120):
    """'ready', 'deploy failure', ...; 'gone'; or 'stuck in ...'."""
    end, status = time.time() + seconds, '?'
    while time.time() < end:
        s, b = api('GET', '/v1/environments/' + env)
        if s == 404:
            return 'gone'
        if s == 200:
            status = b['status']
            if status not in ('deploying', 'deleting'):
                return status
        time.sleep(0.2)
    return 'stuck in ' + status


def deployments(env):
    s, b = patient('GET', '/v1/environments/%s/deployments' % env)
    out = []
    for d in reversed(b['deployments']):
        r = patient('GET', '/v1/environments/%s/deployments/%s' % (env, d['id']))[1]
        out.append({'state': d['state'], 'action': (d['action'] or {}).get('method'), 'result': d['result'], 'finished': bool(d['finished']),
                    'reports': [x['text'] for x in (r or {}).get('reports', [])]})
    return out
