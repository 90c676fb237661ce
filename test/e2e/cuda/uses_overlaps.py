"""Launches that may begin before what is before them in their stream has ended (overlaps.cu): no memory of that is used again."""
import json

import kernels_ptx

# Whether the kernel of each way may overlap with the one before it.
WAYS = {"none": False, "programmatic": True, "not_allowed": False, "another": False, "second": True, "behind_the_last": False}


def _built(t, *flags):
    return kernels_ptx.build(t, "overlaps", "cuda/places/overlaps.cu", t.sim / "libcuda.so.1", *flags)


def _recorded(t, program, function, way):
    capture = t.work / f"{function}.{way}.gmprof"
    t.gpumemprof("dryrun", program, function, way, env={"GPUMEMPROF_OPTIONS": f"history=all:uses=on:output={capture}:quiet=1"})
    listed = json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]
    uses = [e for e in listed if "values" in e]
    expected = ["launched", "launched", *["next launch overlaps"] * WAYS[way], "launched", "copied"]
    assert [e["event"] for e in uses] == expected, (function, way, uses)
    assert {e["stream"] for e in uses} == {uses[0]["stream"]}, (function, way, uses)
    return capture


def _findings(t, facts, capture):
    return json.loads(t.gpumemprof("advise", *facts, "--format", "json", "--min", "0", "--rule", "reuse", capture).out)["findings"]


def _judge(t, *flags):
    program, facts = _built(t, *flags)
    for function in ("template", "arguments"):
        for way, overlaps in WAYS.items():
            findings = _findings(t, facts, _recorded(t, program, function, way))
            assert bool(findings) != overlaps, (function, way, findings)
            assert overlaps or findings[0]["sure"] and findings[0]["saving"] == 1 << 18, (function, way, findings)


def memory_is_not_reused_where_kernels_may_overlap(t):
    _judge(t)


def nor_with_the_default_stream_of_the_thread(t):
    _judge(t, "-DDEFAULT_STREAM", "-fgpu-default-stream=per-thread")


def launches_by_the_driver_say_so_too(t):
    """What their kernels do is not known, so there is no advice in any case."""
    program, facts = _built(t)
    for way in WAYS:
        _recorded(t, program, "driver", way)
