"""Programs that were not rebuilt, built by gcc, under `gpumemprof dryrun`: their functions are scopes, with the figures
of the program's own log of its events."""
import random
import shutil

import repeats
from harness import Skip, check

HEAD = """#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#define NOINLINE __attribute__((noinline, noclone))
#define MOST 64
static __thread int depth, way[MOST];
static __thread FILE *out;
static __thread void *blocks[4096];
static __thread size_t sizes[4096];
static __thread int count;
static void tell(const char *what, size_t size) {
  for (int i = 0; i < depth; i++) fprintf(out, "%d ", way[i]);
  fprintf(out, "%s %zu\\n", what, size);
}
#define AT way[depth - 1] = __LINE__
#define TAKE(size) AT; tell("take", size); sizes[count] = size; cudaMalloc(&blocks[count++], size)
#define GIVE(which) AT; give_back(which)
#define CALL(function) AT; way[depth++] = 0; function(); depth--; __asm__ volatile("")
/* Inlined: the free is the caller's. */
static inline __attribute__((always_inline)) void give_back(int which) {
  if (!count) return;
  int i = which % count;
  tell("give", sizes[i]);
  cudaFree(blocks[i]);
  count--;
  blocks[i] = blocks[count], sizes[i] = sizes[count];
}
"""


class Source:
    """A random program: functions f0 to f7, which call those with higher numbers."""

    def __init__(self, seed, functions=8):
        dice = random.Random(seed)
        self.lines, self.owner = HEAD.splitlines(), {}
        for i in range(functions):
            self.lines.append(f"static void f{i}(void);")
        for i in range(functions):
            self.function(dice, i, functions)
        self.lines.append("NOINLINE static void *run(void *file) { out = (FILE *)file; depth = 1; CALL(f0); return NULL; }")
        self.owner[len(self.lines)] = "run"

    def put(self, line, name):
        self.lines.append(line)
        self.owner[len(self.lines)] = name

    def function(self, dice, i, functions):
        name = f"f{i}"
        self.put(f"NOINLINE static void {name}(void) {{", name)
        for _ in range(dice.randrange(2, 6)):
            what = dice.random()
            loop = f"for (int i = 0; i < {dice.randrange(1, 4)}; i++) {{ " if dice.random() < .3 else "{ "
            if what < .4:
                self.put(f"  {loop}TAKE({dice.randrange(1, 5000)}); }}", name)
            elif what < .6:
                self.put(f"  {loop}GIVE({dice.randrange(1000)}); }}", name)
            elif i + 1 < functions:
                self.put(f"  {loop}CALL(f{dice.randrange(i + 1, functions)}); }}", name)
        self.put("  __asm__ volatile(\"\");", name)
        self.put("}", name)

    def text(self, main):
        return "\n".join(self.lines + main.splitlines()) + "\n"


ONE_THREAD = """int main(int argc, char **argv) { (void)argc; run(fopen(argv[1], "w")); return 0; }
"""
THREADS = """int main(int argc, char **argv) {
  pthread_t id[4];
  for (int i = 0; i < 4; i++) { char name[4096]; snprintf(name, sizeof name, "%s.%d", argv[1], i);
    pthread_create(&id[i], NULL, run, fopen(name, "w")); }
  for (int i = 0; i < 4; i++) pthread_join(id[i], NULL);
  (void)argc; return 0;
}
"""


