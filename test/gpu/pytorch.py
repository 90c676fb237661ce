#!/usr/bin/env python3
"""pytorch.py - gpumemprof's allocator for PyTorch against torch's own, on a GPU, to the byte.

    pytorch.py FOLDER [--out OUT]     FOLDER/lib/libgpumemprof.so, FOLDER/tool/gpumemprof (build.sh's layout)

The same small training runs with torch's allocator, which tells what was requested of it (memory_stats' requested_bytes)
and what it made of that (memory_allocated: rounded to 512 bytes), and with ours. At each mark both have to hold the same
bytes in the same number of blocks, with the same highest value; memory_allocated has to be the requests rounded, and
what it has more is listed. Then: the capture's conservation, peak and lines; losses equal with ours recording and off;
out of memory is torch's error; a CUDA graph and record_stream compute what they should; the example runs.

Exit status: 0 all agree, 1 something does not (each such line begins with WRONG), 77 no torch or no GPU.
"""
import argparse
import gc
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve()
SOURCE = HERE.parent.parent.parent
UNIT = 512


# ---- workers: one process each -----------------------------------------------------------------

def tensor_bytes(torch):
    """Of the storages that Python's tensors have on the GPU; autograd's saved ones are not among them."""
    storages = {}
    for o in gc.get_objects():
        if issubclass(type(o), torch.Tensor) and o.is_cuda:
            storage = o.untyped_storage()
            storages[storage.data_ptr()] = storage.nbytes()
    return sum(storages.values())


