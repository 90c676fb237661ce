"""Out of memory: what the runtime says and keeps of a failure is what the program itself counts, whatever was asked for
and of which device, and costs a program that fails often nothing."""
import json
import os
import re

from harness import MIB, check

SOURCE = "limits/oom.cpp"


def _build(t):
    return t.build("oom", SOURCE, flags=["-O1"], link=[t.sim / "libcuda.so.1", "-pthread"])


def _line(t, mark):
    """The line of the program that ends with a comment of that name."""
    lines = (t.programs / SOURCE).read_text().splitlines()
    found = [i for i, line in enumerate(lines, 1) if line.rstrip().endswith("// " + mark)]
    assert len(found) == 1, (mark, found)
    return found[0]


def _described(t, capture):
    report = json.loads(t.gpumemprof("oom", "--format", "json", capture).out)
    assert report["conservation"]["ok"], report["conservation"]
    for oom in report["out_of_memory"]:  # each list with its rest is all there was
        assert oom["adds_up"], oom
        for rows, rest in (("lines", "other_lines"), ("paths", "other_paths")):
            for what in ("bytes", "blocks"):
                assert sum(row[what] for row in oom[rows]) + oom[rest][what] == oom["recorded"][what], (rows, what, oom)
        sizes = [row["bytes"] for row in oom["lines"]]
        assert sizes == sorted(sizes, reverse=True), sizes
    return report["out_of_memory"]


def _counter(t, capture, name):
    return json.loads(t.gpumemprof("info", "--format", "json", capture).out)["counters"][name]


def _failed(t, capture):
    return sum(row["oom"] for row in t.report(capture)["failed"])


def _said(result):
    return [line for line in result.err.splitlines() if "out of memory" in line]


def _hidden(t, capture):
    """A failure as a person sees it, with the memory of wrappers at their callers, whom the message names, too."""
    [oom] = json.loads(t.gpumemprof("oom", "--wrappers", "hide", "--format", "json", capture).out)["out_of_memory"]
    return oom


def _held(line):
    held = re.search("; held by (.*?); ", line)[1]
    return [(int(number), size) for number, size in re.findall(r":(\d+) \w+ \(([^)]*)\)", held)]


def _lines(oom):
    return {(row["function"].split("(")[0], row["line"]): (row["bytes"], row["blocks"]) for row in oom["lines"]}


# What oom.cpp's fill() leaves behind.
def _filled(t):
    return {("load", _line(t, "LOAD")): (70 * MIB, 1), ("cache", _line(t, "CACHE")): (60 * MIB, 3),
            ("small", _line(t, "SMALL")): (24 * MIB, 6), ("fill", _line(t, "POOL")): (10 * MIB, 1),
            ("fill", _line(t, "TINY")): (5000, 5)}


