"""What the runtime calls before each event: a generator of each thread, which is resumed.

Python runs handlers of signals in whatever code it comes to next, which is often this one, and what they raise is the program's: a
time limit, SystemExit, KeyboardInterrupt. A function may be interrupted before its first statement, and ctypes would drop the
exception. A generator is resumed inside of `try`, so that it is seen, and raised a little later in the program, again and again until it is there.
"""
from __future__ import annotations

import _thread
import ctypes
import functools
import gc
import itertools
import operator
import sys
import threading
import time
from types import FrameType
from typing import Any, Callable, Iterator, Optional

from . import _structures as c


def _without_collection(tell: Callable, frame: Optional[FrameType]) -> None:
    """A garbage collection may call CUDA, which must not happen here."""
    collects = gc.isenabled()
    if collects:
        gc.disable()
    try:
        tell(frame)
    finally:
        if collects:
            gc.enable()


def _raise_later(error: BaseException) -> None:
    """Raises it in this thread when it is in the program's code again. Python takes a class for that, and makes an object of it."""
    kind = type(error)
    same = type(kind.__name__, (kind,), {"__new__": lambda *_: error.with_traceback(None), "__module__": kind.__module__})
    thread = threading.get_ident()

    def later() -> None:
        time.sleep(0.001)
        while getattr(sys._current_frames().get(thread), "f_code", None) in _OWN_CODE:
            time.sleep(0.001)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(same))
    _thread.start_new_thread(later, ())  # threading.Thread would wait for it here


class Before:
    """The function for the runtime. tell(frame): says which functions are active, of which `frame` is the innermost; None: there
    are none. forget(): it was interrupted, and will say everything once more. failed(error): it has an error of its own."""

    SPARE = 16

    def __init__(self, tell: Callable, forget: Callable, failed: Callable):
        self._tell, self._forget, self._failed = tell, forget, failed
        outer = self

        class Thread(threading.local):
            def __init__(self) -> None:
                spare: list = []
                outer._add_steps(spare)
                self.step = functools.partial(next, itertools.chain.from_iterable(spare), None)

        step_of = operator.methodcaller("step")
        self.function = ctypes.cast(self._keep(c.BEFORE(functools.partial(step_of, Thread()))), ctypes.c_void_p)
        # A thread without a state of Python has no code of it, and must not wait for Python's lock: a thread that holds it may wait
        # for this one.
        self.has_code = ctypes.cast(ctypes.pythonapi.PyGILState_GetThisThreadState, ctypes.c_void_p)
        self.owner = ctypes.cast(ctypes.pythonapi.PyThreadState_GetInterpreter, ctypes.c_void_p)  # not that of a subinterpreter

    def _keep(self, function: Any) -> Any:
        self._kept = function
        return function

    def _add_steps(self, spare: list) -> None:
        """Where Python's stack is full, the resumption of a generator fails and ends it, and the next one takes its place."""
        spare.extend(map(self._steps, [spare] * self.SPARE))

    def _steps(self, spare: list) -> Iterator[None]:
        resumed = False
        while True:
            try:
                while True:
                    if resumed:
                        yield
                    else:
                        resumed = True
                        self._add_steps(spare)
                    _without_collection(self._tell, sys._getframe(0).f_back)
            except GeneratorExit:
                return
            except BaseException as error:  # noqa: BLE001
                self._interrupted(error, sys._getframe(0).f_back)

    def _interrupted(self, error: BaseException, frame: Optional[FrameType]) -> None:
        """What comes from elsewhere does not come a second time."""
        try:
            self._forget()
            _without_collection(self._tell, frame)
        except Exception as repeated:  # noqa: BLE001
            if "RecursionError" not in repr(repeated):  # Python's stack is full: without an answer, the runtime charges the library
                self._failed(repeated)
        else:
            _raise_later(error)


_OWN_CODE = {function.__code__ for function in (_without_collection, _raise_later, Before._steps, Before._interrupted)}
