"""Calls of `scipy.sparse` with numbers that vary -> a matrix beside these entries.

`sparse.diags(x)` of an argument x is an object of `sparse_models.py`, whose operators
and methods are lowered like those of a user's class. A matrix that is constant stays a
value of SciPy's: `frontend/library/sparse_matrices.py`.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from yota_ast.frontend.calls.opaque_calls import OpaqueCalls
from yota_ast.frontend.components import Component, uses
from yota_ast.frontend.heap.lowered_values import Ref, TupleValue, Value, reached
from yota_ast.frontend.library.sparse_matrices import (
    SparseMatrices,
    class_made,
    makers,
    models,
)
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const
from yota_ast.ir.axis_lengths import Dim
from yota_ast.support import public_names

Named = Mapping[str, Value]
NamedValue = tuple[str, Value]
FORMATTED: Final = "csr csc coo".split()
"""The formats of which a matrix is made of its entries."""


class VaryingMatrices(Component):
    """Matrices made of what varies, and functions of such matrices."""

    language = uses(Language)
    cells = uses(Cells)
    operations = uses(Operations)
    sparse_matrices = uses(SparseMatrices)
    opaque_calls = uses(OpaqueCalls)

    def call_on_sparse(
        self, fn: Any, args: Sequence[Value], kwargs: Sequence[NamedValue]
    ) -> Value | None:
        """The value of such a call; None of any other."""
        if "scipy.sparse" not in sys.modules:
            return None
        if args and (array := self.array_of(fn, args[0])) is not None:
            return self.language.call(
                Const(fn, *public_names.spelled(fn)), (array, *args[1:]), kwargs
            )
        cls = class_made(fn)
        given = (*args, *(v for _, v in kwargs))
        if cls is None:
            return self.solved(fn, args, kwargs)
        varying = any(map(self.holds_varying, given))
        if not varying and all(map(self.sparse_matrices.is_constant, given)):
            return None
        model, taken = self.model_for(fn, args, kwargs) or (None, ())
        if model is None:
            if varying:
                self.sparse_matrices.refuse_varying()
            return None
        matrix = self.computed(fn, args, kwargs, Fact("other", cls=cls))
        return self.language.call(_named(model), (matrix, *taken))

    def array_of(self, fn: Any, value: Value) -> Value | None:
        """The array of an `np.matrix` of sums that a function makes one of."""
        if not (fn is np.asarray or fn is np.array) or not isinstance(value, Ref):
            return None
        cell = self.cells.heap[value.cell]
        sums = cell.cls is not None and issubclass(cell.cls, models().Sums)
        return cell.items["array"] if sums else None

    def computed(
        self,
        fn: Any,
        args: Sequence[Value],
        kwargs: Sequence[NamedValue],
        known: Fact | None = None,
    ) -> Value:
        """What SciPy computes of the matrices themselves."""
        plain = self.opaque_calls.argument_atom
        atoms = [plain(fn, self.matrix_of(a)) for a in args]
        named = [(k, plain(fn, self.matrix_of(v))) for k, v in kwargs]
        name, _ = public_names.spelled(fn)
        return self.operations.apply(fn, atoms, named, spelling=name or "", fact=known)

    def matrix_of(self, value: Value) -> Value:
        """The matrix itself of one that varies; any other value as it is."""
        if not isinstance(value, Ref) or not self.varies(value):
            return value
        return self.cells.heap[value.cell].items["matrix"]

    def varies(self, value: Value) -> bool:
        """Whether a value is a matrix that varies."""
        if not isinstance(value, Ref):
            return False
        cls = self.cells.heap[value.cell].cls
        return cls is not None and issubclass(cls, models().Varying)

    def holds_varying(self, value: Value) -> bool:
        """Whether a value is a matrix that varies, or holds one."""
        return any(self.varies(Ref(c)) for c in reached(self.cells.heap, value))

    # ------------------------------------------------------------ systems

    def solved(
        self, fn: Any, args: Sequence[Value], kwargs: Sequence[NamedValue]
    ) -> Value | None:
        """`spsolve(A, b)` and `splu(A)` of a matrix that varies."""
        linalg = sys.modules.get("scipy.sparse.linalg")
        if linalg is not None and fn is linalg.factorized:
            return self.factorized(linalg, args, kwargs)
        if linalg is None or fn not in (linalg.spsolve, linalg.splu):
            return None
        given = _bound(fn, args, kwargs)
        if given is None:
            return None
        if fn is linalg.spsolve and self.is_column(given["b"]):
            return self.with_vector(fn, given)
        if not self.varies(given["A"]):
            return None
        if fn is linalg.splu:
            known = Fact("other", cls=linalg.SuperLU)
            factors = self.computed(fn, args, kwargs, known)
            return self.language.call(
                _named(models().VaryingFactors), (factors, given["A"])
            )
        if self.holds_varying(given["b"]):
            self.sparse_matrices.refuse_varying()
        value = self.computed(fn, args, kwargs)
        return self.language.call(
            _named(models().solved), (value, given["A"], given["b"])
        )

    def factorized(
        self, linalg: Any, args: Sequence[Value], kwargs: Sequence[NamedValue]
    ) -> Value | None:
        """`factorized(A)`: the `solve` of the factors, where SciPy makes no others."""
        solver: Any = sys.modules.get("scipy.sparse.linalg._dsolve.linsolve")
        if not getattr(solver, "noScikit", False):
            return None
        splu = Const(linalg.splu, *public_names.spelled(linalg.splu))
        factors = self.language.call(splu, args, kwargs)
        return self.language.call(_named(models().Solver), (factors,))

    def is_column(self, b: Value) -> bool:
        """Whether a right side is one column, of which the solution is a vector."""
        shape = self.operations.fact(b).shape or ()
        return len(shape) == 2 and isinstance(shape[1], Dim) and shape[1].is_unit

    def with_vector(self, fn: Any, given: Named) -> Value:
        """The same of the vector."""
        ravel = Const(np.ravel, "np.ravel", "numpy")
        named = {**given, "b": self.language.call(ravel, (given["b"],))}
        spelled = Const(fn, *public_names.spelled(fn))
        first, second = named.pop("A"), named.pop("b")
        return self.language.call(spelled, (first, second), tuple(named.items()))

    # ------------------------------------------------------------ how they are made

    def model_for(
        self, fn: Any, args: Sequence[Value], kwargs: Sequence[NamedValue]
    ) -> tuple[Callable[..., Any], tuple[Value, ...]] | None:
        """What makes the entries of a matrix, and of what; None where it is unknown."""
        given = _bound(fn, args, kwargs)
        if given is None:
            return None
        name = fn.__name__
        if name in ("diags", "diags_array"):
            offsets = given.get("offsets", Const(0))
            one = self.operations.fact(offsets).kind == "int"
            model = makers().of_diagonal if one else makers().of_diagonals
            return model, (given["diagonals"], offsets)
        if name == "spdiags":
            return makers().of_stored_diagonals, (given["data"], given["diags"])
        if not isinstance(fn, type):
            return None
        first = given["arg1"]
        if name[:3] == "dia" and isinstance(first, TupleValue):
            if len(first.items) == 2:  # no shape
                return makers().of_stored_diagonals, first.items
        if name[:3] not in FORMATTED:
            return None
        if self.varies(first):
            return models().converted, (first,)
        parts = first.items if isinstance(first, TupleValue) else ()
        if len(parts) == 2 and self.operations.fact(parts[1]).kind in ("tuple", "list"):
            return makers().of_places, (first,)
        if len(parts) == 3 and name[:3] != "coo":
            by_rows = name[:3] == "csr"
            return makers().of_rows if by_rows else makers().of_columns, (first,)
        fact = self.operations.fact(first)
        if fact.kind == "array" and fact.rank == 2:
            return makers().of_array, (first,)
        return None


def _bound(
    fn: Any, args: Sequence[Value], kwargs: Sequence[NamedValue]
) -> Named | None:
    """The arguments of a call by name; None where they do not fit."""
    try:
        bound = inspect.signature(fn).bind(*args, **dict(kwargs))
    except (TypeError, ValueError):
        return None
    return bound.arguments


def _named(model: Any) -> Const:
    return Const(model, model.__name__)


def call_on_sparse(
    lowering: Component, fn: Any, args: Sequence[Value], kwargs: Sequence[NamedValue]
) -> Value | None:
    """The value of a call that makes or reads a matrix that varies; None of others."""
    return VaryingMatrices.of(lowering).call_on_sparse(fn, args, kwargs)
