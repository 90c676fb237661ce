"""`gpumemprof show` of every block of a run: what its events say, found here without it."""
import json


def _show(t, capture, block):
    return json.loads(t.gpumemprof("show", block, capture, "--format", "json").out)["blocks"]


def lifetimes_are_what_the_events_say(t):
    program = t.build("recursion", "common/recursion.cpp", "oracle/oracle.cpp", flags=["-O1", "-I", t.programs / "oracle"])
    _, capture = t.run(program, options="history=all")
    lifetimes, total = {}, {}
    for e in json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]:
        key = (e.get("address"), e.get("life"))
        if e["event"] == "allocated":
            total[e["device"]] = total.get(e["device"], 0) + e["bytes"]
            lifetimes[key] = {"allocated": e, "freed": None, "failed": 0, "total": total[e["device"]]}
        elif e["event"] == "freed":
            lifetimes[key]["freed"] = e
            total[lifetimes[key]["allocated"]["device"]] -= e["bytes"]
    assert len(lifetimes) > 20 and any(life > 1 for _, life in lifetimes) and any(one["freed"] is None for one in lifetimes.values())
    peaks = {p["device"]: p["clock"] for p in json.loads(t.gpumemprof("peak", capture, "--format", "json").out)["peaks"]}
    for (address, life), wanted in sorted(lifetimes.items())[::max(1, len(lifetimes) // 25)]:
        (found,) = _show(t, capture, f"{address:x}_{life}")
        made, ended = wanted["allocated"], wanted["freed"]
        assert (found["bytes"], found["requested"], found["kind"], found["device"], found["life"]) == (
            made["bytes"], made["requested"], made["kind"], made["device"], life)
        for moment, event in (("allocated", made), ("freed", ended)):
            assert (found[moment] is None) == (event is None)
            if event:
                assert all(found[moment][key] == event[key] for key in ("clock", "time_ns", "thread", "file", "line", "function")), found
        assert found["allocated"]["device_total"] == wanted["total"]
        peak = peaks[made["device"]]
        assert found["at_peak"] == (made["clock"] <= peak and (ended is None or peak < ended["clock"]))
    address = max(lifetimes)[0]
    assert [one["life"] for one in _show(t, capture, f"0x{address:X}")] == sorted(life for a, life in lifetimes if a == address)


def a_free_that_failed_is_shown(t):
    program = t.build("history", "common/history.cpp", flags=["-O1"])
    _, capture = t.run(program, "parts", options="history=all:oom_max=0")
    events = json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]
    failed = [e for e in events if e["event"] == "free failed"]
    for e in failed[:3]:
        (found,) = _show(t, capture, f"{e['address']:x}_{e['life']}")
        assert found["failed_frees"] == sum((f["address"], f["life"]) == (e["address"], e["life"]) for f in failed)


def what_is_no_block_is_said(t):
    program = t.build("templates", "common/templates.cpp", "oracle/oracle.cpp", flags=["-O1", "-I", t.programs / "oracle"])
    _, capture = t.run(program, options="history=all")
    assert "is no block; name it as" in t.gpumemprof("show", "block", capture, status=2).err
    assert "is no block" in t.gpumemprof("show", "7f_0", capture, status=2).err
    assert "name a block" in t.gpumemprof("show", status=2).err
    assert "has no allocation of a block 12_3" in t.gpumemprof("show", "12_3", capture, status=2).err
    _, capture = t.run(program)
    assert "has no events: record it with" in t.gpumemprof("show", "12", capture, status=2).err
