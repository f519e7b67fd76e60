"""What a rule does not support is refused at its line, whatever reads the result."""

import numpy as np
import pytest
from scipy import fftpack

import yota_ast as ya
from yota_ast.errors import UnsupportedCall


def cubed(x):
    y = fftpack.dst(x, 3, 9)
    return np.sum(y**3)


def in_an_exponential(x):
    y = fftpack.dst(x, 3, 9)
    return np.log(np.sum(np.exp(y)))


X = np.array([0.3, 0.7, -0.2])


@pytest.mark.parametrize("f", [cubed, in_an_exponential])
@pytest.mark.parametrize(
    "way", [ya.simplegrad, lambda f, x: ya.jvp(f)(x, x), lambda f, x: ya.hvp(f)(x, x)]
)
def test_the_place(f, way):
    with pytest.raises(UnsupportedCall) as refused:
        way(f, X)
    assert refused.value.lineno == f.__code__.co_firstlineno + 1
