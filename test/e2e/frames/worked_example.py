"""The worked example of docs/ACCOUNTING.md, to the digit: every figure of its table, in C, C++ and CUDA,
built by every supported compiler, without and with optimisation."""
from harness import MIB, check

# Each figure the table gives; a blank own peak of the table is not asserted. Unit: MiB.
FUNCTIONS = {
    "main": dict(self_alloc=0, incl_alloc=380, freed_own=350, freed_others=0, incl_net=30,
                 own_peak_max=350, at_peak=350),
    "step": dict(incl_alloc=150, freed_own=50, freed_others=200, incl_net=-100, own_peak_max=150),
    "make": dict(self_alloc=380, incl_alloc=380, freed_own=0, freed_others=0, incl_net=380,
                 own_peak_max=200, at_peak=350, freed_elsewhere=350, escaped=30, leaked=30),
}
LINES = {
    "main:10": dict(self_alloc=0, incl_alloc=200, freed_own=0, freed_others=0, incl_net=200, at_peak=200),
    "main:11": dict(self_alloc=0, incl_alloc=150, freed_own=50, freed_others=200, incl_net=-100,
                    own_peak_max=150, at_peak=150),
    "step:3": dict(self_alloc=0, incl_alloc=100, freed_own=0, freed_others=0, incl_net=100, at_peak=100),
    "step:4": dict(self_alloc=0, incl_alloc=50, freed_own=0, freed_others=0, incl_net=50, at_peak=50),
    "step:6": dict(self_alloc=0, incl_alloc=0, freed_own=0, freed_others=200, incl_net=-200, at_peak=0),
    "make:1": dict(self_alloc=380, incl_alloc=380, freed_own=0, freed_others=0, incl_net=380,
                   own_peak_max=200, at_peak=350, freed_elsewhere=350, leaked=30),
}


def check_capture(t, capture):
    by_line, by_function = t.rows(capture), t.rows(capture, "function")
    for rows, table in ((by_function, FUNCTIONS), (by_line, LINES)):
        for name, figures in table.items():
            assert name in rows, f"no row {name}; there are {sorted(rows)}"
            check(rows[name], name, **{key: value * MIB for key, value in figures.items()})
    check(by_line["make:1"], "make:1", leaked_blocks=1)

    report = t.report(capture)
    devices = [d for d in report["devices"] if d["peak"]]
    assert len(devices) == 1, devices
    check(devices[0], "device", peak=350 * MIB, live_at_exit=30 * MIB)
    check(report["conservation"], "conservation", allocated=380 * MIB, freed=350 * MIB, live=30 * MIB,
          ok=True)
    assert not any(report["losses"].values()), report["losses"]
    for wrappers, texts in (("show", (":1 ", ":12")), ("hide", (":12 main  float *y = ", "  via make"))):  # nvcc prints macros expanded
        leaks = t.gpumemprof("leaks", "--fail", "--wrappers", wrappers, capture, status=1).out
        for text in ("worked_example.", "30", *texts):
            assert text in leaks, leaks


def host(t, language, suffix, llvm):
    for level in ("-O0", "-O2"):
        program = t.build("example" + level, t.examples / f"worked_example.{suffix}", llvm=llvm,
                          language=language, flags=[level, "-include", t.examples / "worked_example.h"])
        check_capture(t, t.run(program)[1])


def c_by_clang_22(t):
    host(t, "c", "c", 22)


def c_by_clang_19(t):
    host(t, "c", "c", 19)


def cxx_by_clang_22(t):
    host(t, "c++", "cpp", 22)


def cxx_by_clang_19(t):
    host(t, "c++", "cpp", 19)


def cxx_by_clang_16(t):
    host(t, "c++", "cpp", 16)


def c_with_the_headers_of_the_toolkit(t):
    t.need_toolkit()
    t.include_flags = lambda: ["-I", f"{t.cuda}/include", "-I", t.stage / "include"]
    host(t, "c", "c", 22)
    host(t, "c++", "cpp", 22)


def cuda_by_clang_22(t):
    t.need_toolkit()
    for level in ("-O0", "-O2"):
        program = t.work / ("example" + level)
        t.command(t.compiler("c++"), *t.plugin_flags(22), level, f"--cuda-path={t.cuda}",
                  "--cuda-gpu-arch=sm_90", "-Wno-unknown-cuda-version",
                  "-include", t.examples / "worked_example.h", t.examples / "worked_example.cu",
                  "-o", program, *t.link_flags())
        check_capture(t, t.run(program)[1])


def nvcc(t, llvm, *more):
    t.need_toolkit()
    for level in ("-O0", "-O2"):
        program = t.work / ("example" + level)
        t.command(f"{t.cuda}/bin/nvcc", "-ccbin", t.compiler("c++", llvm), *more, level, "-arch=sm_90",
                  *t.nvcc_flags(llvm), "-cudart", "shared",
                  "-include", t.examples / "worked_example.h", t.examples / "worked_example.cu",
                  "-o", program, f"-L{t.stage}/lib", "-lgpumemprof",
                  "-Xlinker", f"-rpath={t.stage}/lib:{t.sim}")
        check_capture(t, t.run(program)[1])


def cuda_by_nvcc_with_clang_19(t):
    nvcc(t, 19)


def cuda_by_nvcc_with_clang_16(t):
    nvcc(t, 16)


def cuda_by_nvcc_with_clang_22(t):
    nvcc(t, 22, "-allow-unsupported-compiler")
