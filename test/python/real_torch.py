#!/usr/bin/env python3
"""real_torch.py - gpumemprof's Python package beside PyTorch's own figures, on a GPU:

    PYTHONPATH=$P/lib/python3/dist-packages python3 test/python/real_torch.py

Blocks: peak, net and gross of `profile` beside memory_stats' requested_bytes. Lines: `lines` beside the Python stacks of
torch.cuda.memory._record_memory_history, whose sizes are rounded up to 512 bytes. Exit status: 0 equal, 1 not, 77 no torch or no GPU.
"""
import contextlib
import json
import os
import sys

import real


def torch_on_gpu():
    try:
        import torch
    except ImportError as error:
        real.skip(f"needs torch ({error})")
    if not torch.cuda.is_available():
        real.skip("needs a GPU")
    return torch


def layer(torch, inputs, outputs):
    weight = torch.randn(inputs, outputs, device="cuda", requires_grad=True)
    bias = torch.zeros(outputs, device="cuda", requires_grad=True)
    return weight, bias


def forward(layers, x):
    for weight, bias in layers:
        x = (x @ weight + bias).relu()
    return x


def training(torch, block):
    """The workload: `block(name)` is a context manager around each part."""
    torch.autograd.set_multithreading_enabled(False)
    torch.cuda.init()
    with block("model"):
        layers = [layer(torch, 512, 1024), layer(torch, 1024, 256)]
    for step in range(3):
        with block(f"data {step}"):
            x = torch.randn(128, 512, device="cuda")
        with block(f"forward {step}"):
            loss = forward(layers, x).sum()
        with block(f"backward {step}"):
            loss.backward()
        with block(f"update {step}"), torch.no_grad():
            for pair in layers:
                for parameter in pair:
                    parameter -= 0.01 * parameter.grad
                    parameter.grad = None
    with block("free"):
        del x, loss, layers


def theirs():
    torch = torch_on_gpu()
    found = {}
    torch.cuda.memory._record_memory_history(max_entries=1000000, stacks="python")

    def stats():
        return torch.cuda.memory_stats()

    @contextlib.contextmanager
    def block(name):
        torch.cuda.reset_peak_memory_stats()
        a = stats()
        yield
        b = stats()
        key = "requested_bytes.all."
        found[name] = [b[key + "peak"] - a[key + "current"], b[key + "current"] - a[key + "current"],
                       b[key + "allocated"] - a[key + "allocated"]]
    training(torch, block)
    lines = {}
    for entry in torch.cuda.memory._snapshot()["device_traces"][0]:
        if entry["action"] != "alloc":
            continue
        frames = [f for f in entry["frames"] if os.path.basename(f["filename"]) == "real_torch.py"]
        for line in {f["line"] for f in frames}:
            row = lines.setdefault(str(line), [0, 0])
            row[0] += entry["size"]
            row[1] += 1
    print(json.dumps({"blocks": found, "lines": lines}))


def ours():
    import gpumemprof
    torch = torch_on_gpu()
    gpumemprof.torch.use_allocator()
    found = {}

    @contextlib.contextmanager
    def block(name):
        with gpumemprof.profile(name) as m:
            yield
        found[name] = [m.peak, m.net, m.allocated]
    with gpumemprof.lines(path_filter="real_torch.py"):
        training(torch, block)
    print(json.dumps(found))


def main():
    torch_on_gpu()
    torchs, mine, lines = real.both(__file__)
    names = ("peak", "net", "allocated")
    right = real.compare("blocks, beside requested_bytes of memory_stats, in bytes", [
        (f"{block}: {name}", figures[i], mine[block][i], 0) for block, figures in torchs["blocks"].items() for i, name in enumerate(names)])
    right &= real.compare("lines, beside _record_memory_history, in bytes (theirs are rounded up to 512 for each block)", [
        (f"real_torch.py:{line}", size, lines.get(line, [0])[0], 511 * blocks) for line, (size, blocks) in sorted(torchs["lines"].items())
        if int(line) < theirs.__code__.co_firstlineno])  # the workers' own lines differ
    sys.exit(not right)


{"theirs": theirs, "ours": ours}.get(sys.argv[1] if sys.argv[1:] else "", main)()
