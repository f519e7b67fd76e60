"""What holds of a function that is differentiated."""

import numpy as np

import yota_ast as ya


def check(fn, *args):
    """The value is that of the function, the gradient its slope."""
    value, _ = ya.grad(fn, *args)
    assert value == fn(*args)
    report = ya.gradcheck(fn, *args)
    assert report, str(report)


def check_tangent(fn, one, other):
    """Forward mode gives the value of the function, and its slope along a direction."""
    done, dother = np.cos(one), np.sin(other)
    value, tangent = ya.jvp(fn)(one, other, done, dother)
    assert value == fn(one, other)
    h = 1e-6
    ahead = fn(one + h * done, other + h * dother)
    behind = fn(one - h * done, other - h * dother)
    assert np.isclose(tangent, (ahead - behind) / (2 * h), rtol=1e-6)
