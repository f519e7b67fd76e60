"""A random program -> whether code made from an example is right for other arguments.

Other numbers, so that branches turn; other whole numbers, so that loops make other
trips; whole numbers, lists, arrays of length 1, of fewer digits and of another byte
order for arrays, and None. The code gives the value and the gradients of the function
there, or raises what the function raises, or refuses by ValueError.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

import yota_ast as ya
from tests.adjoint.checking import inner, leaves, same_bits, seed_for
from yota_ast.errors import YotaError

from ..program import Drawn
from ..trial import (
    LARGEST,
    Case,
    Outcome,
    WrongError,
    outcome_of,
    outside,
    slopes_of,
)
from .first import First, first, size

DRAWS = 4
"""How many other arguments code is given."""


def try_elsewhere(drawn: Drawn, number: int) -> Outcome:
    """Run all checks of code given other arguments."""
    return outcome_of(drawn, number, _tried)


def _tried(fn: Callable[..., Any], drawn: Drawn, number: int) -> Outcome:
    known = first(fn, drawn, number)
    if isinstance(known, Outcome):
        return known
    try:
        function = ya.simplegrad(fn, *copy.deepcopy(drawn.args), wrt=known.case.asked)
    except YotaError as error:
        return Outcome("refused", f"simplegrad: {type(error).__name__}", drawn.source)
    random = Random(number)
    others = [_other(drawn.args, random) for _ in range(DRAWS)]
    seen = [_one(fn, drawn, function, known, args) for args in others]
    refused = seen.count("refused") == DRAWS
    return Outcome(
        "refused" if refused else "right", "elsewhere" * refused, drawn.source
    )


def _other(args: tuple[Any, ...], random: Random) -> tuple[Any, ...]:
    """Other arguments: numbers of the same kinds, and in one place another kind."""
    rng = np.random.default_rng(random.getrandbits(32))
    made = [redrawn(x, rng, random) for x in args]
    if random.random() < 0.5:
        at = random.randrange(len(made))
        made[at] = random.choice(KINDS)(made[at])
    return tuple(made)


def redrawn(x: Any, rng: np.random.Generator, random: Random) -> Any:
    """Another value of the same kind and shape."""
    if type(x) is int:
        return random.randrange(4)
    if isinstance(x, np.ndarray):
        return np.array(rng.uniform(-1, 1, x.shape))
    if isinstance(x, float):
        return float(rng.uniform(-1, 1))
    if isinstance(x, dict):
        return {k: redrawn(v, rng, random) for k, v in x.items()}
    return type(x)(redrawn(v, rng, random) for v in x)


def _of_array(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: change(x) if isinstance(x, np.ndarray) else x


def _of_axes(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return _of_array(lambda x: change(x) if x.ndim else x)


def _whole(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        return np.rint(3 * x).astype(int)
    return round(3 * x) if isinstance(x, float) else x


KINDS: list[Callable[[Any], Any]] = [
    _whole,
    _whole,
    lambda x: np.float64(x) if isinstance(x, float) else x,
    lambda x: np.array(x) if isinstance(x, float) else x,
    lambda x: np.array([x, x]) if isinstance(x, float) else x,
    _of_array(lambda x: x.astype("f4")),
    _of_array(lambda x: x.astype(">f8")),
    _of_axes(lambda x: x[:1]),
    _of_axes(lambda x: np.zeros((0, *x.shape[1:]))),
    _of_array(lambda x: x.tolist()),
    _of_axes(lambda x: np.asfortranarray(x)[::-1]),
    _of_axes(lambda x: np.concatenate([x, x])),
    _of_array(lambda x: float(np.sum(x))),
    lambda x: None,
]


def _one(
    fn: Callable[..., Any], drawn: Drawn, function: Any, known: First,
    args: tuple[Any, ...],
) -> str:  # fmt: skip
    """How one call fares: "right", "raises" or "refused"."""
    after, expected, error = copy.deepcopy(args), None, None
    before = outside(fn)
    try:
        expected = fn(*after)
    except Exception as raised:
        error = raised
    if (error is None and _holds_none(expected)) or outside(fn) != before:
        return "refused"  # what has no seed, or gives something else each time
    dy = known.dy if error else seed_for(expected, np.random.default_rng(1))
    given = copy.deepcopy(args)

    def wrong(kind: str, what: object) -> WrongError:
        return WrongError(f"elsewhere {kind}", f"{what} of {args!r}\n{function.source}")

    try:
        value, *rest = function.fn(*given, **_seed(known, dy))
    except Exception as raised:
        if isinstance(raised, ValueError):
            return "refused"
        if error is not None and not isinstance(raised, YotaError):
            return "raises"
        raise wrong("raised", f"{raised!r}, not {error!r},") from raised
    if error is not None:
        raise wrong("gave a value", f"{value!r}, not {error!r},")
    if not all(np.all(np.abs(x) < LARGEST) for x in leaves(expected)):
        return "refused"
    if not same_bits([value, *given], [expected, *after]):
        if _goes_on(fn, args, [expected, *after]):
            return "refused"
        raise wrong("primal", f"{(value, *given)!r}, not {(expected, *after)!r},")
    floats = Drawn(drawn.source, _floats(args), drawn.names, drawn.plain, False)
    case = Case(fn, floats, expected, after, None, known.case.asked)
    dy = 1.0 if isinstance(known.case.value, float) else dy
    _compare(case, dy, args, rest, wrong)
    return "right"


def _holds_none(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype == object
    parts = value.values() if isinstance(value, dict) else value
    within = isinstance(value, dict | list | tuple)
    return value is None or (within and any(map(_holds_none, parts)))


def _goes_on(fn: Callable[..., Any], args: tuple[Any, ...], last: Any) -> bool:
    """Whether a function gives another value each time, for it changes what is outside
    of it."""
    again = copy.deepcopy(args)
    return not same_bits([fn(*again), *again], last)


def _seed(known: First, dy: Any) -> dict[str, Any]:
    return {} if isinstance(known.case.value, float) else {"seed": dy}


def _floats(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same numbers as floats of full width."""

    def one(x: Any) -> Any:
        whole = isinstance(x, np.ndarray | np.generic)
        return np.asarray(x, float)[()] if whole and np.ndim(x) == 0 else (
            np.asarray(x, float) if whole else x
        )  # fmt: skip

    return tuple(one(x) for x in args)


