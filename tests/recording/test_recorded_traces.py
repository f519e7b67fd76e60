"""A function without a source -> its tape, which is right for other arguments, or
raises, or is refused."""

import copy
import functools
import inspect
import math
import operator
import random
import threading
import typing

import numpy as np
import pytest
import scipy.linalg
import scipy.special
import scipy.stats

import yota_ast as ya

X = np.array([1.0, 2.0, 3.0])
EYE = np.eye(2)
NAMES = {
    "np": np, "math": math, "linalg": scipy.linalg, "special": scipy.special,
    "stats": scipy.stats, "ya": ya, "exp": math.exp, "random": random, "copy": copy,
    "rng": np.random.default_rng(0), "calls": [], "cache": {},
}  # fmt: skip


def made(body, params="x"):
    """A function of which no text is kept; its last line is what it returns."""
    *lines, last = body.strip().splitlines()
    text = "".join(f"    {line.strip(';')}\n" for line in lines)
    names = dict(NAMES)
    exec(f"def f({params}):\n{text}    return {last.strip()}\n", names)
    return names["f"]


def source_of(body, params="x"):
    """The same with its text."""
    *lines, last = body.strip().splitlines()
    text = "".join(f"    {line.strip(';')}\n" for line in lines)
    text = f"def f({params}):\n{text}    return {last.strip()}\n"
    return ya.from_source(text, dict(NAMES))["f"]


def recorded(fn, *args, **options):
    """The function of the tape that is recorded of a call."""
    value, tape = ya.trace(fn, *copy.deepcopy(args), tracer="values", **options)
    assert_same(value, fn(*copy.deepcopy(args)))
    return ya.compile(tape)


def assert_same(one, other):
    if isinstance(other, (tuple, list)):
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            assert_same(a, b)
    else:
        np.testing.assert_array_equal(one, other)


class Program(typing.NamedTuple):
    """A function; arguments; others of which it is right; others that are refused."""

    body: str
    args: tuple
    right: tuple = ()
    raising: tuple = ()
    params: str = "x"


def of_x(body, right=(2 * X,), raising=()):
    return Program(body, (X,), tuple((v,) for v in right), tuple((v,) for v in raising))


def of_number(body, right=(3.0,), raising=()):
    return Program(
        body, (2.0,), tuple((v,) for v in right), tuple((v,) for v in raising)
    )


