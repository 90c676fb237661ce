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
ACCESSES = {"n": "none", "r": "read", "w": "write", "b": "both", "u": "unknown"}
REASONS = dict(re.findall(r"^GPUMEMPROF_KERNEL_REASON\(\w+, '(\w)', \"(.*)\"\)",
                          (pathlib.Path(__file__).parents[2] / "include/gpumemprof/kernel_reasons.def").read_text(encoding="utf-8"), re.M))
MASKS = {"none": 0, "read": 1, "write": 2, "both": 3, "unknown": 7}


def facts(tool, text):
    """Of each kernel of a PTX text: its words, whether it is closed, and why not."""
    with tempfile.NamedTemporaryFile(suffix=".ptx") as file:
        file.write(text)
        file.flush()
        done = subprocess.run([tool, "facts", "--format", "json", file.name], capture_output=True, text=True, check=True)
    return {kernel["symbol"]: kernel for kernel in json.loads(done.stdout)["kernels"]}


def number(symbol):
    """gpumemprof_facts_kernel of kernel_facts.h"""
    value = 0xcbf29ce484222325
    for byte in symbol.encode():
        value = (value ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return f"{value:016x}"


def said_in(text):
    """The same of what the plugin says: names as kernel_facts.h describes them."""
    names, kernels = {}, {}
    for name in {one for joined in NAME.findall(text) for one in re.split(rb"\$(?=__gpumemprof_facts)", joined)}:
        _, _, kernel, reasons, parameters, *_ = name.decode().split("$")
        names[kernel] = reasons, parameters
    for symbol in re.findall(r"\.entry\s+([\w$]+)", text.decode()):
        reasons, parameters = names[number(symbol)]
        found = []
        for index, parameter in enumerate(parameters.split("p")[1:]):
            letters = "".join(letter * int(times or 1) for letter, times in re.findall(r"([a-zA-Z])(\d*)", parameter))
            found += [{"parameter": index, "offset": 8 * at, "access": ACCESSES[letter.lower()], "is_number": letter.isupper()}
                      for at, letter in enumerate(letters)]
        kernels[symbol] = {"symbol": symbol, "words": found, "closed": not reasons, "reason": REASONS[reasons[0]] if reasons else None}
    return kernels


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
        said = said_in(text)
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
