"""Files of functions for Numba have all that files have."""

import subprocess
import sys

import pytest

from yota_ast.tools.cli.main import main

numba = pytest.importorskip("numba", reason="no Numba: that its files are right")
MODEL = """\
import numpy as np

RATE = 0.5


def flow(x, c):
    u = x.copy()
    for _ in range(3):
        u[1:] -= c * (u[1:] - u[:-1]) * RATE
    return np.sum(u**2)


class Layer:
    def __init__(self, w):
        self.w = w


def fit(x, m: Layer):
    return np.sum(np.tanh(x * m.w))
"""
RUN = """
import builtins, sys
import numpy as np
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "yota_ast":
            raise ImportError(name)
sys.meta_path.insert(0, Finder())
import model, flow_grad
first = flow_grad.flow_grad(np.arange(5.0), 0.3)
model.RATE = 1.0
print(first[0], first[1].shape, first[0] != flow_grad.flow_grad(np.arange(5.0), 0.3)[0])
"""
LIKE = ["--like", "x=float[n], c=float"]


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "model.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("model", None)


def emitted(*more):
    words = ["emit", "model.py:flow", *LIKE, "--backend", "numba", "-o", "flow_grad.py"]
    return main([*words, *more])


def test_a_file_is_written_checked_and_run(project):
    assert emitted() == 0
    text = (project / "flow_grad.py").read_text()
    assert "--backend numba" in text
    assert '@numba.njit(error_model="numpy")' in text
    assert "yota_ast" not in text.partition("import")[2]
    assert emitted("--check") == 0
    env = {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(project)}
    done = subprocess.run(
        [sys.executable, "-c", RUN],
        capture_output=True,
        text=True,
        check=False,
        env=env,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[1:] == ["(5,)", "True"]


def test_a_changed_function_is_stale(project, capsys):
    assert emitted() == 0
    (project / "model.py").write_text(MODEL.replace("range(3)", "range(40)"))
    sys.modules.pop("model", None)
    assert emitted("--check") == 1
    assert emitted("--diff") in {0, 1}
    assert "range(40)" in capsys.readouterr().out


def test_a_file_has_a_test(project, monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", True)
    assert emitted("--with-test") == 0
    assert "flow_grad" in (project / "test_flow_grad.py").read_text()


def test_what_has_no_loops_is_refused(project, capsys):
    text = MODEL.replace("np.sum(u**2)", "np.sum(np.abs(np.fft.rfft(u)))")
    (project / "model.py").write_text(text)
    assert emitted() != 0
    assert "no loops are made of `rfft`" in capsys.readouterr().err
    assert not (project / "flow_grad.py").exists()
