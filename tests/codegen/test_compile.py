"""Compiled texts show in tracebacks and in inspect, and travel between processes."""

import importlib.util
import inspect
import linecache
import math
import multiprocessing
import pickle
import traceback

import pytest

from yota_ast.codegen.compile import compile_text
from yota_ast.errors import SourceUnavailable

TEXT = '''import math


def scaled(x, seed=1.0):
    """Value of scaled."""
    return rate * math.sqrt(root(x)) * seed
'''


def root(x):
    return x + 1.0


@pytest.fixture
def function():
    return compile_text(TEXT, "scaled", {"rate": 2.0, "root": root})


def test_calls_and_describes_itself(function):
    assert function(3.0) == function.fn(3.0) == 4.0
    assert function.__name__ == "scaled"
    assert function.__doc__ == "Value of scaled."
    assert str(inspect.signature(function)) == "(x, seed=1.0)"
    assert repr(function) == "<generated function scaled(x, seed=1.0)>"


@pytest.mark.parametrize("cleared", [False, True])
def test_tracebacks_show_the_line(function, cleared):
    if cleared:
        linecache.clearcache()
    try:
        function(-5.0)
    except ValueError as error:
        shown = "".join(traceback.format_exception(error))
    assert "return rate * math.sqrt(root(x)) * seed" in shown
    assert "<generated yota_ast " in shown


@pytest.mark.parametrize("cleared", [False, True])
def test_inspect_finds_the_source(function, cleared):
    if cleared:
        linecache.clearcache()
    assert inspect.getsource(function.fn) == TEXT.partition("\n\n\n")[2]


def test_equal_texts_are_one_file(function):
    again = compile_text(TEXT, "scaled", {"rate": 3.0, "root": root})
    assert again.fn.__code__.co_filename == function.fn.__code__.co_filename
    assert (function(3.0), again(3.0)) == (4.0, 6.0)


def test_pickles_by_source(function):
    assert pickle.loads(pickle.dumps(function))(3.0) == 4.0


def test_runs_in_a_spawned_process(function):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(function, [3.0, 8.0]) == [4.0, 6.0]


def test_saves_a_module(function, tmp_path):
    path = function.save(tmp_path / "saved_scaled.py")
    spec = importlib.util.spec_from_file_location("saved_scaled", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.scaled(3.0) == 4.0
    assert path.read_text().startswith("import math\nrate = 2.0\nfrom ")


def test_refuses_to_save_what_no_file_can_hold(tmp_path):
    text = "def f(x):\n    return g(x)\n"
    function = compile_text(text, "f", {"g": lambda x: math.sin(x)})
    with pytest.raises(SourceUnavailable, match="g is neither a literal nor"):
        function.save(tmp_path / "f.py")
