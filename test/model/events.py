"""events.py - a model of events under the lock of a device: repeats.c, ledger.c, entries.h, maxima.h, measures.c.

Threads allocate, free, and measure scopes. The model keeps the total after each event in the order of the lock, with
what each cell held, and computes from that what the figures have to be: in every state in which nobody holds the lock,
and, by at most the event under way, in all others, because the program may be killed there.
"""
from explore import DONE, Broken

CELLS = 2


class Events:
    """scripts: for each thread a list of ("alloc", cell, address, bytes), ("free", address) or ("measure",), which opens a scope,
    and the next one closes it. fault: what is left out."""

    def __init__(self, scripts, fault=None, before=()):
        self.scripts, self.fault = scripts, fault
        self.at = ["begin" if script else DONE for script in scripts]
        self.next = [0] * len(scripts)  # event of each thread
        self.found = [None] * len(scripts)  # what it has read
        self.read = [None] * len(scripts)  # a value that is about to be stored
        self.lock = None
        self.clock = self.total = self.peak = self.epoch = self.unknown = 0
        self.watched = self.limit = None  # None: no bound, as UINT64_MAX
        self.maxima = []  # (until, total), lowest last
        self.blocks = {}
        self.live, self.at_peak, self.kept = [0] * CELLS, [0] * CELLS, [0] * CELLS
        self.measure = None  # [peak, since when]
        self.totals = [0]  # after each event
        self.contents = (0, (0,) * CELLS)  # the highest total, and the cells then
        self.set_limit()
        self.began = len(before)
        for cell, address, size in before:
            self.totals.append(self.totals[-1] + size)
            self.blocks[address] = (cell, size)
            self.live[cell] += size
            self.clock, self.total, self.peak, self.epoch = self.clock + 1, self.total + size, self.total + size, self.epoch + 1
            self.contents = (self.peak, tuple(self.live))
            self.set_limit()

    def copy(self):
        other = object.__new__(Events)
        for name, value in self.__dict__.items():
            copied = isinstance(value, (list, dict)) and name != "scripts"
            other.__dict__[name] = value.copy() if copied else value
        return other

    def key(self):
        return (tuple(self.at), tuple(self.next), tuple(self.found), tuple(self.read), self.lock, self.clock, self.total, self.peak,
                self.epoch, self.unknown, self.watched, self.limit, tuple(self.maxima), tuple(sorted(self.blocks.items())), tuple(self.live),
                tuple(self.at_peak), tuple(self.kept), tuple(self.measure or ()), tuple(self.totals), self.contents)

    def by_itself(self):
        return ()

    def set_limit(self):
        self.limit = self.peak if self.watched is None else min(self.peak, self.watched)

    def step(self, t):
        event = self.scripts[t][self.next[t]]
        return getattr(self, f"{event[0]}_{self.at[t]}")(t, *event[1:])

    def ended(self, t):
        self.next[t] += 1
        self.found[t] = self.read[t] = None
        return "begin" if self.next[t] < len(self.scripts[t]) else DONE

    def take(self, t, following):
        """None: another thread has the lock."""
        if self.lock is not None and self.fault != "no lock":
            return None
        self.lock = t
        return following

    def release(self, t):
        self.lock = None
        return self.ended(t)

    def keep_at_peak(self, cell):
        if self.kept[cell] != self.epoch:
            self.at_peak[cell], self.kept[cell] = self.live[cell], self.epoch

    def note_event(self):
        self.totals.append(self.total)
        if self.total > self.contents[0]:
            self.contents = (self.total, tuple(self.live))
        if self.measure:
            self.measure[1] = max(self.measure[1], self.total)

    # ---- an allocation

    def alloc_begin(self, t, cell, address, size):
        return self.take(t, "check") or "wait"

    def alloc_check(self, t, cell, address, size):
        if address in self.blocks or self.total + size > self.limit:
            self.lock = None  # not a repeat
            return "wait"
        return "keep"

    def alloc_wait(self, t, cell, address, size):
        self.found[t] = "general"
        return self.take(t, "keep")

    def alloc_keep(self, t, cell, address, size):
        self.keep_at_peak(cell)
        self.read[t] = self.clock
        return "tick"

    def alloc_tick(self, t, cell, address, size):
        self.clock = self.read[t] + 1
        return "block"

    def alloc_block(self, t, cell, address, size):
        self.blocks[address] = (cell, size)
        return "cell"

    def alloc_cell(self, t, cell, address, size):
        self.live[cell] += size
        self.read[t] = self.total
        return "total"

    def alloc_total(self, t, cell, address, size):
        self.total = self.read[t] + size
        self.note_event()
        return "peak" if self.found[t] == "general" else "release"

    def alloc_peak(self, t, cell, address, size):
        if self.watched is not None and self.total > self.watched:
            self.measure[0] = self.watched = self.total
            self.set_limit()
        if self.total > self.peak:
            self.peak, self.epoch = self.total, self.epoch + 1
            self.set_limit()
        return "release"

    def alloc_release(self, t, cell, address, size):
        return self.release(t)

    # ---- a free

    def free_begin(self, t, address):
        self.found[t] = self.blocks.get(address)
        if self.found[t] is None:
            self.unknown += 1
            return self.ended(t)
        return self.take(t, "check") or "wait"

    def free_wait(self, t, address):
        return self.take(t, "check")

    def free_check(self, t, address):
        if self.blocks.get(address) != self.found[t] and self.fault != "no second check":
            self.unknown += 1  # freed meanwhile
            return self.release(t)
        self.read[t] = self.clock
        return "tick"

    def free_tick(self, t, address):
        self.clock = self.read[t] + 1
        return "maximum"

    def free_maximum(self, t, address):
        while self.maxima and self.maxima[-1][1] <= self.total:
            self.maxima.pop()
        self.maxima.append((self.clock, self.total))
        self.keep_at_peak(self.found[t][0])
        return "block"

    def free_block(self, t, address):
        self.blocks.pop(address, None)
        return "cell"

    def free_cell(self, t, address):
        self.live[self.found[t][0]] -= self.found[t][1]
        self.read[t] = self.total
        return "total"

    def free_total(self, t, address):
        self.total = self.read[t] - self.found[t][1]
        self.note_event()
        return "release"

    def free_release(self, t, address):
        return self.release(t)

    # ---- a measured scope

    def measure_begin(self, t):
        if self.measure:
            return self.take(t, "close")
        return self.take(t, "open")

    def measure_open(self, t):
        self.measure = [self.total, self.total]
        self.watched = self.total
        if self.fault != "limit not set":
            self.set_limit()
        return self.release(t)

    def measure_close(self, t):
        if self.measure[0] != self.measure[1]:
            raise Broken(f"a measured scope says {self.measure[0]} for {self.measure[1]}")
        self.measure = self.watched = None
        self.set_limit()
        return self.release(t)

    # ---- what must be

    def check(self):
        held = sum(size for _, size in self.blocks.values())
        most = 0
        if self.lock is not None:
            event = self.scripts[self.lock][self.next[self.lock]]
            most = event[3] if event[0] == "alloc" else self.found[self.lock][1] if event[0] == "free" else 0
        if abs(held - self.total) > most or abs(sum(self.live) - self.total) > most:
            raise Broken(f"total {self.total}, cells {self.live}, blocks {held}, at most {most} under way")
        if self.lock is None:
            self.check_figures()

    def check_figures(self):
        if self.clock != len(self.totals) - 1 or self.total != self.totals[-1]:
            raise Broken(f"clock {self.clock}, total {self.total}: events {self.totals}")
        if self.peak != max(self.totals) or self.peak != self.contents[0]:
            raise Broken(f"peak {self.peak}: totals {self.totals}")
        content = tuple(self.at_peak[c] if self.kept[c] == self.epoch else self.live[c] for c in range(CELLS))
        if content != self.contents[1]:
            raise Broken(f"at the peak {content}, but it was {self.contents[1]}")
        for clock in range(self.clock + 1):
            since = max([self.total] + [total for until, total in self.maxima if until > clock])
            if since != max(self.totals[clock:]):
                raise Broken(f"since {clock} {since}, but {max(self.totals[clock:])}: {self.maxima} of {self.totals}")

    def check_end(self):
        events = sum(event[0] != "measure" for script in self.scripts for event in script)
        counted = len(self.totals) - 1 - self.began
        if counted + self.unknown != events:
            raise Broken(f"{counted} events and {self.unknown} unknown frees of {events}")
