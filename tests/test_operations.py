"""The table of operations through the whole pipeline: `ya.grad` against the rules."""

import ast
import builtins
import contextlib
import warnings

import numpy as np
import pytest

import yota_ast as ya

from .operations import OPERATIONS
from .rules.check import _to_arguments, adjoints, call_of, leaves, mapped, random_like

OPEN_INDEX = "x[i]"  # of a list: which item it is, is not known before the call


def is_complex(value):
    return any(np.iscomplexobj(leaf) for leaf in leaves(value))


def cases():
    for one in OPERATIONS:
        values = one.sample(3)
        if one.text.startswith("rt.") or "empty" in one.text:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = call_of(one, values).run()
        wanted = [k for k, v in values.items() if leaves(v)]
        if not leaves(y) or not wanted or is_complex([y, *values.values()]):
            continue
        if one.text == OPEN_INDEX and isinstance(values["x"], list):
            continue
        yield pytest.param(one, values, y, wanted, id=str(one))


CASES = list(cases())


@pytest.mark.parametrize(("one", "values", "y", "wanted"), CASES)
def test_gradients(one, values, y, wanted):
    seed = random_like(y, np.random.default_rng(1))
    call = call_of(one, values)
    expected = _to_arguments(call, values, adjoints(call, y, seed))
    _, g = ya.grad(one.fn, *values.values(), seed=seed, wrt=wanted)
    assert undefined(g.source) == []
    rough = 1e-6 if "float32" in one.text else 1e-9
    for k in wanted:
        right = expected.get(k)
        if right is None:
            right = mapped(values[k], np.zeros_like)
        elif isinstance(values[k], list | tuple):
            right = [np.asarray(r) if r is not None else 0.0 for r in right]
        assert not hasattr(values[k], "dtype") or hasattr(g[k], "dtype")
        pairs = zip(leaves(g[k]), leaves(right), strict=True)
        for got, wish in pairs:
            np.testing.assert_allclose(got, wish, rtol=rough, atol=1e-11)


def undefined(text):
    """The names that a module reads and does not bind."""
    tree = ast.parse(text)
    bound = set(dir(builtins))
    read = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.arg(arg=name):
                bound.add(name)
            case ast.alias():
                bound.add(node.asname or node.name)
            case ast.Name():
                (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
    return sorted(read - bound)


@pytest.mark.part(4)
@pytest.mark.parametrize(("one", "values", "y", "wanted"), CASES)
def test_a_text_without_an_example_imports_what_it_reads(one, values, y, wanted):
    """`cmath.exp` was printed `exp`, and nothing imported it."""
    with contextlib.suppress(ya.YotaError):  # refused where less is known
        assert undefined(ya.simplegrad(one.fn, wrt=wanted).source) == []


def test_undefined_names_are_found():
    assert undefined("def f(x):\n    return exp(x) + np.sin(x)\n") == ["exp", "np"]
