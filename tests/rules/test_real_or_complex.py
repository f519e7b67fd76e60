"""Functions whose values are complex where those of real arguments are: the numbers
decide, and adjoints of what is real are real."""

from typing import Any

import numpy as np
import pytest
from scipy import linalg

import yota_ast as ya

VECTOR = np.array([1.0, 2.0, 5.0])
ROTATED = np.array([[1.0, 2.0], [-2.0, 1.0]])
POSITIVE = np.array([[2.0, 0.3], [0.3, 1.0]])


def close_to_real(x, p):  # type: ignore[no-untyped-def]
    return np.sum(np.abs(np.real_if_close(x * np.exp(1e-20j)) * np.cos(p)))


def far_from_real(x, p):  # type: ignore[no-untyped-def]
    return np.sum(np.abs(np.real_if_close(x * np.exp(0.3j)) * x + np.sin(p)))


def of_real(x, p):  # type: ignore[no-untyped-def]
    return np.max(np.real_if_close(x) * np.cos(p))


def root(x, p):  # type: ignore[no-untyped-def]
    return np.sum(np.abs(linalg.sqrtm(x) * np.cos(p)) ** 2)


def logarithm(x, p):  # type: ignore[no-untyped-def]
    return np.sum(np.abs(linalg.logm(x) * np.cos(p)) ** 2)


def without_imaginary_part(x, p):  # type: ignore[no-untyped-def]
    mean = linalg.sqrtm(x @ p)
    if np.iscomplexobj(mean):
        mean = mean.real
    return np.trace(x) - 2 * np.trace(mean)


CASES = [
    *((f, VECTOR) for f in (close_to_real, far_from_real, of_real)),
    *((f, x) for f in (root, logarithm) for x in (POSITIVE, ROTATED, -POSITIVE)),
    *((without_imaginary_part, x) for x in (POSITIVE, -POSITIVE)),
]


@pytest.mark.parametrize(("f", "x"), CASES)
@pytest.mark.parametrize("passes", ["all", "none"])
def test_gradients(
    f: Any, x: Any, passes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    p = np.linspace(0.3, 0.9, x.size).reshape(x.shape)
    value, gradients = ya.grad(f, x, p)
    assert value == f(x, p)
    assert all(g.dtype == float for g in gradients)
    found = ya.gradcheck(f, x, p)
    assert found, str(found)


def power_of_a_float(x, a):  # type: ignore[no-untyped-def]
    return (x**2) ** float(a)


def power_of_a_complex(x, a):  # type: ignore[no-untyped-def]
    return np.real(x ** complex(a))


def power_of_what_is_unknown(x, a):  # type: ignore[no-untyped-def]
    exponents = {"a": a}
    return x ** exponents["a"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("a", [1.3, np.float64(1.3)], ids=["python", "numpy"])
@pytest.mark.parametrize("x", [0.7, np.array([1.2, 0.5, 2.0])], ids=["number", "array"])
@pytest.mark.parametrize(
    "f", [power_of_a_float, power_of_a_complex, power_of_what_is_unknown]
)
@pytest.mark.parametrize("passes", ["all", "none"])
def test_the_slope_in_an_exponent_of_unknown_kind(
    f: Any, x: Any, a: Any, passes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By way of `log(u + 0j)` it is complex; a real number's gradient is real."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    value, dx, da = ya.simplegrad(f)(x, a, seed=np.ones(np.shape(x))[()])
    assert type(da) is type(a)
    assert np.allclose(dx, a * value / x * (2 if f is power_of_a_float else 1))
    log = 2 * np.log(x) if f is power_of_a_float else np.log(x)
    assert np.isclose(da, np.sum(value * log))


MADE_FOR_REAL = (
    "squared_grad: made for real numbers, but `z` is complex: "
    "make it with a complex example"
)


def squared(z, c=1.0):  # type: ignore[no-untyped-def]
    return np.sum(np.real(c * z * z))


@pytest.mark.parametrize("made_for", [(), (1.0,), (np.ones(1),), (np.float64(1.0),)])
@pytest.mark.parametrize("z", [1 + 2j, np.complex128(1 + 2j), np.array([1 + 2j])])
def test_a_text_for_real_numbers_refuses_complex_ones(made_for: Any, z: Any) -> None:
    """Its adjoints leave out conjugates: `2 * z` would be wrong."""
    gradient = ya.simplegrad(squared, *made_for)
    with pytest.raises(ValueError, match="real") as refusal:
        gradient(z)
    assert str(refusal.value) == MADE_FOR_REAL


def test_so_it_does_by_name_and_of_what_has_no_gradient() -> None:
    def weighted(p, a):  # type: ignore[no-untyped-def]
        return np.sum(np.real(a[0] * a[0] * p))

    gradient = ya.simplegrad(weighted, wrt="p")
    assert gradient(1.0, np.array([2.0]))[1] == 4.0
    for a in ([2j], np.array([2j])):
        with pytest.raises(ValueError, match=r"`a` is complex|made for .* of floats"):
            gradient(p=1.0, a=a)


def test_a_text_for_complex_numbers_serves_them_and_refuses_real_ones() -> None:
    gradient = ya.simplegrad(squared, np.array([1 + 2j]), wrt="z")
    assert gradient(np.array([3 - 1j]), seed=1.0)[1] == 6 + 2j
    with pytest.raises(ValueError, match=r"made for z .*complex numbers in z"):
        gradient(np.array([3.0]), seed=1.0)
