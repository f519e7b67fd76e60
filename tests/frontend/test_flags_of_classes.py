"""Integers of classes that select behaviour: decided where the example's are needed."""

import pytest

import yota_ast as ya


class Mask:
    FIRST = 1
    SECOND = 2
    BOTH = FIRST | SECOND


LEVEL = 3


def parts(x, mask):
    found = {}
    if mask & Mask.FIRST:
        found["first"] = x * x
    if mask & Mask.SECOND:
        found["second"] = x**3
    return found


def second_of_both(x):
    return parts(x, Mask.BOTH)["second"]


def of_mask(x, mask=Mask.FIRST):
    return parts(x, mask)["first"] * 2.0


def of_level(x, level):
    found = {}
    if level >= LEVEL:
        found["deep"] = x**4
    return found["deep"]


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (second_of_both, (1.5,)),
        (of_mask, (1.5,)),
        (of_mask, (1.5, 3)),
        (of_level, (1.5, 4)),
    ],
)
def test_keys_that_depend_on_them_are_known(fn, args):
    report = ya.gradcheck(fn, *args)
    assert report, str(report)


def test_the_text_checks_what_it_was_made_for(monkeypatch):
    gradient = ya.simplegrad(of_mask, 1.5, 1)
    assert gradient(2.0, 1)[0] == of_mask(2.0, 1)
    with pytest.raises(ValueError, match="made for mask"):
        gradient(2.0, 2)
    monkeypatch.setattr(Mask, "FIRST", 4)
    with pytest.raises(ValueError, match=r"made for Mask\.FIRST = 1"):
        gradient(2.0, 1)


N = 5


def fill(c, x):
    for k in range(1, N):
        c[k] = x**k


def list_of_a_range(x):
    c = list(range(N))
    fill(c, x)
    first = c[1]
    first *= x
    return first + c[2] * c[0] + c[1]


def test_a_list_of_a_range_of_unknown_length_is_a_list():
    report = ya.gradcheck(list_of_a_range, 0.5)
    assert report, str(report)