class Figures:
    """What a report has to say of each function, from the events of threads."""

    def __init__(self, source, logs):
        self.functions = {}
        for log in logs:
            self.open = []  # (function, line of the call in it, net, peak, moved)
            for line in log.read_text().splitlines():
                *way, what, size = line.split()
                self.event([int(at) for at in way], source.owner, int(size) if what == "take" else -int(size))
            self.leave(0)

    def of(self, name):
        return self.functions.setdefault(name, dict(self_alloc=0, incl_alloc=0, incl_net=0, calls=0, own_peak_max=0))

    def leave(self, depth):
        while len(self.open) > depth:
            name, _, net, peak = self.open.pop()
            figures = self.of(name)
            figures["calls"] += 1
            figures["own_peak_max"] = max(figures["own_peak_max"], peak)

    def event(self, way, owner, size):
        """The activations whose callers are where they were stay open."""
        same = 0
        while same < min(len(self.open), len(way)) and self.open[same][0] == owner[way[same]] and (
                same == 0 or self.open[same - 1][1] == way[same - 1]):
            same += 1
        self.leave(same)
        for at in way[same:]:
            self.open.append((owner[at], at, 0, 0))
        for i, at in enumerate(way):
            name, _, net, peak = self.open[i]
            self.open[i] = (name, at, net + size, max(peak, net + size))
        for name in {owner[at] for at in way}:
            figures = self.of(name)
            figures["incl_net"] += size
            figures["incl_alloc"] += max(size, 0)
        self.of(owner[way[-1]])["self_alloc"] += max(size, 0)


def gcc(t, name, text, *flags, link=(), compiler="gcc", cudart=("-l:libcudart.so.13",)):
    if not shutil.which(compiler):
        raise Skip(f"needs {compiler}")
    source, program = t.work / (name + ".cpp"), t.work / name
    source.write_text(text)
    t.command(compiler, "-x", "c++", *flags, *t.include_flags(), source, "-x", "none", "-o", program, "-lstdc++", "-pthread",
              "-L", t.sim, *cudart, *link)
    return program


def dryrun(t, program, *arguments, capture="run.gmprof", options="", **more):
    path = t.work / capture
    path.unlink(missing_ok=True)
    result = t.gpumemprof("dryrun", program, *arguments, env={"GPUMEMPROF_OPTIONS": f"output={path}:quiet=1:{options}"}, **more)
    return result, path


def compare(t, capture, figures, exact):
    """exact: no code was copied, so that each line is one address."""
    report = t.report(capture, "function")
    assert report["conservation"]["ok"] and not any(report["losses"].values()), report["losses"]
    rows = {row["function"]: row for row in report["rows"]}
    for name, expected in figures.functions.items():
        if exact:
            check(rows[name], name, **expected)
        else:
            check(rows[name], name, **{key: expected[key] for key in ("incl_alloc", "incl_net")})
    noise = {name for name in rows if name.startswith("_") or "libc" in name or " via " in name}
    assert not noise, noise


def functions_have_the_figures_of_the_programs_own_log(t):
    for seed in repeats.seeds(0, 6, 2):
        source = Source(seed)
        for level in ("-O0", "-O0 -fomit-frame-pointer", "-O0 -fno-asynchronous-unwind-tables -fno-exceptions", "-O1", "-O2", "-O3 -fno-omit-frame-pointer", "-O2 -mavx2 -mstackrealign"):
            program = gcc(t, "one", source.text(ONE_THREAD), "-g", *level.split())
            log = t.work / "log"
            _, capture = dryrun(t, program, log, options="history=all")
            compare(t, capture, Figures(source, [log]), exact="-O0" in level)
            replayed = t.gpumemprof("events", "--replay", capture).out
            assert "every figure agrees" in replayed, replayed


def a_runtime_api_in_the_program_is_no_part_of_a_path(t):
    """As nvcc links it. Each call of the program's own log is the innermost one, with symbols and without."""
    archive = t.work.parent.parent / "test/e2e/libcudart_static.a"
    source = Source(5)
    program = gcc(t, "static", source.text(THREADS), "-g", "-O0", cudart=(archive, "-l:libcuda.so.1"))
    log = t.work / "log"
    _, capture = dryrun(t, program, log)
    compare(t, capture, Figures(source, [t.work / f"log.{i}" for i in range(4)]), exact=True)
    rows = t.rows(capture, "function")
    assert set(rows) <= {"main", "run", "give_back", *source.owner.values()}, rows.keys()
    figures = Figures(source, [t.work / f"log.{i}" for i in range(4)]).functions
    for name, expected in figures.items():
        check(rows[name], name, self_alloc=expected["self_alloc"])
    lines = [row for row in t.report(capture)["rows"] if row["self_alloc"]]
    assert len(lines) > 5 and all(row["live_peak"] is not None for row in lines), lines # an address of the program each
    t.command("strip", program)
    _, capture = dryrun(t, program, log)
    assert sorted(row["self_alloc"] for row in t.rows(capture, "function").values() if row["self_alloc"]) == sorted(
        one["self_alloc"] for one in figures.values() if one["self_alloc"])


