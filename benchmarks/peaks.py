"""A table of the peak memory of value and gradient, beside other libraries.

    python benchmarks/peaks.py            print the table
    python benchmarks/peaks.py --quick    compare the gradients of small models

Run from the root of the repository, on Linux, with the group `bench` installed. Each
number is of a process of its own. It calls the gradient once, sets the high-water mark
of its memory back, and calls it again: the number is how far above what the process
held before the second call the mark then is, in MB.
"""

import ctypes
import gc
import importlib.metadata
import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import peak_models  # noqa: E402

STATUS, REFS = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def by_function(fn, args, count):
    return lambda: fn(*args)


def by_yota_ast(fn, args, count):
    import yota_ast as ya

    names = list(fn.__code__.co_varnames[:count])
    gradient = ya.simplegrad(fn, *args, wrt=names)
    return lambda: gradient(*args)


def by_fast_code(fn, args, count):
    import yota_ast as ya

    names = list(fn.__code__.co_varnames[:count])
    gradient = ya.simplegrad(fn, *args, wrt=names, fast=True)
    return lambda: gradient(*args)


def by_autograd(fn, args, count):
    import autograd
    import autograd.numpy as anp

    same = getattr(peak_models.loaded(anp), fn.__name__)
    gradient = autograd.value_and_grad(same, tuple(range(count)))
    return lambda: gradient(*args)


def by_jax(fn, args, count):
    import jax

    jax.config.update("jax_enable_x64", val=True)
    same = getattr(peak_models.loaded(jax.numpy), fn.__name__)
    counts = [k for k, a in enumerate(args) if isinstance(a, int)]
    gradient = jax.value_and_grad(same, tuple(range(count)))
    compiled = jax.jit(gradient, static_argnums=counts)
    return lambda: jax.block_until_ready(compiled(*args))


WAYS = {
    "function": by_function, "yota_ast": by_yota_ast, "yota_ast, fast": by_fast_code,
    "autograd": by_autograd, "JAX jit": by_jax,
}  # fmt: skip


def held(name):
    """Return a number of `/proc/self/status`, in MB."""
    line = next(n for n in STATUS.read_text().splitlines() if n.startswith(name))
    return int(line.split()[1]) / 1024


def peak(title, way, *, small):
    """Return how much memory a second call takes beside what is held before it."""
    fn, args, count = peak_models.arguments(small=small)[title]
    call = WAYS[way](fn, args, count)
    call()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(
        0
    )  # else the second call finds the memory of the first
    REFS.write_text("5")
    before = held("VmRSS")
    call()
    return held("VmHWM") - before


def measured(title, way):
    """Return the cell of a model and a library: of a process of its own."""
    command = [sys.executable, __file__, "--one", title, way]
    own = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=own, check=False)
    return f"{float(done.stdout):.0f}" if done.returncode == 0 else ""


def table():
    """Return the lines of the table."""
    lines = [f"| model | {' | '.join(WAYS)} |", f"| --- {'| ---: ' * len(WAYS)}|"]
    for title in peak_models.arguments(small=True):
        cells = [measured(title, way) for way in WAYS]
        lines.append(f"| {title} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    used = ("numpy", "autograd", "jax")
    told = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in used)
    return [*lines, "", f"In MB, of arrays of float64; {told}."]


def agreeing():
    """Tell of each model whether autograd and fast code give the same, and whether
    gradients of float32 are float32."""
    for title, (fn, args, count) in peak_models.arguments(small=True).items():
        value, *slopes = by_yota_ast(fn, args, count)()
        others = by_autograd(fn, args, count)(), by_fast_code(fn, args, count)()
        for other, *gradients in others:
            found = gradients[0] if isinstance(gradients[0], tuple) else gradients
            np.testing.assert_allclose(other, value)
            for one, two in zip(slopes, found, strict=True):
                np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-9)
        single = [a.astype("f4") if np.ndim(a) else a for a in args]
        assert {a.dtype for a in by_yota_ast(fn, single, count)()[1:]} == {
            np.dtype("f4")
        }
        print(f"{title}: agree")


def main(arguments):
    """Print the table, or what one process measures."""
    warnings.simplefilter("ignore")
    if arguments == ["--quick"]:
        agreeing()
        return
    if arguments[:1] == ["--one"]:
        print(peak(*arguments[1:], small=False))
        return
    print("\n".join(table()[-1:]))


if __name__ == "__main__":
    main(sys.argv[1:])
