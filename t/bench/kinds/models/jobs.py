"""Models of deployments: hosts, ports, volumes, rules, templates. What each method of package/ does, in Python."""


class Port:
    def __init__(self, number, protocol='tcp', name=None):
        if not isinstance(number, int) or not 0 < number < 65536: raise ValueError(number)
        if protocol not in ('tcp', 'udp'): raise ValueError(protocol)
        self.number = number; self.protocol = protocol; self.name = name


class Volume:
    def __init__(self, size, kind='ssd', mounts=()):
        if not isinstance(size, int) or size <= 0: raise ValueError(size)
        self.size = size; self.kind = kind; self.mounts = list(mounts)


class Flavor:
    def __init__(self, name, ram, cpus): self.name = name; self.ram = ram; self.cpus = cpus


class Server:
    def __init__(self, name, flavor=None, ports=(), volumes=()):
        self.name = name; self.flavor = flavor; self.ports = list(ports); self.volumes = list(volumes)
        self.tags = {}; self.address = None; self.status = 'new'
    def role(self): return 'plain'
    def title(self): return self.name + ' (' + self.role() + ')'
    def tag(self, key, value):
        self.tags[key] = value
        return self
    def disk(self):
        s = 0
        for v in self.volumes: s += v.size
        return s


class WebServer(Server):
    def role(self): return 'web'


class DbServer(Server):
    def role(self): return 'db'
    def disk(self): return super().disk() * 2


class Rule:
    def __init__(self, first, last, protocol, cidr='0.0.0.0/0'):
        self.first = first; self.last = last; self.protocol = protocol; self.cidr = cidr
    def covers(self, port, protocol): return self.protocol == protocol and self.first <= port and port <= self.last


class Group:
    def __init__(self): self.rules = []
    def allow(self, first, last=None, protocol='tcp'):
        self.rules.append(Rule(first, first if last is None else last, protocol))
        return self
    def admits(self, port, protocol):
        for r in self.rules:
            if r.covers(port, protocol): return True
        return False


class Cluster:
    def __init__(self, name): self.name = name; self.count = 0; self.servers = []
    def add_server(self, ram):
        self.count += 1
        s = Server(self.name + '-' + str(self.count), Flavor('m1', ram, 2))
        self.servers.append(s)
        return s
    def find(self, name): return next((s for s in self.servers if s.name == name), None)


class Template:
    def __init__(self): self.parts = {'resources': {}, 'outputs': {}}
    def resource(self, name, type, properties): self.parts['resources'][name] = {'type': type, 'properties': properties}
    def output(self, name, resource): self.parts['outputs'][name] = {'value': {'get_attr': [resource, 'first_address']}}


class Service:
    def __init__(self, name): self.name = name; self.needs = []; self.started = None
    def require(self, services): self.needs = self.needs + services
    def start(self, at): self.started = at


class QuotaExceeded(Exception):
    pass


class Quota:
    def __init__(self, limits): self.limits = limits; self.used = {}
    def take(self, what, amount):
        now = self.used.get(what, 0) + amount
        if now > self.limits[what]: raise QuotaExceeded('{0} of {1} is too much'.format(now, what))
        self.used[what] = now
        return now


def ports_from_dicts(n):
    s = 0
    for i in range(n):
        p = Port(i % 60000 + 1, name='web')
        if p.protocol == 'tcp': s += p.number
    return s


def port_template(n):
    s = 0
    for i in range(n):
        s += Port(**{'number': i % 1000 + 1, 'protocol': 'udp', 'name': 'dns'}).number
    return s


def nested_model(n):
    t = 0
    for i in range(n):
        s = WebServer('web', Flavor('m1', 2048, 2), [Port(80), Port(443)], [Volume(i % 9 + 1)])
        t += s.flavor.ram + len(s.ports) + s.disk()
    return t


def server_titles(n):
    servers = [WebServer('front'), DbServer('store'), Server('other')]
    c = 0
    for i in range(n): c += len(servers[i % 3].title())
    return c


def disk_with_super(n):
    db = DbServer('db', volumes=[Volume(10), Volume(20)])
    s = 0
    for i in range(n): s += db.disk() + i
    return s


def rules_builder(n):
    s = 0
    for i in range(n):
        g = Group().allow(22).allow(80, 90).allow(53, protocol='udp')
        if g.admits(i % 100, 'tcp'): s += 1
        s += len(g.rules)
    return s


def rules_checked(n):
    g = Group()
    for i in range(10): g.allow(i * 1000, i * 1000 + 99)
    c = 0
    for i in range(n):
        if g.admits(i * 37 % 10000, 'tcp'): c += 1
    return c


def cluster_grows(n):
    c = Cluster('web')
    for i in range(n): c.add_server(i % 8 * 512)
    ram = 0
    for s in c.servers: ram += s.flavor.ram
    return ram + c.count


