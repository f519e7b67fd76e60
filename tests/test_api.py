"""What `grad` and its kin promise, whatever the function."""

import functools
import inspect
import math
import warnings

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api import directional
from yota_ast.api.traced_tapes import gradient_source
from yota_ast.errors import ShapeError, UnsupportedSyntax, YotaError


def f(x, y, z=2.0):
    return np.sum(x * y) * z


def double(x):
    return 2.0 * x


def pair(x):
    return 2.0 * x, {"total": x.sum()}


class Layer:
    def __init__(self, W, b):
        self.W, self.b = W, b
        self.size, self.name = len(b), "layer"

    def loss(self, x):
        return np.sum(self.W @ x) * self.size

    def __call__(self, x):
        return self.loss(x)


@pytest.fixture
def v():
    return np.array([1.0, 2.0, 3.0])


@pytest.fixture
def layer():
    return Layer(np.arange(6.0).reshape(2, 3), np.ones(2))


# ---------------------------------------------------------------- wrt


def test_every_argument_that_holds_floats(v):
    val, g = ya.grad(f, v, v + 1)
    assert val == f(v, v + 1)
    assert (len(g), len(list(g))) == (3, 3)
    assert g[0].tolist() == g["x"].tolist() == (2 * (v + 1)).tolist()
    assert g[-1] == g["z"] == np.sum(v * (v + 1))


@pytest.mark.parametrize("wrt", ["z", 2, -1, ["z"], (2,), np.int64(2)])
def test_wrt_by_name_and_position(v, wrt):
    _, g = ya.grad(f, v, v, 1.0, wrt=wrt)
    assert g[2] == g["z"] == np.sum(v * v)
    with pytest.raises(KeyError, match="not among wrt"):
        g[0]
    assert list(g)[:2] == [None, None]


@pytest.mark.parametrize(
    ("wrt", "reason"),
    [
        ("q", "no argument 'q'; the arguments are x, y, z"),
        (3, "no argument 3"),
        (-4, "no argument -4"),
        (["x", 0], "'x' is named twice"),
        (True, "no argument True"),
    ],
)
def test_wrt_that_names_nothing(v, wrt, reason):
    with pytest.raises(YotaError, match=reason):
        ya.grad(f, v, v, wrt=wrt)


def test_what_has_no_derivative_cannot_be_asked_for(v):
    with pytest.raises(YotaError, match=r"no derivative exists for 's', a str"):
        ya.grad(lambda x, s: np.sum(x), v, "text", wrt="s")


RECORDS = np.zeros(2, dtype=[("a", float), ("b", int)])
HALVES = np.zeros(2, dtype="V2")  # as those of bfloat16, a type outside of NumPy
DAYS = np.array(["2026-01-01"], "M8[D]")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (RECORDS, "'x' holds records"),
        (RECORDS[0], "'x' holds records"),
        (HALVES, "no derivative exists for 'x', which holds a void16"),
        (DAYS, r"no derivative exists for 'x', which holds a datetime64\[D\]"),
        (np.array(["a"]), "no derivative exists for 'x', which holds a str32"),
    ],
    ids=["records", "record", "void", "days", "texts"],
)
def test_arrays_without_numbers_are_refused(value, reason):
    """Records hold numbers: their gradient was 0."""

    def chosen(x):
        return np.sum(x["a"]) if x.dtype.names else 1.0

    for derivative in (
        lambda: ya.grad(chosen)(value),
        lambda: ya.grad(chosen, value, wrt="x"),
        lambda: ya.simplegrad(chosen, value, wrt="x"),
        lambda: ya.jvp(chosen)(value, value),
        lambda: ya.vjp(chosen)(value),
        lambda: ya.jacobian(chosen)(value),
        lambda: ya.hvp(chosen)(value, value),
    ):
        with pytest.raises(YotaError, match=reason):
            derivative()


def test_order_of_wrt_is_that_of_the_text(v):
    df = ya.simplegrad(f, v, v, 1.0, wrt=["z", "x"])
    val, dz, dx = df(v, v, 3.0)
    assert (val, dz) == (f(v, v, 3.0), np.sum(v * v))
    assert dx.tolist() == (3 * v).tolist()


