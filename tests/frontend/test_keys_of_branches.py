"""A dict that has other keys after one arm of a branch, or after a loop."""

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


REFUSED = [
    adds_values, goes_through, sets_a_default, takes_out, asks_with_a_default, updates,
    deletes, spreads, unites, copies, first_set_in_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("fn", REFUSED, ids=lambda fn: fn.__name__)
def test_what_must_know_the_keys(fn):
    with pytest.raises(ya.UnsupportedSyntax, match="which keys the dict has here"):
        ya.grad(fn, 2.0)


def reads_what_is_there_in_a_try(x):
    found = made(x)
    try:
        return found["a"]
    except KeyError:
        return x * 7


def test_a_key_that_is_there_is_not_missing():
    with pytest.raises(ya.UnsupportedSyntax, match="an item of a container"):
        ya.grad(reads_what_is_there_in_a_try, 2.0)
