"""A call of a helper -> the ops of its source, in the place of the call.

In: an `Apply` of a function that has no rule, and the facts of its arguments; literals
among them are part of what comes out.  Out: ops whose variables are the caller's or
new, and the atom that is the result; None where the function cannot be followed.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Mapping
from typing import Any

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import YotaError
from yota_ast.frontend.calls.generalisation import Generalisation
from yota_ast.frontend.calls.inlining import Inlining
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, compose, dissolve, uses
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.lowered_values import Cell, Frame, Value
from yota_ast.frontend.interpret.composition import ORDER
from yota_ast.frontend.interpret.finished_blocks import pruned
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.inlining_records import InliningRecords
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import Call, Infer, IsPrimitive
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.abstract_values import UNKNOWN, Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.builder import Names
from yota_ast.ir.nodes import Apply, Block, Op, Read
from yota_ast.ir.renaming import Substitution


def followed(
    op: Apply, names: Names, *, is_primitive: IsPrimitive, infer: Infer
) -> tuple[Block, Atom] | None:
    """The ops of the function that an op calls, and its result; the names are those
    that are taken."""
    if not isinstance(op.fn, types.FunctionType):
        return None
    settings = Settings(is_primitive, infer, outlining=False)
    lowering = compose((*ORDER, HelperInlining), settings)[HelperInlining]
    try:
        made = lowering.follow(op)
    except YotaError:
        return None
    finally:
        dissolve(lowering)
    if made is None:
        return None
    block, result, given = made
    renamer = Placed(given, names, op)
    block = renamer.block(block)
    return block, renamer.atom(result)


class HelperInlining(Component):
    """Lowers one call."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    states = uses(ArrayStates)
    records = uses(InliningRecords)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)
    argument_parts = uses(ArgumentParts)
    generalisation = uses(Generalisation)
    inlining = uses(Inlining)

    def follow(self, op: Apply) -> tuple[Block, Atom, dict[str, Var]] | None:
        """The ops of the call of an op, the result, and by their names here the
        variables that the call is given."""
        fn: Any = op.fn
        source = self.inlining.definition(fn)
        scope = self.inlining.scope_of(fn, source)
        frame = Frame(self.cells.new_cell(Cell("frame", {})).cell, scope)
        self.position.begin(fn.__name__, frame, source.tree)
        given: dict[str, Var] = {}
        args = [self._given(a, given) for a in op.args]
        kwargs = [(k, self._given(a, given)) for k, a in op.kwargs]
        self.position.calls.append(Call(None))
        value = self.inlining.call_function(Const(fn, fn.__name__), fn, args, kwargs)
        result = self.language.atom(value)
        # How the arguments are made up is what the facts of the call say.
        checks = [c for c in self.structures.checks.values() if c.depth is None]
        if (
            self.states.written
            or self.records.rebound
            or checks
            or self.assumptions.given_up
            or self.blocks.ended
        ):
            return None
        items = [
            op for read in self.argument_parts.reads.values() for op in _items(read)
        ]
        block = Block((*items, *self.blocks.ops))
        if self.generalisation.functions_of(block):
            return None
        needed = frozenset({result.name} if isinstance(result, Var) else ())
        return pruned(block, needed), result, given

    def _given(self, atom: Atom, given: dict[str, Var]) -> Value:
        """An argument, under a name of its own."""
        if not isinstance(atom, Var):
            return atom
        name = next((n for n, v in given.items() if v == atom), f"given {len(given)}")
        if name not in given:
            given[name] = atom
            var = Var(name, atom.fact, atom.hint)
            self.structures.paths[name] = (var, ())
            self.argument_parts.remember_argument(var, name)
        return self.argument_parts.argument(
            Var(name, atom.fact, atom.hint), (), atom.fact, None
        )


class Placed(Substitution):
    """New variables for those of the function, under names that are free."""

    def __init__(self, given: Mapping[str, Var], names: Names, op: Apply) -> None:
        super().__init__(given)
        self.free = names
        self.place = op.origin
        self.stem = op.out.name
        self.kept = {b for v in given.values() for b in _bases(v.fact)}

    def var(self, var: Var) -> Var:
        """The new variable of an old one."""
        if var.name not in self.made:
            name = self.free.fresh(var.hint or "%")
            fact = _apart(var.fact, self.stem, self.kept)
            self.made[var.name] = Var(name, fact, var.hint)
        made: Var = self.made[var.name]
        return made

    def op(self, op: Op) -> Op:
        """An op in new variables, at the place of the call."""
        origin = replace(self.place, location=op.origin.location or self.place.location)
        return replace(super().op(op), origin=origin)


def _items(read: Read) -> list[Op]:
    """A part of a container, taken out step by step."""
    ops: list[Op] = []
    at = read.root
    for k, (_, key) in enumerate(read.path):
        last = k == len(read.path) - 1
        keys = (
            at.fact.keys
            if at.fact.keys is not None
            else range(len(at.fact.items or ()))
        )
        fact = dict(zip(keys, at.fact.items or (), strict=True)).get(key, UNKNOWN)
        out = read.out if last else Var(f"{read.out.name} {k}", fact)
        ops.append(Apply(out, operator.getitem, (at, Const(key)), form="subscript"))
        at = out
    return ops


def _bases(fact: Fact) -> list[str]:
    """The names by which a fact speaks of lengths that are not known."""
    found = [fact.shape] if isinstance(fact.shape, str) else []
    found += [d.base for d in _dims(fact) if d is not None]
    for inner in (*(fact.items or ()), fact.element):
        found += [] if inner is None else _bases(inner)
    return found


def _dims(fact: Fact) -> tuple[Dim | None, ...]:
    shape = fact.shape if isinstance(fact.shape, tuple) else ()
    return (*shape, fact.length, fact.picked)


def _apart(fact: Fact, stem: str, kept: set[str]) -> Fact:
    """A fact whose names of lengths are not those of another function."""

    def name(base: str) -> str:
        own = base.startswith("@") and base not in kept
        return f"@{stem}{base}" if own else base

    def dim(d: Dim | None) -> Dim | None:
        if d is None or not d.base.startswith("@"):
            return d
        return Dim(name(d.base), d.offset, d.size)

    shape = fact.shape
    if isinstance(shape, str):
        shape = name(shape)
    elif shape is not None:
        shape = tuple(dim(d) for d in shape)
    items = fact.items and tuple(_apart(f, stem, kept) for f in fact.items)
    element = fact.element and _apart(fact.element, stem, kept)
    return replace(
        fact,
        shape=shape,
        length=dim(fact.length),
        picked=dim(fact.picked),
        items=items,
        element=element,
    )
