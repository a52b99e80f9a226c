"""Tables, lists and dicts in algorithms: what each MuranoPL method of package/ does."""


def find(parents, x):
    root = x
    while parents[root] != root: root = parents[root]
    return root


def ways(memo, n, most):
    if n == 0: return 1
    if n < 0 or most == 0: return 0
    key = str(n) + '/' + str(most)
    if key in memo: return memo[key]
    r = ways(memo, n - most, most) + ways(memo, n, most - 1)
    memo[key] = r
    return r


def differences(old, new, path):
    out = []
    for k in sorted(old):
        if k not in new:
            out.append('-' + path + k)
        else:
            a, b = old[k], new[k]
            if isinstance(a, dict) and isinstance(b, dict): out.extend(differences(a, b, path + k + '/'))
            elif a != b: out.append('~' + path + k + ': ' + str(a) + ' -> ' + str(b))
    for k in sorted(new):
        if k not in old: out.append('+' + path + k)
    return out


def knapsack_items(n):
    items = [['tent', 5, 30], ['stove', 3, 14], ['rope', 4, 16], ['lamp', 2, 9], ['map', 1, 3]]
    s = 0
    for k in range(n):
        room = 7 + k % 4
        table = [[0] * (room + 1)]
        for item in items:
            above = table[-1]
            row = []
            for w in range(room + 1):
                best = above[w]
                if item[1] <= w and above[w - item[1]] + item[2] > best: best = above[w - item[1]] + item[2]
                row.append(best)
            table.append(row)
        w = room
        taken = []
        i = len(items)
        while i > 0:
            if table[i][w] != table[i - 1][w]:
                taken.append(items[i - 1][0])
                w -= items[i - 1][1]
            i -= 1
        s += table[-1][-1] * 10 + len(taken)
    return s


def builds_ordered(n):
    needs = {'app': ['web', 'db', 'auth'], 'web': ['lib'], 'db': ['lib', 'disk'], 'auth': ['db', 'lib'], 'lib': [], 'disk': [], 'logs': ['disk']}
    s = 0
    for k in range(n):
        missing, users = {}, {}
        for x, ys in needs.items():
            missing[x] = len(ys)
            for y in ys: users.setdefault(y, []).append(x)
        ready = [x for x in missing if missing[x] == 0]
        order = []
        while ready:
            x = ready.pop(0)
            order.append(x)
            for y in users.get(x, []):
                missing[y] -= 1
                if missing[y] == 0: ready.append(y)
        s += len(' '.join(order)) + order.index('app')
    return s


def clusters_joined(n):
    names = ['host' + str(i) for i in range(40)]
    joined = 0
    for r in range(n):
        parents = {x: x for x in names}
        for i in range(30):
            a = find(parents, names[i * 7 % 40])
            b = find(parents, names[(i * i + r) % 40])
            if a != b:
                parents[a] = b
                joined += 1
    return joined


def matrix_floats(n):
    a = [[(i + j) * 0.5 for j in range(6)] for i in range(6)]
    trace = 0.0
    for k in range(n):
        c = []
        for row in a:
            line = []
            for j in range(6):
                x = 0.0
                for i in range(6): x += row[i] * a[i][j]
                line.append(x / 10)
            c.append(line)
        for i in range(6): trace += c[i][i]
    return trace


def moving_average(n):
    window, total, peaks, last = [], 0.0, 0, 0.0
    for i in range(n):
        value = (i * 37 % 101) * 0.25
        window.append(value)
        total += value
        if len(window) > 8: total -= window.pop(0)
        mean = total / len(window)
        if value > mean * 1.5: peaks += 1
        last = mean
    return str(peaks) + ' ' + str(last)


def rooms_scheduled(n):
    s = 0
    for k in range(n):
        meetings = []
        for i in range(12):
            start = (i * 5 + k) % 24
            meetings.append({'name': 'm' + str(i), 'start': start, 'end': start + 1 + i % 4})
        end, held = 0, []
        for m in sorted(meetings, key=lambda m: (m['end'], m['start'])):
            if m['start'] >= end:
                held.append(m['name'])
                end = m['end']
        s += len(held) * 100 + len(','.join(held))
    return s


def bins_packed(n):
    s = 0
    for k in range(n):
        sizes = sorted([(i * 7 + k) % 9 + 1 for i in range(12)], reverse=True)
        bins, room = [], []
        for size in sizes:
            i = 0
            while i < len(bins) and room[i] < size: i += 1
            if i == len(bins):
                bins.append([size])
                room.append(12 - size)
            else:
                bins[i].append(size)
                room[i] -= size
        s += len(bins) * 100 + len(bins[0]) * 10 + sum(room)
    return s


