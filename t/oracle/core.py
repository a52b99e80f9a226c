"""murano's own engine runs core libraries: /usr/bin/python3 t/oracle/core.py [--record] [--other DIR|ZIP] [--only TEXT] [FILE...]

Each probe of t/data/core/*.json is run with runtime/lib/io.murano under murano (Debian's python3-murano), behind the mocks
that t/data/core/mocks.lua has for vetro; --record keeps the answers as "expect", which t/cloud/core-library.t compares vetro with.
With --other the probe is run with that library as well, Debian's for instance, and the differences are printed; those that a
probe explains ("differs": why) are not failures.
"""
import argparse
import base64
import copy
import glob
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import warnings
import zipfile

warnings.simplefilter('ignore')

import eventlet
eventlet.monkey_patch()

import logging
logging.disable(logging.CRITICAL)

from oslo_config import cfg
from murano.common import config  # noqa: F401  registers the options
from murano.dsl import dsl, dsl_exception, dsl_types, executor, helpers, murano_method, yaql_integration
from murano.engine import execution_session, mock_context_manager, package_loader
from murano.engine.system import logger, resource_manager, system_objects, test_fixture
from murano.packages import load_utils

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, '..', 'data', 'core')
OURS = os.path.join(HERE, '..', '..', 'runtime', 'lib', 'io.murano')
APPLICATIONS = OURS + '.applications'

NOTES, CLOUD, STACKS = [], {}, {}
LONG = 300  # longer texts, which are user data, are kept as a digest
MADE = re.compile('[0-9a-f]{32}')
PACKED = re.compile('[A-Za-z0-9+/]{80,}={0,2}')  # files inside of start-up scripts
ADDRESS = re.compile(r'(?<= )\(\d{9,}\)(?=>)')


def note(*row):
    NOTES.append(copy.deepcopy(list(row)))


def object_id(o):
    return o.id if isinstance(o, dsl.MuranoObjectInterface) else o.object_id


def number_of(text):
    return sum(text.encode()) % 200 + 10


def resolve(v, template):
    if not isinstance(v, dict):
        return v
    if 'get_resource' in v:
        return v['get_resource'] + '-id'
    if 'get_attr' not in v:
        return v
    r, what = v['get_attr'][:2]
    n = number_of(MADE.sub('ID', r))
    made = {'addresses': [{'addr': '10.0.1.%d' % n}], 'networks': {'private': ['10.1.0.%d' % n]}, 'fixed_ips': '10.0.9.%d' % n,
            'floating_ip_address': '172.24.4.%d' % n, 'ip': '172.24.4.%d' % n, 'attachments_list': [{'device': '/dev/vd%d' % n}]}
    if what == 'cidr':
        return template['resources'][r]['properties']['cidr']
    return made.get(what, '%s-%s' % (r, what))


@dsl.name('io.murano.system.HeatStack')
class HeatStack(object):
    def __init__(self, name, description=None, region_name=None):
        self._name, self._description, self._region = name, description, region_name or ''
        self._template, self._applied = None, True

    def _current(self):
        if self._template is None:
            self._template = copy.deepcopy(STACKS.get((self._region, self._name), {}))
            self._applied = True
        return self._template

    def current(self):
        return copy.deepcopy(self._current())

    def set_template(self, template):
        self._template, self._applied = copy.deepcopy(template), False

    def update_template(self, template):
        before = self._current()
        self._template = helpers.merge_dicts(before, template)
        self._applied = self._template == before and self._applied

    def push(self, is_async=False):
        if self._applied or self._template is None:
            return
        self._template.setdefault('heat_template_version', '2013-05-23')
        self._template.setdefault('description', self._description)
        self._applied, key = True, (self._region, self._name)
        if self._template.get('resources') is None:
            return self.delete()
        note('heat', {'op': 'update' if key in STACKS else 'create', 'stack': self._name, 'region': self._region,
                      'template': self._template, 'async': is_async})
        STACKS[key] = copy.deepcopy(self._template)

    def output(self):
        t = STACKS.get((self._region, self._name), {})
        return {k: resolve(v['value'], t) for k, v in t.get('outputs', {}).items()}

    def delete(self):
        if not self._current():
            return
        STACKS.pop((self._region, self._name), None)
        note('heat', {'op': 'delete', 'stack': self._name, 'region': self._region})
        self._template, self._applied = {}, True


