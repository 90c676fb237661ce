"""What a user meets while building: the runtime left out, the static runtime, the wrong compiler, the
example in each way that docs/BUILDING.md names."""
from harness import check


def _example_sources(t):
    return ["-include", t.examples / "worked_example.h", t.examples / "worked_example.c"]


def runtime_missing_at_link_is_named(t):
    done = t.build("example", t.examples / "worked_example.c", runtime=False, status=1,
                   flags=["-include", t.examples / "worked_example.h"])
    assert "__gpumemprof_abi_v5" in done.err, done.err


def static_runtime_records(t):
    program = t.work / "example"
    t.command(t.compiler("c"), *t.plugin_flags(), *t.include_flags(), "-O2", *_example_sources(t), "-o", program,
              t.stage / "lib/libgpumemprof.a", *t.link_flags(runtime=False), "-pthread", "-ldl")
    linked = t.command("ldd", program).out
    assert "libgpumemprof" not in linked, linked
    _, capture = t.run(program)
    check(t.rows(capture, "function")["main"], "main", incl_alloc=380 << 20, own_peak_max=350 << 20)


def weak_runtime_runs_without_the_runtime(t):
    program = t.work / "example"
    t.command(t.compiler("c"), *t.plugin_flags(runtime="weak"), *t.include_flags(), *_example_sources(t),
              "-o", program, *t.link_flags(runtime=False))
    t.command(program)
    assert not list(t.work.glob("*.gmprof"))


def stripped_program_keeps_its_names(t):
    program = t.build("example", t.examples / "worked_example.c",
                      flags=["-O2", "-s", "-include", t.examples / "worked_example.h"])
    _, capture = t.run(program, verify="part")  # its line tables are stripped
    check(t.rows(capture)["make:1"], "make:1", self_alloc=380 << 20)


def wrong_clang_version_is_one_clear_line(t):
    plugin = t.module(19)
    done = t.command(t.compiler("c", 22), f"-fplugin={plugin}", *t.include_flags(), *_example_sources(t),
                     "-c", "-o", t.work / "x.o", status=None)
    assert done.status != 0
    lines = [line for line in done.err.splitlines() if "gpumemprof" in line]
    assert any("19" in line and "22" in line and str(t.plugin()) in line for line in lines), done.err


def unknown_plugin_option_is_an_error_that_names_the_nearest(t):
    done = t.build("example", t.examples / "worked_example.c", status=1, mod="annotated",
                   flags=["-include", t.examples / "worked_example.h"])
    assert "mod" in done.err and "mode" in done.err, done.err


def uninstrumented_and_instrumented_objects_mix(t):
    elsewhere = t.work / "elsewhere.o"
    t.command("gcc", *t.include_flags(), "-c", t.programs / "common/elsewhere.c", "-o", elsewhere)
    program = t.build("failing", "common/failing.c", link=[elsewhere])
    _, capture = t.run(program, "attempts")
    assert t.report(capture)["conservation"]["ok"]


def _train(t, program, words, env=None):
    """examples/train.cu leaks the logits of each epoch: 4 blocks of 2048 x 1000 floats."""
    t.command(*words, "-o", program)
    _, capture = t.run(program, env=env, verify="part")  # built as docs/BUILDING.md says, without line tables
    leaks = [row for row in t.report(capture)["rows"] if row["leaked"]]
    assert len(leaks) == 1, leaks
    check(leaks[0], "leak", function="zeros", leaked=4 * 2048 * 1000 * 4, leaked_blocks=4)
    assert t.report(capture)["conservation"]["ok"]


def example_as_host_code(t):
    flags = t.gpumemprof("flags", "clang").out.split()
    _train(t, t.work / "train", [t.compiler("c++"), "-x", "c++", "-O2", *t.include_flags(), t.examples / "train.cu",
                                 "-x", "none", *flags, *t.link_flags(runtime=False)])


def example_by_clang(t):
    t.need_toolkit()
    flags = t.gpumemprof("flags", "clang").out.split()
    _train(t, t.work / "train", [t.compiler("c++"), "-O2", f"--cuda-path={t.cuda}", "--cuda-gpu-arch=sm_90",
                                 "-Wno-unknown-cuda-version", t.examples / "train.cu", *flags,
                                 *t.link_flags(runtime=False)])


def example_by_nvcc(t):
    t.need_toolkit()
    flags = t.gpumemprof("flags", "nvcc").out.split()
    _train(t, t.work / "train", [f"{t.cuda}/bin/nvcc", "-O2", "-arch=sm_90", t.examples / "train.cu", *flags,
                                 "-cudart", "shared"], env={"LD_LIBRARY_PATH": str(t.sim)})
