"""What Numba makes of a function -> the function, which says the same in Python.

Numba is not imported. A number that a function reads of its module is a part of what
is compiled: the text has it as it is, and it is refused where Numba has another. A
function that is compiled for given types turns its arguments into these, `int64(int64)`
a float into a whole number: it is followed where all of them are floats of 64 bits, or
arrays of such.
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from yota_ast.frontend.heap.lowered_values import is_literal_value
from yota_ast.frontend.source.source_files import codes_in

_HOME: Final = "numba."
_PLAIN: Final = re.compile(
    r"none|bool|float64|(readonly )?array\((float|int)64, \d+d, [ACF]\)"
    r"|UniTuple\(float64 x \d+\)"
)
"""The types that leave floats as they are, in Numba's words."""
_WHOLE: Final = ("int32", "int64")


def python_of(
    fn: Any, are_whole: Callable[[str], bool] = lambda _: False
) -> types.FunctionType | None:
    """The function under `numba.njit`; None of anything else. are_whole: whether what
    a parameter is given is a whole number, which stays one.

    >>> python_of(abs) is None
    True
    """
    if not type(fn).__module__.startswith(_HOME):
        return None
    inner = getattr(fn, "py_func", None)
    if not isinstance(inner, types.FunctionType) or kept_whole(fn) is not None:
        return None
    if getattr(fn, "_can_compile", False):  # anew for the types that it is given
        return inner
    made = getattr(fn, "nopython_signatures", ())
    names = [*inspect.signature(inner).parameters]
    for signature in made:
        kinds = [*map(str, signature.args)]
        whole = {n for n, kind in zip(names, kinds, strict=False) if kind in _WHOLE}
        rest = [k for k in kinds if k not in _WHOLE] + [str(signature.return_type)]
        if not all(map(_PLAIN.fullmatch, rest)) or not all(map(are_whole, whole)):
            return None
    return inner if made else None


def for_each_element(fn: Any) -> Any:
    """What Numba has compiled of a function under `numba.vectorize`; None of all else.

    >>> for_each_element(np.exp) is None
    True
    """
    if not type(fn).__module__.startswith(_HOME) or not hasattr(fn, "ufunc"):
        return None
    compiled = getattr(fn, "_dispatcher", None)
    inner = getattr(compiled, "py_func", None)
    plain = isinstance(inner, types.FunctionType) and kept_whole(compiled) is None
    return compiled if plain else None


def writes_its_result(fn: object) -> bool:
    """Whether a function is one under `numba.guvectorize`, whose last argument is what
    it gives."""
    home = type(fn).__module__.startswith(_HOME)
    return home and hasattr(fn, "gufunc_builder")


def is_parallel_range(fn: object) -> bool:
    """Whether a function is `numba.prange`, in Python a range."""
    return getattr(fn, "__name__", "") == "prange" and (
        getattr(fn, "__module__", "").startswith(_HOME)
    )


def kept_whole(fn: Any) -> str | None:
    """A name that a compiled function reads and that is no number, array, function or
    module: Numba keeps it as it was, and a text would read it anew."""
    if not type(fn).__module__.startswith(_HOME) or not hasattr(fn, "py_func"):
        return None
    for name, value in _around(fn).items():
        known = callable(value) or isinstance(value, (types.ModuleType, np.ndarray))
        if not known and not is_literal_value(number_of(value)):
            return name
    return None


def number_of(value: object) -> object:
    """Python's own number of one of NumPy's that has as many bits: Numba computes the
    same with both."""
    if isinstance(value, (np.float64, np.int64, np.bool_)):
        return value.item()
    return value


def superseded(fn: Any) -> tuple[str, str] | None:
    """Why a function is refused that reads something else of its module, or of the
    function around it, than Numba found when it compiled; and what to do."""
    now = _around(fn)
    for made in getattr(fn, "overloads", {}).values():
        for name, value in _kept_by(made):
            if now.get(name) is fn and type(value).__name__ == "UndefinedType":
                continue  # compiled by its decorator: its name meant nothing yet
            if name in now and not _same(value, now[name]):
                title = fn.py_func.__name__
                return (
                    f"`{name}` has changed since Numba compiled `{title}`",
                    f"Compile it again: {title}.recompile().",
                )
    return None


def _around(fn: Any) -> dict[str, object]:
    """What a compiled function, and those within it, read by names not their own."""
    inner = fn.py_func
    if not isinstance(inner, types.FunctionType):
        return {}
    names = {name for code in codes_in(inner.__code__) for name in code.co_names}
    found = {n: inner.__globals__[n] for n in names if n in inner.__globals__}
    return found | dict(inspect.getclosurevars(inner).nonlocals)


def _kept_by(made: Any) -> Iterator[tuple[str, object]]:
    """The names that a compiled function has read, and what Numba keeps for each; none
    of one that Numba has found in its cache."""
    blocks: Any = getattr(getattr(made, "type_annotation", None), "blocks", None) or {}
    pending = [stmt for block in blocks.values() for stmt in block.body]
    while pending:
        stmt = pending.pop()
        if type(stmt).__name__ == "Parfor":
            inner = (stmt.init_block, *stmt.loop_body.values())
            pending += [each for block in inner for each in block.body]
        elif type(stmt).__name__ == "Assign":
            if type(stmt.value).__name__ in ("Global", "FreeVar"):
                yield stmt.value.name, stmt.value.value


def _same(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        alike = (one.dtype, one.shape) == (other.dtype, other.shape)
        return alike and one.tobytes() == other.tobytes()
    return one is other or (type(one) is type(other) and repr(one) == repr(other))
