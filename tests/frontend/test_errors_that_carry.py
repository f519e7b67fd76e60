# ruff: noqa: N818
"""Handlers that read what an error holds, its text and its class."""

import pytest

import yota_ast as ya


class Negative(ValueError):
    def __init__(self, value):
        super().__init__("negative", value)
        self.value = value


def product(b, c):
    if b > 0.5:
        raise Negative(b * c)
    return b


class Small(ValueError):
    pass


class Smaller(Small):
    pass


def attribute(b, c):
    try:
        r = product(b, c)
    except Negative as error:
        r = error.value * 2
    return r * c


def arguments(b, c):
    try:
        r = product(b, c)
    except Negative as error:
        _, r = error.args
    return r * c


def kept(b, c):
    found = None
    try:
        product(b, c)
    except Negative as error:
        found = error
    return b * c if found is None else found.value


def returned(b, c):
    def below():
        raise StopIteration(b * c)

    try:
        below()
    except StopIteration as stop:
        return stop.value * c


@pytest.mark.parametrize("fn", [attribute, arguments, kept, returned])
def test_a_number_that_an_error_carries_is_refused(fn):
    with pytest.raises(ya.UnsupportedSyntax, match="the caught error may hold"):
        ya.grad(fn, 0.9, 2.0)


def not_small(b):
    if b > 0.5:
        raise Small
    if b > 0.1:
        raise Smaller
    return b


def by_type(b, c):
    try:
        r = not_small(b)
    except Small as error:
        r = 2.0 * b if type(error) is Small else 3.0
    return r * c


def by_name_of_type(b, c):
    try:
        r = not_small(b)
    except Small as error:
        r = 2.0 * b if type(error).__name__ == "Small" else 3.0
    return r * c


def text(b, c):
    try:
        r = product(b, c)
    except Negative as error:
        r = c if "negative" in str(error) else b
    return r * c


@pytest.mark.parametrize("fn", [by_type, by_name_of_type, text])
@pytest.mark.parametrize("b", [0.9, 0.3, 0.05])
def test_its_class_and_its_text_are_known(fn, b):
    value, _ = ya.grad(fn, b, 2.0)
    assert value == fn(b, 2.0)
    report = ya.gradcheck(fn, b, 2.0)
    assert report, str(report)
