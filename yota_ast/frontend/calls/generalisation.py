"""Calls of one function that is not inlined -> what they have in common.

One function of the tape is to do for all calls that differ in numbers and variables
alone, objects that hold such included. What the calls have in common is known only when
they have been met: lowering then begins again, and the first of them gets the function
that does for all.

In: what a call gives.  Out: a `Mould` for each parameter.
"""

from __future__ import annotations

import sys
import types
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from yota_ast.errors import Location
from yota_ast.frontend.calls.call_signatures import (
    Mould,
    Parts,
    Unlike,
    are_apart,
    is_lasting,
    likened,
    mould_of,
    opened_up,
    same_in,
)
from yota_ast.frontend.calls.large_functions import is_too_much
from yota_ast.frontend.components import Component, Components, uses
from yota_ast.frontend.heap.lowered_values import (
    Bound,
    Closure,
    Frame,
    Node,
    Partial,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.source.name_flow import names_read
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.inlining_records import InliningRecords
from yota_ast.frontend.state.lowering_records import (
    GlobalName,
    MuchCalled,
    SeldomCalled,
)
from yota_ast.ir.atoms import Const
from yota_ast.ir.block_queries import calls_in, outlined_in, slopes_in
from yota_ast.ir.functions import Function
from yota_ast.ir.nodes import (
    Block,
)

Key = tuple[object, int | None, tuple[int, ...]]
"""The code, the frame in which a closure was made, and the identities of the globals
and cells that a function sees: those of one factory have one code, and so have
functions in two files that are alike."""


class Generalisation(Component):
    """What several calls of a function say of its parameters."""

    cells = uses(Cells)
    blocks = uses(Blocks)
    records = uses(InliningRecords)

    def __init__(self, parts: Components) -> None:
        super().__init__(parts)
        self.recursive: dict[object, None] = {}  # code that calls itself
        self.made_before = sys.maxsize  # of these, before the call at hand
        self.foreseen = self.settings.foreseen
        self.generalised: dict[object, None] = {}  # of which code it is found here
        self.given_before: dict[object, Mapping[Any, Any]] = {}  # to the call before
        self.code_of: dict[str, object] = {}  # of an outlined function
        self.size_of: dict[str, int] = {}  # how many ops its body has taken
        self.functions: dict[str, Function] = {}

    def begin_call(self, cells: int = sys.maxsize) -> None:
        """Note how many cells there were before the call at hand."""
        self.made_before = cells

    def foresee(self, code: object) -> None:
        """Take a code for large from now on."""
        self.foreseen |= {code}

    def moulds_in_common(
        self,
        key: Key,
        code: object,
        body: tuple[Node, Frame | None],
        given: Mapping[str, Value],
    ) -> Mapping[str, Mould]:
        """What the arguments of this call and of others have in common, those of an
        earlier lowering included; where they are unlike, what this call's say.

        body: the function, and the frame in which it was made.
        """
        plain = {name: mould_of(value) for name, value in given.items()}
        before = self.settings.in_common.get(code, {})
        if before is None:
            return plain
        outlines = (
            *self.records.outlines.get(key, ()),
            *self.records.capturing.get(key, ()),
        )
        seen = self.given_before.get(code, {})
        opened = {n: opened_up(m, self.cells.heap) for n, m in plain.items()}
        several = key[0] not in self.recursive
        fresh = {
            n: opened[n]
            for n, v in given.items()
            if several and self.is_one_of_several(v)
        }
        found: dict[str, Mould] = {**plain, **fresh}
        met: set[str] = set()
        for others in (seen, *(o.known.given for o in outlines), before):
            for name, mould in others.items():
                with suppress(Unlike):
                    found[name] = likened(mould, given[name], self.cells.heap)
                    met.add(name)
        self.given_before[code] = {n: m for n, m in opened.items() if is_lasting(m)}
        around = self.surroundings(*body, found)
        if not are_apart(found, given, self.cells.heap, around.keys()):
            return plain
        kept = {n: m for n, m in found.items() if m != plain[n] and is_lasting(m)}
        told = {n: m for n, m in kept.items() if n in met or n not in fresh}
        if told.keys() - before.keys():
            self.generalised[code] = None
        self.settings.in_common[code] = {**before, **told}
        return found

    def is_one_of_several(self, value: Value) -> bool:
        """Whether other calls are given another container: it is made for the call at
        hand, or other functions are called with several objects of its class."""
        if not isinstance(value, Ref) or value.cell not in self.cells.heap:
            return False
        cls = self.cells.heap[value.cell].cls
        moulds = (
            m for of in self.settings.in_common.values() for m in (of or {}).values()
        )
        several = (m.cls for m in moulds if isinstance(m, Parts) and m.kind == "object")
        return value.cell > self.made_before or cls in several

    def check_foreseen(self) -> None:
        """Lower once more if functions are outlined of which copies are better.

        Raises SeldomCalled.
        """
        own = Block(tuple(self.blocks.ops))
        blocks = (own, *(f.block for f in self.functions_of(own)))
        times, sizes = Counter[object](), dict[object, int]()
        for name in (name for block in blocks for name in calls_in(block)):
            code = self.code_of.get(name)
            times[code] += 1
            sizes[code] = max(sizes.get(code, 0), self.size_of.get(name, 0))
        met = self.foreseen - self.settings.foresight.large
        # Smaller than it was in an earlier lowering, it may stay as it is.
        enough = 1 if self.settings.much_called or met else sys.maxsize
        seldom = [
            code
            for code in times.keys() & self.foreseen
            if not is_too_much(times[code] - 1, sizes[code])
            and (code in met or times[code] <= enough)
        ]
        if seldom:
            raise SeldomCalled(*seldom)

    def check_superseded(self) -> None:
        """Lower once more if the tape has two functions where one does for both.

        Raises MuchCalled.
        """
        called = self.functions_of(Block(tuple(self.blocks.ops)))
        times = Counter(self.code_of.get(f.name) for f in called)
        if any(times[code] > 1 for code in self.generalised):
            raise MuchCalled

    def surroundings(
        self, node: Node, parent: Frame | None, given: Mapping[str, Mould]
    ) -> dict[object, object]:
        """What a body may read of what is around it: the variables of the functions
        around, and the containers and functions that it is given at every call."""
        found: dict[object, object] = dict(values_of(self.records.rebound))
        self.note_frames(node, parent, found)
        for mould in given.values():
            for value in same_in(mould):
                self.note_contents(value, found)
        return found

    def note_frames(
        self, node: Node, frame: Frame | None, found: dict[object, object]
    ) -> None:
        """Note what a function made in a frame may read there."""
        names = names_read(node)
        while frame is not None and (node, frame.cell) not in found:
            items = self.cells.heap[frame.cell].items
            seen = {n: items[n] for n in sorted(names & items.keys())}
            found[node, frame.cell] = seen
            for value in seen.values():
                self.note_contents(value, found)
            frame = frame.parent

    def note_contents(self, value: Value, found: dict[object, object]) -> None:
        """Note what a value refers to, as it is now."""
        if isinstance(value, TupleValue):
            for item in value.items:
                self.note_contents(item, found)
        elif isinstance(value, Ref) and value.cell not in found:
            cell = found[value.cell] = self.cells.heap[value.cell]
            for item in cell.items.values():
                self.note_contents(item, found)
        elif isinstance(value, Closure):
            self.note_frames(value.node, value.frame, found)
        elif isinstance(value, Bound):
            self.note_contents(value.function, found)
            self.note_contents(value.owner, found)
        elif isinstance(value, Partial):
            values = (value.function, *value.args, *(v for _, v in value.kwargs))
            for each in values:
                self.note_contents(each, found)

    def functions_of(self, block: Block) -> tuple[Function, ...]:
        """The functions that a block calls, and those that they call."""
        found: dict[str, Function] = {}
        pending = [*outlined_in(block), *slopes_in(block)]
        while pending:
            name = pending.pop(0)
            if name not in found:
                found[name] = self.functions[name]
                inner = found[name].block
                pending += [*outlined_in(inner), *slopes_in(inner)]
        return tuple(found.values())


def lasting(code: Any, filename: str) -> object:
    """What tells a function apart in every lowering of one function: the trees of
    functions defined inside are read anew in each."""
    if isinstance(code, types.CodeType):
        return code
    return filename, code.lineno, code.col_offset


def values_of(
    rebound: Mapping[GlobalName, tuple[Const, Location]],
) -> dict[GlobalName, Const]:
    """The globals that have another value here than in their modules."""
    return {key: value for key, (value, _) in rebound.items()}
