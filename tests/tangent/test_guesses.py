"""What a text took for granted of memory, or left out, told by a call of it: `jvp` and
`hvp` make another text, or refuse, as `grad` does."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import NoRule, UnsupportedSyntax

A, V = np.array([[0.6, 0.8], [0.1, -0.4]]), np.array([[0.3, -0.7], [0.4, 0.9]])


def a_copy_or_a_view(A):
    B = A * 2.0
    y = B.ravel()
    B[0, 0] = 3.0 * A[1, 1]
    return np.sum(y * y * A.ravel())


def of_the_argument(A):
    y = A.ravel()
    A[0, 0] = 3.0 * A[1, 1]
    return np.sum(y * y * A.ravel())


def without_a_rule(A):
    if A[0, 0] > 0.5:
        for v in np.nditer(A):
            A = A + v
    return np.sum(A * A)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("orders", ["CFC", "FCF"])
def test_another_text_is_made(orders, passes, monkeypatch):
    """Of each layout, whichever the first text was made for."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    h = 1e-6
    for order in orders:
        a, v = np.array(A, order=order), np.array(V, order=order)
        there, back = (ya.grad(a_copy_or_a_view, a + s * h * v)[1][0] for s in (1, -1))
        found = ya.hvp(a_copy_or_a_view)(a, v)
        np.testing.assert_allclose(found, (there - back) / (2 * h), rtol=1e-6)
        value, dvalue = ya.jvp(a_copy_or_a_view)(a, v)
        assert value == a_copy_or_a_view(a)
        _, g = ya.grad(a_copy_or_a_view, a)
        np.testing.assert_allclose(dvalue, np.vdot(g[0], v), rtol=1e-12)
        columns = ya.hessian(a_copy_or_a_view)(a)
        np.testing.assert_allclose(np.tensordot(columns, v), found, rtol=1e-12)


@pytest.mark.parametrize("maker", [ya.jvp, ya.hvp], ids=["jvp", "hvp"])
def test_what_has_been_written_is_not_run_again(maker):
    a = np.asfortranarray(A)
    with pytest.raises(UnsupportedSyntax, match="may be a view or a copy"):
        maker(of_the_argument)(a, V)


def test_a_branch_without_a_rule_is_refused_where_it_is_taken():
    with pytest.raises(NoRule, match="nditer"):
        ya.hvp(without_a_rule)(A.copy(), V)
    with pytest.raises(NoRule, match="nditer"):
        ya.hessian(without_a_rule)(A.copy())
    np.testing.assert_allclose(ya.hvp(without_a_rule)(A - 1.0, V), 2 * V)
