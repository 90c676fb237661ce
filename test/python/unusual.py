"""Programs do with `gpumemprof.lines` what they do without: handlers of signals, full stacks, threads of libraries, tracing."""
from common import on_device

THREADS = """#include <pthread.h>
#include <stddef.h>
int cudaMalloc(void **, size_t);
int cudaFree(void *);
static void *run(void *times) {
  for (size_t i = 0; i < (size_t)times; i++) {
    void *block;
    cudaMalloc(&block, 3000);
    cudaFree(block);
  }
  return NULL;
}
int in_threads(int threads, int times) {
  pthread_t of[16];
  for (int i = 0; i < threads; i++) pthread_create(&of[i], NULL, run, (void *)(size_t)times);
  for (int i = 0; i < threads; i++) pthread_join(of[i], NULL);
  return threads * times;
}
"""


def _runs(t, *words, version="", quiet=True):
    result, _ = on_device(t, "unusual.py", *words, version=version)
    assert result.out == "as it is without gpumemprof\n", result.out
    assert not quiet or "Traceback" not in result.err, result.err


def exceptions_of_signal_handlers_reach_the_program(t):
    _runs(t, "handlers")


def exceptions_of_signal_handlers_in_python_3_9(t):
    _runs(t, "handlers", version="3.9")


def exceptions_of_signal_handlers_in_python_3_13(t):
    _runs(t, "handlers", version="3.13")


def lines_go_on_after_a_full_stack(t):
    _runs(t, "full_stack", quiet=False)  # ctypes prints that it could not call


def lines_go_on_after_a_full_stack_in_python_3_13(t):
    _runs(t, "full_stack", version="3.13", quiet=False)


def threads_of_a_library_do_not_wait_for_python(t):
    source, library = t.work / "threads.c", t.work / "threads.so"
    source.write_text(THREADS)
    t.command("cc", "-shared", "-fPIC", source, "-o", library, f"-L{t.sim}", "-l:libcudart.so.13", "-lpthread")
    _runs(t, "library", str(library))


def trace_functions_that_return_nothing_go_on(t):
    _runs(t, "traced")


def lines_that_overlap_keep_their_filters(t):
    _runs(t, "overlapping")


def a_subinterpreter_is_not_asked(t):
    _runs(t, "subinterpreter", version="3.13")
