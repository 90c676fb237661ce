#!/usr/bin/env python3
"""rooms.py - holds the folders of a part to its table: `rooms.py PART BUILD`, in the source folder.

PART/rooms.txt lists the rooms (folders) of plugin/, runtime/, sim/ or tools/ from the bottom up. A room is one
paragraph: `name: the rooms it uses`, then, indented, what it owns. A room may use only rooms that are listed
before it, so there are no cycles. This test compares the table with what the sources say (`#include "room/file.h"`) and
with what the linker sees (nm on each object that BUILD/compile_commands.json names), in both directions: an edge that
the table does not allow fails, and so does an allowed edge that nothing uses any more.
A line `taps: room/file.h` names the one header whose declared names may be taken from rooms further down: what a room
below needs of one above is declared there, and every other call upward fails. A tap that nobody takes fails, too.

`rooms.py PART BUILD edges` prints each edge with its reason, for someone who moves a file.
Exit status: 0 kept, 1 broken (each place is printed), 77 cannot be checked here (no objects).
"""
import collections
import json
import pathlib
import re
import subprocess
import sys

SUFFIXES = {".c", ".h", ".cpp", ".def"}
MOST_FILES = 32  # of one folder


def table_of(part):
    """The rooms in order: name -> (names of the rooms it uses, what it owns)."""
    rooms = {}
    for number, line in enumerate((part / "rooms.txt").read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line[0].isspace():
            assert rooms, f"{part}/rooms.txt:{number}: a description before the first room"
            rooms[next(reversed(rooms))][1].append(line.strip())
            continue
        name, colon, uses = line.partition(":")
        if name == "taps":
            continue
        assert colon, f"{part}/rooms.txt:{number}: expected `name: the rooms it uses`"
        assert name.strip() not in rooms, f"{part}/rooms.txt:{number}: {name.strip()} has a line before"
        rooms[name.strip()] = (uses.split(), [])
    return rooms


def taps_of(part):
    """The names that the header of a line `taps: room/file.h` declares: functions and variables."""
    header = re.search(r"^taps: *(\S+)$", (part / "rooms.txt").read_text(), re.M)
    if not header:
        return set()
    text = re.sub(r"/\*.*?\*/", "", (part / header.group(1)).read_text(), flags=re.S)
    text = re.sub(r"^(enum|struct) \w+ \{.*?^\};", "", text, flags=re.S | re.M)
    return set(re.findall(r"\b(\w+)\(", text)) | set(re.findall(r"^extern [^;(]*?(\w+);", text, re.M))


def sources_of(part):
    return sorted(path for path in part.rglob("*") if path.suffix in SUFFIXES)


def room_of(part, path):
    return str(path.parent.relative_to(part))


def folders(part, rooms, sources):
    """Every file is in a room, every room has files, and no room has too many."""
    counts = collections.Counter(room_of(part, path) for path in sources)
    for room, count in counts.items():
        if room == ".":
            yield from (f"{path}: is in no room" for path in sources if room_of(part, path) == ".")
        elif room not in rooms:
            yield f"{part}/{room}: is not in {part}/rooms.txt"
        elif count > MOST_FILES:
            yield f"{part}/{room}: {count} files; a folder holds at most {MOST_FILES}"
    for room, (_, owns) in rooms.items():
        if room not in counts:
            yield f"{part}/rooms.txt: {room} has no files"
        if not owns:
            yield f"{part}/rooms.txt: {room} does not say what it owns"


def order(part, rooms):
    """A room uses only rooms above it in the table."""
    above = set()
    for room, (uses, _) in rooms.items():
        yield from (f"{part}/rooms.txt: {room} uses {used}, which is not above it" for used in uses if used not in above)
        above.add(room)


def include_edges(part, sources):
    """(room, room used) -> reasons, from the quoted includes, which name the room: `#include "core/ledger.h"`."""
    edges = collections.defaultdict(list)
    for path in sources:
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if not found or found.group(1).startswith("gpumemprof/"):
                continue
            target = part / found.group(1)
            if not target.exists():
                target = path.parent / found.group(1)
            if target.exists() and target.resolve().is_relative_to(part.resolve()):
                used = room_of(part.resolve(), target.resolve())
                if used != room_of(part, path):
                    edges[room_of(part, path), used].append(f"{path}:{number} includes {found.group(1)}")
    return edges


def objects_of(part, build):
    """source -> one of its objects, from the compilation database."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        source = pathlib.Path(entry["directory"], entry["file"]).resolve()
        output = entry.get("output") or re.search(r" -o (\S+)", entry["command"]).group(1)
        built = pathlib.Path(entry["directory"], output)
        if source.is_relative_to(part.resolve()) and built.exists():
            found.setdefault(part / source.relative_to(part.resolve()), built)
    return found


def symbols_of(objects):
    """source -> (names that its object defines for all, names that it takes from others)."""
    sources = {str(built): path for path, built in objects.items()}
    symbols = {path: (set(), set()) for path in objects}
    listed = subprocess.run(["nm", "-A", "-P", "-g", *sources], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        file, name, kind = line.split()[:3]
        defined, taken = symbols[sources[file.rstrip(":")]]
        if kind in "TDBRSGCi":
            defined.add(name)
        elif kind in "Uwv":
            taken.add(name)
    return symbols


def link_edges(part, rooms, objects, taps):
    """And the taps that somebody takes; a tap counts as an edge where it leads down."""
    symbols = symbols_of(objects)
    order, tapped = list(rooms), set()
    owner = {name: path for path, (defined, _) in symbols.items() for name in defined}
    edges = collections.defaultdict(list)
    for path, (_, taken) in symbols.items():
        for name in sorted(taken):
            room, used = room_of(part, path), room_of(part, owner.get(name, path))
            if room == used:
                continue
            if name in taps and room in rooms and used in rooms and order.index(room) < order.index(used):
                tapped.add(name)
            else:
                edges[room, used].append(f"{path} takes {name} of {owner[name]}")
    return edges, tapped


def not_allowed(part, rooms, edges):
    for (room, used), reasons in sorted(edges.items()):
        if room in rooms and used not in rooms[room][0]:
            yield f"{part}/{room} uses {used}, which {part}/rooms.txt does not allow: {'; '.join(reasons[:8])}"


def not_used(part, rooms, edges):
    for room, (uses, _) in rooms.items():
        yield from (f"{part}/rooms.txt: {room} no longer uses {used}" for used in uses if (room, used) not in edges)


def main(part, build, what=""):
    rooms, sources, objects, taps = table_of(part), sources_of(part), objects_of(part, build), taps_of(part)
    linked, tapped = link_edges(part, rooms, objects, taps)
    edges = collections.defaultdict(list)
    for found in (include_edges(part, sources), linked):
        for edge, reasons in found.items():
            edges[edge].extend(reasons)
    if what == "edges":
        for (room, used), reasons in sorted(edges.items()):
            print(f"{room} -> {used}", *reasons, sep="\n    ")
        return 0
    missing = [path for path in sources if path.suffix in (".c", ".cpp") and path not in objects]
    not_tapped = [] if missing else [f"{part}/rooms.txt: no room below takes the tap {name}" for name in sorted(taps - tapped)]
    broken = [*folders(part, rooms, sources), *order(part, rooms), *not_allowed(part, rooms, edges), *not_used(part, rooms, edges), *not_tapped]
    print(*broken, sep="\n")
    if not broken and missing:
        print(f"skipped: {len(missing)} sources of {part}/ have no object in {build}, {missing[0]} first")
        return 77
    return 1 if broken else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), *sys.argv[3:]))
