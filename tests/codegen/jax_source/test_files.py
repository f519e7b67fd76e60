"""Files of code for JAX: they import JAX and NumPy alone."""

import subprocess
import sys

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.tools.cli.main import main

from .models import MODELS, heat

SOURCE = '''"""A model."""

import numpy as np

RATE = 0.5


def decayed(x, n):
    """The sum of what is left."""
    z = x.copy()
    for _ in range(n):
        z[1:] -= RATE * z[:-1]
    return np.sum(z**2)
'''


@pytest.fixture
def project(tmp_path, monkeypatch):
    (tmp_path / "model.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("model", None)


EMIT = ["emit", "model.py:decayed", "--backend", "jax", "--like", "x=float[n], n=int"]


def test_emit_writes_a_file_that_stands_alone(project):
    assert main([*EMIT, "-o", "decayed_grad.py"]) == 0
    text = (project / "decayed_grad.py").read_text()
    assert "import jax.numpy as jnp" in text
    assert "yota_ast" not in "".join(
        line for line in text.splitlines() if "import" in line
    )
    code = (
        "import jax, sys; jax.config.update('jax_enable_x64', True)\n"
        "import numpy as np, decayed_grad\n"
        "print(*decayed_grad.decayed_grad(np.array([1.0, 2.0]), 3))\n"
        "assert 'yota_ast' not in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=project, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    sys.path.insert(0, str(project))
    from model import decayed

    wanted = ya.simplegrad(decayed, np.ones(2), 3, wrt="x")(np.array([1.0, 2.0]), 3)
    assert done.stdout.split()[0] == str(wanted[0])


def test_a_file_is_checked(project):
    assert main([*EMIT, "-o", "decayed_grad.py"]) == 0
    assert main([*EMIT, "-o", "decayed_grad.py", "--check"]) == 0
    (project / "model.py").write_text(SOURCE.replace("z**2", "z**2 + z"))
    sys.modules.pop("model", None)
    assert main([*EMIT, "-o", "decayed_grad.py", "--check"]) != 0


def test_a_test_of_a_file_passes(project):
    made = [*EMIT, "-o", "decayed_grad.py", "--with-test", "--args", "np.ones(3), 2"]
    assert main(made) == 0
    text = (project / "test_decayed_grad.py").read_text()
    assert 'jax.config.update("jax_enable_x64", True)' in text
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_saved_files_are_those_of_the_models(tmp_path):
    [model] = [m for m in MODELS if m.fn is heat]
    made = ya.simplegrad(heat, *model.args, **model.static, wrt="u0", backend="jax")
    text = made.save(tmp_path / "heat_grad.py").read_text()
    assert "u = u.at[1:-1].add(" in text
    assert "def _within(" in text


def test_without_jax_the_remedy_is_told(monkeypatch):
    from yota_ast.errors import YotaError

    monkeypatch.setattr("yota_ast.pipeline.find_spec", lambda _: None)
    with pytest.raises(YotaError, match=r"needs JAX.*\n.*yota_ast\[jax\]"):
        ya.simplegrad(heat, *MODELS[7].args, n=2, backend="jax")
