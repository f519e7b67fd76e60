# ruff: noqa: PERF401, PLC3002, PYI024, SLOT001, TRY301
"""Calls that are refused."""

import abc
import enum
import importlib
import inspect
import itertools
import math
import random
from collections import namedtuple
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property, lru_cache, partial

import numba
import numpy as np
from scipy import interpolate, linalg, stats
from scipy.spatial.transform import Rotation

from .cases import PYTHON_RAISES
from .cases import refused as _refused
from .groups import CALL, CONTAINERS, LIBRARIES, LOOP

refused = partial(_refused, group=CALL)
X = np.array([1.0, 2.0, 3.0])
RATE = 2.0
BYTES = np.array([200, 100], dtype=np.uint8)
RANGE = namedtuple("Range", "low high")(0.1, 0.7)
HOUR = timedelta(hours=1)
WAVE = interpolate.CubicSpline(X, X + 1j * X)


def square(x, factor=1.0):
    return factor * x * x


@refused(PYTHON_RAISES, 2.0)
def calls_wrongly(x):
    return square(x, 1, 2)


@refused(PYTHON_RAISES, 2.0)
def calls_a_builtin_wrongly(x):
    return x * len()


@refused(PYTHON_RAISES, 2.0, group=LOOP)
def calls_an_iterator_wrongly(x):
    return sum(a * b for a, b in itertools.combinations([x, x, x], -2))


@numba.guvectorize(["void(float64[:], float64[:])"], "(n)->(n)")
def smoothed(x, out):
    out[:] = 0.5 * (x + x[::-1])


@refused("The rows are not known where the function is read.", np.array([1.0, 2.0]))
def calls_under_guvectorize(x):
    return np.sum(smoothed(x) ** 2)


@numba.njit
def factorial(n):
    product = 1
    for k in range(2, n + 1):
        product *= k
    return product


@refused(PYTHON_RAISES, 2.0, group=LOOP)
def pairs_what_is_of_several_lengths(x):
    return sum(a * b for a, b in zip([x, x], [x], strict=True))


class Unfinished(abc.ABC):
    @abc.abstractmethod
    def value(self): ...


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def makes_an_abstract_object(x):
    return Unfinished().value() * x


class Narrow:
    __slots__ = ("x",)


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def sets_a_field_without_a_slot(x):
    narrow = Narrow()
    narrow.y = x
    return narrow.y


class Whole:
    def __float__(self):
        return 3


@refused(PYTHON_RAISES, 2.0)
def takes_an_int_for_a_float(x):
    return float(Whole()) * x


@refused("Generated code may raise the error with another cause.", 2.0)
def asks_for_the_cause_of_an_error(x):
    try:
        raise ValueError("y") from KeyError("x")
    except ValueError as error:
        return x if error.__cause__ is None else 2.0 * x


@refused(
    "Integers of Numba wrap around, and those of Python do not.",
    0.5,
    30,
    group=LIBRARIES,
)
def calls_a_compiled_factorial(x, n):
    return x / factorial(n)


@numba.njit
def of_a_range(gain):
    return gain * (RANGE.high - RANGE.low)


@refused(
    "The record may have changed when the generated code runs.",
    0.5,
    group=LIBRARIES,
)
def calls_what_keeps_a_record(gain):
    return of_a_range(gain)


@numba.njit
def of_a_constant(gain):
    return gain * SLOPE


SLOPE = 2.0
of_a_constant(1.0)
SLOPE = 3.0


@refused(
    "The function still computes with the constant that it was compiled with.",
    0.5,
    group=LIBRARIES,
)
def calls_what_keeps_another_constant(gain):
    return of_a_constant(gain)


@numba.njit
def brightness(row, gain):
    return gain * (row[0] + row[1])


@refused("NumPy adds up bytes in bytes, Numba in 64 bits.", BYTES, 0.5, group=LIBRARIES)
def adds_bytes_in_what_is_compiled(row, gain):
    return brightness(row, gain)


@refused("The list may grow until the loop takes its items.", 0.5, group=LOOP)
def takes_from_what_has_no_end(x):
    rows = [x, 2.0 * x]
    pairs = zip(rows, itertools.repeat(x))
    rows.append(x * x)
    return sum(a * b for a, b in pairs)


