"""A text that took an argument not to be None says so where it is."""

import numpy as np
import pytest

import yota_ast as ya


class Options:
    def __init__(self, **fields):
        self.__dict__.update(fields)


def plain(x, p):
    return x * 2 if p is None else x * 3


def negated(x, p):
    if p is not None:
        return x * 3
    return x * 2


def of_branch(x, p):
    q = p if x > 1 else 1.0
    return x * 2 if q is None else x * 3


def of_loop(x, p):
    q = p
    for _ in range(2):
        x = x * (2.0 if q is None else 3.0)
        q = p
    return x


def in_a_list(x, p):
    r = [p, 1.0]
    return x * 2 if r[0] is None else x * 3


def compared(x, p):
    return x * (2.0 if p == None else 3.0)  # noqa: E711


def of_its_class(x, p):
    return x * (2.0 if (p is None) else 3.0)


ALL = [plain, negated, of_branch, of_loop, in_a_list, compared, of_its_class]


KINDS = [1.0, 3, True, "a", np.ones(2)]
CASES = [(fn, p) for fn in ALL for p in KINDS if fn not in (of_branch, compared)]
# Of two kinds it is asked while the text runs, and of an array each element.
CASES += [(of_branch, 1.0), *((compared, p) for p in KINDS[:-1])]


@pytest.mark.parametrize(
    ("fn", "p"), CASES, ids=lambda part: getattr(part, "__name__", repr(part))
)
def test_made_with_an_example(fn, p):
    text = ya.simplegrad(fn, 1.2, p, wrt="x")
    assert text(1.2, p)[0] == fn(1.2, p)
    with pytest.raises((ValueError, AttributeError), match="None"):
        text(1.2, None)


@pytest.mark.parametrize("fn", [plain, negated, of_branch, of_loop, in_a_list])
def test_made_without_one(fn):
    text = ya.simplegrad(fn, wrt="x")
    assert text(1.2, 1.0)[0] == fn(1.2, 1.0)
    with pytest.raises(ValueError, match=r"made for p that is not None$"):
        text(1.2, None)


def of_field(x, opt):
    return x * 2 if opt.name is None else x * 3


def test_fields_too():
    text = ya.simplegrad(of_field, wrt="x")
    assert text(1.2, Options(name=1.0))[0] == 1.2 * 3
    with pytest.raises(ValueError, match=r"made for opt\.name that is not None$"):
        text(1.2, Options(name=None))


def defaulted(x, p=None):
    if p is None:
        p = 2.0
    return x * p


def test_a_default_of_none_stays():
    assert ya.simplegrad(defaulted, wrt="x")(1.2) == (2.4, 2.0)
    assert ya.simplegrad(defaulted, wrt="x")(1.2, 3.0) == (1.2 * 3.0, 3.0)
    assert ya.grad(defaulted, 1.2, wrt="x")[1]["x"] == 2.0
