"""Sparse matrices that are constant, and of use in products alone.

`A * x` is a product of matrices where A is a `csr_matrix`, and `A.sum(0)` a matrix:
nothing of it is taken for what arrays do. A matrix that is made of what varies is an
object beside it, `frontend/models/varying_matrices.py`. That no other depends on the
arguments is found later: adjoint/results/untracked_values.py.
"""

from __future__ import annotations

import importlib
import operator
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NoReturn

import numpy as np

from yota_ast.frontend.components import Component, Components, uses
from yota_ast.frontend.heap.lowered_values import NULL, Ref, TupleValue, Value
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import UNKNOWN, Fact, array_fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply
from yota_ast.ops import info
from yota_ast.ops.spellings import SIGN_OF
from yota_ast.support.value_classes import SPARSE_VARIES, is_sparse


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


MODELS: Final = "yota_ast.frontend.models.sparse_models"
"""The module whose own products are those of the matrices themselves."""


def models() -> Any:
    """The module of what stands for matrices that vary, which imports SciPy."""
    return importlib.import_module(MODELS)


def makers() -> Any:
    """The module of what makes such, by what SciPy is given."""
    return importlib.import_module("yota_ast.frontend.models.sparse_makers")


FORMATS: Final = "csr csc coo lil dok dia bsr".split()
BUILT: Final = ("lil", "dok")
"""The formats in which matrices are built: entry by entry, in place."""


def as_format(cls: type, name: str) -> type:
    """The class of a matrix in another format.

    >>> from scipy import sparse
    >>> as_format(sparse.csr_array, "lil").__name__
    'lil_array'
    """
    sparse: Any = sys.modules["scipy.sparse"]
    kind = "matrix" if issubclass(cls, sparse.spmatrix) else "array"
    made: type = getattr(sparse, f"{name}_{kind}")
    return made


def is_built(cls: type | None) -> bool:
    """Whether a matrix of a class is changed in place, as a `lil_matrix` is."""
    return is_sparse(cls) and getattr(cls, "__name__", "")[:3] in BUILT


