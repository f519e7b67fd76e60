# ruff: noqa: B012, C416, E501, F401, RET504, RUF059, UP028
"""Constructs of the language that are refused."""

import contextlib
import math
from functools import partial

import numpy as np

from .cases import PYTHON_RAISES
from .cases import refused as _refused
from .groups import CALL, CONTAINERS, LOOP

refused = partial(_refused, group=LOOP)
X = np.array([1.0, 2.0, 3.0])
COUNT = 0


@refused(
    "What a global holds is no result of the function: what is computed of it later "
    "would have no derivative. Counters and flags are set.",
    2.0,
    group=CALL,
)
def writes_a_global(x):
    global COUNT
    COUNT = x
    return x * x


@refused("Nothing runs an event loop while a gradient is taken.", 2.0, group=CALL)
def defines_a_coroutine(x):
    async def f():
        return x

    return x * x


@refused(
    "The call returns an object to await, and not a value.",
    2.0,
    group=CALL,
)
def calls_a_coroutine(x):
    return x * waits(x)


async def waits(x):
    return x * x


@refused(
    "A function with `yield` returns no value that has a gradient.", 2.0, group=CALL
)
def yields(x):
    yield x * x


def endless(x):
    while x < 3.0:
        yield x
        x = x * 2


@refused("The number of items is known only when the function runs.", 2.0)
def sums_an_endless_generator(x):
    return sum(endless(x))


def busy(xs):
    for x in xs:
        print(x)
        yield x * x


@refused("The effects between the items would happen at another time.", X)
def sums_a_busy_generator(x):
    return sum(busy(x))


@refused(
    "Each call makes another class, which has no name that generated code could use.",
    2.0,
    group=CALL,
)
def defines_a_class(x):
    class Pair:
        pass

    return x * x


@refused(
    "Several errors at once run several handlers, and the reverse sweep "
    "would not know which.",
    2.0,
)
def handles_groups(x):
    try:
        y = math.log(x)
    except* ValueError:
        y = 0.0
    return y


@refused(
    "The effects of other contexts would happen at other times.",
    2.0,
)
def opens_a_file(x):
    with open("numbers.txt") as file:
        return x * len(file.name)


@refused("An error may leave the object half changed.", 2.0)
def changes_a_list_within_try(x):
    terms = [x]

    def add(y):
        terms.append(y)
        return math.log(y)

    try:
        last = add(x - 1)
    except ValueError:
        last = 0.0
    return sum(terms) + last


@refused(
    "The root of a negative number is complex. The code checks that it is real, and the "
    "handler might catch the error of that check.",
    2.0,
)
def asks_for_the_class_of_a_root(x):
    try:
        y = 2 * x if isinstance(x**0.5, float) else math.log(x)
    except ValueError:
        y = 0.0
    return y


@refused(
    "It would swallow the error, and the reverse sweep would not know that it happened.",
    2.0,
)
def leaves_by_finally(x):
    for _ in range(2):
        try:
            y = math.log(x)
        finally:
            if x > 1:
                break
    return x * x


@refused(PYTHON_RAISES, 2.0)
def reads_before_assigning(x):
    z = y + x
    y = 1.0
    return z


@refused(PYTHON_RAISES, 2.0, group=CALL)
def reads_an_unknown_name(x):
    return x * scale_factor


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def unpacks_too_few(x):
    a, b, c = x, x
    return a * b


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def unpacks_too_many(x):
    a, *b, c, d = x, x
    return a


@refused(
    "The number of values decides the number of variables in generated code.",
    X,
    group=CONTAINERS,
)
def stars_an_array(x):
    first, *rest = x[x > 0]
    return first


def counter():
    count = 0.0

    def add(x):
        nonlocal count
        count += x
        return count

    return add


add = counter()


@refused(
    "The variable keeps its value from call to call: a gradient would count twice.",
    2.0,
    group=CALL,
)
def writes_a_cell(x):
    return add(x) * x


@refused(
    "Generated code has one variable for each key, and the key may differ in "
    "each call.",
    2.0,
    group=CONTAINERS,
)
def computes_a_key(x):
    table = {math.floor(x): x}
    return table[2] * x


