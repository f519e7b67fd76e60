"""Functions for test_applied.py, test_iterators.py and test_standard.py.

Each takes the array X of three floats and gives a number.
"""

import collections
import collections.abc
import copy
import dataclasses
import datetime as dt
import functools
import inspect
import itertools
import logging
import operator
import re
import types
import warnings

import numpy as np

LOG = logging.getLogger(__name__)
MODE = "Square"


def square(v):
    return v * v


def cube(v):
    return v**3


POWERS = {"square": square, "cube": cube}


class Registry(collections.abc.Mapping):
    """Functions by names in any case."""

    def __init__(self, items):
        self._items = {k.lower(): v for k, v in items.items()}

    def __getitem__(self, key):
        return self._items[key.lower()]

    def __iter__(self):
        yield from self._items

    def __len__(self):
        return len(self._items)


REGISTRY = Registry(POWERS)
WEIGHTS = Registry({"a": 2.0, "b": 3.0})


# ---------------------------------------------------------------- chosen functions


def by_name(x, kind="cube"):
    return np.sum(POWERS[kind](x))


def by_registry(x, kind="CUBE"):
    return np.sum(REGISTRY[kind](x)) * WEIGHTS["B"]


def by_global(x):
    return np.sum(POWERS[MODE.lower()](x))


def by_get(x):
    return np.sum(POWERS.get("cube")(x)) + np.sum(REGISTRY.get("square")(x))


def by_attribute(x, name="mean"):
    return getattr(np, name)(x * x)


def by_branch(x):
    f = np.sin if x[0] > 0 else square
    return np.sum(f(x))


def by_branches(x):
    if x[0] > 1:
        f = np.cos
    elif x[1] > 1:
        f = lambda v: v * x[2]
    else:
        f = cube
    return np.sum(f(x)) + np.sum(f(2 * x))


def by_nested_branch(x):
    f = None
    if x[0] > 0:
        f = np.cos if x[1] > 5 else square
    if f is None:
        return np.sum(x)
    return np.sum(f(x))


def perhaps_none(x):
    f = None
    if x[0] > 5:
        f = cube
    return np.sum(f(x) if f else x * 2)


def lists_of_functions(x):
    functions = [np.sin, square] if x[0] > 0 else [square, np.cos]
    return sum(np.sum(f(x)) for f in functions)


# ---------------------------------------------------------------- loops over functions


def mapped(x):
    total = 0.0
    for v in map(np.sin, x):
        total += v * v
    return total


def mapped_two(x):
    total = 0.0
    for a, b in map(lambda u, v: (u * v, u), x, x * x):
        total = total + a * b
    return total


def filtered(x):
    total = 0.0
    for v in filter(lambda v: v > 1, x):
        total = total + v * v
    return total


def summed_map(x):
    return sum(map(lambda v: v * v, x))


def listed_map(x):
    return np.array(list(map(lambda v: v**2, x))).sum()


def unpacked_map(x):
    a, b, c = map(float, x)
    return a * b * c


def enumerated(x):
    total = 0.0
    for k, v in np.ndenumerate(x):
        total = total + v * v * (k[0] + 1)
    return total


def vectorized(x):
    f = np.vectorize(lambda v: v * v if v > 1 else -v)
    return np.sum(f(x) ** 2)


def made_of_objects(x):
    bent = np.frompyfunc(lambda v: v * v if v > 1 else 0, 1, 1)
    pair = np.frompyfunc(lambda u, v: u * np.sin(v), 2, 1)
    rows = pair(np.outer(x, x), x).astype(np.float64)
    return np.sum(bent(x).astype(float) * x) + np.sum(rows) + bent(x[2])


def vectorized_pair(x):
    @np.vectorize
    def f(a, b, c):
        return a * b + c

    return np.sum(f(x, x[::-1], 2.0))


def vectorized_by_name(x):
    @np.vectorize
    def f(a, b=2.0, *, c=1.0):
        return a * b + c if a > 1 else a * c

    def g(a, otypes):
        return a * otypes if a > 1 else 0

    table = f(x, c=x[:, np.newaxis]) + f(a=x[0], b=x)
    nothing = np.vectorize(lambda: 2.0)()
    whole = np.vectorize(g, otypes=[float])(x[::-1], otypes=x)
    return np.sum(table) * f(x[2], b=x[1]) + np.sum(whole) * nothing


