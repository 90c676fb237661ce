"""Machine stacks that are hard to walk, of programs that gcc built: parts of functions that lie elsewhere, wrong and
missing call frame information, files that were changed after the linker, libraries that were replaced."""
import struct

from harness import check
from not_rebuilt import dryrun, gcc

COLD = """#include <cuda_runtime.h>
#include <stdexcept>
#define NOINLINE __attribute__((noinline))
NOINLINE static void *make(size_t n) { void *p; cudaMalloc(&p, n); return p; }
NOINLINE static void may(int x) { if (x) throw std::runtime_error("x"); }
NOINLINE static void work(int x) {
  void *a = make(100 << 20), *b = nullptr;
  try { may(x); } catch (const std::exception &) { b = make(50 << 20); }
  void *c = make(10 << 20);
  cudaFree(a); cudaFree(b); cudaFree(c);
}
int main(int argc, char **argv) { work(argc); return 0; }
"""


def a_part_of_a_function_that_lies_elsewhere_is_in_its_activation(t):
    """gcc moves what a catch does to work.cold, which has call frame information of its own."""
    program = gcc(t, "cold", COLD, "-g", "-O2", "-fno-optimize-sibling-calls")
    assert "work" in t.command("nm", "-C", program).out and ".cold" in t.command("nm", program).out
    rows = t.rows(dryrun(t, program)[1], "function")
    check(rows["work"], "work", calls=1, own_peak_max=160 << 20, incl_alloc=160 << 20, incl_net=0)


WRONG = """
.globl wrong
wrong:
  .cfi_startproc
  push %rbp
  .cfi_adjust_cfa_offset 8
  mov $TO, %rbp
  call *%rsi
  pop %rbp
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
.section .note.GNU-stack,"",@progbits
"""


def wrong_call_frame_information_leads_nowhere(t):
    """It says that the frame pointer is that of the caller: what it points at is no stack, or not even memory."""
    if t.processor != "x86_64":
        return
    for to in ("0x10", "0x7ffffffff000", "0xdeadbeef000", "0x1234567890abcdef"):
        (t.work / "wrong.S").write_text(WRONG.replace("$TO", f"${to}"))
        t.command("gcc", "-c", t.work / "wrong.S", "-o", t.work / "wrong.o")
        program = gcc(t, "asm", """#include <cuda_runtime.h>
extern "C" void *wrong(size_t, void *(*)(size_t));
__attribute__((noinline)) static void *take(size_t n) { void *p; cudaMalloc(&p, n); __asm__ volatile(""); return p; }
int main() { take(1); wrong(2, take); take(4); return 0; }
""", "-g", "-O0", link=[t.work / "wrong.o"])
        _, capture = dryrun(t, program)
        rows = t.rows(capture, "function")
        assert t.report(capture)["losses"]["unknown_callers"] == 1, t.report(capture)["losses"]
        check(rows["take"], "take", self_alloc=7)
        check(rows["main"], "main", incl_alloc=7)  # it is known by its return address, who called it is not


def _move_program_headers(path):
    """To the end of the file, in a segment of their own, as tools that add a segment do."""
    data = bytearray(path.read_bytes())
    at, = struct.unpack_from("<Q", data, 32)
    count, = struct.unpack_from("<H", data, 56)
    headers = [list(struct.unpack_from("<IIQQQQQQ", data, at + i * 56)) for i in range(count)]
    data += bytes(-len(data) % 4096)
    address = max(h[3] + h[6] for h in headers if h[0] == 1) + 4095 & ~4095
    size = (count + 1) * 56
    headers.append([1, 4, len(data), address, address, size, size, 4096])
    for h in headers:
        if h[0] == 6:
            h[2:7] = len(data), address, address, size, size
    headers.sort(key=lambda h: ({6: 0, 3: 1, 1: 2}.get(h[0], 3), h[3] if h[0] == 1 else 0))
    struct.pack_into("<Q", data, 32, len(data))
    struct.pack_into("<H", data, 56, count + 1)
    path.write_bytes(data + b"".join(struct.pack("<IIQQQQQQ", *h) for h in headers))


def program_headers_may_be_at_the_end_of_the_file(t):
    program = gcc(t, "moved", COLD, "-g", "-O0")
    _move_program_headers(program)
    rows = t.rows(dryrun(t, program)[1], "function")
    check(rows["work"], "work", incl_alloc=160 << 20)
    check(rows["main"], "main", incl_alloc=160 << 20, self_alloc=0)


def a_library_is_replaced_while_the_program_runs(t):
    """Two libraries of one size, loaded at one address: the same return address is left by other rules."""
    for name, size in (("a", 6000000), ("b", 100000)):
        (t.work / f"{name}.c").write_text(f"""#include <cuda_runtime.h>
void *in_library(void) {{ volatile char big[{size}]; void *p; big[0] = 1; cudaMalloc(&p, 1 << 20); big[1] = 1; return p; }}
""")
        t.command("gcc", "-O1", "-g", "-shared", "-fPIC", *t.include_flags(), t.work / f"{name}.c", "-o", t.work / f"{name}.so")
    program = gcc(t, "host", """#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdlib.h>
__attribute__((noinline)) static void one(const char *command, const char *path) {
  if (system(command)) exit(1);
  void *library = dlopen(path, RTLD_NOW);
  if (!library) exit(2);
  ((void *(*)())dlsym(library, "in_library"))();
  dlclose(library);
}
int main(int argc, char **argv) {
  void *p;
  cudaMalloc(&p, 1024);
  for (int i = 0; i < 4; i++) one(argv[1 + i % 2], argv[3]);
  (void)argc;
  return 0;
}
""", "-g", "-O1", link=["-ldl"])
    library = t.work / "library.so"
    copies = [f"cp {t.work}/{name}.so {library}.new && mv {library}.new {library}" for name in "ab"]
    for first in (0, 1):
        _, capture = dryrun(t, program, copies[first], copies[1 - first], library)
        rows = t.rows(capture, "function")
        check(rows["one"], "one", incl_alloc=4 << 20)
        check(rows["main"], "main", incl_alloc=(4 << 20) + 1024)


