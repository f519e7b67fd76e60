"""Tests of this folder run with 64 bits, unless they ask for 32."""

import pytest

jax = pytest.importorskip("jax", reason="no JAX: the extra jax is not installed")


def _with_bits(*, wide):
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", wide)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.fixture(autouse=True)
def _wide():
    yield from _with_bits(wide=True)


@pytest.fixture
def narrow(_wide):
    """Let JAX compute with 32 bits, as it does by default."""
    yield from _with_bits(wide=False)
