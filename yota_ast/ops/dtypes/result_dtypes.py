"""An op, and which numbers its arguments hold -> which numbers its result holds.

Three kinds are told apart: whole numbers (truth values with them), floats and complex
numbers. Of a function it is stated which arguments decide, and what the result is at
least and at most; where a dtype is asked for, that decides.

>>> from yota_ast.ir.atoms import Var
>>> x, y = Var("x"), Var("y")
>>> of_whole = lambda atom: (WHOLE, WHOLE)
>>> numbers_of(Apply(y, np.sort, (x,)), of_whole)
(0, 0)
>>> numbers_of(Apply(y, np.exp, (x,)), of_whole)
(1, 1)
>>> numbers_of(Apply(y, np.zeros, (x, Const(int))), of_whole)
(0, 0)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from yota_ast._speed.fast_dataclasses import replace
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Atom, Const, Var
from yota_ast.ir.nodes import Apply
from yota_ast.ops.record import COMPLEX, FLOAT, WHOLE, Numbers
from yota_ast.ops.registry import info
from yota_ast.ops.spellings import as_ufunc

Span = tuple[int, int]
"""What a value holds at least, and at most; a list, what an array made of it holds."""
ANYTHING: Final = (WHOLE, COMPLEX)
_OF_CHARACTERS: Final = {"b": WHOLE, "i": WHOLE, "u": WHOLE, "f": FLOAT, "c": COMPLEX}
_SETTINGS: Final = frozenset(
    """axis axes keepdims dtype where ddof order mode ndmin copy shape endpoint norm n k
    left right indexing method sparse full hermitian UPLO lower""".split()
)
"""Keywords that do not make more of a result than its other arguments do."""


def numbers_of(op: Apply, of: Callable[[Atom], Span]) -> Span:
    """The numbers of a result; of: those of an argument."""
    known = info_of(op.fn)
    if known is None:
        return ANYTHING
    asked = _asked_dtypes(op, known)
    if asked:
        dtype = asked[0]
        return _of_asked(dtype.value) if isinstance(dtype, Const) else of(dtype)
    names = {name for name, _ in op.kwargs}
    if (known.plain is not None and len(op.args) > known.plain) or (
        names & known.unless
    ):
        return ANYTHING
    return _promoted(op, known, of, open_end=not names <= _SETTINGS)


def surely(op: Apply, kind: int, of: Callable[[Atom], bool]) -> bool:
    """Whether a result is of a kind for sure; of: whether an argument is.

    >>> from yota_ast.ir.atoms import Var
    >>> x, y = Var("x"), Var("y")
    >>> surely(Apply(y, np.sort, (x,)), FLOAT, lambda atom: True)
    True
    """
    return numbers_of(op, lambda a: (kind if of(a) else WHOLE, COMPLEX))[0] >= kind


def of_value(value: object) -> Span:
    """The numbers that a value is or holds, or that a dtype stands for.

    >>> of_value(2.0), of_value([1, 2]), of_value(np.zeros(2)), of_value(int)
    ((1, 1), (0, 0), (1, 1), (0, 0))
    """
    if isinstance(value, (bool, int, float, complex)):
        kind = WHOLE if isinstance(value, int) else FLOAT
        return _one(COMPLEX if isinstance(value, complex) else kind)
    if isinstance(value, (list, tuple)):
        return _widest([of_value(v) for v in value])
    if isinstance(value, type):
        return _of_asked(value)
    dtype = getattr(value, "dtype", value)
    return _of_dtype(dtype) if isinstance(dtype, np.dtype) else ANYTHING


def _of_asked(value: Any) -> Span:
    """The numbers of a dtype: `float`, "f8"."""
    try:
        return _of_dtype(np.dtype(value))
    except (TypeError, ValueError):  # a class that is no dtype, a call that raises
        return ANYTHING


def of_fact(known: Fact) -> Span:
    """The numbers that a value holds, as far as facts say."""
    if known.kind in ("int", "bool"):
        return _one(WHOLE)
    if known.kind in ("float", "complex"):
        return _one(FLOAT if known.kind == "float" else COMPLEX)
    if known.kind in ("list", "tuple") and known.items:
        return _widest([of_fact(f) for f in known.items])
    return ANYTHING if known.dtype is None else _of_dtype(known.dtype)


def _one(kind: int) -> Span:
    return kind, kind


def _widest(spans: Sequence[Span]) -> Span:
    lows, highs = zip(*spans, strict=True) if spans else ((WHOLE,), (WHOLE,))
    return max(lows), max(highs)


def _of_dtype(dtype: np.dtype[Any]) -> Span:
    kind = _OF_CHARACTERS.get(dtype.kind)
    return ANYTHING if kind is None else _one(kind)


def is_stated(fn: object) -> bool:
    """Whether it is stated which numbers a function gives."""
    return info_of(fn) is not None


def gives_floats(fn: object) -> bool:
    """Whether a function gives floats, or complex numbers, of whole numbers too.

    >>> gives_floats(np.exp), gives_floats(np.sort), gives_floats(np.mean)
    (True, False, True)
    """
    known = info_of(fn)
    return known is not None and known.least >= FLOAT


def gives_reals(fn: object) -> bool:
    """Whether a function gives real numbers of complex ones.

    >>> gives_reals(np.abs), gives_reals(np.conj)
    (True, False)
    """
    known = info_of(fn)
    return known is not None and known.most < COMPLEX


def floats_where_stated(
    fact: Fact, fn: Any, args: Sequence[Atom], kwargs: Sequence[tuple[str, Atom]]
) -> Fact:
    """Return what is known of a result: no integers where the function gives floats.

    >>> counts = Fact("array", np.dtype(int), (None,))
    >>> floats_where_stated(counts, np.unwrap, [Const(1)], ())
    ndarray[float64, 1]
    """
    if not holds_whole(fact):
        return fact
    call = Apply(Var("%y", fact), fn, tuple(args), tuple(kwargs))
    least, _ = numbers_of(call, lambda _: ANYTHING)
    return fact if least < FLOAT else replace(fact, dtype=np.dtype(float))


def unless_it_rises(fact: Fact, fn: object) -> Fact:
    """Return what a trial with few numbers found, where others would not give floats.

    >>> unless_it_rises(Fact("array", np.dtype(int), (None,)), np.linalg.matrix_power)
    ndarray[?, 1]
    """
    known = info_of(fn) if holds_whole(fact) else None
    return replace(fact, dtype=None) if known is not None and known.rises else fact


def holds_whole(fact: Fact) -> bool:
    """Whether an array, or a number of NumPy, is known to be of whole numbers."""
    dtype = fact.dtype
    return (
        fact.kind in ("array", "scalar") and dtype is not None and dtype.kind in "biu"
    )


def info_of(fn: object) -> Numbers | None:
    """What is stated of a function; of a ufunc that is what its loops say."""
    known = info(fn).numbers
    if known is not None:
        return known
    ufunc = as_ufunc(fn)
    if isinstance(ufunc, np.ufunc):
        return _of_loops(ufunc)
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.ufunc):
        return _of_method(owner, getattr(fn, "__name__", ""))
    return None


def _promoted(
    op: Apply, known: Numbers, of: Callable[[Atom], Span], *, open_end: bool
) -> Span:
    places = known.of
    if places is None:
        spans = [of(a) for a in (*op.args, *(a for _, a in op.kwargs))]
    else:
        spans = [of(op.args[k]) for k in places if k < len(op.args)]
        open_end = open_end or any(k >= len(op.args) for k in places)
    lows, highs = [low for low, _ in spans], [high for _, high in spans]
    low = min(lows, default=WHOLE) if known.picks else max(lows, default=WHOLE)
    high = COMPLEX if open_end or known.rises else max(highs, default=WHOLE)
    low, high = max(low, known.least), max(high, known.least)
    low = min(low, FLOAT) if known.mixed else low
    return min(low, known.most), min(high, known.most)


def _asked_dtypes(op: Apply, known: Numbers) -> list[Atom]:
    """The dtype that a call asks for, if it does."""
    place = len(op.args) if known.dtype is None else known.dtype
    given = [*op.args[place : place + 1], *(a for k, a in op.kwargs if k == "dtype")]
    return [a for a in given if not (isinstance(a, Const) and a.value is None)]


# ---------------------------------------------------------------- ufuncs


@cache
def _of_loops(ufunc: np.ufunc) -> Numbers:
    """What a ufunc says itself: which types each of its loops takes and gives."""
    loops = [_kinds_of(types) for types in ufunc.types if "O" not in types]
    found = [loop for loop in loops if loop is not None]
    of_whole = [out for given, out in found if given == WHOLE]
    of_floats = [out for given, out in found if given == FLOAT]
    of_complex = [out for given, out in found if given == COMPLEX]
    least = min((low for low, _ in (*of_whole, *of_floats, *of_complex)), default=WHOLE)
    follows = all(low >= FLOAT for low, _ in of_floats)
    most = max((high for _, high in (*of_complex, *of_floats, *of_whole)), default=2)
    of = None if follows else ()
    return Numbers(of, least, most, rises=not follows, plain=ufunc.nin)


def _kinds_of(types: str) -> tuple[int, Span] | None:
    """What a loop takes, `fi->f`, and what it gives at least and at most."""
    given, _, out = types.partition("->")
    if not {*given, *out}.isdisjoint("mMSUV"):
        return None
    taken = max(_of_character(c) for c in given)
    kinds = [_of_character(c) for c in out]
    return taken, (min(kinds), max(kinds))


def _of_character(character: str) -> int:
    return _OF_CHARACTERS[np.dtype(character).kind]


@cache
def _of_method(ufunc: np.ufunc, name: str) -> Numbers | None:
    """What `np.add.reduce` and its kind give: what the ufunc does, of the array; and of
    two for `outer`."""
    known = _of_loops(ufunc)
    places = {"reduce": (0,), "accumulate": (0,), "reduceat": (0,), "outer": (0, 1)}
    if name not in places:
        return None
    dtype = {"reduceat": 3, "outer": None}.get(name, 2)
    least = WHOLE if name != "outer" else known.least  # of one item it is that item
    return Numbers(places[name], least, known.most, rises=True, dtype=dtype)
