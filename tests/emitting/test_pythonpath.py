"""`pythonpath` in pyproject.toml, or a folder `src` -> modules are found there."""

import subprocess
import sys
from pathlib import Path

import pytest

MODEL = "SCALE = 3.0\n\n\ndef loss(w: float, x: float):\n    return SCALE * w * x**2\n"


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "yota_ast", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def project(root: Path, folder: str, *, package: bool = True, table: str = "") -> Path:
    inner = root / folder / "mylib"
    inner.mkdir(parents=True)
    if package:
        (inner / "__init__.py").write_text("")
    (inner / "model.py").write_text(MODEL)
    (root / "pyproject.toml").write_text(
        f"[tool.yota-ast]\n{table}\n[[tool.yota-ast.targets]]\n"
        f'function = "mylib.model:loss"\nwrt = "w"\n'
        f'output = "{folder}/mylib/loss_grad.py"\n'
    )
    return inner


@pytest.mark.parametrize(
    ("folder", "table", "package"),
    [
        ("src", "", True),
        ("src", 'pythonpath = ["src"]', False),
        ("packages/core/python", 'pythonpath = ["packages/core/python"]', True),
        ("lib", 'pythonpath = "lib"', True),
    ],
)
def test_the_file_is_written_and_checked(tmp_path, folder, table, package):
    inner = project(tmp_path, folder, package=package, table=table)
    assert run(tmp_path, "emit").stderr == ""
    assert (inner / "loss_grad.py").is_file()
    assert run(inner, "emit", "--check").returncode == 0


@pytest.mark.parametrize(
    "words", [("show-grad",), ("explain",), ("gradcheck", "--args", "2.0, 3.0")]
)
def test_a_command_below_the_root_finds_the_package(tmp_path, words):
    project(tmp_path, "src")
    below = tmp_path / "docs"
    below.mkdir()
    ran = run(below, *words, "mylib.model:loss")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "loss" in ran.stdout


def test_a_file_of_the_layout_is_the_module_of_its_package(tmp_path):
    inner = project(tmp_path, "src")
    (inner / "model.py").write_text("from mylib.parts import SCALE\n" + MODEL)
    (inner / "parts.py").write_text("SCALE = 2.0\n")
    shown = run(tmp_path, "show-grad", "src/mylib/model.py:loss")
    assert (shown.returncode, shown.stderr) == (0, "")
    emitted = run(tmp_path, "emit", "src/mylib/model.py:loss", "--stdout")
    assert (
        "from mylib import model" in emitted.stdout or "mylib.model" in emitted.stdout
    )


@pytest.mark.parametrize("package", [True, False])
def test_a_file_of_a_namespace_is_the_module_of_its_layout(tmp_path, package):
    inner = tmp_path / "src" / "space" / "mylib"
    inner.mkdir(parents=True)
    if package:
        (inner / "__init__.py").write_text("")
    (tmp_path / "pyproject.toml").write_text("")
    (inner / "parts.py").write_text("SCALE = 2.0\n")
    (inner / "model.py").write_text(
        "from . import parts\n\n\ndef loss(w: float):\n"
        "    assert __name__ == 'space.mylib.model'\n"
        "    return parts.SCALE * w**2\n"
    )
    target = "src/space/mylib/model.py:loss"
    for folder in (tmp_path, inner):
        place = target if folder == tmp_path else "model.py:loss"
        shown = run(folder, "show-grad", place)
        assert (shown.returncode, shown.stderr) == (0, "")
        assert "space.mylib" in shown.stdout
    assert run(tmp_path, "emit", target).stderr == ""
    assert run(tmp_path, "emit", target, "--check").returncode == 0
    program = "from space.mylib.loss_grad import loss_grad; print(loss_grad(3.0))"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path / "src",
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "(18.0, 12.0)\n"


def test_a_file_of_another_project_is_a_module_of_that(tmp_path):
    inner = project(tmp_path / "packages" / "core", "src")
    (inner / "parts.py").write_text("SCALE = 2.0\n")
    (inner / "model.py").write_text("from .parts import SCALE\n" + MODEL)
    (inner / "__init__.py").unlink()
    (tmp_path / "pyproject.toml").write_text("")
    shown = run(tmp_path, "show-grad", "packages/core/src/mylib/model.py:loss")
    assert (shown.returncode, shown.stderr) == (0, "")


def test_a_model_may_import_its_own_gradient(tmp_path):
    inner = project(tmp_path, "src")
    (inner / "model.py").write_text("from mylib.loss_grad import loss_grad\n" + MODEL)
    assert run(tmp_path, "emit").stderr == ""
    (inner / "loss_grad.py").unlink()
    assert run(tmp_path, "emit", "mylib.model:loss", "--wrt", "w").stderr == ""
    assert (inner / "loss_grad.py").is_file()


def test_the_file_imports_nothing_of_the_layout(tmp_path):
    inner = project(tmp_path, "src")
    assert run(tmp_path, "emit").returncode == 0
    program = "from mylib.loss_grad import loss_grad; print(loss_grad(2.0, 3.0))"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        cwd=inner.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == "(54.0, 27.0)\n"


def test_the_current_directory_stays_first(tmp_path):
    project(tmp_path, "src")
    (tmp_path / "mylib").mkdir()
    (tmp_path / "mylib" / "__init__.py").write_text("")
    (tmp_path / "mylib" / "model.py").write_text("def loss(w: float):\n    return w\n")
    assert (
        "def loss_grad(w: float,"
        in run(tmp_path, "show-grad", "mylib.model:loss").stdout
    )


def test_an_empty_list_looks_nowhere(tmp_path):
    project(tmp_path, "src", table="pythonpath = []")
    assert run(tmp_path, "show-grad", "mylib.model:loss").stderr == (
        "yota-ast: there is no module 'mylib'\n"
        'There is one in src: write pythonpath = ["src"] under [tool.yota-ast] in '
        "pyproject.toml.\n"
    )


def test_a_missing_module_is_looked_for_below(tmp_path):
    project(tmp_path, "packages/core/python")
    (tmp_path / "pyproject.toml").unlink()
    assert run(tmp_path, "show-grad", "mylib.model:loss").stderr == (
        "yota-ast: there is no module 'mylib'\n"
        "There is one in packages/core/python: write pythonpath = "
        '["packages/core/python"] under [tool.yota-ast] in pyproject.toml.\n'
    )


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            "pythonpath = 3",
            (
                "pyproject.toml: pythonpath must be a list of folders, not 3\n"
                'For instance pythonpath = ["src"].'
            ),
        ),
        (
            'pythonpath = ["scr"]',
            (
                "pyproject.toml: pythonpath names 'scr', which is not a folder\n"
                "Paths start at the directory of pyproject.toml."
            ),
        ),
        (
            'pythonpath = ["s\\u0000"]',
            (
                "pyproject.toml: pythonpath must be a list of folders, not ['s\\x00']\n"
                'For instance pythonpath = ["src"].'
            ),
        ),
    ],
)
def test_what_pythonpath_cannot_be(tmp_path, table, said):
    project(tmp_path, "src", table=table)
    ran = run(tmp_path, "show-grad", "mylib.model:loss")
    assert (ran.returncode, ran.stderr) == (2, f"yota-ast: {said}\n")
