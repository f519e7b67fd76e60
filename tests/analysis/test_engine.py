"""The engine of analyses: what branches, loops and tries hand on, and fixed points."""

import operator
from itertools import pairwise

import pytest

from tests.tapes import variables
from yota_ast.analysis.engine import (
    Analysis,
    defined_in,
    definitions_in,
    inputs_of,
    made_of,
)
from yota_ast.ir.abstract_values import INT
from yota_ast.ir.atoms import UNDEFINED, Const, Var
from yota_ast.ir.nodes import (
    Apply,
    Block,
    Carry,
    For,
    If,
    Merge,
    Raise,
    Read,
    Store,
    Try,
    While,
    With,
)

X, Y, Z, M, N, ITEM = variables("x y z m n i")
NOWHERE = Block()


class Reached(Analysis[frozenset[str]]):
    """The names of the arguments and literals that a value may be made of."""

    bottom = frozenset()

    def __init__(self, *blocks):
        super().__init__(definitions_in(*blocks).get)
        self.asked = []

    def join(self, facts):
        return frozenset().union(*facts)

    def of_const(self, const):
        return frozenset({str(const.value)})

    def of_outside(self, var):
        self.asked.append(var.name)
        return frozenset({var.name})

    def of_apply(self, op):
        return self.join(map(self.of, op.args))


def reached(*ops, of):
    """The names that a variable is made of, in order."""
    return "".join(sorted(Reached(Block(ops)).of(of)))


def plus(out, one, other):
    """Out = one + other."""
    return Apply(out, operator.add, (one, other))


def loop(*ops, carries=(), kind=For, **others):
    """A loop over `r`, or one that goes on while `c` holds."""
    if kind is For:
        return For((ITEM,), Var("r"), Block(ops), carries, **others)
    return While(NOWHERE, Var("c"), Block(ops), carries, **others)


def carried(out, init, next_):
    """A variable that a loop carries, `out_in` in an iteration."""
    return Carry(out, init, Var(f"{out.name}_in"), next_)


def test_an_argument_and_a_literal_are_themselves():
    assert Reached().of(X) == {"x"}
    assert Reached().of(Const(2)) == {"2"}
    assert Reached().of(UNDEFINED) == frozenset()


def test_a_chain_is_followed():
    assert reached(plus(Y, X, X), plus(Z, Y, Const(2)), of=Z) == "2x"


def test_both_arms_of_a_branch_count():
    branch = If(N, Block((plus(Y, X, X),)), NOWHERE, (Merge(M, Y, Z),))
    assert reached(branch, of=M) == "xz"


def test_what_one_arm_leaves_undefined_adds_nothing():
    branch = If(N, NOWHERE, NOWHERE, (Merge(M, X, UNDEFINED),))
    assert reached(branch, of=M) == "x"


@pytest.mark.parametrize("kind", [For, While])
def test_a_loop_without_an_iteration_hands_on_what_it_starts_from(kind):
    op = loop(plus(Y, Const(1), Const(1)), carries=(carried(M, X, Y),), kind=kind)
    assert reached(op, of=M) == "1x"


@pytest.mark.parametrize("kind", [For, While])
def test_what_is_carried_goes_round(kind):
    op = loop(plus(Y, Var("m_in"), Z), carries=(carried(M, X, Y),), kind=kind)
    assert reached(op, of=M) == "xz"
    assert reached(op, of=Var("m_in")) == "xz"


def test_a_loop_that_changes_places_needs_several_rounds():
    carries = (
        carried(X, Const(1), Var("y_in")),
        carried(Y, Const(2), Var("z_in")),
        carried(Z, Const(3), Var("x_in")),
    )
    for out in (X, Y, Z):
        assert reached(loop(carries=carries), of=out) == "123"


def test_facts_that_lean_on_others_are_found_anew_when_those_fall():
    """`y` is asked for first, and what is found on the way is not kept half done."""
    carries = (carried(X, Const(1), Var("y_in")), carried(Y, Const(2), M))
    op = loop(plus(M, Var("x_in"), Z), carries=carries)
    facts = Reached(Block((op,)))
    assert facts.of(Var("x_in")) == {"1", "2", "z"}
    assert facts.of(M) == facts.of(Var("y_in")) == {"1", "2", "z"}


