"""A view that is read after its memory was written is a copy, within a `try` too."""

import operator

import numpy as np
import pytest

from tests.tapes import variables
from yota_ast.adjoint.inplace.kept_views import with_copies
from yota_ast.ir.atoms import Const, Var
from yota_ast.ir.builder import Names
from yota_ast.ir.functions import Parameter
from yota_ast.ir.interpreter import play
from yota_ast.ir.nodes import Apply, Block, Merge, Store, Try, blocks_of
from yota_ast.ir.tape import Tape

X, MADE, VIEW, LATER, TOTAL, OUT = variables("x made view later total out")
ERROR = Var("error")
MAKES = Apply(MADE, np.copy, (X,))
TAKES = Apply(VIEW, operator.getitem, (MADE, Const(slice(1, None))))
WRITES = Store(LATER, MADE, Const(1), Const(7.0))
READS = Apply(TOTAL, np.sum, (VIEW,))
CAUGHT = Const((ValueError, ZeroDivisionError), "(ValueError, ZeroDivisionError)")
RAISES = Apply(Var("never"), operator.truediv, (Const(1), Const(0)))


def is_fresh(op):
    return op.fn is not operator.getitem


def of_all(*ops):
    return Try(Block(ops), CAUGHT, ERROR, Block(), Block(), (Merge(OUT, TOTAL, X),))


def of_else(*ops):
    return Try(Block(), CAUGHT, ERROR, Block(), Block(ops), (Merge(OUT, TOTAL, X),))


def of_handler(*ops):
    body = Block((RAISES,))
    return Try(body, CAUGHT, ERROR, Block(ops), Block(), (Merge(OUT, X, TOTAL),))


def read_behind(make, at):
    """The view is read by the part that follows, or only by what the merge gives."""
    op = make(MAKES, TAKES, WRITES)
    merge = Merge(OUT, VIEW, X) if at == "then" else Merge(OUT, X, VIEW)
    return Block((Try(op.body, CAUGHT, ERROR, op.handler, op.orelse, (merge,)),))


@pytest.mark.parametrize("make", [of_all, of_else, of_handler])
def test_it_is_copied(make):
    block = Block((make(MAKES, TAKES, WRITES, READS),))
    made = with_copies(block, [OUT], is_fresh, Names())
    inner = [op for part in blocks_of(made.ops[0]) for op in part]
    assert any(isinstance(op, Apply) and op.fn is np.ndarray.copy for op in inner)
    x = np.arange(3.0)
    assert play(Tape("f", (Parameter(X),), made, OUT), x) == 3.0


@pytest.mark.parametrize(
    ("make", "at"), [(of_all, "then"), (of_else, "then"), (of_handler, "orelse")]
)
def test_it_is_copied_where_the_merge_gives_it(make, at):
    made = with_copies(read_behind(make, at), [OUT], is_fresh, Names())
    x = np.arange(3.0)
    assert play(Tape("f", (Parameter(X),), made, OUT), x).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("make", [of_all, of_else, of_handler])
def test_what_is_read_before_stays_a_view(make):
    block = Block((make(MAKES, TAKES, READS, WRITES),))
    assert with_copies(block, [OUT], is_fresh, Names()) == block