GCC = """#include <cuda_runtime.h>
#include <setjmp.h>
#define NOINLINE __attribute__((noinline, noclone))
void rebuilt(int leaf);
void outer();
static jmp_buf place;
NOINLINE static void *take(size_t n) { void *p; cudaMalloc(&p, n); __asm__ volatile(""); return p; }
NOINLINE void leaf_throws() { take(300); throw 1; }
NOINLINE void leaf_jumps() { take(300); longjmp(place, 1); }
NOINLINE void leaf_throws_at_once() { throw 1; }
NOINLINE static void after() { take(400); take(500); }
NOINLINE static void catches(int leaf) { try { rebuilt(leaf); } catch (int) { after(); } take(700); }
/* Its bytes after the first are the distance to the sites. */
#define MOVES_A_CONSTANT __asm__ volatile(".byte 0xbe; .long __start_gpumemprof_sites - . - 4" ::: "rsi")
NOINLINE static void catches_beside_a_constant() { void *p; MOVES_A_CONSTANT; try { rebuilt(0); } catch (int) { cudaMalloc(&p, 15); } take(5); }
struct Memory { void *p; Memory() { cudaMalloc(&p, 30); } ~Memory() { cudaFree(p); } };
NOINLINE static void cleans() { Memory m; rebuilt(0); }
NOINLINE static void catches_itself() { void *p; try { cleans(); } catch (int) { cudaMalloc(&p, 20); } take(10); }
NOINLINE static void lands() { if (setjmp(place)) after(); else rebuilt(1); take(700); }
NOINLINE void with_a_large_frame() { volatile char b[20000]; b[0] = 1; rebuilt(2); b[1] = 1; }
NOINLINE static void with_a_larger_frame() { volatile char b[40000]; b[0] = 1; take(80); b[1] = 1; }
int main() {
  for (int i = 0; i < 3; i++) catches(0);
  for (int i = 0; i < 3; i++) lands();
  for (int i = 0; i < 3; i++) catches(2);
  take(60);
  try { outer(); } catch (int) { }
  with_a_larger_frame();
  catches_itself();
  catches_beside_a_constant();
  take(60);
  return 0;
}
"""
REBUILT = """#include <cuda_runtime.h>
void leaf_throws();
void leaf_jumps();
void leaf_throws_at_once();
void with_a_large_frame();
void rebuilt(int leaf) {
  void *p;
  if (leaf < 2) cudaMalloc(&p, 100);
  if (leaf == 0) leaf_throws();
  else if (leaf == 1) leaf_jumps();
  else leaf_throws_at_once();
  cudaFree(p);
}
void outer() { void *p; cudaMalloc(&p, 9); with_a_large_frame(); cudaFree(p); }
"""


def rebuilt_functions_that_were_left_have_ended(t):
    """Code that was not rebuilt catches exceptions and jumps over rebuilt functions, whose frames nobody pops. At their
    places on the stack are other functions soon, by which the walk knows that they have ended. gcc moves handlers and
    what cleans up (`cleans`, `catches_itself`) to parts of their own. Constants are no references to sites."""
    (t.work / "rebuilt.cpp").write_text(REBUILT)
    for level in ("-O0", "-O2"):
        t.command(t.compiler("c++"), *t.plugin_flags(), *t.include_flags(), level, "-g", "-c", t.work / "rebuilt.cpp", "-o",
                  t.work / "rebuilt.o")
        program = gcc(t, "mixed", GCC, "-g", level, "-fno-optimize-sibling-calls", link=[t.work / "rebuilt.o", *t.link_flags()])
        _, capture = dryrun(t, program)
        rows = {name.split("(")[0]: row for name, row in t.rows(capture, "function").items()}
        check(rows["after"], f"after at {level}", incl_alloc=9 * 900, self_alloc=0)
        check(rows["rebuilt"], f"rebuilt at {level}", self_alloc=800, self_freed=0, incl_alloc=8 * 400)
        check(rows["cleans"], f"cleans at {level}", incl_alloc=430, incl_freed=30)
        check(rows["catches_itself"], f"catches_itself at {level}", incl_alloc=460, self_alloc=20)
        check(rows["catches"], f"catches at {level}", incl_alloc=3 * (400 + 900 + 700) + 3 * (900 + 700), self_alloc=0)
        check(rows["catches_beside_a_constant"], f"catches_beside_a_constant at {level}", incl_alloc=420, self_alloc=15)
        check(rows["lands"], f"lands at {level}", incl_alloc=3 * (400 + 900 + 700), self_alloc=0)
        check(rows["with_a_larger_frame"], f"with_a_larger_frame at {level}", incl_alloc=80)
        check(rows["main"], f"main at {level}", incl_alloc=6 * 2000 + 3 * 1600 + 120 + 9 + 80 + 460 + 420)
        assert t.report(capture)["losses"]["stale_frames"] >= 6
