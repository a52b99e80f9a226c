"""A package on murano's own engine, for `vetro bench`.

usage: bench_murano.py OPTIONS.json        without it: only the imports

OPTIONS: core (declarations of io.murano), packages, model, call, object, args, repeat, seconds, answer (of `run`, from vetro).
Prints {"load", "call", "runs", "peak"}: seconds of loading the model and of one call, medians over runs that each load the model anew;
or {"error": why} when the package does not run, or comes to another result or model than vetro's.
"""
import inspect
import json
import os
import re
import sys
import tempfile
import time
import types
import warnings

warnings.simplefilter('ignore')

import eventlet
eventlet.monkey_patch()

import logging
logging.disable(logging.CRITICAL)

from oslo_config import cfg
from murano.common import config  # noqa: F401  registers the options
from murano.dsl import dsl, dsl_types, exceptions, executor, helpers
from murano.dsl import murano_package, package_loader, serializer, yaql_integration
from murano.dsl.principal_objects import stack_trace
from murano.engine import execution_session, mock_context_manager, yaql_yaml_loader
from murano.engine import murano_package as engine_package
from murano.engine.system import logger, resource_manager, test_fixture
from murano.packages import load_utils
from yaql.language import utils

# A frame of a module without a source, as <frozen abc> of Python 3.11, breaks murano's stack traces, and every Catch with them.
stack_trace.inspect = types.SimpleNamespace(trace=lambda: [f if f[4] else (*f[:4], ['']) for f in inspect.trace()])

sys.setrecursionlimit(5000)  # as of yaql's side: a call nests some fifty of Python's

NATIVE = ('io.murano.Object', 'io.murano.system.GC', 'io.murano.system.Logger', 'io.murano.system.Resources', 'io.murano.test.TestFixture')


class Core(murano_package.MuranoPackage):
    """io.murano as declarations, and the classes that the engine brings itself."""

    def __init__(self, loader, path):
        super().__init__(loader, 'io.murano', '0.0.0', '1.4')
        namespaces = {}
        for d in self.documents(path):
            namespaces = d.setdefault('Namespaces', namespaces)
            name = '%s.%s' % (namespaces['='], d['Name']) if 'Name' in d else None
            if name in ('io.murano.Exception', 'io.murano.StackTrace'):
                d['Methods'] = {}
            if name and name not in NATIVE:
                self.register_class(d, name)
        self.register_class(logger.Logger)
        self.register_class(resource_manager.ResourceManager)
        self.register_class(test_fixture.TestFixture)

    def documents(self, path):
        with open(path, 'rb') as f:
            return [d for d in yaql_yaml_loader.get_loader(self.runtime_version)(f.read(), path) if d]

    def get_class_config(self, name):
        return {}

    def get_resource(self, name):
        raise NotImplementedError


class Package(engine_package.MuranoPackage):
    def __init__(self, loader, source):
        super().__init__(loader, source)
        for name in source.classes:
            self.register_class(lambda name=name: self.documents(source, name), name)

    def documents(self, source, name):
        text, path = source.get_class(name)
        return [d for d in yaql_yaml_loader.get_loader(self.runtime_version)(text, path) if d]

    def get_class_config(self, name):
        return {}


def sources(path):
    """A package, its archive, or a directory of packages."""
    if os.path.isfile(path):
        with load_utils.load_from_file(path, tempfile.mkdtemp(prefix='vetro-')) as package:
            return [package]
    if os.path.exists(os.path.join(path, 'manifest.yaml')):
        return [load_utils.load_from_dir(path)]
    return [p for name in sorted(os.listdir(path)) for p in sources(os.path.join(path, name)) if os.path.isdir(os.path.join(path, name))]


class Loader(package_loader.MuranoPackageLoader):
    """Packages that are there, each version of them; t/oracle/murano_session.py has its own."""

    def __init__(self, core, paths):
        self.packages = [Core(self, core)] + [Package(self, s) for path in paths for s in sources(path)]

    def choose(self, candidates, spec, otherwise):
        found = spec.select([p.version for p in candidates])
        for p in candidates:
            if p.version == found:
                return p
        raise otherwise

    def load_package(self, package_name, version_spec):
        return self.choose([p for p in self.packages if p.name == package_name], version_spec, exceptions.NoPackageFound(package_name))

    def load_class_package(self, class_name, version_spec):
        return self.choose([p for p in self.packages if class_name in p.classes], version_spec, exceptions.NoPackageForClassFound(class_name))

    def register_package(self, package):
        pass

    def import_fixation_table(self, fixations):
        pass

    def export_fixation_table(self):
        return {}

    def compact_fixation_table(self):
        pass


