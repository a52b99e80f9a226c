"""What deployments are made of: applications, trees of owners, plugins, errors, calls, texts.  What each method of package/ does."""
import re


class AlreadyDeployed(Exception): pass


class App:
    def __init__(self, name, ports=(80,)):
        self.name = name
        self.ports = list(ports)
        self.attributes = {}

    def deploy(self):
        if self.attributes.get('deployed', False): raise AlreadyDeployed(self.name + ' is deployed')
        self.attributes['deployed'] = True
        self.attributes['status'] = 'deployed on ' + str(self.ports[0])

    def destroyed(self):
        if not self.attributes.get('deployed', False): return False
        self.attributes['deployed'] = False
        self.attributes['status'] = 'gone'
        return True

    def status(self): return self.attributes.get('status', 'new')


def apps_cycled(n):
    apps = [App('web'), App('db', [5432, 5433]), App('mail', [25])]
    s = 0
    for i in range(n):
        app = apps[i % 3]
        try:
            app.deploy()
        except AlreadyDeployed as e:
            s += len(str(e))
        s += len(app.status())
        if i % 4 != 1 and app.destroyed(): s += 1
    return s


def cloud_init(n):
    template = '#cloud-config\nhostname: %HOST%\nmanage_etc_hosts: true\nruncmd:\n%COMMANDS%\nfinal_message: %HOST% is up\n'
    packages = ['nginx', 'redis', 'postgresql-13', 'htop']
    s = 0
    for i in range(n):
        commands = ['  - apt-get install -y ' + p for p in packages[:i % 4 + 1]]
        text = template.replace('%HOST%', 'node-' + str(i)).replace('%COMMANDS%', '\n'.join(commands))
        s += len(text) + len(text.split('\n'))
    return s


class Folder:
    def __init__(self, owner, title):
        self.owner = owner
        self.title = title
        self.pages, self.folders = [], []

    def path(self):
        if self.owner is None: return self.title
        return self.owner.path() + '/' + self.title

    def fill(self, depth):
        self.pages = [Page(self, i) for i in range(2)]
        if depth > 0:
            self.folders = [Folder(self, 'f' + str(i)) for i in range(2)]
            for f in self.folders: f.fill(depth - 1)

    def all(self):
        pages = list(self.pages)
        for f in self.folders: pages += f.all()
        return pages


class Page:
    def __init__(self, owner, number):
        self.owner = owner
        self.number = number

    def address(self): return self.owner.path() + '#' + str(self.number)


def pages_addressed(n):
    root = Folder(None, 'root')
    root.fill(2)
    pages = root.all()
    s = 0
    for i in range(n): s += len(pages[i % 14].address())
    return s


class Store:
    def __init__(self, root): self.root = root
    def url(self, key): return self.scheme() + '://' + self.root + '/' + key
    def scheme(self): return 'none'


class FileStore(Store):
    def scheme(self): return 'file'


class SwiftStore(Store):
    def __init__(self, root, account='AUTH'):
        super().__init__(root)
        self.account = account

    def scheme(self): return 'swift+' + self.account


class CephStore(Store):
    def __init__(self, root, pool='rbd'):
        super().__init__(root)
        self.pool = pool

    def url(self, key): return 'rbd:' + self.pool + '/' + self.root + '@' + key


def stores_chosen(n):
    types = {'file': FileStore, 'swift': SwiftStore, 'ceph': CephStore}
    kinds = ['file', 'ceph', 'swift', 'ceph']
    s = 0
    for i in range(n):
        store = types[kinds[i % 4]](root='data')
        s += len(store.url('key' + str(i % 100)))
    return s


class Leaf:
    def __init__(self, key, value):
        self.key = key
        self.value = value

    def accept(self, w): w.leaf(self)


class Branch:
    def __init__(self, key, below):
        self.key = key
        self.below = below

    def accept(self, w): w.branch(self)


class Writer:
    def __init__(self):
        self.depth = 0
        self.lines = []

    def leaf(self, x): self.line(x.key + ': ' + str(x.value))

    def branch(self, x):
        self.line(x.key + ':')
        self.depth += 1
        for b in x.below: b.accept(self)
        self.depth -= 1

    def line(self, text): self.lines.append('  ' * self.depth + text)
    def written(self): return '\n'.join(self.lines)


def tree_visited(n):
    disks = [Leaf('disk' + str(i), i * 10) for i in range(3)]
    tree = Branch('server', [Leaf('name', 'web'), Branch('disks', disks), Leaf('up', True)])
    s = 0
    for i in range(n):
        w = Writer()
        tree.accept(w)
        s += len(w.written()) + i % 3
    return s


