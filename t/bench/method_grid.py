"""Methods that nobody wrote: a change or a question, in loops of three kinds, of a variable or a property, beside Python.

usage: method_grid.py VETRO DIR [--every N] [--only NAME] [--steps N] [--worst RATIO]
       method_grid.py --pairs VETRO DIR [..]            methods of two steps (pairs.py): one makes what the other reads
       method_grid.py --right VETRO DIR [..]            only whether the results are right, built without optimization

A method's name is its parts: `append_range_variable`. DIR gets the package, its binary and the module of Python. Times are
processor time for four times --steps, the least of three. A method grows too fast where it does so by an exponent above 1.4, and
by a quarter more than Python's. The exit status is 1 where a result is wrong.
"""
import itertools
import json
import math
import os
import subprocess
import sys

from grid import options, quantiles
from pairs import KINDS

# Of each: its name, what @ begins with, and the same in Python; the statements of the loop, `if X | Y`, `for k in X | Y` and
# `try X | Y` among them, and the same in Python; what is returned, and the same in Python. @ is the variable or property, $c counts.
PARTS = [
    ('append', '[]', '[]', '@: @.append($i)', '@.append(i)', '@.len()', 'len(@)'),
    ('plus', '[]', '[]', '@: @ + [$i]', '@.append(i)', '@.len()', 'len(@)'),
    ('plus2', '[]', '[]', '@: @ + [$i, $i * 2]', '@+=[i,i*2]', '@.sum()', 'sum(@)'),
    ('appends', '[]', '[]', '@: @.append($i).append($i + 1)', '@.append(i); @.append(i+1)', '@.sum()', 'sum(@)'),
    ('setat', 'list(range(100))', 'list(range(100))', '@[$i mod 100]: $i', '@[i%100]=i', '@.sum()', 'sum(@)'),
    ('replace', 'list(range(100))', 'list(range(100))', '@: @.replace($i mod 100, $i).toList()', '@[i%100]=i', '@.sum()', 'sum(@)'),
    ('incat', 'list(range(100))', 'list(range(100))', '@[$i mod 100]: @[$i mod 100] + 1', '@[i%100]+=1', '@.sum()', 'sum(@)'),
    ('popfront', 'list(range(100))', 'list(range(100))', '@: @.skip(1).toList().append($i)', '@.pop(0); @.append(i)', '@.sum()', 'sum(@)'),
    ('delete0', 'list(range(100))', 'list(range(100))', '@: @.delete(0).append($i).toList()', 'del @[0]; @.append(i)', '@.sum()', 'sum(@)'),
    ('last', '[0]', '[0]', '@: @.append(@.last() + 1)', '@.append(@[-1]+1)', '@.last()', '@[-1]'),
    ('index', 'list(range(100))', 'list(range(100))', '$c: $c + @[$i mod 100]', 'c+=@[i%100]', '$c', 'c'),
    ('in', 'list(range(20))', 'list(range(20))', 'if ($i mod 40) in @ | $c: $c + 1', 'if i%40 in @: c+=1', '$c', 'c'),
    ('sumsmall', 'list(range(10))', 'list(range(10))', '$c: $c + @.sum()', 'c+=sum(@)', '$c', 'c'),
    ('where', 'list(range(10))', 'list(range(10))', '$c: $c + @.where($ mod 2 = 0).len()', 'c+=len([x for x in @ if x%2==0])', '$c', 'c'),
    ('select', 'list(range(10))', 'list(range(10))', '$c: $c + @.select($ * $i).sum()', 'c+=sum([x*i for x in @])', '$c', 'c'),
    ('maxlist', 'list(range(10))', 'list(range(10))', '$c: $c + max($i mod 7, @[$i mod 10])', 'c+=max(i%7,@[i%10])', '$c', 'c'),
    ('sorted', '[3,1,2,9,4,5]', '[3,1,2,9,4,5]', '$c: $c + @.orderBy($).first()', 'c+=sorted(@)[0]', '$c', 'c'),
    ('reverse', '[3,1,2,9,4,5]', '[3,1,2,9,4,5]', '$c: $c + @.reverse().first()', 'c+=@[::-1][0]', '$c', 'c'),
    ('zip', '[3,1,2]', '[3,1,2]', '$c: $c + @.zip([1, 2, 3]).select($[0] * $[1]).sum()', 'c+=sum([a*b for a,b in zip(@,[1,2,3])])', '$c', 'c'),
    ('slice', 'list(range(30))', 'list(range(30))', '$c: $c + @.skip(5).limit(5).sum()', 'c+=sum(@[5:10])', '$c', 'c'),
    ('distinct', '[1,1,2,3,3]', '[1,1,2,3,3]', '$c: $c + @.distinct().len()', 'c+=len(dict.fromkeys(@))', '$c', 'c'),
    ('join', '[a,b,c]', "['a','b','c']", "$c: $c + @.join('-').len()", "c+=len('-'.join(@))", '$c', 'c'),
    ('listlit', '0', '0', '@: [$i, $i + 1, $i + 2][1]', '@=[i,i+1,i+2][1]', '@', '@'),
    ('nest2', '[[1,2],[3,4]]', '[[1,2],[3,4]]', '$c: $c + @[$i mod 2][1]', 'c+=@[i%2][1]', '$c', 'c'),
    ('nestset', '[[1,2],[3,4]]', '[[1,2],[3,4]]', '@[$i mod 2][1]: $i', '@[i%2][1]=i', '@[1][1]', '@[1][1]'),
    ('rowsum', '[{a => 1, b => 2}, {a => 3, b => 4}]', "[{'a':1,'b':2},{'a':3,'b':4}]", '$c: $c + @.select($.a * $.b).sum()', "c+=sum([r['a']*r['b'] for r in @])", '$c', 'c'),
    ('appendrow', '[]', '[]', '@: @.append({id => $i, v => $i * 2})', "@.append({'id':i,'v':i*2})", '@.len()', 'len(@)'),
    ('foldl', 'list(range(10))', 'list(range(10))', '$c: $c + @.aggregate($1 + $2, 0)', 'c+=functools.reduce(lambda a,b:a+b,@,0)', '$c', 'c'),
    ('anyall', 'list(range(10))', 'list(range(10))', 'if @.any($ > 8) and @.all($ < 20) | $c: $c + 1', 'if any(x>8 for x in @) and all(x<20 for x in @): c+=1', '$c', 'c'),
    ('indexof', 'list(range(10))', 'list(range(10))', '$c: $c + @.indexOf($i mod 12)', 'c+=(@.index(i%12) if i%12 in @ else -1)', '$c', 'c'),
    ('concat', '[1,2]', '[1,2]', '$c: $c + (@ + [$i]).len()', 'c+=len(@+[i])', '$c', 'c'),
    ('eqlist', '[1,2,3]', '[1,2,3]', 'if @ = [1, 2, $i mod 5] | $c: $c + 1', 'if @==[1,2,i%5]: c+=1', '$c', 'c'),
    ('tolist', 'list(range(10))', 'list(range(10))', '$c: $c + @.toList().len()', 'c+=len(list(@))', '$c', 'c'),
    ('insert', 'list(range(20))', 'list(range(20))', '$c: $c + @.insert(3, $i).toList().len()', 'q = list(@)\nq.insert(3, i)\nc += len(q)', '$c', 'c'),
    ('dset', '{}', '{}', '@: @.set(str($i mod 50), $i)', '@[str(i%50)]=i', '@.len()', 'len(@)'),
    ('dsetint', '{}', '{}', '@: @.set($i, $i)', '@[i]=i', '@.len()', 'len(@)'),
    ('dput', '{}', '{}', '@[$i mod 50]: $i', '@[i%50]=i', '@.len()', 'len(@)'),
    ('dcount', '{}', '{}', '@: @.set($i mod 50, @.get($i mod 50, 0) + 1)', '@[i%50]=@.get(i%50,0)+1', '@.get(3)', '@.get(3)'),
    ('dcount2', '{}', '{}', "$k: 'k' + str($i mod 50); @[$k]: @.get($k, 0) + 1", "k='k'+str(i%50); @[k]=@.get(k,0)+1", '@.get(k3)', "@.get('k3')"),
    ('dget', '{a => 1, b => 2, c => 3}', "{'a':1,'b':2,'c':3}", '$c: $c + @.get(b) + @.c', "c+=@.get('b')+@['c']", '$c', 'c'),
    ('dgetdef', '{a => 1}', "{'a':1}", "$c: $c + @.get('x' + str($i mod 3), 2)", "c+=@.get('x'+str(i%3),2)", '$c', 'c'),
    ('dlist', '{}', '{}', '@: @.set($i mod 20, @.get($i mod 20, []) + [$i])', '@.setdefault(i%20,[]).append(i)', '@.get(3).len()', 'len(@[3])'),
    ('dlist2', '{}', '{}', '$k: $i mod 20; @[$k]: @.get($k, []).append($i)', '@.setdefault(i%20,[]).append(i)', '@.get(3).len()', 'len(@[3])'),
    ('dlist3', '{}', '{}', '$k: $i mod 20; if not ($k in @.keys()) | @: @.set($k, []); @[$k]: @[$k] + [$i]', 'k = i % 20\nif k not in @: @[k] = []\n@[k].append(i)', '@.get(3).len()', 'len(@[3])'),
    ('ddict', '{}', '{}', '@: @.set($i mod 20, @.get($i mod 20, {}).set($i mod 7, $i))', '@.setdefault(i%20,{})[i%7]=i', '@.get(3).len()', 'len(@[3])'),
    ('dnest', '{a => {b => 0}}', "{'a':{'b':0}}", '@[a][b]: @[a][b] + 1', "@['a']['b']+=1", '@.a.b', "@['a']['b']"),
    ('ddelete', '{}', '{}', '@: @.set($i, 1); if $i > 20 | @: @.delete($i - 20)', '@[i]=1\nif i>20: del @[i-20]', '@.len()', 'len(@)'),
    ('dmerge', '{a => 1}', "{'a':1}", '@: @ + {b => $i, c => 2}', "@.update({'b':i,'c':2})", '@.len()', 'len(@)'),
    ('dmerge2', '{}', '{}', '@: @.mergeWith({$i mod 50 => $i})', '@.update({i%50:i})', '@.len()', 'len(@)'),
    ('dmk', '0', '0', '@: {a => $i, b => 2}.a', "@={'a':i,'b':2}['a']", '@', '@'),
    ('dkeys', '{a => 1, b => 2, c => 3}', "{'a':1,'b':2,'c':3}", '$c: $c + @.values().sum()', 'c+=sum(@.values())', '$c', 'c'),
    ('dhas', '{a => 1, b => 2, c => 3}', "{'a':1,'b':2,'c':3}", 'if @.containsKey(b) | $c: $c + 1', "if 'b' in @: c+=1", '$c', 'c'),
    ('ditems', '{a => 1, b => 2, c => 3}', "{'a':1,'b':2,'c':3}", '$c: $c + @.items().select($[1]).sum()', 'c+=sum([v for k,v in @.items()])', '$c', 'c'),
    ('dforkeys', '{a => 1, b => 2, c => 3}', "{'a':1,'b':2,'c':3}", 'for k in @.keys() | $c: $c + @.get($k)', 'for k in @: c+=@[k]', '$c', 'c'),
    ('dforitems', '{a => 1, b => 2, c => 3}', "{'a':1,'b':2,'c':3}", 'for k in @.items() | $c: $c + $k[1]', 'for k in @.items(): c+=k[1]', '$c', 'c'),
    ('forlist', '[1,2,3,4]', '[1,2,3,4]', 'for k in @ | $c: $c + $k', 'for k in @: c+=k', '$c', 'c'),
    ('todict', '[1,2,3]', '[1,2,3]', '$c: $c + @.toDict($, $i).len()', 'c+=len({x:i for x in @})', '$c', 'c'),
    ('group', '[1,2,3,4,5,6]', '[1,2,3,4,5,6]', '$c: $c + list(@.groupBy($ mod 2)).len()', 'g={}\nfor x in @: g.setdefault(x%2,[]).append(x)\nc+=len(g)', '$c', 'c'),
    ('switch', '3', '3', '$c: $c + switch($i mod 3 = 0 => 1, $i mod 3 = 1 => 2, true => @)', 'c+=1 if i%3==0 else 2 if i%3==1 else @', '$c', 'c'),
    ('choice', '{}', '{}', '@: switch($i mod 2 = 0 => @.set($i, 1), true => @)', 'if i%2==0: @[i]=1', '@.len()', 'len(@)'),
    ('coalesce', '{a => 1}', "{'a':1}", '$c: $c + coalesce(@.get(z), @.get(a), 0)', "z=@.get('z'); c+=z if z is not None else @.get('a')", '$c', 'c'),
    ('sadd', 'set()', 'set()', '@: @.add($i)', '@.add(i)', '@.len()', 'len(@)'),
    ('sin', 'set(1,2,3)', '{1,2,3}', 'if ($i mod 5) in @ | $c: $c + 1', 'if i%5 in @: c+=1', '$c', 'c'),
    ('sunion', 'set()', 'set()', '@: @.union(set($i mod 50))', '@|={i%50}', '@.len()', 'len(@)'),
    ('sinter', 'set(1,2,3)', '{1,2,3}', '$c: $c + @.intersect(set(2, $i mod 4)).len()', 'c+=len(@&{2,i%4})', '$c', 'c'),
    ('sremove', 'range(100).toSet()', 'set(range(100))', '@: @.remove($i mod 100).add($i mod 100)', '@.discard(i%100); @.add(i%100)', '@.len()', 'len(@)'),
    ('tcat', "''", "''", "@: @ + 'ab'", "@+='ab'", '@.len()', 'len(@)'),
    ('tcatstr', "''", "''", "@: @ + str($i) + ','", "@+=str(i)+','", '@.len()', 'len(@)'),
    ('tsplit', "'a b c d'", "'a b c d'", "$c: $c + @.split(' ').len()", "c+=len(@.split(' '))", '$c', 'c'),
    ('tsplit2', "'k=v'", "'k=v'", "$p: @.split('='); $c: $c + $p[0].len() + $p[1].len()", "p=@.split('='); c+=len(p[0])+len(p[1])", '$c', 'c'),
    ('tupper', "'Hello'", "'Hello'", '$c: $c + @.toUpper().len()', 'c+=len(@.upper())', '$c', 'c'),
    ('treplace', "'hello world'", "'hello world'", "$c: $c + @.replace('o', '00').len()", "c+=len(@.replace('o','00'))", '$c', 'c'),
    ('tsub', "'hello world'", "'hello world'", "if @.substring($i mod 11, 1) = 'o' | $c: $c + 1", "if @[i%11:i%11+1]=='o': c+=1", '$c', 'c'),
    ('tfind', "'hello world'", "'hello world'", "$c: $c + @.indexOf('w')", "c+=@.find('w')", '$c', 'c'),
    ('tstarts', "'hello world'", "'hello world'", "if @.startsWith('hell') | $c: $c + 1", "if @.startswith('hell'): c+=1", '$c', 'c'),
    ('tformat', "'x'", "'x'", "$c: $c + '{0}-{1}'.format(@, $i).len()", "c+=len('{0}-{1}'.format(@,i))", '$c', 'c'),
    ('ttrim', "'  hello '", "'  hello '", '$c: $c + @.trim().len()', 'c+=len(@.strip())', '$c', 'c'),
    ('tchars', "'hello'", "'hello'", "$c: $c + @.toCharArray().where($ = 'l').len()", "c+=len([k for k in @ if k=='l'])", '$c', 'c'),
    ('tcmp', "'hello'", "'hello'", "if @ < 'help' | $c: $c + 1", "if @<'help': c+=1", '$c', 'c'),
    ('tint', "'12'", "'12'", '$c: $c + int(@)', 'c+=int(@)', '$c', 'c'),
    ('tjoin', '[a, b]', "['a','b']", "$c: $c + (@ + [str($i)]).join('/').len()", "c+=len('/'.join(@+[str(i)]))", '$c', 'c'),
    ('tregex', "'abc123'", "'abc123'", "if @ =~ '[0-9]+$' | $c: $c + 1", 'if RX.search(@): c+=1', '$c', 'c'),
    ('trev', "'abcdef'", "'abcdef'", "$c: $c + @.toCharArray().reverse().join('').len()", 'c+=len(@[::-1])', '$c', 'c'),
    ('nsum', '0', '0', '@: @ + $i', '@+=i', '@', '@'),
    ('nmod', '0', '0', '@: (@ * 31 + $i) mod 1000003', '@=(@*31+i)%1000003', '@', '@'),
    ('nfloat', '0.0', '0.0', '@: @ * 0.5 + $i', '@=@*0.5+i', '@', '@'),
    ('ndiv', '0', '0', '@: @ + $i / 3', '@+=i//3', '@', '@'),
    ('nmax', '0', '0', '@: max(@, $i mod 1000)', '@=max(@,i%1000)', '@', '@'),
    ('nif', '0', '0', 'if $i mod 3 = 0 and not ($i mod 5 = 0) | @: @ + 1', 'if i%3==0 and not i%5==0: @+=1', '@', '@'),
    ('nbig', '1', '1', '@: (@ * 7 + $i) mod 1000000000000000000000', '@=(@*7+i)%1000000000000000000000', '@', '@'),
    ('nstr', '0', '0', '@: @ + str($i).len()', '@+=len(str(i))', '@', '@'),
    ('nbit', '0', '0', '@: bitwiseXor(@, $i)', '@^=i', '@', '@'),
    ('call0', '0', '0', '@: @ + $.one()', '@+=self.one()', '@', '@'),
    ('call2', '0', '0', '@: $.add(@, $i)', '@=self.add(@,i)', '@', '@'),
    ('callkw', '0', '0', '@: $.add(a => @, b => $i)', '@=self.add(a=@,b=i)', '@', '@'),
    ('calllist', '[1,2,3]', '[1,2,3]', '$c: $c + $.total(@)', 'c+=self.total(@)', '$c', 'c'),
    ('calldict', '{a => 1}', "{'a':1}", '$c: $c + $.pick(@)', 'c+=self.pick(@)', '$c', 'c'),
    ('callstr', "'x'", "'x'", '$c: $c + $.size(@)', 'c+=self.size(@)', '$c', 'c'),
    ('newobj', '0', '0', '$o: new(Thing, v => $i); @: @ + $o.v', 'o=Thing(i); @+=o.v', '@', '@'),
    ('objcall', 'new(Thing, v => 1)', 'Thing(1)', '@.bump()', '@.bump()', '@.v', '@.v'),
    ('objprop', 'new(Thing, v => 1)', 'Thing(1)', '$c: $c + @.v', 'c+=@.v', '$c', 'c'),
    ('objlist', '[]', '[]', '@: @.append(new(Thing, v => $i))', '@.append(Thing(i))', '@.len()', 'len(@)'),
    ('objsum', 'list(new(Thing, v => 1), new(Thing, v => 2))', '[Thing(1),Thing(2)]', '$c: $c + @.select($.v).sum()', 'c+=sum([o.v for o in @])', '$c', 'c'),
    ('objvirt', 'list(new(Thing, v => 1), new(Sub, v => 2))', '[Thing(1),Sub(2)]', '$c: $c + @[$i mod 2].kind()', 'c+=@[i%2].kind()', '$c', 'c'),
    ('static', '0', '0', '@: @ + :Thing.twice($i)', '@+=Thing.twice(i)', '@', '@'),
    ('trycatch', '0', '0', 'try $.fail($i) | @: @ + 1', 'try: self.fail(i)\nexcept Bad: @+=1', '@', '@'),
    ('tryok', '0', '0', 'try @: $.add(@, 1) | @: 0', 'try: @=self.add(@,1)\nexcept Bad: @=0', '@', '@'),
    ('isobj', 'new(Sub, v => 1)', 'Sub(1)', 'if @ is Thing | $c: $c + 1', 'if isinstance(@,Thing): c+=1', '$c', 'c'),
    ('recurse', '0', '0', '@: @ + $.fact(8)', '@+=self.fact(8)', '@', '@'),
]

