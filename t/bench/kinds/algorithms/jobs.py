"""Algorithms: recursion, sorting, tables, graphs, large integers, floats. What each method of package/ does."""


class Point:
    def __init__(self, x, y): self.x = x; self.y = y


def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)


def gcd(a, b):
    while b != 0: a, b = b, a % b
    return a


def hanoi(n, a, b, c): return 0 if n == 0 else hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)


def permutations(l):
    if len(l) < 2: return [l]
    out = []
    for i in range(len(l)):
        rest = l[:i] + l[i + 1:]
        for p in permutations(rest): out.append([l[i]] + p)
    return out


def quick(l):
    if len(l) < 2: return l
    p = l[0]
    rest = l[1:]
    return quick([x for x in rest if x < p]) + [p] + quick([x for x in rest if x >= p])


def merge(a, b):
    i = j = 0
    out = []
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i])
            i += 1
        else:
            out.append(b[j])
            j += 1
    return out + a[i:] + b[j:]


def merge_all(l):
    if len(l) < 2: return l
    mid = len(l) // 2
    return merge(merge_all(l[:mid]), merge_all(l[mid:]))


def heap_down(h, i, n):
    while 2 * i + 1 < n:
        c = 2 * i + 1
        if c + 1 < n and h[c + 1] > h[c]: c += 1
        if h[c] <= h[i]: break
        h[c], h[i] = h[i], h[c]
        i = c
    return h


def fibonacci(n):
    s = 0
    for i in range(n): s += fib(10)
    return s


def gcds(n):
    s = 0
    for i in range(n): s += gcd(i * 12, 360)
    return s


def towers(n):
    s = 0
    for i in range(n): s += hanoi(5, 'a', 'b', 'c')
    return s


def permuted(n):
    s = 0
    for i in range(n):
        all_ = permutations([1, 2, 3, 4])
        s += len(all_) + all_[i % 24][0]
    return s


def quick_sort(n):
    r = quick([i * 7919 % 100003 for i in range(n)])
    return r[0] + r[5] * 3 + r[-1]


def merge_sort(n):
    r = merge_all([i * 7919 % 100003 for i in range(n)])
    return r[0] + r[5] * 3 + r[-1]


def heap_sort(n):
    h = [i * 7919 % 100003 for i in range(n)]
    for i in range(n // 2 - 1, -1, -1): h = heap_down(h, i, n)
    for end in range(n - 1, 0, -1):
        h[0], h[end] = h[end], h[0]
        h = heap_down(h, 0, end)
    return h[0] + h[5] * 3 + h[-1]


def bubble_sort(n):
    l = [i * 7919 % 1009 for i in range(n)]
    for i in range(n):
        for j in range(n - i - 1):
            if l[j] > l[j + 1]: l[j], l[j + 1] = l[j + 1], l[j]
    return l[0] + l[3] * 3 + l[-1]


def matrix_product(n):
    a = [[j + 1 for j in range(8)] for i in range(8)]
    s = 0
    for r in range(n):
        c = []
        for i in range(8):
            row = []
            for j in range(8):
                x = 0
                for k in range(8): x += a[i][k] * a[k][j]
                row.append(x + r)
            c.append(row)
        s += c[3][4]
    return s


def longest_common(n):
    a = 'deployment of hosts'
    b = 'development of ghosts'
    s = 0
    for r in range(n):
        prev = [0] * (len(b) + 1)
        for x in a:
            cur = [0]
            for j, y in enumerate(b):
                if x == y: cur.append(prev[j] + 1)
                else: cur.append(max(prev[j + 1], cur[j]))
            prev = cur
        s += prev[-1]
    return s


def knapsack(n):
    best = [0] * (n + 1)
    for w, v in zip([3, 4, 7, 8, 9], [4, 5, 10, 11, 13]):
        for j in range(n, w - 1, -1):
            t = best[j - w] + v
            if t > best[j]: best[j] = t
    return best[n]


def breadth_first(n):
    from collections import deque
    edges = {}
    for i in range(n): edges[i] = [(i * 2 + 1) % n, (i * 3 + 2) % n]
    dist = {0: 0}
    queue = deque([0])
    while queue:
        x = queue.popleft()
        for y in edges[x]:
            if y not in dist:
                dist[y] = dist[x] + 1
                queue.append(y)
    return sum(dist.values()) + len(dist)


def union_find(n):
    parent = list(range(n))
    for i in range(n):
        a = i
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        b = (i * 7 + 3) % n
        while parent[b] != b: b = parent[b]
        parent[a] = b
    return len([i for i in range(n) if parent[i] == i])


def topological(n):
    needs = {}
    for i in range(n):
        needs['s' + str(i)] = [] if i < 2 else ['s' + str(i // 2), 's' + str(i - 2)]
    done = {}
    order = []
    for name in needs:
        if all(x in done for x in needs[name]):
            done[name] = len(order)
            order.append(name)
    return len(order) + sum(done.values())


def big_factorial(n):
    s = 0
    for r in range(n):
        f = 1
        for i in range(1, 40): f *= i
        s += f % 1000003
    return s


def big_fibonacci(n):
    a = 0
    b = 1
    for i in range(n): a, b = b, (a + b) % 1000000000000000000000000000057
    return a % 1000000007


def newton(n):
    s = 0.0
    for i in range(n):
        x = i + 1.0
        g = x
        for _ in range(8): g = (g + x / g) / 2
        s += g
    return s


def mandelbrot(n):
    s = 0
    for i in range(n):
        cr = i % 40 / 20.0 - 1.5
        ci = i // 40 % 20 / 10.0 - 1.0
        zr = zi = 0.0
        k = 0
        while k < 20 and zr * zr + zi * zi < 4.0:
            zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
            k += 1
        s += k
    return s


def binary_search(n):
    l = [i * 3 for i in range(1000)]
    hits = 0
    for i in range(n):
        x = i * 7 % 3000
        lo = 0
        hi = len(l)
        while lo < hi:
            mid = (lo + hi) // 2
            if l[mid] < x: lo = mid + 1
            else: hi = mid
        if lo < len(l) and l[lo] == x: hits += 1
    return hits


def digits(n):
    s = 0
    for i in range(n):
        x = i * i
        while x > 0:
            s += x % 10
            x //= 10
    return s


def digits_by_text(n):
    s = 0
    for i in range(n): s += sum([int(c) for c in str(i * 37)])
    return s


def life(n):
    alive = {}
    for c in [[1, 0], [2, 1], [0, 2], [1, 2], [2, 2]]: alive[c[0] * 100 + c[1]] = True
    for step in range(n):
        near = {}
        for c in alive:
            for d in [-101, -100, -99, -1, 1, 99, 100, 101]: near[c + d] = near.get(c + d, 0) + 1
        alive = {c: True for c in near if near[c] == 3 or near[c] == 2 and c in alive}
    return len(alive) + min(alive)


def memo(n):
    memo = {}
    longest = 0
    for i in range(1, n):
        x = i
        steps = 0
        while x != 1 and x not in memo:
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            steps += 1
        steps += memo.get(x, 0)
        memo[i] = steps
        longest = max(longest, steps)
    return longest


def bits(n):
    s = 0
    for i in range(n): s += (i ^ i >> 1) & 255
    return s


def points_closest(n):
    points = [Point(i * 37 % 50, i * 23 % 40) for i in range(12)]
    s = 0
    for i in range(n):
        p = points[i % 12]
        best = 100000
        for q in points:
            if q is not p:
                d = (p.x - q.x) * (p.x - q.x) + (p.y - q.y) * (p.y - q.y)
                if d < best: best = d
        s += best
    return s
