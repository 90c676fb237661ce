"""Marks on Python's frames, by which an activation is known from the next call of the same function.

A frame holds a Token as its f_trace, which Python uses only while a debugger traces the frame; a debugger's own f_trace goes on
to be called. A token dies with its frame. Python 3.9 takes the line of a frame with an f_trace from the debugger, even for
tracebacks; there the mark is f_trace_opcodes, which a frame that is not traced does not use, and which each call begins without.
"""
from __future__ import annotations

import sys
from types import FrameType
from typing import Any

_LINES_STAY_RIGHT = sys.version_info >= (3, 10)


class Token:
    """Stands for a frame in the stack of its thread."""
    __slots__ = ("depth", "traced", "frame")

    def __init__(self, depth: int, traced: Any, frame: int):
        self.depth, self.traced, self.frame = depth, traced, frame

    def __call__(self, frame: FrameType, event: str, argument: Any) -> "Token":
        if self.traced is not None:
            following = self.traced(frame, event, argument)
            if following is not None:  # else Python goes on with the same function
                self.traced = following
        return self


def depth_of(frame: FrameType, tokens: list) -> int:
    """Where a frame is in the stack of its thread; -1: nowhere."""
    token: Any = frame.f_trace
    if type(token) is Token:
        return token.depth if token.depth < len(tokens) and tokens[token.depth] is token else -1
    if _LINES_STAY_RIGHT or not frame.f_trace_opcodes:
        return -1
    return next((one.depth for one in reversed(tokens) if one.frame == id(frame)), -1)


def mark(frame: FrameType, depth: int) -> Token:
    """Marks a frame as the one at that depth. An earlier mark is replaced."""
    traced: Any = frame.f_trace
    token = Token(depth, traced.traced if type(traced) is Token else traced, 0)
    if _LINES_STAY_RIGHT or traced is not None:
        frame.f_trace = token
    else:
        frame.f_trace_opcodes = True
        token.frame = id(frame)
    return token
