# gdb.py - values, variables and tasks of a program that vetro has built, for gdb: docs/debugging.md.
#
# What emitted C includes (runtime/abi/vt.h) is known from the debug information of the binary. Where members of the
# runtime's own structs stand is read from its arrays vt_layout_*, whose order is that of the names below.
import json
import linecache
import os
import re
import struct
import gdb

LAYOUTS = {
    'vt_layout_dict': 'dict.shape dict.n dict.v shape.key table.used table.e entry.size entry.key entry.value',
    'vt_layout_object': 'object.cls object.id object.v object.name object.owner object.next class.decl class.slots '
                        'class.nslots slot.size slot.name session.store store.all cast.obj cast.cls',
    'vt_layout_task': 'session.sched sched.main sched.current task.next task.id task.waiting task.act task.lock '
                      'task.joined task.sp',
}
(FLOAT, BIGINT, STR, TUPLE, LIST, DICT, SET, ITER, VIEW, ORDERING, MEMO, LAMBDA, SCOPE, MAPPING, REGEX, DATETIME,
 TIMESPAN, OBJECT, CAST, TYPEREF, REFLECT, EXC, HOST) = range(23)
KINDS = ['a float', 'an integer', 'a text', 'a list', 'a list', 'a dict', 'a set', 'an iterator', 'a view of a dict',
         'an ordering', 'a memorized iterator', 'a lambda', 'a context', 'a pair', 'a regular expression', 'a date',
         'a timespan', 'an object', 'an object', 'a type', 'a reflection', 'an exception', 'an object of the host']
UNDEF = 0x06
CONSTANTS = {UNDEF: '<no value>', 0x0e: 'null', 0x16: 'false', 0x1e: 'true', 0x26: '<no value>'}
WAITING = ['is ready', 'waits for a time', 'waits for input or output', 'waits for a lock', 'waits for other tasks']
MOST_ITEMS, MOST_TEXT, MOST_DEPTH, MOST_CHAIN = 20, 200, 3, 100000
layout = {}


class Unknown(Exception):
    pass


# ---- memory ----

def read(address, size):
    return bytes(gdb.selected_inferior().read_memory(address, size))


def u64(address):
    return struct.unpack('<Q', read(address, 8))[0]


def u32(address):
    return struct.unpack('<I', read(address, 4))[0]


def i32(address):
    return struct.unpack('<i', read(address, 4))[0]


def c_text(address):
    return gdb.Value(address).cast(gdb.lookup_type('char').pointer()).string('utf-8', 'replace') if address else ''


def at(name):
    """Where a member stands; the library says it."""
    if name not in layout:
        for symbol, names in LAYOUTS.items():
            array = gdb.lookup_static_symbol(symbol)
            if array is not None:
                where = int(array.value().address)
            else:  # the library has no debug information
                found = re.search(r'0x[0-9a-f]+', gdb.execute('info address ' + symbol, to_string=True))
                where = int(found.group(0), 16) if found else 0
            for i, member in enumerate(names.split()):
                layout[member] = u32(where + 4 * i)
    return layout[name]


# ---- values ----

def kind_of(word):
    return read(word + 4, 1)[0]


def text_of(word):
    return read(word + 24, u32(word + 8)).decode('utf-8', 'replace')


def items_of(word):
    block = u64(word + 16)
    return [u64(block + 8 * i) for i in range(u32(word + 8))]


def pairs_of(word):
    shape, n, v = u64(word + at('dict.shape')), u32(word + at('dict.n')), u64(word + at('dict.v'))
    if shape:
        return [(u64(shape + at('shape.key') + 8 * i), u64(v + 8 * i)) for i in range(n)]
    used = u32(v + at('table.used')) if v else 0
    entries = [v + at('table.e') + at('entry.size') * i for i in range(used)]
    pairs = [(u64(e + at('entry.key')), u64(e + at('entry.value'))) for e in entries]
    return [(k, x) for k, x in pairs if k not in (0, UNDEF) and x != UNDEF]


