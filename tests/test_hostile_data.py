"""Programs whose data would be code if it were formatted into the generated source.

Names of fields, of classes, of functions and of modules, and keys of dicts, may come
from a file that somebody else wrote. The value and the gradient are right, nothing of
the data runs, and no line of the source ends where the data says so.
"""

import ast
import builtins
import dataclasses
import datetime as dt
import enum
import pickle
import re
import types
from decimal import Decimal
from typing import NamedTuple

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.4, 1.3, -0.7])
RAN = []
builtins.note_that_data_ran = RAN.append
CALL = "note_that_data_ran(1)"
NAMES = [
    f"gain * bool({CALL})", "gain - 1", "two words", "lambda", "\ufb01eld", "",
    f"gain\n    {CALL}", f"gain\r{CALL}", "gain\x0c", f"gain\u2028{CALL}", "it's",
    'say "a"', "back\\slash", '"""', "[0]", "a.b", "{0}", "%s", "$body",
    f"x'] + [{CALL}] + ['",
    "_HELD_[0]", "__wanted__", "\ud800", "\u017f",
]  # fmt: skip


class Box:
    """Holds fields of any name."""


class Word(str):
    __slots__ = ()

    def __repr__(self):
        return CALL

    __str__ = __repr__


class Whole(int):
    __repr__ = Word.__repr__


