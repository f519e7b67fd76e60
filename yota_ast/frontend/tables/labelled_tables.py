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
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Cell,
    Lazy,
    MethodOf,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.library.builtin_functions import LAZY
from yota_ast.frontend.library.value_methods import Method
from yota_ast.frontend.source.function_spelling import own_path
from yota_ast.frontend.tables.data_alone import DataAlone, is_installed
from yota_ast.frontend.tables.open_dicts import OpenDicts
from yota_ast.frontend.tables.table_functions import FunctionsForTables
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
    has_labels,
    holds_labels,
    is_of_labels,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.built_values import build_dict, build_list, build_slice, build_tuple
from yota_ast.ir.nodes import Apply, Form
from yota_ast.ir.store_changes import Change
from yota_ast.ops import info
from yota_ast.support.proxies import poses_as_another

_PURE: Final = ("numpy", "_operator", "math", "builtins")
"""The modules of functions whose results are computed for the example."""
_REALS: Final = "biuf"
_CONVERTED: Final[dict[Any, Fact]] = {float: FLOAT, int: INT, bool: BOOL, str: STR}
_CONTAINERS: Final = (list, tuple, dict, set)
_PLAIN: Final = (bool, str, type(None))
_BUILDS: Final[dict[Any, Callable[..., object]]] = {
    build_list: lambda *items: list(items),
    build_slice: slice,
    build_tuple: lambda *items: items,
    build_dict: lambda *turns: dict(zip(turns[::2], turns[1::2], strict=True)),
}


