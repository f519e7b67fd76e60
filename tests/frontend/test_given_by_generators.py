"""yield from: its value is what the generator returns; and dicts item by item."""

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

from .checking import check


def scaled(x):
    yield x
    return 5.0 * x


def returned(x):
    r = yield from scaled(x)
    yield r * x


def handed_on(x):
    r = yield from scaled(x)
    return r * x


def through_two(x):
    r = yield from handed_on(x)
    yield r


def twice_at_once(x):
    yield (yield from scaled(x)) * (yield from scaled(2.0 * x))


def of_each_pass(x):
    for k in range(3):
        r = yield from scaled(x * k)
        yield r * x


def of_a_list(x):
    r = yield from [x, 2.0 * x]
    yield x if r is None else 9.0 * x


def of_a_generator_held(x):
    made = scaled(x)
    r = yield from made
    yield r * x


class Steps:
    def __init__(self, x):
        self.x = x

    def __iter__(self):
        yield self.x
        return self.x * 4.0


def of_an_object(x):
    r = yield from Steps(x)
    yield r * x


@pytest.mark.parametrize(
    "generator",
    [
        returned,
        through_two,
        twice_at_once,
        of_each_pass,
        of_a_list,
        of_a_generator_held,
        of_an_object,
    ],
)
def test_yield_from_gives_what_is_returned(generator):
    def total(x):
        return sum(generator(x))

    check(total, 0.7)


def each_of(v):
    yield from v
    return len(v) * 2.0


def of_an_array(v):
    r = yield from each_of(v)
    yield r * v[0]


def looped_over(v):
    total = 0.0
    for t in of_an_array(v):
        total = total * 0.5 + t * t
    return total


def test_of_items_of_an_array():
    check(looped_over, np.array([0.3, 1.2, -0.5]))


def leaves(tree):
    if isinstance(tree, tuple):
        for part in tree:
            yield from leaves(part)
    else:
        yield tree


def squared_on(n, x):
    if n:
        yield x
        yield from squared_on(n - 1, x * x)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: sum(i * v for i, v in enumerate(leaves((x, (x * x, (3.0, x)))))),
        lambda x: sum(i * v for i, v in enumerate(squared_on(6, x))),
    ],
)
def test_a_generator_within_itself_is_run_to_its_end(f):
    check(f, 0.7)


class Notes:
    def __init__(self):
        self.total = 0.0

    def add(self, k):
        self.total = self.total * 10.0 + k
        return k

    def more(self, k):
        self.add(k)
        return {"more": k}


def written_out(x):
    notes = Notes()
    made = {
        notes.add(1): notes.add(2) * x,
        **notes.more(3),
        notes.add(4): notes.add(5),
    }
    return notes.total * x + made[1] + made["more"]


def test_a_key_is_computed_before_its_value():
    check(written_out, 0.7)


# ---------------------------------------------------------------- what they read


def doubled(items):
    for item in items:
        yield item * 2


def parts(table):
    yield table["a"]
    yield table["b"]


def written_array(x):
    y = x.copy()
    pairs = zip((1.0, 2.0, 3.0), doubled(y))
    y[0] = 5 * x[1]
    return sum(a * b for a, b in pairs)


def longer_list(x):
    items = [x[0], x[1]]
    pairs = zip((1.0, 2.0, 3.0), doubled(items))
    items.append(x[2])
    return sum(a * b for a, b in pairs)


def written_dict(x):
    table = {"a": x[0], "b": x[1]}
    pairs = zip((1.0, 2.0), parts(table))
    table["a"] = x[2] ** 2
    return sum(a * b for a, b in pairs)


def mapped(x):
    y = x.copy()
    found = map(abs, doubled(y))
    y[0] = 5 * x[1]
    return sum(found)


def written_in_the_loop(x):
    y = x.copy()
    for a, b in zip(doubled(y), x):
        y[2] += a * b
    return y @ y


@pytest.mark.parametrize(
    ("f", "line", "name"),
    [
        (written_array, 4, "`pairs`"),
        (longer_list, 4, "`pairs`"),
        (written_dict, 4, "`pairs`"),
        (mapped, 4, "`found`"),
        (written_in_the_loop, 2, "of the loop"),
    ],
)
def test_what_a_generator_reads_may_not_change_before_its_items_are_used(f, line, name):
    with pytest.raises(UnsupportedSyntax) as caught:
        ya.grad(f, np.array([0.3, 0.7, 1.1]))
    assert caught.value.lineno == f.__code__.co_firstlineno + line
    assert caught.value.reason == (
        f"the iterator {name} reads something that has changed since it was made"
    )


def powers(base, n):
    power = 1.0
    for _ in range(n):
        yield power
        power *= base


def growing(x):
    size = x[0]

    def grow():
        nonlocal size
        size = size * 2

    for _ in range(3):
        yield size
        grow()


def polynomial(x):
    return sum(c * p for c, p in zip((1.0, 0.5, 0.25), powers(x[0], 5)))


def sizes(x):
    return sum(c * s for c, s in zip((1.0, 2.0, 3.0), growing(x)))


@pytest.mark.parametrize(
    ("f", "slope"), [(polynomial, 0.5 + 0.25 * 2 * 0.3), (sizes, 1.0 + 4.0 + 12.0)]
)
def test_a_generator_may_change_its_own_names(f, slope):
    assert ya.grad(f, np.array([0.3, 0.7]))[1][0][0] == pytest.approx(slope)


def halves(xs):
    if len(xs) < 2:
        yield xs[0]
    else:
        yield from halves(xs[: len(xs) // 2])
        yield from halves(xs[len(xs) // 2 :])


def weighted(x):
    return sum(i * v for i, v in enumerate(halves(x)))


def test_parts_of_a_length_that_is_checked_are_not_checked():
    x = np.array([0.7, -0.3, 1.1])
    check(weighted, x)
    source = ya.simplegrad(weighted, x).source
    assert source.count("raise ValueError") == 2
    assert "made for x.shape[0] = 3" in source


def numbered(xs, depth):
    if len(xs) < 2:
        yield xs[0] * depth
    else:
        yield from numbered(xs[: len(xs) // 2], depth + 1)
        yield from numbered(xs[len(xs) // 2 :], depth + 1)


def twice_each(v, depth):
    if depth == 0:
        yield v
    else:
        yield from twice_each(v * v, depth - 1)
        yield from twice_each(v * 3.0, depth - 1)


def of_numbered(x):
    return sum(numbered(x, 0))


def test_a_number_that_changes_shows_an_end_for_so_many_runs():
    """At each run it may run itself twice: it is not followed for ever."""
    check(lambda x: sum(twice_each(x, 5)), 0.7)
    check(of_numbered, np.linspace(0.1, 1.0, 6))
    with pytest.raises(UnsupportedSyntax, match=r"runs itself|nested too deeply"):
        ya.grad(of_numbered, np.linspace(0.1, 1.0, 12))