CLASSES = """Namespaces: {=: grid}
Name: Thing
Properties:
  v: {Contract: $.int(), Usage: InOut}
Methods:
  bump: {Body: [{$.v: $.v + 1}]}
  kind: {Body: [{Return: 1}]}
  twice: {Usage: Static, Arguments: [{n: {Contract: $.int()}}], Body: [{Return: $n * 2}]}
---
Namespaces: {=: grid}
Name: Sub
Extends: Thing
Methods:
  kind: {Body: [{Return: 2}]}
"""
MAIN = """Namespaces: {=: grid}
Name: Main
Properties:
%s
Methods:
  one: {Body: [{Return: 1}]}
  add: {Arguments: [{a: {Contract: $.int()}}, {b: {Contract: $.int()}}], Body: [{Return: $a + $b}]}
  total: {Arguments: [{l: {Contract: [$.int()]}}], Body: [{Return: $l.sum()}]}
  perhaps: {Arguments: [{n: {Contract: $.int()}}], Body: [{If: $n mod 2 = 0, Then: [{Return: $n}]}, {Return: null}]}
  walked: {Arguments: [{l: {Contract: [$.int()]}}, {i: {Contract: $.int()}}], Body: [{If: $i >= $l.len(), Then: [{Return: 0}]}, {Return: !yaql '$l[$i] + $.walked($l, $i + 1)'}]}
  even: {Arguments: [{n: {Contract: $.int()}}], Body: [{If: $n mod 2 = 1, Then: [{Throw: Bad, Message: 'no'}]}]}
  rated: {Arguments: [{r: {Contract: {v: $.int(), name: $.string()}}}], Body: [{Return: !yaql '$r.v * 2 + $r.name.len()'}]}
  made: {Arguments: [{n: {Contract: $.int()}}], Body: [{Return: !yaql 'new(Thing, v => $n)'}]}
  used: {Arguments: [{o: {Contract: $.class(Thing).notNull()}}], Body: [{Return: $o.v + 1}]}
  pick: {Arguments: [{d: {Contract: {$.string(): $.int()}}}], Body: [{Return: $d.a}]}
  size: {Arguments: [{t: {Contract: $.string()}}], Body: [{Return: $t.len()}]}
  fail: {Arguments: [{i: {Contract: $.int()}}], Body: [{Throw: Bad, Message: bad}]}
  fact:
    Arguments: [{n: {Contract: $.int()}}]
    Body:
      - If: $n < 2
        Then: [{Return: 1}]
      - Return: $n * $.fact($n - 1)
%s
"""
MANIFEST = """Format: 1.4
Type: Library
FullName: grid
Name: grid
Classes: {grid.Main: Main.yaml, grid.Thing: Thing.yaml, grid.Sub: Thing.yaml}
"""
MODULE = '''import functools
import re
import sys
import time

RX = re.compile('[0-9]+$')


class Bad(Exception):
    pass


class Thing:
    def __init__(self, v): self.v = v
    def bump(self): self.v += 1
    def kind(self): return 1
    @staticmethod
    def twice(n): return n * 2


class Sub(Thing):
    def kind(self): return 2


class Main:
    def one(self): return 1
    def add(self, a, b): return a + b
    def total(self, l): return sum(l)
    def pick(self, d): return d['a']
    def size(self, t): return len(t)
    def fail(self, i): raise Bad(i)
    def perhaps(self, n): return n if n %% 2 == 0 else None
    def walked(self, l, i): return 0 if i >= len(l) else l[i] + self.walked(l, i + 1)

    def even(self, n):
        if n %% 2 == 1:
            raise Bad('no')

    def rated(self, r): return r['v'] * 2 + len(r['name'])
    def made(self, n): return Thing(n)
    def used(self, o): return o.v + 1
    def fact(self, n): return 1 if n < 2 else n * self.fact(n - 1)
%s

main = Main()
for line in sys.stdin:
    job, n = line.split()
    a = time.process_time_ns()
    r = getattr(main, job)(int(n))
    print(time.process_time_ns() - a, r, flush=True)
'''


