"""The cotangent of a tape's value: a parameter, where it stands, how it is checked.

It is called `seed`, `seed_2` beside a parameter of that name; it stands last, but
before `**kwargs`. Its default 1.0 is for real scalars alone.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from ..build import Builder, Names
from ..facts import COMPLEX, FLOAT, Fact
from ..records import replace
from ..renaming import Substitution
from ..tape import Atom, Block, Const, If, Op, Parameter, Raise, Tape, Var, fact_of_atom

_PLAIN = ("real", "unknown")


def fact_of_result(tape: Tape) -> Fact:
    """What is known of the value."""
    return fact_of_atom(tape.result)


def is_complex(fact: Fact) -> bool:
    """Whether a value is complex for certain."""
    return fact.kind == "complex" or (fact.dtype is not None and fact.dtype.kind == "c")


def seed_name(tape: Tape) -> str:
    """What the parameter is called that is none of the function's own."""
    taken = {p.var.name for p in tape.params}
    name, n = "seed", 2
    while name in taken:
        name, n = f"seed_{n}", n + 1
    return name


class _Apart(Substitution):
    """Other names for the variables that are called like a parameter to come."""

    def __init__(self, name: str, other: str) -> None:
        super().__init__({})
        self.name, self.other = name, other

    def var(self, var: Var) -> Var:
        """The variable under another name; the text calls it as before, if it can."""
        return replace(var, name=self.other) if var.name == self.name else var


def beside_seed(tape: Tape, names: Names) -> Tape:
    """The tape, with no variable called like the seed."""
    name = seed_name(tape)
    if name not in names.taken:
        return tape
    apart = _Apart(name, names.fresh(name))
    return replace(tape, block=apart.block(tape.block), result=apart.atom(tape.result))


def seed_of(tape: Tape, asked: Sequence[Parameter], names: Names) -> Parameter:
    """The parameter of a gradient that is none of the function's own."""
    fact = fact_of_result(tape)
    name = seed_name(tape)
    names.reserve(name)
    scalar = fact.is_scalar or fact.kind in _PLAIN or _of_any_rank(fact)
    known = _fact_of_seed(fact)
    twofold = is_complex(fact) or any(is_complex(p.var.fact) for p in asked)
    default = Const(1.0) if scalar and not twofold else None
    return Parameter(Var(name, known, name), "positional", default)


def _of_any_rank(fact: Fact) -> bool:
    """Whether an array may have no axes, as far as is known; the text checks."""
    return fact.kind == "array" and fact.rank is None


def _fact_of_seed(fact: Fact) -> Fact:
    """What is known of the seed: it is as complex as the value."""
    if is_complex(fact):
        return COMPLEX if fact.is_scalar else replace(fact, dtype=np.dtype(complex))
    if fact.is_scalar and fact.kind in ("array", "real"):
        return Fact("real", None, ())  # which a number is as well
    return FLOAT if fact.is_scalar else replace(fact, dtype=None)


def with_seed(params: tuple[Parameter, ...], seed: Parameter) -> tuple[Parameter, ...]:
    """The parameters of the gradient."""
    ahead = tuple(p for p in params if p.kind != "kwargs")
    optional = any(p.default is not None for p in ahead if p.kind == "positional")
    named = any(p.kind in ("args", "keyword") for p in ahead)
    if named or (optional and seed.default is None):
        seed = replace(seed, kind="keyword")
    return (*ahead, seed, *params[len(ahead) :])


def seed_value(result: Var, seed: Var, builder: Builder) -> Atom:
    """The cotangent as the reverse sweep starts from it: memory of its own."""
    if result.fact.kind != "array" or result.fact.is_scalar:
        return seed
    dtype = _type_of(result, builder)
    if _of_any_rank(result.fact):
        return builder.apply(np.array, seed, dtype)
    return builder.method("astype", seed, dtype)


def _type_of(result: Var, builder: Builder) -> Atom:
    """The type of the cotangents of an array: its own, or floats of whole numbers."""
    known = result.fact.dtype
    if known is None:
        return builder.apply(np.result_type, result, Const(1.0))
    if known.kind not in "fc":
        return Const(float, "float", "builtins")
    return builder.apply(
        getattr, result, Const("dtype"), form="attribute", spelling="dtype"
    )


def seed_check(tape: Tape, seed: Var, builder: Builder) -> tuple[Op, ...]:
    """Ops that raise ValueError where the seed has another shape than the value."""
    result, fact = tape.result, fact_of_result(tape)
    if not isinstance(result, Var) or fact.is_scalar:
        return ()
    if fact.kind not in ("array", *_PLAIN):
        return ()
    shapes = [builder.apply(np.shape, v) for v in (seed, result)]
    differ = builder.apply(operator.ne, *shapes, form="operator")
    inner = Builder(builder.infer, builder.names)
    message = f"{tape.name}_grad: seed must have the shape of the value"
    error = inner.apply(ValueError, Const(message))
    inner.ops.append(Raise(error))
    return (*builder.ops, If(differ, inner.block(), Block()))
