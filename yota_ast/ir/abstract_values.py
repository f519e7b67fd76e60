"""What is known of a value before it exists: kind, dtype, rank, lengths of axes.

In: example values, annotations, facts of operands.  Out: a `Fact`.

Lengths are symbolic: the `Dim` of an argument's axis prints as `x.shape[0]`, so that
two facts can be compared without their numbers, and so that what a text assumes can
be checked where it starts.

>>> x = fact_of(np.zeros((3, 1)), "x")
>>> x
ndarray[float64, 2]
>>> [str(d) for d in x.shape]
['x.shape[0]', '1']
>>> fact_of(2.0), fact_of(None), fact_of((1, 2.5))
(float, NoneType, tuple[int, float])
"""

from __future__ import annotations

import functools
import operator
import threading
import types
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields
from numbers import Number
from typing import Any, Final, Literal, TypeGuard

import numpy as np

from yota_ast._speed.fast_dataclasses import dataclass, field, replace
from yota_ast.ir.axis_lengths import (
    COUNTER,
    SHARED,
    Dim,
    End,
    axis_dim,
    called,
    literal_dim,
)
from yota_ast.support.array_classes import is_array
from yota_ast.support.proxies import (
    hides_its_fields,
    is_gone_through_its_own_way,
    poses_as_another,
)
from yota_ast.support.value_classes import (
    Labelled,
    has_labels,
    is_called_in_c,
    is_sparse,
    is_unlike_arrays,
)
from yota_ast.syntax.value_literals import Keys
from yota_ast.syntax.value_paths import (
    axis_text,
    item_text,
    key_of_item,
)

Kind = Literal[
    "float",  # Python scalars, each of its own kind
    "int",
    "bool",
    "complex",
    "str",
    "none",
    "scalar",  # a NumPy scalar (np.float64 and so on)
    "array",  # an ndarray, 0-d ones included
    "real",  # a float or a real array of any rank: a parameter without facts
    "tuple",  # containers: `items`, for a dict `keys` as well
    "list",
    "dict",
    "object",  # an instance of `cls`
    "callable",
    "other",  # a value of `cls` that holds no floats to differentiate
    "model",  # an object of a library, of `cls`, made of floats: a spline
    "unknown",
    "nothing",  # there is no value: an item of an empty list
]

NUMERIC: Final = frozenset(
    {"float", "int", "bool", "complex", "scalar", "array", "real"}
)
NUMBERS: Final = frozenset({"float", "scalar"})
CONTAINERS: Final = ("tuple", "list", "dict")
PYTHON_SCALARS: Final = frozenset({"float", "int", "bool", "complex"})


Shape = tuple["Dim | None", ...] | str | None
"""Dims by axis (None: nothing known of the axis), or the name of a shape of unknown
rank ("x.shape": two values of that name have the same shape), or nothing known."""


