"""What other code does while `lines` is in force: `unusual.py CASE [LIBRARY]`. Each case fails by an assertion."""
import ctypes
import signal
import sys
import time

import gpumemprof
from device import MIB, Memory

cuda = ctypes.CDLL("libcudart.so.13")
address = ctypes.c_void_p()


def allocated(function):
    return sum(row["allocated"] for row in gpumemprof.summary("function") if row["function"] == function)


def block():
    cuda.cudaMalloc(ctypes.byref(address), ctypes.c_size_t(1000))
    cuda.cudaFree(address)


class Late(Exception):
    def __init__(self, one, two):
        super().__init__(one, two)


def until_interrupted():
    """True: an exception of a handler came out."""
    signal.setitimer(signal.ITIMER_REAL, 0.005)
    end = time.time() + 20
    try:
        while True:  # with a condition, Python 3.13 has an instruction that is not inside of `try`
            block()
            if time.time() > end:
                return False
    except (Late, SystemExit, KeyboardInterrupt) as error:
        assert error.args in ((1, 2), (7,), ()), error
        return True


def handlers():
    def late(*_):
        raise Late(1, 2)

    def leave(*_):
        sys.exit(7)
    with gpumemprof.lines():
        for handler in (late, leave, signal.default_int_handler):
            signal.signal(signal.SIGALRM, handler)
            for _ in range(30):
                assert until_interrupted(), handler
    everything = sum(row["allocated"] for row in gpumemprof.summary("function"))
    assert allocated("block") == everything > 0, gpumemprof.summary("function")


def full_stack():
    def down():
        block()
        return down()
    with gpumemprof.lines(path_filter="unusual.py"):
        for _ in range(50):
            try:
                down()
            except RecursionError:
                pass
        before = allocated("block")
        block()
        assert allocated("block") == before + 1000, gpumemprof.summary("function")


def library(path):
    """Threads of a library, which Python does not know, and for which a thread waits that holds Python's lock or not."""
    with gpumemprof.lines(path_filter="unusual.py"):
        for kind in (ctypes.CDLL, ctypes.PyDLL):
            assert kind(path).in_threads(4, 25) == 100
        block()
    assert allocated("block") == 1000, gpumemprof.summary("function")
    assert sum(row["allocated"] for row in gpumemprof.summary("function")) == 1000 + 200 * 3000


def traced():
    """A trace function that returns nothing goes on to be called."""
    seen = []

    def each(frame, event, _):
        seen.append((event, frame.f_lineno))

    def work():
        before = 1
        block()
        return before

    def run():
        seen.clear()
        sys.settrace(lambda frame, *_: each if frame.f_code is work.__code__ else None)
        work()
        sys.settrace(None)
        return list(seen)
    plain = run()
    with gpumemprof.lines():
        assert run() == plain and len(plain) == 4, (plain, seen)


def overlapping():
    """Of two `lines` the first ends first: the filter of the other stays in force."""
    outer = gpumemprof.lines("nowhere").start()
    inner = gpumemprof.lines("unusual.py").start()
    outer.stop()
    one = Memory(MIB)
    inner.stop()
    assert allocated("overlapping") == one.size, gpumemprof.summary("function")


def subinterpreter():
    try:
        import _interpreters
    except ImportError:
        return
    one = _interpreters.create()
    with gpumemprof.lines(path_filter="unusual.py"):
        _interpreters.run_string(one, "import ctypes\np = ctypes.c_void_p()\n"
                                      "ctypes.CDLL('libcudart.so.13').cudaMalloc(ctypes.byref(p), ctypes.c_size_t(500))\n")
        block()
    assert allocated("block") == 1000, gpumemprof.summary("function")


{case.__name__: case for case in (handlers, full_stack, library, traced, overlapping, subinterpreter)}[sys.argv[1]](*sys.argv[2:])
print("as it is without gpumemprof")