class SparseMatrices(Component):
    """What is done with a sparse matrix."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    operations = uses(Operations)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.written = False  # whether a matrix that is being built is changed
        self.read = False  # whether one has a part in a product

    # ------------------------------------------------------------ calls

    def sparse_made(self, fn: object, values: Iterable[Value]) -> Fact | None:
        """What a call makes that gives a sparse matrix; None of other calls."""
        cls = class_made(fn)
        if cls is not None:
            return Fact("other", cls=cls)
        if info(fn).makes == "factors":
            return Fact("other", cls=sys.modules["scipy.sparse.linalg"].SuperLU)
        for value in values:
            self.note_read(self.operations.fact(value).cls)
        return None

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
            return isinstance(value, Const)
        for op in self.blocks.ops:
            if isinstance(op, Apply) and op.out == value:
                atoms = (*op.args, *(a for _, a in op.kwargs))
                return all(map(self.is_constant, atoms))
        return False

    # ------------------------------------------------------------ operators

    def operate_on_sparse(
        self, fn: Callable[..., object], operands: Sequence[Value]
    ) -> Value | None:
        """A @ x, x @ A, 2.0 * A, A + B; None where no operand is sparse."""
        facts = [self.operations.fact(v) for v in operands]
        places = [k for k, f in enumerate(facts) if is_sparse(f.cls)]
        if not places:
            return None
        at = places[0]
        owner: Any = facts[at].cls
        known = Fact("other", cls=as_format(owner, "csr"))
        others = [f for k, f in enumerate(facts) if k not in places]
        atoms = [self.language.atom(v) for v in operands]
        numbers = all(f.is_number and not f.is_complex for f in others)
        whole = fn is not operator.pow or facts[-1].kind in ("int", "bool")
        if numbers and whole and fn not in (operator.eq, operator.ne):
            made = self.operations.apply(fn, atoms, form="operator", fact=known)
            own = self.position.frame.scope.module == MODELS
            if own or not others or self.is_constant(operands[1 - at]):
                return made
            return self.varying_multiple(fn, made, operands[1 - at], operands[at])
        starred = fn is operator.mul and _multiplies(owner)
        if fn is operator.matmul or (starred and others[0].kind == "array"):
            self.note_read(owner)
            method: Any = getattr(owner, ("__matmul__", "__rmatmul__")[at])
            ordered = atoms if at == 0 else atoms[::-1]
            spelling = "*" if starred else "@"
            return self.operations.apply(
                method, ordered, form="operator", spelling=spelling
            )
        self.position.refuse_call(
            "only products `A @ x` and multiples of a sparse matrix are supported",
            "Use an array: A.toarray().",
        )

    def varying_multiple(
        self, fn: object, made: Value, number: Value, constant: Value
    ) -> Value:
        """c * A or A / c of a number that varies."""
        if fn not in (operator.mul, operator.truediv):
            return made
        model = makers().multiple if fn is operator.mul else makers().divided
        return self.language.call(
            Const(model, model.__name__), (made, number, constant)
        )

    def changed_in_place(self, fn: Any, old: Var, value: Value) -> Value | None:
        """A /= c, which changes a matrix under all of its names; None where it makes
        another.

        A product may have read it: only one that is being built is changed so.
        """
        cls: Any = old.fact.cls
        if not is_built(cls) and fn not in (operator.mul, operator.truediv):
            return None
        if not is_built(cls):
            self.position.refuse_call(
                f"`{SIGN_OF[fn]}=` changes a sparse matrix that may have another name",
                f"Make a new matrix: A = A {SIGN_OF[fn]} c.",
            )
        if not self.is_constant(value):
            self.refuse_varying()
        self.note_written()
        method: Any = getattr(operator, f"i{fn.__name__.strip('_')}")
        atoms = [self.language.fresh(old), self.language.atom(value)]
        known = Fact("other", cls=cls)
        return self.operations.apply(method, atoms, fact=known, effect=True)

    # ------------------------------------------------------------ methods

    def sparse_fact(
        self,
        cls: Any,
        name: str,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Fact | None:
        """What a method of a sparse matrix gives; None of that of a product."""
        if name[:2] == "to" and name[2:] in FORMATS:
            return Fact("other", cls=as_format(cls, name[2:]))
        if info(getattr(cls, name, None)).makes == "sparse":
            return Fact("other", cls=cls)
        if name == "sum":
            return self.sums_fact(cls, (*args, *(v for _, v in kwargs)))
        if name == "toarray":
            return array_fact(np.float64, (None, None))
        if name == "diagonal":
            return array_fact(None, (None,))
        if name == "setdiag" and is_built(cls):
            if not all(map(self.is_constant, args)):
                self.refuse_varying()
            self.note_written()
            return None
        if name != "dot":
            self.position.refuse_call(
                f"the method `{name}` of a sparse matrix is not supported",
                "Use products A @ x, or an array: A.toarray().",
            )
        self.note_read(cls)
        return None

    def sums_fact(self, cls: Any, axes: Sequence[Value]) -> Fact:
        """What `A.sum(axis)` gives: of the older classes an `np.matrix`."""
        if not axes or axes[0] == NULL:
            return Fact("scalar", None, ())
        if self.operations.fact(axes[0]).kind != "int":
            return UNKNOWN
        if _multiplies(cls):
            return Fact("other", cls=np.matrix)
        return array_fact(None, (None,))

    # ------------------------------------------------------------ what is built

    def note_written(self) -> None:
        """Note that a matrix that is being built is changed."""
        self.written = True
        self.check_built()

    def note_read(self, cls: type | None) -> None:
        """Note a part in a product, which the reverse sweep reads again."""
        if is_built(cls):
            self.read = True
            self.check_built()

    def check_built(self) -> None:
        """Refuse products with matrices that may have changed since."""
        if self.written and self.read:
            self.position.refuse_call(
                "a product has a sparse matrix in it that is changed entry by entry",
                "Convert it when it is complete: A = A.tocsr().",
            )

    def refuse_varying(self) -> NoReturn:
        """Refuse entries that may depend on the arguments."""
        self.position.refuse_call(*SPARSE_VARIES)


def _multiplies(cls: type) -> bool:
    """Whether `A * x` is a product of matrices."""
    sparse: Any = sys.modules["scipy.sparse"]
    return issubclass(cls, sparse.spmatrix)
