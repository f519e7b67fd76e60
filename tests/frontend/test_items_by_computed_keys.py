"""Items of a dict of known keys, by a key that is computed while the text runs."""

import numpy as np
import pytest

import yota_ast as ya

from .checking import check

V = np.array([0.3, 1.2, -0.5, 2.0])


def counted(v, x):
    sums = {"negative": 0.0, "positive": x}
    for t in v:
        sign = "positive" if t > 0 else "negative"
        sums[sign] += t * x
    return sums["positive"] * 2 + sums["negative"] * sums["positive"]


def the_most(v, x):
    most = {"low": 0.0, "middle": 0.0, "high": 0.0}
    for t in v:
        if t < 0:
            kind = "low"
        elif t < 1:
            kind = "middle"
        else:
            kind = "high"
        most[kind] = max(most[kind], t * x)
    return sum(w * t for w, t in zip((1.0, 2.0, 3.0), most.values()))


def in_turn(v, x):
    weights = {0: x, 1: x * x, 2: 3.0}
    return sum(weights[k % 3] * v[k] for k in range(len(v)))


def or_a_default(v, x):
    weights, total = {0: x, 1: x * x}, 0.0
    for k in range(len(v)):
        total += weights.get(k, 2 * x) * v[k]
    return total


def least(v, x):
    costs = {"a": v[0] * x, "b": v[1], "c": v[3]}
    name = min(costs, key=costs.get)
    return costs[name] * x


def of_arrays(v, x):
    parts = {"a": v * x, "b": v * 2}
    name = "a" if x > 0.5 else "b"
    parts[name] = parts[name] * x
    return parts["a"].sum() + parts["b"][0] * parts[name][1]


def of_a_helper(v, x):
    return _of(x, "a" if v[0] > x else "b", {"a": v[0], "b": v[1]})


def _of(x, name, held):
    held[name] *= x
    return held["a"] * held["b"]


def without_it(v, x):
    weights = {0: x, 1: x * x}
    try:
        return weights[int(v[3])] * x
    except KeyError:
        return x * v[0]


@pytest.mark.parametrize(
    "fn",
    [
        counted, the_most, in_turn, or_a_default, least, of_arrays, of_a_helper,
        without_it,
    ],
)  # fmt: skip
def test_the_key_says_which_item(fn):
    check(fn, V, 0.7)


def none_such(v, x):
    weights = {0: x, 1: x * x}
    return weights[int(v[3])] * x


def test_another_key_raises():
    with pytest.raises(KeyError, match="2"):
        ya.grad(none_such, V, 0.7)


def of_an_argument(weights, x):
    name = "a" if x > 0.5 else "b"
    return weights[name] * x


def test_of_an_argument():
    value, slopes = ya.grad(of_an_argument, {"a": 2.0, "b": 3.0}, 0.7)
    assert value == 2.0 * 0.7
    assert slopes["x"] == 2.0
    assert slopes["weights"] == {"a": 0.7, "b": 0.0}


def perhaps_a_new_one(v, x):
    sums = {"positive": 0.0}
    for t in v:
        sign = "positive" if t > 0 else "negative"
        sums[sign] = sums.get(sign, 0.0) + t
    return sums["positive"] * x


def test_a_key_that_may_be_new():
    value, slopes = ya.grad(perhaps_a_new_one, V, 0.7)
    assert value == perhaps_a_new_one(V, 0.7)
    assert slopes["v"].tolist() == [0.7 if t > 0 else 0.0 for t in V]


class Steel:
    pass


class Wooden:
    def __init__(self, stiffness):
        self.stiffness = stiffness


BY_CLASS = {Steel: Wooden(2.0), Wooden: Wooden(3.0)}
BY_NUMBER = {Steel: 2.0, Wooden: 3.0}


def of_rows(v, x):
    rows = {"a": [v[0], x], "b": [x, x * x]}
    taken = rows["a" if v[0] > x else "b"]
    rows["c" if x < 0 else "b"] = [x * v[1], 2.0]
    return taken[0] * taken[1] + rows["b"][0] * len(rows)


def test_keys_that_are_written_have_their_places():
    """The text asks of no key of a dict display whether it is there."""
    for x in (0.2, -0.4, 0.7):
        check(of_rows, V, x)
    source = ya.simplegrad(of_rows, V, 0.2).source
    assert '{"a": 0, "b": 1}' in source
    assert '"a" in' not in source


def stiffened(x):
    made, total = Wooden(x), 0.0
    for k in range(2):
        total = total + BY_CLASS[type(made)].stiffness * x * BY_NUMBER[Steel] ** k
    return total * made.stiffness * BY_CLASS[Steel].stiffness


def by_one_of_two(x):
    return BY_CLASS[Steel if x > 0 else Wooden].stiffness * x


def test_items_of_classes():
    value, g = ya.grad(stiffened, 1.5)
    assert value == stiffened(1.5)
    assert g["x"] == pytest.approx(36 * 1.5)
    again = ya.simplegrad(stiffened, 1.5)
    BY_CLASS[Steel].stiffness = 4.0
    try:
        assert again(1.5)[0] == stiffened(1.5)
    finally:
        BY_CLASS[Steel].stiffness = 2.0


def test_a_class_that_is_not_known_is_no_endless_search():
    with pytest.raises(ya.YotaError) as caught:
        ya.grad(by_one_of_two, 1.5)
    assert "nested too deeply" not in caught.value.reason
