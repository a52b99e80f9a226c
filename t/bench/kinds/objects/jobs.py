"""Classes and objects: inheritance, super, casts, statics, trees, observers, builders. What each method of package/ does."""


class Counter:
    def __init__(self, value=0, step=1): self.value = value; self.step = step
    def next(self):
        self.value += self.step
        return self.value
    def reset(self): self.value = 0


class NotEnough(Exception):
    pass


class Account:
    def __init__(self): self.balance = 0; self.history = []
    def deposit(self, amount):
        if not isinstance(amount, int) or amount <= 0: raise ValueError(amount)
        self.balance += amount
        self.history.append(amount)
        return self.balance
    def withdraw(self, amount):
        if not isinstance(amount, int) or amount <= 0: raise ValueError(amount)
        if amount > self.balance: raise NotEnough('not enough money')
        self.balance -= amount
        return self.balance
    def fee(self): return 2


class Savings(Account):
    rate = 3
    def deposit(self, amount): return super().deposit(amount + 1) + self.rate
    def withdraw(self, amount):
        super().withdraw(amount)
        return self.balance - self.fee()
    def fee(self): return super().fee() + 1


class Machine:
    table = {'idle': {'start': 'running', 'stop': 'idle'}, 'running': {'pause': 'paused', 'stop': 'idle'},
             'paused': {'start': 'running', 'stop': 'idle'}}
    def __init__(self): self.state = 'idle'; self.moves = 0
    def fire(self, event):
        to = self.table[self.state].get(event)
        if to is None: return False
        self.state = to
        self.moves += 1
        return True


class Subject:
    def __init__(self): self.observers = []
    def attach(self, o): self.observers.append(o)
    def publish(self, value):
        for o in self.observers: o.update(value)


class Observer:
    def __init__(self): self.seen = 0
    def update(self, value): self.seen += value


class Logger:
    def __init__(self): self.lines = []; self.level = 1
    def log(self, message, level=1, **extra):
        if level >= self.level: self.lines.append(message + ' ' + str(len(extra)))


class Shape:
    def area(self): return 0
    def accept(self, visitor): return visitor.visit(self)


class Circle(Shape):
    def __init__(self, radius): self.radius = radius
    def area(self): return self.radius * self.radius * 3
    def accept(self, visitor): return visitor.circle(self)


class Rect(Shape):
    def __init__(self, width, height): self.width = width; self.height = height
    def area(self): return self.width * self.height
    def accept(self, visitor): return visitor.rect(self)


class Square(Rect):
    def __init__(self, side=1):
        super().__init__(side, side)
        self.side = side


class Area:
    def __init__(self): self.sum = 0
    def visit(self, s): return 0
    def circle(self, c):
        self.sum += c.area()
        return self.sum
    def rect(self, r):
        self.sum += r.width * r.height
        return self.sum


class Named:
    def describe(self): return 'name ' + self.title


class Sized:
    def describe(self): return 'size ' + str(self.size)
    def enlarge(self, by): self.size += by


class Item(Named, Sized):
    def __init__(self, title='nobody', size=1): self.title = title; self.size = size
    def describe(self): return ', '.join([Named.describe(self), Sized.describe(self)])
    def total(self): return len(self.title) + self.size
    def grow(self): Sized.enlarge(self, 1)


class Registry:
    names = {}
    last = 0
    @classmethod
    def register(cls, name):
        known = cls.names.get(name)
        if known is not None: return known
        cls.last += 1
        cls.names[name] = cls.last
        return cls.last
    @classmethod
    def clear(cls): cls.names = {}; cls.last = 0


class Tree:
    def __init__(self, key): self.key = key; self.left = None; self.right = None
    def insert(self, key):
        if key < self.key:
            if self.left is None: self.left = Tree(key)
            else: self.left.insert(key)
        else:
            if self.right is None: self.right = Tree(key)
            else: self.right.insert(key)
    def depth(self):
        l = r = 0
        if self.left is not None: l = self.left.depth()
        if self.right is not None: r = self.right.depth()
        return max(l, r) + 1
    def has(self, key):
        if key == self.key: return True
        to = self.left if key < self.key else self.right
        return to is not None and to.has(key)


class File:
    def __init__(self, name, bytes=0): self.name = name; self.bytes = bytes
    def size(self): return self.bytes


class Folder(File):
    def __init__(self, name, children=()): super().__init__(name); self.children = list(children)
    def size(self): return sum([c.size() for c in self.children])


class Empty(Exception):
    pass


class Stack:
    def __init__(self): self.items = []
    def push(self, x):
        self.items.append(x)
        return self
    def pop(self):
        if not self.items: raise Empty('nothing there')
        return self.items.pop()
    def is_empty(self): return len(self.items) == 0