@dsl.name('io.murano.system.Agent')
class Agent(object):
    def __init__(self, host):
        self._host = object_id(host)

    def queue_name(self):
        return 'queue-of-' + self._host

    def signing_key(self, line_prefix=''):
        return line_prefix + 'KEY'

    def call(self, template, resources, timeout=None):
        note('agent', self._host, template, timeout)
        return {'exitCode': 0, 'stdout': 'out', 'stderr': ''}


@dsl.name('io.murano.system.AgentListener')
class AgentListener(object):
    def __init__(self, name):
        self._name = name

    def queue_name(self):
        return 'results-' + self._name


@dsl.name('io.murano.system.StatusReporter')
class StatusReporter(object):
    def __init__(self, environment):
        pass

    def report(self, instance, msg):
        note('report', object_id(instance), msg)

    def report_error(self, instance, msg):
        note('error', object_id(instance), msg)

    @dsl.name('report_error')
    def report_error_(self, instance, msg):
        note('error', object_id(instance), msg)


@dsl.name('io.murano.system.InstanceNotifier')
class InstanceNotifier(object):
    def __init__(self, environment):
        pass

    def track_application(self, instance, title=None, unit_count=None):
        note('trackApplication', object_id(instance), title, unit_count)

    def untrack_application(self, instance):
        note('untrackApplication', object_id(instance))

    def track_cloud_instance(self, instance):
        note('trackCloudInstance', object_id(instance))

    def untrack_cloud_instance(self, instance):
        note('untrackCloudInstance', object_id(instance))


@dsl.name('io.murano.system.NetworkExplorer')
class NetworkExplorer(object):
    def __init__(self, region_name=None):
        pass

    def get_default_router(self):
        return CLOUD.get('router', 'router-1')

    def get_available_cidr(self, router_id, net_id, ip_version=4):
        note('cidr', router_id, ip_version)
        return 'fd00:43::/64' if ip_version == 6 else '10.0.43.0/24'

    def get_default_dns(self, ip_version=4):
        return CLOUD.get('dns', [])

    def get_external_network_id_for_router(self, router_id):
        return 'external-of-' + router_id

    def list_networks(self):
        return CLOUD.get('networks', [])

    def list_subnetworks(self):
        return CLOUD.get('subnetworks', [])

    def list_ports(self):
        return CLOUD.get('ports', [])

    def list_neutron_extensions(self):
        return CLOUD.get('extensions', [{'alias': 'router'}, {'alias': 'security-group'}])


@dsl.name('io.murano.system.MetadefBrowser')
class MetadefBrowser(object):
    def __init__(self, region_name=None, cache=True):
        pass

    def get_namespaces(self, resource_type):
        return [{'namespace': resource_type}, {'namespace': 'any'}]

    def get_objects(self, namespace):
        return [{'properties': {t: {} for t in CLOUD.get('metadef', {}).get(namespace, [])}}]


@dsl.name('io.murano.Project')
class Project(object):
    @staticmethod
    def get_environment_owner():
        return {'id': 'project-1', 'name': 'demo'}

    @staticmethod
    def get_current():
        return {'id': 'project-1', 'name': 'demo'}


def register(package):
    for c in (HeatStack, Agent, AgentListener, StatusReporter, InstanceNotifier, NetworkExplorer, MetadefBrowser, Project,
              logger.Logger, test_fixture.TestFixture, resource_manager.ResourceManager):
        package.register_class(c)


system_objects.register = register

COUNT = [0]


def name():
    COUNT[0] += 1
    return 'name%d' % COUNT[0]


class Contexts(mock_context_manager.MockContextManager):
    def create_root_context(self, runtime_version):
        context = super().create_root_context(runtime_version).create_child_context()
        context.register_function(name, 'randomName')
        context.register_function(lambda cloud: None, 'mockCloud')
        return context


READ = package_loader.get_class


