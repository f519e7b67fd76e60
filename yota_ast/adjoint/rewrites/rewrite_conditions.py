"""Names in a pattern -> a condition over what is known of their operands.

A condition takes the rewriter and what the names stand for. `rank(a=2, b=(1, 2))` holds
where `a` has two axes and `b` one or two; `scalar("d")` where `d` has none.

>>> count("n")(None, {"n": Const(2)}), count("n")(None, {"n": Const(2.5)})
(True, False)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container
from typing import Final

import numpy as np

from yota_ast.adjoint.rewrites.rewrite_engine import Fn, Rewriter, fact
from yota_ast.adjoint.rewrites.rewrite_patterns import Bound, Condition
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ops.algebra import KEEPING, operated

FLAT: Final = (1, 2)
"""The ranks of vectors and matrices."""
STACK: Final = range(2, 65)
"""The ranks of matrices, and of stacks of matrices."""
SOME: Final = range(1, 65)
"""The ranks of arrays that have axes."""
ANY: Final = range(65)
"""All ranks."""


def rank(**wanted: int | Container[int]) -> Condition:
    """Operands have so many axes, or one of so many."""

    def holds(_: object, bound: Bound) -> bool:
        return all(_is_of(fact(bound[k]).rank, ranks) for k, ranks in wanted.items())

    return holds


def _is_of(known: int | None, ranks: int | Container[int]) -> bool:
    return known == ranks if isinstance(ranks, int) else known in ranks


def array(*names: str) -> Condition:
    """Operands are arrays."""
    return known(lambda f: f.kind == "array", *names)


def vector(name: str) -> Condition:
    """An operand is an array with one axis."""
    return known(lambda f: f.kind == "array" and f.rank == 1, name)


def scalar(*names: str) -> Condition:
    """Operands are numbers, or arrays without axes."""
    return known(lambda f: f.is_scalar, *names)


def truths(*names: str) -> Condition:
    """Operands are truth values of NumPy's, of which `~` is `not`."""
    return known(lambda f: f.dtype is not None and f.dtype.kind == "b", *names)


def floats(*names: str) -> Condition:
    """Operands hold real floats."""

    def holds(r: Rewriter, bound: Bound) -> bool:
        return all(_holds_floats(r, bound[name]) for name in names)

    return holds


def _holds_floats(r: Rewriter, atom: Atom) -> bool:
    """Say whether an operand holds real floats, however many bits they have: those of
    an array of floats and of other real numbers are such."""
    known_here = fact(atom)
    if known_here.dtype is not None or not isinstance(atom, Var):
        return known_here.dtype is not None and known_here.dtype.kind == "f"
    op = r.made.get(atom.name) if known_here.kind == "array" else None
    if op is None or operated(op.fn) not in (*KEEPING, "quotient"):
        return False
    held = [_holds_floats(r, each) for each in op.args]
    others = (a for a, is_held in zip(op.args, held, strict=True) if not is_held)
    return any(held) and all(is_real(fact(a)) for a in others)


def adds_numbers(r: Rewriter, one: Atom, other: Atom) -> bool:
    """Whether the sum of two operands is surely that of numbers: not "or", as of truth
    values, and not cut off at 8 bits."""
    pair = (one, other)
    if all(fact(a).kind == "int" for a in pair):
        return True
    return any(_holds_floats(r, a) or is_wide(fact(a)) for a in pair)


def is_wide(known: Fact) -> bool:
    """Whether a value makes floats, or integers of 64 bits, of all that it meets."""
    if known.is_complex or known.kind == "float":
        return True
    dtype = known.dtype
    return dtype is not None and (dtype.kind == "f" or dtype == np.int64)


def is_real(known: Fact) -> bool:
    """Whether a value is provably not complex."""
    if known.kind in ("float", "int", "bool", "real"):
        return not known.is_complex
    return known.dtype is not None and known.dtype.kind in "fiub"


def complex_(*names: str) -> Condition:
    """Operands hold complex numbers."""
    return known(lambda f: f.is_complex, *names)


