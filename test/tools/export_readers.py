"""export_readers.py - reads what `gpumemprof export` writes, by the rules of each format; a broken rule is an assertion."""
import bisect
import collections
import pickletools
import re

# ---- profile.proto -----------------------------------------------------------------------------------


def fields(data):
    """(number, value) of a message: an int, or bytes"""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = number()
        assert key & 7 in (0, 2), key
        value = number()
        if key & 7 == 2:
            at += value
            assert at <= len(data), "a field is longer than its message"
            value = data[at - value:at]
        yield key >> 3, value


def grouped(data):
    found = collections.defaultdict(list)
    for field, value in fields(data):
        found[field].append(value)
    return found


def packed(data):
    values, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            values.append(value)
            value = shift = 0
    assert not shift
    return values


def pprof(data):
    top = grouped(data)
    text = [value.decode() for value in top[6]]
    assert text[0] == "" and len(set(text)) == len(text)
    one = {key: lambda m, key=key: (grouped(m)[key] or [0])[0] for key in range(1, 6)}
    functions = {}
    for message in top[5]:
        assert one[1](message) not in functions and one[1](message)
        functions[one[1](message)] = text[one[2](message)], text[one[4](message)]
    mappings = [grouped(message) for message in top[3]]
    assert [m[1] for m in mappings] == [[1]] and all(m[field] == [1] for m in mappings for field in (7, 8, 9, 10))
    locations = {}
    for message in top[4]:
        fields_ = grouped(message)
        (line,) = fields_[4]
        name, file = functions[one[1](line)]
        number = one[2](line)
        assert fields_[1][0] not in locations and fields_[1][0] and fields_[2] == [1]
        locations[fields_[1][0]] = f"{name} ({file}:{number})" if number else name
    samples = []
    for message in top[2]:
        sample = grouped(message)
        values = packed(sample[2][0])
        assert len(values) == len(top[1])
        labels = {text[one[1](label)]: text[one[2](label)] for label in sample[3]}
        samples.append(([locations[i] for i in packed(sample[1][0])], values, labels))
    return dict(types=[(text[one[1](m)], text[one[2](m)]) for m in top[1]], samples=samples,
                period=(text[one[1](top[11][0])], text[one[2](top[11][0])], top[12][0]), default=text[top[14][0]],
                time=top[9][0], duration=top[10][0], comment=[text[i] for i in top[13]])


# ---- speedscope --------------------------------------------------------------------------------------


def speedscope(file):
    """One list of (frames, weight) for each profile; the rules of its file-format-schema.json."""
    assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    assert set(file) <= {"$schema", "shared", "profiles", "name", "activeProfileIndex", "exporter"}
    frames = file["shared"]["frames"]
    for frame in frames:
        assert isinstance(frame["name"], str) and set(frame) <= {"name", "file", "line", "col"}
    assert 0 <= file["activeProfileIndex"] < len(file["profiles"])
    found = []
    for profile in file["profiles"]:
        assert set(profile) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}
        assert profile["type"] == "sampled" and profile["unit"] in ("none", "bytes")
        assert len(profile["samples"]) == len(profile["weights"])
        assert profile["endValue"] - profile["startValue"] == sum(profile["weights"])
        found.append([([frames[i] for i in stack], weight) for stack, weight in zip(profile["samples"], profile["weights"])])
    return found


# ---- DHAT --------------------------------------------------------------------------------------------


def dhat(file):
    """(frames innermost first, point); the rules of checkFields and checkPP in dh_view.js."""
    for field in ("dhatFileVersion mode verb bklt bkacc tu Mtu cmd pid te pps ftbl tg tuth bu bsu bksu").split():
        assert field in file, field
    assert file["dhatFileVersion"] == 2 and file["ftbl"][0] == "[root]" and file["bklt"] is True and file["bkacc"] is False
    assert 0 <= file["tg"] <= file["te"]
    points, seen = [], set()
    for point in file["pps"]:
        for field in "tb tbk tl mb mbk gb gbk eb ebk".split():
            assert isinstance(point[field], int) and point[field] >= 0, point
        assert point["fs"] and all(0 < i < len(file["ftbl"]) for i in point["fs"])
        points.append(([file["ftbl"][i] for i in point["fs"]], point))
        assert tuple(point["fs"]) not in seen, "a stack comes twice"
        seen.add(tuple(point["fs"]))
    return points


