"""Every way CUDA hands out memory: the programs of test/gpu/programs, which say what a profiler must report of them,
on the simulated device."""
import json
import re

from harness import check

MIB = 1 << 20
DEVICES = {"host": -1, "imported": -2, "custom": -3}


def _run(t, name, sim="", options="history=all", source=None, link=()):
    program = t.build(name, source or t.source / f"test/gpu/programs/{name}.cu", flags=["-O1", "-I", t.source / "test/gpu/programs"],
                      link=[t.sim / "libcuda.so.1", *link])
    result, capture = t.run(program, sim=sim, options=options)
    lines = [line for line in result.out.splitlines() if line.startswith("expect ")]
    return json.loads(lines[-1][len("expect "):]), capture, result.out


def _judge(t, name, **more):
    expect, capture, out = _run(t, name, **more)
    report = t.report(capture)
    assert report["conservation"]["ok"], report["conservation"]
    assert not any(report["losses"].values()), report["losses"]
    found = {DEVICES.get(d["device"], d["device"]): (d["peak"], d["live_at_exit"]) for d in report["devices"]
             if d["peak"]}
    assert found == {d["device"]: (d["peak"], d["live"]) for d in expect["devices"]}, (found, expect)
    sums = {name: sum(d[name] for d in expect["devices"]) for name in ("allocated", "freed")}
    check(report["conservation"], "sums", **sums)
    leaks = {row["line"]: row["leaked"] for row in report["rows"] if row["leaked"]}
    assert leaks == {leak["line"]: leak["bytes"] for leak in expect["leaks"]}, (leaks, expect["leaks"])
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
    return report, capture, out


def _kinds(t, capture):
    return {row["kind"]: row["self_alloc"] for row in t.report(capture, "kind")["rows"]}


def physical_memory_counts_until_released_and_unmapped(t):
    _, capture, _ = _judge(t, "vmm")
    assert _kinds(t, capture) == {"vmm": 22 * MIB}
    assert t.report(capture)["failed"][0]["bytes"] == 1 << 50


def memory_of_graphs_is_allocated_by_launches(t):
    _, capture, _ = _judge(t, "graph")
    assert _kinds(t, capture) == {"graph": 72 * MIB}
    rows = t.report(capture)["rows"]
    added = [row for row in rows if row["function"] == "built" and row["self_alloc"]]
    assert sorted((row["self_alloc"], row["blocks"], row["leaked"]) for row in added) == \
        [(16 * MIB, 4, 0), (32 * MIB, 4, 0)], added
    kept = next(row for row in rows if row["function"] == "captured" and row["variable"] == "q")
    check(kept, "captured", self_alloc=12 * MIB, leaked=4 * MIB, blocks=3, size_expr="bytes")
    launches = [row for row in rows if row["callee"] == "cudaGraphLaunch" and row["incl_alloc"]]
    assert sorted(row["incl_alloc"] for row in launches) == [12 * MIB, 24 * MIB, 36 * MIB], launches
    assert all(row["self_alloc"] == 0 for row in launches), launches


def launch_of_a_graph_has_the_peak_of_all_its_nodes(t):
    """Its nodes run in one scope, which a launch enters once."""
    program = t.build("graph_peak", "cuda/graph_peak.c")
    _, capture = t.run(program, options="history=all")
    assert [d["peak"] for d in t.report(capture)["devices"] if d["peak"]] == [3 * MIB]
    functions, lines = t.rows(capture, "function"), t.rows(capture)
    check(functions["main"], "main", own_peak_max=3 * MIB, calls=1)
    check(functions["(graph)"], "(graph)", own_peak_max=3 * MIB, calls=2, incl_alloc=6 * MIB)
    check(lines["main:18"], "launch", own_peak_max=3 * MIB, incl_alloc=6 * MIB, self_alloc=0)
    check(lines["main:11"], "the first node", self_alloc=2 * MIB, blocks=2, leaked=0)
    check(lines["main:12"], "the second node", self_alloc=4 * MIB, blocks=2, leaked=0)
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def pools_say_what_they_use_and_reserve(t):
    _, capture, out = _judge(t, "pools")
    assert _kinds(t, capture) == {"pool": 133 * MIB}
    pools = json.loads(t.gpumemprof("pools", "--format", "json", capture).out)["pools"]
    own = next(p for p in pools if p["name"].startswith("pool made at"))
    usual = next(p for p in pools if p["name"] == "the device's default pool")
    words = dict(zip(("reserved", "used", "after"), map(int, re.findall(r"own pool: reserved (\d+), used at most (\d+), after the trim (\d+)", out)[0])))
    check(own, "own", source="cuda", used=0, reserved=0, used_peak=words["used"], reserved_peak=words["reserved"])
    assert "pools.cu:" in own["name"] and own["name"].endswith("(destroyed)"), own
    used, most = map(int, re.findall(r"usual pool: used (\d+), at most (\d+)", out)[0])
    check(usual, "usual", used=used, used_peak=most, slack=usual["reserved"] - used)
    assert "the device's default pool" in t.gpumemprof("pools", capture).out


