"""Processes of a parallel job: which of them are profiled, and what their captures are called."""
import json
import re

from harness import check

VARIABLES = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID", "RANK")
COUNTS = (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE"), ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),
          ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"), ("RANK", "WORLD_SIZE"))
KIB = 1 << 10


def _run(t, options, **ranks):
    """Runs a program that ends with 7; returns (what it said, its capture or None)."""
    program = t.work / "ending"
    if not program.exists():
        t.build("ending", "common/ending.c", link=["-ldl", "-pthread"])
    for old in t.work.glob("*.gmprof"):
        old.unlink()
    env = {name: "" for name in VARIABLES + tuple(count for _, count in COUNTS)}
    env.update(ranks, GPUMEMPROF_OPTIONS=f"output={t.work}/run-%r.gmprof:quiet=1{options}")
    result = t.command(program, status=7, env=env)
    captures = list(t.work.glob("*.gmprof"))
    assert len(captures) <= 1, captures
    for capture in captures:
        check(t.report(capture)["conservation"], "conservation", ok=True, allocated=256 * KIB)
    return result.err, captures[0].name if captures else None


def each_variable_tells_the_rank(t):
    for name in VARIABLES:
        assert _run(t, ":ranks=2,5", **{name: "5"}) == ("", "run-5.gmprof"), name
        assert _run(t, ":ranks=2,5", **{name: "4"}) == ("", None), name
    # The first of them that holds a number; a number on its node is no rank.
    assert _run(t, "", RANK="7", SLURM_PROCID="8", PMI_RANK="9") == ("", "run-9.gmprof")
    assert _run(t, "", RANK="7", PMI_RANK="none", SLURM_PROCID="-1") == ("", "run-7.gmprof")
    assert _run(t, ":ranks=0", MPI_LOCALRANKID="3", OMPI_COMM_WORLD_LOCAL_RANK="3", LOCAL_RANK="3")[1] == "run-0.gmprof"


def lists_and_ranges(t):
    for ranks, profiled in (("0", {0}), ("0,3,8-11", {0, 3, 8, 9, 10, 11}), ("2-2", {2}), ("1-2,2-4", {1, 2, 3, 4}),
                            ("all", set(range(13))), ("12", {12})):
        kept = {rank for rank in range(13) if _run(t, f":ranks={ranks}", RANK=str(rank))[1]}
        assert kept == profiled, (ranks, kept)


def without_a_rank_everything_is_profiled(t):
    said, capture = _run(t, ":ranks=3")
    assert capture == "run-0.gmprof" and said == (
        "gpumemprof: ranks=3 is ignored: no variable tells the rank of this process (OMPI_COMM_WORLD_RANK, PMI_RANK, "
        "SLURM_PROCID, RANK and similar ones)\n"), said
    assert _run(t, ":ranks=all") == ("", "run-0.gmprof")
    assert _run(t, ":enabled=0:ranks=3") == ("", None)


def bad_lists_are_said_and_ignored(t):
    for bad in ("", "-1", "1-", "3-1", "1,,2", "1,", "x", "0x1", "1 2", "9999999999", "1,2,three", "0," * 300 + "0"):
        said, capture = _run(t, f":ranks={bad}", RANK="5")
        assert capture == "run-5.gmprof" and said == (
            f"gpumemprof: GPUMEMPROF_OPTIONS: bad value '{bad}' for ranks is ignored; 'gpumemprof info --options' lists what "
            "it takes\n"), (bad, said)


def capture_says_its_rank_and_how_many_there_are(t):
    def recorded(**ranks):
        capture = t.work / _run(t, "", **ranks)[1]
        info = json.loads(t.gpumemprof("info", "--format", "json", capture).out)
        return info["rank"], info["ranks"], t.gpumemprof("info", capture).out

    for rank, count in COUNTS:
        known = recorded(**{rank: "5", count: "8"})
        assert known[:2] == (5, 8) and re.search(r"^rank +5 of 8$", known[2], re.M), known
        assert recorded(**{rank: "5", count: "many"})[:2] == recorded(**{rank: "5", count: "5"})[:2] == (5, None)
    # Of one launcher: how many another one started says nothing.
    assert recorded(PMI_RANK="1", OMPI_COMM_WORLD_SIZE="4", WORLD_SIZE="2")[:2] == (1, None)
    assert recorded(PMIX_RANK="0", SLURM_NTASKS="4")[:2] == (0, None)
    none = recorded(OMPI_COMM_WORLD_SIZE="4")
    assert none[:2] == (None, None) and not re.search(r"^rank ", none[2], re.M), none