# From NumPy 2.5 on, eigenvalues are complex whatever they are.
TURNED = ((np.array([[0, 1.0], [-1, 0]]),),) * (np.linalg.eigvals(EYE).dtype == float)
PROGRAMS = [
    # operators, functions, methods
    of_x("np.sum(np.sin(x) * x)"),
    of_x("(x.reshape(3, 1).T @ x).item()"),
    of_x("np.einsum('i,i->', x, x)"),
    of_x("np.sum(np.stack([x, 2 * x])[1])"),
    of_x("np.sum(np.split(x, 3)[1])"),
    of_x("special.logsumexp(x)"),
    of_x("np.sum(stats.norm.logpdf(x, 0.5))"),
    of_x("np.add.reduce(x)"),
    of_x("sum(v * v for v in x)"),
    of_x("np.sum(x * np.arange(3.0))"),
    of_x("x[np.argmax(x)] * 2", (2 * X, X[::-1].copy())),
    of_x("np.sum(np.random.default_rng(3).normal(size=3) * x)"),
    of_number("math.exp(x) + math.hypot(x, 1.0)"),
    of_number("1.0 - 2 / x ** 3 + abs(-x) % 2.0"),
    of_number("divmod(x, 2.5)[1]"),
    Program("np.sum(np.linalg.qr(x).R)", (EYE + 1,), ((EYE + 3,),)),
    Program("np.sum(linalg.solve(x, np.ones(2)))", (EYE * 2,), ((EYE * 3,),)),
    # memory
    of_x("y = x * 1\nv = y[1:]\nv[0] = x[0] * 5\ny[2] = v[0] + v[1]\nnp.sum(y * y)"),
    of_x("x[0] = 3 * x[1]\nx += 1\nnp.sum(x * x)"),
    of_x("y = x * 1\nnp.add.at(y, [0, 0], x[:2])\nnp.sum(y * y)"),
    of_x("y = x * 1\nz = y\nz += x\nz *= x[0]\nnp.sum(y)"),
    of_x("y = x * 1\ny[1:] += x[:2]\ny[0] -= y[1]\nnp.sum(y * y)"),
    of_x("y = x * 1\ny.sort()\nnp.sum(y * np.arange(3.0))", (X[::-1].copy(),)),
    of_x("np.sum(np.multiply(x, x, out=np.empty_like(x)))"),
    of_x("b = np.ones(3)\ny = x * b\nb[0] = 7\nnp.sum(y * b)"),
    of_x("y = copy.deepcopy(x)\ny[0] = 9 * x[1]\nnp.sum(x * y)"),
    of_x("a = x[0] * 2\nx[0] = 7.0\na + x[0]"),
    # branches
    of_x("np.sum(x) if x[0] > 0 else -np.sum(x)", (2 * X,), (-X, X * np.nan)),
    Program("np.sum(x) if x[0] > 0 else 2 * x[1]", (-X,), ((X * np.nan,),), ((X,),)),
    of_x("s = np.sum(x)\nwhile s > 1: s = s / 2\ns", (0.9 * X,), (100 * X,)),
    of_x("max(x[0], x[1]) * 2", (2 * X,), (-X,)),
    of_x("np.sum(x) if 2.0 in x else np.prod(x)", (X,), (1.1 * X,)),
    of_x("sorted(x)[0] * 2", (2 * X,), (X[::-1].copy(),)),
    of_number("x * 2 if 0 < x < 5 else x", (3.0,), (7.0, -1.0)),
    of_number("x * int(x)", (2.5,), (3.5,)),
    of_number("x if math.isclose(x, 2.0) else 2 * x", (2.0,), (3.0,)),
    Program("sum(x**k for k in range(n))", (2.0, 3), ((3.0, 3),), ((3.0, 4),), "x, n"),
    Program("{1: 2.0, 2: 3.0}[n] * x", (2.0, 1), ((3.0, 1),), ((3.0, 2),), "x, n"),
    Program("x * len([0] * n)", (2.0, 2), ((3.0, 2),), ((3.0, 4),), "x, n"),
    # what whole numbers are used for that are recorded themselves
    Program("x[n] * n", (X, 1), ((X, 2), (X, -1)), (), "x, n"),
    Program("np.sum(x[:n])", (X, 2), ((X, 3), (X, 0)), (), "x, n"),
    Program("np.sum(np.linspace(0, x, n))", (2.0, 4), ((3.0, 5),), (), "x, n"),
    # shapes that follow from values
    of_x("np.sum(x[x > 1.5]) / len(x[x > 1.5])", (1.01 * X,), (2 * X,)),
    of_x("sum(v * v for v in x[x > 1.5])", (1.01 * X,), (2 * X,)),
    of_x("np.sum(x) / np.unique(x).size", (2 * X,), (np.ones(3),)),
    of_x("np.sum(x) / len(np.nonzero(x)[0])", (2 * X,), (np.array([0.0, 1, 2]),)),
    Program("np.sum(x) * np.broadcast_to(x, (n, 3)).shape[0]", (X, 2), ((X, 2),),
            ((X, 4),), "x, n"),
    Program("np.sum(x) * len(np.repeat(x, n))", (X, 2), ((X, 2),), ((X, 4),), "x, n"),
    Program("x * len(np.zeros(n))", (2.0, 4), ((3.0, 4),), ((3.0, 5),), "x, n"),
    Program("np.sum(x) * np.broadcast_to(x, s).shape[0]", (X, (2, 3)), ((X, (2, 3)),),
            ((X, (4, 3)),), "x, s"),
    Program("x * 1 if np.linalg.eigvals(x).dtype.kind == 'c' else 2 * x", (EYE,),
            ((2 * EYE,),), TURNED),
    of_x("y = np.emath.sqrt(x)\nnp.sum(np.abs(y)) if y.dtype == np.float64 else x[0]",
         (2 * X,), (-X,)),
    # kinds and sizes of arguments
    of_x("np.sum(x) * x.shape[0]", (2 * X,), (np.ones(4), np.ones((3, 1)))),
    of_x("np.sum(x) if x.dtype == np.float64 else x[0]", (X,), (X.astype("f4"),)),
    of_x("np.sum(x) if isinstance(x, np.ndarray) else 0 * x"),
    Program("x * x", (np.array(2.0),), ((np.array(3.0),),), ((X,),)),
    Program("np.sum(x * 2)", (np.zeros(0),), ((np.zeros(0),),), ((X,),)),
    Program("np.sum(x * 2)", (X.astype(">f8"),), ((X.astype(">f8"),),), ((X,),)),
    Program("np.sum(x * 2)", (np.arange(6.0)[::2],), ((X,),)),
    Program("np.sum(x * 2.0)", (X.astype("f4"),), ((2 * X.astype("f4"),),)),
    Program("np.sum(x[m])", (X, np.array([True, False, True])),
            ((X, np.array([True, True, True])),), (), "x, m"),
    # what is taken as it is
    Program("np.sum(x) if flag else np.prod(x)", (X, True), ((X, True),), ((X, False),),
            "x, flag"),
    Program("np.sum(x) if m == 's' else np.prod(x)", (X, "s"), ((X, "s"),), ((X, "p"),),
            "x, m"),
    Program("np.sum(g(x))", (X, np.sin), ((X, np.sin),), ((X, np.cos),), "x, g"),
    Program("np.sum(p['w'] * p['b'])", ({"w": X, "b": 2.0},), (({"w": X, "b": 3.0},),),
            (({"b": 2.0, "w": X},),), "p"),
    Program("np.sum(p[0] * p[1])", ([X, 2.0],), (([X, 3.0],),), (([X, 2.0, X],),), "p"),
    Program("scale * np.sum(x)", (X,), ((2 * X,), (X, 3.0)), (), "x, scale=2.0"),
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.body)
def test_a_record_is_right_or_raises(program):
    fn = made(program.body, program.params)
    tape = recorded(fn, *program.args)
    for args in program.right:
        assert_same(tape(*copy.deepcopy(args)), fn(*copy.deepcopy(args)))
    for args in program.raising:
        with pytest.raises(ValueError, match=r"recorded where|made for"):
            tape(*copy.deepcopy(args))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.body)