def told(target, expr):
    return '%s: !yaql "%s"' % (target, expr.replace('\\', '\\\\').replace('"', '\\"'))


def statements(text):
    """Lines of YAML of a body."""
    return [x for s in text.split(' & ') for x in statement(s)]


def statement(text):
    kind, _, rest = text.partition(' ')
    if kind in ('if', 'for', 'while', 'try', 'match') and ' | ' in rest:
        head, _, then = (s.strip() for s in rest.partition(' | '))
        if kind == 'match':
            case, then, other = then.split(' | ')
            return ['- Match:', '    %s:' % case] + ['      ' + x for x in statements(then)] + [
                '  ' + told('Value', head), '  Default:'] + ['    ' + x for x in statements(other)]
        then = ['    ' + x for x in statements(then)]
        if kind == 'if':
            return ['- ' + told('If', head), '  Then:'] + then
        if kind == 'while':
            return ['- ' + told('While', head), '  Do:'] + then
        if kind == 'for':
            name, _, of = head.partition(' in ')
            return ['- For: ' + name, '  ' + told('In', of), '  Do:'] + then
        return ['- Try:'] + ['    ' + x for x in statement(head)] + ['  Catch:', '    - With: Bad', '      Do:'] + ['    ' + x for x in then]
    target, colon, expr = text.partition(': ')
    return ['- ' + (told(target, expr) if colon and target[0] in '@$' else '!yaql "%s"' % text)]


