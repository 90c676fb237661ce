"""`gpumemprof merge`: jobs of MPI and programs that ran several times, as one report. Figures are compared with the same
computed in Python from the report of each capture, and with what the programs say in their source."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from harness import Skip

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools"))
from merge_oracle import Merge  # noqa: E402

MIB = 1 << 20
FLOATS = 4  # bytes of one


def _tool(t, cwd=None):
    return lambda *words, status=0: t.gpumemprof(*words, status=status, cwd=cwd).out


def _job(t):
    """The program of MPI, and the words that start four of it."""
    if not shutil.which("mpirun") or not shutil.which("mpicc"):
        raise Skip("needs mpirun and mpicc (openmpi-bin, libopenmpi-dev)")
    flags = [shlex.split(subprocess.run(["mpicc", f"--showme:{what}"], capture_output=True, text=True, check=True).stdout)
             for what in ("compile", "link")]
    program = t.build("parallel_job", "tools/parallel_job.c", flags=["-O1", *flags[0]], link=flags[1])
    root = ["--allow-run-as-root"] if os.geteuid() == 0 else []
    return program, ["mpirun", *root, "--oversubscribe", "-n", "4"]


def _run(t, *words, status=0, options="output=run.%r.gmprof:quiet=1", cwd=None):
    environment = {"GPUMEMPROF_OPTIONS": options, "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                   "OMPI_MCA_plm_rsh_agent": "sh"}
    return t.command(*words, status=status, env=environment, cwd=cwd or t.work)


def job_of_mpi_names_the_rank_and_the_line(t):
    program, start = _job(t)
    _run(t, *start, program)
    captures = sorted(t.work.glob("run.*.gmprof"))
    assert [one.name for one in captures] == [f"run.{rank}.gmprof" for rank in range(4)]
    tool = _tool(t)
    for by in ("line", "function", "path", "kind", "variable"):
        m = Merge(tool, captures, by)
        assert m.check_rows() and m.names == [f"rank {rank}" for rank in range(4)], by
        m.check_head()
    # As the source says: 4 MiB a grid and 1 MiB a halo, three times; the heavy rank keeps grids of 12 MiB.
    cells = FLOATS << 20
    assert [p["peak"] for p in m.merged["processes"]] == [cells + cells // 4] * 2 + [9 * cells + cells // 4, cells + cells // 4]
    assert m.merged["imbalance"]["process"] == "rank 2" and m.merged["imbalance"]["bytes"] == 6 * cells
    line = m.merged["imbalance"]["line"]
    assert (line["function"], line["bytes"], [step["function"] for step in line["path"]]) == ("make", 6 * cells, ["main", "solve", "make"])
    assert m.merged["ranks"] == {"job": 4, "missing": []} and [p["outlier"] for p in m.merged["processes"]] == [False, False, True, False]
    said = tool("merge", t.work, "--bytes")
    sentence = re.search(r"^imbalance: rank 2 peaked at 38797312, 2.85x the mean of 13631488; most of the difference of 25165824 is "
                         r".*parallel_job.c:17 solve  float \*grid = .*  via make, called from .*parallel_job.c:33 main: 25165824$", said, re.M)
    assert "4 processes of" in said and "all 4 ranks" in said and sentence, said
    rows = {(row["function"], row["line"]): row for row in json.loads(tool("merge", *captures, "--format", "json"))["rows"]}
    grid = rows["solve", 17]
    assert grid["processes"] == 4 and grid["self_alloc"]["max"] == 0 and grid["escaped"] == {
        "min": 0, "min_of": "rank 0", "mean": 9 * cells / 4, "max": 9 * cells, "max_of": "rank 2", "sum": 9 * cells}, grid
    (only,) = [row for (function, _), row in rows.items() if function == "gather" and row["incl_alloc"]["max"]]
    assert only["processes"] == 1 and only["incl_alloc"] == {"min": 0, "min_of": "rank 1", "mean": cells / 8, "max": cells // 2,
                                                            "max_of": "rank 0", "sum": cells // 2}, only


def even_job_is_said_to_be_even(t):
    program, start = _job(t)
    _run(t, *start, program, "even")
    said = t.gpumemprof("merge", t.work).out
    assert re.search(r"^balanced: the highest peak, that of rank 0, is 1.00x the mean$", said, re.M), said
    assert "outliers" not in said


def rank_that_was_killed_is_one_of_them(t):
    program, start = _job(t)
    _run(t, *start, program, "abort", status=None)
    merged = json.loads(t.gpumemprof("merge", t.work, "--format", "json").out)
    states = {p["name"]: p["state"] for p in merged["processes"]}
    assert len(states) == 4 and states["rank 1"] == "ended without a clean exit", states
    (t.work / "run.2.gmprof").write_bytes((t.work / "run.2.gmprof").read_bytes()[:5000])
    result = t.gpumemprof("merge", t.work, "--format", "json", status=1)
    merged = json.loads(result.out)
    assert result.err.count("\n") == 1 and "run.2.gmprof" in result.err, result.err
    assert merged["captures"]["unread"] == [str(t.work / "run.2.gmprof")] and merged["ranks"] == {"job": 4, "missing": [[2, 2]]}
    Merge(_tool(t), [t.work], status=1).check_rows()


def run_shows_all_ranks(t):
    program, start = _job(t)
    folder = t.work / "job"
    folder.mkdir()
    result = _run(t, t.tool, "run", "--report", "--", *start, program, options="", cwd=folder)
    lines = result.err.splitlines()
    assert lines[0].startswith(f"gpumemprof run: wrote {folder}/gpumemprof.") and "all 4 ranks" in result.err, lines
    last = re.fullmatch(r"gpumemprof run: `gpumemprof merge --run (.*)` shows all 4 processes as one report", lines[-1])
    assert last and any(line.startswith("imbalance: rank 2 peaked at 37.00 MiB") for line in lines), lines
    # In five lines: the fullest GPU of all ranks.
    (t.work / "answer").mkdir()
    result = _run(t, t.tool, "run", "-o", "run.%r.gmprof", "--", *start, program, options="", cwd=t.work / "answer")
    lines = result.err.splitlines()[-5:]
    assert re.fullmatch(r"gpumemprof run: wrote 4 captures; `gpumemprof merge --run run\.[0-3]\.gmprof` shows them as one report",
                        lines[0]), lines
    assert re.fullmatch(r"  peak    37\.00 MiB of .* on GPU 0, 36\.00 MiB at \S*parallel_job\.c:17 solve of rank 2", lines[1]), lines
    assert re.fullmatch(r"  leaks   36\.00 MiB in 3 blocks at \S*parallel_job\.c:17 solve of rank 2", lines[2]), lines
    assert lines[3:] == ["  failed  nothing", "  next    gpumemprof leaks run.2.gmprof  # with their call paths"], lines
    result = _run(t, t.tool, "run", "-o", "bad.%r.gmprof", "--", *start, program, "abort", status=None, options="", cwd=t.work / "answer")
    # mpirun ends the others, too, which may have come to their end by then.
    assert re.search(r"^  failed  (rank 1|[2-4] processes) did not exit cleanly \(on a simulated device kernels compute nothing, so .*\)$", result.err, re.M), result.err
    # Another run into the same folder is not meant.
    _run(t, t.tool, "run", "--no-report", "--", *start, program, "even", options="", cwd=folder)
    assert len(list(folder.glob("*.gmprof"))) == 8
    m = Merge(_tool(t), [], more=("--run", last[1]))
    assert m.names == [f"rank {rank}" for rank in range(4)] and m.merged["imbalance"]["process"] == "rank 2"
    both = json.loads(t.gpumemprof("merge", folder, "--format", "json").out)
    names = [p["name"] for p in both["processes"]]
    assert both["ranks"] is None and len(set(names)) == 8 and all(name.startswith("gpumemprof.") for name in names), names


def other_programs_and_runs_have_the_names_of_their_files(t):
    captures = []
    for source in ("common/templates.cpp", "common/exceptions.cpp", "common/threads.cpp"):
        name = pathlib.PurePath(source).stem
        program = t.build(name, source, "oracle/oracle.cpp", flags=["-O2", "-I", t.programs / "oracle"])
        for number in range(2):
            captures.append(t.run(program, capture=f"{name}-{number}.gmprof", env={"OMPI_COMM_WORLD_RANK": ""})[1])
    for by in ("line", "function", "file", "path", "kind", "type"):
        m = Merge(_tool(t), captures, by)
        assert m.check_rows() and m.names == [capture.stem for capture in captures], m.names
    m.check_head()
    assert len(m.merged["programs"]) == 3
    said = t.gpumemprof("merge", *captures).out
    assert "6 processes of several programs, 1 host" in said and "of 3 programs: " in said, said
