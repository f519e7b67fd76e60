"""Blocks -> whether two of their values have floats of one width in every call.

Generated code is made for arrays of doubles, and serves those of float32 as well, some
or all of them. `w / w.sum()` has the dtype of `w` whatever the arguments are; `w / s`,
of which both are arguments, may have that of `s`.

A value is as wide as the widest of what it is made of. So it is enough to ask what the
widths are where one argument alone is of doubles, each in turn.

>>> import operator
>>> from yota_ast.analysis.engine import defined_in
>>> from yota_ast.ir.abstract_values import array_fact
>>> from yota_ast.nesting.call_inference import infer
>>> from yota_ast.ir.nodes import Block
>>> w, s, y, z = (Var(name, array_fact("f8", (None,))) for name in "wsyz")
>>> ops = Apply(y, np.exp, (w,)), Apply(z, operator.truediv, (w, s))
>>> widths = FloatWidths(defined_in(Block(ops)), infer)
>>> widths.same(w, y), widths.same(w, z)
(True, False)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.analysis.engine import (
    Analysis,
    DefinedBy,
    inputs_of,
    made_of,
)
from yota_ast.ir.abstract_values import Fact, same_dtype
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.builder import Infer
from yota_ast.ir.nodes import Apply, For, Store, While

_NARROW: Final = {"f": np.dtype("f4"), "c": np.dtype("c8")}
_WIDE: Final = {"f": np.dtype("f8"), "c": np.dtype("c16")}
_NOTHING: Final = Fact("nothing")
_UNKNOWN: Final = Fact("unknown")


class FloatWidths:
    """Compares the widths of values, whatever those of the arguments are."""

    def __init__(self, defined_by: DefinedBy, infer: Infer) -> None:
        self.defined_by, self.infer = defined_by, infer
        self.facts: dict[str, _Facts] = {}

    def same(self, one: Atom, other: Atom) -> bool:
        """Return whether two values have one dtype in every call."""
        behind = made_of((one, other), self.defined_by, inputs_of)
        outside = sorted(v.name for v in behind if not self.defined_by(v.name))
        return all(self._same(one, other, wide) for wide in ("", *outside))

    def _same(self, one: Atom, other: Atom, wide: str) -> bool:
        if wide not in self.facts:
            self.facts[wide] = _Facts(self.defined_by, self.infer, wide)
        facts = self.facts[wide]
        return same_dtype(facts.of(one).dtype, facts.of(other).dtype)


class _Facts(Analysis[Fact]):
    """What values are where one argument alone, or none, has wide floats."""

    bottom = _NOTHING

    def __init__(self, defined_by: DefinedBy, infer: Infer, wide: str) -> None:
        super().__init__(defined_by)
        self.infer, self.wide = infer, wide

    def join(self, facts: Iterable[Fact]) -> Fact:
        """Return what is known of one of several values: all, or nothing."""
        found = {(f.kind, f.dtype): f for f in facts if f != _NOTHING}
        if len(found) > 1:
            return _UNKNOWN
        return next(iter(found.values()), _NOTHING)

    def of_const(self, const: Const) -> Fact:
        """Return what a literal is."""
        return fact_of_atom(const)

    def of_outside(self, var: Var) -> Fact:
        """Return what an argument is; a number of Python's may be one of NumPy's."""
        known, wide = var.fact, var.name == self.wide
        if known.kind in ("float", "complex"):
            return Fact("scalar", _WIDE[known.kind[0]], ()) if wide else known
        if known.kind not in ("array", "scalar"):
            return known if known.is_immutable else _UNKNOWN
        if known.dtype is None:
            return _UNKNOWN
        widths = _WIDE if wide else _NARROW
        return replace(known, dtype=widths.get(known.dtype.kind, known.dtype))

    def of_apply(self, op: Apply) -> Fact:
        """Return what a call of such arguments gives."""
        args = [self._with_fact(a) for a in op.args]
        kwargs = [(k, self._with_fact(a)) for k, a in op.kwargs]
        return self.infer(op.fn, args, kwargs)

    def _with_fact(self, atom: Atom) -> Atom:
        return replace(atom, fact=self.of(atom)) if isinstance(atom, Var) else atom

    def of_store(self, op: Store) -> Fact:
        """Return that an array stays as wide as it is."""
        return self.of(op.target)

    def of_loop(self, loop: For | While, var: Var) -> Fact:
        """Return what an item is: of an array, an array or a number of its dtype."""
        if not isinstance(loop, For) or loop.stack == var:
            return _UNKNOWN
        if var.fact.kind == "int":
            return var.fact
        owner = self.of(loop.iterable)
        if owner.kind != "array" or var.fact.kind not in ("array", "scalar"):
            return _UNKNOWN
        return replace(var.fact, dtype=owner.dtype)
