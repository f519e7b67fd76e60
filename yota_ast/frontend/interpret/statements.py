"""Statements: each handler runs one, changing variables and appending ops."""

from __future__ import annotations

import importlib
from typing import Any, Final

import numpy as np

from yota_ast.frontend.heap.lowered_values import (
    NULL,
    MaybeValue,
    MethodOf,
    Node,
    Ref,
    SliceValue,
    Value,
    is_literal_value,
)
from yota_ast.frontend.heap.renewed_lists import renewed
from yota_ast.frontend.interpret.augmented_assignments import AugmentedAssignments
from yota_ast.ir.abstract_values import UNKNOWN
from yota_ast.ir.atoms import UNDEFINED, Atom, Const, Var
from yota_ast.ir.nodes import Raise
from yota_ast.syntax import nodes
from yota_ast.syntax.value_literals import shown_key

FALSE: Final = Const(False)


_EXACT: Final = {"array": np.ndarray, "float": float, "int": int, "complex": complex}
"""The classes of values of these kinds."""


class Statements(AugmentedAssignments):
    """The handlers of statement nodes, by the name of the node's class."""

    # ------------------------------------------------------------ leaving

    def run_Raise(self, stmt: Node) -> None:
        """raise error."""
        if stmt.exc is not None:
            error = self.exception(stmt.exc)
        elif self.caught:
            error = self.caught[-1]
        else:  # what Python raises then
            text = Const("No active exception to reraise")
            error = self.apply(RuntimeError, (text,), fact=UNKNOWN)
        if self.ended:  # to find the error has failed
            return
        self.emit(Raise(error, self.origin))
        self.end_block()

    def exception(self, node: Node) -> Atom:
        """The error of a raise statement, as an atom."""
        if not isinstance(node, nodes.Call):
            return self.atom(self.evaluate(node))
        function = self.evaluate(node.func)
        if self.ended:
            return NULL
        if not isinstance(function, Const):
            return self.atom(self.evaluate(node))
        args = [self.atom(v) for v in self.eval_elements(node.args)]
        named = [(k.arg, self.atom(self.evaluate(k.value))) for k in node.keywords]
        fn: Any = function.value
        if isinstance(fn, type) and issubclass(fn, BaseException):
            from yota_ast.frontend.source.function_spelling import own_path

            return self.apply(
                fn, args, named, spelling=own_path(function), fact=UNKNOWN
            )
        return self.atom(self.evaluate(node))

    def run_Assert(self, stmt: Node) -> None:
        """assert test, message."""
        test = self.test(stmt.test)
        if test is True:
            return

        def fail() -> MaybeValue:
            message = () if stmt.msg is None else (self.atom(self.evaluate(stmt.msg)),)
            error = self.apply(AssertionError, message, fact=UNKNOWN)
            self.emit(Raise(error, self.origin))
            self.end_block()
            return UNDEFINED

        if test is False:
            fail()
        else:
            self.branch(test, lambda: UNDEFINED, fail, live=self.live_flags(self.live))

    # ------------------------------------------------------------ assignments

    def run_Assign(self, stmt: Node) -> None:
        """a = b = value."""
        self.expect_whole(stmt.value)
        value = self.evaluate(stmt.value)
        if self.ended:
            return
        self.read_alone(stmt.value, value)
        if isinstance(value, Ref) and [*map(type, stmt.targets)] == [nodes.Name]:
            value = renewed(self, stmt.targets[0].id, value)
        for target in stmt.targets:
            self.assign(target, value)

    def run_AnnAssign(self, stmt: Node) -> None:
        """a: T = value."""
        if stmt.value is not None:
            self.expect_whole(stmt.value)
            value = self.evaluate(stmt.value)
            if not self.ended:
                self.assign(stmt.target, value)

    # ------------------------------------------------------------ the rest

    def run_Expr(self, stmt: Node) -> None:
        """An expression as a statement."""
        if isinstance(stmt.value, nodes.YieldFrom):
            self.yield_each(stmt.value, stmt.value.value)
        elif not isinstance(stmt.value, nodes.Constant):
            self.expect_whole(stmt.value)
            self.read_alone(stmt.value, self.evaluate(stmt.value))

    def read_alone(self, node: Node, value: Value) -> None:
        """Read an attribute, which raises where it is not there."""
        if isinstance(value, MethodOf) and isinstance(value.owner, Var):
            cls = _EXACT.get(value.owner.fact.kind)
            if cls is not None and not hasattr(cls, value.name):
                self.refuse(
                    f"`{cls.__name__}` has no attribute `{value.name}`",
                    "Correct the name of the attribute.",
                )

    def yield_each(self, node: Node, values: Node) -> None:
        """yield from values, whose own value is not asked for; see contexts.py."""
        raise NotImplementedError

    def run_Pass(self, stmt: Node) -> None:
        """pass."""

    def run_Global(self, stmt: Node) -> None:
        """global x: read as any global."""

    def run_Nonlocal(self, stmt: Node) -> None:
        """nonlocal x: taken into account where names are resolved."""

    def run_Delete(self, stmt: Node) -> None:
        """del x, d[k]."""
        for target in stmt.targets:
            if isinstance(target, nodes.Name):
                self.load(target.id)
                if (self.arms_open or self.turns) and target.id in self.live:
                    where = "one case" if self.arms_open else "a loop"
                    self.refuse(
                        f"`{target.id}` is deleted in {where}, and may be "
                        "read afterwards",
                        f"Do not delete `{target.id}`, or read another name.",
                    )
                self.drop(self.frame.cell, target.id)
            else:
                self.delete_item(target)

    def delete_item(self, target: Node) -> None:
        """del d[k] of a dict of known keys."""
        if isinstance(target, nodes.Subscript):
            owner, key = self.evaluate(target.value), self.evaluate(target.slice)
            if isinstance(owner, Ref) and self.heap[owner.cell].kind == "dict":
                self.delete_key(owner, self.key_of(key, target.slice))
                return
            part = isinstance(key, SliceValue) or self.fact(key).cls is slice
            if isinstance(owner, Ref) and self.fact(owner).kind == "list" and not part:
                self.call(self.attribute(owner, "pop"), (key,))
                return
            if isinstance(owner, Ref) and self.fact(owner).kind == "list":
                if isinstance(key, (SliceValue, Const)):
                    if self.delete_stretch(owner, key):
                        return
        self.refuse(
            "this form of `del` is not supported",
            "Make a new list, [*xs[:i], *xs[j:]], or array: np.delete(x, i).",
            target,
        )

    def delete_key(self, owner: Ref, key: object) -> None:
        """Remove an item of a dict."""
        if key not in self.items_held(owner.cell):
            self.without_key(key, f"the dict has no key {shown_key(key)} here")
            return
        self.drop(owner.cell, key)

    def run_FunctionDef(self, stmt: Node) -> None:
        """def f inside."""
        function: Value = self.closure(stmt, stmt.name)
        for decorator in reversed(stmt.decorator_list):
            function = self.call(self.evaluate(decorator), (function,))
        self.bind_name(stmt.name, function)

    def run_Import(self, stmt: Node) -> None:
        """import a.b as c, within the function."""
        for alias in stmt.names:
            module = self.imported(alias.name)
            if self.ended:
                return
            if alias.asname is None:
                root = alias.name.partition(".")[0]
                self.bind_name(root, Const(self.imported(root), root, root))
            else:
                self.bind_name(alias.asname, Const(module, alias.asname, alias.name))

    def run_ImportFrom(self, stmt: Node) -> None:
        """from a import b, within the function."""
        package = self.frame.scope.globals.get("__package__")
        name = "." * (stmt.level or 0) + (stmt.module or "")
        module = self.imported(name, str(package or ""))
        for alias in stmt.names:
            value = getattr(module, alias.name, None)
            if value is None and not self.ended:
                value = self.imported(f"{module.__name__}.{alias.name}")
            if self.ended:
                return
            bound = alias.asname or alias.name
            found = Const(value, bound, module.__name__)
            self.bind_name(bound, Const(value) if is_literal_value(value) else found)

    def imported(self, name: str, package: str = "") -> Any:
        """A module, imported now as the function would when it runs; in a `try` or
        an arm of a branch one that is not there is no mistake."""
        try:
            return importlib.import_module(name, package or None)
        except ImportError as error:
            if self.tries or self.arms_open:
                return self.failing(type(error), str(error))
            self.refuse(f"the import fails: {error}", "Correct the import.")