def same_dtype(one: np.dtype | None, other: np.dtype | None) -> bool:
    """Whether two dtypes are known and the same. NumPy takes None for float64."""
    return one is not None and other is not None and one == other


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of a value. `shape` is () for scalars of every kind."""

    kind: Kind
    dtype: np.dtype | None = None  # of arrays and NumPy scalars; None: not known
    shape: Shape = None
    items: tuple[Fact, ...] | None = None  # of containers; None: length not known
    keys: Keys | None = None  # of dicts
    cls: type | None = None  # of objects
    length: Dim | None = None  # of an int, of what axis; of a list of unknown items
    element: Fact | None = None  # items of a list of unknown length; what has a dtype
    least: int = 0  # of such a list: how many items it has at least
    ends: tuple[End, End, End] | None = None  # of a slice; None: not known
    present: Fact | None = None  # of a number or string that may be None: where not
    varies: bool = False  # of whole numbers in a container that is named in `wrt`
    picked: Dim | None = None  # of an array of bools: how many of them are true
    stands_for: type | None = None  # of a dict: the class of an object of such fields
    _hash: int | None = field(default=None, init=False, compare=False, repr=False)

    def __eq__(self, other: object) -> bool:
        # Most are compared with themselves: `FLOAT`.
        if self is other:
            return True
        if not isinstance(other, Fact) or (self.dtype is None) != (other.dtype is None):
            return False  # None stands for float64 where a dtype is compared with it
        return _all_of(self) == _all_of(other)

    def __hash__(self) -> int:
        # Kept, for calls are looked up by the facts of their arguments all the time.
        if self._hash is None:
            object.__setattr__(self, "_hash", hash(_all_of(self)))
        return self._hash  # type: ignore[return-value]

    @property
    def rank(self) -> int | None:
        """The number of axes, where known."""
        return len(self.shape) if isinstance(self.shape, tuple) else None

    @property
    def is_scalar(self) -> bool:
        """Whether the value provably has no axes."""
        return self.shape == ()

    @property
    def is_numeric(self) -> bool:
        """Whether arithmetic on the value is arithmetic on numbers."""
        return self.kind in NUMERIC

    @property
    def is_python(self) -> bool:
        """Whether the value is a Python number, not a NumPy one."""
        return self.kind in PYTHON_SCALARS

    @property
    def is_number(self) -> bool:
        """Whether the value is a number, Python's or NumPy's, and no array."""
        kind = self.kind
        if kind in PYTHON_SCALARS or kind == "scalar":
            return True
        return kind == "real" and self == NUMBER

    @property
    def is_floating(self) -> bool:
        """Whether the value is surely a float, or an array of floats."""
        known = self.dtype is not None and self.dtype.kind == "f"
        return self.kind == "float" or (self.kind in ("array", "scalar") and known)

    @property
    def is_immutable(self) -> bool:
        """Whether no store can change the value: it is no array, nor holds one."""
        if self.present is not None:
            return self.present.is_immutable
        if self.kind == "tuple" and self.items is not None:
            return all(item.is_immutable for item in self.items)
        return self.is_number or self.kind in ("str", "none", "callable")

    @property
    def is_complex(self) -> bool:
        """Whether the value is a complex number or array, or may be one."""
        return self.kind == "complex" or (
            self.dtype is not None and self.dtype.kind == "c"
        )

    @property
    def may_be_array(self) -> bool:
        """Whether the value may be an ndarray (and so may be written in place)."""
        if self.present is not None:
            return self.present.may_be_array
        return self.kind in ("array", "real", "unknown") and self != NUMBER

    @property
    def holds_floats(self) -> bool:
        """Whether a derivative with respect to the value, or part of it, makes
        sense."""
        if self.present is not None:
            return self.present.holds_floats
        if self.varies:
            return True
        if self.kind in ("float", "complex", "unknown"):
            return True
        if self.kind in ("array", "scalar", "real"):
            return self.dtype is None or self.dtype.kind in "fc"
        if self.kind in ("tuple", "list", "dict"):
            if self.items is None:
                return self.element is None or self.element.holds_floats
            return any(f.holds_floats for f in self.items)
        # What a zip or an enumerate hands out may be floats.
        return self.kind in ("object", "model") or hasattr(self.cls, "__next__")

    def varying(self) -> Fact:
        """The same of a container whose whole numbers are differentiated, too."""
        return self.with_whole_numbers(varies=True) if self.kind in CONTAINERS else self

    def fixed(self) -> Fact:
        """The same of a container whose whole numbers are not differentiated."""
        return (
            self.with_whole_numbers(varies=False) if self.kind in CONTAINERS else self
        )

    def with_whole_numbers(self, *, varies: bool) -> Fact:
        """The same, whose whole numbers are differentiated, or are not."""
        if self.kind not in CONTAINERS:
            return replace(self, varies=varies) if self.is_whole else self
        items = self.items and tuple(
            f.with_whole_numbers(varies=varies) for f in self.items
        )
        element = self.element and self.element.with_whole_numbers(varies=varies)
        return replace(self, items=items, element=element)

    @property
    def is_whole(self) -> bool:
        """Whether the value is surely a whole number, or an array of such."""
        of_ints = self.dtype is not None and self.dtype.kind in "iu"
        return self.kind == "int" or (self.kind in ("array", "scalar") and of_ints)

    def with_shape(self, shape: Shape) -> Fact:
        """The same fact with another shape."""
        return self if self.shape is shape else replace(self, shape=shape)

    def __repr__(self) -> str:
        return describe(self)


_all_of: Final = operator.attrgetter(*(f.name for f in fields(Fact) if f.compare))
"""What makes two facts one."""

UNKNOWN: Final = Fact("unknown")
NOTHING: Final = Fact("nothing")
"""Of an item of an empty list, and of what None and a number make: there is none."""


class Mixture:
    """The class of what is a container in one case, and something else in another."""


MIXED: Final = Fact("unknown", cls=Mixture)
PERHAPS_SEQUENCE: Final = Fact("unknown", cls=tuple)
"""Of what is a tuple or list of numbers in one case and None in another: it is read as
an array, and joined and repeated as a tuple."""
VOID: Final = Fact("unknown", cls=type(None))
"""What an operator makes of None: it raises, or gives an array without items."""
NONE: Final = Fact("none")
FLOAT: Final = Fact("float", shape=())
INT: Final = Fact("int", shape=())
BOOL: Final = Fact("bool", shape=())
OPAQUE: Final = Fact("other", cls=object)
"""An object of which nothing else is known: `+` may be anything."""
EITHER_BOOL: Final = Fact("bool", np.dtype(bool), ())
"""A bool, or one of NumPy's: what comparing a number of either kind gives."""
COMPLEX: Final = Fact("complex", shape=())
NUMBER: Final = Fact("real", shape=(), cls=Number)
"""A number, of Python or of NumPy: what is a float in one case and an int, or an item
of an array, in another."""
STR: Final = Fact("str")
_PYTHON: Final[dict[type, Fact]] = {
    bool: BOOL,
    int: INT,
    float: FLOAT,
    complex: COMPLEX,
    str: STR,
    type(None): NONE,
}


