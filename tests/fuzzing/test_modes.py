"""Random programs in every mode: a slice in every run, and what each mode finds wrong."""

from random import Random

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.adjoint.rewrites.rewrite_engine import Rewriter

from .modes import MODES, files
from .modes.files import try_files
from .program import written
from .runner import drawn_for, run_seed
from .test_fuzzing import RIGHT, case

OTHERS = [mode for mode in MODES if mode != "grad"]
SLICE = range(200, 212)


@pytest.mark.part(2)
@pytest.mark.parametrize("seed", SLICE)
@pytest.mark.parametrize("mode", OTHERS)
def test_the_program_of_a_seed(mode, seed):
    outcome = run_seed(seed, mode)
    assert not outcome.failed, f"{outcome.source}\n{outcome.kind} {outcome.detail}"


def test_files_of_programs():
    found = try_files({seed: drawn_for(seed) for seed in range(24)})
    failed = {seed: one.detail for seed, one in found.items() if one.failed}
    assert not failed
    assert sum(one.kind == "right" for one in found.values()) > 8


@pytest.mark.parametrize("mode", OTHERS)
def test_a_right_program(mode):
    found = MODES[mode](case(RIGHT), 1)
    assert found.kind == "right", found.detail


def test_a_name_of_numpy_is_not_taken_for_the_program():
    found = MODES["nested"](case("    return np.inner(x, x) * a * x\n"), 2)
    assert found.kind == "right", found.detail


AT_KINK = "    y = np.abs(0 * x)\n    return np.sum(y * np.cos(x) * y) * a\n"


def test_a_program_that_the_data_refuse():
    kinds = {MODES["nested"](case(AT_KINK), k).kind for k in range(7)}
    assert "refused" in kinds
    assert kinds <= {"refused", "right", "raises"}


def scaled(value, number=1.0001):
    if isinstance(value, tuple):
        return tuple(scaled(v, number) for v in value)
    return value * number


def test_a_wrong_tangent_is_found(monkeypatch):
    right = ya.jvp

    def off(f):
        def made(*args):
            value, d = right(f)(*args)
            return value, scaled(d)

        return made

    monkeypatch.setattr(ya, "jvp", off)
    assert MODES["jvp"](case(RIGHT), 1).kind == "tangent"


def test_a_tangent_that_is_written_into_is_found(monkeypatch):
    right = ya.jvp

    def off(f):
        def made(*args):
            found = right(f)(*args)
            args[2][0] += 1.0
            return found

        return made

    monkeypatch.setattr(ya, "jvp", off)
    assert MODES["jvp"](case(RIGHT), 1).kind == "tangents changed"


def test_a_wrong_second_derivative_is_found(monkeypatch):
    right = ya.hvp
    monkeypatch.setattr(ya, "hvp", lambda f: lambda *args: scaled(right(f)(*args)))
    assert MODES["hvp"](case(RIGHT), 1).kind == "second"


def test_a_hessian_that_is_not_symmetric_is_found(monkeypatch):
    right = ya.hvp

    def off(f):
        def made(x, v, *rest):
            d = right(f)(x, v, *rest)
            return d if v[0] > 0 else scaled(d)

        return made

    monkeypatch.setattr(ya, "hvp", off)
    kinds = {MODES["hvp"](case(RIGHT), number).kind for number in range(6)}
    assert "symmetry" in kinds


def test_code_that_is_wrong_elsewhere_is_found(monkeypatch):
    right = ya.simplegrad

    class Off:
        def __init__(self, function):
            self.source, self.function = function.source, function.fn

        def fn(self, *args, **kwargs):
            value, *rest = self.function(*args, **kwargs)
            return value, *(scaled(d) if np.mean(args[0]) > 0 else d for d in rest)

    monkeypatch.setattr(ya, "simplegrad", lambda f, *a, **k: Off(right(f, *a, **k)))
    kinds = {MODES["elsewhere"](case(RIGHT), number).kind for number in range(4)}
    assert "elsewhere gradient" in kinds


def test_a_wrong_gradient_of_a_gradient_is_found(monkeypatch):
    right, calls = ya.grad, []

    def off(f, *args, **kwargs):
        value, g = right(f, *args, **kwargs)
        calls.append(f)
        if len(calls) < 3:
            return value, g
        return value, {k: scaled(g[k]) for k in kwargs["wrt"]}

    monkeypatch.setattr(ya, "grad", off)
    assert MODES["nested"](case(RIGHT), 1).kind == "nested"


def test_a_file_that_gives_another_value_is_found(monkeypatch):
    monkeypatch.setattr(
        files, "RUNNER", files.RUNNER.replace('("gave", ', '("gave", 1 + 0 * ')
    )
    monkeypatch.setattr(
        files,
        "RUNNER",
        files.RUNNER.replace("(*args, **options), args", "(*args, **options)[0], args"),
    )
    found = try_files({1: case(RIGHT)})[1]
    assert found.kind == "file"


def test_what_is_written_between_equal_values_is_found(monkeypatch):
    """Of two equal values the first is read for both, though it has been written."""
    monkeypatch.setattr(Rewriter, "_is_lent", lambda self, known, op: False)
    drawn = (written(Random(seed)) for seed in range(60))
    assert any(MODES["jvp"](each, 4).kind == "tangent" for each in drawn)
