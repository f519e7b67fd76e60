"""What a loop has saved and the reverse sweep reads is followed to the arguments."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.pipeline import compiled, gradient_program


def stepped(x, k):
    s = 0.0
    i = k
    for _ in range(3):
        s = s + x[i] ** 2
        i = (i * 3 + 1) % 5
    return s


def test_an_index_that_a_loop_saves_is_made_for_a_number():
    """Else `dx[i] += d` would add once where an array names an element twice."""
    x = np.arange(5.0)
    _, tape = ya.trace(stepped, x, 1)
    gradient = compiled(gradient_program(tape, ["x"]))
    assert gradient(x, 1)[1].tolist() == [0, 2, 0, 6, 8]
    with pytest.raises(ValueError, match="floats; a number k"):
        gradient(x, np.array([1, 1]))
