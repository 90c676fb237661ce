"""recorder.py - a small stand-in for the runtime: turns events into the records of a capture, by the rules of
capture.h and ACCOUNTING.md, and writes the file.

It follows the format's specification and not the runtime's code, so that tests of the tool need no
program, no plugin and no device. `log` (when asked for) keeps the raw events for oracle.py, which knows nothing of records.
"""
import os
import re
import struct

NONE = 0xFFFFFFFF
HOST, CUSTOM = -1, -3
FUNCTION, BLOCK, CALL, NATIVE, USE = 1, 2, 3, 5, 6
PROFILED, ALLOCATES, AT_ADDRESS = 1, 2, 32768
BUDGET, NO_ALLOC, NO_LEAK = 16, 32, 64
STRINGS, SITES, LINES, NODES, CELLS, PAIRS, DEVICES, ACTIVATIONS, MAXIMA, MODULES, EVENTS = range(1, 12)
SAMPLES, CUDA_POOLS, CUSTOM_POOLS, NATIVE_MODULES, UNACCOUNTED, OOMS, STEPS, MARKS, VIOLATIONS, OPERANDS, STREAMS, USES, KERNELS, KERNEL_WORDS, PAGES, NAMES, NAME_TEXTS, NAMED = range(12, 30)
RECORD_SIZE = {STRINGS: 1, SITES: 64, LINES: 32, NODES: 128, CELLS: 128, PAIRS: 32, DEVICES: 512, ACTIVATIONS: 32,
               MAXIMA: 16, MODULES: 24, EVENTS: 1, CUSTOM_POOLS: 192, SAMPLES: 128, STEPS: 32, VIOLATIONS: 64, OPERANDS: 192, STREAMS: 32,
               USES: 32, KERNELS: 48, KERNEL_WORDS: 16, PAGES: 40, NAMES: 40, NAME_TEXTS: 1, NAMED: 16,
               CUDA_POOLS: 128, NATIVE_MODULES: 8, UNACCOUNTED: 48, MARKS: 64, OOMS: 464 + 64 * 40 + 64 * 24 + 16 * 24 + 16 * 32 + 64 * 24}
(LAUNCH, COPY, COPY_ROWS, FILL, FILL_ROWS, PREFETCH, LIBRARY, LIBRARY_CALL, UPLOAD, UPLOAD_ROWS, ADDRESSES, ANY, SHARED,
 UNSEEN, UNCHANGED, CHANGED, LIBRARY_ARGUMENTS, MANAGED_VARIABLES, CAPTURE_BEGINS, CAPTURE_ENDS,
 UNSEARCHED, UNSEARCHED_ROWS, DEVICE_CODE, STREAM_ENDS, CURRENT_DEVICE, OVERLAP) = range(1, 27)
SITE_SEVERAL = 1 << 14
PADDED = 32  # of an event: its padding follows
COMPLETE, STOPPED, DUMP, RANKED = 1, 2, 4, 32


def names_of(source, definition, macro):
    """First arguments of the lines of a .def file."""
    text = open(os.path.join(source, "include/gpumemprof", definition), encoding="utf-8").read()
    return re.findall(rf'^{macro}\(\w+,\s*"?(\w+)"?' if macro.endswith("KIND") else rf"^{macro}\((\w+),", text, re.M)


def this_boot():
    with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as file:
        return file.read().strip()


def number(value):
    """7 bits a byte, the lowest first."""
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


class Frame:
    def __init__(self, site, clock, function):
        self.site, self.entry_clock, self.function = site, clock, function
        self.call, self.node, self.active = None, None, None
        self.serial = None


