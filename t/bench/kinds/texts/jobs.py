"""Texts and dates: built, taken apart, searched. What each method of package/ does."""
import datetime
import re


class Report:
    def __init__(self): self.out = []
    def add(self, line): self.out.append(line + '\n')


def hex_digit(d): return '0123456789abcdef'[d]


def report(n):
    r = Report()
    for i in range(n): r.add('row ' + str(i))
    return len(''.join(r.out))


def joined_lines(n):
    lines = []
    for i in range(n): lines.append('server=' + str(i) + ';')
    return len('\n'.join(lines))


def hex(n):
    c = 0
    for i in range(n):
        x = i * 2654435 % 16777216
        t = ''
        while x > 0:
            t = hex_digit(x % 16) + t
            x = x // 16
        c += len(t)
    return c


def palindromes(n):
    c = 0
    for i in range(n):
        t = str(i)
        if t == t[::-1]: c += 1
    return c


def vowels(n):
    text = 'the quick brown fox jumps over the lazy dog'
    c = 0
    for i in range(n):
        if text[i % 43] in ('a', 'e', 'i', 'o', 'u'): c += 1
    return c


def words_counted(n):
    text = 'to be or not to be that is the question ' * (n // 10)
    count = {}
    for w in text.strip().split(' '): count[w] = count.get(w, 0) + 1
    return count['be'] * 100 + len(count)


def csv_rows(n):
    s = 0
    for i in range(n):
        f = ('web' + str(i) + ', 10.0.0.1 ,8080, eu-west').split(',')
        s += int(f[2]) + len(f[1].strip()) + len(f[0])
    return s


def query_string(n):
    c = 0
    d = {'user': 'ann', 'page': '3', 'sort': 'name'}
    for i in range(n): c += len('&'.join([k + '=' + v for k, v in d.items()]))
    return c


def ini_file(n):
    s = 0
    lines = ['[main]', '# comment', 'port = 80', 'host=web', '', '[log]', 'level = 3']
    for i in range(n):
        section = 'none'
        conf = {}
        for line in lines:
            if not line or line.startswith('#'): continue
            if line.startswith('['): section = line[1:-1]
            else:
                k, v = line.split('=', 1)
                conf[section + '.' + k.strip()] = v.strip()
        s += len(conf) + int(conf['main.port'])
    return s


def regex_matches(n):
    c = 0
    r = re.compile('^web-[0-9]+$')
    for i in range(n):
        name = 'web-' + str(i)
        if r.search(name) and re.search('[05]$', name): c += 1
    return c


def regex_replaced(n):
    s = 0
    r = re.compile('[0-9]+')
    for i in range(n): s += len(r.sub('#', 'a' + str(i) + 'b' + str(i * 3) + 'c'))
    return s


def regex_groups(n):
    s = 0
    r = re.compile('([a-z]+)=([0-9]+)')
    for i in range(n):
        m = r.search('cpu=' + str(i) + ';ram=77')
        d = {'key': m.group(1), 'value': int(m.group(2))}
        s += d['value'] + len(d['key'])
    return s


def regex_split(n):
    s = 0
    r = re.compile(', *')
    for i in range(n): s += len(r.split('a, b,c,   ' + str(i)))
    return s


def title_case(n):
    c = 0
    for i in range(n):
        t = ' '.join([w[:1].upper() + w[1:] for w in 'my small server'.split(' ')])
        c += len(t) + t.find('S')
    return c


def padded(n):
    c = 0
    for i in range(n):
        t = str(i)
        t = '0' * (8 - len(t)) + t
        c += int(t[4:]) + len(t)
    return c


def starts_and_ends(n):
    c = 0
    files = ['a.yaml', 'b.json', 'test_c.yaml', 'd.txt']
    for i in range(n):
        f = files[i % 4]
        if f.endswith('.yaml') and not f.startswith('test_'): c += 1
        if 'json' in f: c += 10
    return c


def checksum(n):
    codes = {c: i + 97 for i, c in enumerate('abcdefghijklmnopqrstuvwxyz')}
    h = 5381
    for ch in 'deploymentunit' * (n // 14): h = (h * 33 + codes.get(ch)) % 4294967296
    return h


def run_length(n):
    out = last = ''
    count = 0
    for ch in 'aaabccddddde' * (n // 12):
        if ch == last: count += 1
        else:
            if count > 0: out += last + str(count)
            last = ch
            count = 1
    out += last + str(count)
    return len(out)


def tokens(n):
    text = '12+34*(5-x1) ' * (n // 13)
    i = 0
    count = {'num': 0, 'name': 0, 'op': 0}
    digits = '0123456789'
    while i < len(text):
        ch = text[i]
        if ch in digits:
            while i < len(text) and text[i] in digits: i += 1
            count['num'] += 1
        else:
            if ch != ' ':
                if ch == 'x': count['name'] += 1
                else: count['op'] += 1
            i += 1
    return count['num'] * 10000 + count['name'] * 100 + count['op']


def unicode_names(n):
    c = 0
    names = ['Zoë', 'Łukasz', 'François', 'Ærø']
    for i in range(n):
        name = names[i % 4]
        c += len(name.upper()) + len(name[1:3]) + name.find('ç')
    return c


def dates_formatted(n):
    start = datetime.datetime(2024, 1, 1)
    c = 0
    for i in range(n):
        d = start + datetime.timedelta(days=i % 366)
        c += len(d.strftime('%Y-%m-%d')) + d.weekday()
    return c


def dates_parsed(n):
    s = 0
    for i in range(n):
        d = datetime.datetime.fromisoformat('2024-03-' + str(i % 20 + 10) + 'T12:30:00')
        s += d.day + d.hour
    return s


def date_differences(n):
    a = datetime.datetime(2024, 1, 1)
    s = 0
    for i in range(n):
        b = a + datetime.timedelta(hours=i)
        s += int((b - a).total_seconds() / 3600)
        if b > a: s += 1
    return s