@refused("The numbers decide what the generated code does.", 0.5, group=LOOP)
def counts_from_what_is_not_known(x):
    return sum(x * k for _, k in zip((1, 2), itertools.count(x)))


@refused("The list may have changed when its items are taken.", 0.5, group=LOOP)
def begins_with_a_list_and_goes_on(x):
    rows = [x, x * x]
    return sum(a * b for a, b in zip((x, x), itertools.cycle(rows)))


class Rows(list):
    pass


@refused(
    "Generated code has no object of the class that it could ask.",
    2.0,
    group=CONTAINERS,
)
def asks_whether_an_object_is_true(x):
    return x if Rows() else 2 * x


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def makes_a_dict_of_no_pairs(x):
    return dict([(x, x, x)])[x]


class Side(enum.IntEnum):
    LEFT = 1
    RIGHT = 2

    def __mul__(self, other):
        return 3.0 * other


@refused("The member decides what is computed.", known=False, group=CONTAINERS)
def takes_some_member(x, k):
    return Side(k) * x


class Disc:
    def __init__(self, radius):
        self.radius = radius

    @cached_property
    def area(self):
        return 3.0 * self.radius**2


@refused(
    "Python keeps the first value, and generated code has no place for it.",
    2.0,
    group=CONTAINERS,
)
def reads_a_cached_property_of_what_changes(x):
    disc = Disc(x)
    if x > 0:
        x = x * disc.area
    disc.radius = x + 1
    return x * disc.area


@lru_cache
def weight(x):
    return np.random.normal() * x  # noqa: NPY002


@refused("Python draws once, and generated code would draw in each turn.", X)
def reads_a_cached_draw_in_a_loop(x):
    return sum(weight(x[0]) for _ in range(len(x)))


@refused("A call before may have drawn, and Python would keep that number.", X)
def reads_a_draw_that_was_kept_before(x):
    return weight(x[0]) * x[1]


@lru_cache
def table():
    return [1.0, 2.0]


table().append(3.0)


@refused("Python keeps the first value, and generated code would compute it again.", X)
def calls_what_has_been_changed_in_its_cache(x):
    return sum(table()) * x


@refused(PYTHON_RAISES, X, group=LIBRARIES)
def asks_for_no_type(x):
    return np.sum(np.sqrt(x, dtype="flaot"))


@refused(
    "The class of the object decides which method is called. Nothing is known "
    "of this parameter.",
    known=False,
)
def calls_a_method_of_the_unknown(m, x):
    return m.forward(x)


def _counts_an_item(weights, x):
    return weights[0] * x


@refused(PYTHON_RAISES, X, 2.0, works=_counts_an_item)
def calls_an_array(weights, x):
    return weights(0) * x


@refused("The function decides the gradient.", known=False)
def calls_the_unknown(f, x):
    return f(x)


class Network:
    def __init__(self, layer, layers, activation):
        self.layer, self.layers, self.activation = layer, layers, activation


@refused("The class of the field decides which method is called.", known=False)
def calls_a_method_of_a_field(m: Network, x):
    return m.layer.forward(x)


@refused("The field may hold any function.", known=False)
def calls_a_field(m: Network, x):
    return m.activation(x)


@refused("Only an object has such an attribute, and its class is unknown.", known=False)
def reads_a_field_of_each(m: Network, x):
    for layer in m.layers:
        x = layer.w @ x
    return np.sum(x)


@refused("The function decides the gradient.", 2.0, X)
def calls_what_an_array_holds(x, fs):
    return fs[0](x)


@refused(
    "It is not written in Python, and has no rule for its derivative.",
    2.0,
    group=LIBRARIES,
)
def calls_c_code(x):
    return bytes.fromhex(x)


POLYNOMIAL = np.poly1d([1.0, 2.0])


@refused("A poly1d is supported where the function makes it.", 2.0, group=LIBRARIES)
def calls_a_polynomial_of_the_module(x):
    return POLYNOMIAL(x)


