"""Nothing goes back through a maximum or a minimum on which nothing depends."""

import math

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

RNG = np.random.default_rng(4)
X, Y = RNG.normal(size=(2, 6))
TEMPERATURE = 0.7


def softest(x, T):
    out = 0.0
    for i in range(len(x) - 2):
        a, b, c = x[i], x[i + 1], x[i + 2]
        m = min(a, b, c)
        e = math.exp((m - a) / T) + math.exp((m - b) / T) + math.exp((m - c) / T)
        out = out + (m - T * math.log(e)) ** 2
    return out


def of_two_vectors(x, y, T):
    m = np.maximum(x, y)
    return np.sum((m + T * np.log(np.exp((x - m) / T) + np.exp((y - m) / T))) ** 2)


def of_a_vector(x, T):
    m = np.min(x)
    return np.sum(x * np.exp((m - x) / T)) / np.sum(np.exp((m - x) / T))


def by_a_constant(x):
    m = np.max(x)
    return m + TEMPERATURE * np.log(np.sum(np.exp((x - m) / TEMPERATURE)))


FREE = [(softest, (X, 0.4)), (of_two_vectors, (X, Y, 0.4)), (of_a_vector, (X, 0.4)),
        (by_a_constant, (X,))]  # fmt: skip


def by_two_numbers(x, T, S):
    m = max(x[0], x[1])
    e = math.exp((x[0] - m) / T) + math.exp((x[1] - m) / T)
    return m + S * math.log(e)


def by_itself(x, T):
    m = max(x[0], x[1])
    T = T * m
    return m + T * math.log(math.exp((x[0] - m) / T) + math.exp((x[1] - m) / T))


def by_an_array(x, y):
    m = np.max(x)
    return m + np.sum(y * np.log(np.sum(np.exp((x - m) / y))))


BOUND = [(by_two_numbers, (X, 0.4, 0.5)), (by_itself, (X, 0.4)), (by_an_array, (X, Y))]


@pytest.mark.parametrize("passes", ["all", "none", "-branches"])
@pytest.mark.parametrize(("fn", "args"), FREE + BOUND)
def test_gradients(fn, args, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, args)


@pytest.mark.parametrize(("fn", "args"), FREE)
def test_no_way_is_asked_for(fn, args):
    source = ya.simplegrad(fn, *args).source.partition("# reverse\n")[2]
    assert not any(word in source for word in (" if ", "==", "<", ">"))
    _, tangent = ya.jvp(fn)(
        *args, *(np.ones_like(a) if np.ndim(a) else 1.0 for a in args)
    )
    grads = ya.grad(fn, *args)[1]
    np.testing.assert_allclose(tangent, sum(np.sum(g) for g in grads), rtol=1e-9)


@pytest.mark.parametrize(("fn", "args"), BOUND)
def test_something_depends_on_it(fn, args):
    source = ya.simplegrad(fn, *args).source.partition("# reverse\n")[2]
    assert any(word in source for word in (" if ", "if ", "==", "<", ">"))


LOGITS, LABELS = RNG.normal(size=(5, 3)), np.array([0, 2, 1, 1, 0])


def cross_entropy(x, labels):
    x = x - x.max(axis=1, keepdims=True)
    lse = np.log(np.exp(x).sum(axis=1))
    return np.mean(lse - x[np.arange(len(labels)), labels])


def cross_entropy_of_rows(x, labels):
    rows = np.arange(x.shape[0])
    z = x - np.max(x, axis=1)[:, np.newaxis]
    return np.sum(np.log(np.sum(np.exp(z), axis=1)) - z[rows, labels])


def cross_entropy_by_columns(x, labels):
    x = x.T
    m = np.max(x, axis=0)
    lse = m + np.log(np.sum(np.exp(x - m), axis=0))
    return np.mean(m + (x - m)[labels, np.arange(len(labels))] - lse)


@pytest.mark.parametrize("passes", ["all", "none", "-tidy"])
@pytest.mark.parametrize(
    "f", [cross_entropy, cross_entropy_of_rows, cross_entropy_by_columns]
)
def test_an_element_of_each_row(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    args = (LOGITS, LABELS)
    assert ("==" not in check(f, args)) == (passes == "all")
    tied = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 2.0]] * 2 + [[0.0, -1.0, 0.0]])
    check(f, (tied, LABELS))
    single = ya.grad(f, LOGITS[:1], LABELS[:1])[1][0]
    np.testing.assert_allclose(single, _softmax_less_label(f, LOGITS[:1], LABELS[:1]))
    v = np.cos(np.arange(15.0)).reshape(5, 3)
    second = ya.hvp(f)(LOGITS, v, LABELS)
    near, far = (ya.grad(f)(LOGITS + h * v, LABELS) for h in (1e-5, -1e-5))
    np.testing.assert_allclose(second, (near - far) / 2e-5, rtol=1e-5, atol=1e-8)


def _softmax_less_label(f, x, labels):
    p = np.exp(x) / np.exp(x).sum(axis=1, keepdims=True)
    p[np.arange(len(labels)), labels] -= 1.0
    return p if f is not cross_entropy_by_columns else -p


def test_one_label_for_all_rows_is_no_such_element():
    made = ya.simplegrad(cross_entropy, LOGITS, LABELS)
    with pytest.raises(ValueError, match="made for"):
        made(LOGITS, LABELS[:1])
    check(cross_entropy, (LOGITS, LABELS[:1]))


def of_other_rows(x, labels):
    x = x - x.max(axis=1, keepdims=True)
    return np.mean(np.log(np.exp(x).sum(axis=1)) - x[labels, labels])


def of_fewer_rows(x, labels):
    x = x - x.max(axis=1, keepdims=True)
    lse = np.log(np.exp(x).sum(axis=1))
    return np.sum(lse) - np.sum(x[np.arange(len(labels) - 1), labels[1:]])


def of_masks(x, labels):
    x = x - x.max(axis=1, keepdims=True)
    lse = np.log(np.exp(x).sum(axis=1))
    return np.sum(lse) - np.sum(x[np.arange(len(x)) < 2, labels > 1])


@pytest.mark.parametrize("f", [of_other_rows, of_fewer_rows, of_masks])
def test_other_elements(f):
    labels = LABELS if f is not of_masks else np.array([0, 2, 2])
    assert "==" in check(f, (LOGITS, labels))
