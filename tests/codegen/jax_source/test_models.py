"""Twelve models on JAX give the numbers of the NumPy text, eagerly and under jit."""

import jax
import numpy as np
import pytest

import yota_ast as ya

from .models import MODELS

every_model = pytest.mark.parametrize("model", MODELS, ids=lambda m: m.fn.__name__)


def made(model, args, **how):
    wrt = list(model.wrt) if model.wrt else None
    return ya.simplegrad(model.fn, *args, **model.static, wrt=wrt, **how)


def narrowed(value):
    """The same arguments with 32 bits."""
    if isinstance(value, dict):
        return {key: narrowed(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return value.astype(np.float32 if value.dtype.kind == "f" else np.int32)
    return value


def assert_close(found, wanted, rtol, dtype=None):
    found, wanted = jax.tree.leaves(found), jax.tree.leaves(wanted)
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        assert np.shape(one) == np.shape(other)
        scale = 1 + np.max(np.abs(other), initial=0.0)
        np.testing.assert_allclose(one, other, rtol=rtol, atol=rtol * scale)
        if dtype is not None and isinstance(one, jax.Array):
            assert one.dtype == dtype


def compiled(model, function):
    """The function under jit: arrays of whole numbers, which are indices, are held."""
    held = [getattr(a, "dtype", np.dtype(float)).kind == "i" for a in model.args]

    def of_floats(*floats):
        given = iter(floats)
        args = [
            arg if fixed else next(given)
            for arg, fixed in zip(model.args, held, strict=True)
        ]
        return function(*args, **model.static)

    floats = [a for a, fixed in zip(model.args, held, strict=True) if not fixed]
    return jax.jit(of_floats)(*floats)


@every_model
def test_eagerly(model):
    wanted = made(model, model.args)(*model.args, **model.static)
    function = made(model, model.args, backend="jax")
    found = function(*model.args, **model.static)
    assert_close(found, wanted, 1e-12, np.float64)


@every_model
def test_under_jit(model):
    wanted = made(model, model.args)(*model.args, **model.static)
    function = made(model, model.args, backend="jax")
    assert_close(compiled(model, function.fn), wanted, 1e-12, np.float64)


@every_model
def test_in_32_bits(model, narrow):
    args = tuple(map(narrowed, model.args))
    wanted = made(model, args)(*args, **model.static)
    found = made(model, args, backend="jax")(*args, **model.static)
    assert_close(found, wanted, 2e-4, np.float32)


@every_model
def test_64_bits_are_not_rounded_without_a_word(model, narrow):
    function = made(model, model.args, backend="jax")
    with pytest.raises(TypeError, match=r"32 bits.*jax_enable_x64"):
        function(*model.args, **model.static)
