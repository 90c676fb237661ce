#!/usr/bin/env python3
"""pages.py SOURCE TOOL WORK CASE - manual pages and completions: whole, clean, and true to what the tool takes."""
import os
import re
import shutil
import subprocess
import sys

from exports import Case


def commands(t):
    found = re.findall(r"^  ([a-z]+)  +\S", t.gpumemprof("--help").stdout.decode(), re.M)
    assert len(found) > 25, found
    return found


def options(t, command):
    """(long, short or None, argument or None)"""
    # argp leaks a byte for a command without options of its own.
    kept = {**os.environ, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    text = t.gpumemprof(command, "--help", env=kept).stdout.decode()
    found = re.findall(r"^ +(?:(-\w), )? *--([a-z-]+)(?:=(\S+))?", text, re.M)
    return [(name, short or None, argument or None) for short, name, argument in found if name not in ("help", "usage", "version")]


def pages(t):
    """File of each page."""
    made = {}
    for name, args in [("gpumemprof.1", ()), ("gpumemprof.3", ("3", os.path.join(t.source, "include/gpumemprof"))),
                       *((f"gpumemprof-{command}.1", ("1", command)) for command in commands(t))]:
        made[name] = t.path(name)
        with open(made[name], "wb") as out:
            out.write(t.gpumemprof("man", *args).stdout)
    assert len(made) > 18
    return made


def manual_pages_are_clean(t):
    """groff and mandoc have nothing to say about them, but that they have no date: they are those of a version."""
    tools = [words for words in (["groff", "-man", "-ww", "-b", "-Tutf8"], ["mandoc", "-T", "lint"]) if shutil.which(words[0])]
    if not tools:
        print("skipped: needs groff or mandoc")
        return
    for name, path in pages(t).items():
        for words in tools:
            done = subprocess.run([*words, path], capture_output=True, text=True, check=False)
            said = done.stderr if words[0] == "groff" else done.stdout
            said = [line for line in said.splitlines() if "missing date" not in line and
                    not (name.endswith(".3") and "longer than 80 bytes" in line)]  # tables of the headers
            assert not said, (name, said)


def manual_pages_have_every_option(t):
    """Options are those of --help, typed as they have to be typed; values with a meaning are listed."""
    made = pages(t)
    overview = open(made["gpumemprof.1"], encoding="utf-8").read()
    for command in commands(t):
        text = open(made[f"gpumemprof-{command}.1"], encoding="utf-8").read()
        assert text.startswith(f".TH GPUMEMPROF\\-{command.upper()} 1 ") and f"\\fB{command}\\fR\n" in overview
        assert f"\\fBgpumemprof\\-{command}\\fR(1)" in overview
        listed = re.findall(r"^\.TP\n\\fB(?:\\-(\w), )?\\-\\-([^\n]*?)\\fR(?:=\\fI([^\n]*)\\fR)?\n", text, re.M)
        listed = [(name.replace("\\-", "-"), short and "-" + short or None, argument or None) for short, name, argument in listed]
        wanted = [(name, short, argument and argument.replace("-", "\\-")) for name, short, argument in options(t, command)]
        assert sorted(listed, key=str) == sorted([*wanted, ("help", None, None)], key=str), command
    report = open(made["gpumemprof-report.1"], encoding="utf-8").read()
    for word in re.findall(r'^GPM_BY\(\w+, +"(\w+)"', open(os.path.join(t.source, "tools/model/by.def"), encoding="utf-8").read(), re.M):
        assert f".TP\n\\fB{word}\\fR\n" in report, word
    columns = t.gpumemprof("report", "--columns", "help").stdout.decode()
    for word in re.findall(r"^(\w+) ", columns, re.M):
        assert f".TP\n\\fB{word}\\fR\n" in report, word


def bash(t, *words):
    script = f"source {t.path('bash')}; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _gpumemprof; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "-c", script, "bash", "gpumemprof", *words], capture_output=True, text=True, cwd=t.work, check=True)
    assert not done.stderr, done.stderr
    return done.stdout.split()


def fish(t, line):
    script = f"source {t.path('fish')}; complete -C {line!r}"
    done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, cwd=t.work, check=True,
                          env={**os.environ, "HOME": t.work})
    return [word.split("\t")[0] for word in done.stdout.splitlines()]


def completion_offers_what_is_taken(t):
    """Every command and option, and of values those that the command does not refuse."""
    capture = t.made("enter main /main.cu 1\ncall 2\nmalloc p 512\nleave\nend complete\n")
    for shell in ("bash", "zsh", "fish"):
        with open(t.path(shell), "wb") as out:
            out.write(t.gpumemprof("completion", shell).stdout)
        if shutil.which(shell):
            subprocess.run([shell, "-n", t.path(shell)], check=True)
    assert set(commands(t)) <= set(bash(t, ""))
    values = 0
    for command in commands(t):
        wanted = options(t, command)
        assert {"--" + name for name, _, _ in wanted} <= set(bash(t, command, "-")), command
        for name, short, argument in wanted:
            if not argument:
                continue
            offered = bash(t, command, "--" + name, "")
            assert offered == bash(t, command, "--" + name, "=") == bash(t, command, "--" + name, "=", "")
            assert not short or offered == bash(t, command, short, ""), (command, name)
            if argument in ("FILE", "PATH", "BASE"):
                assert "made.gmprof" in offered, (command, name)
                continue
            for word in offered:
                if command == "run":
                    continue
                more = ("--samples",) if (command, name) == ("info", "format") else ()
                more += ("--to", "folded") if command == "export" and name != "to" else ()
                operands = {"diff": [capture, capture], "annotate": [capture, "/main.cu"], "show": [capture, "0"], "flags": ["clang"],
                            "facts": [os.path.join(t.source, "test", "tools", "lit", "facts", "facts_as_json.test")]}
                done = subprocess.run([t.tool, command, f"--{name}={word}", *more, *operands.get(command, [capture])],
                                      capture_output=True, text=True, cwd=t.work, check=False)
                values += 1
                refused = re.search(r"there is no [a-z -]+ `|no csv|no figure|wants|unrecognized", done.stderr)
                assert not refused, (command, name, word, done.stderr)
    assert values > 150, values
    if shutil.which("fish"):
        assert set(commands(t)) <= set(fish(t, "gpumemprof "))
        for command in ("report", "export", "dryrun"):
            assert {"--" + name for name, _, _ in options(t, command)} <= {
                word.split("=")[0] for word in fish(t, f"gpumemprof {command} --")}, command
        assert set(bash(t, "export", "--to", "")) == set(fish(t, "gpumemprof export --to "))


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    globals()[sys.argv[4]](Case(*sys.argv[1:4]))
