"""Statements: each handler runs one, changing variables and appending ops."""

from __future__ import annotations

import importlib
from typing import Any, Final

import numpy as np

from yota_ast.frontend.arrays.list_slices import assign_slice, has_no_step
from yota_ast.frontend.components import Component, extensible, uses
from yota_ast.frontend.expressions.expressions import Expressions
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.expressions.name_lookup import NameLookup
from yota_ast.frontend.expressions.subscripts import Subscripts
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Cell,
    MaybeValue,
    MethodOf,
    Node,
    Ref,
    SliceValue,
    TupleValue,
    Value,
    is_literal_value,
)
from yota_ast.frontend.heap.renewed_lists import renewed, renewed_together
from yota_ast.frontend.interpret.assignment_targets import Assignments
from yota_ast.frontend.interpret.branches import Branches
from yota_ast.frontend.interpret.statement_execution import STATEMENTS, Execution
from yota_ast.frontend.library.builtin_functions import open_models
from yota_ast.frontend.library.list_methods import ListMethods
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import UNKNOWN
from yota_ast.ir.atoms import UNDEFINED, Atom, Const, Var
from yota_ast.ir.nodes import Raise
from yota_ast.syntax import nodes
from yota_ast.syntax.value_literals import shown_key

FALSE: Final = Const(False)


_EXACT: Final = {"array": np.ndarray, "float": float, "int": int, "complex": complex}
"""The classes of values of these kinds."""


