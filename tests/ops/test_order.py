"""What is stated of the elements of results, against what the functions give."""

from __future__ import annotations

import numpy as np
import pytest

from yota_ast import ops
from yota_ast.ops.registry import REGISTRY, Path
from yota_ast.rules.notation.display_names import display_name

X = np.arange(12.0).reshape(3, 4)
SETTINGS = {
    "reshape": (((2, 6),), ((-1,),)),
    "expand_dims": ((0,), (1,)),
    "astype": (("c8",), ("c16",)),
    "swapaxes": ((0, 1), (-1, 0)),
    "moveaxis": ((0, 1),),
    "rot90": ((1,), (2,)),
    "roll": ((1,), (-2,)),
    "flip": ((), (0,), (1,)),
}


def stated(name):
    return [fn for fn in REGISTRY.stating(name) if not isinstance(fn, Path)]


def calls(fn):
    """The function called on arrays of several layouts, with its settings."""
    for rest in SETTINGS.get(fn.__name__, ((),)):
        for x in (X, X.T, X[:, ::2], X[::-1], X[0], X + 0j):
            try:
                yield x, rest, fn(x, *rest)
            except (ValueError, np.exceptions.AxisError):  # too few axes for it
                assert x.ndim == 1 or x.size < 12


@pytest.mark.parametrize("fn", stated("order"), ids=display_name)
def test_order(fn):
    kept = [
        np.array_equal(np.ravel(y), np.ravel(x))
        for x, _, y in calls(fn)
        if not (fn is np.real and np.iscomplexobj(x))
    ]
    assert all(kept) if ops.info(fn).order == "kept" else not all(kept)
    for x, _, y in calls(fn):
        assert sorted(np.ravel(y)) == sorted(np.ravel(x))


@pytest.mark.parametrize("fn", stated("involution"), ids=display_name)
def test_involution(fn):
    for x, rest, y in calls(fn):
        np.testing.assert_array_equal(fn(y, *rest), x)


@pytest.mark.parametrize("fn", stated("copies"), ids=display_name)
def test_copies(fn):
    for x, _, y in calls(fn):
        np.testing.assert_array_equal(y, x)
        assert not np.shares_memory(x, y)
        assert y.dtype == x.dtype


MAKING = {
    "zeros": ((3, 4),), "ones": ((3, 4),), "empty": ((3, 4),), "full": ((3, 4), 1.0),
    "eye": (3,), "identity": (3,), "arange": (5,), "linspace": (0.0, 1.0, 5),
}  # fmt: skip


@pytest.mark.parametrize("fn", stated("layout"), ids=display_name)
def test_layout(fn):
    said, name = ops.info(fn).layout, fn.__name__
    rest = {"outer": (X[0],), "tile": ((2, 1),), "full_like": (1.0,)}.get(name, ())
    for x in (X, X.T, X[:, ::2], X[::-1], X[0], X[0, ::2], X[0, ::-1]):
        args = MAKING.get(name) or ((x > 3, x, 0.0) if name == "where" else (x, *rest))
        dense = np.asarray(fn(*args)).flags.c_contiguous
        known = said == "dense" or x.ndim == 1 or x.flags.c_contiguous
        assert dense or not known
