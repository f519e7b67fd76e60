"""A function -> what the compiler makes of each of its lines, and what it refuses.

The compiler itself is run, and asked what it met on its way. Where it refuses, the
statement is left out and it is run again, until nothing more is refused; what depends
on a statement that was left out is not looked at.

>>> import math
>>> def area(r):
...     if math.isqrt(r) > 3:
...         return math.gamma(r) * eval("r")
...     return math.pi * r * r
>>> found = explain(area)
>>> bool(found), [error.reason for error in found.refusals]  # doctest: +ELLIPSIS
(False, ['no rule is known for `eval`, ...'])
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from .api import names_of, request_for
from .callee import callee_of
from .errors import InternalError, Location, YotaError
from .explanation import Explanation, Line
from .frontend.watching import Place, Seen, Watch
from .pipeline import Request, compiled, differentiated

Fn = Callable[..., Any]
MOST: Final = 40
"""How many statements are left out before it is given up to look for more."""


def explain(
    f: Fn, /, *args: object, wrt: object = None, **kwargs: object
) -> Explanation:
    """What of f is supported: true if its gradient can be had; prints as a listing.

    args: example arguments as in `simplegrad`, which are not run; without any,
    annotations are read. wrt: as in `simplegrad`.
    """
    callee = callee_of(f)
    request, names = request_for(callee, args, kwargs, wrt)
    return explained(request, names)


def explained(request: Request, wrt: tuple[str, ...] | None) -> Explanation:
    """The same of what is asked of the compiler."""
    left_out: dict[Place, YotaError | None] = {}
    nowhere: list[YotaError] = []
    watch = Watch()
    whole = True
    for _ in range(MOST):
        watch = Watch(frozenset(left_out))
        try:
            _, program = differentiated(replace(request, watch=watch), wrt)
            if not left_out:
                compiled(program)
            break
        except InternalError:
            if not left_out:
                raise
            whole = False
            break
        except YotaError as error:
            seen = _statement_of(watch, error)
            if seen is None or seen.place in left_out:
                if seen is None or not left_out:
                    nowhere.append(error)
                whole = False
                break
            left_out[seen.place] = None if seen.lost else error
    refused = {place: e for place, e in left_out.items() if e is not None}
    lines = tuple(
        Line(seen, refused.get(place), _lost(seen, left_out))
        for place, seen in watch.seen.items()
    )
    return Explanation(
        request.fn, lines, (*refused.values(), *nowhere), tuple(nowhere), whole=whole
    )


def _lost(seen: Seen, left_out: dict[Place, YotaError | None]) -> bool:
    """Whether nothing is known of a statement, for want of what is refused."""
    return seen.place in left_out and left_out[seen.place] is None


def _statement_of(watch: Watch, error: YotaError) -> Seen | None:
    """The statement that is refused; of what is refused within a function of ours, the
    one that calls it."""
    found = watch.statement_at(error.at)
    for site in error.chain:
        if found is not None:
            break
        filename, _, line = site.rpartition(" in ")[0].rpartition(":")
        if line.isdecimal():
            found = watch.statement_at(Location(filename, int(line), sys.maxsize))
    return found