class LabelledValues(DataAlone, FunctionsForTables, OpenDicts):
    """Operations on values of classes with labels or units."""

    def is_labelled(self, value: Value) -> bool:
        """Whether a value is such a one, or a container of such."""
        if isinstance(value, MethodOf):
            return self.is_labelled(value.owner)
        if isinstance(value, Lazy):
            return any(map(self.is_labelled, value.args))
        if isinstance(value, TupleValue):
            return any(map(self.is_labelled, value.items))
        if isinstance(value, Ref):
            items = self.heap[value.cell].items.values()
            return any(isinstance(v, Var) and holds_labels(v.fact) for v in items)
        if isinstance(value, Const) and not isinstance(value.value, _CONTAINERS):
            return _is_labelled(value.value)  # its attributes may be code
        known = (Const, Var, Argument)
        return isinstance(value, known) and holds_labels(self.fact(value))

    @staticmethod
    def is_labelled_itself(value: Atom) -> bool:
        """Whether a value is such a one, no container of such."""
        cls = type(value.value) if isinstance(value, Const) else value.fact.cls
        return has_labels(cls)

    # ------------------------------------------------------------ what is written

    def attribute(self, owner: Value, name: str) -> Value:
        """df.y, df.loc; a method stays one until it is called."""
        if isinstance(owner, MethodOf) and self.is_labelled(owner):
            owner = self.read_attribute(self.atom(owner.owner), owner.name)
        if not isinstance(owner, (Const, Var)) or not self.is_labelled_itself(owner):
            return super().attribute(owner, name)
        example = self.example_of(owner)
        if example is NOTHING_KNOWN or is_method(example, name):
            return MethodOf(owner, name)
        return self.read_attribute(owner, name)

    def read_attribute(self, owner: Atom, name: str) -> Var:
        """owner.name, which is no method."""
        args = (owner, Const(name))
        return self.apply(getattr, args, form="attribute", spelling=name)

    def atom(self, value: Value) -> Atom:
        """The value as an atom: of an unknown class it may be no method."""
        if isinstance(value, MethodOf) and self.is_labelled(value):
            return self.read_attribute(self.atom(value.owner), value.name)
        return super().atom(value)

    def subscript(self, owner: Value, index: Value) -> Value:
        """df["y"], df.loc[rows, "y"]."""
        if isinstance(owner, MethodOf) and self.is_labelled(owner):
            owner = self.atom(owner)
        if isinstance(owner, (Const, Var)) and self.is_labelled_itself(owner):
            return self.apply(
                operator.getitem, (self.atom(owner), self.atom(index)), form="subscript"
            )
        return super().subscript(owner, index)

    def operate(
        self, fn: Callable[..., object], *operands: Value, form: Any = "operator"
    ) -> Value:
        """df.y * 2, df.y > 0."""
        is_identity = fn in (operator.is_, operator.is_not)
        if is_identity or not any(map(self.is_labelled, operands)):
            return super().operate(fn, *operands, form=form)
        return self.apply(fn, [self.atom(v) for v in operands], form=form)

    def call_method(
        self,
        method: MethodOf,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """df.groupby("k"), s.to_numpy()."""
        if not self.is_labelled(method.owner) or not isinstance(
            method.owner, (Const, Var)
        ):
            return super().call_method(method, args, kwargs)
        with self.functions_given(kwargs):
            named = [(k, self.atom(v)) for k, v in kwargs]
            atoms = [self.atom(method.owner), *map(self.atom, args)]
        given = {k: a.value for k, a in named if isinstance(a, Const)}
        if changes(Method(method.name), given):
            self.refuse_acting()
        return self.apply(
            Method(method.name),
            atoms,
            named,
            form="method",
            spelling=method.name,
        )

    def refuse_acting(self) -> NoReturn:
        """Refuse a call that may do more than compute."""
        self.refuse_call(
            f"`{self.called_name()}` may change a table, use a file or draw "
            "random numbers",
            "Do it before the call, and pass the result as an argument.",
        )

    def call_with_labels(
        self,
        function: Const,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value | None:
        """pd.concat([a, b]), np.asarray(s), a quantity's class; None of other calls."""
        fn: Any = function.value
        if has_labels(type(fn)) and not isinstance(fn, type):
            return self.call_method(MethodOf(function, "__call__"), args, kwargs)
        values = [*args, *(v for _, v in kwargs)]
        own = is_of_labels(getattr(fn, "__module__", ""))
        example = NOTHING_KNOWN if own else self.data_alone(fn, args, kwargs)
        if not own and example is NOTHING_KNOWN:
            if not any(map(self.is_labelled, values)) or self.is_lowered_alike(fn):
                return None
        with self.functions_given(kwargs):
            named = [(k, self.atom(v)) for k, v in kwargs]
            atoms = [self.atom(a) for a in args]
        given = {k: a.value for k, a in named if isinstance(a, Const)}
        if (own or is_installed(fn)) and changes(fn, given):
            self.refuse_acting()
        spelling = own_path(function)
        if example is not NOTHING_KNOWN:
            known = _fact_of_example(example)
            out = self.append(fn, atoms, named, spelling=spelling, fact=known)
            return self.plain(out, example)
        if fn is dict:
            known = Fact("dict", cls=dict)
            out = self.apply(fn, atoms, named, spelling=spelling, fact=known)
            return self.new_cell(Cell("dict", {}, dict, out))
        return self.apply(fn, atoms, named, spelling=spelling)

    def is_lowered_alike(self, fn: Any) -> bool:
        """Whether lowering treats calls of a function alike, whatever it is given."""
        alike = any(fn is each for each in (*LAZY, iter, next, setattr))
        if alike or info(fn).taking == "nothing":
            return True
        of_library = isinstance(fn, (np.ufunc, types.BuiltinFunctionType))
        home = str(getattr(fn, "__module__", "")).partition(".")[0]
        of_library = of_library or home in (*_PURE, "scipy")
        return not of_library or self.settings.has_effect(fn)

    def store(self, owner: Value, index: Value, value: Value, change: Change) -> None:
        """df["z"] = ...: refused."""
        if self.is_labelled(owner):
            self.refuse(
                "the function changes a table, or an array of another library",
                "Change it before the call, or make another: df.assign(z=values),"
                " s.where(test, value).",
            )
        super().store(owner, index, value, change)

    def is_run_over(self, value: Value) -> bool:
        """Whether a loop takes the items of a value, one after the other."""
        return self.is_labelled(value) or super().is_run_over(value)

    def element_fact(self, iterable: Value) -> Fact:
        """What is known of each item."""
        if isinstance(iterable, (Const, Var)) and self.is_labelled_itself(iterable):
            return LABELLED
        return super().element_fact(iterable)

    def row_fact(self, element: Fact) -> Fact:
        """What is known of the items of a row."""
        return LABELLED if has_labels(element.cls) else super().row_fact(element)

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
        if iterable.name not in self.first_items:
            self.first_items[iterable.name] = first_item(self.example_of(iterable))
        return self.first_items[iterable.name]

    # ------------------------------------------------------------ what it gives

    def apply(
        self,
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
            return super().apply(
                fn, args, kwargs, form=form, spelling=spelling, fact=fact,
                effect=effect, hint=hint,
            )  # fmt: skip
        if fn is runtime.numbers:  # in generated code that is differentiated again
            rank = args[1].value if isinstance(args[1], Const) else None
            made = _numbers_like(self.example_of(args[0])) or (_of_rank(rank),)
            out = super().apply(fn, args, kwargs, spelling=spelling, fact=made[0])
            return self.kept_as(out, self.example_of(args[0]))
        example = NOTHING_KNOWN if effect else self.rehearsal(fn, args, kwargs)
        known = _fact_of_example(example) if fact is None else fact
        if fact is None and getattr(fn, "__module__", "") == "builtins":
            sure = self.inferred(fn, args, kwargs)
            known = sure if sure.kind in ("int", "float", "bool", "str") else known
            known = _CONVERTED.get(fn, known)
        out = super().apply(
            fn, args, kwargs, form=form, spelling=spelling, fact=known, effect=effect,
            hint=hint,
        )  # fmt: skip
        if fact is None and example is NOTHING_KNOWN and _gives_array(fn):
            return self.as_numbers(out, example, Fact("array"), None, _REALS)
        return self.plain(out, example) if fact is None else self.kept_as(out, example)

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
        more = () if kinds == _REALS else (Const(kinds),)
        args = (out, Const(rank), *more)
        found = self.append(runtime.numbers, args, fact=known)
        return self.kept_as(found, example)

    def kept_as(self, var: Var, example: object) -> Var:
        """Note what a variable is in the example."""
        if example is not NOTHING_KNOWN:
            self.example_values[var.name] = example
        return var

    def example_of(self, atom: Atom) -> object:
        """What an atom is in the example."""
        if isinstance(atom, Const):
            return atom.value
        if atom.name in self.example_values:
            return self.example_values[atom.name]
        root, path = self.paths.get(atom.name, (atom, ()))
        if root.name not in self.examples:
            op = self.op_of(atom)
            found = NOTHING_KNOWN if op is None else self.computed_for_example(op)
            return self.example_values.setdefault(atom.name, found)
        try:
            return self.example_at(root, path)
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
        return self.rehearsal(op.fn, op.args, op.kwargs)


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
        return (NUMBER, 0, _REALS) if kind == "f" else None
    if type(example) is not np.ndarray or example.dtype.kind not in "biufc":
        return None
    kind, axes = example.dtype.kind, (None,) * example.ndim
    if kind == "c":
        return Fact("array", np.dtype(complex), axes), example.ndim, "biufc"
    dtype = np.dtype(bool) if kind == "b" else None
    return Fact("array", dtype, axes), example.ndim, "b" if dtype else _REALS