def big_of(word):
    size = i32(word + 8)
    n = sum(u64(word + 16 + 8 * i) << 64 * i for i in range(abs(size)))
    return -n if size < 0 else n


def class_name(cls):
    return text_of(u64(u64(cls + at('class.decl'))))


def object_of(word):
    return u64(word + at('cast.obj')) if kind_of(word) == CAST else word


def properties_of(word):
    o = object_of(word)
    cls, v = u64(o + at('object.cls')), u64(o + at('object.v'))
    slots, n = u64(cls + at('class.slots')), u32(cls + at('class.nslots'))
    return [(text_of(u64(slots + at('slot.size') * i + at('slot.name'))), u64(v + 8 * i)) for i in range(n)]


def object_title(word):
    o = object_of(word)
    name = class_name(u64(o + at('object.cls')))
    identity, called = u64(o + at('object.id')), u64(o + at('object.name'))
    for value in (called, identity):
        if value and value & 3 == 0 and kind_of(value) == STR:
            name += ' ' + json.dumps(text_of(value), ensure_ascii=False)
    return name


def few(parts, left, opening, closing):
    return opening + ', '.join(parts + (['and %d more' % left] if left > 0 else [])) + closing


def listed(all_of, depth, opening='[', closing=']'):
    return few([show(x, depth + 1) for x in all_of[:MOST_ITEMS]], len(all_of) - MOST_ITEMS, opening, closing)


def keyed(pairs, depth):
    shown = ['%s: %s' % (k if isinstance(k, str) else show(k, depth + 1), show(v, depth + 1)) for k, v in pairs]
    return few(shown[:MOST_ITEMS], len(pairs) - MOST_ITEMS, '{', '}')


def show_pointer(word, depth):
    kind = kind_of(word)
    if kind == STR:
        text = text_of(word)
        return json.dumps(text[:MOST_TEXT], ensure_ascii=False) + ('...' if len(text) > MOST_TEXT else '')
    if kind == FLOAT:
        return repr(struct.unpack('<d', read(word + 8, 8))[0])
    if kind == BIGINT:
        return str(big_of(word))
    if kind in (TUPLE, LIST):
        return listed(items_of(word), depth) if depth < MOST_DEPTH else '[...]'
    if kind == DICT:
        return keyed(pairs_of(word), depth) if depth < MOST_DEPTH else '{...}'
    if kind == SET:
        return listed([k for k, _ in pairs_of(word + 8)], depth, 'set(', ')')
    if kind in (OBJECT, CAST):
        return object_title(word) + (' ' + keyed(properties_of(word), depth) if depth == 0 else '')
    return '<%s>' % (KINDS[kind] if kind < len(KINDS) else 'kind %d' % kind)


def show(word, depth=0):
    """A value as YAQL would write it."""
    if word & 1:
        return str((word - (1 << 64) if word >> 63 else word) >> 1)
    if word & 7 == 2:
        bits = word >> 3  # turned left by one: vt_float_word
        bits += 0x380 << 53 if bits > 1 else 0
        return repr(struct.unpack('<d', struct.pack('<Q', bits >> 1 | (bits & 1) << 63))[0])
    if word in CONSTANTS:
        return CONSTANTS[word]
    if word & 3 or word < 4096:
        return '<no value: 0x%x>' % word
    try:
        return show_pointer(word, depth)
    except gdb.MemoryError:
        return '<cannot be read: 0x%x>' % word


class ValuePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return show(int(self.value) & (1 << 64) - 1)


def printer_of(value):
    return ValuePrinter(value) if value.type.name == 'vt_value' else None


gdb.pretty_printers.append(printer_of)

# ---- variables of a method ----


def named(frame, name):
    """A parameter or variable of the function: not one of the file or of a library that has that name too."""
    try:
        block = frame.block()
    except RuntimeError:
        return None
    while block is not None:
        for symbol in block:
            if symbol.name == name and (symbol.is_variable or symbol.is_argument):
                return frame.read_var(symbol, block)
        if block.function is not None:
            return None
        block = block.superblock
    return None


