"""Value and gradient on a CUDA device: the generated code on arrays of CuPy, beside JAX
and PyTorch.

    python benchmarks/gpu.py            time them on the device
    python benchmarks/gpu.py --quick    compare small gradients on the host

Run from the root of the repository. A library that is not installed is left out. The
arrays are float32 and stay on the device; the clock stops when the device is done.
"""

import importlib.util
import statistics
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

import yota_ast as ya  # noqa: E402

ROUNDS = 15


def models(xp):
    """Functions of arrays of a library, which has the names of NumPy's functions."""

    def layers(W1, W2, W3, x, y):
        h = xp.tanh(x @ W1)
        h = xp.tanh(h @ W2)
        return xp.mean((h @ W3 - y) ** 2)

    def energies(a, b, x):
        z = xp.exp(-a * x * x) * xp.sin(b * x)
        return xp.sum(z * z / (1 + xp.abs(x)))

    def solved(A, b):
        return xp.sum(xp.linalg.solve(A, b) ** 2)

    return {fn.__name__: fn for fn in (layers, energies, solved)}


def arguments(rng, *, small):
    """The arguments of each model, and how many of them have gradients."""
    n, many, side = (8, 20, 6) if small else (1024, 4_000_000, 1500)
    shapes = {
        "layers": ([(n, n), (n, n), (n, 10), (n, n), (n, 10)], 3),
        "energies": ([(many,), (many,), (many,)], 2),
        "solved": ([(side, side), (side,)], 2),
    }
    for name, (sizes, count) in shapes.items():
        args = [
            rng.standard_normal(s).astype(np.float32) / np.sqrt(s[0]) for s in sizes
        ]
        if name == "solved":
            args[0] += 3 * np.eye(side, dtype=np.float32)
        yield name, args, count


# Each way gives a call, what waits for the device, and what makes arrays of NumPy.


def by_yota_ast(name, args, count, *, device):
    fn = models(np)[name]
    names = list(fn.__code__.co_varnames[:count])
    gradient = ya.simplegrad(fn, *args, wrt=names)
    if not device:
        return lambda: gradient(*args), lambda found: found, lambda found: found
    import cupy

    there = ya.to_cuda(args)
    stream = cupy.cuda.get_current_stream()
    return (
        lambda: gradient(*there),
        lambda _: stream.synchronize(),
        lambda found: ya.to_device(found, "cpu"),
    )


def by_jax(name, args, count, *, device):
    import jax

    fn = jax.jit(jax.value_and_grad(models(jax.numpy)[name], tuple(range(count))))
    there = jax.device_put(args)

    def call():
        value, gradients = fn(*there)
        return value, *gradients

    return (
        call,
        jax.block_until_ready,
        lambda found: [np.asarray(a) for a in found],
    )


def by_torch(name, args, count, *, device):
    import torch

    fn, place = models(torch)[name], "cuda" if device else "cpu"
    there = [torch.as_tensor(a, device=place) for a in args]
    for tensor in there[:count]:
        tensor.requires_grad_()

    def call():
        value = fn(*there)
        return value, *torch.autograd.grad(value, there[:count])

    return (
        call,
        lambda found: torch.cuda.synchronize() if device else found,
        lambda found: [a.detach().cpu().numpy() for a in found],
    )


WAYS = {"yota_ast": by_yota_ast, "jax": by_jax, "torch": by_torch}


def available():
    return {
        name: way
        for name, way in WAYS.items()
        if name == "yota_ast" or importlib.util.find_spec(name) is not None
    }


def milliseconds(call, wait):
    """The median of some calls after the first."""
    wait(call())
    times = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        wait(call())
        times.append(time.perf_counter() - begun)
    return 1e3 * statistics.median(times)


def compare(quick):
    """Compare the gradients of all ways, and time them unless quick."""
    ways, rng = available(), np.random.default_rng(1)
    for name, args, count in arguments(rng, small=quick):
        made = {
            way: by(name, args, count, device=not quick) for way, by in ways.items()
        }
        found = {way: host(call()) for way, (call, _, host) in made.items()}
        for other in found.values():
            for a, b in zip(found["yota_ast"], other, strict=True):
                np.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-3 * np.abs(b).max())
        if quick:
            print(f"{name}: {', '.join(made)} agree")
            continue
        times = [f"{w} {milliseconds(c, wait):.2f}" for w, (c, wait, _) in made.items()]
        print(f"{name}, ms: {', '.join(times)}", flush=True)


def main():
    quick = "--quick" in sys.argv
    if not quick:
        try:
            ya.to_cuda(np.ones(1))
        except ya.YotaError as missing:
            sys.exit(f"gpu.py: {missing.reason}")
        import cupy

        device = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
        print(f"{device['name'].decode()}, CuPy {cupy.__version__}, float32")
    compare(quick)


if __name__ == "__main__":
    main()
