"""Builds the wheel and the source distribution of the package vetro; the standard library suffices.

The module in C is taken from VETRO_BUILD (a directory that `make python` has filled), with libvetro
beside it.  Without VETRO_BUILD it is compiled here, against the libvetro that pkg-config knows.

usage: build_backend.py DIRECTORY     writes both
"""

import base64
import hashlib
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
STAMP = (2026, 1, 1, 0, 0, 0)


def _build():
    """The directory that `make python` fills, or None."""
    return os.environ.get('VETRO_BUILD')


def _version():
    own = os.path.join(HERE, 'PKG-INFO')
    if os.path.exists(own):
        text = open(own, encoding='utf-8').read()
        return re.search(r'^Version: (\S+)', text, re.M).group(1)
    if _build():
        for name in os.listdir(_build()):
            found = re.match(r'libvetro\.so\.(\d+\.\d+\.\d+)$', name)
            if found:
                return found.group(1)
    return subprocess.check_output(
        ['pkg-config', '--modversion', 'vetro'], text=True).strip()


def _metadata(version):
    return ('Metadata-Version: 2.1\nName: vetro\nVersion: %s\n'
            'Summary: YAQL in machine code, with the interface of the package yaql\n'
            'Requires-Python: >=3.10\n' % version)


def _python_files():
    for package in ('vetro', 'yaql'):
        for folder, folders, names in os.walk(os.path.join(HERE, package)):
            folders[:] = sorted(f for f in folders if f != '__pycache__')
            for name in sorted(names):
                if name.endswith(('.py', '.pyi', '.typed')):
                    path = os.path.join(folder, name)
                    yield os.path.relpath(path, HERE), path


def _compile(target):
    flags = shlex.split(subprocess.check_output(
        ['pkg-config', '--cflags', '--libs', 'vetro'], text=True))
    sources = sorted(os.path.join(HERE, f) for f in os.listdir(HERE) if f.endswith('.c'))
    subprocess.check_call(
        shlex.split(os.environ.get('CC', 'cc')) + ['-O2', '-fPIC', '-shared',
                                                   '-fvisibility=hidden', '-o', target]
        + sources + ['-I' + sysconfig.get_path('include')] + flags)


def _groups():
    own = os.path.join(HERE, 'vetro', 'yaql', '_groups.py')
    if not os.path.exists(own) and _build():
        own = os.path.join(_build(), 'python', 'vetro', 'yaql', '_groups.py')
    return own


def _binaries(folder):
    """Name in the wheel and file of the module in C, and of libvetro where it comes along."""
    if _build():
        yield ('vetro/_vetro.abi3.so', os.path.join(_build(), 'python', 'vetro',
                                                    '_vetro.abi3.so'))
        yield 'vetro/libvetro.so.0', os.path.join(_build(), 'libvetro.so.0')
        return
    made = os.path.join(folder, '_vetro.abi3.so')
    _compile(made)
    yield 'vetro/_vetro.abi3.so', made


def _tag():
    return 'cp310-abi3-' + re.sub(r'[-.]', '_', sysconfig.get_platform())


class _Wheel(object):
    def __init__(self, path):
        self._zip = zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED)
        self._records = []

    def add(self, name, data):
        info = zipfile.ZipInfo(name, STAMP)
        info.external_attr = (0o100755 if name.endswith('.so') else 0o100644) << 16
        self._zip.writestr(info, data, zipfile.ZIP_DEFLATED)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
        self._records.append('%s,sha256=%s,%d' % (name, digest, len(data)))

    def close(self, record):
        self._records.append(record + ',,')
        self._zip.writestr(zipfile.ZipInfo(record, STAMP), '\n'.join(self._records) + '\n')
        self._zip.close()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    version = _version()
    name = 'vetro-%s-%s.whl' % (version, _tag())
    info = 'vetro-%s.dist-info/' % version
    wheel = _Wheel(os.path.join(wheel_directory, name))
    for inside, path in list(_python_files()) + list(_binaries(wheel_directory)):
        with open(path, 'rb') as f:
            wheel.add(inside.replace(os.sep, '/'), f.read())
    if not os.path.exists(os.path.join(HERE, 'vetro', 'yaql', '_groups.py')):
        with open(_groups(), 'rb') as f:
            wheel.add('vetro/yaql/_groups.py', f.read())
    wheel.add(info + 'METADATA', _metadata(version).encode())
    wheel.add(info + 'WHEEL', ('Wheel-Version: 1.0\nGenerator: vetro\n'
                               'Root-Is-Purelib: false\nTag: %s\n' % _tag()).encode())
    wheel.add(info + 'entry_points.txt',
              b'[console_scripts]\nvetro-yaql = vetro.yaql.cli.run:main\n')
    wheel.close(info + 'RECORD')
    return name


def build_sdist(sdist_directory, config_settings=None):
    version = _version()
    base = 'vetro-%s' % version
    files = list(_python_files())
    files += [(f, os.path.join(HERE, f)) for f in sorted(os.listdir(HERE))
              if f.endswith(('.c', '.h', '.toml')) or f == 'build_backend.py']
    if not any(name.endswith('_groups.py') for name, _ in files):
        files.append((os.path.join('vetro', 'yaql', '_groups.py'), _groups()))
    path = os.path.join(sdist_directory, base + '.tar.gz')
    with tarfile.open(path, 'w:gz', format=tarfile.PAX_FORMAT) as tar:
        for name, source in files:
            tar.add(source, os.path.join(base, name), recursive=False)
        _add_text(tar, base + '/PKG-INFO', _metadata(version))
    return base + '.tar.gz'


def _add_text(tar, name, text):
    import io
    info = tarfile.TarInfo(name)
    info.size = len(text)
    tar.addfile(info, io.BytesIO(text.encode()))


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel


if __name__ == '__main__':
    print(build_sdist(sys.argv[1]))
    print(build_wheel(sys.argv[1]))