class Label:
    """A key that is shown by its name, and equals others of the name."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        return isinstance(other, Label) and other.name == self.name


class Unit(enum.Enum):
    METRE = 1
    SECOND = "s"


class Access(enum.Flag):
    READ = 1
    WRITE = 2


@dataclasses.dataclass(frozen=True)
class Cell:
    row: int
    label: object = "'"


class Pair(NamedTuple):
    left: int
    right: int


TOP = Label("top")
KEYS = [
    "plain", "it's", CALL, b"\n'", 3, True, 1.0, -0.0, 2j, complex(-0.0, 1), None,
    (1, ("a", None)), float("inf"), -float("inf"), float("nan"), 10**5000, Word("w"),
    Whole(2), Label(CALL), Label("'plain'"), TOP, object(), Unit.METRE, Unit.SECOND,
    Access.READ, Access.READ | Access.WRITE, Cell(1), Cell(1, "a"), Pair(1, 2),
    dt.date(2024, 2, 29), Decimal("1.5"), frozenset({1}), int, np.float64(0.5),
    np.int64(4), np.str_("it's"), (Unit.METRE, Label(CALL)), (1, float("nan")), len,
    Ellipsis,
]  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_ran():
    RAN.clear()
    yield
    assert not RAN


def made_of_own_lines(source):
    """Check that the source has the lines that were meant, however counted."""
    ast.parse(source)
    assert len(source.splitlines()) == source.count("\n")


def with_field(name, value):
    box = Box()
    box.gain = 7.0
    vars(box)[name] = value
    return box


def by_name(box, x, name):
    return getattr(box, name) * np.sum(x)


def within(box, x, name):
    return np.sum((getattr(box.inner, name)["W"] @ x) ** 2)


def all_fields(box):
    total = 0.0
    for name, value in vars(box).items():
        total = total + len(name) * 0.0 + value * value
    return total


def set_by_name(box, x, name):
    setattr(box, name, np.sum(x * x))
    return 3.0 * getattr(box, name)


def scaled_if_there(box, x, name):
    return getattr(box, name) * np.sum(x) if hasattr(box, name) else np.sum(x)


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_of_fields(name):
    box = with_field(name, 5.0)
    value, g = ya.grad(by_name, box, X, name)
    assert value == 5.0 * np.sum(X)
    assert g[0] == {(name,): np.sum(X)}
    np.testing.assert_array_equal(g["x"], [5.0] * 3)
    made_of_own_lines(g.source)
    assert ya.simplegrad(by_name, box, X, name)(box, X, name)[1] == {(name,): np.sum(X)}
    g = ya.grad(set_by_name, with_field(name, 5.0), X, name)[1]
    np.testing.assert_allclose(g["x"], 6.0 * X)
    for given, slope in ((with_field(name, 5.0), 5.0), (Box(), 1.0)):
        g = ya.grad(scaled_if_there, given, X, name)[1]
        np.testing.assert_array_equal(g["x"], [slope] * 3)


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_of_fields_within_and_of_all(name):
    matrix, outer = np.arange(6.0).reshape(2, 3), Box()
    outer.inner = with_field(name, {"W": matrix})
    value, g = ya.grad(within, outer, X, name)
    assert value == np.sum((matrix @ X) ** 2)
    np.testing.assert_allclose(g["x"], 2.0 * matrix.T @ (matrix @ X))
    assert list(g[0]) == [("inner", name, "W")]
    made_of_own_lines(g.source)
    value, g = ya.grad(all_fields, with_field(name, 5.0))
    assert value == 74.0
    assert list(g[0].values()) == [14.0, 10.0]


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_of_fields_in_other_modes(name):
    box = with_field(name, 5.0)

    def of_x(x):
        return by_name(box, x * x, name)

    ones = np.ones(3)
    assert ya.jvp(of_x)(X, ones)[1] == pytest.approx(10.0 * np.sum(X))
    np.testing.assert_allclose(ya.hvp(of_x)(X, ones), [10.0] * 3)
    value, tape = ya.trace(by_name, box, X, name)
    assert value == 5.0 * np.sum(X)
    assert str(tape).startswith("Tape")
    assert ya.compile(tape)(box, X, name) == value
    ya.update(box, ya.grad(by_name, box, X, name)[1][0])
    assert vars(box)[name] == 5.0 - np.sum(X)


def energy(table):
    return sum(np.sum(v * v) for v in table.values())


def by_keys(table, x):
    total = 0.0
    for key in table:
        total = total + np.sum(table[key] * x * x)
    return total


def same_key(one, other):
    return one is other or (type(one) is type(other) and one == other)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: type(key).__name__)
def test_keys_of_dicts(key):
    table = {key: 2.0, "other": X}
    value, g = ya.grad(energy, table)
    assert value == pytest.approx(4.0 + np.sum(X * X))
    first, second = g[0]
    assert same_key(first, key)
    assert g[0][first] == 4.0
    np.testing.assert_array_equal(g[0][second], 2.0 * X)
    made_of_own_lines(g.source)
    assert "_HELD_" not in g.source
    assert ya.simplegrad(energy, table)({key: 3.0, "other": X})[1][key] == 6.0
    g = ya.grad(by_keys, {key: X, "other": X}, X)[1]
    np.testing.assert_allclose(g["x"], 4.0 * X * X)
    assert ya.jvp(energy)({key: 2.0, "o": 3.0}, {key: 1.0, "o": 0.0})[1] == 4.0
    assert ya.jacobian(energy)({key: 2.0, "o": 3.0})[key] == 4.0


def test_keys_that_are_equal_are_kept_apart():
    labels = {Label("'a'"): 2.0, "a": 5.0}
    assert list(ya.grad(energy, labels)[1][0].values()) == [4.0, 10.0]
    nans = {float("nan"): 2.0, float("nan"): 5.0}
    assert list(ya.grad(energy, nans)[1][0].values()) == [4.0, 10.0]
    for key in (1, True, 1.0, np.int64(1), Whole(1)):
        [found] = ya.grad(energy, {key: 2.0})[1][0]
        assert type(found) is type(key)


def test_keys_are_named_where_they_can_be():
    table = {Unit.METRE: 1.0, TOP: 2.0, int: 3.0, float("inf"): 4.0, Label("x"): 5.0}
    source = ya.grad(energy, table)[1].source
    assert "list(table) != [Unit.METRE, TOP, int, np.inf, label]\n" in source
    head = source.partition("import")[0]
    assert head == (
        f"# Names of {__name__}: Unit.\n"
        "# Values of this process: TOP, label (of class Label).\n"
    )


def test_a_pickled_function_carries_its_keys_or_names_them():
    dated = ya.simplegrad(energy, {dt.date(2024, 1, 1): 2.0})
    again = pickle.loads(pickle.dumps(dated))
    assert again({dt.date(2024, 1, 1): 3.0})[0] == 9.0

    class Local(Label):
        pass

    with pytest.raises(ya.SourceUnavailable) as told:
        pickle.dumps(ya.simplegrad(energy, {Local("a"): 2.0}))
    assert told.value.diagnostic == (
        "SourceUnavailable: energy_grad reads `local`, of class Local, which cannot be"
        " pickled\nDefine it, and its class, at the top level of a module."
    )


def test_a_file_names_keys_through_their_modules(tmp_path):
    made = ya.simplegrad(energy, {Unit.METRE: 2.0, TOP: 3.0})
    text = made.save(tmp_path / "named.py").read_text()
    module = Unit.__module__.rpartition(".")[2]
    assert f"list(table) != [{module}.Unit.METRE, {module}.TOP]\n" in text
    with pytest.raises(ya.SourceUnavailable) as told:
        ya.simplegrad(energy, {Label("x"): 2.0}).save(tmp_path / "nameless.py")
    assert "`label`, which the gradient reads, is neither" in str(told.value)
    assert not (tmp_path / "nameless.py").exists()


NAMES_OF_CLASSES = [n for n in NAMES if "\ud800" not in n]


@pytest.mark.parametrize("name", NAMES_OF_CLASSES, ids=ascii)
def test_names_of_classes(name):
    def twice(self, x):
        return 2.0 * self.gain * np.sum(x)

    def of_class(cls, x):
        return cls.rate * np.sum(x)

    made = type(name, (), {"rate": 3.0, "twice": twice, "of": classmethod(of_class)})

    def whole(box, x):
        return box.twice(x) + box.of(x) + box.rate * np.sum(x)

    box = made()
    box.gain = 5.0
    value, g = ya.grad(whole, box, X)
    assert value == pytest.approx(16.0 * np.sum(X))
    np.testing.assert_allclose(g["x"], [16.0] * 3)
    made_of_own_lines(g.source)
    assert type(box).__name__ == name  # and another class is told from it
    with pytest.raises(ValueError, match="made for box"):
        ya.simplegrad(whole, box, X)(with_field("rate", 1.0), X)


@pytest.mark.parametrize("name", NAMES_OF_CLASSES, ids=ascii)
def test_names_of_functions_and_modules(name):
    def square(x, power=2):
        return np.sum(x**power)

    def steps(x, n):
        return np.sum(x) if n == 0 else 0.5 * steps(x * x, n - 1)

    square.__name__ = square.__qualname__ = steps.__name__ = steps.__qualname__ = name
    square.__module__ = name
    module = types.ModuleType(name)
    module.SCALE, module.TABLE = 3.0, {CALL: X}

    def whole(x):
        return module.SCALE * square(x) + steps(x, 2) + np.sum(module.TABLE[CALL] * x)

    g = ya.grad(whole, X)[1]
    np.testing.assert_allclose(g["x"], 6.0 * X + X**3 + X)
    made_of_own_lines(g.source)
    g = ya.grad(square, X)[1]
    np.testing.assert_allclose(g[0], 2.0 * X)
    made_of_own_lines(g.source)
    assert ya.grad(lambda f, x: f(x), square, X)[0] == np.sum(X * X)


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_strings(name):
    def chosen(x, mode):
        if mode == name:
            return np.sum(x * x)
        raise ValueError(name)

    g = ya.grad(chosen, X, name)[1]
    np.testing.assert_allclose(g["x"], 2.0 * X)
    made_of_own_lines(g.source)
    with pytest.raises(ValueError, match=f"^{re.escape(name)}$") as told:
        ya.grad(chosen, X, "other")
    assert str(told.value) == name
    table = {name: X, "deep": {name: [X]}}

    def read(x):
        return np.sum(table[name] * x) + np.sum(table["deep"][name][0] * x)

    g = ya.grad(read, X)[1]
    np.testing.assert_allclose(g["x"], 2.0 * X)
    made_of_own_lines(g.source)


@pytest.mark.parametrize(
    "name", [n for n in NAMES if n not in ("x", "scale")], ids=ascii
)
def test_names_of_keyword_arguments(name):
    def weighted(x, **weights):
        return sum(w * np.sum(x) for w in weights.values())

    value, g = ya.grad(weighted, X, **{name: 3.0})
    assert value == pytest.approx(3.0 * np.sum(X))
    np.testing.assert_array_equal(g["x"], [3.0] * 3)
    made_of_own_lines(g.source)


def test_the_doc_of_a_function_ends_no_line():
    def area(x):
        return np.sum(x * x)

    area.__doc__ = f'Area.\r{CALL}\x0c"""\u2029\\'
    source = ya.grad(area, X)[1].source
    made_of_own_lines(source)


