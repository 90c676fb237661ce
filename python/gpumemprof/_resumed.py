"""Generators, coroutines and asynchronous generators that `profile` decorates: each stretch in which they run is measured."""
from __future__ import annotations

import functools
import types
from typing import Any, Callable, Tuple

Where = Tuple[str, str, int]


def _steps(inner: Any, m: Any, where: Where, done: Callable) -> Any:
    """Runs a generator or coroutine by its send and throw, measuring each stretch. A generator."""
    from ._measure import _Scope
    method, argument = inner.send, None
    try:
        while True:
            scope = _Scope(m, where)
            try:
                value = method(argument)
            except StopIteration as end:
                return end.value
            finally:
                scope.end()
            try:
                argument = yield value
                method = inner.send
            except GeneratorExit:
                scope = _Scope(m, where)
                try:
                    inner.close()
                finally:
                    scope.end()
                raise
            except BaseException as thrown:  # what the caller throws is the function's to handle
                method, argument = inner.throw, thrown
    finally:
        done(m)


def generator(function: Callable, name: str, where: Where, done: Callable) -> Callable:
    from ._measure import Measurement

    @functools.wraps(function)
    def measured(*args: Any, **kwargs: Any) -> Any:
        return (yield from _steps(function(*args, **kwargs), Measurement(name), where, done))
    return measured


@types.coroutine
def _awaited(inner: Any, m: Any, where: Where, done: Callable) -> Any:
    return (yield from _steps(inner, m, where, done))


def coroutine(function: Callable, name: str, where: Where, done: Callable) -> Callable:
    from ._measure import Measurement

    @functools.wraps(function)
    async def measured(*args: Any, **kwargs: Any) -> Any:
        return await _awaited(function(*args, **kwargs), Measurement(name), where, done)
    return measured


class _Driven:
    """What an asynchronous generator's step returns, to be awaited in measured stretches."""

    def __init__(self, step: Any, m: Any, where: Where):
        self._step, self._m, self._where = step, m, where

    def __await__(self) -> Any:
        return (yield from _steps(self._step.__await__(), self._m, self._where, lambda m: None))


def asynchronous_generator(function: Callable, name: str, where: Where, done: Callable) -> Callable:
    from ._measure import Measurement

    @functools.wraps(function)
    async def measured(*args: Any, **kwargs: Any) -> Any:
        inner, m = function(*args, **kwargs), Measurement(name)
        step: Any = inner.asend(None)
        try:
            while True:
                try:
                    value = await _Driven(step, m, where)
                except StopAsyncIteration:
                    return
                try:
                    step = inner.asend((yield value))
                except GeneratorExit:
                    await _Driven(inner.aclose(), m, where)
                    raise
                except BaseException as thrown:
                    step = inner.athrow(thrown)
        finally:
            done(m)
    return measured
