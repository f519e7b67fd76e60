"""Lists, tuples and dicts of them that are read at computed positions: one container of
adjoints, updated in place, however many items there are."""

import sys

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

rng = np.random.default_rng(8)
W = [rng.normal(size=(3, 3)) / 2 for _ in range(4)]
B = [rng.normal(size=3) for _ in range(4)]
X = rng.normal(size=3)
MANY = [rng.normal(size=(3, 3)) / 2 for _ in range(40)]
LENGTHS = [rng.normal(size=s) for s in ((5, 3), (2, 5), (4, 2))]


def layers(W, b, x):
    for i in range(len(W)):
        x = np.tanh(W[i] @ x + b[i])
    return np.sum(x)


def pairs(params, x):
    for i in range(len(params)):
        x = np.tanh(params[i][0] @ x + params[i][1])
    return np.sum(x)


def unpacked(params, x):
    for i in range(len(params)):
        w, b = params[i]
        x = np.tanh(w @ x + b)
    return np.sum(x)


def dicts(params, x):
    for i in range(len(params)):
        x = np.tanh(params[i]["W"] @ x + params[i]["b"])
    return np.sum(x)


def blocks(p, x):
    for i in range(len(p)):
        for j in range(len(p[i])):
            x = np.tanh(p[i][j][0] @ x + p[i][j][1]) + p[i][0][1]
    return np.sum(x)


def over_items(W, x):
    for w in W:
        x = np.tanh(w @ x)
    return np.sum(x)


def zipped(W, b, x):
    for i, (w, c) in enumerate(zip(W, b)):
        x = np.tanh(w @ x + c) + b[-i]
    return np.sum(x)


def two_names(W, x):
    V = W
    for i in range(len(W)):
        x = np.tanh(W[i] @ x) + V[-1 - i] @ x
    return np.sum(x)


def first_too(W, x):
    y = W[0] @ x + W[-1] @ x
    for i in range(len(W) - 1):
        y = np.tanh(W[i + 1] @ y)
    return np.sum(y * (W[0] @ y))


def first_in_loops(p, h):
    for _ in range(3):
        z = p["U"][0] @ h
        for i in range(len(p["U"])):
            h = np.tanh(p["U"][i] @ h + z)
    return np.sum(h)


def sliced(W, x):
    V = W[1:]
    for i in range(len(V)):
        x = np.tanh(V[i] @ x)
    return np.sum(x) + np.sum(W[0])


def built(a, b, x):
    V = [a, b * 2, a]
    for i in range(3):
        x = np.tanh(V[i] @ x)
    return np.sum(x)


def numbers(c, x):
    s = 0.0
    for i in range(len(c)):
        s = s * x + c[i] * c[i]
    return s


def rows(c, x):
    s = 0.0
    for i in range(len(c)):
        for j in range(len(c[i])):
            s += c[i][j] * x * c[i][0]
    return s


def in_arms(W, x, k):
    for i in range(len(W)):
        if i % 2 == k:
            x = np.tanh(W[i] @ x)
        else:
            x = W[i] @ (W[0] @ x)
    return np.sum(x)


def chosen(W, x):
    w = W[0]
    for i in range(len(W)):
        if np.sum(x) > 0:
            w = W[i]
        x = np.tanh(w @ x)
    return np.sum(x)


def step(w, x):
    return np.tanh(w @ x)


def in_helper(W, x):
    for i in range(len(W)):
        x = step(W[i], x)
    return np.sum(x)


def whole_too(W, x):
    for i in range(len(W)):
        x = np.tanh(W[i] @ x)
    return np.sum(x) + np.sum(np.stack(W) ** 2)


def some_trips(W, x, n):
    for i in range(n):
        x = np.tanh(W[i] @ x)
    return np.sum(x)


def keys(p, x):
    for k in p:
        x = np.tanh(p[k] @ x) + p["w3"] @ x
    return np.sum(x)


def keys_of_numbers(p, x):
    s = 0.0
    for k in p:
        s = s * x + p[k] ** 2
    return s


def keys_of_field(p, x):
    for k in p["layers"]:
        x = np.tanh(p["layers"][k] @ x) * p["scale"]
    return np.sum(x)