def threads_have_stacks_of_their_own(t):
    source = Source(77)
    program = gcc(t, "threads", source.text(THREADS), "-g", "-O0")
    log = t.work / "log"
    _, capture = dryrun(t, program, log)
    compare(t, capture, Figures(source, [t.work / f"log.{i}" for i in range(4)]), exact=True)


def rebuilt_parts_are_exact_and_others_come_from_the_stack(t):
    """main (gcc) > part (gcc) > rebuilt > callback (gcc): one report with one path."""
    (t.work / "rebuilt.cpp").write_text("""#include <cuda_runtime.h>
void *rebuilt(void *(*callback)()) { void *p; cudaMalloc(&p, 1 << 20); void *q = callback(); cudaFree(p); return q; }
""")
    t.command(t.compiler("c++"), *t.plugin_flags(), *t.include_flags(), "-O2", "-c", t.work / "rebuilt.cpp", "-o", t.work / "rebuilt.o")
    program = gcc(t, "mixed", """#include <cuda_runtime.h>
#define NOINLINE __attribute__((noinline, noclone))
void *rebuilt(void *(*callback)());
NOINLINE static void *callback() { void *p; cudaMalloc(&p, 1 << 10); __asm__ volatile(""); return p; }
NOINLINE static void part(int twice) {
  for (int i = 0; i <= twice; i++) { void *p = rebuilt(callback); cudaFree(p); }
}
int main() { void *p; cudaMalloc(&p, 4096); part(0); part(1); cudaFree(p); return 0; }
""", "-g", "-O1", link=[t.work / "rebuilt.o", *t.link_flags()])
    _, capture = dryrun(t, program)
    rows = t.rows(capture, "function")
    check(rows["rebuilt(void* (*)())" if "rebuilt(void* (*)())" in rows else "rebuilt"], "rebuilt", self_alloc=3 << 20,
          incl_alloc=(3 << 20) + (3 << 10), calls=3, own_peak_max=(1 << 20) + (1 << 10))
    check(rows["callback"], "callback", self_alloc=3 << 10, calls=3)
    check(rows["part"], "part", self_alloc=0, incl_alloc=(3 << 20) + (3 << 10), incl_net=0, calls=2,
          own_peak_max=(1 << 20) + (1 << 10))
    check(rows["main"], "main", self_alloc=4096, incl_alloc=(3 << 20) + (3 << 10) + 4096, incl_net=0, calls=1)
    paths = [str(row) for row in t.report(capture, "path")["rows"]]
    assert any(all(name in path for name in ("main", "part", "rebuilt", "callback")) for path in paths), paths


