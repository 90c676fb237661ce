"""real.py - what real_torch.py and real_cupy.py share: a workload runs once with the library's own tool and once with gpumemprof,
each in a process of its own, and the figures are compared in a table."""
import json
import os
import subprocess
import sys
import tempfile

KIB = 1 << 10


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def worker(script, role, **env):
    """Runs the script as that role; what it prints last is its figures."""
    done = subprocess.run([sys.executable, script, role], capture_output=True, text=True, env={**os.environ, **env}, check=False)
    if done.returncode == 77:
        skip(done.stdout.strip().removeprefix("skipped: "))
    if done.returncode:
        sys.exit(f"{role}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def own_lines(capture, script):
    """{line: [bytes itself and below it, blocks itself]} of the script."""
    import gpumemprof
    with gpumemprof.read(capture) as c:
        rows = [row for row in c.rows() if row["file"] and os.path.basename(row["file"]) == os.path.basename(script)]
    return {str(row["line"]): [row["incl_alloc"], row["self_alloc"], row["blocks"]] for row in rows}


def both(script):
    """What it prints with the library's own tool, what it prints with gpumemprof, and its lines in the capture of that run."""
    with tempfile.TemporaryDirectory() as folder:
        capture = f"{folder}/ours.gmprof"
        return worker(script, "theirs"), worker(script, "ours", GPUMEMPROF_OPTIONS=f"output={capture}:quiet=1"), own_lines(capture, script)


def compare(title, rows):
    """Prints (what, theirs, ours, allowed difference); returns whether all agree."""
    print(f"\n{title}\n{'':44}{'theirs':>16}{'ours':>16}")
    wrong = 0
    for what, theirs, ours, allowed in rows:
        agrees = abs((theirs or 0) - (ours or 0)) <= allowed
        wrong += not agrees
        print(f"{'' if agrees else 'WRONG '}{what:44}{theirs!s:>16}{ours!s:>16}")
    print(f"{len(rows)} figures, {wrong} differ")
    return bool(rows) and not wrong
