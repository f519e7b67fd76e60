"""The cotangent of a value: its name in the text, its default, its shape.

>>> same_structure((1.0, {"a": 2.0}), (3.0, {"a": 4.0}))
True
>>> same_structure((1.0,), (3.0, 4.0))
False
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from .errors import ShapeError, YotaError
from .facts import Fact, fact_of
from .tape import Parameter, Program, Var

_STRUCTURES = ("tuple", "list", "dict")
_NO_NUMBER = ("none", "str", "object", "callable", "other")


def seed_parameter(program: Program) -> Parameter:
    """The parameter of a gradient that is none of the function's own."""
    return next(p for p in program.params if p.var.hint == "seed" and p.var.name != "seed"
                or p.var.name.startswith("seed"))  # fmt: skip


def seed_name(program: Program) -> str:
    """What the text calls the seed: `seed`, or `seed_2` beside a parameter `seed`."""
    return program.seed


def checked_seed(seed: object, program: Program) -> object:
    """The seed as the text takes it."""
    if isinstance(seed, (list, tuple)) and _result_fact(program).kind == "array":
        return np.asarray(seed)
    return seed


def missing_seed(program: Program, values: Mapping[str, object]) -> YotaError | None:
    """Why the gradient cannot be had without a seed, if so."""
    del values
    fact = _result_fact(program)
    if fact.kind in _NO_NUMBER:
        kind = f"{fact}"
        return YotaError(f"{_function(program)} gives {kind}, which has no gradient")
    if fact.kind in _STRUCTURES:
        return ShapeError(
            f"{_function(program)} gives a {fact.kind}, so its gradient needs a seed",
            remedy="Pass `seed=` with the same structure as the value.",
        )
    return None


def seed_error(program: Program, seed: object, value: Any = None) -> YotaError | None:
    """Why a seed does not fit the value."""
    del program, seed, value
    return None


def _function(program: Program) -> str:
    return program.name.removesuffix("_grad")


def _result_fact(program: Program) -> Fact:
    value = program.value
    return value.fact if isinstance(value, Var) else fact_of(value.value)


def same_structure(seed: object, value: object) -> bool:
    """Whether a seed has the structure of a value, and shapes of its parts."""
    if isinstance(value, (tuple, list)):
        if not isinstance(seed, (tuple, list)) or len(seed) != len(value):
            return False
        return all(same_structure(s, v) for s, v in zip(seed, value, strict=True))
    if isinstance(value, dict):
        if not isinstance(seed, Mapping) or set(seed) != set(value):
            return False
        return all(same_structure(seed[k], v) for k, v in value.items())
    return np.shape(seed) == np.shape(value)  # type: ignore[arg-type]
