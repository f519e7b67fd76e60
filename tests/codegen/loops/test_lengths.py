"""Parts of arrays that are shorter than those of the example: none has fewer than 0."""

import numpy as np
import pytest

import yota_ast as ya

numba = pytest.importorskip("numba", reason="no Numba: that lengths are right")
X = np.array([0.9, -0.2, 0.55, 0.4, 0.75, 0.33, 1.2])


def padded(x):
    return np.sum(np.pad(x[3:], 2) + 1.0)


def length_of_a_part(x):
    return len(x[3:]) * np.sum(x) + x[1:-1].size + x[4:].shape[0]


def counted_on(x):
    s = 0.0
    for i in range(len(x[3:]) + 2):
        s += np.sum(x) * i
    return s


def mean_of_a_part(x):
    return np.mean(x[3:] ** 2) + 1.0


def joined_parts(x):
    return np.append(x[3:], x[2:])


def parts_of_parts(x):
    return np.sum(x[2:][1:-1][::-1] * x[3:-1])


def differences(x):
    d = np.diff(x) ** 2
    return np.sum(d) + d.size


PARTS = [
    padded, length_of_a_part, counted_on, joined_parts, parts_of_parts, differences,
]  # fmt: skip


@pytest.mark.parametrize("f", PARTS, ids=lambda f: f.__name__)
def test_no_length_is_below_zero(f, monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    loops, readable = ya.simplegrad(f, X, backend="numba"), ya.simplegrad(f, X)
    for n in range(len(X) + 1):
        shape = np.shape(f(X[:n]))
        seed = (np.ones(shape),) if shape else ()
        pairs = zip(loops(X[:n], *seed), readable(X[:n], *seed), strict=True)
        for one, other in pairs:
            np.testing.assert_allclose(one, other, rtol=1e-12)


def test_lengths_are_compiled():
    loops = ya.simplegrad(length_of_a_part, X, backend="numba")
    for n in range(len(X) + 1):
        assert loops(X[:n])[0] == pytest.approx(length_of_a_part(X[:n]))
    means = ya.simplegrad(mean_of_a_part, X, backend="numba")
    assert np.isnan(means(X[:2])[0])
