"""Properties of functions stand in `ops/` and in the rules: other tables only go.

`tables.txt` lists what is left, file by file; it may get shorter, and a new table is to
be a field of `ops/record.py`.  --rewrite-golden writes down what is left now.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from .tables import in_source, tables

LEFT = Path(__file__).with_name("tables.txt")


def text_of(found: dict[str, tuple[str, ...]]) -> str:
    lines = [f"{path}: {', '.join(names)}" for path, names in found.items()]
    return "\n".join([f"{sum(map(len, found.values()))} tables", *lines, ""])


def read(text: str) -> dict[str, int]:
    pairs = (line.split(": ", 1) for line in text.splitlines()[1:])
    return {path: len(names.split(", ")) for path, names in pairs}


def test_there_are_no_new_tables(request):
    found = tables()
    if request.config.getoption("rewrite_golden"):
        LEFT.write_text(text_of(found), encoding="utf-8", newline="\n")
    left = read(LEFT.read_text(encoding="utf-8"))
    grown = {p: names for p, names in found.items() if len(names) > left.get(p, 0)}
    assert grown == {}, "state the property in ops/record.py and a file beside it"


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
