"""Draws of Python's `random`."""

import random

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.5, 2.0, -1.0, 3.0])
DICE = (1.0, 2.0, 5.0)
RNG = random.Random(2)


def whole_numbers(x):
    random.seed(7)
    first = x[random.randint(0, 3)] * x[random.randrange(1, 4, 2)]
    return first + x[random.getrandbits(2)] ** 2


def choices(x):
    random.seed(3)
    y = random.choice(DICE) * x[0]
    return y + random.choice([x[1], x[2], x[3]]) ** 2


def of_a_generator(x):
    RNG.seed(1)
    return x[RNG.randint(0, 3)] * RNG.uniform(1.0, 2.0)


def of_a_generator_made_here(x):
    rng = random.Random(5)
    total = 0.0
    for v in x:
        total += drawn_weight(rng) * v**2 if v > 0 else v * rng.gauss(0.0, 1.0)
    return total * x[rng.randrange(len(x))]


def drawn_weight(rng):
    return rng.uniform(1.0, 2.0) + rng.randint(0, 3)


def test_in_all_modes():
    assert ya.gradcheck(of_a_generator_made_here, X)
    there, back = (
        ya.grad(of_a_generator_made_here, X + h)[1][0] for h in (1e-6, -1e-6)
    )
    curvature = ya.hvp(of_a_generator_made_here)(X, np.ones(4))
    np.testing.assert_allclose(curvature, (there - back) / 2e-6, rtol=1e-6, atol=1e-6)


def samples(x):
    random.seed(4)
    total = 0.0
    for _ in range(3):
        i, j = random.sample(range(len(x)), 2)
        total = total + x[i] * x[j] ** 2
    a, b = random.sample(list(x), k=2)
    (c, d), *_ = random.sample([(x[0], 1.0), (x[1], 2.0), (x[2], 3.0)], 2)
    return total + a * b**2 + c * d * np.sum(x[random.sample(range(4), 2)] ** 2)


def test_a_sample_of_another_length():
    gradient = ya.simplegrad(lambda x: x[random.sample(range(len(x)), 2)[0]], X)
    random.seed(9)
    value, slope = gradient(np.arange(6.0))
    random.seed(9)
    assert value == random.sample(range(6), 2)[0] == np.argmax(slope)
    with pytest.raises(ValueError, match="larger than population"):
        gradient(X[:1])


@pytest.mark.parametrize("fn", [whole_numbers, choices, of_a_generator, samples])
def test_what_is_drawn_is_what_python_draws(fn):
    value, gradient = ya.grad(fn, X)
    assert value == fn(X)
    h, steps = 1e-6, np.eye(4)
    slopes = [(fn(X + h * d) - fn(X - h * d)) / (2 * h) for d in steps]
    assert np.allclose(gradient["x"], slopes)