# ---- trace events ------------------------------------------------------------------------------------


def chrome(file):
    """Per thread: scopes nest and time does not go back; a block begins before it ends, once. Gives what is in it: blocks by id
    (each with the scopes that were open at its begin), counters, instants."""
    assert set(file) == {"displayTimeUnit", "traceEvents"} and file["displayTimeUnit"] in ("ms", "ns")
    scopes, latest, blocks, counters, instants = collections.defaultdict(list), {}, {}, collections.defaultdict(list), []
    named, process, count, ends = set(), None, collections.Counter(), collections.Counter()
    for event in file["traceEvents"]:
        phase, tid = event["ph"], event["tid"]
        assert isinstance(event["ts"], (int, float)) and event["pid"] > 0
        count[phase] += 1
        if phase == "M":
            assert event["name"] in ("process_name", "thread_name") and isinstance(event["args"]["name"], str)
            if event["name"] == "thread_name":
                assert tid not in named
                named.add(tid)
            else:
                process = event["args"]["name"]
        elif phase == "C":
            assert all(isinstance(value, int) for value in event["args"].values())
            (value,) = event["args"].values()
            assert not counters[event["name"]] or event["ts"] >= counters[event["name"]][-1][0]
            counters[event["name"]].append((event["ts"], value))
        else:
            assert tid in named, "a thread without a name"
            assert event["ts"] >= latest.get(tid, 0) or phase == "i"
            latest[tid] = max(event["ts"], latest.get(tid, 0))
            if phase == "B":
                scopes[tid].append((event["name"], event["args"]["loc"]))
            elif phase == "E":
                assert scopes[tid].pop() == (event["name"], event["args"]["loc"])
            elif phase == "b":
                assert event["cat"] == "alloc" and event["id"] not in blocks
                blocks[event["id"]] = dict(event["args"], ts=event["ts"], tid=tid, open=list(scopes[tid]), end=None)
            elif phase == "e":
                assert event["cat"] == "alloc" and blocks[event["id"]]["end"] is None
                assert blocks[event["id"]]["ts"] <= event["ts"]
                blocks[event["id"]].update(end=event["ts"], freed=event["args"]["freed at"])
            elif phase == "i":
                assert event["s"] in ("g", "p", "t")
                instants.append(event)
            else:
                raise AssertionError(phase)
    assert not any(scopes.values()), "a scope without an end"
    return dict(process=process, threads=named, blocks=blocks, counters=counters, instants=instants, count=count)


# ---- memory_viz --------------------------------------------------------------------------------------

# What the viewer's unpickler knows, less what it calls untested.
VIEWER_OPCODES = set("""PROTO STOP MARK EMPTY_DICT EMPTY_LIST SETITEMS APPENDS APPEND BININT BININT1 BININT2 LONG1 BINGET LONG_BINGET
    MEMOIZE BINPUT SHORT_BINUNICODE BINUNICODE NEWTRUE NEWFALSE NONE BINFLOAT EMPTY_TUPLE TUPLE TUPLE1 TUPLE2 TUPLE3 FRAME""".split())
STATES = ("active_allocated", "active_pending_free", "inactive")


def pickle_opcodes(data):
    for opcode, argument, _ in pickletools.genops(data):
        assert opcode.name in VIEWER_OPCODES, opcode.name
        assert opcode.name != "PROTO" or 2 <= argument <= 4
        assert opcode.name != "LONG1" or argument < 1 << 53, "no exact number in JavaScript"


def check_frames(frames):
    assert isinstance(frames, list) and frames
    for frame in frames:
        assert isinstance(frame["name"], str) and isinstance(frame["filename"], str) and isinstance(frame["line"], int)