def test_fields_give_their_names_to_variables():
    def read(box, getattr):  # noqa: A002
        return vars(box)["a b"] * builtins.getattr(box, "two words") * getattr

    box = with_field("two words", 3.0)
    vars(box)["a b"] = 2.0
    source = ya.grad(read, box, 2.0)[1].source
    assert 'box___dict___a_b = box.__dict__["a b"]' in source
    assert 'box_two_words = getattr_2(box, "two words")' in source


def test_a_name_that_a_loop_carries():
    def grown(x, name):
        box = Box()
        setattr(box, name, x[0])
        for k in range(3):
            setattr(box, name, getattr(box, name) * x[k])
        return getattr(box, name)

    for name in NAMES:
        g = ya.grad(grown, X, name)[1]
        made_of_own_lines(g.source)
        np.testing.assert_allclose(
            g["x"], [2 * X[0] * X[1] * X[2], X[0] ** 2 * X[2], X[0] ** 2 * X[1]]
        )


def test_what_looks_like_a_method_of_numpy_is_none():
    class Pretender:
        def __init__(self):
            self.__self__, self.__objclass__ = np.add, np.ndarray
            self.__name__ = self.__qualname__ = CALL

        def __call__(self, x):
            return np.sum(x)

    pretender = Pretender()
    _, g = ya.grad(lambda d, x: d[pretender] * np.sum(x), {pretender: 2.0}, X)
    np.testing.assert_array_equal(g["x"], [2.0] * 3)
    made_of_own_lines(g.source)


@pytest.mark.parametrize("name", NAMES_OF_CLASSES, ids=ascii)
def test_files_keep_the_lines_of_their_header(name, tmp_path):
    def square(x):
        return np.sum(x * x)

    square.__name__ = square.__qualname__ = square.__module__ = name
    file = ya.simplegrad(square, X).save(tmp_path / "square.py")
    text = file.read_text(encoding="utf-8")
    made_of_own_lines(text)
    exec(compile(text, str(file), "exec"), {"__name__": "square"})


def test_objects_are_told_apart_by_all_that_vars_gives():
    for name in ("first", "second"):
        g = ya.grad(all_fields, with_field(name, 5.0))[1]
        assert list(g[0]) == [("__dict__", "gain"), ("__dict__", name)]