def test_integers(v):
    _, g = ya.grad(lambda x, n: np.sum(x) * n, v, 3)
    with pytest.raises(KeyError, match="an int, and not in wrt"):
        g[1]
    _, g = ya.grad(lambda x, n: np.sum(x) * n, v, 3, wrt="n")
    assert (g[1], type(g[1])) == (6.0, float)
    _, g = ya.grad(lambda k: np.sum(k * k), np.arange(3))
    with pytest.raises(KeyError, match="an ndarray without floats, and not in wrt"):
        g["k"]
    _, g = ya.grad(lambda k: np.sum(k * k), np.arange(3), wrt=0)
    assert (g[0].dtype, g[0].tolist()) == (np.float64, [0.0, 2.0, 4.0])


def test_no_argument_holds_floats():
    val, g = ya.grad(lambda n: n * 2.0, 3)
    assert (val, list(g)) == (6.0, [None])


# ---------------------------------------------------------------- calls


def test_keywords_and_defaults(v):
    val, g = ya.grad(f, v, y=v, z=3.0)
    assert val == f(v, v, 3.0)
    assert g["y"].tolist() == (3 * v).tolist()

    def only(x, *, scale=2.0):
        return np.sum(x) * scale

    assert ya.grad(only, v)[1]["scale"] == 6.0
    assert ya.grad(only, v, scale=5.0)[1][0].tolist() == [5.0] * 3


def test_star_arguments(v):
    _, g = ya.grad(lambda *xs: np.sum(xs[0] * xs[1]), v, v + 1)
    assert [x.tolist() for x in g["xs"]] == [(v + 1).tolist(), v.tolist()]
    _, g = ya.grad(lambda **k: np.sum(k["a"] * k["b"]), a=v, b=v + 1)
    assert g["k"]["a"].tolist() == (v + 1).tolist()


def test_positional_only(v):
    def g_(x, /, y):
        return np.sum(x) * y

    assert ya.grad(g_, v, 2.0)[1]["y"] == 6.0


def test_a_call_that_does_not_fit_is_a_type_error(v):
    with pytest.raises(TypeError, match=r"^f\(\): missing a required argument: 'y'"):
        ya.grad(f, v)


def test_a_transform_says_where_source_is():
    with pytest.raises(AttributeError, match=r"`simplegrad\(f, \.\.\.\)\.source`"):
        print(ya.value_and_grad(f).source)


def test_methods_partials_and_callable_objects(layer, v):
    for called in (layer.loss, layer, functools.partial(Layer.loss, layer)):
        val, g = ya.grad(called, v)
        assert val == layer.loss(v)
        assert g[0].tolist() == g["x"].tolist() == [6.0, 10.0, 14.0]
        assert len(g) == 1
    _, g = ya.grad(Layer.loss, layer, v)
    assert list(g[0]) == [("W",)]
    _, g = ya.grad(functools.partial(f, y=v), v)
    assert g[0].tolist() == (2 * v).tolist()


def test_functions_that_have_a_rule_themselves(v):
    assert ya.grad(np.sum, v)[1][0].tolist() == [1.0] * 3
    val, g = ya.grad(np.sin, 2.0)
    assert (val, g[0]) == (np.sin(2.0), np.cos(2.0))
    _, g = ya.grad(np.linalg.solve, 2 * np.eye(2), np.ones(2), seed=np.ones(2))
    assert g["b"].tolist() == [0.5, 0.5]
    _, g = ya.grad(np.concatenate, [v, v], seed=np.ones(6))
    assert g["arrays"][0].tolist() == [1.0] * 3


@pytest.mark.parametrize("name", ["wrt", "seed", "dynamic"])
def test_names_of_options_that_are_parameters_too(name):
    scope = {}
    exec(f"def own(x, {name}): return x * {name}", scope)
    signature = inspect.signature(scope["own"])
    assert name in signature.parameters
    with pytest.raises(YotaError, match=f"`{name}=` is an option of `grad`") as error:
        ya.grad(scope["own"], 2.0, **{name: 3.0})
    assert "functools.partial" in error.value.remedy


def own_seed(x, seed):
    return x * seed


def test_the_cotangent_beside_a_parameter_called_seed():
    val, g = ya.grad(own_seed, 2.0, 3.0)
    assert (val, list(g)) == (6.0, [3.0, 2.0])
    assert "def own_seed_grad(x, seed, seed_2=1.0):" in g.source
    _, g = ya.grad(functools.partial(own_seed, seed=3.0), 2.0, seed=10.0)
    assert g[0] == 30.0


@pytest.mark.parametrize("thing", [3, "f", None])
def test_what_is_no_function(thing):
    with pytest.raises(YotaError, match="cannot be called"):
        ya.grad(thing, 1.0)


