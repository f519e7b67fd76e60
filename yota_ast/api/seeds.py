"""The cotangent that a caller gives -> whether it fits, before and after the run.

>>> fits((1.0, {"a": 2.0}), (3.0, {"a": 4.0}))
True
>>> fits((1.0,), (3.0, 4.0)), fits([1.0, 2.0], np.ones(3))
(False, False)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import Any

import numpy as np

from yota_ast.errors import ShapeError, YotaError
from yota_ast.ir.abstract_values import Fact, fact_of
from yota_ast.ir.atoms import fact_of_atom
from yota_ast.ir.facts.complex_values import is_complex
from yota_ast.ir.facts.joined_facts import join
from yota_ast.ir.tape import Program
from yota_ast.support.value_classes import REAL_KINDS

_STRUCTURES = ("tuple", "list", "dict")
_WHOLE = ("int", "bool")
_RETURN = "Return numbers or arrays, or a tuple, list or dict of them."
_NO_NUMBER = ("none", "str", "object", "callable", "other")


def seed_options(program: Program, seed: Any) -> dict[str, object]:
    """The keyword arguments by which the text gets its seed.

    Raises ShapeError where there is none and the value is no real scalar, or where it
    is not built like the value; YotaError where the value has no gradient.
    """
    refuse_value(program)
    fact = _fact_of_value(program)
    name = program.name.removesuffix("_grad")
    if seed is None:
        default = next(p for p in program.params if p.var.name == program.seed).default
        if default is None:
            raise missing(name, fact)
        return {}
    if program.aux and fact.items:
        fact = fact.items[0]
    if not _built_like(seed, fact):
        raise _of_other_structure(name, fact)
    if fact.is_scalar and np.shape(seed) != ():
        raise _of_other_shape(name, fact)
    if is_complex(seed) and fact.is_number and not fact.is_complex:
        raise _complex(name)
    if isinstance(seed, (list, tuple)) and fact.kind not in _STRUCTURES:
        seed = np.asarray(seed)
    return {program.seed: seed}


def seed_of_one(program: Program, x: Any) -> Any:
    """The cotangent where x and the value are real arrays of shape (1,): SciPy takes
    the one item of such a value. None where they are not."""
    fact = _fact_of_value(program)
    if fact.kind != "array" or fact.dtype is None or fact.dtype.kind != "f":
        return None
    shape = fact.shape if isinstance(fact.shape, tuple) else ()
    units = [d is not None and (d.is_unit or d.size == 1) for d in shape]
    if np.shape(x) != (1,) or units != [True]:
        return None
    return np.ones(1, fact.dtype)


def refuse_value(program: Program) -> None:
    """Raise YotaError where the value is known to be nothing that has a gradient."""
    fact = _fact_of_value(program)
    if fact.kind in _NO_NUMBER:
        name = program.name.removesuffix("_grad")
        raise YotaError(f"{name} returns {fact}, which has no gradient", remedy=_RETURN)


def refuse_no_scalar(program: Program, x: Any) -> None:
    """Raise ShapeError where the value is known to be no real number; x: the argument
    that the derivative is in."""
    if seed_of_one(program, x) is not None:
        return
    name = program.name.removesuffix("_grad")
    default = next(p for p in program.params if p.var.name == program.seed).default
    if default is None:
        raise ShapeError(
            f"{name} returns {_fact_of_value(program)}, and a Hessian needs "
            "a real number",
            remedy="Return one number.",
        )


def refuse_complex(of: str, name: str, x: object, gradient: object) -> None:
    """Raise YotaError where a real argument has a complex gradient: a power of a
    negative float is complex, and the text was made for real ones."""
    if is_complex(gradient) and not is_complex(x):
        raise YotaError(
            f"{of.removesuffix('_grad')} takes powers of negative numbers, which are "
            "complex: its gradient was made for real ones",
            remedy=f"Pass a complex `{name}`.",
        )


def refuse_unlike(seed: Fact, name: str, value: Fact) -> None:
    """Raise ShapeError where a seed, by what is known of it, is not built like the
    value, or may be an array where that is a number, or is a number where that is an
    array; and YotaError where it is complex and the value real."""
    if not _is_built_like(seed, value):
        raise _of_other_structure(name, value)
    if not _is_number_like(seed, value):
        raise _of_other_shape(name, value)
    if not _is_real_like(seed, value):
        raise _complex(name)


def _is_built_like(seed: Fact, value: Fact) -> bool:
    if value.items is None:
        return True
    listed = seed.kind in ("tuple", "list") and value.kind != "dict"
    if not (listed or seed.kind == value.kind) or seed.items is None:
        return False
    if set(seed.keys or ()) != set(value.keys or ()):
        return False
    same = len(seed.items) == len(value.items)
    return same and all(map(_is_built_like, *_parts(seed, value)))


def _is_number_like(seed: Fact, value: Fact) -> bool:
    if value.items is None:
        return not value.rank if seed.is_scalar else not value.is_scalar
    return all(map(_is_number_like, *_parts(seed, value)))


def is_real(fact: Fact) -> bool:
    """Whether a value is a real number or array for certain."""
    known = fact.dtype is not None and fact.dtype.kind in REAL_KINDS
    return known or fact.kind in ("float", "int", "bool")


def _is_real_like(seed: Fact, value: Fact) -> bool:
    if value.items is None:
        return not (seed.is_complex and is_real(value))
    return all(map(_is_real_like, *_parts(seed, value)))


def _parts(seed: Fact, value: Fact) -> tuple[Sequence[Fact], Sequence[Fact]]:
    """The items of both, in the order of the value's."""
    given, items = seed.items or (), value.items or ()
    if value.keys is None:
        return given, items
    by_key = dict(zip(seed.keys or (), given, strict=True))
    return [by_key[key] for key in value.keys], items


