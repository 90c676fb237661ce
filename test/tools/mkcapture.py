#!/usr/bin/env python3
"""mkcapture.py SOURCE FIXTURE CAPTURE [NAME=WORD | LINE]... - makes a capture from a text of events, one a line
(words NAME of it are replaced, LINEs come behind it):

  enter FUNCTION FILE LINE [profiled] [budget=SIZE] [no_alloc] [no_leak]      leave
  block NAME LINE [budget=SIZE] [no_alloc] [no_leak]               (with none of these it is profiled)
  call LINE [variable=V] [type=T] [size_expr="N * 4"] [callee=F] [column=C] [source_line="..."] [flags=N] [several]
                                         (several: of uses, those of several calls at one place)
  malloc NAME SIZE [KIND] [device=N] [requested=SIZE] [stream=N]   free NAME
  fail SIZE [oom]                         thread N                 repeat N ... end
  oom SIZE [KIND] [device=N] [free=SIZE] [total=SIZE]    a failure with its description: pools as the lines above say
  device N NAME MEMORY [UUID] [free=SIZE] host NAME                program COMMAND LINE       executable PATH
  rank N [RANKS]                          run NUMBER              pid NUMBER
  pool NAME [device=RECORD] [handle=N] [flags=N] [FIGURE=SIZE]...  (FIGURE: see POOL_FIGURES)
  cudapool [device=RECORD] [handle=N] [flags=N] [site=ID] [FIGURE=SIZE]...  (used reserved used_high reserved_high ticks looks threshold)
  sample first|change|exit|monitor [device=RECORD] [pool=ID] [FIGURE=SIZE]...  (used total ledger pools pooled rounding here elsewhere managed rss)
  step [ticks=N] [clock=N] [live=SIZE] [phase=N] [cycle=N]
  unaccounted CALLS BYTES LARGEST [device=RECORD]                    of the current line
  machine PATH BUILD_ID ADDRESS...        the machine stack of the current line, in one file; addresses are hexadecimal
  native_module PATH [BUILD_ID]           code that was not rebuilt, and its functions as scopes, by addresses in it:
  native_enter PATH ADDRESS               native_call PATH ADDRESS
  operands SITE [changes=N] [signed=BITS] [bytes=SIZE] NAME MIN MAX LATEST AT_LARGEST ...    of a call's size
  values RECORD VALUE...                  of its operands, of the event that follows
  kernel NAME SYMBOL [unknown] WORD...    a WORD is NAME, NAME? if it is no pointer, or NAME@PARAMETER.OFFSET
  launch KERNEL VALUE... [stream=N]       copy TO SIZE FROM [SIZE] [rows] [searched] [stream=N]   fill TO SIZE [rows] [stream=N]
  prefetch AT SIZE                        library VALUE...         (a VALUE is BLOCK, BLOCK+SIZE, host or a number)
  library_call VALUE...                   library_arguments VALUE...
  addresses VALUE...                      shared VALUE             any             stream_ends N   current_device N
  overlap N
  unchanged TO SIZE FROM                  changed TO SIZE FROM     of the source of a copy
  unseen PATH                             code that was not rebuilt
  pages BLOCK [unseen] RUN...             of a live block; a RUN is a state (r w b -), how many pages, and the last use: w3@2 -4
  delay TICKS                             of the uses that follow, behind the latest allocation or free
  counter NAME VALUE                      module PATH VERSION SITES                mark NAME
  named CLOCK CELL
  violation NODE budget|no_alloc|no_leak [where=NODE] [ticks=N] [clock=N] [times=N] [bytes=SIZE] [blocks=N]
  end complete | end stopped REASON | end running PID | end elsewhere HOST | end restarted | end copy   (else: killed)
  chunks N                                records per chunk, for each type
  stamp TICKS                             of the thread's first event, a failure
  history                                 keep the events that follow, as history=all does
  history off | on                        the events in between are in the figures alone
and after them, on the bytes of the file:
  set OFFSET u16|u32|u64 VALUE            truncate BYTES           text OFFSET STRING
  append HEX                              record TYPE NUMBER OFFSET u16|u32|u64 VALUE     chunk TYPE NUMBER FIELD VALUE
A # starts a comment, SIZE takes KiB, MiB and GiB. `-` as a name stands for the empty string.
"""
import shlex
import struct
import sys

