"""Numbers and strings of a module that say how long a list is, or which item of a
container is meant: where one is another by then, a text is right or raises."""

import functools
import math

import numpy as np
import pytest

import yota_ast as ya

N, KEY, FLAG = 2, "a", True
ELSE = {"N": [3, 1], "KEY": ["b"], "FLAG": [False]}


def item_of_a_tuple(x):
    return (x, x * x, x**3)[N - 1] * (x, x * x, x**3, 2.0)[N]


def item_of_a_list(x):
    xs = [x, x * x, x**3, 2.0 * x]
    return xs[N] * xs[1]


def item_put(x):
    xs = [x, x * x, x**3, 2.0 * x]
    xs[N] = 3.0 * x
    xs[N] += x
    return xs[2] * xs[3] + xs[1]


def item_taken(x):
    xs = [x, x * x, x**3, 2.0 * x]
    last = xs.pop(N)
    del xs[N - 1]
    return last * xs[-1]


def item_put_between(x):
    xs = [x, x * x, x**3]
    xs.insert(N, 2.0 * x)
    return xs[2] + xs[1] * xs[3]


def key_put(x):
    d = {"a": x, "b": x * x}
    d[KEY] = 3.0 * x
    return d["a"] * d["b"]


def key_of_number(x):
    d = {N: x, 5: x * x}
    d[N] = d[N] * d.get(5, 1.0)
    return d[N] + d.get(N, 0.0)


def by_a_flag(x):
    return (x, x * x)[FLAG] * [x, 3.0][FLAG]


def repeated(x):
    return sum([x, x * x] * N)


def repeated_in_place(x):
    xs = [x, x * x]
    ys = xs * N + [x]
    return math.prod(ys)


def repeated_and_joined(x):
    return np.concatenate([np.array([x, 1.0])] * N).sum()


def repeated_and_made_an_array(x):
    return (np.array([x] * N + [x * x]) ** 2).sum()


def repeated_and_folded(x):
    total = 1.0
    for y in [x, x + 1.0] * N:
        total = total * y
    return total


def a_tuple_repeated(x):
    return sum((x, x * x) * N)


PROGRAMS = [
    f for f in globals().copy().values() if callable(f) and f.__module__ == __name__
]


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("given", [(), (1.3,)], ids=["general", "like"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_a_text_is_right_or_raises(program, given, passes, monkeypatch):
    """Two of these, `sum([x, x * x] * N)` among them, gave the new value and the
    gradient of the old number."""
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    kept = ya.simplegrad(program, *given)
    bare = functools.partial(_run_alone, kept.source)
    for name, others in ELSE.items():
        if name not in program.__code__.co_names:
            continue
        for other in others:
            monkeypatch.setitem(globals(), name, other)
            slope = (program(1.3 + 1e-6) - program(1.3 - 1e-6)) / 2e-6
            for text in (kept, bare):
                try:
                    value, dx = text(1.3)
                except ValueError:
                    continue
                assert math.isclose(value, program(1.3), rel_tol=1e-12)
                assert math.isclose(dx, slope, rel_tol=1e-6)
        monkeypatch.undo()


def _run_alone(source, x):
    """The text as a file that was written before, and now imports the constants."""
    space = dict(globals())
    exec(source, space)
    name = source.partition("def ")[2].partition("(")[0]
    return space[name](x)