def test_its_gradient_is_that_of_the_source(program):
    args, fn = program.args, source_of(program.body, program.params)
    tape = recorded(made(program.body, program.params), *args)
    try:
        expected = ya.grad(fn, *copy.deepcopy(args))
    except ya.YotaError:
        return
    found = ya.grad(tape, *copy.deepcopy(args))
    assert_same(found[0], expected[0])
    for name in inspect.signature(fn).parameters:
        if name in expected[1]:
            np.testing.assert_equal(found[1][name], expected[1][name])


REFUSED = [
    ("np.sum(np.asarray(x))", "an array is made"),
    ("np.sum(np.array([x[0], x[1]]))", "an array is made"),
    ("np.array([x[0].item(), 2.0])[0]", "an array is made"),
    ("float(x[0]) * x[1]", "`float`"),
    ("exp(x[0])", "`float`"),
    ("complex(x[0])", "`complex`"),
    ("np.sum(memoryview(x))", "memoryview"),
    ("sum(x.flat)", r"`\.flat`"),
    ("f'{x[0]:.2f}'; return np.sum(x)\nx", "the text"),
    ("print(x)\nnp.sum(x)", "the text"),
    ("b = np.zeros(3)\nb[0] = x[0]\nnp.sum(b)", "`float`"),
    ("b = np.zeros(3)\nb += x\nnp.sum(b)", "writes into an argument"),
    ("b = np.zeros(3)\nnp.copyto(b, x)\nnp.sum(b)", "writes into an argument"),
    ("b = np.empty(3)\nnp.multiply(x, x, out=b)\nnp.sum(b)", "writes into an argument"),
    ("np.sum(rng.normal(size=3) * x)", "draws random"),
    ("np.sum(x * (np.random.default_rng().random(1) < 2))", "draws random"),
    ("np.sum(x * (np.random.rand(1) < 2))", "draws random"),
    ("np.sum(x * (random.random() < 2))", "draws random"),
    ("calls.append(1)\nx * len(calls)", "gives another value"),
    ("np.sum(x) if type(x) is np.ndarray else np.sum(2 * x)", "gives another value"),
    ("3.0", "does not follow"),
    ("x.shape[0]", "does not follow"),
    ("ya.grad(np.sum)(x)", "raises a"),
    ("x[0].item() if isinstance(x[0].item() ** 0.5, float) else x[1]", "a power"),
]


