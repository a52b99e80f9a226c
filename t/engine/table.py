"""The table of faults for either engine:  table.py vetro|murano [ROW...]

Starts its own murano-api, Keystone and RabbitMQ (up.sh, below MURANO_HOME), and runs faults.py once a row: two engines, and what
happens to them.  Prints a table in Markdown, and lets a line of JSON a row stand in MURANO_HOME/table.jsonl.  VETRO is the
binary; MOMENTS (40) is how many ends the row "kills" has; BETWEEN, CLIENTS, PATIENCE and SEED are those of faults.py.  The servers
run as root, and /usr/bin/faketime has to be there for the row "clock"."""
import json, os, signal, socket, sqlite3, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.environ['MURANO_HOME'] = os.path.abspath(os.environ['MURANO_HOME'])
VETRO = os.path.abspath(os.environ.get('VETRO', 'build/release/vetro'))
FAKETIME = '/usr/lib/%s-linux-gnu/faketime/libfaketimeMT.so.1' % os.uname().machine
PORTS = ('KS_PORT', 'AMQP_PORT', 'MURANO_PORT', 'EPMD_PORT', 'DIST_PORT')


def log(text):
    print('[%s] %s' % (time.strftime('%H:%M:%S'), text), file=sys.stderr, flush=True)


# ---- the servers

def ports():
    """Free ones, and the same for each call of up.sh."""
    path = os.path.join(HOME, 'ports')
    if os.path.exists(path):
        os.environ.update(line.split('=') for line in open(path).read().split())
        return
    sockets = [socket.create_server(('127.0.0.1', 0)) for _ in PORTS]
    os.environ.update((name, str(s.getsockname()[1])) for name, s in zip(PORTS, sockets))
    os.makedirs(HOME, exist_ok=True)
    with open(path, 'w') as f:
        f.write('\n'.join('%s=%s' % (name, os.environ[name]) for name in PORTS))


def up():
    """Starts what is not there."""
    out = subprocess.run(['bash', HERE + '/up.sh'], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ, MURANO_ENGINES='0'))
    if out.returncode:
        sys.exit('the servers do not start: ' + out.stderr[-1000:])
    return dict(word.split('=', 1) for line in out.stdout.splitlines() for word in line.split()[1:])


def pid_of(name):
    try:
        return int(open('%s/pid/%s' % (HOME, name)).read())
    except (OSError, ValueError):
        return 0


def down(name):
    """Each is the leader of a session of its own."""
    pid = pid_of(name)
    if not pid:
        return
    for sig, seconds in ((signal.SIGTERM, 15), (signal.SIGKILL, 5)):
        try:
            os.killpg(pid, sig)
        except OSError:
            break
        end = time.time() + seconds
        while time.time() < end and os.path.exists('/proc/%d' % pid):
            time.sleep(0.1)
    os.unlink('%s/pid/%s' % (HOME, name))


def away(name, seconds):
    down(name)
    time.sleep(seconds)
    up()


# ---- what happens in the middle of a row

def locked():
    """Nobody else writes for 12 s, three times."""
    for _ in range(3):
        db = sqlite3.connect(HOME + '/db/murano.sqlite', timeout=60, isolation_level=None)
        db.execute('begin exclusive')
        time.sleep(12)
        db.execute('rollback')
        db.close()
        time.sleep(3)


def full():
    """Nobody writes to the small file system of the engines for 20 s."""
    with open(HOME + '/small/full', 'wb', buffering=0) as f:
        for size in (1 << 16, 1 << 10, 1):
            try:
                while True:
                    f.write(b'x' * size)
            except OSError:
                pass
    time.sleep(20)
    os.unlink(HOME + '/small/full')


def clock():
    """For the engines alone: an hour back, then two hours on."""
    for offset in ('-3600', '+3600'):
        with open(HOME + '/clock.new', 'w') as f:
            f.write(offset)
        os.rename(HOME + '/clock.new', HOME + '/clock')
        time.sleep(15)


DISTURB = {'api': lambda: away('murano-api', 60), 'broker': lambda: away('rabbitmq', 60), 'locked': locked, 'full': full, 'clock': clock}

# name: (what the table says, what happens, variables of faults.py)
ROWS = {
    'kills': ('SIGKILL and SIGTERM at random moments', None, {}),
    'api': ('murano-api away for a minute', 'api', {}),
    'broker': ('the broker away for a minute, queues not durable', 'broker', {}),
    'tokens': ('tokens that live 15 s, actions that take 20 s', None, {'SLOW': '20', 'SECONDS': '60'}),
    'clock': ('an hour back, then two hours on', 'clock', {}),
    'locked': ('the database locked for 12 s, three times', 'locked', {}),
    'full': ("the engines' disk full for 20 s", 'full', {}),
}


