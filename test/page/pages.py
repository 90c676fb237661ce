#!/usr/bin/env python3
"""pages.py SOURCE TOOL WORK [BROWSER [FILE [CASE]]] - pages that `gpumemprof html` writes, opened in Chromium or Firefox and compared with what the
other commands say of the same captures. Alone it makes captures, pages and data.json, what the commands say, in WORK; with a BROWSER it has run.mjs
run the cases of FILE.mjs on them, every third one, or one CASE; without FILE, all cases of a ninth of the files. After each commit these are other
ones (test/repeats.py).

playwright-core is installed by the lock file beside this, into a folder beside WORK.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "tools")]
sys.path.insert(0, os.path.join(HERE, "..", "tools", "readers"))
import advised  # noqa: E402
import readers  # noqa: E402
import repeats  # noqa: E402
from exports import Case  # noqa: E402

BROWSERS = {"chromium": ("chromium", "chromium-browser", "google-chrome"), "firefox": ("firefox-esr", "firefox")}
OTHERS = ("file", "kind", "device", "label", "variable", "type", "stream")
RECORDED = 1700000000  # seconds: when programs start that the tests make up
SECRET = "rows * secret_width * 4"
TEXT = """#include <cuda_runtime.h>
static float *zeros(size_t n) {
  float *p;
  cudaMalloc(&p, n * sizeof(float));
  return p;
}
static void forward(Net &net, int rows) {
  for (Layer &layer : net)
    layer.out = zeros(rows * layer.width);
  cudaMallocAsync(&scratch, rows * secret_width * 4, stream);
  cudaFreeAsync(scratch, stream);
  cudaFree(net.old); // it was another text when it was compiled
}
int main() {
  cudaMallocHost(&batch, 1 << 20);
  for (int step = 0; step < 8; ++step)
    forward(net, 64), backward(net);
}
static void backward(Net &net) {
  cudaFree(net.out);
}
"""


# As headers of libraries bring them: variables of a byte.
TINY = "enter (static) /t.h 1\n" + "".join(f"call {i} variable=tiny{i}\nmalloc v{i} 1 static\n" for i in range(1, 46)) + (
    "leave\nenter main /t.c 1\ncall 50 variable=data\nmalloc d 1MiB\nleave\nend complete\n")


def events(source, width=100):
    """A run of TEXT: steps, kinds of memory, temporary blocks, leaks, a variable, a failure, budgets, losses."""
    zeros = f'enter zeros {source} 2\n call 4 variable=p type=float size_expr="n * sizeof(float)" source_line="cudaMalloc(&p, n * sizeof(float));"'
    step = "\n".join(f"""
      call 17 callee=forward
      enter forward {source} 7 budget=400KiB no_leak
      call 9 callee=zeros
      {zeros}
      malloc out{i} {(i + 1) * width}KiB
      leave
      call 10 variable=scratch size_expr="{SECRET}" source_line="cudaMallocAsync(&scratch, {SECRET}, stream);"
      malloc scratch{i} {300 + i}KiB pool requested={(300 + i) * 1000} stream=7
      call 11
      free scratch{i}
      leave
      call 17 callee=backward
      enter backward {source} 19
      call 20
      {f'free out{i}' if i % 3 else ''}
      leave
      step ticks={1000 * (i + 1)} clock={2 + 4 * i} live=1MiB""" for i in range(8))
    return f"""
    program ./train --steps 8
    device 0 "NVIDIA H200" 141GiB
    history
    enter (static) {source} 1
    call 3 variable=table
    malloc table 64KiB static
    leave
    enter main {source} 14
    call 15 variable=batch size_expr="1 << 20" callee=cudaMallocHost
    malloc batch 1MiB pinned
    mark warm
    {step}
    call 16
    oom 900GiB free=7MiB total=80GiB
    call 12 source_line="cudaFree(net.older);"
    free batch
    free out6
    leave
    violation 5 budget times=8 bytes=6MiB ticks=4000
    violation 5 no_leak times=3 bytes=4MiB blocks=1 where=7 ticks=4000
    counter unknown_frees 3
    cudapool device=1 used=3MiB reserved=32MiB used_high=20MiB reserved_high=40MiB looks=5
    pool Cache device=1 handle=32512 reserved=64MiB used_peak=9MiB reserved_peak=64MiB pieces_ever=7
    sample monitor ticks=2000 clock=4 used=1GiB total=141GiB ledger=1MiB
    sample exit ticks=9000 clock=30 used=1GiB total=141GiB ledger=10MiB
    end complete
    """


WIDE = "std::tuple<" + ", ".join(["A"] * 1000) + ", " + "B<" * 3000 + ">" * 3000 + ">"


def wide(source, width=100):
    """The same run, in which every name of a program is as long as templates make them."""
    text = events(source, width).replace("enter zeros", f"enter 'zeros<{WIDE}>'").replace("callee=zeros", f"'callee=zeros<{WIDE}>'").replace(
        "type=float", f"'type={WIDE}'").replace("variable=scratch", f"'variable=scratch<{WIDE}>'").replace("pool Cache", f"pool 'Cache<{WIDE}>'")
    return text.replace("enter forward", f"enter 'forward<{WIDE}>'").replace("mark warm", f"mark '{WIDE}'").replace(
        "program ./train", f"program ./train '{WIDE}'")


LATE = """
    history
    device 0 "NVIDIA H200" 141GiB
    enter main /src/late.cu 1
    call 2 variable=small
    repeat 1500
    malloc a 1MiB
    free a
    end
    call 3 variable=big
    malloc big 512MiB
    leave
    end complete
