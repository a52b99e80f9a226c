"""What scripts for Cloudify and ARIA call: `ctx` as a command, `from cloudify import ctx` in Python.

A deploy binary puts this file beside an operation's files. What there is comes from
$VETRO_CONTEXT; each change is a line of $VETRO_OUTPUTS: ctx:=["instance", name, value].
"""
import json
import os
import shutil
import sys


class NonRecoverableError(Exception):
    pass


class RecoverableError(Exception):
    def __init__(self, message='', retry_after=None):
        Exception.__init__(self, message)
        self.retry_after = retry_after


class OperationRetry(RecoverableError):
    pass


def _load(variable):
    with open(os.environ[variable], encoding='utf-8') as f:
        return json.load(f)


def _tell(*what):
    with open(os.environ['VETRO_OUTPUTS'], 'a', encoding='utf-8') as f:
        f.write('ctx:=' + json.dumps(what) + '\n')


def _told(who):
    """What this operation has told so far: commands are processes of their own."""
    told = {}
    with open(os.environ['VETRO_OUTPUTS'], encoding='utf-8') as f:
        for line in f:
            if line.startswith('ctx:='):
                what = json.loads(line[5:])
                if what[0] == who:
                    told[what[1]] = what[2]
    return told


class _Properties(dict):
    """Runtime properties: what is set here is told at once, nested changes at update()."""

    def __init__(self, who, values):
        dict.__init__(self, values)
        self.who = who
        self.was = json.dumps(values, sort_keys=True)

    def __setitem__(self, key, value):
        dict.__setitem__(self, key, value)
        _tell(self.who, key, value)

    def __delitem__(self, key):
        dict.__delitem__(self, key)
        _tell(self.who, key, None)

    def update(self, *args, **kwargs):
        for key, value in dict(*args, **kwargs).items():
            self[key] = value

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key, *default):
        if key not in self and default:
            return default[0]
        value = self[key]
        del self[key]
        return value

    def flush(self):
        before = json.loads(self.was)
        for key, value in self.items():
            if key not in before or before[key] != value:
                _tell(self.who, key, value)
        self.was = json.dumps(self, sort_keys=True)


class _Bag(object):
    def __init__(self, **members):
        self.__dict__.update(members)

    def __repr__(self):
        return repr(self.__dict__)


class _Instance(_Bag):
    def update(self):
        self.runtime_properties.flush()

    def refresh(self, force=False):
        pass


def _side(context, part, who):
    own = context.get(part) or {}
    attributes = dict(own.get('attributes') or {})
    attributes.update(own.get('runtime') or {})
    attributes.update(_told(who))
    attributes = {k: v for k, v in attributes.items() if v is not None}
    properties = _Properties(who, attributes)
    name = own.get('name', '')
    template = own.get('template', name)
    node = _Bag(id=template, name=template, type=own.get('type'), properties=own.get('properties') or {},
                attributes=properties)
    instance = _Instance(id=name, name=name, runtime_properties=properties, attributes=properties,
                         host_ip=own.get('address'))
    return _Bag(node=node, instance=instance)


class _Logger(object):
    def _say(self, level, message, *args, **kwargs):
        text = str(message) % args if args else str(message)
        sys.stderr.write('%s: %s\n' % (level, text))

    def __getattr__(self, level):
        if level not in ('debug', 'info', 'warn', 'warning', 'error', 'critical', 'exception'):
            raise AttributeError(level)
        return lambda message, *args, **kwargs: self._say(level, message, *args, **kwargs)


class _Operation(_Bag):
    def retry(self, message='', retry_after=None):
        # a word of a command line is a text
        _tell('retry', str(message), None if retry_after is None else float(retry_after))
        return message


