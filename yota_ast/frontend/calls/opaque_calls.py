"""A call of a function that is not inlined -> one op."""

from __future__ import annotations

import types
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

import numpy as np

from yota_ast.frontend.calls.argument_binding import miscounted
from yota_ast.frontend.calls.unknown_fields import (
    check_called,
    refuse_called,
    refuse_not_callable,
)
from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, extensible, provides, uses
from yota_ast.frontend.desugar import function_models
from yota_ast.frontend.expressions.array_protocol import (
    has_array_method,
    is_of_numpy,
    is_read_as_array,
)
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.lowered_values import (
    Argument,
    Bound,
    Closure,
    Lazy,
    Partial,
    Ref,
    TupleValue,
    Value,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.library.sparse_matrices import SparseMatrices
from yota_ast.frontend.library.value_methods import ValueMethods
from yota_ast.frontend.source.function_spelling import own_path
from yota_ast.frontend.source.functions_inside import refuse_without_source
from yota_ast.frontend.source.numba_functions import (
    kept_whole,
)
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.ir.abstract_values import (
    UNKNOWN,
    Fact,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ops import info
from yota_ast.support.public_names import public_path
from yota_ast.syntax import print_expr

FLOATLESS: Final = frozenset({"int", "bool", "str", "none", "callable", "other"})


class OpaqueCalls(Component):
    """Calls of primitives, and of what is not followed."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    notes = uses(Notes)
    operations = uses(Operations)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)
    sparse_matrices = uses(SparseMatrices)
    kinds = uses(ValueKinds)
    value_methods = uses(ValueMethods)
    choice = uses(ObjectChoice)

    def refuse_unknown(self, function: Value) -> Value:
        """Refuse the call of something of which nothing is known."""
        name = self.called_name()
        if isinstance(function, Var):
            check_called(self, name, function.fact)
        if isinstance(function, Var) and function.name in self.structures.paths:
            refuse_called(self, name, *self.structures.paths[function.name])
        self.position.refuse_call(
            f"the function that `{name}` calls is unknown",
            "Call a function by its name, or branch where it is called.",
        )

    def called_name(self) -> str:
        """How the current call spells its function."""
        func = getattr(self.position.node, "func", None)
        return "this" if func is None else print_expr(func)

    # ------------------------------------------------------------ constants

    def check_number_given(self, function: Const, args: Sequence[Value]) -> None:
        """Refuse what Python itself refuses, of what lowering itself calls."""
        if miscounted(function.value, args):
            self.position.refuse_call(
                f"`{self.called_name()}` is called with too few or too many arguments",
                "Correct the call.",
            )

    def is_fitted(self, fn: object) -> bool:
        """Whether something that is called is no function of SciPy's, but made of data:
        a spline of a module, or of an object."""
        if isinstance(fn, (type, types.FunctionType, types.BuiltinFunctionType)):
            return False
        return public_path(fn) is None and self.makes_fitted(type(fn))

    def makes_fitted(self, cls: type) -> bool:
        """Whether the objects of a class of SciPy are made of data, and called."""
        if not cls.__module__.startswith("scipy."):
            return False
        called: Any = getattr(cls, "__call__", None)  # noqa: B004
        return isinstance(called, types.FunctionType) and self.settings.is_primitive(
            called
        )

    @extensible
    def primitive(
        self,
        function: Const,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
        *,
        effect: bool = False,
    ) -> Value:
        """A call that stays one op."""
        args = [self.kinds.as_number(a) for a in args]
        fn: Any = function.value
        if is_of_numpy(fn):
            args, kwargs = self.with_arrays(fn, args, kwargs)
        if type(fn).__hash__ is None:  # it can have no rule
            self.position.refuse_call(
                f"`{self.called_name()}` is a {type(fn).__name__}, which has no rule",
                "Call a function with its numbers, such as np.polyval(p.coef, x).",
            )
        self.assumptions.check_not_avoided(fn)
        written = self.value_methods.writing_call(function, args, kwargs)
        if written is not None:
            return written
        if self.is_method_of_fitted(fn, args):
            atoms = [
                self.language.atom(args[0]),
                *(self.argument_atom(fn, a) for a in args[1:]),
            ]
            named = [(k, self.argument_atom(fn, v)) for k, v in kwargs]
            return self.operations.apply(
                fn, atoms, named, form="method", spelling=fn.__name__
            )
        atoms = self.argument_atoms(fn, args)
        named = [(k, self.argument_atom(fn, v)) for k, v in kwargs]
        spelling = own_path(function)
        known = self.sparse_matrices.sparse_made(fn, (*args, *(v for _, v in kwargs)))
        if isinstance(fn, type) and self.makes_fitted(fn):
            if self.settings.infer(fn, atoms, tuple(named)).kind == "unknown":
                known = Fact("model", cls=fn)
        return self.operations.apply(
            fn, atoms, named, spelling=spelling, effect=effect, fact=known
        )

    def is_method_of_fitted(self, fn: Any, args: Sequence[Value]) -> bool:
        """Whether a method is that of a spline which an argument holds."""
        if not args or not isinstance(args[0], Argument):
            return False
        owner = args[0].example
        name = getattr(fn, "__name__", "")
        if getattr(type(owner), name, None) is not fn or not self.is_fitted(owner):
            return False
        return not function_models.is_complex_spline(owner)

    def argument_atoms(self, fn: object, args: Sequence[Value]) -> list[Atom]:
        """The arguments of a primitive as atoms, those that it reads for their shapes
        alone as they were made."""
        shapes = info(fn).shape_only
        return [
            self.language.shaped(a)
            if k in shapes and isinstance(a, Var)
            else self.argument_atom(fn, a)
            for k, a in enumerate(args)
        ]

    def argument_atom(self, fn: object, value: Value) -> Atom:
        """An argument of a primitive as an atom."""
        if isinstance(value, (Closure, Bound, Partial)):
            self.position.refuse_call(
                f"`{self.called_name()}` is given a function that is defined "
                "inside the differentiated function",
                "Move that function to the module.",
            )
        if isinstance(value, Argument) and callable(value.example):
            self.position.refuse_call(
                f"`{self.called_name()}` is given an object that it may call",
                "Give it a function of the module that takes numbers and arrays.",
            )
        if isinstance(value, Lazy) and value.fn is range and _takes_arrays(fn):
            value = self.language.call(Const(np.array, "np.array", "numpy"), (value,))
        return self.language.atom(value)

    def with_arrays(
        self,
        fn: object,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> tuple[list[Value], list[tuple[str, Value]]]:
        """The arguments of a function of NumPy's, arrays in the place of objects that
        have a method `__array__`."""
        given: Sequence[Value] = ()
        if info(fn).converts:
            given = [v for k, v in kwargs if k == "dtype"] or args[1:2]
        named = {k for k, _ in kwargs}

        def read(value: Value) -> Value:
            return self.as_array(fn, value, given, named)

        return [*map(read, args)], [(k, read(v)) for k, v in kwargs]

    def as_array(
        self, fn: object, value: Value, given: Sequence[Value], named: Collection[str]
    ) -> Value:
        """What NumPy takes an object with a method `__array__` for: what it returns.
        given: what a function hands to that method. named: its arguments by name."""
        if not isinstance(value, (Ref, Argument)):
            return value
        cls = self.choice.class_of(value)
        if cls is None or not has_array_method(cls):
            return value
        if not is_read_as_array(fn, cls, self.fields_of(value), named):
            self.position.refuse_call(
                f"`{self.called_name()}` may ask an object of class {cls.__name__} for "
                "more than an array",
                "Give it the array that the object holds.",
            )
        method = self.language.attribute(value, "__array__")
        return self.language.call(method, tuple(given))

    def fields_of(self, value: Ref | Argument) -> Iterable[str]:
        """The names of the fields of an object."""
        if isinstance(value, Ref):
            return map(str, self.cells.heap[value.cell].items)
        return vars(value.example) if hasattr(value.example, "__dict__") else ()

    def opaque(
        self,
        function: Const,
        args: Sequence[Value],
        kwargs: Sequence[tuple[str, Value]],
    ) -> Value:
        """A call that no float passes through may stay as it is."""
        if not callable(function.value):
            kind = type(function.value).__name__
            refuse_not_callable(self, self.called_name(), kind)
        values = [*args, *(v for _, v in kwargs)]
        if not isinstance(function.value, type):
            for value in values:
                if (
                    isinstance(value, Ref)
                    and self.cells.heap[value.cell].kind != "object"
                ):
                    name = function.text or getattr(function.value, "__name__", "?")
                    self.position.refuse_call(
                        f"`{name}` may change the container that it is given",
                        "Give it a tuple, or compute it outside.",
                    )
        if all(self.language.floatless(v) for v in values):
            atoms = [self.language.atom(a) for a in args]
            named = [(k, self.language.atom(v)) for k, v in kwargs]
            spelling = own_path(function)
            fn: Any = function.value
            acts = not isinstance(fn, type)
            known = Fact("other", cls=fn) if _holds_no_floats(fn) else UNKNOWN
            known = self.sparse_matrices.sparse_made(fn, values) or known
            out = self.operations.apply(
                fn, atoms, named, spelling=spelling, fact=known, effect=acts
            )
            self.notes.foreign.add(out.name)
            if not acts:
                self.notes.classes_called[out.name] = fn
            self.language.noted("kept", function.text or "", fn)
            return out
        name = function.text or getattr(function.value, "__name__", "?")
        kept = kept_whole(function.value)
        if kept is not None:
            self.position.refuse_call(
                f"Numba keeps `{kept}` as it was when it compiled `{name}`: "
                "generated code would read its present value",
                f"Give it to `{name}` as an argument, or call `{name}.py_func`.",
            )
        if isinstance(function.value, type):
            self.refuse_clever(function.value)
        refuse_without_source(str(name), function.value, self.position.location())

    @extensible
    def refuse_clever(self, cls: type) -> None:
        """Refuse a class that says itself what its fields are; see instances.py."""
        raise NotImplementedError

    @provides(Language.floatless)
    def floatless(self, value: Value) -> bool:
        """Whether no float that depends on the arguments is in a value."""
        if isinstance(value, Const):
            return True
        if isinstance(value, Var):
            return value.fact.kind in FLOATLESS or not value.fact.holds_floats
        if isinstance(value, TupleValue):
            return all(self.language.floatless(v) for v in value.items)
        if isinstance(value, Ref):
            cell = self.cells.heap[value.cell]
            return cell.var is None and all(
                map(self.language.floatless, cell.items.values())
            )
        if isinstance(value, Lazy):
            return all(map(self.language.floatless, value.args))
        return isinstance(value, Argument) and not value.fact.holds_floats


def _holds_no_floats(fn: object) -> bool:
    """Whether a call makes an object that is no number, array or container."""
    numbers = (np.ndarray, np.generic, int, float, complex)
    return (
        isinstance(fn, type)
        and not issubclass(fn, (*numbers, list, tuple, dict))
        and not hasattr(fn, "__array__")
    )


def _takes_arrays(fn: object) -> bool:
    """Whether a function of NumPy's makes arrays of what it is given, and is no name
    of that itself."""
    return is_of_numpy(fn) and not info(fn).converts