# ---- a row

def small_disk():
    folder = HOME + '/small'
    os.makedirs(folder, exist_ok=True)
    if not os.path.ismount(folder):
        subprocess.check_call(['mount', '-t', 'tmpfs', '-o', 'size=16m,mode=0700', 'none', folder])
    return folder


def command(kind, row, conf):
    """What becomes an engine. Its spool, or its cache and its log, are what the disk is full for."""
    folder = small_disk() if row == 'full' else HOME
    extra = '%s/%s.d' % (HOME, row)
    os.makedirs(extra, exist_ok=True)
    with open(extra + '/engine.conf', 'w') as f:
        if kind == 'vetro':
            f.write('[vetro]\nspool = %s/spool\n' % folder)
        else:
            f.write('[DEFAULT]\nlog_file = %s/murano-engine.log\n[engine]\npackages_cache = %s/cache\n' % (folder, folder))
    words = [VETRO, 'engine'] if kind == 'vetro' else ['/usr/bin/murano-engine']
    words += ['--config-file', conf, '--config-dir', extra]
    if row == 'clock':
        with open(HOME + '/clock', 'w') as f:
            f.write('+0')
        words = ['env', 'LD_PRELOAD=' + FAKETIME, 'FAKETIME_TIMESTAMP_FILE=%s/clock' % HOME, 'FAKETIME_NO_CACHE=1', 'FAKETIME_DONT_FAKE_MONOTONIC=1',
                 'DONT_FAKE_MONOTONIC=1'] + words
    return ' '.join(words)


def probe():
    import zipfile
    path = HOME + '/probe.zip'
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as z:
        for name in ('manifest.yaml', 'UI/ui.yaml', 'Classes/App.yaml', 'Classes/Helper.yaml'):
            z.write('%s/probe/%s' % (HERE, name), name)
    return path


def run(kind, row):
    what, disturb, variables = ROWS[row]
    os.environ['TOKEN_SECONDS'] = '15' if row == 'tokens' else '86400'
    down('keystone') # it reads how long its tokens live
    exports = up()
    env = dict(os.environ, PACKAGE=probe(), XDG_CACHE_HOME=HOME + '/objects', BETWEEN=os.environ.get('BETWEEN', '3'), PATIENCE=os.environ.get('PATIENCE', '150'))
    env.update(exports)
    env.update(variables)
    for proxy in ('http_proxy', 'https_proxy', 'HTTP_PROXY', 'HTTPS_PROXY'):
        env.pop(proxy, None)
    if disturb:
        env['DISTURB'] = '/usr/bin/python3 %s --disturb %s' % (HERE + '/table.py', disturb)
    cmd = command(kind, row, exports['MURANO_CONF'])
    log('%s: %s' % (kind, what))
    moments = os.environ.get('MOMENTS', '40') if row == 'kills' else '0'
    out = subprocess.run(['/usr/bin/python3', HERE + '/faults.py', moments, cmd, cmd], stdout=subprocess.PIPE, text=True, env=env).stdout
    log(out)
    found = json.loads(out.splitlines()[0])
    found.update(row=row, engine=kind, notes=[line[2:] for line in out.splitlines()[1:]])
    with open(HOME + '/table.jsonl', 'a') as f:
        f.write(json.dumps(found) + '\n')
    if row == 'kills':
        what = '%d SIGKILL and %d SIGTERM at random moments' % (found['kills'], found['terms'])
    counts = ' | '.join(str(found[k]) for k in ('environments', 'deployments', 'lost', 'stuck', 'doubled', 'wrong'))
    print('| %s | %s | %s |' % (kind, what, counts), flush=True)


def main():
    ports()
    if sys.argv[1] == '--disturb':
        DISTURB[sys.argv[2]]()
        return
    if sys.argv[1] not in ('vetro', 'murano') or not set(sys.argv[2:]) <= set(ROWS):
        sys.exit(__doc__)
    try:
        print('| engine | what happens | environments | deployments | lost | stuck | doubled | wrong |\n|---|---|---|---|---|---|---|---|')
        for row in sys.argv[2:] or ROWS:
            run(sys.argv[1], row)
    finally:
        if os.path.ismount(HOME + '/small'):
            subprocess.call(['umount', '-l', HOME + '/small'])
        subprocess.call(['bash', HERE + '/down.sh'])


main()
