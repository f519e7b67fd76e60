"""Inner products that are computed again, so that a loop saves nothing."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

POS = np.random.default_rng(1).normal(size=(5, 3))


def pairs(pos, scale):
    energy = 0.0
    for i in range(len(pos)):
        for j in range(i + 1, len(pos)):
            d = pos[i] - pos[j]
            r2 = d @ d
            energy += scale / r2**3
    return np.log(energy)


def distances(pos, scale):
    energy = 0.0
    for i in range(len(pos)):
        for j in range(i):
            d = pos[i] - pos[j]
            r = np.sqrt(np.dot(d, d))
            if r > 2.0:
                continue
            energy += scale / r
    return energy**2


def norms(pos, scale):
    total = 0.0
    for i in range(1, len(pos)):
        d = pos[i] - pos[i - 1]
        total += scale * np.linalg.norm(d) ** 3
    return np.sqrt(total)


@pytest.mark.parametrize("f", [pairs, distances, norms])
@pytest.mark.parametrize("passes", ["-vectors", "none", "-again"])
def test_nothing_is_saved(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    source = check(f, (POS, 0.7))
    assert ("saved" in source) == (passes != "-vectors"), source
    v = np.linspace(0.3, 1.0, POS.size).reshape(POS.shape)
    second = ya.hvp(f)(POS, v, 0.7)
    near, far = (ya.grad(f)(POS + h * v, 0.7) for h in (1e-5, -1e-5))
    np.testing.assert_allclose(second, (near - far) / 2e-5, rtol=1e-4, atol=1e-6)


# ------------------------------------------------------------ which are saved


def beside_a_state(pos, scale):
    state = 1.0
    for i in range(1, len(pos)):
        d = pos[i] - pos[i - 1]
        state = np.sin(state * scale * (d @ d))
    return state


def of_a_state(pos, scale):
    d, total = pos[0], 0.0
    for i in range(len(pos)):
        d = np.sin(scale * d + pos[i])
        total += np.log(d @ d)
    return total**2


def of_rows(pos, scale):
    total = 0.0
    for p in pos:
        total += np.log(scale + p @ p)
    return total**2


def written_later(pos, scale):
    total, q = 0.0, pos.copy()
    for i in range(1, len(pos)):
        r2 = q[i] @ q[i]
        total += np.log(scale + r2)
        q[i] = q[i - 1] * r2
    return total**2


@pytest.mark.parametrize("f", [beside_a_state, of_a_state, of_rows, written_later])
@pytest.mark.parametrize("passes", ["all", "-vectors", "-once", "-fused"])
def test_what_is_not_computed_again(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(f, (POS, 0.7))
