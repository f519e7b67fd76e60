"""A `try` of which all handlers raise: nobody sees what its body has half done."""

import numpy as np
import pytest

import yota_ast as ya

from .every_mode import check_every_mode, slopes

X, V = np.array([1.3, 0.7, 2.1]), np.array([0.5, -1.0, 2.0])


class Beam:
    def __init__(self, length):
        self.length = length
        self.force = 1.0

    def validate(self, given):
        self.force = given["force"]
        if "length" not in given:
            given["length"] = self.length * self.force
        if np.any(given["length"] < 0):
            raise ValueError("length")


def validated(x):
    beam, given = Beam(x), {"force": x[0]}
    try:
        beam.validate(given)
        given["more"] = beam.force**2
    except ValueError as error:
        print(f"{type(beam).__name__}: {error}")
        raise
    return np.sum(given["length"]) * given["more"]


def in_a_loop(x):
    beam = Beam(x)
    for k in range(3):
        try:
            beam.length = beam.length * x
            beam.validate({"force": x[k]})
        except (ValueError, KeyError) as error:
            raise RuntimeError("no beam") from error
    return np.sum(beam.length) * beam.force


def in_a_helper(x):
    def filled(fields):
        try:
            fields["a"] = x[0] * x[1]
            fields["b"] = fields["a"] ** 2
        except TypeError:
            if not fields:
                raise ValueError("nothing") from None
            raise
        return fields

    return filled({})["b"]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [validated, in_a_loop, in_a_helper])
def test_changes_of_objects(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check_every_mode(f, X, V)


def test_the_error_passes():
    gradient = ya.simplegrad(in_a_loop, X)
    with pytest.raises(RuntimeError, match="no beam"):
        gradient(-X)


def written(x):
    y = np.zeros(3)
    try:
        y[0] = x[0] * x[1]
        y[1:] = y[0] * x[2]
        y *= y
    except FloatingPointError:
        raise ValueError("bad") from None
    return np.sum(y * x)


@pytest.mark.parametrize("passes", ["all", "none"])
def test_writes_into_arrays(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    value, g = ya.grad(written, X)
    assert value == written(X)
    np.testing.assert_allclose(g[0], slopes(written, X), atol=1e-6)


def read_in_the_handler(x):
    beam = Beam(x)
    try:
        beam.validate({"force": x[0]})
    except ValueError:
        raise RuntimeError(beam.force) from None
    return np.sum(beam.length)


def caught_around(x):
    beam = Beam(x)
    try:
        try:
            beam.force = x[0]
            beam.validate({"force": x[3]})
        except IndexError:
            raise ValueError from None
    except ValueError:
        return beam.force
    return beam.force * x[1]


@pytest.mark.parametrize("f", [read_in_the_handler, caught_around])
def test_what_is_seen_half_done_is_refused(f):
    with pytest.raises(ya.UnsupportedSyntax):
        ya.grad(f, X)


def much(x):
    try:
        a = np.sin(x[0])
        b = a * x[1]
        c = b * b + x[2]
        d = np.exp(c) * a
        e = d * b
        f = e * c
        g = f + d
        h = g * g * a
        return h * h + g
    except IndexError:
        return 0.0


def test_a_gradient_with_a_long_try_is_differentiated_again():
    check_every_mode(much, 0.5 * X, V)


def test_a_refused_second_derivative_names_the_function():
    with pytest.raises(ya.UnsupportedSyntax) as caught:
        ya.hvp(written)(X, V)
    assert caught.value.excerpt == "def written(x):"
    assert caught.value.reason.startswith("the gradient of `written` is not")