def every_figure_is_what_the_program_counts(t):
    program = _build(t)
    result, capture = t.run(program, "lines", "100", sim="memory=256MiB", options="history=all")
    match = re.fullmatch(r"memory (\d+) (\d+)\nrequest 2, last error 2\n", result.out)
    assert match, result.out
    free, total = int(match[1]), int(match[2])
    [oom] = _described(t, capture)
    held = sum(size for size, _ in _filled(t).values())
    check(oom, "oom", device=0, kind="device", requested=100 * MIB, memory_free=free, memory_total=total, used=total - free,
          function="request", line=_line(t, "REQUEST"), variable="wanted", thread=0, clock=22, recorded={"bytes": held, "blocks": 16},
          recorded_by_kind={"device": {"bytes": held - 10 * MIB, "blocks": 15}, "pool": {"bytes": 10 * MIB, "blocks": 1}},
          pools_used=10 * MIB, pools_reserved=32 * MIB, kept_by_pools=22 * MIB, lacking=100 * MIB - free, rounding=0,
          unaccounted=total - free - held - 22 * MIB)
    assert oom["unaccounted"] == 2 * MIB - 5000, oom["unaccounted"]  # of the page that the small ones share
    assert _lines(oom) == _filled(t), _lines(oom)
    assert [(row["bytes"], row["blocks"], row["kind"], [step["function"] for step in row["path"]]) for row in oom["paths"]] == [
        (70 * MIB, 1, "device", ["main", "fill", "load"]), (60 * MIB, 3, "device", ["main", "fill", "cache"]),
        (16 * MIB, 4, "device", ["main", "fill", "small"]), (10 * MIB, 1, "pool", ["main", "fill"]),
        (8 * MIB, 2, "device", ["main", "fill", "small"]), (5000, 5, "device", ["main", "fill"])], oom["paths"]
    small = next(row for row in oom["lines"] if row["function"] == "small")
    assert small["largest_path_bytes"] == 16 * MIB and small["kinds"] == ["device"], small
    assert [step["function"] for step in oom["path"]] == ["main", "request"], oom["path"]
    [pool] = oom["pools"]
    check(pool, "pool", used=10 * MIB, reserved=32 * MIB)
    assert pool["name"] == "the device's default pool", pool
    [scope] = oom["scopes"]
    check(scope, "scope", thread=0, function="request", net=0)
    # The history leads up to it.
    events = json.loads(t.gpumemprof("events", "--to", str(oom["clock"]), "--last", "4", "--format", "json", capture).out)["events"]
    assert [(e["clock"], e["event"]) for e in events] == [(22, event) for event in ("freed", "scope ended", "failed", "scope ended")], events
    everything = json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]
    until = json.loads(t.gpumemprof("events", "--to", "7", "--format", "json", capture).out)["events"]
    assert until == [e for e in everything if e["clock"] <= 7] and len(until) >= 7, until


def one_line_names_request_holders_and_remedy(t):
    program = _build(t)
    size = "{:.2f} MiB".format
    for request, remedy, place, bytes_ in ((100, "free_line", "CACHE", 60), (130, "free_line", "LOAD", 70), (86, "trim_pools", None, 22),
                                           (172, "free_lines", None, 130), (300, "none_larger_than_the_device", None, 0),
                                           (240, "none_held_elsewhere", None, 0)):
        result, capture = t.run(program, "lines", str(request), sim="memory=256MiB")
        [line], [oom] = _said(result), _described(t, capture)
        check(oom, str(request), remedy=remedy, remedy_bytes=bytes_ * MIB)
        place = place and _line(t, place)
        assert (oom["remedy_place"] or {}).get("line") == place, oom["remedy_place"]
        start = (f"gpumemprof: out of memory on GPU 0: {size(request)} requested at [^ ]*oom.cpp:{_line(t, 'REQUEST')} request, "
                 f"68.00 MiB of 256.00 MiB free; held by [^ ]*oom.cpp:{_line(t, 'LOAD')} load \\(70.00 MiB\\), "
                 f"[^ ]*oom.cpp:{_line(t, 'CACHE')} cache \\(60.00 MiB\\), [^ ]*oom.cpp:{_line(t, 'FOUR')} fill \\(16.00 MiB\\); ")
        end = {"free_line": f"freeing {size(bytes_)} at [^ ]*oom.cpp:{place} \\w+ \\(through [^ ]*oom.cpp:\\d+ fill\\) would have made room",
               "trim_pools": "trimming the pools \\(22.00 MiB reserved and not used\\) might have made room",
               "free_lines": "freeing 130.00 MiB at 2 lines would have made room",
               "none_larger_than_the_device": "the request is larger than the device",
               "none_held_elsewhere": "freeing all that was recorded would not have made room: .*"}[remedy]
        assert re.fullmatch(start + end + "; 'gpumemprof oom' shows more", line), line
        hidden = _hidden(t, capture)
        assert _held(line) == [(row["line"], f"{row['bytes'] / MIB:.2f} MiB") for row in hidden["lines"][:3]], line
        assert all(len(path) <= 32 + 3 for path in re.findall(r"([^ ]*\.cpp):", line)), line
        text = t.gpumemprof("oom", "-v", capture).out
        assert f"{size(request)} requested (device) at " in text and f"out of memory on GPU 0: {size(request)} requested at " in text, text
        assert "THE LISTS" not in text and all(advice in text for advice in hidden["advice"]), (hidden["advice"], text)
        assert "`gpumemprof oom`" in t.gpumemprof("report", capture).out


