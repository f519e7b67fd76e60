"""Ops by form -> the text of one expression."""

import math
import operator as op
import subprocess
import sys

import numpy as np
import pytest

from yota_ast.codegen.printers.expression_source import Expressions
from yota_ast.codegen.printers.global_names import Globals
from yota_ast.codegen.printers.statement_lines import statement
from yota_ast.ir.abstract_values import FLOAT, array_fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.built_values import (
    build_dict,
    build_list,
    build_slice,
    build_string,
    build_tuple,
)
from yota_ast.ir.nodes import Apply, Block, If, Merge, Origin


class Nested:
    """Builds ops that nest: `n(fn, a, b)` is a variable printed as its op."""

    def __init__(self, taken=(), scope=None):
        self.ops = {}
        self.world = Globals(taken, scope or {})

    def __call__(self, fn, *args, form="call", spelling="", fact=FLOAT, **kwargs):
        out = Var(f"n{len(self.ops)}", fact)
        atoms = tuple(a if isinstance(a, (Var, Const)) else Const(a) for a in args)
        pairs = tuple((k, Const(v)) for k, v in kwargs.items())
        origin = Origin(None, 1, "", reverse=True)
        self.ops[out.name] = Apply(out, fn, atoms, pairs, form, spelling, origin)
        return out

    def choice(self, form, test, then, orelse):
        out = Var(f"n{len(self.ops)}")
        merge = Merge(out, then, orelse)
        self.ops[out.name] = If(test, Block(), Block(), (merge,), form)
        return out

    def text(self, atom):
        write = Expressions(self.ops, None, self.world)
        write.names = _Named()
        (line,) = statement(f"_ = {write.text(atom)}", 0)
        return line.removeprefix("_ = ")


class _Named:
    by_key = {}

    def of(self, var):
        return var.name


@pytest.fixture
def n():
    return Nested()


X, Y, Z = Var("x", array_fact("f8", None)), Var("y"), Var("z")


def test_parentheses_follow_precedence(n):
    assert n.text(n(op.mul, n(op.add, X, Y), Z)) == "(x + y) * z"
    assert n.text(n(op.add, X, n(op.add, Y, Z))) == "x + (y + z)"
    assert n.text(n(op.sub, n(op.sub, X, Y), Z)) == "x - y - z"
    assert n.text(n(op.pow, n(op.neg, X), 2)) == "(-x) ** 2"
    assert n.text(n(op.neg, n(op.pow, X, 2))) == "-(x**2)"
    assert n.text(n(op.pow, X, n(op.pow, Y, Z))) == "x**y**z"
    assert n.text(n(op.pow, n(op.pow, X, Y), Z)) == "(x**y) ** z"
    assert n.text(n(op.mul, -0.5, n(op.pow, X, -1.9))) == "-0.5 * x**-1.9"
    assert n.text(n(op.pow, -2.0, X)) == "(-2.0) ** x"
    assert n.text(n(op.eq, n(op.lt, X, Y), Z)) == "(x < y) == z"


def test_negation(n):
    assert n.text(n(op.not_, n(op.contains, X, Y))) == "y not in x"
    assert n.text(n(op.not_, n(op.is_, X, None))) == "x is not None"
    assert n.text(n(op.not_, n(op.lt, X, 0))) == "not x < 0"
    assert n.text(n(op.not_, n(op.not_, X))) == "not not x"


def test_scalars_first(n):
    seed = Var("seed", FLOAT)
    factor = n(op.mul, 2, seed)
    assert n.text(n(op.mul, factor, X)) == "(2 * seed) * x"
    assert n.text(n(op.mul, factor, seed)) == "2 * seed * seed"


def test_indices(n):
    one = n(build_slice, n(op.add, Y, 1), None, None)
    assert n.text(n(op.getitem, X, one, form="subscript")) == "x[y + 1 :]"
    pair = n(build_tuple, n(build_slice, Y, Z, None), 0)
    assert n.text(n(op.getitem, X, pair, form="subscript")) == "x[y:z, 0]"
    everything = (slice(None), None, ...)
    assert (
        n.text(n(op.getitem, X, everything, form="subscript"))
        == "x[:, np.newaxis, ...]"
    )
    assert n.text(n(op.getitem, X, (0,), form="subscript")) == "x[(0,)]"
    assert n.text(n(op.getitem, X, slice(None, None, -1))) == "x[::-1]"
    assert n.text(n(op.getitem, X, ())) == "x[()]"
    assert n.text(n(op.getitem, X, (slice(None),))) == "x[:,]"
    made = n(build_tuple, n(build_slice, Y, None, None))
    assert n.text(n(op.getitem, X, made)) == "x[y:,]"
    assert n.text(n(slice, 1, 2)) == "slice(1, 2)"
    assert n.text(n(build_slice, 1, Y, None)) == "slice(1, y, None)"


