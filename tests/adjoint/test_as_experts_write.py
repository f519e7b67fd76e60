"""What an expert leaves out of a gradient, the text leaves out; where it would be wrong
it stays, and the gradient is right."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=(4, 3)), RNG.normal(size=(4, 3))
S = X.T @ X + np.eye(3)


@pytest.fixture(params=["all", "none"])
def passes(request, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", request.param)


def text(fn, *args):
    return ya.simplegrad(fn, *args).source


# ---------------------------------------------------------------- softmax


def softmax(x, y):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.sum(y * e / e.sum(axis=1, keepdims=True))


def softmax_of_a_vector(x, y):
    e = np.exp(x[0] - np.max(x[0]))
    return y[0] @ (e / np.sum(e))


def log_sum_exp(x, y):
    m = np.max(x, axis=1)
    return np.sum(m + np.log(np.sum(np.exp(x - m[:, None]), axis=1))) * y[0, 0]


def log_softmax(x, y):
    z = x - np.max(x, axis=1, keepdims=True)
    return np.sum(y * (z - np.log(np.exp(z).sum(axis=1, keepdims=True))))


def weighted_rows(x, y):
    w = np.exp(x - x.max(axis=1, keepdims=True))
    return np.sum((w @ y.T) ** 2 / w.sum(axis=1, keepdims=True) ** 2)


def geometric_mean(x, y):
    m = np.amax(x)
    return np.exp(m / 2) * np.sqrt(np.sum(np.exp(x - m))) * y[0, 0]


def squeezed(x, y):
    m = np.max(x, axis=1, keepdims=True)
    s = np.sum(np.exp(x - m), axis=1)
    return np.sum((np.squeeze(m, axis=1) + np.log(s)) * y[:, 0])


def squeezed_by_lengths(x, y):
    m = np.max(x, axis=0, keepdims=True)
    return np.sum((m.squeeze() + np.log(np.sum(np.exp(x - m), axis=0))) * y[0])


def raveled(x, y):
    m = np.max(x, axis=-1, keepdims=True)
    s = np.sum(np.exp(x - m), axis=-1)
    return np.sum((m.ravel() + np.log(s)) * y[:, 0] + m.reshape(-1) + np.log(s))


def with_all_other_axes(x, y):
    m = np.max(x, axis=-1)
    s = np.sum(np.exp(x - m[..., None]), axis=-1)
    return np.sum((m + np.log(s)) * y[..., 0])


def expanded(x, y):
    m = np.expand_dims(np.max(x, axis=1), 1)
    return np.sum(np.exp(x - m) / np.sum(np.exp(x - m), axis=1, keepdims=True) * y)


INVARIANT = [
    softmax, softmax_of_a_vector, log_sum_exp, log_softmax, weighted_rows,
    geometric_mean, squeezed, squeezed_by_lengths, raveled, with_all_other_axes,
    expanded,
]  # fmt: skip


@pytest.mark.parametrize("fn", INVARIANT)
def test_nothing_goes_back_through_a_shift(fn):
    assert "isnan" not in text(fn, X, Y)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("fn", INVARIANT)
def test_gradients_without_it_are_right(fn):
    check(fn, (X, Y))


def returned_too(x, y):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.sum(y * e / e.sum(axis=1, keepdims=True)) + e[0, 0]


def summed_over_columns(x, y):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.sum(y * e / e.sum(axis=0, keepdims=True))


def not_cancelled(x, y):
    m = np.max(x, axis=1)
    return np.sum(2 * m + np.log(np.sum(np.exp(x - m[:, None]), axis=1))) * y[0, 0]


def used_in_a_branch(x, y):
    m = np.max(x)
    s = np.sum(np.exp(x - m))
    if y[0, 0] < 5:
        s = s * 2.0
    return np.log(s) + m


def stored(x, y):
    m = np.max(x)
    e = np.exp(x - m)
    e[0] = y[0]
    return np.sum(e / np.sum(e))


def turned_rows(x, y):
    x, y = x[:3], y[:3]
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return np.sum(y * e / e.sum(axis=1))


def flattened(x, y):
    x, y = x[:3], y[:3]
    m = np.max(np.stack((x, y * 0.1)), axis=0)
    e = np.exp(x - m)
    return np.sum(e.ravel() * y.ravel()) / np.sum(e)


def rows_for_columns(x, y):
    x = x[:3]
    m = np.max(x, axis=1, keepdims=True)
    e = np.exp(x - m)
    return np.sum(np.log(e.sum(axis=1)) * y[0] + np.reshape(m, (1, 3)))


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize(
    "fn",
    [
        returned_too, summed_over_columns, not_cancelled, used_in_a_branch, stored,
        turned_rows, flattened, rows_for_columns,
    ],
)  # fmt: skip
def test_what_depends_on_the_shift_goes_back_through_it(fn):
    check(fn, (X, Y))


# ---------------------------------------------------------------- quotients


def divergence(p, q):
    return np.sum(p * np.log(p / q))


def deviance(p, q):
    return 2 * np.sum(p * np.log(p / q) - (p - q))


def log_odds(p, q):
    return np.sum(np.log(p / (1 - p)) ** 2 * q)


def log_returns(p, q):
    return np.std(np.log(p[1:] / p[:-1])) * q[0]


def by_a_number(p, q):
    r = q[0]
    return np.sum(r * np.log(r / (r + p)) + p * np.log(p / (r + p)))


def of_columns(p, q):
    return np.sum(np.log(p[:, None] / q) * np.log(q / p[:, None]) * p)


def overwritten_numerator(p, q):
    p = p.copy()
    ratio = p / q
    p[0] = 2.0
    return np.sum(np.log(ratio) * p)


def of_selected(p, q):
    return np.sum(np.where(p > 0.25, p * np.log(p / q), 0.0))


P, Q = np.array([0.2, 0.3, 0.4]), np.array([0.5, 0.1, 0.4])
QUOTIENTS = [
    divergence, deviance, log_odds, log_returns, by_a_number, of_columns,
    overwritten_numerator, of_selected,
]  # fmt: skip


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("fn", QUOTIENTS)
def test_gradients_of_logarithms_of_quotients_are_right(fn):
    check(fn, (P, Q))
    check(fn, (P.astype(np.float32), Q.astype(np.float32)))


def test_what_is_divided_in_a_logarithm_cancels():
    lines = text(divergence, P, Q)
    assert "dq = -(seed * t1)" in lines
    assert "dp = seed * t2 + seed" in lines


@pytest.mark.usefixtures("passes")
def test_what_is_not_selected_is_0_where_its_logarithm_is_infinite():
    with np.errstate(divide="ignore", invalid="ignore"):
        _, g = ya.grad(of_selected, np.array([0.0, 0.5]), Q[:2])
    assert g["p"][0] == g["q"][0] == 0.0


# ---------------------------------------------------------------- vectors, transposed


def quadratic(x, s):
    u = -s @ x
    return x.T @ s @ x + u.T @ u


def written_by_its_transpose(x, s):
    y = x.copy()
    z = y.T
    z[0] = 2 * x[1]
    return y @ s @ y + z.T @ x


def written_after_it(x, s):
    y = x * 2
    q = np.sum(y.T**2)
    y[1] = x[0]
    return q * np.sum(y.T**3) + np.transpose(x, (0,)) @ s @ x


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("fn", [quadratic, written_by_its_transpose, written_after_it])
def test_gradients_of_transposed_vectors_are_right(fn):
    check(fn, (P, S))


def test_a_vector_is_not_transposed():
    lines = text(quadratic, P, S).partition("# reverse")[2].splitlines()
    assert not any(".T" in line for line in lines if "# return" not in line)


# ---------------------------------------------------------------- determinants


def with_inverse(s, v):
    return v @ np.linalg.inv(s) @ v + np.log(np.linalg.det(s))


def with_solution(s, v):
    return v @ np.linalg.solve(s, v) + np.log(np.linalg.det(s))


@pytest.mark.parametrize("fn", [with_inverse, with_solution])
def test_the_slope_of_a_log_determinant_is_an_inverse(fn):
    assert "cofactors" not in text(fn, S, X[0])
    check(fn, (S, X[0]))


def may_be_singular(s, v):
    return np.linalg.det(s) * (v @ v)


def test_a_determinant_by_itself_may_be_0():
    s = np.array([[1.0, 2.0], [2.0, 4.0]])
    assert "np.linalg.inv(" not in text(may_be_singular, s, X[0, :2])
    _, ds, _ = ya.simplegrad(may_be_singular, s, X[0, :2])(s, X[0, :2])
    np.testing.assert_allclose(ds, (X[0, :2] @ X[0, :2]) * np.array([[4, -2], [-2, 1]]))


def by_cholesky(s, v):
    factor = np.linalg.cholesky(s)
    z = np.linalg.solve(factor, v)
    return 0.5 * z @ z + np.sum(np.log(np.diag(factor)))


def test_the_adjoint_of_a_factor_is_written_out():
    assert "def " not in text(by_cholesky, S, X[0]).replace("def by_cholesky_grad", "")
    _, ds, _ = ya.simplegrad(by_cholesky, S, X[0])(S, X[0])
    step, change = 1e-6, np.diag([1.0, 2.0, 3.0]) + 0.5
    ends = [by_cholesky(S + h * change, X[0]) for h in (step, -step)]
    slope = (ends[0] - ends[1]) / (2 * step)
    assert np.vdot(ds, change) == pytest.approx(slope, rel=1e-6)


# ---------------------------------------------------------------- vectors taken apart


def parabola(p, x):
    a, b, c = p
    return np.sum((a * x**2 + b * x + c) ** 2)


def reads_an_item_again(p, x):
    a, b = p
    return np.sum((a * x + b + p[0]) ** 2)


def within_a_branch(p, x):
    if x[0] > 1e9:
        a, b = p
        return np.sum(a * x + b)
    return p[0] * np.sum(x)


def test_the_gradient_of_a_vector_taken_apart_is_one_array():
    source = text(parabola, np.array([1.0, 2.0, 3.0]), X[0])
    assert "dp = np.array([da, db, dc])" in source or "dp = np.array([" in source
    assert "zeros_like(p)" not in source


def test_where_it_may_not_be_taken_apart_its_length_is_its_own():
    assert "zeros_like(p)" in text(within_a_branch, np.ones(2), X[0])
    _, dp, _ = ya.simplegrad(within_a_branch, np.ones(2), X[0])(np.ones(3), X[0])
    assert dp.shape == (3,)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("fn", [parabola, reads_an_item_again, within_a_branch])
def test_gradients_of_vectors_are_right(fn):
    check(fn, (np.array([1.0, 2.0, 3.0][: 3 if fn is parabola else 2]), X[0]))


def test_a_vector_of_fewer_digits_keeps_its_type():
    p, x = np.ones(3, np.float32), np.ones(4, np.float32)
    _, dp, _ = ya.simplegrad(parabola, p, x)(p, x)
    assert dp.dtype == np.float32


# ---------------------------------------------------------------- numbers


def total_cost(x, w, n):
    cost = 0.0
    for _ in range(n):
        cost = cost + np.sum(x * x) * w
        x = np.sin(x)
    return cost


def overwritten(x, w, n):
    cost = 1.0
    for _ in range(n):
        cost = cost * w + np.sum(x)
    return cost


def test_the_adjoint_of_a_sum_over_a_loop_is_the_seed():
    assert "dcost" not in text(total_cost, X[0], 0.5, 3)
    assert "dcost" in text(overwritten, X[0], 0.5, 3)


@pytest.mark.usefixtures("passes")
@pytest.mark.parametrize("fn", [total_cost, overwritten])
@pytest.mark.parametrize("n", [0, 1, 3])
def test_sums_over_loops_are_right(fn, n):
    check(fn, (X[0], 0.5, n))


def named_once(x, w):
    total = np.sum(x * x)
    rest = np.sum(np.sin(x))
    return total * w - rest


def test_a_number_made_of_the_seed_needs_no_name():
    source = text(named_once, X[0], 0.5)
    assert "drest" not in source
    assert "dtotal" not in source
    check(named_once, (X[0], 0.5))


# ---------------------------------------------------------------- shapes and selections


def pairs(x, s):
    i, j = np.triu_indices(len(x), 1)
    return np.sum(np.exp(-s * np.sum((x[i] - x[j]) ** 2, axis=1)))


def test_pairs_of_rows_need_no_helper():
    assert "unbroadcast" not in text(pairs, X, 0.5)
    check(pairs, (X, 0.5))


def filtered(A, Q, P, n):
    for _ in range(n):
        P = A @ P @ A.T + Q
        P = P - 0.1 * P @ P
    return np.sum(P**2)


def test_a_square_matrix_that_a_loop_hands_on_is_square():
    args = (0.3 * X[:3], S, np.eye(3), 2)
    assert "unbroadcast" not in text(filtered, *args)
    check(filtered, args)


def running(x, w):
    rest = np.cumsum(np.exp(x)[::-1])[::-1]
    return w @ np.log(rest)


def test_what_is_turned_twice_is_not_turned():
    source = text(running, X[0], Y[0])
    lines = source.split("# reverse")[1].splitlines()
    assert not any("[::-1]" in line for line in lines if "#" not in line)
    check(running, (X[0], Y[0]))


def huber(r, delta):
    size = np.abs(r)
    return np.sum(np.where(size <= delta, 0.5 * r**2, delta * (size - 0.5 * delta)))


def test_both_arms_of_a_selection_are_one():
    source = text(huber, X[0], 0.5).split("# reverse")[1]
    assert source.count("dr = ") + source.count("dr += ") == 1
    check(huber, (X[0], 0.5))


# ---------------------------------------------------------------- constants


def ridge(w, lam):
    return 0.5 * lam * np.sum(w**2)


def thirds(x, k):
    return np.sum(0.1 * (k * x) ** 3)


def probabilities(w, x, y):
    z = x @ w
    return np.sum(np.log1p(np.exp(z)) - y * z)


def test_constants_are_multiplied_as_people_do():
    assert "dw = (seed * lam) * w" in text(ridge, X[0], 0.5)
    assert "00000" not in text(thirds, X[0], 0.5)
    assert "e+" not in text(probabilities, X[0], X, Y[:, 0])
    for fn, args in (
        (ridge, (X[0], 0.5)),
        (thirds, (X[0], 0.5)),
        (probabilities, (X[0], X, Y[:, 0])),
    ):
        check(fn, args)


def test_a_common_factor_is_one():
    assert "dz = seed * (" in text(probabilities, X[0], X, Y[:, 0])


def differences(x, w):
    return np.sum(np.diff(x, 2, axis=0) ** 2) + np.sum(np.diff(x) ** 3) * w


@pytest.mark.parametrize("rows", [0, 1, 2, 4])
def test_the_adjoint_of_differences_is_written_out(rows):
    source = text(differences, X, 0.5)
    assert "undiff" not in source
    check(differences, (X[:rows], 0.5))


def test_what_is_taken_by_arrays_is_not_turned():
    def taken(x, w):
        return np.sum(x[np.array([0, 2]), ::-1] ** 2) * w

    check(taken, (X, 0.5))


# ---------------------------------------------------------------- names


def scattered(x, k):
    return np.sum(np.exp(x)[k] ** 2) + np.sum((x * 2)[:3])


def test_the_adjoint_of_a_temporary_has_its_number():
    lines = text(scattered, X[:, 0], np.array([1, 2, 2])).splitlines()
    made = {s.split(" = ")[0].strip(): s for s in lines if "zeros_like" in s}
    assert set(made) == {"dt1", "dt3"}
    assert all(f"np.zeros_like({name[1:]})" in s for name, s in made.items())


# ---------------------------------------------------------------- second derivatives


def test_products_with_a_hessian_are_right_and_found_again():
    rng = np.random.default_rng(1)
    product = ya.hvp(softmax)
    slope = ya.value_and_grad(softmax)
    for x in (X, rng.normal(size=(4, 3)), rng.normal(size=(2, 5))):
        y, v = rng.normal(size=x.shape), rng.normal(size=x.shape)
        ends = [slope(x + h * v, y)[1] for h in (1e-6, -1e-6)]
        for _ in range(3):
            found = product(x, v, y)
            np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2e-6, atol=1e-6)
            found += 1.0  # it is the caller's


def test_products_of_other_kinds_of_arguments_are_made_anew():
    def energy(x, k=2.0):
        return np.sum(x**3) * k

    product, x, v = ya.hvp(energy), np.array([1.0, 2.0]), np.array([1.0, 0.5])
    for _ in range(3):
        np.testing.assert_allclose(product(x, v), 12 * x * v)
        np.testing.assert_allclose(product(x, v, k=1.0), 6 * x * v)
        assert product(2.0, 1.0, 1.0) == 12.0
        assert type(product(2.0, 1.0)) is float
        assert product(*np.float32([x, v])).dtype == np.float32
        with pytest.raises(ya.YotaError):
            product(x, v[:1])


def test_a_product_is_that_of_the_rules_and_globals_of_today():
    scale = {"k": 1.0}

    def energy(x):
        return np.sum(x**3) * scale["k"]

    product, x = ya.hvp(energy), np.array([1.0, 2.0])
    for k in (1.0, 1.0, 2.0, 3.0):
        scale["k"] = k
        np.testing.assert_allclose(product(x, x), 6 * x * x * k)
