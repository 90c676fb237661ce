#!/usr/bin/env python3
"""seeds.py SOURCE FOLDER FIXTURE... - seed corpora for the fuzzers, FOLDER/TARGET/*, all from text.

`capture`: the fixtures of the tool's lit tests that make a capture, and small random programs. `elf`: small ELF
files. `kernel_facts`: PTX of lit tests, and containers with it. The others: the blocks of seeds/TARGET.txt, which are parted by lines of dashes; \\0 there stands for a NUL.
"""
import os
import pathlib
import re
import struct
import sys

SOURCE = sys.argv[1] if len(sys.argv) > 1 else ""
sys.path.insert(0, os.path.join(SOURCE, "test/tools"))
import mkcapture  # noqa: E402
import oracle  # noqa: E402
import recorder  # noqa: E402


def captures(fixtures, folder):
    for fixture in fixtures:
        try:
            mkcapture.main(SOURCE, fixture, folder / os.path.basename(fixture))
        except (AttributeError, ValueError, IndexError, FileNotFoundError, TypeError):
            continue  # a test without a fixture of its own
    for seed in range(10):
        (folder / f"random{seed}").write_bytes(oracle.random_program(SOURCE, seed, 20).bytes())
    (folder / "closed").write_bytes(closed_library().bytes())
    missing = chunk_types() - {type_ for seed in folder.iterdir() for type_ in types_in(seed.read_bytes())}
    assert not missing, f"no seed has a chunk of the types {sorted(missing)}"


def closed_library():
    """Addresses of a library that was not rebuilt, and what its calls left unaccounted."""
    program, path = oracle.random_program(SOURCE, 3, 40), "/usr/lib/libclosed.so.1"
    calls = [n for n, site in enumerate(program.sites) if site["key"][0] == recorder.CALL]
    for n in calls[::2]:
        kind, flags, line, column, _, function, callee, _, *rest = program.sites[n]["key"]
        program.sites[n]["key"] = (recorder.NATIVE, flags, line, column, path, function, callee, f"{n + 1:x}00 0", *rest)
    program.native_modules = [(path, "0123abcd"), ("/usr/lib/libother.so", "")]
    for n in calls[::4]:
        program.name_address((n + 1) << 8, 0, "inlined", "/src/closed.h", n, inner=True)
        program.name_address((n + 1) << 8, 0, "closed", "/src/closed.c", n)
    nodes = [n for n, node in enumerate(program.nodes) if n and node["site"] in calls]
    program.unaccounted = [(n, 1, 2, 4096 * n, 4096 * n - 1) for n in nodes[:3]]
    return program


def chunk_types():
    """All that capture.h has."""
    text = pathlib.Path(SOURCE, "include/gpumemprof/capture.h").read_text(encoding="utf-8")
    return {int(number) for number in re.findall(r"GPUMEMPROF_CHUNK_\w+ = (\d+)", text)}


def types_in(capture):
    at = 4096
    while at + 64 <= len(capture):
        type_, _, size, used = struct.unpack_from("<IIQQ", capture, at)
        if size < 64:
            return
        if used:
            yield type_
        at += size


def program(folder):
    """Programs that need a libcudart of each sort, with and without an RPATH."""
    for i, (name, path_tag) in enumerate(((b"libcudart.so.13", 15), (b"libcudart.so.11", 29), (b"libcuda.so.1", 0))):
        texts = b"\0" + name + b"\0$ORIGIN\0/cudart.shm.\0libcuda.so.1\0"
        at, address = 64 + 2 * 56, 0x400000
        dynamic = [(5, address + at + 6 * 16), (1, 1), (1, 1 + len(name)), (path_tag, 1), (0, 0), (0, 0)]
        body = b"".join(struct.pack("<QQ", *entry) for entry in dynamic) + texts
        size = at + len(body)
        header = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, address, 64, 0, 0, 64, 56, 2, 64,
                                                                 0, 0)
        load = struct.pack("<IIQQQQQQ", 1, 5, 0, address, address, size, size, 4096)
        second = struct.pack("<IIQQQQQQ", 2, 4, at, address + at, address + at, 96, 96, 8)
        (folder / str(i)).write_bytes(header + load + second + body)


def device_code(folder):
    """After a byte that says what it is: PTX texts, each kernel of them, and containers that hold one as it is and as LZ4."""
    for fixture in sorted(pathlib.Path(SOURCE, "test/tools/lit/facts").glob("*.test")):
        text = fixture.read_bytes()
        head, *kernels = re.split(rb"(?=^\.visible \.entry )", text, flags=re.M)
        for i, kernel in enumerate(kernels):
            (folder / f"{fixture.stem}{i}").write_bytes(b"p" + head[head.find(b".version"):] + re.sub(rb"^//.*\n", b"", kernel, flags=re.M))
    ptx = b".version 8.0\n.visible .entry k()\n{\n\tret;\n}\n"
    lz4 = bytes((0xf0, len(ptx) - 15)) + ptx
    entries = b""
    for kind, flags, plain, body in ((1, 0, 0, ptx), (1, 0x2000, len(ptx), lz4), (1, 0x8000, len(ptx), b"\x28\xb5\x2f\xfd"), (2, 0, 0, b"\x7fELF" + bytes(60))):
        padded = body + bytes(-len(body) % 8)
        entries += struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64, len(padded), len(body) if flags else 0, 0, 0, 9, 80, 0, 0, flags, 0, plain) + padded
    (folder / "container").write_bytes(b"f" + struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries)
    names = b"\0.nv.constant0.k\0"
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64, 0, 64, 0, 0, 64, 2, 0)
    sections = [struct.pack("<IIQQQQIIQQ", name, 3, 0, 0, 192, len(names), 0, 0, 1, 0) for name in (0, 1)]
    (folder / "machine_code").write_bytes(b"m" + header + b"".join(sections) + names)


def texts(folder):
    blocks = (pathlib.Path(__file__).parent / "seeds" / f"{folder.name}.txt").read_text(encoding="utf-8").split("\n---\n")
    for i, block in enumerate(blocks):
        (folder / str(i)).write_bytes(block.rstrip("\n").replace("\\0", "\0").encode())


if __name__ == "__main__":
    for target in ("capture", "elf", "kernel_facts", "run_time_options", "tool_text", "plugin_text"):
        to = pathlib.Path(sys.argv[2]) / target
        to.mkdir(parents=True, exist_ok=True)
        if target == "capture":
            captures(sys.argv[3:], to)
        elif target == "elf":
            program(to)
        elif target == "kernel_facts":
            device_code(to)
        else:
            texts(to)
        made = len(list(to.iterdir()))
        assert made >= {"capture": 30, "elf": 3, "kernel_facts": 50}.get(target, 5), f"only {made} seeds for {target}"
