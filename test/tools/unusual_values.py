#!/usr/bin/env python3
"""unusual_values.py SOURCE TOOL WORK - every option of every command with values nobody meant: each is taken, or refused with
status 2 in one sentence (and where to find help); never a crash, a hang or a figure that was not asked for."""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import repeats  # noqa: E402
from recorder import NONE, Recorder  # noqa: E402

source, tool, work = sys.argv[1:]
os.makedirs(work, exist_ok=True)
capture = os.path.join(work, "run.gmprof")
with open(capture, "wb") as out:
    recorder = Recorder(source)
    recorder.samples.append([0, 0, NONE, 1, 4] + [0] * 10)  # a timeline needs some
    out.write(recorder.bytes())
VALUES = ("", " ", "-", "--", "-1", "0", "00", "1", "4294967295", "4294967296", "4294967297", "18446744073709551616", "9" * 400,
          "1e3", "0x10", "nan", "inf", "1KiB", "1.5G", "16EiB", "9999999TiB", "1 GiB x", "%s%n", "x" * 5000, "\xff\xfe", "a,a", ",",
          "host", "help", "json", "path", "\n\x1b[31m")
SIZES = r"0+|4294967\d+|1e3|0x10|1KiB|1.5G"
TAKEN = {"max-peak": SIZES, "max-leaks": SIZES, "max-waste": "(?!)", "facts": "(?!)", "against": "(?!)", "tolerance": "(?!)", "threshold": SIZES,
         "limit": r"0+|1|4294967295", "devices": r"1", "device": r"0+|host", "by": "path", "format": "json", "min": SIZES,
         "device-memory": r"4294967\d+|1.5G", "output": r"(?s).+", "history": "(?!)", "ranks": r"\d{1,9}",
         "dump": "(?!)", "ring": r"\d+", "monitor": r"0", "option": "(?!)", "columns": "help", "sort": "(?!)", "filter": "(?!)", "group-by": "(?!)", "layout": "(?!)", "kind": "(?!)",
         "suppressions": "(?!)", "run": "(?!)", "scope": "(?!)", "names": "(?!)", "wrappers": "(?!)", "wrapper": "(?!)", "last": "0+|1", "of": "(?!)",
         "source-root": "(?!)", "max-size": r"4294967\d+|1.5G", "axis": "(?!)", "interval": "(?!)", "old": "(?!)", "width": "1", "height": "1", "steps": "(?!)", "from": "(?!)", "to": "(?!)"}


def run(*words):
    return subprocess.run([tool, *words], capture_output=True, text=True, errors="replace", timeout=20, check=False, cwd=work)


chosen = repeats.share(VALUES, 8 if repeats.sanitized() else 2)
count, known = 0, set()
for command in ("report", "tree", "peak", "matrix", "leaks", "lifetimes", "temporaries", "histogram", "timeline", "top", "check", "diff", "merge", "info", "html", "dryrun", "run"):
    if command == "html" and "built without the viewer" in run(command, capture, "-o", "-").stderr:
        continue
    options = re.findall(r"--([a-z-]+)=[A-Z]", run(command, "--help").stdout)
    assert options, command
    for option in options:
        # Options that several commands have are taken by one function: one of them gets all of these values.
        values = chosen[len(command) % 3::3] if option in known else chosen
        known.add(option)
        for value in values:
            files = ["/bin/true"] if command in ("dryrun", "run") else [capture] * (1 + (command == "diff"))
            if command == "check":
                files.append("--allow-incomplete")  # nothing was recorded in it
            done = run(command, f"--{option}={value}", *files)
            said, count = done.stderr.splitlines(), count + 1
            where = (command, option, value[:50], done.returncode, done.stderr[:300])
            moment = command == "timeline" and option in ("from", "to") and re.fullmatch(r"\d+", value) and done.returncode == 0
            no_name = command == "html" and option == "output" and len(value) > 255
            column = option in ("columns", "sort") and value == "path" and command in ("leaks", "temporaries")  # which have such a column
            # One of several captures may lack the function, and a running program may not have called it yet.
            may_lack = option == "wrapper" and command in ("diff", "merge", "top")
            if moment or column or may_lack or re.fullmatch(TAKEN[option], value) and not no_name and (command, option) not in (("diff", "by"), ("matrix", "by")):
                assert done.returncode == 0 or command == "dryrun", where
            else:
                assert done.returncode == 2 and not done.stdout and 1 <= len(said) <= 4, where
            assert "Sanitizer" not in done.stderr and "runtime error" not in done.stderr, where
for word in (*chosen, "reports"):
    if word != "help":
        assert run(word).returncode == 2, word
print(f"{count} command lines")
