"""Adaptors of examples/ for allocators of other libraries, with stand-ins for these: pieces are in `pools`, at the lines that
took them, and the slab below counts once."""
import json

from harness import check

KIB = 1 << 10


def _run(t, name, *flags):
    program = t.build(name, f"adaptors/{name.split('-')[0]}.cpp", flags=["-O2", *flags, "-I", t.examples, "-I", t.programs / "adaptors"])
    result, capture = t.run(program, options="history=all")
    assert not result.err, result.err
    pools = json.loads(t.gpumemprof("pools", "--format", "json", capture).out)["pools"]
    assert len(pools) == 1, pools
    assert pools[0]["name"] == "batch pool", pools
    check(pools[0], name, used=5 * KIB, used_peak=45 * KIB, pieces=1, pieces_ever=7,
          used_outside_known_memory=0, reserved_peak=1 << 20)
    gpu = next(d for d in t.report(capture)["devices"] if d["device"] == 0)
    check(gpu, "GPU", peak=1 << 20, live_at_exit=1 << 20)
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
    rows = [row for row in t.report(capture, "line", "--kind", "custom")["rows"] if row["self_alloc"]]
    return capture, {f"{row['function']}:{row['file'].rsplit('/', 1)[-1]}": row for row in rows}


def rmm(t):
    for name, *flags in (("rmm",), ("rmm-old", "-DOLD_RMM")):
        _, rows = _run(t, name, *flags)
        assert not any("rmm_adaptor.hpp" in row["file"] for row in rows.values()), rows
        assert sum(row["self_alloc"] for row in rows.values()) == (5 + 3 * 40) * KIB, rows


def umpire(t):
    capture, rows = _run(t, "umpire")
    assert not any("umpire_adaptor.hpp" in row["file"] for row in rows.values()), rows
    labels = {row["label"]: row for row in t.report(capture, "label", "--kind", "custom")["rows"]}
    check(labels["pressure"], "pressure", self_alloc=90 * KIB, blocks=3, leaked=0)
    check(labels["mesh"], "mesh", self_alloc=5 * KIB, blocks=1)
    check(labels[""], "none", self_alloc=30 * KIB, blocks=3)


def programs_run_without_the_runtime(t):
    for name in "rmm", "umpire":
        program = t.build(f"{name}-plain", f"adaptors/{name}.cpp", plugin=False, runtime=False,
                          flags=["-I", t.examples, "-I", t.programs / "adaptors"])
        t.command(program)
