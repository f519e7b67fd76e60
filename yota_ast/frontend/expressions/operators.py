"""Operators, truth, iteration and subscripts on values of every sort."""

from __future__ import annotations

import dataclasses
import inspect
import operator
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Number
from typing import Any, Final

from yota_ast.frontend.calls.value_assumptions import ValueAssumptions
from yota_ast.frontend.components import Component, provides, uses
from yota_ast.frontend.desugar import function_models
from yota_ast.frontend.expressions.fixed_lengths import with_fixed_lengths
from yota_ast.frontend.expressions.folding import (
    fold,
    is_member,
    is_type,
    type_of,
)
from yota_ast.frontend.expressions.items_and_truth import ItemsAndTruth
from yota_ast.frontend.expressions.known_items import KnownItems
from yota_ast.frontend.expressions.value_kinds import ValueKinds
from yota_ast.frontend.heap.argument_structures import ArgumentStructures
from yota_ast.frontend.heap.identity import IDENTITY
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Bound,
    Cell,
    Closure,
    Either,
    MethodOf,
    OneOf,
    Partial,
    Ref,
    TupleValue,
    Value,
    is_function,
    literal,
)
from yota_ast.frontend.heap.object_choice import ObjectChoice
from yota_ast.frontend.library.conversions import truth_as_bool
from yota_ast.frontend.library.sparse_matrices import SparseMatrices
from yota_ast.frontend.source.field_setters import is_made_by_dataclass
from yota_ast.frontend.state.blocks import Blocks
from yota_ast.frontend.state.cells import Cells
from yota_ast.frontend.state.language import Language
from yota_ast.frontend.state.notes import Notes
from yota_ast.frontend.state.operations import Operations
from yota_ast.frontend.state.position import Position
from yota_ast.frontend.state.variables import Variables
from yota_ast.ir.abstract_values import (
    BOOL,
    Fact,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.facts.types_of_floats import told_of_types
from yota_ast.ir.nodes import (
    new_apply,
)
from yota_ast.ops.algebra import KEEPING, LOGICAL, operated
from yota_ast.ops.record import Arithmetic
from yota_ast.ops.spellings import COMPARING, SET_METHODS, SIGN_OF, SPECIAL_METHODS

_COMPARING: Final = tuple(op.fn for op in COMPARING)


_OF_NUMPY: Final = ("array", "scalar", "real", "unknown")
"""The kinds of what may be an array or one of NumPy's numbers."""


_UNSAID: Final = object()


_COMPARED: Final = frozenset(op.fn for op in COMPARING)


_OF_NUMBERS: Final[tuple[Arithmetic, ...]] = (*KEEPING, "quotient", "power")


KINDS_APART: Final = {
    **dict.fromkeys(("float", "int", "bool", "complex"), 0),
    "str": 1, "none": 2, "tuple": 3, "list": 4, "dict": 5,
}  # fmt: skip
"""Kinds of values of which none equals one of another number."""


class Operators(Component):
    """What operators do to virtual values; all else becomes an op."""

    language = uses(Language)
    position = uses(Position)
    cells = uses(Cells)
    blocks = uses(Blocks)
    notes = uses(Notes)
    variables = uses(Variables)
    operations = uses(Operations)
    choice = uses(ObjectChoice)
    structures = uses(ArgumentStructures)
    assumptions = uses(ValueAssumptions)
    known_items = uses(KnownItems)
    sparse_matrices = uses(SparseMatrices)
    kinds = uses(ValueKinds)
    items_and_truth = uses(ItemsAndTruth)

    @provides(Language.operate)
    def operate(
        self, fn: Callable[..., object], /, *operands: Value, form: Any = "operator"
    ) -> Value:
        """An operator applied to values."""
        arithmetic = operated(fn)
        if fn not in IDENTITY:
            operands = tuple([self.kinds.as_number(v) for v in operands])
        if arithmetic in _OF_NUMBERS and all(map(self.kinds.is_number, operands)):
            if any(isinstance(v, Var) for v in operands):
                out = self.computed(fn, [self.language.atom(v) for v in operands], form)
                if self.notes.of_modules and arithmetic in KEEPING:
                    self.assumptions.note_of_modules(out, fn, operands)
                return out
        if fn in IDENTITY:
            return self.choice.identity(fn, *operands)
        known = [self.assumptions.known_value(v) for v in operands]
        if arithmetic in LOGICAL or fn in _COMPARED:  # what is asked of flags
            known = self.assumptions.flags(operands, known)
        if None in known and (fn in _COMPARED or fn is operator.contains):
            known = with_fixed_lengths(
                self.assumptions, operands, known, sized=self.settings.sized
            )
        if all(k is not None for k in known):
            folded = fold(fn, [k for k in known if k is not None])
            if folded is not None:
                return folded
        if fn is operator.or_ and all(map(_is_class, operands)):
            # isinstance takes a tuple of classes as it takes their union.
            parts = [self.items_and_truth.sequence_items(v) or (v,) for v in operands]
            return TupleValue((*parts[0], *parts[1]))
        if fn in (operator.eq, operator.ne):
            equal = self.are_equal(*operands)
            if equal is not None:
                return Const(equal is (fn is operator.eq))
        of_sparse = self.sparse_matrices.operate_on_sparse
        for virtual in (self.operate_on_object, self.operate_on_sequence, of_sparse):
            result = virtual(fn, operands)
            if result is not None:
                return result
        sets = fn in SET_METHODS and self.operations.fact(operands[0]).cls is set
        result = self.operations.apply(
            fn,
            [self.language.atom(v) for v in operands],
            form=form,
            fact=Fact("other", cls=set) if sets else None,
        )
        if arithmetic in KEEPING:
            self.assumptions.note_of_modules(result, fn, operands)
        return result

    def computed(
        self, fn: Callable[..., object], operands: Sequence[Atom], form: Any
    ) -> Var:
        """Arithmetic of numbers, most of what programs do: `apply`, without what it
        asks of arrays and of calls."""
        out = self.variables.var(self.operations.inferred(fn, operands, ()))
        op = new_apply(out, fn, tuple(operands), (), form, "", self.position.origin)
        self.operations.put(op)
        return out

    def are_equal(self, left: Value, right: Value) -> bool | None:
        """Whether two values are equal: two types, two members of an enumeration; a
        function is no string, a tuple is none of another length."""
        pair = (left, right)
        told = told_of_types(operator.eq, pair)
        if told is not None:
            return bool(told)
        for is_fixed in (_is_type, is_member):
            fixed = [v.value for v in pair if isinstance(v, Const) and is_fixed(v)]
            if len(fixed) == 2:
                return bool(fixed[0] == fixed[1])
        for one, other in (pair, pair[::-1]):
            if _is_function(one) and self.assumptions.known_value(other) is not None:
                return False
        kinds = [KINDS_APART.get(self.operations.fact(v).kind) for v in pair]
        if None not in kinds and kinds[0] != kinds[1]:
            if NULL in pair:
                self.assumptions.tell_present(*pair)
            for value in () if NULL in pair else pair:
                if KINDS_APART["str"] in kinds:
                    self.assumptions.tell_type(value, lambda cls: cls is str)
                self.assumptions.tell_type(
                    value, lambda cls: issubclass(cls, Number), (object,)
                )
                self.choice.tell_class(value)
            return False
        return False if self.differ_in_length(left, right) else None

    def differ_in_length(self, left: Value, right: Value) -> bool:
        """Whether two values are tuples, one longer than the other: the shapes of
        arrays of which the ranks are known."""
        facts = self.operations.fact(left), self.operations.fact(right)
        if not all(f.kind == "tuple" and f.cls is tuple for f in facts):
            return False
        lengths = {None if f.items is None else len(f.items) for f in facts}
        if None in lengths or len(lengths) < 2:
            return False
        for value in (left, right):
            if isinstance(value, Var):
                self.assumptions.tell(self.notes.asked.get(value.name))
        return True

    # ------------------------------------------------------------ virtual operands

    def operate_on_object(
        self, fn: Callable[..., object], operands: Sequence[Value]
    ) -> Value | None:
        """The method by which a user's class defines the operator."""
        names = SPECIAL_METHODS.get(fn)
        if names is None:
            return None
        for k, value in enumerate(operands):
            if (
                isinstance(value, (Either, OneOf))
                and self.choice.class_of(value) is None
            ):
                return self.operate_on_chosen(fn, operands, k)
        if self.operations.fact(operands[0]).kind == "model":
            return self.operate_on_model(fn, operands)
        for name, (owner, *rest) in self.attempts(fn, names, operands):
            result = self.answered(name, owner, rest)
            if result is None:
                return None
            if not (isinstance(result, Const) and result.value is NotImplemented):
                if owner is operands[-1] and self.choice.class_of(operands[0]) is None:
                    self.check_left_operand(*operands)
                if fn is operator.contains:
                    return truth_as_bool(self, result)
                return result
        if fn in (operator.eq, operator.ne):  # no class says more
            if all(isinstance(v, Ref) and self.kinds.is_object(v) for v in operands):
                same = operator.is_ if fn is operator.eq else operator.is_not
                return self.choice.identity(same, *operands)
            if all(map(self.kinds.is_object, operands)):
                return Const((operands[0] == operands[1]) is (fn is operator.eq))
        return None

    def operate_on_chosen(
        self, fn: Callable[..., object], operands: Sequence[Value], k: int
    ) -> Value:
        """The operator, of objects of several classes of which one is chosen."""
        before, after = operands[:k], operands[k + 1 :]
        return self.choice.with_each(
            self.choice.surely_chosen(operands[k]),
            lambda v: self.language.operate(fn, *before, v, *after),
        )

    def answered(self, name: str, owner: Value, rest: Sequence[Value]) -> Value | None:
        """What the method of an object's class says; NotImplemented, if it has none, or
        that of a tuple or number; None of one that is not written in Python."""
        method = self.kinds.special_method(owner, name)
        if isinstance(method, Const) and is_made_by_dataclass(method.value):
            return self.compared_by_fields(name, owner, *rest)
        if method is not None:
            return self.language.call(method, (owner, *rest))
        cls = self.choice.class_of(owner)
        found = None if cls is None else inspect.getattr_static(cls, name, None)
        if found is None:
            return Const(NotImplemented)
        if found is not inspect.getattr_static(object, name, None):
            of_base = isinstance(found, types.WrapperDescriptorType)
            made = self.kinds.is_object(owner)
            return Const(NotImplemented) if of_base and not made else None
        if name != "__ne__":
            return Const(NotImplemented)
        equal = self.answered("__eq__", owner, rest)  # the other way round
        unsaid = isinstance(equal, Const) and equal.value is NotImplemented
        return (
            equal
            if equal is None or unsaid
            else self.choice.negated(self.language.truth(equal))
        )

    def compared_by_fields(self, name: str, owner: Value, *others: Value) -> Value:
        """What the methods of dataclasses give: tuples of fields, compared."""
        cls = self.choice.class_of(owner)
        if cls is None or not others or self.choice.class_of(others[0]) is not cls:
            return Const(NotImplemented)
        # of the class that it was made for: one derived from it may have more
        made_for: Any = next(c for c in cls.__mro__ if name in vars(c))
        fields = [f.name for f in dataclasses.fields(made_for) if f.compare]
        rows = [
            TupleValue(tuple(self.language.attribute(v, field) for field in fields))
            for v in (owner, *others)
        ]
        fn = next(f for f in _COMPARING if SPECIAL_METHODS[f][0] == name)
        if fn is operator.eq and sys.version_info >= (3, 13):
            # One after the other, so that nan is not itself, unless the object is.
            model = Const(function_models.are_equal, "are_equal")
            return (
                Const(True) if owner == others[0] else self.language.call(model, rows)
            )
        return self.language.operate(fn, *rows)

    def attempts(
        self,
        fn: Callable[..., object],
        names: tuple[str, str],
        operands: Sequence[Value],
    ) -> list[tuple[str, Sequence[Value]]]:
        """The methods that Python tries for an operator, each with its operands."""
        found = [(names[0], operands)]
        if not names[1]:
            return found
        own, other = map(self.choice.class_of, operands)
        if own is None and other is not None and self.takes(operands[0], other):
            return found
        compares = fn in _COMPARING
        if own is None or own is not other or compares:
            found.append((names[1], operands[::-1]))
        if own is None or other is None or own is other or not issubclass(other, own):
            return found
        # The class that knows more is asked first, of sums if it says something else.
        said = [inspect.getattr_static(cls, names[1], None) for cls in (own, other)]
        return found[::-1] if compares or said[0] is not said[1] else found

    def takes(self, number: Value, cls: type) -> bool:
        """Whether a number computes itself with those of a class, as a float does with
        whole numbers of a user's."""
        if not issubclass(cls, (int, float)):
            return False
        own = type_of(self.operations.fact(number))
        return own in (int, float, complex) and not issubclass(cls, own)

    def check_left_operand(self, left: Value, right: Value) -> None:
        """NumPy's numbers and arrays ask an object what to do with it, and arrays hand
        their elements to one that does not say."""
        cls, fact = self.choice.class_of(right), self.operations.fact(left)
        if cls is None or fact.kind not in _OF_NUMPY:
            return
        said = inspect.getattr_static(cls, "__array_ufunc__", _UNSAID)
        ranked = inspect.getattr_static(cls, "__array_priority__", 0)
        first = fact.is_scalar or (isinstance(ranked, (int, float)) and ranked > 0)
        if said is None or (said is _UNSAID and first):
            return
        self.position.refuse_call(
            f"the operand to the left of an object of {cls.__name__} may be an array: "
            "NumPy decides what the operator does",
            "Put the object first, or define `__array_ufunc__ = None` in its class.",
        )

    def operate_on_model(
        self, fn: Callable[..., object], operands: Sequence[Value]
    ) -> Value | None:
        """f * g, f ** n of objects of a library, such as rotations, that have a rule
        for it."""
        cls: Any = self.operations.fact(operands[0]).cls
        method: Any = getattr(cls, SPECIAL_METHODS[fn][0], None)
        if fn not in SIGN_OF or not self.settings.is_primitive(method):
            return None
        atoms = [self.language.atom(v) for v in operands]
        return self.operations.apply(
            method, atoms, form="operator", spelling=SIGN_OF[fn]
        )

    def operate_on_sequence(
        self, fn: Callable[..., object], operands: Sequence[Value]
    ) -> Value | None:
        """+, *, in and == on tuples, lists and dicts of known length."""
        if fn is operator.contains:
            return self.contains(*operands)
        if len(operands) != 2:
            return None
        left, right = operands
        if fn in SET_METHODS and any(map(self.kinds.is_set, operands)):
            if any(isinstance(v, Var) or self.kinds.is_list(v) for v in operands):
                return None
            if not self.kinds.is_set(left):  # the keys of a dict
                left = self.language.call(Const(set, "set", "builtins"), (left,))
            return self.language.call(MethodOf(left, SET_METHODS[fn]), (right,))
        if fn is operator.add:
            return self.concatenated(left, right)
        if fn is operator.or_ and self.operations.fact(left).kind == "dict":
            return self.united(left, right)
        if fn is operator.mul:
            for sequence, count in ((left, right), (right, left)):
                self.check_count(sequence, count)
                times = self.assumptions.known_value(count)
                if times is not None and isinstance(times.value, int):
                    items = self.items_and_truth.sequence_items(sequence)
                    if items is not None:
                        self.choice.tell_class(sequence)
                        return self.kinds.like(sequence, items * times.value)
                elif (
                    times is None
                    and self.kinds.is_list(sequence)
                    and self.operations.fact(count).kind != "array"
                ):
                    out = self.operations.apply(
                        fn,
                        (self.language.atom(left), self.language.atom(right)),
                        form="operator",
                    )
                    return self.cells.new_cell(Cell("list", {}, list, out))
        return None

    def check_count(self, sequence: Value, count: Value) -> None:
        """Refuse `[0.0] * n` where n may be an array: then it is a product."""
        kind = self.operations.fact(sequence).kind
        if kind in ("list", "tuple") and self.operations.fact(count).kind in (
            "real",
            "unknown",
        ):
            self.position.refuse(
                "a list is multiplied by a value that may be a number or an array",
                "Annotate the number as an int, or give an example of it.",
            )

    def united(self, left: Value, right: Value) -> Value | None:
        """left | right of two dicts of known keys."""
        if self.operations.fact(right).kind != "dict":
            return None
        both = (
            self.known_items.known_mapping(value, self.position.node)
            for value in (left, right)
        )
        items = {key: item for known in both for key, item in known.items()}
        return self.cells.new_cell(Cell("dict", items, dict))

    def concatenated(self, left: Value, right: Value) -> Value | None:
        """left + right of two tuples or two lists."""
        first, second = (
            self.items_and_truth.sequence_items(left),
            self.items_and_truth.sequence_items(right),
        )
        if first is None or second is None:
            return None
        self.choice.tell_class(left)
        self.choice.tell_class(right)
        if self.operations.fact(left).kind != self.operations.fact(right).kind:
            return None
        return self.kinds.like(left, (*first, *second))

    def contains(self, container: Value, item: Value) -> Value | None:
        """item in container."""
        keys: Sequence[object] | None = None
        if (
            isinstance(container, Ref)
            and self.cells.heap[container.cell].cls is Iterator
        ):
            self.position.refuse_call(
                "`in` takes items from an iterator, up to the one that it finds",
                "Make a list of the items first.",
            )
        if isinstance(container, Ref) and self.cells.heap[container.cell].kind in (
            "dict",
            "set",
        ):
            if self.cells.heap[container.cell].var is not None:
                return None
            keys = tuple(self.cells.heap[container.cell].items)
            if self.cells.heap[container.cell].kind == "dict":
                item = self.assumptions.as_index(item)  # as where an item is read
        elif isinstance(container, Argument) and container.fact.keys is not None:
            keys = container.fact.keys
        elif isinstance(container, (TupleValue, Ref)):
            items = self.language.items_of(container)
            numbers = map(self.kinds.as_number, items or ())
            known = [self.assumptions.known_value(v) for v in numbers]
            if items is not None and all(k is not None for k in known):
                keys = [k.value for k in known if k is not None]
            elif items:
                equal = [self.are_equal(item, v) for v in items]
                return None if None in equal else Const(any(equal))
        if isinstance(container, Const) and isinstance(container.value, Mapping):
            keys = tuple(container.value)
        if isinstance(container, Const) and isinstance(item, Const):
            found = container.value
            if isinstance(found, (set, frozenset)):  # a registry of classes, of names
                told = isinstance(item.value, type) or literal(item)
                keys = tuple(found) if told else None
        if keys is None:
            return None
        known_item = self.assumptions.known_value(item)
        if isinstance(item, Const) and callable(item.value):
            known_item = item
        if known_item is not None:
            if isinstance(container, (Argument, Ref)):
                self.structures.tell_key(container, known_item.value)
            self.structures.tell_entry(container, known_item.value)
            return Const(known_item.value in keys)
        if any(isinstance(k, (float, complex)) and k != k for k in keys):  # noqa: PLR0124
            self.position.refuse(
                "a key is nan, which Python finds by identity only", "Use other keys."
            )
        self.choice.tell_keys(container)
        self.structures.tell_items(container)
        atoms = (Const(tuple(keys)), self.language.atom(item))
        return self.operations.apply(
            operator.contains, atoms, form="operator", fact=BOOL
        )


def _is_type(const: Const) -> bool:
    """Whether a constant is a class or a dtype, compared as Python compares them."""
    value = const.value
    return is_type(value) or (isinstance(value, type) and type(value) is type)


def _is_function(value: Value) -> bool:
    """Whether a value is a function, or a method bound to an object."""
    if isinstance(value, (Closure, Bound, Partial)):
        return True
    return isinstance(value, Const) and is_function(value.value)


def _is_class(value: Value) -> bool:
    """Whether a value is a class, or several as `int | float`."""
    if isinstance(value, TupleValue):
        return value.cls is tuple and all(map(_is_class, value.items))
    return isinstance(value, Const) and isinstance(value.value, (type, types.UnionType))