class Statements(Component):
    """Statements that are no loop, branch or `try`."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    operations = uses(Operations)
    name_lookup = uses(NameLookup)
    known_items = uses(KnownItems)
    expressions = uses(Expressions)
    subscripts = uses(Subscripts)
    lists = uses(ListMethods)
    branches = uses(Branches)
    execution = uses(Execution)
    assignments = uses(Assignments)

    # ------------------------------------------------------------ leaving

    @STATEMENTS.handles("Raise")
    def run_Raise(self, stmt: Node) -> None:
        """raise error."""
        if stmt.exc is not None:
            error = self.exception(stmt.exc)
        elif self.position.caught:
            error = self.position.caught[-1]
        else:  # what Python raises then
            text = Const("No active exception to reraise")
            error = self.operations.apply(RuntimeError, (text,), fact=UNKNOWN)
        if self.blocks.ended:  # to find the error has failed
            return
        self.blocks.emit(Raise(error, self.position.origin))
        self.blocks.end_block()

    def exception(self, node: Node) -> Atom:
        """The error of a raise statement, as an atom."""
        if not isinstance(node, nodes.Call):
            return self.language.atom(self.language.evaluate(node))
        function = self.language.evaluate(node.func)
        if self.blocks.ended:
            return NULL
        if not isinstance(function, Const):
            return self.language.atom(self.language.evaluate(node))
        args = [
            self.language.atom(v) for v in self.expressions.eval_elements(node.args)
        ]
        named = [
            (k.arg, self.language.atom(self.language.evaluate(k.value)))
            for k in node.keywords
        ]
        fn: Any = function.value
        if isinstance(fn, type) and issubclass(fn, BaseException):
            from yota_ast.frontend.source.function_spelling import own_path

            return self.operations.apply(
                fn, args, named, spelling=own_path(function), fact=UNKNOWN
            )
        return self.language.atom(self.language.evaluate(node))

    @STATEMENTS.handles("Assert")
    def run_Assert(self, stmt: Node) -> None:
        """assert test, message."""
        test = self.expressions.test(stmt.test)
        if test is True:
            return

        def fail() -> MaybeValue:
            message = (
                ()
                if stmt.msg is None
                else (self.language.atom(self.language.evaluate(stmt.msg)),)
            )
            error = self.operations.apply(AssertionError, message, fact=UNKNOWN)
            self.blocks.emit(Raise(error, self.position.origin))
            self.blocks.end_block()
            return UNDEFINED

        if test is False:
            fail()
        else:
            self.branches.branch(
                test,
                lambda: UNDEFINED,
                fail,
                live=self.execution.live_flags(self.position.live),
            )

    # ------------------------------------------------------------ assignments

    @STATEMENTS.handles("Assign")
    def run_Assign(self, stmt: Node) -> None:
        """a = b = value."""
        self.position.expect_whole(stmt.value)
        value = self.language.evaluate(stmt.value)
        if self.blocks.ended:
            return
        self.read_alone(stmt.value, value)
        if len(stmt.targets) == 1:
            value = self.renewed(stmt.targets[0], value)
        for target in stmt.targets:
            self.language.assign(target, value)

    def renewed(self, target: Node, value: Value) -> Value:
        """What one target stands for, where a list takes the place of its own."""
        if isinstance(target, nodes.Name) and isinstance(value, (Ref, Var)):
            return renewed(self, target.id, value)
        if not isinstance(target, (nodes.Tuple, nodes.List)):
            return value
        names = [t.id for t in target.elts if isinstance(t, nodes.Name)]
        if not isinstance(value, TupleValue) or len(names) != len(value.items):
            return value
        if len(set(names)) != len(target.elts):
            return value
        return renewed_together(self, names, value)

    @STATEMENTS.handles("AnnAssign")
    def run_AnnAssign(self, stmt: Node) -> None:
        """a: T = value."""
        if stmt.value is not None:
            self.position.expect_whole(stmt.value)
            value = self.language.evaluate(stmt.value)
            if not self.blocks.ended:
                self.language.assign(stmt.target, self.renewed(stmt.target, value))

    # ------------------------------------------------------------ the rest

    @STATEMENTS.handles("Expr")
    def run_Expr(self, stmt: Node) -> None:
        """An expression as a statement."""
        if isinstance(stmt.value, nodes.YieldFrom):
            self.yield_each(stmt.value, stmt.value.value)
        elif not isinstance(stmt.value, nodes.Constant):
            self.position.expect_whole(stmt.value)
            self.read_alone(stmt.value, self.language.evaluate(stmt.value))

    def read_alone(self, node: Node, value: Value) -> None:
        """Read an attribute, which raises where it is not there."""
        if isinstance(value, MethodOf) and isinstance(value.owner, Var):
            cls = _EXACT.get(value.owner.fact.kind)
            if cls is not None and not hasattr(cls, value.name):
                self.position.refuse(
                    f"`{cls.__name__}` has no attribute `{value.name}`",
                    "Correct the name of the attribute.",
                )

    @extensible
    def yield_each(self, node: Node, values: Node) -> None:
        """yield from values, whose own value is not asked for."""
        raise NotImplementedError

    @STATEMENTS.handles("Pass")
    def run_Pass(self, stmt: Node) -> None:
        """pass."""

    @STATEMENTS.handles("Global")
    def run_Global(self, stmt: Node) -> None:
        """global x: read as any global."""

    @STATEMENTS.handles("Nonlocal")
    def run_Nonlocal(self, stmt: Node) -> None:
        """nonlocal x: taken into account where names are resolved."""

    @STATEMENTS.handles("Delete")
    def run_Delete(self, stmt: Node) -> None:
        """del x, d[k]."""
        for target in stmt.targets:
            if isinstance(target, nodes.Name):
                self.name_lookup.load(target.id)
                if (
                    self.position.arms_open or self.position.turns
                ) and target.id in self.position.live:
                    where = "one case" if self.position.arms_open else "a loop"
                    self.position.refuse(
                        f"`{target.id}` is deleted in {where}, and may be "
                        "read afterwards",
                        f"Do not delete `{target.id}`, or read another name.",
                    )
                self.cells.drop(self.position.frame.cell, target.id)
            else:
                self.delete_item(target)

    def delete_item(self, target: Node) -> None:
        """del d[k] of a dict of known keys."""
        if isinstance(target, nodes.Subscript):
            owner, key = (
                self.language.evaluate(target.value),
                self.language.evaluate(target.slice),
            )
            if isinstance(owner, Ref) and self.cells.heap[owner.cell].kind == "dict":
                self.delete_key(owner, self.known_items.key_of(key, target.slice))
                return
            part = isinstance(key, SliceValue) or self.operations.fact(key).cls is slice
            if (
                isinstance(owner, Ref)
                and self.operations.fact(owner).kind == "list"
                and not part
            ):
                self.language.call(self.language.attribute(owner, "pop"), (key,))
                return
            if isinstance(owner, Ref) and self.operations.fact(owner).kind == "list":
                if isinstance(key, (SliceValue, Const)):
                    if self.lists.delete_stretch(owner, key):
                        return
                    if has_no_step(key):
                        nothing = self.cells.new_cell(Cell("list", {}, list))
                        assign_slice(self, owner, key, nothing)
                        return
        self.position.refuse(
            "this form of `del` is not supported",
            "Make a new list, [*xs[:i], *xs[j:]], or array: np.delete(x, i).",
            target,
        )

    def delete_key(self, owner: Ref, key: object) -> None:
        """Remove an item of a dict."""
        if key not in self.cells.items_held(owner.cell):
            self.subscripts.without_key(
                key, f"the dict has no key {shown_key(key)} here"
            )
            return
        self.cells.drop(owner.cell, key)

    @STATEMENTS.handles("FunctionDef")
    def run_FunctionDef(self, stmt: Node) -> None:
        """def f inside."""
        function: Value = self.expressions.closure(stmt, stmt.name)
        for decorator in reversed(stmt.decorator_list):
            function = self.language.call(
                self.language.evaluate(decorator), (function,)
            )
        self.assignments.bind_name(stmt.name, function)

    @STATEMENTS.handles("Import")
    def run_Import(self, stmt: Node) -> None:
        """import a.b as c, within the function."""
        for alias in stmt.names:
            module = self.imported(alias.name)
            if self.blocks.ended:
                return
            if alias.asname is None:
                root = alias.name.partition(".")[0]
                self.assignments.bind_name(root, Const(self.imported(root), root, root))
            else:
                self.assignments.bind_name(
                    alias.asname, Const(module, alias.asname, alias.name)
                )

    @STATEMENTS.handles("ImportFrom")
    def run_ImportFrom(self, stmt: Node) -> None:
        """from a import b, within the function."""
        package = self.position.frame.scope.globals.get("__package__")
        name = "." * (stmt.level or 0) + (stmt.module or "")
        module = self.imported(name, str(package or ""))
        for alias in stmt.names:
            value = getattr(module, alias.name, None)
            if value is None and not self.blocks.ended:
                value = self.imported(f"{module.__name__}.{alias.name}")
            if self.blocks.ended:
                return
            bound = alias.asname or alias.name
            found = Const(value, bound, module.__name__)
            self.assignments.bind_name(
                bound, Const(value) if is_literal_value(value) else found
            )

    def imported(self, name: str, package: str = "") -> Any:
        """A module, imported now as the function would when it runs; in a `try` or
        an arm of a branch one that is not there is no mistake."""
        try:
            module = importlib.import_module(name, package or None)
        except ImportError as error:
            if self.position.tries or self.position.arms_open:
                return self.operations.failing(type(error), str(error))
            self.position.refuse(f"the import fails: {error}", "Correct the import.")
        open_models()
        return module
