"""Ways by which memory moves in a call that looks as if nothing could: through the linker, the loader, the libraries and
assembly. `first` is a CUDA call of 1000 bytes, `second` the line behind it, where 5000 bytes move. Either both lines have
what is theirs, or the report counts a loss; `first` never gets the bytes of `second` silently."""
from harness import check

HEAD = """#include <cuda_runtime.h>
static void *took, *kept;
static inline void *take(unsigned long bytes) { void *p = 0; cudaMalloc(&p, bytes); return p; }
"""


def _write(t, name, text):
    path = t.work / name
    path.write_text(HEAD + text + "\n")
    return path


def _line_of(path, word):
    return next(number for number, text in enumerate(path.read_text().splitlines(), 1) if f"/* {word} */" in text)


def _judge(t, capture, main, right):
    report = t.report(capture)
    first, second = ([row["incl_alloc"] for row in report["rows"] if row["line"] == _line_of(main, word) and row["file"] == str(main)]
                     for word in ("first", "second"))
    assert report["conservation"]["ok"], report["conservation"]
    lost = report["losses"]["assumed_wrongly"] + report["losses"]["stale_lines"]
    if right:
        assert (first, second, lost) == ([1000], [5000], 0), (first, second, lost)
    else:
        assert lost, (first, second, report["losses"])


def _programs(t, sources, right, flags=(), link=()):
    """All of them rebuilt, at two levels, with both compilers."""
    paths = [_write(t, name, text) for name, text in sources.items()]
    for llvm, level in (22, "-O0"), (22, "-O2"), (19, "-O1"):
        program = t.build("program", *paths, flags=[level, *flags], llvm=llvm, link=link)
        # A loss is what verify=paths would find as well.
        _judge(t, t.run(program, verify=right)[1], paths[0], right)


def alias_that_the_linker_resolves_elsewhere(t):
    _programs(t, {"main.c": """
static void nothing(void) {}
void hook(void) __attribute__((weak, alias("nothing")));
int main(void) {
  cudaMalloc(&took, 1000); /* first */
  hook(); /* second */
  return 0;
}""", "other.c": "void hook(void) { kept = take(5000); }"}, right=True)


def function_of_a_library_that_the_program_has_as_well(t):
    library = _write(t, "library.c", """
static int level;
__attribute__((noinline)) void hook(void) { level++; }
void work(void) {
  cudaMalloc(&took, 1000); /* first */
  hook(); /* second */
}""")
    main = _write(t, "main.c", """
void work(void);
void hook(void) { kept = take(5000); }
int main(void) { work(); return 0; }""")
    for level in "-O0", "-O2":
        built = t.work / "library.so"
        t.command(t.compiler("c"), level, "-fPIC", "-shared", *t.plugin_flags(), *t.include_flags(), library, "-o", built, *t.link_flags())
        program = t.build("program", main, flags=[level], link=[built, "-rdynamic", f"-Wl,-rpath,{t.work}"])
        _judge(t, t.run(program, verify=False)[1], library, right=False)  # a loss is what it would find


REPLACED = """
#include <new>
#include <cstdlib>
void *operator new(size_t n) { return n == 5000 ? kept = take(n) : malloc(n); }
void operator delete(void *p) noexcept { if (p == kept) cudaFree(p); else free(p); }
void operator delete(void *p, size_t) noexcept { if (p == kept) cudaFree(p); else free(p); }
"""


def operator_new_that_the_library_calls(t):
    _programs(t, {"main.cpp": """
char *volatile text;
int main() {
  cudaMalloc(&took, 1000); /* first */
  text = new char[5000]; /* second */
}""", "other.cpp": REPLACED}, right=False)


def operator_new_behind_a_container(t):
    _programs(t, {"main.cpp": """
#include <new>
#include <vector>
struct Buffer { void *p; Buffer(int n) : p(take(n)) {} };
void *volatile text;
int main() {
  std::vector<Buffer> all;
  all.reserve(1);
  all.emplace_back(1000); /* first */
  text = operator new(5000); /* second */
}""", "other.cpp": REPLACED}, right=False)


def operator_new_that_is_an_alias(t):
    _programs(t, {"main.cpp": """
#include <new>
void *volatile text;
int main() {
  cudaMalloc(&took, 1000); /* first */
  text = operator new(5000); /* second */
}""", "other.cpp": """
#include <cstdlib>
extern "C" void *other_new(size_t n) { return n == 5000 ? kept = take(n) : malloc(n); }
void *operator new(size_t) __attribute__((alias("other_new")));"""}, right=False)


