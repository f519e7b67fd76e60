"""Numbers of Python under Numba: what raises in Python raises there too.

>>> quotient(1.0, 4.0), math_value(2.0, 4.0)
(0.25, 2.0)
"""

from __future__ import annotations

import math
from typing import Final

NAMES: Final = frozenset(
    """quotient math_value floored remainder picked in_64_bits product_in_64_bits
    sum_in_64_bits no_fraction""".split()
)
"""What the helpers are called, which no variable of the loops is."""


def quotient(x: float, y: float) -> float:
    """Return `x / y` of numbers of Python, which 0 does not divide."""
    if y == 0:
        raise ZeroDivisionError("float division by zero")
    return x / y


def math_value(y: float, x: float) -> float:
    """Return `y`, which `math` gives for `x`, or raise as it does."""
    if math.isnan(y) and not math.isnan(x):
        raise ValueError("math domain error")
    if math.isinf(y) and not math.isinf(x):
        raise OverflowError("math range error")
    return y


def floored(x: float, y: float) -> float:
    """Return `x // y` of numbers of Python, which 0 does not divide."""
    if y == 0:
        raise ZeroDivisionError("division by zero")
    return x // y


def remainder(x: float, y: float) -> float:
    """Return `x % y` of numbers of Python, which 0 does not divide."""
    if y == 0:
        raise ZeroDivisionError("modulo by zero")
    return x % y


def picked(dy: float, items: tuple[float, ...], y: float) -> list[float]:
    """Return the adjoints of numbers, where the first that is `y` was picked."""
    d = [0.0] * len(items)
    for k, v in enumerate(items):
        if v == y or (v != v and y != y):
            d[k] = dy
            break
    return d


def in_64_bits(x: float) -> float:
    """Return `x`, which becomes an integer: nan, inf and larger numbers raise."""
    if not abs(x) < 2.0**63:
        raise OverflowError("cannot convert float to an integer of 64 bits")
    return x


def product_in_64_bits(x: int, y: int) -> int:
    """Return `x * y`, or raise where it has more bits."""
    if abs(float(x) * float(y)) >= 2.0**63:
        raise OverflowError("an integer of more than 64 bits")
    return x * y


def sum_in_64_bits(x: int, y: int) -> int:
    """Return `x + y`, or raise where it has more bits."""
    if abs(float(x) + float(y)) >= 2.0**63:
        raise OverflowError("an integer of more than 64 bits")
    return x + y


def no_fraction(n: int) -> int:
    """Return the exponent of an integer, or raise where it is negative."""
    if n < 0:
        raise ValueError("Integers to negative integer powers are not allowed.")
    return n
