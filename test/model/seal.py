"""seal.py - a model of how a capture is sealed (life/seal.c) while threads make events.

Stores of a thread may become visible late, in their order, as on x86: they wait in a buffer. An exchange, or a barrier,
empties it. An event marks its thread busy, reads the state, writes its figure under a lock, and is not busy any more.
The sealing thread changes the state, passes a barrier in every thread, waits until none is busy, and adds up. If the
sums are published in the end, they are those of the figures.
"""
from explore import DONE, Broken

RECORDING, SEALED, SEALING = "recording", "sealed", "sealing"


class Seal:
    """events: how many each thread makes. fault: what is left out."""

    def __init__(self, events, fault=None):
        self.fault, self.left = fault, list(events)
        self.at = ["mark"] * len(events) + ["seal"]
        self.buffers = [()] * len(events)  # stores to `busy` on their way
        self.busy = [0] * len(events)
        self.state, self.figure, self.published, self.sum = RECORDING, 0, None, None

    def copy(self):
        other = object.__new__(Seal)
        for name, value in self.__dict__.items():
            other.__dict__[name] = value.copy() if isinstance(value, list) else value
        return other

    def key(self):
        return (tuple(self.at), tuple(self.left), tuple(self.buffers), tuple(self.busy), self.state, self.figure,
                self.published, self.sum)

    def flush(self, t):
        while self.buffers[t]:
            self.store_arrives(t)

    def store_arrives(self, t):
        self.busy[t], self.buffers[t] = self.buffers[t][0], self.buffers[t][1:]

    def by_itself(self):
        for t, buffer in enumerate(self.buffers):
            if buffer:
                after = self.copy()
                after.store_arrives(t)
                yield f"{t}:store", after

    def step(self, t):
        return getattr(self, self.at[t])(t)

    # ---- an event

    def mark(self, t):
        if self.fault != "not busy":
            self.buffers[t] += (1,)
        return "check_state"

    def check_state(self, t):
        if self.state == SEALING:
            return None  # gpm_seal_break waits for a few stores
        if self.state == SEALED:  # an exchange
            self.flush(t)
            self.state = SEALING
            return "unseal"
        return "write"

    def unseal(self, t):
        self.published, self.state = None, RECORDING
        return "check_state"

    def write(self, t):
        self.flush(t)  # the lock is an exchange, so it empties the buffer, but after the state was read
        self.figure += 1
        return "leave"

    def leave(self, t):
        if self.fault != "not busy":
            self.buffers[t] += (0,)
        self.left[t] -= 1
        return "mark" if self.left[t] else DONE

    # ---- the thread that seals

    def seal(self, t):
        if self.state != RECORDING:
            return DONE
        self.state = SEALED
        return "barrier"

    def barrier(self, t):
        if self.fault != "no barrier":
            for other in range(len(self.buffers)):
                self.flush(other)
        return "wait"

    def wait(self, t):
        if any(self.busy):
            return None if self.state == SEALED else DONE  # broken by an event: it gives up
        return "add"

    def add(self, t):
        self.sum = self.figure
        return "publish"

    def publish(self, t):
        if self.state != SEALED:
            return DONE
        self.state = SEALING
        return "written"

    def written(self, t):
        self.published, self.state = self.sum, SEALED
        return DONE

    def check(self):
        pass

    def check_end(self):
        if self.published is not None and self.published != self.figure:
            raise Broken(f"the sum {self.published} is published, the figure is {self.figure}")
