"""Which lengths are equal, whatever the order in which it is said."""

import itertools

import pytest

from yota_ast.ir.axis_lengths import Dim
from yota_ast.ir.facts.lengths_that_fit import EqualLengths

N, M, K = Dim("x.shape[0]"), Dim("y.shape[0]"), Dim("z.shape[1]")
PAIRS = [(N.shifted(-1), M.shifted(-1)), (M, N), (K, N), (K.shifted(-2), M.shifted(-2))]


@pytest.mark.parametrize("pairs", list(itertools.permutations(PAIRS)))
def test_lengths_that_lead_to_one_another_have_one_name(pairs):
    lengths = EqualLengths.of(pairs)
    for offset in range(-3, 2):
        names = {lengths.named(d.shifted(offset)) for d in (N, M, K)}
        assert len(names) == 1, offset


def test_lengths_that_differ_by_one_are_not_taken_for_one():
    lengths = EqualLengths.of([(N, M), (M, N.shifted(-1))])
    assert lengths.same(N, M)
    assert not lengths.same(N, M.shifted(-1))