class Model:
    scale = 2.0

    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return self.w * x


@refused(PYTHON_RAISES, Model(2.0), 3.0, group=CONTAINERS)
def reads_an_unknown_attribute(m, x):
    return m.bias * x


@refused(PYTHON_RAISES, 3.0, group=CONTAINERS)
def reads_a_field_too_early(x):
    m = Model(x)
    return m.v * x


@refused(PYTHON_RAISES, 3.0, group=LIBRARIES)
def names_no_function(x):
    return np.sinus(x)


@refused(PYTHON_RAISES, {"a": 2.0}, group=CONTAINERS)
def reads_a_key_that_is_not_there(d):
    return d["b"] * 2


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def reads_a_key_of_its_own(x):
    d = {"a": x}
    return d["b"] * x


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def reads_beyond_the_end(x):
    t = (x, 2 * x)
    return t[2]


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def reads_beyond_a_list(x):
    t = [x, 2 * x]
    t[2] = x
    return t[0]


@refused(PYTHON_RAISES, X, group=LIBRARIES)
def calls_no_method_of_arrays(x):
    return x.normalise().sum()


@refused(PYTHON_RAISES, 2.0)
def calls_no_method_of_numbers(x):
    return x.sum()


class Descriptor:
    def __get__(self, instance, owner):
        return instance.v * 2


class Described:
    w = Descriptor()

    def __init__(self, v):
        self.v = v


@dataclass
class Line:
    a: float
    b: float


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def builds_a_dataclass_wrongly(x):
    return Line(x).a


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def builds_a_dataclass_of_too_many(x):
    return Line(x, x, x).a


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def builds_a_dataclass_of_others(x):
    return Line(x, c=x).a


class Empty:
    pass


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def builds_of_nothing(x):
    return Empty(x)


class Named(dict):
    pass


@refused(
    "The base class is written in C, and keeps its items outside the fields.",
    2.0,
    group=CONTAINERS,
)
def builds_a_kind_of_dict(x):
    return Named(a=x)["a"]


class Attributed(dict):
    def __getattr__(self, name):
        return self[name]


@refused(
    "The items are followed, and what a class of its own makes of them is not.",
    2.0, Attributed(k=2.0), group=CONTAINERS,
)  # fmt: skip
def reads_an_item_as_an_attribute(x, o):
    return x * o.k


class Unread:
    __getattr__ = {"k": 2.0}.get


@refused(
    "The class decides which fields exist, and what they hold.",
    2.0, Unread(), group=CONTAINERS,
)  # fmt: skip
def asks_what_is_not_followed(x, o):
    return x * o.k


class Finding:
    def __init__(self, x):
        self.x = x

    def __getattr__(self, name):
        return self.x


@refused(
    "The class decides which fields exist, and what they hold.",
    2.0,
    group=CONTAINERS,
)
def builds_what_finds_its_fields(x):
    return Finding(x).y


@refused(
    "Generated code works with the fields of the object, and never makes the object.",
    2.0,
    group=CONTAINERS,
)
def passes_an_object_on(x):
    return np.sum(Model(x))


@refused("The inner function has no name that generated code could use.", 2.0)
def returns_a_function(x):
    def f(y):
        return x * y

    return [f, x][1] * str(f).count("f")


@refused(PYTHON_RAISES, 2.0, group=LOOP)
def takes_the_next_of_nothing(x):
    items = iter([])
    return next(items) * x


@refused(
    "`next` changes its argument, which must be an iterator that the function "
    "has made.",
    X,
    group=LOOP,
)
def takes_the_next_of_an_array(x):
    return next(x)


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def pops_nothing(x):
    items = []
    return items.pop() * x


@refused(
    "Generated code makes a new list there: other containers would still hold "
    "the old one.",
    X,
    3,
    group=CONTAINERS,
)
def inserts_in_a_loop(x, n):
    items = []
    for k in range(n):
        items.append(x * k)
    items.insert(1, x)
    return sum(items)


@refused(
    "The order of the items of a set is unknown.", 2.0, {1.0, 2.0}, group=CONTAINERS
)
def extends_by_a_set(x, weights):
    items = [x]
    items += weights
    return sum(items)


