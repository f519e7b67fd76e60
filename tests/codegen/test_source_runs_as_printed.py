"""A printed source runs with the names that its head comment lists, and no others."""

import enum
import functools
import re
import sys

import numpy as np
import pytest

import yota_ast as ya

X = np.array([3.0, 1.0, 2.0])
WEIGHTS = np.array([0.5, 2.0, 1.0])


class Kind(enum.Enum):
    LINEAR = 1


class Label:
    pass


TABLE = {Kind.LINEAR: 2.0, "offset": 1.5}


def by_globals(x):
    return np.sum(WEIGHTS * x**2) * TABLE[Kind.LINEAR] + TABLE["offset"]


def by_helpers(x):
    return np.sum(np.sort(x) * np.array([1.0, 2.0, 3.0])) + np.prod(x)


def scaled(x, scale=1.0, *, power=1):
    return np.sum((x * scale) ** power)


def closed_over(weights):
    def fn(x):
        return np.sum(weights * np.exp(x))

    return fn


def by_objects(x, table):
    return np.sum(x * table[next(iter(table))])


def cubed(x):
    return np.sum(WEIGHTS * x**3)


def by_hvp(x, v):
    return np.sum(ya.hvp(cubed)(x, v) ** 2)


CASES = [
    (by_globals, (X,), {"WEIGHTS", "TABLE", "Kind"}),
    (by_helpers, (X,), set()),
    (functools.partial(scaled, scale=WEIGHTS, power=2), (X,), {"scale_2"}),
    (closed_over(np.array([1.0, 2.0, 3.0])), (X,), {"weights"}),
    (by_objects, (X, {Label(): 2.0}), {"label"}),
    (by_hvp, (X, WEIGHTS), {"WEIGHTS"}),
]


def named_in_head(made):
    """The names that the head comment lists, and what they stand for."""
    lines = made.source.split("\n")
    head = [
        line.removeprefix("# ") for line in lines[: lines.index("import numpy as np")]
    ]
    names = {}
    for home, listed in re.findall(
        r"(?:Names of ([\w.]+)|Values of this process): (.*?)\.(?= |$)",
        " ".join(head).strip(),
    ):
        for name in re.sub(r" \(of class \w+\)", "", listed).split(", "):
            names[name] = (
                getattr(sys.modules[home], name) if home else made.namespace[name]
            )
    return names


@pytest.mark.parametrize(("fn", "args", "listed"), CASES)
def test_a_source_runs_with_the_names_of_its_head(fn, args, listed):
    made = ya.simplegrad(fn, *args)
    scope = named_in_head(made)
    assert set(scope) == listed
    exec(made.source, scope)
    found = scope[made.__name__](*args)
    for one, other in zip(found, made(*args), strict=True):
        np.testing.assert_equal(one, other)
