"""Operators, truth, iteration and subscripts on values of every sort."""

from __future__ import annotations

import collections
import dataclasses
import enum
import inspect
import itertools
import operator
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Number
from typing import Any, Final, NoReturn

from yota_ast.frontend.calls.unknown_fields import check_attribute
from yota_ast.frontend.desugar import function_models
from yota_ast.frontend.heap.has_attribute import modelled
from yota_ast.frontend.heap.identity import IDENTITY, Identity
from yota_ast.frontend.heap.lowered_values import (
    NULL,
    Argument,
    Bound,
    Cell,
    Closure,
    Either,
    Generator,
    Lazy,
    MethodOf,
    OneOf,
    Partial,
    Ref,
    SliceValue,
    TupleValue,
    Value,
    is_function,
    is_user_class,
    literal,
)
from yota_ast.frontend.interpret.folding import (
    fold,
    handing_on,
    is_member,
    is_type,
    type_of,
)
from yota_ast.frontend.library.conversions import converted, truth_as_bool
from yota_ast.frontend.library.sparse_matrices import Sparse
from yota_ast.frontend.source.field_setters import is_made_by_dataclass
from yota_ast.frontend.state.settings import Settings
from yota_ast.ir.abstract_values import (
    BOOL,
    End,
    Fact,
    fact_of,
    fact_of_constant,
    int_fact,
    plain_number,
    slice_fact,
)
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.axis_lengths import literal_dim
from yota_ast.ir.built_values import build_dict, build_list, build_slice, build_tuple
from yota_ast.ir.nodes import (
    Apply,
    new_apply,
)
from yota_ast.ops.algebra import KEEPING, LOGICAL, operated
from yota_ast.ops.record import Arithmetic
from yota_ast.ops.spellings import COMPARING, SET_METHODS, SPECIAL_METHODS
from yota_ast.support.proxies import is_a, is_gone_through_its_own_way
from yota_ast.syntax.value_paths import attribute_text, item_text

_COMPARING: Final = tuple(op.fn for op in COMPARING)
_OF_NUMPY: Final = ("array", "scalar", "real", "unknown")
"""The kinds of what may be an array or one of NumPy's numbers."""
_UNSAID: Final = object()
_COMPARED: Final = frozenset(op.fn for op in COMPARING)
_OF_NUMBERS: Final[tuple[Arithmetic, ...]] = (*KEEPING, "quotient", "power")
UNROLLED: Final = 16
APART: Final = (collections.OrderedDict, collections.defaultdict)
"""Classes of dicts whose instances are made of no display."""
KINDS_APART: Final = {
    **dict.fromkeys(("float", "int", "bool", "complex"), 0),
    "str": 1, "none": 2, "tuple": 3, "list": 4, "dict": 5,
}  # fmt: skip
"""Kinds of values of which none equals one of another number."""
TABLE: Final = 256
"""How many keys of a mapping from outside are gone through one after the other."""


