"""A refusal leaves a public function -> its traceback ends at the user's frame."""

import subprocess
import sys
import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.support.tracebacks import VARIABLE, public

X = np.array([1.0, 2.0])


CALLS = 0


def refused(x):
    return np.sum(counted(x))


def counted(x):
    global CALLS
    CALLS = np.sum(x)
    return x * CALLS


def raising(x):
    if np.sum(x) > 0:
        raise KeyError("a name")
    return np.sum(x)


TRANSFORMS: dict[str, Callable[..., Any]] = {
    "grad": lambda f: ya.grad(f, X),
    "a derivative": lambda f: ya.grad(f)(X),
    "simplegrad": lambda f: ya.simplegrad(f),
    "value_and_grad": lambda f: ya.value_and_grad(f)(X),
    "vjp": lambda f: ya.vjp(f)(X),
    "jvp": lambda f: ya.jvp(f)(X, X),
    "hvp": lambda f: ya.hvp(f)(X, X),
    "jacobian": lambda f: ya.jacobian(f)(X),
    "hessian": lambda f: ya.hessian(f)(X),
    "trace": lambda f: ya.trace(f, X),
    "gradcheck": lambda f: ya.gradcheck(f, X),
    "the decorator": lambda f: ya.differentiable(f).grad(X),
    "its source": lambda f: ya.differentiable(f).grad_source,
    "nested": lambda f: ya.grad(lambda x: np.sum(ya.grad(f)(x)), X),
}
PLAYED = {"trace", "simplegrad", "its source", "vjp", "nested"}
"""What runs no function that has the name of the user's."""
RUNNING = sorted(TRANSFORMS.keys() - PLAYED)


def frames_of(error: BaseException) -> list[str]:
    """Return the files of the traceback, each once."""
    found = traceback.extract_tb(error.__traceback__)
    return list(dict.fromkeys(frame.filename for frame in found))


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_refusal_ends_at_the_users_frame(name):
    with pytest.raises(ya.YotaError) as caught:
        TRANSFORMS[name](refused)
    assert frames_of(caught.value) == [__file__]
    printed = "".join(traceback.format_exception(caught.value))
    kind = type(caught.value).__name__
    assert printed.count(kind) == 1
    assert len(printed.splitlines()) <= 25


@pytest.mark.parametrize("name", RUNNING)
def test_an_error_of_the_users_keeps_the_users_frames(name):
    with pytest.raises(KeyError) as caught:
        TRANSFORMS[name](raising)
    assert caught.value.args == ("a name",)
    names = [f.name for f in traceback.extract_tb(caught.value.__traceback__)]
    files = frames_of(caught.value)
    assert not any("yota_ast/" in f and "tests" not in f for f in files if f[0] != "<")
    assert "raising" in " ".join(names)


def test_the_variable_keeps_all_frames(monkeypatch):
    monkeypatch.setenv(VARIABLE, "full")
    with pytest.raises(ya.YotaError) as caught:
        ya.grad(refused, X)
    assert len(frames_of(caught.value)) > 3


def test_a_defect_keeps_all_frames():
    @public
    def broken():
        return {}["absent"]

    with pytest.raises(KeyError) as caught:
        broken()
    assert [f.name for f in traceback.extract_tb(caught.value.__traceback__)][
        -1
    ] == "broken"


def test_a_script_that_is_refused_prints_few_lines(tmp_path):
    script = tmp_path / "fit.py"
    script.write_text(
        "import numpy as np\nimport yota_ast as ya\n\n\n"
        "def loss(w):\n    return helper(w)\n\n\n"
        "def helper(w):\n    async def g():\n        return w\n    return g()\n\n\n"
        "ya.grad(loss, np.ones(2))\n"
    )
    ran = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, check=False
    )
    lines = ran.stderr.splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert lines[1] == f'  File "{script}", line 15, in <module>'
    assert "yota_ast/" not in "".join(lines[:4])
    assert len(lines) <= 12


def test_a_library_is_named_after_the_users_call(tmp_path, monkeypatch):
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "modellib.py").write_text(
        "def inner(x):\n    got = yield x\n    return got\n\n\n"
        "def outer(x):\n    return inner(x) + 1\n"
    )
    monkeypatch.syspath_prepend(folder)
    import modellib

    def fitted(x):
        return modellib.outer(x) * 2

    with pytest.raises(ya.YotaError) as caught:
        ya.grad(fitted, 1.0)
    assert caught.value.filename == __file__
    assert caught.value.excerpt.strip() == "return modellib.outer(x) * 2"
    assert "modellib.py" in str(caught.value)
