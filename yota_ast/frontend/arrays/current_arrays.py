"""A variable -> its memory, and what stands for it after writes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from yota_ast.frontend.arrays.array_stores import Arrays
from yota_ast.frontend.desugar.array_splits import begin_sliced
from yota_ast.frontend.heap.lowered_values import (
    Ref,
    Value,
)
from yota_ast.frontend.heap.materialisation import (
    cell_of,
)
from yota_ast.frontend.state.lowering_records import NO_MEMORY, Memory, Spot
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.abstract_values import (
    Fact,
    element_of,
)
from yota_ast.ir.atoms import Const, Var
from yota_ast.ops import sharing


class CurrentArrays(Arrays):
    """What memory variables may share, and what they are now."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.splits: dict[Spot, frozenset[str]] = {}  # of what memory np.split cuts

    # ------------------------------------------------------------ what ops make

    def roots_of(self, atoms: Any) -> tuple[str, ...]:
        """The roots of some atoms, each once."""
        found: dict[str, None] = {}
        for atom in atoms:
            if isinstance(atom, Var):
                found.update(dict.fromkeys(self.memory.get(atom.name, NO_MEMORY).roots))
            elif isinstance(atom, Const) and self.fact(atom).kind in (
                "array",
                "list",
                "object",
            ):
                found["const:"] = None
        return tuple(found)

    # ------------------------------------------------------------ loops

    def memory_of(self, atom: object) -> Memory:
        """What an atom may share."""
        if isinstance(atom, Var):
            return self.memory.get(atom.name, NO_MEMORY)
        if isinstance(atom, Const):
            return Memory(self.roots_of((atom,)))
        return NO_MEMORY

    def may_be_one(self, one: Value, other: Value) -> bool:
        """Whether two values may be one array or container, under two names."""
        if isinstance(one, Ref) and isinstance(other, Ref):
            a, b = self.heap[one.cell], self.heap[other.cell]
            return a.kind == b.kind and a.fixed and b.fixed
        first, second = self.memory_of(one), self.memory_of(other)
        return (
            first.whole and second.whole and not {*first.roots}.isdisjoint(second.roots)
        )

    # ------------------------------------------------------------ reading

    def fresh(self, var: Var) -> Var:
        """The variable, or what stands for it now if its memory was written since."""
        while var.name in self.successors:
            var = self.successors[var.name]
        if var.name in self.rows:
            var = self.row_now(var)
        memory = self.memory.get(var.name)
        if memory is None or self.is_current(memory):
            return var
        renewed = self.view_again(var)
        if renewed is None:
            self.refuse_stale(var, memory)
        if var.name in self.views and sharing(self.views[var.name]) != "same":
            self.renewed[renewed.name] = self.renewed.get(var.name, var)
        self.exchange(var, renewed)
        return renewed

    def refuse_stale(self, var: Var, memory: Memory) -> NoReturn:
        """Refuse to read what may have another value now."""
        begin_sliced(self, memory.roots)
        name = self.hints[var.name].name if var.name in self.hints else None
        what = f"`{name}`" if name else "this value"
        arrays = [
            (root, seen)
            for root, seen in zip(memory.roots, memory.seen, strict=True)
            if cell_of(root) is None
        ]
        if not _may_hold_arrays(var.fact) or self.are_current(arrays):
            self.refuse(
                f"{what} may be, or hold, a list or dict that has changed since then",
                "Change it first, or use a copy from the beginning: list(x), dict(x).",
            )
        self.refuse(
            f"{what} may share memory with an array that has changed since then",
            "Take a copy with .copy() before the write.",
        )

    def begin_sliced(self, iterable: Var) -> None:
        """Begin again where what is run over, and written, is made by np.split."""
        begin_sliced(self, self.memory_of(iterable).roots)

    def was_written(self, var: Var) -> bool:
        """Whether the memory of a variable was written since it was made."""
        memory = self.memory.get(var.name, NO_MEMORY)
        return var.name in self.successors or not self.is_current(memory)

    def is_current(self, memory: Memory) -> bool:
        """Whether nothing that a variable may share was written since."""
        return self.are_current(zip(memory.roots, memory.seen, strict=True))

    def are_current(self, pairs: Iterable[tuple[str, str]]) -> bool:
        """Whether roots are in the states in which they were seen."""
        state = self.heap, self.current
        return all(self.lent.is_in_state(root, seen, *state) for root, seen in pairs)

    def view_again(self, var: Var) -> Var | None:
        """The same view of an array that was written since."""
        op = self.views.get(var.name)
        if op is None or not isinstance(op.args[0], Var):
            return None
        base = self.fresh(op.args[0])
        if sharing(op) == "same":
            return base
        self.check_again(var, base)
        rest = [self.fresh(a) if isinstance(a, Var) else a for a in op.args[1:]]
        again = self.apply(
            op.fn, (base, *rest), op.kwargs, form=op.form, spelling=op.spelling,
            fact=op.out.fact,
        )  # fmt: skip
        if var.name in self.hints:
            self.hints[again.name] = self.hints[var.name]
        return again


def _may_hold_arrays(fact: Fact) -> bool:
    """Whether a value is an array, or a list of such."""
    if fact.kind in ("list", "tuple"):
        return _may_hold_arrays(element_of(fact))
    return fact.may_be_array or fact.kind in ("dict", "object", "other")
