#!/usr/bin/env python3
"""page_events.py SOURCE TOOL WORK CASE - the events in a page of `gpumemprof html`, against `gpumemprof events` of the same capture.

What is live after each tick is added up here from the events. The page has to agree with that at the highest moment of each
part of the run: block by block and cell by cell, with the sums of blocks that it does not keep one by one.
"""
import collections
import json
import random
import sys

import page_reader as reader
from exports import SEEDS, Case

APART = {"host": -1, "imported": -2, "custom": -3}


class Page:
    def __init__(self, t, capture, *options):
        file = t.path("page.html")
        t.gpumemprof("html", capture, "-o", file, *options)
        data = reader.sections(file)
        self.profile, self.events = reader.profile(data), reader.Events(data["events"])
        whole = open(file, "rb").read()
        self.size, self.section = len(whole), max(len(text) for name, text in reader.SECTION.findall(whole) if name == b"events")
        p = self.profile
        tree, cells = p["tree"], p["cells"]
        self.place = [(p["texts"][tree["file"][n]] or None, tree["line"][n], p["devices"][d]["device"], p["kinds"][k])
                      for n, d, k in zip(cells["node"], cells["device"], cells["kind"], strict=True)]


def events(t, capture):
    """Allocations, each with the clock of its free as `end` (infinity: none), and what is freed when."""
    born, made, freed = {}, [], {}
    for e in json.loads(t.gpumemprof("events", "--format", "json", capture).stdout)["events"]:
        key = (e.get("address"), e.get("life"))
        if e["event"] == "allocated":
            e["end"] = reader.NONE
            born[key] = e
            made.append(e)
        elif e["event"] == "freed":
            born[key].update(end=e["clock"], freed_at=(e["file"], e["line"]), freed_ns=e["time_ns"])
            freed[e["clock"]] = born[key]
    return made, freed


def place(e):
    return e["file"], e["line"], e["device"], e["kind"]


def blocks_are_those(page, made, whole):
    """Each block of the page is one of the events; where it is complete, they are all."""
    known = {e["clock"]: e for e in made}
    blocks = page.events.blocks()
    assert [b["start"] for b in blocks] == sorted({b["start"] for b in blocks})
    assert page.events.head["blocks"] == {"kept": len(blocks), "seen": len(made)}
    assert page.events.head["complete"] == whole and (len(blocks) == len(made)) == whole
    pairs, tree, texts = page.profile["pairs"], page.profile["tree"], page.profile["texts"]
    for b in blocks:
        e = known[b["start"]]
        said = (b["end"], b["bytes"], b["bytes"] - b["padding"], b["address"], b["generation"], b["thread"], b["time"], page.place[b["cell"]])
        assert said == (e["end"], e["bytes"], e["requested"], e["address"], e["life"], e["thread"], e["time_ns"], place(e)), (b, e)
        if e["end"] != reader.NONE and b["pair"] != reader.NONE:
            node = pairs["node"][b["pair"]]
            assert pairs["cell"][b["pair"]] == b["cell"]
            assert (texts[tree["file"][node]] or None, tree["line"][node]) == e["freed_at"]
            assert b["age"] == max(0, e["freed_ns"] - e["time_ns"])


def changes(made, freed, last):
    """After each tick, from 0: (clock, place, by how many bytes what is live there changed)."""
    by_clock = {e["clock"]: e for e in made}
    yield 0, None, 0
    for clock in range(1, last + 1):
        e = by_clock.get(clock) or freed.get(clock)
        yield (clock, None, 0) if not e else (clock, place(e), e["bytes"] if clock in by_clock else -e["bytes"])