_CALLABLES: Final = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType,
    functools.partial, type, np.ufunc, np.vectorize,
)  # fmt: skip


def array_fact(dtype: object, shape: Shape) -> Fact:
    """The fact of an ndarray."""
    return Fact("array", None if dtype is None else np.dtype(dtype), shape)  # type: ignore[call-overload]


def int_fact(length: Dim | None) -> Fact:
    """The fact of an int: what is known of it as a length."""
    return Fact("int", shape=(), length=length)


def slice_fact(*ends: object) -> Fact:
    """The fact of a slice: of its ends, where they are numbers or called after some.

    >>> slice_fact(1, None, None).ends, slice_fact(1.0, None, None).ends
    ((1, None, None), None)
    """
    known = [e for e in ends if e is None or type(e) is int or isinstance(e, Dim)]
    if len(known) != 3 or len(ends) != 3:
        return Fact("other", cls=slice)
    return Fact("other", cls=slice, ends=(known[0], known[1], known[2]))


def named_apart(fact: Fact, name: str) -> Fact:
    """The same of a value called `name`: what is not known of its shape gets a name, so
    that what has the same shape shows it; and so does an int, which may be a length or
    the end of a slice, and how many a mask picks, of each array of bools anew."""
    fact = counted_apart(fact, name)
    if fact.kind == "int" and (fact.length is None or fact.length.base == COUNTER):
        return replace(fact, length=called(fact.length, f"@{name}"))
    if fact.kind == "tuple" and fact.items:
        return _with_shared_lengths(fact, name)
    if fact.kind not in ("array", "real") or fact.shape == ():
        return fact
    if fact.shape is None:
        return replace(fact, shape=f"@{name}")
    if isinstance(fact.shape, tuple) and None in fact.shape:
        dims = tuple(d or Dim(f"@{name}[{k}]") for k, d in enumerate(fact.shape))
        return replace(fact, shape=dims)
    return fact


def counted_apart(fact: Fact, name: str) -> Fact:
    """The same of a value called `name`: how many a mask picks gets a name."""
    if fact.kind != "array" or fact.dtype is None or fact.dtype.kind != "b":
        return fact
    return replace(fact, picked=Dim(f"@{name}"))