"""


CLEAN = "history\ndevice 0 \"NVIDIA H200\" 141GiB\nenter main /src/clean.cu 1\ncall 2\nmalloc a 3MiB\ncall 3\nmalloc b 1MiB\nfree a\nfree b\nleave\nend complete\n"


# Two devices: both leak in a line, the second one in another, too, and is out of memory; of another failure the device is not known.
TWO = """
    program ./two
    history
    device 0 "NVIDIA H200" 141GiB
    device 1 "NVIDIA H200" 141GiB
    enter main /src/two.cu 1
    call 2 variable=first
    malloc a 3MiB device device=0
    malloc b 5MiB device device=1
    call 3 variable=second
    malloc c 40MiB device device=1
    malloc d 1MiB device device=1
    call 4
    oom 900GiB device=1 free=7MiB total=141GiB
    free d
    call 5
    oom 1GiB device=7
    leave
    end complete
"""


# Lines of one function hold more than half of what is live at the end, and none of them does alone.
LINES = """
    program ./lines
    history
    device 0 "NVIDIA H200" 141GiB
    enter main /src/lines.cu 1
    call 2 callee=fields
    enter fields /src/lines.cu 10
    call 11 variable=velocity
    malloc a 3MiB
    call 12 variable=density
    malloc b 4MiB
    call 13 variable=force
    malloc c 2MiB
    leave
    call 3 variable=mask
    malloc d 5MiB
    call 4
    free a
    leave
    end complete
"""
ENDED = LINES.replace("free a", "oom 900GiB free=7MiB total=141GiB")
SPREAD = LINES.replace("mask\n    malloc d 5MiB", "mask\n    malloc d 9MiB").replace("enter fields", "enter a_field").replace(
    "    call 13", "    leave\n    call 5\n    enter another /src/lines.cu 13\n    call 14").replace("9MiB", "6MiB")


NAME = '</script><img src=x onerror="window.hacked=1">'
HOSTILE = f"""
    program './<b>app</b>' '</script><script>window.hacked=1</script>'
    history
    enter '{NAME}' '/src/<img src=x onerror="window.hacked=1">.cu' 1
    call 2 'variable=<img src=x onerror="window.hacked=1">' 'size_expr=<script>window.hacked=1</script>' 'type=javascript:window.hacked=1'
    malloc a 3MiB
    block '<iframe srcdoc="<script>parent.hacked=1</script>">' 4
    call 5 'variable=`${{window.hacked=1}}`'
    malloc b 2MiB pool
    mark '<!--<script>'
    free a
    leave
    leave
    end complete
