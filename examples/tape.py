"""What is recorded of a function: traced, printed, played, compiled."""

from timeit import repeat

import numpy as np

import yota_ast as ya


def logistic(x):
    return 1 / (1 + np.exp(-x))


ya.diffrule("logistic(x)", "x", "y * (1 - y) * dy")


def L(x):  # the README's name
    return np.sum(ya.broadcast(logistic, x))


def iterative(x, n):
    for _ in range(n):
        x = 2 * x
    return np.sum(x)


def microseconds(fn, *args):
    return min(repeat(lambda: fn(*args), number=1000)) * 1e3


def main():
    x = np.linspace(-2, 2, 5)
    val, tape = ya.trace(L, x)
    print(tape)
    print(f"value: {val:.6f}, played: {ya.play(tape, x):.6f}")

    before = microseconds(ya.play, tape, x)
    ya.compile(tape)
    after = microseconds(ya.play, tape, x)
    print(f"play: {before:.1f} us before compile, {after:.1f} us after")

    # A loop is recorded as a loop: one tape serves every n.
    _, tape = ya.trace(iterative, x, 1)
    print(tape)
    for n in (1, 2, 3):
        _, g = ya.grad(iterative, np.ones(4), n)
        print(f"n = {n}: played {ya.play(tape, np.ones(4), n)}, gradient {g[0]}")


if __name__ == "__main__":
    main()