def squares(values):
    return sum(v * v for v in values)


def deviations(values):
    mean = sum(values) / len(values)
    return sum((v - mean) ** 2 for v in values) / len(values)


def scaled(arrays, x):
    return sum(np.sum(np.tanh(a * x)) for a in arrays)


NAMED = {f"w{k}": w / 2 for k, w in enumerate(MANY[:20])}
NUMBERS = [0.1 * k for k in range(1, 21)]
CASES = {
    "list": (layers, (W, B, X)),
    "tuple": (layers, (tuple(W), tuple(B), X)),
    "float32": (layers, ([w.astype("f4") for w in W], B, X)),
    "one of float32": (layers, ([W[0].astype("f4"), *W[1:]], B, X)),
    "one array twice": (layers, ([W[0]] * 3, [B[0]] * 3, X)),
    "shapes": (over_items, (LENGTHS, X)),
    "pairs": (pairs, (list(zip(W, B, strict=True)), X)),
    "lists of two": (pairs, ([[w, b] for w, b in zip(W, B, strict=True)], X)),
    "unpacked": (unpacked, (tuple(zip(W, B, strict=True)), X)),
    "dicts": (dicts, ([{"W": w, "b": b} for w, b in zip(W, B, strict=True)], X)),
    "blocks": (blocks, ([[(W[0], B[0]), (W[1], B[1])], [(W[2], B[2])] * 2], X)),
    "many": (over_items, (MANY, X)),
    "zip": (zipped, (MANY, [B[0]] * 40, X)),
    "two names": (two_names, (W, X)),
    "first": (first_too, (W, X)),
    "first in loops": (first_in_loops, ({"U": W}, X)),
    "slice": (sliced, (W, X)),
    "built": (built, (W[0], W[1], X)),
    "numbers": (numbers, ([1.0, 2.0, 0.5], 0.3)),
    "tuple of numbers": (numbers, ((1.0, 2.0, 0.5), 0.3)),
    "whole number": (numbers, ([1.0, 2, 0.5], 0.3)),
    "NumPy's numbers": (numbers, ([np.float64(1.0), 2.0], 0.3)),
    "rows": (rows, ([[1.0, 2.0], [0.5, 1.5, 2.5]], 0.7)),
    "rows of tuples": (rows, ([(1.0, 2.0), (0.5, 1.5)], 0.7)),
    "arms": (in_arms, (W, X, 1)),
    "chosen": (chosen, (W, X)),
    "helper": (in_helper, (W, X)),
    "whole": (whole_too, (W, X)),
    "keys": (keys, (NAMED, X)),
    "keys of numbers": (
        keys_of_numbers,
        (dict(zip("abcdefghijklmnopqrst", NUMBERS)), 0.7),
    ),
    "keys of a field": (keys_of_field, ({"layers": NAMED, "scale": 0.9}, X)),
    "generator": (squares, (NUMBERS,)),
    "generators": (deviations, (NUMBERS,)),
    "generator of a tuple": (squares, (tuple(NUMBERS),)),
    "arrays in a generator": (scaled, (B * 5, X)),
    "no trips": (some_trips, (W, X, 0)),
    "some trips": (some_trips, (W, X, 2)),
}


@pytest.mark.parametrize("name", CASES)
def test_the_gradient_is_right(name):
    fn, args = CASES[name]
    check(fn, args, wrt=[k for k, a in enumerate(args) if type(a) is not int])


@pytest.mark.parametrize(
    "name", ["list", "many", "first in loops", "arms", "built", "generator"]
)
def test_it_is_differentiated_again(name):
    fn, args = CASES[name]
    v = ya.grad(fn, *args, wrt=0)[1][0]
    product, h = ya.hvp(fn)(args[0], v, *args[1:]), 1e-5

    def slope(t):
        moved = _moved(args[0], v, t)
        return _flat(ya.grad(fn, moved, *args[1:], wrt=0)[1][0])

    expected = (slope(h) - slope(-h)) / (2 * h)
    np.testing.assert_allclose(_flat(product), expected, rtol=1e-6, atol=1e-6)


def _moved(x, v, h):
    if isinstance(x, dict):
        return {k: _moved(x[k], v[k], h) for k in x}
    if isinstance(x, list):
        return [_moved(p, q, h) for p, q in zip(x, v, strict=True)]
    return x + h * v