def tracks_have_every_peak(page, made, freed):
    """Most, least and moment of each part by looking at every tick."""
    head, arrays = page.events.head, page.events.arrays
    devices = page.profile["devices"]
    for track in head["tracks"]:
        device = devices[track["device"]]["device"]
        kind = None if track["kind"] is None else page.profile["kinds"][track["kind"]]
        moment, most, least = (arrays[f"{track['prefix']}.{name}"] for name in ("moment", "most", "least"))
        width = 1
        while head["last_clock"] // width + 1 > len(moment):
            width *= 2
        assert len(moment) == head["last_clock"] // width + 1 and (width == 1 or len(moment) > 128)
        parts, total = [None] * len(moment), 0
        for clock, where, bytes_ in changes(made, freed, head["last_clock"]):
            if where and where[2] == device and kind in (None, where[3]):
                total += bytes_
            at = parts[clock // width]
            if at is None:
                parts[clock // width] = [total, total, clock]
            else:
                at[1] = min(at[1], total)
                if total > at[0]:
                    at[0], at[2] = total, clock
        assert parts == [[int(a), int(b), c] for a, b, c in zip(most, least, moment, strict=True)], track
        assert track["peak"] == max(most) and (not track["peak"] or moment[list(most).index(track["peak"])] == track["peak_clock"])
        if kind is None:
            assert track["peak"] == devices[track["device"]]["peak"]


def pictures_are_whole(page, made, freed):
    """Kept blocks and the rest together, at the highest moment of each part: what was live there, place by place."""
    head, arrays = page.events.head, page.events.arrays
    blocks, rest = page.events.blocks(), page.events.rest()
    for track in head["tracks"]:
        if track["kind"] is not None:
            continue
        device = page.profile["devices"][track["device"]]["device"]
        moments = {clock: i for i, clock in enumerate(arrays[track["prefix"] + ".moment"])}
        shown = collections.defaultdict(list)  # by part, or by clock
        for cell, list_ in rest.items():
            for part, bytes_ in list_:
                shown["part", part].append((page.place[cell], int(bytes_)))
        for b in blocks:
            shown["clock", b["start"]].append((page.place[b["cell"]], b["bytes"]))
            shown["clock", b["end"]].append((page.place[b["cell"]], -b["bytes"]))
        missing = {}  # by place: what is live less what is shown, where that is not 0

        def change(where, bytes_):
            if where and where[2] == device:
                missing[where] = missing.get(where, 0) + bytes_
                if not missing[where]:
                    del missing[where]

        for clock, where, bytes_ in changes(made, freed, head["last_clock"]):
            change(where, bytes_)
            for where, bytes_ in shown.get(("clock", clock), ()):
                change(where, -bytes_)
            if clock in moments:
                for where, bytes_ in shown.get(("part", moments[clock]), ()):
                    change(where, -bytes_)
                assert not missing, (clock, track, missing)


def times_are_those(page, made):
    known = {e["clock"]: e["time_ns"] for e in made}
    clocks, times = page.events.arrays["time.clock"], page.events.long("time")
    assert list(clocks) == sorted(set(clocks)) and times == sorted(times)
    assert any(known.get(clock) == time for clock, time in zip(clocks, times, strict=True))


def check(t, capture, *options, whole=True):
    made, freed = events(t, capture)
    page = Page(t, capture, *options)
    blocks_are_those(page, made, whole)
    tracks_have_every_peak(page, made, freed)
    pictures_are_whole(page, made, freed)
    times_are_those(page, made)
    return page


def of_random_programs(t):
    for seed in SEEDS:
        check(t, t.random(seed, history=True))


def of_long_programs_are_in_parts(t):
    rng, lines, live, names = random.Random(7), ["history"], [], [f"b{i}" for i in range(31)]
    for thread in range(2):
        lines += [f"thread {thread}", f"enter work{thread} /src/a.cu {10 * thread + 1}"]
    for i in range(20000):
        lines += [f"thread {rng.randrange(2)}", f"call {rng.randrange(5) + 2}"]
        if len(live) == 30 or (live and rng.random() < 0.5):
            lines.append(f"free {live.pop(rng.randrange(len(live)))}")
        else:
            live.append(next(name for name in names if name not in live))
            lines.append(f"malloc {live[-1]} {rng.choice((512, 4096, 65536, 1 << 20))} {rng.choice(('device', 'pool', 'pinned'))}")
    page = check(t, t.made("\n".join(lines)))
    assert page.events.head["last_clock"] > 16384


def that_do_not_fit_become_a_rest(t):
    """Less room, fewer blocks: what is left out one by one is in the sums."""
    capture = t.random(3, history=True, events=4000)
    made, freed = events(t, capture)
    whole, kept = check(t, capture), []
    for share in (0.8, 0.7, 0.6):
        most = whole.size - int(whole.section * (1 - share))
        page = Page(t, capture, "--max-size", str(most))
        assert page.size <= most
        kept.append(page.events.head["blocks"]["kept"])
        blocks_are_those(page, made, kept[-1] == len(made))
        tracks_have_every_peak(page, made, freed)
        pictures_are_whole(page, made, freed)
    assert kept == sorted(kept, reverse=True) and kept[-1] < len(made), kept


if __name__ == "__main__":
    source, tool, work, case = sys.argv[1:]
    globals()[case](Case(source, tool, work))