@refused("The order of the items of a set is unknown.", 2.0, group=CONTAINERS)
def takes_any_item_of_a_set(x):
    powers = {1, 2}
    return x ** powers.pop()


@refused("The rules of interpolants are for real numbers.", 0.5, group=LIBRARIES)
def reads_a_complex_spline(x):
    return WAVE(x).imag


@refused("The class decides which method is called.", X, known=False)
def asks_what_is_not_known(x, table=None):
    return np.sum(x) * table.lookup("rate")


@refused(
    "An array with one axis is one condition. With two axes each row is one.",
    X,
    X > 1,
    known=False,
    group=LIBRARIES,
)
def selects_by_what_may_be_several(x, mask):
    return np.sum(np.piecewise(x, mask, [lambda v: v * v, lambda v: 3 * v]))


def forever(x, n):
    return x * forever(x, n - 1)


@refused(
    "No path ends the recursion: Python raises RecursionError.", 2.0, 3, group=LOOP
)
def never_returns(x, n):
    return forever(x, n)


def descend(xs, n):
    xs[0] = xs[0] * 2
    if n == 0:
        return xs[0]
    return descend(xs, n - 1)


@refused(
    "One generated function serves all depths of the recursion, and works on "
    "its arguments.",
    2.0,
    3,
    group=LOOP,
)
def recurses_over_an_outer_array(x, n):
    y = np.array([x, x])
    return descend(y, n)


def nested(f, x, n):
    if n == 0:
        return f(x)
    return nested(lambda v: f(v) * x, x, n - 1)


@refused(
    "One generated function serves all depths: it must be given the same "
    "function at each.",
    2.0,
    3,
    group=LOOP,
)
def recurses_with_another_function(x, n):
    return nested(math.sin, x, n)


def ragged(x, n):
    if n == 0:
        return x
    return (ragged(x, n - 1), x)


@refused(
    "The first result decides the type of all: an int would truncate the others.",
    X,
)
def applies_a_function_of_unknown_results(x):
    return np.sum(np.vectorize(lambda v: v if v > 2 else 0)(x))


@refused(PYTHON_RAISES, X, group=LOOP)
def reduces_nothing(x):
    from functools import reduce

    return reduce(lambda a, b: a * b, []) * x[0]


Pair = namedtuple("Pair", "a b")


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def builds_a_tuple_wrongly(x):
    return Pair(x).a


@refused("The class of an argument decides which branch is taken.", known=False)
def asks_for_unknown_classes(x, cls):
    return x * 2 if isinstance(x, cls) else x


class Above:
    def __instancecheck__(self, one):
        return one > 1.0


ABOVE = Above()


def asks_for_each_alone(x):
    return x * 2 if isinstance(x, ABOVE) or isinstance(x, bool) else x


@refused("Whether the first of them takes it is known when the text runs.", 2.0,
         works=asks_for_each_alone)  # fmt: skip
def asks_for_several_at_once(x):
    return x * 2 if isinstance(x, (ABOVE, bool)) else x


@refused(PYTHON_RAISES, 2.0)
def uses_super_alone(x):
    return super().scale * x


@refused(PYTHON_RAISES, 2.0)
def calls_a_method_of_a_function(x):
    return square.twice(x)


@refused(PYTHON_RAISES, 2.0, 3, group=CONTAINERS)
def calls_no_method_of_lists(x, n):
    items = [x] * n
    items.push(x)
    return sum(items)


class Quiet:
    def __init__(self):
        self.v = 1.0


class Child(Quiet):
    def value(self, x):
        return super().missing * x


@refused(PYTHON_RAISES, 2.0)
def asks_a_base_for_too_much(x):
    return Child().value(x)


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def asks_a_class_for_too_much(x):
    return Model.offset * x


class Half:
    def only_written(self, value):
        self.v = value

    w = property(None, only_written)


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def reads_what_is_only_written(x):
    return Half().w * x


@refused("The name decides which field is written.", 2.0, "w", group=CONTAINERS)
def computes_the_name_it_sets(x, names):
    m = Model(x)
    setattr(m, names[int(x)], x * 2)
    return m.w


