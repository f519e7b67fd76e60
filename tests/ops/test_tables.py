"""Properties of functions stand in `ops/`, in the rules and in the solvers alone."""

from __future__ import annotations

import pytest

from .tables import in_source, tables


def test_there_are_no_tables_elsewhere():
    assert tables() == {}, "state the property in ops/record.py and a file beside it"


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("SMOOTH = (np.sin, np.cos)", ["SMOOTH"]),
        ("SMOOTH = frozenset('sin cos'.split())", ["SMOOTH"]),
        ("SMOOTH: Final = {'sin': 1, 'cos': 2}", ["SMOOTH"]),
        ("class A:\n    SMOOTH = [np.sin, math.cos]", ["SMOOTH"]),
        ("from .runtime import unsum, unmax\nSUMS = (unsum, unmax)", ["SUMS"]),
        ("SUMS = (*spelled('add'), np.sum)", ["SUMS"]),
        ("SUMS = spelled('add sub')", ["SUMS"]),
        ("SUMS = (sum, np.add)", ["SUMS"]),
        ("COSTS = {np.sin: 1, np.cos: INF}", ["COSTS"]),
        ("SAME = {np.sin: math.sin, np.cos: math.cos}", ["SAME"]),
        ("SUMS = spelled('add')", []),
        ("RULES = {np.sin: (of_sine,), np.cos: rules.of_cosine}", []),
        ("HANDLERS = {np.sin: _lowered('sin'), **{np.cos: _cosine}}", []),
        ("TABLE = (rewrite('np.sin(-x)', '-np.sin(x)'), computed(f, np.cos))", []),
        ("ADD, SUB = operator.add, operator.sub", []),
        ("CLASSES = (np.float64, np.ndarray, float)", []),
        ("KINDS = ('array', 'real', 'scalar')", []),
        ("Kind = Literal['sum', 'add']", []),
        ("FACT = Fact('scalar', np.float64, ())", []),
        ("PLACES = ('arg', 'test', 'iterable', 'stop', 'result')", []),
        ("LETTERS = ('a', 'b')", []),
        ("KINDS = ('int', 'float')", []),
        ("ONE = (np.sin,)", []),
        ("def f():\n    return np.sin, np.cos", []),
    ],
)
def test_what_a_table_is(source, names):
    assert list(in_source(source)) == names
