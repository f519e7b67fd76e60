"""Jacobians and Hessians one direction after the other, and how often code runs."""

from __future__ import annotations

import copy
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from yota_ast.api import direction_sweeps


@contextmanager
def one_by_one() -> Iterator[None]:
    """No code for many directions."""
    with patch.object(direction_sweeps, "batch_for", lambda *_: None):
        yield


@contextmanager
def calls_counted() -> Iterator[Counter[str]]:
    """How often the code of one direction is called, and that of many."""
    counts = Counter[str]()

    def counting(name: str, of: str) -> Any:
        called = getattr(direction_sweeps, name)

        def count(first: Any, *rest: Any) -> Any:
            many = of == "many" or str(first.__doc__).startswith("Derivatives")
            counts["many" if many else "one"] += 1
            return called(first, *rest)

        return patch.object(direction_sweeps, name, count)

    with counting("_run", "either"), counting("run_text", "many"):
        with counting("run_gradient", "one"):
            yield counts


def both_ways(
    make: Callable[..., Any], args: Sequence[Any]
) -> tuple[Any, Any, Counter[str]]:
    """What a transform gives by blocks and one by one, an error too, and the calls; and
    that both leave the arguments alike, and warn alike."""
    with one_by_one():  # first: SciPy warns where it is asked for dtypes
        wanted, left_too, warned_too = _outcome(make, args)
    with calls_counted() as counts:
        found, left, warned = _outcome(make, args)
    assert repr(left) == repr(left_too)
    assert warned <= warned_too
    return found, wanted, counts


def _outcome(make: Callable[..., Any], args: Sequence[Any]) -> tuple[Any, Any, Any]:
    given = copy.deepcopy(list(args))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = make()(*given)
        except Exception as error:
            found = error
    return found, given, {(w.category, str(w.message)) for w in caught}


def alike(found: Any, wanted: Any, tolerance: float = 1e-9) -> bool:
    """Whether two results are equal within rounding, of one structure, one shape and
    one dtype; or errors that say the same."""
    if isinstance(wanted, Exception):
        return type(found) is type(wanted) and str(found) == str(wanted)
    if type(found) is not type(wanted):
        return False
    if isinstance(wanted, dict):
        keys = [*found] == [*wanted]
        return keys and all(alike(found[k], wanted[k], tolerance) for k in wanted)
    if isinstance(wanted, (tuple, list)):
        pairs = zip(found, wanted, strict=False)
        return len(found) == len(wanted) and all(alike(*p, tolerance) for p in pairs)
    if wanted is None:
        return True
    a, b = np.asarray(found), np.asarray(wanted)
    scale = np.max(np.abs(b[np.isfinite(b)]), initial=1e-3)
    return (
        a.shape == b.shape
        and a.dtype == b.dtype
        and np.allclose(a, b, rtol=tolerance, atol=tolerance * scale, equal_nan=True)
    )
