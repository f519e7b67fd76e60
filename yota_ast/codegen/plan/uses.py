"""Program -> where each variable is defined and used.

A place is the path to an op: pairs of a block's number and an index in that block, the
outermost first. The forward and the reverse sweep are one block, number 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, assert_never

from yota_ast._speed.fast_dataclasses import dataclass, maker
from yota_ast.ir.atoms import Atom, Undefined, Var
from yota_ast.ir.nodes import (
    Apply,
    Block,
    For,
    If,
    Op,
    Read,
    Simple,
    Store,
    Try,
    While,
    With,
    atoms_of,
)
from yota_ast.ir.store_changes import SharedView
from yota_ast.ir.tape import Guard, Program

Place = tuple[tuple[int, int], ...]
Kind = Literal[
    "arg", "target", "test", "iterable", "stop", "merge", "init", "next", "saved",
    "value", "result",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Use:
    """One reading of a variable: where, as what, and by which op."""

    place: Place
    kind: Kind
    op: Op | Guard | None

    def index_in(self, block: int) -> int:
        """Return the index of the op of `block` within which the use stands, or -1."""
        for number, index in self.place:
            if number == block:
                return index
        return -1

    def is_directly_in(self, block: int) -> bool:
        """Say whether the use stands in `block` itself."""
        return self.place[-1][0] == block


_new_use: Final = maker(Use)


@dataclass(frozen=True, slots=True)
class Numbered:
    """A block's ops, its number and the place of the op that it belongs to.

    strict: it stands in the body of a try, where no two ops may change places, for one
    may raise and the other be seen by the handler.
    """

    number: int
    ops: tuple[Op | Guard, ...]
    outer: Place
    strict: bool = False


class Uses:
    """All uses, by variable; all blocks, by number."""

    def __init__(self, program: Program) -> None:
        self.by_name: dict[str, list[Use]] = {}
        self.blocks: list[Numbered] = []
        self.inner: dict[tuple[Place, int], int] = {}
        self.strict = False
        self.shown: set[str] = set()  # views that stores have shown to be written
        ops = list(program.forward)
        for guard in sorted(program.guards, key=lambda g: -g.before):
            ops.insert(guard.before, guard)  # type: ignore[arg-type]
        self.forward = len(ops)
        self._block((*ops, *program.reverse), ())
        end = ((0, len(self.blocks[0].ops)),)
        self._use(program.value, end, "value", None)
        for result in program.results:
            self._use(result, end, "result", None)

    def of(self, var: Var) -> list[Use]:
        """Return the uses of a variable in order."""
        return self.by_name.get(var.name, [])

    def block_of(self, place: Place, position: int) -> Numbered:
        """Return the block of the op at `place`: the first, the second, ..."""
        return self.blocks[self.inner[place, position]]

    def is_forward(self, block: Numbered, index: int) -> bool:
        """Say whether an op of a block belongs to the forward sweep."""
        return (block.outer[0][1] if block.outer else index) < self.forward

    def _use(
        self, atom: Atom | Undefined, place: Place, kind: Kind, op: Op | Guard | None
    ) -> None:
        if isinstance(atom, Var):
            self.by_name.setdefault(atom.name, []).append(Use(place, kind, op))

    def _block(self, ops: Iterable[Op | Guard], outer: Place) -> int:
        numbered = Numbered(len(self.blocks), tuple(ops), outer, self.strict)
        self.blocks.append(numbered)
        by_name, number = self.by_name, numbered.number
        for i, op in enumerate(numbered.ops):
            place = (*outer, (number, i))
            if not isinstance(op, Apply):
                self._op(op, place)
                continue
            # Most ops are these; what follows is `_use`.
            use = _new_use(place, "arg", op)
            for atom in atoms_of(op) if op.kwargs else op.args:
                if isinstance(atom, Var):
                    known = by_name.get(atom.name)
                    if known is None:
                        by_name[atom.name] = [use]
                    else:
                        known.append(use)
        return number

    def _ends(self, op: Try, place: Place) -> None:
        """Number the other blocks of a try, at whose ends its merges are."""
        numbers = [self._block(b, place) for b in (op.orelse, op.handler)]
        ends = [(*place, (n, len(self.blocks[n].ops))) for n in numbers]
        for k, number in enumerate(numbers, 1):
            self.inner[place, k] = number
        for m in op.merges:
            self._use(m.then, ends[0], "merge", op)
            self._use(m.orelse, ends[1], "merge", op)

    def _inner(self, place: Place, *blocks: Block) -> list[Place]:
        """Return the places of the ends of the blocks of the op at `place`."""
        ends: list[Place] = []
        for position, block in enumerate(blocks):
            number = self._block(block, place)
            self.inner[place, position] = number
            ends.append((*place, (number, len(block))))
        return ends

    def _op(self, op: Op | Guard, place: Place) -> None:
        match op:
            case Apply():
                pass
            case Read():
                self._use(op.root, place, "target", op)
            case Store():
                self._use(op.target, place, "target", op)
                if isinstance(op.change, SharedView):  # the text shows nothing of it
                    self.shown |= {
                        a.name for a in (op.index, op.value) if isinstance(a, Var)
                    }
                    return
                self._use(op.index, place, "arg", op)
                self._use(op.value, place, "arg", op)
            case Simple():
                for atom in atoms_of(op):
                    self._use(atom, place, "arg", op)
            case If():
                self._use(op.test, place, "test", op)
                then, orelse = self._inner(place, op.then, op.orelse)
                for m in op.merges:
                    self._use(m.then, then, "merge", op)
                    self._use(m.orelse, orelse, "merge", op)
            case With():
                self._use(op.context, place, "arg", op)
                self._inner(place, op.body)
            case Try():
                self._use(op.caught, place, "saved", op)
                outer, self.strict = self.strict, True
                self._inner(place, op.body)
                self.strict = outer
                self._ends(op, place)
            case Guard():
                self._use(op.test, place, "test", op)
                (end,) = self._inner(place, op.block)
                for atom in (op.value, *op.results):
                    self._use(atom, end, "result", op)
            case For() | While():
                self._loop(op, place)
            case _:
                assert_never(op)

    def _loop(self, op: For | While, place: Place) -> None:
        for c in op.carries:
            self._use(c.init, place, "init", op)
        if isinstance(op, For):
            self._use(op.iterable, place, "iterable", op)
            (end,) = self._inner(place, op.body)
        else:
            tested, end = self._inner(place, op.cond, op.body)
            self._use(op.test, tested, "test", op)
        for var in op.saved:
            self._use(var, end, "saved", op)
        if op.stop is not None:
            self._use(op.stop, end, "stop", op)
        for c in op.carries:
            self._use(c.next, end, "next", op)
