"""Numbers in explicit loops are those of NumPy and of Python, or an error is raised."""

import itertools
import math
import random
import warnings

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedCall

numba = pytest.importorskip("numba", reason="no Numba: that its numbers are right")
FLOATS = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1.5, -2.5, 0.5, 3.0, -1.0, 1e300]
VALUES = {
    "f8": np.array(FLOATS),
    "f4": np.array([*FLOATS[:-1], 1e30], "f4"),
    "i8": np.array([-(2**62), -7, -1, 0, 1, 2, 3, 100]),
    "b": np.array([False, True]),
}
OPERATIONS = """x+y x-y x*y x/y x//y x%y x<y x<=y x>y x>=y x==y x!=y x**2 x**-1.0
x**0.5 x//2 x%3 x%-3 7//y 7%y abs(x) -x np.sign(x) np.floor(x) np.rint(x) np.trunc(x)
np.maximum(x,y) np.minimum(x,y) np.fmax(x,y) np.fmin(x,y) np.arctan2(x,y)
np.copysign(x,y) np.hypot(x,y) np.logical_and(x,y) np.logical_not(x) np.where(x>y,x,y)
np.exp(x) np.log(x) np.sqrt(x) np.clip(x,-1,2) np.isnan(x) np.sinc(x)
np.heaviside(x,y) np.mod(x,y) np.floor_divide(x,y)""".split()
REDUCTIONS = """np.sum(x,axis=0) np.mean(x,axis=1) np.var(x,axis=0)
np.std(x,axis=1,ddof=1) np.max(x,axis=0) np.min(x,axis=1,keepdims=True) np.sum(x)
np.mean(x) np.max(x) x[0] x[-1,-1]
x.T@x x@x.T np.outer(x[:,0],x[0]) np.diff(x,axis=0) np.concatenate([x,x],axis=1)
np.einsum('ij,kj->ik',x,x) np.roll(x,1,axis=1) np.pad(x,1) x[x>3] x[:,::-1] x[1:,:-1]
np.cumsum(x[:,0]) np.argmax(x) np.prod(x) x[[0,-1]] np.linalg.norm(x)
np.sum(x,axis=(0,1)) np.max(x,axis=(1,-2)) np.ptp(x,axis=0) np.count_nonzero(x,axis=1)
np.nansum(x,axis=0) np.fliplr(x) np.flipud(x)""".split()
DTYPES = [*itertools.product(VALUES, VALUES)]
SHAPES = [(3, 4), (3, 3), (0, 3), (3, 0), (0, 0), (1, 3), (3, 1)]


@pytest.fixture
def interpreted(monkeypatch):
    """Let Python run the loops as they stand."""
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)


@pytest.fixture(autouse=True)
def _no_warnings():
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def outcome(f, *args):
    """What a gradient gives as the value; None: it raises."""
    try:
        return np.asarray(f(*args)[0])
    except (ValueError, IndexError, ArithmeticError):
        return None


def assert_same(found, wanted):
    assert (found is None) == (wanted is None), (found, wanted)
    if found is not None:
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-30)


def invalid(expression, x, y):
    """Say whether NumPy has no such operation of such numbers."""
    try:
        eval(expression, {"np": np, "x": x, "y": y})
    except (TypeError, ValueError):
        return True
    return False


def stacked(expressions, load):
    lines = "".join(f"    out[{k}] = ({e}) * w\n" for k, e in enumerate(expressions))
    head = f"    out = np.zeros(({len(expressions)}, len(w)))\n"
    return load(f"def f(x, y, w):\n{head}{lines}    return out\n")


@pytest.fixture
def load(tmp_path):
    """A function with a file, of its text."""
    count = itertools.count()

    def loaded(text):
        path = tmp_path / f"made_{next(count)}.py"
        path.write_text(f"import numpy as np\n\n\n{text}")
        names = {"__name__": path.stem, "__file__": str(path)}
        exec(compile(path.read_text(), str(path), "exec"), names)
        return names["f"]

    return loaded


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("dtypes", DTYPES, ids="-".join)
def test_elements(dtypes, load):
    """A slice of all operations, of numbers of two dtypes, among them the unusual."""
    one, other = (VALUES[name] for name in dtypes)
    x, y = np.repeat(one, len(other)), np.tile(other, len(one))
    w = np.ones(len(x))
    drawn = random.Random(str(dtypes)).sample(OPERATIONS, 10)
    f = stacked([e for e in drawn if not invalid(e, x, y)], load)
    seed = np.ones(f(x, y, w).shape)
    try:
        loops = ya.simplegrad(f, x, y, w, wrt="w", backend="numba")
    except UnsupportedCall:
        return  # numbers of 16 bits
    readable = ya.simplegrad(f, x, y, w, wrt="w")
    assert_same(outcome(loops, x, y, w, seed), outcome(readable, x, y, w, seed))


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("expression", REDUCTIONS)
def test_empty_axes(expression, load):
    f = load(f"def f(x, w):\n    return ({expression}) * w\n")
    x = np.arange(12.0).reshape(3, 4)
    loops = ya.simplegrad(f, x, 1.5, wrt="w", backend="numba")
    readable = ya.simplegrad(f, x, 1.5, wrt="w")
    rank = np.ndim(f(x, 1.5))
    for n, m in SHAPES:
        x = np.arange(float(n * m)).reshape(n, m) + 0.5
        try:
            shape = np.shape(f(x, 1.5))
        except (ValueError, IndexError):
            shape = (1,) * rank
        seed = (np.ones(shape),) if rank else ()
        found, wanted = (outcome(g, x, 1.5, *seed) for g in (loops, readable))
        if found is None and wanted is not None:  # Python does not divide 0.0 by 0
            assert np.all(np.isnan(wanted))
        else:
            assert_same(found, wanted)