def of_scope(scope):
    """Variables that lambdas read live in a scope; a lambda has one of its own below, with what it was given."""
    out = {}
    for _ in range(MOST_CHAIN):
        if not int(scope):
            break
        names, nargs = scope['names'], int(scope['nargs'])
        for i in range(nargs):
            out.setdefault(str(i + 1), int(scope['v'][i]))
        for i in range(int(names['n']) if int(names) else 0):
            value = int(scope['v'][nargs + i])
            if value != UNDEF:
                out.setdefault(text_of(int(names['name'][i])), value)
        scope = scope['parent']
    return out


def known(value):
    return value is not None and not value.is_optimized_out


def variables(frame):
    """Names and words of a frame that is a method's or a lambda's; $ of a lambda is "1"."""
    function = frame.function()
    out = {}
    if function is None or not re.match(r'[mdcx]_', function.name or ''):
        return out
    this, scope, args = named(frame, 'self'), named(frame, 'sc'), named(frame, 'args')
    table = gdb.lookup_static_symbol('vars_' + function.name)
    for i, name in enumerate(table.value(frame).string().split() if table is not None else []):
        value = named(frame, 'v%d' % i)
        if known(value):
            out[name] = int(value)
    try:
        if known(scope) and int(scope):
            out.update(of_scope(scope))
    except gdb.MemoryError:  # at the line of the method itself nothing has been set
        scope = None
    if known(args) and function.name.startswith('d_'):
        out['1'] = int(args[0])
    if known(scope) and int(scope) and not known(this):
        out['this'] = int(scope['self'])
    if known(this):
        out['this'] = out['1'] = int(this)
    return out


def here():
    """What is known at the selected frame: of the lambda that runs, and of the method around it."""
    frame, out = gdb.selected_frame(), {}
    while frame is not None:
        for name, value in variables(frame).items():
            out.setdefault(name, value)
        if frame.function() is not None and (frame.function().name or '').startswith('m_'):
            return out
        frame = frame.older()
    if not out:
        raise Unknown('no method runs here')
    return out


def set_variables(*_):
    """`print $name`: gdb's own variables of these names."""
    try:
        found = here()
        word = gdb.lookup_type('vt_value')
    except (gdb.error, Unknown):
        return
    for name, value in found.items():
        if re.fullmatch(r'[A-Za-z][A-Za-z0-9_]*', name):
            gdb.set_convenience_variable(name, gdb.Value(value).cast(word))


gdb.events.stop.connect(set_variables)
if hasattr(gdb.events, 'before_prompt'):
    gdb.events.before_prompt.connect(set_variables)

# ---- paths: $name.property[0].key ----


def member(word, key):
    if word & 3 or word < 4096:
        raise Unknown('%s has no members' % show(word))
    kind = kind_of(word)
    pairs = properties_of(word) if kind in (OBJECT, CAST) else pairs_of(word) if kind == DICT else []
    for k, value in pairs:
        if (k if isinstance(k, str) else text_of(k) if k & 3 == 0 and kind_of(k) == STR else show(k)) == key:
            return value
    raise Unknown('there is no %s in %s' % (key, show(word, 1)))


def item(word, index):
    items = items_of(word) if word & 3 == 0 and kind_of(word) in (TUPLE, LIST) else []
    if not -len(items) <= index < len(items):
        raise Unknown('there is no item %d' % index)
    return items[index]


def evaluate(path):
    found = here()
    start = re.match(r'\s*\$(\w*)', path)
    if not start:
        raise Unknown('write a path such as $name.property[0]')
    name = start.group(1) or '1'
    if name not in found:
        raise Unknown('there is no $%s here; there are: %s; a build with -O0 keeps all' % (name, ' '.join('$' + n for n in sorted(found))))
    word, rest = found[name], path[start.end():].strip()
    while rest:
        step = re.match(r'\??\.(\w+)|\[(-?\d+)\]|\[["\']?([^\]"\']+)["\']?\]', rest)
        if not step:
            raise Unknown('cannot read "%s": .NAME or [NUMBER]' % rest)
        word = item(word, int(step.group(2))) if step.group(2) else member(word, step.group(1) or step.group(3))
        rest = rest[step.end():]
    return word


