"""The methods of package/ in Python."""


def parcels_routed(n):
    roads = {'a': ['b', 'c'], 'b': ['d'], 'c': ['d', 'e'], 'd': ['f'], 'e': ['f', 'g'], 'f': ['h'], 'g': ['h'], 'h': []}
    s = 0
    for i in range(n):
        came = {'a': None}
        queue = ['a']
        while queue:
            at = queue.pop(0)
            if at == 'h':
                queue = []
            else:
                for to in roads[at]:
                    if to not in came:
                        came[to] = at
                        queue.append(to)
        path = []
        at = 'h'
        while at is not None:
            path.insert(0, at)
            at = came[at]
        s += len(path) + len(''.join(path))
    return s


def matrices_multiplied(n):
    a = [[1, 2, 3], [4, 5, 6], [7, 8, 10]]
    s = 0
    for k in range(n):
        c = []
        for i in range(3):
            row = []
            for j in range(3):
                x = 0
                for m in range(3):
                    x += a[i][m] * a[m][j]
                row.append(x)
            c.append(row)
        s += c[0][0] + c[k % 3][2]
    return s


def ranges_summed(n):
    data = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]
    asked = [[0, 3], [2, 7], [5, 10], [1, 9]]
    s = 0
    for i in range(n):
        sums = [0]
        for x in data:
            sums.append(sums[-1] + x)
        for q in asked:
            s += sums[q[1]] - sums[q[0]]
    return s


def pairs_found(n):
    data = [2, 7, 11, 15, 3, 8, 1, 4]
    s = 0
    for i in range(n):
        want = 9 + i % 5
        seen = {}
        at = 0
        for x in data:
            if want - x in seen:
                s += seen[want - x] * 10 + at
            seen[x] = at
            at += 1
    return s


def events_scheduled(n):
    s = 0
    for i in range(n):
        queue = [[3, 'open'], [5, 'check'], [9, 'close']]
        time = steps = 0
        while queue and steps < 10:
            event = queue.pop(0)
            time = event[0]
            steps += 1
            if event[1] == 'check' and time < 20:
                at = 0
                while at < len(queue) and queue[at][0] <= time + 4:
                    at += 1
                queue.insert(at, [time + 4, 'check'])
        s += time + steps
    return s


class Host:
    def __init__(self, name, free):
        self.name, self.free, self.vms = name, free, []

    def fits(self, need):
        return self.free >= need

    def place(self, vm, need):
        self.free -= need
        self.vms.append(vm)


def hosts_filled(n):
    s = 0
    for i in range(n):
        hosts = [Host('a', 8), Host('b', 4), Host('c', 16)]
        lost = k = 0
        for need in [4, 6, 2, 8, 4, 9]:
            k += 1
            found = False
            for h in hosts:
                if h.fits(need):
                    h.place('vm' + str(k), need)
                    found = True
                    break
            if not found:
                lost += 1
        s += lost + sum([len(h.vms) * h.free for h in hosts])
    return s


def morse_sent(n):
    codes = {'a': '.-', 'b': '-...', 'c': '-.-.', 'd': '-..', 'e': '.', 'f': '..-.', 'o': '---', 'r': '.-.', 's': '...', 't': '-'}
    s = 0
    for i in range(n):
        out = []
        for c in 'forest bread':
            if c == ' ':
                out.append('/')
            else:
                out.append(codes[c])
        s += len(' '.join(out))
    return s


def meetings_overlap(n):
    meetings = [[900, 1000], [930, 1030], [1100, 1200], [1030, 1130], [1400, 1500]]
    s = 0
    for i in range(n):
        clashes = []
        last = None
        for m in sorted(meetings, key=lambda m: m[0]):
            if last is not None and m[0] < last[1]:
                clashes.append([last, m])
            last = m
        s += len(clashes) * 100 + last[0] % 7
    return s


class Memo:
    def __init__(self):
        self.known = {}

    def ways(self, n):
        if n < 2:
            return 1
        if n in self.known:
            return self.known[n]
        r = (self.ways(n - 1) + self.ways(n - 2)) % 1000003
        self.known[n] = r
        return r


def ways_remembered(n):
    s = 0
    for i in range(n):
        s += Memo().ways(20 + i % 5)
    return s


def words_ranked(n):
    text = 'the cat and the dog and the bird saw the cat'
    s = 0
    for i in range(n):
        counts = {}
        for w in text.split(' '):
            counts[w] = counts.get(w, 0) + 1
        for p in sorted(counts.items(), key=lambda p: (-p[1], p[0]))[:3]:
            s += len(p[0]) * p[1]
    return s


def option_of(conf, path, other):
    at = conf
    for part in path.split('.'):
        if not isinstance(at, dict) or part not in at:
            return other
        at = at[part]
    return at


def options_read(n):
    conf = {'db': {'host': 'localhost', 'port': 5432, 'pool': {'size': 5}}, 'debug': False}
    s = 0
    for i in range(n):
        s += option_of(conf, 'db.pool.size', 1) + option_of(conf, 'db.port', 0) + option_of(conf, 'log.level', 3)
    return s


