"""The components of an interpreter, a function -> its tape."""

from __future__ import annotations

import inspect
import types
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import (
    InternalError,
    UnsupportedSyntax,
    YotaError,
)
from yota_ast.frontend.arrays.given_memory import unmarked
from yota_ast.frontend.arrays.view_writes import ViewWrites
from yota_ast.frontend.calls.generalisation import Generalisation
from yota_ast.frontend.calls.inlining import Inlining
from yota_ast.frontend.calls.outline_records import CallsItself
from yota_ast.frontend.calls.outlining import Outlining
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, uses
from yota_ast.frontend.expressions.argument_parts import ArgumentParts
from yota_ast.frontend.expressions.expressions import Expressions
from yota_ast.frontend.expressions.listed_objects import ListedObjects
from yota_ast.frontend.heap.aliased_stores import seen_elsewhere
from yota_ast.frontend.heap.argument_mutation import ArgumentMutation
from yota_ast.frontend.heap.argument_structures import ArgumentStructures, called, told
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Cell,
    Frame,
    Node,
    Scope,
    Value,
)
from yota_ast.frontend.heap.outside_checks import OutsideChecks
from yota_ast.frontend.heap.outside_writes import OUTSIDE, OutsideWrites
from yota_ast.frontend.interpret.branches import Branches
from yota_ast.frontend.interpret.finished_blocks import (
    Renamer,
    pruned,
    read_by,
    without_idle,
)
from yota_ast.frontend.interpret.function_parameters import FunctionParameters
from yota_ast.frontend.interpret.statement_execution import Execution
from yota_ast.frontend.source.bound_names import own_nodes, without_docstring
from yota_ast.frontend.source.name_flow import (
    RESULT,
    always_leaves,
    ends_in_endless_loop,
    is_none,
)
from yota_ast.frontend.state.array_states import ArrayStates
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.inlining_records import InliningRecords
from yota_ast.frontend.state.joined_lengths import JoinedLengths
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.lowering_records import (
    Call,
    Hint,
)
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.snapshots import Snapshots
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.functions import Function, Parameter
from yota_ast.ir.nodes import Apply, Block, Read, walk
from yota_ast.ir.tape import Tape
from yota_ast.support.captured_data import captured_in
from yota_ast.syntax import nodes
from yota_ast.syntax.node_fields import set_fields
from yota_ast.syntax.value_paths import path_text

SHARED: Final = ("array", "real")
"""Of what kind an argument is that can be tested for shared memory."""


IMPORTED: Final = ("np", "math")
"""What the text imports by a fixed name."""


