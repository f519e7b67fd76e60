"""Sparse matrices: constant, and of use in products alone.

`A * x` is a product of matrices where A is a `csr_matrix`, and `A.sum(0)` a matrix:
nothing of it is taken for what arrays do.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from yota_ast.facts import Fact, array_fact, is_sparse
from yota_ast.frontend.state import State
from yota_ast.frontend.values import Value

STAYING: Final = ("transpose", "tocsr", "tocsc", "tocoo", "copy", "conj", "power")
"""Methods that give another sparse matrix."""


class Sparse(State):
    """What is done with a sparse matrix."""

    def operate_on_sparse(
        self, fn: Callable[..., object], operands: Sequence[Value]
    ) -> Value | None:
        """A @ x, x @ A; None where no operand is sparse."""
        facts = [self.fact(v) for v in operands]
        places = [k for k, f in enumerate(facts) if is_sparse(f.cls)]
        if not places:
            return None
        at = places[0]
        known = Fact("other", cls=facts[at].cls)
        others = [f for k, f in enumerate(facts) if k not in places]
        atoms = [self.atom(v) for v in operands]
        if fn is operator.matmul and len(places) == 1:
            method: Any = getattr(facts[at].cls, ("__matmul__", "__rmatmul__")[at])
            ordered = atoms if at == 0 else atoms[::-1]
            return self.apply(method, ordered, form="operator", spelling="@")
        scaled = all(f.kind in ("int", "bool") for f in others)
        if scaled and fn not in (operator.eq, operator.ne):
            return self.apply(fn, atoms, form="operator", fact=known)
        self.refuse_call(
            "a sparse matrix is taken for constant, and used in products `A @ x` alone",
            "Make the sparse matrix outside, or an array of it: A.toarray().",
        )

    def sparse_fact(self, fact: Fact, name: str) -> Fact | None:
        """What a method of a sparse matrix gives; None of that of a product."""
        if name in STAYING:
            return Fact("other", cls=fact.cls)
        if name == "toarray":
            return array_fact(np.float64, (None, None))
        if name != "dot":
            self.refuse_call(
                f"the method `{name}` of a sparse matrix is not followed",
                "Use products with it, A @ x, or an array of it: A.toarray().",
            )
        return None
