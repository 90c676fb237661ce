"""vt.py - a terminal for tests: a program on a pty, and the screen as it would look, a list of rows.

Knows what ncurses sends to an xterm; a sequence it does not know is an error, so that nothing on the screen is guessed.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

CSI = re.compile(r"\x1b\[([?>=]?)([0-9;:]*)([ !]?[@-~])")
OTHER = re.compile(r"\x1b(?:[()][A-Z0-9]|[=>78cM]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
KEYS = {"F1": "\x1bOP", "F2": "\x1bOQ", "F3": "\x1bOR", "F4": "\x1bOS", "F5": "\x1b[15~", "F6": "\x1b[17~", "F10": "\x1b[21~",
        "Up": "\x1bOA", "Down": "\x1bOB", "Right": "\x1bOC", "Left": "\x1bOD", "Home": "\x1bOH", "End": "\x1bOF",
        "PgUp": "\x1b[5~", "PgDn": "\x1b[6~", "Enter": "\r", "Esc": "\x1b", "Space": " ", "Back": "\x7f"}


class Screen:
    def __init__(self, rows, columns):
        self.pending, self.styled = "", False
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.height, self.width, self.row, self.column = rows, columns, 0, 0
        self.top, self.bottom = 0, rows - 1
        self.cells = [[" "] * columns for _ in range(rows)]

    def text(self):
        return ["".join(row).rstrip() for row in self.cells]

    def feed(self, data):
        data, self.pending = self.pending + data, ""
        at = 0
        while at < len(data):
            c = data[at]
            if c == "\x1b":
                found = CSI.match(data, at) or OTHER.match(data, at)
                if not found:
                    assert len(data) - at < 64, f"unknown sequence {data[at:at + 20]!r}"
                    self.pending = data[at:]
                    return
                at = found.end()
                if found.re is CSI:
                    self.control(*found.groups())
                elif found.group() == "\x1bM":
                    self.up()
                continue
            at += 1
            if c == "\n":
                self.down()
            elif c == "\r":
                self.column = 0
            elif c == "\b":
                self.column = max(0, self.column - 1)
            elif c == "\t":
                self.column = min(self.width - 1, self.column // 8 * 8 + 8)
            elif c >= " ":
                self.put(c)
            else:
                assert c in "\x07\x0e\x0f\x00", repr(c)

    def put(self, c):
        if self.column == self.width:  # behind the last column, the next character wraps
            self.column = 0
            self.down()
        self.last = c
        self.cells[self.row][self.column] = c
        self.column += 1

    def down(self):
        if self.row == self.bottom:
            self.scroll(self.top, 1)
        else:
            self.row = min(self.row + 1, self.height - 1)

    def up(self):
        if self.row == self.top:
            self.scroll(self.top, -1)
        else:
            self.row = max(self.row - 1, 0)

    def scroll(self, top, lines):
        """Rows from top to the bottom of the region go up (down if negative)."""
        region, blank = self.cells[top:self.bottom + 1], [[" "] * self.width for _ in range(abs(lines))]
        region = region[lines:] + blank if lines > 0 else blank + region[:lines]
        self.cells[top:self.bottom + 1] = region[:self.bottom + 1 - top]

    def control(self, private, numbers, final):
        n = [int(x) if x else 0 for x in numbers.split(";")] if numbers else [0]
        one = max(n[0], 1)
        row = self.cells[self.row]
        if private or final in ("h", "l", "t", "q", " q", "c", "!p"):
            return
        self.column = min(self.column, self.width - 1) if final not in "m" else self.column
        if final == "m":
            self.styled = self.styled or any(30 <= x <= 49 and x != 39 and x != 49 for x in n)
        elif final in "Hf":
            self.row, self.column = min(one, self.height) - 1, min(max((n + [0])[1], 1), self.width) - 1
        elif final == "A":
            self.row = max(self.row - one, 0)
        elif final == "B":
            self.row = min(self.row + one, self.height - 1)
        elif final == "C":
            self.column = min(self.column + one, self.width - 1)
        elif final == "D":
            self.column = max(self.column - one, 0)
        elif final == "G":
            self.column = min(one, self.width) - 1
        elif final == "d":
            self.row = min(one, self.height) - 1
        elif final == "J":
            first = 0 if n[0] else self.row + 1
            for i in range(first, self.height if n[0] != 1 else self.row):
                self.cells[i] = [" "] * self.width
            if not n[0]:
                row[self.column:] = [" "] * (self.width - self.column)
        elif final == "K":
            begin, end = (self.column, self.width) if not n[0] else (0, self.column + 1) if n[0] == 1 else (0, self.width)
            row[begin:end] = [" "] * (end - begin)
        elif final == "X":
            end = min(self.column + one, self.width)
            row[self.column:end] = [" "] * (end - self.column)
        elif final == "@":
            self.cells[self.row] = (row[:self.column] + [" "] * one + row[self.column:])[:self.width]
        elif final == "P":
            self.cells[self.row] = (row[:self.column] + row[self.column + one:] + [" "] * one)[:self.width]
        elif final == "L":
            self.scroll(self.row, -one)
        elif final == "M":
            self.scroll(self.row, one)
        elif final == "S":
            self.scroll(self.top, one)
        elif final == "T":
            self.scroll(self.top, -one)
        elif final == "b":
            for _ in range(one):
                self.put(self.last)
        elif final == "r":
            self.top, self.bottom = one - 1, (n + [0])[1] - 1 if len(n) > 1 and n[1] else self.height - 1
            self.row = self.column = 0
        else:
            raise AssertionError(f"unknown sequence ESC [ {numbers} {final}")


class Terminal:
    """A program on a screen of rows and columns."""

    def __init__(self, words, rows=24, columns=80, cwd=None, **environment):
        env = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "LINES", "COLUMNS")}
        env.update({"TERM": "xterm", "LC_ALL": "C.UTF-8", **environment})
        self.pid, self.fd = pty.fork()
        if not self.pid:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            if cwd:
                os.chdir(cwd)
            os.execve(words[0], [str(word) for word in words], env)
        self.screen, self.raw, self.status = Screen(rows, columns), b"", None
        self.bytes = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)

    def read(self, seconds):
        """Takes what comes within a time; False: the program has left the terminal."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:
            data = b""
        self.raw += data
        data = self.bytes + data
        whole = len(data)
        while whole and data[whole - 1] & 0xc0 == 0x80:
            whole -= 1
        whole -= bool(whole and data[whole - 1] & 0x80)  # a character that is not whole yet
        if whole and len(data) > whole and len(data) - whole == (2 if data[whole] < 0xe0 else 3 if data[whole] < 0xf0 else 4):
            whole = len(data)
        self.bytes = data[whole:]
        self.screen.feed(data[:whole].decode())
        return bool(data)

    def wait(self, what, seconds=30):
        """Until the screen has a text (or a function of its rows is true), and is drawn; the rows."""
        end = time.monotonic() + seconds
        while True:
            while select.select([self.fd], [], [], 0.05)[0] and self.read(0):
                pass
            rows = self.screen.text()
            if what(rows) if callable(what) else any(what in row for row in rows):
                return rows
            assert time.monotonic() < end, f"not on the screen: {what}\n" + "\n".join(rows)

    def press(self, *keys):
        for key in keys:
            os.write(self.fd, KEYS.get(key, key).encode())
            if key == "Esc":
                time.sleep(0.1)  # what follows is no part of it

    def resize(self, rows, columns):
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def ends(self, seconds=20):
        """Its exit status, when it has left the terminal."""
        end = time.monotonic() + seconds
        while self.read(0.1):
            assert time.monotonic() < end, "it goes on\n" + "\n".join(self.screen.text())
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.status
