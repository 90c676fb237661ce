#!/usr/bin/env python3
"""count.py TOOL FILE.clang.ptx... - how much is known of kernels, and where two compilers and two ways to find it out differ.

Not a test: the figures of docs/RESULTS.md come from it. Each FILE.clang.ptx is what clang made with the plugin; FILE.nvcc.ptx beside it, if
it is there, is what nvcc made of the same source:

    clang++-22 -x cuda --cuda-gpu-arch=sm_80 --cuda-device-only -O2 -fplugin=gpumemprof.so -S a.cu -o a.clang.ptx
    nvcc -arch=sm_80 -O2 -ptx a.cu -o a.nvcc.ptx

It counts the words that are pointers by what the plugin says of them, and the kernels that are closed. Of kernels that are there twice it says
how often both are equal, how often either is on the safe side of the other, and which contradict each other.
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

NAME = re.compile(rb"__gpumemprof_facts\$[\w$]*")
MASKS = {"none": 0, "read": 1, "write": 2, "both": 3, "unknown": 7}


def facts(tool, text):
    """Of each kernel of a PTX text: its words, whether it is closed, and why not."""
    with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([tool, "facts", "--format", "json", file.name], capture_output=True, text=True, check=True)
    return {kernel["symbol"]: kernel for kernel in json.loads(done.stdout)["kernels"]}


def without_bodies(text):
    """The text with kernels that store all their parameters, so that only what the plugin says is known of them."""
    entries = re.findall(rb"(?:\.visible|\.weak|\.extern)?\s*\.entry\s+[\w$]+\s*\([^)]*\)", text)
    head = re.match(rb".*?\.address_size 64", text, re.S)
    names = b"".join(b".weak .global .align 1 .u8 %s;\n" % name for name in sorted(set(NAME.findall(text))))
    bodies = []
    for entry in entries:
        parameters = re.findall(rb"\.param[^,)]*?([\w$]+)(?:\[\d+\])?\s*(?=[,)]|$)", entry)
        stores = b"".join(b"mov.b64 %%a, %s;\nst.global.u64 [here], %%a;\n" % name for name in parameters)
        bodies.append(entry + b"\n{\n.reg .b64 %a;\n.reg .b64 %r;\nld.global.u64 %r, [here];\nst.global.u64 [%r], %r;\n" + stores + b"}\n")
    return head[0] + b"\n.visible .global .align 8 .u64 here;\n" + names + b"\n".join(bodies)


def words(kernel):
    return {(word["parameter"], word["offset"]): word for word in kernel["words"]}


class Comparison:
    """Of two ways to know the same kernels."""

    def __init__(self):
        self.kernels, self.words, self.closed, self.contradictions = 0, collections.Counter(), collections.Counter(), []

    def add(self, where, one, other):
        for symbol in one.keys() & other.keys():
            self.kernels += 1
            self.closed[one[symbol]["closed"], other[symbol]["closed"]] += 1
            others = words(other[symbol])
            for place, word in words(one[symbol]).items():
                if word["is_number"] or place not in others:
                    continue
                first, second = MASKS[word["access"]], MASKS[others[place]["access"]]
                relation = "equal" if first == second else "second safer" if first & second == first else "first safer" if first & second == second \
                    else "contradictions"
                self.words[relation] += 1
                if relation == "contradictions":
                    self.contradictions.append((where, symbol, place, word["access"], others[place]["access"]))

    def show(self, title):
        print(f"{title}: {self.kernels} kernels; words {dict(self.words)}; closed, by both: {self.closed[True, True]}, "
              f"by the first only: {self.closed[True, False]}, by the second only: {self.closed[False, True]}, by neither: {self.closed[False, False]}")
        for contradiction in self.contradictions:
            print("   ", *contradiction)


def main():
    tool, *files = sys.argv[1:]
    classes, reasons, kernels, closed = collections.Counter(), collections.Counter(), 0, 0
    ways, compilers = Comparison(), Comparison()
    for name in files:
        text = pathlib.Path(name).read_bytes()
        said = facts(tool, without_bodies(text))
        read = facts(tool, NAME.sub(b"nothing", text))
        kernels += len(said)
        for kernel in said.values():
            closed += kernel["closed"]
            if not kernel["closed"]:
                reasons[kernel["reason"]] += 1
            classes.update(word["access"] for word in kernel["words"] if not word["is_number"])
        ways.add(name, said, read)
        nvcc = pathlib.Path(name.replace(".clang.ptx", ".nvcc.ptx"))
        if nvcc != pathlib.Path(name) and nvcc.exists():
            compilers.add(name, said, facts(tool, nvcc.read_bytes()))
    print(f"{len(files)} files, {kernels} kernels, {closed} closed; pointers: {dict(classes)}")
    for reason, times in reasons.most_common():
        print(f"    open, {times}: {reason}")
    ways.show("the plugin and the PTX of clang")
    compilers.show("the plugin and the PTX of nvcc")


if __name__ == "__main__":
    main()