def merged(a, b):
    if not isinstance(a, dict) or not isinstance(b, dict): return a if b is None else b
    result = dict(a)
    for k in b:
        if k in a:
            result[k] = merged(a[k], b[k])
        else:
            result[k] = b[k]
    return result


def layers_merged(n):
    base = {'web': {'port': 80, 'tls': {'on': False, 'ciphers': ['a', 'b']}}, 'log': {'level': 'info', 'files': ['x']}, 'name': 'base'}
    s = 0
    for i in range(n):
        layer = {'web': {'port': i, 'tls': {'on': True}}, 'name': None, 'extra': {'k': 'v'}}
        c = merged(base, layer)
        s += c['web']['port'] + len(c['web']['tls']) + len(c) + len(c['name'])
    return s


class NetworkError(Exception): pass
class PolicyError(Exception): pass
class QuotaError(PolicyError): pass
class Unknown(Exception): pass
class StepFailed(Exception): pass


def step(i):
    kind = i % 5
    if kind == 1: raise NetworkError('unreachable')
    if kind == 2: raise QuotaError('quota of ' + str(i))
    if kind == 3: raise Unknown()
    return i


def guarded(i):
    try:
        return step(i)
    except NetworkError as e:
        raise StepFailed('step: ' + str(e))
    except Unknown:
        raise


def steps_retried(n):
    s = closed = 0
    for i in range(n):
        try:
            s += guarded(i)
        except (PolicyError, StepFailed) as e:
            s += len(str(e))
        except Exception:
            s -= 1
        else:
            s += 2
        finally:
            closed += 1
    return s + closed


class Tracer:
    def __init__(self):
        self.seen = 0
        self.last = None

    def trace(self, what, *args, **options):
        self.seen += 1
        text = what
        for a in args: text += ' ' + str(a)
        for k in options: text += ' ' + k + '=' + str(options[k])
        self.last = text
        return self.write(text, level=options.get('level', 'info'))

    def write(self, text, level='debug', width=80): return min(len(text) + len(level), width)


def calls_traced(n):
    t = Tracer()
    s = 0
    for i in range(n): s += t.trace('start', i, 'web') + t.trace('stop', level='warn', code=i % 7) + t.trace('idle')
    return s + t.seen + len(t.last)


class Label:
    def __init__(self, text, order=0):
        self.text = text
        self.order = order


class Field:
    def __init__(self, name, *meta):
        self.name = name
        self.meta = meta


class Form:
    meta = [Label('A form')]
    fields = [Field('user', Label('Login name', 2)), Field('host', Label('Server', 1)), Field('port')]


def fields_labelled(n):
    form = Form()
    s = 0
    for i in range(n):
        labels = {}
        for p in type(form).fields:
            label = next((m for m in p.meta if isinstance(m, Label)), None)
            if label is not None: labels[p.name] = label.text + '/' + str(label.order)
        s += len(';'.join(labels.values())) + len(labels) * 10
    return s


class Named:
    def __init__(self, name): self.name = name
    def described(self): return self.name


class Sized(Named):
    def __init__(self, name, size=1):
        self.name = name
        self.size = size

    def described(self): return Named.described(self) + ' of ' + str(self.size) + ' GB'


class Priced(Named):
    def __init__(self, name, price=10):
        self.name = name
        self.price = price

    def described(self): return Named.described(self) + ' for ' + str(self.price)


class Flavor(Sized, Priced):
    def __init__(self, name, size=1, price=10):
        self.name = name
        self.size = size
        self.price = price

    def described(self): return ', '.join([Sized.described(self), Priced.described(self)])
    def cost(self): return self.size * self.price


def flavors_described(n):
    flavors = [Flavor('small', 2), Flavor('large', 64, 90), Sized('disk', 7)]
    s = 0
    for i in range(n):
        f = flavors[i % 3]
        s += len(f.described())
        if isinstance(f, Flavor): s += f.cost() + len(Sized.described(f))
    return s


class MoneyError(Exception): pass
class CurrencyError(MoneyError): pass


