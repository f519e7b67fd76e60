"""What the registry says of the operations of the table, against what they do.

Each operation is tried on arrays of several layouts, types and ranks; its gradient
before any pass, too, which calls the helpers.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator

import numpy as np
import pytest

from yota_ast.ir.abstract_values import fact_of
from yota_ast.ir.atoms import Var
from yota_ast.ir.nodes import Apply
from yota_ast.ops import Sharing, sharing, writes
from yota_ast.rules.notation.display_names import display_name

from ..operations import OPERATIONS, Op
from .truth import Observed, observed

if importlib.util.find_spec("scipy") is not None:
    from ..rules.scipy_operations import APART
    from ..rules.scipy_operations import OPERATIONS as OF_SCIPY

    SCIPY = [*OF_SCIPY, *APART]
else:
    SCIPY = []


def false_statements(calls: list[Observed]) -> Iterator[str]:
    """What the registry says that a call shows to be wrong."""
    for call in filter(Observed.is_as_known, calls):
        fn, said = call.op.fn, sharing(call.op)
        if not is_right(said, call):
            memory = call.memory()
            yield f"the result of {display_name(fn)} is not {said}, it is {memory}"
        unsaid = {*call.changed()} - {*writes(fn)}
        if unsaid:
            yield f"{display_name(fn)} changes its arguments {sorted(unsaid)}"


def is_right(said: Sharing, call: Observed) -> bool:
    """Whether that is so of the memory of a result; without elements, all is."""
    truth = call.memory()
    return (
        said in (truth, "maybe") or (said, truth) == ("view", "same") or call.is_empty()
    )


@pytest.mark.part(6)
@pytest.mark.parametrize("one", OPERATIONS, ids=str)
def test_of_numpy(one: Op, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "none")
    assert sorted(set(false_statements(observed(one.fn, one.sample())))) == []


@pytest.mark.part(6)
@pytest.mark.parametrize("one", SCIPY, ids=str)
def test_of_scipy(one: Op, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", "none")
    calls = observed(one.fn, one.sample(), swapped=False)
    assert sorted(set(false_statements(calls))) == []


# ---------------------------------------------------------------- the test itself


def call_of(fn, *args):
    """A call as it is observed, of arrays."""
    atoms = tuple(Var(f"a{k}", fact_of(a, f"a{k}")) for k, a in enumerate(args))
    before = tuple(a.copy() for a in args)
    result = fn(*args)
    op = Apply(Var("y", fact_of(result, "y")), fn, atoms)
    return Observed(op, args, before, result)


X = np.arange(6.0).reshape(2, 3)


@pytest.mark.parametrize(
    ("fn", "said"),
    [
        (np.transpose, "fresh"), (np.transpose, "same"), (np.exp, "view"),
        (np.exp, "same"), (np.asarray, "fresh"), (np.ravel, "fresh"),
        (np.copy, "view"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_found(fn, said):
    assert not is_right(said, call_of(fn, X))


@pytest.mark.parametrize(
    ("fn", "said"),
    [
        (np.transpose, "view"), (np.transpose, "maybe"), (np.exp, "fresh"),
        (np.asarray, "same"), (np.asarray, "view"), (np.exp, "maybe"),
    ],
)  # fmt: skip
def test_what_is_right_is_none(fn, said):
    assert is_right(said, call_of(fn, X))


def test_an_argument_that_is_changed_is_found():
    def doubled(x):
        x *= 2
        return x.sum()

    [found] = false_statements([call_of(doubled, X.copy())])
    assert found.endswith("doubled changes its arguments [0]")


def test_a_result_that_holds_an_argument_is_found():
    def paired(x):
        return (1.0, [x])

    assert call_of(paired, X).memory() == "maybe"
