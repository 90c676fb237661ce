"""gpumemprof's allocator for PyTorch, called as torch calls it: what it records is what the program counts."""
import json
import re
import sys

from harness import check


def _environment(t):
    return {"LIB": str(t.runtime), "HEADERS": str(t.stage / "include/gpumemprof"),
            "EXAMPLES": str(t.examples), "PYTHONDONTWRITEBYTECODE": "1"}


def _call(t, case, *arguments, env=None, **more):
    # Not verified: the lines are Python's, and on the machine's stack is the interpreter.
    return t.run(sys.executable, t.programs / "cuda/torch_calls.py", t.sim / "libcuda.so.1", case, *arguments,
                 env={**_environment(t), **(env or {})}, verify=False, **more)


def structures_of_the_example_are_those_of_c(t):
    fields = {}
    result, _ = _call(t, "layout")
    for line in result.out.splitlines():
        name, size, *at = line.split()
        fields[name] = int(size), {f.split(":")[0]: int(f.split(":")[1]) for f in at}
    assert len(fields["snapshot"][1]) > 15 and len(fields["result"][1]) > 10, fields
    prints = "".join(f'printf("%zu\\n", sizeof(struct gpumemprof_{name}));'
                     + "".join(f'printf("%zu\\n", offsetof(struct gpumemprof_{name}, {f}));' for f in at)
                     for name, (_, at) in fields.items())
    (t.work / "layout.c").write_text("#include <stdio.h>\n#include \"gpumemprof/measure.h\"\n"
                                     f"int main(void) {{ {prints} return 0; }}\n")
    t.command(t.compiler("c"), *t.include_flags(), t.work / "layout.c", "-o", t.work / "layout")
    expected = [n for size, at in fields.values() for n in (size, *at.values())]
    assert [int(n) for n in t.command(t.work / "layout").out.split()] == expected, fields


def _compare(t, threads):
    result, capture = _call(t, "figures", str(threads), options="history=all")
    counted = json.loads(result.out)
    report = t.report(capture)
    assert report["conservation"]["ok"] and not report["losses"]["interrupted_calls"], report["losses"]
    rows = {}
    for row in report["rows"]:
        name = f"{row['file'].split('/')[-1]}:{row['line']} {row['function']}" if row["line"] else row["function"]
        rows[name] = rows.get(name, 0) + row["self_alloc"]
    assert rows == counted["lines"] and len(rows) == 2, (rows, counted)
    assert sum(row["leaked"] for row in report["rows"]) == counted["live"]
    labels = {row["label"]: row["self_alloc"] for row in t.report(capture, "label")["rows"]}
    assert labels == counted["labels"] and len(labels) == 4, (labels, counted)
    assert "every figure agrees\n" in t.gpumemprof("events", "--replay", capture).out


def rows_are_the_lines_of_the_innermost_scopes(t):
    _compare(t, 1)


def threads_have_the_same_figures(t):
    _compare(t, 5)


def stacks_native_has_the_interpreters_way_to_the_allocator(t):
    """The same bytes below the same scopes; the line is in the function that called, below those that called it."""
    _, plain = _call(t, "figures", "3")
    _, whole = _call(t, "figures", "3", options="stacks=native", capture="whole.gmprof")
    before, after = ({row["function"]: row for row in t.report(capture, "function")["rows"]} for capture in (plain, whole))
    total = sum(row["self_alloc"] for row in before.values())
    ways = [name for name, row in after.items() if row["incl_alloc"] == total]
    assert len(ways) >= 2, after.keys()
    assert sum(row["self_alloc"] for row in after.values()) == total
    assert "via torch" not in after
    for name, row in before.items():
        if name != "via torch":
            check(after[name], name, **{key: row[key] for key in ("incl_alloc", "own_peak_max", "incl_net")})


def out_of_memory_is_null_and_counted(t):
    _, capture = _call(t, "out_of_memory", sim="memory=64MiB")
    report = t.report(capture)
    failed = t.gpumemprof("report", capture).out
    assert "1 allocation failed (40.00 MiB) at" in failed and "{does not}" in failed, failed
    assert ": out of memory\n" in failed, failed
    assert report["conservation"]["ok"]


def memory_is_given_when_switched_off(t):
    for off in {"GPUMEMPROF": "0"}, {"GPUMEMPROF_OPTIONS": "enabled=0"}:
        result, capture = _call(t, "nothing_recorded", env=off)
        assert not capture.exists() and result.err == "", result.err