# ---- the session, its objects and tasks ----

def runtime():
    """The session's vt_rt, from a frame that has it."""
    frame = gdb.newest_frame()
    while frame is not None:
        value = named(frame, 'rt')
        if value is not None and not value.is_optimized_out and str(value.type).endswith('vt_rt *') and int(value):
            return value.dereference()
        frame = frame.older()
    raise Unknown('no program runs here')


def objects():
    session = int(runtime()['s'])
    o = u64(u64(session + at('session.store')) + at('store.all'))
    for _ in range(MOST_CHAIN):
        if not o:
            return
        yield o
        o = u64(o + at('object.next'))


def tasks():
    rt = runtime()
    sched = u64(int(rt['s']) + at('session.sched'))
    if not sched:
        return [(0, None, True, int(rt['act']))]
    current, task, out = u64(sched + at('sched.current')), sched + at('sched.main'), []
    while task and len(out) < MOST_CHAIN:
        running = task == current
        out.append((u64(task + at('task.id')), task, running, int(rt['act']) if running else u64(task + at('task.act'))))
        task = u64(task + at('task.next'))
        if task == sched + at('sched.main'):  # they are a ring
            break
    return out


def line_of(act, file):
    """Where the frame of a method is: at a breakpoint its statement has not begun, so the runtime knows the one before."""
    frame = gdb.newest_frame()
    while frame is not None:
        value = named(frame, 'act')
        if known(value) and value.type.code == gdb.TYPE_CODE_PTR and int(value) == act:
            sal = frame.find_sal()
            same = sal.symtab and os.path.basename(sal.symtab.filename) == os.path.basename(file)
            return sal.line if same else 0
        frame = frame.older()
    return 0


def steps(act):
    """The methods that a task runs, the innermost first."""
    kind = gdb.lookup_type('vt_act').pointer()
    for n in range(MOST_CHAIN):
        if not act:
            return
        a = gdb.Value(act).cast(kind)
        method, place = a['hold']['method'], a['at']
        line = int(place['pos']) >> 20 if int(place) else int(method['line'])
        unit = method['cls']['unit']
        file = c_text(int(unit['file'])) if int(unit) else '?'
        now = line_of(act, file) if n == 0 else 0
        instruction = c_text(int(place['instruction'])) if int(place) and now in (0, line) else ''
        where = '%s:%d' % (file, now or line)
        name = '%s::%s' % (text_of(int(method['cls']['name'])), text_of(int(method['name'])))
        yield n, name, where, instruction
        act = int(a['up'])


def print_steps(act):
    for n, name, where, instruction in steps(act):
        print('#%d  %s at %s%s' % (n, name, where, '\n    ' + instruction if instruction else ''))


def task_line(number, task, running, act):
    state = 'runs' if running else WAITING[min(read(task + at('task.waiting'), 1)[0], len(WAITING) - 1)]
    here = next(steps(act), None)
    return '%s %d  %s%s' % ('*' if running else ' ', number, state, ' in %s at %s' % here[1:3] if here else '')


class Resumed:
    """The frames of a task that waits, as if it ran: its registers stand on its stack (runtime/task/switch_x86_64.S).
    What they were is put back."""
    saved = 'r15 r14 r13 r12 rbx rbp rip'.split()

    def __init__(self, task):
        self.sp = u64(task + at('task.sp'))

    def set(self, name, value):
        gdb.execute('set var $%s = 0x%x' % (name, value), to_string=True)

    def __enter__(self):
        self.frame = gdb.selected_frame()
        if self.frame.architecture().name() != 'i386:x86-64':
            raise Unknown('variables of a task that waits are known on x86-64 alone')
        self.level = self.frame.level() if hasattr(self.frame, 'level') else 0
        gdb.newest_frame().select()
        names = self.saved + ['rsp']
        self.before = {name: int(gdb.parse_and_eval('(unsigned long) $' + name)) for name in names}
        for i, name in enumerate(self.saved):
            self.set(name, u64(self.sp + 8 * i))
        self.set('rsp', self.sp + 8 * len(self.saved))
        gdb.newest_frame().select()

    def __exit__(self, *_):
        gdb.newest_frame().select()
        for name, value in self.before.items():
            self.set(name, value)
        gdb.execute('frame %d' % self.level, to_string=True)


