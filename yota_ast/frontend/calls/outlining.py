"""Calls of functions that are not inlined: those that call themselves.

The body of such a function is lowered once for all its calls, with variables for what
differs between them. What is known of its arguments and of its result depends on one
another: the first pass takes a call within the body for one that never comes back, and
each further pass knows of it what the pass before has found, until nothing changes.

In: the arguments of a call.  Out: an op that calls an `Outlined`, and the `Function`
that it stands for. What the body reads of its surroundings (a closure, the fields of an
object) becomes further parameters; it may change nothing outside itself.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Final, NoReturn

from yota_ast.errors import (
    InternalError,
    UnsupportedCall,
    UnsupportedSyntax,
)
from yota_ast.frontend.calls.call_signatures import (
    Mould,
    Parts,
    Same,
    Unlike,
    are_apart,
    facts_of,
    filled,
    fitted,
    leaves,
    mould_of,
    named,
    taken_apart,
)
from yota_ast.frontend.calls.generalisation import (
    Generalisation,
    Key,
    lasting,
    values_of,
)
from yota_ast.frontend.calls.outline_records import Known, Outline
from yota_ast.frontend.components import Component, extensible, uses
from yota_ast.frontend.heap.lowered_values import (
    Cell,
    Frame,
    Node,
    Ref,
    Scope,
    TupleValue,
    Value,
)
from yota_ast.frontend.interpret.finished_blocks import Renamer, pruned, without_idle
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.inlining_records import InliningRecords
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import (
    NO_MEMORY,
    Hint,
    NeverReturns,
    Snapshot,
)
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import NONE, Fact, named_apart
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.block_queries import free_in, has_effect
from yota_ast.ir.built_values import build_tuple
from yota_ast.ir.functions import Function
from yota_ast.ir.nodes import (
    Block,
    Op,
    Outlined,
    walk,
)
from yota_ast.syntax.names import identifier, shown_name

MAX_PASSES: Final = 12
MAX_UNROLLED: Final = 40
CONTAINERS: Final = ("list", "dict", "object")
SIDES: Final = ("", "_forward", "_reverse", "_slopes", "_pullback")
"""What follows the name of an outlined function where its sweeps are printed."""


class Outlining(Component):
    """Functions of their own in the tape."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    variables = uses(Variables)
    states = uses(ArrayStates)
    records = uses(InliningRecords)
    snapshots = uses(Snapshots)
    operations = uses(Operations)
    generalisation = uses(Generalisation)

    # ------------------------------------------------------------ calls

    def invoke(
        self,
        node: Node,
        scope: Scope,
        parent: Frame | None,
        given: Mapping[str, Value],
        code: object,
    ) -> Value:
        """Call a function that is not inlined."""
        self.language.noted("called", scope.name, (scope.filename, node.lineno))
        seen = (id(scope.globals), *map(id, scope.cells.values()))
        key = (code, None if parent is None else parent.cell, seen)
        pending = self.blocks.pending.get(key)
        if pending is not None:
            value = self.call_within(pending, given, scope)
            self.check_seen_apart(pending, node, parent, given)
            return value
        found = self.settled_outline(key, node, parent, given)
        if found is None:
            found = self.settle_in_common(key, node, scope, parent, given)
        self.check_seen_apart(found, node, parent, given)
        return self.call_outlined(found, given)

    def check_seen_apart(
        self,
        outline: Outline,
        node: Node,
        parent: Frame | None,
        given: Mapping[str, Value],
    ) -> None:
        """Refuse a call that gives an object which the body sees by another name too:
        taken apart, it would be another object there."""
        moulds = outline.known.given
        around = self.generalisation.surroundings(node, parent, moulds)
        if not are_apart(moulds, given, self.cells.heap, around.keys()):
            opened = (
                name for name, mould in moulds.items() if isinstance(mould, Parts)
            )
            self.refuse_unlike(outline.title, next(opened))

    def call_within(
        self, outline: Outline, given: Mapping[str, Value], scope: Scope
    ) -> Value:
        """A call of a function whose body is being lowered."""
        known = outline.known
        if outline.globals != values_of(self.records.rebound):
            self.refuse_global_of(scope.name)
        try:
            moulds = {
                name: fitted(mould, given[name], self.cells.heap)
                for name, mould in known.given.items()
            }
        except Unlike:
            self.refuse_unlike(scope.name, self.unlike(known, given))
        outline.learn(given=moulds)
        self.rely_on(outline)
        if known.result is None:
            raise NeverReturns
        return self.call_outlined(outline, given)

    def refuse_unlike(self, title: str, name: str) -> NoReturn:
        """Refuse a call that no function of the text serves, for one parameter."""
        self.position.refuse_call(
            f"`{title}` calls itself, and `{name}` is a different object, function "
            "or structure at each call",
            "Give it arrays and numbers, or write it as a loop.",
        )

    def refuse_global_of(self, name: str) -> NoReturn:
        """Refuse a body for which a global has one value here, and another there."""
        self.position.refuse_call(
            f"`{name}` calls itself while a global has another value",
            "Give it the value as an argument.",
        )

    def rely_on(self, outline: Outline) -> None:
        """Note that the bodies being lowered hold what is known of a function: also
        where nothing of the call is left, for it never comes back."""
        for caller in self.blocks.pending.values():
            caller.rely_on(outline)

    def unlike(self, known: Known, given: Mapping[str, Value]) -> str:
        """The first parameter that gets what no variable can stand for."""
        for name, mould in known.given.items():
            try:
                fitted(mould, given[name], self.cells.heap)
            except Unlike:
                return name
        return ""

    def settled_outline(
        self, key: Key, node: Node, parent: Frame | None, given: Mapping[str, Value]
    ) -> Outline | None:
        """A function lowered already that serves these arguments too."""
        known: list[Outline] = [
            *self.records.outlines.get(key, ()), *self.records.capturing.get(key, ())
        ]  # fmt: skip
        for outline in known:
            moulds = outline.known.given
            try:
                fits = all(
                    fitted(mould, given[name], self.cells.heap) == mould
                    for name, mould in moulds.items()
                )
            except Unlike:
                fits = False
            around = (
                self.generalisation.surroundings(node, parent, moulds) if fits else {}
            )
            fits = fits and are_apart(moulds, given, self.cells.heap, around.keys())
            if fits and outline.around == around:
                return outline
        return None

    @extensible
    def call_outlined(self, outline: Outline, given: Mapping[str, Value]) -> Value:
        """The op that calls a function of the tape; its value."""
        known = outline.known
        self.rely_on(outline)
        args: list[Atom] = []
        for name, mould in known.given.items():
            args += [
                self.language.atom(v)
                for v in leaves(mould, given[name], self.cells.heap)
            ]
        args += [self.language.fresh(v) for v in known.captures]
        assert known.result is not None
        facts = tuple(facts_of(known.result))
        fact = facts[0] if len(facts) == 1 else Fact("tuple", items=facts, cls=tuple)
        whole = self.operations.apply(
            Outlined(outline.name, not known.uncertain), args,
            fact=fact if facts else NONE,
            effect=known.effect or not facts,
        )  # fmt: skip
        outs = [whole]
        if len(facts) != 1:
            outs = [
                self.operations.apply(
                    operator.getitem, (whole, Const(k)), form="unpack",
                    fact=named_apart(known_fact, f"{whole.name}[{k}]"),
                )
                for k, known_fact in enumerate(facts)
            ]  # fmt: skip
        for out in outs:
            self.remember_result(out, args, uncertain=known.uncertain)
        return filled(known.result, iter(outs), self.cells.new_cell)

    @extensible
    def remember_result(self, out: Var, args: list[Atom], *, uncertain: bool) -> None:
        """Note whose memory a result may share; see array_writes.py."""
        raise NotImplementedError

    # ------------------------------------------------------------ the body

    def settle_in_common(
        self,
        key: Key,
        node: Node,
        scope: Scope,
        parent: Frame | None,
        given: Mapping[str, Value],
    ) -> Outline:
        """Lower the body for this call and others that differ in numbers and variables
        alone; where that cannot be done, for this call."""
        plain = {name: mould_of(value) for name, value in given.items()}
        own = lasting(key[0], scope.filename)
        moulds = self.generalisation.moulds_in_common(key, own, (node, parent), given)
        if moulds != plain:
            mark = self.snapshots.mark()
            try:
                return self.settle(key, node, scope, parent, moulds)
            except (UnsupportedSyntax, UnsupportedCall):
                self.settings.in_common[own] = None
                self.snapshots.back_to(mark)
        return self.settle(key, node, scope, parent, plain)

    def settle(
        self,
        key: Key,
        node: Node,
        scope: Scope,
        parent: Frame | None,
        moulds: Mapping[str, Mould],
    ) -> Outline:
        """Lower the body until what is known of it stays the same: once, where it does
        not call itself."""
        outline = Outline(
            self.outline_name(scope), shown_name(scope.name), Known(moulds)
        )
        outline.stand(scope, values_of(self.records.rebound))
        for _ in range(MAX_PASSES):
            mark, known = self.snapshots.mark(), outline.known
            made = self.body_once(key, outline, node, scope, parent)
            inlined, size = (
                self.records.inlined,
                self.blocks.emitted - mark.emitted,
            )
            self.snapshots.back_to(mark)
            if outline.known == known or outline.name not in outline.calls:
                if made is None:
                    if any(
                        o.name in outline.calls for o in self.blocks.pending.values()
                    ):
                        raise NeverReturns
                    self.position.refuse_call(
                        f"`{scope.name}` calls itself on every path",
                        "Return without a call on one path.",
                    )
                self.generalisation.functions[outline.name] = made
                self.generalisation.code_of[outline.name] = lasting(
                    key[0], scope.filename
                )
                self.generalisation.size_of[outline.name] = size
                self.records.restore_inlined(inlined)
                moulds = outline.known.given
                outline.surround(self.generalisation.surroundings(node, parent, moulds))
                known_as = (
                    self.records.capturing
                    if outline.known.captures
                    else self.records.outlines
                )
                known_as[key] = (*known_as.get(key, ()), outline)
                return outline
            self.forget_callers(outline.name)
        raise InternalError(f"what {scope.name} is given and returns keeps changing")

    def forget_callers(self, name: str) -> None:
        """Forget the functions that call one whose body is lowered anew."""
        for known in (self.records.outlines, self.records.capturing):
            known.update(_without_callers(known, name))

    def outline_name(self, scope: Scope) -> str:
        """A name for a function, which its module does not use, nor its sweeps."""
        stem = "_" + identifier(scope.name.strip("_<>") or "function")
        taken, name, number = {*scope.globals, *self.generalisation.functions}, stem, 1
        taken |= {o.name for o in self.blocks.pending.values()}
        while any(name + side in taken for side in SIDES):
            number += 1
            name = f"{stem}_{number}"
        return name

    def body_once(
        self,
        key: Key,
        outline: Outline,
        node: Node,
        scope: Scope,
        parent: Frame | None,
    ) -> Function | None:
        """One pass over the body: what it tells goes into `outline`."""
        before = self.snapshots.snapshot()
        self.blocks.pending[key] = outline
        who = "a function that calls itself"
        try:
            with (
                self.position.in_function(),
                self.states.sealing(who),
                self.blocks.block() as ops,
                self.blocks.apart(),
            ):
                frame = Frame(
                    self.cells.new_cell(Cell("frame", {})).cell, scope, parent
                )
                params = self.parameters_of(outline, frame)
                entry = self.snapshots.snapshot()
                try:
                    value = self.run(node, frame, key[0])
                except NeverReturns:
                    return None
                if self.blocks.ended:
                    return None
                self.check_apart(scope, entry, frame)
                result = self.result_of(outline, value, before, entry)
        finally:
            del self.blocks.pending[key]
        return self.function(outline, params, ops, result, frame)

    def parameters_of(self, outline: Outline, frame: Frame) -> list[Var]:
        """New variables for what differs between the calls, put into the frame."""
        made: list[Var] = []
        for name, mould in outline.known.given.items():
            own = [
                self.variables.var(fact, hint, frame.cell)
                for hint, fact in named(mould, name)
            ]
            for var in own:
                self.remember_parameter(var)
            self.cells.put(
                frame.cell, name, filled(mould, iter(own), self.cells.new_cell)
            )
            made += own
        return made

    @extensible
    def remember_parameter(self, var: Var) -> None:
        """The memory of a parameter is another's; see array_writes.py."""
        raise NotImplementedError

    def check_apart(self, scope: Scope, entry: Snapshot, frame: Frame) -> None:
        """Refuse a body that changes what is outside it."""
        if values_of(entry.globals) != values_of(self.records.rebound):
            self.refuse_global_of(scope.name)
        for number, cell in entry.heap.items():
            if number != frame.cell and self.cells.heap.get(number) is not cell:
                self.position.refuse_call(
                    f"`{scope.name}` calls itself, and changes "
                    + _described(cell)
                    + " that it did not make",
                    "Return the new value instead.",
                )
        # What the body is the first to read of an argument is not its own either.
        outer = entry.current.keys() | {r for r in self.states.current if not _own(r)}
        for root in sorted(outer):
            if self.states.current.get(root, root) != entry.current.get(root, root):
                self.position.refuse_call(
                    f"`{scope.name}` calls itself, and writes into an array "
                    "that it did not make",
                    "Return a new array instead.",
                )

    def result_of(
        self, outline: Outline, value: Value, before: Snapshot, entry: Snapshot
    ) -> Atom:
        """The atom that the body returns; its structure goes into `outline`."""
        if isinstance(value, Var) and value.fact.kind == "tuple" and value.fact.items:
            items = self.unpacked(value, len(value.fact.items))
            value = TupleValue(items, value.fact.cls or tuple)
        known = outline.known
        try:
            mould = self.result_mould(value, before, entry)
            if known.result is not None and known.result != mould:
                mould = fitted(known.result, value, self.cells.heap)
        except Unlike:
            self.position.refuse_call(
                f"`{outline.title}` calls itself, and returns values of "
                "different structures",
                "Return the same number of arrays or numbers on every path.",
            )
        found = [self.language.atom(v) for v in leaves(mould, value, self.cells.heap)]
        uncertain = known.uncertain or self.is_uncertain(found)
        outline.learn(result=mould, uncertain=uncertain)
        if len(found) == 1:
            return found[0]
        if not found:
            return Const(None)
        facts = tuple(self.operations.fact(a) for a in found)
        fact = Fact("tuple", items=facts, cls=tuple)
        return self.operations.apply(build_tuple, found, form="build", fact=fact)

    def result_mould(self, value: Value, before: Snapshot, entry: Snapshot) -> Mould:
        """What a function returns: fresh containers are made anew for each call.

        Raises Unlike where it is a container that it was given.
        """
        if isinstance(value, Ref):
            if value.cell in before.heap:
                return Same(value)
            cell = self.cells.heap[value.cell]
            if value.cell in entry.heap or cell.kind not in CONTAINERS:
                raise Unlike
            if cell.var is None:
                inner = cell.items.values()
                parts = tuple(self.result_mould(v, before, entry) for v in inner)
                return Parts(cell.kind, cell.cls, tuple(cell.items), parts)
        if isinstance(value, TupleValue):
            items = value.items
            parts = tuple(self.result_mould(v, before, entry) for v in items)
            return Parts("tuple", value.cls, (), parts)
        if isinstance(value, Const) and value.value is None:
            return Same(value)
        return taken_apart(value, self.cells.heap)

    def is_uncertain(self, results: list[Atom]) -> bool:
        """Whether a result may share memory with anything but itself."""
        seen: set[str] = set()
        for atom in results:
            roots = self.notes.memory.get(atom.name, NO_MEMORY).roots if isinstance(
                atom, Var
            ) else ()  # fmt: skip
            if any(r in self.states.sealed or r in seen or not _own(r) for r in roots):
                return True
            if isinstance(atom, Const) and self.operations.fact(atom).may_be_array:
                return True
            seen.update(roots)
        return False

    def function(
        self,
        outline: Outline,
        params: list[Var],
        ops: list[Op],
        result: Atom,
        frame: Frame,
    ) -> Function:
        """The body as a function of its own, in names of its own."""
        needed = frozenset({result.name} if isinstance(result, Var) else ())
        block = without_idle(Block(tuple(ops)), self.notes.seen_through, needed)
        block = pruned(block, needed)
        own = {p.name for p in params}
        captures = tuple(v for v in free_in(block, result) if v.name not in own)
        effect = any(map(has_effect, walk(block)))
        outline.learn(captures=captures, effect=effect)
        callers = {v.name: Hint(v.hint, 0, 0) for v in captures if v.hint}
        renamer = Renamer((), frame.cell, {**callers, **self.notes.hints})
        names = tuple(renamer.var(v) for v in (*params, *captures))
        return Function(
            outline.name, names, renamer.block(block), renamer.atom(result),
            outline.title, outline.known.uncertain,
        )  # fmt: skip

    @extensible
    def unpacked(
        self, value: Value, count: int, *, counted: bool = False
    ) -> tuple[Value, ...]:
        """The items of a tuple that is a variable."""
        raise NotImplementedError

    @extensible
    def run(self, node: Node, frame: Frame, code: object) -> Value:
        """Run the body of a function in a frame; its value."""
        raise NotImplementedError


def _without_callers(
    known: Mapping[Key, tuple[Outline, ...]], name: str
) -> dict[Key, tuple[Outline, ...]]:
    """The functions that rely on nothing that is known of the one named."""
    return {
        key: tuple(o for o in found if name not in o.calls)
        for key, found in known.items()
    }


def _own(root: str) -> bool:
    return not root.startswith(("arg:", "const:"))


def _described(cell: Cell) -> str:
    kinds = {"frame": "a variable", "object": "an object"}
    return kinds.get(cell.kind, f"a {cell.kind}")
