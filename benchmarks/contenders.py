"""Case, arguments -> the ways to its gradient, each a call without arguments.

A way returns the value and the gradients in the order of the case's `wrt`. JAX gets
its arguments as device arrays and is waited for.
"""

import functools
import importlib.util
import inspect
import types
import warnings

import numpy as np
import workloads

import yota_ast as ya


def by_hand(case, args):
    return functools.partial(case.by_hand, *args)


def generated(case, args):
    gradient = ya.simplegrad(case.primal, *args, wrt=case.wrt)
    return functools.partial(gradient.fn, *args)


def fast(case, args):
    gradient = ya.simplegrad(case.primal, *args, wrt=case.wrt, fast=True)
    return functools.partial(gradient.fn, *args)


def by_autograd(case, args):
    import autograd
    import autograd.numpy as anp

    copy = module_with(case, anp)
    fn, args, positions = flat_call(
        copy, getattr(copy, case.primal.__name__), case, args
    )
    gradient = autograd.value_and_grad(fn, positions)
    return functools.partial(gradient, *args)


def by_jax(case, args):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", val=True)
    copy = module_with(case, jnp)
    copy.lotka_volterra = lotka_volterra_in_jax
    fn, args, positions = flat_call(
        copy, getattr(copy, case.primal.__name__), case, args
    )
    counts = tuple(i for i, arg in enumerate(args) if isinstance(arg, int))
    gradient = jax.jit(jax.value_and_grad(fn, positions), static_argnums=counts)
    args = tuple(a if isinstance(a, int) else jax.device_put(a) for a in args)
    return lambda: jax.block_until_ready(gradient(*args))


def by_numba(case, args):
    """Compile the gradient that is written by hand."""
    import numba

    warnings.simplefilter("ignore", numba.NumbaPerformanceWarning)
    return functools.partial(numba.njit(case.by_hand), *args)


WAYS = {
    "by hand": by_hand,
    "generated": generated,
    "fast": fast,
    "autograd": by_autograd,
    "JAX jit": by_jax,
}
# What a way needs that may be missing.
LIBRARIES = {"autograd": "autograd", "JAX jit": "jax"}


def module_with(case, library):
    """Return the module of a case once more, its `np` and `math` bound to `library`."""
    path = inspect.getsourcefile(case.primal)
    spec = importlib.util.spec_from_file_location("copy", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.np = module.math = library
    return module


def flat_call(copy: types.ModuleType, fn, case, args):
    """Return a function of arrays alone, its arguments, the positions of `wrt`.

    autograd and JAX do not know the class VAE: they get its list of arrays.
    """
    names = list(inspect.signature(case.primal).parameters)
    positions = tuple(names.index(name) for name in case.wrt)
    if not isinstance(args[0], workloads.VAE):
        return fn, args, positions
    arrays = list(vars(args[0]).values())
    return lambda m, *rest: fn(copy.VAE(m), *rest), (arrays, *args[1:]), positions


def lotka_volterra_in_jax(x, y, a, b, c, d, dt, n):
    """Do the loop as JAX wants it: unrolled, it compiles for two minutes."""
    import jax

    def step(_, state):
        x, y = state
        meetings = x * y
        return x + dt * (a * x - b * meetings), y + dt * (d * meetings - c * y)

    x, y = jax.lax.fori_loop(0, n, step, (x, y))
    return x + y


def flattened(result) -> list[np.ndarray]:
    """Return the value and every gradient array, in one list.

    >>> flattened((1.0, {("W",): np.ones(2)}, ([3.0],)))
    [array(1.), array([1., 1.]), array(3.)]
    """
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, tuple | list):
        return [leaf for part in result for leaf in flattened(part)]
    return [np.asarray(result)]
