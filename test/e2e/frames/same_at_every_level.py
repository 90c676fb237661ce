"""One program, one report: at -O0, -O2, -O2 -flto=full and -O2 -flto=thin every row and every figure is
the same. Optimisation may inline, merge, clone and drop functions; the user's scopes and lines stay."""
LEVELS = {
    "O0": ["-O0"],
    "O2": ["-O2"],
    "lto-full": ["-O2", "-flto=full", "-fuse-ld=lld"],
    "lto-thin": ["-O2", "-flto=thin", "-fuse-ld=lld"],
}
VIEWS = ("line", "function", "path", "kind", "device")
TIMES = {"peak_time_ns", "wall_ns", "lifetime_ns", "time_ns"}  # the only figures that may differ


def plain(value):
    """A report without its times, rows in one order."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key not in TIMES}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def differences(first, second):
    """The rows in which two reports differ, shortened to what differs."""
    def keyed(rows):
        return {repr([row.get(k) for k in ("path", "file", "line", "function", "kind", "device")]): row
                for row in rows}
    a, b = keyed(first["rows"]), keyed(second["rows"])
    lines = [f"only in one: {key}" for key in sorted(a.keys() ^ b.keys())]
    for key in sorted(a.keys() & b.keys()):
        lines += [f"{key}: {field} {a[key][field]} and {b[key].get(field)}"
                  for field in a[key] if a[key][field] != b[key].get(field)]
    return lines or ["the same rows in another order, or another header"]


def same(t, *sources, llvm=22, link=(), oracle=None):
    """Builds and runs at every level; compares each view with that of -O0."""
    oracle = t.build_oracle() if oracle is None else oracle
    first = {}
    for level, flags in LEVELS.items():
        program = t.build(level, *sources, flags=["-DORACLE_OFF", *flags], llvm=llvm,
                          link=[oracle, "-lstdc++", *link])
        _, capture = t.run(program, capture=level + ".gmprof", sim="devices=2")
        for view in VIEWS:
            report = plain(t.report(capture, view))
            assert report["rows"], f"{level}: no rows by {view}"
            assert report["conservation"]["ok"], report["conservation"]
            assert not any(report["losses"].values()), report["losses"]
            if view not in first:
                first[view] = report
            elif report != first[view]:
                raise AssertionError(f"by {view}, -O0 and {level}:\n" +
                                     "\n".join(differences(first[view], report)))


def inlined_callees(t):
    same(t, "frames/inlining.cpp")


def templates(t):
    same(t, "common/templates.cpp")


def lambdas(t):
    same(t, "frames/lambdas.cpp")


def recursion(t):
    same(t, "common/recursion.cpp")


def exceptions(t):
    same(t, "common/exceptions.cpp")


def threads(t):
    same(t, "common/threads.cpp")


def several_devices(t):
    same(t, "frames/devices.cpp")


def coroutines(t):
    same(t, "frames/coroutines.cpp")


def callbacks_and_longjmp_in_c(t):
    same(t, "frames/callbacks.c")


def annotated_functions_and_blocks(t):
    same(t, "frames/annotations.cpp")


def two_translation_units(t):
    same(t, "common/two_files.cpp", "common/two_files_other.cpp")


def inlined_callees_by_clang_19(t):
    same(t, "frames/inlining.cpp", llvm=19)


def exceptions_by_clang_19(t):
    same(t, "common/exceptions.cpp", llvm=19)
