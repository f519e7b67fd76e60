"""The options of Numba, and which back end "auto" takes."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

from . import programs

numba = pytest.importorskip("numba", reason="no Numba: when it is taken")
X = np.array([0.9, 0.2, 0.55, 0.4, 0.75, 0.33])


@pytest.fixture(autouse=True)
def _interpreted(monkeypatch):
    """Let Python run the loops as they stand."""
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)


def elementwise(x, c):
    return np.sum(np.exp(x * c))


def transformed(x, c):
    return np.sum(np.abs(np.fft.rfft(x)) * c)


def made(f, *args):
    return ya.simplegrad(f, *args, backend="auto").source


def test_loops_and_short_arrays_are_taken():
    assert "@numba.njit" in made(programs.stencil, X, 0.6)
    assert "@numba.njit" in made(programs.stencil, np.ones(10**5), 0.6)
    assert "@numba.njit" in made(elementwise, X, 0.6)


def test_long_arrays_without_a_loop_are_left_to_numpy():
    assert "numba" not in made(elementwise, np.ones(10**5), 0.6)


def test_long_arrays_are_taken_where_all_is_arithmetic():
    def plain(x, c):
        return np.sum(np.sqrt(x * c) * x**2)

    assert "@numba.njit" in made(plain, np.ones(10**5), 0.6)


def weighted(x, c):
    z = (x - c) * c
    e = c * z * z - 0.5 * z + 2.0 * (x - c)
    return np.sum(np.exp(e - np.max(e)) * z - 0.1 * e * e)


def squashed(x, c):
    return np.sum(np.tanh(x * c) * np.tanh(x - c))


def multiplied(x, c):
    z = (x - c) * c
    return np.sum(np.exp(z @ np.ones((100, 100))) * z - 0.1 * z * z * x * x)


def test_long_arrays_are_taken_where_arithmetic_outweighs_exponentials():
    """NumPy goes through memory for each operation; it has fast exponentials."""
    assert "@numba.njit" in made(weighted, np.ones((100, 100)), 0.6)
    assert "numba" not in made(squashed, np.ones((100, 100)), 0.6)
    assert "numba" not in made(multiplied, np.ones((100, 100)), 0.6)


def test_functions_that_numpy_computes_fast_are_weighed_in_loops_too():
    def steps(x, c, n):
        for _ in range(n):
            x = np.tanh(c * x)
        return np.sum(x)

    assert "@numba.njit" in made(steps, X, 0.6, 3)
    assert "numba" not in made(steps, np.ones(10**5), 0.6, 3)


def test_what_numpy_computes_fast_depends_on_the_precision():
    def waves(x, c):
        return np.sum(np.sin(c * x))

    assert "@numba.njit" in made(waves, np.ones(10**5), 0.6)
    assert "numba" not in made(waves, np.ones(10**5, np.float32), 0.6)


def test_a_few_numbers_are_left_to_python():
    def numbers(x: float, y: float):
        return x * y + y**2

    assert "numba" not in made(numbers, 1.0, 2.0)


def test_a_stack_and_a_matrix_are_taken():
    def applied(x, w):
        return np.sum((x @ w) ** 2)

    def both(x, y):
        return np.sum((x @ y) ** 2)

    stack = np.ones((30, 20, 20))
    assert "@numba.njit" in made(applied, stack, np.ones((20, 20)))
    assert "numba" not in made(both, stack, stack)


def test_what_has_no_loops_is_left_to_numpy():
    assert "numba" not in made(transformed, X, 0.6)


def test_what_numba_compiles_for_minutes_is_left_to_numpy(monkeypatch):
    from yota_ast.codegen.numba_source import where_loops_pay

    monkeypatch.setattr(where_loops_pay, "LONGEST", 20)
    assert "numba" not in made(programs.stencil, X, 0.6)
    loops = ya.simplegrad(programs.stencil, X, 0.6, backend="numba")
    assert "@numba.njit" in loops.source


def test_without_numba_numpy_is_taken(monkeypatch):
    monkeypatch.setattr("yota_ast.pipeline.find_spec", lambda _: None)
    assert "numba" not in made(programs.stencil, X, 0.6)


def test_what_numba_cannot_compile_is_left_to_numpy(monkeypatch):
    from yota_ast import pipeline
    from yota_ast.errors import UnsupportedCall

    def refuse(*_):
        raise UnsupportedCall("Numba cannot compile the loops")

    monkeypatch.setattr(pipeline, "_compiled_for", refuse)
    assert "numba" not in made(programs.stencil, X, 0.6)


def test_the_choice_is_the_same_each_time():
    assert made(programs.pairs, X, 0.6) == made(programs.pairs, X, 0.6)


def test_options_stand_in_files(tmp_path):
    options = {"cache": True, "parallel": False}
    loops = ya.simplegrad(programs.stencil, X, 0.6, backend="numba", options=options)
    text = loops.save(tmp_path / "stencil_grad.py").read_text()
    above = '@numba.njit(error_model="numpy", cache=True, '
    assert f"{above}parallel=False)" in text
    assert "cache" not in loops.source  # which stands in no file
    assert loops(X, 0.6)[0] == programs.stencil(X, 0.6)


@pytest.mark.parametrize("options", [{"fastmath": True}, {"cache": 1}])
def test_other_options_are_refused(options):
    with pytest.raises(UnsupportedSyntax) as caught:
        ya.simplegrad(programs.stencil, X, 0.6, backend="numba", options=options)
    assert caught.value.remedy == "Its options, True or False, are: cache, parallel."


def test_the_readable_text_has_no_options():
    with pytest.raises(UnsupportedSyntax, match="is no option of the back end numpy"):
        ya.simplegrad(programs.stencil, X, 0.6, options={"cache": True})
