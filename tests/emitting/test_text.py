"""What stands in a file: header, licence, docstrings, imports, names."""

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import yota_ast as ya

from .conftest import LIKE

ROOT = Path(__file__).resolve().parents[2]
LOSS = ("shop.model:loss", "--wrt", "w,b", "--like", LIKE, "-o", "shop/loss_grad.py")


def python(shop, code, *options):
    """What a program prints where yota_ast is not to be had."""
    block = "import sys; sys.modules['yota_ast'] = None; sys.path.insert(0, '.')\n"
    done = subprocess.run(
        [sys.executable, "-I", "-B", *options, "-c", block + code], cwd=shop.root,
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_whole_file(shop, golden):
    shop.emit(*LOSS)
    golden(Path(__file__).with_name("golden") / "loss_grad.txt", shop.read(LOSS[-1]))


def test_it_is_the_text_of_show_grad(shop):
    (shop.root / "pyproject.toml").unlink()
    shop.emit(*LOSS)
    assert shop.run("show-grad", *LOSS[:5]) == 0
    assert shop.out in shop.read(LOSS[-1])
    shop.forget()
    from shop.model import loss  # no facts: annotations

    source = ya.differentiable(loss).grad_source
    shop.emit("shop.model:loss", "-o", "shop/general.py")
    assert source in shop.read("shop/general.py")


def test_it_runs_without_yota_ast_and_reads_scalars_live(shop):
    shop.emit(*LOSS)
    code = """
import numpy as np
from shop import model
from shop.loss_grad import loss_grad
args = np.arange(12.0).reshape(3, 4) / 10, np.ones(3), np.ones(4)
for model.RATE in (2.0, 3.0):
    value, dw, db = loss_grad(*args)
    step = np.zeros(3); step[1] = 1e-6
    ends = [model.loss(args[0], args[1] + s * step, args[2]) for s in (1, -1)]
    print(value == model.loss(*args), abs((ends[0] - ends[1]) / 2e-6 - db[1]) < 1e-6)
"""
    assert python(shop, code) == "True True\n" * 2


@pytest.mark.parametrize("first", ["shop.model", "shop.loss_grad"])
def test_a_model_may_import_its_own_gradient(shop, first):
    shop.emit(*LOSS)
    shop.edit(
        "shop/model.py", "RATE =", "from shop.loss_grad import loss_grad\n\nRATE ="
    )
    code = f"import {first}, shop.model as m, shop.loss_grad as g\n"
    code += "print(m.loss_grad is g.loss_grad, g.model is m)"
    assert python(shop, code) == "True True\n"
    assert shop.run("emit", "--check", *LOSS) == 0


def test_names_that_clash_with_modules(shop):
    text = shop.read("shop/model.py")
    text += "\n\ndef clash(model, layers):\n    layers_2 = model * RATE\n"
    shop.write("shop/model.py", text + "    return layers_2 * layers * layers_2\n")
    shop.emit("shop.model:clash")
    made = shop.read("shop/clash_grad.py")
    assert "    from shop import model as model_2\n" in made
    code = "from shop.clash_grad import clash_grad\nprint(clash_grad(3.0, 0.5))"
    assert python(shop, code) == "(18.0, 12.0, 36.0)\n"


def test_several_functions_in_a_file(shop):
    shop.emit("shop.model:energy", "shop.model:loss", "-o", "shop/grads.py")
    text = shop.read("shop/grads.py")
    tree = ast.parse(text)
    names = [n.name for n in tree.body if isinstance(n, ast.FunctionDef)]
    assert names[:2] == ["energy_grad", "loss_grad"]
    assert all(name.startswith("_") for name in names[2:])
    assert len(set(names)) == len(names)
    assert '__all__ = ["energy_grad", "loss_grad"]\n' in text
    assert '"""Gradients of shop.model:energy, shop.model:loss."""\n' in text
    assert shop.run("emit", "--check", "shop.model:energy", "shop.model:loss",
                    "-o", "shop/grads.py") == 0  # fmt: skip
    code = "from shop.grads import *\nprint(energy_grad(3.0, 0.5))"
    assert python(shop, code) == "(4.5, 3.0, 9.0)\n"


def test_two_functions_of_one_name(shop):
    shop.write("shop/more.py", "def energy(x):\n    return x\n")
    names = ("shop.model:energy", "shop.more:energy", "-o", "shop/grads.py")
    assert shop.run("emit", *names) == 2
    assert shop.err == (
        "yota-ast: two different functions would be called energy_grad\n"
        "Write them to two files.\n"
    )


def test_a_licence_of_the_command_line(shop):
    shop.emit("shop.model:energy", "--license-header", "Copyright Shop\nAll yours")
    lines = shop.read("shop/energy_grad.py").splitlines()
    assert lines[1].endswith("--license-header 'Copyright Shop \\") or lines[1:3]
    assert "# Copyright Shop" in lines
    assert "# All yours" in lines
    assert "# SPDX-License-Identifier: MIT" not in lines


def test_another_width(shop):
    for width in (60, 100):
        shop.emit(*LOSS, "--line-length", str(width), "--force")
        text = shop.read(LOSS[-1])
        below = text.partition('"""')[2].partition("# Made of")[0]
        assert max(map(len, below.splitlines())) <= width
        ruff = pytest.importorskip("ruff.__main__").find_ruff_bin()
        command = [ruff, "format", "--isolated", "--line-length", str(width), "--diff"]
        done = subprocess.run([*command, "shop/loss_grad.py"], check=False,
                              capture_output=True, text=True)  # fmt: skip
        assert done.returncode == 0, done.stdout


TYPED = '''\
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import scales

Vector = npt.NDArray[np.float64]
RATE = 2.0


class Pair(NamedTuple):
    a: float
    b: float


def typed(x: Vector, *, k: float = 0.5, n: int = 2, names: Sequence[str] = ()) -> float:
    """Typed."""
    total = 0.0
    for _ in range(n):
        total = total + k * float(np.sum(x**2)) * RATE
    return scales.scaled(total)


def vector(x: "Vector", p: Pair) -> Vector:
    return x * p.a
'''
SCALES = '''\
"""Scales."""

FACTOR = 2.0


def scaled(x: float) -> float:
    return FACTOR * x
'''
PARTLY = """\
from __future__ import annotations

import numpy as np


def part(x, k: float):
    return np.sum(x) * k


def arrays(x: np.ndarray, k: np.ndarray):
    return np.sum(x * k)


def named(x, rate: "Rate" | None = None):
    return np.sum(x) if rate is None else np.sum(x) * rate.k


def sized(x: "float[3, 3]", k: float(2)):
    return np.sum(x) * k


class Rate:
    def __init__(self, k):
        self.k = k

    def of(self, x: float) -> float:
        return self.k * x
"""


@pytest.fixture
def typed(shop):
    shop.write("shop/py.typed", "")
    shop.write("shop/typed.py", TYPED)
    shop.write("shop/scales.py", SCALES)
    shop.write("shop/partly.py", PARTLY)
    return shop


@pytest.mark.parametrize(
    ("name", "head", "imports"),
    [
        (
            "typed:typed",
            (
                "def typed_grad(\n    x: Vector,\n    *,\n    k: float = 0.5,\n"
                "    n: int = 2,\n    names: Sequence[str] = (),\n"
                "    seed: float = 1.0,\n) -> tuple[float, Vector, float]:"
            ),
            ["from collections.abc import Sequence", "from shop.typed import Vector"],
        ),
        (
            "typed:vector",
            (
                "def vector_grad(\n    x: Vector, p: Pair, seed: Vector | float = 1.0\n"
                ") -> tuple[Vector, Vector, Pair]:"
            ),
            ["from shop.typed import Pair, Vector"],
        ),
        (
            "partly:part",
            "\n\nimport numpy as np\n\n\ndef part_grad(x, k: float, seed=1.0):\n",
            [],
        ),
        (
            "partly:arrays",
            "def arrays_grad(x: np.ndarray, k: np.ndarray, seed=1.0):\n",
            [],
        ),
        (
            "partly:named",
            'def named_grad(x, rate: "Rate" | None = None, seed=1.0):\n',
            [],
        ),
        (
            "partly:sized",  # neither is ever evaluated
            "def sized_grad(x: float[3, 3], k: float(2), seed=1.0):\n",
            [],
        ),
        (
            "partly:Rate.of",
            (
                "def Rate_of_grad(self, x: float, seed: float = 1.0) "
                "-> tuple[float, Any, float]:"
            ),
            [],
        ),
    ],
)
def test_annotations(typed, name, head, imports):
    typed.emit(f"shop.{name}", "-o", "shop/out.py")
    text = typed.read("shop/out.py")
    assert head in text
    block = text.partition("if TYPE_CHECKING:\n")[2].partition("\n\n\n")[0]
    lines = [line.strip() for line in block.splitlines() if line.strip()]
    assert [line for line in lines if line != "from typing import Any"] == [
        line for line in imports if line != "from typing import Any"
    ]
    typed.forget()
    importlib.import_module("shop.out")


@pytest.mark.parametrize("name", ["typed.py", "typed_grad.py"])
def test_types_check_where_the_source_does(typed, name):
    """In a process of its own: mypy sets another limit of recursion."""
    pytest.importorskip("mypy.api")
    typed.emit("shop.typed:typed", "shop.typed:vector", "-o", "shop/typed_grad.py")
    checked = ["--strict", "--cache-dir", os.devnull, f"shop/{name}"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *checked],
        cwd=typed.root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "Success" in done.stdout, done.stdout + done.stderr


VERSIONS = [
    path
    for path in sorted((Path.home() / ".pyenv" / "versions").glob("3.*/bin/python"))
    if tuple(map(int, path.parts[-3].split(".")[:2])) >= (3, 12)
]


@pytest.mark.parametrize("seed", ["0", "1", "12345"])
def test_the_same_bytes_under_every_hash_seed(shop, seed):
    expected = shop.emit("--stdout")
    done = subprocess.run(
        [sys.executable, "-m", "yota_ast", "emit", "--stdout"], check=True,
        capture_output=True, text=True, cwd=shop.root,
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.stdout == expected


@pytest.mark.parametrize("python", VERSIONS, ids=lambda p: p.parts[-3])
def test_the_same_bytes_under_every_python(shop, python):
    """Where that Python has what the compiler needs."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    needed = [python, "-c", "import numpy, gast, astor"]
    if subprocess.run(needed, capture_output=True, check=False).returncode:
        pytest.skip(f"{python} has no NumPy, gast and astor")
    done = subprocess.run(
        [python, "-W", "ignore", "-m", "yota_ast", "emit", "--stdout"], check=True,
        capture_output=True, text=True, cwd=shop.root, env=environment,
    )  # fmt: skip
    assert done.stdout == shop.emit("--stdout")


def test_the_same_bytes_from_every_directory(shop, monkeypatch):
    shop.emit()
    first = shop.read("shop/loss_grad.py"), shop.read("shop/energy_grad.py")
    (shop.root / "shop" / "inner").mkdir()
    monkeypatch.chdir(shop.root / "shop" / "inner")
    assert shop.run("emit", "--check") == 0
    shop.emit("--force")
    shop.emit("../model.py:energy", "-o", "../by_path.py")
    assert first == (shop.read("shop/loss_grad.py"), shop.read("shop/energy_grad.py"))
    assert "from shop/model.py:energy. DO NOT" in shop.read("shop/by_path.py")
    assert str(shop.root) not in shop.read("shop/by_path.py")


CLOSED = """\
import numpy as np

W = np.arange(3.0)


def make(rate, table, weights, shift):
    def closed(x, power=2):
        return np.sum(rate * x**power * weights + table[1] + shift)

    return closed


closed = make(-2.5, (1.0, float("inf")), np.array([1.0, 2.0, 3.0]), W)
large = make(1.0, (1.0, 2.0), np.ones(1000), W)
"""


UNITS = """
import enum


class Unit(str, enum.Enum):
    KM = "km"
    M = "m"


FACTORS = {Unit.KM: 1.0, Unit.M: 1000.0}


def factor(unit=Unit.KM):
    return FACTORS[unit]


def length(x: float):
    return x * factor(Unit.M)
"""


def test_members_of_enumerations_are_named(shop):
    shop.write("shop/units.py", UNITS)
    shop.emit("shop.units:length")
    text = shop.read("shop/length_grad.py")
    assert "    val = x * units.FACTORS[units.Unit.M]\n" in text
    assert "Unit" not in text.partition("# forward")[0]  # a member is what it was


def test_cells_are_literals_or_read_live(shop):
    shop.write("shop/closed.py", CLOSED)
    shop.emit("shop.closed:closed", "--like", "x=float[3]")
    text = shop.read("shop/closed_grad.py")
    assert "_weights = np.array([1.0, 2.0, 3.0])\n" in text
    assert "-2.5" in text
    assert shop.run("emit", "shop.closed:large", "--like", "x=float[3]") == 2
    assert "`weights`, which the gradient reads, is neither a short literal" in shop.err
    assert not (shop.root / "shop/large_grad.py").exists()


def test_save_writes_the_file_of_emit(shop):
    shop.emit(*LOSS)
    from shop.model import loss

    args = np.ones((3, 4)), np.ones(3), np.ones(4)
    before = shop.read(LOSS[-1])
    path = ya.simplegrad(loss, *args, wrt=["w", "b"]).save("shop/loss_grad.py")
    assert path == Path("shop/loss_grad.py")
    assert shop.read(LOSS[-1]) == before
    assert shop.run("emit", "--check", *LOSS) == 0


def test_no_line_is_too_long(shop):
    shop.emit(*LOSS)
    text = shop.read(LOSS[-1])
    assert all(len(line) <= 88 for line in text.splitlines())


TELLS = """

log = logging.getLogger(__name__)


def tell(x):
    log.warning("it is %s", x)
"""

ODD = """\
import enum
import logging

import numpy as np
from scipy.optimize import brentq

from . import layers as L

log = logging.getLogger(__name__)
rng = np.random.default_rng(0)


class Kind(enum.Enum):
    A = 2.0


class Bad(ValueError):
    pass


def solved(a, p):
    return brentq(lambda x: x**3 - a * x - p, 0.0, 5.0) ** 2


def raising(x):
    if x < 0:
        raise Bad(f"negative: {x}")
    return x * Kind.A.value * L.EPS


def logged(x):
    L.tell(x)
    log.info("x is %s", x)
    logging.debug("y")
    return np.sum(x * rng.normal(size=3))


def defaults(x, shape=(3,), w=np.float64(2.5), most=float("inf")):
    return np.sum(np.ones(shape) * min(x, most) * w)
"""


@pytest.mark.parametrize(
    ("name", "call", "imports"),
    [
        ("solved", "(2.0, 1.0)[1:]", []),
        ("raising", "(-1.0)", ["    from shop import layers as L", "odd"]),
        (
            "logged",
            "(np.ones(3))[1].shape",
            ["import logging", "    from shop import layers, odd"],
        ),
        ("defaults", "(2.0)[1:]", ["w=np.float64(2.5), most=np.inf"]),
    ],
)
def test_odd_things_that_functions_read(shop, name, call, imports):
    pytest.importorskip("scipy")
    shop.write("shop/odd.py", ODD)
    shop.write(
        "shop/layers.py", f"import logging\n{shop.read('shop/layers.py')}{TELLS}"
    )
    shop.emit(f"shop.odd:{name}")
    text = shop.read(f"shop/{name}_grad.py")
    assert all(line in text for line in imports), text
    code = f"import numpy as np\nfrom shop.{name}_grad import {name}_grad\n"
    code += f"try:\n    print(tuple(map(float, {name}_grad{call})))\n"
    code += "except Exception as error:\n    print(type(error), error)"
    printed = {
        "solved": "(0.8944271909999159, 0.5527864045000421)",
        "raising": "<class 'shop.odd.Bad'> negative: -1.0",
        "logged": "(3.0,)",
        "defaults": "(7.5, 6.0, 0.0)",
    }
    assert python(shop, code) == f"{printed[name]}\n"


@pytest.mark.parametrize("power", [0, 1, 2, 3])
def test_an_exponent_is_read_live_whatever_it_was(shop, power):
    code = "import numpy as np\n\nPOWER = {}\n\n\ndef raised(x: float):\n"
    shop.write("shop/raised.py", code.format(power) + "    return 5.0 * x**POWER\n")
    shop.emit("shop.raised:raised")
    run = "from shop import raised\nfrom shop.raised_grad import raised_grad\n"
    run += "for raised.POWER in (0, 1, 2, 3):\n    print(raised_grad(2.0)[1])"
    assert python(shop, run) == "0.0\n5.0\n20.0\n60.0\n"


def test_a_dtype_that_no_module_holds_is_written_down(shop):
    code = "import numpy as np\n\n\n"
    code += "def cast(x, kind=np.dtype('f8'), other=np.dtype('>f4')):\n"
    code += "    size = np.zeros(1, dtype=other).itemsize\n"
    code += "    return np.sum(x.astype(kind) ** 2) * size\n"
    shop.write("shop/cast.py", code)
    shop.emit("shop.cast:cast", "--wrt", "x", "--like", "x=float[3]")
    text = shop.read("shop/cast_grad.py")
    assert 'np.dtype("float64")' in text
    run = "import numpy as np\nfrom shop.cast_grad import cast_grad\n"
    assert python(shop, run + "print(cast_grad(np.ones(3))[1])") == "[8. 8. 8.]\n"


def test_two_modules_of_one_last_name(shop):
    """`scipy.linalg` and `scipy.sparse.linalg`; factors are asked by their method."""
    pytest.importorskip("scipy")
    text = """
import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import splu, spsolve


def solved(u, B):
    A = (sparse.identity(3) * 2.0).tocsc()
    return np.sum(splu(A).solve(u)) + np.sum(linalg.solve(B, spsolve(A, u)))
"""
    shop.write("shop/solved.py", text)
    like = "u=float[3],B=float[3,3]"
    shop.emit("shop.solved:solved", "--wrt", "u", "--like", like)
    made = shop.read("shop/solved_grad.py")
    assert "\nfrom scipy import linalg, sparse\n" in made
    for called in "sparse.linalg.splu(A)", " linalg.solve(B,", ', "T")':
        assert called in made
    run = "import numpy as np\nfrom shop.solved_grad import solved_grad\n"
    run += "print(solved_grad(np.ones(3), 4 * np.eye(3))[1])"
    assert python(shop, run) == "[0.625 0.625 0.625]\n"