def encode(v):
    """A value as a deploy binary prints it."""
    if isinstance(v, dsl.MuranoObjectInterface):
        v = v.object
    if isinstance(v, dsl_types.MuranoObject):
        return {'$object': v.object_id, 'type': v.type.name}
    if isinstance(v, (dict, utils.FrozenDict)):
        return {k: encode(x) for k, x in v.items()}
    if isinstance(v, (list, tuple)):
        return [encode(x) for x in v]
    if isinstance(v, (set, frozenset)):
        return {'$set': [encode(x) for x in v]}
    return v


def differ(a, b, where, named):
    """Where two values part, or None. Identifiers that were made on the way are others each time; named keeps them apart."""
    if isinstance(a, dict) and isinstance(b, dict):
        if '$set' in a and '$set' in b:
            a, b = ({'$set': sorted(x['$set'], key=json.dumps)} for x in (a, b))
        if sorted(a) != sorted(b):
            return '%s: other keys: %s and %s' % (where, sorted(a), sorted(b))
        return next((d for k in a for d in [differ(a[k], b[k], '%s.%s' % (where, k), named)] if d), None)
    if isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            return '%s: %d and %d elements' % (where, len(a), len(b))
        return next((d for i, (x, y) in enumerate(zip(a, b)) for d in [differ(x, y, '%s[%d]' % (where, i), named)] if d), None)
    if isinstance(a, str) and isinstance(b, str) and all(re.fullmatch('[0-9a-f]{32}', x) for x in (a, b)):
        return None if named.setdefault(a, b) == b else '%s: other objects' % where
    if a == b and isinstance(a, bool) == isinstance(b, bool):
        return None
    return '%s: %.60r and %.60r' % (where, a, b)


class Side:
    def __init__(self, options):
        self.o = options
        with open(options['model'], encoding='utf-8') as f:
            self.text = f.read()
        self.loader = Loader(options['core'], options['packages'])
        self.contexts = mock_context_manager.MockContextManager()

    def run(self, repeat):
        """(seconds of loading, seconds of the calls, what `run` would answer), in a session of its own."""
        model = json.loads(self.text)
        if '?' in model:
            model = {'Objects': model}
        runner = executor.MuranoDslExecutor(self.loader, self.contexts, execution_session.ExecutionSession())
        begin = time.perf_counter(), time.process_time()
        root = runner.load(model).object
        if 'ObjectsCopy' in model:
            runner.object_store.cleanup()
        load = min(time.perf_counter() - begin[0], time.process_time() - begin[1])
        args = self.o['args']
        args, kwargs = ((), args) if isinstance(args, dict) else (tuple(args or ()), {})
        with helpers.with_object_store(runner.object_store):
            target = runner.object_store.get(self.o['object']) if self.o['object'] else root
            begin = time.perf_counter(), time.process_time()
            for _ in range(repeat):
                value = target.type.invoke(self.o['call'], target, args, kwargs)
            call = min(time.perf_counter() - begin[0], time.process_time() - begin[1])
            engine = yaql_integration.choose_yaql_engine(target.type.package.runtime_version)
            value = encode(dsl.to_mutable(value, engine))
        return load, call / repeat, lambda: {'result': value, 'model': encode(serializer.serialize_model(root, runner))}


def check(side):
    with open(side.o['answer'], encoding='utf-8') as f:
        want = json.load(f)
    got = json.loads(json.dumps(side.run(1)[2](), default=str))
    named = {}
    for part in ('Objects', 'Attributes'):
        if part in want['model']:
            d = differ(want['model'][part], got['model'].get(part), part, named)
            if d:
                return d
    return differ(want['result'], got['result'], 'the result', named)


def peak():
    with open('/proc/self/status') as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith('VmHWM:'))


def main():
    cfg.CONF([], project='murano')
    cfg.CONF.set_override('dsl_iterators_limit', 10 ** 7, 'murano')
    with open(sys.argv[1], encoding='utf-8') as f:
        options = json.load(f)
    side = Side(options)
    why = check(side)
    if why:
        return {'error': 'it comes to something else than vetro: ' + why}
    repeat, runs, begin = options['repeat'], [], time.time()
    while not runs or (time.time() - begin < options['seconds'] and len(runs) < 1000):
        runs.append(side.run(repeat)[:2])
    load, call = (sorted(r[i] for r in runs)[len(runs) // 2] for i in (0, 1))
    return {'runs': len(runs), 'load': load, 'call': call, 'peak': peak()}


if __name__ == '__main__':
    sys.unraisablehook = lambda _: None  # objects that outlive their executor say so
    if len(sys.argv) > 1:
        try:
            answer = main()
        except Exception as e:
            cause = getattr(e, 'original_exception', None) or e
            answer = {'error': '%s: %s' % (type(cause).__name__, cause)}
        print(json.dumps(answer, separators=(',', ':')), flush=True)
        os._exit(0)
