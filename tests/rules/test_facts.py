"""What `infer` says against what NumPy does, over the table."""

import warnings

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.ir.abstract_values import Fact, fact_of, int_fact, real_fact
from yota_ast.ir.atoms import Const, Var
from yota_ast.rules import BOOK

from ..operations import DRAWS, OPERATIONS
from .check import call_of
from .test_gradients import as_float32


def wrong(fact, value):
    """Why a fact does not hold of a value, else None."""
    kind = fact.kind
    if kind == "unknown":
        return None
    if isinstance(value, tuple | list):
        if kind not in ("tuple", "list"):
            return f"{value!r} is no {kind}"
        if fact.items is None:
            return None
        if len(fact.items) != len(value):
            return "another length"
        found = [wrong(f, v) for f, v in zip(fact.items, value, strict=True)]
        return next((w for w in found if w), None)
    kinds = {
        "none": type(None),
        "real": (float, int, np.generic, np.ndarray),
        "array": np.ndarray,
        "scalar": np.generic,
    }
    if kind in kinds and not isinstance(value, kinds[kind]):
        return f"{type(value).__name__} is no {kind}"
    if (
        kind in ("float", "int", "bool", "complex", "str")
        and type(value).__name__ != kind
    ):
        return f"{type(value).__name__} is no {kind}"
    if fact.dtype is not None and np.asarray(value).dtype != fact.dtype:
        return f"dtype {np.asarray(value).dtype}, not {fact.dtype}"
    if fact.rank is not None and np.ndim(value) != fact.rank:
        return f"rank {np.ndim(value)}, not {fact.rank}"
    for dim, length in zip(
        fact.shape if fact.rank else (), np.shape(value), strict=False
    ):
        if dim is not None and dim.size not in (None, length):
            return f"length {length}, not {dim} = {dim.size}"
    return None


def check(one, values, facts=()):
    call = call_of(one, values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = call.run()
    for fact in (call.fact, *facts):
        assert wrong(fact, y) is None, (one.text, fact, fact.shape, wrong(fact, y))
    return call, y


@pytest.mark.parametrize("one", [*OPERATIONS, *DRAWS], ids=str)
def test_facts_hold(one):
    check(one, one.sample(3))


@pytest.mark.parametrize("one", OPERATIONS, ids=str)
def test_facts_of_float32_and_of_scalars(one):
    values = one.sample(3)
    check(one, {k: as_float32(v) for k, v in values.items()})
    if "math.trunc" not in one.text:  # which takes no float32
        check(
            one,
            {k: np.float32(v) if type(v) is float else v for k, v in values.items()},
        )


@pytest.mark.part(2)
@pytest.mark.parametrize("one", OPERATIONS, ids=str)
def test_facts_without_examples(one):
    """Parameters of which nothing is known, and arrays of unknown lengths."""
    values = one.sample(3)
    call = call_of(one, values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = call.run()

    def is_real(name):
        v = values.get(name)
        return isinstance(v, float) or (
            isinstance(v, np.ndarray) and v.dtype.kind == "f"
        )

    def vague(atom):
        if isinstance(atom, Var) and is_real(atom.name):
            return Var(atom.name, real_fact(atom.name))
        return atom

    def of_rank(atom):
        if isinstance(atom, Var) and is_real(atom.name) and atom.fact.kind == "array":
            dims = (None,) * atom.fact.rank
            return Var(atom.name, Fact("array", None, dims))
        return atom

    for change in (vague, of_rank):
        args = [change(a) for a in call.args]
        kwargs = [(k, change(a)) for k, a in call.kwargs]
        fact = BOOK.infer(call.fn, args, kwargs)
        assert wrong(fact, y) is None, (fact, fact.shape, wrong(fact, y))


def test_facts_are_specific():
    """Ranks and dtypes are known of nearly everything in the table."""
    vague = []
    for one in OPERATIONS:
        call = call_of(one, one.sample(3))
        fact = call.fact
        if fact.kind in ("unknown", "real") and not one.text.startswith("rt."):
            vague.append(one.text)
    assert len(vague) < 0.025 * len(OPERATIONS), vague


def test_constants_are_not_shapes():
    assert BOOK.infer(np.zeros, [Const((2, 3))], []).rank == 2
    n = Var("n", Fact("int", shape=()))
    assert BOOK.infer(np.zeros, [n], []).shape == (None,)


SHAPES = ((), (1,), (3,), (1, 1), (3, 1), (1, 3), (3, 3), (2, 3, 2), (0,), (0, 3))
OTHERWISE = {
    # What they are of an empty array is said nowhere else.
    "np.polyval(p, x)", "np.poly(x)", "sum(x)", "np.einsum('ii->i', u)",
}  # fmt: skip


def of_other_shapes(values):
    """The values, one of them a number or an array of another shape."""
    for name, value in values.items():
        is_array = isinstance(value, np.ndarray) and value.dtype.kind == "f"
        if not is_array and type(value) is not float:
            continue
        yield {**values, name: 0.7}
        yield {**values, name: np.float64(0.7)}
        for shape in SHAPES:
            yield {**values, name: np.random.default_rng(3).uniform(0.2, 0.9, shape)}


PUBLIC = [o for o in OPERATIONS if not o.text.startswith("rt.")]


@pytest.mark.part(2)
@pytest.mark.parametrize("one", [o for o in PUBLIC if o.text not in OTHERWISE], ids=str)
def test_facts_of_other_shapes(one):
    for values in of_other_shapes(one.sample(3)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                call = call_of(one, values)
                y = call.run()
        except Exception:  # noqa: S112  what it takes no such value for
            continue
        found = wrong(call.fact, y)
        assert found is None, (one.text, values, call.fact, call.fact.shape, found)


def test_lengths_are_those_of_each_call():
    """What is found for a call on containers is not that for others of its kind."""

    def rows(n):
        items = (fact_of(np.zeros((n, 2)), "u"), fact_of(np.zeros((1, 2)), "v"))
        both = Var("both", Fact("tuple", items=items, cls=tuple))
        return BOOK.infer(np.vstack, [both], []).shape[0].size

    assert [rows(3), rows(5)] == [4, 6]


def test_the_length_of_an_int_is_that_of_each_call():
    def sizes(n):
        count = Var("n", int_fact(fact_of(np.zeros(n), "x").shape[0]))
        return BOOK.infer(np.zeros, [count], []).shape[0].size

    assert [sizes(3), sizes(5)] == [3, 5]


@pytest.mark.parametrize("fn", [np.zeros, np.ones, np.empty])
def test_a_count_of_numpy_is_one_length(fn):
    """`np.ones(np.sum(mask))` has one axis, so that its items are numbers."""
    count = Var("n", fact_of(np.sum(np.array([True, False])), "n"))
    assert BOOK.infer(fn, [count], []).shape == (None,)
    assert BOOK.infer(np.full, [count, Const(1.0)], []).shape == (None,)


def recurrence_of_items(x):
    mask = x > 1
    ones = np.ones(np.sum(mask))
    total = 0.0
    for k in range(len(ones)):
        s = ones[k]
        s /= x[k]
        total += s * ones[k]
    return total


def test_items_of_an_array_of_a_counted_length_are_numbers():
    assert ya.gradcheck(recurrence_of_items, np.array([0.3, 1.2, 2.0]))
