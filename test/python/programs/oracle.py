"""oracle.py - what lines and functions of a Python program should have: by traceback at each event, and by sys.setprofile for
when functions begin and end. It shares nothing with gpumemprof."""
import collections
import sys
import threading

import device

FILES = ("random_calls.py",)


def _shown(frame):
    return frame.f_code.co_filename.endswith(FILES)


def _name(frame):
    return getattr(frame.f_code, "co_qualname", frame.f_code.co_name)


class Oracle:
    """Figures of one thread at a time, added up under a lock."""

    def __init__(self):
        self.lock, self.local = threading.Lock(), threading.local()
        self.own, self.inclusive = collections.Counter(), collections.Counter()  # by line
        self.blocks, self.freed_here = collections.Counter(), collections.Counter()
        self.own_peak = collections.Counter()  # by function
        self.total = 0

    # ---- functions ----

    def _stack(self):
        if not hasattr(self.local, "stack"):
            self.local.stack = []  # [name, net, highest net]
        return self.local.stack

    def profile(self, frame, event, _):
        if not _shown(frame):
            return
        if event == "call":
            self._stack().append([_name(frame), 0, 0])
        elif event == "return" and self._stack():
            name, net, peak = self._stack().pop()
            with self.lock:
                self.own_peak[name] = max(self.own_peak[name], peak)

    # ---- events ----

    def event(self, size, added):
        frame, path = sys._getframe(1), []
        while frame:
            if _shown(frame):
                path.append((frame.f_lineno, _name(frame)))
            frame = frame.f_back
        for entry in self._stack():
            entry[1] += size if added else -size
            entry[2] = max(entry[2], entry[1])
        with self.lock:
            if added:
                self.total += size
                self.own[path[0]] += size
                self.blocks[path[0]] += 1
                for place in set(path):
                    self.inclusive[place] += size
            elif path:
                self.freed_here[path[0]] += size

    def start(self):
        device.Memory.observer = self.event
        sys.setprofile(self.profile)
        threading.setprofile(self.profile)

    def stop(self):
        sys.setprofile(None)
        threading.setprofile(None)
        device.Memory.observer = None

    def figures(self):
        def text(counter):
            return {f"{line} {name}": value for (line, name), value in counter.items() if value}
        return {"own": text(self.own), "inclusive": text(self.inclusive), "blocks": text(self.blocks),
                "freed_here": text(self.freed_here), "total": self.total,
                "own_peak": {name: peak for name, peak in self.own_peak.items() if peak}}