def memory_viz(snapshot):
    """Every action fits what was there, and what is left is in `segments`. Gives for each device the allocations, the highest sum
    of blocks and the last one, and the failures."""
    assert {"segments", "device_traces"} <= set(snapshot) and "categories" not in snapshot
    result = []
    for device, trace in enumerate(snapshot["device_traces"]):
        segments, starts, blocks, pending, total, peak, allocs, ooms = {}, [], {}, set(), 0, 0, [], []
        for entry in trace:
            action, size = entry["action"], entry["size"]
            check_frames(entry["frames"])
            assert entry["stream"] == 0 and "category" not in entry and isinstance(size, int) and entry["time_us"] > 0
            if action == "oom":
                ooms.append((entry["device_free"], size))
                continue
            address = entry["addr"]
            if action == "segment_alloc":
                at = bisect.bisect_left(starts, address)
                assert at == len(starts) or address + size <= starts[at], "segments overlap"
                assert not at or starts[at - 1] + segments[starts[at - 1]] <= address, "segments overlap"
                starts.insert(at, address)
                segments[address] = size
            elif action == "alloc":
                start = starts[bisect.bisect_right(starts, address) - 1]
                assert start <= address and address + size <= start + segments[start], "a block outside of its segment"
                assert address not in blocks
                blocks[address] = size
                total += size
                peak = max(peak, total)
                allocs.append(entry)
            elif action == "free_requested":
                assert blocks[address] == size and address not in pending
                pending.add(address)
            elif action == "free_completed":
                pending.remove(address)
                total -= blocks.pop(address)
            elif action == "segment_free":
                assert segments.pop(address) == size and address not in blocks
                del starts[bisect.bisect_left(starts, address)]
            else:
                raise AssertionError(action)
        left = {}
        for segment in snapshot["segments"]:
            if segment["device"] != device:
                continue
            check_frames(segment["frames"])
            at = segment["address"]
            assert segment["stream"] == 0 and segment["blocks"] and segment["segment_type"] in ("small", "large")
            for block in segment["blocks"]:
                assert block["address"] == at and block["state"] in STATES and 0 <= block["requested_size"] <= block["size"]
                assert blocks.pop(at) == block["size"]
                check_frames(block["frames"])
                at += block["size"]
            assert at == segment["address"] + segment["total_size"], "blocks do not tile it"
            assert segment["allocated_size"] == segment["active_size"] == segment["total_size"]
            left[segment["address"]] = segment["total_size"]
        assert left == segments and not blocks and not pending
        result.append(dict(allocs=allocs, peak=peak, live=total, ooms=ooms, requested=sum(
            s["requested_size"] for s in snapshot["segments"] if s["device"] == device)))
    assert all(s["device"] < len(snapshot["device_traces"]) for s in snapshot["segments"])
    return result


# ---- massif ------------------------------------------------------------------------------------------


def massif_tree(lines, depth=0):
    """(bytes, what, children)"""
    match = re.fullmatch(r"( *)n(\d+): (\d+) (.*)", next(lines))
    assert match and len(match[1]) == depth, match
    children = [massif_tree(lines, depth + 1) for _ in range(int(match[2]))]
    assert sum(child[0] for child in children) <= int(match[3])
    sizes = [child[0] for child in children if not child[1].startswith("in ")]
    assert sizes == sorted(sizes, reverse=True)
    return int(match[3]), match[4], children


def massif(text):
    """(time unit, [(time, bytes, kind, tree or None)])"""
    lines = iter(text.splitlines())
    assert re.fullmatch(r"desc: .*", next(lines)) and re.fullmatch(r"cmd: .*", next(lines))
    unit = re.fullmatch(r"time_unit: (i|ms|B)", next(lines))[1]
    snapshots = []
    for line in lines:
        assert line == "#-----------" and next(lines) == f"snapshot={len(snapshots)}" and next(lines) == "#-----------"
        time, heap = (int(re.fullmatch(name + r"=(\d+)", next(lines))[1]) for name in ("time", "mem_heap_B"))
        assert next(lines) == "mem_heap_extra_B=0" and next(lines) == "mem_stacks_B=0"
        kind = re.fullmatch(r"heap_tree=(empty|detailed|peak)", next(lines))[1]
        tree = None if kind == "empty" else massif_tree(lines)
        assert not tree or tree[0] == heap
        assert not snapshots or time >= snapshots[-1][0]
        snapshots.append((time, heap, kind, tree))
    assert sum(s[2] == "peak" for s in snapshots) <= 1
    return unit, snapshots
