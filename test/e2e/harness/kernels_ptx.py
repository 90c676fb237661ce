"""Programs with the kernels of uses_kernels.h, for the simulated device: without device code, whose PTX clang makes beside them."""

ARCH = "sm_90"
PRELUDE = """#define __global__ __attribute__((global))
struct three { int x, y, z; };
#define threadIdx (three{__nvvm_read_ptx_sreg_tid_x(), 0, 0})
#define blockIdx (three{__nvvm_read_ptx_sreg_ctaid_x(), 0, 0})
#define blockDim (three{__nvvm_read_ptx_sreg_ntid_x(), 0, 0})
"""


def build(t, name, source, *flags):
    """Returns the program, and the options of `advise` that name the PTX."""
    program, prelude, ptx = t.work / name, t.work / "kernels.cu", t.work / "kernels.ptx"
    t.plugin()
    t.command(t.compiler("c++"), *t.gpumemprof("flags", "sim").out.split(), "-O2", *flags, t.programs / source, "-o", program)
    prelude.write_text(PRELUDE + f'#include "{t.programs}/cuda/uses_kernels.h"\n')
    t.command(t.compiler("c++"), "--cuda-device-only", "-S", "-nocudainc", "-nocudalib", f"--cuda-gpu-arch={ARCH}",
              "-Wno-unknown-cuda-version", "-O2", prelude, "-o", ptx)
    return program, ["--facts", ptx]