def vectorized_to_several(x):
    @np.vectorize
    def halved(a, b):
        count = 0
        while a > 1:
            a = a * 0.5
            count += 1
        return a * b, count > 0, count

    part, large, count = halved(x, x[0])
    one, _, times = halved(x[2], b=x[1])
    whole = np.sum(part * count) + np.sum(x[large] ** 2) + one * times
    return whole + np.sum(np.vectorize(lambda v: 2 if v > 1 else 3)(x) * x)


def vectorized_with_options(x):
    @np.vectorize
    def f(a, mode="x", limit=None):
        if limit is not None and a > limit:
            return limit * 2.0
        return a * 2.0 if mode == "x" else a * a

    some = f(x, "y", None) + f(x, limit=1.5, mode="y") + f(x, limit=x[0])
    return np.sum(some * f(x[1], mode="y"))


def vectorized_by_any_text(x):
    def f(a, **options):
        return a * options["a b"] + options["k0=1) + (2"]

    return np.sum(np.vectorize(f)(x, **{"a b": x[::-1], "k0=1) + (2": 0.5}))


@np.vectorize
def capped(a, b):
    if a > b:
        return a - b
    return a * b


def vectorized_outside(x):
    return np.sum(capped(x, 1.5))


def along_vector(x):
    return np.apply_along_axis(lambda r: r * np.sum(r), 0, x).sum()


def along_rows(x):
    m = np.outer(x, x * x)
    by_row = np.apply_along_axis(lambda r: r / np.sum(r), 1, m)
    by_column = np.apply_along_axis(lambda r: r / np.sum(r), 0, m)
    sums = np.apply_along_axis(lambda r: np.sum(r**2), 0, m)
    return np.sum(by_row * m) + np.sum(by_column * m) + np.sum(sums * x)


def piecewise(x):
    parts = [lambda v: v * v, lambda v: 3 * v]
    return np.sum(np.piecewise(x, [x < 1, x >= 1], parts))


def piecewise_otherwise(x):
    return np.sum(np.piecewise(x, [x < 1], [lambda v: v * v, 7.0]) * x)


def from_items(x):
    return np.fromiter((v * v for v in x), float).sum()


def from_indices(x):
    return np.sum(np.fromfunction(lambda i, j: x[0] * i + j * x[1], (3, 2)))


def from_list(x):
    total = 0.0
    for v in x.tolist():
        total += v * v
    return total


def flat(x):
    total = 0.0
    for v in np.outer(x, x).flat:
        total += v**2
    return total


# ---------------------------------------------------------------- loops by position


def started(x):
    total = 0.0
    for k, v in enumerate(x, 2):
        total += k * v * v
    return total


def turned(x):
    total = 0.0
    for v in reversed(x):
        total = total * v + 1.0
    return total


def strict(x):
    total = 0.0
    for a, b in zip(x, x * x, strict=True):
        total += a * b
    return total


def nested(x):
    total = 0.0
    for k, (a, (b, c)) in enumerate(zip(x, zip(x * x, x[::-1]))):
        total += k * a * b * c
    return total


def with_range(x):
    total = 0.0
    for k, (i, v) in zip(range(1, 4), enumerate(x)):
        total += k * v * (i + 1)
    return total


# ---------------------------------------------------------------- itertools, iterators


def combinations(x):
    return sum(a * b for a, b in itertools.combinations(x, 2))


def places(x):
    total = 0.0
    for i, j in itertools.product(range(3), repeat=2):
        total = total + x[i] * x[j]
    return total


def pairwise(x):
    return sum(a * b for a, b in itertools.pairwise(x))


def accumulated(x):
    return sum(itertools.accumulate([x[0], x[1], x[2]], lambda a, b: a * b))


def chained(x):
    return sum(itertools.chain([x[0]], [x[1] * 2], itertools.repeat(x[2], 2)))


def sliced(x):
    first = [x[0] ** 2, x[1], x[2]]
    return sum(itertools.islice(first, 2)) + sum(
        itertools.starmap(operator.mul, [(x[0], x[1])])
    )


def longest(x):
    return sum(
        a * b for a, b in itertools.zip_longest([x[0], x[1]], [x[2]], fillvalue=1.0)
    )


