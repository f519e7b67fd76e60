"""Loops over generators: the body stands where they yield, as it runs in Python."""

from itertools import (
    accumulate,
    combinations,
    combinations_with_replacement,
    cycle,
    groupby,
    islice,
    pairwise,
    permutations,
    product,
    starmap,
    takewhile,
    tee,
)

import numpy as np
import pytest

import yota_ast as ya
from yota_ast.errors import UnsupportedSyntax

from .checking import check
from .every_mode import check_every_mode

X = np.array([0.7, -0.4, 1.3, 0.2, 0.9])


V = np.array([0.3, -1.0, 0.5, 0.2, 0.7])


def check_made(fn, example, *others):
    """In every mode, and by the text that is made for an example."""
    made = ya.simplegrad(fn, example)
    for x in others:
        check_every_mode(fn, x, V)
        value, g = ya.grad(fn, x)
        found = made(x)
        assert found[0] == value
        np.testing.assert_allclose(found[1], g["x"], rtol=1e-12)


def pairs(x):
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            yield x[i], x[j], i


def distances(x):
    s = 0.0
    for a, b, _ in pairs(x):
        s += (a - b) ** 2 * s + a
    return s


def some_left_out(x):
    s, count = 0.0, 0
    for a, b, k in pairs(x):
        if a < b:
            continue
        count += 1
        s = s * 0.5 + a * b * k
    else:
        s = s * count
    return s


def steps(x, most):
    t = x[0]
    while t < most:
        yield t
        t = t * 1.5 + x[1] ** 2


def while_it_grows(x):
    s = 0.0
    for t in steps(x, 4.0):
        s += np.sin(t) * x[2]
    return s + sum(t * t for t in steps(x, 2.0))


def never(x):
    s = x[3]
    t = 0.0
    for t in steps(x, 0.0):
        s += t
    return s * s + t


def turns(x):
    yield x[0] * 2.0
    for v in x:
        if v > 0.5:
            yield v
    yield x[1]


def in_several_places(x):
    s, last = 1.0, 0.0
    for v in turns(x):
        s = s * v + last
        last = v
    return s * last


def both_write(x):
    y = x * 1.0

    def halves():
        for k in range(len(y)):
            y[k] *= 0.5
            yield y[k]

    s = 0.0
    for v in halves():
        s += v * v
        y[len(y) - 1] += v
    return s + y.sum()


def counted(x):
    n = 0

    def parts():
        nonlocal n
        for v in x:
            n += 1
            yield v * n

    s = 0.0
    for v in parts():
        s += v * n
        n += 1
    return s * n


def nested(x):
    s = 0.0
    for a, _, k in pairs(x):
        for t in steps(x, 1.0 + k):
            s += a * t
        s *= 0.9
    return s


def leaves(tree):
    if isinstance(tree, tuple):
        for branch in tree:
            yield from leaves(branch)
    else:
        yield tree


def of_a_tree(x):
    s = 1.0
    for v in leaves(((x[0], x[1]), (x[2], (x[3], x[4] * x[0])))):
        s = s * 0.7 + v * v
    return s


class Path:
    def __init__(self, x):
        self.x, self.seen = x, 0

    def __iter__(self):
        for v in self.x:
            self.seen += 1
            yield v * self.seen


def of_an_object(x):
    path, s = Path(x), 0.0
    for v in path:
        s += v * path.seen
    return s


def through_helpers(x):
    return sum(w for w in running(turns(x)))


def running(items):
    total = 0.0
    for v in items:
        total = total * 0.5 + v
        yield total


