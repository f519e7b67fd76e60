"""What is stated of the kinds of results and of single arguments, against the truth."""

from __future__ import annotations

import copy
import dataclasses
import functools
import itertools
import operator
import warnings
from typing import Any

import numpy as np
import pytest
from numpy.polynomial import polynomial
from scipy import linalg

from yota_ast import runtime
from yota_ast.ir.built_values import build_slice
from yota_ast.ops import REGISTRY, Path, info
from yota_ast.rules.notation.display_names import display_name

from ..operations import OPERATIONS
from ..rules.check import adjoints, call_of
from .test_algebra import stating


@dataclasses.dataclass
class Pair:
    """What functions of `dataclasses` take."""

    first: int


GIVEN = (2.0, 3, True, np.float32(2.0), np.array(2), np.ones(1, int), np.ones(3), (2,))
"""Numbers, and arrays with and without axes."""


def results(fn: Any, count: int) -> list[Any]:
    """What a function gives of numbers and arrays, where it takes them."""
    found = []
    for args in itertools.product(GIVEN, repeat=count):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found.append(fn(*args))
            except (TypeError, ValueError, IndexError):
                continue
    return found


@pytest.mark.parametrize("fn", stating("always"), ids=display_name)
def test_what_results_always_are(fn):
    if fn is runtime.ungetitem:
        found = [fn(2.0, x, ()) for x in (1.0, np.float32(1.0), np.ones(()))]
    elif fn is runtime.unset:
        found = [fn(x, ()) for x in (1.0, np.float32(1.0), np.ones(()))]
    else:
        count = {np.full: 2, np.full_like: 2, build_slice: 3}.get(fn, 1)
        found = results(fn, count)
    wanted = info(fn).always == "array"
    assert found
    assert all(isinstance(r, np.ndarray) == wanted for r in found)


@pytest.mark.parametrize("fn", stating("asks"), ids=display_name)
def test_what_asks_takes_values_of_any_kind(fn):
    values = (None, 2.0, "text", int, [1], {"a": 1}, object(), len, np.float64)
    for value in values:
        if fn in (isinstance, hasattr):
            args: Any = (value, object if fn is isinstance else "name")
        elif fn is operator.contains:
            args = ([value, 1], value)
        else:
            args = (value,) if fn in (type, callable) else (value, None)
        assert isinstance(fn(*args), type if fn is type else bool)


@pytest.mark.parametrize("fn", stating("marks"), ids=display_name)
def test_marks_hand_on_what_they_are_given(fn):
    d = np.ones(3)
    rest = (np.zeros(3),) * (fn.__code__.co_argcount - 1)
    assert fn(d, *rest) is d


@pytest.mark.parametrize("fn", stating("vectors"), ids=display_name)
def test_adjoints_of_vectors_that_are_none_are_zero(fn):
    x = np.array([[2.0, 0.5, 0.25], [0.5, 1.0, -0.5], [0.25, -0.5, 4.0]])
    made = {
        runtime.uneigh: np.linalg.eigh, runtime.uneig: np.linalg.eig,
        runtime.unsvd: np.linalg.svd,
    }[fn](x)  # fmt: skip
    zeros = [np.zeros_like(part) for part in made]
    zeros[fn is runtime.unsvd] = np.array([1.0, 2.0, 3.0])
    rest = (x, *made) if fn is runtime.uneig else tuple(made)
    none = [None if k in info(fn).vectors else d for k, d in enumerate(zeros)]
    np.testing.assert_allclose(fn(*none, *rest), fn(*zeros, *rest), atol=1e-14)


COUNTED: dict[Any, tuple[Any, ...]] = {
    filter: (abs, [1]), map: (abs, [1], [2], [3]), isinstance: (1, int),
    hasattr: (1, "real"), getattr: (1, "real", None), slice: (1, 2, 3),
    setattr: (functools.partial(abs), "name", 1), iter: (int, 0), next: (iter([1]), 0),
    sum: ([1], 1), callable: (1,), functools.reduce: (max, [1], 2),
    copy.deepcopy: (1, None, None), operator.getitem: ([1], 0),
    operator.contains: ([1], 0), itertools.accumulate: ([1], max),
    itertools.starmap: (max, [(1, 2)]), itertools.islice: ([1], 0, 1, 1),
    dataclasses.replace: (Pair(1),), dataclasses.asdict: (Pair(1),),
    dataclasses.astuple: (Pair(1),),
    **dict.fromkeys((operator.neg, operator.pos, operator.invert, copy.copy), (1,)),
}  # fmt: skip


@pytest.mark.parametrize("fn", stating("takes"), ids=display_name)
def test_how_many_arguments_are_taken(fn):
    least, most = info(fn).takes
    given = COUNTED.get(fn, ([2, 1], 1))[: 4 if most == np.inf else int(most)]
    assert len(given) == (4 if most == np.inf else most)
    calls = {n: given[:n] for n in range(1, len(given) + 1)} | {0: ()}
    if most < np.inf:
        calls[len(given) + 1] = (*given, 1)
    if fn is iter:
        calls[1] = ([1],)
    chosen = fn.__name__.startswith("combinations")  # how many, also by name
    for count, args in calls.items():
        if least <= count <= most:
            fn(*args, **({"r": 1} if chosen and count == 1 else {}))
        else:
            with pytest.raises(TypeError):
                fn(*args)