class Context(object):
    def __init__(self):
        context = _load('VETRO_CONTEXT')
        own = _side(context, 'node', 'instance')
        self.logger = _Logger()
        self.node, self.instance = own.node, own.instance
        self.type = 'node-instance'
        if 'source' in context:
            self.type = 'relationship-instance'
            self.source = _side(context, 'source', 'source')
            self.target = _side(context, 'target', 'target')
        service = context.get('service', '')
        self.deployment = self.blueprint = self.service = _Bag(id=service, name=service)
        self.service_template = self.deployment
        self.execution_id = os.environ.get('VETRO_STEP_ID', '')
        self.workflow_id = 'undeploy' if context.get('undo') else 'install'
        attempt = int(os.environ.get('VETRO_ATTEMPT', '1'))
        self.operation = _Operation(
            name='%s.%s' % (context.get('interface'), context.get('operation')),
            retry_number=attempt - 1, max_retries=context.get('retries', 0))
        self.parameters = _load('VETRO_INPUTS')
        self.task_name = self.operation.name

    def _resource(self, path):
        base = os.path.realpath(os.environ['VETRO_DIR'])
        real = os.path.realpath(os.path.join(base, path.lstrip('/')))
        if (real == base or real.startswith(base + os.sep)) and os.path.isfile(real):
            return real
        return None

    def get_resource(self, path):
        with open(self._must(path), 'rb') as f:
            return f.read()

    def _must(self, path):
        real = self._resource(path)
        if not real:
            raise NonRecoverableError('there is no resource %r of the service' % path)
        return real

    def _places(self, first, second):
        """Cloudify gives the resource first, ARIA where it goes."""
        if second and not self._resource(first) and self._resource(second):
            first, second = second, first
        return self._must(first), second or os.path.join(
            os.path.dirname(os.environ['VETRO_OUTPUTS']), os.path.basename(first))

    def download_resource(self, resource_path, target_path=None):
        real, to = self._places(resource_path, target_path)
        shutil.copyfile(real, to)
        return to

    def get_resource_and_render(self, path, template_variables=None):
        return self._render(self._must(path), template_variables)

    def _render(self, real, variables):
        try:
            import jinja2
        except ImportError:
            raise NonRecoverableError('rendering wants the Python package jinja2')
        values = {'ctx': self}
        values.update(variables or {})
        with open(real, encoding='utf-8') as f:
            return jinja2.Template(f.read(), keep_trailing_newline=True).render(**values)

    def download_resource_and_render(self, resource_path, target_path=None,
                                     template_variables=None):
        real, to = self._places(resource_path, target_path)
        text = self._render(real, template_variables)
        with open(to, 'w', encoding='utf-8') as f:
            f.write(text)
        return to

    def returns(self, value):
        _tell('returns', 'result', value)

    def abort_operation(self, message=''):
        _tell('abort', str(message), None)
        raise SystemExit(1)

    def retry_operation(self, message='', retry_interval=None):
        return self.operation.retry(message, retry_interval)


class _Lazy(object):
    """Made when it is first used, so that importing it costs and needs nothing."""

    def __init__(self, make):
        self.__dict__.update(_make=make, _it=None)

    def _get(self):
        if self._it is None:
            self.__dict__['_it'] = self._make()
        return self._it

    def __getattr__(self, name):
        return getattr(self._get(), name)

    def __getitem__(self, key):
        return self._get()[key]

    def __contains__(self, key):
        return key in self._get()

    def __iter__(self):
        return iter(self._get())

    def __len__(self):
        return len(self._get())


class _Parameters(dict):
    def __getattr__(self, name):
        if name not in self:
            raise AttributeError(name)
        return self[name]


ctx = _Lazy(Context)
ctx_parameters = _Lazy(lambda: _Parameters(_load('VETRO_INPUTS')))
current_ctx = ctx


def operation(function=None, **_):
    if function is None:
        return operation
    return function


# ---- the command ----

def _value(text):
    return json.loads(text[1:]) if text.startswith('@') else text


def _inside(value, path):
    for step in path:
        if isinstance(value, list) and step.lstrip('-').isdigit():
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, dict):
            raise NonRecoverableError('there is no %r' % '.'.join(path))
        else:
            raise NonRecoverableError('%r is no map' % step)
    return value


def _put(properties, path, value):
    if len(path) == 1:
        properties[path[0]] = value
        return
    top = properties.get(path[0])
    top = at = top if isinstance(top, dict) else {}
    for step in path[1:-1]:
        if not isinstance(at.get(step), dict):
            at[step] = {}
        at = at[step]
    at[path[-1]] = value
    properties[path[0]] = top


def _of_properties(properties, words):
    if not words:
        return dict(properties)
    path = [words[0]] if words[0] in properties else words[0].split('.')
    rest = words[2:] if words[1:2] == ['='] else words[1:]
    if not rest:
        return _inside(properties, path)
    if len(rest) > 1:
        raise NonRecoverableError('one value is wanted, and not %d words' % len(rest))
    if not isinstance(properties, _Properties):
        raise NonRecoverableError('properties of nodes cannot be set')
    _put(properties, path, _value(rest[0]))
    return None


def _walk(it, words):
    while words:
        name = words[0].replace('-', '_')
        if '.' in name and not hasattr(it, name):
            words = words[0].split('.', 1) + words[1:]
            continue
        if name.startswith('_') or not hasattr(it, name):
            raise NonRecoverableError('ctx knows no %r' % words[0])
        it, words = getattr(it, name), words[1:]
        if isinstance(it, dict):
            return _of_properties(it, words)
        if callable(it):
            return it(*[_value(w) for w in words])
    if isinstance(it, (_Bag, Context, _Logger)):
        raise NonRecoverableError('ctx: more words are wanted')
    return it


def main(words):
    as_json = '-j' in words[:1] or '--json-output' in words[:1]
    words = [w for w in words[int(as_json):]]
    try:
        got = _walk(Context(), words)
    except (NonRecoverableError, KeyError, IndexError, TypeError, ValueError, OSError) as e:
        sys.stderr.write('ctx: %s\n' % e)
        return 1
    if isinstance(got, bytes):
        sys.stdout.buffer.write(got)
    elif as_json or isinstance(got, (dict, list, bool)):
        print(json.dumps(got))
    elif got is not None:
        print(got)
    return 0