def cluster_find(n):
    c = Cluster('web')
    for i in range(20): c.add_server(i)
    t = 0
    for i in range(n):
        s = c.find('web-' + str(i % 25 + 1))
        if s is not None: t += s.flavor.ram
    return t


def tags_merged(n):
    s = Server('a')
    for i in range(n): s.tag('key' + str(i % 40), 'v' + str(i))
    return len(s.tags) + len(s.tags['key7'])


def heat_template(n):
    t = Template()
    for i in range(n):
        name = 'server' + str(i)
        t.resource(name, 'OS::Nova::Server', {
            'image': 'ubuntu', 'flavor': 'm1.small', 'networks': [{'port': {'get_resource': 'port' + str(i)}}]})
        t.output('address' + str(i), name)
    r = t.parts['resources']
    return len(r) + len(t.parts['outputs']) + len(r['server5']['properties']['networks'][0]['port']['get_resource'])


def merge_with(a, b):
    r = dict(a)
    for k, v in b.items():
        r[k] = merge_with(r[k], v) if k in r and isinstance(r[k], dict) and isinstance(v, dict) else v
    return r


def heat_stack_merge(n):
    base = {'resources': {'net': {'type': 'network'}}, 'outputs': {}}
    s = 0
    for i in range(n):
        t = merge_with(base, {'resources': {'vm': {'type': 'server', 'properties': {'ram': i}}}})
        s += len(t['resources']) + t['resources']['vm']['properties']['ram']
    return s


def user_data(n):
    text = "#!/bin/sh\nhostname %HOST%\necho '%ADDRESS% %HOST%' >> /etc/hosts\nservice app start --port %PORT%\n"
    c = 0
    for i in range(n):
        t = text
        for k, v in {'%HOST%': 'web' + str(i), '%ADDRESS%': '10.0.0.' + str(i % 255), '%PORT%': '8080'}.items():
            t = t.replace(k, v)
        c += len(t)
    return c


def host_names(n):
    c = 0
    for i in range(n):
        name = '{0}-{1}-{2}'.format('web', i, 'eu')
        if len(name) > 8: c += 1
        c += len(name)
    return c


def quota_taken(n):
    q = Quota({'cores': n, 'ram': n * 10})
    refused = 0
    for i in range(n):
        try:
            q.take('cores', i % 4)
            q.take('ram', 8)
        except QuotaExceeded as e:
            refused += 1
    return refused + q.used['cores']


def start_order(n):
    all_ = []
    for i in range(n):
        s = Service('svc' + str(i))
        if i > 0: s.require([all_[i // 2], all_[i - 1]])
        all_.append(s)
    clock = t = 0
    for s in all_:
        if len([x for x in s.needs if x.started is None]) == 0:
            clock += 1
            s.start(clock)
            t += clock
    return t


def addresses(n):
    import functools
    s = 0
    for i in range(n):
        parts = [int(x) for x in '10.1.{0}.{1}'.format(i // 256 % 256, i % 256).split('.')]
        s += functools.reduce(lambda a, b: a * 256 + b, parts, 0) % 1000
    return s


def sizes(n):
    units = {'K': 1024, 'M': 1048576, 'G': 1073741824}
    texts = ['10K', '5M', '2G', '700', '64K']
    s = 0
    for i in range(n):
        t = texts[i % 5]
        if t[-1] in units: s += int(t[:-1]) * units[t[-1]]
        else: s += int(t)
    return s


def versions(n):
    newest = [0, 0, 0]
    newer = 0
    for i in range(n):
        v = [int(x) for x in (str(i % 3) + '.' + str(i * 7 % 11) + '.' + str(i % 5)).split('.')]
        for k in range(3):
            if v[k] > newest[k]:
                newest = v
                newer += 1
                break
            if v[k] < newest[k]: break
    return newest[0] * 10000 + newest[1] * 100 + newest[2] + newer


def deploy_states(n):
    state = 'new'
    c = 0
    for i in range(n):
        if state == 'new': state = 'building'
        elif state == 'building': state = 'failed' if i % 7 == 0 else 'active'
        elif state == 'failed': state = 'new'
        elif state == 'active':
            c += 1
            state = 'deleted'
        else: state = 'new'
    return c


def environment_lookup(n):
    conf = {'db': {'host': 'db1', 'port': 5432, 'options': {'ssl': True, 'pool': 5}}, 'cache': {'host': 'c1'}}
    s = 0
    for i in range(n):
        s += conf['db']['port'] + conf.get('db')['options']['pool'] + conf.get('cache').get('port', 11211)
        if conf['db']['options']['ssl'] and not conf['cache'].get('ssl', False): s += 1
    return s
