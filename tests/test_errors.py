import copy
import pickle

import pytest

from yota_ast import errors
from yota_ast.errors import Location, NoRule, ShapeError, YotaError

AT = Location("model.py", 12, 8, 15, "        y = foo(x)  # comment", ())


def test_whole_text():
    at = Location(
        "model.py", 7, 11, 17, "    return erf(x)", ("a.py:3 in g", "b.py:9 in loss")
    )
    error = NoRule("no rule for `erf`", at=at, remedy="Write:\n    @diffrule")
    assert error.diagnostic == (
        "model.py:7:12: NoRule: no rule for `erf`\n"
        "    return erf(x)\n"
        "           ^^^^^^\n"
        "  in g, called from a.py:3\n"
        "  in loss, called from b.py:9\n"
        "Write:\n"
        "    @diffrule"
    )
    assert (error.filename, error.lineno, error.col_offset) == ("model.py", 7, 11)
    assert error.excerpt == "    return erf(x)"
    assert error.chain == ("a.py:3 in g", "b.py:9 in loss")


def test_without_a_place():
    error = YotaError("nothing to do")
    assert error.diagnostic == "YotaError: nothing to do"
    assert (error.filename, error.lineno, error.col_offset) == (None, None, None)
    assert error.located(AT).lineno == 12
    assert error.located(Location("other.py", 1, 0)).lineno == 12


@pytest.mark.parametrize("chain", [0, 1, 3, 8, 40])
@pytest.mark.parametrize("remedy", [0, 1, 5, 40])
@pytest.mark.parametrize("reason", [1, 3, 40])
def test_at_most_14_lines(chain, remedy, reason):
    at = Location(
        "m.py", 1, 0, 1, "x", tuple(f"m.py:{i} in f{i}" for i in range(chain))
    )
    error = NoRule(
        "\n".join(f"reason {i}" for i in range(reason)),
        at=at,
        remedy="\n".join(f"remedy {i}" for i in range(remedy)),
    )
    lines = error.diagnostic.split("\n")
    assert len(lines) == min(14, reason + 2 + chain + remedy) or len(lines) < 14
    assert len(lines) <= 14
    assert lines[0] == "m.py:1:1: NoRule: reason 0"
    if reason < 40:
        assert not remedy or any(line.startswith("remedy 0") for line in lines)
        assert not chain or f"  in f{chain - 1}, called from m.py:{chain - 1}" in lines


def test_columns_are_characters_and_one_based():
    at = Location("m.py", 1, len("\té = ".encode()), None, "\té = x")
    assert YotaError("no", at=at).diagnostic.split("\n") == [
        "m.py:1:6: YotaError: no",
        "    é = x",
        "        ^",
    ]


def test_long_lines_are_cut_around_the_place():
    text = "y = " + " + ".join(f"term_{i:02}" for i in range(40))
    start = text.index("term_30")
    at = Location("m.py", 1, start, start + 7, text)
    _, excerpt, carets = YotaError("no", at=at).diagnostic.split("\n")
    assert len(excerpt) <= 88
    position = carets.index("^")
    assert excerpt[position : position + 7] == "term_30"
    assert carets.strip() == "^" * 7


CLASSES = [
    value
    for value in vars(errors).values()
    if isinstance(value, type) and issubclass(value, YotaError)
]


@pytest.mark.parametrize("cls", CLASSES)
def test_pickles(cls):
    error = cls("reason", at=AT, remedy="remedy")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(again) is cls
        assert again.diagnostic == error.diagnostic
        assert again.at == AT


def test_classes():
    assert len(CLASSES) == 9
    assert issubclass(ShapeError, ValueError)
    assert all(cls.__doc__ for cls in CLASSES)
