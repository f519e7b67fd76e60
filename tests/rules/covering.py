"""A use of a NumPy function -> right, refused, wrong or crashed, and why.

`python -m tests.rules.covering [ENTRY ...]` prints the counts of the lists: those of
NumPy, and with `--scipy` that of SciPy.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

import yota_ast as ya
from yota_ast.errors import InternalError, YotaError

from .check import added, inner, leaves, random_like
from .coverage_lists import DIFFERENTIABLE, ZERO, Use


def outcome(one: Use, seed: int = 3) -> tuple[str, str]:
    """What becomes of one use: its verdict, and a line that explains it."""
    values = one.sample(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _outcome(one, values)


def _outcome(one: Use, values: dict[str, Any]) -> tuple[str, str]:
    expected = one.fn(**one.sample(3))
    rng = np.random.default_rng(1)
    cotangent = random_like(expected, rng)
    wanted = [k for k, v in values.items() if leaves(v) and not np.isnan(v).any()]
    wanted = wanted or [k for k, v in values.items() if leaves(v)]
    wanted = [k for k in wanted if one.differentiated(k)]
    try:
        value, g = ya.grad(one.fn, *values.values(), wrt=wanted, seed=cotangent)
    except InternalError as why:
        return "crashed", f"{why.__cause__!r}"[:200]
    except YotaError as why:
        return "refused", f"{type(why).__name__}: {why}".split("\n")[0][:250]
    except Exception as why:  # of the text, or of the compiler
        return "crashed", f"{type(why).__name__}: {why}"[:200]
    if not same(value, expected):
        return "wrong", f"the value is {value!r}, not {expected!r}"[:200]
    for k in wanted:
        x, d = values[k], g[k]
        if np.shape(d) != np.shape(x) or np.result_type(d) != np.result_type(x):
            return "wrong", f"the gradient of {k} is {d!r}"[:200]
        v = random_like(x, rng)
        if np.isnan(x).any():
            v = np.where(np.isnan(x), 0, v)
        slope = directional(one, values, k, v, cotangent)
        got = inner(d, v)
        scale = max(abs(slope), float(np.sum(np.abs(np.asarray(d) * v))), 1e-3)
        if not abs(got - slope) < one.tolerance * scale:
            return "wrong", f"{k}: {got} instead of {slope}"
    return "right", ""


def same(a: Any, b: Any) -> bool:
    """Whether two values are of one type, and bit for bit the same."""
    if isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and np.array_equal(a, b, equal_nan=True)


def directional(one: Use, values: dict[str, Any], k: str, v: Any, dy: Any) -> float:
    """<dy, J v> by central differences of fourth order."""

    def at(h: float) -> float:
        return inner(dy, one.fn(**{**values, k: added(values[k], v, h)}))

    h = one.step
    near, far = (at(h) - at(-h)) / (2 * h), (at(2 * h) - at(-2 * h)) / (4 * h)
    return (4 * near - far) / 3


def main(names: list[str]) -> None:
    """Print a line for each use that is not right, then the counts."""
    tables = {"differentiable": DIFFERENTIABLE, "zero": ZERO}
    if "--scipy" in names:
        from .scipy_lists import CHECKS

        tables, names = {"scipy": CHECKS}, [n for n in names if n != "--scipy"]
    for title, table in tables.items():
        counts: dict[str, int] = {}
        uses: dict[str, int] = {}
        for name, entry in table.items():
            if names and name not in names:
                continue
            found = [outcome(one) for one in entry]
            for one, (verdict, why) in zip(entry, found, strict=True):
                uses[verdict] = uses.get(verdict, 0) + 1
                if verdict != "right":
                    text = one.text.replace("\n", "; ")
                    print(f"{verdict:8}{name:18}{text}   {why}", flush=True)
            verdicts = [v for v, _ in found]
            worst = [v for v in ("wrong", "crashed", "refused") if v in verdicts]
            some = "" if len(worst) == 0 else worst[0]
            some = some or "right"
            if some == "refused" and found[0][0] == "right":
                some = "partly refused"
            counts[some] = counts.get(some, 0) + 1
        print(f"# {title}: entries {counts}, uses {uses}")


if __name__ == "__main__":
    main(sys.argv[1:])