def advice_names_who_asked_for_what_a_line_holds(t):
    """One line allocates for everybody, also when it fails: its name alone explains nothing. The message names the callers. What fills pages is shown as in the report."""
    source = t.work / "tensors.c"
    source.write_text("#include <cuda_runtime.h>\nstatic void *zeros(size_t n) {\n  void *p = 0;\n  cudaMalloc(&p, n);\n  return p;\n}\n"
                      "static void weights(void) {\n  for (int i = 0; i < 2; i++) zeros(10 << 20);\n}\n"
                      "static void activations(void) {\n  for (int i = 0; i < 50; i++) zeros(3 << 19);\n}\n"
                      "int main(void) {\n  weights();\n  activations();\n  zeros(200 << 20);\n  return 0;\n}\n")
    result, capture = t.run(t.build("tensors", source), sim="memory=256MiB", options="history=all")
    [line], [oom] = _said(result), _described(t, capture)
    assert re.search(r"200.00 MiB requested at tensors.c:16 main, .*; freeing 75.00 MiB at tensors.c:11 activations \(through tensors.c:15 main\) would "
                     r"have made room", line), line
    assert _held(line) == [(11, "75.00 MiB"), (8, "20.00 MiB")] and [row["line"] for row in _hidden(t, capture)["lines"]] == [11, 8], line
    assert re.fullmatch(r"freeing what .*tensors.c:11 activations allocated at .*tensors.c:4 zeros \(75.00 MiB of the 95.00 MiB there\) would "
                        r"have made room: [\d.]+ MiB was missing", oom["advice"][0]), oom["advice"]
    check(oom, "oom", rounding=50 * MIB // 2, unaccounted=0, used=120 * MIB)
    text = t.gpumemprof("oom", capture).out
    assert "120.00 MiB in use = 95.00 MiB recorded + 25.00 MiB to fill pages\n" in text, text
    command = re.search(r"what led there: gpumemprof (events .*)", text)[1].split()
    events = json.loads(t.gpumemprof(*command, "--format", "json").out)["events"]
    assert len(events) == 20 and "failed" in [event["event"] for event in events], events


def advice_goes_beyond_what_all_paths_share(t):
    """Everything goes through raw and alloc: weights and cache distinguish its paths. Neither is enough alone where 70 MiB lack."""
    source = t.work / "wrapped.c"
    source.write_text("#include <cuda_runtime.h>\n#include <stdlib.h>\nstatic void *raw(size_t n) {\n  void *p = 0;\n  cudaMalloc(&p, n);\n  return p;\n}\n"
                      "static void *alloc(size_t n) {\n  return raw(n);\n}\n"
                      "static void weights(void) {\n  for (int i = 0; i < 3; i++)\n    alloc(20 << 20);\n}\nstatic void cache(void) {\n  alloc(30 << 20);\n}\n"
                      "int main(int argc, char **argv) {\n  weights();\n  cache();\n  raw((size_t)atoi(argv[1]) << 20);\n  return argc - 2;\n}\n")
    program = t.build("wrapped", source)
    for asked, part, said, advised in (
            (200, 60, r"freeing 60.00 MiB at wrapped.c:13 weights \(through wrapped.c:19 main\) would have made room",
             r"freeing what .*wrapped.c:13 weights allocated at .*wrapped.c:5 raw \(60.00 MiB of the 90.00 MiB there\) would have made room: .*"),
            (240, 90, r"freeing 90.00 MiB at 2 lines would have made room",
             r"freeing what .*wrapped.c:5 raw holds \(90.00 MiB, 60.00 MiB of it through .*wrapped.c:13 weights\) would have made room: .*")):
        result, capture = t.run(program, str(asked), sim="memory=256MiB")
        [line], [oom] = _said(result), _described(t, capture)
        assert re.search(said, line), line
        assert re.fullmatch(advised, oom["advice"][0]), oom["advice"]
        check(oom, "oom", remedy="free_line", remedy_bytes=part << 20)


def advice_that_is_followed_makes_room(t):
    program = _build(t)
    result, capture = t.run(program, "lines", "100", "again", sim="memory=256MiB")
    assert result.out.endswith("request 2, last error 2\nrequest 0, last error 0\n"), result.out
    [oom] = _described(t, capture)
    check(oom["remedy_place"], "place", function="cache", line=_line(t, "CACHE"))


def only_the_first_are_described_and_all_are_counted(t):
    program = _build(t)
    for most, described, said in (("", 3, 3), ("oom_max=1", 1, 1), ("oom_max=2", 2, 2), ("oom_max=0", 0, 0), ("oom_max=1000", 3, 3)):
        result, capture = t.run(program, "again", "3", options=most, sim="memory=256MiB")
        assert result.out == 3 * "request 2, last error 2\n", result.out
        assert len(_described(t, capture)) == described and len(_said(result)) == said, (most, result.err)
        assert _failed(t, capture) == 3 and _counter(t, capture, "ooms_left_out") == 3 - described, most
        assert result.err.count("(the next are only counted: oom_max=") == (most in ("oom_max=1", "oom_max=2")), result.err
        text = t.gpumemprof("oom", capture).out
        assert f"3 failures were out of memory; {described} described" in text, text
        report = t.gpumemprof("report", capture).out
        assert "out of memory: 3 failures; " + ("`gpumemprof oom`" if described else "none was described") in report, report
    result, _ = t.run(program, "again", "1", options="oom_max=1001", sim="memory=256MiB")
    assert "bad value '1001' for oom_max" in result.err and len(_said(result)) == 1, result.err
    # Lines are few, however many are described, and leave room for other messages.
    result, capture = t.run(program, "again", "30", options="oom_max=20:quiet=0", sim="memory=256MiB")
    assert len(_said(result)) == 8 and _said(result)[-1].endswith("(the next are not printed)"), result.err
    assert len(_described(t, capture)) == 20 and "gpumemprof: wrote " in result.err, result.err


def nothing_is_said_where_nothing_is_recorded(t):
    program = _build(t)
    result = t.command(program, "again", "2", env={"GPUMEMPROF": "0", "GPUMEMPROF_SIM_OPTIONS": "memory=256MiB"})
    assert result.out == 2 * "request 2, last error 2\n" and not result.err, result.err
    result, capture = t.run(program, "again", "1", sim="fail=2")
    assert result.out == "request 0, last error 0\n" and not result.err, result.err
    assert "no allocation was out of memory" in t.gpumemprof("oom", capture).out
    assert not _described(t, capture)


def first_call_of_a_program_can_fail(t):
    """The device has no ledger yet, and nothing but the driver is asked."""
    program = _build(t)
    result, capture = t.run(program, "again", "1", sim="memory=256MiB")
    assert result.out == "request 2, last error 2\n", result.out
    [oom] = _described(t, capture)
    check(oom, "oom", device=0, memory_free=256 * MIB, memory_total=256 * MIB, recorded={"bytes": 0, "blocks": 0}, lines=[],
          recorded_by_kind={})
    assert "nothing that was recorded is held there" in result.err, result.err


def sizes_that_were_computed_wrong_count_as_64_pib(t):
    result, capture = t.run(_build(t), "absurd", "3", sim="memory=256MiB")
    assert "64.00 PiB requested at" in result.err, result.err
    assert [oom["requested"] for oom in _described(t, capture)] == 3 * [64 << 50]
    assert "-" not in t.gpumemprof("oom", capture).out.split(" requested")[0]
    assert sum(row["failed_bytes"] for row in t.report(capture, "line", "--wrappers", "show")["rows"]) == 3 * 64 << 50


def open_scopes_of_every_thread(t):
    program = _build(t)
    _, capture = t.run(program, "threads", "3", sim="memory=256MiB")
    [oom] = _described(t, capture)
    assert _lines(oom) == {("hold", _line(t, "HOLD")): (18 * MIB, 3)}, oom["lines"]
    first, *others = oom["scopes"]
    check(first, "failing", thread=oom["thread"], function="request", net=0)
    assert sorted((scope["function"], scope["net"], scope["own_peak"]) for scope in others) == [
        ("hold", size * MIB, size * MIB) for size in (3, 6, 9)], others
    assert all(scope["path"][-1]["block"] == "holding" for scope in others), others
    assert len({scope["thread"] for scope in oom["scopes"]}) == 4, oom["scopes"]
    _, capture = t.run(program, "threads", "70", sim="memory=8GiB", options="stack=64")
    [oom] = _described(t, capture)
    assert len(oom["scopes"]) == 64 and oom["scopes_left_out"] == 7, (len(oom["scopes"]), oom["scopes_left_out"])
    assert "... and 61 more threads with open scopes" in t.gpumemprof("oom", capture).out


def device_is_that_of_the_request(t):
    """Of the stream, of the pool, of cuMemCreate's properties: whatever device is current."""
    program = _build(t)
    _, capture = t.run(program, "devices", sim="memory=256MiB:devices=2")
    ooms = _described(t, capture)
    one, zero = {("devices", _line(t, "ONE")): (7 * MIB, 1)}, {("devices", _line(t, "ZERO")): (5 * MIB, 1)}
    expected = [("DIRECT", "device", 1, one), ("ASYNC", "pool", 1, one), ("FROM_POOL", "pool", 1, one), ("CREATE", "vmm", 1, one),
                ("AGAIN", "device", 0, zero)]
    assert [(oom["line"], oom["kind"], oom["device"], _lines(oom)) for oom in ooms] == [
        (_line(t, mark), *rest) for mark, *rest in expected], ooms
    assert [oom["memory_free"] for oom in ooms] == 4 * [248 * MIB] + [250 * MIB], ooms
    only = json.loads(t.gpumemprof("oom", "--device", "0", "--format", "json", capture).out)["out_of_memory"]
    assert [oom["device"] for oom in only] == [0], only


def every_kind_of_allocation(t):
    program = _build(t)
    result, capture = t.run(program, "kinds", sim="fail_every=1", options="oom_max=9")
    ooms = _described(t, capture)
    expected = [("MANAGED", "managed", 0, 11 * MIB), ("PINNED", "pinned", "host", 12 * MIB), ("PITCH", "device", 0, 13000),
                ("ARRAY", "array", 0, 64 * 64 * 4), ("DRIVER", "device", 0, 14 * MIB), ("ASYNC_KIND", "pool", 0, 15 * MIB)]
    assert [(oom["line"], oom["kind"], oom["device"], oom["requested"]) for oom in ooms] == [
        (_line(t, mark), *rest) for mark, *rest in expected], ooms
    assert [oom["remedy"] for oom in ooms] == ["none_enough_was_free", "not_known"] + 4 * ["none_enough_was_free"], ooms
    assert ooms[1]["memory_free"] is None and ooms[1]["memory_total"] is None, ooms[1]
    assert "out of memory on the host (pinned memory): 12.00 MiB requested" in result.err, result.err


def launch_of_a_graph(t):
    program = _build(t)
    result, capture = t.run(program, "graph", sim="memory=100MiB")
    assert result.out == "launch 2\n", result.out
    [oom] = _described(t, capture)
    check(oom, "oom", line=_line(t, "LAUNCH"), requested=None, kind=None, device=0, remedy="not_known", memory_free=50 * MIB)
    assert _lines(oom) == {("small", _line(t, "SMALL")): (50 * MIB, 1)}, oom["lines"]
    assert "out of memory on GPU 0: a call at " in result.err, result.err
    assert _failed(t, capture) == 1


def holes_of_the_programs_own_allocator(t):
    program = _build(t)
    _, capture = t.run(program, "allocator", sim="memory=180MiB")
    [oom] = _described(t, capture)
    [arena] = oom["custom_pools"]
    check(arena, "arena", reserved=160 * MIB, free=50 * MIB, largest_hole=20 * MIB)
    assert arena["name"] == "arena", arena
    assert any("arena has 50.00 MiB free, but in holes: the largest is 20.00 MiB" in text for text in oom["advice"]), oom["advice"]


def lists_are_bounded_and_name_the_largest(t):
    program = _build(t)
    _, capture = t.run(program, "many", sim="memory=256MiB")
    [oom] = _described(t, capture)
    deep = sum((depth + 1) * 100 for depth in range(200))
    lines = [deep] + [(n + 1) * 1000 for n in reversed(range(100))]
    found = [row["bytes"] for row in oom["lines"]]
    assert found == lines[:64], found
    assert oom["other_lines"] == {"bytes": sum(lines[64:]), "blocks": len(lines) - 64}, oom["other_lines"]
    paths = sorted([(depth + 1) * 100 for depth in range(200)] + lines[1:], reverse=True)
    found = [row["bytes"] for row in oom["paths"]]
    assert found == paths[:64], found
    assert oom["other_paths"] == {"bytes": sum(paths[64:]), "blocks": 300 - 64}, oom["other_paths"]
    text = t.gpumemprof("oom", "--limit", "2", capture).out
    assert re.search(r"\n +1\.92 MiB +200  \S*oom.cpp:\d+ deep .*\n +97\.66 KiB +1 .*\n +4\.72 MiB +99  other lines\n", text), text


def killed_right_after(t):
    program = _build(t)
    _, capture = t.run(program, "killed", sim="memory=256MiB", status=-9)
    [oom] = _described(t, capture)
    assert _lines(oom) == {("small", _line(t, "SMALL")): (3 * MIB, 1)}, oom["lines"]
    assert "the program did not exit cleanly" in t.gpumemprof("oom", capture).out


def forked_child_describes_its_own(t):
    program = _build(t)
    result, capture = t.run(program, "fork", sim="memory=256MiB", options="oom_max=1")
    assert result.out.endswith("child 0\n") and len(_said(result)) == 2, (result.out, result.err)
    [parent] = _described(t, capture)
    check(parent, "parent", requested=4000 * MIB, lines=[])
    [child] = [path for path in t.work.iterdir() if path.name.startswith("run.gmprof.")]
    [oom] = _described(t, child)
    check(oom, "child", requested=4001 * MIB)
    assert _lines(oom) == {("small", _line(t, "SMALL")): (3 * MIB, 1)}, oom["lines"]


def program_that_tries_sizes_stays_fast(t):
    """A failure beyond the first few costs what one without a description does."""
    program = _build(t)
    tries = 100000

    def seconds(options):
        best = 10.0
        for _ in range(3):
            result, capture = t.run(program, "probe", str(tries), options=options, sim="memory=1GiB")
            failed, spent = re.fullmatch(r"(\d+) failed in ([\d.]+)\n", result.out).groups()
            assert int(failed) == tries == _failed(t, capture), result.out
            best = min(best, float(spent))
        return best, capture

    without, _ = seconds("oom_max=0")
    described, capture = seconds("")
    assert len(_described(t, capture)) == 5 and _counter(t, capture, "ooms_left_out") == tries - 5
    print(f"{1e9 * without / tries:.0f} ns a failure without descriptions, {1e9 * described / tries:.0f} ns with five")
    # Five descriptions take 0.1 ms each; the rest is noise of the machine. A description of each would take seconds.
    assert described < 3 * without + 0.1, (described, without)
