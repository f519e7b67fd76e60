"""Solvers, and functions given to them, that are refused."""

from functools import partial

import numpy as np
from scipy import integrate, interpolate, optimize, sparse

import yota_ast as ya

from .cases import PYTHON_RAISES
from .cases import refused as _refused
from .groups import LIBRARIES, SOLVE

refused = partial(_refused, group=SOLVE)
SPARSE, X = sparse.csr_matrix(np.eye(3)), np.ones(3)


def powers(x, n):
    if n == 0:
        return x
    return powers(0.5 * x, n - 1) * x


@refused(
    "The derivative of the function would have to call itself, too.",
    1.0,
    20,
)
def solves_what_calls_itself(p, n):
    return optimize.brentq(lambda x: powers(x, n) - p, 0.1, 9.0)


@refused(
    "The generated code needs to know the derivative of each of them.", known=False
)
def solves_with_any_number_of_args(p, more):
    return optimize.brentq(lambda x, *_: x - p, 0.1, 9.0, args=more)


def multiplies_parts_of_a_sparse_matrix(x):
    n = len(x)
    places = np.arange(n)
    rows = np.concatenate([places, places, places + n, places + n])
    cols = np.concatenate([places, places + n, places, places + n])
    data = np.concatenate([x, -x * x, x * x, x])
    built = sparse.csr_matrix((data, (rows, cols)), shape=(2 * n, 2 * n))
    return np.sum((built @ np.ones(2 * n)) ** 2)


@refused(
    "The rules of sparse matrices are for real numbers.", X,
    works=multiplies_parts_of_a_sparse_matrix,
)  # fmt: skip
def multiplies_a_complex_sparse_matrix(x):
    built = sparse.diags([x + 1j * x * x], [0])
    return np.sum(np.abs(built @ np.ones(3)) ** 2)


@refused("The number of unknowns decides the equations.", known=False)
def solves_from_anywhere(p, x):
    return optimize.fsolve(lambda v: v**3 - p, x).sum()


@refused("The shape of the Jacobian depends on it.", known=False)
def fits_any_number_of_parameters(t, y, p):
    def model(t, *q):
        return q[0] * t

    return optimize.curve_fit(model, t, y, p)[0][0]


@refused(PYTHON_RAISES, 1.0)
def solves_what_raises(p):
    def f(x):
        raise ValueError("no")

    return optimize.brentq(f, 0.1, 9.0) * p


@refused("The solver decides how often it calls the function.", 1.0)
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


@refused("At a bound the solution satisfies other equations.", 1.0)
def minimises_within_bounds(p):
    return optimize.minimize(
        lambda x: np.sum((x - p) ** 2), np.zeros(2), bounds=[(0, 1)] * 2
    ).x[0]


@refused("Nothing is known of the other results of the solver.", 1.0)
def reads_the_residual_of_a_root(p):
    return np.sum(optimize.root(lambda x: x**3 - p, np.ones(2)).fun)


@refused("Nothing is known of the other results of the solver.", 1.0)
def reads_the_message_of_a_solver(p):
    found = optimize.minimize(lambda x: np.sum((x - p) ** 2), np.zeros(2))
    return found.x[0] * found.hess_inv[0, 0]


@refused(
    "`*` is the matrix product for some sparse types, and elementwise for others.",
    X,
    group=LIBRARIES,
)
def multiplies_by_a_sparse_matrix(x):
    return np.sum(sparse.csr_array(SPARSE) * x)


@refused(
    "Its result is an np.matrix: `*` is a matrix product there.",
    X,
    group=LIBRARIES,
)
def sums_a_sparse_matrix(x):
    return np.sum(SPARSE.sum(axis=0) * x)


def makes_a_sparse_matrix_of_its_entries(x):
    built = sparse.csr_matrix((x[:1], ([0], [1])), shape=(3, 3))
    return np.sum(built @ x)


def averages_its_array(x):
    return np.sum(SPARSE.toarray().mean(axis=0) * x)


