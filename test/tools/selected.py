#!/usr/bin/env python3
"""selected.py SOURCE TOOL WORK [NODES] - of many call paths, only those that are shown get rows.

`report --by path` with a limit, and `leaks`, choose call paths by a few sums each. What they print is the
beginning of what they print without a limit, in the order of every column, with every filter; and their
memory is in proportion to what is shown, not to the paths of the program.
"""
import json
import os
import re
import subprocess
import sys

import oracle
import repeats

COLUMNS = """at_peak incl_alloc incl_requested incl_freed incl_net escaped self_at_peak self_alloc self_requested self_freed
self_net leaked leaked_blocks blocks temporary_blocks calls own_peak_max lifetime_ns freed_others location callee""".split()
FILTERS = ([], ["--kind", "device"], ["--device", "0"], ["--min", "4KiB"], ["--from", "30", "--to", "200"],
           ["--columns", "calls,leaked,own_peak_mean,short_blocks,freed_elsewhere,location"])
ROW = 300  # bytes: a row has more than 400, and each node some 60 more while rows are made


def said(tool, *arguments):
    done = subprocess.run([tool, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def rows(tool, command, capture, *options):
    return json.loads(said(tool, command, capture, "--format", "json", *options))["leaks" if command == "leaks" else "rows"]


def limited_are_the_first_of_all(tool, capture):
    for number, column in enumerate(COLUMNS):
        options = ["--by", "path", "--sort", column, *FILTERS[number % len(FILTERS)]]
        whole = rows(tool, "report", capture, *options)
        for limit in (1, 7, len(whole) + 1):
            some = rows(tool, "report", capture, *options, "--limit", str(limit))
            assert some == whole[:limit], (options, limit)
        grouped = ["--group-by", "path,kind", "--sort", column, *FILTERS[number % 4]]
        assert rows(tool, "report", capture, *grouped, "--limit", "5") == rows(tool, "report", capture, *grouped)[:5], grouped
    whole = rows(tool, "leaks", capture)
    assert rows(tool, "leaks", capture, "--limit", "3") == whole[:3]


def tables_count_what_they_leave_out(tool, capture):
    for options in FILTERS[:3]:
        whole = rows(tool, "report", capture, "--by", "path", *options)
        text = said(tool, "report", capture, "--by", "path", "--limit", "4", *options)
        more = re.search(r"^\.\.\. and (\d+) more rows", text, re.M)
        zeros = re.search(r"^(\d+) rows? that (?:is|are) 0 in every column", text, re.M)
        frees = re.search(r"^\.\.\. and (\d+) call paths? that only free", text, re.M)
        assert 4 + sum(int(found.group(1)) for found in (more, zeros, frees) if found) == len(whole), (options, text)
    whole = rows(tool, "leaks", capture)
    text = said(tool, "leaks", capture, "--limit", "2", "--bytes")
    every, blocks = sum(one["bytes"] for one in whole), sum(one["blocks"] for one in whole)
    lines = re.search(rf"^{every} leaked in {blocks} blocks? on .*, on (\d+) lines through {len(whole)} call paths: the most, \d+, at ", text, re.M)
    assert lines, (every, blocks, text)
    more = re.search(r"^\.\.\. and (\d+) more lines? with (\d+) \(--limit 0", text, re.M)
    assert int(lines.group(1)) == 2 + (int(more.group(1)) if more else 0), text
    headlines = [int(size) for size in re.findall(r"^(\d+) in \d+ blocks?: ", text, re.M)]
    assert sum(headlines) + (int(more.group(2)) if more else 0) == sum(one["bytes"] for one in whole), text


def resident(tool, *arguments):
    """The most memory of a command, in bytes."""
    with subprocess.Popen([tool, *arguments], stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, (arguments, status)
        return usage.ru_maxrss << 10


def memory_is_for_what_is_shown(source, tool, work, count):
    path = os.path.abspath(os.path.join(work, "large.gmprof"))
    make = "import sys, large; open(sys.argv[1], 'wb').write(large.build(sys.argv[2], 'bushy', int(sys.argv[3])))"
    subprocess.run([sys.executable, "-c", make, path, os.path.abspath(source), str(count)], check=True,
                   cwd=os.path.dirname(os.path.abspath(__file__)))  # a process begins with the memory of the one that starts it
    least = resident(tool, "report", path, "--by", "kind")
    for arguments in (["report", "--by", "path"], ["report", "--by", "path", "--format", "json", "--limit", "3"], ["leaks"],
                      ["report", "--by", "path", "--sort", "self_net", "--min", "1KiB"]):
        more = (resident(tool, arguments[0], path, *arguments[1:]) - least) / count
        print(f"{' '.join(arguments)}: {more:.0f} bytes a call path more than rows of kinds")
        assert more < ROW, arguments
    os.remove(path)


def main(source, tool, work, count="200000"):
    os.makedirs(work, exist_ok=True)
    for seed in repeats.seeds(0, 6, 1 if repeats.sanitized() else 2):
        path = os.path.join(work, f"random{seed}.gmprof")
        program = oracle.random_program(source, seed, 400, history=True)
        with open(path, "wb") as out:
            out.write(program.bytes())
        limited_are_the_first_of_all(tool, path)
        tables_count_what_they_leave_out(tool, path)
    if int(count):
        memory_is_for_what_is_shown(source, tool, work, int(count))


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
