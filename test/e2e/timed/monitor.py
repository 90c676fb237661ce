"""The monitor: samples of what the devices hold in every interval, by a thread that the program does not notice."""
import csv
import json
import time

from harness import MIB, check

PAGE = 2 * MIB


def _program(t):
    return t.build("monitor", "common/monitor.c", flags=["-O1"], link=["-pthread"])


def _samples(t, capture, why="monitor"):
    return [s for s in json.loads(t.gpumemprof("info", "--samples", "--format", "json", capture).out)["samples"]
            if s["why"] == why or not why]


def _books(result):
    """Live bytes after each event, by the program's own count."""
    lines = [line.split() for line in result.out.splitlines()]
    return {int(words[1]): int(words[2]) for words in lines if words[0] == "live"}


def _inside(samples):
    """Those with another of the same clock before and behind them. A sample is not taken at one moment: the first of a
    clock may have asked the driver before the event, the last may have looked at the ledger, or asked, after the next call."""
    return [s for a, s, b in zip(samples, samples[1:], samples[2:]) if a["clock"] == s["clock"] == b["clock"]]


def _tasks(result):
    return [line.split()[1:] for line in result.out.splitlines() if line.startswith("task ")]


def samples_are_what_the_program_held(t):
    program = _program(t)
    start = time.monotonic()
    result, capture = t.run(program, "plateaus", "50", options="monitor=5ms")
    most = (time.monotonic() - start) / 0.005
    books, samples = _books(result), _samples(t, capture)
    assert len(books) == 11 and 0.3 * 550 / 5 < len(samples) <= most, (len(samples), most)
    assert {s["clock"] for s in _inside(samples)} == set(books), "a plateau has no sample"
    blocks = [(i + 1) * 3 * MIB + 512 for i in range(6)]
    pages = {clock: sum((b + PAGE - 1) // PAGE * PAGE for b in (blocks[:clock] if clock <= 6 else blocks[clock - 6:]))
             for clock in books}
    for s in _inside(samples):
        assert s["ledger"] == books[s["clock"]] and s["used"] == pages[s["clock"]], s
    for s in samples:
        near = {s["clock"] + d for d in (-1, 0, 1)}
        assert s["ledger"] in {books.get(c) for c in near} and s["used"] in {pages.get(c) for c in near}, s
        assert s["device"] == 0 and s["pool"] is None and s["total"] == 80 << 30 and s["pools"] == 0, s
        assert MIB < s["rss"] < 1 << 30, s
    times = [s["time_ns"] for s in _samples(t, capture, why=None)]
    assert times == sorted(times), times
    info = json.loads(t.gpumemprof("info", "--format", "json", capture).out)
    check(info["monitor"], "monitor", interval_ns=5000000, samples=len(samples))
    assert f"{len(samples)} samples, every 5.0 ms" in t.gpumemprof("info", capture).out
    rows = list(csv.DictReader(t.gpumemprof("info", "--samples", "--format", "csv", capture).out.splitlines()))
    assert [int(row["ledger"]) for row in rows if row["why"] == "monitor"] == [s["ledger"] for s in samples]
    table = t.gpumemprof("info", "--samples", "--bytes", capture).out.splitlines()
    assert table[0].split()[:5] == ["time", "clock", "why", "used", "total"] and len(table) == len(rows) + 1, table[:2]
    assert str(books[6]) in "".join(table), table


def samples_of_several_threads_are_in_the_order_of_their_times(t):
    """The program's, when a pool grows, while the monitor looks at very many blocks."""
    _, capture = t.run(_program(t), "grows", "1000", options="monitor=1ms")
    samples = _samples(t, capture, why=None)
    assert {s["why"] for s in samples} == {"first", "change", "exit", "monitor"}
    for name in ("time_ns", "clock"):
        values = [s[name] for s in samples]
        back = [(a, b) for a, b in zip(values, values[1:]) if b < a]
        assert not back, (name, len(back), len(values), back[:3])


def pools_are_looked_at(t):
    """A pool that grew is seen between two calls of the program."""
    result, capture = t.run(_program(t), "pools", "40", options="monitor=4ms")
    books = _books(result)
    inside = _inside(_samples(t, capture))
    for s in inside:
        assert s["ledger"] == books[s["clock"]] <= s["pools"] <= s["used"], s
    assert {s["clock"] for s in inside} == set(books)


def off_there_is_no_thread(t):
    program = _program(t)
    for way, options in (("tasks", ""), ("tasks", "monitor=off"), ("no device", "monitor=1ms")):
        result, capture = t.run(program, way, options=options)
        assert [name for name, _ in _tasks(result)] == ["monitor"], result.out
        assert not _samples(t, capture) and "monitor  " not in t.gpumemprof("info", capture).out
    result = t.command(program, "tasks", env={"GPUMEMPROF": "0", "GPUMEMPROF_OPTIONS": "monitor=1ms"})
    assert len(_tasks(result)) == 1 and not result.err, result.out


def thread_has_a_name_and_takes_no_signal(t):
    result, _ = t.run(_program(t), "tasks", options="monitor=1ms")
    tasks = dict(_tasks(result))
    assert sorted(tasks) == ["gpumemprof", "monitor"], tasks
    libc_and_kill_stop = 1 << 31 | 1 << 32 | 1 << 8 | 1 << 18  # cannot be blocked
    assert int(tasks["gpumemprof"], 16) | libc_and_kill_stop == (1 << 64) - 1, tasks
    assert int(tasks["monitor"], 16) == 0, tasks


def started_and_stopped_by_calls(t):
    program = _program(t)
    result, capture = t.run(program, "calls")
    for line in ("short -2, errno 77", "start 0, errno 77", "again 0", "other 0"):
        assert line in result.out.splitlines(), result.out
    assert result.err == "gpumemprof: gpumemprof_monitor_start: the interval is less than 1 ms; nothing changes\n", result.err
    assert [name for name, _ in _tasks(result)] == ["monitor"], result.out
    clocks = {s["clock"] for s in _samples(t, capture)}
    assert clocks == {1, 3}, clocks
    info = json.loads(t.gpumemprof("info", "--format", "json", capture).out)
    assert info["monitor"]["interval_ns"] == 1000000, info["monitor"]


def sentence_that_cannot_be_written_leaves_errno(t):
    result = t.command("sh", "-c", 'exec "$0" calls 2>&-', _program(t), env={"GPUMEMPROF_OPTIONS": f"output={t.work}/x.gmprof"})
    assert "short -2, errno 77\n" in result.out, result.out


def calls_without_the_runtime_say_so(t):
    bare = t.build("bare", "common/monitor.c", plugin=False, runtime=False, link=["-pthread"])
    for one, env in ((bare, {}), (_program(t), {"GPUMEMPROF": "0"})):
        result = t.command(one, "calls", env=env)
        for line in ("short -1, errno 77", "start -1, errno 77", "again -1", "other -1"):
            assert line in result.out.splitlines(), result.out
        assert not result.err, result.err
        assert [name for name, _ in _tasks(result)] == [one.name], result.out


def bad_intervals_are_said_and_ignored(t):
    program = _program(t)
    for bad in ("", "100", "0.9ms", "999us", "-1s", "1x", "ms", "1e3ms", "99999999999s", "1s2", "0x1s"):
        result, capture = t.run(program, "tasks", options=f"monitor={bad}")
        said = (f"bad value '{bad}' for monitor is ignored; 'gpumemprof info --options' lists what it takes" if bad != "100"
                else "'100' for monitor has no unit and is ignored; write 100ms or 2s")
        assert result.err == f"gpumemprof: GPUMEMPROF_OPTIONS: {said}\n", result.err
        assert not _samples(t, capture)
    for good, ns in (("1ms", 10**6), ("1000us", 10**6), ("1.5ms", 1500000), ("0.002s", 2 * 10**6), ("1min", 60 * 10**9)):
        result, capture = t.run(program, "tasks", "0", options=f"monitor={good}")
        info = json.loads(t.gpumemprof("info", "--format", "json", capture).out)
        assert not result.err and info["monitor"]["interval_ns"] in (ns, 0), (good, info["monitor"])


def forked_child_has_a_monitor_from_its_first_device_on(t):
    program = _program(t)
    result = t.command(program, "forks", env={"GPUMEMPROF_OPTIONS": f"output={t.work}/%p.gmprof:quiet=1:monitor=2ms"})
    assert result.out.count("child 0") == 2 and [name for name, _ in _tasks(result)] == ["monitor"] * 2, result.out
    ledgers = {}
    for capture in t.work.glob("*.gmprof"):
        assert t.state(capture) == "complete", capture
        samples = _samples(t, capture)
        ledgers[frozenset(s["ledger"] for s in samples)] = len(samples)
    assert set(ledgers) == {frozenset(), frozenset([MIB]), frozenset([2 * MIB])}, ledgers
    assert min(count for key, count in ledgers.items() if key) > 3, ledgers


def stream_that_is_captured_is_not_used(t):
    result, capture = t.run(_program(t), "capturing", options="monitor=2ms")
    assert "capture 0" in result.out, result.out
    info = json.loads(t.gpumemprof("info", "--format", "json", capture).out)
    assert info["counters"]["monitor_left_out"] >= 10, info["counters"]
    assert not any(t.report(capture)["losses"].values())


def program_whose_last_thread_ends_is_not_kept_alive(t):
    program = _program(t)
    start = time.monotonic()
    result, capture = t.run(program, "main ends", options="monitor=1h", timeout=30)
    assert time.monotonic() - start < 5 and result.out.endswith("ended\n"), result.out
    assert t.state(capture) == "complete"


def killed_program_shows_its_last_sample(t):
    result, capture = t.run(_program(t), "killed", "20", options="monitor=2ms", status=-6)
    books = _books(result)
    latest = _samples(t, capture)[-1]
    device = t.report(capture)["devices"][0]["in_use"]
    check(device, "in_use", when="at the monitor's last sample", used=latest["used"], recorded=books[11],
          rounding=latest["used"] - books[11], unaccounted=0)
    assert latest["clock"] == 11, latest


def threads_that_churn_lose_nothing(t):
    program = _program(t)
    for threads in ("0", "4"):
        _, capture = t.run(program, "churns", threads, options="monitor=1ms:history=all")
        blocks = (int(threads) + 1) * 60000
        report = t.report(capture)
        check(report["conservation"], "conservation", ok=True, allocated_blocks=blocks, freed_blocks=blocks)
        assert not any(report["losses"].values()), report["losses"]
        assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out
        most = (int(threads) + 1) * 4096
        assert all(s["ledger"] <= most for s in _samples(t, capture))
