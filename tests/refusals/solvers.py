"""Solvers, and functions given to them, that are refused."""

from functools import partial

import numpy as np
from scipy import integrate, optimize, sparse

from .cases import refused as _refused

refused = partial(_refused, chapter="Solvers")
SPARSE, X = sparse.csr_matrix(np.eye(3)), np.ones(3)


def powers(x, n):
    if n == 0:
        return x
    return powers(0.5 * x, n - 1) * x


@refused(
    "The slope of the function is a function too, and would have to call itself.",
    1.0,
    20,
)
def solves_what_calls_itself(p, n):
    return optimize.brentq(lambda x: powers(x, n) - p, 0.1, 9.0)


@refused("What each of them gets is decided when the text is made.", known=False)
def solves_with_any_number_of_args(p, more):
    return optimize.brentq(lambda x, *_: x - p, 0.1, 9.0, args=more)


@refused("Its derivative would be a dict of derivatives.", 1.0)
def solves_with_a_dict(p):
    return optimize.brentq(lambda x, d: x - d["p"], 0.1, 9.0, args=({"p": p},))


@refused("How many unknowns there are decides what the equations are.", known=False)
def solves_from_anywhere(p, x):
    return optimize.fsolve(lambda v: v**3 - p, x).sum()


@refused("The shape of the Jacobian depends on it.", known=False)
def fits_any_number_of_parameters(t, y, p):
    def model(t, *q):
        return q[0] * t

    return optimize.curve_fit(model, t, y, p)[0][0]


@refused("Python itself raises here, when the function runs.", 1.0)
def solves_what_raises(p):
    def f(x):
        raise ValueError("no")

    return optimize.brentq(f, 0.1, 9.0) * p


@refused("How often the solver calls it is no one's business but the solver's.", 1.0)
def counts_the_calls_of_a_solver(p):
    calls = []

    def f(x):
        calls.append(x)
        return x - p

    return optimize.brentq(f, -9.0, 9.0)


@refused("The reverse sweep calls it once more.", 1.0)
def prints_within_a_solver(p):
    def f(x):
        print(x)
        return x - p

    return optimize.brentq(f, -9.0, 9.0)


@refused("Where a bound is met the equations are others.", 1.0)
def minimises_within_bounds(p):
    return optimize.minimize(
        lambda x: np.sum((x - p) ** 2), np.zeros(2), bounds=[(0, 1)] * 2
    ).x[0]


@refused("Of what else the solver tells nothing is known.", 1.0)
def reads_the_residual_of_a_root(p):
    return np.sum(optimize.root(lambda x: x**3 - p, np.ones(2)).fun)


@refused("Of what else the solver tells nothing is known.", 1.0)
def reads_the_message_of_a_solver(p):
    found = optimize.minimize(lambda x: np.sum((x - p) ** 2), np.zeros(2))
    return found.x[0] * found.hess_inv[0, 0]


@refused("`*` of one kind of sparse matrix is a product, of another elementwise.", X)
def multiplies_by_a_sparse_matrix(x):
    return np.sum(SPARSE * x)


@refused("Its result is a matrix, whose products are not those of arrays.", X)
def sums_a_sparse_matrix(x):
    return np.sum(SPARSE.sum(axis=0) * x)


@refused("The entries of a sparse matrix have no adjoints.", X)
def makes_a_sparse_matrix_of_what_varies(x):
    return np.sum(sparse.diags(x) @ np.ones(3))


class Cubic:
    def __init__(self, a):
        self.a = a

    def __call__(self, x, y):
        return self.a * x**3 * y


@refused("What it computes is not seen, and so not what it depends on.", Cubic(2.0))
def integrates_an_object(m):
    return integrate.dblquad(m, 0.0, 1.0, 0.0, 1.0)[0]


@refused("What the jump sweeps as it moves is a part of the derivative.", 0.3)
def integrates_up_to_a_jump_that_moves(a):
    def f(t):
        if t < a:
            return t
        return 0.0

    return integrate.quad(f, 0.0, 1.0)[0]


@refused("What the jump sweeps as it moves is a part of the derivative.", 0.3)
def flows_past_a_level_that_moves(a):
    def slope(t, y):
        return -y * (y > a)

    return integrate.solve_ivp(slope, (0.0, 1.0), [1.0]).y[0, -1]


@refused("The steps are the solver's choice, and others where its errors are.", 0.8)
def sums_the_steps_of_a_flow(a):
    sol = integrate.solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0])
    return np.sum(sol.y)