def _compare(
    case: Case, dy: Any, given: tuple[Any, ...], gradients: list[Any],
    wrong: Callable[[str, object], WrongError],
) -> None:  # fmt: skip
    """Hold the gradients against differences, where the function is that of floats."""
    args = case.drawn.args
    try:
        as_floats = case.fn(*copy.deepcopy(args))
    except Exception:
        return
    same = [np.allclose(p, q, 1e-6) for p, q in zip(leaves(as_floats), leaves(case.value), strict=False)]  # fmt: skip
    if not all(same) or type(as_floats) is not type(case.value):
        return
    asked = [k for k in case.asked if list(leaves(args[k]))]
    found = dict(zip(case.asked, gradients, strict=True))
    for k, v, expected in slopes_of(case, dy):
        if k not in asked or not expected.error <= 1e-5 * max(
            abs(expected.value), 0.01
        ):
            continue
        if isinstance(args[k], np.ndarray) and np.shape(found[k]) != args[k].shape:
            raise wrong("shape", f"argument {k}: {found[k]!r}")
        got, scale = inner(found[k], v[k]), size(found[k], v[k])
        held = (*gradients, *leaves(given))
        single = any(getattr(d, "dtype", None) == np.float32 for d in held)
        part = 1e-3 if single else 1e-7
        bound = 20 * expected.error + part * max(scale, abs(expected.value), 0.1)
        if math.isnan(got) and _is_singular(case, dy, k):
            continue
        if math.isfinite(expected.value) and not abs(got - expected.value) <= bound:
            what = (
                f"argument {k}: {got!r} for {expected.value!r} +- {expected.error:.1g}"
            )
            raise wrong("gradient", what)


def _is_singular(case: Case, dy: Any, k: int) -> bool:
    """Whether the chain rule meets 0 times infinity at these arguments, so that `grad`
    gives nan for an argument too, as the conventions say."""
    _, g = ya.grad(case.fn, *copy.deepcopy(case.drawn.args), seed=dy)
    return not all(np.all(np.isfinite(x)) for x in leaves(g[k]))