class Operators(Sparse, Identity):
    """What operators do to virtual values; all else becomes an op."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.ranks: set[str] = set()  # what of that is the rank of an array

    def operate(
        self, fn: Callable[..., object], *operands: Value, form: Any = "operator"
    ) -> Value:
        """An operator applied to values."""
        arithmetic = operated(fn)
        if fn not in IDENTITY:
            operands = tuple([self.as_number(v) for v in operands])
        if arithmetic in _OF_NUMBERS and all(map(self.is_number, operands)):
            if any(isinstance(v, Var) for v in operands):
                out = self.computed(fn, [self.atom(v) for v in operands], form)
                if self.of_modules and arithmetic in KEEPING:
                    self.note_of_modules(out, fn, operands)
                return out
        if fn in IDENTITY:
            return self.identity(fn, *operands)
        known = [self.known_value(v) for v in operands]
        if arithmetic in LOGICAL or fn in _COMPARED:  # what is asked of flags
            known = self.flags(operands, known)
        if all(k is not None for k in known):
            folded = fold(fn, [k for k in known if k is not None])
            if folded is not None:
                return folded
        if fn is operator.or_ and all(map(_is_class, operands)):
            # isinstance takes a tuple of classes as it takes their union.
            parts = [self.sequence_items(v) or (v,) for v in operands]
            return TupleValue((*parts[0], *parts[1]))
        if fn in (operator.eq, operator.ne):
            equal = self.are_equal(*operands)
            if equal is not None:
                return Const(equal is (fn is operator.eq))
        for virtual in (
            self.operate_on_object, self.operate_on_sequence, self.operate_on_sparse
        ):  # fmt: skip
            result = virtual(fn, operands)
            if result is not None:
                return result
        result = self.apply(fn, [self.atom(v) for v in operands], form=form)
        if arithmetic in KEEPING:
            self.note_of_modules(result, fn, operands)
        return result

    def as_number(self, value: Value) -> Value:
        """A member of an IntEnum as the number that is computed with; it stays what it
        is where it is only handed on."""
        plain = plain_number(value.value) if isinstance(value, Const) else None
        return value if plain is None else Const(plain)

    def is_number(self, value: Value) -> bool:
        """Whether a value is a number of Python's, of which nothing else is known."""
        if isinstance(value, Var):
            return value.fact.kind in ("float", "int") and value.name not in self.known
        return isinstance(value, Const) and type(value.value) in (float, int)

    def computed(
        self, fn: Callable[..., object], operands: Sequence[Atom], form: Any
    ) -> Var:
        """Arithmetic of numbers, most of what programs do: `apply`, without what it
        asks of arrays and of calls."""
        out = self.var(self.inferred(fn, operands, ()))
        op = new_apply(out, fn, tuple(operands), (), form, "", self.origin)
        self.emit(op)
        self.remember(op)
        return out

    def are_equal(self, left: Value, right: Value) -> bool | None:
        """Whether two values are equal: two types, two members of an enumeration; a
        function is no string, a tuple is none of another length."""
        pair = (left, right)
        for is_fixed in (_is_type, is_member):
            fixed = [v.value for v in pair if isinstance(v, Const) and is_fixed(v)]
            if len(fixed) == 2:
                return bool(fixed[0] == fixed[1])
        for one, other in (pair, pair[::-1]):
            if _is_function(one) and self.known_value(other) is not None:
                return False
        kinds = [KINDS_APART.get(self.fact(v).kind) for v in pair]
        if None not in kinds and kinds[0] != kinds[1]:
            if NULL in pair:
                self.tell_present(*pair)
            for value in () if NULL in pair else pair:
                if KINDS_APART["str"] in kinds:
                    self.tell_type(value, lambda cls: cls is str)
                self.tell_type(value, lambda cls: issubclass(cls, Number), (object,))
                self.tell_class(value)
            return False
        return False if self.differ_in_length(left, right) else None

    def differ_in_length(self, left: Value, right: Value) -> bool:
        """Whether two values are tuples, one longer than the other: the shapes of
        arrays of which the ranks are known."""
        facts = self.fact(left), self.fact(right)
        if not all(f.kind == "tuple" and f.cls is tuple for f in facts):
            return False
        lengths = {None if f.items is None else len(f.items) for f in facts}
        if None in lengths or len(lengths) < 2:
            return False
        for value in (left, right):
            if isinstance(value, Var):
                self.tell(self.asked.get(value.name))
        return True

    def known_value(self, value: Value) -> Const | None:
        """The literal that a value is: written, or proved by facts."""
        if isinstance(value, Const):
            return value if literal(value) else None
        if isinstance(value, Var) and value.name in self.known:
            if value.name in self.ranks:
                self.depend_on_ranks()
            self.tell(self.asked.get(value.name))
            return Const(self.known[value.name])
        if isinstance(value, TupleValue) and value.cls is tuple:
            items = [self.known_value(v) for v in value.items]
            if all(v is not None for v in items):
                return Const(tuple(v.value for v in items if v is not None))
        return None

    # ------------------------------------------------------------ virtual operands

    def class_of(self, value: Value) -> type | None:
        """The user's class of an object whose methods can be followed."""
        if isinstance(value, Ref):
            return self.heap[value.cell].cls if self.is_object(value) else None
        if isinstance(value, Argument):
            return value.fact.cls if value.fact.kind == "object" else None
        if isinstance(value, TupleValue):
            return None if value.cls is tuple else value.cls
        if isinstance(value, Const) and is_user_class(type(value.value)):
            return None if self.fact(value).kind == "array" else type(value.value)
        if isinstance(value, (Either, OneOf)):
            return self.class_of_chosen(value)
        return None

    def is_object(self, value: Value) -> bool:
        """Whether a value is an object made while lowering."""
        return isinstance(value, Ref) and self.heap[value.cell].kind == "object"

    def operate_on_object(
        self, fn: Callable[..., object], operands: Sequence[Value]
    ) -> Value | None:
        """The method by which a user's class defines the operator."""
        names = SPECIAL_METHODS.get(fn)
        if names is None:
            return None
        for k, value in enumerate(operands):
            if isinstance(value, (Either, OneOf)) and self.class_of(value) is None:
                return self.operate_on_chosen(fn, operands, k)
        for name, (owner, *rest) in self.attempts(fn, names, operands):
            result = self.answered(name, owner, rest)
            if result is None:
                return None
            if not (isinstance(result, Const) and result.value is NotImplemented):
                if owner is operands[-1] and self.class_of(operands[0]) is None:
                    self.check_left_operand(*operands)
                if fn is operator.contains:
                    return truth_as_bool(self, result)
                return result
        if fn in (operator.eq, operator.ne):  # no class says more
            if all(map(self.is_object, operands)):
                return Const((operands[0] == operands[1]) is (fn is operator.eq))
        return None

    def operate_on_chosen(
        self, fn: Callable[..., object], operands: Sequence[Value], k: int
    ) -> Value:
        """The operator, of objects of several classes of which one is chosen."""
        before, after = operands[:k], operands[k + 1 :]
        return self.with_each(
            self.surely_chosen(operands[k]),
            lambda v: self.operate(fn, *before, v, *after),
        )

    def answered(self, name: str, owner: Value, rest: Sequence[Value]) -> Value | None:
        """What the method of an object's class says; NotImplemented, if it has none, or
        that of a tuple or number; None of one that is not written in Python."""
        method = self.special_method(owner, name)
        if isinstance(method, Const) and is_made_by_dataclass(method.value):
            return self.compared_by_fields(name, owner, *rest)
        if method is not None:
            return self.call(method, (owner, *rest))
        cls = self.class_of(owner)
        found = None if cls is None else inspect.getattr_static(cls, name, None)
        if found is None:
            return Const(NotImplemented)
        if found is not inspect.getattr_static(object, name, None):
            of_base = isinstance(found, types.WrapperDescriptorType)
            made = self.is_object(owner)
            return Const(NotImplemented) if of_base and not made else None
        if name != "__ne__":
            return Const(NotImplemented)
        equal = self.answered("__eq__", owner, rest)  # the other way round
        unsaid = isinstance(equal, Const) and equal.value is NotImplemented
        return equal if equal is None or unsaid else self.negated(self.truth(equal))

    def compared_by_fields(self, name: str, owner: Value, *others: Value) -> Value:
        """What the methods of dataclasses give: tuples of fields, compared."""
        cls = self.class_of(owner)
        if cls is None or not others or self.class_of(others[0]) is not cls:
            return Const(NotImplemented)
        # of the class that it was made for: one derived from it may have more
        made_for: Any = next(c for c in cls.__mro__ if name in vars(c))
        fields = [f.name for f in dataclasses.fields(made_for) if f.compare]
        rows = [
            TupleValue(tuple(self.attribute(v, field) for field in fields))
            for v in (owner, *others)
        ]
        fn = next(f for f in _COMPARING if SPECIAL_METHODS[f][0] == name)
        if fn is operator.eq and sys.version_info >= (3, 13):
            # One after the other, so that nan is not itself, unless the object is.
            model = Const(function_models.are_equal, "are_equal")
            return Const(True) if owner == others[0] else self.call(model, rows)
        return self.operate(fn, *rows)

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
        own, other = map(self.class_of, operands)
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
        own = type_of(self.fact(number))
        return own in (int, float, complex) and not issubclass(cls, own)

    def check_left_operand(self, left: Value, right: Value) -> None:
        """NumPy's numbers and arrays ask an object what to do with it, and arrays hand
        their elements to one that does not say."""
        cls, fact = self.class_of(right), self.fact(left)
        if cls is None or fact.kind not in _OF_NUMPY:
            return
        said = inspect.getattr_static(cls, "__array_ufunc__", _UNSAID)
        ranked = inspect.getattr_static(cls, "__array_priority__", 0)
        first = fact.is_scalar or (isinstance(ranked, (int, float)) and ranked > 0)
        if said is None or (said is _UNSAID and first):
            return
        self.refuse_call(
            f"the operand to the left of an object of {cls.__name__} may be an array: "
            "NumPy decides what the operator does",
            "Put the object first, or define `__array_ufunc__ = None` in its class.",
        )

    def special_method(self, owner: Value, name: str) -> Value | None:
        """type(owner).name, where a user's class defines it in Python."""
        cls = self.class_of(owner) or self.class_of_container(owner)
        if cls is None:
            return None
        self.tell_class(owner)
        return self.class_function(cls, name)

    def class_of_container(self, value: Value) -> type | None:
        """The user's class of a list or a dict of the caller's, of which the methods
        may be its own."""
        cls: type | None = None
        if isinstance(value, Argument) and value.fact.kind in ("list", "dict"):
            cls = value.fact.cls
        elif isinstance(value, Ref) and not self.is_object(value):
            cls = self.heap[value.cell].cls
        if cls in (None, list, dict, set, tuple) or not is_user_class(cls):
            return None
        return cls if issubclass(cls, (list, dict)) else None

    def iterated(self, value: Value) -> Value:
        """What iter(value) gives, where a user's class defines it in Python."""
        if isinstance(value, Const) and isinstance(value.value, enum.EnumMeta):
            return value
        method = self.special_method(value, "__iter__")
        return value if method is None else self.call(method, (value,))

    def class_function(self, cls: type, name: str) -> Value | None:
        """A function of a class, looked up along its bases."""
        raise NotImplementedError

    def operate_on_sequence(
        self, fn: Callable[..., object], operands: Sequence[Value]
    ) -> Value | None:
        """+, *, in and == on tuples, lists and dicts of known length."""
        if fn is operator.contains:
            return self.contains(*operands)
        if len(operands) != 2:
            return None
        left, right = operands
        if fn in SET_METHODS and self.is_set(left) and self.is_set(right):
            return self.call(MethodOf(left, SET_METHODS[fn]), (right,))
        if fn is operator.add:
            return self.concatenated(left, right)
        if fn is operator.or_ and self.fact(left).kind == "dict":
            return self.united(left, right)
        if fn is operator.mul:
            for sequence, count in ((left, right), (right, left)):
                self.check_count(sequence, count)
                times = self.known_value(count)
                if times is not None and isinstance(times.value, int):
                    items = self.sequence_items(sequence)
                    if items is not None:
                        self.tell_class(sequence)
                        return self.like(sequence, items * times.value)
                elif (
                    times is None
                    and self.is_list(sequence)
                    and self.fact(count).kind != "array"
                ):
                    out = self.apply(
                        fn, (self.atom(left), self.atom(right)), form="operator"
                    )
                    return self.new_cell(Cell("list", {}, list, out))
        return None

    def is_list(self, value: Value) -> bool:
        """Whether a value is a list made while lowering."""
        return isinstance(value, Ref) and self.heap[value.cell].kind == "list"

    def check_count(self, sequence: Value, count: Value) -> None:
        """Refuse `[0.0] * n` where n may be an array: then it is a product."""
        kind = self.fact(sequence).kind
        if kind in ("list", "tuple") and self.fact(count).kind in ("real", "unknown"):
            self.refuse(
                "a list is multiplied by a value that may be a number or an array",
                "Annotate the number as an int, or give an example of it.",
            )

    def is_set(self, value: Value) -> bool:
        """Whether a value is a set made while lowering."""
        return isinstance(value, Ref) and self.heap[value.cell].kind == "set"

    def united(self, left: Value, right: Value) -> Value | None:
        """left | right of two dicts of known keys."""
        if self.fact(right).kind != "dict":
            return None
        both = (*self.known_mapping(left, self.node).items(),
                *self.known_mapping(right, self.node).items())  # fmt: skip
        return self.new_cell(Cell("dict", dict(both), dict))

    def known_mapping(self, value: Value, node: Any) -> dict[object, Value]:
        """The items of a mapping of known keys."""
        raise NotImplementedError

    def concatenated(self, left: Value, right: Value) -> Value | None:
        """left + right of two tuples or two lists."""
        first, second = self.sequence_items(left), self.sequence_items(right)
        if first is None or second is None:
            return None
        self.tell_class(left)
        self.tell_class(right)
        if self.fact(left).kind != self.fact(right).kind:
            return None
        return self.like(left, (*first, *second))

    def like(self, sequence: Value, items: Sequence[Value]) -> Value:
        """A tuple or list, as `sequence` is, of other items."""
        if self.fact(sequence).kind == "list":
            return self.new_cell(Cell("list", dict(enumerate(items)), list))
        return TupleValue(tuple(items))

    def sequence_items(self, value: Value) -> tuple[Value, ...] | None:
        """The items of a tuple or list of known length."""
        if isinstance(value, TupleValue):
            return value.items
        if (
            isinstance(value, Const)
            and literal(value)
            and isinstance(value.value, tuple)
        ):
            return tuple(Const(v) for v in value.value)
        if isinstance(value, Ref):
            cell = self.heap[value.cell]
            if cell.kind == "list" and cell.var is None:
                return tuple(cell.items.values())
        if isinstance(value, Argument) and value.fact.kind in ("list", "tuple"):
            count = None if value.fact.items is None else len(value.fact.items)
            if count is not None:
                self.tell_length(value)
                return tuple(self.item_of_argument(value, k) for k in range(count))
        return None

    def item_of_argument(self, argument: Argument, key: object) -> Value:
        """argument[key]."""
        raise NotImplementedError

    def contains(self, container: Value, item: Value) -> Value | None:
        """item in container."""
        keys: Sequence[object] | None = None
        if isinstance(container, Ref) and self.heap[container.cell].cls is Iterator:
            self.refuse_call(
                "`in` takes items from an iterator, up to the one that it finds",
                "Make a list of the items first.",
            )
        if isinstance(container, Ref) and self.heap[container.cell].kind in (
            "dict",
            "set",
        ):
            if self.heap[container.cell].var is not None:
                return None
            keys = tuple(self.heap[container.cell].items)
        elif isinstance(container, Argument) and container.fact.keys is not None:
            keys = container.fact.keys
        elif isinstance(container, (TupleValue, Ref)):
            items = self.items_of(container)
            known = [self.known_value(v) for v in items or ()]
            if items is not None and all(k is not None for k in known):
                keys = [k.value for k in known if k is not None]
        if isinstance(container, Const) and isinstance(container.value, Mapping):
            keys = tuple(container.value)
        if isinstance(container, Const) and isinstance(item, Const):
            found = container.value
            if isinstance(found, (set, frozenset)) and isinstance(item.value, type):
                keys = tuple(found)  # a registry of classes
        if keys is None:
            return None
        known_item = self.known_value(item)
        if isinstance(item, Const) and callable(item.value):
            known_item = item
        if known_item is not None:
            if isinstance(container, (Argument, Ref)):
                self.tell_key(container, known_item.value)
            self.tell_entry(container, known_item.value)
            return Const(known_item.value in keys)
        if any(isinstance(k, (float, complex)) and k != k for k in keys):  # noqa: PLR0124
            self.refuse(
                "a key is nan, which Python finds by identity only", "Use other keys."
            )
        self.tell_keys(container)
        self.tell_items(container)
        atoms = (Const(tuple(keys)), self.atom(item))
        return self.apply(operator.contains, atoms, form="operator", fact=BOOL)

    # ------------------------------------------------------------ truth, iteration

    def truth(self, value: Value) -> bool | Atom:
        """Whether a value is true: known, or the atom that the text tests."""
        known = self.known_value(value)
        if known is not None:
            return bool(known.value)
        if isinstance(value, Var):
            return False if value.fact.kind == "none" else value
        if isinstance(value, Const):
            if not value.home or is_user_class(type(value.value)):
                return value
            return True if callable(value.value) else value
        if isinstance(value, MethodOf) and not self.is_method(value):
            return self.atom(value)
        if isinstance(value, (Closure, Bound, Partial, MethodOf)):
            return True
        if isinstance(value, (Either, OneOf)):
            return self.truth_of_chosen(value)
        cls = self.class_of(value)
        for name in ("__bool__", "__len__"):
            method = self.special_method(value, name)
            if method is not None:
                result = self.call(method, (value,))
                if name == "__bool__":
                    result = converted(self, bool, value, result)
                return self.truth(result)
            if cls is not None and hasattr(cls, name):
                return self.truth_in_c(value, name)
        return True if self.is_object(value) else self.truth_of_container(value)

    def truth_in_c(self, value: Value, name: str) -> bool | Atom:
        """Whether an object is true whose class has that from one of Python's own."""
        if isinstance(value, Argument):
            return self.atom(value)
        if not self.is_object(value):
            return self.truth_of_container(value)
        self.refuse_call(
            "the truth value of an object is tested, and its class derives "
            "from a built-in class",
            f"Define `{name}` in the class.",
        )

    def is_iterator(self, value: Value | None) -> bool:
        """Whether a value gives its items once: it has no length, and no places."""
        if isinstance(value, Ref):
            return self.heap[value.cell].cls is Iterator
        if isinstance(value, Lazy):
            return value.fn is not range
        return isinstance(value, Generator)

    def refuse_as_list(self) -> NoReturn:
        """Refuse to ask of an iterator what a list would tell."""
        self.refuse_call(
            "an iterator, or a view of a dict, is used as a list",
            "Make a list of its items first.",
        )

    def truth_of_container(self, value: Value) -> bool | Atom:
        """Whether a container has items."""
        if self.is_iterator(value):  # one without items, too
            return True
        if isinstance(value, Ref):
            cell = self.heap[value.cell]
            return bool(cell.items) if cell.var is None else cell.var
        if isinstance(value, Argument) and value.fact.kind in ("list", "tuple", "dict"):
            if value.fact.items is not None:
                self.tell_length(value)
                return bool(value.fact.items)
            return self.atom(value)
        items = self.items_of(value)
        return True if items is None else bool(items)

    def items_of(self, value: Value) -> tuple[Value, ...] | None:
        """The items over which iteration goes, where their number is known."""
        if isinstance(value, Lazy):
            return self.lazy_items(value)
        if isinstance(value, Ref):
            cell = self.heap[value.cell]
            if cell.var is not None or cell.kind == "object":
                return None
            if cell.kind in ("dict", "set"):
                return tuple(Const(k) for k in self.items_in_order(value.cell))
        if isinstance(value, Argument) and value.fact.keys is not None:
            self.tell_keys(value)
            return tuple(Const(k) for k in value.fact.keys)
        if isinstance(value, Const):
            if is_gone_through_its_own_way(value.value):
                return None
            if isinstance(value.value, enum.EnumMeta):
                members: list[enum.Enum] = list(value.value)
                texts = (attribute_text(str(value.text), m.name) for m in members)
                return tuple(map(Const, members, texts, itertools.repeat(value.home)))
            if isinstance(value.value, str) and literal(value):
                return tuple(Const(c) for c in value.value)
            if is_a(value.value, Mapping) and len(value.value) <= TABLE:
                self.tell_items(value)
                return tuple(Const(k) for k in value.value)
            return self.constant_items(value)
        items = self.sequence_items(value)
        return self.few_parts(value) if items is None else items

    def few_parts(self, value: Value) -> tuple[Value, ...] | None:
        """The items of a short list that an op gives, `np.split(x, 3)`, where loops
        over known items are written out; elsewhere it is noted that one stays."""
        known = value.fact.items if isinstance(value, Var) else None
        if not known or len(known) > UNROLLED:
            return None
        if self.settings.looping:
            self.keep_loop()
            return None
        return self.parts_of(value)

    def constant_items(self, value: Const) -> tuple[Value, ...] | None:
        """The items of a tuple, list or dict that is not the function's own."""
        if isinstance(value.value, (tuple, list)) and len(value.value) <= UNROLLED:
            if literal(value):
                return tuple(Const(v) for v in value.value)
            if all(_plain_number(v) for v in value.value):
                return None
            return self.parts_of_constant(value)
        return None

    def parts_of_constant(self, value: Const) -> tuple[Value, ...]:
        """TABLE[0], TABLE[1]: the items of a tuple or list of a module's."""
        self.tell_items(value)
        items: Any = value.value
        texts = (item_text(str(value.text), k) for k in range(len(items)))
        return tuple(map(Const, items, texts, itertools.repeat(value.home)))

    def lazy_items(self, lazy: Lazy) -> tuple[Value, ...] | None:
        """The items of range, zip, enumerate and the like, where known."""
        raise NotImplementedError

    # ------------------------------------------------------------ atoms

    def atom(self, value: Value) -> Atom:
        """The value as an atom: tuples, lists, dicts and slices are built."""
        if isinstance(value, Var):
            return self.fresh(value)
        if isinstance(value, Const):
            return value
        known = self.known_value(value)
        if known is not None:
            return known
        if isinstance(value, SliceValue):
            parts = [self.atom(p) for p in (value.start, value.stop, value.step)]
            return self.build(build_slice, parts, slice_fact(*map(_end_of, parts)))
        if isinstance(value, TupleValue):
            return self.atom_of_tuple(value)
        if isinstance(value, Ref):
            return self.atom_of_cell(value)
        if isinstance(value, Argument):
            return self.atom_of_argument(value)
        if isinstance(value, Lazy):
            return self.atom_of_lazy(value)
        if isinstance(value, (Either, OneOf)):
            return self.atom_of_chosen(value)
        if isinstance(value, MethodOf) and isinstance(value.owner, Var):
            if value.owner.fact.kind in ("unknown", "other"):
                args = (self.fresh(value.owner), Const(value.name))
                return self.apply(getattr, args, form="attribute", spelling=value.name)
            if value.owner.fact.kind == "real":
                check_attribute(self, value.name)
        self.refuse(
            "a function that is defined inside the differentiated function is "
            "used as a value",
            "Call it, or move its definition to the module.",
        )

    def build(
        self, fn: Callable[..., object], parts: Sequence[Atom], fact: Fact
    ) -> Var:
        """A build op."""
        return self.apply(fn, parts, form="build", fact=fact)

    def atom_of_tuple(self, value: TupleValue) -> Atom:
        """(a, b); a NamedTuple is built by its class."""
        parts = [self.atom(v) for v in value.items]
        items = tuple(map(_fact_of_item, parts))
        fact = Fact("tuple", items=items, cls=value.cls)
        if value.cls is not tuple:
            return self.apply(value.cls, parts, fact=fact)
        return self.build(build_tuple, parts, fact)

    def atom_of_cell(self, ref: Ref, *, lends: bool = True) -> Atom:
        """[a, b], {k: v}, or the variable that holds the container."""
        cell = self.heap[ref.cell]
        if cell.var is not None:
            return self.fresh(cell.var)
        if cell.kind == "object":
            self.refuse(
                f"an object of class {modelled(cell.cls or object).__name__}, made in "
                "the function, is passed on or returned",
                handing_on(cell.cls),
            )
        if cell.cls in APART:
            self.refuse(
                f"a {cell.cls.__name__} made in the function is passed on or returned",
                "Pass or return a dict: dict(x).",
            )
        if cell.kind == "set":
            return self.apply(frozenset, (Const(tuple(cell.items)),))
        out = self.container_of(ref)
        if lends:
            self.lend(out, ref)
        return out

    def container_of(self, ref: Ref) -> Var:
        """[a, b] or {k: v}, of a list or dict that is known item by item."""
        cell = self.heap[ref.cell]
        parts = [self.atom(v) for v in self.items_in_order(ref.cell).values()]
        fact = self.cell_fact(self.heap[ref.cell])
        if cell.kind == "list":
            out = self.build(build_list, parts, fact)
            self.split.add(out.name)
            return out
        keys = map(Const, cell.items)
        turns = [a for pair in zip(keys, parts, strict=True) for a in pair]
        return self.build(build_dict, turns, fact)

    def lend(self, out: Var, ref: Ref) -> None:
        """A variable of the text holds what a cell holds now; see memory.py."""
        raise NotImplementedError

    def atom_of_argument(self, value: Argument) -> Atom:
        """A container or object of the caller's as a whole."""
        raise NotImplementedError

    def atom_of_lazy(self, value: Lazy) -> Atom:
        """range(n) and the like as a value of the text."""
        args = [self.atom(a) for a in value.args]
        kwargs = [(k, self.atom(v)) for k, v in value.kwargs]
        return self.apply(
            value.fn, args, kwargs, fact=Fact("other", cls=_class(value.fn))
        )

    def last_op_of(self, var: Var) -> Apply | None:
        """The Apply that made a variable, if it is the last op."""
        last = self.ops[-1] if self.ops else None
        return last if isinstance(last, Apply) and last.out == var else None


def _class(fn: object) -> type:
    return fn if isinstance(fn, type) else object


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


def _plain_number(value: object) -> bool:
    return fact_of(value).is_numeric


def _end_of(atom: Atom) -> End | object:
    """What is known of an end of a slice, for `slice_fact`."""
    return atom.value if isinstance(atom, Const) else atom.fact.length or atom


def _fact_of_item(atom: Atom) -> Fact:
    """What is known of an item: a literal may be a length, as in `np.zeros((n, 2))`."""
    if isinstance(atom, Var):
        return atom.fact
    if type(atom.value) is int and atom.value >= 0 and not atom.is_live:
        return int_fact(literal_dim(atom.value))
    return fact_of_constant(atom.value)
