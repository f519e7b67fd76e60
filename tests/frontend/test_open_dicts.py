"""Dicts whose keys are read from a table, or from arrays of integers: constants of the
run, held as a whole."""

import numpy as np
import pandas as pd
import pytest
from scipy import optimize

import yota_ast as ya

from .every_mode import check_every_mode, slopes

RNG = np.random.default_rng(7)
FRAME = pd.DataFrame({"k": list("abcdef"), "g": list("aabbcc"), "x": RNG.random(6)})
P = np.array([0.3, 0.2, 0.7])
V = np.array([1.0, -0.5, 2.0])


def by_zip(p):
    w, total = dict(zip(FRAME.k, FRAME.x, strict=True)), 0.0
    for k in FRAME.k:
        total = total + w[k] * p[0] ** 2
    return total


def by_store(p):
    d = {}
    for k, x in zip(FRAME.k, FRAME.x, strict=True):
        d[k] = x  # noqa: PERF403
    return p[0] ** 2 * d["a"]


def by_groups(p):
    d = {g: t.x.mean() for g, t in FRAME.groupby("g")}
    return p[0] ** 2 * d["b"]


def into_known_keys(p):
    d = {"a": 1.0, "z": 2.0}
    for k, x in zip(FRAME.k, FRAME.x, strict=True):
        d[k] = x  # noqa: PERF403
    return p[0] ** 2 * d["a"] * d["z"]


def counted(p):
    d = {}
    for g in FRAME.g:
        d[g] = d.get(g, 0) + 1
    return p[0] ** 2 * d["a"]


def read_while_written(p):
    d, total = {"a": 1.0}, 1.0
    for g, x in zip(FRAME.g, FRAME.x, strict=True):
        total = total * np.sin(d["a"] * p[0])
        d[g] = x
    return total


class Box:
    """Named values."""

    def __init__(self):
        self.held = {}

    def add(self, k, v):
        self.held[k] = v


def by_method_of_an_object(p):
    box = Box()
    for k, x in zip(FRAME.k, FRAME.x, strict=True):
        box.add(k, x)
    return p[0] ** 2 * box.held["a"]


def places(p):
    place = {g: i for i, g in enumerate(FRAME.g.unique())}
    at = [place[g] for g in FRAME.g]
    return np.sum((FRAME.x.to_numpy() - p[at]) ** 2)


def run_through(p):
    d = {k: x for k, x in zip(FRAME.k, FRAME.x, strict=True) if x > 0.2}
    total = max(d.values()) * len(d.keys()) * p[1]
    for k, x in d.items():
        total = total + x * p[0] * len(k)
    return total**2 if "a" in d or d else total


def in_order(p):
    d, total = {k: x for k, x in zip(FRAME.k, FRAME.x)}, 0.0  # noqa: C416
    for i, (_, x) in enumerate(sorted(d.items())):
        total = total + x * p[0] ** i
    return total * d[max(d, key=d.get)]


def of_arrays(p):
    d = {}
    for name in FRAME.columns[2:]:
        d[name] = FRAME[name].to_numpy()
    return np.sum(d["x"] * p[0]) ** 2


WEIGHTS = {"a": 2.0, "b": 3.0, "c": 4.0}


def by_labels_of_groups(p):
    offset, total = {"a": p[0], "b": p[1] ** 2, "c": p[2]}, 0.0
    for g, t in FRAME.groupby("g"):
        total = total + WEIGHTS[g] * np.sum((t.x.to_numpy() - offset[g]) ** 2)
    return total


def by_items(p):
    d, total = {k: x for k, x in zip(FRAME.k, FRAME.x) if x > 0.1}, 0.0
    for k, x in d.items():
        total = total + np.sin(x * p[0] * p[1]) * len(k) * WEIGHTS.get(k, 1.0)
    return total


def gets_an_active_item(p):
    d, total = {"a": p[0]}, 0.0
    for k in FRAME.k:
        total = total + d.get(k, 2.0)
    return total


RIGHT = (
    gets_an_active_item,
    by_items,
    by_labels_of_groups,
    by_zip, by_store, by_groups, into_known_keys, counted, read_while_written,
    by_method_of_an_object, places, run_through, in_order, of_arrays,
)  # fmt: skip


@pytest.mark.parametrize("fn", RIGHT)
def test_every_mode(fn):
    check_every_mode(fn, P, V)


def test_an_item_is_known_to_be_a_number():
    source = ya.grad(by_store, P)[1].source
    assert 'dp[0] = 2 * seed * d["a"] * p[0]' in source


def puts_an_active_value(p):
    d = {}
    for k, x in zip(FRAME.k, FRAME.x, strict=True):
        d[k] = x * p[0]
    return d["a"] ** 2


