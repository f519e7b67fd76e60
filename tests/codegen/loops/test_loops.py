"""Loops for Numba give what the readable function gives, or are refused by line."""

import copy
import functools
import math
import types

import numpy as np
import pytest

import yota_ast as ya
from tests.stores import snippets
from yota_ast.codegen.numba_source.numba_types import told_by
from yota_ast.errors import UnsupportedCall

from . import programs

numba = pytest.importorskip("numba", reason="no Numba: that its loops are right")
X = np.array([0.9, 0.2, 0.55, 0.4, 0.75, 0.33])
PROGRAMS = [f for f in vars(programs).values() if isinstance(f, types.FunctionType)]
COMPILED = [
    "stencil", "masked", "over_items", "exchanged", "triangles", "crossed",
    "over_pairs",
]  # fmt: skip
OTHERS = {
    "shorter": (X[:4].copy(), 1.2),
    "strided": (np.concatenate([X, X])[::2], 0.3),
    "backwards": (X[::-1], 2),
    "integer": (X, 2),
    "zero": (X, 0),
    "signs": (np.array([-0.3, 0.5, 0.0, 1.0, 2.0, 3.0]), -0.5),
    "empty": (np.array([]), 0.5),
    "float32": (X.astype("f4"), 0.5),
    "big-endian": (X.astype(">f8"), 0.5),
}


@pytest.fixture
def interpreted(monkeypatch):
    """Let Python run the loops as they stand."""
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)


@functools.cache
def both(f):
    """The loops of a function, as Python runs them, and the readable gradient."""
    return ya.simplegrad(f, X, 0.6, backend="numba"), ya.simplegrad(f, X, 0.6)


def outcome(f, args):
    """What a gradient gives, or that it raises."""
    with np.errstate(all="ignore"):
        try:
            return [np.asarray(part) for part in f(*copy.deepcopy(args))]
        except (ValueError, IndexError, ArithmeticError, np.linalg.LinAlgError):
            return None


