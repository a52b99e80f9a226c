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


def flat(d, prefix):
    out = {}
    for k, v in d.items():
        if isinstance(v, dict): out.update(flat(v, prefix + k + '.'))
        else: out[prefix + k] = v
    return out


def place(queens, n):
    row = len(queens)
    if row == n: return 1
    found = 0
    for col in range(n):
        free = True
        i = 0
        while free and i < row:
            c = queens[i]
            if c == col or abs(c - col) == row - i: free = False
            i += 1
        if free: found += place(queens + [col], n)
    return found


def where_to(l, x):
    low, high = 0, len(l)
    while low < high:
        mid = (low + high) // 2
        if l[mid] < x: low = mid + 1
        else: high = mid
    return low


def visit(graph, x, seen):
    if x in seen: return seen
    seen[x] = len(seen)
    for y in graph.get(x, []): visit(graph, y, seen)
    return seen


def polynomials(n):
    p = [1.5, -2.0, 0.25, 3.0, -0.5]
    s = 0.0
    for k in range(n):
        x = (k % 17) * 0.125
        y = 0.0
        for c in p: y = y * x + c
        slope = 0.0
        for i in range(4): slope = slope * x + p[i] * (4 - i)
        s += y - slope / 2
    return s


def anagrams(n):
    words = ['listen', 'silent', 'enlist', 'google', 'elgoog', 'abc', 'cab', 'bca', 'xyz']
    s = 0
    for k in range(n):
        groups = {}
        for w in words: groups.setdefault(''.join(sorted(w)), []).append(w)
        most = 0
        for g in groups.values():
            if len(g) > most: most = len(g)
        s += most * 10 + len(groups)
    return s


def mines_counted(n):
    s = 0
    for k in range(n):
        grid = [[(x * 3 + y * 5 + k) % 7 == 0 for x in range(8)] for y in range(8)]
        total = 0
        for y in range(8):
            for x in range(8):
                if not grid[y][x]:
                    near = 0
                    for dy in (-1, 0, 1):
                        for dx in (-1, 0, 1):
                            b, a = y + dy, x + dx
                            if a >= 0 and b >= 0 and a < 8 and b < 8:
                                if grid[b][a]: near += 1
                    total += near
        s += total
    return s


def josephus(n):
    s = 0
    for k in range(n):
        circle = list(range(20))
        at = 0
        while len(circle) > 1:
            at = (at + 2 + k % 3) % len(circle)
            del circle[at]
        s += circle[0]
    return s


def lists_merged(n):
    lists = [[1, 5, 9, 13], [2, 3, 11], [4, 6, 7, 8, 15], [10, 12]]
    s = 0
    for k in range(n):
        at = [0, 0, 0, 0]
        out = []
        while True:
            best = -1
            for i in range(4):
                if at[i] < len(lists[i]):
                    if best < 0 or lists[i][at[i]] < lists[best][at[best]]: best = i
            if best < 0: break
            out.append(lists[best][at[best]])
            at[best] += 1
        s += out[k % 14]
    return s


def permissions(n):
    roles = {'admin': ['read', 'write', 'delete'], 'editor': ['read', 'write'], 'viewer': ['read'], 'ops': ['restart', 'read']}
    users = [['ann', ['admin', 'ops']], ['bob', ['viewer']], ['cid', ['editor', 'ops']], ['dee', []]]
    s = 0
    for k in range(n):
        for name, has in users:
            may = set()
            for r in has: may = may | set(roles[r])
            if 'write' in may: s += 1
            s += len(may)
    return s


def closure(n):
    uses = {'a': ['b', 'c'], 'b': ['d'], 'c': ['d', 'e'], 'd': ['f'], 'e': ['f'], 'f': []}
    s = 0
    for k in range(n):
        for x in uses:
            seen, todo = [], list(uses[x])
            while todo:
                y = todo.pop()
                if y not in seen:
                    seen.append(y)
                    todo.extend(uses[y])
            s += len(seen)
    return s


def kept_sorted(n):
    l = []
    for k in range(n):
        x = k * 37 % 1009
        l.insert(where_to(l, x), x)
        if len(l) > 50: del l[25]
    return sum(l)


def medians(n):
    s = 0.0
    for k in range(n):
        l = [(i * 7 + k) % 31 * 0.5 for i in range(15)]
        mid = sorted(l)[7]
        spread = 0.0
        for x in l: spread += abs(x - mid)
        s += spread + max(l) - min(l)
    return s


def visited_deep(n):
    graph = {'a': ['b', 'c'], 'b': ['d', 'e'], 'c': ['f'], 'd': ['g'], 'e': ['g', 'a'], 'f': ['c'], 'g': ['h'], 'h': []}
    s = 0
    for k in range(n):
        seen = visit(graph, 'a', {})
        s += seen['h'] * 10 + len(seen)
    return s


def pages(n):
    l = list(range(23))
    s = 0
    for k in range(n):
        size = 3 + k % 4
        out = []
        at = 0
        while at < len(l):
            out.append(l[at:at + size])
            at += size
        s += len(out) + out[-1][0] + out[1][-1]
    return s


def flattened_names(n):
    s = 0
    for k in range(n):
        tree = {'web': {'port': 80, 'tls': {'cert': 'a', 'key': 'b'}}, 'db': {'name': 'shop', 'pool': {'min': 1, 'max': k}}, 'log': 'info'}
        f = flat(tree, '')
        s += len(f) * 10 + len(f['web.tls.cert']) + f['db.pool.max']
    return s


def sudoku_checked(n):
    good = 0
    for k in range(n):
        grid = [[(y * 3 + y // 3 + x + k) % 9 + 1 for x in range(9)] for y in range(9)]
        ok = True
        for i in range(9):
            row, column, box = set(), set(), set()
            for j in range(9):
                row.add(grid[i][j])
                column.add(grid[j][i])
                box.add(grid[i // 3 * 3 + j // 3][i % 3 * 3 + j % 3])
            if len(row) < 9 or len(column) < 9 or len(box) < 9: ok = False
        if ok: good += 1
    return good


def queens(n):
    s = 0
    for k in range(n): s += place([], 4 + k % 2)
    return s


def loans(n):
    s = 0.0
    for k in range(n):
        left, rate, rows, month = 1000.0 + k % 50, 0.01, [], 0
        while left > 0 and month < 24:
            interest = round(left * rate, 2)
            paid = min(left + interest, 50.0)
            left = left + interest - paid
            month += 1
            rows.append({'month': month, 'interest': interest, 'left': left})
        s += rows[-1]['left'] + sum(r['interest'] for r in rows)
    return s


def ballots(n):
    all_ = [['a', 'b', 'c'], ['a', 'c', 'b'], ['b', 'c', 'a'], ['c', 'b', 'a'], ['b', 'a', 'c'], ['c', 'b', 'a'], ['a', 'b', 'c']]
    s = 0
    for k in range(n):
        out, winner = [], ''
        while winner == '':
            count = {}
            for b in all_:
                i = 0
                while b[i] in out: i += 1
                count[b[i]] = count.get(b[i], 0) + 1
            least = None
            for name in count:
                if count[name] * 2 > len(all_): winner = name
                if least is None or count[name] < count[least]: least = name
            out.append(least)
        s += len(out) + len(winner)
    return s