def islands_counted(n):
    grid = ['##..#', '#...#', '..##.', '#....']
    s = 0
    for i in range(n):
        seen = {}
        count = 0
        for y in range(4):
            for x in range(5):
                if grid[y][x] == '#' and (x, y) not in seen:
                    count += 1
                    todo = [(x, y)]
                    while todo:
                        p = todo.pop()
                        if p not in seen:
                            seen[p] = True
                            for d in [(0, 1), (1, 0), (0, -1), (-1, 0)]:
                                u = p[0] + d[0]
                                v = p[1] + d[1]
                                if 0 <= u < 5 and 0 <= v < 4:
                                    if grid[v][u] == '#':
                                        todo.append((u, v))
        s += count
    return s


def machines_run(n):
    code = [['push', 10], ['push', 1], ['swap', 0], ['dup', 0], ['jz', 12], ['dup', 0], ['rot', 0], ['mul', 0], ['swap', 0], ['push', -1],
            ['add', 0], ['jmp', 3], ['pop', 0]]
    s = 0
    for i in range(n):
        stack = []
        pc = steps = 0
        while pc < len(code):
            op, arg = code[pc]
            pc += 1
            steps += 1
            if op == 'push':
                stack.append(arg)
            elif op == 'pop':
                stack.pop()
            elif op == 'dup':
                stack.append(stack[-1])
            elif op == 'swap':
                stack[-2:] = [stack[-1], stack[-2]]
            elif op == 'rot':
                stack[-3:] = [stack[-2], stack[-1], stack[-3]]
            elif op == 'add':
                stack[-2:] = [stack[-2] + stack[-1]]
            elif op == 'mul':
                stack[-2:] = [stack[-2] * stack[-1]]
            elif op == 'jmp':
                pc = arg
            elif op == 'jz':
                if stack[-1] == 0:
                    pc = arg
        s += steps + len(stack)
    return s


class Editor:
    def __init__(self):
        self.text, self.done, self.undone = '', [], []

    def type(self, t):
        self.done.append(self.text)
        self.text += t
        self.undone = []

    def undo(self):
        if self.done:
            self.undone.append(self.text)
            self.text = self.done.pop()

    def redo(self):
        if self.undone:
            self.done.append(self.text)
            self.text = self.undone.pop()


def texts_edited(n):
    s = 0
    for i in range(n):
        e = Editor()
        e.type('hello')
        e.type(' world')
        e.undo()
        e.type('!')
        e.undo()
        e.redo()
        s += len(e.text) + len(e.done)
    return s


def csv_loaded(n):
    text = 'id,name,age\n1,Ann,33\n2,Bob,41\n3,Cy,29'
    s = 0
    for i in range(n):
        lines = text.split('\n')
        names = lines[0].split(',')
        rows = []
        for line in lines[1:]:
            cells = line.split(',')
            row = {}
            for k in range(len(names)):
                row[names[k]] = cells[k]
            rows.append(row)
        for r in rows:
            s += int(r['age']) + len(r['name'])
    return s


class Leaf:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None

    def insert(self, key):
        if key < self.key:
            if self.left is None:
                self.left = Leaf(key)
            else:
                self.left.insert(key)
        else:
            if self.right is None:
                self.right = Leaf(key)
            else:
                self.right.insert(key)

    def in_order(self):
        out = []
        if self.left is not None:
            out = self.left.in_order()
        out.append(self.key)
        if self.right is not None:
            out += self.right.in_order()
        return out


def leaves_inserted(n):
    s = 0
    for i in range(n):
        root = Leaf(50)
        for k in [30, 70, 20, 40, 60, 80, 35, 65]:
            root.insert(k)
        every = root.in_order()
        s += every[0] + every[4] + len(every)
    return s


def grades_averaged(n):
    marks = [['ann', 4], ['bob', 3], ['ann', 5], ['cy', 2], ['bob', 4], ['ann', 3]]
    s = 0.0
    for i in range(n):
        by = {}
        for m in marks:
            by.setdefault(m[0], []).append(m[1])
        for name in by:
            row = by[name]
            s += sum(row) * 1.0 / len(row)
    return s


def batches_made(n):
    items = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
    s = 0
    for k in range(n):
        size = 2 + k % 3
        rest = items
        batches = []
        while rest:
            batches.append(rest[:size])
            rest = rest[size:]
        s += len(batches) * 10 + len(batches[-1])
    return s


def phones_normal(n):
    numbers = ['+47 22 33 44 55', '(020) 7946-0958', '0049-30-901820', 'n/a']
    s = 0
    for i in range(n):
        out = ''
        for c in numbers[i % 4]:
            if c in '0123456789+':
                out += c
        if out.startswith('00'):
            out = '+' + out[2:]
        s += len(out)
    return s


def names_chosen(n):
    people = [{'name': 'Ann', 'age': 33, 'team': 'red'}, {'name': 'Bob', 'age': 17, 'team': 'blue'}, {'name': 'Cy', 'age': 45, 'team': 'red'}]
    s = 0
    for i in range(n):
        adults = []
        for p in people:
            if p['age'] >= 18 + i % 20 and p['team'] == 'red':
                adults.append(p['name'].upper())
        s += len(', '.join(adults))
    return s