def taken(x):
    items = iter([x[0], x[1], x[2]])
    first = next(items)
    return first * sum(items) + next(items, 1.0)


def starred(x):
    def product(*values):
        return functools.reduce(operator.mul, values)

    first, *rest = x
    return product(*x) + first * rest[1] + max(*x)


def listed(x):
    a, b = list(x)[:2]
    return a * b


# ---------------------------------------------------------------- the standard library


@dataclasses.dataclass
class Point:
    a: float
    b: np.ndarray
    c: int = 2


def as_tuple(x):
    a, b, c = dataclasses.astuple(Point(x[0], x * 2))
    return a * np.sum(b) * c


def as_dict(x):
    fields = dataclasses.asdict(Point(x[0], x * 2))
    other = dataclasses.replace(Point(x[0], x), a=x[1])
    return sum(np.sum(v) for k, v in fields.items() if k != "c") + other.a


def copies(x):
    y = copy.copy(x)
    y[0] = 0.0
    z = copy.deepcopy({"a": [x, 1.0]})
    z["a"][0][1] = 3.0
    return np.sum(y * x) + np.sum(z["a"][0] * x)


def at_least(**limits):
    def decorator(f):
        signature = inspect.signature(f)

        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            for name, value in bound.arguments.items():
                if name in limits and np.any(np.asarray(value) < limits[name]):
                    warnings.warn(f"{name} is below {limits[name]}", stacklevel=2)
            return f(*bound.args, **bound.kwargs)

        return wrapper

    return decorator


@at_least(x=0.0)
def bound(x, k=2.0):
    return np.sum(x**2) * k


def logged(x):
    LOG.info("the argument is %s", x)
    total = np.sum(x * x)
    if total > 0:
        LOG.warning("the sum is %g", total)
    return total


def quiet(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = np.sqrt(x)
    return np.sum(y)


def typed(x):
    if x.dtype.kind == "f" and x.dtype == np.float64:
        return np.sum(x * x)
    return np.sum(x)


def options(x, **given):
    given.setdefault("power", 3)
    given.update(scale=2.0)
    return np.sum(x ** given.pop("power")) * given["scale"]


def takes_cube(x, power=2.0):
    return np.sum(x**power)


def takes_weight(x, weight=1.0):
    return np.sum(x) * weight


METHODS = {"cube": takes_cube, "weight": takes_weight}


def accepted(function, **given):
    given = copy.copy(given)
    try:
        names = list(inspect.signature(function).parameters.keys())
    except ValueError:
        return {}
    for name in set(given.keys()) - set(names):
        given.pop(name)
    return given


def dispatched(x, method="cube"):
    function = METHODS[method]
    return function(x, **accepted(function, power=3.0, weight=2.0))


def tried(x):
    try:
        count = 2
        f = np.sin
    except AttributeError:
        f = np.cos
    else:
        count = 3
    return np.sum(f(x)) * count


def namespace(x):
    parts = types.SimpleNamespace(a=x[0], b=x[1:])
    parts.c = parts.a * 2
    return parts.c * np.sum(parts.b)


def summed_by_key(x):
    total = collections.defaultdict(float)
    items = collections.defaultdict(list)
    for key, v in zip("aab", x, strict=True):
        total[key] += v * v
        items[key].append(v)
    return total["a"] * total["b"] * items["a"][1]


def ordered(x):
    parts = collections.OrderedDict()
    parts["p"] = x[0]
    parts["q"] = x[1] * 2
    return sum(v**2 for v in parts.values())


def picked(x):
    return operator.itemgetter(2)(x) * sum(map(operator.neg, x))


def by_date(x):
    day = dt.date(2020, 3, 1)
    return np.sum(x * x) * day.timetuple().tm_yday * day.month


class Private:
    def __init__(self, v):
        self.__v = v
        self.__n = 0

    def __next(self):
        self.__n += 1
        return self.__v * self.__n

    def total(self):
        return self.__next() + self.__next()


def mangled(x):
    return np.sum(Private(x).total())


def matched(x, length="3 km"):
    found = re.match(r"(\d+)\s*(\w+)", length)
    factor = float(found.group(1)) if found else 1.0
    return np.sum(x * x) * factor