class FunctionLowering(Component):
    """Lowers one function, from its parameters to its tape."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    states = uses(ArrayStates)
    records = uses(InliningRecords)
    snapshots = uses(Snapshots)
    operations = uses(Operations)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)
    expressions = uses(Expressions)
    listed = uses(ListedObjects)
    argument_parts = uses(ArgumentParts)
    generalisation = uses(Generalisation)
    outlining = uses(Outlining)
    inlining = uses(Inlining)
    branches = uses(Branches)
    execution = uses(Execution)
    lengths = uses(JoinedLengths)
    view_writes = uses(ViewWrites)
    outside = uses(OutsideWrites)
    outside_checks = uses(OutsideChecks)
    argument_mutation = uses(ArgumentMutation)
    function_parameters = uses(FunctionParameters)

    def lower(
        self,
        fn: types.FunctionType,
        facts: Mapping[str, Fact],
        examples: Mapping[str, object],
        name: str,
        told: inspect.Signature | None = None,
    ) -> Tape:
        """The tape of a function."""
        self.outside.take_examples(examples)
        own_cells, source = frozenset(captured_in(told)), self.inlining.definition(fn)
        self.operations.use(fn)
        scope = self.inlining.scope_of(fn, source).capturing(own_cells)
        frame = Frame(self.cells.new_cell(Cell("frame", {})).cell, scope)
        self.position.begin(name, frame, source.tree, own_cells)
        params, variables = self.function_parameters.parameters(
            fn, facts, examples, told
        )
        self.check_names(params)
        for parameter, value in variables.items():
            self.cells.put(frame.cell, parameter, value)
        self.position.calls.append(Call(fn.__code__))
        self.argument_mutation.take_apart(variables, params)
        variables = dict(self.cells.heap[frame.cell].items)
        try:
            result = self.body_or_call(fn, source.tree, scope, variables)
        finally:
            self.position.calls.pop()
        self.inlining.avoid_copies()
        self.generalisation.check_foreseen()
        self.generalisation.check_superseded()
        if not self.blocks.ended:
            self.argument_mutation.write_back()
        for key, (_, where) in self.records.rebound.items():
            self.branches.refuse_global(key, where)
        return self.tape(fn, name, params, result)

    def check_names(self, params: Sequence[Parameter]) -> None:
        """Refuse parameters with names that generated code needs."""
        for given in params:
            if given.var.hint in IMPORTED:
                self.position.refuse(
                    f"the parameter `{given.var.hint}` has the name of a "
                    "module that generated code imports",
                    "Give it another name.",
                )

    def block_with_checks(self, params: Sequence[Parameter], result: Any) -> Block:
        """The ops of the function, behind those that check what it is given."""
        assumptions, needed = self.assumptions, _result_names(result)
        read = self.argument_parts.reads.values()
        checked = assumptions.global_checks()
        assumptions.type_checks((p.var.name, p.var.fact) for p in params)
        assumptions.type_checks((_path(r), r.out.fact) for r in read)
        things = {p.var.name: p.var for p in params}
        things |= {_path(r): r.out for r in read}
        assumptions.mask_checks(things)
        called = self.generalisation.functions_of(Block(tuple(self.blocks.ops)))
        assumptions.change_checks(things, needed, called)
        assumptions.number_checks(things)
        assumptions.unlike_checks(things)
        assumptions.none_checks(things)
        ops = Block(tuple(self.blocks.ops))
        block = without_idle(ops, self.notes.seen_through, needed)
        apart = assumptions.class_checks(things)
        apart += self.outside_checks.outside_checks(things, block, result)
        reads: list[Any] = list(self.argument_parts.reads.values())
        return pruned(Block((*checked, *reads, *apart, *block)), needed)

    def tape(
        self,
        fn: types.FunctionType,
        name: str,
        params: Sequence[Parameter],
        result: Any,
    ) -> Tape:
        """The tape, of what has been lowered."""
        block = self.block_with_checks(params, result)
        block = unmarked(block, result)
        distinct = self.distinct(params, block, result)
        roots = [p.var for p in params]
        renamer = Renamer(roots, self.position.frame.cell, self.hints())
        block = renamer.block(block)
        functions = tuple(map(_unmarked, self.generalisation.functions_of(block)))
        made, split = renamer.made.items(), self.notes.split
        items = frozenset(v.name for n, v in made if n in split)
        self.check_lists((block, renamer.atom(result)), functions, items)
        acts = self.states.written or _acts(block)
        return Tape(
            name,
            tuple(params),
            block,
            renamer.atom(result),
            inspect.getdoc(fn) or "",
            fn.__module__ or "",
            fn,
            tuple(self.operations.used.values()),
            distinct,
            functions,
            tuple(self.structures.checks.values()),
            tuple(self.assumptions.given_up.items()),
            () if acts else tuple(self.view_writes.guesses.items()),
            tuple((*at, value) for at, value in self.operations.constants.items()),
            self.assumptions.ranked,
            tuple(self.lengths.equal),
            tuple((t, *held) for t, held in self.outside.held_unknown(block).items()),
            self.expressions.kept_loops,
        )

    def hints(self) -> Mapping[str, Hint]:
        """What the text calls variables: parts of arguments as the function does."""
        frame = self.position.frame.cell
        own = self.structures.own_names()
        return self.notes.hints | {v: Hint(n, frame, 0) for v, n in own.items()}

    def check_lists(
        self,
        own: tuple[Block, object],
        functions: Iterable[Function],
        split: frozenset[str],
    ) -> None:
        """Refuse to write a list that is read as what it was by another name, and to
        hand on what stands for objects."""
        blocks = own[0], *(f.block for f in functions)
        self.listed.check_listed(blocks, own[1])
        for block, result in (own, *((f.block, f.result) for f in functions)):
            store = seen_elsewhere(block, result, split)
            if store is not None:
                raise UnsupportedSyntax(
                    "the function changes a list that it may read later by "
                    "another name or in another list",
                    at=store.origin.place,
                    remedy="Put a copy into the other list: list(row).",
                )

    def body_or_call(
        self,
        fn: types.FunctionType,
        node: Node,
        scope: Scope,
        variables: Mapping[str, Value],
    ) -> Any:
        """The result of the body; of one that calls itself, that of a call of it."""
        mark = self.snapshots.mark()
        try:
            return self.body_of(node)
        except CallsItself:
            self.snapshots.back_to(mark)
        if scope.own_cells:  # then they are taken for constants
            raise InternalError("a function that calls itself has no cells of its own")
        self.generalisation.recursive[fn.__code__] = None
        value = self.outlining.invoke(node, scope, None, variables, fn.__code__)
        with self.position.at(node):
            return self.language.atom(value)

    def distinct(
        self, params: Sequence[Parameter], block: Block, result: object
    ) -> tuple[tuple[str, str], ...]:
        """The pairs of arguments that must share no memory: one of them is written."""
        if not self.states.written:
            return ()
        read = {a.name for op in walk(block) for a in read_by(op) if isinstance(a, Var)}
        read |= _result_names(result)
        others = {
            r[4:]: var
            for var in (
                *(p.var for p in params),
                *(r.out for r in self.argument_parts.reads.values()),
            )
            if var.name in read
            for r in self.language.memory_of(var).roots
        }
        for text, var in others.items():
            if var.fact.kind not in SHARED and text not in self.states.written:
                first, brought = (
                    next(iter(self.states.written)),
                    self.outside.brought_texts,
                )
                copied = f"Work on a copy: {first} = np.array({first})."
                mine, other = called(first, brought), told(text, brought)
                why = f"the function writes into {mine}, which may be in `{other}`"
                self.position.refuse(why, OUTSIDE if first in brought else copied)
        names = [
            *self.states.written,
            *(t for t in others if t not in self.states.written),
        ]
        return tuple(
            (a, b) for k, a in enumerate(names) if a in self.states.written
            for b in names[k + 1 :]
        )  # fmt: skip

    def body_of(self, node: Node) -> Any:
        """Run the function; its result as an atom."""
        if hasattr(node, "decorator_list"):
            body = self.with_values(node)
            self.language.execute(body, self.position.frame.scope.captured)
            self.inlining.finish()
            value = self.cells.get((self.position.frame.cell, RESULT)) or NULL
        else:
            with self.position.statement(node):
                left_out = self.language.reaches(node.body)
                what = self.language.made_of if left_out else self.language.evaluate
                value = what(node.body)
        if self.blocks.ended:
            return Const(None)
        self.position.stand_at_return()
        try:
            with self.position.at(node):
                return self.language.atom(value)
        except YotaError as error:
            error.move(self.position.last_return.location)
            raise

    def with_values(self, node: Node) -> list[Node]:
        """The body of the function; where it gives a value on some ways and None on
        others, which has no gradient, None is an error."""
        body: list[Node] = without_docstring(node.body)
        own = own_nodes(node)
        returns = [n.value for n in own if isinstance(n, nodes.Return)]
        if not any(v is not None and not is_none(v) for v in returns):
            return body
        tried = any(isinstance(n, nodes.Try) for n in own)  # it may catch the error
        self.execution.give_values(None if tried else self.position.frame.cell)
        if always_leaves(body) or ends_in_endless_loop(body):
            return body
        end = nodes.copy_location(nodes.Return(None), node)
        set_fields(end, falls_off=True)
        return [*body, end]


def _path(read: Read) -> str:
    return path_text(read.root.name, read.path)


def _unmarked(function: Function) -> Function:
    block = unmarked(function.block, function.result, function.variables)
    return replace(function, block=block)


def _acts(block: Block) -> bool:
    """Whether something is done that must not be done twice."""
    return any(isinstance(op, Apply) and op.effect for op in walk(block))


def _result_names(result: object) -> frozenset[str]:
    return frozenset({result.name} if isinstance(result, Var) else ())