def _with_shared_lengths(fact: Fact, name: str) -> Fact:
    """The same of a tuple of arrays as long as one another: `SHARED` gets a name."""
    items = tuple(
        f.with_shape(tuple(Dim(f"@{name}") if d == SHARED else d for d in f.shape))
        if isinstance(f.shape, tuple) and SHARED in f.shape
        else f
        for f in fact.items or ()
    )
    return fact if items == fact.items else replace(fact, items=items)


def anonymous(fact: Fact) -> Fact:
    """The same of a value that differs from one iteration to the next: what a name
    given by `named_apart` says of one does not hold of another."""
    if fact.picked is not None:
        fact = replace(fact, picked=None)
    if isinstance(fact.shape, str) and fact.shape.startswith("@"):
        return replace(fact, shape=None)
    if isinstance(fact.shape, tuple) and any(_is_anonymous(d) for d in fact.shape):
        return replace(
            fact, shape=tuple(None if _is_anonymous(d) else d for d in fact.shape)
        )
    if fact.length is not None or fact.ends is not None:
        is_new = fact.length is not None and fact.length.base == COUNTER
        return fact if is_new else replace(fact, length=None, ends=None)
    if fact.items is not None:
        return replace(fact, items=tuple(map(anonymous, fact.items)))
    if fact.element is not None:
        return replace(fact, element=anonymous(fact.element))
    return fact


def _is_anonymous(dim: Dim | None) -> bool:
    return dim is not None and dim.base.startswith("@")


def real_fact(name: str) -> Fact:
    """The fact of a parameter of which nothing is said: a float or a real array."""
    return Fact("real", shape=f"{name}.shape")


def describe(fact: Fact) -> str:
    """The fact as listings print it: `ndarray[float64, 2]`, `float`, `list[float]`."""
    if fact.present is not None:
        return f"{describe(fact.present)} | None"
    if fact.kind == "array":
        dtype = "?" if fact.dtype is None else str(fact.dtype)
        rank = "?" if fact.rank is None else str(fact.rank)
        return f"ndarray[{dtype}, {rank}]"
    if fact.kind == "scalar":
        return "number" if fact.dtype is None else str(fact.dtype)
    if fact.kind == "real" and fact.is_complex:
        return "complex"
    if fact.kind in ("tuple", "list", "dict"):
        if fact.items is None and fact.element is not None:
            return f"{fact.kind}[{describe(fact.element)}, ...]"
        if fact.items is None:
            return fact.kind
        return f"{fact.kind}[{', '.join(describe(f) for f in fact.items)}]"
    if fact.kind in ("object", "other", "model"):
        return fact.kind if fact.cls is None else fact.cls.__name__
    return {"none": "NoneType", "unknown": "?"}.get(fact.kind, fact.kind)


LABELLED: Final = Fact("other", cls=Labelled)
"""What is computed of a table or a quantity, and is no number, array or text."""


def holds_labels(fact: Fact) -> bool:
    """Whether a value is of such a class, or a container of such."""
    if has_labels(fact.cls):
        return True
    inner = (*(fact.items or ()), fact.element, fact.present)
    return any(holds_labels(f) for f in inner if f is not None)


def _holds_objects(objects: Any) -> bool:
    """Whether an array of objects holds any of a class of Python's."""
    return any(fact_of(v).kind in ("object", "other") for v in objects.flat)


def _is_of_numpy_types(value: object) -> TypeGuard[Any]:
    """Whether it is NumPy's, CuPy's or Dask's array."""
    try:
        known = is_array(value) and isinstance(value.dtype, np.dtype)  # type: ignore[attr-defined]
        return known and isinstance(value.shape, tuple)  # type: ignore[attr-defined]
    except Exception:  # noqa: BLE001  of the user's property
        return False


def _array_fact(value: Any, name: str) -> Fact:
    dims = tuple(
        literal_dim(n) if not name or n == 1 else axis_dim(axis_text(name, k), n)
        for k, n in enumerate(value.shape)
    )
    return Fact("array", np.dtype(value.dtype), dims, cls=type(value))


