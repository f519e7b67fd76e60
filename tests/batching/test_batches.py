"""`vmap`: branches, loops, stores, aliases; what it takes, gives and refuses."""

from __future__ import annotations

import inspect
import math
import pickle
from collections import deque

import numpy as np
import pytest

import yota_ast as ya

from .comparing import loop, same

RNG = np.random.default_rng(1)
X, Y, S, B = (RNG.normal(size=s) for s in ((5, 4), (5, 4), 5, 4))


def keeps_a_number(x):
    a = x[0]
    x = x * 1.0
    first = x[0]
    x[0] = 7.0
    return first + a + x[0]


def swaps(x):
    y = x.copy()
    t = y[0]
    y[0] = y[1]
    y[1] = t
    return y


def running(x):
    y = np.zeros(4)
    last = 0.0
    for k in range(4):
        y[k] = x[k] + last
        last = y[k]
        y[k] *= 2
    return y, last


def items_of_a_loop(x):
    y = x * 1.0
    total = 0.0
    for item in y:
        y[0] = y[0] + 1.0
        total += item
    return total


def aliases(x, b):
    y = x + b
    z = y
    z += 1.0
    w = y[1:]
    w[0] = b[0]
    return y, w


def stores_into_zeros_of_shared(x, b):
    y = np.zeros_like(b)
    y[1:] = x[1:]
    y[0] += x[3]
    return y


def shared_then_mapped(x, b):
    y = b * 2
    y[0] = x[0]
    return y


def sum_in_place(s, x):
    total = s
    total += x[0]
    return total, s


def list_of_rows(x):
    rows = []
    for k in range(3):
        rows.append(x * k)  # noqa: PERF401  a loop that appends
    return np.stack(rows)


def numbers_in_a_list(x):
    found = [x[0], 1.0]
    found.append(x[1])
    return np.array(found)


def zipped(x, y):
    total = 0.0
    for a, b in zip(x, y):
        total += a * b
    return total


def counted(x, b):
    total = 0.0
    for k, a in enumerate(x):
        total += a * b[k]
    return total


def no_turn(x):
    total = 0.0
    for k in range(0):
        total += x[k]
    return total


def in_a_loop_over_shared(x, b):
    y = 1.0
    for c in b:
        y = y * c + x[0]
    return y


def shared_branch(x, b):
    if b[0] > 0:
        y = x * 2
    else:
        y = b
    return y


def branch(s, x):
    if s > 0:
        y = x * s
        z = 1.0
    elif s < -1:
        y = x - s
        z = s
    else:
        y = x
        z = 2.0
    return y, z


def early(s):
    if s > 0:
        return s * 2
    return -s


def guarded_root(s):
    return np.sqrt(s) if s > 0 else 0.0


def bits(s):
    return (s > 0) & (s < 1)


def while_shared(x, b):
    k = 0
    while b[k] < 10 and k < 3:
        x = x + b[k]
        k += 1
    return x


def nested_tuple(x):
    return x[0], (x * 2, [x[1], 3.0])


def numbers_put_into_a_list(x):
    y = x * 1.0
    rows = []
    for _ in range(3):
        rows.append(y[0])
        y[0] = y[0] * 2
    return np.array(rows)


def taken_apart(x):
    a, b, c, d = x
    return a * b + c - d


def taken_apart_and_written(x):
    y = x * 1.0
    a, b, c, d = y
    y[0] = 9.0
    y[1] = b + a
    return y, a + c + d


def first_and_rest(x):
    first, *rest = x
    return first - sum(rest)


def view_of_a_number(x):
    y = x * 1.0
    a = y[0, ...]
    a[...] = 5.0
    return y


def written_by_two_names(x, b):
    y = b * 1.0
    z = y
    v = y[1:]
    for k in range(3):
        z[k] = x[k]
        v[k] += 1.0
    return y + z, v


def written_at_the_largest(x):
    i = np.argmax(x)
    y = np.zeros(4)
    y[i] = 1.0
    return y * x[i]


def counts(x):
    n = 0
    for a in x:
        if a > 0:
            n += 1
    return n


RIGHT = {
    numbers_put_into_a_list: (X,), taken_apart: (X,), taken_apart_and_written: (X,),
    first_and_rest: (X,), view_of_a_number: (X,), written_by_two_names: (X, B),
    written_at_the_largest: (X,), counts: (X,),
    keeps_a_number: (X,), swaps: (X,), running: (X,), items_of_a_loop: (X,),
    aliases: (X, B), stores_into_zeros_of_shared: (X, B), shared_then_mapped: (X, B),
    sum_in_place: (S, X), list_of_rows: (X,), numbers_in_a_list: (X,),
    zipped: (X, Y), counted: (X, B), no_turn: (X,), in_a_loop_over_shared: (X, B),
    shared_branch: (X, B), branch: (S, X), early: (S,), guarded_root: (S,), bits: (S,),
    while_shared: (X, B), nested_tuple: (X,),
}  # fmt: skip