def _of_other_structure(name: str, fact: Fact) -> ShapeError:
    return ShapeError(
        f"the seed must have the structure of the value of {name}, {fact}",
        remedy="Give it the items of the value.",
    )


def _of_other_shape(name: str, fact: Fact) -> ShapeError:
    kind = "a scalar" if fact.is_scalar else str(fact)
    return ShapeError(
        f"the seed must have the shape of the value of {name}, {kind}",
        remedy="Give a number: float(v)." if fact.is_scalar else "Give it that shape.",
    )


def _complex(name: str) -> YotaError:
    return YotaError(
        f"the seed is complex where the value of {name} is real",
        remedy="Give it the real part, or differentiate a complex value.",
    )


def missing(name: str, fact: Fact) -> ShapeError:
    """Why a value needs a seed: it is no real number."""
    error = _missing(name, fact)
    error.value = fact
    return error


@contextmanager
def taking_no_seed() -> Iterator[None]:
    """Say of a missing seed what a transform that takes none has in its place."""
    try:
        yield
    except ShapeError as error:
        tell_in_place_of_seed(error)
        raise


def tell_in_place_of_seed(error: ShapeError) -> None:
    """Say what a transform that takes no seed has in its place."""
    if isinstance(error.value, Fact):
        error.remedy = _in_place_of_seed(error.value)


def _in_place_of_seed(value: Fact) -> str:
    pulled = "`vjp(f)`, whose pullback takes a seed"
    if value.kind == "tuple" and len(value.items or ()) == 2:
        first = "Pass `has_aux=True` to differentiate the first item alone"
        return f"{first}, or call `jacobian(f)`, or {pulled}."
    if value.kind in _STRUCTURES or (value.kind == "array" and not value.is_scalar):
        return f"Call `jacobian(f)` for all derivatives, or {pulled}."
    return f"Call {pulled}."


def _missing(name: str, fact: Fact) -> ShapeError:
    if fact.kind in _STRUCTURES:
        remedy = "Pass `seed=`, built like the value."
        return ShapeError(
            f"{name} gives a {fact.kind}: a seed is needed", remedy=remedy
        )
    if fact.kind == "array" and not fact.is_scalar:
        remedy = "Pass `seed=`, an array of the shape of the value."
        return ShapeError(f"{name} gives an array: a seed is needed", remedy=remedy)
    return ShapeError(
        f"{name} takes or gives complex numbers: a seed is needed",
        remedy="Pass `seed=1.0`, or another cotangent of the value.",
    )


def _fact_of_value(program: Program) -> Fact:
    """What is known of the value, of that which a guard clause returns as well."""
    ends = (program.value, *(guard.value for guard in program.guards))
    return reduce(join, (fact_of_atom(end) for end in ends))


def _built_like(seed: object, fact: Fact) -> bool:
    """Whether a seed has the structure that is known of the value."""
    if fact.items is None:
        floats = fact.kind == "array" or (fact.is_number and fact.kind not in _WHOLE)
        return seed is not None or not floats
    if fact.kind == "dict":
        keys = fact.keys or ()
        if not isinstance(seed, Mapping) or set(seed) != set(keys):
            return False
        parts = [seed[k] for k in keys]
    elif isinstance(seed, (tuple, list)):
        parts = list(seed)
    else:
        return False
    same = len(parts) == len(fact.items)
    return same and all(map(_built_like, parts, fact.items))


def check_seed(program: Program, seed: object, value: Any) -> None:
    """Raise where, with the value known, the seed does not fit it after all."""
    name = program.name.removesuffix("_grad")
    if program.aux:
        value = value[0]
    if seed is not None:
        if not fits(seed, value):
            raise ShapeError(f"the seed must have the shape of the value of {name}")
        if _is_complex_alone(seed, value):
            raise _complex(name)
    elif value is None or isinstance(value, str):
        kind = type(value).__name__
        raise YotaError(
            f"the value of {name}, of {kind}, has no gradient", remedy=_RETURN
        )
    elif np.shape(value) != () or np.iscomplexobj(value):
        raise missing(name, fact_of(value))


def fits(seed: Any, value: Any) -> bool:
    """Whether a seed has the structure of a value and the shapes of its parts."""
    if isinstance(value, (tuple, list)):
        if not isinstance(seed, (tuple, list)) or len(seed) != len(value):
            return False
        return all(fits(s, v) for s, v in zip(seed, value, strict=True))
    if isinstance(value, dict):
        if not isinstance(seed, Mapping) or set(seed) != set(value):
            return False
        return all(fits(seed[k], v) for k, v in value.items())
    if value is None or isinstance(value, str):
        return True
    same: bool = np.shape(seed) == np.shape(value)
    return same


def _is_complex_alone(seed: Any, value: Any) -> bool:
    """Whether a seed that fits is complex where the value is real."""
    if isinstance(value, (tuple, list)):
        return any(map(_is_complex_alone, seed, value))
    if isinstance(value, dict):
        return any(_is_complex_alone(seed[k], v) for k, v in value.items())
    return is_complex(seed) and not is_complex(value)
