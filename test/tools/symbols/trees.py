#!/usr/bin/env python3
"""trees.py SOURCE TOOL WORK TEST - the call tree of functions that were not rebuilt: as if they had been."""
import os

import program as p
from recorder import Recorder
from vt import Terminal


def made(source, work, *above, history=False):
    program = p.build(work)
    return program, p.Capture(source, program, work / "a.gmprof", p.build_id(program), p.calls(program), above, history)


def begin_of(program, name):
    return next(address for address, symbol in p.functions(program).items() if symbol == name)


def call_from(program, name, number=0):
    begin = begin_of(program, name)
    return begin, [call for start, call in p.calls(program) if start == begin][number]


def equal_paths_are_one_row(source, tool, work):
    """Two addresses of one line are one path, as are the parts of a function; sums of rows stay those of the capture."""
    program, capture = made(source, work)
    want, got = p.by_binutils(program, [call for _, call in capture.pairs]), {}
    rows = tool.json(capture, "report", "--by", "path")["rows"]
    for i, (_, call) in enumerate(capture.pairs):
        got.setdefault(tuple(want[call]), []).append(i)
    assert any(len(same) > 1 for same in got.values()), "no two addresses of one line"
    sums = sorted(row["self_alloc"] for row in rows if row["self_alloc"])
    assert sums == sorted(sum(1 << i for i in same) for same in got.values()), sums
    report = tool.json(capture, "report", "--by", "function")
    assert report["conservation"]["ok"] and report["conservation"]["allocated"] == (1 << len(capture.pairs)) - 1
    split = next(row for row in report["rows"] if row["function"] == "my_split")
    begins = {begin for begin, name in p.functions(program).items() if name.startswith("my_split")}
    assert len(begins) == 2 and split["calls"] == sum(begin in begins for begin, _ in capture.pairs), (begins, split)


def live_peak_is_known_of_a_single_address(source, tool, work):
    program, capture = made(source, work)
    want, lines = p.by_binutils(program, [call for _, call in capture.pairs]), {}
    for i, (_, call) in enumerate(capture.pairs):
        lines.setdefault(want[call][-1], []).append(i)
    for row in tool.json(capture, "report")["rows"]:
        same = lines.get((row["function"], row["file"].rsplit("/", 1)[-1], row["line"]))
        if same and row["self_alloc"]:
            assert row["live_peak"] == (1 << same[0] if len(same) == 1 else None), (row, same)


def history_agrees(source, tool, work):
    """Every figure, computed from the events; and no command minds the nodes."""
    program, capture = made(source, work, history=True)
    said = p.command(tool.tool, "events", "--replay", capture.path).stdout
    assert said.endswith("every figure agrees\n"), said  # own peaks too
    inlined = p.command(tool.tool, "peak", "--scope", "my_inner", capture.path, status=2).stderr
    assert "`my_inner` was inlined in code that was not rebuilt" in inlined, inlined
    for words in (["tree"], ["leaks"], ["events"], ["peak"], ["timeline"], ["check"], ["histogram"], ["html", "-o", work / "a.html"],
                  ["export", "--to", "chrome", "-o", work / "a.json"], ["diff", capture.path], ["report", "--from", "3", "--to", "9"]):
        done = p.subprocess.run([str(word) for word in (tool.tool, *words, capture.path)], capture_output=True, text=True, timeout=300)
        assert done.returncode in (0, 1) and "damaged" not in done.stderr, (words, done)


def starts_of_programs_are_no_rows(source, tool, work):
    """_start, and the C library at the bottom of a stack and above other code, which has what it allocates. A program may be
    called as if it were one."""
    for name in "app", "ld-solver", "libc-tools", "ld-linux":
        starts_in(source, tool, work / name, name)


