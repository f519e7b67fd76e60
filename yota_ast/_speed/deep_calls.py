"""A function -> the same, under which calls of any depth lie in one piece of memory.

In: a function that may be run again.  Out: one that runs it, and where Python's limit
of recursion ends it, runs it again in a thread with a larger stack and a larger limit:
what is found of the last line of a long function may rest on every line before.

Python keeps frames in pieces of 16 KiB that it asks of the system, and gives back as
soon as they are empty. A compiler goes up and down through some hundred calls, and so
across the edges of such pieces again and again: thousands of times the system maps a
piece, and clears it. Under a frame that asks for much room there is room for all.

>>> def depth(n):
...     return n and 1 + depth(n - 1)
>>> roomy(depth)(500), roomy(depth)(5000)
(500, 5000)
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, Final, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
_ROOM: Final = 70_000
"""Values on the stack of a frame: a little more than half of a mebibyte, so that it
gets a piece of one, and leaves the rest to the calls beneath. What nobody touches takes
no memory."""


_DEEP: Final = 40_000
"""Calls within each other, in the thread with the larger stack."""
_STACK: Final = 512 * 2**20
"""Bytes of that stack: 13 KiB for each call. What nobody touches takes no memory."""
_LOCK: Final = threading.Lock()
_IS_DEEP: Final = ContextVar("is deep", default=False)


def roomy(fn: F) -> F:
    """Run a function in a frame with much room; where that is short, in a thread."""

    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return fn(*args, **kwargs)
        except RecursionError:
            if _IS_DEEP.get():
                raise
        return _in_deep_thread(functools.partial(run, *args, **kwargs))

    run.__code__ = run.__code__.replace(co_stacksize=_ROOM)
    return functools.wraps(fn)(run)  # type: ignore[return-value]


def _in_deep_thread(call: Callable[[], Any]) -> Any:
    """The result of a call, or its error, from a thread that may go deep."""
    results: list[Any] = []
    errors: list[BaseException] = []
    context = copy_context()
    context.run(_IS_DEEP.set, True)

    def work() -> None:
        try:
            results.append(context.run(call))
        except BaseException as error:  # noqa: BLE001  the caller raises it
            errors.append(error)

    with _LOCK, _deep_recursion():
        thread = threading.Thread(target=work, name="yota_ast", daemon=True)
        thread.start()
        thread.join()
    if errors:
        raise errors.pop()
    return results[0]


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """Deep recursion and large stacks for a while; they are settings of the process."""
    limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK)
    sys.setrecursionlimit(max(_DEEP, limit))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
