"""Operations and examples on a CUDA device, and what they do where there is none.

The tests marked `gpu` need a device (`make gpu`). The arithmetic of the example is
tested on arrays of NumPy, and on others that refuse to become NumPy's.
"""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya

from .conftest import has_cuda
from .duck import Duck
from .test_dispatch import LISTED, WITH_ARRAYS, dispatches

ROOT = Path(__file__).resolve().parents[1]
ON_DEVICE = [
    o
    for o in WITH_ARRAYS
    if str(o) not in LISTED.read_text(encoding="utf-8").split("\n")
]
SIZES = 12, 8, 6, 3, 5, 7


@pytest.fixture
def example(monkeypatch):
    """The module of the example."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    import cu_vae

    yield cu_vae
    for name in ("cu_vae", "vae"):
        del sys.modules[name]


def trained(example, moved):
    """A small model, trained where `moved` takes its arrays, and its costs."""
    rng = np.random.default_rng(0)
    m = example.single(example.VAE(rng, SIZES))
    X = rng.random((60, SIZES[0]), dtype=np.float32)
    for name, array in vars(m).items():
        setattr(m, name, moved(array))
    return m, example.fit(m, X, rng, 3, batch_size=10, moved=moved)


def test_the_autoencoder_trains_in_float32(example):
    m, costs = trained(example, lambda x: x)
    assert costs[2] < costs[1] < costs[0]
    assert {array.dtype for array in vars(m).values()} == {np.dtype(np.float32)}


def test_the_autoencoder_copies_nothing_to_the_host(example):
    (m, costs), (other, expected) = (trained(example, f) for f in (Duck, lambda x: x))
    assert costs == expected
    for name, array in vars(other).items():
        found = getattr(m, name)
        assert type(found) is Duck
        np.testing.assert_array_equal(found.inner, array)


@pytest.mark.parametrize("name", ["examples/cu_vae.py", "benchmarks/gpu.py"])
@pytest.mark.skipif(has_cuda(), reason="there is a device")
def test_what_is_missing_is_said_in_one_sentence(name):
    done = subprocess.run(
        [sys.executable, str(ROOT / name)], capture_output=True, text=True,
        check=False, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"{Path(name).name}: there is no CUDA device")


@pytest.mark.gpu
def test_the_autoencoder_on_a_device(example):
    m, costs = trained(example, ya.to_cuda)
    _, expected = trained(example, lambda x: x)
    np.testing.assert_allclose(costs, expected, rtol=1e-4)
    assert type(m.We1).__module__.startswith("cupy")


@pytest.mark.gpu
@pytest.mark.parametrize("o", ON_DEVICE if has_cuda() else ON_DEVICE[:1], ids=str)
def test_operations_on_a_device(o):
    assert dispatches(o, ya.to_cuda, partial(ya.to_device, device="cpu"))