def function_that_the_linker_wraps(t):
    _programs(t, {"main.c": """
#include <stdlib.h>
void *volatile text;
int main(void) {
  cudaMalloc(&took, 1000); /* first */
  text = malloc(5000); /* second */
  return 0;
}""", "other.c": """
void *__real_malloc(unsigned long n);
void *__wrap_malloc(unsigned long n) { return n == 5000 ? kept = take(n) : __real_malloc(n); }"""}, right=False,
              flags=["-fno-builtin-malloc"], link=["-Wl,--wrap=malloc"])


def callback_of_a_stream(t):
    _programs(t, {"main.cpp": """
#include <sstream>
static void called(std::ios_base::event e, std::ios_base &, int) { if (e == std::ios_base::imbue_event) kept = take(5000); }
int main() {
  std::ostringstream text;
  text.register_callback(called, 0);
  cudaMalloc(&took, 1000); /* first */
  text.imbue(std::locale::classic()); /* second */
}"""}, right=True)


def manipulator_of_a_stream_with_traits_of_its_own(t):
    _programs(t, {"main.cpp": """
#include <sstream>
struct Traits : std::char_traits<char> {};
using Stream = std::basic_ostream<char, Traits>;
static Stream &note(Stream &s) { kept = take(5000); return s; }
int main() {
  std::basic_ostringstream<char, Traits> text;
  cudaMalloc(&took, 1000); /* first */
  text << note; /* second */
}"""}, right=True)


def call_in_assembly(t):
    _programs(t, {"main.c": """
__attribute__((used, noinline)) void hidden(void) { kept = take(5000); }
int main(void) {
  cudaMalloc(&took, 1000); /* first */
  __asm__ volatile("sub $128, %%rsp; mov %%rsp, %%rbx; and $-16, %%rsp; call hidden; mov %%rbx, %%rsp; add $128, %%rsp" ::: "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory"); /* second */
  return 0;
}"""}, right=True, flags=["-fno-omit-frame-pointer"])


def function_of_nothing_but_assembly(t):
    _programs(t, {"main.c": """
__attribute__((used, noinline)) void hidden(void) { kept = take(5000); }
__attribute__((naked, noinline)) void leads(void) { __asm__("jmp hidden"); }
int main(void) {
  cudaMalloc(&took, 1000); /* first */
  leads(); /* second */
  return 0;
}"""}, right=True)


def handler_of_fork(t):
    _programs(t, {"main.c": """
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static void prepares(void) { kept = take(5000); }
int main(void) {
  pthread_atfork(prepares, 0, 0);
  cudaMalloc(&took, 1000); /* first */
  int child = fork(); /* second */
  if (!child) _exit(0);
  return waitpid(child, 0, 0) != child;
}"""}, right=True)


def task_that_runs_at_the_end_of_a_reduction(t):
    t.need_openmp()
    main = _write(t, "main.c", """
#include <omp.h>
#include <unistd.h>
static void *part[8], *own[2];
int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2)
  {
    cudaMalloc(&own[omp_get_thread_num()], 1000); /* first */
    if (!omp_get_thread_num())
      for (int i = 0; i < 8; i++)
#pragma omp task
      { usleep(10000); cudaMalloc(&part[i], 5000); }
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 10; i++) sum += i;
  }
  return sum != 45;
}""")
    for level in "-O0", "-O2":
        program = t.build("program", main, flags=["-fopenmp", level])
        report = t.report(t.run(program, verify=False)[1])  # tasks run below the region's line, which the machine is not at
        first = [row for row in report["rows"] if row["line"] == _line_of(main, "first")]
        check(first[0], "first", incl_alloc=2 * 1000)
        assert not any(report["losses"].values()), report["losses"]


def own_peak_of_a_line_holds_a_recursion_in_return_position(t):
    main = _write(t, "main.c", """
static void *all[10];
__attribute__((noinline)) void grow(int n) { cudaMalloc(&all[n], 500); if (n) grow(n - 1); }
__attribute__((noinline)) void odd(int n);
__attribute__((noinline)) void even(int n) { cudaMalloc(&all[n], 500); if (n) odd(n - 1); }
__attribute__((noinline)) void odd(int n) { cudaMalloc(&all[n], 500); if (n) even(n - 1); }
static void drop(void) { for (int i = 0; i < 10; i++) cudaFree(all[i]); }
int main(void) {
  cudaMalloc(&took, 1000); /* first */
  grow(9); /* second */
  drop();
  even(9); /* third */
  drop();
  return took == kept;
}""")
    for llvm, level in (22, "-O0"), (22, "-O2"), (19, "-O1"):
        rows = t.report(t.run(t.build("program", main, flags=[level], llvm=llvm))[1])["rows"]
        for word in "second", "third":
            check(next(row for row in rows if row["line"] == _line_of(main, word)), word, incl_alloc=5000, own_peak_max=5000)