@pytest.mark.parametrize(("body", "reason"), REFUSED, ids=[b for b, _ in REFUSED])
def test_what_cannot_be_seen_is_refused(body, reason):
    with pytest.raises(ya.UnsupportedCall, match=reason):
        ya.trace(made(body), X, tracer="values")


def swallowing(x):
    try:
        return np.sum(np.asarray(x))
    except Exception:
        return 2 * np.sum(x)


def catching(x):
    try:
        return np.linalg.cholesky(x)[0, 0]
    except np.linalg.LinAlgError:
        return np.sum(x)


def writing(p):
    p["w"] = p["w"] * 2
    return np.sum(p["w"])


class Weights:
    def __init__(self):
        self.w = X

    def __call__(self, x):
        return np.sum(self.w * x)


@pytest.mark.parametrize(
    ("fn", "args", "reason"),
    [
        (swallowing, (X,), "an array is made"),
        (catching, (-EYE,), "catches a LinAlgError"),
        (writing, ({"w": X},), "changes a list or a dict"),
        (lambda m, x: np.sum(m.w * x), (Weights(), X), "class `Weights`"),
        (lambda g, x: g(x), (Weights().__call__, X), "class `method`"),
    ],
)
def test_programs_that_hide_something_are_refused(fn, args, reason):
    with pytest.raises(ya.UnsupportedCall, match=reason):
        ya.trace(fn, *args, tracer="values")


def test_values_that_are_left_over_are_refused():
    kept = []

    def leaking(x):
        kept.append(x)
        return kept[-1] * x

    ya.trace(leaking, 2.0, tracer="values")
    with pytest.raises(ya.UnsupportedCall, match="which has ended"):
        ya.trace(lambda x: kept[1] * x, 2.0, tracer="values")


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (np.sum, (X,)),
        (np.sin, (X,)),
        (functools.partial(np.sum, axis=0), (X,)),
        (functools.partial(np.power, 2.0), (X,)),
        (operator.methodcaller("sum"), (X,)),
        (Weights(), (X,)),
        (Weights().__call__, (X,)),
    ],
)
def test_callables_of_all_kinds(fn, args):
    assert_same(recorded(fn, *args)(2 * X), fn(2 * X))


def test_memory_that_arguments_share():
    fn = made("x[0] = 5.0\nnp.sum(x * y)", "x, y")
    tape, both = recorded(fn, X.copy(), X.copy()), np.ones(3)
    try:
        found = tape(both, both)
    except ValueError:
        return
    both = np.ones(3)
    assert found == fn(both, both)


def test_a_store_changes_the_caller_s_array_once():
    x = X.copy()
    value, _ = ya.trace(made("x += 1\nnp.sum(x)"), x, tracer="values")
    assert value == 9.0
    assert_same(x, X + 1)


# ---------------------------------------------------------------- rules of users


@pytest.fixture
def relu():
    """The example of YotaTracked's README."""

    def relu(x):
        return np.maximum(x, 0)

    def relu_grad(x):
        return (x > 0).astype(float)

    with_rule = ya.diffrule("relu(x)", "x", "dy * relu_grad(x)")
    for fn in (relu, relu_grad):
        ya.primitive(fn)
    yield relu
    from yota_ast.rules import BOOK

    BOOK.remove(with_rule)
    for fn in (relu, relu_grad):
        ya.PRIMITIVES.discard(fn)


def test_the_example_of_yota_tracked(relu):
    relu_test = eval("lambda x: np.sum(relu(x))", {"np": np, "relu": relu})
    x = np.array([-1.0, 0.5, 2.0])
    value, tape = ya.trace(relu_test, x, tracer="values")
    assert value == 2.5
    assert "relu(%1)" in str(tape)
    drelu = ya.simplegrad(ya.compile(tape), x)
    assert "dx = seed * relu_grad(x)" in drelu.source
    assert_same(drelu(x)[1], [0.0, 1.0, 1.0])