class Query:
    def __init__(self): self.table = None; self.fields = []; self.limits = {}
    def of(self, table):
        self.table = table
        return self
    def take(self, *names):
        self.fields += names
        return self
    def least(self, field, value):
        self.limits[field] = value
        return self
    def text(self):
        t = 'select ' + ', '.join(self.fields) + ' from ' + self.table
        for k in self.limits: t = t + ' where ' + k + ' >= ' + str(self.limits[k])
        return t


class Vector:
    def __init__(self, x, y): self.x = x; self.y = y
    def plus(self, o): return Vector(self.x + o.x, self.y + o.y)
    def scaled(self, k): return Vector(self.x * k, self.y * k)
    def dot(self, o): return self.x * o.x + self.y * o.y


def doubled(x): return x * 2


def titled(s): return s[:1].upper() + s[1:]


def clamp(x, least=0, most=100): return min(max(x, least), most)


def counter(n):
    c = Counter(step=3)
    s = 0
    for i in range(n):
        s += c.next()
        if i % 10 == 0: c.reset()
    return s


def accounts(n):
    a = Account()
    refused = 0
    for i in range(n):
        a.deposit(i % 7 + 1)
        if i % 3 == 0:
            try: a.withdraw(i % 50 + 1)
            except NotEnough: refused += 1
    return a.balance + refused + len(a.history)


def savings_super(n):
    a = Savings()
    s = 0
    for i in range(n):
        s += a.deposit(5)
        s += a.withdraw(4)
    return s


def casts(n):
    item = Item('box', 4)
    s = 0
    for i in range(n): s += item.total() + len(Named.describe(item))
    return s


def cast_calls(n):
    item = Item()
    for i in range(n): item.grow()
    return item.size


def describe_all_parents(n):
    item = Item('box')
    s = 0
    for i in range(n): s += len(item.describe())
    return s


def state_machine(n):
    m = Machine()
    events = ['start', 'pause', 'start', 'stop', 'pause']
    refused = 0
    for i in range(n):
        if not m.fire(events[i % 5]): refused += 1
    return m.moves * 2 + refused


def observers(n):
    subject = Subject()
    l = [Observer(), Observer(), Observer()]
    for o in l: subject.attach(o)
    for i in range(n): subject.publish(i)
    return sum([o.seen for o in l])


def logger(n):
    log = Logger()
    for i in range(n):
        log.log('started', 2, host='a', port='b')
        log.log('ignored', level=0)
    return len(log.lines) + len(log.lines[0])


def shapes(n):
    l = [Circle(2), Rect(2, 3), Square(4), Shape()]
    s = 0
    for i in range(n): s += l[i % 4].area()
    return s


def visitor(n):
    l = [Circle(2), Rect(2, 3), Square(4)]
    v = Area()
    for i in range(n): l[i % 3].accept(v)
    return v.sum


def squares_made(n):
    s = 0
    for i in range(n): s += Square(i % 10).area()
    return s


def extension_methods(n):
    s = 0
    for i in range(n): s += doubled(i) + len(titled('server'))
    return s


def static_with_defaults(n):
    s = 0
    for i in range(n): s += clamp(i) + clamp(i, 50) + clamp(i, most=10)
    return s


def static_properties(n):
    Registry.clear()
    s = 0
    for i in range(n): s += Registry.register('name' + str(i % 60))
    return s + Registry.last


def search_tree(n):
    t = Tree(500)
    for i in range(n): t.insert(i * 7919 % 1009)
    hits = 0
    for i in range(200):
        if t.has(i): hits += 1
    return hits + t.depth()


def composite(n):
    a = Folder('a', [File('x', 10), File('y', 5)])
    root = Folder('root', [a, File('z', 7), Folder('empty')])
    s = 0
    for i in range(n): s += root.size()
    return s


def stack(n):
    st = Stack()
    s = 0
    for i in range(n):
        st.push(i).push(i * 2)
        if i % 2 == 1: s = s + st.pop() - st.pop() + st.pop()
    while not st.is_empty(): s += st.pop()
    return s


def query_builder(n):
    c = 0
    for i in range(n):
        q = Query().of('hosts').take('name', 'address').take('ram').least('ram', i).least('cpus', 2)
        c += len(q.text())
    return c


def vectors(n):
    v = Vector(1, 2)
    s = 0
    for i in range(n): s += v.plus(Vector(i, 3)).scaled(2).dot(v)
    return s


def object_list_sorted(n):
    l = sorted([Counter(i * 7919 % 1009) for i in range(n)], key=lambda c: c.value)
    return l[0].value + l[-1].value * 3 + l[5].value


def kinds_of_objects(n):
    l = [Circle(1), Rect(1, 1), Counter(), Square(1)]
    s = 0
    for i in range(n):
        x = l[i % 4]
        if isinstance(x, Rect): s += 2
        elif isinstance(x, Shape): s += 1
    return s