def weave(items):
    return [next(items), next(items)]


def sink(x, n):
    return x if n == 0 else deeper(x, n)


def deeper(x, n):
    return sink(x, 0)


TABLE = {"scale": 2.0}


@refused("The index decides which item leaves the list.", 2.0, 1, group=CONTAINERS)
def pops_at_a_variable(x, k):
    items = [[x], [2 * x], [3 * x]]
    return items.pop(int(x))[0] * x


@refused("The number decides how many items the set has.", 2.0, group=CONTAINERS)
def adds_a_computed_item_to_a_set(x):
    met = {1, 2}
    met.add(int(x))
    return len(met) * x


@refused(
    "Generated code cannot tell items of equal value apart.",
    2.0,
    group=CONTAINERS,
)
def finds_an_index(x):
    items = [[x], [2 * x]]
    return items.index([x]) * x


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def pops_an_unknown_key(x):
    items = {"a": x}
    return items.pop("c") * x


@refused(PYTHON_RAISES, X)
def names_what_becomes_an_object(x):
    return np.sum(np.frompyfunc(lambda a: a * 2.0, 1, 1)(a=x).astype(float))


def makes_numbers_of_objects(x):
    squares = np.frompyfunc(lambda v: v * v, 1, 1)
    return np.sum(squares(x).astype(float))


@refused("NumPy adds objects one by one, with the operators of their classes.", X,
         works=makes_numbers_of_objects)  # fmt: skip
def adds_objects(x):
    squares = np.frompyfunc(lambda v: v * v, 1, 1)
    return np.sum(squares(x))


@refused(
    "The result has the type of the array: for integers the values would be truncated.",
    np.array([1, 2, 3]),
    2.0,
    group=LIBRARIES,
)
def chooses_pieces_of_ints(x, a):
    return np.sum(np.piecewise(x, [x > 1], [lambda v: v * a, 0.0]))


@refused(
    "The axes of the second argument come after those of the first: their "
    "number must be known.",
    known=False,
    group=LIBRARIES,
)
def multiplies_outer(x, y):
    return np.sum(np.multiply.outer(x, y))


@refused(
    "The ranks decide the axis along which the parts are joined.",
    known=False,
    group=LIBRARIES,
)
def joins_by_brackets(x, y):
    return np.sum(np.r_[x, y])


@refused("The derivative would go through its bounds.", known=False, group=LIBRARIES)
def makes_a_grid_up_to_anything(x, y):
    return np.sum(np.mgrid[0:x] * y)


@refused(
    "The ranks decide the axis along which the parts are joined.",
    X,
    np.ones((2, 3)),
    group=LIBRARIES,
)
def joins_different_ranks(x, y):
    return np.sum(np.r_[x, y])


class Odd(tuple):
    def __new__(cls, a):
        return super().__new__(cls, (a, a))


@refused(
    "The compiler does not follow how such a class builds its tuple.",
    2.0,
    group=CONTAINERS,
)
def builds_a_class_of_tuples(x):
    return Odd(x)[0] * x


def deep(x, n):
    if n:
        return deeper_still(x, n - 1)
    return x


@refused(
    "A name that is computed decides which field is read.", Model(2.0), group=CONTAINERS
)
def reads_a_computed_name(m):
    return getattr(m, "wb"[int(m.w) - 2]) * 2.0


@refused("A name that is computed decides which module is read.", 2.0)
def imports_by_a_computed_name(x):
    return importlib.import_module("ma" + "x th"[int(x) :]).sin(x)


@refused("The compiler must know the arguments of the call.", known=False)
def spreads_the_unknown(options, x):
    return square(x, **options)


@refused(
    "The class is written in C, so the effect of its methods is unknown.",
    2.0,
    group=LIBRARIES,
)
def calls_a_method_without_a_rule(x):
    import random

    return random.Random(3).betavariate(x, 2.0)


@refused("A branch decides which of the two lists it is.", 2.0, 3.0, group=CONTAINERS)
def changes_one_of_two_lists(x, y):
    a, b = [x], [y]
    c = a if x > y else b
    c.append(x)
    return sum(a) * sum(b)


