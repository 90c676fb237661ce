"""advised.py - a run that says which operations used which memory, for the pages of advice.mjs: GPU 0 has a late free, memory that may be used and memory
that is not judged; GPU 1 a leak; GPU 2 changes that help only together."""
import os
import shutil

TEXT = """int main() {
  cudaMalloc(&early, 6 << 20);
  cudaMalloc(&weights, 8 << 20);
  cudaMemcpy(weights, host, 8 << 20, cudaMemcpyHostToDevice);
  step<<<1, 1>>>(weights);
  cudaMalloc(&list, 1 << 20);
  keep<<<1, 1>>>(list);
  cudaMallocManaged(&shared, 2 << 20);
  cudaMalloc(&scratch, 12 << 20);
  step<<<1, 1>>>(scratch);
  cudaFree(scratch);
  step<<<1, 1>>>(early);
  cudaFree(weights);
  walk<<<1, 1>>>(list);
  step<<<1, 1>>>(early);
  cudaFree(early);
  cudaFree(list);
  cudaFree(shared);
  cudaSetDevice(1);
  cudaMalloc(&first, 4 << 20);
  step<<<1, 1>>>(first);
  cudaMalloc(&second, 4 << 20);
  step<<<1, 1>>>(second);
  cudaFree(second);
  cudaSetDevice(2);
  cudaMalloc(&a, 4 << 20);
  step<<<1, 1>>>(a);
  cudaMalloc(&b, 4 << 20);
  step<<<1, 1>>>(b);
  cudaFree(a);
  cudaFree(b);
  cudaMalloc(&c, 4 << 20);
  step<<<1, 1>>>(c);
  cudaMalloc(&d, 4 << 20);
  step<<<1, 1>>>(d);
  cudaFree(c);
  cudaFree(d);
}
"""

HEAD = """
    program ./advised
    history
    device 0 "NVIDIA H200" 141GiB
    device 1 "NVIDIA H200" 141GiB
    device 2 "NVIDIA H200" 141GiB
    module {ptx} 1 1
    kernel {step} _Z4stepPf p
    kernel keep _Z4keepPf p
    kernel walk _Z4walkPf p
    enter main {source} 1
"""

RUN = """
    call 2 variable=early
    malloc early 6MiB
    call 3 variable={weights}
    malloc weights 8MiB
    call 4
    copy weights 8MiB host
    call 5
    launch {step} weights
    call 6 variable=list
    malloc list 1MiB
    call 7
    launch keep list
    call 8 variable=shared
    malloc shared 2MiB managed
    call 9 variable=scratch
    malloc scratch 12MiB
    call 10
    launch {step} scratch
    pages scratch r1@4 w2@4 b1@5 -1000 r2068@5
    call 11
    free scratch
    call 12
    launch {step} early
    pages weights b512@2 -1024 r512@4
    call 13
    free weights
    call 14
    launch walk list
    call 15
    launch {step} early
    pages early unseen w512@6 -1024
    call 16
    free early
    call 17
    free list
    call 18
    free shared
    call 20 variable=first
    malloc first 4MiB device device=1
    call 21
    launch {step} first
    call 22 variable=second
    malloc second 4MiB device device=1
    call 23
    launch {step} second
    call 24
    free second
"""


def blocks(line, one, other):
    return f"""
    call {line} variable={one}
    malloc {one} 4MiB device device=2
    call {line + 1}
    launch {{step}} {one}
    call {line + 2} variable={other}
    malloc {other} 4MiB device device=2
    call {line + 3}
    launch {{step}} {other}
    call {line + 4}
    free {one}
    call {line + 5}
    free {other}
"""


def run(t, name, recorded, step="step", weights="weights"):
    """The text of a capture, and its source and the PTX of its kernels as files that are older than the recording."""
    source, ptx = t.path(f"{name}.cu"), t.path("kernels.ptx")
    shutil.copyfile(os.path.join(t.source, "test/tools/lit/Inputs/kernels.ptx"), ptx)
    with open(source, "w", encoding="utf-8") as out:
        out.write(TEXT)
    for path in (source, ptx):
        os.utime(path, (recorded - 60, recorded - 60))
    text = HEAD + RUN + blocks(26, "a", "b") + blocks(32, "c", "d") + "leave\nend complete\n"
    return text.format(ptx=ptx, source=source, step=step, weights=weights)
