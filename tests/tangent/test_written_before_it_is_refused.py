"""Second derivatives whose first way is refused while it runs, after it has written
into the arguments: the second way starts with what the caller has given."""

import numpy as np

import yota_ast as ya

M = np.array([[0.3, -0.4, 0.8], [1.1, 0.2, 0.5]])
D = np.array([[0.2, 0.7, -0.3], [0.1, -0.6, 0.4]])

SOURCE = """import numpy as np


def normal_rows(c, others):
    for i in range(len(c)):
        v = c[i]
        n = np.linalg.norm(v)
        if n > 0:
            v = v / n
        c[i] = v.copy()
        others *= 2.0
    return np.sum(c**3) * np.sum(others)
"""


def _given():
    return M.copy(), np.ones(3)


def _fresh():
    """The function once more, of which no gradient has been made."""
    return ya.from_source(SOURCE)["normal_rows"]


def _change_of_slopes(fn):
    ends = []
    for sign in (1.0, -1.0):
        _, others = _given()
        ends.append(ya.grad(fn, M + sign * 1e-5 * D, others, wrt="c")[1]["c"])
    return (ends[0] - ends[1]) / 2e-5


def test_each_product_is_that_of_the_arguments():
    fn, plain = _fresh(), _given()
    wanted = _change_of_slopes(fn)
    fn(*plain)
    product = ya.hvp(_fresh(), wrt="c")
    for _ in range(2):
        c, others = _given()
        np.testing.assert_allclose(product(c, D, others), wanted, atol=1e-6)
        np.testing.assert_array_equal(c, plain[0])
        np.testing.assert_array_equal(others, plain[1])


def test_a_hessian_is_that_of_the_arguments():
    c, others = _given()
    found = ya.hessian(_fresh(), wrt="c")(c, others)
    wanted = _change_of_slopes(_fresh())
    np.testing.assert_allclose(np.tensordot(found, D), wanted, atol=1e-6)