def starts_in(source, tool, work, name):
    program = p.build(work, name=name)
    r = Recorder(source)
    libc = work / "libc.so.6"
    start = next(int(line.split()[0], 16) for line in p.command("nm", program).stdout.splitlines() if line.endswith(" _start"))
    r.native_modules += [(str(program), p.build_id(program)), (str(libc), "")]
    r.native_enter(str(program), start)
    r.native_call(str(program), start + 4)
    for address in (0x100, 0x200):
        r.native_enter(str(libc), address)
        r.native_call(str(libc), address + 4)
    for function in ("main", "my_outer"):
        begin, call = call_from(program, function)
        r.native_enter(str(program), begin)
        r.native_call(str(program), call)
    r.native_enter(str(libc), 0x300)  # calls back
    r.native_call(str(libc), 0x304)
    r.malloc("a", 64)
    r.header["flags"] = 1
    path = work / "a.gmprof"
    path.write_bytes(r.bytes())
    capture = p.Capture.__new__(p.Capture)
    capture.path, capture.pairs = path, [0] * 8
    rows = tool.functions(capture)
    assert set(rows) in ({"main", "my_outer", "my_middle", "my_inner"}, {"main", "my_outer"}), rows.keys()
    assert sum(row["self_alloc"] for row in rows.values()) == 64, rows
    first = tool.json(capture, "report", "--by", "path")["rows"]
    assert all(row["path"][0]["function"] == "main" for row in first), first


def cuda_runtime_that_is_linked_in(source, tool, work):
    """Its functions, out of line and inlined, and one of C++ headers in between: the program's line has the memory. The scopes
    that are left out have ended, or are open as when a program is killed in them."""
    for ends in (True, False):
        in_cuda_runtime(source, tool, work / str(ends), ends)


def in_cuda_runtime(source, tool, work, ends):
    work.mkdir()
    (work / "runtime.cpp").write_text("""
extern "C" __attribute__((noinline)) int libcudart_static_0a1b(int n) { asm volatile(""); return n; }
extern "C" __attribute__((noinline)) int cudaMalloc(int n) { int r = libcudart_static_0a1b(n); asm volatile(""); return r; }
""")
    (work / "cuda_runtime.h").write_text("""
extern "C" int cudaMalloc(int n);
template <class T> static inline __attribute__((always_inline)) int cudaMallocT(T n) { return cudaMalloc(int(n)) + 1; }
""")
    (work / "cuda.cpp").write_text("""
#include "cuda_runtime.h"
__attribute__((noinline)) int cudaHelper(int n) {
  int r = cudaMallocT(n); /* HERE */
  asm volatile("");
  return r;
}
__attribute__((noinline)) int my_user(int n) {
  int r = cudaHelper(n);
  asm volatile("");
  return r;
}
int main(int argc, char **) { return my_user(argc); }
""")
    program = work / "cuda"
    p.command("g++", "-O2", "-c", "runtime.cpp", "-o", "runtime.o", cwd=work)
    p.command("g++", "-g", "-O2", "-Wl,--build-id", "cuda.cpp", "runtime.o", "-o", program, cwd=work)
    begins, pairs, begin = {}, {}, None
    for line in p.command("objdump", "-d", "--no-show-raw-insn", program).stdout.splitlines():
        if match := p.re.match(r"([0-9a-f]+) <(\w+)>:", line):
            begin = match.group(2)
            begins[begin] = int(match.group(1), 16)
        elif match := p.re.match(r"\s+([0-9a-f]+):\s+call", line):
            pairs.setdefault(begin, int(match.group(1), 16))
    r = Recorder(source)
    r.history = {}
    r.native_modules.append((str(program), p.build_id(program)))
    for name in ("main", "_Z7my_useri", "_Z10cudaHelperi", "cudaMalloc", "libcudart_static_0a1b"):
        r.native_enter(str(program), begins[name])
        r.native_call(str(program), pairs.get(name, begins[name]))
    r.malloc("a", 64)
    r.fail(32, True)
    for _ in range(2 * ends):  # the runtime's own functions end, and the rest stays open
        r.leave()
    r.free("a")
    path = work / "a.gmprof"
    path.write_bytes(r.bytes())
    capture = p.Capture.__new__(p.Capture)
    capture.path, capture.pairs = path, [0] * 8
    assert set(tool.functions(capture)) == {"main", "my_user", "cudaHelper"}, tool.functions(capture).keys()
    here = next(i for i, line in enumerate((work / "cuda.cpp").read_text().splitlines(), 1) if "HERE" in line)
    row = next(row for row in tool.json(capture, "report")["rows"] if row["self_alloc"])
    assert (row["line"], row["function"], row["failed_calls"], row["self_freed"]) == (here, "cudaHelper", 1, 64), row
    own = tool.functions(capture)["cudaHelper"]
    assert (own["own_peak_max"], own["calls"]) == (64, 1), own
    assert p.command(tool.tool, "events", "--replay", path).stdout.endswith("every figure agrees\n")
    assert [one["function"] for one in tool.json(capture, "top", "--once")["scopes"]] == ["main", "my_user", "cudaHelper"]