class Recorder:
    def __init__(self, source, records_per_chunk=0, keep_log=False):
        self.kinds = names_of(source, "kinds.def", "GPUMEMPROF_KIND")
        self.counter_names = names_of(source, "counters.def", "GPUMEMPROF_COUNTER")
        self.per_chunk = records_per_chunk
        self.strings, self.text = {"": 0}, b"\0"
        self.sites, self.site_ids = [], {}
        self.lines, self.line_ids = [], {}
        self.nodes, self.node_ids = [], {}
        self.cells, self.cell_ids, self.streams = [], {}, []
        self.pairs, self.pair_ids = [], {}
        self.devices, self.device_ids, self.maxima = [], {}, []
        self.modules, self.pools, self.marks = [], [], []
        self.native_modules, self.unaccounted, self.names, self.name_text = [], [], [], b"\0"
        self.uses, self.kernels, self.kernel_words, self.used, self.pages = [], {}, [], {}, []
        self.delay = 100  # ticks from the latest allocation or free to a use; `used`: thread -> first value that was written, values by record
        self.named = []  # clock, cell, 0: blocks that got a label after their allocation
        self.cuda_pools, self.samples, self.ooms, self.steps, self.violations, self.operands = [], [], [], [], [], []
        self.threads, self.thread = {0: []}, 0
        self.blocks, self.clock, self.serial = {}, 0, 0
        self.counters = [0] * 64
        self.header = dict(flags=0, pid=os.getpid(), pid_start=1, start_realtime_ns=1700000000 * 10**9, first_ticks=1000,
                           first_ns=500, last_ticks=1000 + 3 * 10**9, last_ns=500 + 10**9, boot_id=this_boot(),
                           host=os.uname().nodename, runtime_version="0.1.0", executable="/opt/app",
                           command_line="./app", directory="/opt", stop_reason="", run=0, rank=0, ranks=0)
        self.log = [] if keep_log else None
        self.latest = {}  # thread -> the block it allocated, if that was its latest event
        self.stamps = {}  # thread -> clock and time that its first event is written from
        self.unwritten = False  # events are in the figures and not in the history
        self.history, self.places = None, {}  # thread -> (bytes, clock, time, address); name -> address
        self.node_of(None, None)
        self.device(HOST, "host", 0)
        self.device(0, "simulated device", 80 << 30)

    # -- tables ---------------------------------------------------------------------------------------

    def string(self, text):
        if text not in self.strings:
            data = text if isinstance(text, bytes) else text.encode()
            self.strings[text] = len(self.text)
            self.text += data + b"\0"
        return self.strings[text]

    def site(self, kind, flags=0, line=0, column=0, file="", function="", callee="", variable="", type="", size_expr="",
             source_line="", name="", budget=0):
        key = (kind, flags, line, column, file, function, callee, variable, type, size_expr, source_line, name, budget)
        if key not in self.site_ids:
            line_id = NONE
            if kind not in (FUNCTION, BLOCK, USE):
                place = (file, line, function)
                if place not in self.line_ids:
                    self.line_ids[place] = len(self.lines)
                    self.lines.append(dict(place=place, live=0, live_peak=0))
                line_id = self.line_ids[place]
            self.site_ids[key] = len(self.sites)
            self.sites.append(dict(key=key, kind=kind, profiled=bool(flags & PROFILED), line_id=line_id))
        return self.site_ids[key]

    def node_of(self, parent, site):
        key = (parent, site)
        if key not in self.node_ids:
            self.node_ids[key] = len(self.nodes)
            self.nodes.append(dict(parent=NONE if parent is None else parent, site=NONE if site is None else site,
                                   active_calls=0, calls=0, wall=0, own_max=0, own_sum=0, device_peak=0, failed=0,
                                   failed_bytes=0, oom=0))
        return self.node_ids[key]

    def device(self, ordinal, name, memory, uuid=bytes(16), free=None):
        """free: bytes of it that other programs left"""
        free = memory if free is None else free
        if ordinal in self.device_ids:
            record = self.devices[self.device_ids[ordinal]]
            record.update(name=name, memory_total=memory, memory_free=free, uuid=uuid)
            return
        self.device_ids[ordinal] = len(self.devices)
        self.devices.append(dict(ordinal=ordinal, name=name, memory_total=memory, memory_free=free, uuid=uuid, total=0, peak=0, peak_ticks=0,
                                 peak_clock=0, epoch=0, peak_node=NONE, live=[0] * 16, blocks=[0] * 16))
        self.maxima.append([])

    # -- scopes ---------------------------------------------------------------------------------------

    @property
    def stack(self):
        return self.threads.setdefault(self.thread, [])

    def enter(self, function, file, line, profiled=False, flags=0, budget=0):
        """flags: BUDGET (its bytes: budget), NO_ALLOC, NO_LEAK"""
        site = self.site(FUNCTION, (PROFILED if profiled else 0) | flags, line, file=file, function=function, budget=budget)
        self.push(site, (file, function), ("function", file, function, ""))

    def block(self, name, line, flags=PROFILED, budget=0):
        file, function = self.stack[-1].function
        self.push(self.site(BLOCK, flags, line, file=file, function=function, name=name, budget=budget), (file, function),
                  ("function", file, function, name))

    def push(self, site, function, key):
        frame = Frame(site, self.clock, function)
        frame.key = key
        self.serial += 1
        frame.serial = self.serial
        self.stack.append(frame)
        if self.log is not None:
            self.log.append(("enter", self.thread, frame.serial, key, self.path(False), self.sites[site]["profiled"]))
        if self.sites[site]["profiled"]:
            self.open_frames()
            frame.active["flags"] |= 1

    def call(self, line, flags=0, **more):
        frame = next(f for f in reversed(self.stack) if self.sites[f.site]["kind"] == FUNCTION)
        file, function = frame.function
        frame.call = self.site(CALL, flags | (ALLOCATES if "size_expr" in more or "variable" in more else 0), line, file=file,
                               function=function, **more)
        frame.call_key = ("line", file, line, function)

    def native_enter(self, path, address):
        """A function of code that was not rebuilt, by the ELF address at which it begins."""
        function = f"0x{address:x} in {os.path.basename(path)}"
        self.push(self.site(FUNCTION, AT_ADDRESS, file=path, function=function, variable=f"{address:x}"), (path, function),
                  ("function", path, function, ""))

    def native_call(self, path, address):
        """The call that the innermost of these functions has reached."""
        function, frame = f"0x{address:x} via {os.path.basename(path)}", self.stack[-1]
        frame.call = self.site(NATIVE, file=path, function=function, variable=f"{address:x}")
        frame.call_key = ("line", path, 0, function)

    def leave(self):
        frame = self.stack.pop()
        if self.log is not None:
            self.log.append(("leave", self.thread, frame.serial))
        if frame.active:
            self.fold(frame)

    def fold(self, frame):
        a, node = frame.active, self.nodes[frame.node]
        if a["flags"]:
            if a["flags"] & 2:
                self.other(1, frame.node)
                node["active_calls"] += 1
                node["own_sum"] += a["peak"]
                node["own_max"] = max(node["own_max"], a["peak"])
            if a["flags"] & 1:
                node["calls"] += 1
                node["wall"] += 300
            node["device_peak"] = max(node["device_peak"], self.peak_since(frame.entry_clock))
        if self.stack:
            parent = self.stack[-1].active
            parent["peak"] = max(parent["peak"], parent["net"] + a["peak"])
            parent["net"] += a["net"]
            parent["flags"] |= a["flags"] & 2

    def peak_since(self, clock):
        highest = 0
        for device, entries in zip(self.devices, self.maxima):
            if device["ordinal"] < 0:
                continue
            highest = max(highest, device["total"])
            for entry in entries:
                if entry["until"] > clock:
                    highest = max(highest, entry["total"])
        return highest

    def call_of(self, index):
        while index >= 0 and self.sites[self.stack[index].site]["kind"] == BLOCK:
            index -= 1
        call = self.stack[index].call if index >= 0 else None
        return self.site(0) if call is None else call

    def open_frames(self):
        for i, frame in enumerate(self.stack):
            if frame.active:
                continue
            node = 0
            if i:
                node = self.stack[i - 1].node
                if self.sites[frame.site]["kind"] != BLOCK:
                    node = self.node_of(node, self.call_of(i - 1))
            frame.node = self.node_of(node, frame.site)
            frame.active = dict(node=frame.node, flags=0, entry_clock=frame.entry_clock, net=0, peak=0)

    def line_node(self):
        if not self.stack:
            return self.node_of(0, self.site(0))
        self.open_frames()
        return self.node_of(self.stack[-1].node, self.call_of(len(self.stack) - 1))

    # -- events ---------------------------------------------------------------------------------------

    def path(self, with_call=True):
        """The keys on the current path, outermost first: what oracle.py sees."""
        keys = []
        for i, frame in enumerate(self.stack):
            is_block = self.sites[frame.site]["kind"] == BLOCK
            if i and not is_block:
                keys.append(self.call_key(i - 1))
            keys.append(frame.key)
        if with_call:
            keys.append(self.call_key(len(self.stack) - 1))
        return tuple(keys)

    def call_key(self, index):
        inner = self.stack[index] if index >= 0 else None
        while index >= 0 and self.sites[self.stack[index].site]["kind"] == BLOCK:
            index -= 1
        if index >= 0 and self.stack[index].call is not None:
            return self.stack[index].call_key
        return ("line", inner.function[0], 0, inner.function[1]) if inner else ("line", "", 0, "")

    def charge(self, amount):
        if self.stack:
            a = self.stack[-1].active
            a["flags"] |= 2
            a["net"] += amount
            a["peak"] = max(a["peak"], a["net"])

    def change(self, device, kind, amount, blocks, node):
        d = self.devices[device]
        self.clock += 1
        d["live"][kind] += amount
        d["blocks"][kind] += blocks
        old = d["total"]
        d["total"] += amount
        if d["total"] > d["peak"]:
            d.update(peak=d["total"], peak_clock=self.clock, peak_ticks=1000 + self.clock * 300, peak_node=node,
                     epoch=d["epoch"] + 1)
        entries = self.maxima[device]
        if d["total"] >= old:
            return
        while entries and entries[-1]["total"] <= old:
            entries.pop()
        entries.append(dict(until=self.clock, total=old))

    def cell(self, node, device, kind, stream=0):
        key = (node, device, kind, stream)
        if key not in self.cell_ids:
            self.cell_ids[key] = len(self.cells)
            self.cells.append(dict(node=node, device=device, kind=kind, stream=stream, allocated=0, blocks=0, requested=0, freed=0,
                                   freed_blocks=0, at_peak=0, at_peak_blocks=0, epoch=0, min=0, max=0, temporary=0,
                                   ticks=0, clock=0))
        return self.cell_ids[key]

    def keep_at_peak(self, cell):
        epoch = self.devices[cell["device"]]["epoch"]
        if cell["epoch"] != epoch:
            cell.update(at_peak=cell["allocated"] - cell["freed"], at_peak_blocks=cell["blocks"] - cell["freed_blocks"],
                        epoch=epoch)

    def stream(self, handle, device):
        """The number of its record, from 1."""
        if (handle, device) not in self.streams:
            self.streams.append((handle, device))
        return self.streams.index((handle, device)) + 1

    def malloc(self, name, size, kind="device", device=0, requested=None, stream=None):
        assert name not in self.blocks, f"{name} is allocated already"
        k = self.kinds.index(kind)
        if kind == "pinned":
            device = HOST
        elif kind == "custom":
            device = CUSTOM
        if device not in self.device_ids:
            self.device(device, f"simulated device {device}", 80 << 30)
        index = self.device_ids[device]
        node = self.line_node()
        number = self.cell(node, index, k, 0 if stream is None else self.stream(stream, index))
        cell = self.cells[number]
        self.keep_at_peak(cell)
        cell["allocated"] += size
        cell["requested"] += size if requested is None else requested
        cell["min"] = min(cell["min"], size) if cell["blocks"] else size
        cell["max"] = max(cell["max"], size)
        cell["blocks"] += 1
        self.change(index, k, size, 1, node)
        line = self.sites[self.nodes[node]["site"]]["line_id"]
        record = self.lines[line] if kind != "custom" else dict(live=0, live_peak=0)
        record["live"] += size
        record["live_peak"] = max(record["live_peak"], record["live"])
        self.blocks[name] = (number, size, line, self.clock)
        self.charge(size if kind not in ("pinned", "custom") else 0)
        self.latest[self.thread] = name
        self.event(0, number, name, size, 0 if requested is None else size - requested)
        if self.log is not None:
            self.log.append(("malloc", self.thread, name, size, kind, device, self.path()))

    def free(self, name):
        number, size, line, clock = self.blocks.pop(name)
        cell, node = self.cells[number], self.line_node()
        self.keep_at_peak(cell)
        cell["freed"] += size
        cell["freed_blocks"] += 1
        cell["clock"] += self.clock + 1 - clock
        cell["ticks"] += (self.clock + 1 - clock) * 300
        off_device = self.devices[cell["device"]]["ordinal"] < 0
        if self.devices[cell["device"]]["ordinal"] != CUSTOM:
            self.lines[line]["live"] -= size
        key = (number, node)
        if key not in self.pair_ids:
            self.pair_ids[key] = len(self.pairs)
            self.pairs.append(dict(cell=number, node=node, blocks=0, bytes=0))
        pair = self.pairs[self.pair_ids[key]]
        pair["blocks"] += 1
        pair["bytes"] += size
        self.change(cell["device"], cell["kind"], -size, -1, node)
        self.charge(0 if off_device else -size)
        cell["temporary"] += self.latest.pop(self.thread, None) == name and node > 0
        self.event(1, self.pair_ids[key], name)
        if self.log is not None:
            self.log.append(("free", self.thread, name, self.path()))

    def fail(self, size, oom):
        node = self.nodes[self.line_node()]
        node["failed"] += 1
        node["failed_bytes"] += size
        node["oom"] += oom
        self.counters[self.counter_names.index("failed_allocations")] += 1
        self.other(2, self.line_node(), size, int(oom))

    def oom(self, size, kind="device", device=0, free=0, total=0):
        """A failure, and who holds the memory of the device; ordinal `device`, free and total by the driver."""
        self.fail(size, True)
        index = self.device_ids.get(device)
        live = [0] * 32
        paths, lines = [], {}
        for number, c in enumerate(self.cells):
            held, blocks = c["allocated"] - c["freed"], c["blocks"] - c["freed_blocks"]
            if c["device"] != index or not blocks:
                continue
            live[c["kind"] * 2] += held
            live[c["kind"] * 2 + 1] += blocks
            paths.append((held, number, blocks))
            line = lines.setdefault(self.sites[self.nodes[c["node"]]["site"]]["line_id"], dict(bytes=0, blocks=0, kinds=0, node=(-1, 0)))
            line["bytes"] += held
            line["blocks"] += blocks
            line["kinds"] |= 1 << c["kind"]
            line["node"] = max(line["node"], (held, c["node"]))
        paths.sort(key=lambda path: -path[0])
        lines = sorted(lines.items(), key=lambda line: -line[1]["bytes"])
        pools = [(number, p["figures"][0], p["figures"][1]) for number, p in enumerate(self.cuda_pools) if p["device"] == index]
        custom = [(number, p["figures"][4], p["figures"][4] - p["figures"][0] + p["figures"][2], p["figures"][12])
                  for number, p in enumerate(self.pools) if p["device"] == index]
        scopes = [(thread, stack[-1].active) for thread, stack in sorted(self.threads.items(), key=lambda one: one[0] != self.thread)
                  if stack and stack[-1].active]
        rest = [sum(path[0] for path in paths[64:]), sum(path[2] for path in paths[64:])]
        other = [sum(line["bytes"] for _, line in lines[64:]), sum(line["blocks"] for _, line in lines[64:])]
        head = [1000 + self.clock * 300, self.clock, size, free, total, sum(live[::2]), sum(live[1::2]),
                sum(pool[1] for pool in pools), sum(pool[2] for pool in pools)]
        lists = (("<IIQQQII", [(line, v["node"][1], v["node"][0], v["bytes"], v["blocks"], v["kinds"], 0) for line, v in lines], 64),
                 ("<IIQQ", [(number, 0, held, blocks) for held, number, blocks in paths], 64),
                 ("<IIQQ", [(number, 0, used, reserved) for number, used, reserved in pools], 16),
                 ("<IIQQQ", [(number, 0, *figures) for number, *figures in custom], 16),
                 ("<IIqq", [(thread, a["node"], a["net"], a["peak"]) for thread, a in scopes], 64))
        counts = [min(len(list_), most) for _, list_, most in lists]
        record = struct.pack("<9Q4Q32QIIiIHH5I3II6Q", *head, *other, *rest, *live, self.line_node(), self.thread, device,
                             NONE if index is None else index, self.kinds.index(kind), 0, *counts,
                             *(len(list_) - count for (_, list_, _), count in zip(lists[2:], counts[2:])), 0, *[0] * 6)
        for (layout, list_, most), count in zip(lists, counts):
            record += b"".join(struct.pack(layout, *row) for row in list_[:count]).ljust(struct.calcsize(layout) * most, b"\0")
        assert len(record) == RECORD_SIZE[OOMS], len(record)
        self.ooms.append(record)

    # -- the history ------------------------------------------------------------------------------------

    def event(self, kind, record, name, size=None, padding=0):
        if self.history is None or self.unwritten:
            return
        address = self.places.setdefault(name, (len(self.places) + 1) << 20)
        done, clock, time, latest = self.history.get(self.thread, (b"", 0, 0, 0))
        between, now, distance = self.clock - clock - 1, 1000 + self.clock * 300 >> 6, (address - latest) // 512
        byte = kind | (4 if between else 0) | (8 if size is not None else 0) | (PADDED if padding else 0)
        done += bytes([byte]) + (number(between) if between else b"") + number(now - time) + number(record)
        done += number(distance * 2 if distance >= 0 else -distance * 2 - 1)
        if size is not None:
            done += number(size // 512 * 2 + 1 if size % 512 == 0 else size * 2)
        if padding:
            done += number(padding)
        self.history[self.thread] = (done, self.clock, now, address)

    def stamp(self, ticks):
        """The thread's first event is one that changes nothing: it is stamped then, and has the clock of now."""
        self.stamps[self.thread] = self.clock, ticks >> 6
        self.history[self.thread] = b"", *self.stamps[self.thread], 0

    def other(self, what, *numbers):
        if self.history is not None and not self.unwritten:
            done, clock, time, latest = self.history.get(self.thread, (b"", 0, 0, 0))
            done += b"\3" + number(what) + number(self.clock - clock) + b"".join(map(number, numbers))
            self.history[self.thread] = (done, clock, time, latest)

    # -- uses of memory -------------------------------------------------------------------------------

    def kernel(self, name, symbol="", words=(), unknown=False, file="", line=0):
        """words: (parameter, offset, name, whether it is a pointer)"""
        self.kernels[name] = dict(number=len(self.kernels), symbol=symbol, file=file, line=line, first=len(self.kernel_words),
                                  words=len(words), flags=int(unknown))
        self.kernel_words += [(self.kernels[name]["number"], *word) for word in words]

    def use_site(self):
        """That of the operation at the place of the current call."""
        site = self.call_of(len(self.stack) - 1)
        _, flags, line, column, file, function, callee, _, _, size_expr, *_ = self.sites[site]["key"]
        several = flags & SITE_SEVERAL
        return self.site(USE, several, line, column, file, function, callee, size_expr=size_expr if several else "") if line else site

    def unseen(self, path):
        self.uses.append((NONE, UNSEEN, 0, NONE, path, 0))

    def pages_of(self, name, runs, unseen):
        """The pages of a live block. runs: (state, how many, last use)."""
        first, clock = 0, self.blocks[name][3]
        for state, count, last in runs:
            self.pages.append((self.address(name), clock, last, first, count, "-rwb".index(state) | 4 * unseen, 1))
            first += count

    def use(self, what, values, kernel=None, stream=0):
        """An operation of the current call. It has no tick of the clock, but a time, as an event would have."""
        site = self.use_site() if self.stack else NONE
        record = (site, what, len(values), NONE if kernel is None else self.kernels[kernel]["number"], "", stream)
        if record not in self.uses:
            self.uses.append(record)
        if self.history is None or self.unwritten:
            return
        number_ = self.uses.index(record)
        done, clock, time, latest = self.history.get(self.thread, (b"", 0, 0, 0))
        first, known = self.used.setdefault(self.thread, (0, {}))
        repeats, now = known.get(number_) == list(values), 1000 + self.clock * 300 + self.delay >> 6
        done += b"\3" + number(4) + number(self.clock - clock) + number(max(now - time, 0)) + number(number_) + number(repeats)
        before = first
        for value in () if repeats else values:
            distance, before = (value - before + (1 << 63)) % (1 << 64) - (1 << 63), value
            done += number(distance * 2 if distance >= 0 else -distance * 2 - 1)
        known[number_] = list(values)
        self.used[self.thread] = values[0] if values and not repeats else first, known
        self.history[self.thread] = done, clock, max(now, time), latest

    def address(self, name):
        """Of a block that was allocated while the history was on."""
        return self.places[name]

    # -- the file ---------------------------------------------------------------------------------------

    def records(self):
        s = self.string
        yield SITES, 0, [self.pack_site(site) for site in self.sites]
        yield LINES, 0, [struct.pack("<IIII2Q", s(l["place"][0]), l["place"][1], s(l["place"][2]), 0, l["live"],
                                     l["live_peak"]) for l in self.lines]
        yield NODES, 0, [struct.pack("<II9QI44x", n["parent"], n["site"], n["active_calls"], n["calls"], n["wall"],
                                     n["own_max"], n["own_sum"], n["device_peak"], n["failed"], n["failed_bytes"],
                                     n["oom"], s(n.get("machine_stack", ""))) for n in self.nodes]
        yield CELLS, 0, [struct.pack("<IHH14Q4xI", c["node"], c["device"], c["kind"], c["allocated"] - c["requested"],
                                     c["allocated"], c["blocks"], c["freed"], c["freed_blocks"], c["clock"], c["temporary"],
                                     c["at_peak"], c["at_peak_blocks"], c["epoch"], c["min"], c["max"], c["ticks"],
                                     c["freed_blocks"], c["stream"])
                         for c in self.cells]
        if self.streams:
            yield STREAMS, 0, [struct.pack("<QH22x", handle, device) for handle, device in self.streams]
        yield PAIRS, 0, [struct.pack("<II8x2Q", p["cell"], p["node"], p["bytes"], p["blocks"]) for p in self.pairs]
        yield DEVICES, 0, [struct.pack("<iI128s2Q8x16s16x5Q24x32Q", d["ordinal"], d["peak_node"], d["name"].encode(),
                                       d["memory_total"], d["memory_free"], d["uuid"], d["total"], d["peak"],
                                       d["epoch"], d["peak_ticks"], d["peak_clock"],
                                       *(x for kind in zip(d["live"], d["blocks"]) for x in kind))
                           for d in self.devices]
        for thread, stack in self.threads.items():
            yield ACTIVATIONS, thread, [struct.pack("<IIQqq", a["node"], a["flags"], a["entry_clock"], a["net"], a["peak"])
                                        for a in (f.active for f in stack) if a]
        for owner, entries in enumerate(self.maxima):
            yield MAXIMA, owner, [struct.pack("<2Q", e["until"], e["total"]) for e in entries]
        for thread, (done, *_) in sorted((self.history or {}).items()):
            head = struct.pack("<4Q", thread + 1, *self.stamps.get(thread, (0, 0)), 0)
            yield EVENTS, thread, [bytes([byte]) for byte in head + done]
        if self.pools:
            yield CUSTOM_POOLS, 0, [struct.pack("<IIQI12x19Q8x", s(p["name"]), p["device"], p["handle"], p["flags"],
                                                *p["figures"]) for p in self.pools]
        if self.cuda_pools:
            yield CUDA_POOLS, 0, [struct.pack("<QHHI7Q56x", p["handle"], p["device"], p["flags"], p["site"], *p["figures"])
                                  for p in self.cuda_pools]
        if self.steps:
            yield STEPS, 0, [struct.pack("<3Q2I", *step) for step in self.steps]
        if self.named:
            yield NAMED, 0, [struct.pack("<Q2I", *one) for one in self.named]
        if self.violations:
            yield VIOLATIONS, 0, [struct.pack("<IHHIIQQQQQ8x", *v) for v in self.violations]
        if self.operands:
            yield OPERANDS, 0, [struct.pack("<IBBH4I18Q24x", o["site"], o["count"], o["signed"], 0, *map(s, o["names"]), o["changes"],
                                            *(x & (1 << 64) - 1 for x in o["values"]), o["bytes"]) for o in self.operands]
        if self.uses:
            yield USES, 0, [struct.pack("<IHHIIQ8x", site, what, values, kernel, s(path), stream)
                            for site, what, values, kernel, path, stream in self.uses]
        if self.kernels:
            yield KERNELS, 0, [struct.pack("<5IHH24x", s(name), s(k["symbol"]), s(k["file"]), k["line"], k["first"], k["words"],
                                           k["flags"]) for name, k in self.kernels.items()]
        if self.kernel_words:
            yield KERNEL_WORDS, 0, [struct.pack("<IHHII", kernel, parameter, offset, s(name), int(is_pointer))
                                    for kernel, parameter, offset, name, is_pointer in self.kernel_words]
        if self.pages:
            yield PAGES, 0, [struct.pack("<QQQIIHHI", *run, 0) for run in self.pages]
        if self.samples:
            yield SAMPLES, 0, [struct.pack("<QQIHH10Q24x", *sample) for sample in self.samples]
        if self.native_modules:
            yield NATIVE_MODULES, 0, [struct.pack("<2I", s(path), s(build_id)) for path, build_id in self.native_modules]
        if self.names:
            yield NAMES, 0, [struct.pack("<Q8I", *name, 0) for name in self.names]
            yield NAME_TEXTS, 0, [self.name_text[i:i + 1] for i in range(len(self.name_text))]
        if self.unaccounted:
            yield UNACCOUNTED, 0, [struct.pack("<IHHQqq16x", node, device, 0, calls, size, largest)
                                   for node, device, calls, size, largest in self.unaccounted]
        if self.ooms:
            yield OOMS, 0, self.ooms
        if self.marks:
            yield MARKS, 0, [struct.pack("<QQII40x", clock, 1000 + clock * 300, s(name), thread)
                             for name, clock, thread in self.marks]
        yield MODULES, 0, [struct.pack("<II2Q", s(path), s(version), 0x1000, sites) for path, version, sites in self.modules]

    def name_address(self, address, module, function, file, line, inner=False):
        """What an address of a native module is called, by `gpumemprof run` when the program has ended."""
        offsets = []
        for text in (function, file):
            offsets.append(len(self.name_text) if text else 0)
            self.name_text += text.encode() + b"\0" if text else b""
        self.names.append((address, module, *offsets, line, offsets[1], line, int(inner)))

    def pack_site(self, site):
        kind, flags, line, column, file, function, callee, variable, type_, size_expr, source_line, name, budget = site["key"]
        s = self.string
        return struct.pack("<HH12I4xQ", kind, flags, line, column, s(file), s(function), s(callee), s(variable),
                           s(type_), s(size_expr), s(source_line), s(name), NONE, site["line_id"], budget)

    def chunks(self):
        for type_, owner, records in self.records():
            step = self.per_chunk if self.per_chunk and type_ != EVENTS else max(len(records), 1)
            for at in range(0, max(len(records), 1), step):
                yield chunk(type_, owner, records[at:at + step], step if at + step < len(records) else 0)
        yield chunk(STRINGS, 0, [self.text], 0)  # last: packing the others adds texts

    def bytes(self):
        body = b"".join(self.chunks())
        h = self.header
        head = struct.pack("<8sIHHII8Q40s64s32s512s1024s512s256s64Q80xQ16xII944x", b"GMPROF\r\n", 0x01020304, 1, 0, 4096,
                           h["flags"], 4096 + len(body), h["pid"], h["pid_start"], h["start_realtime_ns"],
                           h["first_ticks"], h["first_ns"], h["last_ticks"], h["last_ns"],
                           h["boot_id"].encode(), h["host"].encode(), h["runtime_version"].encode(),
                           h["executable"].encode(), h["command_line"].encode(), h["directory"].encode(),
                           h["stop_reason"].encode(), *self.counters, h["run"], h["rank"], h["ranks"])
        return head + body


def chunk(type_, owner, records, room):
    """A chunk with exactly the room for `room` records when another follows, else with some to spare."""
    size = RECORD_SIZE[type_]
    payload = b"".join(records)
    wanted = room * size if room else len(payload) + (0 if type_ == STRINGS else 2 * size)
    total = (64 + wanted + 63) // 64 * 64
    if room:  # what rounding adds must be less than a record, or the chunk would not be full
        assert total - 64 - len(payload) < size, "choose more records per chunk"
    return struct.pack("<IIQQI36x", type_, size, total, len(payload), owner) + payload.ljust(total - 64, b"\0")
