"""Filters of `scipy.ndimage` that are made of others, as SciPy makes them.

>>> import numpy as np
>>> image = np.array([[0.0, 2.0, 1.0, 3.0]])
>>> grey_opening(image, (1, 2))
array([[0., 1., 1., 1.]])
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from scipy import ndimage

Array = Any


def grey_opening(input: Array, *window: Any, **settings: Any) -> Array:  # noqa: A002
    """An erosion, then a dilation."""
    y = ndimage.grey_erosion(input, *window, **settings)
    return ndimage.grey_dilation(y, *window, **settings)


def grey_closing(input: Array, *window: Any, **settings: Any) -> Array:  # noqa: A002
    """A dilation, then an erosion."""
    y = ndimage.grey_dilation(input, *window, **settings)
    return ndimage.grey_erosion(y, *window, **settings)


def morphological_gradient(
    input: Array,  # noqa: A002
    *window: Any,
    **settings: Any,
) -> Array:
    """What is between a dilation and an erosion."""
    y = ndimage.grey_dilation(input, *window, **settings)
    return y - ndimage.grey_erosion(input, *window, **settings)


def white_tophat(input: Array, *window: Any, **settings: Any) -> Array:  # noqa: A002
    """What an opening takes away."""
    opened = ndimage.grey_opening(input, *window, **settings)
    return difference(input, opened)


def black_tophat(input: Array, *window: Any, **settings: Any) -> Array:  # noqa: A002
    """What a closing adds."""
    closed = ndimage.grey_closing(input, *window, **settings)
    return difference(closed, input)


def difference(x: Array, y: Array) -> Array:
    """What is in one image and not in the other."""
    return x ^ y if x.dtype == bool else x - y


def maximum_filter1d(
    input: Array,  # noqa: A002
    size: Any,
    axis: int = -1,
    *,
    origin: Any = 0,
    **settings: Any,
) -> Array:
    """The filter of a window along one axis."""
    lengths, origins = along(np.ndim(input), axis, size, origin)
    return ndimage.maximum_filter(input, lengths, origin=origins, **settings)


def minimum_filter1d(
    input: Array,  # noqa: A002
    size: Any,
    axis: int = -1,
    *,
    origin: Any = 0,
    **settings: Any,
) -> Array:
    """The filter of a window along one axis."""
    lengths, origins = along(np.ndim(input), axis, size, origin)
    return ndimage.minimum_filter(input, lengths, origin=origins, **settings)


def along(rank: int, axis: int, size: int, origin: int) -> Any:
    """How long a window is along each axis, and its origins."""
    lengths, origins = [1] * rank, [0] * rank
    lengths[axis], origins[axis] = size, origin
    return lengths, origins


def prewitt(
    input: Array,  # noqa: A002
    axis: int = -1,
    *,
    mode: Any = "reflect",
    **settings: Any,
) -> Array:
    """Differences along an axis, and sums along the others."""
    rank = np.ndim(input)
    modes = [mode] * rank if isinstance(mode, str) else mode
    y = ndimage.correlate1d(input, [-1, 0, 1], axis, mode=modes[axis], **settings)
    for k in range(rank):
        if k != axis % rank:
            y = ndimage.correlate1d(y, [1, 1, 1], k, mode=modes[k], **settings)
    return y


MODELS: Final = {
    f.__name__: f
    for f in (
        grey_opening,
        grey_closing,
        morphological_gradient,
        white_tophat,
        black_tophat,
        maximum_filter1d,
        minimum_filter1d,
        prewitt,
    )
}