def assert_agrees(found, wanted):
    assert (found is None) == (wanted is None), (found, wanted)
    for one, other in zip(found or (), wanted or (), strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(f):
    loops, readable = both(f)
    assert_agrees(outcome(loops, (X, 0.6)), outcome(readable, (X, 0.6)))


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("kind", OTHERS)
def test_other_arguments(kind):
    """What the loops are not made for they refuse; else the numbers agree."""
    for f in PROGRAMS:
        loops, readable = both(f)
        found = outcome(loops, OTHERS[kind])
        if found is not None:
            assert_agrees(found, outcome(readable, OTHERS[kind]))


@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    f = getattr(programs, name)
    loops, readable = (
        ya.simplegrad(f, X, 0.6, backend="numba"),
        ya.simplegrad(f, X, 0.6),
    )
    for args in ((X, 0.6), OTHERS["strided"], OTHERS["integer"], OTHERS["zero"]):
        assert_agrees(outcome(loops, args), outcome(readable, args))


# ---------------------------------------------------------------- every way to write

HEADS = {"plain": "    k = 1\n    if True:", "loop": "    for k in range(2):"}
STORES = [
    (chapter, name, setting)
    for chapter, texts in snippets.CHAPTERS.items()
    for name in texts
    for setting in HEADS
]
GIVEN = np.random.default_rng(0).uniform(0.3, 1.2, (5, 4))
ARGUMENTS = (GIVEN[0], GIVEN[1], GIVEN[2:], 0.7, np.array([0, 2]), np.array([1, 1, 0]))
MASK = np.array([True, False, True, True])


def stored(chapter, name, setting, folder, load):
    """The function that a snippet stands in."""
    lines = snippets.CHAPTERS[chapter][name].replace("\n", "\n        ")
    text = (
        "import numpy as np\n\n\ndef f(x, y0, m0, c, idx, rep, mask):\n"
        f"    y, m = y0.copy(), m0.copy()\n{HEADS[setting]}\n        {lines}\n"
        "    return np.sum(y * x) + np.sum(m * m)\n"
    )
    return load(text)


@pytest.mark.part(4)
@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize(("chapter", "name", "setting"), STORES)
def test_stores(chapter, name, setting, tmp_path):
    path = tmp_path / "stored.py"

    def load(text):
        path.write_text(text)
        names = {"__name__": "stored", "__file__": str(path)}
        exec(compile(text, str(path), "exec"), names)
        return names["f"]

    f = stored(chapter, name, setting, tmp_path, load)
    args, wrt = (*ARGUMENTS, MASK), ("x", "y0", "m0", "c")
    try:
        readable = ya.simplegrad(f, *args, wrt=wrt)
        loops = ya.simplegrad(f, *args, wrt=wrt, backend="numba")
    except ya.YotaError:
        return
    assert_agrees(outcome(loops, args), outcome(readable, args))


def test_most_stores_have_loops(tmp_path):
    """Fewer than half of the ways to write are refused."""
    taken = 0
    plain = [(c, n) for c, n, setting in STORES if setting == "plain"]
    for number, (chapter, name) in enumerate(plain[::4]):
        path = tmp_path / f"stored_{number}.py"

        def load(text, path=path):
            path.write_text(text)
            names = {"__name__": "stored", "__file__": str(path)}
            exec(compile(text, str(path), "exec"), names)
            return names["f"]

        f = stored(chapter, name, "plain", tmp_path, load)
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(numba.config, "DISABLE_JIT", True)
                ya.simplegrad(f, *ARGUMENTS, MASK, backend="numba")
            taken += 1
        except ya.YotaError:
            continue
    assert taken > len(plain[::4]) / 2


# ---------------------------------------------------------------- the source

STENCIL = '''\
import numba
import numpy as np


def stencil_grad(x, c, seed=1.0):
    """Value of stencil and its gradient with respect to x."""
    if getattr(x, "ndim", 0) != 1 or x.dtype.kind != "f" or hasattr(c, "__len__"):
        raise ValueError("stencil_grad: made for x (n,), floats; a number c")
    if getattr(c, "itemsize", 8) != 8:
        raise ValueError("stencil_grad: made for c of 64 bits")
    if x.dtype != np.float64:
        raise ValueError("stencil_grad: made for x of float64")
    return _stencil_grad(x, float(c), float(seed))


@numba.njit(error_model="numpy")
def _stencil_grad(x, c, seed):
    # forward
    u = x.copy()
    for _ in range(4):
        t1 = np.empty(max(len(u) - 2, 0))
        for i in range(len(u) - 2):
            t1[i] = c * (u[i + 2] - 2 * u[i + 1] + u[i])
        for i in range(len(u) - 2):
            u[i + 1] += t1[i]
    val = 0.0
    for i in range(len(u)):
        val += u[i] ** 2

    # reverse
    # return np.sum(u**2)
    du = np.empty(len(u))
    for i in range(len(u)):
        du[i] = 2 * seed * u[i]
    for _ in range(4):
        # u[1:-1] += c * (u[2:] - 2 * u[1:-1] + u[:-2])
        t2 = np.empty(max(len(du) - 2, 0))
        for i in range(len(du) - 2):
            t2[i] = c * du[i + 1]
        for i in range(len(du) - 2):
            du[i] += t2[i]
        for i in range(len(du) - 2):
            du[i + 1] -= 2 * t2[i]
        for i in range(len(du) - 2):
            du[i + 2] += t2[i]

    return val, du
'''


@pytest.mark.usefixtures("interpreted")
def test_source():
    made = ya.simplegrad(programs.stencil, X, 0.6, wrt="x", backend="numba")
    assert made.source == STENCIL


@pytest.mark.usefixtures("interpreted")
def test_what_modules_hold_is_read_at_each_call(monkeypatch):
    made = ya.simplegrad(programs.of_modules, X, 0.6, backend="numba")
    first = made(X, 0.6)
    monkeypatch.setattr(programs, "RATE", 1.4)
    readable = ya.simplegrad(programs.of_modules, X, 0.6)
    assert made(X, 0.6)[0] == pytest.approx(readable(X, 0.6)[0])
    assert made(X, 0.6)[0] != first[0]


@pytest.mark.usefixtures("interpreted")
def test_saved(tmp_path):
    made = ya.simplegrad(programs.masked, X, 0.6, backend="numba")
    text = made.save(tmp_path / "masked_grad.py").read_text()
    names = {}
    exec(text, names)
    assert_agrees(outcome(names["masked_grad"], (X, 0.6)), outcome(made, (X, 0.6)))


# ---------------------------------------------------------------- refusals


def transformed(x, c):
    return np.sum(np.fft.rfft(x).real * c)


def tried(x, c):
    try:
        return np.sum(x) / c
    except ZeroDivisionError:
        return np.sum(x)


def appended(x, c):
    parts = [x * c]
    parts.append(x)
    return np.sum(parts[1])


REFUSED = {
    transformed: "no loops are made of `rfft`",
    tried: "no loops are made of a `try` block",
}


@pytest.mark.parametrize("f", REFUSED, ids=lambda f: f.__name__)
def test_refused(f):
    with pytest.raises(UnsupportedCall) as caught:
        ya.simplegrad(f, X, 0.6, backend="numba")
    assert caught.value.reason == REFUSED[f]
    assert caught.value.remedy == "Leave out backend='numba'."
    assert caught.value.at.filename == __file__
    assert ya.simplegrad(f, X, 0.6)(X, 0.6)[0] == pytest.approx(f(X, 0.6))


def pair(x, c):
    return x * c, c


def test_values_of_other_kinds_are_refused():
    with pytest.raises(UnsupportedCall) as caught:
        ya.simplegrad(pair, X, 0.6, backend="numba")
    assert caught.value.reason == (
        "pair_grad: no loops are made of a function whose value is no number or array"
    )


def picked(x, places):
    s = 0.0
    for k in range(len(places)):
        s += x[places[k]] * k
    return s


def test_a_list_is_refused_and_an_array_is_taken():
    with pytest.raises(UnsupportedCall) as caught:
        ya.simplegrad(picked, X, [2, 0, 1], wrt="x", backend="numba")
    line = picked.__code__.co_firstlineno + 3
    assert str(caught.value) == (
        f"{__file__}:{line}:9: no loops are made of `places`, which is no array or "
        "number\n"
        "    s += x[places[k]] * k\n"
        "    ^^^^^^^^^^^^^^^^^^^^^\n"
        "Give an array: np.array(places).\n"
        "Leave out backend='numba'."
    )
    loops = ya.simplegrad(picked, X, np.array([2, 0, 1]), wrt="x", backend="numba")
    _, dx = loops(X, np.array([2, 0, 1]))
    np.testing.assert_allclose(dx[:3], [1.0, 2.0, 0.0])


def itself(x, n: int):
    return x[0] if n <= 0 else np.sum(x) * itself(x, n - 1)


@pytest.mark.usefixtures("interpreted")
def test_recursion_is_followed_or_refused():
    try:
        loops = ya.simplegrad(itself, X, 2, wrt="x", backend="numba")
    except UnsupportedCall:
        return
    readable = ya.simplegrad(itself, X, 2, wrt="x")
    assert_agrees(outcome(loops, (X, 3)), outcome(readable, (X, 3)))


LAYER = """
import numpy as np


def layer(h, w, n):
    z = np.tanh(h * w)
    s = z
    for _ in range(n):
        s = np.exp(-z * s) + h
        s = s * np.sin(h * s)
        s = s + np.cos(w * s)
    e = np.exp(-s * h)
    return s * e + h


def net(x, n):
    h = x
"""


@pytest.mark.parametrize("x", [0.3, X], ids=["number", "array"])
def test_a_function_called_often_hands_tuples_to_its_reverse(x):
    calls = "    h = np.cos(layer(h, x, n))\n" * 50
    net = ya.from_source(f"{LAYER}{calls}    return np.sum(h * h)\n")["net"]
    loops = ya.simplegrad(net, x, 2, wrt="x", backend="numba")
    assert "_layer_reverse" in loops.source
    readable = ya.simplegrad(net, x, 2, wrt="x")
    for n in (3, 0):
        assert_agrees(outcome(loops, (x + 0.1, n)), outcome(readable, (x + 0.1, n)))


def powers(x, n):
    return x if n <= 0 else x * powers(x, n - 1)


def sums_powers(x, n):
    return np.sum(powers(x, n))


def test_what_an_adjoint_needs_is_refused_near_the_line_it_comes_from():
    with pytest.raises(UnsupportedCall, match=r"test_loops\.py:\d+:\d+: "):
        ya.simplegrad(sums_powers, X, 2, wrt="x", backend="numba")


# ---------------------------------------------------------------- values and results


def of_a_vector(x, c):
    return np.tanh(x * c)


def of_a_matrix(x, c):
    if c < 0:
        return np.outer(x, x)
    return np.outer(x, x[::-1]) * c


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("f", [of_a_vector, of_a_matrix], ids=lambda f: f.__name__)
def test_arrays_as_values(f):
    loops, readable = both(f)
    rng = np.random.default_rng(0)
    for args in ((X, 0.6), (X[:4], -0.5), (X[::2], 2)):
        seed = rng.random(np.shape(f(*args)))
        assert_agrees(outcome(loops, (*args, seed)), outcome(readable, (*args, seed)))
    told = f"{f.__name__}_grad: seed must have the shape of the value"
    for wrong in (np.ones(2), np.ones((3, 2)), 1.0, np.ones((1, 1, 1))):
        with pytest.raises(ValueError, match=told):
            loops(X, 0.6, wrong)


def test_an_array_as_value_is_compiled():
    loops = ya.simplegrad(of_a_vector, X, 0.6, backend="numba")
    seed = np.linspace(0.0, 1.0, 6)
    assert_agrees(
        outcome(loops, (X, 0.6, seed)), outcome(both(of_a_vector)[1], (X, 0.6, seed))
    )


class Layer:
    def __init__(self, W, b):
        self.W, self.b = W, b


class Model:
    def __init__(self):
        self.first, self.rate = Layer(np.outer(X, X[:2]), X[:2].copy()), 0.5


def of_a_model(x, m):
    return np.sum(np.tanh(x @ m.first.W + m.first.b)) * m.rate


@pytest.mark.usefixtures("interpreted")
def test_gradients_of_objects_are_built_outside():
    loops = ya.simplegrad(of_a_model, X, Model(), wrt=["x", "m"], backend="numba")
    readable = ya.simplegrad(of_a_model, X, Model(), wrt=["x", "m"])
    (value, dx, dm), wanted = loops(X, Model()), readable(X, Model())
    assert_agrees([value, dx], wanted[:2])
    assert list(dm) == list(wanted[2])
    for one, other in zip(dm.values(), wanted[2].values()):
        np.testing.assert_allclose(one, other)
    assert "    dm = {" in loops.source[: loops.source.index("@numba")]


def test_gradients_of_objects_are_compiled():
    loops = ya.simplegrad(of_a_model, X, Model(), wrt="m", backend="numba")
    readable = ya.simplegrad(of_a_model, X, Model(), wrt="m")
    found, wanted = loops(X, Model())[1], readable(X, Model())[1]
    for one, other in zip(found.values(), wanted.values()):
        np.testing.assert_allclose(one, other)


def rates(z, p):
    a, b, c, d = p
    x, y = z
    u, v = a * x - b * x * y, c * x * y - d * y
    return np.array([u / (1 + u * u), v / (1 + v * v)])


def orbit(x, c):
    z, p = x[:2], x[:4]
    for _ in range(5):
        k1 = rates(z, p)
        k2 = rates(z + 0.5 * c * k1, p)
        k3 = rates(z + 0.5 * c * k2, p)
        k4 = rates(z + c * k3, p)
        z = z + c / 6 * (k1 + 2 * k2 + 2 * k3 + k4) * RATE
    return np.sum(z**2)


RATE = 0.9


def test_functions_of_the_program_are_compiled_too(monkeypatch):
    loops = ya.simplegrad(orbit, X, 0.1, backend="numba")
    assert loops.source.count("@numba.njit(boundscheck") > 1
    readable = ya.simplegrad(orbit, X, 0.1)
    assert_agrees(outcome(loops, (X, 0.1)), outcome(readable, (X, 0.1)))


def test_numbers_of_less_precision_are_refused():
    loops, _ = both(programs.stencil)
    told = "stencil_grad: made for c of 64 bits"
    for c in (np.float32(0.5), np.float16(0.5), np.longdouble(0.5)):
        with pytest.raises(ValueError, match=told):
            loops(X, c)


def like_helpers(x, c):
    math_value = np.sum(x)
    quotient = 1 / c
    floored = c // 0.25
    return math.exp(c) * math_value + quotient * floored * (c % quotient)


def test_variables_that_are_called_as_helpers_are():
    loops = ya.simplegrad(like_helpers, X, 0.6, backend="numba")
    readable = ya.simplegrad(like_helpers, X, 0.6)
    assert_agrees(outcome(loops, (X, 0.6)), outcome(readable, (X, 0.6)))
    assert outcome(loops, (X, 0.0)) is None


class Weights:
    def __init__(self, w):
        self.w, self.k = w, 2.0


def of_an_object(x, m):
    return np.sum(x[:2] * m.w) * m.k


@pytest.mark.usefixtures("interpreted")
def test_fields_of_objects_are_called_as_the_user_does():
    w = np.array([1.0, 2.0])
    loops = ya.simplegrad(of_an_object, X, Weights(w), wrt="x", backend="numba")
    assert loops(X, Weights(w))[1].tolist() == [2.0, 4.0, 0.0, 0.0, 0.0, 0.0]
    with pytest.raises(ValueError, match=r"^of_an_object_grad: made for x, m.w of flo"):
        loops(X, Weights(w.astype("f4")))


def test_its_derivatives(monkeypatch):
    """The made function is differentiated as the readable one."""
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    loops, readable = both(programs.softmax)

    def slope(x):
        return np.sum(loops(x, 0.6)[1] ** 2)

    def plain(x):
        return np.sum(readable(x, 0.6)[1] ** 2)

    v = np.linspace(-1.0, 1.0, 6)
    assert ya.grad(slope, X)[1][0] == pytest.approx(ya.grad(plain, X)[1][0])
    assert ya.jvp(slope)(X, v) == pytest.approx(ya.jvp(plain)(X, v))
    assert ya.hvp(slope)(X, v) == pytest.approx(ya.hvp(plain)(X, v))


def test_unknown_ranks_are_refused():
    with pytest.raises(
        UnsupportedCall, match="an array of unknown rank: give examples"
    ):
        ya.simplegrad(programs.stencil, backend="numba")


def test_other_dtypes_are_refused_when_called():
    made = ya.simplegrad(programs.stencil, X, 0.6, backend="numba")
    told = "^stencil_grad: made for x of float64$"
    with pytest.raises(ValueError, match=told):
        made(X.astype("f4"), 0.6)


def test_what_numba_says():
    text = "Failed in nopython mode pipeline\n\x1b[1mNo implementation of f\x1b[0m"
    assert told_by(ValueError(text)) == "No implementation of f"


def test_without_numba(monkeypatch):
    monkeypatch.setattr("yota_ast.pipeline.find_spec", lambda _: None)
    with pytest.raises(ya.YotaError) as caught:
        ya.simplegrad(programs.stencil, X, 0.6, backend="numba")
    assert str(caught.value) == (
        "backend='numba' needs Numba, which is not installed\n"
        "Install it: pip install 'yota_ast[numba]'."
    )


def shortest(distances):
    for k in range(len(distances)):
        through = distances[:, k : k + 1] + distances[k]
        distances = np.minimum(distances, through)
    return np.sum(distances**2)


@pytest.mark.usefixtures("interpreted")
def test_a_slice_of_one_item_is_broadcast():
    distances = np.abs(np.cos(np.arange(16.0))).reshape(4, 4)
    loops = ya.simplegrad(shortest, distances, backend="numba")
    readable = ya.simplegrad(shortest, distances)
    assert_agrees(outcome(loops, (distances,)), outcome(readable, (distances,)))
