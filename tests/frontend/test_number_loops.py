"""A loop over whole numbers that are written stays one where one body says as much as a
body for each: it computes with the numbers, and takes parts of arrays by them."""

import numpy as np
import pytest

import yota_ast as ya

V = np.random.default_rng(3).normal(size=6)
IMAGE = np.random.default_rng(4).normal(size=(6, 5))


def neighbours(img, w):
    out = np.zeros_like(img[1:-1, 1:-1])
    for dy, dx in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        near = img[1 + dy : img.shape[0] - 1 + dy, 1 + dx : img.shape[1] - 1 + dx]
        out += w * np.tanh(near)
    return np.sum(out**2)


def around(img, w):
    out = np.zeros_like(img[1:-1, 1:-1])
    for dy in (-1, 0, 1):
        for dx in (1, 0, -1):
            near = img[1 + dy : img.shape[0] - 1 + dy, 1 + dx : img.shape[1] - 1 + dx]
            out += np.exp(-w * (dx * dx + dy * dy)) * near**2
    return np.sum(out)


def shifted(x, w):
    total = 0.0
    for s in (-1, 1, 2):
        other = np.roll(x, s)
        total = total + w * np.sum(x * other * other) * s
    return total


def with_stores(x, w):
    x = x.copy()
    for k in (1, 2, 3):
        x[k] = x[k - 1] * w + x[k]
        x[k] *= 2
    return np.sum(x**2)


def read_afterwards(x, w):
    for k in (2, 1, 0):
        z = x[k]
        x = x * z * w
    return np.sum(x) * k + z


def left_early(x, w):
    total = 0.0
    for k in (1, 2, 3):
        y = x[k] * w
        if y > 100:
            break
        total = total + y * k
    return total


def by_powers(x, w):
    total = 0.0
    for k in (0, 1, 2):
        y = x**k
        total = total + np.sum(y) * w
    return total


def compared(x, w):
    total = 0.0
    for k in (0, 3, 5):
        if k == 3:
            total = total + w
        total = total + np.sum(x * k) * w
    return total


def parts_of_unknown_length(x, w):
    total = 0.0
    for k in (1, 2, 4):
        y = x[k:] * x[:-k]
        total = total + w * np.sum(y * y)
    return total


def items_of_a_list(x, w):
    weights = [w, w * w, 2 * w]
    total = 0.0
    for k in (0, 1, 2):
        y = weights[k] * x[k]
        total = total + y * y
    return total


def of_one_statement(x, w):
    total = w
    for k in (0, 1, 2):
        total = total * x[k]
    return total


LOOPS = (neighbours, around, shifted, with_stores, read_afterwards)
COPIES = (
    left_early,
    by_powers,
    compared,
    parts_of_unknown_length,
    items_of_a_list,
    of_one_statement,
)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [*LOOPS, *COPIES], ids=lambda f: f.__name__)
def test_right(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    x = IMAGE if f in (neighbours, around) else V
    found = ya.gradcheck(f, x, 0.3)
    assert found, str(found)


@pytest.mark.parametrize("f", [*LOOPS, *COPIES], ids=lambda f: f.__name__)
def test_one_body_where_it_says_as_much(f):
    x = IMAGE if f in (neighbours, around) else V
    text = ya.grad(f, x, 0.3)[1].source
    forward = text.partition("# reverse")[0]
    assert (" in (" in forward) == (f in LOOPS)
    assert "unbroadcast" not in text


@pytest.mark.parametrize("f", LOOPS, ids=lambda f: f.__name__)
def test_other_shapes(f):
    x = IMAGE if f in (neighbours, around) else V
    df = ya.simplegrad(f, x, 0.3, wrt=["w"])
    for short in range(7):
        other = np.random.default_rng(short).normal(
            size=tuple(max(n - short, 0) for n in x.shape)
        )
        try:
            value, dw = df(other, 0.3)
        except (ValueError, IndexError):
            assert min(other.shape) < 4
            continue
        assert value == f(other, 0.3)
        slope = (f(other, 0.3 + 1e-6) - f(other, 0.3 - 1e-6)) / 2e-6
        assert dw == pytest.approx(slope, rel=1e-5, abs=1e-6)