# ---------------------------------------------------------------- integers


def factorial(n: int, w):
    p = 1
    for k in range(1, n + 1):
        p *= k
    return p * w


def fibonacci(n: int, w):
    p, q = 0, 1
    for _ in range(n):
        p, q = q, p + q
    return p * w


def multiplied_behind(n: int, w):
    p = 1
    for _ in range(n):
        p = 3 * p
    q = p - 1
    return q * q * w


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("f", [factorial, fibonacci, multiplied_behind])
def test_integers_that_grow_raise(f):
    loops = ya.simplegrad(f, 5, 2.0, wrt="w", backend="numba")
    assert "64_bits" in loops.source
    for n in (0, 1, 5, 12, 19):
        assert loops(n, 2.0)[0] == f(n, 2.0)
    with pytest.raises(OverflowError):
        loops(120, 2.0)


def of_indices(x, n: int):
    s = 0.0
    for i in range(n):
        for j in range(n):
            s += x[i * n + j] ** 2
    return s


@pytest.mark.usefixtures("interpreted")
def test_indices_are_plain_products():
    loops = ya.simplegrad(of_indices, np.ones(9), 3, wrt="x", backend="numba")
    assert "x[i * n + j]" in loops.source


def converted(x: float, w):
    return (int(x) + math.floor(x) + math.ceil(x)) * w


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("x", [math.nan, math.inf, -math.inf, 1e19])
def test_what_is_no_integer_raises(x):
    loops = ya.simplegrad(converted, 2.5, 2.0, wrt="w", backend="numba")
    assert loops(-2.5, 2.0)[0] == converted(-2.5, 2.0)
    with pytest.raises(OverflowError):
        loops(x, 2.0)


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("dtype", ["i4", "u1", "i2"])
@pytest.mark.parametrize("expression", ["x * x", "x @ x", "np.dot(x, x)", "abs(x)"])
def test_narrow_integers_are_refused(dtype, expression, load):
    f = load(f"def f(x, w):\n    return np.sum({expression}) * w\n")
    x = np.array([100, 3, 7], dtype)
    with pytest.raises(UnsupportedCall) as caught:
        ya.simplegrad(f, x, 1.5, wrt="w", backend="numba")
    assert caught.value.reason == (
        f"no loops are made of arithmetic with numbers of {x.dtype}"
    )


@pytest.mark.usefixtures("interpreted")
def test_integers_with_and_without_a_sign_are_refused(load):
    f = load("def f(x, y, w):\n    return np.sum((x + y) * w)\n")
    x, y = np.array([2**63, 1], "u8"), np.array([-1, 1])
    with pytest.raises(UnsupportedCall) as caught:
        ya.simplegrad(f, x, y, 1.5, wrt="w", backend="numba")
    assert caught.value.reason == (
        "no loops are made of numbers of which some have a sign and some have none"
    )


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        *[
            (e, "integers without a sign that do not become floats")
            for e in ("x // 2", "7 % x", "np.where(x > 0, x, 1)", "np.maximum(x, 0)")
        ],
        ("np.sum(x)", "sums of integers without a sign"),
        ("x @ x", "sums of integers without a sign"),
    ],
)
def test_integers_without_a_sign_are_refused(expression, reason, load):
    f = load(f"def f(x, w):\n    return np.sum({expression}) * w\n")
    with pytest.raises(UnsupportedCall) as caught:
        ya.simplegrad(f, np.array([2**63, 1], "u8"), 1.5, wrt="w", backend="numba")
    assert caught.value.reason == f"no loops are made of {reason}"


def test_integers_without_a_sign_become_floats(load):
    f = load("def f(x, w):\n    return np.sum((x / 2 + np.sqrt(x) * 0.5) * w)\n")
    x = np.array([2**63 + 5, 1, 2**64 - 1], "u8")
    loops = ya.simplegrad(f, x, 1.5, wrt="w", backend="numba")
    assert loops(x, 1.5)[0] == pytest.approx(f(x, 1.5), rel=1e-14)


# ---------------------------------------------------------------- as Numba compiles


def powers(x, k, w):
    out = np.zeros((4, len(w)))
    out[0] = x**-1 * w
    out[1] = x**0.5 * w
    out[2] = x**-2 * w
    out[3] = 2 ** abs(k) * w
    return out


def of_truths(x, w):
    flags = (x > 0) + (x > 1)
    return flags * (x > 1) * w + ~flags * 1.0


def test_powers_and_truths_are_compiled():
    x, k, w = np.array([0.0, -math.inf, 4.0]), np.array([-2, 0, 3]), np.ones(3)
    for f, args in ((powers, (x, k, w)), (of_truths, (x, w))):
        loops, readable = (
            ya.simplegrad(f, *args, wrt="w", backend=name)
            for name in ("numba", "numpy")
        )
        seed = np.ones(f(*args).shape)
        assert_same(outcome(loops, *args, seed), outcome(readable, *args, seed))
    loops = ya.simplegrad(powers, x, k, w, wrt="w", backend="numba")
    assert "1.0 / x[i]" in loops.source
    assert "no_fraction(abs(k[i]))" in loops.source


def product_of_matrices(x, w):
    return np.matmul(x, x.T)[0] * w


def test_matmul_is_compiled():
    x = np.arange(6.0).reshape(2, 3)
    loops = ya.simplegrad(product_of_matrices, x, 1.5, wrt="w", backend="numba")
    assert_same(outcome(loops, x, 1.5, np.ones(2)), product_of_matrices(x, 1.5))
