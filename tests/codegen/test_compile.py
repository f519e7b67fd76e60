"""Compiled texts show in tracebacks and in inspect, and travel between processes."""

import functools
import importlib.util
import inspect
import linecache
import math
import multiprocessing
import pickle
import subprocess
import sys
import traceback

import numpy as np
import pytest

import yota_ast as ya
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
def test_tracebacks_show_the_line(function, cleared, texts_kept):
    if cleared:
        linecache.clearcache()
    try:
        function(-5.0)
    except ValueError as error:
        shown = "".join(traceback.format_exception(error))
    assert "return rate * math.sqrt(root(x)) * seed" in shown
    assert "<generated yota_ast " in shown


@pytest.mark.parametrize("cleared", [False, True])
def test_inspect_finds_the_source(function, cleared, texts_kept):
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


def of_module(x, k):
    return np.sum(np.exp(-k * x**2))


@pytest.mark.parametrize("bound", [(), (2.0,)])
def test_a_pickle_is_loaded_without_the_package(tmp_path, bound):
    f = functools.partial(of_module, *bound) if bound else of_module
    made = ya.simplegrad(f, np.ones(3)) if bound else ya.simplegrad(f, np.ones(3), 2.0)
    (tmp_path / "made.pickle").write_bytes(pickle.dumps(made))
    program = """
import sys
sys.modules["yota_ast"] = None
import pickle
import numpy as np
made = pickle.loads(open("made.pickle", "rb").read())
print([np.asarray(part).tolist() for part in made(np.array([0.5, 1.0]), 2.0)])
"""
    if bound:
        program = program.replace("1.0]), 2.0)", "1.0]))")
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    x = np.array([0.5, 1.0])
    expected = made(x) if bound else made(x, 2.0)
    assert done.stdout.strip() == str([np.asarray(p).tolist() for p in expected]), (
        done.stderr
    )
