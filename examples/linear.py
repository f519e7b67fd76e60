"""The gradient of a loss with respect to an object's fields, and 100 steps down it.

The first example of Yota's README. The loss is no error to be minimised: it goes below
zero soon, and on.
"""

import numpy as np

import yota_ast as ya


class Linear:
    """A linear layer."""

    def __init__(self, W, b):
        self.W = W
        self.b = b


def forward(m: Linear, X):
    return m.W @ X


def loss(m: Linear, X):
    return np.sum(forward(m, X))


def main():
    rng = np.random.default_rng(1)
    m = Linear(rng.random((3, 4)), rng.random(3))
    X = rng.random((4, 5))

    val, g = ya.grad(loss, m, X)
    print(g.source)
    print(f"loss: {val:.4f}")
    # One entry: the loss does not read m.b.
    for path, gradient in g[0].items():
        print(f"gradient with respect to m, path {path}:\n{gradient}")
    print(f"gradient with respect to X:\n{g['X']}")

    for i in range(100):
        val, g = ya.grad(loss, m, X)
        if i % 20 == 0:
            print(f"Loss value in epoch {i}: {val:.4f}")
        ya.update(m, g[0], lambda x, gx: x - 0.01 * gx)


if __name__ == "__main__":
    main()