def plain(v):
    if isinstance(v, dsl.MuranoObjectInterface):
        v = v.object
    if isinstance(v, dsl_types.MuranoObject):
        return {'$object': v.object_id, 'type': v.type.name}
    if isinstance(v, dict):
        return {k: plain(x) for k, x in v.items()}
    if isinstance(v, (list, tuple, set, frozenset)):
        return [plain(x) for x in v]
    return v


class Library:
    """A folder with the library and the probes' package, and their classes as many times as a probe loads them: reading
    takes most of the time, and what was read is used up by loading it."""

    def __init__(self, source):
        self.folder = tempfile.mkdtemp(prefix='core-')
        if os.path.isdir(source):
            shutil.copytree(source, os.path.join(self.folder, 'io.murano'))
        else:
            zipfile.ZipFile(source).extractall(os.path.join(self.folder, 'io.murano'))
        shutil.copytree(APPLICATIONS, os.path.join(self.folder, 'io.murano.applications'))
        shutil.copytree(os.path.join(DATA, 'package'), os.path.join(self.folder, 'package'))
        self.read = {}
        for below in ('io.murano', 'io.murano.applications', 'package'):
            package = load_utils.load_from_dir(os.path.join(self.folder, below))
            for c in package.classes:
                self.read[package.full_name, c] = [READ(package, c) for _ in range(3)]

    def get_class(self, package, c):
        return self.read[package.full_name, c].pop()

    def close(self):
        shutil.rmtree(self.folder)


def go(steps, folder):
    model, state, runner, root = None, None, None, None
    for s in steps:
        NOTES[:] = []
        out = {}
        try:
            if s['op'] == 'cloud':
                CLOUD.clear()
                CLOUD.update(s['cloud'])
            elif s['op'] == 'load':
                model = build(s, state)
                loader = package_loader.DirectoryPackageLoader(folder)
                runner = executor.MuranoDslExecutor(loader, Contexts(), execution_session.ExecutionSession())
                root = runner.load(copy.deepcopy(model))
                root = root.object if root else None
                if 'ObjectsCopy' in model:
                    runner.object_store.cleanup()
            elif s['op'] == 'call':
                with helpers.with_object_store(runner.object_store):
                    obj = runner.object_store.get(s['target'])
                    engine = yaql_integration.choose_yaql_engine(obj.type.package.runtime_version)
                    value = obj.type.invoke(s['method'], obj, tuple(s.get('args', ())), dict(s.get('kwargs', {})))
                    out['value'] = plain(dsl.to_mutable(value, engine))
            elif s['op'] == 'end':
                state = runner.finalize(root) or {'Objects': None, 'Attributes': []}
                out['objects'] = without_actions(state['Objects'])
        except dsl_exception.MuranoPlException as e:
            out['error'] = e.message
            if os.environ.get('TRACE'):
                print(e.format(), file=sys.stderr)
        except Exception as e:
            out['error'] = str(e)
            if os.environ.get('TRACE'):
                import traceback
                traceback.print_exc()
        out['notes'] = copy.deepcopy(NOTES)
        yield out


def without_actions(v):
    if isinstance(v, dict):
        return {k: without_actions(x) for k, x in v.items() if k != '_actions'}
    return [without_actions(x) for x in v] if isinstance(v, list) else v


def build(s, state):
    """A model of its own, or the one that the last run left with changes: {"set": {path: value}, "drop": [path]}."""
    if 'model' in s:
        return s['model']
    model = {'Objects': copy.deepcopy(state['Objects']), 'ObjectsCopy': copy.deepcopy(state['Objects']), 'Attributes': state['Attributes']}
    for path in s.get('drop', []):
        at, parts = model['Objects'], path.split('.')
        if path == '':
            model['Objects'] = None
            continue
        for p in parts[:-1]:
            at = at[int(p) if isinstance(at, list) else p]
        at.pop(int(parts[-1]) if isinstance(at, list) else parts[-1])
    for path, value in s.get('set', {}).items():
        at, parts = model['Objects'], path.split('.')
        for p in parts[:-1]:
            at = at[int(p) if isinstance(at, list) else p]
        at[int(parts[-1]) if isinstance(at, list) else parts[-1]] = value
    return model


def unpacked(m):
    try:
        return base64.b64decode(m.group(0), validate=True).decode()
    except ValueError:
        return m.group(0)


