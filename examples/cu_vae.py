"""The variational autoencoder of `vae.py` on a CUDA device, by CuPy.

After examples/cu_vae.jl of Yota: the model moves to the device once, each batch moves
there, and the generated code is that of NumPy. All is float32. It needs a device and
CuPy, and for the pictures what `vae.py` needs.

Run with the number of epochs, 60 if there is none. Writes out/cu_vae.png.
"""

import sys
import time

import numpy as np
from vae import PICTURE, VAE, Adam, plot, reconstruct, vae_cost

import yota_ast as ya


def single(m):
    """Let the arrays of a model be float32, in place."""
    for name, array in vars(m).items():
        setattr(m, name, array.astype(np.float32))
    return m


def fit(m, X, rng, epochs, batch_size=30, moved=ya.to_cuda):
    """Train in place; return the mean cost of each epoch. moved: what takes an array to
    where the model is."""
    costs, optimizer = [], Adam()
    for epoch in range(epochs):
        total, batches, begun = 0.0, 0, time.perf_counter()
        for start in range(0, len(X) - batch_size + 1, batch_size):
            x = moved(X[start : start + batch_size])
            eps = moved(rng.standard_normal((batch_size, len(m.be3)), np.float32))
            cost, g = ya.grad(vae_cost, m, eps, x, wrt="m")
            ya.update(m, g["m"], optimizer)
            total, batches = total + float(cost), batches + 1
        costs.append(total / batches)
        elapsed = time.perf_counter() - begun
        print(f"epoch {epoch + 1}: mean cost {costs[-1]:.3f}, {elapsed:.2f} s")
    return costs


def main():
    epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    rng = np.random.default_rng(1)
    try:
        m = ya.to_cuda(single(VAE(rng, (64, 128, 64, 8, 64, 128))))
    except ya.YotaError as missing:
        sys.exit(f"cu_vae.py: {missing.reason}")
    from sklearn.datasets import load_digits

    X = (load_digits().data / 16).astype(np.float32)
    fit(m, X, rng, epochs)
    x_rec = ya.to_device(reconstruct(m, ya.to_cuda(X[:10])), "cpu")
    picture = PICTURE.with_name("cu_vae.png")
    plot(X[:10], x_rec, picture)
    print(f"reconstructions: {picture.relative_to(picture.parents[1])}")


if __name__ == "__main__":
    main()
