"""The body of a loop over blocks of rows -> the same, with short rows as columns.

    z = (x_part[:, None] - mean) * w        z = (x_part - mean[:, None]) * w[:, None]
    top = np.max(z, axis=1)                 top = np.max(z, axis=0)
    e = np.exp(z - top[:, None])            e = np.exp(z - top)
    dw += x_part @ e                        dw += e @ x_part

NumPy goes through the last axis in its innermost loop: through eight elements at a time
on the left side, through a thousand on the right. What has one axis stays as it is, and
`x[:, None]` becomes x. Matrices must be made in the body, and stay there.

In: the ops of the body. Out: the same, and views of vectors that stand before the loop.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Final

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.adjoint.fast.element_ops import (
    axis_of_reduction,
    dims_of,
    is_matrix_product,
    sum_of_elements,
    works_on_elements,
)
from yota_ast.ir.atoms import Atom, Const, Var, fact_of_atom
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.builder import Builder
from yota_ast.ir.nodes import Apply, Op, atoms_of, defined_by
from yota_ast.ir.renaming import Substitution

SHORT: Final = 32
"""How many elements a row has at most in the example."""
FEWEST: Final = 3
"""How many ops at least go through rows one by one."""
_ALL: Final = slice(None)


def with_columns(
    ops: Sequence[Op], given: Iterable[Var], builder: Builder
) -> list[Op] | None:
    """The ops of a body, what stands before the loop added to what builds; None where
    rows stay. given: what the loop hands to the body."""
    long = [n for op in ops for n in _rows_of(op)]
    if not long or any(n is None or n > SHORT for n in long):
        return None
    turner = _Turner(builder, {*given, *(v for op in ops for v in defined_by(op))})
    mark = len(builder.ops)
    if all(map(turner.turn, ops)) and turner.slow >= FEWEST:
        return turner.ops
    del builder.ops[mark:]
    return None


def _rows_of(op: Op) -> list[int | None]:
    """How long the rows of a matrix are that an op makes."""
    dims = dims_of(op.out) if isinstance(op, Apply) else ()
    return [dims[1].example] if len(dims) == 2 and not dims[1].is_unit else []


@dataclass(slots=True)
class _Turner:
    """Turns matrices over. now: what stands for one, columns, or for one of a single
    column its elements; and for vectors that are taken of such. rows: the vectors that
    are as long as the block. own: what is made in the body. columns: by the vectors
    that stand before the loop, these as columns. slow: how many ops went through rows
    one by one."""

    builder: Builder
    own: set[Atom]
    ops: list[Op] = field(default_factory=list)
    now: dict[Atom, Var] = field(default_factory=dict)
    rows: set[Atom] = field(default_factory=set)
    columns: dict[Atom, Var] = field(default_factory=dict)
    slow: int = 0

    def turn(self, op: Op) -> bool:
        """Add an op; False where it cannot be."""
        if not isinstance(op, Apply) or not any(map(_is_matrix, (op.out, *op.args))):
            return self._keep(op)
        ways = (self._view, self._product, self._reduction, self._total, self._element)
        return any(way(op) for way in ways)

    def _keep(self, op: Op) -> bool:
        """An op that reads no matrix stays as it is."""
        if any(isinstance(a, Var) and _is_matrix(a) for a in atoms_of(op)):
            return False
        if isinstance(op, Apply) and len(dims_of(op.out)) == 1:
            part = len(op.args) == 2 and fact_of_atom(op.args[1]).cls is slice
            if part or (works_on_elements(op) and not self.rows.isdisjoint(op.args)):
                self.rows.add(op.out)
        self.ops.append(Substitution({a.name: b for a, b in self._vectors()}).op(op))
        return True

    def _vectors(self) -> list[tuple[Var, Var]]:
        pairs = self.now.items()
        return [(a, b) for a, b in pairs if isinstance(a, Var) and not _is_matrix(a)]

    # ------------------------------------------------------------ the ways

    def _view(self, op: Apply) -> bool:
        """`x[:, None]` and `top[:, 0]`."""
        if op.fn is not operator.getitem or len(op.args) != 2:
            return False
        array, index = op.args
        key = index.value if isinstance(index, Const) else None
        found = self.now.get(array)
        if key == (_ALL, None) and array in self.rows and isinstance(array, Var):
            self.now[op.out] = found or array
            return True
        if key != (_ALL, 0) or found is None or len(dims_of(found)) != 1:
            return False
        self.now[op.out] = found
        self.rows.add(op.out)
        return True

    def _product(self, op: Apply) -> bool:
        """The product of a matrix and a vector."""
        if not is_matrix_product(op):
            return False
        first = _is_matrix(op.args[0])
        matrix, vector = op.args if first else op.args[::-1]
        turned = self.now.get(matrix)
        of_rows = vector in self.rows
        if turned is None or len(dims_of(turned)) != 2 or first == of_rows:
            return False
        if not of_rows and vector in self.own:
            return False
        vector = self.now.get(vector, vector)
        args = (vector, turned) if first else (turned, vector)
        self.ops.append(replace(op, args=args))
        self.rows |= {op.out} if first else set()
        return True

    def _reduction(self, op: Apply) -> bool:
        """A reduction of each row, or of each column."""
        axis = axis_of_reduction(op)
        turned = self.now.get(op.args[0]) if op.args else None
        if axis is None or turned is None or len(dims_of(turned)) != 2:
            return False
        of_rows, kept = axis % 2 == 1, _is_matrix(op.out)
        if kept and not of_rows:
            return False
        out = op.out
        if kept:
            out = replace(out, fact=out.fact.with_shape(dims_of(turned)[1:]))
            self.now[op.out] = out
        elif of_rows:
            self.rows.add(out)
        start = tuple((name, atom) for name, atom in op.kwargs if name == "initial")
        along = (("axis", Const(1 - axis % 2)), *start)
        self.ops.append(replace(op, out=out, args=(turned,), kwargs=along))
        self.slow += of_rows
        return True

    def _total(self, op: Apply) -> bool:
        """A sum of all elements."""
        if sum_of_elements(op) is None or not op.out.fact.is_scalar:
            return False
        turned = [self.now.get(a) for a in op.args]
        new = tuple(a for a in turned if a is not None)
        if len(new) < len(turned) or len({len(dims_of(a)) for a in new}) != 1:
            return False
        self.ops.append(replace(op, args=new))
        return True

    def _element(self, op: Apply) -> bool:
        """An op on elements."""
        if not works_on_elements(op):
            return False
        target = self.now.get(op.args[0]) if op.form == "augmented" else op.out
        if target is None or len(dims_of(target)) == 1:  # it may be a part of another
            return False
        found = [self._operand(atom) for atom in op.args]
        args = tuple(a for a in found if a is not None)
        if len(args) < len(found):
            return False
        rows, columns = dims_of(op.out)
        shape = (rows,) if columns.is_unit else (columns, rows)
        if max(len(dims_of(a)) for a in args) > len(shape):
            return False
        single = any(a in self.columns.values() or len(dims_of(a)) == 1 for a in args)
        self.slow += single and len(shape) == 2
        out = replace(op.out, fact=op.out.fact.with_shape(shape))
        self.ops.append(replace(op, out=out, args=args))
        self.now[op.out] = out
        return True

    def _operand(self, atom: Atom) -> Atom | None:
        """What stands for an operand of an op on elements; None: nothing."""
        if atom in self.now:
            return self.now[atom] if _is_matrix(atom) else None
        if not dims_of(atom):
            return atom
        if atom in self.own or len(dims_of(atom)) != 1 or not isinstance(atom, Var):
            return None
        if atom not in self.columns:
            shape = (*dims_of(atom), Dim("", 1))
            self.columns[atom] = self.builder.apply(
                operator.getitem, atom, Const((_ALL, None)),
                fact=atom.fact.with_shape(shape),
            )  # fmt: skip
        return self.columns[atom]


def _is_matrix(atom: Atom) -> bool:
    return len(dims_of(atom)) > 1