def test_a_rule_for_some_types_is_that_of_these_alone():
    def square(x):
        return x * x

    @ya.diffrule
    def of_floats(x: float, *, dy):
        y = square(x)
        dx = 100 * dy

    tape = recorded(lambda x: square(x) + 0, 2.0)
    assert ya.grad(tape)(2.0) == 100.0
    tape = recorded(lambda x: np.sum(square(x)), X)
    assert_same(ya.grad(tape)(X), 2 * X)


def test_functions_that_stay_one_operation():
    def helper(x):
        return np.sin(x)

    _, tape = ya.trace(
        lambda x: helper(x) + 1, 2.0, tracer="values", primitives={helper}
    )
    assert "helper(%1)" in str(tape)
    assert helper(0.0) == 0.0


def test_objects_that_are_called_and_stay_one_operation():
    weights = Weights()
    ya.primitive(weights)
    try:
        _, tape = ya.trace(lambda x: weights(x) + 1, X, tracer="values")
        assert "weights(%1)" in str(tape)
        _, tape = ya.trace(lambda x: Weights()(x) + 1, X, tracer="values")
        assert "mul" in str(tape)
    finally:
        ya.PRIMITIVES.discard(weights)


def test_functions_are_as_before_afterwards():
    def fails(x):
        raise KeyError(x.shape)

    before = scipy.linalg.solve.__code__, scipy.linalg.solve.__dict__.copy(), math.exp
    recorded(made("np.sum(linalg.solve(x, np.ones(2)))"), EYE * 2)
    with pytest.raises(KeyError):
        ya.trace(fails, X, tracer="values")
    after = scipy.linalg.solve.__code__, scipy.linalg.solve.__dict__, math.exp
    assert before == after


def test_what_is_known_of_functions_is_as_before_afterwards():
    """While `math.exp` is caught, nothing is asked of the rules."""
    recorded(made("math.exp(x) * special.logsumexp(np.stack([x, x]))"), 2.0)
    assert ya.trace(source_of("math.exp(x)"), 2.0)[1].result.fact.kind == "float"


def test_other_threads_meanwhile():
    found, going = [], threading.Event()

    def busy():
        while not going.is_set():
            found.append(math.exp(0.0) + scipy.special.logsumexp(np.zeros(1)))

    thread = threading.Thread(target=busy)
    thread.start()
    for _ in range(5):
        recorded(made("math.exp(x) * 2"), 2.0)
    going.set()
    thread.join()
    assert set(found) == {1.0}


# ---------------------------------------------------------------- all modes


MODES = made("np.sum(np.tanh(x * w)) if w > 0 else 0.0 * w", "x, w")


def test_every_mode_takes_the_record():
    tape, fn = recorded(MODES, X, 0.5), source_of("np.sum(np.tanh(x * w))", "x, w")
    assert_same(ya.jvp(tape)(X, 0.5, X, 1.0), ya.jvp(fn)(X, 0.5, X, 1.0))
    np.testing.assert_allclose(ya.hvp(tape)(X, X, 0.5), ya.hvp(fn)(X, X, 0.5))
    np.testing.assert_allclose(ya.hessian(tape)(X, 0.5), ya.hessian(fn)(X, 0.5))
    batch = np.stack([X, 2 * X])
    each = [ya.vmap(f, in_axes=(0, None))(batch, 0.5) for f in (tape, fn)]
    assert_same(*each)


def test_the_docstrings_name_the_branch():
    tape = recorded(MODES, X, 0.5)
    branch = "Recorded for the branch `w > 0`, which is true at the example."
    assert branch in tape.source
    assert branch in ya.simplegrad(tape, X, 0.5).source
    assert branch in inspect.getsource(ya.trace(MODES, X, 0.5, tracer="values")[1].fn)


def test_a_file_of_the_gradient(tmp_path):
    d = ya.simplegrad(recorded(MODES, X, 0.5), X, 0.5, wrt="x")
    d.save(tmp_path / "saved.py")
    names = {}
    exec((tmp_path / "saved.py").read_text(), names)
    assert_same(
        names["function_grad" if "function_grad" in names else "f_grad"](X, 0.5),
        d(X, 0.5),
    )
    assert "yota_ast" not in "".join(
        line for line in d.source.splitlines() if "import" in line
    )


def test_the_tracer_has_a_name():
    with pytest.raises(ValueError, match="tracer is"):
        ya.trace(MODES, X, 0.5, tracer="operators")
