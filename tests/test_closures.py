"""Closures of one code, with other things in their cells: right, and compiled once."""

import functools
import linecache
import threading
import types

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.api import grad
from yota_ast.api.cache.compiled_gradients import Cache
from yota_ast.codegen import compile as compiling


@pytest.fixture(autouse=True)
def cache(monkeypatch):
    fresh = Cache()
    monkeypatch.setattr(grad, "_CACHE", fresh)
    return fresh


@pytest.fixture
def texts(monkeypatch):
    """The sources that were compiled."""
    found, compiled = [], grad.compiled

    def noting(program):
        found.append(compiled(program))
        return found[-1]

    monkeypatch.setattr(grad, "compiled", noting)
    return found


def afresh(call):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grad, "_CACHE", Cache())
        try:
            return call()
        except Exception as error:
            return f"{type(error).__name__}: {error}"


def shown(found):
    if isinstance(found, np.ndarray):
        return found.dtype.str, found.shape, repr(found.tolist())
    if isinstance(found, (tuple, list)):
        return [shown(item) for item in found]
    return type(found).__name__, repr(found)


def same(f, *args):
    """The value and the gradients of a call, the same as in a fresh process."""

    def call():
        value, g = ya.grad(f, *args)
        return value, list(g)

    expected = afresh(call)
    for _ in range(2):
        try:
            found = call()
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        assert shown(found) == shown(expected)
    return expected


def row(w, x, t):
    return (x @ w - t) ** 2


def test_steps_by_lambdas_are_compiled_once(texts):
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(20, 3)), rng.normal(size=20), np.zeros(3)
    before = None
    for i in range(20):
        rate = 0.1 / (i + 1)
        value, g = ya.grad(lambda w: rate * row(w, X[i], y[i]), w)
        error = X[i] @ w - y[i]
        assert value == rate * error**2
        np.testing.assert_allclose(g["w"], 2 * rate * error * X[i], rtol=1e-12)
        w = w - g["w"]
        if i == 2:
            before = len(linecache.cache), len(texts)
    assert (len(linecache.cache), len(texts)) == before
    assert len(texts) == 2
    assert "def lambda_grad(w, *, i, rate, seed=1.0):" in texts[-1].source


def test_a_kept_transform_whose_cell_changes_is_compiled_once(texts):
    X = np.arange(12.0).reshape(6, 2)
    i = 0

    def loss(w):
        return np.sum((X[i] * w) ** 2)

    kept = ya.value_and_grad(loss)
    for i in range(6):
        value, slope = kept(np.ones(2))
        assert (value, slope.tolist()) == (np.sum(X[i] ** 2), (2 * X[i] ** 2).tolist())
    assert len(texts) == 2


def make(content):
    def f(x):
        return np.sum(x * x * content)

    return f


def make_any(content):
    def f(x):
        if content is None:
            return np.sum(x)
        if callable(content):
            return np.sum(content(x))
        if isinstance(content, (list, tuple)):
            return np.sum(x * content[0])
        if isinstance(content, str):
            return np.sum(x * len(content))
        return np.sum(x * content)

    return f


CONTENTS = [
    2.0, 3.0, 2, 3, True, False, np.float64(2.0), np.float32(3.0), np.int64(2),
    np.array([1.0, 2.0]), np.array([1, 2]), np.array([1.0, 2.0], np.float32),
    np.array(2.0), np.ones((2, 2)), np.ones((2, 1)), np.ones(1), np.ones(3),
    np.array([1.0, 2.0], ">f8"), 1j, np.nan, np.inf, 0.0, 2**70,
]  # fmt: skip


@pytest.mark.parametrize("made", [make, make_any])
def test_cells_of_every_type(made):
    x = np.array([0.5, 1.5])
    for content in (*CONTENTS, *CONTENTS[::-1]):
        same(made(content), x)


def test_cells_that_hold_no_data():
    x = np.array([0.5, 1.5])
    others = [
        None, "ab", [2.0], [np.ones(2)], (3.0,), np.sin, np.cos, lambda x: x * x,
        functools.partial(np.multiply, 3.0), "abc", [2.0],
    ]  # fmt: skip
    for content in (2.0, 3.0, *others, 4.0, *others, 5.0):
        same(make_any(content), x)


def test_a_cell_that_is_an_argument():
    for _ in range(2):
        x, y = np.array([0.5, 1.5]), np.array([2.0, 1.0])
        for content in (x, y, x, x[:], y):
            same(make(content), x)


def make_writing(content):
    def f(x):
        x[0] = 3.0 * x[1]
        return np.sum(x * content)

    return f


def make_written(content):
    def f(x):
        content[0] = x[1] * 2.0
        return np.sum(x * content)

    return f