def graph_coloured(n):
    s = 0
    for k in range(n):
        near = [[] for _ in range(12)]
        for i in range(12):
            j = (i * 5 + 1 + k) % 12
            if i != j:
                near[i].append(j)
                near[j].append(i)
        colours = [-1] * 12
        for i in range(12):
            used = set()
            for j in near[i]:
                if colours[j] >= 0: used.add(colours[j])
            c = 0
            while c in used: c += 1
            colours[i] = c
        s += max(colours) * 100 + sum(colours)
    return s


def area_sums(n):
    grid = [[(x * 3 + y * 7) % 10 for x in range(10)] for y in range(10)]
    sums = [[0] * 11]
    for row in grid:
        line = [0]
        for x in range(10): line.append(row[x] + line[x] + sums[-1][x + 1] - sums[-1][x])
        sums.append(line)
    s = 0
    for k in range(n):
        y0, x0 = k % 7, k % 5
        y1, x1 = y0 + 1 + k % 3, x0 + 1 + k % 4
        s += sums[y1][x1] - sums[y0][x1] - sums[y1][x0] + sums[y0][x0]
    return s


def triples_found(n):
    s = 0
    for k in range(n):
        l = sorted((i * 11 + k) % 29 - 14 for i in range(14))
        found = []
        for i in range(len(l) - 2):
            a, b = i + 1, len(l) - 1
            while a < b:
                total = l[i] + l[a] + l[b]
                if total == 0: found.append([l[i], l[a], l[b]])
                if total < 0: a += 1
                else: b -= 1
        s += len(found)
        if found: s += found[-1][1]
    return s


def partitions(n):
    s = 0
    for k in range(n):
        memo = {}
        s += ways(memo, 8 + k % 5, 6) + len(memo)
    return s


def latencies(n):
    limits = [0.5, 1.0, 2.5, 5.0, 10.0]
    counts = [0, 0, 0, 0, 0, 0]
    total = squares = 0.0
    for i in range(n):
        t = (i * 7919 % 1201) / 100.0
        b = 0
        while b < 5 and t > limits[b]: b += 1
        counts[b] += 1
        total += t
        squares += t * t
    mean = total / n
    return ' '.join(map(str, counts)) + ' ' + str(round(mean, 3)) + ' ' + str(round(squares / n - mean * mean, 3))


def centres(n):
    s = 0.0
    for k in range(n):
        points = [(i * 13 + k) % 50 * 0.5 for i in range(20)]
        middle = [0.0, 10.0, 20.0]
        for _ in range(4):
            sums, counts = [0.0, 0.0, 0.0], [0, 0, 0]
            for p in points:
                best, far = 0, abs(p - middle[0])
                for c in range(1, 3):
                    d = abs(p - middle[c])
                    if d < far: best, far = c, d
                sums[best] += p
                counts[best] += 1
            for c in range(3):
                if counts[c] > 0: middle[c] = sums[c] / counts[c]
        s += middle[1]
    return s


def statement(n):
    months, balance = {}, 0.0
    for i in range(n):
        month = '2024-' + str(i % 12 + 1)
        amount = (i * 37 % 201 - 100) * 0.25
        balance += amount
        m = months.get(month)
        if m is None: m = months[month] = {'income': 0.0, 'out': 0.0, 'low': balance, 'count': 0}
        if amount >= 0: m['income'] += amount
        else: m['out'] -= amount
        if balance < m['low']: m['low'] = balance
        m['count'] += 1
    lines = []
    for k in sorted(months):
        m = months[k]
        lines.append(k + ' ' + str(m['income']) + ' ' + str(m['out']) + ' ' + str(m['low']) + ' ' + str(m['count']))
    return '; '.join(lines)


def settings_diffed(n):
    s = 0
    for k in range(n):
        old = {'name': 'web', 'port': 80, 'limits': {'cpu': 2, 'mem': k % 3}, 'tags': 'a', 'gone': 1}
        new = {'name': 'web', 'port': 80 + k % 2, 'limits': {'cpu': 4, 'mem': 1, 'disk': 9}, 'tags': 'a', 'more': 2}
        lines = differences(old, new, '/')
        s += len(lines) * 100 + len('\n'.join(lines))
    return s


def stock_allocated(n):
    short, text = 0, ''
    for k in range(n):
        lots = [{'sku': 'a', 'left': 5}, {'sku': 'b', 'left': 8}, {'sku': 'a', 'left': 7}, {'sku': 'c', 'left': 3}]
        lines = []
        for sku, want in [['a', 6], ['b', 3 + k % 7], ['c', 4], ['a', 2]]:
            i = 0
            while i < len(lots) and want > 0:
                lot = lots[i]
                if lot['sku'] == sku and lot['left'] > 0:
                    take = min(want, lot['left'])
                    lot['left'] -= take
                    want -= take
                    lines.append(sku + str(i) + '=' + str(take))
                i += 1
            short += want
        text = ' '.join(lines)
    return str(short) + ' ' + text
