"""The functions with their arguments and what is differentiated."""

from dataclasses import dataclass

import functions as f
import hand
import numpy as np

SEED = 7


@dataclass(frozen=True)
class Case:
    """A function, the gradient by hand, the arguments at a size that users have."""

    name: str
    wrt: tuple
    args: tuple

    @property
    def function(self):
        return getattr(f, self.name)

    @property
    def by_hand(self):
        return getattr(hand, self.name + "_grad")


def spread(rng, n):
    """Return a well-conditioned covariance."""
    a = rng.normal(size=(n, n))
    return a @ a.T / n + np.eye(n)


def cases():
    rng = np.random.default_rng(SEED)
    normal = rng.normal
    X = normal(size=(200, 8))
    labels = (rng.random(200) < 0.5).astype(float)
    yield Case("ridge_logistic", ("w", "b"), (normal(size=8), 0.1, X, labels, 0.3))
    theta, points = np.array([0.1, 0.2, -1.0]), normal(size=(60, 2))
    yield Case("gp_nll", ("theta",), (theta, points, normal(size=60)))
    mixture = (normal(size=3), normal(size=3), 0.1 * normal(size=3), normal(size=500))
    yield Case("mixture_nll", ("logits", "mu", "log_sigma"), mixture)
    yield Case("kalman_nll", ("A", "Q", "R"), kalman(rng))
    predation = (np.array([1.1, 0.4, 0.1, 0.4]), np.array([5.0, 3.0]), 0.05)
    yield Case("predation_misfit", ("p", "z0"), (*predation, normal(size=(40, 2))))
    arm = f.Arm([f.Link(1.0, 0.3), f.Link(0.8, 0.5)])
    yield Case("reach_cost", ("arm",), (arm, 0.7, 1.1, 0.05))
    heads = tuple(0.3 * normal(size=(16, 12)) for _ in range(3))
    rows = normal(size=(40, 16))
    yield Case(
        "attention_loss",
        ("X", "Wq", "Wk", "Wv"),
        (rows, *heads, normal(size=(40, 12))),
    )
    field = normal(size=(50, 80))
    yield Case("burgers_residual", ("u", "nu"), (field, 0.02, 0.1, 0.01))
    weights = np.full(12, 1 / 12)
    portfolio = (normal(size=12), normal(size=12), spread(rng, 12), weights, 2.0, 0.1)
    yield Case("portfolio_loss", ("scores",), portfolio)
    image = normal(size=(64, 64))
    noisy = image + 0.1 * normal(size=(64, 64))
    yield Case("denoise_energy", ("u",), (image, noisy, 0.2, 0.01))
    knots, at = np.linspace(0.1, 0.9, 9), rng.random(300)
    spline = (normal(size=12), knots, at, normal(size=300), 0.5)
    yield Case("spline_misfit", ("c", "knots"), spline)
    lifetimes = (0.1 * normal(size=8), 0.2, X, rng.exponential(size=200), labels > 0)
    yield Case("weibull_nll", ("beta", "log_k"), lifetimes)
    yield Case("steering_cost", ("U", "A", "B"), steering(rng))
    cloud = (normal(size=5), spread(rng, 5), normal(size=(100, 5)))
    yield Case("gaussian_nll", ("mu", "Sigma"), cloud)
    yield Case("cox_nll", ("beta",), (0.1 * normal(size=8), X, labels))
    decay = (np.array([2.0, 1.5, 0.1]), rng.random(200), normal(size=200), 0.5)
    yield Case("huber_misfit", ("theta",), decay)
    yield Case("classifier_loss", ("model",), classifier(rng))
    yield Case(
        "reactor_loss",
        ("T", "flow", "volume", "k0", "Ea"),
        (350.0, 0.5, 2.0, 1e7, 5e4, 10.0),
    )
    yield Case(
        "lennard_jones", ("X", "eps", "sigma"), (2 * normal(size=(30, 3)), 1.0, 0.5)
    )
    symbols = rng.integers(0, 6, size=50)
    hmm = (normal(size=(4, 4)), np.full(4, 0.25), rng.random((4, 6)), symbols)
    yield Case("hmm_nll", ("logits", "start", "emission"), hmm)
    queue = (4.0, 1.0, 6, 20.0, 50.0)
    yield Case("erlang_cost", ("lam", "mu", "wage", "patience"), queue)


def kalman(rng):
    A = np.eye(4) + 0.05 * rng.normal(size=(4, 4))
    C = rng.normal(size=(2, 4))
    start = (np.zeros(4), np.eye(4))
    noise = (0.1 * spread(rng, 4), 0.2 * spread(rng, 2))
    return (A, *noise, C, *start, rng.normal(size=(50, 2)))


def steering(rng):
    U, x = rng.normal(size=(30, 2)), rng.normal(size=4)
    A, B = 0.5 * rng.normal(size=(4, 4)), rng.normal(size=(4, 2))
    return (U, x, A, B, np.eye(4), 0.1 * np.eye(2))


def classifier(rng):
    def dense(n, m):
        W = 0.3 * rng.normal(size=(n, m))
        return f.Dense(W.astype(np.float32), np.zeros(m, np.float32))

    x = rng.normal(size=(100, 10)).astype(np.float32)
    model = f.Classifier(dense(10, 32), dense(32, 5))
    return model, x, rng.integers(0, 5, size=100)
