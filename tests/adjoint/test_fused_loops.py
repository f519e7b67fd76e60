"""Loops that add up are reversed within themselves, and which loops are not."""

import importlib.util

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

P = np.array([0.7, 0.2, 0.5])
X = np.array([0.3, -1.0, 2.0, 0.7, 1.1])
POS = np.random.default_rng(1).normal(size=(5, 3))


def of_numbers(p, x, dt):
    theta, mu, sigma = p
    decay = np.exp(-theta * dt)
    total = 0.0
    for i in range(1, len(x)):
        mean = mu + (x[i - 1] - mu) * decay
        total += np.log(sigma) + (x[i] - mean) ** 2 / sigma
    return total / 3


def of_rows(pos, scale):
    energy = 0.0
    for i in range(len(pos) - 1):
        d = pos[i + 1 :] - pos[i]
        energy = energy + np.sum(np.exp(-scale * np.sum(d * d, axis=1)))
    return energy


def nested(pos, x, eps):
    energy = 0.0
    for i in range(len(pos)):
        for j in range(i):
            d = pos[i] - pos[j]
            r = np.sqrt(d @ d + eps)
            energy += x[i] * x[j] / r
    return 0.5 * energy


def beside_a_state(x, w, n):
    state, total = 1.0, 0.0
    for _ in range(n):
        state = np.cos(3.0 * state)
        total = total + np.sum(np.sin(w * state * x))
    return total


def two_sums(x, w):
    one = other = 0.0
    for k, v in enumerate(x):
        one += np.sin(v * w)
        other += k * v * w * w
    return one - 2.0 * other


def in_a_branch(x, w):
    total = 0.0
    for i in range(len(x)):
        if x[i] < 1.9:
            total += np.sin(w * x[i] * x[i - 1])
    return total


def in_branches(x, w):
    total = 0.0
    for i in range(len(x)):
        v = w * x[i] * x[i - 1]
        if v < -0.2:
            a = np.exp(v)
            if a > 0.8:
                continue
            total += a * v
        else:
            total += np.sin(v)
    return total


def with_a_branch_of_its_sum(x, w):
    total = 0.0
    for i in range(len(x)):
        if total < 0.3:
            total += np.sin(w * x[i] * x[i - 1])
    return total


def of_near_ones(pos, eps, reach):
    energy = 0.0
    for i in range(len(pos)):
        for j in range(i):
            d = pos[i] - pos[j]
            r2 = d @ d
            if r2 > reach**2:
                continue
            s = (eps**2 / r2) ** 3
            energy += 4 * eps * (s * s - s)
    return energy


FUSED = [
    (of_numbers, (P, X, 0.1)),
    (of_rows, (POS, 0.3)),
    (nested, (POS, X, 0.1)),
    (beside_a_state, (X, 0.4, 3)),
    (two_sums, (X, 0.4)),
    (in_a_branch, (X, 0.4)),
    (in_branches, (X, 0.4)),
    (with_a_branch_of_its_sum, (X, 0.4)),
    (of_near_ones, (POS, 0.7, 1.9)),
]


