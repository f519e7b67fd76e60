"""Views that are read in one way or another after what they are of has been written."""

import linecache

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import check

WRITES = (
    "K[2] *= x[0]", "K[1:][1] *= x[0]", "v *= x[0]", "K += 2 * x[0]",
    "u = K.T; u[:, 2] = x[:2]", "K.T[0][:] = x", 'D["k"][2] = x[:2]',
)  # fmt: skip
READS = (
    "v.T[1] @ x[1:]", "v.mT[1] @ x[1:]", "np.sum(v.real[:, 0] * x[1:])",
    "np.sum(v.imag) + v.real[1] @ x[1:]", "v.flat[2:] @ x[1:]",
    "sum(q for q in v.flat) * x[0]", "sum(r @ x[1:] for r in v.T)",
    "v.reshape(-1)[2:] @ x[1:]", "v.sum(axis=1) @ x[1:]", "v.tolist()[1][0] * x[0]",
    "v.swapaxes(0, 1)[1] @ x[1:]", "v.diagonal() @ x[1:]",
    "(lambda q: q.T)(v)[1] @ x[1:]",
    "getattr(v, 'T')[1] @ x[1:]", "sum(r.T[1] * i for i, r in enumerate(v)) * x[0]",
    "np.sum(D['k'].T * x)", "np.sum(D['k'].real[1:] * x[1:, None])",
)  # fmt: skip
X, C = np.array([0.3, 0.7, 0.4]), np.arange(1.0, 7.0).reshape(3, 2)


REFUSED = ("v *= x[0]", "D['k'][1:]")
"""What an argument holds, written through a view, and read as a whole."""


@pytest.mark.part(2)
@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize("view", ["K[1:]", "K.T[:, 1:].T", "D['k'][1:]"])
@pytest.mark.parametrize("write", WRITES)
def test_read_after_write(write, view, read):
    held = "D[" in write + view + read
    source = f"""def f(x, K{", D" * held}):
    v = {view}
    {write}
    return {read}
"""
    name = f"<{write}, {view}, {read}>"
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    names = {"__name__": __name__, "np": np}
    exec(compile(source, name, "exec"), names)
    f = names["f"]
    along = [np.sin(1 + np.arange(3.0)), np.cos(np.arange(6.0)).reshape(3, 2)]

    def at(h):
        moved = [a + h * d for a, d in zip((X, C), along, strict=True)]
        return [*moved, *([{"k": 2 * C - h}] if held else [])]

    if (write, view) == REFUSED and "D[" in read:
        with pytest.raises(ya.UnsupportedSyntax, match="has changed since"):
            ya.grad(f, *at(0.0))
        return
    value, g = ya.grad(f, *at(0.0))
    assert value == f(*at(0.0))
    got = sum(np.sum(g[k] * d) for k, d in enumerate(along))
    if held:
        got -= np.sum(g["D"]["k"])
    h = 1e-6
    expected = (f(*at(h)) - f(*at(-h))) / (2 * h)
    assert got == pytest.approx(expected, rel=1e-6, abs=1e-7)


def reversed_into_a_view_by_a_repeated_index(x):
    x = x * 1.0
    v = x[::-1]
    v[[0, 0, 2]] = x[::-1]
    return np.sum(x * np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize("passes", ["all", "none"])
def test_of_a_repeated_index_the_last_is_what_is_read(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(reversed_into_a_view_by_a_repeated_index, (np.array([0.1, 0.2, 0.3]),))


def columns_told_by_a_test(x, W):
    W = W * 1.0
    s = 0.0
    for e in W.T:
        s = np.where(e > 0.3, x, s).sum()
    np.fill_diagonal(W, s)
    return np.sum(W) * s


def rows_of_a_view(x, W):
    W = W * 1.0
    s = 0.0
    for e in W[::-1]:
        mask = e > 0.3
        s = np.where(mask, x, s).sum()
    W[:, 0] = s
    return np.sum(W) * s


def rows_of_planes(x, W):
    planes = np.stack([W, W * 2.0])
    s = 0.0
    for plane in planes:
        for e in plane.T:
            s = np.where(e > 0.1, x * e, s).sum()
    planes[:, 0] = s
    return np.sum(planes) * s


def rows_in_pairs(x, W):
    W = W * 1.0
    s = 0.0
    for k, (e, g) in enumerate(zip(W.T, W[::-1])):
        s = np.where(e > g, x * k, s * g).sum()
    W[:] = s * W
    return np.sum(W) * s


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("seed", [2, 3])
@pytest.mark.parametrize(
    "fn",
    [columns_told_by_a_test, rows_of_a_view, rows_of_planes, rows_in_pairs],
)
def test_rows_that_a_loop_went_over_are_kept_as_they_were(
    fn, seed, passes, monkeypatch
):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    rng = np.random.default_rng(seed)
    check(fn, (rng.uniform(-1.0, 1.0, 3), rng.uniform(-1.0, 1.0, (3, 3))))