@functools.lru_cache
def remembered(x, k=2):
    return x**k


def test_a_cache_is_looked_through():
    val, g = ya.grad(remembered, 3.0)
    assert (val, g[0]) == (9.0, 6.0)
    assert ya.grad(functools.partial(remembered, k=3), 2.0)[1][0] == 12.0


# ---------------------------------------------------------------- seeds


def test_an_array_needs_a_seed(v):
    with pytest.raises(ShapeError, match="double gives an array: a seed is needed"):
        ya.grad(double, v)
    val, g = ya.grad(double, v, seed=v)
    assert (val.tolist(), g[0].tolist()) == ((2 * v).tolist(), (2 * v).tolist())
    assert ya.grad(double, v, seed=[1, 0, 1])[1][0].tolist() == [2.0, 0.0, 2.0]


@pytest.mark.parametrize("seed", [np.ones(4), np.ones((1, 3)), 1.0, np.ones(1)])
def test_a_seed_has_the_shape_of_the_value(v, seed):
    with pytest.raises(ShapeError, match="seed"):
        ya.grad(double, v, seed=seed)
    with pytest.raises(ValueError, match="double_grad: seed"):
        ya.simplegrad(double, v)(v, np.asarray(seed))


def test_a_scalar_has_a_scalar_seed(v):
    assert ya.grad(f, v, v, seed=10.0)[1]["z"] == 140.0
    with pytest.raises(ShapeError, match="shape"):
        ya.grad(f, v, v, seed=np.ones(3))