STORIES = """#include <cuda_runtime.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdexcept>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#define NOINLINE __attribute__((noinline, noclone))
static void *keep[64];
static int kept;
NOINLINE static void take(size_t n) { cudaMalloc(&keep[kept++], n); __asm__ volatile(""); }
NOINLINE static void thrower() { take(1000); throw std::runtime_error("x"); }
NOINLINE static void catcher() { try { thrower(); } catch (std::exception &) { take(2000); } }
static jmp_buf place;
NOINLINE static void jumper() { take(3000); longjmp(place, 1); }
NOINLINE static void landing() { if (!setjmp(place)) jumper(); take(4000); }
static void handler(int) { take(5000); }
NOINLINE static void raiser() { raise(SIGUSR1); take(6000); }
NOINLINE static void deep(int n) { if (n) deep(n - 1); else take(7000); __asm__ volatile(""); }
NOINLINE static void forker() { if (pid_t id = fork()) { int s; waitpid(id, &s, 0); take(8000); } else { take(9000); exit(0); } }
NOINLINE static void loader(const char *path) {
  for (int i = 0; i < 3; i++) {
    void *library = dlopen(path, RTLD_NOW);
    if (!library) { puts(dlerror()); exit(3); }
    ((void (*)(void (*)(size_t)))dlsym(library, "in_library"))(take);
    dlclose(library);
  }
}
static char other_stack[1 << 16];
int main(int argc, char **argv) {
  signal(SIGUSR1, handler);
  catcher();
  landing();
  raiser();
  stack_t s = {other_stack, 0, sizeof other_stack};
  sigaltstack(&s, NULL);
  struct sigaction a;
  memset(&a, 0, sizeof a);
  a.sa_handler = handler;
  a.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &a, NULL);
  raiser();
  deep(atoi(argv[1]));
  loader(argv[2]);
  forker();
  (void)argc;
  return 0;
}
"""
LIBRARY = """#include <stddef.h>
extern "C" void in_library(void (*take)(size_t)) { take(BYTES); __asm__ volatile(""); }
"""


def stories(t, *flags):
    program = gcc(t, "stories", STORIES, *flags, link=["-ldl"])
    (t.work / "library.cpp").write_text(LIBRARY)
    t.command("gcc", "-shared", "-fPIC", "-x", "c++", "-DBYTES=500", *flags, t.work / "library.cpp", "-o", t.work / "library.so")
    return program


def _parents(t):
    """The capture of the process that allocated most, its child being the other."""
    return max(t.work.glob("*.gmprof"), key=lambda path: sum(row["self_alloc"] for row in t.report(path)["rows"]))


def exceptions_jumps_signals_forks_and_libraries_that_are_closed(t):
    program = stories(t, "-g", "-O1")
    folder = t.work / "captures"
    folder.mkdir()
    result = t.gpumemprof("dryrun", program, 100, t.work / "library.so", env={"GPUMEMPROF_OPTIONS": f"output={folder}/%p.gmprof:quiet=1"})
    captures = [(t.rows(path, "function"), path) for path in folder.glob("*.gmprof")]
    assert len(captures) == 2, (captures, result.err)
    (parent, path), (child, child_path) = sorted(captures, key=lambda one: "main" not in one[0] or -one[0]["main"]["incl_alloc"])
    for name, taken in dict(catcher=3000, thrower=1000, landing=7000, jumper=3000, raiser=22000, handler=10000, deep=7000,
                            loader=1500, in_library=1500, forker=8000).items():
        check(parent[name], name, incl_alloc=taken, self_alloc=0)
    total = 3000 + 7000 + 22000 + 7000 + 1500 + 8000
    check(parent["main"], "main", incl_alloc=total, calls=1)
    check(parent["take"], "take", self_alloc=total)
    check(child["forker"], "forker", incl_alloc=9000)
    check(child["take"], "take", self_alloc=9000)
    for one in path, child_path:
        report = t.report(one)
        assert report["conservation"]["ok"] and not any(report["losses"].values()), report["losses"]


def deeper_stacks_than_there_is_room_for_keep_their_outer_end(t):
    program = stories(t, "-g", "-O1")
    dryrun(t, program, 30000, t.work / "library.so", options="stack=1000", capture="%p.gmprof")
    rows = t.rows(_parents(t), "function")
    check(rows["deep"], "deep", incl_alloc=7000, self_alloc=7000)
    assert t.report(_parents(t))["losses"]["frames_beyond_stack"] > 0