def rebuilt_code_beside_it(source, tool, work):
    """One sentence says which lines come from machine stacks, and only then."""
    program, capture = made(source, work)
    text = p.command(tool.tool, "report", capture.path).stdout
    assert "of machine stacks" not in text and "`calls` are those that the machine stack shows" in text and "inlined are not seen" in text, text
    annotated = p.command(tool.tool, "annotate", work / "app.c", capture.path).stdout
    assert "`calls` are those that the machine stack shows" in annotated and "my_inner(n);" in annotated, annotated
    r = Recorder(source)
    r.modules.append(("/opt/rebuilt", "0.1.0", 3))
    r.native_modules.append((str(program), p.build_id(program)))
    r.enter("exact", "/src/exact.cu", 1)
    r.call(2)
    r.malloc("a", 16)
    begin, call = call_from(program, "my_split")
    r.native_enter(str(program), begin)
    r.native_call(str(program), call)
    r.malloc("b", 32)
    path = work / "b.gmprof"
    path.write_bytes(r.bytes())
    text = p.command(tool.tool, "report", path).stdout
    assert "lines of app that were not rebuilt come from machine stacks; all others are exact" in text, text
    capture.path, capture.pairs = path, [0] * 8
    rows = tool.functions(capture)
    assert "at_least" not in rows["exact"] and rows["my_split"]["at_least"] and rows["exact"]["own_peak_max"] == 48, rows


def running(source, program, *sizes):
    """A program that runs: my_split has allocated blocks of these sizes in one call of it, in main."""
    r = Recorder(source)
    start = int(open("/proc/self/stat", encoding="utf-8").read().rsplit(")", 1)[1].split()[19])
    r.header.update(pid=os.getpid(), pid_start=start)
    r.native_modules.append((str(program), p.build_id(program)))
    r.native_enter(str(program), program_start(program))
    r.native_call(str(program), program_start(program) + 4)
    for name in ("main", "my_split"):
        begin, call = call_from(program, name)
        r.native_enter(str(program), begin)
        r.native_call(str(program), call)
    for i, size in enumerate(sizes):
        r.malloc(f"b{i}", size)
    return r.bytes()


def program_start(program):
    return next(int(line.split()[0], 16) for line in p.command("nm", program).stdout.splitlines() if line.endswith(" _start"))


def a_growing_capture_is_refreshed(source, tool, work):
    """On the screen of `top`: figures are read repeatedly, and have the numbers of recorded nodes. Names are found once: the
    program is gone by then."""
    program, path = p.build(work), work / "a.gmprof"
    path.write_bytes(running(source, program, 64 << 20))
    with Terminal([tool.tool, "top", "--interval", "1h", path], cwd=work) as on:
        on.wait("app.c:22 my_split")
        later = running(source, program, 64 << 20, 128 << 20)
        program.unlink()
        with open(path, "r+b") as file:
            file.write(later)
        on.press("r")
        rows = on.wait("192M")
        lines = [row.split() for row in rows if "app.c:" in row]
        assert [(line[0], line[5], line[-2], line[-1]) for line in lines] == [("192M", "2", "app.c:22", "my_split")], rows
        on.press("F5")
        rows = [row.split() for row in on.wait("main")]
        assert {"app.c:34", "app.c:21"} <= {word for row in rows for word in row}, rows
        assert not any("_start" in row or "0x" in " ".join(row) for row in rows), rows
        on.press("q")
        assert on.ends() == 0


if __name__ == "__main__":
    p.main({test.__name__: test for test in (equal_paths_are_one_row, live_peak_is_known_of_a_single_address, history_agrees,
                                             starts_of_programs_are_no_rows, a_growing_capture_is_refreshed, cuda_runtime_that_is_linked_in, rebuilt_code_beside_it)})
