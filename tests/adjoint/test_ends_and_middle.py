"""Arrays that are joined of an axis's ends and middle: no lengths are asked for, loops
save nothing for a shape, and no view is copied that is not written."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.ir.abstract_values import Fact, array_fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.axis_lengths import Dim, axis_dim, literal_dim
from yota_ast.rules.inference.dims import noting
from yota_ast.rules.inference.joins import appended as joined_flat
from yota_ast.rules.inference.joins import concatenated, padded

from .checking import check


def spread(u, c, n):
    for _ in range(n):
        inner = u[1:-1] + c * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = np.concatenate((u[:1], inner, u[-1:]))
    return np.sum(u * u)


def between_numbers(u, c, n):
    for _ in range(n):
        u = np.concatenate(([0.0], c * u[1:-1], [1.0]))
    return np.sum(u * u)


def padded_again(u, c, n):
    for _ in range(n):
        u = np.pad(c * u[1:-1], 1) + u
    return np.sum(u * u)


def shifted(u, c, n):
    for _ in range(n):
        v = np.zeros_like(u)
        v[1:] = c * u[:-1]
        u = v
    return np.sum(u * u)


def nonlinear(u, c, n):
    for _ in range(n):
        u = np.append(c * u[1:] * u[:-1], u[-1:])
    return np.sum(u * u)


def appended(u, c, n):
    for _ in range(n):
        u = np.sin(u) * np.append(c, u[:-1]) + np.append(u[1:], u[0])
    return np.sum(u * u)


ALL = [spread, between_numbers, padded_again, shifted, nonlinear, appended]
U = np.array([0.3, -1.2, 0.8, 1.5, 0.4])


@pytest.mark.parametrize("passes", ["all", "none", "-again", "-inplace", "-tidy"])
@pytest.mark.parametrize("fn", ALL, ids=lambda f: f.__name__)
def test_the_gradient(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, (U, 0.7, 3))


@pytest.mark.parametrize("dtypes", [("f8", "f8"), ("f4", "f8"), (">f8", "f8")])
@pytest.mark.parametrize("fn", ALL, ids=lambda f: f.__name__)
def test_other_lengths_are_right_or_refused(fn, dtypes):
    made = ya.simplegrad(fn, U.astype(dtypes[0]), 0.7, 3, wrt="u")
    for n in range(7):
        u = np.cos(np.arange(n)).astype(dtypes[1])
        for trips in (0, 1, 2):
            try:
                value, slope = made(u, 0.7, trips)
            except ValueError as error:
                assert "made for" in str(error)  # noqa: PT017
                assert n < 2
                continue
            assert value == fn(u, 0.7, trips)
            assert slope.shape == u.shape
            again = ya.grad(fn, u, 0.7, trips, wrt="u")[1]["u"]
            np.testing.assert_allclose(slope, again, rtol=1e-6)


def test_what_is_appended_flat_has_a_length():
    text = ya.simplegrad(appended, U, 0.7, 3, wrt="u").source
    assert "unbroadcast" not in text, text
    matrix = Var("a", array_fact("f8", (Dim("x.shape[0]", 0, 2), literal_dim(3))))
    assert joined_flat(matrix, Const(1.0), Const(None)).shape == (None,)


@pytest.mark.parametrize("fn", [spread, between_numbers, padded_again, shifted])
def test_a_linear_loop_saves_and_copies_nothing(fn):
    text = ya.simplegrad(fn, U, 0.7, 3, wrt="u").source
    for word in ("saved", ".copy()", "len(", "unbroadcast", "unpad"):
        assert word not in text, text


def test_what_the_text_needs_stands_in_the_message():
    made = ya.simplegrad(spread, U, 0.7, 3, wrt="u")
    with pytest.raises(ValueError, match="made for") as found:
        made(U[:1], 0.7, 3)
    told = "spread_grad: made for u (n,), n >= 2, floats; a number c"
    assert str(found.value) == told


def written_after(u, n):
    s = 0.0
    for _ in range(n):
        v = u[1:]
        w = v * 1.0
        w[0] = 2.0 * u[0]
        s = s + np.sum(v * w)
        u = np.concatenate((w, u[:1]))
    return s


def test_views_of_what_is_written_are_copied():
    check(written_after, (U, 3))


def test_lengths_of_parts():
    n = axis_dim("x.shape[0]", 5)
    ends = (Dim("min(x.shape[0], 1)", 0, 1), n.shifted(-2), literal_dim(1))
    parts = [array_fact("f8", (d,)) for d in ends]
    with noting() as taken:
        whole = concatenated(
            Var("a", Fact("tuple", items=tuple(parts))), Const(0)
        ).shape
    assert whole == (n,)
    assert {str(number) for number, _ in taken} >= {"x.shape[0] - 1", "x.shape[0] - 2"}
    short = array_fact("f8", (axis_dim("x.shape[0]", 2).shifted(-2),))
    assert padded(Var("a", short), Const(1)).shape == (None,)  # 2, or 1 of one


def of_differences(x):
    v = x[2:4]
    return np.sum(np.pad(np.diff(v), (1, 0)) - np.diff(v[2:-1])) + x @ x


def handed_on(x):
    v = x[:-2][:-2]
    for _ in range(1):
        v = np.diff(v)
    return x @ x


def of_last(x):
    v = x[1:-2]
    return np.sum(v[-3:-1] - (v + v)) + x @ x


def of_first(x):
    w = np.diff(x[:2][1:-1])[-2:-1]
    return np.sum(w * w + w[-2:-1]) + x @ x


@pytest.mark.parametrize("n", range(7))
@pytest.mark.parametrize("fn", [of_differences, handed_on, of_last, of_first])
def test_an_example_of_which_nothing_is_left(fn, n):
    """Lengths below 0 are no lengths: the code takes the example it is made of."""
    x = np.cos(np.arange(n))
    try:
        value = fn(x)
    except ValueError:
        return
    made = ya.simplegrad(fn, x)
    found, slope = made(x)
    assert found == value
    np.testing.assert_allclose(slope, ya.grad(fn, x)[1]["x"])
