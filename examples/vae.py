"""A variational autoencoder on scikit-learn's digits, 8 x 8 pixels.

After examples/vae.jl of Yota: Gaussian latent variables, a loss of reconstruction and
of divergence, 14 arrays of parameters in one object, rules for the two activations.
D. P. Kingma, M. Welling: Auto-encoding variational Bayes, appendix B.

Run with the number of epochs, 60 if there is none. Writes out/vae.png.
"""

import sys
from pathlib import Path

import numpy as np

import yota_ast as ya

PICTURE = Path(__file__).resolve().parents[1] / "out" / "vae.png"


def logistic(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.logaddexp(0.0, x)


@ya.diffrule
def _(x, *, dy):
    y = logistic(x)
    dx = y * (1 - y) * dy


ya.diffrule("softplus(x)", "x", "logistic(x) * dy")


class VAE:
    """Encoder: three layers, the third twice, for mean and variance. Decoder: three."""

    def __init__(self, rng, sizes):
        n_inp, n_he1, n_he2, n_z, n_hd1, n_hd2 = sizes
        self.We1, self.be1 = xavier(rng, n_inp, n_he1), np.zeros(n_he1)
        self.We2, self.be2 = xavier(rng, n_he1, n_he2), np.zeros(n_he2)
        self.We3, self.be3 = xavier(rng, n_he2, n_z), np.zeros(n_z)
        self.We4, self.be4 = xavier(rng, n_he2, n_z), np.zeros(n_z)
        self.Wd1, self.bd1 = xavier(rng, n_z, n_hd1), np.zeros(n_hd1)
        self.Wd2, self.bd2 = xavier(rng, n_hd1, n_hd2), np.zeros(n_hd2)
        self.Wd3, self.bd3 = xavier(rng, n_hd2, n_inp), np.zeros(n_inp)


def xavier(rng, n_in, n_out):
    limit = np.sqrt(6 / (n_in + n_out))
    return rng.uniform(-limit, limit, (n_in, n_out))


def encode(m: VAE, x):
    he1 = softplus(x @ m.We1 + m.be1)
    he2 = softplus(he1 @ m.We2 + m.be2)
    mu = he2 @ m.We3 + m.be3
    log_sigma2 = he2 @ m.We4 + m.be4
    return mu, log_sigma2


def decode(m: VAE, z):
    hd1 = softplus(z @ m.Wd1 + m.bd1)
    hd2 = softplus(hd1 @ m.Wd2 + m.bd2)
    return logistic(hd2 @ m.Wd3 + m.bd3)


def vae_cost(m: VAE, eps, x):
    mu, log_sigma2 = encode(m, x)
    z = mu + np.sqrt(np.exp(log_sigma2)) * eps
    x_rec = decode(m, z)
    inside = x * np.log(1e-10 + x_rec) + (1 - x) * np.log(1e-10 + 1 - x_rec)
    rec_loss = -np.sum(inside, axis=1)
    kld = -0.5 * np.sum(1 + log_sigma2 - mu**2 - np.exp(log_sigma2), axis=1)
    return np.mean(rec_loss + kld)


class Adam:
    """An updater that keeps the moments of each array, which stays where it is.

    D. P. Kingma, J. Ba: Adam, a method for stochastic optimization, algorithm 1.
    """

    def __init__(self, rate=0.002, beta1=0.9, beta2=0.999, eps=1e-8):
        self.rate, self.beta1, self.beta2, self.eps = rate, beta1, beta2, eps
        self.moments = {}

    def __call__(self, x, gx):
        """Return what takes the place of x."""
        step, mean, square = self.moments.get(id(x), (0, 0.0, 0.0))
        step += 1
        mean = self.beta1 * mean + (1 - self.beta1) * gx
        square = self.beta2 * square + (1 - self.beta2) * gx**2
        self.moments[id(x)] = step, mean, square
        scale = np.sqrt(square / (1 - self.beta2**step)) + self.eps
        return x - self.rate * mean / (1 - self.beta1**step) / scale


def fit(m, X, rng, epochs, batch_size=30):
    """Train in place; return the mean cost of each epoch."""
    from tqdm import tqdm

    costs, optimizer = [], Adam()
    # A bar on a terminal, nothing in a log.
    progress = tqdm(range(epochs), desc="training", file=sys.stdout, disable=None)
    for _ in progress:
        total, batches = 0.0, 0
        order = rng.permutation(len(X))
        for start in range(0, len(X) - batch_size + 1, batch_size):
            x = X[order[start : start + batch_size]]
            eps = rng.standard_normal((batch_size, len(m.be3)))
            cost, g = ya.grad(vae_cost, m, eps, x, wrt="m")
            ya.update(m, g["m"], optimizer)
            total, batches = total + cost, batches + 1
        costs.append(total / batches)
        progress.set_postfix(cost=f"{costs[-1]:.3f}")
    return costs


def reconstruct(m, x):
    mu, _ = encode(m, x)
    return decode(m, mu)


def plot(x, x_rec, path):
    """Write pictures, above, and their reconstructions, below."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, len(x), figsize=(len(x), 2.2))
    for row, pictures in zip(axes, (x, x_rec), strict=True):
        for axis, picture in zip(row, pictures, strict=True):
            axis.imshow(picture.reshape(8, 8), cmap="gray", vmin=0, vmax=1)
            axis.axis("off")
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def main():
    from sklearn.datasets import load_digits

    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    rng = np.random.default_rng(1)
    X = load_digits().data / 16
    m = VAE(rng, (64, 128, 64, 8, 64, 128))
    costs = fit(m, X, rng, epochs)
    x_rec = reconstruct(m, X[:10])
    plot(X[:10], x_rec, PICTURE)
    print(f"cost: {costs[0]:.3f} in the first epoch, {costs[-1]:.3f} in the last")
    print(f"mean squared error of ten pictures: {np.mean((X[:10] - x_rec) ** 2):.4f}")
    print(f"reconstructions: {PICTURE.relative_to(PICTURE.parents[1])}")


if __name__ == "__main__":
    main()
