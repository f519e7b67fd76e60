import math

import numpy as np
import pytest

from yota_ast import syntax
from yota_ast.errors import Location, UnsupportedSyntax
from yota_ast.frontend.resolve import names_of, resolve, resolve_path

SCALE = 2.0
AT = Location("m.py", 3, 4, 9, "    SCALE * x")


class Config:
    rate = 0.1


def outer(a):
    def inner(x, *rest, k=1):
        y = a * x
        return lambda: (y, SCALE, len(rest), math.pi, k, undefined)

    return inner


def test_kinds():
    inner = outer(3)
    assert [resolve(inner, n).kind for n in ("x", "rest", "k", "y")] == ["local"] * 4
    cell = resolve(inner, "a")
    assert (cell.kind, cell.value, cell.module_name) == ("cell", 3, __name__)
    scale = resolve(inner, "SCALE")
    assert (scale.kind, scale.value, scale.module_name) == ("global", 2.0, __name__)
    length = resolve(inner, "len")
    assert (length.kind, length.value) == ("builtin", len)
    assert length.module_name == "builtins"


def test_cells_are_live():
    def outer():
        a = 1

        def inner():
            return a

        def change():
            nonlocal a
            a = 2

        return inner, change

    inner, change = outer()
    assert resolve(inner, "a").value == 1
    change()
    assert resolve(inner, "a").value == 2


def test_a_function_has_the_globals_of_its_own_module():
    program = {"SCALE": 7, "__name__": "other"}
    exec("def f(): return SCALE", program)
    assert resolve(program["f"], "SCALE").value == 7
    assert resolve(program["f"], "SCALE").module_name == "other"


def test_a_global_hides_a_builtin():
    program = {"abs": 7}
    exec("def f(): return abs", program)
    assert resolve(program["f"], "abs").kind == "global"


def test_own_builtins():
    program = {"__builtins__": {"abs": 8}}
    exec("def f(): return abs", program)
    assert resolve(program["f"], "abs").value == 8


def test_undefined():
    with pytest.raises(UnsupportedSyntax) as caught:
        resolve(outer(1), "undefined", AT)
    assert str(caught.value) == (
        "m.py:3:5: UnsupportedSyntax: `undefined` is not defined in "
        f"`outer.<locals>.inner`, in module `{__name__}` or among the builtins\n"
        "    SCALE * x\n"
        "    ^^^^^\n"
        "Define or import it before the gradient is taken."
    )


def test_empty_cell():
    def outer():
        def inner():
            return later

        if inner is None:
            later = 1
        return inner

    with pytest.raises(UnsupportedSyntax, match="has no value yet"):
        resolve(outer(), "later")


def test_paths():
    def reached(text):
        names = names_of(syntax.parse_expr(text))
        binding, value, left = resolve_path(outer(1), names)
        return binding.kind, value, left

    assert reached("math.pi") == ("global", math.pi, ())
    assert reached("np.linalg.norm") == ("global", np.linalg.norm, ())
    assert reached("Config.rate") == ("global", 0.1, ())
    assert reached("SCALE.real") == ("global", 2.0, ("real",))
    assert reached("x.T.shape") == ("local", None, ("T", "shape"))
    assert names_of(syntax.parse_expr("f(x).T")) is None


def test_missing_attribute():
    with pytest.raises(UnsupportedSyntax) as caught:
        resolve_path(outer(1), ("np", "nrom"), AT)
    assert caught.value.reason == "module `numpy` has no attribute `nrom`"
    with pytest.raises(UnsupportedSyntax, match="class `Config` has no attribute"):
        resolve_path(outer(1), ("Config", "rates"))
