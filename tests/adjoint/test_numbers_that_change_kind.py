"""Numbers that are cut off to whole ones, and powers that are complex: no slope of a
real number is given for either."""

import contextlib

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.support import passes as passes_of_the_compiler

WHOLE = np.array([1, 2, 3])
REAL = np.array([1.0, 2.0, 3.0])


@pytest.fixture(autouse=True, params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


def filled_like(k, v):
    return np.sum(np.full_like(k, v) ** 2)


def filled_like_of_a_shape(k, v):
    return np.sum(np.full_like(k, v, shape=(2,)) ** 2)


def filled(k, v):
    return np.sum(np.full(3, v, k.dtype) ** 2)


@pytest.mark.parametrize("fn", [filled_like, filled_like_of_a_shape, filled])
def test_what_is_cut_off_has_no_slope(fn):
    text = ya.simplegrad(fn, wrt="v")
    assert text(WHOLE, 2.5) == (fn(WHOLE, 2.5), 0.0)
    n = 2 if fn is filled_like_of_a_shape else 3
    assert text(REAL, 2.5) == (fn(REAL, 2.5), 5.0 * n)
    assert ya.simplegrad(fn, WHOLE, 2.5, wrt="v")(WHOLE, 2.5)[1] == 0.0


def test_what_is_known_to_hold_floats_is_not_asked():
    if passes_of_the_compiler.enabled("tidy"):
        assert "uncast(" not in ya.simplegrad(filled_like, REAL, 2.5, wrt="v").source
        assert "uncast(" not in ya.simplegrad(filled_alike, 2.5).source
        assert "uncast(" not in ya.simplegrad(filled_alike).source


def filled_alike(v):
    return np.sum(np.full(3, v) ** 2)


def filled_and_more(k, v):
    return np.sum(np.full_like(k, v) * np.float32(3.0)) + 1e-9 * v


@pytest.mark.parametrize("v", [2.5, np.float64(2.5), np.array(2.5)])
def test_what_is_stored_with_fewer_digits_has_a_gradient_with_all_of_its_own(v):
    g = ya.grad(filled_and_more, REAL.astype(np.float32), v)[1]
    assert g["v"] == 9.0 + 1e-9


def size(x, p):
    return abs((x - 1.0) ** p * 2.0)


def real_part(x, p):
    return ((x - 1.0) ** p).real * x


def size_of_a_half(x):
    return abs(1.0 - (x - 1.0) ** 1.5)


@pytest.mark.parametrize("fn", [size, real_part])
def test_a_complex_power_has_no_slope_of_a_real_one(fn):
    value, g = ya.grad(fn, 3.0, 0.5)
    assert value == fn(3.0, 0.5)
    assert np.isclose(g[0], (fn(3.0 + 1e-6, 0.5) - fn(3.0 - 1e-6, 0.5)) / 2e-6)
    with pytest.raises(ValueError, match="a power of a negative one is complex"):
        ya.grad(fn, 0.5, 0.5)


def test_a_literal_exponent():
    assert np.isclose(ya.grad(size_of_a_half, 3.0)[1][0], 1.5 * 2**0.5)
    with pytest.raises(ValueError, match="a power of a negative one is complex"):
        ya.grad(size_of_a_half, 0.5)


def times_a_complex_number(x, p):
    return ((x - 1.0) ** p * 1j).imag


def plus_a_complex_number(x, p):
    return (1j + (x - 1.0) ** p).real


def within_exp(x, p):
    return abs(np.exp((x - 1.0) ** p * 1j) + 2.0)


def root_of_a_power(x, p):
    return np.real(np.sqrt((x - 1.0) ** p))


def in_a_list(x, p):
    return float((np.array([(x - 1.0) ** p, 1.0]) * 2 * 1j).real.sum())


def in_an_array(x, p):
    return float(np.abs(np.stack([np.array([(x - 1.0) ** p]), np.ones(1)])).sum())


def made_complex(x, p):
    return complex((x - 1.0) ** p).real


@pytest.mark.parametrize(
    "fn",
    [
        size, real_part, times_a_complex_number, plus_a_complex_number, within_exp,
        root_of_a_power, in_a_list, in_an_array, made_complex,
    ],
)  # fmt: skip
def test_a_complex_power_is_not_taken_for_a_real_one_beside_complex_numbers(fn):
    texts = ya.simplegrad(fn, 3.0, 0.5), ya.simplegrad(fn)
    h = 1e-6
    slope = (fn(3.0 + h, 0.5) - fn(3.0 - h, 0.5)) / (2 * h)
    for text in texts:
        assert np.isclose(text(3.0, 0.5)[1], slope)
        with pytest.raises(ValueError, match="a power of a negative one is complex"):
            text(0.5, 0.5)
    assert np.isclose(ya.jvp(fn)(3.0, 0.5, 1.0, None)[1], slope)
    if fn is made_complex:  # its tangent is right as well
        h = 1e-6
        slope = (fn(0.5 + h, 0.5) - fn(0.5 - h, 0.5)) / (2 * h)
        assert np.isclose(ya.jvp(fn)(0.5, 0.5, 1.0, None)[1], slope)
        return
    with pytest.raises(ValueError, match="a power of a negative one is complex"):
        ya.jvp(fn)(0.5, 0.5, 1.0, None)


def test_whole_exponents_and_squares_are_not_asked():
    def f(x):
        return abs((x - 1.0) ** 3) + abs((x * x) ** 0.5) + abs(2.0**x)

    assert "of_real" not in ya.simplegrad(f, 0.5).source
    assert np.isclose(
        ya.grad(f, 0.5)[1][0], (f(0.5 + 1e-6) - f(0.5 - 1e-6)) / 2e-6, rtol=1e-6
    )


def half_power(x):
    return (1.0 - x**2) ** 0.5


def test_a_power_that_turns_complex_is_refused_where_a_seed_is_given():
    """Without one there is no gradient of a complex number at all."""
    assert ya.grad(half_power, 0.5, seed=1.0)[1][0] == pytest.approx(-0.5 / 0.75**0.5)
    why = """\
half_power takes powers of negative numbers, which are complex: its gradient was made \
for real ones
Pass a complex `x`."""
    for made in (
        lambda: ya.grad(half_power, 3.0, seed=1.0),
        lambda: ya.jacobian(half_power)(3.0),
        lambda: ya.vjp(half_power)(3.0)[1](1.0),
        lambda: ya.hessian(half_power)(3.0),
        lambda: ya.hvp(half_power)(3.0, 1.0),
    ):
        with pytest.raises(ya.YotaError) as told:
            made()
        assert why in str(told.value).replace("half_power_grad", "half_power")
    assert ya.grad(half_power, 3.0 + 0j, seed=1.0)[1][0].imag != 0.0


def negated(u, v):
    return (-u * v).sum()


def negated_twice(u, v):
    return (v * (-u) * (-u)).sum()


def negated_sum(u, v):
    return (-u.sum() * v).sum()


def negated_item(u, v):
    return (-u[0] * v).sum()


def negated_difference(u, v):
    return (-(u - 3) * v).sum()


def negated_column(u, v):
    return (v[:, None] * -u).sum()


def negated_exponent(u, v):
    return np.exp(v * -u * 0.01).sum()


BYTES = np.uint8([3, 250, 7])


@pytest.mark.parametrize(
    "fn",
    [
        negated, negated_twice, negated_sum, negated_item, negated_difference,
        negated_column, negated_exponent,
    ],
)  # fmt: skip
@pytest.mark.parametrize("example", [None, REAL, WHOLE, BYTES, np.float32(REAL)])
def test_the_negative_of_what_has_no_signs_is_no_sign(fn, example):
    """That of 3 is 253 among 8 bits: the text without an example, and that of an
    example with signs, took it for -3."""
    v = np.array([0.1, 0.2, 0.3])
    text = ya.simplegrad(fn, *(() if example is None else (example, v)), wrt="v")
    for u in (BYTES, np.int8([3, -128, 7]), np.uint64([3, 2**40, 7])):
        if example is not None and example.dtype.kind == "f":
            with pytest.raises(ValueError, match=f"{fn.__name__}_grad: made for "):
                text(u, v)
            continue
        with np.errstate(over="ignore"):
            value, dv = text(u, v)
            wanted = ya.grad(fn, u, v, wrt="v")[1]["v"]
            assert value == fn(u, v)
        np.testing.assert_allclose(dv, wanted, rtol=1e-12)
    if fn is negated and (example is None or example.dtype.kind != "f"):
        np.testing.assert_array_equal(text(BYTES, v)[1], [253, 6, 249])


@pytest.mark.parametrize("example", [None, REAL, WHOLE])
def test_the_logarithm_of_a_base_of_bytes_has_all_digits(example):
    """NumPy's own of 8 bits has three."""

    def raised(u, v):
        return (u**v).sum()

    v = np.array([0.1, 0.2, 0.3])
    text = ya.simplegrad(raised, *(() if example is None else (example, v)), wrt="v")
    u = BYTES.astype(float)
    if example is REAL:
        with pytest.raises(ValueError, match="raised_grad: made for "):
            text(BYTES, v)
        return
    np.testing.assert_allclose(text(BYTES, v)[1], u**v * np.log(u), rtol=1e-14)


def in_one_arm(x, p):
    y = 1j * x if x > 4 else (x - 1.0) ** p
    return abs(y * (1 + 2j) + x)


def in_one_arm_among_floats(x, p):
    y = (x - 1.0) ** p if x < 4 else 2.0
    return abs(y + x)


def from_a_helper(x, p):
    return abs(_power_or_not(x, p) * (1 + 2j) + x)


def _power_or_not(x, p):
    if x > 4:
        return 1j
    return (x - 1.0) ** p


def in_a_try(x, p):
    try:
        y = (x - 1.0) ** p
    except ZeroDivisionError:
        y = 1j
    return abs(y * (1 + 2j) + x)


def in_a_try_among_floats(x, p):
    try:
        y = (x - 1.0) ** p
    except ZeroDivisionError:
        y = 2.0
    return (y + x).real


def carried_on(x, p):
    y = (x - 1.0) ** p
    for _ in range(2):
        y = y * (1 + 1j)
    return abs(y + x)


def carried_among_floats(x, p):
    y = 1.0
    while y == 1.0:
        y = y * (x - 1.0) ** p
    return abs(y + x)


def over_a_complex_item(x, p):
    a = [1j, 2j]
    for i in range(2):
        a[i] = (x - 1.0) ** p
    return abs(a[0] * (1 + 2j) + x)


def over_a_complex_element(x, p):
    a = np.zeros(2, complex)
    a[1] = (x - 1.0) ** p
    return abs(a[1] * (1 + 2j) + x)


def appended(x, p):
    r = [x]
    for i in range(2):
        z = 1j if i else (x - 1.0) ** p
        r.append(z)
    return abs(r[1] * (1 + 2j) + x)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "fn",
    [
        in_one_arm, in_one_arm_among_floats, from_a_helper, in_a_try,
        in_a_try_among_floats, carried_on, carried_among_floats, over_a_complex_item,
        over_a_complex_element, appended,
    ],
)  # fmt: skip
def test_a_complex_power_that_is_handed_on(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    h = 1e-6
    for text in (ya.simplegrad(fn, 3.0, 0.5), ya.simplegrad(fn)):
        slope = (fn(3.0 + h, 0.5) - fn(3.0 - h, 0.5)) / (2 * h)
        assert np.isclose(text(3.0, 0.5)[1], slope)
        with pytest.raises(ValueError, match="a power of a negative one is complex"):
            text(0.5, 0.5)
    if passes == "all":
        assert np.isclose(ya.hvp(fn)(3.0, 1.0, 0.5), _second(fn, 3.0), rtol=1e-4)
    slope = (fn(0.5 + h, 0.5) - fn(0.5 - h, 0.5)) / (2 * h)
    with contextlib.suppress(ValueError):  # of a power, or right
        assert np.isclose(ya.jvp(fn)(0.5, 0.5, 1.0, None)[1], slope)


def _second(fn, x, h=1e-5):
    def slope(x):
        return ya.grad(fn, x, 0.5)[1][0]

    return (slope(x + h) - slope(x - h)) / (2 * h)
