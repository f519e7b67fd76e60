"""The beginning of a command -> what a shell is told that may come next."""

import os
import subprocess
import sys

import pytest

from yota_ast.tools.cli.completion import functions_in, targets_like

MODEL = """\
import nothing_of_that_name

def loss(w): ...
async def later(w): ...
class Net:
    def __init__(self): ...
    def forward(self, x): ...
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src" / "lib" / "deep").mkdir(parents=True)
    (tmp_path / "src" / "lib" / "__init__.py").write_text("def whole(x): ...\n")
    (tmp_path / "src" / "lib" / "model.py").write_text(MODEL)
    (tmp_path / "src" / "lib" / "deep" / "inner.py").write_text("def f(x): ...\n")
    (tmp_path / "src" / "lib" / "notes.txt").write_text("")
    (tmp_path / "script.py").write_text("def main(x): ...\n")
    (tmp_path / "broken.py").write_text("def main(x:\n")
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'lib'\n")
    return tmp_path


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("scr", ["script.py:", "script:"]),
        ("script:", ["script:main"]),
        ("script.py:m", ["script.py:main"]),
        ("broken.py:", []),
        ("absent:", []),
        ("src/lib/", ["src/lib/__init__.py:", "src/lib/deep/", "src/lib/model.py:"]),
        (
            "src/lib/model.py:",
            ["src/lib/model.py:Net.forward", "src/lib/model.py:loss"],
        ),
        ("li", ["lib."]),
        ("lib.m", ["lib.model:"]),
        ("lib:", ["lib:whole"]),
        ("lib.model:N", ["lib.model:Net.forward"]),
        ("lib.deep.", ["lib.deep.inner:"]),
        ("lib.deep.inner:", ["lib.deep.inner:f"]),
    ],
)
def test_targets(project, typed, told):
    assert targets_like(typed) == told
    assert "nothing_of_that_name" not in sys.modules


def test_a_broken_pyproject_is_no_error(project):
    (project / "pyproject.toml").write_text("[tool.yota-ast\n")
    assert targets_like("scr") == ["script.py:", "script:"]


def test_functions_of_a_text():
    assert list(functions_in(MODEL)) == ["loss", "Net.forward"]


def answered(folder, line):
    """What the program answers a shell."""
    out = folder / "answer"
    environment = {
        "_ARGCOMPLETE": "1", "_ARGCOMPLETE_STDOUT_FILENAME": str(out),
        "_ARGCOMPLETE_COMP_WORDBREAKS": " \t\n\"'><=;|&(:", "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }  # fmt: skip
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "yota_ast"],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "numpy" not in ran.stderr
    return out.read_text().split("\x0b")


def test_the_program_answers_a_shell(project):
    pytest.importorskip("argcomplete")
    assert answered(project, "yota-ast sh") == ["show-grad", "show-tape"]
    assert answered(project, "yota-ast explain lib.model:") == ["Net.forward", "loss"]
    assert answered(project, "yota-ast emit --color ") == ["auto", "always", "never"]
