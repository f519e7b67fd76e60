"""Forward and reverse mode of SciPy's functions are transposed."""

from __future__ import annotations

import copy

import pytest

import yota_ast as ya

from ..rules.scipy_operations import OPERATIONS
from .test_tangent import direction, dot, refused, seed_like


def varies(o):
    return any(direction(a) is not None for a in o.sample().values())


@pytest.mark.parametrize("o", [*filter(varies, OPERATIONS)], ids=str)
def test_forward_and_reverse_are_transposed(o):
    args = list(o.sample().values())
    along = [direction(a) for a in args]
    if refused(o.fn, args, along) is not None:
        return
    asked = [k for k, d in enumerate(along) if d is not None]
    value, tangent = ya.jvp(o.fn)(*copy.deepcopy(args), *along)
    seed = seed_like(value)
    _, g = ya.grad(o.fn, *copy.deepcopy(args), wrt=asked, seed=seed)
    reverse = sum(dot(g[k], along[k]) for k in asked)
    assert dot(seed, tangent) == pytest.approx(reverse, rel=1e-7, abs=1e-8)
