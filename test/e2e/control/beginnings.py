"""gpumemprof_reset: figures after it are those that the program counts itself from the live blocks on, with any number of
threads, and nothing that is open is disturbed."""
import json

from harness import check


def _play(t, program, *arguments, options="", **more):
    result, capture = t.run(program, *arguments, options=options, **more)
    counted = json.loads(result.out)
    report = t.report(capture)
    assert report["conservation"]["ok"], report["conservation"]
    gpu = next(row for row in t.report(capture, "device")["rows"] if row["device"] == 0)
    check(gpu, "device", self_alloc=counted["allocated"], blocks=counted["blocks"], self_freed=counted["freed"], leaked=counted["live"],
          live_peak=counted["peak"], self_at_peak=counted["peak"], self_requested=counted["requested"])
    lines = report["rows"]
    takes = [row for row in lines if row["function"].endswith("take")]
    assert sum(row["self_alloc"] for row in takes) == counted["allocated"], takes
    assert sum(row["failed_calls"] for row in takes) == counted["failed"], takes
    assert sum(row["self_freed"] for row in lines if row["function"].endswith("give")) == counted["freed"]
    info = json.loads(t.gpumemprof("info", "--format", "json", capture).out)
    assert info["resets"] == counted["resets"] > 10 and 0 < info["reset_ns"] <= info["duration_ns"], info
    check(info["counters"], "counters", failed_frees=counted["failed_frees"], failed_allocations=counted["failed"],
          unknown_frees=0, threads=info["counters"]["threads"])
    assert "figures since the reset after" in t.gpumemprof("report", capture).out
    assert "figures since" in t.gpumemprof("info", capture).out
    return capture


def figures_begin_with_what_is_live(t):
    program = t.build("resets", "control/reset_random.cpp", flags=["-O2"])
    for seed in range(1, 9):
        _play(t, program, seed, 1)


def figures_begin_with_what_is_live_with_threads(t):
    program = t.build("resets", "control/reset_random.cpp", flags=["-O2"])
    for seed in range(9, 14):
        _play(t, program, seed, 3)


def events_before_it_are_listed_and_replay_says_why_it_cannot(t):
    program = t.build("resets", "control/reset_random.cpp", flags=["-O1"])
    capture = _play(t, program, 14, 1, options="history=all")
    assert t.gpumemprof("events", capture).out.count("\n") > 5000
    error = t.gpumemprof("events", "--replay", capture, status=2).err
    assert "reset its figures (gpumemprof_reset)" in error and error.count("\n") == 1, error


def child_begins_without_a_reset(t):
    program = t.build("resets", "control/reset_random.cpp", flags=["-O2"])
    capture = _play(t, program, 15, 1, "fork")
    child = next(t.work.glob("run.gmprof.*"))
    assert json.loads(t.gpumemprof("info", "--format", "json", child).out)["resets"] == 0
    assert "figures since" not in t.gpumemprof("report", child).out and capture


def lines_of_before_are_no_rows(t):
    source = t.work / "once.c"
    source.write_text("""#include <cuda_runtime.h>
#include <gpumemprof/gpumemprof.h>
static void *p, *q;
__attribute__((noinline)) static void gone(void) { cudaMalloc(&p, 4096); cudaFree(p); }
__attribute__((noinline)) static void stays(void) { cudaMalloc(&q, 1024); }
__attribute__((noinline)) static void later(void) { cudaMalloc(&p, 512); cudaFree(p); }
int main(void) { gone(); stays(); gpumemprof_reset(); later(); return 0; }
""")
    program = t.build("once", source)
    _, capture = t.run(program)
    rows = t.rows(capture, "function")
    assert set(rows) == {"main", "stays", "later"}, rows
    check(rows["stays"], "stays", self_alloc=1024, leaked=1024, calls=0, min_size=None, own_peak_max=0)
    check(rows["later"], "later", self_alloc=512, self_freed=512, calls=1, min_size=512, own_peak_max=512)
    check(rows["main"], "main", incl_alloc=1536, own_peak_max=4096, calls=1)  # it was open: from its own begin
    assert "1.00 KiB leaked in 1 block" in t.gpumemprof("leaks", capture, "--fail", status=1).out
