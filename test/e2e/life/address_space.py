"""Address space and locked memory are the program's: the profiler takes little of both before the first CUDA call, and
a program that limits or locks its own when it starts runs as it does without the profiler."""
import os

from capture_file import one_sentence
from harness import check

KIB, MIB = 1 << 10, 1 << 20


def _program(t, plugin=True):
    name = "limits_itself" if plugin else "plain"
    return t.work / name if (t.work / name).exists() else \
        t.build(name, "life/limits_itself.c", plugin=plugin, runtime=plugin, flags=["-O1"], link=["-pthread"])


def _kib(out, name):
    return next(int(line.split()[1]) for line in out.splitlines() if line.startswith(name))


def _both(t, *arguments, prepare=(), **more):
    """What the program prints: plain, with the profiler, and with the profiler switched off."""
    run = t.work / "run.gmprof"
    run.unlink(missing_ok=True)
    env = {"GPUMEMPROF_OPTIONS": f"output={run}:quiet=1"}
    outputs = []
    for plugin, variables in ((False, {}), (True, env), (True, {"GPUMEMPROF": "0"})):
        done = t.command(*prepare, _program(t, plugin), *arguments, status=9, env=variables, **more)
        assert not done.err, done.err
        outputs.append(done.out)
    return outputs


def program_that_limits_its_address_space_keeps_it(t):
    for mib in (64, 8192):
        assert _both(t, "address space", mib) == ["ok\n"] * 3


def little_address_space_is_taken_before_the_first_event(t):
    plain, profiled, off = (_kib(out, "VmSize") for out in _both(t, "size", 0))
    print(f"{plain} KiB of address space, {profiled} with the profiler, {off} with it switched off")
    assert profiled - plain <= 4 * KIB and off - plain <= 3 * KIB // 2, (plain, profiled, off)


def program_may_lock_what_it_has(t):
    """mlockall counts address space, and as everybody's limit 8 MiB are common. Root has none."""
    t.need_root()
    os.chmod(t.work, 0o777)
    user = ("prlimit", f"--memlock={8 * MIB}:{8 * MIB}", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    for parent in [t.work, *t.work.parents]:
        if not parent.stat().st_mode & 1:
            print(f"skipped: {parent} is closed to others")
            return
    assert _both(t, "lock", 0, prepare=user) == ["ok\n"] * 3


def locked_memory_is_what_is_in_use(t):
    """MCL_FUTURE brings in every page of what is mapped later. No CUDA: the simulated device maps what there is."""
    t.need_root()
    for more, most in (((), 4 * KIB), (("threads",), 16 * KIB)):
        plain, profiled, off = (_kib(out, "VmHWM") for out in _both(t, "lock all", 0, *more))
        print(f"{plain} KiB resident, {profiled} with the profiler, {off} with it switched off")
        assert profiled - plain <= most and off - plain <= 3 * KIB // 2, (more, plain, profiled, off)


def capture_grows_under_every_limit(t):
    for way, mib in (("address space", 8192), ("no limit", 0), ("reserve", 0)):
        result, capture = t.run(_program(t), way, mib, "many", status=9, verify=False)
        report = t.report(capture)
        assert not result.err and t.state(capture) == "complete" and not any(report["losses"].values()), result.err
        check(report["conservation"], "conservation", ok=True, allocated=4096 * 512, freed=4096 * 512)
        assert capture.stat().st_size > MIB, capture.stat().st_size


def capture_that_cannot_grow_stops_with_a_sentence(t):
    """Its records are used by address, so that it grows in place or not at all."""
    result, capture = t.run(_program(t), "block", 0, "many", status=9, verify=False)
    assert result.out == "ok\n" and "the program uses the addresses behind it" in one_sentence(result.err), result.err
    assert "stopped" in t.state(capture) and t.report(capture)["conservation"]["ok"]
