"""Limits of a device's total (gpumemprof_threshold_add) are reported once when they are crossed, and again after the total
fell by 5 %; devices are named by number, by UUID or as the current one (gpumemprof_device)."""
import re

from harness import check

KIB, MIB = 1 << 10, 1 << 20
UUID = "GPU-6770756d-656d-7072-6f66-2d73696d00{:02}"


def _program(t, **more):
    return t.build("thresholds", "limits/thresholds.cpp", flags=["-O1"], link=[t.sim / "libcuda.so.1"], **more)


def _crossings(text):
    found = re.findall(r"^(?:(\w+): )?(warn|critical) device=(-?\d+) total=(\d+) limit=(\d+) bytes=(\d+) block=(\d+) clock=(\d+) at=(\S+) (\S+)$", text, re.M)
    assert len(found) == len(text.splitlines()), text
    return [(who, level, *map(int, numbers), place, function) for who, level, *numbers, place, function in found]


def every_crossing_of_a_random_walk_is_reported_once(t):
    result, capture = t.run(_program(t), "walk")
    found = re.fullmatch(r"set 1, reported (\d+) (\d+), expected (\d+) (\d+), wrong totals 0, removed 0\nafter removal 1\n", result.out)
    assert found, result.out
    warned, critical, *expected = map(int, found.groups())
    assert [warned, critical] == expected and warned > 100 and critical > 100, result.out
    assert t.report(capture)["conservation"]["ok"]


def threads_cross_a_limit_once(t):
    result, capture = t.run(_program(t), "threads")
    assert result.out == "warned 20 critical 20\n", result.out
    check(t.report(capture)["conservation"], "conservation", ok=True, allocated=20 * 8 * 64 * 4 * KIB + 40 * 100, live=0)


def crossing_says_what_and_where(t):
    result, _ = t.run(_program(t), "steps")
    source = (t.programs / "limits/thresholds.cpp").read_text().splitlines()
    take = next(n for n, line in enumerate(source, 1) if "cudaMalloc(&p" in line)
    assert _crossings(result.out) == [
        ("", "warn", 0, 110 * KIB, 100 * KIB, 50 * KIB, 2, 2, f"thresholds.cpp:{take}", "take"),
        ("", "warn", 0, 110 * KIB, 100 * KIB, 50 * KIB, 4, 4, f"thresholds.cpp:{take}", "take"),
        ("", "warn", 0, 100 * KIB + 1, 100 * KIB, 1, 8, 8, f"thresholds.cpp:{take}", "take"),
        ("", "warn", 0, 100 * KIB + 1, 100 * KIB, 1, 12, 12, f"thresholds.cpp:{take}", "take")], result.out


def percentages_are_of_the_devices_memory(t):
    result, _ = t.run(_program(t), "percent", sim="memory=1GiB")
    assert [crossing[1:5] for crossing in _crossings(result.out)] == \
        [("warn", 0, 256 * MIB + 1, 256 * MIB), ("critical", 0, 400 * MIB + 1, 400 * MIB)], result.out


def devices_are_watched_each_for_itself(t):
    result, _ = t.run(_program(t), "devices", sim="devices=3")
    assert [crossing[:3] for crossing in _crossings(result.out)] == [
        ("every", "critical", 1), ("second", "warn", 1), ("every", "critical", 0), ("every", "critical", 2),
        ("host", "warn", -1)], result.out


def forked_child_begins_below_every_limit(t):
    result, _ = t.run(_program(t), "fork", capture="%p.gmprof")
    assert [crossing[1:5] for crossing in _crossings(result.out)] == \
        [("warn", 0, 11 * KIB, 10 * KIB), ("warn", 0, 12 * KIB, 10 * KIB)], result.out


def wrong_thresholds_are_refused_with_a_sentence(t):
    result, _ = t.run(_program(t), "wrong", sim="devices=2")
    assert result.out == "null -2 size -2 callback -2 limit -2 percent -2 percent -2 percent -2 host 1 of the host -2" \
                         " device -3 device -3 all 15 full -4 removed 0 again -2 none -2\n", result.out
    said = [line.removeprefix("gpumemprof: gpumemprof_threshold_add: ") for line in result.err.splitlines()]
    wanted = ["size is not set", "size is not set", "no callback", "no limit", "from 0 to 100", "from 0 to 100", "from 0 to 100", "no GPU",
              f"no device `7`; there are: 0 ({UUID.format(0)}), 1 ({UUID.format(1)})", "no device `-4`; there are: 0 (",
              "16 thresholds", "16 thresholds"]
    assert len(said) == len(wanted) and all(text in line for text, line in zip(wanted, said)), result.err


def devices_have_names(t):
    program = _program(t)
    words = ["0", "2", UUID.format(1), UUID.format(2).lower().replace("gpu", "gPu"), "use 1", "current"]
    result, capture = t.run(program, "names", *words, sim="devices=3")
    assert result.out.split() == ["0", "2", "1", "2", "1"] and not result.err, (result.out, result.err)
    assert f"{UUID.format(1)}\n" in t.gpumemprof("info", capture).out
    assert t.report(capture)["devices"][0]["uuid"] == UUID.format(1)
    t.gpumemprof("report", capture, "--device", UUID.format(1))
    result, _ = t.run(program, "names", "3", "GPU-67", "GPU-68", "GPU-", "gpu 0", "", "-1", "99999999999999999999", "x" * 5000, sim="devices=3")
    assert result.out.split() == ["-3"] * 9, result.out
    said = result.err.splitlines()
    assert len(said) == 9 and "more than one device's UUID begins with `GPU-67`" in said[1], said
    listed = "there are: " + ", ".join(f"{i} ({UUID.format(i)})" for i in range(3))
    assert all(line.endswith(listed) for i, line in enumerate(said) if i != 1), said
    assert "`(too long)`" in said[8], said
    result, _ = t.run(program, "names", "0", "current", sim="devices=0")
    assert result.out.split() == ["-3", "-3"] and "CUDA reports none" in result.err and "no device is current" in result.err, result.err


def runtime_that_is_off_or_absent_watches_nothing(t):
    program = _program(t)
    result, _ = t.run(program, "names", "0", env={"GPUMEMPROF": "0"})
    assert result.out == "-1\n" and not result.err
    result, _ = t.run(program, "percent", sim="memory=1GiB", env={"GPUMEMPROF": "0"})
    assert not result.out and not result.err
    plain = t.build("plain", "limits/thresholds.cpp", plugin=False, runtime=False)
    assert t.command(plain, "names", "0").out == "-1\n"
    assert not t.command(plain, "steps").out