def of_the_arguments(p, offset):
    total = 0.0
    for g, t in FRAME.groupby("g"):
        total = total + p[0] * np.sum((t.x.to_numpy() - offset[g]) ** 2)
    return total


def test_a_dict_of_the_arguments_by_labels():
    offset = {"a": 0.1, "b": 0.2, "c": 0.3}
    value, g = ya.grad(of_the_arguments, P, offset)
    assert value == of_the_arguments(P, offset)
    for k in offset:
        up, down = ({**offset, k: offset[k] + h} for h in (1e-6, -1e-6))
        slope = (of_the_arguments(P, up) - of_the_arguments(P, down)) / 2e-6
        assert g["offset"][k] == pytest.approx(slope, abs=1e-6)
    with pytest.raises(KeyError, match="c"):
        ya.grad(of_the_arguments, P, {"a": 0.1, "b": 0.2})


def has_an_active_item(p):
    d = {"z": p[1] ** 2}
    for k, x in zip(FRAME.k, FRAME.x, strict=True):
        d[k] = x  # noqa: PERF403
    return p[0] * d["z"]


def returns_it(p):
    d = {}
    for name in FRAME.columns:
        d[name] = p[0]
    return d


@pytest.mark.parametrize("fn", [puts_an_active_value, has_an_active_item, returns_it])
@pytest.mark.parametrize("transform", [ya.value_and_grad, ya.jacobian])
def test_what_is_differentiated_is_refused(fn, transform):
    with pytest.raises(ya.UnsupportedSyntax) as caught:
        transform(fn)(P)
    first, *_, remedy = str(caught.value).splitlines()
    assert first.startswith(f"{__file__}:")
    assert first.endswith("a differentiated value is in a dict whose keys are unknown")
    assert remedy == (
        "Keep the values in an array, and the position of each key in a dict."
    )


def test_the_remedy_works():
    def remedied(p):
        values = FRAME.x.to_numpy() * p[0]
        place = {k: i for i, k in enumerate(FRAME.k)}
        return values[place["a"]] ** 2

    np.testing.assert_allclose(ya.grad(remedied, P)[1]["p"], slopes(remedied, P))


def writes_what_it_holds(p):
    d, a = {}, np.ones(3)
    for name in FRAME.columns:
        d[name] = a
    a *= p[0]
    return np.sum(d["x"])


def writes_an_item(p):
    d, a = {}, np.ones(3)
    for name in FRAME.columns:
        d[name] = a
    b = d["x"]
    b *= p[0]
    return np.sum(a)


def writes_items(p):
    d, a = {}, np.ones(3)
    for name in FRAME.columns:
        d[name] = a
    for b in d.values():
        b *= p[0]
    return np.sum(a)


def writes_what_get_gave(p):
    a = np.ones(3)
    d = {"a": a}
    for k in FRAME.k:
        b = d.get(k, np.zeros(3))
        b *= p[0]
    return np.sum(a)


@pytest.mark.parametrize(
    "fn", [writes_what_it_holds, writes_an_item, writes_items, writes_what_get_gave]
)
def test_shared_memory_is_refused(fn):
    with pytest.raises(ya.YotaError, match=r"share memory|writes into the value"):
        ya.grad(fn, P)


def changed_behind_a_view(p):
    d = dict(zip(FRAME.k, FRAME.x, strict=True))
    values = d.values()
    d[FRAME.k[0]] = 5.0
    return p[0] * sum(values)


def test_a_view_that_is_outdated_is_refused():
    with pytest.raises(ya.UnsupportedSyntax, match="may read later"):
        ya.grad(changed_behind_a_view, P)


def by_places(p):
    order = np.argsort(p)
    rank = dict(zip(order, range(len(p)), strict=True))
    return p[rank[0]] * p[rank[1]] ** 2 * len(rank)


def by_assignment(p):
    cost = np.abs(p[:, None] - np.array([0.9, 0.1, 0.4]))
    rows, columns = optimize.linear_sum_assignment(cost)
    column, total = dict(zip(rows, columns, strict=True)), cost[rows, columns].sum()
    for row in column:
        total = total + p[row] * p[column[row]]
    for row, at in column.items():
        total = total + row * p[at] ** 2
    return total


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("f", [by_places, by_assignment], ids=lambda f: f.__name__)
def test_pairs_of_integers(f, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check_every_mode(f, P, V)


def test_pairs_that_hold_floats_are_refused():
    def f(p):
        return dict(zip(np.argsort(p), p, strict=True))[0]

    with pytest.raises(ya.YotaError):
        ya.grad(f, P)