@refused(
    PYTHON_RAISES,
    2.0,
    group=CONTAINERS,
)
def hashes_a_list(x):
    return {[1]: x}[1]


@refused("The values decide how many items the set holds.", X, group=CONTAINERS)
def builds_a_set(x):
    return sum({v for v in x})


@refused("A loop fills the list, so its length depends on the arguments.", X)
def matches_a_list_of_unknown_length(x):
    match [v for v in x if v > 0]:
        case [a, *_]:
            return a * a
    return 0.0


@refused("An object may be a mapping by what its class defines.", 2.0)
def matches_an_object_as_a_mapping(x):
    match Point(x):
        case {"x": y}:
            return y
    return x


@refused("The alternative that fits decides which names are bound.", (1.0, 2.0))
def matches_alternatives(x):
    match x:
        case (a, 0.0) | (0.0, a):
            return a
        case _:
            return x[0]


class Point:
    def __init__(self, x):
        self.x = x


@refused("The class does not say which field a position means.", 2.0)
def matches_positions(x):
    match Point(x):
        case Point(y):
            return y
    return x


def pairs(x):
    yield x
    yield x * x


@refused("The body of the loop stands in the generator, and leaves two loops.", 2.0)
def leaves_a_generator(x):
    for y in pairs(x):
        for k in range(3):
            if y > k:
                return y
    return x


@refused(
    "The remaining items of a list of unknown length have no place in generated code.",
    X,
    group=CONTAINERS,
)
def deletes_an_item(x):
    y = np.zeros(3)
    del y[0]
    return x[0]


@refused(
    "Generated code keeps the name, and would read a value where Python "
    "raises an error.",
    2.0,
)
def deletes_a_name_in_one_case(x):
    y = x * x
    if x > 3.0:
        del y
    return y


@refused(
    "Generated code keeps the name, and would read a value where Python "
    "raises an error.",
    2.0,
)
def deletes_a_name_in_a_loop(x):
    y = x * x
    for _ in range(2):
        x = x * y
        del y
    return x


@contextlib.contextmanager
def silent(x):
    if x > 0:
        yield


@refused(
    "The body of a `with` stands where the generator yields: it must stand there once.",
    2.0,
)
def enters_a_silent_context(x):
    with silent(x):
        y = x * x
    return y


def later():
    def helper(x):
        return x * offset

    y = helper
    if COUNT:
        offset = 1.0
    return y


helper = later()


@refused(PYTHON_RAISES, 2.0, group=CALL)
def reads_a_cell_too_early(x):
    return helper(x)


@refused(PYTHON_RAISES, 2.0, group=CALL)
def reads_its_own_cell_too_early(x):
    def f():
        return x * late

    y = f()
    late = 2.0
    return y


@refused(PYTHON_RAISES, 2.0, group=CALL)
def imports_what_is_not_there(x):
    import no_such_module

    return x


@refused(
    "After an error, the effects of `finally` would have happened twice.",
    2.0,
)
def prints_in_finally(x):
    try:
        y = math.log(x)
    finally:
        print("done")
    return y


class Bare:
    pass


BARE = Bare()


@refused(PYTHON_RAISES, 2.0)
def enters_no_context(x):
    with BARE:
        y = x * x
    return y


class Swallowing:
    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        return kind is ValueError


@refused("The reverse sweep would not know if the body ran to its end.", 2.0)
def enters_what_swallows_errors(x):
    with Swallowing():
        y = math.log(x)
    return y


@contextlib.contextmanager
def nothing():
    return
    yield


@refused("The body of a `with` stands where the generator yields.", 2.0)
def enters_what_never_yields(x):
    with nothing():
        y = x * x
    return y


def squares(x):
    for k in range(3):
        yield k * x


@refused("A generator gives its items once: Python finds none the second time.", 2.0)
def runs_a_generator_twice(x):
    items = squares(x)
    return sum(items) + sum(items)


