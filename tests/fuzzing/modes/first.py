"""A random program -> its gradient by `grad` and the differences that bear it out.

Every other mode starts from here: a program that `grad` refuses is not asked again.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import yota_ast as ya
from tests.adjoint.checking import inner, pairs, seed_for
from yota_ast.errors import InternalError, YotaError

from ..differences import Slope
from ..program import Drawn
from ..trial import Case, Outcome, is_refusal_of_text, prepared, slopes_of


@dataclass(frozen=True)
class First:
    """What is known of a program at first order.

    dy: a seed. gradients, directions and slopes by the position of the argument.
    """

    case: Case
    dy: Any
    gradients: dict[int, Any]
    directions: dict[int, Any]
    slopes: dict[int, Slope]

    @property
    def total(self) -> float:
        """<dy, J v>, as the gradients say it."""
        return sum(inner(d, self.directions[k]) for k, d in self.gradients.items())

    @property
    def size(self) -> float:
        """How large the parts of that sum are."""
        return sum(size(d, self.directions[k]) for k, d in self.gradients.items())


def first(fn: Callable[..., Any], drawn: Drawn, number: int) -> First | Outcome:
    """The program at first order; an outcome where there is nothing to go on from."""
    case = prepared(fn, drawn)
    if case is None or case.overflows:
        return Outcome("useless", "", drawn.source)
    if isinstance(case.error, YotaError):  # a transform within refuses, as called
        raise case.error
    if case.error is not None:
        return Outcome("raises", type(case.error).__name__, drawn.source)
    dy = seed_for(case.value, np.random.default_rng(number))
    try:
        _, g = ya.grad(fn, *copy.deepcopy(drawn.args), wrt=case.asked, seed=dy)
    except InternalError:
        raise
    except YotaError as error:
        return Outcome("untaken", type(error).__name__, drawn.source)
    except ValueError as error:
        if is_refusal_of_text(error):  # it is refused of every mode
            return Outcome("untaken", type(error).__name__, drawn.source)
        raise
    found = slopes_of(case, dy)
    return First(
        case, dy, {k: g[k] for k in case.asked},
        {k: v[k] for k, v, _ in found}, {k: s for k, _, s in found},
    )  # fmt: skip


def refused_by_data(error: Exception, drawn: Drawn) -> Outcome:
    """The outcome where generated code refuses what the data decide, as a kink at second
    order, under its own name; any other error is raised again."""
    name, _, why = str(error).partition(": ")
    decided = isinstance(error, ValueError) and not isinstance(error, YotaError)
    if decided and name.endswith(("_grad", "_jvp", "_hvp")):
        return Outcome("refused", why[:80], drawn.source)
    raise error


def size(d: Any, v: Any) -> float:
    """How large the parts of <d, v> are."""
    return sum(float(np.sum(np.abs(np.multiply(p, q)))) for p, q in pairs(d, v))


def is_off(got: float, expected: float, scale: float, part: float = 1e-7) -> bool:
    """Whether a number is not the expected one; what is not finite tells nothing."""
    if not math.isfinite(expected):
        return False
    return not abs(got - expected) <= part * max(scale, abs(expected), 1e-2)
