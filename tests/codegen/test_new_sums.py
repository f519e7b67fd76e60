"""Sums of a sweep that get another name than what they are added to."""

import operator

import pytest

from yota_ast.codegen.plan.named_plan import with_new_sums
from yota_ast.ir.abstract_values import Fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.nodes import Apply, Block, Origin

Z, P = (Var(name, Fact("real"), name) for name in "zp")


@pytest.mark.parametrize(
    ("reverse", "form"), [(True, "operator"), (False, "augmented")]
)
def test_what_the_function_writes_stays_a_write(reverse, form):
    """Fast code computes what nobody reads before it in the sweep: `p *= 0.5` too."""
    op = Apply(
        P,
        operator.mul,
        (Z, Const(0.5)),
        form="augmented",
        origin=Origin(reverse=reverse),
    )
    (done,) = with_new_sums(Block((op,))).ops
    assert done.form == ("operator" if reverse else "augmented")