@pytest.mark.parametrize("made", [make_writing, make_written])
def test_what_is_written_and_shares_memory(made):
    def called(build, share):
        x = np.array([0.5, 1.5, 2.5])
        content = {"apart": np.array([2.0, 1.0]), "one": x[:2], "views": x[1:]}[share]
        x = x[:2]
        content = x if share == "one" else content
        f = build(content)
        try:
            value, g = ya.grad(f, x)
        except (ya.YotaError, ValueError) as error:
            return f"{type(error).__name__}: {error}"
        return value, list(g), x, content

    for share in ("apart", "apart", "apart", "one", "views", "apart", "one", "views"):
        expected = afresh(lambda: called(made, share))
        assert shown(called(made, share)) == shown(expected)


def make_deciding(n):
    def repeated(x):
        for _ in range(n):
            x = x * 1.5
        return np.sum(x)

    def along(x):
        return np.sum(np.sum(np.outer(x, x), axis=n) ** 2)

    def picked(x):
        return [x, 2.0 * x, 3.0 * x][n][0]

    def power(x):
        return np.sum(x**n)

    def reshaped(x):
        return np.sum(np.reshape(x, (n + 1, -1)) ** 2)

    def branched(x):
        return np.sum(x * x) if n else np.sum(x)

    def sliced(x):
        return np.sum(x[n:] ** 2)

    def shaped(x):
        return np.sum(np.ones((n, 2)) * x)

    return repeated, along, picked, power, reshaped, branched, sliced, shaped


@pytest.mark.parametrize("k", range(8))
def test_whole_numbers_that_decide(k):
    for x in (np.array([0.5, 1.5]), np.array([0.0, -2.0])):
        for n in (0, 1, 1, 0, -1, 2, 2, 0):
            same(make_deciding(n)[k], x)


def make_inside(k, name):
    def inner(x):
        times = lambda z: z * k
        return times(x)

    def listed(x):
        return np.sum(np.array([k * e for e in x]))

    def called(x):
        def helper(z, factor=k):
            return z * factor * k

        return np.sum(helper(x))

    def recursive(x, n=2):
        return np.sum(x) * k if n == 0 else recursive(x * k, n - 1)

    def outside(x):
        return np.sum(inner(x))

    return {f.__name__: f for f in (inner, listed, called, recursive, outside)}[name]


@pytest.mark.parametrize("name", ["listed", "called", "recursive", "outside"])
def test_cells_that_functions_inside_read(name):
    for k in (2.0, 3.0, 4.0, np.array([1.0, 2.0])):
        same(make_inside(k, name), np.array([0.5, 1.5]))


def test_cells_that_the_function_rebinds():
    def made(k):
        def f(x):
            nonlocal k
            k = k + 1.0
            return np.sum(x) * k

        return f

    for k in (2.0, 3.0, 4.0):
        same(made(k), np.ones(2))


def test_cells_under_names_of_the_generated_code(texts):
    def made(seed, dx, val, t1, x_2):
        def f(x):
            x = x * seed
            return np.sum(np.sin(x) * dx) + val * t1 * x_2

        return f

    for k in range(4):
        same(made(1.0 + k, 2.0 - k, 0.5 * k, 3.0, np.ones(2) * k), np.ones(2))


def test_an_example_array_is_not_kept_for_the_next_call():
    x = np.array([0.5, 1.5])
    for k in range(5):
        content = np.array([1.0, 2.0]) * k
        f = make(content)
        same(f, x)
        content[0] = 7.0
        value, g = ya.grad(f, x)
        assert value == f(x)
        assert g["x"].tolist() == (2 * x * content).tolist()


def test_the_tape_and_the_names_are_those_of_the_call():
    x = np.array([0.5, 1.5])
    for content in (2.0, 3.0, 4.0, np.array([1.0, 2.0])):
        f = make(content)
        value, g = ya.grad(f, x)
        assert g.tape.play(x) == value
        assert (g.names, len(g), next(iter(g)) is g["x"]) == (("x",), 1, True)
        assert ya.grad(f, x)[1].tape.play(x) == value


def test_forms_of_calls():
    def made(k):
        def f(a, b=2.0, *more, c=3.0, **named):
            return (a * b * c + sum(more) + sum(named.values())) * k

        def g(a, /, b=k, *, c=3.0):
            return a * b * c * k

        return f, g

    calls = [
        ((1.0,), {}), ((1.0, 5.0), {}), ((1.0,), {"b": 5.0}), ((1.0,), {"c": 4.0}),
        ((1.0,), {"c": 4.0, "b": 1.5}),
    ]  # fmt: skip
    others = [((1.0, 5.0, 7.0), {"e": 1.0}), ((1.0,), {"k": 4.0})]
    for k in (2.0, 3.0, 4.0, 5.0):
        f, g = made(k)
        for args, kwargs in calls:
            for each in (f, g):
                assert ya.grad(each, *args, **kwargs)[0] == each(*args, **kwargs)
                assert ya.value_and_grad(each)(*args, **kwargs)[0] == each(
                    *args, **kwargs
                )
        for args, kwargs in others:
            assert ya.grad(f, *args, **kwargs)[0] == f(*args, **kwargs)


def test_a_value_beside():
    for k in (2.0, 3.0, 4.0):
        kept = ya.value_and_grad(lambda x: (x * k, k), has_aux=True)
        assert kept(5.0) == ((5.0 * k, k), k)


