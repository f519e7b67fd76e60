"""A gradient as a plain function: no tape, no result object, no cache of calls."""

import numpy as np

import yota_ast as ya


def loss(W, b, x):
    return np.mean((W @ x + b) ** 2)


def main():
    rng = np.random.default_rng(1)
    W, b, x = rng.random((3, 4)), rng.random(3), rng.random(4)

    # The arguments tell what kinds of values there will be; their numbers do not
    # matter.
    dloss = ya.simplegrad(loss, W, b, x)
    print(dloss.source)

    for i in range(5):
        val, dW, db, dx = dloss(W, b, x)
        print(f"step {i}: loss {val:.6f}, |dx| {np.linalg.norm(dx):.6f}")
        W -= 0.1 * dW
        b -= 0.1 * db


if __name__ == "__main__":
    main()