@refused(
    "Its result is an np.matrix: `*` is a matrix product there.",
    X,
    group=LIBRARIES,
    works=averages_its_array,
)
def averages_a_sparse_matrix(x):
    return np.sum(SPARSE.mean(axis=0) * x)


@refused(
    "The entries of a matrix that is changed in place have no adjoints.",
    X,
    group=LIBRARIES,
    works=makes_a_sparse_matrix_of_its_entries,
)
def makes_a_sparse_matrix_of_what_varies(x):
    built = sparse.lil_matrix((3, 3))
    built[0, 1] = x[0]
    return np.sum(built.tocsr() @ x)


def divides_a_copy_of_a_sparse_matrix(x):
    half = SPARSE.tocsr() / 2.0
    return np.sum(half @ x)


@refused(
    "The matrix is changed under all of its names, after products that read it.",
    X,
    group=LIBRARIES,
    works=divides_a_copy_of_a_sparse_matrix,
)
def divides_a_sparse_matrix(x):
    half = SPARSE.tocsr()
    half /= 2.0
    return np.sum(half @ x)


def converts_a_matrix_when_it_is_complete(x):
    built = sparse.lil_matrix((3, 3))
    built[0, 1] = 2.0
    return np.sum(built.tocsr() @ x)


@refused(
    "The reverse sweep reads the matrix again, which may have changed since.",
    X,
    group=LIBRARIES,
    works=converts_a_matrix_when_it_is_complete,
)
def multiplies_by_a_matrix_that_it_builds(x):
    built = sparse.lil_matrix((3, 3))
    built[0, 1] = 2.0
    return np.sum(built @ x)


class Cubic:
    def __init__(self, a):
        self.a = a

    def __call__(self, x, y):
        return self.a * x**3 * y


@refused(
    "The compiler does not see what it computes, nor what it depends on.", Cubic(2.0)
)
def integrates_an_object(m):
    return integrate.dblquad(m, 0.0, 1.0, 0.0, 1.0)[0]


@refused(
    "The derivative has a part from the jump as it moves, which is missing here.", 0.3
)
def integrates_up_to_a_jump_that_moves(a):
    def f(t):
        if t < a:
            return t
        return 0.0

    return integrate.quad(f, 0.0, 1.0)[0]


@refused(
    "The derivative has a part from the jump as it moves, which is missing here.", 0.3
)
def flows_past_a_level_that_moves(a):
    def slope(t, y):
        return -y * (y > a)

    return integrate.solve_ivp(slope, (0.0, 1.0), [1.0]).y[0, -1]


@refused("The solver chooses the steps by its error estimates.", 0.8)
def sums_the_steps_of_a_flow(a):
    sol = integrate.solve_ivp(lambda t, y: -a * y, (0.0, 1.0), [1.0])
    return np.sum(sol.y)


def solves_with_two_args(a, more):
    return optimize.brentq(lambda t, p, q: t**3 - a * p - q, 0.0, 9.0,
                           args=(more[0], more[1]))  # fmt: skip


@refused("The gradient would be that of a tuple.", 1.0, (2.0, 3.0),
         works=solves_with_two_args)  # fmt: skip
def solves_with_a_tuple_that_is_given(a, more):
    return optimize.brentq(lambda t, p, q: t**3 - a * p - q, 0.0, 9.0, args=more)


def in_forward_mode(fn, args):
    return ya.jvp(fn)(*args, *args)


@refused("A spline has no tangent.", np.arange(3.0), ask=in_forward_mode)
def crosses_a_spline(y):
    curve = interpolate.interp1d(np.arange(3), y)
    return optimize.brentq(lambda t: curve(t) - 1.5, 0.0, 2.0)


def balance(a):
    return np.sum(optimize.root(lambda v: v**3 - np.sum(a), np.ones(3)).x)


def moves_a_balance(a):
    return np.sum(ya.value_and_grad(balance)(a)[1] * a)


@refused("The rank says how many axes are added up.", known=False,
         works=moves_a_balance)  # fmt: skip
def moves_a_balance_forward(a):
    return ya.jvp(balance)(a, a)[1]
