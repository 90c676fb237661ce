#!/usr/bin/env python3
"""torch_scopes.py - a PyTorch program whose memory has lines, scopes and labels in a capture.

    LIB=/opt/gpumemprof/lib/libgpumemprof.so python3 torch_scopes.py
    gpumemprof report                     # rows with this file's lines
    gpumemprof report --by label

Nothing is installed: the functions are called through ctypes, by the names that measure.h and
control.h of gpumemprof declare, and its structures are read from there. Copy what you need.

Memory counts at the innermost scope of the thread that asks for it; autograd's own threads have
none ("via torch"), so backward runs in the calling thread here. GPUMEMPROF=0 switches it all off.
"""
import contextlib
import ctypes
import os
import pathlib
import re
import sys

LIB = pathlib.Path(os.environ.get("LIB", "/opt/gpumemprof/lib/libgpumemprof.so"))
HEADERS = pathlib.Path(os.environ.get("HEADERS", LIB.parent.parent / "include/gpumemprof"))
CURRENT_DEVICE = -1001

lib = ctypes.CDLL(str(LIB))
opened, closed = lib["__gpumemprof_scope_open"], lib["__gpumemprof_scope_close"]
pushed, popped = lib["__gpumemprof_label_push"], lib["__gpumemprof_label_pop"]
taken = lib["__gpumemprof_snapshot_take"]
opened.restype = ctypes.c_uint64
opened.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_uint32, ctypes.c_int, ctypes.c_uint]
closed.argtypes = [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t]
pushed.argtypes = [ctypes.c_char_p]
taken.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_uint]


# ---- measure.h's structures --------------------------------------------------------------------

def structures():
    """ctypes structures of measure.h, by name, from its text."""
    types = {"uint32_t": ctypes.c_uint32, "int32_t": ctypes.c_int32, "uint64_t": ctypes.c_uint64,
             "int64_t": ctypes.c_int64, "const char *": ctypes.c_char_p}
    kinds = int(re.search(r"define GPUMEMPROF_KINDS (\d+)", (HEADERS / "kinds.h").read_text()).group(1))
    text = re.sub(r"/\*.*?\*/", "", (HEADERS / "measure.h").read_text(), flags=re.S)
    for name, body in re.findall(r"^struct (gpumemprof_\w+) \{(.*?)^\};", text, re.S | re.M):
        fields = []
        for kind, field, count in re.findall(r"\s*((?:struct )?\w+ |const char \*)(\w+)(\[GPUMEMPROF_KINDS\])?;", body):
            one = types[kind.strip()]
            fields.append((field, one * kinds if count else one))
        types["struct " + name] = type(name, (ctypes.Structure,), {"_fields_": fields})
    return types["struct gpumemprof_snapshot"], types["struct gpumemprof_result"]


Snapshot, Result = structures()


# ---- what a program calls ----------------------------------------------------------------------

@contextlib.contextmanager
def scope(name):
    """Measures the block: yields a Result that is filled when the block ends, and shows the
    caller's file, function and line in reports."""
    at = sys._getframe(2)  # past contextlib's
    result = Result()
    handle = opened(name.encode(), at.f_code.co_filename.encode(), at.f_code.co_name.encode(), at.f_lineno,
                    CURRENT_DEVICE, 0)
    try:
        yield result
    finally:
        closed(handle, ctypes.byref(result), ctypes.sizeof(result))


@contextlib.contextmanager
def label(name):
    """Counts what the block allocates under the name too (`gpumemprof report --by label`)."""
    count = pushed(name.encode())
    try:
        yield
    finally:
        if count > 0:
            popped()


def snapshot(device=CURRENT_DEVICE):
    """What is live now; all zeros when nothing is recorded."""
    now = Snapshot()
    taken(ctypes.byref(now), ctypes.sizeof(now), device, 0)
    return now


def use_allocator(torch):
    """Before anything else is done with a GPU (torch refuses later): torch asks gpumemprof for memory."""
    allocator = torch.cuda.memory.CUDAPluggableAllocator(str(LIB), "gpumemprof_torch_malloc", "gpumemprof_torch_free")
    used = getattr(allocator.allocator(), "set_record_stream_fn", None)
    if used:
        used(ctypes.cast(lib.gpumemprof_torch_record_stream, ctypes.c_void_p).value)
    torch.cuda.memory.change_current_allocator(allocator)


# ---- a program ---------------------------------------------------------------------------------

def main():
    import torch
    use_allocator(torch)
    torch.autograd.set_multithreading_enabled(False)
    results = {}
    with scope("model") as results["model"]:
        model = torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.ReLU(), torch.nn.Linear(4096, 10)).cuda()
    adam = torch.optim.Adam(model.parameters())
    for step in range(2):
        with label(f"step {step}"):
            with scope("data"):
                x, y = torch.randn(256, 1024, device="cuda"), torch.randint(10, (256,), device="cuda")
            with scope("forward") as results[f"forward {step}"]:
                loss = torch.nn.functional.cross_entropy(model(x), y)
            with scope("backward") as results[f"backward {step}"]:
                loss.backward()
            with scope("optimizer") as results[f"optimizer {step}"]:
                adam.step()
                adam.zero_grad()
    mib = 1 << 20
    for name, r in results.items():
        print(f"{name:12} allocated {r.allocated / mib:8.2f} MiB, keeps {r.net / mib:+8.2f}, needs {r.own_peak / mib:8.2f}"
              f" on top of {r.before.acquired / mib:8.2f} in {r.wall_ns / 1e6:7.2f} ms")
    now = snapshot()
    print(f"live {now.acquired / mib:.2f} MiB in {now.blocks} blocks, at most {now.peak / mib:.2f}")


if __name__ == "__main__":
    main()
