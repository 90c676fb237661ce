#!/usr/bin/env python3
"""help_of_commands.py TOOL SOURCE - `--help` fits a screen of 40 rows and 80 columns and has each command of commands.def
once; the help of each command has its example."""
import re
import subprocess
import sys


def help_of(*words):
    return subprocess.run([sys.argv[1], *words, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout


text = help_of()
lines = text.splitlines()
assert len(lines) <= 40, f"{len(lines)} rows"
for line in lines:
    assert len(line) <= 80, f"{len(line)} columns: {line}"
commands = re.findall(r"^GPM_COMMAND\((\w+),", open(f"{sys.argv[2]}/tools/input/commands.def", encoding="utf-8").read(), re.M)
listed = [line.split()[0] for line in lines if line.startswith("  ")]
assert sorted(listed) == sorted(commands) and len(commands) > 20, (listed, commands)
for command in commands:
    own = help_of(command)
    assert re.search(rf"^ *Example:\n? +.*gpumemprof {command}\b", own, re.M), own
    assert f"{command}: " in own, own