def arrays_and_registered_memory(t):
    _, capture, _ = _judge(t, "arrays")
    assert set(_kinds(t, capture)) == {"array", "pinned"}


def contexts_end_with_what_is_in_them(t):
    _, capture, _ = _judge(t, "contexts")
    assert _kinds(t, capture) == {"device": 19 * MIB, "managed": 4 * MIB, "pool": 8 * MIB, "pinned": 12288}


def memory_of_other_processes_is_counted_separately(t):
    _, capture, _ = _judge(t, "imports")
    assert _kinds(t, capture) == {"device": MIB, "imported": 12 * MIB}


def functions_found_by_name_are_followed(t):
    report, capture, _ = _judge(t, "found")
    assert _kinds(t, capture) == {"device": 9 * MIB, "pool": 2 * MIB}
    assert [(f["function"], f["bytes"]) for f in report["failed"]] == [("main", 1 << 50)], report["failed"]


def memory_belongs_to_the_device_that_gave_it(t):
    report, capture, _ = _judge(t, "streams", sim="devices=2")
    assert [d["peak"] for d in report["devices"]][:2] == [9 * MIB, 22 * MIB], report["devices"]
    check(report["devices"][0]["in_use"], "moved", managed=8 * MIB, managed_here=0, managed_elsewhere=8 * MIB)
    for device in (0, 1):
        rows = json.loads(t.gpumemprof("report", capture, "--by", "kind", "--device", str(device), "--format", "json").out)["rows"]
        found = {row["kind"]: row["self_alloc"] for row in rows if row["self_alloc"]}
        assert found == ({"device": MIB, "managed": 8 * MIB}, {"pool": 6 * MIB, "vmm": 16 * MIB})[device], found


def _both(t, name, fail):
    """A program's own words without the profiler and with it; what it expects, and its capture."""
    sim = f"fail={fail}" if fail else ""
    env = {"GPUMEMPROF_SIM_OPTIONS": sim} if sim else {}
    plain = t.command(t.work / "plain", env=env, status=None)
    result, capture = t.run(t.work / name, sim=sim, options="history=all", status=plain.status)
    return plain, result, capture


def wrong_and_failing_calls_have_the_same_answers_and_right_figures(t):
    """Every allocation of the program fails once; with the last number none does."""
    flags = ["-O1", "-I", t.source / "test/gpu/programs"]
    source, link = t.source / "test/gpu/programs/wrong.cu", [t.sim / "libcuda.so.1"]
    t.build("plain", source, flags=flags, link=link, plugin=False, runtime=False)
    t.build("wrong", source, flags=flags, link=link)
    whole = 0
    for fail in range(0, 40):
        plain, result, capture = _both(t, "wrong", fail)
        assert (result.status, result.out) == (plain.status, plain.out), (fail, plain.out, result.out)
        assert plain.status == 0, plain.out
        expect = json.loads(plain.out.splitlines()[-1][len("expect "):])
        report = t.report(capture)
        assert report["conservation"]["ok"], (fail, report["conservation"])
        assert not any(report["losses"].values()), (fail, report["losses"])
        found = {DEVICES.get(d["device"], d["device"]): (d["peak"], d["live_at_exit"]) for d in report["devices"] if d["peak"]}
        assert found == {d["device"]: (d["peak"], d["live"]) for d in expect["devices"] if d["peak"]}, (fail, found, expect)
        check(report["conservation"], fail, allocated=sum(d["allocated"] for d in expect["devices"]),
              freed=sum(d["freed"] for d in expect["devices"]))
        assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out, fail
        whole += not fail or plain.out == first
        first = plain.out if not fail else first
    assert 2 <= whole < 36, whole  # some failed, and the last did not


