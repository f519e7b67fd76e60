"""A loop takes the items of a list or a dict as they are when it comes to them."""

import functools
import itertools

import numpy as np
import pytest

import yota_ast as ya

X = np.array([0.7, -1.2, 1.9, 0.4])


class Box:
    def __init__(self, items):
        self.items = items

    def total(self):
        return sum(self.items)


def later_value_of_a_dict(x):
    d = {"a": x[0], "b": x[1], "c": x[2]}
    s = 0.0
    for v in d.values():
        d["c"] = v * x[3]
        s = s + v * v
    return s


def later_item_of_a_dict(x):
    d = {"a": x[0], "b": x[1], "c": x[2]}
    s = 0.0
    for i, (k, v) in enumerate(d.items()):
        d[k] = v * (i + 1)
        if k == "a":
            d["b"] = 7 * x[3] * x[0]
        s += v * v
    return s + d["b"]


def zipped_values(x):
    d = {"a": x[0], "b": x[1], "c": x[2]}
    s = 0.0
    for w, v in zip((1.0, 2.0, 3.0), d.values(), strict=True):
        d["c"] = d["c"] * v
        s += w * v
    return s


def later_item_of_a_list(x):
    xs = [x[0], x[1], x[2], x[3]]
    s = 0.0
    for i, v in enumerate(xs):
        if v > 0 and i < 3:
            xs[i + 1] = xs[i + 1] * v
        s = s + v * v
    return s


def under_another_name(x):
    xs = [x[0], x[1], x[2]]
    same = xs
    s = 0.0
    for v in xs:
        same[2] = same[2] * v
        s += v
    return s


def left_before_the_end(x):
    xs = [x[0], x[1], x[2], x[3]]
    s = 0.0
    for i, v in enumerate(xs):
        if v > 1.5:
            break
        if i < 3:
            xs[i + 1] += v * v
        s = s + v * v
    else:
        s = s * 3
    return s + xs[3]


def from_the_end(x):
    xs = [x[0], x[1], x[2]]
    s = 0.0
    for v in reversed(xs):
        xs[0] = xs[0] * v
        s += v * v
    return s


def worklist(x):
    todo = [(0, x[0])]
    s = 0.0
    for depth, v in todo:
        s += v * v
        if depth < 3:
            todo.append((depth + 1, v * x[1]))
            todo.append((depth + 1, v + x[2]))
    return s


def grows_at_the_front(x):
    xs = [x[0], x[1]]
    s = 0.0
    for k, v in enumerate(xs):
        if k < 2:
            xs.insert(0, v * v)
        s += (k + 1) * v
    return s


def gets_shorter(x):
    xs = [x[0], x[1], x[2], x[3]]
    s = 0.0
    for v in xs:
        s += v * v
        xs.pop()
    return s


def in_a_comprehension(x):
    xs = [x[0], x[1], x[2], x[3]]
    return sum([xs.pop() * v for v in xs])


def by_a_helper(x):
    t = [x[0], x[1], x[2]]

    def bump(q, v):
        q[-1] = q[-1] * v
        return v * v

    return sum([bump(t, v) for v in t])


def bound_anew(x):
    t = [x[0], x[1], x[2]]
    s = 0.0
    for v in t:
        t = [*t, v * v]
        s += v * t[-1]
    return s + sum(t)


def generator_of_a_lambda(x):
    g = (v * v for v in (x[0], x[1], x[2]))
    total = lambda: sum(g)
    return total() + 2 * total()


def generator_in_a_list(x):
    gs = [(v * v for v in (x[0], x[1]))]
    return sum(gs[0]) + 5 * sum(gs[0])


def generator_of_an_object(x):
    box = Box(v * v for v in (x[0], x[1]))
    return box.total() + 10 * box.total()


def generator_in_a_comprehension(x):
    g = (v * v for v in (x[0], x[1], x[2]))
    r = [sum(g) for _ in (0, 1, 2)]
    return r[0] + 10 * r[1] + 100 * r[2]


def generator_of_a_partial(x):
    g = (v * v for v in (x[0], x[1]))
    f = functools.partial(sum, g)
    return f() + 10 * f()


def empty_generator_is_true(x):
    g = (v for v in (x[0], x[1]))
    s = sum(g)
    return s if g else x[2]


def zip_in_a_dict(x):
    d = {"g": zip((x[0], x[1]), (x[2], x[3]), strict=True)}
    s = 0.0
    for a, b in d["g"]:
        s = s + a * b
    for a, b in d["g"]:
        s = s + 10 * a * b
    return s


def name_of_an_outer_function(x):
    s = 1.0

    def made():
        return (s * v for v in x)

    g = made()
    s = 2.0
    return sum(g)


def closure_of_a_map(x):
    k = x[0]
    m = map(lambda v: k * v, (x[1], x[2]))
    k = x[3]
    return sum(m)


