"""host_kernels.py - makes a library of kernels that the simulated device runs (GPUMEMPROF_SIM_OPTIONS=kernels=FILE).

clang compiles the kernels for a GPU, with the plugin or without. What it makes is IR for that device; with another
target, functions in place of the device's registers, and a table of its kernels, it is compiled for the host. So the
code that runs is what the plugin made for the device. Threads run one after the other: no barriers, one lane a warp."""
import re

REGISTERS = ["tid", "ctaid", "ntid", "nctaid"]
PRELUDE = """#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
struct gpm_three { int x, y, z; };
#define threadIdx (gpm_three{__nvvm_read_ptx_sreg_tid_x(), __nvvm_read_ptx_sreg_tid_y(), __nvvm_read_ptx_sreg_tid_z()})
#define blockIdx (gpm_three{__nvvm_read_ptx_sreg_ctaid_x(), __nvvm_read_ptx_sreg_ctaid_y(), __nvvm_read_ptx_sreg_ctaid_z()})
#define blockDim (gpm_three{__nvvm_read_ptx_sreg_ntid_x(), __nvvm_read_ptx_sreg_ntid_y(), __nvvm_read_ptx_sreg_ntid_z()})
#define gridDim (gpm_three{__nvvm_read_ptx_sreg_nctaid_x(), __nvvm_read_ptx_sreg_nctaid_y(), __nvvm_read_ptx_sreg_nctaid_z()})
"""
TYPES = {"ptr": "void *", "i32": "int", "i64": "long", "float": "float", "double": "double"}


def _wrapper(ir):
    """C that calls each kernel of the IR with the parameters of a launch, once for each thread."""
    text = ["#include <gpumemprof_host_kernels.h>", "#include <string.h>"]
    for name in REGISTERS:
        for axis in range(3):
            text.append(f"static _Thread_local unsigned {name}_{axis}; int gpm_{name}_{'xyz'[axis]}(void) {{ return (int){name}_{axis}; }}")
    text.append("unsigned gpm_activemask(void) { return 1; } unsigned gpm_laneid(void) { return 0; } unsigned gpm_below(void) { return 0; }")
    text.append("unsigned gpm_match(unsigned mask, unsigned long value) { (void)value; return mask; }")
    text.append("void gpm_leave(unsigned mask) { (void)mask; }")
    text.append("unsigned gpm_lane_before(unsigned mask, unsigned value, unsigned by, unsigned clamp) { (void)mask, (void)by, (void)clamp; return value; }")
    for name in ("least", "most"):
        text.append(f"unsigned gpm_{name}(unsigned value, unsigned mask) {{ (void)mask; return value; }}")
    calls = []
    for name, parameters in re.findall(r"^define .*?ptx_kernel .*?@([\w.$]+)\((.*?)\) [^)]*{$", ir, re.M):
        types = [TYPES[re.match(r"\S+", p).group()] for p in parameters.split(", ")]
        text.append(f"void {name}({', '.join(types)});")
        calls.append(f'  if (!strcmp(name, "{name}")) {{ EACH({name}({", ".join(f"*({t} *)arguments[{i}]" for i, t in enumerate(types))})); return 1; }}')
    loops = "".join(f"for ({name}_{axis} = 0; {name}_{axis} < {limit}[{axis}]; {name}_{axis}++) "
                    for name, limit in (("ctaid", "grid"), ("tid", "block")) for axis in range(3))
    sizes = "".join(f"ntid_{axis} = block[{axis}]; nctaid_{axis} = grid[{axis}]; " for axis in range(3))
    text += [f"#define EACH(call) {{ {sizes} {loops} call; }}",
             "int gpumemprof_sim_kernel(const char *name, void **arguments, const unsigned grid[3], const unsigned block[3]) {",
             *calls, "  return 0;", "}"]
    assert calls, "no kernel in the IR"
    return "\n".join(text) + "\n"


def _for_host(ir):
    """The IR of a device as IR of this machine."""
    ir = re.sub(r"^target (datalayout|triple) = .*\n", "", ir, flags=re.M)
    ir = re.sub(r' "target-(cpu|features)"="[^"]*"', "", ir).replace(" ptx_kernel ", " ")
    for name in REGISTERS:
        ir = re.sub(rf"@llvm\.nvvm\.read\.ptx\.sreg\.{name}\.([xyz])", rf"@gpm_{name}_\1", ir)
    for name, ours in (("activemask", "activemask"), ("read.ptx.sreg.laneid", "laneid"), ("read.ptx.sreg.lanemask.lt", "below"), ("match.any.sync.i64", "match"), ("shfl.sync.up.i32", "lane_before"), ("bar.warp.sync", "leave"), ("redux.sync.umin", "least"), ("redux.sync.umax", "most")):
        ir = ir.replace(f"@llvm.nvvm.{name}(", f"@gpm_{ours}(")
    return re.sub(r"(tail )?call void asm sideeffect .*", "", ir)  # what the compiler does not see does nothing here


def build(t, header, name="kernels", flags=(), arch="sm_90"):
    """Compiles the kernels of a header; returns the library's path."""
    source, ir, code, wrapper, library = (t.work / f"{name}{end}" for end in (".cu", ".ll", "_host.ll", ".c", ".so"))
    source.write_text(PRELUDE + f'#include "{header}"\n')
    clang = t.compiler("c++")
    t.command(clang, "--cuda-device-only", "-S", "-emit-llvm", "-nocudainc", "-nocudalib", f"--cuda-gpu-arch={arch}",
              "-Wno-unknown-cuda-version", *flags, source, "-o", ir)
    text = ir.read_text()
    code.write_text(_for_host(text))
    wrapper.write_text(_wrapper(text))
    t.command(t.compiler("c"), "-O1", "-w", "-shared", "-fPIC", "-Wl,-Bsymbolic", *t.include_flags(), wrapper, code, "-o", library)
    return library