# ---- commands ----

class Told(gdb.Command):
    """A command whose mistakes are one line."""

    def invoke(self, arg, from_tty):
        try:
            self.run(arg.strip())
        except (Unknown, gdb.error) as why:
            raise gdb.GdbError('vetro: %s' % why)

    @classmethod
    def add(cls, *names):
        for name in names:
            cls(name, gdb.COMMAND_DATA)


def print_variables():
    found = here()
    for name in sorted(found):
        if found[name] != found.get('this') or name == 'this':
            try:
                value = show(found[name], 0 if name != 'this' else 1)
            except gdb.MemoryError:
                value = '<not set yet>'
            print('$%s = %s' % ('' if name == '1' else name, value))


class Vars(Told):
    """The variables of the method that runs, as YAQL writes them."""

    def run(self, arg):
        print_variables()


class Print(Told):
    """A variable or what is inside of it: vetro print $name.property[0]"""

    def run(self, arg):
        print(show(evaluate(arg)))


class Model(Told):
    """The objects of the session, or with an id or a name one of them with its properties."""

    def run(self, arg):
        found = 0
        for o in objects():
            title = object_title(o)
            if arg and '"%s"' % arg not in title and arg not in title.split():
                continue
            found += 1
            print(show(o, 0) if arg else title)
        if not found:
            print('there is no object%s' % (' "%s"' % arg if arg else ''))


class Backtrace(Told):
    """The methods that the running task is in."""

    def run(self, arg):
        print_steps(int(runtime()['act']))


class Tasks(Told):
    """The tasks of the program, and what each waits for."""

    def run(self, arg):
        for task in tasks():
            print(task_line(*task))


class Task(Told):
    """task N bt: the methods that task N is in; task N vars, task N print PATH: its variables."""

    def what(self, task, words):
        if words[0] == 'bt':
            print(task_line(*task))
            print_steps(task[3])
        elif words[0] == 'vars':
            print_variables()
        else:
            print(show(evaluate(' '.join(words[1:]))))

    def run(self, arg):
        words = arg.split()
        words[1:] = words[1:] or ['bt']
        good = words and words[0].isdigit() and (words[1] in ('bt', 'vars') and len(words) == 2 or
                                                 words[1] == 'print' and len(words) > 2)
        if not good:
            raise Unknown('write: task NUMBER bt, task NUMBER vars or task NUMBER print $name.property')
        for task in tasks():
            if task[0] != int(words[0]):
                continue
            if task[2] or words[1] == 'bt' or not task[1]:
                self.what(task, words[1:])
            else:
                with Resumed(task[1]):
                    self.what(task, words[1:])
            return
        raise Unknown('there is no task %s' % words[0])


# ---- statement by statement ----

def section(path, wanted):
    """The bytes of a section of an ELF file of this machine's kind, and where the program begins."""
    with open(path, 'rb') as f:
        head = f.read(64)
        entry, table = struct.unpack('<Q', head[24:32])[0], struct.unpack('<Q', head[40:48])[0]
        size, number, names = struct.unpack('<HHH', head[58:64])
        f.seek(table)
        rows = [struct.unpack('<IIQQQQ', f.read(size)[:40]) for _ in range(number)]
        f.seek(rows[names][4])
        texts = f.read(rows[names][5])
        for name, _, _, _, begin, length in rows:
            if texts[name:texts.index(b'\0', name)] == wanted:
                f.seek(begin)
                return f.read(length), entry
    return b'', entry


