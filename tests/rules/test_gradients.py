"""Every rule against finite differences, in random directions."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import mutually_broadcastable_shapes

from yota_ast.rules import BOOK
from yota_ast.rules.notation.rule import rule

from ..operations import (
    BINARY,
    DRAWS,
    OPERATIONS,
    PAIRS,
    UNARY,
    _texts,
    op,
    real,
)
from .check import adjoints, call_of, leaves, random_like, relative_error

NOT_REPEATABLE = ("np.empty", "'empty'")
ROUGH = ("float32", "complex64", "astype")  # differences of float32 numbers


def tolerance(text):
    return 1e-4 if any(t in text for t in ROUGH) else 1e-7


# Of the others differences say nothing; they have tests of their own.
COMPARABLE = [
    one for one in OPERATIONS if not any(t in one.text for t in NOT_REPEATABLE)
]


@pytest.mark.parametrize("one", COMPARABLE, ids=str)
def test_adjoints(one):
    assert relative_error(one, one.sample(3)) < tolerance(one.text)


# Helpers of several values: second order of their operations tries them, see
# tests/table.
SECOND_ORDER = {"uneinsum", "reeinsum", "unmulti_dot", "remulti_dot", "prods_along",
                "prod_of_others", "picked", "along_picked",
                "uncorrelate_image", "uncorrelate_weights", "unconvolve_image",
                "unconvolve_weights", "unpicked", "unmap", "slopes_of_map",
                "unslope_map",
                "uncsd_left", "uncsd_right"}  # fmt: skip
# What is called at special points, and in third derivatives: see
# tests/rules/test_second_derivatives.py.
SPECIAL_POINTS = {
    "prods_along_both", "cofactors_along_both", "along_eigvalsh", "along_values_read",
    "along_svdvals", "along_uneigvalsh", "along_uneigvals", "along_unsvdvals",
    "uneigvals", "uneigvalsh_at", "uneigvals_at", "unsvdvals_at",
}  # fmt: skip
# What the frontend alone calls: see tests/rules/test_grids_of_places.py.
OF_FRONTEND = {"getitem_of_grid", "build_slice_of_floats"}
OF_SPECIAL_POINTS = (
    "helpers.squares", "helpers.kinks", "helpers.special", "helpers.interpolants",
)  # fmt: skip


def test_every_rule_is_in_the_table():
    used = {call_of(o, o.sample()).bound.rule.location for o in (*OPERATIONS, *DRAWS)}
    own = (r for r in BOOK if r.chapter and not r.chapter.startswith("scipy."))
    own = [r for r in own if r.chapter not in OF_SPECIAL_POINTS]
    elsewhere = SECOND_ORDER | SPECIAL_POINTS | OF_FRONTEND
    missing = [r for r in own if r.location not in used and r.name not in elsewhere]
    assert not missing


# ---------------------------------------------------------------- broadcasting

UNARY_OPS = [(t, d) for d, block in UNARY.items() for t in _texts(block)]
BINARY_OPS = [(t, d) for d, block in BINARY.items() for t in _texts(block)]


def check_shape_dtype(one, values):
    """The adjoint has the shape of its variable, and no wider dtype than the values."""
    call = call_of(one, values)
    y = call.run()
    if not leaves(y):
        return
    for k, d in adjoints(call, y, random_like(y, np.random.default_rng(2))).items():
        assert np.shape(d) == np.shape(values[k]), (one, k, np.shape(d))
        widest = np.result_type(
            *[np.asarray(v).dtype for v in leaves(list(values.values()))]
        )
        assert np.result_type(d) == widest or np.ndim(d) == 0, (
            one,
            k,
            np.result_type(d),
        )


@pytest.mark.parametrize(
    ("text", "domains"), BINARY_OPS, ids=[t for t, _ in BINARY_OPS]
)
def test_broadcasting(text, domains):
    a, b = domains
    for left, right in PAIRS:
        one = op(text, u=a(*left), v=b(*right))
        values = one.sample(5)
        check_shape_dtype(one, values)
        assert relative_error(one, values) < 1e-7, (left, right)


@pytest.mark.parametrize(("text", "domain"), UNARY_OPS, ids=[t for t, _ in UNARY_OPS])
def test_unary_shapes(text, domain):
    for shape in [(), (1,), (0,), (2, 0), (2, 1, 3)]:
        one = op(text, x=domain(*shape))
        values = one.sample(6)
        check_shape_dtype(one, values)
        assert relative_error(one, values) < tolerance(text), shape


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    shapes=mutually_broadcastable_shapes(
        num_shapes=2, max_dims=4, max_side=3, min_side=0
    ),
    text=st.sampled_from(["u * v", "u / v", "np.hypot(u, v)", "np.maximum(u, v)"]),
)
def test_any_broadcasting(shapes, text):
    left, right = shapes.input_shapes
    one = op(text, u=real(*left), v=real(*right))
    assert relative_error(one, one.sample(7)) < 1e-6


# ---------------------------------------------------------------- float32


def as_float32(value):
    if isinstance(value, list | tuple):
        return type(value)(map(as_float32, value))
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        return value.astype(np.float32)
    return value


WIDENING = (
    "float_power",
    "float64",
    "complex128",
    "dtype=float",
    "float)",
    "np.linspace",
    "np.full((",
    "np.append(x, v)",
    "quantile(x, [",
    "percentile(x, [",
    *("np.cov", "np.corrcoef", "np.bincount", "np.histogram", "np.interp", "np.geom"),
    *("np.poly", "np.vander", "np.roots", "prepend=", "append="),  # of NumPy
    *("rt.unpoly", "rt.uninterp", "rt.undiff_between", "rt.uneig", "rt.unsvd"),
    *("rt.unlower", "rt.unmatrix_power", "rt.unpinv", "rt.unvander"),
)


def in_float32(one):
    return {k: as_float32(v) for k, v in one.sample(4).items()}


def keeps_float32(one):
    """Say whether an operation is on float32 arrays, and does not widen them."""
    arrays = [v for v in in_float32(one).values() if isinstance(v, np.ndarray)]
    return (
        not any(v.dtype.kind == "c" for v in arrays)
        and any(v.dtype == np.float32 for v in arrays)
        and not any(t in one.text for t in WIDENING)
    )


@pytest.mark.parametrize("one", [*filter(keeps_float32, OPERATIONS)], ids=str)
def test_float32_stays_float32(one):
    values = in_float32(one)
    call = call_of(one, values)
    y = call.run()
    if not leaves(y):
        return
    dy = random_like(y, np.random.default_rng(3))
    for k, d in adjoints(call, y, dy).items():
        for leaf, x in zip(leaves(d), leaves(values.get(k, d)), strict=True):
            if isinstance(x, np.ndarray) and x.dtype == np.float32 and x.ndim:
                assert leaf.dtype == np.float32, (k, leaf.dtype)


# ---------------------------------------------------------------- singular points

SINGULAR = [
    ("abs(x)", 0.0, 0.0),
    ("np.absolute(x)", 0.0, 0.0),
    ("x ** 0", 0.0, 0.0),
    ("x ** 1", 0.0, 1.0),
    ("x ** 2", 0.0, 0.0),
    ("x ** 2", -2.0, -4.0),
    ("x ** 3", -2.0, 12.0),
    ("x ** 2.0", -2.0, -4.0),
    ("0.0 ** x", 2.0, 0.0),
    ("np.power(0.0, x)", 2.0, 0.0),
    ("np.power(x, 0)", 0.0, 0.0),
    ("math.pow(x, 0)", 0.0, 0.0),
    ("np.sinc(x)", 0.0, 0.0),
    ("np.hypot(x, 0.0)", 0.0, 0.0),
    ("math.hypot(x, 0.0)", 0.0, 0.0),
    ("np.arctan2(x, 0.0)", 0.0, 0.0),
    ("math.atan2(x, 0.0)", 0.0, 0.0),
    ("np.maximum(x, 1.0)", 1.0, 0.5),
    ("np.minimum(x, 1.0)", 1.0, 0.5),
    ("np.fmax(x, 1.0)", 1.0, 0.5),
    ("np.clip(x, 1.0, 2.0)", 1.0, 1.0),
    ("max(x, 1.0)", 1.0, 1.0),
    ("max(1.0, x)", 1.0, 0.0),
    ("np.linalg.norm(x)", np.zeros(3), np.zeros(3)),
    ("np.linalg.norm(x, axis=0)", np.zeros((3, 2)), np.zeros((3, 2))),
    ("np.linalg.norm(x, 3)", np.zeros(3), np.zeros(3)),
    ("np.std(x)", np.ones(4), np.zeros(4)),
    ("np.prod(x)", np.array([2.0, 0.0, 3.0]), np.array([0.0, 6.0, 0.0])),
    ("np.prod(x)", np.array([0.0, 0.0, 3.0]), np.zeros(3)),
    ("np.linalg.det(x)", np.diag([2.0, 0.0]), np.diag([0.0, 2.0])),
    ("np.mean(x)", np.zeros(0), np.zeros(0)),
    ("np.sum(x)", np.zeros((0, 3)), np.zeros((0, 3))),
]


@pytest.mark.parametrize(("text", "x", "expected"), SINGULAR)
def test_singular_points(text, x, expected):
    one = op(text, x=x)
    call = call_of(one, {"x": x})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = call.run()
    d = adjoints(call, y, 1.0)["x"]
    np.testing.assert_allclose(d, expected, atol=1e-12)


@pytest.mark.parametrize(
    "x", [np.array([2.0, 0.0, 3.0, 4.0]), np.array([0.0, 0.0, 3.0])]
)
def test_cumprod_of_zeros(x):
    one = op("np.cumprod(x)", x=x)
    assert relative_error(one, {"x": x}) < 1e-9


@pytest.mark.parametrize("x", [1e-9, 0.15, 0.16, 0.159154, 3.0, -1e-5])
def test_sinc_near_zero(x):
    one = op("np.sinc(x)", x=x)
    d = adjoints(call_of(one, {"x": x}), 1.0, 1.0)["x"]
    t = math.pi * x
    n = range(1, 40)
    series = math.fsum(
        (-1) ** k * 2 * k * t ** (2 * k - 1) / math.factorial(2 * k + 1) for k in n
    )
    assert d == pytest.approx(math.pi * series, rel=2e-13)


@pytest.mark.parametrize("x", [np.arange(6).reshape(2, 3), 3])
def test_integers_get_float_gradients(x):
    for text in ("np.sum(x)", "np.mean(x)", "x * 2", "np.reshape(x, -1)"):
        call = call_of(op(text, x=x), {"x": x})
        y = call.run()
        d = adjoints(call, y, np.ones(np.shape(y)) * 0.5)["x"]
        assert np.result_type(d) == np.float64
        assert np.shape(d) == np.shape(x)


# ---------------------------------------------------------------- the check checked


def test_the_check_finds_a_rule_off_by_a_thousandth():
    def softsign(x):
        return x / (1 + np.abs(x))

    @rule
    def off(x, *, dy):
        y = softsign(x)
        dx = dy * 1.001 / (1 + np.abs(x)) ** 2

    try:
        from .. import operations

        operations.NAMES["softsign"] = softsign
        one = op("softsign(x)", x=real(3, 2))
        assert relative_error(one, one.sample(1)) > 1e-4
    finally:
        operations.NAMES.pop("softsign")
        BOOK.remove(off)
