"""Dicts and objects that have other keys after one arm of a branch, or after a loop."""

from types import SimpleNamespace

import pytest

import yota_ast as ya


def made(x):
    found = {"a": -x, "b": x * x}
    if x < -10:
        found["c"] = x * 2
    return found


def asks_for_a_key(x):
    return x * 2 if "c" in made(x) else x * 3


def asks_for_a_key_of_both(x):
    return x * 2 if "a" in made(x) else x * 3


def asks_for_no_key(x):
    return x * 2 if "d" in made(x) else x * 3


def counts(x):
    return x * len(made(x))


def orders_the_keys(x):
    return x * (sorted(made(x)) == ["a", "b"]) + x * len(sorted(made(x)))


def orders_by_a_function(x):
    return x * (min(made(x), key=len) == "a") + len(max(made(x), key=len)) * x * x


def compares(x):
    return x if set(made(x)) == {"a", "b"} else 2 * x


def perhaps_empty(x):
    found = {}
    if x < -10:
        found["c"] = x
    return x * 2 if found else x


RIGHT = [
    asks_for_a_key, asks_for_a_key_of_both, asks_for_no_key, counts, orders_the_keys,
    orders_by_a_function, compares, perhaps_empty,
]  # fmt: skip


@pytest.mark.parametrize("x", [2.0, -11.0])
@pytest.mark.parametrize("fn", RIGHT, ids=lambda fn: fn.__name__)
def test_what_asks_for_keys_alone(fn, x):
    value, g = ya.grad(fn, x)
    assert value == fn(x)
    assert g[0] == pytest.approx((fn(x + 1e-6) - fn(x - 1e-6)) / 2e-6)


def adds_values(x):
    return sum(made(x).values())


def goes_through(x):
    s = 0.0
    for k, v in made(x).items():
        s = s + v * len(k)
    return s


def sets_a_default(x):
    return made(x).setdefault("a", 3 * x)


def takes_out(x):
    return made(x).pop("a", 3 * x)


def asks_with_a_default(x):
    return made(x).get("a", 3 * x)


def updates(x):
    found = made(x)
    found.update(e=4 * x)
    return found["e"]


def deletes(x):
    found = made(x)
    del found["b"]
    return found["a"]


def spreads(x):
    return {**made(x), "z": x}["z"]


def unites(x):
    return (made(x) | {"z": x})["z"]


def copies(x):
    return dict(made(x))["a"]


def first_set_in_a_loop(x):
    found = {"a": x}
    for k in range(3):
        found["b"] = x * k
    return sum(found.values())


REFUSED = [sets_a_default, takes_out, updates, deletes, spreads, unites, copies]


@pytest.mark.parametrize("fn", REFUSED, ids=lambda fn: fn.__name__)
def test_what_must_know_the_keys(fn):
    with pytest.raises(ya.UnsupportedSyntax, match="the keys of the dict"):
        ya.grad(fn, 2.0)


@pytest.mark.parametrize("transform", [ya.value_and_grad, ya.hessian])
@pytest.mark.parametrize(
    "fn", [adds_values, goes_through, asks_with_a_default, first_set_in_a_loop]
)
def test_what_reads_values_of_unknown_keys(fn, transform):
    with pytest.raises(ya.UnsupportedSyntax, match="a dict whose keys are unknown"):
        transform(fn)(2.0)
    with pytest.raises(ya.UnsupportedSyntax, match="a dict whose keys are unknown"):
        ya.jvp(fn)(2.0, 1.0)


def weighs(x):
    found = {"a": 2.0, "b": 3.0}
    if x < -10:
        found["c"] = 5.0
    total = found.get("d", 7.0) + sum(found.values())
    for k, v in found.items():
        total = total + v * len(k)
    return x * total


@pytest.mark.parametrize("x", [2.0, -11.0])
def test_values_that_are_not_differentiated(x):
    value, g = ya.grad(weighs, x)
    assert (value, g[0]) == (weighs(x), weighs(x) / x)


def reads_what_is_there_in_a_try(x):
    found = made(x)
    try:
        return found["a"]
    except KeyError:
        return x * 7


def test_a_key_that_is_there_is_not_missing():
    with pytest.raises(ya.UnsupportedSyntax, match="an item of a container"):
        ya.grad(reads_what_is_there_in_a_try, 2.0)


def in_two_orders(x):
    found = {}
    if x < -10:
        found["a"] = x
        found["b"] = x * x
    else:
        found["b"] = 3 * x
        found["a"] = x * x
    return found


def reads_by_keys(x):
    found = in_two_orders(x)
    found["b"] *= 2
    return found["a"] * found.pop("b") * len(found) + found.get("c", x)


def one_of_two(x):
    found = {"a": x, "b": x * x} if x < -10 else {"b": 2 * x, "a": x}
    return found["a"] * found["b"] if "b" in found else x


@pytest.mark.parametrize("x", [2.0, -11.0])
@pytest.mark.parametrize("fn", [reads_by_keys, one_of_two], ids=lambda fn: fn.__name__)
def test_what_asks_by_keys_in_any_order(fn, x):
    value, g = ya.grad(fn, x)
    assert value == fn(x)
    assert g[0] == pytest.approx((fn(x + 1e-6) - fn(x - 1e-6)) / 2e-6)


def adds_in_order(x):
    return sum(v * (k + 1) for k, v in enumerate(in_two_orders(x).values()))


