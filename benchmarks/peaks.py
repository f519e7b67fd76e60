"""A table of the peak memory of value and gradient, beside other libraries.

    python benchmarks/peaks.py            print the table
    python benchmarks/peaks.py --write    put it into docs/memory.md
    python benchmarks/peaks.py --quick    compare the gradients of small models

Run from the root of the repository, on Linux, with the group `bench` installed. Each
number is of a process of its own. It calls the gradient once, sets the high-water mark
of its memory back, and calls it again: the number is how far above what the process
held before the second call the mark then is, in MB. PyTorch has a column where it is
installed.
"""

import ctypes
import gc
import importlib.metadata
import os
import subprocess
import sys
import types
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import peak_models  # noqa: E402
from benchmarks.documented import put_into  # noqa: E402

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


def by_torch(fn, args, count):
    import torch

    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    names = "concatenate diag exp eye linalg log log1p mean sin sqrt sum tanh zeros"
    functions = {name: getattr(torch, name) for name in names.split()}
    module = types.SimpleNamespace(__name__="torch", max=torch.amax, **functions)
    same = getattr(peak_models.loaded(module), fn.__name__)
    given = [torch.from_numpy(a) if np.ndim(a) else a for a in args]
    wanted = [a.requires_grad_() for a in given[:count]]

    def gradient():
        value = same(*given)
        return value.detach().numpy(), *(
            d.numpy() for d in torch.autograd.grad(value, wanted)
        )

    return gradient


WAYS = {
    "function": by_function, "yota_ast": by_yota_ast, "yota_ast, fast": by_fast_code,
    "autograd": by_autograd, "PyTorch": by_torch, "JAX jit": by_jax,
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
    ways = [way for way in WAYS if way != "PyTorch" or find_spec("torch")]
    lines = [f"| model | {' | '.join(ways)} |", f"| --- {'| ---: ' * len(ways)}|"]
    for title in peak_models.arguments(small=True):
        cells = [measured(title, way) for way in ways]
        lines.append(f"| {title} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    used = [name for name in ("numpy", "autograd", "torch", "jax") if find_spec(name)]
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
    lines = table()
    print(lines[-1])
    if arguments == ["--write"]:
        put_into(ROOT / "docs" / "memory.md", "\n".join(lines) + "\n", "peaks")


if __name__ == "__main__":
    main(sys.argv[1:])
