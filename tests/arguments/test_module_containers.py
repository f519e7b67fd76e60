"""Lists, dicts and arrays of a module that are longer, or otherwise, when a gradient is
called than when it was made: it reads them then, or says what it was made for."""

import importlib
import re
import sys

import numpy as np
import pytest

import yota_ast as ya

SOURCE = """
import numpy as np

STEPS = [(10.0, 0.1), (40.0, 0.2)]
FACTORS = {"a": 2.0, "b": 3.0}
ROWS = [[1.0, 2.0], [3.0]]
PAIR = (1.0, 2.0)
CURVE = [1.0, 2.0, 3.0]
MASSES = np.array([1.0, 2.0])


class Model:
    stages = [(0.5, 1), (0.25, 2)]


def by_step(x):
    total, low = 0.0, 0.0
    for high, rate in STEPS:
        total += rate * (min(x, high) - low)
        low = min(x, high)
    return total


def by_place(x):
    total = 0.0
    for k, (high, rate) in enumerate(STEPS):
        total += high * rate * x**k
    return total


def by_key(x):
    total = 0.0
    for name, factor in FACTORS.items():
        total += factor * x
    return total


def of_values(x):
    return sum(FACTORS.values()) * x


def with_key(x):
    return x * (FACTORS["c"] if "c" in FACTORS else 1.0)


def key_or_not(x):
    return x * FACTORS.get("c", 0.5)


def by_row(x):
    return sum([c * x for row in ROWS for c in row])


def together(x):
    total = 0.0
    for (high, rate), c in zip(STEPS, PAIR):
        total += high * rate * c * x
    return total


def unpacked(x):
    a, b, c = CURVE
    return a * x + b * c


def starred(x):
    def summed(*values):
        return sum(values)

    return summed(*CURVE) * x


def by_stage(x):
    for c, n in Model.stages:
        x = c * x**n
    return x


def weighed(x):
    return np.sum(MASSES * x)


def one_by_one(x):
    total = 0.0
    for mass in MASSES:
        total += mass * x * x
    return total


def last(x):
    return CURVE[-1] * x
"""
CHANGES = {
    "a step more": "m.STEPS.append((100.0, 0.4))",
    "a step less": "m.STEPS.pop()",
    "another step": "m.STEPS[1] = (50.0, 0.3)",
    "other steps": "m.STEPS = [(5.0, 0.5)]",
    "a wider step": "m.STEPS[1] = (50.0, 0.3, 7.0)",
    "a factor more": "m.FACTORS['c'] = 5.0",
    "another key": "m.FACTORS['c'] = m.FACTORS.pop('a')",
    "another factor": "m.FACTORS['a'] = 5.0",
    "a longer row": "m.ROWS[1].append(9.0)",
    "a row more": "m.ROWS.append([9.0])",
    "another pair": "m.PAIR = (1.0, 2.0, 3.0)",
    "a longer curve": "m.CURVE.append(5.0)",
    "a shorter curve": "m.CURVE.pop()",
    "no curve": "m.CURVE = []",
    "a stage more": "m.Model.stages.append((0.1, 3))",
    "other stages": "m.Model.stages = [(0.1, 3)]",
    "more masses": "m.MASSES = np.array([1.0, 2.0, 3.0])",
    "a table of masses": "m.MASSES = np.array([[1.0, 2.0], [3.0, 4.0]])",
    "one mass": "m.MASSES = 2.5",
    "whole masses": "m.MASSES = np.array([3, 4])",
    "a list of masses": "m.MASSES = [1.0, 2.0]",
}
NAMES = [
    line.split("(")[0][4:] for line in SOURCE.split("\n") if line.startswith("def ")
]


def readers(change):
    """The functions that read what a change changes."""
    name = re.search(r"m\.(\w+)", CHANGES[change])[1]
    bodies = dict(re.findall(r"def (\w+)\(x\):\n(.*?)(?=\n\n\n|\Z)", SOURCE, re.DOTALL))
    return [each for each, body in bodies.items() if name in body]


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """The module, and the functions of files that were made of it."""
    folder = tmp_path_factory.mktemp("stepped")
    (folder / "stepped.py").write_text(SOURCE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        importlib.invalidate_caches()
        module, found = importlib.import_module("stepped"), {}
        for name in NAMES:
            made = ya.simplegrad(getattr(module, name), 55.0)
            made.save(folder / f"of_{name}.py")
        importlib.invalidate_caches()
        for name in NAMES:
            found[name] = getattr(importlib.import_module(f"of_{name}"), f"{name}_grad")
        yield module, found
        for name in ("stepped", *(f"of_{name}" for name in NAMES)):
            sys.modules.pop(name, None)


@pytest.fixture
def module(saved):
    """The module as it was at first."""
    exec(compile(SOURCE, saved[0].__file__, "exec"), vars(saved[0]))
    return saved[0]


def outcome(f, *args):
    try:
        return f(*args)
    except Exception as error:
        return error


def is_right(f, got, x):
    """Whether the value and the slope are those of the function as it is now."""
    want = outcome(f, x)
    if isinstance(got, Exception) or isinstance(want, Exception):
        return type(got) is type(want)
    slope = (f(x + 1e-6) - f(x - 1e-6)) / 2e-6
    return np.shape(want) == () and np.allclose(got, (want, slope), rtol=1e-5)


@pytest.mark.parametrize("change", CHANGES)
def test_in_a_file(module, saved, change):
    exec(CHANGES[change], {"m": module, "np": np})
    for name in readers(change):
        got = outcome(saved[1][name], 55.0)
        if not isinstance(got, ValueError):
            assert is_right(getattr(module, name), got, 55.0), (name, got)


@pytest.mark.parametrize("change", CHANGES)
def test_in_this_process(module, change):
    made = {n: ya.simplegrad(getattr(module, n), 55.0) for n in readers(change)}
    assert made
    exec(CHANGES[change], {"m": module, "np": np})
    for name, fn in made.items():
        got = outcome(fn, 55.0)
        if not isinstance(got, ValueError):
            assert is_right(getattr(module, name), got, 55.0), (name, got)


def test_what_is_said(module):
    names = ("by_step", "by_key", "with_key")
    made = {name: ya.simplegrad(getattr(module, name), 55.0).fn for name in names}
    module.STEPS.append((100.0, 0.4))
    module.FACTORS["c"] = 5.0
    for name, said in (
        ("by_step", "made for len(STEPS) = 2"),
        ("by_key", "made for FACTORS of 'a', 'b'"),
        ("with_key", "made for FACTORS without 'c'"),
    ):
        with pytest.raises(ValueError) as raised:  # noqa: PT011
            made[name](55.0)
        assert str(raised.value) == f"{name}_grad: {said}"


def test_what_is_read_at_one_place_may_grow(module):
    made = ya.simplegrad(module.last, 2.0).fn
    module.CURVE.append(7.0)
    assert made(2.0) == (14.0, 7.0)