LOOPS = {
    'range': (['- For: i', '  In: range($n)', '  Do:'], [], ['for i in range(n):'], []),
    'while': (['- $i: 0', '- While: $i < $n', '  Do:'], ['- $i: $i + 1'], ['i = 0', 'while i < n:'], ['i += 1']),
    'list': (['- $all: range($n).toList()', '- For: i', '  In: $all', '  Do:'], [], ['every = list(range(n))', 'for i in every:'], [])}


def whole(name, place, yaml, py):
    """The method as YAML and as Python."""
    at, py_at = ('$v', 'v') if place == 'variable' else ('$.' + name, 'self.p_' + name)
    yaml = ['%s:' % name, '  Scope: Public', '  Arguments: [{n: {Contract: $.int().notNull()}}]', '  Body:', '    - $c: 0'] + ['    ' + x for x in yaml]
    py = ['def %s(self, n):' % name, '    c = 0'] + ['    ' + x for x in py]
    return ''.join('  %s\n' % x.replace('@', at) for x in yaml), ''.join('    %s\n' % x.replace('@', py_at) for x in py)


def body_of(text):
    return [x for s in text.split('; ') for x in statement(s)]


def method(name, part, loop, place):
    _, begin, py_begin, body, py_body, result, py_result = part
    head, last, py_head, py_last = LOOPS[loop]
    return whole(name, place, ['- ' + told('@', begin)] + head + ['    ' + x for x in body_of(body) + last] + ['- ' + told('Return', result)],
        ['@ = ' + py_begin] + py_head + ['    ' + x for x in py_body.split('\n') + py_last] + ['return ' + py_result])