def test_the_keys_of_a_dict_have_no_tangents():
    fn, (p, x) = CASES["keys"]
    v, h = ya.grad(fn, p, x, wrt=0)[1][0], 1e-5
    slope = (fn(_moved(p, v, h), x) - fn(_moved(p, v, -h), x)) / (2 * h)
    assert ya.jvp(fn, wrt=0)(p, x, v)[1] == pytest.approx(slope)


def _flat(x):
    if isinstance(x, dict):
        return np.concatenate([_flat(v) for v in x.values()])
    if isinstance(x, list):
        return np.concatenate([_flat(v) for v in x])
    return np.ravel(x)


def test_the_text_is_a_sweep_as_by_hand():
    text = ya.simplegrad(layers, W, B, X).source
    assert "dW = [None] * len(W)" in text
    assert "dW[i] = np.outer(" in text
    text = ya.simplegrad(pairs, list(zip(W, B, strict=True)), X).source
    assert "dparams[i][0] += np.outer(" in text


@pytest.mark.parametrize("fn", [layers, over_items, zipped, numbers, squares, keys])
def test_no_statement_stands_for_each_item(fn):
    def lines(n):
        w, b = [W[0]] * n, [B[0]] * n
        others = {
            numbers: ([1.5] * n, 0.5),
            over_items: (w, X),
            squares: ([1.5] * n,),
            keys: ({f"w{k}": W[0] for k in range(n)}, X),
        }
        args = others.get(fn, (w, b, X))
        return ya.simplegrad(fn, *args).source.count("\n")

    assert lines(100) == lines(50)


@pytest.mark.parametrize("name", ["list", "pairs", "rows", "numbers"])
def test_work_grows_with_the_items_alone(name):
    fn, args = CASES[name]

    def calls(n):
        given = (*(list(a) * n if type(a) is list else a for a in args[:-1]), args[-1])
        made = ya.simplegrad(fn, *given).fn
        return _calls(lambda: made(*given))

    assert calls(40) <= 2.1 * calls(20)


def _calls(run):
    """How many functions are called, those in C among them."""
    count = 0

    def note(frame, event, arg):
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


def test_long_lists_are_checked_by_one_test():
    made = ya.simplegrad(over_items, MANY, X).fn
    for other in (np.ones(3), np.ones((3, 3), int), 2.0, None):
        with pytest.raises(ValueError, match="arrays of 2 axes, floats, in W"):
            made([*MANY[1:], other], X)


def around(W, x):
    for i in range(-2, 2):
        x = np.tanh(W[i] @ x)
    return np.sum(x)


def twice_each(W, x):
    for _ in range(2):
        for i in range(len(W)):
            x = np.tanh(W[i] @ x)
    return np.sum(x)


def same_item(W, x, k):
    for _ in range(3):
        x = np.tanh(W[k] @ x)
    return np.sum(x)


def some_items(W, x):
    for i in range(0, len(W), 2):
        if np.sum(x) < 100.0:
            x = np.tanh(W[i] @ x)
    return np.sum(x)


def same_number(c, x):
    s = 0.0
    for i in range(len(c)):
        s += c[i] * x
    return s * c[0]


def handed_on(b, x):
    for i in range(len(b)):
        x = x + b[i]
    return np.sum(x * x)


ITEMS = [
    (around, (W[:3], X)),
    (around, (W, X)),
    (twice_each, (W, X)),
    (same_item, (W, X, 1)),
    (some_items, (W, X)),
    (same_number, ([1.0, 2.0, 0.5], 0.3)),
    (handed_on, (B, X)),
]


@pytest.mark.parametrize(("fn", "args"), ITEMS)
def test_what_is_put_and_not_added_is_the_only_sum(fn, args):
    check(fn, args, wrt=[0, 1])


def test_the_only_sum_of_an_item_is_put_there():
    assert "dW[i] = np.outer(" in ya.simplegrad(layers, W, B, X).source
    assert "dW[i] += np.outer(" in ya.simplegrad(around, W, X).source
    assert "dW[i] += np.outer(" in ya.simplegrad(twice_each, W, X).source
