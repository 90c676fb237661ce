"""Operations that use memory (uses=on): each is listed with the values that the program passed, in any order, and with its kernel."""
import json

HEADER = """#pragma once
namespace cub { namespace CUB_300001_SM_900 {
template <class T> __global__ void each(T *to, int n) { if (n) *to = 1; }
template <class T> void for_each(T *to, int n) {
  void *arguments[] = {&to, &n};
  cudaLaunchKernel((const void *)&each<T>, dim3(1), dim3(1), arguments, 0, 0);
}
} using namespace CUB_300001_SM_900; }
"""
PROGRAM = """#include <cuda_runtime.h>
#include <cstdio>
#include <library.h>
int main() { float *p; cudaMalloc(&p, 64); cub::for_each(p, 0); printf("%zu", (size_t)p); cudaFree(p); }
"""
# Each copy has one address, and those of the blocks that it may be meant to lead into.
BESIDE = """#include <cuda_runtime.h>
#include <cstdio>
static char *to;
static void copy(char *address, char *one, char *other) {
  cudaMemcpy(to, &address, sizeof address, cudaMemcpyHostToDevice);
  printf("%zu %zu\\n", (size_t)one, (size_t)other);
}
int main() {
  char *first, *adjacent, *small, *odd;
  cudaMalloc(&first, 1024);
  cudaMalloc(&adjacent, 1024);
  cudaMalloc(&small, 16);
  cudaMalloc(&odd, 1000);
  cudaMalloc(&to, 64);
  copy(first - 4, first, nullptr);
  copy(first - 256, first, nullptr);
  copy(first - 260, nullptr, nullptr);
  copy(first, first, nullptr);
  copy(first + 700, first, nullptr);
  copy(first + 1020, first, adjacent);
  copy(adjacent, adjacent, first);
  copy(adjacent + 1020, adjacent, small);
  copy(small + 16, small, nullptr);
  copy(small + 300, odd, nullptr);
  copy(odd + 1000, odd, to);
  copy(to + 64, to, nullptr);
}
"""


def values_are_those_that_were_passed(t):
    program = t.work / "random"
    t.plugin()
    t.command(t.compiler("c++"), *t.gpumemprof("flags", "sim").out.split(), "-O2", t.programs / "cuda/uses_random.cu", "-o", program)
    for seed in ("1", "2", "3"):
        capture = t.work / f"{seed}.gmprof"
        done = t.gpumemprof("dryrun", program, seed, env={"GPUMEMPROF_OPTIONS": f"history=all:uses=on:output={capture}:quiet=1"})
        expected = [(kind, *map(int, values)) for kind, *values in map(str.split, done.out.splitlines())]
        assert len(expected) > 1000, done.out
        listed = json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]
        found = [(e["event"], *(int(v["value"]) for v in e["values"])) for e in listed if "values" in e]
        wrong = next((i for i, (a, b) in enumerate(zip(found, expected)) if a != b), None)
        assert found == expected, (seed, wrong, len(found), len(expected), found[wrong or 0], expected[wrong or 0])


def _kernels_of_system_headers(t, *compiler):
    """Thrust and CUB are system headers, and launch what they instantiate by its address."""
    headers, source, program, capture = (t.work / name for name in ("headers", "program.cu", "program", "library.gmprof"))
    headers.mkdir()
    (headers / "library.h").write_text(HEADER)
    source.write_text(PROGRAM)
    t.command(*compiler, "-O2", "-isystem", headers, source, "-o", program)
    done = t.gpumemprof("dryrun", program, env={"GPUMEMPROF_OPTIONS": f"history=all:uses=on:output={capture}:quiet=1"})
    used = [e for e in json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"] if "values" in e]
    assert [(e["event"], e["kernel"], [str(v["value"]) for v in e["values"]]) for e in used] == [("launched", "cub::each<float>", [done.out])], used


def kernels_of_system_headers_are_known(t):
    t.plugin()
    _kernels_of_system_headers(t, t.compiler("c++"), *t.gpumemprof("flags", "sim").out.split())


def kernels_of_system_headers_are_known_by_nvcc(t):
    t.need_toolkit()
    t.plugin()
    _kernels_of_system_headers(t, f"{t.cuda}/bin/nvcc", *t.gpumemprof("flags", "nvcc").out.split(), "-arch=sm_90", "-cudart", "shared", "-Xlinker", f"-rpath={t.sim}")


def addresses_in_copies_may_be_beside_a_block(t):
    """One behind the end, as with reverse iterators, and a little before the beginning, as with arrays that count from 1."""
    source, program, capture = (t.work / name for name in ("beside.cu", "beside", "beside.gmprof"))
    source.write_text(BESIDE)
    t.plugin()
    t.command(t.compiler("c++"), *t.gpumemprof("flags", "sim").out.split(), source, "-o", program)
    done = t.gpumemprof("dryrun", program, env={"GPUMEMPROF_OPTIONS": f"history=all:uses=on:output={capture}:quiet=1"})
    expected = [{int(value) for value in line.split()} - {0} for line in done.out.splitlines()]
    listed = json.loads(t.gpumemprof("events", "--format", "json", capture).out)["events"]
    found, stored = [], set()
    for e in listed:
        if e["event"] == "addresses stored":
            stored = {int(v["value"]) for v in e["values"]} - {0}
        elif e["event"] == "copied":
            found, stored = [*found, stored], set()
    assert found == expected, "\n".join(map(str, zip(found, expected)))
