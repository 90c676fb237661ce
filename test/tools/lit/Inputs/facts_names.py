"""facts_names.py FOLDER - PTX texts of a kernel k(a, b, n) in which the plugin says something of it, or seems to."""
import pathlib
import sys

FOLDER = pathlib.Path(sys.argv[1])
HEAD = """.version 8.0
.target sm_80
.address_size 64
.extern .func f(.param .b64 p);
.visible .entry k(.param .u64 .ptr .align 1 a, .param .u64 .ptr .align 1 b, .param .u32 n)
{
	.reg .b64 %rd<3>;
	.reg .b32 %r<2>;
	ld.param.u64 %rd1, [a];
	ld.param.u64 %rd2, [b];
	st.u32 [%rd2], 1;
"""
CALLS = """	{
	.param .b64 p;
	st.param.b64 [p], %rd1;
	call.uni f, (p);
	}
	ret;
}
"""
READS = """	ld.u32 %r1, [%rd1];
	ret;
}
"""


def kernel(symbol):
    """gpumemprof_facts_kernel of kernel_facts.h"""
    value = 0xcbf29ce484222325
    for byte in symbol.encode():
        value = (value ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return f"{value:016x}"


def write(name, body, *said):
    text = HEAD + body + "".join(f".weak .global .align 1 .b8 __gpumemprof_facts${one}[1];\n" for one in said)
    (FOLDER / f"{name}.ptx").write_text(text, encoding="utf-8")


K = kernel("k")
write("better", CALLS, f"1${K}$$prpwp$")
write("contradicts", READS, f"1${K}$$pwpwp$")
write("others", CALLS, f"1${kernel('l')}$$prpwp$")
write("several", CALLS, f"1${K}$$prpwp$", f"1${K}$$pwpwp$")
write("open", CALLS, f"1${K}$H$prpwp$g$of$x")
write("wrong_version", CALLS, f"2${K}$$prpwp$")
write("wrong_kernel", CALLS, f"1${K[1:]}$$prpwp$")
write("wrong_letter", CALLS, f"1${K}$a$prpwp$")
write("wrong_class", CALLS, f"1${K}$$prpxp$")
write("wrong_number", CALLS, f"1${K}$$pr4000pw4000p$")
write("wrong_parts", CALLS, f"1${K}$$prpwp")
write("wrong_digits", CALLS, f"1${'g' + K[1:]}$$prpwp$")
