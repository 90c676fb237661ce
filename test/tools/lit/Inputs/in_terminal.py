"""in_terminal.py COLUMNS COMMAND ... - what the command writes to a terminal of so many columns, with ESC for the escape character."""
import fcntl
import os
import pty
import struct
import sys
import termios

columns, command = int(sys.argv[1]), sys.argv[2:]
child, terminal = pty.fork()
if not child:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    os.execvpe(command[0], command, {**os.environ, "TERM": "xterm", "GPUMEMPROF_PAGER": "cat"})
written = b""
try:
    while part := os.read(terminal, 1 << 16):
        written += part
except OSError:
    pass  # the end of a terminal
print(written.decode().replace("\x1b", "ESC").replace("\r\n", "\n"), end="")
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
