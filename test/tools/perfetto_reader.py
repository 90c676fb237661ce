"""perfetto_reader.py - what a trace of Perfetto's says: by the rules of its packets (read), and by trace_processor (ask).

Both give the same things, so that tests compare them with each other and with `events` and `report`:

  blocks     in the order they begin: dict(name, ts, end or None, bytes, kind, address, thread, place, freed at, ...)
  scopes     of each thread, in the order they begin: (name, file, function, line, depth, ts, end)
  counters   of each track's name: [(ts, value)]
  instants   of each track's name: [(ts, name, annotations)]
  heaps      of each heap's name: {stack, outermost first: [bytes, blocks, freed bytes, freed blocks]}
  process    (pid, name)

Times are ns of CLOCK_MONOTONIC.
"""
import collections
import json
import subprocess

from export_readers import grouped

MONOTONIC, CLEARED, NEEDS_STATE = 3, 1, 2
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4


def signed(value):
    return value - (1 << 64) if value >> 63 else value


class Sequence:
    """What the packets of one writer have told so far."""

    def __init__(self):
        self.interned = collections.defaultdict(dict)
        self.tracks, self.latest = {}, {}

    def intern(self, data):
        for field, messages in grouped(data).items():
            for message in messages:
                record = grouped(message)
                assert record[1][0] and record[1][0] not in self.interned[field], "interned twice"
                self.interned[field][record[1][0]] = record

    def text(self, field, number):
        return self.interned[field][number][2][0].decode()

    def describe(self, message):
        track = grouped(message)
        uuid = track[1][0]
        assert uuid not in self.tracks and (not track[5] or track[5][0] in self.tracks), "a track before its parent"
        self.tracks[uuid] = dict(name=(track[2] or [b""])[0].decode(), parent=(track[5] or [None])[0],
                                 process=grouped(track[3][0]) if track[3] else None, rank=(track[12] or [0])[0],
                                 counter=grouped(track[8][0]) if track[8] else None)

    def annotations(self, event):
        found = {}
        for message in event[4]:
            note = grouped(message)
            name = self.text(3, note[1][0])
            assert name not in found
            found[name] = (note[3] or note[7] or [b.decode() for b in note[6]] or [self.text(29, i) for i in note[17]])[0]
        return found

    def stack(self, number):
        frames = [self.interned[6][i] for i in self.interned[7][number][2]]
        assert frames and all(self.interned[19][frame[3][0]] for frame in frames)
        for frame in frames:
            file, line = self.text(18, frame[5][0]), (frame[6] or [0])[0]
            assert not line or self.text(5, frame[2][0]).endswith(f" ({file}:{line})")
        return tuple(self.text(5, frame[2][0]) for frame in frames)


def read(data):
    trace = grouped(data)
    assert set(trace) == {1}
    s, started = Sequence(), False
    found = dict(blocks=[], scopes=collections.defaultdict(list), counters=collections.defaultdict(list),
                 instants=collections.defaultdict(list), heaps={}, process=None)
    opened, lanes, heaps = collections.defaultdict(list), {}, 0
    sequences = set()
    for message in trace[1]:
        packet = grouped(message)
        assert set(packet) <= {6, 8, 10, 11, 12, 13, 37, 59, 60, 87}, set(packet)
        sequences.add(packet[10][0])
        assert packet[13] == [NEEDS_STATE if started else CLEARED] and packet[87] == ([] if started else [1])
        if not started:
            assert grouped(packet[59][0])[58] == [MONOTONIC]
            snapshot = grouped(packet[6][0])
            clocks = {c[1][0]: c[2][0] for c in map(grouped, snapshot[1])}
            assert snapshot[2] == [MONOTONIC] and set(clocks) == {1, 3, 4} and clocks[3] == clocks[4]
            found["clocks"] = clocks[3], clocks[1]
            started = True
        for part in packet[12]:
            s.intern(part)
        for part in packet[60]:
            s.describe(part)
        for part in packet[37]:
            profile = grouped(part)
            assert (profile[7] or [0]) == [heaps]
            heaps += 1
            (dump,) = map(grouped, profile[5])
            assert dump[12] == dump[13] == [1] and dump[9] <= packet[8]
            heap = found["heaps"].setdefault(dump[11][0].decode(), {})
            for sample in map(grouped, dump[2]):
                assert bool(sample[8]) != bool(sample[2])
                values = [(sample[i] or [0])[0] for i in ((8, 9, 0, 0) if sample[8] else (2, 5, 3, 6))]
                stack = s.stack(sample[1][0])
                heap[stack] = [a + b for a, b in zip(heap.get(stack, [0] * 4), values)]
        for part in packet[11]:
            take(s, grouped(part), packet[8][0], found, opened, lanes)
    assert len(sequences) == 1 and 0 not in sequences
    assert not any(opened.values()), "a scope without an end"
    return found


