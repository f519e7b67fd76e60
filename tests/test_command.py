"""The command line on real functions, from end to end, in processes of its own."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya

ROOT = Path(__file__).resolve().parents[1]

MODEL = '''\
"""A model."""
import numpy as np

RATE = 0.5


class Linear:
    def __init__(self, W):
        self.W = W

    def forward(self, x: np.ndarray):
        return self.W @ x


def loss(W, b, x, n=3, mode="plain"):
    """The loss."""
    y = helper(W @ x + b)
    if mode == "scaled":
        y = y * RATE
    return np.mean(y**n)


def helper(t):
    return np.tanh(t)


def array(x):
    return 2 * x


def refused(x):
    yield x


def unruled(x):
    return np.busday_count(x, x) * x


answer = 42
'''


@pytest.fixture
def home(tmp_path):
    (tmp_path / "mod.py").write_text(MODEL, encoding="utf-8")
    return tmp_path


def yota(home, *arguments, hashseed="0"):
    environment = {**os.environ, "PYTHONHASHSEED": hashseed, "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        [sys.executable, "-m", "yota_ast", *arguments],
        capture_output=True, text=True, timeout=120, check=False,
        cwd=home, env=environment,
    )  # fmt: skip


def shown(home, *arguments, **options):
    done = yota(home, *arguments, **options)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_show_grad(home, monkeypatch):
    like = "W=float[3,4], b=float[3], x=float[4]"
    text = shown(home, "show-grad", "mod:loss", "--wrt", "W,b", "--like", like)
    assert 'def loss_grad(W, b, x, n=3, mode="plain", seed=1.0):' in text
    assert "    return val, dW, db\n" in text
    monkeypatch.syspath_prepend(home)  # the text reads RATE in the module
    scope = {}
    exec(MODEL, scope)
    exec(text, scope)
    del sys.modules["mod"]  # for good: other tests have another
    rng = np.random.default_rng(1)
    args = rng.random((3, 4)), rng.random(3), rng.random(4)
    val, dW, db = scope["loss_grad"](*args)
    assert val == scope["loss"](*args)
    assert (dW.shape, db.shape) == ((3, 4), (3,))


def test_show_grad_of_a_file_and_of_a_method(home):
    by_module = shown(home, "show-grad", "mod:loss")
    assert shown(home, "show-grad", "mod.py:loss") == by_module
    method = shown(home, "show-grad", "mod:Linear.forward", "--like", "x=float[4]")
    assert "def Linear_forward_grad(self, x: np.ndarray, seed=1.0):" in method


def test_an_array_needs_a_seed_in_the_text(home):
    text = shown(home, "show-grad", "mod:array", "--like", "x=float[3]")
    assert "def array_grad(x, seed):" in text


def test_show_tape(home):
    text = shown(home, "show-tape", "mod:loss", "--like", "W=float[3,4]")
    assert text.startswith("Tape\n  inp %1::ndarray[float64, 2]\n")
    assert "helper" not in text


def test_rules(home):
    table = shown(home, "rules")
    assert "np.sum" in table
    assert "np.linalg.solve" in table
    one = shown(home, "rules", "np.sum")
    assert one.startswith("np.sum  (NumPy)\n")
    assert len(one.splitlines()) < 14


def test_version_and_help(home):
    assert shown(home, "--version") == f"yota-ast {ya.__version__}\n"
    text = shown(home, "--help")
    assert "show-grad" in text
    assert "examples:" in text


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("show-grad", "nomod:f"), "there is no module 'nomod'"),
        (("show-grad", "mod:los"), "mod has no 'los' (is it 'loss'?)"),
        (("show-grad", "nofile.py:f"), "there is no file nofile.py"),
        (("show-grad", "mod:answer"), "mod:answer is not a function but an int"),
        (("show-grad", "mod:Linear"), "mod:Linear is not a function but a class"),
        (("show-grad", "mod"), "expected module:function"),
        (("show-grad", "mod:loss", "--wrt", "q"), "no argument 'q'"),
        (
            ("show-grad", "mod:loss", "--wrt", "mode"),
            "no derivative exists for 'mode', a str",
        ),
        (("show-grad", "mod:loss", "--like", "W=flo[3]"), "cannot read --like"),
        (("show-grad", "mod:loss", "--like", "q=float"), "no argument 'q'"),
        (("rules", "np.nothing"), "there is no rule for np.nothing"),
        (("show-gard", "mod:loss"), "there is no command 'show-gard'"),
        ((), "command"),
    ],
)
def test_what_is_wrong_and_what_to_do(home, arguments, reason):
    done = yota(home, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert 2 <= len(done.stderr.splitlines()) <= 14
    assert reason in done.stderr.splitlines()[0]
    assert "Traceback" not in done.stderr


def test_refusals_are_located(home):
    done = yota(home, "show-grad", "mod:refused")
    assert done.returncode == 2
    line = MODEL.splitlines().index("    yield x") + 1
    first = done.stderr.splitlines()[0]
    assert f"mod.py:{line}:5: UnsupportedSyntax: " in first
    assert len(done.stderr.splitlines()) <= 14


def test_the_same_bytes_everywhere(home, tmp_path):
    other = tmp_path / "elsewhere" / "deep"
    other.mkdir(parents=True)
    (other / "mod.py").write_text(MODEL, encoding="utf-8")
    for command in ("show-grad", "show-tape"):
        texts = {
            shown(where, command, "mod:loss", hashseed=seed)
            for where in (home, other)
            for seed in ("0", "12345")
        }
        assert len(texts) == 1
    assert str(tmp_path) not in texts.pop()
