"""Which memory values may be, and what follows for functions that stay functions."""

import numpy as np

import yota_ast as ya
from tests.tapes import variables
from yota_ast.analysis.points_to import PointsTo
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply, Block, Carry, For

X, V, NEXT, OUT = variables("x v next out")


def test_what_a_loop_saves_may_be_views_of_an_argument():
    """`v` goes over the rest of `x`, and each is saved."""
    stack = Var("stack")
    rest = Apply(NEXT, np.ndarray.swapaxes, (V, Const(0), Const(0)))
    loop = For(
        (Var("i"),), Const(range(3)), Block((rest,)), (Carry(OUT, X, V, NEXT),),
        stack=stack, saved=(V,),
    )  # fmt: skip
    points = PointsTo(Block((loop,)))
    assert points.memory(stack) == {"stack", "x"}
    assert points.memory(OUT) == {"x"}


def ending(x, n):
    """It calls itself, and saves what is left of `x` in each iteration."""
    if n > 1:
        return ending(x, n - 1)
    v = x
    s = 0.0
    while len(v) > 0:
        s = s + np.sum(np.sin(v)) * v[0]
        v = v[1:]
    return s


def written_after(x, n):
    """What `ending` has saved views of is written when it has returned."""
    y = x * 1.0
    t = ending(y, n)
    y[:] = 5.0
    return t + np.sum(y)


def test_views_that_a_call_has_saved_are_not_written_before_they_are_read():
    x, e = np.array([0.3, 0.5, 0.7]), 1e-6
    steps = [e * d for d in np.eye(3)]
    slopes = [written_after(x + d, 3) - written_after(x - d, 3) for d in steps]
    found = ya.grad(written_after, wrt="x")(x, 3)
    np.testing.assert_allclose(found, np.array(slopes) / (2 * e), rtol=1e-6)
