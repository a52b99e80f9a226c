"""murano's own engine behind the protocol of `deploy session`: SESSION='/usr/bin/python3 t/oracle/murano_session.py' prove t/...

usage: murano_session.py [-I DIRECTORY]... PACKAGE_DIR       JSON lines in and out

Classes of io.murano come from templates/core.yaml, those that the engine brings itself from the engine.
An error's "message" and "names" are murano's; so is its "stack", as text.
"""
import json
import os
import sys
import warnings

warnings.simplefilter('ignore')

import eventlet
eventlet.monkey_patch()

import logging
logging.disable(logging.CRITICAL)

from oslo_config import cfg
from murano.common import config  # noqa: F401  registers the options
from murano.common import engine as common_engine
from murano.dsl import constants, dsl, dsl_exception, dsl_types, executor, helpers
from murano.dsl import schema_generator, serializer, yaql_integration
from murano.engine import execution_session, mock_context_manager, yaql_yaml_loader
from murano.packages import load_utils
from yaql.language import utils

HERE = os.path.dirname(os.path.abspath(__file__))
CORE = os.path.join(HERE, '..', '..', 'templates', 'core.yaml')
sys.path.insert(0, os.path.dirname(CORE))
import bench_murano  # noqa: E402  the packages of `vetro bench`


PARSED = {}


def documents(path, version):
    """Reading takes most of the time, so it is done before the fork; what comes out is used up."""
    if (path, str(version)) not in PARSED:
        with open(path, 'rb') as f:
            PARSED[path, str(version)] = list(d for d in yaql_yaml_loader.get_loader(version)(f.read(), path) if d)
    return PARSED[path, str(version)]


class Core(bench_murano.Core):
    def documents(self, path):
        return documents(path, self.runtime_version)


class Package(bench_murano.Package):
    def __init__(self, loader, source, configs):
        self.configs = configs
        super().__init__(loader, source)

    def documents(self, source, name):
        return documents(source.get_class(name)[1], source.runtime_version)

    def get_class_config(self, name):
        return self.configs.get(name, {})


class Loader(bench_murano.Loader):
    def __init__(self, directories, configs):
        self.packages = [Core(self, CORE)]
        for d in directories:
            self.packages.append(Package(self, load_utils.load_from_dir(d), configs))


class Contexts(mock_context_manager.MockContextManager):
    def __init__(self, trace):
        super().__init__()
        self.trace = trace

    def create_root_context(self, runtime_version):
        context = super().create_root_context(runtime_version).create_child_context()
        context.register_function(self.trace, 'trace')
        return context


def encode(v):
    """The value encoding of the conformance suite, as far as methods give such values."""
    if isinstance(v, dsl.MuranoObjectInterface):
        v = v.object
    if isinstance(v, dsl_types.MuranoObject):
        return {'$object': v.object_id, 'type': v.type.name}
    if isinstance(v, dsl_types.MuranoType):
        return {'$typeinfo': v.name}
    if isinstance(v, dsl_types.MuranoTypeReference):
        return {'$type': v.type.name}
    if isinstance(v, (dict, utils.FrozenDict)):
        if all(isinstance(k, str) for k in v):
            return {k: encode(x) for k, x in v.items()}
        return {'$dict': [[encode(k), encode(x)] for k, x in v.items()]}
    if isinstance(v, (list, tuple)):
        return [encode(x) for x in v]
    if isinstance(v, (set, frozenset)):
        return {'$set': sorted([encode(x) for x in v], key=lambda x: json.dumps(x, sort_keys=True))}
    if isinstance(v, bool) or v is None or isinstance(v, str):
        return v
    if isinstance(v, float):
        return v if v - v == 0 else {'$float': str(v)}
    if isinstance(v, int):
        return v if abs(v) < 2 ** 53 else {'$int': str(v)}
    return {'$python': '%s.%s' % (type(v).__module__, type(v).__name__)}


