"""Control: exceptions, contracts, choices, let and def, loops, tasks. What each method of package/ does."""
import asyncio


class Timeout(Exception):
    pass


class Denied(Exception):
    pass


class Refused(Denied):
    pass


class Gateway:
    def __init__(self): self.calls = 0
    def fetch(self, i):
        self.calls += 1
        if self.calls % 4 == 1: raise Timeout('no answer', {'code': 504})
        if self.calls % 7 == 0: raise Refused('go away')
        return i
    def patiently(self, i):
        tries = 0
        while tries < 3:
            try: return self.fetch(i)
            except Timeout as e: tries += 1
            except Denied as e: return -1
        return 0


def check_host(h):
    if not isinstance(h['name'], str) or not h['name']: raise ValueError(h)
    if not isinstance(h['port'], int) or h['port'] <= 0: raise ValueError(h)
    for t in h['tags']:
        if t is not None and not isinstance(t, str): raise ValueError(h)


class Validator:
    def host(self, h):
        check_host(h)
        return h['port'] + len(h['tags'])
    def positive(self, x):
        if not isinstance(x, int) or x <= 0: raise ValueError(x)
        return x


class Cell:
    def __init__(self): self.sum = 0
    def add(self, x): self.sum += x
    async def add_later(self, x): self.sum += x


def retries_with_two_catches(n):
    g = Gateway()
    s = 0
    for i in range(n): s += g.patiently(i)
    return s + g.calls


def catch_all(n):
    s = 0
    for i in range(n):
        try:
            s += int('1' + str(i))
            if i % 2 == 0: raise ValueError('even number')
        except Exception as e: s += len(e.args[0])
        else: s += 1
        finally: s -= 3
    return s


def rethrown(n):
    s = 0
    for i in range(n):
        try:
            try: raise ValueError('it broke')
            except ValueError as e:
                s += 1
                raise
        except ValueError as f: s += len(f.args[0])
    return s


def contract_violations(n):
    v = Validator()
    s = 0
    for i in range(n):
        try: s += v.positive(i % 5 - 1)
        except ValueError: s += 100
    return s


def validated_dicts(n):
    v = Validator()
    s = 0
    for i in range(n): s += v.host({'name': 'web', 'port': i + 1, 'tags': ['a', 'b']})
    return s


def defaults_when_missing(n):
    s = 0
    m = {'a': 1, 'b': 2, 'c': 3}
    keys = ['a', 'x', 'b', 'y', 'c']
    for i in range(n):
        v = m.get(keys[i % 5])
        s += v if v is not None else i % 3
    return s


def parallel_pair(n):
    a = Cell()
    b = Cell()
    async def main():
        for i in range(n): await asyncio.gather(a.add_later(i), b.add_later(i * 2))
    asyncio.run(main())
    return a.sum + b.sum


def parallel_select(n):
    async def times(x, i): return x * i
    async def main():
        s = 0
        for i in range(n): s += sum(await asyncio.gather(*[times(x, i) for x in range(8)]))
        return s
    return asyncio.run(main())


def grades_switch(n):
    s = 0
    for i in range(n):
        x = i * 37 % 101
        s += 5 if x > 90 else 4 if x > 75 else 3 if x > 50 else 2 if x > 25 else 1
    return s


def grades_statement(n):
    s = 0
    for i in range(n):
        x = i * 37 % 101
        if x > 90: s += 5
        if x > 50: s += 3
        if x <= 50: s += 1
    return s


def case_of(n):
    s = 0
    for i in range(n): s += len(['small', 'medium', 'large', 'huge'][i % 4])
    return s


def select_case(n):
    s = 0
    for i in range(n):
        x = i * 37 % 101
        s += 0 if x > 90 else 1 if x > 75 else 2 if x > 50 else 3
        s += len([k for k, c in enumerate((x > 90, x > 50)) if c])
    return s


def let_names(n):
    s = 0
    for i in range(n):
        a = i % 7
        b = i % 11
        s += a * a + b * b - a * b
    return s


def with_values(n):
    s = 0
    for i in range(n):
        a, b = i % 7, i + 1
        s += a * b + a
    return s


def def_helper(n):
    s = 0
    for i in range(n):
        def sq(x): return x * x
        s += sq(i % 10) + sq(3)
    return s


def def_recursive(n):
    s = 0
    for i in range(n):
        def fact(x): return 1 if x < 2 else x * fact(x - 1)
        s += fact(i % 8)
    return s


def def_in_lambda(n):
    s = 0
    for i in range(n):
        def weight(x): return x * 2 + 1
        s += sum([weight(x) + i for x in range(6)])
    return s


def loops_nested(n):
    s = 0
    for i in range(n):
        for j in range(10):
            if j > i % 10: break
            if (i + j) % 3 == 0: continue
            s += j
    return s


def repeat(n):
    x = 1
    s = 0
    for _ in range(n):
        x = (x * 1103515245 + 12345) % 2147483648
        if x % 2 == 0: s += 1
    return s + x


def while_with_flags(n):
    found = 0
    for i in range(n):
        lo = 0
        hi = 100
        done = False
        while not done and lo < hi:
            mid = (lo + hi) // 2
            if mid * mid == i % 2000:
                done = True
                found += mid
            elif mid * mid < i % 2000: lo = mid + 1
            else: hi = mid
    return found


def items_of_dict(n):
    d = {'a': 1, 'b': 2, 'c': 3, 'd': 4}
    s = 0
    for i in range(n):
        for k, v in d.items(): s += len(k) + v * i
    return s


def enumerated(n):
    names = ['web', 'db', 'cache', 'queue']
    s = 0
    for i in range(n):
        for k, name in enumerate(names): s += k * i + len(name)
    return s


def null_chains(n):
    hosts = [{'net': {'ip': '10.0.0.1'}}, {'net': None}, {'name': 'b'}]
    s = 0
    for i in range(n):
        net = hosts[i % 3].get('net')
        ip = net['ip'] if net is not None else None
        if ip is None: s += 1
        else: s += len(ip)
    return s


def asserted(n):
    s = 0
    for i in range(n):
        x = i % 50
        if not x >= 0: raise AssertionError(x)
        s += x
    return s