@pytest.mark.parametrize(("f", "args"), FUSED)
def test_a_loop_that_adds_up_does_both(f, args, monkeypatch):
    made = ya.simplegrad(f, *args)
    monkeypatch.setenv("YOTA_AST_PASSES", "-fused")
    apart = ya.simplegrad(f, *args)
    assert made.source.count("for ") < apart.source.count("for ")
    assert "saved" not in made.source
    for one, other in zip(made.fn(*args), apart.fn(*args), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
    monkeypatch.undo()
    check(f, args)


@pytest.mark.parametrize(("f", "args"), FUSED)
def test_on_other_arguments_and_twice(f, args):
    made = ya.simplegrad(f, *args)
    short = [a[:0] if isinstance(a, np.ndarray) and a is not P else a for a in args]
    if f is not beside_a_state:
        value, *gradients = made(*short)
        assert value == f(*short)
        assert all(not np.any(g) for g in gradients)
    single = [a.astype("f4") if isinstance(a, np.ndarray) else a for a in args]
    for one, other in zip(made(*single), made(*args), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    v = np.linspace(0.3, 1.0, args[0].size).reshape(args[0].shape)
    second = ya.hvp(f)(args[0], v, *args[1:])
    near, far = (ya.grad(f)(args[0] + h * v, *args[1:]) for h in (1e-5, -1e-5))
    np.testing.assert_allclose(second, (near - far) / 2e-5, rtol=1e-4, atol=1e-6)


def twice_over_one_range(x, w):
    places = range(1, len(x))
    one = other = 0.0
    for i in places:
        one += np.sin(w * x[i] * x[i - 1])
    for i in places:
        other += np.cos(w * x[i] + x[i - 1])
    return one - other


def test_each_loop_has_the_reverse_of_its_own(monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "-vectors")
    source = check(twice_over_one_range, (X, 0.4))
    first, second, last = source.split("for i in")[1:]
    assert "# other += " not in first
    assert "# other += " in second
    assert "# one += " in last


def test_a_branch_and_its_reverse_are_one():
    source = ya.simplegrad(of_near_ones, POS, 0.7, 1.9).source
    assert source.count(" if r2 > reach**2:\n") == 1
    assert source.count("t1 = eps**2 / r2\n") == 1
    source = ya.simplegrad(in_branches, X, 0.4).source
    assert source.count(" if a > 0.8:\n") + source.count(" if not a > 0.8:\n") == 1


def under_settings(x, w):
    total = 0.0
    for i in range(1, len(x)):
        with np.errstate(divide="ignore"):
            total += np.sum(np.log(x[i] * x[i]) * w)
    return total


@pytest.mark.parametrize("passes", ["all", "-vectors"])
def test_settings_are_made_for_each_time_that_they_are_entered(passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(under_settings, (POS, 0.3))


# ------------------------------------------------------------ which stay


def with_a_recurrence(x, w):
    state, total = 1.0, 0.0
    for v in x:
        state = np.tanh(w * state + v)
        total = total + state * state
    return total


def not_linear(x, w):
    total = 0.0
    for i in range(len(x)):
        total = total + np.exp(w * x[i] * x[i - 1])
    return np.log(total)


def of_an_expression(x, w):
    total = 0.0
    for i in range(len(x)):
        total += w * x[i - 1] if x[i] < 1.9 else np.sin(w * x[i] * x[i - 1])
    return total


def with_a_value_of_branches(x, w):
    total = 0.0
    for i in range(len(x)):
        v = w * x[i] * x[i - 1]
        if v < -0.2:
            a = np.exp(v)
            if a > 0.6:
                b = a * v
            else:
                b = a - v
        else:
            b = np.sin(v)
        total += b * v
    return total


def left_early(x, w):
    total = 0.0
    for i in range(len(x)):
        if x[i] > 1.9:
            break
        total += np.sin(w * x[i] * x[i - 1])
    return total


def into_memory(x, w):
    total, y = 0.0, x.copy()
    for i in range(1, len(x)):
        total += y[i - 1] * np.sin(w * y[i])
        y[i - 1] *= 0.5
        y[i] += 1.0
    return total


def read_within(x, w):
    total = 0.0
    for i in range(len(x)):
        total = total + np.sin(w * x[i] + 0.1 * total)
    return total


@pytest.mark.parametrize(
    "f",
    [
        with_a_recurrence, not_linear, of_an_expression,
        with_a_value_of_branches, left_early, into_memory, read_within,
    ],
)  # fmt: skip
@pytest.mark.parametrize("passes", ["all", "none", "-vectors"])
def test_loops_stay_apart_that_must(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(f, (X, 0.4))
    if passes == "-vectors":
        assert ya.simplegrad(f, X, 0.4).source.count("    for ") > 1


def one_after_another(x, w):
    total = 0.0
    for i in range(len(x)):
        total += np.sin(w * x[i] * x[i - 1])
    if w < 0:
        return total
    for i in range(len(x)):
        total += w * np.cos(w * x[i] * x[i - 1])
    return total


def written_behind(x, w):
    total = 0.0
    for i in range(1, len(x)):
        total += np.sin(w * x[i] * x[i - 1])
    x[:] = 2.0 * x
    return total + np.sum(x * x)


@pytest.mark.parametrize("f", [one_after_another, written_behind])
@pytest.mark.parametrize("w", [0.4, -0.4])
@pytest.mark.parametrize("passes", ["all", "-vectors", "-rebound"])
def test_what_stands_behind_the_loop(f, w, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    if f is one_after_another:
        check(f, (X, w))
    _, gradient = ya.grad(f, X.copy(), w)
    for k, h in enumerate(1e-6 * np.eye(len(X))):
        slope = (f(X + h, w) - f(X - h, w)) / 2e-6
        assert gradient[0][k] == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize("backend", ["numba", "jax"])
@pytest.mark.parametrize(("f", "args"), FUSED[:3])
def test_other_back_ends(f, args, backend):
    if importlib.util.find_spec(backend) is None:
        pytest.skip(f"no {backend}")
    if backend == "jax":  # else of 64 bits, which it is to be told first
        args = [a.astype("f4") if isinstance(a, np.ndarray) else a for a in args]
    made = ya.simplegrad(f, *args, backend=backend)
    for one, other in zip(made(*args), ya.simplegrad(f, *args)(*args), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_parts_at_slices_are_taken_once():
    def lennard_jones(pos, scale):
        energy = 0.0
        for i in range(len(pos) - 1):
            d = pos[i + 1 :] - pos[i]
            r = scale / np.sum(d * d, axis=1)
            energy += np.sum(r**3)
        return energy

    source = ya.simplegrad(lennard_jones, POS, 0.7).source
    assert source.count("        d = pos[i + 1 :] - pos[i]\n") == 1, source
    check(lennard_jones, (POS, 0.7))