@pytest.mark.parametrize("fn", RIGHT, ids=lambda f: f.__name__)
def test_programs(fn):
    args = RIGHT[fn]
    axes = tuple(None if a is B else 0 for a in args)
    before = [np.copy(a) for a in args]
    with np.errstate(invalid="ignore"):
        same(ya.vmap(fn, in_axes=axes)(*args), loop(fn, args, axes))
    for a, b in zip(args, before, strict=True):
        np.testing.assert_array_equal(a, b)


def test_items_are_counted_as_python_does():
    with pytest.raises(ValueError, match="unpack"):
        ya.vmap(taken_apart)(X[:, :3])


def test_fields_of_objects_are_shared():
    held = Held()
    found = ya.vmap(lambda x, m: (x * m.W, m.W), in_axes=(0, None))(X, held)
    found[1][0] = 7.0
    np.testing.assert_array_equal(held.W, np.ones(4))
    np.testing.assert_array_equal(found[0], X)


def test_results_share_no_memory():
    args = [X.copy(), B.copy()]
    first, second = ya.vmap(lambda x, b: (x, b), in_axes=(0, None))(*args)
    third, fourth = ya.vmap(lambda x: (x[1:], x[0]))(args[0])
    for found in (first, second, third, fourth):
        found += 1.0
    np.testing.assert_array_equal(args[0], X)
    np.testing.assert_array_equal(args[1], B)


def test_dicts_hold_what_is_mapped_and_what_is_shared():
    found = ya.vmap(lambda x, b: {"a": x[0], "n": 2.0, "b": (b, x)}, in_axes=(0, None))(
        X, B
    )
    np.testing.assert_array_equal(found["a"], X[:, 0])
    np.testing.assert_array_equal(found["n"], np.full(len(X), 2.0))
    np.testing.assert_array_equal(found["b"][0], np.stack([B] * len(X)))
    found["b"][0][:] = 0.0
    assert B.all()


def test_a_function_may_write_into_its_examples():
    def double(x):
        x *= 2
        return x.sum()

    given, wanted = X.copy(), X * 2
    found = ya.vmap(double)(given)
    np.testing.assert_array_equal(given, wanted)
    np.testing.assert_allclose(found, wanted.sum(axis=1))


# ------------------------------------------------------------------ what is refused


def writes_into_shared(x, b):
    b[0] = x[0]
    return b


def goes_round_oftener(s):
    while s < 10:
        s = s * 2 + 1
    return s


def leaves_early(x):
    total = 0.0
    for a in x:
        if a > 0:
            break
        total += a
    return total


def writes_in_a_branch(x):
    y = x * 1.0
    if x[0] > 0:
        y[1] = 0.0
    return y


def raises_in_a_branch(x):
    if x[0] > 0:
        raise ValueError("no")
    return x


def divides_in_a_branch(s, k):
    if s > 0:
        return s / k + (1.0 / k)
    return s


def prints(x):
    print(x)
    return x


def draws(x):
    return x + RNG.normal()


def formats(s):
    return float(f"{s}")


def makes_an_integer(s):
    return int(s)


def takes_a_mask(x):
    return x[x > 0].sum()


def of_another_shape(k, x):
    return x[:k].sum()


def unknown_function(x):
    return np.convolve(x, x)


def tries(x):
    try:
        y = x[0] * 2
    except IndexError:
        y = 0.0
    return y


def halves(s, n):
    return s if n == 0 else halves(0.5 * s, n - 1) * s


def picks_by_string(s):
    return {"a": s}[str(s > 0)]


def arrays_apart(x):
    return np.outer(x, x)[[0, 1], None, [0, 1]]


def stores_more_axes(x, b):
    y = x * 1.0
    y[0] = b
    return y


def updates_at_repeated_places(x):
    i = np.argsort(x)
    y = x * 1.0
    y[i] += 1.0
    return y


def reshapes_by_columns(x):
    return np.reshape(x, (2, 2), "F")


def integrates_over_a_grid(x, grid):
    return np.trapezoid(np.outer(x, x), grid, axis=0)


class Held:
    def __init__(self):
        self.W = np.ones(4)


