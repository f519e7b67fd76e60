"""Linear regression by gradient descent, with Adam written out.

After examples/linreg.jl of Yota.
"""

import numpy as np

import yota_ast as ya


def objective(Y, X, b):
    return np.mean((Y - X @ b) ** 2)


class Adam:
    """D. P. Kingma, J. Ba: Adam, a method for stochastic optimization, algorithm 1."""

    def __init__(self, rate=0.1, beta1=0.9, beta2=0.999, eps=1e-8):
        self.rate, self.beta1, self.beta2, self.eps = rate, beta1, beta2, eps
        self.step, self.mean, self.square = 0, 0.0, 0.0

    def __call__(self, x, gx):
        """Return what takes the place of x."""
        self.step += 1
        self.mean = self.beta1 * self.mean + (1 - self.beta1) * gx
        self.square = self.beta2 * self.square + (1 - self.beta2) * gx**2
        mean = self.mean / (1 - self.beta1**self.step)
        square = self.square / (1 - self.beta2**self.step)
        return x - self.rate * mean / (np.sqrt(square) + self.eps)


def main():
    rng = np.random.default_rng(1)
    n, d = 1000, 10
    X, b = rng.standard_normal((n, d)), rng.standard_normal(d)
    Y = X @ b + 0.1 * rng.standard_normal(n)

    theta, optimizer = rng.standard_normal(d), Adam()
    for epoch in range(100):
        val, g = ya.grad(objective, Y, X, theta, wrt="b")
        if epoch % 20 == 0:
            print(f"Epoch: {epoch}; loss = {val:.6f}")
        ya.update(theta, g["b"], optimizer)
    print(f"loss = {objective(Y, X, theta):.6f}, of the noise alone: 0.01")
    print(f"largest error of a coefficient: {np.max(np.abs(theta - b)):.4f}")


if __name__ == "__main__":
    main()