def statements():
    """Addresses where statements begin (VT_STATEMENT of runtime/abi/vt.h), by the function they are in."""
    path = gdb.current_progspace().filename
    if path != statements.of:
        data, entry = section(path, b'.debug_vetro')
        found = re.search(r'Entry point: (0x[0-9a-f]+)', gdb.execute('info files', to_string=True))
        moved = (int(found.group(1), 16) if found else entry) - entry
        statements.of, statements.by = path, {}
        for (address,) in struct.iter_unpack('<Q', data):
            if address:  # else the function was left out
                name = function_at(address + moved)
                statements.by.setdefault(name, []).append(address + moved)
    return statements.by


statements.of = None


def function_at(address):
    block = gdb.block_for_pc(address)
    while block is not None and block.function is None:
        block = block.superblock
    return block.function.name if block is not None else None


def stack():
    """Names of the functions of the running task that have statements, the innermost first."""
    names, frame, by = [], gdb.newest_frame(), statements()
    while frame is not None and len(names) < MOST_CHAIN:
        if frame.name() in by:
            names.append(frame.name())
        frame = frame.older()
    return names


def running_task():
    return next((task[0] for task in tasks() if task[2]), 0)


class Beginning(gdb.Breakpoint):
    """Where a statement begins. A deeper call of the same method, or another task, goes by."""

    def __init__(self, address, task, depth):
        super().__init__('*0x%x' % address, internal=True)
        self.silent = True
        self.of_task, self.most_depth = task, depth

    def stop(self):
        return running_task() == self.of_task and len(stack()) <= self.most_depth


def innermost():
    """The frame of the method that runs: what the C compiler has put into it is a part of a statement."""
    frame = gdb.newest_frame()
    while frame.type() == gdb.INLINE_FRAME and frame.name() not in statements() and frame.older() is not None:
        frame = frame.older()
    return frame


def is_yaml(frame):
    """Lambdas have no statements of their own: they are parts of one."""
    sal = frame.find_sal()
    return frame.name() in statements() or bool(sal.symtab and sal.symtab.filename.endswith(('.yaml', '.yml')))


def next_statement():
    """A breakpoint may stand in the middle of a statement, and in several places of it: those do not count."""
    def at_beginning():
        return innermost().pc() in statements().get(innermost().name(), ())

    def where():
        return innermost().name(), innermost().find_sal().line

    here, began = where(), at_beginning()
    for _ in range(9):
        run_to_statement()
        if not gdb.selected_inferior().pid or where() != here or began and at_beginning():
            return
        began = began or at_beginning()


def run_to_statement():
    names = stack()
    task, by = running_task(), statements()
    places = [Beginning(at, task, len(names)) for name in sorted(set(names)) for at in by[name]]
    try:
        gdb.execute('continue', to_string=True)
    finally:
        for place in places:
            place.delete()


def say_where(before):
    """A line of the same method, as gdb's next; else the frame."""
    frame = innermost()
    sal = frame.find_sal()
    text = linecache.getline(sal.symtab.fullname(), sal.line) if sal.symtab else ''
    if text and frame.name() == before:
        print('%d\t%s' % (sal.line, text.rstrip('\r\n')))
    else:
        gdb.execute('frame')


class Next(Told):
    """next [N]: runs until the next statement of this method, or of who called it, begins. Elsewhere it is gdb's own."""

    def run(self, arg):
        before = innermost().name()
        for _ in range(int(gdb.parse_and_eval(arg)) if arg else 1):
            if not is_yaml(innermost()) or not stack():
                gdb.execute('interpreter-exec mi "-exec-next"')
                continue
            next_statement()
            if not gdb.selected_inferior().pid:
                print('The program has ended.')
                return
        if stack():
            say_where(before)


class Vetro(gdb.Command):
    """Values, variables, objects and tasks of a program that vetro has built."""

    def __init__(self):
        super().__init__('vetro', gdb.COMMAND_DATA, gdb.COMPLETE_NONE, True)


Vetro()
Vars.add('vetro vars')
Print.add('vetro print')
Model.add('vetro model', 'info model')
Backtrace.add('vetro bt')
Tasks.add('vetro tasks', 'info task', 'info tasks')
Task.add('vetro task', 'task')
Next.add('vetro next', 'next')