def writes_into_a_field(x, m):
    m.W[0] = 5.0
    return x * m.W


K = np.array([1, 2, 3, 1, 2])
GRID = np.cumsum(np.ones((4, 4)), axis=0)
REFUSED = {
    arrays_apart: ((X,), "stand apart"),
    stores_more_axes: ((X, B), "no shape that is known to fit"),
    updates_at_repeated_places: ((X,), "an update at places"),
    reshapes_by_columns: ((X,), "`reshape`"),
    integrates_over_a_grid: ((X, GRID), "is an array here"),
    writes_into_a_field: ((X, Held()), "share"),
    writes_into_shared: ((X, B), "share"),
    goes_round_oftener: ((S,), "oftener"),
    leaves_early: ((X,), "leave this loop"),
    writes_in_a_branch: ((X,), "only some examples write"),
    raises_in_a_branch: ((X,), "only some examples raise"),
    divides_in_a_branch: ((S, 0.5), "may raise"),
    prints: ((X,), "once for each example"),
    draws: ((X,), "once for each example"),
    formats: ((S,), ""),
    makes_an_integer: ((S,), "`int`"),
    takes_a_mask: ((X,), "no whole number"),
    of_another_shape: ((K, X), "slice"),
    unknown_function: ((X,), "`convolve`"),
    tries: ((X,), "`try`"),
    picks_by_string: ((S,), ""),
    halves: ((S, 3), "calls itself"),
}


@pytest.mark.parametrize("fn", REFUSED, ids=lambda f: f.__name__)
def test_what_has_no_batched_form_is_refused_by_line(fn):
    args, reason = REFUSED[fn]
    shared = (id(B), id(GRID))
    axes = tuple(
        0 if isinstance(a, np.ndarray) and id(a) not in shared else None for a in args
    )
    with pytest.raises(ya.YotaError) as caught:
        ya.vmap(fn, in_axes=axes)(*args)
    assert reason in caught.value.reason
    first = fn.__code__.co_firstlineno
    assert caught.value.lineno >= first
    assert caught.value.remedy


def keeps_the_last(x):
    last = deque(maxlen=2)
    for v in x:
        last.append(v * v)
    return sum(last)


def test_what_the_reverse_sweep_adds_is_refused_by_the_line_it_belongs_to():
    with pytest.raises(ya.YotaError, match="`copy` has no batched form") as caught:
        ya.vmap(ya.grad(keeps_the_last))(X)
    assert caught.value.lineno > keeps_the_last.__code__.co_firstlineno


# ------------------------------------------------------------------ what it takes


def line(x, w, b=0.5):
    """Return a line."""
    return np.sum(x * w) + b


def test_axes():
    wanted = [line(x, B) for x in X]
    np.testing.assert_allclose(ya.vmap(line, in_axes=(0, None))(X, B), wanted)
    np.testing.assert_allclose(ya.vmap(line, in_axes=(1, None))(X.T, B), wanted)
    found = ya.vmap(line, (-1, None, 0))(X.T, B, S)
    np.testing.assert_allclose(found, wanted + S - 0.5)
    wanted = [line(*a) for a in zip(X, Y, S, strict=True)]
    np.testing.assert_allclose(ya.vmap(line)(X, w=Y, b=S), wanted)
    wanted = [line(*a) for a in zip(X, Y, strict=True)]
    np.testing.assert_allclose(ya.vmap(line, [0, 0])(X, Y), wanted)


def test_different_numbers_of_examples():
    batch = ya.vmap(line, in_axes=(0, 0))
    batch(X, Y)
    with pytest.raises(ValueError, match="line_vmap: x and w must hold as many"):
        batch(X, Y[:3])
    assert "must hold as many examples" in batch.source


@pytest.mark.parametrize(
    ("axes", "args", "reason"),
    [
        (0, (X, 2.0), "`w` is a float"),
        (0, (X, [1.0, 2.0]), "`w` is a list"),
        (None, (X, Y), "no argument has an axis"),
        ((0, 2), (X, Y), "no axis 2"),
        ("x", (X, Y), "is no number, None, or tuple"),
        ((0, "w"), (X, Y), "is no number, None, or tuple"),
        ((0, None, 0, 0), (X, Y), "4 axes for 3 arguments"),
        ((0,), (X, Y), "says nothing of `w`"),
    ],
)
def test_wrong_axes(axes, args, reason):
    with pytest.raises(ya.YotaError, match=reason):
        ya.vmap(line, in_axes=axes)(*args)