def without_a_driver_there_is_one_sentence(t):
    result, _ = _call(t, "no_driver")
    assert result.err.count("gpumemprof: ") == 1 and "libcuda.so.1 is not in the process" in result.err, result.err


def wrong_device_is_named(t):
    result, _ = _call(t, "wrong_device", sim="devices=2")
    for device in "2", "-1", "1000":
        assert f"got no 100 bytes on device {device}: the driver's error is 101\n" in result.err, result.err


def memory_goes_to_the_device_that_was_asked_for(t):
    _, capture = _call(t, "two_devices", sim="devices=2")
    report = t.report(capture)
    assert report["conservation"]["ok"] and not report["losses"]["unknown_device"], report["losses"]


def _preloaded(t, name, function, code):
    """A driver that is loaded before the simulated one: it replaces this function and passes all other calls on."""
    source, library = t.work / f"{name}.c", t.work / f"lib{name}.so"
    names = re.findall(r"X\((cu\w+),", (t.source / "runtime/cuda/driver.h").read_text())
    assert function in names and len(names) > 20, names
    words = ["#include <dlfcn.h>", "typedef long (*call)(long, long, long, long, long, long, long);"]
    for each in names:
        words.append(f"static call real_{each};")
        if each != function:
            words.append(f"long {each}(long a, long b, long c, long d, long e, long f, long g) "
                         f"{{ return real_{each}(a, b, c, d, e, f, g); }}")
    fill = "".join(f'  real_{each} = (call)dlsym(driver, "{each}");\n' for each in names)
    words += [code, "__attribute__((constructor)) static void fill(void) {",
              f'  void *driver = dlopen("{t.sim}/libcuda.so.1", RTLD_NOW | RTLD_LOCAL);', fill + "}"]
    source.write_text("\n".join(words) + "\n")
    t.command(t.compiler("c"), "-shared", "-fPIC", source, "-o", library, "-Wl,-soname,libcuda.so.1")
    return {"LD_PRELOAD": str(library)}


def graphs_keep_their_memory_and_frees_wait_for_streams(t):
    counts = _preloaded(t, "waits", "cuStreamWaitEvent", "int waits;\nint cuStreamWaitEvent(long s, long e, long f) {\n"
                        "  waits++;\n  return (int)real_cuStreamWaitEvent(s, e, f, 0, 0, 0, 0);\n}")
    _, capture = _call(t, "streams", env=counts)
    assert t.report(capture)["conservation"]["ok"]


def device_without_pools_gives_device_memory(t):
    refuses = _preloaded(t, "poolless", "cuMemAllocAsync", "int cuMemAllocAsync(long p, long n, long s) {\n"
                         "  (void)p, (void)n, (void)s;\n  return 801;\n}")
    _, capture = _call(t, "without_pools", env=refuses)
    report = t.report(capture)
    check(report["rows"][0], "via torch", function="via torch", self_alloc=1 << 20)
    assert "failed:" not in t.gpumemprof("report", capture).out


def where_torch_is_its_own_error_is_raised(t):
    program = t.build("torch_fails", "cuda/torch_fails.cpp", plugin=False, link=["-ldl"])
    checking = t.work / "checking/libc10.so"
    mute = t.work / "mute/libc10.so"
    (t.work / "c10.cpp").write_text(
        "#include <cstdint>\n#include <stdexcept>\nnamespace c10::detail {\n#ifdef CHECKING\n"
        "void torchCheckFail(const char *, const char *, uint32_t, const char *text) { throw std::runtime_error(text); }\n"
        "#endif\nint loaded;\n}\n")
    for library, flag in (checking, "-DCHECKING"), (mute, "-DMUTE"):
        library.parent.mkdir()
        t.command(t.compiler("c++"), "-std=c++17", "-shared", "-fPIC", flag, t.work / "c10.cpp", "-o", library,
                  "-Wl,-soname,libc10.so")
    for library, raised in (checking, "raised CUDA out of memory. gpumemprof's allocator got no 1099511627776 bytes on device 0"
                            ": the driver's error is 2"), (mute, "raised std::bad_alloc"):
        result, capture = t.run(program, t.sim / "libcuda.so.1", library)
        assert result.out.splitlines() == [raised, "1"], result.out
        assert t.report(capture)["conservation"]["ok"]