def test_loops_in_loops():
    inner = loop(plus(Y, Var("m_in"), Z), carries=(carried(M, Var("n_in"), Y),))
    outer = loop(inner, carries=(carried(N, X, M),))
    assert reached(outer, of=N) == reached(outer, of=Y) == "xz"


def test_items_of_a_loop_come_from_outside_unless_a_loop_has_saved_them():
    assert reached(loop(), of=ITEM) == "i"
    stack, back = Var("stack"), Var("back")
    ahead = loop(plus(Y, X, X), stack=stack, saved=(Y,))
    turned = Apply(back, operator.getitem, (stack, Const(slice(None, None, -1))))
    behind = For((Z,), back, NOWHERE)
    assert reached(ahead, turned, behind, of=Z) == "x"


def test_a_try_hands_on_what_its_body_or_its_handler_makes():
    op = Try(
        Block((plus(Y, X, X),)), Const(ValueError), Var("e"),
        Block((plus(Z, N, N),)), NOWHERE, (Merge(M, Y, Z),),
    )  # fmt: skip
    assert reached(op, of=M) == "nx"
    assert reached(op, of=Y) == "x"
    assert reached(op, of=Var("e")) == "e"


def test_what_stands_in_a_with_is_seen_after_it():
    assert reached(With(Var("c"), Block((plus(Y, X, X),))), Raise(Z), of=Y) == "x"


def test_stores_and_fields():
    assert reached(Store(Y, X, Const(0), Z), of=Y) == "xz"
    assert reached(Read(Y, X, (("attr", "w"),)), of=Y) == "y"


def test_each_fact_is_found_once():
    facts = Reached(Block((plus(Y, X, X), plus(Z, Y, Y))))
    assert facts.of(Z) == facts.of(Y) == facts.of(Z) == {"x"}
    assert facts.asked == ["x"]


def test_what_is_stated_is_not_looked_for():
    class Stated(Reached):
        def stated(self, var):
            return frozenset({"a number"}) if var.fact == INT else None

    number = Var("k", INT)
    facts = Stated(Block((plus(number, X, X), plus(Z, number, Y))))
    assert facts.of(Z) == {"a number", "y"}
    assert facts.asked == ["y"]


def test_versions_of_a_block_all_count():
    assert Reached(Block((plus(Y, X, X),)), Block((plus(Y, Z, Z),))).of(Y) == {"x", "z"}


def test_long_functions_need_no_deep_recursion():
    names = [Var(f"v{k}") for k in range(5000)]
    ops = [plus(b, a, a) for a, b in pairwise(names)]
    assert reached(*ops, of=names[-1]) == "v0"


def test_what_values_are_made_of_goes_round_once():
    body = Block((plus(Z, Var("y_in"), X),))
    loop = For((ITEM,), Var("r"), body, (carried(Y, N, Z),))
    assert made_of([Y], defined_in(Block((loop,)))) == {Y, N, Z}
    found = made_of([Y], defined_in(Block((loop,))), inputs_of)
    assert found == {Y, N, Z, Var("y_in"), X}
    found = made_of([Y], defined_in(Block((loop,))), inputs_of, lambda v: v != Z)
    assert found == {Y, N}


def test_items_of_what_an_inner_loop_saved_are_what_it_saved():
    """The outer reverse loop takes the inner loop's list as one of its items."""
    x, y, i, inner, outer = variables("x y i inner outer")
    first, again, backwards, item = variables("first again backwards item")
    made = Apply(y, operator.neg, (x,))
    steps = For((i,), Const(range(3)), Block((made,)), stack=inner, saved=(y,))
    rounds = For((i,), Const(range(2)), Block((steps,)), stack=outer, saved=(inner,))
    turned = Apply(again, operator.getitem, (outer, Const(slice(None, None, -1))))
    listed = Apply(backwards, operator.getitem, (first, Const(slice(None, None, -1))))
    back = For((item,), backwards, Block(()))
    reverse = Block((turned, For((first,), again, Block((listed, back)))))
    assert definitions_in(Block((rounds,)), reverse)["item"] == [(y,)]