def test_each_and_wrt():
    with pytest.raises(ya.YotaError, match="both given"):
        ya.value_and_grad(line, wrt="w", each="w")
    with pytest.raises(ya.YotaError, match="no argument 'v'"):
        ya.value_and_grad(line, each="v")


def test_numbers_are_shared_by_each():
    value, dw = ya.value_and_grad(line, each="w")(X, B, 2.0)
    np.testing.assert_allclose(value, X @ B + 2.0)
    np.testing.assert_allclose(dw, X)


def test_it_carries_name_signature_and_docstring():
    batch = ya.vmap(line, in_axes=(0, None))
    assert batch.__name__ == "line_vmap"
    assert inspect.signature(batch) == inspect.signature(line)
    assert "Return a line." in batch.__doc__
    again = pickle.loads(pickle.dumps(batch))
    np.testing.assert_array_equal(again(X, B), batch(X, B))
    each = pickle.loads(pickle.dumps(ya.value_and_grad(line, each="w")))
    np.testing.assert_array_equal(each(X, B)[1], X)


def test_the_source_is_that_of_the_latest_call():
    batch = ya.vmap(line, in_axes=(0, None))
    with pytest.raises(AttributeError, match="no source yet"):
        _ = batch.source
    batch(X, B)
    assert batch.source.startswith("import numpy as np\n")
    assert "def line_vmap(x, w, b=0.5):" in batch.source


@pytest.mark.parametrize(
    "transform",
    [ya.grad, ya.value_and_grad, ya.jacobian, ya.hessian],
    ids=lambda f: f.__name__,
)
def test_of_transforms(transform):
    each = transform(cubes)
    same(ya.vmap(each)(X), loop(each, (X,), (0,)), 1e-10)


def cubes(x):
    return np.sum(x**3) * x[0]


def test_along_directions():
    each = ya.jvp(cubes)
    same(ya.vmap(each)(X, Y), loop(each, (X, Y), (0, 0)), 1e-10)
    product = ya.hvp(cubes)
    same(ya.vmap(product)(X, Y), loop(product, (X, Y), (0, 0)), 1e-10)


def test_the_adjoint_of_a_list_that_is_an_array():
    def powers(x, w):
        y = np.array([q * w for q in x])
        return y.dot(y)

    each = ya.value_and_grad(powers, wrt="w")
    try:
        found = ya.vmap(each, in_axes=(0, None))(X, 0.3)
    except ya.UnsupportedCall:
        return
    same(found, loop(each, (X, 0.3), (0, None)))


def test_what_comes_beside_the_value():
    each = ya.value_and_grad(lambda x: (np.sum(x**2), x * 2), has_aux=True)
    (value, aux), dx = ya.vmap(each)(X)
    np.testing.assert_allclose(value, np.sum(X**2, axis=1))
    np.testing.assert_allclose(aux, 2 * X)
    np.testing.assert_allclose(dx, 2 * X)


def test_values_that_are_no_numbers():
    with pytest.raises(ya.ShapeError, match="for each example"):
        ya.vmap(ya.value_and_grad(lambda x: x * 2))(X)


SCALE = 2.0


def scaled(x):
    return np.sum(x) * SCALE


def test_a_constant_of_the_module_may_change():
    global SCALE
    batch = ya.vmap(scaled)
    np.testing.assert_allclose(batch(X), X.sum(axis=1) * 2)
    SCALE = 3.0
    try:
        np.testing.assert_allclose(batch(X), X.sum(axis=1) * 3)
    finally:
        SCALE = 2.0


def test_math_gives_nan_where_it_would_raise():
    with np.errstate(invalid="ignore"):
        found = ya.vmap(lambda s: math.sqrt(s))(np.array([4.0, -1.0]))
    np.testing.assert_array_equal(found, [2.0, np.nan])


def of_dict(p, x):
    return np.tanh(p["W"] @ x) + p["b"]


def test_arrays_of_a_container_are_arguments_of_their_own():
    """A model for each example: the remedy where its container is mapped."""
    models = [{"W": k * B, "b": 0.1 * k} for k in range(len(X))]
    with pytest.raises(ya.YotaError) as caught:
        ya.vmap(of_dict)({"W": X, "b": X}, X)
    assert "vmap(lambda W, x: f({'W': W}, x))" in caught.value.remedy
    batch = ya.vmap(lambda W, b, x: of_dict({"W": W, "b": b}, x))
    Ws, bs = np.stack([m["W"] for m in models]), np.array([m["b"] for m in models])
    wanted = [of_dict(m, x) for m, x in zip(models, X, strict=True)]
    same(batch(Ws, bs, X), np.stack(wanted))