def fact_of(value: object, name: str = "") -> Fact:
    """The fact of an example value; `name` is the text by which its axes are called.

    With a name, axes of other lengths than 1 get symbolic dims (`name.shape[k]`);
    without one (a constant of the program) the lengths are literal.
    """
    if type(value) is int and name:
        return int_fact(Dim(name, 0, value))
    if type(value) in _PYTHON:
        return _PYTHON[type(value)]
    if type(value) is np.ndarray and value.dtype.kind != "O":  # most are
        return _array_fact(value, name)
    if isinstance(value, np.generic):
        return Fact("scalar", value.dtype, ())
    if poses_as_another(value):
        called = isinstance(value, _CALLABLES)
        return Fact("other", cls=type(value)) if called else LABELLED
    if isinstance(value, _CALLABLES):  # first, for classes have the attributes too
        return Fact("callable", cls=type(value))
    if isinstance(value, slice):
        return slice_fact(value.start, value.stop, value.step)
    if is_gone_through_its_own_way(value):
        return LABELLED
    if isinstance(value, dict):  # first, for its attributes may be its items
        items = tuple(_item_fact(v, name, k) for k, v in value.items())
        return Fact("dict", items=items, keys=Keys(value), cls=type(value))
    if is_sparse(type(value)) or is_unlike_arrays(type(value)):
        # `*` and `sum` are not those of arrays
        return Fact("other", cls=type(value))
    if _is_of_numpy_types(value) and value.dtype == object and _holds_objects(value):
        return OPAQUE  # `+` is that of its items
    if _is_of_numpy_types(value):
        return _array_fact(value, name)
    if isinstance(value, (list, tuple)):
        items = tuple(
            _item_fact(v, name, key_of_item(type(value), k))
            for k, v in enumerate(value)
        )
        kind: Kind = "list" if isinstance(value, list) else "tuple"
        return Fact(kind, items=items, cls=type(value))
    if is_called_in_c(type(value)):  # np.median, a function with a cache
        return Fact("callable", cls=type(value))
    has_fields = hasattr(value, "__dict__") or hasattr(type(value), "__slots__")
    shown = has_fields and not hides_its_fields(value)
    return Fact("object" if shown else "other", cls=type(value))


def fields_of(value: object) -> dict[str, Any]:
    """The fields that an object has of its own, by their names."""
    found = getattr(value, "__dict__", None)
    return found if isinstance(found, dict) else {}


class _Tables(threading.local):
    """The facts of the containers that have been gone through, by their ids, each with
    its container; None while none are kept."""

    known: dict[int, tuple[object, Fact]] | None = None


_TABLES: Final = _Tables()


def fact_of_constant(value: object) -> Fact:
    """The fact of a constant of the program: within `gone_through_once`, of a container
    the one that was found first."""
    known = _TABLES.known
    if known is None or not isinstance(value, (dict, list, tuple)):
        return fact_of(value)
    found = known.get(id(value))
    if found is None:
        found = known[id(value)] = value, fact_of(value)
    return found[1]


@contextmanager
def gone_through_once() -> Iterator[None]:
    """While a gradient is made, containers stay as they are: go through a table of
    thousands of rows once, however often it is named."""
    outer = _TABLES.known
    _TABLES.known = {} if outer is None else outer
    try:
        yield
    finally:
        _TABLES.known = outer


def keys_of_items(fact: Fact) -> Sequence[Any]:
    """The keys of the items of a container of known structure.

    >>> keys_of_items(fact_of({"a": 1.0})), keys_of_items(fact_of([1.0, 2.0]))
    (('a',), (0, 1))
    """
    if fact.keys is not None:
        return tuple(fact.keys)
    return tuple(key_of_item(fact.cls, k) for k in range(len(fact.items or ())))


def _item_fact(value: object, name: str, key: object) -> Fact:
    """The fact of an item of a container, which is literal where the container is."""
    if type(value) is int and not name and value >= 0:
        return int_fact(literal_dim(value))
    return fact_of(value, name and item_text(name, key))
