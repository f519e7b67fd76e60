"""Files of gradients of gradients: they read the user's modules alone."""

import importlib
import pickle
import re
import sys

import numpy as np
import pytest

import yota_ast as ya
from tests.adjoint.checking import same_bits
from yota_ast.support.kept_functions import origin_of

from .test_everything import alone

TABLES = '''\
"""What the gradients read; nothing of the compiler's."""

import enum
import math
from dataclasses import dataclass

import numpy as linear_algebra
import numpy as xp
from scipy import special as sp

C = xp.array([1.0, -2.0, 3.0])
K = 0.3
N = 2
WEIGHTS = [0.5, 2.0, -1.5]
DEEP = {"a b": xp.array([0.5, 1.5, 2.5]), "rate": 0.25, "of": {"x-y": (1.5, C)}}
KIND = "square"


class Unit(enum.Enum):
    METER = 1.5
    FOOT = 0.5


SCALES = {Unit.METER: xp.array([2.0, 1.0, 3.0]), Unit.FOOT: xp.array([1.0, 4.0, 2.0])}


@dataclass(frozen=True)
class Config:
    rate: float
    table: object

    def at(self, x):
        return self.rate * xp.sum(self.table * x**3)


CONFIG = Config(0.7, xp.array([2.0, 3.0, 4.0]))
setattr(CONFIG.__class__, "odd name", xp.array([0.1, 0.2, 0.3]))


def bend(x):
    """A helper of this module, with constants of its own."""
    return K * xp.sin(x * C)


def kinks(x):
    return xp.sum(xp.abs(x * C) * K * x)


def arrays(x):
    return xp.sum(C * x**3) * K


def scalars(x):
    return K * x[0] ** 3 * x[N] + math.pi * x[1] ** 2


def lists(x):
    return sum(w * v**3 for w, v in zip(WEIGHTS, x)) + WEIGHTS[1] * x[0] ** 2


def dicts(x):
    return xp.sum(DEEP["a b"] * x**3) * DEEP["rate"] + DEEP["of"]["x-y"][0] * x[0] ** 3


def deep(x):
    return xp.sum(DEEP["of"]["x-y"][1] * x**4)


def objects(x):
    return CONFIG.at(x) + xp.sum(CONFIG.table * x**2)


def awkward(x):
    return xp.sum(getattr(CONFIG, "odd name") * x**3)


def enums(x):
    total = 0.0
    for unit in Unit:
        total = total + unit.value * xp.sum(SCALES[unit] * x**3)
    return total


def helpers(x):
    return xp.sum(bend(x) ** 2)


def modules(x):
    return xp.sum(sp.erf(x) * linear_algebra.linalg.norm(C)) + xp.sum(sp.expit(x) * C)


def kinds(x):
    return xp.sum(C * x**3) if KIND == "square" else xp.sum(x)
'''
OTHER = """\
import numpy as np

C = np.array([3.0, 1.0, 0.5])
K = 0.9


def clash(x):
    return np.sum(C * x**3) * K
"""
MODEL = '''\
"""The gradients within."""

import numpy as np
import yota_ast as ya

from wards import other, tables


def first(x):
    return tables.arrays(x) * other.clash(x)


def jvp_of(f):
    return lambda x: ya.jvp(f)(x, tables.C)[1] ** 2


def grad_of(f):
    return lambda x: np.sum(ya.grad(f, x)[1][0] ** 2)


def vjp_of(f):
    return lambda x: np.sum(ya.vjp(f)(x)[1](1.5) ** 2)


def hvp_of(f):
    return lambda x: np.sum(ya.hvp(f)(x, tables.C) ** 2)


def jacobian_of(f):
    return lambda x: np.sum(ya.jacobian(f)(x) ** 2)


def both_of(f):
    def both(x):
        value, slope = ya.value_and_grad(f)(x)
        return value * np.sum(slope)
    return both


def twice_of(f):
    def once(x):
        return np.sum(ya.value_and_grad(f)(x)[1] ** 2)
    return lambda x: ya.jvp(once)(x, other.C)[1]
'''
INNER = (
    "kinks", "arrays", "scalars", "lists", "dicts", "deep", "objects", "awkward",
    "enums", "helpers", "modules", "kinds",
)  # fmt: skip
OUTER = ("jvp", "grad", "vjp", "hvp", "jacobian", "both", "twice")
PAIRS = [("jvp", name) for name in (*INNER, "first")]
PAIRS += [("grad", name) for name in ("dicts", "enums", "awkward")]
PAIRS += [(name, "first") for name in OUTER[1:]]
X = np.array([0.7, -1.2, 0.4])