def take(s, event, ts, found, opened, lanes):
    (kind,), (uuid,) = event[9], event[11]
    track = s.tracks[uuid]
    assert ts >= s.latest.get(uuid, 0), "time goes back on a track"
    s.latest[uuid] = ts
    assert bool(track["counter"]) == (kind == COUNTER)
    if kind == COUNTER:
        assert track["counter"][3] == [3]
        found["counters"][track["name"]].append((ts, event[30][0]))
    elif kind == INSTANT:
        found["instants"][track["name"]].append((ts, event[23][0].decode(), s.annotations(event)))
    elif track["name"] == "blocks":
        notes = s.annotations(event)
        if kind == BEGIN:
            assert uuid not in lanes, "two blocks in one lane"
            lanes[uuid] = dict(notes, name=event[23][0].decode(), ts=ts, end=None, device=s.tracks[track["parent"]]["name"])
            found["blocks"].append(lanes[uuid])
        else:
            lanes.pop(uuid).update(notes, end=ts)
    elif kind == BEGIN:
        place = s.interned[4][event[34][0]]
        scope = [s.text(2, event[10][0]), place[2][0].decode(), place[3][0].decode(), (place[4] or [0])[0], len(opened[uuid]), ts, None]
        opened[uuid].append(scope)
        found["scopes"][track["name"]].append(scope)
    else:
        opened[uuid].pop()[6] = ts
    while track["parent"]:
        track = s.tracks[track["parent"]]
    pid, name = track["process"][1][0], track["process"][6][0].decode()
    assert found["process"] in (None, (pid, name))
    found["process"] = pid, name


# ---- trace_processor ---------------------------------------------------------------------------------

ARGS = "SELECT flat_key, string_value, int_value FROM args WHERE arg_set_id = "
QUERIES = (
    "SELECT name, value FROM stats WHERE value AND severity IN ('error', 'data_loss')",
    "SELECT pid, name FROM process WHERE pid",
    """SELECT s.id, t.name, p.name, s.name, s.ts, s.dur, s.depth FROM slice s JOIN track t ON s.track_id = t.id
       LEFT JOIN track p ON t.parent_id = p.id ORDER BY s.id""",
    """SELECT s.id, a.flat_key, a.string_value, a.int_value FROM slice s JOIN args a USING (arg_set_id)""",
    "SELECT t.name, c.ts, c.value FROM counter c JOIN counter_track t ON c.track_id = t.id ORDER BY c.id",
    "SELECT heap_name, callsite_id, count, size FROM heap_profile_allocation ORDER BY id",
    "SELECT c.id, c.parent_id, f.name FROM stack_profile_callsite c JOIN stack_profile_frame f ON c.frame_id = f.id",
    "SELECT min(clock_value) FROM clock_snapshot WHERE clock_name = 'REALTIME'",
)


def ask(driver, modules, trace, queries=QUERIES):
    done = subprocess.run(["node", driver, modules, trace], input=json.dumps(queries), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def by_trace_processor(driver, modules, trace):
    stats, processes, slices, args, counters, allocations, sites, _ = ask(driver, modules, trace)
    assert not stats, stats
    found = dict(blocks=[], scopes=collections.defaultdict(list), counters=collections.defaultdict(list),
                 instants=collections.defaultdict(list), heaps={}, process=tuple(processes[0]))
    notes = collections.defaultdict(dict)
    for number, key, text, value in args:
        notes[number][key.removeprefix("debug.")] = text if text is not None else value
    for number, track, parent, name, ts, duration, depth in slices:
        end, note = None if duration < 0 else ts + duration, notes[number]
        if track == "blocks":
            assert depth == 0, "a block in a block"
            found["blocks"].append(dict(note, name=name, ts=ts, end=end, device=parent))
        elif "source.function_name" in note:
            found["scopes"][track].append([name, *(note.get("source." + key, 0) for key in ("file_name", "function_name", "line_number")),
                                           depth, ts, end])
        else:
            found["instants"][track].append((ts, name, note))
    for track, ts, value in counters:
        found["counters"][track].append((ts, int(value)))
    parents = {number: (parent, name) for number, parent, name in sites}
    for heap, site, count, size in allocations:
        stack = []
        while site is not None:
            site, name = parents[site]
            stack.insert(0, name)
        sums = found["heaps"].setdefault(heap, {}).setdefault(tuple(stack), [0] * 4)
        at = 2 if size < 0 or count < 0 else 0
        sums[at] += abs(size)
        sums[at + 1] += abs(count)
    return found
