"""A random program -> whether `vmap` of it is a loop over examples, or refuses.

Some arguments are drawn for several examples, and the others are shared. The values of
all examples are compared, and what is written into the arguments; then the gradients of
each example.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import yota_ast as ya
from yota_ast.errors import YotaError

from ..program import Drawn
from ..trial import Outcome, WrongError, _trace, outcome_of, reason
from .elsewhere import redrawn

EXAMPLES = 3


def try_batched(drawn: Drawn, number: int) -> Outcome:
    """Compare a batch with a loop."""
    return outcome_of(drawn, number, _tried)


def _tried(fn: Callable[..., Any], drawn: Drawn, number: int) -> Outcome:
    rng, random = np.random.default_rng(number), Random(number)
    plain = [k for k, x in enumerate(drawn.args) if isinstance(x, (float, np.ndarray))]
    if not plain or "np.empty(" in drawn.source or "random" in drawn.source:
        return Outcome("useless", "", drawn.source)
    mapped = {k for k in plain if random.random() < 0.6} or {plain[0]}
    args = [
        _examples(x, rng, random) if k in mapped else x
        for k, x in enumerate(copy.deepcopy(drawn.args))
    ]
    in_axes = tuple(0 if k in mapped else None for k in range(len(args)))
    shared = [k for k in plain if k not in mapped]
    names = [drawn.names[k] for k in shared or sorted(mapped)]
    first = _compared(fn, fn, drawn, args, in_axes)
    if first.kind != "right" or number % 2:
        return first
    return _compared(ya.value_and_grad(fn, wrt=names), fn, drawn, args, in_axes)


def _examples(x: Any, rng: np.random.Generator, random: Random) -> Any:
    drawn = [np.asarray(redrawn(x, rng, random)) for _ in range(EXAMPLES)]
    return np.stack(drawn)


def _compared(
    each: Callable[..., Any], fn: Callable[..., Any], drawn: Drawn, args: list[Any],
    in_axes: tuple[int | None, ...],
) -> Outcome:  # fmt: skip
    own = copy.deepcopy(args)
    rows = list(zip(own, in_axes, strict=True))
    try:
        wanted = [
            each(*(a if k is None else a[i] for a, k in rows)) for i in range(EXAMPLES)
        ]
    except YotaError as error:
        return Outcome("untaken", reason(error), drawn.source)
    except Exception as error:
        return Outcome("raises", type(error).__name__, drawn.source)
    given, batch = copy.deepcopy(args), ya.vmap(each, in_axes=in_axes)
    try:
        found = batch(*given)
    except YotaError as error:
        return Outcome("refused", reason(error), drawn.source)
    except ValueError as error:
        if "is not handled" in str(error) or ": made for" in str(error):
            return Outcome("refused", "by the code", drawn.source)
        raise WrongError("raised", f"{_trace(error)} {batch.source}") from error
    except Exception as error:
        raise WrongError("raised", f"{_trace(error)} {batch.source}") from error
    text = f"in_axes={in_axes}\n{args!r}\n{batch.source}"
    for i, one in enumerate(wanted):
        if not _alike(_example(found, i), one):
            raise WrongError("value", f"{_example(found, i)!r}, not {one!r} {text}")
    if not all(np.array_equal(a, b, equal_nan=True) for a, b in _arrays(given, own)):
        raise WrongError("arguments", f"{given!r}, not {own!r} {text}")
    return Outcome("right", "", drawn.source)


def _arrays(given: list[Any], own: list[Any]) -> Any:
    pairs = zip(given, own, strict=True)
    return [(a, b) for a, b in pairs if isinstance(a, np.ndarray)]


def _example(found: Any, i: int) -> Any:
    """The part of a result that is that of one example."""
    if isinstance(found, dict):
        return {k: _example(v, i) for k, v in found.items()}
    if isinstance(found, (list, tuple)):
        return [_example(v, i) for v in found]
    return None if found is None else found[i]


def _alike(found: Any, wanted: Any) -> bool:
    """Whether two values are equal within rounding, and of one make-up."""
    if isinstance(wanted, dict):
        return all(_alike(found[k], v) for k, v in wanted.items())
    if isinstance(wanted, (list, tuple)):
        pairs = zip(found, wanted, strict=True)
        return len(found) == len(wanted) and all(_alike(a, b) for a, b in pairs)
    if wanted is None:
        return found is None
    if np.shape(found) != np.shape(wanted):
        return False
    return np.allclose(found, wanted, rtol=1e-7, atol=1e-9, equal_nan=True)
