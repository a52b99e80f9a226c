"""Runs the benchmark package on murano's own engine; JSON lines {"job", "n", "seconds", "result"}.

usage: murano_side.py PACKAGE_DIR JOB N [OBJECTS]      under Debian's python3 with python3-murano
"""
import json
import os
import sys
import time

from oslo_config import cfg
from murano.common import config  # noqa: F401  registers the options
from murano.dsl import context_manager, dsl, executor, helpers, murano_package, package_loader
from murano.dsl import yaql_integration
from murano.engine import yaql_yaml_loader
from murano.engine.system import yaql_functions
import semantic_version

CONF = cfg.CONF


class Package(murano_package.MuranoPackage):
    """The classes of one directory, read with the engine's own YAML loader."""

    def __init__(self, loader, directory):
        self.directory = directory
        version = helpers.parse_version('1.4')
        self.loader14 = yaql_yaml_loader.get_loader(version)
        super().__init__(loader, 'bench', '1.0.0', version)
        path = os.path.join(directory, 'Classes', 'Bench.yaml')
        for name in ('bench.Item', 'bench.Bench'):
            self.register_class(lambda path=path: list(self.documents(path)), name)

    def documents(self, path):
        with open(path) as f:
            return [d for d in self.loader14(f.read(), path) if d]

    def get_class_config(self, name):
        return {}

    def get_resource(self, name):
        raise NotImplementedError


class Core(murano_package.MuranoPackage):
    """io.murano with the classes the engine needs."""

    def __init__(self, loader):
        version = helpers.parse_version('1.4')
        super().__init__(loader, 'io.murano', '0.0.0', version)
        from murano.dsl import principal_objects
        principal_objects.register(self)
        self.register_class({'Name': 'io.murano.Object'}, 'io.murano.Object')

    def get_class_config(self, name):
        return {}

    def get_resource(self, name):
        raise NotImplementedError


class Loader(package_loader.MuranoPackageLoader):
    def __init__(self, directory):
        self.packages = {}
        self.packages['io.murano'] = Core(self)
        self.packages['bench'] = Package(self, directory)

    def load_package(self, package_name, version_spec):
        return self.packages[package_name]

    def load_class_package(self, class_name, version_spec):
        return self.packages['bench' if class_name.startswith('bench.') else 'io.murano']

    def register_package(self, package):
        pass

    def import_fixation_table(self, fixations):
        pass

    def export_fixation_table(self):
        return {}

    def compact_fixation_table(self):
        pass


class Contexts(context_manager.ContextManager):
    def create_root_context(self, runtime_version):
        return helpers.link_contexts(yaql_integration.create_context(runtime_version),
                                     yaql_functions.get_context(runtime_version))


def model(objects):
    items = [{'?': {'type': 'bench.Item', 'id': 'i%d' % i}, 'name': 'n%d' % i, 'size': i, 'tags': ['a', 'b']}
             for i in range(objects)]
    return {'Objects': {'?': {'type': 'bench.Bench', 'id': 'root'}, 'items': items}}


def main():
    directory, job, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
    objects = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    CONF([], project='murano')
    CONF.set_override('dsl_iterators_limit', 10000000, 'murano')
    runner = executor.MuranoDslExecutor(Loader(directory), Contexts(), None)
    with helpers.with_object_store(runner.object_store):
        start = time.process_time()
        root = runner.load(model(objects)).object
        loaded = time.process_time() - start
        method = root.type.find_single_method(job)
        start = time.process_time()
        result = method.invoke(root, (n,), {}, None)
        print(json.dumps({'job': job, 'n': n, 'seconds': time.process_time() - start, 'load': loaded,
                          'result': dsl.to_mutable(result)}))


main()
