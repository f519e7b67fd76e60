"""The rules of SciPy against finite differences, in random directions."""

import numpy as np
import pytest

pytest.importorskip("scipy")

from scipy import linalg, signal

import yota_ast as ya
from yota_ast.rules import BOOK

from ..operations import PAIRS, _texts, op
from . import scipy_operations as table
from .check import adjoints, call_of, leaves, random_like, relative_error

UNARY = [(t, d) for d, block in table.UNARY.items() for t in _texts(block)]
BINARY = [(t, d) for d, block in table.BINARY.items() for t in _texts(block)]


def tolerance(text):
    # SciPy itself gives these functions to fewer digits.
    rough = ("owens_t", "inv(", "struve", "x=x")
    return 1e-6 if any(t in text for t in rough) else 1e-7


@pytest.mark.parametrize("one", table.OPERATIONS, ids=str)
def test_adjoints(one):
    assert relative_error(one, one.sample(3)) < tolerance(one.text)


def test_every_rule_is_in_the_table():
    everything = [*table.OPERATIONS, *table.APART]
    used = {call_of(o, o.sample()).bound.rule.location for o in everything}
    chapters = {r.location: r.chapter for r in BOOK if r.chapter.startswith("scipy.")}
    assert len(chapters) > 400
    left = {chapters[location] for location in chapters.keys() - used}
    assert left == {"scipy.sparse"}  # of which test_sparse.py is


def check_shape(one, values):
    call = call_of(one, values)
    y = call.run()
    if not leaves(y):
        return
    for k, d in adjoints(call, y, random_like(y, np.random.default_rng(2))).items():
        assert np.shape(d) == np.shape(values[k]), (one, k, np.shape(d))
        assert not np.iscomplexobj(d)


@pytest.mark.parametrize(("text", "domain"), UNARY, ids=[t for t, _ in UNARY])
def test_unary_shapes(text, domain):
    for shape in [(), (0,), (2, 1, 3)]:
        one = op(text, x=domain(*shape))
        check_shape(one, one.sample(6))
        assert relative_error(one, one.sample(6)) < tolerance(text), shape


@pytest.mark.parametrize(("text", "domains"), BINARY, ids=[t for t, _ in BINARY])
def test_broadcasting(text, domains):
    for left, right in PAIRS:
        one = op(text, u=domains[0](*left), v=domains[1](*right))
        check_shape(one, one.sample(5))


def in_float32(one):
    return {
        k: v.astype(np.float32) if getattr(v, "dtype", None) == np.float64 else v
        for k, v in one.sample(4).items()
    }


def keeps_float32(one):
    """Say whether an operation is real, not too rough, and not widened by SciPy, nor
    its slope, where SciPy 1.18 no longer widens the value."""
    values = in_float32(one)
    if any(np.iscomplexobj(v) for v in values.values()) or any(
        name in one.text for name in ("logm", "unexpm", "struve", "voigt_profile")
    ):
        return False
    y = call_of(one, values).run()
    return bool(leaves(y)) and all(
        getattr(leaf, "dtype", float) in ("f4", "c8") for leaf in leaves(y)
    )


@pytest.mark.parametrize("one", [*filter(keeps_float32, table.OPERATIONS)], ids=str)
def test_float32_stays_float32(one):
    call = call_of(one, in_float32(one))
    y = call.run()
    for k, d in adjoints(call, y, random_like(y, np.random.default_rng(3))).items():
        assert all(leaf.dtype == np.float32 for leaf in leaves(d)[:1]), k


@pytest.mark.parametrize("lower", [False, True])
def test_cho_factor(lower):
    one = op(f"linalg.cho_factor(x, {lower})", x=table.S)
    x = one.sample(3)["x"]
    call = call_of(one, {"x": x})
    y = call.run()
    rng = np.random.default_rng(1)
    dy, v = rng.normal(size=(3, 3)), rng.normal(size=(3, 3))

    def at(h):
        return np.sum(dy * linalg.cho_factor(x + h * v, lower)[0])

    expected = (at(1e-4) - at(-1e-4)) / 2e-4
    assert np.sum(adjoints(call, y, (dy, 0.0))["x"] * v) == pytest.approx(expected)


def filtered(v):
    return np.sum(signal.filtfilt([0.2, 0.3], [1.0, -0.4], v) ** 2)


def test_what_a_filter_gives_is_as_long_as_the_signal():
    source = ya.simplegrad(filtered, np.arange(20.0)).source
    assert "dv = unfiltfilt((2 * seed) * t1, [0.2, 0.3], [1.0, -0.4])\n" in source
    assert "unbroadcast" not in source
    assert "dv = dv.copy()" not in source


def test_the_gradient_of_a_filter():
    assert ya.gradcheck(filtered, np.sin(np.arange(20.0)))