def error(e):
    cause = getattr(e, 'original_exception', None)
    out = {}
    if isinstance(e, dsl_exception.MuranoPlException):
        out['names'], out['message'] = list(e.names), e.message
        out['stack'] = e.stacktrace().toString() if e.stacktrace else ''
    else:
        out['names'], out['message'] = [type(e).__name__], str(e)
    real = cause if cause is not None else e
    known = type(real).__module__.split('.')[0] in ('murano', 'yaql', 'builtins')
    out['type'] = ('' if known else type(real).__module__ + '.') + type(real).__name__
    if isinstance(real, dsl_exception.MuranoPlException):
        out['type'] = out['names'][0]
    return {'error': out}


class Session:
    def __init__(self, directories):
        self.directories, self.traces, self.root, self.runner = directories, [], None, None

    def trace(self, x):
        self.traces.append(encode(x))

    def load(self, r):
        self.loader = Loader(self.directories, r.get('config') or {})
        self.contexts = Contexts(lambda x: self.trace(x))
        self.runner = executor.MuranoDslExecutor(self.loader, self.contexts, execution_session.ExecutionSession())
        root = self.runner.load(r['model'])
        self.root = root.object if root else None
        if 'ObjectsCopy' in r['model']:
            self.runner.object_store.cleanup()
        return {'ok': True}

    def call(self, r):
        target = r.get('target')
        with helpers.with_object_store(self.runner.object_store):
            if target is None:
                obj, cls = self.root, self.root.type
            else:
                obj = self.runner.object_store.get(target)
                cls = obj.type if obj is not None else None
                if obj is None:
                    cls = obj = self.loader.load_class_package(target, helpers.parse_version_spec(None)).find_class(target, False)
            engine = yaql_integration.choose_yaql_engine(cls.package.runtime_version)
            value = cls.invoke(r['method'], obj, tuple(r.get('args') or ()), dict(r.get('kwargs') or {}))
            return {'value': encode(dsl.to_mutable(value, engine))}

    def serialize_model(self, r):
        return {'value': encode(serializer.serialize_model(self.root, self.runner))}

    def finalize(self, r):
        self.runner.finalize(self.root)
        return {'ok': True}

    def generate_schema(self, r):
        return {'value': schema_generator.generate_schema(self.loader, self.contexts, r['class'], r.get('method_names'), r.get('version'), r.get('package'))}

    def answer(self, r):
        self.traces = []
        try:
            out = getattr(self, r['op'])(r)
        except BaseException as e:  # what a session survives
            if isinstance(e, (KeyboardInterrupt, SystemExit)):
                raise
            out = error(e)
        out['traces'] = self.traces
        return out


def configure():
    cfg.CONF([], project='murano')
    cfg.CONF.set_override('dsl_iterators_limit', 10 ** 7, 'murano')
    # As with --expose 'test*'.
    from murano.dsl import murano_method
    public = murano_method.MuranoMethod.is_action
    murano_method.MuranoMethod.is_action = property(lambda self: self.name.startswith('test') or public.fget(self))


def main():
    args, directories = sys.argv[1:], []
    while args and args[0] == '-I':
        directories.append(args[1])
        args = args[2:]
    configure()
    directories = [args[0]] + directories
    documents(CORE, helpers.parse_version('1.4'))
    for d in directories:
        package = load_utils.load_from_dir(d)
        for name in package.classes:
            documents(package.get_class(name)[1], package.runtime_version)
    child = None
    for line in sys.stdin:
        if child is None or json.loads(line)['op'] == 'load':
            child = start(directories, child)
        child[1].write(line)
        child[1].flush()
        print(child[2].readline(), end='', flush=True)


def start(directories, before):
    """A process for each load: (pid, what it reads, what it writes)."""
    if before:
        before[1].close()
        os.waitpid(before[0], 0)
    down, up = os.pipe(), os.pipe()
    pid = os.fork()
    if pid:
        os.close(down[0])
        os.close(up[1])
        return pid, os.fdopen(down[1], 'w'), os.fdopen(up[0])
    os.close(down[1])
    session, out = Session(directories), os.fdopen(up[1], 'w')
    for line in os.fdopen(down[0]):
        out.write(json.dumps(session.answer(json.loads(line)), default=str) + '\n')
        out.flush()
    os._exit(0)


if __name__ == '__main__':
    main()
