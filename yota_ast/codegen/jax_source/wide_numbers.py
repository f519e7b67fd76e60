"""JAX computes with 64 bits for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np


@contextmanager
def wide() -> Iterator[None]:
    """Let JAX compute with 64 bits, and then as before."""
    config: Any = jax.config
    before = jax.dtypes.canonicalize_dtype(float) == np.float64
    config.update("jax_enable_x64", True)
    try:
        yield
    finally:
        config.update("jax_enable_x64", before)