import recorder
from recorder import Recorder

UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
WIDTHS = {"u16": "<H", "u32": "<I", "u64": "<Q"}
CHUNK_FIELDS = {"type": (0, "<I"), "record_size": (4, "<I"), "size": (8, "<Q"), "used": (16, "<Q"), "owner": (24, "<I")}


POOL_FIGURES = ("used", "pieces", "outside", "outside_pieces", "reserved", "segments", "used_peak", "reserved_peak",
                "peak_free", "peak_hole", "pieces_ever", "segments_ever", "hole", "growths", "fragmented", "passed_over",
                "need", "free", "growth_hole")


def size(text):
    for unit, factor in UNITS.items():
        if text.endswith(unit):
            return int(float(text[:-len(unit)]) * factor)
    return int(text, 0)


def start_time(pid):
    text = open(f"/proc/{pid}/stat", encoding="utf-8").read()
    return int(text.rsplit(")", 1)[1].split()[19])


class Maker:
    def __init__(self, source):
        self.r = Recorder(source)
        self.edits = []

    def run(self, lines):
        at = 0
        while at < len(lines):
            words = lines[at]
            at += 1
            if words[0] == "repeat":
                depth, end = 1, at
                while depth:
                    depth += (lines[end][0] == "repeat") - (lines[end] == ["end"])
                    end += 1
                for _ in range(int(words[1])):
                    self.run(lines[at:end - 1])
                at = end
            else:
                getattr(self, "do_" + words[0])(*words[1:])

    def do_enter(self, function, file, line, *flags):
        self.r.enter("" if function == "-" else function, "" if file == "-" else file, int(line), "profiled" in flags,
                     **self.budgets(flags))

    def do_native_module(self, path, build_id=""):
        self.r.native_modules.append((path, build_id))

    def do_name(self, address, module, function, file, line, *flags):
        self.r.name_address(int(address, 16), int(module), function, file, int(line), "inner" in flags)

    def do_native_enter(self, path, address):
        self.r.native_enter(path, int(address, 16))

    def do_native_call(self, path, address):
        self.r.native_call(path, int(address, 16))

    @staticmethod
    def budgets(words):
        flags, limit = 0, 0
        for word in words:
            if word.startswith("budget="):
                flags, limit = flags | recorder.BUDGET, size(word[7:])
            elif word != "profiled":
                flags |= {"no_alloc": recorder.NO_ALLOC, "no_leak": recorder.NO_LEAK}[word]
        return {"flags": flags, "budget": limit}

    def do_block(self, name, line, *flags):
        self.r.block(name, int(line), **(self.budgets(flags) if flags else {}))

    def do_leave(self):
        self.r.leave()

    def do_call(self, line, *more):
        values = dict(word.split("=", 1) for word in more if word != "several")
        if "column" in values:
            values["column"] = int(values["column"])
        flags = int(values.pop("flags", 0)) | ("several" in more and recorder.SITE_SEVERAL)
        self.r.call(int(line), flags, **values)

    def do_malloc(self, name, bytes_, *more):
        values = dict(word.split("=", 1) for word in more if "=" in word)
        kind = next((word for word in more if "=" not in word), "device")
        requested = size(values["requested"]) if "requested" in values else None
        self.r.malloc(name, size(bytes_), kind, int(values.get("device", 0)), requested,
                      int(values["stream"], 16) if "stream" in values else None)

    def do_free(self, name):
        self.r.free(name)

    def do_fail(self, bytes_, *more):
        self.r.fail(size(bytes_), "oom" in more)

    def do_oom(self, bytes_, *more):
        values = dict(word.split("=", 1) for word in more if "=" in word)
        kind = next((word for word in more if "=" not in word), "device")
        self.r.oom(size(bytes_), kind, int(values.get("device", 0)), *(size(values.get(key, "0")) for key in ("free", "total")))

    def do_thread(self, number):
        self.r.thread = int(number)

    def do_device(self, ordinal, name, memory, *more):
        free = next((size(word[5:]) for word in more if word.startswith("free=")), None)
        uuid = next((word for word in more if not word.startswith("free=")), "0" * 32)
        self.r.device(int(ordinal), name, size(memory), bytes.fromhex(uuid), free)

    def do_pool(self, name, *more):
        values = dict(word.split("=", 1) for word in more)
        record = {key: int(values.pop(key, default), 0) for key, default in (("device", "1"), ("handle", "0"), ("flags", "0"))}
        figures = [size(values.pop(key, "0")) for key in POOL_FIGURES]
        assert not values, values
        self.r.pools.append(dict(name=name, figures=figures, **record))

    @staticmethod
    def fields(words, **defaults):
        values = {key: size(str(value)) for key, value in defaults.items()}
        for word in words:
            key, value = word.split("=", 1)
            assert key in values, key
            values[key] = size(value)
        return values

    def do_cudapool(self, *words):
        v = self.fields(words, device=1, handle=0, flags=0, site=recorder.NONE, used=0, reserved=0, used_high=0,
                        reserved_high=0, ticks=0, looks=1, threshold=0)
        self.r.cuda_pools.append(dict(v, figures=[v[key] for key in (
            "used", "reserved", "used_high", "reserved_high", "ticks", "looks", "threshold")]))

    def do_sample(self, why, *words):
        v = self.fields(words, ticks=0, clock=0, pool=recorder.NONE, device=1, used=0, total=0, ledger=0, pools=0, pooled=0,
                        rounding=0, here=0, elsewhere=0, managed=0, rss=0)
        v["why"] = ("first", "change", "exit", "monitor").index(why) + 1
        self.r.samples.append([v[key] for key in ("ticks", "clock", "pool", "device", "why", "used", "total", "ledger", "pools",
                                                  "pooled", "rounding", "here", "elsewhere", "managed", "rss")])

    def do_step(self, *words):
        v = self.fields(words, ticks=0, clock=0, live=0, phase=0, cycle=0)
        self.r.steps.append(tuple(v.values()))

    def do_named(self, clock, cell):
        self.r.named.append((int(clock), int(cell), 0))

    def do_violation(self, node, budget, *words):
        v = self.fields(words, where=recorder.NONE, ticks=0, clock=0, times=0, bytes=0, blocks=0)
        kind = ("budget", "no_alloc", "no_leak").index(budget) + 1
        self.r.violations.append((int(node), kind, 0, v["where"], 0, v["ticks"], v["clock"], v["times"], v["bytes"],
                                  v["blocks"]))

    def do_operands(self, site, *words):
        options = [word for word in words if word.split("=")[0] in ("changes", "signed", "bytes") and "=" in word]
        v, words = self.fields(options, changes=1, signed=0, bytes=0), words[len(options):]
        names, rows = list(words[::5]), [[int(word) for word in words[i::5]] for i in range(1, 5)]
        self.r.operands.append(dict(v, site=int(site), count=len(names), names=names + [""] * (4 - len(names)),
                                    values=[x for row in rows for x in row + [0] * (4 - len(row))]))

    def do_values(self, record, *values):
        self.r.other(3, int(record), len(values), *(int(value) & (1 << 64) - 1 for value in values))

    def do_kernel(self, name, symbol, *words):
        made = []
        for at, word in enumerate(word for word in words if word != "unknown"):
            word, _, place = word.partition("@")
            parameter, _, offset = (place or f"{at}.0").partition(".")
            made.append((int(parameter), int(offset), word.rstrip("?"), not word.endswith("?")))
        self.r.kernel("" if name == "-" else name, "" if symbol == "-" else symbol, made, "unknown" in words)

    def address(self, text):
        if text == "host":
            return 0x7FFE00001000
        block, _, offset = text.partition("+")
        return self.r.address(block) + size(offset or "0") if block in self.r.places else int(text, 0)

    def do_launch(self, kernel, *values):
        stream = next((int(word[7:], 16) for word in values if word.startswith("stream=")), 0)
        self.r.use(recorder.LAUNCH, [self.address(word) for word in values if not word.startswith("stream=")],
                   "" if kernel == "-" else kernel, stream)

    def do_pages(self, block, *words):
        runs = [(word[0], *(int(x) for x in (word[1:] + ("" if "@" in word else "@0")).split("@"))) for word in words if word != "unseen"]
        self.r.pages_of(block, runs, "unseen" in words)

    def do_delay(self, ticks):
        self.r.delay = int(ticks)

    def do_copy(self, to, bytes_, source, *more):
        rows, searched, is_host = "rows" in more, "searched" in more, (source == "host" or source.startswith("0x")) and "of_device" not in more
        stream = next((int(word[7:], 16) for word in more if word.startswith("stream=")), 0)
        extent = next((word for word in more if word not in ("rows", "searched", "of_device") and not word.startswith("stream=")), bytes_)
        kinds = [[recorder.COPY, recorder.COPY_ROWS], [recorder.UNSEARCHED, recorder.UNSEARCHED_ROWS], [recorder.UPLOAD, recorder.UPLOAD_ROWS]]
        self.r.use(kinds[2 if searched else is_host][rows],
                   [self.address(to), size(bytes_), self.address(source), size(extent)], stream=stream)

    def do_fill(self, to, bytes_, *more):
        stream = next((int(word[7:], 16) for word in more if word.startswith("stream=")), 0)
        self.r.use(recorder.FILL_ROWS if "rows" in more else recorder.FILL, [self.address(to), size(bytes_)], stream=stream)

    def do_prefetch(self, at, bytes_):
        self.r.use(recorder.PREFETCH, [self.address(at), size(bytes_)])

    def do_library(self, *values):
        self.r.use(recorder.LIBRARY, [self.address(word) for word in values])

    def do_library_call(self, *values):
        self.r.use(recorder.LIBRARY_CALL, [self.address(word) for word in values])

    def do_library_arguments(self, *values):
        self.r.use(recorder.LIBRARY_ARGUMENTS, [self.address(word) for word in values])

    def do_addresses(self, *values):
        self.r.use(recorder.ADDRESSES, [self.address(word) for word in values])

    def do_unchanged(self, to, bytes_, source):
        self.r.use(recorder.UNCHANGED, [self.address(to), size(bytes_), self.address(source)])

    def do_changed(self, to, bytes_, source):
        self.r.use(recorder.CHANGED, [self.address(to), size(bytes_), self.address(source)])

    def do_capture_begins(self):
        self.r.use(recorder.CAPTURE_BEGINS, [])

    def do_capture_ends(self):
        self.r.use(recorder.CAPTURE_ENDS, [])

    def do_stream_ends(self, stream):
        self.r.use(recorder.STREAM_ENDS, [], stream=int(stream, 16))

    def do_overlap(self, stream):
        self.r.use(recorder.OVERLAP, [], stream=int(stream, 16))

    def do_current_device(self, which):
        self.r.uses.append((recorder.NONE, recorder.CURRENT_DEVICE, 0, recorder.NONE, "", int(which)))

    def do_any(self):
        self.r.use(recorder.ANY, [])

    def do_shared(self, at):
        self.r.use(recorder.SHARED, [self.address(at)])

    def do_unseen(self, path):
        self.r.unseen(path)

    def do_host(self, name):
        self.r.header.update(host=name, boot_id="another boot")

    def do_program(self, *words):
        self.r.header["command_line"] = " ".join(words)

    def do_executable(self, path):
        self.r.header["executable"] = path

    def do_rank(self, rank, ranks="0"):
        self.r.header.update(rank=int(rank), ranks=int(ranks))
        self.r.header["flags"] |= recorder.RANKED

    def do_run(self, number):
        self.r.header["run"] = int(number)

    def do_pid(self, number):
        self.r.header["pid"] = int(number)

    def do_counter(self, name, value):
        self.r.counters[self.r.counter_names.index(name)] = int(value)

    def do_module(self, path, version, sites):
        self.r.modules.append((path, version, int(sites)))

    def do_unaccounted(self, calls, bytes_, largest, device="device=1"):
        self.r.unaccounted.append((self.r.line_node(), int(device.partition("=")[2]), int(calls), size(bytes_), size(largest)))

    def do_machine(self, path, build_id, *addresses):
        self.r.native_modules.append((path, build_id))
        self.r.nodes[self.r.line_node()]["machine_stack"] = " ".join([path, *addresses])

    def do_mark(self, name):
        self.r.marks.append(("" if name == "-" else name, self.r.clock, self.r.thread))

    def do_stamp(self, ticks):
        self.r.stamp(int(ticks))

    def do_history(self, switch=None):
        if switch is None:
            self.r.history = {}
        else:
            self.r.unwritten = {"off": True, "on": False}[switch]

    def do_chunks(self, count):
        self.r.per_chunk = int(count)

    def do_end(self, how, *more):
        h = self.r.header
        if how == "complete":
            h["flags"] |= recorder.COMPLETE
        elif how == "stopped":
            h["flags"] |= recorder.STOPPED
            h["stop_reason"] = " ".join(more)
        elif how == "running":
            h.update(pid=int(more[0]), pid_start=start_time(int(more[0])))
        elif how == "restarted":
            h["boot_id"] = "another boot"
        elif how == "copy":
            h["flags"] |= recorder.DUMP
        elif how == "elsewhere":
            h.update(host=more[0], boot_id="another boot")
        else:
            raise ValueError(how)

    # -- on the file ----------------------------------------------------------------------------------

    def do_set(self, offset, width, value):
        self.edits.append(lambda data: put(data, int(offset, 0), WIDTHS[width], int(value, 0)))

    def do_text(self, offset, text):
        raw = text.encode().decode("unicode_escape").encode("latin-1")
        self.edits.append(lambda data: data[:int(offset)] + raw + data[int(offset) + len(raw):])

    def do_truncate(self, count):
        self.edits.append(lambda data: data[:int(count)] if int(count) >= 0 else data[:len(data) + int(count)])

    def do_append(self, digits):
        self.edits.append(lambda data: data + bytes.fromhex(digits))

    def do_record(self, type_, number, offset, width, value):
        def edit(data):
            kind = getattr(recorder, type_.upper())
            count = int(number)
            for at, head in chunks_of(data):
                if head[0] != kind:
                    continue
                held = head[3] // recorder.RECORD_SIZE[kind]
                if count < held:
                    return put(data, at + 64 + count * recorder.RECORD_SIZE[kind] + int(offset), WIDTHS[width],
                               int(value, 0))
                count -= held
            raise ValueError(f"no {type_} {number}")
        self.edits.append(edit)

    def do_chunk(self, type_, number, field, value):
        def edit(data):
            kind = getattr(recorder, type_.upper())
            at = [at for at, head in chunks_of(data) if head[0] == kind][int(number)]
            offset, width = CHUNK_FIELDS[field]
            return put(data, at + offset, width, int(value, 0))
        self.edits.append(edit)


def put(data, offset, width, value):
    raw = struct.pack(width, value)
    return data[:offset] + raw + data[offset + len(raw):]


def chunks_of(data):
    at = 4096
    while at < len(data):
        head = struct.unpack_from("<IIQQI", data, at)
        yield at, head
        at += head[2]


def main(source, fixture, capture, *more):
    maker = Maker(source)
    named = dict(one.split("=", 1) for one in more if " " not in one and "=" in one)
    text = [*open(fixture, encoding="utf-8"), *(one for one in more if " " in one or "=" not in one)]
    lines = [[named.get(word, word) for word in words] for line in text if (words := shlex.split(line, comments=True))]
    maker.run(lines)
    data = maker.r.bytes()
    for edit in maker.edits:
        data = edit(data)
    with open(capture, "wb") as out:
        out.write(data)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
