"""Classes that are written in C, on the heap or not, are none of the user's: what is
done with their objects is known, or refused."""

import array
import collections
import decimal
import fractions
import functools
import itertools
import operator
import re

import pytest

from yota_ast.frontend.heap.lowered_values import is_user_class


class Own:
    __slots__ = ()


@pytest.mark.parametrize(
    "cls",
    [
        operator.itemgetter, functools.partial, re.Pattern, array.array,
        itertools.islice, itertools.chain, collections.deque, collections.defaultdict,
        decimal.Decimal, int, ValueError,
    ],
)  # fmt: skip
def test_in_c(cls):
    assert not is_user_class(cls)


@pytest.mark.parametrize(
    "cls", [Own, type("Made", (), {}), fractions.Fraction, collections.Counter]
)
def test_in_python(cls):
    assert is_user_class(cls)
