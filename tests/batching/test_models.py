"""Twelve models: values and gradients of each example, as a loop gives them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya

from .comparing import same, stacked
from .models import MODELS, NAMES

GOLDEN = Path(__file__).parent / "golden"
each_model = pytest.mark.parametrize("model", MODELS, ids=NAMES)


@each_model
def test_values(model):
    found = ya.vmap(model.fn, in_axes=model.in_axes)(*model.args)
    same(found, stacked(model.each(model.fn)))


@each_model
def test_gradients_of_each_example(model):
    each = ya.value_and_grad(model.fn, wrt=list(model.wrt))
    found = ya.vmap(each, in_axes=model.in_axes)(*model.args)
    same(found, stacked(model.each(each)))


@each_model
def test_gradients_by_name(model):
    each = ya.value_and_grad(model.fn, wrt=list(model.wrt))
    shared = [n for n, k in zip(_names(model), model.in_axes, strict=True) if k is None]
    found = ya.value_and_grad(model.fn, each=shared)(*model.args)
    places = [shared.index(name) for name in model.wrt]
    gradients = found[1] if len(shared) > 1 else (found[1],)
    chosen = tuple(gradients[k] for k in places)
    both = found[0], chosen if len(chosen) > 1 else chosen[0]
    same(both, stacked(model.each(each)))


@each_model
def test_gradients_of_what_is_mapped(model):
    names = [n for n, a, k in zip(_names(model), model.args, model.in_axes, strict=True)
             if k == 0 and a.dtype == float]  # fmt: skip
    if names:
        each = ya.value_and_grad(model.fn, wrt=names)
        found = ya.vmap(each, in_axes=model.in_axes)(*model.args)
        same(found, stacked(model.each(each)))


@each_model
@pytest.mark.parametrize("count", [0, 1])
def test_few_examples(model, count):
    args = [a[:count] if k == 0 else a
            for a, k in zip(model.args, model.in_axes, strict=True)]  # fmt: skip
    each = ya.value_and_grad(model.fn, wrt=list(model.wrt))
    batch = ya.vmap(each, in_axes=model.in_axes)
    value, gradients = batch(*args)
    assert value.shape == (count,)
    full = batch(*model.args)[1]
    pairs = zip(_tuple(gradients), _tuple(full), strict=True)
    for few, many in pairs:
        assert few.shape == (count, *many.shape[1:])
        np.testing.assert_allclose(few, many[:count], 1e-12, 1e-12)


@each_model
def test_float32_stays(model):
    args = [_single(a) for a in model.args]
    value, gradients = ya.vmap(
        ya.value_and_grad(model.fn, wrt=list(model.wrt)), in_axes=model.in_axes
    )(*args)
    wrt = [args[_names(model).index(name)] for name in model.wrt]
    for gradient, x in zip(_tuple(gradients), wrt, strict=True):
        assert gradient.dtype == np.asarray(x).dtype
    wanted = replace(model, args=tuple(args)).each(model.fn)
    np.testing.assert_allclose(value, np.stack(wanted), 1e-4, 1e-4)


@each_model
def test_arguments_stay_and_results_are_apart(model):
    before = [np.copy(a) for a in model.args]
    value, gradients = ya.vmap(
        ya.value_and_grad(model.fn, wrt=list(model.wrt)), in_axes=model.in_axes
    )(*model.args)
    arrays = [value, *_tuple(gradients), *map(np.asarray, model.args)]
    for k, one in enumerate(arrays[: 1 + len(model.wrt)]):
        assert one.flags.writeable
        assert not any(np.shares_memory(one, other) for other in arrays[k + 1 :])
    for a, b in zip(model.args, before, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", ["mlp", "convolution", "branches", "recursive_filter"])
def test_the_code_is_as_written_by_hand(name, golden):
    model = MODELS[NAMES.index(name)]
    each = ya.value_and_grad(model.fn, wrt=list(model.wrt))
    for kind, fn in (("values", model.fn), ("gradients", each)):
        batch = ya.vmap(fn, in_axes=model.in_axes)
        batch(*model.args)
        golden(GOLDEN / f"{name}_{kind}.txt", batch.source)


def _names(model):
    return model.fn.__code__.co_varnames[: len(model.args)]


def _tuple(found):
    return found if isinstance(found, tuple) else (found,)


def _single(a):
    floats = np.asarray(a).dtype == np.dtype(float)
    return np.asarray(a, np.float32) if floats else a