def reads_what_the_loop_writes(x):
    xs = [x[0], x[1], x[2]]
    s = 0.0
    for v in (xs[i] * 2 for i in range(3)):
        xs[2] = v * x[3]
        s += v
    return s


def some_left_by_any(x):
    g = (v for v in (x[0], x[1], x[2], x[3]))
    return sum(g) if any(v < 0 for v in g) else x[0]


def some_left_by_islice(x):
    it = iter((x[0], x[1], x[2], x[3]))
    first = list(itertools.islice(it, 2))
    return first[0] * first[1] + sum(it)


def some_left_by_zip(x):
    it = iter([x[0], x[1], x[2], x[3]])
    s = 0.0
    for a, b in zip((1.0, 2.0), it, strict=False):
        s += a * b * b
    return s + sum(it)


def chained_later(x):
    a, b = [x[0], x[1]], [x[2]]
    c = itertools.chain(a, b)
    b.append(x[3] ** 2)
    return sum(v * v for v in c)


def iterator_of_a_list(x):
    a = [x[0], x[1], x[2]]
    it = iter(a)
    f = next(it)
    a[1] = f * x[3]
    return next(it) * 2 + f


FOLLOWED = [
    later_value_of_a_dict, later_item_of_a_dict, zipped_values, later_item_of_a_list,
    under_another_name, left_before_the_end, from_the_end, worklist, grows_at_the_front,
    gets_shorter, in_a_comprehension, by_a_helper, bound_anew, generator_of_a_lambda,
    generator_in_a_list, generator_of_an_object, generator_in_a_comprehension,
    generator_of_a_partial, empty_generator_is_true,
]  # fmt: skip
REFUSED = [
    zip_in_a_dict, name_of_an_outer_function, closure_of_a_map,
    reads_what_the_loop_writes, some_left_by_any, some_left_by_islice, some_left_by_zip,
    chained_later, iterator_of_a_list,
]  # fmt: skip


@pytest.mark.parametrize("f", FOLLOWED)
def test_followed(f):
    val, g = ya.grad(f, X)
    assert val == f(X)
    for k, step in enumerate(1e-6 * np.eye(4)):
        slope = (f(X + step) - f(X - step)) / 2e-6
        assert g[0][k] == pytest.approx(slope, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("f", REFUSED)
def test_refused(f):
    """What is read later than the items were taken here: a wrong value once."""
    with pytest.raises(ya.UnsupportedSyntax, match="iterator"):
        ya.grad(f, X)


# ------------------------------------------------------------------ arrays


def counted_from_one(g):
    s = 0.0
    for i, e in enumerate(g, 1):
        g[-1] = e * 2
        s += e * i
    return s


def beside_a_list(g):
    s = 0.0
    for e, f in zip(g, [1.0, 2.0], strict=False):
        g[1] = e * 3
        s += e * f
    return s


def backwards(g):
    s = 0.0
    for v in reversed(g):
        g[0] = v * 2
        s += v
    return s


def by_a_view(g):
    s = 0.0
    for i, v in enumerate(g[::-1], 1):
        g[0] = v * 2
        s += v * i
    return s


def on_one_way(g):
    s = 0.0
    for n in range(2):
        for i, e in enumerate(g, 1):
            if e > n:
                g[-1] = e * 3
            s += e * i
    return s


def by_a_function(g):
    def moved(v):
        g[1] = v * 3
        return v * v

    s = 0.0
    for i, v in enumerate(g, 1):
        s += moved(v) * i
    return s


def of_rows(g):
    a = np.outer(g, g) + 1
    s = 0.0
    for row, w in zip(a, [1.0, 2.0], strict=False):
        row[0] = 3.0
        a[1] += row
        s += np.sum(row * g) * w
    return s + np.sum(a)


@pytest.mark.parametrize("passes", ["all", "none"])
@pytest.mark.parametrize("g", [np.array([0.3, 0.8]), np.array([0.3, 0.8, 0.5])])
@pytest.mark.parametrize(
    "fn",
    [
        counted_from_one,
        beside_a_list,
        backwards,
        by_a_view,
        on_one_way,
        by_a_function,
        of_rows,
    ],
)
def test_a_loop_reads_arrays_when_it_comes_to_their_items(fn, g, passes, monkeypatch):
    monkeypatch.setenv("YOTA_AST_PASSES", passes)
    value, slope = ya.simplegrad(fn, g.copy())(g.copy())
    assert value == fn(g.copy())
    ends = [(fn(g + h), fn(g - h)) for h in 1e-6 * np.eye(len(g))]
    wanted = [(up - down) / 2e-6 for up, down in ends]
    np.testing.assert_allclose(slope, wanted, rtol=1e-6, atol=1e-8)
