"""Options of libraries that are given by position, or that follow the memory."""

import numpy as np
import pytest

import yota_ast as ya

P = np.array([0.3, 1.2, 0.7])
A = np.array([[4.0, 1.0, 0.5], [0.3, 3.0, 0.2], [0.1, 0.4, 5.0]])


def solved(a, x):
    from scipy import linalg

    return np.sum(linalg.solve(a * 1.0, x * 1.0, False, True, True))


def inverse(a, x):
    from scipy import linalg

    return x @ linalg.inv(a * a, True) @ x


def triangular(a, x):
    from scipy import linalg

    return np.sum(linalg.solve_triangular(a, x * x, 0, True, False, True))


def in_memory_order(a, x):
    return np.dot(x.ravel("K"), np.ravel(x[::-1], order="A")) + x.flatten(order="K")[0]


def of_a_number(a, x):
    return np.sum(np.ravel(x[0], "K")) * np.sum(np.ravel(a[0, 1], order="A"))


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize(
    "fn", [solved, inverse, triangular, in_memory_order, of_a_number]
)
def test_in_every_mode(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    a, x = A.copy(), P.copy()
    val, g = ya.grad(fn, a, x)
    assert val == fn(A.copy(), P.copy())
    np.testing.assert_array_equal(a, A)
    for k, given in enumerate((A, P)):
        d, both = np.cos(np.arange(given.size)).reshape(given.shape), [A, P]
        ends = []
        for step in (1e-6, -1e-6):
            both[k] = given + step * d
            ends.append(fn(*(b.copy() for b in both)))
        slope = (ends[0] - ends[1]) / 2e-6
        assert np.vdot(g[k], d) == pytest.approx(slope, abs=1e-6)
        assert ya.jvp(fn, wrt=[k])(A, P, d)[1] == pytest.approx(slope, abs=1e-6)


def test_an_array_that_is_read_later_is_not_given_up():
    def fn(a):
        from scipy import linalg

        b = a * 1.0
        return np.sum(linalg.inv(b, True)) + np.sum(b)

    with pytest.raises(ya.UnsupportedCall, match="that this call may overwrite"):
        ya.grad(fn, A)


def test_orders_of_matrices_are_refused():
    with pytest.raises(ya.UnsupportedCall, match="`order` is 'K'"):
        ya.grad(lambda a: np.sum(a.ravel("K")), A)


def test_what_has_no_rule_is_called_as_the_user_calls_it():
    def factors(a):
        from scipy.linalg import lapack

        return np.sum(lapack.dsytrf(a)[0])

    def unequal(x):
        from scipy import stats

        return stats.ttest_ind(x, 2.0 * x, equal_var=False).statistic

    with pytest.raises(ya.NoRule, match=": dsytrf has no rule"):
        ya.grad(factors, A)
    with pytest.raises(ya.UnsupportedCall, match="`equal_var` is False"):
        ya.grad(unequal, P)
