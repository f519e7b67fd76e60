"""Adjoints that are the same short expression, and items of rows, share lines."""

import numpy as np

import yota_ast as ya


def smooth(u):
    gx = u[1:, :-1] - u[:-1, :-1]
    gy = u[:-1, 1:] - u[:-1, :-1]
    return np.sum(np.sqrt(gx**2 + gy**2 + 0.1))


def chained(a, b):
    c = a * b
    return np.sum(c * a)


def masked(x, keep):
    return np.sum(x[keep] ** 2) / np.sum(keep)


def flash(T, z, coef):
    total = 0.0
    for zi, (a, b, c) in zip(z, coef):
        k = np.exp(a - b / (T + c))
        total += zi * k / (1.0 + k)
    return total


U, V = np.array([0.3, 0.7]), np.array([1.1, -0.4])


def test_the_same_of_other_variables_shares_a_line():
    u = np.arange(12.0).reshape(3, 4) ** 1.5
    assert "dgy, dgx = t2 * gy, t2 * gx" in ya.simplegrad(smooth, u).source
    assert ya.gradcheck(smooth, u)


def test_what_reads_another_of_them_does_not():
    source = ya.simplegrad(chained, U, V).source
    reverse = source.partition("# reverse")[2]
    for line in reverse.splitlines():
        names, equals, values = line.partition(" = ")
        if equals and ", " in names:
            assert not {*names.split(", ")} & {*values.replace(",", "").split()}
    assert ya.gradcheck(chained, U, V)


def test_a_mask_is_checked_with_the_arrays():
    made = ya.simplegrad(masked, U, np.array([True, False]), wrt=["x"])
    assert made.source.count("raise ValueError") == 1
    assert "keep.dtype != bool" in made.source


def test_items_of_a_row_that_is_saved_share_a_line():
    rows = [(9.1, 270.0, -50.0), (9.3, 310.0, -48.0), (9.5, 360.0, -53.0)]
    args = (350.0, [0.3, 0.3, 0.4], rows)
    source = ya.simplegrad(flash, *args, wrt=["T"]).source
    assert "a, b, c = " in source or "(a, b, c) in" in source
    assert "[2]" not in source.partition("# forward")[2]
    assert ya.gradcheck(flash, *args)