def native_figures(torch):
    stats = torch.cuda.memory_stats()
    blocks = [(b["requested_size"], b["size"]) for segment in torch.cuda.memory_snapshot() for b in segment["blocks"]
              if b["state"] == "active_allocated"]
    rounded = [max(UNIT, -(-asked // UNIT) * UNIT) for asked, _ in blocks]
    return {"bytes": stats["requested_bytes.all.current"], "blocks": stats["allocation.all.current"],
            "peak": stats["requested_bytes.all.peak"], "allocated": torch.cuda.memory_allocated(),
            "allocated_peak": torch.cuda.max_memory_allocated(), "rounded": sum(rounded),
            "unsplit": sum(size - r for (_, size), r in zip(blocks, rounded))}


class Marks:
    """A stretch of the training between two marks is a scope, where there is a profiler."""

    def __init__(self, torch, profiler):
        self.torch, self.t, self.marks, self.results = torch, profiler, [], []

    def run(self, name, function):
        if self.t:
            with self.t.scope(name) as result:
                value = function()
            r = result
            self.results.append({"name": name, "allocated": r.allocated, "freed": r.freed, "net": r.net,
                                 "own_peak": r.own_peak, "device_peak": r.device_peak, "before": r.before.acquired,
                                 "after": r.after.acquired, "left": r.left})
        else:
            value = function()
        if self.t:
            now = self.t.snapshot(0)
            mark = {"bytes": now.acquired, "requested": now.requested, "blocks": now.blocks, "peak": now.peak}
        else:
            mark = native_figures(self.torch)
        self.marks.append({"name": name, "tensors": tensor_bytes(self.torch), **mark})
        return value


def make_model(torch):
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.words = nn.Embedding(1003, 317)
            self.layers = nn.Sequential(nn.Linear(317, 1021), nn.GELU(), nn.LayerNorm(1021), nn.Linear(1021, 1021),
                                        nn.ReLU(), nn.Linear(1021, 1003))

        def forward(self, x):
            return self.layers(self.words(x))

    return Net().cuda()


def train(torch, marks):
    torch.manual_seed(1)
    torch.autograd.set_multithreading_enabled(False)  # else backward is on a thread without scopes
    losses, times = [], []
    model = marks.run("model", lambda: make_model(torch))
    adam = torch.optim.Adam(model.parameters(), lr=1e-3)
    generator = torch.Generator(device="cuda").manual_seed(2)
    for step in range(3):
        x = marks.run(f"data {step}", lambda: torch.randint(1003, (37, 29 + step), device="cuda", generator=generator))
        loss = marks.run(f"forward {step}", lambda: torch.nn.functional.cross_entropy(
            model(x).flatten(0, 1), x.flatten()))  # noqa: B023
        marks.run(f"backward {step}", lambda: loss.backward())  # noqa: B023
        marks.run(f"optimizer {step}", adam.step)
        losses.append(loss.item())
        del loss, x
        marks.run(f"zero_grad {step}", adam.zero_grad)
    x = torch.randint(1003, (37, 29), device="cuda", generator=generator)
    for _ in range(60):
        torch.cuda.synchronize()
        start = time.perf_counter()
        torch.nn.functional.cross_entropy(model(x).flatten(0, 1), x.flatten()).backward()
        adam.step()
        adam.zero_grad()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return losses, statistics.median(times[10:])


def worker_training(torch, t, recording):
    marks = Marks(torch, t if recording else None)
    if t and not recording:
        marks.run = lambda name, function: function()
    losses, seconds = train(torch, marks)
    final = None
    if recording and t:
        s = t.snapshot(0)
        final = {"bytes": s.acquired, "blocks": s.blocks, "peak": s.peak, "pool_used": s.pool_used}
    return {"marks": marks.marks, "results": marks.results, "losses": losses, "seconds": seconds, "final": final}


def try_out_of_memory(torch, _):
    try:
        torch.empty(1 << 40, dtype=torch.uint8, device="cuda")
    except RuntimeError as error:
        after = torch.ones(1000, device="cuda").sum().item()
        return {"ok": "out of memory" in str(error) and after == 1000, "text": f"{type(error).__name__}: {error}"[:250]}
    return {"ok": False, "text": "nothing was raised"}


def try_graph(torch, _):
    """A graph's launches compute what the same code does outside; a tensor of before dies during the capture."""
    x, w = torch.zeros(256, 300, device="cuda"), torch.randn(300, 300, device="cuda")

    def work(x):
        y = (x @ w).relu() * 2
        return (y @ w + 1).sum(1)

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        work(x)
    torch.cuda.current_stream().wait_stream(side)
    dies = torch.ones(1 << 20, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = work(x)
        del dies
    worst = 0.0
    for seed in range(4):
        torch.manual_seed(seed)
        new = torch.randn(256, 300, device="cuda")
        x.copy_(new)
        graph.replay()
        noise = torch.full((1 << 18,), 3.0, device="cuda")  # must not get the graph's memory
        torch.cuda.synchronize()
        worst = max(worst, ((out - work(new)).abs().max() / out.abs().max()).item())
        del noise
    return {"ok": worst < 1e-5, "text": f"largest relative difference of 4 launches {worst:.2g}"}


def try_record_stream(torch, _):
    """Memory that another stream still reads is not handed out again."""
    side, main = torch.cuda.Stream(), torch.cuda.current_stream()
    wrong = 0
    for _ in range(3):
        with torch.cuda.stream(side):
            a = torch.ones(16 << 20, device="cuda")
        main.wait_stream(side)
        torch.cuda._sleep(100_000_000)
        b = a * 1
        a.record_stream(main)
        del a
        with torch.cuda.stream(side):
            c = torch.full((16 << 20,), 7.0, device="cuda")
        torch.cuda.synchronize()
        wrong += int((b != 1).sum().item())
        del b, c
    return {"ok": wrong == 0, "text": f"{wrong} wrong values"}


def worker_tries(torch, t, _):
    results = {}
    for name, function in ("out of memory", try_out_of_memory), ("record_stream", try_record_stream), ("graph", try_graph):
        try:
            results[name] = function(torch, t)
        except Exception as error:  # noqa: BLE001 - the others shall run
            results[name] = {"ok": False, "text": f"{type(error).__name__}: {error}"[:600]}
    return results


def work(mode, out):
    import torch
    t = None
    if mode != "native":
        sys.path.insert(0, str(SOURCE / "examples"))
        import torch_scopes as t
        t.use_allocator(torch)
    worker = worker_tries if mode == "tries" else worker_training
    result = worker(torch, t, mode == "ours")
    result["torch"] = f"{torch.__version__}, {torch.cuda.get_device_name(0)}"
    pathlib.Path(out).write_text(json.dumps(result))


# ---- the judge ---------------------------------------------------------------------------------

class Judge:
    def __init__(self, folder, out):
        self.folder, self.out, self.wrong = pathlib.Path(folder).resolve(), pathlib.Path(out), 0
        self.lib, self.tool = self.folder / "lib/libgpumemprof.so", self.folder / "tool/gpumemprof"

    def say(self, ok, text):
        self.wrong += not ok
        print(f"{'ok   ' if ok else 'WRONG'} {text}", flush=True)

    def start(self, mode, words=None, **env):
        full = {**os.environ, "LIB": str(self.lib), "HEADERS": str(SOURCE / "include/gpumemprof"),
                "GPUMEMPROF_OPTIONS": f"output={self.out / mode}.gmprof:quiet=1", "PYTHONDONTWRITEBYTECODE": "1", **env}
        words = words or [str(HERE), "--worker", mode, "--out", str(self.out / f"{mode}.json")]
        log = open(self.out / f"{mode}.log", "w")  # noqa: SIM115 - the process has it
        return mode, subprocess.Popen([sys.executable, *words], env=full, stdout=log, stderr=subprocess.STDOUT)

    def finish(self, started):
        """Its result, or null."""
        mode, process = started
        try:
            status = process.wait(timeout=90)
        except subprocess.TimeoutExpired:
            process.kill()
            status = "none within 90 s"
        log = (self.out / f"{mode}.log").read_text(errors="replace")
        if status != 0:
            self.say(False, f"{mode}: exit status {status}\n{log[-3000:]}")
            return None
        path = self.out / f"{mode}.json"
        return json.loads(path.read_text()) if path.exists() else log

    def report(self, mode, by="line"):
        done = subprocess.run([str(self.tool), "report", str(self.out / f"{mode}.gmprof"), "--by", by, "--format", "json"],
                              capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "LD_LIBRARY_PATH": str(self.folder / "tool")})
        if done.returncode not in (0, 1) or not done.stdout:
            self.say(False, f"report of {mode}: {done.stderr.strip()}")
            return None
        return json.loads(done.stdout)

    # -- what is compared

    def compare(self, native, ours):
        before = self.wrong
        print(f"\n{'mark':12} {'ours':>11} {'requested':>11} {'blocks':>11} {'peak':>11} {'allocated':>11}"
              f" {'rounding':>9} {'unsplit':>9} {'tensors':>11}")
        for n, o in zip(native["marks"], ours["marks"]):
            same = (n["bytes"], n["blocks"], n["peak"]) == (o["bytes"], o["blocks"], o["peak"])
            same = same and o["bytes"] == o["requested"] and n["tensors"] == o["tensors"]
            explained = n["allocated"] == n["rounded"] + n["unsplit"] and n["tensors"] <= n["bytes"]
            print(f"{n['name']:12} {o['bytes']:11} {n['bytes']:11} {o['blocks']:5}/{n['blocks']:<5} {o['peak']:11}"
                  f" {n['allocated']:11} {n['rounded'] - n['bytes']:9} {n['unsplit']:9} {n['tensors']:11}"
                  f"{'' if same and explained else '   <- native ' + json.dumps(n) + ', ours ' + json.dumps(o)}")
            self.wrong += not (same and explained)
        count = len(native["marks"])
        print("requested: of torch's own allocator; allocated = requested + rounding to 512 bytes + blocks it did not split;\n"
              "tensors: storages of Python's tensors; the rest of requested is what autograd and cuBLAS hold")
        self.say(count == len(ours["marks"]) == 16 and self.wrong == before,
                 f"{count} marks: ours and torch's requested bytes, blocks and peak are equal, memory_allocated is explained")

    def check_capture(self, ours):
        for r in ours["results"]:
            if (r["allocated"] - r["freed"], r["before"] + r["net"], r["left"]) != (r["net"], r["after"], 1):
                self.say(False, f"scope {r}")
        report = self.report("ours")
        if not report:
            return
        self.say(report["conservation"]["ok"], "conservation holds in the capture")
        lost = {k: v for k, v in report["losses"].items() if v and isinstance(v, int)}
        self.say(not lost, f"nothing is lost {lost or ''}")
        devices = [d for d in report["devices"] if isinstance(d["device"], int)]
        peaks = [d["peak"] for d in devices]
        highest = max(max(m["peak"] for m in ours["marks"]), ours["final"]["peak"])
        scopes = max(r["device_peak"] for r in ours["results"])
        last = ours["marks"][-1]["peak"]
        self.say(peaks == [highest], f"the capture's peak {peaks} is the highest that the program read ({highest})")
        self.say(scopes == last, f"the peak at the last mark ({last}) is the highest of the scopes ({scopes})")
        lines = {((r["file"] or "").split("/")[-1], r["line"]) for r in report["rows"] if r["self_alloc"]}
        here = [at for at in lines if at[0] == HERE.name]
        self.say(len(here) >= 1, f"{len(here)} lines of this script have rows")
        names = {r["function"]: r for r in self.report("ours", "function")["rows"]}
        for r in ours["results"]:
            row = next((names[f] for f in names if f.endswith("{" + r["name"] + "}")), None)
            if not row or row["incl_alloc"] != r["allocated"]:
                self.say(False, f"scope {r['name']} in the report: {row and row['incl_alloc']}, told {r['allocated']}")

    def check_example(self, log):
        print("\n" + "".join(f"    {line}\n" for line in log.splitlines()))
        report = self.report("example")
        rows = [r for r in (report or {"rows": []})["rows"] if (r["file"] or "").endswith("torch_scopes.py")]
        self.say(len(rows) >= 4, f"the example has {len(rows)} rows with its own lines")


def judge(folder, out):
    j = Judge(folder, out)
    begin = time.monotonic()
    native = j.finish(j.start("native"))
    ours = j.finish(j.start("ours"))
    rest = [j.start("off", GPUMEMPROF="0"), j.start("tries"), j.start("example", [str(SOURCE / "examples/torch_scopes.py")])]
    off, tries, example = (j.finish(r) for r in rest)
    if native:
        print(f"torch {native['torch']}")
    if native and ours:
        j.compare(native, ours)
        j.check_capture(ours)
    if native and ours and off:
        same = native["losses"] == ours["losses"] == off["losses"]
        j.say(same, f"the losses are equal {native['losses'] if same else [native['losses'], ours['losses'], off['losses']]}")
        print(f"      a step takes {1e3 * native['seconds']:.3f} ms with torch's allocator, {1e3 * ours['seconds']:.3f} with ours;"
              f" {1e3 * off['seconds']:.3f} switched off (beside two other processes)")
    for name, result in (tries or {}).items():
        if name != "torch":
            j.say(result["ok"], f"{name}: {result['text']}")
    if tries and (report := j.report("tries")):
        j.say(report["conservation"]["ok"], "conservation holds in their capture")
    if example:
        j.check_example(example)
    print(f"\npytorch.py: {'all agrees' if not j.wrong else str(j.wrong) + ' wrong'}, {time.monotonic() - begin:.0f} s")
    return 1 if j.wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default=".carry")
    parser.add_argument("--out", help="a folder for logs and captures")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    a = parser.parse_args()
    if a.worker:
        return work(a.worker, a.out)
    found = subprocess.run([sys.executable, "-c", "import torch, sys; sys.exit(not torch.cuda.is_available())"],
                           capture_output=True, check=False)
    if found.returncode:
        print("skipped: needs PyTorch and a GPU")
        return 77
    with tempfile.TemporaryDirectory() as work_folder:  # captures are memory-mapped: a local disk
        status = judge(a.folder, work_folder)
        if a.out:
            subprocess.run(["cp", "-r", work_folder + "/.", a.out], check=False)
    return status


if __name__ == "__main__":
    sys.exit(main())
