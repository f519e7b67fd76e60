"""Lists and dicts made in one arm of a branch alone, and changed in later branches."""

import pytest

import yota_ast as ya

from .checking import check


def reported(x, full=False):
    c = x * x
    if full:
        report = {"flow": None, "c": c}
    if full:
        report["extra"] = 2.0 * c
    if full:
        report["flow"] = c * x
        return report["flow"] + report["extra"] * report["c"]
    return c


def in_other_branches(x, full=False):
    if full:
        steps = [x * 3]
    if x > 1:
        if full:
            steps.append(x)
    elif full:
        steps.append(2 * x)
    if full:
        return steps[0] * steps[1]
    return x * x


def in_one_of_them(x, full=False):
    if full:
        steps = [x * 3]
    if x > 1:
        scale = 3.0
        if full:
            steps.append(x)
    if full:
        return steps[0] * len(steps)
    return x * x


def made_otherwise(x, full=False):
    if full:
        scale = 2.0
    else:
        steps = [x, x * x]
    if x > 1:
        if not full:
            steps.append(x**3)
    return x * scale if full else sum(steps) * len(steps)


def in_a_loop(x, full=False):
    total = 0.0
    for k in range(3):
        odd = k % 2 == 1
        if odd:
            row = [x * k]
        if odd:
            row.append(x)
        if odd:
            total += row[0] * row[1] * len(row)
    return total + x


FUNCTIONS = [reported, in_other_branches, in_one_of_them, made_otherwise, in_a_loop]


@pytest.mark.part(2)
@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_right(fn, full, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    for x in (0.7, 2.0):
        check(fn, x, full)
        if fn is reported:  # its text is made for `full` as it is
            continue
        text = ya.simplegrad(fn, x, full)
        for other in (0.7, 2.0):
            value, gradients = ya.grad(fn, other, not full)
            assert text(other, not full)[:2] == (value, gradients[0])


def never_made(x, full=False):
    if x > 5:
        steps = [x]
    if full:
        steps.append(2.0)
    return sum(steps)


def test_what_was_not_made_is_an_error_as_in_python():
    for text in (ya.simplegrad(never_made, 7.0), ya.simplegrad(never_made)):
        assert text(7.0)[0] == 7.0
        assert text(7.0, True)[0] == 9.0
        for full in (False, True):
            with pytest.raises(UnboundLocalError):
                text(2.0, full)
