"""An application with a real stack, over whatever engine serves the queue:  stack.py OUT.json

Deploys two applications of t/engine/stack into one environment, changes the stack by an action, spoils it, removes one of
them, and deletes the environment.  After each step it writes down what murano-api and Heat say, as one JSON that two engines can
be compared by.  The environment is that of up.sh with EXT=1 beside t/heat/up.sh."""
import json, os, re, sys, time, zipfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import api

HERE, OUT = os.path.dirname(os.path.abspath(__file__)), sys.argv[1]
R, ids, times = {}, {}, {}


def heat_url(region=None):
    s, b, _ = api.http('GET', api.KS + '/auth/catalog', None, {'X-Auth-Token': api.TOKEN})
    return next(e['url'] for c in b['catalog'] if c['type'] == 'orchestration' for e in c['endpoints'] if e['interface'] == 'public')


def heat(path):
    s, b, _ = api.http('GET', HEAT + path, None, {'X-Auth-Token': api.TOKEN})
    return b if s == 200 else {'status': s}


def stack_of(env):
    """The stack that was made for the environment: its description has the id."""
    for st in heat('/stacks').get('stacks', []):
        if env in (st.get('description') or ''):
            name = '/stacks/%s/%s' % (st['stack_name'], st['id'])
            whole, parts = heat(name)['stack'], heat(name + '/resources')['resources']
            outputs = {o['output_key']: o['output_value'] if 'said' in o['output_key'] else len(o['output_value']) for o in whole['outputs']}
            return {'status': whole['stack_status'], 'outputs': outputs, 'description': whole['description'], 'tags': whole['tags'],
                    'resources': sorted([r['logical_resource_id'], r['resource_type'], r['resource_status']] for r in parts)}
    return None


def norm(x):
    if isinstance(x, dict):
        return {norm(k): '<traceback>' if k == 'details' and isinstance(v, str) else norm(v) for k, v in sorted(x.items())}
    if isinstance(x, list):
        return [norm(v) for v in x]
    if isinstance(x, str):
        x = re.sub(r'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?', '<time>', x)
        x = re.sub(r'murano-\w+-\w+', '<stack>', x)
        return re.sub(r'[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}', lambda m: ids.setdefault(m.group(0), '<id%d>' % len(ids)), x)
    return x


def look(step, env, began):
    times[step] = round(time.time() - began, 1)
    s, model = api.api('GET', '/v1/environments/' + env)
    history = api.deployments(env) if s == 200 else s
    if s == 200:
        for region in (model.get('regions') or {}).values() if isinstance(model.get('regions'), dict) else []:
            region.pop('name', None)
    R[step] = {'status': model['status'] if s == 200 else s, 'services': api.api('GET', '/v1/environments/%s/services' % env)[1] if s == 200 else None,
               'history': history, 'stack': stack_of(env)}
    for service in R[step]['services'] or []: # the api makes the times
        service.pop('updated', None), service.pop('created', None)


def action(env, app, name, args):
    services = api.patient('GET', '/v1/environments/%s/services' % env)[1]
    acts = {v['name']: k for s in services if s['?']['id'] == app for k, v in (s['?'].get('_actions') or {}).items()}
    s, b = api.api('POST', '/v1/environments/%s/actions/%s' % (env, acts[name]), args)
    api.settle(env, 300)
    return api.api('GET', '/v1/environments/%s/actions/%s' % (env, b['task_id'])) if s == 200 else [s, b]


api.login()
HEAT = heat_url()
path = OUT + '.zip'
with zipfile.ZipFile(path, 'w') as z:
    for name in ('manifest.yaml', 'Classes/App.yaml'):
        z.write('%s/stack/%s' % (HERE, name), name)
for p in api.api('GET', '/v1/catalog/packages?fqn=com.example.stack.App')[1]['packages']: # of a run before
    api.api('DELETE', '/v1/catalog/packages/' + p['id'])
api.upload(path)
os.unlink(path)
env = api.patient('POST', '/v1/environments', {'name': 'stack-%d' % time.time()})[1]['id']
ses = api.patient('POST', '/v1/environments/%s/configure' % env)[1]['id']
apps = ['%032x' % (time.time_ns() + i) for i in range(2)]
ids.update({env: '<environment>', apps[0]: '<first>', apps[1]: '<second>'})
for app, name in zip(apps, ('one', 'two')):
    api.patient('POST', '/v1/environments/%s/services' % env, {'?': {'id': app, 'type': 'com.example.stack.App'}, 'name': name}, ses)
t = time.time()
api.patient('POST', '/v1/environments/%s/sessions/%s/deploy' % (env, ses))
api.settle(env, 300)
look('deploy', env, t)
t = time.time()
R['greet.result'] = action(env, apps[0], 'greet', {'greeting': 'good morning'})
look('greet', env, t)
t = time.time()
R['spoil.result'] = action(env, apps[1], 'spoil', {})
look('spoil', env, t)
t = time.time()
ses = api.patient('POST', '/v1/environments/%s/configure' % env)[1]['id']
api.api('DELETE', '/v1/environments/%s/services/%s' % (env, apps[1]), session=ses)
api.patient('POST', '/v1/environments/%s/sessions/%s/deploy' % (env, ses))
api.settle(env, 300)
look('remove', env, t)
t = time.time()
R['delete.accepted'] = api.api('DELETE', '/v1/environments/' + env)[0]
R['delete.status'] = api.settle(env, 300)
look('delete', env, t)
with open(OUT, 'w') as f:
    json.dump(norm(R), f, indent=1, sort_keys=True)
print(json.dumps(times))
