#!/usr/bin/env python3
"""paging.py SOURCE TOOL WORK CASE - output that is longer than the screen, on a terminal of 24 rows made here."""
import fcntl
import os
import pty
import shutil
import struct
import subprocess
import sys
import termios
import time

from exports import Case

LONG = "enter main /main.cu 1\n" + "".join(f"call {i + 2}\nmalloc p{i} {1000 + i}\n" for i in range(60)) + "leave\nend complete\n"
SHORT = "enter main /main.cu 1\ncall 2\nmalloc p 512\nfree p\nleave\nend complete\n"
REPORT = ("report", "--limit", "40")


def on_terminal(t, *args, rows=24, columns=120, keys=b"", tool=None, **environment):
    """(what the terminal got, exit status); keys are typed once something is shown."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    env = {key: value for key, value in os.environ.items() if key not in ("PAGER", "GPUMEMPROF_PAGER", "LESS", "NO_COLOR")}
    env.update({"TERM": "xterm", **environment})

    def lead():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    with subprocess.Popen(tool or [t.tool, *args], stdin=slave, stdout=slave, stderr=slave, env=env, cwd=t.work, preexec_fn=lead) as run:
        os.close(slave)
        out, end = b"", time.monotonic() + 60
        while True:
            try:
                data = os.read(master, 1 << 16)
            except OSError:
                break
            if not data:
                break
            out += data
            if keys and len(out) > 500:
                os.write(master, keys)
                keys = b""
            assert time.monotonic() < end, out
        status = run.wait()
    os.close(master)
    return out.replace(b"\r\n", b"\n"), status


def pager_gets_what_is_longer_than_the_screen(t):
    """The same bytes as without one, colours too; and only then."""
    capture = t.made(LONG)
    plain, status = on_terminal(t, "--no-pager", *REPORT, capture)
    assert status == 0 and plain.count(b"\n") > 30 and b"\033[" in plain
    got = t.path("got")
    for environment in ({"GPUMEMPROF_PAGER": f"cat > {got}", "PAGER": "false"}, {"PAGER": f"cat > {got}"},
                        {"PAGER": f"sleep 0.3; cat > {got}; exit 3"}):
        shown, status = on_terminal(t, *REPORT, capture, **environment)
        assert (shown, status) == (b"", 0), (shown, status)
        assert open(got, "rb").read() == plain
        os.remove(got)
    assert on_terminal(t, *REPORT, capture, "--no-pager", PAGER=f"touch {got}") == (plain, 0)
    for environment in ({"GPUMEMPROF_PAGER": "", "PAGER": "false"}, {"GPUMEMPROF_PAGER": "cat"}, {"PAGER": "cat"},
                        {"TERM": "dumb", "PAGER": f"touch {got}"}):
        assert on_terminal(t, *REPORT, capture, **environment) == (plain, 0), environment
    rows = plain.count(b"\n")
    assert on_terminal(t, *REPORT, capture, rows=rows + 1, columns=500, PAGER=f"touch {got}") == (plain, 0)
    assert not os.path.exists(got)
    on_terminal(t, *REPORT, capture, rows=rows, columns=500, PAGER=f"cat > {got}")
    assert open(got, "rb").read() == plain
    # A line that is wider than the screen takes several rows of it.
    on_terminal(t, *REPORT, capture, rows=rows + 5, columns=30, PAGER=f"touch {got}.wide")
    assert os.path.exists(got + ".wide")
    short = t.made(SHORT, "short")
    assert on_terminal(t, "report", short, rows=80, PAGER="false") == on_terminal(t, "--no-pager", "report", short)


def pager_that_fails_does_no_harm(t):
    capture = t.made(LONG)
    plain, _ = on_terminal(t, "--no-pager", *REPORT, capture)
    shown, status = on_terminal(t, *REPORT, capture, PAGER="no-such-pager --x")
    assert status == 0 and shown.endswith(plain) and b"no-such-pager" in shown, shown
    shown, status = on_terminal(t, *REPORT, capture, PAGER="/etc/passwd")
    assert status == 0 and shown.endswith(plain), shown
    for pager in ("true", "head -1 > /dev/null", "kill -9 $$"):
        assert on_terminal(t, *REPORT, capture, PAGER=pager) == (b"", 0), pager
    # More than a pipe holds, of which the pager reads nothing, or a little.
    large = t.made("enter main /main.cu 1\n" + "".join(f"call {i + 2}\nmalloc p{i} 512\n" for i in range(3000)) + "leave\n", "large")
    plain, _ = on_terminal(t, "--no-pager", "report", large, "--limit", "0")
    assert len(plain) > 1 << 17
    shown, status = on_terminal(t, "report", large, "--limit", "0", PAGER="no-such-pager")
    assert status == 0 and shown.endswith(plain)
    assert on_terminal(t, "report", large, "--limit", "0", PAGER="head -c 100000 > /dev/null; exit 127") == (b"", 0)
    # What a command found is what it says, whatever becomes of its pager.
    for pager in ("true", "cat > /dev/null", "no-such-pager"):
        assert on_terminal(t, "leaks", "--fail", "--limit", "0", capture, PAGER=pager)[1] == 1
        assert on_terminal(t, "report", "none.gmprof", PAGER=pager)[1] == 2


def pager_is_for_terminals_and_readers(t):
    """Not in a pipe, and not around programs, files for others and scripts."""
    capture, got = t.made(LONG), t.path("got")
    environment = {**os.environ, "PAGER": f"touch {got}", "TERM": "xterm"}
    done = subprocess.run([t.tool, *REPORT, capture], capture_output=True, check=True, env=environment)
    assert done.stdout.count(b"\n") > 30
    for args in (("export", "--to", "folded", "-o", "-", capture), ("completion", "bash"), ("man", "1", "report")):
        assert on_terminal(t, *args, PAGER=f"touch {got}")[1] == 0
    assert not os.path.exists(got)
    # Before a command and among its options; behind run it is the program's.
    subprocess.run([t.tool, "--no-pager", "report", "--no-pager", capture], capture_output=True, check=True, env=environment)
    done = subprocess.run([t.tool, "dryrun", "--no-pager", "true"], capture_output=True, check=False, env=environment)
    assert done.returncode == 2 and b"--no-pager" in done.stderr, done
    assert on_terminal(t, "report", "--help", rows=24, PAGER=f"cat > {got}") == (b"", 0) and b"--group-by" in open(got, "rb").read()


def pager_is_less(t):
    """It shows the first screen; after q the tool ends as it would have."""
    if not shutil.which("less"):
        print("skipped: needs less")
        return
    capture = t.made(LONG)
    shown, status = on_terminal(t, *REPORT, capture, keys=b"q")
    assert status == 0 and b"main.cu" in shown
    assert on_terminal(t, "leaks", "--fail", "--limit", "0", capture, keys=b"Gq")[1] == 1


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    globals()[sys.argv[4]](Case(*sys.argv[1:4]))