def pair(name, part, often, place):
    """What all n steps have made is used once, or five steps and a use n times."""
    begin, py_begin, (_, make, py_make), (_, use, py_use) = part
    yaml = ['- ' + told('@', begin), '- For: i', '  In: range(%s)' % ('5' if often else '$n'), '  Do:'] + ['    ' + x for x in body_of(make)] + body_of(use)
    py = ['@ = ' + py_begin, 'for i in range(%s):' % ('5' if often else 'n')] + ['    ' + x for x in py_make.split('\n')] + py_use.split('\n')
    if often:
        yaml, py = ['- For: h', '  In: range($n)', '  Do:'] + ['    ' + x for x in yaml], ['for h in range(n):'] + ['    ' + x for x in py]
    return whole(name, place, yaml + ['- Return: $c'], py + ['return c'])


def chosen(args):
    """Names of methods, and what makes them."""
    for kind, (begin, py_begin, makes, uses) in KINDS.items() if args.pairs else ():
        for make, use, (often, place) in itertools.product(makes, uses, ((True, 'variable'), (False, 'variable'), (False, 'property'))):
            name = '_'.join((kind, make[0], use[0], 'often' if often else 'once', place))
            if args.only in name:
                yield pair, name, (begin, py_begin, make, use), often, place
    for part, loop, place in itertools.product(() if args.pairs else PARTS, LOOPS, ('variable', 'property')):
        name = '%s_%s_%s' % (part[0], loop, place)
        if args.only in name and (loop == 'range' or place == 'variable'):
            yield method, name, part, loop, place