@refused("A branch decides which of the two sets it is.", 2.0, 3.0, group=CONTAINERS)
def branches_over_sets(x, y):
    kinds = {1}
    if x > y:
        kinds.add(2)
    return x * len(kinds)


def exchanged(x, n, state):
    if n == 0:
        return x
    state = (state, x)
    return exchanged(x * 2, n - 1, state)


@refused(
    "One generated function serves all depths: its arguments must always have "
    "one structure.",
    2.0,
    3,
    group=LOOP,
)
def recurses_with_growing_state(x, n):
    return exchanged(x, n, (x,))


def tails(x, n):
    if n == 0:
        return (x,)
    return (*tails(x, n - 1), x)


@refused(
    "One generated function serves all depths: its result must always have "
    "one structure.",
    2.0,
    3,
    group=LOOP,
)
def recurses_into_longer_tuples(x, n):
    return sum(tails(x, n))


@refused(
    "Generated code loops over the rows, so it must know the axis.",
    np.ones((2, 3)),
    1,
)
def applies_along_a_computed_axis(x, axis):
    return np.sum(np.apply_along_axis(np.cumsum, int(np.sum(x)) % 2, x))


@refused(
    "Each depth would be another function, and Python limits the depth.",
    2.0,
    200,
)
def composes_too_often(x, n):
    f = lambda v: v
    for _ in "a" * 2000:
        f = (lambda g: lambda v: g(v) * 1.01)(f)
    return f(x)


@refused(PYTHON_RAISES, 2.0)
def asks_a_function_for_a_method(x):
    def f(v):
        return v

    return f.apply(x)


@refused("The method is written in C, so it needs a rule.", 2.0, group=LIBRARIES)
def calls_a_method_in_c(x):
    from decimal import Decimal

    return float(Decimal(2).scaleb(x))


@refused("The values that `eval` reads would count as constants.", 2.0)
def evaluates(x):
    u = math.cos(x)
    return u * eval("u")


@refused("The values that `locals` returns would count as constants.", 2.0)
def reads_its_locals(x):
    u = math.cos(x)
    return u * locals()["u"]


@refused("The values that `vars` returns would count as constants.", 2.0)
def reads_its_variables(x):
    u = math.cos(x)
    return u * vars()["u"]


@refused("Generated code is a module of its own, with other globals.", 2.0)
def reads_globals_by_name(x):
    return x * globals()["RATE"]


@refused("The frame would be that of the generated code.", 2.0)
def looks_at_its_frame(x):
    return x * inspect.currentframe().f_locals["x"]


@refused("The class of the object decides which base is asked.", 2.0)
def asks_for_a_computed_base(x):
    m = Child()
    return super([Child, Quiet][int(x) - 2], m).v * x


@refused(PYTHON_RAISES, X)
def reduces_wrongly(x):
    from functools import reduce

    return reduce(lambda a: a, x, 1.0, 2.0)


@refused("The pairs of an array of another number of dimensions are not numbers.", X)
def makes_two_arrays_of_objects(x):
    f = np.frompyfunc(lambda a: (a, a * a), 1, 2)
    return np.sum(f(x)[1].astype(float))


@refused("The module decides the gradient.", known=False)
def imports_by_name(x: float, name: str):
    return importlib.import_module(name).sqrt(x)


@refused(
    "The classes of datetime round to microseconds, so they have no derivative.",
    2.0,
    group=LIBRARIES,
)
def makes_a_time_of_a_float(x):
    return (HOUR * x).total_seconds()


@refused("Each column is a polynomial of its own.", X[:2], group=LIBRARIES)
def takes_polynomials_in_columns(x):
    return np.polynomial.polynomial.polyval(0.3, np.array([x, 2 * x])).sum()


class Spectrum:
    def __getitem__(self, x):
        return 2.0 * x


SPECTRA = {hash(("photopic", 1)): Spectrum()}


