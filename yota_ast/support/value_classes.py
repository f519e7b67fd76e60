"""A class -> what its objects are to NumPy: arrays, tables, numbers, or what computes
otherwise than these.

>>> is_sparse(np.ndarray), is_unlike_arrays(np.matrix), is_record(tuple)
(False, True, False)
"""

from __future__ import annotations

import enum
import functools
import inspect
import sys
import types
import weakref
from typing import Any, Final, TypeGuard

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from yota_ast.support.shown_values import Shown
from yota_ast.syntax.value_paths import (
    position_of_field,
)

REAL_KINDS: Final = "biuf"
"""The kinds of dtypes of real numbers."""
NUMBER_KINDS: Final = f"{REAL_KINDS}cO"
"""Those of numbers; objects may be such."""
SPARSE_VARIES: Final = (
    "what is done with a sparse matrix that depends on the arguments has no rule",
    "Make it by diags or csr_matrix((data, (rows, cols))), use `+`, `@` and spsolve.",
)
"""Why a sparse matrix is refused, and a remedy."""


def is_sparse(cls: object) -> bool:
    """Whether a class is one of sparse matrices: of a library of such, since a user's
    class may have any method.

    >>> is_sparse(np.ndarray)
    False
    """
    homes = {c.__module__.partition(".")[0] for c in getattr(cls, "__mro__", ())}
    return hasattr(cls, "tocsr") and not homes.isdisjoint(_OF_SPARSE)


def holds_sparse(cls: object) -> bool:
    """Whether a class is one of sparse matrices, or of the factors of one."""
    factors = getattr(cls, "__name__", "") == "SuperLU"
    return factors or is_sparse(cls)


_OF_SPARSE: Final = ("scipy", "cupyx", "sparse")
_UNLIKE: Final = (("numpy.ma", "MaskedArray"), ("numpy", "matrix"))


_WITH_LABELS: Final = (
    "pandas", "xarray", "pint", "polars", "pyarrow", "geopandas", "modin", "unyt",
    "quantities", "astropy.units", "astropy.table", "astropy.time", "torch",
    "tensorflow", "array_api_strict",
)  # fmt: skip
"""The modules of tables, of arrays with labels or units, and of arrays of libraries
that NumPy's functions do not compute with."""


class Labelled:
    """The class of what comes of a table or a quantity, where it is not known."""


def is_unlike_arrays(cls: object) -> bool:
    """Whether the arrays of a class compute otherwise than NumPy's.

    >>> is_unlike_arrays(np.matrix), is_unlike_arrays(np.ndarray)
    (True, False)
    """
    bases = getattr(cls, "__mro__", ())
    if cls is np.ndarray:
        return False
    unlike = has_labels(cls) or any(_named(base) in _UNLIKE for base in bases)
    return unlike or (np.ndarray in bases and _computes_otherwise(cls))


@functools.cache
def _said_by_classes() -> frozenset[str]:
    """By what a class of arrays says what is computed of them, but for comparisons."""
    signs = {n for n, f in vars(NDArrayOperatorsMixin).items() if callable(f)}
    return frozenset(
        (signs - {*dir(object)})
        | {"__getitem__", "__array_ufunc__", "__array_function__"}
    )


@functools.cache
def _computes_otherwise(cls: Any) -> bool:
    """Whether a class of arrays has operators or ufuncs of its own."""
    return any(
        not _said_by_classes().isdisjoint(vars(base))
        for base in cls.__mro__[: cls.__mro__.index(np.ndarray)]
        if base.__module__.partition(".")[0] != "numpy"
    )


def has_labels(cls: object) -> bool:
    """Whether a class is one of pandas, xarray, pint or the like: of tables, of arrays
    with labels or units, or of another library's.

    >>> has_labels(Labelled), has_labels(np.ndarray)
    (True, False)
    """
    return _has_labels(cls)


@functools.cache
def _has_labels(cls: Any) -> bool:
    return cls in (Labelled, Shown) or any(
        is_of_labels(base.__module__) for base in getattr(cls, "__mro__", ())
    )


def is_of_labels(module: object) -> bool:
    """Whether a module is one of pandas, xarray, pint or the like.

    >>> is_of_labels("pandas.core.frame"), is_of_labels("pandastable")
    (True, False)
    """
    return any(f"{module}.".startswith(f"{home}.") for home in _WITH_LABELS)


