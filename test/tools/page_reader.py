"""page_reader.py - the data in a page of `gpumemprof html`, read by the rules of docs/PAGE.md."""
import array
import base64
import gzip
import json
import re
import struct
import sys

TYPES = {"u8": ("B", 1), "u32": ("I", 4), "f64": ("d", 8)}
NONE = 0xffffffff
SECTION = re.compile(rb'<script type="application/octet-stream" data-section="([a-z]+)">([^<]*)</script>')


def sections(path):
    """By name, the bytes of each section."""
    found = SECTION.findall(open(path, "rb").read())
    assert len({name for name, _ in found}) == len(found)
    return {name.decode(): gzip.decompress(base64.b64decode(text, validate=True)) for name, text in found}


def profile(data):
    return json.loads(data["profile"])


class Events:
    """The section `events`: `head`, and `arrays` by name."""

    def __init__(self, data):
        assert data[:8] == b"GPMPAGE1"
        (length,) = struct.unpack_from("<I", data, 8)
        self.head = json.loads(data[12:12 + length])
        base = (12 + length + 7) // 8 * 8
        assert not any(data[12 + length:base])
        self.arrays, end = {}, base
        for name, how in self.head["arrays"].items():
            assert how["offset"] % 8 == 0
            self.arrays[name] = self.read(data, base + how["offset"], how)
            end = max(end, base + how["offset"] + how["count"] * TYPES[how["type"]][1])
        assert end == len(data)
        for name, how in self.head["arrays"].items():
            if how.get("from"):
                values, others = self.arrays[name], self.arrays[how["from"]]
                self.arrays[name] = array.array("I", ((a + b) & NONE for a, b in zip(values, others, strict=True)))

    @staticmethod
    def read(data, at, how):
        letter, width = TYPES[how["type"]]
        raw, count = data[at:at + how["count"] * width], how["count"]
        if how["planes"]:
            mixed = bytearray(len(raw))
            for byte in range(width):
                mixed[byte::width] = raw[byte * count:(byte + 1) * count]
            raw = bytes(mixed)
        values = array.array(letter)
        values.frombytes(raw)
        if sys.byteorder == "big":
            values.byteswap()
        if how["delta"]:
            before = 0
            for i, value in enumerate(values):
                before = values[i] = (before + value) & NONE
        return values

    def long(self, name):
        low, high = self.arrays[name + "_low"], self.arrays[name + "_high"]
        return [b << 32 | a for a, b in zip(low, high, strict=True)]

    def blocks(self):
        """A dictionary for each block that is kept, in the order of their allocation."""
        names = ("start", "end", "padding", "generation", "cell", "pair", "thread")
        columns = [self.arrays["block." + name] for name in names]
        columns += [self.long("block." + name) for name in ("bytes", "address", "time", "age")]
        names += ("bytes", "address", "time", "age")
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def rest(self):
        """By cell: (part, change of bytes), in order."""
        a = self.arrays
        return {cell: list(zip(a["rest.part"][a["rest.begin"][i]:a["rest.begin"][i + 1]],
                               a["rest.change"][a["rest.begin"][i]:a["rest.begin"][i + 1]], strict=True))
                for i, cell in enumerate(a["rest.cell"])}