def without_debug_information_functions_are_named_and_without_symbols_addresses(t):
    program = stories(t, "-O1")
    dryrun(t, program, 1, t.work / "library.so", capture="%p.gmprof")
    main = _parents(t)
    check(t.rows(main, "function")["deep"], "deep", incl_alloc=7000)
    said = t.gpumemprof("report", main)
    assert "no debug information" in said.out + said.err, said.out + said.err
    for path in t.work.glob("*.gmprof"):
        path.unlink()
    t.command("strip", program)
    dryrun(t, program, 1, t.work / "library.so", capture="%p.gmprof")
    main = _parents(t)
    rows = t.report(main, "function")["rows"]
    assert not any(row["function"] == "deep" for row in rows), rows
    assert any(row["incl_alloc"] == 7000 and " in stories" in row["function"] for row in rows), rows


def streams_and_pools_of_the_program(t):
    """A pool has the line that made it; nothing waits for itself."""
    program = gcc(t, "pools", """#include <cuda_runtime.h>
#include <string.h>
int main() {
  cudaMemPool_t pool;
  cudaMemPoolProps props;
  memset(&props, 0, sizeof props);
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  cudaMemPoolCreate(&pool, &props);
  void *p, *q;
  cudaMallocFromPoolAsync(&p, 1 << 20, pool, 0);
  cudaMallocAsync(&q, 1 << 10, 0);
  cudaFreeAsync(p, 0);
  cudaFree(q);
  cudaMemPoolDestroy(pool);
  return 0;
}
""", "-g", "-O0")
    result, capture = dryrun(t, program, timeout=4)
    assert "gpumemprof: " not in result.err, result.err
    check(t.rows(capture, "function")["main"], "main", self_alloc=(1 << 20) + (1 << 10), incl_net=0)
    assert "pools.cpp:9" in t.gpumemprof("pools", capture).out, t.gpumemprof("pools", capture).out


def functions_that_are_found_by_name_are_no_part_of_a_path(t):
    """The runtime gives the program its own function, which calls CUDA's."""
    program = gcc(t, "found", """#include <cuda_runtime.h>
typedef cudaError_t (*take)(void **, size_t);
int main() {
  void *p, *function;
  cudaDriverEntryPointQueryResult found;
  cudaGetDriverEntryPointByVersion("cuMemAlloc", &function, 12000, 0, &found);
  cudaFree(0);
  ((take)function)(&p, 4096);
  return 0;
}
""", "-g", "-O0")
    _, capture = dryrun(t, program)
    rows = t.rows(capture, "function")
    assert set(rows) == {"main"}, rows.keys()
    check(rows["main"], "main", self_alloc=4096)


def a_rebuilt_program_with_a_runtime_elsewhere_is_recorded_once(t):
    """The variable names the file that the program has loaded, not that of the tool."""
    other = t.work / "other"
    other.mkdir()
    shutil.copy(t.runtime, other / t.loaded_runtime().name)
    (t.work / "rebuilt.cpp").write_text("""#include <cuda_runtime.h>
void *closed(size_t n);
int main() { void *p; cudaMalloc(&p, 1000); closed(500); return 0; }
""")
    gcc(t, "libclosed.so", """#include <cuda_runtime.h>
void *closed(size_t n) { void *p; cudaMalloc(&p, n); return p; }
""", "-g", "-shared", "-fPIC")
    program = t.work / "rebuilt"
    t.command(t.compiler("c++"), *t.plugin_flags(), *t.include_flags(), t.work / "rebuilt.cpp", "-o", program, t.work / "libclosed.so",
              f"-Wl,-rpath,{t.work}", f"-Wl,-rpath,{other}", other / t.loaded_runtime().name, *t.link_flags(runtime=False))
    result, capture = dryrun(t, program)
    assert "copies" not in result.err, result.err
    rows = t.rows(capture, "function")
    check(rows["main"], "main", self_alloc=1000, incl_alloc=1500)
    assert any("closed" in name and row["self_alloc"] == 500 for name, row in rows.items()), rows.keys()


