"""Statements: each handler runs one, changing variables and appending ops."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.errors import InternalError
from yota_ast.frontend.heap.array_layouts import is_part
from yota_ast.frontend.heap.has_attribute import found_on, is_slot, seen_in, takes
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Cell,
    Lazy,
    MaybeValue,
    MethodOf,
    Node,
    Ref,
    SliceValue,
    TupleValue,
    Value,
    is_literal_value,
)
from yota_ast.frontend.heap.materialisation import cell_of
from yota_ast.frontend.heap.renewed_lists import renewed
from yota_ast.frontend.interpret.branches import Branches
from yota_ast.frontend.source.name_flow import (
    BROKEN,
    CONTINUED,
    FLAGS,
    RESULT,
    RETURNED,
    Ahead,
    always_leaves,
    exits,
    live_before,
    lives_before,
)
from yota_ast.frontend.state.lowering_records import LeavesOps
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.abstract_values import BOOL, INT, NONE, UNKNOWN
from yota_ast.ir.atoms import UNDEFINED, Atom, Const, Var
from yota_ast.ir.nodes import Raise
from yota_ast.ir.store_changes import PUT, Change, Update
from yota_ast.ops.spellings import BY_NODE, SIGN_OF
from yota_ast.syntax import nodes
from yota_ast.syntax.value_literals import shown_key

TRUE: Final = Const(True)
FALSE: Final = Const(False)

LAYOUT: Final = (
    "real", "imag", "flat", "shape", "dtype", "strides", "data", "T", "base",
)  # fmt: skip
"""Attributes of arrays that Python lets be set, or that look so."""


_EXACT: Final = {"array": np.ndarray, "float": float, "int": int, "complex": complex}
"""The classes of values of these kinds."""


class Statements(Branches):
    """The handlers of statement nodes, by the name of the node's class."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.valued: int | None = None  # the frame in which None is no value to return

    def give_values(self, frame: int | None) -> None:
        """Note in which frame None is no value to return."""
        self.valued = frame

    def execute(self, stmts: Sequence[Node], live: frozenset[str]) -> None:
        """Run statements; `live` are the names read after them."""
        lives: list[frozenset[str]] = []
        for k, stmt in enumerate(stmts):
            if self.ops and self.ops is self.tried:
                raise LeavesOps
            rest = stmts[k + 1 :]
            if isinstance(stmt, nodes.Match):
                after = self.live_before(rest, live)
                self.execute([self.as_ifs(stmt, after), *rest], live)
                return
            if self.passes_by(stmt):
                if self.ended or self.left() is True:
                    return
                continue
            if isinstance(stmt, nodes.If) and exits([stmt]):
                self.if_that_leaves(stmt, rest, live)
                return
            lives = lives or lives_before(stmts, self.ahead(live))
            self.run_statement(stmt, lives[k + 1] | self.read_always)
            if self.ended or self.continue_under_flag(rest, live):
                return

    def as_ifs(self, stmt: Node, after: frozenset[str]) -> Node:
        """A match statement as a chain of ifs; see matching.py."""
        raise NotImplementedError

    def live_before(
        self, stmts: Sequence[Node], live: frozenset[str]
    ) -> frozenset[str]:
        """The names read from here on."""
        return live_before(stmts, self.ahead(live)) | self.read_always

    @property
    def read_always(self) -> frozenset[str]:
        """What inner functions read is read always, and what `finally` reads also where
        control leaves."""
        return self.frame.scope.captured | self.finals

    def ahead(self, live: frozenset[str]) -> Ahead:
        """What is read after the current place, by every way on."""
        if not self.loops:
            return Ahead(live)
        return Ahead(live, *self.loops[-1])

    def run_statement(self, stmt: Node, after: frozenset[str]) -> None:
        """Run one statement; `after` are the names read later."""
        kind = type(stmt).__name__
        handler = getattr(self, f"run_{kind}", None)
        if handler is None:
            known = _REFUSED.get(kind, (f"`{kind}` is not supported", _REMEDY))
            self.refuse(*known, stmt)
        with self.read_later(after), self.statement(stmt):
            handler(stmt)

    def left(self) -> bool | Atom:
        """Whether control has left the current block: known, or the flag that tells."""
        atoms: list[Atom] = []
        for flag in FLAGS:
            value = self.get((self.frame.cell, flag))
            if isinstance(value, Const) and value.value is True:
                return True
            if isinstance(value, Var):
                atoms.append(value)
        if not atoms:
            return False
        result = atoms[0]
        for other in atoms[1:]:
            result = self.apply(operator.or_, (result, other), form="operator")
        return result

    def continue_under_flag(self, rest: Sequence[Node], live: frozenset[str]) -> bool:
        """Whether the rest need not be run any more: control has left, or it was run
        under the flag that tells whether it has.
        """
        left = self.left()
        if isinstance(left, bool):
            return left
        if not rest:
            return False
        self.guarded(left, lambda: self.execute(rest, live), live)
        return True

    def guarded(self, left: Atom, run: Any, live: frozenset[str]) -> None:
        """Run something unless control has left."""

        def stay() -> MaybeValue:
            return UNDEFINED

        def go_on() -> MaybeValue:
            for flag in (*FLAGS, RESULT):
                self.drop(self.frame.cell, flag)
            run()
            return UNDEFINED

        self.branch(left, stay, go_on, live=self.live_flags(self.live_ahead(live)))

    def live_ahead(self, live: frozenset[str]) -> frozenset[str]:
        """Live names where control may have left by break, continue or return: those
        that are read there too."""
        ahead = self.ahead(live)
        return ahead.after | ahead.broken | ahead.continued | self.finals

    def live_flags(self, live: frozenset[str]) -> frozenset[str]:
        """Live names, the flags and the result included."""
        return live | {RESULT, *FLAGS}

    def finish(self) -> None:
        """Give None as the result where the end of a body is reached."""
        if self.ended:
            self.put(self.frame.cell, RESULT, NULL)
            return
        left = self.left()
        if left is False:
            self.put(self.frame.cell, RESULT, NULL)
        elif left is not True:
            cell = self.frame.cell
            self.guarded(left, lambda: self.put(cell, RESULT, NULL), frozenset())

    # ------------------------------------------------------------ branches

    def if_that_leaves(
        self, stmt: Node, rest: Sequence[Node], live: frozenset[str]
    ) -> None:
        """An `if` with return, break or continue inside: what follows it goes into the
        arm that reaches it.
        """
        then, orelse = list(stmt.body), list(stmt.orelse)
        moved = always_leaves(then) or always_leaves(orelse)
        if moved:
            then, orelse = _extended(then, rest), _extended(orelse, rest)
        after = live if moved else self.live_before(rest, live)
        after = self.live_ahead(after)
        with self.statement(stmt):
            test, origin = self.test(stmt.test), self.origin
        self.noted("decided" if isinstance(test, bool) else "branch", detail=test)
        if isinstance(test, bool):
            self.execute(then if test else orelse, after)
        else:
            self.two_arms(test, (then, orelse), after, origin)
        if moved or self.ended or self.continue_under_flag(rest, live):
            return
        if self.left() is False:
            self.execute(rest, live)

    def two_arms(
        self,
        test: Atom,
        arms: tuple[Sequence[Node], Sequence[Node]],
        after: frozenset[str],
        origin: Any,
    ) -> None:
        """Lower the arms of an `if`."""

        def run(stmts: Sequence[Node]) -> MaybeValue:
            self.execute(stmts, after)
            return UNDEFINED

        with self.originating(origin):
            self.branch(
                test, lambda: run(arms[0]), lambda: run(arms[1]),
                live=self.live_flags(after),
            )  # fmt: skip

    def run_If(self, stmt: Node) -> None:
        """An `if` that control does not leave."""
        test = self.test(stmt.test)
        after = self.live
        self.noted("decided" if isinstance(test, bool) else "branch", detail=test)
        if isinstance(test, bool):
            self.execute(stmt.body if test else stmt.orelse, after)
        else:
            self.two_arms(test, (stmt.body, stmt.orelse), after, self.origin)

    # ------------------------------------------------------------ leaving

    def run_Return(self, stmt: Node) -> None:
        """return value."""
        value = NULL if stmt.value is None else self.evaluate(stmt.value)
        self.note_return()
        if self.ended:
            return
        falls_off = getattr(stmt, "falls_off", False)
        if value == NULL and (falls_off or self.valued == self.frame.cell):
            text = f"{self.title}: the value is None here, which has no gradient"
            self.failing(ValueError, text)
            return
        mixed = self.frame.scope.mixed and isinstance(value, (TupleValue, Ref))
        if mixed and not self.is_object(value):
            value = self.atom(value)
        if not self.ended:
            self.put(self.frame.cell, RESULT, value)
            self.put(self.frame.cell, RETURNED, TRUE)

    def run_Break(self, stmt: Node) -> None:
        """break."""
        self.put(self.frame.cell, BROKEN, TRUE)

    def run_Continue(self, stmt: Node) -> None:
        """continue."""
        self.put(self.frame.cell, CONTINUED, TRUE)

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

    def assign(self, target: Node, value: Value) -> None:
        """Bind a target to a value."""
        if isinstance(target, nodes.Name):
            self.bind_name(target.id, value)
        elif isinstance(target, (nodes.Tuple, nodes.List)):
            self.unpack(target, value)
        elif isinstance(target, nodes.Subscript):
            owner = self.evaluate(target.value)
            self.store(owner, self.evaluate(target.slice), value, PUT)
        else:
            assert isinstance(target, nodes.Attribute)
            name = self.frame.scope.mangled(target.attr)
            self.assign_attribute(self.evaluate(target.value), name, value)

    def bind_name(self, name: str, value: Value) -> None:
        """Give a name a value; the value is called by it."""
        scope = self.frame.scope
        if name in scope.declared and not _imported(self.node):
            self.bind_global(name, value)
            return
        if isinstance(value, Var) and not name.startswith("%"):
            self.name_value(value, name)
        if (
            isinstance(value, Const)
            and value.made
            and not value.hint
            and name[0] != "%"
        ):
            value = replace(value, hint=name)
        held = self.heap[value.cell].var if isinstance(value, Ref) else None
        if held is not None:  # a list that the text holds as a whole
            self.hint(held.name, name)
        frame = self.frame
        if name in scope.nonlocals:
            while frame.parent is not None and name not in frame.scope.locals:
                frame = frame.parent
            if name not in frame.scope.locals:
                self.refuse(
                    f"`nonlocal {name}` writes a variable outside the function",
                    "Return the new value.",
                )
        self.put(frame.cell, name, value)

    def bind_global(self, name: str, value: Value) -> None:
        """Give a global another value until its own is put back.

        Whoever reads it meanwhile is lowered with the new one; nothing is written.
        """
        scope = self.frame.scope
        if name in self.own_cells:  # then it is taken for a constant
            raise InternalError("a global that is a parameter has another value")
        if not isinstance(value, Const) or name not in scope.globals:
            self.refuse_global(name, self.location())
        key, own = (id(scope.globals), name), scope.globals[name]
        self.use(own)
        same = value.value is own or (
            type(value.value) is type(own) and is_literal_value(own)
            and value.value == own
        )  # fmt: skip
        self.rebound.pop(key, None)
        if not same:
            self.rebound[key] = (value, self.location())

    def name_value(self, value: Var, name: str) -> None:
        """Call a value by the name that it is assigned to, if it has no better one."""
        if value.name not in self.paths:
            self.hint(value.name, name)

    def unpack(self, target: Node, value: Value) -> None:
        """a, (b, *c) = value."""
        count = len(target.elts)
        starred = [k for k, e in enumerate(target.elts) if isinstance(e, nodes.Starred)]
        items: Sequence[Value] | None
        if isinstance(value, Lazy) and value.fn is map and not starred:
            columns = [self.unpacked(c, count) for c in value.args[1:]]
            rows = zip(*columns, strict=True)
            items = tuple(self.call(value.args[0], row) for row in rows)
        else:
            value = self.run_through(value)
            self.tell_items(value)
            items = self.items_of(value)
        if items is None and starred:
            items = self.items_apart(value) or self.items_of_table(value)
        elif items is None and self.fixed is not None:
            items = self.rows_of(value)
        if items is None:
            if starred:
                self.refuse(
                    "a starred target takes an unknown number of items",
                    "Take the items by slices: x[0], x[1:].",
                    target,
                )
            if self.tries and isinstance(value, Var):
                self.check_unpacked(value, count)
                if self.ended:
                    return
            items = self.unpacked(value, count, counted=True)
        if starred:
            self.unpack_starred(target, starred[0], items)
            return
        if len(items) != count:
            if self.tries:
                self.fail_to_unpack(count)
                return
            self.refuse(
                f"{len(items)} items are assigned to {count} targets",
                "Correct the number of targets.",
                target,
            )
        for element, item in zip(target.elts, items, strict=True):
            self.assign(element, item)

    def check_unpacked(self, value: Var, count: int) -> None:
        """In a `try`, what is taken apart has as many items as there are targets."""
        if value.fact.items is not None:
            if len(value.fact.items) != count:
                self.fail_to_unpack(count)
            return
        length = self.apply(len, (value,), fact=INT)
        args = (length, Const(count))
        test = self.apply(operator.ne, args, form="operator", fact=BOOL)
        stay = self.live_flags(self.live)
        self.branch(
            test, lambda: self.fail_to_unpack(count), lambda: UNDEFINED, live=stay
        )

    def fail_to_unpack(self, count: int) -> MaybeValue:
        """What Python raises where there are more items, or fewer, than targets."""
        return self.failing(ValueError, f"cannot unpack into {count} values")

    def unpacked(
        self, value: Value, count: int, *, counted: bool = False
    ) -> tuple[Value, ...]:
        """The items of something that the text takes apart by position; counted: it
        raises where there are more."""
        atom, spelling = self.atom(value), ""
        known = self.fact(atom).items
        if counted and (known is None or len(known) != count):
            spelling = str(count)
        return tuple(
            self.apply(
                operator.getitem, (atom, Const(k)), form="unpack", spelling=spelling
            )
            for k in range(count)
        )

    def unpack_starred(self, target: Node, at: int, items: Sequence[Value]) -> None:
        """a, *b, c = items."""
        after = len(target.elts) - at - 1
        if len(items) < at + after:
            self.refuse(
                "there are too few items to unpack",
                "Correct the number of targets.",
                target,
            )
        middle = items[at : len(items) - after]
        rest = self.new_cell(Cell("list", dict(enumerate(middle)), list))
        values = [*items[:at], rest, *items[len(items) - after :]]
        for element, item in zip(target.elts, values, strict=True):
            inner = element.value if isinstance(element, nodes.Starred) else element
            self.assign(inner, item)

    def set_attribute(self, owner: Value, name: str, value: Value) -> None:
        """owner.name = value."""
        if isinstance(owner, Ref) and self.is_object(owner):
            cls = self.heap[owner.cell].cls or object
            found = found_on(cls, name)
            if isinstance(found, property):
                if found.fset is None:
                    self.refuse(
                        f"the property `{name}` cannot be written",
                        "Give the property a setter.",
                    )
                self.call(Const(found.fset, name), (owner, value))
            elif hasattr(type(found), "__set__") and not is_slot(found):
                self.refuse(
                    f"the descriptor `{name}` is not supported",
                    "Write it as a property.",
                )
            elif not takes(seen := seen_in(cls, self.frame.scope.module), name):
                self.without_slot(seen, name)
            else:
                self.put(owner.cell, name, value)
            return
        roots = self.memory_of(owner).roots if isinstance(owner, Var) else ()
        guessed = any(root.startswith("arg:") for root in roots)  # or a part of one
        vague = guessed and self.fact(owner).kind == "real"
        if isinstance(owner, Var) and owner.fact.is_numeric and name in LAYOUT:
            self.set_layout(owner, name, value)
            return
        if isinstance(owner, Var) and owner.fact.is_numeric and not vague:
            # What no number and no array allows: Python raises it where it stands.
            self.apply(
                setattr,
                (self.atom(owner), Const(name), self.atom(value)),
                fact=NONE,
                effect=True,
            )
            return
        if isinstance(owner, Argument) and owner.example is not None:
            self.begin_again(owner)
        what = (
            f"`{owner.root.name}`"
            if isinstance(owner, Argument)
            else "an object from outside"
        )
        self.refuse(
            f"the function sets the attribute `{name}` of {what}",
            "Return the new value, and assign it outside.",
        )

    def without_slot(self, cls: type, name: str) -> None:
        """owner.name = value of a class with `__slots__`, none of which is for it."""
        if not self.tries:
            self.refuse(
                f"the class {cls.__name__} has no slot for `{name}`",
                "Name it in `__slots__`, or assign it to a variable.",
            )
        self.without_attribute(cls, name)

    def set_layout(self, owner: Var, name: str, value: Value) -> None:
        """array.real = value: a store; other attributes change the array itself."""
        known = owner.fact
        if is_part(owner, name):
            part = self.attribute(owner, name)
            assert isinstance(part, Var)
            self.store(part, Const(...), value, PUT)
            return
        real = known.dtype is not None and known.dtype.kind == "f"
        same = self.fact(value).is_scalar or self.fact(value).shape == known.shape
        if known.kind != "array" or not (
            (name == "real" and real) or (name == "flat" and same)
        ):
            self.refuse(
                f"the function sets the attribute `{name}` of an array",
                "Make a new array, with reshape or astype, or write into y[...].",
            )
        self.store(owner, Const(...), value, PUT)

    def run_AugAssign(self, stmt: Node) -> None:
        """a += value."""
        fn = BY_NODE[type(stmt.op).__name__].fn
        target = stmt.target
        if isinstance(target, nodes.Name):
            old = self.load(target.id)
            value = self.evaluate(stmt.value)
            self.bind_name(target.id, self.augmented(fn, old, value))
            return
        owner = self.evaluate(target.value)
        if isinstance(target, nodes.Attribute):
            name = self.frame.scope.mangled(target.attr)
            old = self.attribute(owner, name)
            new = self.augmented(fn, old, self.evaluate(stmt.value))
            if not is_part(owner, name):  # which is written by now
                self.assign_attribute(owner, name, new)
            return
        index = self.evaluate(target.slice)
        inside = isinstance(owner, Var) and owner.fact.kind == "list"
        if inside or (isinstance(owner, Ref) and self.heap[owner.cell].var is None):
            old = self.subscript(owner, index)
            if inside:
                self.check_number(old)
            new = self.augmented(fn, old, self.evaluate(stmt.value))
            self.store(owner, index, new, PUT)
        else:
            stale = isinstance(owner, Var) and self.was_written(owner)
            value = self.evaluate(stmt.value)
            if isinstance(owner, Var) and not stale and self.was_written(owner):
                self.refuse(
                    "the right side changes the array on the left side",
                    "Assign the right side to a name on the line before.",
                )
            self.store(owner, index, value, Update(fn))

    def check_number(self, old: Value) -> None:
        """Refuse `xs[i] += e` of an item that may be an array; see arrays.py."""
        raise NotImplementedError

    def was_written(self, var: Var) -> bool:
        """Whether the memory of a variable was written since it was made."""
        raise NotImplementedError

    def augmented(self, fn: Any, old: Value, value: Value) -> Value:
        """The new value of `old += value`."""
        method = self.special_method(old, f"__i{fn.__name__.strip('_')}__")
        if method is not None:
            result = self.call(method, (old, value))
            if not (isinstance(result, Const) and result.value is NotImplemented):
                return result
        changes = f"__i{fn.__name__.strip('_')}__"
        if isinstance(old, Const) and hasattr(old.value, changes):
            self.refuse(
                "the function writes into something that it did not make",
                "Work on a copy.",
            )
        if isinstance(old, Argument) and old.example is not None:
            if self.changes_in_place(fn, old, value):
                self.begin_again(old)
        if isinstance(old, Ref) and self.heap[old.cell].kind == "list":
            if isinstance(value, Var) and value.fact.kind == "array":
                return self.operate(fn, old, value)  # NumPy makes a new array
            if fn is operator.add:
                self.call(MethodOf(old, "extend"), (value,))
                made = old
                self.check_as_made((value,))
                return made
            if fn is operator.mul:
                return self.repeated(old, value)
            self.refuse(
                f"`{SIGN_OF[fn]}=` of a list is not supported",
                "Make it an array first: np.array(xs).",
            )
        if isinstance(old, Ref) and self.heap[old.cell].kind in ("set", "dict"):
            return self.joined_in_place(fn, old, value)
        if isinstance(old, Var):
            self.check_augmented(fn, old, value)
            if old.fact.may_be_array:
                return self.augmented_array(fn, old, value)
        return self.operate(fn, old, value, form="augmented")

    def changes_in_place(self, fn: Any, old: Argument | Var, value: Value) -> bool:
        """Whether `old op= value` changes a container; a number of NumPy's, or an
        array, makes an array of a list."""
        kind = old.fact.kind
        if kind == "list" and fn is operator.add:
            return not (isinstance(value, (Var, Const)) and self.fact(value).is_numeric)
        if kind == "list" and fn is operator.mul:
            return self.fact(value).kind in ("int", "bool")
        return kind == "dict" and fn is operator.or_

    def check_augmented(self, fn: Any, old: Var, value: Value) -> None:
        """Refuse `old op= value` where it changes a list or a dict of which it is not
        known which it is."""
        changes = self.changes_in_place(fn, old, value)
        if old.fact.kind == "other" and old.name in self.built:  # an item: a set
            changes = hasattr(old.fact.cls, f"__i{fn.__name__.strip('_')}__")
        if old.fact.may_be_array and not old.fact.is_numeric:
            roots = map(cell_of, self.memory_of(old).roots)
            changes = any(cell is not None for cell in roots)
        if changes:
            self.refuse_one_of_several()
        self.check_object_in_place(fn, old)

    def check_object_in_place(self, fn: Any, owner: Var) -> None:
        """Refuse it of an object that is not followed; see arrays.py."""
        raise NotImplementedError

    def joined_in_place(self, fn: Any, ref: Ref, value: Value) -> Value:
        """set |= items, dict |= items: in place."""
        cell = self.heap[ref.cell]
        self.check_fixed(cell)
        made = self.operate(fn, ref, value)
        if not isinstance(made, Ref):
            self.refuse(
                f"a {cell.kind} is updated with an unknown value",
                f"Use {cell.kind}s of literal numbers and strings.",
            )
        self.heap[ref.cell] = self.heap[made.cell]
        return ref

    def check_as_made(self, given: Iterable[Value]) -> None:
        """Refuse iterators that read what has changed; see passing.py."""
        raise NotImplementedError

    def repeated(self, ref: Ref, value: Value) -> Value:
        """list *= number: in place."""
        cell = self.heap[ref.cell]
        self.check_fixed(cell)
        made = self.operate(operator.mul, ref, value)
        if not isinstance(made, Ref) or cell.var is not None:
            self.refuse(
                "a list is repeated in place an unknown number of times",
                "Make a new list: xs = xs * n.",
            )
        self.heap[ref.cell] = self.heap[made.cell]
        return ref

    def augmented_array(self, fn: Any, old: Var, value: Value) -> Value:
        """array += value: in place; see memory.py."""
        raise NotImplementedError

    def store(self, owner: Value, index: Value, value: Value, change: Change) -> None:
        """owner[index] = value; see memory.py."""
        raise NotImplementedError

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


def _imported(stmt: Node) -> bool:
    """An import into a global name is only made late: the value is the same."""
    return isinstance(stmt, (nodes.Import, nodes.ImportFrom))


def _extended(stmts: list[Node], rest: Sequence[Node]) -> list[Node]:
    return stmts if always_leaves(stmts) else [*stmts, *rest]


_REMEDY: Final = "Do it outside the function that is differentiated."
_REFUSED: Final = {
    "AsyncFunctionDef": ("`async def` is not supported", "Write a plain function."),
    "AsyncFor": ("`async for` is not supported", "Write a plain loop."),
    "AsyncWith": ("`async with` is not supported", "Use a plain context."),
    "ClassDef": (
        "a class defined inside the function is not supported",
        "Define the class in the module.",
    ),
    "TryStar": ("`except*` is not supported", "Use plain `except` clauses."),
}
