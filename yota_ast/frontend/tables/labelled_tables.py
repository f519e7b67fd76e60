"""Tables and quantities of pandas, xarray, pint: operations on them stay as written.

A value of a class with labels or units is not looked into. What is computed of it is an
op of the user's own expression, evaluated at every call. Its result is again such a
value, unless the example shows a number or an array: the generated code then checks
that it has one, `numbers(df["y"].to_numpy(), 1)`, and computes with it. Where a value
that is differentiated meets one, adjoint/lost.py refuses.
"""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

import numpy as np

from yota_ast import runtime
from yota_ast.frontend.calls.opaque_calls import OpaqueCalls
from yota_ast.frontend.calls.user_calls import UserCalls
from yota_ast.frontend.components import Component, extends, provides, uses
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Cell,
    Lazy,
    MethodOf,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.heap.outside_checks import OutsideChecks
from yota_ast.frontend.heap.outside_writes import OutsideWrites
from yota_ast.frontend.interpret.loops import Loops
from yota_ast.frontend.library.builtin_functions import LAZY, Builtins
from yota_ast.frontend.library.value_methods import Method
from yota_ast.frontend.source.function_spelling import own_path
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.tables.data_alone import DataAlone, is_installed
from yota_ast.frontend.tables.table_functions import TableFunctions
from yota_ast.frontend.tables.table_rehearsal import (
    NOTHING_KNOWN,
    changes,
    first_item,
    is_method,
    rehearsed,
)
from yota_ast.ir.abstract_values import (
    BOOL,
    CONTAINERS,
    FLOAT,
    INT,
    LABELLED,
    NUMBER,
    STR,
    Fact,
    fact_of_constant,
    holds_labels,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_dict, build_list, build_slice, build_tuple
from yota_ast.ir.nodes import Apply, Form
from yota_ast.ir.store_changes import Change
from yota_ast.ops import info
from yota_ast.support.proxies import poses_as_another
from yota_ast.support.value_classes import REAL_KINDS, has_labels, is_of_labels

_PURE: Final = ("numpy", "_operator", "math", "builtins")
"""The modules of functions whose results are computed for the example."""
_CONVERTED: Final[dict[Any, Fact]] = {float: FLOAT, int: INT, bool: BOOL, str: STR}
_CONTAINERS: Final = (list, tuple, dict, set)
_PLAIN: Final = (bool, str, type(None))
_BUILDS: Final[dict[Any, Callable[..., object]]] = {
    build_list: lambda *items: list(items),
    build_slice: slice,
    build_tuple: lambda *items: items,
    build_dict: lambda *turns: dict(zip(turns[::2], turns[1::2], strict=True)),
}


class LabelledTables(Component):
    """Operations on values of classes with labels or units."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    notes = uses(Notes)
    operations = uses(Operations)
    structures = uses(ArgumentStructures)
    builtins = uses(Builtins)
    opaque_calls = uses(OpaqueCalls)
    table_functions = uses(TableFunctions)
    outside = uses(OutsideWrites)
    outside_checks = uses(OutsideChecks)
    data_alone = uses(DataAlone)

    @provides(DataAlone.is_labelled)
    def is_labelled(self, value: Value) -> bool:
        """Whether a value is such a one, or a container of such."""
        if isinstance(value, MethodOf):
            return self.data_alone.is_labelled(value.owner)
        if isinstance(value, Lazy):
            return any(map(self.data_alone.is_labelled, value.args))
        if isinstance(value, TupleValue):
            return any(map(self.data_alone.is_labelled, value.items))
        if isinstance(value, Ref):
            items = self.cells.heap[value.cell].items.values()
            return any(isinstance(v, Var) and holds_labels(v.fact) for v in items)
        if isinstance(value, Const) and not isinstance(value.value, _CONTAINERS):
            return _is_labelled(value.value)  # its attributes may be code
        known = (Const, Var, Argument)
        return isinstance(value, known) and holds_labels(self.operations.fact(value))

    @staticmethod
    def is_labelled_itself(value: Atom) -> bool:
        """Whether a value is such a one, no container of such."""
        cls = type(value.value) if isinstance(value, Const) else value.fact.cls
        return has_labels(cls)

    # ------------------------------------------------------------ what is written

    @extends(Language.attribute)
    def attribute(self, rest: Callable[..., Value], owner: Value, name: str) -> Value:
        """df.y, df.loc; a method stays one until it is called."""
        if isinstance(owner, MethodOf) and self.data_alone.is_labelled(owner):
            owner = self.read_attribute(self.language.atom(owner.owner), owner.name)
        if not isinstance(owner, (Const, Var)) or not self.is_labelled_itself(owner):
            return rest(owner, name)
        example = self.example_of(owner)
        if example is NOTHING_KNOWN or is_method(example, name):
            return MethodOf(owner, name)
        return self.read_attribute(owner, name)

    def read_attribute(self, owner: Atom, name: str) -> Var:
        """owner.name, which is no method."""
        args = (owner, Const(name))
        return self.operations.apply(getattr, args, form="attribute", spelling=name)

    @extends(Language.atom)
    def atom(self, rest: Callable[..., Atom], value: Value) -> Atom:
        """The value as an atom: of an unknown class it may be no method."""
        if isinstance(value, MethodOf) and self.data_alone.is_labelled(value):
            return self.read_attribute(self.language.atom(value.owner), value.name)
        return rest(value)

    @extends(Language.subscript)
    def subscript(
        self, rest: Callable[..., Value], owner: Value, index: Value
    ) -> Value:
        """df["y"], df.loc[rows, "y"]."""
        if isinstance(owner, MethodOf) and self.data_alone.is_labelled(owner):
            owner = self.language.atom(owner)
        if isinstance(owner, (Const, Var)) and self.is_labelled_itself(owner):
            return self.operations.apply(
                operator.getitem,
                (self.language.atom(owner), self.language.atom(index)),
                form="subscript",
            )
        return rest(owner, index)

    @extends(Language.operate)
    def operate(
        self,
        rest: Callable[..., Value],
        fn: Callable[..., object],
        *operands: Value,
        form: Any = "operator",
    ) -> Value:
        """df.y * 2, df.y > 0."""
        is_identity = fn in (operator.is_, operator.is_not)
        if is_identity or not any(map(self.data_alone.is_labelled, operands)):
            return rest(fn, *operands, form=form)
        return self.operations.apply(
            fn, [self.language.atom(v) for v in operands], form=form
        )

    @extends(Builtins.call_method)
    def call_method(
        self,
        rest: Callable[..., Value],
        method: MethodOf,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """df.groupby("k"), s.to_numpy()."""
        if not self.data_alone.is_labelled(method.owner) or not isinstance(
            method.owner, (Const, Var)
        ):
            return rest(method, args, kwargs)
        with self.table_functions.functions_given(kwargs):
            named = [(k, self.language.atom(v)) for k, v in kwargs]
            atoms = [self.language.atom(method.owner), *map(self.language.atom, args)]
        given = {k: a.value for k, a in named if isinstance(a, Const)}
        if changes(Method(method.name), given):
            self.refuse_acting()
        return self.operations.apply(
            Method(method.name),
            atoms,
            named,
            form="method",
            spelling=method.name,
        )

    def refuse_acting(self) -> NoReturn:
        """Refuse a call that may do more than compute."""
        name = self.opaque_calls.called_name()
        self.position.refuse_call(
            f"`{name}` may change a table, use a file or draw random numbers",
            "Do it before the call, and pass the result as an argument.",
        )

    @provides(UserCalls.call_with_labels)
    def call_with_labels(
        self,
        function: Const,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value | None:
        """pd.concat([a, b]), np.asarray(s), a quantity's class; None of other calls."""
        fn: Any = function.value
        if has_labels(type(fn)) and not isinstance(fn, type):
            return self.builtins.call_method(
                MethodOf(function, "__call__"), args, kwargs
            )
        values = [*args, *(v for _, v in kwargs)]
        own = is_of_labels(getattr(fn, "__module__", ""))
        example = NOTHING_KNOWN if own else self.data_alone.data_alone(fn, args, kwargs)
        if not own and example is NOTHING_KNOWN:
            if not any(
                map(self.data_alone.is_labelled, values)
            ) or self.is_lowered_alike(fn):
                return None
        with self.table_functions.functions_given(kwargs):
            named = [(k, self.language.atom(v)) for k, v in kwargs]
            atoms = [self.language.atom(a) for a in args]
        given = {k: a.value for k, a in named if isinstance(a, Const)}
        if (own or is_installed(fn)) and changes(fn, given):
            self.refuse_acting()
        spelling = own_path(function)
        if example is not NOTHING_KNOWN:
            known = _fact_of_example(example)
            out = self.operations.append(
                fn, atoms, named, spelling=spelling, fact=known
            )
            return self.plain(out, example)
        if fn is dict:
            known = Fact("dict", cls=dict)
            out = self.operations.apply(fn, atoms, named, spelling=spelling, fact=known)
            return self.cells.new_cell(Cell("dict", {}, dict, out))
        return self.operations.apply(fn, atoms, named, spelling=spelling)

    def is_lowered_alike(self, fn: Any) -> bool:
        """Whether lowering treats calls of a function alike, whatever it is given."""
        alike = any(fn is each for each in (*LAZY, iter, next, setattr))
        if alike or info(fn).taking == "nothing":
            return True
        of_library = isinstance(fn, (np.ufunc, types.BuiltinFunctionType))
        home = str(getattr(fn, "__module__", "")).partition(".")[0]
        of_library = of_library or home in (*_PURE, "scipy")
        return not of_library or self.settings.has_effect(fn)

    @extends(Language.store)
    def store(
        self,
        rest: Callable[..., None],
        owner: Value,
        index: Value,
        value: Value,
        change: Change,
    ) -> None:
        """df["z"] = ...: refused."""
        if self.data_alone.is_labelled(owner):
            self.position.refuse(
                "the function changes a table, or an array of another library",
                "Change it before the call, or make another: df.assign(z=values),"
                " s.where(test, value).",
            )
        rest(owner, index, value, change)

    @extends(Builtins.is_run_over)
    def is_run_over(self, rest: Callable[..., bool], value: Value) -> bool:
        """Whether a loop takes the items of a value, one after the other."""
        return self.data_alone.is_labelled(value) or rest(value)

    @extends(Loops.element_fact)
    def element_fact(self, rest: Callable[..., Fact], iterable: Value) -> Fact:
        """What is known of each item."""
        if isinstance(iterable, (Const, Var)) and self.is_labelled_itself(iterable):
            return LABELLED
        return rest(iterable)

    @extends(Loops.row_fact)
    def row_fact(self, rest: Callable[..., Fact], element: Fact) -> Fact:
        """What is known of the items of a row."""
        return LABELLED if has_labels(element.cls) else rest(element)

    @provides(Loops.taken_in_loop)
    def taken_in_loop(self, var: Var, iterable: Atom, place: int | None) -> Value:
        """A target of a loop: place: which item of each row it is."""
        if not holds_labels(var.fact):
            return var
        item = self.first_item_of(iterable)
        if place is not None:
            item = rehearsed(operator.getitem, (item, place), {})
        return self.plain(var, item)

    def first_item_of(self, iterable: Atom) -> object:
        """The first item of the example: taken once, for it may be an iterator."""
        if not isinstance(iterable, Var):
            return first_item(iterable.value)
        if iterable.name not in self.notes.first_items:
            self.notes.first_items[iterable.name] = first_item(
                self.example_of(iterable)
            )
        return self.notes.first_items[iterable.name]

    # ------------------------------------------------------------ what it gives

    @extends(Operations.apply)
    def apply(  # noqa: PLR0913  those of an op
        self,
        rest: Callable[..., Var],
        fn: Callable[..., object],
        args: Sequence[Atom],
        kwargs: Sequence[tuple[str, Atom]] = (),
        *,
        form: Form = "call",
        spelling: str = "",
        fact: Fact | None = None,
        effect: bool = False,
        hint: str | None = None,
    ) -> Var:
        """Append an Apply: where something labelled is computed with, by the example
        alone."""
        if not _computes_with_labels(fn, [*args, *(a for _, a in kwargs)]):
            return rest(
                fn, args, kwargs, form=form, spelling=spelling, fact=fact,
                effect=effect, hint=hint,
            )  # fmt: skip
        if fn is runtime.numbers:  # in generated code that is differentiated again
            rank = args[1].value if isinstance(args[1], Const) else None
            made = _numbers_like(self.example_of(args[0])) or (_of_rank(rank),)
            out = rest(fn, args, kwargs, spelling=spelling, fact=made[0])
            return self.kept_as(out, self.example_of(args[0]))
        example = (
            NOTHING_KNOWN if effect else self.data_alone.rehearsal(fn, args, kwargs)
        )
        known = _fact_of_example(example) if fact is None else fact
        if fact is None and getattr(fn, "__module__", "") == "builtins":
            sure = self.operations.inferred(fn, args, kwargs)
            known = sure if sure.kind in ("int", "float", "bool", "str") else known
            known = _CONVERTED.get(fn, known)
        out = rest(
            fn, args, kwargs, form=form, spelling=spelling, fact=known, effect=effect,
            hint=hint,
        )  # fmt: skip
        if fact is None and example is NOTHING_KNOWN and _gives_array(fn):
            return self.as_numbers(out, example, Fact("array"), None, REAL_KINDS)
        return self.plain(out, example) if fact is None else self.kept_as(out, example)

    @provides(DataAlone.rehearsal)
    def rehearsal(
        self,
        fn: Callable[..., object],
        args: Sequence[Atom],
        kwargs: Sequence[tuple[str, Atom]],
    ) -> object:
        """What a call gives for the example."""
        given = [self.example_of(a) for a in args]
        named = {k: self.example_of(a) for k, a in kwargs}
        return rehearsed(_BUILDS.get(fn, fn), given, named)

    def plain(self, out: Var, example: object) -> Var:
        """A value that comes of a table: checked, where it is an array or a number."""
        self.kept_as(out, example)
        made = _numbers_like(example) if has_labels(out.fact.cls) else None
        return out if made is None else self.as_numbers(out, example, *made)

    def as_numbers(
        self, out: Var, example: object, known: Fact, rank: int | None, kinds: str
    ) -> Var:
        """numbers(out, rank, kinds)."""
        more = () if kinds == REAL_KINDS else (Const(kinds),)
        args = (out, Const(rank), *more)
        found = self.operations.append(runtime.numbers, args, fact=known)
        return self.kept_as(found, example)

    def kept_as(self, var: Var, example: object) -> Var:
        """Note what a variable is in the example."""
        if example is not NOTHING_KNOWN:
            self.notes.example_values[var.name] = example
        return var

    def example_of(self, atom: Atom) -> object:
        """What an atom is in the example."""
        if isinstance(atom, Const):
            return atom.value
        if atom.name in self.notes.example_values:
            return self.notes.example_values[atom.name]
        root, path = self.structures.paths.get(atom.name, (atom, ()))
        if root.name not in self.outside.examples:
            op = self.data_alone.op_of(atom)
            found = NOTHING_KNOWN if op is None else self.computed_for_example(op)
            return self.notes.example_values.setdefault(atom.name, found)
        try:
            return self.outside_checks.example_at(root, path)
        except Exception:  # noqa: BLE001  a part that the example lacks
            return NOTHING_KNOWN

    def computed_for_example(self, op: Apply) -> object:
        """What an op that has nothing to do with tables gives for the example."""
        if op.fn is runtime.numbers:  # in generated code that is differentiated again
            return self.example_of(op.args[0])
        home = str(getattr(op.fn, "__module__", "numpy")).partition(".")[0]
        pure = home in _PURE or op.fn in tuple(_BUILDS)
        if not pure or op.effect or _is_method_of_generator(op):
            return NOTHING_KNOWN
        return self.data_alone.rehearsal(op.fn, op.args, op.kwargs)


def _is_method_of_generator(op: Apply) -> bool:
    return op.form == "method" and not hasattr(np.ndarray, op.spelling)


def _computes_with_labels(fn: Callable[..., object], args: Sequence[Atom]) -> bool:
    """Whether a call is one on tables: an item of a list of them is an item."""
    if is_of_labels(getattr(fn, "__module__", "")):
        return True
    if fn is operator.getitem and _is_container(args[0]):
        return False
    return any(map(_holds_labels, args))


def _gives_array(fn: Callable[..., object]) -> bool:
    """Whether a function gives an array, whatever it is given."""
    return fn == Method("to_numpy") or fn in (np.asarray, np.array)


def _is_container(atom: Atom) -> bool:
    if isinstance(atom, Var):
        return atom.fact.kind in CONTAINERS
    return isinstance(atom.value, (list, tuple, dict))


def _is_labelled(value: object) -> bool:
    """Whether a value, no container, is of such a class, or poses as a number or an
    array: nothing is then known of what is computed of it."""
    poses = poses_as_another(value) and fact_of_constant(value) == LABELLED
    return poses or has_labels(type(value))


def _holds_labels(atom: Atom) -> bool:
    if isinstance(atom, Var):
        return not atom.fact.is_numeric and holds_labels(atom.fact)
    if _is_container(atom):
        return holds_labels(fact_of_constant(atom.value))
    return _is_labelled(atom.value)


def _fact_of_example(example: object) -> Fact:
    """What is known of a result: its class, or that it is True, a string, None."""
    if type(example) in _PLAIN or isinstance(example, np.bool_):
        return fact_of_constant(example)
    if has_labels(type(example)):
        return Fact("other", cls=type(example))
    return LABELLED


def _of_rank(rank: object) -> Fact:
    """What is known of real numbers of so many axes."""
    if not isinstance(rank, int):
        return Fact("array")
    return Fact("array", None, (None,) * rank) if rank else NUMBER


def _numbers_like(example: object) -> tuple[Fact, int, str] | None:
    """What is known of an array or a number like this one, the number of its axes, and
    the kinds of its dtype; None of anything else.

    >>> _numbers_like(np.ones(3)), _numbers_like("a")
    ((ndarray[?, 1], 1, 'biuf'), None)
    """
    if type(example) is int:
        return INT, 0, "iu"
    if type(example) in (float, complex) or isinstance(example, np.number):
        kind = np.asarray(example).dtype.kind
        if kind == "c":
            return Fact("real", np.dtype(complex), ()), 0, "biufc"
        if kind in "iu":
            return Fact("scalar", np.asarray(example).dtype, ()), 0, "iu"
        return (NUMBER, 0, REAL_KINDS) if kind == "f" else None
    if type(example) is not np.ndarray or example.dtype.kind not in "biufc":
        return None
    kind, axes = example.dtype.kind, (None,) * example.ndim
    if kind == "c":
        return Fact("array", np.dtype(complex), axes), example.ndim, "biufc"
    dtype = np.dtype(bool) if kind == "b" else None
    return Fact("array", dtype, axes), example.ndim, "b" if dtype else REAL_KINDS