def test_other_transforms_of_closures():
    x = np.array([0.5, 1.5])
    for k in (2.0, 3.0, 4.0):
        f = make(k)
        assert ya.vjp(f)(x)[1](1.0).tolist() == (2 * k * x).tolist()
        assert ya.jvp(f)(x, np.ones(2))[1] == np.sum(2 * k * x)
        assert ya.hvp(f)(x, np.ones(2)).tolist() == [2 * k] * 2
        assert ya.jacobian(f)(x).tolist() == (2 * k * x).tolist()
        assert ya.hessian(f)(x).tolist() == [[2 * k, 0.0], [0.0, 2 * k]]


def test_threads_that_call_different_closures_at_once():
    contents = [2.0, 3, np.array([1.0, 2.0]), np.float32(2.0), None, "ab", [2.0]]
    x, wrong = np.array([0.5, 1.5]), []
    expected = [shown(afresh(lambda: ya.grad(make_any(c), x)[1][0])) for c in contents]
    start = threading.Barrier(4)

    def run(first):
        start.wait()
        for k in range(60):
            n = (first * 2 + k) % len(contents)
            found = shown(ya.grad(make_any(contents[n]), x)[1][0])
            if found != expected[n]:
                wrong.append((contents[n], found))

    threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_functions_of_one_code_in_two_modules():
    codes = []
    for scale in (2.0, 3.0):
        scope = {"scale": scale, "np": np}
        f = make(scale)
        codes.append(types.FunctionType(f.__code__, scope, "f", (), f.__closure__))
    for f in codes * 2:
        same(f, np.ones(2))


# ---------------------------------------------------------------- globals

NOTEBOOK = """
import numpy as np
import yota_ast as ya
X, y = np.arange(12.0).reshape(6, 2), np.ones(6)
w, found = np.zeros(2), []
for i in range(6):
    value, g = ya.grad(lambda w: (X[i] @ w - y[i]) ** 2, w)
    found.append((value, g["w"].tolist()))
"""

CHANGING = """
import numpy as np

k = 2.0

def plain(x): return np.sum(x * x) * k
def inside(x): return np.sum((lambda z: z * k)(x)) * k
def listed(x): return sum([k * e for e in x])
def by_default(x, factor=3.0): return np.sum(x) * k * factor
def scaled(x): return x * k
def helped(x): return np.sum(scaled(x)) * k
def counting(x):
    global k
    k = k + 1.0
    return np.sum(x) * k
def bump():
    global k
    k = k * 2.0
def bumping(x):
    before = k
    bump()
    try:
        return np.sum(x) * k * before
    finally:
        restore(before)
def restore(value):
    global k
    k = value
def shadowed(x):
    def inner(k): return np.sum(x) * k
    return inner(2.0) * k
def declared(x):
    def inner():
        global k
        return np.sum(x) * k
    return inner() * k
def written(x):
    k[0] = x[0]
    return np.sum(x * k)
def recursive(x, n=2): return np.sum(x) * k if n == 0 else recursive(x * k, n - 1)
"""


def run(source, tmp_path, name="notebook"):
    module = types.ModuleType(name)
    path = tmp_path / f"{name}.py"
    path.write_text(source)
    exec(compile(source, str(path), "exec"), vars(module))
    return module


def test_steps_in_a_notebook_are_compiled_once(texts, tmp_path):
    module = run(NOTEBOOK, tmp_path)
    expected = [(1.0, (-2 * row).tolist()) for row in module.X]
    assert module.found == expected
    assert len(texts) == 2
    assert "def lambda_grad(w, *, i, seed=1.0):" in texts[-1].source


NAMES = [
    "plain", "inside", "listed", "by_default", "helped", "counting", "bumping",
    "shadowed", "declared", "written", "recursive",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_globals_that_change(name, tmp_path):
    module = run(CHANGING, tmp_path, f"changing_{name}")
    f, x = getattr(module, name), np.array([0.5, 1.5])
    contents = [2.0, 3.0, 4, np.array([1.0, 2.0]), np.array([3.0, 1.0]), None, 5.0, 6.0]
    for content in contents:

        def call(content=content):
            module.k = content.copy() if isinstance(content, np.ndarray) else content
            value, g = ya.grad(f, x)
            return value, list(g)

        expected = afresh(call)
        for _ in range(2):
            try:
                found = call()
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
            assert shown(found) == shown(expected)
        if not isinstance(expected, str):
            module.k = content.copy() if isinstance(content, np.ndarray) else content
            assert shown(expected[0]) == shown(f(x))


# ---------------------------------------------------------------- what is kept


def generated():
    """The names under which linecache holds generated code."""
    return {name for name in linecache.cache if compiling.is_generated(name)}


def test_the_caches_do_not_grow_with_functions_in_cells(cache):
    before = len(generated())
    for k in range(150):
        ya.grad(make_any(lambda x, k=k: x * float(k)), np.ones(2))
    assert len(cache.entries) <= 64
    assert len(cache.fast.sites) <= 2
    assert len(generated()) - before <= 70
