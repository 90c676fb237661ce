"""kernel_facts.py - reads IR or PTX of a device and prints what the plugin says of each kernel, in the order of the kernels:

    name: r w - | closed

A letter for each word of a parameter, as gpumemprof/kernel_facts.h has them; then why the kernel is open.
"""
import re
import sys

FOLDER = __file__.rsplit("/", 4)[0]
REASONS = dict(re.findall(r"^GPUMEMPROF_KERNEL_REASON\((\w+), '(\w)'", open(f"{FOLDER}/include/gpumemprof/kernel_reasons.def", encoding="utf-8").read(), re.M))
NAMES = {letter: name for name, letter in REASONS.items()}
FUNCTIONS = re.compile(r"^define .*?@([\w$]+)\(|\.entry ([\w$]+)\(", re.M)


def number(symbol):
    value = 0xcbf29ce484222325
    for byte in symbol.encode():
        value = (value ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return f"{value:016x}"


text = sys.stdin.read()
said = {}
for name in {one for joined in re.findall(r"__gpumemprof_facts\$1\$[\w$]*", text) for one in re.split(r"\$(?=__gpumemprof_facts)", joined)}:
    _, _, kernel, reasons, parameters, *rest = name.split("$")
    assert kernel not in said, name
    said[kernel] = (reasons, parameters, ".".join(rest))
for match in FUNCTIONS.finditer(text):
    kernel = next(group for group in match.groups() if group)
    if number(kernel) not in said:
        continue  # a function, or a kernel of which nothing is said
    reasons, parameters, name = said.pop(number(kernel))
    words = " ".join(parameters.split("p")[1:])
    why = " ".join(NAMES[letter] for letter in reasons) or "closed"
    print(f"{kernel}: {words} | {why}{' ' + name if name else ''}")
assert not said, said
