"""A derivative rule of one's own, for a function of numbers, applied to an array."""

from numbers import Number

import numpy as np

import yota_ast as ya


def logistic(x):
    return 1 / (1 + np.exp(-x))


# For y = logistic(x), where x is a number: the adjoint of x, given dy, that of y.
@ya.diffrule
def _(x: Number, *, dy):
    y = logistic(x)
    dx = y * (1 - y) * dy


# The same as text, as Yota has it. Names are those of this module; the later rule wins.
ya.diffrule("logistic(x: Number)", "x", "logistic(x) * (1 - logistic(x)) * dy")


def L(x):  # the README's name
    return np.sum(ya.broadcast(logistic, x))


def main():
    x = np.linspace(-2, 2, 5)
    val, g = ya.grad(L, x)
    y = logistic(x)
    print(g.source)
    print(f"value:     {val:.6f}")
    print(f"gradient:  {g[0]}")
    print(f"by hand:   {y * (1 - y)}")


if __name__ == "__main__":
    main()
