"""`yota-ast gradcheck`: arguments given, arguments drawn, and its exit codes."""

import sys

import pytest

from yota_ast.errors import MAX_LINES
from yota_ast.tools.cli.main import main

MODEL = """\
import numpy as np
import yota_ast as ya

SIZE = 3


def softplus(x):
    return np.logaddexp(0.0, x)


ya.diffrule("softplus(x)", "x", "1.001 * dy / (1 + np.exp(-x))")


def wrong(x):
    return np.sum(softplus(x))


def loss(W, b, x, n=2):
    return np.sum(np.tanh(W @ x + b) ** n)


def typed(x: float, y: np.ndarray, n: int, *, z: float):
    return n * x * np.sum(y**2) * z


def raises(x):
    raise ValueError("its own")


def rows(p):
    return p["a"] * p["b"][0]


class Scale:
    def __init__(self, rate):
        self.rate = rate

    def of(self, x):
        return self.rate * np.sum(x)
"""


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Runs the command: exit code, stdout, stderr."""
    (tmp_path / "checked_model.py").write_text(MODEL, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    path = list(sys.path)

    def command(*arguments):
        code = main(["gradcheck", *arguments])
        said = capsys.readouterr()
        assert len(said.err.splitlines()) <= MAX_LINES
        return code, said.out, said.err

    yield command
    sys.path[:] = path
    model = sys.modules.pop("checked_model", None)
    if model is not None:
        from yota_ast.rules.notation.rule import BOOK

        for rule in BOOK.rules_of(model.softplus):
            BOOK.remove(rule)


@pytest.mark.parametrize(
    "arguments",
    [
        ("loss", "--args", "np.ones((2, SIZE)), np.zeros(2), np.arange(3.0)"),
        ("loss", "--args", "np.ones((2, 3)), b=np.zeros(2), x=np.ones(3), n=3"),
        ("loss", "--like", "W=float[2,3], b=float[2], x=float[3]"),
        ("loss", "--like", "W=float[3,3]", "--args", "b=1.0, x=np.ones(3)"),
        ("typed",),
        ("typed", "--args", "2.0, np.ones(2)"),
        ("rows", "--like", "p={a: float, b: list[float32, int]}"),
        ("Scale.of", "--args", "Scale(0.5), np.ones(2)"),
        ("loss", "--like", "W=float[3,3], b=float[3], x=float[3]", "--wrt", "b"),
    ],
    ids=" ".join,
)
def test_holds(run, arguments):
    target, *options = arguments
    code, out, err = run(f"checked_model:{target}", *options)
    assert (code, err) == (0, "")
    assert out.startswith(
        f"gradcheck of {target.split('.')[-1]}: the gradient agrees with differences\n"
    )


def test_a_gradient_that_does_not_hold(run):
    code, out, err = run("checked_model:wrong", "--args", "np.ones(3)")
    assert (code, err) == (1, "")
    assert (
        out.splitlines()[0]
        == "gradcheck of wrong: the gradient disagrees with differences"
    )
    assert "differs" in out


def test_another_seed_draws_others(run):
    tables = {run("checked_model:typed", "--rng", str(k))[1] for k in (0, 0, 1)}
    assert len(tables) == 2