def test_coefficients_are_those_of_a_polynomial():
    """The value is linear in the coefficients."""
    for fn in (np.polyval, np.polyder, np.polyint, polynomial.polyval):
        place = info(fn).coefficients
        p, x = np.array([1.0, 2.0, 3.0]), (0.5,) if "val" in fn.__name__ else ()
        one = fn(*x[:place], p, *x[place:])
        np.testing.assert_allclose(fn(*x[:place], 2 * p, *x[place:]), 2 * one)
    assert info(np.polyval).coefficients == 0
    assert info(polynomial.polyval).coefficients == 1
    assert info(np.polyadd).coefficients == -1


def test_what_makes_arrays_of_lists():
    for fn in (np.broadcast_arrays, np.meshgrid, linalg.block_diag):
        assert info(fn).arrays
        given = ([1.0, 2.0], [3.0, 4.0])
        made, expected = fn(*given), fn(*map(np.array, given))
        np.testing.assert_array_equal(made, expected)
    assert not info(np.einsum).arrays  # its first argument is a string


def test_what_is_done_of_each():
    for fn in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
        given = (1.0, np.ones(2))
        made = fn(*given)
        assert info(fn).of_each == isinstance(made, tuple)
        for one, each in zip(made, given, strict=True):
            np.testing.assert_array_equal(one, fn(each))


CALLS = [(op, call_of(op, op.sample())) for op in OPERATIONS]
ALIKE = [
    (op, call)
    for op, call in CALLS
    if info(call.fn).zero_for_zeros and not isinstance(call.run(), list)
]


@pytest.mark.parametrize(("op", "call"), ALIKE, ids=lambda x: getattr(x, "text", ""))
def test_zero_in_place_of_zeros(op, call):
    y = call.run()
    wanted = adjoints(call, y, np.zeros_like(y))
    for name, d in adjoints(call, y, 0.0).items():
        assert np.shape(d) == np.shape(wanted[name])
        assert not np.any(d)


def test_the_table_is_read():
    assert len(ALIKE) > 6


OF_MATRICES = pytest.mark.filterwarnings("ignore:the matrix subclass")


@OF_MATRICES
@pytest.mark.parametrize("fn", stating("plain"), ids=display_name)
def test_plain_arrays(fn):
    for x in (np.ma.array([1.0, 2.0], mask=[0, 1]), np.matrix([[1.0, 2.0]])):
        assert type(fn(x)) is np.ndarray


def test_what_is_asked_of_masked_arrays():
    """Their masks and their data are plain; what tells says nothing of numbers."""
    x = np.ma.array([1.0, 2.0], mask=[0, 1])
    for name in ("filled", "getdata", "getmask", "getmaskarray"):
        assert type(getattr(np.ma, name)(x)) is np.ndarray
        assert info(getattr(np.ma, name)).plain
    for name in ("count_masked", "is_masked", "isMaskedArray", "isMA", "isarray"):
        fn = getattr(np.ma, name)
        assert fn(x) == fn(x * 3.0)
        assert info(fn).tells


@OF_MATRICES
def test_matrices():
    one = np.ones((1, 1))
    assert all(
        isinstance(fn([[one]] if fn is np.bmat else one), np.matrix)
        for fn in stating("makes")
    )
    assert np.asmatrix in stating("makes")


def test_sparse_matrices():
    sparse = pytest.importorskip("scipy.sparse")
    row, square = np.ones(2), sparse.csr_matrix(np.eye(2))
    given = {
        "eye": (2,), "eye_array": (2,), "identity": (2,), "diags": ([row], [0]),
        "diags_array": (row,), "spdiags": (row, 0, 2, 2), "kron": (square, square),
        "kronsum": (square, square), "tril": (square,), "triu": (square,),
        "bmat": ([[square]],), "block_array": ([[sparse.csr_array(square)]],),
        "random": (2, 2), "random_array": ((2, 2),), "*.power": (2,),
        "*.astype": (np.float32,), "*.multiply": (square,),
    }  # fmt: skip
    paths = (p for p in REGISTRY.stating("makes") if isinstance(p, Path))
    for name in (p.name for p in paths if p.module == "scipy.sparse"):
        if name.startswith("*."):
            rest = given.get(name, ())
            assert sparse.issparse(getattr(square, name[2:])(*rest))
            assert info(getattr(type(square), name[2:])).makes == "sparse"
        else:
            fn = getattr(sparse, name)
            assert sparse.issparse(fn(*given.get(name, ([square],))))
            assert info(fn).makes == "sparse"
    assert info(sparse.csr_matrix.dot).makes == info(sparse.find).makes == ""
    linalg = pytest.importorskip("scipy.sparse.linalg")
    for fn in (linalg.splu, linalg.spilu):
        assert isinstance(fn(square.tocsc()), linalg.SuperLU)
        assert info(fn).makes == "factors"


@pytest.mark.parametrize("fn", stating("order"), ids=display_name)
def test_views_that_run_backwards(fn):
    if info(fn).order == "turned":
        rest = {np.swapaxes: (0, 1), np.moveaxis: (0, 1), np.roll: (1,)}.get(fn, ())
        made = fn(np.ones((2, 3)), *rest)
        assert (min(made.strides) < 0) == info(fn).reverses


@pytest.mark.parametrize("fn", stating("puts_back"), ids=display_name)
def test_parts_are_put_back(fn):
    z = np.array([1.0 + 2.0j, 3.0 - 1.0j])
    other = np.imag if fn is np.real else np.real
    made = info(fn).puts_back(z, 2.0 * fn(z))
    np.testing.assert_array_equal(fn(made), 2.0 * fn(z))
    np.testing.assert_array_equal(other(made), other(z))
