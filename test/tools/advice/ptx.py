"""PTX of kernels that do to what their parameters point to what a test says."""

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func outside ();\n"
BODY = {"none": "", "read": "\tld.u32 %r1, [%rd{i}];\n", "write": "\tst.u32 [%rd{i}], 1;\n",
        "both": "\tld.u32 %r1, [%rd{i}];\n\tst.u32 [%rd{i}], %r1;\n", "unknown": "\tst.u64 [%rd{i}], %rd{i};\n"}


def kernel(symbol, accesses, is_open=False):
    """is_open: it also calls a function that is not here."""
    parameters = ", ".join(f".param .u64 .ptr .align 4 p{i}" for i in range(len(accesses)))
    loads = "".join(f"\tld.param.u64 %rd{i}, [p{i}];\n" for i in range(len(accesses)))
    body = "".join(BODY[access].format(i=i) for i, access in enumerate(accesses))
    body += "\tcall.uni outside, ();\n" if is_open else ""
    return (f".visible .entry {symbol}({parameters})\n{{\n\t.reg .b32 %r<2>;\n\t.reg .b64 %rd<{len(accesses) + 1}>;\n{loads}{body}"
            "\tret;\n}\n")
