"""A loop over the examples, and what a batch must have in common with it."""

from __future__ import annotations

import numpy as np


def loop(fn, args, in_axes):
    """The results of all examples, stacked."""
    count = next(np.shape(a)[k] for a, k in zip(args, in_axes, strict=True) if k == 0)
    found = [
        fn(*(a if k is None else a[i] for a, k in zip(args, in_axes, strict=True)))
        for i in range(count)
    ]
    return stacked(found)


def stacked(found):
    """One array of the results of all examples; a tuple of such of tuples."""
    if isinstance(found[0], (tuple, list)):
        return tuple(stacked([f[k] for f in found]) for k in range(len(found[0])))
    return np.stack([np.asarray(f) for f in found])


def same(found, wanted, tolerance=1e-12):
    """Whether two results are equal within rounding, and of one shape and type."""
    if isinstance(wanted, tuple):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            same(one, other, tolerance)
        return
    assert isinstance(found, np.ndarray)
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)