def test_spellings(n):
    assert n.text(n(np.sum, X, 0, form="method", spelling="sum")) == "x.sum(0)"
    assert n.text(n(np.transpose, X, form="attribute", spelling="T")) == "x.T"
    assert (
        n.text(n(np.sum, X, axis=0, keepdims=True))
        == "np.sum(x, axis=0, keepdims=True)"
    )
    assert n.text(n(np.linalg.norm, X)) == "np.linalg.norm(x)"
    assert n.text(n(np.add.at, X, 0, 1)) == "np.add.at(x, 0, 1)"
    assert n.text(n(np.absolute, X)) == "np.abs(x)"
    assert n.text(n(np.absolute, X, spelling="np.absolute")) == "np.absolute(x)"
    assert n.text(n(math.sin, X)) == "math.sin(x)"
    assert n.text(n(len, X)) == "len(x)"
    assert n.text(n(np.ndarray.reshape, 2, -1, form="method")) == "(2).reshape(-1)"
    assert n.world.imports == ("import math", "import numpy as np")


def test_names_of_the_users(n):
    def rate(x):
        return x

    assert n.text(n(rate, X)) == "rate(x)"
    assert n.text(Const(2.5, "SCALE", "model")) == "SCALE"
    assert [(g.name, g.home) for g in n.world.bound.values()] == [
        ("rate", __name__),
        ("SCALE", "model"),
    ]


def test_globals_keep_away_from_parameters_and_each_other():
    def rate(x):
        return x

    n = Nested(taken=("rate", "max"))
    assert n.text(n(rate, X)) == "rate_2(x)"
    assert n.text(n(max, X, 1)) == "max_2(x, 1)"
    assert n.text(Const(1.0, "SCALE")) == "SCALE"
    assert n.text(Const(2.0, "SCALE")) == "SCALE_2"


def test_dotted_names_are_bound_by_their_root():
    n = Nested(scope={"xp": np, "m": math, "config": type("Config", (), {"RATE": 0.5})})
    assert n.text(Const(np.pi, "xp.pi")) == "np.pi"
    assert n.text(Const(math.pi, "m.pi")) == "math.pi"
    assert n.text(Const(0.5, "config.RATE")) == "config.RATE"
    assert n.text(Const(0.5, "other.RATE")) == "other_RATE"
    assert list(n.world.bound) == ["config", "other_RATE"]


def test_constants(n):
    nan = float("nan")
    shown = {
        "-2.5": -2.5, "np.nan": nan, "-np.inf": -math.inf, "2j": 2j, "None": None,
        "complex(1.0, 2.0)": 1 + 2j, '"it\'s"': "it's", "...": ..., "(1,)": (1,),
        "np.float32(1.5)": np.float32(1.5), "np.float32": np.float32, "float": float,
    }  # fmt: skip
    assert [n.text(Const(v)) for v in shown.values()] == list(shown)
    assert n.text(Const(np.ones(3))) == "constant"


def test_choices(n):
    assert n.text(n.choice("ifexp", X, Y, Z)) == "y if x else z"
    assert n.text(n.choice("and", X, n.choice("or", Y, Y, Z), X)) == "x and (y or z)"
    nested = n.choice(
        "ifexp", n.choice("ifexp", X, Y, Z), Y, n.choice("ifexp", X, Y, Z)
    )
    assert n.text(nested) == "y if (y if x else z) else y if x else z"


def test_values_built(n):
    assert n.text(n(build_list, X, 1)) == "[x, 1]"
    assert n.text(n(build_dict, ("W",), X)) == '{("W",): x}'
    assert n.text(n(build_tuple, X)) == "(x,)"
    shown = n(format, X, ".3f")
    assert (
        n.text(n(build_string, "x{", shown, '"', n(format, Y))) == "f'x{{{x:.3f}\"{y}'"
    )
    quoted = n(format, n(op.getitem, X, "a"))
    assert n.text(n(build_string, "x", quoted)) == '"".join(("x", format(x["a"])))'


def test_modules_of_numpy_are_imported_by_who_asks_for_them():
    program = (
        "import sys, yota_ast.api.grad\n"
        "from yota_ast.codegen.printers.global_names import Globals\n"
        "assert 'numpy.testing' not in sys.modules\n"
        "import numpy as np\n"
        "fn = np.testing.assert_allclose\n"
        "print(Globals([], {}).function(fn), Globals([], {}).function(np.emath.sqrt))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.split() == ["np.testing.assert_allclose", "np.emath.sqrt"]