def what_a_device_has_in_use_is_split_by_its_use(t):
    """The device's own figure, and the same by the ledger, the pools, the pages and the context."""
    _, capture, _ = _run(t, "pools", sim="context=300MiB")
    used = t.report(capture)["devices"][0]["in_use"]
    assert used["when"] == "at exit" and used["unaccounted"] == 300 * MIB, used
    assert used["used"] == used["recorded"] + used["pool_slack"] + used["rounding"] + used["unaccounted"], used
    assert used["recorded"] == 20 * MIB and used["pool_slack"] > 0, used
    text = t.gpumemprof("report", "-v", capture).out
    assert "300.00 MiB unaccounted" in text and "unused in pools" in text, text
    _, capture, _ = _run(t, "pools", options="unaccounted=off")
    assert t.report(capture)["devices"][0]["in_use"] is None


def memory_that_is_shared_and_libraries_of_other_names(t):
    nccl = t.work / "nccl.o"
    t.command(t.compiler("c++"), *t.include_flags(), "-c", t.programs / "cuda/nccl.cpp", "-o", nccl)
    _, capture, _ = _judge(t, "shared", source=t.programs / "cuda/shared.cpp", link=[nccl])
    assert _kinds(t, capture) == {"vmm": 4 * MIB, "imported": 8 * MIB, "device": 3 * MIB, "pool": MIB}


def threads_that_use_every_way_at_once(t):
    flags = ["-O1", "-I", t.source / "test/gpu/programs"]
    program = t.build("ways_threads", "cuda/ways_threads.cpp", flags=flags, link=[t.sim / "libcuda.so.1"])
    result, capture = t.run(program, options="history=all")
    report = t.report(capture)
    assert report["conservation"]["ok"] and report["conservation"]["live"] == 0, report["conservation"]
    assert not any(report["losses"].values()), report["losses"]
    words = result.out.split()
    assert _kinds(t, capture) == dict(zip(words[::2], map(int, words[1::2]))), (_kinds(t, capture), result.out)
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def _judge_variables(t, program):
    _, capture = t.run(program, options="history=all")
    rows = [row for row in t.report(capture)["rows"] if row["function"] == "(static)"]
    found = {(row["line"], row["variable"]): row["self_alloc"] for row in rows}
    assert found == {(4, "table"): 4000, (5, "limits"): 64, (7, "inner::hidden"): 256, (14, "shared_counter"): 32}, found
    assert all(row["file"].endswith("variables.cu") for row in rows), rows
    report = t.report(capture)
    assert report["conservation"]["ok"] and not any(row["leaked"] for row in report["rows"]), report
    main = t.rows(capture, "function")["main"]
    check(main, "main", own_peak_max=4096, incl_alloc=4096, incl_net=0)
    leaks = json.loads(t.gpumemprof("leaks", "--fail", "--format", "json", capture).out)
    reachable = {(one["line"], one["variable"]): one["bytes"] for one in leaks["reachable"]}
    assert not leaks["leaks"] and reachable == found, leaks
    text = t.gpumemprof("leaks", capture).out
    assert "no leaks" in text and "reachable at exit: " in text and "in 4 variables, which are not leaks" in text, text
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def variables_count_where_they_are_declared_by_clang(t):
    t.need_toolkit()
    t.command(t.compiler("c++"), *t.plugin_flags(22), "-O1", f"--cuda-path={t.cuda}", "--cuda-gpu-arch=sm_90",
              "-Wno-unknown-cuda-version", t.source / "test/gpu/programs/variables.cu", "-o", t.work / "variables", *t.link_flags())
    _judge_variables(t, t.work / "variables")


def variables_count_where_they_are_declared_by_nvcc(t):
    t.need_toolkit()
    t.command(f"{t.cuda}/bin/nvcc", "-ccbin", t.compiler("c++", 19), "-O1", "-arch=sm_90", *t.nvcc_flags(19),
              "-cudart", "shared", t.source / "test/gpu/programs/variables.cu", "-o", t.work / "variables",
              f"-L{t.stage}/lib", "-lgpumemprof", "-Xlinker", f"-rpath={t.stage}/lib:{t.sim}")
    _judge_variables(t, t.work / "variables")