def known(test: Callable[[Fact], bool], *names: str) -> Condition:
    """A test of what is known of operands."""
    return lambda _, bound: all(test(fact(bound[name])) for name in names)


def constant(test: Callable[[object], bool], *names: str) -> Condition:
    """Operands are literals, and a test of their values."""

    def holds(_: object, bound: Bound) -> bool:
        atoms: list[Atom] = [bound[name] for name in names]
        return all(isinstance(a, Const) and test(a.value) for a in atoms)

    return holds


def either(*conditions: Condition) -> Condition:
    """One of several conditions holds."""
    return lambda r, bound: any(condition(r, bound) for condition in conditions)


def without(condition: Condition) -> Condition:
    """A condition does not hold."""
    return lambda r, bound: not condition(r, bound)


def numeric(*names: str) -> Condition:
    """Operands are numbers or arrays of them."""
    return known(lambda f: f.is_numeric, *names)


def assuming_shapes(condition: Condition) -> Condition:
    """A condition that holds for arguments of these ranks alone, which is noted."""

    def holds(r: Rewriter, bound: Bound) -> bool:
        found = condition(r, bound)
        r.assumed.shapes |= found
        return found

    return holds


def same_shape(one: str, other: str) -> Condition:
    """Two operands have the same shape."""
    return lambda r, bound: r.assumed.same_shape(bound[one], bound[other])


def let(**values: Callable[..., Atom | None]) -> Condition:
    """Bind further names, each to the value of a function of operands; it holds where
    none is None."""

    def holds(_: object, bound: Bound) -> bool:
        for name, value in values.items():
            takes = inspect.signature(value).parameters
            bound[name] = value(*(bound[k] for k in takes))
        return all(bound[name] is not None for name in values)

    return holds


def made_by(fn: Fn, name: str) -> Condition:
    """An operand is the result of a function."""
    return lambda r, bound: r.maker(bound[name], fn) is not None


def literal(*names: str) -> Condition:
    """Operands are literals."""
    return constant(lambda _: True, *names)


def whole(*names: str) -> Condition:
    """Operands are literal whole numbers."""
    return constant(lambda n: type(n) is int, *names)


def count(*names: str) -> Condition:
    """Operands are literal whole numbers of at least 1."""
    return constant(lambda n: type(n) is int and n >= 1, *names)


# ---------------------------------------------------------------- reductions


def axes_at(axis: Atom, rank: int | None) -> tuple[int, ...] | None:
    """The axes that a literal setting names, from 0; () for all of them."""
    if not isinstance(axis, Const) or rank is None:
        return None
    if axis.value is None:
        return ()
    given = axis.value if isinstance(axis.value, tuple) else (axis.value,)
    if not all(type(k) is int for k in given):
        return None
    return tuple(k % rank for k in given) if rank else None


def axes_of(bound: Bound) -> tuple[int, ...] | None:
    """The axes of `x` that a reduction over `axis` takes away; () for all of them."""
    return axes_at(bound["axis"], fact(bound["x"]).rank)


def leads(_: Rewriter, bound: Bound) -> bool:
    """The result of a reduction of `x` broadcasts as it is: it kept the axes, or it
    took the leading ones away."""
    axes, keeps = axes_of(bound), bound["keepdims"]
    if axes is None or not isinstance(keeps, Const):
        return False
    return bool(keeps.value) or sorted(axes) == list(range(len(axes)))


def restores(r: Rewriter, bound: Bound) -> bool:
    """Bind the `index` that gives the result of a reduction its axes back."""
    axes = axes_of(bound)
    if axes is None or not isinstance(bound["keepdims"], Const) or leads(r, bound):
        return False
    axis = range(fact(bound["x"]).rank or 0)
    parts = (None if k in axes else slice(None) for k in axis)
    bound["index"] = Const(tuple(parts))
    return True


def is_truth(atom: Atom) -> bool:
    """Whether a value is True or False."""
    known = fact(atom)
    dtype = known.dtype if known.kind == "scalar" else None
    return known.kind == "bool" or (dtype is not None and dtype.kind == "b")
