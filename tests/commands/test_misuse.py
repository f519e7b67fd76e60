"""All that can be wrong with a command line: the whole texts, of at most one screen."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from yota_ast.errors import MAX_LINES

ROOT = Path(__file__).resolve().parents[2]
TEXTS = ROOT / "tests" / "golden" / "misuse"
PROJECT = {
    "mod.py": '''\
"""A model."""
import numpy as np

RATE = 0.5


class Linear:
    def __init__(self, W):
        self.W = W

    def forward(self, x: np.ndarray):
        return self.W @ x

    @property
    def size(self):
        return self.W.size


class Empty:
    pass


def loss(W, b, x, n=3, mode="plain"):
    """The loss."""
    y = np.tanh(W @ x + b)
    if mode == "scaled":
        y = y * RATE
    return np.mean(y**n)


def refused(x):
    yield x


def within(x):
    return helper(x) + 1.0


def helper(x):
    y = 2 * x
    return np.busday_count(y, y) * x


def word(x):
    return "a word"


def fails(x):
    if x > 0:
        raise ValueError("it is positive")
    return x


def noisy(x):
    return x * RNG.normal()


RNG = np.random.default_rng(0)
none = None
made = eval("lambda x: x * 2")
answer = 42
''',
    "broken.py": "RATE = 1 / 0\n\ndef f(x):\n    return x\n",
    "within.py": "from broken import f\n",
    "syntax.py": "def f(x):\n    return x +* 2\n",
    "needs.py": "import numpyy\n",
    "exits.py": 'import sys\nsys.exit("give me an argument")\n',
    "pkg/__init__.py": "",
    "pkg/model.py": "def f(x):\n    return x\n",
    "data.txt": "no Python\n",
}
COMMANDS = {
    "commands": [
        (),
        ("frobnicate",),
        ("show-gard", "mod:loss"),
        ("show-grad",),
        ("gradcheck",),
        ("show-grad", "mod:loss", "extra"),
        ("show-tape", "mod:loss", "--wrt", "W"),
        ("show-grad", "mod:loss", "--mode", "sideways"),
        ("gradcheck", "mod:loss", "--rng", "one"),
    ],
    "targets": [
        ("show-grad", "mod"),
        ("show-grad", "mod:"),
        ("show-grad", ":loss"),
        ("show-grad", "nothing"),
        ("show-grad", "modd:loss"),
        ("show-grad", "pkg.modl:f"),
        ("show-grad", "nothing.like.it:f"),
        ("show-grad", "mod:los"),
        ("explain", "mod:zzz"),
        ("gradcheck", "mod:Linear.forwar"),
        ("show-tape", "mod:Linear.zzz"),
        ("show-grad", "mod.py:los"),
        ("show-grad", "mood.py:loss"),
        ("show-grad", "far/away.py:f"),
        ("show-grad", "data.txt:f"),
        ("show-grad", "pkg:f"),
    ],
    "no_functions": [
        ("show-grad", "mod:answer"),
        ("explain", "mod:none"),
        ("show-grad", "mod:Linear"),
        ("show-grad", "mod:Empty"),
        ("show-grad", "mod:Linear.size"),
        ("show-grad", "mod:made"),
        ("explain", "mod:made"),
        ("show-grad", "zlib:crc32"),
        ("show-grad", "mod:word"),
        ("explain", "mod:word"),
    ],
    "modules_that_fail": [
        ("show-grad", "broken:f"),
        ("show-grad", "broken.py:f"),
        ("show-grad", "within:f"),
        ("explain", "syntax:f"),
        ("gradcheck", "needs:f"),
        ("show-grad", "exits:f"),
    ],
    "refused": [
        ("show-grad", "mod:refused"),
        ("show-tape", "mod:refused"),
        ("gradcheck", "mod:refused", "--args", "1.0"),
        ("show-grad", "mod:within"),
    ],
    "wrt": [
        ("show-grad", "mod:loss", "--wrt", "q"),
        ("show-grad", "mod:loss", "--wrt", "moda"),
        ("explain", "mod:loss", "--wrt", "W,W"),
        ("gradcheck", "mod:loss", "--wrt", ","),
        ("show-grad", "mod:loss", "--wrt", ""),
        ("show-grad", "mod:loss", "--wrt", "mode"),
        ("explain", "mod:loss", "--wrt", "mode"),
    ],
    "like": [
        ("show-grad", "mod:loss", "--like", "W=flot[3]"),
        ("show-grad", "mod:loss", "--like", "W=float[3"),
        ("show-grad", "mod:loss", "--like", "b=float, W float"),
        ("show-tape", "mod:loss", "--like", "q=float"),
        ("explain", "mod:loss", "--like", ""),
        ("show-grad", "mod:loss", "--like", "W=Linaer"),
        ("show-grad", "mod:loss", "--like", "W=Nothing"),
        ("show-grad", "mod:loss", "--like", "W=nowhere.Linear"),
        ("show-grad", "mod:loss", "--like", "W=loss"),
        ("gradcheck", "mod:loss", "--like", "W=float[3], W=float"),
    ],
    "args": [
        ("gradcheck", "mod:loss"),
        ("gradcheck", "mod:loss", "--args", "W=="),
        ("gradcheck", "mod:loss", "--args", "1.0) + print(2"),
        ("gradcheck", "mod:loss", "--args", "1.0, 2.0, unknown"),
        ("gradcheck", "mod:loss", "--args", "1.0, 2.0"),
        ("gradcheck", "mod:loss", "--args", "1.0, q=2.0"),
        ("gradcheck", "mod:fails", "--args", "1.0"),
        ("gradcheck", "mod:noisy", "--args", "1.0"),
        ("gradcheck", "mod:word", "--args", "1.0"),
        ("gradcheck", "mod:Linear.forward", "--args", "x=np.ones(3)"),
    ],
    "rules": [
        ("rules", "np.nothing"),
        ("rules", "np.summ"),
        ("rules", "lingalg.norm"),
        ("rules", "np.sum", "extra"),
    ],
}


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A directory with modules that do what they should, and that do not."""
    home = tmp_path_factory.mktemp("project")
    for name, text in PROJECT.items():
        (home / name).parent.mkdir(exist_ok=True)
        (home / name).write_text(text, encoding="utf-8")
    return home


RUN = """
import contextlib, io, json, sys
from pathlib import Path
from yota_ast.tools.cli.main import main
known = set(sys.modules)
done = []
for arguments in json.loads(sys.argv[1]):
    out, err, code = io.StringIO(), io.StringIO(), None
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as left:
            code = left.code
    done.append((code, out.getvalue(), err.getvalue()))
    for path in Path().rglob("*.py"):
        name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        sys.modules.pop(name, None)
print(json.dumps(done))
"""


@pytest.mark.parametrize("name", COMMANDS)
def test_whole_texts(name, project, golden):
    import json

    command = [sys.executable, "-c", RUN, json.dumps(COMMANDS[name])]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True,
        timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    parts = []
    for arguments, (code, out, err) in zip(
        COMMANDS[name], json.loads(done.stdout), strict=True
    ):
        shown = " ".join(a if a and " " not in a else f'"{a}"' for a in arguments)
        said = out if arguments[:1] == ("explain",) and out else err
        parts.append(f"$ yota-ast {shown}\n{said}[{code}]\n")
        assert code == 2, parts[-1]
        assert said == out + err, "what is wrong is told on stderr alone"
        assert 2 <= len(said.splitlines()) <= MAX_LINES, said
        assert "Traceback" not in said
        assert str(project) not in said
    golden(TEXTS / f"{name}.txt", "\n".join(parts))
