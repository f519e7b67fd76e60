# ruff: noqa: TRY301
"""Errors that Python raises, and the text with it: what is caught is caught."""

import abc

import numpy as np
import pytest

import yota_ast as ya

from .checking import check


class Unfinished(abc.ABC):
    rate = 2.0

    @abc.abstractmethod
    def value(self): ...


class Finished(Unfinished):
    def value(self):
        return 3.0


def deletes_no_key(x):
    table = {"a": x}
    try:
        del table["b"]
    except KeyError:
        return 5.0 * x
    return x


def length_of_an_object(x):
    try:
        return len(Finished()) * x
    except TypeError:
        return 5.0 * x


def makes_an_abstract_object(x):
    try:
        return Unfinished().rate * x
    except TypeError:
        return 5.0 * x


def makes_an_object(x):
    return Finished().value() * x


def has_no_file(x):
    try:
        raise OSError("gone")
    except OSError as error:
        return 5.0 * x if error.filename is None else x


def of_as_many(x):
    return sum(a * b for a, b in zip([x, x], [x, 2.0], strict=True))


@pytest.mark.parametrize(
    "fn",
    [
        deletes_no_key,
        length_of_an_object,
        makes_an_abstract_object,
        makes_an_object,
        has_no_file,
        of_as_many,
    ],
)
def test_what_is_raised_is_caught(fn):
    check(fn, 0.7)


def pairs(v):
    try:
        return sum(a * b for a, b in zip([v[0], v[1]], [v[2]], strict=True))
    except ValueError:
        return 5.0 * v[0]


def of_another(v):
    try:
        try:
            raise KeyError("a")
        except KeyError as error:
            raise ValueError("b") from error
    except ValueError as error:
        return v[0] if error.__cause__ is None else 5.0 * v[0]


def of_none(v):
    try:
        raise ValueError("b") from None
    except ValueError as error:
        return 5.0 * v[0] if error.__suppress_context__ else v[0]


@pytest.mark.parametrize(
    ("fn", "reason"),
    [
        (pairs, "different lengths"),
        (of_another, "`__cause__` of an error may differ in generated code"),
        (of_none, "`__suppress_context__` of an error may differ in generated code"),
    ],
)
def test_what_is_refused(fn, reason):
    with pytest.raises(ya.YotaError, match=reason):
        ya.grad(fn, np.array([0.7, 1.0, 2.0]))