def written(directory, jobs):
    package = os.path.join(directory, 'grid')
    os.makedirs(os.path.join(package, 'Classes'), exist_ok=True)
    made = [j[0](*j[1:]) for j in jobs]
    properties = ''.join('  %s: {Contract: $, Usage: Runtime}\n' % j[1] for j in jobs if j[4] == 'property') or '  none: {Contract: $, Usage: Runtime}\n'
    for path, text in (('manifest.yaml', MANIFEST), ('Classes/Thing.yaml', CLASSES), ('Classes/Main.yaml', MAIN % (properties, ''.join(m[0] for m in made)))):
        with open(os.path.join(package, path), 'w') as f:
            f.write(text)
    module = os.path.join(directory, 'method_grid_side.py')
    with open(module, 'w') as f:
        f.write(MODULE % ''.join(m[1] for m in made))
    return package, module


class Side:
    """A process that answers line by line."""

    def __init__(self, argv):
        self.p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, text):
        self.p.stdin.write(text + '\n')
        self.p.stdin.flush()
        return self.p.stdout.readline()

    def call(self, job, n):
        ns, value = self.ask('%s %d' % (job, n)).rstrip('\n').split(' ', 1)
        return int(ns), value

    def close(self):
        self.p.stdin.close()
        self.p.wait()