def takes_apart(x):
    found = {"a": x, "b": x * x}
    if x < -10:
        found["a"] = found.pop("a")
    first, second = found.values()
    return first + 2 * second


def exchanges(x):
    found = {"a": x, "b": x * x}
    if x < -10:
        found = {"b": x, "a": x * x}
    return next(iter(found.values()))


def names_them(x):
    def first(**items):
        return next(iter(items.values()))

    return first(**in_two_orders(x))


def gives_it_out(x):
    return in_two_orders(x)


@pytest.mark.parametrize(
    "fn",
    [adds_in_order, takes_apart, exchanges, names_them, gives_it_out],
    ids=lambda fn: fn.__name__,
)
def test_what_must_know_the_order(fn):
    with pytest.raises(ya.UnsupportedSyntax, match="the order of the keys of the dict"):
        ya.simplegrad(fn, 2.0)


def orders_anew_in_a_loop(x):
    found = {"a": x, "b": x * x}
    while x > 1:
        found["a"] = found.pop("a")
        x = x / 2
    first, second = found.values()
    return first + 2 * second


def test_an_order_that_a_loop_changes():
    with pytest.raises(ya.UnsupportedSyntax, match="the keys of the dict"):
        ya.simplegrad(orders_anew_in_a_loop, 2.0)


class Tank:
    area = 5.0

    def __init__(self, x):
        self.level = 2 * x
        if x < -10:
            self.extra = 3 * x


def is_asked_for(x):
    return x if hasattr(Tank(x), "extra") else 2 * x


def has_a_default(x):
    return getattr(Tank(x), "extra", 7 * x)


def is_caught(x):
    tank = Tank(x)
    try:
        return tank.extra
    except AttributeError:
        return 9 * x


def hides_that_of_the_class(x):
    tank = Tank(x)
    if x < -10:
        tank.area = x
    return tank.area * x


def in_a_namespace(x):
    found = SimpleNamespace(a=x)
    if x < -10:
        found.b = 2 * x
    return found.b if hasattr(found, "b") else x


def set_in_a_loop(x, n=2):
    found = SimpleNamespace(a=x)
    for k in range(n):
        found.b = k * x
    return found.b if hasattr(found, "b") else x


def one_of_two_objects(x):
    tank = Tank(x) if x < -20 else Tank(2 * x)
    return tank.extra if hasattr(tank, "extra") else x


@pytest.mark.parametrize(
    "fn",
    [
        is_asked_for, has_a_default, is_caught, hides_that_of_the_class,
        in_a_namespace, set_in_a_loop, one_of_two_objects,
    ],
    ids=lambda fn: fn.__name__,
)  # fmt: skip
def test_whether_an_attribute_is_there(fn):
    with pytest.raises(ya.UnsupportedCall, match="the object has the attribute"):
        ya.simplegrad(fn, 2.0)


def is_set_later(x):
    tank = Tank(x)
    tank.extra = 4 * x
    return getattr(tank, "extra", x) + (tank.area if hasattr(tank, "level") else 0.0)


@pytest.mark.parametrize("x", [2.0, -11.0])
def test_an_attribute_that_is_surely_there(x):
    value, g = ya.grad(is_set_later, x)
    assert (value, g[0]) == (4 * x + 5.0, 4.0)


def adds_to_a_set(x):
    seen, y = set(), x
    while y > 5:
        seen.add("large")
        y = y / 2
    return 2 * y if "large" in seen else y


def takes_from_a_set(x):
    seen, y = {"small"}, x
    while y > 5:
        seen.discard("small")
        y = y / 2
    return y * (1 + len(seen))


@pytest.mark.parametrize("fn", [adds_to_a_set, takes_from_a_set])
def test_a_set_that_a_loop_changes(fn):
    with pytest.raises(ya.UnsupportedSyntax, match="changes the items of a set"):
        ya.simplegrad(fn, 2.0)


def a_set_of_each_iteration(x):
    y = x
    while y > 5:
        seen = {"a"}
        seen.add("b")
        y = y / (len(seen) if "b" in seen else 3)
    for name in ("a", "b", "a"):
        kept = {name}
        kept.add("a")
        y = y * len(kept)
    return y


def test_a_set_made_in_the_loop():
    value, g = ya.grad(a_set_of_each_iteration, 31.0)
    assert value == a_set_of_each_iteration(31.0)
    assert g[0] == 0.25


def halved(d, n):
    if n < 1:
        return sum(v * (k + 1) for k, v in enumerate(d.values()))
    if d["a"] > 5:
        e = {"a": d["a"] / 2, "b": d["b"]}
    else:
        e = {"b": d["b"], "a": d["a"] / 2}
    return halved(e, n - 1)


def recurs_in_two_orders(x, n):
    return halved({"a": x, "b": 3 * x}, n * 1.0)


def emptied(tank, n):
    if n < 1:
        return tank.level * (2.0 if hasattr(tank, "extra") else 3.0)
    return emptied(Tank(tank.level / 4), n - 1)


def recurs_with_an_attribute(x, n):
    return emptied(Tank(x), n * 1.0)


def test_the_order_of_what_a_recursion_hands_on():
    with pytest.raises(ya.UnsupportedCall, match="`halved` calls itself"):
        ya.grad(recurs_in_two_orders, 2.0, 2.0)


def test_the_attributes_of_what_a_recursion_hands_on():
    with pytest.raises(ya.UnsupportedCall, match="the object has the attribute"):
        ya.grad(recurs_with_an_attribute, 2.0, 2.0)
