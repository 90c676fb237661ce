"""What was copied from the host is compared with its source when the block is first used (uses=verify, sources.cu)."""
import json

import kernels_ptx

SURE, OPEN, NONE = "sure", "if", "none"
# What `advise` says about filling the block later: that it is sure, that it holds if the host still has the content, or nothing.
EXPECTED = {"unchanged": SURE, "changed": NONE, "freed": OPEN, "ended_function": OPEN, "callers_array": SURE,
            "pinned": SURE, "pinned_written": OPEN, "managed": OPEN, "parts": SURE,
            "part_changed": NONE, "one_buffer": NONE, "rows": SURE, "row_changed": NONE, "overwritten": SURE,
            "given_and_not_touched": OPEN, "host_function": OPEN, "waits": OPEN, "freed_block": NONE, "repeated": SURE,
            "needed_by_a_library": SURE, "changed_before_a_library": NONE}
BYTES = 1 << 18


def _built(t):
    return kernels_ptx.build(t, "sources", "cuda/sources.cu", t.sim / "libcuda.so.1")


def _said(t, program, facts, way, uses):
    capture = t.work / f"{way}.{uses}.gmprof"
    t.gpumemprof("dryrun", "--device-memory", "1GiB", program, way,
                 env={"GPUMEMPROF_OPTIONS": f"history=all:uses={uses}:output={capture}:quiet=1"})
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
    answer = json.loads(t.gpumemprof("advise", *facts, "--format", "json", "--min", "0", "--rule", "early-alloc-fill", capture).out)
    about = [f for f in answer["findings"] if any(step["bytes"] == BYTES for step in f["steps"])]
    assert len(about) < 2, (way, about)
    if not about:
        return NONE
    assert about[0]["sure"] == ("the host still had" in about[0]["reason"]), about
    return SURE if about[0]["sure"] else OPEN


def sources_are_compared(t):
    program, facts = _built(t)
    ways = t.gpumemprof("dryrun", program, env={"GPUMEMPROF_OPTIONS": "enabled=0"}).out.split()
    assert set(ways) == set(EXPECTED), ways
    wrong = [(way, said) for way in ways if (said := _said(t, program, facts, way, "verify")) != EXPECTED[way]]
    assert not wrong, "\n".join(map(str, wrong))


def without_verify_the_condition_stays(t):
    program, facts = _built(t)
    for way in ("unchanged", "changed", "parts"):
        assert _said(t, program, facts, way, "on") == OPEN, way


def comparisons_are_listed(t):
    """They are behind the launch that uses the block, at its line, once."""
    program, facts = _built(t)
    for way, event in (("unchanged", "source unchanged"), ("changed", "source changed")):
        _said(t, program, facts, way, "verify")
        listed = json.loads(t.gpumemprof("events", "--format", "json", t.work / f"{way}.verify.gmprof").out)["events"]
        names = [e["event"] for e in listed]
        assert names.count(event) == 1 and not {"source unchanged", "source changed"} - {event} & set(names), names
        at = names.index(event)
        assert listed[at - 1].get("kernel") == "move<float>" and listed[at - 1]["line"] == listed[at]["line"], listed[at - 1:at + 1]
        assert [v["name"] for v in listed[at]["values"]] == ["destination", "bytes", "source"], listed[at]
        assert listed[at]["values"][1]["value"] in (BYTES, str(BYTES)), listed[at]