def halves(xs):
    if len(xs) < 2:
        yield xs[0]
    else:
        yield from halves(xs[: len(xs) // 2])
        yield from halves(xs[len(xs) // 2 :])


def _weighted_in_a_loop(x):
    total = 0.0
    for i, v in enumerate(x):
        total += i * v
    return total


@refused("How long an array is shows no end of a recursion.", np.ones(40),
         works=_weighted_in_a_loop)  # fmt: skip
def runs_a_generator_within_itself(x):
    return sum(i * v for i, v in enumerate(halves(x)))


def rest(xs):
    for x in xs:
        yield x


def rest_with_care(xs):
    for k in range(len(xs)):
        try:
            yield xs[k]
        except ZeroDivisionError:
            pass


@refused(
    "A generator that yields within `try` reads its items while the loop over it runs.",
    2.0,
)
def changes_what_a_generator_reads(x):
    xs = [x, 2 * x]
    total = 0.0
    for y in rest_with_care(xs):
        xs[1] = y * 3
        total = total + y
    return total


@refused(
    "The test also binds a value, and generated code needs the test in two places.",
    2.0,
)
def binds_in_the_test_of_a_loop(x):
    for _ in range(3):
        while (y := x * x) < 10:
            x = x * 2
        else:
            if y > 20:
                break
    return x


class Halving:
    def __init__(self, x):
        self.x = x

    def halved(self):
        self.x = 0.5 * self.x
        return self.x


@refused(
    "Generated code needs the test in two places, so its effect would happen twice.",
    2.0,
)
def changes_something_in_the_test_of_a_loop(x):
    h = Halving(x)
    for _ in range(3):
        while h.halved() > 1:
            x = x + 1
        else:
            continue
        x = x * h.x
    return x


class Slotted:
    @property
    def w(self):
        return 2.0


@refused(PYTHON_RAISES, 2.0, group=CONTAINERS)
def writes_a_property(x):
    s = Slotted()
    s.w = x
    return s.w


class Described:
    def __init__(self, v):
        self.v = v

    def __getattribute__(self, name):
        found = object.__getattribute__(self, name)
        return found * 2 if name == "v" else found


DESCRIBED = Described(1.5)


@refused(
    "The class may give any attribute another value than the field of its name.",
    2.0,
    group=CONTAINERS,
)
def finds_attributes_in_its_own_way(x):
    return DESCRIBED.v * x


@refused(
    "The number of deleted items is known only when the function runs.",
    known=False,
    group=CONTAINERS,
)
def deletes_a_slice(xs):
    ys = list(xs)
    del ys[::3]
    return ys[0]


@refused(PYTHON_RAISES, 2.0)
def catches_the_unknown(x):
    kinds = [ValueError, TypeError]
    try:
        y = math.log(x)
    except kinds[int(x)]:
        y = 0.0
    return y


@refused(
    "The number of values decides the number of variables in generated code.",
    X,
    group=CALL,
)
def spreads_an_array(x):
    return max(*x[x > 1])


@refused(
    "Generated code has one body for all iterations: a variable must keep its "
    "structure.",
    X,
)
def grows_a_tuple(x):
    t = (x[0],)
    for v in x:
        t = (*t, v * t[-1])
    return sum(t)


@refused(
    "Generated code has one body for all iterations: a variable must keep its "
    "structure.",
    X,
)
def exchanges_a_container(x):
    t = [x]
    for v in x:
        t = {"a": v * 2}
    return t["a"]


@refused(
    "Generated code has one body for all iterations, which calls one function.",
    X,
    group=CALL,
)
def exchanges_a_function(x):
    f = math.sin
    total = 0.0
    for v in x:
        total = total + f(v)
        f = [math.sin, math.cos, math.tan]
    return total


@refused("The value of such a context has no counterpart in generated code.", 2.0)
def names_a_context(x):
    with np.errstate(all="ignore") as old:
        y = x * x
    return y


@refused("Generated code could not call functions of NumPy.", 2.0, X, group=CALL)
def calls_a_parameter_as_a_module(np, x):
    return (np * x).sum()
