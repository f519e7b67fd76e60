"""Arrays from outside the function have tangents of their own shapes: those of the
module, of cells, of fields and of defaults, beside an argument that varies."""

from types import SimpleNamespace

import numpy as np
import pytest

import yota_ast as ya

LEVELS = np.array([0.4, -0.3, 1.1])
TABLE = np.array([[0.5, 1.5, -1.0], [2.0, -0.7, 0.9]])
PAIR = (LEVELS, np.array([2.0, 0.1, -0.4]))
BOX = SimpleNamespace(knots=np.array([-0.6, 0.2, 0.8]))
X = np.array([0.7, -0.2, 1.3])
V = np.array([1.0, -0.5, 0.3])


def by_default(x, other=LEVELS):
    return np.concatenate((other, x, other))


def from_a_cell():
    inside = np.array([[1.0, -1.0, 0.5]])

    def stacked(x):
        return np.vstack((inside, x, LEVELS))

    return stacked


def helped(x):
    return np.stack([x, ours(x)])


def ours(x):
    return LEVELS


def in_an_arm(x):
    if x[0] > 0.5:
        y = TABLE
    else:
        y = np.outer(x[:2], x)
    return y * x


def by_guard(x):
    if x[0] < 0:
        return LEVELS
    return x * x


def decayed(x):
    state, kept = LEVELS, []
    for rate in x:
        state = state * np.cos(rate)
        kept.append(state)
    return np.concatenate(kept)


def while_small(x):
    y = BOX.knots
    while np.sum(y) < 5:
        y = y + x * x
    return y


def of_a_pair(x):
    pair = PAIR
    for _ in range(2):
        pair = (pair[0] * x, pair[1] + x)
    return pair[0] + pair[1]


def in_a_dict(x):
    parts = {"a": LEVELS, "b": x}
    return np.hstack([parts["b"], parts["a"], parts["b"]])


def in_a_list(x):
    rows = [LEVELS, x, BOX.knots]
    return np.array(rows)


def written(x):
    y = np.zeros((2, 3))
    y[0], y[1] = LEVELS, x
    return y


PROGRAMS = [
    by_default, from_a_cell(), helped, in_an_arm, by_guard, decayed, while_small,
    of_a_pair, in_a_dict, in_a_list, written,
    lambda x: np.where(TABLE > x, TABLE, x),
    lambda x: np.where(x > 0, TABLE, x),
    lambda x: np.where(x > 0, x, TABLE),
    lambda x: np.select([x > 1, x > 0], [LEVELS, x], BOX.knots),
    lambda x: np.choose([0, 1, 0], [LEVELS, x]),
    lambda x: np.clip(x, LEVELS - 1, LEVELS),
    lambda x: np.minimum(TABLE, x),
    lambda x: np.broadcast_arrays(x, TABLE)[0],
    lambda x: np.append(LEVELS, x),
    lambda x: np.append(TABLE, x[None], axis=0),
    lambda x: np.column_stack((LEVELS, x)),
    lambda x: np.dstack((x, LEVELS)),
    lambda x: np.block([[TABLE], [x]]),
    lambda x: np.insert(LEVELS, [0, 2, 3], x),
    lambda x: np.insert(x, 0, LEVELS),
    lambda x: np.outer(LEVELS, x),
    lambda x: np.kron(x, TABLE),
    lambda x: np.cross(LEVELS, x),
    lambda x: np.einsum("ij,j->i", TABLE, x),
    lambda x: np.linalg.multi_dot([TABLE, x[:, None], x[None]]),
    lambda x: np.linalg.solve(np.diag(LEVELS), x),
    lambda x: np.interp(x, BOX.knots, LEVELS),
    lambda x: np.interp(LEVELS, BOX.knots, x),
    lambda x: np.polyval(LEVELS, x),
    lambda x: np.polyval(x, LEVELS),
    lambda x: np.convolve(x, LEVELS),
    lambda x: np.hypot(x, TABLE),
    lambda x: np.pad(LEVELS, 1, constant_values=x[0]),
    lambda x: np.linspace(LEVELS, x, 4),
    lambda x: np.stack(np.meshgrid(LEVELS, x, TABLE[0])),
    lambda x: np.stack(np.ix_(x, x)[0] * LEVELS),
    lambda x: np.average(LEVELS, weights=x),
    lambda x: sum([LEVELS, x, x]),
    lambda x: np.sum([LEVELS, x], axis=0),
    lambda x: LEVELS if x[0] > 5 else x,
]  # fmt: skip
OF_KNOWN_RANK = [
    lambda x: np.c_[LEVELS, x],
    lambda x: np.r_[x, 1.0, LEVELS],
    lambda x: np.piecewise(x, [x > 0], [lambda t: t * LEVELS[0], LEVELS[1]]),
]


def slope(f, x, v, h=1e-4):
    near = f(x + h * v) - f(x - h * v)
    far = f(x + 2 * h * v) - f(x - 2 * h * v)
    return (8 * near - far) / (12 * h)


@pytest.mark.part(2)
@pytest.mark.parametrize(
    ("program", "facts"),
    [(p, facts) for p in PROGRAMS for facts in (True, False)]
    + [(p, True) for p in OF_KNOWN_RANK],
)
def test_tangents(program, facts):
    def value(x):
        return np.sum(np.sin(program(x)))

    given = (X,) if facts else ()
    gradient = ya.simplegrad(value, *given)
    at, tangent = ya.jvp(program)(X, V)
    np.testing.assert_array_equal(at, program(X))
    np.testing.assert_allclose(tangent, slope(program, X, V), atol=1e-7)
    change = slope(lambda x: gradient(x)[1], X, V)
    np.testing.assert_allclose(ya.hvp(value)(X, V), change, atol=1e-7)
    _, (_, found) = ya.jvp(gradient)(X, 1.0, V, None)
    np.testing.assert_allclose(found, change, atol=1e-7)
    _, nested = ya.value_and_grad(lambda x: ya.value_and_grad(value)(x)[1] @ V)(X)
    np.testing.assert_allclose(nested, change, atol=1e-7)


def test_nothing_is_made_for_what_is_only_added():
    source = ya.jvp(lambda x: np.tanh(x + LEVELS) * LEVELS)
    from yota_ast.api.directional import tangent_source
    from yota_ast.ir.abstract_values import fact_of

    text = tangent_source(
        lambda x: np.tanh(x + LEVELS) * LEVELS, facts={"x": fact_of(X, "x")}
    )
    assert "zeros" not in text
    assert "0.0" not in text
    assert source(X, V)[1].shape == (3,)