def _named(cls: type) -> tuple[str, str]:
    module = str(cls.__module__)
    home = "numpy.ma" if module.startswith("numpy.ma.") else module
    return (home, cls.__name__)


_ASIDE: Final = frozenset(
    f"__{name}__"
    for name in "new init doc repr str format hash reduce reduce_ex getnewargs"
    " getstate dir sizeof class init_subclass subclasshook setattr delattr".split()
)
"""What of a number's class is no matter of what it is computed with."""


def plain_number(value: object) -> int | float | None:
    """The number as which a member of an IntEnum is computed with; None of others. It
    stays the same, as a constant of a class derived from float need not."""
    if not isinstance(value, enum.Enum) or not isinstance(value, (int, float)):
        return None
    plain: type[Any] = int if isinstance(value, int) else float
    cls: Any = type(value)
    alike = _computes_like(cls, plain)  # type: ignore[arg-type]
    found: int | float | None = plain(value) if alike else None
    return found


@functools.cache
def _computes_like(cls: Any, plain: Any) -> bool:
    """Whether the numbers of a class are computed with as those of its base."""
    of_numpy = {"__array__", "__array_ufunc__", "__array_priority__", "__getattr__"}
    return of_numpy.isdisjoint(dir(cls)) and all(
        inspect.getattr_static(cls, n) is inspect.getattr_static(plain, n)
        for n in set(dir(plain)) - _ASIDE
    )


@functools.cache
def computes_otherwise(cls: Any) -> bool:
    """Whether the objects of a class are numbers, arrays or containers that compute or
    are read in a way of their own.

    >>> computes_otherwise(np.matrix), computes_otherwise(np.float32)
    (True, False)
    """
    if is_unlike_arrays(cls):
        return True
    if issubclass(cls, enum.Flag):  # with the operators of whole numbers
        return False
    plain: Any = next(filter(_is_plain_base, cls.__mro__), cls)
    return plain is not cls and any(
        _is_users(inspect.getattr_static(cls, name))
        for name in {*dir(plain), "__array_ufunc__", "__missing__"} - _ASIDE
        if hasattr(cls, name)
    )


def _is_plain_base(cls: type) -> bool:
    """Whether a class is that of plain numbers, arrays or containers."""
    plain = (float, int, complex, list, tuple, dict)
    return cls in plain or cls.__module__ == "numpy"


def _is_users(method: object) -> bool:
    """Whether what a class holds is a function of a user's."""
    method = getattr(method, "fget", method)  # of a property
    home = str(getattr(method, "__module__", None)).partition(".")[0]
    known = home in sys.stdlib_module_names or home == "numpy"
    return isinstance(method, types.FunctionType) and not known


def is_called_in_c(cls: type) -> bool:
    """Whether the objects of a class are functions that no class in Python makes: such
    an object has no fields that matter, and is told from others by which it is. A weak
    reference is called for an object, which has."""
    if issubclass(cls, (weakref.ref, *weakref.ProxyTypes)):
        return False
    for base in cls.__mro__:
        if "__call__" in vars(base):
            return isinstance(vars(base)["__call__"], types.WrapperDescriptorType)
    return False


def is_record(fn: object) -> TypeGuard[type]:
    """Whether a call makes a tuple whose items have names: of a NamedTuple's class.

    >>> is_record(tuple)
    False
    """
    if not isinstance(fn, type) or not issubclass(fn, tuple):
        return False
    names = getattr(fn, "_fields", None)
    if not isinstance(names, tuple):
        return False
    # Where a field reads the item of another, no name stands for a position.
    read = (position_of_field(fn, name) for name in names)
    return all(at in (None, k) for k, at in enumerate(read))


def has_numbers(cls: type | None) -> bool:
    """Whether objects of a class of the user's say what numbers they stand for.

    >>> class Length:
    ...     def __float__(self):
    ...         return 2.0
    >>> has_numbers(Length), has_numbers(dict), has_numbers(float)
    (True, False, False)
    """
    names = ("__array__", "__float__", "__complex__")
    found = (inspect.getattr_static(cls, name, None) for name in names)
    return any(isinstance(method, types.FunctionType) for method in found)
