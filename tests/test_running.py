"""Generated functions as Python sees them: pickled, traced, looked at, decorated."""

import inspect
import linecache
import pickle
import subprocess
import sys
import textwrap
import traceback
from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya

ROOT = Path(__file__).resolve().parents[1]
OFFSET = 3.0


def shifted(x):
    return np.sum((x + OFFSET) ** 2)


def run(path, *args, **options):
    """Run a script with the package on its path, elsewhere."""
    done = subprocess.run(
        [sys.executable, "-c", BOOT, str(ROOT), str(path), *args],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=path.parent,
        **options,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


BOOT = """
import runpy, sys
sys.path[:0] = [sys.argv[1]]
sys.argv[:] = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


# ---------------------------------------------------------------- pickling


def test_generated_functions_pickle():
    df = ya.simplegrad(shifted, np.ones(2))
    again = pickle.loads(pickle.dumps(df))
    assert again.source == df.source
    val, dx = again(np.ones(2))
    assert (val, dx.tolist()) == (32.0, [8.0, 8.0])


SPAWN = """
import multiprocessing, sys
sys.path[:0] = [{root!r}]
import numpy as np
import yota_ast as ya

def loss(w, x):
    return np.sum(helper(w) * x)

def helper(w):
    return w**2

if __name__ == "__main__":
    df = ya.simplegrad(loss, 2.0, np.ones(3))
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        val, dw, dx = pool.apply(df, (2.0, np.ones(3)))
        print(val, dw, dx)
        print(pool.apply(ya.grad, (loss, 2.0, np.ones(3)))[0])
"""


def test_generated_functions_run_in_spawned_processes(tmp_path):
    path = tmp_path / "spawning.py"
    path.write_text(SPAWN.format(root=str(ROOT)), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(path)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == "12.0 12.0 [4. 4. 4.]\n12.0\n"


def test_results_pickle():
    _, g = ya.grad(shifted, np.ones(2))
    again = pickle.loads(pickle.dumps(g))
    assert again["x"].tolist() == [8.0, 8.0]
    assert again.source == g.source


# ---------------------------------------------------------------- sources


def test_inspect_shows_the_text(texts_kept):
    df = ya.simplegrad(shifted, np.ones(2))
    text = inspect.getsource(df.fn)
    assert text.startswith("def shifted_grad(x, seed=1.0):\n")
    assert text in df.source
    linecache.clearcache()
    assert inspect.getsource(df.fn) == text
    linecache.checkcache()
    assert inspect.getsource(df.fn) == text


def test_tracebacks_show_the_text():
    df = ya.simplegrad(shifted, np.ones(2))
    with np.errstate(over="raise"), pytest.raises(FloatingPointError) as caught:
        df(np.full(2, 1e200))
    shown = "".join(traceback.format_exception(caught.value))
    assert "shifted_grad" in shown
    assert "val = np.sum(t1**2)" in shown


def test_pdb_lists_the_text(tmp_path):
    path = tmp_path / "debugged.py"
    path.write_text(
        textwrap.dedent(
            """
            import pdb
            import numpy as np
            import yota_ast as ya

            def squared(x):
                return np.sum(x**2)

            x = np.ones(2)
            df = ya.simplegrad(squared, x)
            pdb.run("df.fn(x)", globals())
            """
        ),
        encoding="utf-8",
    )
    shown = run(path, input="step\nstep\nlist 1, 20\ncontinue\n")
    assert "def squared_grad(x, seed=1.0):" in shown
    assert "-> " in shown


# ---------------------------------------------------------------- the decorator


@ya.differentiable
def early(w, x):
    """Doc."""
    return np.sum(later(w) * x)


@ya.differentiable(wrt=["w"])
def typed(w: float, x: np.ndarray):
    return np.sum(later(w) * x)


def later(w):
    return w**2


def outer(w):
    return early(w, np.ones(3)) * typed(w, np.ones(2))


class Model:
    def __init__(self, W):
        self.W = W

    @ya.differentiable
    def loss(self, x):
        return np.sum(self.W * x)


def test_a_decorated_function_stays_what_it_was():
    assert early(2.0, np.ones(3)) == 12.0
    assert (early.__name__, early.__doc__) == ("early", "Doc.")
    assert str(inspect.signature(early)) == "(w, x)"
    assert early.__wrapped__ is early.fn


def test_its_gradient():
    val, g = early.grad(2.0, np.ones(3))
    assert (val, g["w"], g["x"].tolist()) == (12.0, 12.0, [4.0] * 3)
    _, g = typed.grad(2.0, np.ones(3))
    assert g["w"] == 12.0
    with pytest.raises(KeyError):
        g["x"]
    assert typed.grad(2.0, np.ones(3), wrt="x")[1]["x"].tolist() == [4.0] * 3
    assert ya.grad(early, 2.0, np.ones(3))[1]["w"] == 12.0


def test_its_text_and_tape():
    typed_head = "def typed_grad(w: float, x: np.ndarray, seed=1.0):"
    assert typed_head in typed.grad_source
    plain = ya.simplegrad(typed.fn, wrt="w").source
    assert plain.partition("):\n")[2] == typed.grad_source.partition("):\n")[2]
    assert str(typed.tape).startswith("Tape\n  inp %1::float\n")


def test_decorated_functions_are_helpers_too():
    val, g = ya.grad(outer, 2.0)
    assert (val, g[0]) == (outer(2.0), 4 * 6.0 * 8.0)


def test_decorated_methods():
    m = Model(np.array([1.0, 2.0]))
    assert m.loss(np.ones(2)) == 3.0
    assert m.loss.grad(np.ones(2))[1]["x"].tolist() == [1.0, 2.0]
    _, g = Model.loss.grad(m, np.ones(2))
    assert g["self"]["W",].tolist() == [1.0, 1.0]
    assert "def Model_loss_grad(self, x, seed=1.0):" in Model.loss.grad_source


def test_decorated_functions_pickle():
    assert pickle.loads(pickle.dumps(early)) is early
    m = Model(np.ones(2))
    assert pickle.loads(pickle.dumps(m.loss))(np.ones(2)) == 2.0