"""


class Pages(Case):
    def json(self, *words, status=0):
        return json.loads(self.gpumemprof(*words, "--format", "json", status=status).stdout)

    def page(self, name, capture, *more):
        self.gpumemprof("html", capture, "-o", name, *more)
        return self.path(name)

    def described(self, capture, name, *more):
        """The page of a capture, and what commands say of it."""
        report, lifetimes = self.report(capture, "line"), self.json("lifetimes", capture, "--limit", "0")
        check = json.loads(subprocess.run([self.tool, "check", capture, "--format", "json"], capture_output=True, check=False).stdout)
        return {"page": self.page(name, capture, *more), "report": report, "line": report["rows"], "function": self.report(capture, "function")["rows"],
                "leaks": self.json("leaks", capture), "lifetimes": lifetimes["rows"], "check": check,
                "pools": self.json("pools", capture)["pools"], "other": {by: self.report(capture, by)["rows"] for by in OTHERS},
                "events": self.json("events", capture)["events"], "paths": self.report(capture, "path")["rows"],
                "tree": self.json("tree", capture, "--min", "0", "--limit", "0")["tree"],
                "sizes": self.json("histogram", capture)["bins"], "ages": self.json("histogram", capture, "--of", "lifetime")["bins"]}

    def of_devices(self, capture, devices):
        """What `report --device` says of each device that has memory."""
        return {str(one["device"]): {by: self.json("report", capture, "--by", by, "--limit", "0", "--device", str(one["device"]))["rows"]
                                     for by in ("line", "function", "path")} for one in devices if one["peak"]}

    def parts(self, capture):
        """What the report says of parts of the run: what was allocated in it and is live at its end is `leaked`."""
        return [{"from": first, "to": last, "rows": self.json("report", capture, "--limit", "0", "--from", str(first), "--to", str(last))["rows"]}
                for first, last in ((3, 9), (1, 20), (10, 25), (8, 8))]

    def newer(self, capture, source):
        """The page of a capture whose source was written after the recording."""
        os.utime(source, (RECORDED + 60, RECORDED + 60))
        return self.page("newer.html", capture)

    def advised(self):
        """Pages of runs with uses, and what `advise` says of the first."""
        plain = self.made(advised.run(self, "advised", RECORDED), "advised")
        named = self.made(advised.run(self, "advised_wide", RECORDED, f"'step<{WIDE}>'", f"'weights<{WIDE}>'"), "advised_wide")
        hostile = self.made(advised.run(self, "advised_hostile", RECORDED, f"'{NAME}'", f"'{NAME}'"), "advised_hostile")
        return {"page": self.page("advised.html", plain), "answer": self.json("advise", plain, "--limit", "0"), "source": self.path("advised.cu"),
                "pages": self.json("pages", plain, "--limit", "0")["blocks"],
                "redacted": self.page("advised_redacted.html", plain, "--redact-source"), "wide": self.page("advised_wide.html", named),
                "hostile": self.page("advised_hostile.html", hostile), "only": self.page("advised_only.html", plain, "--device", "0"),
                "part": self.page("advised_part.html", plain, "--from", "1", "--to", "5")}

    def columns(self):
        """Key, title and unit of each figure."""
        text = open(os.path.join(self.source, "tools/rows/columns.def"), encoding="utf-8").read()
        words = {"incl": "with its calls"} | {f"incl {word}": f"{word} with its calls" for word in ("net", "freed", "requested", "%")}
        return [{"key": key, "title": words.get(title, title), "unit": unit.lower()}
                for key, title, unit in re.findall(r'^GPM_FIGURE\((\w+),\s+"([^"]+)",\s+(\w+),', text, re.M)]

    def data(self):
        source = self.path("train.cu")
        with open(source, "w", encoding="utf-8") as out:
            out.write(TEXT)
        os.utime(source, (RECORDED - 60, RECORDED - 60))
        trainer, before = self.made(events(source), "trainer"), self.made(events(source, 70).replace(
            "backward", "back"), "before")
        made = self.described(trainer, "trainer.html")
        random = [self.described(self.random(seed, history=True), f"random{seed}.html") for seed in (1, 2)]
        without = events(source).replace("    history\n", "")
        sums, ends = self.made(without, "sums"), self.made(without.replace("sample monitor", "sample change"), "ends")
        return {
            "columns": self.columns(),
            "captures": [*random, made],
            "trainer": {**made, "of_device": self.of_devices(trainer, made["report"]["devices"]), "parts": self.parts(trainer), "source": source, "redacted": self.page("redacted.html", trainer, "--redact-source"),
                        "secrets": [SECRET, "n * sizeof(float)", "cudaMallocAsync(&scratch"]},
            "against": self.page("against.html", trainer, "--against", before),
            "diff": {by: self.json("diff", before, trainer, "--by", by, "--threshold", "0")["rows"] for by in ("line", "function")},
            "empty": self.page("empty.html", self.made("end complete\n", "empty")),
            "tiny": self.page("tiny.html", self.made(TINY, "tiny")),
            "nothing": self.page("nothing.html", self.made("history\nend complete\n", "nothing")),
            "only": self.page("only.html", trainer, "--kind", "pool", "--device", "0"),
            "sums": self.page("sums.html", sums), "ends": self.page("ends.html", ends), "ends_report": self.report(ends, "line"),
            "wide": {"page": self.page("wide.html", self.made(wide(source), "wide"), "--against", self.made(wide(source, 70), "wide_before")), "name": WIDE},
            "late": self.page("late.html", self.made(LATE, "late")), "two": self.page("two.html", self.made(TWO, "two")),
            **{name: self.page(f"{name}.html", self.made(text, name)) for name, text in (("lines", LINES), ("ended", ENDED), ("spread", SPREAD))},
             "clean": self.page("clean.html", self.made(CLEAN, "clean")),
            "hostile": {"page": self.page("hostile.html", self.made(HOSTILE, "hostile")), "name": NAME},
            "newer": self.newer(trainer, source), "advised": self.advised(),
        }


def files():
    """The names of the files that have cases."""
    return sorted(path.stem for path in pathlib.Path(HERE).glob("*.mjs") if path.stem not in ("run", "driver", "firefox"))


def executable(browser):
    """The path of a browser, or None."""
    return next((found for name in BROWSERS[browser] if (found := shutil.which(name))), None)


def main():
    source, tool, work = map(os.path.abspath, sys.argv[1:4])
    wanted = sys.argv[4:]
    needed = wanted[:1] or BROWSERS
    if not any(map(executable, needed)):
        readers.skip(f"needs {' or '.join(BROWSERS[browser][0] for browser in needed)}")
    modules = readers.modules(os.path.join(os.path.dirname(work), "playwright"), HERE)
    made = os.path.join(work, "data.json")
    if wanted:
        if not os.path.exists(made):
            readers.skip("this tool was built without the viewer of pages")
        browser, *case = wanted
        part = ["", "/".join(map(str, repeats.part(3)))] if len(case) == 1 else []
        case = case or [",".join(repeats.share(files(), 9))]
        sys.exit(subprocess.run(["node", os.path.join(HERE, "run.mjs"), modules, browser, executable(browser), made, *case, *part], check=False).returncode)
    t = Pages(source, tool, work)
    if "without the viewer" in subprocess.run([tool, "html", t.made("end complete\n", "empty"), "-o", t.path("empty.html")], capture_output=True, text=True,
                                              check=False).stderr:
        readers.skip("this tool was built without the viewer of pages")
    with open(made, "w", encoding="utf-8") as out:
        json.dump(t.data(), out)


if __name__ == "__main__":
    main()
