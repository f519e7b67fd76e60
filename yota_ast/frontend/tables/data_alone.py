"""Calls of installed libraries on tables and constants alone: constants of the run.

`sm.OLS(df.y, df[["x"]])` stays as it is written, for nothing in it is differentiated:
each argument is a constant, a table, or computed from such. A call that is given
anything else is inlined, as calls are.

>>> import pandas as pd
>>> is_installed(pd.concat), is_installed(is_installed), is_installed(len)
(True, False, False)
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any

from yota_ast.frontend.components import Component, extends, extensible, uses
from yota_ast.frontend.heap.lowered_values import (
    Lazy,
    MethodOf,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.frontend.tables.table_rehearsal import NOTHING_KNOWN
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import Apply, atoms_of
from yota_ast.support.file_owners import is_installed_file


def is_installed(fn: Any) -> bool:
    """Whether a function or a class is of a library that has been installed."""
    module = getattr(inspect.unwrap(fn) if callable(fn) else fn, "__module__", None)
    filename = getattr(sys.modules.get(str(module)), "__file__", None)
    return filename is not None and is_installed_file(filename)


class DataAlone(Component):
    """Values that nothing differentiated has a part in."""

    language = uses(Language)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    snapshots = uses(Snapshots)

    def data_alone(
        self, fn: Any, args: Sequence[Value], kwargs: Sequence[tuple[str, Value]]
    ) -> object:
        """What a call of a library, on tables and constants alone, gives for the
        example; NOTHING_KNOWN of another call, and of one that gives a function."""
        values = [*args, *(v for _, v in kwargs)]
        if not all(map(self.is_constant_of_run, values)) or not is_installed(fn):
            return NOTHING_KNOWN
        if not any(map(self.comes_from_table, values)):
            return NOTHING_KNOWN
        mark = self.snapshots.mark()
        named = [(k, self.language.atom(v)) for k, v in kwargs]
        example = self.rehearsal(fn, [self.language.atom(v) for v in args], named)
        self.snapshots.back_to(mark)
        return NOTHING_KNOWN if callable(example) else example

    @extends(Operations.remember)
    def remember(self, rest: Callable[..., None], op: Apply) -> None:
        """Note of a result whether it is of a table; None: not of constants alone."""
        rest(op)
        atoms = atoms_of(op)
        constant = all(map(self.is_constant_of_run, atoms))
        of_table = any(map(self.comes_from_table, atoms)) if constant else None
        self.notes.of_tables[op.out.name] = of_table

    def is_constant_of_run(self, value: Value) -> bool:
        """Whether a value is a constant, a table, or computed from such."""
        if isinstance(value, Var) and value.name in self.notes.of_tables:
            return self.notes.of_tables[value.name] is not None
        parts = self.parts_computed_from(value)
        if parts is None:
            return isinstance(value, Const) or self.is_labelled(value)
        return all(map(self.is_constant_of_run, parts))

    def comes_from_table(self, value: Value) -> bool:
        """Whether a constant of the run is a table, or computed from one."""
        if isinstance(value, Var) and self.notes.of_tables.get(value.name):
            return True
        parts = self.parts_computed_from(value) or ()
        return self.is_labelled(value) or any(map(self.comes_from_table, parts))

    def parts_computed_from(self, value: Value) -> Sequence[Value] | None:
        """The items of a container, the arguments of what is computed later; None where
        there are none, or they are unknown."""
        if isinstance(value, TupleValue):
            return value.items
        if isinstance(value, Lazy):
            return value.args
        if isinstance(value, MethodOf):
            return (value.owner,)
        if not isinstance(value, Ref):
            return None
        cell = self.cells.heap[value.cell]
        whole = cell.kind == "object" or cell.var is not None
        return None if whole else [*cell.items.values()]

    def op_of(self, var: Var) -> Apply | None:
        """The op that has made a variable, in the blocks that are open."""
        for ops in (self.blocks.ops, *reversed(self.blocks.blocks_open)):
            for op in reversed(ops):
                if isinstance(op, Apply) and op.out == var:
                    return op
        return None

    @extensible
    def rehearsal(
        self, fn: Any, args: Sequence[Atom], kwargs: Sequence[tuple[str, Atom]]
    ) -> object:
        """What a call gives for the example; see labelled_tables."""
        raise NotImplementedError

    @extensible
    def is_labelled(self, value: Value) -> bool:
        """Whether a value is a table, or a container of such; see labelled_tables."""
        raise NotImplementedError