@pytest.fixture(scope="module")
def wards(tmp_path_factory):
    """The modules, as they are imported; where they are."""
    root = tmp_path_factory.mktemp("wards")
    (root / "wards").mkdir()
    for name, text in (("tables", TABLES), ("other", OTHER), ("model", MODEL)):
        lines = [text]
        if name == "model":
            for outer, inner in PAIRS:
                given = inner if inner == "first" else f"tables.{inner}"
                lines.append(
                    f"def {outer}_{inner}(x):\n    return {outer}_of({given})(x)\n"
                )
        (root / f"wards/{name}.py").write_text("\n\n".join(lines))
    sys.path.insert(0, str(root))
    yield root, importlib.import_module("wards.model")
    sys.path.remove(str(root))
    for name in [n for n in sys.modules if n.partition(".")[0] == "wards"]:
        del sys.modules[name]


def test_files_of_nested_gradients_import_the_users_modules_alone(wards):
    root, model = wards
    jobs, wanted = [], []
    for outer, inner in PAIRS:
        name = f"{outer}_{inner}"
        fn = getattr(model, name)
        made = ya.simplegrad(fn, X)
        path = made.save(root / f"{name}_grad.py")
        text = path.read_text()
        imported = re.findall(r"^ *(?:import|from) (\S+)", text, re.MULTILINE)
        tops = {m.partition(".")[0] for m in imported}
        assert tops <= {"numpy", "scipy", "math", "wards"}, (name, imported)
        assert "yota_ast.generated" not in text
        assert not re.search(r"_[0-9a-f]{12}\b", text), name
        wanted.append((name, made(X), fn(X)))
        jobs.append((str(path), f"{name}_grad", pickle.dumps(((X,), {})), {}))
    for (name, given, value), (status, got) in zip(wanted, alone(root, jobs)):
        assert status == "done", (name, got)
        assert all(map(same_bits, got, given)), name
        assert got[0] == pytest.approx(value, rel=1e-12), name


def test_what_runs_here_names_the_users_modules_too(wards):
    _, model = wards
    source = ya.simplegrad(model.jvp_first, X).source
    assert "# Names of wards.tables: C, K." in source
    assert "generated" not in source


def test_a_constant_is_read_live_within_two_gradients(wards):
    _, model = wards
    tables = sys.modules["wards.tables"]
    made = ya.simplegrad(model.twice_of(tables.arrays), X)
    before = tables.C
    try:
        tables.C = 2 * before
        again = ya.simplegrad(model.twice_of(tables.arrays), X)
        assert all(map(same_bits, made(X), again(X)))
        tables.C = before[:2]
        with pytest.raises(ValueError, match="C has changed since"):
            made(X)
    finally:
        tables.C = before


def test_what_no_module_holds_is_written_down_or_refused(wards, tmp_path):
    _, model = wards

    def around(c):
        def inside(x):
            return np.sum(c * x**3)

        return model.grad_of(inside)

    short, long = np.array([0.5, 1.5, 2.5]), np.full(200, 0.5)
    text = ya.simplegrad(around(short), X).save(tmp_path / "short.py").read_text()
    assert "_c = np.array([0.5, 1.5, 2.5])" in text
    made = ya.simplegrad(around(long), long)
    with pytest.raises(ya.SourceUnavailable, match="`c`"):
        made.save(tmp_path / "long.py")


def test_where_the_names_of_generated_code_come_from(wards):
    _, model = wards
    made = ya.simplegrad(model.first, X)
    scope = made.fn.__globals__
    assert origin_of(scope, "C") == ("wards.tables", "C")
    assert origin_of(scope, "C_2") == ("wards.other", "C")
    assert origin_of(scope, "first_grad") == (scope["__name__"], "first_grad")
    loaded = pickle.loads(pickle.dumps(made))
    assert origin_of(loaded.fn.__globals__, "C") == ("", "C")


def test_a_users_module_may_have_the_name_in_which_origins_are_noted():
    scope = {"__name__": "wards.own", "__origins__": {"C": 3}, "C": 2.0}
    assert origin_of(scope, "C") == ("wards.own", "C")