def anonymous(v):
    """Ids that an engine makes are <id>; what several of them lead to in a mapping is a list."""
    if isinstance(v, str):
        v = ADDRESS.sub('(ADDR)', MADE.sub('<id>', PACKED.sub(unpacked, v)))
        return v if len(v) <= LONG else '%d characters, %s' % (len(v), hashlib.md5(v.encode()).hexdigest())
    if isinstance(v, list):
        return [anonymous(x) for x in v]
    if isinstance(v, dict):
        out = {}
        for k, x in v.items():
            out.setdefault(anonymous(k), []).append(anonymous(x))
        text = lambda x: json.dumps(x, sort_keys=True, separators=(',', ':'), ensure_ascii=False)  # noqa: E731
        return {k: x[0] if len(x) == 1 else sorted(x, key=text) for k, x in out.items()}
    return v


def differ(a, b, path=''):
    if isinstance(a, dict) and isinstance(b, dict):
        for k in sorted(set(a) | set(b)):
            if k not in a or k not in b:
                return '%s/%s only in the %s' % (path, k, 'first' if k in a else 'second')
            d = differ(a[k], b[k], path + '/' + k)
            if d:
                return d
        return None
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            d = differ(x, y, '%s[%d]' % (path, i))
            if d:
                return d
        return None
    return None if a == b and type(a) == type(b) else '%s: %s against %s' % (path, json.dumps(a)[:150], json.dumps(b)[:150])


def isolated(steps, library, settings):
    """In a process of its own: murano remembers classes."""
    r, w = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(r)
        for group, values in settings.items():
            for k, v in values.items():
                cfg.CONF.set_override(k, v, None if group == 'DEFAULT' else group)
        package_loader.get_class = library.get_class
        if not os.environ.get('TRACE'):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # objects that are freed late complain
        out = json.dumps(anonymous(list(go(steps, library.folder))))
        with os.fdopen(w, 'w') as f:
            f.write(out)
        os._exit(0)
    os.close(w)
    with os.fdopen(r) as f:
        text = f.read()
    os.waitpid(pid, 0)
    return json.loads(text)


def main():
    if 'PYTHONHASHSEED' not in os.environ:  # the order in which murano initializes properties is that of a set
        os.environ['PYTHONHASHSEED'] = '0'
        os.execv(sys.executable, [sys.executable] + sys.argv)
    a = argparse.ArgumentParser()
    a.add_argument('--record', action='store_true')
    a.add_argument('--other')
    a.add_argument('--only', default='')
    a.add_argument('files', nargs='*')
    o = a.parse_args()
    cfg.CONF([], project='murano', default_config_files=[])
    cfg.CONF.set_override('dsl_iterators_limit', 10 ** 7, 'murano')
    # As with --expose '*'.
    murano_method.MuranoMethod.is_action = property(lambda self: True)
    ours, other = Library(OURS), Library(o.other) if o.other else None
    bad = 0
    for path in o.files or sorted(glob.glob(os.path.join(DATA, '*.json'))):
        with open(path) as f:
            probes = json.load(f)
        for p in probes:
            if o.only not in p['name']:
                continue
            got = isolated(p['steps'], ours, p.get('settings', {}))
            faults = [x['error'] for x in got if 'error' in x]
            if faults and not p.get('fails'):
                print('%s: %s' % (p['name'], faults[0][:300]))
            if o.record:
                p['expect'] = got
            elif p.get('expect') != got:
                bad += 1
                print('%s: %s' % (p['name'], differ(p.get('expect'), got)))
            if o.other:
                d = differ(isolated(p['steps'], other, p.get('settings', {})), got)
                if d and 'differs' not in p:
                    bad += 1
                    print('%s: the other library differs: %s' % (p['name'], d))
                elif not d and 'differs' in p:
                    print('%s: the other library is the same now' % p['name'])
            sys.stdout.flush()
        if o.record:
            with open(path, 'w') as f:
                f.write('[\n%s\n]\n' % ',\n'.join(json.dumps(p, sort_keys=True) for p in probes))
    for library in (ours, other):
        if library:
            library.close()
    sys.exit(1 if bad else 0)


main()