class Vetro(Side):
    def __init__(self, argv):
        super().__init__(argv)
        self.ask('{"op":"load","model":{"Objects":{"?":{"type":"grid.Main","id":"r"}}}}')

    def cpu(self):
        total = 0
        for t in os.listdir('/proc/%d/task' % self.p.pid):
            with open('/proc/%d/task/%s/schedstat' % (self.p.pid, t)) as f:
                total += int(f.read().split()[0])
        return total

    def call(self, job, n):
        a = self.cpu()
        r = json.loads(self.ask(json.dumps({'op': 'call', 'target': None, 'method': job, 'args': [n]})))
        return self.cpu() - a, str(r.get('value', r.get('error')))


def is_same(a, b):
    try:
        return a == b or math.isclose(float(a), float(b), rel_tol=1e-9)
    except ValueError:
        return False


def measured(jobs, sides, steps, rounds):
    """Of each (ratio, ns a step, growth, Python's growth, name); how many were wrong."""
    rows, wrong = [], 0
    for _, name, *_ in jobs:
        t = {}
        for _ in range(rounds):
            for n, (which, side) in itertools.product((steps, 4 * steps), enumerate(sides)):
                took, value = side.call(name, n)
                t[which, n] = min(took, t.get((which, n), took)) or 1
                t['is', which] = value
        if not is_same(t['is', 0], t['is', 1]):
            print('%s: %s, not %s' % (name, t['is', 0][:100], t['is', 1][:100]))
            wrong += 1
        growth = [math.log(t[k, 4 * steps] / t[k, steps], 4) for k in (0, 1)]
        rows.append((t[1, 4 * steps] / t[0, 4 * steps], t[0, 4 * steps] / (4 * steps), *growth, name))
    return rows, wrong