def _injected(t, program, capture="run.gmprof"):
    """CUDA loads the runtime, without `gpumemprof run`, which would add names to the capture."""
    path = t.work / capture
    path.unlink(missing_ok=True)
    t.command(program, env={"GPUMEMPROF_OPTIONS": f"output={path}:quiet=1", "LD_LIBRARY_PATH": str(t.sim),
                            "CUDA_INJECTION64_PATH": str(t.runtime)})
    return path


def _build(t, size, *flags, above=""):
    return gcc(t, "built", f"""#include <cuda_runtime.h>
{above}int main() {{ void *p; cudaMalloc(&p, {size}); return 0; }}
""", "-g", "-O0", *flags)


def lines_of_a_build_that_is_gone_are_not_compared(t):
    """Names are found in the file that ran. After another build at its place they are gone, and no line is to blame."""
    for build_id in ("-Wl,--build-id", "-Wl,--build-id=none"):
        captures = []
        for i, size in enumerate((1 << 20, 2 << 20)):
            captures.append(_injected(t, _build(t, size, build_id), f"{i}.gmprof"))
        said = t.gpumemprof("diff", *captures).out
        assert said.startswith("B needs 1.00 MiB more at its peak; its lines cannot be compared,\nbecause built of A is gone"), said
        said = t.gpumemprof("check", "--against", captures[0], captures[1], status=1).out
        assert "not decided: 2 of 4 limits: the program of the base was replaced" in said and "does not have" not in said, said
        assert "grew most" not in said, said
        said = t.gpumemprof("diff", captures[0], captures[0]).out  # of one build: by the same addresses
        assert "cannot be compared" not in said, said


def run_keeps_the_names_of_a_program_that_is_rebuilt(t):
    """Also without a build-id, and of a program that was killed; the checksum of the capture holds."""
    for build_id in ("-Wl,--build-id", "-Wl,--build-id=none"):
        captures = []
        for i, size in enumerate((1 << 20, 2 << 20)):
            captures.append(dryrun(t, _build(t, size, build_id, above="\n" * i), capture=f"{i}.gmprof")[1])
        said = t.gpumemprof("diff", *captures)
        assert said.out.startswith("B needs 1.00 MiB more at its peak: built.cpp:3 main grew by 1.00 MiB"), said.out
        before = t.rows(captures[0], "line")
        (t.work / "built").unlink()
        report = t.gpumemprof("report", captures[0])
        assert "built.cpp:2 main" in report.out and not report.err, (report.out, report.err)
        assert t.rows(captures[0], "line") == before
        data = bytearray(captures[0].read_bytes())
        data[data.index(b"built.cpp\0")] ^= 1  # the checksum covers what was added
        (t.work / "damaged.gmprof").write_bytes(data)
        said = t.gpumemprof("report", t.work / "damaged.gmprof", status=2).err
        assert "a checksum differs" in said, said
    killed = gcc(t, "killed", """#include <cuda_runtime.h>
#include <signal.h>
int main() { void *p; cudaMalloc(&p, 1 << 20); raise(SIGKILL); }
""", "-g", "-O0")
    capture = dryrun(t, killed, status=137)[1]
    killed.unlink()
    said = t.gpumemprof("report", capture)
    assert "killed.cpp:3 main" in said.out and "not on this machine" not in said.err, (said.out, said.err)


def a_file_without_a_build_id_that_was_put_in_its_place_is_not_taken_for_it(t):
    """Not even one that was changed before the run."""
    other = _build(t, 4096, "-Wl,--build-id=none", above="\n\n").rename(t.work / "other")
    capture = _injected(t, _build(t, 4096, "-Wl,--build-id=none"))
    assert "built.cpp:2 main" in t.gpumemprof("report", capture).out
    other.rename(t.work / "built")
    said = t.gpumemprof("report", capture)
    assert "built.cpp:" not in said.out and "has no build-id, and was changed or put there after" in " ".join(said.err.split()), (said.out, said.err)
