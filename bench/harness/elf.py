"""Sections of an object file: what growth of text, tables and data is read from."""
import struct

from .tools import Trouble

SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR = 1, 2, 4
SHT_NOBITS = 8


def sections(path):
    """List of (name, flags, type, bytes) of a 64-bit little-endian ELF file."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x7fELF\x02\x01":
        raise Trouble(f"{path} is no 64-bit little-endian ELF file")
    offset, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(max(count, 1))]
    if count == 0:  # more than 65280 sections: the count is the size of the first
        headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(headers[0][5])]
    if names == 0xFFFF:
        names = headers[0][6]
    table = headers[names][4]
    found = []
    for name, kind, flags, _, start, length, *_ in headers[1:]:
        end = data.index(b"\0", table + name)
        content = b"" if kind == SHT_NOBITS else data[start:start + length]
        found.append((data[table + name:end].decode(), flags, kind, content if kind != SHT_NOBITS else length))
    return found


def measure(path):
    """Bytes by purpose: text (machine code), unwind tables, constants (site tables included), data."""
    result = {"text": 0, "unwind": 0, "constants": 0, "data": 0}
    for name, flags, kind, content in sections(path):
        if not flags & SHF_ALLOC:
            continue
        length = content if kind == SHT_NOBITS else len(content)
        if flags & SHF_EXECINSTR:
            result["text"] += length
        elif name.startswith((".eh_frame", ".gcc_except_table")):
            result["unwind"] += length
        elif flags & SHF_WRITE:
            result["data"] += length
        else:
            result["constants"] += length
    return result


def loaded(path):
    """Everything of an object that reaches memory, for comparing two of them byte for byte."""
    return [(name, content) for name, flags, _, content in sections(path) if flags & SHF_ALLOC]