@refused(
    "The class of the object decides what a float index means.", 2.0, group=LIBRARIES
)
def reads_a_spectrum_from_a_cache(x):
    return SPECTRA.get(hash(("photopic", 1)))[x]


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def removes_what_is_not_in_a_set(x):
    kinds = {"fast", "slow"}
    kinds.remove("fats")
    return x * len(kinds)


class Turned(np.ndarray):
    def __new__(cls, values):
        return np.asarray(values, float).view(cls)

    def __mul__(self, other):
        return np.asarray(self)[::-1] * np.asarray(other)


class TurnedField:
    def __init__(self, values):
        self.values = values

    def __mul__(self, other):
        return self.values[::-1] * other


def keeps_the_array_in_a_field(x):
    return (TurnedField(x) * x).sum()


@refused("Results of NumPy's functions are of that class, too.", X,
         works=keeps_the_array_in_a_field)  # fmt: skip
def makes_an_array_of_its_own_class(x):
    return (Turned(x) * x).sum()


def draws_a_position(x):
    rng = random.Random(3)
    return x[rng.randrange(len(x))] * rng.gauss(0.0, 1.0)


@refused("Which item it is only the generator knows.", X, group=LIBRARIES,
         works=draws_a_position)  # fmt: skip
def chooses_by_a_generator_made_here(x):
    rng = random.Random(3)
    return rng.choice([1.0, 2.0]) * x[0]


def computes_an_error(x):
    line = stats.linregress(x, x**2)
    spread = np.mean((x - np.mean(x)) ** 2)
    return line.stderr * np.sqrt(spread + np.mean(x) ** 2)


@refused("The error of the intercept stands beside the items that a tuple is made of.",
         X, group=LIBRARIES, works=computes_an_error)  # fmt: skip
def reads_a_field_beside_the_items(x):
    return stats.linregress(x, x**2).intercept_stderr


def turns_by_each(x):
    turned = Rotation.from_rotvec(np.outer(x, x))
    return sum(np.sum(turned[k].as_matrix()) for k in range(len(turned)))


@refused("What is known of an object of a library are its methods.", X, group=LIBRARIES,
         works=turns_by_each)  # fmt: skip
def runs_over_rotations(x):
    turned = Rotation.from_rotvec(np.outer(x, x))
    return sum(np.sum(each.as_matrix()) for each in turned)


@refused("The function has no rule, which would tell of which class its result is.",
         X, group=LIBRARIES)  # fmt: skip
def takes_the_mean_of_rotations(x):
    turned = Rotation.from_rotvec(np.outer(x, x)).mean()
    return np.sum(turned.as_matrix())


def factors_a_copy(x):
    k = np.outer(x, x) + np.eye(3)
    return np.sum(linalg.cholesky(k.copy(), overwrite_a=True)) + k[0, 0]


@refused("What SciPy leaves in the array is not what it was.", X, group=LIBRARIES,
         works=factors_a_copy)  # fmt: skip
def reads_what_may_be_overwritten(x):
    k = np.outer(x, x) + np.eye(3)
    return np.sum(linalg.cholesky(k, overwrite_a=True)) + k[0, 0]


UNIT = np.eye(3)


def leaves_an_array_of_the_module(x):
    return np.sum(linalg.cholesky(UNIT) @ x)


@refused("The module would hold another array after each call.", X, group=LIBRARIES,
         works=leaves_an_array_of_the_module)  # fmt: skip
def overwrites_an_array_of_the_module(x):
    return np.sum(linalg.cholesky(UNIT, overwrite_a=True) @ x)


def calls_a_routine_by_its_name(x):
    return np.sum(linalg.lapack.dpotrf(np.outer(x, x) + np.eye(3))[0])


@refused("The arrays say for which numbers the routine is.", X, group=LIBRARIES,
         works=calls_a_routine_by_its_name)  # fmt: skip
def asks_for_a_routine_for_a_number(x):
    potrf = linalg.get_lapack_funcs("potrf", (x[0],))
    return np.sum(potrf(np.outer(x, x) + np.eye(3))[0])


@refused(PYTHON_RAISES, X, group=LIBRARIES)
def asks_for_a_routine_that_is_not_there(x):
    return linalg.get_blas_funcs("gemmm", (x,))(1.0, x, x)
