"""Types keys into a command on a terminal of its own, and waits for what it shows.

usage: terminal.py COLUMNS COMMAND...       steps as JSON on standard input: [[KEYS, SHOWN], ...]

Prints "ok", or the step whose text did not come within a minute and what was shown.  The terminal
has to be as it was in the end.
"""

import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios

WAIT = 60


def main(columns, command):
    steps = json.load(sys.stdin)
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    before = termios.tcgetattr(slave)
    pid = os.fork()
    if pid == 0:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for fd in (0, 1, 2):
            os.dup2(slave, fd)
        os.environ['TERM'] = os.environ.get('VETRO_TERM', 'xterm')
        os.execv(command[0], command)
    shown = ''
    for keys, want in steps:
        os.write(master, keys.encode())
        at = 0
        while want not in shown[at:]:
            ready, _, _ = select.select([master], [], [], WAIT)
            data = os.read(master, 65536) if ready else b''
            if not data:
                print('not shown: %r\n%r' % (want, shown))
                os.kill(pid, 9)
                return
            shown += data.decode('utf-8', 'replace')
        shown = shown[shown.index(want) + len(want):]
    _, status = os.waitpid(pid, 0)
    after = termios.tcgetattr(slave)
    print('ok' if before == after else 'the terminal is not as it was', status)


main(int(sys.argv[1]), sys.argv[2:])