@pytest.mark.parametrize(("fn", "seed"), [
    (np.sum, 2j), (double, np.full(3, 1j)), (pair, (np.ones(3), {"total": 1j})),
])  # fmt: skip
def test_a_real_value_has_a_real_seed(v, fn, seed):
    said = (
        f"the seed is complex where the value of {fn.__name__} is real\n"
        "Give it the real part, or differentiate a complex value."
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy's, where the code has run before
        with pytest.raises(ya.YotaError) as caught:
            ya.grad(fn, v, seed=seed)
        assert str(caught.value) == said
        with pytest.raises(ya.YotaError) as caught:
            ya.vjp(fn)(v)[1](seed)
        assert str(caught.value) == said


def counted(v, n):
    return n, np.sum(v * v)


def test_a_whole_number_of_a_value_may_have_no_seed(v):
    for seed in (None, 1.0), (0, 1.0):
        _, g = ya.grad(counted, v, 3, seed=seed)
        assert g[0].tolist() == [2 * x for x in v.tolist()]


def test_general_text_serves_scalars_without_a_seed_and_arrays_with_one(v):
    general = ya.simplegrad(double)
    assert general(3.0) == (6.0, 2.0)
    assert general(v, v)[1].tolist() == (2 * v).tolist()
    with pytest.raises(ValueError, match="double_grad: seed"):
        general(v)


def test_structured_values_have_structured_seeds(v):
    with pytest.raises(ShapeError, match="pair gives a tuple"):
        ya.grad(pair, v)
    val, g = ya.grad(pair, v, seed=(np.ones(3), {"total": 10.0}))
    assert val[1] == {"total": 6.0}
    assert g[0].tolist() == [12.0] * 3
    items = (np.ones(3), {"sum": 1.0}), (None, {"total": 1.0}), (np.ones(3), 1.0)
    for seed in (1.0, (np.ones(3),), *items):
        with pytest.raises(ShapeError, match="seed"):
            ya.grad(pair, v, seed=seed)


@pytest.mark.parametrize("value", [None, "text"])
def test_a_value_that_is_no_number(value):
    with pytest.raises(YotaError, match="has no gradient"):
        ya.grad(lambda x: value, 2.0)


def test_complex_values_need_a_seed():
    with pytest.raises(ShapeError, match="complex"):
        ya.grad(lambda x: x * 2j, 2.0)
    assert ya.grad(lambda x: abs(x * 2j), 2.0)[1][0] == 2.0


# ---------------------------------------------------------------- kinds of gradients


@pytest.mark.parametrize(
    "x",
    [
        2.0,
        np.float32(2.0),
        np.float64(2.0),
        np.array(2.0),
        np.array(2.0, np.float32),
        np.array([2.0, 3.0], np.float32),
        np.zeros(0),
        np.ones((1, 3)),
    ],
)
def test_gradients_are_of_the_kind_of_the_argument(x):
    val, g = ya.grad(lambda x: np.sum(x * x), x)
    assert val == np.sum(x * x)
    assert type(g[0]) is type(x)
    assert np.shape(g[0]) == np.shape(x)
    assert getattr(g[0], "dtype", None) == getattr(x, "dtype", None)
    assert np.array_equal(g[0], 2 * x)


def test_containers(v):
    p = [v, {"b": v, "unread": 1.0, "name": "q"}, (3, np.ones(2))]
    _, g = ya.grad(lambda p: np.sum(p[0] * p[1]["b"]), p)
    first, second, third = g[0]
    assert first.tolist() == second["b"].tolist() == v.tolist()
    assert second == {"b": second["b"], "unread": 0.0, "name": None}
    assert third[0] is None
    assert third[1].tolist() == [0.0, 0.0]
    assert type(third) is tuple


def test_an_argument_that_does_not_matter_gets_zeros(v):
    _, g = ya.grad(lambda x, y, z: np.sum(x), v, v, 1.0)
    assert (g[1].tolist(), g[2]) == ([0.0] * 3, 0.0)


def test_objects_have_the_fields_that_are_read(layer, v):
    class Net:
        def __init__(self):
            self.layers = [layer, Layer(np.ones((2, 3)), np.ones(2))]
            self.shared = self.layers[0]
            self.rate = 0.5

    def loss(net, x):
        if net.rate > 0:
            return np.sum(net.layers[0].W @ x) + np.sum(net.shared.W @ x)
        return np.sum(net.layers[1].b)

    net = Net()
    val, g = ya.grad(loss, net, v)
    assert val == loss(net, v)
    np.testing.assert_allclose(g[0]["layers", 0, "W"], np.tile(v, (2, 1)))
    np.testing.assert_allclose(g[0]["shared", "W"], np.tile(v, (2, 1)))
    assert g[0]["layers", 1, "b"].tolist() == [0.0, 0.0]
    assert ("layers", 1, "W") not in g[0]
    W = layer.W.copy()
    ya.update(net, g[0])
    np.testing.assert_allclose(layer.W, W - 2 * np.tile(v, (2, 1)))


# ---------------------------------------------------------------- memory


def identity_like(x, y):
    return x.T + 0.0 * y, x


MEMORY = [
    (lambda x, y: np.sum(x + y), 1.0),
    (lambda x, y: x + y, np.ones((2, 2))),
    (lambda x, y: x, np.ones((2, 2))),
    (lambda x, y: (x, y, x), (np.ones((2, 2)),) * 3),
    (lambda x, y: x.T, np.ones((2, 2))),
    (lambda x, y: np.sum(x) + np.sum(x), 1.0),
]


@pytest.mark.parametrize("k", range(len(MEMORY)))
def test_gradients_share_no_memory(k):
    fn, seed = MEMORY[k]
    x, y = np.ones((2, 2)), np.full((2, 2), 3.0)
    val, g = ya.grad(fn, x, y, seed=seed)
    given = list(val) if isinstance(val, tuple) else [val]
    seeds = list(seed) if isinstance(seed, tuple) else [seed]
    mine = list(g)
    for i, gradient in enumerate(mine):
        assert gradient.flags.writeable
        others = [x, y, *given, *seeds, *mine[:i]]
        assert not any(np.shares_memory(gradient, o) for o in others)
    assert x.tolist() == [[1.0, 1.0]] * 2
    assert y.tolist() == [[3.0, 3.0]] * 2


def test_the_value_is_that_of_the_function_bit_for_bit():
    def odd(x):
        t = np.exp(x) / (1.0 + x**2)
        return np.sum(np.tanh(t) * np.log1p(np.abs(x)))

    for seed in range(20):
        x = np.random.default_rng(seed).standard_normal(7)
        val, _ = ya.grad(odd, x)
        assert (val, type(val)) == (odd(x), type(odd(x)))


CALLS = []


@ya.primitive
def noted(x):
    CALLS.append(x)
    return x


ya.diffrule("noted(x)", "x", "dy")


def noting(x):
    return noted(x) * 2.0


def test_user_code_runs_once_in_grad_and_never_in_simplegrad():
    CALLS.clear()
    dn = ya.simplegrad(noting, 1.0)
    ya.simplegrad(noting)
    assert CALLS == []
    ya.grad(noting, 1.0)
    assert CALLS == [1.0]
    ya.grad(noting, 2.0)
    assert CALLS == [1.0, 2.0]
    ya.trace(noting, 3.0)
    assert CALLS == [1.0, 2.0, 3.0]
    dn(4.0)
    assert CALLS[3:] == [4.0]


def test_effects_happen_once_and_in_order(capsys):
    def talking(x):
        print("before", x)
        y = x * x
        print("after", y)
        return y

    val, g = ya.grad(talking, 3.0)
    assert (val, g[0]) == (9.0, 6.0)
    assert capsys.readouterr().out == "before 3.0\nafter 9.0\n"


class OwnError(ValueError):
    pass


def raising(x):
    if x < 0:
        raise OwnError("negative")
    return x * x


def test_errors_of_the_function_pass_through():
    assert ya.grad(raising, 2.0)[1][0] == 4.0
    with pytest.raises(OwnError, match=r"^negative$"):
        ya.grad(raising, -2.0)


# ---------------------------------------------------------------- simplegrad


def test_simplegrad_is_a_plain_function(v, tmp_path):
    df = ya.simplegrad(f, v, v, 2.0)
    val, dx, dy, dz = df(v, v, 2.0)
    assert val == f(v, v)
    assert dx.tolist() == dy.tolist() == (2 * v).tolist()
    assert dz == np.sum(v * v)
    assert inspect.isfunction(df.fn)
    assert df.source.splitlines()[3].startswith("def f_grad(x, y, z=2.0, seed=1.0):")
    path = df.save(tmp_path / "f_grad.py")
    scope = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    assert scope["f_grad"](v, v, 2.0)[0] == val
    assert "yota_ast" not in path.read_text()


def test_simplegrad_of_a_method(layer, v):
    dloss = ya.simplegrad(layer.loss, v)
    val, dx = dloss(v)
    assert (val, dx.tolist()) == (layer.loss(v), [6.0, 10.0, 14.0])


def test_simplegrad_reads_annotations():
    def poly(x: float, n: int):
        return x**n

    assert ya.simplegrad(poly)(2.0, 3) == (8.0, 12.0)


def optional(x, axis=None):
    if axis is None:
        return np.sum(x**2)
    return np.sum(np.sum(x, axis) ** 2)


def applied(fn, x):
    return np.sum(fn(x))


def summed(parts):
    return sum(np.sum(p) for p in parts)


@pytest.mark.parametrize(
    ("fn", "example", "other"),
    [
        (optional, (np.ones((2, 3)), None), (np.ones((2, 3)), 0)),
        (applied, (double, np.ones(2)), (np.sin, np.ones(2))),
        (summed, ([np.ones(2)] * 2,), ([np.ones(2)] * 3,)),
    ],
)
def test_a_text_refuses_what_it_was_not_made_for(fn, example, other):
    df = ya.simplegrad(fn, *example)
    assert df(*example)[0] == fn(*example)
    with pytest.raises(ValueError, match=f"{fn.__name__}_grad: made for"):
        df(*other)
    for args in (example, other, example):
        assert ya.grad(fn, *args)[0] == fn(*args)


def test_options_that_are_not_available():
    with pytest.raises(UnsupportedSyntax):
        ya.simplegrad(double, fast=True, backend="numba")
    with pytest.raises(UnsupportedSyntax):
        ya.simplegrad(double, backend="fortran")
    with pytest.raises(UnsupportedSyntax):
        ya.trace(double, 1.0, unroll=True)


# ---------------------------------------------------------------- transforms


def test_value_and_grad(v):
    val, dx = ya.value_and_grad(f)(v, v)
    assert (val, dx.tolist()) == (f(v, v), (2 * v).tolist())
    for wrt in ("z", 2, ["z"], -1):
        assert ya.value_and_grad(f, wrt=wrt)(v, v)[1] == np.sum(v * v)
    val, (dx, dz) = ya.value_and_grad(f, wrt=["x", "z"])(v, v)
    assert (dx.tolist(), dz) == ((2 * v).tolist(), np.sum(v * v))
    with pytest.raises(ShapeError):
        ya.value_and_grad(double)(v)


def test_value_and_grad_serves_scipy():
    optimize = pytest.importorskip("scipy.optimize")

    def rosenbrock(x):
        return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    found = optimize.minimize(
        ya.value_and_grad(rosenbrock), np.zeros(4), jac=True, method="BFGS"
    )
    np.testing.assert_allclose(found.x, np.ones(4), atol=1e-4)


def test_vjp(v):
    val, pullback = ya.vjp(double)(v)
    assert val.tolist() == (2 * v).tolist()
    v[:] = 0.0
    assert pullback(np.ones(3)).tolist() == [2.0] * 3
    assert pullback(np.zeros(3)).tolist() == [0.0] * 3
    with pytest.raises(ShapeError):
        pullback(1.0)
    _, pullback = ya.vjp(f, wrt=["x", "y"])(np.ones(3), np.ones(3))
    dx, dy = pullback(1.0)
    assert dx.tolist() == dy.tolist() == [2.0] * 3


def test_jacobian(v):
    assert ya.jacobian(double)(v).tolist() == (2 * np.eye(3)).tolist()
    assert ya.jacobian(f)(v, v).tolist() == (2 * v).tolist()
    outer = ya.jacobian(lambda x: np.outer(x, x))(v)
    assert outer.shape == (3, 3, 3)
    np.testing.assert_allclose(outer[0, 1], [2.0, 1.0, 0.0])
    J, K = ya.jacobian(lambda x, y: x * y, wrt=["x", "y"])(v, v + 1)
    assert (np.diag(J).tolist(), np.diag(K).tolist()) == ((v + 1).tolist(), v.tolist())


def test_stop_gradient(v):
    val, g = ya.grad(lambda x: np.sum(ya.stop_gradient(x) * x), v)
    assert (val, g[0].tolist()) == (14.0, v.tolist())


def test_play_uses_what_was_compiled(v):
    _, tape = ya.trace(f, v, v, 2.0)
    assert tape.compiled == []
    fn = ya.compile(tape)
    assert tape.compiled == [fn]
    assert ya.play(tape, v, v, 3.0) == tape.play(v, v, 3.0) == f(v, v, 3.0)


def test_a_compiled_lambda_has_a_name(v):
    _, tape = ya.trace(lambda x: np.sum(3 * x), v)
    assert ya.compile(tape)(v) == tape.play(v) == 3 * v.sum()


def test_the_public_names():
    for name in ya.__all__:
        assert getattr(ya, name) is not None
    assert set(ya.__all__) <= set(dir(ya))
    with pytest.raises(AttributeError, match="yota_ast has no `gradient`"):
        _ = ya.gradient


def applied(fn, x):
    return fn(x) * x


def test_simplegrad_refuses_functions_that_their_names_do_not_tell():
    square, cube = lambda x: x * x, lambda x: x * x * x  # both are called <lambda>
    for fn in (square, cube, functools.partial(pow, exp=2)):
        with pytest.raises(ya.UnsupportedCall) as error:
            ya.simplegrad(applied, fn, 2.0)
        assert error.value.diagnostic == (
            "UnsupportedCall: `fn` is a function without an importable name:"
            " generated code cannot tell it from other functions\n"
            "Bind it with functools.partial, or call `grad`."
        )
    assert ya.grad(applied, square, 2.0)[1]["x"] == 12.0
    assert ya.grad(applied, cube, 2.0)[1]["x"] == 32.0
    bound = [
        ya.simplegrad(functools.partial(applied, fn), 2.0) for fn in (square, cube)
    ]
    assert [d(2.0)[1] for d in bound] == [12.0, 32.0]
    assert (
        ya.simplegrad(applied, math.sin, 2.0)(math.sin, 2.0)[0] == math.sin(2.0) * 2.0
    )


async def awaited(x):
    return x * x


def test_a_coroutine_function_has_no_value_to_differentiate():
    for gradient in (ya.grad, ya.simplegrad, ya.trace):
        with pytest.raises(ya.UnsupportedSyntax, match="coroutine") as caught:
            gradient(awaited, 2.0)
        assert caught.value.excerpt == "async def awaited(x):"


def scaled(x, scale=2.0, *, power=1):
    return np.sum((x * scale) ** power)


def test_the_text_of_a_partial_has_what_is_bound_for_defaults(v):
    """It is that of the function: by its own defaults it would be another's."""
    bound = functools.partial(scaled, scale=3.0, power=2)
    source = gradient_source(bound, wrt="x")
    scope = {}
    exec(source, scope)
    val, dx = scope["scaled_grad"](v)
    assert val == bound(v)
    assert dx.tolist() == ya.grad(bound, v)[1]["x"].tolist()
    assert "scale=3.0, *, power=2" in ya.simplegrad(bound, v).source
    assert "scale=3.0" in directional.tangent_source(bound)
    assert "scale=2.0" in gradient_source(scaled)
    large = functools.partial(scaled, scale=np.ones(3))
    assert "scale=_scale" in gradient_source(large)
