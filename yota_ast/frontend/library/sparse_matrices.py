"""Sparse matrices: constant, and of use in products alone.

`A * x` is a product of matrices where A is a `csr_matrix`, and `A.sum(0)` a matrix:
nothing of it is taken for what arrays do.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from yota_ast.frontend.components import Component, uses
from yota_ast.frontend.heap.lowered_values import Ref, TupleValue, Value
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import Fact, array_fact
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import Apply
from yota_ast.ops import info
from yota_ast.support.value_classes import is_sparse


def class_made(fn: object) -> type | None:
    """Return the class of the sparse matrix that a function makes, if it makes one.

    Which format it has is not known, and makes no difference for products.
    """
    if isinstance(fn, type):
        return fn if is_sparse(fn) else None
    if info(fn).makes != "sparse":
        return None
    name = getattr(fn, "__name__", "")
    kind = "csr_array" if name.endswith("_array") else "csr_matrix"
    made: type = getattr(sys.modules["scipy.sparse"], kind)
    return made


def classes_asked_for(fn: object) -> tuple[type, ...]:
    """The classes that `scipy.sparse.issparse` or `isspmatrix` asks for; none of other
    functions."""
    sparse: Any = sys.modules.get("scipy.sparse")
    if sparse is not None and fn is sparse.issparse:
        return (sparse.sparray, sparse.spmatrix)
    return (sparse.spmatrix,) if sparse and fn is sparse.isspmatrix else ()


class SparseMatrices(Component):
    """What is done with a sparse matrix."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    operations = uses(Operations)

    def sparse_made(self, fn: object, values: Iterable[Value]) -> Fact | None:
        """What a call makes that gives a sparse matrix; None of other calls."""
        cls = class_made(fn)
        if cls is None:
            return None
        if not all(map(self.is_constant, values)):
            self.position.refuse_call(
                "a sparse matrix is a constant, but this one depends on the arguments",
                "Make the sparse matrix outside, or use an array in its place.",
            )
        return Fact("other", cls=cls)

    def is_constant(self, value: Value) -> bool:
        """Whether no float of the arguments is in a value: `np.ones(3)`."""
        if self.language.floatless(value):
            return True
        if isinstance(value, TupleValue):
            return all(map(self.is_constant, value.items))
        if isinstance(value, Ref):
            cell = self.cells.heap[value.cell]
            return cell.var is None and all(map(self.is_constant, cell.items.values()))
        if not isinstance(value, Var):
            return False
        for op in self.blocks.ops:
            if isinstance(op, Apply) and op.out == value:
                atoms = (*op.args, *(a for _, a in op.kwargs))
                return all(map(self.is_constant, atoms))
        return False

    def operate_on_sparse(
        self, fn: Callable[..., object], operands: Sequence[Value]
    ) -> Value | None:
        """A @ x, x @ A; None where no operand is sparse."""
        facts = [self.operations.fact(v) for v in operands]
        places = [k for k, f in enumerate(facts) if is_sparse(f.cls)]
        if not places:
            return None
        at = places[0]
        known = Fact("other", cls=facts[at].cls)
        others = [f for k, f in enumerate(facts) if k not in places]
        atoms = [self.language.atom(v) for v in operands]
        if fn is operator.matmul and len(places) == 1:
            method: Any = getattr(facts[at].cls, ("__matmul__", "__rmatmul__")[at])
            ordered = atoms if at == 0 else atoms[::-1]
            return self.operations.apply(method, ordered, form="operator", spelling="@")
        scaled = all(f.kind in ("int", "bool") for f in others)
        if scaled and fn not in (operator.eq, operator.ne):
            return self.operations.apply(fn, atoms, form="operator", fact=known)
        self.position.refuse_call(
            "a sparse matrix is a constant, and only products `A @ x` are supported",
            "Make the sparse matrix outside, or use an array: A.toarray().",
        )

    def sparse_fact(self, fact: Fact, name: str) -> Fact | None:
        """What a method of a sparse matrix gives; None of that of a product."""
        if info(getattr(fact.cls, name, None)).makes == "sparse":
            return Fact("other", cls=fact.cls)
        if name == "toarray":
            return array_fact(np.float64, (None, None))
        if name != "dot":
            self.position.refuse_call(
                f"the method `{name}` of a sparse matrix is not supported",
                "Use products A @ x, or an array: A.toarray().",
            )
        return None