class Money:
    made = 0

    def __init__(self, cents, currency):
        self.cents = cents
        self.currency = currency

    @staticmethod
    def parse(text):
        amount, currency = text.split(' ')
        whole, part = amount.split('.')
        Money.made += 1
        return Money(cents=int(whole) * 100 + int(part), currency=currency)

    def plus(self, other):
        if other.currency != self.currency: raise CurrencyError(self.currency + ' is not ' + other.currency)
        return Money(cents=self.cents + other.cents, currency=self.currency)

    def text(self):
        rest = str(self.cents % 100)
        return str(self.cents // 100) + '.' + ('0' + rest if len(rest) == 1 else rest) + ' ' + self.currency


def money_added(n):
    prices = ['12.50 EUR', '0.99 EUR', '7.05 USD', '100.00 EUR']
    Money.made = 0
    total = Money.parse('0.00 EUR')
    refused = s = 0
    for i in range(n):
        try:
            total = total.plus(Money.parse(prices[i % 4]))
        except CurrencyError:
            refused += 1
        s += len(total.text())
    return total.text() + ' ' + str(refused) + ' ' + str(Money.made) + ' ' + str(s)


def slug(s): return s.lower().replace(' ', '-')
def quoted(s, by="'"): return by + s + by


def plural(n, word):
    if n == 1: return str(n) + ' ' + word
    return str(n) + ' ' + word + 's'


def words_extended(n):
    titles = ['Web Server', 'Load Balancer Pool', 'DB']
    s = 0
    for i in range(n): s += len(quoted(slug(titles[i % 3]))) + len(quoted(plural(i % 3, 'node'), '|'))
    return s


class Violation(Exception): pass


class Limits:
    def __init__(self, least=0, most=100):
        self.least = least
        self.most = most
        self.names = []

    @property
    def least(self): return self._least

    @least.setter
    def least(self, x):
        if not isinstance(x, int) or not x >= 0: raise Violation('least')
        self._least = x

    @property
    def most(self): return self._most

    @most.setter
    def most(self, x):
        if not isinstance(x, int) or not x < 1000: raise Violation('most')
        self._most = x

    @property
    def names(self): return self._names

    @names.setter
    def names(self, x):
        for name in x:
            if not isinstance(name, str) or not len(name) < 8: raise Violation('names')
        self._names = x

    def widen(self, by):
        self.least = self.least - by
        self.most = self.most + by

    def note(self, name): self.names = [name] + self.names[:3]


def limits_kept(n):
    limits = Limits(least=50, most=500)
    names = ['web', 'database', 'mail', 'cache']
    refused = s = 0
    for i in range(n):
        try:
            limits.widen(i % 21 - 10)
            limits.note(names[i % 4])
        except Violation:
            refused += 1
        s += limits.least + limits.most + len(limits.names)
    return str(s) + ' ' + str(refused)


def access_parsed(n):
    line = re.compile(r'^(\S+) - (\S+) "(GET|POST) ([^ "]+)" ([0-9]{3}) ([0-9]+)$')
    by, size = {}, 0
    for i in range(n):
        text = '10.0.0.' + str(i % 250) + ' - ann "' + ['GET', 'POST', 'PUT'][i % 3] + ' /item/' + str(i % 40) + '" ' + str(200 + i % 4) + ' ' + str(i)
        m = line.search(text)
        if m:
            method, path, status, count = m.group(3, 4, 5, 6)
            key = method + ' ' + status
            by[key] = by.get(key, 0) + 1
            size += int(count) + len(path)
    return size + len(by) * 1000 + by.get('POST 201', 0)


def invoice_lines(n):
    items = [{'what': 'virtual machine', 'count': 3, 'each': 12.5}, {'what': 'volume', 'count': 10, 'each': 0.75}, {'what': 'address', 'count': 1, 'each': 3.0}]
    s = 0
    for i in range(n):
        out, total = [], 0.0
        for x in items:
            amount = x['each'] * (x['count'] + i % 5)
            total += amount
            out.append('{0:<18}|{1:>4d}|{2:>9.2f}'.format(x['what'], x['count'], amount))
        out.append('total {0:.2f}'.format(total))
        s += len('\n'.join(out))
    return s


class Document:
    def __init__(self, text=''):
        self.text = text
        self.done = []

    def do(self, edit):
        edit.apply(self)
        self.done.append(edit)

    def undo(self):
        if not self.done: return False
        self.done.pop().revert(self)
        return True

    def splice(self, at, count, by=''):
        was = self.text[at:at + count]
        self.text = self.text[:at] + by + self.text[at + count:]
        return was


class Insert:
    def __init__(self, at, text):
        self.at = at
        self.text = text

    def apply(self, d): d.splice(self.at, 0, self.text)
    def revert(self, d): d.splice(self.at, len(self.text))


class Erase:
    def __init__(self, at, count):
        self.at = at
        self.count = count
        self.was = None

    def apply(self, d): self.was = d.splice(self.at, self.count)
    def revert(self, d): d.splice(self.at, 0, self.was)


def edits_undone(n):
    d = Document(text='hello world')
    s = 0
    for i in range(n):
        d.do(Insert(at=i % 11, text='ab'))
        d.do(Erase(at=i % 7, count=3))
        if i % 4 == 3:
            while d.undo(): s += 1
        s += len(d.text)
    return str(s) + d.text
