"""The jobs of the group in Python: what each MuranoPL method of package/ does."""


def log_levels(n):
    levels, modules = ['INFO', 'WARN', 'ERROR', 'DEBUG'], ['web', 'db', 'queue']
    count, worst = {}, ''
    for i in range(n):
        line = '2024-03-' + str(i % 28 + 1) + ' ' + levels[i % 4] + ' ' + modules[i % 3] + ': request ' + str(i) + ' done'
        parts = line.split(' ', 3)
        level, module = parts[1], parts[2].strip(':')
        key = level + '/' + module
        count[key] = count.get(key, 0) + 1
        if level == 'ERROR' and module == 'db': worst = parts[3]
    return str(len(count)) + ' ' + str(count['ERROR/db']) + ' ' + worst


class Light:
    times = {'red': {'after': 5, 'then': 'green'}, 'green': {'after': 4, 'then': 'yellow'}, 'yellow': {'after': 1, 'then': 'red'}}

    def __init__(self): self.colour = 'red'; self.since = 0; self.changes = {}

    def tick(self, now):
        rule = self.times[self.colour]
        if now - self.since >= rule['after']:
            self.colour = rule['then']
            self.since = now
            self.changes[rule['then']] = self.changes.get(rule['then'], 0) + 1
        return self.colour


def lights(n):
    light = Light()
    green = 0
    for now in range(n):
        if light.tick(now) == 'green': green += 1
    return green * 1000 + light.changes.get('red', 0)


class Agenda:
    def __init__(self): self.events = []

    def add(self, at, title):
        i = len(self.events)
        while i > 0 and self.events[i - 1]['at'] > at: i -= 1
        self.events.insert(i, {'at': at, 'title': title})

    def due(self, now):
        titles = []
        while len(self.events) > 0 and self.events[0]['at'] <= now:
            titles.append(self.events[0]['title'])
            del self.events[0]
        return titles


def agenda(n):
    a = Agenda()
    titles = 0
    for i in range(n):
        a.add(i + i * 7 % 12, 'call ' + str(i % 10))
        for t in a.due(i): titles += len(t)
    return titles + len(a.events)


class Ledger:
    def __init__(self): self.entries = []; self.balance = 0

    def book(self, day, kind, amount):
        if self.balance + amount < -1000: return False
        self.balance += amount
        self.entries.append({'day': day, 'kind': kind, 'amount': amount})
        return True

    def statement(self):
        totals, lines = {}, []
        for e in self.entries:
            t = totals.get(e['kind'], {'count': 0, 'sum': 0})
            totals[e['kind']] = {'count': t['count'] + 1, 'sum': t['sum'] + e['amount']}
        for k in sorted(totals): lines.append(k + ': ' + str(totals[k]['count']) + ' of ' + str(totals[k]['sum']))
        return '; '.join(lines) + ' = ' + str(self.balance)


def ledger(n):
    book, kinds, refused = Ledger(), ['rent', 'food', 'wage', 'misc'], 0
    for i in range(n):
        if not book.book(i % 31, kinds[i % 4], i * 37 % 200 - 100): refused += 1
    return book.statement() + ' ' + str(refused)


class Menu:
    def listed(self, entries, depth=0):
        out = []
        for e in entries:
            out.append('  ' * depth + '* ' + e['title'])
            if len(e.get('below', [])) > 0: out.extend(self.listed(e['below'], depth + 1))
        return out


def menu_listed(n):
    menu, s = Menu(), 0
    for i in range(n):
        tree = [{'title': 'file', 'below': [{'title': 'open'}, {'title': 'save', 'below': [{'title': 'as text'}, {'title': 'as pdf'}]}]},
                {'title': 'edit ' + str(i), 'below': [{'title': 'cut'}, {'title': 'paste'}]},
                {'title': 'help'}]
        s += len('\n'.join(menu.listed(tree)))
    return s


class Template:
    def __init__(self, text): self.text = text

    def filled(self, values):
        out, rest = '', self.text
        at = rest.find('{')
        while at >= 0:
            end = rest.find('}')
            name = rest[at + 1:end]
            out += rest[:at] + str(values.get(name, '?'))
            rest = rest[end + 1:]
            at = rest.find('{')
        return out + rest


def letters_written(n):
    t, s = Template('Dear {name}, your order {order} of {count} items costs {price}. {bye}'), 0
    for i in range(n):
        letter = t.filled({'name': 'Ann', 'order': i, 'count': i % 7 + 1, 'price': i * 3})
        s += len(letter)
    return s


def matrix_product(n):
    a, s = [[1, 2, 3], [4, 5, 6], [7, 8, 10]], 0
    for k in range(n):
        b, c = [[k, 1, 0], [0, k % 5, 2], [1, 0, 3]], []
        for row in a:
            line = []
            for j in range(3):
                total = 0
                for i in range(3): total += row[i] * b[i][j]
                line.append(total)
            c.append(line)
        s += c[0][0] + c[1][1] * 2 + c[2][2] * 3
    return s


def units(n):
    factors = {'B': 1, 'kB': 1024, 'MB': 1048576, 'GB': 1073741824}
    sizes = ['12 kB', '7 MB', '900 B', '3 GB', '250 MB']
    total, text = 0, ''
    for i in range(n):
        pair = sizes[i % 5].split(' ')
        size = int(pair[0]) * factors[pair[1]]
        total += size
        unit, value = 'B', size * 1.0
        for u in ['kB', 'MB', 'GB']:
            if value >= 1024:
                value = value / 1024
                unit = u
        text = str(value) + ' ' + unit
    return str(total) + ' ' + text


def calendar_days(n):
    days, s = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31], 0
    for i in range(n):
        left, year = i * 17 % 365, 2000 + i % 40
        leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
        month, size = 0, days[0]
        while left >= size:
            left -= size
            month += 1
            size = days[month]
            if month == 1 and leap: size = 29
        date = str(year) + '-' + str(month + 1) + '-' + str(left + 1)
        s += len(date) + month
    return s


def tokens_read(n):
    s = 0
    for k in range(n):
        text = 'let x' + str(k % 10) + ' = (12 + y) * 307;'
        tokens, word = [], ''
        for c in text:
            if c in 'abcdefghijklmnopqrstuvwxyz0123456789':
                word += c
            else:
                if word != '':
                    tokens.append(word)
                    word = ''
                if c != ' ': tokens.append(c)
        s += len(tokens) * 10 + len(tokens[1])
    return s


def sieve(n):
    prime = [x > 1 for x in range(n)]
    i = 2
    while i * i < n:
        if prime[i]:
            j = i * i
            while j < n:
                prime[j] = False
                j += i
        i += 1
    count = 0
    for p in prime:
        if p: count += 1
    return count


def votes(n):
    names, votes, seen = ['ann', 'bob', 'cid', 'dee', 'eve'], {}, set()
    for i in range(n):
        voter = i * 7 % 1000
        if voter not in seen:
            seen.add(voter)
            name = names[i * i % 5]
            votes[name] = votes.get(name, 0) + 1
        if i % 1000 == 999: seen = set()
    best = ''
    for name in votes:
        if best == '' or votes[name] > votes[best]: best = name
    return best + ' ' + str(votes[best])