def main():
    p = options()
    p.add_argument('--steps', type=int, default=2000)
    p.add_argument('--pairs', action='store_true')
    args = p.parse_args()
    worst = 1.0 if args.worst is None else args.worst
    jobs = list(chosen(args))[::args.every]
    package, module = written(args.dir, jobs)
    binary = os.path.join(args.dir, 'method-grid')
    subprocess.run([args.driver, 'build', '-O0' if args.right else '-O2', '-o', binary, package], check=True)
    sides = [Vetro([binary, 'session']), Side([sys.executable, module])]
    rows, wrong = measured(jobs, sides, 10 if args.right else args.steps, 1 if args.right else 3)
    for s in sides:
        s.close()
    print('%d methods, %d wrong' % (len(jobs), wrong))
    if not args.right:
        steep = [r[4] for r in rows if r[2] > 1.4 and r[2] > r[3] + .25]
        print('times as fast as Python:')
        print(quantiles('together', [r[0] for r in rows], True))
        print('too steep: %s' % (', '.join(steep) or 'none'))
        for r in sorted(rows):
            if r[0] < worst:
                print('%6.2f  %7.1f ns a step  growth %.2f, Python %.2f  %s' % r)
    return wrong != 0


if __name__ == '__main__':
    sys.exit(main())