LOOPS = [
    distances, some_left_out, while_it_grows, never, in_several_places, both_write,
    counted, nested, of_a_tree, of_an_object, through_helpers,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", LOOPS, ids=lambda f: f.__name__)
def test_the_gradient(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check(fn, X)


@pytest.mark.parametrize("fn", LOOPS, ids=lambda f: f.__name__)
def test_other_arguments_and_modes(fn):
    check_made(fn, X, X[::-1].copy(), np.array([0.3, 0.8, -0.1, 0.6, 1.1]))


def test_no_list_is_made_of_the_items():
    source = ya.simplegrad(distances, X).source
    assert "t1.append(" not in source
    assert "zeros_in_lists" not in source
    assert source.count("    for ") == 4


def guarded(x):
    for v in x:
        try:
            yield 1.0 / v
        except ValueError:
            yield 0.0


def raises_within(x):
    s = 0.0
    for v in guarded(x):
        if v < 0.0:
            raise ValueError("negative")
        s += v
    return s


def test_the_body_does_not_stand_within_a_handler_of_the_generator():
    """It would catch what the body raises."""
    with pytest.raises(UnsupportedSyntax, match="the body of `try` changes a cont"):
        ya.grad(raises_within, X)


# ---------------------------------------------------------------- loops that are left


def halvings(x):
    t = x[0]
    while True:
        yield t
        t = 0.5 * (t + x[2] / t)


def until_it_settles(x):
    last, n = 0.0, 0
    for t in halvings(x):
        n += 1
        if abs(t - last) < 1e-3:
            break
        last = t
    return last * t * n


def returned_from_within(x):
    s = 0.0
    for t in halvings(x):
        s += t
        if s > 3.0:
            return s * x[1], t
    return 0.0, s


def unless_left(x):
    s = 0.0
    for a, b, _ in pairs(x):
        if a > b + 0.85:
            break
        s += a * b
    else:
        s = s * 10.0
    return s + a


def end_to_end(x):
    yield from x
    yield x[0] * x[1]
    yield from (v * 2.0 for v in x)


def of_several_parts(x):
    s, n = 0.0, 0
    for v in end_to_end(x):
        if v < 0.0:
            continue
        n += 1
        if s > x[2] * 1.5:
            break
        s += v
    return s * s * n


def in_a_helper(x):
    return first_above(x, 0.3) * first_above(x * 2.0, 5.0)


def first_above(x, least):
    for a, b, k in pairs(x):
        if a * b > least:
            return a * k
    return x[0]


def again_and_again(x):
    s = 0.0
    for k in range(3):
        for t in halvings(x * (k + 1)):
            s += t
            if abs(t * t - x[2] * (k + 1)) < 0.05:
                break
        else:
            s = 0.0
    return s


def counted_until(x):
    s = 0.0
    for k, t in enumerate(halvings(x), 1):
        s += t * k
        if k > 4:
            break
    return s


def beside_an_array(x):
    s = 0.0
    for t, v in zip(halvings(x), x):
        s += t * v
    for v, t in zip(x, halvings(x)):
        s *= v - t
    return s


def as_long_as(x):
    return sum(
        t * t for t in takewhile(lambda t: abs(t * t - x[2]) > 0.05, halvings(x))
    )


def the_first(x):
    items = list(islice(halvings(x), 5))
    return items[-1] * items[1] + sum(t * v for t, v in zip(halvings(x), x))


def left_within_left(x):
    s = 0.0
    for v in end_to_end(x):
        for t in halvings(x):
            s += t * v
            if t < 1.2:
                break
        if s > 20.0:
            break
    return s


def asking(x):
    for v in x:
        told = yield v
        yield v if told is None else 100.0


def nothing_is_told_later(x):
    s = 0.0
    for t in halvings(x):
        s += t
        if s > 3.0:
            break
    for v in asking(x):
        s += v * v
    return s


LEFT = [
    left_within_left, nothing_is_told_later,
    counted_until, beside_an_array, as_long_as, the_first,
    until_it_settles, unless_left, of_several_parts, in_a_helper, again_and_again,
]  # fmt: skip


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("fn", LEFT, ids=lambda f: f.__name__)
def test_a_loop_that_is_left(fn, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    check_made(fn, np.abs(X), np.abs(X), np.abs(X[::-1]) + 0.1)


def test_what_a_loop_returns():
    value, g = ya.grad(returned_from_within, np.abs(X), seed=(1.0, 2.0))
    assert value == returned_from_within(np.abs(X))
    ends = [
        np.dot([1.0, 2.0], returned_from_within(np.abs(X) + h)) for h in (1e-6, -1e-6)
    ]
    np.testing.assert_allclose(g["x"].sum(), (ends[0] - ends[1]) / 2e-6, rtol=1e-6)


def returns_from_a_loop_within(x):
    for a, _, _ in pairs(x):
        for v in x:
            if v > a:
                return v
    return 0.0


def returns_from_a_try(x):
    for v in halvings(x):
        try:
            if v * v - x[2] < 1e-3:
                return v
            w = 1.0 / v
        except ZeroDivisionError:
            break
    return w


@pytest.mark.parametrize("fn", [returns_from_a_loop_within, returns_from_a_try])
def test_a_loop_that_is_left_from_deeper_is_refused(fn):
    with pytest.raises(UnsupportedSyntax, match="is left before its end"):
        ya.grad(fn, X)


# ---------------------------------------------------------------- itertools


def shifted(x):
    ahead, behind = tee(x)
    next(ahead, None)
    return ahead, behind


OF_MANY = {
    "combinations": lambda x: sum(a * b * b for a, b in combinations(x, 2)),
    "of an iterator": lambda x: sum(
        a * b * (j - i) for (i, a), (j, b) in combinations(enumerate(x), 2)
    ),
    "of three": lambda x: sum(a * b + c for a, b, c in combinations(x[x > -1], 3)),
    "with the same": lambda x: sum(
        a * b for a, b in combinations_with_replacement(sorted(x), 2)
    ),
    "permutations": lambda x: sum(a * b * b for a, b in permutations(x[x > -1], 2)),
    "product": lambda x: sum(i * v * w for (i, v), w in product(enumerate(x), x)),
    "pairwise": lambda x: sum(a * b * b for a, b in pairwise(x)),
    "starmap": lambda x: sum(starmap(lambda a, b: a * b * b, enumerate(x))),
    "accumulate": lambda x: sum(accumulate(v * v for v in x)),
    "accumulate with": lambda x: sum(
        accumulate(x[x > -1], lambda a, b: a * b + 1.0, initial=x[0])
    ),
    "takewhile": lambda x: sum(
        v * w for v, w in takewhile(lambda p: p[0] < 1.2, zip(x, x * x))
    ),
    "cycle": lambda x: sum(w * v * v for w, v in zip(cycle((1.0, -2.0)), x)),
    "tee": lambda x: sum(u * v * v for u, v in zip(*shifted(x))),
    "groupby": lambda x: sum(
        (2.0 if k else 1.0) * max(g) for k, g in groupby(x, key=lambda v: v > 0.5)
    ),
    "groupby of names": lambda x: sum(
        len(k) * sum(v * v for _, v in g)
        for k, g in groupby(zip(["a", "a", "bb", "bb", "a"], x), key=lambda t: t[0])
    ),
}


@pytest.mark.parametrize("name", OF_MANY)
def test_itertools_of_as_many_items_as_there_are(name):
    fn = OF_MANY[name]
    check(fn, X)
    for x in (np.array([1.5]), np.array([0.4, 0.8]), X):
        if "names" not in name:
            assert ya.grad(fn, x)[0] == fn(x)
            assert ya.gradcheck(fn, x)


# ---------------------------------------------------------------- what changes then


def pairs_changed(x):
    y, s = x * 1.0, 0.0
    for a, b in combinations(y, 2):
        s += a * b
        y[1] *= 1.5
    return s


def products_changed(x):
    y, s = x * 1.0, 0.0
    for a, b in product(y, y):
        s += a * b
        y[2] *= 1.1
    return s


def changed_before_it_is_read(x):
    y = x * 1.0
    made = permutations(y, 2)
    y[0] = 5.0
    return sum(a * b * b for a, b in made)


def neighbours_changed(x):
    y, s, k = x * 1.0, 0.0, 0
    for a, b in pairwise(y):
        s += a * b
        k += 1
        y[k] *= 1.5
    return s


def groups_changed(x):
    y, s = x * 1.0, 0.0
    for key, items in groupby(y, key=lambda v: v > 0.5):
        s += sum(items) * (2 if key else 1)
        y[4] *= 0.7
    return s


def twice_taken(x):
    y = x * 1.0
    ahead, behind = tee(y)
    y[0] = 2.0
    return sum(u * v for u, v in zip(ahead, behind))


def a_list_that_grows(x):
    items, s = [x[0], x[1], x[2]], 0.0
    for v, t in zip(items, halvings(x)):
        s += t * v
        if len(items) < 5:
            items.append(v * t)
    return s


def written_by_the_generator(x):
    y, s = x * 1.0, 0.0

    def steps_that_write():
        k = 0
        while True:
            y[k] *= 2.0
            k += 1
            yield y[k]

    for v, t in zip(y[:3], steps_that_write()):
        s += v * t
    return s


def of_a_lambda(x):
    once = lambda: (yield x[0])
    s = 0.0
    for v in once():
        s += v * v
    return s


def refusal(fn, x):
    """Why a function is refused; "" where it is not."""
    try:
        ya.grad(fn, x)
    except UnsupportedSyntax as error:
        return error.reason
    return ""


@pytest.mark.parametrize(
    "fn",
    [pairs_changed, products_changed, changed_before_it_is_read, neighbours_changed,
     groups_changed, twice_taken, a_list_that_grows, written_by_the_generator,
     of_a_lambda],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_what_is_written_meanwhile_is_right_or_refused(fn):
    reason = refusal(fn, np.abs(X))
    if reason:
        assert "has changed" in reason or "writes into" in reason
    else:
        check_every_mode(fn, np.abs(X), V)
