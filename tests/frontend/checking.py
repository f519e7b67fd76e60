"""What holds of a function that is differentiated."""

import yota_ast as ya


def check(fn, *args):
    """The value is that of the function, the gradient its slope."""
    value, _ = ya.grad(fn, *args)
    assert value == fn(*args)
    report = ya.gradcheck(fn, *args)
    assert report, str(report)
